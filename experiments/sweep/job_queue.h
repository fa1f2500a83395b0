/* Private to experiments: blocks of trials, run by all threads of all ranks. */
#ifndef FL_EXPERIMENTS_SWEEP_JOB_QUEUE_H
#define FL_EXPERIMENTS_SWEEP_JOB_QUEUE_H

#include "experiments/sweep/private.h"

typedef struct fl_block {
    uint64_t sweep, first, count; /* count 0: the run is over */
} fl_block;

typedef struct fl_job_queue {
    const fl_experiment *experiment;
    unsigned threads;
    fl_ranks *ranks;
    bool (*should_stop)(void *user); /* asked in each rank */
    void (*progress)(
        void *user,
        uint64_t done); /* NULL, or called with the trials of this block, of all ranks */
    void *user;
    bool stopped;   /* out: a rank was asked to stop */
    double working; /* out: seconds of the last block that went into trials */
    /* private: */
    fl_sweep sweep;          /* that the threads run */
    fl_threads *all_threads; /* kept from block to block while the sweep stays the same */
    fl_counts *counts;       /* of this process, in this block */
    uint64_t *said;          /* [ranks][2]: by each rank at the end of a block */
} fl_job_queue;

/* One process by itself. */
extern fl_ranks fl_ranks_alone;

/* Called by all ranks, with what each has come to: returns the error with the lowest place, of
 * equal ones that of the lowest rank. */
fl_status fl_ranks_agree(fl_ranks *ranks, fl_status status, uint64_t place, const fl_error *own,
                         fl_error *error);

fl_status fl_job_queue_prepare(fl_job_queue *jobs, fl_error *error);
void fl_job_queue_clear(fl_job_queue *jobs);

/* Called by all ranks with the same block. An error of one rank is returned by all. */
fl_status fl_job_queue_run(fl_job_queue *jobs, const fl_block *block, fl_error *error);
/* Rank 0, after each block: adds what was done of it to the results. */
fl_status fl_job_queue_take(fl_job_queue *jobs, const fl_block *block, fl_results *results,
                            fl_error *error);

#endif
