#include "sim/engine/engine.h"

#include <math.h>

/* Cycles from one birth to the next: geometric, which is a packet with probability birth_rate in
 * every cycle. */
static uint64_t gap(engine *e, fl_rng *rng)
{
    if (e->birth_rate >= 1)
        return 1;
    double u = ((double)fl_rng_next32(rng) + .5) / 4294967296.0,
           cycles = floor(log(u) / e->log_miss);
    return cycles < 1e15 ? 1 + (uint64_t)cycles : UINT64_C(1000000000000000);
}

/* Fixes the next packet of a source: when it is born, and where it goes. A bounded queue that is
 * full holds up the births: the packet is born when its predecessor by the queue's depth leaves, if
 * not later. */
static void next_birth(engine *e, uint32_t n, bool first)
{
    source *s = &e->sources[n];
    unsigned depth = e->plan->model.source_queue;
    if (FL_UNLIKELY(e->messages != NULL)) {
        s->number++;
        fl_sim_next_part(e, n);
        return;
    }
    s->born = first ? gap(e, &s->rng) - 1 : s->born + gap(e, &s->rng);
    if (depth > 0 && !first) {
        uint64_t left =
            s->number + 1 >= depth ? e->left_ring[(size_t)n * depth + (s->number + 1) % depth] : 0;
        s->born = left > s->born ? left : s->born;
    }
    s->number += !first;
    s->destination = fl_sim_traffic_next(e->plan->set_up.traffic, n, &s->rng);
}

static void note_birth(engine *e, uint64_t born)
{
    fl_sim_sample *sample = fl_sim_sample_at(e, born);
    e->out->generated += fl_sim_is_measured(e, born);
    if (sample)
        sample->generated++;
}

/* Births up to a cycle of packets that have not left. With `note` they are counted, and the source
 * is done with. */
static uint64_t backlog_of(engine *e, uint32_t n, uint64_t end, bool note)
{
    source *s = &e->sources[n], kept = *s;
    uint64_t births = 0, measured = 0;
    unsigned depth = e->plan->model.source_queue;
    while (s->born < end && (depth == 0 || births < depth)) {
        if (note)
            note_birth(e, s->born);
        measured += fl_sim_is_measured(e, s->born);
        births++;
        next_birth(e, n, false);
    }
    if (!note)
        *s = kept;
    return measured;
}

uint64_t fl_sim_backlog(engine *e, bool note)
{
    uint64_t sum = 0;
    if (e->messages) /* a message makes its packets as they leave */
        return 0;
    for (uint32_t n = 0; n < e->plan->network->nodes; n++)
        if (fl_sim_traffic_sends(e->plan->set_up.traffic, n))
            sum += backlog_of(e, n, e->now, note);
    return sum;
}

/* Of several looks the last counts. */
static void look_again_in(engine *e, uint32_t n, uint32_t delay)
{
    e->sources[n].wake = e->now + delay;
    fl_sim_note_event(e, &e->births[(e->now + delay) % BIRTH_SLOTS], SOURCE, n, NONE);
}

static void wait_for_birth(engine *e, uint32_t n)
{
    if (FL_UNLIKELY(e->sources[n].born == UINT64_MAX))
        return; /* it waits for a message */
    uint64_t delay = e->sources[n].born > e->now ? e->sources[n].born - e->now : 0;
    delay = delay == 0 ? 1 : delay < BIRTH_SLOTS ? delay : BIRTH_SLOTS - 1;
    look_again_in(e, n, (uint32_t)delay);
}

