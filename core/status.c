#include "core/core.h"

#include <stdarg.h>

fl_status fl_fail(fl_error *error, fl_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
