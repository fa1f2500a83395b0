/* Specs of simulations turned into plans. */
#include "experiments/spec/load_bind.h"
#include "experiments/spec/fault_options.h"
#include "experiments/spec/pieces.h"

#include <stdlib.h>
#include <string.h>

enum { FAILURES_MAX = 4096 };

typedef const struct fl_load_curve_spec curve_spec;

static bool given(curve_spec *curve, const char *name)
{
    return fl_option_given(&curve->options, name);
}

static fl_status out_of_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the runs of a spec");
}

/* ---- options that go together ---- */

/* Options about open traffic, or about when to stop measuring it, and about workloads. */
static fl_status check_workload(curve_spec *curve, fl_error *error)
{
    static const char *const of_traffic[] = {
        "traffic", "load", "find-saturation", "steady", "warmup", "drain", NULL};
    static const char *const of_workloads[] = {"flit-bytes", "placement", NULL};
    bool workload = given(curve, "workload");
    for (const char *const *name = of_traffic; *name && workload; name++)
        if (given(curve, *name))
            return fl_fail(
                error, FL_ERR_INVALID,
                "--%s belongs to open traffic: a workload has its own senders and times, and ends "
                "by itself",
                *name);
    if (workload && given(curve, "series") && !given(curve, "cycles"))
        return fl_fail(error, FL_ERR_INVALID,
                       "--series with --workload: give --cycles too, so that the length of the "
                       "series is known");
    for (const char *const *name = of_workloads; *name && !workload; name++)
        if (given(curve, *name))
            return fl_fail(error, FL_ERR_INVALID, "--%s belongs to workloads: give --workload too",
                           *name);
    return FL_OK;
}

/* ---- network and router ---- */

static fl_status set_channels(fl_bound_load *b, curve_spec *curve, const char *name,
                              fl_error *error)
{
    const char *assignment = b->router->vc_assignment    ? b->router->vc_assignment->name
                             : b->router->type->channels ? "own"
                                                         : NULL;
    unsigned channels = curve->values.channels;
    if (!given(curve, "vcs"))
        return FL_OK;
    if (!assignment && channels > 1)
        return fl_fail(error, FL_ERR_INVALID,
                       "--vcs %u: '%s' takes channel 0 only; a VC assignment says which packets "
                       "take which: --routers %s@phase:%u",
                       channels, name, name, channels);
    if (!assignment)
        return FL_OK;
    fl_status status = fl_router_set_channels(b->router, assignment, channels, error);
    return fl_option_fail(error, status, "vcs", NULL);
}

/* Takes over what an earlier curve has already: many curves are of one network. */
static void share(fl_load_study *study, unsigned index)
{
    fl_bound_load *b = &study->bound[index];
    curve_spec *curve = &study->spec->curves[index];
    const fl_load_values *v = &curve->values;
    for (unsigned i = 0; i < index; i++) {
        curve_spec *other = &study->spec->curves[i];
        const fl_load_values *o = &other->values;
        if (strcmp(v->topology, o->topology) != 0)
            continue;
        b->network = study->bound[i].network;
        if (strcmp(v->routers.of[0], o->routers.of[0]) == 0 && v->scope == o->scope &&
            given(curve, "vcs") == given(other, "vcs") && v->channels == o->channels)
            b->router = study->bound[i].router;
    }
}

static fl_status make_router(fl_load_study *study, unsigned index, fl_error *error)
{
    fl_bound_load *b = &study->bound[index];
    curve_spec *curve = &study->spec->curves[index];
    const fl_load_values *v = &curve->values;
    if (!v->topology)
        return fl_fail(error, FL_ERR_INVALID,
                       "which network? Give --topology, e.g. --topology mikant:k=3,n=3");
    share(study, index);
    fl_status status = b->network ? FL_OK : fl_network_create(&b->network, v->topology, error);
    if (!status)
        status = check_workload(curve, error);
    if (status || b->router)
        return status;
    status = fl_router_create(&b->router, b->network, v->routers.of[0], v->scope, error);
    return status ? status : set_channels(b, curve, v->routers.of[0], error);
}

/* ---- the model ---- */

