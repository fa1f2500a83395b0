/* Bars side by side, in groups; on a logarithmic axis, where the length of a bar says nothing,
 * points. A bar has a fill pattern of its own besides its colour, for print in grey. */
#include "plots/charts/private.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* gnuplot's fill styles of the cairo and SVG drivers. */
static const char *const fills[] = {"solid 0.75", "pattern 2",  "pattern 4", "pattern 1",
                                    "pattern 5",  "solid 0.35", "pattern 6", "pattern 7"};

#define GROUP_WIDTH        0.8 /* of the place that a group has */
#define POINTS_WIDTH       0.5 /* the same of points, which leave no gap between groups */
#define FIGURES_OF_A_LABEL 3
enum { LABELS_MAX = 60 }; /* bars; above, their values are not written above them */

static double width_of(const fl_plot *plot)
{
    return (plot->log_y ? POINTS_WIDTH : GROUP_WIDTH) / (double)plot->series_count;
}

/* The middle of a bar. */
static double place_of(const fl_plot *plot, size_t s, size_t group)
{
    return (double)group + ((double)s - ((double)plot->series_count - 1) / 2) * width_of(plot);
}

void fl_plots_bar_data(fl_text *script, const fl_plot *plot, const fl_plots_view *view)
{
    for (size_t s = 0; s < plot->series_count; s++) {
        fl_text_append(script, "$bars%zu << EOD\n", s);
        for (size_t i = 0; i < plot->series[s].points && i < plot->group_count; i++) {
            if (!fl_plots_has_value(view, &plot->series[s], i))
                continue;
            fl_plots_say_number(script, "", place_of(plot, s, i));
            fl_plots_say_number(script, " ", plot->series[s].y[i]);
            fl_text_append(script, " %.*g\n", FIGURES_OF_A_LABEL, plot->series[s].y[i]);
        }
        fl_plots_say(script, "EOD\n");
    }
}

static void draw_bar(fl_text *script, const fl_plots_look *look, size_t s)
{
    fl_text_append(script, "$bars%zu using 1:2 with boxes lc rgb '%s' lw 1.5 fs %s border rgb '%s'",
                   s, look->colour, fills[s % COUNT(fills)], look->colour);
}

static void draw_point(fl_text *script, const fl_plots_look *look, size_t s)
{
    fl_text_append(script,
                   "$bars%zu using 1:2 with points lc rgb '%s' lw 2.5 pt %d ps marker_size*1.3", s,
                   look->colour, look->marker);
}

void fl_plots_draw_bars(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                        const fl_plots_look *looks)
{
    fl_plots_say_number(script, "set boxwidth ", 0.9 * width_of(plot));
    fl_plots_say(script, "\nset style fill solid\n");
    for (size_t s = 0; s < plot->series_count; s++) {
        fl_plots_say(script, s == 0 ? "plot " : ", \\\n  ");
        (view->log_y ? draw_point : draw_bar)(script, &looks[s], s);
        fl_plots_say(script, " title ");
        fl_plots_quote(script, plot->series[s].label, strlen(plot->series[s].label));
    }
    /* Above each bar, upright: its value. A bar that leaves the frame has none. */
    for (size_t s = 0;
         s < plot->series_count && plot->series_count * plot->group_count <= LABELS_MAX; s++) {
        fl_text_append(script, ", \\\n  $bars%zu using 1:", s);
        fl_plots_say_number(script, "($2 <= ", view->y_max);
        fl_text_append(
            script,
            " ? $2 : NaN):3 with labels rotate left offset 0, %s font ',%d' textcolor rgb '#404040' notitle",
            view->log_y ? "0.8" : "0.4", FL_PLOTS_TICK_SIZE - 5);
    }
    fl_plots_say(script, "\n");
}
