#include "experiments/spec/pieces.h"
#include "experiments/sweep/private.h"
#include "routing/plugin.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS_MAX = 256, FIGURES_MAX = 64 };

const char *const fl_quantity_names[] = {[FL_QUANTITY_SUCCESS_RATIO] = "success_ratio",
                                         [FL_QUANTITY_MEAN_PATH_LENGTH] = "mean_path_length",
                                         NULL};

static const char *const plugin_keys[] = {"name", "version", "hash", NULL};
static const char *const top_keys[] = {"plugins",     "name",    "title",         "source",
                                       "topology",    "routers", "faults",        "fault_rate",
                                       "fault_model", "scope",   "trials",        "seed",
                                       "sweeps",      "figures", "topology_hash", NULL};
static const char *const sweep_keys[] = {"topology",    "routers", "faults",        "fault_rate",
                                         "fault_model", "scope",   "topology_hash", NULL};
static const char *const figure_keys[] = {"name",    "title",     "quantity", "log_y",
                                          "routers", "reference", NULL};

/* ---- pieces of JSON ---- */

static void free_texts(char **texts, unsigned count)
{
    for (unsigned i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

static fl_status get_texts(char ***out, unsigned *count, const cJSON *object, const char *key,
                           fl_error *error)
{
    const cJSON *item = fl_spec_find(object, key);
    if (!item)
        return FL_OK;
    int size = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 0;
    if (size < 1 || size > FL_SWEEP_ROUTERS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "'%s' must be a list of 1 to %d names", key,
                       FL_SWEEP_ROUTERS_MAX);
    char **texts = calloc((size_t)size, sizeof *texts);
    unsigned n = 0;
    fl_status status = texts ? FL_OK : fl_spec_out_of_memory(error);
    for (const cJSON *element = item->child; element && !status; element = element->next) {
        if (!cJSON_IsString(element))
            status = fl_fail(error, FL_ERR_INVALID, "'%s' must hold names only", key);
        else if (!(texts[n++] = strdup(element->valuestring)))
            status = fl_spec_out_of_memory(error);
    }
    if (status) {
        free_texts(texts, n);
        return status;
    }
    free_texts(*out, *count);
    *out = texts;
    *count = n;
    return FL_OK;
}

/* Fault axes may be written as text (`0:135:1`), as one number, or as a list of numbers. */
static fl_status get_axis(char **out, const cJSON *object, const char *key, fl_error *error)
{
    const cJSON *item = fl_spec_find(object, key);
    if (!item || cJSON_IsString(item))
        return fl_spec_copy_text(out, object, key, error);
    fl_text text = {0};
    bool good = cJSON_IsNumber(item) || (cJSON_IsArray(item) && item->child);
    for (const cJSON *number = cJSON_IsArray(item) ? item->child : item; number && good;
         number = number->next) {
        good = cJSON_IsNumber(number);
        if (text.length)
            fl_text_append(&text, ",");
        fl_text_append_double(&text, number->valuedouble);
        if (number == item)
            break;
    }
    if (!good) {
        fl_text_clear(&text);
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' must be a text such as \"0:10:1\", a number, or a list of numbers",
                       key);
    }
    free(*out);
    *out = text.data;
    return text.failed ? fl_spec_out_of_memory(error) : FL_OK;
}

/* ---- one sweep ---- */

static fl_status get_scope(fl_sweep_spec *spec, const cJSON *object, fl_error *error)
{
    const cJSON *item = fl_spec_find(object, "scope");
    if (!item)
        return FL_OK;
    if (!cJSON_IsString(item))
        return fl_fail(error, FL_ERR_INVALID, "'scope' must be \"detour\" or \"local\"");
    return fl_scope_parse(&spec->scope, item->valuestring, error);
}

/* Lays the keys of `object` over what `spec` holds already. */
static fl_status read_sweep(fl_sweep_spec *spec, const cJSON *object, fl_error *error)
{
    if (fl_spec_find(object, "faults") && fl_spec_find(object, "fault_rate"))
        return fl_fail(error, FL_ERR_INVALID, "give 'faults' or 'fault_rate', not both");
    if (fl_spec_find(object, "topology")) { /* another network has another file, or none */
        free(spec->topology_hash);
        spec->topology_hash = NULL;
    }
    fl_status status = fl_spec_copy_text(&spec->topology, object, "topology", error);
    if (!status)
        status = fl_spec_copy_text(&spec->topology_hash, object, "topology_hash", error);
    if (!status)
        status = fl_spec_copy_text(&spec->fault_model, object, "fault_model", error);
    if (!status && (fl_spec_find(object, "faults") || fl_spec_find(object, "fault_rate"))) {
        free(spec->faults);
        free(spec->fault_rate);
        spec->faults = spec->fault_rate = NULL;
        status = get_axis(&spec->faults, object, "faults", error);
        if (!status)
            status = get_axis(&spec->fault_rate, object, "fault_rate", error);
    }
    if (!status)
        status = get_scope(spec, object, error);
    return status ? status
                  : get_texts(&spec->routers, &spec->router_count, object, "routers", error);
}

static void free_sweep(fl_sweep_spec *spec)
{
    free(spec->topology);
    free(spec->topology_hash);
    free(spec->fault_model);
    free(spec->faults);
    free(spec->fault_rate);
    free_texts(spec->routers, spec->router_count);
}

static fl_status read_own(fl_sweep_spec *spec, const cJSON *own, fl_error *error)
{
    if (!cJSON_IsObject(own))
        return fl_fail(error, FL_ERR_INVALID, "it must be an object");
    fl_status status = fl_json_check_keys(own, sweep_keys, error);
    return status ? status : read_sweep(spec, own, error);
}

/* A value at the top that every sweep replaces is a mistake, and would never be checked. */
static fl_status check_defaults(const cJSON *json, fl_error *error)
{
    const cJSON *list = fl_spec_find(json, "sweeps"), *sweep;
    for (int k = 0; list && sweep_keys[k]; k++) {
        bool axis = strncmp(sweep_keys[k], "fault", 5) == 0 &&
                    strcmp(sweep_keys[k], "fault_model") != 0,
             used = false;
        cJSON_ArrayForEach(sweep, list) used |=
            axis ? !fl_spec_find(sweep, "faults") && !fl_spec_find(sweep, "fault_rate")
                 : !fl_spec_find(sweep, sweep_keys[k]);
        if (fl_spec_find(json, sweep_keys[k]) && !used)
            return fl_fail(error, FL_ERR_INVALID,
                           "'%s' at the top is used by none of the sweeps: all have their own",
                           sweep_keys[k]);
    }
    return FL_OK;
}

static fl_status read_sweeps(fl_experiment *experiment, const cJSON *json, fl_error *error)
{
    const cJSON *list = fl_spec_find(json, "sweeps");
    int size = list ? (cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0) : 1;
    if (size < 1 || size > SWEEPS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "'sweeps' must be a list of 1 to %d objects",
                       SWEEPS_MAX);
    experiment->sweeps = calloc((size_t)size, sizeof *experiment->sweeps);
    experiment->bound = calloc((size_t)size, sizeof *experiment->bound);
    if (!experiment->sweeps || !experiment->bound)
        return fl_spec_out_of_memory(error);
    experiment->sweep_count = (unsigned)size;
    fl_status status = FL_OK;
    for (int i = 0; i < size && !status; i++) {
        status = read_sweep(&experiment->sweeps[i], json, error);
        if (list && !status)
            status = fl_spec_fail_in(
                error, "sweep", (unsigned)i,
                read_own(&experiment->sweeps[i], cJSON_GetArrayItem(list, i), error));
    }
    return status;
}

/* ---- plug-ins ---- */

/* A spec names the plug-ins that it needs, but loads none: a file of numbers that runs code of its
 * choice would be a trap. The canonical spec in results names version and file hash as well, so
 * that results of different code are never added up. */
static fl_status check_plugin(const cJSON *object, fl_error *error)
{
    if (!cJSON_IsObject(object))
        return fl_fail(error, FL_ERR_INVALID,
                       "'plugins' must hold objects such as {\"name\": \"my-router\"}");
    fl_status status = fl_json_check_keys(object, plugin_keys, error);
    if (status)
        return status;
    const cJSON *name = fl_spec_find(object, "name"), *version = fl_spec_find(object, "version"),
                *hash = fl_spec_find(object, "hash");
    if (!cJSON_IsString(name) || (version && !cJSON_IsString(version)) ||
        (hash && !cJSON_IsString(hash)))
        return fl_fail(
            error, FL_ERR_INVALID,
            "an entry of 'plugins' must have a 'name', and may have a 'version' and a 'hash', all of them texts");
    const fl_plugin_info *info = fl_plugin_find(name->valuestring);
    if (!info)
        return fl_fail(error, FL_ERR_INVALID,
                       "the plug-in '%.60s'%s%.40s is needed: give its file with --plugin",
                       name->valuestring, version ? " " : "", version ? version->valuestring : "");
    if (version && strcmp(version->valuestring, info->plugin->version) != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "version %.40s of the plug-in '%s' is needed, and '%s' is version %s",
                       version->valuestring, info->plugin->name, info->path, info->plugin->version);
    if (hash && strcmp(hash->valuestring, info->hash) != 0)
        return fl_fail(
            error, FL_ERR_INVALID,
            "the plug-in '%s' is needed as it was then (file hash %.40s), and '%s' is another (%s)",
            info->plugin->name, hash->valuestring, info->path, info->hash);
    return FL_OK;
}

static fl_status check_plugins(const cJSON *json, fl_error *error)
{
    const cJSON *list = fl_spec_find(json, "plugins");
    int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (list && (size < 1 || size > FL_PLUGINS_MAX))
        return fl_fail(error, FL_ERR_INVALID, "'plugins' must be a list of 1 to %d objects",
                       FL_PLUGINS_MAX);
    fl_status status = FL_OK;
    for (int i = 0; i < size && !status; i++)
        status = check_plugin(cJSON_GetArrayItem(list, i), error);
    return status;
}

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

static fl_status read_quantity(fl_figure_spec *figure, const cJSON *object, fl_error *error)
{
    const cJSON *item = fl_spec_find(object, "quantity");
    for (int i = 0; item && cJSON_IsString(item) && fl_quantity_names[i]; i++)
        if (strcmp(fl_quantity_names[i], item->valuestring) == 0) {
            figure->quantity = (fl_quantity)i;
            return FL_OK;
        }
    return fl_fail(error, FL_ERR_INVALID,
                   "'quantity' must be \"success_ratio\" or \"mean_path_length\"");
}

/* The sweeps' routers of this name, as given or canonical: their canonical names, of which there
 * are several where the sweeps' networks give the name several meanings. */
static fl_status append_swept(char ***routers, unsigned *count, const fl_experiment *experiment,
                              const char *name, fl_error *error)
{
    bool any = false;
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned r = 0; r < experiment->sweeps[i].router_count; r++) {
            const char *canonical = experiment->bound[i].routers[r]->canonical;
            if (strcmp(experiment->sweeps[i].routers[r], name) != 0 && strcmp(canonical, name) != 0)
                continue;
            any = true;
            unsigned known = 0;
            while (known < *count && strcmp((*routers)[known], canonical) != 0)
                known++;
            if (known < *count)
                continue;
            char **more = realloc(*routers, (*count + 1) * sizeof *more);
            if (!more)
                return fl_spec_out_of_memory(error);
            *routers = more;
            if (!(more[*count] = strdup(canonical)))
                return fl_spec_out_of_memory(error);
            ++*count;
        }
    return any ? FL_OK
               : fl_fail(error, FL_ERR_INVALID, "the router '%.60s' is in none of the sweeps",
                         name);
}

