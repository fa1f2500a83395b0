/* The candidates of heads, in pools of blocks. */
#include "sim/engine/switches/candidates.h"

#include "core/array.h"

#include <stdlib.h>
#include <string.h>

void fl_sim_candidates_create(candidate_pools *pools, run_status *status)
{
    *pools = (candidate_pools){.status = status};
    memset(pools->free_outputs, 0xff, sizeof pools->free_outputs);
    memset(pools->free_candidates, 0xff, sizeof pools->free_candidates);
}

void fl_sim_candidates_destroy(candidate_pools *pools)
{
    free(pools->outputs);
    free(pools->candidates);
}

static unsigned block_of(unsigned candidates)
{
    unsigned block = 0;
    while (1u << block < candidates)
        block++;
    return block;
}

/* A free block of output VCs; the first entry of a free block is the number of the next one. */
static uint32_t new_outputs(candidate_pools *pools, unsigned block)
{
    uint32_t at = pools->free_outputs[block], room = pools->outputs_room;
    if (at != NONE) {
        pools->free_outputs[block] = pools->outputs[at];
        return at;
    }
    if (pools->outputs_used + (1u << block) > room) {
        room = room ? 2 * room : 1024;
        if (!FL_RESIZE(&pools->outputs, room)) {
            fl_sim_out_of_memory(pools->status);
            return NONE;
        }
        pools->outputs_room = room;
    }
    at = pools->outputs_used;
    pools->outputs_used += 1u << block;
    return at;
}

static uint32_t new_candidates(candidate_pools *pools, unsigned block)
{
    uint32_t at = pools->free_candidates[block], room = pools->candidates_room;
    if (at != NONE) {
        pools->free_candidates[block] = (uint32_t)pools->candidates[at].header_state;
        return at;
    }
    if (pools->candidates_used + (1u << block) > room) {
        room = room ? 2 * room : 64;
        if (!FL_RESIZE(&pools->candidates, room)) {
            fl_sim_out_of_memory(pools->status);
            return NONE;
        }
        pools->candidates_room = room;
    }
    at = pools->candidates_used;
    pools->candidates_used += 1u << block;
    return at;
}

void fl_sim_forget_candidates(candidate_pools *pools, const head *hd)
{
    if (hd->candidates > 1 && hd->only != NONE) {
        unsigned block = block_of(hd->candidates);
        pools->outputs[hd->only] = pools->free_outputs[block];
        pools->free_outputs[block] = hd->only;
    }
    if (hd->full != NONE) {
        unsigned block = block_of(hd->candidates);
        pools->candidates[hd->full].header_state = pools->free_candidates[block];
        pools->free_candidates[block] = hd->full;
    }
}

static bool are_simple(const fl_candidate *candidates, unsigned count)
{
    bool simple = true;
    for (unsigned i = 0; i < count; i++) {
        const fl_candidate *candidate = &candidates[i];
        simple &= candidate->length == 1 && candidate->rule == FL_NO_RULE && candidate->turn == 0 &&
                  candidate->header_state == candidates[0].header_state;
    }
    return simple;
}

void fl_sim_store_candidates(candidate_pools *pools, head *hd, const fl_candidate *candidates,
                             const uint32_t *outputs, unsigned count)
{
    unsigned block = block_of(count);
    uint32_t at = count == 1 ? outputs[0] : new_outputs(pools, block);
    if (at == NONE)
        return;
    if (count > 1)
        memcpy(&pools->outputs[at], outputs, count * sizeof *outputs);
    hd->only = at;
    hd->header_state = candidates[0].header_state;
    hd->candidates = (uint16_t)count;
    if (FL_LIKELY(are_simple(candidates, count)) ||
        (hd->full = new_candidates(pools, block)) == NONE)
        return;
    memcpy(&pools->candidates[hd->full], candidates, count * sizeof *candidates);
}
