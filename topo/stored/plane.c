/* Points and lines of a projective plane. */
#include "topo/stored/plane.h"
#include "topo/stored/field.h"

#include <stdlib.h>

typedef struct point {
    uint32_t x, y, z;
} point;

static uint32_t number_of(const fl_field *f, point p)
{
    return p.x ? p.y * f->q + p.z : p.y ? f->q * f->q + p.z : f->q * f->q + f->q;
}

static point point_of(const fl_field *f, uint32_t number)
{
    uint32_t q = f->q;
    if (number < q * q)
        return (point){1, number / q, number % q};
    return number < q * q + q ? (point){0, 1, number - q * q} : (point){0, 0, 1};
}

/* The solution t of a + b t = 0, b != 0. */
static uint32_t solve(const fl_field *f, uint32_t a, uint32_t b)
{
    return fl_field_times(f, fl_field_negative(f, a), fl_field_inverse(f, b));
}

static void list_points(const fl_field *f, uint32_t line, uint32_t *out)
{
    point p = point_of(f, line);
    uint32_t count = 0;
    for (uint32_t t = 0; t < f->q; t++) {
        if (p.z != 0)
            out[count++] = number_of(
                f, (point){1, t, solve(f, fl_field_add(f, p.x, fl_field_times(f, p.y, t)), p.z)});
        else if (p.y != 0)
            out[count++] = number_of(f, (point){1, solve(f, p.x, p.y), t});
        else
            out[count++] = number_of(f, (point){0, 1, t});
    }
    if (p.z != 0)
        out[count++] = number_of(f, (point){0, 1, solve(f, p.y, p.z)});
    else
        out[count++] = number_of(f, (point){0, 0, 1});
}

static fl_status list_lines(fl_plane *plane, fl_error *error)
{
    fl_field field;
    fl_status status = fl_field_create(&field, plane->order, error);
    if (status)
        return status;
    for (uint32_t line = 0; line < plane->size; line++)
        list_points(&field, line, plane->points + (size_t)line * (plane->order + 1));
    fl_field_destroy(&field);
    return FL_OK;
}

fl_status fl_plane_create(fl_plane *out, uint32_t order, fl_error *error)
{
    static const uint32_t triangle[] = {1, 2, 0, 2, 0, 1};
    *out = (fl_plane){.order = order, .size = order * order + order + 1};
    if (order < 1 || order > 256)
        return fl_fail(error, FL_ERR_INVALID,
                       "the order of a projective plane must be 1 to 256 here, not %u", order);
    out->points = malloc((size_t)out->size * (order + 1) * sizeof *out->points);
    if (!out->points)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a projective plane");
    for (int i = 0; i < 6 && order == 1; i++)
        out->points[i] = triangle[i];
    fl_status status = order > 1 ? list_lines(out, error) : FL_OK;
    if (status)
        fl_plane_destroy(out);
    return status;
}

void fl_plane_destroy(fl_plane *plane)
{
    free(plane->points);
    *plane = (fl_plane){0};
}
