#include "experiments/deadlock/private.h"

#include <stdlib.h>
#include <string.h>

/* ---- running ---- */

long double fl_deadlock_sets(const fl_fault_model *model, uint64_t faults)
{
    uint64_t components = fl_fault_model_components(model);
    long double sets = 1;
    if (faults > components)
        return 0;
    for (uint64_t i = 0; i < (faults < components - faults ? faults : components - faults); i++)
        sets = sets * (long double)(components - i) / (long double)(i + 1);
    return sets;
}

bool fl_deadlock_study_is_stopped(void *user)
{
    const fl_deadlock_study *study = user;
    return study->stop && atomic_load(study->stop);
}

bool fl_deadlock_study_goes_on(void *user, uint64_t done, uint64_t all)
{
    const fl_deadlock_study *study = user;
    if (study->progress)
        study->progress(study->user, done, all);
    return !fl_deadlock_study_is_stopped(user);
}

bool fl_deadlock_follows_all(fl_deadlock_candidates candidates, const fl_router *router)
{
    return candidates == FL_DEADLOCK_ALL ||
           (candidates == FL_DEADLOCK_EQUIVALENT && router->type->equivalent);
}

static fl_status try_sets(fl_deadlock_finding *finding, const fl_deadlock_study *study,
                          uint64_t faults, fl_error *error)
{
    long double sets = fl_deadlock_sets(study->model, faults);
    bool sampled = study->sample > 0 && (long double)study->sample < sets;
    fl_deadlock_study copy = *study;
    fl_deadlock_options options = {.sample = sampled ? study->sample : 0,
                                   .seed = study->seed,
                                   .all_candidates =
                                       fl_deadlock_follows_all(study->candidates, finding->router),
                                   .progress = fl_deadlock_study_goes_on,
                                   .user = &copy};
    if (study->stop && atomic_load(study->stop))
        return FL_ERR_STOPPED;
    if (study->announce)
        study->announce(study->user, finding->router, faults,
                        sampled ? (long double)study->sample : sets);
    fl_status status = fl_deadlock_check(&finding->checks[finding->check_count], finding->router,
                                         study->model, (unsigned)faults, &options, error);
    finding->check_count += status == FL_OK;
    return status;
}

/* Where no sets are given: those of few faults, as far as they are a matter of seconds. */
enum { SMALL_FAULTS_MAX = 3 };
#define SMALL_WALKS_MAX 3e8L

static fl_status try_small_sets(fl_deadlock_finding *finding, const fl_deadlock_study *study,
                                fl_error *error)
{
    long double pairs = (long double)study->network->nodes * (long double)study->network->nodes,
                walks = 0;
    for (uint64_t faults = 0;
         faults <= SMALL_FAULTS_MAX && faults <= fl_fault_model_components(study->model);
         faults++) {
        walks += fl_deadlock_sets(study->model, faults) * pairs;
        if (walks > SMALL_WALKS_MAX)
            break;
        fl_status status = try_sets(finding, study, faults, error);
        if (status || finding->checks[finding->check_count - 1].cyclic > 0)
            return status;
    }
    return FL_OK;
}

static fl_status study_router(fl_deadlock_finding *finding, const fl_deadlock_study *study,
                              fl_error *error)
{
    finding->checks = calloc(study->fault_points + SMALL_FAULTS_MAX + 1, sizeof *finding->checks);
    if (!finding->checks)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for results");
    if (study->stop && atomic_load(study->stop))
        return FL_ERR_STOPPED;
    if (study->prove) {
        fl_deadlock_study copy = *study;
        const fl_proof_options options = {
            .all_candidates = fl_deadlock_follows_all(study->candidates, finding->router),
            .seek = true,
            .should_stop = fl_deadlock_study_is_stopped,
            .user = &copy};
        fl_status status =
            fl_router_prove(&finding->proof, finding->router, study->model, &options, error);
        finding->has_proof = status == FL_OK;
        if (status || finding->proof.deadlock_free || finding->proof.witness)
            return status;
        if (study->fault_points == 0)
            return try_small_sets(finding, study, error);
    }
    for (uint32_t i = 0; i < study->fault_points; i++) {
        fl_status status = try_sets(finding, study, study->faults[i], error);
        if (status)
            return status;
        if (study->prove && finding->checks[finding->check_count - 1].cyclic > 0)
            break;
    }
    return FL_OK;
}

