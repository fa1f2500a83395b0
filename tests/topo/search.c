/* The order/radix search: sums of distances, graphs that change, chains, bounds. */
#include "tests/support.h"
#include "topo/search/bounds.h"
#include "topo/search/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the reference: breadth-first searches over a list of links ---- */

static uint64_t plain_sum(const fl_search_graph *g)
{
    uint32_t m = g->switches, *distance = malloc(m * sizeof *distance),
             *queue = malloc(m * sizeof *queue);
    uint64_t sum = 0;
    for (uint32_t start = 0; start < m; start++) {
        uint32_t head = 0, tail = 0;
        for (uint32_t v = 0; v < m; v++)
            distance[v] = UINT32_MAX;
        distance[start] = 0;
        queue[tail++] = start;
        while (head < tail) {
            uint32_t v = queue[head++];
            for (uint32_t i = 0; i < g->degree[v]; i++) {
                uint32_t u = g->neighbours[(size_t)v * g->stride + i];
                if (distance[u] == UINT32_MAX) {
                    distance[u] = distance[v] + 1;
                    queue[tail++] = u;
                }
            }
        }
        for (uint32_t v = 0; v < m; v++) {
            if (distance[v] == UINT32_MAX && g->hosts[start] > 0 && g->hosts[v] > 0) {
                sum = FL_DISTANCE_UNREACHABLE;
                goto done;
            }
            if (distance[v] != UINT32_MAX)
                sum += (uint64_t)g->hosts[start] * g->hosts[v] * distance[v];
        }
    }
done:
    free(distance);
    free(queue);
    return sum;
}

static void check_sums(const fl_search_graph *g, const char *what)
{
    for (int portable = 0; portable < 2; portable++) {
        fl_distance_sum *sum;
        fl_error error;
        cr_assert(fl_distance_sum_create(&sum, g, portable, &error) == FL_OK, "%s", error.text);
        uint64_t expected = plain_sum(g), found = fl_distance_sum_all(sum);
        cr_assert(found == expected, "%s, portable %d: %llu, not %llu", what, portable,
                  (unsigned long long)found, (unsigned long long)expected);
        fl_distance_sum_destroy(sum);
    }
}

/* No loops, no double links, links that lead back, ports that suffice, symmetry, all hosts. */
static void check_graph(const fl_search_graph *g)
{
    uint64_t hosts = 0;
    for (uint32_t v = 0; v < g->switches; v++) {
        const uint32_t *n = g->neighbours + (size_t)v * g->stride;
        uint32_t turned = (v + g->orbits) % g->switches;
        hosts += g->hosts[v];
        cr_assert(g->hosts[v] + g->degree[v] <= g->radix, "switch %u", v);
        cr_assert(g->hosts[v] == g->hosts[turned] && g->degree[v] == g->degree[turned]);
        for (uint32_t i = 0; i < g->stride; i++) {
            if (i >= g->degree[v]) {
                cr_assert(n[i] == v, "slot %u of switch %u", i, v);
                continue;
            }
            cr_assert(n[i] != v && n[i] < g->switches, "a loop at switch %u", v);
            for (uint32_t j = 0; j < i; j++)
                cr_assert(n[i] != n[j], "a double link at switch %u", v);
            const uint32_t *back = g->neighbours + (size_t)n[i] * g->stride;
            uint32_t times = 0;
            for (uint32_t j = 0; j < g->degree[n[i]]; j++)
                times += back[j] == v;
            cr_assert(times == 1, "link %u-%u leads back %u times", v, n[i], times);
            cr_assert(g->neighbours[(size_t)turned * g->stride + i] ==
                          (n[i] + g->orbits) % g->switches,
                      "no symmetry at switch %u", v);
        }
    }
    cr_assert(hosts == g->nodes, "%llu hosts", (unsigned long long)hosts);
}

static const fl_search_size sizes[] = {{15, 4, 6, 1},      {64, 20, 8, 1},      {128, 8, 24, 1},
                                       {1024, 194, 15, 1}, {300, 300, 5, 1},    {400, 600, 6, 1},
                                       {128, 32, 8, 2},    {96, 24, 9, 3},      {1024, 192, 16, 64},
                                       {432, 216, 12, 24}, {200, 400, 10, 100}, {350, 700, 8, 7}};

