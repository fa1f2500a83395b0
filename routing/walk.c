/* One packet from end to end. */
#include "routing/walk.h"

/* Takes the first link of the only candidate, if it is up. */
static fl_status travel(const fl_router *router, fl_view *view, fl_packet *packet,
                        const fl_candidate *candidate, fl_walk_listener *listener, void *user,
                        fl_error *error)
{
    fl_address from = view->here;
    fl_hop hop;
    fl_violation violation = fl_step_take(router, packet, from, candidate, &hop);
    if (!violation && !fl_step_is_up(view, hop.link))
        violation = FL_OFFERS_DOWN_LINK;
    if (violation)
        return fl_step_fail(router, from, violation, error);
    if (listener)
        listener(user, &(fl_walk_hop){from, hop.to, candidate->ports[0], hop.link, candidate->rule,
                                      candidate->channel, candidate});
    view->here = hop.to;
    return FL_OK;
}

fl_status fl_walk(const fl_router *router, fl_view *view, fl_address source, fl_address destination,
                  fl_walk_listener *listener, void *user, fl_walk_result *out, fl_error *error)
{
    fl_packet packet = {.source = source, .destination = destination};
    fl_candidate candidate;
    fl_decision decision = {.wanted = 1, .candidates = &candidate};
    *out = (fl_walk_result){0};
    if (!router->next)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is a limit, not a router: it has no paths to walk", router->name);
    view->here = source;
    do {
        if (out->hops >= FL_STEPS_MAX)
            return fl_step_fail(router, view->here, FL_NEVER_ENDS, error);
        if (!fl_step_ask(router, &packet, view, &decision)) {
            out->reason = decision.reason;
            return view->violation ? fl_step_fail_view(router, view, error) : FL_OK;
        }
        fl_status status = travel(router, view, &packet, &candidate, listener, user, error);
        if (status)
            return status;
        out->hops++;
    } while (view->here != destination);
    out->delivered = true;
    out->length = out->hops;
    return FL_OK;
}
