#include "cli/commands/simulate.h"
#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/ranks.h"

#include <stdlib.h>
#include <string.h>

static const fl_option option_table[] = {
    {"topology", "NET", "network, e.g. mikant:k=3,n=3 (see 'faultline list')", NULL},
    {"router", "NAME",
     "router, e.g. minimal-adaptive, gns+gdl or, with a channel rule, three-turn@turns:3", NULL},
    {"scope", "SCOPE",
     "what a switch knows: detour (the links of its detours, default) or local (its own)", NULL},
    {"preset", "NAME",
     "a published set-up, which the options below change (listed at the end; default: mikant2018)",
     NULL},
    {"traffic", "PATTERN", "where packets go (listed at the end)", NULL},
    {"workload", "WORKLOAD",
     "instead: messages that wait for others, until all have arrived (listed at the end)", NULL},
    {"placement", "KIND",
     "processes of a workload on nodes: switches (one after the other, default) or numbers", NULL},
    {"flit-bytes", "N", "bytes of a flit, for the messages of a workload (default: 4)", NULL},
    {"load", "LIST",
     "offered loads in flits per node and cycle: a,b,c or first:last:step (default: 0.05:1:0.05)",
     NULL},
    {"find-saturation", NULL, "instead: find the highest load that is carried", NULL},
    {"cycles", "N",
     "measure N cycles after the warm-up; with presets that count packets, and workloads: at most N",
     NULL},
    {"warmup", "N", "cycles before that are not measured", NULL},
    {"drain", "N", "wait at most N cycles more for the packets measured", NULL},
    {"steady", NULL, "stop by --cycles where the preset stops by packets", NULL},
    {"vcs", "N", "virtual channels (default: as many as the router asks for)", NULL},
    {"switching", "KIND", "store-and-forward, cut-through or wormhole", NULL},
    {"packet", "N", "flits of a packet", NULL},
    {"input-fifo", "N", "packets (wormhole: flits) in an input FIFO", NULL},
    {"input-fifo-0", "N", "the same in switches that have nodes, and in all of level 0 of a tree",
     NULL},
    {"output-fifo", "N", "packets in an output FIFO; 0: there is none", NULL},
    {"arbitration", "KIND", "random, round-robin or oldest", NULL},
    {"choice", "KIND", "among several ways: most-free, any-free, first or shortest-queue", NULL},
    {"routing-delay", "N", "cycles that a switch takes to route a header", NULL},
    {"link-latency", "N", "cycles on a link, at least 1; or CLASS=N,CLASS=N...", NULL},
    {"credit-delay", "N", "cycles until a sender knows of free space", NULL},
    {"source-queue", "N", "packets in a source's queue, which waits when it is full; 0: no bound",
     NULL},
    {"fail", "LINKS", "links that are down: LINK;LINK... or @FILE with one a line", NULL},
    {"faults", "N", "instead: so many faulty parts, drawn at random", NULL},
    {"fault-rate", "P", "instead: such a share of faulty parts", NULL},
    {"fault-model", "MODEL", "what fails then (as for sweep; default: links)", NULL},
    {"fault-seed", "N", "seed of the faults drawn (default: 1)", NULL},
    {"fail-at", "LIST", "links that fail during the run: CYCLE:LINK;CYCLE:LINK...", NULL},
    {"on-failure", "KIND",
     "packets on a link that fails: lose (default) or retry, from their source", NULL},
    {"series", "N",
     "record packets and latencies in intervals of N cycles, in the JSON and figures", NULL},
    {"seed", "N", "seed of traffic and lots (default: 1)", NULL},
    {"runs", "N", "runs of every load, with the seeds that follow (default: 1)", NULL},
    {"threads", "N",
     "runs at a time, under mpirun in each rank (default: all processors, or a rank's share)",
     NULL},
    {"out", "DIR",
     "folder for simulate.csv, simulate.json and figures (default: CSV to standard output,\n"
     "or the summary if that is a terminal)",
     NULL},
    {"json", NULL, "JSON on standard output, instead of CSV", NULL},
    {"no-figures", NULL, "write no figures", NULL},
    {"log-y", NULL, "logarithmic axis of latency", NULL},
    {"force", NULL, "overwrite results in DIR", NULL},
    {"resume", NULL,
     "go on with the unfinished run of a spec in DIR, if there is one; of a\n"
     "finished one, only draw its figures anew",
     NULL},
    {"quiet", NULL, "no progress, no notes, no summary; CSV also to a terminal", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts(
        "Latency and accepted load against offered load: every packet, cycle by cycle.\n\n"
        "usage: faultline simulate --topology NET --router NAME [OPTIONS]\n"
        "       faultline simulate SPEC.json [OPTIONS]\n\n"
        "A spec has several curves, and figures of them (experiments/simulation.schema.json). Options given beside it\n"
        "replace what it says of all its curves.\n\noptions:");
    fl_options_print(option_table, stdout);
    puts("\npresets:");
    for (const fl_sim_preset *p = fl_sim_presets; p->name; p++)
        printf("  %-24s %s\n  %-24s (%s)\n", p->name, p->summary, "", p->source);
    puts("\ntraffic:");
    for (const fl_sim_traffic_help *t = fl_sim_traffics; t->name; t++)
        printf("  %-24s %s\n", t->name, t->summary);
    puts(
        "\nworkloads (thin-tree paper, IV.C; NAME:key=value,...; all take processes=N and bytes=N):");
    for (const fl_sim_workload_help *w = fl_sim_workloads; w->name; w++)
        printf("  %-24s %s\n", w->name, w->summary);
    puts(
        "\nA load that the network does not carry is saturated: its latency would grow without end, and is left out.\n\n"
        "examples:\n"
        "  faultline simulate --topology kary-ntree:k=4,n=3 --router minimal-adaptive --steady --cycles 20000 --load 0.1:0.5:0.1\n"
        "  faultline simulate --topology mikant:k=4,n=5 --router shortest --preset mikant2018 --out results/mikant\n"
        "  faultline simulate --topology mikant:k=3,n=3 --router gns+gdl@phase:3 --faults 10 --steady --cycles 20000 --find-saturation\n"
        "  faultline simulate experiments/specs/under-load/mikant-2018-fig9-12.json --out results/fig9-12\n"
        "  mpirun -n 4 faultline simulate experiments/specs/under-load/mikant-2018-fig9-12.json --out results/ranks\n"
        "  faultline simulate --topology thintree:k=8,up=4,n=3 --router minimal-adaptive --preset thintree --workload BU\n\n" FL_PLACES_TEXT
        "\n\n"
        "exit codes: 0 done (also if saturated or deadlocked), 1 done but figures are missing or results saved elsewhere,\n"
        "2 bad input (nothing done), 130 ended by Ctrl-C (what was done is written and marked partial)");
}

enum { LOADS_MAX = 1000, RUNS_MAX = 1000, FAILURES_MAX = 4096 };

typedef struct job {
    fl_option *options;
    fl_network *network;
    fl_router *router;
    fl_sim_traffic *traffic;
    fl_sim_workload *workload;
    fl_fault_set faults;
    fl_sim_failure failures[FAILURES_MAX];
    size_t failure_count;
    const fl_sim_preset *preset;
    fl_sim_model model;
    fl_sim_plan *plan;
    fl_sim_proof proof;
    double *loads;
    uint32_t load_count;
    uint64_t seed, runs, series;
    unsigned threads;
    fl_ranks *ranks; /* NULL: this process alone */
} job;

/* ---- reading options ---- */

static bool read_unsigned(const job *j, const char *name, unsigned least, unsigned most,
                          unsigned *out)
{
    uint64_t value = *out;
    bool good = fl_option_number(j->options, name, least, most, &value);
    *out = (unsigned)value;
    return good;
}

static bool read_kind(const job *j, const char *name, const char *const *kinds, unsigned *out)
{
    return fl_option_kind(j->options, name, kinds, out);
}

/* The text up to a separator, which is cut off; NULL at the end. */
static char *next_part(char **rest, char separator)
{
    char *part = *rest, *end = part ? strchr(part, separator) : NULL;
    *rest = end ? end + 1 : NULL;
    if (end)
        *end = 0;
    return part;
}

static bool read_class_latencies(job *j, const char *text)
{
    char copy[512];
    fl_error error;
    if (strlen(text) >= sizeof copy)
        return fl_complain("--link-latency is too long"), false;
    strcpy(copy, text);
    for (char *rest = copy, *part; (part = next_part(&rest, ',')) != NULL;) {
        char *equals = strchr(part, '=');
        uint64_t value;
        unsigned link_class;
        if (!equals || !fl_text_to_u64(equals + 1, &value) || value < 1 || value > FL_SIM_DELAY_MAX)
            return fl_complain("--link-latency '%s': expected CLASS=N, N from 1 to %d", part,
                               FL_SIM_DELAY_MAX),
                   false;
        *equals = 0;
        if (fl_network_parse_class(j->network, part, &link_class, &error))
            return fl_complain_in_option("link-latency", NULL, &error), false;
        if (link_class >= FL_SIM_CLASSES_MAX)
            return fl_complain("--link-latency: only the first %d link classes can be set",
                               FL_SIM_CLASSES_MAX),
                   false;
        j->model.class_latency[link_class] = (unsigned)value;
    }
    return true;
}

static bool read_link_latency(job *j)
{
    const char *text = fl_option_value(j->options, "link-latency");
    if (text && strchr(text, '='))
        return read_class_latencies(j, text);
    return read_unsigned(j, "link-latency", 1, FL_SIM_DELAY_MAX, &j->model.link_latency);
}

/* Options that say something about open traffic, or about when to stop measuring it. */
static bool check_workload_options(const job *j)
{
    static const char *const others[] = {"traffic", "load",  "find-saturation", "steady",
                                         "warmup",  "drain", "log-y",           NULL};
    bool workload = fl_option_value(j->options, "workload") != NULL;
    for (size_t i = 0; others[i] && workload; i++)
        if (fl_option_value(j->options, others[i]))
            return fl_complain(
                       "--%s belongs to open traffic: a workload says who sends when, and ends by itself",
                       others[i]),
                   false;
    if (workload && fl_option_value(j->options, "series") && !fl_option_value(j->options, "cycles"))
        return fl_complain(
                   "--series with --workload: give --cycles too, so that the length of the series is known"),
               false;
    static const char *const own[] = {"flit-bytes", "placement", NULL};
    for (size_t i = 0; own[i] && !workload; i++)
        if (fl_option_value(j->options, own[i]))
            return fl_complain("--%s belongs to workloads: give --workload too", own[i]), false;
    return true;
}

bool fl_check_series_options(const fl_option *options)
{
    if (!fl_option_value(options, "series") || fl_option_value(options, "out") ||
        fl_option_value(options, "json"))
        return true;
    return fl_complain("--series is recorded in the JSON: give --out or --json too"), false;
}

static bool read_model(job *j)
{
    const char *name = fl_option_value(j->options, "preset");
    fl_error error;
    if (fl_sim_preset_find(&j->preset, name ? name : fl_sim_presets[0].name, &error))
        return fl_complain_of(&error), false;
    fl_sim_model *m = &j->model;
    *m = j->preset->model;
    if (fl_option_value(j->options, "steady") && m->stop != FL_SIM_STOP_CYCLES) {
        m->stop = FL_SIM_STOP_CYCLES;
        m->warmup = 5000;
        m->cycles = m->drain = 20000;
    } else if (m->stop != FL_SIM_STOP_CYCLES &&
               (fl_option_value(j->options, "warmup") || fl_option_value(j->options, "drain"))) {
        return fl_complain(
                   "--warmup and --drain belong to runs that stop by cycles; the preset %s stops by packets: add --steady",
                   j->preset->name),
               false;
    }
    uint64_t most = FL_SIM_CYCLES_MAX / 4;
    if (fl_option_value(j->options, "workload"))
        m->cycles = most = FL_SIM_CYCLES_MAX;
    unsigned switching = m->switching, arbitration = m->arbitration, choice = m->choice,
             on_failure = m->on_failure, placement = m->placement;
    bool good = fl_option_number(j->options, "cycles", 1, most, &m->cycles) &&
                fl_option_number(j->options, "warmup", 0, FL_SIM_CYCLES_MAX / 4, &m->warmup);
    if (good && m->stop == FL_SIM_STOP_CYCLES && fl_option_value(j->options, "cycles"))
        m->drain = m->cycles;
    good = good && fl_option_number(j->options, "drain", 0, FL_SIM_CYCLES_MAX / 4, &m->drain) &&
           read_kind(j, "switching", fl_sim_switching_names, &switching) &&
           read_kind(j, "arbitration", fl_sim_arbitration_names, &arbitration) &&
           read_kind(j, "choice", fl_sim_choice_names, &choice) &&
           read_kind(j, "on-failure", fl_sim_on_failure_names, &on_failure) &&
           read_kind(j, "placement", fl_sim_placement_names, &placement) &&
           read_unsigned(j, "packet", 1, FL_SIM_PACKET_MAX, &m->packet_flits) &&
           read_unsigned(j, "input-fifo", 1, FL_SIM_FIFO_MAX, &m->input_fifo) &&
           read_unsigned(j, "flit-bytes", 1, FL_SIM_FLIT_BYTES_MAX, &m->flit_bytes) &&
           read_unsigned(j, "input-fifo-0", 1, FL_SIM_FIFO_MAX, &m->input_fifo_level0) &&
           read_unsigned(j, "output-fifo", 0, FL_SIM_FIFO_MAX, &m->output_fifo) &&
           read_unsigned(j, "routing-delay", 0, FL_SIM_DELAY_MAX, &m->routing_delay) &&
           read_link_latency(j) &&
           read_unsigned(j, "credit-delay", 1, FL_SIM_DELAY_MAX, &m->credit_delay) &&
           read_unsigned(j, "source-queue", 0, FL_SIM_FIFO_MAX, &m->source_queue);
    m->switching = (fl_sim_switching)switching;
    m->arbitration = (fl_sim_arbitration)arbitration;
    m->choice = (fl_sim_choice)choice;
    m->on_failure = (fl_sim_on_failure)on_failure;
    m->placement = (fl_sim_placement)placement;
    return good;
}

static bool read_loads(job *j)
{
    const char *text = fl_option_value(j->options, "load");
    fl_error error;
    if (j->workload) {
        j->loads = calloc(1, sizeof *j->loads);
        j->load_count = 1;
        return j->loads || (fl_complain_memory("a workload"), false);
    }
    if (text && fl_option_value(j->options, "find-saturation"))
        return fl_complain("give --load or --find-saturation, not both"), false;
    fl_status status =
        fl_axis_parse_rates(&j->loads, &j->load_count, text ? text : "0.05:1:0.05", &error);
    if (status == FL_ERR_MEMORY)
        return fl_complain_of(&error), false;
    if (status)
        return fl_complain(
                   "--load %.80s: expected rising loads from 0 to 1 flits per node and cycle, as 0.1,0.2,0.4 or 0.05:1:0.05",
                   text),
               false;
    if (j->load_count > LOADS_MAX)
        return fl_complain("--load: %u loads; at most %d", j->load_count, LOADS_MAX), false;
    return true;
}

static bool read_faults(job *j)
{
    fl_option chosen[] = {{"fail", "", "", NULL},       {"faults", "", "", NULL},
                          {"fault-rate", "", "", NULL}, {"fault-model", "", "", NULL},
                          {"seed", "", "", NULL},       {"trial", "", "", NULL},
                          {NULL, NULL, NULL, NULL}};
    const char *seed = fl_option_value(j->options, "fault-seed");
    for (int i = 0; i < 4; i++)
        chosen[i].given = fl_option_value(j->options, chosen[i].name);
    if (seed && !chosen[1].given && !chosen[2].given)
        return fl_complain(
                   "--fault-seed belongs to faults that are drawn: give --faults or --fault-rate too"),
               false;
    uint64_t value;
    if (!fl_option_seed(j->options, "fault-seed", &value))
        return false;
    chosen[4].given = seed;
    return fl_faults_from_options(chosen, j->network, &j->faults);
}

static int compare_failures(const void *a, const void *b)
{
    const fl_sim_failure *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

static int compare_failed_links(const void *a, const void *b)
{
    const fl_sim_failure *x = a, *y = b;
    return x->link < y->link ? -1 : x->link > y->link;
}

static void complain_of_link(const job *j, fl_link link, const char *what)
{
    fl_text label = {0};
    fl_network_append_link(j->network, link, &label);
    fl_complain("--fail-at: the link %s %s", label.data ? label.data : "", what);
    fl_text_clear(&label);
}

/* What is down does not fail again. Of faults drawn at random nobody can know that: only links of
 * --fail are refused. */
static bool check_failures(job *j)
{
    bool named = fl_option_value(j->options, "fail") != NULL;
    qsort(j->failures, j->failure_count, sizeof *j->failures, compare_failed_links);
    for (size_t i = 0; i < j->failure_count; i++) {
        fl_link link = j->failures[i].link;
        if (i > 0 && j->failures[i - 1].link == link)
            return complain_of_link(j, link, "is named twice; a link fails once, and stays down"),
                   false;
        if (named && fl_fault_set_holds(&j->faults, link))
            return complain_of_link(j, link, "is down from the start: --fail names it"), false;
    }
    return true;
}

static bool read_failures(job *j)
{
    const char *text = fl_option_value(j->options, "fail-at");
    if (!text)
        return fl_option_value(j->options, "on-failure")
                   ? (fl_complain(
                          "--on-failure belongs to links that fail during the run: give --fail-at too"),
                      false)
                   : true;
    char *copy = strdup(text);
    bool good = copy || (fl_complain_memory("--fail-at"), false);
    for (char *rest = copy, *part; good && (part = next_part(&rest, ';')) != NULL;) {
        char *colon = strchr(part, ':');
        fl_sim_failure failure;
        fl_error error;
        if (colon)
            *colon = 0;
        if (!colon || !fl_text_to_u64(part, &failure.cycle) || failure.cycle > FL_SIM_CYCLES_MAX) {
            fl_complain(
                "--fail-at '%s': expected CYCLE:LINK, e.g. 10000:17 or '10000:<0,1,00>-<1,1,00>'",
                part);
            good = false;
        } else if (fl_network_parse_link(j->network, colon + 1, &failure.link, &error)) {
            fl_complain_in_option("fail-at", NULL, &error);
            good = false;
        } else if (j->failure_count == FAILURES_MAX) {
            fl_complain("--fail-at: more than %d failures", FAILURES_MAX);
            good = false;
        } else {
            j->failures[j->failure_count++] = failure;
        }
    }
    free(copy);
    good = good && check_failures(j);
    qsort(j->failures, j->failure_count, sizeof *j->failures, compare_failures);
    return good;
}

static bool read_router(job *j)
{
    fl_error error;
    fl_scope scope = FL_SCOPE_DETOUR;
    const char *name = fl_option_value(j->options, "router"),
               *text = fl_option_value(j->options, "scope"),
               *vcs = fl_option_value(j->options, "vcs");
    if (!name)
        return fl_complain("which router? Give --router; --help tells more"), false;
    if ((text && fl_scope_parse(&scope, text, &error)) ||
        fl_router_create(&j->router, j->network, name, scope, &error))
        return fl_complain_of(&error), false;
    uint64_t channels = j->router->channels;
    if (!fl_option_number(j->options, "vcs", 1, FL_CHANNELS_MAX, &channels))
        return false;
    if (!vcs)
        return true;
    const char *rule = j->router->vc_assignment    ? j->router->vc_assignment->name
                       : j->router->type->channels ? "own"
                                                   : NULL;
    if (!rule && channels > 1)
        return fl_complain(
                   "--vcs %.80s: '%s' takes channel 0 only; a channel rule says which packets take which: --router %s@phase:%s",
                   vcs, name, name, vcs),
               false;
    if (rule && fl_router_set_channels(j->router, rule, (unsigned)channels, &error))
        return fl_complain_in_option("vcs", NULL, &error), false;
    return true;
}

static bool read_traffic(job *j)
{
    const char *text = fl_option_value(j->options, "traffic"),
               *workload = fl_option_value(j->options, "workload");
    fl_error error;
    if (workload && fl_sim_workload_create(&j->workload, j->network->nodes, workload, &error))
        return fl_complain_of(&error), false;
    if (workload)
        return true;
    if (fl_sim_traffic_create(&j->traffic, j->network, text ? text : j->preset->traffic, &error))
        return fl_complain_of(&error), false;
    return true;
}

static bool make_plan(job *j)
{
    fl_error error;
    const fl_sim_set_up set_up = {
        .router = j->router,
        .model = &j->model,
        .traffic = j->traffic,
        .workload = j->workload,
        .faults = &j->faults,
        .failures = j->failures,
        .failure_count = j->failure_count,
        .series = j->series,
    };
    if (fl_sim_plan_create(&j->plan, &set_up, &error))
        return fl_complain_of(&error), false;
    return true;
}

static bool prepare_folder(const job *j)
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
    const char *folder = fl_option_value(j->options, "out");
    if (!folder)
        return fl_check_folder_options(j->options);
    if (fl_option_value(j->options, "json"))
        return fl_complain(
                   "--json goes to standard output; with --out there is a JSON file already"),
               false;
    bool figures = !fl_option_value(j->options, "no-figures") && !j->workload;
    return fl_check_folder_options(j->options) &&
           fl_prepare_folder(folder, &(fl_outputs){figures ? files : without_figures, NULL, ""},
                             fl_option_value(j->options, "force") != NULL);
}

/* Run i has the seed `seed` + i. */
static bool read_seeds(job *j)
{
    j->seed = 1;
    j->runs = 1;
    if (!fl_option_seed(j->options, "seed", &j->seed) ||
        !fl_option_number(j->options, "runs", 1, RUNS_MAX, &j->runs))
        return false;
    if (j->seed > FL_JSON_U64_MAX - (j->runs - 1))
        return fl_complain(
                   "--seed %llu: the %llu runs have this seed and those that follow, up to %llu",
                   (unsigned long long)j->seed, (unsigned long long)j->runs,
                   (unsigned long long)FL_JSON_U64_MAX),
               false;
    return true;
}

static bool bind(job *j)
{
    return (j->network = fl_network_from_options(j->options)) != NULL &&
           check_workload_options(j) && read_router(j) && read_model(j) && read_traffic(j) &&
           read_loads(j) && read_faults(j) && read_failures(j) && read_seeds(j) &&
           fl_option_number(j->options, "series", 1, FL_SIM_CYCLES_MAX, &j->series) && make_plan(j);
}

/* What rank 0 prints and writes. */
static bool find_proof(job *j)
{
    fl_error error;
    if (fl_ranks_lead(j->ranks) && fl_sim_prove(&j->proof, j->plan, &error))
        return fl_complain_of(&error), false;
    return true;
}

static bool prepare(job *j)
{
    if (fl_option_value(j->options, "resume"))
        return fl_complain("--resume belongs to specs: a single simulation begins anew"), false;
    return bind(j) && fl_check_series_options(j->options) &&
           fl_ranks_threads(j->ranks, j->options, &j->threads) && find_proof(j);
}

/* `j` is NULL where there was no memory for it. */
static bool all_agree(const job *j, fl_ranks *ranks, fl_option *options, bool ready)
{
    fl_text asked = {0};
    unsigned first;
    if (ready)
        fl_sim_plan_describe(j->plan, &asked);
    bool agree = fl_ranks_agree_on(ranks, ready, "simulate", options, &asked);
    fl_text_clear(&asked);
    return agree && fl_ranks_are_ready(ranks, !fl_ranks_lead(ranks) || prepare_folder(j), &first);
}

static void release(job *j)
{
    if (!j)
        return;
    fl_sim_plan_destroy(j->plan);
    fl_sim_traffic_destroy(j->traffic);
    fl_sim_workload_destroy(j->workload);
    fl_fault_set_clear(&j->faults);
    fl_router_destroy(j->router);
    fl_network_destroy(j->network);
    free(j->loads);
    free(j);
}

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

/* ---- for specs ---- */

bool fl_simulate_bind(fl_option *options, fl_simulate_bound *out)
{
    job *j = calloc(1, sizeof *j);
    *out = (fl_simulate_bound){.owner = j};
    if (!j)
        return fl_complain_memory("a curve"), false;
    j->options = options;
    if (!bind(j))
        return false;
    out->plan = j->plan;
    out->preset = j->preset->name;
    out->loads = j->loads;
    out->load_count = j->load_count;
    out->seed = j->seed;
    out->runs = j->runs;
    return true;
}

void fl_simulate_release(fl_simulate_bound *bound)
{
    release(bound->owner);
    bound->owner = NULL;
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

static int deliver(const fl_simulation *simulation, const fl_option *options)
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
        .csv = fl_option_value(options, "json") ? simulate_json : simulate_csv,
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

/* Without a folder nobody sees the summary: what went wrong in the network is said all the same. */
static void say_deadlocks(const fl_simulation *simulation, const fl_option *options)
{
    size_t count = 0, all = simulation->load_count * simulation->spec.runs;
    for (size_t i = 0; i < all; i++)
        count += simulation->results[i].deadlocked;
    if (count > 0 && !fl_option_value(options, "out") && !fl_option_value(options, "quiet"))
        fprintf(
            stderr,
            "note: %zu of %zu runs ended in a deadlock; --json and --out show the channels that wait for each other\n",
            count, all);
}

static void say_that_there_are_no_figures(const fl_simulation *simulation, const fl_option *options)
{
    bool wanted = fl_option_value(options, "out") && !fl_option_value(options, "no-figures") &&
                  !fl_option_value(options, "quiet");
    if (wanted && !fl_sim_plan_set_up(simulation->plan)->workload &&
        !fl_simulation_figure(simulation, 0))
        fprintf(
            stderr,
            "note: no figures: one load is a point, not a curve; give --load several, or --series N for figures over time\n");
}

static int run(job *j)
{
    fl_progress progress;
    fl_simulation *simulation;
    fl_error error;
    bool quiet = fl_option_value(j->options, "quiet") != NULL || !fl_ranks_lead(j->ranks);
    if (!quiet && j->router->note[0])
        fprintf(stderr, "note: %s: %s\n", j->router->name, j->router->note);
    fl_interrupt_watch();
    if (!quiet)
        fl_simulate_print_proof(j->plan, &j->proof, "");
    fl_progress_start(&progress, quiet, NULL);
    const fl_simulation_spec spec = {
        .set_up = fl_sim_plan_set_up(j->plan),
        .preset = j->preset->name,
        .proof = j->proof,
        .loads = j->loads,
        .load_count = j->load_count,
        .seed = j->seed,
        .runs = (unsigned)j->runs,
        .threads = j->threads,
        .ranks = j->ranks,
        .find_saturation = fl_option_value(j->options, "find-saturation") != NULL,
        .stop = &fl_interrupted,
        .progress = fl_progress_show,
        .user = &progress,
    };
    fl_status status = fl_simulation_run(&simulation, j->plan, &spec, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    int code = FL_EXIT_OK; /* of rank 0 it is what counts */
    if (fl_ranks_lead(j->ranks)) {
        say_deadlocks(simulation, j->options);
        say_that_there_are_no_figures(simulation, j->options);
        code = deliver(simulation, j->options);
    }
    fl_simulation_destroy(simulation);
    return code;
}

static int simulate_one(fl_option *options, fl_ranks *ranks)
{
    job *j = calloc(1, sizeof *j);
    bool good = j != NULL;
    if (good) {
        j->options = options;
        j->ranks = ranks;
        good = prepare(j);
    } else {
        fl_complain_memory("a simulation");
    }
    int code = all_agree(j, ranks, options, good) ? run(j) : FL_EXIT_BAD_INPUT;
    release(j);
    return code;
}

static int simulate(int count, char **arguments, fl_ranks *ranks)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    const char *spec = NULL;
    int positional;
    if (!fl_options_read(options, count, arguments, &spec, 1, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        if (fl_ranks_lead(ranks))
            print_help();
        return FL_EXIT_OK;
    }
    return spec ? fl_simulate_spec(spec, options, sizeof options / sizeof *options, ranks)
                : simulate_one(options, ranks);
}

int fl_command_simulate(int count, char **arguments)
{
    fl_ranks *ranks;
    if (!fl_ranks_open(&ranks))
        return FL_EXIT_BAD_INPUT;
    return fl_ranks_close(ranks, simulate(count, arguments, ranks));
}
