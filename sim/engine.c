#include "sim/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One cycle: links fail; what was under way arrives, and what is free is told; packets at the front of their queues
 * are routed; sources send; heads ask for outputs and one a channel is granted.
 *
 * With store-and-forward and virtual cut-through there is room for the whole packet before it is sent, so that its flits
 * follow each other without a gap: a packet is one event at each end of a link, however long it is. A worm goes flit by
 * flit through the same requests and grants. */

/* Progress is told, and a wish to stop heard, about every tenth of a second: after so many cycles times nodes. */
enum { NODE_CYCLES_BETWEEN_PROGRESS = 1 << 21, CYCLES_BETWEEN_PROGRESS_MAX = 4096 };

/* Thousands of events are due in a cycle of a large network, each at a place that is in none of the near memories: without
 * fetching ahead the simulator waits for memory most of its time. */
enum { FETCH_AHEAD = 16 };

FL_INLINE void fetch_packet(const engine *e, uint32_t p)
{
    if (p != NONE)
        FL_PREFETCH(&e->packets[p]);
}

FL_INLINE void fetch_head(const engine *e, uint32_t h)
{
    if (h != NONE)
        FL_PREFETCH(&e->heads[h]);
}

/* ---- asking the router ---- */

void fl_sim_peeked(engine *e, fl_address here)
{
    fl_sim_fail(e, fl_router_broken(e->plan->set_up.router, here, fl_view_offence(&e->view), e->error));
}

void fl_sim_lost_its_way(engine *e, fl_address here)
{
    fl_sim_fail(e, fl_router_broken(e->plan->set_up.router, here, "never ends: a packet was still under way after 4096 links", e->error));
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
    asker *active = realloc(e->active, room * sizeof *active);
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
    fl_sim_forget_ways(e, &e->heads[h]);
    fl_sim_drop_plain_head(e, h);
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

static void keep_ways(engine *e, uint32_t h, uint32_t s)
{
    fl_sim_keep_ways(e, h, s);
    if (e->whole)
        e->awake[e->awake_count++] = h;
}

void fl_sim_route(engine *e, uint32_t input)
{
    if (e->plain) {
        fl_sim_plain_route(e, input);
        return;
    }
    uint32_t s = e->inputs[input].at, h = fl_sim_new_head(e, input, s);
    if (h == NONE)
        return;
    if (e->wormhole)
        e->heads[h].missing = e->packets[e->inputs[input].first].missing;
    e->decision.ways = e->asked_ways;
    if (FL_LIKELY(fl_sim_ask(e, &e->packets[e->inputs[input].first], e->plan->switches[s].address)))
        keep_ways(e, h, s);
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
    case LOST: /* the room that was kept for it */
        return_credit(e, ev->at, e->length + e->plan->model.credit_delay - 1);
        break;
    }
}

/* ---- sending ---- */

FL_INLINE void use_credit(engine *e, uint32_t output)
{
    if (e->credits[output] != NO_CREDIT_NEEDED)
        e->credits[output]--;
}

static void count_flits(engine *e, uint32_t channel, uint32_t flits)
{
    e->out->flit_hops += flits;
    if (e->measuring)
        e->out->class_flits[e->plan->link_class[channel]] += flits;
}

void fl_sim_misdelivered(engine *e, uint32_t channel)
{
    fl_sim_fail(e, fl_router_broken(e->plan->set_up.router, e->plan->switches[e->plan->switch_of[channel]].address, "delivered a packet to the wrong node",
                                    e->error));
}

/* A whole packet goes on a link: its head arrives after the latency, its tail length - 1 later. */
void fl_sim_send_packet(engine *e, uint32_t output, uint32_t p)
{
    uint32_t channel = channel_of(e, output), to = e->plan->to[channel], latency = e->plan->latency[e->plan->link_class[channel]];
    use_credit(e, output);
    count_flits(e, channel, e->length);
    if (e->current)
        e->current[channel] = (sent){p, e->packets[p].serial};
    if (to & FL_SIM_NODE) {
        if (FL_UNLIKELY((to & ~FL_SIM_NODE) != e->packets[p].destination)) {
            fl_sim_misdelivered(e, channel);
            return;
        }
        fl_sim_schedule(e, latency + e->length - 1, DELIVER, channel, p);
    } else {
        fl_sim_schedule(e, latency, ARRIVE, to * e->channels_per_link + (output - channel * e->channels_per_link), p);
    }
}

