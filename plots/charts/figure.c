/* The gnuplot script of one figure: the page, the texts around the plot, the legend's place. */
#include "plots/charts/private.h"

#include <stdlib.h>
#include <string.h>

/* ---- measures, in pixels of the PNG (the SVG scales) ---------------------- */

enum {
    WIDTH = 1600,
    HEIGHT = 1000,
    EDGE = 16,
    TITLE_SIZE = 30,
    SUBTITLE_SIZE = 21,
    AXIS_SIZE = 23,
    LEGEND_SIZE = 20,
    LEGEND_SMALLEST = 10,
    FOOTNOTE_SIZE = 16,
    TITLE_LINES = 2,
    SUBTITLE_LINES = 3,
    FOOTNOTE_LINES = 4
};

#define CHARACTER_WIDTH 0.57 /* of DejaVu Sans in running text, as a fraction of the font size */
#define LINE_HEIGHT     1.3  /* as a fraction of the font size */
#define TEXT_WIDTH      (WIDTH - 150) /* from the y axis to the right edge */

/* The same numbers are different sizes for the two drivers; these settings make the pictures alike.
 */
typedef struct driver_look {
    const char *terminal; /* without what all drivers share */
    double marker_size, legend_spacing;
    const char *x_tick_offset;
} driver_look;

/* The font size is FL_PLOTS_TICK_SIZE. PNG: gnuplot counts in points of 1/72 inch on a screen of
 * 96 dots an inch; with this scale font sizes are pixels. SVG: the font name is copied as it
 * stands, so that it can name substitutes for viewers without DejaVu (a plain comma would end the
 * name). */
static const driver_look driver_looks[] = {
    [FL_PLOTS_PNG] = {"pngcairo font 'DejaVu Sans,21' fontscale 0.75 dashlength 1.4", 2.0, 1.35,
                      "0, 0"},
    [FL_PLOTS_SVG] = {"svg dynamic font 'DejaVu Sans&#44;Verdana&#44;sans-serif,21'", 0.8, 1.02,
                      "0, 0.4"},
};

static double from_bottom(double pixels_from_top)
{
    return 1 - pixels_from_top / HEIGHT;
}

static bool is_empty(const char *words)
{
    return words == NULL || *words == '\0';
}

/* ---- texts around the plot -------------------------------------------------- */

typedef struct paragraph {
    const char *words, *colour;
    int size;
    size_t most_lines;
} paragraph;

static size_t columns_of(const paragraph *text)
{
    return (size_t)(TEXT_WIDTH / (text->size * CHARACTER_WIDTH));
}

static size_t lines_of(const paragraph *text)
{
    size_t lines = 0;
    if (is_empty(text->words))
        return 0;
    for (const char *rest = text->words; *rest != '\0' && lines < text->most_lines; lines++)
        fl_plots_wrap(rest, columns_of(text), &rest);
    return lines;
}

static double height_of(const paragraph *text)
{
    return (double)lines_of(text) * text->size * LINE_HEIGHT;
}

/* Starts at the left end of the x axis, so that titles and plot share an edge. */
static void write_text_line(fl_text *script, const char *words, size_t length, double top,
                            const paragraph *look)
{
    fl_plots_say(script, "set label ");
    fl_plots_quote(script, words, length);
    fl_plots_say_number(script, " at graph 0, screen ",
                        from_bottom(top + 0.5 * LINE_HEIGHT * look->size));
    fl_text_append(script, " left font ',%d' textcolor rgb '%s'\n", look->size, look->colour);
}

/* Text after the last allowed line is cut, which dots show. */
static void write_paragraph(fl_text *script, const paragraph *text, double top)
{
    size_t lines = lines_of(text);
    const char *rest = text->words;
    for (size_t i = 0; i < lines; i++) {
        const char *line = rest;
        size_t length = fl_plots_wrap(line, columns_of(text), &rest);
        bool cut = i + 1 == lines && *rest != '\0';
        fl_text shown = {0};
        fl_text_append(&shown, "%.*s%s", (int)length, line, cut ? " ..." : "");
        if (shown.failed)
            script->failed = true;
        else
            write_text_line(script, shown.data, shown.length,
                            top + (double)i * text->size * LINE_HEIGHT, text);
        fl_text_clear(&shown);
    }
}

/* Axis labels stay on one line and shrink when they must. */
static int fitting_size(const char *words, double length)
{
    double size = length / ((double)fl_plots_width(words) * CHARACTER_WIDTH);
    return size < FOOTNOTE_SIZE / 2.0 ? FOOTNOTE_SIZE / 2
           : size < AXIS_SIZE         ? (int)size
                                      : AXIS_SIZE;
}

