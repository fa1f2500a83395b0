/* XY-clique host-switch graph (Yasudo thesis, 3.3.4.2): sqrt(m) x sqrt(m) switches of radix r,
 * linked to all of the same row and column; every other port holds a node. */
#include "topo/direct/grid.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint64_t m = values[0], r = values[1], side = (uint64_t)llround(sqrt((double)m));
    if (side * side != m)
        return fl_fail(error, FL_ERR_INVALID, "%s: m must be a square, such as %llu or %llu",
                       network->spec, (unsigned long long)(side * side),
                       (unsigned long long)((side + 1) * (side + 1)));
    if (r < 2 * side - 1)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: %llu ports lead to other switches, so that r must be at least %llu",
                       network->spec, (unsigned long long)(2 * side - 2),
                       (unsigned long long)(2 * side - 1));
    return fl_grid_setup(network, FL_LINE_CLIQUE, (unsigned)side, 2, (unsigned)(r - 2 * side + 2),
                         FL_NOT_GIVEN, error);
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    double m = (double)network->values[0], r = (double)network->values[1];
    *out = (fl_closed_forms){.nodes = m * (r - 2 * sqrt(m) + 2),
                             .switches = m,
                             .links = NAN,
                             .radix = r,
                             .diameter = 4,
                             .average_distance_with_self = NAN,
                             .bisection_width = NAN};
}

const fl_network_type fl_network_xyclique = {
    .name = "xyclique",
    .summary =
        "XY-clique host-switch graph: a square of m switches of radix r, rows and columns cliques",
    .source = "Yasudo thesis, 3.3.4.2 and Table 3.1",
    .parameters =
        {{.name = "m", .summary = "switches, a square number", .least = 4, .most = 16777216},
         {.name = "r", .summary = "radix", .least = 3, .most = 32767}},
    .create = create,
    .published = published,
    FL_GRID_FUNCTIONS,
};