/* One flit of a worm; `p` goes with the first and (to a node) with the last. */
void fl_sim_send_flit(engine *e, uint32_t output, uint32_t p, bool first, bool last)
{
    uint32_t channel = channel_of(e, output), to = e->plan->to[channel], latency = e->plan->latency[e->plan->link_class[channel]];
    use_credit(e, output);
    count_flits(e, channel, 1);
    if (to & FL_SIM_NODE) {
        if (FL_UNLIKELY((to & ~FL_SIM_NODE) != e->packets[p].destination)) {
            fl_sim_misdelivered(e, channel);
            return;
        }
        if (last)
            fl_sim_schedule(e, latency, DELIVER, channel, p);
    } else {
        fl_sim_schedule(e, latency, first ? ARRIVE : FLIT, to * e->channels_per_link + (output - channel * e->channels_per_link), first ? p : NONE);
    }
}

/* ---- requests and grants ---- */

/* Is h to be preferred to `other`, who asks for the same? `key` of round-robin. */
static bool comes_before(engine *e, uint32_t h, uint32_t other, uint32_t asks, uint32_t last, uint32_t modulus, uint32_t key, uint32_t other_key)
{
    const packet *a, *b;
    switch (e->plan->model.arbitration) {
    case FL_SIM_ROUND_ROBIN:
        return (key + modulus - 1 - last) % modulus < (other_key + modulus - 1 - last) % modulus;
    case FL_SIM_OLDEST_FIRST:
        a = &e->packets[e->heads[h].packet];
        b = &e->packets[e->heads[other].packet];
        if (a->born != b->born)
            return a->born < b->born;
        return a->source != b->source ? a->source < b->source : a->serial < b->serial; /* packets of one message are born together */
    default:
        return fl_rng_below32(&e->rng, asks) == 0;
    }
}

bool fl_sim_wins(engine *e, uint32_t h, uint32_t channel)
{
    const call *c = &e->calls[channel];
    uint32_t s = e->heads[h].at, key = port_number(e, channel_of(e, e->heads[h].input), s);
    uint32_t other = port_number(e, channel_of(e, e->heads[c->winner].input), s);
    return comes_before(e, h, c->winner, c->count, e->turn[channel], e->radix, key, other);
}

/* One virtual channel of an input port can use the crossbar at a time. */
static void ask_for_crossbar(engine *e, uint32_t h, uint32_t port)
{
    uint32_t asks = ++e->port_asks[port], lanes = e->channels_per_link;
    if (asks == 1) {
        e->port_asked[e->port_asked_count++] = port;
        e->port_winner[port] = h;
        return;
    }
    uint32_t key = e->heads[h].input % lanes, other = e->heads[e->port_winner[port]].input % lanes;
    if (comes_before(e, h, e->port_winner[port], asks, e->port_turn[port], lanes, key, other))
        e->port_winner[port] = h;
}

static uint32_t output_of(const engine *e, uint32_t h)
{
    const head *hd = &e->heads[h];
    return hd->worm ? hd->output : output_at(e, hd, hd->chosen);
}

/* Free places behind an output, 0 if it cannot be had in this cycle. */
static uint32_t space_at(const engine *e, uint32_t output)
{
    if (e->busy[channel_of(e, output)] > e->now)
        return 0;
    if (e->output_fifos)
        return e->outlets[output].queue_free == 0 ? 0 : (uint32_t)e->outlets[output].queue_free + e->credits[output];
    if (e->wormhole && e->owner[output] != NONE)
        return 0;
    return e->credits[output];
}

bool fl_sim_choose(engine *e, uint32_t h)
{
    head *hd = &e->heads[h];
    uint32_t best = 1, equals = 0, count = 0, ways = hd->ways;
    bool most_free = e->most_free;
    if (ways <= 1)
        return ways == 1 && space_at(e, hd->only) > 0; /* chosen is 0 from the beginning */
    const uint32_t *outputs = &e->outputs[hd->only];
    for (unsigned i = 0; i < ways; i++) {
        uint32_t space = space_at(e, outputs[i]);
        if (space > best && most_free) {
            best = space;
            equals = count = 0;
        }
        equals |= (uint32_t)(space >= best) << i;
        count += space >= best;
    }
    if (equals)
        hd->chosen = fl_sim_any_of(e, equals, count);
    return equals != 0;
}

