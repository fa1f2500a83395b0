/* `choose`: networks of a given size, side by side. */
#include "cli/cli.h"

#include <stddef.h>

typedef struct values {
    uint64_t nodes;
    double within;
    unsigned radix_max;
    fl_candidate_order order;
    bool json;
    fl_common_values common;
} values;

_Static_assert(sizeof(fl_candidate_order) == sizeof(unsigned), "FL_OPTION_WORD is unsigned");

static const fl_option_row rows[] = {{.name = "nodes",
                                      .kind = FL_OPTION_COUNT,
                                      .offset = offsetof(values, nodes),
                                      .value = "N",
                                      .help = "how many nodes to connect (needed)",
                                      .least = 2,
                                      .most = (double)FL_CANDIDATE_NODES_MAX},
                                     {.name = "within",
                                      .kind = FL_OPTION_NUMBER,
                                      .offset = offsetof(values, within),
                                      .value = "P",
                                      .help = "their number may differ by P percent",
                                      .preset = "10",
                                      .most = 50},
                                     {.name = "radix-max",
                                      .kind = FL_OPTION_UNSIGNED,
                                      .offset = offsetof(values, radix_max),
                                      .value = "R",
                                      .help = "switches have at most R ports",
                                      .preset = "64",
                                      .least = 2,
                                      .most = 65535},
                                     {.name = "sort",
                                      .kind = FL_OPTION_WORD,
                                      .offset = offsetof(values, order),
                                      .value = "KEY",
                                      .help = "order of the table",
                                      .preset = "rcp",
                                      .words = fl_candidate_orders},
                                     {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("options", rows, 0),
    FL_OPTION_ROWS(NULL, fl_json_rows, offsetof(values, json)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

static int run(fl_call *call)
{
    const values *v = call->options.values;
    const fl_candidate_options wanted = {
        .nodes = v->nodes, .within = v->within, .radix_max = v->radix_max, .order = v->order};
    fl_candidates *choices;
    fl_error error;
    fl_text text = {.columns = v->json ? 0 : fl_terminal_columns()};
    if (!fl_call_given(call, "nodes"))
        return fl_complain(
            "how many nodes? For example: faultline choose --nodes 1024; --help shows more");
    if (fl_candidates_create(&choices, &wanted, &error))
        return fl_complain_of(&error);
    (v->json ? fl_candidates_json : fl_candidates_text)(choices, &text);
    fl_candidates_destroy(choices);
    return fl_print_text(&text);
}

const fl_command fl_command_choose = {
    .name = "choose",
    .summary = "networks of about N nodes, by cost, distance and fault tolerance",
    .about = "Networks of about N nodes, with the parameters that give them: radix, cost, RCP "
             "(relative cost performance to the hypercube), average distance and fault tolerance, "
             "and a recommendation.",
    .usage = (const char *const[]){"--nodes N [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .examples = (const char *const[]){"faultline choose --nodes 524288 --radix-max 32",
                                      "faultline choose --nodes 1e3 --sort cost --json", NULL},
    .exits = "exit codes: 0 done (also when there is no such network), 2 bad input",
    .run = run,
};
