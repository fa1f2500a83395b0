/* k-ary n-tree (Petrini and Vanneschi 1997; MiKANT paper, section II and Table I).
 * Switch <L, D>: level L in 0..n-1, digits D_{n-2}..D_0. Node <C_{n-1}..C_0> hangs on switch
 * <0, C_{n-2}..C_0>, port C_{n-1}. The up ports of the top level stay unplugged. */
#include "topo/trees/tree.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    return fl_tree_setup(network, (unsigned)values[0], (unsigned)values[1], false, error);
}

static void label(const fl_network *network, fl_address address, char *out, size_t size)
{
    unsigned level = fl_tree_level(address);
    bool node = fl_address_is_node(address);
    fl_tree_print_label(network->tree, &level, node ? 0 : 1, address, network->tree->n - !node, out,
                        size);
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    const fl_tree *tree = network->tree;
    unsigned level = 0, fields, count;
    if (!fl_tree_scan_label(tree, text, &level, &fields, 1, out, &count) || level > tree->top)
        return false;
    *out |=
        fields ? (uint64_t)level << FL_ADDRESS_LEVEL_SHIFT : UINT64_C(1) << FL_ADDRESS_NODE_SHIFT;
    return count == tree->n - fields;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double k = network->tree->k, n = network->tree->n;
    *out = (fl_closed_forms){
        .nodes = pow(k, n),
        .switches = n * pow(k, n - 1),
        .links = n * pow(k, n),
        .radix = 2 * k,
        .diameter = 2 * n,
        .average_distance_with_self = 2 * n - 2 / (k - 1) + 2 / ((k - 1) * pow(k, n)),
        .bisection_width = network->tree->k % 2 ? NAN : pow(k, n) / 2,
        .path_diversity = (1 - pow(k, -(2 * n - 2))) / (k + 1),
    };
}

/* Digits can be shifted, each by itself. */
static uint64_t representative(const fl_network *network, uint64_t index)
{
    return index < network->nodes / network->tree->k ? 0 : index;
}

const fl_network_type fl_network_kary_ntree = {
    .name = "kary-ntree",
    .summary = "k-ary n-tree: k^n nodes under n levels of k^(n-1) switches with 2k ports",
    .source = "MiKANT paper, section II and Table I (Petrini and Vanneschi 1997)",
    .parameters = {{.name = "k",
                    .summary = "arity: ports down, and ports up, of a switch",
                    .least = 2,
                    .most = 32767},
                   {.name = "n", .summary = "levels", .least = 1, .most = 40}},
    .create = create,
    FL_TREE_FUNCTIONS,
    .label = label,
    .parse_label = parse_label,
    .closed_forms = closed_forms,
    .representative = representative,
};
