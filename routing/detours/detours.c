/* Detour rules where the link of base routing is down: one evaluation of the rules for all networks
 * whose stages form blocks. What differs between these, which ports a turn has to choose from and
 * how a switch's digits are packed, they define themselves (fl_stages). */
#include "routing/detours/detours.h"

/* ---- turns ---- */

/* The ports of one turn from a switch in `level`. */
FL_INLINE fl_port_range port_range_of_turn(const fl_detour_context *context, fl_turn turn,
                                           unsigned level, uint64_t own)
{
    const fl_tree *tree = context->tree;
    bool up = fl_turn_goes_up(context, turn.direction);
    unsigned place = level - !up; /* the digit that the turn writes */
    fl_stage_ports ports = {up ? tree->k : 0, tree->k,
                            fl_tree_digit(tree, context->destination, place)};
    if (FL_UNLIKELY(!context->network->tree))
        ports = fl_stages_ports(context->network, context->here, context->destination, level, up,
                                context->side);
    unsigned k = ports.values, base = ports.base;
    switch (turn.values) {
    case FL_TURN_ANY:
        return (fl_port_range){0, k, base, k};
    case FL_TURN_TARGET:
        return (fl_port_range){ports.target, 1, base, k};
    case FL_TURN_NOT_TARGET:
        return (fl_port_range){ports.target + 1, k - 1, base, k};
    case FL_TURN_NOT_OWN:
    default:
        return (fl_port_range){fl_tree_digit(tree, own, place) + 1, k - 1, base, k};
    }
}

/* The digits of the switch where a detour starts, packed as context->tree does. */
FL_INLINE uint64_t own_digits(const fl_detour_context *context)
{
    return FL_LIKELY(context->network->tree != NULL)
               ? context->here
               : fl_stages_digits(context->network, context->here);
}

/* ---- scope `detour`: the first detour whose links are all up ---- */

typedef struct search {
    const fl_detour_context *context;
    const fl_rule *rule;
    unsigned rule_number;
    uint64_t own;
    fl_view *view;
    fl_decision *decision;
    fl_port ports[FL_DETOUR_MAX];
} search;

/* Depth first is the order of the nested loops, with what cannot lead on left out: a turn whose
 * link is down is not asked about again for every choice of the later turns. */
static bool extend(search *s, unsigned turn, unsigned level, fl_probe at)
{
    fl_turn now = s->rule->turns[turn];
    fl_port_range port_range = port_range_of_turn(s->context, now, level, s->own);
    for (unsigned i = 0; i < port_range.count; i++) {
        fl_probe far_end;
        s->ports[turn] = fl_port_range_at(&port_range, i);
        if (!fl_view_up(s->view, &at, s->ports[turn], &far_end))
            continue;
        if (turn + 1u < s->rule->turn_count) {
            if (extend(s, turn + 1, fl_turn_level_after(s->context, now, level), far_end))
                return true;
        } else if (fl_decision_offer(s->decision, s->ports, turn + 1, far_end.at, s->rule_number,
                                     0)) {
            return true;
        }
    }
    return false;
}

/* The same search, done by the requester. */
static void let_search(search *s)
{
    fl_port_range port_ranges[FL_DETOUR_MAX];
    fl_address end;
    unsigned level = s->context->level, count = s->rule->turn_count;
    for (unsigned turn = 0; turn < count; turn++) {
        port_ranges[turn] = port_range_of_turn(s->context, s->rule->turns[turn], level, s->own);
        if (port_ranges[turn].count == 0)
            return; /* in a thin tree with one link up */
        level = fl_turn_level_after(s->context, s->rule->turns[turn], level);
    }
    if (s->view->searcher->search(s->view->searcher, port_ranges, count, s->ports, &end))
        fl_decision_offer(s->decision, s->ports, count, end, s->rule_number, 0);
}

/* ---- scope `local`: one turn after the other ---- */

/* The header word of a packet on a local detour: what Algorithm 2 keeps (W_{n-2} and W_0, in
 * general the two digits of the starting switch that its block and the one below write), and
 * where the packet stands in which rule. 0: on no detour. */
typedef struct local_state {
    unsigned rule, turn, level, digit_at_level, digit_below;
    unsigned side; /* of the starting switch (fl_stage_position) */
    bool cross;
} local_state;

static uint64_t encode(const local_state *state)
{
    return 1 | (uint64_t)state->cross << 1 | (uint64_t)state->side << 2 |
           (uint64_t)state->rule << 4 | (uint64_t)state->turn << 8 | (uint64_t)state->level << 16 |
           (uint64_t)state->digit_at_level << 24 | (uint64_t)state->digit_below << 40;
}

