/* Specs of several curves under load. The keys of a curve are the options of `simulate`. */
#include "experiments/spec/load_spec.h"
#include "experiments/load/curves.h"
#include "experiments/spec/pieces.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fl_load_quantity_names[FL_LOAD_QUANTITIES + 1] = {
    [FL_LOAD_LATENCY] = "latency",
    [FL_LOAD_NETWORK_LATENCY] = "network_latency",
    [FL_LOAD_LATENCY_P99] = "latency_p99",
    [FL_LOAD_ACCEPTED] = "accepted_load",
    [FL_LOAD_HOPS] = "hops",
    [FL_LOAD_CONFLICTS] = "conflicts_per_cycle",
    [FL_LOAD_PORTS_WITH_CONFLICT] = "ports_with_conflict_per_cycle",
    [FL_LOAD_CONFLICTS_PER_PACKET] = "conflicts_per_packet",
    [FL_LOAD_RECEIVED] = "received_per_cycle",
    [FL_LOAD_RECEIVED_SENT] = "received_sent_ratio",
    [FL_LOAD_LOST] = "lost_share",
    [FL_LOAD_SERIES_LATENCY] = "series_latency",
    [FL_LOAD_SERIES_DELIVERED] = "series_delivered",
    [FL_LOAD_SERIES_LOST] = "series_lost",
    [FL_LOAD_SERIES_RETRIED] = "series_retried"};

const char *const fl_load_axis_names[FL_LOAD_AXES + 1] = {[FL_LOAD_AXIS_OFFERED] = "offered_load",
                                                          [FL_LOAD_AXIS_ACCEPTED] = "accepted_load",
                                                          [FL_LOAD_AXIS_FAULT_RATE] = "fault_rate",
                                                          [FL_LOAD_AXIS_CYCLE] = "cycle"};

static const char *const top_keys[] = {"plugins", "name",    "title", "source",
                                       "curves",  "figures", NULL};
static const char *const curve_keys[] = {"label", NULL};
static const char *const figure_keys[] = {"name",  "title",  "quantity",      "against",
                                          "log_y", "x_min",  "x_max",         "y_min",
                                          "y_max", "curves", "difference_to", NULL};

/* ---- curves ---- */

/* What holds for all curves: keys at the top, and options laid over them. */
typedef struct shared {
    fl_options top;
    const fl_options *over; /* or NULL */
    fl_load_values values;  /* of top */
} shared;

static fl_status fail_overruled(const char *option, fl_error *error)
{
    return fl_fail(error, FL_ERR_INVALID,
                   "--%s cannot be given with this spec: the curve has its own '%s'", option,
                   option);
}

/* A value of the curve would silently win over the option. */
static fl_status check_not_overruled(const fl_options *over, const fl_options *own, fl_error *error)
{
    const fl_option_row *row, *other;
    for (int i = 0; (row = fl_option_at(own->groups, i, NULL)) != NULL; i++) {
        int there = fl_option_find(over->groups, row->name, strlen(row->name), &other);
        if (there >= 0 && own->given[i] && over->given[there])
            return fail_overruled(row->name, error);
    }
    return FL_OK;
}

static fl_status begin_curve(struct fl_load_curve_spec *curve, const shared *all, fl_error *error)
{
    fl_status status = fl_options_begin(&curve->options, fl_load_groups, &curve->values, error);
    if (!status)
        status = fl_options_lay_over(&curve->options, &all->top, error);
    if (!status && all->over)
        status = fl_options_lay_over(&curve->options, all->over, error);
    return status;
}

static fl_status read_label(fl_load_spec *spec, unsigned index, const cJSON *object,
                            fl_error *error)
{
    struct fl_load_curve_spec *curve = &spec->curves[index];
    fl_status status = fl_spec_copy_text(&curve->label, object, "label", error);
    if (!status && !curve->label)
        status = fl_fail(error, FL_ERR_INVALID, "it needs a 'label'");
    if (!status)
        status = fl_text_check_label(curve->label, "the label", error);
    for (unsigned i = 0; i < index && !status; i++)
        if (strcmp(spec->curves[i].label, curve->label) == 0)
            status = fl_fail(error, FL_ERR_INVALID, "there is another curve '%.60s'", curve->label);
    return status;
}

