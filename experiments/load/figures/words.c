/* The words around the curves of a figure: what they share, how sure they are, what is missing. */
#include "experiments/load/figures/figure.h"

#include <string.h>

typedef const char *part_reader(const fl_load_curve *);

static const char *topology_of(const fl_load_curve *c)
{
    return fl_sim_plan_set_up(c->tasks->plan)->router->network->spec;
}

static const char *router_of(const fl_load_curve *c)
{
    return fl_sim_plan_set_up(c->tasks->plan)->router->name;
}

static const char *preset_of(const fl_load_curve *c)
{
    return c->preset;
}

static const char *traffic_of(const fl_load_curve *c)
{
    return fl_sim_traffic_spec(fl_sim_plan_set_up(c->tasks->plan)->traffic);
}

void fl_figure_subtitle(const load_figure *f, fl_text *out)
{
    static part_reader *const parts[] = {topology_of, router_of, preset_of, traffic_of};
    static const char *const names[] = {"", "", "preset ", "traffic "};
    const fl_load_curve *all = f->results->curves;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        bool same = true;
        for (unsigned i = 1; i < f->count; i++)
            same &= strcmp(parts[p](&all[f->curves[i]]), parts[p](&all[f->curves[0]])) == 0;
        if (same)
            fl_text_append(out, "%s%s%s", out->length ? ", " : "", names[p],
                           parts[p](&all[f->curves[0]]));
    }
}

void fl_figure_faults(const load_figure *f, fl_text *out)
{
    const fl_load_curve *all = f->results->curves;
    const fl_fault_set *faults = fl_sim_plan_set_up(all[f->curves[0]].tasks->plan)->faults;
    uint64_t count = faults ? faults->count : 0;
    for (unsigned i = 1; i < f->count; i++) {
        const fl_fault_set *other = fl_sim_plan_set_up(all[f->curves[i]].tasks->plan)->faults;
        if ((other ? other->count : 0) != count)
            return;
    }
    if (count > 0 && !f->results->spec->fault_rates)
        fl_text_append(out, "%s%llu faulty link%s", out->length ? ", " : "",
                       (unsigned long long)count, count == 1 ? "" : "s");
}

static bool is_steady(const fl_load_curve *c)
{
    return fl_sim_plan_set_up(c->tasks->plan)->model->stop == FL_SIM_STOP_CYCLES;
}

static bool has_deadlock(const load_figure *f)
{
    for (unsigned i = 0; i < f->count; i++) {
        const fl_load_curve *c = &f->results->curves[f->curves[i]];
        const fl_sim_result *first = &f->results->results[fl_load_first(f->results, f->curves[i])];
        for (size_t run = 0; run < c->points * c->repeats; run++)
            if (first[run].deadlocked)
                return true;
    }
    return false;
}

/* Why a curve has gaps, or ends. */
static void append_missing(const load_figure *f, fl_text *out)
{
    bool deadlock = has_deadlock(f);
    bool latency =
        f->spec->quantity <= FL_LOAD_LATENCY_P99 && is_steady(&f->results->curves[f->curves[0]]);
    if (f->spec->axis == FL_LOAD_AXIS_CYCLE)
        return;
    if (f->rises)
        fl_text_append(
            out,
            "arrows with markers: highest accepted load, where a curve is saturated (dots: not measured); ");
    if (f->rises && deadlock)
        fl_text_append(out, "deadlocked loads have no value; ");
    else if (f->rises)
        return;
    else if (latency)
        fl_text_append(out, "%s loads have no value; ",
                       deadlock ? "saturated and deadlocked" : "saturated");
    else if (deadlock)
        fl_text_append(out, "deadlocked loads have no value; ");
}

/* Of a latency: a router that loses the packets with long paths looks fast. */
static void append_lost(const load_figure *f, fl_text *out)
{
    fl_load_quantity q = f->spec->quantity;
    bool of_delivered =
             q <= FL_LOAD_LATENCY_P99 || q == FL_LOAD_HOPS || q == FL_LOAD_SERIES_LATENCY,
         faults = false;
    for (unsigned i = 0; i < f->count; i++) {
        const fl_sim_set_up *set_up = fl_figure_set_up(f, i);
        faults |= set_up->failure_count > 0 || (set_up->faults && set_up->faults->count > 0);
    }
    if (of_delivered && (faults || f->results->spec->fault_rates))
        fl_text_append(
            out,
            "of delivered packets only: lost packets have no %s, so a router that loses more can look better; ",
            q == FL_LOAD_HOPS ? "length" : "latency");
}

/* The seeds of the runs of a point, where they are the same for all curves. */
static void append_seeds(const load_figure *f, fl_text *out)
{
    const fl_load_curve *all = f->results->curves;
    uint64_t seed = all[f->curves[0]].tasks->seed;
    size_t repeats = all[f->curves[0]].repeats;
    for (unsigned i = 1; i < f->count; i++)
        if (all[f->curves[i]].tasks->seed != seed)
            return;
    fl_text_append(out, ", seed%s %llu", repeats > 1 ? "s" : "", (unsigned long long)seed);
    if (repeats > 1)
        fl_text_append(out, " to %llu", (unsigned long long)(seed + repeats - 1));
}

static void append_runs(const load_figure *f, fl_text *out)
{
    size_t repeats = f->results->curves[f->curves[0]].repeats;
    bool rates = f->results->spec->fault_rates != NULL;
    if (rates)
        fl_text_append(out,
                       "%zu set%s of faults at each rate, the same for all curves, one run each",
                       repeats, repeats > 1 ? "s" : "");
    else
        fl_text_append(out, "%zu run%s %s", repeats, repeats > 1 ? "s" : "",
                       f->spec->axis == FL_LOAD_AXIS_CYCLE ? "of a curve" : "at each load");
    append_seeds(f, out);
    if (!fl_figure_has_bands(f))
        fl_text_append(out, ": no bands; ");
    else if (fl_figure_is_difference(f))
        fl_text_append(
            out, "; bands: 95%% confidence of the mean difference, paired by %s (Student's t); ",
            rates ? "fault set" : "seed");
    else
        fl_text_append(out, "; bands: 95%% confidence of the mean over the %s (Student's t); ",
                       rates ? "sets" : "runs");
}

void fl_figure_footnote(const load_figure *f, fl_text *out)
{
    const fl_load_results *r = f->results;
    append_runs(f, out);
    append_missing(f, out);
    append_lost(f, out);
    fl_text_append(out, "Faultline %s%s", FL_VERSION, r->partial ? " (partial)" : "");
    if (r->spec->source)
        fl_text_append(out, "\n%s", r->spec->source);
}
