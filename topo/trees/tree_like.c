/* What networks share that are trees in part or nearly. */
#include "topo/trees/tree_like.h"

#include <math.h>

fl_status fl_tree_like_setup(fl_network *network, unsigned k, unsigned n, unsigned groups,
                             bool mirrored, unsigned extra_bits, fl_error *error)
{
    if (n * fl_digit_bits(k) + extra_bits > FL_ADDRESS_LEVEL_SHIFT - 8)
        return fl_fail(
            error, FL_ERR_INVALID, "%s: too large: %u bits do not fit an address (%d are the most)",
            network->spec, n * fl_digit_bits(k) + extra_bits, FL_ADDRESS_LEVEL_SHIFT - 8);
    fl_tree_fill(&network->tree_storage, k, n, groups, mirrored);
    network->levels = &network->tree_storage;
    return FL_OK;
}

double fl_tree_mean_climb(double k, double n)
{
    return 2 * (n - 1) - 2 / (k - 1) + 2 / ((k - 1) * pow(k, n - 1));
}
