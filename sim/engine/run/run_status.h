/* Private to sim: what has gone wrong in a run. */
#ifndef FL_SIM_ENGINE_RUN_RUN_STATUS_H
#define FL_SIM_ENGINE_RUN_RUN_STATUS_H

#include "sim/private.h"

#define NONE UINT32_C(0xffffffff) /* no packet, head, port, ... */

/* The first failure of a run stays; the run ends after the cycle in which it came. The parts of a
 * run that allocate memory hold a pointer to it. */
typedef struct run_status {
    fl_status code;
    fl_error *error; /* of the caller, or NULL */
    const fl_router *router;
} run_status;

/* The router has violated the contract at `here`. */
void fl_sim_broken(run_status *status, fl_address here, fl_violation violation);

/* The router has violated the contract as `view` records. */
void fl_sim_violated(run_status *status, const fl_view *view);

/* A packet has taken FL_STEPS_MAX links. */
void fl_sim_lost_its_way(run_status *status, fl_address here);

/* The router brought a packet to a node that it is not for; `here` is the last switch. */
void fl_sim_misdelivered(run_status *status, fl_address here);

void fl_sim_out_of_memory(run_status *status);

/* A mistake of the simulator itself: the text ends with these words in brackets. */
void fl_sim_mistake(run_status *status, const char *format, ...) FL_PRINTF(2, 3);

/* `count` entries of `size` bytes, each byte with the given value; at least one entry is allocated.
 * NULL, and *good becomes false, when memory ran out. The caller frees it. */
void *fl_sim_list(size_t count, size_t size, int value, bool *good);

#endif
