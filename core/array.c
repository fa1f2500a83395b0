/* Arrays that grow: the part that allocates. */
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 512 };
#define BYTES_MAX ((size_t)PTRDIFF_MAX)

bool fl_array_resize(void *list, size_t wanted, size_t size)
{
    void *old, *moved;
    memcpy(&old, list, sizeof old); /* a pointer to any type */
    if (wanted > BYTES_MAX / size)
        return false;
    moved = realloc(old, wanted > 0 ? wanted * size : 1);
    if (!moved)
        return false;
    memcpy(list, &moved, sizeof moved);
    return true;
}

void *fl_array_grown(void *data, size_t *capacity, size_t count, size_t more, size_t size)
{
    if (more <= *capacity - count)
        return data;
    size_t first = FIRST_BYTES / size + 1, most = BYTES_MAX / size;
    size_t twice = *capacity > most / 2 ? most : 2 * *capacity;
    if (more > most - count)
        return data;
    size_t larger = count + more > twice ? count + more : twice;
    larger = larger > first ? larger : first;
    if (fl_array_resize(&data, larger, size))
        *capacity = larger;
    return data;
}
