/* Private to routing: deterministic base routings decide on one port and have no second choice. */
#ifndef FL_ROUTING_BASE_BASE_H
#define FL_ROUTING_BASE_BASE_H

#include "routing/routing.h"

/* Offers one port; false, and the reason set, if its link is down. */
FL_INLINE bool fl_base_offer(fl_view *view, fl_decision *decision, unsigned port, fl_reason reason)
{
    fl_port ports[1] = {(fl_port)port};
    fl_probe at = fl_view_here(view), far_end;
    if (FL_UNLIKELY(!fl_view_up(view, &at, ports[0], &far_end))) {
        decision->reason = reason;
        return false;
    }
    fl_decision_offer(decision, ports, 1, far_end.at, FL_NO_RULE, 0);
    return true;
}

/* The digit by which paths lead up when nodes of one switch are to be spread over different paths:
 * the node's own digit among those of its switch at level 0, then the digits that lead down to it,
 * in the order in which the way down sets them last. */
FL_INLINE unsigned fl_tree_spread_digit(const fl_tree *tree, fl_address destination, unsigned level)
{
    return fl_tree_digit(tree, destination, level > 0 ? level - 1 : tree->n - 1);
}

/* Base routing where switches stand in stages (fl_stages), at a switch of them, with the detours of
 * the enabled rules where its link is down. False: `here` is no switch of the stages. */
bool fl_stages_route(const fl_network *network, fl_address destination, fl_view *view,
                     fl_decision *decision);

/* The whole of it, cubes included, for a network in stages. `spread`: up by fl_tree_spread_digit.
 */
void fl_stages_next(const fl_router *router, const fl_packet *packet, bool spread, fl_view *view,
                    fl_decision *decision);

/* Its fl_router_type.length_bound. */
uint64_t fl_stages_length_bound(const fl_router *router);

#endif
