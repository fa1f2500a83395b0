/* Private to sim: the links that are down, and those that will be. */
#ifndef FL_SIM_ENGINE_RUN_FAILURES_H
#define FL_SIM_ENGINE_RUN_FAILURES_H

#include "sim/private.h"

typedef struct failure_state {
    size_t next;       /* failure of the plan */
    fl_fault_set down; /* with space for all */
    fl_order *order;   /* the same, for routers */
} failure_state;

/* With the faults from the start. False when memory ran out; destroy it all the same. */
bool fl_sim_failures_create(failure_state *f, const fl_sim_plan *plan, fl_error *error);
void fl_sim_failures_destroy(failure_state *f);

/* Is a failure due at the beginning of cycle `now`? */
FL_INLINE bool fl_sim_failure_is_due(const failure_state *f, const fl_sim_plan *plan, uint32_t now)
{
    return FL_UNLIKELY(f->next < plan->set_up.failure_count) &&
           plan->set_up.failures[f->next].cycle <= now;
}

/* Adds a link to those that are down, for routers too; false if it is down already. */
bool fl_sim_add_failure(failure_state *f, fl_link link);

#endif
