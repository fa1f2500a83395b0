/* Drawings of networks: puts a layout, trails and words on a page, and files it. */
#include "plots/drawings/layout.h"

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

enum {
    EDGE = 24,
    TITLE_LETTERS = 20,
    SUBTITLE_LETTERS = 14,
    COLUMN_TITLE_LETTERS = 13,
    LEGEND_LETTERS = 13,
    CAPTION_LETTERS = 12,
    SWITCH_LETTERS = 13,
    NODE_LETTERS = 12,
    BADGE_LETTERS = 12,
    BADGE_HEIGHT = 9,
    CROSS_RADIUS = 10,
    LEAST_WIDTH = 720,
    HEADINGS_HEIGHT = 62,
    LINE_HEIGHT = 19
};

const char *const fl_extent_names[] = {
    [FL_EXTENT_AUTO] = "auto", [FL_EXTENT_ALL] = "all", [FL_EXTENT_PART] = "part", NULL};

typedef struct page {
    const fl_drawing *drawing;
    fl_layout *layout;
    fl_canvas canvas;
    const char **tints; /* [vertex_count] of a switch, or NULL */
    uint32_t *uses;     /* [edge_count] trails of arrows over this wire so far */
    fl_point *taken;    /* middles of badges and crosses */
    size_t taken_count;
} page;

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
        fl_canvas_line(&p->canvas, points, count, (fl_pen){colour_of(trail), 11, false});
    }
}

