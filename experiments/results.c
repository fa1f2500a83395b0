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
static void append_number(fl_text *out, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    fl_text_append_bytes(out, digits + at, sizeof digits - at);
}

/* numbers[0], numbers[stride], ... */
static void append_numbers(fl_text *out, const char *name, const uint64_t *numbers, size_t stride,
                           uint32_t fault_points)
{
    fl_text_append(out, ",\n     \"%s\": [", name);
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++) {
        if (fault_point)
            fl_text_append_bytes(out, ",", 1);
        append_number(out, numbers[fault_point * stride]);
    }
    fl_text_append_bytes(out, "]", 1);
}

static void append_router(fl_text *out, const char *name, const fl_counts *counts, unsigned router)
{
    fl_text_append(out, "    {\"router\": ");
    fl_json_append_string(out, name);
    for (unsigned field = 0; field < FL_COUNT_FIELDS; field++)
        append_numbers(out, fl_count_field_name(field),
                       fl_count_fields(&counts->of[(size_t)router * counts->fault_points]) + field,
                       FL_COUNT_FIELDS, counts->fault_points);
    fl_text_append(out, "}");
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

static void append_pair_field(fl_text *out, unsigned field, pair_counts only, uint64_t trials,
                              double z)
{
    if (field < FL_PAIR_FIELDS_RAW) {
        append_number(out, field == 0 ? only.only_a : only.only_b);
        return;
    }
    double n = (double)trials;
    fl_interval interval = fl_stats_paired_difference(only.only_b, only.only_a, trials, z);
    double values[] = {n > 0 ? ((double)only.only_b - (double)only.only_a) / n : 0, interval.low,
                       interval.high};
    fl_text_append(out, "%.10g", values[field - FL_PAIR_FIELDS_RAW]);
}

static void append_pair(fl_text *out, const fl_results *results, unsigned i, unsigned a, unsigned b,
                        unsigned fields)
{
    const fl_bound_sweep *bound = &results->experiment->bound[i];
    const fl_counts *counts = results->counts[i];
    fl_text_append(out, "    {\"a\": ");
    fl_json_append_string(out, bound->routers[a]->canonical);
    fl_text_append(out, ", \"b\": ");
    fl_json_append_string(out, bound->routers[b]->canonical);
    for (unsigned field = 0; field < fields; field++) {
        fl_text_append(out, ",\n     \"%s\": [", fl_pair_field_names[field]);
        for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++) {
            if (fault_point)
                fl_text_append_bytes(out, ",", 1);
            append_pair_field(out, field, pair_at(counts, a, b, fault_point), counts->trials,
                              results->z);
        }
        fl_text_append(out, "]");
    }
    fl_text_append(out, "}");
}

static void append_ranges(fl_text *out, const fl_ranges *ranges)
{
    fl_text_append(out, "   \"trial_ranges\": [");
    for (size_t i = 0; i < ranges->count; i++)
        fl_text_append(out, "%s[%llu,%llu]", i ? "," : "", (unsigned long long)ranges->of[i].first,
                       (unsigned long long)ranges->of[i].end);
    fl_text_append(out, "],\n");
}

void fl_json_append_axis(fl_text *out, const fl_fault_model *model)
{
    uint64_t count;
    if (!fl_fault_model_is_independent(model)) {
        fl_text_append(out, "   \"faults\": [");
        for (uint32_t fault_point = 0; fault_point < fl_fault_model_fault_points(model);
             fault_point++)
            if (fl_fault_model_count_at(model, fault_point, &count))
                fl_text_append(out, "%s%llu", fault_point ? "," : "", (unsigned long long)count);
        fl_text_append(out, "],\n");
    }
    fl_text_append(out, "   \"fault_rate\": [");
    for (uint32_t fault_point = 0; fault_point < fl_fault_model_fault_points(model); fault_point++)
        fl_text_append(out, "%s%.10g", fault_point ? "," : "",
                       fl_fault_model_rate_at(model, fault_point));
    fl_text_append(out, "],\n");
}

