/* Private to experiments/search: a search and its checkpoints. */
#ifndef FL_EXPERIMENTS_SEARCH_PRIVATE_H
#define FL_EXPERIMENTS_SEARCH_PRIVATE_H

#include "experiments/search/search.h"
#include "topo/search/bounds.h"
#include "topo/search/chain.h"

enum { FL_SEARCH_ROUNDS = 200 };

/* What all ranks know of a chain after a round; sums as in fl_distance_sum. */
typedef struct fl_chain_report {
    uint64_t sum, best_sum, steps, accepted, switches, symmetry;
} fl_chain_report;

struct fl_search {
    fl_search_spec spec;
    const fl_network *start;
    fl_ranks *ranks;
    unsigned first, stride;   /* this process has chains first, first + stride, ... */
    fl_chain *chains;         /* [spec.chains]; those of other ranks are empty */
    fl_chain_report *reports; /* [spec.chains] */
    unsigned rounds_done;
    double seconds; /* of the rounds done */
    double last_checkpoint;
    bool warned; /* that a checkpoint could not be written */
    fl_search_state state;
    uint64_t best;   /* chain with the best graph */
    fl_chain winner; /* rank 0, at the end: the best chain */
};

/* The size of the graphs of a chain; what is free of it is drawn, anew with each attempt.
 * FL_ERR_INVALID: no graph of such numbers. */
fl_status fl_search_size_of(const fl_search_spec *spec, uint64_t chain, unsigned attempt,
                            fl_search_size *out, fl_error *error);

/* Appends a checkpoint; `chains`: the bytes of all chains, one after the other. */
void fl_search_checkpoint(const fl_search *search, const fl_text *chains, fl_text *out);

#endif