/* The text up to a separator, which is cut off; NULL at the end. */
static char *next_item(char **rest, char separator)
{
    char *item = *rest, *end = item ? strchr(item, separator) : NULL;
    *rest = end ? end + 1 : NULL;
    if (end)
        *end = 0;
    return item;
}

static fl_status set_class_latency(fl_bound_load *b, char *item, fl_error *error)
{
    char *equals = strchr(item, '=');
    uint64_t value;
    unsigned link_class;
    if (!equals || !fl_text_to_u64(equals + 1, &value) || value < 1 || value > FL_SIM_DELAY_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "--link-latency '%s': expected CLASS=N, N from 1 to %d", item,
                       FL_SIM_DELAY_MAX);
    *equals = 0;
    fl_status status = fl_network_parse_class(b->network, item, &link_class, error);
    if (status)
        return fl_option_fail(error, status, "link-latency", NULL);
    if (link_class >= FL_SIM_CLASSES_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "--link-latency: only the first %d link classes can be set",
                       FL_SIM_CLASSES_MAX);
    b->model.class_latency[link_class] = (unsigned)value;
    return FL_OK;
}

static fl_status set_link_latency(fl_bound_load *b, const char *text, fl_error *error)
{
    uint64_t value;
    fl_status status = FL_OK;
    if (!text)
        return FL_OK;
    if (!strchr(text, '=')) {
        if (!fl_text_to_count(text, &value) || value < 1 || value > FL_SIM_DELAY_MAX)
            return fl_fail(error, FL_ERR_INVALID,
                           "--link-latency %.80s: expected a whole number from 1 to %d", text,
                           FL_SIM_DELAY_MAX);
        b->model.link_latency = (unsigned)value;
        return FL_OK;
    }
    char *copy = strdup(text);
    if (!copy)
        return out_of_memory(error);
    for (char *rest = copy, *item; !status && (item = next_item(&rest, ',')) != NULL;)
        status = set_class_latency(b, item, error);
    free(copy);
    return status;
}

static fl_status set_stop(fl_bound_load *b, curve_spec *curve, fl_error *error)
{
    fl_sim_model *m = &b->model;
    if (given(curve, "steady") && m->stop != FL_SIM_STOP_CYCLES) {
        m->stop = FL_SIM_STOP_CYCLES;
        m->warmup = 5000;
        m->cycles = m->drain = 20000;
    } else if (m->stop != FL_SIM_STOP_CYCLES && (given(curve, "warmup") || given(curve, "drain"))) {
        return fl_fail(error, FL_ERR_INVALID,
                       "--warmup and --drain belong to runs that stop by cycles; the preset %s "
                       "stops by packets: add --steady",
                       b->preset->name);
    }
    if (given(curve, "workload"))
        m->cycles = FL_SIM_CYCLES_MAX;
    else if (given(curve, "cycles") && curve->values.model.cycles > FL_SIM_CYCLES_MAX / 4)
        return fl_fail(error, FL_ERR_INVALID,
                       "--cycles %llu: expected a whole number from 1 to %llu",
                       (unsigned long long)curve->values.model.cycles,
                       (unsigned long long)FL_SIM_CYCLES_MAX / 4);
    return FL_OK;
}

static fl_status make_model(fl_bound_load *b, curve_spec *curve, fl_error *error)
{
    fl_options model = {.groups = fl_load_model_groups, .values = &b->model};
    fl_status status = fl_sim_preset_find(&b->preset, curve->values.preset, error);
    if (status)
        return status;
    b->model = b->preset->model;
    status = set_stop(b, curve, error);
    if (!status)
        status = fl_options_lay_over(&model, &curve->options, error);
    if (!status && b->model.stop == FL_SIM_STOP_CYCLES && given(curve, "cycles") &&
        !given(curve, "drain"))
        b->model.drain = b->model.cycles;
    return status ? status : set_link_latency(b, curve->values.link_latency, error);
}

/* ---- traffic and loads ---- */

