/* Does a state follow on itself? If none does: the longest path. */
#include "analysis/deadlock/prover.h"

#include <stdlib.h>

enum { UNSEEN = 0, ON_PATH = 1, DONE = 2, LONGEST_TRIED = 400 };

typedef struct frame {
    uint32_t state, arc;
} frame;

/* ---- what a loop needs down ---- */

static bool is_down_in_loop(const fl_proof *proof, fl_link link)
{
    for (size_t i = 0; i < proof->loop_down_count; i++)
        if (proof->loop_down[i] == link)
            return true;
    return false;
}

static void append_hop(prover *p, const fl_transit *at, const fl_transit *to)
{
    fl_proof *proof = p->proof;
    if (to->channel == UINT32_MAX)
        return; /* a node link */
    fl_channel channel = fl_channel_of(p->graph, to->channel);
    proof->loop[proof->loop_length++] =
        (fl_walk_hop){at->here,
                      to->here,
                      channel.port,
                      channel.link,
                      to->packet.detour_left > 0 ? to->packet.rule : FL_NO_RULE,
                      channel.number,
                      NULL};
}

static void append_downs(prover *p, uint32_t first, uint32_t count)
{
    fl_proof *proof = p->proof;
    for (uint32_t i = 0; i < count; i++)
        if (!is_down_in_loop(proof, p->links.data[first + i]))
            proof->loop_down[proof->loop_down_count++] = p->links.data[first + i];
}

/* ---- walking it ---- */

static uint32_t answer_walk(fl_order *order, fl_link link)
{
    const prover *p = order->user;
    bool down = fl_prover_is_always_down(p, link);
    for (size_t i = 0; i < p->walk_down_count && !down; i++)
        down = p->walk_down[i] == link;
    return down ? 0 : FL_NEVER_FAILS;
}

/* An order under which these links are down, and those that always are. NULL: out of memory. */
static fl_order *order_of_walk(prover *p, const fl_link *down, size_t count)
{
    fl_order *order;
    p->walk_down = down;
    p->walk_down_count = count;
    p->status = fl_order_create_custom(&order, p->network, answer_walk, p, p->error);
    return p->status ? NULL : order;
}

/* Is `to` one of the states that follow on `from` under these faults? */
static bool can_step(prover *p, fl_order *order, const fl_transit *from, const fl_transit *to)
{
    fl_decision decision = {.wanted = FL_PROVER_CANDIDATES_MAX, .candidates = p->candidates};
    fl_view view = {.network = p->network,
                    .order = order,
                    .here = from->here,
                    .holds_until = FL_NEVER_FAILS,
                    .enabled_rules = p->router->enabled_rules,
                    .scope = p->router->scope};
    fl_transit behind;
    fl_step_ask(p->router, &from->packet, &view, &decision);
    for (unsigned i = 0; i < decision.count; i++)
        if (!fl_transit_take(p->graph, p->router, from, &p->candidates[i], &behind) &&
            fl_transit_same(&behind, to))
            return true;
    return false;
}

/* With all candidates: can the packet go from state to state under the links that the loop needs
 * down? */
static bool can_loop(prover *p, fl_order *order, const uint32_t *lead, uint32_t lead_count,
                     const frame *loop, uint32_t loop_count)
{
    bool good = true;
    for (uint32_t i = 0; i + 1 < lead_count && good; i++)
        good = can_step(p, order, &p->nodes.data[lead[i]].transit,
                        &p->nodes.data[lead[i + 1]].transit);
    for (uint32_t i = 0; i < loop_count && good; i++)
        good = can_step(p, order, &p->nodes.data[loop[i].state].transit,
                        &p->nodes.data[loop[(i + 1) % loop_count].state].transit);
    return good;
}

/* Walks the packet by first candidates, under the faults of `order`. */
static fl_status walk(prover *p, fl_order *order, fl_address source, fl_walk_result *result)
{
    fl_view view = {.network = p->network,
                    .order = order,
                    .holds_until = FL_NEVER_FAILS,
                    .enabled_rules = p->router->enabled_rules,
                    .scope = p->router->scope};
    return fl_walk(p->router, &view, source, p->destination, NULL, NULL, result, NULL);
}

