#define _POSIX_C_SOURCE 200809L
#include "experiments/sweep/job_queue.h"
#include "experiments/sweep/stored.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WATCH_MILLISECONDS_RANKS = 10
}; /* several ranks hear of each other only as often as they look */

/* ---- one process by itself ---- */

static void share_alone(fl_ranks *ranks, void *data, size_t bytes, unsigned from)
{
    (void)ranks, (void)data, (void)bytes, (void)from;
}

static void collect_alone(fl_ranks *ranks, const uint64_t *mine, size_t size, uint64_t *all)
{
    (void)ranks;
    memcpy(all, mine, size * sizeof *all);
}

static void sum_alone(fl_ranks *ranks, uint64_t *numbers, size_t size)
{
    (void)ranks, (void)numbers, (void)size;
}

static bool add_up_alone(fl_ranks *ranks, const uint64_t mine[FL_RANKS_REPORT],
                         uint64_t sums[FL_RANKS_REPORT])
{
    collect_alone(ranks, mine, FL_RANKS_REPORT, sums);
    return true;
}

fl_ranks fl_ranks_alone = {1, 0, share_alone, collect_alone, sum_alone, add_up_alone};

fl_status fl_ranks_agree(fl_ranks *ranks, fl_status status, uint64_t place, const fl_error *own,
                         fl_error *error)
{
    struct {
        int64_t status;
        uint64_t place;
    } of_rank, of_first = {0};
    unsigned first = 0;
    for (unsigned rank = 0; rank < ranks->count;
         rank++) { /* one after the other: collecting them would need memory */
        of_rank.status = status;
        of_rank.place = place;
        ranks->share(ranks, &of_rank, sizeof of_rank, rank);
        if (of_rank.status && (!of_first.status || of_rank.place < of_first.place)) {
            of_first = of_rank;
            first = rank;
        }
    }
    fl_status agreed = (fl_status)of_first.status;
    if (!agreed)
        return FL_OK;
    fl_error shared = *own;
    ranks->share(ranks, &shared, sizeof shared, first);
    return fl_fail(error, agreed, "%s", shared.text);
}

/* The line around a place of a text, or what can be shown of it. */
static void show_line(char *out, size_t size, const char *text, size_t length, size_t at)
{
    enum { BEFORE = 60 };
    size_t first = at < length ? at : length, end = first;
    while (first > 0 && text[first - 1] != '\n')
        first--;
    while (end < length && text[end] != '\n')
        end++;
    bool cut = at - first > BEFORE && end - first >= size;
    first = cut ? at - BEFORE : first;
    snprintf(out, size, "%s%.*s", cut ? "..." : "", (int)(end - first),
             end > first ? text + first : "");
}

/* Against what rank 0 has; a rank without memory for that still listens to all of it. */
static fl_status compare_with(fl_ranks *ranks, const fl_text *asked, char *theirs, size_t length,
                              fl_error *error)
{
    enum { PIECE = 1 << 16 };
    char unused[256];
    for (size_t at = 0, size; at < length; at += size) {
        size_t room = theirs ? PIECE : sizeof unused;
        size = length - at < room ? length - at : room;
        ranks->share(ranks, theirs ? theirs + at : unused, size, 0);
    }
    if (!theirs || asked->failed)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    if (asked->length == length && (length == 0 || memcmp(asked->data, theirs, length) == 0))
        return FL_OK;
    size_t at = 0;
    while (at < length && at < asked->length && asked->data[at] == theirs[at])
        at++;
    char ours[200], of_0[200];
    show_line(ours, sizeof ours, asked->data, asked->length, at);
    show_line(of_0, sizeof of_0, theirs, length, at);
    return fl_fail(error, FL_ERR_INVALID,
                   "rank %u was asked for something else than rank 0: \"%s\", and rank 0: \"%s\"",
                   ranks->mine, ours, of_0);
}

fl_status fl_ranks_compare(fl_ranks *ranks, const fl_text *asked, fl_error *error)
{
    fl_error own = {0};
    uint64_t length = asked->length;
    if (ranks->count == 1)
        return asked->failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory") : FL_OK;
    ranks->share(ranks, &length, sizeof length, 0);
    char *theirs = malloc(length + 1);
    if (theirs && ranks->mine == 0 && asked->data)
        memcpy(theirs, asked->data, length);
    fl_status status = compare_with(ranks, asked, theirs, length, &own);
    free(theirs);
    return fl_ranks_agree(ranks, status, 0, &own, error);
}

/* ---- the threads of a sweep ---- */

fl_status fl_job_queue_prepare(fl_job_queue *jobs, fl_error *error)
{
    jobs->said = calloc((size_t)jobs->ranks->count * 2, sizeof *jobs->said);
    return jobs->said ? FL_OK
                      : fl_fail(error, FL_ERR_MEMORY, "out of memory for %u processes",
                                jobs->ranks->count);
}

static void dismiss_threads(fl_job_queue *jobs)
{
    fl_threads_destroy(jobs->all_threads);
    fl_counts_destroy(jobs->counts);
    jobs->all_threads = NULL;
    jobs->counts = NULL;
}

void fl_job_queue_clear(fl_job_queue *jobs)
{
    dismiss_threads(jobs);
    free(jobs->said);
}

