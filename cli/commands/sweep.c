#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/ranks.h"

#include <stdlib.h>
#include <string.h>

static const fl_option option_table[] = {
    {"topology", "NET", "network, e.g. mikant:k=3,n=3 or kary-ntree:k=4,n=3 (see 'faultline list')",
     NULL},
    {"routers", "A,B,...",
     "routers to compare on the same configurations, e.g. shortest,gns+gdl; 'limit' and\n"
     "'minimal-limit' are what no router, and no minimal one, can beat",
     NULL},
    {"faults", "LIST",
     "numbers of faulty parts: 0:135:1 (first:last:step) or 0,10,40 (default: --fault-rate 0:1:0.01)",
     NULL},
    {"fault-rate", "LIST",
     "shares of faulty parts, 0 to 1: 0:1:0.05 or 0.01,0.1; with draw=independent:\n"
     "failure probabilities (default: 0:1:0.01)",
     NULL},
    {"fault-model", "MODEL",
     "what fails: links (default), links:class=cross-links, switches, bundles:size=2,\n"
     "neighbours:size=2, list:LINK;LINK or list:@FILE; draw=independent makes each part\n"
     "fail with the probability given by --fault-rate",
     NULL},
    {"scope", "SCOPE",
     "what a switch knows: detour (the links of its detours, default) or local (its own)", NULL},
    {"trials", "N",
     "pairs and fault orders to sample (default: 100000); each serves every fault count", NULL},
    {"seed", "N", "seed of all random numbers (default: 1)", NULL},
    {"until-ci", "W",
     "go on until the 95% interval of every success ratio has a half-width of at most W,\n"
     "e.g. 0.001; with --trials: or until there are so many",
     NULL},
    {"budget", "TIME", "end after 60s, 5m or 2h with what is done by then", NULL},
    {"shard", "I/N",
     "run the I-th of N parts of the trials only; 'faultline merge' adds the parts up", NULL},
    {"resume", NULL,
     "go on with the unfinished run in DIR, if there is one: a run that was killed, interrupted\n"
     "or out of budget leaves the checkpoint DIR/sweep.checkpoint",
     NULL},
    {"checkpoint", "TIME", "time between two checkpoints (default: 5s)", NULL},
    {"threads", "N",
     "threads (default: all processors); the results do not depend on it. Under mpirun:\n"
     "threads of each rank (default: its share of the processors of its host)",
     NULL},
    {"out", "DIR",
     "write sweep.csv, sweep.json and the figures there (default: CSV to standard output,\n"
     "or the summary if that is a terminal)",
     NULL},
    {"force", NULL, "overwrite the results and the checkpoint in DIR", NULL},
    {"no-figures", NULL, "write no figures", NULL},
    {"log-y", NULL, "logarithmic vertical axes in the figures", NULL},
    {"quiet", NULL, "no progress, no summary; CSV also to a terminal", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts(
        "Success ratio and mean path length against the number of faults, by sampling.\n\n"
        "usage: faultline sweep SPEC.json [OPTIONS]\n"
        "       faultline sweep --topology NET --routers A,B,... [OPTIONS]\n\n"
        "A spec is described by experiments/experiment.schema.json; options given beside it replace its\n"
        "values. Every router sees the same pairs of nodes and the same faults. Intervals are 95%.\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nexamples:\n"
        "  faultline sweep --topology mikant:k=3,n=3 --routers shortest,gns,gns+gdl --faults 0:135:1 --out results/try\n"
        "  faultline sweep experiments/specs/wang-2022-fig8-9.json --trials 1000000 --out results/precise\n"
        "  faultline sweep SPEC.json --until-ci 0.0005 --budget 2h --out results/precise\n"
        "  faultline sweep SPEC.json --trials 1000000000 --resume --out results/long    (again after a crash)\n"
        "  faultline sweep SPEC.json --shard 3/16 --out results/part-3                  (see docs/clusters.md)\n"
        "  faultline merge results/part-* --out results/all\n"
        "  mpirun -n 4 faultline sweep SPEC.json --threads 8 --out results/ranks\n\n"
        "--until-ci ignores the number of trials in a spec, and stops at that of --trials. Threads, ranks,\n"
        "shards and interruptions change nothing: the same trials give the same bytes in sweep.csv.\n\n" FL_PLACES_TEXT
        "\n\n"
        "exit codes: 0 done, 1 done but no figures, or saved elsewhere (DIR is full), 2 bad input (nothing done),\n"
        "130 ended by Ctrl-C (what was done is written and marked partial)");
}

/* ---- what is asked for ---- */

typedef struct job {
    fl_option *options;
    fl_ranks *ranks;
    const char *spec_path, *folder;
    char checkpoint[FL_PATH_MAX], trials[24];
    fl_precision precision;
    fl_experiment *experiment;
    fl_run_options run;
    bool nothing_left; /* to do: the results are there */
} job;

/* Options that mean nothing together, or without another. */
static bool check_combinations(const fl_option *options)
{
    static const struct {
        const char *option, *with, *reason;
    } refused[] =
        {
            {"shard", "until-ci",
             "shards do not know each other's counts; give them a number of trials instead"},
        },
      needed[] = {
          {"resume", "out", "the checkpoint is in that folder"},
          {"checkpoint", "out", "checkpoints are written into that folder"},
      };
    if (!fl_check_folder_options(options))
        return false;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (fl_option_value(options, refused[i].option) &&
            fl_option_value(options, refused[i].with))
            return fl_complain("--%s and --%s do not go together: %s", refused[i].option,
                               refused[i].with, refused[i].reason),
                   false;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (fl_option_value(options, needed[i].option) && !fl_option_value(options, needed[i].with))
            return fl_complain("--%s needs --%s: %s", needed[i].option, needed[i].with,
                               needed[i].reason),
                   false;
    return true;
}

/* --until-ci decides on the number of trials, which is that of the last look. */
static bool read_precision(job *j)
{
    const char *text = fl_option_value(j->options, "until-ci"),
               *most = fl_option_value(j->options, "trials");
    double target;
    uint64_t trials = 0;
    fl_error error;
    if (!text)
        return true;
    if (!fl_text_to_double(text, &target))
        return fl_complain("--until-ci %.80s: expected a half-width such as 0.001", text), false;
    if (most && (!fl_text_to_u64(most, &trials) || trials == 0))
        return fl_complain("--trials %.80s: expected a whole number above 0", most), false;
    if (fl_precision_plan(&j->precision, target, trials, &error))
        return fl_complain_in_option("until-ci", text, &error), false;
    j->run.precision = &j->precision;
    snprintf(j->trials, sizeof j->trials, "%llu",
             (unsigned long long)j->precision.look[j->precision.looks - 1].trials);
    for (fl_option *option = j->options; option->name; option++)
        if (strcmp(option->name, "trials") == 0)
            option->given = j->trials;
    return true;
}

/* I of I/N trials; the first shards have one more when they cannot all be alike. */
static bool read_shard(job *j)
{
    const char *text = fl_option_value(j->options, "shard");
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
        return fl_complain("--shard %.80s: %llu trials cannot be split into so many parts", text,
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
    if (!j->run.resume || fl_option_value(j->options, "force") ||
        fl_output_checkpoint(path, sizeof path, j->folder))
        return false;
    snprintf(path, sizeof path, "%s/sweep.json", j->folder);
    return fl_results_are_complete(path, j->experiment, &j->run) &&
           (fl_option_value(j->options, "no-figures") ||
            fl_output_has_figures(j->folder, j->experiment));
}

/* The folder is rank 0's business. */
static bool prepare_folder(job *j)
{
    if (!j->folder || !fl_ranks_lead(j->ranks))
        return true;
    if (is_finished(j))
        return j->nothing_left = true;
    const fl_experiment *figures_of =
        fl_option_value(j->options, "no-figures") ? NULL : j->experiment;
    const fl_experiment *resumed = j->run.resume ? j->experiment : NULL;
    if (!fl_output_prepare(j->folder, fl_option_value(j->options, "force") != NULL, figures_of,
                           resumed))
        return false;
    fl_output_checkpoint(j->checkpoint, sizeof j->checkpoint, j->folder);
    j->run.checkpoint = j->checkpoint;
    return true;
}

static bool prepare(job *j)
{
    j->folder = fl_option_value(j->options, "out");
    j->run.ranks = j->ranks;
    j->run.resume = fl_option_value(j->options, "resume") != NULL;
    if (!fl_ranks_threads(j->ranks, j->options, &j->run.threads) ||
        !check_combinations(j->options) ||
        !fl_option_seconds(j->options, "budget", &j->run.budget_seconds) ||
        !fl_option_seconds(j->options, "checkpoint", &j->run.checkpoint_seconds) ||
        !read_precision(j))
        return false;
    if (!j->spec_path && !fl_option_value(j->options, "topology"))
        return fl_complain(
                   "what should be swept? Give a spec file, or --topology and --routers; --help tells more"),
               false;
    j->experiment = fl_experiment_from_options(j->spec_path, j->options);
    return j->experiment && read_shard(j);
}

/* All ranks of one mind: first on what is asked, then on rank 0's folder. */
static bool all_agree(job *j, bool ready)
{
    fl_text asked = {0};
    if (ready)
        fl_text_append(&asked, "spec %s\n", j->experiment->canonical);
    bool agree = fl_ranks_agree_on(j->ranks, ready, "sweep", j->options, &asked);
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

/* All sweeps of an experiment have at least so many trials. */
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
        if (!fl_option_value(j->options, "quiet"))
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
    if (fl_ranks_lead(j->ranks) && !fl_option_value(j->options, "quiet"))
        fprintf(
            stderr,
            "nothing is left to do: this run is finished, and its results are in %s (--force runs it again)\n",
            j->folder);
    return FL_EXIT_OK;
}

static int run(job *j)
{
    fl_progress progress;
    fl_results *results;
    fl_error error;
    bool quiet = !fl_ranks_lead(j->ranks) || fl_option_value(j->options, "quiet");
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
    int code = fl_output_deliver(results, j->options, &in_place);
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

static int sweep(int count, char **arguments, fl_ranks *ranks)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    job j = {.options = options, .ranks = ranks};
    int positional;
    if (!fl_options_read(options, count, arguments, &j.spec_path, 1, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        if (fl_ranks_lead(ranks))
            print_help();
        return FL_EXIT_OK;
    }
    bool ready = all_agree(&j, prepare(&j)) && all_are_ready(&j, prepare_folder(&j));
    int code = !ready ? FL_EXIT_BAD_INPUT : j.nothing_left ? leave_files(&j) : run(&j);
    fl_experiment_destroy(j.experiment);
    return code;
}

int fl_command_sweep(int count, char **arguments)
{
    fl_ranks *ranks;
    if (!fl_ranks_open(&ranks))
        return FL_EXIT_BAD_INPUT;
    return fl_ranks_close(ranks, sweep(count, arguments, ranks));
}
