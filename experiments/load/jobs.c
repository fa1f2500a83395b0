/* Runs side by side, in threads and ranks.
 *
 * Runs are independent, and each has its place in the results, which do not depend on which thread
 * takes which run, and when.
 *
 * They are handed out one at a time, to the next free thread, because one may take a thousand times
 * as long as another. The ranks meet every millisecond. Each reports how many runs it wants, how
 * far it is, and which of its runs has ended; all draw the same conclusions from what all reported,
 * so that no rank leads. */
#include "experiments/load/private.h"
#include "experiments/sweep/job_queue.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MILLISECONDS_RANKS = 1, MILLISECONDS_ALONE = 5, MILLISECONDS_MEASURE = 50 };

/* What each rank says at a meeting. */
enum {
    WANTS,
    DONE,
    LONGEST,
    BUSY /* threads, of the mean, times 1000 */,
    STOPS,
    ENDED /* 1 + run, or 0 */,
    SAYS
};

typedef struct jobs {
    const fl_sim_jobs *of;
    fl_ranks *ranks;
    /* the same in all ranks */
    bool *here;     /* [count] results are here, or were before */
    size_t left;    /* ... are not */
    size_t next;    /* run to be handed out */
    bool stopped;   /* nothing is handed out any more */
    uint64_t work;  /* of all runs */
    uint64_t *said; /* [ranks][SAYS] */
    /* of this rank */
    uint64_t before;        /* work that was done before; rank 0 counts it */
    double begun, measured; /* when the progress was looked at, first and last */
    double busy;            /* seconds of threads */
    uint64_t done, longest;
    unsigned threads, started;
    _Atomic uint64_t *cycles; /* [count] simulated so far; IS_OVER */
    atomic_bool stop;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    size_t *given, given_count, taken;    /* runs for this rank */
    size_t *ended, ended_count, reported; /* ... that have ended */
    bool closed;                          /* nothing more will be given */
    fl_status status;                     /* of the first run that failed, by number */
    size_t failed;
    fl_error error;
} jobs;

#define IS_OVER UINT64_MAX

/* ---- a run ---- */

typedef struct watched {
    jobs *jobs;
    size_t run;
} watched;

static bool watch_run(void *user, uint64_t cycles)
{
    watched *w = user;
    atomic_store_explicit(&w->jobs->cycles[w->run], cycles, memory_order_relaxed);
    const atomic_bool *stop = w->jobs->of->stop;
    bool wanted = !stop || !atomic_load_explicit(stop, memory_order_relaxed);
    return wanted && !atomic_load_explicit(&w->jobs->stop, memory_order_relaxed);
}

static void note_failure(jobs *p, size_t run, fl_status status, const fl_error *error)
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

static fl_sim_result result_without_a_run(const fl_sim_task *task)
{
    return (fl_sim_result){
        .load = task->load, .seed = task->seed, .stopped = true, .latency = (double)NAN};
}

static void run_task(jobs *p, size_t run)
{
    const fl_sim_task *task = &p->of->tasks[run];
    fl_sim_result *result = &p->of->results[run];
    watched w = {p, run};
    fl_sim_watch watch = {.progress = watch_run, .user = &w};
    fl_error error;
    fl_status status = FL_OK;
    bool wanted = watch_run(&w, 0);
    if (wanted)
        status = fl_sim_run(result, task->plan, task->load, task->seed, &watch, &error);
    if (!wanted || status)
        *result = result_without_a_run(task);
    if (status)
        note_failure(p, run, status, &error);
}

/* Does one of the runs given to this rank. False: there is none now, or, after waiting, there will
 * be none any more. */
static bool work_on_one(jobs *p, bool wait)
{
    pthread_mutex_lock(&p->lock);
    while (wait && p->taken == p->given_count && !p->closed)
        pthread_cond_wait(&p->changed, &p->lock);
    bool there = p->taken < p->given_count;
    size_t run = there ? p->given[p->taken++] : 0;
    pthread_mutex_unlock(&p->lock);
    if (!there)
        return false;
    run_task(p, run);
    atomic_store_explicit(&p->cycles[run], IS_OVER, memory_order_relaxed);
    pthread_mutex_lock(&p->lock);
    p->ended[p->ended_count++] = run;
    pthread_mutex_unlock(&p->lock);
    return true;
}

static void *work(void *user)
{
    while (work_on_one(user, true))
        ;
    return NULL;
}

/* ---- progress ---- */

