/* `search`: host-switch graphs of small h-ASPL. */
#include "cli/folder.h"
#include "cli/ranks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    fl_search_spec spec;
    unsigned threads;
    char *start, *out;
    bool resume, force, json, quiet;
    fl_common_values common;
} values;

static const fl_option_row size_rows[] = {
    {.name = "hosts",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, spec.hosts),
     .value = "N",
     .help = "hosts to connect (needed)",
     .least = 2,
     .most = FL_SEARCH_HOSTS_MAX},
    {.name = "radix",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, spec.radix),
     .value = "R",
     .help = "ports of a switch (needed)",
     .least = 3,
     .most = 65535},
    {.name = "switches",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, spec.switches),
     .value = "M",
     .help = "number of switches (default: where the continuous Moore bound is least; with "
             "symmetry, drawn around that for each chain)",
     .least = 1,
     .most = FL_SEARCH_HOSTS_MAX},
    {.name = "symmetry",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, spec.symmetry),
     .value = "G",
     .help = "groups of G switches map on each other by rotation; 0: G is drawn for each chain",
     .preset = "1",
     .most = FL_SEARCH_HOSTS_MAX},
    {.name = "start",
     .kind = FL_OPTION_NETWORK,
     .offset = offsetof(values, start),
     .value = "NET",
     .help = "begin with the graph of this network, e.g. polarity:q=13,r=21 or file:g.edges, in "
             "place of a random one"},
    {0}};

static const fl_option_row effort_rows[] = {
    {.name = "time",
     .kind = FL_OPTION_SECONDS,
     .offset = offsetof(values, spec.seconds),
     .value = "T",
     .help = "how long to search",
     .preset = "60s",
     .least = .01},
    {.name = "steps",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, spec.steps),
     .value = "N",
     .help = "steps of each chain, in place of a time: the result is then the same for every "
             "machine, number of threads and interruption",
     .least = 1},
    {.name = "chains",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, spec.chains),
     .value = "N",
     .help = "annealings side by side, of which the worst now and then go on from where the best "
             "are (default: 4, with symmetry 32)",
     .least = 1,
     .most = FL_SEARCH_CHAINS_MAX},
    {.name = "seed",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, spec.seed),
     .value = "S",
     .help = "seed of all drawing",
     .preset = "1"},
    {.name = "hottest",
     .kind = FL_OPTION_NUMBER,
     .offset = offsetof(values, spec.hottest),
     .value = "X",
     .help = "temperature at the beginning; 1: what one pair of average switches weighs that comes "
             "nearer by one link (default: 0.7, with symmetry 8)",
     .least = 1e-6,
     .most = 1e6},
    {.name = "coldest",
     .kind = FL_OPTION_NUMBER,
     .offset = offsetof(values, spec.coldest),
     .value = "X",
     .help = "temperature at the end",
     .preset = "0.08",
     .least = 1e-6,
     .most = 1e6},
    {.name = "threads",
     .kind = FL_OPTION_UNSIGNED,
     .offset = offsetof(values, threads),
     .value = "N",
     .help = "chains at a time, under mpirun in each rank (default: all processors, or a rank's "
             "share)",
     .least = 1,
     .most = FL_SWEEP_THREADS_MAX},
    {0}};

static const fl_option_row output_rows[] = {
    {.name = "out",
     .kind = FL_OPTION_FILE,
     .offset = offsetof(values, out),
     .value = "FILE",
     .help = "the best graph, as `file:FILE` reads it; until the end FILE.checkpoint keeps the "
             "state"},
    {.name = "resume",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, resume),
     .help = "go on from FILE.checkpoint if it is there"},
    {.name = "force",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, force),
     .help = "overwrite FILE, and begin anew"},
    {.name = "json",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, json),
     .help = "print JSON"},
    {.name = "quiet",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, quiet),
     .help = "no progress"},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("what is searched for", size_rows, 0),
    FL_OPTION_ROWS("how long, and how", effort_rows, 0),
    FL_OPTION_ROWS("output", output_rows, 0),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

enum { PATH_SIZE = FL_PATH_MAX + 16, CHECKPOINT_BYTES_MAX = 1 << 30 };

static void checkpoint_path(char *path, const values *v)
{
    snprintf(path, PATH_SIZE, "%s.checkpoint", v->out);
}