static fl_status read_curve(fl_load_spec *spec, unsigned index, const cJSON *object,
                            const shared *all, fl_options *own, fl_error *error)
{
    struct fl_load_curve_spec *curve = &spec->curves[index];
    fl_status status = begin_curve(curve, all, error);
    if (!status && !cJSON_IsObject(object))
        return fl_fail(error, FL_ERR_INVALID, "it must be an object");
    if (!status)
        status = read_label(spec, index, object, error);
    if (!status)
        status = fl_options_read_json(own, object, curve_keys, error);
    if (!status && all->over)
        status = check_not_overruled(all->over, own, error);
    if (!status)
        status = fl_options_lay_over(&curve->options, own, error);
    if (!status && curve->values.routers.count != 1)
        status = curve->values.routers.count
                     ? fl_fail(error, FL_ERR_INVALID,
                               "a curve has one router, not %u; leave out 'curves' for one curve "
                               "of each router",
                               curve->values.routers.count)
                     : fl_fail(error, FL_ERR_INVALID, "which router? It needs 'routers'");
    if (!status && fl_option_given(own, "fault-rate") && curve->values.fault_rate.count > 1)
        status = fl_fail(error, FL_ERR_INVALID,
                         "several fault rates are the axis of all curves: give them at the top");
    return status;
}

/* A value at the top that every curve replaces is a mistake, and would never be checked. */
static fl_status check_used(const fl_options *top, const fl_options *own, unsigned count,
                            fl_error *error)
{
    const fl_option_row *row;
    for (int i = 0; (row = fl_option_at(top->groups, i, NULL)) != NULL; i++) {
        bool used = false;
        for (unsigned c = 0; c < count; c++)
            used |= !own[c].given[i];
        if (!top->given[i] || used)
            continue;
        fl_text key = {0};
        fl_option_append_key(row, &key);
        fl_status status =
            fl_fail(error, FL_ERR_INVALID,
                    "'%s' at the top is used by none of the curves: all have their own",
                    key.data ? key.data : row->name);
        fl_text_clear(&key);
        return status;
    }
    return FL_OK;
}

static fl_status make_curves(fl_load_spec *spec, unsigned count, fl_error *error)
{
    spec->curves = calloc(count, sizeof *spec->curves);
    if (!spec->curves)
        return fl_spec_out_of_memory(error);
    spec->curve_count = count;
    return FL_OK;
}

/* A curve for each router. */
static fl_status spread_routers(fl_load_spec *spec, const shared *all, fl_error *error)
{
    struct fl_load_curve_spec first = {0};
    fl_status status = begin_curve(&first, all, error);
    fl_name_list *routers = &first.values.routers;
    if (!status && routers->count == 0)
        status = fl_fail(error, FL_ERR_INVALID, "which routers? Give them, or 'curves'");
    if (!status && routers->count > FL_LOAD_CURVES_MAX)
        status = fl_fail(error, FL_ERR_INVALID, "%u routers; at most %d", routers->count,
                         FL_LOAD_CURVES_MAX);
    if (!status)
        status = make_curves(spec, routers->count, error);
    for (unsigned i = 0; i < spec->curve_count && !status; i++) {
        struct fl_load_curve_spec *curve = &spec->curves[i];
        for (unsigned j = 0; j < i && !status; j++)
            if (strcmp(routers->of[i], routers->of[j]) == 0)
                status = fl_fail(error, FL_ERR_INVALID, "the router '%.60s' is given twice",
                                 routers->of[i]);
        if (!status)
            status = begin_curve(curve, all, error);
        if (status)
            break;
        fl_name_list *one = &curve->values.routers;
        for (unsigned j = 0; j < one->count; j++)
            if (j != i)
                free(one->of[j]);
        one->of[0] = one->of[i];
        one->count = 1;
        if (!(curve->label = strdup(one->of[0])))
            status = fl_spec_out_of_memory(error);
    }
    fl_options_clear(&first.options);
    return status;
}

