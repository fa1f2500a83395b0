/* Times of workloads on several networks. */
#ifndef FL_EXPERIMENTS_LOAD_MAKESPAN_H
#define FL_EXPERIMENTS_LOAD_MAKESPAN_H

#include "experiments/load/simulation.h"
#include "experiments/spec/options.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { FL_MAKESPAN_NETWORKS_MAX = 8, FL_MAKESPAN_WORKLOADS_MAX = 64 };

/* What is published beside the table of performance and cost (thin-tree paper, Table III). */
typedef enum fl_makespan_quantity {
    FL_MAKESPAN_PERFORMANCE, /* 1 / mean of the normalised times */
    FL_MAKESPAN_COST_CONSTANT,
    FL_MAKESPAN_COST_LINEAR,
    FL_MAKESPAN_COST_QUADRATIC, /* S, S R, S R^2: S switches of radix R */
    FL_MAKESPAN_EFFICIENCY_CONSTANT,
    FL_MAKESPAN_EFFICIENCY_LINEAR,
    FL_MAKESPAN_EFFICIENCY_QUADRATIC, /* performance / cost */
    FL_MAKESPAN_QUANTITIES
} fl_makespan_quantity;
extern const char
    *const fl_makespan_quantity_names[]; /* by value, ended by NULL; keys of `published` */

/* Keys at the top of a spec that set how its workloads are run. */
typedef struct fl_makespan_values {
    char *preset, *router;
    fl_sim_placement placement;
    uint64_t cycles, seed;
    unsigned runs;
} fl_makespan_values;
extern const fl_option_group fl_makespan_keys[];

/* A spec: networks, workloads, and how they are run (experiments/makespan.schema.json describes the
 * file). Everything in it is checked and made. */
typedef struct fl_makespan_spec fl_makespan_spec;
/* `only`: names of workloads of the file, split by ';', or NULL for all. */
fl_status fl_makespan_parse(fl_makespan_spec **out, const char *text, size_t length,
                            const char *where, const char *only, fl_error *error);
void fl_makespan_spec_destroy(fl_makespan_spec *spec);
/* Appends what the results depend on, in lines. */
void fl_makespan_describe(const fl_makespan_spec *spec, fl_text *out);

typedef struct fl_makespan_options {
    unsigned threads; /* of this process */
    fl_ranks *ranks;  /* NULL: this process alone. All ranks get all results */
    const atomic_bool
        *stop; /* NULL, or ends all runs when it becomes true; what is done is marked */
    void (*progress)(void *user, uint64_t done,
                     uint64_t all); /* NULL, or as for fl_simulation_spec */
    void *user;
} fl_makespan_options;

/* Every workload on every network with every seed, from first to last on any number of threads and
 * ranks. Borrows the spec. */
typedef struct fl_makespan fl_makespan;
fl_status fl_makespan_run(fl_makespan **out, const fl_makespan_spec *spec,
                          const fl_makespan_options *options, fl_error *error);
void fl_makespan_destroy(fl_makespan *makespan);

/* Was it stopped before all runs had ended? */
bool fl_makespan_is_partial(const fl_makespan *makespan);
/* Did all messages of all runs arrive? */
bool fl_makespan_is_complete(const fl_makespan *makespan);
/* Wall-clock time of all runs. */
double fl_makespan_seconds(const fl_makespan *makespan);
/* Time of a workload, in cycles: mean over the seeds. NAN where a run did not complete. */
double fl_makespan_cycles(const fl_makespan *makespan, unsigned network, unsigned workload);
/* The same over that of the first network. */
double fl_makespan_time(const fl_makespan *makespan, unsigned network, unsigned workload);
/* Performance, a cost, or an efficiency of a network; NAN where a run did not complete. */
double fl_makespan_quantity_of(const fl_makespan *makespan, unsigned network,
                               fl_makespan_quantity quantity);

/* Appends a row for each run. */
void fl_makespan_csv(const fl_makespan *makespan, fl_text *out);
/* Appends everything that was set, and all results. */
void fl_makespan_json(const fl_makespan *makespan, fl_text *out);
/* Appends tables of times, and of performance, cost and efficiency. */
void fl_makespan_summary(const fl_makespan *makespan, fl_text *out);
/* Writes folder/makespan.csv and folder/makespan.json, both or neither. FL_ERR_IO, FL_ERR_MEMORY.
 */
fl_status fl_makespan_write(const fl_makespan *makespan, const char *folder, fl_error *error);
extern const char *const fl_makespan_figures[]; /* ended by NULL */
/* Draws them into folder/makespan-NAME. FL_ERR_IO, FL_ERR_MEMORY. */
fl_status fl_makespan_draw(const fl_makespan *makespan, const char *folder, bool log_y,
                           fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
