/* One run: cycle after cycle, until its end.
 *
 * One cycle: links fail; what was under way arrives, and what is free becomes known; packets at the
 * front of their queues are routed; sources send; heads request outputs and one request a channel
 * is granted.
 *
 * With store-and-forward and virtual cut-through there is room for the complete packet before it is
 * sent, so that its flits follow each other without a gap: a packet is one event at each end of a
 * link, however long it is. A worm goes flit by flit through the same requests and grants. */
#include "sim/engine/steps.h"

#include <math.h>

/* Progress is reported, and a wish to stop heard, about every tenth of a second: after this many
 * cycles times nodes. */
enum { NODE_CYCLES_BETWEEN_PROGRESS = 1 << 21, CYCLES_BETWEEN_PROGRESS_MAX = 4096 };

/* ---- cycles ---- */

static void run_cycle(engine *e)
{
    calendar *c = &e->calendar;
    event_list *due = fl_sim_events_in(c, 0);
    e->measure.measuring = fl_sim_is_measured(&e->measure, c->now);
    if (fl_sim_failure_is_due(&e->failures, e->plan, c->now))
        fl_sim_fail_links(e);
    if (e->mode.fast)
        fl_sim_fast_events(e, due);
    else
        fl_sim_happen_all(e, due);
    due->count = 0;
    fl_sim_look_all(e);
    fl_sim_send_from_sources(e);
    if (e->mode.fast) {
        fl_sim_fast_requests(e);
        fl_sim_fast_grants(e);
    } else {
        fl_sim_request_all(e);
        fl_sim_grant_all(e);
    }
    if (e->mode.wormhole)
        fl_sim_drop_vanishing(e);
    if (e->mode.output_fifos)
        fl_sim_send_from_fifos(e);
    c->now++;
}

/* Sources that produce more than the network takes: what has gathered in the measured cycles is
 * more than half a percent of what was born, and more than chance (4 standard deviations of the
 * births). */
static bool is_overloaded(const engine *e, uint64_t generated, uint64_t waiting)
{
    double born = (double)generated,
           gone = (double)(e->measure.out->received + e->measure.lost_measured);
    if (e->plan->model.source_queue > 0) {
        gone = born;
        born = e->sources.birth_rate * e->plan->senders * (double)e->measure.out->measured;
        waiting = e->plan->senders + 1;
    }
    return born - gone > .005 * born + 4 * sqrt(born) && waiting > e->plan->senders;
}

/* Is this the end of the run? */
static bool is_over(engine *e)
{
    const fl_sim_model *m = &e->plan->model;
    fl_sim_result *out = e->measure.out;
    if (m->stop == FL_SIM_STOP_EACH_SOURCE)
        return e->measure.done >= e->measure.target || e->calendar.now >= m->cycles;
    if (m->stop == FL_SIM_STOP_PER_DESTINATION)
        return out->total_delivered >= m->packets * e->plan->network->nodes ||
               e->calendar.now >= m->cycles;
    if (m->stop == FL_SIM_STOP_MESSAGES)
        return fl_sim_messages_are_over(e->messages, e->packets.count) ||
               e->calendar.now >= m->cycles;
    if (e->calendar.now < e->measure.end)
        return false;
    if (e->calendar.now == e->measure.end) {
        uint64_t waiting = fl_sim_backlog(e, false), generated = out->generated + waiting;
        out->measured = m->cycles;
        out->saturated = is_overloaded(e, generated, waiting);
        e->measure.target = generated;
        if (out->saturated)
            return true;
    }
    return e->measure.done >= e->measure.target || e->calendar.now >= e->measure.end + m->drain;
}

/* A packet that has not moved for that many cycles does not wait for something that is still on its
 * way. */
static uint32_t settled_after(const fl_sim_plan *plan)
{
    const fl_sim_model *m = &plan->model;
    uint64_t longest = 0;
    for (unsigned i = 0; i < plan->network->classes; i++)
        longest = plan->latency[i] > longest ? plan->latency[i] : longest;
    return (uint32_t)(4 *
                      ((uint64_t)m->packet_flits + m->routing_delay + m->credit_delay + longest));
}

