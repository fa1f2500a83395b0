/* Private to sim: arrival, release and requests, once for events.c and requests.c, and once for the
 * fast path. `fast` is a constant where these are called: on the fast path there are
 * no worms, no blocked lists and no packets that take several cycles, and port_sets are kept. */
#ifndef FL_SIM_ENGINE_ARRIVAL_H
#define FL_SIM_ENGINE_ARRIVAL_H

#include "sim/engine/steps.h"

/* One more free place behind an output VC. */
FL_INLINE void fl_sim_gain_credit(engine *e, uint32_t output, bool fast)
{
    uint32_t credits = ++e->links.credits[output];
    if (!fast) {
        if (!e->mode.blocked_lists)
            return;
        if (e->mode.shortest_queue)
            e->links.outputs[output].credit_from = NONE;
        if (credits == 1)
            fl_sim_first_credit(e, output);
    } else if (output < e->plan->ports) {
        port_sets *sets = &e->links.ports_of[e->plan->switch_of[output]];
        uint32_t bit = 1u << (output - sets->first);
        sets->open |= bit;
        sets->empty |= credits == e->plan->deepest ? bit : 0;
    }
}

/* A place in the queue of an input is free: the sender knows in `delay` cycles. */
FL_INLINE void fl_sim_return_credit(engine *e, uint32_t input, uint32_t delay, bool fast)
{
    uint32_t output = fl_sim_output_before(e->plan, input);
    if (delay == 0)
        fl_sim_gain_credit(e, output, fast);
    else
        fl_sim_schedule(&e->calendar, delay, CREDIT, output, NONE);
}

/* The head of a packet comes to an input. True: it is in front, and nothing is on its way out
 * before it. */
FL_INLINE bool fl_sim_arrive(engine *e, uint32_t input, uint32_t p, bool fast)
{
    if (!fast) {
        e->packets.list[p].arrived = e->calendar.now;
        e->packets.list[p].next = NONE;
        if (e->mode.wormhole)
            e->queues.inputs[input].flits++;
    }
    return fl_sim_push(&e->queues, &e->packets, input, p) && !e->queues.inputs[input].moving;
}

/* The tail has left an input, to an output VC if the packet was not given up. True: the next packet
 * is in front. */
FL_INLINE bool fl_sim_release(engine *e, uint32_t input, uint32_t output, bool fast)
{
    e->queues.inputs[input].moving = false;
    if (fast || !e->mode.wormhole) /* of a worm every flit gave its place back by itself */
        fl_sim_return_credit(e, input, e->plan->model.credit_delay - 1, fast);
    if (!fast && output != NONE)
        fl_sim_wake_after(e, input, output);
    return e->queues.inputs[input].first != NONE;
}

/* A packet has come to the front. True: it is routed at once; else a ROUTE event will come. */
FL_INLINE bool fl_sim_is_routed_now(engine *e, uint32_t input, bool fast)
{
    uint32_t now = e->calendar.now, ready = now;
    if (!fast && e->mode.store_and_forward) {
        uint32_t tail = e->packets.list[e->queues.inputs[input].first].arrived + e->mode.length - 1;
        ready = tail > ready ? tail : ready;
    }
    ready += e->plan->model.routing_delay;
    if (ready > now)
        fl_sim_schedule(&e->calendar, ready - now, ROUTE, input, NONE);
    return ready == now;
}

/* Makes a head of the packet in front, and asks the router for it. NONE: it was given up, or there
 * is no memory. */
FL_INLINE uint32_t fl_sim_ask_for(engine *e, uint32_t input, bool fast)
{
    const input_queue *in = &e->queues.inputs[input];
    uint32_t s = in->at, p = in->first,
             h = fl_sim_new_head(&e->heads, input, p, s, e->calendar.now);
    if (FL_UNLIKELY(h == NONE))
        return NONE;
    if (!fast && e->mode.wormhole)
        e->heads.list[h].missing = e->packets.list[p].missing;
    e->routing.decision.candidates = e->routing.candidates;
    if (FL_LIKELY(
            fl_sim_ask_router(&e->routing, &e->packets.list[p], e->plan->switches[s].address)))
        return h;
    if (!e->status.code)
        fl_sim_give_up(e, input, h);
    return NONE;
}

/* A head requests a channel. */
FL_INLINE void fl_sim_request(engine *e, uint32_t h, uint32_t channel)
{
    request *r = &e->requests.of_channel[channel];
    if (++r->count == 1) {
        e->requests.channels[e->requests.channel_count++] = channel;
        r->winner = h;
        return;
    }
    fl_sim_count_conflict(&e->measure, r->count);
    /* By lot each of all requesters is equally likely in the end. */
    if (FL_LIKELY(e->mode.by_lot) ? fl_rng_below32(&e->routing.rng, r->count) == 0
                                  : fl_sim_wins(e, h, channel))
        r->winner = h;
}

#endif
