/* The k-cube with p nodes on every corner: digits base 2, one port a dimension. */
#include "topo/direct/grid.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    return fl_grid_setup(network, FL_LINE_CLIQUE, 2, (unsigned)values[0], (unsigned)values[1],
                         FL_NOT_GIVEN, error);
}

/* Wang thesis, Table 1: the switches are the nodes there, and no node links are counted. */
static void published(const fl_network *network, fl_closed_forms *out)
{
    double k = (double)network->values[0], paths = 0, term = 1;
    *out = (fl_closed_forms){.nodes = pow(2, k),
                             .switches = pow(2, k),
                             .links = k * pow(2, k - 1),
                             .radix = k,
                             .diameter = k,
                             .average_distance_with_self = k / 2,
                             .bisection_width = NAN};
    for (unsigned i = (unsigned)k; i >= 1; i--) { /* k!/i! */
        paths += term;
        term *= i;
    }
    out->path_diversity = paths / pow(4, k);
}

const fl_network_type fl_network_hypercube = {
    .name = "hypercube",
    .summary = "k-cube: 2^k switches, each linked to the k that differ in one bit",
    .source = "Wang thesis, Table 1",
    .parameters = {{.name = "k", .summary = "dimensions", .least = 1, .most = 40}, FL_GRID_P},
    .create = create,
    .published = published,
    FL_GRID_FUNCTIONS,
};
