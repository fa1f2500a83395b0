/* A skeleton of a network of stages: docs/add-a-network.md walks through what it offers to routing.
 *
 * xgft3:m1,m2,m3,w2,w3 is the extended generalized fat tree XGFT(3; m1, m2, m3; 1, w2, w3) of
 * Oehring, Ibel, Das and Kumar (IPPS 1995): m3 pods of m2 leaf switches with m1 nodes each; a leaf
 * has w2 ports up to the middle switches of its pod, and each of these w3 to the top. With m1 = m2
 * = m3 = k and w2 = w3 = up it is the thin tree thintree:k,up,n=3, link by link.
 *
 * Switch <L,D_1,D_0> of level L: D_0 and D_1 of a leaf are its number in its pod and the pod; up
 * from level L writes D_L, and down to it, too. Node <n,D_2,D_1,D_0> is number D_2 on leaf
 * <0,D_1,D_0>. Ports: first those down, then those up. Link codes are indices: links by their upper
 * end, in the order of switches and ports. */
#include "routing/plugin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = 3, TOP = LEVELS - 1 };

/* Ports down of a switch in a level, and ports up. */
static unsigned down(const fl_network *network, unsigned level)
{
    return (unsigned)network->values[level];
}

static unsigned up(const fl_network *network, unsigned level)
{
    return level < TOP ? (unsigned)network->values[LEVELS + level] : 0;
}

/* The values of a digit in the switches of a level: below it the ports up choose, above it down. */
static unsigned values_of(const fl_network *network, unsigned level, unsigned place)
{
    return place < level ? up(network, place) : down(network, place + 1);
}

static uint64_t switches_in(const fl_network *network, unsigned level)
{
    return (uint64_t)values_of(network, level, 0) * values_of(network, level, 1);
}

/* ---- making ---- */

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    (void)values, (void)error; /* the ranges of the table below are all that there is to check */
    unsigned most = 2, up_most = 1;
    for (unsigned level = 0; level < LEVELS; level++) {
        unsigned ports = down(network, level) + up(network, level);
        network->switches += switches_in(network, level);
        network->links += switches_in(network, level) * down(network, level);
        network->radix = ports > network->radix ? ports : network->radix;
        most = down(network, level) > most ? down(network, level) : most;
        up_most = up(network, level) > up_most ? up(network, level) : up_most;
    }
    most = up_most > most ? up_most : most;
    network->nodes = switches_in(network, 0) * down(network, 0);
    network->link_codes = network->links;
    network->classes = LEVELS;
    fl_tree_fill(&network->tree_storage, most, LEVELS, 1, false);
    network->tree_storage.up = up_most;
    network->levels = &network->tree_storage; /* for base routing and detour rules */
    return FL_OK;
}

static unsigned digit(const fl_network *network, fl_address address, unsigned place)
{
    return fl_tree_digit(network->levels, address, place);
}

static uint64_t with(const fl_network *network, fl_address address, unsigned place, unsigned value)
{
    return fl_tree_with_digit(network->levels, address & FL_ADDRESS_DIGITS, place, value);
}

/* ---- what routing may know ---- */

/* Level and digits stand in the address as in a tree; the numbers of ports differ from level to
 * level. */
static fl_stage_ports ports(const fl_network *network, fl_address here, fl_address destination,
                            unsigned level, bool upward, unsigned side)
{
    (void)here, (void)side;
    if (upward)
        return (fl_stage_ports){down(network, level), up(network, level),
                                digit(network, destination, level) % up(network, level)};
    return (fl_stage_ports){0, down(network, level),
                            digit(network, destination, level > 0 ? level - 1 : TOP)};
}

static const fl_stages stages = {.ports = ports};

/* ---- addresses and indices ---- */

static fl_address node_address(const fl_network *network, uint64_t index)
{
    unsigned leaves = down(network, 1), pods = down(network, 2);
    uint64_t leaf = with(network, index % leaves, 1, (unsigned)(index / leaves % pods));
    return fl_tree_node_at(0, with(network, leaf, TOP, (unsigned)(index / leaves / pods)));
}

static uint64_t node_index(const fl_network *network, fl_address a)
{
    uint64_t pod = digit(network, a, 1) + (uint64_t)digit(network, a, TOP) * down(network, 2);
    return digit(network, a, 0) + pod * down(network, 1);
}

static fl_address switch_address(const fl_network *network, uint64_t index)
{
    unsigned level = 0;
    for (; index >= switches_in(network, level); level++)
        index -= switches_in(network, level);
    unsigned low = values_of(network, level, 0);
    return fl_tree_switch_at(0, level, with(network, index % low, 1, (unsigned)(index / low)));
}

static uint64_t switch_index(const fl_network *network, fl_address a)
{
    uint64_t before = 0;
    unsigned level = fl_tree_level(a);
    for (unsigned below = 0; below < level; below++)
        before += switches_in(network, below);
    return before + digit(network, a, 0) +
           (uint64_t)digit(network, a, 1) * values_of(network, level, 0);
}

/* ---- links ---- */

