/* Results of workloads on several networks: CSV, JSON, a table. */
#include "experiments/load/makespan_private.h"

#include <math.h>

double fl_makespan_links_per_packet(const fl_load_results *results, const fl_sim_result *r,
                                    unsigned link_class)
{
    return fl_per((double)r->class_flits[link_class],
                  (double)r->total_delivered *
                      fl_makespan_context(results, 0, 0).model->packet_flits);
}

/* ---- CSV ---- */

static void append_row(const fl_load_results *results, const fl_sim_columns *classes,
                       unsigned network, unsigned workload, size_t run, fl_text *out)
{
    const fl_sim_context c = fl_makespan_context(results, network, workload);
    const fl_sim_result *r = fl_makespan_result(results, network, workload, run);
    fl_csv_append_quoted(out, results->spec->makespan->labels[network]);
    fl_text_append(out, ",");
    fl_csv_append_quoted(out, c.network->spec);
    fl_text_append(out, ",%s,%s,", c.router->canonical, c.preset);
    fl_csv_append_quoted(out, fl_makespan_workload(results, workload));
    fl_text_append(out, ",%llu", (unsigned long long)r->seed);
    fl_csv_append_number(out, fl_makespan_time(results, network, workload));
    fl_text_append(out, ",%llu", (unsigned long long)r->total_delivered);
    fl_csv_append_number(out, fl_per((double)r->hop_sum, (double)r->counted));
    fl_csv_append_number(out, fl_per((double)r->latency_sum, (double)r->counted));
    for (unsigned i = 0; i < classes->count; i++) {
        int named = fl_sim_class_named(c.network, classes->names[i]);
        double links =
            named < 0 ? (double)NAN : fl_makespan_links_per_packet(results, r, (unsigned)named);
        fl_csv_append_number(out, links);
        fl_csv_append_number(out, fl_sim_utilisation(r, named));
    }
    fl_completion_row(r, out);
    fl_text_append(out, "\n");
}

void fl_makespan_csv(const fl_load_results *results, fl_text *out)
{
    const fl_makespan_spec *spec = results->spec->makespan;
    fl_sim_columns classes = {0};
    for (unsigned i = 0; i < spec->network_count; i++)
        fl_sim_columns_add(&classes, fl_makespan_network(results, i));
    fl_text_append(
        out, "network,topology,router,preset,workload,seed,time,packets,hops_mean,latency_mean");
    for (unsigned i = 0; i < classes.count; i++) {
        fl_sim_csv_class_column(out, "links_per_packet_", classes.names[i]);
        fl_sim_csv_class_column(out, "utilisation_", classes.names[i]);
    }
    fl_completion_header(out);
    fl_text_append(out, "\n");
    for (unsigned workload = 0; workload < spec->workload_count; workload++)
        for (unsigned network = 0; network < spec->network_count; network++)
            for (size_t run = 0; run < results->curves->repeats; run++)
                append_row(results, &classes, network, workload, run, out);
}

/* ---- JSON ---- */

static void json_network(const fl_load_results *results, unsigned i, fl_json_writer *out)
{
    const fl_makespan_spec *spec = results->spec->makespan;
    const fl_sim_context c = fl_makespan_context(results, i, 0);
    fl_json_open_object(fl_json_line(out), NULL);
    fl_json_text(out, "label", spec->labels[i]);
    fl_json_text(out, "topology", c.network->spec);
    fl_json_text(out, "router", c.router->canonical);
    fl_json_number(out, "nodes", c.network->nodes);
    fl_json_number(out, "switches", c.network->switches);
    fl_json_number(out, "radix", c.network->radix);
    for (unsigned q = 0; q < FL_MAKESPAN_QUANTITIES; q++) {
        char published[64];
        snprintf(published, sizeof published, "published_%s", fl_makespan_quantity_names[q]);
        fl_json_measure(fl_json_line(out), fl_makespan_quantity_names[q],
                        fl_makespan_quantity_of(results, i, (fl_makespan_quantity)q));
        fl_json_measure(out, published, spec->published[q][i]);
    }
    fl_json_close(out);
}

static void json_run(const fl_load_results *results, unsigned network, unsigned workload,
                     size_t run, fl_json_writer *out)
{
    const fl_sim_context c = fl_makespan_context(results, network, workload);
    const fl_sim_result *r = fl_makespan_result(results, network, workload, run);
    fl_json_open_object(fl_json_line(out), NULL);
    fl_json_text(out, "network", results->spec->makespan->labels[network]);
    fl_json_text(out, "workload", fl_makespan_workload(results, workload));
    fl_json_number(out, "seed", r->seed);
    fl_json_measure(out, "time", fl_makespan_time(results, network, workload));
    fl_json_number(out, "cycles", r->cycles);
    fl_json_number(out, "packets", r->total_delivered);
    fl_json_number(out, "hop_sum", r->hop_sum);
    fl_json_number(out, "latency_sum", r->latency_sum);
    fl_json_number(out, "conflicts", r->conflicts);
    fl_json_bool(out, "deadlocked", r->deadlocked);
    fl_json_bool(out, "stopped", r->stopped);
    fl_json_line(out);
    fl_sim_json_classes(c.network, r, out);
    fl_completion_json(c.set_up->workload, r, out);
    fl_json_close(out);
}

