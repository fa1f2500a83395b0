/* `simulate`: curves under load. */
#include "cli/commands/simulate.h"
#include "cli/experiment.h"
#include "cli/ranks.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct values {
    char *spec;
    fl_load_values load;
    unsigned threads;
    bool resume;
    fl_output_values output;
    fl_common_values common;
} values;

static const fl_option_row run_rows[] = {
    {.name = "threads",
     .kind = FL_OPTION_UNSIGNED,
     .offset = offsetof(values, threads),
     .value = "N",
     .help = "runs at a time, under mpirun in each rank (default: all processors, or a rank's "
             "share)",
     .least = 1,
     .most = FL_SWEEP_THREADS_MAX},
    {.name = "resume",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, resume),
     .help = "go on with the unfinished run of several curves in DIR, if there is one; of a "
             "finished one, only draw its figures anew"},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("spec", fl_spec_rows, offsetof(values, spec)),
    FL_OPTION_GROUPS(fl_load_groups, offsetof(values, load)),
    FL_OPTION_ROWS("the work", run_rows, 0),
    FL_OPTION_ROWS("output", fl_output_rows, offsetof(values, output)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

static void append_lists(fl_text *out)
{
    unsigned width = fl_help_width();
    fl_text_append(out, "\npresets:\n");
    for (const fl_sim_preset *p = fl_sim_presets; p->name; p++)
        fl_help_item(p->name, p->summary, 24, width, out);
    fl_text_append(out, "\ntraffic:\n");
    for (const fl_sim_traffic_help *t = fl_sim_traffics; t->name; t++)
        fl_help_item(t->name, t->summary, 24, width, out);
    fl_text_append(out, "\nworkloads:\n");
    for (const fl_sim_workload_help *w = fl_sim_workloads; w->name; w++)
        fl_help_item(w->name, w->summary, 24, width, out);
}

typedef struct job {
    const fl_call *call;
    const values *values;
    const char *folder;
    char checkpoint[FL_PATH_MAX];
    unsigned threads;
    fl_ranks *ranks; /* NULL: this process alone */
    fl_load_spec *spec;
    fl_load_study *study;
    /* NULL, or what the folder holds: this very run has come to its end before */
    fl_load_results *finished;
} job;

/* ---- what is asked ---- */

static bool read_spec(job *s)
{
    const values *v = s->values;
    fl_error error;
    if (!v->spec && !v->load.topology)
        return fl_complain(
                   "which network? Give --topology, e.g. --topology mikant:k=3,n=3; --help shows more"),
               false;
    if (!v->spec && v->load.routers.count == 0)
        return fl_complain("which router? Give --routers; --help shows more"), false;
    cJSON *json = v->spec ? fl_spec_load(v->spec) : NULL;
    if (v->spec && !json)
        return false;
    fl_status status = fl_load_spec_read(&s->spec, json, v->spec, &s->call->options, &error);
    cJSON_Delete(json);
    return status ? (s->spec = NULL, fl_complain_of(&error), false) : true;
}

static bool is_single(const job *s)
{
    return !s->values->spec && s->spec && fl_load_is_single(s->spec);
}

static bool check(const job *s)
{
    static const fl_option_pair never[] = {
        {"workload", "spec", "a spec has curves of given loads"},
        {"find-saturation", "spec", "a spec has curves of given loads"},
        {0}};
    if (!fl_refuse_pairs(s->call, never))
        return false;
    if (fl_call_given(s->call, "workload") && s->values->output.log_y)
        return fl_complain("--log-y belongs to open traffic: a workload has no figures"), false;
    if (s->values->resume && is_single(s))
        return fl_complain("--resume belongs to several curves: a single simulation begins anew"),
               false;
    return true;
}

/* A time series asked for on the command line needs a place. */
static bool check_series(const job *s)
{
    if (fl_call_given(s->call, "series") && !s->values->output.folder && !s->values->output.json)
        return fl_complain("--series is recorded in the JSON: give --out or --json too"), false;
    return true;
}

static bool bind(job *s)
{
    fl_error error;
    const char *waits = s->values->spec ? s->values->spec : s->values->load.topology;
    fl_progress_wait(waits);
    fl_status status = fl_load_bind(&s->study, s->spec, &error);
    fl_progress_wait_end();
    if (status)
        s->study = NULL;
    else if (fl_ranks_lead(s->ranks)) /* rank 0 prints and writes the notes */
        status = fl_load_study_prove(s->study, &error);
    return status ? (fl_complain_of(&error), false) : true;
}

/* ---- the folder ---- */

static bool prepare_files(const job *s, bool force)
{
    enum { FILES_MAX = 2 * FL_LOAD_FIGURES_MAX + 3 };
    const char *files[FILES_MAX] = {"simulate.csv", "simulate.json"};
    char names[FILES_MAX][160];
    size_t count = 2;
    const char *figure;
    for (unsigned i = 0;
         !s->values->output.no_figures && (figure = fl_load_spec_figure(s->spec, i)) != NULL; i++)
        for (int png = 0; png < 2; png++, count++) {
            snprintf(names[count], sizeof names[count], "simulate-%s.%s", figure,
                     png ? "png" : "svg");
            files[count] = names[count];
        }
    return fl_prepare_folder(s->folder, &(fl_outputs){files, NULL, ""}, force);
}

/* With --resume, where there are results and no checkpoint. A file that is not of this very run is
 * not overwritten. */
static bool find_finished(job *s, bool *good)
{
    char path[FL_PATH_MAX + 16];
    fl_error error;
    snprintf(path, sizeof path, "%s/simulate.json", s->folder);
    if (!fl_file_exists(path))
        return false;
    *good = fl_load_read(&s->finished, s->spec, s->study->curves, path, &error) == FL_OK;
    if (!*good)
        fl_complain("%s: --force overwrites it", error.text);
    return true;
}

static bool prepare_folder(job *s)
{
    static const fl_option_pair never[] = {
        {"force", "resume", "--force overwrites the unfinished run that --resume goes on with"},
        {0}};
    static const fl_option_pair needed[] = {
        {"resume", "out", "the unfinished run is in that folder"}, {0}};
    bool resume = s->values->resume, force = s->values->output.force;
    s->folder = s->values->output.folder;
    if (!fl_check_output(s->call) || !fl_refuse_pairs(s->call, never) ||
        !fl_need_pairs(s->call, needed))
        return false;
    if (!s->folder)
        return true;
    if (!fl_ranks_lead(s->ranks))
        return true;
    snprintf(s->checkpoint, sizeof s->checkpoint, "%s/simulate.checkpoint", s->folder);
    if (!fl_lock_folder(s->folder))
        return false;
    bool unfinished = fl_file_exists(s->checkpoint);
    if (unfinished && !resume && !force)
        return fl_complain(
                   "'%s' holds an unfinished run: --resume goes on with it, --force overwrites it",
                   s->checkpoint),
               false;
    bool good;
    if (resume && !unfinished && find_finished(s, &good))
        return good;
    if (!prepare_files(s, force || (resume && unfinished)))
        return false;
    if (unfinished && force)
        unlink(s->checkpoint);
    return true;
}

/* ---- delivering ---- */

static void curves_csv(const void *results, fl_text *out)
{
    fl_load_csv(results, out);
}

static void curves_json(const void *results, fl_text *out)
{
    fl_load_json(results, out);
}

static void curves_summary(const void *results, fl_text *out)
{
    fl_load_summary(results, out);
}

static void curves_notes(const void *results, fl_text *out)
{
    fl_load_notes(results, out);
}

static fl_status curves_write(const void *results, const char *folder, fl_error *error)
{
    return fl_load_write(results, folder, error);
}

static fl_status curves_draw(const void *results, const char *folder, bool log_y, fl_error *error)
{
    return fl_load_draw(results, folder, log_y, error);
}

static int deliver(const job *s, const fl_load_results *results)
{
    const fl_deliverable what = {
        .results = results,
        .name = "simulate",
        .figure_prefix = "simulate-",
        .seconds = results->wall_seconds,
        .draws = !(results->partial && s->ranks), /* mpirun passes Ctrl-C on and kills the ranks a
                                                     second later: too soon for figures */
        .csv = curves_csv,
        .json = curves_json,
        .summary = curves_summary,
        .notes = curves_notes,
        .write = curves_write,
        .draw = curves_draw,
    };
    bool in_place;
    int code = fl_output_deliver_any(&what, &s->values->output, &in_place);
    if (results->partial) {
        fl_complain("ended early: the results are marked partial%s",
                    s->folder ? "; --resume goes on with them" : "");
        return FL_EXIT_INTERRUPTED;
    }
    if (s->folder && in_place)
        unlink(s->checkpoint);
    return code;
}

/* ---- running ---- */

static void print_notes(const job *s)
{
    const fl_router *before = NULL;
    for (unsigned i = 0; i < s->spec->curve_count; i++) {
        const fl_router *router = fl_sim_plan_set_up(s->study->curves[i].tasks->plan)->router;
        if (router->note[0] && (!before || strcmp(before->note, router->note) != 0))
            fprintf(stderr, "note: %s: %s\n", router->name, router->note);
        before = router;
    }
}

static void print_proofs(const job *s)
{
    for (unsigned i = 0; i < s->spec->curve_count; i++) {
        char where[128];
        if (s->study->bound[i].plan_count > 1)
            continue; /* every run has faults of its own */
        snprintf(where, sizeof where, "%.100s: ", s->study->curves[i].label);
        fl_simulate_print_proof(s->study->curves[i].tasks->plan, &s->study->curves[i].proof, where);
    }
}

static int run_curves(const job *s)
{
    fl_progress progress;
    fl_load_results *results;
    fl_error error;
    bool quiet = s->values->output.quiet || !fl_ranks_lead(s->ranks);
    if (!quiet)
        print_notes(s);
    fl_interrupt_watch();
    if (!quiet)
        print_proofs(s);
    fl_progress_start(&progress, quiet, "runs");
    for (unsigned i = 0; i < s->spec->curve_count; i++)
        progress.units += s->study->curves[i].points * s->study->curves[i].repeats;
    const fl_load_options options = {.threads = s->threads,
                                     .ranks = s->ranks,
                                     .checkpoint = s->folder ? s->checkpoint : NULL,
                                     .stop = &fl_interrupted,
                                     .progress = fl_progress_show,
                                     .warn = fl_progress_warn,
                                     .user = &progress};
    fl_status status = fl_load_run(&results, s->spec, s->study->curves, &options, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    int code =
        fl_ranks_lead(s->ranks) ? deliver(s, results) : FL_EXIT_OK; /* that of rank 0 counts */
    fl_load_results_destroy(results);
    return code;
}

/* The results stay as they are; their figures are drawn anew. Exit code. */
static int redraw(const job *s)
{
    fl_error error;
    if (!fl_ranks_lead(s->ranks))
        return FL_EXIT_OK;
    if (!s->values->output.no_figures &&
        fl_load_draw(s->finished, s->folder, s->values->output.log_y, &error))
        return fl_complain("no figures: %s\n(simulate.csv and simulate.json in %s are complete)",
                           error.text, s->folder),
               FL_EXIT_FAILED;
    if (!s->values->output.quiet)
        fprintf(
            stderr,
            "nothing is left to do: this run is finished, and its results are in %s%s (--force runs it again)\n",
            s->folder, s->values->output.no_figures ? "" : "; its figures are drawn anew");
    return FL_EXIT_OK;
}

/* Rank 0 knows whether anything is left to do. */
static bool all_are_ready(const job *s, bool good, bool *finished)
{
    enum { NOT_READY, READY, READY_AND_FINISHED };
    unsigned first;
    bool all = fl_ranks_are_ready(s->ranks,
                                  !good         ? NOT_READY
                                  : s->finished ? READY_AND_FINISHED
                                                : READY,
                                  &first);
    *finished = first == READY_AND_FINISHED;
    return all;
}

/* Lines of every curve, to name what differs, and a hash of all runs. */
static bool all_agree(const job *s, bool ready)
{
    fl_text asked = {0};
    for (unsigned i = 0; ready && i < s->spec->curve_count; i++) {
        const fl_load_curve *curve = &s->study->curves[i];
        size_t runs = curve->points * curve->repeats;
        fl_text_append(&asked, "curve %s\n", curve->label);
        fl_sim_plan_describe(curve->tasks->plan, &asked);
        fl_text_append(&asked, "\n%zu runs of curve %s: hash %016llx\n", runs, curve->label,
                       (unsigned long long)fl_sim_tasks_hash(curve->tasks, runs));
    }
    bool agree = fl_ranks_agree_on(s->call, ready, &asked);
    fl_text_clear(&asked);
    return agree;
}

static int simulate(job *s)
{
    bool finished, good = read_spec(s) && check(s) && bind(s) && check_series(s);
    if (is_single(s))
        return fl_simulate_single(s->call, s->study, good, &s->values->output, s->threads);
    bool ready = all_agree(s, good) && all_are_ready(s, prepare_folder(s), &finished);
    return !ready ? FL_EXIT_BAD_INPUT : finished ? redraw(s) : run_curves(s);
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    job s = {.call = call,
             .values = v,
             .ranks = call->ranks,
             .threads = fl_ranks_threads(call->ranks, v->threads)};
    int code = simulate(&s);
    fl_load_results_destroy(s.finished);
    fl_load_study_destroy(s.study);
    fl_load_spec_destroy(s.spec);
    return code;
}

const fl_command fl_command_simulate = {
    .name = "simulate",
    .summary = "latency and accepted load against offered load, packet by packet",
    .about =
        "Latency and accepted load against offered load: every packet, cycle by cycle.\n\n"
        "Several routers make several curves. A spec has several curves, and figures of them "
        "(experiments/simulation.schema.json); options given beside it replace what it says of "
        "all its curves. A load that the network does not carry is saturated: its latency "
        "would grow without end, and is left out.",
    .usage = (const char *const[]){"NET --routers A,B,... [OPTIONS]", "SPEC.json [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"spec", "topology", NULL},
    .more = append_lists,
    .examples =
        (const char *const[]){
            "faultline simulate kary-ntree:k=4,n=3 --routers minimal-adaptive --steady --cycles 2e4 "
            "--load 0.1:0.5:0.1",
            "faultline simulate mikant:k=4,n=5 --routers shortest --preset mikant2018 --out "
            "results/mikant",
            "faultline simulate mikant:k=3,n=3 --routers gns+gdl@phase:3 --faults 10 --steady "
            "--cycles 2e4 --find-saturation",
            "faultline simulate mikant:k=3,n=3 --routers gns@turns:3,gns+gdl@turns:3 --faults 5 "
            "--fault-sets 20 --steady --cycles 5000 --load 0.05:0.3:0.05 --out results/sets",
            "faultline simulate experiments/specs/under-load/mikant-2018-fig9-12.json --out "
            "results/fig9-12",
            "mpirun -n 4 faultline simulate SPEC.json --out results/ranks",
            "faultline simulate thintree:k=8,up=4,n=3 --routers minimal-adaptive --preset thintree "
            "--workload BU",
            NULL},
    .notes = FL_PLACES_TEXT,
    .exits =
        "exit codes: 0 done (also if saturated or deadlocked), 1 done but figures are missing "
        "or results saved elsewhere, 2 bad input (nothing done), 130 ended by Ctrl-C (what was "
        "done is written and marked partial)",
    .ranked = true,
    .run = run,
};
