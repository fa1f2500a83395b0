#include "plots/drawings/layout.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- sizes, in pixels ---- */

enum {
    NODE_RADIUS = 4,
    NODE_PITCH = 17,
    ROW_PITCH_LEAST = 46,
    LEAVES_GAP = 96,
    SKIP_GAP = 26,
    LEVELS_GAP_LEAST = 170,
    LEVELS_GAP_MOST = 480
};

static void widen_bounds(fl_layout *layout)
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

static double widest_label(const fl_layout *layout)
{
    double widest = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node)
            widest = fmax(widest, layout->vertices[i].label_width);
    return widest;
}

/* ---- trees: columns are levels, rows are the digits of switches ---- */

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

/* Of this node among those shown of its switch: how many come before it, and how many there are. */
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

/* Steeper links get more room, so that they can be told apart. */
static void place_columns(grid *g, double box_width)
{
    double x = 0;
    for (unsigned column = 0; column < g->columns; column++) {
        bool last_leaves = g->tree->mirrored && column == g->columns - 1;
        if (column > 0 && (column == 1 || last_leaves))
            x += LEAVES_GAP + box_width / 2;
        else if (column > 0)
            x += fmin(fmax(0.7 * steepest(g, column - 1), LEVELS_GAP_LEAST), LEVELS_GAP_MOST) +
                 box_width;
        g->x[column] = x;
    }
}

static void head_columns(grid *g)
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

static void place_vertices(grid *g, double box_width, double pitch)
{
    for (uint32_t i = 0; i < g->layout->vertex_count; i++) {
        fl_vertex *vertex = &g->layout->vertices[i];
        vertex->middle = (fl_point){g->x[column_of(g, vertex)],
                                    g->y[find_row(g, row_digits(g->tree, vertex->at))]};
        vertex->half_width = vertex->node ? NODE_RADIUS : box_width / 2;
        vertex->half_height =
            vertex->node ? NODE_RADIUS : fmin(pitch / 2 - 6, 9 + 4.5 * g->tree->k);
        vertex->label_side = !vertex->node               ? FL_ANCHOR_MIDDLE
                             : fl_tree_group(vertex->at) ? FL_ANCHOR_LEFT
                                                         : FL_ANCHOR_RIGHT;
        if (vertex->node) {
            uint32_t before, all;
            leaf_place(g, vertex, &before, &all);
            vertex->middle.y += (before - (all - 1) / 2.0) * NODE_PITCH;
        }
    }
}

static bool place_tree(fl_layout *layout)
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
        double box_width = widest_label(layout) + 14,
               pitch = fmax(ROW_PITCH_LEAST, g.most_leaves * NODE_PITCH + 9.0);
        place_rows(&g, pitch);
        place_columns(&g, box_width);
        place_vertices(&g, box_width, pitch);
        attach_to_ports(&g);
        good = place_dots(&g, pitch);
        widen_bounds(layout);
        for (uint32_t i = 0; i < layout->dot_count; i++) {
            layout->top = fmin(layout->top, layout->dots[i].y - 12);
            layout->bottom = fmax(layout->bottom, layout->dots[i].y + 12);
        }
        head_columns(&g);
    }
    free(g.rows);
    free(g.y);
    return good;
}

/* ---- other networks whose switches have different distances from the nodes: columns are distances
 * ---- */

#define NO_LAYER UINT32_MAX

enum { LAYERS_MAX = FL_COLUMN_TITLES_MAX };

/* Distances from the nodes shown, over the links shown; false when all switches have the same. */
static bool find_layers(const fl_layout *layout, uint32_t *layer)
{
    uint32_t last = 0, first_switch = NO_LAYER;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        layer[i] = layout->vertices[i].node ? 0 : NO_LAYER;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < layout->edge_count; i++) {
            uint32_t a = layout->edges[i].a, b = layout->edges[i].b;
            if (layer[a] != NO_LAYER && layer[b] > layer[a] + 1)
                layer[b] = layer[a] + 1, changed = true;
            if (layer[b] != NO_LAYER && layer[a] > layer[b] + 1)
                layer[a] = layer[b] + 1, changed = true;
        }
    }
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        if (layer[i] == NO_LAYER)
            return false;
        if (layout->vertices[i].node)
            continue;
        first_switch = layer[i] < first_switch ? layer[i] : first_switch;
        last = layer[i] > last ? layer[i] : last;
    }
    return layout->nodes_shown > 0 && last > first_switch && last < LAYERS_MAX;
}

