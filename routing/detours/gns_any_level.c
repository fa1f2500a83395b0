/* Go-Neighbor-Switch where Algorithm 2 of the Wang thesis asks for it: its only condition is that
 * the groups differ, which holds in every level of the source's group, while the prose is about the
 * cross link (gns). From level 0 the path to a neighbour leads over a switch above. */
#include "routing/rule.h"

static bool applies(const fl_detour_context *context)
{
    return fl_detour_context_is_outward(context);
}

static const char *refuses(const fl_tree *tree)
{
    return tree->mirrored && tree->n < 3
               ? "with less than two levels of switches in a group it would be three-turn, so n must be at least 3"
               : NULL;
}

static const char *idle(const fl_tree *tree)
{
    return tree->top == 0 ? "there is no link up" : NULL;
}

const fl_rule fl_rule_gns_any_level = {
    .name = "gns-any-level",
    .summary =
        "gns in every level of the source's group, by way of the level above from level 0; 3 links for 1",
    .source = "Wang thesis, Algorithm 2",
    .applies = applies,
    .refuses = refuses,
    .idle = idle,
    .covers = "gns",
    .turns = {{FL_TURN_ASIDE, FL_TURN_ANY},
              {FL_TURN_RETURN, FL_TURN_NOT_OWN},
              {FL_TURN_UP, FL_TURN_TARGET}},
    .turn_count = 3,
};
