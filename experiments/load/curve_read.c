/* simulate.json of several curves, read back: figures of runs that were finished before. */
#include "experiments/load/curves_private.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STORED_BYTES_MAX = 1 << 30, SERIES_MAX = 1 << 26 };

static const cJSON *find(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* The file may come from anywhere: nothing in it is believed that can be checked. */
static fl_status fail_damaged(const char *key, fl_error *error)
{
    return fl_fail(error, FL_ERR_INVALID, "it is damaged at '%s'", key);
}

static fl_status read_count(uint64_t *out, const cJSON *object, const char *key, fl_error *error)
{
    const cJSON *item = find(object, key);
    return item && fl_json_u64(out, item, key, NULL) == FL_OK ? FL_OK : fail_damaged(key, error);
}

static fl_status read_flag(bool *out, const cJSON *object, const char *key, fl_error *error)
{
    const cJSON *item = find(object, key);
    *out = cJSON_IsTrue(item);
    return cJSON_IsBool(item) ? FL_OK : fail_damaged(key, error);
}

/* null: not finite. */
static fl_status read_number(double *out, const cJSON *object, const char *key, fl_error *error)
{
    const cJSON *item = find(object, key);
    *out = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    return cJSON_IsNumber(item) || cJSON_IsNull(item) ? FL_OK : fail_damaged(key, error);
}

static fl_status read_numbers(fl_sim_result *r, const fl_sim_context *c, const cJSON *run,
                              fl_error *error)
{
    const struct {
        const char *key;
        double *out;
    } numbers[] = {
        {"load", &r->load},
        {"accepted_low", &r->received_interval.low},
        {"accepted_high", &r->received_interval.high},
        {"latency_mean", &r->latency},
        {"latency_low", &r->latency_interval.low},
        {"latency_high", &r->latency_interval.high},
    };
    fl_status status = FL_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = read_number(numbers[i].out, run, numbers[i].key, error);
    for (unsigned i = 0; i < FL_SIM_PERCENTILES && !status; i++)
        status = read_number(&r->percentile[i], run, fl_sim_percentile_names[i], error);
    double packets_per_flit =
        (double)c->network->nodes / c->model->packet_flits; /* of all nodes, per flit of one */
    r->received_interval.low *= packets_per_flit;
    r->received_interval.high *= packets_per_flit;
    return status;
}

static fl_status read_series(fl_sim_result *r, const cJSON *run, fl_error *error)
{
    const cJSON *series = find(run, "series");
    if (!series)
        return FL_OK;
    int length = cJSON_GetArraySize(find(series, fl_sim_sample_counts[0].key));
    if (length <= 0 || length > SERIES_MAX)
        return fail_damaged("series", error);
    r->series = calloc((size_t)length, sizeof *r->series);
    if (!r->series)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a time series");
    r->series_length = (size_t)length;
    for (const fl_sim_count *field = fl_sim_sample_counts; field->key; field++) {
        const cJSON *list = find(series, field->key), *item = list ? list->child : NULL;
        for (size_t i = 0; i < r->series_length; i++, item = item->next)
            if (!item || fl_json_u64((uint64_t *)((char *)&r->series[i] + field->offset), item,
                                     field->key, NULL))
                return fail_damaged(field->key, error);
        if (item)
            return fail_damaged(field->key, error);
    }
    return FL_OK;
}

static fl_status read_run(fl_sim_result *r, const fl_sim_task *task, const char *preset,
                          const cJSON *run, fl_error *error)
{
    fl_sim_context c = fl_sim_context_of(task->plan, preset);
    const cJSON *lost = find(run, "lost");
    fl_status status = read_numbers(r, &c, run, error);
    if (!status)
        status = read_count(&r->seed, run, "seed", error);
    if (!status)
        status = read_count(&r->cycles, run, "cycles", error);
    if (!status)
        status = read_flag(&r->saturated, run, "saturated", error);
    if (!status)
        status = read_flag(&r->steady, run, "steady", error);
    if (!status)
        status = read_flag(&r->deadlocked, run, "deadlocked", error);
    if (!status)
        status = read_flag(&r->stopped, run, "stopped", error);
    for (const fl_sim_count *count = fl_sim_counts; count->key && !status; count++)
        status = read_count((uint64_t *)((char *)r + count->offset), run, count->key, error);
    for (unsigned i = 0; i < FL_SIM_LOSSES && !status; i++)
        status = read_count(&r->lost[i], lost, fl_sim_loss_name(i), error);
    if (!status && (r->seed != task->seed || r->stopped))
        status = fail_damaged("seed", error);
    return status ? status : read_series(r, run, error);
}

static fl_status read_curve(fl_load_results *results, unsigned i, const cJSON *curve,
                            fl_error *error)
{
    const fl_load_curve *of = &results->curves[i];
    fl_sim_result *runs = &results->results[fl_load_first(results, i)];
    const cJSON *list = find(curve, "results"), *run = list ? list->child : NULL;
    fl_status status = FL_OK;
    for (size_t at = 0; at < of->points * of->repeats && !status; at++, run = run->next) {
        if (!run)
            return fail_damaged("results", error);
        status = read_run(&runs[at], &of->tasks[at], of->preset, run, error);
    }
    return status ? status : run ? fail_damaged("results", error) : FL_OK;
}

static fl_status check_head(const fl_load_results *results, const cJSON *json, fl_error *error)
{
    char wanted[20];
    const cJSON *hash = find(json, "runs_hash"), *version = find(json, "version");
    uint64_t own = fl_load_hash(results->spec, results->curves);
    if (own == 0)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a list of runs");
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)own);
    if (!cJSON_IsString(hash) || !cJSON_IsString(version) ||
        strcmp(hash->valuestring, wanted) != 0 || strcmp(version->valuestring, FL_VERSION) != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "it is from another spec, other options, or another version");
    if (!cJSON_IsFalse(find(json, "partial")))
        return fl_fail(error, FL_ERR_INVALID, "its run was not finished");
    return FL_OK;
}

static fl_status read_curves(fl_load_results *results, const cJSON *json, fl_error *error)
{
    fl_status status = check_head(results, json, error);
    const cJSON *list = find(json, "curves"), *curve = list ? list->child : NULL;
    for (unsigned i = 0; i < results->spec->curve_count && !status; i++, curve = curve->next) {
        if (!curve)
            return fail_damaged("curves", error);
        status = read_curve(results, i, curve, error);
    }
    return status;
}

static fl_status read_file(fl_load_results *results, const char *path, fl_error *error)
{
    char *text;
    size_t length;
    cJSON *json;
    fl_status status = fl_file_read(&text, &length, path, STORED_BYTES_MAX, error);
    if (status)
        return status;
    status = fl_json_parse(&json, text, length, path, error);
    free(text);
    if (status)
        return status;
    status = read_curves(results, json, error);
    cJSON_Delete(json);
    return status ? fl_fail_in(error, status, path) : FL_OK;
}

fl_status fl_load_read(fl_load_results **out, const fl_load_spec *spec, const fl_load_curve *curves,
                       const char *path, fl_error *error)
{
    fl_load_results *results;
    fl_status status = fl_load_results_create(&results, spec, curves, error);
    if (status)
        return status;
    status = read_file(results, path, error);
    if (status) {
        fl_load_results_destroy(results);
        return status;
    }
    *out = results;
    return FL_OK;
}
