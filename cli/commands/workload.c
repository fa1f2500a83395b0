#include "cli/cli.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

static const fl_option option_table[] = {
    {"processes", "N", "number of processes, one a node (must be given, but for trace:FILE)", NULL},
    {"nodes", "N", "the same", NULL},
    {"out", "FILE", "the trace; without it, it goes to standard output", NULL},
    {"force", NULL, "overwrite FILE", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts("Writes a workload as a trace, which 'simulate --workload trace:FILE' reads again.\n\n"
         "usage: faultline workload WORKLOAD --nodes N [OPTIONS]\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nworkloads (thin-tree paper, IV.C; NAME:key=value,...; all take processes=N and bytes=N):");
    for (const fl_sim_workload_help *w = fl_sim_workloads; w->name; w++)
        printf("  %-24s %s\n", w->name, w->summary);
    puts(
        "\ndocs/workloads.md defines them, and the format. A trace given as workload is checked, and written in the same form.\n\n"
        "examples:\n"
        "  faultline workload BU --nodes 8\n"
        "  faultline workload W2:sides=4x8,bytes=2048 --nodes 32 --out wave.trace\n"
        "  faultline workload R2:messages=1000,wave=50 --nodes 64 --out random.trace\n\n"
        "exit codes: 0 done, 1 the file could not be written, 2 bad input (nothing written)");
}

static bool read_processes(const fl_option *options, const char *spec, uint64_t *out)
{
    const char *a = fl_option_value(options, "processes"), *b = fl_option_value(options, "nodes"),
               *text = a ? a : b;
    bool trace = strncmp(spec, "trace:", 6) == 0;
    *out = UINT32_MAX;
    if (a && b)
        return fl_complain("--processes and --nodes mean the same: give one of them"), false;
    if (trace && text)
        return fl_complain("--%s: a trace says itself how many processes it has",
                           a ? "processes" : "nodes"),
               false;
    if (!trace && !text)
        return fl_complain("how many processes? Give --nodes N; --help tells more"), false;
    if (text && (!fl_text_to_u64(text, out) || *out < 2 || *out > INT32_MAX))
        return fl_complain("--%s %.80s: expected a whole number from 2 to %d",
                           a ? "processes" : "nodes", text, INT32_MAX),
               false;
    return true;
}

/* A large workload is many times larger as text. */
static int print(const fl_sim_workload *workload)
{
    enum { MESSAGES_AT_ONCE = 65536 };
    uint32_t first = 0, count;
    int code;
    do {
        fl_text text = {0};
        count = fl_sim_workload_write_some(workload, first, MESSAGES_AT_ONCE, &text);
        first += count;
        code = fl_print_text(&text);
    } while (code == FL_EXIT_OK && count > 0 && !ferror(stdout));
    return code;
}

static int write_file(const fl_sim_workload *workload, const char *path)
{
    enum { BYTES_A_MESSAGE = 32, TIMES_WHILE_GROWING = 3 };
    fl_text text = {0};
    fl_error error;
    int code = FL_EXIT_OK;
    if (fl_memory_check((double)fl_sim_workload_messages(workload) * BYTES_A_MESSAGE *
                            TIMES_WHILE_GROWING,
                        path, &error))
        return fl_complain("%s; without --out it is printed piece by piece", error.text);
    fl_sim_workload_write(workload, &text);
    if (text.failed) {
        code = fl_complain_memory("the trace");
    } else if (fl_file_write(path, text.data, text.length, &error)) {
        fl_complain_of(&error);
        code = FL_EXIT_FAILED;
    } else {
        printf("%u messages of %u processes written to %s\n", fl_sim_workload_messages(workload),
               fl_sim_workload_processes(workload), path);
    }
    fl_text_clear(&text);
    return code;
}

int fl_command_workload(int count, char **arguments)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    const char *spec = NULL, *path;
    int positional;
    uint64_t processes;
    fl_error error;
    if (!fl_options_read(options, count, arguments, &spec, 1, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        print_help();
        return FL_EXIT_OK;
    }
    if (positional == 0)
        return fl_complain(
            "which workload? AA, BI, BU, M2, M3, W2, W3, R1, R2, R3, R4 or trace:FILE; --help tells more");
    path = fl_option_value(options, "out");
    if (!read_processes(options, spec, &processes))
        return FL_EXIT_BAD_INPUT;
    if (path && (!*path || (fl_file_exists(path) && !fl_option_value(options, "force"))))
        return *path ? fl_complain("'%s' is there already; --force overwrites it", path)
                     : fl_complain("--out: not the name of a file");
    if (!path && fl_option_value(options, "force"))
        return fl_complain("--force is about the file of --out, which is not given");
    fl_sim_workload *workload;
    if (fl_sim_workload_create(&workload, processes, spec, &error))
        return fl_complain_of(&error);
    int code = path ? write_file(workload, path) : print(workload);
    fl_sim_workload_destroy(workload);
    return code;
}
