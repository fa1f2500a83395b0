#include "experiments/sweep/job_queue.h"
#include "experiments/sweep/stored.h"

#include <assert.h>
#include <stdlib.h>

/* Rank 0 says which block comes next, all ranks run it, and rank 0 adds up what was done: see
 * fl_run_options. */

/* Blocks of about a second: long beside what it takes to begin and end one (longer if that takes
 * more than a twentieth of it), short beside the time between checkpoints. The first ones are
 * small, until it is known how long a trial takes. */
enum { BLOCK_LEAST = 64, BLOCK_GROWTH_MAX = 8 };
static const double block_seconds = 1, block_seconds_most = 10, block_overhead = .05;

/* No more than this share of the time goes into checkpoints, however slow the disk. */
static const double checkpoint_share = .02;

typedef struct run {
    const fl_experiment *experiment;
    const fl_run_options *options;
    fl_results *results; /* rank 0 */
    fl_job_queue jobs;
    fl_range trials; /* to be done of every sweep ... */
    uint64_t goal;   /* ... up to here before the next look */
    uint64_t *sizes; /* [sweep_count] of the next block, for a rank */
    uint64_t done;   /* of all sweeps, before this block */
    double start, next_checkpoint;
    double seconds_before; /* of the sessions before this one */
    bool warned;
} run;

static uint64_t done_so_far(const fl_results *results)
{
    uint64_t done = 0;
    for (unsigned i = 0; i < results->experiment->sweep_count; i++)
        done += results->counts[i]->trials;
    return done;
}

/* ---- what the threads ask and report ---- */

static bool is_interrupted(const run *r)
{
    return r->options->stop && atomic_load_explicit(r->options->stop, memory_order_relaxed);
}

static bool is_over_budget(const run *r)
{
    return r->results && r->options->budget_seconds > 0 &&
           fl_seconds_now() - r->start >= r->options->budget_seconds;
}

static bool should_stop(void *user)
{
    return is_interrupted(user) || is_over_budget(user);
}

static void report_progress(void *user, uint64_t done)
{
    const run *r = user;
    r->options->progress(r->options->user, r->done + done,
                         (r->trials.end - r->trials.first) * r->experiment->sweep_count);
}

/* ---- the next block ---- */

/* Goes on with the sweep that is furthest behind, so that all of them have about as many trials
 * whenever the run ends. False: all have reached the goal. */
static bool find_block(const run *r, fl_block *block)
{
    uint64_t least = UINT64_MAX;
    fl_range gap;
    for (unsigned i = 0; i < r->experiment->sweep_count; i++) {
        uint64_t trials = r->results->counts[i]->trials;
        if (trials >= least ||
            !fl_ranges_gap(&r->results->ranges[i], (fl_range){r->trials.first, r->goal}, &gap))
            continue;
        least = trials;
        uint64_t size = r->sizes[i] * r->jobs.ranks->count, left = gap.end - gap.first;
        *block = (fl_block){i, gap.first, size < left ? size : left};
    }
    return least < UINT64_MAX;
}

/* All sweeps have reached the goal. False: it was the last one. */
static bool raise_goal(run *r)
{
    fl_results *results = r->results;
    const fl_precision *precision = &results->precision;
    if (precision->looks > 0)
        results->reached = fl_precision_reached(precision, results->look, results->counts,
                                                r->experiment->sweep_count);
    if (results->reached)
        results->stopped_by = FL_STOPPED_BY_PRECISION;
    if (results->reached || results->look + 1 >= precision->looks)
        return false;
    r->goal = precision->look[++results->look].trials;
    return true;
}

static bool next_block(run *r, fl_block *block)
{
    do {
        if (find_block(r, block))
            return true;
    } while (raise_goal(r));
    return false;
}

/* Nothing but the time depends on how large blocks are. */
static void resize_block(run *r, const fl_block *block, double seconds)
{
    uint64_t *size = &r->sizes[block->sweep];
    double least = r->options->checkpoint_seconds < block_seconds ? r->options->checkpoint_seconds
                                                                  : block_seconds;
    double wanted = (seconds - r->jobs.working) / block_overhead;
    wanted = wanted < least ? least : wanted > block_seconds_most ? block_seconds_most : wanted;
    if (block->count < *size * r->jobs.ranks->count)
        return;
    if (seconds < wanted / 2)
        *size *= seconds < wanted / BLOCK_GROWTH_MAX ? BLOCK_GROWTH_MAX : 2;
    else if (seconds > wanted * 2 && *size > 1)
        *size /= 2;
}

/* ---- checkpoints ---- */

static void warn(run *r, const char *text)
{
    if (r->options->warn && !r->warned)
        r->options->warn(r->options->user, text);
    r->warned = true;
}

static void set_times(run *r)
{
    r->results->wall_seconds = r->seconds_before + (fl_seconds_now() - r->start);
}

static void keep(run *r)
{
    fl_error error;
    if (!r->options->checkpoint)
        return;
    double before = fl_seconds_now();
    set_times(r);
    if (fl_checkpoint_write(r->results, r->options->checkpoint, &error)) {
        fl_error text;
        fl_fail(&text, FL_OK, "%.900s; it goes on without checkpoints until that works",
                error.text);
        warn(r, text.text);
    }
    double now = fl_seconds_now(), pause = r->options->checkpoint_seconds;
    if (pause < (now - before) / checkpoint_share)
        pause = (now - before) / checkpoint_share;
    r->next_checkpoint = now + pause;
}

/* ---- rank 0, and the others ---- */

