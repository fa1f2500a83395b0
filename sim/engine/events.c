/* What is due in a cycle: packets arrive at switches and come to the front of their queues, where
 * the router is asked; tails leave; places become free. */
#include "sim/engine/arrival.h"

void fl_sim_route(engine *e, uint32_t input)
{
    uint32_t h = fl_sim_ask_for(e, input, false);
    if (h == NONE)
        return;
    fl_sim_keep_candidates(e, h, e->heads.list[h].at);
    if (e->mode.blocked_lists)
        e->heads.ready[e->heads.ready_count++] = h;
}

static void come_to_front(engine *e, uint32_t input)
{
    if (fl_sim_is_routed_now(e, input, false))
        fl_sim_route(e, input);
}

static void leave_fifo(engine *e, uint32_t output)
{
    e->links.outputs[output].fifo_free++;
    fl_sim_wake_at_output(e, output);
    fl_sim_may_send(&e->links, fl_sim_channel_of(e->plan, output));
}

static void happen(engine *e, const event *ev)
{
    switch ((enum event_kind)ev->kind) {
    case ARRIVE:
        if (fl_sim_arrive(e, ev->at, ev->packet, false))
            come_to_front(e, ev->at);
        break;
    case FLIT:
        e->queues.inputs[ev->at].flits++;
        break;
    case DELIVER:
        fl_sim_deliver(e, ev->packet);
        break;
    case RELEASE:
        if (fl_sim_release(e, ev->at, ev->packet, false))
            come_to_front(e, ev->at);
        break;
    case CREDIT:
        fl_sim_gain_credit(e, ev->at, false);
        break;
    case ROUTE:
        fl_sim_route(e, ev->at);
        break;
    case SOURCE:
        break; /* in a calendar of their own */
    case QUEUE_RELEASE:
        leave_fifo(e, ev->at);
        break;
    case CREDIT_BEGINS:
        e->links.outputs[ev->at].credit_from = e->calendar.now;
        break;
    case LOST:
        fl_sim_return_credit(e, ev->at, e->mode.length + e->plan->model.credit_delay - 1, false);
        break;
    }
}

/* ---- all that is due ---- */

FL_INLINE void fetch(const engine *e, const event *ev)
{
    switch ((enum event_kind)ev->kind) {
    case ARRIVE:
        FL_PREFETCH(&e->packets.list[ev->packet]);
        FL_PREFETCH(&e->queues.inputs[ev->at]);
        break;
    case ROUTE:
        FL_PREFETCH(&e->queues.inputs[ev->at]);
        break;
    case DELIVER:
        FL_PREFETCH(&e->packets.list[ev->packet]);
        FL_PREFETCH(&e->packets.list[ev->packet].born);
        break;
    case RELEASE:
        FL_PREFETCH(&e->queues.inputs[ev->at]);
        FL_PREFETCH(&e->plan->from[fl_sim_channel_of(e->plan, ev->at)]);
        if (e->mode.blocked_lists && ev->packet != NONE)
            FL_PREFETCH(&e->links.outputs[ev->packet]);
        break;
    case CREDIT:
        FL_PREFETCH(&e->links.credits[ev->at]);
        if (e->mode.blocked_lists)
            FL_PREFETCH(&e->links.outputs[ev->at]);
        break;
    case QUEUE_RELEASE:
        FL_PREFETCH(&e->links.outputs[ev->at]);
        FL_PREFETCH(&e->links.out_links[fl_sim_channel_of(e->plan, ev->at)]);
        break;
    case CREDIT_BEGINS:
        FL_PREFETCH(&e->links.outputs[ev->at]);
        break;
    case SOURCE:
    case FLIT:
    case LOST:
        break;
    }
}

/* What lies behind what was fetched. */
FL_INLINE void fetch_behind(const engine *e, const event *ev)
{
    if (ev->kind == ROUTE) {
        fl_sim_fetch_packet(e, e->queues.inputs[ev->at].first);
        FL_PREFETCH(&e->plan->switches[e->queues.inputs[ev->at].at]);
    } else if (ev->kind == RELEASE && e->mode.blocked_lists && ev->packet != NONE) {
        fl_sim_fetch_head(e, e->links.outputs[ev->packet].blocked);
    } else if (ev->kind == QUEUE_RELEASE) {
        fl_sim_fetch_head(e, e->links.outputs[ev->at].blocked);
    }
}

void fl_sim_happen_all(engine *e, const event_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (i + FETCH_AHEAD < list->count)
            fetch(e, &list->data[i + FETCH_AHEAD]);
        if (i + FETCH_AHEAD / 2 < list->count)
            fetch_behind(e, &list->data[i + FETCH_AHEAD / 2]);
        happen(e, &list->data[i]);
    }
}

void fl_sim_look_all(engine *e)
{
    event_list *list = &e->calendar.births[e->calendar.now % BIRTH_SLOTS];
    for (size_t i = 0; i < list->count; i++) {
        uint32_t n = list->data[i].at;
        if (i + FETCH_AHEAD < list->count)
            FL_PREFETCH(&e->sources.list[list->data[i + FETCH_AHEAD].at]);
        fl_sim_look(&e->sources, &e->calendar, n, e->links.busy[e->plan->ports + n]);
    }
    list->count = 0;
}
