#include "routing/plugin.h"
#include "routing/registry.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The guard in front of a plug-in's router. The routers of this room are tested against a slow
 * reference; of a plug-in's, nobody knows. A port that is not there, a link that is down or was
 * never asked about would not stop a sweep by itself: it would falsify its numbers. So every
 * answer is checked here, whoever asked. */

enum {
    ROOM = 64,
    SPARE = 8,
    SEEN_MAX = 1024
}; /* ways; room for a router that writes past `wanted`; links */
enum { ASKED_TWICE_FIRST = 1000, ASKED_TWICE_EVERY = 64 }; /* decisions of a thread: see is_pure */

/* The links that the router has seen up in this decision. */
typedef struct seen_links {
    fl_link link[SEEN_MAX];
    unsigned count;
    const fl_view *view; /* of the asker, which may listen too; NULL: nobody else listens */
} seen_links;

static void hear(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    seen_links *seen = user;
    if (up && seen->count < SEEN_MAX)
        seen->link[seen->count] = link;
    seen->count += up;
    if (seen->view && seen->view->listener)
        fl_view_report(seen->view, from, port, link, up);
}

static bool was_seen(const seen_links *seen, fl_link link)
{
    if (seen->count > SEEN_MAX)
        return true; /* nobody knows; that it is up is checked all the same */
    for (unsigned i = 0; i < seen->count; i++)
        if (seen->link[i] == link)
            return true;
    return false;
}

static const char *check_link(const fl_view *view, const seen_links *seen, fl_address from,
                              fl_port port, fl_hop *hop)
{
    bool node = fl_address_is_node(from);
    if (node && from != view->here)
        return "offers a way that leads on from a node";
    if (port >= (node ? view->network->node_ports : view->network->radix) ||
        !fl_network_step(view->network, from, port, hop))
        return "offers a port where nothing is plugged in";
    if (fl_order_fails_at(view->order, hop->link) <= view->fault_point)
        return "offers a link that is down";
    return was_seen(seen, hop->link) ? NULL : "offers a link that it has not asked about";
}

static const char *check_candidate(const fl_router *router, const fl_view *view,
                                   const seen_links *seen, const fl_candidate *candidate)
{
    if (candidate->length < 1 || candidate->length > FL_DETOUR_MAX)
        return "offers a way of no ports, or of too many";
    if (candidate->length > 1 && view->scope == FL_SCOPE_LOCAL)
        return "offers a link beyond its scope";
    if (candidate->rule != FL_NO_RULE && candidate->rule >= fl_rule_count())
        return "names a detour rule that there is not";
    if (candidate->channel >= router->channels)
        return "offers a virtual channel that there is not";
    fl_hop hop = {.to = view->here};
    for (unsigned i = 0; i < candidate->length; i++) {
        const char *offence = check_link(view, seen, hop.to, candidate->ports[i], &hop);
        if (offence)
            return offence;
    }
    return hop.to == candidate->end ? NULL : "says of a way that it ends where it does not";
}

/* A source node's only link is not a router's business; with several ports the router is asked at
 * the node, too. */
static const char *check_reason(fl_reason reason, bool at_node)
{
    if (reason == FL_REASONS)
        return "offers nothing and gives no reason (set decision->reason)";
    if (reason == FL_BLOCKED_SOURCE && !at_node)
        return "gives FL_BLOCKED_SOURCE as its reason, which is never a router's,";
    return (unsigned)reason < FL_REASONS ? NULL : "is blocked for a reason that there is not";
}

static const char *check_decision(const fl_router *router, const fl_view *before,
                                  const fl_view *view, const seen_links *seen,
                                  const fl_decision *decision)
{
    if (view->peeked)
        return fl_view_offence(view);
    if (view->here != before->here || view->order != before->order ||
        view->network != before->network || view->fault_point != before->fault_point ||
        view->scope != before->scope || view->enabled_rules != before->enabled_rules)
        return "changes the view";
    if (decision->count > decision->wanted)
        return "offers more ways than were wanted";
    if (decision->count == 0)
        return check_reason(decision->reason, fl_address_is_node(view->here));
    for (unsigned i = 0; i < decision->count; i++) {
        const char *offence = check_candidate(router, view, seen, &decision->candidates[i]);
        if (offence)
            return offence;
    }
    return NULL;
}

/* ---- who is at what ---- */

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

/* The first decisions of a thread, and a few of the later ones, are asked for twice: whoever keeps
 * something from one call to the next, or draws lots, is soon found out. Decisions with room for
 * very many ways are left alone. */
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
    seen_links seen;
    seen.count = 0;
    seen.view = NULL;
    fl_view window = *before;
    window.listener_user = &seen;
    fl_decision again = {.wanted = answer->wanted, .candidates = room, .reason = FL_REASONS};
    return decide(router, packet, &window, &again) && is_same_answer(answer, &again);
}

void fl_router_guard(const fl_router *router, const fl_packet *packet, fl_view *view,
                     fl_decision *decision)
{
    fl_candidate room[ROOM + SPARE];
    bool roomy = decision->wanted <= ROOM;
    seen_links seen;
    seen.count = 0;
    seen.view = view;
    /* Whoever answers whole searches cannot know what a plug-in would ask: it asks link by link. */
    fl_view window = *view, before;
    window.searcher = NULL;
    window.listener = hear;
    window.listener_user = &seen;
    before = window;
    fl_decision answer = {.wanted = decision->wanted,
                          .candidates = roomy ? room : decision->candidates,
                          .reason = FL_REASONS};
    note_start(router);
    bool kept = decide(router, packet, &window, &answer);
    const char *offence = check_decision(router, &before, &window, &seen, &answer);
    if (!kept)
        offence = "writes to the packet's header, which it may only read";
    if (!offence && roomy && is_asked_twice() && !is_pure(router, packet, &before, &answer))
        offence = "gives two answers to the same question (it must be pure)";
    note_end();
    view->holds_until = window.holds_until;
    view->rules_asked = window.rules_asked;
    view->peeked |= offence != NULL;
    view->offence = offence;
    view->unplugged_at = window.unplugged_at;
    view->unplugged_port = window.unplugged_port;
    decision->count = offence ? 0 : answer.count;
    decision->reason = offence ? FL_BLOCKED_UP : answer.reason;
    if (roomy && !offence)
        memcpy(decision->candidates, room, answer.count * sizeof *room);
}
