/* Specs of the times of workloads on several networks. */
#include "experiments/load/makespan_private.h"
#include "experiments/spec/pieces.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 1000 };

const char *const fl_makespan_quantity_names[] = {
    "performance",         "cost_constant",     "cost_linear",          "cost_quadratic",
    "efficiency_constant", "efficiency_linear", "efficiency_quadratic", NULL};

#define OFFSET(member) offsetof(fl_makespan_values, member)

static const fl_option_row rows[] = {
    {.name = "preset",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(preset),
     .value = "NAME",
     .help = "a published set-up, as for simulate",
     .preset = "mikant2018"},
    {.name = "router",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(router),
     .value = "NAME",
     .help = "router of all networks that do not have their own"},
    {.name = "placement",
     .kind = FL_OPTION_WORD,
     .offset = OFFSET(placement),
     .value = "KIND",
     .help = "processes on nodes, as for simulate",
     .words = fl_sim_placement_names},
    {.name = "cycles",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(cycles),
     .value = "N",
     .help = "a run ends after N cycles at the latest",
     .preset = "2000000000",
     .least = 1,
     .most = (double)FL_SIM_CYCLES_MAX},
    {.name = "seed",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(seed),
     .value = "N",
     .help = "seed of the first run; the next one has the next seed",
     .preset = "1",
     .most = (double)FL_JSON_U64_MAX},
    {.name = "runs",
     .kind = FL_OPTION_UNSIGNED,
     .offset = OFFSET(runs),
     .value = "N",
     .help = "times are means over N runs",
     .preset = "1",
     .least = 1,
     .most = RUNS_MAX},
    {0}};

const fl_option_group fl_makespan_keys[] = {FL_OPTION_ROWS("runs", rows, 0), {0}};

static const char *const top_keys[] = {"plugins",  "name",      "title",     "source",
                                       "networks", "workloads", "published", NULL};
static const char *const network_keys[] = {"topology", "router", "label", NULL};

static fl_status need_text(char **out, const cJSON *object, const char *key, const char *instead,
                           fl_error *error)
{
    const char *text;
    fl_status status = fl_spec_text(&text, object, key, error);
    if (status)
        return status;
    if (!text && !instead)
        return fl_fail(error, FL_ERR_INVALID, "'%s' is missing", key);
    *out = strdup(text ? text : instead);
    return *out ? FL_OK : fl_spec_out_of_memory(error);
}

static fl_status need_list(const cJSON **out, const cJSON *json, const char *key, int most,
                           fl_error *error)
{
    *out = fl_spec_find(json, key);
    int size = cJSON_IsArray(*out) ? cJSON_GetArraySize(*out) : 0;
    if (size < 1 || size > most)
        return fl_fail(error, FL_ERR_INVALID, "'%s' must be a list of 1 to %d", key, most);
    return FL_OK;
}

/* ---- networks ---- */

static fl_status read_network(fl_makespan_network *n, const cJSON *item, const char *router,
                              fl_error *error)
{
    const char *topology = cJSON_IsString(item) ? item->valuestring : NULL, *own = NULL;
    fl_status status = FL_OK;
    if (!topology) {
        if (!cJSON_IsObject(item))
            return fl_fail(error, FL_ERR_INVALID,
                           "it must be a network, or an object with a 'topology'");
        if ((status = fl_json_check_keys(item, network_keys, error)) ||
            (status = fl_spec_text(&topology, item, "topology", error)) ||
            (status = fl_spec_text(&own, item, "router", error)))
            return status;
        if (!topology)
            return fl_fail(error, FL_ERR_INVALID, "'topology' is missing");
    }
    if (!own && !router)
        return fl_fail(error, FL_ERR_INVALID, "it has no 'router', and there is none at the top");
    status = fl_network_create(&n->network, topology, error);
    if (!status)
        status =
            fl_router_create(&n->router, n->network, own ? own : router, FL_SCOPE_DETOUR, error);
    if (status)
        return status;
    if (!cJSON_IsObject(item)) {
        n->label = strdup(topology);
        return n->label ? FL_OK : fl_spec_out_of_memory(error);
    }
    status = need_text(&n->label, item, "label", topology, error);
    return status ? status : fl_text_check_label(n->label, "the label", error);
}

static fl_status read_networks(fl_makespan_spec *spec, const cJSON *json, const char *router,
                               fl_error *error)
{
    const cJSON *list, *item;
    fl_status status = need_list(&list, json, "networks", FL_MAKESPAN_NETWORKS_MAX, error);
    if (status)
        return status;
    cJSON_ArrayForEach(item, list)
    {
        char place[32];
        snprintf(place, sizeof place, "network %u", spec->network_count + 1);
        if ((status = read_network(&spec->networks[spec->network_count++], item, router, error)))
            return fl_fail_in(error, status, place);
    }
    return FL_OK;
}

/* ---- workloads ---- */

