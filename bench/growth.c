/* How cost grows with the network: of a sampled trial, from MiKANT(2,3) to networks of 10^11
 * nodes, and of exact curves, with k and n. Prints two CSV tables and, given a folder, draws them.
 *
 *   bench/growth [seconds per measurement, default 0.5] [folder for the figures] */
#include "experiments/experiments.h"
#include "plots/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char *const routers[] = {"shortest", "gns+gdl", "gns+three-turn+x-turns+gdl",
                                      "adaptive-up+gns+three-turn+gdl"};
enum { ROUTERS = sizeof routers / sizeof *routers, POINTS_MAX = 16, REPEATS = 5 };

static const struct {
    unsigned k, n;
} sampled[] = {{2, 3},  {3, 3}, {4, 3},  {4, 4},  {8, 3},  {8, 4},
               {16, 4}, {8, 6}, {16, 5}, {16, 6}, {16, 8}, {32, 7}};
enum { SAMPLED = sizeof sampled / sizeof *sampled };

/* Exact curves: arities, each from n = 3 to n_max digits. */
static const struct {
    unsigned k, n_max;
} explored[] = {{2, 8}, {3, 6}, {4, 5}, {5, 4}};
enum { EXPLORED = sizeof explored / sizeof *explored, CURVES_MAX = 8 };