/* What the options mean together. False after a complaint. */
static bool complete(const fl_call *call, fl_search_spec *spec)
{
    static const fl_option_pair never[] = {
        {"start", "switches", "the network has its number of switches"},
        {"start", "symmetry", "its graph has its own"},
        {"steps", "time", "the search ends after one or the other"},
        {"resume", "force", "the one goes on, the other begins anew"},
        {0}};
    static const fl_option_pair needed[] = {{"resume", "out", "its checkpoint is beside that file"},
                                            {"force", "out", "without it there is no file"},
                                            {0}};
    const values *v = call->options.values;
    bool symmetric;
    if (!fl_call_given(call, "hosts") || !fl_call_given(call, "radix"))
        return fl_complain("how many hosts, and ports of a switch? For example: faultline search "
                           "--hosts 1024 --radix 16; --help shows more"),
               false;
    if (!fl_refuse_pairs(call, never) || !fl_need_pairs(call, needed))
        return false;
    *spec = v->spec;
    symmetric = spec->symmetry != 1;
    if (!fl_call_given(call, "chains"))
        spec->chains = symmetric ? 32 : 4;
    if (!fl_call_given(call, "hottest"))
        spec->hottest = symmetric ? 8 : v->start ? .1 : .7;
    if (spec->steps > 0)
        spec->seconds = 0;
    if (spec->coldest > spec->hottest)
        return fl_complain("--coldest %g is above --hottest %g", spec->coldest, spec->hottest),
               false;
    return true;
}

/* Nothing is overwritten, and what could not be written is found out before the work. */
static bool prepare_file(const values *v)
{
    char path[PATH_SIZE];
    fl_error error;
    if (!v->out)
        return true;
    checkpoint_path(path, v);
    if (!v->force && fl_file_exists(v->out) && !(v->resume && fl_file_exists(path)))
        return fl_complain("%s exists already; --force overwrites it", v->out), false;
    if (!v->force && !v->resume && fl_file_exists(path))
        return fl_complain("%s is there, of a search that did not end; --resume goes on with it, "
                           "--force begins anew",
                           path),
               false;
    if (!(v->resume && fl_file_exists(path)) && fl_file_write(path, "", 0, &error))
        return fl_complain_of(&error), false;
    return true;
}

/* A search that has ended leaves its graph, and no checkpoint. */
static bool is_finished(const values *v)
{
    char path[PATH_SIZE];
    if (!v->resume)
        return false;
    checkpoint_path(path, v);
    return fl_file_exists(v->out) && !fl_file_exists(path);
}

static bool read_checkpoint(fl_search *search, const values *v)
{
    char path[PATH_SIZE], *bytes;
    size_t length;
    fl_error error;
    checkpoint_path(path, v);
    if (!v->resume || !fl_file_exists(path))
        return true;
    if (fl_file_read(&bytes, &length, path, CHECKPOINT_BYTES_MAX, &error))
        return fl_complain_of(&error), false;
    /* Empty: the search had not come to its first checkpoint. */
    fl_status status = length ? fl_search_resume(search, bytes, length, &error) : FL_OK;
    free(bytes);
    if (status)
        return fl_complain("%s: %s", path, error.text), false;
    return true;
}

typedef struct watch {
    fl_progress progress;
    const fl_search_spec *spec;
} watch;

static void show(void *user, const fl_search_state *state)
{
    watch *w = user;
    double pairs = (double)state->pairs, best = (double)state->sum / pairs;
    snprintf(w->progress.note, sizeof w->progress.note,
             "; h-ASPL %.5f, now %.5f, %.2f%% above the bound", best,
             (double)state->current_sum / pairs,
             100 * (best / fl_host_switch_aspl_bound(w->spec->hosts, w->spec->radix) - 1));
    fl_progress_show(&w->progress, state->round, state->rounds);
}

static void warn(void *user, const char *text)
{
    watch *w = user;
    fl_progress_warn(&w->progress, text);
}

/* The graph goes into its file. False after a complaint. */
static bool write_graph(const fl_text *graph, const values *v, bool stopped)
{
    char path[PATH_SIZE];
    fl_error error;
    if (!v->out)
        return true;
    if (fl_file_write(v->out, graph->data, graph->length, &error))
        return fl_complain_of(&error), false;
    checkpoint_path(path, v);
    if (!stopped)
        remove(path);
    return true;
}

