/* Private to cli: subcommands, options, progress. One file a subcommand; it parses, calls and
 * prints. */
#ifndef FL_CLI_CLI_H
#define FL_CLI_CLI_H

#include "cli/complaints.h"

#include <stdatomic.h>

typedef struct fl_command {
    const char *name;
    int (*run)(int count, char **arguments); /* arguments after the command's name */
    const char *summary;
} fl_command;
extern const fl_command fl_commands[]; /* ended by a NULL name */

int fl_command_sweep(int count, char **arguments);
int fl_command_exact(int count, char **arguments);
int fl_command_deadlock(int count, char **arguments);
int fl_command_merge(int count, char **arguments);
int fl_command_topology(int count, char **arguments);
int fl_command_simulate(int count, char **arguments);
int fl_command_makespan(int count, char **arguments);
int fl_command_workload(int count, char **arguments);
int fl_command_catalogue(int count, char **arguments);
int fl_command_choose(int count, char **arguments);
int fl_command_trace(int count, char **arguments);
int fl_command_draw(int count, char **arguments);
int fl_command_list(int count, char **arguments);
int fl_command_new_router(int count, char **arguments);

/* ---- options ---- */

typedef struct fl_option {
    const char *name;  /* without the dashes */
    const char *value; /* what stands for its value in help texts; NULL: a switch */
    const char *help;  /* lines split by \n */
    const char *given; /* out: the value, "" for a switch; NULL if not given */
} fl_option;

/* Loads the plug-ins that `--plugin FILE` names, which every command takes, as often as wanted; it
 * stands in none of their tables. Reads `--name value`, `--name=value` and `--switch`; exact names
 * only. Other arguments are collected in `plain` (at most positional_max). False when something is
 * wrong, after saying so. */
bool fl_options_read(fl_option *options, int count, char **arguments, const char **positional,
                     int positional_max, int *positional_count);
const char *fl_option_value(const fl_option *options, const char *name); /* NULL if not given */
/* A whole number from least to most (UINT64_MAX: as large as there are); *value stays as it is if
 * none is given. False after saying what is wrong. */
bool fl_option_number(const fl_option *options, const char *name, uint64_t least, uint64_t most,
                      uint64_t *value);
/* A seed, 0 to FL_JSON_U64_MAX, so that results in JSON name the seed that was used; else as
 * fl_option_number. */
bool fl_option_seed(const fl_option *options, const char *name, uint64_t *value);
/* One of `kinds` (ended by NULL), as its index; *out stays as it is if none is given. False after
 * saying what is wrong. */
bool fl_option_kind(const fl_option *options, const char *name, const char *const *kinds,
                    unsigned *out);
/* A time such as 60s, 5m, 2h or 0.5s; *seconds stays as it is if none is given. False after saying
 * what is wrong. */
bool fl_option_seconds(const fl_option *options, const char *name, double *seconds);
void fl_options_print(const fl_option *options, FILE *to);

/* Loads plug-ins, and watches them: one that crashes, calls exit(), or does not come back from a
 * decision, ends the program with exit code 1 and a message that names it. False after a complaint.
 */
bool fl_plugins_open(const char *const *paths, unsigned count);

/* From here on the end of the program is main's, and no plug-in's. */
void fl_plugins_end(void);

/* Help texts name files as they lie in the source tree. */
#define FL_PLACES_TEXT                                                                                         \
    "docs/ and experiments/ are in the source tree. Installed, the pages are in PREFIX/share/doc/faultline,\n" \
    "and specs/ and the files of experiments/ in PREFIX/share/faultline."

/* ---- progress ---- */

typedef struct fl_progress {
    bool quiet, terminal, shown;
    double start, last;
    uint64_t first;   /* trials that were done at the start: by the run that this one resumes */
    const char *unit; /* NULL: only the share is shown */
    uint64_t units;   /* how many there are; 0: what fl_progress_show calls `all`. May be set after
                         the start */
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
