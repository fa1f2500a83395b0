/* Private to topo: what CAT and MiCAT share: a tree whose leaf switches are corners of cubes. */
#ifndef FL_TOPO_TREES_CUBES_H
#define FL_TOPO_TREES_CUBES_H

#include "topo/trees/tree_like.h"

/* Fills counts, shape and tree_storage of CAT or, `mirrored`, MiCAT. FL_ERR_INVALID if an address
 * would not fit, FL_ERR_MEMORY. */
fl_status fl_cubes_setup(fl_network *network, unsigned k, unsigned n, bool mirrored,
                         fl_error *error);
/* Frees the network's shape. */
void fl_cubes_destroy(fl_network *network);
FL_FAMILY_DECLARE(fl_cubes_);
FL_FAMILY_DECLARE_LABELS(fl_cubes_);
/* Switch index of the representative of the switches that a symmetry makes alike. */
uint64_t fl_cubes_representative(const fl_network *, uint64_t switch_index);
/* Where a switch stands in a drawing, in distances of neighbours; y grows downwards. */
void fl_cubes_place(const fl_network *, fl_address, double *x, double *y);

/* Place of the link from `from` to `to` in the order in which base routing takes links on a path to
 * `destination`; it rises along a path. */
unsigned fl_cubes_rank(const fl_network *, fl_address from, fl_address to, fl_address destination);

/* Mean distance, in links, of two corners of a k-cube other than 0...0, drawn independently. */
double fl_cubes_mean_distance(double k);
/* Mean distance of one such corner to 0...0. */
double fl_cubes_mean_weight(double k);
/* Mean number of shortest paths between two such corners, self pairs counting 0. */
double fl_cubes_mean_paths(unsigned k);
/* Mean number of shortest paths from one such corner to 0...0. */
double fl_cubes_mean_paths_to_tree(unsigned k);

#define FL_CUBES_FUNCTIONS                                                      \
    FL_FAMILY_FUNCTIONS(fl_cubes_), FL_FAMILY_LABELS(fl_cubes_),                \
        .destroy = fl_cubes_destroy, .representative = fl_cubes_representative, \
        .place = fl_cubes_place, .rank = fl_cubes_rank

#endif
