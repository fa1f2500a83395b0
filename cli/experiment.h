/* Private to cli: what the commands that take specs share. */
#ifndef FL_CLI_EXPERIMENT_H
#define FL_CLI_EXPERIMENT_H

#include "cli/cli.h"

/* The JSON of a spec file, for cJSON_Delete. NULL after a complaint. */
struct cJSON *fl_spec_load(const char *path);

/* The spec file (NULL: none) with the options of the call laid over it. NULL after a complaint. */
fl_experiment *fl_experiment_of(const fl_call *call, const char *path);

/* Prints what the user should know about the routers, to standard error. */
void fl_print_notes(const fl_experiment *experiment);

#endif
