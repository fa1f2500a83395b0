#include "experiments/results.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const fl_count *count_at(const fl_counts *counts, unsigned router, uint32_t level)
{
    return &counts->of[(size_t)router * counts->levels + level];
}

/* ---- CSV ---- */

static void append_faults(fl_text *out, const fl_fault_model *model, uint32_t level)
{
    uint64_t count;
    if (fl_fault_model_count_at(model, level, &count))
        fl_text_append(out, "%llu", (unsigned long long)count);
    fl_text_append(out, ",%.10g,", fl_fault_model_rate_at(model, level));
}

/* Fields that hold a comma or a quote are quoted (RFC 4180). */
static void append_field(fl_text *out, const char *field)
{
    if (!strpbrk(field, ",\"\n")) {
        fl_text_append(out, "%s,", field);
        return;
    }
    fl_text_append(out, "\"");
    for (; *field; field++)
        fl_text_append(out, *field == '"' ? "\"\"" : "%c", *field);
    fl_text_append(out, "\",");
}

static void append_measures(fl_text *out, const fl_count *count, uint64_t trials)
{
    fl_text_append(out, "%llu,%llu,", (unsigned long long)trials, (unsigned long long)count->delivered);
    if (trials > 0) {
        fl_interval success = fl_stats_wilson(count->delivered, trials, FL_Z95);
        fl_text_append(out, "%.10g,%.10g,%.10g,", (double)count->delivered / (double)trials, success.low, success.high);
    } else {
        fl_text_append(out, ",,,");
    }
    fl_interval length;
    if (count->delivered > 0)
        fl_text_append(out, "%.10g,", (double)count->length_sum / (double)count->delivered);
    else
        fl_text_append(out, ",");
    if (fl_stats_mean_interval(count->delivered, (double)count->length_sum, (double)count->length_squares, FL_Z95, &length))
        fl_text_append(out, "%.10g,%.10g", length.low, length.high);
    else
        fl_text_append(out, ",");
}

void fl_csv_append_point(fl_text *out, const fl_experiment *experiment, unsigned i, unsigned router, uint32_t level)
{
    const fl_bound_sweep *bound = &experiment->bound[i];
    append_field(out, bound->network->spec);
    append_field(out, bound->routers[router]->name);
    append_field(out, fl_scope_names[experiment->sweeps[i].scope]);
    append_field(out, fl_fault_model_spec(bound->model));
    append_faults(out, bound->model, level);
}

static void append_row(const fl_results *results, unsigned i, unsigned router, uint32_t level, fl_text *out)
{
    const fl_counts *counts = results->counts[i];
    const fl_count *count = count_at(counts, router, level);
    fl_csv_append_point(out, results->experiment, i, router, level);
    append_measures(out, count, counts->trials);
    for (int reason = 0; reason < FL_REASONS; reason++)
        fl_text_append(out, ",%llu", (unsigned long long)count->blocked[reason]);
    fl_text_append(out, "\n");
}

