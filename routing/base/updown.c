/* Base routing of trees (MiKANT paper, Algorithm 1, as corrected in the Wang thesis) with
 * detour rules where its link is down.
 *
 * At switch <G, L, W>, destination <G_T, T>: up (or across) through port k + T_L while the
 * groups differ or W_{n-2}..W_L != T_{n-2}..T_L; then down through port T_{L-1}; at level 0 to
 * the node through port T_{n-1}. */
#include "routing/detours/detours.h"

extern const fl_router_type fl_router_updown;

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_tree *tree = router->network->tree;
    if (FL_UNLIKELY(packet->header_state != 0)) {
        fl_detours_continue(packet, view, decision);
        return;
    }
    fl_address here = view->here, destination = packet->destination;
    unsigned level = fl_tree_level(here);
    bool same_group = fl_tree_group(here) == fl_tree_group(destination);
    bool upward =
        !same_group || ((here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0;
    unsigned place = upward ? level : level > 0 ? level - 1 : tree->n - 1;
    fl_port port = (fl_port)((upward ? tree->k : 0) + fl_tree_digit(tree, destination, place));
    fl_probe at = fl_view_here(view), far_end;
    if (FL_LIKELY(fl_view_up(view, &at, port, &far_end))) {
        fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
        return;
    }
    if (!upward && level == 0) {
        decision->reason = FL_BLOCKED_DESTINATION;
        return;
    }
    fl_detour_context context = {
        .tree = tree,
        .network = router->network,
        .here = here,
        .destination = destination,
        .level = level,
        .upward = upward,
        .cross = upward && tree->mirrored && level == tree->top,
        .same_group = same_group,
    };
    decision->reason = fl_detours_reason(upward, context.cross);
    fl_detours_try(&context, view, decision);
}

/* The digits that turns run through from 0: FL_TURN_ANY of a rule that starts in `level`. */
static uint64_t anchored_by(const fl_rule *rule, const fl_tree *tree, unsigned level)
{
    fl_detour_context context = {
        .tree = tree, .level = level, .cross = tree->mirrored && level == tree->top};
    uint64_t anchored = 0;
    for (unsigned turn = 0; turn < rule->turn_count; turn++) {
        if (rule->turns[turn].values == FL_TURN_ANY)
            anchored |= UINT64_C(1)
                        << (level - !fl_turn_goes_up(&context, rule->turns[turn].direction));
        level = fl_turn_level_after(&context, rule->turns[turn], level);
    }
    return anchored;
}

uint64_t fl_router_anchored_digits(const fl_router *router)
{
    const fl_tree *tree = router->network->tree;
    if (router->type != &fl_router_updown || router->origin)
        return ~UINT64_C(0); /* a plug-in's rule may apply here and not there */
    uint64_t anchored = 0;
    for (unsigned r = 0; fl_rules[r]; r++)
        for (unsigned level = 0; level <= tree->top && router->enabled_rules >> r & 1; level++)
            if (fl_rule_starts_at(fl_rules[r], tree, level))
                anchored |= anchored_by(fl_rules[r], tree, level);
    return anchored;
}

/* Base routing takes at most 2n links. A detour replaces one of them and ends in the same level, on
 * the right digit, so that no link is replaced twice: in a mirrored tree the one cross link towards
 * the destination's group (gns-any-level: any link on the way there), in a plain tree any of the
 * `top` links up; gdl any of the `top` links down between switches. Where
 * the detours of a plug-in's rule end is not known. */
static uint64_t length_bound(const fl_router *router)
{
    const fl_tree *tree = router->network->tree;
    if (router->origin)
        return 0;
    return 2 * (uint64_t)tree->n + fl_detours_extra_in_tree(router, tree);
}

static bool serves(const fl_network *network)
{
    return network->tree != NULL;
}

const fl_router_type fl_router_updown = {
    .name = "shortest",
    .summary =
        "base routing of trees: up to the nearest common ancestor, then down; detour rules are added with +",
    .source = "MiKANT paper, Algorithm 1; Wang thesis, 4.1",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .equivalent = true,
    .length_bound = length_bound,
    .base = true,
};