static bool loops_really(prover *p, const uint32_t *lead, uint32_t lead_count, const frame *loop,
                         uint32_t loop_count)
{
    fl_walk_result result;
    fl_order *order = order_of_walk(p, p->proof->loop_down, p->proof->loop_down_count);
    if (!order)
        return false;
    fl_address source = p->nodes.data[lead[0]].transit.packet.source;
    bool real = p->limits.all_candidates ? can_loop(p, order, lead, lead_count, loop, loop_count)
                                         : walk(p, order, source, &result) == FL_ERR_ROUTER;
    fl_order_destroy(order);
    return real;
}

void fl_proof_clear_loop(fl_proof *proof)
{
    free(proof->loop);
    free(proof->loop_down);
    proof->loop = NULL;
    proof->loop_down = NULL;
    proof->loop_length = 0;
    proof->loop_down_count = 0;
}

/* ---- loops ---- */

/* The loop is path[first..depth-1] and back. */
static void keep_loop(prover *p, const frame *path, uint32_t first, uint32_t depth)
{
    fl_proof *proof = p->proof;
    uint32_t lead = 0, links = 0, source_state = path[first].state;
    for (uint32_t s = source_state; p->nodes.data[s].parent != NO_STATE;
         s = p->nodes.data[s].parent, lead++)
        links += p->nodes.data[s].downs;
    for (uint32_t i = first; i < depth; i++)
        links += p->arcs.data[path[i].arc - 1].downs;
    fl_proof_clear_loop(proof);
    proof->loop = calloc(lead + depth - first, sizeof *proof->loop);
    proof->loop_down = calloc(links + 1, sizeof *proof->loop_down);
    uint32_t *candidate = malloc((lead + 1) * sizeof *candidate);
    if (!proof->loop || !proof->loop_down || !candidate) {
        free(candidate);
        p->status = fl_fail(p->error, FL_ERR_MEMORY, "out of memory for a loop");
        return;
    }
    uint32_t s = source_state;
    for (uint32_t i = lead + 1; i-- > 0; s = p->nodes.data[s].parent)
        candidate[i] = s;
    for (uint32_t i = 1; i <= lead; i++) {
        append_hop(p, &p->nodes.data[candidate[i - 1]].transit,
                   &p->nodes.data[candidate[i]].transit);
        append_downs(p, p->nodes.data[candidate[i]].downs_first, p->nodes.data[candidate[i]].downs);
    }
    proof->loop_start = proof->loop_length;
    for (uint32_t i = first; i < depth; i++) {
        const prover_arc *a = &p->arcs.data[path[i].arc - 1];
        append_hop(p, &p->nodes.data[path[i].state].transit, &p->nodes.data[a->to].transit);
        append_downs(p, a->downs_first, a->downs);
    }
    proof->loop_source = p->nodes.data[candidate[0]].transit.packet.source;
    proof->loop_destination = p->destination;
    proof->loop_is_real = loops_really(p, candidate, lead + 1, path + first, depth - first);
    free(candidate);
}

/* Depth first with the longest path to the destination from every state that is done (0: there is
 * none); false as soon as a state follows on itself. */
static bool measure(prover *p, uint32_t start, uint8_t *colour, uint32_t *longest, frame *path)
{
    uint32_t depth = 1;
    path[0] = (frame){start, p->nodes.data[start].arcs_first};
    colour[start] = ON_PATH;
    while (depth > 0) {
        frame *top = &path[depth - 1];
        const prover_node *n = &p->nodes.data[top->state];
        if (top->arc == n->arcs_first + n->arcs) {
            colour[top->state] = DONE;
            uint32_t length = longest[top->state];
            if (--depth > 0 && length > 0 && length + 1 > longest[path[depth - 1].state])
                longest[path[depth - 1].state] = length + 1;
            continue;
        }
        uint32_t to = p->arcs.data[top->arc++].to;
        if (to == DELIVERED) {
            longest[top->state] = longest[top->state] > 1 ? longest[top->state] : 1;
        } else if (colour[to] == DONE) {
            if (longest[to] > 0 && longest[to] + 1 > longest[top->state])
                longest[top->state] = longest[to] + 1;
        } else if (colour[to] == ON_PATH) {
            uint32_t first = depth - 1;
            while (path[first].state != to)
                first--;
            keep_loop(p, path, first, depth);
            return false;
        } else {
            colour[to] = ON_PATH;
            path[depth++] = (frame){to, p->nodes.data[to].arcs_first};
        }
    }
    return true;
}

/* ---- the longest path ---- */

