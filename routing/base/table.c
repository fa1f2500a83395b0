/* A shortest-path table: for every switch and every switch with nodes, the lowest of the ports
 * that lead nearer. For networks that have no routing of their own, and beside those that have.
 *
 * Where nodes have several ports, the destinations are the sets of switches that nodes are on, and
 * nearer means nearer to any of them. A node sends by the nearest of its ports that are up, and a
 * switch delivers by the first of its links to the destination that is up: these are its own links,
 * and it needs no table to choose. */
#include "routing/base/base.h"

#include <stdlib.h>
#include <string.h>

extern const fl_router_type fl_router_table;

#define TABLE_BYTES_MAX (UINT64_C(2) << 30)
enum { NODE_PORTS_MAX = 64 };

typedef struct table {
    uint32_t switches, homes;
    uint32_t *home; /* [switches] number among the switches with nodes, or UINT32_MAX; with sets:
                       [nodes] theirs */
    fl_port *port;  /* [homes][switches]; UINT16_MAX: it is here, or there is no path */
    uint16_t *distance; /* the same, links to the nearest; only with nodes of several ports */
} table;

/* Neighbours of switches by port; UINT32_MAX: a node, or nothing. */
typedef struct neighbours {
    unsigned radix;
    uint32_t *of; /* [switches][radix] */
} neighbours;

static void release(fl_router *router)
{
    table *t = router->data;
    if (!t)
        return;
    free(t->home);
    free(t->port);
    free(t->distance);
    free(t);
}

static bool find_neighbours(neighbours *out, const fl_network *network)
{
    out->radix = network->radix;
    out->of = malloc(network->switches * network->radix * sizeof *out->of);
    for (uint64_t s = 0; out->of && s < network->switches; s++)
        for (unsigned port = 0; port < network->radix; port++) {
            fl_hop hop;
            bool plugged = fl_network_step(network, network->type->switch_address(network, s),
                                           (fl_port)port, &hop);
            out->of[s * network->radix + port] =
                plugged && !fl_address_is_node(hop.to)
                    ? (uint32_t)network->type->switch_index(network, hop.to)
                    : UINT32_MAX;
        }
    return out->of != NULL;
}

static void find_homes(table *t, const fl_network *network)
{
    for (uint32_t s = 0; s < t->switches; s++)
        t->home[s] = UINT32_MAX;
    for (uint64_t node = 0; node < network->nodes; node++) {
        fl_hop hop;
        fl_network_step(network, network->type->node_address(network, node), 0, &hop);
        uint64_t s = network->type->switch_index(network, hop.to);
        if (t->home[s] == UINT32_MAX)
            t->home[s] = t->homes++;
    }
}

/* Breadth first from the destinations; the ports then are those that lead one step back. */
static void fill_row(const table *t, const neighbours *n, const uint32_t *destinations,
                     uint32_t count, fl_port *row, uint32_t *distance, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(distance, 0xff, t->switches * sizeof *distance);
    for (uint32_t i = 0; i < count; i++)
        if (distance[destinations[i]] != 0) {
            distance[destinations[i]] = 0;
            queue[tail++] = destinations[i];
        }
    while (head < tail) {
        uint32_t v = queue[head++];
        for (unsigned port = 0; port < n->radix; port++) {
            uint32_t u = n->of[(size_t)v * n->radix + port];
            if (u == UINT32_MAX)
                continue;
            if (distance[u] == UINT32_MAX) {
                distance[u] = distance[v] + 1;
                queue[tail++] = u;
            }
        }
    }
    for (uint32_t s = 0; s < t->switches; s++) {
        row[s] = UINT16_MAX;
        for (unsigned port = 0; port < n->radix && row[s] == UINT16_MAX && distance[s] != 0;
             port++) {
            uint32_t u = n->of[(size_t)s * n->radix + port];
            if (u != UINT32_MAX && distance[u] < distance[s])
                row[s] = (fl_port)port;
        }
    }
}

/* ---- sets of switches ---- */