fl_status fl_load_fail_in_curve(fl_error *error, fl_status status, unsigned curve,
                                const char *label)
{
    char place[300];
    snprintf(place, sizeof place, label ? "curve %u (%.200s)" : "curve %u", curve + 1, label);
    return status ? fl_fail_in(error, status, place) : FL_OK;
}

static fl_status read_list(fl_load_spec *spec, const cJSON *list, const shared *all,
                           fl_error *error)
{
    int size = cJSON_GetArraySize(list);
    fl_options *own = calloc((size_t)size, sizeof *own);
    fl_load_values *values = calloc((size_t)size, sizeof *values);
    fl_status status =
        own && values ? make_curves(spec, (unsigned)size, error) : fl_spec_out_of_memory(error);
    unsigned i = 0;
    for (const cJSON *item = list->child; item && !status; item = item->next, i++) {
        status = fl_options_begin(&own[i], fl_load_keys, &values[i], error);
        if (!status)
            status = read_curve(spec, i, item, all, &own[i], error);
        status = fl_load_fail_in_curve(error, status, i, spec->curves[i].label);
    }
    if (!status)
        status = check_used(&all->top, own, spec->curve_count, error);
    for (i = 0; (int)i < size && own && values; i++)
        fl_options_clear(&own[i]);
    free(own);
    free(values);
    return status;
}

/* ---- fault rates ---- */

/* Several rates, of which every curve has the same, are the axis. */
static fl_status read_rates(fl_load_spec *spec, fl_error *error)
{
    const fl_rate_list *rates = &spec->curves[0].values.fault_rate;
    for (unsigned i = 0; i < spec->curve_count; i++) {
        struct fl_load_curve_spec *curve = &spec->curves[i];
        bool several = curve->values.fault_rate.count > 1;
        if (several && !fl_option_given(&curve->options, "fault-sets"))
            curve->values.fault_sets = 10;
        else if (!fl_option_given(&curve->options, "fault-sets"))
            curve->values.fault_sets = 1;
        if (several != (rates->count > 1))
            return fl_fail(error, FL_ERR_INVALID,
                           "several fault rates are the axis of all curves: curve %u has its own",
                           i + 1);
    }
    if (rates->count < 2)
        return FL_OK;
    spec->fault_rates = malloc(rates->count * sizeof *spec->fault_rates);
    if (!spec->fault_rates)
        return fl_spec_out_of_memory(error);
    memcpy(spec->fault_rates, rates->of, rates->count * sizeof *rates->of);
    spec->fault_points = rates->count;
    return FL_OK;
}

/* ---- figures ---- */

static fl_status read_end(double *out, const cJSON *object, const char *key, fl_error *error)
{
    const cJSON *item = fl_spec_find(object, key);
    *out = (double)NAN;
    if (!item)
        return FL_OK;
    if (!cJSON_IsNumber(item))
        return fl_fail(error, FL_ERR_INVALID, "'%s' must be a number", key);
    *out = item->valuedouble;
    return FL_OK;
}

static fl_status fail_unknown_curve(const fl_load_spec *spec, const char *label, fl_error *error)
{
    fl_text labels = {0};
    for (unsigned i = 0; i < spec->curve_count; i++)
        fl_text_append(&labels, "%s'%s'", i ? ", " : "", spec->curves[i].label);
    fl_status status = fl_fail(error, FL_ERR_INVALID, "there is no curve '%.60s'; there are %.300s",
                               label, labels.data ? labels.data : "none");
    fl_text_clear(&labels);
    return status;
}

