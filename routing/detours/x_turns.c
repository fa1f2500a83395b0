/* X-Turns: across to the wrong digit, to a neighbour through the level below, back, and across
 * again. The thesis goes down to level 0; one level is enough, and for n = 3 it is the same. */
#include "routing/rule.h"

static bool applies(const fl_detour_context *context)
{
    return fl_detour_context_is_forward(context) && context->level > 0;
}

static const char *refuses(const fl_tree *tree)
{
    if (!tree->mirrored)
        return "it crosses between the two groups of a MiKANT or MiCAT, and here no links cross";
    return tree->n < 3 ? "it goes down one level of switches, so n must be at least 3" : NULL;
}

const fl_rule fl_rule_x_turns = {
    .name = "x-turns",
    .summary =
        "X-Turns: across, down, up to a neighbour, back, across; 5 links for 1; only together with gns",
    .source = "Wang thesis, 4.2.3 and Algorithm 2",
    .applies = applies,
    .refuses = refuses,
    .needs = "gns",
    .turns = {{FL_TURN_UP, FL_TURN_NOT_TARGET},
              {FL_TURN_DOWN, FL_TURN_ANY},
              {FL_TURN_UP, FL_TURN_NOT_OWN},
              {FL_TURN_UP, FL_TURN_NOT_OWN},
              {FL_TURN_UP, FL_TURN_TARGET}},
    .turn_count = 5,
};
