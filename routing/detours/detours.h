/* Private to routing: the evaluation of detour rules, for every base routing that has them. */
#ifndef FL_ROUTING_DETOURS_DETOURS_H
#define FL_ROUTING_DETOURS_DETOURS_H

#include "routing/registry.h"

/* Levels and digits as rules see them: of the tree, of the tree that the network contains, of a
 * subnet of a k-ary n-direct s-indirect network. NULL if the network has no blocks to turn in. */
const fl_tree *fl_detours_tree(const fl_network *network);

/* NULL if the rule can be used on this network; else why not. */
const char *fl_detours_refuse(const fl_network *network, unsigned rule);
/* NULL, or why the rule will never apply on it. */
const char *fl_detours_idle(const fl_network *network, unsigned rule);

/* Base routing's link is down: offers what the first of the enabled rules has that has any. */
void fl_detours_try(const fl_detour_context *context, fl_view *view, fl_decision *decision);

/* The next turn of a packet that is on a detour in scope `local`: its header state is not 0. */
void fl_detours_continue(const fl_packet *packet, fl_view *view, fl_decision *decision);

/* Links that the enabled rules of trees add to a path on which they can replace `ups` links up
 * (or across) and `downs` links down. */
uint64_t fl_detours_extra(const fl_router *router, uint64_t ups, uint64_t downs);
/* Links that they add at most to a path in a whole tree, plain or mirrored: in a mirrored one,
 * between groups, only at the levels where they apply. */
uint64_t fl_detours_extra_in_tree(const fl_router *router, const fl_tree *tree);

/* Can a rule of turns begin at a link up or across from this level, towards the other group of a
 * mirrored tree? */
bool fl_rule_starts_at(const fl_rule *rule, const fl_tree *tree, unsigned level);

/* The header word of a packet that is to take this turn of a rule with an `offer` of its own;
 * `kept` < 2^16. */
uint64_t fl_detours_header_state(unsigned rule, unsigned turn, unsigned kept);

/* Which blocked_* a link that leads so counts as. */
FL_INLINE fl_reason fl_detours_reason(bool up, bool cross)
{
    return !up ? FL_BLOCKED_DOWN : cross ? FL_BLOCKED_CROSS : FL_BLOCKED_UP;
}

/* In a mirrored tree both directions over a top block are up ports; elsewhere the turn back is
 * down. */
FL_INLINE bool fl_turn_goes_up(const fl_detour_context *context, fl_turn_direction direction)
{
    switch (direction) {
    case FL_TURN_BACK:
        return context->tree->mirrored && context->cross;
    case FL_TURN_ASIDE:
        return context->level == 0;
    case FL_TURN_RETURN:
        return context->level > 0;
    case FL_TURN_UP:
    case FL_TURN_DOWN:
    default:
        return direction == FL_TURN_UP;
    }
}

FL_INLINE unsigned fl_turn_level_after(const fl_detour_context *context, fl_turn turn,
                                       unsigned level)
{
    if (!fl_turn_goes_up(context, turn.direction))
        return level - 1;
    return level < context->tree->top ? level + 1 : level;
}

#endif
