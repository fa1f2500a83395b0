/* k-ary n-cube (KNS paper, section 2; Yasudo thesis, 3.5.2.1). With k = 2 the two links between
 * neighbours would be one: that is the mesh. */
#include "topo/direct/grid.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    return fl_grid_setup(network, FL_LINE_RING, (unsigned)values[0], (unsigned)values[1],
                         (unsigned)values[2], values[3], error);
}

/* KNS paper, Table 3; Yasudo thesis, Table 3.1 for the diameter, which counts node links. The KNS
 * paper's Table 1 has the bisection bandwidth in channels, two a link, for one node a router. */
static void published(const fl_network *network, fl_closed_forms *out)
{
    double k = (double)network->values[0], n = (double)network->values[1],
           p = (double)network->values[2];
    double nodes = p * pow(k, n);
    bool restricted = network->values[3] != FL_NOT_GIVEN; /* not a network of the paper */
    *out = (fl_closed_forms){.nodes = restricted ? NAN : nodes,
                             .switches = pow(k, n),
                             .links = n * pow(k, n) + (double)network->nodes,
                             .radix = 2 * n + p,
                             .diameter = floor(k / 2) * n + 2,
                             .average_distance_with_self = NAN,
                             .bisection_width = p == 1 && !restricted ? 4 * nodes / k : NAN};
}

const fl_network_type fl_network_torus = {
    .name = "torus",
    .summary = "torus (k-ary n-cube) of k^n switches with p nodes each",
    .source = "KNS paper, section 2 and Table 3; Yasudo thesis, 3.5.2.1",
    .parameters =
        {{.name = "k", .summary = "switches along a dimension", .least = 3, .most = 32767},
         {.name = "n", .summary = "dimensions", .least = 1, .most = 40},
         FL_GRID_P,
         FL_GRID_NODES},
    .create = create,
    .published = published,
    FL_GRID_FUNCTIONS,
};
