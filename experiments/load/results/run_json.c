/* JSON of one run: what was set, and what came of it. */
#include "experiments/load/results/results.h"
#include "experiments/results.h"
#include "experiments/spec/pieces.h"
#include "routing/plugin.h"

#include <math.h>
#include <stddef.h>

void fl_json_measure(fl_json_writer *out, const char *key, double value)
{
    fl_json_real(out, key, value, 10);
}

static void json_link(const fl_sim_context *c, fl_json_writer *out, const char *key, fl_link link)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX], both[2 * FL_LABEL_MAX + 1];
    fl_link_ends ends;
    c->network->type->link_ends(c->network, link, &ends);
    c->network->type->label(c->network, ends.a, a, sizeof a);
    c->network->type->label(c->network, ends.b, b, sizeof b);
    snprintf(both, sizeof both, "%s-%s", a, b);
    fl_json_text(out, key, both);
}

static void json_model(const fl_sim_context *c, fl_json_writer *out)
{
    const fl_sim_model *m = c->model;
    char name[FL_LABEL_MAX];
    fl_json_open_object(fl_json_line(out), "model");
    fl_json_text(out, "switching", fl_sim_switching_names[m->switching]);
    fl_json_text(out, "arbitration", fl_sim_arbitration_names[m->arbitration]);
    fl_json_text(out, "choice", fl_sim_choice_names[m->choice]);
    fl_json_text(out, "on_failure", fl_sim_on_failure_names[m->on_failure]);
    fl_json_number(fl_json_line(out), "packet_flits", m->packet_flits);
    fl_json_number(out, "input_fifo", m->input_fifo);
    fl_json_number(out, "input_fifo_level0",
                   m->input_fifo_level0 ? m->input_fifo_level0 : m->input_fifo);
    fl_json_number(out, "output_fifo", m->output_fifo);
    fl_json_number(out, "channels", c->router->channels);
    fl_json_number(fl_json_line(out), "routing_delay", m->routing_delay);
    fl_json_number(out, "link_latency", m->link_latency);
    fl_json_open_object(out, "class_latency");
    for (unsigned i = 0; i < c->network->classes; i++) {
        if (!m->class_latency[i])
            continue;
        c->network->type->class_name(c->network, i, name, sizeof name);
        fl_json_number(out, name, m->class_latency[i]);
    }
    fl_json_close(out);
    fl_json_number(out, "credit_delay", m->credit_delay);
    fl_json_number(out, "source_queue", m->source_queue);
    fl_json_line_text(out, "stop", fl_sim_stop_names[m->stop]);
    fl_json_number(out, "warmup", m->warmup);
    fl_json_number(out, "cycles", m->cycles);
    fl_json_number(out, "packets", m->packets);
    fl_json_number(out, "drain", m->drain);
    fl_json_number(out, "deadlock_after", m->deadlock_after);
    fl_json_close(out);
}

void fl_sim_json_faults(const fl_sim_context *c, fl_json_writer *out)
{
    fl_json_open_array(fl_json_line(out), "faults");
    for (uint64_t i = 0; i < fl_sim_faults_of(c); i++)
        json_link(c, out, NULL, c->set_up->faults->links[i]);
    fl_json_close(out);
    fl_json_open_array(fl_json_line(out), "failures");
    for (size_t i = 0; i < c->set_up->failure_count; i++) {
        fl_json_open_object(out, NULL);
        fl_json_number(out, "cycle", c->set_up->failures[i].cycle);
        json_link(c, out, "link", c->set_up->failures[i].link);
        fl_json_close(out);
    }
    fl_json_close(out);
}

static void json_vertex(const fl_sim_context *c, fl_json_writer *out, const char *key,
                        fl_address at)
{
    char label[FL_LABEL_MAX];
    c->network->type->label(c->network, at, label, sizeof label);
    fl_json_text(out, key, label);
}

static void json_deadlock(const fl_sim_context *c, const fl_sim_result *r, fl_json_writer *out)
{
    fl_json_open_object(fl_json_line(out), "deadlock");
    fl_json_number(out, "packets", r->deadlock_packets);
    fl_json_open_array(out, "cycle");
    for (unsigned i = 0; i < r->cycle_length; i++) {
        const fl_sim_waiting *w = &r->cycle[i];
        fl_json_open_object(fl_json_line(out), NULL);
        json_vertex(c, out, "from", w->channel.from);
        json_vertex(c, out, "to", w->channel.to);
        fl_json_number(out, "channel", w->channel.number);
        fl_json_open_object(out, "holds");
        json_vertex(c, out, "source", w->source);
        json_vertex(c, out, "destination", w->destination);
        fl_json_close(out);
        fl_json_close(out);
    }
    fl_json_close(out);
    fl_json_close(out);
}

const fl_sim_count fl_sim_sample_counts[] = {
    {"generated", offsetof(fl_sim_sample, generated)},
    {"delivered", offsetof(fl_sim_sample, delivered)},
    {"lost", offsetof(fl_sim_sample, lost)},
    {"retried", offsetof(fl_sim_sample, retried)},
    {"latency_sum", offsetof(fl_sim_sample, latency_sum)},
    {NULL, 0},
};

