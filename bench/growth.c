/* How cost grows with the network: of a sampled trial from MiKANT(2,3) to networks of 10^11
 * nodes, and of exact curves with k and n. Prints two CSV tables and, given a folder, draws them.
 *
 *   bench/growth [seconds per measurement, default 0.5] [folder for the figures] */
#include "experiments/experiments.h"
#include "plots/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char *const routers[] = {"shortest", "gns+gdl", "gns+three-turn+x-turns+gdl", "adaptive-up+gns+three-turn+gdl"};
enum { ROUTERS = sizeof routers / sizeof *routers, SIZES_MAX = 16 };

static const struct {
    unsigned k, n;
} sampled[] = {{2, 3}, {3, 3}, {4, 3}, {4, 4}, {8, 3}, {8, 4}, {16, 3}, {16, 4}, {8, 6}, {16, 5}, {16, 6}, {16, 8}, {32, 7}},
  explored[] = {{2, 3}, {2, 4}, {2, 5}, {2, 6}, {3, 3}, {3, 4}, {3, 5}, {4, 3}, {4, 4}, {5, 3}};
enum { SAMPLED = sizeof sampled / sizeof *sampled, EXPLORED = sizeof explored / sizeof *explored };

static fl_experiment *need_experiment(unsigned k, unsigned n, const char *router, uint64_t trials)
{
    char text[300];
    fl_error error;
    fl_experiment *experiment;
    snprintf(text, sizeof text, "{\"topology\":\"mikant:k=%u,n=%u\",\"routers\":[\"%s\"],\"fault_rate\":\"0:1:0.05\",\"trials\":%llu}", k, n,
             router, (unsigned long long)trials);
    if (fl_experiment_parse(&experiment, text, strlen(text), "bench", &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(1);
    }
    return experiment;
}

/* Seconds of one trial at all fault levels. */
static double measure_trial(unsigned k, unsigned n, const char *router, double seconds)
{
    for (uint64_t trials = 1 << 12;; trials *= 2) {
        fl_experiment *experiment = need_experiment(k, n, router, trials);
        fl_results *results;
        fl_error error;
        if (fl_experiment_run(&results, experiment, &(fl_run_options){.threads = 1}, &error)) {
            fprintf(stderr, "bench: %s\n", error.text);
            exit(1);
        }
        double took = results->wall_seconds;
        fl_results_destroy(results);
        fl_experiment_destroy(experiment);
        if (took >= seconds / 2)
            return took / (double)trials;
    }
}

static double resident_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

typedef struct curves {
    double x[SIZES_MAX], y[ROUTERS][SIZES_MAX];
    size_t points;
} curves;

static void draw(const curves *c, const char *title, const char *y_label, const char *folder, const char *name)
{
    fl_plot_series series[ROUTERS];
    char path[4096];
    fl_error error;
    for (int r = 0; r < ROUTERS; r++)
        series[r] = (fl_plot_series){.label = routers[r], .points = c->points, .x = c->x, .y = c->y[r]};
    fl_plot plot = {.title = title, .subtitle = "MiKANT(k, n), fault rates 0 to 100% in steps of 5%, one core", .x_label = "log2 of the number of nodes",
                    .y_label = y_label, .log_y = true, .x_min = NAN, .x_max = NAN, .y_min = NAN, .y_max = NAN,
                    .series_count = ROUTERS, .series = series};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (fl_plot_write(&plot, path, &error))
        fprintf(stderr, "bench: %s\n", error.text);
}

static void sample(double seconds, const char *folder)
{
    static curves c;
    puts("network,nodes,links,router,microseconds_a_trial,resident_megabytes");
    for (int i = 0; i < SAMPLED; i++) {
        unsigned k = sampled[i].k, n = sampled[i].n;
        double nodes = 2 * pow(k, n);
        c.x[c.points] = log2(nodes);
        for (int r = 0; r < ROUTERS; r++) {
            c.y[r][c.points] = 1e6 * measure_trial(k, n, routers[r], seconds);
            printf("MiKANT(%u;%u),%.0f,%.0f,%s,%.3f,%.1f\n", k, n, nodes, (2.0 * n - 1) * pow(k, n), routers[r], c.y[r][c.points], resident_megabytes());
            fflush(stdout);
        }
        c.points++;
    }
    if (folder)
        draw(&c, "Time of a sampled trial against network size", "microseconds a trial", folder, "growth-sweep");
}

static void explore(double seconds, const char *folder)
{
    static curves c;
    puts("network,nodes,router,exact,states,pair_classes,seconds");
    for (int i = 0; i < EXPLORED; i++) {
        unsigned k = explored[i].k, n = explored[i].n;
        c.x[c.points] = log2(2 * pow(k, n));
        for (int r = 0; r < ROUTERS; r++) {
            fl_experiment *experiment = need_experiment(k, n, routers[r], 1);
            fl_exact_point points[32];
            fl_exact_curve curve = {.points = points};
            fl_error error;
            fl_exact_options options = {.budget = 40 * seconds, .states_max = 1000000, .tolerance = 1};
            if (fl_exact_run(&experiment->bound[0], (unsigned)0, &options, &curve, &error)) {
                fprintf(stderr, "bench: %s\n", error.text);
                exit(1);
            }
            c.y[r][c.points] = curve.exact ? curve.seconds : NAN;
            printf("MiKANT(%u;%u),%.0f,%s,%s,%llu,%llu,%.4f\n", k, n, 2 * pow(k, n), routers[r], curve.exact ? "yes" : "no",
                   (unsigned long long)curve.states, (unsigned long long)curve.pair_classes, curve.seconds);
            fflush(stdout);
            fl_experiment_destroy(experiment);
        }
        c.points++;
    }
    if (folder)
        draw(&c, "Time of an exact curve against network size", "seconds a curve", folder, "growth-exact");
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : .5;
    const char *folder = count > 2 ? arguments[2] : NULL;
    sample(seconds, folder);
    explore(seconds, folder);
    return 0;
}
