/* Private to plots: a drawing of a network, composed on a canvas. */
#ifndef FL_PLOTS_DRAWINGS_PAGE_H
#define FL_PLOTS_DRAWINGS_PAGE_H

#include "core/array.h"
#include "plots/drawings/layout.h"

/* Colours that readers with a colour vision deficiency can distinguish (Okabe and Ito, "Color
 * Universal Design", 2008). */
#define FL_INK     "#222222"
#define FL_GREY    "#666666"
#define FL_HEALTHY "#b9b9b9"
#define FL_FAULTY  "#d55e00"
#define FL_PAPER   "#ffffff"

/* What is drawn, and where. */
typedef struct fl_page {
    const fl_drawing *drawing;
    fl_layout *layout;
    fl_canvas *canvas;
    const char **tints;       /* [vertex_count] colours of switches, or NULL */
    uint32_t *uses;           /* [edge_count] how many steps of arrows use this edge */
    FL_ARRAY(fl_point) taken; /* centres of badges and crosses */
} fl_page;

/* Adds the elements of the drawing to an empty canvas and sets its size. The caller clears the
 * canvas, after an error too. Errors are those of fl_drawing_write, without FL_ERR_IO. */
fl_status fl_page_compose(fl_canvas *canvas, const fl_drawing *drawing, fl_error *error);

/* ---- trails.c ---- */

/* FL_ERR_INVALID: a step that does not begin at an end of its link. */
fl_status fl_trails_check(const fl_drawing *drawing, fl_error *error);

/* Fills `tints` and `uses`, which are zeros. */
void fl_trails_count(fl_page *p);

/* Draws what lies under the links. */
void fl_trails_draw_bands(fl_page *p);

/* Draws what lies on the links and under the vertices. */
void fl_trails_draw_lines(fl_page *p);

/* Draws what lies on the vertices: crosses and badges. */
void fl_trails_draw_marks(fl_page *p);

/* Draws the sample of a trail in the legend, a horizontal line from a point. */
void fl_trails_draw_sample(fl_page *p, const fl_trail *trail, fl_point from, double width);

#endif