static void json_series(const fl_sim_context *c, const fl_sim_result *r, fl_json_writer *out)
{
    fl_json_open_object(fl_json_line(out), "series");
    fl_json_number(out, "interval", c->set_up->series);
    for (const fl_sim_count *field = fl_sim_sample_counts; field->key; field++) {
        fl_json_open_packed(fl_json_line(out), field->key);
        for (size_t i = 0; i < r->series_length; i++)
            fl_json_number(out, NULL,
                           *(const uint64_t *)((const char *)&r->series[i] + field->offset));
        fl_json_close(out);
    }
    fl_json_close(out);
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

void fl_sim_json_classes(const fl_network *network, const fl_sim_result *r, fl_json_writer *out)
{
    char name[FL_LABEL_MAX];
    fl_json_open_object(out, "class_flits");
    for (unsigned i = 0; i < network->classes; i++) {
        network->type->class_name(network, i, name, sizeof name);
        fl_json_open_object(out, name);
        fl_json_number(out, "channels", r->class_channels[i]);
        fl_json_number(out, "flits", r->class_flits[i]);
        fl_json_close(out);
    }
    fl_json_close(out);
}

void fl_sim_json_result(const fl_sim_context *c, const fl_sim_result *r, fl_json_writer *out)
{
    bool latency = fl_sim_has_latency(c, r);
    double none = (double)NAN;
    fl_json_measure(out, "load", r->load);
    fl_json_number(out, "seed", r->seed);
    fl_json_measure(out, "offered_load", fl_sim_offered(c, r));
    fl_json_measure(out, "accepted_load", fl_sim_accepted(c, r));
    fl_json_measure(out, "accepted_low", fl_sim_accepted_interval(c, r).low);
    fl_json_measure(out, "accepted_high", fl_sim_accepted_interval(c, r).high);
    fl_json_bool(fl_json_line(out), "saturated", r->saturated);
    fl_json_bool(out, "steady", r->steady);
    fl_json_bool(out, "deadlocked", r->deadlocked);
    fl_json_bool(out, "stopped", r->stopped);
    fl_json_measure(out, "latency_mean", latency ? r->latency : none);
    fl_json_measure(out, "latency_low", latency ? r->latency_interval.low : none);
    fl_json_measure(out, "latency_high", latency ? r->latency_interval.high : none);
    for (unsigned i = 0; i < FL_SIM_PERCENTILES; i++)
        fl_json_measure(out, fl_sim_percentile_names[i], latency ? r->percentile[i] : none);
    fl_json_number(fl_json_line(out), "cycles", r->cycles);
    for (const fl_sim_count *count = fl_sim_counts; count->key; count++)
        fl_json_number(out, count->key, *(const uint64_t *)((const char *)r + count->offset));
    fl_json_open_object(fl_json_line(out), "lost");
    for (unsigned i = 0; i < FL_SIM_LOSSES; i++)
        fl_json_number(out, fl_sim_loss_name(i), r->lost[i]);
    fl_json_close(out);
    fl_sim_json_classes(c->network, r, out);
    if (c->set_up->workload)
        fl_completion_json(c->set_up->workload, r, out);
    fl_json_indent(out, 2);
    if (r->deadlocked)
        json_deadlock(c, r, out);
    if (r->series_length > 0)
        json_series(c, r, out);
}

/* Those that the network or the router comes from, in the order of loading; nothing if there are
 * none. */
static void json_plugins(const fl_sim_context *c, fl_json_writer *out)
{
    const fl_plugin_info *info;
    bool any = false;
    for (unsigned i = 0; (info = fl_plugin_at(i)) != NULL; i++) {
        if (!fl_plugin_is_used(info, c->network, c->router))
            continue;
        if (!any) {
            fl_json_open_array(fl_json_line(out), "plugins");
        }
        fl_json_open_object(out, NULL);
        fl_json_text(out, "hash", info->hash);
        fl_json_text(out, "name", info->plugin->name);
        fl_json_text(out, "version", info->plugin->version);
        fl_json_close(out);
        any = true;
    }
    if (any)
        fl_json_close(out);
}

/* Of a file that was read; nothing if there was none. */
static void json_content(fl_json_writer *out, const char *key, uint64_t content)
{
    char hash[FL_CONTENT_HASH];
    fl_content_hash(hash, content);
    if (content)
        fl_json_line_text(out, key, hash);
}

void fl_sim_json_set_up(const fl_sim_context *c, fl_json_writer *out)
{
    fl_json_line_text(out, "topology", c->network->spec);
    json_content(out, "topology_hash", c->network->content);
    fl_json_line_text(out, "router", c->router->canonical);
    fl_json_line_text(out, "scope", fl_scope_names[c->router->scope]);
    fl_json_line_text(out, "preset", c->preset);
    fl_json_line_text(out, c->set_up->workload ? "workload" : "traffic", fl_sim_traffic_of(c));
    json_content(out, c->set_up->workload ? "workload_hash" : "traffic_hash",
                 c->set_up->workload ? fl_sim_workload_content(c->set_up->workload)
                                     : fl_sim_traffic_content(c->set_up->traffic));
    json_plugins(c, out);
    json_model(c, out);
}

void fl_json_figure_names(fl_json_writer *out, const char *(*name)(const void *of, unsigned index),
                          const void *of)
{
    const char *figure;
    fl_json_open_array(fl_json_line(out), "figures");
    for (unsigned i = 0; (figure = name(of, i)) != NULL; i++) {
        fl_json_open_object(out, NULL);
        fl_json_text(out, "name", figure);
        fl_json_close(out);
    }
    fl_json_close(out);
}