/* One that takes longer than expected is always nearly done. */
static uint64_t work_done(const jobs *p, size_t run)
{
    const fl_sim_task *task = &p->of->tasks[run];
    uint64_t cycles = atomic_load_explicit(&p->cycles[run], memory_order_relaxed),
             most = fl_sim_work_of(task);
    uint64_t done =
        cycles == IS_OVER ? most : (uint64_t)(fl_sim_work_of_cycle(task) * (double)cycles);
    most -= cycles == IS_OVER ? 0 : most / 20;
    return done < most ? done : most;
}

static unsigned threads_of(const jobs *p)
{
    return p->started ? p->started : 1;
}

/* How far this rank is, and how much there is left of the longest run that it does, or that no rank
 * does yet. */
static void measure(jobs *p)
{
    double now = fl_seconds_now();
    if (now - p->measured < MILLISECONDS_MEASURE * 1e-3)
        return;
    pthread_mutex_lock(&p->lock);
    size_t working = p->given_count - p->ended_count;
    pthread_mutex_unlock(&p->lock);
    p->busy += (now - p->measured) * (double)(working < threads_of(p) ? working : threads_of(p));
    p->measured = now;
    p->done = p->before;
    p->longest = 0;
    for (size_t i = 0; i < p->given_count; i++) {
        uint64_t done = work_done(p, p->given[i]),
                 left = fl_sim_work_of(&p->of->tasks[p->given[i]]) - done;
        p->done += done;
        p->longest = left > p->longest ? left : p->longest;
    }
    for (size_t run = p->next; run < p->of->count; run++) {
        uint64_t left = p->here[run] ? 0 : fl_sim_work_of(&p->of->tasks[run]);
        p->longest = left > p->longest ? left : p->longest;
    }
}

/* The longest run may be all that is left: other threads do not make it faster. */
static void report_progress(const jobs *p)
{
    uint64_t done = 0, longest = 0, busy = 0;
    for (unsigned rank = 0; rank < p->ranks->count; rank++) {
        const uint64_t *said = p->said + rank * SAYS;
        done += said[DONE];
        busy += said[BUSY];
        longest = said[LONGEST] > longest ? said[LONGEST] : longest;
    }
    uint64_t left = p->work > done ? p->work - done : 0,
             alone = (uint64_t)((double)longest * (double)busy / 1000);
    if (p->of->progress)
        p->of->progress(p->of->user, done, done + (left > alone ? left : alone));
}

/* ---- results of other ranks ---- */

static void take_result(jobs *p, size_t run, unsigned from)
{
    fl_sim_result *r = &p->of->results[run];
    bool complete = fl_sim_share_result(p->ranks, r, from);
    p->here[run] = true;
    p->left--;
    if (!complete) {
        fl_error error;
        fl_fail(&error, FL_ERR_MEMORY, "out of memory for the results of run %zu", run);
        r->cycle_length = r->cycle ? r->cycle_length : 0;
        r->series_length = r->series ? r->series_length : 0;
        note_failure(p, run, error.status, &error);
    }
    if (p->of->finished && complete && !r->stopped)
        p->of->finished(p->of->keeper, run, r);
}

/* ---- meetings ---- */

static void speak(jobs *p)
{
    measure(p);
    pthread_mutex_lock(&p->lock);
    size_t working = p->given_count - p->ended_count;
    const uint64_t mine[SAYS] = {
        [WANTS] = p->ranks->count == 1 ? p->of->count : threads_of(p) - working,
        [DONE] = p->done,
        [LONGEST] = p->longest,
        [BUSY] = p->measured > p->begun ? (uint64_t)(1000 * p->busy / (p->measured - p->begun)) : 0,
        [STOPS] = atomic_load(&p->stop) || (p->of->stop && atomic_load(p->of->stop)),
        [ENDED] = p->reported < p->ended_count ? 1 + p->ended[p->reported++] : 0,
    };
    pthread_mutex_unlock(&p->lock);
    p->ranks->collect(p->ranks, mine, SAYS, p->said);
}

