#include "sim/engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* Packets wait for buffers that other packets fill. A packet can move, now or later, if any of the
 * buffers that it may take has room or is filled by a packet that can move. What is left when
 * nothing more can be found to move is deadlocked: an exact statement about this moment, and
 * nothing that comes later undoes it. Packets that have moved lately count as able to move; by the
 * next look they will have shown it. */

/* The input whose packet keeps this output from being had; NONE: nobody does, or somebody who can
 * move by himself. */
static uint32_t holder_of(const engine *e, uint32_t output, uint32_t input)
{
    if (e->wormhole && e->owner[output] != NONE && e->owner[output] != input)
        return e->owner[output];
    bool full = e->credits[output] == 0 && (!e->output_fifos || e->outlets[output].queue_free == 0);
    return full ? input_behind(e, output) : NONE;
}

/* What an empty buffer of a worm waits for: the rest of it, held by the input before. */
static uint32_t worm_before(const engine *e, uint32_t input)
{
    uint32_t output = output_before(e, input);
    return e->owner[output];
}

static bool has_flits(const engine *e, const head *hd)
{
    return e->inputs[hd->input].flits > 0;
}

/* The i-th buffer that would let this one's packet go; false beyond the last. */
static bool way_out(const engine *e, uint32_t h, unsigned i, uint32_t *holder)
{
    const head *hd = &e->heads[h];
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
    for (unsigned i = 0; way_out(e, h, i, &holder); i++)
        if (holder == NONE || stuck[holder] == NONE)
            return true;
    return false;
}

static fl_sim_waiting describe(const engine *e, uint32_t input, uint32_t h)
{
    const fl_network *network = e->plan->network;
    uint32_t port = channel_of(e, input), before = output_before(e, input),
             channel = channel_of(e, before);
    fl_sim_waiting waiting = {0};
    const packet *pk = &e->packets[e->heads[h].packet];
    fl_hop hop;
    waiting.channel.to = e->plan->switches[e->plan->switch_of[port]].address;
    waiting.channel.number = before % e->channels_per_link;
    if (channel < e->plan->ports) {
        uint32_t s = e->plan->switch_of[channel];
        waiting.channel.from = e->plan->switches[s].address;
        waiting.channel.port = (fl_port)port_number(e, channel, s);
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
    fl_sim_result *out = e->out;
    while (path && from == NONE && length <= count) {
        for (uint32_t i = 0; i < length && from == NONE; i++)
            if (path[i] == at)
                from = i;
        if (from != NONE)
            break;
        path[length++] = at;
        uint32_t holder = NONE;
        way_out(e, stuck[at], 0, &holder);
        at = holder;
    }
    if (path && from != NONE)
        out->cycle = calloc(length - from, sizeof *out->cycle);
    if (out->cycle) {
        out->cycle_length = length - from;
        for (uint32_t i = from; i < length; i++)
            out->cycle[i - from] = describe(e, path[i], stuck[path[i]]);
    } else if (!e->status) {
        e->status = fl_fail(e->error, FL_ERR_MEMORY, "out of memory for a deadlock");
    }
    free(path);
    return out->cycle != NULL;
}

bool fl_sim_find_deadlock(engine *e, uint32_t time_limit)
{
    size_t inputs = (size_t)e->plan->ports * e->channels_per_link;
    uint32_t count = 0, oldest = NONE;
    for (uint32_t i = 0; i < e->active_count; i++)
        oldest =
            e->heads[e->active[i].head].since < oldest ? e->heads[e->active[i].head].since : oldest;
    if (e->active_count == 0 || e->now - oldest < time_limit)
        return false;
    uint32_t *stuck =
        malloc(inputs * sizeof *stuck); /* the head at an input that cannot move, or NONE */
    if (!stuck) {
        e->status = fl_fail(e->error, FL_ERR_MEMORY, "out of memory for the search for a deadlock");
        return false;
    }
    memset(stuck, 0xff, inputs * sizeof *stuck);
    for (uint32_t i = 0; i < e->active_count; i++) {
        uint32_t h = e->active[i].head;
        if (e->now - e->heads[h].since >= time_limit / 2) {
            stuck[e->heads[h].input] = h;
            count++;
        }
    }
    for (bool changed = true; changed && count > 0;) {
        changed = false;
        for (uint32_t i = 0; i < e->active_count; i++) {
            uint32_t h = e->active[i].head, input = e->heads[h].input;
            if (stuck[input] != h || !can_move(e, h, stuck))
                continue;
            stuck[input] = NONE;
            count--;
            changed = true;
        }
    }
    uint32_t start = NONE;
    for (uint32_t i = 0; i < e->active_count && start == NONE; i++)
        if (stuck[e->heads[e->active[i].head].input] == e->active[i].head)
            start = e->heads[e->active[i].head].input;
    if (count > 0 && start != NONE && follow(e, stuck, start, count)) {
        e->out->deadlocked = true;
        e->out->deadlock_packets = count;
    }
    free(stuck);
    return e->out->deadlocked;
}
