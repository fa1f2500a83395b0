/* Links fail during a run. */
#include "sim/engine/steps.h"

#include <stdlib.h>

/* Packets in an output FIFO are lost with its link. */
static void empty_fifo(engine *e, uint32_t output)
{
    while (e->links.outputs[output].fifo_first != NONE) {
        uint32_t p = fl_sim_leave_fifo(&e->links, &e->packets, output);
        fl_sim_schedule(&e->calendar, e->mode.length, QUEUE_RELEASE, output, NONE);
        fl_sim_cut(e, p);
        fl_sim_free_packet(&e->packets, p);
    }
}

static void unplug(port_sets *sets, uint32_t port)
{
    sets->plugged &= ~(1u << (port - sets->first));
}

/* Packets whose heads, or whose tails to a node, are on the channel. */
static void cut_on_link(engine *e, uint32_t channel)
{
    uint32_t to = e->plan->to[channel];
    for (uint32_t slot = 0; slot <= e->calendar.mask; slot++) {
        event_list *list = &e->calendar.wheel[slot];
        for (size_t i = 0; i < list->count; i++) {
            event *ev = &list->data[i];
            if (ev->kind == DELIVER && ev->at == channel)
                fl_sim_cut(e, ev->packet);
            if (ev->kind != ARRIVE || fl_sim_channel_of(e->plan, ev->at) != to)
                continue;
            fl_sim_cut(e, ev->packet);
            fl_sim_free_packet(&e->packets, ev->packet);
            ev->kind = LOST;
        }
    }
}

static void fail_channel(engine *e, uint32_t channel)
{
    bool from_switch = channel < e->plan->ports, fifos = e->mode.output_fifos;
    fl_sim_take_down(&e->links, channel);
    if (e->mode.fast && from_switch)
        unplug(&e->links.ports_of[e->plan->switch_of[channel]], channel);
    if (e->mode.wormhole) {
        fl_sim_cut_worms(e, channel);
        return;
    }
    cut_on_link(e, channel);
    uint32_t until =
        fifos && from_switch ? e->links.out_links[channel].busy : e->links.busy[channel];
    /* A packet that was blocked behind the link is gone, though its tail still comes. */
    sent last = e->links.current[channel];
    if (until > e->calendar.now && fl_sim_is_there(&e->packets, last))
        fl_sim_cut(e, last.packet);
    for (unsigned vc = 0; fifos && vc < e->plan->virtual_channels; vc++)
        empty_fifo(e, channel * e->plan->virtual_channels + vc);
}

/* Decisions were made with the link up: routers are asked again. Worms on their way are not. */
static void route_anew(engine *e)
{
    heads *hs = &e->heads;
    uint32_t count = hs->active_count, routed = 0, kept = 0;
    uint32_t *inputs = malloc((count ? count : 1) * sizeof *inputs);
    if (!inputs) {
        fl_sim_out_of_memory(&e->status);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        requester a = hs->active[i];
        if (hs->list[a.head].worm) {
            hs->list[a.head].place = kept;
            hs->active[kept++] = a;
            continue;
        }
        inputs[routed++] = hs->list[a.head].input;
        fl_sim_forget_candidates(&e->candidates, &hs->list[a.head]);
        hs->free[hs->free_count++] = a.head;
    }
    hs->active_count = kept;
    if (e->mode.blocked_lists)
        fl_sim_forget_blocked(e);
    for (uint32_t i = 0; i < routed; i++) {
        if (e->mode.fast)
            fl_sim_fast_route(e, inputs[i]);
        else
            fl_sim_route(e, inputs[i]);
    }
    free(inputs);
}

void fl_sim_fail_links(engine *e)
{
    const fl_sim_set_up *s = &e->plan->set_up;
    bool any = false;
    for (; fl_sim_failure_is_due(&e->failures, e->plan, e->calendar.now); e->failures.next++) {
        fl_link link = s->failures[e->failures.next].link;
        if (!fl_sim_add_failure(&e->failures, link))
            continue;
        uint32_t channels[2];
        fl_sim_channels_of(e->plan, link, channels);
        for (unsigned d = 0; d < 2; d++)
            if (channels[d] != FL_SIM_UNPLUGGED)
                fail_channel(e, channels[d]);
        any = true;
    }
    if (any)
        route_anew(e);
}
