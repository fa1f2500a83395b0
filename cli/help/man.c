/* Man pages, made from the tables of the commands. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

/* Text of a man page: dashes and backslashes are escaped, and no line begins with a command. */
static void append_text(const char *text, fl_text *out)
{
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fl_text_append(out, "\\&");
        if (*text == '\\')
            fl_text_append(out, "\\e");
        else if (*text == '-')
            fl_text_append(out, "\\-");
        else
            fl_text_append_bytes(out, text, 1);
        begins = *text == '\n';
    }
}

/* Empty lines split paragraphs. */
static void append_paragraphs(const char *text, fl_text *out)
{
    for (const char *end; *text; text = end) {
        end = strstr(text, "\n\n");
        fl_text paragraph = {0};
        fl_text_append(&paragraph, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        append_text(paragraph.data ? paragraph.data : "", out);
        out->failed |= paragraph.failed;
        fl_text_clear(&paragraph);
        fl_text_append(out, "\n");
        if (!end)
            break;
        fl_text_append(out, ".PP\n");
        end += 2;
    }
}

static void append_section(const char *title, fl_text *out)
{
    fl_text_append(out, ".SH ");
    for (; *title; title++)
        fl_text_append(out, "%c", toupper((unsigned char)*title));
    fl_text_append(out, "\n");
}

static void append_title(const char *name, fl_text *out)
{
    fl_text_append(out, ".TH ");
    for (const char *c = name; *c; c++)
        fl_text_append(out, "%c", toupper((unsigned char)*c));
    fl_text_append(out, " 1 \"\" \"Faultline %s\" \"Faultline\"\n", FL_VERSION);
}

static void append_lines(const char *const *lines, const char *begin, fl_text *out)
{
    fl_text_append(out, ".nf\n");
    for (; lines && *lines; lines++) {
        append_text(begin, out);
        append_text(*lines, out);
        fl_text_append(out, "\n");
    }
    fl_text_append(out, ".fi\n");
}

static void append_options(const fl_option_group *groups, fl_text *out)
{
    const fl_option_row *row;
    const char *title;
    for (int i = 0; (row = fl_option_at(groups, i, &title)) != NULL; i++) {
        fl_text help = {0};
        if (title)
            fl_text_append(out, ".SS %c%s\n", toupper((unsigned char)*title), title + 1);
        fl_text_append(out, ".TP\n\\fB\\-\\-");
        append_text(row->name, out);
        fl_text_append(out, "\\fR");
        if (row->value) {
            fl_text_append(out, " \\fI");
            append_text(row->value, out);
            fl_text_append(out, "\\fR");
        }
        fl_text_append(out, "\n");
        fl_help_append_row(row, &help);
        append_text(help.data ? help.data : "", out);
        out->failed |= help.failed;
        fl_text_clear(&help);
        fl_text_append(out, "\n");
    }
}

/* Lists of the help text, as they stand there. */
static void append_more(const fl_command *command, fl_text *out)
{
    fl_text more = {0};
    if (!command->more)
        return;
    command->more(&more);
    append_section("lists", out);
    fl_text_append(out, ".nf\n");
    append_text(more.data ? more.data : "", out);
    fl_text_append(out, ".fi\n");
    out->failed |= more.failed;
    fl_text_clear(&more);
}

static void append_command(const fl_command *command, fl_text *out)
{
    char begin[64];
    snprintf(begin, sizeof begin, "faultline %s ", command->name);
    fl_text name = {0};
    fl_text_append(&name, "faultline-%s", command->name);
    append_title(name.data ? name.data : "", out);
    append_section("name", out);
    append_text(name.data ? name.data : "", out);
    fl_text_append(out, " \\- ");
    append_text(command->summary, out);
    fl_text_append(out, "\n");
    append_section("synopsis", out);
    append_lines(command->usage, begin, out);
    append_section("description", out);
    append_paragraphs(command->about, out);
    append_section("options", out);
    append_options(command->groups, out);
    append_more(command, out);
    if (command->examples) {
        append_section("examples", out);
        append_lines(command->examples, "", out);
    }
    if (command->notes) {
        append_section("notes", out);
        append_paragraphs(command->notes, out);
    }
    append_section("exit status", out);
    append_paragraphs(command->exits, out);
    append_section("see also", out);
    fl_text_append(out, "\\fBfaultline\\fR(1)\n");
    out->failed |= name.failed;
    fl_text_clear(&name);
}

static void append_program(fl_text *out)
{
    append_title("faultline", out);
    append_section("name", out);
    fl_text_append(out, "faultline \\- a testbed for fault\\-tolerant routing\n");
    append_section("synopsis", out);
    fl_text_append(out, "\\fBfaultline\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n");
    append_section("description", out);
    append_paragraphs("A routing algorithm is one function that picks the next hop. Faultline "
                      "works out its success ratio under faults, its path lengths, whether it can "
                      "deadlock, and its latency under load.",
                      out);
    append_section("commands", out);
    for (const fl_command *const *command = fl_commands; *command; command++) {
        fl_text_append(out, ".TP\n\\fBfaultline\\-");
        append_text((*command)->name, out);
        fl_text_append(out, "\\fR(1)\n");
        append_text((*command)->summary, out);
        fl_text_append(out, "\n");
    }
}

void fl_man_append(const fl_command *command, fl_text *out)
{
    if (command)
        append_command(command, out);
    else
        append_program(out);
}
