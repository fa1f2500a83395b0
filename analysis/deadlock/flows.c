/* The flows of a network: routed under the present faults, and the dependencies that they make. */
#include "analysis/deadlock/checker.h"

#include <stdlib.h>
#include <string.h>

enum { WORK_BETWEEN_REPORTS = 4096 };
#define BYTES_MAX 16e9L /* for what is known of flows */

/* All pairs of nodes of different switches, or one of each pair of switches. (Packets that stay at
 * their switch hold no channel between switches. With several ports a node has no switch: all
 * pairs.) */
bool fl_checker_list_flows(checker *c)
{
    uint64_t listed;
    fl_end *ends = fl_channel_graph_ends(c->graph, fl_router_is_by_switch(c->router), &listed);
    long double bytes_a_flow = sizeof(checker_flow) + sizeof(checker_record) +
                               c->component_words * (long double)sizeof *c->seen_up;
    long double bytes = (long double)listed * (long double)listed * bytes_a_flow;
    if (bytes > BYTES_MAX) {
        c->status = fl_fail(
            c->error, FL_ERR_INVALID,
            "%s is too large for fault sets one by one: %llu x %llu flows would take %.0Lf GB",
            c->network->spec, (unsigned long long)listed, (unsigned long long)listed, bytes / 1e9L);
        free(ends);
        return false;
    }
    c->flows = ends ? malloc((listed * listed + 1) * sizeof *c->flows) : NULL;
    for (uint64_t a = 0; c->flows && a < listed; a++)
        for (uint64_t b = 0; b < listed; b++)
            if (c->network->node_ports > 1 ? a != b : ends[a].at != ends[b].at)
                c->flows[c->flow_count++] = (checker_flow){ends[a].node, ends[b].node, ends[a].at};
    free(ends);
    return c->flows != NULL;
}

/* ---- routing one flow ---- */

static void hear(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    checker *c = user;
    (void)from, (void)port;
    if (!up)
        return;
    uint32_t index = fl_checker_link_index(c, link);
    for (uint32_t i = c->link_components_from[index]; i < c->link_components_from[index + 1]; i++)
        c->seen[c->link_components[i] / 64] |= UINT64_C(1) << (c->link_components[i] % 64);
}

static void add_dependency(checker *c, uint32_t from, uint32_t to)
{
    if (!FL_ARRAY_PUSH(&c->store, (checker_dependency){from, to}))
        c->status = fl_fail(c->error, FL_ERR_MEMORY, "out of memory for dependencies");
}

/* Takes one candidate from a state; the state behind it is new unless the flow has been there. */
static void take(checker *c, const fl_transit *at, const fl_candidate *candidate, unsigned *states)
{
    fl_transit behind;
    fl_violation violation = fl_transit_take(c->graph, c->router, at, candidate, &behind);
    if (violation) {
        c->status = fl_step_fail(c->router, at->here, violation, c->error);
        return;
    }
    if (fl_address_is_node(behind.here))
        return;
    if (at->channel != UINT32_MAX)
        add_dependency(c, at->channel, behind.channel);
    for (unsigned i = 0; i < *states; i++)
        if (fl_transit_same(&c->states[i], &behind))
            return;
    if (*states < FL_CHECKER_STATES_MAX)
        c->states[(*states)++] = behind;
    else if (c->options->all_candidates)
        c->status = fl_fail(c->error, FL_ERR_STOPPED,
                            "more than %d states of one packet of '%s': too many to follow",
                            FL_CHECKER_STATES_MAX, c->router->name);
    else
        c->status = fl_step_fail(c->router, at->here, FL_NEVER_ENDS, c->error);
}

static void route(checker *c, const checker_flow *f)
{
    unsigned states = 1;
    c->states[0] = fl_transit_start(c->graph, &(fl_end){f->source, f->switch_from}, f->destination);
    for (unsigned i = 0; i < states && !c->status; i++) {
        fl_transit at = c->states[i];
        fl_decision decision = {.wanted =
                                    c->options->all_candidates ? FL_CHECKER_CANDIDATES_MAX : 1,
                                .candidates = c->candidates};
        fl_view view = {.network = c->network,
                        .order = c->order,
                        .here = at.here,
                        .holds_until = FL_NEVER_FAILS,
                        .enabled_rules = c->router->enabled_rules,
                        .scope = c->router->scope,
                        .listener = hear,
                        .listener_user = c};
        if (!fl_step_ask(c->router, &at.packet, &view, &decision) && view.violation)
            c->status = fl_step_fail_view(c->router, &view, c->error);
        for (unsigned w = 0; w < decision.count && !c->status; w++)
            take(c, &at, &c->candidates[w], &states);
    }
}

