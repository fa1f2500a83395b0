/* Runs of several curves under load, and the points that they make. */
#include "experiments/load/curves_private.h"
#include "experiments/sweep/job_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- running ---- */

static size_t count_runs(const fl_load_spec *spec, const fl_load_curve *curves)
{
    size_t count = 0;
    for (unsigned i = 0; i < spec->curve_count; i++)
        count += curves[i].points * curves[i].repeats;
    return count;
}

/* Those of all curves, one after the other. NULL: out of memory. */
static fl_sim_task *all_tasks(const fl_load_spec *spec, const fl_load_curve *curves)
{
    fl_sim_task *tasks = calloc(count_runs(spec, curves) + 1, sizeof *tasks);
    size_t at = 0;
    for (unsigned i = 0; i < spec->curve_count && tasks; i++) {
        size_t runs = curves[i].points * curves[i].repeats;
        memcpy(tasks + at, curves[i].tasks, runs * sizeof *tasks);
        at += runs;
    }
    return tasks;
}

uint64_t fl_load_hash(const fl_load_spec *spec, const fl_load_curve *curves)
{
    fl_sim_task *tasks = all_tasks(spec, curves);
    uint64_t hash = tasks ? fl_sim_tasks_hash(tasks, count_runs(spec, curves)) : 0;
    free(tasks);
    return hash;
}

fl_status fl_load_results_create(fl_load_results **out, const fl_load_spec *spec,
                                 const fl_load_curve *curves, fl_error *error)
{
    fl_load_results *r = calloc(1, sizeof *r);
    size_t count = count_runs(spec, curves);
    if (r)
        r->results = calloc(count + 1, sizeof *r->results);
    if (!r || !r->results) {
        fl_load_results_destroy(r);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu runs", count);
    }
    r->spec = spec;
    r->curves = curves;
    r->result_count = count;
    fl_time_stamp(r->started);
    *out = r;
    return FL_OK;
}

static fl_status make_results(fl_load_results **out, const fl_load_spec *spec,
                              const fl_load_curve *curves, fl_sim_task **tasks, bool **done,
                              fl_error *error)
{
    *tasks = all_tasks(spec, curves);
    *done = calloc(count_runs(spec, curves) + 1, sizeof **done);
    if (!*tasks || !*done)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu runs",
                       count_runs(spec, curves));
    return fl_load_results_create(out, spec, curves, error);
}

/* The checkpoint is rank 0's. */
static fl_status take_up(fl_load_checkpoint **checkpoint, fl_load_results *r,
                         const fl_sim_task *tasks, bool *done, const fl_load_options *options,
                         fl_error *error)
{
    fl_ranks *ranks = options->ranks;
    if (!options->checkpoint || (ranks && ranks->mine > 0))
        return FL_OK;
    uint64_t hash = fl_sim_tasks_hash(tasks, r->result_count);
    if (hash == 0)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu runs", r->result_count);
    fl_status status =
        fl_load_checkpoint_open(checkpoint, options->checkpoint, hash, tasks, r->results, done,
                                r->result_count, options->warn, options->user, error);
    for (size_t i = 0; i < r->result_count && !status; i++)
        r->taken_up += done[i];
    return status;
}

static fl_status run_all(fl_load_results *r, const fl_sim_task *tasks, bool *done,
                         const fl_load_options *options, fl_error *error)
{
    fl_load_checkpoint *checkpoint = NULL;
    fl_error own = {.text = ""};
    fl_status status = take_up(&checkpoint, r, tasks, done, options, &own);
    status =
        fl_ranks_agree(options->ranks ? options->ranks : &fl_ranks_alone, status, 0, &own, error);
    const fl_sim_jobs jobs = {
        .tasks = tasks,
        .results = r->results,
        .count = r->result_count,
        .threads = options->threads,
        .ranks = options->ranks,
        .done = done,
        .stop = options->stop,
        .progress = options->progress,
        .user = options->user,
        .finished = checkpoint ? fl_load_checkpoint_add : NULL,
        .keeper = checkpoint,
    };
    if (!status)
        status = fl_sim_jobs_run(&jobs, error);
    fl_load_checkpoint_close(checkpoint);
    for (size_t i = 0; i < r->result_count; i++)
        r->partial |= r->results[i].stopped;
    return status;
}

fl_status fl_load_run(fl_load_results **out, const fl_load_spec *spec, const fl_load_curve *curves,
                      const fl_load_options *options, fl_error *error)
{
    double start = fl_seconds_now();
    fl_sim_task *tasks;
    bool *done;
    fl_load_results *r = NULL;
    fl_error own = {.text = ""};
    fl_status status = make_results(&r, spec, curves, &tasks, &done, &own);
    status =
        fl_ranks_agree(options->ranks ? options->ranks : &fl_ranks_alone, status, 0, &own, error);
    if (!status)
        status = run_all(r, tasks, done, options, error);
    free(done);
    free(tasks);
    if (status) {
        fl_load_results_destroy(r);
        return status;
    }
    r->threads = options->threads;
    r->ranks = options->ranks ? options->ranks->count : 1;
    r->wall_seconds = fl_seconds_now() - start;
    *out = r;
    return FL_OK;
}

void fl_load_results_destroy(fl_load_results *results)
{
    if (!results)
        return;
    for (size_t i = 0; results->results && i < results->result_count; i++)
        fl_sim_result_clear(&results->results[i]);
    free(results->results);
    free(results);
}

/* ---- points ---- */

size_t fl_load_first(const fl_load_results *results, unsigned curve)
{
    size_t first = 0;
    for (unsigned i = 0; i < curve; i++)
        first += results->curves[i].points * results->curves[i].repeats;
    return first;
}

