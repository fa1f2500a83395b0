/* Expectations about routers that are to stay true. */
#include "experiments/deadlock/private.h"
#include "experiments/spec/options.h"
#include "experiments/spec/pieces.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 10000, FAULTS_MAX = 1000 };
#define ANY_FAULTS UINT32_MAX

typedef struct rule {
    fl_network *network;
    fl_router *router;
    fl_fault_model *model;   /* what can fail */
    fl_fault_model *witness; /* a list of links, or NULL */
    bool has_faults;
    uint64_t faults; /* up to that many, or ANY_FAULTS */
    bool expects;    /* acyclic or not; else only the length is asked about */
    bool acyclic;
    bool has_cyclic_sets;
    uint64_t cyclic_sets;  /* of the sets of exactly `faults` */
    uint64_t length_bound; /* 0: none */
    bool all_candidates;
} rule;

struct fl_deadlock_rules {
    rule *of;
    unsigned count;
};

typedef struct rule_values {
    char *topology, *router;
    fl_scope scope;
    unsigned channels;
    char *assignment, *fault_model;
    unsigned expect; /* place in expectations */
    uint64_t cyclic_sets, length_bound;
    char *comment;
} rule_values;

#define OFFSET(member) offsetof(rule_values, member)

enum { ACYCLIC, CYCLIC };
static const char *const expectations[] = {[ACYCLIC] = "acyclic", [CYCLIC] = "cyclic", NULL};

static const fl_option_row rule_rows[] = {
    {.name = "topology",
     .kind = FL_OPTION_NETWORK,
     .offset = OFFSET(topology),
     .value = "NET",
     .help = "a network, e.g. mikant:k=3,n=3"},
    {.name = "router",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(router),
     .value = "NAME",
     .help = "a router; its VC assignment may stand here (gns@turns:2) or in vc_assignment"},
    {.name = "vcs",
     .kind = FL_OPTION_UNSIGNED,
     .offset = OFFSET(channels),
     .value = "N",
     .help = "virtual channels of every link between switches",
     .preset = "1",
     .least = 1,
     .most = FL_CHANNELS_MAX},
    {.name = "vc-assignment",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(assignment),
     .value = "NAME",
     .help = "which of them a packet takes; needed above 1",
     .was = "vc-rule"},
    {.name = "fault-model",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fault_model),
     .value = "MODEL",
     .help = "what fails; links:class=switch-links: all links but node links",
     .preset = "links",
     .was = "fault-class",
     .now = "fault-model: \"links:class=CLASS\""},
    {.name = "expect",
     .kind = FL_OPTION_WORD,
     .offset = OFFSET(expect),
     .value = "WORD",
     .help = "are there cycles?",
     .words = expectations},
    {.name = "cyclic-sets",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(cyclic_sets),
     .value = "N",
     .help = "N sets of exactly `faults` faults are cyclic",
     .least = 1},
    {.name = "length-bound",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(length_bound),
     .value = "N",
     .help = "no delivered packet travels more links, whatever fails (a proof)",
     .least = 1,
     .most = UINT32_MAX},
    {.name = "comment",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(comment),
     .value = "TEXT",
     .help = "for readers"},
    {0}};

const fl_option_group fl_deadlock_rule_keys[] = {
    FL_OPTION_ROWS("rule", rule_rows, 0), FL_OPTION_ROWS(NULL, fl_scope_rows, OFFSET(scope)), {0}};

static const char *const top_keys[] = {"plugins", "rules", "comment", NULL};
static const char *const own_keys[] = {"faults", "witness", "all_candidates", NULL};
static const char *const witness_keys[] = {"faults", NULL};

/* ---- reading ---- */

static fl_status get_number(uint64_t *out, const cJSON *object, const char *key, uint64_t least,
                            uint64_t most, fl_error *error)
{
    char where[64];
    snprintf(where, sizeof where, "'%s'", key);
    fl_status status = fl_json_u64(out, fl_spec_find(object, key), where, error);
    if (!status && (*out < least || *out > most))
        return fl_fail(error, FL_ERR_INVALID, "'%s' must be %llu to %llu, not %llu", key,
                       (unsigned long long)least, (unsigned long long)most,
                       (unsigned long long)*out);
    return status;
}