static void share_block(run *r, fl_block *block)
{
    r->jobs.ranks->share(r->jobs.ranks, block, sizeof *block, 0);
}

static fl_status end_run(run *r, fl_status status)
{
    fl_block none = {.count = 0};
    share_block(r, &none);
    return status;
}

static fl_status lead(run *r, fl_error *error)
{
    fl_block block;
    r->done = done_so_far(r->results);
    while (next_block(r, &block)) {
        if (r->jobs.stopped || should_stop(r)) {
            r->results->stopped_by = !is_interrupted(r) && is_over_budget(r)
                                         ? FL_STOPPED_BY_BUDGET
                                         : FL_STOPPED_BY_INTERRUPT;
            keep(r);
            break;
        }
        double start = fl_seconds_now();
        share_block(r, &block);
        fl_status status = fl_job_queue_run(&r->jobs, &block, error);
        if (status)
            return status; /* the others know */
        status = fl_job_queue_take(&r->jobs, &block, r->results, error);
        if (status)
            return end_run(r, status);
        r->done = done_so_far(r->results);
        resize_block(r, &block, fl_seconds_now() - start);
        if (fl_seconds_now() >= r->next_checkpoint)
            keep(r);
    }
    r->results->partial = r->results->stopped_by == FL_STOPPED_BY_INTERRUPT;
    if (r->results->precision.looks > 0)
        r->results->z = r->results->precision.look[r->results->look].z;
    set_times(r);
    return end_run(r, FL_OK);
}

static fl_status follow(run *r, fl_error *error)
{
    for (;;) {
        fl_block block;
        share_block(r, &block);
        if (block.count == 0)
            return FL_OK;
        fl_status status = fl_job_queue_run(&r->jobs, &block, error);
        if (status)
            return status;
    }
}

/* ---- beginning ---- */

static void set_goal(run *r)
{
    fl_results *results = r->results;
    r->goal = r->trials.end;
    if (results->precision.looks == 0)
        return;
    /* Looks before the last trial of a checkpoint have been made, and found too little. */
    uint64_t last = 0;
    for (unsigned i = 0; i < r->experiment->sweep_count; i++)
        if (results->ranges[i].count &&
            results->ranges[i].of[results->ranges[i].count - 1].end > last)
            last = results->ranges[i].of[results->ranges[i].count - 1].end;
    while (results->look + 1 < results->precision.looks &&
           results->precision.look[results->look].trials < last)
        results->look++;
    r->goal = results->precision.look[results->look].trials;
}

static fl_status begin(run *r, fl_error *error)
{
    const fl_run_options *options = r->options;
    bool resume = options->resume && options->checkpoint && fl_file_exists(options->checkpoint);
    fl_status status = resume ? fl_checkpoint_read(&r->results, r->experiment, r->trials,
                                                   options->precision, options->checkpoint, error)
                              : fl_results_create(&r->results, r->experiment, error);
    if (status)
        return status;
    fl_results *results = r->results;
    if (!resume)
        fl_time_stamp(results->started);
    if (options->precision)
        results->precision = *options->precision;
    results->stopped_by = FL_STOPPED_BY_TRIALS;
    results->look = 0;
    results->reached = false;
    results->threads = options->threads;
    results->ranks = r->jobs.ranks->count;
    r->seconds_before = results->wall_seconds;
    set_goal(r);
    return FL_OK;
}

static fl_status run_as_rank(run *r, fl_error *error)
{
    if (r->jobs.ranks->mine > 0)
        return follow(r, error);
    fl_status status = begin(r, error);
    return status ? end_run(r, status) : lead(r, error);
}

fl_status fl_experiment_run(fl_results **out, const fl_experiment *experiment,
                            const fl_run_options *options, fl_error *error)
{
    fl_run_options own = *options;
    run r = {.experiment = experiment, .options = &own, .trials = options->trials};
    assert(!own.precision ||
           own.precision->look[own.precision->looks - 1].trials == experiment->trials);
    if (own.checkpoint_seconds <= 0)
        own.checkpoint_seconds = FL_CHECKPOINT_SECONDS;
    if (r.trials.end == 0)
        r.trials = (fl_range){0, experiment->trials};
    r.start = fl_seconds_now();
    r.next_checkpoint = r.start + own.checkpoint_seconds;
    r.jobs = (fl_job_queue){
        .experiment = experiment,
        .threads = own.threads,
        .ranks = own.ranks ? own.ranks : &fl_ranks_alone,
        .should_stop = should_stop,
        .progress = own.progress && (!own.ranks || own.ranks->mine == 0) ? report_progress : NULL,
        .user = &r,
    };
    fl_text asked = {0};
    fl_text_append(&asked, "%s", experiment->canonical);
    fl_status same = fl_ranks_compare(r.jobs.ranks, &asked, error);
    fl_text_clear(&asked);
    if (same)
        return same;
    r.sizes = malloc(experiment->sweep_count * sizeof *r.sizes);
    fl_status status = r.sizes ? fl_job_queue_prepare(&r.jobs, error)
                               : fl_fail(error, FL_ERR_MEMORY, "out of memory for the run");
    for (unsigned i = 0; i < experiment->sweep_count && r.sizes; i++)
        r.sizes[i] = BLOCK_LEAST;
    if (!status)
        status = run_as_rank(&r, error);
    fl_job_queue_clear(&r.jobs);
    free(r.sizes);
    if (status) {
        fl_results_destroy(r.results);
        return status;
    }
    *out = r.results;
    return FL_OK;
}
