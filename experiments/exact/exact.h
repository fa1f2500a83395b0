/* Curves without sampling error. */
#ifndef FL_EXPERIMENTS_EXACT_EXACT_H
#define FL_EXPERIMENTS_EXACT_EXACT_H

#include "experiments/spec/experiment.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* At one fault point. The success ratio lies in success_low..success_high: one value, except for
 * what was left out (fl_exact_curve.prune). The mean path length lies in length_low..length_high;
 * where fl_exact_curve.length_is_sampled, that is a 95% confidence interval. */
typedef struct fl_exact_point {
    double success_low, success_high;
    bool has_length; /* something is delivered; sampled: at least twice */
    double length_low, length_high;
} fl_exact_point;

typedef struct fl_exact_options {
    double budget;    /* seconds for one router; then bounds instead of values. <= 0: no limit */
    double tolerance; /* bounds as narrow as this at every fault point are good enough; 0: narrower
                         while time is left */
    uint64_t states_max;   /* branchings of one exploration, which bounds its memory (about 3 KB
                              each); 0: no limit */
    bool every_pair;       /* do not use the network's symmetry */
    bool unmerged;         /* do not merge: every leaf of the decision tree by itself */
    uint64_t trials, seed; /* of the sampled path lengths of `limit`; 0 trials: no lengths */
    unsigned threads;      /* routers are explored side by side */
    const atomic_bool *stop;
    void (*progress)(void *user, uint64_t done, uint64_t all); /* routers done */
    void *user;
} fl_exact_options;

typedef struct fl_exact_curve {
    fl_exact_point *points; /* [fault points] */
    bool exact;             /* nothing was left out */
    bool integers; /* all counts below 2^64: nothing was rounded before the last division */
    double prune;  /* histories less likely than this at every fault point were left out */
    bool
        length_is_sampled; /* mean path lengths have sampling error: length_trials of length_seed */
    uint64_t length_trials, length_seed;
    uint64_t states, pair_classes;
    double seconds;
} fl_exact_curve;

/* Routers all. The limits under a `list` of faults and where single links fail: `minimal-limit` on
 * every network that fits into memory; `limit` where every link can fail and the network
 * has at most FL_EXPLORED_COMPONENTS_MAX links: its success ratio is exact, its path lengths are
 * sampled. */
bool fl_exact_serves(const fl_bound_sweep *bound, unsigned router);

/* Success ratio and mean path length of one router over all ordered pairs of different nodes.
 * When the budget ends before anything rigorous is there, the bounds are 0 and 1. */
fl_status fl_exact_run(const fl_bound_sweep *bound, unsigned router,
                       const fl_exact_options *options, fl_exact_curve *curve, fl_error *error);

typedef struct fl_exact_results {
    const fl_experiment *experiment;
    fl_exact_curve *curves; /* of all sweeps' routers, one after the other */
    unsigned curve_count;
    bool partial; /* ended by `stop`: routers without a curve have no rows */
    char started[32];
    double wall_seconds;
} fl_exact_results;

/* The curves of all routers of an experiment, whose trials and seed replace those of `options`. The
 * experiment must outlive the results, which the caller destroys. */
fl_status fl_exact_experiment(fl_exact_results **out, const fl_experiment *experiment,
                              const fl_exact_options *options, fl_error *error);
void fl_exact_results_destroy(fl_exact_results *results);
void fl_exact_csv(const fl_exact_results *results, fl_text *out);
void fl_exact_json(const fl_exact_results *results, fl_text *out);
void fl_exact_summary(const fl_exact_results *results, fl_text *out);
/* exact.csv and exact.json; figures (exact-NAME.png and .svg). */
fl_status fl_exact_write(const fl_exact_results *results, const char *folder, fl_error *error);
fl_status fl_exact_draw(const fl_exact_results *results, const char *folder, bool log_y,
                        fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