static fl_status read_router(rule *r, const fl_options *options, fl_error *error)
{
    const rule_values *v = options->values;
    bool channels = fl_option_given(options, "vcs");
    if (!v->router)
        return fl_fail(error, FL_ERR_INVALID, "'router' is missing");
    fl_status status = fl_router_create(&r->router, r->network, v->router, v->scope, error);
    if (status)
        return status;
    if (!r->router->next)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is a limit, not a router: its packets hold no channels", v->router);
    if (r->router->vc_assignment && (v->assignment || channels))
        return fl_fail(error, FL_ERR_INVALID,
                       "the router '%s' names its VC assignment itself: leave out 'vcs' and "
                       "'vc_assignment'",
                       v->router);
    if (channels && !v->assignment && v->channels != r->router->channels)
        return fl_fail(error, FL_ERR_INVALID, "'vcs' is %u, and 'vc_assignment' is missing",
                       v->channels);
    if (v->assignment && !channels)
        return fl_fail(error, FL_ERR_INVALID, "'vc_assignment' is \"%.40s\", and 'vcs' is missing",
                       v->assignment);
    return v->assignment ? fl_router_set_channels(r->router, v->assignment, v->channels, error)
                         : FL_OK;
}

static fl_status make_model(fl_fault_model **out, const fl_network *network, const char *spec,
                            fl_error *error)
{
    static const uint64_t none;
    const fl_axis axis = {.fault_points = 1, .counts = &none};
    if (strstr(spec, "draw=independent"))
        return fl_fail(
            error, FL_ERR_INVALID,
            "'fault_model' is \"%.60s\": fault sets have a given size; leave out draw=independent",
            spec);
    return fl_fault_model_create(out, network, spec, &axis, error);
}

static fl_status read_faults(rule *r, const cJSON *json, fl_error *error)
{
    const cJSON *item = fl_spec_find(json, "faults");
    uint64_t components = fl_fault_model_components(r->model);
    r->has_faults = item != NULL;
    if (!item)
        return FL_OK;
    if (cJSON_IsString(item) && strcmp(item->valuestring, "any") == 0) {
        r->faults = ANY_FAULTS;
        return FL_OK;
    }
    if (!cJSON_IsNumber(item))
        return fl_fail(
            error, FL_ERR_INVALID,
            "'faults' must be a number of faults (every set of up to that many is tried) or \"any\" (a proof)");
    return get_number(&r->faults, json, "faults", 0,
                      components < ANY_FAULTS ? components : ANY_FAULTS - 1, error);
}

/* The links of a witness, as a fault model that lists them. */
static fl_status read_witness(rule *r, const cJSON *json, fl_error *error)
{
    const cJSON *witness = fl_spec_find(json, "witness"), *faults = fl_spec_find(witness, "faults"),
                *link;
    fl_text text = {0};
    if (!witness)
        return FL_OK;
    if (!cJSON_IsObject(witness))
        return fl_fail(error, FL_ERR_INVALID, "'witness' must be an object with a list 'faults'");
    fl_status status = fl_json_check_keys(witness, witness_keys, error);
    if (status)
        return fl_fail_in(error, status, "'witness'");
    if (!cJSON_IsArray(faults) || !faults->child || cJSON_GetArraySize(faults) > FAULTS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "'witness': 'faults' must be a list of 1 to %d links",
                       FAULTS_MAX);
    cJSON_ArrayForEach(link, faults)
    {
        if (!cJSON_IsString(link) || !link->valuestring[0] || strpbrk(link->valuestring, ";@"))
            status = fl_fail(error, FL_ERR_INVALID,
                             "'witness': every fault must be a link, as \"<0,0,00>-<0,1,00>\"");
        else
            fl_text_append(&text, "%s%s", text.length ? ";" : "list:", link->valuestring);
    }
    if (!status)
        status = text.failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the rules")
                             : make_model(&r->witness, r->network, text.data, error);
    fl_text_clear(&text);
    return status ? fl_fail_in(error, status, "'witness'") : FL_OK;
}

