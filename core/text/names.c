/* Names of enum values. */
#include "core/text/names.h"

#include "core/text/text.h"

#include <string.h>

fl_status fl_names_find(unsigned *out, const char *const *names, const char *name, const char *what,
                        fl_error *error)
{
    for (unsigned i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return FL_OK;
        }
    return fl_names_unknown(names, name, what, error);
}

/* The plural of `what`: properties, keys, classes, scopes. */
static void append_plural(fl_text *out, const char *what)
{
    size_t length = strlen(what);
    char last = length > 0 ? what[length - 1] : 0, before = length > 1 ? what[length - 2] : 0;
    bool changes = last == 'y' && !strchr("aeiou", before); /* but keys */
    fl_text_append(out, "%.*s%s", (int)(length - changes), what,
                   changes       ? "ies"
                   : last == 's' ? "es"
                                 : "s");
}

fl_status fl_names_unknown(const char *const *names, const char *name, const char *what,
                           fl_error *error)
{
    const char *nearest = fl_text_nearest(name, names);
    if (nearest)
        return fl_fail(error, FL_ERR_INVALID, "unknown %s '%.100s'; did you mean '%s'?", what, name,
                       nearest);
    fl_text valid = {0};
    append_plural(&valid, what);
    for (unsigned i = 0; names[i]; i++)
        fl_text_append(&valid, "%s %s", i ? "," : " are", names[i]);
    fl_status status = fl_fail(error, FL_ERR_INVALID, "unknown %s '%.100s'; valid %s", what, name,
                               valid.failed ? "?" : valid.data);
    fl_text_clear(&valid);
    return status;
}
