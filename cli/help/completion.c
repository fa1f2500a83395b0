/* Completion in shells, made from the tables of the commands. */
#include "cli/cli.h"

#include <string.h>

const char *const fl_shells[] = {"bash", "zsh", "fish", NULL};
enum { BASH, ZSH, FISH };

/* ---- what a value may be ---- */

static bool is_of_files(fl_option_kind kind)
{
    return kind == FL_OPTION_FILE || kind == FL_OPTION_FILES;
}

static void append_networks(const char *separator, fl_text *out)
{
    for (size_t i = 0; fl_network_types[i]; i++)
        fl_text_append(out, "%s%s:", i ? separator : "", fl_network_types[i]->name);
}

static void append_words(const char *const *words, const char *separator, fl_text *out)
{
    for (size_t i = 0; words[i]; i++)
        fl_text_append(out, "%s%s", i ? separator : "", words[i]);
}

static void append_routers(const char *separator, fl_text *out)
{
    for (size_t i = 0; fl_router_types[i]; i++)
        fl_text_append(out, "%s%s", i ? separator : "", fl_router_types[i]->name);
    for (unsigned i = 0; i < fl_rule_count(); i++)
        fl_text_append(out, "%s%s", separator, fl_rule_name(i));
}

/* The values that are known, split by `separator`; nothing where there are none. */
static void append_values(const fl_option_row *row, const char *separator, fl_text *out)
{
    if (row->words)
        append_words(row->words, separator, out);
    else if (row->kind == FL_OPTION_NETWORK)
        append_networks(separator, out);
    else if (row->kind == FL_OPTION_NAMES && strcmp(row->name, "routers") == 0)
        append_routers(separator, out);
}

static bool has_positional(const fl_command *command, const char *option)
{
    for (size_t i = 0; command->positional && command->positional[i]; i++)
        if (strcmp(command->positional[i], option) == 0)
            return true;
    return false;
}

/* ---- bash ---- */

static void append_bash_value(const fl_command *command, const fl_option_row *row, fl_text *out)
{
    fl_text_append(out, "    %s:--%s) ", command->name, row->name);
    if (row->kind == FL_OPTION_FOLDER) {
        fl_text_append(out, "COMPREPLY=($(compgen -d -- \"$word\"));;\n");
    } else if (is_of_files(row->kind)) {
        fl_text_append(out, "COMPREPLY=($(compgen -f -- \"$word\"));;\n");
    } else {
        fl_text_append(out, "_faultline_words '");
        append_values(row, " ", out);
        fl_text_append(out, "';;\n");
    }
}

static void append_bash_arguments(const fl_command *command, fl_text *out)
{
    const fl_option_row *row;
    fl_text_append(out, "    %s) _faultline_words '", command->name);
    for (int i = 0; (row = fl_option_at(command->groups, i, NULL)) != NULL; i++)
        fl_text_append(out, "%s--%s", i ? " " : "", row->name);
    if (command->words) {
        fl_text_append(out, " ");
        append_words(command->words, " ", out);
    }
    if (has_positional(command, "topology")) {
        fl_text_append(out, " ");
        append_networks(" ", out);
    }
    fl_text_append(out, "'%s;;\n",
                   has_positional(command, "spec") || (command->argument && !command->words)
                       ? "; COMPREPLY+=($(compgen -f -- \"$word\"))"
                       : "");
}

static void append_bash(fl_text *out)
{
    const fl_option_row *row;
    fl_text_append(out,
                   "# bash completion for faultline: source this file, or put it into\n"
                   "# ~/.local/share/bash-completion/completions/faultline\n"
                   "_faultline_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$word\")); }\n"
                   "_faultline()\n{\n"
                   "  local word=\"${COMP_WORDS[COMP_CWORD]}\"\n"
                   "  local before=\"${COMP_WORDS[COMP_CWORD-1]}\" command=\"${COMP_WORDS[1]}\"\n"
                   "  COMPREPLY=()\n"
                   "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    _faultline_words '");
    for (size_t i = 0; fl_commands[i]; i++)
        fl_text_append(out, "%s ", fl_commands[i]->name);
    fl_text_append(out, "--help --version'\n    return\n  fi\n"
                        "  case \"$command:$before\" in\n");
    for (size_t c = 0; fl_commands[c]; c++)
        for (int i = 0; (row = fl_option_at(fl_commands[c]->groups, i, NULL)) != NULL; i++)
            if (row->kind != FL_OPTION_SWITCH)
                append_bash_value(fl_commands[c], row, out);
    fl_text_append(out, "    *) case \"$command\" in\n");
    for (size_t c = 0; fl_commands[c]; c++)
        append_bash_arguments(fl_commands[c], out);
    fl_text_append(out, "    esac;;\n  esac\n}\ncomplete -o nospace -F _faultline faultline\n");
}

/* ---- zsh ---- */

