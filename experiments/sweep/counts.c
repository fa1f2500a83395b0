#include "experiments/sweep/stored.h"

#include <stdlib.h>

const char *const fl_pair_field_names[FL_PAIR_FIELDS] = {"only_a", "only_b", "difference", "low",
                                                         "high"};
const char *const fl_stopped_by_names[] = {[FL_STOPPED_BY_TRIALS] = "trials",
                                           [FL_STOPPED_BY_PRECISION] = "precision",
                                           [FL_STOPPED_BY_BUDGET] = "budget",
                                           [FL_STOPPED_BY_INTERRUPT] = "interrupt",
                                           NULL};

const char *fl_count_field_name(unsigned field)
{
    static const char *const names[] = {"delivered", "length_sum", "length_squares"};
    return field < 3 ? names[field] : fl_reason_names[field - 3];
}

void fl_counts_add(fl_counts *to, const fl_counts *from)
{
    size_t pairs = (size_t)to->routers * (to->routers - 1) / 2;
    for (size_t i = 0; i < (size_t)to->routers * to->fault_points; i++)
        for (unsigned field = 0; field < FL_COUNT_FIELDS; field++)
            fl_count_fields(&to->of[i])[field] += fl_count_fields(&from->of[i])[field];
    for (size_t i = 0; i < pairs * to->fault_points; i++)
        to->both[i] += from->both[i];
}

/* ---- results without trials ---- */

fl_status fl_results_create(fl_results **out, const fl_experiment *experiment, fl_error *error)
{
    fl_results *results = calloc(1, sizeof *results);
    if (!results)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the results");
    results->experiment = experiment;
    results->z = FL_Z95;
    results->ranks = results->threads = 1;
    results->counts = calloc(experiment->sweep_count, sizeof *results->counts);
    results->ranges = calloc(experiment->sweep_count, sizeof *results->ranges);
    bool good = results->counts && results->ranges;
    for (unsigned i = 0; i < experiment->sweep_count && good; i++) {
        const fl_bound_sweep *bound = &experiment->bound[i];
        results->counts[i] =
            fl_counts_create(bound->router_count, fl_fault_model_fault_points(bound->model));
        good = results->counts[i] != NULL;
    }
    if (!good) {
        fl_results_destroy(results);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the results");
    }
    *out = results;
    return FL_OK;
}

void fl_results_destroy(fl_results *results)
{
    if (!results)
        return;
    for (unsigned i = 0; i < results->experiment->sweep_count; i++) {
        if (results->counts)
            fl_counts_destroy(results->counts[i]);
        if (results->ranges)
            fl_ranges_clear(&results->ranges[i]);
    }
    free(results->counts);
    free(results->ranges);
    free(results);
}
