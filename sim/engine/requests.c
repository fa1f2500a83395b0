/* Heads request output VCs: which candidate a head chooses, and which of several requesters wins.
 */
#include "sim/engine/arrival.h"

/* ---- which requester wins ---- */

/* Is h to be preferred to `other`, which requests the same? The rest is of round-robin. */
static bool comes_before(engine *e, uint32_t h, uint32_t other, uint32_t count, uint32_t last,
                         uint32_t modulus, uint32_t key, uint32_t other_key)
{
    const packet *a, *b;
    switch (e->plan->model.arbitration) {
    case FL_SIM_ROUND_ROBIN:
        return (key + modulus - 1 - last) % modulus < (other_key + modulus - 1 - last) % modulus;
    case FL_SIM_OLDEST_FIRST:
        a = &e->packets.list[e->heads.list[h].packet];
        b = &e->packets.list[e->heads.list[other].packet];
        if (a->born != b->born)
            return a->born < b->born;
        return a->source != b->source
                   ? a->source < b->source
                   : a->serial < b->serial; /* packets of one message are born together */
    default:
        return fl_rng_below32(&e->routing.rng, count) == 0;
    }
}

bool fl_sim_wins(engine *e, uint32_t h, uint32_t channel)
{
    const fl_sim_plan *plan = e->plan;
    const request *r = &e->requests.of_channel[channel];
    uint32_t s = e->heads.list[h].at, port = fl_sim_channel_of(plan, e->heads.list[h].input),
             other = fl_sim_channel_of(plan, e->heads.list[r->winner].input);
    return comes_before(e, h, r->winner, r->count, e->requests.turn[channel], plan->network->radix,
                        fl_sim_port_number(plan, port, s), fl_sim_port_number(plan, other, s));
}

/* One virtual channel of an input port can use the crossbar at a time. */
static void request_crossbar(engine *e, uint32_t h, uint32_t port)
{
    request *r = &e->requests.of_port[port];
    uint32_t vcs = e->plan->virtual_channels;
    if (++r->count == 1) {
        e->requests.ports[e->requests.port_count++] = port;
        r->winner = h;
        return;
    }
    uint32_t key = e->heads.list[h].input % vcs, other = e->heads.list[r->winner].input % vcs;
    if (comes_before(e, h, r->winner, r->count, e->requests.port_turn[port], vcs, key, other))
        r->winner = h;
}

static bool crossbar_is_busy(const engine *e, uint32_t h)
{
    return e->queues.busy &&
           e->queues.busy[fl_sim_channel_of(e->plan, e->heads.list[h].input)] > e->calendar.now;
}

/* ---- which candidate a head chooses ---- */

/* Free places behind an output VC, 0 if it cannot be had in this cycle. */
static uint32_t space_at(const engine *e, uint32_t output)
{
    const links *l = &e->links;
    if (l->busy[fl_sim_channel_of(e->plan, output)] > e->calendar.now)
        return 0;
    if (e->mode.output_fifos)
        return l->outputs[output].fifo_free == 0
                   ? 0
                   : (uint32_t)l->outputs[output].fifo_free + l->credits[output];
    if (e->mode.wormhole && l->owner[output] != NONE)
        return 0;
    return l->credits[output];
}

/* Free flits in the queue behind an output VC, as far as its switch knows. A packet takes its place
 * there at once, and gives it back at once: of one that is being sent the flits that have not gone
 * yet are free still, of one that is leaving those that have gone are free already. Output FIFOs
 * count with the queue at the other end of the link; while a packet is on its way from one to the
 * other, it has a place in both. */
static uint32_t free_flits(const engine *e, uint32_t output)
{
    uint32_t now = e->calendar.now, length = e->mode.length;
    if (e->mode.wormhole)
        return e->links.credits[output];
    const output_vc *o = &e->links.outputs[output];
    uint32_t flits = e->links.credits[output] * length;
    if (o->sending_until > now)
        flits += o->sending_until - now;
    if (o->credit_from != NONE)
        flits += now - o->credit_from;
    if (e->mode.output_fifos) {
        const output_link *link = &e->links.out_links[fl_sim_channel_of(e->plan, output)];
        flits += o->fifo_free * length;
        if (link->busy > now && link->turn == output % e->plan->virtual_channels)
            flits += length;
    }
    return flits;
}

/* A head is blocked only while it can have none of its candidates. Which of them has the shortest
 * queue changes with every flit, and among equals lots decide anew in every cycle. */
