#include "sim/engine/engine.h"

/* Heads ask for outputs, one for each channel is granted, and packets and flits go on links. */

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
    fl_sim_broken(e, e->plan->switches[e->plan->switch_of[channel]].address,
                  "delivered a packet to the wrong node");
}

/* A whole packet goes on a link: its head arrives after the latency, its tail length - 1 later. */
void fl_sim_send_packet(engine *e, uint32_t output, uint32_t p)
{
    uint32_t channel = channel_of(e, output), to = e->plan->to[channel],
             latency = e->plan->latency[e->plan->link_class[channel]];
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
        fl_sim_schedule(e, latency, ARRIVE,
                        to * e->channels_per_link + (output - channel * e->channels_per_link), p);
    }
}

/* One flit of a worm; `p` goes with the first and (to a node) with the last. */
void fl_sim_send_flit(engine *e, uint32_t output, uint32_t p, bool first, bool last)
{
    uint32_t channel = channel_of(e, output), to = e->plan->to[channel],
             latency = e->plan->latency[e->plan->link_class[channel]];
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
        fl_sim_schedule(e, latency, first ? ARRIVE : FLIT,
                        to * e->channels_per_link + (output - channel * e->channels_per_link),
                        first ? p : NONE);
    }
}

/* ---- requests and grants ---- */

/* Is h to be preferred to `other`, who asks for the same? `key` of round-robin. */
static bool comes_before(engine *e, uint32_t h, uint32_t other, uint32_t asks, uint32_t last,
                         uint32_t modulus, uint32_t key, uint32_t other_key)
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
        return a->source != b->source
                   ? a->source < b->source
                   : a->serial < b->serial; /* packets of one message are born together */
    default:
        return fl_rng_below32(&e->rng, asks) == 0;
    }
}

bool fl_sim_wins(engine *e, uint32_t h, uint32_t channel)
{
    const request *c = &e->requests[channel];
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
        return e->outlets[output].queue_free == 0
                   ? 0
                   : (uint32_t)e->outlets[output].queue_free + e->credits[output];
    if (e->wormhole && e->owner[output] != NONE)
        return 0;
    return e->credits[output];
}

/* Free flits in the queue behind an output, as far as its switch knows. A packet takes its place
 * there as a whole, and gives it back as a whole: of one that is being sent the flits that have not
 * gone yet are free still, of one that is leaving those that have gone are free already. Output
 * FIFOs count with the queue at the other end of the link; while a packet is on its way from one to
 * the other, it has a place in both. */
static uint32_t free_flits(const engine *e, uint32_t output)
{
    if (e->wormhole)
        return e->credits[output];
    const output_vc *o = &e->outlets[output];
    uint32_t flits = e->credits[output] * e->length;
    if (o->sending_until > e->now)
        flits += o->sending_until - e->now;
    if (o->credit_from != NONE)
        flits += e->now - o->credit_from;
    if (e->output_fifos) {
        const output_link *link = &e->feeds[channel_of(e, output)];
        flits += o->queue_free * e->length;
        if (link->busy > e->now && link->turn == output % e->channels_per_link)
            flits += e->length;
    }
    return flits;
}

/* A head sleeps only while it can have none of its candidates. Which of them has the shortest queue
 * changes with every flit, and of equals lots decide anew in every cycle. */
static fl_sim_wish choose_shortest_queue(engine *e, head *hd)
{
    const uint32_t *outputs = &e->outputs[hd->only];
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
    hd->chosen = fl_sim_any_of(e, equals, count);
    return space_at(e, outputs[hd->chosen]) > 0 ? FL_SIM_REQUESTS : FL_SIM_LOOKS_AGAIN;
}

fl_sim_wish fl_sim_choose(engine *e, uint32_t h)
{
    head *hd = &e->heads[h];
    uint32_t best = 1, equals = 0, count = 0, candidates = hd->candidates;
    bool most_free = e->most_free;
    if (candidates <= 1) /* chosen is 0 from the beginning */
        return candidates == 1 && space_at(e, hd->only) > 0 ? FL_SIM_REQUESTS : FL_SIM_BLOCKED;
    if (e->ranks_all)
        return choose_shortest_queue(e, hd);
    const uint32_t *outputs = &e->outputs[hd->only];
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
        hd->chosen = fl_sim_any_of(e, equals, count);
    return equals != 0 ? FL_SIM_REQUESTS : FL_SIM_BLOCKED;
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
        fl_sim_request(e, h, channel_of(e, output_of(e, h)));
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
        if (!hd->vanishing && !crossbar_is_busy(e, h) &&
            (hd->worm ? worm_can_go(e, hd) : fl_sim_choose(e, h) == FL_SIM_REQUESTS))
            ask(e, h);
    }
}

