/* The options of simulations, as rows. */
#include "experiments/spec/load_options.h"

#include <stddef.h>

#define OFFSET(member)  offsetof(fl_load_values, member)
#define MODEL(member)   offsetof(fl_sim_model, member)
#define SEED_MAX        ((double)FL_JSON_U64_MAX)
#define OPEN_CYCLES_MAX ((double)(FL_SIM_CYCLES_MAX / 4))

_Static_assert(sizeof(fl_sim_switching) == sizeof(unsigned),
               "values of FL_OPTION_WORD are unsigned");

static const fl_option_row network_rows[] = {
    {.name = "topology",
     .kind = FL_OPTION_NETWORK,
     .offset = OFFSET(topology),
     .value = "NET",
     .help = "network, e.g. mikant:k=3,n=3 ('faultline list networks')",
     .was = "network,net"},
    {.name = "routers",
     .kind = FL_OPTION_NAMES,
     .offset = OFFSET(routers),
     .value = "A,B,...",
     .help = "routers, one curve for each: minimal-adaptive, gns+gdl or, with a VC assignment, "
             "three-turn@turns:3",
     .was = "router"},
    {.name = "vcs",
     .kind = FL_OPTION_UNSIGNED,
     .offset = OFFSET(channels),
     .value = "N",
     .help = "virtual channels (default: as many as the router asks for)",
     .least = 1,
     .most = FL_CHANNELS_MAX},
    {0}};

static const fl_option_row preset_rows[] = {
    {.name = "preset",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(preset),
     .value = "NAME",
     .help = "a published set-up, which other options change",
     .preset = "mikant2018"},
    {0}};

static const fl_option_row traffic_rows[] = {
    {.name = "traffic",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(traffic),
     .value = "PATTERN",
     .help = "where packets go (default: the preset's)"},
    {.name = "load",
     .kind = FL_OPTION_RATES,
     .offset = OFFSET(load),
     .value = "LIST",
     .help = "offered loads in flits per node and cycle: a,b,c or first:last:step",
     .preset = "0.05:1:0.05"},
    {.name = "steady",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(steady),
     .help = "stop by --cycles where the preset stops by packets"},
    {0}};

static const fl_option_row cycles_rows[] = {
    {.name = "cycles",
     .kind = FL_OPTION_COUNT,
     .offset = MODEL(cycles),
     .value = "N",
     .help = "measure N cycles after the warm-up; with presets that count packets, and workloads: "
             "at most N",
     .least = 1,
     .most = (double)FL_SIM_CYCLES_MAX},
    {0}};

static const fl_option_row steady_rows[] = {
    {.name = "warmup",
     .kind = FL_OPTION_COUNT,
     .offset = MODEL(warmup),
     .value = "N",
     .help = "cycles before that, which are not measured",
     .most = OPEN_CYCLES_MAX},
    {.name = "drain",
     .kind = FL_OPTION_COUNT,
     .offset = MODEL(drain),
     .value = "N",
     .help = "wait at most N cycles more for the packets measured",
     .most = OPEN_CYCLES_MAX},
    {0}};

