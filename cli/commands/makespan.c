/* `makespan`: times of workloads on several networks. */
#include "cli/commands/load.h"
#include "cli/experiment.h"
#include "cli/ranks.h"

#include <cjson/cJSON.h>
#include <stddef.h>

typedef struct values {
    char *spec, *workloads;
    fl_load_run_values run;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {{.name = "workloads",
                                      .kind = FL_OPTION_TEXT,
                                      .offset = offsetof(values, workloads),
                                      .value = "LIST",
                                      .help = "only these of the file's, split by ;"},
                                     {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("what is run", fl_spec_rows, offsetof(values, spec)),
    FL_OPTION_ROWS(NULL, rows, 0),
    FL_OPTION_ROWS("the work", fl_load_run_rows, offsetof(values, run)),
    FL_OPTION_ROWS("output", fl_output_rows, offsetof(values, run.output)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

FL_DELIVERY(fl_makespan)

static void notes(const void *results, fl_text *out)
{
    fl_makespan_notes(results, out);
}

static const fl_deliverable times = {
    .name = "makespan", .figure_prefix = "makespan-", .notes = notes, FL_DELIVERY_FUNCTIONS};

static bool read_spec(fl_load_job *job, const values *v)
{
    fl_error error;
    cJSON *json = fl_spec_load(v->spec);
    if (!json)
        return false;
    fl_status status = fl_makespan_spec_read(&job->spec, json, v->spec, v->workloads, &error);
    cJSON_Delete(json);
    return status ? (job->spec = NULL, fl_complain_of(&error), false) : true;
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    fl_load_job job = {.call = call,
                       .values = &v->run,
                       .what = &times,
                       .threads = fl_ranks_threads(call->ranks, v->run.threads)};
    if (!v->spec)
        return fl_complain("which spec? Give its file, e.g. experiments/makespans/thin-trees.json; "
                           "--help shows more");
    bool good = read_spec(&job, v) && fl_load_job_bind(&job, v->spec);
    int code = fl_load_job_run(&job, good);
    fl_load_job_end(&job);
    return code;
}

const fl_command fl_command_makespan = {
    .name = "makespan",
    .summary = "times of workloads on several networks, and performance over cost",
    .about = "How long workloads take on several networks: times over those of the first, and "
             "performance over cost.\n\n"
             "A spec names networks with their routers, workloads and a preset "
             "(experiments/makespan.schema.json); experiments/makespans/ holds published set-ups.",
    .usage = (const char *const[]){"SPEC.json [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"spec", NULL},
    .examples = (const char *const[]){"faultline makespan experiments/makespans/thin-trees.json "
                                      "--log-y --out results/thin-trees",
                                      "faultline makespan experiments/makespans/thin-trees.json "
                                      "--workloads 'BI;W2;W3'",
                                      "mpirun -n 4 faultline makespan "
                                      "experiments/makespans/thin-trees.json --out results/ranks",
                                      NULL},
    .notes = FL_PLACES_TEXT,
    .exits = "exit codes: 0 done (also if messages were lost), 1 done but figures are missing or "
             "results saved elsewhere, 2 bad input (nothing done), 130 ended by Ctrl-C (what was "
             "done is written and marked partial)",
    .ranked = true,
    .run = run,
};
