/* core: random numbers, statistics, texts, files, JSON. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Chi-square tests below reject at p < 1e-7. There are 30 of them: a correct generator fails one
 * of them for 3 in a million seeds. */
static const double P_LEAST = 1e-7;

/* ---- random numbers ------------------------------------------------------ */

Test(random, the_generator_gives_the_numbers_of_the_pcg32_demo)
{
    static const uint32_t published[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                         0x83d2f293, 0xbfa4784b, 0xcbed606e};
    fl_rng rng;
    fl_rng_seed_raw(&rng, 42, 54);
    for (size_t i = 0; i < 6; i++) {
        uint32_t value = fl_rng_next32(&rng);
        cr_expect(value == published[i], "number %zu is %08x, not %08x", i, value, published[i]);
    }
}

/* Results name a seed and must be reproducible: the numbers of a seed must never change. The
 * expected ones come from a second implementation, in Python. */
Test(random, seeds_keep_their_meaning_for_ever)
{
    static const struct {
        uint64_t seed;
        fl_purpose purpose;
        uint64_t trial;
        uint32_t numbers[3];
    } cases[] = {
        {0, FL_PURPOSE_FAULTS, 0, {0xf5f97b47, 0xc5be958f, 0x54bac9b4}},
        {0, FL_PURPOSE_PAIRS, 0, {0x4ba0df44, 0x7c7feb0e, 0x6e3c7852}},
        {1, FL_PURPOSE_FAULTS, 0, {0xf03f9d95, 0x02550f72, 0x998147ca}},
        {1, FL_PURPOSE_FAULTS, 1, {0xaa57854c, 0x20110cf9, 0xd232ec1f}},
        {UINT64_MAX, FL_PURPOSE_ROUTING, UINT64_MAX, {0x1c4156c0, 0xf3b27749, 0x48272edf}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        fl_rng rng;
        fl_rng_seed(&rng, cases[c].seed, cases[c].purpose, cases[c].trial);
        for (size_t i = 0; i < 3; i++) {
            uint32_t value = fl_rng_next32(&rng);
            cr_expect(value == cases[c].numbers[i], "case %zu, number %zu: %08x", c, i, value);
        }
    }
}

Test(random, a_64_bit_number_is_two_32_bit_numbers_high_one_first)
{
    fl_rng a, b;
    fl_rng_seed(&a, 5, FL_PURPOSE_FAULTS, 9);
    b = a;
    for (int i = 0; i < 1000; i++) {
        uint64_t high = fl_rng_next32(&a), low = fl_rng_next32(&a), both = fl_rng_next64(&b);
        cr_assert(both == (high << 32 | low), "number %d", i);
    }
}

Test(random, seeds_purposes_and_trials_all_have_streams_of_their_own)
{
    static const uint64_t seeds[] = {0, 1, 2, 1000, UINT64_MAX},
                          trials[] = {0, 1, 2, 1000000, UINT64_MAX};
    uint64_t firsts[5 * 4 * 5];
    size_t count = 0;
    for (size_t s = 0; s < 5; s++)
        for (int purpose = FL_PURPOSE_FAULTS; purpose <= FL_PURPOSE_ROUTING; purpose++)
            for (size_t t = 0; t < 5; t++) {
                fl_rng rng;
                fl_rng_seed(&rng, seeds[s], (fl_purpose)purpose, trials[t]);
                cr_assert(rng.increment & 1, "a PCG stream has an odd increment");
                firsts[count] = fl_rng_next64(&rng);
                for (size_t i = 0; i < count; i++)
                    cr_assert(firsts[i] != firsts[count], "streams %zu and %zu begin alike", i,
                              count);
                count++;
            }
}

Test(random, the_first_number_of_a_trial_is_uniform_over_trials)
{
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int purpose = FL_PURPOSE_FAULTS; purpose <= FL_PURPOSE_PAIRS; purpose++) {
            uint64_t counts[135] = {0};
            for (uint64_t trial = 0; trial < 135000; trial++) {
                fl_rng rng;
                fl_rng_seed(&rng, seed, (fl_purpose)purpose, trial);
                counts[fl_rng_below(&rng, 135)]++;
            }
            double p = uniform_p_value(counts, 135);
            cr_expect(p > P_LEAST, "seed %d, purpose %d: p = %g", (int)seed, purpose, p);
        }
}

/* First numbers of two generators, over many trials. */
static double joint_p_value(uint64_t seed_a, fl_purpose purpose_a, uint64_t later, uint64_t seed_b,
                            fl_purpose purpose_b)
{
    uint64_t counts[16 * 16] = {0};
    for (uint64_t trial = 0; trial < 100000; trial++) {
        fl_rng a, b;
        fl_rng_seed(&a, seed_a, purpose_a, trial);
        fl_rng_seed(&b, seed_b, purpose_b, trial + later);
        uint64_t row = fl_rng_below(&a, 16);
        counts[row * 16 + fl_rng_below(&b, 16)]++;
    }
    return uniform_p_value(counts, 16 * 16);
}

Test(random, streams_do_not_know_of_each_other)
{
    double p[] = {
        joint_p_value(0, FL_PURPOSE_FAULTS, 0, 0, FL_PURPOSE_PAIRS),
        joint_p_value(1, FL_PURPOSE_FAULTS, 0, 1, FL_PURPOSE_PAIRS),
        joint_p_value(1, FL_PURPOSE_FAULTS, 0, 1, FL_PURPOSE_ROUTING),
        joint_p_value(0, FL_PURPOSE_FAULTS, 0, 1, FL_PURPOSE_FAULTS),
        joint_p_value(0, FL_PURPOSE_FAULTS, 1, 0, FL_PURPOSE_FAULTS),
        joint_p_value(0, FL_PURPOSE_PAIRS, 1, 0, FL_PURPOSE_PAIRS),
        joint_p_value(0, FL_PURPOSE_FAULTS, 0, 1, FL_PURPOSE_PAIRS),
    };
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++)
        cr_expect(p[i] > P_LEAST, "combination %zu: p = %g", i, p[i]);
}

