/* Runs, and their results. */
#ifndef FL_SIM_RUN_H
#define FL_SIM_RUN_H

#include "analysis/deadlock/deadlock.h"
#include "sim/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why packets were lost: blocked by the router (fl_reason), or on a link when it failed. */
enum { FL_SIM_LOST_ON_LINK = FL_REASONS, FL_SIM_LOSSES };

/* The name of a reason, as in the columns of results. */
const char *fl_sim_loss_name(unsigned loss);

enum { FL_SIM_BATCHES = 20, FL_SIM_PERCENTILES = 4 };
extern const double fl_sim_percentiles[FL_SIM_PERCENTILES]; /* 50, 95, 99, 99.9 */

/* A packet in a cycle of packets that wait for each other. */
typedef struct fl_sim_waiting {
    fl_channel channel; /* by which it came, and whose buffer it fills */
    fl_address source, destination;
} fl_sim_waiting;

/* One interval of a time series. */
typedef struct fl_sim_sample {
    uint64_t generated, delivered, lost, latency_sum, retried;
} fl_sim_sample;

/* A message that never arrives, because one of its packets was lost. */
typedef struct fl_sim_lost_message {
    uint32_t place; /* in the workload */
    unsigned why;   /* of the first packet that it lost: fl_sim_loss_name */
    uint64_t cycle;
} fl_sim_lost_message;
enum { FL_SIM_LOST_MESSAGES = 8 };

/* What became of a workload. Of `messages`, each arrived, or lost a packet, or waited for one that
 * did not arrive (at first or second hand) and never became ready, or, in a run that was ended
 * early, was under way. */
typedef struct fl_sim_completion {
    bool complete;   /* all arrived */
    bool stalled;    /* nothing moves any more, because messages were lost: not a deadlock of the
                        network */
    uint64_t cycles; /* until the last that arrived had arrived */
    uint64_t messages, arrived, lost, never_ready, under_way;
    uint64_t waiting_for_first; /* of those never ready, those that wait for the first lost one */
    uint64_t latency_sum, latency_max; /* cycles, over those that arrived: from when they were free
                                          to leave */
    fl_sim_lost_message first_lost[FL_SIM_LOST_MESSAGES]; /* the first of them, by cycle */
} fl_sim_completion;

/* Counts are of the measured cycles unless it says otherwise. Latencies are in cycles. */
typedef struct fl_sim_result {
    double load; /* offered, as it was given */
    uint64_t seed;
    uint64_t cycles;               /* simulated in all */
    uint64_t measured;             /* of these, the measured ones */
    uint64_t generated;            /* packets born */
    uint64_t injected;             /* packets that left their source */
    uint64_t received;             /* packets that arrived, whenever they were born */
    fl_interval received_interval; /* of packets that arrive a cycle: 95%, batch means; NAN below 2
                                      batches and of workloads */
    uint64_t counted;     /* packets born in the measured cycles that arrived, then or later */
    uint64_t outstanding; /* ... that had neither arrived nor been lost at the end */
    /* Sums over the counted packets: from birth; from leaving the source; links of the path. */
    uint64_t latency_sum, network_latency_sum, hop_sum;
    double latency;                        /* mean from birth; NAN where nothing was counted */
    fl_interval latency_interval;          /* 95%, batch means; NAN below 2 batches */
    double percentile[FL_SIM_PERCENTILES]; /* exact below 4096 cycles, above at most 1/1024 too
                                              high */
    uint64_t latency_max;
    uint64_t conflicts; /* packets (with wormhole: flits) that lost an arbitration for an output
                           port */
    uint64_t conflict_ports; /* output ports, added up over cycles, for which several competed */
    uint64_t lost[FL_SIM_LOSSES]; /* of the complete run, by reason */
    uint64_t retried;             /* of the complete run */
    uint64_t class_flits[FL_SIM_CLASSES_MAX];
    uint64_t class_channels[FL_SIM_CLASSES_MAX];
    bool saturated; /* sources produce more than arrives: latency would grow without end */
    bool steady;    /* the later half of the batches agrees with the earlier */
    bool deadlocked;
    bool stopped;          /* the watch wanted it: partial */
    fl_sim_waiting *cycle; /* [cycle_length] of a deadlock: each waits for the buffer of the next,
                              the last for the first */
    unsigned cycle_length;
    uint64_t deadlock_packets; /* that can never move again */
    /* Of the complete run. */
    uint64_t flit_hops, total_injected, total_delivered, in_flight, largest_in_flight;
    fl_sim_sample *series; /* [series_length] */
    size_t series_length;
    fl_sim_completion completion; /* of a workload */
} fl_sim_result;

/* Frees the lists in a result. */
void fl_sim_result_clear(fl_sim_result *result);

/* A packet that has left its source (`arrived` and `links` are 0 then), or arrived. */
typedef struct fl_sim_packet {
    uint32_t source, destination; /* nodes */
    uint64_t born, left, arrived; /* cycles: it was born, it left its source, its last flit came */
    unsigned links;
    bool counted;
} fl_sim_packet;

/* Functions that a run calls, each or NULL. */
typedef struct fl_sim_watch {
    /* Now and then, with the cycles done (with a workload: packets that arrived); false: stop. */
    bool (*progress)(void *user, uint64_t cycles_done);
    /* For every packet that leaves its source. */
    void (*left)(void *user, const fl_sim_packet *packet);
    /* For every packet that arrives. */
    void (*arrived)(void *user, const fl_sim_packet *packet);
    void *user;
} fl_sim_watch;

/* Runs one load, in flits per node and cycle (with a workload: give 0), with one seed, in one
 * thread. Equal input gives equal results. Checks at the end that every packet is delivered, lost,
 * or in the network. The caller clears the result; `watch` may be NULL. FL_ERR_INVALID for a load
 * that is not 0 to 1, FL_ERR_ROUTER if the router breaks the contract; FL_ERR_MEMORY. */
fl_status fl_sim_run(fl_sim_result *out, const fl_sim_plan *plan, double load, uint64_t seed,
                     const fl_sim_watch *watch, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
