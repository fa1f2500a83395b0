/* Two-terminal reliability: against counting all sets of links, against a Monte Carlo simulation,
 * against relations between the curves of different graphs, and against known values. */
#include "faultline.h"
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- graphs from lists of links ---- */

enum { LINKS_MOST = 160 };

typedef struct link_list {
    uint32_t vertices, links;
    uint32_t a[LINKS_MOST], b[LINKS_MOST];
} link_list;

static void add_link(link_list *list, uint32_t a, uint32_t b)
{
    cr_assert(list->links < LINKS_MOST, "too many links in a test");
    list->a[list->links] = a;
    list->b[list->links++] = b;
    list->vertices = list->vertices > a ? list->vertices : a + 1;
    list->vertices = list->vertices > b ? list->vertices : b + 1;
}

/* Every vertex counts as a node. */
static fl_graph *graph_of(const link_list *list)
{
    fl_graph *graph = need_memory(1, sizeof *graph);
    graph->vertices = graph->nodes = list->vertices;
    graph->offsets = need_memory(list->vertices + 1, sizeof *graph->offsets);
    graph->targets = need_memory(2 * (size_t)list->links, sizeof *graph->targets);
    graph->links = need_memory(2 * (size_t)list->links, sizeof *graph->links);
    uint64_t at = 0;
    for (uint32_t v = 0; v < list->vertices; v++) {
        graph->offsets[v] = at;
        for (uint32_t e = 0; e < list->links; e++)
            for (unsigned side = 0; side < 2; side++)
                if ((side ? list->b[e] : list->a[e]) == v) {
                    graph->targets[at] = side ? list->a[e] : list->b[e];
                    graph->links[at++] = e;
                }
    }
    graph->offsets[list->vertices] = at;
    return graph;
}

static link_list links_of_network(const char *spec)
{
    fl_network *network = need_network(spec);
    fl_graph *graph = NULL;
    fl_error error = {.text = ""};
    link_list list = {0};
    cr_assert(fl_graph_create(&graph, network, &error) == FL_OK, "%s", error.text);
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            if (v < graph->targets[e])
                add_link(&list, v, graph->targets[e]);
    fl_graph_destroy(graph);
    fl_network_destroy(network);
    return list;
}

static link_list complete(uint32_t count)
{
    link_list list = {0};
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++)
            add_link(&list, a, b);
    return list;
}

static link_list complete_bipartite(uint32_t left, uint32_t right)
{
    link_list list = {0};
    for (uint32_t a = 0; a < left; a++)
        for (uint32_t b = 0; b < right; b++)
            add_link(&list, a, left + b);
    return list;
}

static link_list cycle(uint32_t length)
{
    link_list list = {0};
    for (uint32_t a = 0; a < length; a++)
        add_link(&list, a, (a + 1) % length);
    return list;
}

static link_list grid(uint32_t rows, uint32_t columns)
{
    link_list list = {0};
    for (uint32_t v = 0; v < rows * columns; v++) {
        if (v % columns + 1 < columns)
            add_link(&list, v, v + 1);
        if (v + columns < rows * columns)
            add_link(&list, v, v + columns);
    }
    return list;
}

static link_list petersen(void)
{
    link_list list = {0};
    for (uint32_t a = 0; a < 5; a++) {
        add_link(&list, a, (a + 1) % 5);
        add_link(&list, a, a + 5);
        add_link(&list, a + 5, (a + 2) % 5 + 5);
    }
    return list;
}

static link_list cube(uint32_t dimensions)
{
    link_list list = {0};
    for (uint32_t v = 0; v < 1u << dimensions; v++)
        for (uint32_t d = 0; d < dimensions; d++)
            if (!(v >> d & 1))
                add_link(&list, v, v | 1u << d);
    return list;
}

/* Parallel links, loops, dead ends and separate components are all needed. */
static link_list random_links(fl_rng *rng, uint32_t vertices, uint32_t links)
{
    link_list list = {.vertices = vertices};
    while (list.links < links)
        add_link(&list, fl_rng_below32(rng, vertices), fl_rng_below32(rng, vertices));
    return list;
}

