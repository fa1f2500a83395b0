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

enum { CYCLES_BETWEEN_PROGRESS = 4096 };

static void fail(engine *e, fl_status status)
{
    if (!e->status)
        e->status = status;
}

static void out_of_memory(engine *e)
{
    if (!e->status)
        e->status = fl_fail(e->error, FL_ERR_MEMORY, "out of memory for the packets of %s", e->plan->network->spec);
}

/* ---- events ---- */

static void note_event(engine *e, event_list *list, enum event_kind kind, uint32_t at, uint32_t p)
{
    if (FL_UNLIKELY(list->count == list->room)) {
        uint32_t room = list->room ? 2 * list->room : 64;
        event *events = realloc(list->events, room * sizeof *events);
        if (!events) {
            out_of_memory(e);
            return;
        }
        list->events = events;
        list->room = room;
    }
    list->events[list->count++] = (event){kind, at, p};
}

static void schedule(engine *e, uint32_t delay, enum event_kind kind, uint32_t at, uint32_t p)
{
    note_event(e, &e->wheel[(e->now + delay) & e->wheel_mask], kind, at, p);
}

/* ---- packets ---- */

static uint32_t new_packet(engine *e)
{
    uint32_t p = e->free_packet;
    if (FL_UNLIKELY(p == NONE)) {
        uint32_t room = e->packet_room ? 2 * e->packet_room : 256;
        packet *packets = realloc(e->packets, room * sizeof *packets);
        if (!packets) {
            out_of_memory(e);
            return NONE;
        }
        for (uint32_t i = e->packet_room; i < room; i++)
            packets[i].next = i + 1 < room ? i + 1 : NONE;
        p = e->packet_room;
        e->packets = packets;
        e->packet_room = room;
    }
    e->free_packet = e->packets[p].next;
    e->packets[p].serial = ++e->serials;
    e->packet_count++;
    if (e->packet_count > e->out->largest_in_flight)
        e->out->largest_in_flight = e->packet_count;
    return p;
}

static void free_packet(engine *e, uint32_t p)
{
    e->packets[p].next = e->free_packet;
    e->packets[p].serial = 0;
    e->free_packet = p;
    e->packet_count--;
}

static fl_sim_sample *sample_at(engine *e, uint64_t cycle)
{
    uint64_t i = e->plan->set_up.series ? cycle / e->plan->set_up.series : e->out->series_length;
    return i < e->out->series_length ? &e->out->series[i] : NULL;
}

/* Counted packets that are gone, one way or the other. */
static void settle(engine *e, const packet *pk)
{
    e->done += pk->counted;
}

static void count_lost(engine *e, const packet *pk, unsigned why)
{
    fl_sim_sample *sample = sample_at(e, e->now);
    e->out->lost[why]++;
    e->lost_total++;
    e->lost_measured += e->measuring;
    settle(e, pk);
    if (sample)
        sample->lost++;
}

static void count_latency(engine *e, const packet *pk)
{
    uint64_t latency = e->now - pk->born;
    fl_sim_result *out = e->out;
    uint8_t batch = pk->batch;
    if (e->plan->model.stop == FL_SIM_STOP_PER_DESTINATION) {
        uint64_t target = e->plan->model.packets * e->plan->network->nodes;
        batch = (uint8_t)(out->counted * FL_SIM_BATCHES / target);
        batch = batch < FL_SIM_BATCHES ? batch : FL_SIM_BATCHES - 1;
    }
    out->counted++;
    out->latency_sum += latency;
    out->network_latency_sum += e->now - pk->left;
    out->hop_sum += pk->hops;
    out->latency_max = latency > out->latency_max ? latency : out->latency_max;
    e->meter->bins[fl_sim_bin_of(latency)]++;
    e->meter->batch_sum[batch] += (double)latency;
    e->meter->batch_count[batch]++;
}

static void deliver(engine *e, uint32_t p)
{
    packet *pk = &e->packets[p];
    if (FL_UNLIKELY(pk->dead)) {
        free_packet(e, p);
        return;
    }
    fl_sim_sample *sample = sample_at(e, e->now);
    e->out->total_delivered++;
    e->out->received += e->measuring;
    if (pk->counted)
        count_latency(e, pk);
    settle(e, pk);
    if (FL_UNLIKELY(e->watch && e->watch->arrived))
        e->watch->arrived(e->watch->user, &(fl_sim_packet){pk->source, pk->destination, pk->born, pk->left, e->now, pk->hops, pk->counted});
    if (sample) {
        sample->delivered++;
        sample->latency_sum += e->now - pk->born;
    }
    free_packet(e, p);
}

/* ---- sources ---- */

/* Cycles from one birth to the next: geometric, which is a packet with probability birth_rate in every cycle. */
static uint64_t gap(engine *e, fl_rng *rng)
{
    if (e->birth_rate >= 1)
        return 1;
    double u = ((double)fl_rng_next32(rng) + .5) / 4294967296.0, cycles = floor(log(u) / e->log_miss);
    return cycles < 1e15 ? 1 + (uint64_t)cycles : UINT64_C(1000000000000000);
}

static bool is_measured(const engine *e, uint64_t cycle)
{
    return cycle >= e->first_measured && cycle < e->beyond_measured;
}

/* Fixes the next packet of a source: when it is born, and where it goes. A bounded queue that is full holds up the
 * births: the packet is born when its predecessor by the queue's depth leaves, if not later. */
