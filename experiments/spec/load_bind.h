/* A spec of simulations bound: networks, routers, traffic, faults and plans, ready to be run. */
#ifndef FL_EXPERIMENTS_SPEC_LOAD_BIND_H
#define FL_EXPERIMENTS_SPEC_LOAD_BIND_H

#include "experiments/load/curves.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the plans of one curve borrow. */
typedef struct fl_bound_load {
    fl_network *network; /* network, router and workload: of all curves that ask for the same */
    fl_router *router;
    fl_sim_traffic *traffic;   /* or */
    fl_sim_workload *workload; /* NULL: traffic */
    const fl_sim_preset *preset;
    fl_sim_model model;
    fl_sim_failure *failures; /* [failure_count] in rising order of cycles */
    size_t failure_count;
    size_t plan_count;    /* fault sets of all fault rates; 1 without drawn sets */
    fl_fault_set *faults; /* [plan_count] */
    fl_sim_plan **plans;  /* [plan_count] */
    double load;          /* of a workload: 0 */
    fl_sim_task *tasks;   /* of the curve */
} fl_bound_load;

/* A spec with everything that it takes to run it. */
typedef struct fl_load_study {
    const fl_load_spec *spec; /* borrowed */
    fl_bound_load *bound;     /* [spec->curve_count] */
    fl_load_curve *curves;    /* [spec->curve_count], for fl_load_run */
} fl_load_study;

/* Makes the networks, routers, faults and plans of a spec, which it borrows. FL_ERR_INVALID names
 * the curve, the option and what would be valid; FL_ERR_MEMORY. fl_load_study_destroy(*out). */
fl_status fl_load_bind(fl_load_study **out, const fl_load_spec *spec, fl_error *error);
void fl_load_study_destroy(fl_load_study *study);

/* Is it one curve of given loads without drawn fault sets to average over, so that it can be run by
 * fl_simulation_run? A workload, and a search for saturation, always are. */
bool fl_load_is_single(const fl_load_spec *spec);

/* Works out the note on deadlock of every curve against the load (fl_sim_prove). Curves of which
 * each run has faults of its own, and times of workloads, stay without one. */
fl_status fl_load_study_prove(fl_load_study *study, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