static const fl_option_row model_rows[] = {
    {.name = "switching",
     .kind = FL_OPTION_WORD,
     .offset = MODEL(switching),
     .value = "KIND",
     .help = "when a packet goes on",
     .words = fl_sim_switching_names},
    {.name = "packet",
     .kind = FL_OPTION_UNSIGNED,
     .offset = MODEL(packet_flits),
     .value = "N",
     .help = "flits of a packet",
     .least = 1,
     .most = FL_SIM_PACKET_MAX},
    {.name = "input-fifo",
     .kind = FL_OPTION_UNSIGNED,
     .offset = MODEL(input_fifo),
     .value = "N",
     .help = "packets (wormhole: flits) in an input FIFO",
     .least = 1,
     .most = FL_SIM_FIFO_MAX},
    {.name = "input-fifo-0",
     .kind = FL_OPTION_UNSIGNED,
     .offset = MODEL(input_fifo_level0),
     .value = "N",
     .help = "the same in switches that have nodes, and in all of level 0 of a tree",
     .least = 1,
     .most = FL_SIM_FIFO_MAX},
    {.name = "output-fifo",
     .kind = FL_OPTION_UNSIGNED,
     .offset = MODEL(output_fifo),
     .value = "N",
     .help = "packets in an output FIFO; 0: there is none",
     .most = FL_SIM_FIFO_MAX},
    {.name = "arbitration",
     .kind = FL_OPTION_WORD,
     .offset = MODEL(arbitration),
     .value = "KIND",
     .help = "which request wins",
     .words = fl_sim_arbitration_names},
    {.name = "choice",
     .kind = FL_OPTION_WORD,
     .offset = MODEL(choice),
     .value = "KIND",
     .help = "among several candidates",
     .words = fl_sim_choice_names},
    {.name = "routing-delay",
     .kind = FL_OPTION_UNSIGNED,
     .offset = MODEL(routing_delay),
     .value = "N",
     .help = "cycles that a switch takes to route a header",
     .most = FL_SIM_DELAY_MAX},
    {.name = "credit-delay",
     .kind = FL_OPTION_UNSIGNED,
     .offset = MODEL(credit_delay),
     .value = "N",
     .help = "cycles until a sender knows of free space",
     .least = 1,
     .most = FL_SIM_DELAY_MAX},
    {.name = "source-queue",
     .kind = FL_OPTION_UNSIGNED,
     .offset = MODEL(source_queue),
     .value = "N",
     .help = "packets in a source's queue, which waits when it is full; 0: no bound",
     .most = FL_SIM_FIFO_MAX},
    {0}};

static const fl_option_row latency_rows[] = {
    {.name = "link-latency",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(link_latency),
     .value = "N",
     .help = "cycles on a link, at least 1; or CLASS=N,CLASS=N...",
     .most = FL_SIM_DELAY_MAX},
    {0}};

static const fl_option_row fault_rows[] = {
    {.name = "fail",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fail),
     .value = "LINKS",
     .help = "links that are down: LINK;LINK... or @FILE with one a line",
     .was = "fault-list"},
    {.name = "faults",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(faults),
     .value = "N",
     .help = "instead: N faulty components, drawn at random"},
    {.name = "fault-rate",
     .kind = FL_OPTION_RATES,
     .offset = OFFSET(fault_rate),
     .value = "LIST",
     .help = "instead: such a fraction of faulty components; several are the axis of the curves, "
             "which then have one load",
     .was = "fault-rates"},
    {.name = "fault-model",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fault_model),
     .value = "MODEL",
     .help = "what fails then, as for sweep",
     .preset = "links",
     .was = "fault-class",
     .now = "fault-model links:class=CLASS"},
    {.name = "fault-seed",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(fault_seed),
     .value = "N",
     .help = "seed of the faults drawn",
     .preset = "1",
     .most = SEED_MAX},
    {.name = "fault-sets",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(fault_sets),
     .value = "N",
     .help = "average over N sets of faults, drawn with the seeds that follow --fault-seed; every "
             "set is one run, with the same of every curve (default: 10 with several fault rates)",
     .least = 1,
     .most = FL_LOAD_RUNS_MAX},
    {.name = "fail-at",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fail_at),
     .value = "LIST",
     .help = "links that fail during the run: CYCLE:LINK;CYCLE:LINK..."},
    {0}};

static const fl_option_row failure_rows[] = {
    {.name = "on-failure",
     .kind = FL_OPTION_WORD,
     .offset = MODEL(on_failure),
     .value = "KIND",
     .help = "what becomes of packets on a link that fails: lost (default), or sent again from "
             "their source",
     .words = fl_sim_on_failure_names},
    {0}};

static const fl_option_row series_rows[] = {
    {.name = "series",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(series),
     .value = "N",
     .help = "record packets and latencies in intervals of N cycles, in the JSON and figures",
     .least = 1,
     .most = (double)FL_SIM_CYCLES_MAX},
    {0}};

