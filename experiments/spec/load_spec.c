#include "experiments/experiments.h"
#include "experiments/spec/pieces.h"
#include "faults/faults.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Specs of several curves under load. What a curve sets are options of `simulate`; their values are
 * bound by who asks, so that there is one reading of them. */

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

static const char *const top_keys[] = {"name",    "title",       "source",     "curves",
                                       "figures", "fault_rates", "fault_sets", NULL};
static const char *const curve_keys[] = {"label", NULL};
static const char *const figure_keys[] = {"name",  "title",  "quantity",      "against",
                                          "log_y", "x_min",  "x_max",         "y_min",
                                          "y_max", "curves", "difference_to", NULL};

/* ---- settings ---- */

/* fault_rate stands for fault-rate. */
static bool is_spelled(const char *key, const char *option)
{
    for (; *key && *option; key++, option++)
        if (*key != (*option == '-' ? '_' : *option))
            return false;
    return *key == *option;
}

static bool is_in(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0)
            return true;
    return false;
}

static const char *option_of(const char *key, const char *const *options)
{
    for (; *options; options++)
        if (is_spelled(key, *options))
            return *options;
    return NULL;
}

static fl_status complain_unknown(const char *key, const char *const *options,
                                  const char *const *own, fl_error *error)
{
    enum { NAMES_MAX = 128 };
    const char *names[NAMES_MAX + 1] = {0};
    char spelled[NAMES_MAX][32];
    size_t count = 0;
    for (; *own && count < NAMES_MAX; own++)
        names[count++] = *own;
    for (; *options && count < NAMES_MAX; options++, count++) {
        snprintf(spelled[count], sizeof spelled[count], "%s", *options);
        for (char *c = spelled[count]; *c; c++)
            *c = *c == '-' ? '_' : *c;
        names[count] = spelled[count];
    }
    const char *nearest = fl_text_nearest(key, names);
    return nearest
               ? fl_fail(error, FL_ERR_INVALID, "unknown key '%.60s'; did you mean '%s'?", key,
                         nearest)
               : fl_fail(error, FL_ERR_INVALID,
                         "unknown key '%.60s': it is neither of a spec nor an option of simulate",
                         key);
}

/* Lists of numbers are written as options take them: a,b,c. */
static fl_status value_of(char **out, const cJSON *item, fl_error *error)
{
    fl_text text = {0};
    bool good = cJSON_IsString(item) || cJSON_IsNumber(item) || cJSON_IsTrue(item) ||
                (cJSON_IsArray(item) && item->child);
    if (cJSON_IsString(item))
        good = item->valuestring[0] != 0;
    fl_text_append(&text, "%s", cJSON_IsString(item) ? item->valuestring : "");
    for (const cJSON *number = cJSON_IsArray(item)    ? item->child
                               : cJSON_IsNumber(item) ? item
                                                      : NULL;
         number && good; number = number->next) {
        good = cJSON_IsNumber(number);
        fl_text_append(&text, text.length ? "," : "");
        fl_text_append_double(&text, number->valuedouble);
        if (number == item)
            break;
    }
    if (!good || text.failed) {
        bool failed = text.failed;
        fl_text_clear(&text);
        return failed ? fl_spec_out_of_memory(error)
                      : fl_fail(error, FL_ERR_INVALID,
                                "'%s' must be a text, a number, a list of numbers, or true",
                                item->string);
    }
    *out = text.data ? text.data : strdup("");
    return *out ? FL_OK : fl_spec_out_of_memory(error);
}

static fl_status read_settings(fl_load_settings *out, const cJSON *object, const char *const *own,
                               const char *const *options, fl_error *error)
{
    out->of = calloc((size_t)cJSON_GetArraySize(object) + 1, sizeof *out->of);
    if (!out->of)
        return fl_spec_out_of_memory(error);
    for (const cJSON *item = object->child; item; item = item->next) {
        if (is_in(item->string, own))
            continue;
        const char *option = option_of(item->string, options);
        if (!option)
            return complain_unknown(item->string, options, own, error);
        if (fl_load_spec_setting(out, option))
            return fl_fail(error, FL_ERR_INVALID, "'%s' is given twice", item->string);
        fl_load_setting *setting = &out->of[out->count++];
        fl_status status = value_of(&setting->value, item, error);
        setting->name = strdup(option);
        if (!status && !setting->name)
            status = fl_spec_out_of_memory(error);
        if (status)
            return status;
    }
    return FL_OK;
}

