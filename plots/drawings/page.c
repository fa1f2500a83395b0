/* Drawings of networks: puts a layout, trails and texts on a canvas. */
#include "plots/drawings/page.h"

#include "plots/drawings/layout.h"
#include "plots/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Colours that stay apart for colour-blind readers (Okabe and Ito, "Color Universal Design", 2008).
 */
#define INK        "#222222"
#define GREY       "#666666"
#define HEALTHY    "#b9b9b9"
#define FAULTY     "#d55e00"
#define BLUE       "#0072b2"
#define PALE_GREEN "#8fd6bb"
#define PAPER      "#ffffff"

#define THICKEST 2.0 /* of the links of a large page, times their normal width */

enum {
    EDGE = 24,
    TITLE_LETTERS = 20,
    SUBTITLE_LETTERS = 14,
    COLUMN_TITLE_LETTERS = 13,
    LEGEND_LETTERS = 13,
    CAPTION_LETTERS = 12,
    BADGE_LETTERS = 12,
    BADGE_HEIGHT = 9,
    CROSS_RADIUS = 10,
    LEAST_WIDTH = 720,
    WIDTH_OF_NORMAL_TEXT = 1600,
    COLUMN_TITLES_HEIGHT = 62,
    LINE_HEIGHT = 19
};

typedef struct page {
    const fl_drawing *drawing;
    fl_layout *layout;
    fl_canvas *canvas;
    const char **tints; /* [vertex_count] of a switch, or NULL */
    uint32_t *uses;     /* [edge_count] trails of arrows over this wire so far */
    fl_point *taken;    /* middles of badges and crosses */
    size_t taken_count;
} page;

/* What stands around a network is larger on a large page, which is looked at from farther away. */
static double zoom_of(const page *p)
{
    return fmin(fmax(1, p->canvas->width / WIDTH_OF_NORMAL_TEXT), 4);
}

static const fl_pen no_pen = {0};

static const char *colour_of(const fl_trail *trail)
{
    static const char *const usual[] = {[FL_TRAIL_BAND] = PALE_GREEN,
                                        [FL_TRAIL_ARROWS] = BLUE,
                                        [FL_TRAIL_CROSSES] = FAULTY,
                                        [FL_TRAIL_STOPS] = FAULTY};
    return trail->colour ? trail->colour : usual[trail->look];
}

/* ---- checking ---- */

static fl_status check_trails(const fl_drawing *drawing, fl_error *error)
{
    for (size_t t = 0; t < drawing->trail_count; t++)
        for (size_t i = 0; i < drawing->trails[t].count; i++) {
            const fl_drawn_step *step = &drawing->trails[t].steps[i];
            fl_link_ends ends;
            drawing->network->type->link_ends(drawing->network, step->link, &ends);
            if (ends.a != step->from && ends.b != step->from)
                return fl_fail(error, FL_ERR_INVALID,
                               "step %zu of the trail '%s' does not begin at an end of its link",
                               i + 1, drawing->trails[t].name ? drawing->trails[t].name : "");
        }
    return FL_OK;
}

/* ---- wires ---- */

/* The wire of a step; UINT32_MAX: not shown. *back: from its second end. */
static uint32_t edge_of(const page *p, const fl_drawn_step *step, bool *back)
{
    uint32_t found = fl_layout_find_edge(p->layout, step->link);
    *back = found != UINT32_MAX && p->layout->vertices[p->layout->edges[found].a].at != step->from;
    return found;
}

static void draw_band(page *p, const fl_trail *trail)
{
    for (size_t i = 0; i < trail->count; i++) {
        bool back;
        fl_point points[FL_COURSE_POINTS];
        uint32_t edge = edge_of(p, &trail->steps[i], &back);
        if (edge == UINT32_MAX)
            continue;
        unsigned count = fl_layout_course(&p->layout->edges[edge], back, points);
        fl_canvas_line(p->canvas, points, count, (fl_pen){colour_of(trail), 11, false});
    }
}

