/* Clustering coefficient of the switches. */
#include "topo/measure/private.h"

#include <stdlib.h>

/* Neighbours u of v have neighbours w in all: the work of counting the triangles at v. */
static double work_of(const fl_switch_graph *graph)
{
    double work = 0;
    for (uint32_t v = 0; v < graph->first_node; v++) {
        double degree = (double)(graph->offsets[v + 1] - graph->offsets[v]);
        work += degree * degree;
    }
    return work;
}

/* Ordered pairs of neighbours of v that are linked. `mark[u]` is v + 1 for v's neighbours. */
static void count_at(const fl_switch_graph *graph, uint32_t v, uint32_t *mark, fl_metrics *out)
{
    uint64_t neighbours = 0;
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
        if (graph->targets[e] < graph->first_node) {
            mark[graph->targets[e]] = v + 1;
            neighbours++;
        }
    out->neighbour_pairs += neighbours * (neighbours - (neighbours > 0)) / 2;
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
        uint32_t u = graph->targets[e];
        for (uint64_t f = graph->offsets[u]; u < graph->first_node && f < graph->offsets[u + 1];
             f++)
            out->linked_pairs +=
                graph->targets[f] < graph->first_node && mark[graph->targets[f]] == v + 1;
    }
}

fl_status fl_measure_clustering(fl_metrics *out, const fl_switch_graph *graph,
                                const fl_metrics_options *options, fl_error *error)
{
    if (work_of(graph) > FL_WORK_MAX)
        return FL_OK;
    uint32_t *mark = calloc((size_t)graph->switches + 1, sizeof *mark);
    fl_status status = mark ? FL_OK : fl_metrics_no_memory(error);
    for (uint32_t v = 0; !status && v < graph->first_node; v++) {
        count_at(graph, v, mark, out);
        if (v % 256 == 0 && fl_metrics_stopped(options))
            status = fl_metrics_stop(error);
    }
    free(mark);
    out->linked_pairs /= 2;
    if (out->neighbour_pairs > 0)
        out->clustering_coefficient = (double)out->linked_pairs / (double)out->neighbour_pairs;
    return status;
}
