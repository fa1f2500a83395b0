/* experiments: limit and minimal-limit against a breadth-first search at every fault point,
 * published values, and the routers; and the completed fault orders on which they depend. */
#include "experiments/sweep/private.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>

/* ---- running ---- */

typedef struct setting {
    fl_network *network;
    fl_fault_model *model;
    fl_router *routers[FL_SWEEP_ROUTERS_MAX];
    unsigned router_count;
} setting;

static void add_router(setting *s, const char *name, fl_scope scope)
{
    s->routers[s->router_count++] = need_router(s->network, name, scope);
}

static setting need_setting(const char *network, const char *model, const fl_axis *axis,
                            const char *const *routers)
{
    setting s = {.network = need_network(network)};
    s.model = need_model(s.network, model, axis);
    for (size_t i = 0; routers[i]; i++)
        add_router(&s, routers[i], FL_SCOPE_DETOUR);
    return s;
}

static void free_setting(setting *s)
{
    for (unsigned i = 0; i < s->router_count; i++)
        fl_router_destroy(s->routers[i]);
    fl_fault_model_destroy(s->model);
    fl_network_destroy(s->network);
}

static fl_counts *need_counts(const setting *s, uint64_t first_trial, uint64_t trials,
                              unsigned threads)
{
    fl_sweep sweep = {.network = s->network,
                      .model = s->model,
                      .routers = s->routers,
                      .router_count = s->router_count,
                      .seed = 7,
                      .first_trial = first_trial,
                      .trials = trials,
                      .threads = threads};
    fl_counts *counts = fl_counts_create(s->router_count, fl_fault_model_fault_points(s->model));
    fl_error error = {.text = ""};
    cr_assert(counts != NULL, "out of memory");
    cr_assert(fl_sweep_run(&sweep, counts, &error) == FL_OK, "%s", error.text);
    cr_assert(counts->trials == trials, "all trials are in");
    return counts;
}

static const fl_count *count_of(const fl_counts *counts, unsigned router, uint32_t fault_point)
{
    return &counts->of[(size_t)router * counts->fault_points + fault_point];
}

static uint64_t both_of(const fl_counts *counts, unsigned a, unsigned b, uint32_t fault_point)
{
    return counts->both[(size_t)fl_counts_pair(a, b) * counts->fault_points + fault_point];
}

