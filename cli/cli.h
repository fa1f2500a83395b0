/* Private to cli: commands and their options, plug-ins, progress. One file a command; it parses,
 * calls and prints. */
#ifndef FL_CLI_CLI_H
#define FL_CLI_CLI_H

#include "cli/complaints.h"
#include "experiments/experiments.h"

#include <stdatomic.h>

/* ---- commands ---- */

/* A command as it was called. */
typedef struct fl_call {
    const struct fl_command *command;
    fl_options options;     /* whose values are the command's struct */
    const char **arguments; /* those that no option stands for */
    unsigned argument_count;
    fl_ranks *ranks; /* of a ranked command; NULL: this process alone */
} fl_call;

typedef struct fl_command {
    const char *name;
    const char *summary;           /* one line */
    const char *about;             /* paragraphs, split by empty lines */
    const char *const *usage;      /* lines, without `faultline NAME` in front; ended by NULL */
    const fl_option_group *groups; /* the options */
    size_t size;                   /* of the struct of their values */
    const char *const *positional; /* options that arguments stand for: spec, topology; or NULL */
    const char *argument;          /* what other arguments are, e.g. NAME; NULL: there are none */
    unsigned arguments_max;        /* how many of these */
    const char *const *words;      /* NULL, or what such an argument may be; ended by NULL */
    void (*more)(fl_text *out);    /* NULL, or appends lists to the help text */
    const char *const *examples;   /* command lines; ended by NULL */
    const char *notes;             /* NULL, or paragraphs behind the examples */
    const char *exits;             /* the exit codes */
    bool ranked;                   /* runs under mpirun, too */
    int (*run)(fl_call *call);     /* returns the exit code */
} fl_command;
extern const fl_command *const fl_commands[]; /* ended by NULL */
extern const fl_command fl_command_sweep, fl_command_exact, fl_command_deadlock, fl_command_merge,
    fl_command_topology, fl_command_simulate, fl_command_makespan, fl_command_workload,
    fl_command_catalogue, fl_command_choose, fl_command_search, fl_command_layout, fl_command_trace,
    fl_command_draw, fl_command_export, fl_command_list, fl_command_new_router, fl_command_help;

/* NULL after a complaint, which names the nearest. */
const fl_command *fl_command_find(const char *name);

/* Reads the options and arguments after the command's name. False after a complaint. The call is
 * for fl_call_end in any case. */
bool fl_call_begin(fl_call *call, const fl_command *command, int count, char **arguments);
void fl_call_end(fl_call *call);

/* Does any argument ask for help? */
bool fl_asks_for_help(int count, char **arguments);

/* ---- options that commands share ---- */

typedef struct fl_common_values {
    fl_name_list plugins;
    bool help;
} fl_common_values;
extern const fl_option_row fl_common_rows[]; /* the last group of every command */

typedef struct fl_network_values {
    char *topology;
} fl_network_values;
extern const fl_option_row fl_network_rows[];

extern const fl_option_row fl_spec_rows[]; /* of one char * */
extern const fl_option_row fl_json_rows[]; /* of one bool */

/* Was the option given? The table must have it. */
bool fl_call_given(const fl_call *call, const char *name);

/* Two options that do not go together, or of which the first needs the second. A list is ended by
 * a NULL option. False after a complaint. */
typedef struct fl_option_pair {
    const char *option, *other, *reason;
} fl_option_pair;
bool fl_refuse_pairs(const fl_call *call, const fl_option_pair *pairs);
bool fl_need_pairs(const fl_call *call, const fl_option_pair *pairs);

/* The network of --topology. NULL after a complaint. */
fl_network *fl_network_of(const fl_network_values *values);

/* ---- help ---- */

/* Appends the help text of a command, in lines of `width` columns; that of the program; a man page
 * of a command, or of the program where it is NULL; a script for a shell (bash, zsh or fish). */
void fl_help_append(const fl_command *command, unsigned width, fl_text *out);
void fl_help_append_program(unsigned width, fl_text *out);
void fl_man_append(const fl_command *command, fl_text *out);
extern const char *const fl_shells[]; /* ended by NULL */
void fl_completion_append(unsigned shell, fl_text *out);

/* Appends a text, broken at spaces into lines of `width` columns that begin with `indent` spaces;
 * the first of them is in column `column` already. */
void fl_help_wrap(const char *text, unsigned column, unsigned indent, unsigned width, fl_text *out);

/* Appends `  NAME  TEXT`, the text in a column of its own. */
void fl_help_item(const char *name, const char *text, unsigned indent, unsigned width,
                  fl_text *out);

/* Appends an indented command line. One that has more than `width` columns (0: any number) goes on
 * in the next line, behind a backslash. */
void fl_help_append_example(const char *example, unsigned width, fl_text *out);

/* Columns of help texts: those of the terminal, 80 at most. */
unsigned fl_help_width(void);

/* Appends a sentence with the help of a row, its words and its default. */
void fl_help_append_row(const fl_option_row *row, fl_text *out);

/* Help texts name files as they lie in the source tree. */
#define FL_PLACES_TEXT                                                            \
    "docs/ and experiments/ are in the source tree. Installed, the pages are in " \
    "PREFIX/share/doc/faultline, and specs/ and the files of experiments/ in "    \
    "PREFIX/share/faultline."

/* ---- plug-ins ---- */

/* Loads plug-ins, and watches them: one that crashes, calls exit(), or does not come back from a
 * decision, ends the program with exit code 1 and a message that names it. False after a complaint.
 */
bool fl_plugins_open(const fl_name_list *paths);

/* From here on main ends the program, and no plug-in does. */
void fl_plugins_end(void);

/* ---- progress ---- */

typedef struct fl_progress {
    bool quiet, terminal, shown;
    double start, last;
    uint64_t first;   /* trials that were done at the start: by the run that this one resumes */
    const char *unit; /* NULL: only the fraction is shown */
    uint64_t units;   /* how many there are; 0: what fl_progress_show calls `all`. May be set after
                         the start */
    char note[96];    /* shown behind it */
} fl_progress;
void fl_format_seconds(char *out, size_t size,
                       double seconds); /* 12 s, 11 min 06 s, 2 h 05 min, 9 days, 1.5e+06 years */
void fl_progress_start(fl_progress *progress, bool quiet, const char *unit);
void fl_progress_show(void *progress, uint64_t done,
                      uint64_t all); /* fits fl_run_options.progress */
void fl_progress_warn(
    void *progress,
    const char *text); /* complains without tearing the bar; fits fl_run_options.warn */
void fl_progress_end(fl_progress *progress);

/* For work that cannot say how far it is: from some seconds on, prints to standard error how long
 * it has taken, until the end. One at a time. `what` is borrowed until then. */
void fl_progress_wait(const char *what);
void fl_progress_wait_end(void);

/* Set by Ctrl-C or SIGTERM after fl_interrupt_watch; a second Ctrl-C ends the program at once. */
extern atomic_bool fl_interrupted;
void fl_interrupt_watch(void);

#endif
