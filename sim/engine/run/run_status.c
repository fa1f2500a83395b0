/* The first failure of a run, and the memory of its lists. */
#include "sim/engine/run/run_status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fl_sim_broken(run_status *status, fl_address here, fl_violation violation)
{
    if (!status->code)
        status->code = fl_step_fail(status->router, here, violation, status->error);
}

void fl_sim_violated(run_status *status, const fl_view *view)
{
    if (!status->code)
        status->code = fl_step_fail_view(status->router, view, status->error);
}

void fl_sim_lost_its_way(run_status *status, fl_address here)
{
    fl_sim_broken(status, here, FL_NEVER_ENDS);
}

void fl_sim_misdelivered(run_status *status, fl_address here)
{
    fl_sim_broken(status, here, FL_DELIVERS_ASTRAY);
}

void fl_sim_out_of_memory(run_status *status)
{
    if (!status->code)
        status->code = fl_fail(status->error, FL_ERR_MEMORY, "out of memory for the packets of %s",
                               status->router->network->spec);
}

void fl_sim_mistake(run_status *status, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (status->code)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status->code = fl_fail(status->error, FL_ERR_ROUTER, "%s (a mistake of the simulator)", text);
}

void *fl_sim_list(size_t count, size_t size, int value, bool *good)
{
    void *list = malloc((count ? count : 1) * size);
    if (list)
        memset(list, value, count * size);
    *good &= list != NULL;
    return list;
}
