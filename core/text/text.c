#include "core/array.h"
#include "core/core.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST_LENGTH_MAX = 63 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours (optimal string alignment): "gsn" is one slip from
 * "gns". Case is a half-forgiven slip: it costs nothing here. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][NEAREST_LENGTH_MAX + 2];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    size_t length_a = strlen(a), length_b = strlen(b);
    assert(length_a <= NEAREST_LENGTH_MAX && length_b <= NEAREST_LENGTH_MAX);
    for (size_t j = 0; j <= length_b; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            int at = tolower((unsigned char)a[i - 1]), bt = tolower((unsigned char)b[j - 1]);
            row[j] = smaller(smaller(last[j] + 1, row[j - 1] + 1), last[j - 1] + (at != bt));
            if (i > 1 && j > 1 && at == tolower((unsigned char)b[j - 2]) &&
                bt == tolower((unsigned char)a[i - 2]))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[length_b];
}

const char *fl_text_nearest(const char *word, const char *const *names)
{
    size_t length = strlen(word);
    if (length == 0 || length > NEAREST_LENGTH_MAX)
        return NULL;
    const char *nearest = NULL;
    size_t nearest_distance = 0;
    for (; *names; names++) {
        if (strlen(*names) > NEAREST_LENGTH_MAX)
            continue;
        size_t distance = edit_distance(word, *names);
        if (!nearest || distance < nearest_distance) {
            nearest = *names;
            nearest_distance = distance;
        }
    }
    if (!nearest)
        return NULL;
    /* More than about a third of the letters wrong is another word, and so is one without a
     * right letter. */
    size_t letters = strlen(nearest) > length ? strlen(nearest) : length;
    return nearest_distance < letters && nearest_distance <= 1 + strlen(nearest) / 3 ? nearest
                                                                                     : NULL;
}

bool fl_text_is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz",
                      all[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = strspn(text, all);
    return strspn(text, letters) > 0 && text[length] == 0 && length <= 41;
}

bool fl_text_to_u64(const char *text, uint64_t *out)
{
    if (!*text)
        return false;
    uint64_t value = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9')
            return false;
        uint64_t digit = (uint64_t)(*c - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool fl_text_to_double(const char *text, double *out)
{
    /* strtod also takes spaces, hexadecimal, "inf" and "nan": not wanted here. */
    if (!*text || text[strspn(text, "0123456789.eE+-")])
        return false;
    char *end;
    double value = strtod(text, &end);
    if (*end || end == text || !isfinite(value))
        return false;
    *out = value;
    return true;
}

bool fl_text_to_count(const char *text, uint64_t *out)
{
    double value;
    if (fl_text_to_u64(text, out))
        return true;
    if (!strpbrk(text, "eE") || *text < '0' || *text > '9' || !fl_text_to_double(text, &value) ||
        value > 9007199254740992.0 || value != floor(value))
        return false;
    *out = (uint64_t)value;
    return true;
}

static bool reserve(fl_text *text, size_t more)
{
    if (text->failed)
        return false;
    text->failed = more == SIZE_MAX || !FL_GROW(text->data, text->capacity, text->length, more + 1);
    return !text->failed;
}

void fl_text_append_bytes(fl_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length > 0) /* `bytes` may be NULL then */
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = 0;
}

void fl_text_append_list(fl_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    text->failed |= length < 0; /* libc has no memory for a long number, say */
    if (!text->failed && reserve(text, (size_t)length)) {
        text->failed =
            vsnprintf(text->data + text->length, (size_t)length + 1, format, again) != length;
        text->length += text->failed ? 0 : (size_t)length;
        text->data[text->length] = 0;
    }
    va_end(again);
}

void fl_text_append(fl_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fl_text_append_list(text, format, arguments);
    va_end(arguments);
}

void fl_text_append_double(fl_text *text, double value)
{
    char shown[40];
    for (int figures = 15; figures <= 17; figures++) {
        snprintf(shown, sizeof shown, "%.*g", figures, value);
        if (strtod(shown, NULL) == value)
            break;
    }
    fl_text_append(text, "%s", shown);
}

void fl_text_clear(fl_text *text)
{
    free(text->data);
    *text = (fl_text){0};
}

fl_status fl_text_check_name(const char *text, const char *what, fl_error *error)
{
    if (fl_text_is_utf8(text))
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID,
                   "%s '%.200s' is not UTF-8 text: results could not name it; rename it", what,
                   text);
}

fl_status fl_text_check_label(const char *text, const char *what, fl_error *error)
{
    fl_status status = fl_text_check_name(text, what, error);
    if (status)
        return status;
    if (*text && strchr("=+-@", *text))
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s '%.200s' begins with '%c': in a table, a spreadsheet would take it for a formula",
            what, text, *text);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return fl_fail(error, FL_ERR_INVALID, "%s '%.200s' holds a control character", what,
                           text);
    return FL_OK;
}

void fl_csv_append_quoted(fl_text *out, const char *cell)
{
    fl_text_append_bytes(out, "\"", 1);
    for (; *cell; cell++) {
        if (*cell == '"')
            fl_text_append_bytes(out, "\"", 1);
        fl_text_append_bytes(out, cell, 1);
    }
    fl_text_append_bytes(out, "\"", 1);
}

void fl_csv_append(fl_text *out, const char *cell)
{
    if (strpbrk(cell, ",\"\r\n"))
        fl_csv_append_quoted(out, cell);
    else
        fl_text_append_bytes(out, cell, strlen(cell));
}

uint64_t fl_text_hash(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}
