/* UTF-8: is a text valid, and fit to be shown? */
#ifndef FL_CORE_UTF8_H
#define FL_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Length of the UTF-8 sequence at `text` (1 to 4 bytes), of which `left` bytes may be read; 0 if it
 * is not valid: overlong forms, surrogates and values above U+10FFFF are not (RFC 3629). */
size_t fl_text_utf8_length(const char *text, size_t left);

/* Is the complete text valid UTF-8? */
bool fl_text_is_utf8(const char *text);

/* Makes a text fit to be shown, in place: control characters (except line ends) and bytes that are
 * not UTF-8 become '?'. A quoted value may come from anywhere: it must not control a terminal, and
 * a quote that was cut short must not end inside a character. fl_fail calls it. */
void fl_text_make_printable(char *text);

#ifdef __cplusplus
}
#endif
#endif
