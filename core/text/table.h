/* Tables for people: columns of text that fit a terminal's width. */
#ifndef FL_CORE_TABLE_H
#define FL_CORE_TABLE_H

#include "core/array.h"
#include "core/text/text.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fl_table_column;
struct fl_table_piece;

typedef struct fl_column {
    unsigned least; /* columns that it takes at least, where there is room */
    unsigned gap;   /* spaces in front of it; of the first column: the indent */
    unsigned rank;  /* 0: always shown; of the others the highest is left out first */
    bool left;      /* aligned to the left; numbers are to the right */
    bool wraps;     /* its text may be broken into several lines, at spaces; one column at most */
} fl_column;

/* A table that grows: zeroed it is empty. Its members are private. fl_table_end frees it. A failed
 * allocation is remembered until then. */
typedef struct fl_table {
    FL_ARRAY(struct fl_table_column) columns;
    FL_ARRAY(struct fl_table_piece) pieces;
    fl_text bytes;
} fl_table;

/* Adds a column, before the first cell, with its title (a format). */
void fl_table_column(fl_table *table, fl_column column, const char *title, ...) FL_PRINTF(3, 4);

/* Adds the next cell of the row. A row may end early. */
void fl_table_cell(fl_table *table, const char *format, ...) FL_PRINTF(2, 3);

/* Adds the rest of the row: a text of any length behind the cells, which no column limits. */
void fl_table_rest(fl_table *table, const char *format, ...) FL_PRINTF(2, 3);

/* Ends the row. */
void fl_table_row(fl_table *table);

/* Adds a line across all columns, between two rows. */
void fl_table_line(fl_table *table, const char *format, ...) FL_PRINTF(2, 3);

/* Appends the table to `out`, in lines of out->columns columns, and frees it. Where that is 0,
 * every column has the width of its longest cell and `least` at least. Else, as far as needed,
 * columns lose the width that only `least` gives them, the one that wraps is broken, and columns of
 * a rank above 0 are left out, which a line below the table names. A table that is too wide all the
 * same becomes a list: below the first cell of each row all others, each in a line of its own
 * behind its title. No cell is cut. A table without titles has no heading. */
void fl_table_end(fl_table *table, fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
