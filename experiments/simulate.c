#include "experiments/simulate.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Runs are independent, and each has its place in the results: whoever takes which run, and when, leaves no trace. */

typedef struct pool {
    const fl_sim_pool *of;
    atomic_size_t next;
    atomic_size_t left;
    atomic_bool stop;
    _Atomic uint64_t *cycles;   /* [count] simulated so far */
    pthread_mutex_t lock;
    fl_status status;           /* of the first run that failed, by number */
    size_t failed;
    fl_error error;
} pool;

typedef struct watched {
    pool *pool;
    size_t run;
} watched;

static bool watch_run(void *user, uint64_t cycles)
{
    watched *w = user;
    const atomic_bool *stop = w->pool->of->stop;
    atomic_store_explicit(&w->pool->cycles[w->run], cycles, memory_order_relaxed);
    bool wanted = !stop || !atomic_load_explicit(stop, memory_order_relaxed);
    return wanted && !atomic_load_explicit(&w->pool->stop, memory_order_relaxed);
}

static void note_failure(pool *p, size_t run, fl_status status, const fl_error *error)
{
    pthread_mutex_lock(&p->lock);
    if (!p->status || run < p->failed) {
        p->status = status;
        p->failed = run;
        p->error = *error;
    }
    pthread_mutex_unlock(&p->lock);
    atomic_store(&p->stop, true);
}

static void run_task(pool *p, size_t run)
{
    const fl_sim_task *task = &p->of->tasks[run];
    fl_sim_result *result = &p->of->results[run];
    watched w = {p, run};
    fl_sim_watch watch = {.progress = watch_run, .user = &w};
    fl_error error;
    if (!watch_run(&w, 0)) {
        *result = (fl_sim_result){.load = task->load, .seed = task->seed, .stopped = true, .latency = (double)NAN};
        return;
    }
    fl_status status = fl_sim_run(result, task->plan, task->load, task->seed, &watch, &error);
    if (status) {
        note_failure(p, run, status, &error);
    } else if (p->of->finished && !result->stopped) {
        pthread_mutex_lock(&p->lock);
        p->of->finished(p->of->keeper, run, result);
        pthread_mutex_unlock(&p->lock);
    }
}

static void *work(void *user)
{
    pool *p = user;
    for (size_t run; (run = atomic_fetch_add(&p->next, 1)) < p->of->count;) {
        if (!p->of->done || !p->of->done[run])
            run_task(p, run);
        atomic_store_explicit(&p->cycles[run], UINT64_MAX, memory_order_relaxed); /* is over */
        atomic_fetch_sub(&p->left, 1);
    }
    return NULL;
}

/* ---- progress ---- */

/* Cycles that a run will take, as far as can be said before. */
static uint64_t expected_cycles(const fl_sim_task *task)
{
    const fl_sim_model *m = fl_sim_plan_set_up(task->plan)->model;
    if (m->stop == FL_SIM_STOP_CYCLES)
        return m->warmup + m->cycles;
    double cycles = task->load > 0 ? 1.1 * (double)m->packets * m->packet_flits / task->load : (double)m->cycles;
    return cycles < (double)m->cycles ? (uint64_t)cycles : m->cycles;
}

static void show_progress(const pool *p)
{
    uint64_t done = 0, all = 0;
    for (size_t run = 0; run < p->of->count; run++) {
        const fl_sim_task *task = &p->of->tasks[run];
        uint64_t expected = expected_cycles(task), cycles = atomic_load_explicit(&p->cycles[run], memory_order_relaxed);
        uint64_t weight = p->of->by_nodes ? fl_sim_plan_set_up(task->plan)->router->network->nodes : 1;
        done += weight * (cycles == UINT64_MAX ? expected : cycles < expected ? cycles : expected);
        all += weight * expected;
    }
    p->of->progress(p->of->user, done, all);
}

/* ---- running ---- */

fl_status fl_sim_pool_run(const fl_sim_pool *of, fl_error *error)
{
    pool p = {.of = of};
    unsigned threads = of->threads < of->count ? of->threads : (unsigned)of->count, started = 0;
    pthread_t *ids = malloc((threads ? threads : 1) * sizeof *ids);
    p.cycles = calloc(of->count ? of->count : 1, sizeof *p.cycles);
    if (!ids || !p.cycles) {
        free(ids);
        free(p.cycles);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu runs", of->count);
    }
    pthread_mutex_init(&p.lock, NULL);
    atomic_store(&p.left, of->count);
    while (started < threads && pthread_create(&ids[started], NULL, work, &p) == 0)
        started++;
    if (started == 0)
        work(&p);
    while (atomic_load(&p.left) > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        if (of->progress)
            show_progress(&p);
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&p.lock);
    free(ids);
    free(p.cycles);
    if (p.status && error)
        *error = p.error;
    return p.status;
}

/* All runs of some loads, behind those that there are already. */
static fl_status run_loads(fl_simulation *s, const double *loads, size_t count, fl_error *error)
{
    size_t runs = s->spec.runs, before = s->load_count;
    double *all = realloc(s->loads, (before + count) * sizeof *all);
    s->loads = all ? all : s->loads;
    fl_sim_result *results = realloc(s->results, (before + count) * runs * sizeof *results);
    s->results = results ? results : s->results;
    if (!all || !results)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu loads", count);
    memcpy(all + before, loads, count * sizeof *all);
    memset(results + before * runs, 0, count * runs * sizeof *results);
    s->load_count += count;
    fl_sim_task *tasks = calloc(count * runs + 1, sizeof *tasks);
    if (!tasks)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu loads", count);
    for (size_t i = 0; i < count * runs; i++)
        tasks[i] = (fl_sim_task){s->plan, loads[i / runs], s->spec.seed + i % runs};
    fl_sim_result *fresh = results + before * runs;
    const fl_sim_pool all_of_them = {.tasks = tasks, .results = fresh, .count = count * runs, .threads = s->spec.threads,
                                     .stop = s->spec.stop,
                              .progress = s->spec.progress, .user = s->spec.user};
    fl_status status = fl_sim_pool_run(&all_of_them, error);
    for (size_t i = 0; i < count * runs; i++)
        s->partial |= fresh[i].stopped;
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

/* Four loads a round, all at a time, so that the loads tried do not depend on the number of threads. */
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

fl_status fl_simulation_run(fl_simulation **out, const fl_sim_plan *plan, const fl_simulation_spec *spec, fl_error *error)
{
    double start = fl_seconds_now();
    fl_simulation *s = calloc(1, sizeof *s);
    if (!s)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a simulation");
    s->spec = *spec;
    s->plan = plan;
    s->carried = s->not_carried = (double)NAN;
    fl_time_stamp(s->started);
    fl_status status = spec->find_saturation ? find_saturation(s, error) : run_loads(s, spec->loads, spec->load_count, error);
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
    for (size_t i = 0; simulation->results && i < simulation->load_count * simulation->spec.runs; i++)
        fl_sim_result_clear(&simulation->results[i]);
    free(simulation->results);
    free(simulation->loads);
    free(simulation);
}