static const char *figure_name(const void *spec, unsigned index)
{
    return fl_load_spec_figure(spec, index);
}

void fl_makespan_json(const fl_load_results *results, fl_text *text)
{
    const fl_load_spec *spec = results->spec;
    const fl_sim_context c = fl_makespan_context(results, 0, 0);
    fl_json_writer out = fl_json_writer_begin(text, 1);
    fl_json_open_results(&out, "faultline makespan 1");
    fl_json_titles(&out, spec->name, spec->title, spec->source);
    fl_json_line_text(&out, "preset", c.preset);
    fl_json_line_text(&out, "placement", fl_sim_placement_names[c.model->placement]);
    fl_json_open_array(fl_json_line(&out), "networks");
    for (unsigned i = 0; i < spec->makespan->network_count; i++)
        json_network(results, i, &out);
    fl_json_close(&out);
    fl_json_figure_names(&out, figure_name, spec);
    fl_json_number(fl_json_line(&out), "seed", results->curves->tasks->seed);
    fl_json_number(fl_json_line(&out), "runs", results->curves->repeats);
    fl_json_bool(fl_json_line(&out), "partial", results->partial);
    fl_json_work(&out, results->started, results->wall_seconds, results->threads, results->ranks);
    fl_json_host(&out);
    fl_json_open_array(fl_json_line(&out), "results");
    for (unsigned workload = 0; workload < spec->makespan->workload_count; workload++)
        for (unsigned network = 0; network < spec->makespan->network_count; network++)
            for (size_t run = 0; run < results->curves->repeats; run++)
                json_run(results, network, workload, run, &out);
    fl_json_close(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}

/* ---- tables ---- */

static const char *why_there_is_no_time(const fl_sim_result *r)
{
    return r->deadlocked           ? "deadlocked"
           : r->completion.stalled ? "messages lost"
           : r->stopped            ? "ended early"
                                   : "not complete";
}

static void add_times(const fl_load_results *m, unsigned workload, fl_table *table)
{
    fl_table_cell(table, "%s", fl_makespan_workload(m, workload));
    for (unsigned i = 0; i < m->spec->makespan->network_count; i++) {
        double cycles = fl_makespan_cycles(m, i, workload), time = fl_makespan_time(m, i, workload);
        if (isfinite(time))
            fl_table_cell(table, "%.0f  %7.3f", cycles, time);
        else
            fl_table_cell(table, "%s", why_there_is_no_time(fl_makespan_result(m, i, workload, 0)));
    }
    fl_table_row(table);
}

static bool is_published(const fl_load_results *m, unsigned quantity)
{
    return isfinite(m->spec->makespan->published[quantity][0]);
}

static void add_quantity(const fl_load_results *m, unsigned quantity, fl_table *table)
{
    char name[64];
    snprintf(name, sizeof name, "%s", fl_makespan_quantity_names[quantity]);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    fl_table_cell(table, "%s", name);
    for (unsigned i = 0; i < m->spec->makespan->network_count; i++) {
        double value = fl_makespan_quantity_of(m, i, (fl_makespan_quantity)quantity);
        if (!isfinite(value))
            fl_table_cell(table, "-");
        else if (is_published(m, quantity))
            fl_table_cell(table, "%.3f (published %.2f)", value,
                          m->spec->makespan->published[quantity][i]);
        else
            fl_table_cell(table, "%.3f", value);
    }
    fl_table_row(table);
}

void fl_makespan_summary(const fl_load_results *m, fl_text *out)
{
    const fl_makespan_spec *spec = m->spec->makespan;
    size_t runs = m->curves->repeats;
    fl_table table = {0};
    fl_text_append(
        out,
        "%s (preset %s, %zu seed%s%s)\ncycles until all messages have arrived, and over those of %s\n",
        m->spec->title, m->curves->preset, runs, runs > 1 ? "s" : "", m->partial ? ", partial" : "",
        spec->labels[0]);
    fl_table_column(&table, (fl_column){.least = 24, .gap = 2, .left = true}, "%s", "");
    for (unsigned i = 0; i < spec->network_count; i++)
        fl_table_column(&table, (fl_column){.least = 24, .gap = 2}, "%s", spec->labels[i]);
    for (unsigned workload = 0; workload < spec->workload_count; workload++)
        add_times(m, workload, &table);
    for (unsigned q = 0; q < FL_MAKESPAN_QUANTITIES; q++)
        add_quantity(m, q, &table);
    fl_table_end(&table, out);
    fl_makespan_notes(m, out);
}

void fl_makespan_notes(const fl_load_results *results, fl_text *out)
{
    if (!results->partial && !fl_makespan_is_complete(results))
        fl_text_append(
            out,
            "note: not all messages of all runs arrived; see the columns complete, stalled and deadlocked\n");
}

/* ---- files ---- */

fl_status fl_makespan_write(const fl_load_results *m, const char *folder, fl_error *error)
{
    fl_text csv = {0}, json = {0};
    fl_makespan_csv(m, &csv);
    fl_makespan_json(m, &json);
    return fl_results_write_pair(folder, "makespan", &csv, &json, error);
}