/* Not gnuplot's xlabel: its distance from the axis depends on the driver, and the footnote stands
 * below it. */
static void write_x_label(fl_text *script, const char *words, double middle)
{
    fl_plots_say(script, "set label ");
    fl_plots_quote(script, words, strlen(words));
    fl_plots_say_number(script, " at graph 0.5, screen ", from_bottom(middle));
    fl_text_append(script, " center font ',%d'\n", fitting_size(words, 0.6 * WIDTH));
}

static void write_surroundings(fl_text *script, const fl_plot *plot)
{
    const paragraph title = {plot->title, "#000000", TITLE_SIZE, TITLE_LINES};
    const paragraph subtitle = {plot->subtitle, "#404040", SUBTITLE_SIZE, SUBTITLE_LINES};
    const paragraph footnote = {plot->footnote, "#707070", FOOTNOTE_SIZE, FOOTNOTE_LINES};
    double head = EDGE + height_of(&title) + height_of(&subtitle);
    double foot = EDGE + height_of(&footnote);
    write_paragraph(script, &title, EDGE);
    write_paragraph(script, &subtitle, EDGE + height_of(&title));
    write_paragraph(script, &footnote, HEIGHT - foot);
    if (!is_empty(plot->x_label)) {
        write_x_label(script, plot->x_label, HEIGHT - foot - 0.9 * AXIS_SIZE);
        foot += 2.1 * AXIS_SIZE;
    }
    fl_plots_say_number(script, "set tmargin at screen ", from_bottom(head + EDGE));
    fl_plots_say_number(script, "\nset bmargin at screen ",
                        (foot + 2 * FL_PLOTS_TICK_SIZE) / HEIGHT);
    fl_plots_say(script, "\n");
}

static void write_y_label(fl_text *script, const char *words)
{
    if (is_empty(words))
        return;
    fl_plots_say(script, "set ylabel ");
    fl_plots_quote(script, words, strlen(words));
    fl_text_append(script, " font ',%d'\n", fitting_size(words, 0.75 * HEIGHT));
}

/* ---- legend ------------------------------------------------------------------ */

static size_t legend_lines(const fl_plot *plot)
{
    size_t lines = 0;
    for (size_t s = 0; s < plot->series_count; s++) {
        const char *rest = plot->series[s].label;
        do {
            fl_plots_wrap(rest, FL_PLOTS_LEGEND_COLUMNS, &rest);
            lines++;
        } while (*rest != '\0');
    }
    return lines;
}

/* Smaller letters when many curves would not fit in one column. */
static void write_legend_style(fl_text *script, const fl_plot *plot, fl_plots_format format)
{
    int fitting = (int)(0.8 * HEIGHT / ((double)legend_lines(plot) * LINE_HEIGHT));
    int size = fitting < LEGEND_SMALLEST ? LEGEND_SMALLEST
               : fitting < LEGEND_SIZE   ? fitting
                                         : LEGEND_SIZE;
    fl_text_append(script, "set key outside right top vertical Left reverse samplen 5 font ',%d'",
                   size);
    fl_plots_say_number(script, " spacing ", driver_looks[format].legend_spacing);
    fl_plots_say(script, "\n");
}

static void write_terminal(fl_text *script, const driver_look *look)
{
    fl_text_append(
        script, "set encoding utf8\nset terminal %s size %d,%d noenhanced background rgb 'white'\n",
        look->terminal, WIDTH, HEIGHT);
    fl_plots_say_number(script, "marker_size = ", look->marker_size);
    fl_text_append(script, "\nset xtics offset %s\n", look->x_tick_offset);
}

void fl_plots_figure(fl_text *script, const fl_plot *plot, const fl_plots_view *view,
                     fl_plots_format format)
{
    write_terminal(script, &driver_looks[format]);
    write_surroundings(script, plot);
    write_y_label(script, plot->y_label);
    fl_plots_axes(script, plot, view);
    write_legend_style(script, plot, format);
    fl_plots_look *looks = calloc(plot->series_count + 1, sizeof *looks);
    if (!looks || !fl_plots_looks_find(looks, plot)) {
        script->failed = true;
    } else if (plot->group_count > 0) {
        fl_plots_bar_data(script, plot, view);
        fl_plots_draw_bars(script, plot, view, looks);
    } else {
        fl_plots_curve_data(script, plot, view);
        fl_plots_draw_curves(script, plot, view, looks);
    }
    free(looks);
}
