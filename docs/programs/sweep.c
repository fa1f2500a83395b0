/* A sweep: two routers on MiKANT(3,3), success ratios with 0 to 40 faulty links. */
#include "faultline.h"

#include <stdio.h>
#include <stdlib.h>

static void need(fl_status status, const fl_error *error)
{
    if (status) {
        fprintf(stderr, "sweep: %s\n", error->text);
        exit(2);
    }
}

int main(void)
{
    static const char *const names[] = {"shortest", "gns+gdl"};
    static const uint64_t faults[] = {0, 10, 20, 40};
    enum { ROUTERS = 2, POINTS = 4 };
    const fl_axis axis = {.fault_points = POINTS, .counts = faults};
    fl_network *network;
    fl_fault_model *model;
    fl_router *routers[ROUTERS];
    fl_error error;

    need(fl_network_create(&network, "mikant:k=3,n=3", &error), &error);
    need(fl_fault_model_create(&model, network, "links", &axis, &error), &error);
    for (int r = 0; r < ROUTERS; r++)
        need(fl_router_create(&routers[r], network, names[r], FL_SCOPE_DETOUR, &error), &error);

    const fl_sweep sweep = {.network = network,
                            .model = model,
                            .routers = routers,
                            .router_count = ROUTERS,
                            .seed = 1,
                            .trials = 100000,
                            .threads = 2};
    fl_counts *counts = fl_counts_create(ROUTERS, POINTS);
    if (!counts)
        return 1;
    need(fl_sweep_run(&sweep, counts, &error), &error);

    puts("router    faults  success ratio");
    for (int r = 0; r < ROUTERS; r++)
        for (int i = 0; i < POINTS; i++) {
            uint64_t delivered = counts->of[r * POINTS + i].delivered;
            fl_interval interval = fl_stats_wilson(delivered, counts->trials, FL_Z95);
            printf("%-8s %7d  %.4f (%.4f to %.4f)\n", names[r], (int)faults[i],
                   (double)delivered / (double)counts->trials, interval.low, interval.high);
        }

    fl_counts_destroy(counts);
    for (int r = 0; r < ROUTERS; r++)
        fl_router_destroy(routers[r]);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
    return 0;
}
