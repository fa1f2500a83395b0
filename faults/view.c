#include "faults/faults.h"

#include <string.h>

const char *const fl_scope_names[] = {
    [FL_SCOPE_DETOUR] = "detour", [FL_SCOPE_LOCAL] = "local", NULL};

fl_status fl_scope_parse(fl_scope *out, const char *name, fl_error *error)
{
    for (int i = 0; fl_scope_names[i]; i++)
        if (strcmp(name, fl_scope_names[i]) == 0) {
            *out = (fl_scope)i;
            return FL_OK;
        }
    const char *nearest = fl_text_nearest(name, fl_scope_names);
    return fl_fail(
        error, FL_ERR_INVALID,
        "unknown scope '%.60s'; %s%s%s is detour (a switch knows the links of its own detours) or local (its own links)",
        name, nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? It" : "it");
}

const char *const FL_OFFENCE_UNPLUGGED = "asks about a port where nothing is plugged in";

void fl_view_refuse_unplugged(fl_view *view, fl_address from, fl_port port)
{
    if (view->peeked)
        return; /* the first offence is reported */
    view->peeked = true;
    view->offence = FL_OFFENCE_UNPLUGGED;
    view->unplugged_at = from;
    view->unplugged_port = port;
}

/* Kept out of line: askers that listen are not in a hurry. */
void fl_view_report(const fl_view *view, fl_address from, fl_port port, fl_link link, bool up)
{
    view->listener(view->listener_user, from, port, link, up);
}
