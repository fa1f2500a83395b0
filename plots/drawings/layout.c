/* Which vertices and links a drawing shows, and the course of a link. */
#include "plots/drawings/layout.h"

#include "core/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which vertices ---- */

/* The most that can be read on one page: rows of a tree, switches, nodes. */
enum { ROWS_READABLE = 16, SWITCHES_READABLE = 128, NODES_READABLE = 128 };

static fl_status no_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing");
}

static bool is_readable(const fl_network *network)
{
    const fl_tree *tree = network->tree;
    uint64_t columns = !tree ? 0 : (uint64_t)(tree->top + 1) * tree->groups;
    bool rows = !tree || network->switches <= ROWS_READABLE * columns;
    return rows && network->switches <= SWITCHES_READABLE && network->nodes <= NODES_READABLE;
}

static fl_status check_size(const fl_drawing *drawing, fl_error *error)
{
    const fl_network *network = drawing->network;
    if (network->nodes + network->switches > FL_DRAWN_VERTICES_MAX ||
        network->links > FL_DRAWN_LINKS_MAX)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s has %llu nodes, %llu switches and %llu links: a drawing of the complete network has room for %d vertices and %d links",
            network->spec, (unsigned long long)network->nodes,
            (unsigned long long)network->switches, (unsigned long long)network->links,
            FL_DRAWN_VERTICES_MAX, FL_DRAWN_LINKS_MAX);
    return FL_OK;
}

static int compare_addresses(const void *a, const void *b)
{
    fl_address x = *(const fl_address *)a, y = *(const fl_address *)b;
    return x < y ? -1 : x > y;
}

static size_t add_ends(const fl_network *network, fl_link link, fl_address *list, size_t count)
{
    fl_link_ends ends;
    network->type->link_ends(network, link, &ends);
    list[count++] = ends.a;
    list[count++] = ends.b;
    return count;
}

/* Sorts and removes duplicates. */
static size_t sort_once(fl_address *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, compare_addresses);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[kept++] = list[i];
    return kept;
}

static size_t list_all(const fl_network *network, fl_address *list)
{
    size_t count = 0;
    for (uint64_t i = 0; i < network->nodes; i++)
        list[count++] = network->type->node_address(network, i);
    for (uint64_t i = 0; i < network->switches; i++)
        list[count++] = network->type->switch_address(network, i);
    return count;
}

static size_t list_named(const fl_drawing *drawing, fl_address *list)
{
    size_t count = 0;
    for (size_t t = 0; t < drawing->trail_count; t++)
        for (size_t i = 0; i < drawing->trails[t].count; i++)
            count = add_ends(drawing->network, drawing->trails[t].steps[i].link, list, count);
    for (size_t i = 0; i < drawing->nearby_count; i++)
        count = add_ends(drawing->network, drawing->nearby[i], list, count);
    for (size_t i = 0; i < drawing->mark_count; i++)
        list[count++] = drawing->marks[i].at;
    return count;
}

static fl_status choose_vertices(fl_layout *layout, const fl_drawing *drawing, fl_error *error)
{
    const fl_network *network = drawing->network;
    bool all = drawing->extent == FL_EXTENT_ALL ||
               (drawing->extent == FL_EXTENT_AUTO && is_readable(network));
    fl_status status = all ? check_size(drawing, error) : FL_OK;
    size_t room = all ? network->nodes + network->switches
                      : drawing->mark_count + 2 * drawing->nearby_count + 1;
    for (size_t t = 0; t < drawing->trail_count && !all; t++)
        room += 2 * drawing->trails[t].count;
    if (status)
        return status;
    fl_address *list = malloc(room * sizeof *list);
    if (!list)
        return no_memory(error);
    size_t count = sort_once(list, all ? list_all(network, list) : list_named(drawing, list));
    if (count == 0)
        status = fl_fail(
            error, FL_ERR_INVALID,
            "%s is too large to be read as a whole: name links of it to see a part, or ask for all of it",
            network->spec);
    else if (count > FL_DRAWN_VERTICES_MAX)
        status = fl_fail(error, FL_ERR_INVALID,
                         "%zu vertices are to be shown: a drawing has room for %d", count,
                         FL_DRAWN_VERTICES_MAX);
    else if (!(layout->vertices = calloc(count, sizeof *layout->vertices)))
        status = no_memory(error);
    for (size_t i = 0; i < count && !status; i++) {
        fl_vertex *vertex = &layout->vertices[layout->vertex_count++];
        char label[FL_LABEL_MAX];
        vertex->at = list[i];
        vertex->node = fl_address_is_node(list[i]);
        network->type->label(network, list[i], label, sizeof label);
        snprintf(vertex->label, sizeof vertex->label, "%.*s", (int)sizeof vertex->label - 1, label);
        vertex->label_width = fl_canvas_text_width(
            vertex->label, vertex->node ? FL_NODE_LETTERS : FL_SWITCH_LETTERS, !vertex->node);
        layout->nodes_shown += vertex->node;
        layout->switches_shown += !vertex->node;
    }
    layout->part = count < network->nodes + network->switches;
    free(list);
    return status;
}