static const fl_option_row run_rows[] = {{.name = "seed",
                                          .kind = FL_OPTION_COUNT,
                                          .offset = OFFSET(seed),
                                          .value = "N",
                                          .help = "seed of traffic and of random choices",
                                          .preset = "1",
                                          .most = SEED_MAX},
                                         {.name = "runs",
                                          .kind = FL_OPTION_UNSIGNED,
                                          .offset = OFFSET(runs),
                                          .value = "N",
                                          .help = "runs of every load, with the seeds that follow",
                                          .preset = "1",
                                          .least = 1,
                                          .most = FL_LOAD_RUNS_MAX},
                                         {0}};

const fl_option_group fl_load_keys[] = {
    FL_OPTION_ROWS("network and routers", network_rows, 0),
    FL_OPTION_ROWS(NULL, fl_scope_rows, OFFSET(scope)),
    FL_OPTION_ROWS("traffic", preset_rows, 0),
    FL_OPTION_ROWS(NULL, traffic_rows, 0),
    FL_OPTION_ROWS(NULL, cycles_rows, OFFSET(model)),
    FL_OPTION_ROWS(NULL, steady_rows, OFFSET(model)),
    FL_OPTION_ROWS("switches and links", model_rows, OFFSET(model)),
    FL_OPTION_ROWS(NULL, latency_rows, 0),
    FL_OPTION_ROWS("faults", fault_rows, 0),
    FL_OPTION_ROWS(NULL, failure_rows, OFFSET(model)),
    FL_OPTION_ROWS("runs", series_rows, 0),
    FL_OPTION_ROWS(NULL, run_rows, 0),
    {0}};

/* ---- a single simulation ---- */

static const fl_option_row workload_rows[] = {
    {.name = "workload",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(workload),
     .value = "WORKLOAD",
     .help = "in place of traffic: messages that wait for others, until all have arrived"},
    {0}};

static const fl_option_row placement_rows[] = {
    {.name = "placement",
     .kind = FL_OPTION_WORD,
     .offset = MODEL(placement),
     .value = "KIND",
     .help = "processes of a workload on nodes: switch after switch, or by numbers",
     .words = fl_sim_placement_names},
    {0}};

static const fl_option_row flit_rows[] = {
    {.name = "flit-bytes",
     .kind = FL_OPTION_UNSIGNED,
     .offset = MODEL(flit_bytes),
     .value = "N",
     .help = "bytes of a flit, for the messages of a workload (default: 4)",
     .least = 1,
     .most = FL_SIM_FLIT_BYTES_MAX},
    {0}};

static const fl_option_row saturation_rows[] = {
    {.name = "find-saturation",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(find_saturation),
     .help = "in place of --load: find the highest load that is carried"},
    {0}};

static const fl_option_group single[] = {FL_OPTION_ROWS("a single simulation", workload_rows, 0),
                                         FL_OPTION_ROWS(NULL, placement_rows, OFFSET(model)),
                                         FL_OPTION_ROWS(NULL, flit_rows, OFFSET(model)),
                                         FL_OPTION_ROWS(NULL, saturation_rows, 0),
                                         {0}};

const fl_option_group fl_load_groups[] = {
    FL_OPTION_GROUPS(fl_load_keys, 0), FL_OPTION_GROUPS(single, 0), {0}};

const fl_option_group fl_makespan_keys[] = {FL_OPTION_ROWS(NULL, preset_rows, 0),
                                            FL_OPTION_ROWS(NULL, placement_rows, OFFSET(model)),
                                            FL_OPTION_ROWS(NULL, cycles_rows, OFFSET(model)),
                                            FL_OPTION_ROWS(NULL, run_rows, 0),
                                            {0}};

const fl_option_group fl_load_model_groups[] = {FL_OPTION_ROWS(NULL, cycles_rows, 0),
                                                FL_OPTION_ROWS(NULL, steady_rows, 0),
                                                FL_OPTION_ROWS(NULL, model_rows, 0),
                                                FL_OPTION_ROWS(NULL, failure_rows, 0),
                                                FL_OPTION_ROWS(NULL, placement_rows, 0),
                                                FL_OPTION_ROWS(NULL, flit_rows, 0),
                                                {0}};
