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

#endif
