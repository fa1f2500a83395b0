/* Networks given as a list of links: functions for all stored families. */
#include "topo/stored/explicit.h"
#include "topo/label.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Addresses are numbers, with the mark for nodes. Link codes are link indices: node links, those of
 * a node by its ports, then links between switches as they were given. Labels: <s> of switch s,
 * <s,i> of its i-th node. */

typedef struct explicit_shape {
    uint32_t node_ports;
    uint32_t *home;    /* [node links] */
    uint32_t *number;  /* [node links] place on its switch = port there */
    uint32_t *ends;    /* [2 * links] */
    fl_port *ports;    /* [2 * links] at these ends */
    uint64_t *offsets; /* [switches + 1] ports of a switch */
    uint32_t *behind;  /* [ports] node link, or end 2 * link + side of the link there */
    uint32_t *hosts;   /* [switches] node links */
    void *kept;        /* the family's own, or NULL */
} explicit_shape;

static const explicit_shape *shape_of(const fl_network *network)
{
    return network->shape;
}

static fl_address node_at(uint64_t number)
{
    return UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | number;
}

static uint64_t number_of(fl_address a)
{
    return a & ~(UINT64_C(1) << FL_ADDRESS_NODE_SHIFT);
}

/* ---- making ---- */

enum { SIZE_MAX_LINKS = 1 << 28 };

fl_status fl_explicit_begin(fl_explicit_graph *graph, const fl_network *network, uint64_t nodes,
                            uint64_t switches, uint64_t links_most, fl_error *error)
{
    return fl_explicit_begin_ports(graph, network, nodes, 1, switches, links_most, error);
}

fl_status fl_explicit_begin_ports(fl_explicit_graph *graph, const fl_network *network,
                                  uint64_t nodes, unsigned node_ports, uint64_t switches,
                                  uint64_t links_most, fl_error *error)
{
    *graph = (fl_explicit_graph){0};
    if (nodes > SIZE_MAX_LINKS / node_ports || switches > SIZE_MAX_LINKS ||
        links_most > SIZE_MAX_LINKS)
        return fl_fail(
            error, FL_ERR_INVALID,
            "too large to be stored: %llu nodes, %llu switches, %llu links (%d are the most of each)",
            (unsigned long long)nodes, (unsigned long long)switches, (unsigned long long)links_most,
            SIZE_MAX_LINKS);
    /* Of node links, switches and links: what is kept, and what it takes to lay it out. */
    char what[120];
    double later = network->bytes_a_switch * (double)switches;
    snprintf(what, sizeof what, "a network of %llu switches and %llu links%s",
             (unsigned long long)switches, (unsigned long long)links_most,
             later > 0 ? " and the search in it" : "");
    double stored =
        16.0 * (double)nodes * node_ports + 24.0 * (double)switches + 28.0 * (double)links_most;
    fl_status status = fl_memory_check(stored + later, what, error);
    if (status)
        return status;
    graph->nodes = (uint32_t)nodes;
    graph->switches = (uint32_t)switches;
    graph->node_ports = node_ports;
    graph->home = malloc((nodes * node_ports + 1) * sizeof *graph->home);
    graph->ends = malloc((2 * links_most + 2) * sizeof *graph->ends);
    if (graph->home && graph->ends)
        return FL_OK;
    fl_explicit_abandon(graph);
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for a network of %llu links",
                   (unsigned long long)links_most);
}

void fl_explicit_abandon(fl_explicit_graph *graph)
{
    free(graph->home);
    free(graph->ends);
    *graph = (fl_explicit_graph){0};
}

void fl_explicit_fill_homes(fl_explicit_graph *graph, uint32_t (*nodes_of)(void *user, uint32_t),
                            void *user)
{
    uint32_t node = 0;
    for (uint32_t s = 0; s < graph->switches; s++)
        for (uint32_t i = nodes_of(user, s); i > 0 && node < graph->nodes; i--)
            graph->home[node++] = s;
}

static void shape_destroy(explicit_shape *shape)
{
    if (!shape)
        return;
    free(shape->home);
    free(shape->number);
    free(shape->ends);
    free(shape->ports);
    free(shape->offsets);
    free(shape->behind);
    free(shape->hosts);
    free(shape->kept);
    free(shape);
}

void fl_explicit_destroy(fl_network *network)
{
    shape_destroy(network->shape);
}

void fl_explicit_keep(fl_network *network, void *kept)
{
    explicit_shape *shape = network->shape;
    free(shape->kept);
    shape->kept = kept;
}

const void *fl_explicit_kept(const fl_network *network)
{
    return shape_of(network)->kept;
}

