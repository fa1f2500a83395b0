#include "experiments/exact/private.h"
#include "experiments/sweep/private.h"

/* Given faults (`list`): nothing is random but the pair. Every pair is walked once, along all
 * levels, by what walks a sweep's trials; the counts are whole and complete. */

enum { BETWEEN_LOOKS = 64 }; /* pairs, between two looks at the clock; the limits' lanes */

static fl_status walk_pairs(fl_trial_runner *runner, uint64_t nodes,
                            const fl_exact_time_limit *time_limit, uint64_t *done, fl_error *error)
{
    uint64_t pairs = nodes * (nodes - 1);
    for (; *done < pairs; ++*done) {
        if (*done % BETWEEN_LOOKS == 0 && time_limit->is_over(time_limit->user))
            return FL_ERR_STOPPED;
        uint64_t source = *done / (nodes - 1), destination = *done % (nodes - 1);
        fl_status status =
            fl_trials_run_pair(runner, source, destination + (destination >= source), error);
        if (status)
            return status;
    }
    return FL_OK;
}

/* Pairs that were not walked may be delivered, over any length, or not. */
static void evaluate(const fl_counts *counts, uint64_t pairs, uint64_t open, uint64_t length_bound,
                     fl_exact_point *points)
{
    for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++) {
        const fl_count *count = &counts->of[fault_point];
        long double delivered = (long double)count->delivered,
                    lengths = (long double)count->length_sum, left = (long double)open;
        fl_exact_point *p = &points[fault_point];
        p->success_low = (double)(delivered / (long double)pairs);
        p->success_high = (double)((delivered + left) / (long double)pairs);
        p->has_length = count->delivered > 0;
        p->length_low = p->has_length ? (double)((lengths + 2 * left) / (delivered + left)) : 0;
        p->length_high =
            p->has_length
                ? (double)((lengths + (long double)length_bound * left) / (delivered + left))
                : 0;
    }
}

/* No path visits a link twice but a router's that is not known to be bounded. */
static uint64_t longest_path(const fl_router *router)
{
    uint64_t bound = fl_router_length_bound(router);
    return bound ? bound : router->type->limit ? router->network->links : FL_STEPS_MAX;
}

fl_status fl_exact_run_list(const fl_bound_sweep *bound, unsigned router,
                            const fl_exact_time_limit *time_limit, fl_exact_curve *curve,
                            fl_error *error)
{
    const fl_sweep sweep = {.network = bound->network,
                            .model = bound->model,
                            .routers = &bound->routers[router],
                            .router_count = 1,
                            .threads = 1};
    uint32_t fault_points = fl_fault_model_fault_points(bound->model);
    uint64_t done = 0, nodes = bound->network->nodes, pairs = nodes * (nodes - 1);
    fl_tally *tally = fl_tally_create(1, fault_points);
    fl_counts *counts = fl_counts_create(1, fault_points);
    fl_trial_runner *runner = NULL;
    fl_status status =
        tally && counts ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory for the counts");
    if (!status && !(runner = fl_trial_runner_create(&sweep, tally, error)))
        status = FL_ERR_MEMORY;
    if (!status)
        status = walk_pairs(runner, nodes, time_limit, &done, error);
    if (!status || status == FL_ERR_STOPPED) {
        fl_trials_end(runner);
        fl_tally_add_to(tally, counts);
        evaluate(counts, pairs, pairs - done, longest_path(bound->routers[router]), curve->points);
        curve->states = curve->pair_classes = done;
        curve->integers = true;
        curve->prune = 0;
    }
    fl_trial_runner_destroy(runner);
    fl_counts_destroy(counts);
    fl_tally_destroy(tally);
    return status;
}