/* The link by which a flow enters: some node of its switch must have a healthy one. */
static bool can_start(checker *c, const checker_flow *f)
{
    bool any = false;
    fl_address here = c->graph->address[f->switch_from];
    fl_hop hop;
    if (c->network->node_ports > 1)
        return true; /* the router is asked there */
    if (!fl_router_is_by_switch(c->router)) {
        fl_network_step(c->network, f->source, 0, &hop);
        bool up = fl_order_fails_at(c->order, hop.link) > 0;
        hear(c, f->source, 0, hop.link, up);
        return up;
    }
    for (uint32_t port = 0; port < c->graph->radix; port++)
        if (fl_network_step(c->network, here, (fl_port)port, &hop) && fl_address_is_node(hop.to)) {
            bool up = fl_order_fails_at(c->order, hop.link) > 0;
            hear(c, here, (fl_port)port, hop.link, up);
            any |= up;
        }
    return any;
}

/* Reports progress, and stops when asked to. */
void fl_checker_count_work(checker *c, uint32_t flows)
{
    c->work += flows;
    if (c->work < WORK_BETWEEN_REPORTS || !c->options->progress)
        return;
    c->work = 0;
    if (!c->options->progress(c->options->user, c->result->fault_sets, c->sets_to_try) &&
        !c->status)
        c->status = fl_fail(c->error, FL_ERR_STOPPED, "stopped");
}

void fl_checker_route_again(checker *c, uint32_t index)
{
    checker_record *r = &c->records[index];
    c->seen = c->seen_up + (size_t)index * c->component_words;
    memset(c->seen, 0, c->component_words * sizeof *c->seen);
    r->first = (uint32_t)c->store.count;
    if (can_start(c, &c->flows[index]))
        route(c, &c->flows[index]);
    r->count = (uint32_t)c->store.count - r->first;
    fl_checker_count_work(c, 1);
}

/* ---- all of them ---- */

void fl_checker_build_graph(checker *c)
{
    fl_channel_graph_clear(c->graph);
    for (uint32_t f = 0; f < c->flow_count; f++) {
        const checker_dependency *d = c->store.data + c->records[f].first;
        for (uint32_t i = 0; i < c->records[f].count; i++)
            fl_channel_graph_add(c->graph, d[i].from, d[i].to);
    }
}

static uint64_t pairs_of(const checker *c, const checker_flow *f)
{
    if (!fl_router_is_by_switch(c->router))
        return 1;
    uint64_t nodes[2] = {0, 0};
    fl_hop last;
    fl_network_step(c->network, f->destination, 0, &last);
    fl_address ends[2] = {c->graph->address[f->switch_from], last.to};
    for (int end = 0; end < 2; end++)
        for (uint32_t port = 0; port < c->graph->radix; port++) {
            fl_hop hop;
            bool node = fl_network_step(c->network, ends[end], (fl_port)port, &hop) &&
                        fl_address_is_node(hop.to);
            nodes[end] += node && (end == 1 || fl_order_fails_at(c->order, hop.link) > 0);
        }
    return nodes[0] * nodes[1];
}

void fl_checker_find_holders(const checker *c, fl_cycle_step *step, uint32_t from, uint32_t to)
{
    for (uint32_t f = 0; f < c->flow_count; f++) {
        const checker_dependency *d = c->store.data + c->records[f].first;
        uint32_t i = 0;
        while (i < c->records[f].count && (d[i].from != from || d[i].to != to))
            i++;
        if (i == c->records[f].count)
            continue;
        if (step->pairs == 0) {
            step->source = c->flows[f].source;
            step->destination = c->flows[f].destination;
        }
        step->pairs += pairs_of(c, &c->flows[f]);
    }
}
