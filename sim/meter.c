/* What is measured over a run: a histogram of latencies, batch means, arrivals. */
#include "sim/private.h"

#include <math.h>
#include <stdlib.h>

const double fl_sim_percentiles[FL_SIM_PERCENTILES] = {50, 95, 99, 99.9};

/* ---- histogram: exact for short latencies, 1024 bins for every doubling above ---- */

unsigned fl_sim_bin_of(uint64_t latency)
{
    if (latency < FL_SIM_EXACT_BELOW)
        return (unsigned)latency;
    unsigned octave = 0;
    while (latency >> (octave + 1) >= FL_SIM_EXACT_BELOW)
        octave++;
    /* latency >> octave is in EXACT_BELOW .. 2 EXACT_BELOW - 1: four values a bin */
    unsigned within = (unsigned)((latency >> octave) - FL_SIM_EXACT_BELOW) /
                      (FL_SIM_EXACT_BELOW / FL_SIM_BINS_PER_OCTAVE);
    unsigned bin = FL_SIM_EXACT_BELOW + octave * FL_SIM_BINS_PER_OCTAVE + within;
    return bin < FL_SIM_BINS ? bin : FL_SIM_BINS - 1;
}

/* The largest latency in a bin. */
static uint64_t bin_top(unsigned bin)
{
    if (bin < FL_SIM_EXACT_BELOW)
        return bin;
    unsigned octave = (bin - FL_SIM_EXACT_BELOW) / FL_SIM_BINS_PER_OCTAVE,
             within = (bin - FL_SIM_EXACT_BELOW) % FL_SIM_BINS_PER_OCTAVE;
    uint64_t end =
        FL_SIM_EXACT_BELOW + (within + 1) * (uint64_t)(FL_SIM_EXACT_BELOW / FL_SIM_BINS_PER_OCTAVE);
    return (end << octave) - 1;
}

/* The smallest latency that this percentage of the packets does not exceed (nearest rank). */
static double percentile(const fl_sim_meter *meter, uint64_t count, double percent,
                         uint64_t largest)
{
    uint64_t rank = (uint64_t)ceil(percent / 100 * (double)count), seen = 0;
    for (unsigned bin = 0; bin < FL_SIM_BINS; bin++) {
        seen += meter->bins[bin];
        if (seen >= rank && seen > 0)
            return (double)(bin_top(bin) < largest ? bin_top(bin) : largest);
    }
    return NAN;
}

/* ---- batch means (Law and Kelton): packets by their birth, in batches of equal time ---- */

/* Two-sided 95% points of Student's t, by degrees of freedom. */
static const double t95[FL_SIM_SLICES] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                          2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                          2.120, 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069,
                                          2.064, 2.060,  2.056, 2.052, 2.048, 2.045, 2.042, 2.040,
                                          2.037, 2.035,  2.032, 2.030, 2.028, 2.026, 2.024, 2.023};

typedef struct moments {
    unsigned count;
    double mean, variance; /* of a batch's mean */
} moments;

static moments moments_of(const fl_sim_meter *meter, unsigned first, unsigned end)
{
    moments m = {0};
    double sum = 0, squares = 0;
    for (unsigned i = first; i < end; i++)
        if (meter->batch_count[i] > 0) {
            m.count++;
            sum += meter->batch_sum[i] / (double)meter->batch_count[i];
        }
    m.mean = m.count ? sum / m.count : 0;
    for (unsigned i = first; i < end; i++)
        if (meter->batch_count[i] > 0) {
            double off = meter->batch_sum[i] / (double)meter->batch_count[i] - m.mean;
            squares += off * off;
        }
    m.variance = m.count > 1 ? squares / (m.count - 1) : 0;
    return m;
}

/* Do the two halves agree, at 4 standard errors of their difference? */
static bool halves_agree(const fl_sim_meter *meter)
{
    moments a = moments_of(meter, 0, FL_SIM_BATCHES / 2),
            b = moments_of(meter, FL_SIM_BATCHES / 2, FL_SIM_BATCHES);
    if (a.count < 2 || b.count < 2)
        return true;
    return fabs(a.mean - b.mean) <=
           4 * sqrt(a.variance / a.count + b.variance / b.count) + 1e-9 * (a.mean + b.mean);
}

/* ---- arrivals: batch means of slices of equal length ---- */

void fl_sim_meter_cut(fl_sim_meter *meter, uint64_t received)
{
    meter->arrivals[meter->slices++] = received - meter->received_before;
    meter->received_before = received;
    if (meter->slices == FL_SIM_SLICES) { /* of a run whose length is not known before */
        for (unsigned i = 0; i < FL_SIM_SLICES / 2; i++)
            meter->arrivals[i] = meter->arrivals[2 * i] + meter->arrivals[2 * i + 1];
        meter->slices /= 2;
        meter->slice_length *= 2;
    }
    meter->next_cut += meter->slice_length;
}

/* What the last slice does not hold in full is in the mean, but not in the width of its interval.
 */
static fl_interval arrivals_interval(const fl_sim_meter *meter, double mean)
{
    unsigned n = meter->slices;
    double sum = 0, squares = 0;
    if (n < 2)
        return (fl_interval){(double)NAN, (double)NAN};
    for (unsigned i = 0; i < n; i++)
        sum += (double)meter->arrivals[i];
    for (unsigned i = 0; i < n; i++)
        squares += ((double)meter->arrivals[i] - sum / n) * ((double)meter->arrivals[i] - sum / n);
    double half = t95[n - 1] * sqrt(squares / (n - 1) / n) / (double)meter->slice_length;
    return (fl_interval){mean - half, mean + half};
}

void fl_sim_meter_read(const fl_sim_meter *meter, fl_sim_result *out)
{
    out->latency = out->counted ? (double)out->latency_sum / (double)out->counted : (double)NAN;
    out->latency_interval = (fl_interval){(double)NAN, (double)NAN};
    moments all = moments_of(meter, 0, FL_SIM_BATCHES);
    if (all.count >= 2) {
        double half = t95[all.count - 1] * sqrt(all.variance / all.count);
        out->latency_interval = (fl_interval){out->latency - half, out->latency + half};
    }
    for (unsigned i = 0; i < FL_SIM_PERCENTILES; i++)
        out->percentile[i] =
            out->counted ? percentile(meter, out->counted, fl_sim_percentiles[i], out->latency_max)
                         : (double)NAN;
    out->steady = halves_agree(meter);
    out->received_interval = arrivals_interval(
        meter, out->measured ? (double)out->received / (double)out->measured : (double)NAN);
}

void fl_sim_result_clear(fl_sim_result *result)
{
    free(result->cycle);
    free(result->series);
    result->cycle = NULL;
    result->series = NULL;
}
