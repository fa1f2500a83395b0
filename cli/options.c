/* Command lines: options and arguments as the table of a command describes them. */
#include "cli/cli.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* getopt_long is not used on purpose: it takes any beginning of a name for the name. */

const fl_option_row fl_common_rows[] = {
    {.name = "plugin",
     .kind = FL_OPTION_FILES,
     .offset = offsetof(fl_common_values, plugins),
     .value = "FILE.so",
     .help = "load routers, detour rules and networks from a plug-in; may be given several times"},
    {.name = "help",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(fl_common_values, help),
     .help = "this text"},
    {0}};

const fl_option_row fl_network_rows[] = {
    {.name = "topology",
     .kind = FL_OPTION_NETWORK,
     .offset = offsetof(fl_network_values, topology),
     .value = "NET",
     .help = "network, e.g. mikant:k=3,n=3 ('faultline list networks'); the same as NET without "
             "the option",
     .was = "network,net"},
    {0}};

const fl_option_row fl_spec_rows[] = {
    {.name = "spec",
     .kind = FL_OPTION_FILE,
     .value = "FILE",
     .help = "a spec, in JSON; the same as SPEC.json without the option"},
    {0}};

const fl_option_row fl_json_rows[] = {
    {.name = "json", .kind = FL_OPTION_SWITCH, .help = "print JSON in place of text"}, {0}};

bool fl_call_given(const fl_call *call, const char *name)
{
    return fl_option_given(&call->options, name);
}

bool fl_asks_for_help(int count, char **arguments)
{
    for (int i = 0; i < count; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0)
            return true;
    return false;
}

/* ---- complaints ---- */

static bool complain_unknown(const fl_option_group *groups, const char *name, int length)
{
    char word[64];
    const char *names[FL_OPTIONS_MAX + 1] = {0}, *now;
    const fl_option_row *row;
    for (int i = 0; (row = fl_option_at(groups, i, NULL)) != NULL && i < FL_OPTIONS_MAX; i++)
        names[i] = row->name;
    snprintf(word, sizeof word, "%.*s", length, name);
    if (fl_option_was(groups, word, &now))
        return fl_complain("unknown option '--%s': it is '--%s' here", word, now), false;
    const char *nearest = fl_text_nearest(word, names);
    if (nearest)
        fl_complain("unknown option '--%s'; did you mean '--%s'?", word, nearest);
    else
        fl_complain("unknown option '--%s'; --help lists the options", word);
    return false;
}

static bool complain_unexpected(const fl_call *call, const char *argument)
{
    if (!call->command->positional && !call->command->argument)
        return fl_complain(
                   "unexpected argument '%.80s': this command takes options only; --help lists them",
                   argument),
               false;
    return fl_complain("unexpected argument '%.80s'; --help shows what there may be", argument),
           false;
}

/* ---- reading ---- */

/* What was given, in order: first all names are checked, then the values. */
typedef struct given {
    const char *value;
    int place; /* -1: an argument */
} given;

static bool set_option(fl_call *call, int place, const char *value)
{
    const fl_option_row *row = fl_option_at(call->options.groups, place, NULL);
    fl_error error;
    if (!fl_option_set_text(&call->options, place, value, &error))
        return true;
    bool named = row->kind == FL_OPTION_COUNTS || row->kind == FL_OPTION_RATES;
    fl_option_fail(&error, error.status, row->name, named ? NULL : value);
    return fl_complain_of(&error), false;
}

/* The option at arguments[*i], and its value. */
static bool read_option(const fl_call *call, bool *seen, int count, char **arguments, int *i,
                        given *out)
{
    const char *name = arguments[*i] + 2;
    size_t length = strcspn(name, "=");
    const fl_option_row *row;
    int place = fl_option_find(call->options.groups, name, length, &row);
    if (place < 0)
        return complain_unknown(call->options.groups, name, (int)length);
    *out = (given){"", place};
    if (seen[place] && row->kind != FL_OPTION_FILES)
        return fl_complain("--%s is given twice", row->name), false;
    seen[place] = true;
    if (row->kind == FL_OPTION_SWITCH && name[length])
        return fl_complain("--%s takes no value", row->name), false;
    if (row->kind == FL_OPTION_SWITCH)
        return true;
    if (name[length])
        out->value = name + length + 1;
    else if (*i + 1 < count && strncmp(arguments[*i + 1], "--", 2) != 0)
        out->value = arguments[++*i];
    else
        return fl_complain("--%s needs a value: --%s %s", row->name, row->name, row->value), false;
    return true;
}

