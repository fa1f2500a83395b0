#include "cli/cli.h"

#include <string.h>

/* getopt_long is not used on purpose: it takes any beginning of a name for the name. */

enum { OPTIONS_MAX = 64 };

static fl_option *find(fl_option *options, const char *name, size_t length)
{
    for (fl_option *option = options; option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

static bool complain_unknown(const fl_option *options, const char *name, int length)
{
    char word[64];
    const char *names[OPTIONS_MAX + 1] = {0};
    for (size_t i = 0; options[i].name && i < OPTIONS_MAX; i++)
        names[i] = options[i].name;
    snprintf(word, sizeof word, "%.*s", length, name);
    const char *nearest = fl_text_nearest(word, names);
    if (nearest)
        fl_complain("unknown option '--%s'; did you mean '--%s'?", word, nearest);
    else
        fl_complain("unknown option '--%s'; --help lists the options", word);
    return false;
}

bool fl_options_read(fl_option *options, int count, char **arguments, const char **plain, int plain_max, int *plain_count)
{
    *plain_count = 0;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (strncmp(argument, "-h", 3) == 0)
            argument = "--help";
        if (strncmp(argument, "--", 2) != 0 || !argument[2]) {
            if (*argument == '-' && argument[1])
                return fl_complain("unknown option '%s'; options begin with two dashes", argument), false;
            if (*plain_count == plain_max)
                return fl_complain("unexpected argument '%s'", argument), false;
            plain[(*plain_count)++] = argument;
            continue;
        }
        const char *name = argument + 2;
        size_t length = strcspn(name, "=");
        fl_option *option = find(options, name, length);
        if (!option)
            return complain_unknown(options, name, (int)length);
        if (option->given)
            return fl_complain("--%s is given twice", option->name), false;
        if (!option->value) {
            if (name[length])
                return fl_complain("--%s takes no value", option->name), false;
            option->given = "";
        } else if (name[length]) {
            option->given = name + length + 1;
        } else if (i + 1 < count && strncmp(arguments[i + 1], "--", 2) != 0) {
            option->given = arguments[++i];
        } else {
            return fl_complain("--%s needs a value: --%s %s", option->name, option->name, option->value), false;
        }
    }
    return true;
}

const char *fl_option_value(const fl_option *options, const char *name)
{
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0)
            return options->given;
    return NULL;
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
    for (size_t i = 0; i < sizeof units / sizeof *units && length > 0 && length < sizeof number; i++) {
        snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
        if (text[length - 1] != units[i].unit || !fl_text_to_double(number, &value) || !(value > 0 && value <= 1e7))
            continue;
        *seconds = value * units[i].seconds;
        return true;
    }
    return fl_complain("--%s %s: expected a time such as 60s, 5m or 2h", name, text), false;
}

void fl_options_print(const fl_option *options, FILE *to)
{
    for (; options->name; options++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", options->name, options->value ? " " : "", options->value ? options->value : "");
        fprintf(to, "  %-24s ", left);
        for (const char *c = options->help; *c; c++) {
            fputc(*c, to);
            if (*c == '\n')
                fprintf(to, "  %-24s ", "");
        }
        fputc('\n', to);
    }
}