/* Does a longest path lead over this arc? */
static bool is_on_longest(const uint32_t *longest, uint32_t state, const prover_arc *a)
{
    return a->to == DELIVERED ? longest[state] == 1
                              : longest[a->to] > 0 && longest[a->to] + 1 == longest[state];
}

/* The arcs of a longest path from a state; as many as longest[state]. */
static void trace_longest(const prover *p, const uint32_t *longest, uint32_t state, frame *path)
{
    for (uint32_t i = 0, steps = longest[state]; i < steps; i++) {
        uint32_t at = p->nodes.data[state].arcs_first;
        while (!is_on_longest(longest, state, &p->arcs.data[at]))
            at++;
        path[i] = (frame){state, at};
        state = p->arcs.data[at].to;
    }
}

static bool goes_so_far(prover *p, const frame *path, uint32_t steps, uint64_t length)
{
    fl_walk_result result;
    fl_order *order = order_of_walk(p, p->proof->longest_down, p->proof->longest_down_count);
    if (!order)
        return false;
    bool good = true;
    if (p->limits.all_candidates)
        for (uint32_t i = 0; i + 1 < steps && good; i++)
            good = can_step(p, order, &p->nodes.data[path[i].state].transit,
                            &p->nodes.data[path[i + 1].state].transit);
    else
        good =
            walk(p, order, p->nodes.data[path[0].state].transit.packet.source, &result) == FL_OK &&
            result.delivered && result.length == length;
    fl_order_destroy(order);
    return good;
}

/* Keeps the packet that starts at `state`, with the links that it finds down. */
static void keep_longest(prover *p, const uint32_t *longest, uint32_t state, uint64_t length,
                         frame *path)
{
    fl_proof *proof = p->proof;
    uint32_t steps = longest[state], links = 0;
    trace_longest(p, longest, state, path);
    for (uint32_t i = 0; i < steps; i++)
        links += p->arcs.data[path[i].arc].downs;
    free(proof->longest_down);
    proof->longest_down_count = 0;
    proof->longest_down = calloc(links + 1, sizeof *proof->longest_down);
    if (!proof->longest_down) {
        fl_prover_out_of_memory(p);
        return;
    }
    for (uint32_t i = 0; i < steps; i++) {
        const prover_arc *a = &p->arcs.data[path[i].arc];
        for (uint32_t l = 0; l < a->downs; l++)
            if (!fl_prover_is_among(proof->longest_down, (uint32_t)proof->longest_down_count,
                                    p->links.data[a->downs_first + l]))
                proof->longest_down[proof->longest_down_count++] =
                    p->links.data[a->downs_first + l];
    }
    proof->length_bound = length;
    proof->longest_source = p->nodes.data[state].transit.packet.source;
    proof->longest_destination = p->destination;
    proof->longest_is_real = goes_so_far(p, path, steps, length);
}

/* A longer packet than before, or one as long when that one is not shown to be real. */
static void weigh_longest(prover *p, const uint32_t *longest, uint32_t state, frame *path)
{
    fl_proof *proof = p->proof;
    const prover_node *n = &p->nodes.data[state];
    if (n->transit.channel != UINT32_MAX || longest[state] == 0 || n->parent != NO_STATE)
        return;
    uint64_t length =
        longest[state] + !fl_address_is_node(n->transit.here); /* with the source's link */
    bool retry = length == proof->length_bound && !proof->longest_is_real &&
                 p->longest_tried < LONGEST_TRIED;
    if (length <= proof->length_bound && !retry)
        return;
    p->longest_tried += retry;
    keep_longest(p, longest, state, length, path);
}

/* All states of one destination, up to the first loop. */
void fl_prover_look_for_loops(prover *p)
{
    fl_proof *proof = p->proof;
    size_t states = p->nodes.count;
    uint8_t *colour = calloc(states, 1);
    uint32_t *longest = calloc(states, sizeof *longest);
    frame *path = malloc(states * sizeof *path);
    if (!colour || !longest || !path)
        fl_prover_out_of_memory(p);
    bool loops = false;
    for (uint32_t s = 0; !p->status && s < states && !loops; s++)
        loops = colour[s] == UNSEEN && !measure(p, s, colour, longest, path);
    proof->livelock_free &= !loops;
    for (uint32_t s = 0; !p->status && proof->livelock_free && s < states; s++)
        weigh_longest(p, longest, s, path);
    free(colour);
    free(longest);
    free(path);
}
