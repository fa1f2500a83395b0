#include "analysis/reliability/exposure.h"

#include <math.h>
#include <stdlib.h>

enum { TOO_FAR = 1 << 16 };

/* ---- distances that are left ---- */

/* Switches on the longest path that visits none twice: of two colours it takes one more of the one
 * than of the other. */
static unsigned longest_path(const fl_exposure *e)
{
    uint64_t seen = 0, sides[2] = {0, 0};
    bool coloured = true;
    for (unsigned first = 0; first < e->count; first++) {
        if (seen >> first & 1)
            continue;
        unsigned side = 0;
        for (uint64_t front = UINT64_C(1) << first; front; side = !side) {
            uint64_t far_end = 0;
            sides[side] |= front;
            seen |= front;
            while (front)
                far_end |= e->neighbours[fl_take_lowest_bit(&front)];
            coloured = coloured && !(far_end & sides[side]);
            front = far_end & ~seen;
        }
    }
    unsigned a = fl_bit_count(sides[0]), b = fl_bit_count(sides[1]), fewer = a < b ? a : b;
    return coloured && 2 * fewer + 1 < e->count ? 2 * fewer + 1 : e->count;
}

void fl_exposure_distances(const fl_exposure *e, uint32_t *least, uint32_t *most)
{
    uint64_t now = 0, next = 0, front = 0, seen = 0;
    for (unsigned v = 0; v < e->count; v++) {
        now |= (uint64_t)(e->now[v] > 0) << v;
        next |= (uint64_t)(e->next[v] > 0) << v;
        front |= (uint64_t)(e->other[v] > 0) << v;
    }
    *least = UINT32_MAX;
    for (uint32_t switches = 1; front; switches++) {
        uint32_t own = front & now ? switches + 1 : front & next ? switches + 2 : UINT32_MAX;
        *least = own < *least ? own : *least;
        uint64_t far_end = 0;
        seen |= front;
        while (front)
            far_end |= e->neighbours[fl_take_lowest_bit(&front)];
        front = far_end & ~seen;
    }
    *most = longest_path(e) + (next ? 2 : 1);
}

/* ---- paths that are too long ---- */

/* Switches on the shortest path from a side to each switch, itself included; `first` is its front,
 * `second` a step further. */
static void count_switches(const fl_exposure *e, uint64_t first, uint64_t second,
                           uint32_t *switches)
{
    uint64_t seen = 0, front = first;
    for (unsigned v = 0; v < e->count; v++)
        switches[v] = TOO_FAR;
    for (uint32_t number = 1; front || number <= 2; number++) {
        uint64_t far_end = number == 1 ? second : 0;
        front &= ~seen;
        seen |= front;
        while (front) {
            unsigned v = fl_take_lowest_bit(&front);
            switches[v] = number;
            far_end |= e->neighbours[v];
        }
        front = far_end & ~seen;
    }
}

static bool drop(uint8_t *links, bool too_long)
{
    bool dropped = *links > 0 && too_long;
    *links = dropped ? 0 : *links;
    return dropped;
}

bool fl_exposure_drop_long_paths(fl_exposure *e, uint32_t most)
{
    uint32_t from[FL_EXPOSED_SWITCHES_MAX], to[FL_EXPOSED_SWITCHES_MAX];
    uint64_t now = 0, next = 0, other = 0;
    bool dropped = false;
    for (unsigned v = 0; v < e->count; v++) {
        now |= (uint64_t)(e->now[v] > 0) << v;
        next |= (uint64_t)(e->next[v] > 0) << v;
        other |= (uint64_t)(e->other[v] > 0) << v;
    }
    count_switches(e, now, next, from);
    count_switches(e, other, 0, to);
    for (unsigned v = 0; v < e->count; v++) {
        dropped |= drop(&e->now[v], to[v] > most);
        dropped |= drop(&e->next[v], to[v] + 1 > most);
        dropped |= drop(&e->other[v], from[v] > most);
        for (uint64_t rest = e->neighbours[v] & ~((UINT64_C(2) << v) - 1); rest;) {
            unsigned w = fl_take_lowest_bit(&rest);
            if (from[v] + to[w] <= most || from[w] + to[v] <= most)
                continue;
            e->neighbours[v] &= ~(UINT64_C(1) << w);
            e->neighbours[w] &= ~(UINT64_C(1) << v);
            dropped = true;
        }
    }
    return dropped;
}

