#include "sim/engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One cycle: links fail; what was under way arrives, and what is free is told; packets at the front
 * of their queues are routed; sources send; heads ask for outputs and one a channel is granted.
 *
 * With store-and-forward and virtual cut-through there is room for the whole packet before it is
 * sent, so that its flits follow each other without a gap: a packet is one event at each end of a
 * link, however long it is. A worm goes flit by flit through the same requests and grants. */

/* Progress is told, and a wish to stop heard, about every tenth of a second: after so many cycles
 * times nodes. */
enum { NODE_CYCLES_BETWEEN_PROGRESS = 1 << 21, CYCLES_BETWEEN_PROGRESS_MAX = 4096 };

/* ---- asking the router ---- */

void fl_sim_peeked(engine *e)
{
    if (!e->status)
        e->status = fl_router_broken_view(e->plan->set_up.router, &e->view, e->error);
}

void fl_sim_lost_its_way(engine *e, fl_address here)
{
    fl_sim_broken(e, here, "never ends: a packet was still under way after 4096 links");
}

/* ---- cycles ---- */

static void run_cycle(engine *e)
{
    e->measuring = fl_sim_is_measured(e, e->now);
    if (FL_UNLIKELY(e->next_failure < e->plan->set_up.failure_count) &&
        e->plan->set_up.failures[e->next_failure].cycle <= e->now)
        fl_sim_fail_links(e);
    event_list *due = &e->wheel[e->now & e->wheel_mask];
    if (e->fast)
        fl_sim_fast_events(e, due);
    else
        fl_sim_happen_all(e, due);
    due->count = 0;
    fl_sim_happen_all(e, &e->births[e->now % BIRTH_SLOTS]);
    e->births[e->now % BIRTH_SLOTS].count = 0;
    fl_sim_send_from_sources(e);
    if (e->fast) {
        fl_sim_fast_requests(e);
        fl_sim_fast_grants(e);
    } else {
        fl_sim_requests(e);
        fl_sim_grants(e);
    }
    if (e->wormhole)
        fl_sim_let_vanish(e);
    if (e->output_fifos)
        fl_sim_send_from_queues(e);
    e->now++;
}

/* Sources that produce more than the network takes: what has gathered in the measured cycles is
 * more than half a percent of what was born, and more than chance (4 standard deviations of the
 * births). */
static bool is_overloaded(const engine *e, uint64_t generated, uint64_t waiting)
{
    double born = (double)generated, gone = (double)(e->out->received + e->lost_measured);
    if (e->plan->model.source_queue > 0) {
        gone = born;
        born = e->birth_rate * e->plan->senders * (double)e->out->measured;
        waiting = e->plan->senders + 1;
    }
    return born - gone > .005 * born + 4 * sqrt(born) && waiting > e->plan->senders;
}

/* Has the run come to its end? */
static bool is_over(engine *e)
{
    const fl_sim_model *m = &e->plan->model;
    fl_sim_result *out = e->out;
    if (m->stop == FL_SIM_STOP_EACH_SOURCE)
        return e->done >= e->target || e->now >= m->cycles;
    if (m->stop == FL_SIM_STOP_PER_DESTINATION)
        return out->total_delivered >= m->packets * e->plan->network->nodes || e->now >= m->cycles;
    if (m->stop == FL_SIM_STOP_MESSAGES)
        return fl_sim_messages_are_over(e) || e->now >= m->cycles;
    if (e->now < e->beyond_measured)
        return false;
    if (e->now == e->beyond_measured) {
        uint64_t waiting = fl_sim_backlog(e, false), generated = out->generated + waiting;
        out->measured = m->cycles;
        out->saturated = is_overloaded(e, generated, waiting);
        e->target = generated;
        if (out->saturated)
            return true;
    }
    return e->done >= e->target || e->now >= e->beyond_measured + m->drain;
}

/* A packet that has not moved for so long does not wait for something that is still on its way. */
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
           watch->progress(watch->user, e->messages ? e->out->total_delivered : e->now);
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
    while (!e->status && !is_over(e)) {
        run_cycle(e);
        if (FL_UNLIKELY(e->now == e->meter->next_cut && e->now <= e->beyond_measured))
            fl_sim_meter_cut(e->meter, e->out->received);
        if (FL_UNLIKELY(e->now == next_look)) {
            next_look += time_limit;
            if (fl_sim_find_deadlock(e, time_limit))
                return;
        }
        if (FL_UNLIKELY(e->now == next_progress)) {
            next_progress += between;
            if (!go_on(e)) {
                e->out->stopped = true;
                return;
            }
        }
    }
}

/* ---- the end ---- */