static void draw_edges(page *p, bool faulty)
{
    double zoom = fmin(zoom_of(p), THICKEST);
    for (uint32_t i = 0; i < p->layout->edge_count; i++) {
        fl_point points[FL_COURSE_POINTS];
        if (p->layout->edges[i].faulty != faulty)
            continue;
        unsigned count = fl_layout_course(&p->layout->edges[i], false, points);
        fl_canvas_line(p->canvas, points, count,
                       faulty ? (fl_pen){FAULTY, 2 * zoom, true}
                              : (fl_pen){HEALTHY, 1.1 * zoom, false});
    }
}

/* ---- trails of arrows ---- */

static bool is_inside(const fl_vertex *vertex, fl_point point)
{
    return fabs(point.x - vertex->middle.x) <= vertex->half_width + 1 &&
           fabs(point.y - vertex->middle.y) <= vertex->half_height + 1;
}

/* A point on the course by its share of the length, and the direction there. */
static fl_point along(const fl_point *points, unsigned count, double fraction, fl_point *direction)
{
    double length = 0, done = 0;
    for (unsigned i = 1; i < count; i++)
        length += hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
    for (unsigned i = 1; i < count; i++) {
        double dx = points[i].x - points[i - 1].x, dy = points[i].y - points[i - 1].y,
               piece = hypot(dx, dy);
        if (done + piece >= fraction * length || i + 1 == count) {
            double t = piece > 0 ? fmin(1, (fraction * length - done) / piece) : 0;
            *direction = (fl_point){piece > 0 ? dx / piece : 1, piece > 0 ? dy / piece : 0};
            return (fl_point){points[i - 1].x + t * dx, points[i - 1].y + t * dy};
        }
        done += piece;
    }
    *direction = (fl_point){1, 0};
    return points[0];
}

/* Where the course, going to `spot`, meets its border: as a share of the length. */
static double border_share(const fl_point *points, unsigned count, const fl_vertex *vertex)
{
    double inside = 1, outside = 0.5;
    fl_point direction;
    if (!is_inside(vertex, along(points, count, 1, &direction)))
        return 1;
    for (int i = 0; i < 20; i++) {
        double middle = (inside + outside) / 2;
        if (is_inside(vertex, along(points, count, middle, &direction)))
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

static void draw_head(page *p, const fl_point *points, unsigned count, const fl_vertex *vertex,
                      const char *colour)
{
    fl_point d, tip = along(points, count, border_share(points, count, vertex), &d);
    fl_point head[3] = {tip,
                        {tip.x - 13 * d.x - 5 * d.y, tip.y - 13 * d.y + 5 * d.x},
                        {tip.x - 13 * d.x + 5 * d.y, tip.y - 13 * d.y - 5 * d.x}};
    fl_canvas_shape(p->canvas, head, 3, colour, no_pen);
}

/* The course of a step, moved to its right when the link is used more than once. */
static unsigned step_course(page *p, uint32_t edge, bool back, fl_point *points)
{
    unsigned count = fl_layout_course(&p->layout->edges[edge], back, points);
    double aside = p->uses[edge] > 1 ? 4.5 : 0,
           length = hypot(points[count - 1].x - points[0].x, points[count - 1].y - points[0].y);
    double right_x = length > 0 ? -(points[count - 1].y - points[0].y) / length : 0;
    double right_y = length > 0 ? (points[count - 1].x - points[0].x) / length : 0;
    for (unsigned i = 0; i < count; i++) {
        points[i].x += aside * right_x;
        points[i].y += aside * right_y;
    }
    return count;
}

static void draw_arrows(page *p, const fl_trail *trail)
{
    for (size_t i = 0; i < trail->count; i++) {
        bool back;
        fl_point points[FL_COURSE_POINTS];
        uint32_t edge = edge_of(p, &trail->steps[i], &back);
        if (edge == UINT32_MAX)
            continue;
        const fl_edge *w = &p->layout->edges[edge];
        unsigned count = step_course(p, edge, back, points);
        fl_canvas_line(p->canvas, points, count, (fl_pen){colour_of(trail), 3, false});
        draw_head(p, points, count, &p->layout->vertices[back ? w->a : w->b], colour_of(trail));
    }
}

/* ---- badges ---- */

static double nearest_taken(const page *p, fl_point at)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < p->taken_count; i++)
        nearest = fmin(nearest, hypot(at.x - p->taken[i].x, at.y - p->taken[i].y));
    return nearest;
}