/* A workload has the same processes on all networks: no more than the smallest has nodes. */
static fl_status make_workload(fl_load_study *study, unsigned index, fl_error *error)
{
    const fl_load_spec *spec = study->spec;
    const char *workload = spec->curves[index].values.workload;
    uint64_t nodes = UINT64_MAX;
    for (unsigned i = 0; i < spec->curve_count; i++) {
        if (study->bound[i].network->nodes < nodes)
            nodes = study->bound[i].network->nodes;
        if (i < index && strcmp(workload, spec->curves[i].values.workload) == 0)
            study->bound[index].workload = study->bound[i].workload;
    }
    return study->bound[index].workload
               ? FL_OK
               : fl_sim_workload_create(&study->bound[index].workload, nodes, workload, error);
}

static fl_status make_traffic(fl_load_study *study, unsigned index, fl_error *error)
{
    fl_bound_load *b = &study->bound[index];
    curve_spec *curve = &study->spec->curves[index];
    if (given(curve, "workload"))
        return make_workload(study, index, error);
    return fl_sim_traffic_create(
        &b->traffic, b->network,
        given(curve, "traffic") ? curve->values.traffic : b->preset->traffic, error);
}

static fl_status check_loads(curve_spec *curve, fl_error *error)
{
    const fl_load_values *v = &curve->values;
    if (given(curve, "load") && given(curve, "find-saturation"))
        return fl_fail(error, FL_ERR_INVALID, "give --load or --find-saturation, not both");
    if (v->load.count > FL_LOAD_LOADS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "--load: %u loads; at most %d",
                       (unsigned)v->load.count, FL_LOAD_LOADS_MAX);
    return FL_OK;
}

/* ---- links that fail during the run ---- */

