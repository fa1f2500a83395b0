/* Reactive sources: which messages of a workload may leave, and what becomes of them. */
#include "sim/engine/run/messages.h"

#include "core/array.h"
#include "sim/workload/private.h"

#include <stdlib.h>
#include <string.h>

typedef struct delayed {
    uint32_t cycle, message;
} delayed;

struct messages {
    const fl_sim_workload *w;
    const fl_sim_plan *plan;
    sources *sources;
    const calendar *calendar;
    fl_sim_completion *out;
    run_status *status;
    uint32_t *missing;            /* [count]; NULL where no message comes after another */
    uint32_t *parts;              /* [count] packets that have not arrived */
    uint32_t *ready;              /* [count] cycle in which it came into its queue */
    uint32_t *next;               /* [count] in its queue */
    uint32_t *first, *last;       /* [nodes] queue, without the message that is leaving */
    uint32_t *leaving, *to_leave; /* [nodes] message whose packets leave, and how many have not */
    uint32_t *of, of_room;        /* [packets] message of a packet */
    uint8_t *lost;                /* [count] lost a packet; NULL: none has */
    FL_ARRAY(delayed) heap;       /* earliest first */
    uint64_t queued;              /* messages that are ready and have packets that have not left */
    uint64_t ready_count;
};

/* ---- packets of messages ---- */

static uint32_t packets_of(const messages *ms, uint32_t m)
{
    return (uint32_t)fl_sim_packets_of(&ms->plan->model, ms->w->bytes[m]);
}

void fl_sim_note_message(messages *ms, uint32_t p, uint32_t message, uint32_t room)
{
    if (FL_UNLIKELY(p >= ms->of_room)) {
        if (!FL_RESIZE(&ms->of, room)) {
            fl_sim_out_of_memory(ms->status);
            return;
        }
        ms->of_room = room;
    }
    ms->of[p] = message;
}

uint32_t fl_sim_message_of(const messages *ms, uint32_t p)
{
    return ms->of[p];
}

/* ---- queues of sources ---- */

/* The next packet of a source is one of the message that is leaving, or there is none. */
static void set_birth(messages *ms, uint32_t n)
{
    source *s = &ms->sources->list[n];
    uint32_t m = ms->leaving[n];
    s->born = UINT64_MAX;
    if (m == NONE)
        return;
    s->destination = ms->plan->node_of[ms->w->destination[m]];
    s->born = ms->ready[m];
    uint64_t opens = fl_sim_queue_opens(ms->sources, ms->plan, n, s->number);
    s->born = opens > s->born ? opens : s->born;
}

static void begin_message(messages *ms, uint32_t n, uint32_t m)
{
    ms->leaving[n] = m;
    ms->to_leave[n] = packets_of(ms, m);
    set_birth(ms, n);
}

/* Behind those that came before, and among those of this cycle in the order of the workload. */
static void enqueue(messages *ms, uint32_t n, uint32_t m)
{
    uint32_t before = ms->last[n];
    if (before != NONE && ms->ready[before] == ms->ready[m] && before > m) {
        before = NONE;
        for (uint32_t i = ms->first[n]; i != NONE && (ms->ready[i] < ms->ready[m] || i < m);
             i = ms->next[i])
            before = i;
    }
    uint32_t behind = before == NONE ? ms->first[n] : ms->next[before];
    ms->next[m] = behind;
    if (before == NONE)
        ms->first[n] = m;
    else
        ms->next[before] = m;
    if (behind == NONE)
        ms->last[n] = m;
}

static uint32_t dequeue(messages *ms, uint32_t n)
{
    uint32_t m = ms->first[n];
    if (m == NONE)
        return NONE;
    ms->first[n] = ms->next[m];
    if (ms->first[n] == NONE)
        ms->last[n] = NONE;
    return m;
}

/* It may leave. */
static void make_ready(messages *ms, uint32_t m)
{
    uint32_t n = ms->plan->node_of[ms->w->source[m]], leaving = ms->leaving[n];
    ms->ready[m] = ms->calendar->now;
    ms->ready_count++;
    ms->queued++;
    if (leaving == NONE) {
        begin_message(ms, n, m);
    } else if (ms->ready[leaving] == ms->calendar->now && m < leaving &&
               ms->to_leave[n] == packets_of(ms, leaving)) {
        /* One of the same cycle came first, and has not begun. */
        begin_message(ms, n, m);
        enqueue(ms, n, leaving);
    } else {
        enqueue(ms, n, m);
    }
    fl_sim_let_wait(ms->sources, n);
}

/* ---- delays ---- */

static bool is_earlier(delayed a, delayed b)
{
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.message < b.message;
}

