#include "sim/engine/engine.h"

#include <stdlib.h>
#include <string.h>

static unsigned block_of(unsigned candidates)
{
    unsigned block = 0;
    while (1u << block < candidates)
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

static uint32_t new_candidates(engine *e, unsigned block)
{
    uint32_t at = e->free_candidates[block];
    if (at != NONE) {
        e->free_candidates[block] = (uint32_t)e->candidates[at].header_state;
        return at;
    }
    if (e->candidates_used + (1u << block) > e->candidates_room) {
        uint32_t room = e->candidates_room ? 2 * e->candidates_room : 64;
        fl_candidate *candidates = realloc(e->candidates, room * sizeof *candidates);
        if (!candidates) {
            fl_sim_out_of_memory(e);
            return NONE;
        }
        e->candidates = candidates;
        e->candidates_room = room;
    }
    at = e->candidates_used;
    e->candidates_used += 1u << block;
    return at;
}

void fl_sim_forget_candidates(engine *e, const head *hd)
{
    if (hd->candidates > 1 && hd->only != NONE) {
        unsigned block = block_of(hd->candidates);
        e->outputs[hd->only] = e->free_outputs[block];
        e->free_outputs[block] = hd->only;
    }
    if (hd->full != NONE) {
        unsigned block = block_of(hd->candidates);
        e->candidates[hd->full].header_state = e->free_candidates[block];
        e->free_candidates[block] = hd->full;
    }
}

static bool is_fast(const fl_decision *decision)
{
    bool fast = true;
    for (unsigned i = 0; i < decision->count; i++) {
        const fl_candidate *candidate = &decision->candidates[i];
        fast &= candidate->length == 1 && candidate->rule == FL_NO_RULE && candidate->turn == 0 &&
                candidate->header_state == decision->candidates[0].header_state;
    }
    return fast;
}

/* The way that was chosen, as the router offered it (but for its end, which nobody reads any more).
 */
fl_candidate fl_sim_chosen_candidate(const engine *e, const head *hd)
{
    if (hd->full != NONE)
        return e->candidates[hd->full + hd->chosen];
    uint32_t output = output_at(e, hd, hd->chosen), channel = channel_of(e, output);
    return (fl_candidate){.ports = {(fl_port)port_number(e, channel, hd->at)},
                          .length = 1,
                          .rule = FL_NO_RULE,
                          .header_state = hd->header_state,
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

uint32_t fl_sim_output_of_candidate(const engine *e, const head *hd, unsigned candidate)
{
    const requester *a = &e->active[hd->place];
    return a->ports ? e->ports_of[hd->at].first + port_from(a->ports, a->first, candidate)
                    : output_at(e, hd, candidate);
}

/* The output of a way; NONE after an offer that cannot be. */
static uint32_t output_for(engine *e, const fl_candidate *candidate, uint32_t s)
{
    const fl_sim_switch *at = &e->plan->switches[s];
    uint32_t channel = at->first_port + candidate->ports[0];
    const char *wrong = NULL;
    if (FL_UNLIKELY(candidate->length == 0 || candidate->length > FL_DETOUR_MAX ||
                    channel >= at[1].first_port))
        wrong = "offers a port where nothing is plugged in";
    else if (FL_UNLIKELY(!fl_sim_is_usable(e, channel)))
        wrong = e->plan->to[channel] == FL_SIM_UNPLUGGED
                    ? "offers a port where nothing is plugged in"
                    : "offers a link that is down";
    else if (FL_UNLIKELY(candidate->channel >= e->channels_per_link))
        wrong = "offers a virtual channel that there is not";
    if (FL_LIKELY(!wrong))
        return channel * e->channels_per_link + candidate->channel;
    fl_sim_broken(e, e->view.here, wrong);
    return NONE;
}

/* Keeps what the router answered. */
void fl_sim_keep_candidates(engine *e, uint32_t h, uint32_t s)
{
    head *hd = &e->heads[h];
    unsigned count = e->decision.count, block = block_of(count);
    uint32_t outputs[FL_SIM_CANDIDATES_MAX];
    for (unsigned i = 0; i < count; i++)
        if ((outputs[i] = output_for(e, &e->decision.candidates[i], s)) == NONE)
            return;
    uint32_t at = count == 1 ? outputs[0] : new_outputs(e, block);
    if (at == NONE)
        return;
    if (count > 1)
        memcpy(&e->outputs[at], outputs, count * sizeof *outputs);
    hd->only = at;
    hd->header_state = e->decision.candidates[0].header_state;
    hd->candidates = (uint16_t)count;
    if (FL_LIKELY(is_fast(&e->decision)) || (hd->full = new_candidates(e, block)) == NONE)
        return;
    memcpy(&e->candidates[hd->full], e->decision.candidates, count * sizeof *e->candidates);
}
