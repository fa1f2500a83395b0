/* The fewest links whose loss parts two switches with nodes. */
#include "topo/measure/private.h"

#include <stdlib.h>
#include <string.h>

/* Of three switches a, b, c, no fewer links part a from c than the fewest that part a from b or b
 * from c. So flows along any tree that spans the switches with nodes find the fewest for all pairs
 * (in both directions, where links carry one way only), and they are quick where the tree joins
 * neighbours. A flow is looked for as far as the best cut so far only, path by path, each from both
 * ends at once. Arc e and its reverse carry 0 or 1; `used` is 1 on the arc that is used up, from
 * the start on those that are reverses only. */
typedef struct flow {
    const fl_switch_graph *graph;
    const uint64_t *real;  /* [switches] NULL: all arcs; else the number that comes first at a
                              switch, then  reverses only */
    uint64_t *reverse;     /* [arcs] */
    int8_t *initial, *now; /* [arcs] -1, 0, 1: used without a flow; used, if the arc's stamp is that
                              of the flow */
    uint32_t *used_stamp, flow;
    uint64_t *by; /* [switches] the arc from the source's side, or on towards the target */
    uint32_t *queue[2], head[2], tail[2]; /* from the source, from the target */
    uint32_t *stamp, round;
    uint32_t *owner, *distance,
        *leader; /* [switches] nearest switch with nodes; how far; of a part of the tree */
} flow;

FL_INLINE int8_t used(const flow *f, uint64_t e)
{
    return f->used_stamp[e] == f->flow ? f->now[e] : f->initial[e];
}

static void carry(flow *f, uint64_t e)
{
    uint64_t back = f->reverse[e];
    int8_t forward = used(f, e), backward = used(f, back);
    f->used_stamp[e] = f->used_stamp[back] = f->flow;
    f->now[e] = (int8_t)(forward + 1);
    f->now[back] = (int8_t)(backward - 1);
}

/* One level of the search from one end. True: it has met the other, over the arc *join. */
static bool expand(flow *f, unsigned side, uint64_t *join, double *work)
{
    const fl_switch_graph *graph = f->graph;
    uint32_t own = 2 * f->round + side, other = 2 * f->round + !side;
    for (uint32_t last = f->tail[side]; f->head[side] < last;) {
        uint32_t v = f->queue[side][f->head[side]++];
        *work += (double)(graph->offsets[v + 1] - graph->offsets[v]);
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            uint64_t along = side ? f->reverse[e] : e;
            if (f->stamp[u] == own || used(f, along) == 1)
                continue;
            if (u >= graph->first_node && u != f->queue[!side][0])
                continue; /* nodes forward nothing */
            *join = along;
            if (f->stamp[u] == other)
                return true;
            f->stamp[u] = own;
            f->by[u] = along;
            f->queue[side][f->tail[side]++] = u;
        }
    }
    return false;
}

static bool augment(flow *f, uint32_t source, uint32_t target, double *work)
{
    const fl_switch_graph *graph = f->graph;
    const uint32_t ends[2] = {source, target};
    uint64_t join;
    f->round++;
    for (unsigned side = 0; side < 2; side++) {
        f->stamp[ends[side]] = 2 * f->round + side;
        f->queue[side][0] = ends[side];
        f->head[side] = 0;
        f->tail[side] = 1;
    }
    for (bool met = false; !met;) {
        uint32_t width[2] = {f->tail[0] - f->head[0], f->tail[1] - f->head[1]};
        if (width[0] == 0 || width[1] == 0)
            return false;
        met = expand(f, width[1] < width[0], &join, work);
    }
    carry(f, join);
    for (uint32_t v = graph->targets[f->reverse[join]]; v != source;
         v = graph->targets[f->reverse[f->by[v]]])
        carry(f, f->by[v]);
    for (uint32_t v = graph->targets[join]; v != target; v = graph->targets[f->by[v]])
        carry(f, f->by[v]);
    return true;
}