static int compare_failures(const void *a, const void *b)
{
    const fl_sim_failure *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

static int compare_failed_links(const void *a, const void *b)
{
    const fl_sim_failure *x = a, *y = b;
    return x->link < y->link ? -1 : x->link > y->link;
}

static fl_status fail_link(const fl_bound_load *b, fl_link link, const char *what, fl_error *error)
{
    fl_text label = {0};
    fl_network_append_link(b->network, link, &label);
    fl_status status = fl_fail(error, FL_ERR_INVALID, "--fail-at: the link %s %s",
                               label.data ? label.data : "", what);
    fl_text_clear(&label);
    return status;
}

/* A link that is down does not fail again. That cannot be known of faults drawn at random: only
 * links of --fail are refused. */
static fl_status check_failures(const fl_bound_load *b, curve_spec *curve, fl_error *error)
{
    bool named = given(curve, "fail");
    qsort(b->failures, b->failure_count, sizeof *b->failures, compare_failed_links);
    for (size_t i = 0; i < b->failure_count; i++) {
        fl_link link = b->failures[i].link;
        if (i > 0 && b->failures[i - 1].link == link)
            return fail_link(b, link, "is named twice; a link fails once, and stays down", error);
        if (named && fl_fault_set_holds(&b->faults[0], link))
            return fail_link(b, link, "is down from the start: --fail names it", error);
    }
    qsort(b->failures, b->failure_count, sizeof *b->failures, compare_failures);
    return FL_OK;
}

static fl_status read_failure(const fl_bound_load *b, char *item, fl_sim_failure *out,
                              fl_error *error)
{
    char *colon = strchr(item, ':');
    if (colon)
        *colon = 0;
    if (!colon || !fl_text_to_count(item, &out->cycle) || out->cycle > FL_SIM_CYCLES_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "--fail-at '%s': expected CYCLE:LINK, e.g. 10000:17 or "
                       "'10000:<0,1,00>-<1,1,00>'",
                       item);
    fl_status status = fl_network_parse_link(b->network, colon + 1, &out->link, error);
    return fl_option_fail(error, status, "fail-at", NULL);
}

static fl_status read_failures(fl_bound_load *b, curve_spec *curve, fl_error *error)
{
    const char *text = curve->values.fail_at;
    fl_status status = FL_OK;
    if (!text)
        return given(curve, "on-failure")
                   ? fl_fail(error, FL_ERR_INVALID,
                             "--on-failure belongs to links that fail during the run: give "
                             "--fail-at too")
                   : FL_OK;
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ';';
    if (count > FAILURES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "--fail-at: more than %d failures", FAILURES_MAX);
    char *copy = strdup(text);
    b->failures = calloc(count, sizeof *b->failures);
    if (!copy || !b->failures)
        status = out_of_memory(error);
    for (char *rest = copy, *item; !status && (item = next_item(&rest, ';')) != NULL;)
        status = read_failure(b, item, &b->failures[b->failure_count++], error);
    free(copy);
    return status ? status : check_failures(b, curve, error);
}

/* ---- faults and plans ---- */

static fl_status check_faults(curve_spec *curve, fl_error *error)
{
    static const char *const of_drawn[] = {"fault-model", "fault-seed", "fault-sets", NULL};
    const fl_load_values *v = &curve->values;
    fl_status status = fl_fault_check(&curve->options, of_drawn, error);
    if (status)
        return status;
    if (v->fault_sets > 1 && given(curve, "runs"))
        return fl_fail(error, FL_ERR_INVALID,
                       "--runs and --fault-sets do not go together: each set of faults is one run");
    if (v->fault_sets > 1 && given(curve, "workload"))
        return fl_fail(error, FL_ERR_INVALID,
                       "--workload and --fault-sets do not go together: a workload is one run");
    if (v->fault_sets > 1 && v->fault_seed > FL_JSON_U64_MAX - (v->fault_sets - 1))
        return fl_fail(error, FL_ERR_INVALID,
                       "--fault-seed %llu: the %llu sets of faults have this seed and those that "
                       "follow, up to %llu",
                       (unsigned long long)v->fault_seed, (unsigned long long)v->fault_sets,
                       (unsigned long long)FL_JSON_U64_MAX);
    return FL_OK;
}

/* Set i of faults has the same seed at every rate and for every curve, and its traffic too: curves
 * differ in nothing else. */
static fl_status draw_faults(fl_bound_load *b, curve_spec *curve, const double *rates,
                             size_t points, fl_error *error)
{
    const fl_load_values *v = &curve->values;
    size_t sets = (size_t)v->fault_sets;
    const double *one = given(curve, "fault-rate") ? v->fault_rate.of : NULL;
    b->plan_count = points * sets;
    b->faults = calloc(b->plan_count, sizeof *b->faults);
    b->plans = calloc(b->plan_count, sizeof(fl_sim_plan *));
    if (!b->faults || !b->plans)
        return out_of_memory(error);
    fl_status status = check_faults(curve, error);
    for (size_t i = 0; i < b->plan_count && !status; i++) {
        const fl_fault_choice choice = {.fail = v->fail,
                                        .count = given(curve, "faults") ? &v->faults : NULL,
                                        .rate = rates ? &rates[i / sets] : one,
                                        .model = v->fault_model,
                                        .seed = v->fault_seed + i % sets};
        status = fl_fault_choose(&b->faults[i], b->network, &choice, error);
    }
    return status;
}

static fl_status make_plans(fl_bound_load *b, curve_spec *curve, fl_error *error)
{
    fl_status status = FL_OK;
    for (size_t i = 0; i < b->plan_count && !status; i++) {
        const fl_sim_set_up set_up = {.router = b->router,
                                      .model = &b->model,
                                      .traffic = b->traffic,
                                      .workload = b->workload,
                                      .faults = &b->faults[i],
                                      .failures = b->failures,
                                      .failure_count = b->failure_count,
                                      .series = curve->values.series};
        status = fl_sim_plan_create(&b->plans[i], &set_up, error);
    }
    return status;
}

/* ---- runs ---- */

/* Run i of a point has the seed `seed` + i. */
static fl_status check_seeds(curve_spec *curve, const char *what, uint64_t runs, fl_error *error)
{
    if (curve->values.seed <= FL_JSON_U64_MAX - (runs - 1))
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID,
                   "--seed %llu: the %llu %s have this seed and those that follow, up to %llu",
                   (unsigned long long)curve->values.seed, (unsigned long long)runs, what,
                   (unsigned long long)FL_JSON_U64_MAX);
}

