/* Private to experiments: what sampled and exact figures share. */
#ifndef FL_EXPERIMENTS_FIGURES_H
#define FL_EXPERIMENTS_FIGURES_H

#include "experiments/experiments.h"

enum { FL_NO_REFERENCE = -1 };

/* Fills `levels` values of one curve and its band; NAN where there is none. With a reference,
 * another router of the sweep: success ratios minus its own. */
typedef void fl_curve_reader(const void *results, unsigned sweep, unsigned router, int reference,
                             fl_quantity quantity, double *y, double *low, double *high);

typedef struct fl_figure_source {
    const fl_experiment *experiment;
    const void *results;
    fl_curve_reader *read;
    const char *prefix; /* of file names */
    const char *footnote;
} fl_figure_source;

/* The figures of the experiment, or two of all routers when it names none. */
fl_status fl_figures_draw(const fl_figure_source *source, const char *folder, bool log_y,
                          fl_error *error);

/* What the curves of a figure are curves of, which decides on their colours: the networks if these
 * distinguish at least as many of them as the routers do, else the routers. NULL if neither does.
 * Lends one of the arrays, both [count]. */
const char *const *fl_figures_subjects(const char *const *networks, const char *const *routers,
                                       size_t count);

#endif
