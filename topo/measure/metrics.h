/* Measured properties of networks. */
#ifndef FL_TOPO_MEASURE_METRICS_H
#define FL_TOPO_MEASURE_METRICS_H

#include "topo/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FL_METRICS_DISTANCES = 1,
    FL_METRICS_PATHS = 2,
    FL_METRICS_CONNECTIVITY = 4,
    FL_METRICS_BISECTION = 8,
    FL_METRICS_CLUSTERING = 16
};

typedef struct fl_metrics_options {
    unsigned wanted;   /* FL_METRICS_...; 0: all of them */
    bool every_source; /* search from every switch with nodes, not only from one of those that are
                          alike */
    unsigned seeds;    /* of the bisection: starts of each kind, and the most annealings; 0: as
                        * many as are quick, 64 at most */
    uint64_t seed;
    bool (*should_stop)(void *user); /* NULL, or asked now and then; true: FL_ERR_STOPPED */
    void *user;
} fl_metrics_options;

/* Distances count links from node to node. What was not worked out is 0 searches, a NAN or -1. With
 * nodes of several ports a search starts at a node, not at a switch, and of what follows two things
 * mean something else or nothing. */
typedef struct fl_metrics {
    uint64_t homes;    /* switches with nodes */
    uint64_t searches; /* of which this number was searched from; the others are alike
                          (fl_network_type.representative) */
    uint32_t diameter;
    uint64_t distance_sum;   /* over unordered pairs of different nodes */
    uint64_t pairs;          /* such pairs */
    uint64_t table_entries;  /* of routing tables in switches: for each of them, the nodes that it
                                can send to */
    double average_distance; /* over these pairs: h-ASPL */
    double average_distance_with_self; /* over ordered pairs, those of a node with itself (at
                                          distance 0) included */
    double path_diversity;   /* mean number of shortest paths over ordered pairs of switches with
                              * nodes, self pairs   counting 0, divided by the number of nodes (Wang
                              * thesis, 3.3); NAN with nodes of several ports */
    int64_t bisection_width; /* of the best partition found: an upper bound */
    char bisection_method[128];
    int64_t edge_connectivity; /* least number of links whose loss parts two switches with nodes, in
                                * one direction or both; with nodes of several ports, two nodes */
    uint64_t
        neighbour_pairs;   /* pairs of neighbours of a switch (other switches), over all switches */
    uint64_t linked_pairs; /* those of them that are linked: three of every triangle */
    double clustering_coefficient; /* their fraction; NAN: there are no pairs, links carry one way
                                      only, or it was not worked out */
} fl_metrics;

/* What fl_metrics_compute takes for each switch, at least: for fl_network_create_for. */
extern const double fl_metrics_bytes_a_switch;

/* FL_ERR_INVALID when the network is too large to be stored as a graph, or not connected. */
fl_status fl_metrics_compute(fl_metrics *out, const fl_network *network,
                             const fl_metrics_options *options, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