static fl_status need_threads(fl_job_queue *jobs, const fl_bound_sweep *bound, fl_error *error)
{
    if (jobs->all_threads && jobs->sweep.routers == bound->routers)
        return FL_OK;
    dismiss_threads(jobs);
    jobs->sweep = (fl_sweep){
        .network = bound->network,
        .model = bound->model,
        .routers = bound->routers,
        .router_count = bound->router_count,
        .seed = jobs->experiment->seed,
        .threads = jobs->threads,
    };
    jobs->counts = fl_counts_create(bound->router_count, fl_fault_model_fault_points(bound->model));
    if (!jobs->counts)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the counts of %s",
                       bound->network->spec);
    return fl_threads_create(&jobs->all_threads, &jobs->sweep, error);
}

/* ---- a block ---- */

static size_t points_of(const fl_counts *counts)
{
    return (size_t)counts->routers * counts->fault_points;
}

static size_t pairs_of(const fl_counts *counts)
{
    return (size_t)counts->routers * (counts->routers - 1) / 2 * counts->fault_points;
}

static void forget_counts(fl_counts *counts)
{
    if (!counts)
        return;
    memset(counts->of, 0, points_of(counts) * sizeof *counts->of);
    memset(counts->both, 0, pairs_of(counts) * sizeof *counts->both);
}

/* Each rank reports its progress to the others and learns whether all have ended. */
static bool look(void *user, const fl_threads_state *state, bool *stop)
{
    fl_job_queue *jobs = user;
    bool end = state->failed || jobs->should_stop(jobs->user);
    uint64_t mine[FL_RANKS_REPORT] = {state->done, state->working, end}, sums[FL_RANKS_REPORT];
    *stop = end;
    if (!jobs->ranks->add_up(jobs->ranks, mine, sums))
        return false;
    *stop |= sums[2] > 0;
    jobs->stopped |= sums[2] > 0;
    if (jobs->progress)
        jobs->progress(jobs->user, sums[0]);
    return sums[1] == 0;
}

/* The trials of a block are split among the ranks as evenly as it goes, in order. */
static fl_range part_of(const fl_block *block, unsigned rank, unsigned ranks)
{
    uint64_t each = block->count / ranks, more = block->count % ranks;
    uint64_t first = block->first + each * rank + (rank < more ? rank : more);
    return (fl_range){first, first + each + (rank < more)};
}

/* This rank's part. A rank that cannot do it still listens until the others have ended. */
static fl_status run_part(fl_job_queue *jobs, const fl_block *block, uint64_t *done,
                          fl_error *error)
{
    fl_watch watch = {look, jobs,
                      jobs->ranks->count > 1 ? WATCH_MILLISECONDS_RANKS : FL_WATCH_MILLISECONDS};
    fl_range part = part_of(block, jobs->ranks->mine, jobs->ranks->count);
    forget_counts(jobs->counts);
    fl_status status = need_threads(jobs, &jobs->experiment->bound[block->sweep], error);
    double start = fl_seconds_now();
    if (!status) {
        status = fl_threads_run(jobs->all_threads, part.first, part.end - part.first, &watch,
                                jobs->counts, done, error);
        jobs->working = fl_seconds_now() - start;
        return status;
    }
    bool stop;
    while (!look(jobs, &(fl_threads_state){.failed = true}, &stop))
        nanosleep(&(struct timespec){.tv_nsec = FL_WATCH_MILLISECONDS_IDLE * 1000000L}, NULL);
    return status;
}

/* The first rank with an error sends it to all. */
static fl_status share_errors(fl_job_queue *jobs, fl_error *error)
{
    for (unsigned rank = 0; rank < jobs->ranks->count; rank++)
        if (jobs->said[2 * rank]) {
            fl_error shared = *error;
            jobs->ranks->share(jobs->ranks, &shared, sizeof shared, rank);
            return fl_fail(error, (fl_status) - (int)jobs->said[2 * rank], "%s", shared.text);
        }
    return FL_OK;
}

fl_status fl_job_queue_run(fl_job_queue *jobs, const fl_block *block, fl_error *error)
{
    fl_error own = {.text = ""};
    uint64_t done = 0;
    fl_status status = run_part(jobs, block, &done, &own);
    uint64_t mine[2] = {(uint64_t) - (int)status, done};
    jobs->ranks->collect(jobs->ranks, mine, 2, jobs->said);
    status = share_errors(jobs, &own);
    if (status)
        return fl_fail(error, status, "%s", own.text);
    fl_counts *counts = jobs->counts;
    jobs->ranks->sum(jobs->ranks, fl_count_fields(counts->of), points_of(counts) * FL_COUNT_FIELDS);
    jobs->ranks->sum(jobs->ranks, counts->both, pairs_of(counts));
    return FL_OK;
}

fl_status fl_job_queue_take(fl_job_queue *jobs, const fl_block *block, fl_results *results,
                            fl_error *error)
{
    fl_ranges *ranges = &results->ranges[block->sweep];
    fl_counts *counts = results->counts[block->sweep];
    for (unsigned rank = 0; rank < jobs->ranks->count; rank++) {
        fl_range part = part_of(block, rank, jobs->ranks->count);
        part.end = part.first + jobs->said[2 * rank + 1];
        fl_status status = fl_ranges_add(ranges, part, error);
        if (status)
            return status;
    }
    fl_counts_add(counts, jobs->counts);
    counts->trials = fl_ranges_total(ranges);
    counts->first_trial = ranges->count ? ranges->of[0].first : 0;
    return FL_OK;
}
