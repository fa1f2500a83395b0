#include "experiments/results.h"
#include "experiments/sweep/stored.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const fl_count *count_at(const fl_counts *counts, unsigned router, uint32_t fault_point)
{
    return &counts->of[(size_t)router * counts->fault_points + fault_point];
}

/* ---- CSV ---- */

static void append_faults(fl_text *out, const fl_fault_model *model, uint32_t fault_point)
{
    uint64_t count;
    if (fl_fault_model_count_at(model, fault_point, &count))
        fl_text_append(out, "%llu", (unsigned long long)count);
    fl_text_append(out, ",%.10g,", fl_fault_model_rate_at(model, fault_point));
}

static void append_field(fl_text *out, const char *field)
{
    fl_csv_append(out, field);
    fl_text_append(out, ",");
}

static void append_measures(fl_text *out, const fl_count *count, uint64_t trials, double z)
{
    fl_text_append(out, "%llu,%llu,", (unsigned long long)trials,
                   (unsigned long long)count->delivered);
    if (trials > 0) {
        fl_interval success = fl_stats_wilson(count->delivered, trials, z);
        fl_text_append(out, "%.10g,%.10g,%.10g,", (double)count->delivered / (double)trials,
                       success.low, success.high);
    } else {
        fl_text_append(out, ",,,");
    }
    fl_interval length;
    if (count->delivered > 0)
        fl_text_append(out, "%.10g,", (double)count->length_sum / (double)count->delivered);
    else
        fl_text_append(out, ",");
    if (fl_stats_mean_interval(count->delivered, (double)count->length_sum,
                               (double)count->length_squares, z, &length))
        fl_text_append(out, "%.10g,%.10g", length.low, length.high);
    else
        fl_text_append(out, ",");
}

void fl_csv_append_point(fl_text *out, const fl_experiment *experiment, unsigned i, unsigned router,
                         uint32_t fault_point)
{
    const fl_bound_sweep *bound = &experiment->bound[i];
    append_field(out, bound->network->spec);
    append_field(out, bound->routers[router]->canonical);
    append_field(out, fl_scope_names[experiment->sweeps[i].scope]);
    append_field(out, fl_fault_model_spec(bound->model));
    append_faults(out, bound->model, fault_point);
}

static void append_row(const fl_results *results, unsigned i, unsigned router, uint32_t fault_point,
                       fl_text *out)
{
    const fl_counts *counts = results->counts[i];
    const fl_count *count = count_at(counts, router, fault_point);
    fl_csv_append_point(out, results->experiment, i, router, fault_point);
    append_measures(out, count, counts->trials, results->z);
    for (int reason = 0; reason < FL_REASONS; reason++)
        fl_text_append(out, ",%llu", (unsigned long long)count->blocked[reason]);
    fl_text_append(out, "\n");
}

void fl_csv_append_header(fl_text *out)
{
    fl_text_append(
        out,
        "topology,router,scope,fault_model,faults,fault_rate,trials,delivered,success_ratio,success_low,"
        "success_high,mean_path_length,path_low,path_high");
    for (int reason = 0; reason < FL_REASONS; reason++)
        fl_text_append(out, ",%s", fl_reason_names[reason]);
}

void fl_results_csv(const fl_results *results, fl_text *out)
{
    fl_csv_append_header(out);
    fl_text_append(out, "\n");
    for (unsigned i = 0; i < results->experiment->sweep_count; i++)
        for (unsigned router = 0; router < results->counts[i]->routers; router++)
            for (uint32_t fault_point = 0; fault_point < results->counts[i]->fault_points;
                 fault_point++)
                append_row(results, i, router, fault_point, out);
}

/* ---- JSON ---- */

/* Most of a file: by hand, which is ten times as fast as by vsnprintf. */
/* numbers[0], numbers[stride], ... */
static void json_numbers(fl_json_writer *out, const char *key, const uint64_t *numbers,
                         size_t stride, uint32_t fault_points)
{
    fl_json_open_packed(fl_json_line(out), key);
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
        fl_json_number(out, NULL, numbers[fault_point * stride]);
    fl_json_close(out);
}

