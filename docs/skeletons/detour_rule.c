/* A skeleton of a detour rule for trees, explained in docs/add-a-router.md.
 *
 * gdl replaces the faulty link by a walk of 3 links inside its block, over one more switch of each
 * side. This rule takes 5 links, over two more switches of each side. It needs gdl, which is tried
 * first: when gdl has failed, a walk of 5 links that visits a switch twice fails as well, so only
 * walks over different switches are left. */
#include "routing/plugin.h"

static bool applies(const fl_detour_context *context)
{
    return !context->upward && context->level > 0;
}

static const char *refuses(const fl_tree *tree)
{
    return tree->k < 3
               ? "its walk takes three switches of each side of a block, so k must be at least 3"
               : NULL;
}

static const char *idle(const fl_tree *tree)
{
    return tree->top == 0 ? "it replaces a link down between two switches, and there is none"
                          : NULL;
}

const fl_rule fl_rule_gdl_twice = {
    .name = "gdl-twice",
    .summary = "Go-Down-Level, twice around the block; 5 links for 1; only together with gdl",
    .source = "docs/add-a-router.md",
    .applies = applies,
    .refuses = refuses,
    .idle = idle,
    .needs = "gdl",
    .downward = true,
    .turns = {{FL_TURN_DOWN, FL_TURN_NOT_TARGET},
              {FL_TURN_UP, FL_TURN_NOT_OWN},
              {FL_TURN_DOWN, FL_TURN_NOT_TARGET},
              {FL_TURN_UP, FL_TURN_NOT_OWN},
              {FL_TURN_DOWN, FL_TURN_TARGET}},
    .turn_count = 5,
};

/* Makes this a plug-in, a shared object for --plugin. In the tree the macro is empty, and a line in
 * a table takes its place. */
FL_PLUGIN(.name = "gdl-twice", .version = "0.1", FL_PLUGIN_RULES(&fl_rule_gdl_twice));
