#include "routing/base.h"

/* Base routing of three-layer fat trees: up and down, and the destination says where up: its
 * number on its switch chooses the aggregation switch, its switch's number in the pod the core,
 * so that all cores serve equally many nodes of a pod. */

extern const fl_router_type fl_router_fat_tree;

static void next(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    const fl_pods *shape = router->network->shape;
    fl_address here = view->here, destination = packet->destination;
    unsigned half = shape->half, pod = fl_pods_second(destination), edge = fl_pods_third(destination), number = fl_pods_number(destination);
    switch (fl_tree_level(here)) {
    case 0:
        if (fl_pods_second(here) == pod && fl_pods_third(here) == edge)
            fl_base_offer(view, decision, number, FL_BLOCKED_DESTINATION);
        else
            fl_base_offer(view, decision, half + number, FL_BLOCKED_UP);
        return;
    case 1:
        if (fl_pods_second(here) == pod)
            fl_base_offer(view, decision, edge, FL_BLOCKED_DOWN);
        else
            fl_base_offer(view, decision, half + edge, FL_BLOCKED_UP);
        return;
    default:
        fl_base_offer(view, decision, pod, FL_BLOCKED_DOWN);
    }
}

static bool serves(const fl_network *network)
{
    return network->family == FL_FAMILY_PODS;
}

const fl_router_type fl_router_fat_tree = {
    .name = "fat-tree",
    .summary = "base routing of three-layer fat trees: up as the destination's digits say, then down",
    .source = "this project",
    .serves = serves,
    .next = next,
    .base = true,
};
