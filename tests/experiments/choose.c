#include "tests/support.h"

#include "experiments/experiments.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static fl_candidates *candidates(fl_candidate_options options)
{
    fl_candidates *found;
    fl_error error;
    cr_assert(!fl_candidates_create(&found, &options, &error), "%s", error.text);
    return found;
}

static const fl_proposal *find(const fl_candidates *found, const char *spec)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->of[i].spec, spec) == 0)
            return &found->of[i];
    cr_assert(false, "%s is not among them", spec);
    return NULL;
}

/* MiKANT paper, V.A; Wang thesis, 3.2, by its formula (for the printed value, see the
 * catalogue). */
Test(choose, the_networks_that_the_sources_choose_by_hand_are_listed)
{
    fl_candidates *found =
        candidates((fl_candidate_options){.nodes = 524288, .within = 10, .radix_max = 64});
    const fl_proposal *mikant = find(found, "mikant:k=8,n=6"),
                      *micat = find(found, "micat:k=4,n=7");
    cr_expect_float_eq(mikant->rcp, .457, .0005);
    cr_expect_float_eq(mikant->rcp, 192. / 420, 1e-12);
    cr_expect_eq(mikant->nodes, 524288);
    cr_expect_eq(mikant->faults, 7);
    cr_expect_float_eq(mikant->average_distance, 11.357165064, 1e-8);
    cr_expect_eq(micat->nodes, 491520);
    cr_expect_float_eq(micat->rcp, 8. * 22 / ((log2(491520) + 1) * (log2(491520) + 2)), 1e-12);
    cr_expect_float_eq(find(found, "hypercube:k=19,p=1")->rcp, 1, 1e-12);
    fl_candidates_destroy(found);
}

/* Everything that is listed from closed forms, by search and maximum flow. */
Test(choose, what_is_listed_is_what_is_measured)
{
    const uint64_t sizes[] = {6, 16, 40, 64, 100, 128, 250, 512};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        fl_candidates *found = candidates((fl_candidate_options){.nodes = sizes[s], .within = 20});
        cr_expect_geq(found->count, 2, "%llu nodes", (unsigned long long)sizes[s]);
        for (size_t i = 0; i < found->count; i++) {
            const fl_proposal *c = &found->of[i];
            fl_network *network;
            fl_metrics metrics;
            fl_metrics_options options = {.wanted = FL_METRICS_DISTANCES | FL_METRICS_CONNECTIVITY};
            cr_assert(!fl_network_create(&network, c->spec, NULL), "%s", c->spec);
            cr_assert(!fl_network_check(network, NULL), "%s", c->spec);
            cr_assert(!fl_metrics_compute(&metrics, network, &options, NULL), "%s", c->spec);
            cr_expect(c->nodes == network->nodes && c->switches == network->switches &&
                          c->radix == network->radix,
                      "%s", c->spec);
            cr_expect(fabs((double)c->nodes / (double)sizes[s] - 1) <= .2 + 1e-12, "%s", c->spec);
            cr_expect_eq((uint32_t)c->diameter, metrics.diameter, "%s: %g, measured %u", c->spec,
                         c->diameter, metrics.diameter);
            cr_expect_float_eq(c->average_distance, metrics.average_distance, 1e-9,
                               "%s: %.12g, measured %.12g", c->spec, c->average_distance,
                               metrics.average_distance);
            if (c->switches > 1 && metrics.edge_connectivity >= 0)
                cr_expect_eq((int64_t)c->faults + 1, metrics.edge_connectivity,
                             "%s: %u faults, connectivity %lld", c->spec, c->faults,
                             (long long)metrics.edge_connectivity);
            fl_network_destroy(network);
        }
        fl_candidates_destroy(found);
    }
}

static double key(const fl_proposal *c, fl_candidate_order order, double nodes)
{
    double keys[FL_CANDIDATE_ORDERS] = {c->rcp,
                                        c->ports_per_node,
                                        c->average_distance,
                                        -(double)c->faults,
                                        c->radix,
                                        fabs((double)c->nodes - nodes)};
    return keys[order];
}

