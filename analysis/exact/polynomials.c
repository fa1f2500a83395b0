/* Results of an exploration: polynomials in the number of components that are down. */
#include "analysis/exact/exploration.h"

#include <string.h>

uint32_t fl_explorer_new_poly(fl_explorer *x, uint32_t asked)
{
    size_t numbers = x->numbers.count, poly_index = x->polys.count, count = 3 * ((size_t)asked + 1);
    if (!FL_ARRAY_EXTEND(&x->numbers, count) ||
        !FL_ARRAY_PUSH(&x->polys, (explorer_poly){asked, numbers})) {
        fl_explorer_out_of_memory(x);
        return POLY_ZERO;
    }
    memset(x->numbers.data + numbers, 0, count * sizeof *x->numbers.data);
    return (uint32_t)poly_index;
}

void fl_explorer_make_constants(fl_explorer *x)
{
    x->polys.count = 0;
    x->numbers.count = 0;
    for (int i = 0; i < 3; i++)
        fl_explorer_new_poly(x, 0);
    if (x->status)
        return;
    fl_explorer_delivered(x, POLY_ONE)[0] = 1;
    fl_explorer_open(x, POLY_OPEN)[0] = 1;
}

/* Adds (1 + z)^spread z^shift times the `count` numbers of `from`. */
static void add_spread(fl_explorer *x, long double *to, const long double *from, uint32_t count,
                       uint32_t spread, uint32_t shift)
{
    long double row[WEIGHT_STRIDE];
    memcpy(row, from, count * sizeof *row);
    for (uint32_t s = 0; s < spread; s++, count++) {
        row[count] = 0;
        for (uint32_t i = count; i > 0; i--)
            row[i] += row[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        to[i + shift] += row[i];
        x->rounded |= to[i + shift] >= 0x1p64L;
    }
}

static void add_branch(fl_explorer *x, uint32_t to, explorer_result from, uint32_t shift)
{
    uint32_t asked = x->polys.data[from.poly].asked, count = asked + 1;
    uint32_t spread = x->polys.data[to].asked - 1 - asked;
    long double lengths[WEIGHT_STRIDE];
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = fl_explorer_lengths(x, from.poly)[i] +
                     from.added * fl_explorer_delivered(x, from.poly)[i];
    add_spread(x, fl_explorer_delivered(x, to), fl_explorer_delivered(x, from.poly), count, spread,
               shift);
    add_spread(x, fl_explorer_lengths(x, to), lengths, count, spread, shift);
    add_spread(x, fl_explorer_open(x, to), fl_explorer_open(x, from.poly), count, spread, shift);
}

explorer_result fl_explorer_join(fl_explorer *x, explorer_result up, explorer_result down)
{
    if (up.poly == down.poly &&
        (up.added == down.added || up.poly == POLY_ZERO || up.poly == POLY_OPEN))
        return up;
    uint32_t asked = x->polys.data[up.poly].asked, other = x->polys.data[down.poly].asked;
    asked = 1 + (asked > other ? asked : other);
    if (asked + 1 >= WEIGHT_STRIDE) {
        fl_explorer_fail(
            x, FL_ERR_STOPPED,
            "more than 500 components of the network bear on one pair: too many to explore");
        return (explorer_result){POLY_OPEN, 0};
    }
    uint32_t joined = fl_explorer_new_poly(x, asked);
    if (!x->status) {
        add_branch(x, joined, up, 0);
        add_branch(x, joined, down, 1);
    }
    return (explorer_result){joined, 0};
}
