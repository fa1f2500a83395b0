#include "experiments/figures.h"
#include "plots/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what distinguishes the sweeps of an experiment ---- */

static bool all_equal(const fl_experiment *experiment,
                      const char *(*part)(const fl_experiment *, unsigned))
{
    for (unsigned i = 1; i < experiment->sweep_count; i++)
        if (strcmp(part(experiment, i), part(experiment, 0)) != 0)
            return false;
    return true;
}

static const char *topology_of(const fl_experiment *experiment, unsigned i)
{
    return experiment->bound[i].network->spec;
}

static const char *model_of(const fl_experiment *experiment, unsigned i)
{
    return fl_fault_model_spec(experiment->bound[i].model);
}

static const char *scope_of(const fl_experiment *experiment, unsigned i)
{
    return fl_scope_names[experiment->sweeps[i].scope];
}

typedef const char *part_reader(const fl_experiment *, unsigned);
static part_reader *const parts[] = {topology_of, model_of, scope_of};

/* The router, and whatever the sweeps differ in. */
static void append_label(fl_text *out, const fl_experiment *experiment, unsigned i, unsigned router)
{
    fl_text_append(out, "%s", experiment->bound[i].routers[router]->canonical);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        if (!all_equal(experiment, parts[p]))
            fl_text_append(out, ", %s", parts[p](experiment, i));
}

/* ... and what they share. */
static void append_subtitle(fl_text *out, const fl_experiment *experiment)
{
    static const char *const names[] = {"", "fault model ", "scope "};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        if (all_equal(experiment, parts[p]))
            fl_text_append(out, "%s%s%s", out->length ? ", " : "", names[p],
                           parts[p](experiment, 0));
}

/* ---- curves ---- */

typedef struct curve {
    fl_text label;
    double *x, *y, *low, *high;
    uint32_t points;
    const char *network, *router;
    bool is_limit;
} curve;

static void free_curves(curve *curves, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fl_text_clear(&curves[i].label);
        free(curves[i].x); /* the others lie in the same block */
    }
    free(curves);
}

/* The reference of a figure in a sweep. */
static int reference_in(const fl_figure_spec *figure, const fl_bound_sweep *bound)
{
    for (unsigned r = 0; figure->reference && r < bound->router_count; r++)
        if (strcmp(bound->routers[r]->canonical, figure->reference) == 0)
            return (int)r;
    return FL_NO_REFERENCE;
}

/* A share as percentage points. */
static void scale(curve *c, double factor)
{
    for (uint32_t fault_point = 0; fault_point < c->points; fault_point++) {
        c->y[fault_point] *= factor;
        c->low[fault_point] *= factor;
        c->high[fault_point] *= factor;
    }
}

static bool make_curve(curve *c, const fl_figure_source *source, const fl_figure_spec *figure,
                       unsigned i, unsigned router)
{
    const fl_bound_sweep *bound = &source->experiment->bound[i];
    uint32_t fault_points = fl_fault_model_fault_points(bound->model);
    append_label(&c->label, source->experiment, i, router);
    c->x = malloc(4 * (size_t)fault_points * sizeof *c->x);
    if (!c->x || c->label.failed)
        return false;
    c->y = c->x + fault_points;
    c->low = c->y + fault_points;
    c->high = c->low + fault_points;
    c->points = fault_points;
    c->network = bound->network->spec;
    c->router = bound->routers[router]->canonical;
    c->is_limit = bound->routers[router]->type->limit != FL_NO_LIMIT;
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++)
        c->x[fault_point] = fl_fault_model_rate_at(bound->model, fault_point);
    source->read(source->results, i, router, reference_in(figure, bound), figure->quantity, c->y,
                 c->low, c->high);
    if (figure->reference)
        scale(c, 100);
    return true;
}

/* A sweep without the reference has no differences, and the reference's own is 0. */
static bool is_wanted(const fl_figure_spec *figure, const fl_bound_sweep *bound, unsigned r)
{
    const char *router = bound->routers[r]->canonical;
    int reference = reference_in(figure, bound);
    if (figure->reference && (reference == FL_NO_REFERENCE || (unsigned)reference == r))
        return false;
    return figure->routers.count == 0 || fl_names_hold(&figure->routers, router);
}

/* ---- figures ---- */

const char *const *fl_figures_subjects(const char *const *networks, const char *const *routers,
                                       size_t count)
{
    size_t of_networks = fl_plot_subjects(networks, count),
           of_routers = fl_plot_subjects(routers, count);
    if (of_networks == 1 && of_routers == 1 && count > 1)
        return NULL;
    return of_networks > 1 && of_networks >= of_routers ? networks : routers;
}

