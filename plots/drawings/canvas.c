/* A picture as a list of elements, and its rendering by Cairo as SVG, PDF or PNG. */
#include "plots/drawings/canvas.h"

#include <cairo/cairo-pdf.h>
#include <cairo/cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI   3.14159265358979323846
#define FONT "DejaVu Sans"

/* What viewers show: GIMP and browsers decode PNGs up to here without trouble, and a page of PDF
 * has at most 14400 units (PDF Reference 1.7, appendix C.2). */
enum { PNG_PIXELS_MOST = 8000, PDF_POINTS_MOST = 14400 };

const char *const fl_canvas_suffixes[] = {
    [FL_CANVAS_SVG] = ".svg", [FL_CANVAS_PDF] = ".pdf", [FL_CANVAS_PNG] = ".png", NULL};

/* ---- the list ---- */

static void add(fl_canvas *canvas, fl_element element, const fl_point *points, size_t count)
{
    element.first = canvas->points.count;
    element.count = count;
    if (!FL_ARRAY_EXTEND(&canvas->points, count) || !FL_ARRAY_PUSH(&canvas->elements, element))
        canvas->failed = true;
    for (size_t i = 0; i < count && !canvas->failed; i++)
        canvas->points.data[element.first + i] =
            (fl_point){canvas->origin.x + points[i].x, canvas->origin.y + points[i].y};
}

void fl_canvas_clear(fl_canvas *canvas)
{
    FL_ARRAY_CLEAR(&canvas->elements);
    FL_ARRAY_CLEAR(&canvas->points);
    fl_text_clear(&canvas->texts);
    *canvas = (fl_canvas){0};
}

void fl_canvas_line(fl_canvas *canvas, const fl_point *points, size_t count, fl_pen pen)
{
    add(canvas, (fl_element){.kind = FL_ELEMENT_LINE, .pen = pen}, points, count);
}

void fl_canvas_shape(fl_canvas *canvas, const fl_point *points, size_t count, const char *fill,
                     fl_pen pen)
{
    add(canvas, (fl_element){.kind = FL_ELEMENT_SHAPE, .pen = pen, .fill = fill}, points, count);
}

void fl_canvas_circle(fl_canvas *canvas, fl_point centre, double radius, const char *fill,
                      fl_pen pen)
{
    add(canvas, (fl_element){.kind = FL_ELEMENT_CIRCLE, .pen = pen, .fill = fill, .size = radius},
        &centre, 1);
}

void fl_canvas_box(fl_canvas *canvas, fl_point centre, double half_width, double half_height,
                   double corner, const char *fill, fl_pen pen)
{
    add(canvas, (fl_element){.kind = FL_ELEMENT_BOX, .pen = pen, .fill = fill, .size = corner},
        (fl_point[]){{centre.x - half_width, centre.y - half_height},
                     {centre.x + half_width, centre.y + half_height}},
        2);
}

void fl_canvas_text(fl_canvas *canvas, fl_point at, fl_anchor anchor, double size, bool bold,
                    const char *colour, const char *text)
{
    fl_element element = {.kind = FL_ELEMENT_TEXT,
                          .pen = {.colour = colour},
                          .text = canvas->texts.length,
                          .anchor = anchor,
                          .size = size,
                          .bold = bold};
    fl_text_append_bytes(&canvas->texts, text, strlen(text) + 1);
    canvas->failed |= canvas->texts.failed;
    if (!canvas->failed)
        fl_text_make_printable(canvas->texts.data + element.text);
    add(canvas, element, &at, 1);
}

/* ---- fonts ---- */

/* Without hints: letters are as wide in every format and at every scale. */
static void set_font(cairo_t *cr, double size, bool bold)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cr, FONT, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

double fl_canvas_text_width(const char *text, double size, bool bold)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cr = cairo_create(surface);
    double width = 0;
    set_font(cr, size, bold);
    /* One character after the other, so that no copy of a text has to be made to clean it. */
    for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
        char character[5] = "";
        cairo_text_extents_t extents;
        length = fl_text_utf8_length(text, left);
        length = length ? length : 1;
        memcpy(character, text, length);
        fl_text_make_printable(character);
        cairo_text_extents(cr, character, &extents);
        width += extents.x_advance;
    }
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return width;
}

/* ---- rendering ---- */

static void set_colour(cairo_t *cr, const char *colour)
{
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    cairo_set_source_rgb(cr, (double)(rgb >> 16 & 255) / 255, (double)(rgb >> 8 & 255) / 255,
                         (double)(rgb & 255) / 255);
}

static void paint_path(cairo_t *cr, const fl_element *element)
{
    static const double dashes[] = {7, 5};
    if (element->fill) {
        set_colour(cr, element->fill);
        cairo_fill_preserve(cr);
    }
    if (element->pen.colour) {
        set_colour(cr, element->pen.colour);
        cairo_set_line_width(cr, element->pen.width);
        cairo_set_dash(cr, dashes, element->pen.dashed ? 2 : 0, 0);
        cairo_stroke_preserve(cr);
    }
    cairo_new_path(cr);
}

static void trace_points(cairo_t *cr, const fl_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cairo_line_to(cr, points[i].x, points[i].y);
}

