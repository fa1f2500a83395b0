#include "topo/measure/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fl_status no_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the graph of the switches");
}

static fl_status stopped(fl_error *error)
{
    return fl_fail(error, FL_ERR_STOPPED, "stopped");
}

/* ---- the graph ---- */

void fl_switch_graph_destroy(fl_switch_graph *graph)
{
    free(graph->offsets);
    free(graph->targets);
    free(graph->hosts);
    free(graph->alike);
}

static void fill_graph(fl_switch_graph *graph, const fl_network *network, bool every_source)
{
    const fl_network_type *type = network->type;
    for (uint32_t s = 0; s < graph->switches; s++) {
        fl_address address = type->switch_address(network, s);
        graph->offsets[s] = graph->arcs;
        for (unsigned port = 0; port < network->radix; port++) {
            fl_hop hop;
            if (!fl_network_step(network, address, (fl_port)port, &hop))
                continue;
            if (fl_address_is_node(hop.to))
                graph->hosts[s]++;
            else
                graph->targets[graph->arcs++] = (uint32_t)type->switch_index(network, hop.to);
        }
        graph->homes += graph->hosts[s] > 0;
        graph->alike[s] =
            type->representative && !every_source ? (uint32_t)type->representative(network, s) : s;
    }
    graph->offsets[graph->switches] = graph->arcs;
}

/* Nodes are vertices, too. */
static void fill_graph_with_nodes(fl_switch_graph *graph, const fl_network *network)
{
    const fl_network_type *type = network->type;
    for (uint32_t v = 0; v < graph->switches; v++) {
        bool node = v >= graph->first_node;
        fl_address address = node ? type->node_address(network, v - graph->first_node)
                                  : type->switch_address(network, v);
        graph->offsets[v] = graph->arcs;
        graph->alike[v] = v;
        graph->hosts[v] = node;
        for (unsigned port = 0; port < (node ? network->node_ports : network->radix); port++) {
            fl_hop hop;
            if (!fl_network_step(network, address, (fl_port)port, &hop))
                continue;
            uint64_t to = fl_address_is_node(hop.to)
                              ? graph->first_node + type->node_index(network, hop.to)
                              : type->switch_index(network, hop.to);
            graph->targets[graph->arcs++] = (uint32_t)to;
        }
    }
    graph->offsets[graph->switches] = graph->arcs;
    for (uint32_t s = 0; s < graph->first_node; s++) {
        uint64_t at = graph->offsets[s];
        while (at < graph->offsets[s + 1] && graph->targets[at] < graph->first_node)
            at++;
        graph->homes += at < graph->offsets[s + 1];
    }
}

/* Bit i of a block of words belongs to the i-th source of a batch: one pass over the links takes
 * all of them one level further. Only switches that were reached in the last level pass anything
 * on. */
enum { WORDS = 8, BATCH = 64 * WORDS };

typedef struct block {
    uint64_t word[WORDS];
} block;

/* The graph, and the searches: bit blocks of three kinds. */
const double fl_metrics_bytes_a_switch = 16 + 3 * sizeof(block) + 9;

fl_status fl_switch_graph_create(fl_switch_graph *out, const fl_network *network, bool every_source,
                                 fl_error *error)
{
    bool with_nodes = network->node_ports > 1;
    uint64_t vertices = network->switches + (with_nodes ? network->nodes : 0);
    uint64_t links = network->links - (with_nodes ? 0 : network->nodes);
    if (vertices >= UINT32_MAX || network->links >= UINT32_MAX || network->nodes >= UINT32_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s is too large to be searched: %llu nodes, %llu switches, %llu links",
                       network->spec, (unsigned long long)network->nodes,
                       (unsigned long long)network->switches, (unsigned long long)network->links);
    fl_status status = fl_memory_check(
        (double)vertices * fl_metrics_bytes_a_switch + 8.0 * (double)links, network->spec, error);
    if (status)
        return status;
    *out = (fl_switch_graph){.switches = (uint32_t)vertices,
                             .nodes = network->nodes,
                             .first_node = (uint32_t)network->switches,
                             .node_ports = network->node_ports};
    out->offsets = malloc((vertices + 1) * sizeof *out->offsets);
    out->targets = malloc((2 * links + 1) * sizeof *out->targets);
    out->hosts = calloc(vertices, sizeof *out->hosts);
    out->alike = malloc(vertices * sizeof *out->alike);
    if (!out->offsets || !out->targets || !out->hosts || !out->alike) {
        fl_switch_graph_destroy(out);
        return no_memory(error);
    }
    if (with_nodes)
        fill_graph_with_nodes(out, network);
    else
        fill_graph(out, network, every_source);
    return FL_OK;
}