/* ---- which links ---- */

static int compare_edges(const void *a, const void *b)
{
    fl_link x = ((const fl_edge *)a)->link, y = ((const fl_edge *)b)->link;
    return x < y ? -1 : x > y;
}

uint32_t fl_layout_find_vertex(const fl_layout *layout, fl_address at)
{
    uint32_t low = 0, high = layout->vertex_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (layout->vertices[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < layout->vertex_count && layout->vertices[low].at == at ? low : UINT32_MAX;
}

uint32_t fl_layout_find_edge(const fl_layout *layout, fl_link link)
{
    fl_edge key = {.link = link};
    const fl_edge *found = layout->edge_count ? bsearch(&key, layout->edges, layout->edge_count,
                                                        sizeof key, compare_edges)
                                              : NULL;
    return found ? (uint32_t)(found - layout->edges) : UINT32_MAX;
}

/* Links from this vertex to others that are shown, each from its first end. */
static fl_status add_edges(fl_layout *layout, uint32_t from, size_t *room, fl_error *error)
{
    const fl_network *network = layout->network;
    fl_address at = layout->vertices[from].at;
    unsigned ports = fl_address_is_node(at) ? network->node_ports : network->radix;
    for (unsigned port = 0; port < ports; port++) {
        fl_hop hop;
        fl_link_ends ends;
        if (!fl_network_step(network, at, (fl_port)port, &hop))
            continue;
        uint32_t to = fl_layout_find_vertex(layout, hop.to);
        network->type->link_ends(network, hop.link, &ends);
        if (to == UINT32_MAX || ends.a != at || ends.port_a != port)
            continue;
        if (layout->edge_count == FL_DRAWN_LINKS_MAX)
            return fl_fail(error, FL_ERR_INVALID,
                           "more than %d links: a drawing has no room for them",
                           FL_DRAWN_LINKS_MAX);
        layout->edges = fl_array_grown(layout->edges, room, layout->edge_count, 1, sizeof(fl_edge));
        if (layout->edge_count == *room)
            return no_memory(error);
        layout->edges[layout->edge_count++] = (fl_edge){.link = hop.link, .a = from, .b = to};
    }
    return FL_OK;
}

static fl_status choose_links(fl_layout *layout, const fl_drawing *drawing, fl_error *error)
{
    size_t room = 0;
    for (uint32_t s = 0; s < layout->vertex_count; s++) {
        fl_status status = add_edges(layout, s, &room, error);
        if (status)
            return status;
    }
    if (layout->edge_count)
        qsort(layout->edges, layout->edge_count, sizeof *layout->edges, compare_edges);
    for (uint64_t i = 0; i < drawing->faulty_count; i++) {
        uint32_t edge = fl_layout_find_edge(layout, drawing->faulty[i]);
        if (edge != UINT32_MAX) {
            layout->edges[edge].faulty = true;
            layout->faulty_shown++;
        }
    }
    return FL_OK;
}

/* ---- courses ---- */

unsigned fl_layout_course(const fl_edge *edge, bool back, fl_point *points)
{
    fl_point from = back ? edge->to : edge->from, to = back ? edge->from : edge->to;
    double bend = back ? -edge->bend : edge->bend, length = hypot(to.x - from.x, to.y - from.y);
    if (fabs(bend) < 0.01 || length < 1) {
        points[0] = from;
        points[1] = to;
        return 2;
    }
    /* A parabola through the middle moved aside. Right is clockwise, y growing downwards. */
    double right_x = -(to.y - from.y) / length, right_y = (to.x - from.x) / length;
    for (int i = 0; i < FL_COURSE_POINTS; i++) {
        double t = (double)i / (FL_COURSE_POINTS - 1), aside = 4 * bend * t * (1 - t);
        points[i] = (fl_point){from.x + t * (to.x - from.x) + aside * right_x,
                               from.y + t * (to.y - from.y) + aside * right_y};
    }
    return FL_COURSE_POINTS;
}

fl_status fl_layout_choose(fl_layout *layout, const fl_drawing *drawing, fl_error *error)
{
    layout->network = drawing->network;
    fl_status status = choose_vertices(layout, drawing, error);
    return status ? status : choose_links(layout, drawing, error);
}
