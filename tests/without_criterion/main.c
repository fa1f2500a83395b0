#include <criterion/criterion.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static plain_test *first;
static int failures;
static jmp_buf leave;

void plain_register(plain_test *test)
{
    test->next = first;
    first = test;
}

void plain_failed(const char *file, int line, bool fatal, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    failures++;
    if (fatal)
        longjmp(leave, 1);
}

static void run(const plain_test *test)
{
    if (setjmp(leave) == 0)
        test->run();
}

int main(void)
{
    for (const plain_test *test = first; test; test = test->next) {
        int before = failures;
        run(test);
        fprintf(stderr, "[%s] %s::%s\n", failures == before ? "PASS" : "FAIL", test->suite,
                test->name);
    }
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
