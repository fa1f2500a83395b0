#include "core/core.h"

#include <assert.h>
#include <math.h>

double fl_stats_z(double error_probability)
{
    assert(error_probability >= 1e-300 && error_probability <= 1);
    /* Halving: erfc falls, and after that many rounds both ends are neighbours. */
    double low = 0, high = 40;
    for (int i = 0; i < 64; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) > error_probability)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double fl_stats_student95(unsigned freedom)
{
    static const double few[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706};
    assert(freedom > 0);
    if (freedom <= sizeof few / sizeof *few)
        return few[freedom - 1];
    /* Expansion in 1 / freedom (Abramowitz and Stegun, 26.7.5). */
    double z = FL_Z95, z2 = z * z, v = freedom;
    double g1 = z * (z2 + 1) / 4, g2 = z * ((5 * z2 + 16) * z2 + 3) / 96,
           g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

double fl_stats_wilson_half_width(uint64_t successes, uint64_t trials, double z)
{
    assert(trials > 0 && successes <= trials);
    double n = (double)trials, p = (double)successes / n, zz = z * z;
    return z / (1 + zz / n) * sqrt(p * (1 - p) / n + zz / (4 * n * n));
}

fl_interval fl_stats_wilson(uint64_t successes, uint64_t trials, double z)
{
    double half = fl_stats_wilson_half_width(successes, trials, z);
    double n = (double)trials, p = (double)successes / n, zz = z * z;
    double centre = (p + zz / (2 * n)) / (1 + zz / n);
    /* The ends are 0 and 1 exactly in the extreme cases; rounding must not move them off. */
    fl_interval out = {successes == 0 ? 0 : centre - half, successes == trials ? 1 : centre + half};
    return out;
}

bool fl_stats_mean_interval(uint64_t count, double sum, double sum_of_squares, double z,
                            fl_interval *out)
{
    if (count < 2)
        return false;
    double n = (double)count, mean = sum / n;
    double variance = (sum_of_squares - sum * mean) / (n - 1);
    double half = z * sqrt((variance > 0 ? variance : 0) / n);
    *out = (fl_interval){mean - half, mean + half};
    return true;
}

fl_interval fl_stats_paired_difference(uint64_t only_a, uint64_t only_b, uint64_t trials, double z)
{
    /* Agresti and Min (2005): add 1/2 to each of the four cells of the paired table. */
    double n = (double)trials + 2, a = (double)only_a + .5, b = (double)only_b + .5;
    double difference = (a - b) / n;
    double half = z * sqrt((a + b - (a - b) * (a - b) / n)) / n;
    fl_interval out = {fmax(difference - half, -1), fmin(difference + half, 1)};
    return out;
}
