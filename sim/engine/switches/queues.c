/* The queues at the inputs of switches. */
#include "sim/engine/switches/queues.h"

#include <stdlib.h>

bool fl_sim_queues_create(queues *q, const fl_sim_plan *plan)
{
    size_t vcs = plan->virtual_channels, inputs = plan->ports * vcs;
    bool good = true;
    q->inputs = fl_sim_list(inputs, sizeof *q->inputs, 0, &good);
    if (vcs > 1)
        q->busy = fl_sim_list(plan->ports, sizeof *q->busy, 0, &good);
    for (size_t i = 0; good && i < inputs; i++)
        q->inputs[i] = (input_queue){NONE, NONE, plan->switch_of[i / vcs], 0, false};
    return good;
}

void fl_sim_queues_destroy(queues *q)
{
    free(q->inputs);
    free(q->busy);
}
