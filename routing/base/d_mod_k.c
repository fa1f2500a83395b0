/* Deterministic routing of trees in which no two nodes share a way down (KNS paper, section 4.2 and
 * its reference 18, Gomez et al. 2007; "D-mod-k" of Zahavi 2010). Algorithm 1 of the MiKANT paper
 * chooses the port up at level L by T_L, a digit of the destination's switch, so that all nodes of
 * that switch are reached over one link; here the first choice is by T_{n-1}, the node among those
 * of its switch, and that at level L by T_{L-1}. The link across of a mirrored tree stays Algorithm
 * 1's: towards the other group it sets D_{n-2} for good, and in the own group any other choice
 * would let links across wait for each other in a cycle. */
#include "routing/base/base.h"
#include "routing/detours/detours.h"

extern const fl_router_type fl_router_d_mod_k;

static void next_in_tree(const fl_tree *tree, fl_address destination, fl_view *view,
                         fl_decision *decision)
{
    fl_stage_position at = fl_tree_position(tree, view->here, destination);
    if (at.upward && !at.cross)
        at.ports.target = fl_tree_spread_digit(tree, destination, at.level);
    const fl_port port = (fl_port)(at.ports.base + at.ports.target);
    fl_probe from = fl_view_here(view), far_end;
    if (FL_LIKELY(fl_view_up(view, &from, port, &far_end)))
        fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
    else
        decision->reason = !at.upward && at.level == 0 ? FL_BLOCKED_DESTINATION
                                                       : fl_detours_reason(at.upward, at.cross);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    if (router->network->tree)
        next_in_tree(router->network->tree, packet->destination, view, decision);
    else
        fl_stages_next_spread(router, packet, view, decision);
}

static uint64_t length_bound(const fl_router *router)
{
    const fl_tree *tree = router->network->tree;
    return tree ? 2 * (uint64_t)tree->n : fl_stages_length_bound(router);
}

static bool serves(const fl_network *network)
{
    return fl_stages_in_addresses(network);
}

const fl_router_type fl_router_d_mod_k = {
    .name = "d-mod-k",
    .summary =
        "deterministic routing of trees that spreads the nodes of a switch over its paths: up, then down",
    .source = "KNS paper, section 4.2 (Gomez et al. 2007)",
    .serves = serves,
    .next = next,
    .length_bound = length_bound,
};
