/* Private to cli: what the commands that run simulations share: binding a spec, its folder and
 * checkpoint, running it, and delivering what came of it. */
#ifndef FL_CLI_COMMANDS_LOAD_H
#define FL_CLI_COMMANDS_LOAD_H

#include "cli/output.h"

typedef struct fl_load_run_values {
    unsigned threads;
    bool resume;
    fl_output_values output;
} fl_load_run_values;
extern const fl_option_row fl_load_run_rows[]; /* but for those of the output */

typedef struct fl_load_job {
    const fl_call *call;
    const fl_load_run_values *values;
    const fl_deliverable *what; /* names of files, and functions; the results come later */
    fl_load_spec *spec;
    fl_load_study *study;
    unsigned threads;
    char checkpoint[FL_PATH_MAX];
    /* NULL, or what the folder holds: this very run has come to its end before */
    fl_load_results *finished;
} fl_load_job;

/* Makes networks, routers and plans of the job's spec, which may take a while. `name`: of the spec
 * or the network, for who waits. False after a complaint. */
bool fl_load_job_bind(fl_load_job *job, const char *name);

/* Runs the curves of the study; `ready`: is there one, on this rank? Returns the exit code. */
int fl_load_job_run(fl_load_job *job, bool ready);

/* Runs the one curve of a study (fl_load_is_single) as a simulation, with `ready` as above. Returns
 * the exit code. */
int fl_simulate_single(const fl_load_job *job, bool ready);

/* Frees spec, study and results. */
void fl_load_job_end(fl_load_job *job);

/* Prints the note on deadlock, if there is one, to standard error; `where` stands in front of the
 * router, e.g. "curve 1: ". */
void fl_load_print_proof(const fl_sim_plan *plan, const fl_sim_proof *proof, const char *where);

#endif
