/* Minimal adaptive routing of trees: every port up is as good as the others, since the way down
 * sets every digit again. The requester decides: the packet simulator by free space, a sweep takes
 * the first that is up. Base routing's port stands first, so that without load both routers take
 * the same paths. In a mirrored tree the link across towards the destination's group sets D_{n-2}
 * for good and has no alternative; between nodes of one group any switch across may be the root. A
 * thin tree has k' ports up instead of k. */
#include "routing/routing.h"

/* True when the requester wants no more. */
FL_INLINE bool offer(fl_view *view, unsigned port, fl_decision *decision)
{
    fl_probe at = fl_view_here(view), far_end;
    fl_port p = (fl_port)port;
    return fl_view_up(view, &at, p, &far_end) &&
           fl_decision_offer(decision, &p, 1, far_end.at, FL_NO_RULE, 0);
}

FL_INLINE void route(fl_stage_position at, fl_view *view, fl_decision *decision)
{
    fl_stage_ports ports = at.ports;
    if (!at.upward || (at.cross && !at.same_group)) {
        offer(view, ports.base + ports.target, decision);
    } else {
        unsigned value = ports.target;
        do {
            if (offer(view, ports.base + value, decision))
                return;
            value = value + 1 < ports.values ? value + 1 : 0;
        } while (value != ports.target);
    }
    if (decision->count == 0)
        decision->reason = !at.upward ? (at.level == 0 ? FL_BLOCKED_DESTINATION : FL_BLOCKED_DOWN)
                           : at.cross ? FL_BLOCKED_CROSS
                                      : FL_BLOCKED_UP;
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_network *network = router->network;
    if (FL_LIKELY(!network->type->stages)) {
        route(fl_tree_position(network->levels, view->here, packet->destination), view, decision);
        return;
    }
    fl_stage_position at;
    fl_stages_position(network, view->here, packet->destination, &at);
    route(at, view, decision);
}

static bool serves(const fl_network *network)
{
    return network->tree ||
           (fl_stages_in_addresses(network) && network->levels->groups == 1 && !network->cubes);
}

const fl_router_type fl_router_minimal_adaptive = {
    .name = "minimal-adaptive",
    .summary = "minimal adaptive routing of trees and thin trees: up by any port, then down",
    .source = "KNS paper, 5.1; thin-tree paper, IV.A",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .equivalent = true,
    .offers_all = true,
};