static double distance_to_piece(fl_point at, fl_point from, fl_point to)
{
    double dx = to.x - from.x, dy = to.y - from.y, square = dx * dx + dy * dy;
    double t =
        square > 0 ? fmin(1, fmax(0, ((at.x - from.x) * dx + (at.y - from.y) * dy) / square)) : 0;
    return hypot(from.x + t * dx - at.x, from.y + t * dy - at.y);
}

/* How far the place is from arrows over other links. */
static double nearest_arrow(const page *p, fl_point at, uint32_t own)
{
    double nearest = INFINITY;
    for (size_t t = 0; t < p->drawing->trail_count; t++)
        for (size_t i = 0;
             i < p->drawing->trails[t].count && p->drawing->trails[t].look == FL_TRAIL_ARROWS;
             i++) {
            bool back;
            fl_point points[FL_COURSE_POINTS];
            uint32_t edge = edge_of(p, &p->drawing->trails[t].steps[i], &back);
            if (edge == UINT32_MAX || edge == own)
                continue;
            unsigned count = fl_layout_course(&p->layout->edges[edge], back, points);
            for (unsigned j = 1; j < count; j++)
                nearest = fmin(nearest, distance_to_piece(at, points[j - 1], points[j]));
        }
    return nearest;
}

/* How far a point is from the nearest vertex; negative inside. */
static double nearest_vertex(const page *p, fl_point at)
{
    double nearest = INFINITY;
    for (uint32_t i = 0; i < p->layout->vertex_count; i++) {
        const fl_vertex *vertex = &p->layout->vertices[i];
        double dx = fabs(at.x - vertex->middle.x) - vertex->half_width,
               dy = fabs(at.y - vertex->middle.y) - vertex->half_height;
        nearest = fmin(nearest, dx > 0 && dy > 0 ? hypot(dx, dy) : fmax(dx, dy));
    }
    return nearest;
}

/* A place for something `wide` in radius on the part of a wire's course that is seen: near its
 * middle, clear of what is there already. */
static fl_point free_place(page *p, const fl_point *points, unsigned count, double wide,
                           uint32_t own, bool back)
{
    static const double fractions[] = {0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78};
    const fl_edge *edge = &p->layout->edges[own];
    fl_point best = points[0], direction, turned[FL_COURSE_POINTS];
    double best_clear = -INFINITY;
    for (unsigned i = 0; i < count; i++)
        turned[i] = points[count - 1 - i];
    double first = 1 - border_share(turned, count, &p->layout->vertices[back ? edge->b : edge->a]);
    double last = border_share(points, count, &p->layout->vertices[back ? edge->a : edge->b]);
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        fl_point at = along(points, count, first + (last - first) * fractions[i], &direction);
        double clear =
            fmin(nearest_taken(p, at) - wide - BADGE_HEIGHT, nearest_arrow(p, at, own) - wide);
        clear = fmin(fmin(clear, nearest_vertex(p, at) - wide), 3);
        if (clear > best_clear + 1e-6) {
            best_clear = clear;
            best = at;
        }
    }
    p->taken[p->taken_count++] = best;
    return best;
}

