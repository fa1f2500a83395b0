/* A network stored as a graph. */
#ifndef FL_TOPO_GRAPH_H
#define FL_TOPO_GRAPH_H

#include "topo/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compressed sparse rows. Vertices: nodes first, then switches. Neighbours of v stand at
 * offsets[v]..offsets[v+1]-1, in the order of ports. */
typedef struct fl_graph {
    uint64_t vertices, nodes;
    uint64_t ends_only; /* vertices below forward nothing: paths begin and end there; of a network's
                           graph its nodes */
    uint64_t *offsets;  /* vertices + 1 */
    uint32_t *targets;
    uint32_t *links; /* link index of each entry */
} fl_graph;

/* Stores the network as a graph, which the caller destroys. FL_ERR_INVALID or FL_ERR_MEMORY when it
 * is too large. */
fl_status fl_graph_create(fl_graph **out, const fl_network *network, fl_error *error);

/* Frees a graph; NULL is allowed. */
void fl_graph_destroy(fl_graph *graph);

/* Breadth-first distances in links from `start`; UINT32_MAX where unreachable. `queue` has
 * room for all vertices. Returns how many vertices were reached, start included. */
uint64_t fl_graph_distances(const fl_graph *graph, uint64_t start, uint32_t *distance,
                            uint32_t *queue);

#ifdef __cplusplus
}
#endif
#endif
