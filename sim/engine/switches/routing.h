/* Private to sim: asking the router, and lots. */
#ifndef FL_SIM_ENGINE_SWITCHES_ROUTING_H
#define FL_SIM_ENGINE_SWITCHES_ROUTING_H

#include "sim/engine/run/packets.h"

typedef struct routing {
    fl_view view;
    fl_decision decision;     /* the last answer */
    fl_candidate *candidates; /* [plan->candidates] where switches let it be written */
    fl_rng rng;               /* of arbitration and of the choice among candidates */
    run_status *status;
} routing;

/* False when memory ran out; destroy it all the same. The order is borrowed. */
bool fl_sim_routing_create(routing *r, const fl_sim_plan *plan, fl_order *order, uint64_t seed,
                           run_status *status);
void fl_sim_routing_destroy(routing *r);

/* Asks the router for the next step of a packet at `here`; decision.candidates says where it may
 * write. False: the packet is blocked, or status: the router has violated the contract. */
FL_INLINE bool fl_sim_ask_router(routing *r, const packet *pk, fl_address here)
{
    r->view.here = here;
    r->view.holds_until = FL_NEVER_FAILS;
    if (FL_LIKELY(fl_step_ask(r->status->router, &pk->header, &r->view, &r->decision)))
        return true;
    if (FL_UNLIKELY(r->view.violation))
        fl_sim_violated(r->status, &r->view);
    return false;
}

/* A packet leaves `here` by a candidate; false and status if it has taken too many links. */
FL_INLINE bool fl_sim_take_candidate(routing *r, packet *pk, fl_address here,
                                     const fl_candidate *candidate)
{
    fl_packet_take(&pk->header, here, candidate);
    if (FL_LIKELY(++pk->hops < FL_STEPS_MAX))
        return true;
    fl_sim_lost_its_way(r->status, here);
    return false;
}

/* One of the `count` bits of a set, all equally likely. */
FL_INLINE uint32_t fl_sim_any_of(routing *r, uint32_t set, uint32_t count)
{
    uint32_t skip = count > 1 ? fl_rng_below32(&r->rng, count) : 0;
    while (skip-- > 0)
        set &= set - 1;
    return fl_lowest_bit(set);
}

#endif
