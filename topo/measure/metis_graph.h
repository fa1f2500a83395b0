/* Private to topo: a graph as METIS reads it. */
#ifndef FL_TOPO_MEASURE_METIS_GRAPH_H
#define FL_TOPO_MEASURE_METIS_GRAPH_H

#include "core/status.h"

#include <metis.h>

typedef struct fl_metis_graph {
    idx_t vertices;
    idx_t *offsets, *targets;
    idx_t *parallel; /* of each arc: how many parallel links it stands for */
    idx_t *weights;  /* of each vertex */
    idx_t *part;     /* of each vertex: filled by fl_metis_split */
} fl_metis_graph;

/* Copies a graph in compressed sparse rows, parallel links as one arc with a weight. `weights` may
 * be NULL: every vertex weighs 1. Every link has an arc in each direction; there are at most
 * INT32_MAX arcs. False, with nothing to destroy: out of memory. */
bool fl_metis_graph_create(fl_metis_graph *out, uint32_t vertices, const uint64_t *offsets,
                           const uint32_t *targets, const uint32_t *weights);

/* Frees what the graph owns. */
void fl_metis_graph_destroy(fl_metis_graph *graph);

/* Splits the vertices into `parts` of almost the same weight with few links between them, by
 * recursive bisection (Karypis and Kumar 1998): graph->part. The same seed gives the same parts.
 * Returns what METIS returns: METIS_OK, METIS_ERROR_MEMORY or another error. */
int fl_metis_split(fl_metis_graph *graph, uint32_t parts, uint64_t seed);

#endif
