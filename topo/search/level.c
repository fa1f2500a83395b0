/* One level of a breadth-first search from many switches at once, for several instruction sets. */
#include "topo/search/level.h"

/* The loop is the same for each: `row` is a vector of `words` words, which stays in registers while
 * rows are joined. Neighbours are taken four at a time, with the switch itself in place of those
 * that are missing: the end of each list would be mispredicted, which costs more than a list. What
 * the loop reads is copied first, since what it writes might change it for all the compiler knows.
 */
#define DEFINE_LOOP(name, how, words, row, load, store, join, weigh)                         \
    how FL_INLINE uint64_t name##_loop(const fl_level *level, bool all)                      \
    {                                                                                        \
        const uint32_t *neighbours = level->neighbours, *degree = level->degree;             \
        const uint32_t *rows = level->rows, *weights = level->weights, count = level->count; \
        const uint64_t *now = level->now, *planes = level->planes;                           \
        uint64_t *next = level->next, total = 0;                                             \
        uint32_t *missing = level->missing;                                                  \
        const size_t stride = level->stride;                                                 \
        const unsigned plane_count = level->plane_count;                                     \
        for (uint32_t i = 0; i < count; i++) {                                               \
            uint32_t v = all ? i : rows[i];                                                  \
            const uint32_t *n = neighbours + v * stride, *end = n + degree[v];               \
            row reached = load(now + (size_t)v * (words)), more = reached;                   \
            for (; n < end; n += FL_LEVEL_STEP) {                                            \
                reached = join(reached, join(load(now + (size_t)n[0] * (words)),             \
                                             load(now + (size_t)n[1] * (words))));           \
                more = join(more, join(load(now + (size_t)n[2] * (words)),                   \
                                       load(now + (size_t)n[3] * (words))));                 \
            }                                                                                \
            reached = join(reached, more);                                                   \
            store(next + (size_t)i * (words), reached);                                      \
            uint64_t left = weigh(reached, planes, plane_count);                             \
            total += left * weights[v];                                                      \
            if (missing)                                                                     \
                missing[i] += (uint32_t)left;                                                \
        }                                                                                    \
        return total;                                                                        \
    }

#define DEFINE_LEVEL(name, how, words, row, load, store, join, weigh)              \
    DEFINE_LOOP(name, how, words, row, load, store, join, weigh)                   \
    how static uint64_t name(const fl_level *level)                                \
    {                                                                              \
        return level->rows ? name##_loop(level, false) : name##_loop(level, true); \
    }

/* ---- one word ---- */

FL_INLINE uint64_t load_word(const uint64_t *from)
{
    return *from;
}

FL_INLINE void store_word(uint64_t *to, uint64_t word)
{
    *to = word;
}

FL_INLINE uint64_t join_words(uint64_t a, uint64_t b)
{
    return a | b;
}

/* Bits set in a word, without an instruction for it. */
FL_INLINE uint64_t count_bits(uint64_t bits)
{
    bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + ((bits >> 2) & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (bits * UINT64_C(0x0101010101010101)) >> 56;
}

FL_INLINE uint64_t weigh_word(uint64_t reached, const uint64_t *planes, unsigned count)
{
    uint64_t sum = 0;
    if ((~reached & planes[count]) == 0)
        return 0;
    for (unsigned p = 0; p < count; p++)
        sum += count_bits(~reached & planes[p]) << p;
    return sum;
}

DEFINE_LEVEL(level1_portable, , 1, uint64_t, load_word, store_word, join_words, weigh_word)

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* ---- x86-64: one word with POPCNT, 4 words with AVX2, 4 and 8 words with AVX-512 ---- */

#define POPCNT __attribute__((target("popcnt")))
#define AVX2   __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512vpopcntdq,popcnt")))

POPCNT FL_INLINE uint64_t weigh_word_popcnt(uint64_t reached, const uint64_t *planes,
                                            unsigned count)
{
    uint64_t sum = 0;
    if ((~reached & planes[count]) == 0)
        return 0;
    for (unsigned p = 0; p < count; p++)
        sum += (uint64_t)__builtin_popcountll(~reached & planes[p]) << p;
    return sum;
}

DEFINE_LEVEL(level1_popcnt, POPCNT, 1, uint64_t, load_word, store_word, join_words,
             weigh_word_popcnt)

AVX2 FL_INLINE __m256i load4(const uint64_t *from)
{
    return _mm256_load_si256((const void *)from);
}

AVX2 FL_INLINE void store4(uint64_t *to, __m256i row)
{
    _mm256_store_si256((void *)to, row);
}

AVX2 FL_INLINE uint64_t sum4(__m256i lanes)
{
    __m128i two = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)));
}

