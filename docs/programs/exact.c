/* An exact curve: every pair of nodes and every set of faulty links counts, nothing is sampled. */
#include "faultline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char spec[] = "{\"topology\": \"mikant:k=3,n=3\","
                           " \"routers\": [\"shortest\", \"gns+gdl\"],"
                           " \"faults\": [0, 10, 20, 40]}";

static void need(fl_status status, const fl_error *error)
{
    if (status) {
        fprintf(stderr, "exact: %s\n", error->text);
        exit(2);
    }
}

int main(void)
{
    fl_experiment *experiment;
    fl_exact_results *results;
    fl_error error;
    need(fl_experiment_parse(&experiment, spec, strlen(spec), "exact.c", &error), &error);

    const fl_exact_options options = {.threads = 2};
    need(fl_exact_experiment(&results, experiment, &options, &error), &error);

    const fl_bound_sweep *sweep = &experiment->bound[0];
    puts("router    faults  success ratio  mean path length");
    for (unsigned r = 0; r < results->curve_count; r++)
        for (uint32_t i = 0; i < fl_fault_model_fault_points(sweep->model); i++) {
            const fl_exact_point *point = &results->curves[r].points[i];
            uint64_t faults = 0;
            fl_fault_model_count_at(sweep->model, i, &faults);
            printf("%-8s %7d  %.9f    %.6f%s\n", sweep->routers[r]->canonical, (int)faults,
                   point->success_low, point->length_low,
                   results->curves[r].exact ? "" : "  (a lower bound)");
        }

    fl_exact_results_destroy(results);
    fl_experiment_destroy(experiment);
    return 0;
}
