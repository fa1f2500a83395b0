/* Go-Down-Level: three links inside the block of the faulty one, on the way down. The thesis
 * writes it for level 1; the block between any two levels is the same. */
#include "routing/rule.h"

static bool applies(const fl_detour_context *context)
{
    return !context->upward && context->level > 0;
}

static const char *idle(const fl_tree *tree)
{
    return tree->top == 0 ? "it replaces a link down between two switches, and there is none"
                          : NULL;
}

const fl_rule fl_rule_gdl = {
    .name = "gdl",
    .summary = "Go-Down-Level: down to another switch, up, down to the right one; 3 links for 1",
    .source = "Wang thesis, 4.2.2",
    .applies = applies,
    .idle = idle,
    .downward = true,
    .turns = {{FL_TURN_DOWN, FL_TURN_NOT_TARGET},
              {FL_TURN_UP, FL_TURN_NOT_OWN},
              {FL_TURN_DOWN, FL_TURN_TARGET}},
    .turn_count = 3,
};