/* Flits of a worm that are here. */
static uint32_t flits_here(const engine *e, const head *hd)
{
    uint32_t left = fl_sim_flits_of(e, hd) - hd->sent, here = e->inputs[hd->input].flits;
    return here < left ? here : left;
}

static bool worm_can_go(const engine *e, const head *hd)
{
    return flits_here(e, hd) > 0 && e->credits[hd->output] > 0;
}

/* One flit less at this input; the end of the worm lets the next packet come. */
static void pass_flit(engine *e, uint32_t h)
{
    head *hd = &e->heads[h];
    uint32_t input = hd->input;
    hd->sent++;
    hd->since = e->now;
    e->inputs[input].flits--;
    fl_sim_schedule(e, e->plan->model.credit_delay, CREDIT, output_before(e, input), NONE);
    if (hd->sent < fl_sim_flits_of(e, hd))
        return;
    if (hd->output != NONE)
        e->owner[hd->output] = NONE;
    fl_sim_drop_head(e, h);
    fl_sim_schedule(e, 1, RELEASE, input, NONE);
}

/* It wants something that it can have. */
static void ask(engine *e, uint32_t h)
{
    if (e->channels_per_link > 1)
        ask_for_crossbar(e, h, channel_of(e, e->heads[h].input));
    else
        fl_sim_call(e, h, channel_of(e, output_of(e, h)));
}

static bool crossbar_is_busy(const engine *e, uint32_t h)
{
    return e->input_busy && e->input_busy[channel_of(e, e->heads[h].input)] > e->now;
}

static void request_worms(engine *e)
{
    for (uint32_t i = 0; i < e->active_count; i++) {
        uint32_t h = e->active[i].head;
        const head *hd = &e->heads[h];
        if (!hd->vanishing && !crossbar_is_busy(e, h) && (hd->worm ? worm_can_go(e, hd) : fl_sim_choose(e, h)))
            ask(e, h);
    }
}

FL_INLINE void fetch_output(const engine *e, const head *hd)
{
    if (hd->ways != 1)
        return;
    FL_PREFETCH(&e->busy[channel_of(e, hd->only)]);
    FL_PREFETCH(&e->outlets[hd->only]);
    FL_PREFETCH(&e->credits[hd->only]);
    FL_PREFETCH(&e->calls[channel_of(e, hd->only)]);
}

static void request_packets(engine *e)
{
    uint32_t asking = 0;
    for (uint32_t i = 0; i < e->awake_count; i++) {
        uint32_t h = e->awake[i];
        if (i + FETCH_AHEAD < e->awake_count)
            FL_PREFETCH(&e->heads[e->awake[i + FETCH_AHEAD]]);
        if (i + FETCH_AHEAD / 2 < e->awake_count)
            fetch_output(e, &e->heads[e->awake[i + FETCH_AHEAD / 2]]);
        if (crossbar_is_busy(e, h)) {
            fl_sim_put_to_sleep_at_port(e, h);
        } else if (!fl_sim_choose(e, h)) {
            fl_sim_put_to_sleep(e, h);
        } else {
            e->awake[asking++] = h;
            ask(e, h);
        }
    }
    e->awake_count = asking;
}

static void request_all(engine *e)
{
    if (e->whole)
        request_packets(e);
    else
        request_worms(e);
    for (uint32_t i = 0; i < e->port_asked_count; i++) {
        uint32_t port = e->port_asked[i], h = e->port_winner[port];
        e->port_asks[port] = 0;
        fl_sim_call(e, h, channel_of(e, output_of(e, h)));
    }
    e->port_asked_count = 0;
}

static void let_vanish(engine *e)
{
    for (uint32_t i = e->active_count; i-- > 0;) {
        uint32_t h = e->active[i].head;
        if (e->heads[h].vanishing && flits_here(e, &e->heads[h]) > 0)
            pass_flit(e, h);
    }
}

