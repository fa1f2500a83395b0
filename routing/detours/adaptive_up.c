/* The detour rule adaptive-up: another port on the way up. */
#include "routing/rule.h"

/* Any other port up keeps the path minimal below the top of a mirrored tree, and at the top too
 * when source and destination are of one group: every switch across can be the root, since the
 * way down sets every digit again. Towards the other group the cross link sets D_{n-2} for
 * good. In a plain tree every upward step is free. */
static bool applies(const fl_detour_context *context)
{
    return context->upward && (!context->cross || context->same_group);
}

static const char *idle(const fl_tree *tree)
{
    return tree->top == 0 && !tree->mirrored ? "there is no link up" : NULL;
}

const fl_rule fl_rule_adaptive_up = {
    .name = "adaptive-up",
    .summary = "on the way up, another port up: no extra link",
    .source = "this project",
    .applies = applies,
    .idle = idle,
    .turns = {{FL_TURN_UP, FL_TURN_NOT_TARGET}},
    .turn_count = 1,
};
