#include "experiments/exact.h"

#include <stdlib.h>

/* ---- probabilities of answers ---- */

/* weight[b] = probability that of `asked` given parts just b given ones are down, at one level.
 * Exactly f of N: f(f-1)..(f-b+1) * (N-f)(N-f-1)..  / N(N-1).. : a product of `asked` factors,
 * each rounded once. */
static void answer_weights(const fl_fault_model *model, uint32_t level, unsigned asked, long double *weight)
{
    long double parts = (long double)fl_fault_model_parts(model);
    uint64_t count = 0;
    if (!fl_fault_model_count_at(model, level, &count)) {
        long double p = (long double)fl_fault_model_rate_at(model, level);
        for (unsigned b = 0; b <= asked; b++) {
            weight[b] = 1;
            for (unsigned i = 0; i < asked; i++)
                weight[b] *= i < b ? p : 1 - p;
        }
        return;
    }
    long double down = (long double)count, up = parts - down;
    for (unsigned b = 0; b <= asked; b++) {
        weight[b] = 1;
        for (unsigned i = 0; i < asked && weight[b] > 0; i++) {
            long double left = i < b ? down - i : up - (i - b);
            weight[b] = left > 0 ? weight[b] * left / (parts - i) : 0;
        }
    }
}

/* ---- one router ---- */

/* Numbers of many pairs, by how many parts they asked about: the weights are then needed once
 * for each such number, not for each pair. */
typedef struct sums {
    long double *numbers[FL_EXPLORED_PARTS_MAX + 1]; /* [3 * (asked + 1)]: delivered, lengths, open; or NULL */
} sums;

static bool add_pair(sums *to, const fl_exploration *pair, double weight)
{
    unsigned asked = pair->asked;
    long double **numbers = &to->numbers[asked];
    if (!*numbers && !(*numbers = calloc(3 * ((size_t)asked + 1), sizeof **numbers)))
        return false;
    for (unsigned b = 0; b <= asked; b++) {
        (*numbers)[b] += weight * pair->delivered[b];
        (*numbers)[asked + 1 + b] += weight * pair->lengths[b];
        (*numbers)[2 * (asked + 1) + b] += pair->open ? weight * pair->open[b] : 0;
    }
    return true;
}

static void clear_sums(sums *s)
{
    for (unsigned asked = 0; asked <= FL_EXPLORED_PARTS_MAX; asked++)
        free(s->numbers[asked]);
    *s = (sums){0};
}

static void evaluate(const sums *s, const fl_bound_sweep *bound, uint64_t length_bound, fl_exact_point *points)
{
    long double weight[FL_EXPLORED_PARTS_MAX + 1], nodes = (long double)bound->network->nodes, pairs = nodes * (nodes - 1);
    for (uint32_t level = 0; level < fl_fault_model_levels(bound->model); level++) {
        long double delivered = 0, lengths = 0, open = 0;
        for (unsigned asked = 0; asked <= FL_EXPLORED_PARTS_MAX; asked++) {
            const long double *numbers = s->numbers[asked];
            if (!numbers)
                continue;
            answer_weights(bound->model, level, asked, weight);
            for (unsigned b = 0; b <= asked; b++) {
                delivered += weight[b] * numbers[b];
                lengths += weight[b] * numbers[asked + 1 + b];
                open += weight[b] * numbers[2 * (asked + 1) + b];
            }
        }
        fl_exact_point *p = &points[level];
        p->success_low = (double)(delivered / pairs);
        p->success_high = (double)((delivered + open) / pairs);
        if (p->success_high > 1)
            p->success_high = p->success_low > 1 ? (p->success_low = 1) : 1;
        /* What was left out may be delivered after 2 links at least, `length_bound` at most, or not at all. */
        p->has_length = delivered > 0;
        p->length_low = p->has_length ? (double)((lengths + 2 * open) / (delivered + open)) : 0;
        p->length_high = p->has_length ? (double)((lengths + (long double)length_bound * open) / (delivered + open)) : 0;
    }
}

static fl_status explore_router(const fl_bound_sweep *bound, const fl_router *router, const fl_exact_options *options,
                                double prune, sums *out, fl_exact_curve *curve, fl_error *error)
{
    fl_explorer_limits limits = {.prune = prune, .states_max = options->states_max, .stop = options->stop};
    fl_explorer *explorer;
    fl_pair_class *pairs;
    uint64_t count;
    fl_status status = fl_pair_classes(&pairs, &count, router, bound->model, options->every_pair, error);
    if (status)
        return status;
    status = fl_explorer_create(&explorer, router, bound->model, &limits, error);
    if (status) {
        free(pairs);
        return status;
    }
    for (uint64_t i = 0; i < count && !status; i++) {
        fl_exploration pair;
        status = fl_explorer_run(explorer, pairs[i].source, pairs[i].destination, &pair, error);
        if (!status && !add_pair(out, &pair, pairs[i].weight))
            status = fl_fail(error, FL_ERR_MEMORY, "out of memory for the sums");
        if (options->progress)
            options->progress(options->user, i + 1, count);
    }
    curve->states = fl_explorer_states(explorer);
    curve->whole_numbers = fl_explorer_is_whole(explorer);
    curve->pair_classes = count;
    fl_explorer_destroy(explorer);
    free(pairs);
    return status;
}

fl_status fl_exact_run(const fl_bound_sweep *bound, unsigned router, const fl_exact_options *options, fl_exact_curve *curve,
                       fl_error *error)
{
    sums s = {0};
    const fl_router *r = bound->routers[router];
    fl_status status = explore_router(bound, r, options, options->prune, &s, curve, error);
    uint64_t length_bound = fl_router_length_bound(r) ? fl_router_length_bound(r) : FL_WALK_HOPS_MAX;
    if (!status)
        evaluate(&s, bound, length_bound, curve->points);
    clear_sums(&s);
    curve->exact = true;
    for (uint32_t level = 0; level < fl_fault_model_levels(bound->model); level++)
        curve->exact &= curve->points[level].success_high == curve->points[level].success_low;
    return status;
}
