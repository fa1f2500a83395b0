#include "sim/engine/engine.h"

#include <stdlib.h>
#include <string.h>

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
            fl_sim_out_of_memory(e);
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
            fl_sim_out_of_memory(e);
            return NONE;
        }
        e->ways = ways;
        e->ways_room = room;
    }
    at = e->ways_used;
    e->ways_used += 1u << block;
    return at;
}

void fl_sim_forget_ways(engine *e, const head *hd)
{
    if (hd->ways > 1 && hd->only != NONE) {
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
fl_way fl_sim_chosen_way(const engine *e, const head *hd)
{
    if (hd->full != NONE)
        return e->ways[hd->full + hd->chosen];
    uint32_t output = output_at(e, hd, hd->chosen), channel = channel_of(e, output);
    return (fl_way){.ports = {(fl_port)port_number(e, channel, hd->at)}, .length = 1, .rule = FL_NO_RULE, .memory = hd->memory,
                    .channel = (uint8_t)(output - channel * e->channels_per_link)};
}

/* The n-th of a set of ports, counted from `first` upwards and round. */
static unsigned port_from(uint32_t ports, unsigned first, unsigned n)
{
    uint32_t turned = fl_sim_turned(ports, first);
    while (n-- > 0)
        turned &= turned - 1;
    return fl_sim_turned_back(fl_lowest_bit(turned), first);
}

uint32_t fl_sim_output_of_way(const engine *e, const head *hd, unsigned way)
{
    const asker *a = &e->active[hd->place];
    return a->ports ? e->ports_of[hd->at].first + port_from(a->ports, a->first, way) : output_at(e, hd, way);
}

/* The output of a way; NONE after an offer that cannot be. */
static uint32_t output_for(engine *e, const fl_way *way, uint32_t s)
{
    const fl_sim_switch *at = &e->plan->switches[s];
    uint32_t channel = at->first_port + way->ports[0];
    const char *wrong = NULL;
    if (FL_UNLIKELY(way->length == 0 || way->length > FL_DETOUR_MAX || channel >= at[1].first_port))
        wrong = "offers a port where nothing is plugged in";
    else if (FL_UNLIKELY(!fl_sim_is_usable(e, channel)))
        wrong = e->plan->to[channel] == FL_SIM_UNPLUGGED ? "offers a port where nothing is plugged in" : "offers a link that is down";
    else if (FL_UNLIKELY(way->channel >= e->channels_per_link))
        wrong = "offers a virtual channel that there is not";
    if (FL_LIKELY(!wrong))
        return channel * e->channels_per_link + way->channel;
    fl_sim_broken(e, e->view.here, wrong);
    return NONE;
}

/* Keeps what the router answered. */
void fl_sim_keep_ways(engine *e, uint32_t h, uint32_t s)
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
