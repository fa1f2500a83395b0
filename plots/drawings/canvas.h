/* Private to plots: a picture as a list of lines, shapes and texts, and its rendering by Cairo.
 * Lengths are pixels; y grows downwards. Colours are #rrggbb and borrowed. */
#ifndef FL_PLOTS_DRAWINGS_CANVAS_H
#define FL_PLOTS_DRAWINGS_CANVAS_H

#include "core/array.h"
#include "core/core.h"

typedef struct fl_point {
    double x, y;
} fl_point;

typedef struct fl_pen {
    const char *colour; /* NULL: draws nothing */
    double width;
    bool dashed;
} fl_pen;

/* Which point of a text stands at its place. */
typedef enum fl_anchor { FL_ANCHOR_LEFT, FL_ANCHOR_MIDDLE, FL_ANCHOR_RIGHT } fl_anchor;

typedef enum fl_element_kind {
    FL_ELEMENT_LINE,
    FL_ELEMENT_SHAPE,
    FL_ELEMENT_BOX,
    FL_ELEMENT_CIRCLE,
    FL_ELEMENT_TEXT
} fl_element_kind;

/* One thing drawn. Its points are in fl_canvas.points: of a circle the centre, of a box two
 * corners, of a text its place. */
typedef struct fl_element {
    fl_element_kind kind;
    fl_pen pen;
    const char *fill; /* of shapes, boxes and circles; NULL: none */
    size_t first, count;
    size_t text; /* its offset in fl_canvas.texts */
    fl_anchor anchor;
    double size; /* of a text's letters; the radius of a circle or of a box's corners */
    bool bold;
} fl_element;

typedef struct fl_canvas {
    double width, height;
    fl_point origin;               /* added to the points of elements that are added */
    FL_ARRAY(fl_element) elements; /* later ones lie on top */
    FL_ARRAY(fl_point) points;
    fl_text texts; /* each ended by 0 */
    bool failed;   /* memory ran out: elements are missing */
} fl_canvas;

/* What a canvas can be written as; fl_canvas_suffixes has the file names' endings. */
typedef enum fl_canvas_format { FL_CANVAS_SVG, FL_CANVAS_PDF, FL_CANVAS_PNG } fl_canvas_format;

/* ".svg" and so on, by format, ended by NULL. */
extern const char *const fl_canvas_suffixes[];

/* Frees the lists. A canvas of zeros is empty. */
void fl_canvas_clear(fl_canvas *canvas);

/* Adds a line through the points, open at its ends. */
void fl_canvas_line(fl_canvas *canvas, const fl_point *points, size_t count, fl_pen pen);

/* Adds a polygon. */
void fl_canvas_shape(fl_canvas *canvas, const fl_point *points, size_t count, const char *fill,
                     fl_pen pen);

/* Adds a circle. */
void fl_canvas_circle(fl_canvas *canvas, fl_point centre, double radius, const char *fill,
                      fl_pen pen);

/* Adds a rectangle with round corners of the radius `corner`. */
void fl_canvas_box(fl_canvas *canvas, fl_point centre, double half_width, double half_height,
                   double corner, const char *fill, fl_pen pen);

/* Adds one line of text, its capitals centred on at.y. Control characters and what is not UTF-8
 * become '?'. */
void fl_canvas_text(fl_canvas *canvas, fl_point at, fl_anchor anchor, double size, bool bold,
                    const char *colour, const char *text);

/* How wide fl_canvas_text draws the text. */
double fl_canvas_text_width(const char *text, double size, bool bold);

/* Appends the picture as a file of the format. SVG: one unit a pixel; PDF: 0.75 points a pixel;
 * PNG: two pixels a pixel; large pictures are scaled down to what readers of the format can show.
 * The title goes into the metadata of a PDF. The same canvas gives the same bytes with the same
 * Cairo and fonts: there is no date and no process-wide number in them. FL_ERR_MEMORY; FL_ERR_IO:
 * Cairo failed, with its reason. */
fl_status fl_canvas_render(const fl_canvas *canvas, fl_canvas_format format, const char *title,
                           fl_text *out, fl_error *error);

#endif
