#include "routing/base.h"

#include <stdlib.h>
#include <string.h>

/* A shortest-path table: for every switch and every switch with nodes, the lowest of the ports
 * that lead nearer. For networks that have no routing of their own, and beside those that have. */

extern const fl_router_type fl_router_table;

#define TABLE_BYTES_MAX (UINT64_C(2) << 30)

typedef struct table {
    uint32_t switches, homes;
    uint32_t *home;      /* [switches] number among the switches with nodes, or UINT32_MAX */
    fl_port *port;       /* [homes][switches] */
} table;

/* Neighbours of switches by port; UINT32_MAX: a node, or nothing. */
typedef struct neighbours {
    unsigned radix;
    uint32_t *of;        /* [switches][radix] */
} neighbours;

static void release(fl_router *router)
{
    table *t = router->data;
    if (!t)
        return;
    free(t->home);
    free(t->port);
    free(t);
}

static bool find_neighbours(neighbours *out, const fl_network *network)
{
    out->radix = network->radix;
    out->of = malloc(network->switches * network->radix * sizeof *out->of);
    for (uint64_t s = 0; out->of && s < network->switches; s++)
        for (unsigned port = 0; port < network->radix; port++) {
            fl_hop hop;
            bool plugged = fl_network_step(network, network->type->switch_address(network, s), (fl_port)port, &hop);
            out->of[s * network->radix + port] =
                plugged && !fl_address_is_node(hop.to) ? (uint32_t)network->type->switch_index(network, hop.to) : UINT32_MAX;
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

/* Breadth first from the destination; the ports then are those that lead one step back. */
static void fill_row(const table *t, const neighbours *n, uint32_t destination, fl_port *row, uint32_t *distance, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(distance, 0xff, t->switches * sizeof *distance);
    distance[destination] = 0;
    queue[tail++] = destination;
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
        for (unsigned port = 0; port < n->radix && row[s] == UINT16_MAX && s != destination; port++) {
            uint32_t u = n->of[(size_t)s * n->radix + port];
            if (u != UINT32_MAX && distance[u] < distance[s])
                row[s] = (fl_port)port;
        }
    }
}

static fl_status fill(table *t, const fl_network *network, fl_error *error)
{
    neighbours n = {0};
    uint32_t *distance = malloc(t->switches * sizeof *distance), *queue = malloc(t->switches * sizeof *queue);
    t->port = malloc((size_t)t->homes * t->switches * sizeof *t->port);
    bool room = distance && queue && t->port && find_neighbours(&n, network);
    for (uint32_t s = 0; room && s < t->switches; s++)
        if (t->home[s] != UINT32_MAX)
            fill_row(t, &n, s, t->port + (size_t)t->home[s] * t->switches, distance, queue);
    free(distance);
    free(queue);
    free(n.of);
    return room ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory for the shortest-path table of %s", network->spec);
}

static fl_status prepare(fl_router *router, fl_error *error)
{
    const fl_network *network = router->network;
    if (network->switches > TABLE_BYTES_MAX / sizeof(fl_port) ||
        (network->switches > 0 && network->switches * sizeof(uint32_t) > TABLE_BYTES_MAX / network->radix))
        return fl_fail(error, FL_ERR_INVALID, "%s is too large for shortest-path tables: %llu switches", network->spec,
                       (unsigned long long)network->switches);
    table *t = calloc(1, sizeof *t);
    router->data = t;
    if (!t || !(t->home = malloc(network->switches * sizeof *t->home)))
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the shortest-path table of %s", network->spec);
    t->switches = (uint32_t)network->switches;
    find_homes(t, network);
    if (t->homes > TABLE_BYTES_MAX / sizeof(fl_port) / t->switches)
        return fl_fail(error, FL_ERR_INVALID, "%s is too large for shortest-path tables: %u destinations at %u switches need more than %llu MB",
                       network->spec, t->homes, t->switches, (unsigned long long)(TABLE_BYTES_MAX >> 20));
    return fill(t, network, error);
}

/* Which port of its switch a node is on, only its neighbourhood tells. */
static void deliver(const fl_network *network, fl_address destination, fl_view *view, fl_decision *decision)
{
    fl_hop hop;
    fl_link_ends ends;
    fl_network_step(network, destination, 0, &hop);
    network->type->link_ends(network, hop.link, &ends);
    fl_base_offer(view, decision, ends.a == destination ? ends.port_b : ends.port_a, FL_BLOCKED_DESTINATION);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    const fl_network *network = router->network;
    const table *t = router->data;
    fl_hop home;
    fl_network_step(network, packet->destination, 0, &home);
    if (home.to == view->here) {
        deliver(network, packet->destination, view, decision);
        return;
    }
    uint64_t here = network->type->switch_index(network, view->here), there = network->type->switch_index(network, home.to);
    fl_base_offer(view, decision, t->port[(size_t)t->home[there] * t->switches + here], FL_BLOCKED_CROSS);
}

static bool serves(const fl_network *network)
{
    return !network->one_way;
}

const fl_router_type fl_router_table = {
    .name = "table",
    .summary = "shortest-path tables, for every network; the base routing of those that have no other",
    .source = "this project",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .base = true,
    .prepare = prepare,
    .release = release,
};
