#include "experiments/simulate.h"
#include "experiments/team.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Runs are independent, and each has its place in the results: whoever takes which run, and when, leaves no trace. Rank r of
 * R has the runs r, r + R, ..., so that light and heavy loads are spread evenly; its threads take them one by one. */

typedef struct pool {
    const fl_sim_pool *of;
    fl_sim_result *results;     /* NULL: there was no memory for them */
    size_t count;               /* runs */
    fl_ranks *ranks;
    atomic_size_t next;         /* ... of this rank */
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
    atomic_store_explicit(&w->pool->cycles[w->run], cycles, memory_order_relaxed);
    const atomic_bool *stop = w->pool->of->stop;
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
    fl_sim_result *result = &p->results[run];
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
    for (size_t run; (run = atomic_fetch_add(&p->next, p->ranks->count)) < p->count;) {
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
    if (m->stop == FL_SIM_STOP_MESSAGES) /* not cycles: packets */
        return fl_sim_plan_packets(task->plan);
    double load = task->load;
    double cycles = load > 0 ? 1.1 * (double)m->packets * m->packet_flits / load : (double)m->cycles;
    return cycles < (double)m->cycles ? (uint64_t)cycles : m->cycles;
}

/* What this rank has done, and what there is to do for all. */
static uint64_t cycles_done(const pool *p, uint64_t *all)
{
    uint64_t done = 0;
    *all = 0;
    for (size_t run = 0; run < p->count; run++) {
        const fl_sim_task *task = &p->of->tasks[run];
        uint64_t expected = expected_cycles(task), cycles = atomic_load_explicit(&p->cycles[run], memory_order_relaxed);
        uint64_t weight = p->of->by_nodes ? fl_sim_plan_set_up(task->plan)->router->network->nodes : 1;
        done += weight * (cycles == UINT64_MAX ? expected : cycles < expected ? cycles : expected);
        *all += weight * expected;
    }
    return done;
}

/* ---- running ---- */

/* Each rank tells the others how far it is, until all have ended. One that has failed, or was interrupted, ends all. */
static void watch_all(pool *p)
{
    for (bool working = true; working;) {
        uint64_t all, sums[FL_RANKS_SAY];
        bool stop = atomic_load(&p->stop) || (p->of->stop && atomic_load(p->of->stop));
        uint64_t mine[FL_RANKS_SAY] = {cycles_done(p, &all), atomic_load(&p->left) > 0, stop};
        if (!p->ranks->add_up(p->ranks, mine, sums)) {
            nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
            continue;
        }
        working = sums[1] > 0;
        if (sums[2] > 0)
            atomic_store(&p->stop, true);
        if (p->of->progress)
            p->of->progress(p->of->user, sums[0], all);
        if (working)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

static size_t runs_of(const pool *p, unsigned rank)
{
    return (p->count + p->ranks->count - 1 - rank) / p->ranks->count;
}

/* This rank's runs. */
static void run_own(pool *p)
{
    size_t own = p->results && p->cycles ? runs_of(p, p->ranks->mine) : 0;
    unsigned threads = p->of->threads < own ? p->of->threads : (unsigned)own, started = 0;
    pthread_t *ids = malloc((threads ? threads : 1) * sizeof *ids);
    pthread_mutex_init(&p->lock, NULL);
    atomic_store(&p->left, own);
    atomic_store(&p->next, p->ranks->mine);
    while (ids && started < threads && pthread_create(&ids[started], NULL, work, p) == 0)
        started++;
    if (started == 0 && own > 0)
        work(p);
    watch_all(p);
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&p->lock);
    free(ids);
}

/* The error of the first run that failed, by number, whichever rank had it. */
static fl_status share_errors(pool *p, fl_error *error)
{
    fl_ranks *ranks = p->ranks;
    uint64_t mine[2] = {(uint64_t)-(int)p->status, p->failed}, *all = calloc(ranks->count, sizeof mine);
    if (!all)
        abort(); /* which ends the others too */
    ranks->collect(ranks, mine, 2, all);
    unsigned first = ranks->count;
    for (unsigned rank = 0; rank < ranks->count; rank++)
        if (all[2 * rank] && (first == ranks->count || all[2 * rank + 1] < all[2 * first + 1]))
            first = rank;
    fl_status status = first < ranks->count ? (fl_status)-(int)all[2 * first] : FL_OK;
    free(all);
    if (!status)
        return FL_OK;
    ranks->share(ranks, &p->error, sizeof p->error, first);
    return fl_fail(error, status, "%s", p->error.text);
}

/* A list of a result, from the rank that has it. */
static void share_list(fl_ranks *ranks, void **list, size_t bytes, unsigned from)
{
    if (bytes == 0)
        return;
    if (ranks->mine != from)
        *list = calloc(1, bytes);
    if (!*list)
        abort(); /* which ends the others too: they are sending already */
    for (size_t at = 0; at < bytes; at += 1 << 20)
        ranks->share(ranks, (char *)*list + at, bytes - at < 1 << 20 ? bytes - at : 1 << 20, from);
}

/* Every rank gets the results of the others. They are the same program on machines of one kind. */
static void share_results(pool *p)
{
    fl_ranks *ranks = p->ranks;
    for (size_t run = 0; ranks->count > 1 && run < p->count; run++) {
        unsigned from = (unsigned)(run % ranks->count);
        fl_sim_result *r = &p->results[run], own = *r;
        ranks->share(ranks, r, sizeof *r, from);
        r->cycle = own.cycle;
        r->series = own.series;
        share_list(ranks, (void **)&r->cycle, r->cycle_length * sizeof *r->cycle, from);
        share_list(ranks, (void **)&r->series, r->series_length * sizeof *r->series, from);
    }
}

fl_status fl_sim_pool_run(const fl_sim_pool *of, fl_error *error)
{
    pool p = {.of = of, .results = of->results, .count = of->count, .ranks = of->ranks ? of->ranks : &fl_ranks_alone};
    p.cycles = calloc(p.count ? p.count : 1, sizeof *p.cycles);
    if (!p.results || !of->tasks || !p.cycles) {
        p.status = fl_fail(&p.error, FL_ERR_MEMORY, "out of memory for %zu runs", p.count);
        atomic_store(&p.stop, true);
        p.count = p.cycles && of->tasks ? p.count : 0;
    }
    run_own(&p);
    fl_status status = share_errors(&p, error);
    if (!status)
        share_results(&p);
    free(p.cycles);
    return status;
}

/* All runs of some loads, behind those that there are already. */
static fl_status run_loads(fl_simulation *s, const double *loads, size_t count, fl_error *error)
{
    size_t runs = s->spec.runs, before = s->load_count;
    double *all = realloc(s->loads, (before + count) * sizeof *all);
    s->loads = all ? all : s->loads;
    fl_sim_result *results = realloc(s->results, (before + count) * runs * sizeof *results);
    s->results = results ? results : s->results;
    size_t wanted = count * runs;
    fl_sim_task *tasks = all && results ? calloc(wanted + 1, sizeof *tasks) : NULL;
    fl_sim_pool own = {.count = wanted, .threads = s->spec.threads, .ranks = s->spec.ranks, .stop = s->spec.stop, .progress = s->spec.progress,
                       .user = s->spec.user};
    if (tasks) {
        memcpy(all + before, loads, count * sizeof *all);
        own.results = memset(results + before * runs, 0, wanted * sizeof *results);
        s->load_count += count;
        for (size_t i = 0; i < wanted; i++)
            tasks[i] = (fl_sim_task){s->plan, loads[i / runs], s->spec.seed + i % runs};
    }
    own.tasks = tasks;
    fl_status status = fl_sim_pool_run(&own, error);
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