static void append_sweep(fl_text *out, const fl_results *results, unsigned i, unsigned pair_fields)
{
    const fl_bound_sweep *bound = &results->experiment->bound[i];
    const fl_counts *counts = results->counts[i];
    fl_text_append(out, "  {");
    fl_json_append_member(out, "topology", bound->network->spec);
    fl_text_append(out, ", \"scope\": \"%s\", ",
                   fl_scope_names[results->experiment->sweeps[i].scope]);
    fl_json_append_member(out, "fault_model", fl_fault_model_spec(bound->model));
    fl_text_append(
        out,
        ",\n   \"nodes\": %llu, \"switches\": %llu, \"links\": %llu, \"parts_that_can_fail\": %llu,\n",
        (unsigned long long)bound->network->nodes, (unsigned long long)bound->network->switches,
        (unsigned long long)bound->network->links,
        (unsigned long long)fl_fault_model_components(bound->model));
    fl_text_append(out, "   \"first_trial\": %llu, \"trials\": %llu,\n",
                   (unsigned long long)counts->first_trial, (unsigned long long)counts->trials);
    append_ranges(out, &results->ranges[i]);
    fl_json_append_axis(out, bound->model);
    fl_text_append(out, "   \"routers\": [\n");
    for (unsigned router = 0; router < counts->routers; router++) {
        fl_text_append(out, router ? ",\n" : "");
        append_router(out, bound->routers[router]->canonical, counts, router);
    }
    fl_text_append(out, "],\n   \"paired_differences\": [\n");
    for (unsigned b = 1; b < counts->routers; b++)
        for (unsigned a = 0; a < b; a++) {
            fl_text_append(out, a + b > 1 ? ",\n" : "");
            append_pair(out, results, i, a, b, pair_fields);
        }
    fl_text_append(out, "]}");
}

void fl_json_append_line(fl_text *out, const char *key, const char *value)
{
    if (!value)
        return;
    fl_text_append(out, " ");
    fl_json_append_member(out, key, value);
    fl_text_append(out, ",\n");
}

void fl_json_append_host(fl_text *out)
{
    struct utsname system;
    bool known = uname(&system) == 0;
    fl_text_append(out, " \"host\": {\"name\": ");
    fl_json_append_string(out, known ? system.nodename : "");
    fl_text_append(out, ", \"system\": ");
    fl_json_append_string(out, known ? system.sysname : "");
    fl_text_append(out, ", \"machine\": ");
    fl_json_append_string(out, known ? system.machine : "");
    fl_text_append(out, ", \"processors\": %ld},\n", sysconf(_SC_NPROCESSORS_ONLN));
}

/* As in a spec, for whoever adds results up to draw them. */
void fl_json_append_figures(fl_text *out, const fl_experiment *experiment)
{
    if (experiment->figure_count == 0)
        return;
    for (unsigned i = 0; i < experiment->figure_count; i++) {
        const fl_figure_spec *figure = &experiment->figures[i];
        fl_text_append(out, "%s{\"name\": ", i ? ",\n  " : " \"figures\": [\n  ");
        fl_json_append_string(out, figure->name);
        fl_text_append(out, ", \"quantity\": \"%s\", \"log_y\": %s",
                       fl_quantity_names[figure->quantity], figure->log_y ? "true" : "false");
        if (figure->title) {
            fl_text_append(out, ", \"title\": ");
            fl_json_append_string(out, figure->title);
        }
        if (figure->reference) {
            fl_text_append(out, ", \"reference\": ");
            fl_json_append_string(out, figure->reference);
        }
        for (unsigned r = 0; r < figure->router_count; r++) {
            fl_text_append(out, r ? ", " : ",\n   \"routers\": [");
            fl_json_append_string(out, figure->routers[r]);
        }
        fl_text_append(out, figure->router_count ? "]}" : "}");
    }
    fl_text_append(out, "],\n");
}

static void append_precision(fl_text *out, const fl_results *results)
{
    const fl_precision *precision = &results->precision;
    if (precision->looks == 0)
        return;
    fl_text_append(out,
                   " \"precision\": {\"rule\": \"%s\",\n  \"target\": %.17g, \"look_trials\": [",
                   fl_precision_rule, precision->target);
    for (unsigned i = 0; i < precision->looks; i++)
        fl_text_append(out, "%s%llu", i ? "," : "", (unsigned long long)precision->look[i].trials);
    fl_text_append(out, "],\n  \"look\": %u, \"z\": %.17g, \"reached\": %s},\n", results->look + 1,
                   results->z, results->reached ? "true" : "false");
}

static void append_all(fl_text *out, const fl_results *results, unsigned pair_fields)
{
    const fl_experiment *experiment = results->experiment;
    fl_text_append(out, "{\"format\": \"%s\",\n \"version\": \"%s\",\n", FL_STORED_FORMAT,
                   FL_VERSION);
    fl_json_append_line(out, "name", experiment->name ? experiment->name : "sweep");
    fl_json_append_line(out, "title", experiment->title);
    fl_json_append_line(out, "source", experiment->source);
    fl_text_append(out, " \"spec\": %s,\n \"spec_hash\": \"%s\",\n \"seed\": %llu,\n",
                   experiment->canonical, experiment->hash, (unsigned long long)experiment->seed);
    fl_json_append_figures(out, experiment);
    fl_text_append(out, " \"partial\": %s,\n \"stopped_by\": \"%s\",\n",
                   results->partial ? "true" : "false", fl_stopped_by_names[results->stopped_by]);
    append_precision(out, results);
    fl_text_append(
        out,
        " \"started\": \"%s\",\n \"wall_seconds\": %.3f,\n \"threads\": %u,\n \"ranks\": %u,\n",
        results->started, results->wall_seconds, results->threads, results->ranks);
    fl_json_append_host(out);
    fl_text_append(out, " \"confidence\": 0.95,\n \"sweeps\": [\n");
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        fl_text_append(out, i ? ",\n" : "");
        append_sweep(out, results, i, pair_fields);
    }
    fl_text_append(out, "]}\n");
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
    return fault_point > column ? fault_point : column; /* few levels: each of them once */
}

