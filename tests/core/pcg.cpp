// fl_rng against the author's C++ library (libpcg-cpp), bit for bit.
#include "core/core.h"

#include <cstdio>
#include <pcg_random.hpp>

static unsigned long long compared;

static bool agrees(std::uint64_t state, std::uint64_t stream)
{
    pcg32 theirs(state, stream);
    fl_rng ours;
    fl_rng_seed_raw(&ours, state, stream);
    for (int i = 0; i < 200; i++, compared++)
        if (fl_rng_next32(&ours) != theirs())
            return false;
    for (int i = 0; i < 100; i++, compared++) {
        std::uint64_t high = theirs(), low = theirs();
        if (fl_rng_next64(&ours) != (high << 32 | low))
            return false;
    }
    return true;
}

static bool check(std::uint64_t state, std::uint64_t stream)
{
    bool good = agrees(state, stream);
    if (!good)
        std::fprintf(stderr, "pcg32(%llu, %llu) differs\n", (unsigned long long)state,
                     (unsigned long long)stream);
    return good;
}

// Seeds of trials go through fl_rng_seed; what it does to them is checked against the library
// too, so that a result can be made again with nothing but pcg32.
static bool check_trial(std::uint64_t seed, fl_purpose purpose, std::uint64_t trial)
{
    const std::uint64_t golden = 0x9e3779b97f4a7c15u;
    std::uint64_t base = fl_mix64(seed + golden * purpose);
    pcg32 theirs(fl_mix64(base + golden * (trial + 1)), base ^ trial);
    fl_rng ours;
    fl_rng_seed(&ours, seed, purpose, trial);
    for (int i = 0; i < 50; i++, compared++)
        if (fl_rng_next32(&ours) != theirs()) {
            std::fprintf(stderr, "seed %llu, purpose %d, trial %llu differs\n",
                         (unsigned long long)seed, purpose, (unsigned long long)trial);
            return false;
        }
    return true;
}

int main()
{
    const std::uint64_t edges[] = {
        0, 1, 2, 42, 54, 0x7fffffffffffffffu, 0x8000000000000000u, 0xffffffffffffffffu};
    bool good = true;
    for (std::uint64_t state : edges)
        for (std::uint64_t stream : edges)
            good &= check(state, stream);
    pcg32 random(2024, 7);
    for (int i = 0; i < 5000; i++) {
        std::uint64_t state = (std::uint64_t)random() << 32 | random();
        std::uint64_t stream = (std::uint64_t)random() << 32 | random();
        good &= check(state, stream);
    }
    for (std::uint64_t seed : edges)
        for (std::uint64_t trial : edges)
            for (fl_purpose purpose :
                 {FL_PURPOSE_FAULTS, FL_PURPOSE_PAIRS, FL_PURPOSE_TRAFFIC, FL_PURPOSE_ROUTING})
                good &= check_trial(seed, purpose, trial);
    std::printf("%llu numbers compared\n", compared);
    return good ? 0 : 1;
}
