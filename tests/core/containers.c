/* core: arrays that grow and hash tables. */
#include "tests/support.h"

#include "core/array.h"
#include "core/hash_map.h"

#include <stdlib.h>
#include <string.h>

/* ---- arrays ---- */

typedef struct point {
    uint64_t x, y;
} point;

Test(array, a_zeroed_array_is_empty_and_keeps_what_is_pushed)
{
    FL_ARRAY(point) list = {0};
    for (uint64_t i = 0; i < 10000; i++)
        cr_assert(FL_ARRAY_PUSH(&list, (point){i, i * i}));
    cr_expect(list.count == 10000 && list.capacity >= list.count);
    for (uint64_t i = 0; i < list.count; i++)
        cr_assert(list.data[i].x == i && list.data[i].y == i * i);
    FL_ARRAY_CLEAR(&list);
    cr_expect(!list.data && list.count == 0 && list.capacity == 0);
    cr_expect(FL_ARRAY_PUSH(&list, (point){1, 2}), "a cleared array can be used again");
    FL_ARRAY_CLEAR(&list);
}

Test(array, growing_at_least_doubles_the_memory)
{
    FL_ARRAY(uint8_t) list = {0};
    unsigned moves = 0;
    for (size_t i = 0; i < 1 << 20; i++) {
        size_t before = list.capacity;
        cr_assert(FL_ARRAY_PUSH(&list, (uint8_t)i));
        cr_expect(list.capacity == before || list.capacity >= 2 * before);
        moves += list.capacity != before;
    }
    cr_expect(moves < 20, "%u moves", moves);
    FL_ARRAY_CLEAR(&list);
}

Test(array, many_entries_are_counted_in_at_once)
{
    FL_ARRAY(uint32_t) list = {0};
    cr_assert(FL_ARRAY_RESERVE(&list, 1000) && list.count == 0 && list.capacity >= 1000);
    const uint32_t *data = list.data;
    cr_expect(FL_ARRAY_EXTEND(&list, 1000) && list.data == data, "no second move");
    cr_expect(FL_ARRAY_EXTEND(&list, 0) && list.count == 1000);
    memset(list.data, 7, list.count * sizeof *list.data);
    cr_assert(FL_ARRAY_EXTEND(&list, 100000) && list.count == 101000);
    cr_expect(list.data[0] == 0x07070707 && list.data[999] == 0x07070707);
    FL_ARRAY_CLEAR(&list);
}

/* More than PTRDIFF_MAX bytes; a product above size_t must not wrap to a small size. */
Test(array, a_failure_is_reported_and_changes_nothing)
{
    const size_t too_many[] = {PTRDIFF_MAX / sizeof(point) + 1, SIZE_MAX / sizeof(point),
                               SIZE_MAX / sizeof(point) + 2, SIZE_MAX - 1, SIZE_MAX};
    FL_ARRAY(point) list = {0};
    for (uint64_t i = 0; i < 100; i++)
        cr_assert(FL_ARRAY_PUSH(&list, (point){i, 0}));
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        size_t capacity = list.capacity;
        const point *data = list.data;
        cr_expect(!FL_ARRAY_RESERVE(&list, too_many[i]), "%zu", too_many[i]);
        cr_expect(!FL_ARRAY_EXTEND(&list, too_many[i]), "%zu", too_many[i]);
        cr_expect(!FL_RESIZE(&list.data, too_many[i]), "%zu", too_many[i]);
        cr_expect(list.data == data && list.capacity == capacity && list.count == 100);
    }
    cr_expect(list.data[99].x == 99);
    FL_ARRAY_CLEAR(&list);
}

Test(array, a_plain_list_gets_more_memory_and_less)
{
    uint32_t *list = NULL;
    cr_assert(FL_RESIZE(&list, 10));
    for (uint32_t i = 0; i < 10; i++)
        list[i] = i;
    cr_assert(FL_RESIZE(&list, 100000) && list[9] == 9);
    cr_assert(FL_RESIZE(&list, 4) && list[3] == 3);
    cr_expect(FL_RESIZE(&list, 0) && list, "an empty list is not a failure");
    free(list);
}

/* ---- maps ---- */

