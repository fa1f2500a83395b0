#include "experiments/spec/pieces.h"
#include "experiments/sweep/private.h"
#include "routing/plugin.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS_MAX = 256, FIGURES_MAX = 64 };

const char *const fl_quantity_names[] = {[FL_QUANTITY_SUCCESS_RATIO] = "success_ratio",
                                         [FL_QUANTITY_MEAN_PATH_LENGTH] = "mean_path_length",
                                         NULL};

#define OFFSET(member) offsetof(fl_sweep_spec, member)

const fl_option_row fl_sweep_rows[] = {
    {.name = "topology",
     .kind = FL_OPTION_NETWORK,
     .offset = OFFSET(topology),
     .value = "NET",
     .help = "network, e.g. mikant:k=3,n=3 or kary-ntree:k=4,n=3 ('faultline list networks')",
     .was = "network,net"},
    {.name = "routers",
     .kind = FL_OPTION_NAMES,
     .offset = OFFSET(routers),
     .value = "A,B,...",
     .help = "routers to compare on the same configurations, e.g. shortest,gns+gdl; 'limit' and "
             "'minimal-limit' are what no router, and no minimal one, can beat",
     .was = "router"},
    {.name = "faults",
     .kind = FL_OPTION_COUNTS,
     .offset = OFFSET(faults),
     .value = "LIST",
     .help = "numbers of faulty components: 0:135:1 (first:last:step) or 0,10,40"},
    {.name = "fault-rate",
     .kind = FL_OPTION_RATES,
     .offset = OFFSET(fault_rate),
     .value = "LIST",
     .help = "fractions of faulty components, 0 to 1: 0:1:0.05 or 0.01,0.1; with draw=independent: "
             "failure probabilities",
     .preset = "0:1:0.01"},
    {.name = "fault-model",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fault_model),
     .value = "MODEL",
     .help = "what fails: links, links:class=cross-links, switches, bundles:size=2, "
             "neighbours:size=2, list:LINK;LINK or list:@FILE; draw=independent makes each "
             "component fail with the probability given by --fault-rate",
     .preset = "links",
     .was = "fault-class,fault-list",
     .now = "fault-model links:class=CLASS"},
    {.name = "scope",
     .kind = FL_OPTION_WORD,
     .offset = OFFSET(scope),
     .value = "SCOPE",
     .help = "what a switch knows: the links of its detours, or only its own",
     .preset = "detour",
     .words = fl_scope_names},
    {.name = "topology-hash",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(topology_hash),
     .value = "HASH",
     .help = "hash of the file that the network is read from, as results have it: another file is "
             "refused"},
    {0}};

const fl_option_row fl_sample_rows[] = {
    {.name = "trials",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(fl_sample_spec, trials),
     .value = "N",
     .help = "pairs and fault orders to sample; each serves every fault count",
     .preset = "100000",
     .least = 1,
     .most = (double)FL_JSON_U64_MAX},
    {.name = "seed",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(fl_sample_spec, seed),
     .value = "N",
     .help = "seed of all random numbers",
     .preset = "1",
     .most = (double)FL_JSON_U64_MAX},
    {0}};

/* What may stand at the top of a spec, and in each of its sweeps. */
typedef struct top_values {
    fl_sweep_spec sweep;
    fl_sample_spec sample;
} top_values;

static const fl_option_group top_groups[] = {
    FL_OPTION_ROWS("network and routers", fl_sweep_rows, offsetof(top_values, sweep)),
    FL_OPTION_ROWS("sampling", fl_sample_rows, offsetof(top_values, sample)),
    {0}};
static const fl_option_group sweep_groups[] = {
    FL_OPTION_ROWS("network and routers", fl_sweep_rows, 0), {0}};

const fl_option_group *const fl_experiment_keys = top_groups;
const fl_option_group *const fl_sweep_keys = sweep_groups;

static const char *const top_keys[] = {"plugins", "name",    "title", "source",
                                       "sweeps",  "figures", NULL};
static const char *const no_keys[] = {NULL};
static const char *const figure_keys[] = {"name",    "title",     "quantity", "log_y",
                                          "routers", "reference", NULL};

/* ---- sweeps ---- */

static bool given(const fl_options *options, const char *name)
{
    return fl_option_given(options, name);
}

static void forget(fl_options *options, const char *name)
{
    options->given[fl_option_find(options->groups, name, strlen(name), NULL)] = false;
}

