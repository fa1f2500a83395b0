/* Running a spec of simulations: its folder and checkpoint, its runs, its results. */
#include "cli/commands/load.h"
#include "cli/ranks.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

const fl_option_row fl_load_run_rows[] = {
    {.name = "threads",
     .kind = FL_OPTION_UNSIGNED,
     .offset = offsetof(fl_load_run_values, threads),
     .value = "N",
     .help = "runs at a time, under mpirun in each rank (default: all processors, or a rank's "
             "share)",
     .least = 1,
     .most = FL_SWEEP_THREADS_MAX},
    {.name = "resume",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(fl_load_run_values, resume),
     .help = "go on with the unfinished run of several curves or workloads in DIR, if there is "
             "one; of finished curves, only draw the figures anew"},
    {0}};

bool fl_load_job_bind(fl_load_job *job, const char *name)
{
    fl_error error;
    fl_progress_wait(name);
    fl_status status = fl_load_bind(&job->study, job->spec, &error);
    fl_progress_wait_end();
    if (status)
        job->study = NULL;
    else if (fl_ranks_lead(job->call->ranks)) /* rank 0 prints and writes the notes */
        status = fl_load_study_prove(job->study, &error);
    return status ? (fl_complain_of(&error), false) : true;
}

void fl_load_job_end(fl_load_job *job)
{
    fl_load_results_destroy(job->finished);
    fl_load_study_destroy(job->study);
    fl_load_spec_destroy(job->spec);
}

/* ---- the folder ---- */

static bool prepare_files(const fl_load_job *job, bool force)
{
    enum { FILES_MAX = 2 * FL_LOAD_FIGURES_MAX + 3 };
    const char *files[FILES_MAX] = {NULL}, *figure;
    char names[FILES_MAX][160];
    const fl_output_values *output = &job->values->output;
    size_t count = 0;
    snprintf(names[count++], sizeof *names, "%s.csv", job->what->name);
    snprintf(names[count++], sizeof *names, "%s.json", job->what->name);
    for (unsigned i = 0; !output->no_figures && (figure = fl_load_spec_figure(job->spec, i)); i++) {
        snprintf(names[count++], sizeof *names, "%s%s.svg", job->what->figure_prefix, figure);
        snprintf(names[count++], sizeof *names, "%s%s.png", job->what->figure_prefix, figure);
    }
    for (size_t i = 0; i < count; i++)
        files[i] = names[i];
    return fl_prepare_folder(output->folder, &(fl_outputs){files, NULL, ""}, force);
}

/* With --resume, where there are results and no checkpoint. A file that is not of this very run is
 * not overwritten. */
static bool find_finished(fl_load_job *job, bool *good)
{
    char path[FL_PATH_MAX + 16];
    fl_error error;
    snprintf(path, sizeof path, "%s/%s.json", job->values->output.folder, job->what->name);
    if (job->spec->makespan || !fl_file_exists(path))
        return false;
    *good = fl_load_read(&job->finished, job->spec, job->study->curves, path, &error) == FL_OK;
    if (!*good)
        fl_complain("%s: --force overwrites it", error.text);
    return true;
}

static bool prepare_folder(fl_load_job *job)
{
    static const fl_option_pair never[] = {
        {"force", "resume", "--force overwrites the unfinished run that --resume goes on with"},
        {0}};
    static const fl_option_pair needed[] = {
        {"resume", "out", "the unfinished run is in that folder"}, {0}};
    bool resume = job->values->resume, force = job->values->output.force, good;
    const char *folder = job->values->output.folder;
    if (!fl_check_output(job->call) || !fl_refuse_pairs(job->call, never) ||
        !fl_need_pairs(job->call, needed))
        return false;
    if (!folder || !fl_ranks_lead(job->call->ranks))
        return true;
    snprintf(job->checkpoint, sizeof job->checkpoint, "%s/%s.checkpoint", folder, job->what->name);
    if (!fl_lock_folder(folder))
        return false;
    bool unfinished = fl_file_exists(job->checkpoint);
    if (unfinished && !resume && !force)
        return fl_complain(
                   "'%s' holds an unfinished run: --resume goes on with it, --force overwrites it",
                   job->checkpoint),
               false;
    if (resume && !unfinished && find_finished(job, &good))
        return good;
    if (!prepare_files(job, force || (resume && unfinished)))
        return false;
    if (unfinished && force)
        unlink(job->checkpoint);
    return true;
}

/* ---- delivering ---- */

static int deliver(const fl_load_job *job, const fl_load_results *results)
{
    const char *folder = job->values->output.folder;
    fl_deliverable what = *job->what;
    what.results = results;
    what.seconds = results->wall_seconds;
    /* mpirun passes Ctrl-C on and kills the ranks a second later: too soon for figures */
    what.draws = !(results->partial && job->call->ranks);
    bool in_place;
    int code = fl_output_deliver_any(&what, &job->values->output, &in_place);
    if (results->partial) {
        fl_complain("ended early: the results are marked partial%s",
                    folder ? "; --resume goes on with them" : "");
        return FL_EXIT_INTERRUPTED;
    }
    if (folder && in_place)
        unlink(job->checkpoint);
    return code;
}

