/* Figures of several curves under load: points, intervals and marks. */
#include "experiments/figures.h"
#include "experiments/load/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- curves ---- */

typedef struct line {
    double *x, *y, *low, *high; /* one block */
    size_t points;
    bool rises; /* at its end, at this x */
    double rise_x;
} line;

static bool make_line(line *l, size_t room)
{
    l->x = malloc(4 * (room + 1) * sizeof *l->x);
    if (!l->x)
        return false;
    l->y = l->x + room + 1;
    l->low = l->y + room + 1;
    l->high = l->low + room + 1;
    l->points = 0;
    l->rises = false;
    return true;
}

static void add_point(line *l, double x, double y, fl_interval interval)
{
    l->x[l->points] = x;
    l->y[l->points] = y;
    l->low[l->points] = interval.low;
    l->high[l->points++] = interval.high;
}

static const fl_interval no_interval = {(double)NAN, (double)NAN};

/* Of several runs. One run has an interval of its own, by batch means, but says nothing of other
 * seeds. */
static void add_value(const load_figure *f, line *l, double x, double y, fl_interval interval)
{
    add_point(l, x, y, fl_figure_has_bands(f) ? interval : no_interval);
}

/* What a curve carries at most: of all its loads, the saturated ones included. */
static double most_accepted(const load_figure *f, unsigned curve)
{
    double most = 0, accepted;
    fl_interval ignored;
    for (size_t point = 0; point < f->results->curves[curve].points; point++) {
        fl_load_point(f->results, curve, point, FL_LOAD_ACCEPTED, &accepted, &ignored);
        most = isfinite(accepted) && accepted > most ? accepted : most;
    }
    return most;
}

static void read_point(const load_figure *f, unsigned curve, size_t point, double *y,
                       fl_interval *interval)
{
    if (fl_figure_is_difference(f))
        fl_load_difference(f->results, curve, f->baseline, point, f->spec->quantity, y, interval);
    else
        fl_load_point(f->results, curve, point, f->spec->quantity, y, interval);
}

/* Against accepted traffic a curve is over at its first load without a value. If that load is
 * saturated, and not deadlocked, an arrow follows. */
static bool points_of(load_figure *f, unsigned curve, line *l)
{
    const fl_load_curve *c = &f->results->curves[curve];
    bool against_accepted = f->spec->axis == FL_LOAD_AXIS_ACCEPTED;
    bool apart = f->results->second_apart && curve == 1;
    if (!make_line(l, 2 * c->points + 1))
        return false;
    for (size_t point = 0; point < c->points; point++) {
        double x = c->x[point], y;
        fl_interval interval, ignored;
        read_point(f, curve, point, &y, &interval);
        if (against_accepted)
            fl_load_point(f->results, curve, point, FL_LOAD_ACCEPTED, &x, &ignored);
        if (against_accepted && !isfinite(y)) {
            l->rises = isfinite(x);
            l->rise_x = most_accepted(f, curve);
            f->rises |= l->rises;
            break;
        }
        add_value(f, l, x, y, interval);
        if (apart)
            add_point(l, x, (double)NAN, no_interval);
    }
    return true;
}

static bool series_of(const load_figure *f, unsigned curve, line *l)
{
    const fl_load_curve *c = &f->results->curves[curve];
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(c->tasks->plan);
    const fl_sim_result *run = &f->results->results[fl_load_first(f->results, curve)];
    double interval = (double)set_up->series,
           end = (double)(set_up->model->warmup + set_up->model->cycles);
    if (!make_line(l, run->series_length))
        return false;
    for (size_t i = 0; i < run->series_length; i++) {
        double middle = ((double)i + .5) * interval;
        fl_interval bounds;
        if (set_up->model->stop == FL_SIM_STOP_CYCLES && middle > end)
            break; /* the drain */
        double y;
        fl_load_sample(f->results, curve, i, f->spec->quantity, &y, &bounds);
        add_value(f, l, middle, y, bounds);
    }
    return true;
}

/* ---- failures ---- */

enum { MARKS_MAX = 64 };

typedef struct failure_marks {
    fl_plot_mark marks[MARKS_MAX];
    char words[MARKS_MAX][32];
    size_t count;
} failure_marks;

