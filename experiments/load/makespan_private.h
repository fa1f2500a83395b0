/* Private to experiments: times of workloads on several networks. */
#ifndef FL_EXPERIMENTS_LOAD_MAKESPAN_PRIVATE_H
#define FL_EXPERIMENTS_LOAD_MAKESPAN_PRIVATE_H

#include "experiments/results.h"

typedef struct fl_makespan_network {
    char *label;
    fl_network *network;
    fl_router *router;
} fl_makespan_network;

typedef struct fl_makespan_workload {
    char *label; /* as in the spec */
    fl_sim_workload *workload;
} fl_makespan_workload;

struct fl_makespan_spec {
    char *name, *title, *source;
    const fl_sim_preset *preset;
    fl_sim_model model;
    uint64_t seed;
    unsigned runs; /* with the seeds seed, seed + 1, ... */
    unsigned network_count, workload_count;
    fl_makespan_network networks[FL_MAKESPAN_NETWORKS_MAX];
    fl_makespan_workload workloads[FL_MAKESPAN_WORKLOADS_MAX];
    fl_sim_plan *plans[FL_MAKESPAN_NETWORKS_MAX][FL_MAKESPAN_WORKLOADS_MAX];
    double published[FL_MAKESPAN_QUANTITIES][FL_MAKESPAN_NETWORKS_MAX]; /* NAN: nothing is */
};

struct fl_makespan {
    const fl_makespan_spec *spec;
    fl_sim_result *results; /* [workload][network][run] */
    size_t count;
    bool partial;
    double wall_seconds;
    unsigned threads, ranks;
    char started[32];
};

/* The place of a run in `results`. */
size_t fl_makespan_place(const fl_makespan_spec *spec, unsigned network, unsigned workload,
                         unsigned run);

FL_INLINE const fl_sim_result *fl_makespan_result(const fl_makespan *m, unsigned network,
                                                  unsigned workload, unsigned run)
{
    return &m->results[fl_makespan_place(m->spec, network, workload, run)];
}

/* Links of a class that a packet took on its path, on average; NAN: no packet arrived. */
double fl_makespan_links_per_packet(const fl_makespan *m, const fl_sim_result *r,
                                    unsigned link_class);

#endif