/* ---- which states matter ---- */

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

bool fl_exposure_worth_create(fl_exposure_worth *w, uint64_t all_links, uint32_t links,
                              const long double *connected)
{
    uint64_t last = all_links;
    while (last > 0 && connected[last] <= 0)
        last--;
    *w = (fl_exposure_worth){.all_links = all_links, .links = links};
    for (unsigned i = 0; i < FL_EXPOSURE_WORTH_LEVELS; i++) {
        w->faults[i] = last * (i + 1) / (FL_EXPOSURE_WORTH_LEVELS + 1);
        w->log_connected[i] = (double)logl(connected[w->faults[i]]);
    }
    w->weights = calloc((size_t)FL_EXPOSURE_WORTH_LEVELS * (links + 1), sizeof *w->weights);
    return w->weights != NULL;
}

void fl_exposure_worth_destroy(fl_exposure_worth *w)
{
    for (size_t i = 0; w->weights && i < (size_t)FL_EXPOSURE_WORTH_LEVELS * (w->links + 1); i++)
        free(w->weights[i]);
    free(w->weights);
    *w = (fl_exposure_worth){0};
}

/* [b]: probability that of `asked` links and of both nodes' just b of the former are down, by that
 * of a connected pair. */
static const double *weights_of(fl_exposure_worth *w, unsigned level, uint32_t asked)
{
    double **row = &w->weights[(size_t)level * (w->links + 1) + asked];
    if (*row || !(*row = calloc(asked + 1, sizeof **row)))
        return *row;
    double all = (double)w->all_links, faults = (double)w->faults[level],
           free_links = all - asked - 2;
    for (uint32_t b = 0; b <= asked; b++)
        if (b <= faults && faults - b <= free_links)
            (*row)[b] = exp(log_choose(free_links, faults - b) - log_choose(all, faults) -
                            w->log_connected[level]);
    return *row;
}

static bool worth_of(fl_exposure_worth *w, const fl_exposure_table *table, size_t number,
                     double *out)
{
    const fl_exposure_entry *entry = &table->entries[number];
    const long double *numbers = table->numbers + entry->numbers;
    uint32_t asked = table->links - entry->links;
    *out = 0;
    for (unsigned level = 0; level < FL_EXPOSURE_WORTH_LEVELS; level++) {
        const double *weights = weights_of(w, level, asked);
        double fraction = 0;
        if (!weights)
            return false;
        for (uint32_t b = 0; b <= asked; b++)
            fraction += weights[b] * (double)numbers[b];
        *out = fraction > *out ? fraction : *out;
    }
    return true;
}

static int compare_falling(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a > *b ? -1 : *a < *b;
}

bool fl_exposure_worth_choose(fl_exposure_worth *w, const fl_exposure_table *table, size_t most,
                              bool *keep)
{
    double *worth = calloc(2 * table->count + 1, sizeof *worth), *sorted = worth + table->count;
    bool good = worth != NULL;
    for (size_t i = 0; good && i < table->count; i++) {
        good = worth_of(w, table, i, &worth[i]);
        sorted[i] = worth[i];
    }
    if (good && most < table->count) {
        qsort(sorted, table->count, sizeof *sorted, compare_falling);
        size_t kept = 0;
        for (size_t i = 0; i < table->count && kept < most; i++)
            kept += keep[i] = worth[i] > sorted[most];
        for (size_t i = 0; i < table->count && kept < most; i++)
            if (worth[i] == sorted[most])
                kept += keep[i] = true;
    }
    free(worth);
    return good;
}
