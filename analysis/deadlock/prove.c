#include "analysis/deadlock/dependencies.h"
#include "analysis/deadlock/growing.h"

#include <stdlib.h>
#include <string.h>

/* All states that a packet to one destination can be in, whatever fails.
 *
 * A decision is run once for every way to answer its questions: a script of answers is replayed,
 * the first question beyond it gets its first answer, and afterwards the last answer that has
 * another one left is advanced. A search (fl_searcher) is one question with as many answers as
 * there are detours, and "none".
 *
 * Of every outcome the first candidate is followed, or all of them
 * (fl_proof_options.all_candidates). A search then stands for one of its candidates: that one is
 * up, and nothing is said about the others.
 *
 * States are reached in the order of how many links had to be down on the way, fewest first. The
 * links that were, explain every dependency: a cycle's explanations together are a fault set that
 * may well create it, which a walk through all pairs then confirms or does not. */

enum {
    SCRIPT_MAX = FL_QUESTIONS_MAX,
    STATES_MAX = 10000000,
    OUTCOMES_MAX = 1000000,
    DOWN_MAX = 1024,
    CANDIDATES_MAX = 512,
    CYCLES_TRIED = 400,
    LONGEST_TRIED = 400,
    ASKED_BETWEEN_STOPS = 4096
};
#define NO_STATE  UINT32_MAX
#define DELIVERED (UINT32_MAX - 1)

typedef struct node {
    fl_transit transit;
    uint32_t parent;             /* state before, NO_STATE at a source */
    uint32_t downs_first, downs; /* links seen down in the decision that led here */
    uint32_t cost;               /* links seen down since the source */
    uint32_t arcs_first, arcs;   /* states that can follow; set when it is expanded */
    bool expanded;
} node;

/* One state can follow on another. */
typedef struct arc {
    uint32_t to;                 /* or DELIVERED */
    uint32_t downs_first, downs; /* links seen down in the decision */
} arc;

/* Why a dependency is there. */
typedef struct reason {
    uint32_t from, to;
    fl_address source, destination;
    uint32_t links_first, links; /* that have to be down */
} reason;

/* A search that the router has made in a decision: detours 0..failed-1 had a link that was down. */
typedef struct asked_search {
    fl_port_range port_ranges[FL_DETOUR_MAX];
    unsigned count;
    uint32_t failed;
} asked_search;

typedef struct prover {
    const fl_router *router;
    const fl_fault_model *model;
    const fl_network *network;
    fl_channel_graph *graph;
    fl_order *order;
    fl_searcher searcher;
    fl_address destination;
    fl_address here; /* where the decision under way is made */
    fl_proof_options limits;
    uint32_t asked_router; /* how often since should_stop was asked */

    uint32_t answers[SCRIPT_MAX], options[SCRIPT_MAX];
    uint32_t script, asked;
    bool discard,
        promised;   /* this run contradicts itself; every link that can be up is (a detour's) */
    bool uncertain; /* this run asked about a link that can fail */
    fl_link down[DOWN_MAX]; /* links found down in this run, after it also those that its searches
                               explain */
    uint32_t down_count;
    fl_candidate candidates[CANDIDATES_MAX];
    asked_search searches[FL_RULES_MAX];
    uint32_t search_count;

    FL_GROWING(node) nodes;
    FL_GROWING(arc) arcs;
    FL_GROWING(fl_link) links; /* lists of links that are down: of nodes, then of reasons */
    FL_GROWING(reason) reasons;
    FL_GROWING(fl_link) reason_links;
    uint32_t *slots; /* hash table of states */
    uint32_t slot_bits;
    uint32_t *reason_slots; /* hash table of dependencies */
    uint32_t reason_bits;
    FL_GROWING(uint32_t) rounds[2]; /* states to be expanded: of this cost and of the higher ones */

    const fl_link *walk_down; /* [walk_down_count] down while a loop or a longest path is walked */
    size_t walk_down_count;
    uint32_t longest_tried; /* longest paths that were walked */

    fl_proof *proof;
    fl_status status;
    fl_error *error;
} prover;

