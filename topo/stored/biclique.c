/* Biclique and star host-switch graphs (Yasudo thesis, 3.3.4.1): m1 switches, each linked to each
 * of m2 others, all of radix r; every other port holds a node. Switches 0..m1-1 are the first
 * kind. The star is the biclique with m1 = r and m2 = 1. */
#include "topo/stored/explicit.h"

#include <math.h>

typedef struct sizes {
    uint32_t m1, m2, r;
} sizes;

static sizes sizes_of(const fl_network *network)
{
    bool star = !network->type->parameters[1].name;
    const uint64_t *v = network->values;
    return star ? (sizes){(uint32_t)v[0], 1, (uint32_t)v[0]}
                : (sizes){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
}

static uint32_t nodes_of(void *user, uint32_t s)
{
    const sizes *size = user;
    return size->r - (s < size->m1 ? size->m2 : size->m1);
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    (void)values;
    sizes size = sizes_of(network);
    uint64_t m1 = size.m1, m2 = size.m2, r = size.r;
    if (m1 > r || m2 > r)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: a switch has r = %u ports, and needs one for each of m1 or m2 others",
                       network->spec, size.r);
    uint64_t nodes = m1 * (r - m2) + m2 * (r - m1);
    if (nodes == 0)
        return fl_fail(error, FL_ERR_INVALID, "%s: no port is left for nodes", network->spec);
    fl_explicit_graph graph;
    fl_status status = fl_explicit_begin(&graph, network, nodes, m1 + m2, m1 * m2, error);
    if (status)
        return status;
    fl_explicit_fill_homes(&graph, nodes_of, &size);
    for (uint32_t a = 0; a < size.m1; a++)
        for (uint32_t b = 0; b < size.m2; b++)
            fl_explicit_link(&graph, a, size.m1 + b);
    return fl_explicit_finish(network, &graph, size.r, error);
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    sizes size = sizes_of(network);
    double m1 = size.m1, m2 = size.m2, r = size.r, nodes = m1 * (r - m2) + m2 * (r - m1);
    *out = (fl_closed_forms){.nodes = nodes,
                             .switches = m1 + m2,
                             .links = nodes + m1 * m2,
                             .radix = r,
                             .diameter = NAN,
                             .average_distance_with_self = NAN,
                             .bisection_width = NAN};
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    closed_forms(network, out);
    out->links = NAN;
    out->diameter = 4;
}

/* The first kind on the left, the second on the right. */
static void place(const fl_network *network, fl_address at, double *x, double *y)
{
    sizes size = sizes_of(network);
    uint64_t number = fl_explicit_switch_index(network, at);
    bool second = number >= size.m1;
    double most = fmax(size.m1, size.m2), count = second ? size.m2 : size.m1;
    *x = second ? 1.5 + 0.3 * most : 0;
    *y = ((double)(second ? number - size.m1 : number) + 0.5) / count * most;
}

const fl_network_type fl_network_biclique = {
    .name = "biclique",
    .summary =
        "biclique host-switch graph: m1 switches, each linked to each of m2 others, nodes on all other ports",
    .source = "Yasudo thesis, 3.3.4.1",
    .parameters =
        {{.name = "m1", .summary = "switches of the first kind", .least = 1, .most = 8192},
         {.name = "m2", .summary = "switches of the second kind", .least = 1, .most = 8192},
         {.name = "r", .summary = "radix, m1 and m2 at least", .least = 2, .most = 32767}},
    .create = create,
    .closed_forms = closed_forms,
    .published = published,
    .place = place,
    FL_EXPLICIT_FUNCTIONS,
};

const fl_network_type fl_network_star = {
    .name = "star",
    .summary =
        "star host-switch graph: one switch of radix r, linked to r others, which hold r - 1 nodes each",
    .source = "Yasudo thesis, 3.3.4.1 and Table 3.1",
    .parameters = {{.name = "r", .summary = "radix", .least = 2, .most = 8192}},
    .create = create,
    .closed_forms = closed_forms,
    .published = published,
    FL_EXPLICIT_FUNCTIONS,
};
