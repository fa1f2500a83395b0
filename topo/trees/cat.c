/* CAT(k, n), the k-cube k-ary n-tree (Wang thesis, 2.1). n = 1 is one cube. */
#include "topo/trees/cubes.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    return fl_cubes_setup(network, (unsigned)values[0], (unsigned)values[1], false, error);
}

/* Two nodes lie in the same cube with probability 1 / k^(n-1); if not, each is a mean weight of
 * its corner away from its leaf. The average distance of the source is another: see published. */
static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    const fl_tree *tree = network->levels;
    double k = tree->k, n = tree->n, corners = pow(2, k) - 1, leaves = pow(k, n - 1),
           nodes = corners * k * leaves;
    double same = fl_cubes_mean_distance(k), climb = fl_cubes_mean_weight(k),
           to_tree = fl_cubes_mean_paths_to_tree(tree->k);
    double tree_paths = (k - 1) / (k * k - 1) * k * (pow(k, 2 * n - 2) - 1) /
                        leaves; /* mean over leaves, self pairs 0 */
    *out = (fl_closed_forms){
        .nodes = nodes,
        .switches = (n + corners) * leaves,
        .links = (3 * pow(2, k - 1) + n - 2) * pow(k, n),
        .radix = 2 * k,
        .diameter = n == 1 ? k + 2 : 2 * n + 2 * k,
        .average_distance_with_self =
            same / leaves + 2 * climb * (1 - 1 / leaves) + fl_tree_mean_climb(k, n) + 2 - 2 / nodes,
        .bisection_width = NAN,
        .path_diversity =
            (fl_cubes_mean_paths(tree->k) / leaves + to_tree * to_tree * tree_paths) / nodes,
    };
}

/* Wang thesis, Table 1 and 3.3. */
static void published(const fl_network *network, fl_closed_forms *out)
{
    const fl_tree *tree = network->levels;
    double k = tree->k, n = tree->n, leaves = pow(k, n - 1), cube = 0, term = 1;
    for (unsigned i = tree->k; i >= 1; i--) { /* sum of k!/i!, over 2^k */
        cube += term / pow(2, k);
        term *= i;
    }
    closed_forms(network, out);
    out->diameter = 2 * n + 2 * k;
    out->average_distance_with_self = k + 2 * n + 2 / (k - 1) - (k / (k - 1) + k / 2 + 2) / leaves;
    out->path_diversity =
        cube / leaves *
        (cube * (1 - pow(k, -(2 * n - 2))) / (k + 1) * pow(k, n) * (leaves - 1) + 1) / out->nodes;
}

const fl_network_type fl_network_cat = {
    .name = "cat",
    .summary =
        "CAT, k-cube k-ary n-tree: every leaf switch of a k-ary n-tree is the corner of a k-cube with the nodes",
    .source = "Wang thesis, 2.1 and Table 1",
    .parameters = {{.name = "k",
                    .summary = "arity of the tree and dimension of the cubes",
                    .least = 2,
                    .most = 20},
                   {.name = "n", .summary = "levels of the tree", .least = 1, .most = 38}},
    .create = create,
    .closed_forms = closed_forms,
    .published = published,
    FL_CUBES_FUNCTIONS,
};