Test(random, below_stays_below_its_bound)
{
    static const uint64_t bounds[] = {1,
                                      2,
                                      3,
                                      135,
                                      UINT64_C(1) << 31,
                                      (UINT64_C(1) << 31) + 1,
                                      UINT32_MAX,
                                      UINT64_C(1) << 32,
                                      (UINT64_C(1) << 32) + 1,
                                      (UINT64_C(1) << 63) + 1,
                                      UINT64_MAX};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        fl_rng rng;
        fl_rng_seed(&rng, i, FL_PURPOSE_FAULTS, 0);
        for (int draw = 0; draw < 10000; draw++) {
            uint64_t value = fl_rng_below(&rng, bounds[i]);
            cr_assert(value < bounds[i], "%llu is not below %llu", (unsigned long long)value,
                      (unsigned long long)bounds[i]);
        }
    }
}

Test(random, below_is_uniform_for_small_bounds)
{
    static const uint64_t bounds[] = {2, 3, 7, 12, 135, 1000};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        uint64_t counts[1000] = {0};
        fl_rng rng;
        fl_rng_seed(&rng, 77, FL_PURPOSE_FAULTS, i);
        for (int draw = 0; draw < 500000; draw++)
            counts[fl_rng_below(&rng, bounds[i])]++;
        double p = uniform_p_value(counts, bounds[i]);
        cr_expect(p > P_LEAST, "bound %d: p = %g", (int)bounds[i], p);
    }
}

/* A remainder would make the lower third twice as likely here, a product without rejection
 * every third value. */
Test(random, below_is_uniform_for_bounds_near_the_width_of_a_number)
{
    fl_rng rng;
    fl_rng_seed(&rng, 78, FL_PURPOSE_FAULTS, 0);
    uint64_t thirds[3] = {0}, remainders[3] = {0}, wide[3] = {0};
    for (int draw = 0; draw < 300000; draw++) {
        uint64_t value = fl_rng_below(&rng, UINT64_C(3) << 30);
        thirds[value >> 30]++;
        remainders[value % 3]++;
        wide[fl_rng_below(&rng, UINT64_C(3) << 62) >> 62]++;
    }
    cr_expect(uniform_p_value(thirds, 3) > P_LEAST, "thirds of 3 * 2^30: %g",
              uniform_p_value(thirds, 3));
    cr_expect(uniform_p_value(remainders, 3) > P_LEAST, "remainders of 3 * 2^30: %g",
              uniform_p_value(remainders, 3));
    cr_expect(uniform_p_value(wide, 3) > P_LEAST, "thirds of 3 * 2^62: %g",
              uniform_p_value(wide, 3));
}

/* The function for large bounds also takes small ones, where an error at the bound shows. */
Test(random, the_wide_variant_of_below_is_right_for_small_bounds_too)
{
    fl_rng rng;
    fl_rng_seed(&rng, 79, FL_PURPOSE_FAULTS, 0);
    for (uint64_t bound = 1; bound <= 9; bound++) {
        uint64_t counts[9] = {0};
        for (int draw = 0; draw < 100000; draw++) {
            uint64_t value = fl_rng_below_wide(&rng, bound);
            cr_assert(value < bound, "%d is not below %d", (int)value, (int)bound);
            counts[value]++;
        }
        double p = bound == 1 ? 1 : uniform_p_value(counts, bound);
        cr_expect(p > P_LEAST, "bound %d: p = %g", (int)bound, p);
    }
}

/* ---- statistics ---------------------------------------------------------- */

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

/* Newcombe, "Two-sided confidence intervals for the single proportion" (1998), Table I, method 3.
 */
Test(bits, are_counted_and_found)
{
    fl_rng rng;
    fl_rng_seed_raw(&rng, 5, 1);
    cr_expect_eq(fl_bit_count(0), 0);
    for (unsigned round = 0; round < 1000; round++) {
        uint64_t bits = fl_rng_next64(&rng) & fl_rng_next64(&rng) & (UINT64_MAX >> round % 64) &
                        (UINT64_MAX << round / 64);
        unsigned count = 0, lowest = 64, highest = 64;
        for (unsigned i = 0; i < 64; i++) {
            if (!(bits >> i & 1))
                continue;
            count++;
            lowest = lowest == 64 ? i : lowest;
            highest = i;
        }
        cr_assert_eq(fl_bit_count(bits), count);
        cr_assert(!bits || (fl_lowest_bit(bits) == lowest && fl_highest_bit(bits) == highest),
                  "%llx", (unsigned long long)bits);
    }
}

Test(statistics, wilson_gives_the_published_intervals)
{
    static const struct {
        uint64_t successes, trials;
        double low, high;
    } published[] = {{81, 263, .2553, .3662},
                     {15, 148, .0624, .1605},
                     {0, 20, .0000, .1611},
                     {1, 29, .0061, .1718}};
    for (size_t i = 0; i < 4; i++) {
        fl_interval it = fl_stats_wilson(published[i].successes, published[i].trials, FL_Z95);
        cr_expect(near(it.low, published[i].low, 5e-5) && near(it.high, published[i].high, 5e-5),
                  "case %zu: %g to %g", i, it.low, it.high);
    }
}

Test(statistics, wilson_touches_0_and_1_exactly_and_is_symmetric)
{
    for (uint64_t trials = 1; trials < 2000; trials += 7) {
        fl_interval none = fl_stats_wilson(0, trials, FL_Z95),
                    all = fl_stats_wilson(trials, trials, FL_Z95);
        cr_assert(none.low == 0 && none.high > 0 && none.high < 1, "0 of %d", (int)trials);
        cr_assert(all.high == 1 && all.low > 0 && all.low < 1, "all of %d", (int)trials);
        fl_interval some = fl_stats_wilson(trials / 3, trials, 2.5),
                    rest = fl_stats_wilson(trials - trials / 3, trials, 2.5);
        cr_assert(near(some.low, 1 - rest.high, 1e-12) && near(some.high, 1 - rest.low, 1e-12),
                  "%d trials", (int)trials);
    }
}

/* The ends of the interval are the proportions at which the observed one is z standard errors
 * away: that is its definition. */
