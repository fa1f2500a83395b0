/* Private to sim: what a run's model asks of the engine. */
#ifndef FL_SIM_ENGINE_RUN_MODE_H
#define FL_SIM_ENGINE_RUN_MODE_H

#include "sim/private.h"

enum { FAST_PORTS_MAX = 32 }; /* of a switch on the fast path: bits of a word */

typedef struct run_mode {
    unsigned length; /* flits of a packet */
    bool wormhole, store_and_forward, output_fifos;
    bool by_lot;         /* arbitration is random */
    bool most_free;      /* of the candidates with free space, those with most */
    bool shortest_queue; /* of all candidates, those with the shortest queue, free or not; not on
                            the fast path, where that is the same as most free space */
    bool fast; /* the fast path: packets of one flit, one virtual channel, no output FIFOs, few
                  ports */
    bool blocked_lists; /* heads that can have no output are in blocked lists (blocked_list.c):
                     neither worms nor the fast path */
} run_mode;

FL_INLINE run_mode fl_sim_mode_of(const fl_sim_plan *plan)
{
    const fl_sim_model *m = &plan->model;
    run_mode mode = {
        .length = m->packet_flits,
        .wormhole = m->switching == FL_SIM_WORMHOLE,
        .store_and_forward = m->switching == FL_SIM_STORE_AND_FORWARD,
        .output_fifos = m->output_fifo > 0,
        .by_lot = m->arbitration == FL_SIM_RANDOM,
        .most_free = m->choice == FL_SIM_MOST_FREE || m->choice == FL_SIM_SHORTEST_QUEUE,
    };
    mode.fast = mode.length == 1 && !mode.wormhole && !mode.output_fifos &&
                plan->virtual_channels == 1 && plan->network->radix <= FAST_PORTS_MAX;
    mode.shortest_queue = !mode.fast && m->choice == FL_SIM_SHORTEST_QUEUE;
    mode.blocked_lists = !mode.fast && !mode.wormhole;
    return mode;
}

#endif
