/* What a function returns that can fail, and the text that goes with it; small helpers of the
 * language. */
#ifndef FL_CORE_STATUS_H
#define FL_CORE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_VERSION "0.1.0"

typedef enum fl_status {
    FL_OK = 0,
    FL_ERR_INVALID = -1, /* a value that the caller gave cannot be used */
    FL_ERR_MEMORY = -2,
    FL_ERR_IO = -3,
    FL_ERR_EXISTS = -4, /* would overwrite something */
    FL_ERR_ROUTER = -5, /* a router broke the contract (faults/violation.h) */
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
#define FL_COLD \
    __attribute__((noinline, cold)) /* keeps rare code out of the registers of its callers */
#else
#define FL_PRINTF(format_at, arguments_at)
#define FL_LIKELY(x)         (x)
#define FL_UNLIKELY(x)       (x)
#define FL_PREFETCH(address) ((void)(address))
#define FL_INLINE            static inline
#define FL_COLD
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

/* Puts `prefix: ` in front of an error's text. Passes the status through. */
fl_status fl_fail_in(fl_error *error, fl_status status, const char *prefix);

#ifdef __cplusplus
}
#endif
#endif
