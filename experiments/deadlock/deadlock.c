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

/* Where nobody said which sets: those of few faults, as far as they are a matter of seconds. */
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

const char *fl_deadlock_vc_assignment(const fl_router *router)
{
    return router->vc_assignment   ? router->vc_assignment->name
           : router->channels == 1 ? "one"
                                   : "own";
}

void fl_deadlock_append_channels(const fl_router *router, fl_text *out)
{
    const char *rule = fl_deadlock_vc_assignment(router);
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
        out, "%swhoever holds a channel waits for the next one; the last waits for the first\n",
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
    fl_text_append(out, "%s, fault model %s (%llu parts), scope %s, %s\n", study->network->spec,
                   fl_fault_model_spec(study->model),
                   (unsigned long long)fl_fault_model_components(study->model),
                   fl_scope_names[study->routers[0]->scope],
                   fl_deadlock_candidates_text(study->candidates));
}

static unsigned name_width(const fl_deadlock_findings *findings)
{
    unsigned width = 6;
    char name[96];
    for (unsigned r = 0; r < findings->study.router_count; r++) {
        fl_deadlock_name(findings->study.routers[r], name, sizeof name);
        width = strlen(name) > width ? (unsigned)strlen(name) : width;
    }
    return width;
}

static void append_row(const fl_router *router, const fl_deadlock_result *check, unsigned width,
                       fl_text *out)
{
    char name[96];
    const char *rule = fl_deadlock_vc_assignment(router);
    fl_deadlock_name(router, name, sizeof name);
    fl_text_append(out, "  %-*s  %3u %-8s %7llu %12llu %12llu %11.4f%%", (int)width, name,
                   router->channels, rule, (unsigned long long)check->faults,
                   (unsigned long long)check->fault_sets, (unsigned long long)check->cyclic,
                   100. * (double)check->cyclic / (double)check->fault_sets);
    if (check->sampled) {
        fl_interval interval = fl_stats_wilson(check->cyclic, check->fault_sets, FL_Z95);
        fl_text_append(out, "  of sets drawn (95%% Wilson: %.4f%% .. %.4f%%)", 100 * interval.low,
                       100 * interval.high);
    }
    fl_text_append(out, "\n");
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
    unsigned width = name_width(findings);
    fl_text_append(out, "  %-*s  %-12s %7s %12s %12s %12s\n", (int)width, "router", "channels",
                   "faults", "fault sets", "cyclic", "share");
    for (unsigned r = 0; r < findings->study.router_count; r++)
        for (uint32_t i = 0; i < findings->of[r].check_count; i++)
            append_row(findings->of[r].router, &findings->of[r].checks[i], width, out);
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
            "  no fault set was found that really has one; --faults %llu tries every set of so many faults, --sample N draws some\n",
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

void fl_deadlock_append_label(const fl_network *network, fl_address address, fl_text *out)
{
    char label[FL_LABEL_MAX];
    fl_json_append_string(out, label_of(network, address, label));
}

static void append_link_json(const fl_network *network, fl_link link, fl_text *out)
{
    fl_text label = {0};
    fl_deadlock_append_link(network, link, &label);
    fl_json_append_string(out, label.data ? label.data : "");
    out->failed |= label.failed;
    fl_text_clear(&label);
}

static void append_step_json(const fl_network *network, const fl_cycle_step *step, fl_text *out)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX], channel[2 * FL_LABEL_MAX + 32];
    snprintf(channel, sizeof channel, "%s -> %s vc%u", label_of(network, step->channel.from, a),
             label_of(network, step->channel.to, b), step->channel.number);
    fl_text_append(out, "{\"channel\": ");
    fl_json_append_string(out, channel);
    fl_text_append(out, ", \"from\": ");
    fl_deadlock_append_label(network, step->channel.from, out);
    fl_text_append(out, ", \"to\": ");
    fl_deadlock_append_label(network, step->channel.to, out);
    fl_text_append(out, ", \"vc\": %u, \"source\": ", step->channel.number);
    fl_deadlock_append_label(network, step->source, out);
    fl_text_append(out, ", \"destination\": ");
    fl_deadlock_append_label(network, step->destination, out);
    fl_text_append(out, ", \"pairs\": %llu}", (unsigned long long)step->pairs);
}

