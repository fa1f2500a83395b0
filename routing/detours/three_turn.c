/* Three-Turn: three links inside the block of the faulty one. */
#include "routing/rule.h"

static bool applies(const fl_detour_context *context)
{
    return fl_detour_context_is_forward(context);
}

static const char *idle(const fl_tree *tree)
{
    return tree->top == 0 && !tree->mirrored ? "there is no link up" : NULL;
}

const fl_rule fl_rule_three_turn = {
    .name = "three-turn",
    .summary = "Three-Turn: over, back to another switch, over again; 3 links for 1",
    .source = "Wang thesis, 4.2.4",
    .applies = applies,
    .idle = idle,
    .turns = {{FL_TURN_UP, FL_TURN_NOT_TARGET},
              {FL_TURN_BACK, FL_TURN_NOT_OWN},
              {FL_TURN_UP, FL_TURN_TARGET}},
    .turn_count = 3,
};