/* ---- counting everything ---- */

/* Smallest vertex of each vertex's component, links of `down` left out. */
static void components(const link_list *list, uint64_t down, uint32_t *root)
{
    for (uint32_t v = 0; v < list->vertices; v++)
        root[v] = v;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < list->links; e++)
            if (!(down >> e & 1) && root[list->a[e]] != root[list->b[e]]) {
                uint32_t low =
                    root[list->a[e]] < root[list->b[e]] ? root[list->a[e]] : root[list->b[e]];
                root[list->a[e]] = root[list->b[e]] = low;
                changed = true;
            }
    }
}

static unsigned bits_of(uint64_t set)
{
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

enum { SET_LINKS = 20, SET_VERTICES = 16 };

typedef struct set_counts {
    uint64_t connected[SET_LINKS + 1][SET_VERTICES]
                      [SET_VERTICES]; /* [links down][source][target] */
} set_counts;

static set_counts *count_all_sets(const link_list *list)
{
    set_counts *c = need_memory(1, sizeof *c);
    uint32_t root[SET_VERTICES];
    cr_assert(list->links <= SET_LINKS && list->vertices <= SET_VERTICES, "too large to count");
    for (uint64_t down = 0; down < UINT64_C(1) << list->links; down++) {
        components(list, down, root);
        unsigned f = bits_of(down);
        for (uint32_t s = 0; s < list->vertices; s++)
            for (uint32_t t = s + 1; t < list->vertices; t++)
                c->connected[f][s][t] += root[s] == root[t];
    }
    return c;
}

static long double choose(uint32_t n, uint32_t k)
{
    long double value = 1;
    for (uint32_t i = 0; i < k; i++)
        value = value * (n - i) / (i + 1);
    return value;
}

/* Counts this small are exact, so that the quotients must be the same numbers. */
static void expect_set_counts(const link_list *list, const char *name)
{
    set_counts *c = count_all_sets(list);
    fl_graph *graph = graph_of(list);
    long double connected[LINKS_MOST + 1];
    for (uint32_t s = 0; s < list->vertices; s++)
        for (uint32_t t = s + 1; t < list->vertices; t++) {
            bool turned = (s + t) % 2;
            fl_error error = {.text = ""};
            fl_status status = fl_reliability(connected, NULL, graph, turned ? t : s,
                                              turned ? s : t, NULL, &error);
            cr_assert(status == FL_OK, "%s: %s", name, error.text);
            for (uint32_t f = 0; f <= list->links; f++) {
                long double expected = (long double)c->connected[f][s][t] / choose(list->links, f);
                cr_assert(connected[f] == expected,
                          "%s, %u to %u, %u links down: %.20Lg, counted %.20Lg", name, s, t, f,
                          connected[f], expected);
            }
        }
    fl_graph_destroy(graph);
    free(c);
}

Test(reliability, all_pairs_of_small_symmetric_graphs_agree_with_counting_all_sets)
{
    const struct {
        const char *name;
        link_list list;
    } graphs[] = {
        {"K2", complete(2)},
        {"K4", complete(4)},
        {"K5", complete(5)},
        {"cycle of 3", cycle(3)},
        {"cycle of 9", cycle(9)},
        {"K3,3", complete_bipartite(3, 3)},
        {"K2,6", complete_bipartite(2, 6)},
        {"K3,4", complete_bipartite(3, 4)},
        {"cube", cube(3)},
        {"grid", grid(3, 4)},
        {"ladder", grid(2, 5)},
        {"Petersen graph", petersen()},
    };
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        expect_set_counts(&graphs[i].list, graphs[i].name);
}

Test(reliability, all_pairs_of_small_networks_agree_with_counting_all_sets)
{
    static const char *const specs[] = {"kary-ntree:k=2,n=2", "kary-ntree:k=3,n=2",
                                        "mikant:k=2,n=2", "mikant:k=3,n=1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        link_list list = links_of_network(specs[i]);
        expect_set_counts(&list, specs[i]);
    }
}

Test(reliability, all_pairs_of_random_graphs_agree_with_counting_all_sets)
{
    fl_rng rng;
    fl_rng_seed(&rng, 1, FL_PURPOSE_FAULTS, 0);
    for (int round = 0; round < TEST_ROUNDS(300); round++) {
        uint32_t vertices = 2 + fl_rng_below32(&rng, 7), links = 1 + fl_rng_below32(&rng, 13);
        link_list list = random_links(&rng, vertices, links);
        char name[64];
        snprintf(name, sizeof name, "random graph %d", round);
        expect_set_counts(&list, name);
    }
}

/* ---- curves of large graphs ---- */

typedef struct curve {
    uint32_t links;
    fl_reliability_report report;
    long double at[LINKS_MOST + 1];
} curve;

static curve curve_of(const link_list *list, uint32_t source, uint32_t target)
{
    curve c = {.links = list->links};
    fl_graph *graph = graph_of(list);
    fl_error error = {.text = ""};
    cr_assert(fl_reliability(c.at, &c.report, graph, source, target, NULL, &error) == FL_OK, "%s",
              error.text);
    fl_graph_destroy(graph);
    return c;
}

static void expect_near(long double value, long double expected, long double relative,
                        const char *what, uint32_t f)
{
    long double difference = value - expected;
    long double allowed = relative * expected;
    cr_expect(difference <= allowed && -difference <= allowed,
              "%s, %u links down: %.20Lg, expected %.20Lg", what, f, value, expected);
}

/* A link is down with probability f / L, and then f - 1 of the others are; or it is up, and its
 * ends are as good as one. Without the link, or with its ends joined, the graph has other
 * symmetries and another order of links. */
static void expect_factoring(const link_list *list, uint32_t source, uint32_t target, uint32_t link)
{
    link_list without = {.vertices = list->vertices}, joined = {.vertices = list->vertices};
    bool keep_a = list->b[link] != source && list->b[link] != target;
    uint32_t kept = keep_a ? list->a[link] : list->b[link],
             gone = keep_a ? list->b[link] : list->a[link];
    cr_assert(gone != source && gone != target, "the link joins the pair");
    for (uint32_t e = 0; e < list->links; e++)
        if (e != link) {
            uint32_t a = list->a[e], b = list->b[e];
            add_link(&without, a, b);
            add_link(&joined, a == gone ? kept : a, b == gone ? kept : b);
        }
    curve all = curve_of(list, source, target), down = curve_of(&without, source, target),
          up = curve_of(&joined, source, target);
    long double links = list->links;
    for (uint32_t f = 0; f <= list->links; f++) {
        long double expected = f < list->links ? (links - f) / links * up.at[f] : 0;
        expected += f > 0 ? f / links * down.at[f - 1] : 0;
        expect_near(all.at[f], expected, 1e-16L, "factoring", f);
    }
}

Test(reliability, curves_obey_factoring)
{
    link_list network = links_of_network("mikant:k=2,n=3");
    for (uint32_t e = 16; e < network.links; e += TEST_ROUNDS(3)) /* the first 16 are the nodes' */
        expect_factoring(&network, 0, 2 + e % 14, e);
    link_list hypercube = cube(4);
    for (uint32_t e = 0; e < hypercube.links; e += 5)
        expect_factoring(&hypercube, 0, 15, e);
}

/* A level link of the source's block and a cross link. */
Test(reliability, mikant_3_3_obeys_factoring)
{
    link_list network = links_of_network("mikant:k=3,n=3");
    cr_assert(network.links == 135, "%u links", network.links);
    expect_factoring(&network, 0, 27, 60);
    expect_factoring(&network, 0, 3, 90);
}

/* One of the two directions around the ring must be up: C(L-a, f) + C(L-b, f) sets, which count
 * the ring without faults twice. */
static void expect_ring(uint32_t links, uint32_t apart)
{
    link_list ring = cycle(links);
    curve c = curve_of(&ring, 0, apart);
    long double all = 1, one = 1, other = 1; /* C(L, f), C(L-a, f), C(L-b, f) */
    for (uint32_t f = 0; f <= links; f++) {
        long double expected = f == 0 ? 1 : (one + other) / all;
        expect_near(c.at[f], expected, c.report.relative_error + 4 * links * LDBL_EPSILON, "ring",
                    f);
        all = all * (links - f) / (f + 1);
        one = f < links - apart ? one * (links - apart - f) / (f + 1) : 0;
        other = f < apart ? other * (apart - f) / (f + 1) : 0;
    }
    long double most = links * (16 + 2 * log2((double)links));
    cr_expect((long double)c.report.roundings <= most, "%llu roundings for %u links",
              (unsigned long long)c.report.roundings, links);
}

Test(reliability, rings_have_their_closed_form)
{
    expect_ring(40, 1);
    expect_ring(100, 50);
    expect_ring(150, 37);
}

/* ---- networks ---- */

typedef struct average {
    fl_network *network;
    fl_reliability_report report;
    long double *at;
} average;

static average average_of(const char *spec)
{
    average a = {.network = need_network(spec)};
    a.at = need_memory(a.network->links + 1, sizeof *a.at);
    fl_error error = {.text = ""};
    cr_assert(fl_reliability_all_pairs(a.at, &a.report, a.network, NULL, &error) == FL_OK, "%s: %s",
              spec, error.text);
    return a;
}

static void free_average(average *a)
{
    fl_network_destroy(a->network);
    free(a->at);
}

/* Properties of every curve; and with one link down a pair is cut off exactly if it is one of its
 * two node links (k >= 2: no other bridges). */
static void expect_rules(const average *a)
{
    uint64_t links = a->network->links;
    cr_expect(a->at[0] == 1, "%s: %.20Lg without faults", a->network->spec, a->at[0]);
    expect_near(a->at[1], 1 - 2 / (long double)links, 1e-17, a->network->spec, 1);
    for (uint64_t f = 0; f <= links; f++)
        cr_expect(a->at[f] >= 0 && a->at[f] <= 1 && (f == 0 || a->at[f] <= a->at[f - 1]),
                  "%s: %.20Lg with %llu links down", a->network->spec, a->at[f],
                  (unsigned long long)f);
    /* The nearest are two links apart: nodes of one switch. */
    cr_expect(a->at[links - 1] == 0, "%s: %.20Lg with one link up", a->network->spec,
              a->at[links - 1]);
    long double nearest =
        (long double)(a->network->tree->k - 1) / (long double)(a->network->nodes - 1);
    expect_near(a->at[links - 2], nearest / choose((uint32_t)links, 2), 1e-16, a->network->spec,
                (uint32_t)links - 2);
    cr_expect(a->report.relative_error > 0 && a->report.relative_error < 1e-15, "%g",
              a->report.relative_error);
}

Test(reliability, averages_obey_the_rules)
{
    static const char *const specs[] = {
        "kary-ntree:k=2,n=1", "kary-ntree:k=2,n=3", "kary-ntree:k=3,n=3", "kary-ntree:k=2,n=4",
        "kary-ntree:k=5,n=2", "mikant:k=2,n=1",     "mikant:k=2,n=3",     "mikant:k=3,n=2",
        "mikant:k=5,n=2",     "mikant:k=3,n=3",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        average a = average_of(specs[i]);
        expect_rules(&a);
        if (a.network->tree->k > 2) /* else there are links in series */
            cr_expect(a.report.roundings <= 6 * a.network->links + 8, "%s: %llu roundings",
                      specs[i], (unsigned long long)a.report.roundings);
        free_average(&a);
    }
}

/* Measured elsewhere by Monte Carlo: .250035 +- .000085. */
Test(reliability, mikant_3_3_with_60_links_down_is_as_measured)
{
    average a = average_of("mikant:k=3,n=3");
    cr_expect(fabsl(a.at[60] - .250035L) < .000085L, "%.6Lf", a.at[60]);
    cr_expect(a.report.memory < 100000000, "%llu bytes", (unsigned long long)a.report.memory);
    free_average(&a);
}

Test(reliability, curves_are_the_same_every_time)
{
    average a = average_of("mikant:k=2,n=4"), b = average_of("mikant:k=2,n=4");
    for (uint64_t f = 0; f <= a.network->links; f++)
        cr_expect(a.at[f] == b.at[f], "%llu links down: %.20Lg and %.20Lg", (unsigned long long)f,
                  a.at[f], b.at[f]);
    cr_expect(a.report.states == b.report.states && a.report.memory == b.report.memory,
              "different work");
    free_average(&a);
    free_average(&b);
}

/* ---- Monte Carlo ---- */

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* From all links down they come up one by one in random order. Returns how many are down when
 * the pair gets connected. */
static uint32_t most_failures(const link_list *list, uint32_t source, uint32_t target, fl_rng *rng)
{
    uint32_t parent[128], order[LINKS_MOST];
    for (uint32_t v = 0; v < list->vertices; v++)
        parent[v] = v;
    for (uint32_t e = 0; e < list->links; e++)
        order[e] = e;
    for (uint32_t down = list->links; down > 0; down--) {
        uint32_t at = fl_rng_below32(rng, down), e = order[at];
        order[at] = order[down - 1];
        parent[root_of(parent, list->a[e])] = root_of(parent, list->b[e]);
        if (root_of(parent, source) == root_of(parent, target))
            return down - 1;
    }
    cr_assert(false, "never connected");
    return 0;
}

/* At every count of faults that 20 deliveries and 20 blocks are expected of. Each order serves
 * all of them, but each alone passes with probability 0.99994. */
static void expect_monte_carlo(const char *spec, uint64_t trials)
{
    link_list list = links_of_network(spec);
    average a = average_of(spec);
    uint64_t delivered[LINKS_MOST + 1] = {0};
    fl_rng rng;
    fl_rng_seed(&rng, 2, FL_PURPOSE_FAULTS, 0);
    for (uint64_t i = 0; i < trials; i++) {
        uint32_t nodes = (uint32_t)a.network->nodes, source = fl_rng_below32(&rng, nodes),
                 target = fl_rng_below32(&rng, nodes - 1);
        delivered[most_failures(&list, source, target + (target >= source), &rng)]++;
    }
    for (uint32_t f = list.links; f-- > 0;) {
        delivered[f] += delivered[f + 1];
        double p = (double)a.at[f], mean = p * (double)trials, deviation = sqrt(mean * (1 - p));
        if (mean >= 20 && (double)trials - mean >= 20)
            cr_expect(fabs((double)delivered[f] - mean) < 4 * deviation,
                      "%s, %u links down: %llu of %llu delivered, expected %.1f", spec, f,
                      (unsigned long long)delivered[f], (unsigned long long)trials, mean);
    }
    free_average(&a);
}

Test(reliability, monte_carlo_agrees)
{
    expect_monte_carlo("mikant:k=3,n=3", TEST_ROUNDS(1000000));
    expect_monte_carlo("mikant:k=2,n=4", TEST_ROUNDS(200000));
    expect_monte_carlo("kary-ntree:k=3,n=3", TEST_ROUNDS(200000));
}

/* ---- classes of pairs ---- */

/* Which class has the pair's curve, bit for bit up to rounding; -1: none. */
static int class_of_curve(const long double *values, const long double *classes, unsigned count,
                          uint64_t levels)
{
    for (unsigned c = 0; c < count; c++) {
        bool same = true;
        for (uint64_t f = 0; f < levels; f++)
            same = same && fabsl(values[f] - classes[c * levels + f]) <= 1e-16L * values[f];
        if (same)
            return (int)c;
    }
    return -1;
}

/* Every pair has the curve of a class, and each curve as many pairs as its class says. */
static void check_classes(const char *spec)
{
    fl_network *network = need_network(spec);
    fl_graph *graph = NULL;
    fl_pair_class classes[FL_PAIR_CLASSES_MAX];
    uint64_t levels = network->links + 1, found[FL_PAIR_CLASSES_MAX] = {0};
    unsigned count = fl_pair_classes(network, classes);
    long double *curves = need_memory(count * levels, sizeof *curves),
                *values = need_memory(levels, sizeof *values);
    cr_assert(fl_graph_create(&graph, network, NULL) == FL_OK, "%s", spec);
    for (unsigned c = 0; c < count; c++)
        cr_assert(fl_reliability(curves + c * levels, NULL, graph, classes[c].source,
                                 classes[c].target, NULL, NULL) == FL_OK,
                  "%s", spec);
    for (uint64_t s = 0; s < network->nodes; s++)
        for (uint64_t t = 0; t < network->nodes; t++)
            if (s != t) {
                cr_assert(fl_reliability(values, NULL, graph, s, t, NULL, NULL) == FL_OK, "%s",
                          spec);
                int c = class_of_curve(values, curves, count, levels);
                cr_assert(c >= 0, "%s: the pair %d, %d is in no class", spec, (int)s, (int)t);
                found[c]++;
            }
    for (unsigned c = 0; c < count; c++)
        cr_expect(found[c] == classes[c].pairs, "%s: class %u has %d pairs, found %d", spec, c,
                  (int)classes[c].pairs, (int)found[c]);
    fl_graph_destroy(graph);
    fl_network_destroy(network);
    free(curves);
    free(values);
}

Test(reliability, classes_of_pairs_are_those_that_brute_force_finds)
{
    static const char *const specs[] = {
        "kary-ntree:k=2,n=1", "kary-ntree:k=2,n=2", "kary-ntree:k=4,n=2", "kary-ntree:k=2,n=3",
        "kary-ntree:k=2,n=4", "mikant:k=2,n=1",     "mikant:k=3,n=1",     "mikant:k=2,n=2",
        "mikant:k=3,n=2",     "mikant:k=2,n=3",     "clos:k=2,n=2",       "clos:k=3,n=2",
        "clos:k=2,n=3",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_classes(specs[i]);
}

/* No curve needed: the class of a pair as the digits of its nodes have it. */
static unsigned class_by_digits(const fl_network *network, uint64_t source, uint64_t target)
{
    const fl_tree *tree = network->tree;
    fl_address s = network->type->node_address(network, source),
               t = network->type->node_address(network, target);
    if (fl_tree_group(s) != fl_tree_group(t))
        return tree->n;
    for (unsigned place = tree->n - 1; place-- > 0;)
        if (fl_tree_digit(tree, s, place) != fl_tree_digit(tree, t, place))
            return place + 1;
    return 0;
}

Test(reliability, classes_of_pairs_count_all_pairs_of_large_trees)
{
    for (int mikant = 0; mikant < 2; mikant++)
        for (unsigned k = 2; k <= 6; k++)
            for (unsigned n = 1; n <= 4; n++) {
                fl_network *network = need_tree(mikant, k, n);
                fl_pair_class classes[FL_PAIR_CLASSES_MAX];
                uint64_t found[FL_PAIR_CLASSES_MAX] = {0}, source = network->nodes / 3;
                unsigned count = fl_pair_classes(network, classes);
                for (uint64_t t = 0; t < network->nodes; t++)
                    found[class_by_digits(network, source, t)] += t != source;
                for (unsigned c = 0; c < count; c++) {
                    cr_expect(classes[c].pairs == found[c] * network->nodes, "%s, class %u",
                              network->spec, c);
                    cr_expect(class_by_digits(network, classes[c].source, classes[c].target) == c,
                              "%s, class %u", network->spec, c);
                }
                fl_network_destroy(network);
            }
}

/* ---- networks without known symmetry ---- */

/* A tree in disguise: all functions go to the one inside. */
static const fl_network *inside;

static bool inner_step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    (void)network;
    return fl_network_step(inside, from, port, out);
}
static fl_address inner_node_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return inside->type->node_address(inside, index);
}
static uint64_t inner_node_index(const fl_network *network, fl_address address)
{
    (void)network;
    return inside->type->node_index(inside, address);
}
static fl_address inner_switch_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return inside->type->switch_address(inside, index);
}
static uint64_t inner_switch_index(const fl_network *network, fl_address address)
{
    (void)network;
    return inside->type->switch_index(inside, address);
}
static uint64_t inner_link_index(const fl_network *network, fl_link link)
{
    (void)network;
    return inside->type->link_index(inside, link);
}

