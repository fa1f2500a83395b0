/* Private to plots: a picture as a list of lines, shapes and words, and the two ways to write it
 * down. Lengths are pixels of the SVG; y grows downwards. */
#ifndef FL_PLOTS_DRAWINGS_CANVAS_H
#define FL_PLOTS_DRAWINGS_CANVAS_H

#include "plots/private.h"

typedef struct fl_point {
    double x, y;
} fl_point;

typedef struct fl_pen {
    const char *colour; /* #rrggbb; NULL: none */
    double width;
    bool dashed;
} fl_pen;

typedef enum fl_anchor { FL_ANCHOR_LEFT, FL_ANCHOR_MIDDLE, FL_ANCHOR_RIGHT } fl_anchor;

typedef enum fl_stroke_kind {
    FL_STROKE_LINE,
    FL_STROKE_SHAPE,
    FL_STROKE_CIRCLE,
    FL_STROKE_WORDS
} fl_stroke_kind;

/* One thing drawn. Its points stand in fl_canvas.points, words in fl_canvas.words. */
typedef struct fl_stroke {
    fl_stroke_kind kind;
    fl_pen pen;
    const char *fill;    /* shapes and circles; NULL: none */
    size_t first, count; /* points */
    size_t words;        /* offset */
    fl_anchor anchor;
    double size; /* of words; the radius of a circle, whose point is its middle */
    bool bold;
} fl_stroke;

/* Colours are borrowed. `failed`: memory ran out, and the picture is not whole. */
typedef struct fl_canvas {
    double width, height;
    fl_stroke *strokes;
    size_t stroke_count, stroke_room;
    fl_point *points;
    size_t point_count, point_room;
    fl_text words; /* each ended by 0 */
    bool failed;
} fl_canvas;

void fl_canvas_clear(fl_canvas *canvas);
void fl_canvas_line(fl_canvas *canvas, const fl_point *points, size_t count, fl_pen pen);
void fl_canvas_shape(fl_canvas *canvas, const fl_point *points, size_t count, const char *fill,
                     fl_pen pen);
void fl_canvas_circle(fl_canvas *canvas, fl_point middle, double radius, const char *fill,
                      fl_pen pen);
void fl_canvas_box(fl_canvas *canvas, fl_point middle, double half_width, double half_height,
                   double corner, const char *fill, fl_pen pen);
/* The height of the letters is centred on y. */
void fl_canvas_words(fl_canvas *canvas, fl_point at, fl_anchor anchor, double size, bool bold,
                     const char *colour, const char *words);

/* How wide the words come out, about: of DejaVu Sans. */
double fl_canvas_width(const char *words, double size, bool bold);

void fl_canvas_svg(const fl_canvas *canvas, const char *title, fl_text *out);
/* A script that draws a PNG of `scale` pixels a unit to gnuplot's standard output. */
void fl_canvas_gnuplot(const fl_canvas *canvas, double scale, fl_text *script);

#endif
