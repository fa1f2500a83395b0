/* The trails of a drawing: bands, arrows, crosses, and the badges of steps. */
#include "plots/drawings/page.h"

#include <math.h>
#include <stdlib.h>

enum { BADGE_LETTERS = 12, BADGE_HEIGHT = 9, CROSS_RADIUS = 10 };

#define ASIDE 4.5 /* of the arrows over a link that has several */

static const char *colour_of(const fl_trail *trail)
{
    static const char *const usual[] = {[FL_TRAIL_BAND] = "#8fd6bb",
                                        [FL_TRAIL_ARROWS] = "#0072b2",
                                        [FL_TRAIL_CROSSES] = FL_FAULTY,
                                        [FL_TRAIL_STOPS] = FL_FAULTY};
    return trail->colour ? trail->colour : usual[trail->look];
}

fl_status fl_trails_check(const fl_drawing *drawing, fl_error *error)
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

/* ---- steps ---- */

/* Where a step runs. */
typedef struct course {
    uint32_t edge;
    const fl_vertex *from, *to;
    fl_point points[FL_COURSE_POINTS];
    unsigned count;
} course;

/* False: its link is not shown. A step of arrows whose link has several is moved to its right. */
static bool find_course(const fl_page *p, const fl_trail *trail, const fl_drawn_step *step,
                        course *c)
{
    c->edge = fl_layout_find_edge(p->layout, step->link);
    if (c->edge == UINT32_MAX)
        return false;
    const fl_edge *edge = &p->layout->edges[c->edge];
    const fl_vertex *a = &p->layout->vertices[edge->a], *b = &p->layout->vertices[edge->b];
    bool back = a->at != step->from;
    c->from = back ? b : a;
    c->to = back ? a : b;
    c->count = fl_layout_course(edge, back, c->points);
    fl_point first = c->points[0], last = c->points[c->count - 1];
    double length = hypot(last.x - first.x, last.y - first.y);
    bool moved = trail->look == FL_TRAIL_ARROWS && p->uses[c->edge] > 1 && length > 0;
    for (unsigned i = 0; i < c->count && moved; i++) {
        c->points[i].x -= ASIDE * (last.y - first.y) / length;
        c->points[i].y += ASIDE * (last.x - first.x) / length;
    }
    return true;
}

typedef void draw_step(fl_page *p, const fl_trail *trail, const fl_drawn_step *step,
                       const course *c);

static void draw_steps(fl_page *p, fl_trail_look look, draw_step *draw)
{
    course c;
    for (size_t t = 0; t < p->drawing->trail_count; t++) {
        const fl_trail *trail = &p->drawing->trails[t];
        for (size_t i = 0; i < trail->count && trail->look == look; i++)
            if (find_course(p, trail, &trail->steps[i], &c))
                draw(p, trail, &trail->steps[i], &c);
    }
}

/* ---- lines ---- */

static bool is_inside(const fl_vertex *vertex, fl_point point)
{
    return fabs(point.x - vertex->middle.x) <= vertex->half_width + 1 &&
           fabs(point.y - vertex->middle.y) <= vertex->half_height + 1;
}

/* A point of a course by its fraction of the length, and the direction there. */
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

/* Where a course to this vertex meets its border, as a fraction of the length. */
static double border_fraction(const fl_point *points, unsigned count, const fl_vertex *vertex)
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

static void draw_head(fl_page *p, const fl_point *points, unsigned count, const fl_vertex *vertex,
                      const char *colour)
{
    fl_point d, tip = along(points, count, border_fraction(points, count, vertex), &d);
    fl_point head[3] = {tip,
                        {tip.x - 13 * d.x - 5 * d.y, tip.y - 13 * d.y + 5 * d.x},
                        {tip.x - 13 * d.x + 5 * d.y, tip.y - 13 * d.y - 5 * d.x}};
    fl_canvas_shape(p->canvas, head, 3, colour, (fl_pen){0});
}

static void draw_band(fl_page *p, const fl_trail *trail, const fl_drawn_step *step, const course *c)
{
    (void)step;
    fl_canvas_line(p->canvas, c->points, c->count, (fl_pen){colour_of(trail), 11, false});
}

static void draw_arrow(fl_page *p, const fl_trail *trail, const fl_drawn_step *step,
                       const course *c)
{
    (void)step;
    fl_canvas_line(p->canvas, c->points, c->count, (fl_pen){colour_of(trail), 3, false});
    draw_head(p, c->points, c->count, c->to, colour_of(trail));
}

/* Always from the first end, so that the dashes lie on those of the faulty link below. */
static void draw_crossed(fl_page *p, const fl_trail *trail, const fl_drawn_step *step,
                         const course *c)
{
    (void)step;
    fl_point points[FL_COURSE_POINTS];
    unsigned count = fl_layout_course(&p->layout->edges[c->edge], false, points);
    fl_canvas_line(p->canvas, points, count, (fl_pen){colour_of(trail), 3.4, true});
}

/* ---- crosses and badges ---- */

static double nearest_taken(const fl_page *p, fl_point at)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < p->taken.count; i++)
        nearest = fmin(nearest, hypot(at.x - p->taken.data[i].x, at.y - p->taken.data[i].y));
    return nearest;
}

static double distance_to_piece(fl_point at, fl_point from, fl_point to)
{
    double dx = to.x - from.x, dy = to.y - from.y, square = dx * dx + dy * dy;
    double t =
        square > 0 ? fmin(1, fmax(0, ((at.x - from.x) * dx + (at.y - from.y) * dy) / square)) : 0;
    return hypot(from.x + t * dx - at.x, from.y + t * dy - at.y);
}

