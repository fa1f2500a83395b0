/* JSON experiment specs: any bytes are refused with a reason, or give an experiment whose canonical
 * text is a spec of the same experiment. */
#define _POSIX_C_SOURCE 200809L

#include "experiments/experiments.h"
#include "fuzz.h"

#include <string.h>

const char *const fuzz_tokens[] = {"{",
                                   "}",
                                   "[",
                                   "]",
                                   ",",
                                   ":",
                                   "\"",
                                   "\\u0000",
                                   "\\ud800",
                                   "\"name\":",
                                   "\"title\":\"t\",",
                                   "\"topology\":",
                                   "\"routers\":",
                                   "\"faults\":",
                                   "\"fault_rate\":",
                                   "\"fault_model\":",
                                   "\"scope\":",
                                   "\"trials\":",
                                   "\"seed\":",
                                   "\"sweeps\":",
                                   "\"figures\":",
                                   "\"quantity\":",
                                   "\"log_y\":",
                                   "true",
                                   "null",
                                   "\"local\"",
                                   "mikant:k=3,n=3",
                                   "kary-ntree:k=2,n=4",
                                   "\"switches\"",
                                   "links:class=cross-links",
                                   "draw=independent",
                                   "list:0;1",
                                   "\"success_ratio\"",
                                   "shortest",
                                   "gns+x-turns+gdl",
                                   "0:135:1",
                                   "0:1:0.05",
                                   "\xff",
                                   "\xc3\xa9",
                                   NULL};

static void check_experiment(const fl_experiment *experiment)
{
    MUST_HOLD(experiment->trials >= 1 && experiment->sweep_count >= 1);
    MUST_HOLD(strlen(experiment->hash) == 16);
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &experiment->bound[i];
        MUST_HOLD(bound->network->nodes >= 2 && bound->router_count >= 1 &&
                  bound->router_count <= FL_SWEEP_ROUTERS_MAX);
        MUST_HOLD(fl_fault_model_fault_points(bound->model) >= 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_error error = {.text = "untouched"};
    fl_experiment *experiment = NULL, *again = NULL;
    char *text = fuzz_text(data, size);
    if (fuzz_may_name_a_file(text)) {
        free(text);
        return 0;
    }
    fl_status status = fl_experiment_parse(&experiment, text, size, "spec", &error);
    free(text);
    if (status) {
        /* Inputs are small: "out of memory" would mean that two readers of JSON disagree. */
        MUST_HOLD(status != FL_ERR_MEMORY);
        MUST_HOLD(!experiment && strcmp(error.text, "untouched") != 0 && error.text[0]);
        return 0;
    }
    check_experiment(experiment);
    MUST_HOLD(fl_experiment_parse(&again, experiment->canonical, strlen(experiment->canonical),
                                  "canonical", &error) == FL_OK);
    MUST_HOLD(strcmp(experiment->canonical, again->canonical) == 0 &&
              strcmp(experiment->hash, again->hash) == 0);
    fl_experiment_destroy(again);
    fl_experiment_destroy(experiment);
    return 0;
}
