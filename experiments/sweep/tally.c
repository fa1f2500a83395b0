#include "experiments/sweep/private.h"

#include "core/array.h"

#include <stdlib.h>
#include <string.h>

/* Outcomes are booked for groups of routers and ranges of levels: one addition where the range
 * begins and one subtraction where it ends. A group is a bit mask; each group met gets a slot.
 * When the slots are used up, all of them are folded into sums per router, and again.
 *
 * How often two routers both deliver is counted from the mask of delivering routers at each
 * level. Inside a trial the mask changes at a few levels only: they are noted as toggles and
 * walked once the trial ends. The toggles of trials set aside wait in a queue. */

enum { SLOT_BITS_MIN = 5, SLOT_BITS_MAX = 12, SLOT_BYTES = 8 << 20 };

/* Masks to slots, by linear probing; at most half full. 0 is no mask. */
typedef struct mask_index {
    uint64_t *masks;
    unsigned bits, count;
} mask_index;

/* `group` 0 ends a trial. */
typedef struct aside {
    uint64_t group;
    uint32_t fault_point;
} aside;

struct fl_tally {
    unsigned routers;
    uint32_t fault_points;
    mask_index groups, joint;
    fl_cell *cells;       /* [slot * levels + level], differences */
    int64_t *joint_cells; /* [slot * levels + level], differences */
    uint64_t *toggles;    /* [levels] change of the delivering mask, in this trial */
    uint64_t *toggled;    /* bit set of levels with a toggle */
    uint32_t toggled_words;
    FL_ARRAY(aside) queue; /* toggles of the trials set aside */
    size_t queue_next;
    fl_cell *sums; /* [router * levels + level], differences */
    int64_t *both; /* [pair * levels + level], differences */
};

static bool index_create(mask_index *index, size_t bytes_a_slot)
{
    index->bits = SLOT_BITS_MIN;
    while (index->bits < SLOT_BITS_MAX && (bytes_a_slot << (index->bits + 1)) <= SLOT_BYTES)
        index->bits++;
    index->masks = calloc((size_t)1 << index->bits, sizeof *index->masks);
    return index->masks != NULL;
}

FL_INLINE uint32_t index_slot(const mask_index *index, uint64_t mask)
{
    uint32_t slot = (uint32_t)((mask * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - index->bits));
    while (index->masks[slot] != mask && index->masks[slot] != 0)
        slot = (slot + 1) & ((UINT32_C(1) << index->bits) - 1);
    return slot;
}

fl_tally *fl_tally_create(unsigned routers, uint32_t fault_points)
{
    fl_tally *tally = calloc(1, sizeof *tally);
    if (!tally)
        return NULL;
    size_t pairs = (size_t)routers * (routers - 1) / 2;
    tally->routers = routers;
    tally->fault_points = fault_points;
    tally->toggled_words = fault_points / 64 + 1;
    bool good = index_create(&tally->groups, fault_points * sizeof *tally->cells) &&
                index_create(&tally->joint, fault_points * sizeof *tally->joint_cells);
    if (good) {
        /* Cells are whole cache lines; keep them on line boundaries. */
        size_t bytes = sizeof *tally->cells * fault_points << tally->groups.bits;
        tally->cells = aligned_alloc(64, bytes);
        if (tally->cells)
            memset(tally->cells, 0, bytes);
        tally->joint_cells =
            calloc((size_t)fault_points << tally->joint.bits, sizeof *tally->joint_cells);
        tally->toggles = calloc(fault_points, sizeof *tally->toggles);
        tally->toggled = calloc(tally->toggled_words, sizeof *tally->toggled);
        tally->sums = calloc((size_t)routers * fault_points, sizeof *tally->sums);
        tally->both = calloc(pairs * fault_points + 1, sizeof *tally->both);
        good = tally->cells && tally->joint_cells && tally->toggles && tally->toggled &&
               tally->sums && tally->both;
    }
    if (good)
        return tally;
    fl_tally_destroy(tally);
    return NULL;
}

void fl_tally_destroy(fl_tally *tally)
{
    if (!tally)
        return;
    free(tally->groups.masks);
    free(tally->joint.masks);
    free(tally->cells);
    free(tally->joint_cells);
    free(tally->toggles);
    free(tally->toggled);
    free(tally->queue.data);
    free(tally->sums);
    free(tally->both);
    free(tally);
}

