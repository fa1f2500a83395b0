/* Growing text, numbers from text, names and cells of tables. */
#ifndef FL_CORE_TEXT_H
#define FL_CORE_TEXT_H

#include "core/status.h"

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The entry of `names` (ended by NULL) nearest to `word` by edit distance, or NULL when none
 * is near enough to be what was meant. */
const char *fl_text_nearest(const char *word, const char *const *names);

/* What networks, routers and rules may be called: a letter, then up to 40 letters, digits, '-' and
 * '_', all of them small. */
bool fl_text_is_name(const char *text);

/* Whole strings only: no sign for unsigned, no trailing text, no overflow. */
bool fl_text_to_u64(const char *text, uint64_t *out);
/* The same of a count, which may be written as 1e6 or 2.5e3: up to 2^53 where it has a point or an
 * exponent. */
bool fl_text_to_count(const char *text, uint64_t *out);
bool fl_text_to_double(const char *text, double *out); /* finite decimal numbers only */

/* Growing text. A failed allocation is remembered (`failed`) and further appends do nothing. */
typedef struct fl_text {
    char *data; /* always ended by 0 once something was appended; NULL before */
    size_t length, capacity;
    bool failed;
    unsigned columns; /* of the terminal that it is for: tables fit its lines; 0: any length */
} fl_text;
void fl_text_append(fl_text *text, const char *format, ...) FL_PRINTF(2, 3);
void fl_text_append_list(fl_text *text, const char *format, va_list arguments); /* as vprintf */
void fl_text_append_bytes(fl_text *text, const char *bytes, size_t length);
void fl_text_append_double(fl_text *text,
                           double value); /* as few figures as read back to the same value: 0.1 */
void fl_text_clear(fl_text *text);        /* frees */

/* Refuses a text that results could not hold, and that `what` is: FL_ERR_INVALID for what is no
 * UTF-8. */
fl_status fl_text_check_name(const char *text, const char *what, fl_error *error);
/* ... and for a free text that becomes a cell of a table, also for control characters, and for what
 * a spreadsheet takes for a formula: =, +, - or @ at the beginning. (Quotes do not keep it from
 * that, and a cell is not changed silently.) */
fl_status fl_text_check_label(const char *text, const char *what, fl_error *error);

/* Appends a cell of a CSV file (RFC 4180): in quotes where it needs them, or always. */
void fl_csv_append(fl_text *out, const char *cell);
void fl_csv_append_quoted(fl_text *out, const char *cell);

/* FNV-1a, 64 bits: a name for a text, not a protection against forgery. */
uint64_t fl_text_hash(const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