static bool out_of_memory(prover *p)
{
    p->status = fl_fail(p->error, FL_ERR_MEMORY,
                        "out of memory while following '%s' through all faults", p->router->name);
    return false;
}

#define EXTEND(p, list, more) (FL_EXTEND(list, more) || out_of_memory(p))

static void stop_if_asked_to(prover *p)
{
    if (!p->status && p->limits.should_stop && p->limits.should_stop(p->limits.user))
        p->status = fl_fail(p->error, FL_ERR_STOPPED, "stopped");
}

static void violated(prover *p, fl_violation violation)
{
    if (!p->status)
        p->status = fl_step_fail(p->router, p->here, violation, p->error);
}

/* All questions to the router go through here. */
static void ask_router(prover *p, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    fl_order_forget(p->order);
    if (!fl_step_ask(p->router, packet, view, decision) && view->violation && !p->status)
        p->status = fl_step_fail_view(p->router, view, p->error);
    for (unsigned i = 0; i < decision->count; i++)
        if (fl_step_check(p->router, &decision->candidates[i])) {
            violated(p, fl_step_check(p->router, &decision->candidates[i]));
            decision->count = 0;
        }
    if (++p->asked_router % ASKED_BETWEEN_STOPS == 0)
        stop_if_asked_to(p);
}

/* ---- answers ---- */

/* The answer to the next question, of so many. */
static uint32_t next_answer(prover *p, uint32_t options)
{
    if (p->asked == p->script) {
        if (p->script == SCRIPT_MAX) {
            violated(p, FL_ASKS_TOO_MUCH);
            return options - 1;
        }
        p->answers[p->script] = 0;
        p->options[p->script++] = options;
    }
    return p->answers[p->asked++];
}

/* Puts the script on the next way to answer; false when there is none left. */
static bool advance(prover *p)
{
    while (p->script > 0 && p->answers[p->script - 1] + 1 >= p->options[p->script - 1])
        p->script--;
    if (p->script == 0)
        return false;
    p->answers[p->script - 1]++;
    return true;
}

static bool is_always_down(const prover *p, fl_link link)
{
    return p->limits.down && fl_fault_set_holds(p->limits.down, link);
}

/* Is it up at some times and down at others? */
static bool can_fail(const prover *p, fl_link link)
{
    uint64_t components[FL_LINK_COMPONENTS_MAX];
    return p->model && !is_always_down(p, link) &&
           fl_fault_model_components_of(p->model, link, components) > 0;
}

static uint32_t answer_link(fl_order *order, fl_link link)
{
    prover *p = order->user;
    bool uncertain = can_fail(p, link);
    p->uncertain |= uncertain;
    if (!uncertain && is_always_down(p, link))
        return 0;
    if (p->promised || !uncertain || next_answer(p, 2) == 0)
        return FL_NEVER_FAILS;
    if (p->down_count < DOWN_MAX)
        p->down[p->down_count++] = link;
    return 0;
}

static bool is_among(const fl_link *links, uint32_t count, fl_link link)
{
    for (uint32_t i = 0; i < count; i++)
        if (links[i] == link)
            return true;
    return false;
}

/* Detour number `index`, if all its links can be up. */
static bool lay_detour(const prover *p, fl_address from, const fl_port_range *port_ranges,
                       unsigned count, uint32_t index, fl_port *ports, fl_address *end)
{
    *end = from;
    for (unsigned turn = count; turn-- > 0; index /= port_ranges[turn].count)
        ports[turn] = fl_port_range_at(&port_ranges[turn], index % port_ranges[turn].count);
    for (unsigned turn = 0; turn < count; turn++) {
        fl_hop hop;
        if (!fl_network_step(p->network, *end, ports[turn], &hop) || is_always_down(p, hop.link) ||
            is_among(p->down, p->down_count, hop.link))
            return false;
        *end = hop.to;
    }
    return true;
}