static fl_status check_study(const fl_deadlock_study *study, fl_error *error)
{
    uint64_t components = fl_fault_model_components(study->model);
    if (fl_fault_model_is_independent(study->model))
        return fl_fail(
            error, FL_ERR_INVALID,
            "the fault model '%s' draws every part by itself; fault sets need draw=exact",
            fl_fault_model_spec(study->model));
    for (uint32_t i = 0; i < study->fault_points; i++)
        if (study->faults[i] > components)
            return fl_fail(error, FL_ERR_INVALID,
                           "%llu faults: under the fault model '%s' only %llu parts of %s can fail",
                           (unsigned long long)study->faults[i], fl_fault_model_spec(study->model),
                           (unsigned long long)components, study->network->spec);
    for (unsigned r = 0; r < study->router_count; r++)
        if (!study->routers[r]->next)
            return fl_fail(error, FL_ERR_INVALID,
                           "'%s' is a limit, not a router: its packets hold no channels",
                           study->routers[r]->name);
    return FL_OK;
}

fl_status fl_deadlock_study_run(fl_deadlock_findings **out, const fl_deadlock_study *study,
                                fl_error *error)
{
    fl_status status = check_study(study, error);
    if (status)
        return status;
    fl_deadlock_findings *findings = calloc(1, sizeof *findings);
    fl_deadlock_finding *of = calloc(study->router_count + 1, sizeof *of);
    if (!findings || !of) {
        free(findings);
        free(of);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for results");
    }
    *findings = (fl_deadlock_findings){.study = *study, .of = of};
    for (unsigned r = 0; r < study->router_count && !status; r++) {
        of[r].router = study->routers[r];
        status = study_router(&of[r], study, error);
    }
    findings->partial = status == FL_ERR_STOPPED && study->stop && atomic_load(study->stop);
    if (status && !findings->partial) {
        fl_deadlock_findings_destroy(findings);
        return status;
    }
    *out = findings;
    return FL_OK;
}

void fl_deadlock_findings_destroy(fl_deadlock_findings *findings)
{
    if (!findings)
        return;
    for (unsigned r = 0; r < findings->study.router_count; r++) {
        for (uint32_t i = 0; i < findings->of[r].check_count; i++)
            fl_deadlock_witness_destroy(findings->of[r].checks[i].witness);
        if (findings->of[r].has_proof)
            fl_proof_clear(&findings->of[r].proof);
        free(findings->of[r].checks);
    }
    free(findings->of);
    free(findings);
}

/* ---- pieces of text ---- */

void fl_deadlock_name(const fl_router *router, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)strcspn(router->name, "@"), router->name);
}

/* The name of its VC assignment; own: it chooses by itself. */
static const char *vc_assignment_of(const fl_router *router)
{
    return router->vc_assignment   ? router->vc_assignment->name
           : router->channels == 1 ? "one"
                                   : "own";
}

void fl_deadlock_append_channels(const fl_router *router, fl_text *out)
{
    const char *rule = vc_assignment_of(router);
    fl_text_append(out, "%u virtual channel%s", router->channels, router->channels == 1 ? "" : "s");
    if (router->channels > 1)
        fl_text_append(out, " (%s)", rule);
}

static const char *label_of(const fl_network *network, fl_address address, char out[FL_LABEL_MAX])
{
    network->type->label(network, address, out, FL_LABEL_MAX);
    return out;
}

void fl_deadlock_append_link(const fl_network *network, fl_link link, fl_text *out)
{
    fl_network_append_link(network, link, out);
}

void fl_deadlock_append_faults(const fl_network *network, const fl_deadlock_witness *witness,
                               fl_text *out)
{
    fl_text_append(out, "%u fault%s", witness->faults, witness->faults == 1 ? "" : "s");
    if (witness->link_count != witness->faults)
        fl_text_append(out, " (%zu links)", witness->link_count);
    for (size_t i = 0; i < witness->link_count; i++) {
        fl_text_append(out, "%s", i ? "; " : ": ");
        fl_deadlock_append_link(network, witness->links[i], out);
    }
}

