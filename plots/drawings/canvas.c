#include "plots/drawings/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { CIRCLE_CORNERS = 40, BOX_CORNER_POINTS = 6 };

/* ---- collecting ---- */

static void *with_room(fl_canvas *canvas, void *list, size_t count, size_t more, size_t *room,
                       size_t size)
{
    if (count + more <= *room)
        return list;
    size_t larger = 2 * (count + more);
    void *moved = realloc(list, larger * size);
    if (!moved) {
        canvas->failed = true;
        return list;
    }
    *room = larger;
    return moved;
}

static void add(fl_canvas *canvas, fl_stroke stroke, const fl_point *points, size_t count)
{
    canvas->strokes = with_room(canvas, canvas->strokes, canvas->stroke_count, 1,
                                &canvas->stroke_room, sizeof *canvas->strokes);
    canvas->points = with_room(canvas, canvas->points, canvas->point_count, count,
                               &canvas->point_room, sizeof *canvas->points);
    if (canvas->failed)
        return;
    stroke.first = canvas->point_count;
    stroke.count = count;
    memcpy(canvas->points + canvas->point_count, points, count * sizeof *points);
    canvas->point_count += count;
    canvas->strokes[canvas->stroke_count++] = stroke;
}

void fl_canvas_clear(fl_canvas *canvas)
{
    free(canvas->strokes);
    free(canvas->points);
    fl_text_clear(&canvas->words);
    *canvas = (fl_canvas){0};
}

void fl_canvas_line(fl_canvas *canvas, const fl_point *points, size_t count, fl_pen pen)
{
    add(canvas, (fl_stroke){.kind = FL_STROKE_LINE, .pen = pen}, points, count);
}

void fl_canvas_shape(fl_canvas *canvas, const fl_point *points, size_t count, const char *fill,
                     fl_pen pen)
{
    add(canvas, (fl_stroke){.kind = FL_STROKE_SHAPE, .pen = pen, .fill = fill}, points, count);
}

void fl_canvas_circle(fl_canvas *canvas, fl_point middle, double radius, const char *fill,
                      fl_pen pen)
{
    add(canvas, (fl_stroke){.kind = FL_STROKE_CIRCLE, .pen = pen, .fill = fill, .size = radius},
        &middle, 1);
}