const char *fl_load_spec_setting(const fl_load_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->of[i].name, name) == 0)
            return settings->of[i].value;
    return NULL;
}

static void free_settings(fl_load_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->of[i].name);
        free(settings->of[i].value);
    }
    free(settings->of);
}

/* ---- curves ---- */

static fl_status read_curve(fl_load_spec *spec, unsigned index, const cJSON *object,
                            const char *const *options, fl_error *error)
{
    struct fl_load_curve_spec *curve = &spec->curves[index];
    if (!cJSON_IsObject(object))
        return fl_fail(error, FL_ERR_INVALID, "it must be an object");
    fl_status status = fl_spec_copy_text(&curve->label, object, "label", error);
    if (!status && !curve->label)
        status = fl_fail(error, FL_ERR_INVALID, "it needs a 'label'");
    if (!status)
        status = fl_text_check_label(curve->label, "the label", error);
    for (unsigned i = 0; i < index && !status; i++)
        if (strcmp(spec->curves[i].label, curve->label) == 0)
            status = fl_fail(error, FL_ERR_INVALID, "there is another curve '%.60s'", curve->label);
    return status ? status : read_settings(&curve->settings, object, curve_keys, options, error);
}

static fl_status read_curves(fl_load_spec *spec, const cJSON *json, const char *const *options,
                             fl_error *error)
{
    const cJSON *list = fl_spec_find(json, "curves");
    int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (size < 1 || size > FL_LOAD_CURVES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "'curves' must be a list of 1 to %d objects",
                       FL_LOAD_CURVES_MAX);
    spec->curves = calloc((size_t)size, sizeof *spec->curves);
    if (!spec->curves)
        return fl_spec_out_of_memory(error);
    spec->curve_count = (unsigned)size;
    fl_status status = FL_OK;
    unsigned i = 0;
    for (const cJSON *item = list->child; item && !status; item = item->next, i++)
        status = fl_spec_fail_in(error, "curve", i, read_curve(spec, i, item, options, error));
    return status;
}

/* A value at the top that every curve replaces is a mistake, and would never be checked. */
static fl_status check_common(const fl_load_spec *spec, fl_error *error)
{
    for (size_t s = 0; s < spec->common.count; s++) {
        bool used = false;
        for (unsigned i = 0; i < spec->curve_count; i++)
            used |= !fl_load_spec_setting(&spec->curves[i].settings, spec->common.of[s].name);
        if (!used)
            return fl_fail(error, FL_ERR_INVALID,
                           "'%s' at the top is used by none of the curves: all have their own",
                           spec->common.of[s].name);
    }
    return FL_OK;
}

/* ---- fault rates ---- */

static fl_status read_rates(fl_load_spec *spec, const cJSON *json, fl_error *error)
{
    const cJSON *rates = fl_spec_find(json, "fault_rates"),
                *sets = fl_spec_find(json, "fault_sets");
    static const char *const others[] = {"fail", "faults", "fault-rate", "fault-seed", "runs"};
    spec->fault_sets = 1;
    if (!rates)
        return sets ? fl_fail(error, FL_ERR_INVALID,
                              "'fault_sets' belongs to 'fault_rates': give them too")
                    : FL_OK;
    char *text = NULL;
    fl_status status = value_of(&text, rates, error);
    if (!status)
        status = fl_axis_parse_rates(&spec->fault_rates, &spec->fault_fault_points, text, error);
    if (status == FL_ERR_INVALID && text)
        status = fl_fail(
            error, FL_ERR_INVALID,
            "'fault_rates' %.60s: expected rising shares from 0 to 1, as \"0:0.1:0.02\" or [0, 0.01, 0.05]",
            text);
    free(text);
    spec->fault_sets = 10;
    if (!status && sets)
        status = fl_json_u64(&spec->fault_sets, sets, "'fault_sets'", error);
    if (!status && (spec->fault_sets < 1 || spec->fault_sets > FL_LOAD_REPEATS_MAX))
        status =
            fl_fail(error, FL_ERR_INVALID, "'fault_sets' must be 1 to %d", FL_LOAD_REPEATS_MAX);
    for (size_t o = 0; o < sizeof others / sizeof *others && !status; o++)
        for (unsigned i = 0; i <= spec->curve_count && !status; i++)
            if (fl_load_spec_setting(
                    i < spec->curve_count ? &spec->curves[i].settings : &spec->common, others[o]))
                status = fl_fail(
                    error, FL_ERR_INVALID,
                    "'%s' and 'fault_rates' do not go together: the faults of every run are drawn anew",
                    others[o]);
    return status;
}