/* ---- distances, from many switches at once ---- */

typedef struct search {
    const fl_switch_graph *graph;
    block *reached, *front, *next;
    uint32_t *active, *touched;
    bool *is_touched;
    uint32_t sources[BATCH], weight[BATCH]; /* weight: how many nodes a source stands for */
    unsigned count;
} search;

static void search_destroy(search *s)
{
    free(s->reached);
    free(s->front);
    free(s->next);
    free(s->active);
    free(s->touched);
    free(s->is_touched);
}

static bool search_create(search *s, const fl_switch_graph *graph)
{
    size_t n = graph->switches;
    *s = (search){.graph = graph};
    s->reached = malloc(n * sizeof *s->reached);
    s->front = malloc(n * sizeof *s->front);
    s->next = calloc(n, sizeof *s->next);
    s->active = malloc(n * sizeof *s->active);
    s->touched = malloc(n * sizeof *s->touched);
    s->is_touched = calloc(n, sizeof *s->is_touched);
    return s->reached && s->front && s->next && s->active && s->touched && s->is_touched;
}

/* Weights of the sources whose bits are set: in one go where all are equal. */
static uint64_t weight_of(const search *s, const block *bits, uint32_t equal)
{
    uint64_t sum = 0;
    for (unsigned w = 0; w < WORDS; w++) {
        if (equal) {
            sum += (uint64_t)equal * fl_bit_count(bits->word[w]);
            continue;
        }
        for (uint64_t rest = bits->word[w]; rest; rest &= rest - 1)
            sum += s->weight[64 * w + fl_lowest_bit(rest)];
    }
    return sum;
}

static uint32_t push(search *s, uint32_t active, uint32_t level)
{
    const fl_switch_graph *graph = s->graph;
    uint32_t touched = 0;
    for (uint32_t i = 0; i < active; i++) {
        uint32_t v = s->active[i];
        if (v >= graph->first_node && level > 0)
            continue; /* nodes forward nothing */
        const block from = s->front[v];
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            block *to = &s->next[u];
            for (unsigned w = 0; w < WORDS; w++)
                to->word[w] |= from.word[w];
            if (!s->is_touched[u]) {
                s->is_touched[u] = true;
                s->touched[touched++] = u;
            }
        }
    }
    return touched;
}

/* Keeps what is new; returns how many switches it is new at. Adds up the pairs of nodes. */
static uint32_t settle(search *s, uint32_t touched, uint32_t equal, uint64_t *pairs)
{
    uint32_t active = 0;
    *pairs = 0;
    for (uint32_t i = 0; i < touched; i++) {
        uint32_t v = s->touched[i];
        block fresh;
        uint64_t any = 0;
        for (unsigned w = 0; w < WORDS; w++) {
            fresh.word[w] = s->next[v].word[w] & ~s->reached[v].word[w];
            s->reached[v].word[w] |= fresh.word[w];
            s->next[v].word[w] = 0;
            any |= fresh.word[w];
        }
        s->is_touched[v] = false;
        if (!any)
            continue;
        s->front[v] = fresh;
        s->active[active++] = v;
        if (s->graph->hosts[v] > 0)
            *pairs += s->graph->hosts[v] * weight_of(s, &fresh, equal);
    }
    return active;
}

/* Adds the batch's sum of distances between switches, over its ordered pairs of nodes. */
static uint64_t run_batch(search *s, uint64_t *sum, uint32_t *longest)
{
    uint32_t active = 0, equal = s->weight[0];
    uint64_t pairs, all = 0;
    memset(s->reached, 0, s->graph->switches * sizeof *s->reached);
    for (unsigned i = 0; i < s->count; i++) {
        uint32_t v = s->sources[i];
        equal = s->weight[i] == equal ? equal : 0;
        memset(&s->front[v], 0, sizeof s->front[v]);
        s->front[v].word[i / 64] |= UINT64_C(1) << (i % 64);
        s->reached[v] = s->front[v];
        s->active[active++] = v;
        all += (uint64_t)s->weight[i] * s->graph->hosts[v];
    }
    for (uint32_t level = 1; active > 0; level++) {
        active = settle(s, push(s, active, level - 1), equal, &pairs);
        *sum += level * pairs;
        all += pairs;
        *longest = pairs > 0 && level > *longest ? level : *longest;
    }
    return all;
}

