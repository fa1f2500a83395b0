/* All answers to all questions of a router about one pair. */
#ifndef FL_ANALYSIS_EXACT_EXPLORER_H
#define FL_ANALYSIS_EXACT_EXPLORER_H

#include "routing/routing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Follows a router through both answers to every question about a component that can fail.
 *
 * The result for a pair is the number of sets of b of the `asked` components that matter, such that
 * the packet is delivered when just these are down, for every b. With N components in all, f of
 * them down, every set equally likely, the packet is delivered with probability sum over b of
 * delivered[b] * C(N - asked, f - b) / C(N, f). The numbers are whole, never subtracted, and held
 * in long double: exact below 2^64 (x86-64); above, every addition is rounded by at most 1 in 2^64.
 *
 * What merges: a search stands at the same place with the same knowledge about every component that
 * it still asks about. Without merging, x-turns on MiKANT(3,3) would not end. */
typedef struct fl_explorer fl_explorer;

enum { FL_EXPLORED_COMPONENTS_MAX = 510 }; /* more that bear on one pair are refused */

typedef struct fl_exploration {
    unsigned asked;               /* <= FL_EXPLORED_COMPONENTS_MAX */
    const long double *delivered; /* [asked + 1] */
    const long double *lengths;   /* [asked + 1] sums of the path lengths of these deliveries */
    const long double *open;      /* [asked + 1] not followed up, or NULL: nothing was left out */
} fl_exploration;

typedef struct fl_explorer_limits {
    double
        prune; /* leave out what has less probability than this at every fault count; 0: nothing */
    uint64_t states_max;             /* FL_ERR_STOPPED above; 0: no limit */
    bool unmerged;                   /* no merging, no searcher: the slow reference */
    bool (*should_stop)(void *user); /* NULL, or asked now and then; true: FL_ERR_STOPPED */
    void *user;
} fl_explorer_limits;

/* Makes an explorer, which borrows router and model. FL_ERR_MEMORY. */
fl_status fl_explorer_create(fl_explorer **out, const fl_router *router,
                             const fl_fault_model *model, const fl_explorer_limits *limits,
                             fl_error *error);

/* Frees the explorer with its results; NULL is allowed. */
void fl_explorer_destroy(fl_explorer *explorer);

/* Explores one pair of nodes. The result stays valid until the next call. Sources of one
 * destination share work: ask for them one after the other. FL_ERR_ROUTER if the router violates
 * the contract, FL_ERR_STOPPED above a limit or when should_stop says so, FL_ERR_MEMORY. */
fl_status fl_explorer_run(fl_explorer *explorer, fl_address source, fl_address destination,
                          fl_exploration *out, fl_error *error);

/* Number of branchings made so far. */
uint64_t fl_explorer_states(const fl_explorer *explorer);

/* Are all numbers so far exact, none of them rounded? */
bool fl_explorer_is_complete(const fl_explorer *explorer);

#ifdef __cplusplus
}
#endif
#endif