static uint32_t time_limit_of(const fl_sim_plan *plan)
{
    uint32_t settled = settled_after(plan);
    return plan->model.deadlock_after > settled ? (uint32_t)plan->model.deadlock_after : settled;
}

static bool go_on(const engine *e)
{
    const fl_sim_watch *watch = e->watch;
    return !watch || !watch->progress ||
           watch->progress(watch->user,
                           e->messages ? e->measure.out->total_delivered : e->calendar.now);
}

static uint32_t cycles_between_progress(const engine *e)
{
    uint64_t cycles = NODE_CYCLES_BETWEEN_PROGRESS / e->plan->network->nodes + 1;
    return (uint32_t)(cycles < CYCLES_BETWEEN_PROGRESS_MAX ? cycles : CYCLES_BETWEEN_PROGRESS_MAX);
}

static void run(engine *e)
{
    uint32_t time_limit = time_limit_of(e->plan), next_look = time_limit,
             between = cycles_between_progress(e), next_progress = between;
    while (!e->status.code && !is_over(e)) {
        run_cycle(e);
        if (FL_UNLIKELY(e->calendar.now == e->measure.meter->next_cut &&
                        e->calendar.now <= e->measure.end))
            fl_sim_meter_cut(e->measure.meter, e->measure.out->received);
        if (FL_UNLIKELY(e->calendar.now == next_look)) {
            next_look += time_limit;
            if (fl_sim_find_deadlock(e, time_limit))
                return;
        }
        if (FL_UNLIKELY(e->calendar.now == next_progress)) {
            next_progress += between;
            if (!go_on(e)) {
                e->measure.out->stopped = true;
                return;
            }
        }
    }
}

/* ---- the end ---- */

static void conclude_open_traffic(engine *e, uint64_t waiting)
{
    fl_sim_result *out = e->measure.out;
    const fl_sim_model *m = &e->plan->model;
    uint64_t done = e->measure.done;
    if (m->stop == FL_SIM_STOP_CYCLES) {
        out->outstanding = out->generated > done ? out->generated - done : 0;
        out->saturated |= out->outstanding > 0 && e->calendar.now >= e->measure.end + m->drain;
    } else {
        out->saturated = is_overloaded(e, out->generated, waiting);
        out->outstanding = m->stop == FL_SIM_STOP_EACH_SOURCE ? e->measure.target - done : 0;
        out->saturated |= out->outstanding > 0;
    }
}

/* The time series ends with the run. */
static void cut_series(engine *e)
{
    fl_sim_result *out = e->measure.out;
    uint64_t interval = e->plan->set_up.series;
    if (out->series_length == 0 || interval == 0)
        return;
    uint64_t used = (e->calendar.now + interval - 1) / interval;
    out->series_length = used < out->series_length ? used : out->series_length;
}

static void conclude(engine *e)
{
    fl_sim_result *out = e->measure.out;
    uint64_t now = e->calendar.now, end = e->measure.end < now ? e->measure.end : now;
    out->cycles = now;
    out->largest_in_flight = e->packets.largest_count;
    if (!out->deadlocked && !e->status.code)
        fl_sim_find_deadlock(e, settled_after(e->plan));
    fl_sim_check_conservation(e);
    out->measured = end > e->measure.first ? end - e->measure.first : 0;
    uint64_t waiting = fl_sim_backlog(e, true);
    if (e->messages)
        fl_sim_conclude_messages(e->messages, e->packets.count);
    else
        conclude_open_traffic(e, waiting);
    cut_series(e);
    for (unsigned i = 0; i < FL_SIM_CLASSES_MAX; i++)
        out->class_channels[i] = e->plan->class_channels[i];
    fl_sim_meter_read(e->measure.meter, out);
    if (e->messages) /* begins and ends: no steady state of which batches were samples */
        out->received_interval = (fl_interval){(double)NAN, (double)NAN};
}

