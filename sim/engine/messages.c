#include "sim/engine/engine.h"
#include "sim/workload/private.h"

#include <stdlib.h>
#include <string.h>

/* Reactive sources: which messages of a workload may leave, and what becomes of them.
 *
 * A message counts the messages that it comes after and that its source does not have yet. At 0,
 * and after its delay, it is put into its source's queue. Packets know their message by a list
 * beside that of packets, so that open traffic does not pay for it. */

typedef struct delayed {
    uint32_t cycle, message;
} delayed;

struct messages {
    const fl_sim_workload *w;
    uint32_t *missing;            /* [count]; NULL where no message comes after another */
    uint32_t *parts;              /* [count] packets that have not arrived */
    uint32_t *ready;              /* [count] cycle in which it came into its queue */
    uint32_t *next;               /* [count] in its queue */
    uint32_t *first, *last;       /* [nodes] queue, without the message that is leaving */
    uint32_t *leaving, *to_leave; /* [nodes] message whose packets leave, and how many have not */
    uint32_t *of, of_room;        /* [packets] message of a packet */
    uint8_t *lost;                /* [count] lost a packet; NULL: none has */
    delayed *heap;                /* earliest first */
    uint32_t heap_count, heap_room;
    uint64_t queued; /* messages that are ready and have packets that have not left */
    uint64_t ready_count;
};

/* ---- packets of messages ---- */

static uint32_t packets_of(const engine *e, uint32_t m)
{
    return (uint32_t)fl_sim_packets_of(&e->plan->model, e->messages->w->bytes[m]);
}

void fl_sim_note_message(engine *e, uint32_t p, uint32_t message)
{
    struct messages *ms = e->messages;
    if (FL_UNLIKELY(p >= ms->of_room)) {
        uint32_t *of = realloc(ms->of, e->packet_room * sizeof *of);
        if (!of) {
            fl_sim_out_of_memory(e);
            return;
        }
        ms->of = of;
        ms->of_room = e->packet_room;
    }
    ms->of[p] = message;
}

uint32_t fl_sim_message_of(const engine *e, uint32_t p)
{
    return e->messages->of[p];
}

/* ---- queues of sources ---- */

/* The next packet of a source is one of the message that is leaving, or there is none. */
static void set_birth(engine *e, uint32_t n)
{
    struct messages *ms = e->messages;
    source *s = &e->sources[n];
    uint32_t m = ms->leaving[n];
    s->born = UINT64_MAX;
    if (m == NONE)
        return;
    s->destination = e->plan->node_of[ms->w->destination[m]];
    s->born = ms->ready[m];
    unsigned depth = e->plan->model.source_queue;
    uint64_t left =
        depth > 0 && s->number >= depth ? e->left_ring[(size_t)n * depth + s->number % depth] : 0;
    s->born = left > s->born ? left : s->born;
}

static void begin_message(engine *e, uint32_t n, uint32_t m)
{
    e->messages->leaving[n] = m;
    e->messages->to_leave[n] = packets_of(e, m);
    set_birth(e, n);
}

