/* The requests of a cycle. */
#include "sim/engine/switches/requests.h"

#include <stdlib.h>

bool fl_sim_requests_create(requests *r, const fl_sim_plan *plan)
{
    bool good = true;
    r->of_channel = fl_sim_list(plan->channels, sizeof *r->of_channel, 0, &good);
    r->channels = fl_sim_list(plan->channels, sizeof *r->channels, 0, &good);
    r->turn = fl_sim_list(plan->channels, sizeof *r->turn, 0, &good);
    if (plan->virtual_channels > 1) {
        r->of_port = fl_sim_list(plan->ports, sizeof *r->of_port, 0, &good);
        r->ports = fl_sim_list(plan->ports, sizeof *r->ports, 0, &good);
        r->port_turn = fl_sim_list(plan->ports, sizeof *r->port_turn, 0, &good);
    }
    return good;
}

void fl_sim_requests_destroy(requests *r)
{
    free(r->of_channel);
    free(r->channels);
    free(r->turn);
    free(r->of_port);
    free(r->ports);
    free(r->port_turn);
}
