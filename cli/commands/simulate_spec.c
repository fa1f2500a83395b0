#include "cli/commands/simulate.h"
#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONS_MAX = 96, SPEC_BYTES_MAX = 16 << 20 };

/* Options of the run as a whole, which are not a curve's. */
static const char *const of_the_run[] = {
    "workload",   "flit-bytes", "placement", "find-saturation", "threads", "out",  "json",
    "no-figures", "log-y",      "force",     "resume",          "quiet",   "help", NULL};

typedef struct study {
    const fl_option *options;
    size_t option_count;
    const char *folder;
    char checkpoint[FL_PATH_MAX];
    unsigned threads;
    fl_ranks *ranks; /* NULL: this process alone */
    fl_load_results
        *finished; /* NULL, or what the folder holds: this very run has come to its end before */
    fl_load_spec *spec;
    fl_load_curve *curves;
    fl_sim_task **tasks;      /* [curve_count] */
    fl_simulate_bound *bound; /* [bound_count] */
    size_t bound_count, bound_room;
} study;

static bool is_of_the_run(const char *name)
{
    for (int i = 0; of_the_run[i]; i++)
        if (strcmp(of_the_run[i], name) == 0)
            return true;
    return false;
}

static bool read_spec(study *s, const char *path)
{
    const char *names[OPTIONS_MAX + 1] = {0};
    size_t count = 0, length;
    char *text;
    fl_error error;
    for (const fl_option *o = s->options; o->name && count < OPTIONS_MAX; o++)
        if (!is_of_the_run(o->name))
            names[count++] = o->name;
    if (fl_file_read(&text, &length, path, SPEC_BYTES_MAX, &error))
        return fl_complain_of(&error), false;
    fl_status status = fl_load_spec_parse(&s->spec, text, length, path, names, &error);
    free(text);
    return status ? (fl_complain_of(&error), false) : true;
}

/* ---- binding ---- */

/* What holds for a curve: its own settings, what was given on the command line, what the spec says
 * of all. */
static bool options_of(const study *s, unsigned curve, fl_option *out)
{
    memcpy(out, s->options, s->option_count * sizeof *out);
    for (fl_option *o = out; o->name; o++) {
        const char *own = fl_load_spec_setting(&s->spec->curves[curve].settings, o->name);
        const char *common = fl_load_spec_setting(&s->spec->common, o->name),
                   *value = own ? own : common;
        if (is_of_the_run(o->name)) {
            o->given = NULL;
            continue;
        }
        if (own && o->given)
            return fl_complain("--%s cannot be given with this spec: the curve has its own '%s'",
                               o->name, o->name),
                   false;
        if (o->given || !value)
            continue;
        if ((o->value == NULL) != (*value == 0))
            return fl_complain(o->value ? "'%s' needs a value" : "'%s' takes no value but true",
                               o->name),
                   false;
        o->given = value;
    }
    return true;
}

static void set_option(fl_option *options, const char *name, const char *value)
{
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0)
            options->given = value;
}

static fl_simulate_bound *bind_next(study *s, fl_option *options)
{
    if (s->bound_count == s->bound_room) {
        size_t room = 2 * s->bound_room + 16;
        fl_simulate_bound *more = realloc(s->bound, room * sizeof *more);
        if (!more)
            return fl_complain_memory("the runs of a spec"), NULL;
        s->bound = more;
        s->bound_room = room;
    }
    fl_simulate_bound *bound = &s->bound[s->bound_count++];
    return fl_simulate_bind(options, bound) ? bound : NULL;
}

/* Loads, each with so many seeds. */
static bool bind_loads(study *s, unsigned curve, fl_option *options)
{
    const fl_simulate_bound *bound = bind_next(s, options);
    if (!bound)
        return false;
    size_t runs = (size_t)bound->runs;
    fl_sim_task *tasks = s->tasks[curve] = calloc(bound->load_count * runs, sizeof *tasks);
    if (!tasks)
        return fl_complain_memory("the runs of a spec"), false;
    for (size_t i = 0; i < bound->load_count * runs; i++)
        tasks[i] = (fl_sim_task){bound->plan, bound->loads[i / runs], bound->seed + i % runs};
    s->curves[curve] = (fl_load_curve){s->spec->curves[curve].label,
                                       bound->preset,
                                       bound->load_count,
                                       runs,
                                       bound->loads,
                                       tasks,
                                       {0}};
    return true;
}

/* Set i of faults has the same seed at every rate and for every curve, and its traffic too: curves
 * differ in nothing else. */
