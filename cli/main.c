/* The program: finds the command, reads its options, runs it. */
#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/ranks.h"

#include <signal.h>
#include <string.h>

static int print_help(const fl_command *command)
{
    fl_text text = {.columns = fl_help_width()};
    fl_help_append(command, fl_help_width(), &text);
    return fl_print_text(&text);
}

static const fl_common_values *common_of(const fl_call *call)
{
    const char *values = call->options.values;
    const fl_option_group *group = call->command->groups;
    while (group->rows != fl_common_rows)
        group++;
    return (const fl_common_values *)(const void *)(values + group->offset);
}

static int run_with(const fl_command *command, int count, char **arguments, fl_ranks *ranks)
{
    fl_call call;
    int code = FL_EXIT_BAD_INPUT;
    if (fl_asks_for_help(count, arguments))
        return !ranks || ranks->mine == 0 ? print_help(command) : FL_EXIT_OK;
    if (fl_call_begin(&call, command, count, arguments) &&
        fl_plugins_open(&common_of(&call)->plugins)) {
        call.ranks = ranks;
        code = command->run(&call);
    }
    fl_unlock_folder(); /* it borrows the folder's name */
    fl_call_end(&call);
    return code;
}

static int run_command(const fl_command *command, int count, char **arguments)
{
    fl_ranks *ranks = NULL;
    if (!command->ranked)
        return run_with(command, count, arguments, NULL);
    if (!fl_ranks_open(&ranks))
        return FL_EXIT_BAD_INPUT;
    return fl_ranks_close(ranks, run_with(command, count, arguments, ranks));
}

static int run(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : NULL;
    fl_text text = {0};
    if (!name) {
        fl_help_append_program(fl_help_width(), &text);
        fputs(text.data ? text.data : "", stderr);
        fl_text_clear(&text);
        return FL_EXIT_BAD_INPUT;
    }
    if (strcmp(name, "--version") == 0) {
        puts("faultline " FL_VERSION);
        return FL_EXIT_OK;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help"; /* `faultline --help sweep` is `faultline help sweep` */
    const fl_command *command = fl_command_find(name);
    return command ? run_command(command, count - 2, arguments + 2) : FL_EXIT_BAD_INPUT;
}

int main(int count, char **arguments)
{
    /* A file that may not grow is an error like a full disk, not the end. */
    signal(SIGXFSZ, SIG_IGN);
    int code = run(count, arguments);
    fl_plugins_end();
    if (code == FL_EXIT_BAD_INPUT && fl_memory_ran_out())
        code = FL_EXIT_FAILED; /* the input may be good: it was not read to the end */
    if (fflush(stdout) != 0 || ferror(stdout))
        return fl_complain("cannot write to standard output"), FL_EXIT_FAILED;
    return code;
}