Test(statistics, wilson_solves_its_defining_equation)
{
    for (uint64_t successes = 1; successes < 1000; successes += 37) {
        fl_interval it = fl_stats_wilson(successes, 1000, 3);
        double p = (double)successes / 1000;
        cr_assert(near((p - it.low) / sqrt(it.low * (1 - it.low) / 1000), 3, 1e-9),
                  "lower end for %d", (int)successes);
        cr_assert(near((it.high - p) / sqrt(it.high * (1 - it.high) / 1000), 3, 1e-9),
                  "upper end for %d", (int)successes);
    }
}

Test(statistics, the_interval_of_a_mean_is_right_for_1_2_3_4)
{
    /* Mean 5/2, variance 5/3, standard error sqrt(5/12). */
    fl_interval it;
    cr_assert(fl_stats_mean_interval(4, 10, 30, 1.96, &it), "four values are enough");
    cr_expect(near(it.low, 2.5 - 1.26517456, 1e-8) && near(it.high, 2.5 + 1.26517456, 1e-8),
              "%g to %g", it.low, it.high);
}

Test(statistics, the_interval_of_a_mean_needs_two_values)
{
    fl_interval it = {7, 7};
    cr_expect(!fl_stats_mean_interval(0, 0, 0, FL_Z95, &it), "no value");
    cr_expect(!fl_stats_mean_interval(1, 5, 25, FL_Z95, &it), "one value");
    cr_expect(it.low == 7 && it.high == 7, "nothing was written");
}

Test(statistics, the_interval_of_equal_values_is_a_point_and_never_nan)
{
    fl_interval it;
    cr_assert(fl_stats_mean_interval(3, 0.1 + 0.1 + 0.1, 0.01 + 0.01 + 0.01, FL_Z95, &it),
              "three values");
    cr_expect(near(it.low, .1, 1e-8) && near(it.high, .1, 1e-8), "%g to %g", it.low, it.high);
}

/* The approval ratings of Agresti and Min (2005): 150 and 86 changed their minds, of 1600. By
 * hand: (150.5 - 86.5) / 1602 -+ 1.959964 sqrt(237 - 64^2 / 1602) / 1602. */
Test(statistics, the_paired_difference_is_right_for_a_published_table)
{
    fl_interval it = fl_stats_paired_difference(150, 86, 1600, FL_Z95);
    cr_expect(near(it.low, .039950062 - .018732873, 1e-8) &&
                  near(it.high, .039950062 + .018732873, 1e-8),
              "%g to %g", it.low, it.high);
}

Test(statistics, the_paired_difference_is_antisymmetric_and_stays_in_bounds)
{
    fl_interval ab = fl_stats_paired_difference(30, 4, 100, FL_Z95),
                ba = fl_stats_paired_difference(4, 30, 100, FL_Z95);
    cr_expect(near(ab.low, -ba.high, 1e-12) && near(ab.high, -ba.low, 1e-12), "a - b and b - a");
    fl_interval most = fl_stats_paired_difference(3, 0, 3, 10);
    cr_expect(most.low >= -1 && most.high <= 1, "%g to %g", most.low, most.high);
}

Test(statistics, the_paired_difference_of_equal_routers_is_no_point)
{
    fl_interval it = fl_stats_paired_difference(0, 0, 1000, FL_Z95);
    cr_expect(it.low < 0 && it.high > 0 && near(it.low, -it.high, 1e-12), "%g to %g", it.low,
              it.high);
}

/* 2 degrees of freedom: exp(-x/2); 4: that times 1 + x/2; 1: erfc(sqrt(x/2)). */
Test(statistics, the_chi_square_tail_equals_its_closed_forms)
{
    for (double x = .01; x < 300; x *= 1.3) {
        double half = exp(-x / 2);
        cr_assert(near(chi_square_tail(x, 2) / half, 1, 1e-10), "2 degrees of freedom, x = %g", x);
        cr_assert(near(chi_square_tail(x, 4) / (half * (1 + x / 2)), 1, 1e-10),
                  "4 degrees of freedom, x = %g", x);
        cr_assert(near(chi_square_tail(x, 1) / erfc(sqrt(x / 2)), 1, 1e-10),
                  "1 degree of freedom, x = %g", x);
    }
}

Test(statistics, the_chi_square_tail_gives_the_values_of_the_tables)
{
    static const struct {
        double x, freedom, tail;
    } table[] = {{3.841458821, 1, .05},   {6.634896601, 1, .01},   {18.30703805, 10, .05},
                 {23.20925116, 10, .01},  {2.155856481, 10, .995}, {124.3421134, 100, .05},
                 {77.92946516, 100, .95}, {1074.679449, 1000, .05}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double tail = chi_square_tail(table[i].x, table[i].freedom);
        cr_expect(near(tail, table[i].tail, 1e-8), "x = %g, %g degrees of freedom: %.10f",
                  table[i].x, table[i].freedom, tail);
    }
    cr_expect(chi_square_tail(0, 5) == 1, "nothing is as likely as at least nothing");
    cr_expect(chi_square_tail(1e5, 10) < 1e-300, "far out");
}

/* ---- text ---------------------------------------------------------------- */

static const char *const router_names[] = {"shortest", "adaptive-up", "gns", "three-turn",
                                           "x-turns",  "gdl",         NULL};
static const char *const network_names[] = {"kary-ntree", "mikant", NULL};
static const char *const short_names[] = {"k", "n", NULL};

static void expect_nearest(const char *word, const char *const *names, const char *expected)
{
    const char *nearest = fl_text_nearest(word, names);
    bool same = nearest && expected ? strcmp(nearest, expected) == 0 : nearest == expected;
    cr_expect(same, "nearest to '%s' is %s, not %s", word, nearest ? nearest : "nothing",
              expected ? expected : "nothing");
}

Test(text, a_slip_finds_the_name_that_was_meant)
{
    expect_nearest("gsn", router_names, "gns");
    expect_nearest("GNS", router_names, "gns");
    expect_nearest("gdll", router_names, "gdl");
    expect_nearest("threeturn", router_names, "three-turn");
    expect_nearest("tree-turn", router_names, "three-turn");
    expect_nearest("xturns", router_names, "x-turns");
    expect_nearest("shortst", router_names, "shortest");
    expect_nearest("adaptive_up", router_names, "adaptive-up");
    expect_nearest("mikan", network_names, "mikant");
    expect_nearest("Mikant", network_names, "mikant");
    expect_nearest("karyntree", network_names, "kary-ntree");
    expect_nearest("K", short_names, "k");
}