static fl_sim_wish choose_shortest_queue(engine *e, head *hd)
{
    const uint32_t *outputs = &e->candidates.outputs[hd->only];
    uint32_t most = 0, equals = 0, count = 0;
    bool any = false;
    for (unsigned i = 0; i < hd->candidates; i++) {
        uint32_t flits = free_flits(e, outputs[i]);
        if (flits > most || i == 0) {
            most = flits;
            equals = count = 0;
        }
        equals |= (uint32_t)(flits == most) << i;
        count += flits == most;
        any |= space_at(e, outputs[i]) > 0;
    }
    if (!any)
        return FL_SIM_BLOCKED;
    hd->chosen = fl_sim_any_of(&e->routing, equals, count);
    return space_at(e, outputs[hd->chosen]) > 0 ? FL_SIM_REQUESTS : FL_SIM_LOOKS_AGAIN;
}

fl_sim_wish fl_sim_choose(engine *e, uint32_t h)
{
    head *hd = &e->heads.list[h];
    uint32_t best = 1, equals = 0, count = 0, candidates = hd->candidates;
    bool most_free = e->mode.most_free;
    if (candidates <= 1) /* chosen is 0 from the beginning */
        return candidates == 1 && space_at(e, hd->only) > 0 ? FL_SIM_REQUESTS : FL_SIM_BLOCKED;
    if (e->mode.shortest_queue)
        return choose_shortest_queue(e, hd);
    const uint32_t *outputs = &e->candidates.outputs[hd->only];
    for (unsigned i = 0; i < candidates; i++) {
        uint32_t space = space_at(e, outputs[i]);
        if (space > best && most_free) {
            best = space;
            equals = count = 0;
        }
        equals |= (uint32_t)(space >= best) << i;
        count += space >= best;
    }
    if (equals)
        hd->chosen = fl_sim_any_of(&e->routing, equals, count);
    return equals != 0 ? FL_SIM_REQUESTS : FL_SIM_BLOCKED;
}

/* ---- all heads ---- */

static bool worm_can_go(const engine *e, const head *hd)
{
    return fl_sim_flits_here(e, hd) > 0 && e->links.credits[hd->output] > 0;
}

FL_INLINE void request_chosen(engine *e, uint32_t h)
{
    fl_sim_request(e, h, fl_sim_channel_of(e->plan, fl_sim_chosen_output(e, &e->heads.list[h])));
}

/* The head wants something that it can have. */
FL_INLINE void request_any(engine *e, uint32_t h)
{
    if (e->plan->virtual_channels > 1)
        request_crossbar(e, h, fl_sim_channel_of(e->plan, e->heads.list[h].input));
    else
        request_chosen(e, h);
}

static void request_worms(engine *e)
{
    for (uint32_t i = 0; i < e->heads.active_count; i++) {
        uint32_t h = e->heads.active[i].head;
        const head *hd = &e->heads.list[h];
        if (!hd->vanishing && !crossbar_is_busy(e, h) &&
            (hd->worm ? worm_can_go(e, hd) : fl_sim_choose(e, h) == FL_SIM_REQUESTS))
            request_any(e, h);
    }
}

FL_INLINE void fetch_output(const engine *e, const head *hd)
{
    if (hd->candidates != 1)
        return;
    uint32_t channel = fl_sim_channel_of(e->plan, hd->only);
    FL_PREFETCH(&e->links.busy[channel]);
    FL_PREFETCH(&e->links.outputs[hd->only]);
    FL_PREFETCH(&e->links.credits[hd->only]);
    FL_PREFETCH(&e->requests.of_channel[channel]);
}

static void request_packets(engine *e)
{
    heads *hs = &e->heads;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < hs->ready_count; i++) {
        uint32_t h = hs->ready[i];
        if (i + FETCH_AHEAD < hs->ready_count)
            FL_PREFETCH(&hs->list[hs->ready[i + FETCH_AHEAD]]);
        if (i + FETCH_AHEAD / 2 < hs->ready_count)
            fetch_output(e, &hs->list[hs->ready[i + FETCH_AHEAD / 2]]);
        if (crossbar_is_busy(e, h)) {
            fl_sim_block_at_port(e, h);
            continue;
        }
        fl_sim_wish wish = fl_sim_choose(e, h);
        if (wish == FL_SIM_BLOCKED) {
            fl_sim_block(e, h);
            continue;
        }
        hs->ready[kept++] = h;
        if (wish == FL_SIM_REQUESTS)
            request_any(e, h);
    }
    hs->ready_count = kept;
}

void fl_sim_request_all(engine *e)
{
    if (e->mode.blocked_lists)
        request_packets(e);
    else
        request_worms(e);
    for (uint32_t i = 0; i < e->requests.port_count; i++) {
        request *r = &e->requests.of_port[e->requests.ports[i]];
        r->count = 0;
        request_chosen(e, r->winner);
    }
    e->requests.port_count = 0;
}