static double value_of(const fl_sim_context *c, const fl_sim_result *r, fl_load_quantity quantity)
{
    if (r->stopped || r->deadlocked || r->measured == 0)
        return (double)NAN;
    double counted = (double)r->counted, received = (double)r->received,
           conflicts = (double)r->conflicts;
    bool latency = fl_sim_has_latency(c, r);
    switch (quantity) {
    case FL_LOAD_LATENCY:
        return latency ? r->latency : (double)NAN;
    case FL_LOAD_NETWORK_LATENCY:
        return latency ? fl_per((double)r->network_latency_sum, counted) : (double)NAN;
    case FL_LOAD_LATENCY_P99:
        return latency ? r->percentile[2] : (double)NAN;
    case FL_LOAD_ACCEPTED:
        return fl_sim_accepted(c, r);
    case FL_LOAD_HOPS:
        return fl_per((double)r->hop_sum, counted);
    case FL_LOAD_CONFLICTS:
        return fl_per(conflicts, (double)r->measured);
    case FL_LOAD_PORTS_WITH_CONFLICT:
        return fl_per((double)r->conflict_ports, (double)r->measured);
    case FL_LOAD_CONFLICTS_PER_PACKET:
        return fl_per(conflicts, received);
    case FL_LOAD_RECEIVED:
        return fl_per(received, (double)r->measured);
    case FL_LOAD_RECEIVED_SENT:
        return fl_per(received, (double)r->injected);
    case FL_LOAD_LOST:
        return fl_per((double)fl_sim_lost(r), (double)r->total_injected);
    default:
        return (double)NAN; /* of time series */
    }
}

static double run_value(const fl_load_results *results, unsigned curve, size_t run,
                        fl_load_quantity quantity)
{
    const fl_load_curve *of = &results->curves[curve];
    fl_sim_context c = fl_sim_context_of(of->tasks[run].plan, of->preset);
    return value_of(&c, &results->results[fl_load_first(results, curve) + run], quantity);
}

/* Of `curve`, less `baseline` if there is one. */
static void mean_of_runs(const fl_load_results *results, unsigned curve, const unsigned *baseline,
                         size_t point, fl_load_quantity quantity, double *value,
                         fl_interval *interval)
{
    size_t repeats = results->curves[curve].repeats, first = point * repeats;
    double sum = 0, squares = 0, count = (double)repeats;
    for (int pass = 0; pass < 2; pass++)
        for (size_t run = first; run < first + repeats; run++) {
            double one = run_value(results, curve, run, quantity);
            if (baseline)
                one -= run_value(results, *baseline, run, quantity);
            double off = one - sum / count;
            if (pass == 0)
                sum += one;
            else
                squares += off * off;
        }
    *value = sum / count;
    *interval = (fl_interval){(double)NAN, (double)NAN};
    if (repeats == 1 || !isfinite(*value))
        return;
    double half = fl_stats_student95((unsigned)repeats - 1) * sqrt(squares / (count - 1) / count);
    *interval = (fl_interval){*value - half, *value + half};
}

void fl_load_point(const fl_load_results *results, unsigned curve, size_t point,
                   fl_load_quantity quantity, double *value, fl_interval *interval)
{
    const fl_load_curve *of = &results->curves[curve];
    mean_of_runs(results, curve, NULL, point, quantity, value, interval);
    if (of->repeats > 1 || !isfinite(*value))
        return;
    const fl_sim_result *run = &results->results[fl_load_first(results, curve) + point];
    fl_sim_context c = fl_sim_context_of(of->tasks[point].plan, of->preset);
    if (quantity == FL_LOAD_LATENCY)
        *interval = run->latency_interval;
    if (quantity == FL_LOAD_ACCEPTED)
        *interval = fl_sim_accepted_interval(&c, run);
}

void fl_load_difference(const fl_load_results *results, unsigned curve, unsigned baseline,
                        size_t point, fl_load_quantity quantity, double *value,
                        fl_interval *interval)
{
    mean_of_runs(results, curve, &baseline, point, quantity, value, interval);
}

/* ---- time series ---- */

/* What one run has in one interval of its time series: y of z packets, or in z cycles. */
static void sample_of(const fl_sim_sample *s, fl_load_quantity quantity, double cycles, double *y,
                      double *z)
{
    uint64_t count = quantity == FL_LOAD_SERIES_LOST      ? s->lost
                     : quantity == FL_LOAD_SERIES_RETRIED ? s->retried
                                                          : s->delivered;
    bool latency = quantity == FL_LOAD_SERIES_LATENCY;
    *y = (double)(latency ? s->latency_sum : count);
    *z = latency ? (double)s->delivered : cycles;
}

void fl_load_sample(const fl_load_results *results, unsigned curve, size_t at,
                    fl_load_quantity quantity, double *value, fl_interval *interval)
{
    const fl_load_curve *of = &results->curves[curve];
    const fl_sim_result *runs = &results->results[fl_load_first(results, curve)];
    double cycles = (double)fl_sim_plan_set_up(of->tasks->plan)->series, y, z, all_y = 0, all_z = 0,
           squares = 0, count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t run = 0; run < of->repeats; run++) {
            if (at >= runs[run].series_length)
                continue;
            sample_of(&runs[run].series[at], quantity, cycles, &y, &z);
            double off = y - all_y / all_z * z;
            all_y += pass == 0 ? y : 0;
            all_z += pass == 0 ? z : 0;
            count += pass == 0;
            squares += pass == 1 ? off * off : 0;
        }
    *value = fl_per(all_y, all_z);
    *interval = (fl_interval){(double)NAN, (double)NAN};
    if (count < 2 || !isfinite(*value))
        return;
    double half =
        fl_stats_student95((unsigned)count - 1) * sqrt(squares / (count - 1) * count) / all_z;
    *interval = (fl_interval){*value - half, *value + half};
}
