/* experiments/layout: clusters, places, cables and sums, against sums by hand, counting link by
 * link, and trying every placement. */
#include "experiments/layout/private.h"
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fl_network *network_of(const char *spec)
{
    fl_network *network;
    fl_error error = {.text = ""};
    cr_assert(fl_network_create(&network, spec, &error) == FL_OK, "%s", error.text);
    return network;
}

/* Round figures that make sums easy. */
static fl_costs round_costs(double units)
{
    return (fl_costs){.name = "round",
                      .currency = "EUR",
                      .cabinet_width = 1,
                      .cabinet_depth = 3,
                      .cabinet_units = units,
                      .inside_cabinet = 1,
                      .between_overhead = 2,
                      .copper_limit = 1,
                      .bandwidth = 10,
                      .copper_fixed = 1,
                      .copper_per_m = 2,
                      .fibre_fixed = 5,
                      .fibre_per_m = 0.5,
                      .switch_fixed = 100,
                      .switch_per_port = 10,
                      .copper_power = 0.25,
                      .fibre_power = 2,
                      .switch_power_fixed = 7,
                      .switch_power_per_port = 3};
}

static fl_floorplan *plan_of(const fl_network *network, const fl_costs *costs, uint64_t seed)
{
    fl_floorplan *plan;
    fl_error error = {.text = ""};
    cr_assert(fl_floorplan_create(&plan, network, costs, seed, &error) == FL_OK, "%s", error.text);
    return plan;
}

/* ---- sums by hand ---- */

/* A ring of 4 switches with 2 nodes each, 3 vertices a cabinet: a switch and its nodes stay
 * together, and the ring stands on 2 x 2 slots, so that 2 of its links go 1 m and 2 go 3 m. */
Test(layout, sums_of_a_ring_are_those_by_hand)
{
    fl_network *network = network_of("torus:k=4,n=1,p=2");
    const fl_costs costs = round_costs(3);
    fl_floorplan *plan = plan_of(network, &costs, 1);
    const fl_floorplan_totals *t = fl_floorplan_totals_of(plan);
    cr_assert_eq(t->cabinets, 4);
    cr_assert_eq(t->rows, 2);
    cr_assert_eq(t->columns, 2);
    cr_assert_eq(t->inside, 8);
    cr_assert_eq(t->copper.count, 8);
    cr_assert_eq(t->copper.length, 8000);
    cr_assert_eq(t->fibre.count, 4);
    cr_assert_eq(t->fibre.length, 4 * 2000 + 2 * 1000 + 2 * 3000);
    cr_assert_eq(t->fibre.longest, 5000);
    cr_assert_eq(t->all.length, 24000);
    cr_assert_eq(t->copper.cost, 10 * (8 * 1 + 8 * 2));
    cr_assert_eq(t->fibre.cost, 10 * (4 * 5 + 16 * 0.5));
    cr_assert_eq(t->switch_cost, 4 * (100 + 4 * 10));
    cr_assert_eq(t->cost, 240 + 280 + 560);
    cr_assert_eq(t->switch_power, 4 * (7 + 4 * 3));
    cr_assert_eq(t->power, 76 + 8 * 0.25 + 4 * 2);
    fl_floorplan_destroy(plan);
    fl_network_destroy(network);
}

Test(layout, one_cabinet_has_copper_only)
{
    fl_network *network = network_of("clique:m=3,r=4");
    const fl_costs costs = round_costs(40);
    fl_floorplan *plan = plan_of(network, &costs, 1);
    const fl_floorplan_totals *t = fl_floorplan_totals_of(plan);
    cr_assert_eq(t->cabinets, 1);
    cr_assert_eq(t->fibre.count, 0);
    cr_assert_eq(t->inside, network->links);
    cr_assert_eq(t->all.length, 1000 * network->links);
    fl_floorplan_destroy(plan);
    fl_network_destroy(network);
}

