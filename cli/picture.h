/* Private to cli: what the commands that draw a network share. Options: topology, fail,
 * fault-model, faults, fault-rate, seed, trial, out, show, force. */
#ifndef FL_CLI_PICTURE_H
#define FL_CLI_PICTURE_H

#include "cli/cli.h"
#include "cli/output.h"
#include "faults/faults.h"
#include "plots/plots.h"

/* The option lines that they share. */
#define FL_FAULT_OPTIONS                                                                             \
    {"fail", "LINKS",                                                                                \
     "links that are down: LINK;LINK... or @FILE with one a line; a LINK is two labels\n"            \
     "joined by '-', or a link number",                                                              \
     NULL},                                                                                          \
        {"faults", "N", "instead: so many faulty parts, drawn at random", NULL},                     \
        {"fault-rate", "P",                                                                          \
         "instead: such a share of faulty parts; with draw=independent: such a failure probability", \
         NULL},                                                                                      \
        {"fault-model", "MODEL", "what fails then (as for sweep; default: links)", NULL},            \
        {"seed", "N", "seed of the faults drawn (default: 1)", NULL},                                \
    {                                                                                                \
        "trial", "N", "which set of faults of that seed (default: 0)", NULL                          \
    }

#define FL_PICTURE_OPTIONS                                                                        \
    {"show", "EXTENT",                                                                            \
     "auto (default): the whole network if it can be read, else the part in question; all; part", \
     NULL},                                                                                       \
    {                                                                                             \
        "force", NULL, "overwrite the picture", NULL                                              \
    }

/* The network of --topology. NULL after saying what is wrong. */
fl_network *fl_network_from_options(const fl_option *options);

/* The faults asked for, none by default. False after saying what is wrong. */
bool fl_faults_from_options(const fl_option *options, const fl_network *network, fl_fault_set *out);

/* Where the picture goes: FILE.svg, FILE.pdf or FILE.png. */
typedef struct fl_picture_file {
    const char *path; /* borrowed from the options; NULL: no picture */
    fl_extent extent;
} fl_picture_file;

/* False after saying what is wrong: a file that is there already, a folder that is not. */
bool fl_picture_from_options(const fl_option *options, fl_picture_file *out);

/* The same where another option names the file, and the extent is automatic. */
bool fl_picture_of_option(const fl_option *options, const char *option, fl_picture_file *out);

/* Appends a line with the faults that were drawn at random, as --fail takes them, so that they can
 * be had again. Appends nothing for those of --fail. */
void fl_faults_append_drawn(const fl_option *options, const fl_network *network,
                            const fl_fault_set *faults, fl_text *out);

/* Prints `written to FILE` to standard output. */
void fl_picture_say_written(const fl_picture_file *file);

#endif
