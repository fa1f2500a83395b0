/* core: what every other room stands on: status and error texts, random numbers,
 * statistics, text and file helpers, JSON reading with duplicate-key refusal.
 *
 * Nothing here knows about networks. The library never prints and never exits. */
#ifndef FL_CORE_H
#define FL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_VERSION "0.1.0"

/* ---- status ------------------------------------------------------------- */

typedef enum fl_status {
    FL_OK = 0,
    FL_ERR_INVALID = -1, /* a value that the caller gave cannot be used */
    FL_ERR_MEMORY = -2,
    FL_ERR_IO = -3,
    FL_ERR_EXISTS = -4, /* would overwrite something */
    FL_ERR_ROUTER = -5, /* a router broke the contract (peeked, looped, impossible port) */
    FL_ERR_STOPPED = -6 /* the caller's limit on time or size was reached, or it asked to stop */
} fl_status;

/* A status other than FL_OK and the text that goes with it, which names the offending value and
 * what would be valid. Functions take a pointer to one as their last argument; NULL is allowed. */
typedef struct fl_error {
    char text[1024];
    fl_status status;
} fl_error;

#if defined(__GNUC__)
#define FL_PRINTF(format_at, arguments_at) __attribute__((format(printf, format_at, arguments_at)))
#define FL_LIKELY(x)                       __builtin_expect(!!(x), 1)
#define FL_UNLIKELY(x)                     __builtin_expect(!!(x), 0)
#define FL_PREFETCH(address)               __builtin_prefetch(address) /* a hint: what will be read soon */
#define FL_INLINE                          static inline __attribute__((always_inline))
#else
#define FL_PRINTF(format_at, arguments_at)
#define FL_LIKELY(x)         (x)
#define FL_UNLIKELY(x)       (x)
#define FL_PREFETCH(address) ((void)(address))
#define FL_INLINE            static inline
#endif

/* How many bits are set. */
FL_INLINE unsigned fl_bit_count(uint64_t bits)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_popcountll(bits);
#else
    unsigned count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
#endif
}

/* Numbers of the lowest and of the highest bit that is set, from 0. `bits` must not be 0. */
FL_INLINE unsigned fl_lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(bits);
#else
    return fl_bit_count((bits & (0 - bits)) - 1);
#endif
}

FL_INLINE unsigned fl_highest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return 63 - (unsigned)__builtin_clzll(bits);
#else
    unsigned number = 0;
    while (bits >>= 1)
        number++;
    return number;
#endif
}

/* The number of the lowest bit, which is cleared. */
FL_INLINE unsigned fl_take_lowest_bit(uint64_t *bits)
{
    unsigned lowest = fl_lowest_bit(*bits);
    *bits &= *bits - 1;
    return lowest;
}

/* Writes the text and hands the status back, so that `return fl_fail(...)` reads well. Control
 * characters and broken UTF-8 in quoted values become '?'. */
fl_status fl_fail(fl_error *error, fl_status status, const char *format, ...) FL_PRINTF(3, 4);

/* Makes a text fit to be shown: control characters (but line ends) and broken UTF-8 become '?'.
 * fl_fail does it. */
void fl_text_make_printable(char *text);

/* Puts `prefix: ` in front of an error's text. Passes the status through. */
fl_status fl_fail_in(fl_error *error, fl_status status, const char *prefix);

/* ---- random numbers ------------------------------------------------------ */

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

/* ---- statistics ---------------------------------------------------------- */

#define FL_Z95 1.959963984540054 /* two-sided 95% point of the normal distribution */

/* Two-sided point of the normal distribution: P(|Z| > z) = error_probability, in 1e-300..1. */
double fl_stats_z(double error_probability);

/* Two-sided 95% point of Student's t, freedom >= 1, to 3 places. */
double fl_stats_student95(unsigned freedom);

typedef struct fl_interval {
    double low, high;
} fl_interval;

/* Wilson score interval of a proportion; trials >= 1. (Wilson 1927) */
fl_interval fl_stats_wilson(uint64_t successes, uint64_t trials, double z);
/* Half its width, which is largest for as many successes as failures. */
double fl_stats_wilson_half_width(uint64_t successes, uint64_t trials, double z);

/* Normal interval of a mean from its count, sum and sum of squares. Needs count >= 2; false
 * (and nothing written) below, where a sample says nothing about its own spread. */
bool fl_stats_mean_interval(uint64_t count, double sum, double sum_of_squares, double z,
                            fl_interval *out);

/* Interval of p_a - p_b when both were measured on the same trials: only_a trials succeeded
 * with a alone, only_b with b alone. Score-free normal interval with Agresti and Min's (2005)
 * +1/2 adjustment, which does not collapse to a point at 0 discordant trials. */
fl_interval fl_stats_paired_difference(uint64_t only_a, uint64_t only_b, uint64_t trials, double z);

/* Upper tail of the chi-square distribution: P(X >= x) with `freedom` degrees of freedom. */
double fl_stats_chi_square_tail(double x, double freedom);

/* ---- text ---------------------------------------------------------------- */

/* The entry of `names` (ended by NULL) nearest to `word` by edit distance, or NULL when none
 * is near enough to be what was meant. */
const char *fl_text_nearest(const char *word, const char *const *names);

/* What networks, routers and rules may be called: a letter, then up to 40 letters, digits, '-' and
 * '_', all of them small. */
bool fl_text_is_name(const char *text);

/* Whole strings only: no sign for unsigned, no trailing text, no overflow. */
bool fl_text_to_u64(const char *text, uint64_t *out);
bool fl_text_to_double(const char *text, double *out); /* finite decimal numbers only */

