/* A skeleton of a network family: docs/add-a-network.md walks through it.
 *
 * ring:k is a ring of k switches with one node each. Port 0 of a switch holds its node, port 1
 * leads to the next switch, port 2 to the one before. Node i is <n,i>, switch i is <s,i>.
 *
 * Addresses: the number of the switch, and the mark of a node in the highest bit (every network
 * must set it: fl_address_is_node reads it).
 * Link codes: 0..k-1 the node links, k + i the link from switch i to the next one. They happen
 * to be dense, so that a code is its index. */
#include "routing/plugin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_PORT, NEXT_PORT, PREVIOUS_PORT, RING_RADIX };

#define NODE_MARK (UINT64_C(1) << FL_ADDRESS_NODE_SHIFT)

static uint64_t number_of(fl_address address)
{
    return address & ~NODE_MARK;
}

/* ---- making ---- */

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    (void)error; /* the table below checks the range of k, and there is nothing else to refuse */
    uint64_t k = values[0];
    network->nodes = k;
    network->switches = k;
    network->links = 2 * k;
    network->link_codes = 2 * k;
    network->radix = RING_RADIX;
    network->classes = 2;
    return FL_OK;
}

/* ---- where a port leads ---- */

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    uint64_t k = network->nodes, i = number_of(from), before = (i + k - 1) % k;
    if (fl_address_is_node(from)) {
        *out = (fl_hop){.to = i, .link = i};
        return port == 0;
    }
    if (port == NODE_PORT)
        *out = (fl_hop){.to = NODE_MARK | i, .link = i};
    else if (port == NEXT_PORT)
        *out = (fl_hop){.to = (i + 1) % k, .link = k + i};
    else
        *out = (fl_hop){.to = before, .link = k + before};
    return port < RING_RADIX;
}

/* ---- addresses and indices ---- */

static fl_address node_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return NODE_MARK | index;
}

static fl_address switch_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return index;
}

static uint64_t vertex_index(const fl_network *network, fl_address address)
{
    (void)network;
    return number_of(address);
}

/* ---- links ---- */

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
    uint64_t k = network->nodes;
    if (link < k)
        *out = (fl_link_ends){.a = NODE_MARK | link, .b = link, .port_a = 0, .port_b = NODE_PORT};
    else
        *out = (fl_link_ends){
            .a = link - k, .b = (link - k + 1) % k, .port_a = NEXT_PORT, .port_b = PREVIOUS_PORT};
}

static unsigned link_class(const fl_network *network, fl_link link)
{
    return link < network->nodes ? 0 : 1;
}

static uint64_t class_size(const fl_network *network, unsigned class)
{
    (void)class;
    return network->nodes;
}

static void class_name(const fl_network *network, unsigned class, char *out, size_t size)
{
    (void)network;
    snprintf(out, size, "%s", class == 0 ? "node-links" : "ring-links");
}

/* ---- labels ---- */

static void label(const fl_network *network, fl_address address, char *out, size_t size)
{
    (void)network;
    snprintf(out, size, "<%c,%llu>", fl_address_is_node(address) ? 'n' : 's',
             (unsigned long long)number_of(address));
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    char digits[24];
    size_t length = strlen(text);
    if (length < 5 || length - 4 >= sizeof digits || text[length - 1] != '>')
        return false;
    bool node = strncmp(text, "<n,", 3) == 0;
    if (!node && strncmp(text, "<s,", 3) != 0)
        return false;
    memcpy(digits, text + 3, length - 4);
    digits[length - 4] = 0;
    uint64_t number;
    if (!fl_text_to_u64(digits, &number) || number >= network->nodes)
        return false;
    *out = node ? NODE_MARK | number : number;
    return true;
}

/* ---- what is known as a formula ---- */

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double k = (double)network->values[0], half = floor(k / 2);
    *out = (fl_closed_forms){
        .nodes = k,
        .switches = k,
        .links = 2 * k,
        .radix = RING_RADIX,
        .diameter = half + 2,
        .average_distance_with_self = (half * (k - half) + 2 * (k - 1)) / k,
        .bisection_width = network->nodes % 2 ? NAN : 2,
    };
}

const fl_network_type fl_network_ring = {
    .name = "ring",
    .summary = "a ring of k switches with one node each",
    .source = "docs/add-a-network.md",
    .parameters = {{.name = "k", .summary = "switches", .least = 3, .most = 2048}},
    .create = create,
    .step = step,
    .node_address = node_address,
    .node_index = vertex_index,
    .switch_address = switch_address,
    .switch_index = vertex_index,
    .link_code = link_code,
    .link_index = link_index,
    .link_ends = link_ends,
    .link_class = link_class,
    .class_size = class_size,
    .class_name = class_name,
    .label = label,
    .parse_label = parse_label,
    .closed_forms = closed_forms,
};

/* As a shared object, for --plugin. In the tree this is nothing, and a line in a table takes its
 * place. */
extern const fl_router_type fl_router_ring; /* the other file */
FL_PLUGIN(.name = "ring", .version = "0.1", FL_PLUGIN_NETWORKS(&fl_network_ring),
          FL_PLUGIN_ROUTERS(&fl_router_ring));