/* Another network has another file, or none; fault counts replace fault rates, and the other way
 * round. */
static fl_status lay_over(fl_options *onto, const fl_options *from, fl_error *error)
{
    if (given(from, "topology"))
        forget(onto, "topology-hash");
    if (given(from, "faults") || given(from, "fault-rate")) {
        forget(onto, "faults");
        forget(onto, "fault-rate");
    }
    return fl_options_lay_over(onto, from, error);
}

static fl_status check_axes(const fl_options *options, const char *text, fl_error *error)
{
    return given(options, "faults") && given(options, "fault-rate")
               ? fl_fail(error, FL_ERR_INVALID, "%s", text)
               : FL_OK;
}

static fl_status read_own(fl_options *own, const cJSON *json, fl_error *error)
{
    if (!cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID, "it must be an object");
    fl_status status = fl_options_read_json(own, json, no_keys, error);
    return status ? status : check_axes(own, "give 'faults' or 'fault_rate', not both", error);
}

/* A value that an entry of `sweeps` has for itself would silently win over the option. */
static fl_status check_not_overruled(const fl_options *over, const fl_options *own, fl_error *error)
{
    bool axis = given(over, "faults") || given(over, "fault-rate");
    for (const fl_option_row *row = fl_sweep_rows; row->name; row++) {
        bool of_axis = strcmp(row->name, "faults") == 0 || strcmp(row->name, "fault-rate") == 0;
        if (!given(own, row->name) || !(of_axis ? axis : given(over, row->name)))
            continue;
        const char *option = !of_axis ? row->name : given(over, "faults") ? "faults" : "fault-rate";
        fl_text key = {0};
        fl_option_append_key(row, &key);
        fl_status status =
            fl_fail(error, FL_ERR_INVALID,
                    "--%s cannot be given with this spec: its sweeps have their own '%s'", option,
                    key.data ? key.data : row->name);
        fl_text_clear(&key);
        return status;
    }
    return FL_OK;
}

/* A value at the top that every sweep replaces is a mistake, and would never be checked. */
static fl_status check_used(const fl_options *top, const fl_options *own, unsigned count,
                            fl_error *error)
{
    for (const fl_option_row *row = fl_sweep_rows; row->name; row++) {
        bool axis = strcmp(row->name, "faults") == 0 || strcmp(row->name, "fault-rate") == 0;
        bool used = count == 0;
        for (unsigned i = 0; i < count; i++)
            used |= axis ? !given(&own[i], "faults") && !given(&own[i], "fault-rate")
                         : !given(&own[i], row->name);
        if (!given(top, row->name) || used)
            continue;
        fl_text key = {0};
        fl_option_append_key(row, &key);
        fl_status status =
            fl_fail(error, FL_ERR_INVALID,
                    "'%s' at the top is used by none of the sweeps: all have their own",
                    key.data ? key.data : row->name);
        fl_text_clear(&key);
        return status;
    }
    return FL_OK;
}

/* Sweep i: its own values, over those of the command line, over those at the top. */
static fl_status read_sweep(fl_experiment *experiment, unsigned i, const cJSON *json,
                            const fl_options *top, const fl_options *over, fl_options *own,
                            fl_error *error)
{
    fl_options *options = &experiment->options[i];

    fl_status status = fl_options_begin(options, fl_sweep_keys, &experiment->sweeps[i], error);
    if (!status)
        status = lay_over(options, top, error);
    if (!status && over)
        status = lay_over(options, over, error);
    if (status || !json)
        return status;
    status = read_own(own, json, error);
    if (!status && over && check_not_overruled(over, own, error))
        return FL_ERR_INVALID;
    if (!status)
        status = lay_over(options, own, error);
    return fl_spec_fail_in(error, "sweep", i, status);
}

static fl_status read_each(fl_experiment *experiment, const cJSON *list, const fl_options *top,
                           const fl_options *over, fl_error *error)
{
    fl_status status = FL_OK;
    unsigned count = experiment->sweep_count;
    fl_options *own = calloc(count, sizeof *own);
    fl_sweep_spec *values = calloc(count, sizeof *values);
    if (!own || !values)
        status = fl_spec_out_of_memory(error);
    for (unsigned i = 0; i < count && !status; i++) {
        status = fl_options_begin(&own[i], fl_sweep_keys, &values[i], error);
        if (!status)
            status = read_sweep(experiment, i, list ? cJSON_GetArrayItem(list, (int)i) : NULL, top,
                                over, &own[i], error);
    }
    if (!status && list)
        status = check_used(top, own, count, error);
    for (unsigned i = 0; i < count && own && values; i++)
        fl_options_clear(&own[i]);
    free(own);
    free(values);
    return status;
}

