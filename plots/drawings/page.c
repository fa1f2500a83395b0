/* Drawings of networks: puts a layout, trails and texts on a canvas. */
#include "plots/drawings/page.h"

#include "plots/charts/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THICKEST 2.0 /* of the links of a large page, times their normal width */

enum {
    EDGE = 24,
    TITLE_LETTERS = 20,
    SUBTITLE_LETTERS = 14,
    COLUMN_TITLE_LETTERS = 13,
    LEGEND_LETTERS = 13,
    CAPTION_LETTERS = 12,
    LEAST_WIDTH = 720,
    WIDTH_OF_NORMAL_TEXT = 1600,
    COLUMN_TITLES_HEIGHT = 62
};

/* The texts around a network grow with the page, which is looked at from farther away. */
static double zoom_of(const fl_page *p)
{
    return fmin(fmax(1, p->canvas->width / WIDTH_OF_NORMAL_TEXT), 4);
}

static const fl_pen no_pen = {0};

/* ---- links ---- */

static void draw_edges(fl_page *p, bool faulty)
{
    double zoom = fmin(zoom_of(p), THICKEST);
    for (uint32_t i = 0; i < p->layout->edge_count; i++) {
        fl_point points[FL_COURSE_POINTS];
        if (p->layout->edges[i].faulty != faulty)
            continue;
        unsigned count = fl_layout_course(&p->layout->edges[i], false, points);
        fl_canvas_line(p->canvas, points, count,
                       faulty ? (fl_pen){FL_FAULTY, 2 * zoom, true}
                              : (fl_pen){FL_HEALTHY, 1.1 * zoom, false});
    }
}

/* ---- vertices ---- */

static const fl_drawn_mark *mark_of(const fl_page *p, fl_address at)
{
    for (size_t i = 0; i < p->drawing->mark_count; i++)
        if (p->drawing->marks[i].at == at)
            return &p->drawing->marks[i];
    return NULL;
}

static const char *mark_colour(const fl_drawn_mark *mark)
{
    return mark->colour ? mark->colour : FL_INK;
}

static void node_text(const fl_vertex *vertex, const fl_drawn_mark *mark, char *out, size_t size)
{
    bool right = vertex->label_side == FL_ANCHOR_RIGHT;
    if (!mark || !mark->word)
        snprintf(out, size, "%s", vertex->label);
    else
        snprintf(out, size, "%.40s %.60s", right ? mark->word : vertex->label,
                 right ? vertex->label : mark->word);
}

static void draw_node(fl_page *p, const fl_vertex *vertex)
{
    const fl_drawn_mark *mark = mark_of(p, vertex->at);
    char text[128];
    double aside = vertex->half_width + (mark ? 7 : 5);
    fl_point at = {vertex->middle.x + (vertex->label_side == FL_ANCHOR_RIGHT ? -aside : aside),
                   vertex->middle.y};
    node_text(vertex, mark, text, sizeof text);
    double half = fl_canvas_text_width(text, FL_NODE_LETTERS, mark != NULL) / 2;
    fl_point behind = {at.x + (vertex->label_side == FL_ANCHOR_RIGHT ? -half : half), at.y};
    fl_canvas_box(p->canvas, behind, half + 1, FL_NODE_LETTERS / 2.0, 2, FL_PAPER, no_pen);
    if (mark)
        fl_canvas_circle(p->canvas, vertex->middle, vertex->half_width + 2.5, mark_colour(mark),
                         (fl_pen){mark_colour(mark), 1, false});
    else
        fl_canvas_circle(p->canvas, vertex->middle, vertex->half_width, FL_PAPER,
                         (fl_pen){FL_GREY, 1.2, false});
    fl_canvas_text(p->canvas, at, vertex->label_side, FL_NODE_LETTERS, mark != NULL,
                   mark ? mark_colour(mark) : FL_GREY, text);
}

/* A mark is stronger than a trail. */
static void draw_switch(fl_page *p, const fl_vertex *vertex, const char *tint)
{
    const fl_drawn_mark *mark = mark_of(p, vertex->at);
    const char *border = mark ? mark_colour(mark) : tint ? tint : FL_GREY;
    fl_canvas_box(p->canvas, vertex->middle, vertex->half_width, vertex->half_height, 5, FL_PAPER,
                  (fl_pen){border,
                           mark   ? 3
                           : tint ? 2.2
                                  : 1.1,
                           false});
    fl_canvas_text(p->canvas, vertex->middle, FL_ANCHOR_MIDDLE, FL_SWITCH_LETTERS, mark || tint,
                   mark || tint ? border : FL_INK, vertex->label);
}

