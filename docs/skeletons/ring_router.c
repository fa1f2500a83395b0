/* A skeleton of a routing algorithm with header state: docs/add-a-network.md uses it on the ring.
 *
 * The shorter way round; where the link ahead is down, back and the other way round, once. The
 * packet's header state is its direction: 0 not yet chosen, else the port, plus TURNED
 * after it has turned back. */
#include "routing/plugin.h"

#include <string.h>

enum { NODE_PORT, NEXT_PORT, PREVIOUS_PORT, TURNED = 4 };

static bool serves(const fl_network *network)
{
    return strcmp(network->type->name, "ring") == 0;
}

static fl_port shorter_way(const fl_network *network, fl_address here, fl_address destination)
{
    uint64_t k = network->nodes, from = network->type->switch_index(network, here);
    uint64_t ahead = (network->type->node_index(network, destination) + k - from) % k;
    return 2 * ahead <= k ? NEXT_PORT : PREVIOUS_PORT;
}

/* Offers the port if its link is up. */
static bool offer(fl_view *view, fl_decision *decision, fl_port port, uint64_t header_state)
{
    fl_probe at = fl_view_here(view), far_end;
    if (!fl_view_up(view, &at, port, &far_end))
        return false;
    fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, header_state);
    return true;
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_network *network = router->network;
    if (network->type->switch_index(network, view->here) ==
        network->type->node_index(network, packet->destination)) {
        if (!offer(view, decision, NODE_PORT, packet->header_state))
            decision->reason = FL_BLOCKED_DESTINATION;
        return;
    }
    bool turned = (packet->header_state & TURNED) != 0;
    fl_port port = (fl_port)(packet->header_state & 3);
    if (port == NODE_PORT)
        port = shorter_way(network, view->here, packet->destination);
    if (offer(view, decision, port, packet->header_state ? packet->header_state : port))
        return;
    fl_port back = port == NEXT_PORT ? PREVIOUS_PORT : NEXT_PORT;
    if (turned || !offer(view, decision, back, TURNED | back))
        decision->reason = FL_BLOCKED_CROSS;
}

const fl_router_type fl_router_ring = {
    .name = "turn-back",
    .summary = "the shorter way round a ring; back and the other way where a link is down",
    .source = "docs/add-a-network.md",
    .serves = serves,
    .next = next,
};
