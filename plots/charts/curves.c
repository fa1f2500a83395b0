/* The curves: data, lines, bands, and where markers stand.
 *
 * Markers of different curves stand at different places along the x axis, so that where two lines
 * lie on each other both sets of markers still show. Bands are drawn first, then all lines, then
 * all markers: no line hides a marker. Envelopes lie behind the other lines. */
#include "plots/charts/private.h"

#define LONE_BAR_WIDTH 5

/* The first line is the widest: where curves coincide the earlier one shows as a rim. */
#define WIDEST_LINE    4.0
#define NARROWEST_LINE 2.0

#define WIDEST_MARKER    1.4
#define NARROWEST_MARKER 0.8

#define FEW_BANDS         4
#define BAND_OPACITY_FEW  0.2
#define BAND_OPACITY_MANY 0.14

#define MARKERS_PER_CURVE 10
#define FEWEST_MARKERS    3
#define MARK_EACH_POINT   20 /* curves of up to this number of points: every point is marked */

static double line_width_of(const fl_plot *plot, size_t s)
{
    double rank = plot->series_count > 1 ? (double)s / (double)(plot->series_count - 1) : 0.5;
    return plot->series[s].envelope ? WIDEST_LINE + 1
                                    : WIDEST_LINE + (NARROWEST_LINE - WIDEST_LINE) * rank;
}

/* ---- data --------------------------------------------------------------------- */

/* A blank line: gnuplot does not join what stands before and after. */
static void write_gap(fl_text *script, bool *joined)
{
    if (*joined)
        fl_plots_say(script, "\n");
    *joined = false;
}

static void write_point(fl_text *script, const fl_plot *plot, double x, double y)
{
    fl_plots_say_number(script, "", fl_plots_shown_x(plot, x));
    fl_plots_say_number(script, " ", y);
    fl_plots_say(script, "\n");
}

static void write_line_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                            size_t s)
{
    const fl_plot_series *series = &plot->series[s];
    bool joined = false;
    fl_text_append(script, "$line%zu << EOD\n", s);
    for (size_t i = 0; i < series->points; i++) {
        if (!fl_plots_has_value(view, series, i)) {
            write_gap(script, &joined);
            continue;
        }
        write_point(script, plot, series->x[i], series->y[i]);
        joined = true;
    }
    fl_plots_say(script, "EOD\n");
}

static void write_band_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                            size_t s)
{
    const fl_plot_series *series = &plot->series[s];
    double low, high;
    bool joined = false;
    fl_text_append(script, "$band%zu << EOD\n", s);
    for (size_t i = 0; i < series->points; i++) {
        if (!fl_plots_has_band(view, series, i, &low, &high)) {
            write_gap(script, &joined);
            continue;
        }
        fl_plots_say_number(script, "", fl_plots_shown_x(plot, series->x[i]));
        fl_plots_say_number(script, " ", low);
        fl_plots_say_number(script, " ", high);
        fl_plots_say(script, "\n");
        joined = true;
    }
    fl_plots_say(script, "EOD\n");
}

static bool band_at(const fl_plots_view *view, const fl_plot_series *series, size_t point,
                    double *low, double *high)
{
    return point < series->points && fl_plots_has_band(view, series, point, low, high);
}

/* An area needs two points; the interval of a point that stands alone is drawn as a bar. */
static void write_bar_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                           size_t s)
{
    const fl_plot_series *series = &plot->series[s];
    double low, high, next_low, next_high;
    bool had_band = false;
    fl_text_append(script, "$bar%zu << EOD\n", s);
    for (size_t i = 0; i < series->points; i++) {
        bool has_band = band_at(view, series, i, &low, &high);
        if (has_band && !had_band && !band_at(view, series, i + 1, &next_low, &next_high)) {
            write_point(script, plot, series->x[i], low);
            write_point(script, plot, series->x[i], high);
            fl_plots_say(script, "\n");
        }
        had_band = has_band;
    }
    fl_plots_say(script, "EOD\n");
}

/* ---- markers -------------------------------------------------------------------- */

/* A value without neighbours has no line: only a marker shows it. */
static bool stands_alone(const fl_plots_view *view, const fl_plot_series *series, size_t point)
{
    return (point == 0 || !fl_plots_has_value(view, series, point - 1)) &&
           (point + 1 == series->points || !fl_plots_has_value(view, series, point + 1));
}

static size_t points_in_view(const fl_plots_view *view, const fl_plot_series *series)
{
    size_t count = 0;
    for (size_t i = 0; i < series->points; i++)
        count += fl_plots_in_view(view, series, i);
    return count;
}

/* Every how many points a curve has a marker; the same for all curves, which mostly share their
 * x values: with each curve starting at another point no two markers stand at the same x, if the
 * step is at least the number of curves. 1: every point is marked, always where a curve
 * rises, so that measured points can be distinguished. */