/* ---- notes ---- */

static const fl_router *router_of(const fl_load_job *job, unsigned curve)
{
    return fl_sim_plan_set_up(job->study->curves[curve].tasks->plan)->router;
}

/* Each once. */
static void print_notes(const fl_load_job *job)
{
    for (unsigned i = 0; i < job->spec->curve_count; i++) {
        const fl_router *router = router_of(job, i);
        unsigned first = 0;
        while (strcmp(router_of(job, first)->note, router->note) != 0)
            first++;
        if (router->note[0] && first == i)
            fprintf(stderr, "note: %s: %s\n", router->name, router->note);
    }
}

void fl_load_print_proof(const fl_sim_plan *plan, const fl_sim_proof *proof, const char *where)
{
    fl_text note = {0};
    fl_sim_note_proof(plan, proof, where, &note);
    if (note.failed)
        fl_complain_memory("a note");
    else if (note.data)
        fputs(note.data, stderr);
    fl_text_clear(&note);
}

static void print_proofs(const fl_load_job *job)
{
    for (unsigned i = 0; i < job->spec->curve_count && !job->spec->makespan; i++) {
        const fl_load_curve *curve = &job->study->curves[i];
        char where[128];
        if (job->study->bound[i].plan_count > 1)
            continue; /* every run has faults of its own */
        snprintf(where, sizeof where, "%.100s: ", curve->label);
        fl_load_print_proof(curve->tasks->plan, &curve->proof, where);
    }
}

/* ---- running ---- */

static int run_curves(const fl_load_job *job)
{
    fl_ranks *ranks = job->call->ranks;
    fl_progress progress;
    fl_load_results *results;
    fl_error error;
    bool quiet = job->values->output.quiet || !fl_ranks_lead(ranks);
    if (!quiet)
        print_notes(job);
    fl_interrupt_watch();
    if (!quiet)
        print_proofs(job);
    fl_progress_start(&progress, quiet, "runs");
    for (unsigned i = 0; i < job->spec->curve_count; i++)
        progress.units += job->study->curves[i].points * job->study->curves[i].repeats;
    const fl_load_options options = {.threads = job->threads,
                                     .ranks = ranks,
                                     .checkpoint = job->checkpoint[0] ? job->checkpoint : NULL,
                                     .stop = &fl_interrupted,
                                     .progress = fl_progress_show,
                                     .warn = fl_progress_warn,
                                     .user = &progress};
    fl_status status = fl_load_run(&results, job->spec, job->study->curves, &options, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    int code =
        fl_ranks_lead(ranks) ? deliver(job, results) : FL_EXIT_OK; /* that of rank 0 counts */
    fl_load_results_destroy(results);
    return code;
}

/* The results stay as they are; their figures are drawn anew. Exit code. */
static int redraw(const fl_load_job *job)
{
    const fl_output_values *output = &job->values->output;
    fl_error error;
    if (!fl_ranks_lead(job->call->ranks))
        return FL_EXIT_OK;
    if (!output->no_figures && fl_load_draw(job->finished, output->folder, output->log_y, &error))
        return fl_complain("no figures: %s\n(simulate.csv and simulate.json in %s are complete)",
                           error.text, output->folder),
               FL_EXIT_FAILED;
    if (!output->quiet)
        fprintf(
            stderr,
            "nothing is left to do: this run is finished, and its results are in %s%s (--force runs it again)\n",
            output->folder, output->no_figures ? "" : "; its figures are drawn anew");
    return FL_EXIT_OK;
}

/* Rank 0 knows whether anything is left to do. */
static bool all_are_ready(const fl_load_job *job, bool good, bool *finished)
{
    enum { NOT_READY, READY, READY_AND_FINISHED };
    unsigned first;
    bool all = fl_ranks_are_ready(job->call->ranks,
                                  !good           ? NOT_READY
                                  : job->finished ? READY_AND_FINISHED
                                                  : READY,
                                  &first);
    *finished = first == READY_AND_FINISHED;
    return all;
}

/* Lines of every curve, to name what differs, and a hash of all runs. */
static bool all_agree(const fl_load_job *job, bool ready)
{
    fl_text asked = {0};
    for (unsigned i = 0; ready && i < job->spec->curve_count; i++) {
        const fl_load_curve *curve = &job->study->curves[i];
        fl_text_append(&asked, "curve %s\n", curve->label);
        fl_sim_plan_describe(curve->tasks->plan, &asked);
        fl_text_append(&asked, "\ncurve %s: ", curve->label);
        fl_sim_tasks_append(curve->tasks, curve->points * curve->repeats, &asked);
        fl_text_append(&asked, "\n");
    }
    bool agree = fl_ranks_agree_on(job->call, ready, &asked);
    fl_text_clear(&asked);
    return agree;
}

int fl_load_job_run(fl_load_job *job, bool ready)
{
    bool finished;
    if (!all_agree(job, ready) || !all_are_ready(job, prepare_folder(job), &finished))
        return FL_EXIT_BAD_INPUT;
    return finished ? redraw(job) : run_curves(job);
}
