#include "experiments/results.h"
#include "experiments/figures.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- running: routers are taken by threads one after the other ---- */

typedef struct task {
    unsigned sweep, router;
} task;

typedef struct all_threads {
    fl_exact_results *results;
    const fl_exact_options *options;
    task *tasks;
    pthread_mutex_t lock;
    unsigned next, done;
    fl_status status;
    fl_error error;
} all_threads;

static void finish(all_threads *c, unsigned index, fl_status status, const fl_error *error)
{
    const fl_exact_options *options = c->options;
    pthread_mutex_lock(&c->lock);
    c->done++;
    if (status == FL_ERR_STOPPED) {
        c->results->partial = true;
        free(c->results->curves[index].points);
        c->results->curves[index].points = NULL;
    } else if (status && !c->status) {
        c->status = status;
        c->error = *error;
    }
    if (options->progress)
        options->progress(options->user, c->done, c->results->curve_count);
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *user)
{
    all_threads *c = user;
    for (;;) {
        pthread_mutex_lock(&c->lock);
        unsigned index = c->next++;
        bool over = c->status != FL_OK;
        pthread_mutex_unlock(&c->lock);
        if (index >= c->results->curve_count || over)
            return NULL;
        fl_error error;
        task t = c->tasks[index];
        fl_exact_curve *curve = &c->results->curves[index];
        fl_status status = curve->points ? fl_exact_run(&c->results->experiment->bound[t.sweep],
                                                        t.router, c->options, curve, &error)
                                         : FL_OK;
        finish(c, index, status, &error);
    }
}

static fl_status prepare(all_threads *c, fl_error *error)
{
    fl_exact_results *results = c->results;
    const fl_experiment *experiment = results->experiment;
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        results->curve_count += experiment->bound[i].router_count;
    results->curves = calloc(results->curve_count, sizeof *results->curves);
    c->tasks = calloc(results->curve_count, sizeof *c->tasks);
    unsigned at = 0;
    bool good = results->curves && c->tasks;
    for (unsigned i = 0; i < experiment->sweep_count && good; i++)
        for (unsigned r = 0; r < experiment->bound[i].router_count && good; r++, at++) {
            c->tasks[at] = (task){i, r};
            if (!fl_exact_serves(&experiment->bound[i], r))
                continue; /* left out: without points it has no rows */
            results->curves[at].points = calloc(
                fl_fault_model_fault_points(experiment->bound[i].model), sizeof(fl_exact_point));
            good = results->curves[at].points != NULL;
        }
    return good ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory for the curves");
}

static fl_status run_threads(all_threads *c, unsigned threads, fl_error *error)
{
    pthread_t *others = calloc(threads, sizeof *others);
    unsigned started = 0;
    if (!others)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for threads");
    while (started + 1 < threads && pthread_create(&others[started], NULL, work, c) == 0)
        started++;
    work(c);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    free(others);
    return c->status ? fl_fail(error, c->status, "%s", c->error.text) : FL_OK;
}

static fl_status check(const fl_experiment *experiment, fl_error *error)
{
    bool any_router = false;
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &experiment->bound[i];
        for (unsigned r = 0; r < bound->router_count; r++)
            any_router |= fl_exact_serves(bound, r);
    }
    return any_router
               ? FL_OK
               : fl_fail(error, FL_ERR_INVALID, "exact does not work out these limits: use sweep");
}

fl_status fl_exact_experiment(fl_exact_results **out, const fl_experiment *experiment,
                              const fl_exact_options *options, fl_error *error)
{
    fl_status status = check(experiment, error);
    if (status)
        return status;
    fl_exact_results *results = calloc(1, sizeof *results);
    if (!results)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the results");
    results->experiment = experiment;
    fl_time_stamp(results->started);
    double start = fl_seconds_now();
    fl_exact_options own = *options;
    own.trials = experiment->trials;
    own.seed = experiment->seed;
    all_threads c = {.results = results, .options = &own, .lock = PTHREAD_MUTEX_INITIALIZER};
    status = prepare(&c, error);
    if (!status)
        status = run_threads(&c, options->threads, error);
    free(c.tasks);
    results->wall_seconds = fl_seconds_now() - start;
    if (status) {
        fl_exact_results_destroy(results);
        return status;
    }
    *out = results;
    return FL_OK;
}

void fl_exact_results_destroy(fl_exact_results *results)
{
    if (!results)
        return;
    for (unsigned i = 0; results->curves && i < results->curve_count; i++)
        free(results->curves[i].points);
    free(results->curves);
    free(results);
}

/* ---- texts ---- */

/* Where the curves of a sweep begin. */
static unsigned first_curve(const fl_experiment *experiment, unsigned sweep)
{
    unsigned first = 0;
    while (sweep-- > 0)
        first += experiment->bound[sweep].router_count;
    return first;
}