static void trace_box(cairo_t *cr, fl_point from, fl_point to, double corner)
{
    const fl_point centres[4] = {{to.x - corner, to.y - corner},
                                 {from.x + corner, to.y - corner},
                                 {from.x + corner, from.y + corner},
                                 {to.x - corner, from.y + corner}};
    for (int i = 0; i < 4; i++)
        cairo_arc(cr, centres[i].x, centres[i].y, corner, i * PI / 2, (i + 1) * PI / 2);
}

static void paint_text(cairo_t *cr, const fl_element *element, fl_point at, const char *text)
{
    cairo_text_extents_t extents;
    set_font(cr, element->size, element->bold);
    set_colour(cr, element->pen.colour);
    cairo_text_extents(cr, text, &extents);
    double before = element->anchor == FL_ANCHOR_LEFT     ? 0
                    : element->anchor == FL_ANCHOR_MIDDLE ? extents.x_advance / 2
                                                          : extents.x_advance;
    /* A capital of DejaVu Sans is 0.729 of the size high. */
    cairo_move_to(cr, at.x - before, at.y + 0.729 / 2 * element->size);
    cairo_show_text(cr, text);
    cairo_new_path(cr);
}

static void paint_element(cairo_t *cr, const fl_canvas *canvas, const fl_element *element)
{
    const fl_point *points = canvas->points.data + element->first;
    if (element->kind == FL_ELEMENT_TEXT) {
        paint_text(cr, element, points[0], canvas->texts.data + element->text);
        return;
    }
    if (element->kind == FL_ELEMENT_CIRCLE)
        cairo_arc(cr, points[0].x, points[0].y, element->size, 0, 2 * PI);
    else if (element->kind == FL_ELEMENT_BOX)
        trace_box(cr, points[0], points[1], element->size);
    else
        trace_points(cr, points, element->count);
    if (element->kind != FL_ELEMENT_LINE)
        cairo_close_path(cr);
    paint_path(cr, element);
}

static cairo_status_t append(void *out, const unsigned char *bytes, unsigned length)
{
    fl_text_append_bytes(out, (const char *)bytes, length);
    return ((fl_text *)out)->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static double scale_of(const fl_canvas *canvas, fl_canvas_format format)
{
    double larger = fmax(canvas->width, canvas->height);
    return format == FL_CANVAS_PNG   ? fmin(2, PNG_PIXELS_MOST / larger)
           : format == FL_CANVAS_PDF ? fmin(0.75, PDF_POINTS_MOST / larger)
                                     : 1;
}

static cairo_surface_t *create_surface(const fl_canvas *canvas, fl_canvas_format format,
                                       const char *title, fl_text *out)
{
    double scale = scale_of(canvas, format), width = canvas->width * scale,
           height = canvas->height * scale;
    cairo_surface_t *surface;
    if (format == FL_CANVAS_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(width),
                                          (int)lround(height));
    if (format == FL_CANVAS_SVG) {
        surface = cairo_svg_surface_create_for_stream(append, out, width, height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        return surface;
    }
    fl_text shown = {0};
    fl_text_append(&shown, "%s", title);
    if (shown.data)
        fl_text_make_printable(shown.data);
    out->failed |= shown.failed;
    surface = cairo_pdf_surface_create_for_stream(append, out, width, height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, shown.data);
    fl_text_clear(&shown);
    /* No date instead of today's. */
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return surface;
}

/* Cairo 1.16 counts the surfaces of the process in the id of an SVG's outermost group. */
static void drop_surface_number(fl_text *svg)
{
    static const char id[] = "id=\"surface";
    char *found = svg->data ? strstr(svg->data, id) : NULL;
    if (!found)
        return;
    char *number = found + sizeof id - 1, *rest = number + strspn(number, "0123456789");
    memmove(number, rest, strlen(rest) + 1);
    svg->length -= (size_t)(rest - number);
}

fl_status fl_canvas_render(const fl_canvas *canvas, fl_canvas_format format, const char *title,
                           fl_text *out, fl_error *error)
{
    fl_text file = {0};
    cairo_surface_t *surface = create_surface(canvas, format, title, &file);
    cairo_t *cr = cairo_create(surface);
    double scale = scale_of(canvas, format);
    cairo_scale(cr, scale, scale);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    for (size_t i = 0; i < canvas->elements.count; i++)
        paint_element(cr, canvas, &canvas->elements.data[i]);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (!status && format == FL_CANVAS_PNG)
        status = cairo_surface_write_to_png_stream(surface, append, &file);
    cairo_surface_finish(surface);
    status = status ? status : cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (format == FL_CANVAS_SVG)
        drop_surface_number(&file);
    fl_text_append_bytes(out, file.data ? file.data : "", file.length);
    bool failed = file.failed || out->failed;
    fl_text_clear(&file);
    if (failed || status == CAIRO_STATUS_NO_MEMORY)
        return fl_fail(error, FL_ERR_MEMORY, "no memory for a picture as %s",
                       fl_canvas_suffixes[format] + 1);
    return status ? fl_fail(error, FL_ERR_IO, "Cairo cannot draw a picture as %s: %s",
                            fl_canvas_suffixes[format] + 1, cairo_status_to_string(status))
                  : FL_OK;
}
