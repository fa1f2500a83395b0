#include "routing/routing.h"

/* Minimal adaptive routing of trees: every way up is as good as the others, since the way down sets
 * every digit again. Which of them, the asker decides: the packet simulator by free space, a sweep
 * takes the first that is up. Base routing's port stands first, so that without load both routers
 * take the same paths. In a mirrored tree the link across towards the destination's group sets
 * D_{n-2} for good and has no alternative; between nodes of one group any switch across may be the
 * root. A thin tree has k' ports up instead of k. */

static const fl_tree_like *thin_tree_of(const fl_network *network)
{
    const fl_tree_like *shape = network->family == FL_FAMILY_TREE_LIKE ? network->shape : NULL;
    return shape && shape->kind == FL_TREE_THIN ? shape : NULL;
}

/* True when the asker wants no more. */
FL_INLINE bool offer(fl_view *view, unsigned port, fl_decision *decision)
{
    fl_probe at = fl_view_here(view), far_end;
    fl_port p = (fl_port)port;
    return fl_view_up(view, &at, p, &far_end) &&
           fl_decision_offer(decision, &p, 1, far_end.at, FL_NO_RULE, 0);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_tree_like *thin = thin_tree_of(router->network);
    const fl_tree *tree = thin ? &thin->tree : router->network->tree;
    fl_address here = view->here, destination = packet->destination;
    unsigned level = fl_tree_level(here), k = tree->k, up = thin ? thin->up : k;
    bool same_group = fl_tree_group(here) == fl_tree_group(destination);
    bool upward =
        !same_group || ((here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0;
    bool cross = upward && tree->mirrored && level == tree->top;
    unsigned place = upward ? level : level > 0 ? level - 1 : tree->n - 1;
    unsigned digit = fl_tree_digit(tree, destination, place);
    if (!upward || (cross && !same_group)) {
        offer(view, (upward ? k : 0) + digit, decision);
    } else {
        unsigned first = digit % up, value = first;
        do {
            if (offer(view, k + value, decision))
                return;
            value = value + 1 < up ? value + 1 : 0;
        } while (value != first);
    }
    if (decision->count == 0)
        decision->reason = !upward ? (level == 0 ? FL_BLOCKED_DESTINATION : FL_BLOCKED_DOWN)
                           : cross ? FL_BLOCKED_CROSS
                                   : FL_BLOCKED_UP;
}

static bool serves(const fl_network *network)
{
    return network->tree != NULL || thin_tree_of(network) != NULL;
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
