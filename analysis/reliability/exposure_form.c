#include "analysis/reliability/exposure.h"

#include <stdlib.h>
#include <string.h>

unsigned fl_exposure_links(const fl_exposure *e, uint64_t set)
{
    unsigned outside = 0, inside = 0;
    for (uint64_t rest = set; rest;) {
        unsigned v = fl_take_lowest_bit(&rest);
        outside += (unsigned)e->now[v] + e->next[v] + e->other[v];
        inside += fl_bit_count(e->neighbours[v] & set);
    }
    return outside + inside / 2;
}

void fl_exposure_restrict(const fl_exposure *e, uint64_t set, fl_exposure *out)
{
    uint8_t number[FL_EXPOSED_SWITCHES_MAX];
    out->count = 0;
    for (uint64_t rest = set; rest;)
        number[fl_take_lowest_bit(&rest)] = (uint8_t)out->count++;
    for (uint64_t rest = set; rest;) {
        unsigned v = fl_take_lowest_bit(&rest), i = number[v];
        out->now[i] = e->now[v];
        out->next[i] = e->next[v];
        out->other[i] = e->other[v];
        out->neighbours[i] = 0;
        for (uint64_t others = e->neighbours[v] & set; others;)
            out->neighbours[i] |= UINT64_C(1) << number[fl_take_lowest_bit(&others)];
    }
}

void fl_exposure_swap_sides(fl_exposure *e)
{
    for (unsigned i = 0; i < e->count; i++) {
        uint8_t first = e->now[i];
        e->now[i] = e->other[i];
        e->other[i] = first;
    }
}

/* ---- normal form ---- */

typedef struct colouring {
    const fl_exposure *e;
    unsigned cells; /* different colours */
    uint64_t colour[FL_EXPOSED_SWITCHES_MAX];
} colouring;

FL_INLINE uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 32);
}

static uint32_t class_of(const fl_exposure *e, unsigned v)
{
    return e->now[v] | (uint32_t)e->next[v] << 8 | (uint32_t)e->other[v] << 16;
}

