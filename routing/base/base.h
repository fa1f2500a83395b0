/* Private to routing: deterministic base routings decide on one port and have no second choice. */
#ifndef FL_ROUTING_BASE_BASE_H
#define FL_ROUTING_BASE_BASE_H

#include "routing/routing.h"

/* False, and the reason set, if the link is down. */
FL_INLINE bool fl_base_offer(fl_view *view, fl_decision *decision, unsigned port, fl_reason reason)
{
    fl_port ports[1] = {(fl_port)port};
    fl_probe at = fl_view_here(view), far_end;
    if (FL_UNLIKELY(!fl_view_up(view, &at, ports[0], &far_end))) {
        decision->reason = reason;
        return false;
    }
    fl_decision_offer(decision, ports, 1, far_end.at, FL_NO_RULE, 0);
    return true;
}

/* ---- trees in part ---- */

/* The digit that ways up go by when nodes of one switch are to be spread over different ways: its
 * own digit among the nodes of its switch at level 0, then the digits that lead down to it in the
 * order in which the way down sets them last. */
FL_INLINE unsigned fl_tree_spread_digit(const fl_tree *tree, fl_address destination, unsigned level)
{
    return fl_tree_digit(tree, destination, level > 0 ? level - 1 : tree->n - 1);
}

/* Base routing of Clos networks, thin trees, CAT and MiCAT; `spread`: with ways up by that digit.
 */
void fl_tree_cube_next(const fl_router *router, const fl_packet *packet, bool spread, fl_view *view,
                       fl_decision *decision);
uint64_t fl_tree_cube_length_bound(const fl_router *router);

/* ---- the cubes of CAT and MiCAT ---- */

FL_INLINE bool fl_cubes_of(const fl_network *network)
{
    return network->family == FL_FAMILY_TREE_LIKE &&
           ((const fl_tree_like *)network->shape)->kind == FL_TREE_CUBES;
}

FL_INLINE bool fl_cube_is_shared(const fl_tree_like *shape, fl_address here, fl_address destination)
{
    return fl_tree_group(here) == fl_tree_group(destination) &&
           ((here ^ destination) & shape->tree.switch_mask) == 0;
}

/* The corner that a packet in a cube goes to: the destination's, or the leaf switch. */
FL_INLINE unsigned fl_cube_target(const fl_tree_like *shape, fl_address here,
                                  fl_address destination)
{
    return fl_cube_is_shared(shape, here, destination) ? fl_cube_of(shape, destination) : 0;
}

/* Switches that are the corners of one cube (2-ary in every dimension), and nothing else. At most
 * 20 dimensions, as in CAT. */
FL_INLINE bool fl_is_hypercube(const fl_network *network)
{
    const fl_grid *grid = (const fl_grid *)network->shape;
    return network->family == FL_FAMILY_GRID && grid->line == FL_LINE_CLIQUE && grid->k == 2 &&
           grid->n <= 20;
}

/* The leaf switch, corner 0, has the cube below its links up; the other corners have it above their
 * nodes. */
FL_INLINE fl_port fl_cube_port(const fl_tree_like *shape, unsigned corner, unsigned dimension)
{
    return (fl_port)((corner ? shape->tree.k : 0) + dimension);
}

#endif