void fl_csv_append_header(fl_text *out)
{
    fl_text_append(out, "topology,router,scope,fault_model,faults,fault_rate,trials,delivered,success_ratio,success_low,"
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
            for (uint32_t level = 0; level < results->counts[i]->levels; level++)
                append_row(results, i, router, level, out);
}

/* ---- JSON ---- */

typedef uint64_t field_reader(const fl_count *count);

static uint64_t read_delivered(const fl_count *count) { return count->delivered; }
static uint64_t read_length_sum(const fl_count *count) { return count->length_sum; }
static uint64_t read_length_squares(const fl_count *count) { return count->length_squares; }

static void append_counts(fl_text *out, const char *name, const fl_counts *counts, unsigned router, field_reader *read)
{
    fl_text_append(out, ",\n     \"%s\": [", name);
    for (uint32_t level = 0; level < counts->levels; level++)
        fl_text_append(out, "%s%llu", level ? "," : "", (unsigned long long)read(count_at(counts, router, level)));
    fl_text_append(out, "]");
}

static void append_router(fl_text *out, const char *name, const fl_counts *counts, unsigned router)
{
    fl_text_append(out, "    {\"router\": ");
    fl_json_append_string(out, name);
    append_counts(out, "delivered", counts, router, read_delivered);
    append_counts(out, "length_sum", counts, router, read_length_sum);
    append_counts(out, "length_squares", counts, router, read_length_squares);
    for (int reason = 0; reason < FL_REASONS; reason++) {
        fl_text_append(out, ",\n     \"%s\": [", fl_reason_names[reason]);
        for (uint32_t level = 0; level < counts->levels; level++)
            fl_text_append(out, "%s%llu", level ? "," : "", (unsigned long long)count_at(counts, router, level)->blocked[reason]);
        fl_text_append(out, "]");
    }
    fl_text_append(out, "}");
}

/* Success of b minus success of a, on the same configurations. */
static void append_pair(fl_text *out, const fl_bound_sweep *bound, const fl_counts *counts, unsigned a, unsigned b)
{
    static const char *const names[] = {"only_a", "only_b", "difference", "low", "high"};
    fl_text_append(out, "    {\"a\": ");
    fl_json_append_string(out, bound->routers[a]->name);
    fl_text_append(out, ", \"b\": ");
    fl_json_append_string(out, bound->routers[b]->name);
    for (int field = 0; field < 5; field++) {
        fl_text_append(out, ",\n     \"%s\": [", names[field]);
        for (uint32_t level = 0; level < counts->levels; level++) {
            uint64_t both = counts->both[(size_t)fl_counts_pair(a, b) * counts->levels + level];
            uint64_t only_a = count_at(counts, a, level)->delivered - both, only_b = count_at(counts, b, level)->delivered - both;
            double n = (double)counts->trials;
            fl_interval interval = fl_stats_paired_difference(only_b, only_a, counts->trials, FL_Z95);
            double values[] = {(double)only_a, (double)only_b, n > 0 ? ((double)only_b - (double)only_a) / n : 0, interval.low, interval.high};
            fl_text_append(out, "%s%.10g", level ? "," : "", values[field]);
        }
        fl_text_append(out, "]");
    }
    fl_text_append(out, "}");
}

void fl_json_append_axis(fl_text *out, const fl_fault_model *model)
{
    uint64_t count;
    if (!fl_fault_model_is_independent(model)) {
        fl_text_append(out, "   \"faults\": [");
        for (uint32_t level = 0; level < fl_fault_model_levels(model); level++)
            if (fl_fault_model_count_at(model, level, &count))
                fl_text_append(out, "%s%llu", level ? "," : "", (unsigned long long)count);
        fl_text_append(out, "],\n");
    }
    fl_text_append(out, "   \"fault_rate\": [");
    for (uint32_t level = 0; level < fl_fault_model_levels(model); level++)
        fl_text_append(out, "%s%.10g", level ? "," : "", fl_fault_model_rate_at(model, level));
    fl_text_append(out, "],\n");
}

static void append_sweep(fl_text *out, const fl_results *results, unsigned i)
{
    const fl_bound_sweep *bound = &results->experiment->bound[i];
    const fl_counts *counts = results->counts[i];
    fl_text_append(out, "  {\"topology\": \"%s\", \"scope\": \"%s\", \"fault_model\": ", bound->network->spec,
                   fl_scope_names[results->experiment->sweeps[i].scope]);
    fl_json_append_string(out, fl_fault_model_spec(bound->model));
    fl_text_append(out, ",\n   \"nodes\": %llu, \"switches\": %llu, \"links\": %llu, \"parts_that_can_fail\": %llu,\n",
                   (unsigned long long)bound->network->nodes, (unsigned long long)bound->network->switches,
                   (unsigned long long)bound->network->links, (unsigned long long)fl_fault_model_parts(bound->model));
    fl_text_append(out, "   \"first_trial\": %llu, \"trials\": %llu,\n", (unsigned long long)counts->first_trial,
                   (unsigned long long)counts->trials);
    fl_json_append_axis(out, bound->model);
    fl_text_append(out, "   \"routers\": [\n");
    for (unsigned router = 0; router < counts->routers; router++) {
        fl_text_append(out, router ? ",\n" : "");
        append_router(out, bound->routers[router]->name, counts, router);
    }
    fl_text_append(out, "],\n   \"paired_differences\": [\n");
    for (unsigned b = 1; b < counts->routers; b++)
        for (unsigned a = 0; a < b; a++) {
            fl_text_append(out, a + b > 1 ? ",\n" : "");
            append_pair(out, bound, counts, a, b);
        }
    fl_text_append(out, "]}");
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

void fl_results_json(const fl_results *results, fl_text *out)
{
    const fl_experiment *experiment = results->experiment;
    fl_text_append(out, "{\"format\": \"faultline sweep 1\",\n \"version\": \"%s\",\n \"name\": ", FL_VERSION);
    fl_json_append_string(out, experiment->name ? experiment->name : "sweep");
    fl_text_append(out, ",\n \"spec\": %s,\n \"spec_hash\": \"%s\",\n \"seed\": %llu,\n", experiment->canonical, experiment->hash,
                   (unsigned long long)experiment->seed);
    fl_text_append(out, " \"partial\": %s,\n \"started\": \"%s\",\n \"wall_seconds\": %.3f,\n \"threads\": %u,\n",
                   results->partial ? "true" : "false", results->started, results->wall_seconds, results->threads);
    fl_json_append_host(out);
    fl_text_append(out, " \"confidence\": 0.95,\n \"sweeps\": [\n");
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        fl_text_append(out, i ? ",\n" : "");
        append_sweep(out, results, i);
    }
    fl_text_append(out, "]}\n");
}

/* ---- a short table ---- */

uint32_t fl_summary_level(uint32_t levels, unsigned column)
{
    /* Low rates are where networks are run: nearer to each other there. */
    static const double share[FL_SUMMARY_COLUMNS] = {0, .05, .1, .25, .5};
    return (uint32_t)lround(share[column] * (double)(levels - 1));
}

void fl_summary_append_head(fl_text *out, const fl_bound_sweep *bound, uint32_t levels)
{
    uint64_t count;
    fl_text_append(out, "  %-34s", fl_fault_model_is_independent(bound->model) ? "fault rate" : "faults");
    for (unsigned column = 0; column < FL_SUMMARY_COLUMNS && column < levels; column++) {
        uint32_t level = fl_summary_level(levels, column);
        char shown[32];
        if (fl_fault_model_count_at(bound->model, level, &count))
            snprintf(shown, sizeof shown, "%llu (%.1f%%)", (unsigned long long)count, 100 * fl_fault_model_rate_at(bound->model, level));
        else
            snprintf(shown, sizeof shown, "%.4g", fl_fault_model_rate_at(bound->model, level));
        fl_text_append(out, "  %16s", shown);
    }
    fl_text_append(out, "\n");
}

static void append_ratio(fl_text *out, uint64_t successes, uint64_t trials)
{
    char shown[48] = "-";
    if (trials > 0) {
        fl_interval interval = fl_stats_wilson(successes, trials, FL_Z95);
        snprintf(shown, sizeof shown, "%.4f +-%.4f", (double)successes / (double)trials, (interval.high - interval.low) / 2);
    }
    fl_text_append(out, "  %16s", shown);
}

static void append_summary_row(fl_text *out, const char *name, const fl_counts *counts, unsigned router)
{
    fl_text_append(out, "  %-34s", name);
    for (unsigned column = 0; column < FL_SUMMARY_COLUMNS && column < counts->levels && counts->trials; column++)
        append_ratio(out, count_at(counts, router, fl_summary_level(counts->levels, column))->delivered, counts->trials);
    fl_text_append(out, "\n");
}

/* Success / limit. A router delivers only where the limit does: of the trials that can be
 * delivered at all it is a proportion like any other. */
static void append_limit_row(fl_text *out, const char *name, const fl_counts *counts, unsigned router, unsigned limit)
{
    fl_text_append(out, "  %-34s", name);
    for (unsigned column = 0; column < FL_SUMMARY_COLUMNS && column < counts->levels; column++) {
        uint32_t level = fl_summary_level(counts->levels, column);
        append_ratio(out, count_at(counts, router, level)->delivered, count_at(counts, limit, level)->delivered);
    }
    fl_text_append(out, "\n");
}

static void append_limit_rows(fl_text *out, const fl_bound_sweep *bound, const fl_counts *counts)
{
    for (unsigned limit = 0; limit < counts->routers; limit++) {
        if (bound->routers[limit]->type->limit != FL_LIMIT_ANY_PATH)
            continue;
        fl_text_append(out, " the same as a share of %s, of what could be delivered at all\n", bound->routers[limit]->name);
        for (unsigned router = 0; router < counts->routers; router++)
            if (router != limit)
                append_limit_row(out, bound->routers[router]->name, counts, router, limit);
    }
}

void fl_results_summary(const fl_results *results, fl_text *out)
{
    for (unsigned i = 0; i < results->experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &results->experiment->bound[i];
        const fl_counts *counts = results->counts[i];
        fl_text_append(out, "%s, fault model %s, scope %s: success ratio (95%% Wilson), %llu trials%s\n", bound->network->spec,
                       fl_fault_model_spec(bound->model), fl_scope_names[results->experiment->sweeps[i].scope],
                       (unsigned long long)counts->trials, results->partial ? " (partial)" : "");
        fl_summary_append_head(out, bound, counts->levels);
        for (unsigned router = 0; router < counts->routers; router++)
            append_summary_row(out, bound->routers[router]->name, counts, router);
        append_limit_rows(out, bound, counts);
    }
}

/* ---- files ---- */

fl_status fl_results_write_file(const char *folder, const char *name, fl_text *text, fl_error *error)
{
    fl_text path = {0};
    fl_text_append(&path, "%s/%s", folder, name);
    fl_status status = path.failed || text->failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for %s", name)
                                                   : fl_file_write(path.data, text->data, text->length, error);
    fl_text_clear(&path);
    fl_text_clear(text);
    return status;
}

fl_status fl_results_write(const fl_results *results, const char *folder, fl_error *error)
{
    fl_text csv = {0}, json = {0};
    fl_results_csv(results, &csv);
    fl_results_json(results, &json);
    fl_status status = fl_results_write_file(folder, "sweep.json", &json, error);
    if (status) {
        fl_text_clear(&csv);
        return status;
    }
    return fl_results_write_file(folder, "sweep.csv", &csv, error);
}
