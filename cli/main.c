#include "cli/complaints.h"
#include "cli/experiment.h"

#include <signal.h>
#include <string.h>

const fl_command fl_commands[] = {
    {"sweep", fl_command_sweep,
     "success ratio and path length against the number of faults, by sampling"},
    {"exact", fl_command_exact, "the same without sampling error, by following every answer"},
    {"deadlock", fl_command_deadlock,
     "can packets wait for each other in a circle? fault sets one by one, or proofs"},
    {"merge", fl_command_merge, "adds up the results of shards"},
    {"topology", fl_command_topology,
     "measured and published properties of a network: distances, bisection, path diversity"},
    {"simulate", fl_command_simulate,
     "latency and accepted load against offered load, packet by packet"},
    {"makespan", fl_command_makespan,
     "times of workloads on several networks, and performance over cost"},
    {"workload", fl_command_workload,
     "writes a workload, messages that wait for others, as a trace"},
    {"catalogue", fl_command_catalogue,
     "published tables and figures beside closed forms and measured values, as one page"},
    {"choose", fl_command_choose,
     "networks of about so many nodes, by cost, distance and fault tolerance"},
    {"trace", fl_command_trace, "one packet under one set of faults, hop by hop, and its picture"},
    {"draw", fl_command_draw, "a drawing of a network and its faulty links"},
    {"list", fl_command_list,
     "the networks, routers, detour rules, channel rules and fault models there are"},
    {"new-router", fl_command_new_router,
     "writes a router, a detour rule or a network of your own to begin with: a plug-in"},
    {NULL, NULL, NULL},
};

static void print_help(FILE *to)
{
    fputs("Faultline: a testbed for fault-tolerant routing in interconnection networks\n\n"
          "usage: faultline COMMAND [OPTIONS]\n\ncommands:\n",
          to);
    for (const fl_command *command = fl_commands; command->name; command++)
        fprintf(to, "  %-11s %s\n", command->name, command->summary);
    fputs(
        "\n'faultline COMMAND --help' tells the options of a command; 'faultline --version' the version.\n"
        "\nexample:\n  faultline sweep --topology mikant:k=3,n=3 --routers shortest,gns+gdl --faults 0:40:10\n",
        to);
}

static int unknown_command(const char *name)
{
    static const char *const made_by_new_router[][2] = {{"new-network", "--network"},
                                                        {"new-rule", "--rule"}};
    const char *names[16] = {0};
    for (size_t i = 0; fl_commands[i].name; i++)
        names[i] = fl_commands[i].name;
    for (size_t i = 0; i < sizeof made_by_new_router / sizeof *made_by_new_router; i++)
        if (strcmp(name, made_by_new_router[i][0]) == 0)
            return fl_complain("unknown command '%.80s'; 'faultline new-router NAME %s' makes one",
                               name, made_by_new_router[i][1]);
    const char *nearest = fl_text_nearest(name, names);
    if (nearest)
        return fl_complain("unknown command '%.80s'; did you mean '%s'?", name, nearest);
    return fl_complain("unknown command '%.80s'; 'faultline --help' lists the commands", name);
}

static int run_command(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "--help";
    bool help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (help && count > 2) {
        /* `faultline help sweep` is `faultline sweep --help`. */
        static char option[] = "--help";
        name = arguments[2];
        arguments[2] = option;
        count = 3;
    } else if (help) {
        print_help(count > 1 ? stdout : stderr);
        return count > 1 ? FL_EXIT_OK : FL_EXIT_BAD_INPUT;
    }
    if (strcmp(name, "--version") == 0) {
        puts("faultline " FL_VERSION);
        return FL_EXIT_OK;
    }
    for (const fl_command *command = fl_commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command->run(count - 2, arguments + 2);
    return unknown_command(name);
}

int main(int count, char **arguments)
{
    signal(SIGXFSZ,
           SIG_IGN); /* a file that may not grow is an error like a full disk, not the end */
    int code = run_command(count, arguments);
    fl_unlock_folder();
    fl_plugins_end();
    if (code == FL_EXIT_BAD_INPUT && fl_memory_ran_out())
        code = FL_EXIT_FAILED; /* the input may be good: it was not read to the end */
    if (fflush(stdout) != 0 || ferror(stdout))
        return fl_complain("cannot write to standard output"), FL_EXIT_FAILED;
    return code;
}