/* The limit itself is copper, and what is longer is fibre. */
Test(layout, copper_ends_behind_the_limit)
{
    fl_network *network = network_of("torus:k=4,n=1,p=2");
    fl_costs costs = round_costs(3);
    const struct {
        double limit;
        uint64_t copper;
    } cases[] = {{0.999, 0}, {1, 8}, {2.999, 8}, {3, 10}, {4.9, 10}, {5, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        costs.copper_limit = cases[i].limit;
        fl_floorplan *plan = plan_of(network, &costs, 1);
        cr_expect_eq(fl_floorplan_totals_of(plan)->copper.count, cases[i].copper, "limit %g",
                     cases[i].limit);
        fl_floorplan_destroy(plan);
    }
    fl_network_destroy(network);
}

/* The groups of a dragonfly fill a cabinet each (Yasudo thesis, 3.5.5.2). */
Test(layout, groups_of_a_dragonfly_stay_together)
{
    fl_network *network = network_of("dragonfly:a=4");
    const fl_network_type *type = network->type;
    fl_costs costs = round_costs(4 + 4 * 2);
    fl_floorplan *plan = plan_of(network, &costs, 1);
    cr_assert_eq(fl_floorplan_totals_of(plan)->cabinets, 9);
    for (uint64_t s = 0; s < network->switches; s++)
        cr_expect_eq(fl_floorplan_cabinet(plan, type->switch_address(network, s)),
                     fl_floorplan_cabinet(plan, type->switch_address(network, s / 4 * 4)));
    cr_assert_eq(fl_floorplan_totals_of(plan)->fibre.count, 9 * 8 / 2);
    fl_floorplan_destroy(plan);
    fl_network_destroy(network);
}

/* ---- every family ---- */

static const char *const specs[] = {
    "mikant:k=3,n=3",
    "kary-ntree:k=3,n=3",
    "torus:k=4,n=2,p=2",
    "dragonfly:a=4",
    "fattree3:K=4",
    "random:n=64,m=16,r=8,seed=1",
    "la:p=2,net=torus:k=3,n=2,p=2",
    "nd:p=2,net=torus:k=3,n=2,p=2",
    "pla:p=2,net=torus:k=4,n=2,p=2",
    "pp:p=3,net=clique:m=3,r=4",
    "kns:k=4,n=2",
};
enum { SPECS = sizeof specs / sizeof *specs };

static uint64_t difference(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Sums of a plan, link by link, from what it says about cabinets. */
static void compare_with_links(const fl_network *network, const fl_floorplan *plan,
                               const fl_costs *costs)
{
    const fl_network_type *type = network->type;
    const fl_floorplan_totals *t = fl_floorplan_totals_of(plan);
    uint64_t length = 0, copper = 0, longest = 0;
    double cost = 0;
    for (uint64_t i = 0; i < network->links; i++) {
        fl_link_ends ends;
        uint32_t row[2], column[2];
        type->link_ends(network, type->link_code(network, i), &ends);
        uint32_t a = fl_floorplan_cabinet(plan, ends.a), b = fl_floorplan_cabinet(plan, ends.b);
        fl_floorplan_place(plan, a, &row[0], &column[0]);
        fl_floorplan_place(plan, b, &row[1], &column[1]);
        uint64_t way = 3000 * difference(row[0], row[1]) + 1000 * difference(column[0], column[1]);
        uint64_t cable = a == b ? 1000 : 2000 + way;
        cr_assert(a == b || way > 0, "%s: two cabinets on one slot", network->spec);
        cr_assert_eq(cable, fl_floorplan_length(plan, i));
        cr_assert_eq(a == b, fl_floorplan_is_copper(plan, i));
        length += cable;
        copper += a == b;
        longest = cable > longest ? cable : longest;
        cost += costs->bandwidth *
                (a == b ? costs->copper_fixed + costs->copper_per_m
                        : costs->fibre_fixed + costs->fibre_per_m * (double)cable / 1000);
    }
    cr_assert_eq(t->all.length, length);
    cr_assert_eq(t->all.count, network->links);
    cr_assert_eq(t->copper.count, copper);
    cr_assert_eq(t->all.longest, longest);
    cr_assert_float_eq(t->all.cost, cost, 1e-6 * cost);
    cr_assert_leq(t->all.length, t->identity);
}

static void compare_with_limits(const fl_network *network, const fl_floorplan *plan, uint32_t units)
{
    const fl_network_type *type = network->type;
    uint64_t vertices = network->nodes + network->switches;
    uint32_t cabinets = fl_floorplan_totals_of(plan)->cabinets;
    uint32_t *inside = calloc(cabinets, sizeof *inside);
    cr_assert_eq(cabinets, (vertices + units - 1) / units);
    for (uint64_t v = 0; v < vertices; v++) {
        fl_address address = v < network->nodes ? type->node_address(network, v)
                                                : type->switch_address(network, v - network->nodes);
        uint32_t cabinet = fl_floorplan_cabinet(plan, address);
        cr_assert_lt(cabinet, cabinets);
        inside[cabinet]++;
    }
    for (uint32_t c = 0; c < cabinets; c++)
        cr_assert_leq(inside[c], units, "%s: cabinet %u", network->spec, c);
    free(inside);
}

Test(layout, plans_agree_with_counting_link_by_link)
{
    static const uint32_t units[] = {4, 7, 20};
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = network_of(specs[i]);
        for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
            const fl_costs costs = round_costs(units[u]);
            fl_floorplan *plan = plan_of(network, &costs, i);
            compare_with_links(network, plan, &costs);
            compare_with_limits(network, plan, units[u]);
            fl_floorplan_destroy(plan);
        }
        fl_network_destroy(network);
    }
}

