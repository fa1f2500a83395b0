/* `makespan`: times of workloads on several networks. */
#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/ranks.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    char *spec, *workloads;
    unsigned threads;
    fl_output_values output;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {
    {.name = "workloads",
     .kind = FL_OPTION_TEXT,
     .offset = offsetof(values, workloads),
     .value = "LIST",
     .help = "only these of the file's, split by ;"},
    {.name = "threads",
     .kind = FL_OPTION_UNSIGNED,
     .offset = offsetof(values, threads),
     .value = "N",
     .help = "runs at a time, under mpirun in each rank (default: all processors, or a rank's "
             "share)",
     .least = 1,
     .most = FL_SWEEP_THREADS_MAX},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("what is run", fl_spec_rows, offsetof(values, spec)),
    FL_OPTION_ROWS(NULL, rows, 0),
    FL_OPTION_ROWS("output", fl_output_rows, offsetof(values, output)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

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

static bool prepare_folder(const fl_call *call, const fl_output_values *output)
{
    static const char *const files[] = {"makespan.csv",
                                        "makespan.json",
                                        "makespan-times.png",
                                        "makespan-times.svg",
                                        "makespan-levels.png",
                                        "makespan-levels.svg",
                                        NULL};
    static const char *const without_figures[] = {"makespan.csv", "makespan.json", NULL};
    if (!fl_check_output(call))
        return false;
    return !output->folder ||
           fl_prepare_folder(output->folder,
                             &(fl_outputs){output->no_figures ? without_figures : files, NULL, ""},
                             output->force);
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

static int deliver(const fl_makespan *makespan, const fl_output_values *options,
                   const fl_ranks *ranks)
{
    const fl_deliverable what = {
        .results = makespan,
        .name = "makespan",
        .figure_prefix = "makespan-",
        .draws = !(fl_makespan_is_partial(makespan) && ranks), /* as in simulate.c */
        .seconds = fl_makespan_seconds(makespan),
        .csv = makespan_csv,
        .json = makespan_json,
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
    if (!fl_makespan_is_complete(makespan) && !options->quiet)
        fprintf(
            stderr,
            "note: not all messages of all runs arrived; see the columns complete, stalled and deadlocked\n");
    return code;
}

static int run_spec(const fl_makespan_spec *spec, const fl_output_values *options, unsigned threads,
                    fl_ranks *ranks)
{
    fl_progress progress;
    fl_makespan *makespan;
    fl_error error;
    fl_interrupt_watch();
    fl_progress_start(&progress, options->quiet || !fl_ranks_lead(ranks), NULL);
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

static bool all_agree(const fl_call *call, bool ready, const fl_makespan_spec *spec)
{
    const values *v = call->options.values;
    fl_text asked = {0};
    unsigned first;
    if (ready)
        fl_makespan_describe(spec, &asked);
    bool agree = fl_ranks_agree_on(call, ready, &asked);
    fl_text_clear(&asked);
    return agree && fl_ranks_are_ready(
                        call->ranks,
                        !fl_ranks_lead(call->ranks) || prepare_folder(call, &v->output), &first);
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    if (!v->spec)
        return fl_complain("which spec? Give its file, e.g. experiments/makespans/thin-trees.json; "
                           "--help shows more");
    fl_makespan_spec *spec = read_spec(v->spec, v->workloads);
    int code =
        all_agree(call, spec != NULL, spec)
            ? run_spec(spec, &v->output, fl_ranks_threads(call->ranks, v->threads), call->ranks)
            : FL_EXIT_BAD_INPUT;
    fl_makespan_spec_destroy(spec);
    return code;
}

const fl_command fl_command_makespan = {
    .name = "makespan",
    .summary = "times of workloads on several networks, and performance over cost",
    .about = "How long workloads take on several networks: times over those of the first, and "
             "performance over cost.\n\n"
             "A spec names networks with their routers, workloads and a preset "
             "(experiments/makespan.schema.json); experiments/makespans/ holds published set-ups.",
    .usage = (const char *const[]){"SPEC.json [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"spec", NULL},
    .examples = (const char *const[]){"faultline makespan experiments/makespans/thin-trees.json "
                                      "--log-y --out results/thin-trees",
                                      "faultline makespan experiments/makespans/thin-trees.json "
                                      "--workloads 'BI;W2;W3'",
                                      "mpirun -n 4 faultline makespan "
                                      "experiments/makespans/thin-trees.json --out results/ranks",
                                      NULL},
    .notes = FL_PLACES_TEXT,
    .exits = "exit codes: 0 done (also if messages were lost), 1 done but figures are missing or "
             "results saved elsewhere, 2 bad input (nothing done), 130 ended by Ctrl-C (what was "
             "done is written and marked partial)",
    .ranked = true,
    .run = run,
};