static void expect_same_without_classes(const char *spec)
{
    static const fl_network_type type = {
        .name = "disguise",
        .step = inner_step,
        .node_address = inner_node_address,
        .node_index = inner_node_index,
        .switch_address = inner_switch_address,
        .switch_index = inner_switch_index,
        .link_index = inner_link_index,
    };
    average a = average_of(spec);
    inside = a.network;
    fl_network disguised = *a.network;
    disguised.type = &type;
    disguised.step = inner_step;
    disguised.tree = disguised.levels = disguised.pair_tree = NULL;
    fl_pair_class unused[FL_PAIR_CLASSES_MAX];
    cr_expect(fl_pair_classes(&disguised, unused) == 0, "classes of an unknown network");
    long double *reference = need_memory(a.network->links + 1, sizeof *reference);
    fl_error error = {.text = ""};
    cr_assert(fl_reliability_all_pairs(reference, NULL, &disguised, NULL, &error) == FL_OK, "%s",
              error.text);
    for (uint32_t f = 0; f <= a.network->links; f++)
        expect_near(reference[f], a.at[f], 1e-16, spec, f);
    free(reference);
    free_average(&a);
}

Test(reliability, classes_and_all_pairs_of_switches_give_the_same_average)
{
    expect_same_without_classes("kary-ntree:k=3,n=2");
    expect_same_without_classes("kary-ntree:k=2,n=3");
    expect_same_without_classes("mikant:k=3,n=1");
    expect_same_without_classes("mikant:k=2,n=3");
    expect_same_without_classes("clos:k=2,n=1");
    expect_same_without_classes("clos:k=2,n=3");
}

