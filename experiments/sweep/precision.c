#include "experiments/experiments.h"

#include <math.h>

/* Looking again and again and stopping when the interval is narrow enough gives every interval
 * another chance to miss. The chances are added up and held below 5% (union bound): look i has
 * the error probability 0.05 * 6 / (pi i)^2, and 1 + 1/4 + 1/9 + ... is pi^2 / 6.
 *
 * i is counted back from the last look. There is a last one: Wilson's interval is widest at a
 * ratio of 1/2, so that it is known beforehand after how many trials it must be narrow enough,
 * whatever the ratio. Most sweeps have a point near 1/2 and stop there; the last look therefore
 * has the largest share (z = 2.17 instead of 3.7 if counted forward; a third of the trials). */

static const double pi = 3.14159265358979323846, error_probability = .05;

/* The normal distribution says little about a handful of trials. */
enum { TRIALS_LEAST = 1024 };

const char fl_precision_rule[] =
    "looks at fixed numbers of trials, each half of the next; error probability 0.05 * 6 / (pi * i)^2 at the i-th look from the "
    "last; stops when no interval of a success ratio has a half-width above the target";

static double z_of_look(unsigned from_last)
{
    double i = from_last;
    return fl_stats_z(error_probability * 6 / (pi * pi * i * i));
}

/* With this number of trials every interval is narrow enough: z / (2 sqrt(n + z^2)) <= target. */
uint64_t fl_precision_most(double target)
{
    double z = z_of_look(1);
    uint64_t trials = (uint64_t)ceil(z * z * (.25 / (target * target) - 1));
    if (trials < TRIALS_LEAST)
        trials = TRIALS_LEAST;
    trials += trials % 2; /* for a half of it to be a whole number */
    while (fl_stats_wilson_half_width(trials / 2, trials, z) > target)
        trials += 2; /* the formula's rounding */
    return trials;
}

fl_status fl_precision_plan(fl_precision *out, double target, uint64_t most_trials, fl_error *error)
{
    if (!(target >= FL_PRECISION_LEAST && target < .5))
        return fl_fail(error, FL_ERR_INVALID,
                       "a half-width of %g cannot be asked for: at least %g, and below 0.5", target,
                       FL_PRECISION_LEAST);
    uint64_t last = fl_precision_most(target);
    if (most_trials && most_trials < last)
        last = most_trials;
    fl_look looks[FL_LOOKS_MAX];
    unsigned count = 0;
    /* A look too early for even the narrowest interval, that of no success at all, is wasted. */
    for (uint64_t trials = last; count < FL_LOOKS_MAX; trials = (trials + 1) / 2) {
        double z = z_of_look(count + 1);
        if (count > 0 &&
            (trials < TRIALS_LEAST || fl_stats_wilson_half_width(0, trials, z) > target))
            break;
        looks[count++] = (fl_look){trials, z};
    }
    *out = (fl_precision){.target = target, .looks = count};
    for (unsigned i = 0; i < count; i++)
        out->look[i] = looks[count - 1 - i];
    return FL_OK;
}

static bool is_precise(const fl_counts *counts, double target, double z)
{
    for (size_t i = 0; i < (size_t)counts->routers * counts->fault_points; i++)
        if (fl_stats_wilson_half_width(counts->of[i].delivered, counts->trials, z) > target)
            return false;
    return true;
}

bool fl_precision_reached(const fl_precision *precision, unsigned look, fl_counts *const *counts,
                          unsigned sweeps)
{
    for (unsigned i = 0; i < sweeps; i++)
        if (counts[i]->trials == 0 ||
            !is_precise(counts[i], precision->target, precision->look[look].z))
            return false;
    return true;
}
