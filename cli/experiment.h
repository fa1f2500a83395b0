/* Private to cli: what the commands that take an experiment share. */
#ifndef FL_CLI_EXPERIMENT_H
#define FL_CLI_EXPERIMENT_H

#include "cli/cli.h"
#include "experiments/experiments.h"

/* The spec file (or none: NULL) with the options topology, routers, faults, fault-rate,
 * fault-model, scope, trials and seed laid over it. NULL after saying what is wrong. */
fl_experiment *fl_experiment_from_options(const char *path, const fl_option *options);

/* What a command is going to write into its folder. */
typedef struct fl_outputs {
    const char *const *files;        /* ended by NULL */
    const fl_experiment *figures_of; /* NULL: no figures */
    const char *figure_prefix;
} fl_outputs;

/* Makes the folder of --out, and takes the lock that keeps other runs from writing into it; main
 * gives it back. One folder a run: further calls do nothing. False after a complaint, which names
 * the run that has it. */
bool fl_lock_folder(const char *folder);
/* Gives the lock back. Folders that were made and stayed empty go. */
void fl_unlock_folder(void);

/* Makes and locks the folder and finds out, before the work, everything that could keep results
 * from being written: files that are there already, a folder that cannot be written to. False after
 * saying so; folders that were made for it are removed then. */
bool fl_prepare_folder(const char *folder, const fl_outputs *outputs, bool force);

/* Refuses options that say something about the folder or the figures where there are none. False
 * after a complaint. */
bool fl_check_folder_options(const fl_option *options);

/* What the user should know about the routers, to standard error. */
void fl_print_notes(const fl_experiment *experiment);

/* --threads, or the number of processors. False after saying what is wrong. */
bool fl_threads_from_options(const fl_option *options, unsigned *out);

#endif
