/* Private to cli: what `simulate` does with one set of options, and with a spec of several. */
#ifndef FL_CLI_COMMANDS_SIMULATE_H
#define FL_CLI_COMMANDS_SIMULATE_H

#include "cli/cli.h"
#include "experiments/experiments.h"

/* What the options of a simulation mean. */
typedef struct fl_simulate_bound {
    const fl_sim_plan *plan;
    const char *preset;
    const double *loads;
    uint32_t load_count;
    uint64_t seed, runs;
    struct job *owner;
} fl_simulate_bound;

/* False after saying what is wrong. To be released in any case. */
bool fl_simulate_bind(fl_option *options, fl_simulate_bound *out);
void fl_simulate_release(fl_simulate_bound *bound);

/* The note on deadlock, if there is one, on standard error; `where` stands in front of the router,
 * e.g. "curve 1: ". */
void fl_simulate_print_proof(const fl_sim_plan *plan, const fl_sim_proof *proof, const char *where);

/* A time series asked for on the command line needs a place; false after saying so. */
bool fl_check_series_options(const fl_option *options);

/* `faultline simulate SPEC.json`; `options` [count] as given beside it, with the one that ends
 * them; `ranks` may be NULL. Returns the exit code. */
int fl_simulate_spec(const char *path, const fl_option *options, size_t count, fl_ranks *ranks);

#endif
