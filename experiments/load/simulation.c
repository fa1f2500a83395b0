/* A simulation of several loads, and the search for saturation. */
#include "core/array.h"
#include "experiments/load/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All runs of some loads, behind those that there are already. */
static fl_status run_loads(fl_simulation *s, const double *loads, size_t count, fl_error *error)
{
    size_t runs = s->spec.runs, before = s->load_count;
    bool good =
        FL_RESIZE(&s->loads, before + count) && FL_RESIZE(&s->results, (before + count) * runs);
    size_t wanted = count * runs;
    fl_sim_task *tasks = good ? calloc(wanted + 1, sizeof *tasks) : NULL;
    fl_sim_jobs own = {.count = wanted,
                       .threads = s->spec.threads,
                       .ranks = s->spec.ranks,
                       .stop = s->spec.stop,
                       .progress = s->spec.progress,
                       .user = s->spec.user};
    if (tasks) {
        memcpy(s->loads + before, loads, count * sizeof *loads);
        own.results = memset(s->results + before * runs, 0, wanted * sizeof *own.results);
        s->load_count += count;
        for (size_t i = 0; i < wanted; i++)
            tasks[i] = (fl_sim_task){s->plan, loads[i / runs], s->spec.seed + i % runs};
    }
    own.tasks = tasks;
    fl_status status = fl_sim_jobs_run(&own, error);
    for (size_t i = 0; !status && i < wanted; i++)
        s->partial |= own.results[i].stopped;
    free(tasks);
    return status;
}

/* ---- saturation ---- */

/* Is a load carried: by every seed, without deadlock? */
static bool is_carried(const fl_simulation *s, size_t load)
{
    for (unsigned run = 0; run < s->spec.runs; run++) {
        const fl_sim_result *r = &s->results[load * s->spec.runs + run];
        if (r->saturated || r->deadlocked || r->stopped)
            return false;
    }
    return true;
}

enum { SPLIT = 4, ROUNDS = 4 };

/* Four loads a round, all at a time: which loads are tried does not depend on the number of
 * threads. */
static fl_status find_saturation(fl_simulation *s, fl_error *error)
{
    double low = 0, high = 1;
    fl_status status = run_loads(s, &high, 1, error);
    if (status)
        return status;
    if (is_carried(s, 0)) {
        s->carried = 1;
        return FL_OK;
    }
    for (unsigned round = 0; round < ROUNDS && !s->partial; round++) {
        double tried[SPLIT], step = (high - low) / (SPLIT + 1);
        for (unsigned i = 0; i < SPLIT; i++)
            tried[i] = low + step * (i + 1);
        size_t first = s->load_count;
        if ((status = run_loads(s, tried, SPLIT, error)) != FL_OK)
            return status;
        unsigned i = 0;
        while (i < SPLIT && is_carried(s, first + i))
            low = tried[i++];
        high = i < SPLIT ? tried[i] : high;
    }
    s->carried = low;
    s->not_carried = high;
    return FL_OK;
}

/* By rising load, whatever the order in which they were tried. */
static fl_status sort_loads(fl_simulation *s, fl_error *error)
{
    size_t runs = s->spec.runs;
    fl_sim_result *kept = malloc(runs * sizeof *kept);
    if (!kept)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the results");
    for (size_t i = 1; i < s->load_count; i++)
        for (size_t j = i; j > 0 && s->loads[j - 1] > s->loads[j]; j--) {
            double load = s->loads[j];
            s->loads[j] = s->loads[j - 1];
            s->loads[j - 1] = load;
            memcpy(kept, &s->results[j * runs], runs * sizeof *kept);
            memcpy(&s->results[j * runs], &s->results[(j - 1) * runs], runs * sizeof *kept);
            memcpy(&s->results[(j - 1) * runs], kept, runs * sizeof *kept);
        }
    free(kept);
    return FL_OK;
}

fl_status fl_simulation_run(fl_simulation **out, const fl_sim_plan *plan,
                            const fl_simulation_spec *spec, fl_error *error)
{
    double start = fl_seconds_now();
    fl_simulation *s = calloc(1, sizeof *s);
    if (!s)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a simulation");
    s->spec = *spec;
    s->plan = plan;
    s->carried = s->not_carried = (double)NAN;
    fl_time_stamp(s->started);
    fl_status status = spec->find_saturation ? find_saturation(s, error)
                                             : run_loads(s, spec->loads, spec->load_count, error);
    if (!status)
        status = sort_loads(s, error);
    s->wall_seconds = fl_seconds_now() - start;
    if (status) {
        fl_simulation_destroy(s);
        return status;
    }
    *out = s;
    return FL_OK;
}

void fl_simulation_destroy(fl_simulation *simulation)
{
    if (!simulation)
        return;
    for (size_t i = 0; simulation->results && i < simulation->load_count * simulation->spec.runs;
         i++)
        fl_sim_result_clear(&simulation->results[i]);
    free(simulation->results);
    free(simulation->loads);
    free(simulation);
}
