/* Private to experiments: the sweep over fault points. */
#ifndef FL_EXPERIMENTS_SWEEP_PRIVATE_H
#define FL_EXPERIMENTS_SWEEP_PRIVATE_H

#include "experiments/experiments.h"

/* ---- tallies ---- */

/* Counts of one (router, fault point). One cache line; difference arrays use it with signs. */
typedef struct fl_cell {
    int64_t delivered, length_sum, length_squares;
    int64_t blocked[FL_REASONS];
} fl_cell;

typedef struct fl_tally fl_tally;

fl_tally *fl_tally_create(unsigned routers, uint32_t fault_points); /* NULL: out of memory */
void fl_tally_destroy(fl_tally *tally);

/* Books one outcome of all routers in `group` for the fault points first..end-1. */
void fl_tally_delivered(fl_tally *tally, uint64_t group, uint32_t first, uint32_t end,
                        uint32_t length);
void fl_tally_blocked(fl_tally *tally, uint64_t group, uint32_t first, uint32_t end,
                      fl_reason reason);
void fl_tally_end_trial(fl_tally *tally);

/* In place of fl_tally_end_trial, when more outcomes of the trial are to come: sets it aside so
 * that others can be booked. Trials set aside are taken up again in the same order, to be
 * completed and ended. False: out of memory. */
bool fl_tally_set_aside(fl_tally *tally);
void fl_tally_take_up(fl_tally *tally);

/* Adds everything to `counts`. */
void fl_tally_add_to(fl_tally *tally, fl_counts *counts);
/* Forgets what was added. */
void fl_tally_clear(fl_tally *tally);

/* ---- limits ---- */

/* Works out what no router can beat (routing.h, fl_limit_kind), for up to FL_LIMIT_LANES trials
 * at once. `blocked_source` and `blocked_destination` mean what they mean for routers, the source
 * first; when both node links are up, but no path is left, `blocked_up` is counted. */
enum { FL_LIMIT_LANES = 64, FL_LIMIT_LINKS_MAX = 1 << 24 };

typedef struct fl_limit fl_limit;

/* FL_ERR_INVALID: the network is too large to be held. */
fl_status fl_limit_check(const fl_network *network, fl_error *error);

/* `portable`: without the instructions that only some processors have; the same results. NULL:
 * too large, or out of memory. */
fl_limit *fl_limit_create(const fl_network *network, uint32_t fault_points, bool portable,
                          fl_error *error);
void fl_limit_destroy(fl_limit *limit);

/* Takes a trial into the next lane, which must be free. Completes the order: the trial's last
 * questions. source and destination are indices of nodes. */
void fl_limit_add(fl_limit *limit, fl_order *order, uint64_t source, uint64_t destination);
unsigned fl_limit_count(const fl_limit *limit); /* lanes taken */

/* Works out all lanes; books one of them for the routers in the group `any` as limit and for
 * those in `minimal` as minimal-limit (either may be empty); frees all lanes. */
void fl_limit_solve(fl_limit *limit);
void fl_limit_book(const fl_limit *limit, unsigned lane, uint64_t any, uint64_t minimal,
                   fl_tally *tally);
void fl_limit_clear(fl_limit *limit);

/* ---- trials ---- */

typedef struct fl_trial_runner fl_trial_runner;

fl_trial_runner *fl_trial_runner_create(const fl_sweep *sweep, fl_tally *tally, fl_error *error);
void fl_trial_runner_destroy(fl_trial_runner *runner);
fl_status fl_trials_run(fl_trial_runner *runner, uint64_t first, uint64_t count, fl_error *error);

/* A trial with a pair (indices of nodes) of the caller's, under the order that trial 0 has: for
 * models that leave nothing to chance. After the last, fl_trials_end books what is unfinished.
 */
fl_status fl_trials_run_pair(fl_trial_runner *runner, uint64_t source, uint64_t destination,
                             fl_error *error);
void fl_trials_end(fl_trial_runner *runner);

/* ---- threads ---- */

/* The threads of one process, which run one block of trials after the other. The sweep must outlive
 * the threads. */
typedef struct fl_threads fl_threads;

typedef struct fl_threads_state {
    uint64_t done; /* trials of this block */
    bool working;  /* some thread is still at it */
    bool failed;
} fl_threads_state;

/* Called by fl_threads_run in its own thread: every `milliseconds` while threads work and at
 * once when all have ended, and from then on often, until it returns true. */
enum { FL_WATCH_MILLISECONDS = 100, FL_WATCH_MILLISECONDS_IDLE = 1 };
typedef struct fl_watch {
    bool (*look)(void *user, const fl_threads_state *state,
                 bool *stop); /* *stop = true: begin nothing new */
    void *user;
    long milliseconds;
} fl_watch;

fl_status fl_threads_create(fl_threads **out, const fl_sweep *sweep, fl_error *error);
void fl_threads_destroy(fl_threads *all_threads);

/* Runs the trials first .. first + count - 1 and adds them to the counts (but not to
 * counts->trials). *done: how many were run, the first ones; fewer than `count` only if asked to
 * stop. */
fl_status fl_threads_run(fl_threads *all_threads, uint64_t first, uint64_t count,
                         const fl_watch *watch, fl_counts *counts, uint64_t *done, fl_error *error);

#endif
