/* Plans: what the runs of a simulation share. */
#ifndef FL_SIM_PLAN_H
#define FL_SIM_PLAN_H

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

/* Everything that runs share: immutable, used by many threads at a time. Memory: about 30 bytes a
 * port of a switch. */
typedef struct fl_sim_plan fl_sim_plan;

/* Either traffic or a workload; the other is NULL. */
typedef struct fl_sim_set_up {
    const fl_router *router;
    const fl_sim_model *model;
    const fl_sim_traffic *traffic;
    const fl_sim_workload *workload;
    const fl_fault_set *faults;     /* down from the start; NULL: none */
    const fl_sim_failure *failures; /* [failure_count] in rising order of cycles */
    size_t failure_count;
    uint64_t series; /* record a time series in intervals of this many cycles; 0: none */
} fl_sim_set_up;

/* Borrows everything in the set-up but the model, which is copied; the caller destroys the plan
 * first. FL_ERR_INVALID: the router is a limit, a value of the model or a failure is out of range,
 * or the network is too large or its nodes have several ports. FL_ERR_MEMORY. */
fl_status fl_sim_plan_create(fl_sim_plan **out, const fl_sim_set_up *set_up, fl_error *error);
void fl_sim_plan_destroy(fl_sim_plan *plan);

/* What the plan was made from; `model` is the plan's own copy, in which a workload has set the stop
 * rule. */
const fl_sim_set_up *fl_sim_plan_set_up(const fl_sim_plan *plan);

/* Packets of all messages of a workload. */
uint64_t fl_sim_plan_packets(const fl_sim_plan *plan);

/* The number of the node on which a process of a workload runs. */
uint32_t fl_sim_plan_node_of(const fl_sim_plan *plan, uint32_t process);

/* Cycles from the first request to the arrival of a packet that takes the `count` links and meets
 * no other: what the model adds up to. */
uint64_t fl_sim_zero_load_latency(const fl_sim_plan *plan, const fl_link *links, size_t count);

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

#ifdef __cplusplus
}
#endif
#endif