/* The switches of a node's ports, rising. */
typedef struct node_set {
    uint32_t node;
    uint32_t switches[NODE_PORTS_MAX];
} node_set;

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int compare_sets(const void *a, const void *b)
{
    const node_set *x = a, *y = b;
    int order = memcmp(x->switches, y->switches, sizeof x->switches);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Those of a node with fewer ports are filled up with the first. */
static void read_set(node_set *out, const fl_network *network, uint32_t node)
{
    unsigned count = 0;
    *out = (node_set){.node = node};
    for (unsigned port = 0; port < network->node_ports; port++) {
        fl_hop hop;
        if (fl_network_step(network, network->type->node_address(network, node), (fl_port)port,
                            &hop))
            out->switches[count++] = (uint32_t)network->type->switch_index(network, hop.to);
    }
    qsort(out->switches, count, sizeof *out->switches, compare_numbers);
    for (; count < NODE_PORTS_MAX; count++)
        out->switches[count] = out->switches[0];
}

/* Sorts the nodes by their sets and numbers these. */
static node_set *find_sets(table *t, const fl_network *network)
{
    node_set *sets = malloc(network->nodes * sizeof *sets);
    for (uint32_t node = 0; sets && node < network->nodes; node++)
        read_set(&sets[node], network, node);
    if (sets)
        qsort(sets, network->nodes, sizeof *sets, compare_sets);
    for (uint64_t i = 0; sets && i < network->nodes; i++) {
        t->homes +=
            i == 0 || memcmp(sets[i].switches, sets[i - 1].switches, sizeof sets[i].switches) != 0;
        t->home[sets[i].node] = t->homes - 1;
    }
    return sets;
}

static void keep_distances(table *t, uint32_t row, const uint32_t *distance)
{
    for (uint32_t s = 0; s < t->switches; s++)
        t->distance[(size_t)row * t->switches + s] =
            distance[s] < UINT16_MAX ? (uint16_t)distance[s] : UINT16_MAX;
}

static fl_status no_memory(const fl_network *network, fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the shortest-path table of %s",
                   network->spec);
}

static fl_status too_large(const table *t, const fl_network *network, fl_error *error)
{
    return fl_fail(
        error, FL_ERR_INVALID,
        "%s is too large for shortest-path tables: %u destinations at %u switches need more than %llu MB",
        network->spec, t->homes, t->switches, (unsigned long long)(TABLE_BYTES_MAX >> 20));
}

static fl_status fill_for_sets(table *t, const fl_network *network, const node_set *sets,
                               fl_error *error)
{
    neighbours n = {0};
    size_t cells = (size_t)t->homes * t->switches;
    uint32_t *distance = malloc(t->switches * sizeof *distance),
             *queue = malloc(t->switches * sizeof *queue);
    t->port = malloc(cells * sizeof *t->port);
    t->distance = malloc(cells * sizeof *t->distance);
    bool room = distance && queue && t->port && t->distance && find_neighbours(&n, network);
    for (uint64_t i = 0; room && i < network->nodes; i++) {
        uint32_t row = t->home[sets[i].node];
        if (i > 0 && row == t->home[sets[i - 1].node])
            continue;
        fill_row(t, &n, sets[i].switches, NODE_PORTS_MAX, t->port + (size_t)row * t->switches,
                 distance, queue);
        keep_distances(t, row, distance);
    }
    free(distance);
    free(queue);
    free(n.of);
    return room ? FL_OK : no_memory(network, error);
}

static fl_status prepare_sets(table *t, const fl_network *network, fl_error *error)
{
    node_set *sets = find_sets(t, network);
    if (!sets)
        return no_memory(network, error);
    bool fits = t->homes <= TABLE_BYTES_MAX / (sizeof *t->port + sizeof *t->distance) / t->switches;
    fl_status status = fits ? fill_for_sets(t, network, sets, error) : too_large(t, network, error);
    free(sets);
    return status;
}

/* ---- one port a node ---- */

static fl_status fill(table *t, const fl_network *network, fl_error *error)
{
    neighbours n = {0};
    uint32_t *distance = malloc(t->switches * sizeof *distance),
             *queue = malloc(t->switches * sizeof *queue);
    t->port = malloc((size_t)t->homes * t->switches * sizeof *t->port);
    bool room = distance && queue && t->port && find_neighbours(&n, network);
    for (uint32_t s = 0; room && s < t->switches; s++)
        if (t->home[s] != UINT32_MAX)
            fill_row(t, &n, &s, 1, t->port + (size_t)t->home[s] * t->switches, distance, queue);
    free(distance);
    free(queue);
    free(n.of);
    return room ? FL_OK : no_memory(network, error);
}

