/* Running the sweeps of an experiment. */
#ifndef FL_EXPERIMENTS_SWEEP_RUN_H
#define FL_EXPERIMENTS_SWEEP_RUN_H

#include "experiments/ranks.h"
#include "experiments/spec/experiment.h"
#include "experiments/sweep/precision.h"
#include "experiments/sweep/ranges.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fl_stopped_by {
    FL_STOPPED_BY_TRIALS,    /* all trials are done */
    FL_STOPPED_BY_PRECISION, /* the intervals are as narrow as was asked for */
    FL_STOPPED_BY_BUDGET,    /* the time is over */
    FL_STOPPED_BY_INTERRUPT
} fl_stopped_by;
extern const char *const fl_stopped_by_names[]; /* trials, ...; ended by NULL */

/* A run is a sequence of blocks of trials; all threads of all ranks share a block. A block is a
 * sweep's next trials, about a second's worth, and ends where a look is due. Between two blocks the
 * counts are complete: that is where it looks, writes checkpoints and ends. It also ends inside a
 * block, by `stop`, by the budget or by an error; what was done of the block is kept then (a
 * range of trials for each rank). How trials were split into blocks, threads and ranks is
 * nowhere to be seen in the counts. */
typedef struct fl_run_options {
    unsigned threads; /* of this process */
    const atomic_bool *stop;
    void (*progress)(void *user, uint64_t done, uint64_t trials); /* over all sweeps together */
    void (*warn)(void *user,
                 const char *text); /* NULL, or called for what does not keep it from going on */
    void *user;
    fl_range trials; /* of experiment->trials; all zero: all of them */
    const fl_precision
        *precision;         /* NULL, or stop by it; experiment->trials is that of its last look */
    double budget_seconds;  /* 0: none */
    const char *checkpoint; /* NULL, or the file to keep what is done in */
    double checkpoint_seconds; /* between two checkpoints; 0: the default */
    bool resume;               /* go on from the checkpoint, if there is one */
    fl_ranks *ranks;           /* NULL: this process alone */
} fl_run_options;
#define FL_CHECKPOINT_SECONDS 5.

typedef struct fl_results {
    const fl_experiment *experiment;
    fl_counts **counts; /* [sweep_count] */
    fl_ranges *ranges;  /* [sweep_count]: the trials that are in them */
    bool partial;       /* interrupted before all trials were done; merged: trials are missing */
    fl_stopped_by stopped_by;
    double z;                /* of every interval */
    fl_precision precision;  /* looks == 0: none was asked for */
    unsigned look;           /* 0-based: the one whose z it is */
    bool reached;            /* the precision */
    unsigned threads, ranks; /* threads of a rank */
    char started[32];        /* UTC, ISO 8601 */
    double wall_seconds;     /* of all sessions of a resumed run */
} fl_results;

/* Rank 0 gets the results, other ranks *out = NULL. Errors are those of whichever rank has one, on
 * all of them, but for those of rank 0 outside of the blocks (a checkpoint that cannot be used),
 * which rank 0 alone returns. */
fl_status fl_experiment_run(fl_results **out, const fl_experiment *experiment,
                            const fl_run_options *options, fl_error *error);

/* With counts that hold no trial. */
fl_status fl_results_create(fl_results **out, const fl_experiment *experiment, fl_error *error);
void fl_results_destroy(fl_results *results);

#ifdef __cplusplus
}
#endif
#endif
