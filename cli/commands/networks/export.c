/* `export`: a network as files for other programs, with the routes of a router. */
#include "cli/picture.h"

#include "core/text/lines.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    fl_network_values network;
    unsigned format;
    char *router, *out;
    fl_scope scope;
    fl_fault_values faults;
    fl_format_speeds speeds;
    bool force, json;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {
    {.name = "format",
     .kind = FL_OPTION_WORD,
     .offset = offsetof(values, format),
     .value = "FORMAT",
     .help = "what to write",
     .words = fl_format_names},
    {.name = "router",
     .kind = FL_OPTION_TEXT,
     .offset = offsetof(values, router),
     .value = "NAME",
     .help = "whose routes, e.g. table or d-mod-k; by default those of the network's base routing",
     .preset = "shortest",
     .was = "routers"},
    {.name = "scope",
     .kind = FL_OPTION_WORD,
     .offset = offsetof(values, scope),
     .value = "SCOPE",
     .help = "what a switch knows: the links of its detours, or only its own",
     .preset = "detour",
     .words = fl_scope_names},
    {0}};

#define SPEED(member) (offsetof(values, speeds) + offsetof(fl_format_speeds, member))

enum { NUMBER_MAX = 1000000000 };

static const fl_option_row speed_rows[] = {{.name = "bandwidth",
                                            .kind = FL_OPTION_NUMBER,
                                            .offset = SPEED(bandwidth),
                                            .value = "GBIT/S",
                                            .help = "of a link, each way",
                                            .preset = "10",
                                            .least = 1e-6,
                                            .most = NUMBER_MAX},
                                           {.name = "link-latency",
                                            .kind = FL_OPTION_NUMBER,
                                            .offset = SPEED(link_latency),
                                            .value = "NS",
                                            .help = "of a link",
                                            .preset = "36",
                                            .most = NUMBER_MAX},
                                           {.name = "switch-latency",
                                            .kind = FL_OPTION_NUMBER,
                                            .offset = SPEED(switch_latency),
                                            .value = "NS",
                                            .help = "of a switch",
                                            .preset = "60",
                                            .most = NUMBER_MAX},
                                           {.name = "loopback-bandwidth",
                                            .kind = FL_OPTION_NUMBER,
                                            .offset = SPEED(loopback_bandwidth),
                                            .value = "GBIT/S",
                                            .help = "of messages of a node to itself",
                                            .preset = "100",
                                            .least = 1e-6,
                                            .most = NUMBER_MAX},
                                           {.name = "loopback-latency",
                                            .kind = FL_OPTION_NUMBER,
                                            .offset = SPEED(loopback_latency),
                                            .value = "NS",
                                            .help = "of these",
                                            .preset = "0",
                                            .most = NUMBER_MAX},
                                           {.name = "speed",
                                            .kind = FL_OPTION_NUMBER,
                                            .offset = SPEED(flops),
                                            .value = "GFLOPS",
                                            .help = "of a node",
                                            .preset = "100",
                                            .least = 1e-6,
                                            .most = NUMBER_MAX},
                                           {0}};

static const fl_option_row output_rows[] = {
    {.name = "out",
     .kind = FL_OPTION_FILE,
     .offset = offsetof(values, out),
     .value = "FILE",
     .help = "the first file; the others have its name with other endings"},
    {.name = "force",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, force),
     .help = "overwrite the files"},
    {.name = "json",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, json),
     .help = "print what was written as JSON"},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("network", fl_network_rows, offsetof(values, network)),
    FL_OPTION_ROWS(NULL, rows, 0),
    FL_OPTION_ROWS("faults", fl_fault_rows, offsetof(values, faults)),
    FL_OPTION_ROWS("speeds", speed_rows, 0),
    FL_OPTION_ROWS("output", output_rows, 0),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

typedef struct job {
    const fl_call *call;
    const values *values;
    const fl_format *format;
    fl_network *network;
    fl_router *router;
    fl_fault_set faults;
    fl_export written;
} job;

static void append_formats(fl_text *out)
{
    fl_text_append(out, "\nformats:\n");
    for (const fl_format *const *format = fl_formats; *format; format++)
        fl_help_item((*format)->name, (*format)->summary, 12, fl_help_width(), out);
}

static bool check_given(const fl_call *call)
{
    if (!fl_call_given(call, "format"))
        return fl_complain("which format? Give --format, e.g. --format %s; --help shows more",
                           fl_format_names[0]),
               false;
    if (!fl_call_given(call, "out"))
        return fl_complain("where shall it go? Give --out FILE; --help shows more"), false;
    return true;
}

static bool check_files(const job *j)
{
    bool free_to_write = true;
    for (unsigned i = 0; free_to_write && j->format->endings[i]; i++) {
        char *path = fl_export_path(j->format, j->values->out, i);
        if (!path)
            return fl_complain_memory("the name of a file"), false;
        free_to_write = fl_check_free(path, "out", j->values->force);
        free(path);
    }
    return free_to_write;
}