static void start(const fl_search_size *size, uint64_t seed, fl_chain *chain)
{
    fl_error error;
    cr_assert(fl_chain_create(chain, size, NULL, seed, 0, &error) == FL_OK, "%s", error.text);
}

Test(search, sums_of_random_graphs)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            fl_chain chain;
            char what[80];
            start(&sizes[i], seed, &chain);
            check_graph(&chain.graph);
            snprintf(what, sizeof what, "size %zu, seed %llu", i, (unsigned long long)seed);
            check_sums(&chain.graph, what);
            cr_assert(chain.sum == plain_sum(&chain.graph), "%s", what);
            fl_chain_clear(&chain);
        }
}

/* The annealing makes none of these, but a sum of them must be right. */
Test(search, sums_of_double_links_and_parts)
{
    fl_search_graph g;
    fl_error error;
    cr_assert(fl_search_graph_create(&g, 12, 6, 8, 1, &error) == FL_OK);
    for (uint32_t v = 0; v < 6; v++) {
        g.hosts[v] = 2;
        g.degree[v] = 3;
        uint32_t *n = g.neighbours + (size_t)v * g.stride;
        n[0] = n[1] = (v + 1) % 6; /* a double ring */
        n[2] = (v + 5) % 6;
    }
    check_sums(&g, "double links");
    for (uint32_t v = 0; v < 6; v++) { /* two triangles */
        uint32_t *n = g.neighbours + (size_t)v * g.stride, base = v / 3 * 3;
        n[0] = n[1] = base + (v + 1) % 3;
        n[2] = base + (v + 2) % 3;
    }
    cr_assert(plain_sum(&g) == FL_DISTANCE_UNREACHABLE);
    check_sums(&g, "two parts");
    for (uint32_t v = 3; v < 6; v++)
        g.hosts[v] = 0;
    g.nodes = 6;
    cr_assert(plain_sum(&g) != FL_DISTANCE_UNREACHABLE);
    check_sums(&g, "a part without hosts");
    fl_search_graph_clear(&g);
}

/* What a chain keeps from step to step is what a search from scratch finds. */
Test(search, chains_keep_their_sums)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int hot = 0; hot < 2; hot++) {
            fl_chain chain;
            start(&sizes[i], 7 + i, &chain);
            for (int round = 0; round < 8; round++) {
                for (int step = 0; step < (sizes[i].symmetry > 1 ? 30 : 60); step++)
                    fl_chain_step(&chain, hot ? 20 : .2);
                check_graph(&chain.graph);
                check_graph(&chain.best);
                cr_assert(chain.sum == plain_sum(&chain.graph), "size %zu, round %d", i, round);
                cr_assert(chain.best_sum == plain_sum(&chain.best) && chain.best_sum <= chain.sum);
            }
            cr_assert(chain.accepted > 0, "size %zu: nothing was accepted", i);
            fl_chain_clear(&chain);
        }
}

Test(search, chains_as_bytes)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fl_chain chain, read;
        fl_text bytes = {0};
        fl_error error;
        size_t used;
        start(&sizes[i], 3, &chain);
        for (int step = 0; step < 100; step++)
            fl_chain_step(&chain, 1);
        fl_chain_append(&chain, &bytes);
        cr_assert(fl_chain_read(&read, bytes.data, bytes.length, &used, &error) == FL_OK, "%s",
                  error.text);
        cr_assert(used == bytes.length && read.sum == chain.sum && read.best_sum == chain.best_sum);
        for (int step = 0; step < 100; step++) {
            fl_chain_step(&chain, 1);
            fl_chain_step(&read, 1);
            cr_assert(read.sum == chain.sum, "size %zu, step %d", i, step);
        }
        fl_chain_clear(&read);
        fl_chain_clear(&chain);
        fl_text_clear(&bytes);
    }
}

