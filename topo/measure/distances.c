/* Distances between all switches with nodes, from many of them at once. */
#include "topo/measure/private.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    const fl_switch_graph *graph;
    fl_block *reached, *front, *next;
    uint32_t *active, *touched;
    bool *is_touched;
    uint32_t sources[FL_BLOCK_BITS],
        weight[FL_BLOCK_BITS]; /* weight: how many nodes a source stands for */
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
static uint64_t weight_of(const search *s, const fl_block *bits, uint32_t equal)
{
    uint64_t sum = 0;
    for (unsigned w = 0; w < FL_BLOCK_WORDS; w++) {
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
        const fl_block from = s->front[v];
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            fl_block *to = &s->next[u];
            for (unsigned w = 0; w < FL_BLOCK_WORDS; w++)
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
        fl_block fresh;
        uint64_t any = 0;
        for (unsigned w = 0; w < FL_BLOCK_WORDS; w++) {
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
    while (head < tail && s->count < FL_BLOCK_BITS) {
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
    fl_status status = search_create(&s, graph) && weight ? FL_OK : fl_metrics_no_memory(error);
    for (uint32_t v = 0; !status && v < graph->switches; v++) {
        while (!status && weight[v] > 0) {
            gather(&s, v, weight);
            out->searches += s.count;
            pairs += run_batch(&s, &sum, &longest);
            if (fl_metrics_stopped(options))
                status = fl_metrics_stop(error);
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
