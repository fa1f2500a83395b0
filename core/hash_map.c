/* Hash tables: making, growing and emptying them. */
#include "core/hash_map.h"

#include <stdlib.h>
#include <string.h>

enum { BITS_MAX = 31, INDEX_BITS_FIRST = 8 };

/* ---- from 64-bit keys to 32-bit values ---- */

bool fl_hash_map_create(fl_hash_map *map, unsigned bits)
{
    size_t slots = (size_t)1 << bits;
    *map = (fl_hash_map){.bits = bits};
    map->keys = malloc(slots * sizeof *map->keys);
    map->values = calloc(slots, sizeof *map->values);
    map->used = malloc(slots / 2 * sizeof *map->used);
    if (!map->keys || !map->values || !map->used) {
        fl_hash_map_destroy(map);
        return false;
    }
    memset(map->keys, 0xff, slots * sizeof *map->keys);
    return true;
}

void fl_hash_map_destroy(fl_hash_map *map)
{
    free(map->keys);
    free(map->values);
    free(map->used);
    *map = (fl_hash_map){0};
}

void fl_hash_map_forget(fl_hash_map *map)
{
    for (uint32_t i = 0; i < map->count; i++)
        map->keys[map->used[i]] = FL_HASH_MAP_EMPTY;
    map->count = 0;
    map->failed = false;
}

void fl_hash_map_grow(fl_hash_map *map)
{
    fl_hash_map larger;
    if (map->bits >= BITS_MAX || !fl_hash_map_create(&larger, map->bits + 1)) {
        map->failed = true;
        return;
    }
    for (uint32_t i = 0; i < map->count; i++) {
        uint32_t slot = map->used[i];
        fl_hash_map_put(&larger, map->keys[slot], map->values[slot]);
    }
    fl_hash_map_destroy(map);
    *map = larger;
}

/* ---- entries of an array, by their content ---- */

static void place(fl_hash_index *index, fl_hash_index_slot what)
{
    uint32_t mask = (UINT32_C(1) << index->bits) - 1, slot = what.hash & mask;
    while (index->slots[slot].entry != FL_HASH_INDEX_NONE)
        slot = (slot + 1) & mask;
    index->slots[slot] = what;
}

static bool grow(fl_hash_index *index)
{
    fl_hash_index larger = {.bits = index->slots ? index->bits + 1 : INDEX_BITS_FIRST,
                            .count = index->count};
    if (larger.bits > BITS_MAX)
        return false;
    larger.slots = malloc(sizeof *larger.slots << larger.bits);
    if (!larger.slots)
        return false;
    memset(larger.slots, 0xff, sizeof *larger.slots << larger.bits);
    for (size_t slot = 0; index->slots && slot < (size_t)1 << index->bits; slot++)
        if (index->slots[slot].entry != FL_HASH_INDEX_NONE)
            place(&larger, index->slots[slot]);
    free(index->slots);
    *index = larger;
    return true;
}

bool fl_hash_index_add(fl_hash_index *index, uint64_t hash, uint32_t entry)
{
    if ((!index->slots || 2 * (index->count + 1) > UINT32_C(1) << index->bits) && !grow(index))
        return false;
    place(index, (fl_hash_index_slot){(uint32_t)hash, entry});
    index->count++;
    return true;
}

void fl_hash_index_clear(fl_hash_index *index)
{
    if (index->slots)
        memset(index->slots, 0xff, sizeof *index->slots << index->bits);
    index->count = 0;
}

void fl_hash_index_destroy(fl_hash_index *index)
{
    free(index->slots);
    *index = (fl_hash_index){0};
}
