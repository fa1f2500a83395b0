/* Polarity host-switch graph (Yasudo thesis, 3.3.4.3; Brown's graph): the switches are the
 * q^2 + q + 1 points of the projective plane over the field of q elements, and x and y are linked
 * if x.y = 0. The q + 1 points with x.x = 0 have one link less. All other ports hold nodes.
 * Points are numbered as in plane.h. */
#include "topo/stored/explicit.h"
#include "topo/stored/plane.h"

#include <math.h>

typedef struct layout {
    uint32_t r;
    const fl_plane *plane;
} layout;

static uint32_t links_of(const fl_plane *plane, uint32_t s)
{
    uint32_t links = 0;
    for (uint32_t i = 0; i <= plane->order; i++)
        links += fl_plane_line(plane, s)[i] != s;
    return links;
}

static uint32_t nodes_of(void *user, uint32_t s)
{
    const layout *l = user;
    return l->r - links_of(l->plane, s);
}

static fl_status build(fl_network *network, const fl_plane *plane, uint32_t r, fl_error *error)
{
    uint32_t q = plane->order, points = plane->size;
    layout l = {r, plane};
    fl_explicit_graph graph;
    uint64_t nodes = (uint64_t)r * points - (uint64_t)q * (q + 1) * (q + 1);
    fl_status status = fl_explicit_begin(&graph, network, nodes, points,
                                         (uint64_t)q * (q + 1) * (q + 1) / 2, error);
    if (status)
        return status;
    fl_explicit_fill_homes(&graph, nodes_of, &l);
    for (uint32_t s = 0; s < points; s++)
        for (uint32_t i = 0; i <= q; i++)
            if (fl_plane_line(plane, s)[i] > s)
                fl_explicit_link(&graph, s, fl_plane_line(plane, s)[i]);
    return fl_explicit_finish(network, &graph, r, error);
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint32_t q = (uint32_t)values[0], r = (uint32_t)values[1];
    if (r < q + 1)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: switches have up to q + 1 = %u links: r must be at least that",
                       network->spec, q + 1);
    fl_plane plane;
    fl_status status = fl_plane_create(&plane, q, error);
    if (status)
        return fl_fail_in(error, status, network->spec);
    status = build(network, &plane, r, error);
    fl_plane_destroy(&plane);
    return status;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double q = (double)network->values[0], r = (double)network->values[1],
           nodes = r * (q * q + q + 1) - q * (q + 1) * (q + 1);
    *out = (fl_closed_forms){.nodes = nodes,
                             .switches = q * q + q + 1,
                             .links = nodes + q * (q + 1) * (q + 1) / 2,
                             .radix = r,
                             .diameter = r > q + 1 ? 4 : NAN,
                             .average_distance_with_self = NAN,
                             .bisection_width = NAN};
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    closed_forms(network, out);
    out->links = NAN;
    out->diameter = 4;
}

const fl_network_type fl_network_polarity = {
    .name = "polarity",
    .summary =
        "polarity host-switch graph: the points of the projective plane of order q, linked if orthogonal",
    .source = "Yasudo thesis, 3.3.4.3 and Table 3.1",
    .parameters =
        {{.name = "q", .summary = "order of the field, a prime power", .least = 2, .most = 256},
         {.name = "r", .summary = "radix, q + 1 at least", .least = 3, .most = 32767}},
    .create = create,
    .closed_forms = closed_forms,
    .published = published,
    FL_EXPLICIT_FUNCTIONS,
};
