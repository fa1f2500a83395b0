/* The guard in front of a plug-in's router. The routers of this folder are tested against a slow
 * reference; those of plug-ins may do anything. A port that does not exist, a link that is down or
 * was never asked about would not stop a sweep by itself: it would falsify its numbers. So every
 * answer is checked here, in every analysis. */
#include "routing/plugin.h"
#include "routing/registry.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROOM = 64,
    SPARE = 8,
    ASKED_MAX = 1024
}; /* candidates; room for a router that writes past `wanted`; links */
enum { ASKED_TWICE_FIRST = 1000, ASKED_TWICE_EVERY = 64 }; /* decisions of a thread: see is_pure */

/* The links that the router has asked about in this decision. */
typedef struct asked_links {
    fl_link link[ASKED_MAX];
    unsigned count;
    const fl_view *view; /* of the requester, which may listen too; NULL: it does not */
} asked_links;

static void hear(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    asked_links *asked = user;
    if (asked->count < ASKED_MAX)
        asked->link[asked->count] = link;
    asked->count++;
    if (asked->view && asked->view->listener)
        fl_view_report(asked->view, from, port, link, up);
}

static bool was_asked(const asked_links *asked, fl_link link)
{
    if (asked->count > ASKED_MAX)
        return true; /* not known; that it is up is checked all the same */
    for (unsigned i = 0; i < asked->count; i++)
        if (asked->link[i] == link)
            return true;
    return false;
}

static fl_violation check_link(const fl_view *view, const asked_links *asked, fl_address from,
                               fl_port port, fl_hop *hop)
{
    bool node = fl_address_is_node(from);
    if (node && from != view->here)
        return FL_OFFERS_LINK_OF_NODE;
    if (port >= (node ? view->network->node_ports : view->network->radix) ||
        !fl_network_step(view->network, from, port, hop))
        return FL_OFFERS_EMPTY_PORT;
    if (!was_asked(asked, hop->link))
        return FL_OFFERS_UNASKED_LINK;
    return fl_step_is_up(view, hop->link) ? FL_NO_VIOLATION : FL_OFFERS_DOWN_LINK;
}

static fl_violation check_candidate(const fl_router *router, const fl_view *view,
                                    const asked_links *asked, const fl_candidate *candidate)
{
    fl_violation violation = fl_step_check(router, candidate);
    if (violation)
        return violation;
    if (candidate->length > 1 && view->scope == FL_SCOPE_LOCAL)
        return FL_OFFERS_BEYOND_SCOPE;
    if (candidate->rule != FL_NO_RULE && candidate->rule >= fl_rule_count())
        return FL_OFFERS_NO_RULE;
    fl_hop hop = {.to = view->here};
    for (unsigned i = 0; i < candidate->length && !violation; i++)
        violation = check_link(view, asked, hop.to, candidate->ports[i], &hop);
    return violation || hop.to == candidate->end ? violation : FL_OFFERS_WRONG_END;
}

/* A source node's only link is not a router's business; at a node of several ports the router is
 * asked, too. */
static fl_violation check_reason(fl_reason reason, bool at_node)
{
    if (reason == FL_REASONS)
        return FL_GIVES_NO_REASON;
    if (reason == FL_BLOCKED_SOURCE && !at_node)
        return FL_GIVES_SOURCE_REASON;
    return (unsigned)reason < FL_REASONS ? FL_NO_VIOLATION : FL_GIVES_UNKNOWN_REASON;
}

static fl_violation check_decision(const fl_router *router, const fl_view *before,
                                   const fl_view *view, const asked_links *asked,
                                   const fl_decision *decision)
{
    fl_violation violation = (fl_violation)view->violation;
    if (violation)
        return violation < FL_VIOLATION_KINDS ? violation : FL_CHANGES_VIEW;
    if (view->here != before->here || view->order != before->order ||
        view->network != before->network || view->fault_point != before->fault_point ||
        view->scope != before->scope || view->enabled_rules != before->enabled_rules)
        return FL_CHANGES_VIEW;
    if (decision->count > decision->wanted)
        return FL_OFFERS_TOO_MANY;
    if (decision->count == 0)
        return check_reason(decision->reason, fl_address_is_node(view->here));
    for (unsigned i = 0; i < decision->count && !violation; i++)
        violation = check_candidate(router, view, asked, &decision->candidates[i]);
    return violation;
}

/* ---- what each thread does ---- */

/* One for each thread that ever asked. They stay: a thread that ended is at nothing. */
typedef struct activity {
    struct activity *older;
    _Atomic(const fl_router *) router;
    atomic_uint_least64_t decision;
} activity;

static _Atomic(activity *) activities;
static _Thread_local activity *mine;

static void (*begin_thread)(void);

void fl_plugin_on_thread(void (*begin)(void))
{
    begin_thread = begin;
}