/* In rising order; of a cycle at which links fail in several curves the first curve's. */
static void add_mark(failure_marks *m, uint64_t cycle, size_t links)
{
    size_t at = m->count;
    for (size_t i = 0; i < m->count; i++)
        if (m->marks[i].x == (double)cycle)
            return;
    if (at == MARKS_MAX)
        return;
    snprintf(m->words[at], sizeof m->words[at], links == 1 ? "1 link fails" : "%zu links fail",
             links);
    const fl_plot_mark mark = {(double)cycle, m->words[at]};
    for (; at > 0 && m->marks[at - 1].x > mark.x; at--)
        m->marks[at] = m->marks[at - 1];
    m->marks[at] = mark;
    m->count++;
}

static void find_marks(const load_figure *f, failure_marks *m)
{
    m->count = 0;
    for (unsigned i = 0; i < f->count && f->spec->axis == FL_LOAD_AXIS_CYCLE; i++) {
        const fl_sim_set_up *s = fl_sim_plan_set_up(f->results->curves[f->curves[i]].tasks->plan);
        for (size_t first = 0, next; first < s->failure_count; first = next) {
            next = first;
            while (next < s->failure_count && s->failures[next].cycle == s->failures[first].cycle)
                next++;
            add_mark(m, s->failures[first].cycle, next - first);
        }
    }
}

/* ---- drawing ---- */

static const struct {
    const char *title, *label;
} texts[FL_LOAD_QUANTITIES] = {
    [FL_LOAD_LATENCY] = {"Latency of packets under load", "mean latency (cycles)"},
    [FL_LOAD_NETWORK_LATENCY] = {"Latency in the network",
                                 "mean latency from leaving the source (cycles)"},
    [FL_LOAD_LATENCY_P99] = {"Latency of the slowest packets",
                             "99th percentile of the latency (cycles)"},
    [FL_LOAD_ACCEPTED] = {"Load that arrives", "accepted load (flits per node and cycle)"},
    [FL_LOAD_HOPS] = {"Length of paths", "links"},
    [FL_LOAD_CONFLICTS] = {"Output port conflicts", "packets that lose an arbitration, per cycle"},
    [FL_LOAD_PORTS_WITH_CONFLICT] = {"Output port conflicts",
                                     "output ports with a conflict, per cycle"},
    [FL_LOAD_CONFLICTS_PER_PACKET] = {"Output port conflicts",
                                      "arbitrations lost per packet that arrives"},
    [FL_LOAD_RECEIVED] = {"Packets received", "packets received per cycle"},
    [FL_LOAD_RECEIVED_SENT] = {"Packets received over packets sent",
                               "packets received / packets that left their source"},
    [FL_LOAD_LOST] = {"Packets lost", "fraction of the packets that left their source"},
    [FL_LOAD_SERIES_LATENCY] = {"Latency over time",
                                "mean latency of the packets that arrive (cycles)"},
    [FL_LOAD_SERIES_DELIVERED] = {"Packets delivered over time", "packets per cycle"},
    [FL_LOAD_SERIES_LOST] = {"Packets lost over time", "packets per cycle"},
    [FL_LOAD_SERIES_RETRIED] = {"Packets sent again over time", "packets per cycle"},
};

static const char *const axis_texts[FL_LOAD_AXES] = {
    [FL_LOAD_AXIS_OFFERED] = "offered load (flits per node and cycle)",
    [FL_LOAD_AXIS_ACCEPTED] = "accepted load (flits per node and cycle)",
    [FL_LOAD_AXIS_FAULT_RATE] = "fault rate",
    [FL_LOAD_AXIS_CYCLE] = "cycle",
};

/* What decides on the colours of the curves; see fl_figures_subjects. `names` has room for twice
 * the curves. */
static const char *const *subjects_of(const load_figure *f, const char **names)
{
    const char **routers = names + f->count;
    for (unsigned i = 0; i < f->count; i++) {
        names[i] = fl_figure_set_up(f, i)->router->network->spec;
        routers[i] = fl_figure_set_up(f, i)->router->canonical;
    }
    return f->results->second_apart ? routers : fl_figures_subjects(names, routers, f->count);
}

static void append_y_label(const load_figure *f, fl_text *out)
{
    fl_text_append(out, "%s", texts[f->spec->quantity].label);
    if (fl_figure_is_difference(f))
        fl_text_append(out, ", less that of %s", f->spec->difference_to);
}

/* From 0, where a quantity begins; differences do not. */
static double y_min_of(const load_figure *f, bool log)
{
    return isfinite(f->spec->y_min) || log || fl_figure_is_difference(f) ? f->spec->y_min : 0;
}

