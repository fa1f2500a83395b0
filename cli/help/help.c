/* Help texts, made from the tables of the commands. */
#include "cli/cli.h"

#include <string.h>

enum { NAME_COLUMNS = 24 };

/* ---- lines ---- */

void fl_help_wrap(const char *text, unsigned column, unsigned indent, unsigned width, fl_text *out)
{
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (*text == '\n' || *text == ' ') {
            if (*text == '\n') {
                fl_text_append(out, "\n%*s", (int)indent, "");
                column = indent;
                first = true;
            }
            text++;
            continue;
        }
        if (!first && column + 1 + length > width) {
            fl_text_append(out, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        fl_text_append(out, "%s%.*s", first ? "" : " ", (int)length, text);
        column += (unsigned)length + !first;
        first = false;
        text += length;
    }
}

void fl_help_item(const char *name, const char *text, unsigned indent, unsigned width, fl_text *out)
{
    fl_text_append(out, "  %s", name);
    unsigned column = 2 + (unsigned)strlen(name);
    if (column + 2 > indent)
        fl_text_append(out, "\n%*s", (int)indent, "");
    else
        fl_text_append(out, "%*s", (int)(indent - column), "");
    fl_help_wrap(text, indent, indent, width, out);
    fl_text_append(out, "\n");
}

/* Empty lines split paragraphs; a line that begins with a space stands as it is. */
static void append_paragraphs(const char *text, unsigned width, fl_text *out)
{
    fl_help_wrap(text, 0, 0, width, out);
    fl_text_append(out, "\n");
}

void fl_help_append_example(const char *example, unsigned width, fl_text *out)
{
    unsigned column = 2;
    bool quoted = false;
    fl_text_append(out, "  ");
    for (const char *at = example; *at;) {
        size_t length = 0;
        for (; at[length] && (quoted || at[length] != ' '); length++)
            quoted ^= at[length] == '\'';
        bool last = !at[length];
        if (column > 2 && width > 0 && column + 1 + length + (last ? 0 : 2) > width) {
            fl_text_append(out, " \\\n    ");
            column = 4;
        } else if (column > 2) {
            fl_text_append(out, " ");
            column++;
        }
        fl_text_append(out, "%.*s", (int)length, at);
        column += (unsigned)length;
        at += length + !last;
    }
    fl_text_append(out, "\n");
}

/* ---- options ---- */

void fl_help_append_row(const fl_option_row *row, fl_text *out)
{
    fl_text_append(out, "%s", row->help);
    for (unsigned i = 0; row->words && row->words[i]; i++)
        fl_text_append(out, "%s%s",
                       i == 0              ? ": "
                       : row->words[i + 1] ? ", "
                                           : " or ",
                       row->words[i]);
    if (row->preset)
        fl_text_append(out, " (default: %s)", row->preset);
}

static void append_option(const fl_option_row *row, unsigned width, fl_text *out)
{
    fl_text help = {0};
    char name[64];
    snprintf(name, sizeof name, "--%s%s%s", row->name, row->value ? " " : "",
             row->value ? row->value : "");
    fl_help_append_row(row, &help);
    fl_help_item(name, help.data ? help.data : "", NAME_COLUMNS, width, out);
    out->failed |= help.failed;
    fl_text_clear(&help);
}

static void append_options(const fl_option_group *groups, unsigned width, fl_text *out)
{
    const fl_option_row *row;
    const char *title;
    for (int i = 0; (row = fl_option_at(groups, i, &title)) != NULL; i++) {
        if (title)
            fl_text_append(out, "\n%s:\n", title);
        append_option(row, width, out);
    }
}

/* ---- help texts ---- */

void fl_help_append(const fl_command *command, unsigned width, fl_text *out)
{
    append_paragraphs(command->about, width, out);
    for (const char *const *line = command->usage; *line; line++) {
        const char *begin = line == command->usage ? "\nusage: " : "       ";
        fl_text_append(out, "%sfaultline %s%s%s\n", begin, command->name, **line ? " " : "", *line);
    }
    append_options(command->groups, width, out);
    if (command->more)
        command->more(out);
    if (command->examples)
        fl_text_append(out, "\nexamples:\n");
    for (const char *const *line = command->examples; line && *line; line++)
        fl_help_append_example(*line, width, out);
    if (command->notes) {
        fl_text_append(out, "\n");
        append_paragraphs(command->notes, width, out);
    }
    fl_text_append(out, "\n");
    append_paragraphs(command->exits, width, out);
}

void fl_help_append_program(unsigned width, fl_text *out)
{
    fl_text_append(out,
                   "Faultline: a testbed for fault-tolerant routing in interconnection networks\n\n"
                   "usage: faultline COMMAND [OPTIONS]\n\ncommands:\n");
    for (const fl_command *const *command = fl_commands; *command; command++)
        fl_help_item((*command)->name, (*command)->summary, 14, width, out);
    fl_text_append(out, "\n");
    append_paragraphs("'faultline COMMAND --help' shows the options of a command, 'faultline help "
                      "--man' its man page, 'faultline help --completion SHELL' a script that "
                      "completes commands, 'faultline --version' the version.",
                      width, out);
    fl_text_append(out, "\nexample:\n");
    fl_help_append_example(
        "faultline sweep mikant:k=3,n=3 --routers shortest,gns+gdl --faults 0:40:10", width, out);
}

unsigned fl_help_width(void)
{
    unsigned columns = fl_terminal_columns();
    return columns == 0 || columns > 80 ? 80 : columns < 40 ? 40 : columns;
}
