/* Three-layer fat tree of K-port switches (Yasudo thesis, 3.5.2.3), in which core <2,j,c> is
 * linked to the aggregation switch j of every pod. Its nodes and switches have no names there.
 * Address: the third field from bit 0, the second from bit 16, the layer in the level field; nodes:
 * number i on their edge switch from bit 32. Ports: 0..half-1 down, half..K-1 up; of a core switch
 * the pods. As in a tree, up from layer L writes a digit D_L, j or c, and down to it writes e or
 * the pod: network->levels has such digits, base K.
 * Link codes are link indices: node links, then edge <0,pod,e> to aggregation j, then aggregation
 * <1,pod,j> to core c; half * half * K of each. */
#include "topo/label.h"
#include "topo/trees/tree.h"

#include <math.h>

static unsigned half_of(const fl_network *network)
{
    return network->levels->up;
}

static unsigned second_of(fl_address a)
{
    return (unsigned)(a >> 16) & 0xffff;
}

static unsigned third_of(fl_address a)
{
    return (unsigned)a & 0xffff;
}

static unsigned number_of(fl_address node)
{
    return (unsigned)(node >> 32) & 0xffff;
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
    network->nodes = half * half * ports;
    network->switches = 5 * half * half;
    network->links = network->link_codes = 3 * network->nodes;
    network->radix = (unsigned)ports;
    network->classes = 3;
    fl_tree_fill(&network->tree_storage, (unsigned)ports, 3, 1, false);
    network->tree_storage.up = (unsigned)half;
    network->levels = &network->tree_storage;
    return FL_OK;
}

/* Place of (pod, second, third) inside a layer of links. */
static uint64_t place(unsigned half, uint64_t pod, uint64_t second, uint64_t third)
{
    return (pod * half + second) * half + third;
}

static bool step_up(const fl_network *network, fl_address from, unsigned q, fl_hop *out)
{
    unsigned half = half_of(network), layer = layer_of(from), pod = second_of(from),
             own = third_of(from);
    out->to = layer == 0 ? switch_at(1, pod, q) : switch_at(2, own, q);
    out->link = (layer + 1) * network->nodes + place(half, pod, own, q);
    return q < half && layer < 2;
}

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    unsigned half = half_of(network), second = second_of(from), third = third_of(from);
    if (fl_address_is_node(from)) {
        *out = (fl_hop){.to = switch_at(0, second, third),
                        .link = place(half, second, third, number_of(from))};
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

/* ---- what routing may know ---- */

/* The number of a node on its switch chooses the aggregation switch and its switch's number in the
 * pod the core, so that all cores serve equally many nodes of a pod. A core's ports are the pods.
 */
static fl_stage_ports ports(const fl_network *network, fl_address here, fl_address destination,
                            unsigned level, bool up, unsigned side)
{
    (void)here, (void)side;
    unsigned half = half_of(network);
    if (level == 2)
        return (fl_stage_ports){0, 2 * half, second_of(destination)};
    return (fl_stage_ports){up ? half : 0, half,
                            level == 0 ? number_of(destination) : third_of(destination)};
}

FL_INLINE fl_stage_position stand(const fl_network *network, fl_address here,
                                  fl_address destination)
{
    unsigned level = layer_of(here);
    bool same_pod = level < 2 && second_of(here) == second_of(destination),
         same_edge = level == 0 && same_pod && third_of(here) == third_of(destination);
    bool upward = level == 0 ? !same_edge : level == 1 && !same_pod;
    return (fl_stage_position){.level = level,
                               .upward = upward,
                               .same_group = true,
                               .ports = ports(network, here, destination, level, upward, 0)};
}

static bool position(const fl_network *network, fl_address here, fl_address destination,
                     fl_stage_position *out)
{
    *out = stand(network, here, destination);
    return true;
}

static unsigned port(const fl_network *network, fl_address here, fl_address destination)
{
    fl_stage_position at = stand(network, here, destination);
    return at.ports.base + at.ports.target;
}

static uint64_t digits_of(const fl_network *network, fl_address here)
{
    const fl_tree *tree = network->levels;
    bool core = layer_of(here) == tree->top; /* <2,j,c>, else <L,pod,x> */
    uint64_t low = core ? second_of(here) : third_of(here),
             high = core ? third_of(here) : second_of(here);
    return high << tree->bits | low;
}

static const fl_stages stages = {
    .position = position, .port = port, .ports = ports, .digits = digits_of, .by_node = true};

/* ---- indices and links ---- */

static fl_address node_address(const fl_network *network, uint64_t index)
{
    unsigned half = half_of(network);
    return node_at(index / half / half, index / half % half, index % half);
}

static uint64_t node_index(const fl_network *network, fl_address a)
{
    return place(half_of(network), second_of(a), third_of(a), number_of(a));
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
    return layer_of(a) * 2 * half * half + second_of(a) * half + third_of(a);
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
        fl_label_print((uint64_t[]){second_of(a), (uint64_t)third_of(a) * half + number_of(a)}, 2,
                       out, size);
    else
        fl_label_print((uint64_t[]){layer_of(a), second_of(a), third_of(a)}, 3, out, size);
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
    FL_FAMILY_LABELS(),
    FL_FAMILY_FUNCTIONS(),
    .closed_forms = closed_forms,
    .stages = &stages,
    .published = published,
    .representative = representative,
};