static void json_router(fl_json_writer *out, const char *name, const fl_counts *counts,
                        unsigned router)
{
    fl_json_open_object(fl_json_line(out), NULL);
    fl_json_text(out, "router", name);
    for (unsigned field = 0; field < FL_COUNT_FIELDS; field++)
        json_numbers(out, fl_count_field_name(field),
                     fl_count_fields(&counts->of[(size_t)router * counts->fault_points]) + field,
                     FL_COUNT_FIELDS, counts->fault_points);
    fl_json_close(out);
}

/* Success of b minus success of a, on the same configurations, and what it is made of. */
typedef struct pair_counts {
    uint64_t only_a, only_b;
} pair_counts;

static pair_counts pair_at(const fl_counts *counts, unsigned a, unsigned b, uint32_t fault_point)
{
    uint64_t both = counts->both[(size_t)fl_counts_pair(a, b) * counts->fault_points + fault_point];
    return (pair_counts){count_at(counts, a, fault_point)->delivered - both,
                         count_at(counts, b, fault_point)->delivered - both};
}

static void json_pair_field(fl_json_writer *out, unsigned field, pair_counts only, uint64_t trials,
                            double z)
{
    if (field < FL_PAIR_FIELDS_RAW) {
        fl_json_number(out, NULL, field == 0 ? only.only_a : only.only_b);
        return;
    }
    double n = (double)trials;
    fl_interval interval = fl_stats_paired_difference(only.only_b, only.only_a, trials, z);
    double values[] = {n > 0 ? ((double)only.only_b - (double)only.only_a) / n : 0, interval.low,
                       interval.high};
    fl_json_real(out, NULL, values[field - FL_PAIR_FIELDS_RAW], 10);
}

static void json_pair(fl_json_writer *out, const fl_results *results, unsigned i, unsigned a,
                      unsigned b, unsigned fields)
{
    const fl_bound_sweep *bound = &results->experiment->bound[i];
    const fl_counts *counts = results->counts[i];
    fl_json_open_object(fl_json_line(out), NULL);
    fl_json_text(out, "a", bound->routers[a]->canonical);
    fl_json_text(out, "b", bound->routers[b]->canonical);
    for (unsigned field = 0; field < fields; field++) {
        fl_json_open_packed(fl_json_line(out), fl_pair_field_names[field]);
        for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++)
            json_pair_field(out, field, pair_at(counts, a, b, fault_point), counts->trials,
                            results->z);
        fl_json_close(out);
    }
    fl_json_close(out);
}

static void json_pairs(fl_json_writer *out, const fl_results *results, unsigned i, unsigned fields)
{
    unsigned routers = results->counts[i]->routers;
    fl_json_line(out);
    if (routers < 2) {
        fl_json_raw(out, "paired_differences", "[\n]");
        return;
    }
    fl_json_open_array(out, "paired_differences");
    for (unsigned b = 1; b < routers; b++)
        for (unsigned a = 0; a < b; a++)
            json_pair(out, results, i, a, b, fields);
    fl_json_close(out);
}

static void json_ranges(fl_json_writer *out, const fl_ranges *ranges)
{
    fl_json_open_packed(fl_json_line(out), "trial_ranges");
    for (size_t i = 0; i < ranges->count; i++) {
        fl_json_open_packed(out, NULL);
        fl_json_number(out, NULL, ranges->of[i].first);
        fl_json_number(out, NULL, ranges->of[i].end);
        fl_json_close(out);
    }
    fl_json_close(out);
}

void fl_json_axis(fl_json_writer *out, const fl_fault_model *model)
{
    uint32_t fault_points = fl_fault_model_fault_points(model);
    uint64_t count;
    if (!fl_fault_model_is_independent(model)) {
        fl_json_open_packed(fl_json_line(out), "faults");
        for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
            if (fl_fault_model_count_at(model, fault_point, &count))
                fl_json_number(out, NULL, count);
        fl_json_close(out);
    }
    fl_json_open_packed(fl_json_line(out), "fault_rate");
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
        fl_json_real(out, NULL, fl_fault_model_rate_at(model, fault_point), 10);
    fl_json_close(out);
}

