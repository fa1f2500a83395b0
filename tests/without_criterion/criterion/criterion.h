/* Stands in for Criterion where it cannot start (see tests/CMakeLists.txt): the few macros that
 * the tests use, one test after the other in one process. */
#ifndef WITHOUT_CRITERION_H
#define WITHOUT_CRITERION_H

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
__attribute__((format(printf, 4, 5))) void plain_failed(const char *file, int line, bool fatal, const char *format, ...);

#define Test(Suite, Name)                                                                     \
    static void Suite##_##Name(void);                                                         \
    static plain_test Suite##_##Name##_entry = {#Suite, #Name, Suite##_##Name, NULL};         \
    __attribute__((constructor)) static void Suite##_##Name##_register(void)                  \
    {                                                                                         \
        plain_register(&Suite##_##Name##_entry);                                              \
    }                                                                                         \
    static void Suite##_##Name(void)

#define cr_assert(condition, ...) ((condition) ? (void)0 : plain_failed(__FILE__, __LINE__, true, __VA_ARGS__))
#define cr_expect(condition, ...) ((condition) ? (void)0 : plain_failed(__FILE__, __LINE__, false, __VA_ARGS__))

#endif
