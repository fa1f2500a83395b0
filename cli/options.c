#include "cli/cli.h"
#include "routing/plugin.h"

#include <string.h>

/* getopt_long is not used on purpose: it takes any beginning of a name for the name. */

enum { OPTIONS_MAX = 64 };

static const fl_option plugin_option = {
    "plugin", "FILE.so",
    "load routers, detour rules and networks from a plug-in; may be given several times", NULL};

static fl_option *find(fl_option *options, const char *name, size_t length)
{
    for (fl_option *option = options; option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

/* What another command calls it, or another program. */
static const char *other_name(const fl_option *options, const char *word)
{
    static const char *const names[][2] = {
        {"fail", "fault-list"}, {"fault-list", "fail"},  {"faulty", "fail"},  {"router", "routers"},
        {"routers", "router"},  {"network", "topology"}, {"net", "topology"}, {"output", "out"},
        {"source", "from"},     {"destination", "to"},   {"picture", "out"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const fl_option *option = options; option->name; option++)
            if (strcmp(word, names[i][0]) == 0 && strcmp(option->name, names[i][1]) == 0)
                return option->name;
    return NULL;
}

static bool complain_unknown(const fl_option *options, const char *name, int length)
{
    char word[64];
    const char *names[OPTIONS_MAX + 2] = {plugin_option.name};
    for (size_t i = 0; options[i].name && i < OPTIONS_MAX; i++)
        names[i + 1] = options[i].name;
    snprintf(word, sizeof word, "%.*s", length, name);
    const char *nearest = other_name(options, word);
    if (!nearest)
        nearest = fl_text_nearest(word, names);
    if (nearest)
        fl_complain("unknown option '--%s'; did you mean '--%s'?", word, nearest);
    else
        fl_complain("unknown option '--%s'; --help lists the options", word);
    return false;
}

/* A network without its option is what is forgotten most. */
static bool complain_unexpected(fl_option *options, const char *argument, int positional_max)
{
    const fl_option *topology = find(options, "topology", strlen("topology"));
    if (positional_max == 0 && topology && !topology->given)
        fl_complain("unexpected argument '%.80s'; if it is the network: --topology '%s'", argument,
                    argument);
    else if (positional_max == 0)
        fl_complain(
            "unexpected argument '%.80s': this command takes options only; --help lists them",
            argument);
    else
        fl_complain("unexpected argument '%.80s'", argument);
    return false;
}

/* The option at arguments[*i] and its value; `option` may be the one for plug-ins, which no table
 * has. */
static bool read_option(fl_option *option, int count, char **arguments, int *i, size_t length)
{
    const char *name = arguments[*i] + 2;
    if (!option->value && name[length])
        return fl_complain("--%s takes no value", option->name), false;
    if (!option->value)
        option->given = "";
    else if (name[length])
        option->given = name + length + 1;
    else if (*i + 1 < count && strncmp(arguments[*i + 1], "--", 2) != 0)
        option->given = arguments[++*i];
    else
        return fl_complain("--%s needs a value: --%s %s", option->name, option->name,
                           option->value),
               false;
    return true;
}

bool fl_options_read(fl_option *options, int count, char **arguments, const char **positional,
                     int positional_max, int *positional_count)
{
    fl_option plugin = plugin_option;
    const char *plugins[FL_PLUGINS_MAX];
    unsigned plugin_count = 0;
    *positional_count = 0;
    for (int i = 0; i < count; i++) {
        static char help[] = "--help";
        if (strncmp(arguments[i], "-h", 3) == 0)
            arguments[i] = help;
        const char *argument = arguments[i];
        if (strncmp(argument, "--", 2) != 0 || !argument[2]) {
            if (*argument == '-' && argument[1])
                return fl_complain("unknown option '%.80s'; options begin with two dashes",
                                   argument),
                       false;
            if (*positional_count == positional_max)
                return complain_unexpected(options, argument, positional_max);
            positional[(*positional_count)++] = argument;
            continue;
        }
        const char *name = argument + 2;
        size_t length = strcspn(name, "=");
        bool is_plugin = length == strlen(plugin.name) && strncmp(name, plugin.name, length) == 0;
        fl_option *option = is_plugin ? &plugin : find(options, name, length);
        if (!option)
            return complain_unknown(options, name, (int)length);
        if (option->given && !is_plugin)
            return fl_complain("--%s is given twice", option->name), false;
        if (!read_option(option, count, arguments, &i, length))
            return false;
        if (is_plugin && plugin_count == FL_PLUGINS_MAX)
            return fl_complain("--plugin is given more than %d times", FL_PLUGINS_MAX), false;
        if (is_plugin)
            plugins[plugin_count++] = plugin.given;
    }
    return fl_plugins_open(plugins, plugin_count);
}

const char *fl_option_value(const fl_option *options, const char *name)
{
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0)
            return options->given;
    return NULL;
}

bool fl_option_number(const fl_option *options, const char *name, uint64_t least, uint64_t most,
                      uint64_t *value)
{
    const char *text = fl_option_value(options, name);
    uint64_t read;
    if (!text)
        return true;
    if (fl_text_to_u64(text, &read) && read >= least && read <= most) {
        *value = read;
        return true;
    }
    if (most < UINT64_MAX)
        fl_complain("--%s %.80s: expected a whole number from %llu to %llu", name, text,
                    (unsigned long long)least, (unsigned long long)most);
    else if (least > 0)
        fl_complain("--%s %.80s: expected a whole number from %llu", name, text,
                    (unsigned long long)least);
    else
        fl_complain("--%s %.80s: expected a whole number", name, text);
    return false;
}

bool fl_option_seed(const fl_option *options, const char *name, uint64_t *value)
{
    return fl_option_number(options, name, 0, FL_JSON_U64_MAX, value);
}

bool fl_option_kind(const fl_option *options, const char *name, const char *const *kinds,
                    unsigned *out)
{
    const char *text = fl_option_value(options, name);
    fl_text all = {0};
    for (unsigned i = 0; text && kinds[i]; i++) {
        if (strcmp(text, kinds[i]) == 0) {
            *out = i;
            fl_text_clear(&all);
            return true;
        }
        fl_text_append(&all, "%s%s", i ? (kinds[i + 1] ? ", " : " or ") : "", kinds[i]);
    }
    if (!text)
        return true;
    fl_complain("--%s %.80s: it is %s", name, text, all.data ? all.data : "?");
    fl_text_clear(&all);
    return false;
}

bool fl_option_seconds(const fl_option *options, const char *name, double *seconds)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    const char *text = fl_option_value(options, name);
    if (!text)
        return true;
    size_t length = strlen(text);
    char number[32];
    double value;
    for (size_t i = 0; i < sizeof units / sizeof *units && length > 0 && length < sizeof number;
         i++) {
        snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
        if (text[length - 1] != units[i].unit || !fl_text_to_double(number, &value) ||
            !(value > 0 && value <= 1e7))
            continue;
        *seconds = value * units[i].seconds;
        return true;
    }
    return fl_complain("--%s %.80s: expected a time such as 60s, 5m or 2h", name, text), false;
}

static void print_option(const fl_option *option, FILE *to)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    fprintf(to, "  %-24s ", left);
    for (const char *c = option->help; *c; c++) {
        fputc(*c, to);
        if (*c == '\n')
            fprintf(to, "  %-24s ", "");
    }
    fputc('\n', to);
}

void fl_options_print(const fl_option *options, FILE *to)
{
    for (; options->name; options++) {
        if (strcmp(options->name, "help") == 0)
            print_option(&plugin_option, to);
        print_option(options, to);
    }
}