static const fl_exact_curve *curve_of(const fl_exact_results *results, unsigned sweep,
                                      unsigned router)
{
    return &results->curves[first_curve(results->experiment, sweep) + router];
}

static const char *method_of(const fl_exact_curve *curve)
{
    return curve->exact ? "exact" : "bound";
}

/* How the path lengths are known. */
static const char *length_method_of(const fl_exact_curve *curve)
{
    return curve->length_is_sampled ? "sampled" : method_of(curve);
}

static double middle(double low, double high)
{
    return low + (high - low) / 2;
}

static void append_row(const fl_exact_results *results, unsigned i, unsigned router,
                       uint32_t fault_point, fl_text *out)
{
    const fl_exact_curve *curve = curve_of(results, i, router);
    const fl_exact_point *p = &curve->points[fault_point];
    fl_csv_append_point(out, results->experiment, i, router, fault_point);
    fl_text_append(out, ",,%.12g,%.12g,%.12g,", middle(p->success_low, p->success_high),
                   p->success_low, p->success_high);
    if (p->has_length)
        fl_text_append(out, "%.12g,%.12g,%.12g", middle(p->length_low, p->length_high),
                       p->length_low, p->length_high);
    else
        fl_text_append(out, ",,");
    for (int reason = 0; reason < FL_REASONS; reason++)
        fl_text_append(out, ",");
    fl_text_append(out, ",%s,%s", method_of(curve), length_method_of(curve));
    if (curve->length_is_sampled)
        fl_text_append(out, ",%llu,%llu\n", (unsigned long long)curve->length_trials,
                       (unsigned long long)curve->length_seed);
    else
        fl_text_append(out, ",,\n");
}

void fl_exact_csv(const fl_exact_results *results, fl_text *out)
{
    const fl_experiment *experiment = results->experiment;
    fl_csv_append_header(out);
    fl_text_append(out, ",method,path_method,path_trials,path_seed\n");
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned r = 0; r < experiment->bound[i].router_count; r++)
            for (uint32_t fault_point = 0;
                 curve_of(results, i, r)->points &&
                 fault_point < fl_fault_model_fault_points(experiment->bound[i].model);
                 fault_point++)
                append_row(results, i, r, fault_point, out);
}

static void json_values(fl_json_writer *out, const char *key, const fl_exact_curve *curve,
                        uint32_t fault_points, size_t offset)
{
    bool length = offset == offsetof(fl_exact_point, length_low) ||
                  offset == offsetof(fl_exact_point, length_high);
    fl_json_open_packed(fl_json_line(out), key);
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++) {
        const fl_exact_point *p = &curve->points[fault_point];
        double value = *(const double *)((const char *)p + offset);
        fl_json_real(out, NULL, length && !p->has_length ? NAN : value, 17);
    }
    fl_json_close(out);
}

static void json_curve(fl_json_writer *out, const char *router, const fl_exact_curve *curve,
                       uint32_t fault_points)
{
    fl_json_open_object(fl_json_line(out), NULL);
    fl_json_text(out, "router", router);
    fl_json_text(out, "method", method_of(curve));
    fl_json_text(out, "path_method", length_method_of(curve));
    if (curve->length_is_sampled) {
        fl_json_number(out, "path_trials", curve->length_trials);
        fl_json_number(out, "path_seed", curve->length_seed);
    }
    fl_json_bool(out, "whole_numbers", curve->integers);
    fl_json_real(out, "prune", curve->prune, 17);
    fl_json_number(out, "states", curve->states);
    fl_json_number(out, "pair_classes", curve->pair_classes);
    fl_json_fixed(out, "seconds", curve->seconds, 3);
    json_values(out, "success_low", curve, fault_points, offsetof(fl_exact_point, success_low));
    json_values(out, "success_high", curve, fault_points, offsetof(fl_exact_point, success_high));
    json_values(out, "path_low", curve, fault_points, offsetof(fl_exact_point, length_low));
    json_values(out, "path_high", curve, fault_points, offsetof(fl_exact_point, length_high));
    fl_json_close(out);
}

static void json_sweep(fl_json_writer *out, const fl_exact_results *results, unsigned i)
{
    const fl_bound_sweep *bound = &results->experiment->bound[i];
    fl_json_open_sweep(out, results->experiment, i);
    fl_json_axis(out, bound->model);
    fl_json_open_array(fl_json_line(out), "routers");
    for (unsigned r = 0; r < bound->router_count; r++)
        if (curve_of(results, i, r)->points)
            json_curve(out, bound->routers[r]->canonical, curve_of(results, i, r),
                       fl_fault_model_fault_points(bound->model));
    fl_json_close(out);
    fl_json_close(out);
}

