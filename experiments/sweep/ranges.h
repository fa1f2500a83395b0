/* Ranges of trials. */
#ifndef FL_EXPERIMENTS_SWEEP_RANGES_H
#define FL_EXPERIMENTS_SWEEP_RANGES_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fl_range {
    uint64_t first, end; /* first .. end - 1 */
} fl_range;

/* Rising ranges with gaps between them. All zero: none. */
typedef struct fl_ranges {
    fl_range *of;
    size_t count, capacity;
} fl_ranges;

/* Adds a range and joins it to its neighbours; an empty range adds nothing. FL_ERR_INVALID if a
 * part of it is in already. */
fl_status fl_ranges_add(fl_ranges *ranges, fl_range range, fl_error *error);
/* Is a part of `range` in already? Then *where is the first range that overlaps it. */
bool fl_ranges_meet(const fl_ranges *ranges, fl_range range, fl_range *where);
/* The first stretch of `within` that is missing; false if none is. */
bool fl_ranges_gap(const fl_ranges *ranges, fl_range within, fl_range *gap);
/* Trials in all ranges. */
uint64_t fl_ranges_total(const fl_ranges *ranges);
/* Frees the memory; there are no ranges then. */
void fl_ranges_clear(fl_ranges *ranges);

#ifdef __cplusplus
}
#endif
#endif