static bool same_count(const fl_count *a, const fl_count *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool same_counts(const fl_counts *a, const fl_counts *b)
{
    size_t pairs = (size_t)a->routers * (a->routers - 1) / 2;
    return memcmp(a->of, b->of, (size_t)a->routers * a->fault_points * sizeof *a->of) == 0 &&
           memcmp(a->both, b->both, pairs * a->fault_points * sizeof *a->both) == 0;
}

/* ---- breadth-first search at every fault point ---- */

typedef struct searcher {
    fl_graph *graph;
    uint32_t *place; /* [link] of the fault order; UINT32_MAX: never fails */
    uint32_t *distance, *queue, *fault_free;
} searcher;

static searcher need_searcher(const fl_network *network)
{
    searcher s = {0};
    cr_assert(fl_graph_create(&s.graph, network, NULL) == FL_OK, "a graph");
    s.place = need_memory(network->links, sizeof *s.place);
    s.distance = need_memory(s.graph->vertices, sizeof *s.distance);
    s.queue = need_memory(s.graph->vertices, sizeof *s.queue);
    s.fault_free = need_memory(s.graph->vertices, sizeof *s.fault_free);
    return s;
}

static void free_searcher(searcher *s)
{
    fl_graph_destroy(s->graph);
    free(s->place);
    free(s->distance);
    free(s->queue);
    free(s->fault_free);
}

/* Distances over links that are up when the first `faults` of the order are down. Packets do not
 * pass through nodes, and need not: a node has one link. */
static void search(searcher *s, uint64_t start, uint64_t faults)
{
    const fl_graph *graph = s->graph;
    for (uint64_t v = 0; v < graph->vertices; v++)
        s->distance[v] = UINT32_MAX;
    uint64_t head = 0, tail = 0;
    s->queue[tail++] = (uint32_t)start;
    s->distance[start] = 0;
    while (head < tail) {
        uint32_t v = s->queue[head++];
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            if (s->place[graph->links[e]] >= faults &&
                s->distance[graph->targets[e]] == UINT32_MAX) {
                s->distance[graph->targets[e]] = s->distance[v] + 1;
                s->queue[tail++] = graph->targets[e];
            }
    }
}

static void expect_outcome(fl_count *count, bool delivered, uint32_t length, fl_reason reason)
{
    count->delivered += delivered;
    count->length_sum += delivered ? length : 0;
    count->length_squares += delivered ? (uint64_t)length * length : 0;
    count->blocked[reason] += !delivered;
}

/* Adds what limit (router 0) and minimal-limit (router 1) must count for one pair. */
static void expect_pair(searcher *s, uint64_t source, uint64_t destination, const uint64_t *faults,
                        fl_counts *expected)
{
    const fl_graph *graph = s->graph;
    uint32_t source_place = s->place[graph->links[graph->offsets[source]]];
    uint32_t destination_place = s->place[graph->links[graph->offsets[destination]]];
    fl_graph_distances(graph, source, s->fault_free, s->queue);
    for (uint32_t fault_point = 0; fault_point < expected->fault_points; fault_point++) {
        fl_reason reason = source_place < faults[fault_point]        ? FL_BLOCKED_SOURCE
                           : destination_place < faults[fault_point] ? FL_BLOCKED_DESTINATION
                                                                     : FL_BLOCKED_UP;
        search(s, source, faults[fault_point]);
        uint32_t length = s->distance[destination];
        bool any = length != UINT32_MAX, minimal = length == s->fault_free[destination];
        expect_outcome(&expected->of[fault_point], any, length, reason);
        expect_outcome(&expected->of[expected->fault_points + fault_point], minimal, length,
                       reason);
        expected->both[fault_point] += minimal;
    }
}

/* The pairs of trials are fixed by the seed (experiments/sweep/trial.c). */
static void nth_pair(const fl_network *network, uint64_t trial, uint64_t *source,
                     uint64_t *destination)
{
    fl_rng rng;
    fl_rng_seed(&rng, 7, FL_PURPOSE_PAIRS, trial);
    *source = fl_rng_below(&rng, network->nodes);
    *destination = fl_rng_below(&rng, network->nodes - 1);
    *destination += *destination >= *source;
}

static fl_counts *expected_counts(searcher *s, const fl_network *network, const fl_axis *axis,
                                  uint64_t first, uint64_t trials)
{
    fl_counts *expected = fl_counts_create(2, axis->fault_points);
    cr_assert(expected != NULL, "out of memory");
    for (uint64_t trial = first; trial < first + trials; trial++) {
        uint64_t source, destination;
        nth_pair(network, trial, &source, &destination);
        expect_pair(s, source, destination, axis->counts, expected);
    }
    return expected;
}

/* Some of the links in a random order, as a fault model, and in s->place. */
static void random_list(searcher *s, uint64_t links, uint64_t listed, fl_rng *rng, fl_text *model)
{
    uint32_t *order = need_memory(links, sizeof *order);
    for (uint32_t i = 0; i < links; i++) {
        order[i] = i;
        s->place[i] = UINT32_MAX;
    }
    fl_text_append(model, "list:");
    for (uint32_t i = 0; i < listed; i++) {
        uint32_t other = i + fl_rng_below32(rng, (uint32_t)links - i), chosen = order[other];
        order[other] = order[i];
        s->place[chosen] = i;
        fl_text_append(model, "%s%u", i ? ";" : "", chosen);
    }
    free(order);
}

/* Fault points from 0 or later, with or without gaps. */
static fl_axis random_axis(uint64_t listed, fl_rng *rng)
{
    fl_axis axis = every_count(listed);
    uint64_t *counts = (uint64_t *)axis.counts;
    if (fl_rng_below32(rng, 3) > 0)
        return axis;
    uint32_t kept = 0;
    for (uint64_t f = 0; f <= listed; f++)
        if (fl_rng_below32(rng, 4) == 0)
            counts[kept++] = f;
    axis.fault_points = kept ? kept : 1;
    return axis;
}

static const char *const limits[] = {"limit", "minimal-limit", NULL};

static void check_one_order(const char *network, uint64_t first_trial, uint64_t trials, fl_rng *rng)
{
    fl_network *measured = need_network(network);
    searcher s = need_searcher(measured);
    uint64_t links = measured->links,
             listed = fl_rng_below32(rng, 4) ? links : 1 + fl_rng_below32(rng, (uint32_t)links);
    fl_text model = {0};
    random_list(&s, links, listed, rng, &model);
    fl_axis axis = random_axis(listed, rng);
    setting t = need_setting(network, model.data, &axis, limits);
    fl_counts *expected = expected_counts(&s, measured, &axis, first_trial, trials);
    fl_counts *counts = need_counts(&t, first_trial, trials, 1 + fl_rng_below32(rng, 2));
    cr_assert(same_counts(counts, expected), "%s, %d trials, %.400s", network, (int)trials,
              model.data);
    fl_counts_destroy(expected);
    fl_counts_destroy(counts);
    free_setting(&t);
    fl_text_clear(&model);
    free_axis(&axis);
    free_searcher(&s);
    fl_network_destroy(measured);
}

/* Batches of 64 are never full, full, or full and a rest. */
static void check_orders(const char *network, unsigned orders, uint32_t trials_most)
{
    fl_rng rng;
    fl_rng_seed(&rng, 1, FL_PURPOSE_FAULTS, 0);
    for (unsigned i = 0; i < orders; i++)
        check_one_order(network, fl_rng_below32(&rng, 1000000),
                        1 + fl_rng_below32(&rng, trials_most), &rng);
}

Test(search, agrees_on_mikant_2_2)
{
    check_orders("mikant:k=2,n=2", TEST_ROUNDS(1000), 150);
}

Test(search, agrees_on_mikant_3_3)
{
    check_orders("mikant:k=3,n=3", TEST_ROUNDS(600), 20);
    check_orders("mikant:k=3,n=3", TEST_ROUNDS(20), 200);
}

Test(search, agrees_on_mikant_2_4)
{
    check_orders("mikant:k=2,n=4", TEST_ROUNDS(600), 20);
    check_orders("mikant:k=2,n=4", TEST_ROUNDS(20), 200);
}

Test(search, agrees_on_k_ary_trees)
{
    check_orders("kary-ntree:k=2,n=3", TEST_ROUNDS(1000), 100);
    check_orders("kary-ntree:k=3,n=3", TEST_ROUNDS(600), 40);
}

/* One switch and no link between switches; and the smallest tree. */
Test(search, agrees_on_networks_of_one_switch)
{
    check_orders("mikant:k=3,n=1", TEST_ROUNDS(200), 150);
    check_orders("kary-ntree:k=2,n=1", TEST_ROUNDS(200), 150);
}

/* More than 254 fault points, which do not fit into bytes. */
Test(search, agrees_on_mikant_2_5_with_wide_lanes)
{
    check_orders("mikant:k=2,n=5", TEST_ROUNDS(60), 20);
}

/* ---- lanes of all widths, kernels of all kinds ---- */

static fl_axis even_rates(uint32_t fault_points)
{
    double *rates = need_memory(fault_points, sizeof *rates);
    for (uint32_t i = 0; i < fault_points; i++)
        rates[i] = (double)i / fault_points;
    return (fl_axis){.rates = true, .fault_points = fault_points, .rate = rates};
}

/* Independent draws do not depend on the fault points: more of them give the same at the rates
 * that they have in common. */
static void expect_finer_fault_points_agree(uint32_t coarse_fault_points, uint32_t factor,
                                            uint64_t trials)
{
    fl_axis coarse = even_rates(coarse_fault_points),
            fine = even_rates(coarse_fault_points * factor);
    setting a = need_setting("mikant:k=2,n=3", "links:draw=independent", &coarse, limits);
    setting b = need_setting("mikant:k=2,n=3", "links:draw=independent", &fine, limits);
    fl_counts *few = need_counts(&a, 0, trials, 1), *many = need_counts(&b, 0, trials, 1);
    for (unsigned r = 0; r < 2; r++)
        for (uint32_t fault_point = 0; fault_point < coarse_fault_points; fault_point++)
            cr_expect(
                same_count(count_of(few, r, fault_point), count_of(many, r, fault_point * factor)),
                "%u levels, level %u", coarse_fault_points * factor, fault_point);
    fl_counts_destroy(few);
    fl_counts_destroy(many);
    free_setting(&a);
    free_setting(&b);
    free_axis(&coarse);
    free_axis(&fine);
}

Test(lanes, two_bytes_agree_with_one)
{
    expect_finer_fault_points_agree(254, 1, 200);
    expect_finer_fault_points_agree(127, 2, 2000); /* 254: the most that one byte takes */
    expect_finer_fault_points_agree(51, 5, 2000);  /* 255: the fewest for two */
    expect_finer_fault_points_agree(100, 100, 2000);
}

Test(lanes, four_bytes_agree_with_one)
{
    expect_finer_fault_points_agree(127, 516, 500); /* 65532: two bytes */
    expect_finer_fault_points_agree(113, 580, 500); /* 65540: four */
}

/* Counts `trials` of the model, 64 at a time and the remainder. */
static fl_counts *booked_by(const setting *t, bool portable, uint64_t trials)
{
    uint32_t fault_points = fl_fault_model_fault_points(t->model);
    fl_error error = {.text = ""};
    fl_limit *limit = fl_limit_create(t->network, fault_points, portable, &error);
    fl_tally *tally = fl_tally_create(2, fault_points);
    fl_counts *counts = fl_counts_create(2, fault_points);
    cr_assert(limit && tally && counts, "%s", error.text);
    fl_order *order = need_order(t->model);
    for (uint64_t trial = 0; trial < trials; trial++) {
        uint64_t source, destination;
        nth_pair(t->network, trial, &source, &destination);
        fl_order_begin(order, 7, trial);
        fl_limit_add(limit, order, source, destination);
        if (fl_limit_count(limit) < FL_LIMIT_LANES && trial + 1 < trials)
            continue;
        fl_limit_solve(limit);
        for (unsigned lane = 0; lane < fl_limit_count(limit); lane++) {
            fl_limit_book(limit, lane, 1, 2, tally);
            fl_tally_end_trial(tally);
        }
        fl_limit_clear(limit);
    }
    fl_tally_add_to(tally, counts);
    fl_order_destroy(order);
    fl_tally_destroy(tally);
    fl_limit_destroy(limit);
    return counts;
}

static void expect_kernels_agree(const char *network, uint32_t fault_points, uint64_t trials)
{
    fl_axis axis = even_rates(fault_points);
    setting t = need_setting(network, "links:draw=independent", &axis, limits);
    fl_counts *portable = booked_by(&t, true, trials), *usual = booked_by(&t, false, trials),
              *swept = need_counts(&t, 0, trials, 2);
    cr_expect(same_counts(portable, usual), "%s, %u levels: the portable kernel", network,
              fault_points);
    cr_expect(same_counts(usual, swept), "%s, %u levels: the sweep", network, fault_points);
    fl_counts_destroy(portable);
    fl_counts_destroy(usual);
    fl_counts_destroy(swept);
    free_setting(&t);
    free_axis(&axis);
}

Test(lanes, the_portable_kernel_finds_the_same)
{
    expect_kernels_agree("mikant:k=3,n=3", 100, TEST_ROUNDS(50000) + 1);
    expect_kernels_agree("mikant:k=3,n=3", 1000, TEST_ROUNDS(20000) + 1);
    expect_kernels_agree("mikant:k=2,n=3", 66000, TEST_ROUNDS(1000) + 1);
    expect_kernels_agree("kary-ntree:k=4,n=3", 254, TEST_ROUNDS(20000) + 1);
    expect_kernels_agree("kary-ntree:k=4,n=3", 255, TEST_ROUNDS(20000) + 1);
}

/* ---- beside routers ---- */

static const struct {
    const char *network, *model;
    bool mikant;
    unsigned n;
} places[] = {
    {"mikant:k=3,n=3", "links", true, 3},
    {"mikant:k=3,n=3", "links:class=switch-links", true, 3},
    {"mikant:k=3,n=3", "links:class=cross-links+level-0-links", true, 3},
    {"mikant:k=3,n=3", "links:draw=independent", true, 3},
    {"mikant:k=2,n=4", "switches", true, 4},
    {"mikant:k=4,n=3", "bundles:size=2", true, 3},
    {"mikant:k=3,n=2", "neighbours:size=2", true, 2},
    {"kary-ntree:k=3,n=3", "links", false, 3},
    {"kary-ntree:k=2,n=4", "switches:draw=independent", false, 4},
    {"mikant:k=8,n=4", "links", true, 4}, /* more link codes than an array is used for */
};

/* The last one takes a minute under a sanitizer, each time. */
enum {
    PLACES = sizeof places / sizeof places[0],
    PLACES_TWICE = PLACES - (FL_TEST_DIVISOR > 1 ? 1 : 0)
};

/* Every set of rules, limit in the middle, minimal-limit last. */
static setting need_everyone(size_t place, const fl_axis *axis, fl_scope scope)
{
    setting t = {.network = need_network(places[place].network)};
    t.model = need_model(t.network, places[place].model, axis);
    rule_sets sets;
    list_rule_sets(places[place].mikant, places[place].n, &sets);
    for (unsigned i = 0; i < sets.count; i++) {
        add_router(&t, sets.names[i], scope);
        if (i == sets.count / 2)
            add_router(&t, "limit", scope);
    }
    add_router(&t, "minimal-limit", scope);
    return t;
}

static unsigned index_of(const setting *t, const char *name)
{
    for (unsigned r = 0; r < t->router_count; r++)
        if (strcmp(t->routers[r]->name, name) == 0)
            return r;
    cr_assert(false, "%s is there", name);
    return 0;
}

/* At every fault point, `above` delivers whatever `below` delivers. */
static void expect_below(const setting *t, const fl_counts *counts, unsigned below, unsigned above)
{
    unsigned a = below < above ? below : above, b = below < above ? above : below;
    for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++)
        cr_expect(both_of(counts, a, b, fault_point) ==
                      count_of(counts, below, fault_point)->delivered,
                  "%s, %s, level %u: %s delivers what %s does not", t->network->spec,
                  fl_fault_model_spec(t->model), fault_point, t->routers[below]->name,
                  t->routers[above]->name);
}

