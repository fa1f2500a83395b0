/* Hybrid-DOR (KNS paper, section 4). Routers: the lowest dimension in which the digits differ
 * comes first. In the subnet of a dimension with t the destination's position: a crossbar leads
 * straight to port t; a switch of a fat tree in stage e takes port k_i + t_e on the way up and
 * t_e on the way down; RUFT has only ways up. */
#include "routing/base/base.h"
#include "routing/detours/detours.h"

extern const fl_router_type fl_router_hybrid_dor;

static void route_at_router(const fl_grid *grid, fl_address destination, fl_view *view,
                            fl_decision *decision)
{
    uint64_t difference = (view->here ^ destination) & FL_ADDRESS_DIGITS;
    unsigned dimension = 0;
    if (difference == 0) {
        fl_base_offer(view, decision, fl_grid_node_number(destination), FL_BLOCKED_DESTINATION);
        return;
    }
    for (; !(difference & grid->digit_mask); difference >>= grid->bits)
        dimension++;
    fl_base_offer(view, decision, grid->p + dimension, FL_BLOCKED_UP);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    if (FL_UNLIKELY(packet->header_state != 0))
        fl_detours_continue(packet, view, decision);
    else if (fl_tree_level(view->here) == 0)
        route_at_router(router->network->grid, packet->destination, view, decision);
    else
        fl_stages_route(router->network, packet->destination, view, decision);
}

/* Two node links, and in every dimension two links of routers and the subnet between them. */
static uint64_t length_bound(const fl_router *router)
{
    const fl_network *network = router->network;
    uint64_t stages = network->levels ? network->levels->n : 1, top = stages - 1;
    return 2 + network->grid->n * ((network->one_way ? 1 + stages : 2 * stages) +
                                   fl_detours_extra(router, top, top));
}

static bool serves(const fl_network *network)
{
    return network->grid && network->grid->line == FL_LINE_SUBNET;
}

const fl_router_type fl_router_hybrid_dor = {
    .name = "hybrid-dor",
    .summary =
        "base routing of k-ary n-direct s-indirect networks: dimension order, and up and down in the subnets",
    .source = "KNS paper, section 4",
    .serves = serves,
    .next = next,
    .length_bound = length_bound,
    .switch_to_switch = true,
    .equivalent = true,
    .base = true,
};
