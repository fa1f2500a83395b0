#include "experiments/load/private.h"
#include "experiments/results.h"
#include "experiments/spec/pieces.h"
#include "routing/plugin.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was set ---- */

typedef fl_sim_context context;

fl_sim_context fl_sim_context_of(const fl_sim_plan *plan, const char *preset)
{
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(plan);
    return (context){preset, set_up, set_up->model, set_up->router->network, set_up->router};
}

static context context_of(const fl_simulation *simulation)
{
    return fl_sim_context_of(simulation->plan, simulation->spec.preset);
}

static const fl_sim_workload *workload_of(const context *c)
{
    return c->set_up->workload;
}

/* The pattern of traffic, or the workload. */
static const char *traffic_of(const context *c)
{
    return workload_of(c) ? fl_sim_workload_name(workload_of(c))
                          : fl_sim_traffic_spec(c->set_up->traffic);
}

static unsigned long long faults_of(const context *c)
{
    return c->set_up->faults ? (unsigned long long)c->set_up->faults->count : 0;
}

/* ---- what follows from the counts ---- */

static double per(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

/* Flits that arrived, per node and cycle. */
double fl_sim_accepted(const context *c, const fl_sim_result *r)
{
    return per((double)r->received * c->model->packet_flits,
               (double)r->measured * (double)c->network->nodes);
}

double fl_sim_offered(const context *c, const fl_sim_result *r)
{
    return per((double)r->generated * c->model->packet_flits,
               (double)r->measured * (double)c->network->nodes);
}

/* ... and its interval. */
fl_interval fl_sim_accepted_interval(const context *c, const fl_sim_result *r)
{
    double scale = c->model->packet_flits / (double)c->network->nodes;
    return (fl_interval){r->received_interval.low * scale, r->received_interval.high * scale};
}

static double half_width(fl_interval interval)
{
    return (interval.high - interval.low) / 2;
}

/* In steady state a saturated point has no latency: it grows with the length of the run. With the
 * stop rules that count packets it has one, which is that of so many packets. */
bool fl_sim_has_latency(const context *c, const fl_sim_result *r)
{
    return r->counted > 0 && !r->deadlocked &&
           !(r->saturated && c->model->stop == FL_SIM_STOP_CYCLES);
}

static void append_number(fl_text *out, double value)
{
    fl_text_append(out, ",");
    if (isfinite(value))
        fl_text_append(out, "%.8g", value);
}

uint64_t fl_sim_lost(const fl_sim_result *r)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < FL_SIM_LOSSES; i++)
        sum += r->lost[i];
    return sum;
}

/* ---- CSV ---- */

static const char fixed_columns[] =
    "topology,router,scope,preset,traffic,switching,packet_flits,input_fifo,output_fifo,channels,faults,load,seed,offered_load,accepted_load,"
    "accepted_low,accepted_high,latency_mean,latency_low,latency_high,latency_p50,latency_p95,latency_p99,latency_p99_9,latency_max,"
    "network_latency_mean,hops_mean,"
    "conflicts_per_cycle,ports_with_conflict_per_cycle,conflicts_per_packet,received_per_cycle,received_sent_ratio,generated,injected,received,counted,outstanding,"
    "measured_cycles,cycles,saturated,steady,deadlocked,retried";

static void class_name(const fl_network *network, unsigned i, char name[FL_LABEL_MAX])
{
    network->type->class_name(network, i, name, FL_LABEL_MAX);
}

void fl_sim_columns_add(fl_sim_columns *columns, const fl_network *network)
{
    char name[FL_LABEL_MAX];
    for (unsigned i = 0; i < network->classes; i++) {
        unsigned known = 0;
        class_name(network, i, name);
        while (known < columns->count && strcmp(columns->names[known], name) != 0)
            known++;
        if (known == columns->count && known < FL_SIM_CLASSES_MAX)
            memcpy(columns->names[columns->count++], name, FL_LABEL_MAX);
    }
}

