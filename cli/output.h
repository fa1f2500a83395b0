/* Private to cli: where results go: a folder, or standard output. Options: out, no-figures, log-y, quiet. */
#ifndef FL_CLI_OUTPUT_H
#define FL_CLI_OUTPUT_H

#include "cli/cli.h"
#include "experiments/experiments.h"

enum { FL_PATH_MAX = 4096 };

/* Everything that could keep results from being written is found out before the work. Nothing is
 * overwritten but by `force`, and what an interrupted run of the experiment `resumed` (NULL: a
 * new run) left there; leftovers of a checkpoint go when a new run begins. `figures_of`: figures of this
 * experiment will be drawn (NULL: none). False after a complaint. */
bool fl_output_prepare(const char *folder, bool force, const fl_experiment *figures_of, const fl_experiment *resumed);

/* Files, figures and a summary, or CSV on standard output. Returns the exit code; results that cannot be
 * written into the folder are saved elsewhere (FL_EXIT_BAD_INPUT). */
int fl_output_deliver(const fl_results *results, const fl_option *options);

/* The name of the checkpoint in the folder; is it there? */
bool fl_output_checkpoint(char *path, size_t size, const char *folder);
void fl_output_end_checkpoint(const char *folder); /* removes it */

#endif
