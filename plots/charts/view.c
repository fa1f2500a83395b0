/* The visible part of the data: axis ranges, and what has a place on them. */
#include "plots/charts/private.h"

#include <math.h>

#define MARGIN   0.04 /* room above and below the data, as a fraction of the axis */
#define HEADROOM 0.05 /* above the data, where the axis begins at a given value */
#define BAND_ALLOWANCE                                                                  \
    0.25 /* how far bands may widen the y axis, as a fraction of the span of the values \
          */

#define RISE_ROOM   0.18 /* for rises, above the highest point, as a fraction of the axis */
#define RISE_LENGTH 0.05 /* of the arrow, and the smallest visible part of a rise */
#define RISE_STEP   0.03 /* between the markers of neighbouring rises */

#define SAME_NUMBER 1e-9 /* a relative difference that an axis cannot show */

/* Outside of these the arithmetic of the axes, here and in gnuplot, would overflow. */
#define LARGEST              1e250
#define SMALLEST_ON_LOG_AXIS 1e-250

typedef struct extent {
    double min, max; /* min > max: nothing seen so far */
} extent;

static extent extent_empty(void)
{
    return (extent){INFINITY, -INFINITY};
}

static void extent_add(extent *range, double value)
{
    range->min = fmin(range->min, value);
    range->max = fmax(range->max, value);
}

static bool has_x(const fl_plot_series *series, size_t point)
{
    return fabs(series->x[point]) <= LARGEST;
}

static bool has_place(const fl_plots_view *view, double value)
{
    return fabs(value) <= LARGEST &&
           (!view->log_y || value >= SMALLEST_ON_LOG_AXIS); /* no for NAN */
}

bool fl_plots_has_value(const fl_plots_view *view, const fl_plot_series *series, size_t point)
{
    return has_x(series, point) && has_place(view, series->y[point]);
}

bool fl_plots_has_band(const fl_plots_view *view, const fl_plot_series *series, size_t point,
                       double *low, double *high)
{
    if (series->low == NULL || !has_x(series, point) || !(fabs(series->low[point]) <= LARGEST) ||
        !has_place(view, series->high[point]))
        return false;
    if (view->log_y && !has_place(view, series->y[point])) /* an interval around no value */
        return false;
    *low = series->low[point];
    *high = series->high[point];
    if (!has_place(view, *low)) /* reaches 0 on a log axis: the band continues down to the axis */
        *low = fmin(view->y_min, *high);
    return true;
}

static bool in_x_range(const fl_plots_view *view, double x)
{
    return x >= view->x_min && x <= view->x_max;
}

bool fl_plots_in_view(const fl_plots_view *view, const fl_plot_series *series, size_t point)
{
    return fl_plots_has_value(view, series, point) && in_x_range(view, series->x[point]) &&
           series->y[point] >= view->y_min && series->y[point] <= view->y_max;
}

double fl_plots_shown_x(const fl_plot *plot, double x)
{
    return plot->percent_x ? 100 * x : x;
}

static extent x_extent(const fl_plot *plot)
{
    extent range = extent_empty();
    for (size_t s = 0; s < plot->series_count; s++)
        for (size_t i = 0; i < plot->series[s].points; i++)
            if (has_x(&plot->series[s], i))
                extent_add(&range, plot->series[s].x[i]);
    for (size_t s = 0; s < plot->series_count; s++)
        if (plot->series[s].rises)
            extent_add(&range, plot->series[s].rise_x);
    return range;
}

/* Only of points in the x range, so that a zoom into x uses the full height. */
static void y_extents(const fl_plots_view *view, const fl_plot *plot, extent *values, extent *bands)
{
    double low, high;
    for (size_t s = 0; s < plot->series_count; s++) {
        const fl_plot_series *series = &plot->series[s];
        for (size_t i = 0; i < series->points; i++) {
            if (!in_x_range(view, series->x[i]))
                continue;
            if (fl_plots_has_value(view, series, i))
                extent_add(values, series->y[i]);
            if (series->low != NULL && has_place(view, series->low[i]) &&
                fl_plots_has_band(view, series, i, &low, &high)) {
                extent_add(bands, low);
                extent_add(bands, high);
            }
        }
    }
}

/* The values always fit. A few points with little data have bands many times as wide as the span
 * of all values: these would flatten the curves, and leave the frame instead. */
static extent y_extent(const fl_plots_view *view, const fl_plot *plot)
{
    extent values = extent_empty(), bands = extent_empty();
    y_extents(view, plot, &values, &bands);
    if (bands.min > bands.max)
        return values;
    if (values.min >= values.max) {
        extent_add(&bands, fmin(values.min, bands.max));
        extent_add(&bands, fmax(values.max, bands.min));
        return bands;
    }
    double span = view->log_y ? log(values.max) - log(values.min) : values.max - values.min;
    double slack = BAND_ALLOWANCE * span;
    extent_add(&values,
               fmax(bands.min, view->log_y ? values.min / exp(slack) : values.min - slack));
    extent_add(&values,
               fmin(bands.max, view->log_y ? values.max * exp(slack) : values.max + slack));
    return values;
}

