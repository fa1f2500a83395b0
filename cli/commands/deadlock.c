/* `deadlock`: can packets wait for each other in a circle? */
#include "cli/experiment.h"
#include "cli/picture.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_BYTES_MAX = 16 << 20, ROUTERS_MAX = 256, NAME_MAX_LENGTH = 96 };

typedef struct values {
    fl_network_values network;
    fl_name_list routers;
    unsigned channels;
    char *assignment;
    fl_scope scope;
    fl_count_list faults;
    char *fault_model, *fail;
    uint64_t sample, seed;
    unsigned choice;
    bool all_candidates, prove, fewest_vcs;
    char *rules, *folder, *picture;
    bool keep_going, json, markdown, force, quiet;
    fl_common_values common;
} values;

#define OFFSET(member) offsetof(values, member)

static const fl_option_row router_rows[] = {
    {.name = "routers",
     .kind = FL_OPTION_NAMES,
     .offset = OFFSET(routers),
     .value = "A,B,...",
     .help = "routers, e.g. gns,gns+gdl@phase:3; those without a VC assignment take --vcs and "
             "--vc-assignment",
     .was = "router"},
    {.name = "vcs",
     .kind = FL_OPTION_UNSIGNED,
     .offset = OFFSET(channels),
     .value = "N",
     .help = "virtual channels of every link between switches, 1 to 32 (default: 1)",
     .least = 1,
     .most = FL_CHANNELS_MAX},
    {.name = "vc-assignment",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(assignment),
     .value = "NAME",
     .help = "which of them a packet takes ('faultline list vc-assignments'; default: one, for a "
             "single channel)",
     .was = "vc-rule,channel-rule"},
    {.name = "choice",
     .kind = FL_OPTION_WORD,
     .offset = OFFSET(choice),
     .value = "KIND",
     .help =
         "follow the candidates that 'simulate --choice KIND' can take: 'first' only the first; "
         "any other every one, unless the router ranks its candidates",
     .preset = "first",
     .words = fl_sim_choice_names},
    {.name = "all-candidates",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(all_candidates),
     .help = "follow every candidate of every router, ranked or not",
     .was = "all-ways"},
    {0}};

static const fl_option_row fault_rows[] = {
    {.name = "faults",
     .kind = FL_OPTION_COUNTS,
     .offset = OFFSET(faults),
     .value = "LIST",
     .help = "every set of exactly N faults: 3, or 0:3, or 0,2 (default: 0)"},
    {.name = "fault-model",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fault_model),
     .value = "MODEL",
     .help = "what fails: links, links:class=switch-links (all but node links), switches, "
             "bundles:size=c, neighbours:size=c, list:A-B;C-D...",
     .preset = "links",
     .was = "fault-class",
     .now = "fault-model links:class=CLASS"},
    {.name = "fail",
     .kind = FL_OPTION_TEXT,
     .offset = OFFSET(fail),
     .value = "LINKS",
     .help = "one set: these links, A-B;C-D (labels or link numbers), or @FILE with one a line",
     .was = "fault-list"},
    {.name = "sample",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(sample),
     .value = "N",
     .help = "draw N random sets of each fault count where there are more",
     .least = 1},
    {.name = "seed",
     .kind = FL_OPTION_COUNT,
     .offset = OFFSET(seed),
     .value = "N",
     .help = "seed of the drawn sets",
     .preset = "1",
     .most = (double)FL_JSON_U64_MAX,
     .was = "fault-seed"},
    {0}};

static const fl_option_row question_rows[] = {
    {.name = "prove",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(prove),
     .help = "all fault sets at once: deadlock-free or not, and the longest path or a loop; where "
             "neither a proof nor a real set is found, sets of up to 3 faults are tried as far as "
             "that takes seconds, or those of --faults and --sample"},
    {.name = "fewest-vcs",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(fewest_vcs),
     .help = "for each router and VC assignment the fewest virtual channels proven deadlock-free"},
    {.name = "rules",
     .kind = FL_OPTION_FILE,
     .offset = OFFSET(rules),
     .value = "FILE",
     .help = "check the expectations in a file, and end with 1 at the first that is broken"},
    {.name = "keep-going",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(keep_going),
     .help = "with --rules: check the others too, then end with 1"},
    {0}};