static fl_status read_sweeps(fl_experiment *experiment, const cJSON *json, const fl_options *top,
                             const fl_options *over, fl_error *error)
{
    const cJSON *list;
    fl_status status = fl_spec_list(&list, json, "sweeps", SWEEPS_MAX, "objects", error);
    if (status)
        return status;
    int size = list ? cJSON_GetArraySize(list) : 1;
    experiment->sweeps = calloc((size_t)size, sizeof *experiment->sweeps);
    experiment->options = calloc((size_t)size, sizeof *experiment->options);
    experiment->bound = calloc((size_t)size, sizeof *experiment->bound);
    if (!experiment->sweeps || !experiment->options || !experiment->bound)
        return fl_spec_out_of_memory(error);
    experiment->sweep_count = (unsigned)size;
    return read_each(experiment, list, top, over, error);
}

/* ---- plug-ins ---- */

static bool is_used(const fl_experiment *experiment, const fl_plugin_info *info)
{
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &experiment->bound[i];
        for (unsigned r = 0; r < bound->router_count; r++)
            if (fl_plugin_is_used(info, bound->network, bound->routers[r]))
                return true;
    }
    return false;
}

/* In the order of loading, which is the order in which their rules are tried. */
static void append_plugins(fl_text *out, const fl_experiment *experiment)
{
    const fl_plugin_info *info;
    bool any = false;
    for (unsigned i = 0; (info = fl_plugin_at(i)) != NULL; i++) {
        if (!is_used(experiment, info))
            continue;
        fl_text_append(out, "%s{\"hash\":\"%s\",\"name\":\"%s\",\"version\":",
                       any ? "," : "\"plugins\":[", info->hash, info->plugin->name);
        fl_json_append_string(out, info->plugin->version);
        fl_text_append(out, "}");
        any = true;
    }
    if (any)
        fl_text_append(out, "],");
}

/* ---- figures ---- */

/* The sweeps' routers of this name, as given or canonical: their canonical names, of which there
 * are several where the sweeps' networks give the name several meanings. */
static fl_status append_swept(fl_name_list *routers, const fl_experiment *experiment,
                              const char *name, fl_error *error)
{
    bool any = false;
    fl_status status = FL_OK;
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned r = 0; r < experiment->sweeps[i].routers.count && !status; r++) {
            const char *canonical = experiment->bound[i].routers[r]->canonical;
            if (strcmp(experiment->sweeps[i].routers.of[r], name) != 0 &&
                strcmp(canonical, name) != 0)
                continue;
            any = true;
            if (!fl_names_hold(routers, canonical))
                status = fl_names_add(routers, canonical, error);
        }
    return any ? status
               : fl_fail(error, FL_ERR_INVALID, "the router '%.60s' is in none of the sweeps",
                         name);
}

/* Results name routers canonically, and figures are drawn of results. */
static fl_status name_routers_canonically(const fl_experiment *experiment, fl_figure_spec *figure,
                                          fl_error *error)
{
    fl_name_list routers = {0};
    fl_status status = FL_OK;
    for (unsigned i = 0; i < figure->routers.count && !status; i++)
        status = append_swept(&routers, experiment, figure->routers.of[i], error);
    fl_names_clear(&figure->routers);
    figure->routers = routers;
    return status;
}

/* The router to whose success ratios those of the others are compared: of one meaning in all sweeps
 * that have it. */
