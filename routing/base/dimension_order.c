/* Dimension order on meshes, tori, flattened butterflies and hypercubes (e-cube there): the
 * lowest dimension in which the digits differ comes first (KNS paper, section 4.1, for the
 * order). Round a ring in the shorter direction; the increasing one when both are equally long. */
#include "routing/base/base.h"
#include "routing/detours/detours.h"

extern const fl_router_type fl_router_dimension_order;

static unsigned line_port(const fl_grid *grid, unsigned from, unsigned to)
{
    if (grid->line == FL_LINE_CLIQUE)
        return to < from ? to : to - 1;
    if (grid->line == FL_LINE_ARRAY)
        return to > from;
    unsigned ahead = to > from ? to - from : to + grid->k - from;
    return 2 * ahead <= grid->k;
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_grid *grid = router->network->grid;
    fl_address here = view->here, destination = packet->destination;
    uint64_t difference = (here ^ destination) & FL_ADDRESS_DIGITS;
    if (FL_UNLIKELY(packet->header_state != 0)) {
        fl_detours_continue(packet, view, decision);
        return;
    }
    if (difference == 0) {
        fl_base_offer(view, decision, fl_grid_node_number(destination), FL_BLOCKED_DESTINATION);
        return;
    }
    unsigned dimension = 0;
    while (!(difference & grid->digit_mask)) {
        difference >>= grid->bits;
        dimension++;
    }
    unsigned port = line_port(grid, fl_grid_digit(grid, here, dimension),
                              fl_grid_digit(grid, destination, dimension));
    if (fl_base_offer(view, decision, grid->p + dimension * grid->line_ports + port,
                      FL_BLOCKED_CROSS) ||
        !router->network->cubes)
        return;
    fl_detour_context context = {.tree = &router->network->tree_storage,
                                 .network = router->network,
                                 .here = here,
                                 .destination = destination};
    fl_detours_try(&context, view, decision);
}

/* Every dimension once; with adaptive-ecube, 3 links for each but the one at distance n, which
 * leaves no dimension to go around by. */
static uint64_t length_bound(const fl_router *router)
{
    const fl_grid *grid = router->network->grid;
    uint64_t n = grid->n, line = grid->line == FL_LINE_ARRAY  ? grid->k - 1
                                 : grid->line == FL_LINE_RING ? grid->k / 2
                                                              : 1;
    return 2 + (router->enabled_rules ? 3 * n - 2 : n * line);
}

static bool serves(const fl_network *network)
{
    return network->grid && network->grid->line != FL_LINE_SUBNET;
}

const fl_router_type fl_router_dimension_order = {
    .name = "dimension-order",
    .summary =
        "base routing of meshes, tori, flattened butterflies and hypercubes: one dimension after the other",
    .source = "KNS paper, section 4.1",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .equivalent = true,
    .length_bound = length_bound,
    .base = true,
};
