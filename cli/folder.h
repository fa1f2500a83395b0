/* Private to cli: the folder of --out. */
#ifndef FL_CLI_FOLDER_H
#define FL_CLI_FOLDER_H

#include "cli/cli.h"

enum { FL_PATH_MAX = 4096 };

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

#endif
