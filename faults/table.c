#include "faults/table.h"

#include <stdlib.h>
#include <string.h>

bool fl_table_create(fl_table *table, unsigned bits)
{
    size_t slots = (size_t)1 << bits;
    *table = (fl_table){.bits = bits};
    table->keys = malloc(slots * sizeof *table->keys);
    table->values = calloc(slots, sizeof *table->values);
    table->used = malloc(slots / 2 * sizeof *table->used);
    if (!table->keys || !table->values || !table->used) {
        fl_table_destroy(table);
        return false;
    }
    memset(table->keys, 0xff, slots * sizeof *table->keys);
    return true;
}

void fl_table_destroy(fl_table *table)
{
    free(table->keys);
    free(table->values);
    free(table->used);
    *table = (fl_table){0};
}

void fl_table_forget(fl_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        table->keys[table->used[i]] = FL_TABLE_EMPTY;
    table->count = 0;
}

void fl_table_grow(fl_table *table)
{
    fl_table larger;
    if (table->bits >= 31 || !fl_table_create(&larger, table->bits + 1)) {
        table->failed = true;
        return;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t slot = table->used[i];
        fl_table_put(&larger, table->keys[slot], table->values[slot]);
    }
    fl_table_destroy(table);
    *table = larger;
}
