#include "experiments/sweep/stored.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* A results file may come from anywhere: nothing in it is believed that can be checked. The
 * experiment is made anew from its spec, by the code that reads every other spec; the counts must
 * fit it. */

enum { STORED_BYTES_MAX = 1 << 30 };

static const cJSON *find(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *fl_stored_text(const cJSON *json, const char *key)
{
    const cJSON *item = find(json, key);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* ---- the head ---- */

static fl_status check_head(const cJSON *json, const char *path, fl_error *error)
{
    const char *format = fl_stored_text(json, "format"), *version = fl_stored_text(json, "version");
    if (!format || strcmp(format, FL_STORED_FORMAT) != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' holds no results of 'faultline sweep' (its format is not \"%s\")",
                       path, FL_STORED_FORMAT);
    if (!version || strcmp(version, FL_VERSION) != 0)
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%s' was written by version %.40s, and this is version %s: their trials may differ",
            path, version ? version : "?", FL_VERSION);
    return FL_OK;
}

fl_status fl_stored_open(cJSON **json, const char *path, fl_error *error)
{
    char *text;
    size_t length;
    fl_status status = fl_file_read(&text, &length, path, STORED_BYTES_MAX, error);
    if (status)
        return status;
    status = fl_json_parse(json, text, length, path, error);
    free(text);
    if (status)
        return status;
    status = check_head(*json, path, error);
    if (status)
        cJSON_Delete(*json);
    return status;
}

/* The spec in the file, with the keys around it that belong to a spec too; to be deleted. */
static fl_status find_spec(cJSON **out, const cJSON *json, const char *path, fl_error *error)
{
    static const char *const around[] = {"name", "title", "source", "figures"};
    const cJSON *stored = find(json, "spec");
    if (!cJSON_IsObject(stored))
        return fl_fail(error, FL_ERR_INVALID, "'%s' holds no spec", path);
    cJSON *spec = cJSON_Duplicate(stored, 1), *item;
    bool good = spec != NULL;
    for (size_t i = 0; good && i < sizeof around / sizeof *around; i++)
        if (find(json, around[i]) && !find(spec, around[i]))
            good = (item = cJSON_Duplicate(find(json, around[i]), 1)) != NULL &&
                   cJSON_AddItemToObject(spec, around[i], item);
    if (!good) {
        cJSON_Delete(spec);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the spec in '%s'", path);
    }
    *out = spec;
    return FL_OK;
}

static fl_status make_experiment(fl_experiment **out, const cJSON *json, const char *path,
                                 fl_error *error)
{
    cJSON *spec = NULL;
    fl_status status = find_spec(&spec, json, path, error);
    if (status)
        return status;
    status = fl_experiment_read(out, spec, path, error);
    cJSON_Delete(spec);
    if (status)
        return status;
    const char *hash = fl_stored_text(json, "spec_hash");
    if (hash && strcmp(hash, (*out)->hash) == 0)
        return FL_OK;
    status = fl_fail(error, FL_ERR_INVALID,
                     "'%s': its spec_hash is %.20s, but that of its spec is %s: was it changed?",
                     path, hash ? hash : "missing", (*out)->hash);
    fl_experiment_destroy(*out);
    return status;
}

/* ---- pieces ---- */

/* A list of `size` whole numbers, to numbers[0], numbers[stride], ... `place` names its owner. */
static fl_status get_numbers(uint64_t *numbers, size_t stride, size_t size, const cJSON *object,
                             const char *key, const char *place, fl_error *error)
{
    const cJSON *list = find(object, key);
    char where[400];
    size_t count = 0;
    snprintf(where, sizeof where, "%s: '%s'", place, key);
    if (!cJSON_IsArray(list))
        return fl_fail(error, FL_ERR_INVALID, "%s is missing, or no list", where);
    for (const cJSON *item = list->child; item; item = item->next, count++) {
        fl_status status =
            count < size ? fl_json_u64(&numbers[count * stride], item, where, error) : FL_OK;
        if (status)
            return status;
    }
    if (count != size)
        return fl_fail(error, FL_ERR_INVALID, "%s has %zu numbers, not %zu", where, count, size);
    return FL_OK;
}

static fl_status get_number(uint64_t *out, const cJSON *object, const char *key, const char *place,
                            fl_error *error)
{
    char where[500];
    snprintf(where, sizeof where, "%s: '%s'", place, key);
    return fl_json_u64(out, find(object, key), where, error);
}

static fl_status expect_text(const cJSON *object, const char *key, const char *text,
                             const char *place, fl_error *error)
{
    const char *found = fl_stored_text(object, key);
    if (found && strcmp(found, text) == 0)
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID, "%s: '%s' is \"%.60s\", but \"%.60s\" in the spec", place,
                   key, found ? found : "?", text);
}