static fl_experiment *need_experiment(unsigned k, unsigned n, const char *router, uint64_t trials)
{
    char text[300];
    fl_error error;
    fl_experiment *experiment;
    snprintf(
        text, sizeof text,
        "{\"topology\":\"mikant:k=%u,n=%u\",\"routers\":[\"%s\"],\"fault_rate\":\"0:1:0.05\",\"trials\":%llu}",
        k, n, router, (unsigned long long)trials);
    if (fl_experiment_parse(&experiment, text, strlen(text), "bench", &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(1);
    }
    return experiment;
}

/* Processor time, which depends less on other programs than wall-clock time does. */
static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double run_trials(unsigned k, unsigned n, const char *router, uint64_t trials)
{
    fl_experiment *experiment = need_experiment(k, n, router, trials);
    fl_results *results;
    fl_error error;
    double start = processor_seconds();
    if (fl_experiment_run(&results, experiment, &(fl_run_options){.threads = 1}, &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(1);
    }
    double took = processor_seconds() - start;
    fl_results_destroy(results);
    fl_experiment_destroy(experiment);
    return took;
}

/* Seconds of one trial at all fault points: the shortest of several measurements, because other
 * work on the machine only adds time. */
static double measure_trial(unsigned k, unsigned n, const char *router, double seconds)
{
    uint64_t trials = 1 << 10;
    while (run_trials(k, n, router, trials) < seconds / 2 / REPEATS)
        trials *= 2;
    double least = run_trials(k, n, router, trials);
    for (int i = 1; i < REPEATS; i++)
        least = fmin(least, run_trials(k, n, router, trials));
    return least / (double)trials;
}

static double resident_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

typedef struct curve {
    char label[64];
    double x[POINTS_MAX], y[POINTS_MAX];
    size_t points;
} curve;

typedef struct axes {
    const char *title, *subtitle, *x_label, *y_label, *name;
} axes;

static void draw(const curve *curves, size_t count, const axes *of, const char *folder)
{
    fl_plot_series series[CURVES_MAX];
    char path[4096];
    fl_error error;
    for (size_t i = 0; i < count; i++)
        series[i] = (fl_plot_series){.label = curves[i].label,
                                     .points = curves[i].points,
                                     .x = curves[i].x,
                                     .y = curves[i].y};
    fl_plot plot = {.title = of->title,
                    .subtitle = of->subtitle,
                    .x_label = of->x_label,
                    .y_label = of->y_label,
                    .log_y = true,
                    .x_min = NAN,
                    .x_max = NAN,
                    .y_min = NAN,
                    .y_max = NAN,
                    .series_count = count,
                    .series = series};
    snprintf(path, sizeof path, "%s/%s", folder, of->name);
    if (fl_plot_write(&plot, path, &error))
        fprintf(stderr, "bench: %s\n", error.text);
}

static void sample(double seconds, const char *folder)
{
    static curve curves[ROUTERS];
    puts("network,nodes,links,router,microseconds_a_trial,resident_megabytes");
    for (int i = 0; i < SAMPLED; i++) {
        unsigned k = sampled[i].k, n = sampled[i].n;
        double nodes = 2 * pow(k, n);
        for (int r = 0; r < ROUTERS; r++) {
            curve *c = &curves[r];
            snprintf(c->label, sizeof c->label, "%s", routers[r]);
            c->x[c->points] = log2(nodes);
            c->y[c->points] = 1e6 * measure_trial(k, n, routers[r], seconds);
            printf("MiKANT(%u;%u),%.0f,%.0f,%s,%.3f,%.1f\n", k, n, nodes, (2.0 * n - 1) * pow(k, n),
                   routers[r], c->y[c->points], resident_megabytes());
            fflush(stdout);
            c->points++;
        }
    }
    static const axes of = {
        "Time of a sampled trial against network size",
        "MiKANT(2,3) to MiKANT(32,7), fault rates 0 to 100% in steps of 5%; processor time of one core",
        "log2 of the number of nodes", "microseconds a trial", "growth-sweep"};
    if (folder)
        draw(curves, ROUTERS, &of, folder);
}

/* Measures one exact curve: states, and the shortest of several times. False: bounds only. */
static bool explore_one(unsigned k, unsigned n, const char *router, double seconds,
                        fl_exact_curve *out)
{
    fl_experiment *experiment = need_experiment(k, n, router, 1);
    double least = INFINITY;
    fl_exact_point points[32];
    bool exact = true;
    for (int i = 0; i < REPEATS && exact && (i == 0 || least < seconds); i++) {
        fl_error error;
        double start = processor_seconds();
        *out = (fl_exact_curve){.points = points};
        fl_exact_options options = {.budget = 40 * seconds, .states_max = 1000000, .tolerance = 1};
        if (fl_exact_run(&experiment->bound[0], 0, &options, out, &error)) {
            fprintf(stderr, "bench: %s\n", error.text);
            exit(1);
        }
        exact = out->exact;
        least = fmin(least, processor_seconds() - start);
    }
    out->points = NULL;
    out->seconds = least;
    fl_experiment_destroy(experiment);
    return exact;
}

/* Curves of all routers but the last, for each arity, against n. */
static void explore(double seconds, const char *folder)
{
    static curve times[CURVES_MAX], states[CURVES_MAX];
    size_t count = 0;
    puts("network,nodes,router,exact,states,pair_classes,seconds");
    for (int r = 0; r < ROUTERS; r++)
        for (int i = 0; i < EXPLORED; i++) {
            bool drawn = (r == 1 || r == 2) && count < CURVES_MAX;
            curve *time = &times[count], *states_of = &states[count];
            for (unsigned k = explored[i].k, n = 3; n <= explored[i].n_max; n++) {
                fl_exact_curve found;
                bool exact = explore_one(k, n, routers[r], seconds, &found);
                printf("MiKANT(%u;%u),%.0f,%s,%s,%llu,%llu,%.5f\n", k, n, 2 * pow(k, n), routers[r],
                       exact ? "yes" : "no", (unsigned long long)found.states,
                       (unsigned long long)found.pair_classes, found.seconds);
                fflush(stdout);
                if (!drawn || !exact)
                    continue;
                time->x[time->points] = states_of->x[states_of->points] = n;
                time->y[time->points++] = found.seconds;
                states_of->y[states_of->points++] = (double)found.states;
            }
            if (!drawn || time->points == 0)
                continue;
            snprintf(time->label, sizeof time->label, "%s, k = %u", routers[r], explored[i].k);
            strcpy(states_of->label, time->label);
            count++;
        }
    char subtitle[160];
    snprintf(
        subtitle, sizeof subtitle,
        "MiKANT(k, n), all pairs of nodes, one core; no point: not exact within %g s and a million states",
        20 * seconds);
    const axes of_times = {"Time of an exact curve", subtitle, "n, digits of a node",
                           "seconds a curve", "growth-exact"},
               of_states = {"Work of an exact curve", subtitle, "n, digits of a node",
                            "states (branchings of the explorer)", "growth-exact-states"};
    if (folder) {
        draw(times, count, &of_times, folder);
        draw(states, count, &of_states, folder);
    }
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : .5;
    const char *folder = count > 2 ? arguments[2] : NULL;
    sample(seconds, folder);
    explore(seconds, folder);
    return 0;
}
