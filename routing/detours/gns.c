/* Go-Neighbor-Switch: down, up to a neighbour in the same level, and over the neighbour's own
 * link in a parallel block. Needs a level below. */
#include "routing/rule.h"

static bool applies(const fl_detour_context *context)
{
    return fl_detour_context_is_forward(context) && context->level > 0;
}

static const char *refuses(const fl_tree *tree)
{
    return tree->mirrored && tree->n < 3
               ? "it goes down one level of switches first, so n must be at least 3"
               : NULL;
}

static const char *idle(const fl_tree *tree)
{
    return tree->top < 2 && !tree->mirrored ? "no switch has both a level above and a level below"
                                            : NULL;
}

const fl_rule fl_rule_gns = {
    .name = "gns",
    .summary =
        "Go-Neighbor-Switch: down, up to a neighbour, then the neighbour's link; 3 links for 1",
    .source = "Wang thesis, 4.2.1",
    .applies = applies,
    .refuses = refuses,
    .idle = idle,
    .turns = {{FL_TURN_DOWN, FL_TURN_ANY},
              {FL_TURN_UP, FL_TURN_NOT_OWN},
              {FL_TURN_UP, FL_TURN_TARGET}},
    .turn_count = 3,
};
