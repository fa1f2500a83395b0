/* Specs of the times of workloads on several networks. */
#include "experiments/spec/load_spec.h"
#include "experiments/spec/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fl_makespan_quantity_names[] = {
    "performance",         "cost_constant",     "cost_linear",          "cost_quadratic",
    "efficiency_constant", "efficiency_linear", "efficiency_quadratic", NULL};

static const char *const top_keys[] = {"plugins",  "name",      "title",     "source", "router",
                                       "networks", "workloads", "published", NULL};
static const char *const network_keys[] = {"topology", "router", "label", NULL};

/* What the file says, lent by its JSON. */
typedef struct source {
    fl_options top; /* what holds for all runs */
    fl_load_values values;
    const char *topology[FL_MAKESPAN_NETWORKS_MAX], *router[FL_MAKESPAN_NETWORKS_MAX];
    const char *only; /* workloads that are wanted; NULL: all */
} source;

static fl_status need_text(char **out, const cJSON *object, const char *key, const char *instead,
                           fl_error *error)
{
    fl_status status = fl_spec_copy_text(out, object, key, error);
    if (status || *out)
        return status;
    if (!instead)
        return fl_fail(error, FL_ERR_INVALID, "'%s' is missing", key);
    *out = strdup(instead);
    return *out ? FL_OK : fl_spec_out_of_memory(error);
}

static fl_status need_list(const cJSON **out, const cJSON *json, const char *key, int most,
                           fl_error *error)
{
    fl_status status = fl_spec_list(out, json, key, most, key, error);
    return status || *out ? status : fl_fail(error, FL_ERR_INVALID, "'%s' is missing", key);
}

/* ---- networks ---- */

static fl_status read_network(source *s, unsigned i, char **label, const cJSON *item,
                              const char *router, fl_error *error)
{
    fl_status status = FL_OK;
    if (cJSON_IsString(item)) {
        s->topology[i] = item->valuestring;
    } else {
        if (!cJSON_IsObject(item))
            return fl_fail(error, FL_ERR_INVALID,
                           "it must be a network, or an object with a 'topology'");
        if ((status = fl_json_check_keys(item, network_keys, error)) ||
            (status = fl_spec_text(&s->topology[i], item, "topology", error)) ||
            (status = fl_spec_text(&s->router[i], item, "router", error)))
            return status;
        if (!s->topology[i])
            return fl_fail(error, FL_ERR_INVALID, "'topology' is missing");
    }
    if (!s->router[i])
        s->router[i] = router;
    if (!s->router[i])
        return fl_fail(error, FL_ERR_INVALID, "it has no 'router', and there is none at the top");
    status = need_text(label, item, "label", s->topology[i], error);
    if (status || !cJSON_IsObject(item))
        return status;
    return fl_text_check_label(*label, "the label", error);
}

static fl_status read_networks(source *s, fl_makespan_spec *m, const cJSON *json, fl_error *error)
{
    const cJSON *list, *item;
    const char *router;
    fl_status status = fl_spec_text(&router, json, "router", error);
    if (!status)
        status = need_list(&list, json, "networks", FL_MAKESPAN_NETWORKS_MAX, error);
    if (status)
        return status;
    cJSON_ArrayForEach(item, list)
    {
        unsigned i = m->network_count++;
        status = read_network(s, i, &m->labels[i], item, router, error);
        if (status)
            return fl_spec_fail_in(error, "network", i, status);
    }
    return FL_OK;
}

/* ---- workloads ---- */

/* Is `name` one of the names, which are split by ';'? */
static bool holds(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; *at;) {
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

static fl_status set(fl_options *options, const char *name, const char *text, fl_error *error)
{
    int place = fl_option_find(options->groups, name, strlen(name), NULL);
    fl_status status = fl_option_set_text(options, place, text, error);
    return fl_option_fail(error, status, name, text);
}

static fl_status add_curve(fl_load_spec *spec, const source *s, unsigned network,
                           const char *workload, fl_error *error)
{
    struct fl_load_curve_spec *curve = &spec->curves[spec->curve_count++];
    fl_text label = {0};
    fl_text_append(&label, "%s on %s", workload, spec->makespan->labels[network]);
    curve->label = label.data;
    fl_status status = fl_options_begin(&curve->options, fl_load_groups, &curve->values, error);
    if (label.failed && !status)
        status = fl_spec_out_of_memory(error);
    if (!status)
        status = fl_options_lay_over(&curve->options, &s->top, error);
    if (!status)
        status = set(&curve->options, "topology", s->topology[network], error);
    if (!status)
        status = set(&curve->options, "routers", s->router[network], error);
    if (!status)
        status = set(&curve->options, "workload", workload, error);
    curve->values.fault_sets = 1;
    if (!status && curve->values.routers.count != 1)
        status = fl_fail(error, FL_ERR_INVALID, "a network has one router, not '%.80s'",
                         s->router[network]);
    return status ? fl_spec_fail_in(error, "network", network, status) : FL_OK;
}

static fl_status add_workloads(fl_load_spec *spec, const source *s, const cJSON *list,
                               fl_error *error)
{
    fl_makespan_spec *m = spec->makespan;
    const cJSON *item;
    fl_status status = FL_OK;
    spec->curves =
        calloc((size_t)cJSON_GetArraySize(list) * m->network_count, sizeof *spec->curves);
    if (!spec->curves)
        return fl_spec_out_of_memory(error);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item))
            return fl_fail(error, FL_ERR_INVALID, "'workloads' must be a list of texts");
        if (s->only && !holds(s->only, item->valuestring))
            continue;
        m->workload_count++;
        for (unsigned i = 0; i < m->network_count && !status; i++)
            status = add_curve(spec, s, i, item->valuestring, error);
        if (status)
            return status;
    }
    if (m->workload_count == 0)
        return fl_fail(error, FL_ERR_INVALID, "no workload is left to run");
    return FL_OK;
}

