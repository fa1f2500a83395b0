/* One packet, walked once, with everything recorded. */
#include "core/array.h"
#include "experiments/experiments.h"

#include <stdlib.h>
#include <string.h>

typedef struct recorder {
    fl_trace *trace;
    size_t hop_room, question_room;
    uint32_t asked_before; /* questions of the hops so far */
    bool failed;
} recorder;

/* ---- writing down ---- */

static void note_question(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    recorder *r = user;
    fl_trace *trace = r->trace;
    r->failed |= !FL_GROW(trace->questions, r->question_room, trace->question_count, 1);
    if (r->failed)
        return;
    trace->questions[trace->question_count++] = (fl_question){from, port, link, up};
}

/* The link that was wanted first: of the vertex's own links that were found down, the one asked
 * about first. (A router asks about its first candidate first.) */
static bool find_wanted(const fl_trace *trace, fl_address at, uint32_t first, fl_link *out)
{
    for (uint32_t i = first; i < trace->question_count; i++)
        if (trace->questions[i].from == at && !trace->questions[i].up) {
            *out = trace->questions[i].link;
            return true;
        }
    return false;
}

static void note_hop(void *user, const fl_walk_hop *hop)
{
    recorder *r = user;
    fl_trace *trace = r->trace;
    r->failed |= !FL_GROW(trace->hops, r->hop_room, trace->result.hops, 1);
    if (r->failed)
        return;
    fl_traced_hop *noted = &trace->hops[trace->result.hops++];
    *noted = (fl_traced_hop){
        .from = hop->from,
        .to = hop->to,
        .port = hop->port,
        .link = hop->link,
        .rule = hop->rule,
        .turn = hop->candidate->turn,
        .channel = hop->channel,
        .candidate = *hop->candidate,
        .first_question = r->asked_before,
        .questions = trace->question_count - r->asked_before,
    };
    if (hop->rule != FL_NO_RULE && noted->turn == 0)
        noted->avoids = find_wanted(trace, hop->from, r->asked_before, &noted->avoided);
    r->asked_before = trace->question_count;
}

static fl_status walk(fl_trace *trace, fl_error *error)
{
    const fl_router *router = trace->router;
    fl_order *order = NULL;
    fl_walk_result result;
    recorder r = {.trace = trace};
    fl_status status = fl_order_create_fixed(&order, router->network, trace->faults, error);
    if (status)
        return status;
    fl_view view = {
        .network = router->network,
        .order = order,
        .holds_until = FL_NEVER_FAILS,
        .enabled_rules = router->enabled_rules,
        .scope = router->scope,
        .listener = note_question,
        .listener_user = &r,
    };
    status =
        fl_walk(router, &view, trace->source, trace->destination, note_hop, &r, &result, error);
    if (!status && (r.failed || !fl_order_is_sound(order)))
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for a trace");
    fl_order_destroy(order);
    if (status)
        return status;
    trace->result = result;
    trace->blocked_at = view.here;
    trace->blocked_questions = trace->question_count - r.asked_before;
    if (!result.delivered)
        trace->has_blocking = find_wanted(trace, view.here, r.asked_before, &trace->blocking);
    return FL_OK;
}

/* ---- the shortest path ---- */

static uint64_t vertex_of(const fl_network *network, fl_address at)
{
    return fl_address_is_node(at) ? network->type->node_index(network, at)
                                  : network->nodes + network->type->switch_index(network, at);
}

static fl_address address_of(const fl_network *network, uint64_t vertex)
{
    return vertex < network->nodes
               ? network->type->node_address(network, vertex)
               : network->type->switch_address(network, vertex - network->nodes);
}

typedef struct searcher {
    const fl_network *network;
    fl_graph *graph;
    bool *down;                 /* [links] */
    uint32_t *distance, *queue; /* [vertices] */
} searcher;

/* Distances from `start` over links that are up. */
static void search(searcher *s, uint64_t start)
{
    const fl_graph *graph = s->graph;
    uint64_t head = 0, tail = 0;
    memset(s->distance, 0xff, graph->vertices * sizeof *s->distance);
    s->queue[tail++] = (uint32_t)start;
    s->distance[start] = 0;
    while (head < tail) {
        uint32_t v = s->queue[head++];
        if (v < graph->ends_only && v != start)
            continue;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            if (s->down[graph->links[e]] || s->distance[u] != UINT32_MAX)
                continue;
            s->distance[u] = s->distance[v] + 1;
            s->queue[tail++] = u;
        }
    }
}