/* Beside other curves limits are grey and behind them. Where nothing but limits of several networks
 * is drawn they are curves like others. */
static bool are_envelopes(const curve *curves, size_t count, bool by_router)
{
    for (size_t i = 0; i < count; i++)
        if (!curves[i].is_limit)
            return true;
    return by_router;
}

static fl_status make_series(fl_plot_series **out, const curve *curves, size_t count,
                             const char *figure, fl_error *error)
{
    fl_plot_series *series = *out = calloc(count + 1, sizeof *series);
    const char **names = calloc(2 * count + 1, sizeof *names),
               **routers = names ? names + count : NULL;
    if (!series || !names) {
        free(names);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the figure %s", figure);
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = curves[i].network;
        routers[i] = curves[i].router;
    }
    const char *const *subjects = fl_figures_subjects(names, routers, count);
    bool envelopes = are_envelopes(curves, count, subjects == routers);
    for (size_t i = 0; i < count; i++)
        series[i] = (fl_plot_series){.label = curves[i].label.data,
                                     .points = curves[i].points,
                                     .x = curves[i].x,
                                     .y = curves[i].y,
                                     .low = curves[i].low,
                                     .high = curves[i].high,
                                     .envelope = curves[i].is_limit && envelopes,
                                     .subject = subjects ? subjects[i] : NULL};
    free(names);
    return FL_OK;
}

static void append_y_label(fl_text *out, const fl_figure_spec *figure)
{
    if (figure->reference)
        fl_text_append(out, "success ratio minus that of %s (percentage points)",
                       figure->reference);
    else
        fl_text_append(out, "%s",
                       figure->quantity == FL_QUANTITY_SUCCESS_RATIO
                           ? "success ratio"
                           : "mean path length of delivered packets (links)");
}

static void append_footnote(fl_text *out, const fl_figure_source *source,
                            const fl_figure_spec *figure)
{
    if (figure->quantity == FL_QUANTITY_MEAN_PATH_LENGTH)
        fl_text_append(
            out,
            "A survivor mean: which packets are delivered, and so averaged, differs from curve to curve and rate to rate.\n");
    if (figure->reference)
        fl_text_append(
            out,
            "Differences on the same faults and pairs; bands of sampled ones by Agresti and Min.\n");
    fl_text_append(out, "%s", source->footnote);
}

static fl_status plot_curves(const fl_figure_source *source, const fl_figure_spec *figure,
                             bool log_y, const curve *curves, size_t count, const char *path,
                             fl_error *error)
{
    fl_plot_series *series;
    fl_status status = make_series(&series, curves, count, figure->name, error);
    if (status) {
        free(series);
        return status;
    }
    const fl_experiment *experiment = source->experiment;
    fl_text subtitle = {0};
    append_subtitle(&subtitle, experiment);
    fl_text y_label = {0}, footnote = {0};
    append_y_label(&y_label, figure);
    append_footnote(&footnote, source, figure);
    bool ratio = figure->quantity == FL_QUANTITY_SUCCESS_RATIO && !figure->reference;
    fl_plot plot = {
        .title = figure->title ? figure->title : experiment->title,
        .subtitle = subtitle.data,
        .footnote = footnote.data,
        .x_label = "fault rate",
        .y_label = y_label.data,
        .percent_x = true,
        .log_y = log_y || figure->log_y,
        .x_min = NAN,
        .x_max = NAN,
        .y_min = ratio && !log_y && !figure->log_y ? 0 : NAN,
        .y_max = ratio ? 1 : NAN,
        .series_count = count,
        .series = series,
    };
    status = fl_plot_write(&plot, path, error);
    fl_text_clear(&subtitle);
    fl_text_clear(&y_label);
    fl_text_clear(&footnote);
    free(series);
    return status;
}

static fl_status draw_figure(const fl_figure_source *source, const fl_figure_spec *figure,
                             bool log_y, const char *folder, fl_error *error)
{
    const fl_experiment *experiment = source->experiment;
    size_t count = 0, room = 0;
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        room += experiment->bound[i].router_count;
    curve *curves = calloc(room, sizeof *curves);
    bool good = curves != NULL;
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned router = 0; router < experiment->bound[i].router_count && good; router++)
            if (is_wanted(figure, &experiment->bound[i], router))
                good = make_curve(&curves[count++], source, figure, i, router);
    fl_text path = {0};
    fl_text_append(&path, "%s/%s%s", folder, source->prefix, figure->name);
    fl_status status =
        good && !path.failed
            ? plot_curves(source, figure, log_y, curves, count, path.data, error)
            : fl_fail(error, FL_ERR_MEMORY, "out of memory for the figure %s", figure->name);
    fl_text_clear(&path);
    if (curves)
        free_curves(curves, count);
    return status;
}

