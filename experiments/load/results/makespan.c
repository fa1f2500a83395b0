/* Results of workloads on several networks: CSV, JSON, a table. */
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

double fl_makespan_links_per_packet(const fl_makespan *m, const fl_sim_result *r,
                                    unsigned link_class)
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
    const fl_sim_result *r = fl_makespan_result(m, network, workload, run);
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
            links = fl_makespan_links_per_packet(m, r, j);
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
    const fl_sim_result *r = fl_makespan_result(m, network, workload, run);
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
        const fl_sim_result *r = fl_makespan_result(m, i, workload, 0);
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
