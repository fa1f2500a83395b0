/* `list`: networks, routers, rules and what else there is to name. */
#include "cli/cli.h"
#include "routing/plugin.h"

#include <stddef.h>
#include <string.h>

typedef struct values {
    bool json;
    fl_common_values common;
} values;

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("options", fl_json_rows, offsetof(values, json)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

/* ---- entries ---- */

/* Where entries go: lines of a text, or JSON. */
typedef struct listing {
    fl_text *out;
    unsigned width;
    bool in_json;
    fl_json_writer json;
} listing;

enum { INDENT = 25 };

static void append_json(listing *l, const char *name, const char *form, const char *summary,
                        const char *source)
{
    fl_json_line(&l->json);
    fl_json_open_object(&l->json, NULL);
    fl_json_text(&l->json, "name", name);
    if (strcmp(name, form) != 0)
        fl_json_text(&l->json, "form", form);
    fl_json_text(&l->json, "summary", summary);
    if (source)
        fl_json_text(&l->json, "source", source);
    fl_json_close(&l->json);
}

/* `form` is how it is written, `name` what it is called. */
static void append_entry(listing *l, const char *name, const char *form, const char *summary,
                         const char *source)
{
    if (l->in_json) {
        append_json(l, name, form, summary, source);
        return;
    }
    fl_help_item(form, summary, INDENT, l->width, l->out);
    if (!source)
        return;
    fl_text_append(l->out, "%*ssource: ", INDENT, "");
    fl_help_wrap(source, INDENT + 8, INDENT + 2, l->width, l->out);
    fl_text_append(l->out, "\n");
}

static void append_parameter(listing *l, const fl_parameter *p)
{
    fl_text line = {0};
    fl_text_append(&line, "%s: %s", p->name, p->summary);
    for (size_t i = 0; p->choices && p->choices[i]; i++)
        fl_text_append(&line, "%s%s", i ? ", " : ": ", p->choices[i]);
    char value[64];
    if (!p->choices) {
        fl_parameter_print(p, p->least, value, sizeof value);
        fl_text_append(&line, ", %s", value);
        fl_parameter_print(p, p->most, value, sizeof value);
        fl_text_append(&line, " to %s", value);
    }
    if (p->optional && (p->choices || p->fallback != FL_NOT_GIVEN)) {
        fl_parameter_print(p, p->fallback, value, sizeof value);
        fl_text_append(&line, " (default: %s)", value);
    }
    fl_text_append(l->out, "%*s", INDENT + 2, "");
    fl_help_wrap(line.data ? line.data : "", INDENT + 2, INDENT + 4, l->width, l->out);
    fl_text_append(l->out, "\n");
    l->out->failed |= line.failed;
    fl_text_clear(&line);
}

/* ---- sections ---- */

static void list_networks(listing *l)
{
    for (size_t i = 0; fl_network_types[i]; i++) {
        const fl_network_type *type = fl_network_types[i];
        fl_text form = {0};
        fl_text_append(&form, "%s", type->name);
        for (const fl_parameter *p = type->parameters; p->name; p++)
            fl_text_append(&form, "%s%c%s=..%s", p->optional ? "[" : "",
                           p == type->parameters ? ':' : ',', p->name, p->optional ? "]" : "");
        if (type->text)
            fl_text_append(&form, "%c%s", type->parameters[0].name ? ',' : ':', type->text);
        append_entry(l, type->name, form.data ? form.data : type->name, type->summary,
                     type->source);
        l->out->failed |= form.failed;
        fl_text_clear(&form);
        for (const fl_parameter *p = type->parameters; p->name && !l->in_json; p++)
            append_parameter(l, p);
    }
}

static void list_routers(listing *l)
{
    for (size_t i = 0; fl_router_types[i]; i++)
        append_entry(l, fl_router_types[i]->name, fl_router_types[i]->name,
                     fl_router_types[i]->summary, fl_router_types[i]->source);
}

static void list_rules(listing *l)
{
    for (unsigned rule = 0; rule < fl_rule_count(); rule++)
        append_entry(l, fl_rule_name(rule), fl_rule_name(rule), fl_rule_summary(rule),
                     fl_rule_source(rule));
}

static void list_vc_assignments(listing *l)
{
    for (size_t i = 0; fl_vc_assignments[i]; i++)
        append_entry(l, fl_vc_assignments[i]->name, fl_vc_assignments[i]->name,
                     fl_vc_assignments[i]->summary, fl_vc_assignments[i]->source);
}

static void list_fault_models(listing *l)
{
    for (const fl_fault_model_help *model = fl_fault_models; model->name; model++)
        append_entry(l, model->name, model->name, model->summary, NULL);
    if (!l->in_json) {
        fl_text_append(l->out, "  ");
        fl_help_wrap("options: draw=exact (N components fail, default) or draw=independent (each "
                     "with a probability), class=NAME+NAME (only links of these classes; "
                     "switch-links: all but node links)",
                     2, 4, l->width, l->out);
        fl_text_append(l->out, "\n");
    }
}

static void list_presets(listing *l)
{
    for (const fl_sim_preset *p = fl_sim_presets; p->name; p++)
        append_entry(l, p->name, p->name, p->summary, p->source);
}

static void list_traffic(listing *l)
{
    for (const fl_sim_traffic_help *t = fl_sim_traffics; t->name; t++)
        append_entry(l, t->name, t->name, t->summary, NULL);
}

static void list_workloads(listing *l)
{
    for (const fl_sim_workload_help *w = fl_sim_workloads; w->name; w++)
        append_entry(l, w->name, w->name, w->summary, NULL);
}

static void list_plugins(listing *l)
{
    const fl_plugin_info *info;
    for (unsigned i = 0; (info = fl_plugin_at(i)) != NULL; i++) {
        fl_text line = {0};
        fl_text_append(&line, "version %s, file hash %s", info->plugin->version, info->hash);
        append_entry(l, info->plugin->name, info->plugin->name, line.data ? line.data : "", NULL);
        if (!l->in_json)
            fl_text_append(l->out, "%*s%s\n", INDENT, "", info->path);
        l->out->failed |= line.failed;
        fl_text_clear(&line);
    }
}

static const char *const names[] = {"networks",     "routers", "rules",   "vc-assignments",
                                    "fault-models", "presets", "traffic", "workloads",
                                    "plugins",      NULL};
static const struct {
    const char *title;
    void (*list)(listing *l);
} sections[] = {
    {"networks (--topology)", list_networks},
    {"routers (--routers)", list_routers},
    {"detour rules, joined by '+' (gns+x-turns+gdl), in the order in which they are tried",
     list_rules},
    {"VC assignments, after a router's name with the number of virtual channels (gns+gdl@phase:3)",
     list_vc_assignments},
    {"fault models (--fault-model)", list_fault_models},
    {"presets of simulate (--preset)", list_presets},
    {"traffic patterns (--traffic)", list_traffic},
    {"workloads (--workload; thin-tree paper, IV.C; NAME:key=value,...; all take processes=N and "
     "bytes=N)",
     list_workloads},
    {"plug-ins (--plugin), which have added to the lists above", list_plugins},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static void append_section(listing *l, unsigned section)
{
    if (l->in_json) {
        char key[32];
        snprintf(key, sizeof key, "%s", names[section]);
        for (char *c = key; *c; c++)
            *c = *c == '-' ? '_' : *c;
        fl_json_line(&l->json);
        fl_json_open_array(&l->json, key);
        sections[section].list(l);
        fl_json_line(&l->json);
        fl_json_close(&l->json);
        return;
    }
    if (l->out->length > 0)
        fl_text_append(l->out, "\n");
    fl_help_wrap(sections[section].title, 0, 2, l->width - 1, l->out);
    fl_text_append(l->out, ":\n");
    sections[section].list(l);
}

static bool find_section(const char *name, unsigned *out)
{
    for (*out = 0; names[*out]; ++*out)
        if (strcmp(names[*out], name) == 0)
            return true;
    const char *nearest = fl_text_nearest(name, names);
    fl_text all = {0};
    for (unsigned i = 0; names[i]; i++)
        fl_text_append(&all, "%s%s", i ? ", " : "", names[i]);
    if (nearest)
        fl_complain("unknown list '%.80s'; did you mean '%s'?", name, nearest);
    else
        fl_complain("unknown list '%.80s'; there are %s", name, all.data ? all.data : "?");
    fl_text_clear(&all);
    return false;
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    fl_text text = {.columns = v->json ? 0 : fl_help_width()};
    listing l = {.out = &text,
                 .width = fl_help_width(),
                 .in_json = v->json,
                 .json = fl_json_writer_begin(&text, 2)};
    unsigned section;
    for (unsigned i = 0; i < call->argument_count; i++)
        if (!find_section(call->arguments[i], &section))
            return FL_EXIT_BAD_INPUT;
    if (l.in_json)
        fl_json_open_object(&l.json, NULL);
    for (unsigned i = 0; i < call->argument_count; i++)
        if (find_section(call->arguments[i], &section))
            append_section(&l, section);
    for (unsigned i = 0; i < SECTIONS && call->argument_count == 0; i++)
        if (sections[i].list != list_plugins || fl_plugin_at(0))
            append_section(&l, i);
    if (l.in_json) {
        fl_json_line(&l.json);
        fl_json_close(&l.json);
        fl_text_append(&text, "\n");
    }
    return fl_print_text(&text);
}

const fl_command fl_command_list = {
    .name = "list",
    .summary =
        "the networks, routers, detour rules, VC assignments, fault models and more there are",
    .about = "What there is to name: networks, routers, rules (detour rules), vc-assignments, "
             "fault-models, presets, traffic, workloads and plugins; all lists, or those that are "
             "named.",
    .usage = (const char *const[]){"[LIST...] [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .argument = "LIST",
    .arguments_max = SECTIONS,
    .words = names,
    .examples = (const char *const[]){"faultline list routers rules",
                                      "faultline list networks --json", NULL},
    .exits = "exit codes: 0 done, 2 bad input",
    .run = run,
};
