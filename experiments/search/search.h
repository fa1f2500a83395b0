/* The search for host-switch graphs of small h-ASPL: the order/radix problem (Yasudo thesis, 3.4).
 */
#ifndef FL_EXPERIMENTS_SEARCH_H
#define FL_EXPERIMENTS_SEARCH_H

#include "experiments/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is searched for, and how long. */
typedef struct fl_search_spec {
    uint64_t hosts, radix;
    uint64_t switches; /* 0: where the continuous Moore bound is least; if the symmetry is free,
                          too, it differs between chains */
    uint64_t symmetry; /* switches that map on each other; 1: none; 0: free, it differs between
                          chains */
    uint64_t chains;
    uint64_t steps; /* of annealing, of each chain; 0: as many as `seconds` allow */
    double seconds;
    double hottest, coldest; /* temperatures at the beginning and the end */
    uint64_t seed;
} fl_search_spec;

enum { FL_SEARCH_CHAINS_MAX = 4096, FL_SEARCH_HOSTS_MAX = 1 << 24 };

/* What a search has found. Sums are over unordered pairs of hosts, in links: sum / pairs is the
 * h-ASPL. */
typedef struct fl_search_state {
    unsigned round, rounds; /* done, of how many */
    uint64_t steps, accepted;
    uint64_t pairs, sum, current_sum; /* the best so far, and of the chain that is best now */
    uint64_t switches, symmetry;      /* of the best */
    double seconds;
    bool stopped; /* ended early */
} fl_search_state;

typedef struct fl_search fl_search;

/* A search that has not begun. `start`: NULL, or a network without symmetry, whose graph all chains
 * begin with; spec->switches is its number of switches then. It has to stay. All ranks make one
 * (NULL: this process alone). FL_ERR_INVALID names what cannot be; FL_ERR_MEMORY. The caller
 * destroys it. */
fl_status fl_search_create(fl_search **out, const fl_search_spec *spec, const fl_network *start,
                           fl_ranks *ranks, fl_error *error);

/* NULL is allowed. */
void fl_search_destroy(fl_search *search);

/* Goes on from a checkpoint's bytes, which may come from anywhere. FL_ERR_INVALID: they are no
 * checkpoint of this search. */
fl_status fl_search_resume(fl_search *search, const char *bytes, size_t length, fl_error *error);

typedef struct fl_search_run_options {
    unsigned threads;        /* of this process */
    const atomic_bool *stop; /* NULL, or set by the caller to end early */
    const char *checkpoint;  /* NULL, or the file that keeps the state between rounds */
    /* Each NULL, or called by rank 0: after every round; when a checkpoint cannot be written. */
    void (*progress)(void *user, const fl_search_state *state);
    void (*warn)(void *user, const char *text);
    void *user;
} fl_search_run_options;

/* Anneals, round by round, until steps or seconds are used up. The same result for any number of
 * threads and ranks, and after any interruption, where steps are given. Ended early by `stop`, the
 * round that was cut off counts as not done when it is resumed. FL_ERR_INVALID: no connected graph
 * was found; FL_ERR_MEMORY. */
fl_status fl_search_run(fl_search *search, const fl_search_run_options *options, fl_error *error);

/* What was found. */
void fl_search_state_of(const fl_search *search, fl_search_state *out);

/* The best graph, in the format of the order/radix competition: a line `n m r`, then one line
 * `u v` a link; 0..n-1 are hosts. Of rank 0. */
void fl_search_append_graph(const fl_search *search, fl_text *out);

/* The result as JSON, and in words for people. Of rank 0. */
void fl_search_json(const fl_search *search, fl_text *out);
void fl_search_summary(const fl_search *search, fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
