/* Confidence intervals and points of distributions. */
#ifndef FL_CORE_STATISTICS_H
#define FL_CORE_STATISTICS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_Z95 1.959963984540054 /* two-sided 95% point of the normal distribution */

/* Two-sided point of the normal distribution: P(|Z| > z) = error_probability, in 1e-300..1. */
double fl_stats_z(double error_probability);

/* Two-sided 95% point of Student's t, freedom >= 1, to 3 places. */
double fl_stats_student95(unsigned freedom);

typedef struct fl_interval {
    double low, high;
} fl_interval;

/* Wilson score interval of a proportion; trials >= 1. (Wilson 1927) */
fl_interval fl_stats_wilson(uint64_t successes, uint64_t trials, double z);
/* Half its width, which is largest for as many successes as failures. */
double fl_stats_wilson_half_width(uint64_t successes, uint64_t trials, double z);

/* Normal interval of a mean from its count, sum and sum of squares. Needs count >= 2; false
 * (and nothing written) below, where a sample says nothing about its own spread. */
bool fl_stats_mean_interval(uint64_t count, double sum, double sum_of_squares, double z,
                            fl_interval *out);

/* Interval of p_a - p_b when both were measured on the same trials: only_a trials succeeded
 * with a alone, only_b with b alone. Score-free normal interval with Agresti and Min's (2005)
 * +1/2 adjustment, which does not collapse to a point at 0 discordant trials. */
fl_interval fl_stats_paired_difference(uint64_t only_a, uint64_t only_b, uint64_t trials, double z);

#ifdef __cplusplus
}
#endif
#endif