static local_state decode(uint64_t word)
{
    return (local_state){
        .cross = word >> 1 & 1,
        .side = word >> 2 & 1,
        .rule = word >> 4 & 0xf,
        .turn = word >> 8 & 0xff,
        .level = word >> 16 & 0xff,
        .digit_at_level = word >> 24 & 0xffff,
        .digit_below = word >> 40 & 0xffff,
    };
}

uint64_t fl_detours_header_state(unsigned rule, unsigned turn, unsigned kept)
{
    return encode(&(local_state){.rule = rule, .turn = turn, .digit_at_level = kept});
}

/* The digits of the starting switch, as far as the header keeps them. */
static uint64_t kept_digits(const fl_tree *tree, const local_state *state)
{
    uint64_t own = (uint64_t)state->digit_at_level << (state->level * tree->bits);
    return state->level > 0
               ? own | (uint64_t)state->digit_below << ((state->level - 1) * tree->bits)
               : own;
}

/* Where the packet stands before its next turn. */
static unsigned level_of_turn(const fl_detour_context *context, const local_state *state)
{
    unsigned level = state->level;
    for (unsigned turn = 0; turn < state->turn; turn++)
        level = fl_turn_level_after(context, fl_rules[state->rule]->turns[turn], level);
    return level;
}

/* Offers the first ports of a turn that are up, with the header for the turn after it. */
static void offer_turn(const fl_detour_context *context, local_state state, unsigned level,
                       uint64_t own, fl_view *view, fl_decision *decision)
{
    const fl_rule *rule = fl_rules[state.rule];
    fl_port_range port_range = port_range_of_turn(context, rule->turns[state.turn], level, own);
    unsigned turn = state.turn++;
    bool enough = false;
    uint64_t header_state = state.turn < rule->turn_count ? encode(&state) : 0;
    fl_probe here = fl_view_here(view), far_end;
    for (unsigned i = 0; i < port_range.count && !enough; i++) {
        fl_port port = fl_port_range_at(&port_range, i);
        if (!fl_view_up(view, &here, port, &far_end))
            continue;
        enough = fl_decision_offer(decision, &port, 1, far_end.at, state.rule, header_state);
        decision->candidates[decision->count - 1].turn = (uint8_t)turn;
    }
}

/* A packet in the middle of a local detour: committed to it, blocked at a dead end. */
void fl_detours_continue(const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    local_state state = decode(packet->header_state);
    const fl_rule *rule = fl_rules[state.rule];
    const fl_tree *tree = fl_detours_tree(view->network);
    fl_detour_context context = {.tree = tree,
                                 .network = view->network,
                                 .here = view->here,
                                 .destination = packet->destination,
                                 .level = state.level,
                                 .upward = !rule->downward,
                                 .cross = state.cross,
                                 .side = state.side};
    if (rule->offer) {
        rule->offer(&context, state.rule, state.turn, state.digit_at_level, view, decision);
        return;
    }
    unsigned level = level_of_turn(&context, &state);
    offer_turn(&context, state, level, kept_digits(tree, &state), view, decision);
    bool up = fl_turn_goes_up(&context, rule->turns[state.turn].direction);
    decision->reason = fl_detours_reason(up, tree->mirrored && level == tree->top);
}

static void start_local(const fl_detour_context *context, unsigned rule, uint64_t own,
                        fl_view *view, fl_decision *decision)
{
    const fl_tree *tree = context->tree;
    local_state state = {
        .rule = rule,
        .level = context->level,
        .cross = context->cross,
        .side = context->side,
        .digit_at_level = fl_tree_digit(tree, own, context->level),
        .digit_below = context->level > 0 ? fl_tree_digit(tree, own, context->level - 1) : 0,
    };
    offer_turn(context, state, context->level, own, view, decision);
}

/* ---- rules ---- */

/* Would a turn lead down from a switch of level 0? */
static bool leads_out(const fl_detour_context *context, const fl_rule *rule)
{
    unsigned level = context->level;
    for (unsigned turn = 0; turn < rule->turn_count; turn++) {
        if (level == 0 && !fl_turn_goes_up(context, rule->turns[turn].direction))
            return true;
        level = fl_turn_level_after(context, rule->turns[turn], level);
    }
    return false;
}

/* A plug-in's rule sees the destination's switch, and not which of its nodes it is: routers of
 * trees are switch_to_switch. What the rules here never do, it may: lead out of the tree. */