static bool bind_rates(study *s, unsigned curve, fl_option *options)
{
    const fl_load_spec *spec = s->spec;
    fl_sim_task *tasks = s->tasks[curve] =
        calloc(spec->fault_fault_points * spec->fault_sets, sizeof *tasks);
    if (!tasks)
        return fl_complain_memory("the runs of a spec"), false;
    const char *preset = NULL;
    for (size_t i = 0; i < spec->fault_fault_points * spec->fault_sets; i++) {
        char rate[32], seed[32];
        snprintf(rate, sizeof rate, "%.12f", spec->fault_rates[i / spec->fault_sets]);
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)(i % spec->fault_sets + 1));
        set_option(options, "fault-rate", rate);
        set_option(options, "fault-seed", seed);
        const fl_simulate_bound *bound = bind_next(s, options);
        if (!bound)
            return false;
        if (bound->seed > FL_JSON_U64_MAX - (spec->fault_sets - 1))
            return fl_complain(
                       "'seed' %llu: the %llu sets of faults have this seed and those that follow, up to %llu",
                       (unsigned long long)bound->seed, (unsigned long long)spec->fault_sets,
                       (unsigned long long)FL_JSON_U64_MAX),
                   false;
        if (bound->load_count != 1)
            return fl_complain("with 'fault_rates' a curve has one 'load', not %u",
                               (unsigned)bound->load_count),
                   false;
        tasks[i] = (fl_sim_task){bound->plan, bound->loads[0], bound->seed + i % spec->fault_sets};
        preset = bound->preset;
    }
    s->curves[curve] = (fl_load_curve){spec->curves[curve].label,
                                       preset,
                                       spec->fault_fault_points,
                                       (size_t)spec->fault_sets,
                                       spec->fault_rates,
                                       tasks,
                                       {0}};
    return true;
}

/* Which faults a run has is what the experiment varies. */
static bool check_varied(const study *s)
{
    static const char *const varied[] = {"fail", "faults", "fault-rate", "fault-seed", "runs"};
    for (size_t i = 0; s->spec->fault_rates && i < sizeof varied / sizeof *varied; i++)
        if (fl_option_value(s->options, varied[i]))
            return fl_complain("--%s cannot be given with this spec: it has 'fault_rates'",
                               varied[i]),
                   false;
    if (fl_option_value(s->options, "workload"))
        return fl_complain(
                   "--workload and a spec do not go together: a spec has curves of given loads"),
               false;
    if (fl_option_value(s->options, "find-saturation"))
        return fl_complain(
                   "--find-saturation and a spec do not go together: a spec has curves of given loads"),
               false;
    return fl_check_series_options(s->options);
}

/* A figure over time needs a time series. */
static bool check_series(const study *s)
{
    for (unsigned i = 0; i < s->spec->figure_count; i++)
        for (unsigned c = 0;
             s->spec->figures[i].axis == FL_LOAD_AXIS_CYCLE && c < s->spec->curve_count; c++)
            if (fl_sim_plan_set_up(s->curves[c].tasks->plan)->series == 0)
                return fl_complain(
                           "figure %u is drawn against the cycle: the curves need 'series', the length of its intervals",
                           i + 1),
                       false;
    return true;
}

static bool is_paired(const fl_load_curve *a, const fl_load_curve *b)
{
    bool same = a->points == b->points && a->repeats == b->repeats &&
                memcmp(a->x, b->x, a->points * sizeof *a->x) == 0;
    for (size_t i = 0; same && i < a->repeats; i++)
        same = a->tasks[i].seed == b->tasks[i].seed;
    return same;
}

static const fl_load_curve *curve_named(const study *s, const char *label)
{
    unsigned i = 0;
    while (strcmp(s->curves[i].label, label) != 0)
        i++;
    return &s->curves[i];
}

/* Differences are taken run by run. */
static bool check_differences(const study *s)
{
    for (unsigned i = 0; i < s->spec->figure_count; i++) {
        const fl_load_figure *figure = &s->spec->figures[i];
        unsigned count = figure->curve_count ? figure->curve_count : s->spec->curve_count;
        for (unsigned c = 0; figure->difference_to && c < count; c++) {
            const fl_load_curve *base = curve_named(s, figure->difference_to);
            const fl_load_curve *curve =
                figure->curve_count ? curve_named(s, figure->curves[c]) : &s->curves[c];
            if (!is_paired(curve, base))
                return fl_complain(
                           "figure %u: '%.60s' and '%.60s' of 'difference_to' need the same loads, runs and seeds",
                           i + 1, curve->label, base->label),
                       false;
        }
    }
    return true;
}