void fl_deadlock_append_cycle(const fl_network *network, const fl_cycle_step *cycle,
                              unsigned length, const char *indent, fl_text *out)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX], c[FL_LABEL_MAX], d[FL_LABEL_MAX];
    for (unsigned i = 0; i < length; i++) {
        const fl_cycle_step *s = &cycle[i];
        fl_text_append(out, "%s%s -> %s vc%u   held by %s to %s", indent,
                       label_of(network, s->channel.from, a), label_of(network, s->channel.to, b),
                       s->channel.number, label_of(network, s->source, c),
                       label_of(network, s->destination, d));
        if (s->pairs > 1)
            fl_text_append(out, " and %llu other pair%s", (unsigned long long)(s->pairs - 1),
                           s->pairs == 2 ? "" : "s");
        fl_text_append(out, "\n");
    }
    fl_text_append(
        out,
        "%sthe holder of each channel waits for the next one, that of the last for the first\n",
        indent);
}

/* ---- the table and the cycles ---- */

const char *fl_deadlock_candidates_text(fl_deadlock_candidates candidates)
{
    static const char *const texts[] = {
        [FL_DEADLOCK_FIRST] = "the first candidate of every switch",
        [FL_DEADLOCK_EQUIVALENT] =
            "every candidate of routers that declare them equivalent, of others the first",
        [FL_DEADLOCK_ALL] = "every candidate of every switch",
    };
    return texts[candidates];
}

static void append_head(const fl_deadlock_findings *findings, fl_text *out)
{
    const fl_deadlock_study *study = &findings->study;
    fl_text_append(out, "%s, fault model %s (%llu components), scope %s, %s\n",
                   study->network->spec, fl_fault_model_spec(study->model),
                   (unsigned long long)fl_fault_model_components(study->model),
                   fl_scope_names[study->routers[0]->scope],
                   fl_deadlock_candidates_text(study->candidates));
}

static void add_row(fl_table *table, const fl_router *router, const fl_deadlock_result *check)
{
    char name[96];
    fl_deadlock_name(router, name, sizeof name);
    fl_table_cell(table, "%s", name);
    fl_table_cell(table, "%3u %s", router->channels, vc_assignment_of(router));
    fl_table_cell(table, "%llu", (unsigned long long)check->faults);
    fl_table_cell(table, "%llu", (unsigned long long)check->fault_sets);
    fl_table_cell(table, "%llu", (unsigned long long)check->cyclic);
    fl_table_cell(table, "%.4f%%", 100. * (double)check->cyclic / (double)check->fault_sets);
    if (check->sampled) {
        fl_interval interval = fl_stats_wilson(check->cyclic, check->fault_sets, FL_Z95);
        fl_table_rest(table, "of sets drawn (95%% Wilson: %.4f%% .. %.4f%%)", 100 * interval.low,
                      100 * interval.high);
    }
    fl_table_row(table);
}

static void append_table(const fl_deadlock_findings *findings, fl_text *out)
{
    static const char *const titles[] = {"fault sets", "cyclic", "fraction"};
    static const unsigned ranks[] = {1, 2, 0};
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.gap = 2, .left = true}, "router");
    fl_table_column(&table, (fl_column){.least = 12, .gap = 2, .left = true}, "channels");
    fl_table_column(&table, (fl_column){.least = 7, .gap = 1}, "faults");
    for (int i = 0; i < 3; i++)
        fl_table_column(&table, (fl_column){.least = 12, .gap = 1, .rank = ranks[i]}, "%s",
                        titles[i]);
    for (unsigned r = 0; r < findings->study.router_count; r++)
        for (uint32_t i = 0; i < findings->of[r].check_count; i++)
            add_row(&table, findings->of[r].router, &findings->of[r].checks[i]);
    fl_table_end(&table, out);
}

static void append_witness(const fl_router *router, const fl_network *network,
                           const fl_deadlock_witness *witness, fl_text *out)
{
    char name[96];
    fl_deadlock_name(router, name, sizeof name);
    fl_text_append(out, "\n%s, ", name);
    fl_deadlock_append_channels(router, out);
    fl_text_append(out, ": a cycle of %u channels under ", witness->length);
    fl_deadlock_append_faults(network, witness, out);
    fl_text_append(out, "\n");
    fl_deadlock_append_cycle(network, witness->cycle, witness->length, "  ", out);
}

static void summarise_checks(const fl_deadlock_findings *findings, fl_text *out)
{
    append_table(findings, out);
    /* Of every router the cycle under the fewest faults. */
    for (unsigned r = 0; r < findings->study.router_count; r++)
        for (uint32_t i = 0; i < findings->of[r].check_count; i++)
            if (findings->of[r].checks[i].witness) {
                append_witness(findings->of[r].router, findings->study.network,
                               findings->of[r].checks[i].witness, out);
                break;
            }
}

/* ---- proofs ---- */