static void expect_no_router_beats_the_limits(size_t place, fl_scope scope)
{
    fl_axis axis = even_rates(21);
    setting t = need_everyone(place, &axis, scope);
    unsigned limit = index_of(&t, "limit"), minimal = index_of(&t, "minimal-limit");
    fl_counts *counts = need_counts(
        &t, 0, TEST_ROUNDS(places[place].n > 3 && places[place].mikant ? 2000 : 10000), 2);
    for (unsigned r = 0; r < t.router_count; r++) {
        if (r != limit)
            expect_below(&t, counts, r, limit);
        for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++) {
            const fl_count *count = count_of(counts, r, fault_point);
            uint64_t all = count->delivered;
            for (int reason = 0; reason < FL_REASONS; reason++)
                all += count->blocked[reason];
            cr_expect(all == counts->trials, "%s: every trial ends", t.routers[r]->name);
            cr_expect(count->blocked[FL_BLOCKED_SOURCE] ==
                          count_of(counts, limit, fault_point)->blocked[FL_BLOCKED_SOURCE],
                      "%s sees the source's link as limit does", t.routers[r]->name);
        }
    }
    expect_below(&t, counts, index_of(&t, "shortest"), minimal);
    expect_below(&t, counts, index_of(&t, "adaptive-up"), minimal);
    fl_counts_destroy(counts);
    free_setting(&t);
    free_axis(&axis);
}

