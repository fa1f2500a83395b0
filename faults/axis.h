/* Fault points: the fault counts or rates of a curve. */
#ifndef FL_FAULTS_AXIS_H
#define FL_FAULTS_AXIS_H

#include "topo/topo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fl_axis {
    bool rates; /* fault points are probabilities or fault rates (else: fault counts) */
    uint32_t fault_points;
    const uint64_t *counts; /* strictly rising, if !rates */
    const double *rate;     /* strictly rising in 0..1, if rates */
} fl_axis;

/* Parses fault counts: `a`, `a,b,c`, `first:last` or `first:last:step`; the last value is included
 * when the step meets it. FL_ERR_INVALID for another form, values that do not rise, and too many
 * values. The caller frees the array. */
fl_status fl_axis_parse_counts(uint64_t **out, uint32_t *fault_points, const char *text,
                               fl_error *error);
/* The same for fault rates, 0 to 1. A range needs a step. */
fl_status fl_axis_parse_rates(double **out, uint32_t *fault_points, const char *text,
                              fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