static void append_tried(const fl_deadlock_finding *finding, fl_text *out)
{
    uint64_t most = 0, cyclic = 0;
    for (uint32_t i = 0; i < finding->check_count; i++) {
        most = finding->checks[i].faults > most ? finding->checks[i].faults : most;
        cyclic += finding->checks[i].cyclic;
    }
    if (cyclic == 0)
        fl_text_append(
            out,
            "  no fault set was found that really has one; --faults %llu tries every set of that number, --sample N draws some\n",
            (unsigned long long)(finding->check_count ? most + 1 : 0));
    if (finding->check_count == 0)
        return;
    fl_text_append(out, "  fault sets tried:");
    for (uint32_t i = 0; i < finding->check_count; i++) {
        const fl_deadlock_result *c = &finding->checks[i];
        fl_text_append(out, "%s %llu of %llu fault%s%s (%llu cyclic)", i ? "," : "",
                       (unsigned long long)c->fault_sets, (unsigned long long)c->faults,
                       c->faults == 1 ? "" : "s", c->sampled ? ", drawn" : "",
                       (unsigned long long)c->cyclic);
    }
    fl_text_append(out, "\n");
}

static const fl_deadlock_witness *real_witness(const fl_deadlock_finding *finding)
{
    if (finding->proof.witness)
        return finding->proof.witness;
    for (uint32_t i = 0; i < finding->check_count; i++)
        if (finding->checks[i].witness)
            return finding->checks[i].witness;
    return NULL;
}

static void append_deadlock_verdict(const fl_deadlock_finding *finding, const fl_network *network,
                                    fl_text *out)
{
    const fl_proof *proof = &finding->proof;
    if (proof->deadlock_free) {
        fl_text_append(
            out,
            "  deadlock-free for every fault set: %llu states, %llu dependencies, %u virtual channel%s used\n",
            (unsigned long long)proof->states, (unsigned long long)proof->dependencies,
            proof->channels_used, proof->channels_used == 1 ? "" : "s");
        return;
    }
    fl_text_append(
        out,
        "  not proven: all dependencies under all faults together (%llu, from %llu states) have a cycle of %u channels.\n",
        (unsigned long long)proof->dependencies, (unsigned long long)proof->states,
        proof->cycle_length);
    const fl_deadlock_witness *witness = real_witness(finding);
    if (!witness) {
        fl_text_append(
            out, "  That alone proves nothing: they need not be there under the same faults.\n");
        fl_deadlock_append_cycle(network, proof->cycle, proof->cycle_length, "    ", out);
        append_tried(finding, out);
        return;
    }
    fl_text_append(out,
                   "  That alone proves nothing, but this is real: a cycle of %u channels under ",
                   witness->length);
    fl_deadlock_append_faults(network, witness, out);
    fl_text_append(out, "\n");
    fl_deadlock_append_cycle(network, witness->cycle, witness->length, "    ", out);
    if (!proof->witness)
        append_tried(finding, out);
}

static void append_loop(const fl_proof *proof, const fl_network *network, fl_text *out)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX];
    fl_text_append(
        out, "  livelock: a packet from %s to %s can come back to where it was, in the same state",
        label_of(network, proof->loop_source, a), label_of(network, proof->loop_destination, b));
    fl_text_append(out, "%s",
                   proof->loop_is_real ? "; it does so with these links down:"
                                       : "; not shown to be real. Links found down on the way:");
    for (size_t i = 0; i < proof->loop_down_count; i++) {
        fl_text_append(out, i ? "; " : " ");
        fl_deadlock_append_link(network, proof->loop_down[i], out);
    }
    fl_text_append(out, "%s\n", proof->loop_down_count ? "" : " none");
    for (unsigned i = 0; i < proof->loop_length; i++) {
        const fl_walk_hop *h = &proof->loop[i];
        fl_text_append(out, "    %s -> %s vc%u%s%s%s\n", label_of(network, h->from, a),
                       label_of(network, h->to, b), h->channel,
                       h->rule < fl_rule_count() ? "   " : "",
                       h->rule < fl_rule_count() ? fl_rule_name(h->rule) : "",
                       i == proof->loop_start ? "   <- comes back here" : "");
    }
}