static bool is_network(const char *argument)
{
    size_t length = strcspn(argument, ":");
    for (size_t i = 0; fl_network_types[i]; i++)
        if (strlen(fl_network_types[i]->name) == length &&
            strncmp(fl_network_types[i]->name, argument, length) == 0)
            return true;
    return false;
}

static bool is_file(const char *argument)
{
    size_t length = strlen(argument);
    return (length > 5 && strcmp(argument + length - 5, ".json") == 0) ||
           strchr(argument, '/') != NULL || fl_file_exists(argument);
}

/* The option that an argument stands for: of several the spec if it looks like a file, unless it
 * begins with the name of a network. */
static const char *option_of(const fl_command *command, const char *argument)
{
    const char *first = command->positional[0], *second = command->positional[1];
    return second && (is_network(argument) || !is_file(argument)) ? second : first;
}

static bool set_argument(fl_call *call, const char *argument)
{
    const fl_command *command = call->command;
    if (command->argument && call->argument_count < command->arguments_max) {
        call->arguments[call->argument_count++] = argument;
        return true;
    }
    if (!command->positional)
        return complain_unexpected(call, argument);
    const char *name = option_of(command, argument);
    int place = fl_option_find(call->options.groups, name, strlen(name), NULL);
    if (!call->options.given[place])
        return set_option(call, place, argument);
    fl_text before = {0};
    fl_option_append(&call->options, place, &before);
    fl_complain("unexpected argument '%.80s': the %s is '%.80s' already", argument,
                strcmp(name, "spec") == 0 ? "spec" : "network", before.data ? before.data : "");
    fl_text_clear(&before);
    return false;
}

/* Options before arguments, which may stand for what an option has set already. */
static bool set_all(fl_call *call, const given *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].place >= 0 && !set_option(call, all[i].place, all[i].value))
            return false;
    for (size_t i = 0; i < count; i++)
        if (all[i].place < 0 && !set_argument(call, all[i].value))
            return false;
    return true;
}

static bool read_all(fl_call *call, given *all, int count, char **arguments)
{
    bool seen[FL_OPTIONS_MAX] = {false};
    size_t found = 0;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (strncmp(argument, "--", 2) == 0 && argument[2]) {
            if (!read_option(call, seen, count, arguments, &i, &all[found++]))
                return false;
        } else if (*argument == '-' && argument[1]) {
            return fl_complain("unknown option '%.80s'; options begin with two dashes", argument),
                   false;
        } else {
            all[found++] = (given){argument, -1};
        }
    }
    return set_all(call, all, found);
}

bool fl_call_begin(fl_call *call, const fl_command *command, int count, char **arguments)
{
    fl_error error;
    *call = (fl_call){.command = command};
    void *values = calloc(1, command->size);
    given *all = calloc((size_t)count + 1, sizeof *all);
    call->arguments = calloc((size_t)count + 1, sizeof *call->arguments);
    bool good = false;
    if (!values || !all || !call->arguments) {
        free(values);
        fl_complain_memory("the options");
    } else if (fl_options_begin(&call->options, command->groups, values, &error)) {
        fl_complain_of(&error);
    } else {
        good = read_all(call, all, count, arguments);
    }
    free(all);
    return good;
}

void fl_call_end(fl_call *call)
{
    fl_options_clear(&call->options);
    free(call->options.values);
    free(call->arguments);
    *call = (fl_call){0};
}

/* ---- pairs ---- */

bool fl_refuse_pairs(const fl_call *call, const fl_option_pair *pairs)
{
    for (; pairs->option; pairs++)
        if (fl_call_given(call, pairs->option) && fl_call_given(call, pairs->other))
            return fl_complain("--%s and --%s do not go together: %s", pairs->option, pairs->other,
                               pairs->reason),
                   false;
    return true;
}

bool fl_need_pairs(const fl_call *call, const fl_option_pair *pairs)
{
    for (; pairs->option; pairs++)
        if (fl_call_given(call, pairs->option) && !fl_call_given(call, pairs->other))
            return fl_complain("--%s needs --%s: %s", pairs->option, pairs->other, pairs->reason),
                   false;
    return true;
}