static void conclude(engine *e)
{
    fl_sim_result *out = e->out;
    const fl_sim_model *m = &e->plan->model;
    out->cycles = e->now;
    if (!out->deadlocked && !e->status)
        fl_sim_find_deadlock(e, settled_after(e->plan));
    fl_sim_check_conservation(e);
    uint64_t measured_end = e->beyond_measured < e->now ? e->beyond_measured : e->now;
    out->measured = measured_end > e->first_measured ? measured_end - e->first_measured : 0;
    uint64_t waiting = fl_sim_backlog(e, true);
    if (m->stop == FL_SIM_STOP_CYCLES) {
        out->outstanding = out->generated > e->done ? out->generated - e->done : 0;
        out->saturated |= out->outstanding > 0 && e->now >= e->beyond_measured + m->drain;
    } else if (e->messages) {
        fl_sim_conclude_messages(e);
    } else {
        out->saturated = is_overloaded(e, out->generated, waiting);
        out->outstanding = m->stop == FL_SIM_STOP_EACH_SOURCE ? e->target - e->done : 0;
        out->saturated |= out->outstanding > 0;
    }
    if (out->series_length > 0 && e->plan->set_up.series > 0) {
        uint64_t used = (e->now + e->plan->set_up.series - 1) / e->plan->set_up.series;
        out->series_length = used < out->series_length ? used : out->series_length;
    }
    for (unsigned i = 0; i < FL_SIM_CLASSES_MAX; i++)
        out->class_channels[i] = e->plan->class_channels[i];
    fl_sim_meter_read(e->meter, out);
    if (e->plan->set_up
            .workload) /* begins and ends: no steady state of which batches were samples */
        out->received_interval = (fl_interval){(double)NAN, (double)NAN};
}

/* ---- making ---- */

static bool make(engine *e, uint64_t seed)
{
    const fl_sim_model *m = &e->plan->model;
    e->radix = e->plan->network->radix;
    e->channels_per_link = e->plan->virtual_channels;
    e->length = m->packet_flits;
    e->wormhole = m->switching == FL_SIM_WORMHOLE;
    e->store_and_forward = m->switching == FL_SIM_STORE_AND_FORWARD;
    e->output_fifos = m->output_fifo > 0;
    e->fast = e->length == 1 && !e->wormhole && !e->output_fifos && e->channels_per_link == 1 &&
              e->radix <= PLAIN_PORTS_MAX;
    e->complete = !e->fast && !e->wormhole;
    e->most_free = m->choice == FL_SIM_MOST_FREE || m->choice == FL_SIM_SHORTEST_QUEUE;
    e->ranks_all = !e->fast && m->choice == FL_SIM_SHORTEST_QUEUE;
    e->by_lot = m->arbitration == FL_SIM_RANDOM;
    e->free_packet = NONE;
    memset(e->free_outputs, 0xff, sizeof e->free_outputs);
    memset(e->free_candidates, 0xff, sizeof e->free_candidates);
    e->asked_candidates = calloc(e->plan->candidates, sizeof *e->asked_candidates);
    e->decision.wanted = e->plan->candidates;
    e->first_measured = m->stop == FL_SIM_STOP_CYCLES ? m->warmup : 0;
    e->beyond_measured = m->stop == FL_SIM_STOP_CYCLES ? m->warmup + m->cycles : UINT64_MAX;
    e->target = m->stop == FL_SIM_STOP_EACH_SOURCE ? m->packets * e->plan->senders : 0;
    e->meter = calloc(1, sizeof *e->meter);
    if (e->meter) {
        uint64_t part = m->cycles < FL_SIM_BATCHES ? 1 : m->cycles / FL_SIM_BATCHES;
        e->meter->slice_length = m->stop == FL_SIM_STOP_CYCLES ? part : FL_SIM_FIRST_SLICE;
        e->meter->next_cut = e->first_measured + e->meter->slice_length;
    }
    return e->meter && e->asked_candidates && fl_sim_allocate(e) && fl_sim_make_sources(e, seed);
}

fl_status fl_sim_run(fl_sim_result *out, const fl_sim_plan *plan, double load, uint64_t seed,
                     const fl_sim_watch *watch, fl_error *error)
{
    engine e = {.plan = plan, .out = out, .watch = watch, .error = error};
    *out = (fl_sim_result){.load = load, .seed = seed};
    if (!(load >= 0 && load <= 1))
        return fl_fail(error, FL_ERR_INVALID,
                       "a load of %g: it must be 0 to 1 flits per node and cycle", load);
    e.birth_rate = load / plan->model.packet_flits;
    e.log_miss = e.birth_rate < 1 ? log1p(-e.birth_rate) : -1;
    if (!make(&e, seed))
        fl_sim_out_of_memory(&e);
    if (!e.status) {
        run(&e);
        conclude(&e);
    }
    if (!e.status && !fl_order_is_sound(e.order))
        fl_sim_out_of_memory(&e);
    fl_sim_clear(&e);
    if (e.status)
        fl_sim_result_clear(out);
    return e.status;
}