/* ---- figures ---- */

static fl_status read_kind(unsigned *out, const cJSON *object, const char *key,
                           const char *const *names, fl_error *error)
{
    const cJSON *item = fl_spec_find(object, key);
    fl_text all = {0};
    for (unsigned i = 0; names[i]; i++) {
        if (cJSON_IsString(item) && strcmp(names[i], item->valuestring) == 0) {
            *out = i;
            fl_text_clear(&all);
            return FL_OK;
        }
        fl_text_append(&all, "%s%s", i ? (names[i + 1] ? ", " : " or ") : "", names[i]);
    }
    fl_status status =
        fl_fail(error, FL_ERR_INVALID, "'%s' must be %s", key, all.data ? all.data : "?");
    fl_text_clear(&all);
    return status;
}

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

static fl_status read_figure_curves(const fl_load_spec *spec, fl_load_figure *figure,
                                    const cJSON *list, fl_error *error)
{
    if (!list)
        return FL_OK;
    int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (size < 1)
        return fl_fail(error, FL_ERR_INVALID, "'curves' must be a list of labels");
    figure->curves = calloc((size_t)size, sizeof *figure->curves);
    if (!figure->curves)
        return fl_spec_out_of_memory(error);
    for (const cJSON *item = list->child; item; item = item->next) {
        unsigned curve = 0;
        while (cJSON_IsString(item) && curve < spec->curve_count &&
               strcmp(spec->curves[curve].label, item->valuestring) != 0)
            curve++;
        if (!cJSON_IsString(item) || curve == spec->curve_count)
            return fail_unknown_curve(spec, cJSON_IsString(item) ? item->valuestring : "?", error);
        if (!(figure->curves[figure->curve_count] = strdup(item->valuestring)))
            return fl_spec_out_of_memory(error);
        figure->curve_count++;
    }
    return FL_OK;
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
            "against '%s': specs with 'fault_rates', and no others, are drawn against 'fault_rate'",
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
    unsigned curve = 0;
    while (curve < spec->curve_count &&
           strcmp(spec->curves[curve].label, figure->difference_to) != 0)
        curve++;
    if (curve == spec->curve_count)
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
    if (!cJSON_IsObject(object))
        return fl_fail(error, FL_ERR_INVALID, "it must be an object");
    unsigned quantity = 0,
             axis = spec->fault_rates ? FL_LOAD_AXIS_FAULT_RATE : FL_LOAD_AXIS_OFFERED;
    fl_status status = fl_json_check_keys(object, figure_keys, error);
    if (!status)
        status = fl_spec_copy_text(&figure->name, object, "name", error);
    if (!status && (!figure->name || !fl_spec_is_file_name(figure->name)))
        status = fl_fail(error, FL_ERR_INVALID, "'name' must be a plain file name");
    if (!status)
        status = fl_spec_copy_text(&figure->title, object, "title", error);
    if (!status)
        status = read_kind(&quantity, object, "quantity", fl_load_quantity_names, error);
    if (!status && fl_spec_find(object, "against"))
        status = read_kind(&axis, object, "against", fl_load_axis_names, error);
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
    return status ? status
                  : read_figure_curves(spec, figure, fl_spec_find(object, "curves"), error);
}

