#include "faults/faults.h"

#include <string.h>

const char *const fl_scope_names[] = {
    [FL_SCOPE_DETOUR] = "detour", [FL_SCOPE_LOCAL] = "local", NULL};

fl_status fl_scope_parse(fl_scope *out, const char *name, fl_error *error)
{
    unsigned number;
    fl_status status = fl_names_find(&number, fl_scope_names, name, "scope", error);
    if (!status)
        *out = (fl_scope)number;
    return status;
}

void fl_view_refuse_unplugged(fl_view *view, fl_address from, fl_port port)
{
    if (view->violation)
        return; /* the first violation is reported */
    view->violation = FL_ASKS_EMPTY_PORT;
    view->unplugged_at = from;
    view->unplugged_port = port;
}

/* Kept out of line: only slow analyses listen. */
void fl_view_report(const fl_view *view, fl_address from, fl_port port, fl_link link, bool up)
{
    view->listener(view->listener_user, from, port, link, up);
}
