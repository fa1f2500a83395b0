/* The sum of distances of a host-switch graph, from scratch or after a few
 * changes. */
#ifndef FL_TOPO_SEARCH_DISTANCE_SUM_H
#define FL_TOPO_SEARCH_DISTANCE_SUM_H

#include "topo/search/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The sum, over all ordered pairs of nodes, of the number of links between their switches. Twice
 * the h-ASPL times the pairs n (n - 1) / 2 is this and 2 n (n - 1). */
#define FL_DISTANCE_UNREACHABLE UINT64_MAX

typedef struct fl_distance_sum fl_distance_sum;

/* For graphs of these numbers of switches, radix and symmetry; it refers to `graph`, which has to
 * stay. `portable`: without the instructions that only some processors have; the same results.
 * The caller destroys it. FL_ERR_MEMORY. */
fl_status fl_distance_sum_create(fl_distance_sum **out, const fl_search_graph *graph, bool portable,
                                 fl_error *error);

/* NULL is allowed. */
void fl_distance_sum_destroy(fl_distance_sum *sum);

/* The sum of the graph as it is, and what fl_distance_sum_try starts from. FL_DISTANCE_UNREACHABLE
 * where two switches with nodes are not connected. O(m^2 k d / 64) for m switches of k neighbours,
 * at a distance of d at most. */
uint64_t fl_distance_sum_all(fl_distance_sum *sum);

/* What changed since the last sum that was accepted: orbits whose links or nodes are others. */
typedef struct fl_touched {
    uint32_t orbits[8];
    unsigned count;
} fl_touched;

/* The sum of the changed graph if it is at most `bound`; else any value above it. The caller then
 * accepts it, or takes back the changes of the graph and rejects it; or it changes the graph
 * further and rejects it before the next try. */
uint64_t fl_distance_sum_try(fl_distance_sum *sum, const fl_touched *touched, uint64_t bound);
void fl_distance_sum_accept(fl_distance_sum *sum);
void fl_distance_sum_reject(fl_distance_sum *sum);

#ifdef __cplusplus
}
#endif
#endif
