/* Private to topo: networks whose switches are vectors of digits and whose neighbours differ in
 * one digit. See fl_grid (shapes.h). */
#ifndef FL_TOPO_DIRECT_GRID_H
#define FL_TOPO_DIRECT_GRID_H

#include "topo/family.h"

/* Fills counts, shape and tree_storage (the digits' arithmetic). Of the k^n p nodes only the
 * first `nodes` are there (FL_NOT_GIVEN: all). FL_ERR_INVALID when an address would not fit. */
fl_status fl_grid_setup(fl_network *network, fl_line line, unsigned k, unsigned n, unsigned p,
                        uint64_t nodes, fl_error *error);
/* Frees the network's shape. */
void fl_grid_destroy(fl_network *network);

FL_FAMILY_DECLARE(fl_grid_);
FL_FAMILY_DECLARE_LABELS(fl_grid_);
/* Fills in what formulas give; NAN for the rest. */
void fl_grid_closed_forms(const fl_network *, fl_closed_forms *out);
/* Switch index of the representative of the switches that a symmetry makes alike. */
uint64_t fl_grid_representative(const fl_network *, uint64_t switch_index);
/* Where a switch stands in a drawing, in distances of neighbours; y grows downwards. */
void fl_grid_place(const fl_network *, fl_address, double *x, double *y);

/* Place of the link from `from` to `to` in the order in which base routing takes links on a path to
 * `destination`; it rises along a path. */
unsigned fl_grid_rank(const fl_network *, fl_address from, fl_address to, fl_address destination);

/* Parameters of several grids. */
#define FL_GRID_P                                                                                \
    {                                                                                            \
        .name = "p", .summary = "nodes per switch", .least = 1, .most = 32767, .optional = true, \
        .fallback = 1                                                                            \
    }
#define FL_GRID_NODES                                                                           \
    {                                                                                           \
        .name = "nodes", .summary = "number of nodes, on the first switches; all if not given", \
        .least = 1, .most = UINT32_MAX, .optional = true, .fallback = FL_NOT_GIVEN              \
    }

/* The functions of a type that is a grid. */
#define FL_GRID_FUNCTIONS                                                 \
    FL_FAMILY_FUNCTIONS(fl_grid_), FL_FAMILY_LABELS(fl_grid_),            \
        .destroy = fl_grid_destroy, .closed_forms = fl_grid_closed_forms, \
        .representative = fl_grid_representative, .place = fl_grid_place, .rank = fl_grid_rank

#endif
