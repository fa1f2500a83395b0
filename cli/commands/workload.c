/* `workload`: a workload as a trace. */
#include "cli/folder.h"

#include <stddef.h>
#include <string.h>

typedef struct values {
    uint64_t nodes;
    char *folder;
    bool json, force;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {
    {.name = "nodes",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, nodes),
     .value = "N",
     .help = "number of processes, one a node (needed, but for trace:FILE)",
     .least = 2,
     .most = INT32_MAX,
     .was = "processes"},
    {.name = "out",
     .kind = FL_OPTION_FOLDER,
     .offset = offsetof(values, folder),
     .value = "DIR",
     .help = "write workload.trace into this folder (default: to standard output)"},
    {.name = "json",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, json),
     .help = "print the workload as JSON: its messages as in a trace, and how many there are"},
    {.name = "force",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, force),
     .help = "overwrite the file"},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("options", rows, 0),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

static const char *const files[] = {"workload.trace", NULL};

static void append_workloads(fl_text *out)
{
    fl_text_append(out, "\nworkloads:\n");
    for (const fl_sim_workload_help *w = fl_sim_workloads; w->name; w++)
        fl_help_item(w->name, w->summary, 24, fl_help_width(), out);
}

static bool check(const fl_call *call, const char *spec)
{
    static const fl_option_pair needed[] = {{"force", "out", "without it there is no file"}, {0}};
    static const fl_option_pair never[] = {{"json", "out", "--json goes to standard output"}, {0}};
    bool trace = strncmp(spec, "trace:", 6) == 0, nodes = fl_call_given(call, "nodes");
    if (trace && nodes)
        return fl_complain("--nodes: a trace has its own number of processes"), false;
    if (!trace && !nodes)
        return fl_complain("how many processes? Give --nodes N; --help shows more"), false;
    return fl_need_pairs(call, needed) && fl_refuse_pairs(call, never);
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

static int write_file(const fl_sim_workload *workload, const char *folder)
{
    enum { BYTES_A_MESSAGE = 32, TIMES_WHILE_GROWING = 3 };
    char path[FL_PATH_MAX + 32];
    fl_text text = {0};
    fl_error error;
    int code = FL_EXIT_OK;
    snprintf(path, sizeof path, "%s/%s", folder, files[0]);
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
        fl_text_clear(&text);
        text.columns = fl_terminal_columns();
        fl_text_append(&text, "%u messages of %u processes written to %s\n",
                       fl_sim_workload_messages(workload), fl_sim_workload_processes(workload),
                       path);
        return fl_print_text(&text);
    }
    fl_text_clear(&text);
    return code;
}

static void append_message(const fl_sim_workload *workload, uint32_t place, fl_json_writer *json)
{
    fl_sim_message m = fl_sim_workload_message(workload, place);
    fl_json_line(json);
    fl_json_open_object(json, NULL);
    fl_json_number(json, "id", m.id);
    fl_json_number(json, "source", m.source);
    fl_json_number(json, "destination", m.destination);
    fl_json_number(json, "bytes", m.bytes);
    fl_json_number(json, "delay", m.delay);
    fl_json_open_array(json, "after");
    for (uint32_t i = 0; i < m.after_count; i++)
        fl_json_number(json, NULL, fl_sim_workload_message(workload, m.after[i]).id);
    fl_json_close(json);
    fl_json_close(json);
}

static int print_json(const char *spec, const fl_sim_workload *workload)
{
    enum { BYTES_AT_ONCE = 1 << 20 };
    uint32_t count = fl_sim_workload_messages(workload);
    fl_text text = {0};
    fl_json_writer json = fl_json_writer_begin(&text, 2);
    int code = FL_EXIT_OK;
    fl_json_open_object(&json, NULL);
    fl_json_line(&json);
    fl_json_text(&json, "workload", spec);
    fl_json_line(&json);
    fl_json_number(&json, "processes", fl_sim_workload_processes(workload));
    fl_json_line(&json);
    fl_json_number(&json, "messages", count);
    fl_json_line(&json);
    fl_json_open_array(&json, "trace");
    for (uint32_t i = 0; i < count && code == FL_EXIT_OK && !ferror(stdout); i++) {
        append_message(workload, i, &json);
        if (text.failed || text.length > BYTES_AT_ONCE)
            code = fl_print_text(&text);
    }
    fl_json_close(&json);
    fl_json_line(&json);
    fl_json_close(&json);
    fl_text_append(&text, "\n");
    return code == FL_EXIT_OK ? fl_print_text(&text) : (fl_text_clear(&text), code);
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    fl_sim_workload *workload;
    fl_error error;
    if (call->argument_count == 0)
        return fl_complain("which workload? AA, BI, BU, M2, M3, W2, W3, R1, R2, R3, R4 or "
                           "trace:FILE; --help shows more");
    const char *spec = call->arguments[0];
    if (!check(call, spec))
        return FL_EXIT_BAD_INPUT;
    if (fl_sim_workload_create(&workload, fl_call_given(call, "nodes") ? v->nodes : UINT32_MAX,
                               spec, &error))
        return fl_complain_of(&error);
    int code = FL_EXIT_BAD_INPUT;
    if (v->json)
        code = print_json(spec, workload);
    else if (!v->folder)
        code = print(workload);
    else if (fl_prepare_folder(v->folder, &(fl_outputs){files, NULL, ""}, v->force))
        code = write_file(workload, v->folder);
    fl_sim_workload_destroy(workload);
    return code;
}

const fl_command fl_command_workload = {
    .name = "workload",
    .summary = "writes a workload, messages that wait for others, as a trace",
    .about =
        "Writes a workload as a trace, which 'simulate --workload trace:FILE' reads again.\n\n"
        "Workloads are those of the thin-tree paper, IV.C: NAME:key=value,...; all take "
        "processes=N and bytes=N. docs/workloads.md defines them, and the format. A trace given "
        "as workload is checked, and written in the same form.",
    .usage = (const char *const[]){"WORKLOAD --nodes N [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .argument = "WORKLOAD",
    .arguments_max = 1,
    .more = append_workloads,
    .examples = (const char *const[]){"faultline workload BU --nodes 8",
                                      "faultline workload W2:sides=4x8,bytes=2048 --nodes 32 --out "
                                      "results/wave",
                                      "faultline workload R2:messages=1000,wave=50 --nodes 64 > "
                                      "random.trace",
                                      NULL},
    .exits = "exit codes: 0 done, 1 the file could not be written, 2 bad input (nothing written)",
    .run = run,
};
