/* Writing JSON: commas, line breaks and indentation, keys and escapes. */
#ifndef FL_CORE_JSON_WRITER_H
#define FL_CORE_JSON_WRITER_H

#include "core/text/text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FL_JSON_WRITER_DEPTH = 16 };

/* Writes one JSON text, which is appended to `out`. Values follow each other on one line, with a
 * space after each comma, unless fl_json_line asks for a new one. Memory that ran out is remembered
 * in out->failed. */
typedef struct fl_json_writer {
    fl_text *out;
    unsigned step;        /* spaces that a level is indented by */
    unsigned depth;       /* open objects and arrays */
    unsigned line_indent; /* spaces at the beginning of the current line */
    bool new_line;        /* the next key, value or bracket begins a line */
    struct {
        char close;       /* '}' or ']' */
        bool any, packed; /* something was written; no spaces after commas */
        unsigned opened;  /* line_indent where its bracket stands */
        unsigned indent;  /* of the lines in it */
    } level[FL_JSON_WRITER_DEPTH];
} fl_json_writer;

/* A writer at the beginning of a text. The caller owns `out`. */
fl_json_writer fl_json_writer_begin(fl_text *out, unsigned step);

/* Every function below takes the key of a member, or NULL for an element of an array (and for the
 * text's own value). Keys and texts are escaped as fl_json_append_string does. */

/* Opens an object or an array, at most FL_JSON_WRITER_DEPTH in each other. Its lines are indented
 * by one step more than the line that it is opened on. A packed array has no spaces after its
 * commas: for long lists of numbers. */
void fl_json_open_object(fl_json_writer *writer, const char *key);
void fl_json_open_array(fl_json_writer *writer, const char *key);
void fl_json_open_packed(fl_json_writer *writer, const char *key);

/* Closes what was opened last. On a line of its own after fl_json_line, which is then indented like
 * the line on which it was opened. */
void fl_json_close(fl_json_writer *writer);

/* What comes next begins on a new line. Returns the writer, so that the next call can take it:
 * fl_json_text(fl_json_line(writer), key, value). */
fl_json_writer *fl_json_line(fl_json_writer *writer);

/* Lines of the object or array that is open are indented by `spaces` from now on. */
void fl_json_indent(fl_json_writer *writer, unsigned spaces);

/* A text; null for NULL. */
void fl_json_text(fl_json_writer *writer, const char *key, const char *value);

/* true or false. */
void fl_json_bool(fl_json_writer *writer, const char *key, bool value);

/* A whole number. */
void fl_json_number(fl_json_writer *writer, const char *key, uint64_t value);

/* A whole number if `known`, null if not. */
void fl_json_number_or_null(fl_json_writer *writer, const char *key, bool known, uint64_t value);

/* `digits` significant digits at most (as %.*g), or with 0 as many as read back to the same value;
 * null for what is not finite. */
void fl_json_real(fl_json_writer *writer, const char *key, double value, unsigned digits);

/* `decimals` digits after the point; null for what is not finite. */
void fl_json_fixed(fl_json_writer *writer, const char *key, double value, unsigned decimals);

/* null. */
void fl_json_null(fl_json_writer *writer, const char *key);

/* A value that is JSON already. */
void fl_json_raw(fl_json_writer *writer, const char *key, const char *json);

#ifdef __cplusplus
}
#endif
#endif