/* By target, then by place. */
static int by_key(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* The first of the sorted entries from..beyond-1 whose key is this. */
static uint64_t first_of_key(uint64_t (*sorted)[2], uint64_t from, uint64_t far_end, uint64_t key)
{
    while (from < far_end) {
        uint64_t middle = from + (far_end - from) / 2;
        if (sorted[middle][0] < key)
            from = middle + 1;
        else
            far_end = middle;
    }
    return from;
}

/* The arc back: v's entry among u's targets, of parallel ones the i-th for the i-th. Targets of a
 * switch are looked up in sorted order. */
static bool pair_arcs(flow *f)
{
    const fl_switch_graph *graph = f->graph;
    uint64_t(*sorted)[2] = malloc((graph->arcs + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t v = 0; v < graph->switches; v++) {
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            sorted[e][0] = graph->targets[e];
            sorted[e][1] = e;
        }
        qsort(sorted + graph->offsets[v], graph->offsets[v + 1] - graph->offsets[v], sizeof *sorted,
              by_key);
    }
    for (uint32_t v = 0; v < graph->switches; v++)
        for (uint64_t at = graph->offsets[v]; at < graph->offsets[v + 1]; at++) {
            uint64_t u = sorted[at][0],
                     before = at - first_of_key(sorted, graph->offsets[v], at, u);
            uint64_t back =
                first_of_key(sorted, graph->offsets[u], graph->offsets[u + 1], v) + before;
            f->reverse[sorted[at][1]] = back < graph->offsets[u + 1] && sorted[back][0] == v
                                            ? sorted[back][1]
                                            : sorted[at][1];
        }
    free(sorted);
    return true;
}

/* Owners: searches from all switches with nodes at once. Returns the longest distance. */
static uint32_t find_owners(flow *f)
{
    const fl_switch_graph *graph = f->graph;
    uint32_t head = 0, tail = 0, *queue = f->queue[0];
    for (uint32_t v = 0; v < graph->switches; v++) {
        f->owner[v] = graph->hosts[v] > 0 ? v : UINT32_MAX;
        f->leader[v] = v;
        f->distance[v] = 0;
        if (graph->hosts[v] > 0)
            queue[tail++] = v;
    }
    for (; head < tail; head++)
        for (uint64_t e = graph->offsets[queue[head]]; e < graph->offsets[queue[head] + 1]; e++) {
            uint32_t u = graph->targets[e];
            if (f->owner[u] != UINT32_MAX)
                continue;
            f->owner[u] = f->owner[queue[head]];
            f->distance[u] = f->distance[queue[head]] + 1;
            queue[tail++] = u;
        }
    return tail ? f->distance[queue[tail - 1]] : 0;
}

static uint32_t leader_of(uint32_t *leader, uint32_t v)
{
    while (leader[v] != v)
        v = leader[v] = leader[leader[v]];
    return v;
}

/* Links of one switch with nodes, out or in, whose loss cuts it off. */
static uint64_t least_degree(const flow *f)
{
    const fl_switch_graph *graph = f->graph;
    uint64_t best = UINT64_MAX;
    for (uint32_t v = 0; v < graph->switches; v++) {
        uint64_t degree = graph->offsets[v + 1] - graph->offsets[v],
                 out = f->real ? f->real[v] : degree;
        uint64_t in = f->real ? degree - out : degree;
        if (graph->hosts[v] > 0)
            best = out < best && out <= in ? out : in < best ? in : best;
    }
    return best;
}

static void flow_between(flow *f, uint32_t a, uint32_t b, uint64_t *best, double *work)
{
    for (int back = 0; back <= (f->real != NULL); back++) {
        uint64_t found = 0;
        f->flow++;
        while (found < *best && augment(f, back ? b : a, back ? a : b, work))
            found++;
        *best = found;
    }
}

/* Of nodes, through which nothing leads, nothing is said by flows along a tree: every two are
 * looked at. */
static int64_t least_cut_of_nodes(flow *f, double *work, const fl_metrics_options *options)
{
    const fl_switch_graph *graph = f->graph;
    uint64_t best = least_degree(f);
    for (uint32_t a = graph->first_node; a < graph->switches; a++)
        for (uint32_t b = a + 1; b < graph->switches; b++) {
            flow_between(f, a, b, &best, work);
            if (*work > FL_WORK_MAX || fl_metrics_stopped(options))
                return -1;
        }
    return (int64_t)best;
}

/* Kruskal's tree of the switches with nodes, shortest paths first, and a flow along each of its
 * edges. */
static int64_t least_cut(flow *f, double *work, const fl_metrics_options *options)
{
    const fl_switch_graph *graph = f->graph;
    if (graph->first_node < graph->switches)
        return least_cut_of_nodes(f, work, options);
    uint32_t longest = 2 * find_owners(f) + 1, left = graph->homes - 1;
    uint64_t best = least_degree(f);
    for (uint32_t length = 1; length <= longest && left > 0; length++)
        for (uint32_t v = 0; v < graph->switches && left > 0; v++)
            for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
                uint32_t u = graph->targets[e];
                if (f->distance[v] + f->distance[u] + 1 != length)
                    continue;
                uint32_t a = leader_of(f->leader, f->owner[v]),
                         b = leader_of(f->leader, f->owner[u]);
                if (a == b)
                    continue;
                f->leader[a] = b;
                left--;
                flow_between(f, f->owner[v], f->owner[u], &best, work);
                if (*work > FL_WORK_MAX || fl_metrics_stopped(options))
                    return -1;
            }
    return (int64_t)best;
}

