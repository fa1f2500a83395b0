/* Speed of the sweep: outcomes per second and core, an outcome being one (trial, fault count,
 * router set), compared with a deliberately simple reference in the same run: for every trial and
 * fault count the reference shuffles the links again, marks the first ones as down, and walks every
 * router over a stored graph (the same faults for all routers).
 *
 *   bench/sweep [seconds per measurement, default 3] */
#include "experiments/experiments.h"
#include "tests/reference/reference.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char *const paper_sets[] = {
    "shortest",
    "gns",
    "gdl",
    "three-turn",
    "gns+gdl",
    "three-turn+gdl",
    "gns+x-turns",
    "gns+x-turns+gdl",
    "gns+three-turn",
    "gns+three-turn+gdl",
    "gns+three-turn+x-turns+gdl",
};
static const unsigned reference_sets[] = {
    0,
    REF_GNS,
    REF_GDL,
    REF_THREE_TURN,
    REF_GNS | REF_GDL,
    REF_THREE_TURN | REF_GDL,
    REF_GNS | REF_X_TURNS,
    REF_GNS | REF_X_TURNS | REF_GDL,
    REF_GNS | REF_THREE_TURN,
    REF_GNS | REF_THREE_TURN | REF_GDL,
    REF_GNS | REF_THREE_TURN | REF_X_TURNS | REF_GDL,
};
enum { SETS = sizeof paper_sets / sizeof *paper_sets };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void die(const fl_error *error)
{
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

/* ---- the sweep ---- */

static fl_experiment *make_experiment(const char *topology, const char *axis, uint64_t trials)
{
    fl_text text = {0};
    fl_error error;
    fl_experiment *experiment;
    fl_text_append(&text, "{\"topology\":\"%s\",%s,\"trials\":%llu,\"routers\":[", topology, axis,
                   (unsigned long long)trials);
    for (int i = 0; i < SETS; i++)
        fl_text_append(&text, "%s\"%s\"", i ? "," : "", paper_sets[i]);
    fl_text_append(&text, "]}");
    if (fl_experiment_parse(&experiment, text.data, text.length, "bench", &error))
        die(&error);
    fl_text_clear(&text);
    return experiment;
}

static double run_once(const fl_experiment *experiment, unsigned threads)
{
    fl_results *results;
    fl_error error;
    fl_run_options options = {.threads = threads};
    if (fl_experiment_run(&results, experiment, &options, &error))
        die(&error);
    double seconds = results->wall_seconds;
    fl_results_destroy(results);
    return seconds;
}

/* Trials per second; the number of trials is doubled until a run is long enough. */
static double measure(const char *topology, const char *axis, unsigned threads, double seconds)
{
    for (uint64_t trials = 1 << 14;; trials *= 2) {
        fl_experiment *experiment = make_experiment(topology, axis, trials);
        double took = run_once(experiment, threads);
        fl_experiment_destroy(experiment);
        if (took >= seconds / 2)
            return (double)trials / took;
    }
}

/* ---- the reference ---- */

/* The textbook method: shuffle all links and take the first as down. */
static void draw_faults(bool *down, int links, int faults, fl_rng *rng)
{
    int order[1024];
    for (int i = 0; i < links; i++)
        order[i] = i;
    for (int i = links - 1; i > 0; i--) {
        int other = (int)fl_rng_below32(rng, (uint32_t)i + 1), chosen = order[other];
        order[other] = order[i];
        order[i] = chosen;
    }
    for (int i = 0; i < links; i++)
        down[order[i]] = i < faults;
}

/* Outcomes per second on MiKANT(3,3). */
static double measure_reference(double seconds)
{
    ref_net *net = ref_net_create(true, 3, 3);
    int links = ref_link_count(net), nodes = ref_node_count(net);
    bool down[1024];
    fl_rng rng;
    fl_rng_seed(&rng, 1, FL_PURPOSE_FAULTS, 0);
    double start = now(), outcomes = 0, delivered = 0;
    while (now() - start < seconds) {
        int source = (int)fl_rng_below32(&rng, (uint32_t)nodes),
            destination = (int)fl_rng_below32(&rng, (uint32_t)nodes - 1);
        destination += destination >= source;
        for (int faults = 0; faults <= links; faults++) {
            draw_faults(down, links, faults, &rng);
            for (int set = 0; set < SETS; set++) {
                ref_route route;
                ref_route_packet(net, down, reference_sets[set], REF_SCOPE_DETOUR, source,
                                 destination, &route);
                delivered += route.delivered;
            }
        }
        outcomes += (double)(links + 1) * SETS;
    }
    double took = now() - start;
    ref_net_destroy(net);
    if (delivered == 0)
        exit(1); /* also keeps the walks from being optimised away */
    return outcomes / took;
}

static double resident_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : 3;
    const double fault_points = 136;
    double reference = measure_reference(seconds);
    double small = measure("mikant:k=3,n=3", "\"faults\":\"0:135:1\"", 1, seconds);
    double outcomes = small * fault_points * SETS;
    printf("MiKANT(3,3), %d router sets, f = 0..135\n", SETS);
    printf("  reference, 1 thread         %12.3f million outcomes/s\n", reference / 1e6);
    printf("  sweep, 1 thread             %12.3f million outcomes/s   %.0f times the reference\n",
           outcomes / 1e6, outcomes / reference);
    double two = measure("mikant:k=3,n=3", "\"faults\":\"0:135:1\"", 2, seconds);
    printf("  sweep, 2 threads            %12.3f million outcomes/s   %.2f times 1 thread\n",
           two * fault_points * SETS / 1e6, two / small);
    double large = measure("mikant:k=16,n=5", "\"fault_rate\":\"0:1:0.0074\"", 1, seconds);
    printf("time per trial (one pair, all sets, all fault points)\n");
    printf("  MiKANT(3,3), 54 nodes       %12.3f us\n", 1e6 / small);
    printf("  MiKANT(16,5), 2097152 nodes %12.3f us   %.2f times MiKANT(3,3)\n", 1e6 / large,
           small / large);
    printf("  largest resident memory so far   %.1f MB\n", resident_megabytes());
    return 0;
}
