/* Private to experiments: several curves under load. */
#ifndef FL_EXPERIMENTS_LOAD_CURVES_PRIVATE_H
#define FL_EXPERIMENTS_LOAD_CURVES_PRIVATE_H

#include "experiments/load/private.h"
#include "experiments/load/results/results.h"

/* Runs that are finished, in a file that grows by each of them: one that was cut off in the middle
 * of writing counts as not there. The file is this program's on this machine, and says nothing
 * elsewhere. */
typedef struct fl_load_checkpoint fl_load_checkpoint;

/* Opens the file and takes up what is in it: results[i] and done[i] of tasks[i]. `hash` differs
 * between experiments: FL_ERR_INVALID for another one's file. `path` and `tasks` are borrowed.
 * `warn` (or NULL) is called once if results cannot be written now. */
fl_status fl_load_checkpoint_open(fl_load_checkpoint **out, const char *path, uint64_t hash,
                                  const fl_sim_task *tasks, fl_sim_result *results, bool *done,
                                  size_t count, void (*warn)(void *user, const char *text),
                                  void *user, fl_error *error);
/* Writes a result behind the others; fits fl_sim_jobs.finished. */
void fl_load_checkpoint_add(void *checkpoint, size_t task, const fl_sim_result *result);
void fl_load_checkpoint_close(fl_load_checkpoint *checkpoint);

/* Appends the head of a file. This and what follows are for the functions above, and for tests. */
void fl_load_checkpoint_begin(fl_text *out, uint64_t tasks_hash);
/* Appends a record of tasks[task]. */
void fl_load_checkpoint_append(fl_text *out, const fl_sim_task *tasks, size_t task,
                               const fl_sim_result *result);
/* Reads any bytes: *complete of them are a head and records that could be used. FL_ERR_INVALID: the
 * head is another one. */
fl_status fl_load_checkpoint_parse(const char *data, size_t length, const char *path,
                                   uint64_t tasks_hash, const fl_sim_task *tasks,
                                   fl_sim_result *results, bool *done, size_t count,
                                   size_t *complete, fl_error *error);

/* Of everything that the results of these curves depend on; 0: out of memory. */
uint64_t fl_load_hash(const fl_load_spec *spec, const fl_load_curve *curves);

/* Room for all runs, nothing in it. Spec and curves are borrowed. */
fl_status fl_load_results_create(fl_load_results **out, const fl_load_spec *spec,
                                 const fl_load_curve *curves, fl_error *error);

/* Where a curve's results begin. */
size_t fl_load_first(const fl_load_results *results, unsigned curve);

/* Mean over the runs of a point of how much more a curve has than `baseline`, run by run: those of
 * one number have the same seed and, with fault rates, the same set of faults. The interval is that
 * of paired differences (95%, Student's t; NAN of one run). Both curves have the point, and as many
 * runs of it. NAN where a run has no value. */
void fl_load_difference(const fl_load_results *results, unsigned curve, unsigned baseline,
                        size_t point, fl_load_quantity quantity, double *value,
                        fl_interval *interval);

/* A packet count per cycle, or a mean latency in cycles, of interval number `at` of the time series
 * of a curve's first point, of all its runs together: a ratio of two sums over independent runs.
 * Its interval is that of the linearised ratio (95%, Student's t; Cochran, Sampling Techniques, 3rd
 * ed., 2.11); NAN of one run. */
void fl_load_sample(const fl_load_results *results, unsigned curve, size_t at,
                    fl_load_quantity quantity, double *value, fl_interval *interval);

#endif
