/* Private to experiments: times of workloads on several networks. */
#ifndef FL_EXPERIMENTS_LOAD_MAKESPAN_PRIVATE_H
#define FL_EXPERIMENTS_LOAD_MAKESPAN_PRIVATE_H

#include "experiments/load/makespan.h"
#include "experiments/load/results/results.h"
#include "experiments/results.h"

/* The curve of a workload on a network. */
FL_INLINE unsigned fl_makespan_curve(const fl_load_results *results, unsigned network,
                                     unsigned workload)
{
    return workload * results->spec->makespan->network_count + network;
}

FL_INLINE fl_sim_context fl_makespan_context(const fl_load_results *results, unsigned network,
                                             unsigned workload)
{
    const fl_load_curve *curve = &results->curves[fl_makespan_curve(results, network, workload)];
    return fl_sim_context_of(curve->tasks->plan, curve->preset);
}

FL_INLINE const fl_network *fl_makespan_network(const fl_load_results *results, unsigned network)
{
    return fl_makespan_context(results, network, 0).network;
}

/* As the spec has it. */
FL_INLINE const char *fl_makespan_workload(const fl_load_results *results, unsigned workload)
{
    return results->spec->curves[fl_makespan_curve(results, 0, workload)].values.workload;
}

/* Every curve has the same runs. */
FL_INLINE const fl_sim_result *fl_makespan_result(const fl_load_results *results, unsigned network,
                                                  unsigned workload, size_t run)
{
    size_t curve = fl_makespan_curve(results, network, workload);
    return &results->results[curve * results->curves->repeats + run];
}

/* Links of a class that a packet took on its path, on average; NAN: no packet arrived. */
double fl_makespan_links_per_packet(const fl_load_results *results, const fl_sim_result *r,
                                    unsigned link_class);

#endif
