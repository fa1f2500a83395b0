/* Base routing of networks whose switches stand in stages, or are trees in part or nearly: Clos
 * networks, thin trees, fat trees of pods and cores, CAT and MiCAT, and whatever else offers its
 * stages (fl_stages). */
#include "routing/base/base.h"
#include "routing/detours/detours.h"

extern const fl_router_type fl_router_tree_cube, fl_router_fat_tree;

/* The network says which ports lead up and down and which of them base routing takes: in a tree
 * those of the MiKANT paper, Algorithm 1, up from level L through port k + T_L while the groups
 * differ or W_{n-2}..W_L != T_{n-2}..T_L; then down through port T_{L-1}, at level 0 through
 * T_{n-1}. */
FL_INLINE void route(const fl_network *network, fl_stage_position at, fl_address destination,
                     fl_view *view, fl_decision *decision)
{
    bool delivers = !at.upward && at.level == 0 && !network->grid;
    if (fl_base_offer(view, decision, at.ports.base + at.ports.target,
                      delivers ? FL_BLOCKED_DESTINATION : fl_detours_reason(at.upward, at.cross)) ||
        delivers || !fl_detours_tree(network))
        return;
    fl_detour_context context = {.tree = network->levels,
                                 .network = network,
                                 .here = view->here,
                                 .destination = destination,
                                 .level = at.level,
                                 .upward = at.upward,
                                 .cross = at.cross,
                                 .same_group = at.same_group,
                                 .side = at.side};
    fl_detours_try(&context, view, decision);
}

FL_INLINE bool route_in_stages(const fl_network *network, fl_address destination, fl_view *view,
                               fl_decision *decision)
{
    fl_stage_position at;
    if (!fl_stages_position(network, view->here, destination, &at))
        return false;
    route(network, at, destination, view, decision);
    return true;
}

bool fl_stages_route(const fl_network *network, fl_address destination, fl_view *view,
                     fl_decision *decision)
{
    return route_in_stages(network, destination, view, decision);
}

static void route_spread(const fl_network *network, fl_address destination, fl_view *view,
                         fl_decision *decision)
{
    fl_stage_position at;
    fl_stages_position(network, view->here, destination, &at);
    if (at.upward && !at.cross)
        at.ports.target =
            fl_tree_spread_digit(network->levels, destination, at.level) % at.ports.values;
    route(network, at, destination, view, decision);
}

/* Number of the lowest bit that is set. */
static unsigned lowest(unsigned bits)
{
    unsigned place = 0;
    for (; !(bits & 1); bits >>= 1)
        place++;
    return place;
}

/* By e-cube, the lowest bit first, which the Wang thesis leaves open. */
static void route_in_cube(const fl_network *network, unsigned differ, fl_address destination,
                          fl_view *view, fl_decision *decision)
{
    const fl_cubes *cubes = network->type->cubes;
    fl_detour_context context = {.tree = network->levels,
                                 .network = network,
                                 .here = view->here,
                                 .destination = destination};
    if (differ == 0)
        fl_base_offer(view, decision, cubes->node_port(network, destination),
                      FL_BLOCKED_DESTINATION);
    else if (!fl_base_offer(view, decision, cubes->port(network, view->here, lowest(differ)),
                            FL_BLOCKED_CROSS))
        fl_detours_try(&context, view, decision);
}

void fl_stages_next(const fl_router *router, const fl_packet *packet, bool spread, fl_view *view,
                    fl_decision *decision)
{
    const fl_network *network = router->network;
    fl_address destination = packet->destination;
    unsigned differ;
    if (FL_UNLIKELY(packet->header_state != 0))
        fl_detours_continue(packet, view, decision);
    else if (network->cube_dimensions &&
             network->type->cubes->differ(network, view->here, destination, &differ))
        route_in_cube(network, differ, destination, view, decision);
    else if (spread)
        route_spread(network, destination, view, decision);
    else if (!network->type->stages)
        route(network, fl_tree_position(network->levels, view->here, destination), destination,
              view, decision);
    else
        route_in_stages(network, destination, view, decision);
}

/* As in a tree (updown.c). In a cube, a link for each dimension, each a dimension less to go; with
 * adaptive-ecube 3 for each but the one at the longest distance, which leaves no dimension to go
 * around by. */
uint64_t fl_stages_length_bound(const fl_router *router)
{
    const fl_tree *tree = router->network->levels;
    uint64_t cube = router->network->cube_dimensions;
    bool around = false;
    for (unsigned r = 0; fl_rules[r]; r++)
        around |= fl_rules[r]->offer && router->enabled_rules >> r & 1;
    if (cube && around)
        cube = 3 * cube - 2;
    uint64_t bound = 2 * (uint64_t)tree->n + fl_detours_extra_in_tree(router, tree);
    return bound + (tree->n == 1 ? 1 : 2) * cube;
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    fl_stages_next(router, packet, false, view, decision);
}

/* In subnets of a grid, stages are a part of hybrid_dor.c. */
static bool is_in_stages(const fl_network *network)
{
    return network->levels && !network->grid;
}

static bool goes_by_node(const fl_network *network)
{
    return network->type->stages && network->type->stages->by_node;
}

static bool serves_by_switch(const fl_network *network)
{
    return is_in_stages(network) && !goes_by_node(network);
}

static bool serves_by_node(const fl_network *network)
{
    return is_in_stages(network) && goes_by_node(network);
}

const fl_router_type fl_router_tree_cube = {
    .name = "tree-cube",
    .summary =
        "base routing of networks in stages (Clos, thin trees, CAT, MiCAT): up, then down, and e-cube in cubes",
    .source =
        "MiKANT paper, Algorithm 1; Wang thesis, 2.1 (e-cube: this project); thin-tree paper, III",
    .serves = serves_by_switch,
    .next = next,
    .switch_to_switch = true,
    .equivalent = true,
    .length_bound = fl_stages_length_bound,
    .base = true,
};

/* The same where the destination node, and not its switch alone, says which port leads up. */
const fl_router_type fl_router_fat_tree = {
    .name = "fat-tree",
    .summary =
        "base routing of three-layer fat trees: up as the destination's digits say, then down",
    .source = "this project",
    .serves = serves_by_node,
    .next = next,
    .equivalent = true,
    .length_bound = fl_stages_length_bound,
    .base = true,
};
