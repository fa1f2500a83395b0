/* Fault points: the fault counts or rates of a curve. */
#ifndef FL_FAULTS_AXIS_H
#define FL_FAULTS_AXIS_H

#include "topo/topo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fl_axis {
    bool rates; /* levels are probabilities or shares (else: numbers of faults) */
    uint32_t fault_points;
    const uint64_t *counts; /* strictly rising, if !rates */
    const double *rate;     /* strictly rising in 0..1, if rates */
} fl_axis;

/* Parses `a`, `a,b,c`, `first:last` or `first:last:step`; ends included when the step meets
 * them. The caller frees the array. */
fl_status fl_axis_parse_counts(uint64_t **out, uint32_t *fault_points, const char *text,
                               fl_error *error);
fl_status fl_axis_parse_rates(double **out, uint32_t *fault_points, const char *text,
                              fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
