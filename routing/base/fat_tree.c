#include "routing/base/base.h"
#include "routing/detours/detours.h"

/* Base routing of three-layer fat trees: up and down, and the destination says where up: its
 * number on its switch chooses the aggregation switch, its switch's number in the pod the core,
 * so that all cores serve equally many nodes of a pod. */

extern const fl_router_type fl_router_fat_tree;

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_network *network = router->network;
    fl_address here = view->here, destination = packet->destination;
    if (FL_UNLIKELY(packet->header_state != 0)) {
        fl_detours_continue(packet, view, decision);
        return;
    }
    unsigned half = ((const fl_pods *)network->shape)->half, pod = fl_pods_second(destination),
             edge = fl_pods_third(destination);
    unsigned number = fl_pods_number(destination), level = fl_tree_level(here);
    bool same_pod = level < 2 && fl_pods_second(here) == pod,
         same_edge = level == 0 && same_pod && fl_pods_third(here) == edge;
    if (same_edge) {
        fl_base_offer(view, decision, number, FL_BLOCKED_DESTINATION);
        return;
    }
    fl_detour_context context = {.tree = fl_detours_tree(network),
                                 .network = network,
                                 .here = here,
                                 .destination = destination,
                                 .level = level,
                                 .upward = level == 0 || (level == 1 && !same_pod),
                                 .same_group = true};
    unsigned down = level == 1 ? edge : pod, up = half + (level == 0 ? number : edge);
    if (!fl_base_offer(view, decision, context.upward ? up : down,
                       fl_detours_reason(context.upward, false)))
        fl_detours_try(&context, view, decision);
}

static uint64_t length_bound(const fl_router *router)
{
    return 6 + fl_detours_extra(router, 2, 2);
}

static bool serves(const fl_network *network)
{
    return network->family == FL_FAMILY_PODS;
}

const fl_router_type fl_router_fat_tree = {
    .name = "fat-tree",
    .summary =
        "base routing of three-layer fat trees: up as the destination's digits say, then down",
    .source = "this project",
    .serves = serves,
    .next = next,
    .equivalent = true,
    .length_bound = length_bound,
    .base = true,
};