void fl_sim_csv_class_column(fl_text *out, const char *prefix, const char *class_name)
{
    char column[FL_LABEL_MAX + 32];
    snprintf(column, sizeof column, "%s%s", prefix, class_name);
    fl_text_append(out, ",");
    fl_csv_append(out, column);
}

void fl_sim_csv_header(const fl_sim_columns *classes, fl_text *out)
{
    fl_text_append(out, "%s", fixed_columns);
    for (unsigned i = 0; i < FL_SIM_LOSSES; i++)
        fl_text_append(out, ",%s", fl_sim_loss_name(i));
    for (unsigned i = 0; i < classes->count; i++)
        fl_sim_csv_class_column(out, "utilisation_", classes->names[i]);
}

static double utilisation(const context *c, const fl_sim_result *r, const char *wanted)
{
    char name[FL_LABEL_MAX];
    for (unsigned i = 0; i < c->network->classes; i++) {
        class_name(c->network, i, name);
        if (strcmp(name, wanted) == 0)
            return per((double)r->class_flits[i],
                       (double)r->measured * (double)r->class_channels[i]);
    }
    return (double)NAN;
}

void fl_sim_csv_row(const context *c, const fl_sim_result *r, const fl_sim_columns *classes,
                    fl_text *out)
{
    const fl_sim_model *m = c->model;
    bool latency = fl_sim_has_latency(c, r);
    double counted = (double)r->counted, cycles = (double)r->measured, none = (double)NAN;
    fl_csv_append_quoted(out, c->network->spec);
    fl_text_append(out, ",%s,%s,%s,", c->router->canonical, fl_scope_names[c->router->scope],
                   c->preset);
    fl_csv_append_quoted(out, traffic_of(c));
    fl_text_append(out, ",%s,%u,%u,%u,%u,%llu", fl_sim_switching_names[m->switching],
                   m->packet_flits, m->input_fifo, m->output_fifo, c->router->channels,
                   faults_of(c));
    append_number(out, workload_of(c) ? none : r->load);
    fl_text_append(out, ",%llu", (unsigned long long)r->seed);
    append_number(out, fl_sim_offered(c, r));
    append_number(out, fl_sim_accepted(c, r));
    append_number(out, fl_sim_accepted_interval(c, r).low);
    append_number(out, fl_sim_accepted_interval(c, r).high);
    append_number(out, latency ? r->latency : none);
    append_number(out, latency ? r->latency_interval.low : none);
    append_number(out, latency ? r->latency_interval.high : none);
    for (unsigned i = 0; i < FL_SIM_PERCENTILES; i++)
        append_number(out, latency ? r->percentile[i] : none);
    append_number(out, latency ? (double)r->latency_max : none);
    append_number(out, latency ? per((double)r->network_latency_sum, counted) : none);
    append_number(out, per((double)r->hop_sum, counted));
    append_number(out, per((double)r->conflicts, cycles));
    append_number(out, per((double)r->conflict_ports, cycles));
    append_number(out, per((double)r->conflicts, (double)r->received));
    append_number(out, per((double)r->received, cycles));
    append_number(out, per((double)r->received, (double)r->injected));
    fl_text_append(
        out, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%s,%s,%s,%llu", (unsigned long long)r->generated,
        (unsigned long long)r->injected, (unsigned long long)r->received,
        (unsigned long long)r->counted, (unsigned long long)r->outstanding,
        (unsigned long long)r->measured, (unsigned long long)r->cycles, r->saturated ? "yes" : "no",
        r->steady ? "yes" : "no", r->deadlocked ? "yes" : "no", (unsigned long long)r->retried);
    for (unsigned i = 0; i < FL_SIM_LOSSES; i++)
        fl_text_append(out, ",%llu", (unsigned long long)r->lost[i]);
    for (unsigned i = 0; i < classes->count; i++)
        append_number(out, utilisation(c, r, classes->names[i]));
}