static void draw_cross(page *p, const fl_trail *trail, fl_point at)
{
    bool filled = trail->look == FL_TRAIL_STOPS;
    double arm = 4.2;
    fl_pen pen = {filled ? PAPER : colour_of(trail), 2.6, false};
    fl_canvas_circle(p->canvas, at, CROSS_RADIUS, filled ? colour_of(trail) : PAPER,
                     (fl_pen){colour_of(trail), 2, false});
    fl_canvas_line(p->canvas, (fl_point[]){{at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}}, 2,
                   pen);
    fl_canvas_line(p->canvas, (fl_point[]){{at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}}, 2,
                   pen);
}

/* The links that are crossed, under the vertices. */
static void draw_crossed(page *p, const fl_trail *trail)
{
    for (size_t i = 0; i < trail->count; i++) {
        bool back;
        fl_point points[FL_COURSE_POINTS];
        uint32_t edge = edge_of(p, &trail->steps[i], &back);
        if (edge == UINT32_MAX)
            continue;
        /* Always from the first end, so that the dashes lie on those of the faulty link below. */
        unsigned count = fl_layout_course(&p->layout->edges[edge], false, points);
        fl_canvas_line(p->canvas, points, count, (fl_pen){colour_of(trail), 3.4, true});
    }
}

static void draw_crosses(page *p, const fl_trail *trail)
{
    for (size_t i = 0; i < trail->count; i++) {
        bool back;
        fl_point points[FL_COURSE_POINTS];
        uint32_t edge = edge_of(p, &trail->steps[i], &back);
        if (edge == UINT32_MAX)
            continue;
        unsigned count = fl_layout_course(&p->layout->edges[edge], false, points);
        draw_cross(p, trail, free_place(p, points, count, CROSS_RADIUS, edge, false));
    }
}

static void draw_badge(page *p, fl_point at, const char *words, const char *colour)
{
    double half = fmax(BADGE_HEIGHT, fl_canvas_text_width(words, BADGE_LETTERS, true) / 2 + 5);
    fl_canvas_box(p->canvas, at, half, BADGE_HEIGHT, BADGE_HEIGHT, PAPER,
                  (fl_pen){colour, 1.6, false});
    fl_canvas_text(p->canvas, at, FL_ANCHOR_MIDDLE, BADGE_LETTERS, true, colour, words);
}

static void draw_badges(page *p, const fl_trail *trail)
{
    for (size_t i = 0; i < trail->count; i++) {
        bool back;
        fl_point points[FL_COURSE_POINTS];
        const char *words = trail->steps[i].label;
        uint32_t edge = words ? edge_of(p, &trail->steps[i], &back) : UINT32_MAX;
        if (edge == UINT32_MAX)
            continue;
        unsigned count = step_course(p, edge, back, points);
        double half = fmax(BADGE_HEIGHT, fl_canvas_text_width(words, BADGE_LETTERS, true) / 2 + 5);
        draw_badge(p, free_place(p, points, count, half, edge, back), words, colour_of(trail));
    }
}

/* ---- vertices ---- */

static const fl_drawn_mark *mark_of(const page *p, fl_address at)
{
    for (size_t i = 0; i < p->drawing->mark_count; i++)
        if (p->drawing->marks[i].at == at)
            return &p->drawing->marks[i];
    return NULL;
}

static const char *mark_colour(const fl_drawn_mark *mark)
{
    return mark->colour ? mark->colour : INK;
}

static void node_words(const fl_vertex *vertex, const fl_drawn_mark *mark, char *out, size_t size)
{
    bool right = vertex->label_side == FL_ANCHOR_RIGHT;
    if (!mark || !mark->word)
        snprintf(out, size, "%s", vertex->label);
    else
        snprintf(out, size, "%.40s %.60s", right ? mark->word : vertex->label,
                 right ? vertex->label : mark->word);
}