static void json_sizes(fl_json_writer *out, const fl_bound_sweep *bound, const fl_counts *counts)
{
    fl_json_number(fl_json_line(out), "nodes", bound->network->nodes);
    fl_json_number(out, "switches", bound->network->switches);
    fl_json_number(out, "links", bound->network->links);
    fl_json_number(out, "parts_that_can_fail", fl_fault_model_components(bound->model));
    fl_json_number(fl_json_line(out), "first_trial", counts->first_trial);
    fl_json_number(out, "trials", counts->trials);
}

void fl_json_open_sweep(fl_json_writer *out, const fl_experiment *experiment, unsigned i)
{
    const fl_bound_sweep *bound = &experiment->bound[i];
    fl_json_open_object(fl_json_line(out), NULL);
    fl_json_text(out, "topology", bound->network->spec);
    fl_json_text(out, "scope", fl_scope_names[experiment->sweeps[i].scope]);
    fl_json_text(out, "fault_model", fl_fault_model_spec(bound->model));
}

static void json_sweep(fl_json_writer *out, const fl_results *results, unsigned i,
                       unsigned pair_fields)
{
    const fl_bound_sweep *bound = &results->experiment->bound[i];
    const fl_counts *counts = results->counts[i];
    fl_json_open_sweep(out, results->experiment, i);
    json_sizes(out, bound, counts);
    json_ranges(out, &results->ranges[i]);
    fl_json_axis(out, bound->model);
    fl_json_open_array(fl_json_line(out), "routers");
    for (unsigned router = 0; router < counts->routers; router++)
        json_router(out, bound->routers[router]->canonical, counts, router);
    fl_json_close(out);
    json_pairs(out, results, i, pair_fields);
    fl_json_close(out);
}

