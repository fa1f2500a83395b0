/* Heads, in lists that grow together. */
#include "sim/engine/switches/heads.h"

#include "core/array.h"

#include <stdlib.h>

bool fl_sim_heads_create(heads *hs, const fl_sim_plan *plan, const run_mode *mode,
                         run_status *status)
{
    bool good = true;
    hs->status = status;
    if (mode->blocked_lists)
        hs->blocked_at_switch = fl_sim_list((size_t)plan->network->switches,
                                            sizeof *hs->blocked_at_switch, 0xff, &good);
    if (mode->blocked_lists && plan->virtual_channels > 1)
        hs->blocked_at_port = fl_sim_list(plan->ports, sizeof *hs->blocked_at_port, 0xff, &good);
    return good;
}

void fl_sim_heads_destroy(heads *hs)
{
    free(hs->list);
    free(hs->free);
    free(hs->active);
    free(hs->ready);
    free(hs->blocked_at_switch);
    free(hs->blocked_at_port);
}

bool fl_sim_grow_heads(heads *hs)
{
    uint32_t room = hs->room ? 2 * hs->room : 64;
    if (!FL_RESIZE(&hs->list, room) || !FL_RESIZE(&hs->free, room) ||
        !FL_RESIZE(&hs->active, room) || !FL_RESIZE(&hs->ready, room)) {
        fl_sim_out_of_memory(hs->status);
        return false;
    }
    hs->room = room;
    return true;
}