static explicit_shape *shape_create(const fl_explicit_graph *graph)
{
    explicit_shape *shape = calloc(1, sizeof *shape);
    if (!shape)
        return NULL;
    size_t node_links = (size_t)graph->nodes * graph->node_ports;
    shape->node_ports = graph->node_ports;
    shape->number = malloc((node_links + 1) * sizeof *shape->number);
    shape->ports = malloc((2 * graph->links + 1) * sizeof *shape->ports);
    shape->offsets = calloc((size_t)graph->switches + 2, sizeof *shape->offsets);
    shape->behind = malloc((node_links + 2 * graph->links + 1) * sizeof *shape->behind);
    shape->hosts = calloc((size_t)graph->switches + 1, sizeof *shape->hosts);
    if (shape->number && shape->ports && shape->offsets && shape->behind && shape->hosts)
        return shape;
    shape_destroy(shape);
    return NULL;
}

static void lay_out(explicit_shape *shape, const fl_explicit_graph *graph, uint64_t *filled)
{
    uint32_t node_links = graph->nodes * graph->node_ports;
    for (uint32_t link = 0; link < node_links; link++)
        shape->offsets[graph->home[link] + 1]++;
    for (uint64_t e = 0; e < 2 * graph->links; e++)
        shape->offsets[graph->ends[e] + 1]++;
    for (uint32_t s = 0; s < graph->switches; s++)
        shape->offsets[s + 1] += shape->offsets[s];
    for (uint32_t link = 0; link < node_links; link++) {
        uint32_t s = graph->home[link];
        shape->number[link] = shape->hosts[s]++;
        shape->behind[shape->offsets[s] + filled[s]++] = link;
    }
    for (uint64_t e = 0; e < 2 * graph->links; e++) {
        uint32_t s = graph->ends[e];
        shape->ports[e] = (fl_port)filled[s];
        shape->behind[shape->offsets[s] + filled[s]++] = (uint32_t)e;
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Loops, double links, and too many ports. */
static fl_status check_switches(const fl_network *network, const explicit_shape *shape,
                                const fl_explicit_graph *graph, unsigned radix,
                                uint32_t *neighbours, fl_error *error)
{
    for (uint32_t s = 0; s < graph->switches; s++) {
        uint64_t ports = shape->offsets[s + 1] - shape->offsets[s];
        unsigned most = radix ? radix : UINT16_MAX;
        uint32_t count = 0;
        if (ports > most)
            return fl_fail(error, FL_ERR_INVALID, "%s: switch %u has %llu links; its radix is %u",
                           network->spec, s, (unsigned long long)ports, most);
        for (uint64_t at = shape->offsets[s] + shape->hosts[s]; at < shape->offsets[s + 1]; at++)
            neighbours[count++] = graph->ends[shape->behind[at] ^ 1];
        qsort(neighbours, count, sizeof *neighbours, by_number);
        for (uint32_t i = 0; i < count; i++) {
            if (neighbours[i] == s)
                return fl_fail(error, FL_ERR_INVALID, "%s: switch %u is linked to itself",
                               network->spec, s);
            if (i > 0 && neighbours[i] == neighbours[i - 1])
                return fl_fail(error, FL_ERR_INVALID, "%s: the switches %u and %u are linked twice",
                               network->spec, s, neighbours[i]);
        }
    }
    return FL_OK;
}

static fl_status check_connected(const fl_network *network, const explicit_shape *shape,
                                 const fl_explicit_graph *graph, uint32_t *queue, uint64_t *seen,
                                 fl_error *error)
{
    uint32_t head = 0, tail = 0;
    memset(seen, 0, graph->switches * sizeof *seen);
    if (graph->switches > 0) {
        queue[tail++] = 0;
        seen[0] = 1;
    }
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint64_t at = shape->offsets[v] + shape->hosts[v]; at < shape->offsets[v + 1]; at++) {
            uint32_t u = graph->ends[shape->behind[at] ^ 1];
            if (!seen[u]) {
                seen[u] = 1;
                queue[tail++] = u;
            }
        }
    }
    if (tail == graph->switches)
        return FL_OK;
    uint32_t lost = 0;
    while (seen[lost])
        lost++;
    return fl_fail(error, FL_ERR_INVALID,
                   "%s is not connected: there is no path from switch 0 to switch %u",
                   network->spec, lost);
}