static extent widened(extent range, bool log_scale)
{
    if (range.min > range.max) /* nothing to show: an empty frame */
        return log_scale ? (extent){0.1, 1} : (extent){0, 1};
    double size = fmax(fabs(range.min), fabs(range.max));
    if (range.max - range.min > SAME_NUMBER * size)
        return range;
    if (log_scale)
        return (extent){range.min / 2, range.max * 2};
    double half = fmax(size * 0.1, 0.5);
    return (extent){range.min - half, range.max + half};
}

/* At a fraction of the axis. */
static double place_on_axis(const fl_plots_view *view, double fraction)
{
    if (view->log_y)
        return view->y_min * pow(view->y_max / view->y_min, fraction);
    return view->y_min + fraction * (view->y_max - view->y_min);
}

/* A rise begins at the height of the last point; if that is above the frame, its end is visible
 * nevertheless. */
fl_plots_rise fl_plots_rise_of(const fl_plots_view *view, const fl_plot_series *series, size_t rank)
{
    double marker = place_on_axis(view, 1 - RISE_LENGTH - RISE_STEP * (double)(rank % 3));
    size_t last = series->points;
    while (last > 0 && !fl_plots_has_value(view, series, last - 1))
        last--;
    double from = last > 0 ? fmin(series->y[last - 1], marker) : marker;
    return (fl_plots_rise){from, marker, view->y_max};
}

static bool any_rises(const fl_plot *plot)
{
    for (size_t s = 0; s < plot->series_count; s++)
        if (plot->series[s].rises)
            return true;
    return false;
}

/* If the axis begins at a given value, which may be far below the data, the room above is a
 * fraction of the span from there. */
static extent with_margin(extent range, double fixed_min, bool log_scale)
{
    bool fixed = fixed_min <= range.min; /* no for NAN */
    double bottom = fixed ? fixed_min : range.min, fraction = fixed ? HEADROOM : MARGIN;
    if (log_scale)
        return (extent){range.min / pow(range.max / range.min, MARGIN),
                        range.max * pow(range.max / bottom, fraction)};
    double margin = MARGIN * (range.max - range.min);
    bool reaches_zero = range.min >= 0 && range.min < margin;
    return (extent){reaches_zero ? 0 : range.min - margin,
                    range.max + fraction * (range.max - bottom)};
}

/* A limit that the caller fixed is kept; the other end moves if the data lie outside of it. */
static extent with_limits(extent range, double fixed_min, double fixed_max, bool log_scale)
{
    if (!isnan(fixed_min))
        range.min = fixed_min;
    if (!isnan(fixed_max))
        range.max = fixed_max;
    if (range.min < range.max)
        return range;
    double step = log_scale ? 0 : fmax(1, fabs(range.min) * 0.1);
    if (isnan(fixed_max))
        range.max = log_scale ? range.min * 10 : range.min + step;
    else
        range.min = log_scale ? range.max / 10 : range.max - step;
    return range;
}

static fl_status check_limits(const char *axis, double min, double max, bool log_scale,
                              fl_error *error)
{
    if (fabs(min) > LARGEST || fabs(max) > LARGEST)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s range %g .. %g: limits must be from %g to %g, or NAN for 'from the data'", axis,
            min, max, -LARGEST, LARGEST);
    if (min >= max)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s range %g .. %g is empty: the lower limit must be below the upper", axis,
                       min, max);
    if (log_scale && (min < SMALLEST_ON_LOG_AXIS || max < SMALLEST_ON_LOG_AXIS))
        return fl_fail(error, FL_ERR_INVALID,
                       "%s range %g .. %g: a logarithmic axis needs limits above 0 (at least %g)",
                       axis, min, max, SMALLEST_ON_LOG_AXIS);
    return FL_OK;
}

fl_status fl_plots_view_find(fl_plots_view *view, const fl_plot *plot, fl_error *error)
{
    fl_status status = check_limits("x", plot->x_min, plot->x_max, false, error);
    if (status == FL_OK)
        status = check_limits("y", plot->y_min, plot->y_max, plot->log_y, error);
    if (status != FL_OK)
        return status;
    extent x = widened(x_extent(plot), false);
    if (any_rises(plot))
        x.max += MARGIN / 2 * (x.max - x.min);
    x = with_limits(x, plot->x_min, plot->x_max, false);
    *view = (fl_plots_view){.x_min = x.min, .x_max = x.max, .log_y = plot->log_y};
    extent y = y_extent(view, plot);
    bool zero = y.min == 0 && y.max == 0;
    y = zero ? (extent){0, 1} : with_margin(widened(y, plot->log_y), plot->y_min, plot->log_y);
    if (any_rises(plot))
        y.max = plot->log_y ? y.max * pow(y.max / y.min, RISE_ROOM)
                            : y.max + RISE_ROOM * (y.max - fmin(y.min, plot->y_min));
    y = with_limits(y, plot->y_min, plot->y_max, plot->log_y);
    view->y_min = y.min;
    view->y_max = y.max;
    return FL_OK;
}
