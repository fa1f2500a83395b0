#include "routing/base.h"

/* Base routing of networks that are trees in part or nearly.
 *
 * In the tree: MiKANT paper, Algorithm 1. Up from level L through port k + T_L while the groups
 * differ or W_{n-2}..W_L != T_{n-2}..T_L; then down through port T_{L-1}, at level 0 through
 * T_{n-1}. In a Clos network the middle stage leads down to the destination's group; a thin tree
 * has up port T_L mod k' only. In the cubes of CAT and MiCAT: e-cube, the lowest bit first, to the
 * leaf switch (corner 0) while the destination is in another cube, else to its corner (Wang
 * thesis, 2.1: a label's D does not change in the cube, nor its C in the tree). */

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

static void route_in_cube(const fl_tree_like *shape, unsigned corner, unsigned target, fl_address destination, fl_view *view,
                          fl_decision *decision)
{
    unsigned k = shape->tree.k;
    if (corner == target)
        fl_base_offer(view, decision, (unsigned)(destination >> shape->number_shift & shape->tree.digit_mask), FL_BLOCKED_DESTINATION);
    else
        fl_base_offer(view, decision, (corner ? k : 0) + lowest(corner ^ target), FL_BLOCKED_CROSS);
}

static void route_in_tree(const fl_tree_like *shape, fl_address destination, fl_view *view, fl_decision *decision)
{
    const fl_tree *tree = &shape->tree;
    fl_address here = view->here;
    unsigned level = fl_tree_level(here);
    bool same_group = in_same_group(shape, here, destination);
    if (!same_group || ((here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0) {
        fl_reason reason = tree->mirrored && level == tree->top ? FL_BLOCKED_CROSS : FL_BLOCKED_UP;
        fl_base_offer(view, decision, tree->k + fl_tree_digit(tree, destination, level) % shape->up, reason);
        return;
    }
    unsigned below = fl_tree_digit(tree, destination, level > 0 ? level - 1 : tree->n - 1);
    if (shape->kind == FL_TREE_CLOS && level == tree->top)
        below += tree->k * fl_tree_group(destination);
    fl_base_offer(view, decision, below, level > 0 ? FL_BLOCKED_DOWN : FL_BLOCKED_DESTINATION);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision)
{
    const fl_tree_like *shape = router->network->shape;
    fl_address here = view->here, destination = packet->destination;
    if (shape->kind == FL_TREE_CUBES && fl_tree_level(here) == 0) {
        bool same_cube = fl_tree_group(here) == fl_tree_group(destination) && ((here ^ destination) & shape->tree.switch_mask) == 0;
        unsigned corner = fl_cube_of(shape, here), target = same_cube ? fl_cube_of(shape, destination) : 0;
        if (same_cube || corner != 0) {
            route_in_cube(shape, corner, target, destination, view, decision);
            return;
        }
    }
    route_in_tree(shape, destination, view, decision);
}

static bool serves(const fl_network *network)
{
    return network->family == FL_FAMILY_TREE_LIKE;
}

const fl_router_type fl_router_tree_cube = {
    .name = "tree-cube",
    .summary = "base routing of Clos networks, thin trees, CAT and MiCAT: up, then down, and e-cube in cubes",
    .source = "MiKANT paper, Algorithm 1; Wang thesis, 2.1; thin-tree paper, III",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .base = true,
};
