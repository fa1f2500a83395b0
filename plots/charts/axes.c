/* Axes: ranges, ticks, grid. */
#include "plots/charts/private.h"

#include <math.h>
#include <string.h>

#define TICKS_WANTED 6 /* about */

static void write_range(fl_text *script, const char *axis, double min, double max)
{
    fl_text_append(script, "set %srange [", axis);
    fl_plots_say_number(script, "", min);
    fl_plots_say_number(script, ":", max);
    fl_plots_say(script, "]\n");
}

/* Ticks of a log axis are listed one by one: over few decades gnuplot labels one or none, over
 * many it writes 1e-07, and it sets some outside the frame. */
typedef struct tick_list {
    fl_text *script;
    const fl_plots_view *view;
    bool started;
} tick_list;

/* Begins a tick at `value`; false: there is none outside of the axis. */
static bool begin_tick(tick_list *ticks, double value)
{
    const double rounding = 1e-9; /* 3 * 0.1 is not 0.3, but is meant to be on an axis up to 0.3 */
    if (value < ticks->view->y_min * (1 - rounding) || value > ticks->view->y_max * (1 + rounding))
        return false;
    fl_plots_say(ticks->script, ticks->started ? ", " : "set ytics (");
    ticks->started = true;
    return true;
}

static void end_tick(tick_list *ticks, double value, bool minor)
{
    fl_plots_say_number(ticks->script, " ", value);
    fl_plots_say(ticks->script, minor ? " 1" : " 0");
}

static void number_tick(tick_list *ticks, double value)
{
    if (!begin_tick(ticks, value))
        return;
    fl_plots_say_number(ticks->script, "'", value);
    fl_plots_say(ticks->script, "'");
    end_tick(ticks, value, false);
}

static void minor_tick(tick_list *ticks, double value)
{
    if (!begin_tick(ticks, value))
        return;
    fl_plots_say(ticks->script, "''");
    end_tick(ticks, value, true);
}

/* With Unicode superscripts: gnuplot's own markup is switched off, so that names are literal. */
static void power_tick(tick_list *ticks, int exponent)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    if (!begin_tick(ticks, pow(10, exponent)))
        return;
    snprintf(digits, sizeof digits, "%d", exponent);
    fl_plots_say(ticks->script, "'10");
    for (const char *digit = digits; *digit != '\0'; digit++)
        fl_plots_say(ticks->script, *digit == '-' ? "⁻" : raised[*digit - '0']);
    fl_plots_say(ticks->script, "'");
    end_tick(ticks, pow(10, exponent), false);
}

static void many_decades(tick_list *ticks, int first, int last)
{
    int step = (last - first + 9) / 10;
    for (int exponent = first; exponent <= last; exponent += step) {
        power_tick(ticks, exponent);
        for (int digit = 2; digit <= 9 && step == 1; digit++)
            minor_tick(ticks, digit * pow(10, exponent));
    }
}

static void few_decades(tick_list *ticks, int first, int last)
{
    for (int exponent = first; exponent <= last; exponent++)
        for (int digit = 1; digit <= 9; digit++) {
            bool labelled = digit == 1 || digit == 2 || digit == 5;
            (labelled ? number_tick : minor_tick)(ticks, digit * pow(10, exponent));
        }
}

/* Less than a decade: about six ticks at equal steps of 1, 2 or 5 times a power of ten. */
static void part_of_a_decade(tick_list *ticks)
{
    double min = ticks->view->y_min, max = ticks->view->y_max;
    double rough = (max - min) / TICKS_WANTED, power = pow(10, floor(log10(rough)));
    double step = power * (rough < 1.5 * power   ? 1
                           : rough < 3.5 * power ? 2
                           : rough < 7.5 * power ? 5
                                                 : 10);
    for (int i = 0; i <= 2 * TICKS_WANTED; i++)
        number_tick(ticks, (ceil(min / step) + i) * step);
}

static void write_log_ticks(fl_text *script, const fl_plots_view *view)
{
    tick_list ticks = {script, view, false};
    int first = (int)floor(log10(view->y_min)), last = (int)ceil(log10(view->y_max));
    double decades = log10(view->y_max) - log10(view->y_min);
    if (decades >= 2.5)
        many_decades(&ticks, first, last);
    else if (decades >= 1)
        few_decades(&ticks, first, last);
    else
        part_of_a_decade(&ticks);
    fl_plots_say(script, ticks.started ? ")\n" : "");
}

/* Groups of bars have names in place of numbers, and no lines between them. */
static void write_groups(fl_text *script, const fl_plot *plot)
{
    fl_plots_say(script, "set xtics scale 0 (");
    for (size_t i = 0; i < plot->group_count; i++) {
        fl_plots_say(script, i ? ", " : "");
        fl_plots_quote(script, plot->groups[i], strlen(plot->groups[i]));
        fl_plots_say_number(script, " ", (double)i);
    }
    fl_plots_say(script, ")\nunset grid\nset grid ytics back lt 1 lw 1 lc rgb '#E0E0E0'\n");
}

/* Words stand above the curves: right of their line, or left of it where they would
 * leave the frame. */
static void write_marks(fl_text *script, const fl_plot *plot, const fl_plots_view *view)
{
    const double room = 0.13 * (view->x_max - view->x_min); /* of words */
    double free_from = -INFINITY;
    for (size_t i = 0; i < plot->mark_count; i++) {
        const fl_plot_mark *mark = &plot->marks[i];
        double x = fl_plots_shown_x(plot, mark->x);
        if (mark->x < view->x_min || mark->x > view->x_max)
            continue;
        fl_plots_say_number(script, "set arrow from ", x);
        fl_plots_say_number(script, ", graph 0 to ", x);
        fl_plots_say(script, ", graph 1 nohead dt (3,5) lw 2 lc rgb '#606060'\n");
        bool right = mark->x + room <= view->x_max;
        if (mark->x - (right ? 0 : room) < free_from)
            continue;
        free_from = mark->x + (right ? room : 0);
        fl_plots_say(script, "set label ");
        fl_plots_quote(script, mark->words, strlen(mark->words));
        fl_plots_say_number(script, " at ", x);
        fl_text_append(script, ", graph 0.982 %s font ',%d' textcolor rgb '#404040'\n",
                       right ? "left offset 0.4, 0" : "right offset -0.4, 0",
                       FL_PLOTS_TICK_SIZE - 3);
    }
}

void fl_plots_axes(fl_text *script, const fl_plot *plot, const fl_plots_view *view)
{
    write_range(script, "x", fl_plots_shown_x(plot, view->x_min),
                fl_plots_shown_x(plot, view->x_max));
    write_range(script, "y", view->y_min, view->y_max);
    fl_text_append(script, "set tics out nomirror scale 0.8 font ',%d'\n", FL_PLOTS_TICK_SIZE);
    fl_text_append(script, "set format x '%s'\nset format y '%%.10g'\n",
                   plot->percent_x ? "%.10g%%" : "%.10g");
    fl_plots_say(script, "set border 3 lw 1.5 lc rgb '#404040'\n");
    fl_plots_say(script, "set grid xtics ytics back lt 1 lw 1 lc rgb '#E0E0E0'\n");
    fl_plots_say(script, "set clip two\n");
    if (plot->group_count > 0)
        write_groups(script, plot);
    write_marks(script, plot, view);
    if (view->log_y) {
        fl_plots_say(script, "set logscale y\n");
        write_log_ticks(script, view);
    }
}
