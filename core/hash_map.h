/* Hash tables: a map from 64-bit keys to 32-bit values, and an index that finds entries of an array
 * by their content. Both use open addressing with linear probing and are at most half full. */
#ifndef FL_CORE_HASH_MAP_H
#define FL_CORE_HASH_MAP_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- from 64-bit keys to 32-bit values ---- */

#define FL_HASH_MAP_EMPTY UINT64_MAX /* not a key */

/* Forgets in time proportional to what was put in, and keeps its memory: made to be filled and
 * forgotten once a trial. Up to 2^30 entries. */
typedef struct fl_hash_map {
    uint64_t *keys;
    uint32_t *values;
    uint32_t *used; /* slots in use, in order of arrival */
    uint32_t count, bits;
    bool failed; /* it could not grow, and entries were dropped */
} fl_hash_map;

/* An empty map of 2^bits slots (1 to 31). False, with nothing to destroy, when memory ran out. */
bool fl_hash_map_create(fl_hash_map *map, unsigned bits);

/* Frees the memory. A zeroed map may be destroyed. */
void fl_hash_map_destroy(fl_hash_map *map);

/* Removes all entries. */
void fl_hash_map_forget(fl_hash_map *map);

/* Doubles the slots, or sets `failed`. fl_hash_map_put calls it. */
void fl_hash_map_grow(fl_hash_map *map);

/* The slot of the key, or the empty slot where it belongs. */
FL_INLINE uint32_t fl_hash_map_slot(const fl_hash_map *map, uint64_t key)
{
    uint32_t mask = (UINT32_C(1) << map->bits) - 1;
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - map->bits));
    while (map->keys[slot] != key && map->keys[slot] != FL_HASH_MAP_EMPTY)
        slot = (slot + 1) & mask;
    return slot;
}

/* Whether the key is there, and its value; *value is undefined if it is not. */
FL_INLINE bool fl_hash_map_find(const fl_hash_map *map, uint64_t key, uint32_t *value)
{
    uint32_t slot = fl_hash_map_slot(map, key);
    *value = map->values[slot];
    return map->keys[slot] == key;
}

/* Adds a key that is not there yet. When memory ran out the map stays as it is and `failed` is set:
 * false from then on. */
FL_INLINE bool fl_hash_map_put(fl_hash_map *map, uint64_t key, uint32_t value)
{
    if (FL_UNLIKELY(2 * (map->count + 1) > UINT32_C(1) << map->bits))
        fl_hash_map_grow(map);
    if (FL_UNLIKELY(map->failed))
        return false;
    uint32_t slot = fl_hash_map_slot(map, key);
    map->keys[slot] = key;
    map->values[slot] = value;
    map->used[map->count++] = slot;
    return true;
}

/* ---- entries of an array, by their content ---- */

#define FL_HASH_INDEX_NONE UINT32_MAX /* not an entry */

typedef struct fl_hash_index_slot {
    uint32_t hash, entry;
} fl_hash_index_slot;

/* Finds structs that the caller keeps in an array, by a hash and a function that compares: each
 * struct gets one number. Zeroed, it is empty. Up to 2^30 entries. */
typedef struct fl_hash_index {
    fl_hash_index_slot *slots;
    uint32_t count, bits; /* bits: 0 before the first entry */
} fl_hash_index;

/* Is entry `entry` of the caller's array equal to what is looked for? Inlined where the function
 * given is known to the compiler. */
typedef bool fl_hash_index_equal(const void *entries, uint32_t entry, const void *wanted);

/* The number of the entry that equals `wanted`, whose hash is `hash`; FL_HASH_INDEX_NONE if there
 * is none. All bits of the hash should depend on the content (fl_mix64). */
FL_INLINE uint32_t fl_hash_index_find(const fl_hash_index *index, uint64_t hash,
                                      fl_hash_index_equal *equal, const void *entries,
                                      const void *wanted)
{
    if (!index->slots)
        return FL_HASH_INDEX_NONE;
    uint32_t mask = (UINT32_C(1) << index->bits) - 1, low = (uint32_t)hash, slot = low & mask;
    while (index->slots[slot].entry != FL_HASH_INDEX_NONE &&
           (index->slots[slot].hash != low || !equal(entries, index->slots[slot].entry, wanted)))
        slot = (slot + 1) & mask;
    return index->slots[slot].entry;
}

/* Adds an entry that is not there yet. False, with the index as it was, when memory ran out. */
bool fl_hash_index_add(fl_hash_index *index, uint64_t hash, uint32_t entry);

/* Removes all entries and keeps the memory; takes time proportional to that. */
void fl_hash_index_clear(fl_hash_index *index);

/* Frees the memory; the index is empty. */
void fl_hash_index_destroy(fl_hash_index *index);

#ifdef __cplusplus
}
#endif
#endif
