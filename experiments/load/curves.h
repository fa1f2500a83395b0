/* Several curves under load. */
#ifndef FL_EXPERIMENTS_LOAD_CURVES_H
#define FL_EXPERIMENTS_LOAD_CURVES_H

#include "experiments/load/simulation.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif

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

/* An option of `faultline simulate`, by its name without dashes in front; "" is the value of a
 * switch. */
typedef struct fl_load_setting {
    char *name, *value;
} fl_load_setting;

typedef struct fl_load_settings {
    fl_load_setting *of;
    size_t count;
} fl_load_settings;

typedef struct fl_load_figure {
    char *name, *title; /* title may be NULL */
    fl_load_quantity quantity;
    fl_load_axis axis;
    bool log_y;
    double x_min, x_max, y_min, y_max; /* NAN: from the data; the lower ends from 0 */
    char **curves;                     /* labels; NULL: all */
    unsigned curve_count;
    char
        *difference_to; /* NULL, or the label of the curve whose values are taken off, run by run */
} fl_load_figure;

/* Curves of load after load; or, with fault rates, of one load each, against the fault rate,
 * averaged over several sets of faults. */
typedef struct fl_load_spec {
    char *name, *title, *source; /* title and source may be NULL */
    fl_load_settings common;     /* of all curves that do not have their own */
    unsigned curve_count, figure_count;
    struct fl_load_curve_spec {
        char *label;
        fl_load_settings settings;
    } * curves;
    fl_load_figure *figures;
    double *fault_rates; /* [fault_fault_points] rising; NULL: curves of loads */
    uint32_t fault_fault_points;
    uint64_t fault_sets; /* of every rate */
} fl_load_spec;

/* Checks everything but the settings' values, which are the caller's to bind. `options` (ended by
 * NULL) are the names that settings may have; in JSON they are written with _ for -.
 * experiments/simulation.schema.json describes the file. */
fl_status fl_load_spec_read(fl_load_spec **out, const struct cJSON *json, const char *where,
                            const char *const *options, fl_error *error);
fl_status fl_load_spec_parse(fl_load_spec **out, const char *text, size_t length, const char *where,
                             const char *const *options, fl_error *error);
void fl_load_spec_destroy(fl_load_spec *spec);
const char *fl_load_spec_setting(const fl_load_settings *settings,
                                 const char *name); /* NULL: not there */
const char *fl_load_spec_figure(
    const fl_load_spec *spec,
    unsigned index); /* its name; the usual two if it names none; NULL beyond the last */

/* A curve ready to be run: `repeats` runs of every point, the same in number for all points. */
typedef struct fl_load_curve {
    const char *label, *preset;
    size_t points, repeats;
    const double *x;          /* [points] offered loads or fault rates */
    const fl_sim_task *tasks; /* [point * repeats + repeat] */
    fl_sim_proof
        proof; /* of curves against the load; with fault rates every run has faults of its own */
} fl_load_curve;

typedef struct fl_load_options {
    unsigned threads;       /* of this process */
    fl_ranks *ranks;        /* NULL: this process alone. Rank 0 gets all results */
    const char *checkpoint; /* NULL, or a file that gets every finished run, and is read first if it
                               is there; rank 0's */
    const atomic_bool *stop;
    void (*progress)(void *user, uint64_t done,
                     uint64_t all); /* NULL, or as for fl_simulation_spec */
    void (*warn)(void *user,
                 const char *text); /* NULL, or called for what does not keep it from going on */
    void *user;
} fl_load_options;

typedef struct fl_load_results {
    const fl_load_spec *spec;
    const fl_load_curve *curves;   /* [spec->curve_count] */
    fl_sim_result *results;        /* of all curves' tasks, one after the other */
    size_t result_count, taken_up; /* taken_up: read from the checkpoint */
    bool partial;
    bool second_apart; /* the points of the second curve are not joined in figures */
    unsigned threads, ranks;
    double wall_seconds;
    char started[32];
} fl_load_results;

/* Runs all curves. Spec and curves are borrowed; the caller destroys the results. FL_ERR_INVALID: a
 * checkpoint of another experiment; FL_ERR_ROUTER if a router breaks the contract, FL_ERR_MEMORY.
 */
fl_status fl_load_run(fl_load_results **out, const fl_load_spec *spec, const fl_load_curve *curves,
                      const fl_load_options *options, fl_error *error);
void fl_load_results_destroy(fl_load_results *results);

/* Reads simulate.json of a finished run of the same spec back, for the figures: intervals have ten
 * digits, and what hangs on a deadlock is not there. FL_ERR_INVALID: the file is of another spec,
 * other options or another version, partial or damaged; FL_ERR_IO: it cannot be read. */
fl_status fl_load_read(fl_load_results **out, const fl_load_spec *spec, const fl_load_curve *curves,
                       const char *path, fl_error *error);
/* Appends a row for each run. */
void fl_load_csv(const fl_load_results *results, fl_text *out);
/* Appends everything that was set, the points of the curves, and all results. */
void fl_load_json(const fl_load_results *results, fl_text *out);
/* Appends a short table, ended by the notes. */
void fl_load_summary(const fl_load_results *results, fl_text *out);
/* Appends lines as fl_simulation_notes does, with the label of the curve. */
void fl_load_notes(const fl_load_results *results, fl_text *out);
/* Writes folder/simulate.csv and folder/simulate.json, both or neither. FL_ERR_IO, FL_ERR_MEMORY.
 */
fl_status fl_load_write(const fl_load_results *results, const char *folder, fl_error *error);
/* Draws the figures of the spec, or the usual two, into folder/simulate-NAME; `log_y`: every axis
 * that can be is logarithmic. FL_ERR_IO, FL_ERR_MEMORY. */
fl_status fl_load_draw(const fl_load_results *results, const char *folder, bool log_y,
                       fl_error *error);

/* One point of a curve: the mean over its runs, and 95% confidence: of several runs from their
 * differences (Student), of one from batch means, which there are for the latency and the accepted
 * load. NAN where a run has no value, e.g. the latency of a saturated load. */
void fl_load_point(const fl_load_results *results, unsigned curve, size_t point,
                   fl_load_quantity quantity, double *value, fl_interval *interval);

#ifdef __cplusplus
}
#endif
#endif
