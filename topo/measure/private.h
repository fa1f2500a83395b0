/* Private to topo: the graph of switches that measured properties are worked out on. */
#ifndef FL_TOPO_MEASURE_PRIVATE_H
#define FL_TOPO_MEASURE_PRIVATE_H

#include "topo/topo.h"

/* Nodes hang on switches by one link each, so that switches and their numbers of nodes are enough.
 * Nodes of several ports are vertices of their own, `hosts` 1 each, behind the switches; these have
 * 0 then. Nothing leads on through such a node. */
typedef struct fl_switch_graph {
    uint32_t switches, homes; /* vertices; switches with nodes */
    uint32_t first_node;      /* the first vertex that is a node; `switches` when none is */
    uint32_t node_ports;
    uint64_t nodes, arcs;
    uint64_t *offsets; /* [switches + 1] */
    uint32_t *targets; /* [arcs], one a direction; parallel links are as many */
    uint32_t *hosts;   /* [switches] nodes of each */
    uint32_t *alike;   /* [switches] representative; itself when nothing is known */
} fl_switch_graph;

fl_status fl_switch_graph_create(fl_switch_graph *out, const fl_network *network, bool every_source,
                                 fl_error *error);
void fl_switch_graph_destroy(fl_switch_graph *graph);

/* Bit i of a block of words belongs to the i-th source of a batch: one pass over the links takes
 * all of them one level further. Only switches that were reached in the last level pass anything
 * on. */
enum { FL_BLOCK_WORDS = 8, FL_BLOCK_BITS = 64 * FL_BLOCK_WORDS };

typedef struct fl_block {
    uint64_t word[FL_BLOCK_WORDS];
} fl_block;

#define FL_WORK_MAX 1e9 /* arcs that a search may look at: a few seconds */

/* Fills its part of the metrics. */
fl_status fl_measure_distances(fl_metrics *out, const fl_switch_graph *graph,
                               const fl_metrics_options *options, fl_error *error);
fl_status fl_measure_connectivity(fl_metrics *out, const fl_switch_graph *graph, bool one_way,
                                  const fl_metrics_options *options, fl_error *error);
fl_status fl_measure_clustering(fl_metrics *out, const fl_switch_graph *graph,
                                const fl_metrics_options *options, fl_error *error);
fl_status fl_measure_bisection(fl_metrics *out, const fl_switch_graph *graph,
                               const fl_metrics_options *options, fl_error *error);

FL_INLINE bool fl_metrics_stopped(const fl_metrics_options *options)
{
    return options->should_stop && options->should_stop(options->user);
}

FL_INLINE fl_status fl_metrics_no_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the graph of the switches");
}

FL_INLINE fl_status fl_metrics_stop(fl_error *error)
{
    return fl_fail(error, FL_ERR_STOPPED, "stopped");
}

#endif
