/* Base routing of networks whose switches stand in stages, or are trees in part or nearly: Clos
 * networks, thin trees, fat trees of pods and cores, CAT and MiCAT, and whatever else offers its
 * stages (fl_stages). */
#include "routing/base/base.h"
#include "routing/detours/detours.h"

extern const fl_router_type fl_router_tree_cube, fl_router_fat_tree;

/* The dimensions that a packet has still to cross in its cube; false where it is in none. */
FL_INLINE bool is_in_cube(const fl_network *network, fl_address here, fl_address destination,
                          unsigned *differ)
{
    return network->cubes && fl_cubes_differ(network->cubes, here, destination, differ);
}

/* Number of the lowest bit that is set. */
static unsigned lowest(unsigned bits)
{
    unsigned place = 0;
    for (; !(bits & 1); bits >>= 1)
        place++;
    return place;
}

/* The link of base routing is down: a detour, or the reason. */
FL_COLD static void go_around(const fl_network *network, fl_address destination, fl_view *view,
                              fl_decision *decision)
{
    unsigned differ = 0;
    fl_stage_position at = {.level = 0};
    bool in_cube = is_in_cube(network, view->here, destination, &differ);
    if (!in_cube)
        fl_stages_position(network, view->here, destination, &at);
    bool delivers = in_cube ? differ == 0 : !at.upward && at.level == 0 && !network->grid;
    decision->reason = delivers  ? FL_BLOCKED_DESTINATION
                       : in_cube ? FL_BLOCKED_CROSS
                                 : fl_detours_reason(at.upward, at.cross);
    if (delivers || !fl_detours_tree(network))
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

/* By e-cube, the lowest bit first, which the Wang thesis leaves open. */
FL_INLINE unsigned port_in_cube(const fl_network *network, fl_address here, fl_address destination,
                                unsigned differ)
{
    return differ == 0 ? fl_cubes_node_port(network->cubes, destination)
                       : fl_cubes_port(network->cubes, here, lowest(differ));
}

/* As base routing, but up by fl_tree_spread_digit. */
static unsigned spread_port(const fl_network *network, fl_address here, fl_address destination)
{
    fl_stage_position at = {.level = 0};
    fl_stages_position(network, here, destination, &at);
    if (at.upward && !at.cross)
        at.ports.target =
            fl_tree_spread_digit(network->levels, destination, at.level) % at.ports.values;
    return at.ports.base + at.ports.target;
}

FL_INLINE void route(const fl_network *network, unsigned port, fl_address destination,
                     fl_view *view, fl_decision *decision)
{
    if (FL_UNLIKELY(!fl_base_try(view, decision, port)))
        go_around(network, destination, view, decision);
}

/* The network says which ports lead up and down and which of them base routing takes: in a tree
 * those of the MiKANT paper, Algorithm 1, up from level L through port k + T_L while the groups
 * differ or W_{n-2}..W_L != T_{n-2}..T_L; then down through port T_{L-1}, at level 0 through
 * T_{n-1}. */
void fl_stages_route(const fl_network *network, fl_address destination, fl_view *view,
                     fl_decision *decision)
{
    route(network, fl_stages_port(network, view->here, destination), destination, view, decision);
}

FL_INLINE void next_in_stages(const fl_router *router, const fl_packet *packet, bool spread,
                              fl_view *view, fl_decision *decision)
{
    const fl_network *network = router->network;
    fl_address here = view->here, destination = packet->destination;
    unsigned differ;
    if (FL_UNLIKELY(packet->header_state != 0)) {
        fl_detours_continue(packet, view, decision);
        return;
    }
    unsigned port = is_in_cube(network, here, destination, &differ)
                        ? port_in_cube(network, here, destination, differ)
                    : spread ? spread_port(network, here, destination)
                             : fl_stages_port(network, here, destination);
    route(network, port, destination, view, decision);
}

void fl_stages_next_spread(const fl_router *router, const fl_packet *packet, fl_view *view,
                           fl_decision *decision)
{
    next_in_stages(router, packet, true, view, decision);
}

/* As in a tree (updown.c). In a cube, a link for each dimension, each a dimension less to go; with
 * adaptive-ecube 3 for each but the one at the longest distance, which leaves no dimension to go
 * around by. */
uint64_t fl_stages_length_bound(const fl_router *router)
{
    const fl_tree *tree = router->network->levels;
    uint64_t cube = router->network->cubes ? router->network->cubes->dimensions : 0;
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
    next_in_stages(router, packet, false, view, decision);
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
