/* Figures of workloads on several networks: bars. */
#include "experiments/load/makespan_private.h"

#include <math.h>
#include <stdlib.h>

typedef struct bars {
    const fl_load_results *m;
    fl_plot_series *series;
    unsigned count;
    char (*label)[FL_LABEL_MAX + 32];
    const char **groups;
    double *x, *y;
} bars;

static bool make_bars(bars *b, const fl_load_results *m, unsigned count)
{
    unsigned groups = m->spec->makespan->workload_count;
    *b = (bars){.m = m,
                .count = count,
                .series = calloc(count, sizeof *b->series),
                .label = calloc(count, sizeof *b->label),
                .groups = calloc(groups, sizeof *b->groups),
                .x = calloc(groups, sizeof *b->x),
                .y = calloc((size_t)groups * count, sizeof *b->y)};
    if (!b->series || !b->label || !b->groups || !b->x || !b->y)
        return false;
    for (unsigned i = 0; i < groups; i++) {
        b->x[i] = i;
        b->groups[i] = fl_makespan_workload(m, i);
    }
    for (unsigned s = 0; s < count; s++)
        b->series[s] = (fl_plot_series){
            .label = b->label[s], .points = groups, .x = b->x, .y = b->y + (size_t)s * groups};
    return true;
}

static void clear_bars(bars *b)
{
    free(b->series);
    free(b->label);
    free(b->groups);
    free(b->x);
    free(b->y);
}

static fl_status write_bars(const bars *b, fl_plot plot, const char *folder, const char *name,
                            fl_error *error)
{
    fl_text path = {0};
    fl_text_append(&path, "%s/makespan-%s", folder, name);
    plot.group_count = b->m->spec->makespan->workload_count;
    plot.groups = b->groups;
    plot.x_min = -.6;
    plot.x_max = b->m->spec->makespan->workload_count - .4;
    plot.series_count = b->count;
    plot.series = b->series;
    fl_status status = path.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the figure %s", name)
                           : fl_plot_write(&plot, path.data, error);
    fl_text_clear(&path);
    return status;
}

/* Runs and seeds, and that there are no intervals; of the levels only the first run counts. */
static void append_footnote(const fl_load_results *m, size_t runs, fl_text *out)
{
    uint64_t seed = m->curves->tasks->seed;
    fl_text_append(out, "%zu run%s of each, seed%s %llu", runs, runs > 1 ? "s" : "",
                   runs > 1 ? "s" : "", (unsigned long long)seed);
    if (runs > 1)
        fl_text_append(out, " to %llu (means)", (unsigned long long)(seed + runs - 1));
    fl_text_append(out, "; no intervals; Faultline %s%s", FL_VERSION,
                   m->partial ? " (partial)" : "");
    fl_text_append(out, "\nCompare the %s", m->spec->source);
}

static fl_status draw_times(const fl_load_results *m, const char *folder, bool log_y,
                            fl_error *error)
{
    const fl_sim_context first = fl_makespan_context(m, 0, 0);
    bars b;
    char y_label[128], subtitle[512];
    bool good = make_bars(&b, m, m->spec->makespan->network_count);
    double largest = 1;
    for (unsigned i = 0; good && i < b.count; i++) {
        snprintf(b.label[i], sizeof b.label[i], "%s", m->spec->makespan->labels[i]);
        b.series[i].subject = fl_makespan_network(m, i)->spec;
        for (unsigned j = 0; j < m->spec->makespan->workload_count; j++) {
            double time = fl_makespan_time(m, i, j);
            b.y[(size_t)i * m->spec->makespan->workload_count + j] = time;
            largest = isfinite(time) && time > largest ? time : largest;
        }
    }
    snprintf(y_label, sizeof y_label, "time, over that of %.60s", m->spec->makespan->labels[0]);
    snprintf(subtitle, sizeof subtitle,
             "%llu nodes, preset %s, %s; until all messages have arrived",
             (unsigned long long)first.network->nodes, first.preset, first.router->canonical);
    fl_text footnote = {0};
    fl_text_append(&footnote, log_y ? "logarithmic axis; " : "");
    append_footnote(m, m->curves->repeats, &footnote);
    fl_status status = !good || footnote.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a figure")
                           : write_bars(&b,
                                        (fl_plot){.title = m->spec->title,
                                                  .subtitle = subtitle,
                                                  .x_label = "workload",
                                                  .y_label = y_label,
                                                  .footnote = footnote.data,
                                                  .log_y = log_y,
                                                  .y_min = log_y ? (double)NAN : 0,
                                                  .y_max = log_y ? 1.9 * largest : 1.12 * largest},
                                        folder, "times", error);
    fl_text_clear(&footnote);
    clear_bars(&b);
    return status;
}

/* In a tree, a packet takes two links of every class up to the level where it turns. */
static fl_status draw_levels(const fl_load_results *m, const char *folder, fl_error *error)
{
    const fl_sim_context first = fl_makespan_context(m, 0, 0);
    const fl_network *network = first.network;
    bars b;
    char name[FL_LABEL_MAX], subtitle[512];
    bool good = make_bars(&b, m, network->classes);
    for (unsigned i = 0; good && i < b.count; i++) {
        network->type->class_name(network, i, name, sizeof name);
        snprintf(b.label[i], sizeof b.label[i], "%s", name);
        for (unsigned j = 0; j < m->spec->makespan->workload_count; j++) {
            const fl_sim_result *r = fl_makespan_result(m, 0, j, 0);
            b.y[(size_t)i * m->spec->makespan->workload_count + j] =
                fl_makespan_links_per_packet(m, r, i) / fl_makespan_links_per_packet(m, r, 0);
        }
    }
    snprintf(subtitle, sizeof subtitle, "%s, %s", network->spec, first.router->canonical);
    fl_text footnote = {0};
    fl_text_append(&footnote, "links of a class per packet, over those of the first class; ");
    append_footnote(m, 1, &footnote);
    fl_status status =
        !good || footnote.failed
            ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a figure")
            : write_bars(&b,
                         (fl_plot){.title = "Fraction of packets that use the links of each class",
                                   .subtitle = subtitle,
                                   .x_label = "workload",
                                   .y_label = "fraction of packets",
                                   .y_min = 0,
                                   .y_max = 1.12,
                                   .footnote = footnote.data},
                         folder, "levels", error);
    fl_text_clear(&footnote);
    clear_bars(&b);
    return status;
}

fl_status fl_makespan_draw(const fl_load_results *m, const char *folder, bool log_y,
                           fl_error *error)
{
    fl_status status = draw_times(m, folder, log_y, error);
    return status ? status : draw_levels(m, folder, error);
}
