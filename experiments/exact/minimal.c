#include "experiments/exact/private.h"

#include <stdlib.h>
#include <string.h>

/* minimal-limit without sampling, for links that fail one by one. The paths of a pair that are
 * shortest without faults form a directed graph without cycles: its links lead one step away from
 * the source and one step nearer to the destination. Some such path is left if and only if the
 * destination can be reached in it.
 *
 * Links are taken up one after the other, those of a vertex together, once all links that lead to
 * it were taken. What matters of the past is which vertices of the frontier (seen, not yet left)
 * can be reached: a set of bits. Each set carries a polynomial: the number of sets in which b of
 * the links so far can be down. Both answers to a link are followed and equal sets merge. In trees
 * the frontier stays narrow when the next vertex is the one that widens it least. */

enum { FRONTIER_MAX = 64, NO_SLOT = 0xff };

/* Sets of reached vertices, one after the other, and the polynomial of each; an index finds a set
 * by linear probing. */
typedef struct states {
    uint64_t *sets;
    long double *numbers; /* [set][stride] */
    uint32_t *index;      /* [index_size] 1 + number of the set, or 0 */
    size_t count, index_size;
} states;

struct fl_minimal_paths {
    const fl_fault_model *model;
    const fl_network *network;
    fl_graph *graph;
    uint64_t memory_max; /* bytes */
    fl_exact_time_limit time_limit;
    uint32_t *from_source, *from_destination, *queue; /* [vertices] */
    uint32_t *left; /* [vertices] links that lead to it and were not taken yet */
    uint8_t *slot;  /* [vertices] its bit, or NO_SLOT */
    uint32_t *seen; /* [FRONTIER_MAX] the frontier, in the order in which it was seen */
    unsigned seen_count;
    uint64_t taken_slots;
    states now, next;
    unsigned stride, asked;
    long double delivered[FL_EXPLORED_COMPONENTS_MAX + 1], lengths[FL_EXPLORED_COMPONENTS_MAX + 1];
    bool complete;
    uint64_t states; /* visited so far */
};

/* ---- sets ---- */

static void clear_states(states *s)
{
    free(s->sets);
    free(s->numbers);
    free(s->index);
    *s = (states){0};
}

static bool make_states(states *s, size_t most, unsigned stride)
{
    clear_states(s);
    s->index_size = 16;
    while (s->index_size < 2 * most)
        s->index_size *= 2;
    s->sets = malloc(most * sizeof *s->sets);
    s->numbers = malloc(most * stride * sizeof *s->numbers);
    s->index = calloc(s->index_size, sizeof *s->index);
    return s->sets && s->numbers && s->index;
}

