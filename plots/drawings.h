/* Drawings of networks. */
#ifndef FL_PLOTS_DRAWINGS_H
#define FL_PLOTS_DRAWINGS_H

#include "plots/charts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Trees are drawn in levels from left to right, a mirrored tree with its other group on the right.
 * For other networks the type places the switches (fl_network_type.place); if it does not, they are
 * in columns by their distance from the nodes, or on a circle if that is the same for all. */

/* One link, in the direction in which it is used. */
typedef struct fl_drawn_step {
    fl_address from;
    fl_link link;
    const char *label; /* a few characters on the link; NULL: none */
} fl_drawn_step;

typedef enum fl_trail_look {
    FL_TRAIL_BAND,    /* a wide pale band behind everything else */
    FL_TRAIL_ARROWS,  /* a line with arrow heads; a switch from which it goes on is tinted */
    FL_TRAIL_CROSSES, /* a cross on each link */
    FL_TRAIL_STOPS    /* the same, filled: where a packet is blocked */
} fl_trail_look;

/* Links that belong together: a path, a cycle of channels. */
typedef struct fl_trail {
    const char *name; /* in the legend; NULL: not there */
    fl_trail_look look;
    const char *colour; /* #rrggbb; NULL: the default of the look */
    size_t count;
    const fl_drawn_step *steps;
} fl_trail;

/* A vertex that is emphasised. */
typedef struct fl_drawn_mark {
    fl_address at;
    const char *word;   /* beside the label of a node; NULL: none */
    const char *colour; /* #rrggbb; NULL: black */
} fl_drawn_mark;

typedef enum fl_extent {
    FL_EXTENT_AUTO, /* the complete network if it is small enough to be read, else a part */
    FL_EXTENT_ALL,  /* the complete network */
    FL_EXTENT_PART  /* vertices that trails, marks and `nearby` name, and the links between them */
} fl_extent;

extern const char *const fl_extent_names[]; /* by extent, ended by NULL */

/* What to draw. All is borrowed. Texts are UTF-8, taken literally; they may be NULL. */
typedef struct fl_drawing {
    const fl_network *network;
    const char *title, *subtitle, *caption;
    const fl_link *faulty; /* dashed */
    uint64_t faulty_count;
    const fl_trail *trails; /* later ones on top of earlier ones of their look */
    size_t trail_count;
    const fl_drawn_mark *marks;
    size_t mark_count;
    const fl_link *nearby; /* links whose ends a part shows too */
    size_t nearby_count;
    fl_extent extent;
} fl_drawing;

enum { FL_DRAWN_VERTICES_MAX = 4096, FL_DRAWN_LINKS_MAX = 32768 };

/* Checks that the name of a file ends in .svg, .pdf or .png, in small or capital letters, and has
 * something before that. FL_ERR_INVALID otherwise. */
fl_status fl_drawing_check_path(const char *path, fl_error *error);

/* Draws the network as SVG, PDF or PNG, by the ending of the path. After an error an older file
 * is unchanged. The caption of the picture lists what is left out.
 * The same drawing gives the same bytes with the same Cairo and fonts.
 *
 * FL_ERR_INVALID: another ending, a step that does not begin at an end of its link, more vertices
 * or links than the limits above, or nothing to show; FL_ERR_MEMORY; FL_ERR_IO: the file cannot be
 * written. */
fl_status fl_drawing_write(const fl_drawing *drawing, const char *path, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
