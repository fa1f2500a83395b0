/* Deadlocks of a run.
 *
 * Packets wait for buffers that other packets fill. A packet can move, now or later, if any of the
 * buffers that it may take has room or is filled by a packet that can move. What is left when
 * nothing more can be found to move is deadlocked: an exact statement about this moment, and
 * nothing that comes later undoes it. Packets that have moved lately count as able to move; by the
 * next look they will have shown it. */
#include "sim/engine/steps.h"

#include <stdlib.h>

/* The input whose packet keeps this output VC from being had; NONE: none does, or one that can move
 * by itself. */
static uint32_t holder_of(const engine *e, uint32_t output, uint32_t input)
{
    if (e->mode.wormhole && e->links.owner[output] != NONE && e->links.owner[output] != input)
        return e->links.owner[output];
    bool full = e->links.credits[output] == 0 &&
                (!e->mode.output_fifos || e->links.outputs[output].fifo_free == 0);
    return full ? fl_sim_input_after(e->plan, output) : NONE;
}

/* What an empty buffer of a worm waits for: the rest of it, held by the input before. */
static uint32_t worm_before(const engine *e, uint32_t input)
{
    uint32_t output = fl_sim_output_before(e->plan, input);
    return e->links.owner[output];
}

static bool has_flits(const engine *e, const head *hd)
{
    return e->queues.inputs[hd->input].flits > 0;
}

/* The i-th buffer that would let the packet of head h go; false after the last. */
static bool next_buffer(const engine *e, uint32_t h, unsigned i, uint32_t *holder)
{
    const head *hd = &e->heads.list[h];
    if (hd->worm && i == 0) {
        *holder = hd->vanishing || has_flits(e, hd)
                      ? (hd->vanishing ? NONE : holder_of(e, hd->output, hd->input))
                      : worm_before(e, hd->input);
        return true;
    }
    if (hd->worm || i >= hd->candidates)
        return false;
    *holder = holder_of(e, fl_sim_output_of_candidate(e, hd, i), hd->input);
    return true;
}

static bool can_move(const engine *e, uint32_t h, const uint32_t *stuck)
{
    uint32_t holder;
    for (unsigned i = 0; next_buffer(e, h, i, &holder); i++)
        if (holder == NONE || stuck[holder] == NONE)
            return true;
    return false;
}

static fl_sim_waiting describe(const engine *e, uint32_t input, uint32_t h)
{
    const fl_network *network = e->plan->network;
    uint32_t port = fl_sim_channel_of(e->plan, input),
             before = fl_sim_output_before(e->plan, input),
             channel = fl_sim_channel_of(e->plan, before);
    fl_sim_waiting waiting = {0};
    const packet *pk = &e->packets.list[e->heads.list[h].packet];
    fl_hop hop;
    waiting.channel.to = e->plan->switches[e->plan->switch_of[port]].address;
    waiting.channel.number = before % e->plan->virtual_channels;
    if (channel < e->plan->ports) {
        uint32_t s = e->plan->switch_of[channel];
        waiting.channel.from = e->plan->switches[s].address;
        waiting.channel.port = (fl_port)fl_sim_port_number(e->plan, channel, s);
    } else {
        waiting.channel.from = network->type->node_address(network, channel - e->plan->ports);
    }
    if (fl_network_step(network, waiting.channel.from, waiting.channel.port, &hop))
        waiting.channel.link = hop.link;
    waiting.source = pk->header.source;
    waiting.destination = pk->header.destination;
    return waiting;
}

/* From buffer to buffer until one is met again. */
static bool follow(engine *e, const uint32_t *stuck, uint32_t start, uint32_t count)
{
    uint32_t *path = malloc(((size_t)count + 1) * sizeof *path), length = 0, at = start,
             from = NONE;
    fl_sim_result *out = e->measure.out;
    while (path && from == NONE && length <= count) {
        for (uint32_t i = 0; i < length && from == NONE; i++)
            if (path[i] == at)
                from = i;
        if (from != NONE)
            break;
        path[length++] = at;
        uint32_t holder = NONE;
        next_buffer(e, stuck[at], 0, &holder);
        at = holder;
    }
    if (path && from != NONE)
        out->cycle = calloc(length - from, sizeof *out->cycle);
    if (out->cycle) {
        out->cycle_length = length - from;
        for (uint32_t i = from; i < length; i++)
            out->cycle[i - from] = describe(e, path[i], stuck[path[i]]);
    } else {
        fl_sim_out_of_memory(&e->status);
    }
    free(path);
    return out->cycle != NULL;
}

/* Has a head not moved for that long? */
static bool any_waits(const engine *e, uint32_t time_limit)
{
    uint32_t oldest = NONE;
    for (uint32_t i = 0; i < e->heads.active_count; i++) {
        uint32_t since = e->heads.list[e->heads.active[i].head].since;
        oldest = since < oldest ? since : oldest;
    }
    return e->heads.active_count > 0 && e->calendar.now - oldest >= time_limit;
}

/* stuck[input] becomes the head at an input that has not moved for that long. Returns how many. */
static uint32_t collect(const engine *e, uint32_t *stuck, uint32_t time_limit)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->heads.active_count; i++) {
        uint32_t h = e->heads.active[i].head;
        if (e->calendar.now - e->heads.list[h].since < time_limit)
            continue;
        stuck[e->heads.list[h].input] = h;
        count++;
    }
    return count;
}

/* Takes heads that can move out until none is left that can. Returns how many stay. */
static uint32_t take_movable_out(const engine *e, uint32_t *stuck, uint32_t count)
{
    for (bool changed = true; changed && count > 0;) {
        changed = false;
        for (uint32_t i = 0; i < e->heads.active_count; i++) {
            uint32_t h = e->heads.active[i].head, input = e->heads.list[h].input;
            if (stuck[input] != h || !can_move(e, h, stuck))
                continue;
            stuck[input] = NONE;
            count--;
            changed = true;
        }
    }
    return count;
}

static uint32_t first_stuck(const engine *e, const uint32_t *stuck)
{
    for (uint32_t i = 0; i < e->heads.active_count; i++) {
        uint32_t h = e->heads.active[i].head;
        if (stuck[e->heads.list[h].input] == h)
            return e->heads.list[h].input;
    }
    return NONE;
}

bool fl_sim_find_deadlock(engine *e, uint32_t time_limit)
{
    size_t inputs = (size_t)e->plan->ports * e->plan->virtual_channels;
    if (!any_waits(e, time_limit))
        return false;
    bool good = true;
    uint32_t *stuck = fl_sim_list(inputs, sizeof *stuck, 0xff, &good); /* [inputs] head, or NONE */
    if (!good) {
        fl_sim_out_of_memory(&e->status);
        return false;
    }
    uint32_t count = take_movable_out(e, stuck, collect(e, stuck, time_limit / 2)),
             start = first_stuck(e, stuck);
    if (count > 0 && start != NONE && follow(e, stuck, start, count)) {
        e->measure.out->deadlocked = true;
        e->measure.out->deadlock_packets = count;
    }
    free(stuck);
    return e->measure.out->deadlocked;
}
