/* Processes that work on one run together. */
#ifndef FL_EXPERIMENTS_RANKS_H
#define FL_EXPERIMENTS_RANKS_H

#include "experiments/sweep/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Processes that work on one run together (MPI ranks). The library does not know what joins
 * them: the caller that starts a run hands in the functions. All but `add_up` are called by all
 * ranks in the same order, and wait for each other. */
typedef struct fl_ranks fl_ranks;
struct fl_ranks {
    unsigned count, mine; /* mine: 0..count-1; rank 0 leads, and has the results */
    /* Hands what one rank has to all. */
    void (*share)(fl_ranks *ranks, void *data, size_t bytes, unsigned from);
    /* all[r * size + i] becomes mine[i] of rank r, on all ranks. */
    void (*collect)(fl_ranks *ranks, const uint64_t *mine, size_t size, uint64_t *all);
    /* Adds up what all ranks have; rank 0 gets the sums, the others keep theirs. */
    void (*sum)(fl_ranks *ranks, uint64_t *numbers, size_t size);
    /* Returns at once: true when all ranks have called it anew, with the sums of what they said
     * then; false while some have not, and `mine` is not looked at when called again. */
    bool (*add_up)(fl_ranks *ranks, const uint64_t mine[FL_RANKS_REPORT],
                   uint64_t sums[FL_RANKS_REPORT]);
};

/* Called by all ranks before any work: FL_ERR_INVALID on all of them when one was asked for
 * something else than rank 0, with its number and the first line of `asked` that differs. */
fl_status fl_ranks_compare(fl_ranks *ranks, const fl_text *asked, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
