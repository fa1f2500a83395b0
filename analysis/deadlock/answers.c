/* A proof's answers to the questions of a router, and the faults that explain them. */
#include "analysis/deadlock/prover.h"

#include <string.h>

enum { ASKED_BETWEEN_STOPS = 4096 };

void fl_prover_out_of_memory(prover *p)
{
    p->status = fl_fail(p->error, FL_ERR_MEMORY,
                        "out of memory while following '%s' through all faults", p->router->name);
}

void fl_prover_stop_if_asked(prover *p)
{
    if (!p->status && p->limits.should_stop && p->limits.should_stop(p->limits.user))
        p->status = fl_fail(p->error, FL_ERR_STOPPED, "stopped");
}

void fl_prover_violated(prover *p, fl_violation violation)
{
    if (!p->status)
        p->status = fl_step_fail(p->router, p->here, violation, p->error);
}

/* All questions to the router go through here. */
void fl_prover_ask(prover *p, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    fl_order_forget(p->order);
    if (!fl_step_ask(p->router, packet, view, decision) && view->violation && !p->status)
        p->status = fl_step_fail_view(p->router, view, p->error);
    for (unsigned i = 0; i < decision->count; i++)
        if (fl_step_check(p->router, &decision->candidates[i])) {
            fl_prover_violated(p, fl_step_check(p->router, &decision->candidates[i]));
            decision->count = 0;
        }
    if (++p->asked_router % ASKED_BETWEEN_STOPS == 0)
        fl_prover_stop_if_asked(p);
}

/* ---- answers ---- */

/* The answer to the next question, one of 0..options-1. */
static uint32_t next_answer(prover *p, uint32_t options)
{
    if (p->asked == p->script) {
        if (p->script == FL_QUESTIONS_MAX) {
            fl_prover_violated(p, FL_ASKS_TOO_MUCH);
            return options - 1;
        }
        p->answers[p->script] = 0;
        p->options[p->script++] = options;
    }
    return p->answers[p->asked++];
}

bool fl_prover_advance(prover *p)
{
    while (p->script > 0 && p->answers[p->script - 1] + 1 >= p->options[p->script - 1])
        p->script--;
    if (p->script == 0)
        return false;
    p->answers[p->script - 1]++;
    return true;
}

bool fl_prover_is_always_down(const prover *p, fl_link link)
{
    return p->limits.down && fl_fault_set_holds(p->limits.down, link);
}

/* Is it up at some times and down at others? */
bool fl_prover_can_fail(const prover *p, fl_link link)
{
    uint64_t components[FL_LINK_COMPONENTS_MAX];
    return p->model && !fl_prover_is_always_down(p, link) &&
           fl_fault_model_components_of(p->model, link, components) > 0;
}

uint32_t fl_prover_answer_link(fl_order *order, fl_link link)
{
    prover *p = order->user;
    bool uncertain = fl_prover_can_fail(p, link);
    p->uncertain |= uncertain;
    if (!uncertain && fl_prover_is_always_down(p, link))
        return 0;
    if (p->promised || !uncertain || next_answer(p, 2) == 0)
        return FL_NEVER_FAILS;
    if (p->down_count < FL_PROVER_DOWN_MAX)
        p->down[p->down_count++] = link;
    return 0;
}

bool fl_prover_is_among(const fl_link *links, uint32_t count, fl_link link)
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
        if (!fl_network_step(p->network, *end, ports[turn], &hop) ||
            fl_prover_is_always_down(p, hop.link) ||
            fl_prover_is_among(p->down, p->down_count, hop.link))
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
        if (!fl_network_step(p->network, at, ports[turn], &hop) ||
            fl_prover_can_fail(p, hop.link) || fl_prover_is_always_down(p, hop.link))
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

bool fl_prover_answer_search(fl_searcher *searcher, const fl_port_range *port_ranges,
                             unsigned count, fl_port *ports, fl_address *end)
{
    prover *p = (prover *)((char *)searcher - offsetof(prover, searcher));
    uint32_t detours = 1;
    for (unsigned turn = 0; turn < count; turn++)
        detours *= port_ranges[turn].count;
    bool is_new = p->asked == p->script;
    uint32_t answer =
        next_answer(p, is_new ? answers_of_search(p, port_ranges, count, detours) : 0);
    if (p->search_count < FL_RULES_MAX) {
        prover_search *s = &p->searches[p->search_count++];
        bool found = answer < detours;
        *s = (prover_search){.count = count,
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
static void explain_failure(prover *p, const prover_search *s, uint32_t index, const fl_link *used,
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
            fl_prover_is_among(p->down, p->down_count, hop.link))
            return;
        if (!found && !fl_prover_is_among(used, used_count, hop.link) &&
            fl_prover_can_fail(p, hop.link)) {
            pick = hop.link;
            found = true;
        }
        at = hop.to;
    }
    if (found && p->down_count < FL_PROVER_DOWN_MAX)
        p->down[p->down_count++] = pick;
}

/* Adds to the links that the router saw down those that must have been down in its searches. A
 * guess where there is a choice: explanations are tried out before they are believed. */
void fl_prover_explain_searches(prover *p, const fl_candidate *candidate)
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