static size_t marker_step(const fl_plot *plot, const fl_plots_view *view)
{
    size_t most = 0;
    for (size_t s = 0; s < plot->series_count; s++) {
        if (plot->series[s].rises)
            return 1;
        size_t points = points_in_view(view, &plot->series[s]);
        most = points > most ? points : most;
    }
    if (most <= MARK_EACH_POINT)
        return 1;
    size_t step = most / MARKERS_PER_CURVE;
    step = step < plot->series_count ? plot->series_count : step;
    return step > most / FEWEST_MARKERS ? most / FEWEST_MARKERS : step;
}

static bool have_common_factor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a > 1;
}

/* The first point with a marker. Curves listed next to each other often lie next to each other:
 * theirs are set well apart, by visiting the places in leaps. */
static size_t first_marker(size_t s, size_t series_count, size_t step)
{
    size_t leap = series_count * 2 / 5 + 1;
    while (have_common_factor(leap, series_count))
        leap++;
    size_t place = s * leap % series_count;
    return step < series_count ? place % step : place * step / series_count;
}

static void write_marker_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                              size_t s, size_t step)
{
    const fl_plot_series *series = &plot->series[s];
    size_t first = first_marker(s, plot->series_count, step), last_seen = series->points;
    bool marked = false;
    fl_text_append(script, "$mark%zu << EOD\n", s);
    for (size_t i = 0; i < series->points; i++) {
        if (!fl_plots_in_view(view, series, i))
            continue;
        last_seen = i;
        if (i % step != first && !stands_alone(view, series, i))
            continue;
        write_point(script, plot, series->x[i], series->y[i]);
        marked = true;
    }
    if (!marked && last_seen < series->points) /* a curve shorter than a step */
        write_point(script, plot, series->x[last_seen], series->y[last_seen]);
    fl_plots_say(script, "EOD\n");
}

/* ---- rises ---------------------------------------------------------------------- */

/* From left to right. */
static size_t rank_of_rise(const fl_plot *plot, size_t s)
{
    size_t rank = 0;
    for (size_t i = 0; i < plot->series_count; i++) {
        const fl_plot_series *other = &plot->series[i];
        double x = plot->series[s].rise_x;
        rank += other->rises && (other->rise_x < x || (other->rise_x == x && i < s));
    }
    return rank;
}

/* $rise: the dotted line from the last point; $arrow: its end, x y dx dy; $stop: the marker on it.
 */
static void write_rise_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                            size_t s)
{
    const fl_plot_series *series = &plot->series[s];
    fl_plots_rise rise = fl_plots_rise_of(view, series, rank_of_rise(plot, s));
    size_t last = series->points;
    while (last > 0 && !fl_plots_has_value(view, series, last - 1))
        last--;
    fl_text_append(script, "$rise%zu << EOD\n", s);
    if (last > 0 && series->y[last - 1] <= view->y_max)
        write_point(script, plot, series->x[last - 1], rise.from);
    write_point(script, plot, series->rise_x, rise.from);
    write_point(script, plot, series->rise_x, rise.top);
    fl_text_append(script, "EOD\n$arrow%zu << EOD\n", s);
    fl_plots_say_number(script, "", fl_plots_shown_x(plot, series->rise_x));
    fl_plots_say_number(script, " ", rise.marker);
    fl_plots_say_number(script, " 0 ", rise.top - rise.marker);
    fl_text_append(script, "\nEOD\n$stop%zu << EOD\n", s);
    write_point(script, plot, series->rise_x, rise.marker);
    fl_plots_say(script, "EOD\n");
}

/* ---- the plot command -------------------------------------------------------------- */

/* Appends the look that lines, markers and legend samples of a curve share. */
static void say_look(fl_text *script, const fl_plot *plot, const fl_plots_look *looks, size_t s)
{
    fl_text_append(script, " lc rgb '%s' dt %s", looks[s].colour, looks[s].dash);
    fl_plots_say_number(script, " lw ", line_width_of(plot, s));
}

/* Where every point is marked, markers of coinciding curves lie on each other: the later ones
 * are smaller, so that the earlier ones show around them. */
static void say_marker(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                       const fl_plots_look *looks, size_t s)
{
    double fraction = plot->series_count > 1 ? (double)s / (double)(plot->series_count - 1) : 0;
    fl_text_append(script, " pt %d ps marker_size", looks[s].marker);
    if (marker_step(plot, view) == 1)
        fl_plots_say_number(script, "*",
                            WIDEST_MARKER + (NARROWEST_MARKER - WIDEST_MARKER) * fraction);
}

static bool series_has_value(const fl_plots_view *view, const fl_plot_series *series)
{
    for (size_t i = 0; i < series->points; i++)
        if (fl_plots_has_value(view, series, i))
            return true;
    return false;
}

/* A curve that has nothing to draw is named nevertheless, with the reason why it is missing. */
static void legend_words(fl_text *words, const fl_plots_view *view, const fl_plot_series *series)
{
    bool missing = !series_has_value(view, series);
    fl_text_append(words, "%s%s", series->label,
                   !missing      ? ""
                   : view->log_y ? " (no value > 0)"
                                 : " (no value)");
}

