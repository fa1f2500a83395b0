/* Results of several curves under load: CSV, JSON, a short table. */
#include "experiments/load/curves_private.h"
#include "experiments/results.h"
#include "experiments/spec/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fl_sim_task *task_of(const fl_load_curve *curve, size_t run)
{
    return &curve->tasks[run];
}

/* The fault rate of a run, where that is what the experiment is about; else NAN. */
static double rate_of(const fl_load_results *results, const fl_load_curve *curve, size_t run)
{
    return results->spec->fault_rates ? curve->x[run / curve->repeats] : (double)NAN;
}

/* ---- CSV ---- */

void fl_load_csv(const fl_load_results *results, fl_text *out)
{
    fl_sim_columns columns = {0};
    for (unsigned i = 0; i < results->spec->curve_count; i++)
        fl_sim_columns_add(&columns,
                           fl_sim_plan_set_up(results->curves[i].tasks->plan)->router->network);
    fl_text_append(out, "curve,fault_rate,fault_set,");
    fl_sim_csv_header(&columns, out);
    fl_text_append(out, "\n");
    for (unsigned i = 0; i < results->spec->curve_count; i++) {
        const fl_load_curve *curve = &results->curves[i];
        const fl_sim_result *runs = &results->results[fl_load_first(results, i)];
        for (size_t run = 0; run < curve->points * curve->repeats; run++) {
            fl_sim_context c = fl_sim_context_of(task_of(curve, run)->plan, curve->preset);
            if (runs[run].stopped)
                continue; /* says nothing yet */
            fl_csv_append_quoted(out, curve->label);
            if (results->spec->fault_rates)
                fl_text_append(out, ",%.8g,%zu,", rate_of(results, curve, run),
                               run % curve->repeats + 1);
            else
                fl_text_append(out, ",,,");
            fl_sim_csv_row(&c, &runs[run], &columns, out);
            fl_text_append(out, "\n");
        }
    }
}

/* ---- JSON ---- */

/* Means over the runs of a point. */
static void json_points(const fl_load_results *results, unsigned i, fl_json_writer *out)
{
    const fl_load_curve *curve = &results->curves[i];
    fl_json_open_array(fl_json_line(out), "points");
    for (size_t point = 0; point < curve->points; point++) {
        fl_json_open_object(fl_json_line(out), NULL);
        fl_json_measure(out, results->spec->fault_rates ? "fault_rate" : "load", curve->x[point]);
        for (unsigned q = 0; q < FL_LOAD_SERIES_LATENCY; q++) {
            char key[64];
            double value;
            fl_interval interval;
            fl_load_point(results, i, point, (fl_load_quantity)q, &value, &interval);
            fl_json_measure(out, fl_load_quantity_names[q], value);
            if (!isfinite(interval.low))
                continue;
            snprintf(key, sizeof key, "%s_interval", fl_load_quantity_names[q]);
            fl_json_open_array(out, key);
            fl_json_measure(out, NULL, interval.low);
            fl_json_measure(out, NULL, interval.high);
            fl_json_close(out);
        }
        fl_json_close(out);
    }
    fl_json_close(out);
}

static void json_runs(const fl_load_results *results, unsigned i, fl_json_writer *out)
{
    const fl_load_curve *curve = &results->curves[i];
    const fl_sim_result *runs = &results->results[fl_load_first(results, i)];
    fl_json_open_array(fl_json_line(out), "results");
    for (size_t run = 0; run < curve->points * curve->repeats; run++) {
        fl_sim_context c = fl_sim_context_of(task_of(curve, run)->plan, curve->preset);
        if (runs[run].stopped)
            continue;
        fl_json_open_object(fl_json_line(out), NULL);
        if (results->spec->fault_rates) {
            fl_json_measure(out, "fault_rate", rate_of(results, curve, run));
            fl_json_number(out, "fault_set", run % curve->repeats + 1);
            fl_json_number(out, "faults", c.set_up->faults->count);
        }
        fl_sim_json_result(&c, &runs[run], out);
        fl_json_close(out);
    }
    fl_json_close(out);
}

static void json_curve(const fl_load_results *results, unsigned i, fl_json_writer *out)
{
    const fl_load_curve *curve = &results->curves[i];
    fl_sim_context c = fl_sim_context_of(curve->tasks->plan, curve->preset);
    fl_json_open_object(out, NULL);
    fl_json_indent(out, 1);
    fl_json_line_text(out, "label", curve->label);
    fl_sim_json_set_up(&c, out);
    if (!results->spec->fault_rates) {
        fl_sim_json_faults(&c, out);
        fl_sim_json_proof(&curve->proof, out);
    }
    fl_json_number(fl_json_line(out), "repeats", curve->repeats);
    json_points(results, i, out);
    json_runs(results, i, out);
    fl_json_close(out);
}

