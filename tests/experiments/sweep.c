/* experiments: the sweep over fault points, against exact values, closed forms, and the reference
 * method of walking the router at every fault point. */
#include "experiments/sweep/private.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>

/* ---- running ---- */

typedef struct crowd {
    unsigned count;
    fl_router *of[FL_SWEEP_ROUTERS_MAX];
} crowd;

static crowd need_crowd(const fl_network *network, const char *const *names, unsigned count,
                        fl_scope scope)
{
    crowd c = {.count = count};
    for (unsigned i = 0; i < count; i++)
        c.of[i] = need_router(network, names[i], scope);
    return c;
}

/* Every set of rules that the network does not refuse: 22 on a MiKANT with n >= 3. */
static crowd everyone(const fl_network *network, bool mikant, unsigned n, fl_scope scope)
{
    crowd c = {0};
    rule_sets sets;
    list_rule_sets(mikant, n, &sets);
    for (; c.count < sets.count; c.count++)
        c.of[c.count] = need_router(network, sets.names[c.count], scope);
    return c;
}

static void free_crowd(crowd *c)
{
    for (unsigned i = 0; i < c->count; i++)
        fl_router_destroy(c->of[i]);
}

static fl_counts *need_counts(const fl_sweep *sweep)
{
    fl_counts *counts =
        fl_counts_create(sweep->router_count, fl_fault_model_fault_points(sweep->model));
    cr_assert(counts != NULL, "out of memory");
    return counts;
}

static fl_counts *need_sweep(const fl_sweep *sweep)
{
    fl_counts *counts = need_counts(sweep);
    fl_error error = {.text = ""};
    cr_assert(fl_sweep_run(sweep, counts, &error) == FL_OK, "%s", error.text);
    cr_assert(counts->first_trial == sweep->first_trial && counts->trials == sweep->trials,
              "all trials are in");
    return counts;
}

static const fl_count *count_of(const fl_counts *counts, unsigned router, uint32_t fault_point)
{
    return &counts->of[router * counts->fault_points + fault_point];
}

static size_t both_size(const fl_counts *counts)
{
    return (size_t)counts->routers * (counts->routers - 1) / 2 * counts->fault_points;
}

static bool same_counts(const fl_counts *a, const fl_counts *b)
{
    return memcmp(a->of, b->of, (size_t)a->routers * a->fault_points * sizeof *a->of) == 0 &&
           memcmp(a->both, b->both, both_size(a) * sizeof *a->both) == 0;
}

static uint64_t all_of(const fl_count *count)
{
    uint64_t sum = count->delivered;
    for (int reason = 0; reason < FL_REASONS; reason++)
        sum += count->blocked[reason];
    return sum;
}

/* ---- (a) the exact values of docs/algorithms.md ---- */

typedef struct exact {
    const char *set;
    double success[4], length[4];
} exact;

static const exact mikant_table[] = {
    {"shortest", {.962124, .671929, .170294, .015535}, {5.1072, 5.0479, 4.7426, 3.7002}},
    {"gns", {.968414, .717873, .217585, .019216}, {5.1221, 5.1973, 5.3001, 4.3610}},
    {"gdl", {.969252, .724366, .220685, .019089}, {5.1229, 5.2040, 5.2714, 4.2535}},
    {"three-turn", {.968414, .717694, .212449, .017822}, {5.1221, 5.1968, 5.2588, 4.1627}},
    {"gns+gdl", {.975542, .773687, .283163, .023906}, {5.1375, 5.3516, 5.8280, 4.9323}},
    {"adaptive-up", {.971768, .743552, .253273, .027407}, {5.1105, 5.0832, 4.9345, 4.3023}},
};

static const exact tree_table[] = {
    {"shortest", {.499283}, {4.9875}},    {"gns", {.544935}, {5.2399}},
    {"gdl", {.614886}, {5.5099}},         {"three-turn", {.614886}, {5.5099}},
    {"adaptive-up", {.616330}, {5.1162}}, {"gns+gdl", {.673303}, {5.7660}},
};

/* Within 4 standard errors, and half of the last printed digit. 60 values are compared in all: a
 * correct sweep misses one of them for 4 in 1000 seeds. */
static void expect_exact(const fl_count *count, uint64_t trials, const char *set, uint64_t f,
                         double success, double length)
{
    double ratio = (double)count->delivered / (double)trials,
           error = sqrt(success * (1 - success) / (double)trials);
    cr_expect(fabs(ratio - success) <= 4 * error + 5e-7,
              "%s, f = %d: success %.6f, exact %.6f, %.1f standard errors off", set, (int)f, ratio,
              success, (ratio - success) / error);
    fl_interval mean;
    cr_assert(fl_stats_mean_interval(count->delivered, (double)count->length_sum,
                                     (double)count->length_squares, 4, &mean),
              "enough");
    cr_expect(length >= mean.low - 5e-5 && length <= mean.high + 5e-5,
              "%s, f = %d: length %.4f to %.4f, exact %.4f", set, (int)f, mean.low, mean.high,
              length);
}