void fl_deadlock_append_cycle_json(const fl_network *network, const fl_cycle_step *cycle,
                                   unsigned length, const char *indent, fl_text *out)
{
    fl_text_append(out, "[\n");
    for (unsigned i = 0; i < length; i++) {
        fl_text_append(out, "%s  ", indent);
        append_step_json(network, &cycle[i], out);
        fl_text_append(out, "%s\n", i + 1 < length ? "," : "");
    }
    fl_text_append(out, "%s]", indent);
}

static void append_links_json(const fl_network *network, const fl_link *links, size_t count,
                              fl_text *out)
{
    fl_text_append(out, "[");
    for (size_t i = 0; i < count; i++) {
        fl_text_append(out, "%s", i ? ", " : "");
        append_link_json(network, links[i], out);
    }
    fl_text_append(out, "]");
}

void fl_deadlock_append_witness_json(const fl_network *network, const fl_deadlock_witness *witness,
                                     const char *indent, fl_text *out)
{
    if (!witness) {
        fl_text_append(out, "null");
        return;
    }
    fl_text_append(out, "{\"faults\": ");
    append_links_json(network, witness->links, witness->link_count, out);
    fl_text_append(out, ", \"cycle\": ");
    fl_deadlock_append_cycle_json(network, witness->cycle, witness->length, indent, out);
    fl_text_append(out, "}");
}

static void append_name_or_null(const char *name, fl_text *out)
{
    if (name)
        fl_json_append_string(out, name);
    else
        fl_text_append(out, "null");
}

static void append_head_json(const fl_deadlock_findings *findings, const fl_router *router,
                             fl_text *out)
{
    char name[96];
    const char *rule = fl_deadlock_vc_assignment(router);
    fl_deadlock_name(router, name, sizeof name);
    fl_text_append(out, "  {\"topology\": ");
    fl_json_append_string(out, findings->study.network->spec);
    fl_text_append(out, ", \"router\": ");
    fl_json_append_string(out, name);
    fl_text_append(out, ", \"scope\": \"%s\", \"virtual_channels\": %u, \"channel_rule\": ",
                   fl_scope_names[router->scope], router->channels);
    fl_json_append_string(out, rule);
    fl_text_append(out, ", \"fault_model\": ");
    fl_json_append_string(out, fl_fault_model_spec(findings->study.model));
    fl_text_append(out, ", \"ways\": \"%s\",\n   ",
                   fl_deadlock_follows_all(findings->study.candidates, router) ? "all" : "first");
}

static void append_check_json(const fl_deadlock_findings *findings, const fl_deadlock_result *check,
                              const char *indent, fl_text *out)
{
    fl_text_append(out, "\"faults\": %llu, \"fault_sets\": %llu, \"cyclic\": %llu, \"sampled\": %s",
                   (unsigned long long)check->faults, (unsigned long long)check->fault_sets,
                   (unsigned long long)check->cyclic, check->sampled ? "true" : "false");
    if (check->sampled) {
        fl_interval interval = fl_stats_wilson(check->cyclic, check->fault_sets, FL_Z95);
        fl_text_append(
            out,
            ", \"seed\": %llu, \"cyclic_share\": %.10g, \"share_low\": %.10g, \"share_high\": %.10g",
            (unsigned long long)findings->study.seed,
            (double)check->cyclic / (double)check->fault_sets, interval.low, interval.high);
    }
    fl_text_append(out, ",\n%s\"witness\": ", indent);
    fl_deadlock_append_witness_json(findings->study.network, check->witness, indent, out);
}