Test(routers, none_beats_the_limits)
{
    for (size_t i = 0; i < PLACES; i++)
        expect_no_router_beats_the_limits(i, FL_SCOPE_DETOUR);
    for (size_t i = 0; i < PLACES_TWICE; i++)
        expect_no_router_beats_the_limits(i, FL_SCOPE_LOCAL);
}

/* `bare` has the routers of `full` without the limits, in the same order. */
static void expect_untouched(const setting *full, const fl_counts *with, const fl_counts *without)
{
    unsigned place[FL_SWEEP_ROUTERS_MAX], count = 0;
    for (unsigned r = 0; r < full->router_count; r++)
        if (!full->routers[r]->type->limit)
            place[count++] = r;
    cr_assert(count == without->routers, "the same routers");
    for (uint32_t fault_point = 0; fault_point < with->fault_points; fault_point++)
        for (unsigned b = 0; b < count; b++) {
            cr_expect(same_count(count_of(with, place[b], fault_point),
                                 count_of(without, b, fault_point)),
                      "%s, level %u", full->routers[place[b]]->name, fault_point);
            for (unsigned a = 0; a < b; a++)
                cr_expect(both_of(with, place[a], place[b], fault_point) ==
                              both_of(without, a, b, fault_point),
                          "%s and %s, level %u", full->routers[place[a]]->name,
                          full->routers[place[b]]->name, fault_point);
        }
}

