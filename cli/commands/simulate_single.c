/* `simulate` of one curve. */
#include "cli/commands/simulate.h"
#include "cli/ranks.h"

#include <string.h>

typedef struct single {
    const fl_call *call;
    const fl_load_study *study;
    const fl_output_values *output;
    unsigned threads;
} single;

void fl_simulate_print_proof(const fl_sim_plan *plan, const fl_sim_proof *proof, const char *where)
{
    fl_text note = {0};
    fl_sim_note_proof(plan, proof, where, &note);
    if (note.failed)
        fl_complain_memory("a note");
    else if (note.data)
        fputs(note.data, stderr);
    fl_text_clear(&note);
}

static bool prepare_folder(const single *s)
{
    static const char *const files[] = {"simulate.csv",
                                        "simulate.json",
                                        "simulate-latency.png",
                                        "simulate-latency.svg",
                                        "simulate-accepted.png",
                                        "simulate-accepted.svg",
                                        "simulate-series-latency.png",
                                        "simulate-series-latency.svg",
                                        "simulate-series-delivered.png",
                                        "simulate-series-delivered.svg",
                                        "simulate-series-lost.png",
                                        "simulate-series-lost.svg",
                                        NULL};
    static const char *const without_figures[] = {"simulate.csv", "simulate.json", NULL};
    const fl_output_values *output = s->output;
    bool figures = !output->no_figures && !s->study->bound[0].workload;
    return fl_check_output(s->call) &&
           (!output->folder ||
            fl_prepare_folder(output->folder,
                              &(fl_outputs){figures ? files : without_figures, NULL, ""},
                              output->force));
}

/* ---- delivering ---- */

static void simulate_csv(const void *results, fl_text *out)
{
    fl_simulation_csv(results, out);
}

static void simulate_json(const void *results, fl_text *out)
{
    fl_simulation_json(results, out);
}

static void simulate_summary(const void *results, fl_text *out)
{
    fl_simulation_summary(results, out);
}

static void simulate_notes(const void *results, fl_text *out)
{
    fl_simulation_notes(results, out);
}

static fl_status simulate_write(const void *results, const char *folder, fl_error *error)
{
    return fl_simulation_write(results, folder, error);
}

static fl_status simulate_draw(const void *results, const char *folder, bool log_y, fl_error *error)
{
    return fl_simulation_draw(results, folder, log_y, error);
}

static int deliver(const fl_simulation *simulation, const fl_output_values *options)
{
    const fl_deliverable what = {
        .results = simulation,
        .name = "simulate",
        .figure_prefix = "simulate-",
        /* Workloads have none; and mpirun passes Ctrl-C on and kills the ranks a second later: too
           soon for figures. */
        .draws = !fl_sim_plan_set_up(simulation->plan)->workload &&
                 !(simulation->partial && simulation->spec.ranks),
        .seconds = simulation->wall_seconds,
        .csv = simulate_csv,
        .json = simulate_json,
        .summary = simulate_summary,
        .notes = simulate_notes,
        .write = simulate_write,
        .draw = simulate_draw,
    };
    bool in_place;
    int code = fl_output_deliver_any(&what, options, &in_place);
    if (simulation->partial) {
        fl_complain("ended early: the results are marked partial");
        return FL_EXIT_INTERRUPTED;
    }
    return code;
}

/* Without a folder there is no summary: what went wrong in the network is reported all the same. */
static void print_deadlocks(const fl_simulation *simulation, const fl_output_values *options)
{
    size_t count = 0, all = simulation->load_count * simulation->spec.runs;
    for (size_t i = 0; i < all; i++)
        count += simulation->results[i].deadlocked;
    if (count > 0 && !options->folder && !options->quiet)
        fprintf(
            stderr,
            "note: %zu of %zu runs ended in a deadlock; --json and --out show the channels that wait for each other\n",
            count, all);
}

static void print_that_there_are_no_figures(const fl_simulation *simulation,
                                            const fl_output_values *options)
{
    bool wanted = options->folder && !options->no_figures && !options->quiet;
    if (wanted && !fl_sim_plan_set_up(simulation->plan)->workload &&
        !fl_simulation_figure(simulation, 0))
        fprintf(
            stderr,
            "note: no figures: one load is a point, not a curve; give --load several, or --series N for figures over time\n");
}

/* ---- running ---- */

static int simulate(const single *s)
{
    const fl_bound_load *b = &s->study->bound[0];
    const fl_load_curve *curve = &s->study->curves[0];
    const fl_load_values *v = &s->study->spec->curves[0].values;
    fl_ranks *ranks = s->call->ranks;
    fl_progress progress;
    fl_simulation *simulation;
    fl_error error;
    bool quiet = s->output->quiet || !fl_ranks_lead(ranks);
    if (!quiet && b->router->note[0])
        fprintf(stderr, "note: %s: %s\n", b->router->name, b->router->note);
    fl_interrupt_watch();
    if (!quiet)
        fl_simulate_print_proof(b->plans[0], &curve->proof, "");
    fl_progress_start(&progress, quiet, NULL);
    const fl_simulation_spec spec = {
        .set_up = fl_sim_plan_set_up(b->plans[0]),
        .preset = b->preset->name,
        .proof = curve->proof,
        .loads = curve->x,
        .load_count = curve->points,
        .seed = v->seed,
        .runs = v->runs,
        .threads = s->threads,
        .ranks = ranks,
        .find_saturation = v->find_saturation,
        .stop = &fl_interrupted,
        .progress = fl_progress_show,
        .user = &progress,
    };
    fl_status status = fl_simulation_run(&simulation, b->plans[0], &spec, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    int code = FL_EXIT_OK; /* that of rank 0 counts */
    if (fl_ranks_lead(ranks)) {
        print_deadlocks(simulation, s->output);
        print_that_there_are_no_figures(simulation, s->output);
        code = deliver(simulation, s->output);
    }
    fl_simulation_destroy(simulation);
    return code;
}

int fl_simulate_single(const fl_call *call, const fl_load_study *study, bool ready,
                       const fl_output_values *output, unsigned threads)
{
    const single s = {call, study, output, threads};
    fl_text asked = {0};
    unsigned first;
    if (ready)
        fl_sim_plan_describe(study->bound[0].plans[0], &asked);
    bool agree = fl_ranks_agree_on(call, ready, &asked);
    fl_text_clear(&asked);
    bool good =
        agree &&
        fl_ranks_are_ready(call->ranks, !fl_ranks_lead(call->ranks) || prepare_folder(&s), &first);
    return good ? simulate(&s) : FL_EXIT_BAD_INPUT;
}
