/* Private to plots: a drawing of a network, composed on a canvas. */
#ifndef FL_PLOTS_DRAWINGS_PAGE_H
#define FL_PLOTS_DRAWINGS_PAGE_H

#include "plots/drawings.h"
#include "plots/drawings/canvas.h"

/* Adds the elements of the drawing to an empty canvas and sets its size. The caller clears the
 * canvas, after an error too. Errors are those of fl_drawing_write, without FL_ERR_IO. */
fl_status fl_page_compose(fl_canvas *canvas, const fl_drawing *drawing, fl_error *error);

#endif
