/* Private to experiments: curves without sampling error. */
#ifndef FL_EXPERIMENTS_EXACT_H
#define FL_EXPERIMENTS_EXACT_H

#include "experiments/experiments.h"

/* One pair of nodes that stands for `weight` ordered pairs. */
typedef struct fl_router_pair_class {
    fl_address source, destination;
    double weight;
} fl_router_pair_class;

/* All ordered pairs of different nodes, one for each class that the router and the fault model
 * cannot tell apart; ordered by destination. `whole`: every pair by itself, no symmetry. */
fl_status fl_router_pair_classes(fl_router_pair_class **out, uint64_t *count, const fl_router *router, const fl_fault_model *model,
                          bool whole, fl_error *error);

/* When to give up. */
typedef struct fl_exact_patience {
    bool (*is_over)(void *user);
    void *user;
} fl_exact_patience;

/* The curve of a router or limit under a list of faults. FL_ERR_STOPPED when patience ran out: the
 * points are bounds then. */
fl_status fl_exact_run_list(const fl_bound_sweep *bound, unsigned router, const fl_exact_patience *patience, fl_exact_curve *curve,
                            fl_error *error);

#endif
