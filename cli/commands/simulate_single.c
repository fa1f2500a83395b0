/* `simulate` of one curve. */
#include "cli/commands/load.h"
#include "cli/ranks.h"

static bool prepare_folder(const fl_load_job *job)
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
    const fl_output_values *output = &job->values->output;
    bool figures = !output->no_figures && !job->study->bound[0].workload;
    return fl_check_output(job->call) &&
           (!output->folder ||
            fl_prepare_folder(output->folder,
                              &(fl_outputs){figures ? files : without_figures, NULL, ""},
                              output->force));
}

/* ---- delivering ---- */

FL_DELIVERY(fl_simulation)

static void notes(const void *results, fl_text *out)
{
    fl_simulation_notes(results, out);
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
        .notes = notes,
        FL_DELIVERY_FUNCTIONS,
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

static int simulate(const fl_load_job *job)
{
    const fl_bound_load *b = &job->study->bound[0];
    const fl_load_curve *curve = &job->study->curves[0];
    const fl_load_values *v = &job->spec->curves[0].values;
    const fl_output_values *output = &job->values->output;
    fl_ranks *ranks = job->call->ranks;
    fl_progress progress;
    fl_simulation *simulation;
    fl_error error;
    bool quiet = output->quiet || !fl_ranks_lead(ranks);
    if (!quiet && b->router->note[0])
        fprintf(stderr, "note: %s: %s\n", b->router->name, b->router->note);
    fl_interrupt_watch();
    if (!quiet)
        fl_load_print_proof(b->plans[0], &curve->proof, "");
    fl_progress_start(&progress, quiet, NULL);
    const fl_simulation_spec spec = {
        .preset = b->preset->name,
        .proof = curve->proof,
        .loads = curve->x,
        .load_count = curve->points,
        .seed = v->seed,
        .runs = v->runs,
        .threads = job->threads,
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
        print_deadlocks(simulation, output);
        print_that_there_are_no_figures(simulation, output);
        code = deliver(simulation, output);
    }
    fl_simulation_destroy(simulation);
    return code;
}

int fl_simulate_single(const fl_load_job *job, bool ready)
{
    fl_ranks *ranks = job->call->ranks;
    fl_text asked = {0};
    unsigned first;
    if (ready)
        fl_sim_plan_describe(job->study->bound[0].plans[0], &asked);
    bool agree = fl_ranks_agree_on(job->call, ready, &asked);
    fl_text_clear(&asked);
    bool good =
        agree && fl_ranks_are_ready(ranks, !fl_ranks_lead(ranks) || prepare_folder(job), &first);
    return good ? simulate(job) : FL_EXIT_BAD_INPUT;
}