static void append_livelock_verdict(const fl_deadlock_finding *finding, const fl_network *network,
                                    fl_text *out)
{
    const fl_proof *proof = &finding->proof;
    uint64_t formula = fl_router_length_bound(finding->router);
    if (!proof->livelock_free) {
        append_loop(proof, network, out);
        return;
    }
    fl_text_append(
        out,
        "  livelock-free for every fault set: no packet meets a switch twice in the same state; at most %llu links from node to node",
        (unsigned long long)proof->length_bound);
    if (formula > 0)
        fl_text_append(out, " (by formula: at most %llu)", (unsigned long long)formula);
    fl_text_append(out, "\n");
}

static void summarise_proofs(const fl_deadlock_findings *findings, fl_text *out)
{
    char name[96];
    for (unsigned r = 0; r < findings->study.router_count; r++) {
        const fl_deadlock_finding *finding = &findings->of[r];
        if (!finding->has_proof)
            continue;
        fl_deadlock_name(finding->router, name, sizeof name);
        fl_text_append(out, "\n%s, ", name);
        fl_deadlock_append_channels(finding->router, out);
        if (findings->study.candidates == FL_DEADLOCK_EQUIVALENT)
            fl_text_append(out, ", %s",
                           finding->router->type->equivalent
                               ? "every candidate"
                               : "the first candidate: they are ranked");
        fl_text_append(out, "\n");
        append_deadlock_verdict(finding, findings->study.network, out);
        append_livelock_verdict(finding, findings->study.network, out);
    }
}

void fl_deadlock_summary(const fl_deadlock_findings *findings, fl_text *out)
{
    append_head(findings, out);
    if (findings->study.prove)
        summarise_proofs(findings, out);
    else
        summarise_checks(findings, out);
}

/* ---- JSON ---- */

static void json_label(const fl_network *network, const char *key, fl_address address,
                       fl_json_writer *out)
{
    char label[FL_LABEL_MAX];
    fl_json_text(out, key, label_of(network, address, label));
}

static void json_links(const fl_network *network, const char *key, const fl_link *links,
                       size_t count, fl_json_writer *out)
{
    fl_json_open_array(out, key);
    for (size_t i = 0; i < count; i++) {
        fl_text label = {0};
        fl_deadlock_append_link(network, links[i], &label);
        fl_json_text(out, NULL, label.data ? label.data : "");
        out->out->failed |= label.failed;
        fl_text_clear(&label);
    }
    fl_json_close(out);
}

static void json_step(const fl_network *network, const fl_cycle_step *step, fl_json_writer *out)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX], channel[2 * FL_LABEL_MAX + 32];
    snprintf(channel, sizeof channel, "%s -> %s vc%u", label_of(network, step->channel.from, a),
             label_of(network, step->channel.to, b), step->channel.number);
    fl_json_open_object(out, NULL);
    fl_json_text(out, "channel", channel);
    json_label(network, "from", step->channel.from, out);
    json_label(network, "to", step->channel.to, out);
    fl_json_number(out, "vc", step->channel.number);
    json_label(network, "source", step->source, out);
    json_label(network, "destination", step->destination, out);
    fl_json_number(out, "pairs", step->pairs);
    fl_json_close(out);
}

static void json_cycle(const fl_network *network, const fl_cycle_step *cycle, unsigned length,
                       fl_json_writer *out)
{
    fl_json_open_array(out, "cycle");
    for (unsigned i = 0; i < length; i++) {
        fl_json_line(out);
        json_step(network, &cycle[i], out);
    }
    fl_json_line(out);
    fl_json_close(out);
}

void fl_deadlock_json_witness(const fl_network *network, const fl_deadlock_witness *witness,
                              fl_json_writer *out)
{
    if (!witness) {
        fl_json_null(out, "witness");
        return;
    }
    fl_json_open_object(out, "witness");
    json_links(network, "faults", witness->links, witness->link_count, out);
    json_cycle(network, witness->cycle, witness->length, out);
    fl_json_close(out);
}

static void json_head(const fl_deadlock_findings *findings, const fl_router *router,
                      fl_json_writer *out)
{
    char name[96];
    fl_deadlock_name(router, name, sizeof name);
    fl_json_text(out, "topology", findings->study.network->spec);
    fl_json_text(out, "router", name);
    fl_json_text(out, "scope", fl_scope_names[router->scope]);
    fl_json_number(out, "virtual_channels", router->channels);
    fl_json_text(out, "vc_assignment", vc_assignment_of(router));
    fl_json_text(out, "fault_model", fl_fault_model_spec(findings->study.model));
    fl_json_text(out, "candidates",
                 fl_deadlock_follows_all(findings->study.candidates, router) ? "all" : "first");
    fl_json_line(out);
}