Test(choose,
     the_list_is_in_the_order_asked_for_and_the_recommendation_the_best_that_tolerates_a_fault)
{
    for (int order = 0; order < FL_CANDIDATE_ORDERS; order++) {
        fl_candidates *found = candidates((fl_candidate_options){
            .nodes = 1000, .within = 15, .radix_max = 24, .order = (fl_candidate_order)order});
        cr_assert_lt(found->recommended, found->count);
        const fl_proposal *best = &found->of[found->recommended];
        for (size_t i = 0; i < found->count; i++) {
            const fl_proposal *c = &found->of[i];
            cr_expect_leq(c->radix, 24);
            if (i > 0)
                cr_expect_leq(key(c - 1, (fl_candidate_order)order, 1000),
                              key(c, (fl_candidate_order)order, 1000), "%s", c->spec);
            if (c->faults > 0) {
                cr_expect_leq(best->rcp, c->rcp, "%s", c->spec);
                cr_expect_leq(found->of[found->cheapest].ports_per_node, c->ports_per_node, "%s",
                              c->spec);
                cr_expect_leq(found->of[found->shortest].average_distance, c->average_distance,
                              "%s", c->spec);
                cr_expect_geq(found->of[found->safest].faults, c->faults, "%s", c->spec);
            }
        }
        fl_candidates_destroy(found);
    }
}

Test(choose, no_other_is_better_than_one_that_is_not_dominated)
{
    fl_candidates *found =
        candidates((fl_candidate_options){.nodes = 4096, .within = 10, .radix_max = 48});
    size_t free_ones = 0;
    for (size_t i = 0; i < found->count; i++) {
        const fl_proposal *a = &found->of[i];
        bool beaten = false;
        for (size_t j = 0; j < found->count; j++) {
            const fl_proposal *b = &found->of[j];
            double da = isnan(a->average_distance) ? 1e9 : a->average_distance,
                   db = isnan(b->average_distance) ? 1e9 : b->average_distance;
            bool as_good = b->radix <= a->radix && b->ports_per_node <= a->ports_per_node &&
                           db <= da && b->faults >= a->faults;
            bool same = b->radix == a->radix && b->ports_per_node == a->ports_per_node &&
                        db == da && b->faults == a->faults;
            beaten |= as_good && !same;
        }
        cr_expect_eq(a->dominated, beaten, "%s", a->spec);
        free_ones += !beaten;
    }
    cr_expect_geq(free_ones, 3);
    fl_candidates_destroy(found);
}

Test(choose, of_networks_that_differ_in_k_alone_the_nearest_is_listed)
{
    fl_candidates *found = candidates((fl_candidate_options){.nodes = 1000, .within = 50});
    size_t tori = 0;
    for (size_t i = 0; i < found->count; i++)
        tori += strncmp(found->of[i].spec, "torus:", 6) == 0 && strstr(found->of[i].spec, ",n=2,");
    cr_expect_eq(tori, 1);
    find(found, "torus:k=32,n=2,p=1"); /* 1024; 31 x 31 = 961 */
    find(found, "kary-ntree:k=10,n=3");
    fl_candidates_destroy(found);
}

Test(choose, options_that_make_no_sense_are_refused)
{
    fl_candidates *found;
    fl_error error;
    const fl_candidate_options wrong[] = {{.nodes = 1, .within = 10},
                                          {.nodes = FL_CANDIDATE_NODES_MAX + 1, .within = 10},
                                          {.nodes = 10, .within = -1},
                                          {.nodes = 10, .within = 51},
                                          {.nodes = 10, .within = NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(fl_candidates_create(&found, &wrong[i], &error), FL_ERR_INVALID, "case %zu",
                     i);
    found = candidates((fl_candidate_options){.nodes = 1000, .within = 0, .radix_max = 3});
    cr_expect_eq(found->count, 0);
    cr_expect_eq(found->recommended, 0);
    fl_candidates_destroy(found);
}
