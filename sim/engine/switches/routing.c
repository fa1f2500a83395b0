/* Asking the router. */
#include "sim/engine/switches/routing.h"

#include <stdlib.h>

bool fl_sim_routing_create(routing *r, const fl_sim_plan *plan, fl_order *order, uint64_t seed,
                           run_status *status)
{
    const fl_router *router = plan->set_up.router;
    *r = (routing){
        .view = {.network = plan->network,
                 .order = order,
                 .enabled_rules = router->enabled_rules,
                 .scope = router->scope},
        .decision.wanted = plan->candidates,
        .candidates = calloc(plan->candidates, sizeof *r->candidates),
        .status = status,
    };
    fl_rng_seed(&r->rng, seed, FL_PURPOSE_ROUTING, 0);
    return r->candidates != NULL;
}

void fl_sim_routing_destroy(routing *r)
{
    free(r->candidates);
}
