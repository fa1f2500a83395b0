/* Private to plots: what its files share. */
#ifndef FL_PLOTS_PRIVATE_H
#define FL_PLOTS_PRIVATE_H

#include "plots/plots.h"

/* ---- texts.c: other people's words in a gnuplot script -------------------- */

/* Appends `length` bytes as a gnuplot string that gnuplot takes literally. */
void fl_plots_quote(fl_text *script, const char *words, size_t length);

/* How many bytes of `words` fit on a line of `columns` characters, broken where it reads best;
 * *next is where the following line starts (at the ending 0: nothing left). */
size_t fl_plots_wrap(const char *words, size_t columns, const char **next);

/* Characters, not bytes. */
size_t fl_plots_width(const char *words);

/* Appends as is. */
void fl_plots_say(fl_text *script, const char *words);

/* Appends words and then a number as gnuplot reads it, whatever the locale of the program. */
void fl_plots_say_number(fl_text *script, const char *before, double value);

/* ---- view.c: which part of the data is seen ------------------------------- */

typedef struct fl_plots_view {
    double x_min, x_max, y_min, y_max;
    bool log_y;
} fl_plots_view;

fl_status fl_plots_view_find(fl_plots_view *view, const fl_plot *plot, fl_error *error);

/* A value that has a place on the y axis, inside the view or not. */
bool fl_plots_has_value(const fl_plots_view *view, const fl_plot_series *series, size_t point);

/* The same for the band; *low and *high are then what to draw. */
bool fl_plots_has_band(const fl_plots_view *view, const fl_plot_series *series, size_t point,
                       double *low, double *high);

/* Inside the frame. */
bool fl_plots_in_view(const fl_plots_view *view, const fl_plot_series *series, size_t point);

/* What a place on the x axis is called there. */
double fl_plots_shown_x(const fl_plot *plot, double x);

/* Where a rise ends and the marker on it stands; `rank` among the rises sets markers of neighbours
 * apart. */
typedef struct fl_plots_rise {
    double from, marker, top; /* y */
} fl_plots_rise;

fl_plots_rise fl_plots_rise_of(const fl_plots_view *view, const fl_plot_series *series,
                               size_t rank);

/* ---- looks.c: colour, marker and dashes ------------------------------------- */

typedef struct fl_plots_look {
    char colour[8];   /* #rrggbb */
    int marker;       /* gnuplot's number */
    const char *dash; /* gnuplot's words; borrowed */
} fl_plots_look;

/* Fills looks[series_count]: no two are alike, but where there are more than 60 curves. False: out
 * of memory. */
bool fl_plots_looks_find(fl_plots_look *looks, const fl_plot *plot);

/* ---- axes.c, curves.c: parts of the gnuplot script -------------------------- */

void fl_plots_axes(fl_text *script, const fl_plot *plot, const fl_plots_view *view);

/* First all data, then the one plot command, the legend's entries included. Sizes of markers are
 * in units of the gnuplot variable marker_size. */
void fl_plots_curve_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view);
void fl_plots_draw_curves(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                          const fl_plots_look *looks);

/* ---- bars.c: the same for groups of bars ------------------------------------ */

void fl_plots_bar_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view);
void fl_plots_draw_bars(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                        const fl_plots_look *looks);

/* ---- figure.c: the whole gnuplot script -------------------------------------- */

enum {
    FL_PLOTS_TICK_SIZE = 21, /* pixels; also gnuplot's default font, by which it sets its margins */
    FL_PLOTS_LEGEND_COLUMNS = 40 /* characters of a legend line before it is wrapped */
};

typedef enum fl_plots_format { FL_PLOTS_PNG, FL_PLOTS_SVG } fl_plots_format;

/* Appends a script that draws the plot to gnuplot's standard output. */
void fl_plots_figure(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                     fl_plots_format format);

/* ---- plots.c ----------------------------------------------------------------- */

/* gnuplot does not notice a full disk. */
bool fl_plots_is_complete_png(const fl_text *picture);

/* ---- gnuplot.c: the other process ------------------------------------------ */

/* Runs gnuplot on a script; *output gets what it drew (cleared by the caller). */
fl_status fl_plots_gnuplot(fl_text *output, const fl_text *script, fl_error *error);

#endif
