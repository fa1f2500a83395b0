#include "cli/experiment.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const fl_option option_table[] = {
    {"out", "DIR",
     "write sweep.csv, sweep.json and the figures there (default: CSV to standard output,\n"
     "or the summary if that is a terminal)",
     NULL},
    {"force", NULL, "overwrite the results in DIR", NULL},
    {"no-figures", NULL, "write no figures", NULL},
    {"log-y", NULL, "logarithmic vertical axes in the figures", NULL},
    {"quiet", NULL, "no summary; CSV also to a terminal", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts(
        "Adds up the results of 'faultline sweep --shard', as if all trials had been run at once.\n\n"
        "usage: faultline merge DIR_OR_JSON... [OPTIONS]\n\n"
        "Each is a folder that --out has written, or the sweep.json in it. They must be of one experiment (the same\n"
        "spec_hash) and version. Trials that are in two of them are refused; trials that are in none make the result\n"
        "partial, and are named. Sums can be merged again, in any order.\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nexamples:\n"
        "  faultline merge results/part-* --out results/all\n"
        "  faultline merge results/monday/sweep.json results/tuesday --out results/both --no-figures\n\n"
        "exit codes: 0 done, 1 done but no figures, or saved elsewhere (DIR is full), 2 bad input (nothing done)");
}

/* The JSON file that an argument stands for; the caller frees it. */
static char *path_of(const char *argument)
{
    struct stat info;
    fl_text path = {0};
    bool folder = stat(argument, &info) == 0 && S_ISDIR(info.st_mode);
    fl_text_append(&path, "%s%s", argument, folder ? "/sweep.json" : "");
    return path.data;
}

static int merge_files(const char *const *paths, size_t count, const fl_option *options)
{
    const char *folder = fl_option_value(options, "out");
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
        fl_output_prepare(folder, fl_option_value(options, "force") != NULL,
                          fl_option_value(options, "no-figures") ? NULL : experiment, NULL))
        code = fl_output_deliver(results, options, &in_place);
    fl_results_gaps(results, &gaps);
    if (gaps.data && code != FL_EXIT_BAD_INPUT)
        fl_complain("the result is marked partial: it lacks %s", gaps.data);
    fl_text_clear(&gaps);
    fl_results_destroy(results);
    fl_experiment_destroy(experiment);
    return code;
}

static int merge(const char *const *arguments, size_t count, const fl_option *options)
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

static int read_and_merge(int count, char **arguments, const char **positional)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    int files;
    if (!fl_options_read(options, count, arguments, positional, count, &files))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        print_help();
        return FL_EXIT_OK;
    }
    if (!fl_check_folder_options(options))
        return FL_EXIT_BAD_INPUT;
    if (files == 0)
        return fl_complain(
            "what should be merged? Give folders that 'faultline sweep --out' has written; --help tells more");
    return merge(positional, (size_t)files, options);
}

int fl_command_merge(int count, char **arguments)
{
    const char **positional = calloc((size_t)count + 1, sizeof *positional);
    int code = positional ? read_and_merge(count, arguments, positional)
                          : fl_complain_memory("names of files");
    free(positional);
    return code;
}