static void draw_dots(fl_page *p)
{
    for (uint32_t i = 0; i < p->layout->dot_count; i++)
        for (int dot = -1; dot <= 1; dot++)
            fl_canvas_circle(p->canvas,
                             (fl_point){p->layout->dots[i].x, p->layout->dots[i].y + 7 * dot}, 1.6,
                             FL_GREY, no_pen);
}

static void draw_network(fl_page *p)
{
    fl_trails_count(p);
    fl_trails_draw_bands(p);
    draw_edges(p, false);
    draw_edges(p, true);
    fl_trails_draw_lines(p);
    draw_dots(p);
    for (uint32_t i = 0; i < p->layout->vertex_count; i++)
        if (p->layout->vertices[i].node)
            draw_node(p, &p->layout->vertices[i]);
        else
            draw_switch(p, &p->layout->vertices[i], p->tints[i]);
    fl_trails_draw_marks(p);
    for (uint32_t i = 0; i < p->layout->column_title_count; i++) {
        const fl_column_title *column_title = &p->layout->column_titles[i];
        fl_canvas_text(p->canvas, column_title->middle, FL_ANCHOR_MIDDLE,
                       COLUMN_TITLE_LETTERS + column_title->large, column_title->large,
                       column_title->large ? FL_INK : FL_GREY, column_title->words);
    }
}

/* ---- texts around it ---- */

/* Sets *line to as much of a text as fits into the width; returns what follows it. */
static const char *append_line(fl_text *line, const char *text, double width, double size,
                               bool bold)
{
    const char *rest = text;
    for (size_t columns = (size_t)(width / (0.5 * size)) + 1;; columns--) {
        fl_text_clear(line);
        fl_text_append_bytes(line, text, fl_plots_wrap(text, columns, &rest));
        if (!line->data || columns <= 10 || fl_canvas_text_width(line->data, size, bold) <= width)
            return rest;
    }
}

/* A text in as many lines as it needs; returns their height. */
static double paragraph(fl_page *p, const char *text, double top, double size, bool bold,
                        const char *colour)
{
    double height = 0;
    size *= zoom_of(p);
    for (const char *rest = text ? text : ""; *rest != '\0';) {
        fl_text line = {0};
        rest = append_line(&line, rest, p->canvas->width - 2 * EDGE, size, bold);
        if (line.data)
            fl_canvas_text(p->canvas, (fl_point){EDGE, top + height + 0.65 * size}, FL_ANCHOR_LEFT,
                           size, bold, colour, line.data);
        p->canvas->failed |= line.failed;
        fl_text_clear(&line);
        height += 1.4 * size;
    }
    return height;
}

enum { LEGEND_MAX = 24, SAMPLE = 38 };

typedef struct legend_entry {
    const char *text;
    const fl_trail *trail; /* NULL: a kind of link */
    bool faulty;
} legend_entry;

static unsigned legend_of(const fl_page *p, legend_entry *entries)
{
    unsigned count = 0;
    entries[count++] = (legend_entry){.text = "link"};
    if (p->layout->faulty_shown)
        entries[count++] = (legend_entry){.text = "faulty link", .faulty = true};
    for (size_t t = 0; t < p->drawing->trail_count && count < LEGEND_MAX; t++)
        if (p->drawing->trails[t].name && p->drawing->trails[t].count)
            entries[count++] =
                (legend_entry){.text = p->drawing->trails[t].name, .trail = &p->drawing->trails[t]};
    return count;
}

static void draw_sample(fl_page *p, const legend_entry *entry, fl_point from, double width)
{
    fl_point ends[2] = {from, {from.x + width, from.y}};
    double zoom = fmin(zoom_of(p), THICKEST);
    if (entry->trail)
        fl_trails_draw_sample(p, entry->trail, from, width);
    else
        fl_canvas_line(p->canvas, ends, 2,
                       entry->faulty ? (fl_pen){FL_FAULTY, 2 * zoom, true}
                                     : (fl_pen){FL_HEALTHY, 1.4 * zoom, false});
}

/* Entries beside each other, in as many lines as they need; returns their height. */
static double draw_legend(fl_page *p, double top)
{
    legend_entry entries[LEGEND_MAX];
    unsigned count = legend_of(p, entries);
    double zoom = zoom_of(p), size = LEGEND_LETTERS * zoom, sample = SAMPLE * zoom, x = EDGE,
           y = top + 12 * zoom;
    for (unsigned i = 0; i < count; i++) {
        double text_x = x + sample + 8 * zoom,
               end = text_x + fl_canvas_text_width(entries[i].text, size, false);
        if (x > EDGE && end > p->canvas->width - EDGE) {
            y += 2 * size;
            end -= x - EDGE;
            text_x -= x - EDGE;
            x = EDGE;
        }
        draw_sample(p, &entries[i], (fl_point){x, y}, sample);
        fl_canvas_text(p->canvas, (fl_point){text_x, y}, FL_ANCHOR_LEFT, size, false, FL_INK,
                       entries[i].text);
        x = end + 28 * zoom;
    }
    return y + 14 * zoom - top;
}