Test(text, nonsense_is_near_to_nothing)
{
    expect_nearest("", router_names, NULL);
    expect_nearest("banana", router_names, NULL);
    expect_nearest("torus", network_names, NULL);
    expect_nearest("dragonfly", network_names, NULL);
    expect_nearest("x", router_names, NULL);
    expect_nearest("gns", (const char *const[]){NULL}, NULL);
}

/* The library's own limit: a word with more than about a third of its letters wrong is another
 * word. */
Test(text, a_name_without_a_right_letter_is_near_to_nothing)
{
    expect_nearest("q", short_names, NULL);
    expect_nearest("m", short_names, NULL);
}

Test(text, very_long_words_are_near_to_nothing_and_break_nothing)
{
    char word[5000];
    memset(word, 'g', sizeof word);
    for (size_t length = 60; length < sizeof word; length = length < 70 ? length + 1 : length * 2) {
        word[length] = 0;
        expect_nearest(word, router_names, NULL);
        expect_nearest("gns", (const char *const[]){word, "gns", NULL}, "gns");
        word[length] = 'g';
    }
}

Test(text, integers_are_read)
{
    uint64_t value = 9;
    cr_expect(fl_text_to_u64("0", &value) && value == 0, "0");
    cr_expect(fl_text_to_u64("135", &value) && value == 135, "135");
    cr_expect(fl_text_to_u64("007", &value) && value == 7, "007");
    cr_expect(fl_text_to_u64("18446744073709551615", &value) && value == UINT64_MAX, "2^64 - 1");
}

Test(text, what_is_no_whole_number_is_refused_and_leaves_the_value)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "1\n",
                                        "0x10",
                                        "1e3",
                                        "1.0",
                                        "nan",
                                        "one",
                                        "1,000",
                                        "18446744073709551616",
                                        "99999999999999999999999",
                                        "184467440737095516150",
                                        "\xd9\xa1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint64_t value = 77;
        cr_expect(!fl_text_to_u64(texts[i], &value) && value == 77, "'%s' is refused", texts[i]);
    }
}

Test(text, decimal_numbers_are_read)
{
    double value = 9;
    cr_expect(fl_text_to_double("0", &value) && value == 0, "0");
    cr_expect(fl_text_to_double("0.05", &value) && value == .05, "0.05");
    cr_expect(fl_text_to_double(".5", &value) && value == .5, ".5");
    cr_expect(fl_text_to_double("-1.5e-3", &value) && value == -1.5e-3, "-1.5e-3");
    cr_expect(fl_text_to_double("1E3", &value) && value == 1000, "1E3");
}

Test(text, what_is_no_decimal_number_is_refused_and_leaves_the_value)
{
    static const char *const texts[] = {
        "",       " 1", "1 ", "nan", "NaN", "inf",   "-inf", "infinity", "0x1p3", "0x10", "1e999",
        "-1e999", "1e", "e5", "--1", "1-1", "1.2.3", ".",    "-",        "+",     "1,5",  "1f"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 77;
        cr_expect(!fl_text_to_double(texts[i], &value) && value == 77, "'%s' is refused", texts[i]);
    }
}

Test(text, a_text_grows_and_is_cleared)
{
    fl_text text = {0};
    for (int i = 0; i < 1000; i++)
        fl_text_append(&text, "%d;", i % 10);
    fl_text_append_bytes(&text, "a\0b", 3);
    fl_text_append_bytes(&text, NULL, 0);
    cr_assert(!text.failed && text.length == 2003, "length %zu", text.length);
    cr_expect(strncmp(text.data, "0;1;2;", 6) == 0 && memcmp(text.data + 2000, "a\0b", 4) == 0,
              "the bytes are those appended");
    fl_text_clear(&text);
    cr_expect(!text.data && text.length == 0, "nothing is left");
}

/* Values from the description of FNV-1a. */
Test(text, the_hash_is_fnv_1a)
{
    cr_expect(fl_text_hash("", 0) == UINT64_C(0xcbf29ce484222325), "of nothing");
    cr_expect(fl_text_hash("a", 1) == UINT64_C(0xaf63dc4c8601ec8c), "of a");
    cr_expect(fl_text_hash("foobar", 6) == UINT64_C(0x85944171f73967e8), "of foobar");
}

Test(text, a_failure_keeps_long_texts_inside_the_error)
{
    fl_error error;
    char value[5000];
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = 0;
    cr_expect(fl_fail(&error, FL_ERR_IO, "cannot read %s", value) == FL_ERR_IO,
              "the status comes back");
    cr_expect(strlen(error.text) == sizeof error.text - 1, "cut off at %zu", strlen(error.text));
    cr_expect(fl_fail(NULL, FL_ERR_INVALID, "%s", value) == FL_ERR_INVALID,
              "there need not be a listener");
}

/* ---- files --------------------------------------------------------------- */

typedef struct folder {
    char path[128];
} folder;

static folder need_folder(void)
{
    folder f;
    const char *where = getenv("TMPDIR");
    snprintf(f.path, sizeof f.path, "%.80s/faultline-test-XXXXXX", where ? where : "/tmp");
    cr_assert(mkdtemp(f.path) != NULL, "a folder for the test");
    return f;
}

static const char *inside(const folder *f, const char *name)
{
    static char paths[4][256];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%.120s/%.120s", f->path, name);
    return path;
}