/* How far a point is from arrows over other edges than its own. */
static double nearest_arrow(const fl_page *p, fl_point at, uint32_t own)
{
    double nearest = INFINITY;
    for (uint32_t i = 0; i < p->layout->edge_count; i++) {
        fl_point points[FL_COURSE_POINTS];
        if (!p->uses[i] || i == own)
            continue;
        unsigned count = fl_layout_course(&p->layout->edges[i], false, points);
        for (unsigned j = 1; j < count; j++)
            nearest = fmin(nearest, distance_to_piece(at, points[j - 1], points[j]));
    }
    return nearest;
}

/* How far a point is from the nearest vertex; negative inside. */
static double nearest_vertex(const fl_page *p, fl_point at)
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

/* A place for something with this radius on the visible part of a course: near its middle, clear of
 * what is there already. */
static fl_point take_place(fl_page *p, const course *c, double radius)
{
    static const double fractions[] = {0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78};
    fl_point best = c->points[0], direction, turned[FL_COURSE_POINTS];
    double best_clear = -INFINITY;
    for (unsigned i = 0; i < c->count; i++)
        turned[i] = c->points[c->count - 1 - i];
    double first = 1 - border_fraction(turned, c->count, c->from),
           last = border_fraction(c->points, c->count, c->to);
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        fl_point at = along(c->points, c->count, first + (last - first) * fractions[i], &direction);
        double clear = fmin(nearest_taken(p, at) - BADGE_HEIGHT, nearest_arrow(p, at, c->edge));
        clear = fmin(fmin(clear, nearest_vertex(p, at)) - radius, 3);
        if (clear > best_clear + 1e-6) {
            best_clear = clear;
            best = at;
        }
    }
    p->canvas->failed |= !FL_ARRAY_PUSH(&p->taken, best);
    return best;
}

static void draw_cross_at(fl_page *p, const fl_trail *trail, fl_point at)
{
    bool filled = trail->look == FL_TRAIL_STOPS;
    double arm = 4.2;
    fl_pen pen = {filled ? FL_PAPER : colour_of(trail), 2.6, false};
    fl_canvas_circle(p->canvas, at, CROSS_RADIUS, filled ? colour_of(trail) : FL_PAPER,
                     (fl_pen){colour_of(trail), 2, false});
    fl_canvas_line(p->canvas, (fl_point[]){{at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}}, 2,
                   pen);
    fl_canvas_line(p->canvas, (fl_point[]){{at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}}, 2,
                   pen);
}

static void draw_cross(fl_page *p, const fl_trail *trail, const fl_drawn_step *step,
                       const course *c)
{
    (void)step;
    draw_cross_at(p, trail, take_place(p, c, CROSS_RADIUS));
}

static void draw_badge(fl_page *p, const fl_trail *trail, const fl_drawn_step *step,
                       const course *c)
{
    if (!step->label)
        return;
    double width = fl_canvas_text_width(step->label, BADGE_LETTERS, true),
           half = fmax(BADGE_HEIGHT, width / 2 + 5);
    fl_point at = take_place(p, c, half);
    fl_canvas_box(p->canvas, at, half, BADGE_HEIGHT, BADGE_HEIGHT, FL_PAPER,
                  (fl_pen){colour_of(trail), 1.6, false});
    fl_canvas_text(p->canvas, at, FL_ANCHOR_MIDDLE, BADGE_LETTERS, true, colour_of(trail),
                   step->label);
}

/* ---- what page.c calls ---- */

static void count_step(fl_page *p, const fl_trail *trail, const fl_drawn_step *step,
                       const course *c)
{
    p->tints[fl_layout_find_vertex(p->layout, step->from)] = colour_of(trail);
    p->uses[c->edge]++;
}

void fl_trails_count(fl_page *p)
{
    draw_steps(p, FL_TRAIL_ARROWS, count_step);
}

void fl_trails_draw_bands(fl_page *p)
{
    draw_steps(p, FL_TRAIL_BAND, draw_band);
}

void fl_trails_draw_lines(fl_page *p)
{
    draw_steps(p, FL_TRAIL_CROSSES, draw_crossed);
    draw_steps(p, FL_TRAIL_STOPS, draw_crossed);
    draw_steps(p, FL_TRAIL_ARROWS, draw_arrow);
}

void fl_trails_draw_marks(fl_page *p)
{
    draw_steps(p, FL_TRAIL_CROSSES, draw_cross);
    draw_steps(p, FL_TRAIL_STOPS, draw_cross);
    draw_steps(p, FL_TRAIL_ARROWS, draw_badge);
}

void fl_trails_draw_sample(fl_page *p, const fl_trail *trail, fl_point from, double width)
{
    course c = {.points = {from, {from.x + width, from.y}}, .count = 2};
    fl_vertex end = {.middle = c.points[1]};
    bool crossed = trail->look == FL_TRAIL_CROSSES || trail->look == FL_TRAIL_STOPS;
    c.to = &end;
    if (trail->look == FL_TRAIL_BAND)
        draw_band(p, trail, NULL, &c);
    else if (trail->look == FL_TRAIL_ARROWS)
        draw_arrow(p, trail, NULL, &c);
    if (crossed) {
        fl_canvas_line(p->canvas, c.points, c.count, (fl_pen){colour_of(trail), 3, true});
        draw_cross_at(p, trail, (fl_point){from.x + width / 2, from.y});
    }
}
