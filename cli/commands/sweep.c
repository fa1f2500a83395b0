/* `sweep`: curves against the number of faults, by sampling. */
#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/ranks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    char *spec, *shard;
    fl_sweep_spec sweep;
    fl_sample_spec sample;
    double until_ci, budget, checkpoint;
    unsigned threads;
    bool resume;
    fl_output_values output;
    fl_common_values common;
} values;

static const fl_option_row precision_rows[] = {
    {.name = "until-ci",
     .kind = FL_OPTION_NUMBER,
     .offset = offsetof(values, until_ci),
     .value = "W",
     .help = "go on until the 95% interval of every success ratio has a half-width of at most W, "
             "e.g. 0.001; with --trials: or until that many are done"},
    {.name = "budget",
     .kind = FL_OPTION_SECONDS,
     .offset = offsetof(values, budget),
     .value = "TIME",
     .help = "end after 60s, 5m or 2h with what is done by then",
     .least = 1e-9},
    {0}};

static const fl_option_row run_rows[] = {
    {.name = "shard",
     .kind = FL_OPTION_TEXT,
     .offset = offsetof(values, shard),
     .value = "I/N",
     .help = "run shard I of N of the trials only; 'faultline merge' adds the shards up"},
    {.name = "resume",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, resume),
     .help = "go on with the unfinished run in DIR, if there is one: a run that was killed, "
             "interrupted or out of budget leaves the checkpoint DIR/sweep.checkpoint"},
    {.name = "checkpoint",
     .kind = FL_OPTION_SECONDS,
     .offset = offsetof(values, checkpoint),
     .value = "TIME",
     .help = "time between two checkpoints (default: 5s)",
     .least = 1e-9},
    {.name = "threads",
     .kind = FL_OPTION_UNSIGNED,
     .offset = offsetof(values, threads),
     .value = "N",
     .help = "threads (default: all processors); the results do not depend on it. Under mpirun: "
             "threads of each rank (default: its share of the processors of its host)",
     .least = 1,
     .most = FL_SWEEP_THREADS_MAX},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("what is swept", fl_spec_rows, offsetof(values, spec)),
    FL_OPTION_ROWS(NULL, fl_sweep_rows, offsetof(values, sweep)),
    FL_OPTION_ROWS("sampling", fl_sample_rows, offsetof(values, sample)),
    FL_OPTION_ROWS(NULL, precision_rows, 0),
    FL_OPTION_ROWS("the run", run_rows, 0),
    FL_OPTION_ROWS("output", fl_output_rows, offsetof(values, output)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

/* ---- what is asked for ---- */

typedef struct job {
    fl_call *call;
    values *values;
    fl_ranks *ranks;
    const char *folder;
    char checkpoint[FL_PATH_MAX];
    fl_precision precision;
    fl_experiment *experiment;
    fl_run_options run;
    bool nothing_left; /* to do: the results are there */
} job;

/* Options that mean nothing together, or without another. */
static bool check_combinations(const fl_call *call)
{
    static const fl_option_pair never[] = {
        {"shard", "until-ci",
         "shards do not know each other's counts; give them a number of trials instead"},
        {"force", "resume", "--force overwrites the unfinished run that --resume goes on with"},
        {0}};
    static const fl_option_pair needed[] = {
        {"resume", "out", "the checkpoint is in that folder"},
        {"checkpoint", "out", "checkpoints are written into that folder"},
        {0}};
    return fl_check_output(call) && fl_refuse_pairs(call, never) && fl_need_pairs(call, needed);
}

/* --until-ci decides on the number of trials, which is that of the last look. */
static bool read_precision(job *j)
{
    fl_error error;
    fl_text shown = {0};
    int trials = fl_option_find(j->call->options.groups, "trials", 6, NULL);
    if (!fl_call_given(j->call, "until-ci"))
        return true;
    fl_text_append_double(&shown, j->values->until_ci);
    fl_status status =
        fl_precision_plan(&j->precision, j->values->until_ci,
                          j->call->options.given[trials] ? j->values->sample.trials : 0, &error);
    if (status)
        fl_complain_in_option("until-ci", shown.data, &error);
    fl_text_clear(&shown);
    if (status)
        return false;
    j->run.precision = &j->precision;
    j->values->sample.trials = j->precision.look[j->precision.looks - 1].trials;
    j->call->options.given[trials] = true;
    return true;
}

/* I of I/N trials; the first shards have one more when they cannot all be alike. */
static bool read_shard(job *j)
{
    const char *text = j->values->shard;
    uint64_t shard = 0, shards = 0, trials = j->experiment->trials;
    if (!text)
        return true;
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    char *slash = strchr(copy, '/');
    if (slash)
        *slash = 0;
    if (!slash || strlen(text) >= sizeof copy || !fl_text_to_u64(copy, &shard) ||
        !fl_text_to_u64(slash + 1, &shards) || shard < 1 || shard > shards)
        return fl_complain("--shard %.80s: expected I/N with I from 1 to N, for example 3/16",
                           text),
               false;
    if (shards > trials)
        return fl_complain("--shard %.80s: %llu trials cannot be split into that many parts", text,
                           (unsigned long long)trials),
               false;
    uint64_t each = trials / shards, more = trials % shards, before = shard - 1;
    j->run.trials.first = each * before + (before < more ? before : more);
    j->run.trials.end = j->run.trials.first + each + (before < more);
    return true;
}

/* This very run has come to its end before, and its files are there. A run that was killed while it
 * drew its figures is done again: to the same bytes. */
static bool is_finished(const job *j)
{
    char path[FL_PATH_MAX];
    if (!j->run.resume || j->values->output.force ||
        fl_output_checkpoint(path, sizeof path, j->folder))
        return false;
    snprintf(path, sizeof path, "%s/sweep.json", j->folder);
    return fl_results_are_complete(path, j->experiment, &j->run) &&
           (j->values->output.no_figures || fl_output_has_figures(j->folder, j->experiment));
}

/* The folder is rank 0's business. */
static bool prepare_folder(job *j)
{
    if (!j->folder || !fl_ranks_lead(j->ranks))
        return true;
    if (is_finished(j))
        return j->nothing_left = true;
    const fl_experiment *figures_of = j->values->output.no_figures ? NULL : j->experiment;
    const fl_experiment *resumed = j->run.resume ? j->experiment : NULL;
    if (!fl_output_prepare(j->folder, j->values->output.force, figures_of, resumed))
        return false;
    fl_output_checkpoint(j->checkpoint, sizeof j->checkpoint, j->folder);
    j->run.checkpoint = j->checkpoint;
    return true;
}

static bool prepare(job *j)
{
    const values *v = j->values;
    j->folder = v->output.folder;
    j->run.ranks = j->ranks;
    j->run.resume = v->resume;
    j->run.threads = fl_ranks_threads(j->ranks, v->threads);
    j->run.budget_seconds = v->budget;
    j->run.checkpoint_seconds = v->checkpoint;
    if (!check_combinations(j->call) || !read_precision(j))
        return false;
    if (!v->spec && !v->sweep.topology)
        return fl_complain("what should be swept? Give a spec file, or --topology and --routers; "
                           "--help shows more"),
               false;
    j->experiment = fl_experiment_of(j->call, v->spec);
    return j->experiment && read_shard(j);
}

/* All ranks agree: first on what is asked, then on rank 0's folder. */
static bool all_agree(job *j, bool ready)
{
    fl_text asked = {0};
    if (ready)
        fl_text_append(&asked, "spec %s\n", j->experiment->canonical);
    bool agree = fl_ranks_agree_on(j->call, ready, &asked);
    fl_text_clear(&asked);
    return agree;
}

/* ---- running ---- */

static void print_notes(const job *j)
{
    fl_print_notes(j->experiment);
    if (j->run.precision)
        fprintf(stderr, "note: %llu trials suffice for --until-ci %g, whatever the ratios are%s\n",
                (unsigned long long)fl_precision_most(j->precision.target), j->precision.target,
                fl_precision_most(j->precision.target) > j->experiment->trials
                    ? "; --trials allows fewer"
                    : "");
}

/* The trials that all sweeps of an experiment have. */
static uint64_t trials_of_all(const fl_results *results)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < results->experiment->sweep_count; i++)
        least = results->counts[i]->trials < least ? results->counts[i]->trials : least;
    return least;
}

