/* Tables for people: columns of text that fit a terminal's width. */
#include "core/text/table.h"
#include "core/text/lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPED_LEAST = 12, REST_LEAST = 30, REST_GAP = 2 };

struct fl_table_column {
    fl_column style;
    size_t title;          /* where it begins in `bytes` */
    size_t longest, width; /* of the longest cell or title; on the page */
    bool hidden;
};

typedef enum piece_kind { CELL, REST, ROW_END, LINE } piece_kind;

struct fl_table_piece {
    piece_kind kind;
    size_t text; /* where it begins in `bytes` */
};

typedef struct fl_table_column column;
typedef struct fl_table_piece piece;

/* ---- filling ---- */

static size_t append_string(fl_table *table, const char *format, va_list arguments)
{
    size_t begin = table->bytes.length;
    fl_text_append_list(&table->bytes, format, arguments);
    fl_text_append_bytes(&table->bytes, "", 1);
    return begin;
}

static void add_piece(fl_table *table, piece_kind kind, size_t text)
{
    table->bytes.failed |= !FL_ARRAY_PUSH(&table->pieces, (piece){kind, text});
}

void fl_table_column(fl_table *table, fl_column style, const char *title, ...)
{
    va_list arguments;
    va_start(arguments, title);
    size_t begin = append_string(table, title, arguments);
    va_end(arguments);
    table->bytes.failed |=
        !FL_ARRAY_PUSH(&table->columns, (column){.style = style, .title = begin});
}

void fl_table_cell(fl_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_piece(table, CELL, append_string(table, format, arguments));
    va_end(arguments);
}

void fl_table_rest(fl_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_piece(table, REST, append_string(table, format, arguments));
    va_end(arguments);
}

void fl_table_line(fl_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_piece(table, LINE, append_string(table, format, arguments));
    va_end(arguments);
}

void fl_table_row(fl_table *table)
{
    add_piece(table, ROW_END, 0);
}

/* ---- widths ---- */

static const char *string_at(const fl_table *table, size_t begin)
{
    return table->bytes.data + begin;
}

static size_t width_of(const char *text)
{
    return fl_line_width(text, strlen(text));
}

static void measure(fl_table *table)
{
    size_t place = 0;
    for (size_t i = 0; i < table->columns.count; i++)
        table->columns.data[i].longest = width_of(string_at(table, table->columns.data[i].title));
    for (size_t i = 0; i < table->pieces.count; i++) {
        const piece *p = &table->pieces.data[i];
        if (p->kind == ROW_END)
            place = 0;
        if (p->kind != CELL)
            continue;
        column *c = &table->columns.data[place++];
        size_t width = width_of(string_at(table, p->text));
        c->longest = width > c->longest ? width : c->longest;
    }
}

static size_t width_of_all(const fl_table *table)
{
    size_t width = 0;
    for (size_t i = 0; i < table->columns.count; i++)
        if (!table->columns.data[i].hidden)
            width += table->columns.data[i].style.gap + table->columns.data[i].width;
    return width;
}

/* Makes the column that wraps narrower. */
static bool wrap_column(fl_table *table, size_t excess)
{
    for (size_t i = 0; i < table->columns.count; i++) {
        column *c = &table->columns.data[i];
        if (c->style.wraps && c->longest >= excess + WRAPPED_LEAST) {
            c->width = c->longest - excess;
            return true;
        }
    }
    return false;
}

static bool leave_one_out(fl_table *table)
{
    column *last = NULL;
    for (size_t i = 0; i < table->columns.count; i++) {
        column *c = &table->columns.data[i];
        if (!c->hidden && c->style.rank > (last ? last->style.rank : 0))
            last = c;
    }
    if (last)
        last->hidden = true;
    return last != NULL;
}

/* False if the table cannot have lines of `room` columns (0: of any length). */
static bool set_widths(fl_table *table, size_t room)
{
    for (size_t i = 0; i < table->columns.count; i++) {
        column *c = &table->columns.data[i];
        c->width = c->longest > c->style.least ? c->longest : c->style.least;
    }
    if (room == 0 || width_of_all(table) <= room)
        return true;
    for (size_t i = 0; i < table->columns.count; i++)
        table->columns.data[i].width = table->columns.data[i].longest;
    for (size_t width; (width = width_of_all(table)) > room;)
        if (wrap_column(table, width - room))
            return true;
        else if (!leave_one_out(table))
            return false;
    return true;
}

/* ---- rows ---- */

/* A line that grows. Spaces wait for what follows them, so that no line ends with any. */
typedef struct line {
    fl_text *out;
    size_t column, spaces;
} line;

static void put(line *l, const char *text, size_t length)
{
    if (length == 0)
        return;
    fl_text_append(l->out, "%*s", (int)l->spaces, "");
    fl_text_append_bytes(l->out, text, length);
    l->column += l->spaces + fl_line_width(text, length);
    l->spaces = 0;
}

static void put_cell(line *l, const column *c, const char *text, size_t length)
{
    size_t width = fl_line_width(text, length), end = l->column + l->spaces;
    size_t blank = c->width > width ? c->width - width : 0;
    l->spaces += c->style.gap + (c->style.left ? 0 : blank);
    put(l, text, length);
    l->spaces = end + c->style.gap + width + blank - l->column;
}

static void end_line(line *l)
{
    fl_text_append(l->out, "\n");
    l->column = l->spaces = 0;
}

static size_t indent_of(const fl_table *table)
{
    return table->columns.count ? table->columns.data[0].style.gap : 0;
}