static bool is_wanted(const char *only, const char *name)
{
    size_t length = strlen(name);
    if (!only)
        return true;
    for (const char *at = only; *at;) {
        size_t part = strcspn(at, ";");
        if (part == length && strncmp(at, name, part) == 0)
            return true;
        at += part + (at[part] == ';');
    }
    return false;
}

static fl_status fail_unknown(const cJSON *list, const char *name, int length, fl_error *error)
{
    fl_text names = {0};
    const cJSON *item;
    cJSON_ArrayForEach(item, list) if (cJSON_IsString(item))
        fl_text_append(&names, "%s%s", names.length ? "; " : "", item->valuestring);
    fl_status status =
        fl_fail(error, FL_ERR_INVALID, "the file has no workload '%.*s'; it has %.300s",
                length > 60 ? 60 : length, name, names.data ? names.data : "none");
    fl_text_clear(&names);
    return status;
}

static fl_status check_only(const cJSON *list, const char *only, fl_error *error)
{
    for (const char *at = only; at && *at;) {
        size_t part = strcspn(at, ";");
        bool known = false;
        const cJSON *item;
        cJSON_ArrayForEach(item, list) known |= cJSON_IsString(item) &&
                                                strlen(item->valuestring) == part &&
                                                strncmp(item->valuestring, at, part) == 0;
        if (!known)
            return fail_unknown(list, at, (int)part, error);
        at += part + (at[part] == ';');
    }
    return FL_OK;
}

static fl_status read_workloads(fl_makespan_spec *spec, const cJSON *json, const char *only,
                                fl_error *error)
{
    const cJSON *list, *item;
    uint64_t nodes = spec->networks[0].network->nodes;
    fl_status status = need_list(&list, json, "workloads", FL_MAKESPAN_WORKLOADS_MAX, error);
    for (unsigned i = 1; i < spec->network_count && !status; i++)
        if (spec->networks[i].network->nodes < nodes)
            nodes = spec->networks[i].network->nodes;
    if (!status)
        status = check_only(list, only, error);
    if (status)
        return status;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item))
            return fl_fail(error, FL_ERR_INVALID, "'workloads' must be a list of texts");
        if (!is_wanted(only, item->valuestring))
            continue;
        fl_makespan_workload *w = &spec->workloads[spec->workload_count++];
        w->label = strdup(item->valuestring);
        status = w->label ? fl_sim_workload_create(&w->workload, nodes, w->label, error)
                          : fl_spec_out_of_memory(error);
        if (status)
            return status;
    }
    if (spec->workload_count == 0)
        return fl_fail(error, FL_ERR_INVALID, "no workload is left to run");
    return FL_OK;
}

static fl_status make_plans(fl_makespan_spec *spec, fl_error *error)
{
    fl_status status = FL_OK;
    for (unsigned i = 0; i < spec->network_count && !status; i++)
        for (unsigned j = 0; j < spec->workload_count && !status; j++) {
            const fl_sim_set_up set_up = {.router = spec->networks[i].router,
                                          .model = &spec->model,
                                          .workload = spec->workloads[j].workload};
            status = fl_sim_plan_create(&spec->plans[i][j], &set_up, error);
        }
    return status;
}

/* ---- the rest ---- */

static fl_status make_model(fl_makespan_spec *spec, const fl_options *options,
                            const fl_makespan_values *values, fl_error *error)
{
    fl_status status = fl_sim_preset_find(&spec->preset, values->preset, error);
    if (status)
        return status;
    spec->model = spec->preset->model;
    spec->model.cycles = values->cycles;
    if (fl_option_given(options, "placement"))
        spec->model.placement = values->placement;
    spec->seed = values->seed;
    spec->runs = values->runs;
    return FL_OK;
}

static fl_status read_published_row(fl_makespan_spec *spec, unsigned quantity, const cJSON *list,
                                    fl_error *error)
{
    int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (size != (int)spec->network_count)
        return fl_fail(error, FL_ERR_INVALID,
                       "published '%s' must be a list of %u numbers, one a network",
                       fl_makespan_quantity_names[quantity], spec->network_count);
    for (int i = 0; i < size; i++) {
        const cJSON *number = cJSON_GetArrayItem(list, i);
        if (!cJSON_IsNumber(number))
            return fl_fail(error, FL_ERR_INVALID, "published '%s' must hold numbers only",
                           fl_makespan_quantity_names[quantity]);
        spec->published[quantity][i] = number->valuedouble;
    }
    return FL_OK;
}

static fl_status read_published(fl_makespan_spec *spec, const cJSON *json, fl_error *error)
{
    const cJSON *published = fl_spec_find(json, "published");
    for (unsigned q = 0; q < FL_MAKESPAN_QUANTITIES; q++)
        for (unsigned i = 0; i < FL_MAKESPAN_NETWORKS_MAX; i++)
            spec->published[q][i] = (double)NAN;
    if (!published)
        return FL_OK;
    if (!cJSON_IsObject(published))
        return fl_fail(error, FL_ERR_INVALID, "'published' must be an object");
    fl_status status = fl_json_check_keys(published, fl_makespan_quantity_names, error);
    for (unsigned q = 0; q < FL_MAKESPAN_QUANTITIES && !status; q++)
        if (fl_spec_find(published, fl_makespan_quantity_names[q]))
            status = read_published_row(
                spec, q, fl_spec_find(published, fl_makespan_quantity_names[q]), error);
    return status;
}

