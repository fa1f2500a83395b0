#include "routing/registry.h"

#include <string.h>

extern const fl_router_type fl_router_updown;

/* Base routing of trees (MiKANT paper, Algorithm 1, as corrected in the Wang thesis) with
 * detour rules where its link is down.
 *
 * At switch <G, L, W>, destination <G_T, T>: up (or across) through port k + T_L while the
 * groups differ or W_{n-2}..W_L != T_{n-2}..T_L; then down through port T_{L-1}; at level 0 to
 * the node through port T_{n-1}. */

/* ---- turns ---- */

/* In a mirrored tree both ways over a top block are up ports; elsewhere the way back is down. */
static bool goes_up(const fl_trouble *trouble, fl_turn_direction direction)
{
    return direction == FL_TURN_UP || (direction == FL_TURN_BACK && trouble->tree->mirrored && trouble->cross);
}

/* The ports of one turn from a switch in `level`. */
FL_INLINE fl_choice choice_of_turn(const fl_trouble *trouble, fl_turn turn, unsigned level, fl_address own)
{
    const fl_tree *tree = trouble->tree;
    bool up = goes_up(trouble, turn.direction);
    unsigned k = tree->k, place = level - !up, base = up ? k : 0; /* the digit that the turn writes */
    unsigned target = fl_tree_digit(tree, trouble->destination, place);
    switch (turn.values) {
    case FL_TURN_ANY:
        return (fl_choice){0, k, base, k};
    case FL_TURN_TARGET:
        return (fl_choice){target, 1, base, k};
    case FL_TURN_NOT_TARGET:
        return (fl_choice){target + 1, k - 1, base, k};
    case FL_TURN_NOT_OWN:
    default:
        return (fl_choice){fl_tree_digit(tree, own, place) + 1, k - 1, base, k};
    }
}

static unsigned level_after(const fl_trouble *trouble, fl_turn turn, unsigned level)
{
    if (!goes_up(trouble, turn.direction))
        return level - 1;
    return level < trouble->tree->top ? level + 1 : level;
}

/* ---- scope `detour`: the first detour whose links are all up ---- */

typedef struct search {
    const fl_trouble *trouble;
    const fl_rule *rule;
    unsigned rule_number;
    fl_view *view;
    fl_decision *decision;
    fl_port ports[FL_DETOUR_MAX];
} search;

/* Depth first is the order of the nested loops, with what cannot lead on left out: a turn whose
 * link is down is not asked about again for every choice of the later turns. */
static bool extend(search *s, unsigned turn, fl_probe at)
{
    fl_choice choice = choice_of_turn(s->trouble, s->rule->turns[turn], fl_tree_level(at.at), s->trouble->here);
    for (unsigned i = 0; i < choice.count; i++) {
        fl_probe beyond;
        s->ports[turn] = fl_choice_port(&choice, i);
        if (!fl_view_up(s->view, &at, s->ports[turn], &beyond))
            continue;
        if (turn + 1u < s->rule->turn_count) {
            if (extend(s, turn + 1, beyond))
                return true;
        } else if (fl_decision_offer(s->decision, s->ports, turn + 1, beyond.at, s->rule_number, 0)) {
            return true;
        }
    }
    return false;
}

/* The same search, answered by the asker. */
static void let_search(search *s)
{
    fl_choice choices[FL_DETOUR_MAX];
    fl_address end;
    unsigned level = s->trouble->level, count = s->rule->turn_count;
    for (unsigned turn = 0; turn < count; turn++) {
        choices[turn] = choice_of_turn(s->trouble, s->rule->turns[turn], level, s->trouble->here);
        level = level_after(s->trouble, s->rule->turns[turn], level);
    }
    if (s->view->searcher->search(s->view->searcher, choices, count, s->ports, &end))
        fl_decision_offer(s->decision, s->ports, count, end, s->rule_number, 0);
}

/* ---- scope `local`: one turn after the other ---- */

/* The header word of a packet on a local detour: what Algorithm 2 keeps (W_{n-2} and W_0, in
 * general the two digits of the starting switch that its block and the one below write), and
 * where the packet stands in which rule. 0: on no detour. */
