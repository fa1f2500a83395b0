/* The event calendar. */
#include "sim/engine/run/calendar.h"

#include <stdlib.h>

bool fl_sim_calendar_create(calendar *c, uint32_t longest, run_status *status)
{
    uint32_t size = 8;
    while (size <= longest)
        size *= 2;
    c->status = status;
    c->mask = size - 1;
    c->wheel = calloc(size, sizeof *c->wheel);
    return c->wheel != NULL;
}

void fl_sim_calendar_destroy(calendar *c)
{
    for (uint32_t slot = 0; c->wheel && slot <= c->mask; slot++)
        FL_ARRAY_CLEAR(&c->wheel[slot]);
    for (uint32_t slot = 0; slot < BIRTH_SLOTS; slot++)
        FL_ARRAY_CLEAR(&c->births[slot]);
    free(c->wheel);
}

bool fl_sim_calendar_grow(calendar *c, event_list *list)
{
    enum { FIRST_CAPACITY = 64 };
    if (FL_ARRAY_RESERVE(list, list->capacity ? 1 : FIRST_CAPACITY))
        return true;
    fl_sim_out_of_memory(c->status);
    return false;
}