/* Every arc, and behind those of a switch a reverse of each arc that leads there. */
static bool with_reverses(fl_switch_graph *out, uint64_t **real, const fl_switch_graph *graph)
{
    uint32_t n = graph->switches;
    uint64_t *next = calloc((size_t)n + 1, sizeof *next);
    *out = (fl_switch_graph){.switches = n,
                             .first_node = n,
                             .homes = graph->homes,
                             .nodes = graph->nodes,
                             .arcs = 2 * graph->arcs};
    out->offsets = calloc((size_t)n + 1, sizeof *out->offsets);
    out->targets = malloc((2 * graph->arcs + 1) * sizeof *out->targets);
    out->hosts = malloc(n * sizeof *out->hosts);
    *real = malloc(n * sizeof **real);
    bool room = next && out->offsets && out->targets && out->hosts && *real;
    for (uint64_t e = 0; room && e < graph->arcs; e++)
        next[graph->targets[e]]++; /* arcs that lead there */
    for (uint32_t v = 0; room && v < n; v++) {
        uint64_t count = graph->offsets[v + 1] - graph->offsets[v];
        out->hosts[v] = graph->hosts[v];
        out->offsets[v + 1] = out->offsets[v] + count + next[v];
        (*real)[v] = count;
        memcpy(out->targets + out->offsets[v], graph->targets + graph->offsets[v],
               count * sizeof *out->targets);
        next[v] = out->offsets[v] + count;
    }
    for (uint32_t v = 0; room && v < n; v++)
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            out->targets[next[graph->targets[e]]++] = v;
    free(next);
    return room;
}

/* Reverses stand in the order of the switches that their arcs come from. */
static bool pair_reverses(flow *f)
{
    const fl_switch_graph *graph = f->graph;
    uint64_t *next = malloc(graph->switches * sizeof *next);
    for (uint32_t v = 0; next && v < graph->switches; v++)
        next[v] = graph->offsets[v] + f->real[v];
    for (uint32_t v = 0; next && v < graph->switches; v++)
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v] + f->real[v]; e++) {
            uint64_t back = next[graph->targets[e]]++;
            f->reverse[e] = back;
            f->reverse[back] = e;
        }
    bool room = next != NULL;
    free(next);
    return room;
}

fl_status fl_measure_connectivity(fl_metrics *out, const fl_switch_graph *graph, bool one_way,
                                  const fl_metrics_options *options, fl_error *error)
{
    out->edge_connectivity = -1;
    bool nodes = graph->first_node < graph->switches;
    if (graph->nodes < 2 || graph->homes < (nodes ? 1u : 2u))
        return FL_OK;
    fl_switch_graph both = {.switches = 0};
    uint64_t *real = NULL;
    flow f = {.graph = graph};
    if (one_way && !with_reverses(&both, &real, graph)) {
        fl_switch_graph_destroy(&both);
        free(real);
        return fl_metrics_no_memory(error);
    }
    if (one_way) {
        f.graph = graph = &both;
        f.real = real;
    }
    f.reverse = malloc((graph->arcs + 1) * sizeof *f.reverse);
    f.initial = calloc(graph->arcs + 1, 1);
    f.now = malloc(graph->arcs + 1);
    f.used_stamp = calloc(graph->arcs + 1, sizeof *f.used_stamp);
    f.by = malloc(graph->switches * sizeof *f.by);
    uint32_t **const numbers[] = {&f.queue[0], &f.queue[1], &f.stamp,
                                  &f.owner,    &f.distance, &f.leader};
    bool room = f.reverse && f.initial && f.now && f.used_stamp && f.by;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        room = (*numbers[i] = calloc(graph->switches, sizeof **numbers[i])) != NULL && room;
    room = room && (one_way ? pair_reverses(&f) : pair_arcs(&f));
    for (uint32_t v = 0; room && f.real && v < graph->switches; v++)
        for (uint64_t e = graph->offsets[v] + f.real[v]; e < graph->offsets[v + 1]; e++)
            f.initial[e] = 1;
    double work = 0;
    if (room)
        out->edge_connectivity = least_cut(&f, &work, options);
    free(f.reverse);
    free(f.initial);
    free(f.now);
    free(f.used_stamp);
    free(f.by);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        free(*numbers[i]);
    if (one_way)
        fl_switch_graph_destroy(&both);
    free(real);
    return room ? FL_OK : fl_metrics_no_memory(error);
}