Test(routers, are_not_touched_by_limits_beside_them)
{
    for (size_t i = 0; i < PLACES_TWICE; i++) {
        fl_axis axis = even_rates(21);
        setting full = need_everyone(i, &axis, FL_SCOPE_DETOUR),
                bare = {.network = full.network, .model = full.model};
        for (unsigned r = 0; r < full.router_count; r++)
            if (!full.routers[r]->type->limit)
                bare.routers[bare.router_count++] = full.routers[r];
        uint64_t trials = TEST_ROUNDS(1000) + 40;
        fl_counts *with = need_counts(&full, 5, trials, 2),
                  *without = need_counts(&bare, 5, trials, 1);
        expect_untouched(&full, with, without);
        fl_counts_destroy(with);
        fl_counts_destroy(without);
        free_setting(&full);
        free_axis(&axis);
    }
}

Test(threads, do_not_matter)
{
    fl_axis axis = every_count(135);
    setting t = need_everyone(0, &axis, FL_SCOPE_DETOUR);
    uint64_t trials = TEST_ROUNDS(30000) + 17;
    fl_counts *one = need_counts(&t, 3, trials, 1);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        fl_counts *more = need_counts(&t, 3, trials, threads);
        cr_expect(same_counts(one, more), "%u threads", threads);
        fl_counts_destroy(more);
    }
    fl_counts_destroy(one);
    free_setting(&t);
    free_axis(&axis);
}

