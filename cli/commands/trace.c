#include "cli/experiment.h"
#include "cli/picture.h"
#include "experiments/experiments.h"

#include <string.h>

static const fl_option option_table[] = {
    {"topology", "NET", "network, e.g. mikant:k=3,n=3 (see 'faultline list')", NULL},
    {"router", "NAME", "router, e.g. gns+x-turns+gdl, or with a channel rule gns+gdl@phase:3",
     NULL},
    {"from", "NODE", "where the packet starts: a label such as '<0,000>', or a node number", NULL},
    {"to", "NODE", "where it shall go", NULL},
    FL_FAULT_OPTIONS,
    {"scope", "SCOPE",
     "what a switch knows: detour (the links of its detours, default) or local (its own)", NULL},
    {"out", "FILE", "draw it: FILE.svg, FILE.pdf or FILE.png", NULL},
    FL_PICTURE_OPTIONS,
    {"json", NULL, "JSON instead of text", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts(
        "One packet under one set of faults, hop by hop: what was asked, what was answered, which rule fired.\n\n"
        "usage: faultline trace --topology NET --router NAME --from NODE --to NODE [OPTIONS]\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nA network too large for one page is shown in part: what is on the paths, or was asked about. Labels and\n"
        "lists of links need quotes in a shell, because of < > and ;\n\n"
        "examples:\n"
        "  faultline trace --topology mikant:k=3,n=3 --router gns --from '<0,000>' --to '<1,111>' \\\n"
        "    --fail '<0,1,01>-<1,1,11>' --out route.svg\n"
        "  faultline trace --topology mikant:k=3,n=3 --router gns+x-turns+gdl --from 0 --to 53 --faults 30 --trial 7\n"
        "  faultline trace --topology kary-ntree:k=4,n=3 --router gns+gdl@phase:3 --from 0 --to 63 --fail @faults.txt --json\n\n"
        "exit codes: 0 done (also if the packet was blocked), 1 done but no picture, or the work failed, 2 bad input");
}

typedef struct job {
    fl_option *options;
    fl_network *network;
    fl_router *router;
    fl_fault_set faults;
    fl_address from, to;
    fl_picture_file file;
} job;

static bool check_given(const fl_option *options)
{
    static const char *const needed[][2] = {{"router", "which router?"},
                                            {"from", "where does the packet start?"},
                                            {"to", "where shall the packet go?"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!fl_option_value(options, needed[i][0]))
            return fl_complain("%s Give --%s; --help tells more", needed[i][1], needed[i][0]),
                   false;
    return true;
}

static bool read_node(const job *j, const char *option, fl_address *out)
{
    fl_error error;
    if (fl_network_parse_node(j->network, fl_option_value(j->options, option), out, &error))
        return fl_complain_in_option(option, NULL, &error), false;
    return true;
}

static bool read_router(job *j)
{
    fl_error error;
    fl_scope scope = FL_SCOPE_DETOUR;
    const char *text = fl_option_value(j->options, "scope");
    if (strchr(fl_option_value(j->options, "router"), ','))
        return fl_complain("--router %.80s: trace takes one router; rules are joined by '+'",
                           fl_option_value(j->options, "router")),
               false;
    if ((text && fl_scope_parse(&scope, text, &error)) ||
        fl_router_create(&j->router, j->network, fl_option_value(j->options, "router"), scope,
                         &error))
        return fl_complain_of(&error), false;
    if (!j->router->next)
        return fl_complain(
                   "'%s' is a limit, not a router: it has no way of its own. Every trace tells the shortest path that is left",
                   j->router->name),
               false;
    return true;
}

static bool prepare(job *j)
{
    return (j->network = fl_network_from_options(j->options)) != NULL && check_given(j->options) &&
           read_router(j) && read_node(j, "from", &j->from) && read_node(j, "to", &j->to) &&
           fl_faults_from_options(j->options, j->network, &j->faults) &&
           fl_picture_from_options(j->options, &j->file);
}

static int run(job *j)
{
    fl_trace *trace;
    fl_error error;
    fl_text text = {0};
    bool json = fl_option_value(j->options, "json") != NULL, wanted = j->file.path != NULL;
    int code = FL_EXIT_OK;
    if (fl_trace_packet(&trace, j->router, &j->faults, j->from, j->to, &error))
        return fl_complain_of(&error);
    if (j->router->note[0])
        fprintf(stderr, "note: %s: %s\n", j->router->name, j->router->note);
    (json ? fl_trace_json : fl_trace_text)(trace, &text);
    if (!json)
        fl_faults_append_drawn(j->options, j->network, &j->faults, &text);
    code = fl_print_text(&text);
    if (code == FL_EXIT_OK && wanted &&
        fl_trace_draw(trace, j->file.extent, j->file.path, &error)) {
        fl_complain("no picture: %s", error.text);
        code = FL_EXIT_FAILED;
    } else if (code == FL_EXIT_OK && wanted && !json) {
        fl_picture_say_written(&j->file);
    }
    fl_trace_destroy(trace);
    return code;
}

int fl_command_trace(int count, char **arguments)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    int positional;
    if (!fl_options_read(options, count, arguments, NULL, 0, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        print_help();
        return FL_EXIT_OK;
    }
    job j = {.options = options};
    int code = prepare(&j) ? run(&j) : FL_EXIT_BAD_INPUT;
    fl_fault_set_clear(&j.faults);
    fl_router_destroy(j.router);
    fl_network_destroy(j.network);
    return code;
}
