/* A simulation from a spec: mean latency against the load, of two routers with faulty links. */
#include "faultline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char spec_text[] =
    "{\"topology\": \"mikant:k=3,n=3\", \"fault_rate\": 0.05, \"fault_seed\": 7,"
    " \"load\": \"0.05,0.1,0.15\", \"steady\": true, \"warmup\": 1000, \"cycles\": 4000,"
    " \"curves\": [{\"label\": \"gns+gdl\", \"routers\": \"gns+gdl@phase:3\"},"
    " {\"label\": \"spiral\", \"routers\": \"spiral\"}]}";

static void need(fl_status status, const fl_error *error)
{
    if (status) {
        fprintf(stderr, "simulation: %s\n", error->text);
        exit(2);
    }
}

int main(void)
{
    fl_load_spec *spec;
    fl_load_study *study;
    fl_load_results *results;
    fl_error error;
    need(fl_load_spec_parse(&spec, spec_text, strlen(spec_text), "simulation.c", NULL, &error),
         &error);
    need(fl_load_bind(&study, spec, &error), &error);

    const fl_load_options options = {.threads = 2};
    need(fl_load_run(&results, spec, study->curves, &options, &error), &error);

    puts("router    load  latency (95% interval)");
    for (unsigned c = 0; c < spec->curve_count; c++)
        for (size_t i = 0; i < study->curves[c].points; i++) {
            double latency;
            fl_interval interval;
            fl_load_point(results, c, i, FL_LOAD_LATENCY, &latency, &interval);
            printf("%-8s  %.2f  %.3f (%.3f to %.3f)\n", study->curves[c].label,
                   study->curves[c].x[i], latency, interval.low, interval.high);
        }

    fl_load_results_destroy(results);
    fl_load_study_destroy(study);
    fl_load_spec_destroy(spec);
    return 0;
}
