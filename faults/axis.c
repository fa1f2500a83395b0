/* The axis of a sweep: fault counts or fault rates from a text. */
#include "core/array.h"
#include "faults/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAULT_POINTS_MAX = 1000000 };

/* `first:last:step`, `first:last` or `a,b,c` while it is read. Counts are handled as doubles, too,
 * which are exact up to 2^53. */
typedef struct parsed {
    const char *text;
    bool rates, range;
    double components[3]; /* of a range */
    double *values;       /* of a list; in the end of both */
    size_t capacity;
    uint32_t count; /* components or values so far */
} parsed;

#define COUNT_MAX 9007199254740992.0

static const char *example_of(const parsed *p)
{
    return p->rates ? "0:1:0.05 or 0,0.1,0.5" : "0:135:1 or 0,10,40";
}

static fl_status refuse_item(const parsed *p, const char *item, fl_error *error)
{
    bool all = strcmp(item, p->text) == 0;
    return fl_fail(error, FL_ERR_INVALID, "'%.60s'%s%.60s%s: expected %s, for example %s", item,
                   all ? "" : " in '", all ? "" : p->text, all ? "" : "'",
                   p->rates ? "numbers from 0 to 1" : "fault counts (whole numbers)",
                   example_of(p));
}

static bool read_number(const parsed *p, const char *item, double *out)
{
    uint64_t whole = 0;
    if (p->rates)
        return fl_text_to_double(item, out) && *out >= 0 && *out <= 1;
    bool good = fl_text_to_count(item, &whole);
    *out = (double)whole;
    return good && *out <= COUNT_MAX;
}

static fl_status add_component(parsed *p, double value, fl_error *error)
{
    if (p->count == 3)
        return fl_fail(error, FL_ERR_INVALID, "'%.60s': a range is first:last or first:last:step",
                       p->text);
    p->components[p->count++] = value;
    return FL_OK;
}

static fl_status add_value(parsed *p, double value, fl_error *error)
{
    if (!FL_GROW(p->values, p->capacity, p->count, 1))
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    p->values[p->count++] = value;
    if (p->count > 1 && p->values[p->count - 1] <= p->values[p->count - 2])
        return fl_fail(error, FL_ERR_INVALID, "'%.60s': the values must rise", p->text);
    return FL_OK;
}

/* All numbers of `copy`, which is cut into items. */
static fl_status read_items(parsed *p, char *copy, fl_error *error)
{
    fl_status status = FL_OK;
    for (char *item = copy, *next; item && !status; item = next) {
        double value = 0;
        next = strpbrk(item, ":,");
        bool mixed = next && (*next == ':') != p->range;
        if (next)
            *next++ = 0;
        if (mixed || !read_number(p, item, &value))
            status = refuse_item(p, item, error);
        else
            status = (p->range ? add_component : add_value)(p, value, error);
    }
    return status;
}

/* The values of a range, up to FAULT_POINTS_MAX. */
static fl_status fill_range(parsed *p, fl_error *error)
{
    double first = p->components[0], last = p->components[1], step = p->components[2];
    if (p->count == 2 && p->rates)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%.60s': a range of rates needs a step, for example %s", p->text,
                       example_of(p));
    if (last < first || step <= 0)
        return fl_fail(error, FL_ERR_INVALID, "'%.60s': a range must rise, and its step be above 0",
                       p->text);
    /* A last value that only rounding keeps out (0:1:0.1) belongs to the range. */
    double steps = floor((last - first) / step * (1 + 1e-12) + 1e-9);
    if (steps >= FAULT_POINTS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "'%.60s' has more than %d values", p->text,
                       FAULT_POINTS_MAX);
    p->values = malloc(((size_t)steps + 1) * sizeof *p->values);
    if (!p->values)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    for (p->count = 0; p->count <= (uint32_t)steps; p->count++) {
        double value = first + p->count * step;
        p->values[p->count] = value > last ? last : value;
    }
    return FL_OK;
}

static fl_status parse(double **out, uint32_t *fault_points, const char *text, bool rates,
                       fl_error *error)
{
    parsed p = {
        .text = text, .rates = rates, .range = strchr(text, ':') != NULL, .components = {0, 0, 1}};
    char *copy = strdup(text);
    if (!copy)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    fl_status status = read_items(&p, copy, error);
    free(copy);
    if (!status && p.range)
        status = fill_range(&p, error);
    if (status) {
        free(p.values);
        return status;
    }
    *out = p.values;
    *fault_points = p.count;
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