/* The list under `key`, which must have `size` objects. */
static fl_status get_objects(const cJSON **out, const cJSON *object, const char *key, size_t size,
                             const char *place, fl_error *error)
{
    const cJSON *list = find(object, key);
    size_t count = 0;
    if (!cJSON_IsArray(list))
        return fl_fail(error, FL_ERR_INVALID, "%s: '%s' is missing, or no list", place, key);
    for (const cJSON *item = list->child; item; item = item->next, count++)
        if (!cJSON_IsObject(item))
            return fl_fail(error, FL_ERR_INVALID, "%s: '%s' must hold objects only", place, key);
    if (count != size)
        return fl_fail(error, FL_ERR_INVALID, "%s: '%s' has %zu entries, not %zu", place, key,
                       count, size);
    *out = list->child;
    return FL_OK;
}

/* ---- counts of one sweep ---- */

static fl_status check_count(const fl_count *count, uint64_t trials, uint32_t fault_point,
                             const char *place, fl_error *error)
{
    uint64_t all = count->delivered;
    for (int reason = 0; reason < FL_REASONS; reason++)
        all += count->blocked[reason]; /* at most 2^53 each */
    if (all != trials)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s: delivered and blocked at fault level %u add up to %llu, not to the %llu trials",
            place, (unsigned)fault_point, (unsigned long long)all, (unsigned long long)trials);
    /* A path has at least two links, a mean of squares is no less than the square of the mean, and
     * a number is odd where its square is. */
    double delivered = (double)count->delivered, sum = (double)count->length_sum,
           squares = (double)count->length_squares;
    double most = (double)FL_STEPS_MAX * FL_DETOUR_MAX;
    if (sum < 2 * delivered || sum > most * delivered || squares > most * sum ||
        squares * delivered < sum * sum * (1 - 1e-12) ||
        (count->length_sum - count->length_squares) % 2)
        return fl_fail(error, FL_ERR_INVALID, "%s: no path lengths have the sums at fault level %u",
                       place, (unsigned)fault_point);
    return FL_OK;
}

static fl_status read_router(fl_counts *counts, unsigned router, const char *name,
                             const cJSON *object, const char *place, fl_error *error)
{
    fl_count *of = &counts->of[(size_t)router * counts->fault_points];
    fl_status status = expect_text(object, "router", name, place, error);
    for (unsigned field = 0; field < FL_COUNT_FIELDS && !status; field++)
        status = get_numbers(fl_count_fields(of) + field, FL_COUNT_FIELDS, counts->fault_points,
                             object, fl_count_field_name(field), place, error);
    for (uint32_t fault_point = 0; fault_point < counts->fault_points && !status; fault_point++)
        status = check_count(&of[fault_point], counts->trials, fault_point, place, error);
    return status;
}

/* `only` has room for both lists. */
static fl_status read_pair(fl_counts *counts, unsigned a, unsigned b, uint64_t *only,
                           const cJSON *object, const char *place, fl_error *error)
{
    uint32_t fault_points = counts->fault_points;
    for (unsigned field = 0; field < FL_PAIR_FIELDS_RAW; field++) {
        fl_status status = get_numbers(only + field * fault_points, 1, fault_points, object,
                                       fl_pair_field_names[field], place, error);
        if (status)
            return status;
    }
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++) {
        uint64_t of_a = counts->of[(size_t)a * fault_points + fault_point].delivered,
                 of_b = counts->of[(size_t)b * fault_points + fault_point].delivered;
        uint64_t only_a = only[fault_point], only_b = only[fault_points + fault_point];
        if (only_a > of_a || only_b > of_b || of_a - only_a != of_b - only_b ||
            of_a + only_b > counts->trials)
            return fl_fail(error, FL_ERR_INVALID,
                           "%s: only_a and only_b at fault level %u do not fit what was delivered",
                           place, (unsigned)fault_point);
        counts->both[(size_t)fl_counts_pair(a, b) * fault_points + fault_point] = of_a - only_a;
    }
    return FL_OK;
}

