/* All answers to all questions of a router about one pair. */
#ifndef FL_ANALYSIS_EXACT_EXPLORER_H
#define FL_ANALYSIS_EXACT_EXPLORER_H

#include "routing/routing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Follows a router through both answers to every question about a part that can fail.
 *
 * Of a pair, what comes out is the number of ways in which b of the `asked` parts that matter
 * can be down and the packet still be delivered, for every b. With N parts in all, f of them
 * down, every set equally likely, the packet is delivered with probability
 *     sum over b of delivered[b] * C(N - asked, f - b) / C(N, f).
 * The numbers are whole, never subtracted, and held in long double: exact below 2^64 (x86-64);
 * above, every addition is rounded by at most one part in 2^64.
 *
 * What merges: a search stands at the same place with the same knowledge about every part that
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

fl_status fl_explorer_create(fl_explorer **out, const fl_router *router,
                             const fl_fault_model *model, const fl_explorer_limits *limits,
                             fl_error *error);
void fl_explorer_destroy(fl_explorer *explorer);

/* The result stays valid until the next call. Sources of one destination share work: ask for
 * them one after the other. FL_ERR_ROUTER with the looping place if the router never ends. */
fl_status fl_explorer_run(fl_explorer *explorer, fl_address source, fl_address destination,
                          fl_exploration *out, fl_error *error);

uint64_t fl_explorer_states(const fl_explorer *explorer);  /* branchings made so far */
bool fl_explorer_is_complete(const fl_explorer *explorer); /* no number was ever rounded */

#ifdef __cplusplus
}
#endif
#endif