/* Only one of several equivalent switches is a source. */
Test(reliability, one_source_of_each_class_and_all_pairs_of_switches_give_the_same_average)
{
    expect_same_without_classes("mesh:k=3,n=2,p=2");
    expect_same_without_classes("torus:k=3,n=2");
    expect_same_without_classes("hypercube:k=3");
    expect_same_without_classes("fbfly:k=3,n=2");
    expect_same_without_classes("thintree:k=3,up=1,n=3");
    expect_same_without_classes("cat:k=2,n=2");
    expect_same_without_classes("fattree3:K=4");
    expect_same_without_classes("dragonfly:a=2");
    expect_same_without_classes("nd:p=2,net=mesh:k=2,n=2");
}

/* ---- limits ---- */

static fl_status run_with(const char *spec, const fl_reliability_options *options,
                          fl_reliability_report *report, fl_error *error)
{
    fl_network *network = need_network(spec);
    long double *connected = need_memory(network->links + 1, sizeof *connected);
    fl_status status = fl_reliability_all_pairs(connected, report, network, options, error);
    free(connected);
    fl_network_destroy(network);
    return status;
}

Test(reliability, the_memory_limit_is_kept_and_named)
{
    fl_reliability_report report;
    fl_error error = {.text = ""};
    for (uint64_t limit = 1; limit < 1000000; limit *= 10) {
        fl_reliability_options options = {.memory_limit = limit + 23};
        char number[32];
        snprintf(number, sizeof number, "%llu", (unsigned long long)limit + 23);
        cr_expect(run_with("mikant:k=3,n=3", &options, &report, &error) == FL_ERR_STOPPED,
                  "%s bytes were enough", number);
        cr_expect(strstr(error.text, number) != NULL, "'%s' does not name %s", error.text, number);
        cr_expect(report.memory <= limit + 23, "%llu bytes used of %s",
                  (unsigned long long)report.memory, number);
    }
    fl_reliability_options enough = {.memory_limit = 32000000};
    cr_expect(run_with("mikant:k=3,n=3", &enough, &report, &error) == FL_OK, "%s", error.text);
    cr_expect(report.memory <= enough.memory_limit, "%llu bytes",
              (unsigned long long)report.memory);
}