/* Ranges of any size: only the division into batches differs. */
Test(threads, nor_do_the_pieces_of_a_range)
{
    fl_axis axis = even_rates(31);
    setting t = need_everyone(3, &axis, FL_SCOPE_DETOUR);
    fl_counts *complete = need_counts(&t, 0, 500, 1),
              *sum = fl_counts_create(t.router_count, complete->fault_points);
    size_t cells = (size_t)complete->routers * complete->fault_points,
           pairs = (size_t)complete->routers * (complete->routers - 1) / 2 * complete->fault_points;
    fl_rng rng;
    fl_rng_seed(&rng, 2, FL_PURPOSE_FAULTS, 0);
    for (uint64_t first = 0, next; first < 500; first = next) {
        next = first + 1 + fl_rng_below32(&rng, 150);
        next = next > 500 ? 500 : next;
        fl_counts *piece = need_counts(&t, first, next - first, 1);
        for (size_t i = 0; i < cells * sizeof(fl_count) / sizeof(uint64_t); i++)
            ((uint64_t *)sum->of)[i] += ((uint64_t *)piece->of)[i];
        for (size_t i = 0; i < pairs; i++)
            sum->both[i] += piece->both[i];
        fl_counts_destroy(piece);
    }
    cr_expect(same_counts(complete, sum), "the pieces add up");
    fl_counts_destroy(complete);
    fl_counts_destroy(sum);
    free_setting(&t);
    free_axis(&axis);
}

/* ---- what is published ---- */

/* Success .250035 +- .000085 and length 6.14598 +- .0007 at 60 faults on MiKANT(3,3), read as
 * standard errors; a correct program fails for 1 in 10,000 seeds. */
Test(published, limit_at_60_faults_on_mikant_3_3)
{
    const uint64_t faults[] = {60}, trials = TEST_ROUNDS(2000000);
    fl_axis axis = {.fault_points = 1, .counts = faults};
    setting t =
        need_setting("mikant:k=3,n=3", "links", &axis, (const char *const[]){"limit", NULL});
    fl_counts *counts = need_counts(&t, 0, trials, 2);
    const fl_count *count = count_of(counts, 0, 0);
    double n = (double)count->delivered, ratio = n / (double)trials,
           length = (double)count->length_sum / n;
    double ratio_error = sqrt(ratio * (1 - ratio) / (double)trials);
    double length_error = sqrt(((double)count->length_squares / n - length * length) / n);
    cr_expect(fabs(ratio - .250035) <= 4 * hypot(ratio_error, .000085), "success %.6f +- %.6f",
              ratio, ratio_error);
    cr_expect(fabs(length - 6.14598) <= 4 * hypot(length_error, .0007), "length %.5f +- %.5f",
              length, length_error);
    fl_counts_destroy(counts);
    free_setting(&t);
}

/* Without faults: 271/53 (docs/algorithms.md), and everything is delivered. */
Test(published, without_faults_the_limits_are_shortest_paths)
{
    const uint64_t faults[] = {0};
    fl_axis axis = {.fault_points = 1, .counts = faults};
    setting t = need_setting("mikant:k=3,n=3", "links", &axis,
                             (const char *const[]){"shortest", "limit", "minimal-limit", NULL});
    fl_counts *counts = need_counts(&t, 0, 20000, 1);
    cr_expect(same_count(count_of(counts, 0, 0), count_of(counts, 1, 0)) &&
                  same_count(count_of(counts, 0, 0), count_of(counts, 2, 0)) &&
                  count_of(counts, 0, 0)->delivered == 20000,
              "all deliver over the same lengths");
    fl_counts_destroy(counts);
    free_setting(&t);
}

/* ---- completed orders ---- */

/* All links in random order; the first `asked` of them are asked about one by one. */
static void complete(fl_order *order, const fl_network *network, uint64_t asked, fl_rng *rng,
                     uint32_t *fails_at)
{
    fl_link *links = need_memory(network->links, sizeof *links);
    uint32_t *answers = need_memory(network->links, sizeof *answers);
    for (uint64_t i = 0; i < network->links; i++)
        links[i] = network->type->link_code(network, i);
    for (uint64_t i = 0; i + 1 < network->links; i++) {
        uint64_t other = i + fl_rng_below(rng, network->links - i);
        fl_link chosen = links[other];
        links[other] = links[i];
        links[i] = chosen;
    }
    for (uint64_t i = 0; i < asked; i++)
        fails_at[network->type->link_index(network, links[i])] = fl_order_fails_at(order, links[i]);
    fl_order_complete(order, links, network->links, answers);
    for (uint64_t i = 0; i < network->links; i++) {
        uint64_t index = network->type->link_index(network, links[i]);
        cr_assert(i >= asked || fails_at[index] == answers[i],
                  "what was asked before keeps its answer");
        fails_at[index] = answers[i];
    }
    free(links);
    free(answers);
}