/* Whether a detour is up for certain: none of its links can be down. */
static bool is_certain(const prover *p, const fl_port_range *port_ranges, unsigned count,
                       uint32_t index)
{
    fl_address at = p->here;
    fl_port ports[FL_DETOUR_MAX];
    for (unsigned turn = count; turn-- > 0; index /= port_ranges[turn].count)
        ports[turn] = fl_port_range_at(&port_ranges[turn], index % port_ranges[turn].count);
    for (unsigned turn = 0; turn < count; turn++) {
        fl_hop hop;
        if (!fl_network_step(p->network, at, ports[turn], &hop) || can_fail(p, hop.link) ||
            is_always_down(p, hop.link))
            return false;
        at = hop.to;
    }
    return true;
}

/* How many answers a search has: every detour, and that there is none. One that is up for certain
 * rules out that there is none, and, where the first is followed, those behind it. */
static uint32_t answers_of_search(const prover *p, const fl_port_range *port_ranges, unsigned count,
                                  uint32_t detours)
{
    for (uint32_t index = 0; index < detours; index++)
        if (is_certain(p, port_ranges, count, index))
            return p->limits.all_candidates ? detours : index + 1;
    return detours + 1;
}

static bool answer_search(fl_searcher *searcher, const fl_port_range *port_ranges, unsigned count,
                          fl_port *ports, fl_address *end)
{
    prover *p = (prover *)((char *)searcher - offsetof(prover, searcher));
    uint32_t detours = 1;
    for (unsigned turn = 0; turn < count; turn++)
        detours *= port_ranges[turn].count;
    bool is_new = p->asked == p->script;
    uint32_t answer =
        next_answer(p, is_new ? answers_of_search(p, port_ranges, count, detours) : 0);
    if (p->search_count < FL_RULES_MAX) {
        asked_search *s = &p->searches[p->search_count++];
        bool found = answer < detours;
        *s = (asked_search){.count = count,
                            .failed = found && p->limits.all_candidates ? 0 : answer};
        memcpy(s->port_ranges, port_ranges, count * sizeof *port_ranges);
    }
    if (answer >= detours)
        return false;
    p->discard |= !lay_detour(p, p->here, port_ranges, count, answer, ports, end);
    return !p->discard;
}

/* ---- what has to be down for a decision ---- */

/* One link of a detour that failed, other than those in use, unless one of them is down already. */
static void explain_failure(prover *p, const asked_search *s, uint32_t index, const fl_link *used,
                            uint32_t used_count)
{
    fl_port ports[FL_DETOUR_MAX];
    fl_address at = p->here;
    fl_link pick = 0;
    bool found = false;
    for (unsigned turn = s->count; turn-- > 0; index /= s->port_ranges[turn].count)
        ports[turn] = fl_port_range_at(&s->port_ranges[turn], index % s->port_ranges[turn].count);
    for (unsigned turn = 0; turn < s->count; turn++) {
        fl_hop hop;
        if (!fl_network_step(p->network, at, ports[turn], &hop) ||
            is_among(p->down, p->down_count, hop.link))
            return;
        if (!found && !is_among(used, used_count, hop.link) && can_fail(p, hop.link)) {
            pick = hop.link;
            found = true;
        }
        at = hop.to;
    }
    if (found && p->down_count < DOWN_MAX)
        p->down[p->down_count++] = pick;
}

/* Adds to the links that the router saw down those that must have been down in its searches. A
 * guess where there is a choice: explanations are tried out before they are believed. */
static void explain_searches(prover *p, const fl_candidate *candidate)
{
    fl_link used[FL_DETOUR_MAX];
    fl_address at = p->here;
    uint32_t used_count = 0;
    fl_hop hop;
    for (unsigned i = 0;
         i < candidate->length && fl_network_step(p->network, at, candidate->ports[i], &hop);
         i++, at = hop.to)
        used[used_count++] = hop.link;
    for (uint32_t i = 0; i < p->search_count; i++)
        for (uint32_t index = 0; index < p->searches[i].failed; index++)
            explain_failure(p, &p->searches[i], index, used, used_count);
}

/* ---- states ---- */

static void place_state(prover *p, uint32_t index)
{
    uint32_t mask = (UINT32_C(1) << p->slot_bits) - 1,
             slot = (uint32_t)fl_transit_hash(&p->nodes.data[index].transit) & mask;
    while (p->slots[slot] != NO_STATE)
        slot = (slot + 1) & mask;
    p->slots[slot] = index;
}

