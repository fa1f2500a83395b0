/* What leaves the nodes. */
#include "sim/engine/steps.h"

/* Fixes the next packet of a source. */
static void next_packet(engine *e, uint32_t n)
{
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_next_of_message(e->messages, n);
    else
        fl_sim_next_birth(&e->sources, e->plan, n);
}

/* Births before now of packets that have not left, as far as they were in measured cycles. */
static uint64_t backlog_of(engine *e, uint32_t n, bool end)
{
    source *s = &e->sources.list[n], kept = *s;
    uint64_t births = 0, measured = 0;
    unsigned depth = e->plan->model.source_queue;
    while (s->born < e->calendar.now && (depth == 0 || births < depth)) {
        if (end)
            fl_sim_count_birth(&e->measure, s->born);
        measured += fl_sim_is_measured(&e->measure, s->born);
        births++;
        fl_sim_next_birth(&e->sources, e->plan, n);
    }
    if (!end)
        *s = kept;
    return measured;
}

uint64_t fl_sim_backlog(engine *e, bool end)
{
    uint64_t sum = 0;
    if (e->messages) /* a message makes its packets as they leave */
        return 0;
    for (uint32_t n = 0; n < e->plan->network->nodes; n++)
        if (fl_sim_traffic_sends(e->plan->set_up.traffic, n))
            sum += backlog_of(e, n, end);
    return sum;
}

static bool counts(const engine *e, const source *s)
{
    switch (e->plan->model.stop) {
    case FL_SIM_STOP_CYCLES:
        return fl_sim_is_measured(&e->measure, s->born);
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
        at = s->born - e->measure.first;
        all = e->plan->model.cycles;
    }
    uint64_t batch = all ? at * FL_SIM_BATCHES / all : 0;
    return (uint8_t)(batch < FL_SIM_BATCHES ? batch : FL_SIM_BATCHES - 1);
}

static void fill_packet(const engine *e, packet *pk, uint32_t n)
{
    const source *s = &e->sources.list[n];
    *pk = (packet){
        .header.source = e->plan->node_address[n],
        .header.destination = e->plan->node_address[s->destination],
        .born = s->born,
        .left = e->calendar.now,
        .source = n,
        .destination = s->destination,
        .next = NONE,
        .serial = pk->serial,
        .counted = counts(e, s),
        .batch = batch_of(e, s),
    };
}

/* The next packet of a source, or one that came back; NONE and status: no memory. */
static uint32_t take_packet(engine *e, uint32_t n)
{
    uint32_t p = fl_sim_take_retry(&e->sources, &e->packets, n);
    if (FL_UNLIKELY(p != NONE))
        return p;
    p = fl_sim_new_packet(&e->packets);
    if (p == NONE)
        return p;
    packet *pk = &e->packets.list[p];
    fill_packet(e, pk, n);
    if (FL_UNLIKELY(e->watch && e->watch->left))
        e->watch->left(e->watch->user,
                       &(fl_sim_packet){n, pk->destination, pk->born, pk->left, 0, 0, pk->counted});
    e->measure.out->total_injected++;
    e->measure.out->injected += e->measure.measuring;
    fl_sim_count_birth(&e->measure, pk->born);
    fl_sim_note_leaving(&e->sources, e->plan, n, e->calendar.now);
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_note_message(e->messages, p, fl_sim_leaving_message(e->messages, n),
                            e->packets.room);
    next_packet(e, n);
    return p;
}

/* Another flit of the worm that is leaving. True: it was the last. */
static bool send_next_flit(engine *e, source *s, uint32_t output)
{
    s->worm_sent++;
    fl_sim_send_flit(e, output, s->worm, false, s->worm_sent == e->mode.length);
    if (s->worm_sent < e->mode.length)
        return false;
    s->worm = NONE;
    return true;
}

/* True when the source has nothing more to do in the coming cycles. */
static bool send_from(engine *e, uint32_t n)
{
    source *s = &e->sources.list[n];
    uint32_t channel = e->plan->ports + n, output = fl_sim_output_of_node(e->plan, n);
    if (e->links.busy[channel] > e->calendar.now || e->links.credits[output] == 0)
        return false;
    if (e->mode.wormhole && s->worm != NONE)
        return send_next_flit(e, s, output);
    if (FL_UNLIKELY(s->born > e->calendar.now && s->retry_first == NONE))
        return true; /* its link failed under a worm, and nothing has been born since */
    uint32_t p = take_packet(e, n);
    if (p == NONE)
        return true;
    packet *pk = &e->packets.list[p];
    fl_candidate candidate;
    e->routing.decision.candidates = &candidate;
    if (!fl_sim_ask_router(&e->routing, pk, pk->header.source)) {
        if (!e->status.code)
            fl_sim_lose(e, p, e->routing.decision.reason);
        fl_sim_free_packet(&e->packets, p);
        return true;
    }
    fl_sim_take_candidate(&e->routing, pk, pk->header.source, &candidate);
    if (e->mode.wormhole) {
        fl_sim_send_flit(e, output, p, true, e->mode.length == 1);
        s->worm = e->mode.length > 1 ? p : NONE;
        s->worm_sent = 1;
        return e->mode.length == 1;
    }
    e->links.busy[channel] = e->calendar.now + e->mode.length;
    fl_sim_send_packet(e, output, p);
    return true;
}

void fl_sim_send_from_sources(engine *e)
{
    sources *ss = &e->sources;
    uint32_t kept = 0, now = e->calendar.now;
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_end_delays(e->messages);
    for (uint32_t i = 0; i < ss->waiting_count; i++) {
        uint32_t n = ss->waiting[i], *busy = &e->links.busy[e->plan->ports + n];
        source *s = &ss->list[n];
        if (e->links.credits[fl_sim_output_of_node(e->plan, n)] == 0 && *busy <= now + 1) {
            s->blocked = e->mode.blocked_lists; /* nothing can leave */
            if (!s->blocked)
                ss->waiting[kept++] = n;
            continue;
        }
        bool idle = send_from(e, n), more = !idle || s->born <= now + 1 || s->retry_first != NONE;
        if (more && *busy <= now + 1) {
            ss->waiting[kept++] = n;
            continue;
        }
        s->waits = false;
        if (more)
            fl_sim_look_again(ss, &e->calendar, n, *busy - now);
        else
            fl_sim_wait_for_birth(ss, &e->calendar, n);
    }
    ss->waiting_count = kept;
}
