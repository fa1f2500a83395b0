/* Private to plots: what the files of charts/ share. */
#ifndef FL_PLOTS_CHARTS_PRIVATE_H
#define FL_PLOTS_CHARTS_PRIVATE_H

#include "core/core.h"
#include "plots/charts.h"

/* ---- texts.c: texts of users in a gnuplot script ---- */

/* Appends `length` bytes as a gnuplot string that gnuplot takes literally. */
void fl_plots_quote(fl_text *script, const char *words, size_t length);

/* Returns how many bytes of `words` fit on a line of `columns` characters, broken at a space or at
 * a sign between parts of a name if there is one; *next is where the following line starts (at the
 * final 0: nothing is left). */
size_t fl_plots_wrap(const char *words, size_t columns, const char **next);

/* Counts the characters of a UTF-8 text. */
size_t fl_plots_width(const char *words);

/* Appends the text as it is. */
void fl_plots_say(fl_text *script, const char *words);

/* Appends a text and then a number as gnuplot reads it, whatever the locale of the program. */
void fl_plots_say_number(fl_text *script, const char *before, double value);

/* ---- view.c: the visible part of the data ---- */

typedef struct fl_plots_view {
    double x_min, x_max, y_min, y_max;
    bool log_y;
} fl_plots_view;

/* Finds the ranges of the axes. FL_ERR_INVALID: a range of the plot that is empty, too large, or
 * not above 0 on a logarithmic axis. */
fl_status fl_plots_view_find(fl_plots_view *view, const fl_plot *plot, fl_error *error);

/* Has the point a value that the y axis could show, inside the view or not? */
bool fl_plots_has_value(const fl_plots_view *view, const fl_plot_series *series, size_t point);

/* The same for its band; *low and *high are then what to draw. */
bool fl_plots_has_band(const fl_plots_view *view, const fl_plot_series *series, size_t point,
                       double *low, double *high);

/* Is the value inside the frame? */
bool fl_plots_in_view(const fl_plots_view *view, const fl_plot_series *series, size_t point);

/* The number on the x axis for this x: percent if the plot has percent_x. */
double fl_plots_shown_x(const fl_plot *plot, double x);

/* Where a rise begins, where its marker is, and where it ends: y. */
typedef struct fl_plots_rise {
    double from, marker, top;
} fl_plots_rise;

/* Places a rise; `rank`, its number among the rises from left to right, sets the markers of
 * neighbours apart. */
fl_plots_rise fl_plots_rise_of(const fl_plots_view *view, const fl_plot_series *series,
                               size_t rank);

/* ---- looks.c: colour, marker and dashes ---- */

typedef struct fl_plots_look {
    char colour[8];   /* #rrggbb */
    int marker;       /* gnuplot's number */
    const char *dash; /* in gnuplot's form; borrowed */
} fl_plots_look;

/* Fills looks[series_count]: no two are alike, up to 60 curves. False: out of memory. */
bool fl_plots_looks_find(fl_plots_look *looks, const fl_plot *plot);

/* ---- axes.c, curves.c, bars.c: parts of the gnuplot script ---- */

/* Appends ranges, ticks, grid and marks. */
void fl_plots_axes(fl_text *script, const fl_plot *plot, const fl_plots_view *view);

/* Appends the data of all curves. */
void fl_plots_curve_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view);

/* Appends the one plot command for these data, entries of the legend included. Sizes of markers are
 * in units of the gnuplot variable marker_size. */
void fl_plots_draw_curves(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                          const fl_plots_look *looks);

/* Appends the data of all bars. */
void fl_plots_bar_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view);

/* Appends the plot command for these data. */
void fl_plots_draw_bars(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                        const fl_plots_look *looks);

/* ---- figure.c: the complete gnuplot script ---- */

enum {
    FL_PLOTS_TICK_SIZE = 21, /* pixels; also gnuplot's default font, by which it sets its margins */
    FL_PLOTS_LEGEND_COLUMNS = 40 /* characters of a legend line before it is wrapped */
};

typedef enum fl_plots_format { FL_PLOTS_PNG, FL_PLOTS_SVG } fl_plots_format;

/* Appends a script that draws the plot to gnuplot's standard output. */
void fl_plots_figure(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                     fl_plots_format format);

/* ---- gnuplot.c: the other process ---- */

/* Runs gnuplot on a script; *output gets what it drew (cleared by the caller). FL_ERR_IO: gnuplot
 * is missing or failed, with its message; FL_ERR_MEMORY. */
fl_status fl_plots_gnuplot(fl_text *output, const fl_text *script, fl_error *error);

#endif
