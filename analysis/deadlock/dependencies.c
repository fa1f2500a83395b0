/* Channel dependency graphs: making them, and their cycles. */
#include "analysis/deadlock/dependencies.h"

#include <stdlib.h>
#include <string.h>

static void lay_out(fl_channel_graph *graph)
{
    const fl_network *network = graph->network;
    for (uint32_t s = 0; s < graph->switches; s++)
        graph->address[s] = network->type->switch_address(network, s);
    for (uint32_t s = 0; s < graph->switches; s++)
        for (uint32_t port = 0; port < graph->radix; port++) {
            fl_hop hop;
            bool leads = fl_network_step(network, graph->address[s], (fl_port)port, &hop) &&
                         !fl_address_is_node(hop.to);
            graph->far_end[s * graph->radix + port] =
                leads ? (uint32_t)network->type->switch_index(network, hop.to) : FL_NO_SWITCH;
        }
}

fl_status fl_channel_graph_create(fl_channel_graph **out, const fl_network *network,
                                  unsigned channels_a_link, fl_error *error)
{
    fl_channel_graph *graph = calloc(1, sizeof *graph);
    uint64_t count = network->switches * network->radix * channels_a_link;
    if (count >= UINT32_MAX / 2) {
        free(graph);
        return fl_fail(error, FL_ERR_INVALID,
                       "%s has %llu channels: too many for a dependency graph", network->spec,
                       (unsigned long long)count);
    }
    if (!graph)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a dependency graph");
    *graph = (fl_channel_graph){.network = network,
                                .switches = (uint32_t)network->switches,
                                .radix = network->radix,
                                .channels_a_link = channels_a_link,
                                .count = (uint32_t)count,
                                .words = (network->radix * channels_a_link + 63) / 64};
    graph->far_end = malloc(graph->switches * (size_t)graph->radix * sizeof *graph->far_end);
    graph->address = malloc(graph->switches * sizeof *graph->address);
    graph->next = calloc((size_t)count * graph->words, sizeof *graph->next);
    graph->colour = malloc((size_t)count + 1);
    graph->stack = malloc(2 * (size_t)count * sizeof *graph->stack + sizeof *graph->stack);
    if (!graph->far_end || !graph->address || !graph->next || !graph->colour || !graph->stack) {
        fl_channel_graph_destroy(graph);
        return fl_fail(error, FL_ERR_MEMORY,
                       "out of memory for a dependency graph of %llu channels",
                       (unsigned long long)count);
    }
    lay_out(graph);
    *out = graph;
    return FL_OK;
}

void fl_channel_graph_destroy(fl_channel_graph *graph)
{
    if (!graph)
        return;
    free(graph->far_end);
    free(graph->address);
    free(graph->next);
    free(graph->colour);
    free(graph->stack);
    free(graph);
}

void fl_channel_graph_clear(fl_channel_graph *graph)
{
    memset(graph->next, 0, (size_t)graph->count * graph->words * sizeof *graph->next);
}

/* ---- successors ---- */

/* The first successor of `channel` whose number is at least `from`; UINT32_MAX if there is none. */
FL_INLINE uint32_t successor(const fl_channel_graph *graph, uint32_t channel, uint32_t from)
{
    uint32_t first = fl_channel_end(graph, channel) * graph->radix * graph->channels_a_link;
    uint32_t bit = from > first ? from - first : 0;
    const uint64_t *words = graph->next + (size_t)channel * graph->words;
    for (unsigned w = bit / 64; w < graph->words; w++) {
        uint64_t word = words[w];
        if (w == bit / 64)
            word &= ~UINT64_C(0) << (bit % 64);
        if (word)
            return first + w * 64 + fl_lowest_bit(word);
    }
    return UINT32_MAX;
}

static bool has_successors(const fl_channel_graph *graph, uint32_t channel)
{
    for (unsigned w = 0; w < graph->words; w++)
        if (graph->next[(size_t)channel * graph->words + w])
            return true;
    return false;
}

/* ---- cycles ---- */

enum { WHITE, GREY, BLACK };

/* Depth first from one channel; the stack holds the path and where the search goes on. */
static bool cycle_from(fl_channel_graph *graph, uint32_t start)
{
    uint32_t depth = 1;
    graph->stack[0] = start;
    graph->stack[1] = 0;
    graph->colour[start] = GREY;
    while (depth > 0) {
        uint32_t *top = graph->stack + 2 * (depth - 1), to = successor(graph, top[0], top[1]);
        if (to == UINT32_MAX) {
            graph->colour[top[0]] = BLACK;
            depth--;
            continue;
        }
        top[1] = to + 1;
        if (graph->colour[to] == GREY)
            return true;
        if (graph->colour[to] == BLACK)
            continue;
        if (!has_successors(graph, to)) {
            graph->colour[to] = BLACK;
            continue;
        }
        graph->colour[to] = GREY;
        graph->stack[2 * depth] = to;
        graph->stack[2 * depth + 1] = 0;
        depth++;
    }
    return false;
}

