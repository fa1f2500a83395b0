#include "cli/cli.h"

#include <signal.h>
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
    *progress = (fl_progress){.unit = unit, .quiet = quiet, .terminal = isatty(STDERR_FILENO), .start = now, .last = now,
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
        snprintf(out, size, "%d h %02d min", (int)(seconds / seconds_per_hour), (int)(seconds / 60) % 60);
    else if (seconds < seconds_per_year)
        snprintf(out, size, "%.0f days", seconds / (24 * seconds_per_hour));
    else
        snprintf(out, size, "%.3g years", seconds / seconds_per_year);
}

void fl_progress_show(void *user, uint64_t done, uint64_t all)
{
    fl_progress *progress = user;
    double time = fl_seconds_now(), share = all ? (double)done / (double)all : 1;
    if (progress->first == UINT64_MAX)
        progress->first = done;
    if (progress->quiet || time - progress->last < (progress->terminal ? seconds_between_redraws : seconds_between_lines))
        return;
    progress->last = time;
    char left[40] = "?";
    if (done > progress->first)
        fl_format_seconds(left, sizeof left, (time - progress->start) * (double)(all - done) / (double)(done - progress->first));
    if (!progress->terminal) {
        char of[80] = "";
        if (progress->unit)
            snprintf(of, sizeof of, " of %llu %.40s", (unsigned long long)(progress->units ? progress->units : all), progress->unit);
        fprintf(stderr, "%5.1f%%%s, about %s left\n", 100 * share, of, left);
        return;
    }
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < (int)(share * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = 0;
    fprintf(stderr, "\r[%s] %5.1f%%  about %s left \033[K", bar, 100 * share, left);
    progress->shown = true;
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