static void next_birth(engine *e, uint32_t n, bool first)
{
    source *s = &e->sources[n];
    unsigned depth = e->plan->model.source_queue;
    s->born = first ? gap(e, &s->rng) - 1 : s->born + gap(e, &s->rng);
    if (depth > 0 && !first) {
        uint64_t left = s->number + 1 > depth ? e->left_ring[(size_t)n * depth + (s->number + 1) % depth] : 0;
        s->born = left > s->born ? left : s->born;
    }
    s->number += !first;
    s->destination = fl_sim_traffic_next(e->plan->set_up.traffic, n, &s->rng);
}

static void note_birth(engine *e, uint64_t born)
{
    fl_sim_sample *sample = sample_at(e, born);
    e->out->generated += is_measured(e, born);
    if (sample)
        sample->generated++;
}

/* Births up to a cycle of packets that have not left. With `note` they are counted, and the source is done with. */
static uint64_t backlog_of(engine *e, uint32_t n, uint64_t beyond, bool note)
{
    source *s = &e->sources[n], kept = *s;
    uint64_t births = 0, measured = 0;
    unsigned depth = e->plan->model.source_queue;
    while (s->born < beyond && (depth == 0 || births < depth)) {
        if (note)
            note_birth(e, s->born);
        measured += is_measured(e, s->born);
        births++;
        next_birth(e, n, false);
    }
    if (!note)
        *s = kept;
    return measured;
}

/* Of several wakes the last counts. */
static void wake_source(engine *e, uint32_t n, uint32_t delay)
{
    e->sources[n].wake = e->now + delay;
    note_event(e, &e->births[(e->now + delay) % BIRTH_SLOTS], SOURCE, n, NONE);
}

static void wait_for_birth(engine *e, uint32_t n)
{
    uint64_t delay = e->sources[n].born > e->now ? e->sources[n].born - e->now : 0;
    delay = delay == 0 ? 1 : delay < BIRTH_SLOTS ? delay : BIRTH_SLOTS - 1;
    wake_source(e, n, (uint32_t)delay);
}

static bool counts(const engine *e, const source *s)
{
    switch (e->plan->model.stop) {
    case FL_SIM_STOP_CYCLES:
        return is_measured(e, s->born);
    case FL_SIM_STOP_EACH_SOURCE:
        return s->number < e->plan->model.packets;
    default:
        return true;
    }
}

static uint8_t batch_of(const engine *e, const source *s)
{
    uint64_t at = s->number, all = e->plan->model.packets;
    if (!counts(e, s))
        return 0;
    if (e->plan->model.stop == FL_SIM_STOP_CYCLES) {
        at = s->born - e->first_measured;
        all = e->plan->model.cycles;
    }
    uint64_t batch = all ? at * FL_SIM_BATCHES / all : 0;
    return (uint8_t)(batch < FL_SIM_BATCHES ? batch : FL_SIM_BATCHES - 1);
}

/* The next packet of a source, or one that is tried again. */
static uint32_t take_packet(engine *e, uint32_t n)
{
    source *s = &e->sources[n];
    const fl_network *network = e->plan->network;
    uint32_t p = s->retry_first;
    if (FL_UNLIKELY(p != NONE)) {
        s->retry_first = e->packets[p].next;
        if (s->retry_first == NONE)
            s->retry_last = NONE;
        e->retry_waiting--;
        return p;
    }
    p = new_packet(e);
    if (p == NONE)
        return p;
    packet *pk = &e->packets[p];
    *pk = (packet){
        .header.source = network->type->node_address(network, n),
        .header.destination = network->type->node_address(network, s->destination),
        .born = s->born,
        .left = e->now,
        .source = n,
        .destination = s->destination,
        .next = NONE,
        .serial = pk->serial,
        .counted = counts(e, s),
        .batch = batch_of(e, s),
    };
    if (FL_UNLIKELY(e->watch && e->watch->left))
        e->watch->left(e->watch->user, &(fl_sim_packet){n, s->destination, s->born, e->now, 0, 0, pk->counted});
    e->out->total_injected++;
    e->out->injected += e->measuring;
    note_birth(e, s->born);
    if (e->plan->model.source_queue > 0)
        e->left_ring[(size_t)n * e->plan->model.source_queue + s->number % e->plan->model.source_queue] = e->now;
    next_birth(e, n, false);
    return p;
}

/* ---- asking the router ---- */

/* Outputs of the ways that it offers; false if the packet is blocked (or the router broken). */
static bool ask(engine *e, packet *pk, fl_address here)
{
    e->view.here = here;
    e->view.holds_until = FL_NEVER_FAILS;
    fl_router_ask(e->plan->set_up.router, &pk->header, &e->view, &e->decision);
    if (FL_UNLIKELY(e->view.peeked)) {
        fail(e, fl_router_broken(e->plan->set_up.router, here, fl_view_offence(&e->view), e->error));
        return false;
    }
    return e->decision.count > 0;
}

/* ---- queues at inputs ---- */

static void activate(engine *e, uint32_t input);

static void return_credit(engine *e, uint32_t input, uint32_t delay)
{
    uint32_t output = output_before(e, input);
    if (delay == 0)
        e->credits[output]++;
    else
        schedule(e, delay, CREDIT, output, NONE);
}