static unsigned count_files(const folder *f)
{
    unsigned count = 0;
    DIR *listing = opendir(f->path);
    cr_assert(listing != NULL, "the folder can be read");
    for (const struct dirent *entry; (entry = readdir(listing));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

static void remove_folder(const folder *f)
{
    DIR *listing = opendir(f->path);
    for (const struct dirent *entry; listing && (entry = readdir(listing));)
        remove(inside(f, entry->d_name)); /* fails for . and .. */
    if (listing)
        closedir(listing);
    cr_expect(rmdir(f->path) == 0, "the test cleans up behind itself");
}

static void expect_content(const char *path, const char *expected, size_t expected_length)
{
    char *data = NULL;
    size_t length = 0;
    fl_error error = {.text = ""};
    cr_assert(fl_file_read(&data, &length, path, 1 << 20, &error) == FL_OK, "%s", error.text);
    cr_expect(length == expected_length && memcmp(data, expected, length) == 0, "the content of %s",
              path);
    cr_expect(data[length] == 0, "ended by 0");
    free(data);
}

Test(files, what_is_written_is_read_back_byte_for_byte)
{
    folder f = need_folder();
    const char *path = inside(&f, "a");
    cr_assert(fl_file_write(path, "a\0b\n", 4, NULL) == FL_OK, "write");
    expect_content(path, "a\0b\n", 4);
    cr_assert(fl_file_write(path, "", 0, NULL) == FL_OK, "write nothing");
    expect_content(path, "", 0);
    cr_expect(fl_file_exists(path) && !fl_file_exists(inside(&f, "b")), "exists");
    remove_folder(&f);
}

/* A reader that has opened the old file keeps reading the old content; one that opens it now gets
 * the new content. */
Test(files, an_overwritten_file_is_old_or_new_and_never_a_mixture)
{
    folder f = need_folder();
    const char *path = inside(&f, "a");
    cr_assert(fl_file_write(path, "old content", 11, NULL) == FL_OK, "the old file");
    int reader = open(path, O_RDONLY);
    cr_assert(reader >= 0, "a reader");
    cr_assert(fl_file_write(path, "new", 3, NULL) == FL_OK, "the new file");
    char seen[32] = "";
    cr_expect(read(reader, seen, sizeof seen - 1) == 11 && strcmp(seen, "old content") == 0,
              "the reader saw '%s'", seen);
    close(reader);
    expect_content(path, "new", 3);
    cr_expect(count_files(&f) == 1, "no neighbour file is left");
    remove_folder(&f);
}

/* A full disk, simulated by a limit on the size of files. */
Test(files, a_write_that_fails_half_candidate_leaves_the_old_file_and_no_other)
{
    folder f = need_folder();
    const char *path = inside(&f, "a");
    cr_assert(fl_file_write(path, "old", 3, NULL) == FL_OK, "the old file");
    char *large = need_memory(100000, 1);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 5000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    fl_error error = {.text = ""};
    fl_status status = fl_file_write(path, large, 100000, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    cr_expect(status == FL_ERR_IO && strstr(error.text, path), "status %d: %s", (int)status,
              error.text);
    expect_content(path, "old", 3);
    cr_expect(count_files(&f) == 1, "no neighbour file is left");
    free(large);
    remove_folder(&f);
}

/* Other users may write into the folder too: a link under the temporary file's name must not be
 * followed. */
Test(files, a_link_in_place_of_the_neighbour_file_is_not_followed)
{
    folder f = need_folder();
    char neighbour[64];
    snprintf(neighbour, sizeof neighbour, "a.%ld.part", (long)getpid());
    const char *path = inside(&f, "a"), *victim = inside(&f, "victim");
    cr_assert(fl_file_write(victim, "mine", 4, NULL) == FL_OK, "the victim");
    cr_assert(symlink(victim, inside(&f, neighbour)) == 0, "the link");
    fl_error error = {.text = ""};
    cr_expect(fl_file_write(path, "new", 3, &error) == FL_OK, "%s", error.text);
    expect_content(victim, "mine", 4);
    expect_content(path, "new", 3);
    cr_expect(count_files(&f) == 2, "no neighbour file is left");
    remove_folder(&f);
}

static void expect_unwritable(const char *path)
{
    fl_error error = {.text = ""};
    cr_expect(fl_file_write(path, "x", 1, &error) == FL_ERR_IO, "%s cannot be written", path);
    cr_expect(strstr(error.text, path) != NULL, "the message names %s: %s", path, error.text);
}

Test(files, a_file_that_cannot_be_written_is_an_error_that_names_it)
{
    folder f = need_folder();
    cr_assert(fl_file_write(inside(&f, "file"), "x", 1, NULL) == FL_OK, "a file");
    expect_unwritable(inside(&f, "missing/file"));
    expect_unwritable(inside(&f, "file/file"));
    expect_unwritable(f.path); /* a folder */
    char part[256];
    snprintf(part, sizeof part, "%s.%ld.part", f.path, (long)getpid());
    cr_expect(!fl_file_exists(part), "no neighbour file is left");
    if (geteuid() != 0) { /* root may write everywhere */
        chmod(f.path, 0500);
        expect_unwritable(inside(&f, "b"));
        chmod(f.path, 0700);
    }
    remove_folder(&f);
}

Test(files, reading_keeps_to_the_limit)
{
    folder f = need_folder();
    const char *path = inside(&f, "a");
    char *data = NULL;
    size_t length;
    fl_error error = {.text = ""};
    cr_assert(fl_file_write(path, "12345", 5, NULL) == FL_OK, "five bytes");
    cr_assert(fl_file_read(&data, &length, path, 5, &error) == FL_OK && length == 5,
              "five are allowed: %s", error.text);
    free(data);
    cr_expect(fl_file_read(&data, &length, path, 4, &error) == FL_ERR_INVALID &&
                  strstr(error.text, path),
              "four are allowed");
    remove_folder(&f);
}

Test(files, what_cannot_be_read_is_an_error_that_names_it)
{
    folder f = need_folder();
    char *data;
    size_t length;
    fl_error error = {.text = ""};
    const char *missing = inside(&f, "missing");
    cr_expect(fl_file_read(&data, &length, missing, 100, &error) == FL_ERR_IO &&
                  strstr(error.text, missing),
              "missing: %s", error.text);
    error.text[0] = 0;
    cr_expect(fl_file_read(&data, &length, f.path, 100, &error) == FL_ERR_IO &&
                  strstr(error.text, f.path),
              "a folder: %s", error.text);
    remove_folder(&f);
}

Test(files, folders_are_made_with_those_above_them)
{
    folder f = need_folder();
    const char *deep = inside(&f, "a/b//c");
    cr_expect(fl_file_make_folder(deep, NULL) == FL_OK, "three at once");
    cr_expect(fl_file_make_folder(deep, NULL) == FL_OK, "again");
    cr_expect(fl_file_make_folder(inside(&f, "a/"), NULL) == FL_OK, "with a slash at its end");
    cr_expect(fl_file_write(inside(&f, "a/b/c/file"), "x", 1, NULL) == FL_OK, "a file inside");
    fl_error error = {.text = ""};
    const char *below_file = inside(&f, "a/b/c/file/d");
    cr_expect(fl_file_make_folder(below_file, &error) == FL_ERR_IO && strstr(error.text, "file"),
              "below a file: %s", error.text);
    cr_expect(fl_file_make_folder(inside(&f, "a/b/c/file"), &error) == FL_ERR_IO,
              "where a file is");
    remove(inside(&f, "a/b/c/file"));
    rmdir(inside(&f, "a/b/c"));
    rmdir(inside(&f, "a/b"));
    remove_folder(&f);
}

/* ---- JSON ---------------------------------------------------------------- */

static void expect_json(const char *text)
{
    cJSON *json = NULL;
    fl_error error = {.text = ""};
    cr_expect(fl_json_parse(&json, text, strlen(text), "test.json", &error) == FL_OK && json,
              "%s: %s", text, error.text);
    cJSON_Delete(json);
}

static void expect_bad_json(const char *text, size_t length, const char *says)
{
    cJSON *json = NULL;
    fl_error error = {.text = ""};
    fl_status status = fl_json_parse(&json, text, length, "test.json", &error);
    expect_refused(status, &error, text, says);
    if (status)
        cr_expect(strstr(error.text, "test.json") != NULL, "the message says where: %s",
                  error.text);
    else
        cJSON_Delete(json);
}

#define EXPECT_BAD_JSON(text, says) expect_bad_json(text, sizeof(text) - 1, says)

Test(json, valid_texts_are_taken)
{
    expect_json("{}");
    expect_json(" \n[1, 2.5e3, \"a\", true, false, null, {\"k\": []}]\r\n\t ");
    expect_json("{\"a\": {\"a\": 1}, \"b\": {\"a\": 2}}");
    expect_json("\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \\u00e9 \\ud83d\\ude00\"");
}

Test(json, a_key_that_stands_twice_is_refused_also_deep_inside)
{
    EXPECT_BAD_JSON("{\"seed\": 1, \"trials\": 2, \"seed\": 3}", "seed");
    EXPECT_BAD_JSON("{\"a\": {\"b\": [1, {\"c\": 1, \"d\": 2, \"c\": 1}]}}", "'c'");
    EXPECT_BAD_JSON("[[[{\"x\": 1, \"x\": 1}]]]", "'x'");
}

Test(json, a_key_spelled_in_two_candidates_stands_twice)
{
    EXPECT_BAD_JSON("{\"a\": 1, \"\\u0061\": 2}", "'a'");
}

Test(json, keys_that_differ_in_case_are_two_keys)
{
    expect_json("{\"a\": 1, \"A\": 2}");
}

Test(json, truncated_texts_are_refused_at_every_length)
{
    const char *text = "{\"name\": [1, 2.5, \"t\\u00e9xt\", {\"deep\": null}], \"x\": true}";
    for (size_t length = 0; length < strlen(text); length++) {
        char *part = need_memory(length + 1, 1);
        memcpy(part, text, length);
        cJSON *json = NULL;
        fl_error error = {.text = ""};
        cr_expect(fl_json_parse(&json, part, length, "test.json", &error) == FL_ERR_INVALID,
                  "the first %zu bytes", length);
        free(part);
    }
    EXPECT_BAD_JSON("", "too early");
    EXPECT_BAD_JSON("{\"a\": ", "too early");
    EXPECT_BAD_JSON("[1, 2", "too early");
}

Test(json, nothing_behind_the_text_is_read)
{
    static const char *const texts[] = {
        "1",
        "-1.5e3",
        "0",
        "true",
        "null",
        "\"a\"",
        "[1,2]",
        "{\"a\":1}",
        "[1] ",
        "\"\\u00e9\"",
        "1234567890123456789012345678901234567890123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i]);
        char *part = need_memory(length, 1); /* the sanitizer checks what follows it */
        memcpy(part, texts[i], length);
        cJSON *json = NULL;
        fl_error error = {.text = ""};
        cr_expect(fl_json_parse(&json, part, length, "test.json", &error) == FL_OK, "%s: %s",
                  texts[i], error.text);
        cJSON_Delete(json);
        free(part);
    }
    /* A number ends at the end of the text, even if digits follow in memory. */
    cJSON *json = NULL;
    cr_assert(fl_json_parse(&json, "1234", 2, "test.json", NULL) == FL_OK, "valid");
    cr_expect(json->valuedouble == 12, "12, not %g", json->valuedouble);
    cJSON_Delete(json);
}

Test(json, trailing_text_is_refused_and_its_place_named)
{
    EXPECT_BAD_JSON("{} x", "line 1, column 4");
    EXPECT_BAD_JSON("{}\n{}", "line 2, column 1");
    EXPECT_BAD_JSON("[1],", "column 4");
}

Test(json, what_is_no_json_is_refused_and_its_place_named)
{
    EXPECT_BAD_JSON("{\"a\" 1}", "line 1, column 6");
    EXPECT_BAD_JSON("{\n \"a\": 1,\n \"b\": oops\n}", "line 3");
    EXPECT_BAD_JSON("[1, 2,]", "line 1");
    EXPECT_BAD_JSON("{'a': 1}", "line 1");
    EXPECT_BAD_JSON("// comment\n{}", "line 1");
}

static void nest(char *out, int depth, const char *open, const char *close)
{
    out[0] = 0;
    for (int i = 0; i < depth; i++)
        strcat(out, open);
    strcat(out, "1");
    for (int i = 0; i < depth; i++)
        strcat(out, close);
}

Test(json, nesting_is_allowed_64_levels_deep_and_no_deeper)
{
    char text[1000];
    nest(text, 64, "[", "]");
    expect_json(text);
    nest(text, 65, "[", "]");
    expect_bad_json(text, strlen(text), "column 65");
    nest(text, 64, "{\"a\":", "}");
    expect_json(text);
    nest(text, 65, "{\"a\":", "}");
    expect_bad_json(text, strlen(text), "64 levels");
}

Test(json, brackets_in_strings_are_no_nesting)
{
    char text[200];
    snprintf(text, sizeof text, "[\"%s\\\"%s\"]", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
             "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{");
    expect_json(text);
}

Test(json, a_million_brackets_do_not_exhaust_the_stack)
{
    size_t length = 1000000;
    char *text = need_memory(length + 1, 1);
    memset(text, '[', length);
    expect_bad_json(text, length, "64 levels");
    free(text);
}

Test(json, invalid_utf8_is_refused_and_its_place_named)
{
    EXPECT_BAD_JSON("\"\xff\"", "column 2");
    EXPECT_BAD_JSON("\"\xc3\"", "column 2");                   /* ends too early */
    EXPECT_BAD_JSON("{\"a\":\n\"\x80\"}", "line 2, column 2"); /* begins in the middle */
    EXPECT_BAD_JSON("\"\xc0\xaf\"", "UTF-8");                  /* overlong / */
    EXPECT_BAD_JSON("\"\xe0\x80\x80\"", "UTF-8");              /* overlong NUL */
    EXPECT_BAD_JSON("\"\xed\xa0\x80\"", "UTF-8");              /* surrogate */
    EXPECT_BAD_JSON("\"\xf4\x90\x80\x80\"", "UTF-8");          /* above U+10FFFF */
    EXPECT_BAD_JSON("\"\xf0\x9f\x98", "UTF-8");                /* text ends inside a character */
}

Test(json, nul_bytes_are_refused)
{
    EXPECT_BAD_JSON("{}\0", "column 3");
    EXPECT_BAD_JSON("{\"a\0b\": 1}", "column 4");
    EXPECT_BAD_JSON("\0{}", "column 1");
}

/* C strings end at the NUL: what comes after it would silently be lost. */
Test(json, an_escaped_nul_is_refused)
{
    EXPECT_BAD_JSON("{\"name\": \"a\\u0000b\"}", "test.json");
}

static void expect_unknown_key(const char *text, const char *says)
{
    static const char *const keys[] = {"name", "topology", "routers", "trials", "seed", NULL};
    cJSON *json = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_json_parse(&json, text, strlen(text), "spec", &error) == FL_OK, "%s", error.text);
    expect_refused(fl_json_check_keys(json, keys, &error), &error, text, says);
    cJSON_Delete(json);
}

Test(json, an_unknown_key_is_refused_with_the_key_that_was_meant)
{
    expect_unknown_key("{\"name\": 1, \"triasl\": 2}", "did you mean 'trials'");
    expect_unknown_key("{\"Seed\": 2}", "did you mean 'seed'");
    expect_unknown_key("{\"topolgy\": 2}", "'topolgy'");
    expect_unknown_key("{\"colour\": 2}", "name, topology, routers, trials, seed");
}

Test(json, known_keys_pass)
{
    static const char *const keys[] = {"a", "b", NULL};
    cJSON *json = NULL;
    cr_assert(fl_json_parse(&json, "{\"b\": 1}", 8, "spec", NULL) == FL_OK, "valid");
    cr_expect(fl_json_check_keys(json, keys, NULL) == FL_OK, "b is known");
    cJSON_Delete(json);
}

static fl_status read_number(const char *text, uint64_t *out, fl_error *error)
{
    cJSON *json = NULL;
    cr_assert(fl_json_parse(&json, text, strlen(text), "n", error) == FL_OK, "%s is JSON", text);
    fl_status status = fl_json_u64(out, json, "trials", error);
    cJSON_Delete(json);
    return status;
}

Test(json, integers_are_read_exactly)
{
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {{"0", 0},
                 {"1e6", 1000000},
                 {"135.0", 135},
                 {"9007199254740991", UINT64_C(9007199254740991)}};
    for (size_t i = 0; i < 4; i++) {
        uint64_t value = 7;
        fl_error error = {.text = ""};
        cr_expect(read_number(cases[i].text, &value, &error) == FL_OK && value == cases[i].value,
                  "%s: %s", cases[i].text, error.text);
    }
}

Test(json, what_is_no_whole_number_is_refused)
{
    static const char *const texts[] = {"-1",   "1.5", "1e30",  "\"5\"",           "true",
                                        "null", "[]",  "1e400", "9007199254740994"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint64_t value = 77;
        fl_error error = {.text = ""};
        expect_refused(read_number(texts[i], &value, &error), &error, texts[i], "2^53 - 1");
        cr_expect(value == 77, "nothing was written");
    }
}

/* 2^53 + 1 reads as 2^53: a seed other than the one in the file must not be used silently. */
Test(json, a_number_that_json_cannot_carry_exactly_is_refused)
{
    uint64_t value = 77;
    fl_error error = {.text = ""};
    expect_refused(read_number("9007199254740993", &value, &error), &error, "9007199254740993",
                   "2^53 - 1");
}

/* For any bytes: one replacement character for each byte that belongs to no character. */
Test(json, what_is_no_text_is_replaced_and_the_json_stays_valid)
{
    static const char *const texts[][2] = {
        {"\xff", "\xef\xbf\xbd"},
        {"a\xc3", "a\xef\xbf\xbd"},
        {"\xc3\xa9\x80z", "\xc3\xa9\xef\xbf\xbdz"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fl_text text = {0};
        fl_json_append_string(&text, texts[i][0]);
        cJSON *json = NULL;
        fl_error error = {.text = ""};
        cr_assert(fl_json_parse(&json, text.data, text.length, "string", &error) == FL_OK, "%s",
                  error.text);
        cr_expect(strcmp(json->valuestring, texts[i][1]) == 0, "text %zu", i);
        cr_expect(!fl_text_is_utf8(texts[i][0]) && fl_text_is_utf8(texts[i][1]), "text %zu", i);
        cJSON_Delete(json);
        fl_text_clear(&text);
    }
}

Test(text, cells_are_quoted_where_they_need_it)
{
    static const char *const cells[][2] = {
        {"plain", "plain"},   {"a,b", "\"a,b\""},   {"say \"x\"", "\"say \"\"x\"\"\""},
        {"a\nb", "\"a\nb\""}, {"a\rb", "\"a\rb\""}, {"", ""},
        {"-1.5", "-1.5"}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        fl_text text = {0};
        fl_csv_append(&text, cells[i][0]);
        cr_expect_str_eq(text.data, cells[i][1]);
        fl_text_clear(&text);
    }
}

Test(json, strings_survive_being_written_and_read)
{
    char all[256];
    for (int i = 1; i < 128; i++)
        all[i - 1] = (char)i;
    strcpy(all + 127, "\xc3\xa9\xf0\x9f\x98\x80");
    fl_text text = {0};
    fl_json_append_string(&text, all);
    cJSON *json = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_json_parse(&json, text.data, text.length, "string", &error) == FL_OK, "%s",
              error.text);
    cr_expect(strcmp(json->valuestring, all) == 0, "the same string");
    cJSON_Delete(json);
    fl_text_clear(&text);
}
/* ---- writing JSON ---- */

static void expect_written(fl_text *text, const char *expected)
{
    cJSON *json = NULL;
    cr_expect(text->data && strcmp(text->data, expected) == 0, "%s\ninstead of\n%s", text->data,
              expected);
    cr_expect(text->data && (json = cJSON_Parse(text->data)) != NULL, "cJSON cannot read it");
    cJSON_Delete(json);
    fl_text_clear(text);
}

Test(json_writer, commas_and_lines_are_those_of_the_layout)
{
    fl_text text = {0};
    fl_json_writer out = fl_json_writer_begin(&text, 2);
    fl_json_open_object(&out, NULL);
    fl_json_line(&out);
    fl_json_text(&out, "name", "a");
    fl_json_number(&out, "links", UINT64_MAX);
    fl_json_line(&out);
    fl_json_open_packed(&out, "counts");
    for (uint64_t i = 0; i < 3; i++)
        fl_json_number(&out, NULL, i * 5);
    fl_json_close(&out);
    fl_json_line(&out);
    fl_json_open_array(&out, "sets");
    for (unsigned i = 0; i < 2; i++) {
        fl_json_line(&out);
        fl_json_open_object(&out, NULL);
        fl_json_bool(&out, "up", i > 0);
        fl_json_open_array(&out, "none");
        fl_json_close(&out);
        fl_json_close(&out);
    }
    fl_json_line(&out);
    fl_json_close(&out);
    fl_json_line(&out);
    fl_json_close(&out);
    expect_written(&text,
                   "{\n  \"name\": \"a\", \"links\": 18446744073709551615,\n"
                   "  \"counts\": [0,5,10],\n  \"sets\": [\n"
                   "    {\"up\": false, \"none\": []},\n    {\"up\": true, \"none\": []}\n  ]\n}");
}

Test(json_writer, lines_can_be_indented_as_the_caller_wants)
{
    fl_text text = {0};
    fl_json_writer out = fl_json_writer_begin(&text, 2);
    fl_json_open_array(&out, NULL);
    fl_json_line(&out);
    fl_json_open_object(&out, NULL);
    fl_json_indent(&out, 3);
    fl_json_line(&out);
    fl_json_open_array(&out, "a");
    fl_json_line(&out);
    fl_json_null(&out, NULL);
    fl_json_line(&out);
    fl_json_close(&out);
    fl_json_close(&out);
    fl_json_close(&out);
    expect_written(&text, "[\n  {\n   \"a\": [\n     null\n   ]}]");
}

Test(json_writer, keys_and_texts_are_escaped)
{
    fl_text text = {0};
    fl_json_writer out = fl_json_writer_begin(&text, 1);
    fl_json_open_object(&out, NULL);
    fl_json_text(&out, "a\"\\", "line\nend \xff");
    fl_json_text(&out, "none", NULL);
    fl_json_raw(&out, "spec", "{\"k\":3}");
    fl_json_close(&out);
    expect_written(&text, "{\"a\\\"\\\\\": \"line\\u000aend \xef\xbf\xbd\", \"none\": null, "
                          "\"spec\": {\"k\":3}}");
}

Test(json_writer, numbers_that_json_does_not_have_are_null)
{
    fl_text text = {0};
    fl_json_writer out = fl_json_writer_begin(&text, 1);
    fl_json_open_array(&out, NULL);
    fl_json_real(&out, NULL, 0.1, 0);
    fl_json_real(&out, NULL, 1.0 / 3, 4);
    fl_json_fixed(&out, NULL, 2.5, 3);
    fl_json_real(&out, NULL, NAN, 0);
    fl_json_real(&out, NULL, -INFINITY, 4);
    fl_json_fixed(&out, NULL, INFINITY, 2);
    fl_json_number_or_null(&out, NULL, true, 0);
    fl_json_number_or_null(&out, NULL, false, 1);
    fl_json_close(&out);
    expect_written(&text, "[0.1, 0.3333, 2.500, null, null, null, 0, null]");
}

/* ---- names of enum values ---- */

Test(names, a_name_is_found_or_refused_with_what_would_be_valid)
{
    static const char *const colours[] = {"red", "green", "blue", NULL};
    unsigned number = 9;
    fl_error error = {.text = ""};
    cr_expect(fl_names_find(&number, colours, "blue", "colour", &error) == FL_OK && number == 2);
    expect_refused(fl_names_find(&number, colours, "gren", "colour", &error), &error, "gren",
                   "unknown colour 'gren'; did you mean 'green'?");
    expect_refused(fl_names_find(&number, colours, "4711", "colour", &error), &error, "4711",
                   "unknown colour '4711'; valid colours are red, green, blue");
    expect_refused(fl_names_find(&number, colours, "4711", "property", &error), &error, "4711",
                   "valid properties are red");
    expect_refused(fl_names_find(&number, colours, "4711", "key", &error), &error, "4711",
                   "valid keys are red");
    expect_refused(fl_names_find(&number, colours, "", "class", &error), &error, "''",
                   "valid classes are red");
}
