/* Random numbers: PCG32 with a stream for each purpose and trial. */
#ifndef FL_CORE_RANDOM_H
#define FL_CORE_RANDOM_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* PCG XSH RR 64/32 with a selectable stream (O'Neill, "PCG: A Family of Simple Fast
 * Space-Efficient Statistically Good Algorithms for Random Number Generation", 2014).
 * Bit for bit the generator pcg32 of the author's C++ library. */
typedef struct fl_rng {
    uint64_t state;
    uint64_t increment; /* odd */
} fl_rng;

#define FL_PCG_MULTIPLIER UINT64_C(6364136223846793005)

/* Each purpose has streams of its own, so that asking for one more number of one kind never
 * moves the numbers of another. */
typedef enum fl_purpose {
    FL_PURPOSE_FAULTS = 1,
    FL_PURPOSE_PAIRS = 2,
    FL_PURPOSE_TRAFFIC = 3,
    FL_PURPOSE_ROUTING = 4
} fl_purpose;

/* Seeds as the reference implementation does: pcg32(state, stream). */
FL_INLINE void fl_rng_seed_raw(fl_rng *rng, uint64_t state, uint64_t stream)
{
    rng->increment = (stream << 1) | 1u;
    rng->state = (rng->increment + state) * FL_PCG_MULTIPLIER + rng->increment;
}

/* A bijection on 64 bits in which every input bit moves every output bit (the finaliser of
 * SplitMix64; Steele, Lea, Flood 2014). */
FL_INLINE uint64_t fl_mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The generator of one trial and purpose. Every seed is a seed like any other, 0 too. */
FL_INLINE void fl_rng_seed(fl_rng *rng, uint64_t seed, fl_purpose purpose, uint64_t trial)
{
    uint64_t base = fl_mix64(seed + UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)purpose);
    uint64_t mixed = fl_mix64(base + UINT64_C(0x9e3779b97f4a7c15) * (trial + 1));
    fl_rng_seed_raw(rng, mixed, base ^ trial);
}

FL_INLINE uint32_t fl_rng_next32(fl_rng *rng)
{
    uint64_t old = rng->state;
    rng->state = old * FL_PCG_MULTIPLIER + rng->increment;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (shifted >> turn) | (shifted << ((32u - turn) & 31u));
}

FL_INLINE uint64_t fl_rng_next64(fl_rng *rng)
{
    uint64_t high = fl_rng_next32(rng);
    return (high << 32) | fl_rng_next32(rng);
}

/* Uniform on 0..bound-1 without bias (Lemire, "Fast Random Integer Generation in an
 * Interval", 2019). bound >= 1. */
FL_INLINE uint32_t fl_rng_below32(fl_rng *rng, uint32_t bound)
{
    uint64_t product = (uint64_t)fl_rng_next32(rng) * bound;
    if (FL_UNLIKELY((uint32_t)product < bound)) {
        uint32_t unfair = (uint32_t)(-bound) % bound;
        while ((uint32_t)product < unfair)
            product = (uint64_t)fl_rng_next32(rng) * bound;
    }
    return (uint32_t)(product >> 32);
}

uint64_t fl_rng_below_wide(fl_rng *rng, uint64_t bound);

FL_INLINE uint64_t fl_rng_below(fl_rng *rng, uint64_t bound)
{
    return FL_LIKELY(bound <= UINT32_MAX) ? fl_rng_below32(rng, (uint32_t)bound)
                                          : fl_rng_below_wide(rng, bound);
}

#ifdef __cplusplus
}
#endif
#endif
