#include "core/array.h"
#include "faults/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAULT_POINTS_MAX = 1000000 };

/* `first:last:step`, `first:last` or `a,b,c` as up to FAULT_POINTS_MAX numbers; counts are handled
 * as doubles too, which are exact up to 2^53. */
static fl_status parse(double **out, uint32_t *fault_points, const char *text, bool rates,
                       fl_error *error)
{
    const char *what = rates ? "numbers from 0 to 1" : "fault counts (whole numbers)";
    const char *example = rates ? "0:1:0.05 or 0,0.1,0.5" : "0:135:1 or 0,10,40";
    char *copy = strdup(text);
    double *values = NULL;
    uint32_t count = 0;
    fl_status status = FL_OK;
    if (!copy)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    bool range = strchr(copy, ':') != NULL;
    double components[3] = {0, 0, 1};
    size_t capacity = 0;
    for (char *item = copy, *next; item && !status; item = next) {
        next = strpbrk(item, ":,");
        bool mixed = next && (*next == ':') != range;
        if (next)
            *next++ = 0;
        double value = 0;
        uint64_t whole = 0;
        bool good = rates ? fl_text_to_double(item, &value) && value >= 0 && value <= 1
                          : fl_text_to_count(item, &whole);
        if (!rates)
            value = (double)whole;
        if (mixed || !good || value > 9007199254740992.0) {
            bool whole_text = strcmp(item, text) == 0;
            status = fl_fail(error, FL_ERR_INVALID, "'%.60s'%s%.60s%s: expected %s, for example %s",
                             item, whole_text ? "" : " in '", whole_text ? "" : text,
                             whole_text ? "" : "'", what, example);
        } else if (range) {
            if (count == 3)
                status = fl_fail(error, FL_ERR_INVALID,
                                 "'%.60s': a range is first:last or first:last:step", text);
            else
                components[count++] = value;
        } else {
            if (!FL_GROW(values, capacity, count, 1)) {
                status = fl_fail(error, FL_ERR_MEMORY, "out of memory");
                break;
            }
            values[count++] = value;
            if (count > 1 && values[count - 1] <= values[count - 2])
                status = fl_fail(error, FL_ERR_INVALID, "'%.60s': the values must rise", text);
        }
    }
    if (!status && range) {
        if (count == 2 && rates)
            status =
                fl_fail(error, FL_ERR_INVALID,
                        "'%.60s': a range of rates needs a step, for example %s", text, example);
        else if (components[1] < components[0] || components[2] <= 0)
            status = fl_fail(error, FL_ERR_INVALID,
                             "'%.60s': a range must rise, and its step be above 0", text);
        else {
            /* A last value that only rounding keeps out (0:1:0.1) belongs to the range. */
            double steps =
                floor((components[1] - components[0]) / components[2] * (1 + 1e-12) + 1e-9);
            if (steps >= FAULT_POINTS_MAX)
                status = fl_fail(error, FL_ERR_INVALID, "'%.60s' has more than %d values", text,
                                 FAULT_POINTS_MAX);
            else if (!(values = malloc(((size_t)steps + 1) * sizeof *values)))
                status = fl_fail(error, FL_ERR_MEMORY, "out of memory");
            else
                for (count = 0; count <= (uint32_t)steps; count++) {
                    double value = components[0] + count * components[2];
                    values[count] = value > components[1] ? components[1] : value;
                }
        }
    }
    free(copy);
    if (status) {
        free(values);
        return status;
    }
    *out = values;
    *fault_points = count;
    return FL_OK;
}

fl_status fl_axis_parse_rates(double **out, uint32_t *fault_points, const char *text,
                              fl_error *error)
{
    return parse(out, fault_points, text, true, error);
}

fl_status fl_axis_parse_counts(uint64_t **out, uint32_t *fault_points, const char *text,
                               fl_error *error)
{
    double *values;
    fl_status status = parse(&values, fault_points, text, false, error);
    if (status)
        return status;
    uint64_t *counts = malloc(*fault_points * sizeof *counts);
    if (!counts) {
        free(values);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < *fault_points; i++)
        counts[i] = (uint64_t)values[i];
    free(values);
    *out = counts;
    return FL_OK;
}
