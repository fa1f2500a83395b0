#include "core/array.h"
#include "experiments/experiments.h"

#include <stdlib.h>
#include <string.h>

/* The first range that ends behind `trial`. Lists are short: a run has one range, a merged
 * result one between two gaps. */
static size_t find(const fl_ranges *ranges, uint64_t trial)
{
    size_t i = 0;
    while (i < ranges->count && ranges->of[i].end <= trial)
        i++;
    return i;
}

bool fl_ranges_meet(const fl_ranges *ranges, fl_range range, fl_range *where)
{
    size_t i = find(ranges, range.first);
    if (i == ranges->count || ranges->of[i].first >= range.end || range.first >= range.end)
        return false;
    *where = ranges->of[i];
    return true;
}

static bool make_room(fl_ranges *ranges, size_t at)
{
    if (!FL_GROW(ranges->of, ranges->capacity, ranges->count, 1))
        return false;
    memmove(&ranges->of[at + 1], &ranges->of[at], (ranges->count - at) * sizeof *ranges->of);
    ranges->count++;
    return true;
}

static void join(fl_ranges *ranges, size_t at)
{
    if (at == 0 || at == ranges->count || ranges->of[at - 1].end != ranges->of[at].first)
        return;
    ranges->of[at - 1].end = ranges->of[at].end;
    ranges->count--;
    memmove(&ranges->of[at], &ranges->of[at + 1], (ranges->count - at) * sizeof *ranges->of);
}

fl_status fl_ranges_add(fl_ranges *ranges, fl_range range, fl_error *error)
{
    fl_range where;
    if (range.first == range.end)
        return FL_OK;
    if (range.first > range.end || fl_ranges_meet(ranges, range, &where))
        return fl_fail(error, FL_ERR_INVALID,
                       "the trials %llu to %llu are there already, or are none",
                       (unsigned long long)range.first, (unsigned long long)range.end - 1);
    size_t at = find(ranges, range.first);
    if (!make_room(ranges, at))
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for trial ranges");
    ranges->of[at] = range;
    join(ranges, at + 1);
    join(ranges, at);
    return FL_OK;
}

uint64_t fl_ranges_total(const fl_ranges *ranges)
{
    uint64_t total = 0;
    for (size_t i = 0; i < ranges->count; i++)
        total += ranges->of[i].end - ranges->of[i].first;
    return total;
}

bool fl_ranges_gap(const fl_ranges *ranges, fl_range within, fl_range *gap)
{
    uint64_t at = within.first;
    size_t i = find(ranges, at);
    if (i < ranges->count && ranges->of[i].first <= at)
        at = ranges->of[i++].end;
    if (at >= within.end)
        return false;
    bool ends = i < ranges->count && ranges->of[i].first < within.end;
    *gap = (fl_range){at, ends ? ranges->of[i].first : within.end};
    return true;
}

void fl_ranges_clear(fl_ranges *ranges)
{
    free(ranges->of);
    *ranges = (fl_ranges){0};
}
