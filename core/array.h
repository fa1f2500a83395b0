/* Arrays that grow. */
#ifndef FL_CORE_ARRAY_H
#define FL_CORE_ARRAY_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array of `type`: data[0] to data[count - 1] are in use, capacity entries have memory. Zeroed,
 * it is empty. The macros below take a pointer to one; they evaluate it more than once. The
 * holder of the array owns the memory and frees it with FL_ARRAY_CLEAR. Growing moves `data`:
 * pointers to entries are good until then. */
#define FL_ARRAY(type)          \
    struct {                    \
        type *data;             \
        size_t count, capacity; \
    }

/* `data` with memory for `count + more` entries of `size` bytes, and at least twice as many as
 * before, so that n additions cost O(n). *capacity is updated. When memory ran out or the size
 * overflows, `data` and *capacity come back as they were. */
void *fl_array_grown(void *data, size_t *capacity, size_t count, size_t more, size_t size);

/* Gives *list, a pointer to `count` entries of `size` bytes, memory for `wanted` of them, more or
 * fewer: for several arrays with one capacity between them. False, with *list as it was, when
 * memory ran out or the size overflows. The caller frees *list. */
bool fl_array_resize(void *list, size_t wanted, size_t size);

/* The same for a pointer of any type: FL_RESIZE(&heads, room). */
#define FL_RESIZE(list, wanted) fl_array_resize((list), (wanted), sizeof **(list))

/* Is there memory for `more` entries after the `count` in use? */
FL_INLINE bool fl_array_has_room(size_t capacity, size_t count, size_t more)
{
    return FL_LIKELY(more <= capacity - count);
}

/* Memory for `more` entries after the `count` in use, for an array whose parts have names of their
 * own: `list` is a pointer and `capacity` a size_t, both set. False, with nothing changed, when
 * memory ran out. */
#define FL_GROW(list, capacity, count, more)                                         \
    (fl_array_has_room((capacity), (count), (more)) ||                               \
     ((list) = fl_array_grown((list), &(capacity), (count), (more), sizeof *(list)), \
      fl_array_has_room((capacity), (count), (more))))

/* The same for an FL_ARRAY. The new entries are not counted in yet. */
#define FL_ARRAY_RESERVE(array, more) \
    FL_GROW((array)->data, (array)->capacity, (array)->count, (more))

/* Counts `more` entries in, with undefined content. False, with nothing changed, when memory ran
 * out. */
#define FL_ARRAY_EXTEND(array, more) \
    (FL_ARRAY_RESERVE(array, more) && ((array)->count += (more), true))

/* Appends one value, which may be a compound literal. False, with nothing changed, when memory ran
 * out. */
#define FL_ARRAY_PUSH(array, ...) \
    (FL_ARRAY_RESERVE(array, 1) && ((array)->data[(array)->count++] = (__VA_ARGS__), true))

/* Frees the memory; the array is empty. Needs <stdlib.h>. */
#define FL_ARRAY_CLEAR(array) \
    (free((array)->data), (array)->data = NULL, (array)->count = (array)->capacity = 0)

#ifdef __cplusplus
}
#endif
#endif