/* ---- published values ---- */

static fl_status read_published_row(fl_makespan_spec *m, unsigned quantity, const cJSON *list,
                                    fl_error *error)
{
    int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (size != (int)m->network_count)
        return fl_fail(error, FL_ERR_INVALID,
                       "published '%s' must be a list of %u numbers, one a network",
                       fl_makespan_quantity_names[quantity], m->network_count);
    for (int i = 0; i < size; i++) {
        const cJSON *number = cJSON_GetArrayItem(list, i);
        if (!cJSON_IsNumber(number))
            return fl_fail(error, FL_ERR_INVALID, "published '%s' must hold numbers only",
                           fl_makespan_quantity_names[quantity]);
        m->published[quantity][i] = number->valuedouble;
    }
    return FL_OK;
}

/* What was published of all workloads is not to be compared with some of them; costs are those of
 * networks alone. */
static bool is_comparable(unsigned quantity, bool all_workloads)
{
    return all_workloads || quantity == FL_MAKESPAN_COST_CONSTANT ||
           quantity == FL_MAKESPAN_COST_LINEAR || quantity == FL_MAKESPAN_COST_QUADRATIC;
}

static fl_status read_published(fl_makespan_spec *m, const cJSON *json, bool all_workloads,
                                fl_error *error)
{
    const cJSON *published = fl_spec_find(json, "published"), *row;
    if (published && !cJSON_IsObject(published))
        return fl_fail(error, FL_ERR_INVALID, "'published' must be an object");
    fl_status status =
        published ? fl_json_check_keys(published, fl_makespan_quantity_names, error) : FL_OK;
    for (unsigned q = 0; q < FL_MAKESPAN_QUANTITIES && !status; q++) {
        if ((row = fl_spec_find(published, fl_makespan_quantity_names[q])) != NULL)
            status = read_published_row(m, q, row, error);
        for (unsigned i = 0; i < m->network_count; i++)
            if (!row || !is_comparable(q, all_workloads))
                m->published[q][i] = (double)NAN;
    }
    return status;
}

/* ---- a complete spec ---- */

static fl_status read_texts(fl_load_spec *spec, const cJSON *json, fl_error *error)
{
    fl_status status = need_text(&spec->name, json, "name", NULL, error);
    if (!status)
        status = need_text(&spec->title, json, "title", spec->name, error);
    return status ? status : need_text(&spec->source, json, "source", "this project", error);
}

static fl_status read_with(fl_load_spec *spec, source *s, const cJSON *json, fl_error *error)
{
    const cJSON *list = NULL;
    fl_status status = fl_options_read_json(&s->top, json, top_keys, error);
    if (!status)
        status = fl_spec_check_plugins(json, error);
    if (!status)
        status = read_texts(spec, json, error);
    if (!status)
        status = read_networks(s, spec->makespan, json, error);
    if (!status)
        status = need_list(&list, json, "workloads", FL_MAKESPAN_WORKLOADS_MAX, error);
    if (!status)
        status = check_only(list, s->only, error);
    if (!status)
        status = add_workloads(spec, s, list, error);
    if (status)
        return status;
    bool all = spec->makespan->workload_count == (unsigned)cJSON_GetArraySize(list);
    return read_published(spec->makespan, json, all, error);
}

fl_status fl_makespan_spec_read(fl_load_spec **out, const cJSON *json, const char *where,
                                const char *only, fl_error *error)
{
    fl_load_spec *spec = calloc(1, sizeof *spec);
    source s = {.only = only};
    fl_status status = fl_options_begin(&s.top, fl_makespan_keys, &s.values, error);
    if (spec)
        spec->makespan = calloc(1, sizeof *spec->makespan);
    if (!status && !(spec && spec->makespan))
        status = fl_spec_out_of_memory(error);
    if (!status && !cJSON_IsObject(json))
        status = fl_fail(error, FL_ERR_INVALID, "it must be a JSON object");
    if (!status)
        status = read_with(spec, &s, json, error);
    fl_options_clear(&s.top);
    if (status) {
        fl_load_spec_destroy(spec);
        return where ? fl_fail_in(error, status, where) : status;
    }
    *out = spec;
    return FL_OK;
}