static void put_rest(const fl_table *table, line *l, const char *text)
{
    size_t room = l->out->columns, length = strlen(text), width = width_of(text);
    size_t begin = l->column + l->spaces + REST_GAP, indent = begin;
    l->spaces += REST_GAP;
    if (room > 0 && begin + width > room && begin + REST_LEAST > room) {
        end_line(l);
        l->spaces = indent = indent_of(table) + 4;
    }
    fl_text_append(l->out, "%*s", (int)l->spaces, "");
    fl_line_append(l->out, text, length, indent, indent);
}

/* What the first line of the row has no room for, of the column that wraps. */
static void put_continuation(line *l, const column *c, size_t begin, const char *text,
                             size_t length)
{
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0) {
        size_t taken = fl_line_break(text, length, c->width - 2);
        l->spaces = begin + 2;
        put(l, text, taken);
        end_line(l);
        for (text += taken, length -= taken; length > 0 && *text == ' '; length--)
            text++;
    }
}

/* A row of cells, and its rest (NULL: none). Cells beyond `count` are empty. */
static void put_row(const fl_table *table, const char *const *cells, size_t count, const char *rest,
                    fl_text *out)
{
    line l = {.out = out};
    const column *wrapped = NULL;
    const char *text = NULL;
    size_t begin = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        const column *c = &table->columns.data[i];
        size_t length = strlen(cells[i]);
        if (c->hidden)
            continue;
        if (c->width < c->longest && fl_line_width(cells[i], length) > c->width) {
            wrapped = c;
            text = cells[i];
            begin = l.column + l.spaces + c->style.gap;
            length = first = fl_line_break(cells[i], length, c->width);
        }
        put_cell(&l, c, cells[i], length);
    }
    if (rest)
        put_rest(table, &l, rest);
    end_line(&l);
    if (wrapped)
        put_continuation(&l, wrapped, begin, text + first, strlen(text + first));
}

/* The same as a list: a cell a line. */
static void put_list(const fl_table *table, const char *const *cells, size_t count,
                     const char *rest, fl_text *out)
{
    size_t indent = indent_of(table), widest = 0;
    for (size_t i = 1; i < table->columns.count; i++) {
        size_t width = width_of(string_at(table, table->columns.data[i].title));
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < count; i++) {
        const char *title = string_at(table, table->columns.data[i].title);
        const char *cell = cells[i] + strspn(cells[i], " ");
        size_t begin = i ? indent + 2 + widest + 2 : indent;
        if (!*cell)
            continue;
        if (i > 0)
            fl_text_append(out, "%*s%s%*s", (int)indent + 2, "", title,
                           (int)(widest - width_of(title) + 2), "");
        else
            fl_text_append(out, "%*s", (int)indent, "");
        fl_line_append(out, cell, strlen(cell), begin, begin + 2);
        fl_text_append(out, "\n");
    }
    if (!rest)
        return;
    fl_text_append(out, "%*s", (int)indent + 2, "");
    fl_line_append(out, rest, strlen(rest), indent + 2, indent + 4);
    fl_text_append(out, "\n");
}

/* ---- the table ---- */

static void put_heading(const fl_table *table, const char **cells, fl_text *out)
{
    bool any = false;
    for (size_t i = 0; i < table->columns.count; i++) {
        cells[i] = string_at(table, table->columns.data[i].title);
        any = any || *cells[i];
    }
    if (any)
        put_row(table, cells, table->columns.count, NULL, out);
}

static void put_what_is_left_out(const fl_table *table, fl_text *out)
{
    fl_text note = {0};
    for (size_t i = 0; i < table->columns.count; i++)
        if (table->columns.data[i].hidden)
            fl_text_append(&note, "%s%s", note.length ? ", " : "(no room for: ",
                           string_at(table, table->columns.data[i].title) +
                               strspn(string_at(table, table->columns.data[i].title), " "));
    if (note.length == 0)
        return;
    fl_text_append(&note, "; all columns: --json, or to a file or a pipe)");
    size_t indent = indent_of(table);
    fl_text_append(out, "%*s", (int)indent, "");
    fl_line_append(out, note.data, note.length, indent, indent + 2);
    fl_text_append(out, "\n");
    out->failed |= note.failed;
    fl_text_clear(&note);
}

static void put_all(fl_table *table, const char **cells, fl_text *out)
{
    bool fits = (measure(table), set_widths(table, out->columns));
    const char *rest = NULL;
    size_t count = 0;
    if (fits)
        put_heading(table, cells, out);
    for (size_t i = 0; i < table->pieces.count; i++) {
        const piece *p = &table->pieces.data[i];
        const char *text = string_at(table, p->text);
        if (p->kind == CELL) {
            cells[count++] = text;
        } else if (p->kind == REST) {
            rest = text;
        } else if (p->kind == LINE) {
            size_t indent = strspn(text, " ");
            fl_text_append(out, "%*s", (int)indent, "");
            fl_line_append(out, text + indent, strlen(text + indent), indent, indent + 2);
            fl_text_append(out, "\n");
        } else {
            (fits ? put_row : put_list)(table, cells, count, rest, out);
            count = 0;
            rest = NULL;
        }
    }
    if (fits)
        put_what_is_left_out(table, out);
}

void fl_table_end(fl_table *table, fl_text *out)
{
    const char **cells = calloc(table->columns.count + 1, sizeof *cells);
    if (table->bytes.failed || !cells)
        out->failed = true;
    else if (table->columns.count > 0)
        put_all(table, cells, out);
    free(cells);
    FL_ARRAY_CLEAR(&table->columns);
    FL_ARRAY_CLEAR(&table->pieces);
    fl_text_clear(&table->bytes);
}
