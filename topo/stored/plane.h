/* Private to topo: projective planes over finite fields. */
#ifndef FL_TOPO_STORED_PLANE_H
#define FL_TOPO_STORED_PLANE_H

#include "core/core.h"

/* q^2 + q + 1 points and as many lines; every line has q + 1 points, every two lines meet in one
 * point, and every two points are on one line. Points (1,y,z) are numbered y q + z, then (0,1,z),
 * then (0,0,1), and lines by their coefficients alike: point x is on line a if a.x = 0. So point x
 * is on line a if and only if point a is on line x. Order 1 is the triangle: line i has the two
 * points other than i. */
typedef struct fl_plane {
    uint32_t order, size;
    uint32_t *points; /* [size][order + 1] of each line; also, by the numbers, the lines through
                         each point */
} fl_plane;

/* FL_ERR_INVALID unless the order is 1 or a prime power, up to 256. */
fl_status fl_plane_create(fl_plane *out, uint32_t order, fl_error *error);
/* Frees its points. */
void fl_plane_destroy(fl_plane *plane);

/* The order + 1 points of a line, lent. */
FL_INLINE const uint32_t *fl_plane_line(const fl_plane *plane, uint32_t line)
{
    return plane->points + (size_t)line * (plane->order + 1);
}

#endif
