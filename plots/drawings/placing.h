/* Private to plots: how the vertices of a layout are placed. Each function fl_place_* that does
 * sets the places of all vertices shown, the ends and bends of all edges, and the bounds. A
 * function that returns a bool returns false if memory ran out. */
#ifndef FL_PLOTS_DRAWINGS_PLACING_H
#define FL_PLOTS_DRAWINGS_PLACING_H

#include "plots/drawings/layout.h"

/* Sizes in pixels. */
enum {
    FL_NODE_RADIUS = 4,
    FL_NODE_PITCH = 17, /* from a node to the one below it */
    FL_ROW_PITCH_LEAST = 46,
    FL_LEAVES_GAP = 96, /* between a switch and the column of its nodes */
    FL_COLUMN_GAP_LEAST = 170,
    FL_COLUMN_GAP_MOST = 480,
    FL_CIRCLE_GAP = 74
};

/* ---- place_tree.c ---- */

/* Trees: columns are levels, rows are the digits of switches. A mirrored tree has its other group
 * on the right. */
bool fl_place_tree(fl_layout *layout);

/* ---- place_columns.c ---- */

/* Fills columns[vertex_count] with the distances from the nodes shown, over the edges shown; false
 * if those of all switches are equal, or some are unknown. */
bool fl_place_find_columns(const fl_layout *layout, uint32_t *columns);

/* Switches in columns by these distances, their nodes at the left of them. */
void fl_place_in_columns(fl_layout *layout, const uint32_t *columns);

/* ---- place_grid.c ---- */

/* Does the type of the network place its switches? */
bool fl_place_is_given(const fl_network *network);

/* Switches where the type of the network places them, or else on a circle. */
bool fl_place_on_grid_or_circle(fl_layout *layout);

/* ---- place_components.c ---- */

/* Fills components[vertex_count] with the number of each switch's component of the network without
 * its nodes, from 0, and UINT32_MAX for nodes; returns how many components there are. */
uint32_t fl_place_find_components(const fl_layout *layout, uint32_t *components);

/* Nodes on the left, the components on circles one below the other: for nodes with ports to several
 * of them. */
void fl_place_components(fl_layout *layout, const uint32_t *components, uint32_t count);

/* ---- bends.c ---- */

/* Joins the centres of vertices by edges and bends those that would run over a vertex, over the
 * label of a node, or over another edge between the same two. Widens the bounds by them. */
void fl_place_bend_edges(fl_layout *layout);

/* ---- leaves.c: nodes beside their switch ---- */

/* Lists the nodes shown of a switch, in the order of its ports; returns how many there are.
 * leaves: room for FL_DRAWN_VERTICES_MAX. */
uint32_t fl_place_list_leaves(const fl_layout *layout, const fl_vertex *home, uint32_t *leaves);

/* The largest number of nodes shown beside one switch. */
uint32_t fl_place_most_leaves(const fl_layout *layout);

/* Places a node; the anchor is the point of its label that is next to it. */
void fl_place_node(fl_vertex *node, fl_point at, fl_anchor label_side);

/* Sets the size of every switch to that of the widest label; returns the width. */
double fl_place_size_switches(fl_layout *layout, double margin, double half_height);

/* Sets the bounds to those of the vertices. */
void fl_place_find_bounds(fl_layout *layout);

#endif