void fl_json_host(fl_json_writer *out)
{
    struct utsname system;
    bool known = uname(&system) == 0;
    fl_json_open_object(fl_json_line(out), "host");
    fl_json_text(out, "name", known ? system.nodename : "");
    fl_json_text(out, "system", known ? system.sysname : "");
    fl_json_text(out, "machine", known ? system.machine : "");
    fl_json_number(out, "processors", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    fl_json_close(out);
}

static void json_figure(fl_json_writer *out, const fl_figure_spec *figure)
{
    fl_json_open_object(fl_json_line(out), NULL);
    fl_json_text(out, "name", figure->name);
    fl_json_text(out, "quantity", fl_quantity_names[figure->quantity]);
    fl_json_bool(out, "log_y", figure->log_y);
    if (figure->title)
        fl_json_text(out, "title", figure->title);
    if (figure->reference)
        fl_json_text(out, "reference", figure->reference);
    if (figure->routers.count > 0) {
        fl_json_open_array(fl_json_line(out), "routers");
        for (unsigned r = 0; r < figure->routers.count; r++)
            fl_json_text(out, NULL, figure->routers.of[r]);
        fl_json_close(out);
    }
    fl_json_close(out);
}

void fl_json_figures(fl_json_writer *out, const fl_experiment *experiment)
{
    if (experiment->figure_count == 0)
        return;
    fl_json_open_array(fl_json_line(out), "figures");
    for (unsigned i = 0; i < experiment->figure_count; i++)
        json_figure(out, &experiment->figures[i]);
    fl_json_close(out);
}

static void json_precision(fl_json_writer *out, const fl_results *results)
{
    const fl_precision *precision = &results->precision;
    if (precision->looks == 0)
        return;
    fl_json_open_object(fl_json_line(out), "precision");
    fl_json_text(out, "rule", fl_precision_rule);
    fl_json_real(fl_json_line(out), "target", precision->target, 17);
    fl_json_open_packed(out, "look_trials");
    for (unsigned i = 0; i < precision->looks; i++)
        fl_json_number(out, NULL, precision->look[i].trials);
    fl_json_close(out);
    fl_json_number(fl_json_line(out), "look", results->look + 1);
    fl_json_real(out, "z", results->z, 17);
    fl_json_bool(out, "reached", results->reached);
    fl_json_close(out);
}

void fl_json_line_text(fl_json_writer *out, const char *key, const char *value)
{
    if (!value)
        return;
    fl_json_text(fl_json_line(out), key, value);
}

void fl_json_titles(fl_json_writer *out, const char *name, const char *title, const char *source)
{
    fl_json_line_text(out, "name", name);
    fl_json_line_text(out, "title", title);
    fl_json_line_text(out, "source", source);
}

void fl_json_work(fl_json_writer *out, const char *started, double wall_seconds, unsigned threads,
                  unsigned ranks)
{
    fl_json_line_text(out, "started", started);
    fl_json_fixed(fl_json_line(out), "wall_seconds", wall_seconds, 3);
    fl_json_number(fl_json_line(out), "threads", threads);
    fl_json_number(fl_json_line(out), "ranks", ranks);
}

void fl_json_open_results(fl_json_writer *out, const char *format)
{
    fl_json_open_object(out, NULL);
    fl_json_text(out, "format", format);
    fl_json_line_text(out, "version", FL_VERSION);
}

void fl_json_spec(fl_json_writer *out, const fl_experiment *experiment)
{
    fl_json_raw(fl_json_line(out), "spec", experiment->canonical);
    fl_json_line_text(out, "spec_hash", experiment->hash);
}

static void json_run(fl_json_writer *out, const fl_results *results)
{
    fl_json_bool(fl_json_line(out), "partial", results->partial);
    fl_json_line_text(out, "stopped_by", fl_stopped_by_names[results->stopped_by]);
    json_precision(out, results);
    fl_json_work(out, results->started, results->wall_seconds, results->threads, results->ranks);
    fl_json_host(out);
    fl_json_real(fl_json_line(out), "confidence", 0.95, 0);
}

static void append_all(fl_text *text, const fl_results *results, unsigned pair_fields)
{
    const fl_experiment *experiment = results->experiment;
    fl_json_writer out = fl_json_writer_begin(text, 1);
    fl_json_open_results(&out, FL_STORED_FORMAT);
    fl_json_titles(&out, experiment->name ? experiment->name : "sweep", experiment->title,
                   experiment->source);
    fl_json_spec(&out, experiment);
    fl_json_number(fl_json_line(&out), "seed", experiment->seed);
    fl_json_figures(&out, experiment);
    json_run(&out, results);
    fl_json_open_array(fl_json_line(&out), "sweeps");
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        json_sweep(&out, results, i, pair_fields);
    fl_json_close(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}

void fl_results_json(const fl_results *results, fl_text *out)
{
    append_all(out, results, FL_PAIR_FIELDS);
}

void fl_results_json_raw(const fl_results *results, fl_text *out)
{
    append_all(out, results, FL_PAIR_FIELDS_RAW);
}

/* ---- a short table ---- */

uint32_t fl_summary_fault_point(uint32_t fault_points, unsigned column)
{
    /* Low rates are where networks are run: nearer to each other there. */
    static const double fraction[FL_SUMMARY_COLUMNS] = {0, .05, .1, .25, .5};
    uint32_t fault_point = (uint32_t)lround(fraction[column] * (double)(fault_points - 1));
    return fault_point > column ? fault_point : column; /* few fault points: each of them once */
}

void fl_summary_columns(fl_table *table, const fl_bound_sweep *bound, uint32_t fault_points)
{
    /* In a narrow terminal no faults and a tenth of them are left. */
    static const unsigned rank[FL_SUMMARY_COLUMNS] = {0, 3, 0, 2, 1};
    uint64_t count;
    fl_table_column(table, (fl_column){.least = 34, .gap = 2, .left = true}, "%s",
                    fl_fault_model_is_independent(bound->model) ? "fault rate" : "faults");
    for (unsigned i = 0; i < FL_SUMMARY_COLUMNS && i < fault_points; i++) {
        uint32_t fault_point = fl_summary_fault_point(fault_points, i);
        double rate = fl_fault_model_rate_at(bound->model, fault_point);
        const fl_column column = {.least = 16, .gap = 2, .rank = rank[i]};
        if (fl_fault_model_count_at(bound->model, fault_point, &count))
            fl_table_column(table, column, "%llu (%.1f%%)", (unsigned long long)count, 100 * rate);
        else
            fl_table_column(table, column, "%.4g", rate);
    }
}

static void add_ratio(fl_table *table, uint64_t successes, uint64_t trials, double z)
{
    if (trials == 0) {
        fl_table_cell(table, "-");
        return;
    }
    fl_interval interval = fl_stats_wilson(successes, trials, z);
    fl_table_cell(table, "%.4f +-%.4f", (double)successes / (double)trials,
                  (interval.high - interval.low) / 2);
}

static void add_row(fl_table *table, const char *name, const fl_counts *counts, unsigned router,
                    double z)
{
    fl_table_cell(table, "%s", name);
    for (unsigned i = 0; i < FL_SUMMARY_COLUMNS && i < counts->fault_points && counts->trials; i++)
        add_ratio(
            table,
            count_at(counts, router, fl_summary_fault_point(counts->fault_points, i))->delivered,
            counts->trials, z);
    fl_table_row(table);
}

/* Success / limit. A router delivers only where the limit does: of the trials that can be
 * delivered at all it is a proportion like any other. */
static void add_limit_row(fl_table *table, const char *name, const fl_counts *counts,
                          unsigned router, unsigned limit, double z)
{
    fl_table_cell(table, "%s", name);
    for (unsigned i = 0; i < FL_SUMMARY_COLUMNS && i < counts->fault_points; i++) {
        uint32_t fault_point = fl_summary_fault_point(counts->fault_points, i);
        add_ratio(table, count_at(counts, router, fault_point)->delivered,
                  count_at(counts, limit, fault_point)->delivered, z);
    }
    fl_table_row(table);
}

static void add_limit_rows(fl_table *table, const fl_bound_sweep *bound, const fl_counts *counts,
                           double z)
{
    for (unsigned limit = 0; limit < counts->routers; limit++) {
        if (bound->routers[limit]->type->limit != FL_LIMIT_ANY_PATH)
            continue;
        fl_table_line(table, " the same as a fraction of %s, of what could be delivered at all",
                      bound->routers[limit]->canonical);
        for (unsigned router = 0; router < counts->routers; router++)
            if (router != limit)
                add_limit_row(table, bound->routers[router]->canonical, counts, router, limit, z);
    }
}

void fl_results_summary(const fl_results *results, fl_text *out)
{
    for (unsigned i = 0; i < results->experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &results->experiment->bound[i];
        const fl_counts *counts = results->counts[i];
        fl_table table = {0};
        fl_text_append(out,
                       "%s, fault model %s, scope %s: success ratio (95%% Wilson), %llu trials%s\n",
                       bound->network->spec, fl_fault_model_spec(bound->model),
                       fl_scope_names[results->experiment->sweeps[i].scope],
                       (unsigned long long)counts->trials, results->partial ? " (partial)" : "");
        fl_summary_columns(&table, bound, counts->fault_points);
        for (unsigned router = 0; router < counts->routers; router++)
            add_row(&table, bound->routers[router]->canonical, counts, router, results->z);
        add_limit_rows(&table, bound, counts, results->z);
        fl_table_end(&table, out);
    }
}

/* ---- files ---- */

fl_status fl_results_write_pair(const char *folder, const char *name, fl_text *csv, fl_text *json,
                                fl_error *error)
{
    fl_text csv_path = {0}, json_path = {0};
    fl_text_append(&csv_path, "%s/%s.csv", folder, name);
    fl_text_append(&json_path, "%s/%s.json", folder, name);
    bool failed = csv_path.failed || json_path.failed || csv->failed || json->failed;
    fl_file_content files[] = {{json_path.data, json->data, json->length},
                               {csv_path.data, csv->data, csv->length}};
    fl_status status = failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the results")
                              : fl_file_write_group(files, 2, error);
    fl_text_clear(&csv_path);
    fl_text_clear(&json_path);
    fl_text_clear(csv);
    fl_text_clear(json);
    return status;
}

fl_status fl_results_write(const fl_results *results, const char *folder, fl_error *error)
{
    fl_text csv = {0}, json = {0};
    fl_results_csv(results, &csv);
    fl_results_json(results, &json);
    return fl_results_write_pair(folder, "sweep", &csv, &json, error);
}