void fl_exact_json(const fl_exact_results *results, fl_text *text)
{
    const fl_experiment *experiment = results->experiment;
    fl_json_writer out = fl_json_writer_begin(text, 1);
    fl_json_open_results(&out, "faultline exact 1");
    fl_json_line_text(&out, "name", experiment->name ? experiment->name : "exact");
    fl_json_spec(&out, experiment);
    fl_json_bool(fl_json_line(&out), "partial", results->partial);
    fl_json_line_text(&out, "started", results->started);
    fl_json_fixed(fl_json_line(&out), "wall_seconds", results->wall_seconds, 3);
    fl_json_figures(&out, experiment);
    fl_json_host(&out);
    fl_json_open_array(fl_json_line(&out), "sweeps");
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        json_sweep(&out, results, i);
    fl_json_close(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}

static void add_row(fl_table *table, const char *name, const fl_exact_curve *curve,
                    uint32_t fault_points)
{
    fl_table_cell(table, "%s", name);
    for (unsigned i = 0; i < FL_SUMMARY_COLUMNS && i < fault_points; i++) {
        const fl_exact_point *p = &curve->points[fl_summary_fault_point(fault_points, i)];
        if (p->success_low == p->success_high)
            fl_table_cell(table, "%.9f", p->success_low);
        else
            fl_table_cell(table, "%.5f..%.5f", p->success_low, p->success_high);
    }
    fl_table_rest(table, "%s", method_of(curve));
    fl_table_row(table);
}

void fl_exact_summary(const fl_exact_results *results, fl_text *out)
{
    for (unsigned i = 0; i < results->experiment->sweep_count; i++) {
        const fl_bound_sweep *bound = &results->experiment->bound[i];
        uint32_t fault_points = fl_fault_model_fault_points(bound->model);
        fl_table table = {0};
        fl_text_append(
            out, "%s, fault model %s, scope %s: success ratio over all pairs, without sampling\n",
            bound->network->spec, fl_fault_model_spec(bound->model),
            fl_scope_names[results->experiment->sweeps[i].scope]);
        fl_summary_columns(&table, bound, fault_points);
        for (unsigned r = 0; r < bound->router_count; r++)
            if (curve_of(results, i, r)->points)
                add_row(&table, bound->routers[r]->canonical, curve_of(results, i, r),
                        fault_points);
        fl_table_end(&table, out);
    }
}

/* ---- files ---- */

fl_status fl_exact_write(const fl_exact_results *results, const char *folder, fl_error *error)
{
    fl_text csv = {0}, json = {0};
    fl_exact_csv(results, &csv);
    fl_exact_json(results, &json);
    return fl_results_write_pair(folder, "exact", &csv, &json, error);
}

static void subtract(const fl_exact_curve *reference, uint32_t fault_points, double *y, double *low,
                     double *high)
{
    for (uint32_t fault_point = 0; fault_point < fault_points; fault_point++) {
        const fl_exact_point *p = reference->points ? &reference->points[fault_point] : NULL;
        low[fault_point] -= p ? p->success_high : NAN;
        high[fault_point] -= p ? p->success_low : NAN;
        y[fault_point] = middle(low[fault_point], high[fault_point]);
    }
}

static void read_curve(const void *from, unsigned i, unsigned router, int reference,
                       fl_quantity quantity, double *y, double *low, double *high)
{
    const fl_exact_results *results = from;
    const fl_exact_curve *curve = curve_of(results, i, router);
    for (uint32_t fault_point = 0;
         fault_point < fl_fault_model_fault_points(results->experiment->bound[i].model);
         fault_point++) {
        const fl_exact_point *p = curve->points ? &curve->points[fault_point] : NULL;
        bool ratio = quantity == FL_QUANTITY_SUCCESS_RATIO, known = p && (ratio || p->has_length);
        low[fault_point] = known ? (ratio ? p->success_low : p->length_low) : NAN;
        high[fault_point] = known ? (ratio ? p->success_high : p->length_high) : NAN;
        y[fault_point] = middle(low[fault_point], high[fault_point]);
    }
    if (reference != FL_NO_REFERENCE)
        subtract(curve_of(results, i, (unsigned)reference),
                 fl_fault_model_fault_points(results->experiment->bound[i].model), y, low, high);
}

static bool any_sampled(const fl_exact_results *results)
{
    for (unsigned i = 0; i < results->curve_count; i++)
        if (results->curves[i].length_is_sampled)
            return true;
    return false;
}

fl_status fl_exact_draw(const fl_exact_results *results, const char *folder, bool log_y,
                        fl_error *error)
{
    const fl_experiment *experiment = results->experiment;
    fl_text footnote = {0};
    fl_text_append(
        &footnote,
        "exact over all pairs of nodes (bands, where there are any: rigorous bounds%s), Faultline %s, spec %s",
        any_sampled(results) ? "; path lengths of limit: sampled, 95%" : "", FL_VERSION,
        experiment->hash);
    if (experiment->source)
        fl_text_append(&footnote, "\n%s", experiment->source);
    fl_figure_source source = {experiment, results, read_curve, "exact-", footnote.data};
    fl_status status = fl_figures_draw(&source, folder, log_y, error);
    fl_text_clear(&footnote);
    return status;
}