static fl_status read_reference(const fl_experiment *experiment, fl_figure_spec *figure,
                                const cJSON *object, fl_error *error)
{
    char *name = NULL;
    fl_name_list meanings = {0};
    fl_status status = fl_spec_copy_text(&name, object, "reference", error);
    if (!status && name && figure->quantity != FL_QUANTITY_SUCCESS_RATIO)
        status = fl_fail(
            error, FL_ERR_INVALID,
            "'reference' goes with \"success_ratio\": other means are not over the same packets");
    if (!status && name && figure->log_y)
        status =
            fl_fail(error, FL_ERR_INVALID,
                    "'reference' and 'log_y' exclude each other: differences can be 0 or less");
    if (!status && name)
        status = append_swept(&meanings, experiment, name, error);
    if (!status && meanings.count > 1)
        status = fl_fail(error, FL_ERR_INVALID,
                         "'reference': '%.60s' means several routers here: %.60s and %.60s", name,
                         meanings.of[0], meanings.of[1]);
    if (!status && meanings.count == 1 && !(figure->reference = strdup(meanings.of[0])))
        status = fl_spec_out_of_memory(error);
    fl_names_clear(&meanings);
    free(name);
    return status;
}

/* A difference needs a sweep with the reference and another router of the figure. */
static fl_status check_reference(const fl_experiment *experiment, const fl_figure_spec *figure,
                                 fl_error *error)
{
    for (unsigned i = 0; figure->reference && i < experiment->sweep_count; i++) {
        bool has_reference = false, has_other = false;
        for (unsigned r = 0; r < experiment->sweeps[i].routers.count; r++) {
            const char *name = experiment->bound[i].routers[r]->canonical;
            bool wanted = figure->routers.count == 0 || fl_names_hold(&figure->routers, name);
            has_reference |= strcmp(figure->reference, name) == 0;
            has_other |= wanted && strcmp(figure->reference, name) != 0;
        }
        if (has_reference && has_other)
            return FL_OK;
    }
    return figure->reference
               ? fl_fail(error, FL_ERR_INVALID,
                         "'reference': no sweep has '%.60s' beside another router of the figure",
                         figure->reference)
               : FL_OK;
}

static fl_status read_figure(fl_experiment *experiment, fl_figure_spec *figure, const cJSON *object,
                             fl_error *error)
{
    unsigned quantity = 0;
    fl_status status = fl_spec_copy_text(&figure->name, object, "name", error);
    if (!status)
        status = fl_spec_copy_text(&figure->title, object, "title", error);
    if (!status)
        status = fl_spec_word(&quantity, object, "quantity", fl_quantity_names, error);
    figure->quantity = (fl_quantity)quantity;
    if (!status)
        status = fl_spec_flag(&figure->log_y, object, "log_y", error);
    if (!status)
        status = fl_spec_names(&figure->routers, object, "routers", FL_SWEEP_ROUTERS_MAX, error);
    if (!status)
        status = read_reference(experiment, figure, object, error);
    if (!status)
        status = name_routers_canonically(experiment, figure, error);
    return status ? status : check_reference(experiment, figure, error);
}

static fl_status read_figures(fl_experiment *experiment, const cJSON *json, fl_error *error)
{
    const cJSON *list;
    fl_status status = fl_spec_figures(&list, json, FIGURES_MAX, figure_keys, error);
    if (status || !list)
        return status;
    experiment->figures = calloc((size_t)cJSON_GetArraySize(list), sizeof *experiment->figures);
    if (!experiment->figures)
        return fl_spec_out_of_memory(error);
    for (const cJSON *item = list->child; item && !status; item = item->next) {
        unsigned i = experiment->figure_count++;
        status = read_figure(experiment, &experiment->figures[i], item, error);
        status = fl_spec_fail_in(error, "figure", i, status);
    }
    return status;
}

/* ---- binding ---- */

static fl_status bind_model(const fl_sweep_spec *spec, fl_bound_sweep *bound, bool rates,
                            fl_error *error)
{
    const fl_axis axis = {.rates = rates,
                          .fault_points = rates ? spec->fault_rate.count : spec->faults.count,
                          .counts = rates ? NULL : spec->faults.of,
                          .rate = rates ? spec->fault_rate.of : NULL};
    return fl_fault_model_create(&bound->model, bound->network, spec->fault_model, &axis, error);
}

static fl_status bind_routers(const fl_sweep_spec *spec, fl_bound_sweep *bound, fl_error *error)
{
    for (unsigned i = 0; i < spec->routers.count; i++) {
        fl_status status = fl_router_create(&bound->routers[i], bound->network, spec->routers.of[i],
                                            spec->scope, error);
        if (status)
            return status;
        bound->router_count++;
        if (bound->routers[i]->type->limit && fl_limit_check(bound->network, error))
            return FL_ERR_INVALID;
        for (unsigned j = 0; j < i; j++)
            if (bound->routers[j]->enabled_rules == bound->routers[i]->enabled_rules &&
                fl_router_is_alike(bound->routers[j], bound->routers[i]))
                return fl_fail(error, FL_ERR_INVALID, "the routers '%s' and '%s' are the same",
                               spec->routers.of[j], spec->routers.of[i]);
    }
    return FL_OK;
}