static void enter_queue(engine *e, uint32_t output, uint32_t p)
{
    e->outlets[output].queue_free--;
    e->packets[p].next = NONE;
    if (e->outlets[output].queue_last == NONE)
        e->outlets[output].queue_first = p;
    else
        e->packets[e->outlets[output].queue_last].next = p;
    e->outlets[output].queue_last = p;
    fl_sim_may_send(e, channel_of(e, output));
}

static void grant_flit(engine *e, uint32_t h, uint32_t output)
{
    head *hd = &e->heads[h];
    uint32_t p = hd->packet;
    bool first = !hd->worm;
    if (first) {
        fl_way way = fl_sim_chosen_way(e, hd);
        if (!fl_sim_take_way(e, &e->packets[p], e->plan->switches[hd->at].address, &way))
            return;
        fl_sim_pop(e, hd->input);
        e->inputs[hd->input].moving = true;
        hd->worm = true;
        hd->output = output;
        e->owner[output] = hd->input;
    }
    fl_sim_send_flit(e, output, p, first, hd->sent + 1u == fl_sim_flits_of(e, hd));
    pass_flit(e, h);
}

static void grant_packet(engine *e, uint32_t h, uint32_t output)
{
    const head *hd = &e->heads[h];
    uint32_t input = hd->input, p = hd->packet, port = channel_of(e, input), channel = channel_of(e, output);
    fl_way way = fl_sim_chosen_way(e, hd);
    if (!fl_sim_take_way(e, &e->packets[p], e->plan->switches[hd->at].address, &way))
        return;
    fl_sim_pop(e, input);
    e->inputs[input].moving = true;
    e->busy[channel] = e->now + e->length;
    if (e->input_busy)
        e->input_busy[port] = e->now + e->length;
    fl_sim_drop_head(e, h);
    e->heads[h].gone = true;
    if (e->output_fifos)
        enter_queue(e, output, p);
    else
        fl_sim_send_packet(e, output, p);
    fl_sim_schedule(e, e->length, RELEASE, input, output);
}

/* Of those that asked, the ones that got nothing. */
static void keep_losers_awake(engine *e)
{
    uint32_t asking = 0;
    for (uint32_t i = 0; i < e->awake_count; i++)
        if (!e->heads[e->awake[i]].gone)
            e->awake[asking++] = e->awake[i];
    e->awake_count = asking;
}

FL_INLINE void fetch_winner(const engine *e, uint32_t channel)
{
    const head *hd = &e->heads[e->calls[channel].winner];
    if (e->output_fifos) {
        FL_PREFETCH(&e->feeds[channel]);
        FL_PREFETCH(&e->outlets[channel * e->channels_per_link]);
    }
    FL_PREFETCH(&e->turn[channel]);
    FL_PREFETCH(&e->plan->switches[hd->at]);
    FL_PREFETCH(&e->packets[hd->packet]);
    FL_PREFETCH(&e->inputs[hd->input]);
    FL_PREFETCH(&e->active[hd->place]);
}

static void grant_all(engine *e)
{
    for (uint32_t i = 0; i < e->asked_count; i++) {
        uint32_t channel = e->asked[i], h = e->calls[channel].winner, input = e->heads[h].input, port = channel_of(e, input);
        if (i + FETCH_AHEAD < e->asked_count)
            fetch_winner(e, e->asked[i + FETCH_AHEAD]);
        e->calls[channel].count = 0;
        if (!e->by_lot)
            e->turn[channel] = port_number(e, port, e->heads[h].at);
        if (e->port_turn)
            e->port_turn[port] = input % e->channels_per_link;
        if (e->wormhole)
            grant_flit(e, h, output_of(e, h));
        else
            grant_packet(e, h, output_of(e, h));
    }
    e->asked_count = 0;
    if (e->whole)
        keep_losers_awake(e);
}

/* ---- output FIFOs feed their links ---- */

uint32_t fl_sim_leave_queue(engine *e, uint32_t output)
{
    uint32_t p = e->outlets[output].queue_first;
    e->outlets[output].queue_first = e->packets[p].next;
    if (e->outlets[output].queue_first == NONE)
        e->outlets[output].queue_last = NONE;
    fl_sim_schedule(e, e->length, QUEUE_RELEASE, output, NONE);
    return p;
}

