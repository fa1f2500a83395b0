/* faults: axes, fault models, fault orders, the link view. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Statistical tests reject at p < 1e-6. There are about 170 of them (66 are one for each pair of
 * links), so correct code fails one of them for less than 2 in 10,000 seeds. */
static const double P_LEAST = 1e-6;

/* ---- axes ---------------------------------------------------------------- */

static void expect_counts(const char *text, size_t count, const uint64_t *expected)
{
    uint64_t *values = NULL;
    uint32_t fault_points = 0;
    fl_error error = {.text = ""};
    cr_assert(fl_axis_parse_counts(&values, &fault_points, text, &error) == FL_OK, "%s: %s", text,
              error.text);
    cr_expect(fault_points == count && memcmp(values, expected, count * sizeof *values) == 0,
              "%s: %u values", text, fault_points);
    free(values);
}

Test(axis, counts_are_lists_and_ranges)
{
    expect_counts("7", 1, (uint64_t[]){7});
    expect_counts("0,10,40,80", 4, (uint64_t[]){0, 10, 40, 80});
    expect_counts("2:5", 4, (uint64_t[]){2, 3, 4, 5});
    expect_counts("0:10:5", 3, (uint64_t[]){0, 5, 10});
    expect_counts("0:10:4", 3, (uint64_t[]){0, 4, 8});
    expect_counts("5:5", 1, (uint64_t[]){5});
    expect_counts("9007199254740991,9007199254740992", 2,
                  (uint64_t[]){UINT64_C(9007199254740991), UINT64_C(9007199254740992)});
}

static void expect_rates(const char *text, size_t count, double first, double second, double last)
{
    double *values = NULL;
    uint32_t fault_points = 0;
    fl_error error = {.text = ""};
    cr_assert(fl_axis_parse_rates(&values, &fault_points, text, &error) == FL_OK, "%s: %s", text,
              error.text);
    cr_assert(fault_points == count, "%s: %u values", text, fault_points);
    cr_expect(values[0] == first && fabs(values[1] - second) < 1e-15 && values[count - 1] == last,
              "%s: %.17g, %.17g to %.17g", text, values[0], values[1], values[count - 1]);
    for (uint32_t i = 1; i < fault_points; i++)
        cr_expect(values[i] > values[i - 1], "%s rises", text);
    free(values);
}

/* Also where the step has no exact binary form: the last value belongs to the range. */
Test(axis, rates_are_lists_and_ranges_that_end_exactly)
{
    expect_rates("0,0.5,1", 3, 0, .5, 1);
    expect_rates("0:1:0.1", 11, 0, .1, 1);
    expect_rates("0:1:0.01", 101, 0, .01, 1);
    expect_rates("0:1:0.001", 1001, 0, .001, 1);
    expect_rates("0:0.3:0.1", 4, 0, .1, .3);
    expect_rates("0.05:1:0.05", 20, .05, .1, 1);
}

