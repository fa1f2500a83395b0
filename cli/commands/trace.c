/* `trace`: one packet, hop by hop. */
#include "cli/picture.h"

#include <stddef.h>
#include <string.h>

typedef struct values {
    fl_network_values network;
    char *router, *from, *to;
    fl_scope scope;
    fl_fault_values faults;
    fl_picture_values picture;
    bool json;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {
    {.name = "router",
     .kind = FL_OPTION_TEXT,
     .offset = offsetof(values, router),
     .value = "NAME",
     .help = "router, e.g. gns+x-turns+gdl, or with a VC assignment gns+gdl@phase:3",
     .was = "routers"},
    {.name = "from",
     .kind = FL_OPTION_TEXT,
     .offset = offsetof(values, from),
     .value = "NODE",
     .help = "where the packet starts: a label such as '<0,000>', or a node number",
     .was = "source"},
    {.name = "to",
     .kind = FL_OPTION_TEXT,
     .offset = offsetof(values, to),
     .value = "NODE",
     .help = "where it shall go",
     .was = "destination"},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("packet", fl_network_rows, offsetof(values, network)),
    FL_OPTION_ROWS(NULL, rows, 0),
    FL_OPTION_ROWS(NULL, fl_scope_rows, offsetof(values, scope)),
    FL_OPTION_ROWS("faults", fl_fault_rows, offsetof(values, faults)),
    FL_OPTION_ROWS("output", fl_picture_rows, offsetof(values, picture)),
    FL_OPTION_ROWS(NULL, fl_json_rows, offsetof(values, json)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

typedef struct job {
    const fl_call *call;
    const values *values;
    fl_network *network;
    fl_router *router;
    fl_fault_set faults;
    fl_address from, to;
    fl_picture_file file;
} job;

static bool check_given(const fl_call *call)
{
    static const char *const needed[][2] = {{"router", "which router?"},
                                            {"from", "where does the packet start?"},
                                            {"to", "where shall the packet go?"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!fl_call_given(call, needed[i][0]))
            return fl_complain("%s Give --%s; --help shows more", needed[i][1], needed[i][0]),
                   false;
    return true;
}

static bool read_node(const job *j, const char *option, const char *text, fl_address *out)
{
    fl_error error;
    if (fl_network_parse_node(j->network, text, out, &error))
        return fl_complain_in_option(option, NULL, &error), false;
    return true;
}

static bool read_router(job *j)
{
    fl_error error;
    const char *name = j->values->router;
    if (strchr(name, ','))
        return fl_complain("--router %.80s: trace takes one router; rules are joined by '+'", name),
               false;
    if (fl_router_create(&j->router, j->network, name, j->values->scope, &error))
        return fl_complain_of(&error), false;
    if (!j->router->next)
        return fl_complain("'%s' is a limit, not a router: it has no path of its own. Every trace "
                           "shows the shortest path that is left",
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
    return (j->network = fl_network_of(&j->values->network)) != NULL && check_given(j->call) &&
           read_router(j) && read_node(j, "from", j->values->from, &j->from) &&
           read_node(j, "to", j->values->to, &j->to) && read_faults(j) &&
           fl_picture_of(j->call, &j->values->picture, &j->file);
}

static int follow(job *j)
{
    fl_trace *trace;
    fl_error error;
    bool json = j->values->json, wanted = j->file.path != NULL;
    fl_text text = {.columns = json ? 0 : fl_terminal_columns()};
    int code = FL_EXIT_OK;
    if (fl_trace_packet(&trace, j->router, &j->faults, j->from, j->to, &error))
        return fl_complain_of(&error);
    if (j->router->note[0])
        fprintf(stderr, "note: %s: %s\n", j->router->name, j->router->note);
    (json ? fl_trace_json : fl_trace_text)(trace, &text);
    if (!json)
        fl_faults_append_drawn(j->call, j->network, &j->faults, &text);
    code = fl_print_text(&text);
    if (code == FL_EXIT_OK && wanted &&
        fl_trace_draw(trace, j->file.extent, j->file.path, &error)) {
        fl_complain("no picture: %s", error.text);
        code = FL_EXIT_FAILED;
    } else if (code == FL_EXIT_OK && wanted && !json) {
        fl_picture_print_written(&j->file);
    }
    fl_trace_destroy(trace);
    return code;
}

static int run(fl_call *call)
{
    job j = {.call = call, .values = call->options.values};
    int code = prepare(&j) ? follow(&j) : FL_EXIT_BAD_INPUT;
    fl_fault_set_clear(&j.faults);
    fl_router_destroy(j.router);
    fl_network_destroy(j.network);
    return code;
}

const fl_command fl_command_trace = {
    .name = "trace",
    .summary = "one packet under one set of faults, hop by hop, and its picture",
    .about =
        "One packet under one set of faults, hop by hop: what was asked, what was answered, "
        "which rule fired.\n\n"
        "A network too large for one page is shown in part: what is on the paths, or was asked "
        "about. Labels and lists of links need quotes in a shell, because of < > and ;",
    .usage = (const char *const[]){"NET --router NAME --from NODE --to NODE [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"topology", NULL},
    .examples =
        (const char *const[]){"faultline trace mikant:k=3,n=3 --router gns --from '<0,000>' "
                              "--to '<1,111>' --fail '<0,1,01>-<1,1,11>' --picture "
                              "route.svg",
                              "faultline trace mikant:k=3,n=3 --router gns+x-turns+gdl "
                              "--from 0 --to 53 --faults 30 --trial 7",
                              "faultline trace kary-ntree:k=4,n=3 --router gns+gdl@phase:3 "
                              "--from 0 --to 63 --fail @faults.txt --json",
                              NULL},
    .exits = "exit codes: 0 done (also if the packet was blocked), 1 done but no picture, or the "
             "work failed, 2 bad input",
    .run = run,
};
