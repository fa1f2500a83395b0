/* `merge`: adds up the results of shards. */
#include "cli/output.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct values {
    fl_output_values output;
    fl_common_values common;
} values;

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("output", fl_output_rows, offsetof(values, output)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

/* The JSON file that an argument stands for; the caller frees it. */
static char *path_of(const char *argument)
{
    struct stat info;
    fl_text path = {0};
    bool folder = stat(argument, &info) == 0 && S_ISDIR(info.st_mode);
    fl_text_append(&path, "%s%s", argument, folder ? "/sweep.json" : "");
    return path.data;
}

static int merge_files(const char *const *paths, size_t count, const fl_output_values *options)
{
    const char *folder = options->folder;
    fl_results *results;
    fl_experiment *experiment;
    fl_error error;
    fl_text gaps = {0};
    fl_status status = fl_results_merge(&results, &experiment, paths, count, &error);
    if (status)
        return fl_complain_of(&error);
    bool in_place;
    int code = FL_EXIT_BAD_INPUT;
    if (!folder ||
        fl_output_prepare(folder, options->force, options->no_figures ? NULL : experiment, NULL))
        code = fl_output_deliver(results, options, &in_place);
    fl_results_gaps(results, &gaps);
    if (gaps.data && code != FL_EXIT_BAD_INPUT)
        fl_complain("the result is marked partial: it lacks %s", gaps.data);
    fl_text_clear(&gaps);
    fl_results_destroy(results);
    fl_experiment_destroy(experiment);
    return code;
}

static int merge(const char *const *arguments, size_t count, const fl_output_values *options)
{
    char **paths = calloc(count, sizeof *paths);
    bool good = paths != NULL;
    for (size_t i = 0; i < count && good; i++)
        good = (paths[i] = path_of(arguments[i])) != NULL;
    int code = good ? merge_files((const char *const *)paths, count, options)
                    : fl_complain_memory("names of files");
    for (size_t i = 0; i < count && paths; i++)
        free(paths[i]);
    free(paths);
    return code;
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    if (!fl_check_output(call))
        return FL_EXIT_BAD_INPUT;
    if (call->argument_count == 0)
        return fl_complain("what should be merged? Give folders that 'faultline sweep --out' has "
                           "written; --help shows more");
    return merge(call->arguments, call->argument_count, &v->output);
}

const fl_command fl_command_merge = {
    .name = "merge",
    .summary = "adds up the results of shards",
    .about =
        "Adds up the results of 'faultline sweep --shard', as if all trials had been run at "
        "once.\n\n"
        "Each argument is a folder that --out has written, or the sweep.json in it. They must "
        "be of one experiment (the same spec_hash) and version. Trials that are in two of them "
        "are refused; trials that are in none make the result partial, and are named. Sums can "
        "be merged again, in any order.",
    .usage = (const char *const[]){"DIR_OR_JSON... [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .argument = "DIR_OR_JSON",
    .arguments_max = UINT_MAX,
    .examples = (const char *const[]){"faultline merge results/part-* --out results/all",
                                      "faultline merge results/monday/sweep.json results/tuesday "
                                      "--out results/both --no-figures",
                                      NULL},
    .exits = "exit codes: 0 done, 1 done but no figures, or saved elsewhere (DIR is full), 2 bad "
             "input (nothing done)",
    .run = run,
};