static bool has_curve(const fl_load_spec *spec, const char *label)
{
    for (unsigned i = 0; i < spec->curve_count; i++)
        if (strcmp(spec->curves[i].label, label) == 0)
            return true;
    return false;
}

static fl_status read_figure_curves(const fl_load_spec *spec, fl_load_figure *figure,
                                    const cJSON *object, fl_error *error)
{
    fl_status status = fl_spec_names(&figure->curves, object, "curves", FL_LOAD_CURVES_MAX, error);
    for (unsigned i = 0; i < figure->curves.count && !status; i++)
        if (!has_curve(spec, figure->curves.of[i]))
            status = fail_unknown_curve(spec, figure->curves.of[i], error);
    return status;
}

static fl_status check_axis(const fl_load_spec *spec, const fl_load_figure *figure, fl_error *error)
{
    bool series = figure->quantity >= FL_LOAD_SERIES_LATENCY, rates = spec->fault_rates != NULL;
    if (series != (figure->axis == FL_LOAD_AXIS_CYCLE))
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%s' against '%s': what begins with series_, and nothing else, is drawn against 'cycle'",
            fl_load_quantity_names[figure->quantity], fl_load_axis_names[figure->axis]);
    if (!series && rates != (figure->axis == FL_LOAD_AXIS_FAULT_RATE))
        return fl_fail(
            error, FL_ERR_INVALID,
            "against '%s': specs with several fault rates, and no others, are drawn against 'fault_rate'",
            fl_load_axis_names[figure->axis]);
    return FL_OK;
}

/* Runs are paired by their place: both curves must have the same points. Loads that differ are
 * refused when they are bound. */
static fl_status read_baseline(const fl_load_spec *spec, fl_load_figure *figure,
                               const cJSON *object, fl_error *error)
{
    fl_status status = fl_spec_copy_text(&figure->difference_to, object, "difference_to", error);
    if (status || !figure->difference_to)
        return status;
    if (!has_curve(spec, figure->difference_to))
        return fail_unknown_curve(spec, figure->difference_to, error);
    if (figure->axis == FL_LOAD_AXIS_ACCEPTED || figure->axis == FL_LOAD_AXIS_CYCLE)
        return fl_fail(
            error, FL_ERR_INVALID,
            "'difference_to' against '%s': differences are drawn against offered_load or fault_rate",
            fl_load_axis_names[figure->axis]);
    return figure->log_y
               ? fl_fail(
                     error, FL_ERR_INVALID,
                     "'difference_to' and 'log_y' do not go together: differences can be negative")
               : FL_OK;
}

static fl_status read_figure(const fl_load_spec *spec, fl_load_figure *figure, const cJSON *object,
                             fl_error *error)
{
    unsigned quantity = 0,
             axis = spec->fault_rates ? FL_LOAD_AXIS_FAULT_RATE : FL_LOAD_AXIS_OFFERED;
    fl_status status = fl_spec_copy_text(&figure->name, object, "name", error);
    if (!status)
        status = fl_spec_copy_text(&figure->title, object, "title", error);
    if (!status)
        status = fl_spec_word(&quantity, object, "quantity", fl_load_quantity_names, error);
    if (!status && fl_spec_find(object, "against"))
        status = fl_spec_word(&axis, object, "against", fl_load_axis_names, error);
    figure->quantity = (fl_load_quantity)quantity;
    figure->axis = (fl_load_axis)axis;
    if (!status)
        status = fl_spec_flag(&figure->log_y, object, "log_y", error);
    if (!status)
        status = read_end(&figure->x_min, object, "x_min", error);
    if (!status)
        status = read_end(&figure->x_max, object, "x_max", error);
    if (!status)
        status = read_end(&figure->y_min, object, "y_min", error);
    if (!status)
        status = read_end(&figure->y_max, object, "y_max", error);
    if (!status)
        status = check_axis(spec, figure, error);
    if (!status)
        status = read_baseline(spec, figure, object, error);
    return status ? status : read_figure_curves(spec, figure, object, error);
}