/* The polynomial of a set, 0 at first. There is room for as many as the table was made for. */
static long double *numbers_of(states *s, uint64_t set, unsigned stride)
{
    size_t at = (size_t)((set * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (s->index_size - 1);
    while (s->index[at] && s->sets[s->index[at] - 1] != set)
        at = (at + 1) & (s->index_size - 1);
    if (!s->index[at]) {
        s->sets[s->count] = set;
        s->index[at] = (uint32_t)++s->count;
        memset(s->numbers + (s->count - 1) * stride, 0, stride * sizeof *s->numbers);
    }
    return s->numbers + (s->index[at] - 1) * (size_t)stride;
}

static void add_numbers(long double *to, const long double *from, unsigned degree, unsigned shift)
{
    for (unsigned b = 0; b <= degree; b++)
        to[b + shift] += from[b];
}

/* ---- one link ---- */

/* `finally` are bits that are not asked about any more. A set without a bit left is a dead end. */
static fl_status take_link(fl_minimal_paths *m, uint64_t from, uint64_t to, uint64_t destination,
                           bool can_fail, uint64_t finally)
{
    /* Old sets and new ones, of which there may be twice as many. */
    if (m->now.count > m->memory_max / (3 * m->stride * sizeof(long double)) ||
        m->time_limit.is_over(m->time_limit.user))
        return FL_ERR_STOPPED;
    if (!make_states(&m->next, 2 * m->now.count + 1, m->stride))
        return FL_ERR_MEMORY;
    m->states += m->now.count;
    for (size_t i = 0; i < m->now.count; i++) {
        uint64_t set = m->now.sets[i];
        const long double *numbers = m->now.numbers + i * m->stride;
        bool matters = (set & from) && !(set & to);
        uint64_t up = matters ? set | to : set, down = set;
        up = up & destination ? destination
                              : up & ~finally; /* it has arrived: the rest is all the same */
        down = down & destination ? destination : down & ~finally;
        if (up)
            add_numbers(numbers_of(&m->next, up, m->stride), numbers, m->asked, 0);
        if (can_fail && down)
            add_numbers(numbers_of(&m->next, down, m->stride), numbers, m->asked, 1);
    }
    states old = m->now;
    m->now = m->next;
    m->next = old;
    m->asked += can_fail;
    return FL_OK;
}

/* ---- the order of vertices ---- */

/* One step on along a shortest path; through other nodes leads none. */
static bool is_ahead(const fl_minimal_paths *m, uint32_t from, uint32_t to, uint32_t distance)
{
    if ((to < m->graph->ends_only && m->from_destination[to] > 0) ||
        (from < m->graph->ends_only && m->from_source[from] > 0))
        return false;
    return m->from_source[to] == m->from_source[from] + 1 &&
           m->from_source[to] + m->from_destination[to] == distance;
}

static bool see(fl_minimal_paths *m, uint32_t vertex)
{
    if (m->slot[vertex] != NO_SLOT)
        return true;
    if (m->seen_count == FRONTIER_MAX)
        return false;
    m->slot[vertex] = (uint8_t)fl_lowest_bit(~m->taken_slots);
    m->taken_slots |= UINT64_C(1) << m->slot[vertex];
    m->seen[m->seen_count++] = vertex;
    return true;
}

static void forget(fl_minimal_paths *m, unsigned at)
{
    uint32_t vertex = m->seen[at];
    m->taken_slots &= ~(UINT64_C(1) << m->slot[vertex]);
    m->slot[vertex] = NO_SLOT;
    m->seen_count--;
    memmove(m->seen + at, m->seen + at + 1, (m->seen_count - at) * sizeof *m->seen);
}

/* Of the vertices that can be left, the one that adds fewest to the frontier; the latest of these.
 */
static unsigned choose(const fl_minimal_paths *m, uint32_t destination, uint32_t distance)
{
    unsigned best = FRONTIER_MAX, fewest = UINT32_MAX;
    for (unsigned i = m->seen_count; i-- > 0;) {
        uint32_t vertex = m->seen[i];
        unsigned added = 0;
        if (m->left[vertex] > 0 || vertex == destination)
            continue;
        for (uint64_t e = m->graph->offsets[vertex]; e < m->graph->offsets[vertex + 1]; e++)
            added += is_ahead(m, vertex, m->graph->targets[e], distance) &&
                     m->slot[m->graph->targets[e]] == NO_SLOT;
        if (added < fewest) {
            fewest = added;
            best = i;
        }
    }
    return best;
}

static bool may_fail(const fl_minimal_paths *m, uint32_t link)
{
    uint64_t components[FL_LINK_COMPONENTS_MAX];
    return fl_fault_model_components_of(m->model, m->network->type->link_code(m->network, link),
                                        components) > 0;
}

static fl_status leave(fl_minimal_paths *m, unsigned at, uint32_t destination, uint32_t distance)
{
    uint32_t vertex = m->seen[at];
    uint64_t begin = m->graph->offsets[vertex], end = m->graph->offsets[vertex + 1], last = begin;
    for (uint64_t e = begin; e < end; e++)
        if (is_ahead(m, vertex, m->graph->targets[e], distance))
            last = e;
    for (uint64_t e = begin; e <= last; e++) {
        uint32_t far_end = m->graph->targets[e];
        if (!is_ahead(m, vertex, far_end, distance))
            continue;
        bool can_fail = may_fail(m, m->graph->links[e]);
        if (!see(m, far_end) || m->asked + can_fail > FL_EXPLORED_COMPONENTS_MAX ||
            m->asked + can_fail >= m->stride)
            return FL_ERR_STOPPED;
        m->left[far_end]--;
        uint64_t from = UINT64_C(1) << m->slot[vertex], to = UINT64_C(1) << m->slot[far_end];
        fl_status status =
            take_link(m, from, to, far_end == destination ? to : 0, can_fail, e == last ? from : 0);
        if (status)
            return status;
    }
    forget(m, at);
    return FL_OK;
}

/* Counts the links of the shortest paths; those that can fail bound the polynomials. */
static unsigned count_links(fl_minimal_paths *m, uint32_t distance)
{
    unsigned can_fail = 0;
    for (uint64_t v = 0; v < m->graph->vertices; v++) {
        m->left[v] = 0;
        m->slot[v] = NO_SLOT;
    }
    for (uint64_t v = 0; v < m->graph->vertices; v++)
        for (uint64_t e = m->graph->offsets[v];
             e < m->graph->offsets[v + 1] && m->from_source[v] + m->from_destination[v] == distance;
             e++)
            if (is_ahead(m, (uint32_t)v, m->graph->targets[e], distance)) {
                m->left[m->graph->targets[e]]++;
                can_fail += may_fail(m, m->graph->links[e]);
            }
    return can_fail;
}

/* ---- a pair ---- */

static void read_off(fl_minimal_paths *m, uint64_t arrived, uint32_t distance, fl_exploration *out)
{
    const long double *numbers =
        numbers_of(&m->now, arrived, m->stride); /* there is room for one more */
    for (unsigned b = 0; b <= m->asked; b++) {
        m->delivered[b] = numbers[b];
        m->lengths[b] = m->delivered[b] * distance;
        m->complete = m->complete && m->lengths[b] < 0x1p64L;
    }
    *out = (fl_exploration){.asked = m->asked, .delivered = m->delivered, .lengths = m->lengths};
}

fl_status fl_minimal_paths_run(fl_minimal_paths *m, uint64_t source, uint64_t destination,
                               fl_exploration *out, fl_error *error)
{
    fl_graph_distances(m->graph, source, m->from_source, m->queue);
    fl_graph_distances(m->graph, destination, m->from_destination, m->queue);
    uint32_t distance = m->from_source[destination];
    unsigned can_fail = count_links(m, distance);
    if (can_fail > FL_EXPLORED_COMPONENTS_MAX)
        return fl_fail(error, FL_ERR_STOPPED, "the shortest paths of one pair have %u links",
                       can_fail);
    m->stride = can_fail + 2;
    m->asked = m->seen_count = 0;
    m->taken_slots = 0;
    if (!make_states(&m->now, 2, m->stride))
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for sets of vertices");
    see(m, (uint32_t)source);
    *numbers_of(&m->now, UINT64_C(1) << m->slot[source], m->stride) = 1;
    for (unsigned at; (at = choose(m, (uint32_t)destination, distance)) < FRONTIER_MAX;) {
        fl_status status = leave(m, at, (uint32_t)destination, distance);
        if (status)
            return fl_fail(error, status,
                           status == FL_ERR_MEMORY ? "out of memory for sets of vertices"
                                                   : "too many sets of vertices");
    }
    read_off(m, UINT64_C(1) << m->slot[destination], distance, out);
    return FL_OK;
}

bool fl_minimal_paths_are_complete(const fl_minimal_paths *m)
{
    return m->complete;
}

uint64_t fl_minimal_paths_states(const fl_minimal_paths *m)
{
    return m->states;
}

fl_status fl_minimal_paths_create(fl_minimal_paths **out, const fl_network *network,
                                  const fl_fault_model *model, uint64_t memory_max,
                                  const fl_exact_time_limit *time_limit, fl_error *error)
{
    fl_minimal_paths *m = calloc(1, sizeof *m);
    if (!m)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for shortest paths");
    fl_status status = fl_graph_create(&m->graph, network, error);
    if (status) {
        free(m);
        return status;
    }
    size_t vertices = m->graph->vertices;
    *m = (fl_minimal_paths){.model = model,
                            .network = network,
                            .graph = m->graph,
                            .memory_max = memory_max ? memory_max : UINT64_MAX,
                            .time_limit = *time_limit,
                            .complete = true};
    m->from_source = malloc(vertices * sizeof *m->from_source);
    m->from_destination = malloc(vertices * sizeof *m->from_destination);
    m->queue = malloc(vertices * sizeof *m->queue);
    m->left = malloc(vertices * sizeof *m->left);
    m->slot = malloc(vertices * sizeof *m->slot);
    m->seen = malloc(FRONTIER_MAX * sizeof *m->seen);
    if (m->from_source && m->from_destination && m->queue && m->left && m->slot && m->seen) {
        *out = m;
        return FL_OK;
    }
    fl_minimal_paths_destroy(m);
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for shortest paths");
}

void fl_minimal_paths_destroy(fl_minimal_paths *m)
{
    if (!m)
        return;
    fl_graph_destroy(m->graph);
    free(m->from_source);
    free(m->from_destination);
    free(m->queue);
    free(m->left);
    free(m->slot);
    free(m->seen);
    clear_states(&m->now);
    clear_states(&m->next);
    free(m);
}