static fl_status read_figures(fl_load_spec *spec, const cJSON *json, fl_error *error)
{
    const cJSON *list = fl_spec_find(json, "figures");
    if (!list)
        return FL_OK;
    int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (size < 1 || size > FL_LOAD_FIGURES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "'figures' must be a list of 1 to %d objects",
                       FL_LOAD_FIGURES_MAX);
    spec->figures = calloc((size_t)size, sizeof *spec->figures);
    if (!spec->figures)
        return fl_spec_out_of_memory(error);
    spec->figure_count = (unsigned)size;
    fl_status status = FL_OK;
    unsigned i = 0;
    for (const cJSON *item = list->child; item && !status; item = item->next, i++) {
        status = read_figure(spec, &spec->figures[i], item, error);
        for (unsigned j = 0; j < i && !status; j++)
            if (strcmp(spec->figures[i].name, spec->figures[j].name) == 0)
                status = fl_fail(error, FL_ERR_INVALID, "two figures are named '%s'",
                                 spec->figures[i].name);
        status = fl_spec_fail_in(error, "figure", i, status);
    }
    return status;
}

const char *fl_load_spec_figure(const fl_load_spec *spec, unsigned index)
{
    static const char *const usual[] = {"latency", "accepted"};
    if (spec->figure_count)
        return index < spec->figure_count ? spec->figures[index].name : NULL;
    return index < 2 ? usual[index] : NULL;
}

/* ---- the whole ---- */

static fl_status read_spec(fl_load_spec *spec, const cJSON *json, const char *const *options,
                           fl_error *error)
{
    if (!cJSON_IsObject(json))
        return fl_fail(error, FL_ERR_INVALID, "an experiment is a JSON object");
    fl_status status = fl_spec_copy_text(&spec->name, json, "name", error);
    if (!status && spec->name && !fl_spec_is_file_name(spec->name))
        status = fl_fail(
            error, FL_ERR_INVALID,
            "'name' must be a plain file name: at most 100 characters, no slash, no dot in front");
    if (!status)
        status = fl_spec_copy_text(&spec->title, json, "title", error);
    if (!status)
        status = fl_spec_copy_text(&spec->source, json, "source", error);
    if (!status)
        status = read_settings(&spec->common, json, top_keys, options, error);
    if (!status)
        status = read_curves(spec, json, options, error);
    if (!status)
        status = check_common(spec, error);
    if (!status)
        status = read_rates(spec, json, error);
    return status ? status : read_figures(spec, json, error);
}

fl_status fl_load_spec_read(fl_load_spec **out, const cJSON *json, const char *where,
                            const char *const *options, fl_error *error)
{
    fl_load_spec *spec = calloc(1, sizeof *spec);
    fl_status status = spec ? read_spec(spec, json, options, error) : fl_spec_out_of_memory(error);
    if (status) {
        fl_load_spec_destroy(spec);
        return where ? fl_fail_in(error, status, where) : status;
    }
    *out = spec;
    return FL_OK;
}

fl_status fl_load_spec_parse(fl_load_spec **out, const char *text, size_t length, const char *where,
                             const char *const *options, fl_error *error)
{
    cJSON *json = NULL;
    fl_status status = fl_json_parse(&json, text, length, where, error);
    if (status)
        return status;
    status = fl_load_spec_read(out, json, where, options, error);
    cJSON_Delete(json);
    return status;
}

void fl_load_spec_destroy(fl_load_spec *spec)
{
    if (!spec)
        return;
    for (unsigned i = 0; i < spec->curve_count; i++) {
        free(spec->curves[i].label);
        free_settings(&spec->curves[i].settings);
    }
    for (unsigned i = 0; i < spec->figure_count; i++) {
        fl_load_figure *figure = &spec->figures[i];
        for (unsigned c = 0; c < figure->curve_count; c++)
            free(figure->curves[c]);
        free(figure->curves);
        free(figure->name);
        free(figure->title);
        free(figure->difference_to);
    }
    free_settings(&spec->common);
    free(spec->curves);
    free(spec->figures);
    free(spec->fault_rates);
    free(spec->name);
    free(spec->title);
    free(spec->source);
    free(spec);
}