static void send_from_queues_of(engine *e, uint32_t channel)
{
    unsigned lanes = e->channels_per_link;
    if (e->feeds[channel].busy > e->now)
        return;
    for (unsigned i = 1; i <= lanes; i++) {
        unsigned lane = (e->feeds[channel].turn + i) % lanes;
        uint32_t output = channel * lanes + lane;
        if (e->outlets[output].queue_first == NONE || e->credits[output] == 0)
            continue;
        e->feeds[channel].busy = e->now + e->length;
        e->feeds[channel].turn = (uint16_t)lane;
        fl_sim_send_packet(e, output, fl_sim_leave_queue(e, output));
        return;
    }
}

FL_INLINE void fetch_queue(const engine *e, uint32_t channel)
{
    FL_PREFETCH(&e->feeds[channel]);
    FL_PREFETCH(&e->outlets[channel * e->channels_per_link]);
    FL_PREFETCH(&e->credits[channel * e->channels_per_link]);
    FL_PREFETCH(&e->plan->to[channel]);
    FL_PREFETCH(&e->plan->link_class[channel]);
}

/* What cannot be sent now is looked at again when the link has ended with a packet, or a credit has come. */
static void send_from_queues(engine *e)
{
    for (uint32_t i = 0; i < e->sending_count; i++) {
        if (i + FETCH_AHEAD < e->sending_count)
            fetch_queue(e, e->sending[i + FETCH_AHEAD]);
        if (i + FETCH_AHEAD / 2 < e->sending_count)
            fetch_packet(e, e->outlets[e->sending[i + FETCH_AHEAD / 2] * e->channels_per_link].queue_first);
        e->feeds[e->sending[i]].is_sending = false;
        send_from_queues_of(e, e->sending[i]);
    }
    e->sending_count = 0;
}

/* ---- cycles ---- */

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
        if (e->whole && ev->packet != NONE)
            FL_PREFETCH(&e->outlets[ev->packet]);
        break;
    case CREDIT:
        FL_PREFETCH(&e->credits[ev->at]);
        if (e->whole)
            FL_PREFETCH(&e->outlets[ev->at]);
        break;
    case QUEUE_RELEASE:
        FL_PREFETCH(&e->outlets[ev->at]);
        FL_PREFETCH(&e->feeds[channel_of(e, ev->at)]);
        break;
    case SOURCE:
        FL_PREFETCH(&e->sources[ev->at]);
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
        fetch_packet(e, e->inputs[ev->at].first);
        FL_PREFETCH(&e->plan->switches[e->inputs[ev->at].at]);
    } else if (ev->kind == RELEASE && e->whole && ev->packet != NONE) {
        fetch_head(e, e->outlets[ev->packet].asleep);
    } else if (ev->kind == QUEUE_RELEASE) {
        fetch_head(e, e->outlets[ev->at].asleep);
    }
}

static void happen_all(engine *e, const event_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (i + FETCH_AHEAD < list->count)
            fetch(e, &list->events[i + FETCH_AHEAD]);
        if (i + FETCH_AHEAD / 2 < list->count)
            fetch_behind(e, &list->events[i + FETCH_AHEAD / 2]);
        fl_sim_happen(e, &list->events[i]);
    }
}

static void run_cycle(engine *e)
{
    e->measuring = fl_sim_is_measured(e, e->now);
    if (FL_UNLIKELY(e->next_failure < e->plan->set_up.failure_count) && e->plan->set_up.failures[e->next_failure].cycle <= e->now)
        fl_sim_fail_links(e);
    event_list *due = &e->wheel[e->now & e->wheel_mask];
    if (e->plain)
        fl_sim_plain_events(e, due);
    else
        happen_all(e, due);
    due->count = 0;
    happen_all(e, &e->births[e->now % BIRTH_SLOTS]);
    e->births[e->now % BIRTH_SLOTS].count = 0;
    fl_sim_send_from_sources(e);
    if (e->plain) {
        fl_sim_plain_requests(e);
        fl_sim_plain_grants(e);
    } else {
        request_all(e);
        grant_all(e);
    }
    if (e->wormhole)
        let_vanish(e);
    if (e->output_fifos)
        send_from_queues(e);
    e->now++;
}

/* Sources that produce more than the network takes: what has gathered in the measured cycles is more than half a percent
 * of what was born, and more than chance (4 standard deviations of the births). */
