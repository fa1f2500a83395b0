/* Private to topo: networks that are trees in part or nearly: Clos networks, thin trees, CAT,
 * MiCAT.
 */
#ifndef FL_TOPO_TREES_TREE_LIKE_H
#define FL_TOPO_TREES_TREE_LIKE_H

#include "topo/trees/tree.h"

/* Fills in tree_storage and offers it as network->levels; no counts. FL_ERR_INVALID when the digits
 * and `extra_bits` beside them do not fit an address. */
fl_status fl_tree_like_setup(fl_network *network, unsigned k, unsigned n, unsigned groups,
                             bool mirrored, unsigned extra_bits, fl_error *error);

/* Links between two different switches of one level, nodes apart: mean over all ordered pairs of
 * the k^(n-1) leaf switches of a k-ary n-tree, self pairs included. */
double fl_tree_mean_climb(double k, double n);

#endif
