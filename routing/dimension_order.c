#include "routing/base.h"

/* Dimension order on meshes, tori, flattened butterflies and hypercubes (e-cube there): the
 * lowest dimension in which the digits differ comes first (KNS paper, section 4.1, for the
 * order). Round a ring the shorter way; the increasing one when both are equally long. */

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

static void next(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    const fl_grid *grid = router->network->shape;
    fl_address here = view->here, destination = packet->destination;
    uint64_t difference = (here ^ destination) & FL_ADDRESS_DIGITS;
    if (difference == 0) {
        fl_base_offer(view, decision, fl_grid_node_number(destination), FL_BLOCKED_DESTINATION);
        return;
    }
    unsigned dimension = 0;
    while (!(difference & grid->digit_mask)) {
        difference >>= grid->bits;
        dimension++;
    }
    unsigned port = line_port(grid, fl_grid_digit(grid, here, dimension), fl_grid_digit(grid, destination, dimension));
    fl_base_offer(view, decision, grid->p + dimension * grid->line_ports + port, FL_BLOCKED_CROSS);
}

static bool serves(const fl_network *network)
{
    return network->family == FL_FAMILY_GRID;
}

const fl_router_type fl_router_dimension_order = {
    .name = "dimension-order",
    .summary = "base routing of meshes, tori, flattened butterflies and hypercubes: one dimension after the other",
    .source = "KNS paper, section 4.1",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .base = true,
};