static fl_status read_expectation(rule *r, const fl_options *options, const cJSON *json,
                                  fl_error *error)
{
    const rule_values *v = options->values;
    r->expects = fl_option_given(options, "expect");
    if (!r->expects && !fl_option_given(options, "length-bound"))
        return fl_fail(error, FL_ERR_INVALID, "'expect' is missing");
    r->acyclic = r->expects && v->expect == ACYCLIC;
    r->has_cyclic_sets = fl_option_given(options, "cyclic-sets");
    r->cyclic_sets = v->cyclic_sets;
    r->length_bound = v->length_bound;
    return fl_spec_flag(&r->all_candidates, json, "all_candidates", error);
}

static fl_status check_combination(const rule *r, fl_error *error)
{
    bool any = r->has_faults && r->faults == ANY_FAULTS;
    if (!r->expects && (r->has_faults || r->witness || r->has_cyclic_sets))
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' needs 'expect' (a 'length_bound' alone is proven for all faults)",
                       r->witness      ? "witness"
                       : r->has_faults ? "faults"
                                       : "cyclic_sets");
    if (!r->has_faults && !r->witness && r->expects)
        return fl_fail(error, FL_ERR_INVALID, "'faults' is missing");
    if (r->acyclic && (r->witness || r->has_cyclic_sets))
        return fl_fail(error, FL_ERR_INVALID, "'%s' needs \"expect\": \"cyclic\"",
                       r->witness ? "witness" : "cyclic_sets");
    if (r->witness && r->has_faults && fl_fault_model_components(r->witness) > r->faults)
        return fl_fail(error, FL_ERR_INVALID, "'witness' has %llu faults, more than 'faults': %llu",
                       (unsigned long long)fl_fault_model_components(r->witness),
                       (unsigned long long)r->faults);
    if (r->has_cyclic_sets && (!r->has_faults || any))
        return fl_fail(
            error, FL_ERR_INVALID,
            "'cyclic_sets' counts the cyclic sets of exactly 'faults' faults, which must be a number then");
    return FL_OK;
}

static fl_status read_values(rule *r, const fl_options *options, const cJSON *json, fl_error *error)
{
    const rule_values *v = options->values;
    if (!v->topology)
        return fl_fail(error, FL_ERR_INVALID, "'topology' is missing");
    fl_status status = fl_network_create(&r->network, v->topology, error);
    if (!status)
        status = read_router(r, options, error);
    if (!status)
        status = make_model(&r->model, r->network, v->fault_model, error);
    if (!status)
        status = read_faults(r, json, error);
    if (!status)
        status = read_expectation(r, options, json, error);
    if (!status)
        status = read_witness(r, json, error);
    return status ? status : check_combination(r, error);
}

static fl_status read_rule(rule *r, const cJSON *json, fl_error *error)
{
    fl_options options;
    rule_values values;
    if (!cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID, "a rule is a JSON object");
    if (fl_spec_find(json, "all_ways"))
        return fl_fail(error, FL_ERR_INVALID,
                       "unknown key 'all_ways': it is 'all_candidates' here");
    fl_status status = fl_options_begin(&options, fl_deadlock_rule_keys, &values, error);
    if (!status)
        status = fl_options_read_json(&options, json, own_keys, error);
    if (!status)
        status = read_values(r, &options, json, error);
    fl_options_clear(&options);
    return status;
}

static fl_status read_rules(fl_deadlock_rules *rules, const cJSON *json, fl_error *error)
{
    const cJSON *list = NULL;
    const char *comment;
    if (!cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID,
                       "a file of rules is a JSON object with a list 'rules'");
    fl_status status = fl_json_check_keys(json, top_keys, error);
    if (!status)
        status = fl_spec_text(&comment, json, "comment", error);
    if (!status)
        status = fl_spec_check_plugins(json, error);
    if (!status)
        status = fl_spec_list(&list, json, "rules", RULES_MAX, "rules", error);
    if (!status && !list)
        status = fl_fail(error, FL_ERR_INVALID, "'rules' is missing");
    if (status)
        return status;
    rules->of = calloc((size_t)cJSON_GetArraySize(list), sizeof *rules->of);
    if (!rules->of)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the rules");
    for (const cJSON *item = list->child; item && !status; item = item->next) {
        unsigned i = rules->count++;
        status = fl_spec_fail_in(error, "rule", i, read_rule(&rules->of[i], item, error));
    }
    return status;
}