static void draw_edges(page *p, bool faulty)
{
    for (uint32_t i = 0; i < p->layout->edge_count; i++) {
        fl_point points[FL_COURSE_POINTS];
        if (p->layout->edges[i].faulty != faulty)
            continue;
        unsigned count = fl_layout_course(&p->layout->edges[i], false, points);
        fl_canvas_line(&p->canvas, points, count,
                       faulty ? (fl_pen){FAULTY, 2, true} : (fl_pen){HEALTHY, 1.1, false});
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
    fl_canvas_shape(&p->canvas, head, 3, colour, no_pen);
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
        fl_canvas_line(&p->canvas, points, count, (fl_pen){colour_of(trail), 3, false});
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
    fl_canvas_circle(&p->canvas, at, CROSS_RADIUS, filled ? colour_of(trail) : PAPER,
                     (fl_pen){colour_of(trail), 2, false});
    fl_canvas_line(&p->canvas, (fl_point[]){{at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}}, 2,
                   pen);
    fl_canvas_line(&p->canvas, (fl_point[]){{at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}}, 2,
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
        fl_canvas_line(&p->canvas, points, count, (fl_pen){colour_of(trail), 3.4, true});
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
    double half = fmax(BADGE_HEIGHT, fl_canvas_width(words, BADGE_LETTERS, true) / 2 + 5);
    fl_canvas_box(&p->canvas, at, half, BADGE_HEIGHT, BADGE_HEIGHT, PAPER,
                  (fl_pen){colour, 1.6, false});
    fl_canvas_words(&p->canvas, at, FL_ANCHOR_MIDDLE, BADGE_LETTERS, true, colour, words);
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
        double half = fmax(BADGE_HEIGHT, fl_canvas_width(words, BADGE_LETTERS, true) / 2 + 5);
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
    if (mark)
        fl_canvas_circle(&p->canvas, vertex->middle, vertex->half_width + 2.5, mark_colour(mark),
                         (fl_pen){mark_colour(mark), 1, false});
    else
        fl_canvas_circle(&p->canvas, vertex->middle, vertex->half_width, PAPER,
                         (fl_pen){GREY, 1.2, false});
    fl_canvas_words(&p->canvas, at, vertex->label_side, NODE_LETTERS, mark != NULL,
                    mark ? mark_colour(mark) : GREY, words);
}

/* A mark is stronger than a trail. */
static void draw_switch(page *p, const fl_vertex *vertex, const char *tint)
{
    const fl_drawn_mark *mark = mark_of(p, vertex->at);
    const char *border = mark ? mark_colour(mark) : tint ? tint : GREY;
    fl_canvas_box(&p->canvas, vertex->middle, vertex->half_width, vertex->half_height, 5, PAPER,
                  (fl_pen){border,
                           mark   ? 3
                           : tint ? 2.2
                                  : 1.1,
                           false});
    fl_canvas_words(&p->canvas, vertex->middle, FL_ANCHOR_MIDDLE, SWITCH_LETTERS, mark || tint,
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
            fl_canvas_circle(&p->canvas,
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
        fl_canvas_words(&p->canvas, column_title->middle, FL_ANCHOR_MIDDLE,
                        COLUMN_TITLE_LETTERS + column_title->large, column_title->large,
                        column_title->large ? INK : GREY, column_title->words);
    }
}

/* ---- words around it ---- */

static size_t letters_in(double width, double size)
{
    double letters = width / (0.58 * size);
    return letters < 20 ? 20 : (size_t)letters;
}

/* Wrapped; returns how high it is. Draws nothing where `draw` is false. */
static double paragraph(page *p, const char *words, double top, double size, bool bold,
                        const char *colour, bool draw)
{
    double height = 0;
    size_t columns = letters_in(p->canvas.width - 2 * EDGE, bold ? size * 1.1 : size);
    for (const char *rest = words ? words : ""; *rest != '\0';) {
        const char *line = rest;
        fl_text shown = {0};
        fl_text_append_bytes(&shown, line, fl_plots_wrap(line, columns, &rest));
        if (draw && shown.data)
            fl_canvas_words(&p->canvas, (fl_point){EDGE, top + height + 0.65 * size},
                            FL_ANCHOR_LEFT, size, bold, colour, shown.data);
        p->canvas.failed |= shown.failed;
        fl_text_clear(&shown);
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

static void draw_swatch(page *p, const legend_entry *entry, double x, double y)
{
    fl_point ends[2] = {{x, y}, {x + SWATCH, y}};
    fl_trail_look look = entry->trail ? entry->trail->look : FL_TRAIL_BAND;
    fl_vertex end = {.middle = {x + SWATCH, y}};
    if (!entry->trail)
        fl_canvas_line(&p->canvas, ends, 2,
                       entry->faulty ? (fl_pen){FAULTY, 2, true} : (fl_pen){HEALTHY, 1.4, false});
    else if (look == FL_TRAIL_BAND)
        fl_canvas_line(&p->canvas, ends, 2, (fl_pen){colour_of(entry->trail), 11, false});
    else
        fl_canvas_line(&p->canvas, ends, 2,
                       (fl_pen){colour_of(entry->trail), 3, look != FL_TRAIL_ARROWS});
    if (look == FL_TRAIL_ARROWS)
        draw_head(p, ends, 2, &end, colour_of(entry->trail));
    if (look == FL_TRAIL_CROSSES || look == FL_TRAIL_STOPS)
        draw_cross(p, entry->trail, (fl_point){x + SWATCH / 2.0, y});
}

/* Entries beside each other, in as many lines as needed; returns the height. */
static double legend(page *p, double top, bool draw)
{
    legend_entry entries[LEGEND_MAX];
    unsigned count = legend_of(p, entries);
    double x = EDGE, y = top + 12;
    for (unsigned i = 0; i < count; i++) {
        double width = SWATCH + 8 + fl_canvas_width(entries[i].words, LEGEND_LETTERS, false) + 28;
        if (x > EDGE && x + width > p->canvas.width - EDGE + 28) {
            x = EDGE;
            y += 26;
        }
        if (draw) {
            draw_swatch(p, &entries[i], x, y);
            fl_canvas_words(&p->canvas, (fl_point){x + SWATCH + 8, y}, FL_ANCHOR_LEFT,
                            LEGEND_LETTERS, false, INK, entries[i].words);
        }
        x += width;
    }
    return y + 14 - top;
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
        double width = fl_canvas_width(words, NODE_LETTERS, mark != NULL) + vertex->half_width + 10;
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
    p->canvas.width = ceil(fmax(LEAST_WIDTH, inside + left + right + 2 * EDGE));
    double top = EDGE, title = paragraph(p, drawing->title, top, TITLE_LETTERS, true, INK, true);
    top += title + (title > 0 ? 3 : 0);
    top += paragraph(p, drawing->subtitle, top, SUBTITLE_LETTERS, false, GREY, true);
    top += legend(p, top + 12, true) + 16;
    top += !layout->column_title_count        ? 22
           : drawing->network->tree->mirrored ? HEADINGS_HEIGHT
                                              : HEADINGS_HEIGHT - 24;
    shift(layout, (p->canvas.width - inside - left - right) / 2 + left - layout->left,
          top - layout->top);
    draw_network(p);
    top += layout->bottom - layout->top + 22;
    top += paragraph(p, caption, top, CAPTION_LETTERS, false, GREY, true);
    p->canvas.height = ceil(top + EDGE - 8);
}

/* ---- filing ---- */

enum { PIXELS_MOST = 8000 };

static fl_status draw_png(const fl_canvas *canvas, fl_text *png, fl_error *error)
{
    fl_text script = {0};
    double scale = fmin(2, PIXELS_MOST / fmax(canvas->width, canvas->height));
    fl_canvas_gnuplot(canvas, scale, &script);
    fl_status status = script.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "no memory for the script of a drawing")
                           : fl_plots_gnuplot(png, &script, error);
    fl_text_clear(&script);
    if (!status && !fl_plots_is_complete_png(png))
        status = fl_fail(
            error, FL_ERR_IO,
            "gnuplot drew only a part of the PNG picture: is there room for temporary files?");
    return status;
}

static fl_status store(const fl_canvas *canvas, const char *title, const char *svg, const char *png,
                       fl_error *error)
{
    fl_text pictures[2] = {{0}};
    fl_file_content files[2];
    size_t count = 0;
    fl_status status = png ? draw_png(canvas, &pictures[1], error) : FL_OK;
    if (!status && svg) {
        fl_canvas_svg(canvas, title, &pictures[0]);
        if (pictures[0].failed)
            status = fl_fail(error, FL_ERR_MEMORY, "no memory for an SVG picture");
        files[count++] = (fl_file_content){svg, pictures[0].data, pictures[0].length};
    }
    if (png)
        files[count++] = (fl_file_content){png, pictures[1].data, pictures[1].length};
    if (!status)
        status = fl_file_write_group(files, count, error);
    fl_text_clear(&pictures[0]);
    fl_text_clear(&pictures[1]);
    return status;
}

static size_t count_steps(const fl_drawing *drawing)
{
    size_t steps = 0;
    for (size_t t = 0; t < drawing->trail_count; t++)
        steps += drawing->trails[t].count;
    return steps;
}

static fl_status draw(page *p, const char *svg, const char *png, fl_error *error)
{
    fl_text caption = {0};
    p->tints = calloc(p->layout->vertex_count, sizeof *p->tints);
    p->uses = calloc(p->layout->edge_count + 1u, sizeof *p->uses);
    p->taken = malloc((count_steps(p->drawing) + 1) * sizeof *p->taken);
    write_caption(p, &caption);
    fl_status status = FL_OK;
    if (p->tints && p->uses && p->taken && !caption.failed)
        compose(p, caption.data);
    else
        p->canvas.failed = true;
    if (p->canvas.failed)
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing");
    if (!status)
        status =
            store(&p->canvas, p->drawing->title ? p->drawing->title : p->drawing->network->spec,
                  svg, png, error);
    free(p->tints);
    free(p->uses);
    free(p->taken);
    fl_text_clear(&caption);
    fl_canvas_clear(&p->canvas);
    return status;
}

fl_status fl_drawing_write(const fl_drawing *drawing, const char *svg, const char *png,
                           fl_error *error)
{
    page p = {.drawing = drawing};
    fl_status status = check_trails(drawing, error);
    if (!status)
        status = fl_layout_create(&p.layout, drawing, error);
    if (!status)
        status = draw(&p, svg, png, error);
    fl_layout_destroy(p.layout);
    return status;
}