static void draw_node(page *p, const fl_vertex *vertex)
{
    const fl_drawn_mark *mark = mark_of(p, vertex->at);
    char words[128];
    double aside = vertex->half_width + (mark ? 7 : 5);
    fl_point at = {vertex->middle.x + (vertex->label_side == FL_ANCHOR_RIGHT ? -aside : aside),
                   vertex->middle.y};
    node_words(vertex, mark, words, sizeof words);
    double half = fl_canvas_text_width(words, FL_NODE_LETTERS, mark != NULL) / 2;
    fl_point behind = {at.x + (vertex->label_side == FL_ANCHOR_RIGHT ? -half : half), at.y};
    fl_canvas_box(p->canvas, behind, half + 1, FL_NODE_LETTERS / 2.0, 2, PAPER, no_pen);
    if (mark)
        fl_canvas_circle(p->canvas, vertex->middle, vertex->half_width + 2.5, mark_colour(mark),
                         (fl_pen){mark_colour(mark), 1, false});
    else
        fl_canvas_circle(p->canvas, vertex->middle, vertex->half_width, PAPER,
                         (fl_pen){GREY, 1.2, false});
    fl_canvas_text(p->canvas, at, vertex->label_side, FL_NODE_LETTERS, mark != NULL,
                   mark ? mark_colour(mark) : GREY, words);
}

/* A mark is stronger than a trail. */
static void draw_switch(page *p, const fl_vertex *vertex, const char *tint)
{
    const fl_drawn_mark *mark = mark_of(p, vertex->at);
    const char *border = mark ? mark_colour(mark) : tint ? tint : GREY;
    fl_canvas_box(p->canvas, vertex->middle, vertex->half_width, vertex->half_height, 5, PAPER,
                  (fl_pen){border,
                           mark   ? 3
                           : tint ? 2.2
                                  : 1.1,
                           false});
    fl_canvas_text(p->canvas, vertex->middle, FL_ANCHOR_MIDDLE, FL_SWITCH_LETTERS, mark || tint,
                   mark || tint ? border : INK, vertex->label);
}

static void find_tints(page *p)
{
    for (size_t t = 0; t < p->drawing->trail_count; t++) {
        const fl_trail *trail = &p->drawing->trails[t];
        for (size_t i = 0; i < trail->count && trail->look == FL_TRAIL_ARROWS; i++) {
            bool back;
            uint32_t edge = edge_of(p, &trail->steps[i], &back),
                     vertex = fl_layout_find_vertex(p->layout, trail->steps[i].from);
            p->tints[vertex] = colour_of(trail);
            if (edge != UINT32_MAX)
                p->uses[edge]++;
        }
    }
}

static void draw_trails(page *p, fl_trail_look look, void (*draw)(page *, const fl_trail *))
{
    for (size_t t = 0; t < p->drawing->trail_count; t++)
        if (p->drawing->trails[t].look == look)
            draw(p, &p->drawing->trails[t]);
}

static void draw_dots(page *p)
{
    for (uint32_t i = 0; i < p->layout->dot_count; i++)
        for (int dot = -1; dot <= 1; dot++)
            fl_canvas_circle(p->canvas,
                             (fl_point){p->layout->dots[i].x, p->layout->dots[i].y + 7 * dot}, 1.6,
                             GREY, no_pen);
}

static void draw_network(page *p)
{
    find_tints(p);
    draw_trails(p, FL_TRAIL_BAND, draw_band);
    draw_edges(p, false);
    draw_edges(p, true);
    draw_trails(p, FL_TRAIL_CROSSES, draw_crossed);
    draw_trails(p, FL_TRAIL_STOPS, draw_crossed);
    draw_trails(p, FL_TRAIL_ARROWS, draw_arrows);
    draw_dots(p);
    for (uint32_t i = 0; i < p->layout->vertex_count; i++)
        if (p->layout->vertices[i].node)
            draw_node(p, &p->layout->vertices[i]);
        else
            draw_switch(p, &p->layout->vertices[i], p->tints[i]);
    draw_trails(p, FL_TRAIL_CROSSES, draw_crosses);
    draw_trails(p, FL_TRAIL_STOPS, draw_crosses);
    draw_trails(p, FL_TRAIL_ARROWS, draw_badges);
    for (uint32_t i = 0; i < p->layout->column_title_count; i++) {
        const fl_column_title *column_title = &p->layout->column_titles[i];
        fl_canvas_text(p->canvas, column_title->middle, FL_ANCHOR_MIDDLE,
                       COLUMN_TITLE_LETTERS + column_title->large, column_title->large,
                       column_title->large ? INK : GREY, column_title->words);
    }
}

