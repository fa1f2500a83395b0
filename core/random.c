#include "core/core.h"

uint64_t fl_rng_below_wide(fl_rng *rng, uint64_t bound)
{
    /* Masking and rejection: fewer than two draws on average, and no 128-bit product. */
    uint64_t mask = bound - 1;
    for (unsigned shift = 1; shift < 64; shift <<= 1)
        mask |= mask >> shift;
    uint64_t value;
    do
        value = fl_rng_next64(rng) & mask;
    while (value >= bound);
    return value;
}