static void give(jobs *p, size_t run)
{
    pthread_mutex_lock(&p->lock);
    p->given[p->given_count++] = run;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* One to each rank that wants some, and again, as long as there are some. */
static void hand_out(jobs *p)
{
    for (bool wanted = true; wanted;) {
        wanted = false;
        for (unsigned rank = 0; rank < p->ranks->count; rank++) {
            uint64_t *wants = &p->said[rank * SAYS + WANTS];
            while (p->next < p->of->count && p->here[p->next])
                p->next++;
            if (p->next == p->of->count)
                return;
            if (*wants == 0)
                continue;
            if (rank == p->ranks->mine)
                give(p, p->next);
            p->next++;
            wanted = --*wants > 0 || wanted;
        }
    }
}

/* What has not been handed out is not run. */
static void leave_the_rest(jobs *p)
{
    atomic_store(&p->stop, true);
    p->stopped = true;
    for (; p->next < p->of->count; p->next++)
        if (!p->here[p->next]) {
            p->of->results[p->next] = result_without_a_run(&p->of->tasks[p->next]);
            p->here[p->next] = true;
            p->left--;
        }
}

/* One that has failed, or was interrupted, ends all. False: nothing happened. */
static bool meet(jobs *p)
{
    bool ended = false, stop = false;
    speak(p);
    for (unsigned rank = 0; rank < p->ranks->count; rank++) {
        const uint64_t *said = p->said + rank * SAYS;
        if (said[ENDED])
            take_result(p, (size_t)said[ENDED] - 1, rank);
        ended |= said[ENDED] > 0;
        stop |= said[STOPS] > 0;
    }
    if (stop && !p->stopped)
        leave_the_rest(p);
    hand_out(p);
    report_progress(p);
    return ended;
}

/* ---- running ---- */

static void start_threads(jobs *p, pthread_t *ids)
{
    while (p->started < p->threads && pthread_create(&ids[p->started], NULL, work, p) == 0)
        p->started++;
}

static void end_threads(jobs *p, const pthread_t *ids)
{
    pthread_mutex_lock(&p->lock);
    p->closed = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(ids[i], NULL);
}

/* The main thread of each rank meets the others; it has to work itself only where no thread could
 * be started. */
static void run_all(jobs *p, pthread_t *ids)
{
    long pause = p->ranks->count > 1 ? MILLISECONDS_RANKS : MILLISECONDS_ALONE;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    start_threads(p, ids);
    p->begun = p->measured = fl_seconds_now();
    while (p->left > 0) {
        bool busy = meet(p);
        if (p->started == 0)
            busy |= work_on_one(p, false);
        if (!busy && p->left > 0)
            nanosleep(&(struct timespec){.tv_nsec = pause * 1000000}, NULL);
    }
    end_threads(p, ids);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
}

/* Rank 0 knows what was done before. */
static void look_at_the_past(jobs *p)
{
    size_t count = p->of->count;
    if (p->ranks->mine == 0 && p->of->done)
        memcpy(p->here, p->of->done, count * sizeof *p->here);
    p->ranks->share(p->ranks, p->here, count * sizeof *p->here, 0);
    p->left = count;
    for (size_t run = 0; run < count; run++) {
        uint64_t work = fl_sim_work_of(&p->of->tasks[run]);
        p->work += work;
        p->before += p->here[run] && p->ranks->mine == 0 ? work : 0;
        p->left -= p->here[run];
    }
    p->done = p->before;
}

/* Ranks with other runs would wait for each other for ever. */
static fl_status check_that_all_have_the_same(const jobs *p, fl_error *error)
{
    if (p->ranks->count == 1)
        return FL_OK;
    fl_text asked = {0};
    fl_sim_tasks_append(p->of->tasks, p->of->count, &asked);
    fl_status status = fl_ranks_compare(p->ranks, &asked, error);
    fl_text_clear(&asked);
    return status;
}

fl_status fl_sim_jobs_run(const fl_sim_jobs *of, fl_error *error)
{
    size_t count = of->count, room = count ? count : 1;
    jobs p = {.of = of,
              .ranks = of->ranks ? of->ranks : &fl_ranks_alone,
              .threads = of->threads < count ? of->threads : (unsigned)count};
    p.here = calloc(room, sizeof *p.here);
    p.said = calloc((size_t)p.ranks->count * SAYS, sizeof *p.said);
    p.cycles = calloc(room, sizeof *p.cycles);
    p.given = calloc(room, sizeof *p.given);
    p.ended = calloc(room, sizeof *p.ended);
    pthread_t *ids = calloc(p.threads ? p.threads : 1, sizeof *ids);
    if (!of->tasks || !of->results || !p.here || !p.said || !p.cycles || !p.given || !p.ended ||
        !ids)
        p.status = fl_fail(&p.error, FL_ERR_MEMORY, "out of memory for %zu runs", count);
    fl_status status = fl_ranks_agree(p.ranks, p.status, 0, &p.error, error);
    if (!status)
        status = check_that_all_have_the_same(&p, error);
    if (!status) {
        look_at_the_past(&p);
        run_all(&p, ids);
        status = fl_ranks_agree(p.ranks, p.status, p.failed, &p.error, error);
    }
    free(ids);
    free(p.ended);
    free(p.given);
    free(p.cycles);
    free(p.said);
    free(p.here);
    return status;
}