/* Results name the content of the file that a network is read from, not only its path. */
static fl_status check_content(const fl_sweep_spec *spec, const fl_network *network,
                               fl_error *error)
{
    char hash[FL_CONTENT_HASH];
    if (!spec->topology_hash)
        return FL_OK;
    if (!network->content)
        return fl_fail(error, FL_ERR_INVALID,
                       "'topology_hash' is that of a file, and '%s' is read from none",
                       network->spec);
    fl_content_hash(hash, network->content);
    if (strcmp(hash, spec->topology_hash) == 0)
        return FL_OK;
    return fl_fail(
        error, FL_ERR_INVALID,
        "the file of '%s' is needed as it was then (hash %.40s), and it is another now (%s)",
        network->spec, spec->topology_hash, hash);
}

static fl_status bind_sweep(const fl_options *options, fl_sweep_spec *spec, fl_bound_sweep *bound,
                            fl_error *error)
{
    if (!spec->topology)
        return fl_fail(error, FL_ERR_INVALID, "no topology is given, for example mikant:k=3,n=3");
    if (!spec->routers.count)
        return fl_fail(error, FL_ERR_INVALID, "no routers are given, for example shortest,gns+gdl");
    if (spec->routers.count > FL_SWEEP_ROUTERS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "'routers' must be a list of 1 to %d names",
                       FL_SWEEP_ROUTERS_MAX);
    fl_status status = fl_network_create(&bound->network, spec->topology, error);
    if (!status && given(options, "topology-hash"))
        status = check_content(spec, bound->network, error);
    if (!status && bound->network->nodes < 2)
        status = fl_fail(error, FL_ERR_INVALID, "%s has one node, and a packet needs two",
                         bound->network->spec);
    if (!status)
        status = bind_model(spec, bound, !given(options, "faults"), error);
    return status ? status : bind_routers(spec, bound, error);
}

/* ---- canonical text ---- */

static void append_axis(fl_text *out, const fl_bound_sweep *bound)
{
    bool independent = fl_fault_model_is_independent(bound->model);
    fl_text_append(out, independent ? "\"fault_rate\":[" : "\"faults\":[");
    for (uint32_t fault_point = 0; fault_point < fl_fault_model_fault_points(bound->model);
         fault_point++) {
        uint64_t count;
        if (fl_fault_model_count_at(bound->model, fault_point, &count))
            fl_text_append(out, "%s%llu", fault_point ? "," : "", (unsigned long long)count);
        else
            fl_text_append(out, "%s%.17g", fault_point ? "," : "",
                           fl_fault_model_rate_at(bound->model, fault_point));
    }
    fl_text_append(out, "]");
}

static fl_status write_canonical(fl_experiment *experiment, fl_error *error)
{
    fl_text text = {0};
    fl_text_append(&text, "{");
    append_plugins(&text, experiment);
    fl_text_append(&text, "\"seed\":%llu,\"sweeps\":[", (unsigned long long)experiment->seed);
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &experiment->bound[i];
        fl_text_append(&text, "%s{\"fault_model\":", i ? "," : "");
        fl_json_append_string(&text, fl_fault_model_spec(bound->model));
        fl_text_append(&text, ",");
        append_axis(&text, bound);
        fl_text_append(&text, ",\"routers\":[");
        for (unsigned r = 0; r < bound->router_count; r++) {
            fl_text_append(&text, r ? "," : "");
            fl_json_append_string(&text, bound->routers[r]->canonical);
        }
        fl_text_append(
            &text, "],\"scope\":\"%s\",\"topology\":", fl_scope_names[experiment->sweeps[i].scope]);
        fl_json_append_string(&text, bound->network->spec);
        if (bound->network->content) {
            char hash[FL_CONTENT_HASH];
            fl_content_hash(hash, bound->network->content);
            fl_text_append(&text, ",\"topology_hash\":\"%s\"", hash);
        }
        fl_text_append(&text, "}");
    }
    fl_text_append(&text, "],\"trials\":%llu}", (unsigned long long)experiment->trials);
    if (text.failed) {
        fl_text_clear(&text);
        return fl_spec_out_of_memory(error);
    }
    experiment->canonical = text.data;
    snprintf(experiment->hash, sizeof experiment->hash, "%016llx",
             (unsigned long long)fl_text_hash(text.data, text.length));
    return FL_OK;
}