typedef struct local_state {
    unsigned rule, turn, level, digit_at_level, digit_below;
    bool cross;
} local_state;

static uint64_t encode(const local_state *state)
{
    return 1 | (uint64_t)state->cross << 1 | (uint64_t)state->rule << 4 | (uint64_t)state->turn << 8 |
           (uint64_t)state->level << 16 | (uint64_t)state->digit_at_level << 24 | (uint64_t)state->digit_below << 40;
}

static local_state decode(uint64_t word)
{
    return (local_state){
        .cross = word >> 1 & 1,
        .rule = word >> 4 & 0xf,
        .turn = word >> 8 & 0xff,
        .level = word >> 16 & 0xff,
        .digit_at_level = word >> 24 & 0xffff,
        .digit_below = word >> 40 & 0xffff,
    };
}

/* The digits of the starting switch, as far as the header keeps them. */
static fl_address own_digits(const fl_tree *tree, const local_state *state)
{
    fl_address own = (uint64_t)state->digit_at_level << (state->level * tree->bits);
    return state->level > 0 ? own | (uint64_t)state->digit_below << ((state->level - 1) * tree->bits) : own;
}

/* Offers the first ports of a turn that are up, with the header for the turn after it. */
static void offer_turn(const fl_trouble *trouble, local_state state, fl_address own, fl_view *view, fl_decision *decision)
{
    const fl_rule *rule = fl_rules[state.rule];
    fl_choice choice = choice_of_turn(trouble, rule->turns[state.turn], fl_tree_level(view->here), own);
    unsigned turn = state.turn++;
    bool enough = false;
    uint64_t memory = state.turn < rule->turn_count ? encode(&state) : 0;
    fl_probe here = fl_view_here(view), beyond;
    for (unsigned i = 0; i < choice.count && !enough; i++) {
        fl_port port = fl_choice_port(&choice, i);
        if (!fl_view_up(view, &here, port, &beyond))
            continue;
        enough = fl_decision_offer(decision, &port, 1, beyond.at, state.rule, memory);
        decision->ways[decision->count - 1].turn = (uint8_t)turn;
    }
}

static fl_reason reason_of(bool up, bool cross)
{
    return !up ? FL_BLOCKED_DOWN : cross ? FL_BLOCKED_CROSS : FL_BLOCKED_UP;
}

/* A packet in the middle of a local detour: committed to it, blocked at a dead end. */
static void continue_local(const fl_tree *tree, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    local_state state = decode(packet->memory);
    fl_trouble trouble = {.tree = tree, .here = view->here, .destination = packet->destination, .cross = state.cross};
    offer_turn(&trouble, state, own_digits(tree, &state), view, decision);
    bool up = goes_up(&trouble, fl_rules[state.rule]->turns[state.turn].direction);
    decision->reason = reason_of(up, tree->mirrored && fl_tree_level(view->here) == tree->top);
}

/* ---- rules ---- */

static void start_local(const fl_trouble *trouble, unsigned rule, fl_view *view, fl_decision *decision)
{
    const fl_tree *tree = trouble->tree;
    local_state state = {
        .rule = rule,
        .level = trouble->level,
        .cross = trouble->cross,
        .digit_at_level = fl_tree_digit(tree, trouble->here, trouble->level),
        .digit_below = trouble->level > 0 ? fl_tree_digit(tree, trouble->here, trouble->level - 1) : 0,
    };
    offer_turn(trouble, state, trouble->here, view, decision);
}

/* Would a turn lead down from a switch of level 0? */
static bool leads_out(const fl_trouble *trouble, const fl_rule *rule)
{
    unsigned level = trouble->level;
    for (unsigned turn = 0; turn < rule->turn_count; turn++) {
        if (level == 0 && !goes_up(trouble, rule->turns[turn].direction))
            return true;
        level = level_after(trouble, rule->turns[turn], level);
    }
    return false;
}

/* A plug-in's rule sees the destination's switch, and not which of its nodes it is: routers of trees
 * are switch_to_switch. What the rules here never do, it may: lead out of the tree. */
