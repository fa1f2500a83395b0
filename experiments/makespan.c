#include "experiments/makespan.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Runs are independent, and each has its place in the results, as in simulate.c. */

typedef struct pool {
    const fl_makespan_spec *spec;
    const fl_makespan_options *options;
    fl_sim_result *results;
    size_t count;
    atomic_size_t next, left;
    atomic_bool stop;
    _Atomic uint64_t *arrived;  /* [count] packets */
    pthread_mutex_t lock;
    fl_status status;           /* of the first run that failed, by number */
    size_t failed;
    fl_error error;
} pool;

typedef struct watched {
    pool *pool;
    size_t run;
} watched;

size_t fl_makespan_place(const fl_makespan_spec *spec, unsigned network, unsigned workload, unsigned run)
{
    return ((size_t)workload * spec->network_count + network) * spec->runs + run;
}

static const fl_sim_plan *plan_of(const fl_makespan_spec *spec, size_t run)
{
    size_t pair = run / spec->runs;
    return spec->plans[pair % spec->network_count][pair / spec->network_count];
}

static bool watch_run(void *user, uint64_t arrived)
{
    watched *w = user;
    atomic_store_explicit(&w->pool->arrived[w->run], arrived, memory_order_relaxed);
    bool wanted = !w->pool->options->stop || !atomic_load_explicit(w->pool->options->stop, memory_order_relaxed);
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

static void *work(void *user)
{
    pool *p = user;
    for (size_t run; (run = atomic_fetch_add(&p->next, 1)) < p->count;) {
        watched w = {p, run};
        fl_sim_watch watch = {.progress = watch_run, .user = &w};
        fl_error error;
        uint64_t seed = p->spec->seed + run % p->spec->runs;
        if (watch_run(&w, 0)) {
            fl_status status = fl_sim_run(&p->results[run], plan_of(p->spec, run), 0, seed, &watch, &error);
            if (status)
                note_failure(p, run, status, &error);
        } else {
            p->results[run] = (fl_sim_result){.seed = seed, .stopped = true, .latency = (double)NAN};
        }
        atomic_store_explicit(&p->arrived[run], UINT64_MAX, memory_order_relaxed); /* is over */
        atomic_fetch_sub(&p->left, 1);
    }
    return NULL;
}

static void show_progress(const pool *p)
{
    uint64_t done = 0, all = 0;
    for (size_t run = 0; run < p->count; run++) {
        uint64_t packets = fl_sim_plan_packets(plan_of(p->spec, run)),
                 arrived = atomic_load_explicit(&p->arrived[run], memory_order_relaxed);
        done += arrived == UINT64_MAX ? packets : arrived;
        all += packets;
    }
    p->options->progress(p->options->user, done, all);
}

static fl_status run_pool(pool *p, fl_error *error)
{
    unsigned threads = p->options->threads < p->count ? p->options->threads : (unsigned)p->count, started = 0;
    pthread_t *ids = malloc((threads ? threads : 1) * sizeof *ids);
    p->arrived = calloc(p->count, sizeof *p->arrived);
    if (!ids || !p->arrived) {
        free(ids);
        free(p->arrived);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu runs", p->count);
    }
    pthread_mutex_init(&p->lock, NULL);
    atomic_store(&p->left, p->count);
    while (started < threads && pthread_create(&ids[started], NULL, work, p) == 0)
        started++;
    if (started == 0)
        work(p);
    while (atomic_load(&p->left) > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        if (p->options->progress)
            show_progress(p);
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&p->lock);
    free(ids);
    free(p->arrived);
    if (p->status && error)
        *error = p->error;
    return p->status;
}

fl_status fl_makespan_run(fl_makespan **out, const fl_makespan_spec *spec, const fl_makespan_options *options, fl_error *error)
{
    double start = fl_seconds_now();
    fl_makespan *m = calloc(1, sizeof *m);
    size_t count = (size_t)spec->network_count * spec->workload_count * spec->runs;
    if (m)
        m->results = calloc(count, sizeof *m->results);
    if (!m || !m->results) {
        fl_makespan_destroy(m);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu runs", count);
    }
    m->spec = spec;
    m->count = count;
    m->threads = options->threads;
    fl_time_stamp(m->started);
    pool p = {.spec = spec, .options = options, .results = m->results, .count = count};
    fl_status status = run_pool(&p, error);
    for (size_t i = 0; i < count; i++)
        m->partial |= m->results[i].stopped;
    m->wall_seconds = fl_seconds_now() - start;
    if (status) {
        fl_makespan_destroy(m);
        return status;
    }
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
        const fl_sim_completion *c = &m->results[fl_makespan_place(m->spec, network, workload, run)].completion;
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
    return (double)a->switches * pow(a->radix, power) / ((double)b->switches * pow(b->radix, power));
}

double fl_makespan_quantity_of(const fl_makespan *m, unsigned network, fl_makespan_quantity quantity)
{
    if (quantity == FL_MAKESPAN_PERFORMANCE)
        return performance_of(m, network);
    if (quantity < FL_MAKESPAN_EFFICIENCY_CONSTANT)
        return cost_of(m, network, quantity - FL_MAKESPAN_COST_CONSTANT);
    return performance_of(m, network) / cost_of(m, network, quantity - FL_MAKESPAN_EFFICIENCY_CONSTANT);
}
