#include "cli/cli.h"
#include "experiments/experiments.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPEC_BYTES_MAX = 16 << 20 };

static const fl_option option_table[] = {
    {"topology", "NET", "network, e.g. mikant:k=3,n=3 or kary-ntree:k=4,n=3 (see 'faultline list')", NULL},
    {"routers", "A,B,...", "routers to compare on the same configurations, e.g. shortest,gns+gdl", NULL},
    {"faults", "LIST", "numbers of faulty parts: 0:135:1 (first:last:step) or 0,10,40", NULL},
    {"fault-rate", "LIST", "shares of faulty parts, 0 to 1: 0:1:0.05 or 0.01,0.1; with draw=independent:\n"
                           "failure probabilities (default: 0:1:0.01)", NULL},
    {"fault-model", "MODEL", "what fails: links (default), links:class=cross-links, switches, bundles:size=2,\n"
                             "neighbours:size=2, list:LINK;LINK or list:@FILE; draw=independent makes each part\n"
                             "fail with the probability given by --fault-rate", NULL},
    {"scope", "SCOPE", "what a switch knows: detour (the links of its detours, default) or local (its own)", NULL},
    {"trials", "N", "pairs and fault orders to sample (default: 100000); each serves every fault count", NULL},
    {"seed", "N", "seed of all random numbers (default: 1)", NULL},
    {"threads", "N", "threads (default: all processors); the results do not depend on it", NULL},
    {"out", "DIR", "write sweep.csv, sweep.json and the figures there (default: CSV to standard output)", NULL},
    {"force", NULL, "overwrite the results in DIR", NULL},
    {"no-figures", NULL, "write no figures", NULL},
    {"log-y", NULL, "logarithmic vertical axes in the figures", NULL},
    {"quiet", NULL, "no progress, no summary", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts("Success ratio and mean path length against the number of faults, by sampling.\n\n"
         "usage: faultline sweep SPEC.json [OPTIONS]\n"
         "       faultline sweep --topology NET --routers A,B,... [OPTIONS]\n\n"
         "A spec is described by experiments/experiment.schema.json; options given beside it replace its\n"
         "values. Every router sees the same pairs of nodes and the same faults. Intervals are 95%.\n\noptions:");
    fl_options_print(option_table, stdout);
    puts("\nexamples:\n"
         "  faultline sweep --topology mikant:k=3,n=3 --routers shortest,gns,gns+gdl --faults 0:135:1 --out results/try\n"
         "  faultline sweep experiments/specs/wang-2022-fig8-9.json --trials 1000000 --out results/precise\n\n"
         "exit codes: 0 done, 1 done but no figures, 2 bad input (nothing done), 130 ended by Ctrl-C\n"
         "(what was done is written and marked partial)");
}

/* ---- spec and options become one JSON object ---- */

static bool set_number(cJSON *spec, const char *key, const char *option, const char *text)
{
    uint64_t value;
    if (!text)
        return true;
    if (!fl_text_to_u64(text, &value) || value > UINT64_C(1) << 53) {
        fl_complain("--%s %s: expected a whole number from 0 to 2^53", option, text);
        return false;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(spec, key);
    return cJSON_AddNumberToObject(spec, key, (double)value) != NULL;
}

static void set_text(cJSON *spec, const char *key, const char *text)
{
    if (!text)
        return;
    cJSON_DeleteItemFromObjectCaseSensitive(spec, key);
    cJSON_AddStringToObject(spec, key, text);
}

static void set_routers(cJSON *spec, const char *text)
{
    if (!text)
        return;
    cJSON_DeleteItemFromObjectCaseSensitive(spec, "routers");
    cJSON *list = cJSON_AddArrayToObject(spec, "routers");
    char *copy = strdup(text);
    for (char *name = copy, *next; name; name = next) {
        next = strchr(name, ',');
        if (next)
            *next++ = 0;
        cJSON_AddItemToArray(list, cJSON_CreateString(name));
    }
    free(copy);
}

static bool lay_over(cJSON *spec, const fl_option *options)
{
    const char *faults = fl_option_value(options, "faults"), *rate = fl_option_value(options, "fault-rate");
    if (faults && rate)
        return fl_complain("give --faults or --fault-rate, not both"), false;
    if (faults || rate) {
        cJSON_DeleteItemFromObjectCaseSensitive(spec, "faults");
        cJSON_DeleteItemFromObjectCaseSensitive(spec, "fault_rate");
    }
    set_text(spec, "topology", fl_option_value(options, "topology"));
    set_routers(spec, fl_option_value(options, "routers"));
    set_text(spec, "faults", faults);
    set_text(spec, "fault_rate", rate);
    set_text(spec, "fault_model", fl_option_value(options, "fault-model"));
    set_text(spec, "scope", fl_option_value(options, "scope"));
    return set_number(spec, "trials", "trials", fl_option_value(options, "trials")) &&
           set_number(spec, "seed", "seed", fl_option_value(options, "seed"));
}

static cJSON *load_spec(const char *path)
{
    fl_error error;
    char *text;
    size_t length;
    if (!path)
        return cJSON_CreateObject();
    cJSON *spec = NULL;
    if (fl_file_read(&text, &length, path, SPEC_BYTES_MAX, &error)) {
        fl_complain("%s", error.text);
        return NULL;
    }
    if (fl_json_parse(&spec, text, length, path, &error))
        fl_complain("%s", error.text);
    free(text);
    if (spec && !cJSON_IsObject(spec)) {
        fl_complain("%s: an experiment is a JSON object", path);
        cJSON_Delete(spec);
        spec = NULL;
    }
    return spec;
}

static fl_experiment *make_experiment(const char *path, const fl_option *options)
{
    fl_experiment *experiment = NULL;
    fl_error error;
    cJSON *spec = load_spec(path);
    if (spec && lay_over(spec, options)) {
        char *text = cJSON_PrintUnformatted(spec);
        if (!text || fl_experiment_parse(&experiment, text, strlen(text), path ? path : "sweep", &error))
            fl_complain("%s", text ? error.text : "out of memory");
        free(text);
    }
    cJSON_Delete(spec);
    return experiment;
}

/* ---- the output folder ---- */

static const char *const result_files[] = {"sweep.csv", "sweep.json", NULL};

/* Everything that could keep results from being written is found out before the work. */
static bool prepare_folder(const char *folder, bool force)
{
    fl_error error;
    char path[4096];
    if (!*folder)
        return fl_complain("--out needs the name of a folder"), false;
    for (int i = 0; result_files[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, result_files[i]);
        if (!force && fl_file_exists(path))
            return fl_complain("'%s' is there already: choose another --out, or --force to overwrite", path), false;
    }
    if (fl_file_make_folder(folder, &error))
        return fl_complain("%s", error.text), false;
    snprintf(path, sizeof path, "%s/.faultline-can-write", folder);
    static char block[65536];
    fl_status status = fl_file_write(path, block, sizeof block, &error);
    unlink(path);
    if (status)
        return fl_complain("%s", error.text), false;
    return true;
}

/* A disk can fill up during the work: the results then go to a folder for temporary files. */
static int save_elsewhere(const fl_results *results, const fl_error *why)
{
    const char *base = getenv("TMPDIR");
    char folder[4096];
    fl_error error;
    snprintf(folder, sizeof folder, "%s/faultline-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(folder) && fl_results_write(results, folder, &error) == FL_OK)
        return fl_complain("%s; the results are in %s instead", why->text, folder);
    return fl_complain("%s; there was no room in %s either: the results are lost", why->text, base && *base ? base : "/tmp");
}

static int write_files(const fl_results *results, const char *folder, const fl_option *options)
{
    fl_error error;
    if (fl_results_write(results, folder, &error))
        return save_elsewhere(results, &error);
    if (fl_option_value(options, "no-figures"))
        return FL_EXIT_OK;
    if (fl_results_draw(results, folder, fl_option_value(options, "log-y") != NULL, &error)) {
        fl_complain("no figures: %s\n(sweep.csv and sweep.json in %s are complete)", error.text, folder);
        return FL_EXIT_FAILED;
    }
    return FL_EXIT_OK;
}

static int deliver(const fl_results *results, const char *folder, const fl_option *options)
{
    fl_text text = {0};
    int code = FL_EXIT_OK;
    bool quiet = fl_option_value(options, "quiet") != NULL;
    if (folder) {
        code = write_files(results, folder, options);
        if (!quiet)
            fl_results_summary(results, &text);
        if (!quiet && code != FL_EXIT_BAD_INPUT)
            fl_text_append(&text, "written to %s in %.1f s\n", folder, results->wall_seconds);
    } else {
        fl_results_csv(results, &text);
    }
    if (text.data)
        fwrite(text.data, 1, text.length, stdout);
    fl_text_clear(&text);
    return code;
}

/* ---- running ---- */

static void print_notes(const fl_experiment *experiment)
{
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned r = 0; r < experiment->bound[i].router_count; r++)
            if (experiment->bound[i].routers[r]->note[0])
                fprintf(stderr, "note: %s: %s\n", experiment->bound[i].routers[r]->name, experiment->bound[i].routers[r]->note);
}

static int run(const fl_experiment *experiment, unsigned threads, const char *folder, const fl_option *options)
{
    fl_progress progress;
    fl_results *results;
    fl_error error;
    bool quiet = fl_option_value(options, "quiet") != NULL;
    if (!quiet)
        print_notes(experiment);
    fl_interrupt_watch();
    fl_progress_start(&progress, quiet);
    fl_run_options run_options = {.threads = threads, .stop = &fl_interrupted, .progress = fl_progress_show, .user = &progress};
    fl_status status = fl_experiment_run(&results, experiment, &run_options, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain("%s", error.text);
    int code = deliver(results, folder, options);
    if (results->partial) {
        fl_complain("ended early: %llu of %llu trials are in the results, which are marked partial",
                    (unsigned long long)results->counts[0]->trials, (unsigned long long)experiment->trials);
        code = FL_EXIT_INTERRUPTED;
    }
    fl_results_destroy(results);
    return code;
}

static bool read_threads(const fl_option *options, unsigned *out)
{
    const char *text = fl_option_value(options, "threads");
    uint64_t value = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (text && (!fl_text_to_u64(text, &value) || value < 1 || value > FL_SWEEP_THREADS_MAX))
        return fl_complain("--threads %s: expected a whole number from 1 to %d", text, FL_SWEEP_THREADS_MAX), false;
    *out = (unsigned)value;
    return true;
}

int fl_command_sweep(int count, char **arguments)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    const char *path = NULL;
    int plain;
    unsigned threads;
    if (!fl_options_read(options, count, arguments, &path, 1, &plain))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        print_help();
        return FL_EXIT_OK;
    }
    if (!read_threads(options, &threads))
        return FL_EXIT_BAD_INPUT;
    if (!path && !fl_option_value(options, "topology"))
        return fl_complain("what should be swept? Give a spec file, or --topology and --routers; --help tells more");
    const char *folder = fl_option_value(options, "out");
    fl_experiment *experiment = make_experiment(path, options);
    if (!experiment)
        return FL_EXIT_BAD_INPUT;
    int code = folder && !prepare_folder(folder, fl_option_value(options, "force") != NULL)
                   ? FL_EXIT_BAD_INPUT
                   : run(experiment, threads, folder, options);
    fl_experiment_destroy(experiment);
    return code;
}
