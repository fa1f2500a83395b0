/* One request a channel is granted: the packet, or the next flit of the worm, goes on. */
#include "sim/engine/steps.h"

/* One flit less at this input; the end of the worm lets the next packet come. */
static void pass_flit(engine *e, uint32_t h)
{
    head *hd = &e->heads.list[h];
    uint32_t input = hd->input;
    hd->sent++;
    hd->since = e->calendar.now;
    e->queues.inputs[input].flits--;
    fl_sim_schedule(&e->calendar, e->plan->model.credit_delay, CREDIT,
                    fl_sim_output_before(e->plan, input), NONE);
    if (hd->sent < fl_sim_flits_of(hd, &e->mode))
        return;
    if (hd->output != NONE)
        e->links.owner[hd->output] = NONE;
    fl_sim_drop_head(&e->heads, &e->candidates, h);
    fl_sim_schedule(&e->calendar, 1, RELEASE, input, NONE);
}

void fl_sim_drop_vanishing(engine *e)
{
    for (uint32_t i = e->heads.active_count; i-- > 0;) {
        uint32_t h = e->heads.active[i].head;
        if (e->heads.list[h].vanishing && fl_sim_flits_here(e, &e->heads.list[h]) > 0)
            pass_flit(e, h);
    }
}

/* The header of a packet leaves by the chosen candidate; false: the router is broken. */
static bool take_chosen(engine *e, const head *hd)
{
    fl_candidate candidate = fl_sim_chosen_candidate(e, hd);
    if (!fl_sim_take_candidate(&e->routing, &e->packets.list[hd->packet],
                               e->plan->switches[hd->at].address, &candidate))
        return false;
    fl_sim_pop(&e->queues, &e->packets, hd->input);
    e->queues.inputs[hd->input].moving = true;
    return true;
}

static void grant_flit(engine *e, uint32_t h, uint32_t output)
{
    head *hd = &e->heads.list[h];
    bool first = !hd->worm;
    if (first) {
        if (!take_chosen(e, hd))
            return;
        hd->worm = true;
        hd->output = output;
        e->links.owner[output] = hd->input;
    }
    fl_sim_send_flit(e, output, hd->packet, first, hd->sent + 1u == fl_sim_flits_of(hd, &e->mode));
    pass_flit(e, h);
}

/* From now on, or from when word has come, a sender knows that the packet in front of a queue is
 * leaving it. */
static void begin_credit(engine *e, uint32_t input)
{
    uint32_t output = fl_sim_output_before(e->plan, input), delay = e->plan->model.credit_delay - 1;
    if (delay == 0)
        e->links.outputs[output].credit_from = e->calendar.now;
    else
        fl_sim_schedule(&e->calendar, delay, CREDIT_BEGINS, output, NONE);
}

static void grant_packet(engine *e, uint32_t h, uint32_t output)
{
    const head *hd = &e->heads.list[h];
    uint32_t input = hd->input, p = hd->packet, until = e->calendar.now + e->mode.length;
    if (!take_chosen(e, hd))
        return;
    e->links.busy[fl_sim_channel_of(e->plan, output)] = until;
    if (e->queues.busy)
        e->queues.busy[fl_sim_channel_of(e->plan, input)] = until;
    if (e->mode.shortest_queue) {
        e->links.outputs[output].sending_until = until;
        begin_credit(e, input);
    }
    fl_sim_drop_head(&e->heads, &e->candidates, h);
    e->heads.list[h].gone = true;
    if (e->mode.output_fifos) {
        fl_sim_enter_fifo(&e->links, &e->packets, output, p);
        fl_sim_may_send(&e->links, fl_sim_channel_of(e->plan, output));
    } else {
        fl_sim_send_packet(e, output, p);
    }
    fl_sim_schedule(&e->calendar, e->mode.length, RELEASE, input, output);
}

/* Of those that requested, the ones that got nothing. */
static void keep_losers_ready(heads *hs)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < hs->ready_count; i++)
        if (!hs->list[hs->ready[i]].gone)
            hs->ready[kept++] = hs->ready[i];
    hs->ready_count = kept;
}

