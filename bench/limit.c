/* Speed of the limit: fault orders per second and core on MiKANT(3,3), f = 0..135, lengths
 * included, compared with a scalar reference in the same run. The reference shuffles the links,
 * adds them one by one in reverse order, and finds by union-find at which fault count the pair is
 * separated; for the lengths it runs a breadth-first search at every fault count below that.
 * Processor time, not wall time: the best of several short runs, since the machine may be shared.
 *
 *   bench/limit [seconds per measurement, default 3] */
#include "experiments/sweep/private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 8, LINKS_MAX = 1024, VERTICES_MAX = 1024 };

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void die(const fl_error *error)
{
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

/* ---- the sweep ---- */

static double seconds_of(const char *routers, uint64_t trials)
{
    char text[300];
    fl_error error;
    fl_experiment *experiment;
    fl_results *results;
    snprintf(
        text, sizeof text,
        "{\"topology\":\"mikant:k=3,n=3\",\"faults\":\"0:135:1\",\"routers\":[%s],\"trials\":%llu}",
        routers, (unsigned long long)trials);
    if (fl_experiment_parse(&experiment, text, strlen(text), "bench", &error))
        die(&error);
    double start = processor_seconds();
    if (fl_experiment_run(&results, experiment, &(fl_run_options){.threads = 1}, &error))
        die(&error);
    double took = processor_seconds() - start;
    fl_results_destroy(results);
    fl_experiment_destroy(experiment);
    return took;
}

static double measure_sweep(const char *routers, double seconds)
{
    uint64_t trials = 1 << 14;
    double best = 0;
    while (seconds_of(routers, trials) < seconds / RUNS / 2)
        trials *= 2;
    for (int run = 0; run < RUNS; run++) {
        double speed = (double)trials / seconds_of(routers, trials);
        best = speed > best ? speed : best;
    }
    return best;
}

/* ---- without the sweep around it ---- */

typedef struct components {
    double add, solve; /* seconds per order */
} components;

static components measure_batches(const fl_network *network, bool portable, double seconds)
{
    uint64_t counts[136];
    for (uint64_t f = 0; f < 136; f++)
        counts[f] = f;
    fl_error error;
    fl_fault_model *model;
    fl_order *order;
    if (fl_fault_model_create(&model, network, "links",
                              &(fl_axis){.fault_points = 136, .counts = counts}, &error) ||
        fl_order_create(&order, model, &error))
        die(&error);
    fl_limit *limit = fl_limit_create(network, 136, portable, &error);
    if (!limit)
        die(&error);
    enum { BATCHES = 256 };
    components best = {1, 1};
    uint64_t trial = 0;
    for (double begin = processor_seconds(); processor_seconds() - begin < seconds;) {
        components took = {0, 0};
        for (int batch = 0; batch < BATCHES; batch++) {
            double start = processor_seconds();
            for (int lane = 0; lane < FL_LIMIT_LANES; lane++, trial++) {
                fl_order_begin(order, 1, trial);
                fl_limit_add(limit, order, trial % 54, (trial + 1 + trial / 54 % 53) % 54);
            }
            double middle = processor_seconds();
            fl_limit_solve(limit);
            took.add += middle - start;
            took.solve += processor_seconds() - middle;
            fl_limit_clear(limit);
        }
        best.add = took.add < best.add ? took.add : best.add;
        best.solve = took.solve < best.solve ? took.solve : best.solve;
    }
    fl_limit_destroy(limit);
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    return (components){best.add / BATCHES / FL_LIMIT_LANES, best.solve / BATCHES / FL_LIMIT_LANES};
}

/* ---- the reference ---- */

typedef struct reference {
    const fl_graph *graph;
    int links;
    int ends[LINKS_MAX][2];
    int order[LINKS_MAX], place[LINKS_MAX];
    int parent[VERTICES_MAX], distance[VERTICES_MAX], queue[VERTICES_MAX];
} reference;

static void shuffle(reference *p, fl_rng *rng)
{
    for (int i = 0; i < p->links; i++)
        p->order[i] = i;
    for (int i = p->links - 1; i > 0; i--) {
        int other = (int)fl_rng_below32(rng, (uint32_t)i + 1), chosen = p->order[other];
        p->order[other] = p->order[i];
        p->order[i] = chosen;
    }
    for (int i = 0; i < p->links; i++)
        p->place[p->order[i]] = i;
}

static int root_of(reference *p, int v)
{
    while (p->parent[v] != v)
        v = p->parent[v] = p->parent[p->parent[v]];
    return v;
}

/* The smallest number of faults that separates the pair. */
static int threshold(reference *p, int source, int destination)
{
    for (int v = 0; v < (int)p->graph->vertices; v++)
        p->parent[v] = v;
    for (int faults = p->links; faults > 0; faults--) {
        const int *ends = p->ends[p->order[faults - 1]];
        p->parent[root_of(p, ends[0])] = root_of(p, ends[1]);
        if (root_of(p, source) == root_of(p, destination))
            return faults;
    }
    return 0;
}

static int shortest_path(reference *p, int source, int destination, int faults)
{
    int head = 0, tail = 0;
    for (int v = 0; v < (int)p->graph->vertices; v++)
        p->distance[v] = -1;
    p->distance[source] = 0;
    p->queue[tail++] = source;
    while (head < tail && p->distance[destination] < 0) {
        int v = p->queue[head++];
        for (uint64_t e = p->graph->offsets[v]; e < p->graph->offsets[v + 1]; e++) {
            int to = (int)p->graph->targets[e];
            if (p->place[p->graph->links[e]] >= faults && p->distance[to] < 0) {
                p->distance[to] = p->distance[v] + 1;
                p->queue[tail++] = to;
            }
        }
    }
    return p->distance[destination];
}

static reference *make_reference(const fl_graph *graph, int links)
{
    reference *p = calloc(1, sizeof *p);
    if (!p || links > LINKS_MAX || graph->vertices > VERTICES_MAX)
        exit(1);
    p->graph = graph;
    p->links = links;
    for (int v = 0; v < (int)graph->vertices; v++)
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            p->ends[graph->links[e]][0] = v;
            p->ends[graph->links[e]][1] = (int)graph->targets[e];
        }
    return p;
}

