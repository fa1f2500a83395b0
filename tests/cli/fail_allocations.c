/* Makes allocations of the program fail: LD_PRELOAD it, and name one in the environment.
 *
 *   FAIL_AT=N        the Nth allocation fails (from 1), and no other
 *   FAIL_FROM=N      the Nth and all after it fail
 *   FAIL_TRACE=1     prints the callers of the failed allocations to standard error
 *   FAIL_COUNT=FILE  writes the number of allocations to FILE when main() ends
 *
 * Only calls after the start of main() count, from the program itself, cJSON, METIS and libc. Calls
 * from the loader and from MPI do not count, nor does anything in a program that this one starts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

enum { RANGES_MAX = 64, TRACE_MAX = 32 };

static struct {
    uintptr_t first, end;
} counted[RANGES_MAX];
static unsigned counted_ranges;
static unsigned long at, from;
static bool traced;
static atomic_ulong calls;
static atomic_bool counting;

static bool is_counted(const char *object)
{
    return !*object || strstr(object, "/libcjson.") || strstr(object, "/libmetis.") ||
           strstr(object, "/libc.so");
}

static int add_object(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size, (void)user;
    for (unsigned i = 0; i < object->dlpi_phnum && is_counted(object->dlpi_name); i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || counted_ranges == RANGES_MAX)
            continue;
        counted[counted_ranges].first = object->dlpi_addr + part->p_vaddr;
        counted[counted_ranges++].end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

static bool fails(const void *caller)
{
    bool ours = false;
    if (!atomic_load_explicit(&counting, memory_order_relaxed))
        return false;
    for (unsigned i = 0; i < counted_ranges && !ours; i++)
        ours = (uintptr_t)caller >= counted[i].first && (uintptr_t)caller < counted[i].end;
    if (!ours)
        return false;
    unsigned long number = 1 + atomic_fetch_add(&calls, 1);
    bool now = number == at || (from > 0 && number >= from);
    if (now && traced) {
        void *callers[TRACE_MAX];
        atomic_store(&counting, false); /* of backtrace() itself */
        backtrace_symbols_fd(callers, backtrace(callers, TRACE_MAX), 2);
        atomic_store(&counting, true);
    }
    if (now)
        errno = ENOMEM;
    return now;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(CALLER) ? NULL : __libc_realloc(old, size);
}

/* libc's own would be counted as a call of libc. */
char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fails(CALLER) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* ---- from main() on ---- */

typedef int main_function(int count, char **arguments, char **environment);
typedef int start_function(main_function *program, int count, char **arguments, void (*begin)(void),
                           void (*end)(void), void (*loader_end)(void), void *stack_end);

static main_function *real_main;

static unsigned long number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static int counted_main(int count, char **arguments, char **environment)
{
    const char *report = getenv("FAIL_COUNT");
    at = number_of("FAIL_AT");
    from = number_of("FAIL_FROM");
    traced = number_of("FAIL_TRACE") > 0;
    dl_iterate_phdr(add_object, NULL);
    unsetenv("LD_PRELOAD"); /* not for gnuplot */
    atomic_store(&counting, true);
    int code = real_main(count, arguments, environment);
    atomic_store(&counting, false);
    FILE *file = report ? fopen(report, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", atomic_load(&calls));
        fclose(file);
    }
    return code;
}

int __libc_start_main(main_function *program, int count, char **arguments, void (*begin)(void),
                      void (*end)(void), void (*loader_end)(void), void *stack_end);

int __libc_start_main(main_function *program, int count, char **arguments, void (*begin)(void),
                      void (*end)(void), void (*loader_end)(void), void *stack_end)
{
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    start_function *start;
    memcpy(&start, &found, sizeof start);
    real_main = program;
    return start(counted_main, count, arguments, begin, end, loader_end, stack_end);
}
