/* topo, lengths of the shortest paths that survive: against all sets of faults one by one, and
 * against the two-terminal reliability, which counts the same sets by other means. */
#include "faultline.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

/* ---- every set of links between switches; those of the nodes are counted ---- */

enum { SWITCHES_MOST = 24, LINKS_MOST = 20 };

typedef struct small_network {
    fl_network *network;
    unsigned switches, links; /* links between switches */
    unsigned nodes[SWITCHES_MOST], a[LINKS_MOST], b[LINKS_MOST];
} small_network;

static small_network read_small(const char *spec)
{
    small_network small = {.network = need_network(spec)};
    fl_graph *graph = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_graph_create(&graph, small.network, &error) == FL_OK, "%s", error.text);
    small.switches = (unsigned)small.network->switches;
    cr_assert(small.switches <= SWITCHES_MOST &&
                  small.network->links - small.network->nodes <= LINKS_MOST,
              "%s", spec);
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint64_t to = graph->targets[e];
            if (v < graph->nodes)
                small.nodes[to - graph->nodes]++;
            else if (to > v) {
                small.a[small.links] = (unsigned)(v - graph->nodes);
                small.b[small.links++] = (unsigned)(to - graph->nodes);
            }
        }
    fl_graph_destroy(graph);
    return small;
}

/* pairs[d]: ordered pairs of nodes whose switches are d apart. */
static void count_distances(const small_network *small, uint32_t down, uint64_t *pairs)
{
    uint32_t neighbours[SWITCHES_MOST] = {0};
    for (unsigned link = 0; link < small->links; link++)
        if (!(down >> link & 1)) {
            neighbours[small->a[link]] |= 1u << small->b[link];
            neighbours[small->b[link]] |= 1u << small->a[link];
        }
    for (unsigned source = 0; source < small->switches; source++) {
        uint32_t reached = 1u << source, front = reached;
        for (unsigned d = 0; front && small->nodes[source]; d++) {
            uint32_t far_end = 0;
            for (unsigned v = 0; v < small->switches; v++)
                if (front >> v & 1) {
                    pairs[d] += (uint64_t)small->nodes[source] * (small->nodes[v] - (v == source));
                    far_end |= neighbours[v];
                }
            front = far_end & ~reached;
            reached |= front;
        }
    }
}

static long double choose(uint64_t n, uint64_t k)
{
    long double ways = k <= n;
    for (uint64_t i = 0; i < k && k <= n; i++)
        ways = ways * (long double)(n - i) / (long double)(i + 1);
    return ways;
}

/* Allocates the arrays of a result as one block, which free(connected) releases. */
static fl_path_lengths make_room(uint64_t links)
{
    long double *memory = need_memory(3 * (links + 1), sizeof *memory);
    return (fl_path_lengths){memory, memory + links + 1, memory + 2 * (links + 1)};
}

static void expect_exact(const small_network *small, const char *spec, const long double *truth,
                         const long double *mean)
{
    uint64_t links = small->network->links;
    fl_path_lengths out = make_room(links);
    fl_path_lengths_report report;
    fl_error error = {.text = ""};
    cr_assert(fl_path_lengths_all_pairs(&out, &report, small->network, NULL, &error) == FL_OK,
              "%s: %s", spec, error.text);
    cr_expect(report.exact, "%s", spec);
    for (uint64_t f = 0; f <= links; f++) {
        cr_expect(fabsl(out.connected[f] - truth[f]) <= 1e-15L * truth[f],
                  "%s, %llu faults: %.17Lg, not %.17Lg", spec, (unsigned long long)f,
                  out.connected[f], truth[f]);
        cr_expect(fabsl(out.low[f] - mean[f]) <= 1e-15L * mean[f],
                  "%s, %llu faults: length %.17Lg, not %.17Lg", spec, (unsigned long long)f,
                  out.low[f], mean[f]);
        cr_expect_eq(out.low[f], out.high[f], "%s, %llu faults", spec, (unsigned long long)f);
    }
    free(out.connected);
}