static const fl_option_row output_rows[] = {
    {.name = "json", .kind = FL_OPTION_SWITCH, .offset = OFFSET(json), .help = "print JSON"},
    {.name = "markdown",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(markdown),
     .help = "print a Markdown table (with --fewest-vcs)"},
    {.name = "out",
     .kind = FL_OPTION_FOLDER,
     .offset = OFFSET(folder),
     .value = "DIR",
     .help = "write deadlock.txt (deadlock.json, deadlock.md) into this folder instead of to "
             "standard output"},
    {.name = "picture",
     .kind = FL_OPTION_FILE,
     .offset = OFFSET(picture),
     .value = "FILE",
     .help = "draw the first router's cycle under the fewest faults, if there is one: FILE.svg, "
             "FILE.pdf or FILE.png"},
    {.name = "force",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(force),
     .help = "overwrite these files"},
    {.name = "quiet",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(quiet),
     .help = "no progress, no notes; with --rules: only what is broken"},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("network and routers", fl_network_rows, OFFSET(network)),
    FL_OPTION_ROWS(NULL, router_rows, 0),
    FL_OPTION_ROWS(NULL, fl_scope_rows, OFFSET(scope)),
    FL_OPTION_ROWS("fault sets", fault_rows, 0),
    FL_OPTION_ROWS("question", question_rows, 0),
    FL_OPTION_ROWS("output", output_rows, 0),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

/* The file of --out. */
static const char *const *file_of(const values *v)
{
    static const char *const files[][2] = {
        {"deadlock.txt", NULL}, {"deadlock.json", NULL}, {"deadlock.md", NULL}};
    return files[v->json ? 1 : v->markdown ? 2 : 0];
}

/* ---- what is asked ---- */

typedef struct asked {
    fl_network *network;
    fl_fault_model *model;
    fl_router *routers[ROUTERS_MAX];
    unsigned router_count;
    const uint64_t *faults; /* [fault_points] */
    uint64_t one_count;
    uint32_t fault_points;
    fl_deadlock_study study;
} asked;

static void clear(asked *a)
{
    for (unsigned i = 0; i < a->router_count; i++)
        fl_router_destroy(a->routers[i]);
    fl_fault_model_destroy(a->model);
    fl_network_destroy(a->network);
}

static bool complain_assignment_needed(uint64_t channels)
{
    fl_text names = {0};
    for (size_t i = 0; fl_vc_assignments[i]; i++)
        fl_text_append(&names, "%s%s", i ? ", " : "", fl_vc_assignments[i]->name);
    fl_complain(
        "--vcs %llu: which of them does a packet take? Give --vc-assignment (%s; 'faultline list' explains them)",
        (unsigned long long)channels, names.data ? names.data : "");
    fl_text_clear(&names);
    return false;
}

/* The routers' names, with --vcs and --vc-assignment for those that have no '@'. */
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
        return complain_assignment_needed(channels);
    return true;
}

static bool make_routers(asked *a, const fl_call *call)
{
    const values *v = call->options.values;
    bool any_plain = false;
    for (unsigned i = 0; i < v->routers.count; i++) {
        const char *name = v->routers.of[i];
        any_plain |= strchr(name, '@') == NULL;
        if (strlen(name) > NAME_MAX_LENGTH)
            return fl_complain("--routers: the name '%.40s...' is too long", name), false;
        if (!make_router(a, name, v->scope, v->assignment, v->channels))
            return false;
    }
    if (!any_plain && (v->assignment || v->channels))
        return fl_complain("--%s has no effect: every router names its own VC assignment",
                           v->assignment ? "vc-assignment" : "vcs"),
               false;
    return true;
}

static bool make_model(asked *a, const fl_call *call)
{
    static const uint64_t none;
    const fl_axis axis = {.fault_points = 1, .counts = &none};
    const values *v = call->options.values;
    fl_text text = {0};
    fl_error error;
    if (strstr(v->fault_model, "draw=independent"))
        return fl_complain("--fault-model %.80s: fault sets have a given size; leave out "
                           "draw=independent",
                           v->fault_model),
               false;
    fl_text_append(&text, "%s%s", v->fail ? "list:" : "", v->fail ? v->fail : v->fault_model);
    fl_status status = text.failed
                           ? fl_fail(&error, FL_ERR_MEMORY, "out of memory for a fault model")
                           : fl_fault_model_create(&a->model, a->network, text.data, &axis, &error);
    fl_text_clear(&text);
    if (status)
        fl_complain_of(&error);
    return !status;
}