void fl_summary_append_head(fl_text *out, const fl_bound_sweep *bound, uint32_t fault_points)
{
    uint64_t count;
    fl_text_append(out, "  %-34s",
                   fl_fault_model_is_independent(bound->model) ? "fault rate" : "faults");
    for (unsigned column = 0; column < FL_SUMMARY_COLUMNS && column < fault_points; column++) {
        uint32_t fault_point = fl_summary_fault_point(fault_points, column);
        char shown[32];
        if (fl_fault_model_count_at(bound->model, fault_point, &count))
            snprintf(shown, sizeof shown, "%llu (%.1f%%)", (unsigned long long)count,
                     100 * fl_fault_model_rate_at(bound->model, fault_point));
        else
            snprintf(shown, sizeof shown, "%.4g",
                     fl_fault_model_rate_at(bound->model, fault_point));
        fl_text_append(out, "  %16s", shown);
    }
    fl_text_append(out, "\n");
}

static void append_ratio(fl_text *out, uint64_t successes, uint64_t trials, double z)
{
    char shown[48] = "-";
    if (trials > 0) {
        fl_interval interval = fl_stats_wilson(successes, trials, z);
        snprintf(shown, sizeof shown, "%.4f +-%.4f", (double)successes / (double)trials,
                 (interval.high - interval.low) / 2);
    }
    fl_text_append(out, "  %16s", shown);
}

static void append_summary_row(fl_text *out, const char *name, const fl_counts *counts,
                               unsigned router, double z)
{
    fl_text_append(out, "  %-34s", name);
    for (unsigned column = 0;
         column < FL_SUMMARY_COLUMNS && column < counts->fault_points && counts->trials; column++)
        append_ratio(out,
                     count_at(counts, router, fl_summary_fault_point(counts->fault_points, column))
                         ->delivered,
                     counts->trials, z);
    fl_text_append(out, "\n");
}

/* Success / limit. A router delivers only where the limit does: of the trials that can be
 * delivered at all it is a proportion like any other. */
static void append_limit_row(fl_text *out, const char *name, const fl_counts *counts,
                             unsigned router, unsigned limit, double z)
{
    fl_text_append(out, "  %-34s", name);
    for (unsigned column = 0; column < FL_SUMMARY_COLUMNS && column < counts->fault_points;
         column++) {
        uint32_t fault_point = fl_summary_fault_point(counts->fault_points, column);
        append_ratio(out, count_at(counts, router, fault_point)->delivered,
                     count_at(counts, limit, fault_point)->delivered, z);
    }
    fl_text_append(out, "\n");
}

static void append_limit_rows(fl_text *out, const fl_bound_sweep *bound, const fl_counts *counts,
                              double z)
{
    for (unsigned limit = 0; limit < counts->routers; limit++) {
        if (bound->routers[limit]->type->limit != FL_LIMIT_ANY_PATH)
            continue;
        fl_text_append(out, " the same as a share of %s, of what could be delivered at all\n",
                       bound->routers[limit]->canonical);
        for (unsigned router = 0; router < counts->routers; router++)
            if (router != limit)
                append_limit_row(out, bound->routers[router]->canonical, counts, router, limit, z);
    }
}

void fl_results_summary(const fl_results *results, fl_text *out)
{
    for (unsigned i = 0; i < results->experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &results->experiment->bound[i];
        const fl_counts *counts = results->counts[i];
        fl_text_append(out,
                       "%s, fault model %s, scope %s: success ratio (95%% Wilson), %llu trials%s\n",
                       bound->network->spec, fl_fault_model_spec(bound->model),
                       fl_scope_names[results->experiment->sweeps[i].scope],
                       (unsigned long long)counts->trials, results->partial ? " (partial)" : "");
        fl_summary_append_head(out, bound, counts->fault_points);
        for (unsigned router = 0; router < counts->routers; router++)
            append_summary_row(out, bound->routers[router]->canonical, counts, router, results->z);
        append_limit_rows(out, bound, counts, results->z);
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
