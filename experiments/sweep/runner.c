#define _POSIX_C_SOURCE 200809L
#include "experiments/sweep/private.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Threads take chunks of trials in order, each counts into a tally of its own, and the tallies
 * are added up at the end. Sums of whole numbers do not depend on which thread counted what; and
 * since chunks are handed out in order and finished once begun, an early end leaves the first
 * trials. */

enum { CHUNK_MAX = 2048 };

typedef struct worker {
    fl_threads *all_threads;
    fl_tally *tally;
    fl_trial_runner *runner;
    pthread_t thread;
    bool started;
} worker;

struct fl_threads {
    const fl_sweep *sweep;
    worker *workers;
    unsigned threads;
    uint64_t first, count;     /* the trials of this block */
    atomic_uint_fast64_t next; /* trials handed out */
    atomic_uint_fast64_t done;
    atomic_bool ending;   /* begin no more chunks */
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t changed;
    unsigned working;
    fl_status status;
    fl_error error;
};

/* ---- what the threads do ---- */

/* The next chunk. Chunks become small towards the end, for the threads to end together. */
static bool take_chunk(fl_threads *c, uint64_t *first, uint64_t *end)
{
    uint_fast64_t at = atomic_load(&c->next);
    for (;;) {
        uint64_t left = c->count - at, chunk = left / c->threads / 16 + 1;
        if (left == 0)
            return false;
        *first = at;
        *end = at + (chunk < CHUNK_MAX ? chunk : CHUNK_MAX);
        if (atomic_compare_exchange_weak(&c->next, &at, *end))
            return true;
    }
}

static void report_failure(fl_threads *c, fl_status status, const fl_error *error)
{
    pthread_mutex_lock(&c->lock);
    if (!c->status) {
        c->status = status;
        c->error = *error;
    }
    pthread_mutex_unlock(&c->lock);
    atomic_store(&c->ending, true);
}

static void work(worker *w)
{
    fl_threads *c = w->all_threads;
    uint64_t first, end;
    while (!atomic_load_explicit(&c->ending, memory_order_relaxed) && take_chunk(c, &first, &end)) {
        fl_error error;
        fl_status status = fl_trials_run(w->runner, c->first + first, end - first, &error);
        if (status)
            report_failure(c, status, &error);
        atomic_fetch_add(&c->done, end - first);
    }
}

static void *thread_main(void *argument)
{
    worker *w = argument;
    work(w);
    pthread_mutex_lock(&w->all_threads->lock);
    w->all_threads->working--;
    pthread_cond_signal(&w->all_threads->changed);
    pthread_mutex_unlock(&w->all_threads->lock);
    return NULL;
}

/* ---- what the caller's thread does meanwhile ---- */

static void wait_for_change(fl_threads *c, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&c->changed, &c->lock, &until);
}

static void watch(fl_threads *c, const fl_watch *watch)
{
    bool over = false;
    pthread_mutex_lock(&c->lock);
    while (!over) {
        fl_threads_state state = {
            .done = atomic_load(&c->done), .working = c->working > 0, .failed = c->status != FL_OK};
        pthread_mutex_unlock(&c->lock);
        bool stop = false;
        over = watch->look(watch->user, &state, &stop) && !state.working;
        if (stop)
            atomic_store(&c->ending, true);
        pthread_mutex_lock(&c->lock);
        if (!over && c->working > 0)
            wait_for_change(c, watch->milliseconds);
        else if (!over && !state.working)
            wait_for_change(c, FL_WATCH_MILLISECONDS_IDLE);
    }
    pthread_mutex_unlock(&c->lock);
}

static void start(fl_threads *c)
{
    pthread_mutex_lock(&c->lock);
    c->working = 0;
    for (unsigned i = 0; i < c->threads; i++) {
        worker *w = &c->workers[i];
        w->started = pthread_create(&w->thread, NULL, thread_main, w) == 0;
        c->working += w->started;
    }
    pthread_mutex_unlock(&c->lock);
    if (!c->workers[0].started)
        work(&c->workers[0]); /* no thread to be had: do it ourselves */
}

