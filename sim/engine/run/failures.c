/* The links that are down. */
#include "sim/engine/run/failures.h"

#include <stdlib.h>
#include <string.h>

bool fl_sim_failures_create(failure_state *f, const fl_sim_plan *plan, fl_error *error)
{
    const fl_sim_set_up *s = &plan->set_up;
    uint64_t count = s->faults ? s->faults->count : 0;
    f->down.links = malloc((size_t)(count + s->failure_count + 1) * sizeof *f->down.links);
    if (!f->down.links)
        return false;
    if (count > 0)
        memcpy(f->down.links, s->faults->links, (size_t)count * sizeof *f->down.links);
    f->down.count = count;
    return fl_order_create_fixed(&f->order, plan->network, &f->down, error) == FL_OK;
}

void fl_sim_failures_destroy(failure_state *f)
{
    free(f->down.links);
    fl_order_destroy(f->order);
}

bool fl_sim_add_failure(failure_state *f, fl_link link)
{
    if (fl_fault_set_holds(&f->down, link))
        return false;
    uint64_t at = f->down.count++;
    while (at > 0 && f->down.links[at - 1] > link) {
        f->down.links[at] = f->down.links[at - 1];
        at--;
    }
    f->down.links[at] = link;
    fl_order_forget(f->order);
    return true;
}
