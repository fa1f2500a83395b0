/* Private to experiments: the sweep over fault levels. */
#ifndef FL_EXPERIMENTS_SWEEP_H
#define FL_EXPERIMENTS_SWEEP_H

#include "experiments/experiments.h"

/* ---- tallies ---- */

/* Counts of one (router, level). One cache line; difference arrays use it with signs. */
typedef struct fl_cell {
    int64_t delivered, length_sum, length_squares;
    int64_t blocked[FL_REASONS];
} fl_cell;

typedef struct fl_tally fl_tally;

fl_tally *fl_tally_create(unsigned routers, uint32_t levels); /* NULL: out of memory */
void fl_tally_destroy(fl_tally *tally);

/* Books one outcome of all routers in `group` for the levels first..beyond-1. */
void fl_tally_delivered(fl_tally *tally, uint64_t group, uint32_t first, uint32_t beyond, uint32_t length);
void fl_tally_blocked(fl_tally *tally, uint64_t group, uint32_t first, uint32_t beyond, fl_reason reason);
void fl_tally_end_trial(fl_tally *tally);

/* Adds everything to `counts`. */
void fl_tally_add_to(fl_tally *tally, fl_counts *counts);

/* ---- one trial ---- */

typedef struct fl_trial_runner fl_trial_runner;

fl_trial_runner *fl_trial_runner_create(const fl_sweep *sweep, fl_tally *tally, fl_error *error);
void fl_trial_runner_destroy(fl_trial_runner *runner);
fl_status fl_trial_run(fl_trial_runner *runner, uint64_t trial, fl_error *error);

#endif
