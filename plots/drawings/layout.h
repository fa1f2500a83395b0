/* Private to plots: which vertices and links of a network a drawing shows, and where they stand. */
#ifndef FL_PLOTS_DRAWINGS_LAYOUT_H
#define FL_PLOTS_DRAWINGS_LAYOUT_H

#include "plots/drawings.h"
#include "plots/drawings/canvas.h"

enum { FL_VERTEX_LABEL_MAX = 48, FL_SWITCH_LETTERS = 13, FL_NODE_LETTERS = 12 };

/* A vertex. */
typedef struct fl_vertex {
    fl_address at;
    bool node;
    fl_point middle;
    double half_width, half_height; /* of a switch's box; of a node's circle the radius */
    fl_anchor
        label_side; /* nodes: where the circle stands seen from the label; switches: the middle */
    char label[FL_VERTEX_LABEL_MAX];
    double label_width; /* of a switch in bold type */
} fl_vertex;

/* A link between two vertices shown. */
typedef struct fl_edge {
    fl_link link;
    uint32_t a, b; /* numbers of vertices */
    bool faulty;
    fl_point from, to; /* where it meets them */
    double bend;       /* how far its middle is moved aside, to the right seen from a */
} fl_edge;

typedef struct fl_column_title {
    fl_point middle;
    char words[32];
    bool large;
} fl_column_title;

enum { FL_COLUMN_TITLES_MAX = 96 };

typedef struct fl_layout {
    const fl_network *network;
    fl_vertex *vertices; /* by rising address */
    uint32_t vertex_count;
    fl_edge *edges; /* by rising link */
    uint32_t edge_count;
    fl_column_title column_titles[FL_COLUMN_TITLES_MAX];
    uint32_t column_title_count;
    fl_point *dots; /* where rows of a tree are left out */
    uint32_t dot_count;
    double left, top, right, bottom; /* the bounds, labels of nodes not included */
    bool part;                       /* something is left out */
    uint64_t nodes_shown, switches_shown, faulty_shown;
} fl_layout;

/* Chooses what the drawing shows and places it. The caller destroys the layout. FL_ERR_INVALID:
 * more vertices or links than a drawing has room for, or nothing to show; FL_ERR_MEMORY. */
fl_status fl_layout_create(fl_layout **out, const fl_drawing *drawing, fl_error *error);

/* NULL is allowed. */
void fl_layout_destroy(fl_layout *layout);

/* The first half of fl_layout_create: vertices, edges and numbers of a layout of zeros, without
 * places. */
fl_status fl_layout_choose(fl_layout *layout, const fl_drawing *drawing, fl_error *error);

/* The number of the vertex with this address; UINT32_MAX: not shown. */
uint32_t fl_layout_find_vertex(const fl_layout *layout, fl_address at);

/* The number of the edge of this link; UINT32_MAX: not shown. */
uint32_t fl_layout_find_edge(const fl_layout *layout, fl_link link);

/* The course of an edge, from a to b, or from b to a if `back`: at most FL_COURSE_POINTS points;
 * returns how many. */
enum { FL_COURSE_POINTS = 17 };
unsigned fl_layout_course(const fl_edge *edge, bool back, fl_point *points);

#endif
