/* Specs of sweeps and exact curves. */
#ifndef FL_EXPERIMENTS_SPEC_EXPERIMENT_H
#define FL_EXPERIMENTS_SPEC_EXPERIMENT_H

#include "experiments/spec/options.h"
#include "experiments/sweep/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One sweep of an experiment, as asked for. Owned by the experiment. */
typedef struct fl_sweep_spec {
    char *topology, *fault_model;
    char *topology_hash; /* of the file that the network is read from, as it must be; or NULL */
    fl_count_list faults;
    fl_rate_list fault_rate; /* unused where faults are given */
    fl_name_list routers;
    fl_scope scope;
} fl_sweep_spec;

typedef struct fl_sample_spec {
    uint64_t trials, seed;
} fl_sample_spec;

/* Keys of specs, and options of `sweep` and `exact`: of fl_sweep_spec and fl_sample_spec. */
extern const fl_option_row fl_sweep_rows[], fl_sample_rows[];
/* What may stand at the top of a spec, and in its `sweeps`. */
extern const fl_option_group *const fl_experiment_keys, *const fl_sweep_keys;

typedef enum fl_quantity { FL_QUANTITY_SUCCESS_RATIO, FL_QUANTITY_MEAN_PATH_LENGTH } fl_quantity;
extern const char *const fl_quantity_names[]; /* success_ratio, mean_path_length; ended by NULL */

typedef struct fl_figure_spec {
    char *name;  /* of the file, without suffix */
    char *title; /* or NULL */
    fl_quantity quantity;
    bool log_y;
    fl_name_list routers; /* none: all */
    char *reference;      /* canonical name: drawn are differences of success ratios to this router;
                             NULL: the ratios */
} fl_figure_spec;

/* A sweep spec turned into objects. */
typedef struct fl_bound_sweep {
    fl_network *network;
    fl_fault_model *model;
    fl_router *routers[FL_SWEEP_ROUTERS_MAX];
    unsigned router_count;
} fl_bound_sweep;

typedef struct fl_experiment {
    char *name, *title, *source; /* title and source may be NULL */
    uint64_t trials, seed;
    unsigned sweep_count, figure_count;
    fl_sweep_spec *sweeps; /* [sweep_count] */
    fl_options *options;   /* [sweep_count] which of their values were given */
    fl_bound_sweep *bound; /* [sweep_count] */
    fl_figure_spec *figures;
    char *canonical; /* JSON text of what is measured: equal texts measure the same */
    char hash[17];   /* of the canonical text */
} fl_experiment;

/* Reads a spec (experiments/experiment.schema.json describes it) and binds it: every name and
 * number is checked here. `where` names the text in messages. */
fl_status fl_experiment_parse(fl_experiment **out, const char *text, size_t length,
                              const char *where, fl_error *error);
/* The same of JSON that was parsed by fl_json_parse; `where` may be NULL. */
fl_status fl_experiment_read(fl_experiment **out, const struct cJSON *json, const char *where,
                             fl_error *error);
/* The same with options laid over the spec, of any table that has rows of the two above: they
 * replace what stands at its top. `json` may be NULL, for options alone; `over` may be NULL.
 * FL_ERR_INVALID also where a sweep of the spec has its own value of an option. */
fl_status fl_experiment_bind(fl_experiment **out, const struct cJSON *json, const fl_options *over,
                             const char *where, fl_error *error);
void fl_experiment_destroy(fl_experiment *experiment);

/* Names of the figures that are drawn of it, without prefix and suffix: its own, or the usual
 * two. NULL beyond the last. */
const char *fl_experiment_figure(const fl_experiment *experiment, unsigned index);

#ifdef __cplusplus
}
#endif
#endif