/* Orders per second. */
static double measure_reference(const fl_graph *graph, int links, bool lengths, double seconds)
{
    reference *p = make_reference(graph, links);
    fl_rng rng;
    fl_rng_seed(&rng, 1, FL_PURPOSE_FAULTS, 0);
    uint64_t sum = 0;
    double best = 0;
    for (double begin = processor_seconds(); processor_seconds() - begin < seconds;) {
        double start = processor_seconds();
        enum { ORDERS = 2000 };
        for (int i = 0; i < ORDERS; i++) {
            int nodes = (int)graph->nodes, source = (int)fl_rng_below32(&rng, (uint32_t)nodes);
            int destination = (source + 1 + (int)fl_rng_below32(&rng, (uint32_t)nodes - 1)) % nodes;
            shuffle(p, &rng);
            int parted = threshold(p, source, destination);
            sum += (uint64_t)parted;
            for (int faults = 0; faults < parted && lengths; faults++)
                sum += (uint64_t)shortest_path(p, source, destination, faults);
        }
        double speed = ORDERS / (processor_seconds() - start);
        best = speed > best ? speed : best;
    }
    free(p);
    if (sum == 0)
        exit(1); /* also keeps the searches from being optimised away */
    return best;
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : 3;
    fl_network *network;
    fl_graph *graph;
    fl_error error;
    if (fl_network_create(&network, "mikant:k=3,n=3", &error) ||
        fl_graph_create(&graph, network, &error))
        die(&error);
    double thresholds = measure_reference(graph, (int)network->links, false, seconds);
    double lengths = measure_reference(graph, (int)network->links, true, seconds);
    double sweep = measure_sweep("\"limit\"", seconds);
    printf("MiKANT(3,3), f = 0..135, one core: million fault orders/s\n");
    printf("  reference, no lengths                 %10.3f\n", thresholds / 1e6);
    printf("  reference, lengths too                %10.3f\n", lengths / 1e6);
    printf("  sweep of limit                        %10.3f   %.0f times the reference\n",
           sweep / 1e6, sweep / lengths);
    printf("  sweep of limit,minimal-limit          %10.3f\n",
           measure_sweep("\"limit\",\"minimal-limit\"", seconds) / 1e6);
    printf("  sweep of shortest,gns+gdl             %10.3f\n",
           measure_sweep("\"shortest\",\"gns+gdl\"", seconds) / 1e6);
    printf("  sweep of shortest,gns+gdl,limit       %10.3f\n",
           measure_sweep("\"shortest\",\"gns+gdl\",\"limit\"", seconds) / 1e6);
    printf("inside, nanoseconds an order\n");
    for (int portable = 0; portable < 2; portable++) {
        components p = measure_batches(network, portable, seconds);
        printf("  %-36s  %10.1f to draw the order, %.1f to search it\n",
               portable ? "portable instructions" : "this processor's instructions", 1e9 * p.add,
               1e9 * p.solve);
    }
    fl_graph_destroy(graph);
    fl_network_destroy(network);
    return 0;
}
