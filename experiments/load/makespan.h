/* Times of workloads on several networks: results of a fl_load_spec that has a `makespan`, bound by
 * fl_load_bind and run by fl_load_run. */
#ifndef FL_EXPERIMENTS_LOAD_MAKESPAN_H
#define FL_EXPERIMENTS_LOAD_MAKESPAN_H

#include "experiments/load/curves.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Did all messages of all runs arrive? */
bool fl_makespan_is_complete(const fl_load_results *results);
/* Time of a workload, in cycles: mean over the seeds. NAN where a run did not complete. */
double fl_makespan_cycles(const fl_load_results *results, unsigned network, unsigned workload);
/* The same over that of the first network. */
double fl_makespan_time(const fl_load_results *results, unsigned network, unsigned workload);
/* Performance, a cost, or an efficiency of a network; NAN where a run did not complete. */
double fl_makespan_quantity_of(const fl_load_results *results, unsigned network,
                               fl_makespan_quantity quantity);

/* Appends a row for each run. */
void fl_makespan_csv(const fl_load_results *results, fl_text *out);
/* Appends everything that was set, and all results. */
void fl_makespan_json(const fl_load_results *results, fl_text *out);
/* Appends tables of times, and of performance, cost and efficiency, ended by the notes. */
void fl_makespan_summary(const fl_load_results *results, fl_text *out);
/* Appends a line "note: ..." unless all messages of all runs arrived, or the runs were stopped. */
void fl_makespan_notes(const fl_load_results *results, fl_text *out);
/* Writes folder/makespan.csv and folder/makespan.json, both or neither. FL_ERR_IO, FL_ERR_MEMORY.
 */
fl_status fl_makespan_write(const fl_load_results *results, const char *folder, fl_error *error);
/* Draws the figures, of times and of levels, into folder/makespan-NAME. FL_ERR_IO, FL_ERR_MEMORY.
 */
fl_status fl_makespan_draw(const fl_load_results *results, const char *folder, bool log_y,
                           fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