static uint32_t pop(engine *e, uint32_t input)
{
    uint32_t p = e->first[input];
    e->first[input] = e->packets[p].next;
    if (e->first[input] == NONE)
        e->last[input] = NONE;
    e->packets[p].next = NONE;
    return p;
}

static void push(engine *e, uint32_t input, uint32_t p)
{
    packet *pk = &e->packets[p];
    pk->arrived = e->now;
    pk->next = NONE;
    if (e->last[input] == NONE)
        e->first[input] = p;
    else
        e->packets[e->last[input]].next = p;
    e->last[input] = p;
    if (e->first[input] == p && !e->moving[input])
        activate(e, input);
}

/* ---- what routers answered ---- */

static unsigned block_of(unsigned ways)
{
    unsigned block = 0;
    while (1u << block < ways)
        block++;
    return block;
}

/* A free block of the outputs' pool; its first entry links free ones. */
static uint32_t new_outputs(engine *e, unsigned block)
{
    uint32_t at = e->free_outputs[block];
    if (at != NONE) {
        e->free_outputs[block] = e->outputs[at];
        return at;
    }
    if (e->outputs_used + (1u << block) > e->outputs_room) {
        uint32_t room = e->outputs_room ? 2 * e->outputs_room : 1024;
        uint32_t *outputs = realloc(e->outputs, room * sizeof *outputs);
        if (!outputs) {
            out_of_memory(e);
            return NONE;
        }
        e->outputs = outputs;
        e->outputs_room = room;
    }
    at = e->outputs_used;
    e->outputs_used += 1u << block;
    return at;
}

static uint32_t new_ways(engine *e, unsigned block)
{
    uint32_t at = e->free_ways[block];
    if (at != NONE) {
        e->free_ways[block] = (uint32_t)e->ways[at].memory;
        return at;
    }
    if (e->ways_used + (1u << block) > e->ways_room) {
        uint32_t room = e->ways_room ? 2 * e->ways_room : 64;
        fl_way *ways = realloc(e->ways, room * sizeof *ways);
        if (!ways) {
            out_of_memory(e);
            return NONE;
        }
        e->ways = ways;
        e->ways_room = room;
    }
    at = e->ways_used;
    e->ways_used += 1u << block;
    return at;
}

static void forget_ways(engine *e, const head *hd)
{
    if (hd->ways > 1) {
        unsigned block = block_of(hd->ways);
        e->outputs[hd->only] = e->free_outputs[block];
        e->free_outputs[block] = hd->only;
    }
    if (hd->full != NONE) {
        unsigned block = block_of(hd->ways);
        e->ways[hd->full].memory = e->free_ways[block];
        e->free_ways[block] = hd->full;
    }
}

static bool is_plain(const fl_decision *decision)
{
    bool plain = true;
    for (unsigned i = 0; i < decision->count; i++) {
        const fl_way *way = &decision->ways[i];
        plain &= way->length == 1 && way->rule == FL_NO_RULE && way->turn == 0 && way->memory == decision->ways[0].memory;
    }
    return plain;
}

/* The way that was chosen, as the router offered it (but for its end, which nobody reads any more). */
static fl_way chosen_way(const engine *e, const head *hd)
{
    if (hd->full != NONE)
        return e->ways[hd->full + hd->chosen];
    uint32_t output = output_at(e, hd, hd->chosen), channel = channel_of(e, output);
    return (fl_way){.ports = {(fl_port)(channel - hd->at * e->radix)}, .length = 1, .rule = FL_NO_RULE, .memory = hd->memory,
                    .channel = (uint8_t)(output - channel * e->channels_per_link)};
}

static uint32_t new_head(engine *e)
{
    if (e->free_head_count > 0)
        return e->free_heads[--e->free_head_count];
    if (e->head_count == e->head_room) {
        uint32_t room = e->head_room ? 2 * e->head_room : 64;
        head *heads = realloc(e->heads, room * sizeof *heads);
        e->heads = heads ? heads : e->heads;
        uint32_t *free_heads = realloc(e->free_heads, room * sizeof *free_heads);
        e->free_heads = free_heads ? free_heads : e->free_heads;
        uint32_t *active = realloc(e->active, room * sizeof *active);
        e->active = active ? active : e->active;
        if (!heads || !free_heads || !active) {
            out_of_memory(e);
            return NONE;
        }
        e->head_room = room;
    }
    return e->head_count++;
}

static void drop_head(engine *e, uint32_t h)
{
    uint32_t place = e->heads[h].place, moved = e->active[--e->active_count];
    e->active[place] = moved;
    e->heads[moved].place = place;
    forget_ways(e, &e->heads[h]);
    e->free_heads[e->free_head_count++] = h;
}

/* A packet that its router gives up leaves its place when its last flit is there. */
static void give_up(engine *e, uint32_t input, uint32_t h)
{
    uint32_t p = e->first[input];
    packet *pk = &e->packets[p];
    if (!pk->dead)
        count_lost(e, pk, e->decision.reason);
    pop(e, input);
    if (e->wormhole) {
        e->heads[h].worm = e->heads[h].vanishing = true;
        free_packet(e, p);
        e->heads[h].packet = NONE;
        e->moving[input] = true;
        return;
    }
    uint32_t whole = pk->arrived + e->length, delay = whole > e->now ? whole - e->now : 1;
    free_packet(e, p);
    e->moving[input] = true;
    drop_head(e, h);
    schedule(e, delay, RELEASE, input, NONE);
}