/* Results name routers canonically, and figures are drawn of results. */
static fl_status name_routers_canonically(const fl_experiment *experiment, fl_figure_spec *figure,
                                          fl_error *error)
{
    char **routers = NULL;
    unsigned count = 0;
    fl_status status = FL_OK;
    for (unsigned i = 0; i < figure->router_count && !status; i++)
        status = append_swept(&routers, &count, experiment, figure->routers[i], error);
    free_texts(figure->routers, figure->router_count);
    figure->routers = routers;
    figure->router_count = count;
    return status;
}

/* The router to whose success ratios those of the others are compared: of one meaning in all sweeps
 * that have it. */
static fl_status read_reference(const fl_experiment *experiment, fl_figure_spec *figure,
                                const cJSON *object, fl_error *error)
{
    char *name = NULL, **meanings = NULL;
    unsigned count = 0;
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
        status = append_swept(&meanings, &count, experiment, name, error);
    if (!status && count > 1)
        status = fl_fail(error, FL_ERR_INVALID,
                         "'reference': '%.60s' means several routers here: %.60s and %.60s", name,
                         meanings[0], meanings[1]);
    if (!status && count == 1 && !(figure->reference = strdup(meanings[0])))
        status = fl_spec_out_of_memory(error);
    free_texts(meanings, count);
    free(name);
    return status;
}