/* Nodes that a source stands for: its own, and those of the switches like it. */
static uint32_t *weights_of(const fl_switch_graph *graph)
{
    uint32_t *weight = calloc(graph->switches, sizeof *weight);
    for (uint32_t s = 0; weight && s < graph->switches; s++)
        weight[graph->alike[s]] += graph->hosts[s];
    return weight;
}

/* The next batch: the source `first` and those nearest to it, so that a batch's search is at work
 * in few places at a time. (A mesh of 256 x 256 switches takes 2.8 s so, and 13 s with the sources
 * in their order.) Their weights become 0. */
static void gather(search *s, uint32_t first, uint32_t *weight)
{
    const fl_switch_graph *graph = s->graph;
    uint32_t head = 0, tail = 0;
    s->count = 0;
    s->touched[tail++] = first;
    s->is_touched[first] = true;
    while (head < tail && s->count < BATCH) {
        uint32_t v = s->touched[head++];
        if (weight[v] > 0) {
            s->sources[s->count] = v;
            s->weight[s->count++] = weight[v];
            weight[v] = 0;
        }
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            if (!s->is_touched[u]) {
                s->is_touched[u] = true;
                s->touched[tail++] = u;
            }
        }
    }
    while (tail > 0)
        s->is_touched[s->touched[--tail]] = false;
}

fl_status fl_measure_distances(fl_metrics *out, const fl_switch_graph *graph,
                               const fl_metrics_options *options, fl_error *error)
{
    search s;
    uint32_t *weight = weights_of(graph), longest = 0;
    uint64_t sum = 0, pairs = 0, nodes = graph->nodes;
    fl_status status = search_create(&s, graph) && weight ? FL_OK : no_memory(error);
    for (uint32_t v = 0; !status && v < graph->switches; v++) {
        while (!status && weight[v] > 0) {
            gather(&s, v, weight);
            out->searches += s.count;
            pairs += run_batch(&s, &sum, &longest);
            if (fl_metrics_stopped(options))
                status = stopped(error);
        }
    }
    search_destroy(&s);
    free(weight);
    if (status)
        return status;
    if (pairs != nodes * nodes)
        return fl_fail(error, FL_ERR_INVALID,
                       "the network is not connected: %llu of %llu pairs of nodes have no path",
                       (unsigned long long)(nodes * nodes - pairs),
                       (unsigned long long)(nodes * nodes));
    uint32_t node_links = graph->first_node == graph->switches ? 2 : 0; /* not searched through */
    sum += node_links * (pairs - nodes); /* not from a node to itself */
    out->homes = graph->homes;
    out->diameter = nodes > 1 ? longest + node_links : 0;
    out->distance_sum = sum / 2;
    out->pairs = nodes * (nodes - 1) / 2;
    out->average_distance = nodes > 1 ? (double)out->distance_sum / (double)out->pairs : 0;
    out->average_distance_with_self = (double)sum / ((double)nodes * (double)nodes);
    return FL_OK;
}

/* ---- routing tables ---- */

/* Nodes beside the switches that v leads to, v included; of a part of the network once. */
static uint64_t count_part(const fl_switch_graph *graph, uint32_t start, bool *seen,
                           uint32_t *queue, uint64_t *nodes)
{
    uint32_t head = 0, tail = 0;
    uint64_t switches = 0;
    queue[tail++] = start;
    seen[start] = true;
    *nodes = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        bool node = v >= graph->first_node;
        *nodes += graph->hosts[v];
        switches += !node;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1] && !node; e++)
            if (!seen[graph->targets[e]]) {
                seen[graph->targets[e]] = true;
                queue[tail++] = graph->targets[e];
            }
    }
    while (tail > 0) /* nodes belong to other parts, too */
        if (queue[--tail] >= graph->first_node)
            seen[queue[tail]] = false;
    return switches;
}

static fl_status count_table_entries(fl_metrics *out, const fl_switch_graph *graph, fl_error *error)
{
    bool *seen = calloc(graph->switches, sizeof *seen);
    uint32_t *queue = malloc(graph->switches * sizeof *queue);
    bool room = seen && queue;
    for (uint32_t s = 0; room && s < graph->first_node; s++) {
        uint64_t nodes;
        if (!seen[s])
            out->table_entries += count_part(graph, s, seen, queue, &nodes) * nodes;
    }
    free(seen);
    free(queue);
    return room ? FL_OK : no_memory(error);
}

/* ---- shortest paths ---- */

