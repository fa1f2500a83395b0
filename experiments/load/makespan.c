/* Times of workloads on several networks: running. */
#include "experiments/load/makespan_private.h"

#include "experiments/load/private.h"

#include <math.h>
#include <stdlib.h>

size_t fl_makespan_place(const fl_makespan_spec *spec, unsigned network, unsigned workload,
                         unsigned run)
{
    return ((size_t)workload * spec->network_count + network) * spec->runs + run;
}

static const fl_sim_plan *plan_of(const fl_makespan_spec *spec, size_t run)
{
    size_t pair = run / spec->runs;
    return spec->plans[pair % spec->network_count][pair / spec->network_count];
}

/* In the order of the results. */
static fl_sim_task *tasks_of(const fl_makespan_spec *spec, size_t count)
{
    fl_sim_task *tasks = calloc(count, sizeof *tasks);
    for (size_t run = 0; tasks && run < count; run++)
        tasks[run] =
            (fl_sim_task){.plan = plan_of(spec, run), .seed = spec->seed + run % spec->runs};
    return tasks;
}

fl_status fl_makespan_run(fl_makespan **out, const fl_makespan_spec *spec,
                          const fl_makespan_options *options, fl_error *error)
{
    double start = fl_seconds_now();
    fl_makespan *m = calloc(1, sizeof *m);
    size_t count = (size_t)spec->network_count * spec->workload_count * spec->runs;
    fl_sim_task *tasks = tasks_of(spec, count);
    if (m) {
        m->spec = spec;
        m->count = count;
        m->results = calloc(count, sizeof *m->results);
        fl_time_stamp(m->started);
    }
    const fl_sim_jobs jobs = {.tasks = tasks,
                              .results = m ? m->results : NULL,
                              .count = count,
                              .threads = options->threads,
                              .ranks = options->ranks,
                              .stop = options->stop,
                              .progress = options->progress,
                              .user = options->user};
    fl_status status = fl_sim_jobs_run(&jobs, error);
    free(tasks);
    if (status) {
        fl_makespan_destroy(m);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        m->partial |= m->results[i].stopped;
    m->threads = options->threads;
    m->ranks = options->ranks ? options->ranks->count : 1;
    m->wall_seconds = fl_seconds_now() - start;
    *out = m;
    return FL_OK;
}

void fl_makespan_destroy(fl_makespan *m)
{
    if (!m)
        return;
    for (size_t i = 0; m->results && i < m->count; i++)
        fl_sim_result_clear(&m->results[i]);
    free(m->results);
    free(m);
}

bool fl_makespan_is_partial(const fl_makespan *m)
{
    return m->partial;
}

bool fl_makespan_is_complete(const fl_makespan *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (!m->results[i].completion.complete)
            return false;
    return true;
}

double fl_makespan_seconds(const fl_makespan *m)
{
    return m->wall_seconds;
}

/* ---- what follows from the times ---- */

double fl_makespan_cycles(const fl_makespan *m, unsigned network, unsigned workload)
{
    double sum = 0;
    for (unsigned run = 0; run < m->spec->runs; run++) {
        const fl_sim_completion *c =
            &m->results[fl_makespan_place(m->spec, network, workload, run)].completion;
        if (!c->complete)
            return (double)NAN;
        sum += (double)c->cycles;
    }
    return sum / m->spec->runs;
}

double fl_makespan_time(const fl_makespan *m, unsigned network, unsigned workload)
{
    return fl_makespan_cycles(m, network, workload) / fl_makespan_cycles(m, 0, workload);
}

/* The paper's phi with all weights 1, times their number, so that the first network has 1. */
static double performance_of(const fl_makespan *m, unsigned network)
{
    double sum = 0;
    for (unsigned i = 0; i < m->spec->workload_count; i++)
        sum += fl_makespan_time(m, network, i);
    return m->spec->workload_count / sum;
}

static double cost_of(const fl_makespan *m, unsigned network, unsigned power)
{
    const fl_network *a = m->spec->networks[network].network, *b = m->spec->networks[0].network;
    return (double)a->switches * pow(a->radix, power) /
           ((double)b->switches * pow(b->radix, power));
}

double fl_makespan_quantity_of(const fl_makespan *m, unsigned network,
                               fl_makespan_quantity quantity)
{
    if (quantity == FL_MAKESPAN_PERFORMANCE)
        return performance_of(m, network);
    if (quantity < FL_MAKESPAN_EFFICIENCY_CONSTANT)
        return cost_of(m, network, quantity - FL_MAKESPAN_COST_CONSTANT);
    return performance_of(m, network) /
           cost_of(m, network, quantity - FL_MAKESPAN_EFFICIENCY_CONSTANT);
}