void fl_simulation_csv(const fl_simulation *simulation, fl_text *out)
{
    context c = context_of(simulation);
    fl_sim_columns classes = {0};
    fl_sim_columns_add(&classes, c.network);
    fl_sim_csv_header(&classes, out);
    if (workload_of(&c))
        fl_completion_header(out);
    fl_text_append(out, "\n");
    for (size_t i = 0; i < simulation->load_count * simulation->spec.runs; i++) {
        fl_sim_csv_row(&c, &simulation->results[i], &classes, out);
        if (workload_of(&c))
            fl_completion_row(&simulation->results[i], out);
        fl_text_append(out, "\n");
    }
}

/* ---- JSON ---- */

void fl_json_append_number(fl_text *out, const char *key, double value)
{
    if (isfinite(value))
        fl_text_append(out, ", \"%s\": %.10g", key, value);
    else
        fl_text_append(out, ", \"%s\": null", key);
}

static void append_json_count(fl_text *out, const char *key, uint64_t value)
{
    fl_text_append(out, ", \"%s\": %llu", key, (unsigned long long)value);
}

static void append_link_label(const context *c, fl_text *out, fl_link link)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX], both[2 * FL_LABEL_MAX + 1];
    fl_link_ends ends;
    c->network->type->link_ends(c->network, link, &ends);
    c->network->type->label(c->network, ends.a, a, sizeof a);
    c->network->type->label(c->network, ends.b, b, sizeof b);
    snprintf(both, sizeof both, "%s-%s", a, b);
    fl_json_append_string(out, both);
}

static void append_model(const context *c, fl_text *out)
{
    const fl_sim_model *m = c->model;
    char name[FL_LABEL_MAX];
    fl_text_append(
        out,
        " \"model\": {\"switching\": \"%s\", \"arbitration\": \"%s\", \"choice\": \"%s\", \"on_failure\": \"%s\",\n",
        fl_sim_switching_names[m->switching], fl_sim_arbitration_names[m->arbitration],
        fl_sim_choice_names[m->choice], fl_sim_on_failure_names[m->on_failure]);
    fl_text_append(
        out,
        "  \"packet_flits\": %u, \"input_fifo\": %u, \"input_fifo_level0\": %u, \"output_fifo\": %u, \"channels\": %u,\n",
        m->packet_flits, m->input_fifo, m->input_fifo_level0 ? m->input_fifo_level0 : m->input_fifo,
        m->output_fifo, c->router->channels);
    fl_text_append(out, "  \"routing_delay\": %u, \"link_latency\": %u, \"class_latency\": {",
                   m->routing_delay, m->link_latency);
    for (unsigned i = 0, shown = 0; i < c->network->classes; i++) {
        if (!m->class_latency[i])
            continue;
        c->network->type->class_name(c->network, i, name, sizeof name);
        fl_text_append(out, "%s", shown++ ? ", " : "");
        fl_json_append_string(out, name);
        fl_text_append(out, ": %u", m->class_latency[i]);
    }
    fl_text_append(out, "}, \"credit_delay\": %u, \"source_queue\": %u,\n", m->credit_delay,
                   m->source_queue);
    fl_text_append(
        out,
        "  \"stop\": \"%s\", \"warmup\": %llu, \"cycles\": %llu, \"packets\": %llu, \"drain\": %llu, \"deadlock_after\": %llu},\n",
        fl_sim_stop_names[m->stop], (unsigned long long)m->warmup, (unsigned long long)m->cycles,
        (unsigned long long)m->packets, (unsigned long long)m->drain,
        (unsigned long long)m->deadlock_after);
}

void fl_sim_json_faults(const context *c, fl_text *out)
{
    fl_text_append(out, " \"faults\": [");
    for (uint64_t i = 0; i < faults_of(c); i++) {
        fl_text_append(out, i ? ", " : "");
        append_link_label(c, out, c->set_up->faults->links[i]);
    }
    fl_text_append(out, "],\n \"failures\": [");
    for (size_t i = 0; i < c->set_up->failure_count; i++) {
        fl_text_append(out, "%s{\"cycle\": %llu, \"link\": ", i ? ", " : "",
                       (unsigned long long)c->set_up->failures[i].cycle);
        append_link_label(c, out, c->set_up->failures[i].link);
        fl_text_append(out, "}");
    }
    fl_text_append(out, "],\n");
}

