#include "sim/engine.h"

#include <stdlib.h>

void fl_sim_fail(engine *e, fl_status status)
{
    if (!e->status)
        e->status = status;
}

void fl_sim_out_of_memory(engine *e)
{
    if (!e->status)
        e->status = fl_fail(e->error, FL_ERR_MEMORY, "out of memory for the packets of %s", e->plan->network->spec);
}

bool fl_sim_grow_events(engine *e, event_list *list)
{
    uint32_t room = list->room ? 2 * list->room : 64;
    event *events = realloc(list->events, room * sizeof *events);
    if (!events) {
        fl_sim_out_of_memory(e);
        return false;
    }
    list->events = events;
    list->room = room;
    return true;
}