static void expect_bounds(const small_network *small, const char *spec, const long double *truth,
                          const long double *mean, uint64_t states)
{
    uint64_t links = small->network->links;
    fl_path_lengths out = make_room(links);
    fl_path_lengths_report report;
    fl_error error = {.text = ""};
    fl_path_lengths_options options = {.states_max = states, .connected = truth};
    cr_assert(fl_path_lengths_all_pairs(&out, &report, small->network, &options, &error) == FL_OK,
              "%s: %s", spec, error.text);
    for (uint64_t f = 0; f <= links; f++) {
        cr_expect(out.connected[f] <= truth[f] * (1 + 1e-15L),
                  "%s, %llu faults, %llu states: found %.17Lg of %.17Lg", spec,
                  (unsigned long long)f, (unsigned long long)states, out.connected[f], truth[f]);
        cr_expect(out.low[f] <= mean[f] * (1 + 1e-15L) && out.high[f] >= mean[f] * (1 - 1e-15L),
                  "%s, %llu faults, %llu states: length %.17Lg, not in %.17Lg..%.17Lg", spec,
                  (unsigned long long)f, (unsigned long long)states, mean[f], out.low[f],
                  out.high[f]);
    }
    free(out.connected);
}

/* Exactly, and with states left out. */
static void expect_every_fault_set(const char *spec)
{
    small_network small = read_small(spec);
    static uint64_t pairs[LINKS_MOST + 1][SWITCHES_MOST];
    memset(pairs, 0, sizeof pairs);
    for (uint32_t down = 0; down < UINT32_C(1) << small.links; down++)
        count_distances(&small, down, pairs[__builtin_popcount(down)]);
    uint64_t links = small.network->links, nodes = small.network->nodes;
    long double *truth = need_memory(2 * (links + 1), sizeof *truth), *mean = truth + links + 1;
    for (uint64_t f = 0; f <= links; f++) {
        long double count = 0, sum = 0; /* both nodes' links are up */
        for (uint64_t i = 0; i <= small.links && i <= f; i++)
            for (unsigned d = 0; d < small.switches; d++) {
                long double sets = (long double)pairs[i][d] * choose(nodes - 2, f - i);
                count += sets;
                sum += (d + 2) * sets;
            }
        truth[f] = count / choose(links, f) / (long double)(nodes * (nodes - 1));
        mean[f] = count > 0 ? sum / count : 0;
    }
    expect_exact(&small, spec, truth, mean);
    for (uint64_t states = 1; states <= 64; states *= 4)
        expect_bounds(&small, spec, truth, mean, states);
    free(truth);
    fl_network_destroy(small.network);
}

