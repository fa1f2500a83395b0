/* Bidirectional Clos network as two k-ary n-trees that share their highest level (MiKANT paper,
 * section II and Fig. 2, which has no labels: those of MiKANT are used). Switch <G,L,D>, the
 * middle stage <0,n-1,D>: its ports 0..k-1 lead down to group 0, k..2k-1 down to group 1. */
#include "topo/trees/tree_like.h"

#include <math.h>

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    unsigned k = (unsigned)values[0], n = (unsigned)values[1];
    fl_status status = fl_tree_like_setup(network, k, n, 2, false, 0, error);
    if (status)
        return status;
    network->pair_tree = network->levels;
    uint64_t per_group = fl_tree_power(k, n);
    network->nodes = 2 * per_group;
    network->switches = (2 * n - 1) * (per_group / k);
    network->links = 2 * n * per_group;
    network->link_codes = 2 * (uint64_t)n << network->levels->stage_shift;
    network->radix = 2 * k;
    network->classes = n;
    return FL_OK;
}

static const fl_tree *tree_of(const fl_network *network)
{
    return network->levels;
}

static fl_address shared_top(const fl_tree *tree, fl_address address)
{
    bool top = !fl_address_is_node(address) && fl_tree_level(address) == tree->top;
    return top ? address & ~(UINT64_C(1) << FL_ADDRESS_GROUP_SHIFT) : address;
}

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    const fl_tree *tree = tree_of(network);
    if (!fl_address_is_node(from) && fl_tree_level(from) == tree->top) {
        unsigned group = port >= tree->k;
        if (port >= 2 * tree->k)
            return false;
        return fl_tree_step(tree, from | (uint64_t)group << FL_ADDRESS_GROUP_SHIFT,
                            (fl_port)(port - group * tree->k), out);
    }
    if (!fl_tree_step(tree, from, port, out))
        return false;
    out->to = shared_top(tree, out->to);
    return true;
}

static void link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    const fl_tree *tree = tree_of(network);
    fl_tree_link_ends(network, link, out);
    if (fl_tree_level(out->b) == tree->top && fl_tree_group(out->b) == 1) {
        out->b = shared_top(tree, out->b);
        out->port_b = (fl_port)(out->port_b + tree->k);
    }
}

/* ---- what routing may know ---- */

/* In the middle stage a packet is in the destination's group already. A detour stays in the group
 * in which it began: that of its first switch on the way up, on the way down the destination's. */
FL_INLINE fl_stage_position stand(const fl_tree *tree, fl_address here, fl_address destination)
{
    bool middle = fl_tree_level(here) == tree->top;
    unsigned group = fl_tree_group(destination);
    if (middle)
        here |= (uint64_t)group << FL_ADDRESS_GROUP_SHIFT;
    fl_stage_position at = fl_tree_position(tree, here, destination);
    at.side = at.upward ? fl_tree_group(here) : group;
    at.ports.base += middle ? group * tree->k : 0;
    return at;
}

static bool position(const fl_network *network, fl_address here, fl_address destination,
                     fl_stage_position *out)
{
    *out = stand(tree_of(network), here, destination);
    return true;
}

static unsigned port(const fl_network *network, fl_address here, fl_address destination)
{
    fl_stage_position at = stand(tree_of(network), here, destination);
    return at.ports.base + at.ports.target;
}

static fl_stage_ports ports(const fl_network *network, fl_address here, fl_address destination,
                            unsigned level, bool up, unsigned side)
{
    (void)here;
    const fl_tree *tree = tree_of(network);
    fl_stage_ports out = fl_tree_ports(tree, destination, level, up);
    if (!up && level == tree->top)
        out.base += side * tree->k;
    return out;
}

static const fl_stages stages = {.position = position, .port = port, .ports = ports};

/* ---- switches ---- */

/* Group 0 from the leaves up, then group 1, then the middle. */
static fl_address switch_address(const fl_network *network, uint64_t index)
{
    const fl_tree *tree = tree_of(network);
    uint64_t per_level = network->nodes / 2 / tree->k, row = index / per_level;
    bool middle = row == 2 * tree->top;
    unsigned group = middle ? 0 : (unsigned)(row / tree->top),
             level = middle ? tree->top : (unsigned)(row % tree->top);
    return fl_tree_switch_at(group, level, fl_tree_pack(tree, index % per_level, tree->n - 1));
}

