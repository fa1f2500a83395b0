/* topo: random graph models (Yasudo thesis, 2.3) against their definitions and formulas (2.11) to
 * (2.18), and the clustering coefficient against counting triangles.
 *
 * Tests of random graphs have fixed seeds. Their limits are at least 5 standard deviations of what
 * is expected (of other seeds fewer than one in 10^6 would be outside), unless a test says
 * otherwise. Distances are between switches: those between nodes, of which every switch has one,
 * are longer by 2. */
#include "tests/support.h"
#include "topo/stored/models/degrees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const specs[] = {
    "erdos-renyi:m=60,probability=0.1",
    "erdos-renyi:m=7,probability=1,p=2",
    "configuration:m=40,degrees=3:50+4:30+8:20",
    "configuration:m=9,seed=4,degrees=3",
    "watts-strogatz:m=50,k=4,rewire=0.1",
    "watts-strogatz:m=20,k=6,rewire=0",
    "watts-strogatz:m=30,k=8,rewire=1,p=3",
    "scale-free:m=100,gamma=2.5",
    "barabasi-albert:m=80,k=3",
    "barabasi-albert:m=3,k=2",
    "grid-graph:k=6,degree=4,length=3",
};
enum { SPECS = sizeof specs / sizeof *specs };

/* ---- a network's graph of switches ---- */

typedef struct switch_links {
    uint32_t count, *degree;
    bool *linked; /* [count][count] */
} switch_links;

static switch_links need_switches(const fl_network *network)
{
    uint32_t m = (uint32_t)network->switches;
    switch_links s = {m, need_memory(m, sizeof *s.degree),
                      need_memory((size_t)m * m, sizeof *s.linked)};
    for (uint64_t i = network->nodes; i < network->links; i++) {
        fl_link_ends ends;
        network->type->link_ends(network, network->type->link_code(network, i), &ends);
        uint64_t a = network->type->switch_index(network, ends.a),
                 b = network->type->switch_index(network, ends.b);
        cr_assert(a != b && !s.linked[a * m + b], "%s: a loop or double link", network->spec);
        s.linked[a * m + b] = s.linked[b * m + a] = true;
        s.degree[a]++;
        s.degree[b]++;
    }
    return s;
}

static void free_switches(switch_links *s)
{
    free(s->degree);
    free(s->linked);
}

/* Sums over many graphs of one family, of different seeds. */
typedef struct sample {
    unsigned graphs;
    double distance, clustering; /* means */
    double degree, square, log;  /* mean degree, of its square and its logarithm */
    double degree_counts[2000];  /* switches of every degree, over all graphs */
} sample;

static fl_network *need_seed(const char *spec, unsigned seed)
{
    char text[160];
    const char *last = strstr(spec, "degrees=");
    if (last)
        snprintf(text, sizeof text, "%.*sseed=%u,%s", (int)(last - spec), spec, seed, last);
    else
        snprintf(text, sizeof text, "%s,seed=%u", spec, seed);
    return need_network(text);
}

static sample need_sample(const char *spec, unsigned graphs)
{
    sample s = {.graphs = graphs};
    double switches = 0;
    for (unsigned seed = 0; seed < graphs; seed++) {
        fl_network *network = need_seed(spec, seed);
        fl_metrics m;
        fl_error error = {.text = ""};
        fl_metrics_options options = {.wanted = FL_METRICS_DISTANCES | FL_METRICS_CLUSTERING};
        cr_assert(fl_metrics_compute(&m, network, &options, &error) == FL_OK, "%s", error.text);
        s.distance += (m.average_distance - 2) / graphs;
        s.clustering += m.clustering_coefficient / graphs;
        for (uint64_t v = 0; v < network->switches; v++) {
            fl_hop hop;
            unsigned degree = 0;
            for (unsigned port = 1; port < network->radix; port++)
                degree += fl_network_step(network, v, (fl_port)port, &hop);
            s.degree += degree;
            s.square += (double)degree * degree;
            s.log += log(degree);
            s.degree_counts[degree < 1999 ? degree : 1999]++;
        }
        switches += (double)network->switches;
        fl_network_destroy(network);
    }
    s.degree /= switches;
    s.square /= switches;
    s.log /= switches;
    return s;
}