#define WORK_MAX 1e9 /* arcs looked at: a few seconds */

static double paths_from(const fl_switch_graph *graph, uint32_t start, uint32_t *distance,
                         uint32_t *queue, double *paths)
{
    uint32_t head = 0, tail = 0;
    double sum = 0;
    memset(distance, 0xff, graph->switches * sizeof *distance);
    distance[start] = 0;
    paths[start] = 1;
    queue[tail++] = start;
    while (head < tail) {
        uint32_t v = queue[head++];
        if (graph->hosts[v] > 0 && v != start)
            sum += paths[v];
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            if (distance[u] == UINT32_MAX) {
                distance[u] = distance[v] + 1;
                paths[u] = 0;
                queue[tail++] = u;
            }
            if (distance[u] == distance[v] + 1)
                paths[u] += paths[v];
        }
    }
    return sum;
}

fl_status fl_measure_paths(fl_metrics *out, const fl_switch_graph *graph,
                           const fl_metrics_options *options, fl_error *error)
{
    size_t n = graph->switches;
    out->path_diversity = NAN;
    if ((double)out->searches * (double)(graph->arcs + n) > WORK_MAX)
        return FL_OK;
    uint32_t *distance = malloc(n * sizeof *distance), *queue = malloc(n * sizeof *queue),
             *alike = calloc(n, sizeof *alike);
    double *paths = malloc(n * sizeof *paths), sum = 0;
    fl_status status = distance && queue && paths && alike ? FL_OK : no_memory(error);
    for (uint32_t s = 0; !status && s < n; s++)
        alike[graph->alike[s]] += graph->hosts[s] > 0;
    for (uint32_t s = 0; !status && s < n; s++) {
        if (alike[s] > 0)
            sum += alike[s] * paths_from(graph, s, distance, queue, paths);
        if (s % 256 == 0 && fl_metrics_stopped(options))
            status = stopped(error);
    }
    free(distance);
    free(queue);
    free(alike);
    free(paths);
    double homes = graph->homes;
    out->path_diversity = sum / homes / homes / (double)graph->nodes;
    return status;
}

/* ---- edge connectivity ---- */

/* Of three switches a, b, c, no fewer links part a from c than the fewest that part a from b or b
 * from c. So flows along any tree that spans the switches with nodes find the fewest for all pairs
 * (both ways, where links carry one way only), and they are quick where the tree joins neighbours.
 * A flow is looked for as far as the best cut so far only, path by path, each from both ends at
 * once. Arc e and its reverse carry 0 or 1; `used` is 1 on the arc that is used up, from the start
 * on those that are reverses only. */
typedef struct flow {
    const fl_switch_graph *graph;
    const uint64_t *real;  /* [switches] NULL: all arcs; else so many come first at a switch, then
                              reverses only */
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
            if (*work > WORK_MAX || fl_metrics_stopped(options))
                return -1;
        }
    return (int64_t)best;
}

/* Kruskal's tree of the switches with nodes, shortest ways first, and a flow along each of its
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
                if (*work > WORK_MAX || fl_metrics_stopped(options))
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
        return no_memory(error);
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
    return room ? FL_OK : no_memory(error);
}

/* ---- all of them ---- */

fl_status fl_metrics_compute(fl_metrics *out, const fl_network *network,
                             const fl_metrics_options *options, fl_error *error)
{
    static const fl_metrics_options defaults;
    fl_switch_graph graph;
    options = options ? options : &defaults;
    *out = (fl_metrics){.bisection_width = -1, .edge_connectivity = -1};
    unsigned wanted = options->wanted ? options->wanted : ~0u;
    fl_status status = fl_switch_graph_create(&graph, network, options->every_source, error);
    if (status)
        return status;
    if (wanted & FL_METRICS_DISTANCES)
        status = fl_measure_distances(out, &graph, options, error);
    if (!status && wanted & FL_METRICS_DISTANCES && !network->one_way)
        status = count_table_entries(out, &graph, error);
    out->path_diversity = NAN;
    if (!status && wanted & FL_METRICS_PATHS && network->node_ports == 1)
        status = fl_measure_paths(out, &graph, options, error);
    if (!status && wanted & FL_METRICS_CONNECTIVITY)
        status = fl_measure_connectivity(out, &graph, network->one_way, options, error);
    if (!status && !network->one_way && wanted & FL_METRICS_BISECTION)
        status = fl_measure_bisection(out, &graph, options, error);
    fl_switch_graph_destroy(&graph);
    return status;
}
