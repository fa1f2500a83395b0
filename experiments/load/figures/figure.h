/* Private to experiments: a figure of several curves under load, and its words. */
#ifndef FL_EXPERIMENTS_LOAD_FIGURES_FIGURE_H
#define FL_EXPERIMENTS_LOAD_FIGURES_FIGURE_H

#include "experiments/load/curves_private.h"

typedef struct load_figure {
    const fl_load_results *results;
    const fl_load_figure *spec;
    unsigned curves[FL_LOAD_CURVES_MAX]; /* [count] that it shows */
    unsigned count;
    bool rises;        /* some curve ends in an arrow up, because a load is saturated */
    unsigned baseline; /* the curve that differences are taken to, if it is a figure of those */
} load_figure;

FL_INLINE bool fl_figure_is_difference(const load_figure *f)
{
    return f->spec->difference_to != NULL;
}

/* Do its points have intervals of their own? One run has none of other seeds. */
FL_INLINE bool fl_figure_has_bands(const load_figure *f)
{
    return f->results->curves[f->curves[0]].repeats > 1;
}

/* Of curve i of the figure. */
FL_INLINE const fl_sim_set_up *fl_figure_set_up(const load_figure *f, unsigned i)
{
    return fl_sim_plan_set_up(f->results->curves[f->curves[i]].tasks->plan);
}

/* Appends what all curves share: network, router, preset, traffic. */
void fl_figure_subtitle(const load_figure *f, fl_text *out);
/* Appends how many links are down from the start, if that is the same for all curves; fault rates
 * are on the axis. */
void fl_figure_faults(const load_figure *f, fl_text *out);
/* Appends runs and bands, what is missing, the version and the source. */
void fl_figure_footnote(const load_figure *f, fl_text *out);

#endif
