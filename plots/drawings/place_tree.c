/* Places the vertices of trees: columns are levels, rows are the digits of switches. */
#include "plots/drawings/placing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SKIP_GAP = 26 }; /* between rows that are not neighbours, for the dots */

typedef struct grid {
    fl_layout *layout;
    const fl_tree *tree;
    uint64_t *rows; /* [row_count] digits of the switches of a row, rising */
    double *y;      /* [row_count] */
    uint32_t row_count;
    uint32_t most_leaves; /* nodes beside one switch */
    double x[FL_COLUMN_TITLES_MAX];
    bool used[FL_COLUMN_TITLES_MAX]; /* columns with something in them */
    unsigned columns;
} grid;

static uint64_t row_digits(const fl_tree *tree, fl_address at)
{
    return at & FL_ADDRESS_DIGITS & tree->switch_mask;
}

/* Left to right: nodes, levels 0 to top; in a mirrored tree then levels top to 0 and the nodes of
 * group 1. */
static unsigned column_of(const grid *g, const fl_vertex *vertex)
{
    unsigned column = vertex->node ? 0 : 1 + fl_tree_level(vertex->at);
    return fl_tree_group(vertex->at) ? g->columns - 1 - column : column;
}

static int compare_rows(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t find_row(const grid *g, uint64_t digits)
{
    const uint64_t *found = bsearch(&digits, g->rows, g->row_count, sizeof digits, compare_rows);
    return (uint32_t)(found - g->rows);
}

static void find_rows(grid *g)
{
    const fl_layout *layout = g->layout;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        g->rows[i] = row_digits(g->tree, layout->vertices[i].at);
    qsort(g->rows, layout->vertex_count, sizeof *g->rows, compare_rows);
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (i == 0 || g->rows[i] != g->rows[i - 1])
            g->rows[kept++] = g->rows[i];
    g->row_count = kept;
}

static unsigned leaf_digit(const grid *g, const fl_vertex *node)
{
    return fl_tree_digit(g->tree, node->at, g->tree->n - 1);
}

/* How many of the nodes shown of its switch come before this node, and how many there are. */
static void leaf_place(const grid *g, const fl_vertex *node, uint32_t *before, uint32_t *all)
{
    fl_hop hop, leaf;
    *before = *all = 0;
    fl_network_step(g->layout->network, node->at, 0, &hop);
    for (unsigned port = 0; port < g->tree->k; port++)
        if (fl_network_step(g->layout->network, hop.to, (fl_port)port, &leaf) &&
            fl_address_is_node(leaf.to) &&
            fl_layout_find_vertex(g->layout, leaf.to) != UINT32_MAX) {
            *before += port < leaf_digit(g, node);
            ++*all;
        }
}

static void find_most_leaves(grid *g)
{
    for (uint32_t i = 0; i < g->layout->vertex_count; i++) {
        uint32_t before, all;
        if (!g->layout->vertices[i].node)
            continue;
        leaf_place(g, &g->layout->vertices[i], &before, &all);
        g->most_leaves = all > g->most_leaves ? all : g->most_leaves;
    }
}

static uint64_t number_of(const fl_tree *tree, uint64_t digits)
{
    uint64_t number = 0;
    for (unsigned place = tree->n - 1; place-- > 0;)
        number = number * tree->k + fl_tree_digit(tree, digits, place);
    return number;
}

/* Rows apart, with dots between those that are not neighbours. */
static void place_rows(grid *g, double pitch)
{
    double y = 0;
    for (uint32_t row = 0; row < g->row_count; row++) {
        uint64_t number = number_of(g->tree, g->rows[row]),
                 before = row ? number_of(g->tree, g->rows[row - 1]) : 0;
        bool skips = row ? number > before + 1 : number > 0;
        y += row ? pitch + (skips ? SKIP_GAP : 0) : 0;
        g->y[row] = y;
    }
}

/* How far links between this column and the next one climb. */
static double steepest(const grid *g, unsigned column)
{
    const fl_layout *layout = g->layout;
    double most = 0;
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        const fl_vertex *a = &layout->vertices[layout->edges[i].a],
                        *b = &layout->vertices[layout->edges[i].b];
        unsigned one = column_of(g, a), other = column_of(g, b);
        if ((one < other ? one : other) == column)
            most = fmax(most, fabs(g->y[find_row(g, row_digits(g->tree, a->at))] -
                                   g->y[find_row(g, row_digits(g->tree, b->at))]));
    }
    return most;
}

/* Steeper links get more room, so that they can be distinguished. */
static void place_columns(grid *g, double box_width)
{
    double x = 0;
    for (unsigned column = 0; column < g->columns; column++) {
        bool last_leaves = g->tree->mirrored && column == g->columns - 1;
        if (column > 0 && (column == 1 || last_leaves))
            x += FL_LEAVES_GAP + box_width / 2;
        else if (column > 0)
            x +=
                fmin(fmax(0.7 * steepest(g, column - 1), FL_COLUMN_GAP_LEAST), FL_COLUMN_GAP_MOST) +
                box_width;
        g->x[column] = x;
    }
}

