/* What a simulation is asked for: options of `faultline simulate`, and keys of its specs. */
#ifndef FL_EXPERIMENTS_SPEC_LOAD_OPTIONS_H
#define FL_EXPERIMENTS_SPEC_LOAD_OPTIONS_H

#include "experiments/spec/options.h"
#include "sim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of the rows; what was not given is its default, or unused. */
typedef struct fl_load_values {
    char *topology;
    fl_name_list routers;
    fl_scope scope;
    unsigned channels;
    char *preset, *traffic;
    fl_rate_list load;
    bool steady;
    fl_sim_model model; /* where given; else the preset's */
    char *link_latency;
    char *fail;
    uint64_t faults;
    fl_rate_list fault_rate;
    char *fault_model;
    uint64_t fault_seed, fault_sets;
    char *fail_at;
    uint64_t series, seed;
    unsigned runs;
    char *workload; /* of a single simulation only, like the next */
    bool find_saturation;
} fl_load_values;

/* Groups of rows of fl_load_values: the keys of specs; and these with the options that belong to a
 * single simulation. */
extern const fl_option_group fl_load_keys[], fl_load_groups[];

/* Keys at the top of specs of workloads on several networks. */
extern const fl_option_group fl_makespan_keys[];

/* Those of a fl_sim_model alone. */
extern const fl_option_group fl_load_model_groups[];

enum { FL_LOAD_RUNS_MAX = 1000, FL_LOAD_LOADS_MAX = 1000 };

#ifdef __cplusplus
}
#endif
#endif
