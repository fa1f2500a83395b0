/* Ranges of trials. */
#ifndef FL_EXPERIMENTS_SWEEP_RANGES_H
#define FL_EXPERIMENTS_SWEEP_RANGES_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fl_range {
    uint64_t first, end; /* first .. beyond - 1 */
} fl_range;

/* Rising ranges with gaps between them. All zero: none. */
typedef struct fl_ranges {
    fl_range *of;
    size_t count, capacity;
} fl_ranges;

/* Neighbours are joined; an empty range adds nothing. FL_ERR_INVALID if some of it is in already.
 */
fl_status fl_ranges_add(fl_ranges *ranges, fl_range range, fl_error *error);
/* Is some of `range` in already? Then *where is the first range that has some of it. */
bool fl_ranges_meet(const fl_ranges *ranges, fl_range range, fl_range *where);
/* The first stretch of `within` that is missing; false if none is. */
bool fl_ranges_gap(const fl_ranges *ranges, fl_range within, fl_range *gap);
uint64_t fl_ranges_total(const fl_ranges *ranges);
void fl_ranges_clear(fl_ranges *ranges); /* frees */

#ifdef __cplusplus
}
#endif
#endif
