#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "routing/plugin.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A plug-in is C that somebody is still writing: it may crash, or never come back. Its wrong answers are
 * the library's business (routing/guard.c); these two can only be watched from outside. */

enum { PATIENCE_SECONDS = 10, THREADS_WATCHED = 1024 };

/* ---- last words ---- */

static atomic_flag spoken = ATOMIC_FLAG_INIT;

static void add(char *line, size_t size, const char *text)
{
    size_t at = strlen(line);
    for (; *text && at + 1 < size; text++)
        line[at++] = *text;
    line[at] = 0;
}

/* Says what the router did, and ends the program. Only what a signal handler may call is called here; of
 * several threads one speaks. */
static _Noreturn void end_by(const fl_router *router, const char *what)
{
    char line[768] = "faultline: the router '";
    while (atomic_flag_test_and_set(&spoken))
        pause();
    add(line, sizeof line, router->name);
    add(line, sizeof line, "' of ");
    add(line, sizeof line, router->origin);
    add(line, sizeof line, what);
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; /* nobody is left to be told */
    _exit(FL_EXIT_FAILED);
}

/* ---- crashes ---- */

static void on_crash(int number)
{
    const fl_router *router = fl_plugin_running();
    if (router)
        end_by(router, number == SIGFPE                        ? " crashed: it divides by 0\n"
                       : number == SIGSEGV || number == SIGBUS ? " crashed: it reads or writes where it must not\n"
                                                               : " crashed\n");
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action = {.sa_handler = on_crash};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
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
            if (known[i].seconds == PATIENCE_SECONDS)
                end_by(now.router, " has not come back from one decision for 10 seconds: it was stopped\n");
        }
    }
    return NULL;
}

/* Without this thread nothing is lost but the message. It takes no signals: Ctrl-C is for the others. */
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

bool fl_plugins_open(const char *const *paths, unsigned count)
{
    fl_error error;
    for (unsigned i = 0; i < count; i++)
        if (fl_plugin_load(paths[i], &error))
            return fl_complain("%s", error.text), false;
    if (count > 0) {
        catch_crashes();
        start_watching();
    }
    return true;
}
