#include "cli/experiment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const fl_option option_table[] = {
    {"topology", "NET", "network, e.g. mikant:k=3,n=3 or kary-ntree:k=4,n=3 (see 'faultline list')", NULL},
    {"routers", "A,B,...", "routers to compare on the same configurations, e.g. shortest,gns+gdl; 'limit' and\n"
                           "'minimal-limit' are what no router, and no minimal one, can beat", NULL},
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

/* ---- the output folder ---- */

static const char *const result_files[] = {"sweep.csv", "sweep.json", NULL};

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

static int run(const fl_experiment *experiment, unsigned threads, const char *folder, const fl_option *options)
{
    fl_progress progress;
    fl_results *results;
    fl_error error;
    bool quiet = fl_option_value(options, "quiet") != NULL;
    if (!quiet)
        fl_print_notes(experiment);
    fl_interrupt_watch();
    fl_progress_start(&progress, quiet, "trials");
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
    if (!fl_threads_from_options(options, &threads))
        return FL_EXIT_BAD_INPUT;
    if (!path && !fl_option_value(options, "topology"))
        return fl_complain("what should be swept? Give a spec file, or --topology and --routers; --help tells more");
    const char *folder = fl_option_value(options, "out");
    fl_experiment *experiment = fl_experiment_from_options(path, options);
    if (!experiment)
        return FL_EXIT_BAD_INPUT;
    int code = folder && !fl_prepare_folder(folder, result_files, fl_option_value(options, "force") != NULL)
                   ? FL_EXIT_BAD_INPUT
                   : run(experiment, threads, folder, options);
    fl_experiment_destroy(experiment);
    return code;
}