static fl_status make_tasks(const fl_load_spec *spec, fl_bound_load *b, curve_spec *curve,
                            fl_load_curve *out, fl_error *error)
{
    const fl_load_values *v = &curve->values;
    const double *rates = spec->fault_rates,
                 *loads = given(curve, "workload") ? &b->load : v->load.of;
    size_t sets = (size_t)v->fault_sets, repeats = sets > 1 || rates ? sets : v->runs;
    size_t load_count = given(curve, "workload") ? 1 : v->load.count;
    size_t points = rates ? spec->fault_points : load_count;
    if (rates && load_count != 1)
        return fl_fail(error, FL_ERR_INVALID,
                       "with several fault rates a curve has one 'load', not %zu", load_count);
    fl_status status = check_seeds(curve, sets > 1 ? "sets of faults" : "runs", repeats, error);
    if (status)
        return status;
    if (!(b->tasks = calloc(points * repeats, sizeof *b->tasks)))
        return out_of_memory(error);
    for (size_t i = 0; i < points * repeats; i++)
        b->tasks[i] = (fl_sim_task){b->plans[rates      ? i
                                             : sets > 1 ? i % sets
                                                        : 0],
                                    rates ? loads[0] : loads[i / repeats], v->seed + i % repeats};
    *out = (fl_load_curve){.label = curve->label,
                           .preset = b->preset->name,
                           .points = points,
                           .repeats = repeats,
                           .x = rates ? rates : loads,
                           .tasks = b->tasks};
    return FL_OK;
}

/* Its network and router are there. */
static fl_status bind_curve(fl_load_study *study, unsigned index, fl_error *error)
{
    const fl_load_spec *spec = study->spec;
    fl_bound_load *b = &study->bound[index];
    curve_spec *curve = &spec->curves[index];
    fl_status status = make_model(b, curve, error);
    if (!status)
        status = make_traffic(study, index, error);
    if (!status)
        status = check_loads(curve, error);
    if (!status)
        status = draw_faults(b, curve, spec->fault_rates,
                             spec->fault_rates ? spec->fault_points : 1, error);
    if (!status)
        status = read_failures(b, curve, error);
    if (!status)
        status = make_plans(b, curve, error);
    return status ? status : make_tasks(spec, b, curve, &study->curves[index], error);
}

/* ---- figures ---- */

/* A figure over time needs a time series. */
static fl_status check_series(const fl_load_spec *spec, fl_error *error)
{
    for (unsigned i = 0; i < spec->figure_count; i++)
        for (unsigned c = 0; spec->figures[i].axis == FL_LOAD_AXIS_CYCLE && c < spec->curve_count;
             c++)
            if (spec->curves[c].values.series == 0)
                return fl_fail(error, FL_ERR_INVALID,
                               "figure %u is drawn against the cycle: the curves need 'series', "
                               "the length of its intervals",
                               i + 1);
    return FL_OK;
}

static bool is_paired(const fl_load_curve *a, const fl_load_curve *b)
{
    bool same = a->points == b->points && a->repeats == b->repeats &&
                memcmp(a->x, b->x, a->points * sizeof *a->x) == 0;
    for (size_t i = 0; same && i < a->repeats; i++)
        same = a->tasks[i].seed == b->tasks[i].seed;
    return same;
}

static const fl_load_curve *curve_named(const fl_load_study *study, const char *label)
{
    unsigned i = 0;
    while (strcmp(study->curves[i].label, label) != 0)
        i++;
    return &study->curves[i];
}

/* Differences are taken run by run. */
static fl_status check_differences(const fl_load_study *study, fl_error *error)
{
    const fl_load_spec *spec = study->spec;
    for (unsigned i = 0; i < spec->figure_count; i++) {
        const fl_load_figure *figure = &spec->figures[i];
        unsigned count = figure->curves.count ? figure->curves.count : spec->curve_count;
        for (unsigned c = 0; figure->difference_to && c < count; c++) {
            const fl_load_curve *base = curve_named(study, figure->difference_to);
            const fl_load_curve *curve =
                figure->curves.count ? curve_named(study, figure->curves.of[c]) : &study->curves[c];
            if (!is_paired(curve, base))
                return fl_fail(error, FL_ERR_INVALID,
                               "figure %u: '%.60s' and '%.60s' of 'difference_to' need the same "
                               "loads, runs and seeds",
                               i + 1, curve->label, base->label);
        }
    }
    return FL_OK;
}