/* The caption of the caller, and what is left out. */
static void write_caption(const fl_page *p, fl_text *caption)
{
    const fl_layout *layout = p->layout;
    const fl_network *network = p->drawing->network;
    if (p->drawing->caption)
        fl_text_append(caption, "%s", p->drawing->caption);
    if (!layout->part)
        return;
    fl_text_append(
        caption,
        "%sA part of %s: %llu of %llu switches and %llu of %llu nodes, with the links between them",
        caption->length ? "\n" : "", network->spec, (unsigned long long)layout->switches_shown,
        (unsigned long long)network->switches, (unsigned long long)layout->nodes_shown,
        (unsigned long long)network->nodes);
    if (layout->faulty_shown < p->drawing->faulty_count)
        fl_text_append(caption, "; %llu of %llu faulty links are among these",
                       (unsigned long long)layout->faulty_shown,
                       (unsigned long long)p->drawing->faulty_count);
    fl_text_append(caption, ".%s",
                   layout->dot_count ? " Dots stand for rows that are left out." : "");
}

/* How far labels of nodes reach outside of the layout. */
static void label_margins(const fl_page *p, double *left, double *right)
{
    *left = *right = 0;
    for (uint32_t i = 0; i < p->layout->vertex_count; i++) {
        const fl_vertex *vertex = &p->layout->vertices[i];
        const fl_drawn_mark *mark = mark_of(p, vertex->at);
        char text[128];
        if (!vertex->node)
            continue;
        node_text(vertex, mark, text, sizeof text);
        double width =
            fl_canvas_text_width(text, FL_NODE_LETTERS, mark != NULL) + vertex->half_width + 10;
        if (vertex->label_side == FL_ANCHOR_RIGHT)
            *left = fmax(*left, p->layout->left - (vertex->middle.x - width));
        else
            *right = fmax(*right, vertex->middle.x + width - p->layout->right);
    }
}

static void compose(fl_page *p, const char *caption)
{
    const fl_drawing *drawing = p->drawing;
    fl_layout *layout = p->layout;
    double left, right, inside = layout->right - layout->left;
    label_margins(p, &left, &right);
    p->canvas->width = ceil(fmax(LEAST_WIDTH, inside + left + right + 2 * EDGE));
    double top = EDGE, title = paragraph(p, drawing->title, top, TITLE_LETTERS, true, FL_INK);
    top += title + (title > 0 ? 3 : 0);
    top += paragraph(p, drawing->subtitle, top, SUBTITLE_LETTERS, false, FL_GREY);
    top += draw_legend(p, top + 12) + 16;
    top += !layout->column_title_count        ? 22
           : drawing->network->tree->mirrored ? COLUMN_TITLES_HEIGHT
                                              : COLUMN_TITLES_HEIGHT - 24;
    p->canvas->origin = (fl_point){
        (p->canvas->width - inside - left - right) / 2 + left - layout->left, top - layout->top};
    draw_network(p);
    p->canvas->origin = (fl_point){0};
    top += layout->bottom - layout->top + 22;
    top += paragraph(p, caption, top, CAPTION_LETTERS, false, FL_GREY);
    p->canvas->height = ceil(top + EDGE - 8);
}

/* ---- the page ---- */

static fl_status draw(fl_page *p, fl_error *error)
{
    fl_text caption = {0};
    p->tints = calloc(p->layout->vertex_count, sizeof *p->tints);
    p->uses = calloc(p->layout->edge_count + 1u, sizeof *p->uses);
    write_caption(p, &caption);
    if (p->tints && p->uses && !caption.failed)
        compose(p, caption.data);
    else
        p->canvas->failed = true;
    free(p->tints);
    free(p->uses);
    FL_ARRAY_CLEAR(&p->taken);
    fl_text_clear(&caption);
    return p->canvas->failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing") : FL_OK;
}

fl_status fl_page_compose(fl_canvas *canvas, const fl_drawing *drawing, fl_error *error)
{
    fl_page p = {.drawing = drawing, .canvas = canvas};
    fl_status status = fl_trails_check(drawing, error);
    if (!status)
        status = fl_layout_create(&p.layout, drawing, error);
    if (!status)
        status = draw(&p, error);
    fl_layout_destroy(p.layout);
    return status;
}
