/* Files of costs: one table of coefficients drives reading and its messages. */
#include "core/file.h"
#include "core/text/json.h"
#include "core/text/names.h"
#include "experiments/layout/private.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One coefficient. `unit` as the file has to have it, `$` for its currency. */
typedef struct row {
    const char *name, *unit;
    size_t offset;
    double least, most;
    bool whole;
} row;

#define ROW(name, unit, least, most)                              \
    {                                                             \
#name, unit, offsetof(fl_costs, name), least, most, false \
    }

static const row rows[] = {
    ROW(cabinet_width, "m", 0.001, 1000),
    ROW(cabinet_depth, "m", 0.001, 1000),
    {"cabinet_units", "U", offsetof(fl_costs, cabinet_units), 1, FL_FLOORPLAN_UNITS_MAX, true},
    ROW(inside_cabinet, "m", 0, 1000),
    ROW(between_overhead, "m", 0, 1000),
    ROW(copper_limit, "m", 0, 1e9),
    ROW(bandwidth, "Gb/s", 0, 1e9),
    ROW(copper_fixed, "$/(Gb/s)", -1e9, 1e9),
    ROW(copper_per_m, "$/(Gb/s m)", -1e9, 1e9),
    ROW(fibre_fixed, "$/(Gb/s)", -1e9, 1e9),
    ROW(fibre_per_m, "$/(Gb/s m)", -1e9, 1e9),
    ROW(switch_fixed, "$", -1e9, 1e9),
    ROW(switch_per_port, "$", -1e9, 1e9),
    ROW(copper_power, "W", 0, 1e9),
    ROW(fibre_power, "W", 0, 1e9),
    ROW(switch_power_fixed, "W", 0, 1e9),
    ROW(switch_power_per_port, "W", 0, 1e9),
};
enum { ROWS = sizeof rows / sizeof *rows, FILE_BYTES_MAX = 1 << 20 };

/* The unit of a row in the file's currency. */
static void unit_of(char *out, size_t size, const row *r, const fl_costs *costs)
{
    if (*r->unit == '$')
        snprintf(out, size, "%s%s", costs->currency, r->unit + 1);
    else
        snprintf(out, size, "%s", r->unit);
}

static fl_status read_text(char *out, size_t size, const cJSON *object, const char *key,
                           fl_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(item) || !*item->valuestring || strlen(item->valuestring) >= size)
        return fl_fail(error, FL_ERR_INVALID, "\"%s\": expected a text of 1 to %zu characters", key,
                       size - 1);
    snprintf(out, size, "%s", item->valuestring);
    return FL_OK;
}

static fl_status read_value(double *out, const cJSON *item, const row *r, fl_error *error)
{
    if (!cJSON_IsNumber(item))
        return fl_fail(error, FL_ERR_INVALID, "\"value\": expected a number from %g to %g",
                       r->least, r->most);
    *out = item->valuedouble;
    if (!(*out >= r->least && *out <= r->most))
        return fl_fail(error, FL_ERR_INVALID, "\"value\": %g is not from %g to %g", *out, r->least,
                       r->most);
    if (r->whole && *out != floor(*out))
        return fl_fail(error, FL_ERR_INVALID, "\"value\": %g is not a whole number", *out);
    return FL_OK;
}

static fl_status read_row(fl_costs *out, const row *r, const cJSON *object, fl_error *error)
{
    static const char *const keys[] = {"value", "unit", "source", NULL};
    char unit[64], given[64], source[1024];
    unit_of(unit, sizeof unit, r, out);
    if (!cJSON_IsObject(object))
        return fl_fail(error, FL_ERR_INVALID,
                       "%s; expected {\"value\": NUMBER, \"unit\": \"%s\", \"source\": \"TEXT\"}",
                       object ? "it is not an object" : "it is missing", unit);
    fl_status status = fl_json_check_keys(object, keys, error);
    if (!status)
        status = read_value((double *)((char *)out + r->offset),
                            cJSON_GetObjectItemCaseSensitive(object, "value"), r, error);
    if (!status)
        status = read_text(given, sizeof given, object, "unit", error);
    if (!status && strcmp(given, unit) != 0)
        status =
            fl_fail(error, FL_ERR_INVALID, "\"unit\": '%s' is not its unit, '%s'", given, unit);
    return status ? status : read_text(source, sizeof source, object, "source", error);
}

static fl_status read_rows(fl_costs *out, const cJSON *coefficients, fl_error *error)
{
    const char *names[ROWS + 1] = {0};
    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    if (!cJSON_IsObject(coefficients))
        return fl_fail(error, FL_ERR_INVALID, "\"coefficients\": expected an object");
    fl_status status = fl_json_check_keys(coefficients, names, error);
    for (size_t i = 0; i < ROWS && !status; i++) {
        status = read_row(out, &rows[i],
                          cJSON_GetObjectItemCaseSensitive(coefficients, rows[i].name), error);
        if (status)
            status = fl_fail_in(error, status, rows[i].name);
    }
    return status;
}

static fl_status read_costs(fl_costs *out, const cJSON *root, fl_error *error)
{
    static const char *const keys[] = {"name", "about", "currency", "coefficients", NULL};
    char about[4096];
    *out = (fl_costs){0};
    if (!cJSON_IsObject(root))
        return fl_fail(error, FL_ERR_INVALID, "expected an object");
    fl_status status = fl_json_check_keys(root, keys, error);
    if (!status)
        status = read_text(out->name, sizeof out->name, root, "name", error);
    if (!status)
        status = fl_text_check_label(out->name, "name", error);
    if (!status)
        status = read_text(about, sizeof about, root, "about", error);
    if (!status)
        status = read_text(out->currency, sizeof out->currency, root, "currency", error);
    if (!status)
        status = fl_text_check_label(out->currency, "currency", error);
    return status ? status
                  : read_rows(out, cJSON_GetObjectItemCaseSensitive(root, "coefficients"), error);
}

fl_status fl_costs_parse(fl_costs *out, const char *text, size_t length, const char *where,
                         fl_error *error)
{
    cJSON *root;
    fl_status status = fl_json_parse(&root, text, length, where, error);
    if (status)
        return status;
    status = read_costs(out, root, error);
    cJSON_Delete(root);
    return status ? fl_fail_in(error, status, where) : FL_OK;
}

fl_status fl_costs_default(fl_costs *out, fl_error *error)
{
    return fl_costs_parse(out, fl_costs_file[0].text, strlen(fl_costs_file[0].text),
                          fl_costs_file[0].name, error);
}

fl_status fl_costs_read(fl_costs *out, const char *path, fl_error *error)
{
    char *text;
    size_t length;
    fl_status status = fl_file_read(&text, &length, path, FILE_BYTES_MAX, error);
    if (status)
        return status;
    status = fl_costs_parse(out, text, length, path, error);
    free(text);
    return status;
}