typedef struct watch {
    uint64_t calls, most, last, total;
} watch;

static bool count_calls(void *user, uint64_t done, uint64_t total)
{
    watch *w = user;
    cr_expect(done <= total && (w->total == 0 || w->total == total), "%llu of %llu",
              (unsigned long long)done, (unsigned long long)total);
    w->last = done;
    w->total = total;
    return ++w->calls < w->most;
}

Test(reliability, progress_is_reported_and_can_stop)
{
    watch all = {.most = UINT64_MAX};
    fl_reliability_options options = {.progress = count_calls, .user = &all};
    fl_error error = {.text = ""};
    cr_assert(run_with("mikant:k=2,n=3", &options, NULL, &error) == FL_OK, "%s", error.text);
    cr_expect(all.last == all.total && all.calls > 10, "%llu of %llu", (unsigned long long)all.last,
              (unsigned long long)all.total);
    for (uint64_t most = 1; most < all.calls; most += 1 + most / 4) {
        watch some = {.most = most};
        options.user = &some;
        cr_expect(run_with("mikant:k=2,n=3", &options, NULL, &error) == FL_ERR_STOPPED,
                  "not stopped");
        cr_expect(some.calls == most, "%llu calls, stopped at %llu", (unsigned long long)some.calls,
                  (unsigned long long)most);
    }
}