static void append_loop_json(const fl_network *network, const fl_proof *proof, fl_text *out)
{
    if (proof->livelock_free) {
        fl_text_append(out, "null");
        return;
    }
    fl_text_append(out, "{\"source\": ");
    fl_deadlock_append_label(network, proof->loop_source, out);
    fl_text_append(out, ", \"destination\": ");
    fl_deadlock_append_label(network, proof->loop_destination, out);
    fl_text_append(out, ", \"real\": %s, \"faults\": ", proof->loop_is_real ? "true" : "false");
    append_links_json(network, proof->loop_down, proof->loop_down_count, out);
    fl_text_append(out, ", \"comes_back_to\": %u, \"hops\": [\n", proof->loop_start);
    for (unsigned i = 0; i < proof->loop_length; i++) {
        const fl_walk_hop *h = &proof->loop[i];
        fl_text_append(out, "     {\"from\": ");
        fl_deadlock_append_label(network, h->from, out);
        fl_text_append(out, ", \"to\": ");
        fl_deadlock_append_label(network, h->to, out);
        fl_text_append(out, ", \"vc\": %u, \"rule\": ", h->channel);
        append_name_or_null(h->rule < fl_rule_count() ? fl_rule_name(h->rule) : NULL, out);
        fl_text_append(out, "}%s\n", i + 1 < proof->loop_length ? "," : "");
    }
    fl_text_append(out, "   ]}");
}

static void append_number_or_null(bool has, uint64_t number, fl_text *out)
{
    if (has)
        fl_text_append(out, "%llu", (unsigned long long)number);
    else
        fl_text_append(out, "null");
}

static void append_proof_json(const fl_deadlock_findings *findings,
                              const fl_deadlock_finding *finding, fl_text *out)
{
    const fl_proof *proof = &finding->proof;
    const fl_network *network = findings->study.network;
    uint64_t formula = fl_router_length_bound(finding->router);
    fl_text_append(
        out,
        "\"deadlock_free\": %s, \"states\": %llu, \"dependencies\": %llu, \"channels_used\": %u,\n   \"cycle\": ",
        proof->deadlock_free ? "true" : "false", (unsigned long long)proof->states,
        (unsigned long long)proof->dependencies, proof->channels_used);
    if (proof->deadlock_free)
        fl_text_append(out, "null");
    else
        fl_deadlock_append_cycle_json(network, proof->cycle, proof->cycle_length, "   ", out);
    fl_text_append(out, ",\n   \"witness\": ");
    fl_deadlock_append_witness_json(network, proof->deadlock_free ? NULL : real_witness(finding),
                                    "   ", out);
    fl_text_append(out, ",\n   \"tried\": [");
    for (uint32_t i = 0; i < finding->check_count; i++) {
        fl_text_append(out, "%s{", i ? ", " : "");
        append_check_json(findings, &finding->checks[i], "     ", out);
        fl_text_append(out, "}");
    }
    fl_text_append(out, "],\n   \"livelock_free\": %s, \"length_bound\": ",
                   proof->livelock_free ? "true" : "false");
    append_number_or_null(proof->livelock_free, proof->length_bound, out);
    fl_text_append(out, ", \"length_bound_formula\": ");
    append_number_or_null(formula > 0, formula, out);
    fl_text_append(out, ", \"loop\": ");
    append_loop_json(network, proof, out);
}

void fl_deadlock_json(const fl_deadlock_findings *findings, fl_text *out)
{
    bool first = true;
    fl_text_append(out, "[");
    for (unsigned r = 0; r < findings->study.router_count; r++) {
        const fl_deadlock_finding *finding = &findings->of[r];
        uint32_t objects = findings->study.prove ? finding->has_proof : finding->check_count;
        for (uint32_t i = 0; i < objects; i++) {
            fl_text_append(out, "%s", first ? "\n" : ",\n");
            append_head_json(findings, finding->router, out);
            if (findings->study.prove)
                append_proof_json(findings, finding, out);
            else
                append_check_json(findings, &finding->checks[i], "   ", out);
            fl_text_append(out, "}");
            first = false;
        }
    }
    fl_text_append(out, "%s]\n", first ? "" : "\n");
}
