/* Replaces Criterion where it cannot start (see tests/CMakeLists.txt): the macros that
 * the tests use, one test after the other in one process. */
#ifndef WITHOUT_CRITERION_H
#define WITHOUT_CRITERION_H

/* Included as the real one is: then calls without a message give no warning. */
#pragma GCC system_header

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct plain_test {
    const char *suite, *name;
    void (*run)(void);
    struct plain_test *next;
} plain_test;

void plain_register(plain_test *test);
/* Prints, counts, and leaves the test if `fatal`. */
__attribute__((format(printf, 4, 5))) void plain_failed(const char *file, int line, bool fatal,
                                                        const char *format, ...);

#define Test(Suite, Name)                                                             \
    static void Suite##_##Name(void);                                                 \
    static plain_test Suite##_##Name##_entry = {#Suite, #Name, Suite##_##Name, NULL}; \
    __attribute__((constructor)) static void Suite##_##Name##_register(void)          \
    {                                                                                 \
        plain_register(&Suite##_##Name##_entry);                                      \
    }                                                                                 \
    static void Suite##_##Name(void)

#define PLAIN_CHECK(fatal, condition, ...) \
    ((condition) ? (void)0 : plain_failed(__FILE__, __LINE__, fatal, "failed " __VA_ARGS__))
#define cr_assert(condition, ...)     PLAIN_CHECK(true, condition, __VA_ARGS__)
#define cr_expect(condition, ...)     PLAIN_CHECK(false, condition, __VA_ARGS__)
#define cr_assert_not(condition, ...) PLAIN_CHECK(true, !(condition), __VA_ARGS__)
#define cr_expect_not(condition, ...) PLAIN_CHECK(false, !(condition), __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...) \
    PLAIN_CHECK(true, fabs((double)(a) - (double)(b)) <= (double)(e), __VA_ARGS__)
#define cr_expect_float_eq(a, b, e, ...) \
    PLAIN_CHECK(false, fabs((double)(a) - (double)(b)) <= (double)(e), __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)  PLAIN_CHECK(true, strcmp(a, b) == 0, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)  PLAIN_CHECK(false, strcmp(a, b) == 0, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) PLAIN_CHECK(true, strcmp(a, b) != 0, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) PLAIN_CHECK(false, strcmp(a, b) != 0, __VA_ARGS__)
#define cr_assert_null(a, ...)       PLAIN_CHECK(true, (a) == NULL, __VA_ARGS__)
#define cr_assert_eq(a, b, ...)      PLAIN_CHECK(true, (a) == (b), __VA_ARGS__)
#define cr_expect_eq(a, b, ...)      PLAIN_CHECK(false, (a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...)     PLAIN_CHECK(true, (a) != (b), __VA_ARGS__)
#define cr_expect_neq(a, b, ...)     PLAIN_CHECK(false, (a) != (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...)      PLAIN_CHECK(true, (a) < (b), __VA_ARGS__)
#define cr_expect_lt(a, b, ...)      PLAIN_CHECK(false, (a) < (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...)     PLAIN_CHECK(true, (a) <= (b), __VA_ARGS__)
#define cr_expect_leq(a, b, ...)     PLAIN_CHECK(false, (a) <= (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...)      PLAIN_CHECK(true, (a) > (b), __VA_ARGS__)
#define cr_expect_gt(a, b, ...)      PLAIN_CHECK(false, (a) > (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...)     PLAIN_CHECK(true, (a) >= (b), __VA_ARGS__)
#define cr_expect_geq(a, b, ...)     PLAIN_CHECK(false, (a) >= (b), __VA_ARGS__)

#endif
