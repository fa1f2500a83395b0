/* Names of enum values: from a table, and the error for a name that is not in it. */
#ifndef FL_CORE_NAMES_H
#define FL_CORE_NAMES_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A table of names is ended by NULL; names[value] is the name of an enum's value. */

/* The place of `name` in the table. FL_ERR_INVALID, as fl_names_unknown writes it, if it is not
 * there; `what` says what the names stand for ("scope"). */
fl_status fl_names_find(unsigned *out, const char *const *names, const char *name, const char *what,
                        fl_error *error);

/* FL_ERR_INVALID with the text "unknown scope 'locla'; did you mean 'local'?" or, where no name is
 * near, "unknown scope 'x'; valid scopes are detour, local". */
fl_status fl_names_unknown(const char *const *names, const char *name, const char *what,
                           fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
