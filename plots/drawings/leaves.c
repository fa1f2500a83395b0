/* What the files place_*.c share: sizes, bounds, and the nodes of a switch. */
#include "plots/drawings/placing.h"

#include <math.h>

uint32_t fl_place_list_leaves(const fl_layout *layout, const fl_vertex *home, uint32_t *leaves)
{
    const fl_network *network = layout->network;
    uint32_t count = 0;
    for (unsigned port = 0; port < network->radix && count < FL_DRAWN_VERTICES_MAX; port++) {
        fl_hop hop;
        if (!fl_network_step(network, home->at, (fl_port)port, &hop) || !fl_address_is_node(hop.to))
            continue;
        uint32_t leaf = fl_layout_find_vertex(layout, hop.to);
        if (leaf != UINT32_MAX)
            leaves[count++] = leaf;
    }
    return count;
}

uint32_t fl_place_most_leaves(const fl_layout *layout)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < layout->vertex_count; s++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < layout->edge_count && !layout->vertices[s].node; i++)
            count += layout->edges[i].b == s && layout->vertices[layout->edges[i].a].node;
        most = count > most ? count : most;
    }
    return most;
}

void fl_place_node(fl_vertex *node, fl_point at, fl_anchor label_side)
{
    node->middle = at;
    node->half_width = node->half_height = FL_NODE_RADIUS;
    node->label_side = label_side;
}

double fl_place_size_switches(fl_layout *layout, double margin, double half_height)
{
    double widest = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node)
            widest = fmax(widest, layout->vertices[i].label_width);
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        fl_vertex *vertex = &layout->vertices[i];
        if (vertex->node)
            continue;
        vertex->half_width = (widest + margin) / 2;
        vertex->half_height = half_height;
        vertex->label_side = FL_ANCHOR_MIDDLE;
    }
    return widest + margin;
}

void fl_place_find_bounds(fl_layout *layout)
{
    layout->left = layout->top = INFINITY;
    layout->right = layout->bottom = -INFINITY;
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        const fl_vertex *vertex = &layout->vertices[i];
        layout->left = fmin(layout->left, vertex->middle.x - vertex->half_width);
        layout->right = fmax(layout->right, vertex->middle.x + vertex->half_width);
        layout->top = fmin(layout->top, vertex->middle.y - vertex->half_height);
        layout->bottom = fmax(layout->bottom, vertex->middle.y + vertex->half_height);
    }
}
