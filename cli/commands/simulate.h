/* Private to cli: `simulate` of one curve. */
#ifndef FL_CLI_COMMANDS_SIMULATE_H
#define FL_CLI_COMMANDS_SIMULATE_H

#include "cli/output.h"

/* Runs the one curve of a study (fl_load_is_single); `ready`: is there one, on this rank? Returns
 * the exit code. */
int fl_simulate_single(const fl_call *call, const fl_load_study *study, bool ready,
                       const fl_output_values *output, unsigned threads);

/* Prints the note on deadlock, if there is one, to standard error; `where` stands in front of the
 * router, e.g. "curve 1: ". */
void fl_simulate_print_proof(const fl_sim_plan *plan, const fl_sim_proof *proof, const char *where);

#endif
