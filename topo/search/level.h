/* Private to topo/search: one level of a breadth-first search from many switches at once. */
#ifndef FL_TOPO_SEARCH_LEVEL_H
#define FL_TOPO_SEARCH_LEVEL_H

#include "core/core.h"

/* Sources are columns, a block of 64, 256 or 512 of them in a row of 1, 4 or 8 words; a switch has
 * a row. Bit j of row v: source j has reached v. The weight of a column is written in bit planes:
 * bit j of plane p is bit p of the weight of column j; of one more plane, whether it is above 0. */
enum { FL_LEVEL_ALIGNMENT = 64, FL_LEVEL_STEP = 4 };

typedef struct fl_level {
    const uint32_t *neighbours; /* [switches][stride]; the switch itself behind its last one */
    size_t stride;              /* a multiple of FL_LEVEL_STEP */
    const uint32_t *degree;
    const uint32_t *rows; /* the switches to do; NULL: all, 0..count-1 */
    uint32_t count;
    const uint64_t
        *now;       /* [switches][words], aligned to FL_LEVEL_ALIGNMENT like `next`, `planes` */
    uint64_t *next; /* [count][words]: row i is that of switch rows[i] */
    const uint32_t *weights; /* of the rows: [switches] */
    const uint64_t *planes;  /* of the columns: [plane_count + 1][words]; the last: all in use */
    unsigned plane_count;
    uint32_t *missing; /* NULL, or [count]: to it is added the weight of the columns not in row i */
} fl_level;

/* next[i] = now[v] | now[each neighbour of v], v = rows[i]. Returns the sum, over these rows, of
 * the row's weight times the weight of the columns that have not reached it. */
typedef uint64_t fl_level_function(const fl_level *level);

/* The function for this number of sources on this processor, and the words of its rows. `portable`:
 * without the instructions that only some processors have; the same results. */
fl_level_function *fl_level_choose(uint32_t sources, bool portable, unsigned *words);

#endif