/* ---- the whole ---- */

static fl_status read_top(fl_experiment *experiment, const cJSON *json, fl_options *top,
                          const fl_options *over, fl_error *error)
{
    const top_values *values = top->values;
    fl_status status = json ? fl_options_read_json(top, json, top_keys, error) : FL_OK;
    if (!status)
        status = check_axes(top, "give 'faults' or 'fault_rate', not both", error);
    if (!status && over)
        status = check_axes(over, "give --faults or --fault-rate, not both", error);
    if (!status)
        status = fl_spec_check_plugins(json, error);
    if (!status)
        status =
            fl_spec_titles(&experiment->name, &experiment->title, &experiment->source, json, error);
    if (!status)
        status = read_sweeps(experiment, json, top, over, error);
    if (!status && over) /* what sweeps share has been laid over each of them */
        status = fl_options_lay_over(top, over, error);
    if (!status) {
        experiment->trials = values->sample.trials;
        experiment->seed = values->sample.seed;
    }
    return status;
}

static fl_status bind_all(fl_experiment *experiment, const cJSON *json, fl_error *error)
{
    fl_status status = FL_OK;
    for (unsigned i = 0; i < experiment->sweep_count && !status; i++) {
        status = bind_sweep(&experiment->options[i], &experiment->sweeps[i], &experiment->bound[i],
                            error);
        if (status && experiment->sweep_count > 1)
            fl_spec_fail_in(error, "sweep", i, status);
    }
    if (!status)
        status = read_figures(experiment, json, error);
    return status ? status : write_canonical(experiment, error);
}

static fl_status read_experiment(fl_experiment *experiment, const cJSON *json,
                                 const fl_options *over, fl_error *error)
{
    fl_options top;
    top_values values;
    if (json && !cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID, "an experiment is a JSON object");
    fl_status status = fl_options_begin(&top, top_groups, &values, error);
    if (!status)
        status = read_top(experiment, json, &top, over, error);
    fl_options_clear(&top);
    return status ? status : bind_all(experiment, json, error);
}

fl_status fl_experiment_bind(fl_experiment **out, const cJSON *json, const fl_options *over,
                             const char *where, fl_error *error)
{
    fl_experiment *experiment = calloc(1, sizeof *experiment);
    fl_status status =
        experiment ? read_experiment(experiment, json, over, error) : fl_spec_out_of_memory(error);
    if (status) {
        fl_experiment_destroy(experiment);
        return where ? fl_fail_in(error, status, where) : status;
    }
    *out = experiment;
    return FL_OK;
}

fl_status fl_experiment_read(fl_experiment **out, const cJSON *json, const char *where,
                             fl_error *error)
{
    return fl_experiment_bind(out, json, NULL, where, error);
}

fl_status fl_experiment_parse(fl_experiment **out, const char *text, size_t length,
                              const char *where, fl_error *error)
{
    cJSON *json = NULL;
    fl_status status = fl_json_parse(&json, text, length, where, error);
    if (status)
        return status;
    status = fl_experiment_read(out, json, where, error);
    cJSON_Delete(json);
    return status;
}

void fl_experiment_destroy(fl_experiment *experiment)
{
    if (!experiment)
        return;
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        fl_bound_sweep *bound = &experiment->bound[i];
        for (unsigned r = 0; r < bound->router_count; r++)
            fl_router_destroy(bound->routers[r]);
        fl_fault_model_destroy(bound->model);
        fl_network_destroy(bound->network);
        fl_options_clear(&experiment->options[i]);
    }
    for (unsigned i = 0; i < experiment->figure_count; i++) {
        free(experiment->figures[i].name);
        free(experiment->figures[i].title);
        free(experiment->figures[i].reference);
        fl_names_clear(&experiment->figures[i].routers);
    }
    free(experiment->sweeps);
    free(experiment->options);
    free(experiment->bound);
    free(experiment->figures);
    free(experiment->name);
    free(experiment->title);
    free(experiment->source);
    free(experiment->canonical);
    free(experiment);
}