static void append_vertex(const context *c, fl_text *out, const char *key, fl_address at)
{
    char label[FL_LABEL_MAX];
    c->network->type->label(c->network, at, label, sizeof label);
    fl_text_append(out, "\"%s\": ", key);
    fl_json_append_string(out, label);
}

static void append_deadlock(const context *c, const fl_sim_result *r, fl_text *out)
{
    fl_text_append(out, ",\n  \"deadlock\": {\"packets\": %llu, \"cycle\": [",
                   (unsigned long long)r->deadlock_packets);
    for (unsigned i = 0; i < r->cycle_length; i++) {
        const fl_sim_waiting *w = &r->cycle[i];
        fl_text_append(out, "%s\n   {", i ? "," : "");
        append_vertex(c, out, "from", w->channel.from);
        fl_text_append(out, ", ");
        append_vertex(c, out, "to", w->channel.to);
        fl_text_append(out, ", \"channel\": %u, \"holds\": {", w->channel.number);
        append_vertex(c, out, "source", w->source);
        fl_text_append(out, ", ");
        append_vertex(c, out, "destination", w->destination);
        fl_text_append(out, "}}");
    }
    fl_text_append(out, "]}");
}

const fl_sim_count fl_sim_sample_counts[] = {
    {"generated", offsetof(fl_sim_sample, generated)},
    {"delivered", offsetof(fl_sim_sample, delivered)},
    {"lost", offsetof(fl_sim_sample, lost)},
    {"retried", offsetof(fl_sim_sample, retried)},
    {"latency_sum", offsetof(fl_sim_sample, latency_sum)},
    {NULL, 0},
};

static void append_series(const context *c, const fl_sim_result *r, fl_text *out)
{
    fl_text_append(out, ",\n  \"series\": {\"interval\": %llu",
                   (unsigned long long)c->set_up->series);
    for (const fl_sim_count *field = fl_sim_sample_counts; field->key; field++) {
        fl_text_append(out, ",\n   \"%s\": [", field->key);
        for (size_t i = 0; i < r->series_length; i++)
            fl_text_append(out, "%s%llu", i ? "," : "",
                           (unsigned long long)*(const uint64_t *)((const char *)&r->series[i] +
                                                                   field->offset));
        fl_text_append(out, "]");
    }
    fl_text_append(out, "}");
}

#define COUNT(key, member)                   \
    {                                        \
        key, offsetof(fl_sim_result, member) \
    }
const fl_sim_count fl_sim_counts[] = {
    COUNT("measured_cycles", measured),
    COUNT("generated", generated),
    COUNT("injected", injected),
    COUNT("received", received),
    COUNT("counted", counted),
    COUNT("outstanding", outstanding),
    COUNT("latency_sum", latency_sum),
    COUNT("network_latency_sum", network_latency_sum),
    COUNT("hop_sum", hop_sum),
    COUNT("latency_max", latency_max),
    COUNT("conflicts", conflicts),
    COUNT("conflict_ports", conflict_ports),
    COUNT("retried", retried),
    COUNT("total_injected", total_injected),
    COUNT("total_delivered", total_delivered),
    COUNT("in_flight_at_end", in_flight),
    COUNT("largest_in_flight", largest_in_flight),
    COUNT("flit_hops", flit_hops),
    {NULL, 0},
};
#undef COUNT

const char *const fl_sim_percentile_names[FL_SIM_PERCENTILES] = {"latency_p50", "latency_p95",
                                                                 "latency_p99", "latency_p99_9"};