fl_status fl_deadlock_rules_parse(fl_deadlock_rules **out, const char *text, size_t length,
                                  const char *where, fl_error *error)
{
    cJSON *json;
    fl_status status = fl_json_parse(&json, text, length, where, error);
    if (status)
        return status;
    fl_deadlock_rules *rules = calloc(1, sizeof *rules);
    status = rules ? read_rules(rules, json, error)
                   : fl_fail(error, FL_ERR_MEMORY, "out of memory for the rules");
    cJSON_Delete(json);
    if (status) {
        fl_deadlock_rules_destroy(rules);
        return fl_fail_in(error, status, where);
    }
    *out = rules;
    return FL_OK;
}

void fl_deadlock_rules_destroy(fl_deadlock_rules *rules)
{
    if (!rules)
        return;
    for (unsigned i = 0; i < rules->count; i++) {
        fl_fault_model_destroy(rules->of[i].witness);
        fl_fault_model_destroy(rules->of[i].model);
        fl_router_destroy(rules->of[i].router);
        fl_network_destroy(rules->of[i].network);
    }
    free(rules->of);
    free(rules);
}

unsigned fl_deadlock_rules_count(const fl_deadlock_rules *rules)
{
    return rules->count;
}

/* ---- what a rule says ---- */

static void append_number_of_faults(uint64_t faults, fl_text *out)
{
    fl_text_append(out, "%llu fault%s", (unsigned long long)faults, faults == 1 ? "" : "s");
}

void fl_deadlock_rules_describe(const fl_deadlock_rules *rules, unsigned index, fl_text *out)
{
    const rule *r = &rules->of[index];
    char name[96];
    fl_deadlock_name(r->router, name, sizeof name);
    fl_text_append(out, "%s, %s, ", r->network->spec, name);
    if (r->router->scope != FL_SCOPE_DETOUR)
        fl_text_append(out, "scope %s, ", fl_scope_names[r->router->scope]);
    fl_deadlock_append_channels(r->router, out);
    fl_text_append(out, ", %s%s: %s", fl_fault_model_spec(r->model),
                   r->all_candidates ? ", every candidate" : "",
                   !r->expects  ? "under any faults"
                   : r->acyclic ? "acyclic under "
                                : "cyclic under ");
    if (r->has_cyclic_sets)
        fl_text_append(out, "%llu sets of exactly ", (unsigned long long)r->cyclic_sets);
    else if (r->has_faults && r->faults != ANY_FAULTS && r->faults > 0)
        fl_text_append(out, "%sup to ", r->acyclic ? "" : "some set of ");
    if (r->has_faults && r->faults == ANY_FAULTS)
        fl_text_append(out, "%s", r->acyclic ? "any faults" : "some faults");
    else if (r->has_faults && r->faults == 0)
        fl_text_append(out, "no faults");
    else if (r->has_faults)
        append_number_of_faults(r->faults, out);
    if (r->witness)
        fl_text_append(out, "%s%llu given one%s", r->has_faults ? ", and under " : "",
                       (unsigned long long)fl_fault_model_components(r->witness),
                       fl_fault_model_components(r->witness) == 1 ? "" : "s");
    if (r->length_bound)
        fl_text_append(out, ", at most %llu links", (unsigned long long)r->length_bound);
}

/* ---- does it hold? ---- */

typedef struct check {
    const rule *rule;
    const fl_deadlock_study *options;
    bool holds;
    fl_text *out;
    fl_error *error;
} check;

static void append_witness(check *c, const fl_deadlock_witness *witness)
{
    fl_text_append(c->out, "a cycle of %u channels under ", witness->length);
    fl_deadlock_append_faults(c->rule->network, witness, c->out);
    fl_text_append(c->out, "\n");
    fl_deadlock_append_cycle(c->rule->network, witness->cycle, witness->length, "    ", c->out);
    c->out->data[--c->out->length] = 0;
}

