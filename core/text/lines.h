/* Lines of text that fit a number of columns. */
#ifndef FL_CORE_LINES_H
#define FL_CORE_LINES_H

#include "core/text/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns that `length` bytes of UTF-8 take on a terminal: one a character. */
size_t fl_line_width(const char *text, size_t length);

/* Bytes at the beginning of `text`, which holds no line end, for a line of `columns` columns: up to
 * the last space that leaves a line that fits, else up to and including the last semicolon, else
 * the last comma. A text that fits is not broken, and neither is a longer word. */
size_t fl_line_break(const char *text, size_t length, size_t columns);

/* Appends a text without line ends, broken into lines of out->columns columns (0: not broken). The
 * first begins in column `first`, the others with `indent` spaces. No line end follows the last. */
void fl_line_append(fl_text *out, const char *text, size_t length, size_t first, size_t indent);

/* Breaks the lines of a text that are longer than text->columns. The rest of a line is indented by
 * two spaces more than its beginning. Without memory text->failed is set. */
void fl_text_fit(fl_text *text);

#ifdef __cplusplus
}
#endif
#endif