void fl_sim_json_result(const context *c, const fl_sim_result *r, fl_text *out)
{
    bool latency = fl_sim_has_latency(c, r);
    double none = (double)NAN;
    char name[FL_LABEL_MAX];
    fl_text_append(out, "\"load\": %.10g, \"seed\": %llu", r->load, (unsigned long long)r->seed);
    fl_json_append_number(out, "offered_load", fl_sim_offered(c, r));
    fl_json_append_number(out, "accepted_load", fl_sim_accepted(c, r));
    fl_json_append_number(out, "accepted_low", fl_sim_accepted_interval(c, r).low);
    fl_json_append_number(out, "accepted_high", fl_sim_accepted_interval(c, r).high);
    fl_text_append(out,
                   ",\n   \"saturated\": %s, \"steady\": %s, \"deadlocked\": %s, \"stopped\": %s",
                   r->saturated ? "true" : "false", r->steady ? "true" : "false",
                   r->deadlocked ? "true" : "false", r->stopped ? "true" : "false");
    fl_json_append_number(out, "latency_mean", latency ? r->latency : none);
    fl_json_append_number(out, "latency_low", latency ? r->latency_interval.low : none);
    fl_json_append_number(out, "latency_high", latency ? r->latency_interval.high : none);
    for (unsigned i = 0; i < FL_SIM_PERCENTILES; i++)
        fl_json_append_number(out, fl_sim_percentile_names[i], latency ? r->percentile[i] : none);
    fl_text_append(out, ",\n   \"cycles\": %llu", (unsigned long long)r->cycles);
    for (const fl_sim_count *count = fl_sim_counts; count->key; count++)
        append_json_count(out, count->key, *(const uint64_t *)((const char *)r + count->offset));
    fl_text_append(out, ",\n   \"lost\": {");
    for (unsigned i = 0; i < FL_SIM_LOSSES; i++)
        fl_text_append(out, "%s\"%s\": %llu", i ? ", " : "", fl_sim_loss_name(i),
                       (unsigned long long)r->lost[i]);
    fl_text_append(out, "}, \"class_flits\": {");
    for (unsigned i = 0; i < c->network->classes; i++) {
        c->network->type->class_name(c->network, i, name, sizeof name);
        fl_text_append(out, "%s", i ? ", " : "");
        fl_json_append_string(out, name);
        fl_text_append(out, ": {\"channels\": %llu, \"flits\": %llu}",
                       (unsigned long long)r->class_channels[i],
                       (unsigned long long)r->class_flits[i]);
    }
    fl_text_append(out, "}");
    if (workload_of(c))
        fl_completion_json(workload_of(c), r, out);
    if (r->deadlocked)
        append_deadlock(c, r, out);
    if (r->series_length > 0)
        append_series(c, r, out);
    fl_text_append(out, "}");
}

/* Those that the network or the router comes from, in the order of loading; nothing if there are
 * none. */
static void append_plugins(const context *c, fl_text *out)
{
    const fl_plugin_info *info;
    bool any = false;
    for (unsigned i = 0; (info = fl_plugin_at(i)) != NULL; i++) {
        if (!fl_plugin_is_used(info, c->network, c->router))
            continue;
        fl_text_append(out, "%s{\"hash\": \"%s\", \"name\": \"%s\", \"version\": ",
                       any ? ", " : " \"plugins\": [", info->hash, info->plugin->name);
        fl_json_append_string(out, info->plugin->version);
        fl_text_append(out, "}");
        any = true;
    }
    if (any)
        fl_text_append(out, "],\n");
}

/* Of a file that was read; nothing if there was none. */
static void append_content(fl_text *out, const char *key, uint64_t content)
{
    char hash[FL_CONTENT_HASH];
    fl_content_hash(hash, content);
    if (content)
        fl_json_append_line(out, key, hash);
}

void fl_sim_json_set_up(const context *c, fl_text *out)
{
    fl_json_append_line(out, "topology", c->network->spec);
    append_content(out, "topology_hash", c->network->content);
    fl_json_append_line(out, "router", c->router->canonical);
    fl_json_append_line(out, "scope", fl_scope_names[c->router->scope]);
    fl_json_append_line(out, "preset", c->preset);
    fl_json_append_line(out, workload_of(c) ? "workload" : "traffic", traffic_of(c));
    append_content(out, workload_of(c) ? "workload_hash" : "traffic_hash",
                   workload_of(c) ? fl_sim_workload_content(workload_of(c))
                                  : fl_sim_traffic_content(c->set_up->traffic));
    append_plugins(c, out);
    append_model(c, out);
}