fl_status fl_explicit_finish(fl_network *network, fl_explicit_graph *graph, unsigned radix,
                             fl_error *error)
{
    explicit_shape *shape = shape_create(graph);
    uint64_t *scratch = calloc((size_t)graph->switches + 1, sizeof *scratch);
    uint64_t node_links = (uint64_t)graph->nodes * graph->node_ports;
    uint32_t *list =
        malloc(((size_t)graph->switches + node_links + 2 * graph->links + 1) * sizeof *list);
    fl_status status = shape && scratch && list
                           ? FL_OK
                           : fl_fail(error, FL_ERR_MEMORY, "out of memory for %s", network->spec);
    if (!status) {
        lay_out(shape, graph, scratch);
        status = check_switches(network, shape, graph, radix, list, error);
    }
    if (!status && graph->node_ports == 1)
        status = check_connected(network, shape, graph, list, scratch, error);
    free(scratch);
    free(list);
    if (status) {
        shape_destroy(shape);
        fl_explicit_abandon(graph);
        return status;
    }
    shape->home = graph->home;
    shape->ends = graph->ends;
    network->shape = shape;
    network->nodes = graph->nodes;
    network->switches = graph->switches;
    network->node_ports = graph->node_ports;
    network->links = network->link_codes = node_links + graph->links;
    for (uint32_t s = 0; s < graph->switches; s++)
        if (shape->offsets[s + 1] - shape->offsets[s] > network->radix)
            network->radix = (unsigned)(shape->offsets[s + 1] - shape->offsets[s]);
    network->radix = radix ? radix : network->radix;
    network->classes = graph->links > 0 ? 2 : 1;
    return FL_OK;
}

/* ---- a network's functions ---- */

static uint64_t node_links_of(const fl_network *network)
{
    return network->nodes * shape_of(network)->node_ports;
}

/* Divisions take their time, and one port a node is the rule. */
static uint64_t node_of_link(const explicit_shape *shape, uint64_t link)
{
    return shape->node_ports == 1 ? link : link / shape->node_ports;
}

bool fl_explicit_step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    const explicit_shape *shape = shape_of(network);
    uint64_t number = number_of(from);
    if (fl_address_is_node(from)) {
        if (port >= shape->node_ports)
            return false;
        number = number * shape->node_ports + port;
        *out = (fl_hop){.to = shape->home[number], .link = number};
        return true;
    }
    uint64_t at = shape->offsets[number] + port;
    if (at >= shape->offsets[number + 1])
        return false;
    uint32_t behind = shape->behind[at];
    if (port < shape->hosts[number])
        *out = (fl_hop){.to = node_at(node_of_link(shape, behind)), .link = behind};
    else
        *out = (fl_hop){.to = shape->ends[behind ^ 1], .link = node_links_of(network) + behind / 2};
    return true;
}

fl_address fl_explicit_node_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return node_at(index);
}

uint64_t fl_explicit_node_index(const fl_network *network, fl_address address)
{
    (void)network;
    return number_of(address);
}

fl_address fl_explicit_switch_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return index;
}

uint64_t fl_explicit_switch_index(const fl_network *network, fl_address address)
{
    (void)network;
    return address;
}

fl_link fl_explicit_link_code(const fl_network *network, uint64_t index)
{
    (void)network;
    return index;
}

uint64_t fl_explicit_link_index(const fl_network *network, fl_link link)
{
    (void)network;
    return link;
}

void fl_explicit_link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    const explicit_shape *shape = shape_of(network);
    if (link < node_links_of(network)) {
        uint64_t node = node_of_link(shape, link);
        *out = (fl_link_ends){node_at(node), shape->home[link],
                              (fl_port)(link - node * shape->node_ports),
                              (fl_port)shape->number[link]};
        return;
    }
    uint64_t e = 2 * (link - node_links_of(network));
    *out = (fl_link_ends){shape->ends[e], shape->ends[e + 1], shape->ports[e], shape->ports[e + 1]};
}

unsigned fl_explicit_link_class(const fl_network *network, fl_link link)
{
    return link >= node_links_of(network);
}

uint64_t fl_explicit_class_size(const fl_network *network, unsigned link_class)
{
    return link_class == 0 ? node_links_of(network) : network->links - node_links_of(network);
}

void fl_explicit_class_name(const fl_network *network, unsigned link_class, char *out, size_t size)
{
    (void)network;
    snprintf(out, size, "%s", link_class == 0 ? "node-links" : "inner-links");
}

void fl_explicit_label(const fl_network *network, fl_address address, char *out, size_t size)
{
    const explicit_shape *shape = shape_of(network);
    uint64_t number = number_of(address);
    if (fl_address_is_node(address))
        fl_label_print((uint64_t[]){shape->home[number], shape->number[number]}, 2, out, size);
    else
        fl_label_print(&number, 1, out, size);
}

bool fl_explicit_parse_label(const fl_network *network, const char *label, fl_address *out)
{
    const explicit_shape *shape = shape_of(network);
    uint64_t v[2];
    unsigned count = fl_label_scan(label, v, 2);
    if (count == 0 || v[0] >= network->switches || (count == 2 && v[1] >= shape->hosts[v[0]]))
        return false;
    *out = count == 1 ? v[0] : node_at(shape->behind[shape->offsets[v[0]] + v[1]]);
    return true;
}

void fl_explicit_closed_forms(const fl_network *network, fl_closed_forms *out)
{
    (void)network;
    *out = (fl_closed_forms){NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0};
}
