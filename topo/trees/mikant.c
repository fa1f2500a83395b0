/* MiKANT, the mirrored k-ary n-tree (Li and Chu 2018, sections II and III).
 * Switch <G, L, D>: group G in {0,1}, level L in 0..n-2, digits D_{n-2}..D_0. Node <G, C> hangs
 * on switch <G, 0, C_{n-2}..C_0>, port C_{n-1}. Up from the top level crosses to the other
 * group. n = 1 is one switch with 2k nodes: a tree of arity 2k without digits in its switch,
 * whose ports 0..k-1 hold group 0 and k..2k-1 group 1. */
#include "topo/trees/tree.h"

#include <math.h>

static bool is_single_switch(const fl_network *network)
{
    return !network->tree->mirrored;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    unsigned k = (unsigned)values[0], n = (unsigned)values[1];
    fl_status status = n == 1 ? fl_tree_setup(network, 2 * k, 1, false, error)
                              : fl_tree_setup(network, k, n, true, error);
    network->radix = 2 * k; /* the single switch has no up side */
    return status;
}

static void label(const fl_network *network, fl_address address, char *out, size_t size)
{
    const fl_tree *tree = network->tree;
    unsigned fields[2] = {fl_tree_group(address), fl_tree_level(address)};
    bool node = fl_address_is_node(address);
    fl_tree shown = *tree;
    if (is_single_switch(network)) {
        shown.k = tree->k / 2;
        fields[0] = node ? (unsigned)(address & FL_ADDRESS_DIGITS) / shown.k : 0;
        address = node ? (address & FL_ADDRESS_DIGITS) % shown.k : address;
    }
    fl_tree_print_label(&shown, fields, node ? 1 : 2, address, tree->n - !node, out, size);
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    const fl_tree *tree = network->tree;
    unsigned fields[2] = {0, 0}, field_count, count, k = (unsigned)network->values[0];
    fl_tree shown = *tree;
    shown.k = k;
    if (!fl_tree_scan_label(&shown, text, fields, &field_count, 2, out, &count) || field_count == 0)
        return false;
    bool node = field_count == 1;
    if (fields[0] > 1 || fields[1] > tree->top || count != tree->n - !node)
        return false;
    if (is_single_switch(network)) {
        *out = node ? UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | (*out + (uint64_t)fields[0] * k) : 0;
        return node || fields[0] == 0;
    }
    *out |= (uint64_t)fields[0] << FL_ADDRESS_GROUP_SHIFT;
    *out |=
        node ? UINT64_C(1) << FL_ADDRESS_NODE_SHIFT : (uint64_t)fields[1] << FL_ADDRESS_LEVEL_SHIFT;
    return true;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double k = (double)network->values[0], n = (double)network->values[1];
    if (is_single_switch(network)) {
        *out = (fl_closed_forms){2 * k, 1, 2 * k, 2 * k, 2, 2 - 1 / k, NAN, 0, 0};
        return;
    }
    *out = (fl_closed_forms){
        .nodes = 2 * pow(k, n),
        .switches = (2 * n - 2) * pow(k, n - 1),
        .links = (2 * n - 1) * pow(k, n),
        .radix = 2 * k,
        .diameter = 2 * n,
        .average_distance_with_self = 2 * n - 1 / (k - 1) + 1 / ((k - 1) * pow(k, n)) - .5,
        .bisection_width = network->tree->k % 2 ? NAN : pow(k, n) / 2,
        .path_diversity = (1 - pow(k, -(2 * n - 2))) / (4 * (k + 1)) + 1 / (4 * k * k),
    };
}

/* Digits can be shifted, and the groups exchanged. */
static uint64_t representative(const fl_network *network, uint64_t index)
{
    uint64_t per_level = network->switches / network->tree->groups / (network->tree->top + 1),
             row = index / per_level;
    return row % (network->tree->top + 1) * per_level;
}

const fl_network_type fl_network_mikant = {
    .name = "mikant",
    .summary =
        "MiKANT, mirrored k-ary n-tree: 2k^n nodes, two groups of n-1 levels that are each other's roots",
    .source = "MiKANT paper, sections II to IV (Li and Chu 2018)",
    .parameters = {{.name = "k",
                    .summary = "arity: ports down, and ports up, of a switch",
                    .least = 2,
                    .most = 16383},
                   {.name = "n", .summary = "digits of a node", .least = 1, .most = 40}},
    .create = create,
    FL_TREE_FUNCTIONS,
    .label = label,
    .parse_label = parse_label,
    .closed_forms = closed_forms,
    .representative = representative,
};
