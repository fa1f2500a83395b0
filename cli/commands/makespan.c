#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/ranks.h"

#include <stdlib.h>
#include <string.h>

static const fl_option option_table[] = {
    {"workloads", "LIST", "only these of the file's, split by ;", NULL},
    {"threads", "N",
     "runs at a time, under mpirun in each rank (default: all processors, or a rank's share)",
     NULL},
    {"out", "DIR",
     "folder for makespan.csv, makespan.json and figures; without it CSV goes to standard output",
     NULL},
    {"json", NULL, "JSON on standard output, instead of CSV", NULL},
    {"no-figures", NULL, "write no figures", NULL},
    {"log-y", NULL, "logarithmic axis of times", NULL},
    {"force", NULL, "overwrite results in DIR", NULL},
    {"quiet", NULL, "no progress, no summary", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts(
        "How long workloads take on several networks: times over those of the first, and performance over cost.\n\n"
        "usage: faultline makespan SPEC.json [OPTIONS]\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nA spec names networks with their routers, workloads and a preset (experiments/makespan.schema.json);\n"
        "experiments/makespans/ holds published set-ups.\n" FL_PLACES_TEXT "\n\n"
        "examples:\n"
        "  faultline makespan experiments/makespans/thin-trees.json --log-y --out results/thin-trees\n"
        "  faultline makespan experiments/makespans/thin-trees.json --workloads 'BI;W2;W3'\n"
        "  mpirun -n 4 faultline makespan experiments/makespans/thin-trees.json --out results/ranks\n\n"
        "exit codes: 0 done (also if messages were lost), 1 done but figures are missing or results saved elsewhere,\n"
        "2 bad input (nothing done), 130 ended by Ctrl-C (what was done is written and marked partial)");
}

static fl_makespan_spec *read_spec(const char *path, const char *only)
{
    char *text;
    size_t length;
    fl_error error;
    fl_makespan_spec *spec = NULL;
    if (fl_file_read(&text, &length, path, (size_t)1 << 26, &error))
        return fl_complain_of(&error), NULL;
    if (fl_makespan_parse(&spec, text, length, path, only, &error))
        fl_complain_of(&error);
    free(text);
    return spec;
}

static bool prepare_folder(const fl_option *options)
{
    static const char *const files[] = {"makespan.csv",
                                        "makespan.json",
                                        "makespan-times.png",
                                        "makespan-times.svg",
                                        "makespan-levels.png",
                                        "makespan-levels.svg",
                                        NULL};
    static const char *const without_figures[] = {"makespan.csv", "makespan.json", NULL};
    const char *folder = fl_option_value(options, "out");
    if (!fl_check_folder_options(options))
        return false;
    if (!folder)
        return true;
    if (fl_option_value(options, "json"))
        return fl_complain(
                   "--json goes to standard output; with --out there is a JSON file already"),
               false;
    bool figures = !fl_option_value(options, "no-figures");
    return fl_prepare_folder(folder, &(fl_outputs){figures ? files : without_figures, NULL, ""},
                             fl_option_value(options, "force") != NULL);
}

/* ---- delivering ---- */

static void makespan_csv(const void *results, fl_text *out)
{
    fl_makespan_csv(results, out);
}

static void makespan_json(const void *results, fl_text *out)
{
    fl_makespan_json(results, out);
}

static void makespan_summary(const void *results, fl_text *out)
{
    fl_makespan_summary(results, out);
}

static fl_status makespan_write(const void *results, const char *folder, fl_error *error)
{
    return fl_makespan_write(results, folder, error);
}

static fl_status makespan_draw(const void *results, const char *folder, bool log_y, fl_error *error)
{
    return fl_makespan_draw(results, folder, log_y, error);
}

static int deliver(const fl_makespan *makespan, const fl_option *options, const fl_ranks *ranks)
{
    const fl_deliverable what = {
        .results = makespan,
        .name = "makespan",
        .figure_prefix = "makespan-",
        .draws = !(fl_makespan_is_partial(makespan) && ranks), /* see simulate_spec.c */
        .seconds = fl_makespan_seconds(makespan),
        .csv = fl_option_value(options, "json") ? makespan_json : makespan_csv,
        .summary = makespan_summary,
        .write = makespan_write,
        .draw = makespan_draw,
    };
    bool in_place;
    int code = fl_output_deliver_any(&what, options, &in_place);
    if (fl_makespan_is_partial(makespan)) {
        fl_complain("ended early: the results are marked partial");
        return FL_EXIT_INTERRUPTED;
    }
    if (!fl_makespan_is_complete(makespan) && !fl_option_value(options, "quiet"))
        fprintf(
            stderr,
            "note: not all messages of all runs arrived; see the columns complete, stalled and deadlocked\n");
    return code;
}

static int run(const fl_makespan_spec *spec, const fl_option *options, unsigned threads,
               fl_ranks *ranks)
{
    fl_progress progress;
    fl_makespan *makespan;
    fl_error error;
    fl_interrupt_watch();
    fl_progress_start(&progress, fl_option_value(options, "quiet") != NULL || !fl_ranks_lead(ranks),
                      NULL);
    const fl_makespan_options how = {.threads = threads,
                                     .ranks = ranks,
                                     .stop = &fl_interrupted,
                                     .progress = fl_progress_show,
                                     .user = &progress};
    fl_status status = fl_makespan_run(&makespan, spec, &how, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    int code = fl_ranks_lead(ranks) ? deliver(makespan, options, ranks)
                                    : FL_EXIT_OK; /* of rank 0 it is what counts */
    fl_makespan_destroy(makespan);
    return code;
}

static bool all_agree(fl_ranks *ranks, bool ready, const fl_makespan_spec *spec,
                      const fl_option *options)
{
    fl_text asked = {0};
    unsigned first;
    if (ready)
        fl_makespan_describe(spec, &asked);
    bool agree = fl_ranks_agree_on(ranks, ready, "makespan", options, &asked);
    fl_text_clear(&asked);
    return agree &&
           fl_ranks_are_ready(ranks, !fl_ranks_lead(ranks) || prepare_folder(options), &first);
}

static int makespan(int count, char **arguments, fl_ranks *ranks)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    const char *path = NULL;
    int positional;
    unsigned threads;
    if (!fl_options_read(options, count, arguments, &path, 1, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        if (fl_ranks_lead(ranks))
            print_help();
        return FL_EXIT_OK;
    }
    if (positional == 0)
        return fl_complain(
            "which spec? Give its file, e.g. experiments/makespans/thin-trees.json; --help tells more");
    fl_makespan_spec *spec = NULL;
    bool good = fl_ranks_threads(ranks, options, &threads) &&
                (spec = read_spec(path, fl_option_value(options, "workloads"))) != NULL;
    int code = all_agree(ranks, good, spec, options) ? run(spec, options, threads, ranks)
                                                     : FL_EXIT_BAD_INPUT;
    fl_makespan_spec_destroy(spec);
    return code;
}

int fl_command_makespan(int count, char **arguments)
{
    fl_ranks *ranks;
    if (!fl_ranks_open(&ranks))
        return FL_EXIT_BAD_INPUT;
    return fl_ranks_close(ranks, makespan(count, arguments, ranks));
}
