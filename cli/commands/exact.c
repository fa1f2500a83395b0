#include "cli/experiment.h"
#include "cli/output.h"

#include <string.h>

static const fl_option option_table[] = {
    {"topology", "NET", "network, e.g. mikant:k=3,n=3 (see 'faultline list')", NULL},
    {"routers", "A,B,...", "routers, e.g. shortest,gns+x-turns+gdl", NULL},
    {"faults", "LIST", "numbers of faulty parts: 0:135:1 (first:last:step) or 0,10,40", NULL},
    {"fault-rate", "LIST",
     "shares of faulty parts, 0 to 1; with draw=independent: failure probabilities\n"
     "(default: 0:1:0.01)",
     NULL},
    {"fault-model", "MODEL", "what fails (as for sweep)", NULL},
    {"scope", "SCOPE", "what a switch knows: detour (default) or local", NULL},
    {"budget", "TIME",
     "time for one router, 60s, 5m or 2h; if it is not enough, rigorous bounds are given\n"
     "(default: 60s; 0: no limit)",
     NULL},
    {"tolerance", "WIDTH",
     "bounds as narrow as this at every fault count are good enough (default: 0.0001)", NULL},
    {"max-states", "N", "branchings of one exploration, about 3 KB each (default: 1000000)", NULL},
    {"trials", "N",
     "pairs and fault orders to sample for the path lengths of 'limit' (default: 100000)", NULL},
    {"seed", "N", "seed of that sample (default: 1)", NULL},
    {"every-pair", NULL, "visit every pair of nodes by itself instead of one of each class", NULL},
    {"threads", "N", "routers explored at the same time (default: all processors)", NULL},
    {"out", "DIR",
     "write exact.csv, exact.json and the figures there (default: CSV to standard output,\n"
     "or the summary if that is a terminal)",
     NULL},
    {"force", NULL, "overwrite the results in DIR", NULL},
    {"no-figures", NULL, "write no figures", NULL},
    {"log-y", NULL, "logarithmic vertical axes in the figures", NULL},
    {"quiet", NULL, "no progress, no summary; CSV also to a terminal", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static const char *const result_files[] = {"exact.csv", "exact.json", NULL};

static void print_help(void)
{
    puts(
        "Success ratio and mean path length without sampling error: every answer to every question\n"
        "that the router asks is followed, over all pairs of nodes.\n\n"
        "usage: faultline exact SPEC.json [OPTIONS]\n"
        "       faultline exact --topology NET --routers A,B,... [OPTIONS]\n\n"
        "The rows are those of sweep, with a column 'method': exact (both ends of the interval are the\n"
        "value) or bound (the value lies between the ends for certain). The success ratio of 'limit' is\n"
        "exact, its path lengths are sampled, with 95% intervals: column 'path_method'.\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nexamples:\n"
        "  faultline exact --topology mikant:k=3,n=3 --routers shortest,gns,gns+x-turns+gdl --faults 0:135:1\n"
        "  faultline exact experiments/specs/wang-2022-fig8-9.json --out results/exact\n\n" FL_PLACES_TEXT
        "\n\n"
        "exit codes: 0 done, 1 done but no figures, or saved elsewhere (DIR is full), 2 bad input (nothing done),\n130 ended by Ctrl-C");
}

static bool read_positive(const fl_option *options, const char *name, double *value)
{
    const char *text = fl_option_value(options, name);
    if (text && (!fl_text_to_double(text, value) || *value < 0))
        return fl_complain("--%s %.80s: expected a number that is not negative", name, text), false;
    return true;
}

/* A time, or a plain number of seconds. */
static bool read_budget(const fl_option *options, double *seconds)
{
    const char *text = fl_option_value(options, "budget");
    return (text && fl_text_to_double(text, seconds) && *seconds >= 0) ||
           fl_option_seconds(options, "budget", seconds);
}

static bool read_options(const fl_option *options, fl_exact_options *exact)
{
    const char *states = fl_option_value(options, "max-states");
    *exact = (fl_exact_options){
        .budget = 60, .tolerance = 1e-4, .states_max = 1000000, .stop = &fl_interrupted};
    if (states && (!fl_text_to_u64(states, &exact->states_max) || exact->states_max == 0))
        return fl_complain("--max-states %.80s: expected a whole number above 0", states), false;
    exact->every_pair = fl_option_value(options, "every-pair") != NULL;
    return read_budget(options, &exact->budget) &&
           read_positive(options, "tolerance", &exact->tolerance) &&
           fl_threads_from_options(options, &exact->threads);
}

static void exact_csv(const void *results, fl_text *out)
{
    fl_exact_csv(results, out);
}

static void exact_summary(const void *results, fl_text *out)
{
    fl_exact_summary(results, out);
}

static fl_status exact_write(const void *results, const char *folder, fl_error *error)
{
    return fl_exact_write(results, folder, error);
}

static fl_status exact_draw(const void *results, const char *folder, bool log_y, fl_error *error)
{
    return fl_exact_draw(results, folder, log_y, error);
}

static int deliver(const fl_exact_results *results, const fl_option *options)
{
    const fl_deliverable what = {
        .results = results,
        .name = "exact",
        .figure_prefix = "exact-",
        .draws = true,
        .seconds = results->wall_seconds,
        .csv = exact_csv,
        .summary = exact_summary,
        .write = exact_write,
        .draw = exact_draw,
    };
    bool in_place;
    return fl_output_deliver_any(&what, options, &in_place);
}

static void print_left_out(const fl_experiment *experiment)
{
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned r = 0; r < experiment->bound[i].router_count; r++)
            if (!fl_exact_serves(&experiment->bound[i], r))
                fprintf(stderr,
                        "note: %s is left out: exact does not work it out here; use sweep\n",
                        experiment->bound[i].routers[r]->name);
}

static int run(const fl_experiment *experiment, fl_exact_options *exact, const fl_option *options)
{
    fl_progress progress;
    fl_exact_results *results;
    fl_error error;
    bool quiet = fl_option_value(options, "quiet") != NULL;
    if (!quiet) {
        fl_print_notes(experiment);
        print_left_out(experiment);
    }
    fl_interrupt_watch();
    fl_progress_start(&progress, quiet, "routers");
    exact->progress = fl_progress_show;
    exact->user = &progress;
    fl_status status = fl_exact_experiment(&results, experiment, exact, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    int code = deliver(results, options);
    if (results->partial) {
        fl_complain("ended early: routers that were not finished have no rows");
        code = FL_EXIT_INTERRUPTED;
    }
    fl_exact_results_destroy(results);
    return code;
}

int fl_command_exact(int count, char **arguments)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    const char *path = NULL;
    int positional;
    fl_exact_options exact;
    if (!fl_options_read(options, count, arguments, &path, 1, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        print_help();
        return FL_EXIT_OK;
    }
    if (!fl_check_folder_options(options) || !read_options(options, &exact))
        return FL_EXIT_BAD_INPUT;
    if (!path && !fl_option_value(options, "topology"))
        return fl_complain(
            "which curve is wanted? Give a spec file, or --topology and --routers; --help tells more");
    const char *folder = fl_option_value(options, "out");
    fl_experiment *experiment = fl_experiment_from_options(path, options);
    if (!experiment)
        return FL_EXIT_BAD_INPUT;
    fl_outputs outputs = {result_files, fl_option_value(options, "no-figures") ? NULL : experiment,
                          "exact-"};
    int code =
        folder && !fl_prepare_folder(folder, &outputs, fl_option_value(options, "force") != NULL)
            ? FL_EXIT_BAD_INPUT
            : run(experiment, &exact, options);
    fl_experiment_destroy(experiment);
    return code;
}
