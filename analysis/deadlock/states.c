/* All states that packets to one destination can be in, and the dependencies that they make. */
#include "analysis/deadlock/prover.h"

#include <stdlib.h>
#include <string.h>

enum { OUTCOMES_MAX = 1000000 };

static bool is_same_state(const void *nodes, uint32_t entry, const void *wanted)
{
    return fl_transit_same(&((const prover_node *)nodes)[entry].transit, wanted);
}

/* The state's number; *is_new if it had none. */
static uint32_t intern(prover *p, const fl_transit *transit, bool *is_new)
{
    uint64_t hash = fl_transit_hash(transit);
    uint32_t index = fl_hash_index_find(&p->states, hash, is_same_state, p->nodes.data, transit);
    *is_new = index == FL_HASH_INDEX_NONE;
    if (!*is_new)
        return index;
    if (p->nodes.count >= p->limits.states_max) {
        p->status = fl_fail(p->error, FL_ERR_STOPPED,
                            "more than %llu states of packets to one node: too many to follow",
                            (unsigned long long)p->limits.states_max);
        return NO_STATE;
    }
    index = (uint32_t)p->nodes.count;
    if (!FL_ARRAY_PUSH(&p->nodes, (prover_node){.transit = *transit, .parent = NO_STATE}) ||
        !fl_hash_index_add(&p->states, hash, index)) {
        fl_prover_out_of_memory(p);
        return NO_STATE;
    }
    return index;
}

static void push(prover *p, unsigned round, uint32_t state)
{
    if (!FL_ARRAY_PUSH(&p->rounds[round], state))
        fl_prover_out_of_memory(p);
}

/* ---- dependencies and why they are there ---- */

static void copy_links(prover *p, const fl_link *links, uint32_t count)
{
    size_t at = p->reason_links.count;
    if (!FL_ARRAY_EXTEND(&p->reason_links, count))
        fl_prover_out_of_memory(p);
    else if (count > 0)
        memcpy(p->reason_links.data + at, links, count * sizeof *links);
}

