/* One chain of simulated annealing. */
#ifndef FL_TOPO_SEARCH_CHAIN_H
#define FL_TOPO_SEARCH_CHAIN_H

#include "topo/search/distance_sum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of a graph. */
typedef struct fl_search_size {
    uint32_t nodes, switches, radix, symmetry;
} fl_search_size;

typedef struct fl_chain {
    fl_search_size size;
    fl_search_graph graph, best;
    fl_distance_sum *distances;
    fl_rng rng;
    uint64_t sum, best_sum; /* of distances: fl_distance_sum */
    uint64_t steps, accepted;
    double unit; /* what a temperature of 1 is, in units of `sum` */
    bool free_ports;
} fl_chain;

/* A chain that begins with a random graph, or with `start` (NULL: none; fl_search_graph_take);
 * (seed, number) gives its random numbers. The caller clears it, after a failure too.
 * FL_ERR_INVALID: no connected graph was found; FL_ERR_MEMORY. */
fl_status fl_chain_create(fl_chain *chain, const fl_search_size *size, const fl_network *start,
                          uint64_t seed, uint64_t number, fl_error *error);
void fl_chain_clear(fl_chain *chain);

/* One step: a 2-neighbour swing or a swap (Yasudo thesis, 3.4.2.2 and 3.4.2.3), or, where ports are
 * free, a move of a node or of a link's end to one, or a link between two. What makes the sum of
 * distances larger by x is accepted with probability exp(-x / (unit * temperature)). */
void fl_chain_step(fl_chain *chain, double temperature);

/* Appends the chain's state as bytes. */
void fl_chain_append(const fl_chain *chain, fl_text *out);

/* A chain from these bytes, which may come from anywhere; *used: how many they are. The caller
 * clears the chain, after a failure too. FL_ERR_INVALID: they are no chain. */
fl_status fl_chain_read(fl_chain *chain, const char *bytes, size_t length, size_t *used,
                        fl_error *error);

/* Goes on from where the chain with these bytes is, with random numbers of its own. As
 * fl_chain_read. */
fl_status fl_chain_follow(fl_chain *chain, const char *bytes, size_t length, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