/* ---- folding slots into sums ---- */

static void add_cell(fl_cell *to, const fl_cell *from)
{
    to->delivered += from->delivered;
    to->length_sum += from->length_sum;
    to->length_squares += from->length_squares;
    for (int i = 0; i < FL_REASONS; i++)
        to->blocked[i] += from->blocked[i];
}

static void fold_groups(fl_tally *tally)
{
    uint32_t fault_points = tally->fault_points;
    for (uint32_t slot = 0; slot < UINT32_C(1) << tally->groups.bits; slot++) {
        fl_cell *cells = tally->cells + (size_t)slot * fault_points;
        uint64_t mask = tally->groups.masks[slot];
        for (unsigned router = 0; router < tally->routers; router++)
            if (mask >> router & 1)
                for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
                    add_cell(&tally->sums[(size_t)router * fault_points + fault_point],
                             &cells[fault_point]);
        if (mask)
            memset(cells, 0, fault_points * sizeof *cells);
        tally->groups.masks[slot] = 0;
    }
    tally->groups.count = 0;
}

static void fold_joint(fl_tally *tally)
{
    uint32_t fault_points = tally->fault_points;
    for (uint32_t slot = 0; slot < UINT32_C(1) << tally->joint.bits; slot++) {
        int64_t *cells = tally->joint_cells + (size_t)slot * fault_points;
        uint64_t mask = tally->joint.masks[slot];
        for (unsigned b = 1; b < tally->routers; b++)
            for (unsigned a = 0; a < b; a++)
                if (mask >> a & mask >> b & 1)
                    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
                        tally->both[(size_t)fl_counts_pair(a, b) * fault_points + fault_point] +=
                            cells[fault_point];
        if (mask)
            memset(cells, 0, fault_points * sizeof *cells);
        tally->joint.masks[slot] = 0;
    }
    tally->joint.count = 0;
}

/* ---- booking ---- */

static uint32_t new_slot(fl_tally *tally, mask_index *index, void (*fold)(fl_tally *),
                         uint64_t mask)
{
    if (2 * (index->count + 1) > UINT32_C(1) << index->bits)
        fold(tally);
    uint32_t slot = index_slot(index, mask);
    index->masks[slot] = mask;
    index->count++;
    return slot;
}

FL_INLINE fl_cell *cells_of(fl_tally *tally, uint64_t group)
{
    uint32_t slot = index_slot(&tally->groups, group);
    if (FL_UNLIKELY(tally->groups.masks[slot] == 0))
        slot = new_slot(tally, &tally->groups, fold_groups, group);
    return tally->cells + (size_t)slot * tally->fault_points;
}

static void toggle(fl_tally *tally, uint32_t fault_point, uint64_t group)
{
    tally->toggles[fault_point] ^= group;
    tally->toggled[fault_point / 64] |= UINT64_C(1) << (fault_point % 64);
}

void fl_tally_delivered(fl_tally *tally, uint64_t group, uint32_t first, uint32_t end,
                        uint32_t length)
{
    fl_cell *cells = cells_of(tally, group);
    int64_t squares = (int64_t)length * length;
    cells[first].delivered++;
    cells[first].length_sum += length;
    cells[first].length_squares += squares;
    toggle(tally, first, group);
    if (end < tally->fault_points) {
        cells[end].delivered--;
        cells[end].length_sum -= length;
        cells[end].length_squares -= squares;
        toggle(tally, end, group);
    }
}

void fl_tally_blocked(fl_tally *tally, uint64_t group, uint32_t first, uint32_t end,
                      fl_reason reason)
{
    fl_cell *cells = cells_of(tally, group);
    cells[first].blocked[reason]++;
    if (end < tally->fault_points)
        cells[end].blocked[reason]--;
}

static void book_joint(fl_tally *tally, uint64_t mask, uint32_t fault_point, int64_t sign)
{
    if ((mask & (mask - 1)) == 0)
        return; /* fewer than two routers make no pair */
    uint32_t slot = index_slot(&tally->joint, mask);
    if (FL_UNLIKELY(tally->joint.masks[slot] == 0))
        slot = new_slot(tally, &tally->joint, fold_joint, mask);
    tally->joint_cells[(size_t)slot * tally->fault_points + fault_point] += sign;
}

