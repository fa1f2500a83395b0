#include "sim/engine/engine.h"

#include <stdlib.h>

/* Links that fail during a run. */

/* A packet that was cut. What has passed goes on as a husk to its end, and counts nowhere any more.
 */
void fl_sim_cut(engine *e, uint32_t p)
{
    if (e->packets[p].dead)
        return;
    e->packets[p].dead = true;
    if (e->plan->model.on_failure == FL_SIM_LOSE) {
        fl_sim_count_lost(e, &e->packets[p], FL_SIM_LOST_ON_LINK);
        return;
    }
    uint32_t again = fl_sim_new_packet(e);
    if (again == NONE)
        return;
    packet *pk = &e->packets[again];
    uint32_t serial = pk->serial;
    *pk = e->packets[p];
    pk->serial = serial;
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_note_message(e, again, fl_sim_message_of(e, p));
    source *s = &e->sources[pk->source];
    pk->header = (fl_packet){.source = pk->header.source, .destination = pk->header.destination};
    pk->hops = 0;
    pk->dead = false;
    pk->missing = 0;
    pk->next = NONE;
    if (s->retry_last == NONE)
        s->retry_first = again;
    else
        e->packets[s->retry_last].next = again;
    s->retry_last = again;
    e->retry_waiting++;
    e->out->retried++;
    fl_sim_sample *sample = fl_sim_sample_at(e, e->now);
    if (sample)
        sample->retried++;
    if (!s->waits)
        e->waiting[e->waiting_count++] = pk->source;
    s->waits = true;
}

static void empty_queue(engine *e, uint32_t output)
{
    while (e->outlets[output].queue_first != NONE) {
        uint32_t p = fl_sim_leave_queue(e, output);
        fl_sim_cut(e, p);
        fl_sim_free_packet(e, p);
    }
}

static void plug_out(port_sets *sets, uint32_t port)
{
    sets->plugged &= ~(1u << (port - sets->first));
}

static void fail_channel(engine *e, uint32_t channel)
{
    fl_sim_take_down(e, channel);
    if (e->fast && channel < e->plan->ports)
        plug_out(&e->ports_of[e->plan->switch_of[channel]], channel);
    if (e->wormhole) {
        fl_sim_cut_worms(e, channel);
        return;
    }
    uint32_t to = e->plan->to[channel];
    for (uint32_t slot = 0; slot <= e->wheel_mask; slot++) {
        event_list *list = &e->wheel[slot];
        for (uint32_t i = 0; i < list->count; i++) {
            event *ev = &list->events[i];
            if (ev->kind == DELIVER && ev->at == channel)
                fl_sim_cut(e, ev->packet);
            if (ev->kind != ARRIVE || channel_of(e, ev->at) != to)
                continue;
            fl_sim_cut(e, ev->packet);
            fl_sim_free_packet(e, ev->packet);
            ev->kind = LOST;
        }
    }
    uint32_t until =
        e->output_fifos && channel < e->plan->ports ? e->feeds[channel].busy : e->busy[channel];
    /* A packet that was blocked beyond the link is gone, though its tail still comes. */
    sent last = e->current[channel];
    if (until > e->now && e->packets[last.packet].serial == last.serial)
        fl_sim_cut(e, last.packet);
    for (unsigned lane = 0; e->output_fifos && lane < e->channels_per_link; lane++)
        empty_queue(e, channel * e->channels_per_link + lane);
}

/* Decisions were made with the link up: routers are asked again. Worms on their way are not. */
static void route_anew(engine *e)
{
    uint32_t count = e->active_count, asking = 0, kept = 0;
    uint32_t *inputs = malloc((count ? count : 1) * sizeof *inputs);
    if (!inputs) {
        fl_sim_out_of_memory(e);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        requester a = e->active[i];
        if (e->heads[a.head].worm) {
            e->heads[a.head].place = kept;
            e->active[kept++] = a;
            continue;
        }
        inputs[asking++] = e->heads[a.head].input;
        fl_sim_forget_candidates(e, &e->heads[a.head]);
        e->free_heads[e->free_head_count++] = a.head;
    }
    e->active_count = kept;
    if (e->complete)
        fl_sim_forget_sleepers(e);
    for (uint32_t i = 0; i < asking; i++)
        fl_sim_route(e, inputs[i]);
    free(inputs);
}

void fl_sim_fail_links(engine *e)
{
    const fl_sim_set_up *s = &e->plan->set_up;
    bool any = false;
    for (; e->next_failure < s->failure_count && s->failures[e->next_failure].cycle <= e->now;
         e->next_failure++) {
        fl_link link = s->failures[e->next_failure].link;
        if (fl_fault_set_holds(&e->down_links, link))
            continue;
        uint64_t at = e->down_links.count++; /* there is room for all */
        while (at > 0 && e->down_links.links[at - 1] > link) {
            e->down_links.links[at] = e->down_links.links[at - 1];
            at--;
        }
        e->down_links.links[at] = link;
        uint32_t channels[2];
        fl_sim_channels_of(e->plan, link, channels);
        for (unsigned d = 0; d < 2; d++)
            if (channels[d] != FL_SIM_UNPLUGGED)
                fail_channel(e, channels[d]);
        any = true;
    }
    if (any) {
        fl_order_forget(e->order);
        route_anew(e);
    }
}
