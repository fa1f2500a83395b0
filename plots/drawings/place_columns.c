/* Places the vertices of networks other than trees whose switches have different distances from the
 * nodes: columns are distances. */
#include "plots/drawings/placing.h"

#include <math.h>

#define NO_COLUMN UINT32_MAX

enum { COLUMNS_MAX = FL_COLUMN_TITLES_MAX };

bool fl_place_find_columns(const fl_layout *layout, uint32_t *columns)
{
    uint32_t last = 0, first_switch = NO_COLUMN;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        columns[i] = layout->vertices[i].node ? 0 : NO_COLUMN;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < layout->edge_count; i++) {
            uint32_t a = layout->edges[i].a, b = layout->edges[i].b;
            if (columns[a] != NO_COLUMN && columns[b] > columns[a] + 1)
                columns[b] = columns[a] + 1, changed = true;
            if (columns[b] != NO_COLUMN && columns[a] > columns[b] + 1)
                columns[a] = columns[b] + 1, changed = true;
        }
    }
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        if (columns[i] == NO_COLUMN)
            return false;
        if (layout->vertices[i].node)
            continue;
        first_switch = columns[i] < first_switch ? columns[i] : first_switch;
        last = columns[i] > last ? columns[i] : last;
    }
    return layout->nodes_shown > 0 && last > first_switch && last < COLUMNS_MAX;
}

/* Nodes one below the other at the left of their switch. */
static void stack_leaves(fl_layout *layout, const fl_vertex *home)
{
    uint32_t leaves[FL_DRAWN_VERTICES_MAX], count = fl_place_list_leaves(layout, home, leaves);
    for (uint32_t i = 0; i < count; i++)
        fl_place_node(&layout->vertices[leaves[i]],
                      (fl_point){home->middle.x - home->half_width - FL_LEAVES_GAP,
                                 home->middle.y + (i - (count - 1) / 2.0) * FL_NODE_PITCH},
                      FL_ANCHOR_RIGHT);
}

static void attach_to_sides(fl_layout *layout)
{
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        fl_edge *edge = &layout->edges[i];
        const fl_vertex *a = &layout->vertices[edge->a], *b = &layout->vertices[edge->b];
        double right = b->middle.x - a->middle.x > 1 ? 1 : b->middle.x - a->middle.x < -1 ? -1 : 0;
        edge->from = (fl_point){a->middle.x + (a->node ? 0 : right * a->half_width), a->middle.y};
        edge->to = (fl_point){b->middle.x - (b->node ? 0 : right * b->half_width), b->middle.y};
        if (right != 0)
            continue;
        /* Between switches of one column: round those in between, on the right. */
        edge->from.x += a->half_width;
        edge->to.x += b->half_width;
        double length = b->middle.y - a->middle.y;
        edge->bend = length > 0 ? -fmin(16 + 0.1 * length, 110) : fmin(16 - 0.1 * length, 110);
    }
}

/* Every column is as high as the highest. */
void fl_place_in_columns(fl_layout *layout, const uint32_t *columns)
{
    uint32_t in_column[COLUMNS_MAX] = {0}, placed[COLUMNS_MAX] = {0};
    double box_width = fl_place_size_switches(layout, 14, 15), height = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        in_column[columns[i]]++;
    double pitch = fmax(FL_ROW_PITCH_LEAST, fl_place_most_leaves(layout) * FL_NODE_PITCH + 9.0);
    for (unsigned i = 1; i < COLUMNS_MAX; i++)
        height = fmax(height, in_column[i] * (i == 1 ? pitch : FL_ROW_PITCH_LEAST));
    double gap = fmin(fmax(0.3 * height, FL_COLUMN_GAP_LEAST), FL_COLUMN_GAP_MOST);
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        fl_vertex *vertex = &layout->vertices[i];
        unsigned column = columns[i];
        if (vertex->node)
            continue;
        vertex->middle = (fl_point){column * (box_width + gap),
                                    height * (placed[column]++ + 0.5) / in_column[column]};
    }
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node)
            stack_leaves(layout, &layout->vertices[i]);
    fl_place_find_bounds(layout);
    attach_to_sides(layout);
}
