#include "cli/cli.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

static const double seconds_between_redraws = .1, seconds_between_lines = 5;

atomic_bool fl_interrupted;

static void on_signal(int number)
{
    if (atomic_exchange(&fl_interrupted, true))
        _exit(128 + number);
}

void fl_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void fl_progress_start(fl_progress *progress, bool quiet, const char *unit)
{
    double now = fl_seconds_now();
    *progress = (fl_progress){.unit = unit,
                              .quiet = quiet,
                              .terminal = isatty(STDERR_FILENO),
                              .start = now,
                              .last = now,
                              .first = UINT64_MAX};
}

static const double seconds_per_hour = 3600, seconds_per_year = 365.25 * 24 * 3600;

void fl_format_seconds(char *out, size_t size, double seconds)
{
    if (seconds < 60)
        snprintf(out, size, "%.0f s", seconds);
    else if (seconds < 3600)
        snprintf(out, size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    else if (seconds < 100 * seconds_per_hour)
        snprintf(out, size, "%d h %02d min", (int)(seconds / seconds_per_hour),
                 (int)(seconds / 60) % 60);
    else if (seconds < seconds_per_year)
        snprintf(out, size, "%.0f days", seconds / (24 * seconds_per_hour));
    else
        snprintf(out, size, "%.3g years", seconds / seconds_per_year);
}

void fl_progress_show(void *user, uint64_t done, uint64_t all)
{
    fl_progress *progress = user;
    double time = fl_seconds_now(), fraction = all ? (double)done / (double)all : 1;
    if (progress->first == UINT64_MAX)
        progress->first = done;
    if (progress->quiet || time - progress->last < (progress->terminal ? seconds_between_redraws
                                                                       : seconds_between_lines))
        return;
    progress->last = time;
    char left[40] = "?";
    if (done > progress->first)
        fl_format_seconds(left, sizeof left,
                          (time - progress->start) * (double)(all - done) /
                              (double)(done - progress->first));
    if (!progress->terminal) {
        char of[80] = "";
        if (progress->unit)
            snprintf(of, sizeof of, " of %llu %.40s",
                     (unsigned long long)(progress->units ? progress->units : all), progress->unit);
        fprintf(stderr, "%5.1f%%%s, about %s left%s\n", 100 * fraction, of, left, progress->note);
        return;
    }
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < (int)(fraction * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = 0;
    fprintf(stderr, "\r[%s] %5.1f%%  about %s left%s \033[K", bar, 100 * fraction, left,
            progress->note);
    progress->shown = true;
}

/* ---- work without a known end ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    const char *what;
    bool started, over;
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *show_waiting(void *unused)
{
    (void)unused;
    bool terminal = isatty(STDERR_FILENO), shown = false;
    struct timespec next;
    char time[40];
    double start = fl_seconds_now();
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&waiting.lock);
    while (!waiting.over) {
        next.tv_sec += (time_t)seconds_between_lines;
        while (!waiting.over && pthread_cond_timedwait(&waiting.changed, &waiting.lock, &next) == 0)
            ;
        if (waiting.over)
            break;
        fl_format_seconds(time, sizeof time, fl_seconds_now() - start);
        fprintf(stderr, terminal ? "\r%.300s: %s so far \033[K" : "%.300s: %s so far\n",
                waiting.what, time);
        shown = true;
    }
    if (terminal && shown)
        fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&waiting.lock);
    return NULL;
}

/* Without the thread nothing is lost but the lines. It takes no signals: Ctrl-C is for the others.
 */
void fl_progress_wait(const char *what)
{
    sigset_t all, before;
    waiting.what = what;
    waiting.over = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    waiting.started = fl_speaks() && pthread_create(&waiting.thread, NULL, show_waiting, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void fl_progress_wait_end(void)
{
    if (!waiting.started)
        return;
    pthread_mutex_lock(&waiting.lock);
    waiting.over = true;
    pthread_cond_signal(&waiting.changed);
    pthread_mutex_unlock(&waiting.lock);
    pthread_join(waiting.thread, NULL);
    waiting.started = false;
}

void fl_progress_end(fl_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

void fl_progress_warn(void *progress, const char *text)
{
    fl_progress_end(progress);
    fl_complain("%s", text);
}