FL_INLINE void fetch_winner(const engine *e, uint32_t channel)
{
    const head *hd = &e->heads.list[e->requests.of_channel[channel].winner];
    if (e->mode.output_fifos) {
        FL_PREFETCH(&e->links.out_links[channel]);
        FL_PREFETCH(&e->links.outputs[channel * e->plan->virtual_channels]);
    }
    FL_PREFETCH(&e->requests.turn[channel]);
    FL_PREFETCH(&e->plan->switches[hd->at]);
    FL_PREFETCH(&e->packets.list[hd->packet]);
    FL_PREFETCH(&e->queues.inputs[hd->input]);
    FL_PREFETCH(&e->heads.active[hd->place]);
}

void fl_sim_grant_all(engine *e)
{
    requests *r = &e->requests;
    for (uint32_t i = 0; i < r->channel_count; i++) {
        uint32_t channel = r->channels[i], h = r->of_channel[channel].winner;
        const head *hd = &e->heads.list[h];
        uint32_t port = fl_sim_channel_of(e->plan, hd->input), output = fl_sim_chosen_output(e, hd);
        if (i + FETCH_AHEAD < r->channel_count)
            fetch_winner(e, r->channels[i + FETCH_AHEAD]);
        r->of_channel[channel].count = 0;
        if (!e->mode.by_lot)
            r->turn[channel] = fl_sim_port_number(e->plan, port, hd->at);
        if (r->port_turn)
            r->port_turn[port] = hd->input % e->plan->virtual_channels;
        if (e->mode.wormhole)
            grant_flit(e, h, output);
        else
            grant_packet(e, h, output);
    }
    r->channel_count = 0;
    if (e->mode.blocked_lists)
        keep_losers_ready(&e->heads);
}

/* ---- output FIFOs feed their links ---- */

static void send_from_fifos_of(engine *e, uint32_t channel)
{
    output_link *link = &e->links.out_links[channel];
    unsigned vcs = e->plan->virtual_channels;
    if (link->busy > e->calendar.now)
        return;
    for (unsigned i = 1; i <= vcs; i++) {
        unsigned vc = (link->turn + i) % vcs;
        uint32_t output = channel * vcs + vc;
        if (e->links.outputs[output].fifo_first == NONE || e->links.credits[output] == 0)
            continue;
        link->busy = e->calendar.now + e->mode.length;
        link->turn = (uint16_t)vc;
        uint32_t p = fl_sim_leave_fifo(&e->links, &e->packets, output);
        fl_sim_schedule(&e->calendar, e->mode.length, QUEUE_RELEASE, output, NONE);
        fl_sim_send_packet(e, output, p);
        return;
    }
}

FL_INLINE void fetch_fifo(const engine *e, uint32_t channel)
{
    FL_PREFETCH(&e->links.out_links[channel]);
    FL_PREFETCH(&e->links.outputs[channel * e->plan->virtual_channels]);
    FL_PREFETCH(&e->links.credits[channel * e->plan->virtual_channels]);
    FL_PREFETCH(&e->plan->to[channel]);
    FL_PREFETCH(&e->plan->link_class[channel]);
}

/* What cannot be sent now is looked at again when the link has ended with a packet, or a credit has
 * come. */
void fl_sim_send_from_fifos(engine *e)
{
    links *l = &e->links;
    for (uint32_t i = 0; i < l->sending_count; i++) {
        if (i + FETCH_AHEAD < l->sending_count)
            fetch_fifo(e, l->sending[i + FETCH_AHEAD]);
        if (i + FETCH_AHEAD / 2 < l->sending_count)
            fl_sim_fetch_packet(
                e,
                l->outputs[l->sending[i + FETCH_AHEAD / 2] * e->plan->virtual_channels].fifo_first);
        l->out_links[l->sending[i]].is_sending = false;
        send_from_fifos_of(e, l->sending[i]);
    }
    l->sending_count = 0;
}