/* The legend has entries without data, in place of those of the curves: its samples then show
 * line and marker together, though these are drawn apart. A label's further lines have no sample.
 */
static void write_legend_entry(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                               const fl_plots_look *looks, size_t s)
{
    fl_text words = {0};
    legend_words(&words, view, &plot->series[s]);
    script->failed = script->failed || words.failed;
    const char *rest = words.failed ? "" : words.data;
    bool first = true;
    do {
        const char *line = rest;
        size_t length = fl_plots_wrap(line, FL_PLOTS_LEGEND_COLUMNS, &rest);
        fl_plots_say(script, s == 0 && first ? "plot NaN with " : ", \\\n  NaN with ");
        fl_plots_say(script, first ? "linespoints" : "lines lt nodraw");
        if (first) {
            say_look(script, plot, looks, s);
            say_marker(script, plot, view, looks, s);
        }
        fl_plots_say(script, " title ");
        fl_plots_quote(script, line, length);
        first = false;
    } while (*rest != '\0');
    fl_text_clear(&words);
}

/* Fainter the more bands may lie on each other. gnuplot wants the translucency of areas as a
 * fraction and that of bars as the first byte of their colour. */
static void write_band(fl_text *script, const fl_plot *plot, const fl_plots_look *looks, size_t s)
{
    const char *colour = looks[s].colour;
    double opacity = plot->series_count <= FEW_BANDS ? BAND_OPACITY_FEW : BAND_OPACITY_MANY;
    fl_text_append(script, ", \\\n  $band%zu using 1:2:3 with filledcurves lc rgb '%s'", s, colour);
    fl_plots_say_number(script, " fs transparent solid ", opacity);
    fl_text_append(script, " noborder notitle, \\\n  $bar%zu using 1:2 with lines", s);
    fl_text_append(script, " lc rgb '#%02X%s'", (unsigned)(255 * (1 - opacity)), colour + 1);
    fl_text_append(script, " lw %d dt solid notitle", LONE_BAR_WIDTH);
}

static void write_line(fl_text *script, const fl_plot *plot, const fl_plots_look *looks, size_t s)
{
    fl_text_append(script, ", \\\n  $line%zu using 1:2 with lines", s);
    say_look(script, plot, looks, s);
    fl_plots_say(script, " notitle");
}

static void write_markers(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                          const fl_plots_look *looks, size_t s)
{
    fl_text_append(script, ", \\\n  $mark%zu using 1:2 with points lc rgb '%s' lw 2.5", s,
                   looks[s].colour);
    say_marker(script, plot, view, looks, s);
    fl_plots_say(script, " notitle");
}

/* Thin and dotted, so that it does not look measured, and the arrow solid. */
static void write_rise(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                       const fl_plots_look *looks, size_t s)
{
    fl_text_append(script,
                   ", \\\n  $rise%zu using 1:2 with lines lc rgb '%s' lw 1.5 dt (2,5) notitle", s,
                   looks[s].colour);
    fl_text_append(
        script,
        ", \\\n  $arrow%zu using 1:2:3:4 with vectors head size screen 0.008,18 filled lc rgb '%s'",
        s, looks[s].colour);
    fl_text_append(
        script, " lw 2.5 dt solid notitle, \\\n  $stop%zu using 1:2 with points lc rgb '%s' lw 2.5",
        s, looks[s].colour);
    say_marker(script, plot, view, looks, s);
    fl_plots_say(script, " notitle");
}

void fl_plots_draw_curves(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                          const fl_plots_look *looks)
{
    for (size_t s = 0; s < plot->series_count; s++)
        write_legend_entry(script, plot, view, looks, s);
    for (size_t s = 0; s < plot->series_count; s++)
        if (plot->series[s].low != NULL)
            write_band(script, plot, looks, s);
    for (size_t s = 0; s < plot->series_count; s++)
        if (plot->series[s].envelope)
            write_line(script, plot, looks, s);
    for (size_t s = 0; s < plot->series_count; s++)
        if (!plot->series[s].envelope)
            write_line(script, plot, looks, s);
    for (size_t s = 0; s < plot->series_count; s++)
        if (plot->series[s].rises)
            write_rise(script, plot, view, looks, s);
    for (size_t s = 0; s < plot->series_count; s++)
        write_markers(script, plot, view, looks, s);
    fl_plots_say(script, "\n");
}

void fl_plots_curve_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view)
{
    size_t step = marker_step(plot, view);
    for (size_t s = 0; s < plot->series_count; s++) {
        if (plot->series[s].low != NULL) {
            write_band_data(script, plot, view, s);
            write_bar_data(script, plot, view, s);
        }
        write_line_data(script, plot, view, s);
        write_marker_data(script, plot, view, s, step);
        if (plot->series[s].rises)
            write_rise_data(script, plot, view, s);
    }
}