static bool bind_curves(study *s)
{
    s->curves = calloc(s->spec->curve_count, sizeof *s->curves);
    s->tasks = calloc(s->spec->curve_count, sizeof *s->tasks);
    if (!s->curves || !s->tasks)
        return fl_complain_memory("the runs of a spec"), false;
    bool good = true;
    for (unsigned i = 0; i < s->spec->curve_count && good; i++) {
        fl_option options[OPTIONS_MAX];
        char place[300];
        snprintf(place, sizeof place, "curve %u (%.200s)", i + 1, s->spec->curves[i].label);
        fl_complain_in(place);
        good = options_of(s, i, options) &&
               (s->spec->fault_rates ? bind_rates : bind_loads)(s, i, options);
        fl_complain_in(NULL);
    }
    return good && check_series(s) && check_differences(s);
}

/* ---- the folder ---- */

static bool prepare_files(const study *s, bool force)
{
    enum { FILES_MAX = 2 * FL_LOAD_FIGURES_MAX + 3 };
    const char *files[FILES_MAX] = {"simulate.csv", "simulate.json"};
    char names[FILES_MAX][160];
    size_t count = 2;
    const char *figure;
    for (unsigned i = 0; !fl_option_value(s->options, "no-figures") &&
                         (figure = fl_load_spec_figure(s->spec, i)) != NULL;
         i++)
        for (int png = 0; png < 2; png++, count++) {
            snprintf(names[count], sizeof names[count], "simulate-%s.%s", figure,
                     png ? "png" : "svg");
            files[count] = names[count];
        }
    return fl_prepare_folder(s->folder, &(fl_outputs){files, NULL, ""}, force);
}

/* With --resume, where there are results and no checkpoint. A file that is not of this very run is
 * not overwritten. */
static bool find_finished(study *s, bool *good)
{
    char path[FL_PATH_MAX + 16];
    fl_error error;
    snprintf(path, sizeof path, "%s/simulate.json", s->folder);
    if (!fl_file_exists(path))
        return false;
    *good = fl_load_read(&s->finished, s->spec, s->curves, path, &error) == FL_OK;
    if (!*good)
        fl_complain("%s: --force overwrites it", error.text);
    return true;
}

