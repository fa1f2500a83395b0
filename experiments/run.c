#include "experiments/experiments.h"

#include <stdlib.h>

/* Progress of one sweep as progress of the experiment. */
typedef struct relay {
    const fl_run_options *options;
    uint64_t before, all;
} relay;

static void relay_progress(void *user, uint64_t done, uint64_t trials)
{
    relay *r = user;
    (void)trials;
    r->options->progress(r->options->user, r->before + done, r->all);
}

static fl_status run_sweep(fl_results *results, unsigned i, const fl_run_options *options, fl_error *error)
{
    const fl_experiment *experiment = results->experiment;
    const fl_bound_sweep *bound = &experiment->bound[i];
    relay r = {options, experiment->trials * i, experiment->trials * experiment->sweep_count};
    fl_sweep sweep = {
        .network = bound->network,
        .model = bound->model,
        .routers = bound->routers,
        .router_count = bound->router_count,
        .seed = experiment->seed,
        .trials = experiment->trials,
        .threads = options->threads,
        .stop = options->stop,
        .progress = options->progress ? relay_progress : NULL,
        .user = &r,
    };
    results->counts[i] = fl_counts_create(bound->router_count, fl_fault_model_levels(bound->model));
    if (!results->counts[i])
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the counts of %s", bound->network->spec);
    fl_status status = fl_sweep_run(&sweep, results->counts[i], error);
    results->partial |= results->counts[i]->trials < experiment->trials;
    return status;
}

fl_status fl_experiment_run(fl_results **out, const fl_experiment *experiment, const fl_run_options *options, fl_error *error)
{
    fl_results *results = calloc(1, sizeof *results);
    if (results)
        results->counts = calloc(experiment->sweep_count, sizeof *results->counts);
    if (!results || !results->counts) {
        free(results);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the results");
    }
    results->experiment = experiment;
    results->threads = options->threads;
    fl_time_stamp(results->started);
    double start = fl_seconds_now();
    fl_status status = FL_OK;
    for (unsigned i = 0; i < experiment->sweep_count && !status; i++)
        status = run_sweep(results, i, options, error);
    results->wall_seconds = fl_seconds_now() - start;
    if (status) {
        fl_results_destroy(results);
        return status;
    }
    *out = results;
    return FL_OK;
}

void fl_results_destroy(fl_results *results)
{
    if (!results)
        return;
    for (unsigned i = 0; i < results->experiment->sweep_count; i++)
        fl_counts_destroy(results->counts[i]);
    free(results->counts);
    free(results);
}