/* ---- the study ---- */

bool fl_load_is_single(const fl_load_spec *spec)
{
    return spec->curve_count == 1 && !spec->listed && !spec->makespan && !spec->fault_rates &&
           spec->curves[0].values.fault_sets == 1;
}

/* A workload and a search for saturation have one curve. */
static fl_status check_single(const fl_load_spec *spec, fl_error *error)
{
    static const char *const of_one[] = {"workload", "find-saturation"};
    bool several = !fl_load_is_single(spec) && !spec->makespan;
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one && several; i++)
        if (given(&spec->curves[0], of_one[i]))
            return fl_fail(error, FL_ERR_INVALID,
                           "--%s and several curves do not go together: curves are of given loads",
                           of_one[i]);
    return FL_OK;
}

/* Does one step for every curve, and says of which curve an error is. */
static fl_status for_each_curve(fl_load_study *study,
                                fl_status (*step)(fl_load_study *study, unsigned index,
                                                  fl_error *error),
                                fl_error *error)
{
    const fl_load_spec *spec = study->spec;
    fl_status status = FL_OK;
    for (unsigned i = 0; i < spec->curve_count && !status; i++) {
        status = step(study, i, error);
        if (spec->listed)
            fl_load_fail_in_curve(error, status, i, spec->curves[i].label);
        if (spec->makespan)
            fl_spec_fail_in(error, "network", i % spec->makespan->network_count, status);
    }
    return status;
}

static fl_status bind_all(fl_load_study *study, fl_error *error)
{
    const fl_load_spec *spec = study->spec;
    fl_status status = check_single(spec, error);
    if (!status)
        status = for_each_curve(study, make_router, error);
    if (!status)
        status = for_each_curve(study, bind_curve, error);
    if (!status)
        status = check_series(spec, error);
    return status ? status : check_differences(study, error);
}

fl_status fl_load_bind(fl_load_study **out, const fl_load_spec *spec, fl_error *error)
{
    fl_load_study *study = calloc(1, sizeof *study);
    if (!study)
        return out_of_memory(error);
    study->spec = spec;
    study->bound = calloc(spec->curve_count, sizeof *study->bound);
    study->curves = calloc(spec->curve_count, sizeof *study->curves);
    fl_status status =
        study->bound && study->curves ? bind_all(study, error) : out_of_memory(error);
    if (status) {
        fl_load_study_destroy(study);
        return status;
    }
    *out = study;
    return FL_OK;
}

static void release(fl_load_study *study, unsigned index)
{
    fl_bound_load *b = &study->bound[index];
    bool network = true, router = true, workload = true;
    for (unsigned i = 0; i < index; i++) { /* of an earlier curve, which is still to be released */
        network &= study->bound[i].network != b->network;
        router &= study->bound[i].router != b->router;
        workload &= study->bound[i].workload != b->workload;
    }
    for (size_t i = 0; i < b->plan_count; i++) {
        if (b->plans)
            fl_sim_plan_destroy(b->plans[i]);
        if (b->faults)
            fl_fault_set_clear(&b->faults[i]);
    }
    fl_sim_traffic_destroy(b->traffic);
    if (workload)
        fl_sim_workload_destroy(b->workload);
    if (router)
        fl_router_destroy(b->router);
    if (network)
        fl_network_destroy(b->network);
    free(b->failures);
    free(b->faults);
    free(b->plans);
    free(b->tasks);
}

void fl_load_study_destroy(fl_load_study *study)
{
    if (!study)
        return;
    for (unsigned i = study->spec->curve_count; study->bound && i > 0; i--)
        release(study, i - 1);
    free(study->bound);
    free(study->curves);
    free(study);
}

fl_status fl_load_study_prove(fl_load_study *study, fl_error *error)
{
    fl_status status = FL_OK;
    for (unsigned i = 0; i < study->spec->curve_count && !status; i++)
        if (!study->spec->fault_rates && !study->spec->makespan && study->bound[i].plan_count == 1)
            status = fl_sim_prove(&study->curves[i].proof, study->bound[i].plans[0], error);
    return status;
}