static bool plugin_rule_applies(const fl_trouble *trouble, const fl_rule *rule, fl_view *view)
{
    fl_trouble seen = *trouble;
    seen.destination &= ~(trouble->tree->digit_mask << trouble->tree->node_shift);
    if (!rule->applies(&seen))
        return false;
    if (leads_out(trouble, rule)) {
        view->peeked = true;
        view->offence = "has a detour rule that leads down from the lowest level";
        return false;
    }
    return true;
}

static void try_rules(const fl_trouble *trouble, fl_view *view, fl_decision *decision)
{
    search s = {.trouble = trouble, .view = view, .decision = decision};
    for (unsigned r = 0; fl_rules[r] && decision->count < decision->wanted; r++) {
        const fl_rule *rule = fl_rules[r];
        bool applies = FL_LIKELY(!fl_rule_origins[r]) ? rule->applies(trouble)
                                                      : fl_view_setting(view, UINT64_C(1) << r) && plugin_rule_applies(trouble, rule, view);
        if (!applies || !fl_view_setting(view, UINT64_C(1) << r))
            continue;
        s.rule = rule;
        s.rule_number = r;
        if (view->scope == FL_SCOPE_LOCAL)
            start_local(trouble, r, view, decision);
        else if (view->searcher)
            let_search(&s);
        else
            extend(&s, 0, fl_view_here(view));
        /* Ways of one rule are equally right; a later rule is a worse answer. */
        if (decision->count > 0)
            return;
    }
}

/* ---- base routing ---- */

static void next(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    const fl_tree *tree = router->network->tree;
    if (FL_UNLIKELY(packet->memory != 0)) {
        continue_local(tree, packet, view, decision);
        return;
    }
    fl_address here = view->here, destination = packet->destination;
    unsigned level = fl_tree_level(here);
    bool same_group = fl_tree_group(here) == fl_tree_group(destination);
    bool upward = !same_group || ((here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0;
    unsigned place = upward ? level : level > 0 ? level - 1 : tree->n - 1;
    fl_port port = (fl_port)((upward ? tree->k : 0) + fl_tree_digit(tree, destination, place));
    fl_probe at = fl_view_here(view), beyond;
    if (FL_LIKELY(fl_view_up(view, &at, port, &beyond))) {
        fl_decision_offer(decision, &port, 1, beyond.at, FL_NO_RULE, 0);
        return;
    }
    if (!upward && level == 0) {
        decision->reason = FL_BLOCKED_DESTINATION;
        return;
    }
    fl_trouble trouble = {
        .tree = tree,
        .here = here,
        .destination = destination,
        .level = level,
        .upward = upward,
        .cross = upward && tree->mirrored && level == tree->top,
        .same_group = same_group,
    };
    decision->reason = reason_of(upward, trouble.cross);
    try_rules(&trouble, view, decision);
}

/* The digits that turns run through from 0: FL_TURN_ANY of a rule that starts in `level`. (Such
 * rules start at the top of a mirrored tree, and below the top of a plain one.) */
static uint64_t anchored_by(const fl_rule *rule, const fl_tree *tree, unsigned level)
{
    fl_trouble trouble = {.tree = tree, .cross = tree->mirrored && level == tree->top};
    uint64_t anchored = 0;
    for (unsigned turn = 0; turn < rule->turn_count; turn++) {
        if (rule->turns[turn].values == FL_TURN_ANY)
            anchored |= UINT64_C(1) << (level - !goes_up(&trouble, rule->turns[turn].direction));
        level = level_after(&trouble, rule->turns[turn], level);
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
        for (unsigned level = 1; level <= tree->top && router->settings >> r & 1; level++)
            if (tree->mirrored == (level == tree->top))
                anchored |= anchored_by(fl_rules[r], tree, level);
    return anchored;
}

static bool serves(const fl_network *network)
{
    return network->tree != NULL;
}

const fl_router_type fl_router_updown = {
    .name = "shortest",
    .summary = "base routing of trees: up to the nearest common ancestor, then down; detour rules are added with +",
    .source = "MiKANT paper, Algorithm 1; Wang thesis, 4.1",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .base = true,
};
