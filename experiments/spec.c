#include "experiments/sweep.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS_MAX = 256, FIGURES_MAX = 64 };

const char *const fl_quantity_names[] = {
    [FL_QUANTITY_SUCCESS_RATIO] = "success_ratio", [FL_QUANTITY_MEAN_PATH_LENGTH] = "mean_path_length", NULL};

static const char *const top_keys[] = {"name",   "title",       "source", "topology", "routers", "faults",  "fault_rate",
                                       "fault_model", "scope", "trials", "seed",     "sweeps",  "figures", NULL};
static const char *const sweep_keys[] = {"topology", "routers", "faults", "fault_rate", "fault_model", "scope", NULL};
static const char *const figure_keys[] = {"name", "title", "quantity", "log_y", "routers", NULL};

static fl_status out_of_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the experiment");
}

/* ---- pieces of JSON ---- */

static const cJSON *find(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A text, or NULL when the key is missing. */
static fl_status get_text(char **out, const cJSON *object, const char *key, const char *where, fl_error *error)
{
    const cJSON *item = find(object, key);
    if (!item)
        return FL_OK;
    if (!cJSON_IsString(item) || !item->valuestring[0])
        return fl_fail(error, FL_ERR_INVALID, "%s: '%s' must be a text that is not empty", where, key);
    free(*out);
    *out = strdup(item->valuestring);
    return *out ? FL_OK : out_of_memory(error);
}

static void free_texts(char **texts, unsigned count)
{
    for (unsigned i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

static fl_status get_texts(char ***out, unsigned *count, const cJSON *object, const char *key, const char *where, fl_error *error)
{
    const cJSON *item = find(object, key);
    if (!item)
        return FL_OK;
    int size = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 0;
    if (size < 1 || size > FL_SWEEP_ROUTERS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%s: '%s' must be a list of 1 to %d names", where, key, FL_SWEEP_ROUTERS_MAX);
    char **texts = calloc((size_t)size, sizeof *texts);
    unsigned n = 0;
    fl_status status = texts ? FL_OK : out_of_memory(error);
    for (const cJSON *element = item->child; element && !status; element = element->next) {
        if (!cJSON_IsString(element))
            status = fl_fail(error, FL_ERR_INVALID, "%s: '%s' must hold names only", where, key);
        else if (!(texts[n++] = strdup(element->valuestring)))
            status = out_of_memory(error);
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
static fl_status get_axis(char **out, const cJSON *object, const char *key, const char *where, fl_error *error)
{
    const cJSON *item = find(object, key);
    if (!item || cJSON_IsString(item))
        return get_text(out, object, key, where, error);
    fl_text text = {0};
    bool good = cJSON_IsNumber(item) || (cJSON_IsArray(item) && item->child);
    for (const cJSON *number = cJSON_IsArray(item) ? item->child : item; number && good; number = number->next) {
        good = cJSON_IsNumber(number);
        fl_text_append(&text, "%s%.17g", text.length ? "," : "", number->valuedouble);
        if (number == item)
            break;
    }
    if (!good) {
        fl_text_clear(&text);
        return fl_fail(error, FL_ERR_INVALID, "%s: '%s' must be a text such as \"0:10:1\", a number, or a list of numbers", where, key);
    }
    free(*out);
    *out = text.data;
    return text.failed ? out_of_memory(error) : FL_OK;
}

/* ---- one sweep ---- */

static fl_status get_scope(fl_sweep_spec *spec, const cJSON *object, const char *where, fl_error *error)
{
    const cJSON *item = find(object, "scope");
    if (!item)
        return FL_OK;
    if (!cJSON_IsString(item))
        return fl_fail(error, FL_ERR_INVALID, "%s: 'scope' must be \"detour\" or \"local\"", where);
    return fl_scope_parse(&spec->scope, item->valuestring, error);
}

/* Lays the keys of `object` over what `spec` holds already. */
static fl_status read_sweep(fl_sweep_spec *spec, const cJSON *object, const char *where, fl_error *error)
{
    if (find(object, "faults") && find(object, "fault_rate"))
        return fl_fail(error, FL_ERR_INVALID, "%s: give 'faults' or 'fault_rate', not both", where);
    fl_status status = get_text(&spec->topology, object, "topology", where, error);
    if (!status)
        status = get_text(&spec->fault_model, object, "fault_model", where, error);
    if (!status && (find(object, "faults") || find(object, "fault_rate"))) {
        free(spec->faults);
        free(spec->fault_rate);
        spec->faults = spec->fault_rate = NULL;
        status = get_axis(&spec->faults, object, "faults", where, error);
        if (!status)
            status = get_axis(&spec->fault_rate, object, "fault_rate", where, error);
    }
    if (!status)
        status = get_scope(spec, object, where, error);
    return status ? status : get_texts(&spec->routers, &spec->router_count, object, "routers", where, error);
}

static void free_sweep(fl_sweep_spec *spec)
{
    free(spec->topology);
    free(spec->fault_model);
    free(spec->faults);
    free(spec->fault_rate);
    free_texts(spec->routers, spec->router_count);
}

static fl_status read_sweeps(fl_experiment *experiment, const cJSON *json, const char *where, fl_error *error)
{
    const cJSON *list = find(json, "sweeps");
    int size = list ? (cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0) : 1;
    if (size < 1 || size > SWEEPS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%s: 'sweeps' must be a list of 1 to %d objects", where, SWEEPS_MAX);
    experiment->sweeps = calloc((size_t)size, sizeof *experiment->sweeps);
    experiment->bound = calloc((size_t)size, sizeof *experiment->bound);
    if (!experiment->sweeps || !experiment->bound)
        return out_of_memory(error);
    experiment->sweep_count = (unsigned)size;
    fl_status status = FL_OK;
    for (int i = 0; i < size && !status; i++) {
        char place[300];
        snprintf(place, sizeof place, "%.200s: sweep %d", where, i + 1);
        const cJSON *own = list ? cJSON_GetArrayItem(list, i) : NULL;
        if (list && !cJSON_IsObject(own))
            return fl_fail(error, FL_ERR_INVALID, "%s must be an object", place);
        status = read_sweep(&experiment->sweeps[i], json, where, error);
        if (!status && own)
            status = fl_json_check_keys(own, sweep_keys, place, error);
        if (!status && own)
            status = read_sweep(&experiment->sweeps[i], own, place, error);
    }
    return status;
}

/* ---- figures ---- */

static fl_status read_quantity(fl_figure_spec *figure, const cJSON *object, const char *where, fl_error *error)
{
    const cJSON *item = find(object, "quantity");
    for (int i = 0; item && cJSON_IsString(item) && fl_quantity_names[i]; i++)
        if (strcmp(fl_quantity_names[i], item->valuestring) == 0) {
            figure->quantity = (fl_quantity)i;
            return FL_OK;
        }
    return fl_fail(error, FL_ERR_INVALID, "%s: 'quantity' must be \"success_ratio\" or \"mean_path_length\"", where);
}

static bool is_file_name(const char *name)
{
    return name[0] != '.' && strlen(name) <= 100 && !strpbrk(name, "/\\");
}

static bool is_swept(const fl_experiment *experiment, const char *router)
{
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned r = 0; r < experiment->sweeps[i].router_count; r++)
            if (strcmp(experiment->sweeps[i].routers[r], router) == 0)
                return true;
    return false;
}

static fl_status read_figure(fl_experiment *experiment, fl_figure_spec *figure, const cJSON *object, const char *where, fl_error *error)
{
    fl_status status = fl_json_check_keys(object, figure_keys, where, error);
    if (!status)
        status = get_text(&figure->name, object, "name", where, error);
    if (!status && (!figure->name || !is_file_name(figure->name)))
        status = fl_fail(error, FL_ERR_INVALID, "%s: 'name' must be a plain file name", where);
    if (!status)
        status = get_text(&figure->title, object, "title", where, error);
    if (!status)
        status = read_quantity(figure, object, where, error);
    const cJSON *log_y = find(object, "log_y");
    if (!status && log_y && !cJSON_IsBool(log_y))
        status = fl_fail(error, FL_ERR_INVALID, "%s: 'log_y' must be true or false", where);
    figure->log_y = cJSON_IsTrue(log_y);
    if (!status)
        status = get_texts(&figure->routers, &figure->router_count, object, "routers", where, error);
    for (unsigned i = 0; i < figure->router_count && !status; i++)
        if (!is_swept(experiment, figure->routers[i]))
            status = fl_fail(error, FL_ERR_INVALID, "%s: the router '%.60s' is in none of the sweeps", where, figure->routers[i]);
    return status;
}

static fl_status read_figures(fl_experiment *experiment, const cJSON *json, const char *where, fl_error *error)
{
    const cJSON *list = find(json, "figures");
    if (!list)
        return FL_OK;
    int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (size < 1 || size > FIGURES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%s: 'figures' must be a list of 1 to %d objects", where, FIGURES_MAX);
    experiment->figures = calloc((size_t)size, sizeof *experiment->figures);
    if (!experiment->figures)
        return out_of_memory(error);
    experiment->figure_count = (unsigned)size;
    fl_status status = FL_OK;
    for (int i = 0; i < size && !status; i++) {
        char place[300];
        snprintf(place, sizeof place, "%.200s: figure %d", where, i + 1);
        const cJSON *object = cJSON_GetArrayItem(list, i);
        status = cJSON_IsObject(object) ? read_figure(experiment, &experiment->figures[i], object, place, error)
                                        : fl_fail(error, FL_ERR_INVALID, "%s must be an object", place);
        for (int j = 0; j < i && !status; j++)
            if (strcmp(experiment->figures[i].name, experiment->figures[j].name) == 0)
                status = fl_fail(error, FL_ERR_INVALID, "%s: two figures are named '%s'", place, experiment->figures[i].name);
    }
    return status;
}

/* ---- binding ---- */

static fl_status bind_model(fl_sweep_spec *spec, fl_bound_sweep *bound, fl_error *error)
{
    fl_axis axis = {.rates = spec->faults == NULL};
    uint64_t *counts = NULL;
    double *rates = NULL;
    fl_status status = axis.rates ? fl_axis_parse_rates(&rates, &axis.levels, spec->fault_rate, error)
                                  : fl_axis_parse_counts(&counts, &axis.levels, spec->faults, error);
    axis.counts = counts;
    axis.rate = rates;
    if (!status)
        status = fl_fault_model_create(&bound->model, bound->network, spec->fault_model, &axis, error);
    free(counts);
    free(rates);
    return status;
}

static fl_status bind_routers(const fl_sweep_spec *spec, fl_bound_sweep *bound, fl_error *error)
{
    for (unsigned i = 0; i < spec->router_count; i++) {
        fl_status status = fl_router_create(&bound->routers[i], bound->network, spec->routers[i], spec->scope, error);
        if (status)
            return status;
        bound->router_count++;
        if (bound->routers[i]->type->limit && fl_limit_check(bound->network, error))
            return FL_ERR_INVALID;
        for (unsigned j = 0; j < i; j++)
            if (bound->routers[j]->settings == bound->routers[i]->settings && bound->routers[j]->type == bound->routers[i]->type)
                return fl_fail(error, FL_ERR_INVALID, "the routers '%s' and '%s' are the same", spec->routers[j], spec->routers[i]);
    }
    return FL_OK;
}

static fl_status set_default(char **text, const char *value, fl_error *error)
{
    if (*text)
        return FL_OK;
    *text = strdup(value);
    return *text ? FL_OK : out_of_memory(error);
}

static fl_status bind_sweep(fl_sweep_spec *spec, fl_bound_sweep *bound, const char *where, fl_error *error)
{
    if (!spec->topology)
        return fl_fail(error, FL_ERR_INVALID, "%s: no topology is given, for example mikant:k=3,n=3", where);
    if (!spec->router_count)
        return fl_fail(error, FL_ERR_INVALID, "%s: no routers are given, for example shortest,gns+gdl", where);
    fl_status status = set_default(&spec->fault_model, "links", error);
    if (!status && !spec->faults)
        status = set_default(&spec->fault_rate, "0:1:0.01", error);
    if (!status)
        status = fl_network_create(&bound->network, spec->topology, error);
    if (!status && bound->network->nodes < 2)
        status = fl_fail(error, FL_ERR_INVALID, "%s has one node, and a packet needs two", bound->network->spec);
    if (!status)
        status = bind_model(spec, bound, error);
    return status ? status : bind_routers(spec, bound, error);
}

/* ---- canonical text ---- */

static void append_axis(fl_text *out, const fl_bound_sweep *bound)
{
    bool independent = fl_fault_model_is_independent(bound->model);
    fl_text_append(out, independent ? "\"fault_rate\":[" : "\"faults\":[");
    for (uint32_t level = 0; level < fl_fault_model_levels(bound->model); level++) {
        uint64_t count;
        if (fl_fault_model_count_at(bound->model, level, &count))
            fl_text_append(out, "%s%llu", level ? "," : "", (unsigned long long)count);
        else
            fl_text_append(out, "%s%.17g", level ? "," : "", fl_fault_model_rate_at(bound->model, level));
    }
    fl_text_append(out, "]");
}

static fl_status write_canonical(fl_experiment *experiment, fl_error *error)
{
    fl_text text = {0};
    fl_text_append(&text, "{\"seed\":%llu,\"sweeps\":[", (unsigned long long)experiment->seed);
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &experiment->bound[i];
        fl_text_append(&text, "%s{\"fault_model\":", i ? "," : "");
        fl_json_append_string(&text, fl_fault_model_spec(bound->model));
        fl_text_append(&text, ",");
        append_axis(&text, bound);
        fl_text_append(&text, ",\"routers\":[");
        for (unsigned r = 0; r < bound->router_count; r++) {
            fl_text_append(&text, r ? "," : "");
            fl_json_append_string(&text, bound->routers[r]->name);
        }
        fl_text_append(&text, "],\"scope\":\"%s\",\"topology\":\"%s\"}", fl_scope_names[experiment->sweeps[i].scope], bound->network->spec);
    }
    fl_text_append(&text, "],\"trials\":%llu}", (unsigned long long)experiment->trials);
    if (text.failed) {
        fl_text_clear(&text);
        return out_of_memory(error);
    }
    experiment->canonical = text.data;
    snprintf(experiment->hash, sizeof experiment->hash, "%016llx", (unsigned long long)fl_text_hash(text.data, text.length));
    return FL_OK;
}

/* ---- the whole ---- */

static fl_status read_number(uint64_t *out, const cJSON *json, const char *key, uint64_t otherwise, const char *where, fl_error *error)
{
    const cJSON *item = find(json, key);
    char place[300];
    *out = otherwise;
    snprintf(place, sizeof place, "%.200s: '%s'", where, key);
    return item ? fl_json_u64(out, item, place, error) : FL_OK;
}

static fl_status read_experiment(fl_experiment *experiment, const cJSON *json, const char *where, fl_error *error)
{
    if (!cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID, "%s: an experiment is a JSON object", where);
    fl_status status = fl_json_check_keys(json, top_keys, where, error);
    if (!status)
        status = get_text(&experiment->name, json, "name", where, error);
    if (!status && experiment->name && !is_file_name(experiment->name))
        status = fl_fail(error, FL_ERR_INVALID, "%s: 'name' names a folder: at most 100 characters, no slash, no dot in front", where);
    if (!status)
        status = get_text(&experiment->title, json, "title", where, error);
    if (!status)
        status = get_text(&experiment->source, json, "source", where, error);
    if (!status)
        status = read_number(&experiment->trials, json, "trials", 100000, where, error);
    if (!status && experiment->trials == 0)
        status = fl_fail(error, FL_ERR_INVALID, "%s: trials=0: at least one trial is needed", where);
    if (!status)
        status = read_number(&experiment->seed, json, "seed", 1, where, error);
    if (!status)
        status = read_sweeps(experiment, json, where, error);
    for (unsigned i = 0; i < experiment->sweep_count && !status; i++)
        status = bind_sweep(&experiment->sweeps[i], &experiment->bound[i], where, error);
    if (!status)
        status = read_figures(experiment, json, where, error);
    return status ? status : write_canonical(experiment, error);
}

fl_status fl_experiment_parse(fl_experiment **out, const char *text, size_t length, const char *where, fl_error *error)
{
    cJSON *json = NULL;
    fl_status status = fl_json_parse(&json, text, length, where, error);
    if (status)
        return status;
    fl_experiment *experiment = calloc(1, sizeof *experiment);
    status = experiment ? read_experiment(experiment, json, where, error) : out_of_memory(error);
    cJSON_Delete(json);
    if (status) {
        fl_experiment_destroy(experiment);
        return status;
    }
    *out = experiment;
    return FL_OK;
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