static bool counts(const engine *e, const source *s)
{
    switch (e->plan->model.stop) {
    case FL_SIM_STOP_CYCLES:
        return fl_sim_is_measured(e, s->born);
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
    uint32_t p = s->retry_first;
    if (FL_UNLIKELY(p != NONE)) {
        s->retry_first = e->packets[p].next;
        if (s->retry_first == NONE)
            s->retry_last = NONE;
        e->packets[p].next = NONE;
        e->retry_waiting--;
        return p;
    }
    p = fl_sim_new_packet(e);
    if (p == NONE)
        return p;
    packet *pk = &e->packets[p];
    *pk = (packet){
        .header.source = e->plan->node_address[n],
        .header.destination = e->plan->node_address[s->destination],
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
        e->watch->left(e->watch->user,
                       &(fl_sim_packet){n, s->destination, s->born, e->now, 0, 0, pk->counted});
    e->out->total_injected++;
    e->out->injected += e->measuring;
    note_birth(e, s->born);
    if (e->plan->model.source_queue > 0)
        e->left_ring[(size_t)n * e->plan->model.source_queue +
                     s->number % e->plan->model.source_queue] = e->now;
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_note_message(e, p, fl_sim_leaving_message(e, n));
    next_birth(e, n, false);
    return p;
}

void fl_sim_wake_source(engine *e, uint32_t n)
{
    source *s = &e->sources[n];
    if (s->waits || s->wake != e->now)
        return;
    uint32_t busy = e->busy[e->plan->ports + n];
    if (busy > e->now) {
        look_again_in(e, n, busy - e->now < BIRTH_SLOTS ? busy - e->now : BIRTH_SLOTS - 1);
        return;
    }
    if (s->born > e->now && s->retry_first == NONE) {
        wait_for_birth(e, n);
        return;
    }
    s->waits = true;
    e->waiting[e->waiting_count++] = n;
}

/* True when the source has nothing more to do in the coming cycles. */
static bool send_from(engine *e, uint32_t n)
{
    source *s = &e->sources[n];
    uint32_t channel = e->plan->ports + n, output = channel * e->channels_per_link;
    if (e->busy[channel] > e->now || e->credits[output] == 0)
        return false;
    if (e->wormhole && s->worm != NONE) {
        s->worm_sent++;
        fl_sim_send_flit(e, output, s->worm, false, s->worm_sent == e->length);
        if (s->worm_sent < e->length)
            return false;
        s->worm = NONE;
        return true;
    }
    if (FL_UNLIKELY(s->born > e->now &&
                    s->retry_first ==
                        NONE)) /* its link failed under a worm, and nothing has been born since */
        return true;
    uint32_t p = take_packet(e, n);
    if (p == NONE)
        return true;
    packet *pk = &e->packets[p];
    fl_candidate candidate;
    e->decision.candidates = &candidate;
    if (!fl_sim_add_request(e, pk, pk->header.source)) {
        if (!e->status)
            fl_sim_count_lost(e, pk, e->decision.reason);
        fl_sim_free_packet(e, p);
        return true;
    }
    fl_sim_take_candidate(e, pk, pk->header.source, &candidate);
    if (e->wormhole) {
        fl_sim_send_flit(e, output, p, true, e->length == 1);
        s->worm = e->length > 1 ? p : NONE;
        s->worm_sent = 1;
        return e->length == 1;
    }
    e->busy[channel] = e->now + e->length;
    fl_sim_send_packet(e, output, p);
    return true;
}

void fl_sim_send_from_sources(engine *e)
{
    uint32_t kept = 0;
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_end_delays(e);
    for (uint32_t i = 0; i < e->waiting_count; i++) {
        uint32_t n = e->waiting[i];
        source *s = &e->sources[n];
        if (e->credits[(e->plan->ports + n) * e->channels_per_link] == 0 &&
            e->busy[e->plan->ports + n] <= e->now + 1) {
            s->starved = e->complete; /* nothing can leave */
            if (!s->starved)
                e->waiting[kept++] = n;
            continue;
        }
        bool idle = send_from(e, n),
             more = !idle || s->born <= e->now + 1 || s->retry_first != NONE;
        uint32_t busy = e->busy[e->plan->ports + n];
        if (more && busy <= e->now + 1) {
            e->waiting[kept++] = n;
            continue;
        }
        s->waits = false;
        if (more)
            look_again_in(e, n, busy - e->now < BIRTH_SLOTS ? busy - e->now : BIRTH_SLOTS - 1);
        else
            wait_for_birth(e, n);
    }
    e->waiting_count = kept;
}

void fl_sim_feed_source(engine *e, uint32_t n)
{
    if (!e->sources[n].starved)
        return;
    e->sources[n].starved = false;
    e->waiting[e->waiting_count++] = n;
}

bool fl_sim_make_sources(engine *e, uint64_t seed)
{
    const fl_sim_plan *plan = e->plan;
    bool good = true;
    e->sources = fl_sim_numbers((size_t)plan->network->nodes, sizeof *e->sources, 0, &good);
    e->waiting = fl_sim_numbers((size_t)plan->network->nodes, sizeof *e->waiting, 0, &good);
    e->left_ring = fl_sim_numbers((size_t)plan->network->nodes * plan->model.source_queue,
                                  sizeof *e->left_ring, 0, &good);
    for (uint32_t n = 0; good && n < plan->network->nodes; n++) {
        source *s = &e->sources[n];
        s->retry_first = s->retry_last = s->worm = NONE;
        s->born = UINT64_MAX;
        fl_rng_seed(&s->rng, seed, FL_PURPOSE_TRAFFIC, n);
        if (plan->set_up.workload || !fl_sim_traffic_sends(plan->set_up.traffic, n) ||
            e->birth_rate <= 0)
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
    return good && (!plan->set_up.workload || fl_sim_make_messages(e));
}
