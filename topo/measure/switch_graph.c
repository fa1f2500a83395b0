/* The graph of switches that measured properties are found on. */
#include "topo/measure/private.h"

#include <stdlib.h>

void fl_switch_graph_destroy(fl_switch_graph *graph)
{
    free(graph->offsets);
    free(graph->targets);
    free(graph->hosts);
    free(graph->alike);
}

static void fill_graph(fl_switch_graph *graph, const fl_network *network, bool every_source)
{
    const fl_network_type *type = network->type;
    for (uint32_t s = 0; s < graph->switches; s++) {
        fl_address address = type->switch_address(network, s);
        graph->offsets[s] = graph->arcs;
        for (unsigned port = 0; port < network->radix; port++) {
            fl_hop hop;
            if (!fl_network_step(network, address, (fl_port)port, &hop))
                continue;
            if (fl_address_is_node(hop.to))
                graph->hosts[s]++;
            else
                graph->targets[graph->arcs++] = (uint32_t)type->switch_index(network, hop.to);
        }
        graph->homes += graph->hosts[s] > 0;
        graph->alike[s] =
            type->representative && !every_source ? (uint32_t)type->representative(network, s) : s;
    }
    graph->offsets[graph->switches] = graph->arcs;
}

/* Nodes are vertices, too. */
static void fill_graph_with_nodes(fl_switch_graph *graph, const fl_network *network)
{
    const fl_network_type *type = network->type;
    for (uint32_t v = 0; v < graph->switches; v++) {
        bool node = v >= graph->first_node;
        fl_address address = node ? type->node_address(network, v - graph->first_node)
                                  : type->switch_address(network, v);
        graph->offsets[v] = graph->arcs;
        graph->alike[v] = v;
        graph->hosts[v] = node;
        for (unsigned port = 0; port < (node ? network->node_ports : network->radix); port++) {
            fl_hop hop;
            if (!fl_network_step(network, address, (fl_port)port, &hop))
                continue;
            uint64_t to = fl_address_is_node(hop.to)
                              ? graph->first_node + type->node_index(network, hop.to)
                              : type->switch_index(network, hop.to);
            graph->targets[graph->arcs++] = (uint32_t)to;
        }
    }
    graph->offsets[graph->switches] = graph->arcs;
    for (uint32_t s = 0; s < graph->first_node; s++) {
        uint64_t at = graph->offsets[s];
        while (at < graph->offsets[s + 1] && graph->targets[at] < graph->first_node)
            at++;
        graph->homes += at < graph->offsets[s + 1];
    }
}

/* The graph, and the searches: bit blocks of three kinds. */
const double fl_metrics_bytes_a_switch = 16 + 3 * sizeof(fl_block) + 9;

fl_status fl_switch_graph_create(fl_switch_graph *out, const fl_network *network, bool every_source,
                                 fl_error *error)
{
    bool with_nodes = network->node_ports > 1;
    uint64_t vertices = network->switches + (with_nodes ? network->nodes : 0);
    uint64_t links = network->links - (with_nodes ? 0 : network->nodes);
    if (vertices >= UINT32_MAX || network->links >= UINT32_MAX || network->nodes >= UINT32_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s is too large to be searched: %llu nodes, %llu switches, %llu links",
                       network->spec, (unsigned long long)network->nodes,
                       (unsigned long long)network->switches, (unsigned long long)network->links);
    fl_status status = fl_memory_check(
        (double)vertices * fl_metrics_bytes_a_switch + 8.0 * (double)links, network->spec, error);
    if (status)
        return status;
    *out = (fl_switch_graph){.switches = (uint32_t)vertices,
                             .nodes = network->nodes,
                             .first_node = (uint32_t)network->switches,
                             .node_ports = network->node_ports};
    out->offsets = malloc((vertices + 1) * sizeof *out->offsets);
    out->targets = malloc((2 * links + 1) * sizeof *out->targets);
    out->hosts = calloc(vertices, sizeof *out->hosts);
    out->alike = malloc(vertices * sizeof *out->alike);
    if (!out->offsets || !out->targets || !out->hosts || !out->alike) {
        fl_switch_graph_destroy(out);
        return fl_metrics_no_memory(error);
    }
    if (with_nodes)
        fill_graph_with_nodes(out, network);
    else
        fill_graph(out, network, every_source);
    return FL_OK;
}
