/* Sweeps that go on until they are precise enough. */
#ifndef FL_EXPERIMENTS_SWEEP_PRECISION_H
#define FL_EXPERIMENTS_SWEEP_PRECISION_H

#include "experiments/sweep/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Goes on until the interval of every success ratio (all sweeps, routers and fault levels) has
 * a half-width of at most `target`. The counts are looked at after numbers of trials that are
 * fixed beforehand, and each look uses a z of its own, so that the error probabilities of all
 * looks add up to less than 5%; intervals are written with the z of the look at which it ended.
 *
 * What this guarantees: for each single point, the probability that the interval written misses
 * the true value is at most 5%, whenever the run ends and although the counts decided when. Ended
 * between two looks (by a budget or Ctrl-C) it uses up the next look, whose z is then written.
 * What it does not: the 5% are a point's, not those of all points of a curve together; and the
 * intervals are Wilson's, a normal approximation. For ratios so near to 0 or 1 that about one
 * success or failure is to be expected in all trials, it misses more often than stated, here as
 * in every other sweep (Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion",
 * 2001). */
enum { FL_LOOKS_MAX = 64 };
#define FL_PRECISION_LEAST 1e-7

typedef struct fl_look {
    uint64_t trials;
    double z;
} fl_look;

typedef struct fl_precision {
    double target; /* half-width */
    unsigned looks;
    fl_look look[FL_LOOKS_MAX]; /* trials rise; at the last, every interval is narrow enough (unless
                                   most_trials is fewer) */
} fl_precision;

extern const char fl_precision_rule[]; /* in words, for results */

/* most_trials 0: as many as it takes. */
fl_status fl_precision_plan(fl_precision *out, double target, uint64_t most_trials,
                            fl_error *error);
/* The number of trials that suffices whatever the ratios are. */
uint64_t fl_precision_most(double target);
/* Are all intervals narrow enough at this look (0-based)? */
bool fl_precision_reached(const fl_precision *precision, unsigned look, fl_counts *const *counts,
                          unsigned sweeps);

#ifdef __cplusplus
}
#endif
#endif
