/* The model of switches, links and nodes. */
#ifndef FL_SIM_MODEL_H
#define FL_SIM_MODEL_H

#include "routing/routing.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fl_sim_switching {
    FL_SIM_STORE_AND_FORWARD, /* a packet goes on when all of it has arrived */
    FL_SIM_CUT_THROUGH, /* virtual cut-through: when its head has arrived, and there is room for all
                           of it */
    FL_SIM_WORMHOLE     /* ... and there is room for one flit */
} fl_sim_switching;
extern const char *const fl_sim_switching_names[]; /* by value, ended by NULL; so are those below */

typedef enum fl_sim_arbitration {
    FL_SIM_RANDOM,
    FL_SIM_ROUND_ROBIN,
    FL_SIM_OLDEST_FIRST
} fl_sim_arbitration;
extern const char *const fl_sim_arbitration_names[];

/* Which of a router's candidates; looked at anew in every cycle. Always the first, unless the
 * router type declares its candidates equivalent (fl_router_type.equivalent). */
typedef enum fl_sim_choice {
    FL_SIM_MOST_FREE,       /* the one with most free space behind it, of equals any, by lot */
    FL_SIM_ANY_FREE,        /* any that has free space, by lot */
    FL_SIM_FIRST_CANDIDATE, /* the first, whatever is free: what a sweep takes */
    FL_SIM_SHORTEST_QUEUE   /* the one with most free flits behind it, of equals any, by lot;
                               requested only if it can be had */
} fl_sim_choice;
extern const char *const fl_sim_choice_names[];

/* True if a simulation with this choice can take another candidate of the router than the first. */
bool fl_sim_takes_any(fl_sim_choice choice, const fl_router *router);

/* What becomes of a packet on a link that fails. */
typedef enum fl_sim_on_failure { FL_SIM_LOSE, FL_SIM_RETRY } fl_sim_on_failure;
extern const char *const fl_sim_on_failure_names[];

/* On which node process i of a workload runs. */
typedef enum fl_sim_placement {
    FL_SIM_PLACE_BY_SWITCH, /* switch after switch, the nodes of each in the order of its ports:
                               neighbours stay close */
    FL_SIM_PLACE_BY_NUMBER  /* on node i */
} fl_sim_placement;
extern const char *const fl_sim_placement_names[];

typedef enum fl_sim_stop {
    FL_SIM_STOP_CYCLES, /* warm-up, `cycles` measured, and until all packets of these have arrived
                         */
    FL_SIM_STOP_EACH_SOURCE, /* when `packets` of every source have arrived; later ones do not count
                              */
    FL_SIM_STOP_PER_DESTINATION, /* when `packets` have arrived at the average node; all count */
    FL_SIM_STOP_MESSAGES /* when all messages of a workload have arrived, or no more can; plans with
                            a workload set it */
} fl_sim_stop;
extern const char *const fl_sim_stop_names[];

enum {
    FL_SIM_CLASSES_MAX = 32, /* link classes of which the latency can be given */
    FL_SIM_FIFO_MAX = 4096,
    FL_SIM_PACKET_MAX = 65535,
    FL_SIM_DELAY_MAX = 1 << 16,
    FL_SIM_CANDIDATES_MAX = 32,
    FL_SIM_FLIT_BYTES_MAX = 1 << 16
};
#define FL_SIM_CYCLES_MAX UINT64_C(2000000000)

typedef struct fl_sim_model {
    fl_sim_switching switching;
    fl_sim_arbitration arbitration;
    fl_sim_choice choice;
    fl_sim_on_failure on_failure;
    fl_sim_placement placement;
    unsigned packet_flits; /* 1..FL_SIM_PACKET_MAX */
    unsigned flit_bytes;   /* of the messages of workloads, up to FL_SIM_FLIT_BYTES_MAX; 0: 4 */
    unsigned input_fifo;   /* of each virtual channel: packets; with wormhole: flits */
    unsigned input_fifo_level0; /* of switches with nodes, and of all of level 0 where there are
                                   levels; 0: the same */
    unsigned output_fifo;       /* packets; 0: none, the crossbar feeds the link */
    unsigned routing_delay; /* cycles from when a header is at the front of its queue to its first
                               request */
    unsigned link_latency;  /* cycles until a flit that was sent can be routed at the other end; at
                               least 1 */
    unsigned class_latency[FL_SIM_CLASSES_MAX]; /* of links of a class; 0: link_latency */
    unsigned credit_delay; /* cycles until the sender knows that space became free; 1: the "FIFO
                              ready" signal of the next hop */
    unsigned source_queue; /* packets; a source waits while it is full. 0: no bound */
    fl_sim_stop stop;
    uint64_t warmup, cycles, packets;
    uint64_t
        drain; /* at most this many cycles more, for packets of the measured cycles to arrive */
    uint64_t
        deadlock_after; /* look for a deadlock when a packet has not moved for that many cycles */
} fl_sim_model;

typedef struct fl_sim_preset {
    const char *name, *summary, *source;
    fl_sim_model model;
    const char *traffic;
} fl_sim_preset;
extern const fl_sim_preset fl_sim_presets[]; /* ended by a NULL name; the first is the default */

/* The preset of that name, which stays. FL_ERR_INVALID lists what there is, or the nearest name. */
fl_status fl_sim_preset_find(const fl_sim_preset **out, const char *name, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