static void json_check(const fl_deadlock_findings *findings, const fl_deadlock_result *check,
                       fl_json_writer *out)
{
    fl_json_number(out, "faults", check->faults);
    fl_json_number(out, "fault_sets", check->fault_sets);
    fl_json_number(out, "cyclic", check->cyclic);
    fl_json_bool(out, "sampled", check->sampled);
    if (check->sampled) {
        fl_interval interval = fl_stats_wilson(check->cyclic, check->fault_sets, FL_Z95);
        fl_json_number(out, "seed", findings->study.seed);
        fl_json_real(out, "cyclic_fraction", (double)check->cyclic / (double)check->fault_sets, 10);
        fl_json_real(out, "fraction_low", interval.low, 10);
        fl_json_real(out, "fraction_high", interval.high, 10);
    }
    fl_json_line(out);
    fl_deadlock_json_witness(findings->study.network, check->witness, out);
}

static void json_loop_hop(const fl_network *network, const fl_walk_hop *h, fl_json_writer *out)
{
    fl_json_open_object(fl_json_line(out), NULL);
    json_label(network, "from", h->from, out);
    json_label(network, "to", h->to, out);
    fl_json_number(out, "vc", h->channel);
    fl_json_text(out, "rule", h->rule < fl_rule_count() ? fl_rule_name(h->rule) : NULL);
    fl_json_close(out);
}

static void json_loop(const fl_network *network, const fl_proof *proof, fl_json_writer *out)
{
    if (proof->livelock_free) {
        fl_json_null(out, "loop");
        return;
    }
    fl_json_open_object(out, "loop");
    json_label(network, "source", proof->loop_source, out);
    json_label(network, "destination", proof->loop_destination, out);
    fl_json_bool(out, "real", proof->loop_is_real);
    json_links(network, "faults", proof->loop_down, proof->loop_down_count, out);
    fl_json_number(out, "comes_back_to", proof->loop_start);
    fl_json_open_array(out, "hops");
    for (unsigned i = 0; i < proof->loop_length; i++)
        json_loop_hop(network, &proof->loop[i], out);
    fl_json_line(out);
    fl_json_close(out);
    fl_json_close(out);
}

static void json_proof(const fl_deadlock_findings *findings, const fl_deadlock_finding *finding,
                       fl_json_writer *out)
{
    const fl_proof *proof = &finding->proof;
    const fl_network *network = findings->study.network;
    uint64_t formula = fl_router_length_bound(finding->router);
    fl_json_bool(out, "deadlock_free", proof->deadlock_free);
    fl_json_number(out, "states", proof->states);
    fl_json_number(out, "dependencies", proof->dependencies);
    fl_json_number(out, "channels_used", proof->channels_used);
    fl_json_line(out);
    if (proof->deadlock_free)
        fl_json_null(out, "cycle");
    else
        json_cycle(network, proof->cycle, proof->cycle_length, out);
    fl_json_line(out);
    fl_deadlock_json_witness(network, proof->deadlock_free ? NULL : real_witness(finding), out);
    fl_json_open_array(fl_json_line(out), "tried");
    for (uint32_t i = 0; i < finding->check_count; i++) {
        fl_json_open_object(out, NULL);
        json_check(findings, &finding->checks[i], out);
        fl_json_close(out);
    }
    fl_json_close(out);
    fl_json_bool(fl_json_line(out), "livelock_free", proof->livelock_free);
    fl_json_number_or_null(out, "length_bound", proof->livelock_free, proof->length_bound);
    fl_json_number_or_null(out, "length_bound_formula", formula > 0, formula);
    json_loop(network, proof, out);
}

void fl_deadlock_json(const fl_deadlock_findings *findings, fl_text *text)
{
    fl_json_writer out = fl_json_writer_begin(text, 2);
    fl_json_open_array(&out, NULL);
    for (unsigned r = 0; r < findings->study.router_count; r++) {
        const fl_deadlock_finding *finding = &findings->of[r];
        uint32_t objects = findings->study.prove ? finding->has_proof : finding->check_count;
        for (uint32_t i = 0; i < objects; i++) {
            fl_json_open_object(fl_json_line(&out), NULL);
            fl_json_indent(&out, 3);
            json_head(findings, finding->router, &out);
            if (findings->study.prove)
                json_proof(findings, finding, &out);
            else
                json_check(findings, &finding->checks[i], &out);
            fl_json_close(&out);
        }
    }
    fl_json_line(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}