static uint64_t dependency_key(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

/* Keeps the explanation with the fewest links. */
static void explain(prover *p, uint32_t state, uint32_t to)
{
    const prover_node *n = &p->nodes.data[state];
    uint32_t from = n->transit.channel, links = n->cost + p->down_count, index;
    if (from == UINT32_MAX)
        return;
    bool known = fl_hash_map_find(&p->reason_of, dependency_key(from, to), &index);
    if (known && p->reasons.data[index].links <= links)
        return;
    if (!known) {
        index = (uint32_t)p->reasons.count;
        if (!FL_ARRAY_EXTEND(&p->reasons, 1) ||
            !fl_hash_map_put(&p->reason_of, dependency_key(from, to), index)) {
            fl_prover_out_of_memory(p);
            return;
        }
        fl_channel_graph_add(p->graph, from, to);
    }
    uint32_t first = (uint32_t)p->reason_links.count;
    copy_links(p, p->down, p->down_count);
    fl_address source = 0;
    for (uint32_t s = state; s != NO_STATE; s = p->nodes.data[s].parent) {
        copy_links(p, p->links.data + p->nodes.data[s].downs_first, p->nodes.data[s].downs);
        source = p->nodes.data[s].transit.packet.source;
    }
    p->reasons.data[index] = (prover_reason){from, to, source, p->destination, first, links};
}

const prover_reason *fl_prover_reason(const prover *p, uint32_t from, uint32_t to)
{
    uint32_t index;
    fl_hash_map_find(&p->reason_of, dependency_key(from, to), &index);
    return &p->reasons.data[index];
}

/* ---- one decision, all answers ---- */

/* With the links that were seen down in this decision. An arc to one state is kept once, with the
 * fewest links. */
static void add_arc(prover *p, uint32_t state, uint32_t to)
{
    uint32_t first = (uint32_t)p->links.count;
    prover_arc *known = NULL;
    for (size_t i = p->nodes.data[state].arcs_first; i < p->arcs.count && !known; i++)
        if (p->arcs.data[i].to == to)
            known = &p->arcs.data[i];
    if (known && known->downs <= p->down_count)
        return;
    if (!FL_ARRAY_EXTEND(&p->links, p->down_count)) {
        fl_prover_out_of_memory(p);
        return;
    }
    if (p->down_count > 0)
        memcpy(p->links.data + first, p->down, p->down_count * sizeof *p->down);
    if (known)
        *known = (prover_arc){to, first, p->down_count};
    else if (!FL_ARRAY_PUSH(&p->arcs, (prover_arc){to, first, p->down_count}))
        fl_prover_out_of_memory(p);
}

static void follow(prover *p, uint32_t state, const fl_candidate *candidate)
{
    fl_transit at = p->nodes.data[state].transit, behind;
    fl_violation violation = fl_transit_take(p->graph, p->router, &at, candidate, &behind);
    if (violation) {
        fl_prover_violated(p, violation);
        return;
    }
    if (fl_address_is_node(behind.here)) {
        add_arc(p, state, DELIVERED);
        return;
    }
    if (candidate->channel + 1u > p->proof->channels_used)
        p->proof->channels_used = candidate->channel + 1u;
    explain(p, state, behind.channel);
    bool is_new;
    uint32_t next = intern(p, &behind, &is_new), cost = p->nodes.data[state].cost + p->down_count;
    if (p->status)
        return;
    add_arc(p, state, next);
    prover_node *n = &p->nodes.data[next];
    if (!is_new && (n->expanded || n->cost <= cost))
        return;
    n->parent = state;
    n->cost = cost;
    n->downs_first = (uint32_t)p->links.count - p->down_count;
    n->downs = p->down_count;
    push(p, p->down_count > 0, next);
}

static fl_view view_at(prover *p, fl_address here, fl_searcher *searcher)
{
    return (fl_view){.network = p->network,
                     .order = p->order,
                     .here = here,
                     .holds_until = FL_NEVER_FAILS,
                     .enabled_rules = p->router->enabled_rules,
                     .scope = p->router->scope,
                     .searcher = searcher};
}

/* No link of the candidate is always down. */
static bool can_be_up(const prover *p, const fl_candidate *candidate)
{
    fl_address at = p->here;
    fl_hop hop;
    for (unsigned i = 0;
         i < candidate->length && fl_network_step(p->network, at, candidate->ports[i], &hop);
         i++, at = hop.to)
        if (fl_prover_is_always_down(p, hop.link))
            return false;
    return true;
}

/* A router that offers everything when everything is up is asked once; false: nothing that it asked
 * about can fail, so that what it offers then says nothing about its order. What a first candidate
 * needs down is guessed: the first links of those before it. */
static bool expand_offers(prover *p, uint32_t state)
{
    fl_packet packet = p->nodes.data[state].transit.packet;
    fl_decision decision = {.wanted = FL_PROVER_CANDIDATES_MAX, .candidates = p->candidates};
    fl_view view = view_at(p, p->here, NULL);
    p->down_count = 0;
    p->promised = true;
    p->uncertain = false;
    fl_prover_ask(p, &packet, &view, &decision);
    for (unsigned i = 0; i < decision.count && p->uncertain && !p->status; i++) {
        fl_candidate candidate = p->candidates[i];
        fl_hop hop;
        if (can_be_up(p, &candidate))
            follow(p, state, &candidate);
        if (!p->limits.all_candidates &&
            fl_network_step(p->network, p->here, candidate.ports[0], &hop) &&
            fl_prover_can_fail(p, hop.link) && p->down_count < FL_PROVER_DOWN_MAX)
            p->down[p->down_count++] = hop.link;
    }
    return p->uncertain;
}

/* Follows what one run of a decision has come to, each candidate with the links that its searches
 * want down. */
static void follow_candidates(prover *p, uint32_t state, const fl_decision *decision)
{
    uint32_t asked_down = p->down_count;
    for (unsigned i = 0; i < decision->count && !p->status; i++) {
        fl_candidate candidate = decision->candidates[i];
        p->down_count = asked_down;
        fl_prover_explain_searches(p, &candidate);
        follow(p, state, &candidate);
    }
}

static void expand_answers(prover *p, uint32_t state)
{
    uint32_t outcomes = 0;
    p->script = 0;
    do {
        fl_packet packet = p->nodes.data[state].transit.packet;
        fl_decision decision = {.wanted = p->limits.all_candidates ? FL_PROVER_CANDIDATES_MAX : 1,
                                .candidates = p->candidates};
        fl_view view = view_at(p, p->here, &p->searcher);
        p->asked = p->down_count = p->search_count = 0;
        p->discard = false;
        p->promised = packet.detour_left > 0;
        fl_prover_ask(p, &packet, &view, &decision);
        if (!p->status && !p->discard)
            follow_candidates(p, state, &decision);
        if (++outcomes == OUTCOMES_MAX && !p->status)
            p->status =
                fl_fail(p->error, FL_ERR_STOPPED,
                        "one decision of '%s' has more than %d outcomes: too many to follow",
                        p->router->name, OUTCOMES_MAX);
    } while (!p->status && fl_prover_advance(p));
}

static void expand(prover *p, uint32_t state)
{
    p->nodes.data[state].expanded = true;
    p->nodes.data[state].arcs_first = (uint32_t)p->arcs.count;
    p->here = p->nodes.data[state].transit.here;
    if (!p->router->type->offers_all || !expand_offers(p, state))
        expand_answers(p, state);
    p->nodes.data[state].arcs = (uint32_t)p->arcs.count - p->nodes.data[state].arcs_first;
}

/* ---- all states of one destination ---- */

void fl_prover_forget_states(prover *p)
{
    p->nodes.count = p->arcs.count = p->links.count = 0;
    p->rounds[0].count = p->rounds[1].count = 0;
    fl_hash_index_clear(&p->states);
}

void fl_prover_start_at(prover *p, const fl_end *from)
{
    bool is_new;
    fl_transit at = fl_transit_start(p->graph, from, p->destination);
    uint32_t state = intern(p, &at, &is_new);
    if (!p->status && is_new)
        push(p, 0, state);
}

/* Two rounds in place of a queue in exact order: what cost no link more than its predecessor goes
 * first. Explanations need to be short, not shortest. */
void fl_prover_expand_all(prover *p)
{
    while (!p->status) {
        while (!p->status && p->rounds[0].count > 0) {
            uint32_t state = p->rounds[0].data[--p->rounds[0].count];
            if (!p->nodes.data[state].expanded)
                expand(p, state);
        }
        if (p->rounds[1].count == 0)
            return;
        prover_round round = p->rounds[0];
        p->rounds[0] = p->rounds[1];
        p->rounds[1] = round;
    }
}