static void rehash_states(prover *p)
{
    uint32_t bits = p->slot_bits ? p->slot_bits + 1 : 10;
    uint32_t *slots = realloc(p->slots, sizeof *slots << bits);
    if (!slots) {
        out_of_memory(p);
        return;
    }
    p->slots = slots;
    p->slot_bits = bits;
    memset(slots, 0xff, sizeof *slots << bits);
    for (uint32_t i = 0; i < p->nodes.count; i++)
        place_state(p, i);
}

/* The state's number; a new one if nobody has been there. */
static uint32_t intern(prover *p, const fl_transit *transit, bool *is_new)
{
    *is_new = false;
    if (2 * (p->nodes.count + 1) > (size_t)1 << p->slot_bits || !p->slots)
        rehash_states(p);
    if (p->status)
        return NO_STATE;
    uint32_t mask = (UINT32_C(1) << p->slot_bits) - 1,
             slot = (uint32_t)fl_transit_hash(transit) & mask;
    for (; p->slots[slot] != NO_STATE; slot = (slot + 1) & mask)
        if (fl_transit_same(&p->nodes.data[p->slots[slot]].transit, transit))
            return p->slots[slot];
    if (p->nodes.count >= p->limits.states_max) {
        p->status = fl_fail(p->error, FL_ERR_STOPPED,
                            "more than %llu states of packets to one node: too many to follow",
                            (unsigned long long)p->limits.states_max);
        return NO_STATE;
    }
    uint32_t index = (uint32_t)p->nodes.count;
    if (!EXTEND(p, p->nodes, 1))
        return NO_STATE;
    p->nodes.data[index] = (node){.transit = *transit, .parent = NO_STATE};
    p->slots[slot] = index;
    *is_new = true;
    return index;
}

static void push(prover *p, unsigned round, uint32_t state)
{
    if (EXTEND(p, p->rounds[round], 1))
        p->rounds[round].data[p->rounds[round].count - 1] = state;
}

/* ---- dependencies and why they are there ---- */

static uint32_t reason_slot(const prover *p, uint32_t from, uint32_t to)
{
    uint32_t mask = (UINT32_C(1) << p->reason_bits) - 1;
    uint32_t slot = (uint32_t)fl_mix64((uint64_t)from << 32 | to) & mask;
    while (p->reason_slots[slot] != NO_STATE &&
           (p->reasons.data[p->reason_slots[slot]].from != from ||
            p->reasons.data[p->reason_slots[slot]].to != to))
        slot = (slot + 1) & mask;
    return slot;
}

static void rehash_reasons(prover *p)
{
    uint32_t bits = p->reason_bits ? p->reason_bits + 1 : 10;
    uint32_t *slots = realloc(p->reason_slots, sizeof *slots << bits);
    if (!slots) {
        p->status = fl_fail(p->error, FL_ERR_MEMORY, "out of memory for dependencies");
        return;
    }
    p->reason_slots = slots;
    p->reason_bits = bits;
    memset(slots, 0xff, sizeof *slots << bits);
    for (uint32_t i = 0; i < p->reasons.count; i++)
        slots[reason_slot(p, p->reasons.data[i].from, p->reasons.data[i].to)] = i;
}

static void copy_links(prover *p, const fl_link *links, uint32_t count)
{
    size_t at = p->reason_links.count;
    if (count > 0 && EXTEND(p, p->reason_links, count))
        memcpy(p->reason_links.data + at, links, count * sizeof *links);
}