/* The output of a way; NONE after an offer that cannot be. */
static uint32_t output_for(engine *e, const fl_way *way, uint32_t s)
{
    uint32_t channel = s * e->radix + way->ports[0];
    const char *wrong = NULL;
    if (FL_UNLIKELY(way->length == 0 || way->length > FL_DETOUR_MAX || way->ports[0] >= e->radix || e->plan->to[channel] == FL_SIM_UNPLUGGED))
        wrong = "offers a port where nothing is plugged in";
    else if (FL_UNLIKELY(e->down[channel]))
        wrong = "offers a link that is down";
    else if (FL_UNLIKELY(way->channel >= e->channels_per_link))
        wrong = "offers a virtual channel that there is not";
    if (FL_LIKELY(!wrong))
        return channel * e->channels_per_link + way->channel;
    fail(e, fl_router_broken(e->plan->set_up.router, e->view.here, wrong, e->error));
    return NONE;
}

/* Keeps what the router answered. */
static void keep_ways(engine *e, uint32_t h, uint32_t s)
{
    head *hd = &e->heads[h];
    unsigned count = e->decision.count, block = block_of(count);
    uint32_t outputs[FL_SIM_WAYS_MAX];
    for (unsigned i = 0; i < count; i++)
        if ((outputs[i] = output_for(e, &e->decision.ways[i], s)) == NONE)
            return;
    uint32_t at = count == 1 ? outputs[0] : new_outputs(e, block);
    if (at == NONE)
        return;
    if (count > 1)
        memcpy(&e->outputs[at], outputs, count * sizeof *outputs);
    hd->only = at;
    hd->memory = e->decision.ways[0].memory;
    hd->ways = (uint16_t)count;
    if (FL_LIKELY(is_plain(&e->decision)) || (hd->full = new_ways(e, block)) == NONE)
        return;
    memcpy(&e->ways[hd->full], e->decision.ways, count * sizeof *e->ways);
}

static void route(engine *e, uint32_t input)
{
    uint32_t h = new_head(e), port = channel_of(e, input), s = port / e->radix, p = e->first[input];
    if (h == NONE)
        return;
    packet *pk = &e->packets[p];
    e->heads[h] = (head){.input = input, .packet = p, .at = s, .place = e->active_count, .since = e->now, .output = NONE, .full = NONE};
    e->active[e->active_count++] = h;
    e->decision.ways = e->asked_ways;
    if (FL_LIKELY(ask(e, pk, e->plan->switch_address[s])))
        keep_ways(e, h, s);
    else if (!e->status)
        give_up(e, input, h);
}

/* A packet has come to the front. */
static void activate(engine *e, uint32_t input)
{
    const packet *pk = &e->packets[e->first[input]];
    uint32_t ready = e->now;
    if (e->store_and_forward && pk->arrived + e->length - 1 > ready)
        ready = pk->arrived + e->length - 1;
    ready += e->plan->model.routing_delay;
    if (ready > e->now)
        schedule(e, ready - e->now, WAKE, input, NONE);
    else
        route(e, input);
}

static void arrive(engine *e, uint32_t input, uint32_t p)
{
    if (FL_UNLIKELY(e->packets[p].dead)) {
        free_packet(e, p);
        return_credit(e, input, e->length + e->plan->model.credit_delay - 1);
        return;
    }
    if (e->wormhole)
        e->flits[input]++;
    push(e, input, p);
}

static void release(engine *e, uint32_t input)
{
    e->moving[input] = false;
    if (!e->wormhole) /* of a worm every flit gave its place back by itself */
        return_credit(e, input, e->plan->model.credit_delay - 1);
    if (e->first[input] != NONE)
        activate(e, input);
}

static void wake_up(engine *e, uint32_t n)
{
    source *s = &e->sources[n];
    if (s->waits || s->wake != e->now)
        return;
    uint32_t busy = e->busy[e->plan->ports + n];
    if (busy > e->now) {
        wake_source(e, n, busy - e->now < BIRTH_SLOTS ? busy - e->now : BIRTH_SLOTS - 1);
        return;
    }
    if (s->born > e->now && s->retry_first == NONE) {
        wait_for_birth(e, n);
        return;
    }
    s->waits = true;
    e->waiting[e->waiting_count++] = n;
}