static bool read_router(job *j)
{
    fl_error error;
    const char *name = j->values->router;
    if (strchr(name, ','))
        return fl_complain("--router %.80s: the routes of one router are written; rules are joined "
                           "by '+'",
                           name),
               false;
    if (fl_router_create(&j->router, j->network, name, j->values->scope, &error))
        return fl_complain_of(&error), false;
    if (!j->router->next)
        return fl_complain("'%s' is a limit, not a router: it has no routes to write",
                           j->router->name),
               false;
    return true;
}

static bool read_faults(job *j)
{
    fl_error error;
    return fl_fault_values_draw(&j->faults, j->network, &j->call->options, &j->values->faults,
                                &error)
               ? (fl_complain_of(&error), false)
               : true;
}

static bool prepare(job *j)
{
    if (!check_given(j->call))
        return false;
    j->format = fl_formats[j->values->format];
    return (j->network = fl_network_of(&j->values->network)) != NULL && read_router(j) &&
           read_faults(j) && check_files(j);
}

static void append_report(const job *j, fl_text *out)
{
    const fl_format_counts *counts = &j->written.counts;
    fl_text_append(out, "%s, routes of %s: %llu nodes, %llu links, %llu routes", j->network->spec,
                   j->router->name, (unsigned long long)counts->nodes,
                   (unsigned long long)counts->links, (unsigned long long)counts->routes);
    if (counts->pairs > 0)
        fl_text_append(out, ", of %.6g links on average over the %llu pairs (exact)",
                       (double)counts->length_sum / (double)counts->pairs,
                       (unsigned long long)counts->pairs);
    fl_text_append(out, "\n");
    fl_faults_append_drawn(j->call, j->network, &j->faults, out);
    for (unsigned i = 0; j->format->endings[i]; i++) {
        char *path = fl_export_path(j->format, j->values->out, i);
        out->failed |= !path;
        fl_text_append(out, "written to %s\n", path ? path : "");
        free(path);
    }
    fl_text_fit(out);
}

static void print_notes(const job *j)
{
    const fl_format_counts *counts = &j->written.counts;
    if (j->router->note[0])
        fprintf(stderr, "note: %s: %s\n", j->router->name, j->router->note);
    if (counts->nodes_left_out > 0)
        fprintf(stderr, "note: %llu nodes are left out: all their links are down\n",
                (unsigned long long)counts->nodes_left_out);
    if (counts->pairs_cut > 0)
        fprintf(stderr,
                "note: %llu of %llu pairs have no route: %s does not deliver between them\n",
                (unsigned long long)counts->pairs_cut,
                (unsigned long long)(counts->pairs_cut + counts->pairs), j->router->name);
}

/* The report comes first: where there is no memory for it, nothing is written. */
static fl_status make_files(job *j, fl_text *report, fl_error *error)
{
    fl_status status =
        fl_export_make(&j->written, j->format, j->router, &j->faults, &j->values->speeds, error);
    if (status)
        return status;
    if (j->values->json)
        fl_export_json(&j->written, j->router, j->values->out, report);
    else
        append_report(j, report);
    return report->failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the report")
                          : fl_export_write(&j->written, j->values->out, error);
}

static int write_files(job *j)
{
    fl_error error;
    fl_text report = {.columns = j->values->json ? 0 : fl_terminal_columns()};
    fl_progress_wait(j->network->spec);
    fl_status status = make_files(j, &report, &error);
    fl_progress_wait_end();
    if (status)
        return fl_text_clear(&report), fl_complain_of(&error);
    print_notes(j);
    return fl_print_text(&report);
}

static int run(fl_call *call)
{
    job j = {.call = call, .values = call->options.values};
    int code = prepare(&j) ? write_files(&j) : FL_EXIT_BAD_INPUT;
    fl_export_clear(&j.written);
    fl_fault_set_clear(&j.faults);
    fl_router_destroy(j.router);
    fl_network_destroy(j.network);
    return code;
}

const fl_command fl_command_export = {
    .name = "export",
    .summary = "a network as files for other programs, with the routes of a router",
    .about =
        "A network as files for other programs, with the route of every pair of nodes as a router "
        "chooses it; of several candidates each packet takes the first. Faulty links are left out, "
        "and so are the routes of pairs that the router does not deliver between, with a note.\n\n"
        "simgrid: FILE.xml is a platform, FILE.hosts the host file of smpirun: the MPI rank i runs "
        "on the i-th node. Node, switch and link i are n..., s... and l... with their index. A "
        "message takes the latencies of all links and switches on its route. The "
        "default speeds are those of the Yasudo thesis, 4.5.6; that has none for messages of a "
        "node to itself. docs/mpi-performance.md has examples.",
    .usage = (const char *const[]){"NET --format FORMAT --out FILE [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"topology", NULL},
    .more = append_formats,
    .examples =
        (const char *const[]){"faultline export torus:k=4,n=3 --format simgrid --out torus.xml",
                              "faultline export fattree3:K=8 --router table --format simgrid "
                              "--out tree.xml",
                              "smpirun -platform torus.xml -hostfile torus.hosts -np 64 ./program",
                              NULL},
    .notes = FL_PLACES_TEXT,
    .exits = "exit codes: 0 done (also if some pairs have no route), 1 the work failed, 2 bad "
             "input or no files (nothing done)",
    .run = run,
};
