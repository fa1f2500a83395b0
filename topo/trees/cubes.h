/* Private to topo: what CAT and MiCAT share: a tree whose leaf switches are corners of cubes. */
#ifndef FL_TOPO_TREES_CUBES_H
#define FL_TOPO_TREES_CUBES_H

#include "topo/trees/tree_like.h"

fl_status fl_cubes_setup(fl_network *network, unsigned k, unsigned n, bool mirrored,
                         fl_error *error);
void fl_cubes_destroy(fl_network *network);
FL_FAMILY_DECLARE(fl_cubes_);
FL_FAMILY_DECLARE_LABELS(fl_cubes_);
uint64_t fl_cubes_representative(const fl_network *, uint64_t switch_index);
void fl_cubes_place(const fl_network *, fl_address, double *x, double *y);

unsigned fl_cubes_rank(const fl_network *, fl_address from, fl_address to, fl_address destination);

/* Mean distance of two corners other than 0...0, drawn independently, and of one to 0...0. */
double fl_cubes_mean_distance(double k);
double fl_cubes_mean_weight(double k);
/* The same for numbers of shortest paths, self pairs counting 0. */
double fl_cubes_mean_paths(unsigned k);
double fl_cubes_mean_paths_to_tree(unsigned k);

#define FL_CUBES_FUNCTIONS                                                      \
    FL_FAMILY_FUNCTIONS(fl_cubes_), FL_FAMILY_LABELS(fl_cubes_),                \
        .destroy = fl_cubes_destroy, .representative = fl_cubes_representative, \
        .place = fl_cubes_place, .rank = fl_cubes_rank

#endif
