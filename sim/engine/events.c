#include "sim/engine/engine.h"

#include <stdlib.h>

/* What is due in a cycle: packets arrive at switches and come to the front of their queues, where
 * the router is asked; tails leave; places become free. */

void fl_sim_broken(engine *e, fl_address here, const char *what)
{
    if (!e->status)
        e->status = fl_router_broken(e->plan->set_up.router, here, what, e->error);
}

void fl_sim_out_of_memory(engine *e)
{
    if (!e->status)
        e->status = fl_fail(e->error, FL_ERR_MEMORY, "out of memory for the packets of %s",
                            e->plan->network->spec);
}

bool fl_sim_grow_events(engine *e, event_list *list)
{
    uint32_t room = list->room ? 2 * list->room : 64;
    event *events = realloc(list->events, room * sizeof *events);
    if (!events) {
        fl_sim_out_of_memory(e);
        return false;
    }
    list->events = events;
    list->room = room;
    return true;
}

/* ---- queues at inputs ---- */

static void return_credit(engine *e, uint32_t input, uint32_t delay)
{
    uint32_t output = output_before(e, input);
    if (delay == 0)
        fl_sim_gain_credit(e, output);
    else
        fl_sim_schedule(e, delay, CREDIT, output, NONE);
}

static void activate(engine *e, uint32_t input);

static void push(engine *e, uint32_t input, uint32_t p)
{
    packet *pk = &e->packets[p];
    pk->arrived = e->now;
    pk->next = NONE;
    if (e->inputs[input].last == NONE)
        e->inputs[input].first = p;
    else
        e->packets[e->inputs[input].last].next = p;
    e->inputs[input].last = p;
    if (e->inputs[input].first == p && !e->inputs[input].moving)
        activate(e, input);
}

/* ---- heads: packets that have come to the front ---- */

bool fl_sim_grow_heads(engine *e)
{
    uint32_t room = e->head_room ? 2 * e->head_room : 64;
    head *heads = realloc(e->heads, room * sizeof *heads);
    e->heads = heads ? heads : e->heads;
    uint32_t *free_heads = realloc(e->free_heads, room * sizeof *free_heads);
    e->free_heads = free_heads ? free_heads : e->free_heads;
    requester *active = realloc(e->active, room * sizeof *active);
    e->active = active ? active : e->active;
    uint32_t *awake = realloc(e->awake, room * sizeof *awake);
    e->awake = awake ? awake : e->awake;
    if (!heads || !free_heads || !active || !awake) {
        fl_sim_out_of_memory(e);
        return false;
    }
    e->head_room = room;
    return true;
}

void fl_sim_drop_head(engine *e, uint32_t h)
{
    fl_sim_forget_candidates(e, &e->heads[h]);
    fl_sim_drop_fast_head(e, h);
}

/* A packet that its router gives up leaves its place when its last flit is there. */
void fl_sim_give_up(engine *e, uint32_t input, uint32_t h)
{
    uint32_t p = e->inputs[input].first;
    packet *pk = &e->packets[p];
    if (!pk->dead)
        fl_sim_count_lost(e, pk, e->decision.reason);
    fl_sim_pop(e, input);
    if (e->wormhole) {
        e->heads[h].worm = e->heads[h].vanishing = true;
        fl_sim_free_packet(e, p);
        e->heads[h].packet = NONE;
        e->inputs[input].moving = true;
        return;
    }
    uint32_t all_here = pk->arrived + e->length, delay = all_here > e->now ? all_here - e->now : 1;
    fl_sim_free_packet(e, p);
    e->inputs[input].moving = true;
    fl_sim_drop_head(e, h);
    fl_sim_schedule(e, delay, RELEASE, input, NONE);
}

static void keep_candidates(engine *e, uint32_t h, uint32_t s)
{
    fl_sim_keep_candidates(e, h, s);
    if (e->complete)
        e->awake[e->awake_count++] = h;
}

void fl_sim_route(engine *e, uint32_t input)
{
    if (e->fast) {
        fl_sim_fast_route(e, input);
        return;
    }
    uint32_t s = e->inputs[input].at, h = fl_sim_new_head(e, input, s);
    if (h == NONE)
        return;
    if (e->wormhole)
        e->heads[h].missing = e->packets[e->inputs[input].first].missing;
    e->decision.candidates = e->asked_candidates;
    if (FL_LIKELY(fl_sim_add_request(e, &e->packets[e->inputs[input].first],
                                     e->plan->switches[s].address)))
        keep_candidates(e, h, s);
    else if (!e->status)
        fl_sim_give_up(e, input, h);
}

