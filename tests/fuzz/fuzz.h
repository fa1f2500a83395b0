/* What all fuzz targets have in common. A target is one function that must survive any bytes, and
 * checks what must hold for accepted input. */
#ifndef FL_TESTS_FUZZ_FUZZ_H
#define FL_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Words of the format, ended by NULL; driver.c puts them into inputs. */
extern const char *const fuzz_tokens[];

/* assert, whatever the build type. */
#define MUST_HOLD(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))

static inline void fuzz_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

/* The bytes as text; free() ends it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    MUST_HOLD(text);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* Files are not read by fuzz targets: `list:@FILE`. */
static inline bool fuzz_may_name_a_file(const char *json)
{
    return strchr(json, '@') || strstr(json, "\\u0040");
}

#endif
