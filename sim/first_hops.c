/* How long paths are when every packet takes its router's first candidate, for comparison with a
 * run. */
#include "sim/private.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS_MAX = 16384, SAMPLE_SEED = 1 };

typedef struct walker {
    const fl_sim_plan *plan;
    fl_order *order;
    double sum, squares;
    uint64_t paths;
    bool broken;
} walker;

static void walk_pair(walker *w, uint32_t source, uint32_t destination)
{
    const fl_router *router = w->plan->set_up.router;
    fl_view view = {.network = w->plan->network,
                    .order = w->order,
                    .enabled_rules = router->enabled_rules,
                    .scope = router->scope,
                    .holds_until = FL_NEVER_FAILS};
    fl_walk_result result;
    if (destination == FL_SIM_NOWHERE || w->broken)
        return;
    w->broken = fl_walk(router, &view, w->plan->node_address[source],
                        w->plan->node_address[destination], NULL, NULL, &result, NULL) != FL_OK;
    if (w->broken || !result.delivered)
        return;
    w->sum += result.length;
    w->squares += (double)result.length * result.length;
    w->paths++;
}

/* Pairs as the traffic draws them, from sources all over the network. */
static void walk_sample(walker *w, const fl_sim_traffic *traffic, uint32_t nodes)
{
    uint32_t step = nodes / PAIRS_MAX + 1;
    fl_rng rng;
    fl_rng_seed(&rng, SAMPLE_SEED, FL_PURPOSE_TRAFFIC, 0);
    for (uint32_t i = 0, source = 0; i < PAIRS_MAX; i++, source = (source + step) % nodes)
        if (fl_sim_traffic_sends(traffic, source))
            walk_pair(w, source, fl_sim_traffic_next(traffic, source, &rng));
}

/* True: all that there are, which are equally likely. */
static bool walk_all(walker *w, const fl_sim_traffic *traffic, uint32_t nodes)
{
    uint32_t fanout = fl_sim_traffic_fanout(traffic);
    if (fanout == 0 || (uint64_t)nodes * fanout > PAIRS_MAX)
        return false;
    for (uint32_t source = 0; source < nodes; source++)
        for (uint32_t i = 0; i < fanout; i++)
            walk_pair(w, source, fl_sim_traffic_target(traffic, source, i));
    return true;
}

bool fl_sim_first_hops_of(const fl_sim_plan *plan, fl_sim_first_hops *out)
{
    const fl_fault_set none = {0};
    const fl_sim_traffic *traffic = plan->set_up.traffic;
    uint32_t nodes = (uint32_t)plan->network->nodes;
    walker w = {.plan = plan};
    if (!traffic || plan->candidates == 1 ||
        fl_order_create_fixed(&w.order, plan->network, &none, NULL))
        return false;
    bool all = walk_all(&w, traffic, nodes);
    if (!all)
        walk_sample(&w, traffic, nodes);
    bool good = !w.broken && w.paths > 0 && fl_order_is_sound(w.order);
    fl_order_destroy(w.order);
    if (!good)
        return false;
    double mean = w.sum / (double)w.paths, variance = w.squares / (double)w.paths - mean * mean;
    variance = variance > 0 ? variance : 0;
    *out = (fl_sim_first_hops){mean, variance, all ? 0 : sqrt(variance / (double)w.paths)};
    return true;
}
