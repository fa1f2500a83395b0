/* `exact`: curves without sampling error. */
#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/ranks.h"

#include <stddef.h>
#include <string.h>

typedef struct values {
    char *spec;
    fl_sweep_spec sweep;
    fl_sample_spec sample;
    double budget, tolerance;
    uint64_t states_max;
    bool every_pair;
    unsigned threads;
    fl_output_values output;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {
    {.name = "budget",
     .kind = FL_OPTION_SECONDS,
     .offset = offsetof(values, budget),
     .value = "TIME",
     .help = "time for one router, 60s, 5m or 2h; if it is not enough, rigorous bounds are given; "
             "0: no limit",
     .preset = "60s"},
    {.name = "tolerance",
     .kind = FL_OPTION_NUMBER,
     .offset = offsetof(values, tolerance),
     .value = "WIDTH",
     .help = "bounds as narrow as this at every fault count are good enough",
     .preset = "0.0001"},
    {.name = "max-states",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, states_max),
     .value = "N",
     .help = "branchings of one exploration, about 3 KB each",
     .preset = "1e6",
     .least = 1},
    {.name = "every-pair",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, every_pair),
     .help = "visit every pair of nodes by itself instead of one of each class"},
    {.name = "threads",
     .kind = FL_OPTION_UNSIGNED,
     .offset = offsetof(values, threads),
     .value = "N",
     .help = "routers explored at the same time (default: all processors)",
     .least = 1,
     .most = FL_SWEEP_THREADS_MAX},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("what is worked out", fl_spec_rows, offsetof(values, spec)),
    FL_OPTION_ROWS(NULL, fl_sweep_rows, offsetof(values, sweep)),
    FL_OPTION_ROWS("path lengths of limit", fl_sample_rows, offsetof(values, sample)),
    FL_OPTION_ROWS("the run", rows, 0),
    FL_OPTION_ROWS("output", fl_output_rows, offsetof(values, output)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

static const char *const result_files[] = {"exact.csv", "exact.json", NULL};

FL_DELIVERY(fl_exact)

static int deliver(const fl_exact_results *results, const fl_output_values *options)
{
    const fl_deliverable what = {
        .results = results,
        .name = "exact",
        .figure_prefix = "exact-",
        .draws = true,
        .seconds = results->wall_seconds,
        FL_DELIVERY_FUNCTIONS,
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

static int explore(const fl_experiment *experiment, fl_exact_options *exact,
                   const fl_output_values *options)
{
    fl_progress progress;
    fl_exact_results *results;
    fl_error error;
    bool quiet = options->quiet;
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

static int run(fl_call *call)
{
    const values *v = call->options.values;
    fl_exact_options exact = {.budget = v->budget,
                              .tolerance = v->tolerance,
                              .states_max = v->states_max,
                              .every_pair = v->every_pair,
                              .threads = fl_ranks_threads(NULL, v->threads),
                              .stop = &fl_interrupted};
    if (!fl_check_output(call))
        return FL_EXIT_BAD_INPUT;
    if (!v->spec && !v->sweep.topology)
        return fl_complain("which curve is wanted? Give a spec file, or --topology and --routers; "
                           "--help shows more");
    fl_experiment *experiment = fl_experiment_of(call, v->spec);
    if (!experiment)
        return FL_EXIT_BAD_INPUT;
    const fl_outputs outputs = {result_files, v->output.no_figures ? NULL : experiment, "exact-"};
    int code = v->output.folder && !fl_prepare_folder(v->output.folder, &outputs, v->output.force)
                   ? FL_EXIT_BAD_INPUT
                   : explore(experiment, &exact, &v->output);
    fl_experiment_destroy(experiment);
    return code;
}

const fl_command fl_command_exact = {
    .name = "exact",
    .summary = "the same without sampling error, by following every answer",
    .about =
        "Success ratio and mean path length without sampling error: every answer to every "
        "question that the router asks is followed, over all pairs of nodes.\n\n"
        "The rows are those of sweep, with a column 'method': exact (both ends of the interval "
        "are the value) or bound (the value lies between the ends for certain). The success "
        "ratio of 'limit' is exact, its path lengths are sampled, with 95% intervals: column "
        "'path_method'.",
    .usage = (const char *const[]){"SPEC.json [OPTIONS]", "NET --routers A,B,... [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"spec", "topology", NULL},
    .examples = (const char *const[]){"faultline exact mikant:k=3,n=3 --routers "
                                      "shortest,gns,gns+x-turns+gdl --faults 0:135:1",
                                      "faultline exact experiments/specs/wang-2022-fig8-9.json "
                                      "--out results/exact",
                                      NULL},
    .notes = FL_PLACES_TEXT,
    .exits = "exit codes: 0 done, 1 done but no figures, or saved elsewhere (DIR is full), 2 bad "
             "input (nothing done), 130 ended by Ctrl-C",
    .run = run,
};