void fl_canvas_box(fl_canvas *canvas, fl_point middle, double half_width, double half_height,
                   double corner, const char *fill, fl_pen pen)
{
    static const double sides[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    fl_point points[4 * BOX_CORNER_POINTS];
    size_t count = 0;
    for (int side = 0; side < 4; side++)
        for (int i = 0; i < BOX_CORNER_POINTS; i++) {
            double angle = PI / 2 * (side + (double)i / (BOX_CORNER_POINTS - 1));
            points[count++] = (fl_point){
                middle.x + sides[side][0] * (half_width - corner) + corner * cos(angle),
                middle.y + sides[side][1] * (half_height - corner) + corner * sin(angle)};
        }
    fl_canvas_shape(canvas, points, count, fill, pen);
}

void fl_canvas_words(fl_canvas *canvas, fl_point at, fl_anchor anchor, double size, bool bold,
                     const char *colour, const char *words)
{
    fl_stroke stroke = {.kind = FL_STROKE_WORDS,
                        .pen = {.colour = colour},
                        .words = canvas->words.length,
                        .anchor = anchor,
                        .size = size,
                        .bold = bold};
    fl_text_append_bytes(&canvas->words, words, strlen(words) + 1);
    canvas->failed |= canvas->words.failed;
    add(canvas, stroke, &at, 1);
}

/* Shares of the size. */
static double letter_width(char letter)
{
    if (letter >= '0' && letter <= '9')
        return 0.637;
    if (strchr("<>=+", letter))
        return 0.838;
    if (strchr(".,:;|il'j ", letter))
        return 0.318;
    if (strchr("frtI()-", letter))
        return 0.39;
    if (strchr("mwMW%", letter))
        return 0.95;
    return 0.61;
}

double fl_canvas_width(const char *words, double size, bool bold)
{
    double width = 0;
    for (; *words; words++)
        width += ((unsigned char)*words & 0xc0) == 0x80 ? 0 : letter_width(*words);
    return width * size * (bold ? 1.12 : 1);
}

/* ---- numbers ---- */

/* To a hundredth of a pixel, with a point whatever the locale. */
static void say(fl_text *out, double value)
{
    long hundredths = lround(value * 100);
    unsigned long size = (unsigned long)labs(hundredths);
    fl_text_append(out, "%s%lu", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100)
        fl_text_append(out, ".%0*lu", size % 10 ? 2 : 1, size % 10 ? size % 100 : size % 100 / 10);
}

static void say_after(fl_text *out, const char *before, double value)
{
    fl_text_append(out, "%s", before);
    say(out, value);
}

/* ---- SVG ---- */

/* Characters that XML gives a meaning to, and those that it does not allow. */
static void say_xml(fl_text *out, const char *words)
{
    size_t left = strlen(words);
    while (left > 0) {
        size_t length = fl_text_utf8_length(words, left);
        if (*words == '<')
            fl_text_append(out, "&lt;");
        else if (*words == '>')
            fl_text_append(out, "&gt;");
        else if (*words == '&')
            fl_text_append(out, "&amp;");
        else if (*words == '"')
            fl_text_append(out, "&quot;");
        else if (length == 0 || (unsigned char)*words < 0x20 || *words == 0x7f)
            fl_text_append(out, "?");
        else
            fl_text_append_bytes(out, words, length);
        words += length ? length : 1;
        left -= length ? length : 1;
    }
}

static void svg_pen(fl_text *out, const fl_pen *pen)
{
    if (!pen->colour) {
        fl_text_append(out, " stroke=\"none\"");
        return;
    }
    fl_text_append(out, " stroke=\"%s\"", pen->colour);
    say_after(out, " stroke-width=\"", pen->width);
    fl_text_append(out, "\"");
    if (pen->dashed)
        fl_text_append(out, " stroke-dasharray=\"7 5\"");
}

static void svg_path(fl_text *out, const fl_canvas *canvas, const fl_stroke *stroke)
{
    bool closed = stroke->kind == FL_STROKE_SHAPE;
    fl_text_append(out, "<path d=\"");
    for (size_t i = 0; i < stroke->count; i++) {
        const fl_point *point = &canvas->points[stroke->first + i];
        say_after(out, i == 0 ? "M" : i == 1 ? "L" : " ", point->x);
        say_after(out, ",", point->y);
    }
    fl_text_append(out, "%s\" fill=\"%s\"", closed ? "Z" : "",
                   closed && stroke->fill ? stroke->fill : "none");
    svg_pen(out, &stroke->pen);
    fl_text_append(out, "/>\n");
}

static void svg_circle(fl_text *out, const fl_canvas *canvas, const fl_stroke *stroke)
{
    const fl_point *middle = &canvas->points[stroke->first];
    say_after(out, "<circle cx=\"", middle->x);
    say_after(out, "\" cy=\"", middle->y);
    say_after(out, "\" r=\"", stroke->size);
    fl_text_append(out, "\" fill=\"%s\"", stroke->fill ? stroke->fill : "none");
    svg_pen(out, &stroke->pen);
    fl_text_append(out, "/>\n");
}

static void svg_words(fl_text *out, const fl_canvas *canvas, const fl_stroke *stroke)
{
    static const char *const anchors[] = {
        [FL_ANCHOR_LEFT] = "start", [FL_ANCHOR_MIDDLE] = "middle", [FL_ANCHOR_RIGHT] = "end"};
    const fl_point *at = &canvas->points[stroke->first];
    say_after(out, "<text x=\"", at->x);
    say_after(out, "\" y=\"", at->y + 0.36 * stroke->size); /* half the height of a capital */
    say_after(out, "\" font-size=\"", stroke->size);
    fl_text_append(out, "\" fill=\"%s\" text-anchor=\"%s\"%s>", stroke->pen.colour,
                   anchors[stroke->anchor], stroke->bold ? " font-weight=\"bold\"" : "");
    say_xml(out, canvas->words.data + stroke->words);
    fl_text_append(out, "</text>\n");
}

void fl_canvas_svg(const fl_canvas *canvas, const char *title, fl_text *out)
{
    fl_text_append(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
    say_after(out, " width=\"", canvas->width);
    say_after(out, "\" height=\"", canvas->height);
    say_after(out, "\" viewBox=\"0 0 ", canvas->width);
    say_after(out, " ", canvas->height);
    fl_text_append(
        out,
        "\" font-family=\"DejaVu Sans, Verdana, sans-serif\" stroke-linejoin=\"round\">\n<title>");
    say_xml(out, title);
    fl_text_append(out, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
    for (size_t i = 0; i < canvas->stroke_count; i++)
        if (canvas->strokes[i].kind == FL_STROKE_CIRCLE)
            svg_circle(out, canvas, &canvas->strokes[i]);
        else if (canvas->strokes[i].kind != FL_STROKE_WORDS)
            svg_path(out, canvas, &canvas->strokes[i]);
    for (size_t i = 0; i < canvas->stroke_count; i++)
        if (canvas->strokes[i].kind == FL_STROKE_WORDS)
            svg_words(out, canvas, &canvas->strokes[i]);
    fl_text_append(out, "</svg>\n");
}

/* ---- gnuplot ---- */

/* One plot element for a run of strokes that look alike: their points stand in one data block, an
 * empty line between two of them. Elements are drawn in their order, which arrows and objects are
 * not. */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool look_alike(const fl_stroke *a, const fl_stroke *b)
{
    return a->kind == b->kind && same_text(a->fill, b->fill) &&
           same_text(a->pen.colour, b->pen.colour) && a->pen.dashed == b->pen.dashed &&
           fabs(a->pen.width - b->pen.width) < 1e-9;
}

static void plot_point(fl_text *script, fl_point point)
{
    say(script, point.x);
    say_after(script, " ", point.y);
    fl_text_append(script, "\n");
}

static void plot_piece(fl_text *script, fl_point from, fl_point to)
{
    say(script, from.x);
    say_after(script, " ", from.y);
    say_after(script, " ", to.x - from.x);
    say_after(script, " ", to.y - from.y);
    fl_text_append(script, "\n");
}

static fl_point between(fl_point from, fl_point to, double fraction)
{
    return (fl_point){from.x + fraction * (to.x - from.x), from.y + fraction * (to.y - from.y)};
}

/* gnuplot's dashes depend on its line width and terminal: they are cut here. */
static void plot_dashes(fl_text *script, const fl_point *points, size_t count)
{
    static const double lengths[] = {7, 5};
    double left = lengths[0];
    int gap = 0;
    for (size_t i = 1; i < count; i++) {
        fl_point from = points[i - 1], to = points[i];
        double length = hypot(to.x - from.x, to.y - from.y);
        for (double done = 0; done < length;) {
            double piece = fmin(left, length - done);
            if (!gap)
                plot_piece(script, between(from, to, done / length),
                           between(from, to, (done + piece) / length));
            done += piece;
            left -= piece;
            if (left <= 0) {
                gap = !gap;
                left = lengths[gap];
            }
        }
    }
}

/* Pieces overlap a little where the line bends, so that no wedge is seen between them. */
static void plot_line(fl_text *script, const fl_point *points, size_t count, double width)
{
    for (size_t i = 1; i < count; i++) {
        fl_point from = points[i - 1], to = points[i];
        double length = hypot(to.x - from.x, to.y - from.y),
               more = length > 0 ? 0.2 * width / length : 0;
        plot_piece(script, between(from, to, i > 1 ? -more : 0),
                   between(from, to, i + 1 < count ? 1 + more : 1));
    }
}

static void plot_outline(fl_text *script, const fl_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        plot_point(script, points[i]);
    /* One point more than closes it, so that the last corner is joined like the others. */
    plot_point(script, points[0]);
    plot_point(script, points[1]);
    fl_text_append(script, "\n");
}

static void plot_circle(fl_text *script, fl_point middle, double radius)
{
    fl_point points[CIRCLE_CORNERS];
    for (int i = 0; i < CIRCLE_CORNERS; i++) {
        double angle = 2 * PI * i / CIRCLE_CORNERS;
        points[i] = (fl_point){middle.x + radius * cos(angle), middle.y + radius * sin(angle)};
    }
    plot_outline(script, points, CIRCLE_CORNERS);
}

static void plot_data(const fl_canvas *canvas, size_t first, size_t beyond, fl_text *script)
{
    fl_text_append(script, "$s%zu << EOD\n", first);
    for (size_t s = first; s < beyond; s++) {
        const fl_stroke *stroke = &canvas->strokes[s];
        const fl_point *points = canvas->points + stroke->first;
        if (stroke->kind == FL_STROKE_CIRCLE)
            plot_circle(script, points[0], stroke->size);
        else if (stroke->kind == FL_STROKE_SHAPE)
            plot_outline(script, points, stroke->count);
        else if (stroke->pen.dashed)
            plot_dashes(script, points, stroke->count);
        else
            plot_line(script, points, stroke->count, stroke->pen.width);
    }
    fl_text_append(script, "EOD\n");
}

/* Lines are drawn as vectors: with lines, gnuplot 5.4 frays where one begins. */
static void plot_element(const fl_stroke *stroke, size_t first, double scale, fl_text *elements)
{
    if (stroke->kind != FL_STROKE_LINE && stroke->fill)
        fl_text_append(elements,
                       "%s$s%zu with filledcurves closed fc rgb '%s' fs solid 1 noborder notitle",
                       elements->length ? ", \\\n" : "", first, stroke->fill);
    if (!stroke->pen.colour)
        return;
    fl_text_append(elements, "%s$s%zu with %s lc rgb '%s' lw ", elements->length ? ", \\\n" : "",
                   first, stroke->kind == FL_STROKE_LINE ? "vectors nohead" : "lines",
                   stroke->pen.colour);
    say(elements, stroke->pen.width * scale);
    fl_text_append(elements, " notitle");
}

static void plot_words(const fl_canvas *canvas, const fl_stroke *stroke, double scale,
                       fl_text *script)
{
    static const char *const anchors[] = {
        [FL_ANCHOR_LEFT] = "left", [FL_ANCHOR_MIDDLE] = "center", [FL_ANCHOR_RIGHT] = "right"};
    const fl_point *at = &canvas->points[stroke->first];
    const char *words = canvas->words.data + stroke->words;
    fl_text_append(script, "set label ");
    fl_plots_quote(script, words, strlen(words));
    say_after(script, " at first ", at->x);
    say_after(script, ", first ", at->y);
    fl_text_append(script, " %s font 'DejaVu Sans%s,", anchors[stroke->anchor],
                   stroke->bold ? ":Bold" : "");
    say(script, stroke->size * scale);
    fl_text_append(script, "' textcolor rgb '%s' front\n", stroke->pen.colour);
}

static void plot_page(const fl_canvas *canvas, double scale, fl_text *script)
{
    /* With this scale font sizes are pixels (see figure.c). */
    fl_text_append(
        script,
        "set encoding utf8\nset terminal pngcairo noenhanced font 'DejaVu Sans,12' fontscale 0.75 background rgb 'white' "
        "butt size %ld,%ld\n",
        lround(canvas->width * scale), lround(canvas->height * scale));
    fl_text_append(
        script,
        "unset border\nunset tics\nunset key\nset lmargin at screen 0\nset rmargin at screen 1\n"
        "set bmargin at screen 0\nset tmargin at screen 1\nset xrange [0:");
    say(script, canvas->width);
    say_after(script, "]\nset yrange [", canvas->height);
    fl_text_append(script, ":0]\n");
}

void fl_canvas_gnuplot(const fl_canvas *canvas, double scale, fl_text *script)
{
    fl_text elements = {0};
    plot_page(canvas, scale, script);
    for (size_t first = 0, beyond; first < canvas->stroke_count; first = beyond) {
        const fl_stroke *stroke = &canvas->strokes[first];
        beyond = first + 1;
        if (stroke->kind == FL_STROKE_WORDS) {
            plot_words(canvas, stroke, scale, script);
            continue;
        }
        while (beyond < canvas->stroke_count && look_alike(stroke, &canvas->strokes[beyond]))
            beyond++;
        plot_data(canvas, first, beyond, script);
        plot_element(stroke, first, scale, &elements);
    }
    fl_text_append(script, "plot %s\n", elements.data ? elements.data : "NaN notitle");
    script->failed |= elements.failed;
    fl_text_clear(&elements);
}
