/* Flattened butterfly (KNS paper, Table 3): every line is a clique. */
#include "topo/direct/grid.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    return fl_grid_setup(network, FL_LINE_CLIQUE, (unsigned)values[0], (unsigned)values[1],
                         (unsigned)values[2], FL_NOT_GIVEN, error);
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    fl_grid_closed_forms(network, out);
    out->radix = out->diameter = out->average_distance_with_self = out->bisection_width =
        out->path_diversity = NAN;
}

const fl_network_type fl_network_fbfly = {
    .name = "fbfly",
    .summary = "flattened butterfly: k^n switches with p nodes each, every line a clique",
    .source = "KNS paper, Table 3",
    .parameters = {{.name = "k", .summary = "switches along a dimension", .least = 2, .most = 4096},
                   {.name = "n", .summary = "dimensions", .least = 1, .most = 40},
                   FL_GRID_P},
    .create = create,
    .published = published,
    FL_GRID_FUNCTIONS,
};