static fl_status study(fl_deadlock_findings **out, check *c, const fl_fault_model *model,
                       uint64_t faults, bool prove)
{
    fl_router *routers[] = {c->rule->router};
    bool every_set = prove && c->rule->has_faults && c->rule->faults == ANY_FAULTS;
    fl_deadlock_study one = {.network = c->rule->network,
                             .model = model,
                             .routers = routers,
                             .router_count = 1,
                             .faults = &faults,
                             .fault_points = every_set ? 0 : 1,
                             .candidates =
                                 c->rule->all_candidates ? FL_DEADLOCK_ALL : FL_DEADLOCK_FIRST,
                             .prove = prove,
                             .stop = c->options->stop,
                             .progress = c->options->progress,
                             .announce = c->options->announce,
                             .user = c->options->user};
    fl_status status = fl_deadlock_study_run(out, &one, c->error);
    if (status || !(*out)->partial)
        return status;
    fl_deadlock_findings_destroy(*out);
    return fl_fail(c->error, FL_ERR_STOPPED, "stopped");
}

static void broken(check *c, const char *expected)
{
    c->holds = false;
    c->out->length = 0; /* what was found before and is as expected */
    fl_text_append(c->out, "expected: %s\n  found:    ", expected);
}

static fl_status check_witness(check *c)
{
    fl_deadlock_findings *findings;
    fl_status status =
        study(&findings, c, c->rule->witness, fl_fault_model_components(c->rule->witness), false);
    if (status)
        return status;
    if (findings->of[0].checks[0].cyclic == 0) {
        broken(c, "a cycle under the given faults");
        fl_text_append(c->out, "none under %s", fl_fault_model_spec(c->rule->witness));
    } else {
        fl_text_append(c->out, "a cycle of %u channels under the given faults",
                       findings->of[0].checks[0].witness->length);
    }
    fl_deadlock_findings_destroy(findings);
    return FL_OK;
}

/* Every set of up to N faults: fewest first, and no further than needed. */
static fl_status check_sets(check *c)
{
    const rule *r = c->rule;
    uint64_t sets = 0, cyclic = 0;
    for (uint64_t faults = r->has_cyclic_sets ? r->faults : 0; faults <= r->faults; faults++) {
        fl_deadlock_findings *findings;
        fl_status status = study(&findings, c, r->model, faults, false);
        if (status)
            return status;
        const fl_deadlock_result *result = &findings->of[0].checks[0];
        sets += result->fault_sets;
        cyclic = result->cyclic;
        if (r->acyclic && cyclic > 0) {
            broken(c, "acyclic");
            fl_text_append(c->out, "%llu of %llu sets of ", (unsigned long long)cyclic,
                           (unsigned long long)result->fault_sets);
            append_number_of_faults(faults, c->out);
            fl_text_append(c->out, " are cyclic; ");
            append_witness(c, result->witness);
        } else if (!r->acyclic && cyclic > 0 && !r->has_cyclic_sets) {
            fl_text_append(c->out, "%llu of %llu sets of ", (unsigned long long)cyclic,
                           (unsigned long long)result->fault_sets);
            append_number_of_faults(faults, c->out);
        }
        fl_deadlock_findings_destroy(findings);
        if (cyclic > 0)
            break;
    }
    if (r->has_cyclic_sets && cyclic != r->cyclic_sets) {
        char expected[80];
        snprintf(expected, sizeof expected, "%llu cyclic sets", (unsigned long long)r->cyclic_sets);
        broken(c, expected);
        fl_text_append(c->out, "%llu of %llu", (unsigned long long)cyclic,
                       (unsigned long long)sets);
    } else if (!r->acyclic && cyclic == 0) {
        broken(c, "a cycle under some set");
        fl_text_append(c->out, "none under any of %llu", (unsigned long long)sets);
    } else if (r->acyclic && cyclic == 0) {
        fl_text_append(c->out, "%llu sets", (unsigned long long)sets);
    } else if (r->has_cyclic_sets) {
        fl_text_append(c->out, "%llu of %llu sets", (unsigned long long)cyclic,
                       (unsigned long long)sets);
    }
    return FL_OK;
}