void fl_tally_end_trial(fl_tally *tally)
{
    uint64_t mask = 0;
    for (uint32_t word = 0; word < tally->toggled_words; word++) {
        uint64_t left = tally->toggled[word];
        tally->toggled[word] = 0;
        for (; left; left &= left - 1) {
            uint32_t fault_point = word * 64 + fl_lowest_bit(left);
            uint64_t change = tally->toggles[fault_point];
            tally->toggles[fault_point] = 0;
            if (!change)
                continue;
            book_joint(tally, mask, fault_point, -1);
            mask ^= change;
            book_joint(tally, mask, fault_point, +1);
        }
    }
}

/* ---- trials set aside ---- */

static bool enqueue(fl_tally *tally, uint64_t group, uint32_t fault_point)
{
    return FL_ARRAY_PUSH(&tally->queue, (aside){group, fault_point});
}

bool fl_tally_set_aside(fl_tally *tally)
{
    bool good = true;
    for (uint32_t word = 0; word < tally->toggled_words; word++) {
        for (uint64_t left = tally->toggled[word]; left; left &= left - 1) {
            uint32_t fault_point = word * 64 + fl_lowest_bit(left);
            if (tally->toggles[fault_point])
                good = good && enqueue(tally, tally->toggles[fault_point], fault_point);
            tally->toggles[fault_point] = 0;
        }
        tally->toggled[word] = 0;
    }
    return good && enqueue(tally, 0, 0);
}

void fl_tally_take_up(fl_tally *tally)
{
    for (aside *next; (next = &tally->queue.data[tally->queue_next++])->group;)
        toggle(tally, next->fault_point, next->group);
    if (tally->queue_next == tally->queue.count)
        tally->queue_next = tally->queue.count = 0;
}

/* ---- reading off ---- */

static void add_running(fl_count *to, fl_cell *running, const fl_cell *difference)
{
    add_cell(running, difference);
    to->delivered += (uint64_t)running->delivered;
    to->length_sum += (uint64_t)running->length_sum;
    to->length_squares += (uint64_t)running->length_squares;
    for (int i = 0; i < FL_REASONS; i++)
        to->blocked[i] += (uint64_t)running->blocked[i];
}

void fl_tally_add_to(fl_tally *tally, fl_counts *counts)
{
    fold_groups(tally);
    fold_joint(tally);
    uint32_t fault_points = tally->fault_points;
    for (unsigned router = 0; router < tally->routers; router++) {
        fl_cell running = {0};
        for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++) {
            size_t at = (size_t)router * fault_points + fault_point;
            add_running(&counts->of[at], &running, &tally->sums[at]);
        }
    }
    for (size_t pair = 0; pair < (size_t)tally->routers * (tally->routers - 1) / 2; pair++) {
        int64_t running = 0;
        for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
            counts->both[pair * fault_points + fault_point] +=
                (uint64_t)(running += tally->both[pair * fault_points + fault_point]);
    }
}

void fl_tally_clear(fl_tally *tally)
{
    size_t pairs = (size_t)tally->routers * (tally->routers - 1) / 2;
    memset(tally->sums, 0, (size_t)tally->routers * tally->fault_points * sizeof *tally->sums);
    memset(tally->both, 0, pairs * tally->fault_points * sizeof *tally->both);
}

fl_counts *fl_counts_create(unsigned routers, uint32_t fault_points)
{
    fl_counts *counts = calloc(1, sizeof *counts);
    if (!counts)
        return NULL;
    counts->routers = routers;
    counts->fault_points = fault_points;
    counts->of = calloc((size_t)routers * fault_points, sizeof *counts->of);
    counts->both =
        calloc((size_t)routers * (routers - 1) / 2 * fault_points + 1, sizeof *counts->both);
    if (counts->of && counts->both)
        return counts;
    fl_counts_destroy(counts);
    return NULL;
}

void fl_counts_destroy(fl_counts *counts)
{
    if (!counts)
        return;
    free(counts->of);
    free(counts->both);
    free(counts);
}