/* Growing text. A failed allocation is remembered (`failed`) and further appends do nothing. */
typedef struct fl_text {
    char *data; /* always ended by 0 once something was appended; NULL before */
    size_t length, capacity;
    bool failed;
} fl_text;
void fl_text_append(fl_text *text, const char *format, ...) FL_PRINTF(2, 3);
void fl_text_append_bytes(fl_text *text, const char *bytes, size_t length);
void fl_text_append_double(fl_text *text,
                           double value); /* as few figures as read back to the same value: 0.1 */
void fl_text_clear(fl_text *text);        /* frees */

/* Length of the UTF-8 sequence at `text` (1 to 4 bytes), 0 if there is none: overlong forms,
 * surrogates and values above U+10FFFF are none. */
size_t fl_text_utf8_length(const char *text, size_t left);
bool fl_text_is_utf8(const char *text);

/* Refuses a text that results could not hold, and that `what` is: FL_ERR_INVALID for what is no
 * UTF-8. */
fl_status fl_text_check_name(const char *text, const char *what, fl_error *error);
/* ... and for a free text that becomes a cell of a table, also for control characters, and for what
 * a spreadsheet takes for a formula: =, +, - or @ at the beginning. (Quotes do not keep it from
 * that, and a cell is not changed silently.) */
fl_status fl_text_check_label(const char *text, const char *what, fl_error *error);

/* Appends a cell of a CSV file (RFC 4180): in quotes where it needs them, or always. */
void fl_csv_append(fl_text *out, const char *cell);
void fl_csv_append_quoted(fl_text *out, const char *cell);

/* FNV-1a, 64 bits: a name for a text, not a protection against forgery. */
uint64_t fl_text_hash(const char *text, size_t length);

/* ---- time ---------------------------------------------------------------- */

/* Seconds of a clock that never goes back. */
double fl_seconds_now(void);

/* The present as `2026-01-31T23:59:59Z`. */
void fl_time_stamp(char out[32]);

/* ---- memory --------------------------------------------------------------- */

/* Refuses work that needs more memory than there is: FL_ERR_INVALID, naming both figures, when
 * `bytes` (an estimate) exceed the machine's memory, a resource limit or that of the control group.
 * `what` begins the text. */
fl_status fl_memory_check(double bytes, const char *what, fl_error *error);

/* ---- files --------------------------------------------------------------- */

/* Reads a whole regular file (at most `limit` bytes) into a fresh 0-ended buffer that the caller
 * frees. Refuses what is no regular file: devices have no end, and pipes cannot be read a second
 * time. */
fl_status fl_file_read(char **data, size_t *length, const char *path, size_t limit,
                       fl_error *error);

/* Writes a whole file so that a reader sees the old or the new content and never a part:
 * into a neighbour file, fsync, rename. */
fl_status fl_file_write(const char *path, const char *data, size_t length, fl_error *error);

/* The same of up to 8 files that belong together: none is replaced unless all could be written. */
typedef struct fl_file_content {
    const char *path, *data;
    size_t length;
} fl_file_content;
fl_status fl_file_write_group(const fl_file_content *files, size_t count, fl_error *error);

/* Makes a folder and those above it. An existing folder is fine. What was made is removed again
 * when the last of them cannot be made. */
fl_status fl_file_make_folder(const char *path, fl_error *error);

/* How much of the path exists: its length up to there; and removing the (empty) folders beyond. */
size_t fl_file_existing_folder(const char *path);
void fl_file_remove_folders(const char *path, size_t kept);

bool fl_file_exists(const char *path);

/* An exclusive lock on a folder, against other programs that would write into it: FL_ERR_EXISTS
 * names the one that holds it. The system takes it back when its holder ends, however it ends: the
 * file .faultline-lock that a killed one leaves behind locks nothing. *out is NULL after FL_OK
 * where the file system knows no locks. One lock a process and folder. */
#define FL_LOCK_FILE ".faultline-lock"
typedef struct fl_folder_lock fl_folder_lock;
fl_status fl_folder_lock_take(fl_folder_lock **out, const char *folder, fl_error *error);
void fl_folder_lock_release(fl_folder_lock *lock); /* and removes the file; NULL is allowed */

/* ---- JSON ---------------------------------------------------------------- */

struct cJSON;

/* Parses a JSON text: refuses whatever RFC 8259 does not allow, duplicate keys in one object,
 * nesting deeper than 64 and escaped NULs, and says the line and column. Reads `length` bytes and
 * nothing behind them: the text needs no 0 at its end. The caller deletes *out. */
fl_status fl_json_parse(struct cJSON **out, const char *text, size_t length, const char *where,
                        fl_error *error);

/* Refuses keys of `object` that are not in `keys` (ended by NULL), naming the nearest valid one. */
fl_status fl_json_check_keys(const struct cJSON *object, const char *const *keys, fl_error *error);

/* Whole number 0..FL_JSON_U64_MAX: those that JSON can carry without becoming another. */
#define FL_JSON_U64_MAX (UINT64_C(9007199254740992) - 1) /* 2^53 - 1 */
fl_status fl_json_u64(uint64_t *out, const struct cJSON *item, const char *where, fl_error *error);

/* Appends a JSON string literal, quotes included. Every text that is not a constant of the program
 * goes through here into JSON: names of files and what plug-ins provide may hold quotes and control
 * characters. Bytes that are no UTF-8, which names that are read back never have (fl_text_is_utf8),
 * become U+FFFD. */
void fl_json_append_string(fl_text *text, const char *value);
/* `"key": "value"`, both as fl_json_append_string does. */
void fl_json_append_member(fl_text *text, const char *key, const char *value);

#ifdef __cplusplus
}
#endif
#endif