/* A packet has come to the front. */
static void activate(engine *e, uint32_t input)
{
    const packet *pk = &e->packets[e->inputs[input].first];
    uint32_t ready = e->now;
    if (e->store_and_forward && pk->arrived + e->length - 1 > ready)
        ready = pk->arrived + e->length - 1;
    ready += e->plan->model.routing_delay;
    if (ready > e->now)
        fl_sim_schedule(e, ready - e->now, ROUTE, input, NONE);
    else
        fl_sim_route(e, input);
}

static void arrive(engine *e, uint32_t input, uint32_t p)
{
    if (e->wormhole)
        e->inputs[input].flits++;
    push(e, input, p);
}

/* The tail has left an input, to an output if a packet was not given up. */
static void release(engine *e, uint32_t input, uint32_t output)
{
    e->inputs[input].moving = false;
    if (!e->wormhole) /* of a worm every flit gave its place back by itself */
        return_credit(e, input, e->plan->model.credit_delay - 1);
    if (output != NONE)
        fl_sim_wake_after(e, input, output);
    if (e->inputs[input].first != NONE)
        activate(e, input);
}

void fl_sim_happen(engine *e, const event *ev)
{
    switch ((enum event_kind)ev->kind) {
    case ARRIVE:
        arrive(e, ev->at, ev->packet);
        break;
    case FLIT:
        e->inputs[ev->at].flits++;
        break;
    case DELIVER:
        fl_sim_deliver(e, ev->packet);
        break;
    case RELEASE:
        release(e, ev->at, ev->packet);
        break;
    case CREDIT:
        fl_sim_gain_credit(e, ev->at);
        break;
    case ROUTE:
        fl_sim_route(e, ev->at);
        break;
    case SOURCE:
        fl_sim_wake_source(e, ev->at);
        break;
    case QUEUE_RELEASE:
        e->outlets[ev->at].queue_free++;
        fl_sim_wake_at_output(e, ev->at);
        fl_sim_may_send(e, channel_of(e, ev->at));
        break;
    case CREDIT_BEGINS:
        e->outlets[ev->at].credit_from = e->now;
        break;
    case LOST: /* the room that was kept for it */
        return_credit(e, ev->at, e->length + e->plan->model.credit_delay - 1);
        break;
    }
}

/* ---- all that is due ---- */

FL_INLINE void fetch(const engine *e, const event *ev)
{
    switch ((enum event_kind)ev->kind) {
    case ARRIVE:
        FL_PREFETCH(&e->packets[ev->packet]);
        FL_PREFETCH(&e->inputs[ev->at]);
        break;
    case ROUTE:
        FL_PREFETCH(&e->inputs[ev->at]);
        break;
    case DELIVER:
        FL_PREFETCH(&e->packets[ev->packet]);
        FL_PREFETCH(&e->packets[ev->packet].born);
        break;
    case RELEASE:
        FL_PREFETCH(&e->inputs[ev->at]);
        FL_PREFETCH(&e->plan->from[channel_of(e, ev->at)]);
        if (e->complete && ev->packet != NONE)
            FL_PREFETCH(&e->outlets[ev->packet]);
        break;
    case CREDIT:
        FL_PREFETCH(&e->credits[ev->at]);
        if (e->complete)
            FL_PREFETCH(&e->outlets[ev->at]);
        break;
    case QUEUE_RELEASE:
        FL_PREFETCH(&e->outlets[ev->at]);
        FL_PREFETCH(&e->feeds[channel_of(e, ev->at)]);
        break;
    case SOURCE:
        FL_PREFETCH(&e->sources[ev->at]);
        break;
    case CREDIT_BEGINS:
        FL_PREFETCH(&e->outlets[ev->at]);
        break;
    case FLIT:
    case LOST:
        break;
    }
}

/* What lies behind what was fetched. */
FL_INLINE void fetch_behind(const engine *e, const event *ev)
{
    if (ev->kind == ROUTE) {
        fl_sim_fetch_packet(e, e->inputs[ev->at].first);
        FL_PREFETCH(&e->plan->switches[e->inputs[ev->at].at]);
    } else if (ev->kind == RELEASE && e->complete && ev->packet != NONE) {
        fl_sim_fetch_head(e, e->outlets[ev->packet].asleep);
    } else if (ev->kind == QUEUE_RELEASE) {
        fl_sim_fetch_head(e, e->outlets[ev->at].asleep);
    }
}

void fl_sim_happen_all(engine *e, const event_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (i + FETCH_AHEAD < list->count)
            fetch(e, &list->events[i + FETCH_AHEAD]);
        if (i + FETCH_AHEAD / 2 < list->count)
            fetch_behind(e, &list->events[i + FETCH_AHEAD / 2]);
        fl_sim_happen(e, &list->events[i]);
    }
}