/* Keeps the explanation with the fewest links. */
static void explain(prover *p, uint32_t state, uint32_t to)
{
    const node *n = &p->nodes.data[state];
    uint32_t from = n->transit.channel, links = n->cost + p->down_count;
    if (from == UINT32_MAX)
        return;
    if (2 * (p->reasons.count + 1) > (size_t)1 << p->reason_bits || !p->reason_slots)
        rehash_reasons(p);
    if (p->status)
        return;
    uint32_t slot = reason_slot(p, from, to), index = p->reason_slots[slot];
    if (index != NO_STATE && p->reasons.data[index].links <= links)
        return;
    if (index == NO_STATE) {
        index = (uint32_t)p->reasons.count;
        if (!EXTEND(p, p->reasons, 1))
            return;
        p->reason_slots[slot] = index;
        fl_channel_graph_add(p->graph, from, to);
    }
    uint32_t first = (uint32_t)p->reason_links.count;
    copy_links(p, p->down, p->down_count);
    fl_address source = 0;
    for (uint32_t s = state; s != NO_STATE; s = p->nodes.data[s].parent) {
        if (p->nodes.data[s].downs > 0)
            copy_links(p, p->links.data + p->nodes.data[s].downs_first, p->nodes.data[s].downs);
        source = p->nodes.data[s].transit.packet.source;
    }
    p->reasons.data[index] = (reason){from, to, source, p->destination, first, links};
}

/* ---- one decision, all answers ---- */

/* With the links that were seen down in this decision. An arc to one state is kept once, with the
 * fewest links. */
static void add_arc(prover *p, uint32_t state, uint32_t to)
{
    uint32_t first = (uint32_t)p->links.count;
    arc *known = NULL;
    for (size_t i = p->nodes.data[state].arcs_first; i < p->arcs.count && !known; i++)
        if (p->arcs.data[i].to == to)
            known = &p->arcs.data[i];
    if (known && known->downs <= p->down_count)
        return;
    if (p->down_count > 0 && EXTEND(p, p->links, p->down_count))
        memcpy(p->links.data + first, p->down, p->down_count * sizeof *p->down);
    if (known)
        *known = (arc){to, first, p->down_count};
    else if (EXTEND(p, p->arcs, 1))
        p->arcs.data[p->arcs.count - 1] = (arc){to, first, p->down_count};
}