/* One set: all links of --fail, or none. Where every fault set is meant there is no list. */
static bool set_faults(asked *a, const fl_call *call)
{
    const values *v = call->options.values;
    if (fl_call_given(call, "faults")) {
        a->faults = v->faults.of;
        a->fault_points = v->faults.count;
    } else if (v->fail || !(v->prove || v->fewest_vcs)) {
        a->one_count = v->fail ? fl_fault_model_components(a->model) : 0;
        a->faults = &a->one_count;
        a->fault_points = 1;
    }
    return true;
}

static bool read_asked(asked *a, const fl_call *call)
{
    const values *v = call->options.values;
    fl_error error;
    if (!v->network.topology || !v->routers.count)
        return fl_complain("which network and routers? Give --topology and --routers, or --rules "
                           "FILE; --help shows more"),
               false;
    if (fl_call_given(call, "seed") && !v->sample)
        return fl_complain("--seed has no effect without --sample: every set is tried"), false;
    if (fl_network_create(&a->network, v->network.topology, &error))
        return fl_complain_of(&error), false;
    if (!make_routers(a, call) || !make_model(a, call) || !set_faults(a, call))
        return false;
    a->study = (fl_deadlock_study){.network = a->network,
                                   .model = a->model,
                                   .routers = a->routers,
                                   .router_count = a->router_count,
                                   .faults = a->faults,
                                   .fault_points = a->fault_points,
                                   .sample = v->sample,
                                   .seed = v->seed,
                                   .candidates = v->all_candidates ? FL_DEADLOCK_ALL
                                                 : v->choice == FL_SIM_FIRST_CANDIDATE
                                                     ? FL_DEADLOCK_FIRST
                                                     : FL_DEADLOCK_EQUIVALENT,
                                   .prove = v->prove,
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

static void watch_study(fl_deadlock_study *study, watch *w, const values *v)
{
    *w = (watch){.quiet = v->quiet, .start = fl_seconds_now()};
    fl_interrupt_watch();
    fl_progress_start(&w->progress, w->quiet, "fault sets");
    study->announce = announce;
    study->progress = show;
    study->user = w;
}

static void print_notes(const asked *a, const values *v)
{
    for (unsigned i = 0; i < a->router_count && !v->quiet; i++)
        if (a->routers[i]->note[0])
            fprintf(stderr, "note: %s: %s\n", a->routers[i]->name, a->routers[i]->note);
}

/* ---- results ---- */

/* Only what a person reads at a terminal is fitted to it. */
static unsigned columns_of(const values *v)
{
    return v->json || v->markdown || v->folder ? 0 : fl_terminal_columns();
}

static int deliver(fl_text *text, const values *v)
{
    char path[FL_PATH_MAX + 32];
    fl_error error;
    int code = FL_EXIT_OK;
    if (v->folder)
        snprintf(path, sizeof path, "%s/%s", v->folder, file_of(v)[0]);
    if (text->failed || !text->data)
        code = fl_complain_memory("the results");
    else if (v->folder && fl_file_write(path, text->data, text->length, &error))
        code = (fl_complain_of(&error), FL_EXIT_FAILED);
    else if (!v->folder)
        return fl_print_text(text);
    fl_text_clear(text);
    return code;
}

static int draw_cycle(const fl_deadlock_findings *findings, const fl_picture_file *file,
                      const values *v)
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
    if (!v->json && !v->quiet)
        fl_picture_print_written(file);
    return FL_EXIT_OK;
}

static int study_sets(asked *a, const values *v)
{
    fl_picture_file picture;
    if (!fl_picture_open(v->picture, v->force, FL_EXTENT_AUTO, &picture))
        return FL_EXIT_BAD_INPUT;
    fl_deadlock_findings *findings;
    fl_error error;
    fl_text text = {.columns = columns_of(v)};
    watch w;
    watch_study(&a->study, &w, v);
    fl_status status = fl_deadlock_study_run(&findings, &a->study, &error);
    fl_progress_end(&w.progress);
    if (status)
        return fl_complain_of(&error);
    bool json = v->json, partial = findings->partial;
    if (json)
        fl_deadlock_json(findings, &text);
    else
        fl_deadlock_summary(findings, &text);
    int code = deliver(&text, v);
    if (picture.path) {
        int drawn = draw_cycle(findings, &picture, v);
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

static int find_fewest(asked *a, const values *v)
{
    fl_fewest_table *table;
    fl_error error;
    fl_text text = {.columns = columns_of(v)};
    fl_progress progress;
    fl_progress_start(&progress, v->quiet, "cells of the table");
    a->study.progress = watch_cells;
    a->study.user = &progress;
    fl_interrupt_watch();
    fl_status status = fl_fewest_channels_run(&table, &a->study, &error);
    fl_progress_end(&progress);
    if (status)
        return fl_complain_of(&error);
    bool partial = table->partial;
    if (v->json)
        fl_fewest_channels_json(table, &text);
    else if (v->markdown)
        fl_fewest_channels_markdown(table, &text);
    else
        fl_fewest_channels_summary(table, &text);
    fl_fewest_channels_destroy(table);
    int code = deliver(&text, v);
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

typedef struct checked {
    fl_text rule, found; /* what it expects, what is so */
    fl_status status;
    fl_error error;
    bool holds;
} checked;

/* A line as soon as the rule is checked, or an element of the JSON that is printed at the end. */
static void print_checked(const checked *c, unsigned number, const values *v, fl_json_writer *json)
{
    if (v->json) {
        fl_json_line(json);
        fl_json_open_object(json, NULL);
        fl_json_number(json, "number", number);
        fl_json_text(json, "rule", c->rule.data);
        fl_json_bool(json, "holds", c->holds);
        fl_json_text(json, "found", c->found.data);
        fl_json_close(json);
        return;
    }
    fl_text line = {.columns = fl_terminal_columns()};
    if (!c->holds)
        fl_text_append(&line, "BROKEN %u  %s\n  %s\n", number, c->rule.data, c->found.data);
    else if (!v->quiet)
        fl_text_append(&line, "ok %u  %s (%s)\n", number, c->rule.data, c->found.data);
    fl_print_text(&line);
    fflush(stdout);
}

/* The exit code, or -1 to go on. */
static int code_of(const checked *c, unsigned number, unsigned count)
{
    if (c->status == FL_ERR_STOPPED && atomic_load(&fl_interrupted))
        return fl_complain("ended early at rule %u of %u", number, count), FL_EXIT_INTERRUPTED;
    if (c->status) {
        fl_complain("rule %u: %s", number, c->error.text);
        return c->status == FL_ERR_INVALID ? FL_EXIT_BAD_INPUT : FL_EXIT_FAILED;
    }
    if (c->rule.failed || c->found.failed)
        return fl_complain_memory("the text of a rule");
    return c->holds ? -1 : FL_EXIT_FAILED;
}

static int check_rule(const fl_deadlock_rules *rules, unsigned index, fl_deadlock_study *study,
                      const values *v, fl_json_writer *json)
{
    checked c = {0};
    watch w;
    watch_study(study, &w, v);
    c.status = fl_deadlock_rules_check(rules, index, study, &c.holds, &c.found, &c.error);
    fl_progress_end(&w.progress);
    fl_deadlock_rules_describe(rules, index, &c.rule);
    int code = code_of(&c, index + 1, fl_deadlock_rules_count(rules));
    if (!c.status && !c.rule.failed && !c.found.failed)
        print_checked(&c, index + 1, v, json);
    fl_text_clear(&c.rule);
    fl_text_clear(&c.found);
    return code;
}

/* Checks all rules, or those up to the first that is broken. */
static int check_each(const fl_deadlock_rules *rules, const values *v)
{
    fl_deadlock_study study = {.stop = &fl_interrupted};
    fl_text text = {0};
    fl_json_writer json = fl_json_writer_begin(&text, 2);
    unsigned count = fl_deadlock_rules_count(rules);
    double start = fl_seconds_now();
    int code = -1;
    if (v->json)
        fl_json_open_array(&json, NULL);
    for (unsigned i = 0; i < count && (code < 0 || (v->keep_going && code == FL_EXIT_FAILED));
         i++) {
        int one = check_rule(rules, i, &study, v, &json);
        code = one < 0 ? code : one;
    }
    if (code < 0 && !v->quiet && !v->json)
        fprintf(stderr, "%u rule%s hold%s (%.1f s)\n", count, count == 1 ? "" : "s",
                count == 1 ? "s" : "", fl_seconds_now() - start);
    if (v->json) {
        fl_json_close(&json);
        fl_text_append(&text, "\n");
        int printed = fl_print_text(&text);
        code = code < 0 ? printed : code;
    }
    return code < 0 ? FL_EXIT_OK : code;
}

static int check_rules(const fl_call *call)
{
    static const char *const allowed[] = {"rules", "json", "quiet", "keep-going", "plugin"};
    const values *v = call->options.values;
    const fl_option_row *row;
    for (int i = 0; (row = fl_option_at(call->options.groups, i, NULL)) != NULL; i++) {
        bool known = false;
        for (size_t n = 0; n < sizeof allowed / sizeof *allowed; n++)
            known |= strcmp(row->name, allowed[n]) == 0;
        if (call->options.given[i] && !known)
            return fl_complain("--%s does not go with --rules: the file lists what is checked",
                               row->name);
    }
    fl_deadlock_rules *rules = load_rules(v->rules);
    if (!rules)
        return FL_EXIT_BAD_INPUT;
    int code = check_each(rules, v);
    fl_deadlock_rules_destroy(rules);
    return code;
}

/* ---- the command ---- */

/* Options of which one makes no sense with the other. */
static bool go_together(const fl_call *call)
{
    static const char *const never[][2] = {
        {"prove", "fewest-vcs"},   {"choice", "all-candidates"},
        {"fewest-vcs", "vcs"},     {"fewest-vcs", "vc-assignment"},
        {"fewest-vcs", "picture"}, {"fewest-vcs", "fail"},
        {"json", "markdown"}};
    static const char *const of_sets[] = {"fault-model", "faults", "sample"};
    const values *v = call->options.values;
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (fl_call_given(call, never[i][0]) && fl_call_given(call, never[i][1]))
            return fl_complain("--%s and --%s do not go together; --help explains them",
                               never[i][0], never[i][1]),
                   false;
    for (size_t i = 0; v->fail && i < sizeof of_sets / sizeof *of_sets; i++)
        if (fl_call_given(call, of_sets[i]))
            return fl_complain("--fail is one set of faults: leave out --%s (--fault-model "
                               "'list:A-B;C-D' --faults 1 tries every single one of a list)",
                               of_sets[i]),
                   false;
    if (v->keep_going)
        return fl_complain("--keep-going belongs to --rules FILE"), false;
    if (v->markdown && !v->fewest_vcs)
        return fl_complain("--markdown is for the table of --fewest-vcs"), false;
    if (v->force && !v->folder && !v->picture)
        return fl_complain("--force has no effect without --out or --picture"), false;
    return true;
}

static bool prepare_folder(const values *v)
{
    return !v->folder ||
           fl_prepare_folder(v->folder, &(fl_outputs){file_of(v), NULL, ""}, v->force);
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    asked a = {0};
    int code = FL_EXIT_BAD_INPUT;
    if (v->rules)
        return check_rules(call);
    if (go_together(call) && read_asked(&a, call) && prepare_folder(v)) {
        print_notes(&a, v);
        code = v->fewest_vcs ? find_fewest(&a, v) : study_sets(&a, v);
    }
    clear(&a);
    return code;
}

const fl_command fl_command_deadlock = {
    .name = "deadlock",
    .summary = "can packets wait for each other in a circle? fault sets one by one, or proofs",
    .about =
        "Can packets wait for each other in a circle? Builds the channel dependency graph over "
        "all pairs of nodes under every fault set and looks for cycles (Dally and Seitz, 1987); "
        "without one there is no deadlock. A packet that ends blocked has held its channels "
        "until then, and counts.",
    .usage = (const char *const[]){"NET --routers A,B,... [OPTIONS]", "--rules FILE.json", NULL},
    .groups = groups,
    .size = sizeof(values),
    .positional = (const char *const[]){"topology", NULL},
    .examples =
        (const char *const[]){"faultline deadlock mikant:k=3,n=3 --routers gns,three-turn "
                              "--fault-model links:class=switch-links --faults 0:3",
                              "faultline deadlock mikant:k=3,n=3 --routers "
                              "gns+gdl@turns:3,gns+gdl --fault-model "
                              "links:class=switch-links --prove",
                              "faultline deadlock --rules experiments/deadlock-rules.json", NULL},
    .notes = FL_PLACES_TEXT,
    .exits =
        "exit codes: 0 done, with or without cycles; 1 a rule is broken, or the work failed; 2 "
        "bad input (nothing done); 130 ended by Ctrl-C",
    .run = run,
};
