/* A program outside of Faultline: a sweep, an exact curve and one packet, by the installed library.
 */
#include "experiments/experiments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char spec[] =
    "{\"topology\": \"mikant:k=3,n=3\", \"routers\": [\"shortest\", \"gns+gdl\"], \"faults\": [0, 10], "
    "\"trials\": 1000, \"seed\": 5}";

static int fail(const fl_error *error)
{
    fprintf(stderr, "consumer: %s\n", error->text);
    return EXIT_FAILURE;
}

static int sweep(const fl_experiment *experiment)
{
    fl_results *results;
    fl_error error;
    fl_text csv = {0};
    fl_run_options run = {.threads = 2};
    if (fl_experiment_run(&results, experiment, &run, &error))
        return fail(&error);
    fl_results_csv(results, &csv);
    fputs(csv.data, stdout);
    fl_text_clear(&csv);
    fl_results_destroy(results);
    return EXIT_SUCCESS;
}

static int exact(const fl_experiment *experiment)
{
    fl_exact_results *results;
    fl_error error;
    fl_text csv = {0};
    fl_exact_options options = {.threads = 1};
    if (fl_exact_experiment(&results, experiment, &options, &error))
        return fail(&error);
    fl_exact_csv(results, &csv);
    fputs(csv.data, stdout);
    fl_text_clear(&csv);
    fl_exact_results_destroy(results);
    return EXIT_SUCCESS;
}

int main(void)
{
    fl_experiment *experiment;
    fl_error error;
    if (fl_experiment_parse(&experiment, spec, strlen(spec), "consumer", &error))
        return fail(&error);
    int code = sweep(experiment) || exact(experiment) ? EXIT_FAILURE : EXIT_SUCCESS;
    fl_experiment_destroy(experiment);
    return code;
}
