/* Specs of simulations: several curves under load, and figures of them. */
#ifndef FL_EXPERIMENTS_SPEC_LOAD_SPEC_H
#define FL_EXPERIMENTS_SPEC_LOAD_SPEC_H

#include "experiments/spec/load_options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FL_LOAD_CURVES_MAX = 64, FL_LOAD_FIGURES_MAX = 64, FL_LOAD_REPEATS_MAX = 1000 };

/* What a figure shows: a number of one run, or one for each interval of its time series. */
typedef enum fl_load_quantity {
    FL_LOAD_LATENCY,
    FL_LOAD_NETWORK_LATENCY,
    FL_LOAD_LATENCY_P99,
    FL_LOAD_ACCEPTED,
    FL_LOAD_HOPS,
    FL_LOAD_CONFLICTS,
    FL_LOAD_PORTS_WITH_CONFLICT,
    FL_LOAD_CONFLICTS_PER_PACKET,
    FL_LOAD_RECEIVED,
    FL_LOAD_RECEIVED_SENT,
    FL_LOAD_LOST,
    FL_LOAD_SERIES_LATENCY,
    FL_LOAD_SERIES_DELIVERED,
    FL_LOAD_SERIES_LOST,
    FL_LOAD_SERIES_RETRIED,
    FL_LOAD_QUANTITIES
} fl_load_quantity;
extern const char
    *const fl_load_quantity_names[FL_LOAD_QUANTITIES + 1]; /* latency, ...; ended by NULL */

/* ... and against what. `cycle` belongs to the time series, `fault_rate` to specs with fault rates.
 */
typedef enum fl_load_axis {
    FL_LOAD_AXIS_OFFERED,
    FL_LOAD_AXIS_ACCEPTED,
    FL_LOAD_AXIS_FAULT_RATE,
    FL_LOAD_AXIS_CYCLE,
    FL_LOAD_AXES
} fl_load_axis;
extern const char *const fl_load_axis_names[FL_LOAD_AXES + 1];

typedef struct fl_load_figure {
    char *name, *title; /* title may be NULL */
    fl_load_quantity quantity;
    fl_load_axis axis;
    bool log_y;
    double x_min, x_max, y_min, y_max; /* NAN: from the data; the lower ends from 0 */
    fl_name_list curves;               /* labels; none: all */
    char
        *difference_to; /* NULL, or the label of the curve whose values are taken off, run by run */
} fl_load_figure;

enum { FL_MAKESPAN_NETWORKS_MAX = 8, FL_MAKESPAN_WORKLOADS_MAX = 64 };

/* What is published beside the times of workloads (thin-tree paper, Table III). */
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

/* Workloads on several networks: each of the spec's curves is one workload on one network, with
 * number workload * network_count + network. */
typedef struct fl_makespan_spec {
    unsigned network_count, workload_count;
    char *labels[FL_MAKESPAN_NETWORKS_MAX];                             /* [network_count] */
    double published[FL_MAKESPAN_QUANTITIES][FL_MAKESPAN_NETWORKS_MAX]; /* NAN: nothing is */
} fl_makespan_spec;

/* Curves of load after load; or, with several fault rates, of one load each, against the fault
 * rate; or times of workloads. */
typedef struct fl_load_spec {
    char *name, *title, *source; /* title and source may be NULL */
    unsigned curve_count, figure_count;
    struct fl_load_curve_spec {
        char *label;
        fl_load_values values; /* complete: defaults, what holds for all curves, its own */
        fl_options options;    /* of these values */
    } * curves;
    bool listed; /* by `curves`; else they are the routers, one curve each */
    fl_load_figure *figures;
    double *fault_rates; /* [fault_points] rising; NULL: curves of loads */
    uint32_t fault_points;
    fl_makespan_spec *makespan; /* NULL: no workloads on several networks */
} fl_load_spec;

/* Reads a spec (experiments/simulation.schema.json describes it), with options laid over it, of any
 * table that has rows of fl_load_keys; they replace what it says of all its curves. `over` may be
 * NULL; `json` may be NULL, for options alone: one curve for each router. `where` names the text in
 * messages, and may be NULL. Names and numbers that depend on the network are checked when the spec
 * is bound (fl_load_bind). */
fl_status fl_load_spec_read(fl_load_spec **out, const struct cJSON *json, const char *where,
                            const fl_options *over, fl_error *error);
/* The same of a text of `length` bytes. */
fl_status fl_load_spec_parse(fl_load_spec **out, const char *text, size_t length, const char *where,
                             const fl_options *over, fl_error *error);
/* Reads a spec of workloads on several networks (experiments/makespan.schema.json describes it).
 * `only`: names of workloads of the file, split by ';', or NULL for all. */
fl_status fl_makespan_spec_read(fl_load_spec **out, const struct cJSON *json, const char *where,
                                const char *only, fl_error *error);
void fl_load_spec_destroy(fl_load_spec *spec);

/* The name of its figure `index`: the usual two if it names none; NULL after the last. */
const char *fl_load_spec_figure(const fl_load_spec *spec, unsigned index);

#ifdef __cplusplus
}
#endif
#endif