static fl_status plot(const load_figure *f, line *lines, bool log_y, const char *path,
                      fl_error *error)
{
    const fl_load_figure *spec = f->spec;
    fl_plot_series series[FL_LOAD_CURVES_MAX];
    const char *names[2 * FL_LOAD_CURVES_MAX];
    const char *const *subjects = subjects_of(f, names);
    fl_text subtitle = {0}, footnote = {0}, y_label = {0};
    failure_marks marks;
    for (unsigned i = 0; i < f->count; i++)
        series[i] = (fl_plot_series){.label = f->results->curves[f->curves[i]].label,
                                     .points = lines[i].points,
                                     .x = lines[i].x,
                                     .y = lines[i].y,
                                     .low = lines[i].low,
                                     .high = lines[i].high,
                                     .subject = subjects ? subjects[i] : NULL,
                                     .rises = lines[i].rises,
                                     .rise_x = lines[i].rise_x};
    find_marks(f, &marks);
    fl_figure_subtitle(f, &subtitle);
    fl_figure_faults(f, &subtitle);
    fl_figure_footnote(f, &footnote);
    append_y_label(f, &y_label);
    bool log = (log_y || spec->log_y) && !fl_figure_is_difference(f);
    const fl_plot p = {
        .title = spec->title               ? spec->title
                 : f->results->spec->title ? f->results->spec->title
                                           : texts[spec->quantity].title,
        .subtitle = subtitle.data,
        .footnote = footnote.data,
        .x_label = axis_texts[spec->axis],
        .y_label = y_label.data,
        .log_y = log,
        .percent_x = spec->axis == FL_LOAD_AXIS_FAULT_RATE,
        .x_min = isfinite(spec->x_min) ? spec->x_min : 0,
        .x_max = spec->x_max,
        .y_min = y_min_of(f, log),
        .y_max = spec->y_max,
        .mark_count = marks.count,
        .marks = marks.marks,
        .series_count = f->count,
        .series = series,
    };
    fl_status status =
        subtitle.failed || footnote.failed || y_label.failed
            ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the figure %s", spec->name)
            : fl_plot_write(&p, path, error);
    fl_text_clear(&subtitle);
    fl_text_clear(&footnote);
    fl_text_clear(&y_label);
    return status;
}

static fl_status draw_figure(const fl_load_results *results, const fl_load_figure *spec, bool log_y,
                             const char *folder, fl_error *error)
{
    load_figure f = {.results = results, .spec = spec};
    line lines[FL_LOAD_CURVES_MAX] = {{0}};
    fl_text path = {0};
    bool good = true;
    for (unsigned i = 0; i < results->spec->curve_count; i++)
        if (spec->curves.count == 0 || fl_names_hold(&spec->curves, results->curves[i].label))
            f.curves[f.count++] = i;
    for (unsigned i = 0; i < results->spec->curve_count && fl_figure_is_difference(&f); i++)
        if (strcmp(results->curves[i].label, spec->difference_to) == 0)
            f.baseline = i;
    for (unsigned i = 0; i < f.count && good; i++)
        good = spec->axis == FL_LOAD_AXIS_CYCLE ? series_of(&f, f.curves[i], &lines[i])
                                                : points_of(&f, f.curves[i], &lines[i]);
    fl_text_append(&path, "%s/simulate-%s", folder, spec->name);
    fl_status status =
        good && !path.failed
            ? plot(&f, lines, log_y, path.data, error)
            : fl_fail(error, FL_ERR_MEMORY, "out of memory for the figure %s", spec->name);
    for (unsigned i = 0; i < f.count; i++)
        free(lines[i].x);
    fl_text_clear(&path);
    return status;
}

/* Of specs that name no figures. */
static fl_load_figure usual_figure(const fl_load_results *results, unsigned index)
{
    static char latency[] = "latency", accepted[] = "accepted";
    return (fl_load_figure){.name = index ? accepted : latency,
                            .quantity = index ? FL_LOAD_ACCEPTED : FL_LOAD_LATENCY,
                            .axis = results->spec->fault_rates ? FL_LOAD_AXIS_FAULT_RATE
                                                               : FL_LOAD_AXIS_OFFERED,
                            .x_min = (double)NAN,
                            .x_max = (double)NAN,
                            .y_min = (double)NAN,
                            .y_max = (double)NAN};
}

fl_status fl_load_draw(const fl_load_results *results, const char *folder, bool log_y,
                       fl_error *error)
{
    fl_status status = FL_OK;
    for (unsigned i = 0; fl_load_spec_figure(results->spec, i) && !status; i++) {
        fl_load_figure usual = usual_figure(results, i);
        status =
            draw_figure(results, results->spec->figure_count ? &results->spec->figures[i] : &usual,
                        log_y, folder, error);
    }
    return status;
}