static const char *figure_name(const void *spec, unsigned index)
{
    return fl_load_spec_figure(spec, index);
}

void fl_load_json(const fl_load_results *results, fl_text *text)
{
    const fl_load_spec *spec = results->spec;
    char hash[FL_CONTENT_HASH];
    uint64_t runs = fl_load_hash(results->spec, results->curves);
    text->failed |= runs == 0;
    fl_content_hash(hash, runs);
    fl_json_writer out = fl_json_writer_begin(text, 1);
    fl_json_open_results(&out, "faultline simulation of curves 1");
    fl_json_titles(&out, spec->name, spec->title, spec->source);
    fl_json_figure_names(&out, figure_name, spec);
    fl_json_bool(fl_json_line(&out), "partial", results->partial);
    fl_json_work(&out, results->started, results->wall_seconds, results->threads, results->ranks);
    fl_json_number(fl_json_line(&out), "runs", results->result_count);
    fl_json_number(fl_json_line(&out), "runs_taken_up", results->taken_up);
    fl_json_line_text(&out, "runs_hash", hash);
    fl_json_host(&out);
    fl_json_real(fl_json_line(&out), "confidence", 0.95, 0);
    fl_json_open_array(fl_json_line(&out), "curves");
    fl_json_indent(&out, 0);
    for (unsigned i = 0; i < spec->curve_count; i++) {
        if (i > 0)
            fl_json_line(&out);
        json_curve(results, i, &out);
    }
    fl_json_close(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}

fl_status fl_load_write(const fl_load_results *results, const char *folder, fl_error *error)
{
    fl_text csv = {0}, json = {0};
    fl_load_csv(results, &csv);
    fl_load_json(results, &json);
    return fl_results_write_pair(folder, "simulate", &csv, &json, error);
}

/* ---- a short table ---- */

/* A value with its interval, or what takes its place. */
static void add_value(fl_table *table, double value, fl_interval interval, int places,
                      const char *otherwise)
{
    if (!isfinite(value))
        fl_table_cell(table, "%s", otherwise);
    else if (isfinite(interval.low))
        fl_table_cell(table, "%.*f +-%.*f", places, value, places,
                      (interval.high - interval.low) / 2);
    else
        fl_table_cell(table, "%.*f", places, value);
}

/* NULL if the curve carries the load of this point in every run; else why it does not. */
static const char *why_not_carried(const fl_load_results *results, unsigned curve, size_t point)
{
    const fl_load_curve *of = &results->curves[curve];
    const fl_sim_result *runs =
        &results->results[fl_load_first(results, curve) + point * of->repeats];
    const char *why = NULL;
    for (size_t i = 0; i < of->repeats; i++) {
        if (runs[i].deadlocked)
            return "deadlocked";
        if (runs[i].stopped)
            why = "missing";
        else if (runs[i].saturated && !why)
            why = "saturated";
    }
    return why;
}

/* What takes the place of a value: why there is none, or that nothing was counted. */
static const char *placeholder(const fl_load_results *results, unsigned curve, size_t point)
{
    const char *why = why_not_carried(results, curve, point);
    return why ? why : "-";
}

static void add_deadlocks(const fl_load_results *results, unsigned curve, fl_table *table)
{
    const fl_load_curve *of = &results->curves[curve];
    size_t deadlocked = 0, stopped = 0, all = of->points * of->repeats;
    for (size_t i = 0; i < all; i++) {
        deadlocked += results->results[fl_load_first(results, curve) + i].deadlocked;
        stopped += results->results[fl_load_first(results, curve) + i].stopped;
    }
    if (deadlocked && stopped)
        fl_table_rest(table, "%zu of %zu runs deadlocked  %zu of %zu runs missing", deadlocked, all,
                      stopped, all);
    else if (deadlocked || stopped)
        fl_table_rest(table, "%zu of %zu runs %s", deadlocked + stopped, all,
                      deadlocked ? "deadlocked" : "missing");
}

/* Light load, the highest load carried, and the most that is accepted: the columns of papers. */
static void add_load_row(const fl_load_results *results, unsigned curve, fl_table *table)
{
    const fl_load_curve *of = &results->curves[curve];
    fl_interval interval, most_interval = {(double)NAN, (double)NAN};
    double latency, accepted, most = (double)NAN, carried = (double)NAN;
    for (size_t point = 0; point < of->points; point++) {
        fl_load_point(results, curve, point, FL_LOAD_ACCEPTED, &accepted, &interval);
        if (isfinite(accepted) && !(accepted <= most)) {
            most = accepted;
            most_interval = interval;
        }
        if (!why_not_carried(results, curve, point))
            carried = of->x[point];
    }
    fl_load_point(results, curve, 0, FL_LOAD_LATENCY, &latency, &interval);
    add_value(table, latency, interval, 2, placeholder(results, curve, 0));
    add_value(table, carried, (fl_interval){(double)NAN, (double)NAN}, 3, "none");
    add_value(table, most, most_interval, 4, placeholder(results, curve, 0));
}

static void add_rate_row(const fl_load_results *results, unsigned curve, fl_table *table)
{
    static const fl_load_quantity shown[] = {FL_LOAD_LATENCY, FL_LOAD_ACCEPTED, FL_LOAD_LOST};
    size_t points[] = {0, results->curves[curve].points - 1};
    for (int i = 0; i < 2; i++)
        for (size_t q = 0; q < sizeof shown / sizeof *shown; q++) {
            double value;
            fl_interval interval;
            fl_load_point(results, curve, points[i], shown[q], &value, &interval);
            add_value(table, value, interval, q ? 4 : 2, placeholder(results, curve, points[i]));
        }
}

static bool has_faults(const fl_sim_plan *plan)
{
    const fl_fault_set *faults = fl_sim_plan_set_up(plan)->faults;
    return faults && faults->count > 0;
}

/* Of the curve's first runs without faults, which are of one plan. */
static void note_hops(const fl_load_results *results, unsigned index, const char *where,
                      fl_text *out)
{
    const fl_load_curve *curve = &results->curves[index];
    size_t count = curve->points * curve->repeats, first = 0, end = 0;
    while (first < count && has_faults(curve->tasks[first].plan))
        first++;
    while (end < count && (end < first || curve->tasks[end].plan == curve->tasks[first].plan))
        end++;
    if (end > first)
        fl_sim_note_hops(curve->tasks[first].plan,
                         &results->results[fl_load_first(results, index) + first], end - first,
                         where, out);
}

void fl_load_notes(const fl_load_results *results, fl_text *out)
{
    for (unsigned i = 0; i < results->spec->curve_count; i++) {
        const fl_load_curve *curve = &results->curves[i];
        fl_sim_context c = fl_sim_context_of(curve->tasks->plan, curve->preset);
        fl_text where = {0};
        fl_text_append(&where, "%s: ", curve->label);
        fl_sim_note_failures(&c, &results->results[fl_load_first(results, i)],
                             curve->points * curve->repeats, where.data ? where.data : "", out);
        note_hops(results, i, where.data ? where.data : "", out);
        fl_text_clear(&where);
    }
}

static void add_columns(const fl_load_results *results, fl_table *table)
{
    static const char *const of_rates[] = {"latency", "accepted", "lost"};
    static const char *const of_loads[] = {"latency, lightest", "highest carried", "most accepted"};
    const fl_load_curve *first = results->curves;
    fl_table_column(table, (fl_column){.least = 40, .gap = 2, .left = true}, "%s",
                    results->spec->fault_rates ? "at fault rate" : "");
    for (unsigned i = 0; i < 6 && results->spec->fault_rates; i++)
        fl_table_column(table, (fl_column){.least = 17, .gap = 2}, "%s, %.4g", of_rates[i % 3],
                        first->x[i < 3 ? 0 : first->points - 1]);
    for (unsigned i = 0; i < 3 && !results->spec->fault_rates; i++)
        fl_table_column(table, (fl_column){.least = 17, .gap = 2}, "%s", of_loads[i]);
}

void fl_load_summary(const fl_load_results *results, fl_text *out)
{
    const fl_load_spec *spec = results->spec;
    fl_table table = {0};
    fl_text_append(out, "%s%s\n",
                   spec->title  ? spec->title
                   : spec->name ? spec->name
                                : "simulation",
                   results->partial ? " (partial)" : "");
    add_columns(results, &table);
    for (unsigned i = 0; i < spec->curve_count; i++) {
        fl_table_cell(&table, "%s", results->curves[i].label);
        (spec->fault_rates ? add_rate_row : add_load_row)(results, i, &table);
        add_deadlocks(results, i, &table);
        fl_table_row(&table);
    }
    fl_table_end(&table, out);
    fl_load_notes(results, out);
}
