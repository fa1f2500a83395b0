/* Statuses and error texts. */
#include "core/status.h"

#include "core/utf8.h"

#include <stdarg.h>

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
