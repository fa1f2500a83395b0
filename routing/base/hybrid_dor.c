#include "routing/base/base.h"
#include "routing/detours/detours.h"

/* Hybrid-DOR (KNS paper, section 4). Routers: the lowest dimension in which the digits differ
 * comes first. In the subnet of a dimension with t the destination's position: a crossbar leads
 * straight to port t; a switch of a fat tree in stage e takes port k_i + t_e on the way up and
 * t_e on the way down; RUFT has only ways up. */

extern const fl_router_type fl_router_hybrid_dor;

static void route_at_router(const fl_kns *shape, fl_address destination, fl_view *view,
                            fl_decision *decision)
{
    uint64_t difference = (view->here ^ destination) & FL_ADDRESS_DIGITS;
    unsigned dimension = 0;
    if (difference == 0) {
        fl_base_offer(view, decision, (unsigned)(destination >> FL_ADDRESS_LEVEL_SHIFT) & 0x7fff,
                      FL_BLOCKED_DESTINATION);
        return;
    }
    for (; !(difference & shape->digit_mask); difference >>= shape->bits)
        dimension++;
    fl_base_offer(view, decision, shape->p + dimension, FL_BLOCKED_UP);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_kns *shape = router->network->shape;
    fl_address here = view->here;
    if (FL_UNLIKELY(packet->header_state != 0)) {
        fl_detours_continue(packet, view, decision);
        return;
    }
    if (fl_tree_level(here) == 0) {
        route_at_router(shape, packet->destination, view, decision);
        return;
    }
    unsigned stage = fl_tree_level(here) - 1, shift = fl_kns_dimension(here) * shape->bits;
    unsigned own = (unsigned)(here >> shift & shape->digit_mask),
             t = (unsigned)(packet->destination >> shift & shape->digit_mask);
    unsigned port = t / shape->power[stage] % shape->arity;
    bool upward = shape->one_way || own / shape->power[stage] != t / shape->power[stage + 1];
    if (fl_base_offer(view, decision, upward ? shape->arity + port : port,
                      upward ? FL_BLOCKED_UP : FL_BLOCKED_DOWN) ||
        shape->one_way)
        return;
    fl_detour_context context = {.tree = &shape->subnet,
                                 .network = router->network,
                                 .here = here,
                                 .destination = packet->destination,
                                 .level = stage,
                                 .upward = upward,
                                 .same_group = true};
    fl_detours_try(&context, view, decision);
}

/* Two node links, and in every dimension two links of routers and the subnet between them. */
static uint64_t length_bound(const fl_router *router)
{
    const fl_kns *shape = router->network->shape;
    unsigned top = shape->stages - 1;
    return 2 + shape->n * ((shape->one_way ? 1 + shape->stages : 2 * (uint64_t)shape->stages) +
                           fl_detours_extra(router, top, top));
}

static bool serves(const fl_network *network)
{
    return network->family == FL_FAMILY_KNS;
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