/* ---- making ---- */

/* Events come at most that many cycles ahead. */
static uint32_t longest_delay(const fl_sim_plan *plan)
{
    uint32_t longest = 0;
    for (unsigned i = 0; i < FL_SIM_CLASSES_MAX; i++)
        longest = plan->latency[i] > longest ? plan->latency[i] : longest;
    return longest + 2 * plan->model.packet_flits + plan->model.routing_delay +
           plan->model.credit_delay + 2;
}

/* Links that are down from the start. */
static void take_down_faults(engine *e)
{
    const fl_fault_set *down = &e->failures.down;
    for (uint64_t i = 0; i < down->count; i++) {
        uint32_t channels[2];
        fl_sim_channels_of(e->plan, down->links[i], channels);
        for (unsigned d = 0; d < 2; d++)
            if (channels[d] != FL_SIM_UNPLUGGED)
                fl_sim_take_down(&e->links, channels[d]);
    }
    if (e->mode.fast)
        fl_sim_fill_port_sets(&e->links, e->plan);
}

/* False when memory ran out. */
static bool make(engine *e, fl_sim_result *out, double load, uint64_t seed)
{
    const fl_sim_plan *plan = e->plan;
    run_status *status = &e->status;
    fl_sim_packets_create(&e->packets, status);
    fl_sim_candidates_create(&e->candidates, status);
    if (!fl_sim_measurement_create(&e->measure, plan, out) ||
        !fl_sim_queues_create(&e->queues, plan) ||
        !fl_sim_links_create(&e->links, plan, &e->mode) ||
        !fl_sim_heads_create(&e->heads, plan, &e->mode, status) ||
        !fl_sim_requests_create(&e->requests, plan) ||
        !fl_sim_calendar_create(&e->calendar, longest_delay(plan), status) ||
        !fl_sim_failures_create(&e->failures, plan, status->error))
        return false;
    take_down_faults(e);
    if (!fl_sim_routing_create(&e->routing, plan, e->failures.order, seed, status) ||
        !fl_sim_sources_create(&e->sources, plan, load, seed, &e->calendar))
        return false;
    if (plan->set_up.workload)
        e->messages =
            fl_sim_messages_create(plan, &e->sources, &e->calendar, &out->completion, status);
    return (e->messages || !plan->set_up.workload) && !status->code;
}

static void clear(engine *e)
{
    fl_sim_messages_destroy(e->messages);
    fl_sim_sources_destroy(&e->sources);
    fl_sim_routing_destroy(&e->routing);
    fl_sim_failures_destroy(&e->failures);
    fl_sim_calendar_destroy(&e->calendar);
    fl_sim_requests_destroy(&e->requests);
    fl_sim_heads_destroy(&e->heads);
    fl_sim_links_destroy(&e->links);
    fl_sim_queues_destroy(&e->queues);
    fl_sim_measurement_destroy(&e->measure);
    fl_sim_candidates_destroy(&e->candidates);
    fl_sim_packets_destroy(&e->packets);
}

fl_status fl_sim_run(fl_sim_result *out, const fl_sim_plan *plan, double load, uint64_t seed,
                     const fl_sim_watch *watch, fl_error *error)
{
    engine e = {.plan = plan,
                .watch = watch,
                .mode = fl_sim_mode_of(plan),
                .status = {.error = error, .router = plan->set_up.router}};
    *out = (fl_sim_result){.load = load, .seed = seed};
    if (!(load >= 0 && load <= 1))
        return fl_fail(error, FL_ERR_INVALID,
                       "a load of %g: it must be 0 to 1 flits per node and cycle", load);
    if (make(&e, out, load, seed)) {
        run(&e);
        conclude(&e);
    } else {
        fl_sim_out_of_memory(&e.status);
    }
    if (!e.status.code && !fl_order_is_sound(e.failures.order))
        fl_sim_out_of_memory(&e.status);
    clear(&e);
    if (e.status.code)
        fl_sim_result_clear(out);
    return e.status.code;
}