static bool is_taken(const fl_trace *trace, fl_address from, uint64_t link)
{
    const fl_network *network = trace->router->network;
    for (uint32_t i = 0; i < trace->result.hops; i++)
        if (trace->hops[i].from == from &&
            network->type->link_index(network, trace->hops[i].link) == link)
            return true;
    return false;
}

/* From the source down the distances to the destination; along the path taken where it is no
 * longer. */
static void follow_shortest(fl_trace *trace, const searcher *s)
{
    const fl_graph *graph = s->graph;
    const fl_network *network = s->network;
    uint64_t v = vertex_of(network, trace->source);
    trace->shortest[0] = trace->source;
    for (uint32_t i = 0; i < trace->shortest_length; i++) {
        uint64_t best = UINT64_MAX;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            bool nearer =
                !s->down[graph->links[e]] && s->distance[graph->targets[e]] + 1 == s->distance[v];
            if (nearer &&
                (best == UINT64_MAX || is_taken(trace, trace->shortest[i], graph->links[e])))
                best = e;
        }
        v = graph->targets[best];
        trace->shortest[i + 1] = address_of(network, v);
        trace->shortest_links[i] = network->type->link_code(network, graph->links[best]);
    }
}

static fl_status measure(fl_trace *trace, searcher *s, fl_error *error)
{
    const fl_network *network = s->network;
    uint64_t source = vertex_of(network, trace->source),
             destination = vertex_of(network, trace->destination);
    search(s, destination);
    trace->shortest_without_faults = s->distance[source];
    for (uint64_t i = 0; i < trace->faults->count; i++)
        s->down[network->type->link_index(network, trace->faults->links[i])] = true;
    search(s, destination);
    trace->shortest_length = s->distance[source];
    trace->searched = true;
    if (trace->shortest_length == UINT32_MAX)
        return FL_OK;
    trace->shortest = malloc((trace->shortest_length + 1u) * sizeof *trace->shortest);
    trace->shortest_links = malloc((trace->shortest_length + 1u) * sizeof *trace->shortest_links);
    if (!trace->shortest || !trace->shortest_links)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a path");
    follow_shortest(trace, s);
    return FL_OK;
}

static fl_status find_shortest(fl_trace *trace, fl_error *error)
{
    const fl_network *network = trace->router->network;
    searcher s = {.network = network};
    trace->shortest_length = UINT32_MAX;
    if (network->links > FL_TRACE_LINKS_MAX)
        return FL_OK;
    fl_status status = fl_graph_create(&s.graph, network, error);
    if (status)
        return status;
    s.down = calloc(network->links, sizeof *s.down);
    s.distance = malloc(s.graph->vertices * sizeof *s.distance);
    s.queue = malloc(s.graph->vertices * sizeof *s.queue);
    status = s.down && s.distance && s.queue
                 ? measure(trace, &s, error)
                 : fl_fail(error, FL_ERR_MEMORY, "out of memory for a search");
    free(s.down);
    free(s.distance);
    free(s.queue);
    fl_graph_destroy(s.graph);
    return status;
}

/* ---- the door ---- */

fl_status fl_trace_packet(fl_trace **out, const fl_router *router, const fl_fault_set *faults,
                          fl_address source, fl_address destination, fl_error *error)
{
    if (source == destination)
        return fl_fail(
            error, FL_ERR_INVALID,
            "source and destination are the same node: a packet travels between two nodes");
    fl_trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a trace");
    trace->router = router;
    trace->faults = faults;
    trace->source = source;
    trace->destination = destination;
    fl_status status = walk(trace, error);
    if (!status)
        status = find_shortest(trace, error);
    if (status) {
        fl_trace_destroy(trace);
        return status;
    }
    *out = trace;
    return FL_OK;
}

void fl_trace_destroy(fl_trace *trace)
{
    if (!trace)
        return;
    free(trace->hops);
    free(trace->questions);
    free(trace->shortest);
    free(trace->shortest_links);
    free(trace);
}
