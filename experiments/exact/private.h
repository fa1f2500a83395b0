/* Private to experiments: curves without sampling error. */
#ifndef FL_EXPERIMENTS_EXACT_PRIVATE_H
#define FL_EXPERIMENTS_EXACT_PRIVATE_H

#include "analysis/exact/explorer.h"
#include "experiments/experiments.h"

/* When to give up. */
typedef struct fl_exact_time_limit {
    bool (*is_over)(void *user);
    void *user;
} fl_exact_time_limit;

/* One pair of nodes that stands for `weight` ordered pairs. */
typedef struct fl_router_pair_class {
    fl_address source, destination;
    double weight;
} fl_router_pair_class;

/* All ordered pairs of different nodes, one for each class that the router and the fault model
 * cannot distinguish; ordered by destination. `complete`: every pair by itself, no symmetry. */
fl_status fl_router_pair_classes(fl_router_pair_class **out, uint64_t *count,
                                 const fl_router *router, const fl_fault_model *model,
                                 bool complete, fl_error *error);

/* The curve of a router or limit under a list of faults. FL_ERR_STOPPED when the time was over: the
 * points are bounds then. */
fl_status fl_exact_run_list(const fl_bound_sweep *bound, unsigned router,
                            const fl_exact_time_limit *time_limit, fl_exact_curve *curve,
                            fl_error *error);

/* What is left of a pair's shortest paths, for fault models in which links fail one by one. The
 * result of a run is valid until the next; source and destination are indices of nodes.
 * FL_ERR_STOPPED: more than memory_max bytes (0: no limit) needed, out of time, or more paths
 * than can be handled. */
typedef struct fl_minimal_paths fl_minimal_paths;
fl_status fl_minimal_paths_create(fl_minimal_paths **out, const fl_network *network,
                                  const fl_fault_model *model, uint64_t memory_max,
                                  const fl_exact_time_limit *time_limit, fl_error *error);
void fl_minimal_paths_destroy(fl_minimal_paths *paths);
fl_status fl_minimal_paths_run(fl_minimal_paths *paths, uint64_t source, uint64_t destination,
                               fl_exploration *out, fl_error *error);
bool fl_minimal_paths_are_complete(const fl_minimal_paths *paths); /* no number was ever rounded */
uint64_t fl_minimal_paths_states(const fl_minimal_paths *paths);

#endif
