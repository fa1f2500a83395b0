/* The commands. */
#include "cli/cli.h"

#include <string.h>

const fl_command *const fl_commands[] = {&fl_command_sweep,
                                         &fl_command_exact,
                                         &fl_command_deadlock,
                                         &fl_command_merge,
                                         &fl_command_topology,
                                         &fl_command_simulate,
                                         &fl_command_makespan,
                                         &fl_command_workload,
                                         &fl_command_catalogue,
                                         &fl_command_choose,
                                         &fl_command_search,
                                         &fl_command_layout,
                                         &fl_command_trace,
                                         &fl_command_draw,
                                         &fl_command_export,
                                         &fl_command_list,
                                         &fl_command_new_router,
                                         &fl_command_help,
                                         NULL};

const fl_command *fl_command_find(const char *name)
{
    static const char *const made_by_new_router[][2] = {{"new-network", "--network"},
                                                        {"new-rule", "--rule"}};
    const char *names[32] = {0};
    for (size_t i = 0; fl_commands[i]; i++) {
        names[i] = fl_commands[i]->name;
        if (strcmp(names[i], name) == 0)
            return fl_commands[i];
    }
    for (size_t i = 0; i < sizeof made_by_new_router / sizeof *made_by_new_router; i++)
        if (strcmp(name, made_by_new_router[i][0]) == 0)
            return fl_complain("unknown command '%.80s'; 'faultline new-router NAME %s' makes one",
                               name, made_by_new_router[i][1]),
                   NULL;
    const char *nearest = fl_text_nearest(name, names);
    if (nearest)
        fl_complain("unknown command '%.80s'; did you mean '%s'?", name, nearest);
    else
        fl_complain("unknown command '%.80s'; 'faultline --help' lists the commands", name);
    return NULL;
}