static fl_status read_pairs(fl_counts *counts, const fl_bound_sweep *bound, const cJSON *sweep,
                            const char *place, fl_error *error)
{
    const cJSON *object;
    fl_status status =
        get_objects(&object, sweep, "paired_differences",
                    (size_t)counts->routers * (counts->routers - 1) / 2, place, error);
    uint64_t *only = malloc(FL_PAIR_FIELDS_RAW * (size_t)counts->fault_points * sizeof *only);
    if (!only)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %s", place);
    for (unsigned b = 1; b < counts->routers && !status; b++)
        for (unsigned a = 0; a < b && !status; a++, object = object->next) {
            char pair[400];
            snprintf(pair, sizeof pair, "%.200s: pair %s, %s", place, bound->routers[a]->canonical,
                     bound->routers[b]->canonical);
            status = expect_text(object, "a", bound->routers[a]->canonical, place, error);
            if (!status)
                status = expect_text(object, "b", bound->routers[b]->canonical, place, error);
            if (!status)
                status = read_pair(counts, a, b, only, object, pair, error);
        }
    free(only);
    return status;
}

static fl_status read_routers(fl_counts *counts, const fl_bound_sweep *bound, const cJSON *sweep,
                              const char *place, fl_error *error)
{
    const cJSON *object;
    fl_status status = get_objects(&object, sweep, "routers", counts->routers, place, error);
    for (unsigned router = 0; router < counts->routers && !status;
         router++, object = object->next) {
        char where[400];
        snprintf(where, sizeof where, "%.200s: router %s", place,
                 bound->routers[router]->canonical);
        status =
            read_router(counts, router, bound->routers[router]->canonical, object, where, error);
    }
    return status;
}

static fl_status read_ranges(fl_ranges *ranges, uint64_t trials_max, const cJSON *sweep,
                             const char *place, fl_error *error)
{
    const cJSON *list = find(sweep, "trial_ranges");
    uint64_t before = 0;
    if (!cJSON_IsArray(list))
        return fl_fail(error, FL_ERR_INVALID, "%s: 'trial_ranges' is missing, or no list", place);
    for (const cJSON *item = list->child; item; item = item->next) {
        char where[300];
        fl_range range = {0};
        snprintf(where, sizeof where, "%.200s: 'trial_ranges'", place);
        if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2)
            return fl_fail(error, FL_ERR_INVALID, "%s must hold pairs [first, end]", where);
        fl_status status = fl_json_u64(&range.first, item->child, where, error);
        if (!status)
            status = fl_json_u64(&range.end, item->child->next, where, error);
        if (!status && (range.first >= range.end || range.end > trials_max || range.first < before))
            status = fl_fail(
                error, FL_ERR_INVALID,
                "%s: [%llu,%llu] is empty, not behind the one before it, or ends after the %llu trials of the spec",
                where, (unsigned long long)range.first, (unsigned long long)range.end,
                (unsigned long long)trials_max);
        before = range.end;
        if (!status)
            status = fl_ranges_add(ranges, range, error);
        if (status)
            return status;
    }
    return FL_OK;
}

/* Trial numbers first: they say what the counts must add up to. */
static fl_status read_sweep(fl_results *fresh, unsigned i, const cJSON *sweep, const char *place,
                            fl_error *error)
{
    const fl_experiment *experiment = fresh->experiment;
    const fl_bound_sweep *bound = &experiment->bound[i];
    fl_counts *counts = fresh->counts[i];
    fl_status status = expect_text(sweep, "topology", bound->network->spec, place, error);
    if (!status)
        status = expect_text(sweep, "fault_model", fl_fault_model_spec(bound->model), place, error);
    if (!status)
        status =
            expect_text(sweep, "scope", fl_scope_names[experiment->sweeps[i].scope], place, error);
    if (!status)
        status = get_number(&counts->trials, sweep, "trials", place, error);
    if (!status)
        status = read_ranges(&fresh->ranges[i], experiment->trials, sweep, place, error);
    if (!status && fl_ranges_total(&fresh->ranges[i]) != counts->trials)
        status =
            fl_fail(error, FL_ERR_INVALID, "%s: 'trials' is %llu, but 'trial_ranges' hold %llu",
                    place, (unsigned long long)counts->trials,
                    (unsigned long long)fl_ranges_total(&fresh->ranges[i]));
    counts->first_trial = fresh->ranges[i].count ? fresh->ranges[i].of[0].first : 0;
    if (!status)
        status = read_routers(counts, bound, sweep, place, error);
    return status ? status : read_pairs(counts, bound, sweep, place, error);
}

static fl_status read_sweeps(fl_results *fresh, const cJSON *json, const char *path,
                             fl_error *error)
{
    const cJSON *sweep;
    fl_status status =
        get_objects(&sweep, json, "sweeps", fresh->experiment->sweep_count, path, error);
    for (unsigned i = 0; i < fresh->experiment->sweep_count && !status; i++, sweep = sweep->next) {
        char place[200];
        snprintf(place, sizeof place, "%.150s: sweep %u", path, i + 1);
        status = read_sweep(fresh, i, sweep, place, error);
    }
    return status;
}