static bool is_overloaded(const engine *e, uint64_t generated, uint64_t waiting)
{
    double born = (double)generated, gone = (double)(e->out->received + e->lost_measured);
    if (e->plan->model.source_queue > 0) {
        gone = born;
        born = e->birth_rate * e->plan->senders * (double)e->out->measured;
        waiting = e->plan->senders + 1;
    }
    return born - gone > .005 * born + 4 * sqrt(born) && waiting > e->plan->senders;
}

/* Has the run come to its end? */
static bool is_over(engine *e)
{
    const fl_sim_model *m = &e->plan->model;
    fl_sim_result *out = e->out;
    if (m->stop == FL_SIM_STOP_EACH_SOURCE)
        return e->done >= e->target || e->now >= m->cycles;
    if (m->stop == FL_SIM_STOP_PER_DESTINATION)
        return out->total_delivered >= m->packets * e->plan->network->nodes || e->now >= m->cycles;
    if (m->stop == FL_SIM_STOP_MESSAGES)
        return fl_sim_messages_are_over(e) || e->now >= m->cycles;
    if (e->now < e->beyond_measured)
        return false;
    if (e->now == e->beyond_measured) {
        uint64_t waiting = fl_sim_backlog(e, false), generated = out->generated + waiting;
        out->measured = m->cycles;
        out->saturated = is_overloaded(e, generated, waiting);
        e->target = generated;
        if (out->saturated)
            return true;
    }
    return e->done >= e->target || e->now >= e->beyond_measured + m->drain;
}

/* A packet that has not moved for so long does not wait for something that is still on its way. */
static uint32_t settled_after(const fl_sim_plan *plan)
{
    const fl_sim_model *m = &plan->model;
    uint64_t longest = 0;
    for (unsigned i = 0; i < plan->network->classes; i++)
        longest = plan->latency[i] > longest ? plan->latency[i] : longest;
    return (uint32_t)(4 * ((uint64_t)m->packet_flits + m->routing_delay + m->credit_delay + longest));
}

static uint32_t patience_of(const fl_sim_plan *plan)
{
    uint32_t settled = settled_after(plan);
    return plan->model.deadlock_after > settled ? (uint32_t)plan->model.deadlock_after : settled;
}

static bool go_on(const engine *e)
{
    const fl_sim_watch *watch = e->watch;
    return !watch || !watch->progress || watch->progress(watch->user, e->messages ? e->out->total_delivered : e->now);
}

static uint32_t cycles_between_progress(const engine *e)
{
    uint64_t cycles = NODE_CYCLES_BETWEEN_PROGRESS / e->plan->network->nodes + 1;
    return (uint32_t)(cycles < CYCLES_BETWEEN_PROGRESS_MAX ? cycles : CYCLES_BETWEEN_PROGRESS_MAX);
}

static void run(engine *e)
{
    uint32_t patience = patience_of(e->plan), next_look = patience, between = cycles_between_progress(e), next_progress = between;
    while (!e->status && !is_over(e)) {
        run_cycle(e);
        if (FL_UNLIKELY(e->now == e->meter->next_cut && e->now <= e->beyond_measured))
            fl_sim_meter_cut(e->meter, e->out->received);
        if (FL_UNLIKELY(e->now == next_look)) {
            next_look += patience;
            if (fl_sim_find_deadlock(e, patience))
                return;
        }
        if (FL_UNLIKELY(e->now == next_progress)) {
            next_progress += between;
            if (!go_on(e)) {
                e->out->stopped = true;
                return;
            }
        }
    }
}

/* ---- the end ---- */