static unsigned count_cells(const colouring *c)
{
    uint64_t sorted[FL_EXPOSED_SWITCHES_MAX];
    unsigned cells = 0;
    for (unsigned i = 0; i < c->e->count; i++) {
        unsigned at = i;
        for (; at > 0 && sorted[at - 1] > c->colour[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = c->colour[i];
    }
    for (unsigned i = 0; i < c->e->count; i++)
        cells += i == 0 || sorted[i] != sorted[i - 1];
    return cells;
}

/* New colour: the old one and those of the neighbours, until no cell falls apart any more. */
static void refine(colouring *c)
{
    unsigned count = c->e->count;
    uint64_t mixed[FL_EXPOSED_SWITCHES_MAX];
    for (unsigned before = 0; c->cells != before && c->cells < count;) {
        before = c->cells;
        for (unsigned i = 0; i < count; i++)
            mixed[i] = mix(c->colour[i]);
        for (unsigned i = 0; i < count; i++) {
            uint64_t sum = 3 * c->colour[i];
            for (uint64_t rest = c->e->neighbours[i]; rest;)
                sum += mixed[fl_take_lowest_bit(&rest)];
            c->colour[i] = mix(sum);
        }
        c->cells = count_cells(c);
    }
}

/* Of the cells of several switches that differ in their neighbours, the smallest. */
static bool first_of_smallest_cell(const colouring *c, unsigned *out)
{
    unsigned count = c->e->count, smallest = UINT32_MAX;
    *out = 0;
    uint64_t seen = 0;
    for (unsigned i = 0; i < count; i++) {
        if (seen >> i & 1)
            continue;
        unsigned size = 0;
        bool differ = false;
        for (unsigned j = i; j < count; j++)
            if (c->colour[j] == c->colour[i]) {
                size++;
                seen |= UINT64_C(1) << j;
                differ |= c->e->neighbours[j] != c->e->neighbours[i];
            }
        if (differ && (size < smallest || (size == smallest && c->colour[i] < c->colour[*out]))) {
            smallest = size;
            *out = i;
        }
    }
    return smallest != UINT32_MAX;
}

static void order_switches(colouring *c, uint8_t *order)
{
    unsigned count = c->e->count, chosen = 0;
    for (unsigned i = 0; i < count; i++)
        c->colour[i] =
            mix(((uint64_t)class_of(c->e, i) << 8) + fl_bit_count(c->e->neighbours[i]) + 1);
    c->cells = count_cells(c);
    refine(c);
    for (uint64_t round = 1; c->cells < count && first_of_smallest_cell(c, &chosen); round++) {
        c->colour[chosen] = mix(c->colour[chosen] + round);
        c->cells = count_cells(c);
        refine(c);
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned at = i;
        for (; at > 0 && c->colour[order[at - 1]] > c->colour[i]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)i;
    }
}

uint64_t fl_exposure_normalise(const fl_exposure *e, fl_exposure *out)
{
    colouring c = {.e = e};
    uint8_t order[FL_EXPOSED_SWITCHES_MAX], place[FL_EXPOSED_SWITCHES_MAX];
    order_switches(&c, order);
    out->count = e->count;
    for (unsigned i = 0; i < e->count; i++)
        place[order[i]] = (uint8_t)i;
    uint64_t hash = e->count;
    for (unsigned i = 0; i < e->count; i++) {
        unsigned v = order[i];
        out->now[i] = e->now[v];
        out->next[i] = e->next[v];
        out->other[i] = e->other[v];
        out->neighbours[i] = 0;
        for (uint64_t rest = e->neighbours[v]; rest;)
            out->neighbours[i] |= UINT64_C(1) << place[fl_take_lowest_bit(&rest)];
        hash = mix(hash * 5 + out->neighbours[i]);
        hash = mix(hash * 5 + class_of(out, i));
    }
    return hash;
}

/* ---- tables ---- */

/* Packed: the neighbours of each switch, then two switches' classes a word. */
static size_t code_size(unsigned count)
{
    return count + (count + 1) / 2;
}

static void pack(const fl_exposure *e, uint64_t *code)
{
    memcpy(code, e->neighbours, e->count * sizeof *code);
    memset(code + e->count, 0, (e->count + 1) / 2 * sizeof *code);
    for (unsigned i = 0; i < e->count; i++)
        code[e->count + i / 2] |= (uint64_t)class_of(e, i) << (i % 2 * 32);
}

void fl_exposure_table_read(const fl_exposure_table *table, size_t number, fl_exposure *out)
{
    const fl_exposure_entry *entry = &table->entries[number];
    const uint64_t *code = table->codes + entry->code;
    out->count = entry->count;
    memcpy(out->neighbours, code, entry->count * sizeof *code);
    for (unsigned i = 0; i < entry->count; i++) {
        uint32_t class = (uint32_t)(code[entry->count + i / 2] >> (i % 2 * 32));
        out->now[i] = (uint8_t) class;
        out->next[i] = (uint8_t)(class >> 8);
        out->other[i] = (uint8_t)(class >> 16);
    }
}

void fl_exposure_table_destroy(fl_exposure_table *table)
{
    free(table->entries);
    free(table->codes);
    free(table->numbers);
    free(table->index);
    *table = (fl_exposure_table){.links = table->links};
}

size_t fl_exposure_table_bytes(const fl_exposure_table *table)
{
    return table->count * sizeof *table->entries + table->codes_used * sizeof *table->codes +
           table->numbers_used * sizeof *table->numbers + table->index_size * sizeof *table->index;
}

/* Memory with room for `needed`, moved if need be; NULL, and the old stays, when there is none. */
static void *with_room(void *memory, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return memory;
    size_t wanted = needed + needed / 2 + 64;
    void *larger = realloc(memory, wanted * size);
    *capacity = larger ? wanted : *capacity;
    return larger;
}

static bool make_room(fl_exposure_table *t, size_t codes, size_t numbers)
{
    void *entries = with_room(t->entries, &t->capacity, t->count + 1, sizeof *t->entries);
    t->entries = entries ? entries : t->entries;
    void *more_codes =
        with_room(t->codes, &t->codes_capacity, t->codes_used + codes, sizeof *t->codes);
    t->codes = more_codes ? more_codes : t->codes;
    void *more_numbers =
        with_room(t->numbers, &t->numbers_capacity, t->numbers_used + numbers, sizeof *t->numbers);
    t->numbers = more_numbers ? more_numbers : t->numbers;
    return entries && more_codes && more_numbers;
}

static bool fill_index(fl_exposure_table *table, size_t size)
{
    uint32_t *index = calloc(size, sizeof *index);
    if (!index)
        return false;
    free(table->index);
    table->index = index;
    table->index_size = size;
    for (size_t i = 0; i < table->count; i++) {
        size_t at = table->entries[i].hash & (size - 1);
        while (index[at])
            at = (at + 1) & (size - 1);
        index[at] = (uint32_t)i + 1;
    }
    return true;
}

static bool is_entry(const fl_exposure_table *table, size_t number, uint64_t hash,
                     const uint64_t *code, unsigned count)
{
    const fl_exposure_entry *entry = &table->entries[number];
    return entry->hash == hash && entry->count == count &&
           memcmp(table->codes + entry->code, code, code_size(count) * sizeof *code) == 0;
}

static long double *add_entry(fl_exposure_table *table, const uint64_t *code, unsigned count,
                              uint64_t hash, uint32_t links)
{
    size_t coefficients = table->links - links + 1, codes = code_size(count);
    if (table->count + 1 >= UINT32_MAX || !make_room(table, codes, coefficients))
        return NULL;
    table->entries[table->count++] =
        (fl_exposure_entry){hash, table->codes_used, table->numbers_used, links, count};
    memcpy(table->codes + table->codes_used, code, codes * sizeof *code);
    table->codes_used += codes;
    long double *numbers = table->numbers + table->numbers_used;
    memset(numbers, 0, coefficients * sizeof *numbers);
    table->numbers_used += coefficients;
    return numbers;
}

long double *fl_exposure_table_find(fl_exposure_table *table, const fl_exposure *normal,
                                    uint64_t hash, uint32_t links)
{
    uint64_t code[FL_EXPOSED_SWITCHES_MAX + (FL_EXPOSED_SWITCHES_MAX + 1) / 2];
    pack(normal, code);
    if (2 * (table->count + 1) > table->index_size &&
        !fill_index(table, table->index_size ? 2 * table->index_size : 1024))
        return NULL;
    size_t at = hash & (table->index_size - 1);
    for (; table->index[at]; at = (at + 1) & (table->index_size - 1))
        if (is_entry(table, table->index[at] - 1, hash, code, normal->count))
            return table->numbers + table->entries[table->index[at] - 1].numbers;
    long double *numbers = add_entry(table, code, normal->count, hash, links);
    if (numbers)
        table->index[at] = (uint32_t)table->count;
    return numbers;
}