Test(path_lengths, every_fault_set)
{
    static const char *const specs[] = {"mikant:k=2,n=2",
                                        "mikant:k=3,n=2",
                                        "kary-ntree:k=2,n=2",
                                        "kary-ntree:k=2,n=3",
                                        "kary-ntree:k=3,n=2",
                                        "kary-ntree:k=3,n=1",
                                        "mesh:k=3,n=2,p=2",
                                        "mesh:k=7,n=1",
                                        "hypercube:k=3",
                                        "fbfly:k=3,n=2",
                                        "thintree:k=3,up=1,n=3",
                                        "clique:m=5,r=6",
                                        "random:n=10,m=10,r=4,seed=4",
                                        "random:n=10,m=10,r=5,seed=7"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        expect_every_fault_set(specs[i]);
}

/* ---- the same connected sets ---- */

static void expect_reliability(const char *spec)
{
    fl_network *network = need_network(spec);
    uint64_t links = network->links;
    long double *other = need_memory(links + 1, sizeof *other);
    fl_path_lengths out = make_room(links), bounds = make_room(links);
    fl_path_lengths_report report, bounds_report;
    fl_error error = {.text = ""};
    cr_assert(fl_path_lengths_all_pairs(&out, &report, network, NULL, &error) == FL_OK, "%s: %s",
              spec, error.text);
    cr_assert(fl_reliability_all_pairs(other, NULL, network, NULL, &error) == FL_OK, "%s: %s", spec,
              error.text);
    fl_path_lengths_options options = {.states_max = report.most_states / 4 + 1,
                                       .connected = other};
    cr_assert(fl_path_lengths_all_pairs(&bounds, &bounds_report, network, &options, &error) ==
                  FL_OK,
              "%s: %s", spec, error.text);
    cr_expect(report.relative_error < 1e-12, "%s: %g", spec, report.relative_error);
    cr_expect(report.states >= report.most_states && report.most_states > 0 && report.memory > 0);
    cr_expect(!bounds_report.exact && bounds_report.most_states <= options.states_max + 1, "%s",
              spec);
    for (uint64_t f = 0; f <= links; f++) {
        cr_expect(fabsl(out.connected[f] - other[f]) <= 1e-15L * other[f],
                  "%s, %llu faults: %.17Lg, not %.17Lg", spec, (unsigned long long)f,
                  out.connected[f], other[f]);
        cr_expect(bounds.low[f] <= out.low[f] * (1 + 1e-15L) &&
                      bounds.high[f] >= out.low[f] * (1 - 1e-15L),
                  "%s, %llu faults: length %.17Lg, not in %.17Lg..%.17Lg", spec,
                  (unsigned long long)f, out.low[f], bounds.low[f], bounds.high[f]);
        cr_expect(bounds.high[f] - bounds.low[f] <= .5L * out.low[f],
                  "%s, %llu faults: %.17Lg..%.17Lg", spec, (unsigned long long)f, bounds.low[f],
                  bounds.high[f]);
    }
    free(other);
    free(out.connected);
    free(bounds.connected);
    fl_network_destroy(network);
}

Test(path_lengths, success_is_the_reliability)
{
    static const char *const specs[] = {
        "kary-ntree:k=3,n=3", "kary-ntree:k=2,n=4", "mikant:k=2,n=3", "mikant:k=4,n=2",
        "mesh:k=4,n=2",       "fattree3:K=4",       "clos:k=2,n=3",   "cat:k=2,n=2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        expect_reliability(specs[i]);
}

/* ---- limits ---- */

static fl_status run_with(const char *spec, const fl_path_lengths_options *options, fl_error *error)
{
    fl_network *network = need_network(spec);
    fl_path_lengths out = make_room(network->links);
    fl_status status = fl_path_lengths_all_pairs(&out, NULL, network, options, error);
    free(out.connected);
    fl_network_destroy(network);
    return status;
}

static bool stop(void *user, uint64_t done, uint64_t total)
{
    unsigned *asked = user;
    cr_expect(done <= total);
    return ++*asked < 20;
}

Test(path_lengths, gives_up_when_told_to)
{
    fl_error error = {.text = ""};
    unsigned asked = 0;
    cr_expect_eq(run_with("mikant:k=3,n=3", &(fl_path_lengths_options){.states_max = 1000}, &error),
                 FL_ERR_STOPPED);
    cr_expect(strstr(error.text, "more than 1000 states"), "%s", error.text);
    cr_expect_eq(run_with("mikant:k=3,n=3",
                          &(fl_path_lengths_options){.progress = stop, .user = &asked}, &error),
                 FL_ERR_STOPPED);
    cr_expect_eq(asked, 20);
}

Test(path_lengths, names_networks_that_it_cannot_serve)
{
    fl_error error = {.text = ""};
    cr_expect_eq(run_with("kary-ntree:k=5,n=3", NULL, &error), FL_ERR_INVALID);
    cr_expect(strstr(error.text, "kary-ntree:k=5,n=3 has more than 64 switches"), "%s", error.text);
    cr_expect_eq(run_with("kns:k=4,n=1,s=2,sub=ruft", NULL, &error), FL_ERR_INVALID);
    cr_expect(strstr(error.text, "has links that carry one way only"), "%s", error.text);
}
