#include "routing/plugin.h"
#include "routing/registry.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The guard in front of a plug-in's router. The routers of this room are tested against a slow
 * reference; of a plug-in's, nobody knows. A port that is not there, a link that is down or was
 * never asked about would not stop a sweep by itself: it would falsify its numbers. So every
 * answer is checked here, whoever asked. */

enum { ROOM = 64, SPARE = 8, SEEN_MAX = 1024 }; /* ways; room for a router that writes past `wanted`; links */

/* The links that the router has seen up in this decision. */
typedef struct seen_links {
    fl_link link[SEEN_MAX];
    unsigned count;
    const fl_view *view; /* of the asker, which may listen too */
} seen_links;

static void hear(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    seen_links *seen = user;
    if (up && seen->count < SEEN_MAX)
        seen->link[seen->count] = link;
    seen->count += up;
    if (seen->view->listener)
        fl_view_tell(seen->view, from, port, link, up);
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

static const char *check_link(const fl_view *view, const seen_links *seen, fl_address from, fl_port port, fl_hop *hop)
{
    if (fl_address_is_node(from))
        return "offers a way that leads on from a node";
    if (port >= view->network->radix || !fl_network_step(view->network, from, port, hop))
        return "offers a port where nothing is plugged in";
    if (fl_order_fails_at(view->order, hop->link) <= view->level)
        return "offers a link that is down";
    return was_seen(seen, hop->link) ? NULL : "offers a link that it has not asked about";
}

static const char *check_way(const fl_router *router, const fl_view *view, const seen_links *seen, const fl_way *way)
{
    if (way->length < 1 || way->length > FL_DETOUR_MAX)
        return "offers a way of no ports, or of too many";
    if (way->length > 1 && view->scope == FL_SCOPE_LOCAL)
        return "offers a link beyond its scope";
    if (way->rule != FL_NO_RULE && way->rule >= fl_rule_count())
        return "names a detour rule that there is not";
    if (way->channel >= router->channels)
        return "offers a virtual channel that there is not";
    fl_hop hop = {.to = view->here};
    for (unsigned i = 0; i < way->length; i++) {
        const char *offence = check_link(view, seen, hop.to, way->ports[i], &hop);
        if (offence)
            return offence;
    }
    return hop.to == way->end ? NULL : "says of a way that it ends where it does not";
}

static const char *check_decision(const fl_router *router, const fl_view *before, const fl_view *view,
                                  const seen_links *seen, const fl_decision *decision)
{
    if (view->peeked)
        return fl_view_offence(view);
    if (view->here != before->here || view->order != before->order || view->network != before->network || view->level != before->level ||
        view->scope != before->scope || view->settings != before->settings)
        return "changes the view";
    if (decision->count > decision->wanted)
        return "offers more ways than were wanted";
    if (decision->count == 0)
        return (unsigned)decision->reason < FL_REASONS ? NULL : "is blocked for a reason that there is not";
    for (unsigned i = 0; i < decision->count; i++) {
        const char *offence = check_way(router, view, seen, &decision->ways[i]);
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

void fl_router_guard(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    fl_way room[ROOM + SPARE];
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
    fl_decision answer = {.wanted = decision->wanted, .ways = roomy ? room : decision->ways, .reason = decision->reason};
    note_start(router);
    router->type->next(router, packet, &window, &answer);
    note_end();
    const char *offence = check_decision(router, &before, &window, &seen, &answer);
    view->holds_until = window.holds_until;
    view->settings_asked = window.settings_asked;
    view->peeked |= offence != NULL;
    view->offence = offence;
    decision->count = offence ? 0 : answer.count;
    decision->reason = offence ? FL_BLOCKED_UP : answer.reason;
    if (roomy && !offence)
        memcpy(decision->ways, room, answer.count * sizeof *room);
}