static bool plugin_rule_applies(const fl_detour_context *context, const fl_rule *rule,
                                fl_view *view)
{
    fl_detour_context seen = *context;
    seen.destination &= ~(context->tree->digit_mask << context->tree->node_shift);
    if (!rule->applies(&seen))
        return false;
    if (leads_out(context, rule)) {
        fl_view_violate(view, FL_LEADS_OUT);
        return false;
    }
    return true;
}

void fl_detours_try(const fl_detour_context *context, fl_view *view, fl_decision *decision)
{
    search s; /* but for the ports, which a search fills in */
    s.context = context;
    s.own = own_digits(context);
    s.view = view;
    s.decision = decision;
    for (unsigned r = 0; fl_rules[r] && decision->count < decision->wanted; r++) {
        const fl_rule *rule = fl_rules[r];
        bool applies = FL_LIKELY(!fl_rule_origins[r])
                           ? rule->applies(context)
                           : fl_view_rule_enabled(view, UINT64_C(1) << r) &&
                                 plugin_rule_applies(context, rule, view);
        if (!applies || !fl_view_rule_enabled(view, UINT64_C(1) << r))
            continue;
        s.rule = rule;
        s.rule_number = r;
        if (FL_UNLIKELY(rule->offer != NULL))
            rule->offer(context, r, 0, 0, view, decision);
        else if (view->scope == FL_SCOPE_LOCAL)
            start_local(context, r, s.own, view, decision);
        else if (view->searcher)
            let_search(&s);
        else
            extend(&s, 0, context->level, fl_view_here(view));
        /* Candidates of one rule are equally right; a later rule is a worse answer. */
        if (decision->count > 0)
            return;
    }
}

/* ---- which rules a network has ---- */

const fl_tree *fl_detours_tree(const fl_network *network)
{
    return network->no_detours ? NULL : network->levels;
}

const char *fl_detours_refuse(const fl_network *network, unsigned r)
{
    const fl_rule *rule = fl_rules[r];
    const fl_tree *tree = fl_detours_tree(network);
    if (rule->offer)
        return network->cubes
                   ? NULL
                   : "it replaces links of the cubes of CAT and MiCAT, and of hypercubes of up to 20 dimensions";
    if (!tree)
        return network->no_detours
                   ? network->no_detours
                   : "its links do not form complete bipartite blocks between stages of switches, inside which detours turn";
    if (fl_rule_origins[r] && !network->tree)
        return "rules of plug-ins are for k-ary n-trees and MiKANT only";
    return rule->refuses ? rule->refuses(tree) : NULL;
}

const char *fl_detours_idle(const fl_network *network, unsigned r)
{
    const fl_rule *rule = fl_rules[r];
    const fl_tree *tree = fl_detours_tree(network);
    const char *idle = rule->idle ? rule->idle(tree) : NULL;
    bool single = !rule->offer && tree->up == 1;
    return idle     ? idle
           : single ? "a switch has one link up, and a detour needs a second one"
                    : NULL;
}

bool fl_rule_starts_at(const fl_rule *rule, const fl_tree *tree, unsigned level)
{
    const fl_detour_context context = {.tree = tree,
                                       .level = level,
                                       .upward = true,
                                       .cross = tree->mirrored && level == tree->top};
    return !rule->downward && !rule->offer && (level < tree->top || context.cross) &&
           rule->applies(&context);
}

/* The longest detour that an enabled rule can take in place of a link up from `level`. */
static uint64_t extra_at(const fl_router *router, const fl_tree *tree, unsigned level)
{
    uint64_t most = 0;
    for (unsigned r = 0; fl_rules[r]; r++)
        if (router->enabled_rules >> r & 1 && fl_rule_extra_links(r) > most &&
            fl_rule_starts_at(fl_rules[r], tree, level))
            most = fl_rule_extra_links(r);
    return most;
}

uint64_t fl_detours_extra_in_tree(const fl_router *router, const fl_tree *tree)
{
    uint64_t extra = fl_detours_extra(router, tree->mirrored ? 0 : tree->top, tree->top);
    for (unsigned level = 0; tree->mirrored && level <= tree->top; level++)
        extra += extra_at(router, tree, level);
    return extra;
}

uint64_t fl_detours_extra(const fl_router *router, uint64_t ups, uint64_t downs)
{
    uint64_t up_extra = 0, down_extra = 0;
    for (unsigned r = 0; fl_rules[r]; r++) {
        if (!(router->enabled_rules & UINT64_C(1) << r) || fl_rules[r]->offer)
            continue;
        uint64_t extra = fl_rule_extra_links(r),
                 *side = fl_rules[r]->downward ? &down_extra : &up_extra;
        *side = extra > *side ? extra : *side;
    }
    return ups * up_extra + downs * down_extra;
}
