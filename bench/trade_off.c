/* The price of the router spiral in virtual channels, header bits and knowledge: success and path
 * length relative to limit, under 40 and 80 faults. Prints a CSV table and, given a folder, draws
 * it.
 *
 *   bench/trade_off [trials, default 100000] [folder for the figures] */
#include "experiments/experiments.h"
#include "plots/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS_MAX = 8, VARIANTS = 4 };

static const struct {
    const char *router, *scope, *label;
    bool marks;
} variants[VARIANTS] = {
    {"spiral", "detour", "sees 5 links far, 2k header bits", true},
    {"spiral-bare", "detour", "sees 5 links far, no header", false},
    {"spiral", "local", "own links only, 2k header bits", true},
    {"spiral-bare", "local", "own links only, no header", false},
};

/* Sets of detour rules for comparison, with the number of channels for which the VC assignment
 * `turns` is proven. */
static const struct {
    const char *network, *router;
    unsigned channels;
} others[] = {
    {"mikant:k=3,n=3", "adaptive-up+gns+three-turn+x-turns+gdl", 3},
    {"kary-ntree:k=3,n=3", "adaptive-up+three-turn+gdl", 3},
};

static const struct {
    const char *network, *name;
    unsigned faults[2];
} cases[] = {{"mikant:k=3,n=3", "mikant", {40, 80}}, {"kary-ntree:k=3,n=3", "kary", {24, 48}}};

static void need(fl_status status, const fl_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

static fl_results *run(const char *network, const char *routers, const char *scope,
                       const unsigned faults[2], uint64_t trials)
{
    char text[1000];
    fl_error error;
    fl_experiment *experiment;
    fl_results *results;
    int length = snprintf(
        text, sizeof text,
        "{\"topology\":\"%s\",\"routers\":[%s,\"limit\"],\"scope\":\"%s\",\"faults\":[%u,%u],\"trials\":%llu}",
        network, routers, scope, faults[0], faults[1], (unsigned long long)trials);
    need(fl_experiment_parse(&experiment, text, (size_t)length, "bench", &error), &error);
    need(fl_experiment_run(&results, experiment, &(fl_run_options){.threads = 1}, &error), &error);
    return results;
}

/* Fraction of the packets delivered by limit, with its interval: limit delivers every packet that
 * this router delivers. */
typedef struct fraction {
    double value, low, high, path;
} fraction;

static double mean_length(const fl_count *count)
{
    return (double)count->length_sum / (double)count->delivered;
}

static fraction fraction_of(const fl_results *results, unsigned router, uint32_t fault_point)
{
    const fl_counts *counts = results->counts[0];
    const fl_count *own = &counts->of[router * counts->fault_points + fault_point],
                   *limit = &counts->of[(counts->routers - 1) * counts->fault_points + fault_point];
    fl_interval interval = fl_stats_wilson(own->delivered, limit->delivered, FL_Z95);
    return (fraction){(double)own->delivered / (double)limit->delivered, interval.low,
                      interval.high, mean_length(own) / mean_length(limit)};
}

static void print(const char *network, const char *router, const char *scope, unsigned channels,
                  const char *header, unsigned faults, fraction s)
{
    printf("\"%s\",%s,%s,%u,%s,%u,%.4f,%.4f,%.4f,%.4f\n", network, router, scope, channels, header,
           faults, s.value, s.low, s.high, s.path);
}

/* ---- curves over the number of channels ---- */

typedef struct curve {
    double x[CHANNELS_MAX], y[CHANNELS_MAX], low[CHANNELS_MAX], high[CHANNELS_MAX];
} curve;

static void measure_variant(unsigned c, unsigned v, uint64_t trials, curve curves[2])
{
    char routers[400] = "", bits[16];
    unsigned k = strstr(cases[c].network, "k=3") ? 3 : 0;
    for (unsigned n = 1; n <= CHANNELS_MAX; n++)
        sprintf(routers + strlen(routers), "%s\"%s@own:%u\"", n > 1 ? "," : "", variants[v].router,
                n);
    snprintf(bits, sizeof bits, "%u", variants[v].marks ? 2 * k : 0);
    fl_results *results =
        run(cases[c].network, routers, variants[v].scope, cases[c].faults, trials);
    for (uint32_t fault_point = 0; fault_point < 2; fault_point++)
        for (unsigned n = 0; n < CHANNELS_MAX; n++) {
            fraction s = fraction_of(results, n, fault_point);
            print(cases[c].network, variants[v].router, variants[v].scope, n + 1, bits,
                  cases[c].faults[fault_point], s);
            curves[fault_point].x[n] = n + 1;
            curves[fault_point].y[n] = s.value;
            curves[fault_point].low[n] = s.low;
            curves[fault_point].high[n] = s.high;
        }
    fl_results_destroy(results);
}

static void measure_other(unsigned c, uint64_t trials)
{
    for (unsigned o = 0; o < sizeof others / sizeof *others; o++) {
        char name[100];
        if (strcmp(others[o].network, cases[c].network) != 0)
            continue;
        snprintf(name, sizeof name, "\"%s\"", others[o].router);
        fl_results *results = run(cases[c].network, name, "detour", cases[c].faults, trials);
        for (uint32_t fault_point = 0; fault_point < 2; fault_point++)
            print(cases[c].network, others[o].router, "detour", others[o].channels, "the detour",
                  cases[c].faults[fault_point], fraction_of(results, 0, fault_point));
        fl_results_destroy(results);
    }
}

static void draw(unsigned c, uint32_t fault_point, curve curves[VARIANTS][2], uint64_t trials,
                 const char *folder)
{
    fl_plot_series series[VARIANTS];
    char path[1024], subtitle[200];
    fl_error error;
    for (unsigned v = 0; v < VARIANTS; v++) {
        const curve *drawn = &curves[v][fault_point];
        series[v] = (fl_plot_series){.label = variants[v].label,
                                     .points = CHANNELS_MAX,
                                     .x = drawn->x,
                                     .y = drawn->y,
                                     .low = drawn->low,
                                     .high = drawn->high};
    }
    snprintf(subtitle, sizeof subtitle, "%s, %u faulty links, %llu trials, 95%% intervals",
             cases[c].network, cases[c].faults[fault_point], (unsigned long long)trials);
    snprintf(path, sizeof path, "%s/spiral-%s-%u", folder, cases[c].name,
             cases[c].faults[fault_point]);
    fl_plot plot = {.title = "What virtual channels, header bits and knowledge buy",
                    .subtitle = subtitle,
                    .x_label = "virtual channels of the router spiral",
                    .y_label = "delivered, of what any router could deliver",
                    .y_min = NAN,
                    .y_max = NAN,
                    .x_min = NAN,
                    .x_max = NAN,
                    .series_count = VARIANTS,
                    .series = series};
    need(fl_plot_write(&plot, path, &error), &error);
}

int main(int count, char **arguments)
{
    static curve curves[VARIANTS][2];
    uint64_t trials = count > 1 ? strtoull(arguments[1], NULL, 10) : 100000;
    puts("network,router,scope,channels,header_bits,faults,share_of_limit,low,high,path_of_limit");
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (unsigned v = 0; v < VARIANTS; v++)
            measure_variant(c, v, trials, curves[v]);
        measure_other(c, trials);
        for (uint32_t fault_point = 0; fault_point < 2 && count > 2; fault_point++)
            draw(c, fault_point, curves, trials, arguments[2]);
    }
    return 0;
}