/* Of experiments that name none. */
static const fl_figure_spec usual_figures[] = {
    {.name = "success-ratio", .quantity = FL_QUANTITY_SUCCESS_RATIO},
    {.name = "path-length", .quantity = FL_QUANTITY_MEAN_PATH_LENGTH},
};

static const fl_figure_spec *figure_at(const fl_experiment *experiment, unsigned index)
{
    bool named = experiment->figure_count > 0;
    unsigned count =
        named ? experiment->figure_count : sizeof usual_figures / sizeof *usual_figures;
    return index >= count ? NULL : named ? &experiment->figures[index] : &usual_figures[index];
}

const char *fl_experiment_figure(const fl_experiment *experiment, unsigned index)
{
    const fl_figure_spec *figure = figure_at(experiment, index);
    return figure ? figure->name : NULL;
}

fl_status fl_figures_draw(const fl_figure_source *source, const char *folder, bool log_y,
                          fl_error *error)
{
    fl_status status = FL_OK;
    const fl_figure_spec *figure;
    for (unsigned i = 0; (figure = figure_at(source->experiment, i)) != NULL && !status; i++)
        status = draw_figure(source, figure, log_y, folder, error);
    return status;
}

/* ---- of sampled results ---- */

/* On the same configurations. */
static void read_differences(const fl_results *results, const fl_counts *counts, unsigned router,
                             unsigned reference, double *y, double *low, double *high)
{
    unsigned first = router < reference ? router : reference,
             second = router < reference ? reference : router;
    for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++) {
        uint64_t both =
            counts
                ->both[(size_t)fl_counts_pair(first, second) * counts->fault_points + fault_point];
        uint64_t more =
            counts->of[(size_t)router * counts->fault_points + fault_point].delivered - both;
        uint64_t less =
            counts->of[(size_t)reference * counts->fault_points + fault_point].delivered - both;
        fl_interval interval = {NAN, NAN};
        if (counts->trials > 0)
            interval = fl_stats_paired_difference(more, less, counts->trials, results->z);
        y[fault_point] =
            counts->trials > 0 ? ((double)more - (double)less) / (double)counts->trials : NAN;
        low[fault_point] = interval.low;
        high[fault_point] = interval.high;
    }
}

static void read_counts(const void *from, unsigned i, unsigned router, int reference,
                        fl_quantity quantity, double *y, double *low, double *high)
{
    const fl_results *results = from;
    const fl_counts *counts = results->counts[i];
    if (reference != FL_NO_REFERENCE) {
        read_differences(results, counts, router, (unsigned)reference, y, low, high);
        return;
    }
    for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++) {
        const fl_count *count = &counts->of[(size_t)router * counts->fault_points + fault_point];
        fl_interval interval = {NAN, NAN};
        y[fault_point] = NAN;
        if (quantity == FL_QUANTITY_SUCCESS_RATIO && counts->trials > 0) {
            y[fault_point] = (double)count->delivered / (double)counts->trials;
            interval = fl_stats_wilson(count->delivered, counts->trials, results->z);
        } else if (quantity == FL_QUANTITY_MEAN_PATH_LENGTH && count->delivered > 0) {
            y[fault_point] = (double)count->length_sum / (double)count->delivered;
            fl_stats_mean_interval(count->delivered, (double)count->length_sum,
                                   (double)count->length_squares, results->z, &interval);
        }
        low[fault_point] = interval.low;
        high[fault_point] = interval.high;
    }
}

fl_status fl_results_draw(const fl_results *results, const char *folder, bool log_y,
                          fl_error *error)
{
    const fl_experiment *experiment = results->experiment;
    fl_text footnote = {0};
    fl_text_append(
        &footnote,
        "%llu trials at each fault rate%s, seed %llu; bands: 95%% confidence (ratio: Wilson; mean length: normal); Faultline %s, spec %s",
        (unsigned long long)results->counts[0]->trials, results->partial ? " (partial)" : "",
        (unsigned long long)experiment->seed, FL_VERSION, experiment->hash);
    if (experiment->source)
        fl_text_append(&footnote, "\n%s", experiment->source);
    fl_figure_source source = {experiment, results, read_counts, "", footnote.data};
    fl_status status = fl_figures_draw(&source, folder, log_y, error);
    fl_text_clear(&footnote);
    return status;
}