/* By the upper end and its port. */
static fl_link link_at(const fl_network *network, fl_address upper, unsigned port)
{
    uint64_t links = 0, switches = 0;
    unsigned level = fl_tree_level(upper);
    for (unsigned below = 0; below < level; below++) {
        links += switches_in(network, below) * down(network, below);
        switches += switches_in(network, below);
    }
    return links + (switch_index(network, upper) - switches) * down(network, level) + port;
}

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    unsigned level = fl_tree_level(from), first_up = down(network, level);
    if (fl_address_is_node(from)) {
        out->to = fl_tree_switch_at(0, 0, with(network, from, TOP, 0));
        out->link = link_at(network, out->to, digit(network, from, TOP));
        return port == 0;
    }
    if (port < first_up) {
        uint64_t digits = with(network, from, level > 0 ? level - 1 : TOP, port);
        out->to = level > 0 ? fl_tree_switch_at(0, level - 1, digits) : fl_tree_node_at(0, digits);
        out->link = link_at(network, from, port);
        return true;
    }
    if (port >= first_up + up(network, level))
        return false;
    out->to = fl_tree_switch_at(0, level + 1, with(network, from, level, port - first_up));
    out->link = link_at(network, out->to, digit(network, from, level));
    return true;
}

static fl_link same_number(const fl_network *network, uint64_t number)
{
    (void)network;
    return number;
}

static unsigned link_class(const fl_network *network, fl_link link)
{
    unsigned level = 0;
    for (; link >= switches_in(network, level) * down(network, level); level++)
        link -= switches_in(network, level) * down(network, level);
    return level;
}

static uint64_t class_size(const fl_network *network, unsigned class)
{
    return switches_in(network, class) * down(network, class);
}

static void class_name(const fl_network *network, unsigned class, char *out, size_t size)
{
    (void)network;
    if (class == 0)
        snprintf(out, size, "node-links");
    else
        snprintf(out, size, "level-%u-links", class - 1);
}

static void link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    unsigned level = link_class(network, link);
    uint64_t before = 0;
    for (unsigned below = 0; below < level; below++) {
        link -= class_size(network, below);
        before += switches_in(network, below);
    }
    fl_hop hop;
    out->b = switch_address(network, before + link / down(network, level));
    out->port_b = (fl_port)(link % down(network, level));
    step(network, out->b, out->port_b, &hop);
    out->a = hop.to;
    out->port_a =
        (fl_port)(level == 0 ? 0 : down(network, level - 1) + digit(network, out->b, level - 1));
}

/* ---- labels ---- */

static void label(const fl_network *network, fl_address a, char *out, size_t size)
{
    unsigned low = digit(network, a, 0), high = digit(network, a, 1);
    if (fl_address_is_node(a))
        snprintf(out, size, "<n,%u,%u,%u>", digit(network, a, TOP), high, low);
    else
        snprintf(out, size, "<%u,%u,%u>", fl_tree_level(a), high, low);
}

/* Numbers in their ranges, written as `label` writes them. */
static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    unsigned first, high, low;
    char again[FL_LABEL_MAX];
    bool node = sscanf(text, "<n,%4u,%4u,%4u>", &first, &high, &low) == 3;
    if (!node && sscanf(text, "<%4u,%4u,%4u>", &first, &high, &low) != 3)
        return false;
    unsigned level = node ? 0 : first;
    if (level > TOP || low >= values_of(network, level, 0) ||
        high >= values_of(network, level, 1) || (node && first >= down(network, 0)))
        return false;
    uint64_t digits = with(network, low, 1, high);
    *out = node ? fl_tree_node_at(0, with(network, digits, TOP, first))
                : fl_tree_switch_at(0, level, digits);
    label(network, *out, again, sizeof again);
    return strcmp(again, text) == 0;
}

/* ---- what is known as a formula ---- */

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double m1 = down(network, 0), m2 = down(network, 1), m3 = down(network, 2), w2 = up(network, 0),
           w3 = up(network, 1), nodes = m1 * m2 * m3;
    *out = (fl_closed_forms){
        .nodes = nodes,
        .switches = m2 * m3 + w2 * m3 + w2 * w3,
        .links = nodes + w2 * m2 * m3 + w2 * w3 * m3,
        .radix = fmax(m3, fmax(m1 + w2, m2 + w3)),
        .diameter = 6,
        .average_distance_with_self =
            (2 * (m1 - 1) + 4 * m1 * (m2 - 1) + 6 * m1 * m2 * (m3 - 1)) / nodes,
        .bisection_width = NAN,
    };
}

const fl_network_type fl_network_xgft3 = {
    .name = "xgft3",
    .summary = "extended generalized fat tree of three levels, XGFT(3; m1, m2, m3; 1, w2, w3)",
    .source = "Oehring et al., On Generalized Fat Trees, IPPS 1995",
    .parameters = {{.name = "m1", .summary = "nodes of a leaf switch", .least = 1, .most = 1024},
                   {.name = "m2", .summary = "leaf switches of a pod", .least = 2, .most = 1024},
                   {.name = "m3", .summary = "pods", .least = 2, .most = 1024},
                   {.name = "w2", .summary = "ports up of a leaf switch", .least = 1, .most = 1024},
                   {.name = "w3", .summary = "ports up of a middle one", .least = 1, .most = 1024}},
    .create = create,
    .step = step,
    .node_address = node_address,
    .node_index = node_index,
    .switch_address = switch_address,
    .switch_index = switch_index,
    .link_code = same_number,
    .link_index = same_number,
    .link_ends = link_ends,
    .link_class = link_class,
    .class_size = class_size,
    .class_name = class_name,
    .label = label,
    .parse_label = parse_label,
    .closed_forms = closed_forms,
    .stages = &stages,
};

FL_PLUGIN(.name = "xgft3", .version = "0.1", FL_PLUGIN_NETWORKS(&fl_network_xgft3));
