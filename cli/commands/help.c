/* `help`: help texts, man pages and completion. */
#include "cli/cli.h"

#include <stddef.h>

typedef struct values {
    bool man;
    unsigned shell, schema;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {
    {.name = "man",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, man),
     .help = "print the man page of COMMAND, or of faultline without one, for 'man -l -'"},
    {.name = "completion",
     .kind = FL_OPTION_WORD,
     .offset = offsetof(values, shell),
     .value = "SHELL",
     .help = "print a script that completes commands, options and values in a shell",
     .words = fl_shells},
    {.name = "schema",
     .kind = FL_OPTION_WORD,
     .offset = offsetof(values, schema),
     .value = "NAME",
     .help =
         "print the JSON Schema of a kind of spec, as the files experiments/*.schema.json hold it",
     .words = fl_schema_names},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("options", rows, 0),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

static int run(fl_call *call)
{
    static const fl_option_pair never[] = {{"completion", "man", "each prints something else"},
                                           {"completion", "schema", "each prints something else"},
                                           {"schema", "man", "each prints something else"},
                                           {0}};
    const values *v = call->options.values;
    const fl_command *command = NULL;
    bool completion = fl_call_given(call, "completion"), schema = fl_call_given(call, "schema");
    fl_text text = {0};
    if (!completion && !schema && !v->man)
        text.columns = fl_help_width();
    if (call->argument_count > 0 && !(command = fl_command_find(call->arguments[0])))
        return FL_EXIT_BAD_INPUT;
    if (!fl_refuse_pairs(call, never))
        return FL_EXIT_BAD_INPUT;
    if (command && (completion || schema))
        return fl_complain("--%s is not about one command: leave out '%s'",
                           schema ? "schema" : "completion", command->name);
    if (completion)
        fl_completion_append(v->shell, &text);
    else if (schema)
        fl_schema_append(v->schema, &text);
    else if (v->man)
        fl_man_append(command, &text);
    else if (command)
        fl_help_append(command, fl_help_width(), &text);
    else
        fl_help_append_program(fl_help_width(), &text);
    return fl_print_text(&text);
}

const fl_command fl_command_help = {
    .name = "help",
    .summary = "help texts, man pages, shell completion and schemas",
    .about =
        "The help text of a command, its man page, a script for a shell, or the schema of a kind of spec.",
    .usage = (const char *const[]){"[COMMAND] [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .argument = "COMMAND",
    .arguments_max = 1,
    .examples =
        (const char *const[]){"faultline help sweep", "faultline help sweep --man | man -l -",
                              "faultline help --completion bash > "
                              "~/.local/share/bash-completion/completions/faultline",
                              NULL},
    .exits = "exit codes: 0 done, 2 bad input",
    .run = run,
};
