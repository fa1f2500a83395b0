/* A network as a stored graph, and breadth-first distances in it. */
#include "topo/topo.h"

#include <stdlib.h>

static fl_address vertex_address(const fl_network *network, uint64_t vertex)
{
    return vertex < network->nodes
               ? network->type->node_address(network, vertex)
               : network->type->switch_address(network, vertex - network->nodes);
}

static uint64_t vertex_index(const fl_network *network, fl_address address)
{
    return fl_address_is_node(address)
               ? network->type->node_index(network, address)
               : network->nodes + network->type->switch_index(network, address);
}

void fl_graph_destroy(fl_graph *graph)
{
    if (!graph)
        return;
    free(graph->offsets);
    free(graph->targets);
    free(graph->links);
    free(graph);
}

static void fill(fl_graph *graph, const fl_network *network)
{
    uint64_t at = 0;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        graph->offsets[v] = at;
        fl_address address = vertex_address(network, v);
        unsigned ports = v < network->nodes ? network->node_ports : network->radix;
        fl_hop hop;
        for (unsigned port = 0; port < ports && at < 2 * network->links; port++)
            if (fl_network_step(network, address, (fl_port)port, &hop)) {
                graph->targets[at] = (uint32_t)vertex_index(network, hop.to);
                graph->links[at] = (uint32_t)network->type->link_index(network, hop.link);
                at++;
            }
    }
    graph->offsets[graph->vertices] = at;
}

fl_status fl_graph_create(fl_graph **out, const fl_network *network, fl_error *error)
{
    uint64_t vertices = network->nodes + network->switches;
    if (vertices >= UINT32_MAX || network->links >= UINT32_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%s is too large to be stored as a graph",
                       network->spec);
    fl_graph *graph = calloc(1, sizeof *graph);
    if (graph) {
        graph->vertices = vertices;
        graph->nodes = graph->ends_only = network->nodes;
        graph->offsets = calloc(vertices + 1, sizeof *graph->offsets);
        graph->targets = calloc(2 * network->links, sizeof *graph->targets);
        graph->links = calloc(2 * network->links, sizeof *graph->links);
    }
    if (!graph || !graph->offsets || !graph->targets || !graph->links) {
        fl_graph_destroy(graph);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the graph of %s", network->spec);
    }
    fill(graph, network);
    *out = graph;
    return FL_OK;
}

uint64_t fl_graph_distances(const fl_graph *graph, uint64_t start, uint32_t *distance,
                            uint32_t *queue)
{
    for (uint64_t v = 0; v < graph->vertices; v++)
        distance[v] = UINT32_MAX;
    uint64_t head = 0, tail = 0;
    queue[tail++] = (uint32_t)start;
    distance[start] = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        if (v < graph->ends_only && v != start)
            continue;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            if (distance[u] == UINT32_MAX) {
                distance[u] = distance[v] + 1;
                queue[tail++] = u;
            }
        }
    }
    return tail;
}
