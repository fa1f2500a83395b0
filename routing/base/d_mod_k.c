/* Deterministic routing of trees in which no two nodes share a way down (KNS paper, section 4.2 and
 * its reference 18, Gomez et al. 2007; "D-mod-k" of Zahavi 2010). Algorithm 1 of the MiKANT paper
 * chooses the port up at level L by T_L, a digit of the destination's switch, so that all nodes of
 * that switch are reached over one link; here the first choice is by T_{n-1}, the node among those
 * of its switch, and that at level L by T_{L-1}. The link across of a mirrored tree stays Algorithm
 * 1's: towards the other group it sets D_{n-2} for good, and in the own group any other choice
 * would let links across wait for each other in a cycle. */
#include "routing/base/base.h"

extern const fl_router_type fl_router_d_mod_k;

static void next_in_tree(const fl_tree *tree, fl_address destination, fl_view *view,
                         fl_decision *decision)
{
    fl_stage_position at = fl_tree_position(tree, view->here, destination);
    if (at.upward && !at.cross)
        at.ports.target = fl_tree_spread_digit(tree, destination, at.level);
    fl_reason reason = !at.upward && at.level == 0 ? FL_BLOCKED_DESTINATION
                       : !at.upward                ? FL_BLOCKED_DOWN
                       : at.cross                  ? FL_BLOCKED_CROSS
                                                   : FL_BLOCKED_UP;
    fl_base_offer(view, decision, at.ports.base + at.ports.target, reason);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    if (router->network->tree)
        next_in_tree(router->network->tree, packet->destination, view, decision);
    else
        fl_stages_next(router, packet, true, view, decision);
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