void fl_simulation_json(const fl_simulation *simulation, fl_text *out)
{
    context c = context_of(simulation);
    const fl_simulation_spec *spec = &simulation->spec;
    fl_text_append(out, "{\"format\": \"faultline simulation 1\",\n \"version\": \"%s\",\n",
                   FL_VERSION);
    fl_sim_json_set_up(&c, out);
    fl_sim_json_faults(&c, out);
    fl_sim_json_proof(&spec->proof, out);
    fl_text_append(out, " \"seed\": %llu,\n \"runs\": %u,\n \"figures\": [",
                   (unsigned long long)spec->seed, spec->runs);
    const char *figure;
    for (unsigned i = 0; (figure = fl_simulation_figure(simulation, i)) != NULL; i++)
        fl_text_append(out, "%s{\"name\": \"%s\"}", i ? ", " : "", figure);
    fl_text_append(
        out,
        "],\n \"partial\": %s,\n \"started\": \"%s\",\n \"wall_seconds\": %.3f,\n \"threads\": %u,\n \"ranks\": %u,\n",
        simulation->partial ? "true" : "false", simulation->started, simulation->wall_seconds,
        spec->threads, spec->ranks ? spec->ranks->count : 1);
    fl_json_append_host(out);
    if (spec->find_saturation) {
        fl_text_append(
            out,
            " \"saturation\": {\"criterion\": \"more than 0.5%% and 4 standard deviations of what is born stays behind\"");
        fl_json_append_number(out, "carried", simulation->carried);
        fl_json_append_number(out, "not_carried", simulation->not_carried);
        fl_text_append(out, "},\n");
    }
    fl_text_append(out, " \"confidence\": 0.95,\n \"results\": [\n");
    for (size_t i = 0; i < simulation->load_count * spec->runs; i++) {
        fl_text_append(out, "%s  {", i ? ",\n" : "");
        fl_sim_json_result(&c, &simulation->results[i], out);
    }
    fl_text_append(out, "]}\n");
}

/* ---- a short table ---- */

void fl_sim_summary_point(const context *c, const fl_sim_result *r, fl_text *out)
{
    fl_text_append(out, "  %8.4g", r->load);
    if (r->measured > 0 && !r->deadlocked) {
        char width[32] = "";
        if (isfinite(half_width(fl_sim_accepted_interval(c, r))))
            snprintf(width, sizeof width, "+-%.4f", half_width(fl_sim_accepted_interval(c, r)));
        fl_text_append(out, "  %8.4f %-8s", fl_sim_accepted(c, r), width);
    }
    if (r->deadlocked) {
        fl_text_append(out, "  deadlocked after %llu cycles: %llu packets can never move again\n",
                       (unsigned long long)r->cycles, (unsigned long long)r->deadlock_packets);
        return;
    }
    if (fl_sim_has_latency(c, r)) {
        double half = half_width(r->latency_interval);
        char interval[32] = "";
        if (isfinite(half))
            snprintf(interval, sizeof interval, " +-%.2f", half);
        fl_text_append(out, "  %8.2f%-9s  %7.0f  %7.0f  %5.2f", r->latency, interval,
                       r->percentile[2], r->percentile[3],
                       per((double)r->hop_sum, (double)r->counted));
    }
    fl_text_append(out, "%s%s", r->saturated ? "  saturated" : "",
                   r->stopped ? "  ended early" : "");
    if (!r->steady && !r->saturated)
        fl_text_append(out, "  not steady%s",
                       c->set_up->failure_count == 0 ? ": a longer --warmup may help" : "");
    if (fl_sim_lost(r) > 0)
        fl_text_append(out, "  %llu lost", (unsigned long long)fl_sim_lost(r));
    if (r->retried > 0)
        fl_text_append(out, "  %llu retried", (unsigned long long)r->retried);
    fl_text_append(out, "\n");
}

