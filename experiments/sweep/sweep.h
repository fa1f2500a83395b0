/* Sampled sweeps over fault points. */
#ifndef FL_EXPERIMENTS_SWEEP_SWEEP_H
#define FL_EXPERIMENTS_SWEEP_SWEEP_H

#include "routing/routing.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { FL_SWEEP_ROUTERS_MAX = 64, FL_SWEEP_THREADS_MAX = 1024, FL_RANKS_REPORT = 3 };

/* Every router is asked about the same pairs under the same fault orders, at every fault point. */
typedef struct fl_sweep {
    const fl_network *network;
    const fl_fault_model *model;
    fl_router *const *routers; /* of one scope */
    unsigned router_count;
    uint64_t seed;
    uint64_t first_trial, trials;
    unsigned threads;
    const atomic_bool *stop; /* NULL, or set by the caller to end early */
    void (*progress)(void *user, uint64_t done,
                     uint64_t trials); /* NULL, or called a few times a second */
    void *user;
} fl_sweep;

/* Raw counts of one (router, fault point). */
typedef struct fl_count {
    uint64_t delivered;
    uint64_t length_sum, length_squares; /* of the delivered packets' path lengths in links */
    uint64_t blocked[FL_REASONS];
} fl_count;

typedef struct fl_counts {
    unsigned routers;
    uint32_t fault_points;
    uint64_t first_trial, trials; /* trials first_trial .. first_trial + trials - 1 are in here
                                     (fl_results: see ranges) */
    fl_count *of;                 /* [router * fault_points + fault point] */
    uint64_t *both; /* [pair * fault_points + fault point]: both delivered; pairs (0,1), (0,2),
                       (1,2), (0,3), ... */
} fl_counts;

/* Where the pair of routers a < b stands in `both`. */
FL_INLINE unsigned fl_counts_pair(unsigned a, unsigned b)
{
    return b * (b - 1) / 2 + a;
}

fl_counts *fl_counts_create(unsigned routers, uint32_t fault_points); /* NULL: out of memory */
void fl_counts_destroy(fl_counts *counts);

/* Runs the trials. Ended early by `stop`, counts->trials says how many are in: always the first
 * ones. The counts do not depend on the number of threads. */
fl_status fl_sweep_run(const fl_sweep *sweep, fl_counts *counts, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