static void title_columns(grid *g)
{
    fl_layout *layout = g->layout;
    const bool *used = g->used;
    for (unsigned column = 0; column < g->columns; column++) {
        unsigned mirror =
            g->tree->mirrored && column >= g->columns / 2 ? g->columns - 1 - column : column;
        fl_column_title *column_title = &layout->column_titles[layout->column_title_count];
        if (!used[column])
            continue;
        if (mirror == 0)
            snprintf(column_title->words, sizeof column_title->words, "nodes");
        else
            snprintf(column_title->words, sizeof column_title->words, "level %u", mirror - 1);
        column_title->middle = (fl_point){g->x[column], layout->top - 20};
        layout->column_title_count++;
    }
    for (unsigned group = 0; g->tree->mirrored && group < 2; group++) {
        unsigned first = group ? g->columns / 2 : 0,
                 last = group ? g->columns - 1 : g->columns / 2 - 1;
        while (first < last && !used[first])
            first++;
        while (last > first && !used[last])
            last--;
        if (!used[first])
            continue;
        fl_column_title *column_title = &layout->column_titles[layout->column_title_count++];
        snprintf(column_title->words, sizeof column_title->words, "group %u", group);
        column_title->middle = (fl_point){(g->x[first] + g->x[last]) / 2, layout->top - 44};
        column_title->large = true;
    }
}

/* Three dots in every column of switches where rows are left out. */
static bool place_dots(grid *g, double pitch)
{
    fl_layout *layout = g->layout;
    if (!layout->part)
        return true;
    uint64_t last = 1;
    for (unsigned place = 0; place + 1 < g->tree->n; place++)
        last *= g->tree->k;
    layout->dots = malloc(((size_t)g->row_count + 1) * g->columns * sizeof *layout->dots);
    for (uint32_t row = 0; row <= g->row_count && layout->dots; row++) {
        uint64_t number = row < g->row_count ? number_of(g->tree, g->rows[row]) : last;
        uint64_t expected = row ? number_of(g->tree, g->rows[row - 1]) + 1 : 0;
        double y = row == 0              ? g->y[0] - pitch * 0.75
                   : row == g->row_count ? g->y[row - 1] + pitch * 0.75
                                         : (g->y[row - 1] + g->y[row]) / 2;
        for (unsigned column = 1; column < g->columns && number > expected; column++)
            if (g->used[column] && (!g->tree->mirrored || column < g->columns - 1))
                layout->dots[layout->dot_count++] = (fl_point){g->x[column], y};
    }
    return layout->dots != NULL;
}

/* A switch has its ports at its sides: those towards the nodes at the side of its nodes. */
static fl_point port_place(const grid *g, const fl_vertex *vertex, fl_port port)
{
    if (vertex->node)
        return vertex->middle;
    unsigned k = g->tree->k, slot = port % k;
    bool right = (port >= k) != (fl_tree_group(vertex->at) == 1);
    double step = k > 1 ? fmin(9, 2 * (vertex->half_height - 5) / (k - 1)) : 0;
    return (fl_point){vertex->middle.x + (right ? vertex->half_width : -vertex->half_width),
                      vertex->middle.y + (slot - (k - 1) / 2.0) * step};
}

static void attach_to_ports(grid *g)
{
    const fl_network *network = g->layout->network;
    for (uint32_t i = 0; i < g->layout->edge_count; i++) {
        fl_edge *edge = &g->layout->edges[i];
        fl_link_ends ends;
        network->type->link_ends(network, edge->link, &ends);
        edge->from = port_place(g, &g->layout->vertices[edge->a], ends.port_a);
        edge->to = port_place(g, &g->layout->vertices[edge->b], ends.port_b);
    }
}

static void place_vertices(grid *g)
{
    for (uint32_t i = 0; i < g->layout->vertex_count; i++) {
        fl_vertex *vertex = &g->layout->vertices[i];
        vertex->middle = (fl_point){g->x[column_of(g, vertex)],
                                    g->y[find_row(g, row_digits(g->tree, vertex->at))]};
        if (vertex->node) {
            uint32_t before, all;
            leaf_place(g, vertex, &before, &all);
            vertex->middle.y += (before - (all - 1) / 2.0) * FL_NODE_PITCH;
            fl_place_node(vertex, vertex->middle,
                          fl_tree_group(vertex->at) ? FL_ANCHOR_LEFT : FL_ANCHOR_RIGHT);
        }
    }
}

bool fl_place_tree(fl_layout *layout)
{
    grid g = {.layout = layout, .tree = layout->network->tree};
    g.columns = (g.tree->top + 2) * g.tree->groups;
    g.rows = malloc(layout->vertex_count * sizeof *g.rows);
    g.y = malloc(layout->vertex_count * sizeof *g.y);
    bool good = g.rows && g.y;
    if (good) {
        find_rows(&g);
        find_most_leaves(&g);
        for (uint32_t i = 0; i < layout->vertex_count; i++)
            g.used[column_of(&g, &layout->vertices[i])] = true;
        double pitch = fmax(FL_ROW_PITCH_LEAST, g.most_leaves * FL_NODE_PITCH + 9.0),
               box_width =
                   fl_place_size_switches(layout, 14, fmin(pitch / 2 - 6, 9 + 4.5 * g.tree->k));
        place_rows(&g, pitch);
        place_columns(&g, box_width);
        place_vertices(&g);
        attach_to_ports(&g);
        good = place_dots(&g, pitch);
        fl_place_find_bounds(layout);
        for (uint32_t i = 0; i < layout->dot_count; i++) {
            layout->top = fmin(layout->top, layout->dots[i].y - 12);
            layout->bottom = fmax(layout->bottom, layout->dots[i].y + 12);
        }
        title_columns(&g);
    }
    free(g.rows);
    free(g.y);
    return good;
}