/* What was published of all workloads is not to be compared with some of them; costs are those of
 * networks alone. */
static void forget_times(fl_makespan_spec *spec)
{
    for (unsigned q = 0; q < FL_MAKESPAN_QUANTITIES; q++) {
        bool cost = q == FL_MAKESPAN_COST_CONSTANT || q == FL_MAKESPAN_COST_LINEAR ||
                    q == FL_MAKESPAN_COST_QUADRATIC;
        for (unsigned i = 0; i < FL_MAKESPAN_NETWORKS_MAX && !cost; i++)
            spec->published[q][i] = (double)NAN;
    }
}

static fl_status read_texts(fl_makespan_spec *spec, const cJSON *json, fl_error *error)
{
    fl_status status = fl_spec_check_plugins(json, error);
    if (!status)
        status = need_text(&spec->name, json, "name", NULL, error);
    if (!status)
        status = need_text(&spec->title, json, "title", spec->name, error);
    return status ? status : need_text(&spec->source, json, "source", "this project", error);
}

static fl_status read_with(fl_makespan_spec *spec, const cJSON *json, const fl_options *options,
                           const char *only, fl_error *error)
{
    const fl_makespan_values *values = options->values;
    fl_status status = read_texts(spec, json, error);
    if (!status && values->seed > FL_JSON_U64_MAX - (values->runs - 1))
        status = fl_fail(
            error, FL_ERR_INVALID,
            "'seed' %llu: the %u runs have this seed and those that follow, up to %llu",
            (unsigned long long)values->seed, values->runs, (unsigned long long)FL_JSON_U64_MAX);
    if (!status)
        status = make_model(spec, options, values, error);
    if (!status)
        status = read_networks(spec, json, values->router, error);
    if (!status)
        status = read_published(spec, json, error);
    if (!status)
        status = read_workloads(spec, json, only, error);
    if (status)
        return status;
    if (spec->workload_count < (unsigned)cJSON_GetArraySize(fl_spec_find(json, "workloads")))
        forget_times(spec);
    return make_plans(spec, error);
}

static fl_status read_all(fl_makespan_spec *spec, const cJSON *json, const char *only,
                          fl_error *error)
{
    fl_options options;
    fl_makespan_values values;
    if (!cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID, "it must be a JSON object");
    fl_status status = fl_options_begin(&options, fl_makespan_keys, &values, error);
    if (!status)
        status = fl_options_read_json(&options, json, top_keys, error);
    if (!status)
        status = read_with(spec, json, &options, only, error);
    fl_options_clear(&options);
    return status;
}

fl_status fl_makespan_parse(fl_makespan_spec **out, const char *text, size_t length,
                            const char *where, const char *only, fl_error *error)
{
    cJSON *json;
    fl_status status = fl_json_parse(&json, text, length, where, error);
    if (status)
        return status;
    fl_makespan_spec *spec = calloc(1, sizeof *spec);
    status = spec ? read_all(spec, json, only, error) : fl_spec_out_of_memory(error);
    cJSON_Delete(json);
    if (status) {
        fl_makespan_spec_destroy(spec);
        return fl_fail_in(error, status, where);
    }
    *out = spec;
    return FL_OK;
}

void fl_makespan_describe(const fl_makespan_spec *spec, fl_text *out)
{
    fl_text_append(out, "seed %llu, %u runs\n", (unsigned long long)spec->seed, spec->runs);
    for (unsigned i = 0; i < spec->network_count; i++)
        for (unsigned j = 0; j < spec->workload_count; j++) {
            fl_text_append(out, "%s on %s\n", spec->workloads[j].label, spec->networks[i].label);
            fl_sim_plan_describe(spec->plans[i][j], out);
        }
}

void fl_makespan_spec_destroy(fl_makespan_spec *spec)
{
    if (!spec)
        return;
    for (unsigned i = 0; i < spec->network_count; i++)
        for (unsigned j = 0; j < spec->workload_count; j++)
            fl_sim_plan_destroy(spec->plans[i][j]);
    for (unsigned i = 0; i < spec->network_count; i++) {
        fl_router_destroy(spec->networks[i].router);
        fl_network_destroy(spec->networks[i].network);
        free(spec->networks[i].label);
    }
    for (unsigned j = 0; j < spec->workload_count; j++) {
        fl_sim_workload_destroy(spec->workloads[j].workload);
        free(spec->workloads[j].label);
    }
    free(spec->name);
    free(spec->title);
    free(spec->source);
    free(spec);
}
