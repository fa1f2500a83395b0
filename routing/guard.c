#include "routing/registry.h"

#include <string.h>

/* The guard in front of a plug-in's router. The routers of this room are tested against a slow
 * reference; of a plug-in's, nobody knows. A port that is not there, a link that is down or was
 * never asked about would not stop a sweep by itself: it would falsify its numbers. So every
 * answer is checked here, whoever asked. */

enum { ROOM = 64, SPARE = 8 }; /* ways; a router that writes past `wanted` finds some room there */

static const char *check_link(const fl_view *view, fl_address from, fl_port port, fl_hop *hop)
{
    if (fl_address_is_node(from))
        return "offers a way that leads on from a node";
    if (port >= view->network->radix || !fl_network_step(view->network, from, port, hop))
        return "offers a port where nothing is plugged in";
    uint32_t fails_at = fl_order_fails_at(view->order, hop->link);
    if (fails_at <= view->level)
        return "offers a link that is down";
    /* The view keeps the smallest of those that were asked about and up. */
    return fails_at < view->holds_until ? "offers a link that it has not asked about" : NULL;
}

static const char *check_way(const fl_router *router, const fl_view *view, const fl_way *way)
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
        const char *offence = check_link(view, hop.to, way->ports[i], &hop);
        if (offence)
            return offence;
    }
    return hop.to == way->end ? NULL : "says of a way that it ends where it does not";
}

static const char *check_decision(const fl_router *router, const fl_view *before, const fl_view *view, const fl_decision *decision)
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
        const char *offence = check_way(router, view, &decision->ways[i]);
        if (offence)
            return offence;
    }
    return NULL;
}

void fl_router_guard(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    fl_way room[ROOM + SPARE];
    bool roomy = decision->wanted <= ROOM;
    /* Whoever answers whole searches cannot know what a plug-in would ask: it asks link by link. */
    fl_view seen = *view;
    seen.searcher = NULL;
    fl_view before = seen;
    fl_decision answer = {.wanted = decision->wanted, .ways = roomy ? room : decision->ways, .reason = decision->reason};
    router->type->next(router, packet, &seen, &answer);
    const char *offence = check_decision(router, &before, &seen, &answer);
    view->holds_until = seen.holds_until;
    view->settings_asked = seen.settings_asked;
    view->peeked |= offence != NULL;
    view->offence = offence;
    decision->count = offence ? 0 : answer.count;
    decision->reason = offence ? FL_BLOCKED_UP : answer.reason;
    if (roomy && !offence)
        memcpy(decision->ways, room, answer.count * sizeof *room);
}
