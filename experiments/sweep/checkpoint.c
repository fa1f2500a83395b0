#include "experiments/spec/pieces.h"
#include "experiments/sweep/stored.h"

#include <cjson/cJSON.h>
#include <string.h>

fl_status fl_checkpoint_write(const fl_results *results, const char *path, fl_error *error)
{
    fl_text text = {0};
    fl_results_json_raw(results, &text);
    fl_status status =
        text.failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the checkpoint '%s'", path)
                    : fl_file_write(path, text.data, text.length, error);
    fl_text_clear(&text);
    return status;
}

/* ---- is it of this run? ---- */

/* Names what differs; the spec's hash alone would not explain it. */
static fl_status check_number(const cJSON *json, const char *key, uint64_t ours, const char *path,
                              fl_error *error)
{
    uint64_t theirs;
    const cJSON *item =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "spec"), key);
    if (fl_json_u64(&theirs, item, key, NULL) || theirs == ours)
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID,
                   "'%s' is the checkpoint of a run with %s %llu, and this one has %llu", path, key,
                   (unsigned long long)theirs, (unsigned long long)ours);
}

static fl_status check_precision(const fl_results *results, const fl_precision *precision,
                                 const char *path, fl_error *error)
{
    double theirs = results->precision.looks ? results->precision.target : 0,
           ours = precision ? precision->target : 0;
    if (theirs == ours)
        return FL_OK;
    return fl_fail(
        error, FL_ERR_INVALID,
        "'%s' is the checkpoint of a run with the precision %g, and this one has %g (0: none)",
        path, theirs, ours);
}

/* The same network, from a file whose content has changed since. */
static fl_status check_files(const fl_experiment *experiment, const cJSON *json, const char *path,
                             fl_error *error)
{
    const cJSON *sweep =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "spec"), "sweeps");
    sweep = cJSON_IsArray(sweep) ? sweep->child : NULL;
    for (unsigned i = 0; i < experiment->sweep_count && sweep; i++, sweep = sweep->next) {
        const fl_network *network = experiment->bound[i].network;
        const char *topology = fl_stored_text(sweep, "topology"),
                   *theirs = fl_stored_text(sweep, "topology_hash");
        char ours[FL_CONTENT_HASH];
        fl_content_hash(ours, network->content);
        if (topology && theirs && strcmp(topology, network->spec) == 0 && strcmp(theirs, ours) != 0)
            return fl_fail(
                error, FL_ERR_INVALID,
                "'%s' is the checkpoint of a run with another content of the file of '%s' (hash %.20s, and "
                "it has %s now)",
                path, network->spec, theirs, ours);
    }
    return FL_OK;
}

static fl_status check_experiment(const fl_experiment *experiment, const cJSON *json,
                                  const char *path, fl_error *error)
{
    const char *hash = fl_stored_text(json, "spec_hash");
    if (hash && strcmp(hash, experiment->hash) == 0)
        return FL_OK;
    fl_status status = check_number(json, "seed", experiment->seed, path, error);
    if (!status)
        status = check_number(json, "trials", experiment->trials, path, error);
    if (!status)
        status = check_files(experiment, json, path, error);
    return status
               ? status
               : fl_fail(
                     error, FL_ERR_INVALID,
                     "'%s' is the checkpoint of another experiment (spec %.20s, and this one is %s)",
                     path, hash ? hash : "?", experiment->hash);
}

static fl_status check_trials(const fl_results *results, fl_range trials, const char *path,
                              fl_error *error)
{
    for (unsigned i = 0; i < results->experiment->sweep_count; i++) {
        const fl_ranges *ranges = &results->ranges[i];
        if (ranges->count &&
            (ranges->of[0].first < trials.first || ranges->of[ranges->count - 1].end > trials.end))
            return fl_fail(
                error, FL_ERR_INVALID,
                "'%s' is the checkpoint of another shard: it has trials from %llu to %llu, and this one runs %llu to %llu",
                path, (unsigned long long)ranges->of[0].first,
                (unsigned long long)ranges->of[ranges->count - 1].end - 1,
                (unsigned long long)trials.first, (unsigned long long)trials.end - 1);
    }
    return FL_OK;
}

fl_status fl_checkpoint_read(fl_results **out, const fl_experiment *experiment, fl_range trials,
                             const fl_precision *precision, const char *path, fl_error *error)
{
    cJSON *json;
    fl_status status = fl_stored_open(&json, path, error);
    if (status)
        return status;
    fl_results *results = NULL;
    status = check_experiment(experiment, json, path, error);
    if (!status)
        status = fl_stored_read(&results, experiment, json, path, error);
    cJSON_Delete(json);
    if (status)
        return status;
    status = check_precision(results, precision, path, error);
    if (!status)
        status = check_trials(results, trials, path, error);
    if (status)
        fl_results_destroy(results);
    else
        *out = results;
    return status;
}

bool fl_results_are_complete(const char *path, const fl_experiment *experiment,
                             const fl_run_options *run)
{
    fl_results *results;
    fl_range trials = run->trials, gap;
    if (trials.end == 0)
        trials = (fl_range){0, experiment->trials};
    if (fl_checkpoint_read(&results, experiment, trials, run->precision, path, NULL))
        return false;
    bool complete = !results->partial, all = true;
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        all = all && !fl_ranges_gap(&results->ranges[i], trials, &gap);
    complete =
        complete && (all || (results->stopped_by == FL_STOPPED_BY_PRECISION && results->reached));
    fl_results_destroy(results);
    return complete;
}
