/* Figures of data series. */
#ifndef FL_PLOTS_CHARTS_H
#define FL_PLOTS_CHARTS_H

#include "topo/topo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One curve. Texts are UTF-8 and always literal: no character has a meaning to gnuplot. All is
 * borrowed. */
typedef struct fl_plot_series {
    const char *label;        /* in the legend */
    size_t points;            /* 0 is allowed: the legend then reads "no value" */
    const double *x, *y;      /* `points` of each; NAN, infinite or above 1e250: no value, a gap */
    const double *low, *high; /* confidence band: both or neither; not finite: no band there */
    bool envelope; /* not one curve among others but what none of them can pass: grey and wide,
                      behind them */
    /* A router by its canonical name, or a network by its specification. Its colour and marker are
     * the same in every figure; further curves of one subject in a figure differ in dashes, fill
     * and tint. NULL: a look by the curve's place in the list. */
    const char *subject;
    bool rises; /* the quantity has no bound near `rise_x`: an arrow up at that x, with the curve's
                   marker and a dotted line to it from the last point, where nothing was measured */
    double rise_x;
} fl_plot_series;

/* An x at which something happens: a dotted line with words beside it. */
typedef struct fl_plot_mark {
    double x;
    const char *words; /* left out if they would overlap those of the mark before */
} fl_plot_mark;

/* One figure. Texts may be NULL: left out. A newline in the title, the subtitle or the footnote
 * starts a new line; lines that are too long are wrapped. */
typedef struct fl_plot {
    const char *title, *subtitle, *x_label, *y_label, *footnote;
    bool log_y;     /* values not above 0 are left out; bands that reach 0 go down to the axis */
    bool percent_x; /* x is a fraction, 0..1; the axis reads 0% .. 100% */
    double y_min, y_max; /* NAN: from the data (bands widen it by at most a quarter of the values'
                            span); 0 to 1 if they are all 0 */
    double x_min, x_max; /* NAN: from the data, points without a value included */
    /* Not 0: values in this number of groups, side by side, instead of curves: bars, or points if
     * log_y, where a bar has no foot. Point i of a series is its value in group i, which has this
     * name; x must be i, and there are no bands. */
    size_t group_count;
    const char *const *groups;
    size_t mark_count;
    const fl_plot_mark *marks; /* by rising x; those outside of the axis are left out */
    size_t series_count;
    const fl_plot_series *series; /* drawn and listed in this order */
} fl_plot;

/* Returns how many of these subjects of curves (see fl_plot_series) have different looks. */
size_t fl_plot_subjects(const char *const *subjects, size_t count);

/* Writes <path_without_suffix>.png (1600 x 1000 pixels) and <path_without_suffix>.svg. Both are
 * drawn before either is written, and an older file is replaced by a complete one or not at all.
 * FL_ERR_INVALID: no series, a series without label or with half a band, an empty axis range;
 * FL_ERR_IO: gnuplot is missing or failed, with its message, or a file cannot be written;
 * FL_ERR_MEMORY. */
fl_status fl_plot_write(const fl_plot *plot, const char *path_without_suffix, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