static void judge_deadlock(check *c, const fl_deadlock_finding *finding)
{
    const rule *r = c->rule;
    const fl_proof *proof = &finding->proof;
    const fl_deadlock_witness *witness = proof->witness;
    for (uint32_t i = 0; i < finding->check_count && !witness; i++)
        witness = finding->checks[i].witness;
    if (r->acyclic && !proof->deadlock_free) {
        broken(c, "deadlock-free for every fault set");
        if (witness)
            append_witness(c, witness);
        else
            fl_text_append(
                c->out,
                "NOT PROVEN, and no cycle found either: the one of %u channels over all faults together need not "
                "be real. A number as 'faults' tries sets of that size",
                proof->cycle_length);
    } else if (!r->acyclic && !witness) {
        broken(c, "a cycle under some faults");
        fl_text_append(c->out, "%s",
                       proof->deadlock_free
                           ? "deadlock-free for every fault set"
                           : "no fault set that has one; name one as 'witness', or a number of "
                             "'faults' to try");
    } else if (r->acyclic) {
        fl_text_append(c->out, "proven");
    } else {
        fl_text_append(c->out, "a cycle under %u fault%s", witness->faults,
                       witness->faults == 1 ? "" : "s");
    }
}

static void append_walk(check *c, const char *what, fl_address source, fl_address destination)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX];
    const fl_network *network = c->rule->network;
    network->type->label(network, source, a, sizeof a);
    network->type->label(network, destination, b, sizeof b);
    fl_text_append(c->out, "%s from %s to %s", what, a, b);
}

/* "under 2 faults: A-B; C-D". */
static void append_down(check *c, const fl_link *down, size_t count, bool real)
{
    fl_text_append(c->out, " under ");
    append_number_of_faults(count, c->out);
    for (size_t i = 0; i < count; i++) {
        fl_text_append(c->out, "%s", i ? "; " : ": ");
        fl_deadlock_append_link(c->rule->network, down[i], c->out);
    }
    if (!real)
        fl_text_append(c->out,
                       " (as far as the proof sees: no single fault set was shown to do it)");
}

static void judge_length(check *c, const fl_proof *proof)
{
    char expected[80];
    snprintf(expected, sizeof expected, "paths of at most %llu links",
             (unsigned long long)c->rule->length_bound);
    fl_text_append(c->out, "%s", c->out->length ? "; " : "");
    if (!proof->livelock_free) {
        broken(c, expected);
        append_walk(c, "a packet", proof->loop_source, proof->loop_destination);
        append_down(c, proof->loop_down, proof->loop_down_count, proof->loop_is_real);
        fl_text_append(c->out,
                       " comes back to where it was (faultline deadlock --prove shows how)");
    } else if (proof->length_bound > c->rule->length_bound) {
        broken(c, expected);
        fl_text_append(c->out, "up to %llu: ", (unsigned long long)proof->length_bound);
        append_walk(c, "the packet", proof->longest_source, proof->longest_destination);
        append_down(c, proof->longest_down, proof->longest_down_count, proof->longest_is_real);
    } else {
        fl_text_append(c->out, "at most %llu links", (unsigned long long)proof->length_bound);
    }
}

static fl_status check_proof(check *c)
{
    fl_deadlock_findings *findings;
    fl_status status = study(&findings, c, c->rule->model, 0, true);
    if (status)
        return status;
    if (c->rule->has_faults && c->rule->faults == ANY_FAULTS && !c->rule->witness)
        judge_deadlock(c, &findings->of[0]);
    if (c->holds && c->rule->length_bound)
        judge_length(c, &findings->of[0].proof);
    fl_deadlock_findings_destroy(findings);
    return FL_OK;
}

fl_status fl_deadlock_rules_check(const fl_deadlock_rules *rules, unsigned index,
                                  const fl_deadlock_study *options, bool *holds, fl_text *out,
                                  fl_error *error)
{
    const rule *r = &rules->of[index];
    fl_text found = {0};
    check c = {.rule = r, .options = options, .holds = true, .out = &found, .error = error};
    bool any = r->has_faults && r->faults == ANY_FAULTS;
    fl_status status = FL_OK;
    /* A witness of no more faults than 'faults' shows all that is expected, but for their number.
     */
    if (r->witness)
        status = check_witness(&c);
    if (!status && c.holds && r->has_faults && !any && (!r->witness || r->has_cyclic_sets)) {
        fl_text_append(&found, "%s", found.length ? "; " : "");
        status = check_sets(&c);
    }
    if (!status && c.holds && (r->length_bound || (any && !r->witness))) {
        status = check_proof(&c);
    }
    if (!status && (found.failed || !found.data))
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for the rules");
    if (!status)
        fl_text_append_bytes(out, found.data, found.length);
    fl_text_clear(&found);
    *holds = c.holds;
    return status;
}
