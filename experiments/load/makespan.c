/* Times of workloads on several networks, and what follows from them. */
#include "experiments/load/makespan_private.h"

#include <math.h>

bool fl_makespan_is_complete(const fl_load_results *results)
{
    for (size_t i = 0; i < results->result_count; i++)
        if (!results->results[i].completion.complete)
            return false;
    return true;
}

double fl_makespan_cycles(const fl_load_results *results, unsigned network, unsigned workload)
{
    size_t runs = results->curves->repeats;
    double sum = 0;
    for (size_t run = 0; run < runs; run++) {
        const fl_sim_completion *c =
            &fl_makespan_result(results, network, workload, run)->completion;
        if (!c->complete)
            return (double)NAN;
        sum += (double)c->cycles;
    }
    return sum / (double)runs;
}

double fl_makespan_time(const fl_load_results *results, unsigned network, unsigned workload)
{
    return fl_makespan_cycles(results, network, workload) /
           fl_makespan_cycles(results, 0, workload);
}

/* The paper's phi with all weights 1, times their number, so that the first network has 1. */
static double performance_of(const fl_load_results *results, unsigned network)
{
    unsigned workloads = results->spec->makespan->workload_count;
    double sum = 0;
    for (unsigned i = 0; i < workloads; i++)
        sum += fl_makespan_time(results, network, i);
    return workloads / sum;
}

static double cost_of(const fl_load_results *results, unsigned network, unsigned power)
{
    const fl_network *a = fl_makespan_network(results, network),
                     *b = fl_makespan_network(results, 0);
    return (double)a->switches * pow(a->radix, power) /
           ((double)b->switches * pow(b->radix, power));
}

double fl_makespan_quantity_of(const fl_load_results *results, unsigned network,
                               fl_makespan_quantity quantity)
{
    if (quantity == FL_MAKESPAN_PERFORMANCE)
        return performance_of(results, network);
    if (quantity < FL_MAKESPAN_EFFICIENCY_CONSTANT)
        return cost_of(results, network, quantity - FL_MAKESPAN_COST_CONSTANT);
    return performance_of(results, network) /
           cost_of(results, network, quantity - FL_MAKESPAN_EFFICIENCY_CONSTANT);
}
