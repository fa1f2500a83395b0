/* Channel dependencies, cycles, and proofs over all answers. */
#ifndef FL_ANALYSIS_DEADLOCK_DEADLOCK_H
#define FL_ANALYSIS_DEADLOCK_DEADLOCK_H

#include "routing/routing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Channel dependencies (Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor
 * Interconnection Networks", 1987): a packet that has come over one channel and wants another
 * makes the second one a successor of the first. Without a cycle there is no deadlock. Packets that
 * end blocked have held their channels until then, and count too. */

/* A virtual channel of one direction of a link between two switches. */
typedef struct fl_channel {
    fl_address from, to;
    fl_port port;
    fl_link link;
    unsigned number; /* of the virtual channel */
} fl_channel;

/* A channel of a cycle, and the packets that hold it and want the next one. */
typedef struct fl_cycle_step {
    fl_channel channel;
    fl_address source, destination; /* one pair of nodes of which packets do */
    uint64_t pairs;                 /* number of such pairs */
} fl_cycle_step;

typedef struct fl_deadlock_witness {
    uint64_t *components; /* [faults] of the fault model */
    unsigned faults;
    fl_link *links; /* [link_count] that are down */
    size_t link_count;
    fl_cycle_step
        *cycle; /* [length] a shortest cycle under these faults; the last wants the first */
    unsigned length;
} fl_deadlock_witness;

/* Frees the witness; NULL is allowed. */
void fl_deadlock_witness_destroy(fl_deadlock_witness *witness);

typedef struct fl_deadlock_options {
    uint64_t sample; /* number of random fault sets; 0: every set */
    uint64_t seed;
    bool all_candidates; /* every candidate that the router offers, not only the first, which the
                            sweep takes */
    bool (*progress)(void *user, uint64_t done,
                     uint64_t all); /* NULL, or called now and then; false: stop */
    void *user;
} fl_deadlock_options;

typedef struct fl_deadlock_result {
    uint64_t faults, fault_sets, cyclic;
    bool sampled;
    fl_deadlock_witness *witness; /* NULL if no set was cyclic; else of those looked at the one with
                                     the shortest cycle */
} fl_deadlock_result;

/* Tries fault sets of exactly `faults` components of the model: builds the dependency graph over
 * all pairs of nodes and looks for cycles. FL_ERR_INVALID for limits, networks and counts that are
 * too large, FL_ERR_ROUTER if the router violates the contract, FL_ERR_STOPPED if `progress` says
 * so, FL_ERR_MEMORY. The caller destroys out->witness. */
fl_status fl_deadlock_check(fl_deadlock_result *out, const fl_router *router,
                            const fl_fault_model *model, unsigned faults,
                            const fl_deadlock_options *options, fl_error *error);

/* The same for one set: these components of the model, [faults]. */
fl_status fl_deadlock_check_set(fl_deadlock_result *out, const fl_router *router,
                                const fl_fault_model *model, const uint64_t *components,
                                unsigned faults, const fl_deadlock_options *options,
                                fl_error *error);

/* What a router does under any faults at all: every answer to every question is followed from
 * every state that a packet can be in (vertex, header, channel). Answers are kept consistent within
 * a decision and forgotten between decisions, so that there may be states and dependencies that
 * no fault set creates: what is proven to be absent is absent, what is present need not be real. */
typedef struct fl_proof {
    uint64_t states, dependencies;
    unsigned channels_used; /* virtual channels that some packet takes */
    bool deadlock_free;     /* all dependencies together are acyclic */
    fl_cycle_step
        *cycle; /* [cycle_length] else a shortest cycle of theirs; `pairs` is 1: one example each */
    unsigned cycle_length;
    fl_deadlock_witness
        *witness;       /* and a fault set under which there is a cycle, or NULL: none was found */
    bool livelock_free; /* no packet meets a vertex twice in the same state */
    uint64_t length_bound; /* then: no delivered packet travels more links, node links included */
    fl_address longest_source, longest_destination; /* of a packet that travels that far ... */
    fl_link *longest_down; /* [longest_down_count] ... and finds these links down */
    size_t longest_down_count;
    bool longest_is_real; /* these faults alone make the packet travel so far */
    fl_walk_hop *loop;    /* [loop_length] else a walk: to the state first, then round it */
    unsigned loop_length, loop_start; /* hop loop_start is where the walk comes back to */
    fl_address loop_source, loop_destination;
    fl_link *loop_down; /* [loop_down_count] links that the walk found down */
    size_t loop_down_count;
    bool loop_is_real; /* these faults alone make the packet loop */
} fl_proof;

/* Frees what the proof holds and zeroes it. */
void fl_proof_clear(fl_proof *proof);

typedef struct fl_proof_options {
    uint64_t states_max; /* of packets to one destination; 0: ten million. More than that:
                            FL_ERR_STOPPED */
    bool all_candidates; /* follow every candidate that the router offers, not only the first */
    const fl_fault_set *down; /* NULL, or links that are always down */
    bool seek;                /* look for a real fault set when there is a cycle; not with `down` */
    bool (*should_stop)(void *user); /* NULL, or asked now and then; true: FL_ERR_STOPPED */
    void *user;
} fl_proof_options;

/* Proves what holds under any faults. `model` says which links can fail, NULL: none; `options` may
 * be NULL: as if all zero. FL_ERR_INVALID for limits and large networks, FL_ERR_ROUTER if the
 * router violates the contract, FL_ERR_STOPPED above a limit or when should_stop says so,
 * FL_ERR_MEMORY. The caller clears the proof. */
fl_status fl_router_prove(fl_proof *out, const fl_router *router, const fl_fault_model *model,
                          const fl_proof_options *options, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