/* ---- all models ---- */

Test(models, the_same_seed_draws_the_same_graph_and_another_one_another)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *first = need_network(specs[i]), *again = need_network(first->spec);
        cr_expect(strcmp(first->spec, again->spec) == 0, "%s becomes %s", first->spec, again->spec);
        switch_links a = need_switches(first), b = need_switches(again);
        cr_expect(memcmp(a.linked, b.linked, (size_t)a.count * a.count * sizeof *a.linked) == 0,
                  "%s", first->spec);
        free_switches(&b);
        if (!strstr(specs[i], "seed=") && a.count > 30) {
            fl_network *other = need_seed(specs[i], 12345);
            b = need_switches(other);
            cr_expect(memcmp(a.linked, b.linked, (size_t)a.count * a.count * sizeof *a.linked) != 0,
                      "%s", first->spec);
            free_switches(&b);
            fl_network_destroy(other);
        }
        free_switches(&a);
        fl_network_destroy(first);
        fl_network_destroy(again);
    }
}

Test(models, impossible_graphs_are_refused)
{
    static const struct {
        const char *spec, *why;
    } bad[] = {
        {"erdos-renyi:m=100,probability=0.01", "log(m) / m"},
        {"erdos-renyi:m=100,probability=0", "0.000000001 to 1"},
        {"erdos-renyi:m=100,probability=1.000000001", "1.000000001"},
        {"erdos-renyi:m=100,probability=0.1234567890", "at most 9 decimals"},
        {"erdos-renyi:m=100,probability=1e-2", "1e-2"},
        {"erdos-renyi:m=100,probability=.5", "=.5"},
        {"erdos-renyi:m=100,probability=0.", "=0."},
        {"configuration:m=100,degrees=4:3+4", "from '4' on"},
        {"configuration:m=100,degrees=4+", "from '' on"},
        {"configuration:m=100,degrees=0", "1 to 32767"},
        {"configuration:m=100,degrees=3:0", "3:0"},
        {"configuration:m=100,degrees=40000", "40000"},
        {"configuration:m=100,degrees=1", "too few"},
        {"configuration:m=4,degrees=3:2+1:2", "without loops and double links"},
        {"configuration:m=4,degrees=4", "each of the others"},
        {"watts-strogatz:m=100,k=3,rewire=0.1", "k=3 is odd"},
        {"watts-strogatz:m=4,k=4,rewire=0.1", "4 others"},
        {"scale-free:m=100,gamma=1", "gamma"},
        {"scale-free:m=100,gamma=2.555", "2 decimals"},
        {"scale-free:m=10,gamma=2.5,most=10", "2 to 9"},
        {"scale-free:m=1000,gamma=2.5,least=1", "too few"},
        {"barabasi-albert:m=3,k=3", "3 others"},
        {"grid-graph:k=8,degree=6,length=2", "corner has 5 others within length=2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fl_network *network;
        fl_error error = {.text = ""};
        expect_refused(fl_network_create(&network, bad[i].spec, &error), &error, bad[i].spec,
                       bad[i].why);
    }
}

Test(models, graphs_that_are_not_connected_are_drawn_again_or_refused)
{
    fl_network *network;
    fl_error error = {.text = ""};
    for (unsigned seed = 0; seed < 50; seed++) { /* 18% of these are connected */
        network = need_seed("erdos-renyi:m=100,probability=0.04", seed);
        cr_expect(fl_network_check(network, &error) == FL_OK, "%s", error.text);
        fl_network_destroy(network);
    }
    expect_refused(fl_network_create(&network, "configuration:m=3000,degrees=1:1+3:1", &error),
                   &error, "many switches with one link", "was connected; switches of three");
}

Test(models, decimal_numbers_in_specs_have_one_form)
{
    static const char *const forms[][2] = {
        {"erdos-renyi:m=9,probability=0.500", "erdos-renyi:m=9,probability=0.5,p=1,seed=0"},
        {"erdos-renyi:m=9,probability=1.0", "erdos-renyi:m=9,probability=1,p=1,seed=0"},
        {"erdos-renyi:m=9,probability=00.700000001",
         "erdos-renyi:m=9,probability=0.700000001,p=1,seed=0"},
        {"scale-free:m=50,gamma=3,most=9", "scale-free:m=50,gamma=3,least=2,most=9,p=1,seed=0"},
        {"scale-free:m=50,gamma=2.05,most=9",
         "scale-free:m=50,gamma=2.05,least=2,most=9,p=1,seed=0"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        fl_network *network = need_network(forms[i][0]);
        cr_expect(strcmp(network->spec, forms[i][1]) == 0, "%s", network->spec);
        fl_network_destroy(network);
    }
}

/* ---- Erdos-Renyi ---- */

/* A link of four switches as one of six bits. */
static unsigned bit_of(const fl_link_ends *ends)
{
    return 1u << (ends->a == 0 ? ends->b - 1 : ends->a + ends->b);
}

static unsigned links_as_bits(const fl_network *network)
{
    unsigned bits = 0;
    for (uint64_t i = network->nodes; i < network->links; i++) {
        fl_link_ends ends;
        network->type->link_ends(network, network->type->link_code(network, i), &ends);
        bits |= bit_of(&ends);
    }
    return bits;
}

/* Of the 38 connected graphs of four switches one with l links has the probability p^l (1-p)^(6-l),
 * in proportion. False alarm: 10^-6. */
Test(models, erdos_renyi_draws_every_connected_graph_as_often_as_it_should)
{
    static const double chances[] = {0.3, 0.5};
    for (size_t c = 0; c < 2; c++) {
        uint64_t seen[64] = {0}, counts[64];
        double weights[64], p = chances[c];
        unsigned kinds = 0;
        char spec[80];
        snprintf(spec, sizeof spec, "erdos-renyi:m=4,probability=%g", p);
        for (unsigned seed = 0; seed < 20000; seed++) {
            fl_network *network = need_seed(spec, seed);
            seen[links_as_bits(network)]++;
            fl_network_destroy(network);
        }
        for (unsigned bits = 0; bits < 64; bits++)
            if (seen[bits] > 0) {
                double links = fl_bit_count(bits);
                counts[kinds] = seen[bits];
                weights[kinds++] = pow(p, links) * pow(1 - p, 6 - links);
            }
        cr_expect(kinds == 38, "%u kinds", kinds);
        cr_expect(weighted_p_value(counts, weights, kinds) > 1e-6, "p = %g", p);
    }
}

/* (2.12). A link is counted at both ends, so the mean degree varies more than that of independent
 * switches by sqrt(2), and nothing else does. False alarm: 10^-6. */
Test(models, degrees_of_erdos_renyi_are_binomial)
{
    enum { SWITCHES = 300, GRAPHS = 40 };
    double p = 0.05, mean = (SWITCHES - 1) * p, weights[SWITCHES], rest = 1;
    uint64_t counts[SWITCHES], others = GRAPHS * SWITCHES;
    double chance = pow(1 - p, SWITCHES - 1);
    sample s = need_sample("erdos-renyi:m=300,probability=0.05", GRAPHS);
    unsigned cells = 0;
    cr_expect(fabs(s.degree - mean) < 5 * sqrt(2 * mean * (1 - p) / (GRAPHS * SWITCHES)),
              "mean %g, not %g", s.degree, mean);
    for (unsigned k = 0; k < SWITCHES; k++) {
        if (GRAPHS * SWITCHES * chance >= 5) {
            counts[cells] = (uint64_t)s.degree_counts[k];
            weights[cells++] = chance;
            others -= (uint64_t)s.degree_counts[k];
            rest -= chance;
        }
        chance *= (SWITCHES - 1 - k) / (k + 1.0) * p / (1 - p);
    }
    counts[cells] = others;
    weights[cells++] = rest;
    cr_expect(cells > 15 && weighted_p_value(counts, weights, cells) > 1e-6);
}

/* ---- mean path lengths ---- */

/* For (2.13), and (2.11) as its case: two switches of degrees k and k' are more than l links apart
 * with probability exp(-k k' (1 + ... + q^(l-1)) / (n <k>)), q = <k(k-1)>/<k>. Added up over l and
 * averaged over k and k' this is
 *   L = 1/2 + (ln(n <k(k-1)>) - 2 <ln k> - Euler's constant - ln(q / (q-1))) / ln q
 * (Fronczak, Fronczak and Holyst, Phys. Rev. E 70, 2004, have it without the last logarithm). */
static double derived_distance(double n, const sample *s)
{
    double pairs = s->square - s->degree, q = pairs / s->degree;
    return 0.5 + (log(n * pairs) - 2 * s->log - 0.57721566490153286 - log(q / (q - 1))) / log(q);
}

static double formula_2_11(double n, double k)
{
    return log(n) / log(k);
}

static double formula_2_13(double n, const sample *s)
{
    return 1 + log(n / s->degree) / log((s->square - s->degree) / s->degree);
}

/* The derived formula is within 2%, the published ones are not. */
Test(models, mean_distances_of_random_graphs_are_as_derived)
{
    static const struct {
        const char *spec;
        double n, published_off; /* at least, relatively */
    } cases[] = {
        {"erdos-renyi:m=1000,probability=0.01", 1000, 0.07},
        {"erdos-renyi:m=2000,probability=0.005", 2000, 0.06},
        {"configuration:m=1000,degrees=3", 1000, 0.12},
        {"configuration:m=2000,degrees=4", 2000, 0.05},
        {"configuration:m=2000,degrees=10", 2000, 0.04},
        {"configuration:m=2000,degrees=3:50+4:30+8:20", 2000, 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double n = cases[i].n;
        sample s = need_sample(cases[i].spec, 4);
        double derived = derived_distance(n, &s),
               published = i < 2 ? formula_2_11(n, s.degree) : formula_2_13(n, &s);
        cr_expect(fabs(derived / s.distance - 1) < 0.02, "%s: %f measured, %f derived",
                  cases[i].spec, s.distance, derived);
        cr_expect(fabs(published / s.distance - 1) > cases[i].published_off,
                  "%s: %f measured, %f published", cases[i].spec, s.distance, published);
    }
}

/* ---- configuration model ---- */

Test(models, degrees_are_the_given_ones)
{
    sample s = need_sample("configuration:m=1000,degrees=8:20+3:50+4:30", 2);
    cr_expect(s.degree_counts[3] == 1000 && s.degree_counts[4] == 600 && s.degree_counts[8] == 400);
    s = need_sample("configuration:m=301,degrees=5", 1);
    cr_expect(s.degree_counts[5] == 300 && s.degree_counts[4] == 1, "the sum must be even");
}

/* Whether a graph has these degrees: the first switch linked to the largest others, and so on
 * (Havel and Hakimi). */
static bool possible_by_construction(uint32_t *degrees, uint32_t count)
{
    for (uint32_t left = count; left > 0; left--) {
        for (uint32_t i = 1; i < count; i++)
            for (uint32_t j = i; j > 0 && degrees[j] > degrees[j - 1]; j--) {
                uint32_t kept = degrees[j];
                degrees[j] = degrees[j - 1];
                degrees[j - 1] = kept;
            }
        uint32_t first = degrees[0];
        degrees[0] = 0;
        for (uint32_t i = 1; i <= first; i++) {
            if (i >= count || degrees[i] == 0)
                return false;
            degrees[i]--;
        }
    }
    return true;
}

Test(models, degrees_are_possible_if_a_graph_of_them_can_be_built)
{
    unsigned possible = 0;
    for (unsigned code = 0; code < 46656; code++) {
        uint32_t degrees[6], rest = code;
        uint64_t prefix[7];
        bool falling = true;
        for (unsigned i = 0; i < 6; i++, rest /= 6) {
            degrees[i] = rest % 6;
            falling &= i == 0 || degrees[i] <= degrees[i - 1];
        }
        if (!falling)
            continue;
        bool found = fl_degrees_possible(degrees, 6, prefix);
        possible += found;
        cr_expect(found == possible_by_construction(degrees, 6), "sequence %u", code);
    }
    cr_expect(possible == 102, "%u degree sequences of six vertices (OEIS A004251)", possible);
}

/* (2.17): of every degree, the switches with at most that many links are those of the power law,
 * to half a switch. */
Test(models, degrees_of_scale_free_graphs_follow_the_power_law)
{
    enum { SWITCHES = 5000, LEAST = 2 };
    static const double gammas[] = {2.2, 2.5, 3};
    for (size_t i = 0; i < 3; i++) {
        char spec[80];
        double all = 0, below = 0, counted = 0;
        snprintf(spec, sizeof spec, "scale-free:m=%d,gamma=%g,most=300", SWITCHES, gammas[i]);
        fl_network *network = need_network(spec);
        switch_links s = need_switches(network);
        double *counts = need_memory(301, sizeof *counts);
        for (uint32_t v = 0; v < s.count; v++)
            counts[s.degree[v]]++;
        for (unsigned k = LEAST; k <= 300; k++)
            all += pow(k, -gammas[i]);
        for (unsigned k = LEAST; k <= 300; k++) {
            below += pow(k, -gammas[i]) / all;
            counted += counts[k];
            /* one switch may have lost a link, so that the sum is even */
            cr_expect(fabs(counted - SWITCHES * below) <= 1.5, "gamma = %g, k = %u: %g, not %g",
                      gammas[i], k, counted, SWITCHES * below);
        }
        free(counts);
        free_switches(&s);
        fl_network_destroy(network);
    }
}

/* (2.18) states how distances grow with n. From 500 to 4000 switches they grow by a factor that is
 * nearest to that of the stated function: 1.158 for log log n, 1.207 for log n / log log n, 1.335
 * for log n, which holds for gamma > 3 and is missing in the source. */
Test(models, distances_of_scale_free_graphs_grow_as_stated)
{
    static const struct {
        const char *gamma;
        double least, most; /* of the factor */
    } cases[] = {{"2.2", 1.08, 1.158}, {"2.5", 1.10, 1.18}, {"3", 1.18, 1.25}, {"4.5", 1.26, 1.36}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char small[80], large[80];
        snprintf(small, sizeof small, "scale-free:m=500,gamma=%s,least=3", cases[i].gamma);
        snprintf(large, sizeof large, "scale-free:m=4000,gamma=%s,least=3", cases[i].gamma);
        sample a = need_sample(small, 4), b = need_sample(large, 2);
        double factor = b.distance / a.distance;
        cr_expect(factor > cases[i].least && factor < cases[i].most, "gamma = %s: %g",
                  cases[i].gamma, factor);
    }
}

/* ---- Barabasi-Albert ---- */

/* In the limit a switch has d links with probability 2 k (k+1) / (d (d+1) (d+2)): gamma = 3. The
 * first switches and the largest degrees differ from the limit; here the degrees up to 3k, to 3%
 * and 5 standard deviations. */
Test(models, degrees_of_barabasi_albert_graphs_are_those_of_the_limit)
{
    static const unsigned links[] = {1, 3, 5};
    for (size_t i = 0; i < 3; i++) {
        double k = links[i];
        char spec[80];
        snprintf(spec, sizeof spec, "barabasi-albert:m=4000,k=%u", links[i]);
        sample s = need_sample(spec, 2);
        for (unsigned d = links[i]; d <= 3 * links[i]; d++) {
            double expected = 8000 * 2 * k * (k + 1) / (d * (d + 1.0) * (d + 2.0));
            cr_expect(fabs(s.degree_counts[d] - expected) < 0.03 * expected + 5 * sqrt(expected),
                      "k = %g: %g switches with %u links, not %g", k, s.degree_counts[d], d,
                      expected);
        }
        for (unsigned d = 0; d < links[i]; d++)
            cr_expect(s.degree_counts[d] == 0);
    }
}

/* ---- Watts-Strogatz ---- */

/* Every switch keeps half of its links and has a Poisson number of moved ones: the variance of the
 * degrees is <k>/2 rewire (2 - rewire); at rewire = 1 half of that of a Poisson distribution.
 * The variance of that of N degrees is about 2/N of its square; the moved links are fewer at the
 * switches that have many: 5%. */
Test(models, degrees_of_watts_strogatz_graphs_vary_as_derived)
{
    static const double moved[] = {0.1, 0.3, 1};
    for (size_t i = 0; i < 3; i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "watts-strogatz:m=2000,k=8,rewire=%g", moved[i]);
        sample s = need_sample(spec, 4);
        double expected = 4 * moved[i] * (2 - moved[i]), variance = s.square - 64;
        cr_expect(fabs(s.degree - 8) < 1e-12);
        cr_expect(fabs(variance / expected - 1) < 0.05 + 5 * sqrt(2 / 8000.0),
                  "rewire = %g: variance %g, not %g", moved[i], variance, expected);
    }
}

/* (2.14): with the number of pairs of neighbours as it is, not as that of a regular graph. */
static double derived_clustering(double k, double p)
{
    return (3 * k - 6) / (4 * k - 4 + 2 * p * (2 - p)) * pow(1 - p, 3);
}

/* Of about n <k> (<k>-2) / 8 triangles, each of which three links carry, those that are left vary
 * by sqrt(p) of their root at most; random triangles add <k>/n. */
Test(models, clustering_of_watts_strogatz_graphs_is_as_derived)
{
    static const struct {
        unsigned k;
        double p;
    } cases[] = {{4, 0}, {4, 0.1}, {4, 0.3}, {6, 0.1}, {10, 0.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char spec[80];
        double k = cases[i].k, p = cases[i].p, n = 4000, graphs = 12;
        snprintf(spec, sizeof spec, "watts-strogatz:m=%g,k=%g,rewire=%g", n, k, p);
        sample s = need_sample(spec, (unsigned)graphs);
        double published = (3 * k - 6) / (4 * k - 4) * pow(1 - p, 3),
               derived = derived_clustering(k, p), triangles = n * k * (k - 2) / 8 * graphs;
        double error = 5 * 2 * derived * sqrt(p / triangles) + k / n;
        cr_expect(fabs(s.clustering - derived) < error + 1e-12,
                  "k = %g, p = %g: %f measured, %f derived (to %f), %f published", k, p,
                  s.clustering, derived, error, published);
        if (i == 1 || i == 2)
            cr_expect(fabs(s.clustering - published) > error, "k = %g, p = %g: %f, published %f", k,
                      p, s.clustering, published);
    }
}

static double formula_2_15(double n, double k, double p)
{
    double x = n * k * p / 2, root = sqrt(x * x + 2 * x);
    return p == 0 ? n / (2 * k) : 2 * n / k / (2 * root) * atanh(x / root);
}

/* As (2.15), but step by step and with moved links one hop long: `gaps` stretches of the ring have
 * `left` switches that were not reached. Each gap loses k/2 at either end in a step; their lengths
 * stay those of a stick broken at random. Each switch that was reached has k p moved links, and one
 * that ends in a gap divides it. The links of the ring count as if none was missing. */
static double derived_small_world(double n, double k, double p)
{
    double left = n - 1, gaps = 1, fresh = 1, sum = 0;
    for (unsigned t = 1; left > 0 && t < n; t++) {
        double keep = fmax(0, 1 - k / left), rest = left * pow(keep, gaps);
        gaps *= pow(keep, fmax(0, gaps - 1));
        double hits = rest * (1 - exp(-k * p * fresh / n)), after = fmax(0, rest - hits);
        after = after < 1e-6 ? 0 : after;
        gaps += hits;
        fresh = left - after;
        left = after;
        sum += t * fresh;
    }
    return sum / (n - 1);
}

/* (2.15) leaves out the moved links' own length and is far too small where there are many. Both are
 * mean-field: a typical growth in place of the mean over all growths, which is 20% below what is
 * measured at about one moved link for each ring and 10% elsewhere. */
Test(models, distances_of_watts_strogatz_graphs_are_as_derived)
{
    static const struct {
        double p, derived_off, published_off;
    } cases[] = {{0.001, 0.22, 0.15}, {0.01, 0.12, 0.25}, {0.1, 0.1, 0.65}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char spec[80];
        double n = 2000, k = 6, p = cases[i].p;
        snprintf(spec, sizeof spec, "watts-strogatz:m=%g,k=%g,rewire=%g", n, k, p);
        sample s = need_sample(spec, 16);
        double derived = derived_small_world(n, k, p), published = formula_2_15(n, k, p);
        cr_expect(derived < s.distance && derived > (1 - cases[i].derived_off) * s.distance,
                  "rewire = %g: %f measured, %f derived", p, s.distance, derived);
        cr_expect(published < (1 - cases[i].published_off) * s.distance,
                  "rewire = %g: %f measured, %f published", p, s.distance, published);
    }
    /* Without moved links it is exact but for rounding up, and at rewire = 1 the graph is random.
     */
    cr_expect(fabs(derived_small_world(2000, 6, 0) - formula_2_15(2000, 6, 0)) < 0.5);
    sample s = need_sample("watts-strogatz:m=2000,k=6,rewire=1", 4);
    cr_expect(fabs(derived_distance(2000, &s) / s.distance - 1) < 0.02, "%f measured, %f derived",
              s.distance, derived_distance(2000, &s));
    cr_expect(formula_2_15(2000, 6, 1) < 1, "less than one hop");
}

/* ---- grid graphs ---- */

static unsigned length_between(unsigned side, unsigned a, unsigned b)
{
    int x = (int)(a % side) - (int)(b % side), y = (int)(a / side) - (int)(b / side);
    return (unsigned)(abs(x) + abs(y));
}

/* The mean distance of no graph of this degree and length limit is below the mean over switches of
 * what both allow: at most degree (degree-1)^(d-1) more switches in d hops, and none farther away
 * than d times the limit. */
static double least_mean_distance(unsigned side, unsigned degree, unsigned length)
{
    unsigned m = side * side;
    double sum = 0;
    for (unsigned u = 0; u < m; u++) {
        double reached = 1, level = degree, moore = 1;
        for (unsigned d = 1; reached < m; d++, level *= degree - 1) {
            unsigned near = 0;
            for (unsigned v = 0; v < m; v++)
                near += length_between(side, u, v) <= d * length;
            sum += m - reached;
            moore += level;
            reached = fmin(moore, near);
        }
    }
    return sum / m / (m - 1);
}

Test(models, grid_graphs_keep_to_degree_and_length_and_have_short_paths)
{
    static const struct {
        unsigned side, degree, length;
        double above; /* the bound, at most */
    } cases[] = {
        {6, 4, 3, 1.05}, {9, 4, 3, 1.07}, {9, 5, 16, 1.06}, {10, 3, 4, 1.08}, {7, 3, 2, 1.1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned side = cases[i].side, degree = cases[i].degree, length = cases[i].length,
                 ports = 0;
        char spec[80], random[100];
        snprintf(spec, sizeof spec, "grid-graph:k=%u,degree=%u,length=%u", side, degree, length);
        snprintf(random, sizeof random, "%s,steps=0", spec);
        fl_network *network = need_network(spec);
        switch_links s = need_switches(network);
        for (uint32_t v = 0; v < s.count; v++) {
            ports += s.degree[v];
            cr_expect(s.degree[v] <= degree, "%s: switch %u", spec, v);
            for (uint32_t u = 0; u < v; u++)
                cr_expect(!s.linked[v * s.count + u] || length_between(side, u, v) <= length,
                          "%s: %u and %u", spec, u, v);
        }
        cr_expect(ports == s.count * degree / 2 * 2, "%s: %u ports", spec, ports);
        double bound = least_mean_distance(side, degree, length);
        sample found = need_sample(spec, 1), before = need_sample(random, 1);
        cr_expect(found.distance >= bound && found.distance < cases[i].above * bound,
                  "%s: %f, at least %f", spec, found.distance, bound);
        cr_expect(found.distance < before.distance, "%s: %f, before %f", spec, found.distance,
                  before.distance);
        free_switches(&s);
        fl_network_destroy(network);
    }
}

/* ---- clustering coefficient ---- */

Test(models, clustering_is_that_of_counting_triangles)
{
    static const char *const more[] = {"fbfly:k=4,n=2",
                                       "mikant:k=3,n=3",
                                       "star:r=4",
                                       "dragonfly:a=4",
                                       "hypercube:k=1",
                                       "clique:m=2,r=2",
                                       "kns:k=4,n=2,s=2,sub=ruft",
                                       "la:p=2,net=torus:k=3,n=2,p=2",
                                       "pp:p=3,net=clique:m=3,r=5"};
    enum { MORE = sizeof more / sizeof *more };
    for (size_t i = 0; i < SPECS + MORE; i++) {
        fl_network *network = need_network(i < SPECS ? specs[i] : more[i - SPECS]);
        uint32_t m = (uint32_t)network->switches;
        uint64_t pairs = 0, linked = 0;
        bool *link = need_memory((size_t)m * m, sizeof *link);
        for (uint64_t l = 0; l < network->links; l++) {
            fl_link_ends ends;
            network->type->link_ends(network, network->type->link_code(network, l), &ends);
            if (fl_address_is_node(ends.a) || fl_address_is_node(ends.b))
                continue;
            uint64_t a = network->type->switch_index(network, ends.a),
                     b = network->type->switch_index(network, ends.b);
            link[a * m + b] = link[b * m + a] = true;
        }
        for (uint32_t v = 0; v < m; v++)
            for (uint32_t a = 0; a < m; a++)
                for (uint32_t b = 0; b < a; b++) {
                    bool pair = link[v * m + a] && link[v * m + b];
                    pairs += pair;
                    linked += pair && link[a * m + b];
                }
        fl_metrics found;
        fl_error error = {.text = ""};
        fl_metrics_options options = {.wanted = FL_METRICS_CLUSTERING};
        cr_assert(fl_metrics_compute(&found, network, &options, &error) == FL_OK, "%s", error.text);
        if (network->one_way || pairs == 0)
            cr_expect(isnan(found.clustering_coefficient), "%s", network->spec);
        else
            cr_expect(found.neighbour_pairs == pairs && found.linked_pairs == linked &&
                          found.clustering_coefficient == (double)linked / (double)pairs,
                      "%s: %d of %d, not %d of %d", network->spec, (int)found.linked_pairs,
                      (int)found.neighbour_pairs, (int)linked, (int)pairs);
        free(link);
        fl_network_destroy(network);
    }
}
