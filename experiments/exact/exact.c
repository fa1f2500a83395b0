#include "analysis/reliability/reliability.h"
#include "experiments/exact/private.h"
#include "experiments/sweep/private.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_A_STATE = 3072 }; /* fl_exact_options.states_max limits memory by it */

/* ---- probabilities of answers ---- */

/* weight[b] = probability that of `asked` given components just b given ones are down, at one
 * fault point.
 * Exactly f of N: f(f-1)..(f-b+1) * (N-f)(N-f-1)..  / N(N-1).. : a product of `asked` factors,
 * each rounded once. */
static void answer_weights(const fl_fault_model *model, uint32_t fault_point, unsigned asked,
                           long double *weight)
{
    long double components = (long double)fl_fault_model_components(model);
    uint64_t count = 0;
    if (!fl_fault_model_count_at(model, fault_point, &count)) {
        long double p = (long double)fl_fault_model_rate_at(model, fault_point);
        for (unsigned b = 0; b <= asked; b++) {
            weight[b] = 1;
            for (unsigned i = 0; i < asked; i++)
                weight[b] *= i < b ? p : 1 - p;
        }
        return;
    }
    long double down = (long double)count, up = components - down;
    for (unsigned b = 0; b <= asked; b++) {
        weight[b] = 1;
        for (unsigned i = 0; i < asked && weight[b] > 0; i++) {
            long double left = i < b ? down - i : up - (i - b);
            weight[b] = left > 0 ? weight[b] * left / (components - i) : 0;
        }
    }
}

/* ---- one router ---- */

/* Numbers of many pairs, by how many parts they asked about: the weights are then needed once
 * for each such number, not for each pair. */
typedef struct sums {
    long double *numbers[FL_EXPLORED_COMPONENTS_MAX +
                         1]; /* [3 * (asked + 1)]: delivered, lengths, open; or NULL */
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
    for (unsigned asked = 0; asked <= FL_EXPLORED_COMPONENTS_MAX; asked++)
        free(s->numbers[asked]);
    *s = (sums){0};
}

static void evaluate(const sums *s, const fl_bound_sweep *bound, uint64_t length_bound,
                     fl_exact_point *points)
{
    long double weight[FL_EXPLORED_COMPONENTS_MAX + 1], nodes = (long double)bound->network->nodes,
                                                        pairs = nodes * (nodes - 1);
    for (uint32_t fault_point = 0; fault_point < fl_fault_model_fault_points(bound->model);
         fault_point++) {
        long double delivered = 0, lengths = 0, open = 0;
        for (unsigned asked = 0; asked <= FL_EXPLORED_COMPONENTS_MAX; asked++) {
            const long double *numbers = s->numbers[asked];
            if (!numbers)
                continue;
            answer_weights(bound->model, fault_point, asked, weight);
            for (unsigned b = 0; b <= asked; b++) {
                delivered += weight[b] * numbers[b];
                lengths += weight[b] * numbers[asked + 1 + b];
                open += weight[b] * numbers[2 * (asked + 1) + b];
            }
        }
        fl_exact_point *p = &points[fault_point];
        p->success_low = (double)(delivered / pairs);
        p->success_high = (double)((delivered + open) / pairs);
        if (p->success_high > 1)
            p->success_high = p->success_low > 1 ? (p->success_low = 1) : 1;
        /* What was left out may be delivered after 2 links at least, `length_bound` at most, or not
         * at all. */
        p->has_length = delivered > 0;
        p->length_low = p->has_length ? (double)((lengths + 2 * open) / (delivered + open)) : 0;
        p->length_high =
            p->has_length
                ? (double)((lengths + (long double)length_bound * open) / (delivered + open))
                : 0;
    }
}

typedef struct clock_limit {
    double end; /* on the monotonic clock; <= 0: none */
    const atomic_bool *stop;
} clock_limit;

static bool is_over(void *user)
{
    const clock_limit *limit = user;
    return (limit->end > 0 && fl_seconds_now() >= limit->end) ||
           (limit->stop && atomic_load_explicit(limit->stop, memory_order_relaxed));
}

static fl_status explore_pairs(fl_explorer *explorer, const fl_router_pair_class *pairs,
                               uint64_t count, clock_limit *limit, sums *out, fl_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        fl_exploration pair;
        if (is_over(limit))
            return fl_fail(error, FL_ERR_STOPPED, "stopped");
        fl_status status =
            fl_explorer_run(explorer, pairs[i].source, pairs[i].destination, &pair, error);
        if (status)
            return status;
        if (!add_pair(out, &pair, pairs[i].weight))
            return fl_fail(error, FL_ERR_MEMORY, "out of memory for the sums");
    }
    return FL_OK;
}

