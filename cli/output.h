/* Private to cli: where results go: a folder, or standard output. */
#ifndef FL_CLI_OUTPUT_H
#define FL_CLI_OUTPUT_H

#include "cli/folder.h"

typedef struct fl_output_values {
    char *folder;
    bool json, no_figures, log_y, force, quiet;
} fl_output_values;
extern const fl_option_row fl_output_rows[];

/* Refuses options about the folder or the figures where there are none. False after a complaint. */
bool fl_check_output(const fl_call *call);

/* Everything that could keep results from being written is found out before the work. Nothing is
 * overwritten but by `force`, and what an interrupted run of the experiment `resumed` (NULL: a
 * new run) left there; leftovers of a checkpoint go when a new run begins. `figures_of`: figures of
 * this experiment will be drawn (NULL: none). False after a complaint. */
bool fl_output_prepare(const char *folder, bool force, const fl_experiment *figures_of,
                       const fl_experiment *resumed);

/* Results of some kind, and what makes files of them. */
typedef struct fl_deliverable {
    const void *results;
    const char *name;          /* of the files: NAME.csv, NAME.json */
    const char *figure_prefix; /* of the names of figures */
    bool draws;                /* figures, unless the user wants none */
    double seconds;            /* that the work took */
    void (*csv)(const void *results, fl_text *out);
    void (*json)(const void *results, fl_text *out);
    void (*summary)(const void *results, fl_text *out);
    void (*notes)(
        const void *results,
        fl_text *out); /* NULL, or lines of the summary that are printed without it, too */
    fl_status (*write)(const void *results, const char *folder, fl_error *error);
    fl_status (*draw)(const void *results, const char *folder, bool log_y, fl_error *error);
} fl_deliverable;

/* Defines the functions of a fl_deliverable, but for the notes, for results of one kind: by
 * ROOM_csv, ROOM_json, ROOM_summary, ROOM_write and ROOM_draw. */
#define FL_DELIVERY(room)                                                                    \
    static void deliver_csv(const void *results, fl_text *out)                               \
    {                                                                                        \
        room##_csv(results, out);                                                            \
    }                                                                                        \
    static void deliver_json(const void *results, fl_text *out)                              \
    {                                                                                        \
        room##_json(results, out);                                                           \
    }                                                                                        \
    static void deliver_summary(const void *results, fl_text *out)                           \
    {                                                                                        \
        room##_summary(results, out);                                                        \
    }                                                                                        \
    static fl_status deliver_files(const void *results, const char *folder, fl_error *error) \
    {                                                                                        \
        return room##_write(results, folder, error);                                         \
    }                                                                                        \
    static fl_status deliver_figures(const void *results, const char *folder, bool log_y,    \
                                     fl_error *error)                                        \
    {                                                                                        \
        return room##_draw(results, folder, log_y, error);                                   \
    }

/* Their initialisers. */
#define FL_DELIVERY_FUNCTIONS                                                                     \
    .csv = deliver_csv, .json = deliver_json, .summary = deliver_summary, .write = deliver_files, \
    .draw = deliver_figures

/* Files, figures and a summary in the folder of --out, or CSV on standard output; where that is a
 * terminal, a summary, unless --quiet asks for none. Figures of results that are replaced go, drawn
 * anew or not. Returns the exit code; results that cannot be written into the folder are saved
 * elsewhere (FL_EXIT_FAILED). *in_place: the results are where they should be. */
int fl_output_deliver_any(const fl_deliverable *what, const fl_output_values *options,
                          bool *in_place);
int fl_output_deliver(const fl_results *results, const fl_output_values *options, bool *in_place);

/* Are the figures of the experiment in the folder? */
bool fl_output_has_figures(const char *folder, const fl_experiment *experiment);

/* The name of the checkpoint in the folder; is it there? */
bool fl_output_checkpoint(char *path, size_t size, const char *folder);
void fl_output_end_checkpoint(const char *folder); /* removes it */

#endif