static void conclude(engine *e)
{
    fl_sim_result *out = e->out;
    const fl_sim_model *m = &e->plan->model;
    out->cycles = e->now;
    if (!out->deadlocked && !e->status)
        fl_sim_find_deadlock(e, settled_after(e->plan));
    fl_sim_check_conservation(e);
    uint64_t measured_end = e->beyond_measured < e->now ? e->beyond_measured : e->now;
    out->measured = measured_end > e->first_measured ? measured_end - e->first_measured : 0;
    uint64_t waiting = fl_sim_backlog(e, true);
    if (m->stop == FL_SIM_STOP_CYCLES) {
        out->outstanding = out->generated > e->done ? out->generated - e->done : 0;
        out->saturated |= out->outstanding > 0 && e->now >= e->beyond_measured + m->drain;
    } else if (e->messages) {
        fl_sim_conclude_messages(e);
    } else {
        out->saturated = is_overloaded(e, out->generated, waiting);
        out->outstanding = m->stop == FL_SIM_STOP_EACH_SOURCE ? e->target - e->done : 0;
        out->saturated |= out->outstanding > 0;
    }
    if (out->series_length > 0 && e->plan->set_up.series > 0) {
        uint64_t used = (e->now + e->plan->set_up.series - 1) / e->plan->set_up.series;
        out->series_length = used < out->series_length ? used : out->series_length;
    }
    for (unsigned i = 0; i < FL_SIM_CLASSES_MAX; i++)
        out->class_channels[i] = e->plan->class_channels[i];
    fl_sim_meter_read(e->meter, out);
    if (e->plan->set_up.workload) /* begins and ends: no steady state of which batches were samples */
        out->received_interval = (fl_interval){(double)NAN, (double)NAN};
}

/* ---- making ---- */

static bool make(engine *e, uint64_t seed)
{
    const fl_sim_model *m = &e->plan->model;
    e->radix = e->plan->network->radix;
    e->channels_per_link = e->plan->virtual_channels;
    e->length = m->packet_flits;
    e->wormhole = m->switching == FL_SIM_WORMHOLE;
    e->store_and_forward = m->switching == FL_SIM_STORE_AND_FORWARD;
    e->output_fifos = m->output_fifo > 0;
    e->plain = e->length == 1 && !e->wormhole && !e->output_fifos && e->channels_per_link == 1 && e->radix <= PLAIN_PORTS_MAX;
    e->whole = !e->plain && !e->wormhole;
    e->most_free = m->choice == FL_SIM_MOST_FREE;
    e->by_lot = m->arbitration == FL_SIM_RANDOM;
    e->free_packet = NONE;
    memset(e->free_outputs, 0xff, sizeof e->free_outputs);
    memset(e->free_ways, 0xff, sizeof e->free_ways);
    e->asked_ways = calloc(e->plan->ways, sizeof *e->asked_ways);
    e->decision.wanted = e->plan->ways;
    e->first_measured = m->stop == FL_SIM_STOP_CYCLES ? m->warmup : 0;
    e->beyond_measured = m->stop == FL_SIM_STOP_CYCLES ? m->warmup + m->cycles : UINT64_MAX;
    e->target = m->stop == FL_SIM_STOP_EACH_SOURCE ? m->packets * e->plan->senders : 0;
    e->meter = calloc(1, sizeof *e->meter);
    if (e->meter) {
        uint64_t part = m->cycles < FL_SIM_BATCHES ? 1 : m->cycles / FL_SIM_BATCHES;
        e->meter->slice_length = m->stop == FL_SIM_STOP_CYCLES ? part : FL_SIM_FIRST_SLICE;
        e->meter->next_cut = e->first_measured + e->meter->slice_length;
    }
    return e->meter && e->asked_ways && fl_sim_allocate(e) && fl_sim_make_sources(e, seed);
}

fl_status fl_sim_run(fl_sim_result *out, const fl_sim_plan *plan, double load, uint64_t seed, const fl_sim_watch *watch, fl_error *error)
{
    engine e = {.plan = plan, .out = out, .watch = watch, .error = error};
    *out = (fl_sim_result){.load = load, .seed = seed};
    if (!(load >= 0 && load <= 1))
        return fl_fail(error, FL_ERR_INVALID, "a load of %g: it must be 0 to 1 flits per node and cycle", load);
    e.birth_rate = load / plan->model.packet_flits;
    e.log_miss = e.birth_rate < 1 ? log1p(-e.birth_rate) : -1;
    if (!make(&e, seed))
        fl_sim_out_of_memory(&e);
    if (!e.status) {
        run(&e);
        conclude(&e);
    }
    if (!e.status && !fl_order_is_sound(e.order))
        fl_sim_out_of_memory(&e);
    fl_sim_clear(&e);
    if (e.status)
        fl_sim_result_clear(out);
    return e.status;
}
