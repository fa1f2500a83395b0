#include "cli/experiment.h"
#include "cli/picture.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_BYTES_MAX = 16 << 20, ROUTERS_MAX = 256, NAME_MAX_LENGTH = 96 };

static const fl_option option_table[] = {
    {"topology", "NET", "network, e.g. mikant:k=3,n=3 (see 'faultline list')", NULL},
    {"routers", "A,B,...",
     "routers, e.g. gns,gns+gdl@phase:3; those without a channel rule take --vcs and --vc-rule",
     NULL},
    {"vcs", "N", "virtual channels of every link between switches, 1 to 32 (default: 1)", NULL},
    {"vc-rule", "RULE",
     "which of them a packet takes (see 'faultline list'; default: one, for a single channel)",
     NULL},
    {"faults", "LIST", "every set of exactly so many faults: 3, or 0:3, or 0,2 (default: 0)", NULL},
    {"fault-model", "MODEL",
     "what fails: links (default), switches, bundles:size=c, neighbours:size=c, list:A-B;C-D...",
     NULL},
    {"fault-class", "CLASS",
     "only links of this class fail (switch-links: all but node links); as class=CLASS in MODEL",
     NULL},
    {"fault-list", "LIST",
     "one set: these links, A-B;C-D (labels or link numbers), or @FILE with one a line", NULL},
    {"sample", "N", "draw N random sets of each fault count where there are more", NULL},
    {"seed", "N", "of the drawn sets (default: 1)", NULL},
    {"scope", "SCOPE", "what a switch knows: detour (default) or local", NULL},
    {"choice", "KIND",
     "follow the candidates that 'simulate --choice KIND' can take: first (the default) only the first;\n"
     "any other KIND every one, unless the router ranks its candidates",
     NULL},
    {"all-ways", NULL, "follow every candidate of every router, ranked or not", NULL},
    {"prove", NULL,
     "all fault sets at once: deadlock-free or not, and the longest path or a loop;\n"
     "where neither a proof nor a real set is found, sets of up to 3 faults are tried as far as\n"
     "that takes seconds, or those of --faults and --sample",
     NULL},
    {"fewest-vcs", NULL,
     "for each router and channel rule the fewest virtual channels proven deadlock-free", NULL},
    {"rules", "FILE",
     "check the expectations in a file, and end with 1 at the first that is broken", NULL},
    {"keep-going", NULL, "with --rules: check the others too, then end with 1", NULL},
    {"json", NULL, "print JSON", NULL},
    {"markdown", NULL, "print a Markdown table (with --fewest-vcs)", NULL},
    {"out", "FILE", "write there instead of to standard output", NULL},
    {"picture", "FILE",
     "draw the first router's cycle under the fewest faults, if there is one: FILE.svg, FILE.pdf or FILE.png",
     NULL},
    {"force", NULL, "overwrite FILE", NULL},
    {"quiet", NULL, "no progress, no notes; with --rules: only what is broken", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_help(void)
{
    puts(
        "Can packets wait for each other in a circle? Builds the channel dependency graph over all pairs of\n"
        "nodes under every fault set and looks for cycles (Dally and Seitz, 1987); without one there is no\n"
        "deadlock. A packet that ends blocked has held its channels until then, and counts.\n\n"
        "usage: faultline deadlock --topology NET --routers A,B,... [OPTIONS]\n"
        "       faultline deadlock --rules FILE.json\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nexamples:\n"
        "  faultline deadlock --topology mikant:k=3,n=3 --routers gns,three-turn --fault-class switch-links --faults 0:3\n"
        "  faultline deadlock --topology mikant:k=3,n=3 --routers gns+gdl@turns:3,gns+gdl --fault-class switch-links --prove\n"
        "  faultline deadlock --rules experiments/deadlock-rules.json\n\n" FL_PLACES_TEXT "\n\n"
        "exit codes: 0 done, with or without cycles; 1 a rule is broken, or the work failed; 2 bad input (nothing done);\n"
        "130 ended by Ctrl-C");
}

/* ---- what is asked ---- */

typedef struct asked {
    fl_network *network;
    fl_fault_model *model;
    fl_router *routers[ROUTERS_MAX];
    unsigned router_count;
    uint64_t *faults;
    uint32_t fault_points;
    fl_deadlock_study study;
} asked;

static void clear(asked *a)
{
    for (unsigned i = 0; i < a->router_count; i++)
        fl_router_destroy(a->routers[i]);
    fl_fault_model_destroy(a->model);
    fl_network_destroy(a->network);
    free(a->faults);
}

static bool complain_rule_needed(uint64_t channels)
{
    fl_text names = {0};
    for (size_t i = 0; fl_vc_assignments[i]; i++)
        fl_text_append(&names, "%s%s", i ? ", " : "", fl_vc_assignments[i]->name);
    fl_complain(
        "--vcs %llu: which of them does a packet take? Give --vc-rule (%s; 'faultline list' explains them)",
        (unsigned long long)channels, names.data ? names.data : "");
    fl_text_clear(&names);
    return false;
}

/* The routers' names, with --vcs and --vc-rule for those that have no '@'. */
static bool make_router(asked *a, const char *name, fl_scope scope, const char *rule,
                        uint64_t channels)
{
    fl_error error;
    char full[NAME_MAX_LENGTH + 32];
    fl_router *router;
    bool positional = strchr(name, '@') == NULL;
    if (positional && rule)
        snprintf(full, sizeof full, "%s@%s:%llu", name, rule,
                 (unsigned long long)(channels ? channels : FL_CHANNELS_MAX));
    else
        snprintf(full, sizeof full, "%s", name);
    if (a->router_count == ROUTERS_MAX)
        return fl_complain("--routers: more than %d", ROUTERS_MAX), false;
    if (fl_router_create(&router, a->network, full, scope, &error))
        return fl_complain_of(&error), false;
    a->routers[a->router_count++] = router;
    for (unsigned i = 0; i + 1 < a->router_count; i++)
        if (strcmp(a->routers[i]->canonical, router->canonical) == 0)
            return fl_complain("--routers: '%s' and '%s' are the same", a->routers[i]->name,
                               router->name),
                   false;
    if (positional && channels && !rule && router->channels != channels)
        return complain_rule_needed(channels);
    return true;
}

static bool make_routers(asked *a, const fl_option *options)
{
    const char *text = fl_option_value(options, "routers"),
               *rule = fl_option_value(options, "vc-rule");
    const char *scope_name = fl_option_value(options, "scope");
    fl_scope scope = FL_SCOPE_DETOUR;
    fl_error error;
    uint64_t channels = 0;
    bool any_plain = false;
    if (!fl_option_number(options, "vcs", 1, FL_CHANNELS_MAX, &channels))
        return false;
    if (scope_name && fl_scope_parse(&scope, scope_name, &error))
        return fl_complain_in_option("scope", NULL, &error), false;
    for (const char *name = text; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        char one[NAME_MAX_LENGTH + 1];
        size_t length = strcspn(name, ",");
        if (length == 0)
            return fl_complain("--routers %.80s: there is an empty name in the list", text), false;
        snprintf(one, sizeof one, "%.*s", (int)length, name);
        any_plain |= strchr(one, '@') == NULL;
        if (!make_router(a, one, scope, rule, channels))
            return false;
    }
    if (!any_plain && (rule || channels))
        return fl_complain("--%s has no effect: every router names its own channel rule",
                           rule ? "vc-rule" : "vcs"),
               false;
    return true;
}

static bool make_model(asked *a, const fl_option *options)
{
    static const uint64_t none;
    const fl_axis axis = {.fault_points = 1, .counts = &none};
    const char *spec = fl_option_value(options, "fault-model"),
               *class = fl_option_value(options, "fault-class");
    const char *list = fl_option_value(options, "fault-list");
    fl_text text = {0};
    fl_error error;
    if (list &&
        (spec || class || fl_option_value(options, "faults") || fl_option_value(options, "sample")))
        return fl_complain(
                   "--fault-list is one set of faults: leave out --%s (--fault-model 'list:A-B;C-D' --faults 1 tries every "
                   "single one of a list)",
                   spec                                 ? "fault-model"
                   : class                              ? "fault-class"
                   : fl_option_value(options, "faults") ? "faults"
                                                        : "sample"),
               false;
    if (class && spec && strstr(spec, "class="))
        return fl_complain("--fault-class %.80s: the fault model '%s' names its classes already",
                           class, spec),
               false;
    if (spec && strstr(spec, "draw=independent"))
        return fl_complain(
                   "--fault-model %.80s: fault sets have a given size; leave out draw=independent",
                   spec),
               false;
    if (list)
        fl_text_append(&text, "list:%s", list);
    else
        fl_text_append(&text, "%s%s%s%s", spec ? spec : "links",
                       class ? strchr(spec ? spec : "links", ':') ? "," : ":" : "",
                       class ? "class=" : "", class ? class : "");
    fl_status status = text.failed
                           ? fl_fail(&error, FL_ERR_MEMORY, "out of memory for a fault model")
                           : fl_fault_model_create(&a->model, a->network, text.data, &axis, &error);
    fl_text_clear(&text);
    if (status)
        fl_complain_of(&error);
    return !status;
}

static bool read_faults(asked *a, const fl_option *options)
{
    const char *text = fl_option_value(options, "faults");
    fl_error error;
    bool everything = fl_option_value(options, "prove") || fl_option_value(options, "fewest-vcs");
    if (fl_option_value(options, "fault-list") || (!text && !everything)) {
        a->faults = malloc(sizeof *a->faults);
        if (!a->faults)
            return fl_complain_memory("a number of faults"), false;
        a->faults[0] =
            fl_option_value(options, "fault-list") ? fl_fault_model_components(a->model) : 0;
        a->fault_points = 1;
    } else if (text && fl_axis_parse_counts(&a->faults, &a->fault_points, text, &error)) {
        return fl_complain_in_option("faults", text, &error), false;
    }
    return true;
}

/* --choice by the names that simulate has, or --all-ways. */
static bool read_candidates(const fl_option *options, fl_deadlock_candidates *out)
{
    unsigned choice = FL_SIM_FIRST_CANDIDATE;
    if (!fl_option_kind(options, "choice", fl_sim_choice_names, &choice))
        return false;
    *out = fl_option_value(options, "all-ways") ? FL_DEADLOCK_ALL
           : choice == FL_SIM_FIRST_CANDIDATE   ? FL_DEADLOCK_FIRST
                                                : FL_DEADLOCK_EQUIVALENT;
    return true;
}

static bool read_asked(asked *a, const fl_option *options)
{
    fl_error error;
    const char *topology = fl_option_value(options, "topology");
    uint64_t sample = 0, seed = 1;
    fl_deadlock_candidates candidates;
    *a = (asked){0};
    if (!topology || !fl_option_value(options, "routers"))
        return fl_complain(
                   "which network and routers? Give --topology and --routers, or --rules FILE; --help tells more"),
               false;
    if (!fl_option_number(options, "sample", 1, UINT64_MAX, &sample) ||
        !fl_option_seed(options, "seed", &seed))
        return false;
    if (!read_candidates(options, &candidates))
        return false;
    if (fl_option_value(options, "seed") && !sample)
        return fl_complain("--seed has no effect without --sample: every set is tried"), false;
    if (fl_network_create(&a->network, topology, &error))
        return fl_complain_of(&error), false;
    if (!make_routers(a, options) || !make_model(a, options) || !read_faults(a, options))
        return false;
    a->study = (fl_deadlock_study){.network = a->network,
                                   .model = a->model,
                                   .routers = a->routers,
                                   .router_count = a->router_count,
                                   .faults = a->faults,
                                   .fault_points = a->fault_points,
                                   .sample = sample,
                                   .seed = seed,
                                   .candidates = candidates,
                                   .prove = fl_option_value(options, "prove") != NULL,
                                   .stop = &fl_interrupted};
    return true;
}

/* ---- progress ---- */

typedef struct watch {
    fl_progress progress;
    bool quiet, estimated;
    double start;
} watch;

#define MANY_SETS 1e6L

static void announce(void *user, const fl_router *router, uint64_t faults, long double sets)
{
    watch *w = user;
    fl_progress_end(&w->progress);
    fl_progress_start(&w->progress, w->quiet, "fault sets");
    w->estimated = false;
    w->start = fl_seconds_now();
    if (!w->quiet && sets >= MANY_SETS)
        fprintf(stderr, "note: %s: %.*Lg sets of %llu faults to try\n", router->name,
                sets < 1e15L ? 18 : 3, sets, (unsigned long long)faults);
}

/* Work of many minutes is announced when it is known. */
static void show(void *user, uint64_t done, uint64_t all)
{
    watch *w = user;
    double passed = fl_seconds_now() - w->start;
    double all_of_it = done ? passed / (double)done * (double)all : 0;
    if (!w->quiet && !w->estimated && done > 0 && passed > 1) {
        w->estimated = true;
        char time[40];
        fl_format_seconds(time, sizeof time, all_of_it);
        if (all_of_it > 600)
            fprintf(stderr, "note: this takes %s %s; --sample N draws random sets instead\n",
                    all == UINT64_MAX ? "more than" : "about", time);
    }
    fl_progress_show(&w->progress, done, all);
}

static void watch_study(fl_deadlock_study *study, watch *w, const fl_option *options)
{
    *w = (watch){.quiet = fl_option_value(options, "quiet") != NULL, .start = fl_seconds_now()};
    fl_interrupt_watch();
    fl_progress_start(&w->progress, w->quiet, "fault sets");
    study->announce = announce;
    study->progress = show;
    study->user = w;
}

static void print_notes(const asked *a, const fl_option *options)
{
    for (unsigned i = 0; i < a->router_count && !fl_option_value(options, "quiet"); i++)
        if (a->routers[i]->note[0])
            fprintf(stderr, "note: %s: %s\n", a->routers[i]->name, a->routers[i]->note);
}

/* ---- results ---- */

static int deliver(fl_text *text, const fl_option *options)
{
    const char *path = fl_option_value(options, "out");
    fl_error error;
    int code = FL_EXIT_OK;
    if (text->failed || !text->data)
        code = fl_complain_memory("the results");
    else if (path && fl_file_write(path, text->data, text->length, &error))
        code = (fl_complain_of(&error), FL_EXIT_FAILED);
    else if (!path)
        return fl_print_text(text);
    fl_text_clear(text);
    return code;
}

static int draw_cycle(const fl_deadlock_findings *findings, const fl_picture_file *file,
                      const fl_option *options)
{
    fl_error error;
    if (!fl_deadlock_has_cycle(findings)) {
        fprintf(stderr, "note: no picture was drawn: no cycle was found\n");
        return FL_EXIT_OK;
    }
    if (fl_deadlock_draw(findings, file->path, &error)) {
        fl_complain("no picture: %s", error.text);
        return FL_EXIT_FAILED;
    }
    if (!fl_option_value(options, "json") && !fl_option_value(options, "quiet"))
        fl_picture_say_written(file);
    return FL_EXIT_OK;
}

static int study_sets(asked *a, const fl_option *options)
{
    fl_picture_file picture;
    if (!fl_picture_of_option(options, "picture", &picture))
        return FL_EXIT_BAD_INPUT;
    fl_deadlock_findings *findings;
    fl_error error;
    fl_text text = {0};
    watch w;
    watch_study(&a->study, &w, options);
    fl_status status = fl_deadlock_study_run(&findings, &a->study, &error);
    fl_progress_end(&w.progress);
    if (status)
        return fl_complain_of(&error);
    bool json = fl_option_value(options, "json") != NULL, partial = findings->partial;
    if (json)
        fl_deadlock_json(findings, &text);
    else
        fl_deadlock_summary(findings, &text);
    int code = deliver(&text, options);
    if (picture.path) {
        int drawn = draw_cycle(findings, &picture, options);
        code = code ? code : drawn;
    }
    fl_deadlock_findings_destroy(findings);
    if (partial) {
        fl_complain("ended early: what was not finished is missing");
        code = code ? code : FL_EXIT_INTERRUPTED;
    }
    return code;
}

static void watch_cells(void *user, uint64_t done, uint64_t all)
{
    fl_progress_show(user, done, all);
}

static int find_fewest(asked *a, const fl_option *options)
{
    fl_fewest_table *table;
    fl_error error;
    fl_text text = {0};
    fl_progress progress;
    fl_progress_start(&progress, fl_option_value(options, "quiet") != NULL, "cells of the table");
    a->study.progress = watch_cells;
    a->study.user = &progress;
    fl_interrupt_watch();
    fl_status status = fl_fewest_channels_run(&table, &a->study, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    bool partial = table->partial;
    if (fl_option_value(options, "json"))
        fl_fewest_channels_json(table, &text);
    else if (fl_option_value(options, "markdown"))
        fl_fewest_channels_markdown(table, &text);
    else
        fl_fewest_channels_summary(table, &text);
    fl_fewest_channels_destroy(table);
    int code = deliver(&text, options);
    if (partial) {
        fl_complain("ended early: what was not finished is marked as stopped");
        code = code ? code : FL_EXIT_INTERRUPTED;
    }
    return code;
}

/* ---- rules ---- */

static fl_deadlock_rules *load_rules(const char *path)
{
    fl_deadlock_rules *rules = NULL;
    fl_error error;
    char *text;
    size_t length;
    if (fl_file_read(&text, &length, path, RULES_BYTES_MAX, &error))
        return fl_complain_of(&error), NULL;
    if (fl_deadlock_rules_parse(&rules, text, length, path, &error))
        fl_complain_of(&error);
    free(text);
    return rules;
}

/* Prints a line; the exit code, or -1 to go on. */
static int check_rule(const fl_deadlock_rules *rules, unsigned index, fl_deadlock_study *study,
                      const fl_option *options)
{
    fl_text says = {0}, found = {0};
    fl_error error;
    bool holds;
    watch w;
    watch_study(study, &w, options);
    fl_status status = fl_deadlock_rules_check(rules, index, study, &holds, &found, &error);
    fl_progress_end(&w.progress);
    fl_deadlock_rules_describe(rules, index, &says);
    int code = -1;
    if (status == FL_ERR_STOPPED && atomic_load(&fl_interrupted))
        code =
            (fl_complain("ended early at rule %u of %u", index + 1, fl_deadlock_rules_count(rules)),
             FL_EXIT_INTERRUPTED);
    else if (status)
        code = (fl_complain("rule %u: %s", index + 1, error.text),
                status == FL_ERR_INVALID ? FL_EXIT_BAD_INPUT : FL_EXIT_FAILED);
    else if (says.failed || found.failed)
        code = fl_complain_memory("what a rule says");
    else if (!holds)
        code = FL_EXIT_FAILED;
    if (says.failed || found.failed)
        holds = false; /* complained of */
    else if (!status && !holds)
        printf("BROKEN %u  %s\n  %s\n", index + 1, says.data, found.data);
    else if (!status && !fl_option_value(options, "quiet"))
        printf("ok %u  %s (%s)\n", index + 1, says.data, found.data);
    fflush(stdout);
    fl_text_clear(&says);
    fl_text_clear(&found);
    return code;
}

static int check_rules(const fl_option *options)
{
    static const char *const allowed[] = {"rules", "quiet", "keep-going", NULL};
    for (const fl_option *option = options; option->name; option++) {
        bool known = false;
        for (size_t i = 0; allowed[i]; i++)
            known |= strcmp(option->name, allowed[i]) == 0;
        if (option->given && !known)
            return fl_complain("--%s does not go with --rules: the file says what is checked",
                               option->name);
    }
    fl_deadlock_rules *rules = load_rules(fl_option_value(options, "rules"));
    if (!rules)
        return FL_EXIT_BAD_INPUT;
    fl_deadlock_study study = {.stop = &fl_interrupted};
    unsigned count = fl_deadlock_rules_count(rules);
    double start = fl_seconds_now();
    int code = -1;
    bool keep_going = fl_option_value(options, "keep-going") != NULL;
    for (unsigned i = 0; i < count && (code < 0 || (keep_going && code == FL_EXIT_FAILED)); i++) {
        int one = check_rule(rules, i, &study, options);
        code = one < 0 ? code : one;
    }
    if (code < 0 && !fl_option_value(options, "quiet"))
        fprintf(stderr, "%u rule%s hold%s (%.1f s)\n", count, count == 1 ? "" : "s",
                count == 1 ? "s" : "", fl_seconds_now() - start);
    fl_deadlock_rules_destroy(rules);
    return code < 0 ? FL_EXIT_OK : code;
}

/* ---- the command ---- */

static bool is_free(const fl_option *options)
{
    const char *path = fl_option_value(options, "out");
    if (path && fl_file_exists(path) && !fl_option_value(options, "force"))
        return fl_complain("'%s' is there already: choose another --out, or --force to overwrite",
                           path),
               false;
    return true;
}

/* Options of which one makes no sense with the other. */
static bool go_together(const fl_option *options)
{
    static const char *const never[][2] = {{"prove", "fewest-vcs"},   {"choice", "all-ways"},
                                           {"fewest-vcs", "vcs"},     {"fewest-vcs", "vc-rule"},
                                           {"fewest-vcs", "picture"}, {"fewest-vcs", "fault-list"},
                                           {"json", "markdown"}};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (fl_option_value(options, never[i][0]) && fl_option_value(options, never[i][1]))
            return fl_complain("--%s and --%s do not go together; --help tells what they do",
                               never[i][0], never[i][1]),
                   false;
    if (fl_option_value(options, "keep-going"))
        return fl_complain("--keep-going belongs to --rules FILE"), false;
    if (fl_option_value(options, "markdown") && !fl_option_value(options, "fewest-vcs"))
        return fl_complain("--markdown is for the table of --fewest-vcs"), false;
    if (fl_option_value(options, "force") && !fl_option_value(options, "out") &&
        !fl_option_value(options, "picture"))
        return fl_complain("--force has no effect without --out or --picture"), false;
    return true;
}

static int run(const fl_option *options)
{
    asked a = {0};
    int code = FL_EXIT_BAD_INPUT;
    if (go_together(options) && is_free(options) && read_asked(&a, options)) {
        print_notes(&a, options);
        code = fl_option_value(options, "fewest-vcs") ? find_fewest(&a, options)
                                                      : study_sets(&a, options);
    }
    clear(&a);
    return code;
}

int fl_command_deadlock(int count, char **arguments)
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
    return fl_option_value(options, "rules") ? check_rules(options) : run(options);
}
