/* Private to topo: networks that are trees in part or nearly (fl_tree_like in topo.h). */
#ifndef FL_TOPO_TREES_TREE_LIKE_H
#define FL_TOPO_TREES_TREE_LIKE_H

#include "topo/trees/tree.h"

/* Fills tree_storage and the shape (zeroed but for kind, tree and up = k); no counts.
 * FL_ERR_INVALID when the digits and `extra_bits` beside them would not fit an address. */
fl_status fl_tree_like_setup(fl_network *network, fl_tree_kind kind, unsigned k, unsigned n,
                             unsigned groups, bool mirrored, unsigned extra_bits, fl_error *error);
void fl_tree_like_destroy(fl_network *network);

FL_INLINE const fl_tree_like *fl_tree_like_of(const fl_network *network)
{
    return (const fl_tree_like *)network->shape;
}

/* Links between two different switches of one level, nodes apart: mean over all ordered pairs of
 * the k^(n-1) leaf switches of a k-ary n-tree, self pairs included. */
double fl_tree_mean_climb(double k, double n);

#endif