/* ---- words around it ---- */

/* Appends the first line of a text, as long as fits into the width; returns what follows it. */
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
static double paragraph(page *p, const char *text, double top, double size, bool bold,
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

enum { LEGEND_MAX = 24, SWATCH = 38 };

typedef struct legend_entry {
    const char *words;
    const fl_trail *trail; /* NULL: a kind of link */
    bool faulty;
} legend_entry;

static unsigned legend_of(const page *p, legend_entry *entries)
{
    unsigned count = 0;
    entries[count++] = (legend_entry){.words = "link"};
    if (p->layout->faulty_shown)
        entries[count++] = (legend_entry){.words = "faulty link", .faulty = true};
    for (size_t t = 0; t < p->drawing->trail_count && count < LEGEND_MAX; t++)
        if (p->drawing->trails[t].name && p->drawing->trails[t].count)
            entries[count++] = (legend_entry){.words = p->drawing->trails[t].name,
                                              .trail = &p->drawing->trails[t]};
    return count;
}

static void draw_swatch(page *p, const legend_entry *entry, double x, double y, double width)
{
    fl_point ends[2] = {{x, y}, {x + width, y}};
    fl_trail_look look = entry->trail ? entry->trail->look : FL_TRAIL_BAND;
    double zoom = fmin(zoom_of(p), THICKEST);
    fl_vertex end = {.middle = ends[1]};
    if (!entry->trail)
        fl_canvas_line(p->canvas, ends, 2,
                       entry->faulty ? (fl_pen){FAULTY, 2 * zoom, true}
                                     : (fl_pen){HEALTHY, 1.4 * zoom, false});
    else if (look == FL_TRAIL_BAND)
        fl_canvas_line(p->canvas, ends, 2, (fl_pen){colour_of(entry->trail), 11, false});
    else
        fl_canvas_line(p->canvas, ends, 2,
                       (fl_pen){colour_of(entry->trail), 3, look != FL_TRAIL_ARROWS});
    if (look == FL_TRAIL_ARROWS)
        draw_head(p, ends, 2, &end, colour_of(entry->trail));
    if (look == FL_TRAIL_CROSSES || look == FL_TRAIL_STOPS)
        draw_cross(p, entry->trail, (fl_point){x + width / 2, y});
}

/* Entries beside each other, in as many lines as they need; returns their height. */
static double draw_legend(page *p, double top)
{
    legend_entry entries[LEGEND_MAX];
    unsigned count = legend_of(p, entries);
    double zoom = zoom_of(p), size = LEGEND_LETTERS * zoom, swatch = SWATCH * zoom, x = EDGE,
           y = top + 12 * zoom;
    for (unsigned i = 0; i < count; i++) {
        double text_x = x + swatch + 8 * zoom,
               end = text_x + fl_canvas_text_width(entries[i].words, size, false);
        if (x > EDGE && end > p->canvas->width - EDGE) {
            y += 2 * size;
            end -= x - EDGE;
            text_x -= x - EDGE;
            x = EDGE;
        }
        draw_swatch(p, &entries[i], x, y, swatch);
        fl_canvas_text(p->canvas, (fl_point){text_x, y}, FL_ANCHOR_LEFT, size, false, INK,
                       entries[i].words);
        x = end + 28 * zoom;
    }
    return y + 14 * zoom - top;
}

/* What is left out, and what the caller says. */
static void write_caption(const page *p, fl_text *caption)
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

/* How far labels of nodes stand out beyond the layout. */
static void label_margins(const page *p, double *left, double *right)
{
    *left = *right = 0;
    for (uint32_t i = 0; i < p->layout->vertex_count; i++) {
        const fl_vertex *vertex = &p->layout->vertices[i];
        const fl_drawn_mark *mark = mark_of(p, vertex->at);
        char words[128];
        if (!vertex->node)
            continue;
        node_words(vertex, mark, words, sizeof words);
        double width =
            fl_canvas_text_width(words, FL_NODE_LETTERS, mark != NULL) + vertex->half_width + 10;
        if (vertex->label_side == FL_ANCHOR_RIGHT)
            *left = fmax(*left, p->layout->left - (vertex->middle.x - width));
        else
            *right = fmax(*right, vertex->middle.x + width - p->layout->right);
    }
}

static void shift(fl_layout *layout, double dx, double dy)
{
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        layout->vertices[i].middle.x += dx;
        layout->vertices[i].middle.y += dy;
    }
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        fl_edge *edge = &layout->edges[i];
        edge->from.x += dx, edge->to.x += dx;
        edge->from.y += dy, edge->to.y += dy;
    }
    for (uint32_t i = 0; i < layout->column_title_count; i++) {
        layout->column_titles[i].middle.x += dx;
        layout->column_titles[i].middle.y += dy;
    }
    for (uint32_t i = 0; i < layout->dot_count; i++) {
        layout->dots[i].x += dx;
        layout->dots[i].y += dy;
    }
}