static void happen(engine *e, const event *ev)
{
    switch ((enum event_kind)ev->kind) {
    case ARRIVE:
        arrive(e, ev->at, ev->packet);
        break;
    case FLIT:
        e->flits[ev->at]++;
        break;
    case DELIVER:
        deliver(e, ev->packet);
        break;
    case RELEASE:
        release(e, ev->at);
        break;
    case CREDIT:
        e->credits[ev->at]++;
        break;
    case WAKE:
        route(e, ev->at);
        break;
    case SOURCE:
        wake_up(e, ev->at);
        break;
    case QUEUE_RELEASE:
        e->queue_free[ev->at]++;
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

/* A whole packet goes on a link: its head arrives after the latency, its tail length - 1 later. */
static void send_packet(engine *e, uint32_t output, uint32_t p)
{
    uint32_t channel = channel_of(e, output), to = e->plan->to[channel], latency = e->plan->latency[e->plan->link_class[channel]];
    use_credit(e, output);
    count_flits(e, channel, e->length);
    if (e->current)
        e->current[channel] = (sent){p, e->packets[p].serial};
    if (to & FL_SIM_NODE) {
        if (FL_UNLIKELY((to & ~FL_SIM_NODE) != e->packets[p].destination)) {
            fail(e, fl_router_broken(e->plan->set_up.router, e->plan->switch_address[channel / e->radix],
                                     "delivered a packet to the wrong node", e->error));
            return;
        }
        schedule(e, latency + e->length - 1, DELIVER, channel, p);
    } else {
        schedule(e, latency, ARRIVE, to * e->channels_per_link + (output - channel * e->channels_per_link), p);
    }
}

/* One flit of a worm; `p` goes with the first and (to a node) with the last. */
static void send_flit(engine *e, uint32_t output, uint32_t p, bool first, bool last)
{
    uint32_t channel = channel_of(e, output), to = e->plan->to[channel], latency = e->plan->latency[e->plan->link_class[channel]];
    use_credit(e, output);
    count_flits(e, channel, 1);
    if (to & FL_SIM_NODE) {
        if (FL_UNLIKELY((to & ~FL_SIM_NODE) != e->packets[p].destination)) {
            fail(e, fl_router_broken(e->plan->set_up.router, e->plan->switch_address[channel / e->radix],
                                     "delivered a packet to the wrong node", e->error));
            return;
        }
        if (last)
            schedule(e, latency, DELIVER, channel, p);
    } else {
        schedule(e, latency, first ? ARRIVE : FLIT, to * e->channels_per_link + (output - channel * e->channels_per_link), first ? p : NONE);
    }
}

static bool take_way(engine *e, packet *pk, fl_address here, const fl_way *way)
{
    fl_packet_take(&pk->header, here, way);
    if (FL_UNLIKELY(++pk->hops >= FL_WALK_HOPS_MAX)) {
        fail(e, fl_router_broken(e->plan->set_up.router, here, "never ends: a packet was still under way after 4096 links", e->error));
        return false;
    }
    return true;
}

/* ---- sources send ---- */

/* True when the source has nothing more to do in the coming cycles. */
static bool send_from(engine *e, uint32_t n)
{
    source *s = &e->sources[n];
    uint32_t channel = e->plan->ports + n, output = channel * e->channels_per_link;
    if (e->busy[channel] > e->now || e->credits[output] == 0)
        return false;
    if (e->wormhole && s->worm != NONE) {
        s->worm_sent++;
        send_flit(e, output, s->worm, false, s->worm_sent == e->length);
        if (s->worm_sent < e->length)
            return false;
        s->worm = NONE;
        return true;
    }
    uint32_t p = take_packet(e, n);
    if (p == NONE)
        return true;
    packet *pk = &e->packets[p];
    fl_way way;
    e->decision.ways = &way;
    if (!ask(e, pk, pk->header.source)) {
        if (!e->status)
            count_lost(e, pk, e->decision.reason);
        free_packet(e, p);
        return true;
    }
    take_way(e, pk, pk->header.source, &way);
    if (e->wormhole) {
        send_flit(e, output, p, true, e->length == 1);
        s->worm = e->length > 1 ? p : NONE;
        s->worm_sent = 1;
        return e->length == 1;
    }
    e->busy[channel] = e->now + e->length;
    send_packet(e, output, p);
    return true;
}

static void send_from_sources(engine *e)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->waiting_count; i++) {
        uint32_t n = e->waiting[i];
        source *s = &e->sources[n];
        bool idle = send_from(e, n), more = !idle || s->born <= e->now + 1 || s->retry_first != NONE;
        uint32_t busy = e->busy[e->plan->ports + n];
        if (more && busy <= e->now + 1) {
            e->waiting[kept++] = n;
            continue;
        }
        s->waits = false;
        if (more)
            wake_source(e, n, busy - e->now < BIRTH_SLOTS ? busy - e->now : BIRTH_SLOTS - 1);
        else
            wait_for_birth(e, n);
    }
    e->waiting_count = kept;
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
        return a->born != b->born ? a->born < b->born : a->source < b->source;
    default:
        return fl_rng_below32(&e->rng, asks) == 0;
    }
}

