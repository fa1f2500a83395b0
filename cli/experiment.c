#include "cli/experiment.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPEC_BYTES_MAX = 16 << 20 };

/* ---- spec and options become one JSON object ---- */

/* What is missing would be another experiment. */
static bool is_set(bool set)
{
    return set || (fl_complain_memory("the spec"), false);
}

static bool set_number(cJSON *spec, const char *key, const char *option, const char *text,
                       uint64_t least)
{
    uint64_t value;
    if (!text)
        return true;
    if (!fl_text_to_u64(text, &value) || value < least || value >= UINT64_C(1) << 53) {
        fl_complain("--%s %.80s: expected a whole number from %llu to 2^53 - 1", option, text,
                    (unsigned long long)least);
        return false;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(spec, key);
    return is_set(cJSON_AddNumberToObject(spec, key, (double)value) != NULL);
}

static bool set_text(cJSON *spec, const char *key, const char *text)
{
    if (!text)
        return true;
    cJSON_DeleteItemFromObjectCaseSensitive(spec, key);
    return is_set(cJSON_AddStringToObject(spec, key, text) != NULL);
}

static bool set_routers(cJSON *spec, const char *text)
{
    if (!text)
        return true;
    cJSON_DeleteItemFromObjectCaseSensitive(spec, "routers");
    cJSON *list = cJSON_AddArrayToObject(spec, "routers");
    char *copy = strdup(text);
    bool good = list && copy;
    for (char *name = copy, *next; name && good; name = next) {
        next = strchr(name, ',');
        if (next)
            *next++ = 0;
        cJSON *item = cJSON_CreateString(name);
        good = item && cJSON_AddItemToArray(list, item);
    }
    free(copy);
    return is_set(good);
}

/* A value that an entry of `sweeps` has for itself would silently win over the option. */
static bool check_not_overruled(const cJSON *spec, const fl_option *options)
{
    static const char *const keys[][2] = {
        {"topology", "topology"},       {"routers", "routers"},   {"faults", "faults"},
        {"faults", "fault_rate"},       {"fault-rate", "faults"}, {"fault-rate", "fault_rate"},
        {"fault-model", "fault_model"}, {"scope", "scope"}};
    const cJSON *sweep;
    cJSON_ArrayForEach(sweep, cJSON_GetObjectItemCaseSensitive(spec, "sweeps")) for (
        size_t i = 0; i < sizeof keys / sizeof *keys;
        i++) if (fl_option_value(options, keys[i][0]) &&
                 cJSON_GetObjectItemCaseSensitive(
                     sweep,
                     keys[i]
                         [1])) return fl_complain("--%s cannot be given with this spec: its sweeps have their own '%s'",
                                                  keys[i][0], keys[i][1]),
        false;
    return true;
}

static bool lay_over(cJSON *spec, const fl_option *options)
{
    if (!check_not_overruled(spec, options))
        return false;
    const char *faults = fl_option_value(options, "faults"),
               *rate = fl_option_value(options, "fault-rate");
    if (faults && rate)
        return fl_complain("give --faults or --fault-rate, not both"), false;
    if (faults || rate) {
        cJSON_DeleteItemFromObjectCaseSensitive(spec, "faults");
        cJSON_DeleteItemFromObjectCaseSensitive(spec, "fault_rate");
    }
    if (fl_option_value(options,
                        "topology")) /* the file that it names belongs to the spec's network */
        cJSON_DeleteItemFromObjectCaseSensitive(spec, "topology_hash");
    return set_text(spec, "topology", fl_option_value(options, "topology")) &&
           set_routers(spec, fl_option_value(options, "routers")) &&
           set_text(spec, "faults", faults) && set_text(spec, "fault_rate", rate) &&
           set_text(spec, "fault_model", fl_option_value(options, "fault-model")) &&
           set_text(spec, "scope", fl_option_value(options, "scope")) &&
           set_number(spec, "trials", "trials", fl_option_value(options, "trials"), 1) &&
           set_number(spec, "seed", "seed", fl_option_value(options, "seed"), 0);
}

static cJSON *load_spec(const char *path)
{
    fl_error error;
    char *text;
    size_t length;
    cJSON *spec = NULL;
    if (!path)
        return is_set((spec = cJSON_CreateObject()) != NULL) ? spec : NULL;
    if (fl_file_read(&text, &length, path, SPEC_BYTES_MAX, &error)) {
        fl_complain_of(&error);
        return NULL;
    }
    if (fl_json_parse(&spec, text, length, path, &error))
        fl_complain_of(&error);
    free(text);
    if (spec && !cJSON_IsObject(spec)) {
        fl_complain("%s: an experiment is a JSON object", path);
        cJSON_Delete(spec);
        spec = NULL;
    }
    return spec;
}

fl_experiment *fl_experiment_from_options(const char *path, const fl_option *options)
{
    fl_experiment *experiment = NULL;
    fl_error error;
    cJSON *spec = load_spec(path);
    if (spec && lay_over(spec, options)) {
        fl_progress_wait("reading the experiment");
        fl_status status = fl_experiment_read(&experiment, spec, path, &error);
        fl_progress_wait_end();
        if (status)
            fl_complain_of(&error);
    }
    cJSON_Delete(spec);
    return experiment;
}

/* ---- the output folder ---- */

static bool is_free(const char *folder, const char *prefix, const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s%s", folder, prefix, name, suffix);
    if (fl_file_exists(path))
        return fl_complain("'%s' is there already: choose another --out, or --force to overwrite",
                           path),
               false;
    return true;
}

static bool all_are_free(const char *folder, const fl_outputs *outputs)
{
    for (int i = 0; outputs->files[i]; i++)
        if (!is_free(folder, "", outputs->files[i], ""))
            return false;
    const char *figure;
    for (unsigned i = 0;
         outputs->figures_of && (figure = fl_experiment_figure(outputs->figures_of, i)) != NULL;
         i++)
        if (!is_free(folder, outputs->figure_prefix, figure, ".png") ||
            !is_free(folder, outputs->figure_prefix, figure, ".svg"))
            return false;
    return true;
}

static fl_status try_to_write(const char *folder, fl_error *error)
{
    char path[4096];
    static char block[65536];
    snprintf(path, sizeof path, "%s/.faultline-can-write", folder);
    fl_status status = fl_file_write(path, block, sizeof block, error);
    unlink(path);
    return status;
}

/* The folder of this run. */
static struct {
    const char *folder; /* NULL: none yet. Borrowed from the command line */
    size_t existing;    /* how much of its path there was */
    fl_folder_lock *lock;
} locked;

bool fl_lock_folder(const char *folder)
{
    fl_error error;
    if (locked.folder)
        return true;
    if (!*folder)
        return fl_complain("--out needs the name of a folder"), false;
    locked.existing = fl_file_existing_folder(folder);
    if (fl_file_make_folder(folder, &error))
        return fl_complain_of(&error), false;
    locked.folder = folder;
    return fl_folder_lock_take(&locked.lock, folder, &error) ? (fl_complain_of(&error), false)
                                                             : true;
}

void fl_unlock_folder(void)
{
    fl_folder_lock_release(locked.lock);
    if (locked.folder)
        fl_file_remove_folders(locked.folder, locked.existing);
    locked.lock = NULL;
    locked.folder = NULL;
}

bool fl_prepare_folder(const char *folder, const fl_outputs *outputs, bool force)
{
    fl_error error;
    if (!fl_lock_folder(folder) || (!force && !all_are_free(folder, outputs)))
        return false;
    return try_to_write(folder, &error) ? (fl_complain_of(&error), false) : true;
}

/* ---- small things ---- */

bool fl_check_folder_options(const fl_option *options)
{
    static const char *const of_a_folder[] = {"force", "no-figures", "log-y"};
    for (size_t i = 0;
         i < sizeof of_a_folder / sizeof *of_a_folder && !fl_option_value(options, "out"); i++)
        if (fl_option_value(options, of_a_folder[i]))
            return fl_complain(
                       "--%s needs --out: without it there are no files, only CSV on standard output",
                       of_a_folder[i]),
                   false;
    if (fl_option_value(options, "force") && fl_option_value(options, "resume"))
        return fl_complain(
                   "--force and --resume do not go together: --force overwrites the unfinished run that --resume goes on with"),
               false;
    if (fl_option_value(options, "log-y") && fl_option_value(options, "no-figures"))
        return fl_complain("--log-y and --no-figures do not go together: there are no axes then"),
               false;
    return true;
}

/* A note begins with the name of the rule that it is about, which may be all of the router's name.
 */
static void print_note(const fl_router *router)
{
    size_t length = strlen(router->name);
    bool named = strncmp(router->note, router->name, length) == 0 && router->note[length] == ' ';
    fprintf(stderr, "note: %s%s%s\n", named ? "" : router->name, named ? "" : ": ", router->note);
}

void fl_print_notes(const fl_experiment *experiment)
{
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned r = 0; r < experiment->bound[i].router_count; r++) {
            const fl_router *router = experiment->bound[i].routers[r];
            if (strcmp(router->name, router->canonical) != 0)
                fprintf(stderr, "note: the results name '%s' canonically: '%s'\n", router->name,
                        router->canonical);
            if (router->note[0])
                print_note(router);
        }
}

bool fl_threads_from_options(const fl_option *options, unsigned *out)
{
    uint64_t value = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (!fl_option_number(options, "threads", 1, FL_SWEEP_THREADS_MAX, &value))
        return false;
    *out = (unsigned)value;
    return true;
}
