/* Measured properties of networks: shortest paths, entries of routing tables, and all in one call.
 */
#include "topo/measure/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- routing tables ---- */

/* Nodes beside the switches that v leads to, v included; of a part of the network once. */
static uint64_t count_part(const fl_switch_graph *graph, uint32_t start, bool *seen,
                           uint32_t *queue, uint64_t *nodes)
{
    uint32_t head = 0, tail = 0;
    uint64_t switches = 0;
    queue[tail++] = start;
    seen[start] = true;
    *nodes = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        bool node = v >= graph->first_node;
        *nodes += graph->hosts[v];
        switches += !node;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1] && !node; e++)
            if (!seen[graph->targets[e]]) {
                seen[graph->targets[e]] = true;
                queue[tail++] = graph->targets[e];
            }
    }
    while (tail > 0) /* nodes belong to other parts, too */
        if (queue[--tail] >= graph->first_node)
            seen[queue[tail]] = false;
    return switches;
}

static fl_status count_table_entries(fl_metrics *out, const fl_switch_graph *graph, fl_error *error)
{
    bool *seen = calloc(graph->switches, sizeof *seen);
    uint32_t *queue = malloc(graph->switches * sizeof *queue);
    bool room = seen && queue;
    for (uint32_t s = 0; room && s < graph->first_node; s++) {
        uint64_t nodes;
        if (!seen[s])
            out->table_entries += count_part(graph, s, seen, queue, &nodes) * nodes;
    }
    free(seen);
    free(queue);
    return room ? FL_OK : fl_metrics_no_memory(error);
}

/* ---- shortest paths ---- */

static double paths_from(const fl_switch_graph *graph, uint32_t start, uint32_t *distance,
                         uint32_t *queue, double *paths)
{
    uint32_t head = 0, tail = 0;
    double sum = 0;
    memset(distance, 0xff, graph->switches * sizeof *distance);
    distance[start] = 0;
    paths[start] = 1;
    queue[tail++] = start;
    while (head < tail) {
        uint32_t v = queue[head++];
        if (graph->hosts[v] > 0 && v != start)
            sum += paths[v];
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            if (distance[u] == UINT32_MAX) {
                distance[u] = distance[v] + 1;
                paths[u] = 0;
                queue[tail++] = u;
            }
            if (distance[u] == distance[v] + 1)
                paths[u] += paths[v];
        }
    }
    return sum;
}

static fl_status measure_paths(fl_metrics *out, const fl_switch_graph *graph,
                               const fl_metrics_options *options, fl_error *error)
{
    size_t n = graph->switches;
    out->path_diversity = NAN;
    if ((double)out->searches * (double)(graph->arcs + n) > FL_WORK_MAX)
        return FL_OK;
    uint32_t *distance = malloc(n * sizeof *distance), *queue = malloc(n * sizeof *queue),
             *alike = calloc(n, sizeof *alike);
    double *paths = malloc(n * sizeof *paths), sum = 0;
    fl_status status = distance && queue && paths && alike ? FL_OK : fl_metrics_no_memory(error);
    for (uint32_t s = 0; !status && s < n; s++)
        alike[graph->alike[s]] += graph->hosts[s] > 0;
    for (uint32_t s = 0; !status && s < n; s++) {
        if (alike[s] > 0)
            sum += alike[s] * paths_from(graph, s, distance, queue, paths);
        if (s % 256 == 0 && fl_metrics_stopped(options))
            status = fl_metrics_stop(error);
    }
    free(distance);
    free(queue);
    free(alike);
    free(paths);
    double homes = graph->homes;
    out->path_diversity = sum / homes / homes / (double)graph->nodes;
    return status;
}

/* ---- all of them ---- */

fl_status fl_metrics_compute(fl_metrics *out, const fl_network *network,
                             const fl_metrics_options *options, fl_error *error)
{
    static const fl_metrics_options defaults;
    fl_switch_graph graph;
    options = options ? options : &defaults;
    *out = (fl_metrics){.bisection_width = -1, .edge_connectivity = -1};
    unsigned wanted = options->wanted ? options->wanted : ~0u;
    fl_status status = fl_switch_graph_create(&graph, network, options->every_source, error);
    if (status)
        return status;
    if (wanted & FL_METRICS_DISTANCES)
        status = fl_measure_distances(out, &graph, options, error);
    if (!status && wanted & FL_METRICS_DISTANCES && !network->one_way)
        status = count_table_entries(out, &graph, error);
    out->path_diversity = out->clustering_coefficient = NAN;
    if (!status && !network->one_way && wanted & FL_METRICS_CLUSTERING)
        status = fl_measure_clustering(out, &graph, options, error);
    if (!status && wanted & FL_METRICS_PATHS && network->node_ports == 1)
        status = measure_paths(out, &graph, options, error);
    if (!status && wanted & FL_METRICS_CONNECTIVITY)
        status = fl_measure_connectivity(out, &graph, network->one_way, options, error);
    if (!status && !network->one_way && wanted & FL_METRICS_BISECTION)
        status = fl_measure_bisection(out, &graph, options, error);
    fl_switch_graph_destroy(&graph);
    return status;
}
