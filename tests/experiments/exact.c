/* Curves without sampling error: against brute enumeration, closed forms, published values and
 * the sweep. */
#include "experiments/exact/private.h"
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fl_experiment *need_experiment(const char *topology, const char *routers, const char *scope,
                                      const char *rest)
{
    char text[4096];
    fl_experiment *experiment;
    fl_error error;
    snprintf(text, sizeof text, "{\"topology\":\"%s\",\"routers\":[%s],\"scope\":\"%s\",%s}",
             topology, routers, scope, rest);
    cr_assert_eq(fl_experiment_parse(&experiment, text, strlen(text), "test", &error), FL_OK, "%s",
                 error.text);
    return experiment;
}

static fl_exact_results *need_exact(const fl_experiment *experiment,
                                    const fl_exact_options *options)
{
    fl_exact_results *results;
    fl_error error;
    cr_assert_eq(fl_exact_experiment(&results, experiment, options, &error), FL_OK, "%s",
                 error.text);
    return results;
}

static const char all_sets[] =
    "\"shortest\",\"gns\",\"gdl\",\"three-turn\",\"gns+gdl\",\"three-turn+gdl\",\"gns+x-turns\","
    "\"gns+x-turns+gdl\",\"gns+three-turn\",\"gns+three-turn+gdl\",\"gns+three-turn+x-turns+gdl\"";
static const char tree_sets[] =
    "\"shortest\",\"gns\",\"gdl\",\"three-turn\",\"gns+gdl\",\"adaptive-up\",\"gns+three-turn+gdl\","
    "\"adaptive-up+gns+gdl\"";

/* Largest difference between two runs of the same experiment, relative to 1 (success) and to the
 * length. */
static double largest_difference(const fl_exact_results *a, const fl_exact_results *b)
{
    double largest = 0;
    cr_assert_eq(a->curve_count, b->curve_count);
    for (unsigned c = 0; c < a->curve_count; c++)
        for (uint32_t fault_point = 0;
             fault_point < fl_fault_model_fault_points(a->experiment->bound[0].model);
             fault_point++) {
            const fl_exact_point *p = &a->curves[c].points[fault_point],
                                 *q = &b->curves[c].points[fault_point];
            cr_assert_eq(p->has_length, q->has_length);
            largest = fmax(largest, fabs(p->success_low - q->success_low));
            largest = fmax(largest, fabs(p->success_high - q->success_high));
            largest = fmax(largest, fabs(p->length_low - q->length_low));
        }
    return largest;
}

static void expect_same(const char *topology, const char *routers, const char *scope,
                        const char *rest, fl_exact_options other)
{
    fl_experiment *experiment = need_experiment(topology, routers, scope, rest);
    fl_exact_results *usual = need_exact(experiment, &(fl_exact_options){.threads = 1});
    fl_exact_results *slow = need_exact(experiment, &other);
    cr_expect_lt(largest_difference(usual, slow), 1e-12, "%s, scope %s", topology, scope);
    for (unsigned c = 0; c < usual->curve_count; c++)
        cr_expect(usual->curves[c].exact && slow->curves[c].exact);
    fl_exact_results_destroy(usual);
    fl_exact_results_destroy(slow);
    fl_experiment_destroy(experiment);
}

/* Merging of equal states against following every leaf of the decision tree: the router's own
 * searches, without a table of states. */
Test(exact, merging_changes_nothing)
{
    const fl_exact_options unmerged = {.unmerged = true, .threads = 1};
    expect_same("mikant:k=2,n=3",
                "\"shortest\",\"gns+gdl\",\"three-turn+gdl\",\"gns+x-turns\",\"adaptive-up+gns\"",
                "detour", "\"fault_rate\":\"0:1:0.1\"", unmerged);
    expect_same("mikant:k=2,n=4", "\"gns+gdl\",\"gns-any-level+gdl\",\"adaptive-up+three-turn\"",
                "detour", "\"fault_rate\":\"0:1:0.1\"", unmerged);
    expect_same("mikant:k=3,n=3", "\"gns\",\"gdl\",\"three-turn\",\"gns+gdl\"", "detour",
                "\"fault_rate\":\"0:1:0.1\"", unmerged);
    expect_same("kary-ntree:k=2,n=3",
                "\"gns+gdl\",\"gns-any-level\",\"gns+three-turn+gdl\",\"adaptive-up+gns+gdl\"",
                "detour", "\"fault_rate\":\"0:1:0.1\"", unmerged);
    expect_same("mikant:k=3,n=3",
                "\"gns+three-turn+x-turns+gdl\",\"adaptive-up+gns\",\"gns-any-level\"", "local",
                "\"fault_rate\":\"0:1:0.1\"", unmerged);
    expect_same("mikant:k=2,n=3", "\"gns+gdl\",\"three-turn\"", "detour",
                "\"fault_model\":\"switches\",\"fault_rate\":\"0:1:0.1\"", unmerged);
    expect_same("mikant:k=2,n=3", "\"gns+gdl\"", "detour",
                "\"fault_model\":\"bundles:size=2\",\"fault_rate\":\"0:1:0.1\"", unmerged);
    expect_same("mikant:k=2,n=3", "\"shortest\",\"three-turn\"", "detour",
                "\"fault_model\":\"neighbours:size=2\",\"fault_rate\":\"0:1:0.1\"", unmerged);
    expect_same("mikant:k=2,n=3", "\"gns+gdl\"", "detour",
                "\"fault_model\":\"links:draw=independent\",\"fault_rate\":\"0:1:0.1\"", unmerged);
}

