/* `simulate`: curves under load. */
#include "cli/commands/load.h"
#include "cli/experiment.h"
#include "cli/ranks.h"

#include <cjson/cJSON.h>
#include <stddef.h>

typedef struct values {
    char *spec;
    fl_load_values load;
    fl_load_run_values run;
    fl_common_values common;
} values;

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("spec", fl_spec_rows, offsetof(values, spec)),
    FL_OPTION_GROUPS(fl_load_groups, offsetof(values, load)),
    FL_OPTION_ROWS("the work", fl_load_run_rows, offsetof(values, run)),
    FL_OPTION_ROWS("output", fl_output_rows, offsetof(values, run.output)),
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

FL_DELIVERY(fl_load)

static void notes(const void *results, fl_text *out)
{
    fl_load_notes(results, out);
}

static const fl_deliverable curves = {
    .name = "simulate", .figure_prefix = "simulate-", .notes = notes, FL_DELIVERY_FUNCTIONS};

/* ---- what is asked ---- */

static bool read_spec(fl_load_job *job, const values *v)
{
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
    fl_status status = fl_load_spec_read(&job->spec, json, v->spec, &job->call->options, &error);
    cJSON_Delete(json);
    return status ? (job->spec = NULL, fl_complain_of(&error), false) : true;
}

static bool is_single(const fl_load_job *job, const values *v)
{
    return !v->spec && job->spec && fl_load_is_single(job->spec);
}

static bool check(const fl_load_job *job, const values *v)
{
    static const fl_option_pair never[] = {
        {"workload", "spec", "a spec has curves of given loads"},
        {"find-saturation", "spec", "a spec has curves of given loads"},
        {0}};
    if (!fl_refuse_pairs(job->call, never))
        return false;
    if (fl_call_given(job->call, "workload") && v->run.output.log_y)
        return fl_complain("--log-y belongs to open traffic: a workload has no figures"), false;
    if (v->run.resume && is_single(job, v))
        return fl_complain("--resume belongs to several curves: a single simulation begins anew"),
               false;
    return true;
}

/* A time series asked for on the command line needs a place. */
static bool check_series(const fl_load_job *job)
{
    const fl_output_values *output = &job->values->output;
    if (fl_call_given(job->call, "series") && !output->folder && !output->json)
        return fl_complain("--series is recorded in the JSON: give --out or --json too"), false;
    return true;
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    fl_load_job job = {.call = call,
                       .values = &v->run,
                       .what = &curves,
                       .threads = fl_ranks_threads(call->ranks, v->run.threads)};
    bool good = read_spec(&job, v) && check(&job, v) &&
                fl_load_job_bind(&job, v->spec ? v->spec : v->load.topology) && check_series(&job);
    int code = is_single(&job, v) ? fl_simulate_single(&job, good) : fl_load_job_run(&job, good);
    fl_load_job_end(&job);
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
