/* Bends the links that would run over something else. */
#include "plots/drawings/placing.h"

#include <limits.h>
#include <math.h>

enum { BENT_VERTICES_MAX = 1024 }; /* above, links stay straight: bending takes too long */

/* What a drawing loses when a edge runs over something else. */
enum { OVER_LABEL = 1, OVER_VERTEX = 8 };

/* Is this point, seen from the middle of a node, on the label beside its circle? */
static bool on_label(const fl_vertex *node, double x, double y)
{
    double out = node->label_side == FL_ANCHOR_LEFT ? x : -x;
    return y < FL_NODE_LETTERS / 2.0 && out > 0 && out < node->label_width + FL_NODE_RADIUS;
}

static int loss_at(const fl_layout *layout, const fl_edge *edge, uint32_t s, const fl_point *sample,
                   unsigned count)
{
    const fl_vertex *vertex = &layout->vertices[s];
    int most = 0;
    for (unsigned i = 0; i < count && most < OVER_VERTEX; i++) {
        double x = sample[i].x - vertex->middle.x, y = fabs(sample[i].y - vertex->middle.y);
        if (s != edge->a && s != edge->b && fabs(x) < vertex->half_width + 3 &&
            y < vertex->half_height + 3)
            most = OVER_VERTEX;
        else if (most < OVER_LABEL && vertex->node && on_label(vertex, x, y))
            most = OVER_LABEL;
    }
    return most;
}

/* What the course of a edge runs over, of all vertices that are not its ends. */
static int loss_of(const fl_layout *layout, const fl_edge *edge)
{
    enum { PARTS = 64 };
    fl_point course[FL_COURSE_POINTS], sample[PARTS - 1];
    unsigned pieces = fl_layout_course(edge, false, course) - 1;
    double top = INFINITY, bottom = -INFINITY;
    int loss = 0;
    for (unsigned i = 1; i < PARTS; i++) {
        double at = (double)i * pieces / PARTS;
        unsigned piece = (unsigned)at;
        const fl_point *from = &course[piece], *to = &course[piece + 1];
        sample[i - 1] = (fl_point){from->x + (at - piece) * (to->x - from->x),
                                   from->y + (at - piece) * (to->y - from->y)};
        top = fmin(top, sample[i - 1].y);
        bottom = fmax(bottom, sample[i - 1].y);
    }
    for (uint32_t s = 0; s < layout->vertex_count; s++) {
        double reach = layout->vertices[s].half_height + FL_NODE_LETTERS;
        if (layout->vertices[s].middle.y > top - reach &&
            layout->vertices[s].middle.y < bottom + reach)
            loss += loss_at(layout, edge, s, sample, PARTS - 1);
    }
    return loss;
}

/* Links that would run over a vertex or its label, or over another link between the same two, go
 * round, on the side that is best. */
static void bend_edge(fl_layout *layout, uint32_t number)
{
    static const double tries[] = {0,   1,    -1,  0.6,  -0.6, 1.4, -1.4, 0.8,  -0.8, 1.2, -1.2,
                                   0.4, -0.4, 1.7, -1.7, 2,    -2,  2.4,  -2.4, 2.8,  -2.8};
    fl_edge *edge = &layout->edges[number];
    unsigned twins = 0;
    for (uint32_t other = 0; other < number; other++)
        twins += (layout->edges[other].a == edge->a && layout->edges[other].b == edge->b) ||
                 (layout->edges[other].a == edge->b && layout->edges[other].b == edge->a);
    double length = hypot(edge->to.x - edge->from.x, edge->to.y - edge->from.y),
           step = fmin(0.14 * length + 14, 60);
    double apart = layout->vertices[edge->a].node ? 9 : 16,
           aside = (twins % 2 ? apart : -apart) * ((twins + 1) / 2), best = aside;
    int least = INT_MAX;
    for (size_t i = 0; i < sizeof tries / sizeof *tries && least > 0; i++) {
        edge->bend = aside + tries[i] * step;
        int loss = loss_of(layout, edge);
        best = loss < least ? edge->bend : best;
        least = loss < least ? loss : least;
    }
    edge->bend = best;
}

static void widen_for_edges(fl_layout *layout)
{
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        fl_point points[FL_COURSE_POINTS];
        unsigned count = fl_layout_course(&layout->edges[i], false, points);
        for (unsigned p = 0; p < count; p++) {
            layout->left = fmin(layout->left, points[p].x);
            layout->right = fmax(layout->right, points[p].x);
            layout->top = fmin(layout->top, points[p].y);
            layout->bottom = fmax(layout->bottom, points[p].y);
        }
    }
}

void fl_place_bend_edges(fl_layout *layout)
{
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        layout->edges[i].from = layout->vertices[layout->edges[i].a].middle;
        layout->edges[i].to = layout->vertices[layout->edges[i].b].middle;
        bool node_link = layout->vertices[layout->edges[i].a].node;
        if (layout->vertex_count <= BENT_VERTICES_MAX &&
            (!node_link || layout->network->node_ports > 1))
            bend_edge(layout, i);
    }
    widen_for_edges(layout);
}
