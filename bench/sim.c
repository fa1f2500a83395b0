/* Speed of the packet simulator, one core: node-cycles and flit-hops per second of processor time,
 * best of several runs.
 *
 *     build/bench/sim [SECONDS per measurement]
 *
 * Configuration: input FIFOs of 2 packets, packets of one flit, random arbitration, uniform
 * traffic, up by any port with free space; on the 4-ary 3-tree and 5-tree at loads .1, .3 and .5,
 * and on a 64K-node network, for its memory. Then packets of 256 flits (preset kns2016) on networks
 * of 4096 and 64K nodes, below and above saturation. */
#include "sim/sim.h"
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static void stop_on(fl_status status, const fl_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

/* Processor time of this process, which depends less on other programs than wall-clock time. */
static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef struct set_up {
    const char *topology, *router, *preset;
} set_up;

static void measure(set_up what, double load, uint64_t cycles, double seconds)
{
    fl_network *network;
    fl_router *router;
    fl_sim_traffic *traffic;
    fl_sim_plan *plan;
    fl_error error;
    const fl_sim_preset *preset;
    stop_on(fl_network_create(&network, what.topology, &error), &error);
    stop_on(fl_router_create(&router, network, what.router, FL_SCOPE_DETOUR, &error), &error);
    stop_on(fl_sim_traffic_create(&traffic, network, "uniform", &error), &error);
    stop_on(fl_sim_preset_find(&preset, what.preset, &error), &error);
    fl_sim_model model = preset->model;
    model.stop = FL_SIM_STOP_CYCLES;
    model.warmup = cycles / 10;
    model.cycles = cycles;
    model.drain = 0;
    stop_on(
        fl_sim_plan_create(
            &plan, &(fl_sim_set_up){.router = router, .model = &model, .traffic = traffic}, &error),
        &error);
    double best_nodes = 0, best_hops = 0, accepted = 0, start = fl_seconds_now();
    for (uint64_t seed = 1; seed == 1 || fl_seconds_now() - start < seconds; seed++) {
        fl_sim_result result;
        double begin = cpu_seconds();
        stop_on(fl_sim_run(&result, plan, load, seed, NULL, &error), &error);
        double took = cpu_seconds() - begin,
               nodes = (double)result.cycles * (double)network->nodes / took;
        accepted = (double)result.received * model.packet_flits / (double)result.measured /
                   (double)network->nodes;
        if (nodes > best_nodes) {
            best_nodes = nodes;
            best_hops = (double)result.flit_hops / took;
        }
        fl_sim_result_clear(&result);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(
        "%-20s load %.1f  accepted %.3f  %7.2f M node-cycles/s  %7.2f M flit-hops/s  %6ld MB at most so far\n",
        what.topology, load, accepted, best_nodes / 1e6, best_hops / 1e6, usage.ru_maxrss / 1024);
    fflush(stdout);
    fl_sim_plan_destroy(plan);
    fl_sim_traffic_destroy(traffic);
    fl_router_destroy(router);
    fl_network_destroy(network);
}

int main(int count, char **arguments)
{
    static const double loads[] = {.1, .3, .5};
    double seconds = 3;
    if (count > 1 && (!fl_text_to_double(arguments[1], &seconds) || seconds < 0)) {
        fprintf(stderr, "usage: %s [SECONDS a measurement]\n", arguments[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        measure((set_up){"kary-ntree:k=4,n=3", "minimal-adaptive", "mikant2018"}, loads[i], 20000,
                seconds);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        measure((set_up){"kary-ntree:k=4,n=5", "minimal-adaptive", "mikant2018"}, loads[i], 2000,
                seconds);
    measure((set_up){"kary-ntree:k=16,n=4", "minimal-adaptive", "mikant2018"}, .3, 100, 0);
    for (double load = .4; load < 1; load += .3) {
        measure((set_up){"kns:k=64,n=2", "hybrid-dor", "kns2016"}, load, 10000, seconds);
        measure((set_up){"kns:k=256,n=2", "hybrid-dor", "kns2016"}, load, 10000, 0);
        measure((set_up){"kary-ntree:k=2,n=16", "d-mod-k", "kns2016"}, load, 5000, 0);
    }
    return 0;
}