static void put_off(messages *ms, uint32_t m, uint32_t cycle)
{
    const delayed new = {cycle, m};
    if (!FL_ARRAY_PUSH(&ms->heap, new)) {
        fl_sim_out_of_memory(ms->status);
        return;
    }
    size_t at = ms->heap.count - 1;
    for (; at > 0 && is_earlier(new, ms->heap.data[(at - 1) / 2]); at = (at - 1) / 2)
        ms->heap.data[at] = ms->heap.data[(at - 1) / 2];
    ms->heap.data[at] = new;
}

static uint32_t take_delayed(messages *ms)
{
    uint32_t m = ms->heap.data[0].message;
    size_t at = 0;
    delayed last = ms->heap.data[--ms->heap.count];
    for (size_t child; (child = 2 * at + 1) < ms->heap.count; at = child) {
        if (child + 1 < ms->heap.count &&
            is_earlier(ms->heap.data[child + 1], ms->heap.data[child]))
            child++;
        if (!is_earlier(ms->heap.data[child], last))
            break;
        ms->heap.data[at] = ms->heap.data[child];
    }
    ms->heap.data[at] = last;
    return m;
}

void fl_sim_end_delays(messages *ms)
{
    while (ms->heap.count > 0 && ms->heap.data[0].cycle <= ms->calendar->now)
        make_ready(ms, take_delayed(ms));
}

/* ---- causality ---- */

/* It has everything that it comes after. */
static void end_wait(messages *ms, uint32_t m)
{
    uint32_t delay = ms->w->delay ? ms->w->delay[m] : 0;
    if (delay == 0)
        make_ready(ms, m);
    else
        put_off(ms, m,
                ms->calendar->now + delay < FL_SIM_CYCLES_MAX ? ms->calendar->now + delay
                                                              : (uint32_t)FL_SIM_CYCLES_MAX);
}

/* A process has sent, or received, message m: others may wait for that. */
static void note_at(messages *ms, uint32_t process, uint32_t m)
{
    const fl_sim_workload *w = ms->w;
    if (!w->next)
        return;
    for (uint32_t i = w->next_first[m]; i < w->next_first[m + 1]; i++) {
        uint32_t later = w->next[i];
        if (w->source[later] == process && --ms->missing[later] == 0)
            end_wait(ms, later);
    }
}

void fl_sim_next_of_message(messages *ms, uint32_t n)
{
    uint32_t m = ms->leaving[n];
    ms->sources->list[n].number++;
    if (--ms->to_leave[n] > 0) {
        set_birth(ms, n);
        return;
    }
    ms->queued--;
    ms->leaving[n] = NONE;
    uint32_t next = dequeue(ms, n);
    if (next != NONE)
        begin_message(ms, n, next);
    else
        set_birth(ms, n);
    note_at(ms, ms->w->source[m], m);
}

uint32_t fl_sim_leaving_message(const messages *ms, uint32_t n)
{
    return ms->leaving[n];
}

void fl_sim_message_arrived(messages *ms, uint32_t p)
{
    fl_sim_completion *out = ms->out;
    uint32_t m = ms->of[p];
    if (--ms->parts[m] > 0)
        return;
    uint64_t latency = ms->calendar->now - ms->ready[m];
    out->arrived++;
    out->cycles = ms->calendar->now;
    out->latency_sum += latency;
    out->latency_max = latency > out->latency_max ? latency : out->latency_max;
    note_at(ms, ms->w->destination[m], m);
}

/* A message that has lost a packet never arrives. */
void fl_sim_message_lost(messages *ms, uint32_t p, unsigned why)
{
    fl_sim_completion *out = ms->out;
    uint32_t m = ms->of[p];
    if (!ms->lost) {
        ms->lost = calloc(ms->w->count, sizeof *ms->lost);
        if (!ms->lost) {
            fl_sim_out_of_memory(ms->status);
            return;
        }
    }
    if (ms->lost[m])
        return;
    ms->lost[m] = true;
    if (out->lost < FL_SIM_LOST_MESSAGES)
        out->first_lost[out->lost] = (fl_sim_lost_message){m, why, ms->calendar->now};
    out->lost++;
}

bool fl_sim_messages_are_over(const messages *ms, uint32_t in_flight)
{
    return in_flight == 0 && ms->queued == 0 && ms->heap.count == 0;
}

/* ---- making ---- */