void fl_sim_summary_cycle(const context *c, const fl_sim_result *r, fl_text *out)
{
    char from[FL_LABEL_MAX], to[FL_LABEL_MAX], source[FL_LABEL_MAX], destination[FL_LABEL_MAX];
    const fl_network *network = c->network;
    if (workload_of(c))
        fl_text_append(out, "deadlock, seed %llu: ", (unsigned long long)r->seed);
    else
        fl_text_append(out, "deadlock at load %g, seed %llu: ", r->load,
                       (unsigned long long)r->seed);
    fl_text_append(out, "each of these channels waits for the next, the last for the first\n");
    for (unsigned i = 0; i < r->cycle_length; i++) {
        const fl_sim_waiting *w = &r->cycle[i];
        network->type->label(network, w->channel.from, from, sizeof from);
        network->type->label(network, w->channel.to, to, sizeof to);
        network->type->label(network, w->source, source, sizeof source);
        network->type->label(network, w->destination, destination, sizeof destination);
        fl_text_append(out, "  %s -> %s  channel %u, held by a packet from %s to %s\n", from, to,
                       w->channel.number, source, destination);
    }
}

/* ---- what a reader of the numbers should know ---- */

/* In how many runs a failure never came, and between which cycles these ended. */
static unsigned count_missed(const fl_sim_result *results, size_t count, uint64_t cycle,
                             uint64_t *least, uint64_t *most)
{
    unsigned missed = 0;
    *least = UINT64_MAX;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        const fl_sim_result *r = &results[i];
        if (r->stopped || r->cycles > cycle)
            continue;
        missed++;
        *least = r->cycles < *least ? r->cycles : *least;
        *most = r->cycles > *most ? r->cycles : *most;
    }
    return missed;
}

void fl_sim_note_failures(const context *c, const fl_sim_result *results, size_t count,
                          const char *where, fl_text *out)
{
    enum { SHOWN_MAX = 8 };
    size_t notes = 0;
    for (size_t i = 0; i < c->set_up->failure_count; i++) {
        const fl_sim_failure *failure = &c->set_up->failures[i];
        uint64_t least, most;
        unsigned missed = count_missed(results, count, failure->cycle, &least, &most);
        if (missed == 0 || ++notes > SHOWN_MAX)
            continue;
        fl_text_append(out, "note: %sthe failure of ", where);
        fl_network_append_link(c->network, failure->link, out);
        fl_text_append(out, " in cycle %llu never came", (unsigned long long)failure->cycle);
        if (count > 1)
            fl_text_append(out, " in %u of %zu runs", missed, count);
        if (least == most)
            fl_text_append(out, ": the run ended at cycle %llu\n", (unsigned long long)least);
        else
            fl_text_append(out, ": they ended at cycles %llu to %llu\n", (unsigned long long)least,
                           (unsigned long long)most);
    }
    if (notes > SHOWN_MAX)
        fl_text_append(out, "note: %sthe same holds of %zu more failures\n", where,
                       notes - SHOWN_MAX);
}

/* The run of the longest paths; NULL: none delivered anything. */
static const fl_sim_result *longest_paths(const fl_sim_result *results, size_t count, double *hops)
{
    const fl_sim_result *longest = NULL;
    *hops = 0;
    for (size_t i = 0; i < count; i++) {
        double mean =
            results[i].counted > 0 ? (double)results[i].hop_sum / (double)results[i].counted : 0;
        if (mean > *hops) {
            longest = &results[i];
            *hops = mean;
        }
    }
    return longest;
}

void fl_sim_note_hops(const fl_sim_plan *plan, const fl_sim_result *results, size_t count,
                      const char *where, fl_text *out)
{
    static const double most = 1.1, standard_errors = 4;
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(plan);
    fl_sim_first_hops first;
    double hops;
    const fl_sim_result *r = longest_paths(results, count, &hops);
    if (!r || (set_up->faults && set_up->faults->count > 0) || set_up->failure_count > 0 ||
        !fl_sim_first_hops_of(plan, &first))
        return;
    double chance = standard_errors * (sqrt(first.variance / (double)r->counted) + first.error);
    if (hops > most * first.mean && hops > first.mean + chance)
        fl_text_append(
            out,
            "note: %spackets took %.2f hops at load %.4g, %.0f%% more than the %.2f of the first candidates of %s, "
            "which declares its candidates equivalent; are they? --choice first takes the first\n",
            where, hops, r->load, 100 * (hops / first.mean - 1), first.mean, set_up->router->name);
}

