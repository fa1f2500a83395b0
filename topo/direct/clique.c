/* Clique host-switch graph (Yasudo thesis, 3.3.3): m switches of radix r, all linked to each
 * other; every other port holds a node. */
#include "topo/direct/grid.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint64_t m = values[0], r = values[1];
    if (r < m)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: %llu ports lead to other switches, so that r must be at least m = %llu",
                       network->spec, (unsigned long long)m - 1, (unsigned long long)m);
    return fl_grid_setup(network, FL_LINE_CLIQUE, (unsigned)m, 1, (unsigned)(r - m + 1),
                         FL_NOT_GIVEN, error);
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    double m = (double)network->values[0], r = (double)network->values[1];
    *out = (fl_closed_forms){.nodes = m * (r - m + 1),
                             .switches = m,
                             .links = NAN,
                             .radix = r,
                             .diameter = 3,
                             .average_distance_with_self = NAN,
                             .bisection_width = NAN};
}

const fl_network_type fl_network_clique = {
    .name = "clique",
    .summary =
        "clique host-switch graph: m switches of radix r, all linked, nodes on all other ports",
    .source = "Yasudo thesis, 3.3.3 and Table 3.1",
    .parameters = {{.name = "m", .summary = "switches", .least = 2, .most = 4096},
                   {.name = "r", .summary = "radix", .least = 2, .most = 32767}},
    .create = create,
    .published = published,
    FL_GRID_FUNCTIONS,
};
