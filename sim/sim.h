/* sim: packets under load, cycle by cycle.
 *
 * The routers are the per-hop functions that sweeps ask (routing/routing.h). A switch asks once for
 * each packet, keeps the ordered list of ways, and takes the one with most free space behind it.
 *
 * Time is in cycles, amounts are in flits; a channel (one direction of a link) carries one flit a
 * cycle. Load is in flits per node and cycle. docs/simulate.md defines the model; the presets are
 * the set-ups of published papers. */
#ifndef FL_SIM_H
#define FL_SIM_H

#include "routing/routing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the model -------------------------------------------------------------------- */

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

/* What becomes of a packet that is on a link when it fails. */
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
    unsigned credit_delay; /* cycles until the sender knows that space became free; 1: "FIFO ready"
                              of the next hop */
    unsigned source_queue; /* packets; a source waits while it is full. 0: no bound */
    fl_sim_stop stop;
    uint64_t warmup, cycles, packets;
    uint64_t drain; /* so many cycles more at most, for packets of the measured cycles to arrive */
    uint64_t deadlock_after; /* look for a deadlock when a packet has not moved for so long */
} fl_sim_model;

typedef struct fl_sim_preset {
    const char *name, *summary, *source;
    fl_sim_model model;
    const char *traffic;
} fl_sim_preset;
extern const fl_sim_preset fl_sim_presets[]; /* ended by a NULL name; the first is the default */
fl_status fl_sim_preset_find(const fl_sim_preset **out, const char *name, fl_error *error);

/* ---- traffic ------------------------------------------------------------------------ */

/* Where packets go:
 *   uniform             any node but the source, all equally likely; `uniform:self` with the source
 *   complement          node i to node N - 1 - i; bit-inversion, where N is a power of two, is the
 * same tornado             every digit d of the node number, base k, becomes d + ceil(k/2) - 1 mod
 * k; `tornado:k=K` hot-spot:nodes=x,share=y  a share y of the packets goes to the hot nodes, which
 * are a share x of all (evenly spread), the rest anywhere permutation:FILE    line i (from 0): the
 * node that node i sends to, or - A node whose destination is itself sends nothing (but with
 * uniform:self). */
typedef struct fl_sim_traffic fl_sim_traffic;
fl_status fl_sim_traffic_create(fl_sim_traffic **out, const fl_network *network, const char *spec,
                                fl_error *error);
/* The same from a list: targets[i] is the node that node i sends to, or FL_SIM_NOWHERE. Copied. */
#define FL_SIM_NOWHERE UINT32_C(0xffffffff)
fl_status fl_sim_traffic_create_fixed(fl_sim_traffic **out, const fl_network *network,
                                      const uint32_t *targets, fl_error *error);
void fl_sim_traffic_destroy(fl_sim_traffic *traffic);
const char *fl_sim_traffic_spec(const fl_sim_traffic *traffic);
uint64_t fl_sim_traffic_content(
    const fl_sim_traffic *traffic); /* hash of the file it was read from; 0: of none */

typedef struct fl_sim_traffic_help {
    const char *name, *summary;
} fl_sim_traffic_help;
extern const fl_sim_traffic_help fl_sim_traffics[]; /* ended by a NULL name */

/* ---- workloads ---------------------------------------------------------------------- */

/* Messages between processes, instead of traffic: reactive sources. A message may leave when its
 * source has received, or sent, every message that it comes after, and its delay is over. Sent
 * means: its last packet has begun to leave. Messages that may leave wait at their source in a
 * queue, by the cycle in which they came to it, those of one cycle by their order in the workload.
 * A message is cut into packets; what the last does not need of its flits is sent all the same.
 * Immutable, shared by threads. Memory: 12 bytes a message, 24 if some come after others, 8 for
 * each of these relations. */
typedef struct fl_sim_workload fl_sim_workload;

typedef struct fl_sim_workload_help {
    const char *name, *summary;
} fl_sim_workload_help;
extern const fl_sim_workload_help fl_sim_workloads[]; /* ended by a NULL name */

/* NAME or NAME:key=value,... of fl_sim_workloads for so many processes, or trace:FILE (of at most
 * so many). docs/workloads.md defines them and their keys. FL_ERR_INVALID names what is wrong, in a
 * file with its line. */
fl_status fl_sim_workload_create(fl_sim_workload **out, uint64_t processes, const char *spec,
                                 fl_error *error);
/* A trace (docs/workloads.md); `where` names the text in messages. */
fl_status fl_sim_workload_parse(fl_sim_workload **out, const char *text, size_t length,
                                const char *where, fl_error *error);
/* Appends it as a trace: what is read from that is the same workload. */
void fl_sim_workload_write(const fl_sim_workload *workload, fl_text *out);
/* The same piece by piece: appends up to `count` messages from number `first` on, before number 0
 * the head. Returns how many. */
uint32_t fl_sim_workload_write_some(const fl_sim_workload *workload, uint32_t first, uint32_t count,
                                    fl_text *out);
void fl_sim_workload_destroy(fl_sim_workload *workload);
const char *fl_sim_workload_name(const fl_sim_workload *workload);
uint64_t fl_sim_workload_content(
    const fl_sim_workload *workload); /* hash of the trace it was read from; 0: of none */
uint32_t fl_sim_workload_processes(const fl_sim_workload *workload);
uint32_t fl_sim_workload_messages(const fl_sim_workload *workload);

typedef struct fl_sim_message {
    uint64_t id;                  /* its number in a trace */
    uint32_t source, destination; /* processes */
    uint32_t bytes,
        delay; /* delay: cycles from when nothing is missing any more until it may leave */
    uint32_t after_count;
    const uint32_t *after; /* [after_count] places in the workload of the messages that it comes
                              after, rising */
} fl_sim_message;
fl_sim_message fl_sim_workload_message(const fl_sim_workload *workload,
                                       uint32_t place); /* place < messages */

/* ---- plans and runs -------------------------------------------------------------------- */

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