static fl_status prepare(fl_router *router, fl_error *error)
{
    const fl_network *network = router->network;
    if (network->switches > TABLE_BYTES_MAX / sizeof(fl_port) ||
        (network->switches > 0 &&
         network->switches * sizeof(uint32_t) > TABLE_BYTES_MAX / network->radix))
        return fl_fail(error, FL_ERR_INVALID,
                       "%s is too large for shortest-path tables: %llu switches", network->spec,
                       (unsigned long long)network->switches);
    table *t = calloc(1, sizeof *t);
    router->data = t;
    bool sets = network->node_ports > 1;
    if (network->node_ports > NODE_PORTS_MAX ||
        (sets && network->nodes > TABLE_BYTES_MAX / sizeof(node_set)))
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s is too large for shortest-path tables: %llu nodes of %u ports (%d ports are the most)",
            network->spec, (unsigned long long)network->nodes, network->node_ports, NODE_PORTS_MAX);
    if (!t || !(t->home = malloc((sets ? network->nodes : network->switches) * sizeof *t->home)))
        return no_memory(network, error);
    t->switches = (uint32_t)network->switches;
    if (sets)
        return prepare_sets(t, network, error);
    find_homes(t, network);
    if (t->homes > TABLE_BYTES_MAX / sizeof(fl_port) / t->switches)
        return too_large(t, network, error);
    return fill(t, network, error);
}

/* The port of its switch that a node is on is found through the node's link. */
static void deliver(const fl_network *network, fl_address destination, fl_view *view,
                    fl_decision *decision)
{
    fl_hop hop;
    fl_link_ends ends;
    fl_network_step(network, destination, 0, &hop);
    network->type->link_ends(network, hop.link, &ends);
    fl_base_offer(view, decision, ends.a == destination ? ends.port_b : ends.port_a,
                  FL_BLOCKED_DESTINATION);
}

/* From a source node: by the nearest of its ports, of equally near ones the first, and on to the
 * next where a link is down. */
static void leave(const fl_network *network, const uint16_t *distance, fl_view *view,
                  fl_decision *decision)
{
    uint16_t of_port[NODE_PORTS_MAX];
    for (unsigned port = 0; port < network->node_ports; port++) {
        fl_hop hop;
        bool plugged = fl_network_step(network, view->here, (fl_port)port, &hop);
        of_port[port] =
            plugged ? distance[network->type->switch_index(network, hop.to)] : UINT16_MAX;
    }
    decision->reason = FL_BLOCKED_SOURCE;
    for (unsigned tried = 0; tried < network->node_ports && decision->count < decision->wanted;
         tried++) {
        unsigned nearest = 0;
        for (unsigned port = 1; port < network->node_ports; port++)
            nearest = of_port[port] < of_port[nearest] ? port : nearest;
        if (of_port[nearest] == UINT16_MAX)
            return;
        of_port[nearest] = UINT16_MAX;
        fl_base_offer(view, decision, nearest, FL_BLOCKED_SOURCE);
    }
}

/* By the first that is up of the links between the destination and its switch. */
static void deliver_to_one_of(const fl_network *network, fl_address destination, fl_view *view,
                              fl_decision *decision)
{
    for (unsigned port = 0; port < network->node_ports && decision->count < decision->wanted;
         port++) {
        fl_hop hop;
        fl_link_ends ends;
        if (!fl_network_step(network, destination, (fl_port)port, &hop) || hop.to != view->here)
            continue;
        network->type->link_ends(network, hop.link, &ends);
        fl_base_offer(view, decision, ends.a == destination ? ends.port_b : ends.port_a,
                      FL_BLOCKED_DESTINATION);
    }
}

static void next_among_sets(const fl_network *network, const table *t, const fl_packet *packet,
                            fl_view *view, fl_decision *decision)
{
    size_t row =
        (size_t)t->home[network->type->node_index(network, packet->destination)] * t->switches;
    if (fl_address_is_node(view->here)) {
        leave(network, t->distance + row, view, decision);
        return;
    }
    uint64_t here = network->type->switch_index(network, view->here);
    if (t->distance[row + here] == 0)
        deliver_to_one_of(network, packet->destination, view, decision);
    else
        fl_base_offer(view, decision, t->port[row + here], FL_BLOCKED_CROSS);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_network *network = router->network;
    const table *t = router->data;
    if (FL_UNLIKELY(t->distance != NULL)) {
        next_among_sets(network, t, packet, view, decision);
        return;
    }
    fl_hop home;
    fl_network_step(network, packet->destination, 0, &home);
    if (home.to == view->here) {
        deliver(network, packet->destination, view, decision);
        return;
    }
    uint64_t here = network->type->switch_index(network, view->here),
             there = network->type->switch_index(network, home.to);
    fl_base_offer(view, decision, t->port[(size_t)t->home[there] * t->switches + here],
                  FL_BLOCKED_CROSS);
}

static bool serves(const fl_network *network)
{
    return !network->one_way;
}

const fl_router_type fl_router_table = {
    .name = "table",
    .summary =
        "shortest-path tables, for every network; the base routing of those that have no other",
    .source = "this project",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .leaves_nodes = true,
    .base = true,
    .prepare = prepare,
    .release = release,
};
