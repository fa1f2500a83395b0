/* topo, lengths of the shortest paths that survive: against all sets of faults one by one, and against the
 * two-terminal reliability, which counts the same sets by other means. */
#include "support.h"

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
    fl_error error = {""};
    cr_assert(fl_graph_create(&graph, small.network, &error) == FL_OK, "%s", error.text);
    small.switches = (unsigned)small.network->switches;
    cr_assert(small.switches <= SWITCHES_MOST && small.network->links - small.network->nodes <= LINKS_MOST, "%s", spec);
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
            uint32_t beyond = 0;
            for (unsigned v = 0; v < small->switches; v++)
                if (front >> v & 1) {
                    pairs[d] += (uint64_t)small->nodes[source] * (small->nodes[v] - (v == source));
                    beyond |= neighbours[v];
                }
            front = beyond & ~reached;
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

static void expect_every_fault_set(const char *spec)
{
    small_network small = read_small(spec);
    static uint64_t pairs[LINKS_MOST + 1][SWITCHES_MOST];
    memset(pairs, 0, sizeof pairs);
    for (uint32_t down = 0; down < UINT32_C(1) << small.links; down++)
        count_distances(&small, down, pairs[__builtin_popcount(down)]);
    uint64_t links = small.network->links, nodes = small.network->nodes;
    long double *connected = need_memory(links + 1, sizeof *connected), *lengths = need_memory(links + 1, sizeof *lengths);
    fl_error error = {""};
    cr_assert(fl_path_lengths_all_pairs(connected, lengths, NULL, small.network, NULL, &error) == FL_OK, "%s: %s", spec, error.text);
    for (uint64_t f = 0; f <= links; f++) {
        long double count = 0, sum = 0; /* both nodes' links are up */
        for (uint64_t i = 0; i <= small.links && i <= f; i++)
            for (unsigned d = 0; d < small.switches; d++) {
                long double sets = (long double)pairs[i][d] * choose(nodes - 2, f - i);
                count += sets;
                sum += (d + 2) * sets;
            }
        long double success = count / choose(links, f) / (long double)(nodes * (nodes - 1)), mean = count > 0 ? sum / count : 0;
        cr_expect(fabsl(connected[f] - success) <= 1e-15L * success, "%s, %llu faults: %.17Lg, not %.17Lg", spec, (unsigned long long)f, connected[f], success);
        cr_expect(fabsl(lengths[f] - mean) <= 1e-15L * mean, "%s, %llu faults: length %.17Lg, not %.17Lg", spec, (unsigned long long)f, lengths[f], mean);
    }
    free(connected);
    free(lengths);
    fl_network_destroy(small.network);
}

Test(path_lengths, every_fault_set)
{
    static const char *const specs[] = {"mikant:k=2,n=2", "mikant:k=3,n=2", "kary-ntree:k=2,n=2", "kary-ntree:k=2,n=3", "kary-ntree:k=3,n=2",
                                        "kary-ntree:k=3,n=1", "mesh:k=3,n=2,p=2", "mesh:k=7,n=1", "hypercube:k=3", "fbfly:k=3,n=2",
                                        "thintree:k=3,up=1,n=3", "clique:m=5,r=6", "random:n=10,m=10,r=4,seed=4"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        expect_every_fault_set(specs[i]);
}

/* ---- the same connected sets ---- */

static void expect_reliability(const char *spec)
{
    fl_network *network = need_network(spec);
    uint64_t links = network->links;
    long double *memory = need_memory(3 * (links + 1), sizeof *memory), *connected = memory, *other = memory + links + 1;
    fl_path_lengths_report report;
    fl_error error = {""};
    cr_assert(fl_path_lengths_all_pairs(connected, memory + 2 * (links + 1), &report, network, NULL, &error) == FL_OK, "%s: %s", spec, error.text);
    cr_assert(fl_reliability_all_pairs(other, NULL, network, NULL, &error) == FL_OK, "%s: %s", spec, error.text);
    cr_expect(report.relative_error < 1e-12, "%s: %g", spec, report.relative_error);
    cr_expect(report.states >= report.most_states && report.most_states > 0 && report.memory > 0);
    for (uint64_t f = 0; f <= links; f++)
        cr_expect(fabsl(connected[f] - other[f]) <= 1e-15L * other[f], "%s, %llu faults: %.17Lg, not %.17Lg", spec, (unsigned long long)f,
                  connected[f], other[f]);
    free(memory);
    fl_network_destroy(network);
}

Test(path_lengths, success_is_the_reliability)
{
    static const char *const specs[] = {"kary-ntree:k=3,n=3", "kary-ntree:k=2,n=4", "mikant:k=2,n=3", "mikant:k=4,n=2", "mesh:k=4,n=2",
                                        "fattree3:K=4", "clos:k=2,n=3", "cat:k=2,n=2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        expect_reliability(specs[i]);
}

/* ---- limits ---- */

static fl_status run_with(const char *spec, const fl_path_lengths_options *options, fl_error *error)
{
    fl_network *network = need_network(spec);
    long double *connected = need_memory(2 * (network->links + 1), sizeof *connected);
    fl_status status = fl_path_lengths_all_pairs(connected, connected + network->links + 1, NULL, network, options, error);
    free(connected);
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
    fl_error error = {""};
    unsigned asked = 0;
    cr_expect_eq(run_with("mikant:k=3,n=3", &(fl_path_lengths_options){.states_max = 1000}, &error), FL_ERR_MEMORY);
    cr_expect(strstr(error.text, "more than 1000 states"), "%s", error.text);
    cr_expect_eq(run_with("mikant:k=3,n=3", &(fl_path_lengths_options){.progress = stop, .user = &asked}, &error), FL_ERR_STOPPED);
    cr_expect_eq(asked, 20);
}

Test(path_lengths, names_networks_that_it_cannot_serve)
{
    fl_error error = {""};
    cr_expect_eq(run_with("kary-ntree:k=5,n=3", NULL, &error), FL_ERR_INVALID);
    cr_expect(strstr(error.text, "kary-ntree:k=5,n=3 has more than 64 switches"), "%s", error.text);
    cr_expect_eq(run_with("kns:k=4,n=1,s=2,sub=ruft", NULL, &error), FL_ERR_INVALID);
    cr_expect(strstr(error.text, "has links that carry one way only"), "%s", error.text);
}