/* What became of the run, beside its results. */
static int conclude(const job *j, const fl_results *results, int code, bool in_place)
{
    static const char goes_on[] = "; --resume goes on with it";
    unsigned long long done = trials_of_all(results), all = j->experiment->trials;
    if (j->run.trials.end > 0)
        all = j->run.trials.end - j->run.trials.first;
    if (results->partial) {
        fl_complain(
            "ended early: %llu of %llu trials are in the results, which are marked partial%s", done,
            all, j->folder ? goes_on : "");
        return FL_EXIT_INTERRUPTED;
    }
    if (results->stopped_by == FL_STOPPED_BY_BUDGET) {
        if (!j->values->output.quiet)
            fprintf(stderr, "ended by its budget: %llu of %llu trials are in the results%s\n", done,
                    all, j->folder ? goes_on : "");
    } else if (j->folder && in_place) {
        fl_output_end_checkpoint(j->folder);
    }
    return code;
}

/* Exit code of a run that was finished before. */
static int leave_files(const job *j)
{
    if (fl_ranks_lead(j->ranks) && !j->values->output.quiet)
        fprintf(
            stderr,
            "nothing is left to do: this run is finished, and its results are in %s (--force runs it again)\n",
            j->folder);
    return FL_EXIT_OK;
}

static int run_sweep(job *j)
{
    fl_progress progress;
    fl_results *results;
    fl_error error;
    bool quiet = !fl_ranks_lead(j->ranks) || j->values->output.quiet;
    if (!quiet)
        print_notes(j);
    fl_interrupt_watch();
    fl_progress_start(&progress, quiet, "trials");
    j->run.stop = &fl_interrupted;
    j->run.progress = fl_progress_show;
    j->run.warn = fl_progress_warn;
    j->run.user = &progress;
    fl_status status = fl_experiment_run(&results, j->experiment, &j->run, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    if (!fl_ranks_lead(j->ranks))
        return FL_EXIT_OK; /* the code of rank 0 is what counts */
    bool in_place;
    int code = fl_output_deliver(results, &j->values->output, &in_place);
    code = conclude(j, results, code, in_place);
    fl_results_destroy(results);
    return code;
}

static bool all_are_ready(job *j, bool ready)
{
    enum { NOT_READY, READY, READY_AND_NOTHING_LEFT };
    unsigned first;
    bool all = fl_ranks_are_ready(j->ranks,
                                  !ready            ? NOT_READY
                                  : j->nothing_left ? READY_AND_NOTHING_LEFT
                                                    : READY,
                                  &first);
    j->nothing_left = first == READY_AND_NOTHING_LEFT;
    return all;
}

static int run(fl_call *call)
{
    job j = {.call = call, .values = call->options.values, .ranks = call->ranks};
    bool ready = all_agree(&j, prepare(&j)) && all_are_ready(&j, prepare_folder(&j));
    int code = !ready ? FL_EXIT_BAD_INPUT : j.nothing_left ? leave_files(&j) : run_sweep(&j);
    fl_experiment_destroy(j.experiment);
    return code;
}

const fl_command fl_command_sweep = {
    .name = "sweep",
    .summary = "success ratio and path length against the number of faults, by sampling",
    .about = "Success ratio and mean path length against the number of faults, by sampling.\n\n"
             "A spec is described by experiments/experiment.schema.json; options given beside it "
             "replace its values. Every router sees the same pairs of nodes and the same faults. "
             "Intervals are 95%.",
    .usage = (const char *const[]){"SPEC.json [OPTIONS]", "NET --routers A,B,... [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"spec", "topology", NULL},
    .examples =
        (const char *const[]){
            "faultline sweep mikant:k=3,n=3 --routers shortest,gns,gns+gdl --faults 0:135:1 --out "
            "results/try",
            "faultline sweep experiments/specs/wang-2022-fig8-9.json --trials 1e6 --out "
            "results/precise",
            "faultline sweep SPEC.json --until-ci 0.0005 --budget 2h --out results/precise",
            "faultline sweep SPEC.json --trials 1e9 --resume --out results/long",
            "faultline sweep SPEC.json --shard 3/16 --out results/shard-3",
            "faultline merge results/shard-* --out results/all",
            "mpirun -n 4 faultline sweep SPEC.json --threads 8 --out results/ranks", NULL},
    .notes = "--until-ci ignores the number of trials in a spec, and stops at that of --trials. "
             "Threads, ranks, shards and interruptions change nothing: the same trials give the "
             "same bytes in sweep.csv.\n\n" FL_PLACES_TEXT,
    .exits = "exit codes: 0 done, 1 done but no figures, or saved elsewhere (DIR is full), 2 bad "
             "input (nothing done), 130 ended by Ctrl-C (what was done is written and marked "
             "partial)",
    .ranked = true,
    .run = run,
};