FL_INLINE void ask_for_channel(engine *e, uint32_t h, uint32_t channel)
{
    uint32_t asks = ++e->asks[channel];
    if (asks == 1) {
        e->asked[e->asked_count++] = channel;
        e->winner[channel] = h;
        return;
    }
    e->out->conflicts += e->measuring;
    if (FL_LIKELY(e->by_lot)) { /* each of `asks` in all is equally likely in the end */
        if (fl_rng_below32(&e->rng, asks) == 0)
            e->winner[channel] = h;
        return;
    }
    uint32_t key = channel_of(e, e->heads[h].input) % e->radix, other = channel_of(e, e->heads[e->winner[channel]].input) % e->radix;
    if (comes_before(e, h, e->winner[channel], asks, e->turn[channel], e->radix, key, other))
        e->winner[channel] = h;
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

/* Free places behind an output, 0 if it cannot be had in this cycle. `plain`: one-flit packets and no output FIFOs, so
 * that nothing is ever busy for longer than the cycle in which it was granted. */
FL_INLINE uint32_t space_at(const engine *e, uint32_t output, bool plain)
{
    if (plain)
        return e->credits[output];
    if (e->busy[channel_of(e, output)] > e->now)
        return 0;
    if (e->output_fifos)
        return e->queue_free[output] == 0 ? 0 : (uint32_t)e->queue_free[output] + e->credits[output];
    if (e->wormhole && e->owner[output] != NONE)
        return 0;
    return e->credits[output];
}

/* One of the `count` ways in a set, all equally likely. */
FL_INLINE uint32_t any_of(engine *e, uint32_t set, uint32_t count)
{
    uint32_t skip = count > 1 ? fl_rng_below32(&e->rng, count) : 0;
    while (skip-- > 0)
        set &= set - 1;
    return fl_lowest_bit(set);
}

/* Does it want something that it can have? */
FL_INLINE bool choose(engine *e, uint32_t h, bool plain)
{
    head *hd = &e->heads[h];
    if (hd->ways <= 1)
        return hd->ways == 1 && space_at(e, hd->only, plain) > 0; /* chosen is 0 from the beginning */
    const uint32_t *outputs = &e->outputs[hd->only];
    const uint16_t *credits = e->credits;
    uint32_t best = 1, equals = 0, count = 0, ways = hd->ways;
    bool most_free = e->most_free;
    for (unsigned i = 0; i < ways; i++) {
        uint32_t space = plain ? credits[outputs[i]] : space_at(e, outputs[i], false);
        if (space > best && most_free) {
            best = space;
            equals = count = 0;
        }
        equals |= (uint32_t)(space >= best) << i;
        count += space >= best;
    }
    if (equals)
        hd->chosen = any_of(e, equals, count);
    return equals != 0;
}

static uint32_t flits_of(const engine *e, const head *hd)
{
    uint32_t left = e->length - hd->sent, here = e->flits[hd->input];
    return here < left ? here : left;
}

static bool worm_can_go(const engine *e, const head *hd)
{
    return flits_of(e, hd) > 0 && e->credits[hd->output] > 0;
}

/* One flit less at this input; the end of the worm lets the next packet come. */
static void pass_flit(engine *e, uint32_t h)
{
    head *hd = &e->heads[h];
    uint32_t input = hd->input;
    hd->sent++;
    hd->since = e->now;
    e->flits[input]--;
    schedule(e, e->plan->model.credit_delay, CREDIT, output_before(e, input), NONE);
    if (hd->sent < e->length)
        return;
    if (hd->output != NONE)
        e->owner[hd->output] = NONE;
    drop_head(e, h);
    schedule(e, 1, RELEASE, input, NONE);
}

static void request_plain(engine *e)
{
    const uint32_t *active = e->active;
    for (uint32_t i = 0, count = e->active_count; i < count; i++) {
        uint32_t h = active[i];
        if (choose(e, h, true))
            ask_for_channel(e, h, output_at(e, &e->heads[h], e->heads[h].chosen));
    }
}

static void request_all(engine *e)
{
    bool lanes = e->channels_per_link > 1;
    for (uint32_t i = 0; i < e->active_count; i++) {
        uint32_t h = e->active[i];
        const head *hd = &e->heads[h];
        if (hd->vanishing || (lanes && e->input_busy[channel_of(e, hd->input)] > e->now))
            continue;
        if (hd->worm ? !worm_can_go(e, hd) : !choose(e, h, false))
            continue;
        if (lanes)
            ask_for_crossbar(e, h, channel_of(e, hd->input));
        else
            ask_for_channel(e, h, channel_of(e, output_of(e, h)));
    }
    for (uint32_t i = 0; i < e->port_asked_count; i++) {
        uint32_t port = e->port_asked[i], h = e->port_winner[port];
        e->port_asks[port] = 0;
        ask_for_channel(e, h, channel_of(e, output_of(e, h)));
    }
    e->port_asked_count = 0;
}

static void let_vanish(engine *e)
{
    for (uint32_t i = e->active_count; i-- > 0;) {
        uint32_t h = e->active[i];
        if (e->heads[h].vanishing && flits_of(e, &e->heads[h]) > 0)
            pass_flit(e, h);
    }
}

static void enter_queue(engine *e, uint32_t output, uint32_t p)
{
    uint32_t channel = channel_of(e, output);
    e->queue_free[output]--;
    e->packets[p].next = NONE;
    if (e->queue_last[output] == NONE)
        e->queue_first[output] = p;
    else
        e->packets[e->queue_last[output]].next = p;
    e->queue_last[output] = p;
    if (!e->is_sending[channel]) {
        e->is_sending[channel] = true;
        e->sending[e->sending_count++] = channel;
    }
}

static void grant_flit(engine *e, uint32_t h, uint32_t output)
{
    head *hd = &e->heads[h];
    uint32_t p = hd->packet;
    bool first = !hd->worm;
    if (first) {
        fl_way way = chosen_way(e, hd);
        if (!take_way(e, &e->packets[p], e->plan->switch_address[hd->at], &way))
            return;
        pop(e, hd->input);
        e->moving[hd->input] = true;
        hd->worm = true;
        hd->output = output;
        e->owner[output] = hd->input;
    }
    send_flit(e, output, p, first, hd->sent + 1u == e->length);
    pass_flit(e, h);
}

static void grant_packet(engine *e, uint32_t h, uint32_t output)
{
    const head *hd = &e->heads[h];
    uint32_t input = hd->input, p = hd->packet, port = channel_of(e, input), channel = channel_of(e, output);
    fl_way way = chosen_way(e, hd);
    if (!take_way(e, &e->packets[p], e->plan->switch_address[hd->at], &way))
        return;
    pop(e, input);
    e->moving[input] = true;
    e->busy[channel] = e->now + e->length;
    if (e->input_busy)
        e->input_busy[port] = e->now + e->length;
    drop_head(e, h);
    if (e->output_fifos)
        enter_queue(e, output, p);
    else
        send_packet(e, output, p);
    schedule(e, e->length, RELEASE, input, NONE);
}

static void grant_all(engine *e)
{
    for (uint32_t i = 0; i < e->asked_count; i++) {
        uint32_t channel = e->asked[i], h = e->winner[channel], input = e->heads[h].input, port = channel_of(e, input);
        e->asks[channel] = 0;
        if (!e->by_lot)
            e->turn[channel] = port % e->radix;
        if (e->port_turn)
            e->port_turn[port] = input % e->channels_per_link;
        if (e->wormhole)
            grant_flit(e, h, output_of(e, h));
        else
            grant_packet(e, h, output_of(e, h));
    }
    e->asked_count = 0;
}

/* ---- output FIFOs feed their links ---- */

static uint32_t leave_queue(engine *e, uint32_t output)
{
    uint32_t p = e->queue_first[output];
    e->queue_first[output] = e->packets[p].next;
    if (e->queue_first[output] == NONE)
        e->queue_last[output] = NONE;
    schedule(e, e->length, QUEUE_RELEASE, output, NONE);
    return p;
}

static bool send_from_queues_of(engine *e, uint32_t channel)
{
    unsigned lanes = e->channels_per_link;
    bool more = false;
    for (unsigned i = 1; i <= lanes; i++) {
        unsigned lane = (e->queue_turn[channel] + i) % lanes;
        uint32_t output = channel * lanes + lane;
        if (e->queue_first[output] == NONE)
            continue;
        if (e->link_busy[channel] > e->now || e->credits[output] == 0) {
            more = true;
            continue;
        }
        e->link_busy[channel] = e->now + e->length;
        e->queue_turn[channel] = lane;
        send_packet(e, output, leave_queue(e, output));
        more |= e->queue_first[output] != NONE;
    }
    return more;
}

static void send_from_queues(engine *e)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->sending_count; i++) {
        uint32_t channel = e->sending[i];
        if (send_from_queues_of(e, channel))
            e->sending[kept++] = channel;
        else
            e->is_sending[channel] = false;
    }
    e->sending_count = kept;
}