static uint64_t switch_index(const fl_network *network, fl_address address)
{
    const fl_tree *tree = tree_of(network);
    unsigned level = fl_tree_level(address),
             row = level == tree->top ? 2 * tree->top : fl_tree_group(address) * tree->top + level;
    return row * (network->nodes / 2 / tree->k) + fl_tree_unpack(tree, address, tree->n - 1);
}

static void label(const fl_network *network, fl_address address, char *out, size_t size)
{
    unsigned fields[2] = {fl_tree_group(address), fl_tree_level(address)};
    bool node = fl_address_is_node(address);
    fl_tree_print_label(tree_of(network), fields, node ? 1 : 2, address,
                        tree_of(network)->n - !node, out, size);
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    const fl_tree *tree = tree_of(network);
    unsigned fields[2] = {0, 0}, field_count, count;
    if (!fl_tree_scan_label(tree, text, fields, &field_count, 2, out, &count) || field_count == 0)
        return false;
    bool node = field_count == 1;
    if (fields[0] > 1 || fields[1] > tree->top || count != tree->n - !node)
        return false;
    *out |= (uint64_t)fields[0] << FL_ADDRESS_GROUP_SHIFT;
    *out |=
        node ? UINT64_C(1) << FL_ADDRESS_NODE_SHIFT : (uint64_t)fields[1] << FL_ADDRESS_LEVEL_SHIFT;
    return *out == shared_top(tree, *out);
}

/* Shortest paths of a pair of leaf switches: k^i up to level i, k^(n-1) between the groups. */
static double path_diversity(double k, double n)
{
    double same = (k - 1) / (k * k - 1) * k * (pow(k, 2 * n - 2) - 1) / pow(k, n - 1),
           other = pow(k, n - 1);
    return n == 1 ? 0 : (same + other) / 2 / (2 * pow(k, n));
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double k = tree_of(network)->k, n = tree_of(network)->n;
    *out = (fl_closed_forms){
        .nodes = 2 * pow(k, n),
        .switches = (2 * n - 1) * pow(k, n - 1),
        .links = 2 * n * pow(k, n),
        .radix = 2 * k,
        .diameter = 2 * n,
        .average_distance_with_self = 2 * n - 1 / (k - 1) + 1 / ((k - 1) * pow(k, n)),
        .bisection_width = pow(k, n), /* half of the nodes: see published */
        .path_diversity = path_diversity(k, n),
    };
}

/* MiKANT paper, Table I. Its bisection width, k^n / 2, is half of the true one: the network routes
 * every permutation of its 2 k^n nodes over disjoint links, so that halves that exchange k^n
 * packets each way have k^n links between them at least; and k^n are enough. */
static void published(const fl_network *network, fl_closed_forms *out)
{
    double k = tree_of(network)->k, n = tree_of(network)->n;
    closed_forms(network, out);
    out->bisection_width = tree_of(network)->k % 2 ? NAN : pow(k, n) / 2;
    out->path_diversity = NAN;
}

static uint64_t representative(const fl_network *network, uint64_t index)
{
    uint64_t per_level = network->nodes / 2 / tree_of(network)->k, row = index / per_level,
             top = tree_of(network)->top;
    return row == 2 * top ? index
                          : row % top * per_level; /* digits can be shifted, the groups exchanged */
}

const fl_network_type fl_network_clos = {
    .name = "clos",
    .summary = "bidirectional Clos network: two k-ary n-trees that share their highest level",
    .source = "MiKANT paper, section II, Fig. 2 and Table I",
    .parameters = {{.name = "k",
                    .summary = "arity: ports down, and ports up, of a switch",
                    .least = 2,
                    .most = 16383},
                   {.name = "n", .summary = "levels of a tree", .least = 1, .most = 40}},
    .create = create,
    .step = step,
    .node_address = fl_tree_node_address,
    .node_index = fl_tree_node_index,
    .switch_address = switch_address,
    .switch_index = switch_index,
    .link_code = fl_tree_link_code,
    .link_index = fl_tree_link_index,
    .link_ends = link_ends,
    .link_class = fl_tree_link_class,
    .class_size = fl_tree_class_size,
    .class_name = fl_tree_class_name,
    .label = label,
    .parse_label = parse_label,
    .closed_forms = closed_forms,
    .stages = &stages,
    .published = published,
    .representative = representative,
};