/* In a quoted description, where brackets and colons have a meaning. */
static void append_zsh_text(const char *text, fl_text *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fl_text_append(out, "'\\''");
        else if (strchr("[]:\\", *text))
            fl_text_append(out, "\\%c", *text);
        else
            fl_text_append_bytes(out, text, 1);
    }
}

static void append_zsh_option(const fl_option_row *row, fl_text *out)
{
    fl_text_append(out, "      '%s--%s[", row->kind == FL_OPTION_FILES ? "*" : "", row->name);
    append_zsh_text(row->help, out);
    fl_text_append(out, "]");
    if (row->value) {
        fl_text_append(out, ":");
        append_zsh_text(row->value, out);
        fl_text values = {0};
        append_values(row, " ", &values);
        if (row->kind == FL_OPTION_FOLDER)
            fl_text_append(out, ":_files -/");
        else if (is_of_files(row->kind))
            fl_text_append(out, ":_files");
        else if (values.data) {
            fl_text_append(out, ":(");
            append_zsh_text(values.data, out);
            fl_text_append(out, ")");
        } else
            fl_text_append(out, ": ");
        out->failed |= values.failed;
        fl_text_clear(&values);
    }
    fl_text_append(out, "' \\\n");
}

static void append_zsh_command(const fl_command *command, fl_text *out)
{
    const fl_option_row *row;
    fl_text_append(out, "    %s) _arguments \\\n", command->name);
    for (int i = 0; (row = fl_option_at(command->groups, i, NULL)) != NULL; i++)
        append_zsh_option(row, out);
    if (command->words) {
        fl_text_append(out, "      '*:%s:(", command->argument);
        append_words(command->words, " ", out);
        fl_text_append(out, ")';;\n");
    } else {
        fl_text_append(out, "      '*:file:_files';;\n");
    }
}

static void append_zsh(fl_text *out)
{
    fl_text_append(out, "#compdef faultline\n"
                        "# zsh completion for faultline: put this into a folder of $fpath, as "
                        "_faultline\n"
                        "_faultline()\n{\n  local -a commands\n  commands=(\n");
    for (size_t i = 0; fl_commands[i]; i++) {
        fl_text_append(out, "    '%s:", fl_commands[i]->name);
        append_zsh_text(fl_commands[i]->summary, out);
        fl_text_append(out, "'\n");
    }
    fl_text_append(out, "  )\n  if (( CURRENT == 2 )); then\n"
                        "    _describe command commands\n    return\n  fi\n"
                        "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
                        "  case $command in\n");
    for (size_t i = 0; fl_commands[i]; i++)
        append_zsh_command(fl_commands[i], out);
    fl_text_append(out, "  esac\n}\n_faultline \"$@\"\n");
}

/* ---- fish ---- */

static void append_fish_text(const char *text, fl_text *out)
{
    for (; *text; text++)
        fl_text_append(out, strchr("'\\", *text) ? "\\%c" : "%c", *text);
}

static void append_fish_option(const fl_command *command, const fl_option_row *row, fl_text *out)
{
    fl_text values = {0};
    append_values(row, " ", &values);
    fl_text_append(out, "complete -c faultline -n '__fish_seen_subcommand_from %s' -l %s",
                   command->name, row->name);
    if (row->kind == FL_OPTION_FOLDER)
        fl_text_append(out, " -x -a '(__fish_complete_directories)'");
    else if (is_of_files(row->kind))
        fl_text_append(out, " -r -F");
    else if (row->value)
        fl_text_append(out, " -x -a '%s'", values.data ? values.data : "");
    fl_text_append(out, " -d '");
    append_fish_text(row->help, out);
    fl_text_append(out, "'\n");
    out->failed |= values.failed;
    fl_text_clear(&values);
}

static void append_fish(fl_text *out)
{
    const fl_option_row *row;
    fl_text_append(out, "# fish completion for faultline: put this into "
                        "~/.config/fish/completions/faultline.fish\n");
    for (size_t i = 0; fl_commands[i]; i++) {
        fl_text_append(out, "complete -c faultline -n __fish_use_subcommand -f -a %s -d '",
                       fl_commands[i]->name);
        append_fish_text(fl_commands[i]->summary, out);
        fl_text_append(out, "'\n");
    }
    for (size_t c = 0; fl_commands[c]; c++) {
        for (int i = 0; (row = fl_option_at(fl_commands[c]->groups, i, NULL)) != NULL; i++)
            append_fish_option(fl_commands[c], row, out);
        if (!fl_commands[c]->words)
            continue;
        fl_text_append(out, "complete -c faultline -n '__fish_seen_subcommand_from %s' -f -a '",
                       fl_commands[c]->name);
        append_words(fl_commands[c]->words, " ", out);
        fl_text_append(out, "'\n");
    }
}

void fl_completion_append(unsigned shell, fl_text *out)
{
    (shell == BASH ? append_bash : shell == ZSH ? append_zsh : append_fish)(out);
}