/* Nodes one below the other at the left of their switch. */
static void stack_leaves(fl_layout *layout, const fl_vertex *home)
{
    uint32_t count = 0, placed = 0;
    for (int pass = 0; pass < 2; pass++)
        for (unsigned port = 0; port < layout->network->radix; port++) {
            fl_hop hop;
            uint32_t found = fl_network_step(layout->network, home->at, (fl_port)port, &hop) &&
                                     fl_address_is_node(hop.to)
                                 ? fl_layout_find_vertex(layout, hop.to)
                                 : UINT32_MAX;
            if (found == UINT32_MAX || pass == 0) {
                count += found != UINT32_MAX;
                continue;
            }
            fl_vertex *leaf = &layout->vertices[found];
            leaf->middle = (fl_point){home->middle.x - home->half_width - LEAVES_GAP,
                                      home->middle.y + (placed++ - (count - 1) / 2.0) * NODE_PITCH};
            leaf->half_width = leaf->half_height = NODE_RADIUS;
            leaf->label_side = FL_ANCHOR_RIGHT;
        }
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

/* Nodes shown beside one switch, at most. */
static uint32_t most_leaves_of(const fl_layout *layout)
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

/* Every column is as high as the highest. */
static void place_layers(fl_layout *layout, const uint32_t *layer)
{
    uint32_t in_layer[LAYERS_MAX] = {0}, placed[LAYERS_MAX] = {0};
    double box_width = widest_label(layout) + 14, height = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        in_layer[layer[i]]++;
    double pitch = fmax(ROW_PITCH_LEAST, most_leaves_of(layout) * NODE_PITCH + 9.0);
    for (unsigned i = 1; i < LAYERS_MAX; i++)
        height = fmax(height, in_layer[i] * (i == 1 ? pitch : ROW_PITCH_LEAST));
    double gap = fmin(fmax(0.3 * height, LEVELS_GAP_LEAST), LEVELS_GAP_MOST);
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        fl_vertex *vertex = &layout->vertices[i];
        unsigned column = layer[i];
        if (vertex->node)
            continue;
        vertex->half_width = box_width / 2;
        vertex->half_height = 15;
        vertex->label_side = FL_ANCHOR_MIDDLE;
        vertex->middle = (fl_point){column * (box_width + gap),
                                    height * (placed[column]++ + 0.5) / in_layer[column]};
    }
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node)
            stack_leaves(layout, &layout->vertices[i]);
    widen_bounds(layout);
    attach_to_sides(layout);
}

/* ---- others: where their type says, or on a circle ---- */

enum {
    NEIGHBOUR_DISTANCE = 150,
    LEAF_DISTANCE = 52,
    LEAF_SLANT = 40,
    LEAF_DROP = 34,
    CIRCLE_GAP = 74,
    BENT_VERTICES_MAX = 1024
};

/* Does its type say where the switches stand? */
static bool has_places(const fl_network *network)
{
    double x, y;
    if (!network->type->place)
        return false;
    network->type->place(network, network->type->switch_address(network, 0), &x, &y);
    return !isnan(x);
}

/* Are all links between its switches so steep that there is room beside a switch? */
static bool links_climb(const fl_network *network)
{
    return network->family == FL_FAMILY_TREE_LIKE;
}

static uint32_t list_leaves(const fl_layout *layout, const fl_vertex *home, uint32_t *leaves)
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

/* One below the other, so that their labels have room: outside of a circle, or at the lower right
 * on a grid, where no link along an axis is, or at the right. */
static void place_leaves(fl_layout *layout, const fl_vertex *home)
{
    uint32_t leaves[FL_DRAWN_VERTICES_MAX], count = list_leaves(layout, home, leaves);
    bool on_grid = has_places(layout->network);
    double half = (count - 1.0) / 2 * NODE_PITCH, angle = atan2(home->middle.y, home->middle.x);
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
        fl_vertex *leaf = &layout->vertices[leaves[i]];
        leaf->middle = (fl_point){middle.x, middle.y - half + i * NODE_PITCH};
        leaf->half_width = leaf->half_height = NODE_RADIUS;
        leaf->label_side = side < 0 ? FL_ANCHOR_RIGHT : FL_ANCHOR_LEFT;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of a part, empty rows (or columns) of the grid become one narrow gap. values: [count] places of
 * the switches along one axis; sorted: room for as many. */
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
    double box_width = widest_label(layout) + 12, leaves = most_leaves_of(layout) * NODE_PITCH;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node) {
            layout->vertices[i].half_width = box_width / 2;
            layout->vertices[i].half_height = 13;
            layout->vertices[i].label_side = FL_ANCHOR_MIDDLE;
        }
    if (has_places(layout->network))
        return place_on_grid(layout, fmax(NEIGHBOUR_DISTANCE, 2 * box_width),
                             fmax(NEIGHBOUR_DISTANCE, leaves + 84));
    place_on_circle(layout, fmax(150, (double)layout->switches_shown *
                                          fmax(box_width + CIRCLE_GAP, leaves + 24) / (2 * PI)));
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
        vertex->middle = (fl_point){layout->right + 60, layout->top + y};
        vertex->half_width = vertex->half_height = NODE_RADIUS;
        y += NODE_PITCH;
    }
}

/* What a drawing loses when a wire runs over something else. */
enum { OVER_LABEL = 1, OVER_VERTEX = 8 };