static void follow(prover *p, uint32_t state, const fl_candidate *candidate)
{
    fl_transit at = p->nodes.data[state].transit, behind;
    fl_violation violation = fl_transit_take(p->graph, p->router, &at, candidate, &behind);
    if (violation) {
        violated(p, violation);
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
    node *n = &p->nodes.data[next];
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
        if (is_always_down(p, hop.link))
            return false;
    return true;
}

/* A router that offers everything when everything is up is asked once; false: nothing that it asked
 * about can fail, so that what it offers then says nothing about its order. What a first candidate
 * needs down is guessed: the first links of those before it. */
static bool expand_offers(prover *p, uint32_t state)
{
    fl_packet packet = p->nodes.data[state].transit.packet;
    fl_decision decision = {.wanted = CANDIDATES_MAX, .candidates = p->candidates};
    fl_view view = view_at(p, p->here, NULL);
    p->down_count = 0;
    p->promised = true;
    p->uncertain = false;
    ask_router(p, &packet, &view, &decision);
    for (unsigned i = 0; i < decision.count && p->uncertain && !p->status; i++) {
        fl_candidate candidate = p->candidates[i];
        fl_hop hop;
        if (can_be_up(p, &candidate))
            follow(p, state, &candidate);
        if (!p->limits.all_candidates &&
            fl_network_step(p->network, p->here, candidate.ports[0], &hop) &&
            can_fail(p, hop.link) && p->down_count < DOWN_MAX)
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
        explain_searches(p, &candidate);
        follow(p, state, &candidate);
    }
}

static void expand_answers(prover *p, uint32_t state)
{
    uint32_t outcomes = 0;
    p->script = 0;
    do {
        fl_packet packet = p->nodes.data[state].transit.packet;
        fl_decision decision = {.wanted = p->limits.all_candidates ? CANDIDATES_MAX : 1,
                                .candidates = p->candidates};
        fl_view view = view_at(p, p->here, &p->searcher);
        p->asked = p->down_count = p->search_count = 0;
        p->discard = false;
        p->promised = packet.detour_left > 0;
        ask_router(p, &packet, &view, &decision);
        if (!p->status && !p->discard)
            follow_candidates(p, state, &decision);
        if (++outcomes == OUTCOMES_MAX && !p->status)
            p->status =
                fl_fail(p->error, FL_ERR_STOPPED,
                        "one decision of '%s' has more than %d outcomes: too many to follow",
                        p->router->name, OUTCOMES_MAX);
    } while (!p->status && advance(p));
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

static void forget_states(prover *p)
{
    p->nodes.count = p->arcs.count = p->links.count = 0;
    p->rounds[0].count = p->rounds[1].count = 0;
    if (p->slots)
        memset(p->slots, 0xff, sizeof *p->slots << p->slot_bits);
}

static void start_at(prover *p, const fl_end *from)
{
    bool is_new;
    fl_transit at = fl_transit_start(p->graph, from, p->destination);
    uint32_t state = intern(p, &at, &is_new);
    if (!p->status && is_new)
        push(p, 0, state);
}

/* Two rounds in place of a queue in exact order: what cost no link more than its predecessor goes
 * first. Explanations need to be short, not shortest. */
static void expand_all(prover *p)
{
    while (!p->status) {
        while (!p->status && p->rounds[0].count > 0) {
            uint32_t state = p->rounds[0].data[--p->rounds[0].count];
            if (!p->nodes.data[state].expanded)
                expand(p, state);
        }
        if (p->rounds[1].count == 0)
            return;
        uint32_t *data = p->rounds[0].data;
        size_t capacity = p->rounds[0].capacity;
        p->rounds[0].data = p->rounds[1].data;
        p->rounds[0].capacity = p->rounds[1].capacity;
        p->rounds[0].count = p->rounds[1].count;
        p->rounds[1].data = data;
        p->rounds[1].capacity = capacity;
        p->rounds[1].count = 0;
    }
}

/* ---- livelock: does a state follow on itself? ---- */

typedef struct frame {
    uint32_t state, arc;
} frame;

enum { UNSEEN = 0, ON_PATH = 1, DONE = 2 };

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

static uint32_t answer_walk(fl_order *order, fl_link link)
{
    const prover *p = order->user;
    bool down = is_always_down(p, link);
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
    fl_decision decision = {.wanted = CANDIDATES_MAX, .candidates = p->candidates};
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

static void clear_loop(fl_proof *proof)
{
    free(proof->loop);
    free(proof->loop_down);
    proof->loop = NULL;
    proof->loop_down = NULL;
    proof->loop_length = 0;
    proof->loop_down_count = 0;
}

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
    clear_loop(proof);
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
        const arc *a = &p->arcs.data[path[i].arc - 1];
        append_hop(p, &p->nodes.data[path[i].state].transit, &p->nodes.data[a->to].transit);
        append_downs(p, a->downs_first, a->downs);
    }
    proof->loop_source = p->nodes.data[candidate[0]].transit.packet.source;
    proof->loop_destination = p->destination;
    proof->loop_is_real = loops_really(p, candidate, lead + 1, path + first, depth - first);
    free(candidate);
}

/* Depth first with the longest way to the destination from every state that is done (0: there is
 * none); false as soon as a state follows on itself. */
static bool measure(prover *p, uint32_t start, uint8_t *colour, uint32_t *longest, frame *path)
{
    uint32_t depth = 1;
    path[0] = (frame){start, p->nodes.data[start].arcs_first};
    colour[start] = ON_PATH;
    while (depth > 0) {
        frame *top = &path[depth - 1];
        const node *n = &p->nodes.data[top->state];
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
static bool is_on_longest(const uint32_t *longest, uint32_t state, const arc *a)
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
        out_of_memory(p);
        return;
    }
    for (uint32_t i = 0; i < steps; i++) {
        const arc *a = &p->arcs.data[path[i].arc];
        for (uint32_t l = 0; l < a->downs; l++)
            if (!is_among(proof->longest_down, (uint32_t)proof->longest_down_count,
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
    const node *n = &p->nodes.data[state];
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
static void look_for_loops(prover *p)
{
    fl_proof *proof = p->proof;
    size_t states = p->nodes.count;
    uint8_t *colour = calloc(states, 1);
    uint32_t *longest = calloc(states, sizeof *longest);
    frame *path = malloc(states * sizeof *path);
    if (!colour || !longest || !path)
        out_of_memory(p);
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

/* ---- deadlock: a real fault set for a cycle ---- */

static const reason *reason_of(const prover *p, uint32_t from, uint32_t to)
{
    return &p->reasons.data[p->reason_slots[reason_slot(p, from, to)]];
}

static void write_cycle(prover *p, const uint32_t *cycle, uint32_t length)
{
    fl_proof *proof = p->proof;
    proof->cycle = calloc(length, sizeof *proof->cycle);
    if (!proof->cycle) {
        p->status = fl_fail(p->error, FL_ERR_MEMORY, "out of memory for a cycle");
        return;
    }
    proof->cycle_length = length;
    for (uint32_t i = 0; i < length; i++) {
        const reason *r = reason_of(p, cycle[i], cycle[(i + 1) % length]);
        proof->cycle[i] =
            (fl_cycle_step){fl_channel_of(p->graph, cycle[i]), r->source, r->destination, 1};
    }
}

/* The parts that the cycle's explanations want down, each once. */
static unsigned components_of_cycle(const prover *p, const uint32_t *cycle, uint32_t length,
                                    uint64_t *components, unsigned room)
{
    unsigned count = 0;
    uint64_t of_link[FL_LINK_COMPONENTS_MAX];
    for (uint32_t i = 0; i < length; i++) {
        const reason *r = reason_of(p, cycle[i], cycle[(i + 1) % length]);
        for (uint32_t l = 0; l < r->links; l++) {
            unsigned j = 0;
            fl_fault_model_components_of(p->model, p->reason_links.data[r->links_first + l],
                                         of_link);
            while (j < count && components[j] != of_link[0])
                j++;
            if (j == count && count < room)
                components[count++] = of_link[0];
        }
    }
    return count;
}

static bool goes_on(void *user, uint64_t done, uint64_t all)
{
    prover *p = user;
    (void)done, (void)all;
    return !p->limits.should_stop || !p->limits.should_stop(p->limits.user);
}

static bool is_cyclic(prover *p, const uint64_t *components, unsigned count,
                      fl_deadlock_witness **witness)
{
    fl_deadlock_result result;
    const fl_deadlock_options options = {
        .all_candidates = p->limits.all_candidates, .progress = goes_on, .user = p};
    fl_status status =
        fl_deadlock_check_set(&result, p->router, p->model, components, count, &options, p->error);
    if (status)
        p->status = status;
    if (!status && witness) {
        fl_deadlock_witness_destroy(*witness);
        *witness = result.witness;
    } else {
        fl_deadlock_witness_destroy(result.witness);
    }
    return !status && result.cyclic > 0;
}

/* Takes faults away one by one as long as a cycle is left. */
static unsigned shrink(prover *p, uint64_t *components, unsigned count)
{
    for (unsigned i = 0; i < count && !p->status;) {
        uint64_t removed = components[i];
        components[i] = components[count - 1];
        if (is_cyclic(p, components, count - 1, NULL)) {
            count--;
        } else {
            components[i] = removed;
            i++;
        }
    }
    return count;
}

static void seek_witness(prover *p, uint32_t *cycle)
{
    enum { ROOM = 512 };
    uint64_t components[ROOM];
    unsigned tried = 0, best = ROOM;
    for (uint32_t start = 0; start < p->graph->count && tried < CYCLES_TRIED && !p->status;
         start++) {
        uint32_t length = fl_channel_graph_cycle_through(p->graph, start, cycle);
        stop_if_asked_to(p);
        if (length == 0 || p->status)
            continue;
        tried++;
        unsigned count = components_of_cycle(p, cycle, length, components, ROOM);
        if (!is_cyclic(p, components, count, NULL) || p->status)
            continue;
        count = shrink(p, components, count);
        if (count < best && is_cyclic(p, components, count, &p->proof->witness))
            best = count;
    }
}

static void judge(prover *p)
{
    fl_proof *proof = p->proof;
    proof->dependencies = p->reasons.count;
    proof->deadlock_free = !fl_channel_graph_has_cycle(p->graph);
    if (proof->deadlock_free)
        return;
    uint32_t *cycle = malloc(((size_t)p->graph->count + 1) * sizeof *cycle);
    if (!cycle) {
        p->status = fl_fail(p->error, FL_ERR_MEMORY, "out of memory for a cycle");
        return;
    }
    uint32_t length = fl_channel_graph_shortest_cycle(p->graph, UINT32_MAX, cycle);
    if (length > 0)
        write_cycle(p, cycle, length);
    if (p->limits.seek && p->model && !p->status)
        seek_witness(p, cycle);
    free(cycle);
}

/* ---- all destinations ---- */

static void explore(prover *p)
{
    expand_all(p);
    p->proof->states += p->nodes.count;
    if (!p->status && (p->proof->livelock_free || !p->proof->loop_is_real))
        look_for_loops(p);
    forget_states(p);
}

static void explore_all(prover *p)
{
    bool by_switch = fl_router_is_by_switch(p->router);
    uint64_t count;
    fl_end *ends = fl_channel_graph_ends(p->graph, by_switch, &count);
    if (!ends)
        p->status =
            fl_fail(p->error, FL_ERR_MEMORY, "out of memory for the nodes of %s", p->network->spec);
    for (uint64_t d = 0; ends && d < count && !p->status; d++) {
        p->destination = ends[d].node;
        for (uint64_t s = 0; s < count && !p->status; s++) {
            if (s == d && (!by_switch || count > 1))
                continue;
            start_at(p, &ends[s]);
            if (!by_switch)
                explore(p);
        }
        if (by_switch)
            explore(p);
    }
    free(ends);
}

static void tear_down(prover *p)
{
    fl_channel_graph_destroy(p->graph);
    fl_order_destroy(p->order);
    free(p->nodes.data);
    free(p->arcs.data);
    free(p->links.data);
    free(p->reasons.data);
    free(p->reason_links.data);
    free(p->slots);
    free(p->reason_slots);
    free(p->rounds[0].data);
    free(p->rounds[1].data);
}

void fl_proof_clear(fl_proof *proof)
{
    clear_loop(proof);
    free(proof->longest_down);
    free(proof->cycle);
    fl_deadlock_witness_destroy(proof->witness);
    *proof = (fl_proof){0};
}

/* Follows the router through all faults. */
static fl_status follow_all(prover **out, fl_proof *proof, const fl_router *router,
                            const fl_fault_model *model, const fl_proof_options *options,
                            fl_error *error)
{
    *proof = (fl_proof){.livelock_free = true, .channels_used = 1};
    if (!router->next)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is a limit, not a router: there is nothing to prove about it",
                       router->name);
    prover *p = calloc(1, sizeof *p);
    if (!p)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a proof");
    *p = (prover){.router = router,
                  .model = model,
                  .network = router->network,
                  .proof = proof,
                  .error = error,
                  .searcher = {answer_search}};
    if (options)
        p->limits = *options;
    if (p->limits.states_max == 0)
        p->limits.states_max = STATES_MAX;
    p->status = fl_channel_graph_create(&p->graph, router->network, router->channels, error);
    if (!p->status)
        p->status = fl_order_create_custom(&p->order, router->network, answer_link, p, error);
    if (!p->status)
        explore_all(p);
    *out = p;
    return FL_OK;
}

fl_status fl_router_prove(fl_proof *out, const fl_router *router, const fl_fault_model *model,
                          const fl_proof_options *options, fl_error *error)
{
    prover *p;
    fl_status status = follow_all(&p, out, router, model, options, error);
    if (status)
        return status;
    if (!p->status)
        judge(p);
    status = p->status;
    tear_down(p);
    free(p);
    if (status)
        fl_proof_clear(out);
    return status;
}

fl_status fl_channel_graph_of_all_faults(fl_channel_graph **out, const fl_router *router,
                                         const fl_fault_model *model,
                                         const fl_proof_options *options, fl_error *error)
{
    prover *p;
    fl_proof proof;
    fl_status status = follow_all(&p, &proof, router, model, options, error);
    if (status)
        return status;
    status = p->status;
    if (!status) {
        *out = p->graph;
        p->graph = NULL;
    }
    tear_down(p);
    free(p);
    fl_proof_clear(&proof);
    return status;
}
