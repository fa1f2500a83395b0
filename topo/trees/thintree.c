/* k:k'-ary n-thintree (thin-tree paper, III.C): k ports down and k' = `up` ports up. The source's
 * neighbourhood formula is garbled in places; what it draws is this. Switch <L,D> has the digits
 * D_{n-2}..D_L base k and D_{L-1}..D_0 base k'. Port k + q leads up to the switch with D_L := q,
 * and D_L is the port down from there. With k' = k it is the k-ary n-tree. */
#include "topo/trees/tree_like.h"

#include <math.h>

static unsigned radix_of(const fl_network *network, unsigned level, unsigned place)
{
    const fl_tree *tree = network->levels;
    return place < level ? tree->up : tree->k;
}

static uint64_t switches_in(const fl_network *network, unsigned level)
{
    const fl_tree *tree = network->levels;
    return fl_tree_power(tree->k, tree->n - 1 - level) * fl_tree_power(tree->up, level);
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    unsigned k = (unsigned)values[0], up = (unsigned)values[1], n = (unsigned)values[2];
    if (up > k)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: a thin tree does not widen: up may be k = %u at most", network->spec,
                       k);
    fl_status status = fl_tree_like_setup(network, k, n, 1, false, 0, error);
    if (status)
        return status;
    network->tree_storage.up = up;
    network->nodes = fl_tree_power(k, n);
    for (unsigned level = 0; level < n; level++)
        network->switches += switches_in(network, level);
    network->links = network->switches * k;
    network->link_codes = (uint64_t)n << network->levels->stage_shift;
    network->radix = k + up;
    network->classes = n;
    return FL_OK;
}

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    return port < network->radix && fl_tree_step(network->levels, from, port, out);
}

/* Digits of mixed radix, the ones below the level base up. */
static uint64_t pack(const fl_network *network, unsigned level, uint64_t number)
{
    const fl_tree *tree = network->levels;
    uint64_t digits = 0;
    for (unsigned place = 0; place + 1 < tree->n; place++) {
        unsigned radix = radix_of(network, level, place);
        digits |= number % radix << (place * tree->bits);
        number /= radix;
    }
    return digits;
}

static uint64_t unpack(const fl_network *network, unsigned level, uint64_t digits)
{
    const fl_tree *tree = network->levels;
    uint64_t number = 0;
    for (unsigned place = tree->n - 1; place-- > 0;)
        number = number * radix_of(network, level, place) + fl_tree_digit(tree, digits, place);
    return number;
}

static fl_address switch_address(const fl_network *network, uint64_t index)
{
    unsigned level = 0;
    for (; index >= switches_in(network, level); level++)
        index -= switches_in(network, level);
    return fl_tree_switch_at(0, level, pack(network, level, index));
}

static uint64_t switch_index(const fl_network *network, fl_address address)
{
    uint64_t before = 0;
    unsigned level = fl_tree_level(address);
    for (unsigned below = 0; below < level; below++)
        before += switches_in(network, below);
    return before + unpack(network, level, address);
}

/* Links by their upper end: k ports down of each switch, in the order of switches and ports. */
static void link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    fl_tree_link_ends(network, link, out);
}

static fl_link link_code(const fl_network *network, uint64_t index)
{
    fl_hop hop;
    unsigned k = network->levels->k;
    step(network, switch_address(network, index / k), (fl_port)(index % k), &hop);
    return hop.link;
}

static uint64_t link_index(const fl_network *network, fl_link link)
{
    fl_link_ends ends;
    fl_tree_link_ends(network, link, &ends);
    return switch_index(network, ends.b) * network->levels->k + ends.port_b;
}

static uint64_t class_size(const fl_network *network, unsigned link_class)
{
    return switches_in(network, link_class) * network->levels->k;
}

static void label(const fl_network *network, fl_address address, char *out, size_t size)
{
    unsigned level = fl_tree_level(address);
    bool node = fl_address_is_node(address);
    fl_tree_print_label(network->levels, &level, node ? 0 : 1, address, network->levels->n - !node,
                        out, size);
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    const fl_tree *tree = network->levels;
    unsigned level = 0, fields, count;
    if (!fl_tree_scan_label(tree, text, &level, &fields, 1, out, &count) || level > tree->top ||
        count != tree->n - fields)
        return false;
    for (unsigned place = 0; place < count; place++)
        if (fl_tree_digit(tree, *out, place) >= radix_of(network, level, place))
            return false;
    *out |=
        fields ? (uint64_t)level << FL_ADDRESS_LEVEL_SHIFT : UINT64_C(1) << FL_ADDRESS_NODE_SHIFT;
    return true;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    const fl_tree *tree = network->levels;
    double k = tree->k, up = tree->up, n = tree->n, paths = 0, switches = 0;
    for (unsigned level = 0; level < tree->n; level++) {
        switches += pow(k, n - 1 - level) * pow(up, level);
        if (level > 0)
            paths += pow(up, level) * (pow(k, level) - pow(k, level - 1)) / pow(k, n - 1);
    }
    *out = (fl_closed_forms){
        .nodes = pow(k, n),
        .switches = switches,
        .links = switches * k,
        .radix = k + up,
        .diameter = 2 * n,
        .average_distance_with_self = 2 * n - 2 / (k - 1) + 2 / ((k - 1) * pow(k, n)),
        .bisection_width = NAN,
        .path_diversity = paths / pow(k, n),
    };
}

static void published(const fl_network *network, fl_closed_forms *out) /* Table I */
{
    closed_forms(network, out);
    out->diameter = out->average_distance_with_self = out->path_diversity = NAN;
}

static uint64_t representative(const fl_network *network, uint64_t index)
{
    return index < switches_in(network, 0) ? 0 : index;
}

const fl_network_type fl_network_thintree = {
    .name = "thintree",
    .summary = "k:k'-ary n-thintree: a k-ary n-tree with k' = up ports up instead of k",
    .source = "thin-tree paper, III.C and Table I",
    .parameters =
        {{.name = "k", .summary = "ports down of a switch", .least = 2, .most = 32767},
         {.name = "up", .summary = "ports up of a switch, k at most", .least = 1, .most = 32767},
         {.name = "n", .summary = "levels", .least = 1, .most = 40}},
    .create = create,
    .step = step,
    .node_address = fl_tree_node_address,
    .node_index = fl_tree_node_index,
    .switch_address = switch_address,
    .switch_index = switch_index,
    .link_code = link_code,
    .link_index = link_index,
    .link_ends = link_ends,
    .link_class = fl_tree_link_class,
    .class_size = class_size,
    .class_name = fl_tree_class_name,
    .label = label,
    .parse_label = parse_label,
    .closed_forms = closed_forms,
    .published = published,
    .representative = representative,
};