FL_INLINE void fetch_output(const engine *e, const head *hd)
{
    if (hd->candidates != 1)
        return;
    FL_PREFETCH(&e->busy[channel_of(e, hd->only)]);
    FL_PREFETCH(&e->outlets[hd->only]);
    FL_PREFETCH(&e->credits[hd->only]);
    FL_PREFETCH(&e->requests[channel_of(e, hd->only)]);
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
            fl_sim_block_at_port(e, h);
            continue;
        }
        fl_sim_wish wish = fl_sim_choose(e, h);
        if (wish == FL_SIM_BLOCKED) {
            fl_sim_block(e, h);
            continue;
        }
        e->awake[asking++] = h;
        if (wish == FL_SIM_REQUESTS)
            ask(e, h);
    }
    e->awake_count = asking;
}

void fl_sim_requests(engine *e)
{
    if (e->complete)
        request_packets(e);
    else
        request_worms(e);
    for (uint32_t i = 0; i < e->port_asked_count; i++) {
        uint32_t port = e->port_asked[i], h = e->port_winner[port];
        e->port_asks[port] = 0;
        fl_sim_request(e, h, channel_of(e, output_of(e, h)));
    }
    e->port_asked_count = 0;
}

void fl_sim_let_vanish(engine *e)
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
        fl_candidate candidate = fl_sim_chosen_candidate(e, hd);
        if (!fl_sim_take_candidate(e, &e->packets[p], e->plan->switches[hd->at].address,
                                   &candidate))
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

/* From now on, or from when word has come, a sender knows that the packet in front of a queue is
 * leaving it. */
static void begin_credit(engine *e, uint32_t input)
{
    uint32_t output = output_before(e, input), delay = e->plan->model.credit_delay - 1;
    if (delay == 0)
        e->outlets[output].credit_from = e->now;
    else
        fl_sim_schedule(e, delay, CREDIT_BEGINS, output, NONE);
}

static void grant_packet(engine *e, uint32_t h, uint32_t output)
{
    const head *hd = &e->heads[h];
    uint32_t input = hd->input, p = hd->packet, port = channel_of(e, input),
             channel = channel_of(e, output);
    fl_candidate candidate = fl_sim_chosen_candidate(e, hd);
    if (!fl_sim_take_candidate(e, &e->packets[p], e->plan->switches[hd->at].address, &candidate))
        return;
    fl_sim_pop(e, input);
    e->inputs[input].moving = true;
    e->busy[channel] = e->now + e->length;
    if (e->input_busy)
        e->input_busy[port] = e->now + e->length;
    if (e->ranks_all) {
        e->outlets[output].sending_until = e->now + e->length;
        begin_credit(e, input);
    }
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
    const head *hd = &e->heads[e->requests[channel].winner];
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

void fl_sim_grants(engine *e)
{
    for (uint32_t i = 0; i < e->asked_count; i++) {
        uint32_t channel = e->asked[i], h = e->requests[channel].winner, input = e->heads[h].input,
                 port = channel_of(e, input);
        if (i + FETCH_AHEAD < e->asked_count)
            fetch_winner(e, e->asked[i + FETCH_AHEAD]);
        e->requests[channel].count = 0;
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
    if (e->complete)
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

/* What cannot be sent now is looked at again when the link has ended with a packet, or a credit has
 * come. */
void fl_sim_send_from_queues(engine *e)
{
    for (uint32_t i = 0; i < e->sending_count; i++) {
        if (i + FETCH_AHEAD < e->sending_count)
            fetch_queue(e, e->sending[i + FETCH_AHEAD]);
        if (i + FETCH_AHEAD / 2 < e->sending_count)
            fl_sim_fetch_packet(
                e, e->outlets[e->sending[i + FETCH_AHEAD / 2] * e->channels_per_link].queue_first);
        e->feeds[e->sending[i]].is_sending = false;
        send_from_queues_of(e, e->sending[i]);
    }
    e->sending_count = 0;
}