static bool carried_is_steady(const fl_simulation *s)
{
    for (size_t i = 0; i < s->load_count * s->spec.runs; i++)
        if (s->results[i].load == s->carried && !s->results[i].steady)
            return false;
    return true;
}

/* A load can be carried for as long as a run takes, and not for longer. */
static void note_unsteady(const fl_simulation *s, fl_text *out)
{
    const fl_sim_model *m = context_of(s).model;
    bool by_cycles = m->stop == FL_SIM_STOP_CYCLES;
    if (!s->spec.find_saturation || !isfinite(s->carried) || carried_is_steady(s))
        return;
    fl_text_append(
        out,
        "note: the load %.4f was carried but not steady: this holds for runs of %llu %s, and longer ones (%s) may saturate at a lower load\n",
        s->carried, (unsigned long long)(by_cycles ? m->cycles : m->packets),
        by_cycles                            ? "cycles"
        : m->stop == FL_SIM_STOP_EACH_SOURCE ? "packets of every source"
                                             : "packets per destination",
        by_cycles ? "more --cycles or --warmup" : "--steady with more --cycles or --warmup");
}

void fl_simulation_notes(const fl_simulation *s, fl_text *out)
{
    context c = context_of(s);
    fl_sim_note_failures(&c, s->results, s->load_count * s->spec.runs, "", out);
    fl_sim_note_hops(s->plan, s->results, s->load_count * s->spec.runs, "", out);
    note_unsteady(s, out);
}

/* Those from the start, and those that come later. */
static void append_faults(const context *c, fl_text *out)
{
    size_t later = c->set_up->failure_count;
    fl_text_append(out, "%llu faulty link%s", faults_of(c), faults_of(c) == 1 ? "" : "s");
    if (later > 0)
        fl_text_append(out, ", %zu fail%s during the run", later, later == 1 ? "s" : "");
}

void fl_simulation_summary(const fl_simulation *s, fl_text *out)
{
    context c = context_of(s);
    const fl_sim_result *deadlocked = NULL;
    fl_text_append(out, "%s, %s, preset %s, %s %s, ", c.network->spec, c.router->canonical,
                   s->spec.preset, workload_of(&c) ? "workload" : "traffic", traffic_of(&c));
    append_faults(&c, out);
    fl_text_append(out, "%s\n", s->partial ? " (partial)" : "");
    if (!workload_of(&c))
        fl_text_append(out, "  %8s  %-17s  %-17s  %7s  %7s  %5s\n", "load", "accepted (95%)",
                       " latency (95%)", "p99", "p99.9", "hops");
    for (size_t i = 0; i < s->load_count * s->spec.runs; i++) {
        if (workload_of(&c))
            fl_completion_summary(s->plan, &s->results[i], out);
        else
            fl_sim_summary_point(&c, &s->results[i], out);
        if (s->results[i].deadlocked && !deadlocked)
            deadlocked = &s->results[i];
    }
    if (deadlocked)
        fl_sim_summary_cycle(&c, deadlocked, out);
    if (s->spec.find_saturation && isfinite(s->not_carried))
        fl_text_append(out, "saturates between the loads %.4f and %.4f; accepts %.4f at load 1\n",
                       s->carried, s->not_carried,
                       fl_sim_accepted(&c, &s->results[(s->load_count - 1) * s->spec.runs]));
    else if (s->spec.find_saturation && isfinite(s->carried))
        fl_text_append(out, "carries every load, up to 1\n");
    fl_simulation_notes(s, out);
}

/* ---- files ---- */

fl_status fl_simulation_write(const fl_simulation *simulation, const char *folder, fl_error *error)
{
    fl_text csv = {0}, json = {0};
    fl_simulation_csv(simulation, &csv);
    fl_simulation_json(simulation, &json);
    return fl_results_write_pair(folder, "simulate", &csv, &json, error);
}