/* ---- links that fail ---- */

/* A packet that was cut. What has passed goes on as a husk, and counts nowhere any more. */
static void cut(engine *e, uint32_t p)
{
    if (e->packets[p].dead)
        return;
    e->packets[p].dead = true;
    if (e->plan->model.on_failure == FL_SIM_LOSE) {
        count_lost(e, &e->packets[p], FL_SIM_LOST_ON_LINK);
        return;
    }
    uint32_t again = new_packet(e);
    if (again == NONE)
        return;
    packet *pk = &e->packets[again];
    uint32_t serial = pk->serial;
    *pk = e->packets[p];
    pk->serial = serial;
    source *s = &e->sources[pk->source];
    pk->header = (fl_packet){.source = pk->header.source, .destination = pk->header.destination};
    pk->hops = 0;
    pk->dead = false;
    pk->next = NONE;
    if (s->retry_last == NONE)
        s->retry_first = again;
    else
        e->packets[s->retry_last].next = again;
    s->retry_last = again;
    e->retry_waiting++;
    e->out->retried++;
    fl_sim_sample *sample = sample_at(e, e->now);
    if (sample)
        sample->retried++;
    if (!s->waits)
        e->waiting[e->waiting_count++] = pk->source;
    s->waits = true;
}

static void empty_queue(engine *e, uint32_t output)
{
    while (e->queue_first[output] != NONE) {
        uint32_t p = leave_queue(e, output);
        cut(e, p);
        free_packet(e, p);
    }
}

static void fail_channel(engine *e, uint32_t channel)
{
    e->down[channel] = true;
    uint32_t to = e->plan->to[channel];
    for (uint32_t slot = 0; slot <= e->wheel_mask; slot++) {
        const event_list *list = &e->wheel[slot];
        for (uint32_t i = 0; i < list->count; i++) {
            const event *ev = &list->events[i];
            if ((ev->kind == DELIVER && ev->at == channel) || (ev->kind == ARRIVE && channel_of(e, ev->at) == to && !(to & FL_SIM_NODE)))
                cut(e, ev->packet);
        }
    }
    uint32_t until = e->output_fifos && channel < e->plan->ports ? e->link_busy[channel] : e->busy[channel];
    /* A packet that was blocked beyond the link is gone, though its tail still comes. */
    sent last = e->current[channel];
    if (until > e->now && e->packets[last.packet].serial == last.serial)
        cut(e, last.packet);
    for (unsigned lane = 0; e->output_fifos && lane < e->channels_per_link; lane++)
        empty_queue(e, channel * e->channels_per_link + lane);
}