static fl_status read_figures(fl_load_spec *spec, const cJSON *json, fl_error *error)
{
    const cJSON *list;
    fl_status status = fl_spec_figures(&list, json, FL_LOAD_FIGURES_MAX, figure_keys, error);
    if (status || !list)
        return status;
    spec->figures = calloc((size_t)cJSON_GetArraySize(list), sizeof *spec->figures);
    if (!spec->figures)
        return fl_spec_out_of_memory(error);
    for (const cJSON *item = list->child; item && !status; item = item->next) {
        unsigned i = spec->figure_count++;
        status = read_figure(spec, &spec->figures[i], item, error);
        status = fl_spec_fail_in(error, "figure", i, status);
    }
    return status;
}

const char *fl_load_spec_figure(const fl_load_spec *spec, unsigned index)
{
    static const char *const usual[] = {"latency", "accepted"}, *const times[] = {"times",
                                                                                  "levels"};
    if (spec->figure_count)
        return index < spec->figure_count ? spec->figures[index].name : NULL;
    return index < 2 ? (spec->makespan ? times : usual)[index] : NULL;
}

/* ---- a complete spec ---- */

static fl_status read_spec(fl_load_spec *spec, const cJSON *json, shared *all, fl_error *error)
{
    const cJSON *list = NULL;
    if (json && !cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID, "an experiment is a JSON object");
    fl_status status = fl_spec_titles(&spec->name, &spec->title, &spec->source, json, error);
    if (!status)
        status = fl_spec_check_plugins(json, error);
    if (!status && json)
        status = fl_options_read_json(&all->top, json, top_keys, error);
    if (!status)
        status = fl_spec_list(&list, json, "curves", FL_LOAD_CURVES_MAX, "objects", error);
    spec->listed = list != NULL;
    if (!status)
        status = list ? read_list(spec, list, all, error) : spread_routers(spec, all, error);
    if (!status)
        status = read_rates(spec, error);
    return status ? status : read_figures(spec, json, error);
}

fl_status fl_load_spec_read(fl_load_spec **out, const cJSON *json, const char *where,
                            const fl_options *over, fl_error *error)
{
    fl_load_spec *spec = calloc(1, sizeof *spec);
    shared all = {.over = over};
    fl_status status = spec ? fl_options_begin(&all.top, fl_load_keys, &all.values, error)
                            : fl_spec_out_of_memory(error);
    if (!status)
        status = read_spec(spec, json, &all, error);
    fl_options_clear(&all.top);
    if (status) {
        fl_load_spec_destroy(spec);
        return where ? fl_fail_in(error, status, where) : status;
    }
    *out = spec;
    return FL_OK;
}

fl_status fl_load_spec_parse(fl_load_spec **out, const char *text, size_t length, const char *where,
                             const fl_options *over, fl_error *error)
{
    cJSON *json = NULL;
    fl_status status = fl_json_parse(&json, text, length, where, error);
    if (status)
        return status;
    status = fl_load_spec_read(out, json, where, over, error);
    cJSON_Delete(json);
    return status;
}

void fl_load_spec_destroy(fl_load_spec *spec)
{
    if (!spec)
        return;
    for (unsigned i = 0; i < spec->curve_count; i++) {
        free(spec->curves[i].label);
        fl_options_clear(&spec->curves[i].options);
    }
    for (unsigned i = 0; i < spec->figure_count; i++) {
        fl_load_figure *figure = &spec->figures[i];
        fl_names_clear(&figure->curves);
        free(figure->name);
        free(figure->title);
        free(figure->difference_to);
    }
    for (unsigned i = 0; spec->makespan && i < spec->makespan->network_count; i++)
        free(spec->makespan->labels[i]);
    free(spec->makespan);
    free(spec->curves);
    free(spec->figures);
    free(spec->fault_rates);
    free(spec->name);
    free(spec->title);
    free(spec->source);
    free(spec);
}