Test(axis, bad_counts_are_refused_and_named)
{
    static const struct {
        const char *text, *names;
    } cases[] = {{"", "''"},
                 {"x", "'x'"},
                 {"1,x", "'x'"},
                 {"-1", "'-1'"},
                 {"1.5", "'1.5'"},
                 {"1,,2", "''"},
                 {"1,", "''"},
                 {"2,1", "2,1"},
                 {"1,1", "1,1"},
                 {"5:1", "5:1"},
                 {"0:10:0", "0:10:0"},
                 {"0:10:-1", "'-1'"},
                 {"0:1:2:3", "0:1:2:3"},
                 {"0:5,7", "0:5,7"},
                 {"1,2:3", "1,2:3"},
                 {":", "''"},
                 {"5:", "''"},
                 {" 1", "' 1'"},
                 {"0:10000000", "0:10000000"},
                 {"99999999999999999999", "99999999999999999999"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t *values = NULL;
        uint32_t fault_points;
        fl_error error = {.text = ""};
        expect_refused(fl_axis_parse_counts(&values, &fault_points, cases[i].text, &error), &error,
                       cases[i].text, cases[i].names);
    }
}

Test(axis, bad_rates_are_refused_and_named)
{
    static const struct {
        const char *text, *names;
    } cases[] = {{"1.5", "'1.5'"},
                 {"-0.1", "'-0.1'"},
                 {"nan", "'nan'"},
                 {"inf", "'inf'"},
                 {"50%", "'50%'"},
                 {"0:1", "0:1"},
                 {"0.5,0.4", "0.5,0.4"},
                 {"0.5,0.5", "0.5,0.5"},
                 {"0:1:0", "0:1:0"},
                 {"0:1:-0.1", "'-0.1'"},
                 {"0:1:1e-9", "0:1:1e-9"},
                 {"0:1.1:0.1", "'1.1'"},
                 {"", "''"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double *values = NULL;
        uint32_t fault_points;
        fl_error error = {.text = ""};
        expect_refused(fl_axis_parse_rates(&values, &fault_points, cases[i].text, &error), &error,
                       cases[i].text, cases[i].names);
    }
}

/* ---- asking --------------------------------------------------------------- */

enum { LINKS_MAX = 4374 };

/* The order of questions about all links. The distribution of the answers must not depend on it. */
typedef enum asking { FORWARD, BACKWARD, SHUFFLED, BY_ANSWERS, ASKINGS } asking;

static const char *const asking_names[ASKINGS] = {"forward", "backward", "shuffled", "by answers"};

static void ask(fl_order *order, uint64_t index, uint32_t *fault_points)
{
    fault_points[index] =
        fl_order_fails_at(order, order->network->type->link_code(order->network, index));
}

/* levels[i]: the first fault point at which link i is down. */
static void ask_all(fl_order *order, asking how, fl_rng *rng, uint32_t *fault_points)
{
    uint64_t links = order->network->links, left[LINKS_MAX], at = 0;
    for (uint64_t i = 0; i < links; i++)
        left[i] = how == BACKWARD ? links - 1 - i : i;
    for (uint64_t count = links; count > 0; count--) {
        if (how == FORWARD || how == BACKWARD)
            at = links - count;
        else if (how == SHUFFLED)
            at = fl_rng_below(rng, count);
        /* Like a router, whose next question depends on the last answer. */
        uint64_t link = left[how == BY_ANSWERS ? at % count : at];
        ask(order, link, fault_points);
        if (how == BY_ANSWERS) {
            left[at % count] = left[count - 1];
            at = at * 5 + fault_points[link];
        } else if (how == SHUFFLED) {
            left[at] = left[count - 1];
        }
    }
}

/* ---- models with known components: every set of f of them is equally likely ---------------- */

/* A network of at most 64 links, and for each component of a fault model the links that it takes
 * down. */
typedef struct component_list {
    fl_network *network;
    unsigned count;
    uint64_t links[64]; /* bit i: link i */
} component_list;

typedef struct cell {
    uint64_t down;
    double weight;
    uint64_t count;
} cell;

typedef struct cells {
    cell *of;
    size_t count, capacity;
} cells;

static void add_cell(cells *c, uint64_t down, double weight)
{
    if (c->count == c->capacity) {
        c->capacity = 2 * c->capacity + 64;
        c->of = realloc(c->of, c->capacity * sizeof *c->of);
        cr_assert(c->of != NULL, "out of memory");
    }
    c->of[c->count++] = (cell){down, weight, 0};
}

static int compare_cells(const void *a, const void *b)
{
    uint64_t x = ((const cell *)a)->down, y = ((const cell *)b)->down;
    return x < y ? -1 : x > y;
}

/* Sorts, and joins cells of the same links. */
static void settle_cells(cells *c)
{
    size_t kept = 0;
    qsort(c->of, c->count, sizeof *c->of, compare_cells);
    for (size_t i = 1; i < c->count; i++) {
        if (c->of[i].down == c->of[kept].down)
            c->of[kept].weight += c->of[i].weight;
        else
            c->of[++kept] = c->of[i];
    }
    c->count = kept + 1;
}

/* All choices of f components out of those from `first` on. */
static void add_choices(cells *c, const component_list *components, unsigned f, unsigned first,
                        uint64_t down)
{
    if (f == 0)
        add_cell(c, down, 1);
    for (unsigned i = first; f > 0 && i < components->count; i++)
        add_choices(c, components, f - 1, i + 1, down | components->links[i]);
}

static cell *find_cell(const cells *c, uint64_t down)
{
    cell key = {.down = down};
    return bsearch(&key, c->of, c->count, sizeof key, compare_cells);
}

/* Small cells are joined to the last one, so that the chi-square distribution holds. */
static double cells_p_value(const cells *c, uint64_t trials)
{
    uint64_t *counts = need_memory(c->count + 1, sizeof *counts), pooled = 0;
    double *weights = need_memory(c->count + 1, sizeof *weights), total = 0, pooled_weight = 0;
    size_t large = 0;
    for (size_t i = 0; i < c->count; i++)
        total += c->of[i].weight;
    for (size_t i = 0; i < c->count; i++) {
        if (c->of[i].weight / total * (double)trials < 5) {
            pooled += c->of[i].count;
            pooled_weight += c->of[i].weight;
        } else {
            counts[large] = c->of[i].count;
            weights[large++] = c->of[i].weight;
        }
    }
    if (pooled_weight / total * (double)trials >= 5) {
        counts[large] = pooled;
        weights[large++] = pooled_weight;
    }
    double p = weighted_p_value(counts, weights, large);
    free(counts);
    free(weights);
    return p;
}

/* Draws trials and compares the links that are down at `level` with the cells. */
static void expect_cells(cells *c, const fl_fault_model *model, uint32_t fault_point,
                         uint64_t trials, uint64_t seed, asking how, const char *what)
{
    fl_order *order = need_order(model);
    uint32_t fault_points[64];
    fl_rng rng;
    fl_rng_seed_raw(&rng, seed, 99);
    for (uint64_t trial = 0; trial < trials; trial++) {
        uint64_t down = 0;
        fl_order_begin(order, seed, trial);
        ask_all(order, how, &rng, fault_points);
        for (uint64_t i = 0; i < order->network->links; i++)
            down |= (uint64_t)(fault_points[i] <= fault_point) << i;
        cell *found = find_cell(c, down);
        cr_assert(found != NULL, "%s: the links %llx cannot be down together", what,
                  (unsigned long long)down);
        found->count++;
    }
    double p = cells_p_value(c, trials);
    cr_expect(p > P_LEAST, "%s, seed %d, asked %s: p = %g", what, (int)seed, asking_names[how], p);
    fl_order_destroy(order);
}

/* At f faults, every set of f components is equally likely, and exactly their links are down. */
static void expect_uniform(const component_list *components, const char *spec, unsigned f,
                           uint64_t trials, uint64_t seed, asking how)
{
    char what[320];
    fl_axis axis = every_count(components->count);
    fl_fault_model *model = need_model(components->network, spec, &axis);
    cells c = {0};
    snprintf(what, sizeof what, "%s, %.60s, f = %u", components->network->spec, spec, f);
    cr_expect(fl_fault_model_components(model) == components->count, "%s: %d parts", what,
              (int)fl_fault_model_components(model));
    add_choices(&c, components, f, 0, 0);
    settle_cells(&c);
    expect_cells(&c, model, f, trials, seed, how, what);
    free(c.of);
    fl_fault_model_destroy(model);
    free_axis(&axis);
}

/* ---- the components of each model, computed from its description ---- */

static component_list need_components(const char *spec)
{
    component_list components = {.network = need_network(spec)};
    cr_assert(components.network->links <= 64, "%s is small enough", spec);
    return components;
}

static uint64_t bit_at(const fl_network *network, fl_address from, unsigned port)
{
    fl_hop hop;
    if (!fl_network_step(network, from, (fl_port)port, &hop))
        return 0;
    return UINT64_C(1) << network->type->link_index(network, hop.link);
}

static component_list single_links(const char *spec)
{
    component_list components = need_components(spec);
    for (; components.count < components.network->links; components.count++)
        components.links[components.count] = UINT64_C(1) << components.count;
    return components;
}

static component_list whole_switches(const char *spec)
{
    component_list components = need_components(spec);
    for (; components.count < components.network->switches; components.count++)
        for (unsigned port = 0; port < components.network->radix; port++)
            components.links[components.count] |= bit_at(
                components.network,
                components.network->type->switch_address(components.network, components.count),
                port);
    return components;
}

/* At each switch of an n-level tree, `size` plugged ports from each port on, wrapping around. */
static component_list neighbouring_ports(const char *spec, unsigned size)
{
    component_list components = need_components(spec);
    for (uint64_t s = 0; s < components.network->switches; s++) {
        fl_address at = components.network->type->switch_address(components.network, s);
        unsigned plugged = 0;
        while (plugged < components.network->radix && bit_at(components.network, at, plugged))
            plugged++;
        for (unsigned first = 0; first < plugged; first++, components.count++)
            for (unsigned i = 0; i < size; i++)
                components.links[components.count] |=
                    bit_at(components.network, at, (first + i) % plugged);
    }
    return components;
}

static void add_bundles(component_list *components, fl_address at, unsigned first_port,
                        unsigned ports, unsigned size)
{
    for (unsigned first = 0; first < ports; first += size, components->count++)
        for (unsigned i = first; i < first + size && i < ports; i++)
            components->links[components->count] |= bit_at(components->network, at, first_port + i);
}

/* Node links and, except at the roots, links towards the top, `size` ports per bundle. */
static component_list bundles(const char *spec, unsigned size)
{
    component_list components = need_components(spec);
    const fl_tree *tree = components.network->tree;
    for (uint64_t s = 0; s < components.network->switches; s++) {
        fl_address at = components.network->type->switch_address(components.network, s);
        bool root = fl_tree_level(at) == tree->top && (!tree->mirrored || fl_tree_group(at) == 1);
        if (fl_tree_level(at) == 0)
            add_bundles(&components, at, 0, tree->k, size);
        if (!root)
            add_bundles(&components, at, tree->k, tree->k, size);
    }
    return components;
}

static void keep_class(component_list *components, unsigned link_class, bool drop_empty)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < components->network->links; i++)
        kept |= (uint64_t)(components->network->type->link_class(
                               components->network, components->network->type->link_code(
                                                        components->network, i)) == link_class)
                << i;
    unsigned count = 0;
    for (unsigned i = 0; i < components->count; i++)
        if ((components->links[i] & kept) || !drop_empty)
            components->links[count++] = components->links[i] & kept;
    components->count = count;
}

