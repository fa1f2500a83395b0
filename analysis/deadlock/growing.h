/* Private to analysis: arrays that grow. */
#ifndef FL_ANALYSIS_DEADLOCK_GROWING_H
#define FL_ANALYSIS_DEADLOCK_GROWING_H

#include "core/core.h"

#include <stdlib.h>

/* Zeroed, it is empty; free(data) ends it. */
#define FL_GROWING(type)        \
    struct {                    \
        type *data;             \
        size_t count, capacity; \
    }

/* Room for `needed` entries; the data as they are when memory ran out. */
FL_INLINE void *fl_grown(void *data, size_t *capacity, size_t needed, size_t size)
{
    if (FL_LIKELY(needed <= *capacity))
        return data;
    size_t larger = needed * 2 < 64 ? 64 : needed * 2;
    void *moved = realloc(data, larger * size);
    if (!moved)
        return data;
    *capacity = larger;
    return moved;
}

/* Makes room for `more` entries and counts them in; false, with nothing changed, when memory ran
 * out. */
#define FL_EXTEND(list, more)                                                                 \
    ((list).data =                                                                            \
         fl_grown((list).data, &(list).capacity, (list).count + (more), sizeof *(list).data), \
     (list).count + (more) <= (list).capacity && ((list).count += (more), true))

#endif
