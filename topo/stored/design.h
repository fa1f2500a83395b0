/* Private to topo: designs of combinatorial mathematics, by which groups of nodes share copies of a
 * switch network (Yasudo thesis, 2.4 and 4.4.2). */
#ifndef FL_TOPO_STORED_DESIGN_H
#define FL_TOPO_STORED_DESIGN_H

#include "core/core.h"

/* Every group is on `ports` copies, `meeting` groups are on every copy, and every two groups are on
 * exactly one copy together. Lists are in rising order. */
typedef struct fl_design {
    uint32_t groups, copies, ports, meeting;
    uint32_t *copies_of; /* [groups][ports] */
    uint32_t *groups_at; /* [copies][meeting] */
} fl_design;

/* Each makes a design of groups on `ports` copies (2 to 257), which the caller destroys.
 * FL_ERR_INVALID where there is none, FL_ERR_MEMORY. */

/* Groups are the lines of a projective plane of order ports - 1 (1, or a prime power), copies its
 * points: ports^2 - ports + 1 of each. */
fl_status fl_design_projective(fl_design *out, uint32_t ports, fl_error *error);

/* Groups are the points of an affine plane of order q = ports - 1 (a prime power), copies its
 * lines: q^2 groups on q^2 + q copies. (Lines as groups would not do: parallels never meet.) Point
 * (x, y) is number x q + y, the line y = a x + b number a q + b, the line x = c number q^2 + c. */
fl_status fl_design_affine(fl_design *out, uint32_t ports, fl_error *error);

/* The obvious design: ports + 1 lines of the Euclidean plane, no two parallel and no three through
 * one point; a copy for each intersection. The lines i < j meet in number j (j - 1) / 2 + i. */
fl_status fl_design_obvious(fl_design *out, uint32_t ports, fl_error *error);

void fl_design_destroy(fl_design *design);

#endif