Test(layout, the_same_seed_gives_the_same_plan)
{
    fl_network *network = network_of("random:n=64,m=16,r=8,seed=1");
    const fl_costs costs = round_costs(5);
    fl_text texts[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        fl_floorplan *plan = plan_of(network, &costs, i == 2 ? 8 : 7);
        fl_floorplan_vertices_csv(plan, &texts[i]);
        fl_floorplan_destroy(plan);
    }
    cr_assert_str_eq(texts[0].data, texts[1].data);
    cr_assert_str_neq(texts[0].data, texts[2].data);
    for (int i = 0; i < 3; i++)
        fl_text_clear(&texts[i]);
    fl_network_destroy(network);
}

/* ---- places ---- */

/* The shortest way over all placements of the cabinets from `cabinet` on. */
static uint64_t shortest(const fl_floor *on, const fl_bundles *bundles, uint32_t *slot,
                         uint32_t cabinet, unsigned taken)
{
    uint64_t best = UINT64_MAX;
    if (cabinet == bundles->cabinets)
        return fl_floor_length(on, bundles, slot);
    for (uint32_t s = 0; s < on->rows * on->columns; s++) {
        if (taken >> s & 1)
            continue;
        slot[cabinet] = s;
        uint64_t length = shortest(on, bundles, slot, cabinet + 1, taken | 1u << s);
        best = length < best ? length : best;
    }
    return best;
}

Test(layout, small_placements_are_the_shortest_of_all)
{
    const struct {
        uint32_t cabinets, rows, columns;
    } floors[] = {{2, 1, 2}, {4, 2, 2}, {5, 3, 2}, {6, 3, 2}, {7, 4, 2}};
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t which = seed % (sizeof floors / sizeof *floors);
        fl_rng rng;
        fl_rng_seed(&rng, seed, FL_PURPOSE_PAIRS, 0);
        const fl_floor on = {floors[which].rows, floors[which].columns, 600, 2100};
        uint32_t n = floors[which].cabinets, cluster[8], slot[8];
        fl_link_pair pairs[30];
        const fl_link_list list = {n, 0, 30, pairs};
        for (uint32_t c = 0; c < n; c++)
            cluster[c] = c;
        for (int i = 0; i < 30; i++) {
            pairs[i].a = fl_rng_below32(&rng, n);
            pairs[i].b = (pairs[i].a + 1 + fl_rng_below32(&rng, n - 1)) % n;
        }
        fl_bundles bundles;
        cr_assert(fl_bundles_create(&bundles, &list, cluster, n, NULL) == FL_OK);
        uint64_t least = shortest(&on, &bundles, slot, 0, 0);
        cr_assert(fl_floor_place(slot, &on, &bundles, seed, NULL) == FL_OK);
        cr_expect_eq(fl_floor_length(&on, &bundles, slot), least, "seed %d", (int)seed);
        fl_bundles_destroy(&bundles);
    }
}