/* The number of links that fail at each fault point: the faults that the point adds. */
static void check_multiset(const char *spec, const char *model_spec, const fl_axis *axis,
                           uint64_t asked, unsigned rounds)
{
    fl_network *network = need_network(spec);
    fl_fault_model *model = need_model(network, model_spec, axis);
    fl_order *order = need_order(model);
    uint32_t *fails_at = need_memory(network->links, sizeof *fails_at);
    uint64_t *found = need_memory(axis->fault_points + 1, sizeof *found);
    fl_rng rng;
    fl_rng_seed(&rng, 3, FL_PURPOSE_FAULTS, 0);
    for (unsigned round = 0; round < rounds; round++) {
        fl_order_begin(order, 9, round);
        complete(order, network, asked, &rng, fails_at);
        cr_assert(fl_order_is_sound(order), "%s: memory", spec);
        memset(found, 0, (axis->fault_points + 1) * sizeof *found);
        for (uint64_t i = 0; i < network->links; i++)
            found[fails_at[i] < axis->fault_points ? fails_at[i] : axis->fault_points]++;
        for (uint32_t fault_point = 0; fault_point < axis->fault_points; fault_point++)
            cr_assert(found[fault_point] == axis->counts[fault_point] -
                                                (fault_point ? axis->counts[fault_point - 1] : 0),
                      "%s, %s, level %u", spec, model_spec, fault_point);
    }
    free(fails_at);
    free(found);
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

Test(completed_orders, give_every_place_once)
{
    fl_axis all = every_count(135), some = every_count(54),
            few = {.fault_points = 3, .counts = (uint64_t[]){1, 700, 45056}};
    fl_axis large = {.fault_points = 4, .counts = (uint64_t[]){0, 1, 1000000, 2883583}};
    for (uint64_t asked = 0; asked <= 135; asked += 9)
        check_multiset("mikant:k=3,n=3", "links", &all, asked, TEST_ROUNDS(50));
    check_multiset("mikant:k=3,n=3", "links:class=node-links", &some, 40, TEST_ROUNDS(50));
    check_multiset("mikant:k=4,n=6", "links", &few, 0, 2); /* hashed */
    check_multiset("mikant:k=4,n=6", "links", &few, 20000, 2);
    check_multiset("mikant:k=8,n=6", "links", &large, 0,
                   1); /* and more places than a bit set holds */
    check_multiset("mikant:k=8,n=6", "links", &large, 1000, 1);
    free_axis(&all);
    free_axis(&some);
}

/* Every link is equally likely to have every place, asked about before or not. One p-value of three
 * is below 1e-5 for 3 seeds in 100,000. */
Test(completed_orders, are_fair)
{
    enum { LINKS = 12 };
    fl_network *network = need_network("mikant:k=2,n=2");
    fl_axis axis = every_count(LINKS);
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    fl_link links[LINKS];
    for (uint64_t i = 0; i < LINKS; i++)
        links[i] = network->type->link_code(network, i);
    for (unsigned asked = 0; asked <= 8; asked += 4) {
        uint64_t counts[LINKS * LINKS] = {0}, pairs[LINKS * LINKS] = {0};
        uint32_t answers[LINKS];
        for (uint64_t trial = 0; trial < (uint64_t)TEST_ROUNDS(200000); trial++) {
            fl_order_begin(order, 11, trial);
            for (unsigned i = 0; i < asked; i++)
                fl_order_fails_at(order, links[i]);
            fl_order_complete(order, links, LINKS, answers);
            for (unsigned i = 0; i < LINKS; i++)
                counts[i * LINKS + answers[i] - 1]++;
            pairs[(answers[1] - 1) * LINKS + answers[10] - 1]++;
        }
        /* Rows and columns add up: (LINKS - 1)^2 degrees of freedom, and the statistic of a
         * random permutation is LINKS / (LINKS - 1) times too small. */
        double expected = (double)TEST_ROUNDS(200000) / LINKS, sum = 0;
        for (unsigned i = 0; i < LINKS * LINKS; i++)
            sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
        double p = chi_square_tail(sum * (LINKS - 1) / LINKS, (LINKS - 1) * (LINKS - 1));
        cr_expect(p > 1e-5, "%u asked before: p = %g", asked, p);
        uint64_t cells[LINKS * (LINKS - 1)];
        unsigned used = 0;
        for (unsigned i = 0; i < LINKS * LINKS; i++)
            if (i / LINKS != i % LINKS)
                cells[used++] = pairs[i];
        cr_expect(uniform_p_value(cells, used) > 1e-5, "%u asked before: places of two links",
                  asked);
    }
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

/* Where places are not dealt out in advance, completing the order is asking about all links. */
static void expect_same_as_asking(const char *spec, const char *model_spec)
{
    fl_network *network = need_network(spec);
    fl_axis axis = even_rates(50);
    fl_fault_model *model = need_model(network, model_spec, &axis);
    fl_order *order = need_order(model), *asked = need_order(model);
    fl_link *links = need_memory(network->links, sizeof *links);
    uint32_t *answers = need_memory(network->links, sizeof *answers);
    for (uint64_t i = 0; i < network->links; i++)
        links[i] = network->type->link_code(network, i);
    for (uint64_t trial = 0; trial < 50; trial++) {
        fl_order_begin(order, 4, trial);
        fl_order_begin(asked, 4, trial);
        fl_order_complete(order, links, network->links, answers);
        for (uint64_t i = 0; i < network->links; i++)
            cr_assert(answers[i] == fl_order_fails_at(asked, links[i]), "%s, %s", spec, model_spec);
    }
    free(links);
    free(answers);
    fl_order_destroy(order);
    fl_order_destroy(asked);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

Test(completed_orders, ask_where_parts_are_not_links)
{
    expect_same_as_asking("mikant:k=3,n=3", "switches");
    expect_same_as_asking("mikant:k=3,n=3", "bundles:size=2");
    expect_same_as_asking("mikant:k=3,n=3", "neighbours:size=2");
    expect_same_as_asking("mikant:k=3,n=3", "links:draw=independent,class=cross-links");
    expect_same_as_asking("mikant:k=3,n=3", "list:5;7;100;3");
    expect_same_as_asking("kary-ntree:k=4,n=6", "switches");
}

/* ---- names ---- */

Test(names, limits_are_no_parts_of_routers)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_router *router = NULL;
    fl_error error = {.text = ""};
    expect_refused(fl_router_create(&router, network, "limit+gns", FL_SCOPE_DETOUR, &error), &error,
                   "limit+gns", "'limit+gns'");
    expect_refused(fl_router_create(&router, network, "gdl+minimal-limit", FL_SCOPE_DETOUR, &error),
                   &error, "gdl+minimal-limit", "minimal-limit");
    expect_refused(fl_router_create(&router, network, "limt", FL_SCOPE_DETOUR, &error), &error,
                   "limt", "did you mean 'limit'");
    fl_network_destroy(network);
}

Test(names, nothing_walks_through_a_limit)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_router *router = need_router(network, "limit", FL_SCOPE_DETOUR);
    fl_axis axis = every_count(10);
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    fl_view view = {.network = network, .order = order};
    fl_walk_result result;
    fl_error error = {.text = ""};
    fl_order_begin(order, 1, 1);
    expect_refused(fl_walk(router, &view, network->type->node_address(network, 0),
                           network->type->node_address(network, 1), NULL, NULL, &result, &error),
                   &error, "limit", "'limit'");
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_router_destroy(router);
    fl_network_destroy(network);
}

static fl_status parse(fl_experiment **out, const char *topology, const char *routers,
                       fl_error *error)
{
    char text[500];
    snprintf(text, sizeof text, "{\"topology\":\"%s\",\"routers\":[%s],\"trials\":1000}", topology,
             routers);
    return fl_experiment_parse(out, text, strlen(text), "test", error);
}

Test(names, networks_too_large_to_hold_are_refused)
{
    fl_experiment *experiment = NULL;
    fl_error error = {.text = ""};
    expect_refused(parse(&experiment, "mikant:k=16,n=6", "\"shortest\",\"minimal-limit\"", &error),
                   &error, "mikant:k=16,n=6", "16777216");
    expect_refused(parse(&experiment, "mikant:k=3,n=3", "\"limit\",\"shortest\",\"limit\"", &error),
                   &error, "limit twice", "'limit'");
    fl_network *network = need_network("mikant:k=16,n=6");
    fl_axis axis = even_rates(5);
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_router *router = need_router(network, "limit", FL_SCOPE_DETOUR);
    fl_sweep sweep = {.network = network,
                      .model = model,
                      .routers = &router,
                      .router_count = 1,
                      .trials = 1,
                      .threads = 1};
    fl_counts *counts = fl_counts_create(1, 5);
    expect_refused(fl_sweep_run(&sweep, counts, &error), &error, "mikant:k=16,n=6", "too large");
    fl_counts_destroy(counts);
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

Test(names, the_summary_compares_with_the_limit)
{
    fl_experiment *experiment = NULL;
    fl_results *results = NULL;
    fl_error error = {.text = ""};
    cr_assert(parse(&experiment, "mikant:k=3,n=3", "\"shortest\",\"limit\",\"minimal-limit\"",
                    &error) == FL_OK,
              "%s", error.text);
    cr_assert(fl_experiment_run(&results, experiment, &(fl_run_options){.threads = 1}, &error) ==
                  FL_OK,
              "%s", error.text);
    fl_text text = {0};
    fl_results_summary(results, &text);
    const char *fraction = text.data ? strstr(text.data, "fraction of limit") : NULL;
    cr_assert(fraction != NULL, "%s", text.data);
    cr_expect(strstr(fraction, "shortest ") && strstr(fraction, "minimal-limit ") &&
                  strstr(fraction, "1.0000"),
              "%s", fraction);
    fl_text_clear(&text);
    fl_results_destroy(results);
    fl_experiment_destroy(experiment);
}
