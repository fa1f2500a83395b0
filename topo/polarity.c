#include "topo/explicit.h"
#include "topo/field.h"

#include <math.h>

/* Polarity host-switch graph (Yasudo thesis, 3.3.4.3; Brown's graph): the switches are the
 * q^2 + q + 1 points of the projective plane over the field of q elements, and x and y are linked
 * if x.y = 0. The q + 1 points with x.x = 0 have one link less. All other ports hold nodes.
 * Points (1,y,z) are numbered y q + z, then (0,1,z), then (0,0,1). */

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

/* The points of the line p.x + q.y + r.z = 0: q + 1 of them. */
static void points_of_line(const fl_field *f, point p, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < f->q; t++) {
        if (p.z != 0)
            out[count++] = number_of(f, (point){1, t, solve(f, fl_field_add(f, p.x, fl_field_times(f, p.y, t)), p.z)});
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

typedef struct layout {
    uint32_t r, q;
    const uint32_t *lines;
} layout;

static uint32_t links_of(const layout *l, uint32_t s)
{
    uint32_t links = 0;
    for (uint32_t i = 0; i <= l->q; i++)
        links += l->lines[(size_t)s * (l->q + 1) + i] != s;
    return links;
}

static uint32_t nodes_of(void *user, uint32_t s)
{
    const layout *l = user;
    return l->r - links_of(l, s);
}

static fl_status build(fl_network *network, const fl_field *f, uint32_t *lines, uint32_t r, fl_error *error)
{
    uint32_t q = f->q, points = q * q + q + 1;
    layout l = {r, q, lines};
    for (uint32_t s = 0; s < points; s++)
        points_of_line(f, point_of(f, s), lines + (size_t)s * (q + 1));
    fl_explicit_graph graph;
    uint64_t nodes = (uint64_t)r * points - (uint64_t)q * (q + 1) * (q + 1);
    fl_status status = fl_explicit_begin(&graph, nodes, points, (uint64_t)q * (q + 1) * (q + 1) / 2, error);
    if (status)
        return status;
    fl_explicit_fill_homes(&graph, nodes_of, &l);
    for (uint32_t s = 0; s < points; s++)
        for (uint32_t i = 0; i <= q; i++)
            if (lines[(size_t)s * (q + 1) + i] > s)
                fl_explicit_link(&graph, s, lines[(size_t)s * (q + 1) + i]);
    return fl_explicit_finish(network, &graph, r, error);
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint32_t q = (uint32_t)values[0], r = (uint32_t)values[1];
    if (r < q + 1)
        return fl_fail(error, FL_ERR_INVALID, "%s: switches have up to q + 1 = %u links: r must be at least that", network->spec, q + 1);
    fl_field field;
    fl_status status = fl_field_create(&field, q, error);
    if (status)
        return fl_fail_in(error, status, network->spec);
    fl_explicit_graph memory; /* only for the lines */
    status = fl_explicit_begin(&memory, 1, 1, ((uint64_t)q * q + q + 1) * (q + 1) / 2 + 1, error);
    if (!status) {
        status = build(network, &field, memory.ends, r, error);
        fl_explicit_abandon(&memory);
    }
    fl_field_destroy(&field);
    return status;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double q = (double)network->values[0], r = (double)network->values[1], nodes = r * (q * q + q + 1) - q * (q + 1) * (q + 1);
    *out = (fl_closed_forms){.nodes = nodes, .switches = q * q + q + 1, .links = nodes + q * (q + 1) * (q + 1) / 2, .radix = r,
                             .diameter = r > q + 1 ? 4 : NAN, .average_distance_with_self = NAN, .bisection_width = NAN};
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    closed_forms(network, out);
    out->links = NAN;
    out->diameter = 4;
}

const fl_network_type fl_network_polarity = {
    .name = "polarity",
    .summary = "polarity host-switch graph: the points of the projective plane of order q, linked if orthogonal",
    .source = "Yasudo thesis, 3.3.4.3 and Table 3.1",
    .parameters = {{.name = "q", .summary = "order of the field, a prime power", .least = 2, .most = 256},
                   {.name = "r", .summary = "radix, q + 1 at least", .least = 3, .most = 32767}},
    .create = create,
    .closed_forms = closed_forms,
    .published = published,
    FL_EXPLICIT_FUNCTIONS,
};