/* Bits are counted in halves of bytes by a table of 16 entries; the counts of five planes,
 * weighted, still fit bytes: 8 * 31 = 248. */
AVX2 FL_INLINE uint64_t weigh4_avx2(__m256i reached, const uint64_t *planes, unsigned count)
{
    enum { TOGETHER = 5 };
    const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                            2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    uint64_t sum = 0;
    if (_mm256_testc_si256(reached, load4(planes + (size_t)count * 4)))
        return 0;
    for (unsigned first = 0; first < count; first += TOGETHER) {
        unsigned end = first + TOGETHER;
        __m256i bytes = _mm256_setzero_si256();
        for (unsigned p = end < count ? end : count; p-- > first;) {
            __m256i bits = _mm256_andnot_si256(reached, load4(planes + (size_t)p * 4));
            __m256i a = _mm256_shuffle_epi8(counts, _mm256_and_si256(bits, low));
            __m256i b =
                _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi64(bits, 4), low));
            bytes = _mm256_add_epi8(_mm256_add_epi8(bytes, bytes), _mm256_add_epi8(a, b));
        }
        sum += sum4(_mm256_sad_epu8(bytes, _mm256_setzero_si256())) << first;
    }
    return sum;
}

DEFINE_LEVEL(level4_avx2, AVX2, 4, __m256i, load4, store4, _mm256_or_si256, weigh4_avx2)

AVX512 FL_INLINE uint64_t weigh4_avx512(__m256i reached, const uint64_t *planes, unsigned count)
{
    __m256i sum = _mm256_setzero_si256();
    if (_mm256_testc_si256(reached, load4(planes + (size_t)count * 4)))
        return 0;
    for (unsigned p = count; p-- > 0;) {
        __m256i bits = _mm256_andnot_si256(reached, load4(planes + (size_t)p * 4));
        sum = _mm256_add_epi64(_mm256_add_epi64(sum, sum), _mm256_popcnt_epi64(bits));
    }
    return sum4(sum);
}

DEFINE_LEVEL(level4_avx512, AVX512, 4, __m256i, load4, store4, _mm256_or_si256, weigh4_avx512)

AVX512 FL_INLINE __m512i load8(const uint64_t *from)
{
    return _mm512_load_si512(from);
}

AVX512 FL_INLINE void store8(uint64_t *to, __m512i row)
{
    _mm512_store_si512(to, row);
}

AVX512 FL_INLINE uint64_t weigh8_avx512(__m512i reached, const uint64_t *planes, unsigned count)
{
    __m512i sum = _mm512_setzero_si512(), used = load8(planes + (size_t)count * 8);
    __m512i left = _mm512_andnot_si512(reached, used);
    if (_mm512_test_epi64_mask(left, left) == 0)
        return 0;
    for (unsigned p = count; p-- > 0;) {
        __m512i bits = _mm512_andnot_si512(reached, load8(planes + (size_t)p * 8));
        sum = _mm512_add_epi64(_mm512_add_epi64(sum, sum), _mm512_popcnt_epi64(bits));
    }
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

DEFINE_LEVEL(level8_avx512, AVX512, 8, __m512i, load8, store8, _mm512_or_si512, weigh8_avx512)

static fl_level_function *choose_x86(uint32_t sources, unsigned *words)
{
    bool avx512 = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
    *words = sources <= 64 ? 1 : avx512 && sources > 256 ? 8 : 4;
    if (*words == 1 && __builtin_cpu_supports("popcnt"))
        return level1_popcnt;
    if (*words > 1 && avx512)
        return *words == 8 ? level8_avx512 : level4_avx512;
    return *words == 4 && __builtin_cpu_supports("avx2") ? level4_avx2 : NULL;
}
#endif

fl_level_function *fl_level_choose(uint32_t sources, bool portable, unsigned *words)
{
#if defined(__x86_64__) && defined(__GNUC__)
    fl_level_function *function = portable ? NULL : choose_x86(sources, words);
    if (function)
        return function;
#endif
    (void)sources;
    (void)portable;
    *words = 1;
    return level1_portable;
}
