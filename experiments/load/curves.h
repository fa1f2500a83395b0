/* Several curves under load. */
#ifndef FL_EXPERIMENTS_LOAD_CURVES_H
#define FL_EXPERIMENTS_LOAD_CURVES_H

#include "experiments/load/simulation.h"
#include "experiments/spec/load_spec.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

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