/* Behind those that came before, and among those of this cycle in the order of the workload. */
static void enqueue(engine *e, uint32_t n, uint32_t m)
{
    struct messages *ms = e->messages;
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

static uint32_t dequeue(struct messages *ms, uint32_t n)
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
static void make_ready(engine *e, uint32_t m)
{
    struct messages *ms = e->messages;
    uint32_t n = e->plan->node_of[ms->w->source[m]], leaving = ms->leaving[n];
    source *s = &e->sources[n];
    ms->ready[m] = e->now;
    ms->ready_count++;
    ms->queued++;
    if (leaving == NONE) {
        begin_message(e, n, m);
    } else if (ms->ready[leaving] == e->now && m < leaving &&
               ms->to_leave[n] == packets_of(e, leaving)) {
        /* One of the same cycle came first, and has not begun. */
        begin_message(e, n, m);
        enqueue(e, n, leaving);
    } else {
        enqueue(e, n, m);
    }
    if (!s->waits) {
        s->waits = true;
        e->waiting[e->waiting_count++] = n;
    }
}

/* ---- delays ---- */

static bool is_earlier(delayed a, delayed b)
{
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.message < b.message;
}

static void put_off(engine *e, uint32_t m, uint32_t cycle)
{
    struct messages *ms = e->messages;
    if (ms->heap_count == ms->heap_room) {
        uint32_t room = ms->heap_room ? 2 * ms->heap_room : 64;
        delayed *heap = realloc(ms->heap, room * sizeof *heap);
        if (!heap) {
            fl_sim_out_of_memory(e);
            return;
        }
        ms->heap = heap;
        ms->heap_room = room;
    }
    uint32_t at = ms->heap_count++;
    for (delayed new = {cycle, m};; at = (at - 1) / 2) {
        if (at == 0 || !is_earlier(new, ms->heap[(at - 1) / 2])) {
            ms->heap[at] = new;
            return;
        }
        ms->heap[at] = ms->heap[(at - 1) / 2];
    }
}

static uint32_t take_delayed(struct messages *ms)
{
    uint32_t m = ms->heap[0].message, at = 0;
    delayed last = ms->heap[--ms->heap_count];
    for (uint32_t child; (child = 2 * at + 1) < ms->heap_count; at = child) {
        if (child + 1 < ms->heap_count && is_earlier(ms->heap[child + 1], ms->heap[child]))
            child++;
        if (!is_earlier(ms->heap[child], last))
            break;
        ms->heap[at] = ms->heap[child];
    }
    ms->heap[at] = last;
    return m;
}

void fl_sim_end_delays(engine *e)
{
    struct messages *ms = e->messages;
    while (ms->heap_count > 0 && ms->heap[0].cycle <= e->now)
        make_ready(e, take_delayed(ms));
}

/* ---- causality ---- */

/* Nothing is missing any more. */
static void complete(engine *e, uint32_t m)
{
    uint32_t delay = e->messages->w->delay ? e->messages->w->delay[m] : 0;
    if (delay == 0)
        make_ready(e, m);
    else
        put_off(e, m,
                e->now + delay < FL_SIM_CYCLES_MAX ? e->now + delay : (uint32_t)FL_SIM_CYCLES_MAX);
}

/* A process has sent, or received, message m. */
static void tell(engine *e, uint32_t process, uint32_t m)
{
    struct messages *ms = e->messages;
    const fl_sim_workload *w = ms->w;
    if (!w->next)
        return;
    for (uint32_t i = w->next_first[m]; i < w->next_first[m + 1]; i++) {
        uint32_t later = w->next[i];
        if (w->source[later] == process && --ms->missing[later] == 0)
            complete(e, later);
    }
}

void fl_sim_next_part(engine *e, uint32_t n)
{
    struct messages *ms = e->messages;
    uint32_t m = ms->leaving[n];
    if (--ms->to_leave[n] > 0) {
        set_birth(e, n);
        return;
    }
    ms->queued--;
    ms->leaving[n] = NONE;
    uint32_t next = dequeue(ms, n);
    if (next != NONE)
        begin_message(e, n, next);
    else
        set_birth(e, n);
    tell(e, ms->w->source[m], m);
}

uint32_t fl_sim_leaving_message(const engine *e, uint32_t n)
{
    return e->messages->leaving[n];
}

void fl_sim_part_arrived(engine *e, uint32_t p)
{
    struct messages *ms = e->messages;
    fl_sim_completion *out = &e->out->completion;
    uint32_t m = ms->of[p];
    if (--ms->parts[m] > 0)
        return;
    uint64_t latency = e->now - ms->ready[m];
    out->arrived++;
    out->cycles = e->now;
    out->latency_sum += latency;
    out->latency_max = latency > out->latency_max ? latency : out->latency_max;
    tell(e, ms->w->destination[m], m);
}

/* Its message never arrives: a part of it is missing for ever. */
void fl_sim_part_lost(engine *e, uint32_t p, unsigned why)
{
    struct messages *ms = e->messages;
    fl_sim_completion *out = &e->out->completion;
    uint32_t m = ms->of[p];
    if (!ms->lost) {
        ms->lost = calloc(ms->w->count, sizeof *ms->lost);
        if (!ms->lost) {
            fl_sim_out_of_memory(e);
            return;
        }
    }
    if (ms->lost[m])
        return;
    ms->lost[m] = true;
    if (out->lost < FL_SIM_LOST_MESSAGES)
        out->first_lost[out->lost] = (fl_sim_lost_message){m, why, e->now};
    out->lost++;
}

bool fl_sim_messages_are_over(const engine *e)
{
    return e->packet_count == 0 && e->messages->queued == 0 && e->messages->heap_count == 0;
}

/* ---- making ---- */

static void begin_all(engine *e)
{
    struct messages *ms = e->messages;
    const fl_sim_workload *w = ms->w;
    for (uint32_t m = 0; m < w->count; m++) {
        ms->parts[m] = packets_of(e, m);
        if (ms->missing)
            ms->missing[m] = w->after_first[m + 1] - w->after_first[m];
    }
    for (uint32_t m = 0; m < w->count; m++)
        if (!ms->missing || w->after_first[m + 1] == w->after_first[m])
            complete(e, m);
}

bool fl_sim_make_messages(engine *e)
{
    const fl_sim_workload *w = e->plan->set_up.workload;
    struct messages *ms = calloc(1, sizeof *ms);
    bool good = true;
    if (!ms)
        return false;
    size_t nodes = (size_t)e->plan->network->nodes, count = w->count;
    e->messages = ms;
    ms->w = w;
    ms->missing = w->after ? fl_sim_numbers(count, sizeof *ms->missing, 0, &good) : NULL;
    ms->parts = fl_sim_numbers(count, sizeof *ms->parts, 0, &good);
    ms->ready = fl_sim_numbers(count, sizeof *ms->ready, 0, &good);
    ms->next = fl_sim_numbers(count, sizeof *ms->next, 0xff, &good);
    ms->first = fl_sim_numbers(nodes, sizeof *ms->first, 0xff, &good);
    ms->last = fl_sim_numbers(nodes, sizeof *ms->last, 0xff, &good);
    ms->leaving = fl_sim_numbers(nodes, sizeof *ms->leaving, 0xff, &good);
    ms->to_leave = fl_sim_numbers(nodes, sizeof *ms->to_leave, 0, &good);
    if (good)
        begin_all(e);
    return good && !e->status;
}

void fl_sim_clear_messages(engine *e)
{
    struct messages *ms = e->messages;
    if (!ms)
        return;
    void *const lists[] = {ms->missing, ms->parts,    ms->ready, ms->next, ms->first, ms->last,
                           ms->leaving, ms->to_leave, ms->of,    ms->lost, ms->heap};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    free(ms);
    e->messages = NULL;
}

/* ---- the end ---- */

/* Messages that are not ready and wait, at first or second hand, for one of those marked in `seen`,
 * which are `count` in `path`. Marks them. */
static uint64_t count_waiting(const struct messages *ms, uint8_t *seen, uint32_t *path,
                              uint32_t count)
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
static void explain_stall(engine *e)
{
    struct messages *ms = e->messages;
    fl_sim_completion *out = &e->out->completion;
    uint8_t *seen = calloc(ms->w->count, sizeof *seen);
    uint32_t *path = malloc(ms->w->count * sizeof *path), count = 0;
    if (!seen || !path) {
        fl_sim_out_of_memory(e);
    } else if (ms->lost) {
        path[0] = out->first_lost[0].place;
        out->waiting_for_first = count_waiting(ms, seen, path, 1);
        memset(seen, 0, ms->w->count * sizeof *seen);
        for (uint32_t m = 0; m < ms->w->count; m++)
            if (ms->lost[m])
                path[count++] = m;
        uint64_t waiting = count_waiting(ms, seen, path, count);
        if (waiting != out->never_ready && !e->status)
            e->status = fl_fail(
                e->error, FL_ERR_ROUTER,
                "messages were not conserved (a mistake of the simulator): %llu never became ready, "
                "but %llu wait for lost ones",
                (unsigned long long)out->never_ready, (unsigned long long)waiting);
    }
    free(seen);
    free(path);
}

void fl_sim_conclude_messages(engine *e)
{
    struct messages *ms = e->messages;
    fl_sim_completion *out = &e->out->completion;
    bool over = fl_sim_messages_are_over(e);
    out->messages = ms->w->count;
    out->complete = out->arrived == out->messages;
    out->stalled = over && !out->complete;
    out->never_ready = out->messages - ms->ready_count - ms->heap_count;
    out->under_way = out->messages - out->arrived - out->lost - out->never_ready;
    if (out->stalled)
        explain_stall(e);
    if (over && out->under_way > 0 && !e->status)
        e->status = fl_fail(
            e->error, FL_ERR_ROUTER,
            "messages were not conserved (a mistake of the simulator): %llu neither arrived nor were lost",
            (unsigned long long)out->under_way);
}
