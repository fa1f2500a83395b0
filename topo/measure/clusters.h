/* Clusters: nodes and switches in groups of a limited size with few links between groups. */
#ifndef FL_TOPO_CLUSTERS_H
#define FL_TOPO_CLUSTERS_H

#include "topo/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The links of a network as pairs of vertices: nodes by their index, then switches. */
typedef struct fl_link_pair {
    uint32_t a, b;
} fl_link_pair;

typedef struct fl_link_list {
    uint32_t vertices, nodes; /* vertices 0..nodes-1 are nodes */
    uint64_t links;
    fl_link_pair *ends; /* [links], by link index */
} fl_link_list;

/* Lists the links; the caller destroys *out. FL_ERR_INVALID: more than 2^31 - 1 vertices or 2^30 -
 * 1 links, or the network needs more memory than there is. FL_ERR_MEMORY. */
fl_status fl_link_list_create(fl_link_list *out, const fl_network *network, fl_error *error);

/* Frees the pairs. */
void fl_link_list_destroy(fl_link_list *list);

/* Sets cluster[v] of every vertex v: the fewest clusters that hold at most `size` vertices each,
 * *count of them, numbered from 0, with few links between different ones. The best of partitions
 * by METIS and of cutting the order of the switches, each with its nodes, into stretches; each is
 * refined by moves and exchanges that save links. The same seed gives the same clusters. The caller
 * owns `cluster`, of list->vertices entries; size >= 1. Returns FL_OK or FL_ERR_MEMORY. Time: that
 * of METIS, and about seconds of refinement at most. */
fl_status fl_clusters_find(uint32_t *cluster, uint32_t *count, const fl_link_list *list,
                           uint32_t size, uint64_t seed, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
