/* Results of sweeps: files, tables, figures, reading and merging. */
#ifndef FL_EXPERIMENTS_SWEEP_RESULTS_H
#define FL_EXPERIMENTS_SWEEP_RESULTS_H

#include "experiments/sweep/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the table of docs/results.md: a header, then one row a router and fault level. */
void fl_results_csv(const fl_results *results, fl_text *out);
/* Appends everything: canonical spec, hash, seed, version, host, raw counts, paired differences. */
void fl_results_json(const fl_results *results, fl_text *out);
/* Appends a short table to look at. */
void fl_results_summary(const fl_results *results, fl_text *out);

/* sweep.csv and sweep.json in an existing folder. */
fl_status fl_results_write(const fl_results *results, const char *folder, fl_error *error);
/* The figures of the experiment, or two of all routers when it names none: PNG and SVG. */
fl_status fl_results_draw(const fl_results *results, const char *folder, bool log_y,
                          fl_error *error);

/* Reads what fl_results_json wrote: the experiment from the spec that is in it, and the counts.
 * Takes nothing on trust: ranges, lengths of lists, and the sums that must hold. Both are the
 * caller's to destroy, the results first. */
fl_status fl_results_read(fl_results **out, fl_experiment **experiment, const char *path,
                          fl_error *error);

/* Are there results of this very experiment in the file? */
bool fl_results_goes_on(const char *path, const fl_experiment *experiment);

/* Are these results whole: of this run of the experiment (its trials, its precision), with nothing
 * left to do? */
bool fl_results_are_complete(const char *path, const fl_experiment *experiment,
                             const fl_run_options *run);

/* Adds the results of several files up. They must be of one experiment, and no trial in two of
 * them. Trials that are in none of them make the result partial. */
fl_status fl_results_merge(fl_results **out, fl_experiment **experiment, const char *const *paths,
                           size_t count, fl_error *error);

/* Appends what is missing, for example "trials 2500 to 4999"; nothing when nothing is. */
void fl_results_gaps(const fl_results *results, fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