/* One pass over all pairs. FL_ERR_STOPPED: nothing was found out. */
static fl_status explore_once(const fl_bound_sweep *bound, const fl_router *router,
                              const fl_exact_options *options, double prune, clock_limit *limit,
                              fl_exact_curve *curve, fl_error *error)
{
    fl_explorer_limits limits = {.prune = prune,
                                 .states_max = options->states_max,
                                 .unmerged = options->unmerged,
                                 .should_stop = is_over,
                                 .user = limit};
    fl_explorer *explorer = NULL;
    fl_router_pair_class *pairs = NULL;
    sums *s = calloc(1, sizeof *s);
    uint64_t count, length_bound = fl_router_length_bound(router);
    fl_status status =
        s ? fl_router_pair_classes(&pairs, &count, router, bound->model, options->every_pair, error)
          : fl_fail(error, FL_ERR_MEMORY, "out of memory for the sums");
    if (!status)
        status = fl_explorer_create(&explorer, router, bound->model, &limits, error);
    if (!status)
        status = explore_pairs(explorer, pairs, count, limit, s, error);
    if (!status) {
        evaluate(s, bound, length_bound ? length_bound : FL_STEPS_MAX, curve->points);
        curve->states = fl_explorer_states(explorer);
        curve->integers = fl_explorer_is_complete(explorer);
        curve->pair_classes = count;
        curve->prune = prune;
    }
    fl_explorer_destroy(explorer);
    if (s)
        clear_sums(s);
    free(s);
    free(pairs);
    return status;
}

static double widest(const fl_exact_curve *curve, uint32_t fault_points)
{
    double width = 0;
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++) {
        double own =
            curve->points[fault_point].success_high - curve->points[fault_point].success_low;
        width = own > width ? own : width;
    }
    return width;
}

/* Nothing is known yet. */
static void set_trivial_bounds(fl_exact_curve *curve, uint32_t fault_points)
{
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
        curve->points[fault_point] = (fl_exact_point){.success_low = 0, .success_high = 1};
    curve->prune = 1;
}

/* From coarse to fine, as long as there is time: each pass leaves out less. */
static fl_status find_bounds(const fl_bound_sweep *bound, const fl_router *router,
                             const fl_exact_options *options, clock_limit *limit,
                             fl_exact_curve *curve, fl_error *error)
{
    uint32_t fault_points = fl_fault_model_fault_points(bound->model);
    for (double prune = 1e-3; prune > 1e-18; prune /= 4) {
        fl_status status = explore_once(bound, router, options, prune, limit, curve, error);
        if (status == FL_ERR_STOPPED)
            break;
        if (status)
            return status;
        if (widest(curve, fault_points) <= options->tolerance)
            break;
    }
    return FL_OK;
}

/* ---- limit ---- */

bool fl_exact_serves(const fl_bound_sweep *bound, unsigned router)
{
    fl_limit_kind kind = bound->routers[router]->type->limit;
    if (fl_fault_model_is_list(bound->model))
        return kind == FL_NO_LIMIT || fl_limit_check(bound->network, NULL) == FL_OK;
    bool links = strncmp(fl_fault_model_spec(bound->model), "links", 5) == 0;
    if (kind == FL_LIMIT_MINIMAL_PATHS)
        return links && fl_limit_check(bound->network, NULL) == FL_OK;
    bool every_link = links && fl_fault_model_components(bound->model) == bound->network->links;
    return kind == FL_NO_LIMIT || (kind == FL_LIMIT_ANY_PATH && every_link &&
                                   bound->network->links <= FL_EXPLORED_COMPONENTS_MAX);
}

static bool go_on(void *user, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    return !is_over(user);
}

/* probability[f] that exactly f of `links` links are down: C(links, f) p^f (1 - p)^(links - f),
 * factor by factor. */
static void rate_weights(long double p, uint64_t links, long double *probability)
{
    for (uint64_t f = 0; f <= links; f++) {
        probability[f] = 1;
        for (uint64_t i = 0; i < links; i++)
            probability[f] *= i < f ? p * (long double)(links - i) / (long double)(i + 1) : 1 - p;
    }
}

/* Success at a fault point; success[f] when exactly f of `links` links are down. `weight` is
 * scratch. */