/* ---- how it was run ---- */

static fl_status read_stopped_by(fl_results *results, const cJSON *json, const char *path,
                                 fl_error *error)
{
    unsigned number;
    const char *name = fl_stored_text(json, "stopped_by");
    fl_status status =
        fl_names_find(&number, fl_stopped_by_names, name ? name : "", "'stopped_by'", error);
    if (status)
        return fl_fail_in(error, status, path);
    results->stopped_by = (fl_stopped_by)number;
    return FL_OK;
}

static fl_status read_run(fl_results *results, const cJSON *json, const char *path, fl_error *error)
{
    const char *started = fl_stored_text(json, "started");
    const cJSON *seconds = find(json, "wall_seconds"), *partial = find(json, "partial");
    uint64_t threads = 0, ranks = 0;
    if (!started || strlen(started) >= sizeof results->started ||
        started[strspn(started, "0123456789-:TZ")])
        return fl_fail(error, FL_ERR_INVALID, "'%s': 'started' is no time", path);
    if (!cJSON_IsNumber(seconds) || !(seconds->valuedouble >= 0 && seconds->valuedouble <= 1e12))
        return fl_fail(error, FL_ERR_INVALID, "'%s': 'wall_seconds' is no time", path);
    if (!cJSON_IsBool(partial))
        return fl_fail(error, FL_ERR_INVALID, "'%s': 'partial' must be true or false", path);
    fl_status status = get_number(&threads, json, "threads", path, error);
    if (!status)
        status = get_number(&ranks, json, "ranks", path, error);
    if (!status && (threads > FL_SWEEP_THREADS_MAX || ranks > UINT32_MAX))
        status = fl_fail(error, FL_ERR_INVALID, "'%s': 'threads' or 'ranks' is too large", path);
    memcpy(results->started, started, strlen(started) + 1);
    results->wall_seconds = seconds->valuedouble;
    results->partial = cJSON_IsTrue(partial);
    results->threads = (unsigned)threads;
    results->ranks = (unsigned)ranks;
    return status ? status : read_stopped_by(results, json, path, error);
}

/* The plan follows from the target and the last look. */
static fl_status read_precision(fl_results *results, const cJSON *json, const char *path,
                                fl_error *error)
{
    const cJSON *precision = find(json, "precision"), *target = find(precision, "target");
    uint64_t look = 0;
    if (!precision)
        return FL_OK;
    char place[200];
    snprintf(place, sizeof place, "%.150s: precision", path);
    if (!cJSON_IsNumber(target))
        return fl_fail(error, FL_ERR_INVALID, "%s: 'target' must be a number", place);
    fl_status status = fl_precision_plan(&results->precision, target->valuedouble,
                                         results->experiment->trials, error);
    if (!status)
        status = get_number(&look, precision, "look", place, error);
    if (!status &&
        (look < 1 || look > results->precision.looks || !cJSON_IsBool(find(precision, "reached"))))
        status = fl_fail(error, FL_ERR_INVALID,
                         "%s: 'look' must be 1 to %u, and 'reached' true or false", place,
                         results->precision.looks);
    if (status)
        return status;
    results->look = (unsigned)look - 1;
    results->reached = cJSON_IsTrue(find(precision, "reached"));
    results->z = results->precision.look[results->look].z;
    return FL_OK;
}

/* ---- the whole ---- */

fl_status fl_stored_read(fl_results **out, const fl_experiment *experiment, const cJSON *json,
                         const char *path, fl_error *error)
{
    fl_results *results;
    fl_status status = fl_results_create(&results, experiment, error);
    if (status)
        return status;
    status = read_run(results, json, path, error);
    if (!status)
        status = read_precision(results, json, path, error);
    if (!status)
        status = read_sweeps(results, json, path, error);
    if (status)
        fl_results_destroy(results);
    else
        *out = results;
    return status;
}

fl_status fl_results_read(fl_results **out, fl_experiment **experiment, const char *path,
                          fl_error *error)
{
    cJSON *json;
    fl_status status = fl_stored_open(&json, path, error);
    if (status)
        return status;
    status = make_experiment(experiment, json, path, error);
    if (!status) {
        status = fl_stored_read(out, *experiment, json, path, error);
        if (status)
            fl_experiment_destroy(*experiment);
    }
    cJSON_Delete(json);
    return status;
}

bool fl_results_goes_on(const char *path, const fl_experiment *experiment)
{
    cJSON *json;
    if (fl_stored_open(&json, path, NULL))
        return false;
    const char *hash = fl_stored_text(json, "spec_hash");
    bool same = hash && strcmp(hash, experiment->hash) == 0;
    cJSON_Delete(json);
    return same;
}