static void expect_table(const char *network_spec, const exact *table, uint32_t fault_points,
                         const uint64_t *faults)
{
    const uint64_t trials = 1000000;
    const char *names[6];
    for (int i = 0; i < 6; i++)
        names[i] = table[i].set;
    fl_network *network = need_network(network_spec);
    fl_axis axis = {.fault_points = fault_points, .counts = faults};
    fl_fault_model *model = need_model(network, "links", &axis);
    crowd c = need_crowd(network, names, 6, FL_SCOPE_DETOUR);
    fl_sweep sweep = {.network = network,
                      .model = model,
                      .routers = c.of,
                      .router_count = 6,
                      .seed = 1,
                      .trials = trials,
                      .threads = 2};
    fl_counts *counts = need_sweep(&sweep);
    for (unsigned r = 0; r < 6; r++)
        for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
            expect_exact(count_of(counts, r, fault_point), trials, names[r], faults[fault_point],
                         table[r].success[fault_point], table[r].length[fault_point]);
    fl_counts_destroy(counts);
    free_crowd(&c);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

Test(exact, mikant_3_3_in_a_million_trials)
{
    expect_table("mikant:k=3,n=3", mikant_table, 4, (uint64_t[]){1, 10, 40, 80});
}

Test(exact, three_ary_3_tree_in_a_million_trials)
{
    expect_table("kary-ntree:k=3,n=3", tree_table, 1, (uint64_t[]){10});
}

/* ---- (b) the closed form of `shortest` at every fault count ---- */

enum { LENGTHS_MAX = 32 };

/* Ordered pairs of different nodes by distance. */
static void count_lengths(const fl_network *network, double pairs[LENGTHS_MAX])
{
    fl_graph *graph;
    cr_assert(fl_graph_create(&graph, network, NULL) == FL_OK, "a graph");
    uint32_t *distance = need_memory(graph->vertices, sizeof *distance),
             *queue = need_memory(graph->vertices, sizeof *queue);
    for (int h = 0; h < LENGTHS_MAX; h++)
        pairs[h] = 0;
    for (uint64_t s = 0; s < graph->nodes; s++) {
        fl_graph_distances(graph, s, distance, queue);
        for (uint64_t t = 0; t < graph->nodes; t++)
            if (s != t)
                pairs[distance[t]]++;
    }
    free(distance);
    free(queue);
    fl_graph_destroy(graph);
}

/* Success: exact binomial p-value above that of 4.5 standard errors. Length: within 4.5 standard
 * errors where at least 1000 packets arrived. About 2000 values are compared in all: a correct
 * sweep misses one of them for 1 in 70 seeds. */
static void expect_closed_form(const char *network_spec, const double pairs[LENGTHS_MAX],
                               uint64_t links, uint64_t f, const fl_count *count, uint64_t trials)
{
    double all = 0, success = 0, length = 0;
    for (uint64_t h = 0; h < LENGTHS_MAX; h++) {
        double p = all_up(links, h, f);
        all += pairs[h];
        success += pairs[h] * p;
        length += pairs[h] * p * (double)h;
    }
    double p_value = binomial_p_value(count->delivered, trials, success / all);
    cr_expect(p_value > 6.8e-6, "%s, f = %d: %d of %d delivered, expected %.7f; p = %g",
              network_spec, (int)f, (int)count->delivered, (int)trials, success / all, p_value);
    fl_interval mean;
    if (count->delivered >= 1000 &&
        fl_stats_mean_interval(count->delivered, (double)count->length_sum,
                               (double)count->length_squares, 4.5, &mean))
        cr_expect(length / success >= mean.low && length / success <= mean.high,
                  "%s, f = %d: length %.4f to %.4f, expected %.4f", network_spec, (int)f, mean.low,
                  mean.high, length / success);
}

static void expect_closed_form_at_every_f(const char *network_spec, uint64_t seed)
{
    const uint64_t trials = 200000;
    double pairs[LENGTHS_MAX];
    fl_network *network = need_network(network_spec);
    fl_axis axis = every_count(network->links);
    fl_fault_model *model = need_model(network, "links", &axis);
    crowd c = need_crowd(network, (const char *const[]){"shortest"}, 1, FL_SCOPE_DETOUR);
    fl_sweep sweep = {.network = network,
                      .model = model,
                      .routers = c.of,
                      .router_count = 1,
                      .seed = seed,
                      .trials = trials,
                      .threads = 2};
    fl_counts *counts = need_sweep(&sweep);
    count_lengths(network, pairs);
    for (uint32_t f = 0; f < axis.fault_points; f++)
        expect_closed_form(network_spec, pairs, network->links, f, count_of(counts, 0, f), trials);
    fl_counts_destroy(counts);
    free_crowd(&c);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

Test(closed_form, of_shortest_holds_at_every_fault_count)
{
    static const char *const specs[] = {"mikant:k=2,n=2",     "mikant:k=3,n=3",
                                        "mikant:k=4,n=3",     "mikant:k=3,n=4",
                                        "kary-ntree:k=2,n=3", "kary-ntree:k=3,n=3"};
    for (uint64_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        expect_closed_form_at_every_f(specs[i], i);
}

/* ---- (c) no faults ---- */

Test(no_faults, the_sampled_mean_length_of_mikant_3_3_is_271_53)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_axis axis = every_count(0);
    fl_fault_model *model = need_model(network, "links", &axis);
    crowd c = need_crowd(network, (const char *const[]){"shortest", "gns+gdl"}, 2, FL_SCOPE_DETOUR);
    fl_sweep sweep = {.network = network,
                      .model = model,
                      .routers = c.of,
                      .router_count = 2,
                      .seed = 0,
                      .trials = 1000000,
                      .threads = 2};
    fl_counts *counts = need_sweep(&sweep);
    const fl_count *count = count_of(counts, 0, 0);
    fl_interval mean;
    cr_expect(count->delivered == sweep.trials, "everything is delivered");
    cr_assert(fl_stats_mean_interval(count->delivered, (double)count->length_sum,
                                     (double)count->length_squares, 4, &mean),
              "enough");
    cr_expect(mean.low <= 271. / 53 && mean.high >= 271. / 53, "%.5f to %.5f", mean.low, mean.high);
    cr_expect(memcmp(count, count_of(counts, 1, 0), sizeof *count) == 0,
              "and detour rules change nothing");
    fl_counts_destroy(counts);
    free_crowd(&c);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

Test(no_faults, the_mean_length_over_all_pairs_of_mikant_3_3_is_exactly_271_53)
{
    twin *t = need_twin(true, 3, 3);
    fl_order *order = need_twin_order(t);
    fl_router *router = need_router(t->network, "shortest", FL_SCOPE_DETOUR);
    uint64_t sum = 0, pairs = 0;
    for (uint64_t s = 0; s < t->network->nodes; s++)
        for (uint64_t d = 0; d < t->network->nodes; d++) {
            fl_view view = {.network = t->network, .order = order, .holds_until = FL_NEVER_FAILS};
            fl_walk_result result;
            if (s == d)
                continue;
            cr_assert(fl_walk(router, &view, t->address[s], t->address[d], NULL, NULL, &result,
                              NULL) == FL_OK &&
                          result.delivered,
                      "delivered");
            sum += result.length;
            pairs++;
        }
    cr_expect(pairs == 54 * 53 && sum * 53 == pairs * 271, "%d / %d", (int)sum, (int)pairs);
    fl_router_destroy(router);
    fl_order_destroy(order);
    free_twin(t);
}

/* ---- (d) the replay equals the reference method ---- */

/* An explicit list of all links in random order: the order in which links fail is then the same,
 * whatever the order of questions. */
static fl_fault_model *need_shuffled_model(const fl_network *network, const fl_axis *axis,
                                           uint64_t seed)
{
    fl_rng rng;
    fl_text spec = {0};
    uint64_t *links = need_memory(network->links, sizeof *links);
    fl_rng_seed_raw(&rng, seed, 1);
    for (uint64_t i = 0; i < network->links; i++)
        links[i] = i;
    fl_text_append(&spec, "list:");
    for (uint64_t left = network->links; left > 0; left--) {
        uint64_t at = fl_rng_below(&rng, left);
        fl_text_append(&spec, "%llu;", (unsigned long long)links[at]);
        links[at] = links[left - 1];
    }
    free(links);
    fl_fault_model *model = need_model(network, spec.data, axis);
    fl_text_clear(&spec);
    return model;
}

/* As the sweep draws it: source, then one of the other nodes. */
static void pair_of_trial(const fl_sweep *sweep, uint64_t trial, fl_address *source,
                          fl_address *destination)
{
    fl_rng rng;
    fl_rng_seed(&rng, sweep->seed, FL_PURPOSE_PAIRS, trial);
    uint64_t nodes = sweep->network->nodes, s = fl_rng_below(&rng, nodes),
             d = fl_rng_below(&rng, nodes - 1);
    *source = sweep->network->type->node_address(sweep->network, s);
    *destination = sweep->network->type->node_address(sweep->network, d + (d >= s));
}

/* One trial in which every router is walked at every fault point from the start. */
static void count_by_reference(const fl_sweep *sweep, fl_order *order, uint64_t trial,
                               fl_counts *counts)
{
    fl_address source, destination;
    pair_of_trial(sweep, trial, &source, &destination);
    fl_order_begin(order, sweep->seed, trial);
    for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++) {
        bool delivered[FL_SWEEP_ROUTERS_MAX];
        for (unsigned r = 0; r < sweep->router_count; r++) {
            const fl_router *router = sweep->routers[r];
            fl_view view = {.network = sweep->network,
                            .order = order,
                            .fault_point = fault_point,
                            .enabled_rules = router->enabled_rules,
                            .scope = router->scope,
                            .holds_until = FL_NEVER_FAILS};
            fl_walk_result result;
            fl_error error = {.text = ""};
            cr_assert(fl_walk(router, &view, source, destination, NULL, NULL, &result, &error) ==
                          FL_OK,
                      "%s", error.text);
            fl_count *count = &counts->of[r * counts->fault_points + fault_point];
            delivered[r] = result.delivered;
            count->delivered += result.delivered;
            count->length_sum += result.length;
            count->length_squares += (uint64_t)result.length * result.length;
            if (!result.delivered)
                count->blocked[result.reason]++;
            for (unsigned a = 0; a < r; a++)
                counts->both[(size_t)fl_counts_pair(a, r) * counts->fault_points + fault_point] +=
                    delivered[a] && delivered[r];
        }
    }
}

static void clear_counts(fl_counts *counts)
{
    memset(counts->of, 0, (size_t)counts->routers * counts->fault_points * sizeof *counts->of);
    memset(counts->both, 0, both_size(counts) * sizeof *counts->both);
}

static void compare_trials(fl_sweep *sweep, uint64_t trials)
{
    fl_order *order = need_order(sweep->model);
    fl_counts *reference = need_counts(sweep), *clever = need_counts(sweep);
    fl_error error = {.text = ""};
    sweep->trials = 1;
    for (uint64_t trial = 0; trial < trials; trial++) {
        clear_counts(reference);
        clear_counts(clever);
        sweep->first_trial = trial;
        count_by_reference(sweep, order, trial, reference);
        cr_assert(fl_sweep_run(sweep, clever, &error) == FL_OK, "%s", error.text);
        for (unsigned r = 0; r < sweep->router_count; r++)
            for (uint32_t fault_point = 0; fault_point < reference->fault_points; fault_point++)
                cr_assert(memcmp(count_of(reference, r, fault_point),
                                 count_of(clever, r, fault_point), sizeof(fl_count)) == 0,
                          "%s, %s, scope %s, seed %d, trial %d, level %u", sweep->network->spec,
                          sweep->routers[r]->name, fl_scope_names[sweep->routers[r]->scope],
                          (int)sweep->seed, (int)trial, fault_point);
        cr_assert(same_counts(reference, clever), "%s: both delivered, seed %d, trial %d",
                  sweep->network->spec, (int)sweep->seed, (int)trial);
    }
    fl_counts_destroy(reference);
    fl_counts_destroy(clever);
    fl_order_destroy(order);
}

static void expect_reference(bool mikant, unsigned k, unsigned n, fl_scope scope, uint64_t orders,
                             uint64_t trials)
{
    fl_network *network = need_tree(mikant, k, n);
    fl_axis axis = every_count(network->links);
    crowd c = everyone(network, mikant, n, scope);
    for (uint64_t i = 0; i < orders; i++) {
        fl_fault_model *model = need_shuffled_model(network, &axis, i);
        fl_sweep sweep = {.network = network,
                          .model = model,
                          .routers = c.of,
                          .router_count = c.count,
                          .seed = i,
                          .threads = 1};
        compare_trials(&sweep, trials);
        fl_fault_model_destroy(model);
    }
    free_crowd(&c);
    free_axis(&axis);
    fl_network_destroy(network);
}

Test(replay, equals_asking_at_every_fault_point_on_mikant_3_3)
{
    expect_reference(true, 3, 3, FL_SCOPE_DETOUR, TEST_ROUNDS(100), 10);
}

Test(replay, equals_asking_at_every_fault_point_on_mikant_3_3_in_scope_local)
{
    expect_reference(true, 3, 3, FL_SCOPE_LOCAL, TEST_ROUNDS(100), 10);
}

Test(replay, equals_asking_at_every_fault_point_on_the_3_ary_3_tree)
{
    expect_reference(false, 3, 3, FL_SCOPE_DETOUR, TEST_ROUNDS(100), 10);
}

Test(replay, equals_asking_at_every_fault_point_on_the_3_ary_3_tree_in_scope_local)
{
    expect_reference(false, 3, 3, FL_SCOPE_LOCAL, TEST_ROUNDS(100), 10);
}

Test(replay, equals_asking_at_every_fault_point_on_small_and_tall_networks)
{
    expect_reference(true, 2, 2, FL_SCOPE_DETOUR, TEST_ROUNDS(100), 10);
    expect_reference(true, 3, 1, FL_SCOPE_LOCAL, TEST_ROUNDS(20), 10);
    expect_reference(true, 2, 5, FL_SCOPE_DETOUR, TEST_ROUNDS(20), 10);
    expect_reference(false, 2, 5, FL_SCOPE_LOCAL, TEST_ROUNDS(20), 10);
}

/* ---- (e) the division of the work does not matter ---- */

static fl_sweep need_published_sweep(crowd *c, uint64_t trials)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_axis axis = every_count(network->links);
    fl_fault_model *model = need_model(network, "links", &axis);
    free_axis(&axis);
    *c = everyone(network, true, 3, FL_SCOPE_DETOUR);
    return (fl_sweep){.network = network,
                      .model = model,
                      .routers = c->of,
                      .router_count = c->count,
                      .seed = 7,
                      .trials = trials,
                      .threads = 1};
}

static void free_published_sweep(fl_sweep *sweep, crowd *c)
{
    free_crowd(c);
    fl_fault_model_destroy((fl_fault_model *)sweep->model);
    fl_network_destroy((fl_network *)sweep->network);
}

Test(determinism, any_number_of_threads_gives_the_same_counts)
{
    static const unsigned threads[] = {0, 2, 3, 8};
    crowd c;
    fl_sweep sweep = need_published_sweep(&c, 10007);
    fl_counts *one = need_sweep(&sweep);
    for (size_t i = 0; i < 4; i++) {
        sweep.threads = threads[i];
        fl_counts *many = need_sweep(&sweep);
        cr_expect(same_counts(one, many), "%u threads", threads[i]);
        fl_counts_destroy(many);
    }
    fl_counts_destroy(one);
    free_published_sweep(&sweep, &c);
}

Test(determinism, ranges_of_trials_add_up)
{
    static const uint64_t ends[] = {1, 2, 500, 3000, 10007};
    crowd c;
    fl_sweep sweep = need_published_sweep(&c, 10007);
    fl_counts *complete = need_sweep(&sweep), *sum = need_counts(&sweep);
    for (uint64_t i = 0, first = 0; i < 5; first = ends[i++]) {
        fl_error error = {.text = ""};
        sweep.first_trial = first;
        sweep.trials = ends[i] - first;
        sweep.threads = 1 + (unsigned)i % 3;
        /* The sweep adds to the counts that it is given. */
        cr_assert(fl_sweep_run(&sweep, sum, &error) == FL_OK, "%s", error.text);
        cr_expect(sum->first_trial == first && sum->trials == ends[i] - first,
                  "it says which trials it ran");
    }
    cr_expect(same_counts(complete, sum), "the parts are the whole");
    fl_counts_destroy(complete);
    fl_counts_destroy(sum);
    free_published_sweep(&sweep, &c);
}

Test(determinism, seeds_give_different_trials)
{
    crowd c;
    fl_sweep sweep = need_published_sweep(&c, 1000);
    fl_counts *counts[4];
    for (uint64_t seed = 0; seed < 4; seed++) {
        sweep.seed = seed < 3 ? seed : UINT64_MAX;
        counts[seed] = need_sweep(&sweep);
        for (uint64_t other = 0; other < seed; other++)
            cr_expect(!same_counts(counts[other], counts[seed]), "seeds %d and %d", (int)other,
                      (int)seed);
    }
    for (int i = 0; i < 4; i++)
        fl_counts_destroy(counts[i]);
    free_published_sweep(&sweep, &c);
}

/* ---- ended early ---- */

typedef struct ending {
    atomic_bool stop;
    unsigned calls;
    uint64_t done, trials;
} ending;

static void end_soon(void *user, uint64_t done, uint64_t trials)
{
    ending *e = user;
    cr_expect(done >= e->done && done <= trials, "progress grows");
    e->done = done;
    e->trials = trials;
    if (++e->calls == 2)
        atomic_store(&e->stop, true);
}

Test(stopping, leaves_the_first_so_many_trials)
{
    crowd c;
    ending e = {.stop = false};
    fl_sweep sweep = need_published_sweep(&c, UINT64_C(1) << 40);
    sweep.threads = 2;
    sweep.stop = &e.stop;
    sweep.progress = end_soon;
    sweep.user = &e;
    fl_counts *stopped = need_counts(&sweep);
    fl_error error = {.text = ""};
    cr_assert(fl_sweep_run(&sweep, stopped, &error) == FL_OK, "%s", error.text);
    cr_assert(stopped->trials > 0 && stopped->trials < sweep.trials && e.trials == sweep.trials,
              "%d trials are in", (int)stopped->trials);
    cr_expect(all_of(count_of(stopped, 0, 0)) == stopped->trials, "as many as it says");
    sweep.stop = NULL;
    sweep.progress = NULL;
    sweep.trials = stopped->trials;
    fl_counts *same = need_sweep(&sweep);
    cr_expect(same_counts(stopped, same), "they are the first trials");
    fl_counts_destroy(stopped);
    fl_counts_destroy(same);
    free_published_sweep(&sweep, &c);
}

Test(stopping, before_the_start_leaves_nothing)
{
    crowd c;
    ending e = {.stop = true};
    fl_sweep sweep = need_published_sweep(&c, 1000);
    sweep.stop = &e.stop;
    fl_counts *counts = need_counts(&sweep);
    cr_assert(fl_sweep_run(&sweep, counts, NULL) == FL_OK, "no error");
    cr_expect(counts->trials == 0 && all_of(count_of(counts, 0, 0)) == 0, "nothing is in");
    fl_counts_destroy(counts);
    free_published_sweep(&sweep, &c);
}

Test(stopping, no_trials_are_no_counts)
{
    crowd c;
    fl_sweep sweep = need_published_sweep(&c, 0);
    fl_counts *counts = need_sweep(&sweep);
    cr_expect(all_of(count_of(counts, 0, 0)) == 0, "nothing is in");
    fl_counts_destroy(counts);
    free_published_sweep(&sweep, &c);
}

/* ---- (f) tallies ---- */

/* One trial as a sweep counts it: groups of routers hold an outcome over ranges of fault points and
 * split at random places. `reference` gets the same, router by router and point by point. */
static void book_at_random(fl_tally *tally, fl_counts *reference, fl_rng *rng)
{
    uint64_t groups[FL_SWEEP_ROUTERS_MAX];
    uint32_t firsts[FL_SWEEP_ROUTERS_MAX], fault_points = reference->fault_points;
    unsigned jobs = 1;
    bool *delivered = need_memory((size_t)reference->routers * fault_points, sizeof *delivered);
    groups[0] = reference->routers < 64 ? (UINT64_C(1) << reference->routers) - 1 : UINT64_MAX;
    firsts[0] = 0;
    while (jobs > 0) {
        uint64_t group = groups[--jobs];
        for (uint32_t first = firsts[jobs]; first < fault_points;) {
            uint64_t part = group & fl_rng_next64(rng);
            if (part && part != group && fl_rng_below(rng, 4) == 0) {
                groups[jobs] = group & ~part;
                firsts[jobs++] = first;
                group = part;
            }
            uint32_t end = first + 1 + (uint32_t)fl_rng_below(rng, fault_points),
                     length = 2 + (uint32_t)fl_rng_below(rng, 12);
            fl_reason reason = (fl_reason)fl_rng_below(rng, FL_REASONS);
            bool arrives = fl_rng_below(rng, 2);
            if (end > fault_points)
                end = fl_rng_below(rng, 2) ? fault_points : FL_NEVER_FAILS;
            if (arrives)
                fl_tally_delivered(tally, group, first, end, length);
            else
                fl_tally_blocked(tally, group, first, end, reason);
            for (unsigned r = 0; r < reference->routers; r++)
                for (uint32_t fault_point = first;
                     (group >> r & 1) && fault_point < end && fault_point < fault_points;
                     fault_point++) {
                    fl_count *count = &reference->of[r * fault_points + fault_point];
                    delivered[r * fault_points + fault_point] = arrives;
                    count->delivered += arrives;
                    count->length_sum += arrives ? length : 0;
                    count->length_squares += arrives ? length * length : 0;
                    count->blocked[reason] += !arrives;
                }
            first = end;
        }
    }
    fl_tally_end_trial(tally);
    for (unsigned b = 1; b < reference->routers; b++)
        for (unsigned a = 0; a < b; a++)
            for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
                reference->both[(size_t)fl_counts_pair(a, b) * fault_points + fault_point] +=
                    delivered[a * fault_points + fault_point] &&
                    delivered[b * fault_points + fault_point];
    free(delivered);
}

static void expect_tally(unsigned routers, uint32_t fault_points, int trials)
{
    fl_tally *tally = fl_tally_create(routers, fault_points);
    fl_counts *reference = fl_counts_create(routers, fault_points),
              *tallied = fl_counts_create(routers, fault_points);
    fl_rng rng;
    cr_assert(tally && reference && tallied, "out of memory");
    fl_rng_seed_raw(&rng, routers, fault_points);
    for (int trial = 0; trial < trials; trial++)
        book_at_random(tally, reference, &rng);
    fl_tally_add_to(tally, tallied);
    cr_expect(same_counts(reference, tallied), "%u routers, %u levels", routers, fault_points);
    fl_counts_destroy(reference);
    fl_counts_destroy(tallied);
    fl_tally_destroy(tally);
}

/* Up to 64 routers that split at random make thousands of different groups, far more than there
 * are slots: folding is exact. */
Test(tally, counts_what_is_booked_however_often_it_folds)
{
    expect_tally(1, 1, 100);
    expect_tally(1, 136, 100);
    expect_tally(2, 64, 500);
    expect_tally(3, 65, 500);
    expect_tally(22, 136, TEST_ROUNDS(2000));
    expect_tally(63, 5, TEST_ROUNDS(2000));
    expect_tally(64, 127, TEST_ROUNDS(400));
    expect_tally(64, 1, TEST_ROUNDS(2000));
    expect_tally(5, 10001, TEST_ROUNDS(200));
}

/* 2188 fault points leave space for 32 slots, of which half are used before they are folded; 22
 * routers split into many more groups than that. */
Test(tally, all_routers_at_once_count_what_each_counts_alone)
{
    fl_network *network = need_network("mikant:k=3,n=5");
    fl_axis axis = every_count(network->links);
    fl_fault_model *model = need_shuffled_model(network, &axis, 3);
    crowd c = everyone(network, true, 5, FL_SCOPE_DETOUR);
    fl_sweep sweep = {.network = network,
                      .model = model,
                      .routers = c.of,
                      .router_count = c.count,
                      .seed = 1,
                      .trials = TEST_ROUNDS(3000),
                      .threads = 2};
    fl_counts *together = need_sweep(&sweep);
    for (unsigned r = 0; r < c.count; r++) {
        sweep.routers = &c.of[r];
        sweep.router_count = 1;
        fl_counts *alone = need_sweep(&sweep);
        cr_expect(memcmp(alone->of, count_of(together, r, 0),
                         alone->fault_points * sizeof *alone->of) == 0,
                  "%s", c.of[r]->name);
        fl_counts_destroy(alone);
    }
    for (unsigned b = 1; b < c.count; b += 3) { /* some pairs */
        fl_router *pair[2] = {c.of[b / 2], c.of[b]};
        sweep.routers = pair;
        sweep.router_count = 2;
        fl_counts *two = need_sweep(&sweep);
        cr_expect(memcmp(two->both,
                         &together->both[(size_t)fl_counts_pair(b / 2, b) * axis.fault_points],
                         axis.fault_points * sizeof *two->both) == 0,
                  "%s and %s", pair[0]->name, pair[1]->name);
        fl_counts_destroy(two);
    }
    fl_counts_destroy(together);
    free_crowd(&c);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

Test(tally, sixty_four_routers_are_allowed_and_equal_ones_count_alike)
{
    fl_network *network = need_network("mikant:k=2,n=3");
    fl_axis axis = every_count(network->links);
    fl_fault_model *model = need_model(network, "links", &axis);
    crowd c = everyone(network, true, 3, FL_SCOPE_LOCAL);
    fl_router *routers[FL_SWEEP_ROUTERS_MAX];
    for (unsigned r = 0; r < FL_SWEEP_ROUTERS_MAX; r++)
        routers[r] = c.of[r % c.count];
    fl_sweep sweep = {.network = network,
                      .model = model,
                      .routers = routers,
                      .router_count = FL_SWEEP_ROUTERS_MAX,
                      .trials = 2000};
    fl_counts *counts = need_sweep(&sweep);
    for (unsigned r = c.count; r < FL_SWEEP_ROUTERS_MAX; r++) {
        const fl_count *same = count_of(counts, r % c.count, 0);
        cr_expect(memcmp(count_of(counts, r, 0), same, axis.fault_points * sizeof *same) == 0,
                  "router %u", r);
        for (uint32_t fault_point = 0; fault_point < axis.fault_points; fault_point++)
            cr_expect(counts->both[(size_t)fl_counts_pair(r % c.count, r) * axis.fault_points +
                                   fault_point] == same[fault_point].delivered,
                      "router %u delivers with its double", r);
    }
    fl_counts_destroy(counts);
    free_crowd(&c);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

/* ---- (g) every fault model ---- */

static void expect_sound_sweep(const char *network_spec, const char *model_spec,
                               const fl_axis *axis, fl_scope scope)
{
    bool mikant = strncmp(network_spec, "mikant", 6) == 0;
    fl_network *network = need_network(network_spec);
    fl_fault_model *model = need_model(network, model_spec, axis);
    crowd c = everyone(network, mikant, network->tree->n, scope);
    fl_sweep sweep = {.network = network,
                      .model = model,
                      .routers = c.of,
                      .router_count = c.count,
                      .seed = 5,
                      .trials = 3000,
                      .threads = 2};
    fl_counts *counts = need_sweep(&sweep);
    for (unsigned r = 0; r < c.count; r++) {
        const fl_count *first = count_of(counts, r, 0);
        cr_expect(first->delivered == sweep.trials,
                  "%s, %s, %s: without faults everything is delivered", network_spec, model_spec,
                  c.of[r]->name);
        for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++) {
            const fl_count *count = count_of(counts, r, fault_point);
            cr_expect(all_of(count) == sweep.trials, "%s, %s, %s, level %u: %d outcomes",
                      network_spec, model_spec, c.of[r]->name, fault_point, (int)all_of(count));
            cr_expect(count->length_sum >= 2 * count->delivered &&
                          count->length_squares >= count->length_sum,
                      "lengths are at least 2");
            cr_expect(fault_point == 0 ||
                          count->blocked[FL_BLOCKED_SOURCE] >=
                              count_of(counts, r, fault_point - 1)->blocked[FL_BLOCKED_SOURCE],
                      "a source that is cut off stays so");
        }
    }
    fl_counts_destroy(counts);
    free_crowd(&c);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

Test(models, all_run_in_a_sweep_and_account_for_every_trial)
{
    static const char *const models[] = {"links",
                                         "links:class=switch-links",
                                         "links:class=node-links",
                                         "switches",
                                         "bundles:size=2",
                                         "bundles:size=3,class=switch-links",
                                         "neighbours:size=2",
                                         "neighbours:size=4,class=level-0-links",
                                         "list:0;1;2;3;4;5;60;61;62;63;64;65;70;75;80",
                                         "links:draw=independent",
                                         "links:draw=independent,class=switch-links",
                                         "switches:draw=independent",
                                         "bundles:size=3,draw=independent",
                                         "neighbours:size=3,draw=independent"};
    double rates[] = {0, .05, .1, .3, .6, 1};
    fl_axis axis = {.rates = true, .fault_points = 6, .rate = rates};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        expect_sound_sweep("mikant:k=3,n=3", models[i], &axis, FL_SCOPE_DETOUR);
        expect_sound_sweep("kary-ntree:k=3,n=3", models[i], &axis, FL_SCOPE_LOCAL);
    }
}

Test(models, run_on_hashed_networks_too)
{
    double rates[] = {0, .001, .01, .1};
    fl_axis axis = {.rates = true, .fault_points = 4, .rate = rates};
    expect_sound_sweep("kary-ntree:k=3,n=6", "links", &axis, FL_SCOPE_DETOUR);
    expect_sound_sweep("mikant:k=2,n=12", "switches", &axis, FL_SCOPE_LOCAL);
    expect_sound_sweep("mikant:k=64,n=3", "links:draw=independent", &axis, FL_SCOPE_DETOUR);
    expect_sound_sweep("mikant:k=4,n=9", "bundles:size=2", &axis, FL_SCOPE_DETOUR);
}

/* All links down: no packet arrives, and the source's link is the first that is needed. */
Test(models, nothing_is_delivered_when_every_link_is_down)
{
    crowd c;
    fl_sweep sweep = need_published_sweep(&c, 1000);
    fl_counts *counts = need_sweep(&sweep);
    for (unsigned r = 0; r < c.count; r++)
        cr_expect(count_of(counts, r, 135)->blocked[FL_BLOCKED_SOURCE] == 1000, "%s",
                  c.of[r]->name);
    fl_counts_destroy(counts);
    free_published_sweep(&sweep, &c);
}

/* ---- what a sweep refuses ---- */

static void next_peeks(const fl_router *router, const fl_packet *packet, fl_view *view,
                       fl_decision *decision)
{
    (void)router;
    (void)packet;
    fl_probe at = fl_view_here(view), end;
    fl_port ports[2] = {3, 3};
    if (fl_view_up(view, &at, 3, &end) && fl_view_up(view, &end, 3, &end))
        fl_decision_offer(decision, ports, 2, end.at, FL_NO_RULE, 0);
}

static void next_loops(const fl_router *router, const fl_packet *packet, fl_view *view,
                       fl_decision *decision)
{
    (void)router;
    (void)packet;
    fl_probe at = fl_view_here(view), end;
    fl_port port = 3;
    if (fl_view_up(view, &at, port, &end))
        fl_decision_offer(decision, &port, 1, end.at, FL_NO_RULE, 0);
}

static void next_goes_astray(const fl_router *router, const fl_packet *packet, fl_view *view,
                             fl_decision *decision)
{
    (void)router;
    (void)packet;
    fl_probe at = fl_view_here(view), end;
    fl_port port = 0;
    if (fl_view_up(view, &at, port, &end))
        fl_decision_offer(decision, &port, 1, end.at, FL_NO_RULE, 0);
}

Test(refusals, a_router_that_breaks_the_contract_ends_the_sweep_and_is_named)
{
    void (*const broken[])(const fl_router *, const fl_packet *, fl_view *,
                           fl_decision *) = {next_peeks, next_loops, next_goes_astray};
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_axis axis = every_count(10);
    fl_fault_model *model = need_model(network, "links", &axis);
    for (size_t i = 0; i < 3; i++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            fl_router_type type = {.name = "broken", .next = broken[i]};
            fl_router router = {.type = &type,
                                .next = broken[i],
                                .network = network,
                                .scope = FL_SCOPE_LOCAL,
                                .name = "broken"};
            fl_router *routers[] = {&router};
            fl_sweep sweep = {.network = network,
                              .model = model,
                              .routers = routers,
                              .router_count = 1,
                              .trials = 1000,
                              .threads = threads};
            fl_counts *counts = need_counts(&sweep);
            fl_error error = {.text = ""};
            cr_expect(fl_sweep_run(&sweep, counts, &error) == FL_ERR_ROUTER &&
                          strstr(error.text, "'broken'"),
                      "router %zu: %s", i, error.text);
            fl_counts_destroy(counts);
        }
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

Test(refusals, no_router_and_too_many_routers)
{
    crowd c;
    fl_sweep sweep = need_published_sweep(&c, 10);
    fl_counts *counts = need_counts(&sweep);
    fl_error error = {.text = ""};
    sweep.router_count = 0;
    expect_refused(fl_sweep_run(&sweep, counts, &error), &error, "0 routers", "0 routers");
    sweep.router_count = FL_SWEEP_ROUTERS_MAX + 1;
    expect_refused(fl_sweep_run(&sweep, counts, &error), &error, "65 routers", "65 routers");
    fl_counts_destroy(counts);
    free_published_sweep(&sweep, &c);
}