/* A difference needs a sweep with the reference and another router of the figure. */
static fl_status check_reference(const fl_experiment *experiment, const fl_figure_spec *figure,
                                 fl_error *error)
{
    for (unsigned i = 0; figure->reference && i < experiment->sweep_count; i++) {
        bool has_reference = false, has_other = false;
        for (unsigned r = 0; r < experiment->sweeps[i].router_count; r++) {
            const char *name = experiment->bound[i].routers[r]->canonical;
            bool wanted = figure->router_count == 0;
            for (unsigned f = 0; f < figure->router_count; f++)
                wanted |= strcmp(figure->routers[f], name) == 0;
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
    fl_status status = fl_json_check_keys(object, figure_keys, error);
    if (!status)
        status = fl_spec_copy_text(&figure->name, object, "name", error);
    if (!status && (!figure->name || !fl_spec_is_file_name(figure->name)))
        status = fl_fail(error, FL_ERR_INVALID, "'name' must be a plain file name");
    if (!status)
        status = fl_spec_copy_text(&figure->title, object, "title", error);
    if (!status)
        status = read_quantity(figure, object, error);
    if (!status)
        status = fl_spec_flag(&figure->log_y, object, "log_y", error);
    if (!status)
        status = get_texts(&figure->routers, &figure->router_count, object, "routers", error);
    if (!status)
        status = read_reference(experiment, figure, object, error);
    if (!status)
        status = name_routers_canonically(experiment, figure, error);
    return status ? status : check_reference(experiment, figure, error);
}

static fl_status read_figures(fl_experiment *experiment, const cJSON *json, fl_error *error)
{
    const cJSON *list = fl_spec_find(json, "figures");
    if (!list)
        return FL_OK;
    int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (size < 1 || size > FIGURES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "'figures' must be a list of 1 to %d objects",
                       FIGURES_MAX);
    experiment->figures = calloc((size_t)size, sizeof *experiment->figures);
    if (!experiment->figures)
        return fl_spec_out_of_memory(error);
    experiment->figure_count = (unsigned)size;
    fl_status status = FL_OK;
    for (int i = 0; i < size && !status; i++) {
        const cJSON *object = cJSON_GetArrayItem(list, i);
        status = cJSON_IsObject(object)
                     ? read_figure(experiment, &experiment->figures[i], object, error)
                     : fl_fail(error, FL_ERR_INVALID, "it must be an object");
        for (int j = 0; j < i && !status; j++)
            if (strcmp(experiment->figures[i].name, experiment->figures[j].name) == 0)
                status = fl_fail(error, FL_ERR_INVALID, "two figures are named '%s'",
                                 experiment->figures[i].name);
        status = fl_spec_fail_in(error, "figure", (unsigned)i, status);
    }
    return status;
}

/* ---- binding ---- */

static fl_status bind_model(fl_sweep_spec *spec, fl_bound_sweep *bound, fl_error *error)
{
    fl_axis axis = {.rates = spec->faults == NULL};
    uint64_t *counts = NULL;
    double *rates = NULL;
    fl_status status =
        axis.rates ? fl_axis_parse_rates(&rates, &axis.fault_points, spec->fault_rate, error)
                   : fl_axis_parse_counts(&counts, &axis.fault_points, spec->faults, error);
    axis.counts = counts;
    axis.rate = rates;
    if (!status)
        status =
            fl_fault_model_create(&bound->model, bound->network, spec->fault_model, &axis, error);
    free(counts);
    free(rates);
    return status;
}

static fl_status bind_routers(const fl_sweep_spec *spec, fl_bound_sweep *bound, fl_error *error)
{
    for (unsigned i = 0; i < spec->router_count; i++) {
        fl_status status = fl_router_create(&bound->routers[i], bound->network, spec->routers[i],
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
                               spec->routers[j], spec->routers[i]);
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

static fl_status set_default(char **text, const char *value, fl_error *error)
{
    if (*text)
        return FL_OK;
    *text = strdup(value);
    return *text ? FL_OK : fl_spec_out_of_memory(error);
}

static fl_status bind_sweep(fl_sweep_spec *spec, fl_bound_sweep *bound, fl_error *error)
{
    if (!spec->topology)
        return fl_fail(error, FL_ERR_INVALID, "no topology is given, for example mikant:k=3,n=3");
    if (!spec->router_count)
        return fl_fail(error, FL_ERR_INVALID, "no routers are given, for example shortest,gns+gdl");
    fl_status status = set_default(&spec->fault_model, "links", error);
    if (!status && !spec->faults)
        status = set_default(&spec->fault_rate, "0:1:0.01", error);
    if (!status)
        status = fl_network_create(&bound->network, spec->topology, error);
    if (!status)
        status = check_content(spec, bound->network, error);
    if (!status && bound->network->nodes < 2)
        status = fl_fail(error, FL_ERR_INVALID, "%s has one node, and a packet needs two",
                         bound->network->spec);
    if (!status)
        status = bind_model(spec, bound, error);
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

static fl_status read_number(uint64_t *out, const cJSON *json, const char *key, uint64_t otherwise,
                             fl_error *error)
{
    const cJSON *item = fl_spec_find(json, key);
    *out = otherwise;
    char place[32];
    snprintf(place, sizeof place, "'%s'", key);
    return item ? fl_json_u64(out, item, place, error) : FL_OK;
}

static fl_status read_experiment(fl_experiment *experiment, const cJSON *json, fl_error *error)
{
    if (!cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID, "an experiment is a JSON object");
    fl_status status = fl_json_check_keys(json, top_keys, error);
    if (!status)
        status = check_plugins(json, error);
    if (!status)
        status = fl_spec_copy_text(&experiment->name, json, "name", error);
    if (!status && experiment->name && !fl_spec_is_file_name(experiment->name))
        status = fl_fail(
            error, FL_ERR_INVALID,
            "'name' must be a plain file name: at most 100 characters, no slash, no dot in front");
    if (!status)
        status = fl_spec_copy_text(&experiment->title, json, "title", error);
    if (!status)
        status = fl_spec_copy_text(&experiment->source, json, "source", error);
    if (!status)
        status = read_number(&experiment->trials, json, "trials", 100000, error);
    if (!status && experiment->trials == 0)
        status = fl_fail(error, FL_ERR_INVALID, "trials=0: at least one trial is needed");
    if (!status)
        status = read_number(&experiment->seed, json, "seed", 1, error);
    if (!status)
        status = read_sweeps(experiment, json, error);
    if (!status)
        status = check_defaults(json, error);
    for (unsigned i = 0; i < experiment->sweep_count && !status; i++) {
        status = bind_sweep(&experiment->sweeps[i], &experiment->bound[i], error);
        if (status && experiment->sweep_count > 1)
            fl_spec_fail_in(error, "sweep", i, status);
    }
    if (!status)
        status = read_figures(experiment, json, error);
    return status ? status : write_canonical(experiment, error);
}

fl_status fl_experiment_read(fl_experiment **out, const cJSON *json, const char *where,
                             fl_error *error)
{
    fl_experiment *experiment = calloc(1, sizeof *experiment);
    fl_status status =
        experiment ? read_experiment(experiment, json, error) : fl_spec_out_of_memory(error);
    if (status) {
        fl_experiment_destroy(experiment);
        return where ? fl_fail_in(error, status, where) : status;
    }
    *out = experiment;
    return FL_OK;
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
        free_sweep(&experiment->sweeps[i]);
    }
    for (unsigned i = 0; i < experiment->figure_count; i++) {
        free(experiment->figures[i].name);
        free(experiment->figures[i].title);
        free(experiment->figures[i].reference);
        free_texts(experiment->figures[i].routers, experiment->figures[i].router_count);
    }
    free(experiment->sweeps);
    free(experiment->bound);
    free(experiment->figures);
    free(experiment->name);
    free(experiment->title);
    free(experiment->source);
    free(experiment->canonical);
    free(experiment);
}