/* Decisions were made with the link up: routers are asked again. */
static void route_anew(engine *e)
{
    uint32_t count = e->active_count;
    uint32_t *inputs = malloc((count ? count : 1) * sizeof *inputs);
    if (!inputs) {
        out_of_memory(e);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = e->heads[e->active[i]].input;
        forget_ways(e, &e->heads[e->active[i]]);
        e->free_heads[e->free_head_count++] = e->active[i];
    }
    e->active_count = 0;
    for (uint32_t i = 0; i < count; i++)
        route(e, inputs[i]);
    free(inputs);
}

static void fail_links(engine *e)
{
    const fl_sim_set_up *s = &e->plan->set_up;
    bool any = false;
    for (; e->next_failure < s->failure_count && s->failures[e->next_failure].cycle <= e->now; e->next_failure++) {
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
        fail_channel(e, channels[0]);
        fail_channel(e, channels[1]);
        any = true;
    }
    if (any) {
        fl_order_forget(e->order);
        route_anew(e);
    }
}

/* ---- cycles ---- */

static void happen_all(engine *e, event_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        happen(e, &list->events[i]);
    list->count = 0;
}

static void run_cycle(engine *e)
{
    e->measuring = is_measured(e, e->now);
    if (FL_UNLIKELY(e->next_failure < e->plan->set_up.failure_count) && e->plan->set_up.failures[e->next_failure].cycle <= e->now)
        fail_links(e);
    happen_all(e, &e->wheel[e->now & e->wheel_mask]);
    happen_all(e, &e->births[e->now % BIRTH_SLOTS]);
    send_from_sources(e);
    if (e->plain)
        request_plain(e);
    else
        request_all(e);
    grant_all(e);
    if (e->wormhole)
        let_vanish(e);
    if (e->output_fifos)
        send_from_queues(e);
    e->now++;
}

static uint64_t backlog(engine *e, bool note)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < e->plan->network->nodes; n++)
        if (fl_sim_traffic_sends(e->plan->set_up.traffic, n))
            sum += backlog_of(e, n, e->now, note);
    return sum;
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
    if (e->now < e->beyond_measured)
        return false;
    if (e->now == e->beyond_measured) {
        uint64_t waiting = backlog(e, false), generated = out->generated + waiting;
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

static void run(engine *e)
{
    const fl_sim_watch *watch = e->watch;
    uint32_t patience = patience_of(e->plan), next_look = patience;
    while (!e->status && !is_over(e)) {
        run_cycle(e);
        if (FL_UNLIKELY(e->now == next_look)) {
            next_look += patience;
            if (fl_sim_find_deadlock(e, patience))
                return;
        }
        if (FL_UNLIKELY(e->now % CYCLES_BETWEEN_PROGRESS == 0) && watch && watch->progress && !watch->progress(watch->user, e->now)) {
            e->out->stopped = true;
            return;
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
    uint64_t waiting = backlog(e, true);
    if (m->stop == FL_SIM_STOP_CYCLES) {
        out->outstanding = out->generated > e->done ? out->generated - e->done : 0;
        out->saturated |= out->outstanding > 0 && e->now >= e->beyond_measured + m->drain;
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
}

/* ---- making ---- */

static bool make_sources(engine *e, uint64_t seed)
{
    const fl_sim_plan *plan = e->plan;
    bool good = true;
    e->sources = fl_sim_numbers((size_t)plan->network->nodes, sizeof *e->sources, 0, &good);
    e->waiting = fl_sim_numbers((size_t)plan->network->nodes, sizeof *e->waiting, 0, &good);
    e->left_ring = fl_sim_numbers((size_t)plan->network->nodes * plan->model.source_queue, sizeof *e->left_ring, 0, &good);
    for (uint32_t n = 0; good && n < plan->network->nodes; n++) {
        source *s = &e->sources[n];
        s->retry_first = s->retry_last = s->worm = NONE;
        s->born = UINT64_MAX;
        fl_rng_seed(&s->rng, seed, FL_PURPOSE_TRAFFIC, n);
        if (!fl_sim_traffic_sends(plan->set_up.traffic, n) || e->birth_rate <= 0)
            continue;
        next_birth(e, n, true);
        if (s->born == 0) {
            s->waits = true;
            e->waiting[e->waiting_count++] = n;
        } else {
            wait_for_birth(e, n);
        }
    }
    fl_rng_seed(&e->rng, seed, FL_PURPOSE_ROUTING, 0);
    return good;
}

static bool make(engine *e, uint64_t seed)
{
    const fl_sim_model *m = &e->plan->model;
    e->radix = e->plan->network->radix;
    e->channels_per_link = e->plan->virtual_channels;
    e->length = m->packet_flits;
    e->wormhole = m->switching == FL_SIM_WORMHOLE;
    e->store_and_forward = m->switching == FL_SIM_STORE_AND_FORWARD;
    e->output_fifos = m->output_fifo > 0;
    e->plain = e->length == 1 && !e->wormhole && !e->output_fifos && e->channels_per_link == 1;
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
    return e->meter && e->asked_ways && fl_sim_allocate(e) && make_sources(e, seed);
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
        out_of_memory(&e);
    if (!e.status) {
        run(&e);
        conclude(&e);
    }
    if (!e.status && !fl_order_is_sound(e.order))
        out_of_memory(&e);
    fl_sim_clear(&e);
    if (e.status)
        fl_sim_result_clear(out);
    return e.status;
}