static int deliver(const fl_search *search, const values *v, bool stopped)
{
    fl_text graph = {0}, result = {.columns = v->json ? 0 : fl_terminal_columns()};
    int code = FL_EXIT_FAILED;
    fl_search_append_graph(search, &graph);
    (v->json ? fl_search_json : fl_search_summary)(search, &result);
    if (graph.failed || result.failed)
        fl_complain_memory("the result");
    else if (write_graph(&graph, v, stopped))
        code = fl_print_text(&result);
    fl_text_clear(&graph);
    fl_text_clear(&result);
    if (code == FL_EXIT_OK && stopped) {
        fl_complain("ended early: this is the best so far%s", v->out ? "; --resume goes on" : "");
        return FL_EXIT_INTERRUPTED;
    }
    return code;
}

static int run_search(fl_search *search, const fl_search_spec *spec, fl_call *call)
{
    const values *v = call->options.values;
    char path[PATH_SIZE];
    watch w = {.spec = spec};
    fl_error error;
    fl_search_state state;
    checkpoint_path(path, v);
    fl_interrupt_watch();
    fl_progress_start(&w.progress, v->quiet || !fl_ranks_lead(call->ranks), NULL);
    const fl_search_run_options options = {.threads = fl_ranks_threads(call->ranks, v->threads),
                                           .stop = &fl_interrupted,
                                           .checkpoint = v->out ? path : NULL,
                                           .progress = show,
                                           .warn = warn,
                                           .user = &w};
    fl_status status = fl_search_run(search, &options, &error);
    fl_progress_end(&w.progress);
    if (status)
        return fl_complain_of(&error);
    fl_search_state_of(search, &state);
    return fl_ranks_lead(call->ranks) ? deliver(search, v, state.stopped) : FL_EXIT_OK;
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    fl_search_spec spec;
    fl_search *search = NULL;
    fl_error error;
    fl_text asked = {0};
    unsigned first;
    fl_network *start = NULL;
    bool ready = complete(call, &spec);
    if (ready && v->start) {
        ready = (start = fl_network_of(&(fl_network_values){v->start})) != NULL;
        spec.switches = start ? start->switches : 0;
    }
    if (ready && fl_search_create(&search, &spec, start, call->ranks, &error)) {
        fl_complain_of(&error);
        ready = false;
    }
    ready = fl_ranks_agree_on(call, ready, &asked);
    ready = ready && fl_ranks_are_ready(call->ranks, read_checkpoint(search, v), &first);
    enum { NOT_READY, READY, FINISHED };
    unsigned says = NOT_READY;
    if (ready)
        says = is_finished(v) ? FINISHED : !fl_ranks_lead(call->ranks) || prepare_file(v);
    ready = ready && fl_ranks_are_ready(call->ranks, says, &first);
    int code = FL_EXIT_BAD_INPUT;
    if (ready && first == FINISHED) {
        if (fl_ranks_lead(call->ranks) && !v->quiet)
            fprintf(stderr, "nothing is left to do: %s is finished (--force searches again)\n",
                    v->out);
        code = FL_EXIT_OK;
    } else if (ready) {
        code = run_search(search, &spec, call);
    }
    fl_search_destroy(search);
    fl_network_destroy(start);
    return code;
}

const fl_command fl_command_search = {
    .name = "search",
    .summary = "graphs of switches on which hosts are near each other (order/radix problem)",
    .about =
        "Searches for a graph that connects N hosts by switches of radix R so that the mean "
        "distance between hosts (h-ASPL) is small: simulated annealing with swaps and 2-neighbour "
        "swings (Yasudo thesis, 3.4). The h-ASPL is exact, and shown beside its lower bounds.\n\n"
        "Rotational symmetry makes the space smaller by G and finds better graphs where N and M "
        "have divisors; switches without hosts are allowed.",
    .usage = (const char *const[]){"--hosts N --radix R [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .examples =
        (const char *const[]){"faultline search --hosts 1024 --radix 16 --time 60s --out "
                              "g.edges",
                              "faultline search --hosts 1024 --radix 16 --symmetry 0 "
                              "--time 10m --out g.edges",
                              "faultline search --hosts 432 --radix 12 --switches 216 "
                              "--symmetry 72 --steps 1e6 --seed 3 --json",
                              "faultline search --hosts 1281 --radix 21 --start polarity:q=13,r=21 "
                              "--time 10s",
                              "faultline topology file:g.edges", NULL},
    .exits = "exit codes: 0 done, 1 the graph could not be written, 2 bad input (nothing done), "
             "130 ended by Ctrl-C (the best so far is written)",
    .ranked = true,
    .run = run,
};
