/* Private to experiments: runs of the packet simulator side by side. */
#ifndef FL_EXPERIMENTS_LOAD_PRIVATE_H
#define FL_EXPERIMENTS_LOAD_PRIVATE_H

#include "experiments/experiments.h"

/* ---- tasks.c ---- */

/* What a cycle of a run costs, in a unit of work of its own: above all its flits, and few networks
 * carry more than half of what nodes could send. Of workloads: what a packet costs. */
double fl_sim_work_of_cycle(const fl_sim_task *task);
/* All of a run, as far as can be said before. */
uint64_t fl_sim_work_of(const fl_sim_task *task);

/* ---- share.c ---- */

/* Gives all ranks the result that rank `from` has. False: no memory for its lists, which are NULL
 * then; this rank takes part all the same. */
bool fl_sim_share_result(fl_ranks *ranks, fl_sim_result *r, unsigned from);

/* ---- jobs.c ---- */

typedef struct fl_sim_jobs {
    const fl_sim_task *tasks;
    fl_sim_result *results; /* [count], by task */
    size_t count;
    unsigned threads;
    fl_ranks *ranks;  /* NULL: this process alone */
    const bool *done; /* NULL, or [count]: tasks whose results rank 0 has already; other ranks do
                         not get them */
    const atomic_bool *stop; /* NULL, or ends all runs of all ranks when it becomes true */
    /* NULL, or called by the calling thread with how much work is done and how much there is, of
     * all ranks: a measure of time, no more */
    void (*progress)(void *user, uint64_t done, uint64_t all);
    void *user;
    /* NULL, or called by the calling thread for every run of any rank that came to its end */
    void (*finished)(void *keeper, size_t task, const fl_sim_result *result);
    void *keeper;
} fl_sim_jobs;

/* Runs all tasks. Results, which all ranks get, do not depend on which thread takes which run, and
 * when. An error of one rank is returned by all. Tasks or results may be NULL: there was no memory
 * for them. */
fl_status fl_sim_jobs_run(const fl_sim_jobs *jobs, fl_error *error);

#endif
