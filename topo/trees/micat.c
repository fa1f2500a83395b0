/* MiCAT(k, n), the mirrored k-cube k-ary n-tree (Wang thesis, 2.2). */
#include "topo/trees/cubes.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    return fl_cubes_setup(network, (unsigned)values[0], (unsigned)values[1], true, error);
}

/* As CAT within a group; leaves of different groups are 2n - 3 links apart, over k^(n-2) paths
 * (n - 1 of the digits are set by two links each but one, which the cross link sets). */
static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    const fl_tree *tree = network->levels;
    double k = tree->k, n = tree->n, corners = pow(2, k) - 1, leaves = pow(k, n - 1),
           nodes = 2 * corners * k * leaves;
    double same = fl_cubes_mean_distance(k), climb = fl_cubes_mean_weight(k),
           to_tree = fl_cubes_mean_paths_to_tree(tree->k);
    double in_group = (k - 1) / (k * k - 1) * k * (pow(k, 2 * n - 2) - 1) / leaves,
           across = pow(k, n - 2);
    double own = same / leaves + 2 * climb * (1 - 1 / leaves) + fl_tree_mean_climb(k, n),
           other = 2 * climb + 2 * n - 3;
    *out = (fl_closed_forms){
        .nodes = nodes,
        .switches = (2 * n - 4 + pow(2, k + 1)) * leaves,
        .links = (3 * pow(2, k) + 2 * n - 5) * pow(k, n),
        .radix = 2 * k,
        .diameter = 2 * n + 2 * k,
        .average_distance_with_self = (own + other) / 2 + 2 - 2 / nodes,
        .bisection_width = NAN,
        .path_diversity =
            (fl_cubes_mean_paths(tree->k) / leaves + to_tree * to_tree * (in_group + across)) / 2 /
            nodes,
    };
}

/* Wang thesis, Table 1 and 3.3. */
static void published(const fl_network *network, fl_closed_forms *out)
{
    const fl_tree *tree = network->levels;
    double k = tree->k, n = tree->n, leaves = pow(k, n - 1), cube = 0, term = 1;
    for (unsigned i = tree->k; i >= 1; i--) {
        cube += term / pow(2, k);
        term *= i;
    }
    double mikant = ((1 - pow(k, -(2 * n - 2))) / (4 * (k + 1)) + 1 / (4 * k * k)) * 2 * pow(k, n);
    closed_forms(network, out);
    out->average_distance_with_self =
        k + 2 * n - .5 + 4 / (k - 1) - (k / (k - 1) + k / 2 + 2) / (2 * leaves);
    out->path_diversity = cube / (2 * leaves) * (cube * mikant * (2 * leaves - 1) + 1) / out->nodes;
}

const fl_network_type fl_network_micat = {
    .name = "micat",
    .summary = "MiCAT, mirrored k-cube k-ary n-tree: CAT with a mirrored tree",
    .source = "Wang thesis, 2.2 and Table 1",
    .parameters = {{.name = "k",
                    .summary = "arity of the tree and dimension of the cubes",
                    .least = 2,
                    .most = 20},
                   {.name = "n",
                    .summary = "as that of MiKANT: n - 1 levels a group",
                    .least = 2,
                    .most = 38}},
    .create = create,
    .closed_forms = closed_forms,
    .published = published,
    FL_CUBES_FUNCTIONS,
};