/* Is this point, seen from the middle of a node, on the label beside its circle? */
static bool on_label(const fl_vertex *node, double x, double y)
{
    double out = node->label_side == FL_ANCHOR_LEFT ? x : -x;
    return y < FL_NODE_LETTERS / 2.0 && out > 0 && out < node->label_width + NODE_RADIUS;
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

/* What the course of a wire runs over, of all vertices that are not its ends. */
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

static void bend_edges(fl_layout *layout)
{
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        layout->edges[i].from = layout->vertices[layout->edges[i].a].middle;
        layout->edges[i].to = layout->vertices[layout->edges[i].b].middle;
        bool node_link = layout->vertices[layout->edges[i].a].node;
        if (layout->vertex_count <= BENT_VERTICES_MAX &&
            (!node_link || layout->network->node_ports > 1))
            bend_edge(layout, i);
    }
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

static bool place_others(fl_layout *layout)
{
    if (!place_switches(layout))
        return false;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        if (!layout->vertices[i].node)
            place_leaves(layout, &layout->vertices[i]);
    widen_bounds(layout);
    place_orphans(layout);
    widen_bounds(layout);
    bend_edges(layout);
    widen_for_edges(layout);
    return true;
}

/* ---- nodes of several ports on several parts of a network: nodes on the left, the parts one below
 * the other ---- */

/* Numbers the parts that only nodes join; returns how many there are. */
static uint32_t number_parts(const fl_layout *layout, uint32_t *part)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        part[i] = layout->vertices[i].node ? NO_LAYER : i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t w = 0; w < layout->edge_count; w++) {
            uint32_t a = layout->edges[w].a, b = layout->edges[w].b;
            if (layout->vertices[a].node || layout->vertices[b].node || part[a] == part[b])
                continue;
            part[a] = part[b] = part[a] < part[b] ? part[a] : part[b];
            changed = true;
        }
    }
    for (uint32_t i = 0; i < layout->vertex_count;
         i++) /* a part's lowest spot comes first and has its number */
        part[i] = part[i] == NO_LAYER ? NO_LAYER : part[i] == i ? count++ : part[part[i]];
    return count;
}

static uint32_t count_switches(const fl_layout *layout, const uint32_t *part, uint32_t of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->vertex_count; i++)
        count += part[i] == of;
    return count;
}

/* The switches of a part on a circle below `top`; returns where it ends. */
static double place_part(fl_layout *layout, const uint32_t *part, uint32_t of, double box_width,
                         double top)
{
    uint32_t count = count_switches(layout, part, of), placed = 0;
    double radius = count == 1 ? 0 : fmax(46, count * (box_width + CIRCLE_GAP / 2.0) / (2 * PI));
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        fl_vertex *vertex = &layout->vertices[i];
        if (part[i] != of)
            continue;
        double angle = 2 * PI * placed++ / count - PI / 2;
        vertex->half_width = box_width / 2;
        vertex->half_height = 13;
        vertex->label_side = FL_ANCHOR_MIDDLE;
        vertex->middle = (fl_point){radius * cos(angle), top + 13 + radius + radius * sin(angle)};
    }
    return top + 2 * radius + 26;
}

static void place_parts(fl_layout *layout, const uint32_t *part, uint32_t parts)
{
    double box_width = widest_label(layout) + 12, bottom = 0;
    uint64_t placed = 0, nodes = layout->nodes_shown;
    for (uint32_t of = 0; of < parts; of++)
        bottom = place_part(layout, part, of, box_width, bottom + (of ? CIRCLE_GAP : 0));
    widen_bounds(layout);
    double left = -layout->right - fmin(fmax(0.45 * bottom, 240), 620);
    double pitch = fmin(fmax(NODE_PITCH, bottom / (double)(nodes ? nodes : 1)), 48);
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        fl_vertex *vertex = &layout->vertices[i];
        if (!vertex->node)
            continue;
        vertex->half_width = vertex->half_height = NODE_RADIUS;
        vertex->label_side = FL_ANCHOR_RIGHT;
        vertex->middle =
            (fl_point){left, bottom / 2 + ((double)placed++ - ((double)nodes - 1) / 2) * pitch};
    }
    widen_bounds(layout);
    bend_edges(layout);
    widen_for_edges(layout);
}

fl_status fl_layout_place(fl_layout *layout, fl_error *error)
{
    const fl_tree *tree = layout->network->tree;
    uint32_t *layer =
        malloc(layout->vertex_count * sizeof *layer); /* at least one vertex is shown */
    bool good = layer != NULL;
    uint32_t parts = good && layout->network->node_ports > 1 ? number_parts(layout, layer) : 1;
    if (good && parts > 1)
        place_parts(layout, layer, parts);
    else if (good && tree && (tree->top + 2) * tree->groups + 2 <= FL_COLUMN_TITLES_MAX)
        good = place_tree(layout);
    else if (good && !has_places(layout->network) && find_layers(layout, layer))
        place_layers(layout, layer);
    else if (good)
        good = place_others(layout);
    free(layer);
    return good ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing");
}
