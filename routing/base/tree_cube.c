#include "routing/base/base.h"
#include "routing/detours/detours.h"

/* Base routing of networks that are trees in part or nearly.
 *
 * In the tree: MiKANT paper, Algorithm 1. Up from level L through port k + T_L while the groups
 * differ or W_{n-2}..W_L != T_{n-2}..T_L; then down through port T_{L-1}, at level 0 through
 * T_{n-1}. In a Clos network the middle stage leads down to the destination's group; a thin tree
 * has up port T_L mod k' only. In the cubes of CAT and MiCAT: to the leaf switch (corner 0) while
 * the destination is in another cube, else to its corner (Wang thesis, 2.1: a label's D does not
 * change in the cube, nor its C in the tree); by e-cube, the lowest bit first, which the thesis
 * leaves open. */

extern const fl_router_type fl_router_tree_cube;

static bool in_same_group(const fl_tree_like *shape, fl_address here, fl_address destination)
{
    bool middle = shape->kind == FL_TREE_CLOS && fl_tree_level(here) == shape->tree.top;
    return middle || fl_tree_group(here) == fl_tree_group(destination);
}

/* Number of the lowest bit that is set. */
static unsigned lowest(unsigned bits)
{
    unsigned place = 0;
    for (; !(bits & 1); bits >>= 1)
        place++;
    return place;
}

static void route_in_cube(const fl_network *network, unsigned corner, unsigned target,
                          fl_address destination, fl_view *view, fl_decision *decision)
{
    const fl_tree_like *shape = network->shape;
    fl_detour_context context = {
        .tree = &shape->tree, .network = network, .here = view->here, .destination = destination};
    if (corner == target)
        fl_base_offer(view, decision,
                      (unsigned)(destination >> shape->number_shift & shape->tree.digit_mask),
                      FL_BLOCKED_DESTINATION);
    else if (!fl_base_offer(view, decision, fl_cube_port(shape, corner, lowest(corner ^ target)),
                            FL_BLOCKED_CROSS))
        fl_detours_try(&context, view, decision);
}

static void route_in_tree(const fl_network *network, fl_address destination, bool spread,
                          fl_view *view, fl_decision *decision)
{
    const fl_tree_like *shape = network->shape;
    const fl_tree *tree = &shape->tree;
    fl_detour_context context = {
        .tree = tree, .network = network, .here = view->here, .destination = destination};
    unsigned level = context.level = fl_tree_level(view->here), port;
    context.same_group = in_same_group(shape, view->here, destination);
    context.upward = !context.same_group ||
                     ((view->here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0;
    context.cross = context.upward && tree->mirrored && level == tree->top;
    if (context.upward && spread && !context.cross)
        port = tree->k + fl_tree_spread_digit(tree, destination, level) % shape->up;
    else if (context.upward)
        port = tree->k + fl_tree_digit(tree, destination, level) % shape->up;
    else
        port = fl_tree_digit(tree, destination, level > 0 ? level - 1 : tree->n - 1);
    if (!context.upward && shape->kind == FL_TREE_CLOS && level == tree->top)
        port += tree->k * fl_tree_group(destination);
    bool last = !context.upward && level == 0;
    if (!fl_base_offer(view, decision, port,
                       last ? FL_BLOCKED_DESTINATION
                            : fl_detours_reason(context.upward, context.cross)) &&
        !last)
        fl_detours_try(&context, view, decision);
}

void fl_tree_cube_next(const fl_router *router, const fl_packet *packet, bool spread, fl_view *view,
                       fl_decision *decision)
{
    const fl_tree_like *shape = router->network->shape;
    fl_address here = view->here, destination = packet->destination;
    if (FL_UNLIKELY(packet->header_state != 0)) {
        fl_detours_continue(packet, view, decision);
        return;
    }
    if (shape->kind == FL_TREE_CUBES && fl_tree_level(here) == 0) {
        unsigned corner = fl_cube_of(shape, here);
        if (corner != 0 || fl_cube_is_shared(shape, here, destination)) {
            route_in_cube(router->network, corner, fl_cube_target(shape, here, destination),
                          destination, view, decision);
            return;
        }
    }
    route_in_tree(router->network, destination, spread, view, decision);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    fl_tree_cube_next(router, packet, false, view, decision);
}

/* As in a tree (updown.c). In a cube, k links, each a dimension less to go; with
 * adaptive-ecube 3 for each but the one at distance k, which leaves no dimension to go around by.
 */
uint64_t fl_tree_cube_length_bound(const fl_router *router)
{
    const fl_tree_like *shape = router->network->shape;
    const fl_tree *tree = &shape->tree;
    uint64_t cube = 0;
    if (shape->kind == FL_TREE_CUBES) {
        bool around = false;
        for (unsigned r = 0; fl_rules[r]; r++)
            around |= fl_rules[r]->offer && router->enabled_rules >> r & 1;
        cube = around ? 3 * tree->k - 2 : tree->k;
    }
    uint64_t bound = 2 * (uint64_t)tree->n + fl_detours_extra_in_tree(router, tree);
    return bound + (tree->n == 1 ? 1 : 2) * cube;
}

static bool serves(const fl_network *network)
{
    return network->family == FL_FAMILY_TREE_LIKE;
}

const fl_router_type fl_router_tree_cube = {
    .name = "tree-cube",
    .summary =
        "base routing of Clos networks, thin trees, CAT and MiCAT: up, then down, and e-cube in cubes",
    .source =
        "MiKANT paper, Algorithm 1; Wang thesis, 2.1 (e-cube: this project); thin-tree paper, III",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .equivalent = true,
    .length_bound = fl_tree_cube_length_bound,
    .base = true,
};
