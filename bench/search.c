/* Speed of the order/radix search: the time of one h-ASPL from scratch, beside a plain search from
 * every switch in the same run, and steps of annealing per second. Processor time, not wall time:
 * the best of several short runs, since the machine may be shared.
 *
 *   bench/search [seconds per measurement, default 1] */
#include "topo/search/bounds.h"
#include "topo/search/chain.h"

#include <stdlib.h>
#include <time.h>

enum { RUNS = 10 };

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void die(const fl_error *error)
{
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

/* ---- the reference: a queue and a distance for each switch, from every switch ---- */

static uint64_t plain_sum(const fl_search_graph *graph, uint32_t *distance, uint32_t *queue)
{
    uint64_t sum = 0;
    for (uint32_t start = 0; start < graph->switches; start++) {
        uint32_t head = 0, tail = 0;
        for (uint32_t v = 0; v < graph->switches; v++)
            distance[v] = UINT32_MAX;
        distance[start] = 0;
        queue[tail++] = start;
        while (head < tail) {
            uint32_t v = queue[head++];
            sum += (uint64_t)graph->hosts[start] * graph->hosts[v] * distance[v];
            for (uint32_t i = 0; i < graph->degree[v]; i++) {
                uint32_t u = graph->neighbours[(size_t)v * graph->stride + i];
                if (distance[u] == UINT32_MAX) {
                    distance[u] = distance[v] + 1;
                    queue[tail++] = u;
                }
            }
        }
    }
    return sum;
}

/* ---- measuring ---- */

typedef struct subject {
    const fl_search_graph *graph;
    fl_distance_sum *sum; /* NULL: the reference */
    uint32_t *distance, *queue;
    uint64_t result;
} subject;

static void evaluate(subject *s)
{
    s->result = s->sum ? fl_distance_sum_all(s->sum) : plain_sum(s->graph, s->distance, s->queue);
}

/* Seconds of one evaluation. */
static double measure(subject *s, double seconds)
{
    double best = 1e9;
    uint64_t rounds = 1;
    for (int run = 0; run < RUNS;) {
        double start = processor_seconds();
        for (uint64_t i = 0; i < rounds; i++)
            evaluate(s);
        double took = processor_seconds() - start;
        if (took < seconds / RUNS / 2) {
            rounds *= 2;
            continue;
        }
        best = took / (double)rounds < best ? took / (double)rounds : best;
        run++;
    }
    return best;
}

static double measure_steps(fl_chain *chain, double seconds)
{
    enum { STEPS = 2000 };
    double best = 0, end = processor_seconds() + seconds;
    while (processor_seconds() < end) {
        double start = processor_seconds();
        for (int i = 0; i < STEPS; i++)
            fl_chain_step(chain, .3);
        double speed = STEPS / (processor_seconds() - start);
        best = speed > best ? speed : best;
    }
    return best;
}

static void bench(const fl_search_size *size, double seconds)
{
    fl_error error;
    fl_chain chain;
    fl_distance_sum *portable = NULL;
    if (fl_chain_create(&chain, size, NULL, 1, 0, &error) ||
        fl_distance_sum_create(&portable, &chain.graph, true, &error))
        die(&error);
    subject plain = {.graph = &chain.graph,
                     .distance = malloc(size->switches * sizeof(uint32_t)),
                     .queue = malloc(size->switches * sizeof(uint32_t))};
    subject slow = {.graph = &chain.graph, .sum = portable};
    subject fast = {.graph = &chain.graph, .sum = chain.distances};
    if (!plain.distance || !plain.queue)
        exit(1);
    double seconds_plain = measure(&plain, seconds), seconds_slow = measure(&slow, seconds),
           seconds_fast = measure(&fast, seconds);
    printf("%u hosts, radix %u, %u switches: h-ASPL in %.2f us; reference %.0f us (%.0f times); "
           "portable %.2f us%s\n",
           size->nodes, size->radix, size->switches, 1e6 * seconds_fast, 1e6 * seconds_plain,
           seconds_plain / seconds_fast, 1e6 * seconds_slow,
           plain.result == fast.result && slow.result == fast.result ? "" : " DIFFERENT RESULTS");
    printf("  annealing: %.0f steps a second\n", measure_steps(&chain, seconds));
    free(plain.distance);
    free(plain.queue);
    fl_distance_sum_destroy(portable);
    fl_chain_clear(&chain);
}

int main(int count, char **arguments)
{
    static const fl_search_size sizes[] = {
        {1024, 194, 15, 1}, {1024, 183, 16, 1}, {10000, 919, 32, 1}};
    double seconds = count > 1 ? atof(arguments[1]) : 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        bench(&sizes[i], seconds);
    return 0;
}
