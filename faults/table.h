/* Private to faults: a map from 64-bit keys to 32-bit values that forgets in time
 * proportional to what was put in, and keeps its memory between trials. */
#ifndef FL_FAULTS_TABLE_H
#define FL_FAULTS_TABLE_H

#include "core/core.h"

#define FL_TABLE_EMPTY UINT64_MAX /* not a key */

typedef struct fl_table {
    uint64_t *keys;
    uint32_t *values;
    uint32_t *used; /* slots in use, in order of arrival */
    uint32_t count, bits;
    bool failed; /* it could not grow: entries were dropped */
} fl_table;

bool fl_table_create(fl_table *table, unsigned bits);
void fl_table_destroy(fl_table *table);
void fl_table_forget(fl_table *table);
void fl_table_grow(fl_table *table);

/* The slot of the key, or the empty slot where it belongs. */
FL_INLINE uint32_t fl_table_slot(const fl_table *table, uint64_t key)
{
    uint32_t mask = (UINT32_C(1) << table->bits) - 1;
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - table->bits));
    while (table->keys[slot] != key && table->keys[slot] != FL_TABLE_EMPTY)
        slot = (slot + 1) & mask;
    return slot;
}

/* False if the key is not there. */
FL_INLINE bool fl_table_find(const fl_table *table, uint64_t key, uint32_t *value)
{
    uint32_t slot = fl_table_slot(table, key);
    *value = table->values[slot];
    return table->keys[slot] == key;
}

/* The key must not be there yet. */
FL_INLINE void fl_table_put(fl_table *table, uint64_t key, uint32_t value)
{
    if (FL_UNLIKELY(2 * (table->count + 1) > UINT32_C(1) << table->bits))
        fl_table_grow(table);
    if (FL_UNLIKELY(table->failed))
        return;
    uint32_t slot = fl_table_slot(table, key);
    table->keys[slot] = key;
    table->values[slot] = value;
    table->used[table->count++] = slot;
}

#endif
