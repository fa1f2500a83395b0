/* Places the vertices where the type of the network places switches, or on a circle. */
#include "plots/drawings/placing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { NEIGHBOUR_DISTANCE = 150, LEAF_DISTANCE = 52, LEAF_SLANT = 40, LEAF_DROP = 34 };

bool fl_place_is_given(const fl_network *network)
{
    double x, y;
    if (!network->type->place)
        return false;
    network->type->place(network, network->type->switch_address(network, 0), &x, &y);
    return !isnan(x);
}

/* Are all links between switches so steep that there is room beside a switch? */
static bool links_climb(const fl_network *network)
{
    return network->levels != NULL;
}

/* Nodes one below the other, so that their labels have room: outside of a circle; on a grid at the
 * lower right, where no link along an axis is, or at the right. */
static void place_leaves(fl_layout *layout, const fl_vertex *home)
{
    uint32_t leaves[FL_DRAWN_VERTICES_MAX], count = fl_place_list_leaves(layout, home, leaves);
    bool on_grid = fl_place_is_given(layout->network);
    double half = (count - 1.0) / 2 * FL_NODE_PITCH, angle = atan2(home->middle.y, home->middle.x);
    double side = on_grid || cos(angle) > -0.01 ? 1 : -1,
           steep = fabs(cos(angle)) < 0.5 ? LEAF_SLANT : 0;
    fl_point middle = {home->middle.x + (LEAF_DISTANCE + home->half_width / 2) * cos(angle) +
                           side * steep,
                       home->middle.y + (LEAF_DISTANCE + half) * sin(angle)};
    if (on_grid)
        middle = (fl_point){home->middle.x + home->half_width + LEAF_SLANT / 2.5,
                            home->middle.y + LEAF_DROP + half};
    if (on_grid && links_climb(layout->network))
        middle = (fl_point){home->middle.x + home->half_width + LEAF_SLANT, home->middle.y};
    for (uint32_t i = 0; i < count; i++) {
        fl_point at = {middle.x, middle.y - half + i * FL_NODE_PITCH};
        fl_place_node(&layout->vertices[leaves[i]], at,
                      side < 0 ? FL_ANCHOR_RIGHT : FL_ANCHOR_LEFT);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* If a part is shown, empty rows (or columns) of the grid become one narrow gap. values: [count]
 * places of the switches along one axis; sorted: room for as many. */
static void close_gaps(double *values, double *sorted, uint32_t count)
{
    uint32_t kept = 0;
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] > sorted[i - 1])
            sorted[kept++] = sorted[i];
    for (uint32_t i = 0; i < count; i++) {
        double place = 0;
        for (uint32_t j = 1; j < kept && sorted[j] <= values[i]; j++)
            place += fmin(sorted[j] - sorted[j - 1], 1.5);
        values[i] = place;
    }
}

/* False: out of memory. */
static bool close_all_gaps(fl_layout *layout)
{
    uint32_t count = 0, all = (uint32_t)layout->switches_shown;
    double *values = malloc((3 * (size_t)all + 1) * sizeof *values);
    if (!values)
        return false;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node) {
            values[count] = layout->vertices[i].middle.x;
            values[all + count++] = layout->vertices[i].middle.y;
        }
    close_gaps(values, values + 2 * (size_t)all, count);
    close_gaps(values + all, values + 2 * (size_t)all, count);
    count = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node) {
            layout->vertices[i].middle = (fl_point){values[count], values[all + count]};
            count++;
        }
    free(values);
    return true;
}

static bool place_on_grid(fl_layout *layout, double step_x, double step_y)
{
    const fl_network *network = layout->network;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node)
            network->type->place(network, layout->vertices[i].at, &layout->vertices[i].middle.x,
                                 &layout->vertices[i].middle.y);
    if (layout->part && !close_all_gaps(layout))
        return false;
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        layout->vertices[i].middle.x *= step_x;
        layout->vertices[i].middle.y *= step_y;
    }
    return true;
}

static void place_on_circle(fl_layout *layout, double radius)
{
    uint64_t placed = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node) {
            double angle = 2 * PI * (double)placed++ / (double)layout->switches_shown - PI / 2;
            layout->vertices[i].middle = (fl_point){radius * cos(angle), radius * sin(angle)};
        }
}

static bool place_switches(fl_layout *layout)
{
    double box_width = fl_place_size_switches(layout, 12, 13),
           leaves = fl_place_most_leaves(layout) * FL_NODE_PITCH;
    if (fl_place_is_given(layout->network))
        return place_on_grid(layout, fmax(NEIGHBOUR_DISTANCE, 2 * box_width),
                             fmax(NEIGHBOUR_DISTANCE, leaves + 84));
    place_on_circle(layout, fmax(150, (double)layout->switches_shown *
                                          fmax(box_width + FL_CIRCLE_GAP, leaves + 24) / (2 * PI)));
    return true;
}

/* A node whose switch is not shown. */
static void place_orphans(fl_layout *layout)
{
    double y = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        fl_vertex *vertex = &layout->vertices[i];
        fl_hop hop;
        if (!vertex->node || (fl_network_step(layout->network, vertex->at, 0, &hop) &&
                              fl_layout_find_vertex(layout, hop.to) != UINT32_MAX))
            continue;
        fl_place_node(vertex, (fl_point){layout->right + 60, layout->top + y}, FL_ANCHOR_LEFT);
        y += FL_NODE_PITCH;
    }
}

bool fl_place_on_grid_or_circle(fl_layout *layout)
{
    if (!place_switches(layout))
        return false;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node)
            place_leaves(layout, &layout->vertices[i]);
    fl_place_find_bounds(layout);
    place_orphans(layout);
    fl_place_find_bounds(layout);
    fl_place_bend_edges(layout);
    return true;
}
