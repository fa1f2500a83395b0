/* Results of one run: what follows from its counts, its row of CSV, and its line of a short table.
 */
#include "experiments/load/results/results.h"
#include "experiments/results.h"

#include <math.h>
#include <string.h>

fl_sim_context fl_sim_context_of(const fl_sim_plan *plan, const char *preset)
{
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(plan);
    return (fl_sim_context){preset, set_up, set_up->model, set_up->router->network, set_up->router};
}

const char *fl_sim_traffic_of(const fl_sim_context *c)
{
    const fl_sim_workload *workload = c->set_up->workload;
    return workload ? fl_sim_workload_name(workload) : fl_sim_traffic_spec(c->set_up->traffic);
}

unsigned long long fl_sim_faults_of(const fl_sim_context *c)
{
    return c->set_up->faults ? c->set_up->faults->count : 0;
}

/* ---- what follows from the counts ---- */

/* Flits that arrived, per node and cycle. */
double fl_sim_accepted(const fl_sim_context *c, const fl_sim_result *r)
{
    return fl_per((double)r->received * c->model->packet_flits,
                  (double)r->measured * (double)c->network->nodes);
}

double fl_sim_offered(const fl_sim_context *c, const fl_sim_result *r)
{
    return fl_per((double)r->generated * c->model->packet_flits,
                  (double)r->measured * (double)c->network->nodes);
}

/* ... and its interval. */
fl_interval fl_sim_accepted_interval(const fl_sim_context *c, const fl_sim_result *r)
{
    double scale = c->model->packet_flits / (double)c->network->nodes;
    return (fl_interval){r->received_interval.low * scale, r->received_interval.high * scale};
}

/* In steady state a saturated point has no latency: it grows with the length of the run. With the
 * stop rules that count packets it has one, that of the packets counted. */
bool fl_sim_has_latency(const fl_sim_context *c, const fl_sim_result *r)
{
    return r->counted > 0 && !r->deadlocked &&
           !(r->saturated && c->model->stop == FL_SIM_STOP_CYCLES);
}

uint64_t fl_sim_lost(const fl_sim_result *r)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < FL_SIM_LOSSES; i++)
        sum += r->lost[i];
    return sum;
}

/* ---- CSV ---- */

void fl_csv_append_number(fl_text *out, double value)
{
    fl_text_append(out, ",");
    if (isfinite(value))
        fl_text_append(out, "%.8g", value);
}

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
        if (known == columns->count && known < FL_SIM_COLUMNS_MAX)
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

int fl_sim_class_named(const fl_network *network, const char *wanted)
{
    char name[FL_LABEL_MAX];
    for (unsigned i = 0; i < network->classes; i++) {
        class_name(network, i, name);
        if (strcmp(name, wanted) == 0)
            return (int)i;
    }
    return -1;
}

double fl_sim_utilisation(const fl_sim_result *r, int link_class)
{
    return link_class < 0 ? (double)NAN
                          : fl_per((double)r->class_flits[link_class],
                                   (double)r->measured * (double)r->class_channels[link_class]);
}

void fl_sim_csv_row(const fl_sim_context *c, const fl_sim_result *r, const fl_sim_columns *classes,
                    fl_text *out)
{
    const fl_sim_model *m = c->model;
    bool latency = fl_sim_has_latency(c, r);
    double counted = (double)r->counted, cycles = (double)r->measured, none = (double)NAN;
    fl_csv_append_quoted(out, c->network->spec);
    fl_text_append(out, ",%s,%s,%s,", c->router->canonical, fl_scope_names[c->router->scope],
                   c->preset);
    fl_csv_append_quoted(out, fl_sim_traffic_of(c));
    fl_text_append(out, ",%s,%u,%u,%u,%u,%llu", fl_sim_switching_names[m->switching],
                   m->packet_flits, m->input_fifo, m->output_fifo, c->router->channels,
                   fl_sim_faults_of(c));
    fl_csv_append_number(out, c->set_up->workload ? none : r->load);
    fl_text_append(out, ",%llu", (unsigned long long)r->seed);
    fl_csv_append_number(out, fl_sim_offered(c, r));
    fl_csv_append_number(out, fl_sim_accepted(c, r));
    fl_csv_append_number(out, fl_sim_accepted_interval(c, r).low);
    fl_csv_append_number(out, fl_sim_accepted_interval(c, r).high);
    fl_csv_append_number(out, latency ? r->latency : none);
    fl_csv_append_number(out, latency ? r->latency_interval.low : none);
    fl_csv_append_number(out, latency ? r->latency_interval.high : none);
    for (unsigned i = 0; i < FL_SIM_PERCENTILES; i++)
        fl_csv_append_number(out, latency ? r->percentile[i] : none);
    fl_csv_append_number(out, latency ? (double)r->latency_max : none);
    fl_csv_append_number(out, latency ? fl_per((double)r->network_latency_sum, counted) : none);
    fl_csv_append_number(out, fl_per((double)r->hop_sum, counted));
    fl_csv_append_number(out, fl_per((double)r->conflicts, cycles));
    fl_csv_append_number(out, fl_per((double)r->conflict_ports, cycles));
    fl_csv_append_number(out, fl_per((double)r->conflicts, (double)r->received));
    fl_csv_append_number(out, fl_per((double)r->received, cycles));
    fl_csv_append_number(out, fl_per((double)r->received, (double)r->injected));
    fl_text_append(
        out, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%s,%s,%s,%llu", (unsigned long long)r->generated,
        (unsigned long long)r->injected, (unsigned long long)r->received,
        (unsigned long long)r->counted, (unsigned long long)r->outstanding,
        (unsigned long long)r->measured, (unsigned long long)r->cycles, r->saturated ? "yes" : "no",
        r->steady ? "yes" : "no", r->deadlocked ? "yes" : "no", (unsigned long long)r->retried);
    for (unsigned i = 0; i < FL_SIM_LOSSES; i++)
        fl_text_append(out, ",%llu", (unsigned long long)r->lost[i]);
    for (unsigned i = 0; i < classes->count; i++)
        fl_csv_append_number(
            out, fl_sim_utilisation(r, fl_sim_class_named(c->network, classes->names[i])));
}

