/* plots: turns data series into figures, a PNG and an SVG, drawn by gnuplot.
 *
 * gnuplot is a program, not a library: it must be in PATH (Debian and Ubuntu: package
 * gnuplot-nox). Nothing else in the project needs it. The same plot and the same gnuplot give
 * the same SVG bytes: no dates, no random ids. */
#ifndef FL_PLOTS_H
#define FL_PLOTS_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One curve. Texts are UTF-8 and always literal: no character has a meaning to gnuplot. */
typedef struct fl_plot_series {
    const char *label;         /* legend text */
    size_t points;             /* 0 is allowed: the legend then says that there is nothing to draw */
    const double *x, *y;       /* `points` of each; NAN, infinite or beyond 1e250: no value, a gap in the line */
    const double *low, *high;  /* confidence band: both or neither; not finite: no band there */
    bool envelope;             /* not one curve among others but what none of them can pass: grey, wide, behind them */
} fl_plot_series;

/* One figure. Texts may be NULL: left out. A newline in the title, the subtitle or the footnote
 * starts a new line; lines that are too long are wrapped. */
typedef struct fl_plot {
    const char *title, *subtitle, *x_label, *y_label, *footnote;
    bool log_y;                /* values not above 0 are left out; bands that reach 0 go down to the axis */
    bool percent_x;            /* x is a share, 0..1; the axis reads 0% .. 100% */
    double y_min, y_max;       /* NAN: from the data (bands widen it by at most a quarter of the values' span) */
    double x_min, x_max;       /* NAN: from the data, points without a value included */
    size_t series_count;
    const fl_plot_series *series; /* drawn and listed in this order */
} fl_plot;

/* Writes <path_without_suffix>.png (1600 x 1000 pixels) and <path_without_suffix>.svg. Both are
 * drawn before either is written, and each replaces an older file whole or not at all.
 * FL_ERR_INVALID: no series, a series without label or with half a band, an empty axis range;
 * FL_ERR_IO: gnuplot missing or failing (the text quotes it), a file that cannot be written. */
fl_status fl_plot_write(const fl_plot *plot, const char *path_without_suffix, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
