/* Writing JSON: commas, line breaks and indentation, keys and escapes. */
#include "core/text/json_writer.h"

#include "core/text/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

fl_json_writer fl_json_writer_begin(fl_text *out, unsigned step)
{
    return (fl_json_writer){.out = out, .step = step};
}

static void break_line(fl_json_writer *writer, unsigned indent)
{
    fl_text_append(writer->out, "\n%*s", (int)indent, "");
    writer->line_indent = indent;
    writer->new_line = false;
}

/* Comma, white space and key: all that stands before a value. */
static void begin_value(fl_json_writer *writer, const char *key)
{
    if (writer->depth > 0) {
        bool any = writer->level[writer->depth - 1].any;
        bool packed = writer->level[writer->depth - 1].packed;
        writer->level[writer->depth - 1].any = true;
        assert((key != NULL) == (writer->level[writer->depth - 1].close == '}'));
        if (any)
            fl_text_append_bytes(writer->out, ",", 1);
        if (writer->new_line)
            break_line(writer, writer->level[writer->depth - 1].indent);
        else if (any && !packed)
            fl_text_append_bytes(writer->out, " ", 1);
    }
    if (key) {
        fl_json_append_string(writer->out, key);
        fl_text_append_bytes(writer->out, ": ", 2);
    }
}

static void open(fl_json_writer *writer, const char *key, char bracket, char close, bool packed)
{
    begin_value(writer, key);
    assert(writer->depth < FL_JSON_WRITER_DEPTH);
    fl_text_append_bytes(writer->out, &bracket, 1);
    writer->level[writer->depth].close = close;
    writer->level[writer->depth].any = false;
    writer->level[writer->depth].packed = packed;
    writer->level[writer->depth].opened = writer->line_indent;
    writer->level[writer->depth++].indent = writer->line_indent + writer->step;
}

void fl_json_open_object(fl_json_writer *writer, const char *key)
{
    open(writer, key, '{', '}', false);
}

void fl_json_open_array(fl_json_writer *writer, const char *key)
{
    open(writer, key, '[', ']', false);
}

void fl_json_open_packed(fl_json_writer *writer, const char *key)
{
    open(writer, key, '[', ']', true);
}

void fl_json_close(fl_json_writer *writer)
{
    assert(writer->depth > 0);
    writer->depth--;
    if (writer->new_line)
        break_line(writer, writer->level[writer->depth].opened);
    fl_text_append_bytes(writer->out, &writer->level[writer->depth].close, 1);
}

fl_json_writer *fl_json_line(fl_json_writer *writer)
{
    writer->new_line = true;
    return writer;
}

void fl_json_indent(fl_json_writer *writer, unsigned spaces)
{
    assert(writer->depth > 0);
    writer->level[writer->depth - 1].indent = spaces;
}

void fl_json_raw(fl_json_writer *writer, const char *key, const char *json)
{
    begin_value(writer, key);
    fl_text_append_bytes(writer->out, json, strlen(json));
}

void fl_json_null(fl_json_writer *writer, const char *key)
{
    fl_json_raw(writer, key, "null");
}

void fl_json_text(fl_json_writer *writer, const char *key, const char *value)
{
    begin_value(writer, key);
    if (value)
        fl_json_append_string(writer->out, value);
    else
        fl_text_append_bytes(writer->out, "null", 4);
}

void fl_json_bool(fl_json_writer *writer, const char *key, bool value)
{
    fl_json_raw(writer, key, value ? "true" : "false");
}

void fl_json_number(fl_json_writer *writer, const char *key, uint64_t value)
{
    char digits[20]; /* results hold millions of numbers: faster than a format */
    size_t at = sizeof digits;
    begin_value(writer, key);
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    fl_text_append_bytes(writer->out, digits + at, sizeof digits - at);
}

void fl_json_number_or_null(fl_json_writer *writer, const char *key, bool known, uint64_t value)
{
    if (known)
        fl_json_number(writer, key, value);
    else
        fl_json_null(writer, key);
}

void fl_json_real(fl_json_writer *writer, const char *key, double value, unsigned digits)
{
    if (!isfinite(value)) {
        fl_json_null(writer, key);
        return;
    }
    begin_value(writer, key);
    if (digits > 0)
        fl_text_append(writer->out, "%.*g", (int)digits, value);
    else
        fl_text_append_double(writer->out, value);
}

void fl_json_fixed(fl_json_writer *writer, const char *key, double value, unsigned decimals)
{
    if (!isfinite(value)) {
        fl_json_null(writer, key);
        return;
    }
    begin_value(writer, key);
    fl_text_append(writer->out, "%.*f", (int)decimals, value);
}
