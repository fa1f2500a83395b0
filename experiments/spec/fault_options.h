/* One set of faults: links that are named, or components drawn at random. */
#ifndef FL_EXPERIMENTS_SPEC_FAULT_OPTIONS_H
#define FL_EXPERIMENTS_SPEC_FAULT_OPTIONS_H

#include "experiments/spec/options.h"
#include "faults/faults.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fl_fault_values {
    char *fail;
    uint64_t faults;
    double fault_rate;
    char *fault_model;
    uint64_t seed, trial;
} fl_fault_values;
extern const fl_option_row fl_fault_rows[];

/* The faults of one set, with what of its values was given. */
typedef struct fl_fault_choice {
    const char *fail;      /* NULL: not given */
    const uint64_t *count; /* NULL: not given */
    const double *rate;    /* NULL: not given */
    const char *model;
    uint64_t seed, trial;
} fl_fault_choice;

/* Refuses options that mean nothing together, or without another: of --fail, --faults and
 * --fault-rate at most one, and those of `of_drawn` (ended by NULL) only with the last two. All of
 * them are rows of the table. */
fl_status fl_fault_check(const fl_options *options, const char *const *of_drawn, fl_error *error);

/* Makes the set: empty if nothing was chosen. *out is to be cleared. FL_ERR_INVALID: a link that is
 * not there, more faults than components. */
fl_status fl_fault_choose(fl_fault_set *out, const fl_network *network,
                          const fl_fault_choice *choice, fl_error *error);

/* Both, of a table with fl_fault_rows, whose values are `values`. */
fl_status fl_fault_values_draw(fl_fault_set *out, const fl_network *network,
                               const fl_options *options, const fl_fault_values *values,
                               fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
