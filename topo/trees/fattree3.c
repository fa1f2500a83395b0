#include "topo/label.h"
#include "topo/trees/tree.h"

#include <math.h>
#include <stdlib.h>

/* Three-layer fat tree of K-port switches (Yasudo thesis, 3.5.2.3), in which core <2,j,c> is
 * linked to the aggregation switch j of every pod. Its nodes and switches have no names there.
 * Link codes are link indices: node links, then edge <0,pod,e> to aggregation j, then aggregation
 * <1,pod,j> to core c; half * half * K of each. */

static unsigned half_of(const fl_network *network)
{
    return ((const fl_pods *)network->shape)->half;
}

static fl_address switch_at(unsigned layer, uint64_t second, uint64_t third)
{
    return (uint64_t)layer << FL_ADDRESS_LEVEL_SHIFT | second << 16 | third;
}

static fl_address node_at(uint64_t pod, uint64_t edge, uint64_t number)
{
    return UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | number << 32 | pod << 16 | edge;
}

static unsigned layer_of(fl_address a)
{
    return fl_tree_level(a);
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint64_t ports = values[0], half = ports / 2;
    if (ports % 2)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: half of a switch's ports lead down: K must be even", network->spec);
    fl_pods *shape = malloc(sizeof *shape);
    if (!shape)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a network");
    shape->half = (unsigned)half;
    network->family = FL_FAMILY_PODS;
    network->shape = shape;
    network->nodes = half * half * ports;
    network->switches = 5 * half * half;
    network->links = network->link_codes = 3 * network->nodes;
    network->radix = (unsigned)ports;
    network->classes = 3;
    fl_tree_fill(&network->tree_storage, (unsigned)ports, 3, 1, false);
    return FL_OK;
}

static void destroy(fl_network *network)
{
    free(network->shape);
}

/* Place of (pod, second, third) inside a layer of links. */
static uint64_t place(unsigned half, uint64_t pod, uint64_t second, uint64_t third)
{
    return (pod * half + second) * half + third;
}

static bool step_up(const fl_network *network, fl_address from, unsigned q, fl_hop *out)
{
    unsigned half = half_of(network), layer = layer_of(from), pod = fl_pods_second(from),
             own = fl_pods_third(from);
    out->to = layer == 0 ? switch_at(1, pod, q) : switch_at(2, own, q);
    out->link = (layer + 1) * network->nodes + place(half, pod, own, q);
    return q < half && layer < 2;
}

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    unsigned half = half_of(network), second = fl_pods_second(from), third = fl_pods_third(from);
    if (fl_address_is_node(from)) {
        *out = (fl_hop){.to = switch_at(0, second, third),
                        .link = place(half, second, third, fl_pods_number(from))};
        return port == 0;
    }
    switch (layer_of(from)) {
    case 0:
        if (port >= half)
            return step_up(network, from, port - half, out);
        *out =
            (fl_hop){.to = node_at(second, third, port), .link = place(half, second, third, port)};
        return true;
    case 1:
        if (port >= half)
            return step_up(network, from, port - half, out);
        *out = (fl_hop){.to = switch_at(0, second, port),
                        .link = network->nodes + place(half, second, port, third)};
        return true;
    default:
        *out = (fl_hop){.to = switch_at(1, port, second),
                        .link = 2 * network->nodes + place(half, port, second, third)};
        return port < 2 * half;
    }
}

static fl_address node_address(const fl_network *network, uint64_t index)
{
    unsigned half = half_of(network);
    return node_at(index / half / half, index / half % half, index % half);
}

static uint64_t node_index(const fl_network *network, fl_address a)
{
    return place(half_of(network), fl_pods_second(a), fl_pods_third(a), fl_pods_number(a));
}

static fl_address switch_address(const fl_network *network, uint64_t index)
{
    uint64_t half = half_of(network), layer = index / (2 * half * half);
    index -= layer * 2 * half * half;
    return switch_at((unsigned)layer, index / half, index % half);
}

static uint64_t switch_index(const fl_network *network, fl_address a)
{
    uint64_t half = half_of(network);
    return layer_of(a) * 2 * half * half + fl_pods_second(a) * half + fl_pods_third(a);
}

static fl_link link_code(const fl_network *network, uint64_t index)
{
    (void)network;
    return index;
}

