/* The slow cases of a step, and the messages about routers that violate the contract. */
#include "routing/step.h"

#include <stdio.h>

/* ---- asking ---- */

static void follow_detour(const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    fl_probe at = fl_view_here(view), far_end;
    fl_port port = packet->detour[packet->detour_left - 1];
    /* A link of the detour may have gone down since the detour was chosen (never while faults
     * stand still). The packet is then stuck: a detour is a promise of the switch that chose it. */
    if (fl_view_up(view, &at, port, &far_end)) {
        fl_decision_offer(decision, &port, 1, far_end.at, packet->rule, packet->header_state);
        decision->candidates[0].turn = packet->turn;
    } else {
        decision->reason = FL_BLOCKED_DOWN;
    }
}

static void choose_channels(const fl_router *router, const fl_packet *packet, fl_address here,
                            fl_decision *decision)
{
    for (unsigned i = 0; i < decision->count; i++) {
        unsigned channel =
            router->vc_assignment->choose(router, packet, here, &decision->candidates[i]);
        decision->candidates[i].channel =
            (uint8_t)(channel < router->channels ? channel : router->channels - 1);
    }
}

void fl_step_ask_any(const fl_router *router, const fl_packet *packet, fl_view *view,
                     fl_decision *decision)
{
    decision->count = 0;
    if (FL_UNLIKELY(fl_step_leaves_node(router->network, view->here)))
        fl_step_leave_node(view, decision);
    else if (packet->detour_left > 0)
        follow_detour(packet, view, decision);
    else
        router->next(router, packet, view, decision);
    if (router->vc_assignment && !fl_address_is_node(view->here))
        choose_channels(router, packet, view->here, decision);
}

/* ---- violations ---- */

_Static_assert(FL_STEPS_MAX == 4096 && FL_QUESTIONS_MAX == 4096 && FL_DETOUR_MAX == 7,
               "the texts of violations name them");

static fl_status fail(const fl_router *router, fl_address here, const char *what, fl_error *error)
{
    char label[FL_LABEL_MAX];
    router->network->type->label(router->network, here, label, sizeof label);
    return fl_fail(error, FL_ERR_ROUTER, "the router '%s'%s%s %s at %s", router->name,
                   router->origin ? " of " : "", router->origin ? router->origin : "", what, label);
}

fl_status fl_step_fail(const fl_router *router, fl_address here, fl_violation violation,
                       fl_error *error)
{
    return fail(router, here, fl_violation_text(violation), error);
}

fl_status fl_step_fail_view(const fl_router *router, const fl_view *view, fl_error *error)
{
    char what[FL_LABEL_MAX + 80], label[FL_LABEL_MAX];
    if (view->violation != FL_ASKS_EMPTY_PORT)
        return fl_step_fail(router, view->here, (fl_violation)view->violation, error);
    router->network->type->label(router->network, view->unplugged_at, label, sizeof label);
    bool elsewhere = view->unplugged_at != view->here;
    snprintf(what, sizeof what, "asks about port %u%s%s, where nothing is plugged in,",
             view->unplugged_port, elsewhere ? " of " : "", elsewhere ? label : "");
    return fail(router, view->here, what, error);
}
