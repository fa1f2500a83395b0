#include "core/core.h"

#include <stdarg.h>
#include <string.h>

/* What was quoted may come from anywhere: it must not steer a terminal, and a quote that was cut
 * short must not end inside a character. */
void fl_text_make_printable(char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        size_t length = fl_text_utf8_length(text, left);
        bool control = (unsigned char)*text < 0x20 && *text != '\n';
        if (length == 0 || control || *text == 0x7f) {
            *text = '?';
            length = 1;
        }
        text += length;
        left -= length;
    }
}

fl_status fl_fail(fl_error *error, fl_status status, const char *format, ...)
{
    if (error) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        fl_text_make_printable(error->text);
    }
    return status;
}

fl_status fl_fail_in(fl_error *error, fl_status status, const char *prefix)
{
    if (!error || !status)
        return status;
    fl_error inner = *error;
    return fl_fail(error, status, "%.300s: %.700s", prefix, inner.text);
}
