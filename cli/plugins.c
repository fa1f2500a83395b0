#define _XOPEN_SOURCE 700 /* sigaltstack */
#include "cli/cli.h"
#include "routing/plugin.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A plug-in is C that is still being written: it may crash, end the program, or never come back.
 * Its wrong answers are the library's business (routing/plugin/guard.c); these can only be watched
 * from outside. */

enum {
    TIME_LIMIT_SECONDS = 10,
    THREADS_WATCHED = 1024,
    SIGNAL_STACK = 1 << 16,
    GUARD_BYTES = 1 << 20
};

/* ---- last words ---- */

static atomic_flag spoken = ATOMIC_FLAG_INIT;

static void add(char *line, size_t size, const char *text)
{
    size_t at = strlen(line);
    for (; *text && at + 1 < size; text++)
        line[at++] = *text;
    line[at] = 0;
}

/* Reports what the router (NULL: something else of a plug-in) did, and ends the program. Only what
 * a signal handler may call is called here; of several threads one reports. */
static _Noreturn void end_by(const fl_router *router, const char *what)
{
    char line[768] = "faultline: ";
    while (atomic_flag_test_and_set(&spoken))
        pause();
    if (router) {
        add(line, sizeof line, "the router '");
        add(line, sizeof line, router->name);
        add(line, sizeof line, "' of ");
        add(line, sizeof line, router->origin);
    } else {
        add(line, sizeof line, "a plug-in");
    }
    add(line, sizeof line, what);
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; /* no one is left to report it to */
    _exit(FL_EXIT_FAILED);
}

/* ---- crashes ---- */

/* Of each thread that asks a plug-in's router. A full stack has no room for a handler: it runs on
 * one of its own. */
static _Thread_local unsigned char signal_stack[SIGNAL_STACK];
static _Thread_local uintptr_t
    stack_from;               /* an address near the beginning of the stack, which grows down */
static uintptr_t stack_bytes; /* of a thread, at most */

static void begin_thread(void)
{
    unsigned char here;
    stack_t now, own = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    stack_from = (uintptr_t)&here;
    if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE))
        sigaltstack(&own, NULL);
}

static bool is_of_stack(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    return stack_from && at < stack_from && stack_from - at < stack_bytes + GUARD_BYTES;
}

static void on_crash(int number, siginfo_t *what, void *context)
{
    const fl_router *router = fl_plugin_running();
    (void)context;
    if (router && (number == SIGSEGV || number == SIGBUS))
        end_by(router, is_of_stack(what->si_addr)
                           ? " crashed: its stack is full (a recursion without end?)\n"
                           : " crashed: it reads or writes where it must not\n");
    if (router)
        end_by(router, number == SIGFPE    ? " crashed: it divides by 0\n"
                       : number == SIGABRT ? " ended the program by abort()\n"
                                           : " crashed\n");
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct rlimit limit;
    stack_bytes = (uintptr_t)8 << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        stack_bytes = (uintptr_t)limit.rlim_cur;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

/* ---- exit() ---- */

static bool work_is_done;

/* Only main ends the program. */
static void on_exit_by_plugin(void)
{
    if (!work_is_done)
        end_by(fl_plugin_running(), " ended the program by exit()\n");
}

/* Each call of exit() takes the next handler: threads that call it while another is in its handler
 * need handlers of their own, or the C library ends the program with their exit code. */
enum { EXITS_AT_ONCE = 256 };

static void catch_exits(void)
{
    for (int i = 0; i < EXITS_AT_ONCE; i++) {
        atexit(on_exit_by_plugin); /* fails only without memory: then only the message is lost */
        at_quick_exit(on_exit_by_plugin);
    }
}

void fl_plugins_end(void)
{
    work_is_done = true;
}

/* ---- decisions without end ---- */

static void *watch(void *unused)
{
    static struct {
        uint64_t decision;
        unsigned seconds; /* that it has been at this decision */
    } known[THREADS_WATCHED];
    (void)unused;
    for (;;) {
        fl_plugin_activity now;
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        for (unsigned i = 0; fl_plugin_activity_of(i, &now) && i < THREADS_WATCHED; i++) {
            bool same = now.router && known[i].decision == now.decision;
            known[i].seconds = same ? known[i].seconds + 1 : 0;
            known[i].decision = now.decision;
            if (known[i].seconds == TIME_LIMIT_SECONDS)
                end_by(now.router,
                       " has not come back from one decision for 10 seconds: it was stopped\n");
        }
    }
    return NULL;
}

/* Without this thread nothing is lost but the message. It takes no signals: Ctrl-C is for the
 * others. */
static void start_watching(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool fl_plugins_open(const fl_name_list *paths)
{
    fl_error error;
    if (paths->count > FL_PLUGINS_MAX)
        return fl_complain("--plugin is given more than %d times", FL_PLUGINS_MAX), false;
    for (unsigned i = 0; i < paths->count; i++)
        if (fl_plugin_load(paths->of[i], &error))
            return fl_complain_of(&error), false;
    if (paths->count > 0) {
        fl_plugin_on_thread(begin_thread);
        catch_crashes();
        catch_exits();
        start_watching();
    }
    return true;
}