/* Compared with an array indexed by key, over a small range of keys, which `stride` spreads. */
static void compare_map(uint64_t stride)
{
    enum { KEYS = 3000, ROUNDS = 4 };
    static bool present[KEYS];
    static uint32_t value[KEYS];
    fl_hash_map map;
    fl_rng rng;
    fl_rng_seed(&rng, stride, FL_PURPOSE_PAIRS, 0);
    cr_assert(fl_hash_map_create(&map, 1));
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t count = 0;
        memset(present, 0, sizeof present);
        for (unsigned i = 0; i < 2 * KEYS; i++) {
            uint32_t key = (uint32_t)fl_rng_below(&rng, KEYS), found;
            cr_assert(fl_hash_map_find(&map, key * stride, &found) == present[key]);
            if (present[key]) {
                cr_assert(found == value[key]);
                continue;
            }
            value[key] = fl_rng_next32(&rng);
            present[key] = true;
            cr_assert(fl_hash_map_put(&map, key * stride, value[key]));
            cr_assert(map.count == ++count);
        }
        map.failed = true; /* as after a lack of memory */
        fl_hash_map_forget(&map);
        cr_expect(map.count == 0 && !map.failed);
    }
    fl_hash_map_destroy(&map);
}

Test(hash_map, it_finds_what_was_put_in_and_nothing_else)
{
    compare_map(1);
    compare_map(UINT64_C(1) << 32);
    compare_map(
        UINT64_C(0xf1de83e19937733d)); /* the inverse of the multiplier: hashes 0, 1, 2... */
}

Test(hash_map, the_largest_keys_and_values_are_kept)
{
    fl_hash_map map;
    uint32_t value;
    cr_assert(fl_hash_map_create(&map, 4));
    cr_expect(fl_hash_map_put(&map, UINT64_MAX - 1, UINT32_MAX) && fl_hash_map_put(&map, 0, 0));
    cr_expect(fl_hash_map_find(&map, UINT64_MAX - 1, &value) && value == UINT32_MAX);
    cr_expect(fl_hash_map_find(&map, 0, &value) && value == 0);
    fl_hash_map_destroy(&map);
    fl_hash_map_destroy(&map); /* a destroyed one is zeroed */
}

/* ---- indexes ---- */

static bool same_point(const void *entries, uint32_t entry, const void *wanted)
{
    const point *a = (const point *)entries + entry, *b = wanted;
    return a->x == b->x && a->y == b->y;
}

/* Numbers points in the order of their first occurrence, with the bits of the hash that `hash_mask`
 * keeps: with few of them, many hashes are equal. */
static void number_points(uint64_t hash_mask)
{
    enum { SIDE = 40 };
    static uint32_t number[SIDE][SIDE];
    FL_ARRAY(point) points = {0};
    fl_hash_index index = {0};
    fl_rng rng;
    fl_rng_seed(&rng, hash_mask, FL_PURPOSE_PAIRS, 1);
    for (unsigned round = 0; round < 2; round++) {
        memset(number, 0xff, sizeof number);
        points.count = 0;
        for (unsigned i = 0; i < 3 * SIDE * SIDE; i++) {
            point p = {fl_rng_below(&rng, SIDE), fl_rng_below(&rng, SIDE)};
            uint64_t hash = fl_mix64(p.x << 32 | p.y) & hash_mask;
            uint32_t at = fl_hash_index_find(&index, hash, same_point, points.data, &p);
            cr_assert(at == number[p.x][p.y]);
            if (at != FL_HASH_INDEX_NONE)
                continue;
            number[p.x][p.y] = (uint32_t)points.count;
            cr_assert(fl_hash_index_add(&index, hash, (uint32_t)points.count));
            cr_assert(FL_ARRAY_PUSH(&points, p));
            cr_assert(index.count == points.count);
        }
        fl_hash_index_clear(&index);
        cr_expect(index.count == 0);
    }
    fl_hash_index_destroy(&index);
    cr_expect(!index.slots);
    FL_ARRAY_CLEAR(&points);
}

Test(hash_index, equal_entries_get_one_number)
{
    number_points(UINT64_MAX);
}

Test(hash_index, entries_with_equal_hashes_are_distinguished)
{
    number_points(0);
    number_points(7);
    number_points(UINT64_MAX << 30); /* all slots are the last ones and the first ones */
}

Test(hash_index, an_empty_one_has_nothing_and_can_be_emptied)
{
    fl_hash_index index = {0};
    point p = {0, 0};
    cr_expect(fl_hash_index_find(&index, 0, same_point, NULL, &p) == FL_HASH_INDEX_NONE);
    fl_hash_index_clear(&index);
    fl_hash_index_destroy(&index);
}
