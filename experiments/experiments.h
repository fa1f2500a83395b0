/* experiments: sampled sweeps over fault levels, their specs, results and figures. */
#ifndef FL_EXPERIMENTS_H
#define FL_EXPERIMENTS_H

#include "routing/routing.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
extern "C" {
#else
#include <stdatomic.h>
#endif

/* ---- sweeping --------------------------------------------------------------------- */

enum { FL_SWEEP_ROUTERS_MAX = 64, FL_SWEEP_THREADS_MAX = 1024 };

/* Every router is asked about the same pairs under the same fault orders, at every level. */
typedef struct fl_sweep {
    const fl_network *network;
    const fl_fault_model *model;
    fl_router *const *routers; /* of one type and scope */
    unsigned router_count;
    uint64_t seed;
    uint64_t first_trial, trials;
    unsigned threads;
    const atomic_bool *stop;   /* NULL, or set by somebody to end early */
    void (*progress)(void *user, uint64_t done, uint64_t trials); /* NULL, or called a few times a second */
    void *user;
} fl_sweep;

/* Raw counts of one (router, level). */
typedef struct fl_count {
    uint64_t delivered;
    uint64_t length_sum, length_squares; /* of the delivered packets' path lengths in links */
    uint64_t blocked[FL_REASONS];
} fl_count;

typedef struct fl_counts {
    unsigned routers;
    uint32_t levels;
    uint64_t first_trial, trials; /* trials first_trial .. first_trial + trials - 1 are in here */
    fl_count *of;                 /* [router * levels + level] */
    uint64_t *both;               /* [pair * levels + level]: both delivered; pairs (0,1), (0,2), (1,2), (0,3), ... */
} fl_counts;

/* Where the pair of routers a < b stands in `both`. */
FL_INLINE unsigned fl_counts_pair(unsigned a, unsigned b)
{
    return b * (b - 1) / 2 + a;
}

fl_counts *fl_counts_create(unsigned routers, uint32_t levels); /* NULL: out of memory */
void fl_counts_destroy(fl_counts *counts);

/* Runs the trials. Ended early by `stop`, counts->trials says how many are in: always the first
 * so many. The counts do not depend on the number of threads. */
fl_status fl_sweep_run(const fl_sweep *sweep, fl_counts *counts, fl_error *error);

/* ---- experiments: what a JSON spec or the command line asks for ---------------------- */

/* One sweep of an experiment, as asked for. Texts are owned by the experiment. */
typedef struct fl_sweep_spec {
    char *topology, *fault_model;
    char *faults, *fault_rate; /* one of the two, or neither: rates 0 to 1 in steps of 0.01 */
    fl_scope scope;
    char **routers;
    unsigned router_count;
} fl_sweep_spec;

typedef enum fl_quantity { FL_QUANTITY_SUCCESS_RATIO, FL_QUANTITY_MEAN_PATH_LENGTH } fl_quantity;
extern const char *const fl_quantity_names[]; /* success_ratio, mean_path_length; ended by NULL */

typedef struct fl_figure_spec {
    char *name;   /* of the file, without suffix */
    char *title;  /* or NULL */
    fl_quantity quantity;
    bool log_y;
    char **routers; /* NULL: all */
    unsigned router_count;
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
    fl_sweep_spec *sweeps;
    fl_bound_sweep *bound;       /* [sweep_count] */
    fl_figure_spec *figures;
    char *canonical;             /* JSON text of what is measured: equal texts measure the same */
    char hash[17];               /* of the canonical text */
} fl_experiment;

/* Reads a spec (experiments/experiment.schema.json describes it) and binds it: every name and
 * number is checked here. `where` names the text in messages. */
fl_status fl_experiment_parse(fl_experiment **out, const char *text, size_t length, const char *where, fl_error *error);
/* The same of JSON that was parsed by fl_json_parse; `where` may be NULL. */
fl_status fl_experiment_read(fl_experiment **out, const struct cJSON *json, const char *where, fl_error *error);
void fl_experiment_destroy(fl_experiment *experiment);

/* ---- curves without sampling error ------------------------------------------------------ */

/* Of one fault level. The success ratio lies in success_low..success_high: one value, but for
 * what was left out (fl_exact_options.prune). */
typedef struct fl_exact_point {
    double success_low, success_high;
    bool has_length;                 /* something is delivered at all */
    double length_low, length_high;
} fl_exact_point;

typedef struct fl_exact_options {
    double budget;         /* seconds for one router; then bounds instead of values. <= 0: no limit */
    double tolerance;      /* bounds as narrow as this at every level are good enough; 0: narrower while time is left */
    uint64_t states_max;   /* branchings of one exploration, which bounds its memory (about 3 KB each); 0: no limit */
    bool every_pair;       /* do not use the network's symmetry */
    bool plain;            /* do not merge: every leaf of the decision tree by itself */
    unsigned threads;      /* routers are explored side by side */
    const atomic_bool *stop;
    void (*progress)(void *user, uint64_t done, uint64_t all); /* routers done */
    void *user;
} fl_exact_options;

typedef struct fl_exact_curve {
    fl_exact_point *points; /* [levels] */
    bool exact;             /* nothing was left out */
    bool whole_numbers;     /* all counts below 2^64: nothing was rounded before the last division */
    double prune;           /* histories less likely than this at every level were left out */
    uint64_t states, pair_classes;
    double seconds;
} fl_exact_curve;

/* Success ratio and mean path length over all ordered pairs of different nodes, of one router.
 * When the budget ends before anything rigorous is there, the bounds are 0 and 1. */
fl_status fl_exact_run(const fl_bound_sweep *bound, unsigned router, const fl_exact_options *options, fl_exact_curve *curve,
                       fl_error *error);

typedef struct fl_exact_results {
    const fl_experiment *experiment;
    fl_exact_curve *curves;  /* of all sweeps' routers, one after the other */
    unsigned curve_count;
    bool partial;            /* ended by `stop`: routers without a curve have no rows */
    char started[32];
    double wall_seconds;
} fl_exact_results;

fl_status fl_exact_experiment(fl_exact_results **out, const fl_experiment *experiment, const fl_exact_options *options,
                              fl_error *error);
void fl_exact_results_destroy(fl_exact_results *results);
void fl_exact_csv(const fl_exact_results *results, fl_text *out);
void fl_exact_json(const fl_exact_results *results, fl_text *out);
void fl_exact_summary(const fl_exact_results *results, fl_text *out);
/* exact.csv and exact.json; figures (exact-NAME.png and .svg). */
fl_status fl_exact_write(const fl_exact_results *results, const char *folder, fl_error *error);
fl_status fl_exact_draw(const fl_exact_results *results, const char *folder, bool log_y, fl_error *error);

/* ---- results -------------------------------------------------------------------------- */

typedef struct fl_run_options {
    unsigned threads;
    const atomic_bool *stop;
    void (*progress)(void *user, uint64_t done, uint64_t trials); /* over all sweeps together */
    void *user;
} fl_run_options;

typedef struct fl_results {
    const fl_experiment *experiment;
    fl_counts **counts;    /* [sweep_count] */
    bool partial;          /* ended before all trials were done */
    unsigned threads;
    char started[32];      /* UTC, ISO 8601 */
    double wall_seconds;
} fl_results;

fl_status fl_experiment_run(fl_results **out, const fl_experiment *experiment, const fl_run_options *options, fl_error *error);
void fl_results_destroy(fl_results *results);

/* Appends the table of docs/results.md: a header, then one row a router and fault level. */
void fl_results_csv(const fl_results *results, fl_text *out);
/* Appends everything: canonical spec, hash, seed, version, host, raw counts, paired differences. */
void fl_results_json(const fl_results *results, fl_text *out);
/* Appends a short table to look at. */
void fl_results_summary(const fl_results *results, fl_text *out);

/* sweep.csv and sweep.json in an existing folder. */
fl_status fl_results_write(const fl_results *results, const char *folder, fl_error *error);
/* The figures of the experiment, or two of all routers when it names none: PNG and SVG. */
fl_status fl_results_draw(const fl_results *results, const char *folder, bool log_y, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