Test(reliability, impossible_pairs_are_refused)
{
    link_list list = complete(4);
    fl_graph *graph = graph_of(&list);
    long double connected[7];
    fl_error error = {.text = ""};
    expect_refused(fl_reliability(connected, NULL, graph, 2, 2, NULL, &error), &error,
                   "equal vertices", "2 and 2");
    expect_refused(fl_reliability(connected, NULL, graph, 0, 4, NULL, &error), &error,
                   "unknown target", "4");
    expect_refused(fl_reliability(connected, NULL, graph, 9, 1, NULL, &error), &error,
                   "unknown source", "9");
    fl_graph_destroy(graph);
}

/* C(32768, f) exceeds a long double. */
Test(reliability, too_many_links_are_refused)
{
    fl_error error = {.text = ""};
    expect_refused(run_with("kary-ntree:k=128,n=2", NULL, NULL, &error), &error,
                   "kary-ntree:k=128,n=2", "32768");
}

/* Only two of 8192 links matter to neighbours: both must be up. */
Test(reliability, large_networks_are_fine_where_little_matters)
{
    fl_network *network = need_network("kary-ntree:k=64,n=2");
    fl_graph *graph = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_graph_create(&graph, network, &error) == FL_OK, "%s", error.text);
    long double *connected = need_memory(network->links + 1, sizeof *connected),
                links = (long double)network->links;
    fl_reliability_report report;
    cr_assert(fl_reliability(connected, &report, graph, 0, 64, NULL, &error) == FL_OK, "%s",
              error.text);
    for (uint32_t f = 0; f <= network->links; f += 11)
        expect_near(connected[f], (links - f) * (links - f - 1) / (links * (links - 1)),
                    report.relative_error + 4 * LDBL_EPSILON, "neighbours", f);
    free(connected);
    fl_graph_destroy(graph);
    fl_network_destroy(network);
}