static long double success_at(const fl_fault_model *model, uint32_t fault_point,
                              const long double *success, uint64_t links, long double *weight)
{
    uint64_t count;
    if (fl_fault_model_count_at(model, fault_point, &count))
        return success[count];
    long double sum = 0;
    rate_weights((long double)fl_fault_model_rate_at(model, fault_point), links, weight);
    for (uint64_t f = 0; f <= links; f++)
        sum += weight[f] * success[f];
    return sum;
}

/* The limit's success is the two-terminal reliability of the network. */
static fl_status find_limit_success(const fl_bound_sweep *bound, const fl_exact_options *options,
                                    clock_limit *time_limit, fl_exact_curve *curve, fl_error *error)
{
    size_t size = bound->network->links + 1;
    long double *success = calloc(2 * size, sizeof *success);
    fl_reliability_options work = {
        .memory_limit = options->states_max * BYTES_A_STATE, .progress = go_on, .user = time_limit};
    fl_reliability_report report;
    if (!success)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the limit");
    fl_status status = fl_reliability_all_pairs(success, &report, bound->network, &work, error);
    for (uint32_t i = 0; !status && i < fl_fault_model_fault_points(bound->model); i++) {
        double value = (double)success_at(bound->model, i, success, size - 1, success + size);
        curve->points[i] = (fl_exact_point){.success_low = value, .success_high = value};
    }
    if (!status) {
        curve->prune = 0;
        curve->states = report.states;
        curve->pair_classes = report.pairs;
    }
    free(success);
    return status;
}

/* Ends a sweep when the time is over. */
typedef struct sampling {
    clock_limit *time_limit;
    atomic_bool over;
} sampling;

static void check_time(void *user, uint64_t done, uint64_t trials)
{
    sampling *s = user;
    (void)done, (void)trials;
    if (is_over(s->time_limit))
        atomic_store(&s->over, true);
}

/* The limit's path lengths are those of a sweep, with the 95% interval of each mean. */
static fl_status sample_limit_lengths(const fl_bound_sweep *bound, unsigned router,
                                      const fl_exact_options *options, clock_limit *time_limit,
                                      fl_exact_curve *curve, fl_error *error)
{
    uint32_t fault_points = fl_fault_model_fault_points(bound->model);
    sampling watch = {.time_limit = time_limit};
    fl_sweep sweep = {.network = bound->network,
                      .model = bound->model,
                      .routers = &bound->routers[router],
                      .router_count = 1,
                      .seed = options->seed,
                      .trials = options->trials,
                      .threads = 1,
                      .stop = &watch.over,
                      .progress = check_time,
                      .user = &watch};
    fl_counts *counts = fl_counts_create(1, fault_points);
    if (!counts)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the path lengths of the limit");
    fl_status status = fl_sweep_run(&sweep, counts, error);
    for (uint32_t i = 0; !status && i < fault_points; i++) {
        const fl_count *count = &counts->of[i];
        fl_exact_point *p = &curve->points[i];
        fl_interval interval;
        p->has_length = fl_stats_mean_interval(count->delivered, (double)count->length_sum,
                                               (double)count->length_squares, FL_Z95, &interval);
        p->length_low = p->has_length ? interval.low : 0;
        p->length_high = p->has_length ? interval.high : 0;
    }
    curve->length_is_sampled = true;
    curve->length_trials = counts->trials;
    curve->length_seed = options->seed;
    fl_counts_destroy(counts);
    return status;
}

static fl_status run_limit(const fl_bound_sweep *bound, unsigned router,
                           const fl_exact_options *options, clock_limit *time_limit,
                           fl_exact_curve *curve, fl_error *error)
{
    fl_status status = find_limit_success(bound, options, time_limit, curve, error);
    if (!status && options->trials > 0)
        status = sample_limit_lengths(bound, router, options, time_limit, curve, error);
    if (!status && time_limit->stop && atomic_load(time_limit->stop))
        return fl_fail(error, FL_ERR_STOPPED, "stopped");
    return status; /* FL_ERR_STOPPED: the trivial bounds stay */
}

