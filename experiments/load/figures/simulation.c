/* Figures of one simulation: those of a spec that says the same. */
#include "experiments/load/curves_private.h"

#include <math.h>
#include <stdlib.h>

enum { SERIES_MAX = 12 }; /* loads over time in one figure */

static const struct {
    const char *name;
    fl_load_quantity quantity;
    fl_load_axis axis;
} figures[] = {
    {"latency", FL_LOAD_LATENCY, FL_LOAD_AXIS_OFFERED},
    {"accepted", FL_LOAD_ACCEPTED, FL_LOAD_AXIS_OFFERED},
    {"series-latency", FL_LOAD_SERIES_LATENCY, FL_LOAD_AXIS_CYCLE},
    {"series-delivered", FL_LOAD_SERIES_DELIVERED, FL_LOAD_AXIS_CYCLE},
    {"series-lost", FL_LOAD_SERIES_LOST, FL_LOAD_AXIS_CYCLE},
};

enum { FIGURES = sizeof figures / sizeof *figures };

/* One load is a point, not a curve; a workload has nothing that it would be drawn against; nothing
 * is lost where nothing fails. */
static bool is_drawn(const fl_simulation *s, unsigned figure)
{
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(s->plan);
    if (set_up->workload)
        return false;
    if (figures[figure].axis == FL_LOAD_AXIS_OFFERED)
        return s->load_count > 1;
    bool faults = set_up->failure_count > 0 || (set_up->faults && set_up->faults->count > 0);
    return set_up->series > 0 && (faults || figures[figure].quantity != FL_LOAD_SERIES_LOST);
}

const char *fl_simulation_figure(const fl_simulation *simulation, unsigned index)
{
    for (unsigned i = 0; i < FIGURES; i++)
        if (is_drawn(simulation, i) && index-- == 0)
            return figures[i].name;
    return NULL;
}

/* Room for the curves of a simulation: its runs in another order. */
typedef struct curves {
    fl_load_curve of[SERIES_MAX];
    unsigned count;
    char labels[SERIES_MAX][32];
    double *loads;          /* [load_count] */
    fl_sim_task *tasks;     /* [load_count * runs] */
    fl_sim_result *results; /* the same; what they point to is the simulation's */
    size_t points;          /* taken so far */
} curves;

static void begin_curve(curves *c, const fl_simulation *s, const char *label)
{
    size_t runs = s->spec.runs;
    c->of[c->count++] = (fl_load_curve){
        label,        s->spec.preset, 0, runs, c->loads + c->points, c->tasks + c->points * runs,
        s->spec.proof};
}

static void take_load(curves *c, const fl_simulation *s, size_t load)
{
    size_t runs = s->spec.runs;
    for (size_t i = 0; i < runs; i++) {
        const fl_sim_result *r = &s->results[load * runs + i];
        c->tasks[c->points * runs + i] = (fl_sim_task){s->plan, s->loads[load], r->seed};
        c->results[c->points * runs + i] = *r;
    }
    c->loads[c->points++] = s->loads[load];
    c->of[c->count - 1].points++;
}

/* Near saturation, where a search looks, such points are of no curve: how far they had come at the
 * end is chance. */
static bool is_unsteady(const fl_simulation *s, size_t load)
{
    for (size_t i = load * s->spec.runs; i < (load + 1) * s->spec.runs; i++)
        if (s->spec.find_saturation && !s->results[i].steady && !s->results[i].saturated &&
            !s->results[i].deadlocked)
            return true;
    return false;
}

static void curves_of_loads(curves *c, const fl_simulation *s)
{
    begin_curve(c, s, fl_sim_plan_set_up(s->plan)->router->canonical);
    for (size_t load = 0; load < s->load_count; load++)
        if (!is_unsteady(s, load))
            take_load(c, s, load);
    if (c->points == s->load_count)
        return;
    begin_curve(c, s, "not steady");
    for (size_t load = 0; load < s->load_count; load++)
        if (is_unsteady(s, load))
            take_load(c, s, load);
}

static void curves_over_time(curves *c, const fl_simulation *s)
{
    for (size_t load = 0; load < s->load_count && load < SERIES_MAX; load++) {
        snprintf(c->labels[load], sizeof c->labels[load], "load %g", s->loads[load]);
        begin_curve(c, s, c->labels[load]);
        take_load(c, s, load);
    }
}

static fl_status draw(const fl_simulation *s, curves *c, unsigned figure, const char *folder,
                      bool log_y, fl_error *error)
{
    bool over_time = figures[figure].axis == FL_LOAD_AXIS_CYCLE;
    double end = s->spec.find_saturation && isfinite(s->not_carried) ? fmin(1, 1.2 * s->not_carried)
                                                                     : (double)NAN;
    char name[32];
    snprintf(name, sizeof name, "%s", figures[figure].name);
    fl_load_figure one = {.name = name,
                          .quantity = figures[figure].quantity,
                          .axis = figures[figure].axis,
                          .x_min = (double)NAN,
                          .x_max = over_time ? (double)NAN : end,
                          .y_min = (double)NAN,
                          .y_max = (double)NAN};
    c->count = 0;
    c->points = 0;
    (over_time ? curves_over_time : curves_of_loads)(c, s);
    const fl_load_spec spec = {.curve_count = c->count, .figure_count = 1, .figures = &one};
    const fl_load_results results = {.spec = &spec,
                                     .curves = c->of,
                                     .results = c->results,
                                     .result_count = c->points * s->spec.runs,
                                     .partial = s->partial,
                                     .second_apart = !over_time};
    return fl_load_draw(&results, folder, log_y && one.quantity == FL_LOAD_LATENCY, error);
}

fl_status fl_simulation_draw(const fl_simulation *simulation, const char *folder, bool log_y,
                             fl_error *error)
{
    size_t loads = simulation->load_count + 1, runs = loads * simulation->spec.runs;
    curves c = {.loads = calloc(loads, sizeof *c.loads),
                .tasks = calloc(runs, sizeof *c.tasks),
                .results = calloc(runs, sizeof *c.results)};
    fl_status status = c.loads && c.tasks && c.results
                           ? FL_OK
                           : fl_fail(error, FL_ERR_MEMORY, "out of memory for the figures");
    for (unsigned i = 0; i < FIGURES && !status; i++)
        if (is_drawn(simulation, i))
            status = draw(simulation, &c, i, folder, log_y, error);
    free(c.results);
    free(c.tasks);
    free(c.loads);
    return status;
}