/* ---- files of costs ---- */

Test(layout, default_costs_are_those_of_the_model)
{
    fl_costs costs;
    fl_error error = {.text = ""};
    cr_assert(fl_costs_default(&costs, &error) == FL_OK, "%s", error.text);
    cr_assert_str_eq(costs.currency, "USD");
    cr_assert_float_eq(costs.switch_fixed + 15 * costs.switch_per_port, 4363.7, 1e-9);
    cr_assert_float_eq(15 * costs.switch_power_per_port, 42, 1e-12);
    /* As published: beyond 1 m a fibre is dearer than copper until they cross. */
    double cross =
        (costs.fibre_fixed - costs.copper_fixed) / (costs.copper_per_m - costs.fibre_per_m);
    cr_assert_float_eq(cross, 21.194, 1e-3);
}

/* The default file with one piece of text replaced. */
static void check_refusal(const char *old, const char *new, const char *expected)
{
    fl_costs costs;
    fl_error error = {.text = ""};
    fl_text text = {0};
    const char *all = fl_costs_file[0].text, *at = strstr(all, old);
    cr_assert_not_null(at, "%s", old);
    fl_text_append_bytes(&text, all, (size_t)(at - all));
    fl_text_append(&text, "%s%s", new, at + strlen(old));
    cr_expect_eq(fl_costs_parse(&costs, text.data, text.length, "c.json", &error), FL_ERR_INVALID,
                 "%s", new);
    cr_expect_not_null(strstr(error.text, expected), "%s: %s", new, error.text);
    fl_text_clear(&text);
}

Test(layout, wrong_costs_are_refused_by_name)
{
    check_refusal("\"fibre_fixed\"", "\"fiber_fixed\"", "did you mean 'fibre_fixed'");
    check_refusal("\"currency\"", "\"curency\"", "did you mean 'currency'");
    check_refusal("\"USD\"", "\"EUR\"",
                  "copper_fixed: \"unit\": 'USD/(Gb/s)' is not its unit, "
                  "'EUR/(Gb/s)'");
    check_refusal("\"value\": 40, \"unit\": \"U\"", "\"value\": 0, \"unit\": \"U\"",
                  "cabinet_units: \"value\": 0 is not from 1 to 1e+06");
    check_refusal("\"value\": 40, \"unit\": \"U\"", "\"value\": 1.5, \"unit\": \"U\"",
                  "1.5 is not a whole number");
    check_refusal("\"value\": 2.8", "\"value\": \"2.8\"",
                  "switch_power_per_port: \"value\": expected a number");
    check_refusal("\"value\": 0.6,", "\"value\": -0.6,", "cabinet_width: \"value\": -0.6");
    check_refusal("\"unit\": \"U\", \"source\"", "\"unit\": \"U\", \"origin\"", "'origin'");
    check_refusal("\"coefficients\": {", "\"coefficients\": 3, \"about\": {", "twice");
}

Test(layout, a_missing_coefficient_is_named)
{
    static const char text[] = "{\"name\": \"x\", \"about\": \"y\", \"currency\": \"USD\", "
                               "\"coefficients\": {}}";
    fl_costs costs;
    fl_error error = {.text = ""};
    cr_assert_eq(fl_costs_parse(&costs, text, strlen(text), "c.json", &error), FL_ERR_INVALID);
    cr_assert_str_eq(error.text,
                     "c.json: cabinet_width: it is missing; expected {\"value\": NUMBER, "
                     "\"unit\": \"m\", \"source\": \"TEXT\"}");
}
