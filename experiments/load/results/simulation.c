/* Results of a simulation of several loads: CSV, JSON, a short table, notes. */
#include "experiments/load/results/results.h"
#include "experiments/results.h"

#include <math.h>

typedef fl_sim_context context;

static context context_of(const fl_simulation *simulation)
{
    return fl_sim_context_of(simulation->plan, simulation->spec.preset);
}

void fl_simulation_csv(const fl_simulation *simulation, fl_text *out)
{
    context c = context_of(simulation);
    fl_sim_columns classes = {0};
    fl_sim_columns_add(&classes, c.network);
    fl_sim_csv_header(&classes, out);
    if (c.set_up->workload)
        fl_completion_header(out);
    fl_text_append(out, "\n");
    for (size_t i = 0; i < simulation->load_count * simulation->spec.runs; i++) {
        fl_sim_csv_row(&c, &simulation->results[i], &classes, out);
        if (c.set_up->workload)
            fl_completion_row(&simulation->results[i], out);
        fl_text_append(out, "\n");
    }
}

static const char *figure_name(const void *simulation, unsigned index)
{
    return fl_simulation_figure(simulation, index);
}

void fl_simulation_json(const fl_simulation *simulation, fl_text *text)
{
    context c = context_of(simulation);
    const fl_simulation_spec *spec = &simulation->spec;
    fl_json_writer out = fl_json_writer_begin(text, 1);
    fl_json_open_results(&out, "faultline simulation 1");
    fl_sim_json_set_up(&c, &out);
    fl_sim_json_faults(&c, &out);
    fl_sim_json_proof(&spec->proof, &out);
    fl_json_number(fl_json_line(&out), "seed", spec->seed);
    fl_json_number(fl_json_line(&out), "runs", spec->runs);
    fl_json_figure_names(&out, figure_name, simulation);
    fl_json_bool(fl_json_line(&out), "partial", simulation->partial);
    fl_json_work(&out, simulation->started, simulation->wall_seconds, spec->threads,
                 spec->ranks ? spec->ranks->count : 1);
    fl_json_host(&out);
    if (spec->find_saturation) {
        fl_json_open_object(fl_json_line(&out), "saturation");
        fl_json_text(&out, "criterion",
                     "more than 0.5% and 4 standard deviations of what is born stays behind");
        fl_json_measure(&out, "carried", simulation->carried);
        fl_json_measure(&out, "not_carried", simulation->not_carried);
        fl_json_close(&out);
    }
    fl_json_real(fl_json_line(&out), "confidence", 0.95, 0);
    fl_json_open_array(fl_json_line(&out), "results");
    for (size_t i = 0; i < simulation->load_count * spec->runs; i++) {
        fl_json_open_object(fl_json_line(&out), NULL);
        fl_sim_json_result(&c, &simulation->results[i], &out);
        fl_json_close(&out);
    }
    fl_json_close(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}

/* ---- notes ---- */

static bool carried_is_steady(const fl_simulation *s)
{
    for (size_t i = 0; i < s->load_count * s->spec.runs; i++)
        if (s->results[i].load == s->carried && !s->results[i].steady)
            return false;
    return true;
}

/* A load can be carried for as long as a run takes, and not for longer. */
static void note_unsteady(const fl_simulation *s, fl_text *out)
{
    const fl_sim_model *m = context_of(s).model;
    bool by_cycles = m->stop == FL_SIM_STOP_CYCLES;
    if (!s->spec.find_saturation || !isfinite(s->carried) || carried_is_steady(s))
        return;
    fl_text_append(
        out,
        "note: the load %.4f was carried but not steady: this holds for runs of %llu %s, and longer ones (%s) may saturate at a lower load\n",
        s->carried, (unsigned long long)(by_cycles ? m->cycles : m->packets),
        by_cycles                            ? "cycles"
        : m->stop == FL_SIM_STOP_EACH_SOURCE ? "packets of every source"
                                             : "packets per destination",
        by_cycles ? "more --cycles or --warmup" : "--steady with more --cycles or --warmup");
}

void fl_simulation_notes(const fl_simulation *s, fl_text *out)
{
    context c = context_of(s);
    fl_sim_note_failures(&c, s->results, s->load_count * s->spec.runs, "", out);
    fl_sim_note_hops(s->plan, s->results, s->load_count * s->spec.runs, "", out);
    note_unsteady(s, out);
}

/* Those from the start, and those that come later. */
static void append_faults(const context *c, fl_text *out)
{
    size_t later = c->set_up->failure_count;
    fl_text_append(out, "%llu faulty link%s", fl_sim_faults_of(c),
                   fl_sim_faults_of(c) == 1 ? "" : "s");
    if (later > 0)
        fl_text_append(out, ", %zu fail%s during the run", later, later == 1 ? "s" : "");
}

void fl_simulation_summary(const fl_simulation *s, fl_text *out)
{
    context c = context_of(s);
    const fl_sim_result *deadlocked = NULL;
    fl_text_append(out, "%s, %s, preset %s, %s %s, ", c.network->spec, c.router->canonical,
                   s->spec.preset, c.set_up->workload ? "workload" : "traffic",
                   fl_sim_traffic_of(&c));
    append_faults(&c, out);
    fl_text_append(out, "%s\n", s->partial ? " (partial)" : "");
    fl_table table = {0};
    fl_sim_summary_columns(&table);
    for (size_t i = 0; i < s->load_count * s->spec.runs; i++) {
        if (c.set_up->workload)
            fl_completion_summary(s->plan, &s->results[i], out);
        else
            fl_sim_summary_point(&c, &s->results[i], &table);
        if (s->results[i].deadlocked && !deadlocked)
            deadlocked = &s->results[i];
    }
    fl_table_end(&table, out);
    if (deadlocked)
        fl_sim_summary_cycle(&c, deadlocked, out);
    if (s->spec.find_saturation && isfinite(s->not_carried))
        fl_text_append(out, "saturates between the loads %.4f and %.4f; accepts %.4f at load 1\n",
                       s->carried, s->not_carried,
                       fl_sim_accepted(&c, &s->results[(s->load_count - 1) * s->spec.runs]));
    else if (s->spec.find_saturation && isfinite(s->carried))
        fl_text_append(out, "carries every load, up to 1\n");
    fl_simulation_notes(s, out);
}

/* ---- files ---- */

fl_status fl_simulation_write(const fl_simulation *simulation, const char *folder, fl_error *error)
{
    fl_text csv = {0}, json = {0};
    fl_simulation_csv(simulation, &csv);
    fl_simulation_json(simulation, &json);
    return fl_results_write_pair(folder, "simulate", &csv, &json, error);
}