static void free_components(component_list *components)
{
    fl_network_destroy(components->network);
}

/* ---- single links ---- */

Test(uniform, every_set_of_f_links_is_equally_likely_in_whatever_order_they_are_asked_about)
{
    component_list components = single_links("mikant:k=2,n=2");
    for (uint64_t seed = 0; seed < 2; seed++)
        for (asking how = FORWARD; how < ASKINGS; how++) {
            expect_uniform(&components, "links", 1, TEST_ROUNDS(50000), seed, how);
            expect_uniform(&components, "links", 2, TEST_ROUNDS(50000), seed + 10,
                           how); /* pairs of links */
            expect_uniform(&components, "links", 3, TEST_ROUNDS(50000), seed + 20, how);
            expect_uniform(&components, "links", 6, TEST_ROUNDS(50000), seed + 30, how);
        }
    free_components(&components);
}

/* Every ordered choice of the first three links to fail. */
Test(uniform, every_order_in_which_links_fail_is_equally_likely)
{
    fl_network *network = need_network("mikant:k=2,n=2");
    fl_axis axis = every_count(12);
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    uint64_t counts[12 * 12 * 12] = {0}, possible[12 * 11 * 10];
    fl_rng rng;
    fl_rng_seed_raw(&rng, 4, 4);
    for (uint64_t trial = 0; trial < 100000; trial++) {
        uint32_t fault_points[12], who[13] = {0};
        fl_order_begin(order, 5, trial);
        ask_all(order, BY_ANSWERS, &rng, fault_points);
        for (unsigned i = 0; i < 12; i++)
            who[fault_points[i]] = i;
        counts[who[1] * 144 + who[2] * 12 + who[3]]++;
    }
    size_t count = 0;
    for (unsigned i = 0; i < 12 * 12 * 12; i++) {
        unsigned a = i / 144, b = i / 12 % 12, c = i % 12;
        if (a != b && b != c && a != c)
            possible[count++] = counts[i];
        else
            cr_expect(counts[i] == 0, "no link fails twice");
    }
    cr_expect(uniform_p_value(possible, count) > P_LEAST, "p = %g",
              uniform_p_value(possible, count));
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

/* The lazy order must give two links the correct joint distribution even if no question is ever
 * asked about the others. */
static double pair_p_value(fl_order *order, uint64_t a, uint64_t b, uint64_t seed)
{
    uint64_t counts[12 * 12] = {0}, possible[12 * 11];
    for (uint64_t trial = 0; trial < 13200; trial++) {
        uint32_t fault_points[12];
        fl_order_begin(order, seed, trial);
        ask(order, a, fault_points);
        ask(order, b, fault_points);
        counts[(fault_points[a] - 1) * 12 + fault_points[b] - 1]++;
    }
    size_t count = 0;
    for (unsigned i = 0; i < 12 * 12; i++)
        if (i / 12 != i % 12)
            possible[count++] = counts[i];
    return uniform_p_value(possible, count);
}

Test(uniform, two_links_alone_fail_in_every_pair_of_places_equally_often)
{
    fl_network *network = need_network("mikant:k=2,n=2");
    fl_axis axis = every_count(12);
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    for (uint64_t a = 0; a < 12; a++)
        for (uint64_t b = 0; b < a; b++) {
            double p = pair_p_value(order, a, b, 100 * a + b);
            cr_expect(p > P_LEAST, "links %d and %d: p = %g", (int)a, (int)b, p);
        }
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

/* MiKANT(3,3), the network of the published figures: single links at f = 10, pairs at f = 2. */
Test(uniform, links_and_pairs_of_links_of_mikant_3_3_fail_equally_often)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_axis axis = {.fault_points = 2, .counts = (uint64_t[]){2, 10}};
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    enum { LINKS = 135, PAIRS = LINKS * (LINKS - 1) / 2 };
    uint64_t singles[LINKS] = {0}, *pairs = need_memory(PAIRS, sizeof *pairs);
    const uint64_t trials = 100000;
    fl_rng rng;
    fl_rng_seed_raw(&rng, 8, 8);
    for (uint64_t trial = 0; trial < trials; trial++) {
        uint32_t fault_points[LINKS];
        size_t low = LINKS, high = LINKS;
        fl_order_begin(order, 1, trial);
        ask_all(order, (asking)(trial % ASKINGS), &rng, fault_points);
        for (size_t i = 0; i < LINKS; i++) {
            singles[i] += fault_points[i] <= 1;
            if (fault_points[i] == 0) {
                low = low == LINKS ? i : low;
                high = i;
            }
        }
        cr_assert(low < high && high < LINKS, "two links are down at f = 2");
        pairs[high * (high - 1) / 2 + low]++;
    }
    /* Exactly 10 links are down at once, which makes the counts negatively correlated: their
     * deviations divided by the binomial variance follow (L - 1) / L as much of a chi-square. */
    double mean = (double)trials * 10 / LINKS, variance = mean * (1 - 10. / LINKS), sum = 0;
    for (size_t i = 0; i < LINKS; i++)
        sum += ((double)singles[i] - mean) * ((double)singles[i] - mean) / variance;
    double p = chi_square_tail(sum * (LINKS - 1) / LINKS, LINKS - 1);
    cr_expect(p > P_LEAST, "single links: p = %g", p);
    p = uniform_p_value(pairs, PAIRS);
    cr_expect(p > P_LEAST, "pairs: p = %g", p);
    free(pairs);
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

/* ---- a fixed number of faults ---- */

static void expect_exact_numbers(const char *network_spec, const char *model_spec, uint64_t trials)
{
    fl_network *network = need_network(network_spec);
    cr_assert(network->links <= LINKS_MAX, "room");
    fl_axis axis = every_count(network->links);
    fl_fault_model *model = need_model(network, model_spec, &axis);
    fl_order *order = need_order(model);
    uint32_t fault_points[LINKS_MAX];
    fl_rng rng;
    fl_rng_seed_raw(&rng, 6, 6);
    for (uint64_t trial = 0; trial < trials; trial++) {
        bool seen[LINKS_MAX + 1] = {true}; /* nothing fails at f = 0 */
        fl_order_begin(order, 7, trial);
        ask_all(order, (asking)(trial % ASKINGS), &rng, fault_points);
        for (uint64_t i = 0; i < network->links; i++) {
            cr_assert(fault_points[i] <= network->links && !seen[fault_points[i]],
                      "%s: one link more at every level", network_spec);
            seen[fault_points[i]] = true;
        }
    }
    cr_expect(fl_order_is_sound(order), "memory did not run out");
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

/* At every fault point one more link is down, hence exactly f of them at f faults; with the array
 * (below 16,384 link codes) and the hash table. */
Test(exact, f_links_are_down_at_f_faults)
{
    expect_exact_numbers("mikant:k=2,n=2", "links", 2000);
    expect_exact_numbers("mikant:k=3,n=3", "links", 500);
    expect_exact_numbers("mikant:k=3,n=1", "links:draw=exact", 500);
    expect_exact_numbers("kary-ntree:k=3,n=6", "links", 20);
}

/* More than 2^20 components: taken places are in a table too. */
Test(exact, f_links_are_down_at_f_faults_also_among_a_million)
{
    fl_network *network = need_network("mikant:k=600,n=2");
    uint64_t counts[] = {1, 1000, 500000}, down[3] = {0};
    cr_assert(network->links > 1 << 20, "large enough");
    fl_axis axis = {.fault_points = 3, .counts = counts};
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    fl_order_begin(order, 3, 0);
    for (uint64_t i = 0; i < network->links; i++) {
        uint32_t fault_point = fl_order_fails_at(order, network->type->link_code(network, i));
        for (uint32_t l = fault_point; l < 3; l++)
            down[l]++;
    }
    cr_expect(down[0] == 1 && down[1] == 1000 && down[2] == 500000, "%d, %d, %d are down",
              (int)down[0], (int)down[1], (int)down[2]);
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

/* ---- places in an array and in a hash table ---- */

/* Three links, four bands of places of about a quarter each: 64 joint outcomes, whose
 * probabilities are those of drawing without replacement. */
static double bands_p_value(const char *network_spec, bool hashed, uint64_t seed)
{
    fl_network *network = need_network(network_spec);
    uint64_t L = network->links, counts[4] = {L / 4, L / 2, 3 * L / 4, L}, outcomes[64] = {0};
    double sizes[4], weights[64];
    fl_axis axis = {.fault_points = 4, .counts = counts};
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    cr_expect((order->direct_size == 0) == hashed, "%s is %shashed", network_spec,
              hashed ? "" : "not ");
    for (int band = 0; band < 4; band++)
        sizes[band] = (double)(counts[band] - (band ? counts[band - 1] : 0));
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int c = 0; c < 4; c++)
                weights[a * 16 + b * 4 + c] =
                    sizes[a] * (sizes[b] - (a == b)) * (sizes[c] - (a == c) - (b == c));
    for (uint64_t trial = 0; trial < 100000; trial++) {
        uint64_t outcome = 0;
        fl_order_begin(order, seed, trial);
        for (uint64_t i = 0; i < 3; i++)
            outcome = outcome * 4 + fl_order_fails_at(order, network->type->link_code(
                                                                 network, (i * L / 3 + trial) % L));
        outcomes[outcome]++;
    }
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
    return weighted_p_value(outcomes, weights, 64);
}

Test(memory, plain_and_hashed_tables_give_the_same_distribution)
{
    double small = bands_p_value("mikant:k=2,n=2", false, 0),
           array = bands_p_value("mikant:k=3,n=3", false, 1);
    double hashed = bands_p_value("kary-ntree:k=3,n=6", true, 2),
           far = bands_p_value("kary-ntree:k=2,n=17", true, 3);
    cr_expect(small > P_LEAST, "12 links, array: p = %g", small);
    cr_expect(array > P_LEAST, "135 links, array: p = %g", array);
    cr_expect(hashed > P_LEAST, "4374 links, hashed: p = %g", hashed);
    cr_expect(far > P_LEAST, "2,228,224 links, hashed, places too: p = %g", far);
}

static void expect_forgetting(const char *network_spec, const char *model_spec)
{
    fl_network *network = need_network(network_spec);
    double eighths[] = {.125, .25, .375, .5, .625, .75, .875, 1};
    fl_axis axis = {.rates = true, .fault_points = 8, .rate = eighths};
    fl_fault_model *model = need_model(network, model_spec, &axis);
    fl_order *used = need_order(model);
    uint64_t step = network->links / 400 + 1;
    for (uint64_t trial = 0; trial < 200; trial++) {
        fl_order *fresh = need_order(model);
        fl_order_begin(used, 9, trial);
        fl_order_begin(fresh, 9, trial);
        for (uint64_t i = trial % 7; i < network->links; i += step) {
            fl_link link = network->type->link_code(network, i);
            uint32_t fault_point = fl_order_fails_at(used, link);
            cr_assert(fault_point == fl_order_fails_at(fresh, link),
                      "%s, %s: trial %d begins as if nothing had been asked", network_spec,
                      model_spec, (int)trial);
            cr_assert(fault_point == fl_order_fails_at(used, link),
                      "asking again gives the same answer");
        }
        fl_order_destroy(fresh);
    }
    fl_order_destroy(used);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

Test(memory, trials_leave_nothing_behind)
{
    static const char *const models[] = {"links",
                                         "switches",
                                         "bundles:size=2",
                                         "neighbours:size=2",
                                         "links:draw=independent",
                                         "switches:draw=independent",
                                         "neighbours:size=3,draw=independent"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        expect_forgetting("mikant:k=3,n=3", models[i]);
        expect_forgetting("kary-ntree:k=3,n=6", models[i]);
        expect_forgetting("kary-ntree:k=2,n=17", models[i]);
    }
}

/* ---- components of several links ---- */

Test(switches, every_set_of_f_switches_is_equally_likely_and_takes_its_links)
{
    static const char *const specs[] = {"mikant:k=2,n=2", "kary-ntree:k=2,n=3", "mikant:k=2,n=3",
                                        "mikant:k=3,n=1"};
    for (size_t i = 0; i < 4; i++) {
        component_list components = whole_switches(specs[i]);
        for (unsigned f = 1; f <= 3 && f <= components.count; f++)
            expect_uniform(&components, "switches", f, TEST_ROUNDS(20000), i,
                           (asking)(f % ASKINGS));
        free_components(&components);
    }
}

Test(bundles, every_set_of_f_bundles_is_equally_likely)
{
    static const struct {
        const char *network, *model;
        unsigned size;
    } cases[] = {
        {"mikant:k=2,n=2", "bundles:size=1", 1},     {"mikant:k=2,n=2", "bundles:size=2", 2},
        {"mikant:k=4,n=2", "bundles:size=3", 3},     {"kary-ntree:k=3,n=2", "bundles:size=2", 2},
        {"kary-ntree:k=2,n=3", "bundles:size=2", 2}, {"mikant:k=3,n=1", "bundles:size=4", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool single_switch = strstr(cases[i].network, "n=1") != NULL;
        component_list components = bundles(cases[i].network, cases[i].size);
        for (unsigned f = 1; f <= 2; f++)
            expect_uniform(&components, cases[i].model, f, TEST_ROUNDS(20000), i,
                           (asking)((f + i) % ASKINGS));
        cr_expect(!single_switch || components.count == 2,
                  "six node links in bundles of four are two bundles");
        free_components(&components);
    }
}

Test(neighbours, every_set_of_f_neighbourhoods_is_equally_likely)
{
    static const struct {
        const char *network, *model;
        unsigned size;
    } cases[] = {{"mikant:k=2,n=2", "neighbours:size=1", 1},
                 {"mikant:k=2,n=2", "neighbours:size=2", 2},
                 {"mikant:k=2,n=2", "neighbours:size=3", 3},
                 {"mikant:k=2,n=2", "neighbours:size=4", 4},
                 {"kary-ntree:k=2,n=2", "neighbours:size=2", 2},
                 {"kary-ntree:k=2,n=2", "neighbours:size=4", 4},
                 {"kary-ntree:k=3,n=2", "neighbours:size=2", 2},
                 {"mikant:k=3,n=1", "neighbours:size=2", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        component_list components = neighbouring_ports(cases[i].network, cases[i].size);
        for (unsigned f = 1; f <= 2; f++)
            expect_uniform(&components, cases[i].model, f, TEST_ROUNDS(20000), i,
                           (asking)((f + i) % ASKINGS));
        free_components(&components);
    }
}

/* ---- classes of links ---- */

Test(classes, only_links_of_the_class_fail_and_all_sets_of_them_are_equally_likely)
{
    component_list components = single_links("mikant:k=2,n=3");
    keep_class(&components, 2, true);
    expect_uniform(&components, "links:class=cross-links", 1, TEST_ROUNDS(20000), 0, FORWARD);
    expect_uniform(&components, "links:class=cross-links", 3, TEST_ROUNDS(20000), 1, BY_ANSWERS);
    free_components(&components);
}

Test(classes, bundles_of_a_class)
{
    component_list components = bundles("mikant:k=2,n=3", 2);
    keep_class(&components, 1, true);
    expect_uniform(&components, "bundles:size=2,class=level-0-links", 2, TEST_ROUNDS(20000), 2,
                   SHUFFLED);
    free_components(&components);
}

/* Neighbourhoods are places at a switch, whether or not the class leaves them anything. */
Test(classes, neighbourhoods_of_a_class)
{
    component_list components = neighbouring_ports("mikant:k=2,n=2", 2);
    keep_class(&components, 1, false);
    expect_uniform(&components, "neighbours:class=cross-links,size=2", 2, TEST_ROUNDS(20000), 3,
                   SHUFFLED);
    free_components(&components);
}

static uint64_t count_components(const fl_network *network, const char *spec)
{
    fl_axis axis = {.fault_points = 1, .counts = (uint64_t[]){0}};
    fl_fault_model *model = need_model(network, spec, &axis);
    uint64_t components = fl_fault_model_components(model);
    fl_fault_model_destroy(model);
    return components;
}

Test(classes, can_be_joined)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    cr_expect(count_components(network, "links:class=node-links") == 54, "node links");
    cr_expect(count_components(network, "links:class=switch-links") == 81, "all but node links");
    cr_expect(count_components(network, "links:class=cross-links+level-0-links") == 81,
              "the same, by name");
    cr_expect(count_components(network, "links:class=node-links+switch-links") == 135, "all");
    fl_network_destroy(network);
}

/* ---- every component fails with a probability ---- */

/* All subsets of components with their probabilities. */
static void expect_independent(const component_list *components, const char *spec, double rate,
                               uint64_t seed)
{
    double rates[] = {rate};
    fl_axis axis = {.rates = true, .fault_points = 1, .rate = rates};
    fl_fault_model *model = need_model(components->network, spec, &axis);
    cells c = {0};
    uint64_t count;
    cr_expect(fl_fault_model_is_independent(model) && !fl_fault_model_count_at(model, 0, &count),
              "%s has no fixed count", spec);
    cr_assert(components->count <= 12, "few enough subsets");
    for (uint64_t subset = 0; subset < UINT64_C(1) << components->count; subset++) {
        uint64_t down = 0;
        double weight = 1;
        for (unsigned i = 0; i < components->count; i++) {
            down |= subset >> i & 1 ? components->links[i] : 0;
            weight *= subset >> i & 1 ? rate : 1 - rate;
        }
        add_cell(&c, down, weight);
    }
    settle_cells(&c);
    expect_cells(&c, model, 0, TEST_ROUNDS(100000), seed, (asking)(seed % ASKINGS), spec);
    free(c.of);
    fl_fault_model_destroy(model);
}

Test(independent, links_fail_independently_of_each_other)
{
    component_list components = single_links("mikant:k=2,n=2");
    expect_independent(&components, "links:draw=independent", .1, 0);
    expect_independent(&components, "links:draw=independent", .5, 1);
    expect_independent(&components, "links:draw=independent", .9, 2);
    free_components(&components);
}

Test(independent, switches_bundles_and_classes_too)
{
    component_list components = whole_switches("mikant:k=2,n=2");
    expect_independent(&components, "switches:draw=independent", .3, 3);
    free_components(&components);
    components = bundles("mikant:k=2,n=2", 2);
    expect_independent(&components, "bundles:draw=independent,size=2", .4, 4);
    free_components(&components);
    components = single_links("mikant:k=2,n=3");
    keep_class(&components, 2, true);
    expect_independent(&components, "links:class=cross-links,draw=independent", .2, 5);
    free_components(&components);
}

/* The number of links down is binomial at every rate; none at 0, all at 1; and a link that is down
 * at a rate stays down at higher ones. */
static void expect_binomial(const char *network_spec, uint64_t asked, uint64_t seed)
{
    fl_network *network = need_network(network_spec);
    double rates[] = {0, 1e-4, .1, .5, .75, 1};
    uint64_t down[6] = {0}, questions = 0;
    fl_axis axis = {.rates = true, .fault_points = 6, .rate = rates};
    fl_fault_model *model = need_model(network, "links:draw=independent", &axis);
    fl_order *order = need_order(model);
    for (uint64_t trial = 0; trial < 5000; trial++) {
        fl_order_begin(order, seed, trial);
        for (uint64_t i = 0; i < asked; i++, questions++) {
            uint32_t fault_point = fl_order_fails_at(
                order, network->type->link_code(network, i * (network->links / asked)));
            for (uint32_t l = fault_point; l < 6; l++)
                down[l]++;
        }
    }
    for (uint32_t l = 0; l < 6; l++) {
        double p = binomial_p_value(down[l], questions, rates[l]);
        cr_expect(p > P_LEAST, "%s, rate %g: %d of %d, p = %g", network_spec, rates[l],
                  (int)down[l], (int)questions, p);
        cr_expect(fl_fault_model_rate_at(model, l) == rates[l], "the rate is the probability");
    }
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

Test(independent, the_number_of_links_down_is_binomial)
{
    expect_binomial("mikant:k=3,n=3", 135, 0);
    expect_binomial("kary-ntree:k=3,n=6", 50, 1);
    expect_binomial("kary-ntree:k=2,n=17", 50, 2);
}

/* ---- explicit lists ---- */

static void expect_list(const char *spec, const char *network_spec, size_t count,
                        const uint64_t *expected)
{
    fl_network *network = need_network(network_spec);
    fl_axis axis = every_count(count);
    fl_fault_model *model = need_model(network, spec, &axis);
    fl_order *order = need_order(model);
    uint32_t fault_points[LINKS_MAX];
    fl_rng rng;
    fl_rng_seed_raw(&rng, 1, 1);
    cr_expect(fl_fault_model_components(model) == count, "%s: %d links", spec,
              (int)fl_fault_model_components(model));
    for (uint64_t trial = 0; trial < ASKINGS; trial++) {
        fl_order_begin(order, 0, trial);
        ask_all(order, (asking)trial, &rng, fault_points);
        for (uint64_t i = 0; i < network->links; i++) {
            uint32_t place = 0;
            while (place < count && expected[place] != i)
                place++;
            uint32_t fault_point = place < count ? place + 1 : FL_NEVER_FAILS;
            cr_expect(fault_points[i] == fault_point, "%s: link %d fails at %u", spec, (int)i,
                      fault_points[i]);
        }
    }
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

static uint64_t index_of(const char *network_spec, const char *link_text)
{
    fl_network *network = need_network(network_spec);
    fl_link link = 0;
    cr_assert(fl_network_parse_link(network, link_text, &link, NULL) == FL_OK, "%s", link_text);
    uint64_t index = network->type->link_index(network, link);
    fl_network_destroy(network);
    return index;
}

Test(lists, links_fail_in_the_order_of_the_list)
{
    const char *spec = "mikant:k=3,n=3";
    expect_list("list:7", spec, 1, (uint64_t[]){7});
    expect_list("list:134;0;77", spec, 3, (uint64_t[]){134, 0, 77});
    uint64_t up = index_of(spec, "<0,0,00> <0,1,00>"), cross = index_of(spec, "<0,1,00> <1,1,20>");
    expect_list("list:<0,0,00>-<0,1,00>;<1,1,20> <0,1,00>", spec, 2, (uint64_t[]){up, cross});
    expect_list("list:5; <0,1,00>-<1,1,20> ;", spec, 2, (uint64_t[]){5, cross});
    expect_list("list:4373;0", "kary-ntree:k=3,n=6", 2, (uint64_t[]){4373, 0}); /* hashed */
}

Test(lists, are_read_from_files_too)
{
    char path[] = "/tmp/faultline-list-XXXXXX", spec[64];
    int file = mkstemp(path);
    cr_assert(file >= 0, "a file");
    close(file);
    const char *text = "# two links\n12\r\n\n   <0,0,00> <0,1,00>\n# the end";
    cr_assert(fl_file_write(path, text, strlen(text), NULL) == FL_OK, "written");
    snprintf(spec, sizeof spec, "list:@%s", path);
    expect_list(spec, "mikant:k=3,n=3", 2,
                (uint64_t[]){12, index_of("mikant:k=3,n=3", "<0,0,00> <0,1,00>")});
    unlink(path);
}

/* ---- the descriptions of models ---- */

Test(models, exact_rates_are_shares_of_the_components_and_fault_points_of_equal_counts_are_one)
{
    fl_network *network = need_network("mikant:k=2,n=2"); /* 12 links */
    double rates[] = {0, .01, .25, .26, .5, 1};
    fl_axis axis = {.rates = true, .fault_points = 6, .rate = rates};
    fl_fault_model *model = need_model(network, "links", &axis);
    const uint64_t expected[] = {0, 3, 6, 12};
    cr_assert(fl_fault_model_fault_points(model) == 4, "%u levels",
              fl_fault_model_fault_points(model));
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t count = 99;
        cr_expect(fl_fault_model_count_at(model, i, &count) && count == expected[i],
                  "level %u has %d faults", i, (int)count);
        cr_expect(fl_fault_model_rate_at(model, i) == (double)expected[i] / 12,
                  "level %u is the rate %g", i, fl_fault_model_rate_at(model, i));
    }
    cr_expect(!fl_fault_model_is_independent(model), "exact");
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

static const struct {
    const char *spec, *names;
} bad_models[] = {
    {"", "links, switches, bundles, neighbours, list"},
    {"link", "did you mean 'links'"},
    {"Switches", "did you mean 'switches'"},
    {"earthquake", "'earthquake'"},
    {"links:class=cross-link", "cross-link"},
    {"links:class=", "''"},
    {"links:class", "''"},
    {"links:class=node-links+", "''"},
    {"links:class=switch-links+x", "'x'"},
    {"links:class=cross-links+cross-links", "'cross-links' is in the list already"},
    {"links:class=switch-links+cross-links", "'cross-links' is in the list already"},
    {"links:draw=random", "draw=random"},
    {"links:draw", "draw="},
    {"links:draw=independent", "rates"},
    {"links:size=2", "size="},
    {"links:clas=cross-links", "did you mean 'class'"},
    {"links:rate=0.5", "'rate'"},
    {"links:,draw=exact", "''"},
    {"links:draw=exact,,class=node-links", "''"},
    {"links draw=exact", "links draw=exact"},
    {"switches:class=node-links", "class="},
    {"bundles", "size="},
    {"bundles:size=0", "size=0"},
    {"bundles:size=4", "size=4"},
    {"bundles:size=-1", "size=-1"},
    {"bundles:size=x", "size=x"},
    {"neighbours", "size="},
    {"neighbours:size=7", "size=7"},
    {"list:", "names no link"},
    {"list", "names no link"},
    {"list:;;", "names no link"},
    {"list:135", "135"},
    {"list:1;2;1", "'1'"},
    {"list:<0,0,00>-<0,1,00>;<0,1,00>-<0,0,00>", "twice"},
    {"list:<0,0,00>-<1,1,00>", "<1,1,00>"},
    {"list:1,2", "1,2"},
};

Test(models, bad_specs_are_refused_and_the_message_names_what_is_wrong)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_axis axis = {.fault_points = 1, .counts = (uint64_t[]){0}};
    for (size_t i = 0; i < sizeof bad_models / sizeof bad_models[0]; i++) {
        fl_fault_model *model = NULL;
        fl_error error = {.text = ""};
        expect_refused(fl_fault_model_create(&model, network, bad_models[i].spec, &axis, &error),
                       &error, bad_models[i].spec, bad_models[i].names);
    }
    fl_network_destroy(network);
}

Test(models, a_list_that_cannot_be_read_is_an_error_that_names_the_file)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_axis axis = {.fault_points = 1, .counts = (uint64_t[]){0}};
    fl_fault_model *model = NULL;
    fl_error error = {.text = ""};
    cr_expect(fl_fault_model_create(&model, network, "list:@/nowhere/list", &axis, &error) ==
                  FL_ERR_IO,
              "cannot be read");
    cr_expect(strstr(error.text, "/nowhere/list") != NULL, "%s", error.text);
    fl_network_destroy(network);
}

Test(models, more_faults_than_components_are_refused)
{
    static const struct {
        const char *spec;
        uint64_t components;
    } cases[] = {{"links", 135},         {"links:class=cross-links", 27}, {"switches", 36},
                 {"bundles:size=3", 45}, {"neighbours:size=2", 216},      {"list:3;4", 2}};
    fl_network *network = need_network("mikant:k=3,n=3");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t most[] = {cases[i].components}, more[] = {cases[i].components + 1};
        char names[32];
        fl_axis all = {.fault_points = 1, .counts = most},
                too_many = {.fault_points = 1, .counts = more};
        fl_fault_model *model = need_model(network, cases[i].spec, &all);
        fl_error error = {.text = ""};
        cr_expect(fl_fault_model_components(model) == cases[i].components, "%s: %d parts",
                  cases[i].spec, (int)fl_fault_model_components(model));
        fl_fault_model_destroy(model);
        snprintf(names, sizeof names, "%d", (int)cases[i].components + 1);
        expect_refused(fl_fault_model_create(&model, network, cases[i].spec, &too_many, &error),
                       &error, cases[i].spec, names);
    }
    fl_network_destroy(network);
}

/* Results are named by a hash of it: two spellings of one model must give one text. */
Test(models, a_spec_has_one_canonical_form)
{
    static const char *const same[][2] = {
        {"links", "links:draw=exact"},
        {"links", "links:"},
        {"bundles:size=2,draw=independent", "bundles:draw=independent,size=02"},
        {"links:class=cross-links+node-links", "links:class=node-links+cross-links"},
    };
    fl_network *network = need_network("mikant:k=3,n=3");
    double rates[] = {.5};
    fl_axis axis = {.rates = true, .fault_points = 1, .rate = rates};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        fl_fault_model *a = need_model(network, same[i][0], &axis),
                       *b = need_model(network, same[i][1], &axis);
        cr_expect(strcmp(fl_fault_model_spec(a), fl_fault_model_spec(b)) == 0, "'%s' and '%s'",
                  fl_fault_model_spec(a), fl_fault_model_spec(b));
        fl_fault_model_destroy(a);
        fl_fault_model_destroy(b);
    }
    fl_network_destroy(network);
}

/* An option that is given twice must not be dropped silently, like that of a network. */
Test(models, an_option_given_twice_is_refused)
{
    static const char *const specs[] = {"bundles:size=2,size=3",
                                        "links:draw=exact,draw=independent"};
    fl_network *network = need_network("mikant:k=3,n=3");
    double rates[] = {.5};
    fl_axis axis = {.rates = true, .fault_points = 1, .rate = rates};
    for (size_t i = 0; i < 2; i++) {
        fl_fault_model *model = NULL;
        fl_error error = {.text = ""};
        expect_refused(fl_fault_model_create(&model, network, specs[i], &axis, &error), &error,
                       specs[i], "twice");
        fl_fault_model_destroy(model);
    }
    fl_network_destroy(network);
}

/* ---- custom orders ---- */

static uint32_t count_draws(fl_order *order, fl_link link)
{
    (*(unsigned *)order->user)++;
    return (uint32_t)(link % 5);
}

static void expect_one_draw_a_link(const char *network_spec)
{
    fl_network *network = need_network(network_spec);
    fl_order *order;
    unsigned draws = 0;
    cr_assert(fl_order_create_custom(&order, network, count_draws, &draws, NULL) == FL_OK,
              "an order");
    for (unsigned round = 1; round <= 3; round++) {
        for (int again = 0; again < 2; again++)
            for (uint64_t i = 0; i < 12; i++) {
                fl_link link = network->type->link_code(network, i);
                cr_expect(fl_order_fails_at(order, link) == link % 5,
                          "the answer is what was drawn");
            }
        cr_expect(draws == 12 * round, "%s: %u draws", network_spec, draws);
        fl_order_forget(order);
    }
    fl_order_destroy(order);
    fl_network_destroy(network);
}

Test(orders, draw_once_for_every_link_until_they_forget)
{
    expect_one_draw_a_link("mikant:k=2,n=2");
    expect_one_draw_a_link("kary-ntree:k=3,n=6");
}

/* ---- the link view ---- */

typedef struct question {
    fl_address from;
    fl_port port;
    fl_link link;
    bool up;
} question;

typedef struct listening {
    question heard[16];
    unsigned count;
} listening;

static void hear(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    listening *l = user;
    l->heard[l->count++] = (question){from, port, link, up};
}

/* Links fail at fault point 5, ports 0 to 2 of the switch under test at 1, 2, 3. */
static uint32_t draw_for_view(fl_order *order, fl_link link)
{
    const fl_address *sw = order->user;
    fl_hop hop;
    for (fl_port port = 0; port < 3; port++)
        if (fl_network_step(order->network, *sw, port, &hop) && hop.link == link)
            return port + 1u;
    return 5;
}

typedef struct bench {
    fl_network *network;
    fl_order *order;
    fl_address sw;
    fl_view view;
    listening heard;
} bench;

/* A view at a switch of MiKANT(3,3). */
static bench *need_bench(const char *spec, const char *sw, fl_scope scope, uint32_t fault_point)
{
    bench *b = need_memory(1, sizeof *b);
    b->network = need_network(spec);
    cr_assert(b->network->type->parse_label(b->network, sw, &b->sw), "%s", sw);
    cr_assert(fl_order_create_custom(&b->order, b->network, draw_for_view, &b->sw, NULL) == FL_OK,
              "an order");
    b->view = (fl_view){.network = b->network,
                        .order = b->order,
                        .here = b->sw,
                        .fault_point = fault_point,
                        .scope = scope,
                        .holds_until = FL_NEVER_FAILS,
                        .listener = hear,
                        .listener_user = &b->heard};
    return b;
}

static void free_bench(bench *b)
{
    fl_order_destroy(b->order);
    fl_network_destroy(b->network);
    free(b);
}

Test(view, a_link_is_up_below_the_fault_point_at_which_it_fails)
{
    bench *b = need_bench("mikant:k=3,n=3", "<0,1,00>", FL_SCOPE_LOCAL, 2);
    fl_probe here = fl_view_here(&b->view), far_end = {0, 99};
    cr_expect(!fl_view_up(&b->view, &here, 0, &far_end), "fails at 1");
    cr_expect(!fl_view_up(&b->view, &here, 1, &far_end), "fails at 2");
    cr_expect(far_end.depth == 99, "nothing is written about a link that is down");
    cr_expect(fl_view_up(&b->view, &here, 2, &far_end) && far_end.depth == 1, "fails at 3");
    fl_hop hop;
    cr_expect(fl_network_step(b->network, b->sw, 2, &hop) && hop.to == far_end.at,
              "beyond is where the port leads");
    free_bench(b);
}

Test(view, the_record_holds_until_the_first_link_seen_up_fails)
{
    bench *b = need_bench("mikant:k=3,n=3", "<0,1,00>", FL_SCOPE_LOCAL, 1);
    fl_probe here = fl_view_here(&b->view), far_end;
    cr_expect(!fl_view_up(&b->view, &here, 0, &far_end) && b->view.holds_until == FL_NEVER_FAILS,
              "links seen down stay down");
    cr_expect(fl_view_up(&b->view, &here, 4, &far_end) && b->view.holds_until == 5, "until 5");
    cr_expect(fl_view_up(&b->view, &here, 2, &far_end) && b->view.holds_until == 3, "until 3");
    cr_expect(fl_view_up(&b->view, &here, 5, &far_end) && b->view.holds_until == 3,
              "still until 3");
    free_bench(b);
}

Test(view, scope_local_refuses_what_is_beyond_the_switchs_own_links)
{
    bench *b = need_bench("mikant:k=3,n=3", "<0,1,00>", FL_SCOPE_LOCAL, 0);
    fl_probe here = fl_view_here(&b->view), far_end = {0}, further = {0, 99};
    cr_expect(fl_view_up(&b->view, &here, 3, &far_end) && !b->view.violation, "an own link");
    unsigned heard = b->heard.count;
    uint32_t drawn = b->order->asked_count;
    cr_expect(!fl_view_up(&b->view, &far_end, 0, &further) &&
                  b->view.violation == FL_ASKS_BEYOND_SCOPE,
              "a link of the neighbour");
    cr_expect(further.depth == 99 && b->heard.count == heard && b->order->asked_count == drawn,
              "the question was not even put");
    free_bench(b);
}

Test(view, scope_detour_follows_links_that_are_up)
{
    bench *b = need_bench("mikant:k=3,n=3", "<0,1,00>", FL_SCOPE_DETOUR, 0);
    fl_probe at = fl_view_here(&b->view);
    for (unsigned depth = 1; depth <= 4; depth++)
        cr_expect(fl_view_up(&b->view, &at, 4, &at) && at.depth == depth, "link %u of the detour",
                  depth);
    cr_expect(!b->view.violation, "all allowed");
    free_bench(b);
}

/* Nothing is above the top of a k-ary n-tree, and no switch of it has a port 2k. */
Test(view, whether_anything_is_plugged_in_is_no_question_about_faults)
{
    bench *b = need_bench("kary-ntree:k=3,n=2", "<1,0>", FL_SCOPE_LOCAL, 0);
    fl_probe here = fl_view_here(&b->view), below = {0};
    for (unsigned port = 0; port <= UINT16_MAX; port += port < 10 ? 1 : 3855)
        cr_expect_eq(fl_view_has_link(&b->view, &here, (fl_port)port), port < 3, "port %u", port);
    cr_assert(fl_view_up(&b->view, &here, 1, &below));
    unsigned heard = b->heard.count;
    for (unsigned port = 0; port < 8; port++)
        cr_expect_eq(fl_view_has_link(&b->view, &below, (fl_port)port), port < 6,
                     "port %u of the switch below, in scope local", port);
    cr_expect(b->heard.count == heard && !b->view.violation, "nothing is recorded");
    free_bench(b);
}

Test(view, a_question_about_an_empty_port_violates_the_contract)
{
    static const fl_port empty[] = {3, 6, 103, UINT16_MAX};
    for (unsigned i = 0; i < 4; i++) {
        bench *b = need_bench("kary-ntree:k=3,n=2", "<1,0>", FL_SCOPE_DETOUR, 0);
        fl_probe here = fl_view_here(&b->view), far_end = {0, 99};
        cr_expect(!fl_view_up(&b->view, &here, empty[i], &far_end) && far_end.depth == 99,
                  "port %u", empty[i]);
        cr_expect(b->heard.count == 0 && b->view.holds_until == FL_NEVER_FAILS,
                  "nothing is recorded");
        cr_expect(b->view.violation == FL_ASKS_EMPTY_PORT && b->view.unplugged_at == b->sw &&
                  b->view.unplugged_port == empty[i]);
        fl_view_up(&b->view, &here, 5, &far_end);
        cr_expect_eq(b->view.unplugged_port, empty[i], "the first violation is kept");
        free_bench(b);
    }
}

Test(view, the_listener_hears_every_question_and_its_answer)
{
    bench *b = need_bench("mikant:k=3,n=3", "<0,1,00>", FL_SCOPE_LOCAL, 1);
    fl_probe here = fl_view_here(&b->view), far_end;
    fl_hop hop;
    fl_view_up(&b->view, &here, 0, &far_end);
    fl_view_up(&b->view, &here, 1, &far_end);
    cr_assert(b->heard.count == 2, "two questions");
    cr_expect(b->heard.heard[0].port == 0 && !b->heard.heard[0].up, "port 0 is down");
    cr_expect(b->heard.heard[1].port == 1 && b->heard.heard[1].up, "port 1 is up");
    cr_expect(fl_network_step(b->network, b->sw, 1, &hop) && b->heard.heard[1].link == hop.link &&
                  b->heard.heard[1].from == b->sw,
              "link and switch");
    free_bench(b);
}

Test(view, settings_are_recorded_when_looked_at)
{
    fl_view view = {.enabled_rules = 5};
    cr_expect(fl_view_rule_enabled(&view, 1) && !fl_view_rule_enabled(&view, 2), "their values");
    cr_expect(view.rules_asked == 3, "bits 1 and 2, and not 4: %d", (int)view.rules_asked);
}

Test(view, scopes_are_parsed_by_name)
{
    fl_scope scope = FL_SCOPE_DETOUR;
    fl_error error = {.text = ""};
    cr_expect(fl_scope_parse(&scope, "local", &error) == FL_OK && scope == FL_SCOPE_LOCAL, "local");
    cr_expect(fl_scope_parse(&scope, "detour", &error) == FL_OK && scope == FL_SCOPE_DETOUR,
              "detour");
    expect_refused(fl_scope_parse(&scope, "locl", &error), &error, "locl", "did you mean 'local'");
    expect_refused(fl_scope_parse(&scope, "everything", &error), &error, "everything",
                   "'everything'");
}