/* ---- a line of a short table ---- */

static double half_width(fl_interval interval)
{
    return (interval.high - interval.low) / 2;
}

void fl_sim_summary_columns(fl_table *table)
{
    fl_table_column(table, (fl_column){.least = 8, .gap = 2}, "load");
    fl_table_column(table, (fl_column){.least = 17, .gap = 2, .left = true}, "accepted (95%%)");
    fl_table_column(table, (fl_column){.least = 17, .gap = 2, .left = true}, " latency (95%%)");
    fl_table_column(table, (fl_column){.least = 7, .gap = 2, .rank = 2}, "p99");
    fl_table_column(table, (fl_column){.least = 7, .gap = 2, .rank = 3}, "p99.9");
    fl_table_column(table, (fl_column){.least = 5, .gap = 2, .rank = 1}, "hops");
}

/* What there is to know of a run beside its numbers. */
static void append_remarks(const fl_sim_context *c, const fl_sim_result *r, fl_text *out)
{
    fl_text_append(out, "%s%s", r->saturated ? "  saturated" : "",
                   r->stopped ? "  ended early" : "");
    if (!r->steady && !r->saturated)
        fl_text_append(out, "  not steady%s",
                       c->set_up->failure_count == 0 ? ": a longer --warmup may help" : "");
    if (fl_sim_lost(r) > 0)
        fl_text_append(out, "  %llu lost", (unsigned long long)fl_sim_lost(r));
    if (r->retried > 0)
        fl_text_append(out, "  %llu retried", (unsigned long long)r->retried);
}

static void add_latency(const fl_sim_result *r, fl_table *table)
{
    double half = half_width(r->latency_interval);
    if (isfinite(half))
        fl_table_cell(table, "%8.2f +-%.2f", r->latency, half);
    else
        fl_table_cell(table, "%8.2f", r->latency);
    fl_table_cell(table, "%.0f", r->percentile[2]);
    fl_table_cell(table, "%.0f", r->percentile[3]);
    fl_table_cell(table, "%.2f", fl_per((double)r->hop_sum, (double)r->counted));
}

void fl_sim_summary_point(const fl_sim_context *c, const fl_sim_result *r, fl_table *table)
{
    fl_text remarks = {0};
    fl_table_cell(table, "%.4g", r->load);
    if (r->deadlocked) {
        fl_table_rest(table, "deadlocked after %llu cycles: %llu packets can never move again",
                      (unsigned long long)r->cycles, (unsigned long long)r->deadlock_packets);
        fl_table_row(table);
        return;
    }
    double half = half_width(fl_sim_accepted_interval(c, r));
    if (r->measured > 0 && isfinite(half))
        fl_table_cell(table, "%8.4f +-%.4f", fl_sim_accepted(c, r), half);
    else if (r->measured > 0)
        fl_table_cell(table, "%8.4f", fl_sim_accepted(c, r));
    if (fl_sim_has_latency(c, r))
        add_latency(r, table);
    append_remarks(c, r, &remarks);
    if (remarks.length > 0)
        fl_table_rest(table, "%s", remarks.data + 2);
    fl_table_row(table);
    table->bytes.failed |= remarks.failed;
    fl_text_clear(&remarks);
}

void fl_sim_summary_cycle(const fl_sim_context *c, const fl_sim_result *r, fl_text *out)
{
    char from[FL_LABEL_MAX], to[FL_LABEL_MAX], source[FL_LABEL_MAX], destination[FL_LABEL_MAX];
    const fl_network *network = c->network;
    if (c->set_up->workload)
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
