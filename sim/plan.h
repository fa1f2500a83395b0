/* Plans of runs, runs, and their results. */
#ifndef FL_SIM_PLAN_H
#define FL_SIM_PLAN_H

#include "analysis/deadlock/deadlock.h"
#include "sim/traffic.h"
#include "sim/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A link that fails at the beginning of a cycle. */
typedef struct fl_sim_failure {
    uint64_t cycle;
    fl_link link;
} fl_sim_failure;

/* Everything that runs share: immutable, used by many threads at a time. Borrows what it is made
 * from. Memory: about 30 bytes a port of a switch. FL_ERR_INVALID for limits, and for values out of
 * range. */
typedef struct fl_sim_plan fl_sim_plan;
typedef struct fl_sim_set_up {
    const fl_router *router;
    const fl_sim_model *model;
    const fl_sim_traffic *traffic;   /* or */
    const fl_sim_workload *workload; /* NULL: traffic */
    const fl_fault_set *faults;      /* down from the start; NULL: none */
    const fl_sim_failure *failures;  /* [failure_count] in rising order of cycles */
    size_t failure_count;
    uint64_t series; /* record a time series in intervals of so many cycles; 0: none */
} fl_sim_set_up;
fl_status fl_sim_plan_create(fl_sim_plan **out, const fl_sim_set_up *set_up, fl_error *error);
void fl_sim_plan_destroy(fl_sim_plan *plan);
const fl_sim_set_up *fl_sim_plan_set_up(
    const fl_sim_plan *plan); /* what it was made from; its `model` is the plan's own copy */
uint32_t fl_sim_plan_senders(const fl_sim_plan *plan); /* nodes that send; of traffic */
uint64_t fl_sim_plan_packets(const fl_sim_plan *plan); /* of all messages of a workload */
uint32_t fl_sim_plan_node_of(const fl_sim_plan *plan, uint32_t process); /* of a workload */

/* Why packets were lost: blocked by the router (fl_reason), or on a link when it failed. */
enum { FL_SIM_LOST_ON_LINK = FL_REASONS, FL_SIM_LOSSES };
const char *fl_sim_loss_name(unsigned loss);

enum { FL_SIM_BATCHES = 20, FL_SIM_PERCENTILES = 4 };
extern const double fl_sim_percentiles[FL_SIM_PERCENTILES]; /* 50, 95, 99, 99.9 */

/* A packet that waits, of a cycle of those. */
typedef struct fl_sim_waiting {
    fl_channel channel; /* by which it came, and whose buffer it fills */
    fl_address source, destination;
} fl_sim_waiting;

typedef struct fl_sim_sample { /* one interval of the time series */
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
    uint64_t latency_sum, latency_max; /* over those that arrived: from when they might leave */
    fl_sim_lost_message first_lost[FL_SIM_LOST_MESSAGES]; /* the first of them, by cycle */
} fl_sim_completion;

typedef struct fl_sim_result {
    double load; /* asked for */
    uint64_t seed;
    uint64_t cycles; /* simulated, all in all */
    uint64_t
        measured; /* cycles in which was counted; all below is of these where not said otherwise */
    uint64_t generated;            /* packets born */
    uint64_t injected;             /* packets that left their source */
    uint64_t received;             /* packets that arrived, whenever they were born */
    fl_interval received_interval; /* of packets that arrive a cycle: 95%, batch means; NAN below 2
                                      batches and of workloads */
    uint64_t counted;     /* packets born in the measured cycles that arrived, then or later */
    uint64_t outstanding; /* ... that had not arrived (nor were lost) at the end */
    uint64_t latency_sum, network_latency_sum,
        hop_sum;                  /* over the counted: from birth; from leaving the source; links */
    double latency;               /* mean; NAN where nothing was counted */
    fl_interval latency_interval; /* 95%, batch means; NAN below 2 batches */
    double
        percentile[FL_SIM_PERCENTILES]; /* exact below 4096 cycles, above at most 1/1024 too high */
    uint64_t latency_max;
    uint64_t
        conflicts; /* packets (with wormhole: flits) that lost an arbitration for an output port */
    uint64_t conflict_ports; /* output ports, added up over cycles, for which more than one of them
                                competed */
    uint64_t lost[FL_SIM_LOSSES]; /* during the whole run */
    uint64_t retried;             /* during the whole run */
    uint64_t class_flits[FL_SIM_CLASSES_MAX];
    uint64_t class_channels[FL_SIM_CLASSES_MAX];
    bool saturated; /* sources produce more than arrives: latency would grow without end */
    bool steady;    /* the later half of the batches agrees with the earlier */
    bool deadlocked;
    bool stopped;          /* the watch said so: partial */
    fl_sim_waiting *cycle; /* [cycle_length] of a deadlock: each waits for the buffer of the next,
                              the last for the first */
    unsigned cycle_length;
    uint64_t deadlock_packets;                                      /* that can never move again */
    uint64_t flit_hops, total_injected, total_delivered, in_flight; /* of the whole run */
    uint64_t largest_in_flight;
    fl_sim_sample *series; /* [series_length] */
    size_t series_length;
    fl_sim_completion completion; /* of a workload */
} fl_sim_result;
void fl_sim_result_clear(fl_sim_result *result);

/* A packet that has left its source (`arrived` and `links` are 0 then), or arrived. */
typedef struct fl_sim_packet {
    uint32_t source, destination; /* nodes */
    uint64_t born, left, arrived; /* cycles: it was born, it left its source, its last flit came */
    unsigned links;
    bool counted;
} fl_sim_packet;

typedef struct fl_sim_watch {
    /* NULL, or told now and then how far the run has come (with a workload: packets that arrived);
     * false: stop */
    bool (*progress)(void *user, uint64_t cycles_done);
    void (*left)(
        void *user,
        const fl_sim_packet *packet); /* NULL, or told of every packet that leaves its source */
    void (*arrived)(void *user,
                    const fl_sim_packet *packet); /* NULL, or told of every packet that arrives */
    void *user;
} fl_sim_watch;

/* Runs one load (with a workload: give 0) with one seed, in one thread. Equal input gives equal
 * results. Checks at the end that every packet is delivered, lost, or in the network. FL_ERR_ROUTER
 * if the router breaks the contract; FL_ERR_MEMORY. */
fl_status fl_sim_run(fl_sim_result *out, const fl_sim_plan *plan, double load, uint64_t seed,
                     const fl_sim_watch *watch, fl_error *error);

/* Links of a path without faults on which every packet takes its router's first candidate, over the
 * pairs of the plan's traffic: all of them where they are few and equally likely, else a sample
 * with a fixed seed. */
typedef struct fl_sim_first_hops {
    double mean, variance; /* over the pairs */
    double error;          /* standard error of the mean; 0: over all pairs */
} fl_sim_first_hops;

/* False: packets take only first candidates anyway; a workload; the router does not deliver, or
 * breaks the contract; or out of memory. */
bool fl_sim_first_hops_of(const fl_sim_plan *plan, fl_sim_first_hops *out);

/* Latency of a packet of `links` links that meets no other: what the model adds up to. `classes` of
 * its links. */
uint64_t fl_sim_zero_load_latency(const fl_sim_plan *plan, const fl_link *links, size_t count);

#ifdef __cplusplus
}
#endif
#endif
