#include "cli/cli.h"
#include "experiments/experiments.h"

#include <string.h>

enum { RADIX_MAX = 64 };

static const fl_option option_table[] = {
    {"nodes", "N", "how many nodes to connect (needed)", NULL},
    {"within", "P", "their number may differ by P percent (default: 10)", NULL},
    {"radix-max", "R", "switches have at most R ports (default: 64)", NULL},
    {"sort", "KEY", "rcp, cost, distance, faults, radix or nodes (default: rcp)", NULL},
    {"json", NULL, "one JSON object to standard output", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts(
        "Networks of about so many nodes, with the parameters that give them: radix, cost, RCP (relative cost\n"
        "performance to the hypercube), average distance and fault tolerance, and a recommendation.\n\n"
        "usage: faultline choose --nodes N [OPTIONS]\n\noptions:");
    fl_options_print(option_table, stdout);
    puts("\nexamples:\n"
         "  faultline choose --nodes 524288 --radix-max 32\n"
         "  faultline choose --nodes 1024 --sort cost --json\n\n"
         "exit codes: 0 done (also when there is no such network), 2 bad input");
}

static bool read_order(const fl_option *options, fl_candidate_order *out)
{
    const char *key = fl_option_value(options, "sort");
    for (int i = 0; key && i < FL_CANDIDATE_ORDERS; i++)
        if (strcmp(key, fl_candidate_orders[i]) == 0) {
            *out = (fl_candidate_order)i;
            return true;
        }
    const char *nearest = key ? fl_text_nearest(key, fl_candidate_orders) : NULL;
    if (nearest)
        return fl_complain("--sort %.80s: did you mean '%s'?", key, nearest), false;
    if (key)
        return fl_complain("--sort %.80s: expected rcp, cost, distance, faults, radix or nodes",
                           key),
               false;
    return true;
}

static bool read_options(const fl_option *options, fl_candidate_options *out)
{
    const char *within = fl_option_value(options, "within"),
               *radix = fl_option_value(options, "radix-max");
    uint64_t most = RADIX_MAX;
    *out = (fl_candidate_options){.within = 10};
    if (!fl_option_value(options, "nodes"))
        return fl_complain(
                   "how many nodes? For example: faultline choose --nodes 1024; --help tells more"),
               false;
    if (!fl_option_number(options, "nodes", 2, FL_CANDIDATE_NODES_MAX, &out->nodes))
        return false;
    if (within &&
        (!fl_text_to_double(within, &out->within) || !(out->within >= 0 && out->within <= 50)))
        return fl_complain("--within %.80s: expected a number of percent, 0 to 50", within), false;
    if (radix && (!fl_text_to_u64(radix, &most) || most < 2 || most > 65535))
        return fl_complain("--radix-max %.80s: expected a number of ports, 2 to 65535", radix),
               false;
    out->radix_max = (unsigned)most;
    return read_order(options, &out->order);
}

int fl_command_choose(int count, char **arguments)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    int positional;
    fl_candidate_options wanted;
    fl_candidates *choices;
    fl_error error;
    fl_text text = {0};
    if (!fl_options_read(options, count, arguments, NULL, 0, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        print_help();
        return FL_EXIT_OK;
    }
    if (!read_options(options, &wanted))
        return FL_EXIT_BAD_INPUT;
    if (fl_candidates_create(&choices, &wanted, &error))
        return fl_complain_of(&error);
    if (fl_option_value(options, "json"))
        fl_candidates_json(choices, &text);
    else
        fl_candidates_text(choices, &text);
    fl_candidates_destroy(choices);
    return fl_print_text(&text);
}
