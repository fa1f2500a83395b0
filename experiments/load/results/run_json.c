/* JSON of one run: what was set, and what came of it. */
#include "experiments/load/results/results.h"
#include "experiments/results.h"
#include "experiments/spec/pieces.h"
#include "routing/plugin.h"

#include <math.h>
#include <stddef.h>

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

static void append_link_label(const fl_sim_context *c, fl_text *out, fl_link link)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX], both[2 * FL_LABEL_MAX + 1];
    fl_link_ends ends;
    c->network->type->link_ends(c->network, link, &ends);
    c->network->type->label(c->network, ends.a, a, sizeof a);
    c->network->type->label(c->network, ends.b, b, sizeof b);
    snprintf(both, sizeof both, "%s-%s", a, b);
    fl_json_append_string(out, both);
}

static void append_model(const fl_sim_context *c, fl_text *out)
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

void fl_sim_json_faults(const fl_sim_context *c, fl_text *out)
{
    fl_text_append(out, " \"faults\": [");
    for (uint64_t i = 0; i < fl_sim_faults_of(c); i++) {
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

static void append_vertex(const fl_sim_context *c, fl_text *out, const char *key, fl_address at)
{
    char label[FL_LABEL_MAX];
    c->network->type->label(c->network, at, label, sizeof label);
    fl_text_append(out, "\"%s\": ", key);
    fl_json_append_string(out, label);
}

static void append_deadlock(const fl_sim_context *c, const fl_sim_result *r, fl_text *out)
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

static void append_series(const fl_sim_context *c, const fl_sim_result *r, fl_text *out)
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

void fl_sim_json_result(const fl_sim_context *c, const fl_sim_result *r, fl_text *out)
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
    if (c->set_up->workload)
        fl_completion_json(c->set_up->workload, r, out);
    if (r->deadlocked)
        append_deadlock(c, r, out);
    if (r->series_length > 0)
        append_series(c, r, out);
    fl_text_append(out, "}");
}

/* Those that the network or the router comes from, in the order of loading; nothing if there are
 * none. */
static void append_plugins(const fl_sim_context *c, fl_text *out)
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

void fl_sim_json_set_up(const fl_sim_context *c, fl_text *out)
{
    fl_json_append_line(out, "topology", c->network->spec);
    append_content(out, "topology_hash", c->network->content);
    fl_json_append_line(out, "router", c->router->canonical);
    fl_json_append_line(out, "scope", fl_scope_names[c->router->scope]);
    fl_json_append_line(out, "preset", c->preset);
    fl_json_append_line(out, c->set_up->workload ? "workload" : "traffic", fl_sim_traffic_of(c));
    append_content(out, c->set_up->workload ? "workload_hash" : "traffic_hash",
                   c->set_up->workload ? fl_sim_workload_content(c->set_up->workload)
                                       : fl_sim_traffic_content(c->set_up->traffic));
    append_plugins(c, out);
    append_model(c, out);
}