/* Adds the pairs up; one of each class where the network's symmetry is known. */
static fl_status add_minimal_pairs(fl_minimal_paths *paths, const fl_bound_sweep *bound,
                                   bool every_pair, clock_limit *limit, sums *out, uint64_t *pairs,
                                   fl_error *error)
{
    fl_pair_class classes[FL_PAIR_CLASSES_MAX];
    uint64_t nodes = bound->network->nodes;
    unsigned count = every_pair || !fl_fault_model_is_symmetric(bound->model)
                         ? 0
                         : fl_pair_classes(bound->network, classes);
    *pairs = count ? count : nodes * (nodes - 1);
    for (uint64_t i = 0; i < *pairs; i++) {
        fl_exploration pair;
        uint64_t source = i / (nodes - 1), other = i % (nodes - 1);
        fl_pair_class next =
            count ? classes[i] : (fl_pair_class){source, other + (other >= source), 1};
        if (is_over(limit))
            return fl_fail(error, FL_ERR_STOPPED, "stopped");
        fl_status status = fl_minimal_paths_run(paths, next.source, next.target, &pair, error);
        if (status)
            return status;
        if (!add_pair(out, &pair, (double)next.pairs))
            return fl_fail(error, FL_ERR_MEMORY, "out of memory for the sums");
    }
    return FL_OK;
}

static fl_status run_minimal_limit(const fl_bound_sweep *bound, const fl_exact_options *options,
                                   clock_limit *limit, fl_exact_curve *curve, fl_error *error)
{
    fl_minimal_paths *paths = NULL;
    sums *s = calloc(1, sizeof *s);
    uint64_t pairs;
    fl_status status = s ? fl_minimal_paths_create(&paths, bound->network, bound->model,
                                                   options->states_max * BYTES_A_STATE,
                                                   &(fl_exact_time_limit){is_over, limit}, error)
                         : fl_fail(error, FL_ERR_MEMORY, "out of memory for the sums");
    if (!status)
        status = add_minimal_pairs(paths, bound, options->every_pair, limit, s, &pairs, error);
    if (!status) {
        evaluate(s, bound, bound->network->links, curve->points);
        curve->states = fl_minimal_paths_states(paths);
        curve->integers = fl_minimal_paths_are_complete(paths);
        curve->pair_classes = pairs;
        curve->prune = 0;
    }
    fl_minimal_paths_destroy(paths);
    if (s)
        clear_sums(s);
    free(s);
    return status; /* FL_ERR_STOPPED: the trivial bounds stay */
}

static bool is_exact(const fl_exact_curve *curve, uint32_t fault_points)
{
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++) {
        const fl_exact_point *p = &curve->points[fault_point];
        if (p->success_low != p->success_high ||
            (!curve->length_is_sampled && p->length_low != p->length_high))
            return false;
    }
    return true;
}

static fl_status run_without_decisions(const fl_bound_sweep *bound, unsigned router,
                                       const fl_exact_options *options, clock_limit *limit,
                                       fl_exact_curve *curve, fl_error *error)
{
    if (fl_fault_model_is_list(bound->model))
        return fl_exact_run_list(bound, router, &(fl_exact_time_limit){is_over, limit}, curve,
                                 error);
    return bound->routers[router]->type->limit == FL_LIMIT_MINIMAL_PATHS
               ? run_minimal_limit(bound, options, limit, curve, error)
               : run_limit(bound, router, options, limit, curve, error);
}

fl_status fl_exact_run(const fl_bound_sweep *bound, unsigned router,
                       const fl_exact_options *options, fl_exact_curve *curve, fl_error *error)
{
    const fl_router *r = bound->routers[router];
    double start = fl_seconds_now();
    uint32_t fault_points = fl_fault_model_fault_points(bound->model);
    set_trivial_bounds(curve, fault_points);
    /* Half of the time for the exact curve; if it is not enough, the other half for bounds. */
    clock_limit limit = {.end = options->budget > 0 ? start + options->budget / 2 : 0,
                         .stop = options->stop};
    fl_status status = FL_OK;
    if (r->type->limit || fl_fault_model_is_list(bound->model)) {
        limit.end = options->budget > 0 ? start + options->budget : 0;
        status = run_without_decisions(bound, router, options, &limit, curve, error);
        bool ended = options->stop && atomic_load(options->stop);
        curve->exact = status == FL_OK && is_exact(curve, fault_points);
        curve->seconds = fl_seconds_now() - start;
        return status == FL_ERR_STOPPED && !ended ? FL_OK : status;
    }
    status = explore_once(bound, r, options, 0, &limit, curve, error);
    if (status == FL_ERR_STOPPED && !(options->stop && atomic_load(options->stop))) {
        limit.end = options->budget > 0 ? start + options->budget : 0;
        status = find_bounds(bound, r, options, &limit, curve, error);
    }
    curve->exact = status == FL_OK && curve->prune == 0;
    curve->seconds = fl_seconds_now() - start;
    return status;
}