static void compose(page *p, const char *caption)
{
    const fl_drawing *drawing = p->drawing;
    fl_layout *layout = p->layout;
    double left, right, inside = layout->right - layout->left;
    label_margins(p, &left, &right);
    p->canvas->width = ceil(fmax(LEAST_WIDTH, inside + left + right + 2 * EDGE));
    double top = EDGE, title = paragraph(p, drawing->title, top, TITLE_LETTERS, true, INK);
    top += title + (title > 0 ? 3 : 0);
    top += paragraph(p, drawing->subtitle, top, SUBTITLE_LETTERS, false, GREY);
    top += draw_legend(p, top + 12) + 16;
    top += !layout->column_title_count        ? 22
           : drawing->network->tree->mirrored ? COLUMN_TITLES_HEIGHT
                                              : COLUMN_TITLES_HEIGHT - 24;
    shift(layout, (p->canvas->width - inside - left - right) / 2 + left - layout->left,
          top - layout->top);
    draw_network(p);
    top += layout->bottom - layout->top + 22;
    top += paragraph(p, caption, top, CAPTION_LETTERS, false, GREY);
    p->canvas->height = ceil(top + EDGE - 8);
}

/* ---- the whole ---- */

static size_t count_steps(const fl_drawing *drawing)
{
    size_t steps = 0;
    for (size_t t = 0; t < drawing->trail_count; t++)
        steps += drawing->trails[t].count;
    return steps;
}

static fl_status draw(page *p, fl_error *error)
{
    fl_text caption = {0};
    p->tints = calloc(p->layout->vertex_count, sizeof *p->tints);
    p->uses = calloc(p->layout->edge_count + 1u, sizeof *p->uses);
    p->taken = malloc((count_steps(p->drawing) + 1) * sizeof *p->taken);
    write_caption(p, &caption);
    if (p->tints && p->uses && p->taken && !caption.failed)
        compose(p, caption.data);
    else
        p->canvas->failed = true;
    free(p->tints);
    free(p->uses);
    free(p->taken);
    fl_text_clear(&caption);
    return p->canvas->failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing") : FL_OK;
}

fl_status fl_page_compose(fl_canvas *canvas, const fl_drawing *drawing, fl_error *error)
{
    page p = {.drawing = drawing, .canvas = canvas};
    fl_status status = check_trails(drawing, error);
    if (!status)
        status = fl_layout_create(&p.layout, drawing, error);
    if (!status)
        status = draw(&p, error);
    fl_layout_destroy(p.layout);
    return status;
}
