#include "cli/cli.h"
#include "routing/plugin.h"

#include <string.h>

static void print_parameter(const fl_parameter *p)
{
    printf("  %-22s   %s: %s", "", p->name, p->summary);
    for (size_t i = 0; p->choices && p->choices[i]; i++)
        printf("%s%s", i ? ", " : ": ", p->choices[i]);
    if (!p->choices)
        printf(", %llu to %llu", (unsigned long long)p->least, (unsigned long long)p->most);
    if (p->optional && p->choices)
        printf(" (default: %s)", p->choices[p->fallback]);
    else if (p->optional && p->fallback != FL_NOT_GIVEN)
        printf(" (default: %llu)", (unsigned long long)p->fallback);
    putchar('\n');
}

static void print_networks(void)
{
    puts("networks (--topology):");
    for (size_t i = 0; fl_network_types[i]; i++) {
        const fl_network_type *type = fl_network_types[i];
        char form[128];
        size_t at = (size_t)snprintf(form, sizeof form, "%s", type->name);
        for (const fl_parameter *p = type->parameters; p->name; p++)
            at += (size_t)snprintf(form + at, sizeof form - at, "%s%c%s=..%s",
                                   p->optional ? "[" : "", p == type->parameters ? ':' : ',',
                                   p->name, p->optional ? "]" : "");
        if (type->text)
            snprintf(form + at, sizeof form - at, "%c%s", type->parameters[0].name ? ',' : ':',
                     type->text);
        if (strlen(form) > 22)
            printf("  %s\n  %-22s %s\n", form, "", type->summary);
        else
            printf("  %-22s %s\n", form, type->summary);
        printf("  %-22s source: %s\n", "", type->source);
        for (const fl_parameter *p = type->parameters; p->name; p++)
            print_parameter(p);
    }
}

static void print_routers(void)
{
    puts("\nrouters (--routers):");
    for (size_t i = 0; fl_router_types[i]; i++)
        printf("  %-22s %s\n  %-22s source: %s\n", fl_router_types[i]->name,
               fl_router_types[i]->summary, "", fl_router_types[i]->source);
    puts("\ndetour rules, joined by '+' (gns+x-turns+gdl), in the order in which they are tried:");
    for (unsigned rule = 0; rule < fl_rule_count(); rule++)
        printf("  %-22s %s\n  %-22s source: %s\n", fl_rule_name(rule), fl_rule_summary(rule), "",
               fl_rule_source(rule));
}

static void print_channel_rules(void)
{
    puts(
        "\nchannel rules, after a router's name with the number of virtual channels (gns+gdl@phase:3):");
    for (size_t i = 0; fl_vc_assignments[i]; i++)
        printf("  %-22s %s\n  %-22s source: %s\n", fl_vc_assignments[i]->name,
               fl_vc_assignments[i]->summary, "", fl_vc_assignments[i]->source);
}

static void print_fault_models(void)
{
    puts("\nfault models (--fault-model):");
    for (const fl_fault_model_help *model = fl_fault_models; model->name; model++)
        printf("  %-22s %s\n", model->name, model->summary);
    puts(
        "  options: draw=exact (so many parts fail, default) or draw=independent (each with a probability),\n"
        "  class=NAME+NAME (only links of these classes; switch-links: all but node links)");
}

static void print_plugins(void)
{
    const fl_plugin_info *info;
    for (unsigned i = 0; (info = fl_plugin_at(i)) != NULL; i++)
        printf("%s  %-22s version %s, file hash %s\n  %-22s %s\n",
               i ? "" : "\nplug-ins (--plugin), which have added to the lists above:\n",
               info->plugin->name, info->plugin->version, info->hash, "", info->path);
}

int fl_command_list(int count, char **arguments)
{
    fl_option options[] = {{"help", NULL, "this text", NULL}, {NULL, NULL, NULL, NULL}};
    int positional;
    if (!fl_options_read(options, count, arguments, NULL, 0, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        puts("The networks, routers, detour rules, channel rules and fault models there are.\n\n"
             "usage: faultline list [OPTIONS]\n\noptions:");
        fl_options_print(options, stdout);
        return FL_EXIT_OK;
    }
    print_networks();
    print_routers();
    print_channel_rules();
    print_fault_models();
    print_plugins();
    return FL_EXIT_OK;
}
