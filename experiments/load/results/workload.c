/* What became of a workload: columns, JSON and sentences behind those that every simulation has. */
#include "experiments/results.h"

#include <math.h>

static double mean_latency(const fl_sim_completion *c)
{
    return c->arrived > 0 ? (double)c->latency_sum / (double)c->arrived : (double)NAN;
}

void fl_completion_header(fl_text *out)
{
    fl_text_append(
        out,
        ",complete,stalled,completion_cycles,messages,messages_arrived,messages_lost,messages_never_ready,messages_under_way,"
        "message_latency_mean,message_latency_max");
}

void fl_completion_row(const fl_sim_result *r, fl_text *out)
{
    const fl_sim_completion *c = &r->completion;
    fl_text_append(out, ",%s,%s,", c->complete ? "yes" : "no", c->stalled ? "yes" : "no");
    if (c->complete)
        fl_text_append(out, "%llu", (unsigned long long)c->cycles);
    const uint64_t counts[] = {c->messages, c->arrived, c->lost, c->never_ready, c->under_way};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        fl_text_append(out, ",%llu", (unsigned long long)counts[i]);
    if (c->arrived > 0)
        fl_text_append(out, ",%.8g,%llu", mean_latency(c), (unsigned long long)c->latency_max);
    else
        fl_text_append(out, ",,");
}

static void append_node(const fl_sim_plan *plan, uint32_t process, fl_text *out)
{
    const fl_network *network = fl_sim_plan_set_up(plan)->router->network;
    char label[FL_LABEL_MAX];
    network->type->label(network,
                         network->type->node_address(network, fl_sim_plan_node_of(plan, process)),
                         label, sizeof label);
    fl_text_append(out, "%s", label);
}

void fl_completion_json(const fl_sim_workload *workload, const fl_sim_result *r,
                        fl_json_writer *out)
{
    const fl_sim_completion *c = &r->completion;
    fl_json_open_object(fl_json_line(out), "workload");
    fl_json_bool(out, "complete", c->complete);
    fl_json_bool(out, "stalled", c->stalled);
    fl_json_number(out, "cycles", c->cycles);
    fl_json_number(out, "messages", c->messages);
    fl_json_number(out, "arrived", c->arrived);
    fl_json_number(out, "lost", c->lost);
    fl_json_number(out, "never_ready", c->never_ready);
    fl_json_number(out, "under_way", c->under_way);
    fl_json_number(out, "waiting_for_first_lost", c->waiting_for_first);
    fl_json_number(out, "latency_sum", c->latency_sum);
    fl_json_number(out, "latency_max", c->latency_max);
    fl_json_open_array(out, "first_lost");
    for (uint64_t i = 0; i < c->lost && i < FL_SIM_LOST_MESSAGES; i++) {
        const fl_sim_lost_message *lost = &c->first_lost[i];
        fl_json_open_object(out, NULL);
        fl_json_number(out, "id", fl_sim_workload_message(workload, lost->place).id);
        fl_json_number(out, "cycle", lost->cycle);
        fl_json_text(out, "reason", fl_sim_loss_name(lost->why));
        fl_json_close(out);
    }
    fl_json_close(out);
    fl_json_close(out);
}

static void append_loss(const fl_sim_plan *plan, const fl_sim_completion *c, fl_text *out)
{
    const fl_sim_lost_message *lost = &c->first_lost[0];
    fl_sim_message m = fl_sim_workload_message(fl_sim_plan_set_up(plan)->workload, lost->place);
    fl_text_append(out, "    message %llu (", (unsigned long long)m.id);
    append_node(plan, m.source, out);
    fl_text_append(out, " to ");
    append_node(plan, m.destination, out);
    fl_text_append(out, ") lost a packet in cycle %llu (%s)", (unsigned long long)lost->cycle,
                   fl_sim_loss_name(lost->why));
    if (c->lost > 1)
        fl_text_append(out, ", and %llu other messages later", (unsigned long long)(c->lost - 1));
    if (c->waiting_for_first > 0)
        fl_text_append(out, "; %llu messages wait for it, at first or second hand",
                       (unsigned long long)c->waiting_for_first);
    fl_text_append(out, "\n");
}

static void append_outcome(const fl_sim_plan *plan, const fl_sim_result *r, fl_text *out)
{
    const fl_sim_completion *c = &r->completion;
    fl_text_append(out, "  seed %-6llu ", (unsigned long long)r->seed);
    if (c->complete) {
        fl_text_append(
            out,
            "%llu messages have arrived after %llu cycles; mean latency of a message %.2f cycles, of a packet %.2f\n",
            (unsigned long long)c->messages, (unsigned long long)c->cycles, mean_latency(c),
            r->latency);
        return;
    }
    fl_text_append(out, "%llu of %llu messages arrived", (unsigned long long)c->arrived,
                   (unsigned long long)c->messages);
    if (r->deadlocked)
        fl_text_append(
            out, "; the network deadlocked after %llu cycles: %llu packets can never move again\n",
            (unsigned long long)r->cycles, (unsigned long long)r->deadlock_packets);
    else if (c->stalled)
        fl_text_append(
            out,
            "; nothing moves any more after %llu cycles, without a deadlock: %llu lost a packet, %llu never became ready\n",
            (unsigned long long)r->cycles, (unsigned long long)c->lost,
            (unsigned long long)c->never_ready);
    else
        fl_text_append(out, " in %llu cycles, at which the run was ended; %llu lost a packet\n",
                       (unsigned long long)r->cycles, (unsigned long long)c->lost);
    if (c->lost > 0)
        append_loss(plan, c, out);
}

void fl_completion_summary(const fl_sim_plan *plan, const fl_sim_result *r, fl_text *out)
{
    append_outcome(plan, r, out);
    if (r->retried > 0)
        fl_text_append(out, "    %llu retried: packets that a failing link cut, sent again\n",
                       (unsigned long long)r->retried);
}
