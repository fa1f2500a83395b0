/* Private to routing: deterministic base routings decide on one port and have no second choice. */
#ifndef FL_ROUTING_BASE_BASE_H
#define FL_ROUTING_BASE_BASE_H

#include "routing/routing.h"

/* Offers one port of a switch; false if its link is down. For networks that are no trees: the step
 * goes through the pointer, and the code of trees (fl_network_step) takes no registers here. */
FL_INLINE bool fl_base_try(fl_view *view, fl_decision *decision, unsigned port)
{
    const fl_port ports[1] = {(fl_port)port};
    fl_probe at = fl_view_here(view), far_end;
    fl_hop hop;
    bool plugged = view->network->step(view->network, view->here, ports[0], &hop);
    if (FL_UNLIKELY(!fl_view_answer(view, &at, ports[0], plugged ? &hop : NULL, &far_end)))
        return false;
    fl_decision_offer(decision, ports, 1, far_end.at, FL_NO_RULE, 0);
    return true;
}

/* The same, and the reason set where it is down. */
FL_INLINE bool fl_base_offer(fl_view *view, fl_decision *decision, unsigned port, fl_reason reason)
{
    if (fl_base_try(view, decision, port))
        return true;
    decision->reason = reason;
    return false;
}

/* The digit by which paths lead up when nodes of one switch are to be spread over different paths:
 * the node's own digit among those of its switch at level 0, then the digits that lead down to it,
 * in the order in which the way down sets them last. */
FL_INLINE unsigned fl_tree_spread_digit(const fl_tree *tree, fl_address destination, unsigned level)
{
    return fl_tree_digit(tree, destination, level > 0 ? level - 1 : tree->n - 1);
}

/* Base routing where switches stand in stages (fl_stages), at a switch of them, with the detours of
 * the enabled rules where its link is down. */
void fl_stages_route(const fl_network *network, fl_address destination, fl_view *view,
                     fl_decision *decision);

/* The whole of it, cubes included, for a network in stages: up by fl_tree_spread_digit. */
void fl_stages_next_spread(const fl_router *router, const fl_packet *packet, fl_view *view,
                           fl_decision *decision);

/* Its fl_router_type.length_bound. */
uint64_t fl_stages_length_bound(const fl_router *router);

#endif