static void note_start(const fl_router *router)
{
    if (FL_UNLIKELY(!mine)) {
        activity *fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            return;
        fresh->older = atomic_load(&activities);
        while (!atomic_compare_exchange_weak(&activities, &fresh->older, fresh))
            ;
        mine = fresh;
        if (begin_thread)
            begin_thread();
    }
    uint64_t decision = atomic_load_explicit(&mine->decision, memory_order_relaxed);
    atomic_store_explicit(&mine->decision, decision + 1, memory_order_relaxed);
    atomic_store_explicit(&mine->router, router, memory_order_relaxed);
}

static void note_end(void)
{
    if (mine)
        atomic_store_explicit(&mine->router, NULL, memory_order_relaxed);
}

bool fl_plugin_activity_of(unsigned thread, fl_plugin_activity *out)
{
    activity *at = atomic_load(&activities);
    for (; at && thread > 0; thread--)
        at = at->older;
    if (!at)
        return false;
    out->router = atomic_load_explicit(&at->router, memory_order_relaxed);
    out->decision = atomic_load_explicit(&at->decision, memory_order_relaxed);
    return true;
}

const fl_router *fl_plugin_running(void)
{
    return mine ? atomic_load_explicit(&mine->router, memory_order_relaxed) : NULL;
}

/* ---- the guard ---- */

static bool is_same_candidate(const fl_candidate *a, const fl_candidate *b)
{
    return a->length == b->length &&
           memcmp(a->ports, b->ports, a->length * sizeof *a->ports) == 0 && a->rule == b->rule &&
           a->turn == b->turn && a->channel == b->channel && a->header_state == b->header_state &&
           a->end == b->end;
}

static bool is_same_answer(const fl_decision *a, const fl_decision *b)
{
    if (a->count != b->count)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (!is_same_candidate(&a->candidates[i], &b->candidates[i]))
            return false;
    return a->count > 0 || a->reason == b->reason;
}

/* The first decisions of a thread, and a few of the later ones, are asked for twice: that finds
 * routers that keep something from one call to the next, or draw lots. Decisions with room for very
 * many candidates are left alone. */
static bool is_asked_twice(void)
{
    if (!mine)
        return false;
    uint64_t decision = atomic_load_explicit(&mine->decision, memory_order_relaxed);
    return decision <= ASKED_TWICE_FIRST || decision % ASKED_TWICE_EVERY == 0;
}

/* One decision, with a packet header of the router's own: what it writes there through a cast
 * reaches no other router. False: it did. (Whole memory is copied and compared, with what lies
 * between the members.) */
static bool decide(const fl_router *router, const fl_packet *packet, fl_view *window,
                   fl_decision *answer)
{
    fl_packet own;
    memcpy(&own, packet, sizeof own);
    router->type->next(router, &own, window, answer);
    return memcmp(&own, packet, sizeof own) == 0;
}

static bool is_pure(const fl_router *router, const fl_packet *packet, const fl_view *before,
                    const fl_decision *answer)
{
    fl_candidate room[ROOM + SPARE];
    asked_links asked;
    asked.count = 0;
    asked.view = NULL;
    fl_view window = *before;
    window.listener_user = &asked;
    fl_decision again = {.wanted = answer->wanted, .candidates = room, .reason = FL_REASONS};
    return decide(router, packet, &window, &again) && is_same_answer(answer, &again);
}

void fl_router_guard(const fl_router *router, const fl_packet *packet, fl_view *view,
                     fl_decision *decision)
{
    fl_candidate room[ROOM + SPARE];
    bool roomy = decision->wanted <= ROOM;
    asked_links asked;
    asked.count = 0;
    asked.view = view;
    /* What answers complete searches cannot know what a plug-in would ask: it asks link by link. */
    fl_view window = *view, before;
    window.searcher = NULL;
    window.listener = hear;
    window.listener_user = &asked;
    before = window;
    fl_decision answer = {.wanted = decision->wanted,
                          .candidates = roomy ? room : decision->candidates,
                          .reason = FL_REASONS};
    note_start(router);
    bool kept = decide(router, packet, &window, &answer);
    fl_violation violation =
        kept ? check_decision(router, &before, &window, &asked, &answer) : FL_CHANGES_HEADER;
    if (!violation && roomy && is_asked_twice() && !is_pure(router, packet, &before, &answer))
        violation = FL_CHANGES_ITS_ANSWER;
    note_end();
    view->holds_until = window.holds_until;
    view->rules_asked = window.rules_asked;
    view->violation = (uint8_t)violation;
    view->unplugged_at = window.unplugged_at;
    view->unplugged_port = window.unplugged_port;
    decision->count = violation ? 0 : answer.count;
    decision->reason = violation ? FL_BLOCKED_UP : answer.reason;
    if (roomy && !violation)
        memcpy(decision->candidates, room, answer.count * sizeof *room);
}
