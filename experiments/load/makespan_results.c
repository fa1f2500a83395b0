#include "experiments/load/makespan_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES_MAX = FL_MAKESPAN_NETWORKS_MAX * FL_SIM_CLASSES_MAX };

/* Names of the link classes of all networks. */
typedef struct classes {
    unsigned count;
    char name[CLASSES_MAX][FL_LABEL_MAX];
} classes;

static const fl_sim_result *result_of(const fl_makespan *m, unsigned network, unsigned workload,
                                      unsigned run)
{
    return &m->results[fl_makespan_place(m->spec, network, workload, run)];
}

static double per(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

static void class_name(const fl_network *network, unsigned i, char out[FL_LABEL_MAX])
{
    network->type->class_name(network, i, out, FL_LABEL_MAX);
}

static void collect_classes(const fl_makespan *m, classes *all)
{
    all->count = 0;
    for (unsigned i = 0; i < m->spec->network_count; i++)
        for (unsigned j = 0; j < m->spec->networks[i].network->classes && j < FL_SIM_CLASSES_MAX;
             j++) {
            unsigned known = 0;
            class_name(m->spec->networks[i].network, j, all->name[all->count]);
            while (strcmp(all->name[known], all->name[all->count]) != 0)
                known++;
            all->count += known == all->count;
        }
}

/* Links of a class that a packet took on its way, on average. */
static double links_per_packet(const fl_makespan *m, const fl_sim_result *r, unsigned link_class)
{
    return per((double)r->class_flits[link_class],
               (double)r->total_delivered * m->spec->model.packet_flits);
}

static void append_number(fl_text *out, double value)
{
    fl_text_append(out, ",");
    if (isfinite(value))
        fl_text_append(out, "%.8g", value);
}

/* ---- CSV ---- */

static void append_row(const fl_makespan *m, const classes *all, unsigned network,
                       unsigned workload, unsigned run, fl_text *out)
{
    const fl_makespan_network *n = &m->spec->networks[network];
    const fl_sim_result *r = result_of(m, network, workload, run);
    fl_csv_append_quoted(out, n->label);
    fl_text_append(out, ",");
    fl_csv_append_quoted(out, n->network->spec);
    fl_text_append(out, ",%s,%s,", n->router->canonical, m->spec->preset->name);
    fl_csv_append_quoted(out, m->spec->workloads[workload].label);
    fl_text_append(out, ",%llu", (unsigned long long)r->seed);
    append_number(out, fl_makespan_time(m, network, workload));
    fl_text_append(out, ",%llu", (unsigned long long)r->total_delivered);
    append_number(out, per((double)r->hop_sum, (double)r->counted));
    append_number(out, per((double)r->latency_sum, (double)r->counted));
    for (unsigned i = 0; i < all->count; i++) {
        double links = (double)NAN, use = (double)NAN;
        char name[FL_LABEL_MAX];
        for (unsigned j = 0; j < n->network->classes; j++) {
            class_name(n->network, j, name);
            if (strcmp(name, all->name[i]) != 0)
                continue;
            links = links_per_packet(m, r, j);
            use =
                per((double)r->class_flits[j], (double)r->class_channels[j] * (double)r->measured);
        }
        append_number(out, links);
        append_number(out, use);
    }
    fl_completion_row(r, out);
    fl_text_append(out, "\n");
}

void fl_makespan_csv(const fl_makespan *m, fl_text *out)
{
    classes *all = malloc(sizeof *all);
    if (!all) {
        out->failed = true;
        return;
    }
    collect_classes(m, all);
    fl_text_append(
        out, "network,topology,router,preset,workload,seed,time,packets,hops_mean,latency_mean");
    for (unsigned i = 0; i < all->count; i++) {
        fl_sim_csv_class_column(out, "links_per_packet_", all->name[i]);
        fl_sim_csv_class_column(out, "utilisation_", all->name[i]);
    }
    fl_completion_header(out);
    fl_text_append(out, "\n");
    for (unsigned workload = 0; workload < m->spec->workload_count; workload++)
        for (unsigned network = 0; network < m->spec->network_count; network++)
            for (unsigned run = 0; run < m->spec->runs; run++)
                append_row(m, all, network, workload, run, out);
    free(all);
}

/* ---- JSON ---- */

static void append_json_number(fl_text *out, double value)
{
    if (isfinite(value))
        fl_text_append(out, "%.10g", value);
    else
        fl_text_append(out, "null");
}

static void append_networks(const fl_makespan *m, fl_text *out)
{
    fl_text_append(out, " \"networks\": [");
    for (unsigned i = 0; i < m->spec->network_count; i++) {
        const fl_makespan_network *n = &m->spec->networks[i];
        fl_text_append(out, "%s\n  {\"label\": ", i ? "," : "");
        fl_json_append_string(out, n->label);
        fl_text_append(out, ", \"topology\": ");
        fl_json_append_string(out, n->network->spec);
        fl_text_append(out, ", \"router\": ");
        fl_json_append_string(out, n->router->canonical);
        fl_text_append(out, ", \"nodes\": %llu, \"switches\": %llu, \"radix\": %u",
                       (unsigned long long)n->network->nodes,
                       (unsigned long long)n->network->switches, n->network->radix);
        for (unsigned q = 0; q < FL_MAKESPAN_QUANTITIES; q++) {
            fl_text_append(out, ",\n   \"%s\": ", fl_makespan_quantity_names[q]);
            append_json_number(out, fl_makespan_quantity_of(m, i, (fl_makespan_quantity)q));
            fl_text_append(out, ", \"published_%s\": ", fl_makespan_quantity_names[q]);
            append_json_number(out, m->spec->published[q][i]);
        }
        fl_text_append(out, "}");
    }
    fl_text_append(out, "],\n");
}

static void append_run(const fl_makespan *m, unsigned network, unsigned workload, unsigned run,
                       fl_text *out)
{
    const fl_makespan_network *n = &m->spec->networks[network];
    const fl_sim_result *r = result_of(m, network, workload, run);
    char name[FL_LABEL_MAX];
    fl_text_append(out, "  {\"network\": ");
    fl_json_append_string(out, n->label);
    fl_text_append(out, ", \"workload\": ");
    fl_json_append_string(out, m->spec->workloads[workload].label);
    fl_text_append(out, ", \"seed\": %llu, \"time\": ", (unsigned long long)r->seed);
    append_json_number(out, fl_makespan_time(m, network, workload));
    fl_text_append(
        out,
        ", \"cycles\": %llu, \"packets\": %llu, \"hop_sum\": %llu, \"latency_sum\": %llu, \"conflicts\": %llu, \"deadlocked\": %s",
        (unsigned long long)r->cycles, (unsigned long long)r->total_delivered,
        (unsigned long long)r->hop_sum, (unsigned long long)r->latency_sum,
        (unsigned long long)r->conflicts, r->deadlocked ? "true" : "false");
    fl_text_append(out, ", \"stopped\": %s,\n   \"class_flits\": {", r->stopped ? "true" : "false");
    for (unsigned i = 0; i < n->network->classes; i++) {
        class_name(n->network, i, name);
        fl_text_append(out, "%s", i ? ", " : "");
        fl_json_append_string(out, name);
        fl_text_append(out, ": {\"channels\": %llu, \"flits\": %llu}",
                       (unsigned long long)r->class_channels[i],
                       (unsigned long long)r->class_flits[i]);
    }
    fl_text_append(out, "}");
    fl_completion_json(m->spec->workloads[workload].workload, r, out);
    fl_text_append(out, "}");
}

void fl_makespan_json(const fl_makespan *m, fl_text *out)
{
    const fl_makespan_spec *spec = m->spec;
    const char *comma = "";
    fl_text_append(out, "{\"format\": \"faultline makespan 1\",\n \"version\": \"%s\",\n",
                   FL_VERSION);
    fl_json_append_line(out, "name", spec->name);
    fl_json_append_line(out, "title", spec->title);
    fl_json_append_line(out, "source", spec->source);
    fl_json_append_line(out, "preset", spec->preset->name);
    fl_json_append_line(out, "placement", fl_sim_placement_names[spec->model.placement]);
    append_networks(m, out);
    fl_text_append(out, " \"figures\": [");
    for (size_t i = 0; fl_makespan_figures[i]; i++)
        fl_text_append(out, "%s{\"name\": \"%s\"}", i ? ", " : "", fl_makespan_figures[i]);
    fl_text_append(
        out,
        "],\n \"seed\": %llu,\n \"runs\": %u,\n \"partial\": %s,\n \"started\": \"%s\",\n \"wall_seconds\": %.3f,\n"
        " \"threads\": %u,\n \"ranks\": %u,\n",
        (unsigned long long)spec->seed, spec->runs, m->partial ? "true" : "false", m->started,
        m->wall_seconds, m->threads, m->ranks);
    fl_json_append_host(out);
    fl_text_append(out, " \"results\": [\n");
    for (unsigned workload = 0; workload < spec->workload_count; workload++)
        for (unsigned network = 0; network < spec->network_count; network++)
            for (unsigned run = 0; run < spec->runs; run++) {
                fl_text_append(out, "%s", comma);
                append_run(m, network, workload, run, out);
                comma = ",\n";
            }
    fl_text_append(out, "]}\n");
}

/* ---- tables ---- */

enum { NAME_WIDTH = 24, COLUMN_WIDTH = 24 };

static void append_cell(fl_text *out, const char *text)
{
    fl_text_append(out, "  %*s", COLUMN_WIDTH, text);
}

static void append_times(const fl_makespan *m, unsigned workload, fl_text *out)
{
    char cell[64];
    fl_text_append(out, "  %-*.*s", NAME_WIDTH, NAME_WIDTH, m->spec->workloads[workload].label);
    for (unsigned i = 0; i < m->spec->network_count; i++) {
        double cycles = fl_makespan_cycles(m, i, workload), time = fl_makespan_time(m, i, workload);
        const fl_sim_result *r = result_of(m, i, workload, 0);
        if (isfinite(time))
            snprintf(cell, sizeof cell, "%.0f  %7.3f", cycles, time);
        else
            snprintf(cell, sizeof cell, "%s",
                     r->deadlocked           ? "deadlocked"
                     : r->completion.stalled ? "messages lost"
                     : r->stopped            ? "ended early"
                                             : "not complete");
        append_cell(out, cell);
    }
    fl_text_append(out, "\n");
}

static bool is_published(const fl_makespan *m, unsigned quantity)
{
    return isfinite(m->spec->published[quantity][0]);
}

static void append_quantity(const fl_makespan *m, unsigned quantity, fl_text *out)
{
    char name[64], cell[64];
    snprintf(name, sizeof name, "%s", fl_makespan_quantity_names[quantity]);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    fl_text_append(out, "  %-*s", NAME_WIDTH, name);
    for (unsigned i = 0; i < m->spec->network_count; i++) {
        double value = fl_makespan_quantity_of(m, i, (fl_makespan_quantity)quantity);
        if (!isfinite(value))
            snprintf(cell, sizeof cell, "-");
        else if (is_published(m, quantity))
            snprintf(cell, sizeof cell, "%.3f (published %.2f)", value,
                     m->spec->published[quantity][i]);
        else
            snprintf(cell, sizeof cell, "%.3f", value);
        append_cell(out, cell);
    }
    fl_text_append(out, "\n");
}

void fl_makespan_summary(const fl_makespan *m, fl_text *out)
{
    const fl_makespan_spec *spec = m->spec;
    fl_text_append(
        out,
        "%s (preset %s, %u seed%s%s)\ncycles until all messages have arrived, and over those of %s\n",
        spec->title, spec->preset->name, spec->runs, spec->runs > 1 ? "s" : "",
        m->partial ? ", partial" : "", spec->networks[0].label);
    fl_text_append(out, "  %-*s", NAME_WIDTH, "");
    for (unsigned i = 0; i < spec->network_count; i++)
        append_cell(out, spec->networks[i].label);
    fl_text_append(out, "\n");
    for (unsigned workload = 0; workload < spec->workload_count; workload++)
        append_times(m, workload, out);
    for (unsigned q = 0; q < FL_MAKESPAN_QUANTITIES; q++)
        append_quantity(m, q, out);
}

/* ---- files ---- */

fl_status fl_makespan_write(const fl_makespan *m, const char *folder, fl_error *error)
{
    fl_text csv = {0}, json = {0};
    fl_makespan_csv(m, &csv);
    fl_makespan_json(m, &json);
    return fl_results_write_pair(folder, "makespan", &csv, &json, error);
}

/* ---- figures ---- */

const char *const fl_makespan_figures[] = {"times", "levels", NULL};

typedef struct bars {
    const fl_makespan *m;
    fl_plot_series *series;
    unsigned count;
    char (*label)[FL_LABEL_MAX + 32];
    const char **groups;
    double *x, *y;
} bars;

static bool make_bars(bars *b, const fl_makespan *m, unsigned count)
{
    unsigned groups = m->spec->workload_count;
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
        b->groups[i] = m->spec->workloads[i].label;
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
    plot.group_count = b->m->spec->workload_count;
    plot.groups = b->groups;
    plot.x_min = -.6;
    plot.x_max = b->m->spec->workload_count - .4;
    plot.series_count = b->count;
    plot.series = b->series;
    fl_status status = path.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the figure %s", name)
                           : fl_plot_write(&plot, path.data, error);
    fl_text_clear(&path);
    return status;
}

/* Runs and seeds, and that there are no intervals; of the levels only the first run counts. */
static void append_footnote(const fl_makespan *m, unsigned runs, fl_text *out)
{
    const fl_makespan_spec *spec = m->spec;
    fl_text_append(out, "%u run%s of each, seed%s %llu", runs, runs > 1 ? "s" : "",
                   runs > 1 ? "s" : "", (unsigned long long)spec->seed);
    if (runs > 1)
        fl_text_append(out, " to %llu (means)", (unsigned long long)(spec->seed + runs - 1));
    fl_text_append(out, "; no intervals; Faultline %s%s", FL_VERSION,
                   m->partial ? " (partial)" : "");
    if (spec->source)
        fl_text_append(out, "\nCompare the %s", spec->source);
}

static fl_status draw_times(const fl_makespan *m, const char *folder, bool log_y, fl_error *error)
{
    bars b;
    char y_label[128], subtitle[512];
    bool good = make_bars(&b, m, m->spec->network_count);
    double largest = 1;
    for (unsigned i = 0; good && i < b.count; i++) {
        snprintf(b.label[i], sizeof b.label[i], "%s", m->spec->networks[i].label);
        b.series[i].subject = m->spec->networks[i].network->spec;
        for (unsigned j = 0; j < m->spec->workload_count; j++) {
            double time = fl_makespan_time(m, i, j);
            b.y[(size_t)i * m->spec->workload_count + j] = time;
            largest = isfinite(time) && time > largest ? time : largest;
        }
    }
    snprintf(y_label, sizeof y_label, "time, over that of %.60s", m->spec->networks[0].label);
    snprintf(subtitle, sizeof subtitle,
             "%llu nodes, preset %s, %s; until all messages have arrived",
             (unsigned long long)m->spec->networks[0].network->nodes, m->spec->preset->name,
             m->spec->networks[0].router->canonical);
    fl_text footnote = {0};
    fl_text_append(&footnote, log_y ? "logarithmic axis; " : "");
    append_footnote(m, m->spec->runs, &footnote);
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
static fl_status draw_fault_points(const fl_makespan *m, const char *folder, fl_error *error)
{
    const fl_network *network = m->spec->networks[0].network;
    bars b;
    char name[FL_LABEL_MAX], subtitle[512];
    bool good = make_bars(&b, m, network->classes);
    for (unsigned i = 0; good && i < b.count; i++) {
        class_name(network, i, name);
        snprintf(b.label[i], sizeof b.label[i], "%s", name);
        for (unsigned j = 0; j < m->spec->workload_count; j++) {
            const fl_sim_result *r = result_of(m, 0, j, 0);
            b.y[(size_t)i * m->spec->workload_count + j] =
                links_per_packet(m, r, i) / links_per_packet(m, r, 0);
        }
    }
    snprintf(subtitle, sizeof subtitle, "%s, %s", network->spec,
             m->spec->networks[0].router->canonical);
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

fl_status fl_makespan_draw(const fl_makespan *m, const char *folder, bool log_y, fl_error *error)
{
    fl_status status = draw_times(m, folder, log_y, error);
    return status ? status : draw_fault_points(m, folder, error);
}