fl_status fl_threads_run(fl_threads *c, uint64_t first, uint64_t count, const fl_watch *watching,
                         fl_counts *counts, uint64_t *done, fl_error *error)
{
    c->first = first;
    c->count = count;
    atomic_store(&c->next, 0);
    atomic_store(&c->done, 0);
    atomic_store(&c->ending, false);
    start(c);
    watch(c, watching);
    for (unsigned i = 0; i < c->threads; i++)
        if (c->workers[i].started)
            pthread_join(c->workers[i].thread, NULL);
    if (c->status)
        return fl_fail(error, c->status, "%s", c->error.text);
    *done = atomic_load(&c->done);
    for (unsigned i = 0; i < c->threads; i++) {
        fl_tally_add_to(c->workers[i].tally, counts);
        fl_tally_clear(c->workers[i].tally);
    }
    return FL_OK;
}

/* ---- making ---- */

static fl_status prepare(fl_threads *c, worker *w, fl_error *error)
{
    w->all_threads = c;
    w->tally =
        fl_tally_create(c->sweep->router_count, fl_fault_model_fault_points(c->sweep->model));
    if (!w->tally)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the counts of a thread");
    w->runner = fl_trial_runner_create(c->sweep, w->tally, error);
    return w->runner ? FL_OK : FL_ERR_MEMORY;
}

fl_status fl_threads_create(fl_threads **out, const fl_sweep *sweep, fl_error *error)
{
    unsigned threads = sweep->threads < 1                      ? 1
                       : sweep->threads > FL_SWEEP_THREADS_MAX ? FL_SWEEP_THREADS_MAX
                                                               : sweep->threads;
    if (sweep->router_count < 1 || sweep->router_count > FL_SWEEP_ROUTERS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%u routers: a sweep takes 1 to %d",
                       sweep->router_count, FL_SWEEP_ROUTERS_MAX);
    if (sweep->network->nodes < 2)
        return fl_fail(error, FL_ERR_INVALID, "%s has one node, and a pair takes two",
                       sweep->network->spec);
    for (unsigned i = 0; i < sweep->router_count; i++)
        if (sweep->routers[i]->type->limit && fl_limit_check(sweep->network, error))
            return FL_ERR_INVALID;
    fl_threads *c = calloc(1, sizeof *c);
    if (c)
        c->workers = calloc(threads, sizeof *c->workers);
    if (!c || !c->workers) {
        free(c);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %u threads", threads);
    }
    c->sweep = sweep;
    c->threads = threads;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    fl_status status = FL_OK;
    for (unsigned i = 0; i < threads && !status; i++)
        status = prepare(c, &c->workers[i], error);
    if (status) {
        fl_threads_destroy(c);
        return status;
    }
    *out = c;
    return FL_OK;
}

void fl_threads_destroy(fl_threads *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->threads; i++) {
        fl_trial_runner_destroy(c->workers[i].runner);
        fl_tally_destroy(c->workers[i].tally);
    }
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
    free(c->workers);
    free(c);
}

/* ---- a sweep in one go ---- */

static bool look_after_sweep(void *user, const fl_threads_state *state, bool *stop)
{
    const fl_sweep *sweep = user;
    *stop = sweep->stop && atomic_load_explicit(sweep->stop, memory_order_relaxed);
    if (sweep->progress)
        sweep->progress(sweep->user, state->done, sweep->trials);
    return true;
}

fl_status fl_sweep_run(const fl_sweep *sweep, fl_counts *counts, fl_error *error)
{
    fl_threads *all_threads;
    fl_sweep watched = *sweep;
    fl_watch watching = {look_after_sweep, &watched, FL_WATCH_MILLISECONDS};
    fl_status status = fl_threads_create(&all_threads, sweep, error);
    if (status)
        return status;
    bool stopped = sweep->stop && atomic_load(sweep->stop);
    counts->first_trial = sweep->first_trial;
    status = fl_threads_run(all_threads, sweep->first_trial, stopped ? 0 : sweep->trials, &watching,
                            counts, &counts->trials, error);
    fl_threads_destroy(all_threads);
    return status;
}
