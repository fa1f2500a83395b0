/* Private to cli: what the program prints: complaints on standard error, with the exit codes
 * that go with them, and texts on standard output. */
#ifndef FL_CLI_COMPLAINTS_H
#define FL_CLI_COMPLAINTS_H

#include "core/core.h"

/* Exit codes. */
enum {
    FL_EXIT_OK = 0,
    FL_EXIT_FAILED = 1, /* done, but not as asked for: figures are missing, or the results had to be
                         * saved elsewhere; or something failed during the work, after good input */
    FL_EXIT_BAD_INPUT = 2,    /* nothing was done */
    FL_EXIT_INTERRUPTED = 130 /* ended by Ctrl-C; what was done is written and marked */
};

/* Prints `faultline: TEXT` and returns FL_EXIT_BAD_INPUT. */
int fl_complain(const char *format, ...) FL_PRINTF(1, 2);

/* Prints the text of an error. Returns FL_EXIT_BAD_INPUT for input that cannot be used, and
 * FL_EXIT_FAILED where a router broke the contract or memory ran out. After the latter no command
 * ends with FL_EXIT_BAD_INPUT. */
int fl_complain_of(const fl_error *error);

/* The same with `--OPTION VALUE: ` in front of it; without a value if that is NULL. */
int fl_complain_in_option(const char *option, const char *value, const fl_error *error);

/* Prints `out of memory for WHAT` and returns FL_EXIT_FAILED. */
int fl_complain_memory(const char *what);

/* Has any complaint been about memory? */
bool fl_memory_ran_out(void);

/* Writes a complete text to standard output, in lines of text->columns columns, and frees it.
 * Returns FL_EXIT_FAILED after a complaint, with nothing written, if memory ran out while the text
 * grew. main() looks for errors of writing.
 */
int fl_print_text(fl_text *text);

/* The columns of the terminal that standard output is; 0: it is none. */
unsigned fl_terminal_columns(void);

/* Several processes with one input would all print the same: from here on this is rank `rank`, and
 * only rank 0 prints. */
void fl_complain_for(unsigned rank);
bool fl_speaks(void); /* is this the rank that prints? */

/* The last complaint of this process, printed or not; shorter than FL_COMPLAINT_MAX. */
enum { FL_COMPLAINT_MAX = 4096 };
const char *fl_last_complaint(void);

#endif