/* Bytes that were cut off or changed are refused, or are another good chain. */
Test(search, chains_from_bad_bytes)
{
    static const fl_search_size size = {30, 10, 6, 2};
    fl_chain chain, read;
    fl_text bytes = {0};
    size_t used, good = 0;
    fl_error error;
    start(&size, 3, &chain);
    fl_chain_append(&chain, &bytes);
    for (size_t length = 0; length < bytes.length; length++) {
        cr_assert(fl_chain_read(&read, bytes.data, length, &used, &error) == FL_ERR_INVALID);
        fl_chain_clear(&read);
    }
    for (size_t bit = 0; bit < 8 * bytes.length; bit++) {
        bytes.data[bit / 8] ^= (char)(1 << bit % 8);
        if (fl_chain_read(&read, bytes.data, bytes.length, &used, &error) == FL_OK) {
            check_graph(&read.graph);
            check_graph(&read.best);
            good++;
        }
        fl_chain_clear(&read);
        bytes.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    cr_assert(good > 0, "bits of the generator may be any");
    fl_chain_clear(&chain);
    fl_text_clear(&bytes);
}

/* ---- bounds ---- */

/* A complete host-switch tree grown host by host, as before Theorem 3.2: the mean distance from the
 * root, with `nearer` hosts at depth - 1 and `farther` ones at depth. */
static double tree_bound(uint64_t hosts, uint64_t radix)
{
    uint64_t nearer = radix - 1, farther = 0, depth = 3, open = 0;
    for (uint64_t n = radix; n < hosts; n++) {
        if (open > 0) {
            open--;
            farther++;
            continue;
        }
        if (nearer == 0) {
            nearer = farther;
            farther = 0;
            depth++;
        }
        nearer--; /* it becomes a switch with two hosts */
        farther += 2;
        open = radix - 3;
    }
    return (double)(nearer * (depth - 1) + farther * depth) / (double)(hosts - 1);
}

Test(search, bounds)
{
    cr_assert(fl_host_switch_hosts_max(4, 6) == 18); /* Lemma 3.1: 4 * 6 - 2 * 3 */
    cr_assert(fl_host_switch_diameter_bound(15, 6) == 3 &&
              fl_host_switch_diameter_bound(6, 6) == 2);
    for (uint64_t radix = 4; radix <= 24; radix += 5)
        for (uint64_t hosts = radix + 1; hosts < 3000; hosts = hosts * 9 / 8 + 1) {
            /* The formula of the thesis, with D and alpha as in 3.2.2. */
            double d = ceil(log((double)hosts - 1) / log((double)radix - 1) - 1e-12) + 1;
            double full = pow((double)radix - 1, d - 2);
            double alpha = full - ceil(((double)hosts - 1 - full) / ((double)radix - 2) - 1e-12);
            double bound = fl_host_switch_aspl_bound(hosts, radix);
            cr_assert(fabs(bound - (d - alpha / ((double)hosts - 1))) < 1e-9, "n=%llu r=%llu",
                      (unsigned long long)hosts, (unsigned long long)radix);
            cr_assert(fabs(bound - tree_bound(hosts, radix)) < 1e-9, "n=%llu r=%llu: %g, tree %g",
                      (unsigned long long)hosts, (unsigned long long)radix, bound,
                      tree_bound(hosts, radix));
        }
    /* Moore graphs: Petersen's, and of Hoffman and Singleton. */
    cr_assert(fabs(fl_moore_bound(10, 3) - (3 + 2 * 6) / 9.) < 1e-12);
    cr_assert(fabs(fl_moore_bound(50, 7) - (7 + 2 * 42) / 49.) < 1e-12);
    cr_assert(isinf(fl_host_switch_moore_bound(1000, 3, 8)));
    cr_assert(fl_host_switch_switches(1024, 15) == 195 || fl_host_switch_switches(1024, 15) == 194);
    cr_assert(fl_host_switch_switches(10000, 32) == 919);
    cr_assert(fl_host_switch_switches(128, 24) == 8);
}

/* Known optima and records that take a moment. */
Test(search, small_records)
{
    fl_chain chain;
    start(&(fl_search_size){128, 8, 24, 1}, 1, &chain);
    for (int step = 0; step < 100000; step++)
        fl_chain_step(&chain, 3 * pow(.03, step / 100000.));
    /* (128, 24): 2.87844, uneven numbers of hosts on a clique of 8 switches. */
    double pairs = 128 * 127;
    cr_assert(fabs((double)chain.best_sum / pairs + 2 - 2.87844) < 5e-6, "%.6f",
              (double)chain.best_sum / pairs + 2);
    fl_chain_clear(&chain);
}
