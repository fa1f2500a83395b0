/* Private to cli: what the commands that draw a network share. */
#ifndef FL_CLI_PICTURE_H
#define FL_CLI_PICTURE_H

#include "cli/folder.h"
#include "faults/faults.h"
#include "plots/plots.h"

typedef struct fl_picture_values {
    char *picture;
    fl_extent extent;
    bool force;
} fl_picture_values;
extern const fl_option_row fl_picture_rows[];

/* Where the picture goes: FILE.svg, FILE.pdf or FILE.png. */
typedef struct fl_picture_file {
    const char *path; /* borrowed from the options; NULL: no picture */
    fl_extent extent;
} fl_picture_file;

/* The file of a picture; none if `path` is NULL. False after a complaint: a file that is there
 * already, a folder that is not. */
bool fl_picture_open(const char *path, bool force, fl_extent extent, fl_picture_file *out);

/* The same of the options of a table with fl_picture_rows. */
bool fl_picture_of(const fl_call *call, const fl_picture_values *values, fl_picture_file *out);

/* Can the file of --OPTION be made? False after a complaint: it is there already and not to be
 * overwritten, or there is no such folder. */
bool fl_check_free(const char *path, const char *option, bool force);

/* Appends a line with the faults that were drawn at random, as --fail takes them, so that they can
 * be had again. Appends nothing for those of --fail. */
void fl_faults_append_drawn(const fl_call *call, const fl_network *network,
                            const fl_fault_set *faults, fl_text *out);

/* Prints `written to FILE` to standard output. */
void fl_picture_print_written(const fl_picture_file *files);

#endif
