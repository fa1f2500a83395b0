/* A skeleton of a routing algorithm, explained in docs/add-a-router.md.
 *
 * Source-digit routing on k-ary n-trees and MiKANT. Base routing sets the digit D_L to the
 * destination's on the way up (Wang thesis, Algorithm 1), so packets for one node meet early. This
 * router keeps the source's digits, so packets from one node stay together and those for one node
 * meet late. Both paths are minimal, because the path down sets every digit again. */
#include "routing/plugin.h"

static bool serves(const fl_network *network)
{
    return network->tree != NULL;
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_tree *tree = router->network->tree;
    fl_address here = view->here, destination = packet->destination;
    unsigned level = fl_tree_level(here);
    bool same_group = fl_tree_group(here) == fl_tree_group(destination);
    bool upward =
        !same_group || ((here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0;
    bool cross = upward && tree->mirrored && level == tree->top;

    /* 1. Which port? */
    unsigned digit;
    if (cross && !same_group)
        digit = fl_tree_digit(tree, destination, level); /* sets D_{n-2} for good: no choice */
    else if (upward)
        digit = fl_tree_digit(tree, packet->source, level);
    else
        digit = fl_tree_digit(tree, destination, level > 0 ? level - 1 : tree->n - 1);
    fl_port port = (fl_port)((upward ? tree->k : 0) + digit);

    /* 2. Is its link up? Ask before offering: the view records the question. */
    fl_probe at = fl_view_here(view), far_end;
    if (fl_view_up(view, &at, port, &far_end)) {
        fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, packet->header_state);
        return;
    }

    /* Your idea goes here: ask about other ports, and offer the first that is up. On the way up,
     * every port is correct (unless `cross && !same_group`); the page shows the lines. Several
     * offers are ranked, best first, unless the entry below has `.equivalent = true`: then each is
     * as good as the first. */

    /* 3. If not, give the reason why nothing is offered. */
    if (!upward)
        decision->reason = level == 0 ? FL_BLOCKED_DESTINATION : FL_BLOCKED_DOWN;
    else
        decision->reason = cross ? FL_BLOCKED_CROSS : FL_BLOCKED_UP;
}

const fl_router_type fl_router_source_digit = {
    .name = "source-digit",
    .summary = "like shortest, but keeps the source's digits on the way up",
    .source = "docs/add-a-router.md",
    .serves = serves,
    .next = next,
};

/* Makes this a plug-in, a shared object for --plugin. In the tree the macro is empty, and a line in
 * a table takes its place. */
FL_PLUGIN(.name = "source-digit", .version = "0.1", FL_PLUGIN_ROUTERS(&fl_router_source_digit));
