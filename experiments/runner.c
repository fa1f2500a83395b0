#define _POSIX_C_SOURCE 200809L
#include "experiments/sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Threads take chunks of trials in order, each counts into a tally of its own, and the tallies
 * are added up at the end. Sums of whole numbers do not depend on who counted what; and since
 * chunks are handed out in order and finished once begun, an early end leaves the first so many
 * trials. */

enum { CHUNK_MAX = 2048, PROGRESS_MILLISECONDS = 100 };

typedef struct crew {
    const fl_sweep *sweep;
    uint64_t chunk;
    atomic_uint_fast64_t next;      /* trials handed out */
    atomic_uint_fast64_t done;
    atomic_bool failed;
    pthread_mutex_t lock;           /* of everything below */
    pthread_cond_t changed;
    unsigned working;
    fl_status status;
    fl_error error;
} crew;

typedef struct worker {
    crew *crew;
    fl_tally *tally;
    fl_trial_runner *runner;
    pthread_t thread;
    bool started;
} worker;

static bool should_stop(crew *c)
{
    return atomic_load_explicit(&c->failed, memory_order_relaxed) ||
           (c->sweep->stop && atomic_load_explicit(c->sweep->stop, memory_order_relaxed));
}

static void report_failure(crew *c, fl_status status, const fl_error *error)
{
    pthread_mutex_lock(&c->lock);
    if (!c->status) {
        c->status = status;
        c->error = *error;
    }
    atomic_store(&c->failed, true);
    pthread_mutex_unlock(&c->lock);
}

static void work(worker *w)
{
    crew *c = w->crew;
    const fl_sweep *sweep = c->sweep;
    while (!should_stop(c)) {
        uint64_t first = atomic_fetch_add(&c->next, c->chunk);
        if (first >= sweep->trials)
            break;
        uint64_t beyond = sweep->trials - first < c->chunk ? sweep->trials : first + c->chunk;
        fl_error error;
        fl_status status = fl_trials_run(w->runner, sweep->first_trial + first, beyond - first, &error);
        if (status)
            report_failure(c, status, &error);
        atomic_fetch_add(&c->done, beyond - first);
    }
}

static void *thread_main(void *argument)
{
    worker *w = argument;
    work(w);
    pthread_mutex_lock(&w->crew->lock);
    w->crew->working--;
    pthread_cond_signal(&w->crew->changed);
    pthread_mutex_unlock(&w->crew->lock);
    return NULL;
}

/* Sleeps until all workers are done, telling the caller how far they are. */
static void watch(crew *c)
{
    const fl_sweep *sweep = c->sweep;
    pthread_mutex_lock(&c->lock);
    while (c->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROGRESS_MILLISECONDS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&c->changed, &c->lock, &until);
        if (!sweep->progress)
            continue;
        pthread_mutex_unlock(&c->lock);
        sweep->progress(sweep->user, atomic_load(&c->done), sweep->trials);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

static fl_status prepare(crew *c, worker *w, fl_error *error)
{
    w->crew = c;
    w->tally = fl_tally_create(c->sweep->router_count, fl_fault_model_levels(c->sweep->model));
    if (!w->tally)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the counts of a thread");
    w->runner = fl_trial_runner_create(c->sweep, w->tally, error);
    return w->runner ? FL_OK : FL_ERR_MEMORY;
}

static fl_status run_crew(crew *c, worker *workers, unsigned threads, fl_error *error)
{
    for (unsigned i = 0; i < threads; i++) {
        fl_status status = prepare(c, &workers[i], error);
        if (status)
            return status;
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_mutex_lock(&c->lock);
        c->working++;
        pthread_mutex_unlock(&c->lock);
        workers[i].started = pthread_create(&workers[i].thread, NULL, thread_main, &workers[i]) == 0;
        if (!workers[i].started) {
            pthread_mutex_lock(&c->lock);
            c->working--;
            pthread_mutex_unlock(&c->lock);
        }
    }
    if (!workers[0].started)
        work(&workers[0]); /* no thread to be had: do it ourselves */
    watch(c);
    for (unsigned i = 0; i < threads; i++)
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
    if (c->status)
        return fl_fail(error, c->status, "%s", c->error.text);
    return FL_OK;
}

fl_status fl_sweep_run(const fl_sweep *sweep, fl_counts *counts, fl_error *error)
{
    unsigned threads = sweep->threads < 1 ? 1 : sweep->threads > FL_SWEEP_THREADS_MAX ? FL_SWEEP_THREADS_MAX : sweep->threads;
    if (sweep->router_count < 1 || sweep->router_count > FL_SWEEP_ROUTERS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%u routers: a sweep takes 1 to %d", sweep->router_count, FL_SWEEP_ROUTERS_MAX);
    if (sweep->network->nodes < 2)
        return fl_fail(error, FL_ERR_INVALID, "%s has one node, and a pair takes two", sweep->network->spec);
    for (unsigned i = 0; i < sweep->router_count; i++)
        if (sweep->routers[i]->type->limit && fl_limit_check(sweep->network, error))
            return FL_ERR_INVALID;
    worker *workers = calloc(threads, sizeof *workers);
    if (!workers)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %u threads", threads);
    crew c = {.sweep = sweep, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    c.chunk = sweep->trials / threads / 8 + 1;
    if (c.chunk > CHUNK_MAX)
        c.chunk = CHUNK_MAX;
    fl_status status = run_crew(&c, workers, threads, error);
    counts->first_trial = sweep->first_trial;
    counts->trials = atomic_load(&c.done);
    for (unsigned i = 0; i < threads; i++) {
        if (!status)
            fl_tally_add_to(workers[i].tally, counts);
        fl_trial_runner_destroy(workers[i].runner);
        fl_tally_destroy(workers[i].tally);
    }
    free(workers);
    return status;
}
