/* Private to sim: the candidates of heads. */
#ifndef FL_SIM_ENGINE_SWITCHES_CANDIDATES_H
#define FL_SIM_ENGINE_SWITCHES_CANDIDATES_H

#include "sim/engine/switches/heads.h"

enum { BLOCK_SIZES = 6 }; /* blocks of 1, 2, 4, ... up to FL_SIM_CANDIDATES_MAX candidates */

/* Most answers of routers are simple: every candidate is one link, no rule is on, and the header
 * state is the same for all. Of those nothing is kept but the output VCs. Both pools are in blocks
 * of 1, 2, 4, ... */
typedef struct candidate_pools {
    uint32_t *outputs; /* output VCs */
    uint32_t outputs_used, outputs_room, free_outputs[BLOCK_SIZES];
    fl_candidate *candidates;
    uint32_t candidates_used, candidates_room, free_candidates[BLOCK_SIZES];
    run_status *status;
} candidate_pools;

void fl_sim_candidates_create(candidate_pools *pools, run_status *status);
void fl_sim_candidates_destroy(candidate_pools *pools);

/* Gives a head the `count` candidates, whose output VCs are `outputs`. status: no memory. */
void fl_sim_store_candidates(candidate_pools *pools, head *hd, const fl_candidate *candidates,
                             const uint32_t *outputs, unsigned count);

/* Frees the lists of a head. */
void fl_sim_forget_candidates(candidate_pools *pools, const head *hd);

/* The output VC of a candidate that is in the head's lists. */
FL_INLINE uint32_t fl_sim_output_at(const candidate_pools *pools, const head *hd,
                                    unsigned candidate)
{
    return hd->candidates == 1 ? hd->only : pools->outputs[hd->only + candidate];
}

/* The end of a head. */
FL_INLINE void fl_sim_drop_head(heads *hs, candidate_pools *pools, uint32_t h)
{
    fl_sim_forget_candidates(pools, &hs->list[h]);
    fl_sim_free_head(hs, h);
}

#endif
