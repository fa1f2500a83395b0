/* Places the vertices of networks whose nodes join several components: nodes on the left, the
 * components one below the other. */
#include "plots/drawings/placing.h"

#include <math.h>

#define PI 3.14159265358979323846

uint32_t fl_place_find_components(const fl_layout *layout, uint32_t *components)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        components[i] = layout->vertices[i].node ? UINT32_MAX : i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t w = 0; w < layout->edge_count; w++) {
            uint32_t a = layout->edges[w].a, b = layout->edges[w].b;
            if (layout->vertices[a].node || layout->vertices[b].node ||
                components[a] == components[b])
                continue;
            components[a] = components[b] =
                components[a] < components[b] ? components[a] : components[b];
            changed = true;
        }
    }
    for (uint32_t i = 0; i < layout->vertex_count;
         i++) /* the lowest vertex of a component comes first and has its number */
        components[i] = components[i] == UINT32_MAX ? UINT32_MAX
                        : components[i] == i        ? count++
                                                    : components[components[i]];
    return count;
}

static uint32_t count_switches(const fl_layout *layout, const uint32_t *components, uint32_t of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        count += components[i] == of;
    return count;
}

/* The switches of a component on a circle below `top`; returns where it ends. */
static double place_component(fl_layout *layout, const uint32_t *components, uint32_t of,
                              double box_width, double top)
{
    uint32_t count = count_switches(layout, components, of), placed = 0;
    double radius = count == 1 ? 0 : fmax(46, count * (box_width + FL_CIRCLE_GAP / 2.0) / (2 * PI));
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        fl_vertex *vertex = &layout->vertices[i];
        if (components[i] != of)
            continue;
        double angle = 2 * PI * placed++ / count - PI / 2;
        vertex->middle = (fl_point){radius * cos(angle), top + 13 + radius + radius * sin(angle)};
    }
    return top + 2 * radius + 26;
}

void fl_place_components(fl_layout *layout, const uint32_t *components, uint32_t count)
{
    double box_width = fl_place_size_switches(layout, 12, 13), bottom = 0;
    uint64_t placed = 0, nodes = layout->nodes_shown;
    for (uint32_t of = 0; of < count; of++)
        bottom =
            place_component(layout, components, of, box_width, bottom + (of ? FL_CIRCLE_GAP : 0));
    fl_place_find_bounds(layout);
    double left = -layout->right - fmin(fmax(0.45 * bottom, 240), 620);
    double pitch = fmin(fmax(FL_NODE_PITCH, bottom / (double)(nodes ? nodes : 1)), 48);
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        fl_vertex *vertex = &layout->vertices[i];
        if (!vertex->node)
            continue;
        double y = bottom / 2 + ((double)placed++ - ((double)nodes - 1) / 2) * pitch;
        fl_place_node(vertex, (fl_point){left, y}, FL_ANCHOR_RIGHT);
    }
    fl_place_find_bounds(layout);
    fl_place_bend_edges(layout);
}