static uint64_t link_index(const fl_network *network, fl_link link)
{
    (void)network;
    return link;
}

static void link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    unsigned half = half_of(network);
    uint64_t inside = link % network->nodes, pod = inside / half / half,
             second = inside / half % half, third = inside % half;
    switch (link / network->nodes) {
    case 0:
        *out = (fl_link_ends){node_at(pod, second, third), switch_at(0, pod, second), 0,
                              (fl_port)third};
        break;
    case 1:
        *out = (fl_link_ends){switch_at(0, pod, second), switch_at(1, pod, third),
                              (fl_port)(half + third), (fl_port)second};
        break;
    default:
        *out = (fl_link_ends){switch_at(1, pod, second), switch_at(2, second, third),
                              (fl_port)(half + third), (fl_port)pod};
    }
}

static unsigned link_class(const fl_network *network, fl_link link)
{
    return (unsigned)(link / network->nodes);
}

static uint64_t class_size(const fl_network *network, unsigned class)
{
    (void)class;
    return network->nodes;
}

static void class_name(const fl_network *network, unsigned class, char *out, size_t size)
{
    (void)network;
    if (class == 0)
        snprintf(out, size, "node-links");
    else
        snprintf(out, size, "level-%u-links", class - 1);
}

/* <layer,second,third> of a switch; <pod,number> of a node, numbered through its pod. */
static void label(const fl_network *network, fl_address a, char *out, size_t size)
{
    unsigned half = half_of(network);
    if (fl_address_is_node(a))
        fl_label_print(
            (uint64_t[]){fl_pods_second(a), (uint64_t)fl_pods_third(a) * half + fl_pods_number(a)},
            2, out, size);
    else
        fl_label_print((uint64_t[]){layer_of(a), fl_pods_second(a), fl_pods_third(a)}, 3, out,
                       size);
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    uint64_t v[3], half = half_of(network);
    unsigned count = fl_label_scan(text, v, 3);
    if (count == 2) {
        *out = node_at(v[0], v[1] / half, v[1] % half);
        return v[0] < 2 * half && v[1] < half * half;
    }
    if (count != 3 || v[0] > 2)
        return false;
    *out = switch_at((unsigned)v[0], v[1], v[2]);
    return v[1] < (v[0] == 2 ? half : 2 * half) && v[2] < half;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double half = half_of(network), nodes = 2 * half * half * half, edges = 2 * half * half;
    *out = (fl_closed_forms){
        .nodes = nodes,
        .switches = 5 * half * half,
        .links = 3 * nodes,
        .radix = 2 * half,
        .diameter = 6,
        .average_distance_with_self =
            (2 * (half - 1) + 4 * half * (half - 1) + 6 * (nodes - half * half)) / nodes,
        .bisection_width = nodes / 2,
        .path_diversity = ((half - 1) * half + (edges - half) * half * half) / edges / nodes,
    };
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    double ports = 2 * half_of(network);
    *out = (fl_closed_forms){.nodes = pow(ports, 3) / 4,
                             .switches = 5 * ports * ports / 4,
                             .links = NAN,
                             .radix = ports,
                             .diameter = 6,
                             .average_distance_with_self = NAN,
                             .bisection_width = NAN};
}

static uint64_t representative(const fl_network *network, uint64_t index)
{
    uint64_t half = half_of(network);
    return index < 2 * half * half ? 0 : index;
}

const fl_network_type fl_network_fattree3 = {
    .name = "fattree3",
    .summary =
        "three-layer fat tree of K-port switches: K pods of K/2 edge and K/2 aggregation switches, K^2/4 cores",
    .source = "Yasudo thesis, 3.5.2.3",
    .parameters =
        {{.name = "K", .summary = "ports of a switch, an even number", .least = 2, .most = 2048}},
    .create = create,
    .destroy = destroy,
    .step = step,
    .node_address = node_address,
    .node_index = node_index,
    .switch_address = switch_address,
    .switch_index = switch_index,
    .link_code = link_code,
    .link_index = link_index,
    .link_ends = link_ends,
    .link_class = link_class,
    .class_size = class_size,
    .class_name = class_name,
    .label = label,
    .parse_label = parse_label,
    .closed_forms = closed_forms,
    .published = published,
    .representative = representative,
};