Test(exact, one_pair_of_each_class_stands_for_all)
{
    const fl_exact_options every = {.every_pair = true, .threads = 1};
    expect_same("mikant:k=3,n=3", all_sets, "detour", "\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("mikant:k=3,n=3", all_sets, "local", "\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("kary-ntree:k=3,n=3", tree_sets, "detour", "\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("kary-ntree:k=2,n=4", "\"gns+gdl\",\"three-turn\"", "local",
                "\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("mikant:k=3,n=2", "\"shortest\",\"three-turn\"", "detour",
                "\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("mikant:k=2,n=4", "\"gns+gdl\"", "detour",
                "\"fault_model\":\"switches\",\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("mikant:k=3,n=3", "\"gns+gdl\"", "detour",
                "\"fault_model\":\"links:class=cross-links\",\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("mikant:k=4,n=1", "\"shortest\"", "detour", "\"fault_rate\":\"0:1:0.1\"", every);
}

/* A network so small that a pair can depend on every component that can fail. */
Test(exact, without_faults_everything_arrives_though_every_part_was_asked_about)
{
    static const char *const rest[] = {
        "\"fault_model\":\"links:class=switch-links\",\"faults\":\"0:4\"",
        "\"fault_model\":\"switches\",\"faults\":\"0:4\""};
    for (size_t i = 0; i < 2; i++) {
        fl_experiment *experiment = need_experiment(
            "kary-ntree:k=2,n=2", "\"shortest\",\"three-turn+gdl\"", "detour", rest[i]);
        fl_exact_results *results = need_exact(experiment, &(fl_exact_options){.threads = 1});
        for (unsigned c = 0; c < results->curve_count; c++) {
            cr_expect_eq(results->curves[c].points[0].success_low, 1.0);
            cr_expect(results->curves[c].points[1].success_low <= 1 &&
                      results->curves[c].points[1].success_low > 0);
        }
        fl_exact_results_destroy(results);
        fl_experiment_destroy(experiment);
    }
}

Test(exact, pair_classes_add_up_to_all_pairs)
{
    static const char *const specs[] = {"mikant:k=3,n=3", "mikant:k=2,n=5", "kary-ntree:k=4,n=3",
                                        "mikant:k=3,n=1", "kary-ntree:k=5,n=2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fl_experiment *experiment =
            need_experiment(specs[i], "\"shortest\"", "detour", "\"faults\":1");
        const fl_bound_sweep *bound = &experiment->bound[0];
        fl_router_pair_class *pairs;
        uint64_t count;
        double sum = 0, nodes = (double)bound->network->nodes;
        cr_assert_eq(
            fl_router_pair_classes(&pairs, &count, bound->routers[0], bound->model, false, NULL),
            FL_OK);
        for (uint64_t p = 0; p < count; p++) {
            sum += pairs[p].weight;
            cr_expect_neq(pairs[p].source, pairs[p].destination);
        }
        cr_expect_eq(sum, nodes * (nodes - 1), "%s", specs[i]);
        free(pairs);
        fl_experiment_destroy(experiment);
    }
}

/* Success ratio and mean path length at f = 1, 10, 40, 80, to the digits published. */
Test(exact, published_values_of_mikant_3_3)
{
    static const struct {
        const char *router;
        double success[4], length[4];
    } rows[] = {
        {"shortest", {.962124, .671929, .170294, .015535}, {5.1072, 5.0479, 4.7426, 3.7002}},
        {"gns", {.968414, .717873, .217585, .019216}, {5.1221, 5.1973, 5.3001, 4.3610}},
        {"gdl", {.969252, .724366, .220685, .019089}, {5.1229, 5.2040, 5.2714, 4.2535}},
        {"three-turn", {.968414, .717694, .212449, .017822}, {5.1221, 5.1968, 5.2588, 4.1627}},
        {"gns+gdl", {.975542, .773687, .283163, .023906}, {5.1375, 5.3516, 5.8280, 4.9323}},
        {"adaptive-up", {.971768, .743552, .253273, .027407}, {5.1105, 5.0832, 4.9345, 4.3023}},
        /* not published: the other reading of Algorithm 2 */
        {"gns-any-level", {.972187, .748138, .255557, .022039}, {5.1294, 5.2758, 5.6334, 4.8112}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\"", rows[i].router);
        fl_experiment *experiment =
            need_experiment("mikant:k=3,n=3", quoted, "detour", "\"faults\":[1,10,40,80]");
        fl_exact_results *results = need_exact(experiment, &(fl_exact_options){.threads = 1});
        for (int f = 0; f < 4; f++) {
            const fl_exact_point *p = &results->curves[0].points[f];
            cr_expect_float_eq(p->success_low, rows[i].success[f], .5001e-6, "%s", rows[i].router);
            cr_expect_float_eq(p->length_low, rows[i].length[f], .5001e-4, "%s", rows[i].router);
        }
        fl_exact_results_destroy(results);
        fl_experiment_destroy(experiment);
    }
}

Test(exact, published_values_of_the_3_ary_3_tree)
{
    static const double success[] = {.499283, .544935, .614886, .614886, .616330, .673303};
    static const double length[] = {4.9875, 5.2399, 5.5099, 5.5099, 5.1162, 5.7660};
    fl_experiment *experiment =
        need_experiment("kary-ntree:k=3,n=3",
                        "\"shortest\",\"gns\",\"gdl\",\"three-turn\",\"adaptive-up\",\"gns+gdl\"",
                        "detour", "\"faults\":10");
    fl_exact_results *results = need_exact(experiment, &(fl_exact_options){.threads = 2});
    for (unsigned r = 0; r < 6; r++) {
        cr_expect_float_eq(results->curves[r].points[0].success_low, success[r], .5001e-6);
        cr_expect_float_eq(results->curves[r].points[0].length_low, length[r], .5001e-4);
        cr_expect(results->curves[r].integers);
    }
    fl_exact_results_destroy(results);
    fl_experiment_destroy(experiment);
}

/* C(L - h, f) / C(L, f). */
static long double survives(unsigned links, unsigned length, unsigned faults)
{
    long double p = 1;
    for (unsigned i = 0; i < length; i++)
        p *= faults + i < links ? (long double)(links - faults - i) / (links - i) : 0;
    return p;
}

Test(exact, shortest_equals_its_closed_form)
{
    /* Of 53 other nodes, 2, 6 and 18 are 2, 4 and 6 links away, and 27 are 5 links away. */
    fl_experiment *experiment =
        need_experiment("mikant:k=3,n=3", "\"shortest\"", "detour", "\"faults\":\"0:135:1\"");
    fl_exact_results *results = need_exact(experiment, &(fl_exact_options){.threads = 1});
    for (unsigned f = 0; f <= 135; f++) {
        long double expected = (2 * survives(135, 2, f) + 6 * survives(135, 4, f) +
                                18 * survives(135, 6, f) + 27 * survives(135, 5, f)) /
                               53;
        cr_expect_float_eq(results->curves[0].points[f].success_low, (double)expected,
                           1e-15 + 1e-14 * (double)expected);
    }
    cr_expect_float_eq(results->curves[0].points[0].length_low, 271.0 / 53, 1e-14);
    fl_exact_results_destroy(results);
    fl_experiment_destroy(experiment);
}

/* Every set, every fault count: the sweep within 4 standard errors of the exact value. Standard
 * errors are computed from the exact values where the normal approximation holds (20 deliveries
 * and 20 blocks expected). 2 x 11 x about 100 correlated comparisons: a new seed would fail with a
 * probability of less than .13 (union bound). */
Test(exact, sweep_agrees)
{
    const uint64_t trials = TEST_ROUNDS(1000000);
    char rest[200];
    snprintf(rest, sizeof rest, "\"faults\":\"0:135:1\",\"trials\":%llu,\"seed\":3",
             (unsigned long long)trials);
    fl_experiment *experiment = need_experiment("mikant:k=3,n=3", all_sets, "detour", rest);
    fl_exact_results *exact = need_exact(experiment, &(fl_exact_options){.threads = 2});
    fl_results *sampled;
    fl_error error;
    cr_assert_eq(fl_experiment_run(&sampled, experiment, &(fl_run_options){.threads = 2}, &error),
                 FL_OK, "%s", error.text);
    for (unsigned r = 0; r < 11; r++)
        for (uint32_t f = 0; f <= 135; f++) {
            const fl_exact_point *p = &exact->curves[r].points[f];
            const fl_count *c = &sampled->counts[0]->of[(size_t)r * 136 + f];
            double n = (double)trials, expected = n * p->success_low;
            if (expected < 20 || n - expected < 20) {
                cr_expect(p->success_low < 1 || c->delivered == trials);
                continue;
            }
            cr_expect_leq(fabs((double)c->delivered - expected),
                          4 * sqrt(expected * (1 - p->success_low)), "set %u, f %u", r, f);
            double d = (double)c->delivered, mean = (double)c->length_sum / d;
            double variance = ((double)c->length_squares / d - mean * mean) * d / (d - 1);
            if (d >= 100)
                cr_expect_leq(fabs(mean - p->length_low), 4 * sqrt(variance / d),
                              "length of set %u, f %u", r, f);
        }
    fl_results_destroy(sampled);
    fl_exact_results_destroy(exact);
    fl_experiment_destroy(experiment);
}

/* The statements of the Wang thesis, section 5, about Figs. 8 and 9, at every fault count:
 * docs/wang-figs-8-9.md. */
enum { FIG_8_SETS = 11, FIG_8_LENGTHS = 134 /* with 134 faults nothing is delivered */ };

/* Fault counts at which the set with the higher success ratio does not have the longer mean path.
 */
static unsigned fault_counts_against(const fl_exact_point *a, const fl_exact_point *b)
{
    unsigned against = 0;
    for (int f = 0; f < FIG_8_LENGTHS; f++) {
        double success = a[f].success_low - b[f].success_low,
               length = a[f].length_low - b[f].length_low;
        bool same = fabs(success) < 1e-9 * a[f].success_low || fabs(length) < 1e-9;
        against += !same && (success > 0) != (length > 0);
    }
    return against;
}

/* The fault count with the longest mean path, if it rises before and falls after it; else -1. */
static int peak_of(const fl_exact_point *points)
{
    int peak = 0;
    for (int f = 1; f < FIG_8_LENGTHS; f++)
        if (points[f].length_low > points[peak].length_low)
            peak = f;
    for (int f = 1; f < FIG_8_LENGTHS; f++)
        if (f <= peak ? points[f].length_low <= points[f - 1].length_low
                      : points[f].length_low > points[f - 1].length_low + 1e-9)
            return -1;
    return peak;
}

Test(exact, what_the_thesis_says_of_its_figures_8_and_9)
{
    static const int peaks[FIG_8_SETS] = {0, 34, 30, 30, 45, 42, 50, 54, 42, 50, 55};
    static const struct {
        unsigned a, b, fault_counts;
    } exceptions[] = {{1, 2, 45}, {2, 6, 24}, {2, 8, 19}, {6, 8, 18}, {7, 9, 18}, {7, 10, 59}};
    fl_experiment *experiment =
        need_experiment("mikant:k=3,n=3", all_sets, "detour", "\"faults\":\"0:135:1\"");
    fl_exact_results *exact = need_exact(experiment, &(fl_exact_options){.threads = 2});
    const fl_exact_point *curves[FIG_8_SETS];
    for (unsigned r = 0; r < FIG_8_SETS; r++) {
        curves[r] = exact->curves[r].points;
        cr_expect(exact->curves[r].exact);
        cr_expect_eq(peak_of(curves[r]), peaks[r], "set %u: longest with %d faults", r,
                     peak_of(curves[r]));
        for (int f = 0; f <= 135;
             f++) /* from 131 faults on only nodes of one switch reach each other */
            cr_expect(r == 0 || f == 0 || f > 128
                          ? curves[r][f].success_low > curves[0][f].success_low - 1e-12
                          : curves[r][f].success_low > curves[0][f].success_low,
                      "set %u, f %d", r, f);
    }
    for (unsigned a = 0; a < FIG_8_SETS; a++)
        for (unsigned b = a + 1; b < FIG_8_SETS; b++) {
            unsigned expected = 0, found = fault_counts_against(curves[a], curves[b]);
            for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
                expected +=
                    exceptions[i].a == a && exceptions[i].b == b ? exceptions[i].fault_counts : 0;
            cr_expect_eq(found, expected, "sets %u and %u: %u fault counts", a, b, found);
        }
    fl_exact_results_destroy(exact);
    fl_experiment_destroy(experiment);
}

/* With too few states allowed, the results are bounds, and they hold. */
Test(exact, bounds_hold_the_exact_value)
{
    fl_experiment *experiment =
        need_experiment("mikant:k=3,n=3", "\"gns+x-turns+gdl\",\"gns+three-turn+x-turns+gdl\"",
                        "detour", "\"faults\":\"0:135:5\"");
    fl_exact_results *exact = need_exact(experiment, &(fl_exact_options){.threads = 2});
    fl_exact_results *bound = need_exact(
        experiment,
        &(fl_exact_options){.threads = 2, .states_max = 4000, .budget = 20, .tolerance = 1e-2});
    for (unsigned c = 0; c < 2; c++) {
        cr_expect(exact->curves[c].exact);
        cr_expect_not(bound->curves[c].exact);
        for (uint32_t fault_point = 0; fault_point < 28; fault_point++) {
            const fl_exact_point *p = &exact->curves[c].points[fault_point],
                                 *q = &bound->curves[c].points[fault_point];
            cr_expect_leq(q->success_low, p->success_low + 1e-12);
            cr_expect_geq(q->success_high, p->success_high - 1e-12);
            if (q->has_length && p->has_length) {
                cr_expect_leq(q->length_low, p->length_low + 1e-9);
                cr_expect_geq(q->length_high, p->length_high - 1e-9);
            }
        }
    }
    fl_exact_results_destroy(exact);
    fl_exact_results_destroy(bound);
    fl_experiment_destroy(experiment);
}

/* Lengths of the limit are those of a sweep with the same trials and seed, with its interval. */
static void expect_sampled_lengths(const fl_exact_curve *curve, const fl_results *sampled,
                                   const char *spec)
{
    const fl_counts *counts = sampled->counts[0];
    cr_expect(curve->exact && curve->length_is_sampled, "%s", spec);
    cr_expect_eq(curve->length_trials, counts->trials, "%s", spec);
    cr_expect_eq(curve->length_seed, sampled->experiment->seed, "%s", spec);
    for (uint32_t i = 0; i < counts->fault_points; i++) {
        const fl_exact_point *p = &curve->points[i];
        const fl_count *c = &counts->of[i];
        fl_interval interval;
        bool known = fl_stats_mean_interval(c->delivered, (double)c->length_sum,
                                            (double)c->length_squares, FL_Z95, &interval);
        cr_expect_eq(p->has_length, known, "%s, fault point %u", spec, i);
        if (known)
            cr_expect(p->length_low == interval.low && p->length_high == interval.high,
                      "%s, fault point %u: %.9f..%.9f", spec, i, p->length_low, p->length_high);
    }
}

/* At every fault point: the exact success ratio within 4 standard errors of the sampled one. */
static void expect_success_near_sample(const fl_exact_curve *curve, const fl_counts *counts,
                                       const char *spec)
{
    for (uint32_t i = 0; i < counts->fault_points; i++) {
        const fl_exact_point *point = &curve->points[i];
        double p = point->success_low, n = (double)counts->trials,
               d = (double)counts->of[i].delivered;
        cr_expect_eq(p, point->success_high, "%s, fault point %u", spec, i);
        if (n * p >= 25) /* with fewer it is not normally distributed */
            cr_expect_leq(fabs(d / n - p), 4 * sqrt(p * (1 - p) / n), "%s, fault point %u", spec,
                          i);
    }
}

static void expect_limit(const char *spec, const char *faults, uint64_t seed,
                         fl_exact_point *at_last)
{
    char rest[200];
    snprintf(rest, sizeof rest, "%s,\"trials\":%llu,\"seed\":%llu", faults,
             (unsigned long long)TEST_ROUNDS(400000), (unsigned long long)seed);
    fl_experiment *experiment = need_experiment(spec, "\"limit\"", "detour", rest);
    fl_exact_results *exact =
        need_exact(experiment, &(fl_exact_options){.threads = 1, .states_max = 24000});
    fl_results *sampled;
    fl_error error;
    cr_assert_eq(fl_experiment_run(&sampled, experiment, &(fl_run_options){.threads = 2}, &error),
                 FL_OK, "%s", error.text);
    expect_sampled_lengths(&exact->curves[0], sampled, spec);
    expect_success_near_sample(&exact->curves[0], sampled->counts[0], spec);
    *at_last = exact->curves[0].points[sampled->counts[0]->fault_points - 1];
    fl_results_destroy(sampled);
    fl_exact_results_destroy(exact);
    fl_experiment_destroy(experiment);
}

/* Independent estimate at f = 60 on MiKANT(3,3): success .250035 +- .000085, length 6.14598 +-
 * .0007. */
Test(exact, limit_agrees_with_what_is_known_and_with_the_sweep)
{
    fl_exact_point last;
    expect_limit("mikant:k=3,n=3", "\"faults\":[0,10,40,60]", 5, &last);
    cr_expect_float_eq(last.success_low, .250035, 4 * .000085);
    double half = (last.length_high - last.length_low) / 2;
    cr_expect_float_eq(last.length_low + half, 6.14598, 2 * half + 4 * .0007);
    expect_limit("kary-ntree:k=3,n=3", "\"faults\":\"0:81:1\"", 11, &last);
    expect_limit("mikant:k=2,n=3", "\"faults\":\"0:40:1\"", 11, &last);
    expect_limit("mikant:k=2,n=3",
                 "\"fault_rate\":[0,0.1,0.3],\"fault_model\":\"links:draw=independent\"", 3, &last);
}

/* ---- given faults: nothing is random but the pair ---- */

/* Links of the shortest path among those that are up, by breadth-first search; -1: none is left. */
static int distance_left(const ref_net *net, const bool *down, int source, int destination)
{
    int vertices = ref_vertex_count(net), head = 0, tail = 0;
    int *distance = need_memory((size_t)vertices, sizeof *distance),
        *queue = need_memory((size_t)vertices, sizeof *queue);
    for (int v = 0; v < vertices; v++)
        distance[v] = -1;
    distance[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        int here = queue[head++];
        for (int port = 0; port < 64; port++) {
            int far_end = ref_neighbour(net, here, port);
            if (far_end < 0 || distance[far_end] >= 0 || down[ref_link_between(net, here, far_end)])
                continue;
            distance[far_end] = distance[here] + 1;
            queue[tail++] = far_end;
        }
    }
    int found = distance[destination];
    free(distance);
    free(queue);
    return found;
}

/* Links of the delivered packet's path, -1 if it is blocked. `rules` < 0: the limits. */
static int length_under(const twin *t, int rules, enum ref_scope scope, int source, int destination)
{
    if (rules >= 0) {
        ref_route route;
        ref_route_packet(t->reference, t->down, (unsigned)rules, scope, source, destination,
                         &route);
        return route.delivered ? route.length : -1;
    }
    int left = distance_left(t->reference, t->down, source, destination);
    if (rules == -1)
        return left;
    bool *none = need_memory((size_t)ref_link_count(t->reference), sizeof *none);
    int shortest = distance_left(t->reference, none, source, destination);
    free(none);
    return left == shortest ? left : -1;
}

static void expect_brute_point(const twin *t, const fl_exact_point *p, int rules,
                               enum ref_scope scope, const char *name, unsigned f)
{
    int nodes = ref_node_count(t->reference);
    double delivered = 0, lengths = 0;
    for (int s = 0; s < nodes; s++)
        for (int d = 0; d < nodes; d++) {
            int length = s == d ? -1 : length_under(t, rules, scope, s, d);
            delivered += length >= 0;
            lengths += length >= 0 ? length : 0;
        }
    double success = delivered / ((double)nodes * (nodes - 1));
    cr_expect_float_eq(p->success_low, success, 1e-15, "%s, %u faults: %.17g, not %.17g", name, f,
                       success, p->success_low);
    cr_expect_eq(p->success_low, p->success_high);
    cr_expect_eq(p->has_length, delivered > 0);
    if (delivered > 0)
        cr_expect_float_eq(p->length_low, lengths / delivered, 1e-13, "length of %s, %u faults",
                           name, f);
}

static void expect_list_is_exact(bool mikant, unsigned k, unsigned n, const char *scope)
{
    static const struct {
        const char *name;
        int rules;
    } rows[] = {{"shortest", 0},
                {"gns+gdl", REF_GNS | REF_GDL},
                {"adaptive-up+three-turn", REF_ADAPTIVE_UP | REF_THREE_TURN},
                {"gns+x-turns+gdl", REF_GNS | REF_X_TURNS | REF_GDL},
                {"limit", -1},
                {"minimal-limit", -2}};
    twin *t = need_twin(mikant, k, n);
    unsigned links = (unsigned)ref_link_count(t->reference), step = links / 7;
    char spec[64], rest[8192], routers[256] = "";
    size_t at = (size_t)snprintf(rest, sizeof rest,
                                 "\"faults\":\"0:%u:%u\",\"fault_model\":\"list:", 6 * step, step);
    for (unsigned i = 0; i < 6 * step;
         i++) /* 29 has no factor in common with the numbers of links here */
        at += (size_t)snprintf(rest + at, sizeof rest - at, "%s%u", i ? ";" : "",
                               (i * 29 + 3) % links);
    snprintf(rest + at, sizeof rest - at, "\"");
    for (unsigned r = 0; r < 6; r++)
        if (mikant || !(rows[r].rules >= 0 && rows[r].rules & REF_X_TURNS))
            snprintf(routers + strlen(routers), sizeof routers - strlen(routers), "%s\"%s\"",
                     *routers ? "," : "", rows[r].name);
    snprintf(spec, sizeof spec, "%s:k=%u,n=%u", mikant ? "mikant" : "kary-ntree", k, n);
    fl_experiment *experiment = need_experiment(spec, routers, scope, rest);
    fl_exact_results *results = need_exact(experiment, &(fl_exact_options){.threads = 2});
    enum ref_scope reference_scope =
        strcmp(scope, "local") == 0 ? REF_SCOPE_LOCAL : REF_SCOPE_DETOUR;
    memset(t->down, 0, links * sizeof *t->down);
    for (unsigned fault_point = 0, f = 0; fault_point < 7; fault_point++) {
        for (; f < fault_point * step; f++)
            t->down[t->link[(f * 29 + 3) % links]] = true;
        for (unsigned r = 0, c = 0; r < 6 && c < results->curve_count; r++) {
            if (strcmp(experiment->bound[0].routers[c]->name, rows[r].name) != 0)
                continue;
            cr_assert(results->curves[c].exact && results->curves[c].integers &&
                          results->curves[c].points,
                      "%s", rows[r].name);
            expect_brute_point(t, &results->curves[c++].points[fault_point], rows[r].rules,
                               reference_scope, rows[r].name, f);
        }
    }
    fl_exact_results_destroy(results);
    fl_experiment_destroy(experiment);
    free_twin(t);
}

Test(exact, a_list_of_faults_is_walked_for_every_pair)
{
    expect_list_is_exact(true, 3, 3, "detour");
    expect_list_is_exact(true, 2, 4, "local");
    expect_list_is_exact(false, 3, 3, "detour");
}

/* With no time left, paths not yet walked stay undecided. */
Test(exact, bounds_of_a_list_hold_the_exact_value)
{
    fl_experiment *experiment =
        need_experiment("mikant:k=3,n=4", "\"gns+gdl\",\"limit\"", "detour",
                        "\"faults\":[0,3],\"fault_model\":\"list:0;300;500\"");
    fl_exact_results *exact = need_exact(experiment, &(fl_exact_options){.threads = 2});
    fl_exact_results *bound =
        need_exact(experiment, &(fl_exact_options){.threads = 2, .budget = 1e-4});
    for (unsigned c = 0; c < 2; c++) {
        cr_expect(exact->curves[c].exact);
        cr_expect_not(bound->curves[c].exact);
        for (uint32_t fault_point = 0; fault_point < 2; fault_point++) {
            const fl_exact_point *p = &exact->curves[c].points[fault_point],
                                 *q = &bound->curves[c].points[fault_point];
            cr_expect_lt(q->success_low, p->success_low);
            cr_expect_geq(q->success_high, p->success_high);
            cr_expect(!q->has_length ||
                      (q->length_low <= p->length_low && q->length_high >= p->length_high));
        }
    }
    fl_exact_results_destroy(exact);
    fl_exact_results_destroy(bound);
    fl_experiment_destroy(experiment);
}

/* ---- minimal-limit ---- */

/* All 2^L fault sets, one by one: success and length of a limit at every count of faults. */
static void expect_every_fault_set(const char *limit, int rules, bool mikant, unsigned k,
                                   unsigned n)
{
    twin *t = need_twin(mikant, k, n);
    unsigned links = (unsigned)ref_link_count(t->reference);
    int nodes = ref_node_count(t->reference);
    double delivered[32] = {0}, lengths[32] = {0}, sets[32] = {0};
    cr_assert_lt(links, 16);
    for (unsigned set = 0; set < 1u << links; set++) {
        unsigned f = (unsigned)__builtin_popcount(set);
        sets[f]++;
        for (unsigned i = 0; i < links; i++)
            t->down[i] = set >> i & 1;
        for (int s = 0; s < nodes; s++)
            for (int d = 0; d < nodes; d++) {
                int length = s == d ? -1 : length_under(t, rules, REF_SCOPE_DETOUR, s, d);
                delivered[f] += length >= 0;
                lengths[f] += length >= 0 ? length : 0;
            }
    }
    char spec[64], rest[64];
    snprintf(spec, sizeof spec, "%s:k=%u,n=%u", mikant ? "mikant" : "kary-ntree", k, n);
    snprintf(rest, sizeof rest, "\"faults\":\"0:%u:1\"", links);
    fl_experiment *experiment = need_experiment(spec, limit, "detour", rest);
    fl_exact_results *results =
        need_exact(experiment, &(fl_exact_options){.threads = 1, .states_max = 1000000});
    cr_expect(results->curves[0].exact && (rules == -1 || results->curves[0].integers));
    for (unsigned f = 0; f <= links; f++) {
        const fl_exact_point *p = &results->curves[0].points[f];
        cr_expect_float_eq(p->success_low, delivered[f] / sets[f] / nodes / (nodes - 1), 1e-14,
                           "%s, %u faults", spec, f);
        cr_expect_eq(p->has_length, delivered[f] > 0);
        double half = (p->length_high - p->length_low) / 2; /* lengths of `limit` are sampled */
        if (delivered[f] > 0)
            cr_expect_float_eq(p->length_low + half, lengths[f] / delivered[f], 2.5 * half + 1e-13,
                               "length on %s, %u faults", spec, f);
    }
    fl_exact_results_destroy(results);
    fl_experiment_destroy(experiment);
    free_twin(t);
}

Test(exact, minimal_limit_over_every_fault_set)
{
    expect_every_fault_set("\"minimal-limit\"", -2, true, 2, 2);
    expect_every_fault_set("\"minimal-limit\"", -2, false, 2, 2);
    expect_every_fault_set("\"minimal-limit\"", -2, false, 3, 1);
}

Test(exact, limit_over_every_fault_set)
{
    expect_every_fault_set("\"limit\"", -1, true, 2, 2);
    expect_every_fault_set("\"limit\"", -1, false, 2, 2);
    expect_every_fault_set("\"limit\"", -1, false, 3, 1);
}

Test(exact, minimal_limit_of_one_pair_a_class_stands_for_all)
{
    const fl_exact_options every = {.every_pair = true, .threads = 1};
    expect_same("mikant:k=3,n=3", "\"minimal-limit\"", "detour", "\"fault_rate\":\"0:1:0.1\"",
                every);
    expect_same("kary-ntree:k=3,n=3", "\"minimal-limit\"", "detour", "\"fault_rate\":\"0:1:0.1\"",
                every);
    expect_same(
        "mikant:k=2,n=4", "\"minimal-limit\"", "detour",
        "\"fault_model\":\"links:class=level-0-links+cross-links\",\"fault_rate\":\"0:1:0.1\"",
        every);
    expect_same("mikant:k=2,n=3", "\"minimal-limit\"", "detour",
                "\"fault_model\":\"links:draw=independent\",\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("clos:k=3,n=3", "\"minimal-limit\"", "detour", "\"fault_rate\":\"0:1:0.1\"", every);
    expect_same("clos:k=2,n=3", "\"minimal-limit\"", "detour",
                "\"fault_model\":\"links:class=level-0-links\",\"fault_rate\":\"0:1:0.1\"", every);
}

/* 4 standard errors; 4 networks and models x 6 fault points x 2: a new seed would fail with a
 * probability of less than .004. */
Test(exact, minimal_limit_agrees_with_the_sweep)
{
    static const char *const cases[][2] = {{"mikant:k=3,n=3", "links"},
                                           {"kary-ntree:k=3,n=3", "links:class=switch-links"},
                                           {"mikant:k=2,n=4", "links:draw=independent"},
                                           {"kary-ntree:k=4,n=3", "links"}};
    const uint64_t trials = TEST_ROUNDS(400000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rest[256];
        snprintf(
            rest, sizeof rest,
            "\"fault_rate\":\"0.05:0.55:0.1\",\"fault_model\":\"%s\",\"trials\":%llu,\"seed\":7",
            cases[i][1], (unsigned long long)trials);
        fl_experiment *experiment =
            need_experiment(cases[i][0], "\"minimal-limit\"", "detour", rest);
        fl_exact_results *exact = need_exact(experiment, &(fl_exact_options){.threads = 1});
        fl_results *sampled;
        fl_error error;
        cr_assert_eq(
            fl_experiment_run(&sampled, experiment, &(fl_run_options){.threads = 2}, &error), FL_OK,
            "%s", error.text);
        cr_expect(exact->curves[0].exact);
        for (uint32_t fault_point = 0; fault_point < 6; fault_point++) {
            const fl_exact_point *p = &exact->curves[0].points[fault_point];
            const fl_count *c = &sampled->counts[0]->of[fault_point];
            double n = (double)trials, d = (double)c->delivered, mean = (double)c->length_sum / d;
            double variance = ((double)c->length_squares / d - mean * mean) * d / (d - 1);
            cr_expect_leq(fabs(d / n - p->success_low),
                          4 * sqrt(p->success_low * (1 - p->success_low) / n), "%s, level %u",
                          cases[i][0], fault_point);
            cr_expect_leq(fabs(mean - p->length_low), 4 * sqrt(variance / d),
                          "length on %s, level %u", cases[i][0], fault_point);
        }
        fl_results_destroy(sampled);
        fl_exact_results_destroy(exact);
        fl_experiment_destroy(experiment);
    }
}

/* Above the allowed memory: trivial bounds, and no error. */
Test(exact, minimal_limit_gives_up_when_asked_to)
{
    fl_experiment *experiment =
        need_experiment("mikant:k=8,n=4", "\"minimal-limit\"", "detour", "\"faults\":[0,100]");
    fl_exact_results *results =
        need_exact(experiment, &(fl_exact_options){.threads = 1, .states_max = 1000, .budget = 60});
    cr_expect_not(results->curves[0].exact);
    cr_expect(results->curves[0].points[1].success_low == 0 &&
              results->curves[0].points[1].success_high == 1);
    fl_exact_results_destroy(results);
    fl_experiment_destroy(experiment);
}