bool fl_channel_graph_has_cycle(fl_channel_graph *graph)
{
    memset(graph->colour, WHITE, graph->count);
    for (uint32_t channel = 0; channel < graph->count; channel++)
        if (graph->colour[channel] == WHITE && has_successors(graph, channel) &&
            cycle_from(graph, channel))
            return true;
    return false;
}

/* Breadth first from one channel back to itself. parent[] and queue[] have room for all. */
static uint32_t shortest_through(fl_channel_graph *graph, uint32_t start, uint32_t below,
                                 uint32_t *parent, uint32_t *cycle)
{
    uint32_t *queue = graph->stack, first = 0, far_end = 1, last_of_round = 0, length = 1;
    memset(parent, 0xff, graph->count * sizeof *parent);
    queue[0] = start;
    for (; first < far_end && length < below; first++) {
        uint32_t at = queue[first];
        for (uint32_t to = successor(graph, at, 0); to != UINT32_MAX;
             to = successor(graph, at, to + 1)) {
            if (to == start) {
                for (uint32_t i = length; i-- > 0; at = parent[at])
                    cycle[i] = at;
                return length;
            }
            if (parent[to] == UINT32_MAX) {
                parent[to] = at;
                queue[far_end++] = to;
            }
        }
        if (first == last_of_round) {
            last_of_round = far_end - 1;
            length++;
        }
    }
    return 0;
}

uint32_t fl_channel_graph_shortest_cycle(fl_channel_graph *graph, uint32_t below, uint32_t *cycle)
{
    uint32_t best = 0, *parent = malloc((size_t)graph->count * sizeof *parent);
    for (uint32_t start = 0; parent && start < graph->count; start++) {
        if (!has_successors(graph, start))
            continue;
        uint32_t found = shortest_through(graph, start, best ? best : below, parent, cycle);
        best = found ? found : best;
    }
    free(parent);
    return best;
}

uint32_t fl_channel_graph_cycle_through(fl_channel_graph *graph, uint32_t channel, uint32_t *cycle)
{
    uint32_t *parent = malloc((size_t)graph->count * sizeof *parent);
    uint32_t length = parent && has_successors(graph, channel)
                          ? shortest_through(graph, channel, UINT32_MAX, parent, cycle)
                          : 0;
    free(parent);
    return length;
}

fl_channel fl_channel_of(const fl_channel_graph *graph, uint32_t channel)
{
    uint32_t hop = channel / graph->channels_a_link, from = hop / graph->radix;
    fl_channel out = {.from = graph->address[from],
                      .port = (fl_port)(hop % graph->radix),
                      .number = channel % graph->channels_a_link};
    fl_hop step;
    fl_network_step(graph->network, out.from, out.port, &step);
    out.to = step.to;
    out.link = step.link;
    return out;
}

/* ---- packets under way ---- */

fl_end *fl_channel_graph_ends(const fl_channel_graph *graph, bool one_a_switch, uint64_t *count)
{
    const fl_network *network = graph->network;
    fl_end *ends = malloc(network->nodes * sizeof *ends);
    bool *have = calloc(graph->switches, sizeof *have);
    *count = 0;
    for (uint64_t i = 0; ends && have && i < network->nodes; i++) {
        fl_hop hop;
        fl_address node = network->type->node_address(network, i);
        fl_network_step(network, node, 0, &hop);
        uint32_t at = (uint32_t)network->type->switch_index(network, hop.to);
        if (!one_a_switch || !have[at])
            ends[(*count)++] = (fl_end){node, at};
        have[at] = true;
    }
    if (!have) {
        free(ends);
        ends = NULL;
    }
    free(have);
    return ends;
}

fl_transit fl_transit_start(const fl_channel_graph *graph, const fl_end *from,
                            fl_address destination)
{
    return (fl_transit){.here =
                            graph->network->node_ports > 1 ? from->node : graph->address[from->at],
                        .packet = {.source = from->node,
                                   .destination = destination,
                                   .previous = from->node,
                                   .rule = FL_NO_RULE},
                        .channel = UINT32_MAX};
}

bool fl_transit_same(const fl_transit *a, const fl_transit *b)
{
    const fl_packet *p = &a->packet, *q = &b->packet;
    return a->here == b->here && p->header_state == q->header_state && p->channel == q->channel &&
           p->previous == q->previous && p->detour_left == q->detour_left &&
           (p->detour_left == 0 || (p->rule == q->rule && p->turn == q->turn)) &&
           memcmp(p->detour, q->detour, p->detour_left * sizeof *p->detour) == 0;
}

uint64_t fl_transit_hash(const fl_transit *at)
{
    const fl_packet *p = &at->packet;
    uint64_t hash = fl_mix64(at->here) ^ fl_mix64(p->previous + UINT64_C(0x9e3779b97f4a7c15)) * 3 ^
                    fl_mix64(p->header_state + 7) * 5;
    for (unsigned i = 0; i < p->detour_left; i++)
        hash = fl_mix64(hash + p->detour[i]);
    if (p->detour_left > 0)
        hash += (uint64_t)p->rule << 8 | p->turn;
    return fl_mix64(hash + p->channel);
}