static void begin_all(messages *ms)
{
    const fl_sim_workload *w = ms->w;
    for (uint32_t m = 0; m < w->count; m++) {
        ms->parts[m] = packets_of(ms, m);
        if (ms->missing)
            ms->missing[m] = w->after_first[m + 1] - w->after_first[m];
    }
    for (uint32_t m = 0; m < w->count; m++)
        if (!ms->missing || w->after_first[m + 1] == w->after_first[m])
            end_wait(ms, m);
}

messages *fl_sim_messages_create(const fl_sim_plan *plan, sources *ss, const calendar *c,
                                 fl_sim_completion *out, run_status *status)
{
    messages *ms = calloc(1, sizeof *ms);
    bool good = true;
    if (!ms)
        return NULL;
    const fl_sim_workload *w = plan->set_up.workload;
    size_t nodes = (size_t)plan->network->nodes, count = w->count;
    *ms = (messages){
        .w = w, .plan = plan, .sources = ss, .calendar = c, .out = out, .status = status};
    ms->missing = w->after ? fl_sim_list(count, sizeof *ms->missing, 0, &good) : NULL;
    ms->parts = fl_sim_list(count, sizeof *ms->parts, 0, &good);
    ms->ready = fl_sim_list(count, sizeof *ms->ready, 0, &good);
    ms->next = fl_sim_list(count, sizeof *ms->next, 0xff, &good);
    ms->first = fl_sim_list(nodes, sizeof *ms->first, 0xff, &good);
    ms->last = fl_sim_list(nodes, sizeof *ms->last, 0xff, &good);
    ms->leaving = fl_sim_list(nodes, sizeof *ms->leaving, 0xff, &good);
    ms->to_leave = fl_sim_list(nodes, sizeof *ms->to_leave, 0, &good);
    if (good)
        begin_all(ms);
    if (good && !status->code)
        return ms;
    fl_sim_messages_destroy(ms);
    return NULL;
}

void fl_sim_messages_destroy(messages *ms)
{
    if (!ms)
        return;
    void *const lists[] = {ms->missing, ms->parts,    ms->ready, ms->next, ms->first,    ms->last,
                           ms->leaving, ms->to_leave, ms->of,    ms->lost, ms->heap.data};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    free(ms);
}

/* ---- the end ---- */

/* Messages that are not ready and wait, at first or second hand, for one of those marked in `seen`,
 * which are `count` in `path`. Marks them. */
static uint64_t count_waiting(const messages *ms, uint8_t *seen, uint32_t *path, uint32_t count)
{
    const fl_sim_workload *w = ms->w;
    uint64_t waiting = 0;
    for (uint32_t done = 0; w->next && done < count; done++)
        for (uint32_t i = w->next_first[path[done]]; i < w->next_first[path[done] + 1]; i++) {
            uint32_t later = w->next[i];
            if (ms->missing[later] == 0 || seen[later])
                continue;
            seen[later] = true;
            path[count++] = later;
            waiting++;
        }
    return waiting;
}

/* Every message that never became ready waits for a lost one: this is found anew from the workload,
 * and compared with what was counted during the run. */
static void explain_stall(messages *ms)
{
    fl_sim_completion *out = ms->out;
    uint8_t *seen = calloc(ms->w->count, sizeof *seen);
    uint32_t *path = malloc(ms->w->count * sizeof *path), count = 0;
    if (!seen || !path) {
        fl_sim_out_of_memory(ms->status);
    } else if (ms->lost) {
        path[0] = out->first_lost[0].place;
        out->waiting_for_first = count_waiting(ms, seen, path, 1);
        memset(seen, 0, ms->w->count * sizeof *seen);
        for (uint32_t m = 0; m < ms->w->count; m++)
            if (ms->lost[m])
                path[count++] = m;
        uint64_t waiting = count_waiting(ms, seen, path, count);
        if (waiting != out->never_ready)
            fl_sim_mistake(
                ms->status,
                "messages were not conserved: %llu never became ready, but %llu wait for lost ones",
                (unsigned long long)out->never_ready, (unsigned long long)waiting);
    }
    free(seen);
    free(path);
}

void fl_sim_conclude_messages(messages *ms, uint32_t in_flight)
{
    fl_sim_completion *out = ms->out;
    bool over = fl_sim_messages_are_over(ms, in_flight);
    out->messages = ms->w->count;
    out->complete = out->arrived == out->messages;
    out->stalled = over && !out->complete;
    out->never_ready = out->messages - ms->ready_count - ms->heap.count;
    out->under_way = out->messages - out->arrived - out->lost - out->never_ready;
    if (out->stalled)
        explain_stall(ms);
    if (over && out->under_way > 0)
        fl_sim_mistake(ms->status,
                       "messages were not conserved: %llu neither arrived nor were lost",
                       (unsigned long long)out->under_way);
}