static bool prepare_folder(study *s)
{
    bool resume = fl_option_value(s->options, "resume") != NULL,
         force = fl_option_value(s->options, "force") != NULL;
    s->folder = fl_option_value(s->options, "out");
    if (!fl_check_folder_options(s->options))
        return false;
    if (!s->folder)
        return resume ? (fl_complain("--resume needs --out: the unfinished run is in that folder"),
                         false)
                      : true;
    if (fl_option_value(s->options, "json"))
        return fl_complain(
                   "--json goes to standard output; with --out there is a JSON file already"),
               false;
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

static int deliver(const study *s, const fl_load_results *results)
{
    const fl_deliverable what = {
        .results = results,
        .name = "simulate",
        .figure_prefix = "simulate-",
        .seconds = results->wall_seconds,
        .draws = !(results->partial && s->ranks), /* mpirun passes Ctrl-C on and kills the ranks a
                                                     second later: too soon for figures */
        .csv = fl_option_value(s->options, "json") ? curves_json : curves_csv,
        .summary = curves_summary,
        .notes = curves_notes,
        .write = curves_write,
        .draw = curves_draw,
    };
    bool in_place;
    int code = fl_output_deliver_any(&what, s->options, &in_place);
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

static void print_notes(const study *s)
{
    const fl_router *before = NULL;
    for (unsigned i = 0; i < s->spec->curve_count; i++) {
        const fl_router *router = fl_sim_plan_set_up(s->curves[i].tasks->plan)->router;
        if (router->note[0] && (!before || strcmp(before->note, router->note) != 0))
            fprintf(stderr, "note: %s: %s\n", router->name, router->note);
        before = router;
    }
}

/* Of curves against the load: with fault rates every run has faults of its own. */
static bool prove_curves(const study *s)
{
    fl_error error;
    for (unsigned i = 0;
         i < s->spec->curve_count && !s->spec->fault_rates && fl_ranks_lead(s->ranks); i++) {
        fl_load_curve *curve = &s->curves[i];
        if (fl_sim_prove(&curve->proof, curve->tasks->plan, &error))
            return fl_complain_of(&error), false;
    }
    return true;
}

static void print_proofs(const study *s)
{
    for (unsigned i = 0; i < s->spec->curve_count && !s->spec->fault_rates; i++) {
        char where[128];
        snprintf(where, sizeof where, "%.100s: ", s->curves[i].label);
        fl_simulate_print_proof(s->curves[i].tasks->plan, &s->curves[i].proof, where);
    }
}

static int run(const study *s)
{
    fl_progress progress;
    fl_load_results *results;
    fl_error error;
    bool quiet = fl_option_value(s->options, "quiet") != NULL || !fl_ranks_lead(s->ranks);
    if (!quiet)
        print_notes(s);
    fl_interrupt_watch();
    if (!quiet)
        print_proofs(s);
    fl_progress_start(&progress, quiet, "runs");
    for (unsigned i = 0; i < s->spec->curve_count; i++)
        progress.units += s->curves[i].points * s->curves[i].repeats;
    const fl_load_options options = {.threads = s->threads,
                                     .ranks = s->ranks,
                                     .checkpoint = s->folder ? s->checkpoint : NULL,
                                     .stop = &fl_interrupted,
                                     .progress = fl_progress_show,
                                     .warn = fl_progress_warn,
                                     .user = &progress};
    fl_status status = fl_load_run(&results, s->spec, s->curves, &options, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    int code = fl_ranks_lead(s->ranks) ? deliver(s, results)
                                       : FL_EXIT_OK; /* of rank 0 it is what counts */
    fl_load_results_destroy(results);
    return code;
}

/* The results stay as they are; their figures are drawn anew. Exit code. */
static int redraw(const study *s)
{
    fl_error error;
    if (!fl_ranks_lead(s->ranks))
        return FL_EXIT_OK;
    if (!fl_option_value(s->options, "no-figures") &&
        fl_load_draw(s->finished, s->folder, fl_option_value(s->options, "log-y") != NULL, &error))
        return fl_complain("no figures: %s\n(simulate.csv and simulate.json in %s are complete)",
                           error.text, s->folder),
               FL_EXIT_FAILED;
    if (!fl_option_value(s->options, "quiet"))
        fprintf(
            stderr,
            "nothing is left to do: this run is finished, and its results are in %s%s (--force runs it again)\n",
            s->folder,
            fl_option_value(s->options, "no-figures") ? "" : "; its figures are drawn anew");
    return FL_EXIT_OK;
}

/* Rank 0 knows whether anything is left to do. */
static bool all_are_ready(const study *s, bool good, bool *finished)
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
static bool all_agree(const study *s, bool ready)
{
    fl_text asked = {0};
    for (unsigned i = 0; ready && i < s->spec->curve_count; i++) {
        const fl_load_curve *curve = &s->curves[i];
        size_t runs = curve->points * curve->repeats;
        fl_text_append(&asked, "curve %s\n", curve->label);
        fl_sim_plan_describe(curve->tasks->plan, &asked);
        fl_text_append(&asked, "\n%zu runs of curve %s: hash %016llx\n", runs, curve->label,
                       (unsigned long long)fl_sim_tasks_hash(curve->tasks, runs));
    }
    bool agree = fl_ranks_agree_on(s->ranks, ready, "simulate SPEC", s->options, &asked);
    fl_text_clear(&asked);
    return agree;
}

int fl_simulate_spec(const char *path, const fl_option *options, size_t count, fl_ranks *ranks)
{
    study s = {.options = options, .option_count = count, .ranks = ranks};
    bool finished;
    if (count > OPTIONS_MAX)
        return fl_complain("too many options"), FL_EXIT_FAILED;
    bool good = read_spec(&s, path) && check_varied(&s) &&
                fl_ranks_threads(ranks, options, &s.threads) && bind_curves(&s) && prove_curves(&s);
    bool ready = all_agree(&s, good) && all_are_ready(&s, prepare_folder(&s), &finished);
    int code = !ready ? FL_EXIT_BAD_INPUT : finished ? redraw(&s) : run(&s);
    fl_load_results_destroy(s.finished);
    for (size_t i = 0; i < s.bound_count; i++)
        fl_simulate_release(&s.bound[i]);
    for (unsigned i = 0; s.tasks && i < s.spec->curve_count; i++)
        free(s.tasks[i]);
    free(s.bound);
    free(s.tasks);
    free(s.curves);
    fl_load_spec_destroy(s.spec);
    return code;
}
