/* The sources, and the births of their packets. */
#include "sim/engine/run/sources.h"

#include <math.h>
#include <stdlib.h>

/* Cycles from one birth to the next: geometric, which is a packet with probability birth_rate in
 * every cycle. */
static uint64_t gap(const sources *ss, fl_rng *rng)
{
    if (ss->birth_rate >= 1)
        return 1;
    double u = ((double)fl_rng_next32(rng) + .5) / 4294967296.0,
           cycles = floor(log(u) / ss->log_miss);
    return cycles < 1e15 ? 1 + (uint64_t)cycles : UINT64_C(1000000000000000);
}

uint64_t fl_sim_queue_opens(const sources *ss, const fl_sim_plan *plan, uint32_t n, uint64_t number)
{
    unsigned depth = plan->model.source_queue;
    return depth > 0 && number >= depth ? ss->left_ring[(size_t)n * depth + number % depth] : 0;
}

void fl_sim_note_leaving(sources *ss, const fl_sim_plan *plan, uint32_t n, uint32_t now)
{
    unsigned depth = plan->model.source_queue;
    if (depth > 0)
        ss->left_ring[(size_t)n * depth + ss->list[n].number % depth] = now;
}

void fl_sim_next_birth(sources *ss, const fl_sim_plan *plan, uint32_t n)
{
    source *s = &ss->list[n];
    s->born += gap(ss, &s->rng);
    s->number++;
    uint64_t opens = fl_sim_queue_opens(ss, plan, n, s->number);
    s->born = opens > s->born ? opens : s->born;
    s->destination = fl_sim_traffic_next(plan->set_up.traffic, n, &s->rng);
}

static void first_birth(sources *ss, const fl_sim_plan *plan, uint32_t n)
{
    source *s = &ss->list[n];
    s->born = gap(ss, &s->rng) - 1;
    s->destination = fl_sim_traffic_next(plan->set_up.traffic, n, &s->rng);
}

void fl_sim_look_again(sources *ss, calendar *c, uint32_t n, uint32_t delay)
{
    delay = delay < BIRTH_SLOTS ? delay : BIRTH_SLOTS - 1;
    ss->list[n].wake = c->now + delay;
    fl_sim_schedule_source(c, delay, n);
}

void fl_sim_wait_for_birth(sources *ss, calendar *c, uint32_t n)
{
    uint64_t born = ss->list[n].born, delay = born > c->now ? born - c->now : 1;
    if (FL_UNLIKELY(born == UINT64_MAX))
        return; /* it waits for a message */
    fl_sim_look_again(ss, c, n, delay < BIRTH_SLOTS ? (uint32_t)delay : BIRTH_SLOTS);
}

void fl_sim_look(sources *ss, calendar *c, uint32_t n, uint32_t busy)
{
    const source *s = &ss->list[n];
    if (s->waits || s->wake != c->now)
        return;
    if (busy > c->now)
        fl_sim_look_again(ss, c, n, busy - c->now);
    else if (s->born > c->now && s->retry_first == NONE)
        fl_sim_wait_for_birth(ss, c, n);
    else
        fl_sim_let_wait(ss, n);
}

void fl_sim_unblock_source(sources *ss, uint32_t n)
{
    if (!ss->list[n].blocked)
        return;
    ss->list[n].blocked = false;
    ss->waiting[ss->waiting_count++] = n;
}

void fl_sim_put_back(sources *ss, packet_pool *packets, uint32_t p)
{
    uint32_t n = packets->list[p].source;
    source *s = &ss->list[n];
    if (s->retry_last == NONE)
        s->retry_first = p;
    else
        packets->list[s->retry_last].next = p;
    s->retry_last = p;
    ss->retrying++;
    fl_sim_let_wait(ss, n);
}

uint32_t fl_sim_take_retry(sources *ss, packet_pool *packets, uint32_t n)
{
    source *s = &ss->list[n];
    uint32_t p = s->retry_first;
    if (FL_LIKELY(p == NONE))
        return NONE;
    s->retry_first = packets->list[p].next;
    if (s->retry_first == NONE)
        s->retry_last = NONE;
    packets->list[p].next = NONE;
    ss->retrying--;
    return p;
}

bool fl_sim_sources_create(sources *ss, const fl_sim_plan *plan, double load, uint64_t seed,
                           calendar *c)
{
    size_t nodes = (size_t)plan->network->nodes;
    bool good = true;
    ss->birth_rate = load / plan->model.packet_flits;
    ss->log_miss = ss->birth_rate < 1 ? log1p(-ss->birth_rate) : -1;
    ss->list = fl_sim_list(nodes, sizeof *ss->list, 0, &good);
    ss->waiting = fl_sim_list(nodes, sizeof *ss->waiting, 0, &good);
    ss->left_ring = fl_sim_list(nodes * plan->model.source_queue, sizeof *ss->left_ring, 0, &good);
    for (uint32_t n = 0; good && n < nodes; n++) {
        source *s = &ss->list[n];
        s->retry_first = s->retry_last = s->worm = NONE;
        s->born = UINT64_MAX;
        fl_rng_seed(&s->rng, seed, FL_PURPOSE_TRAFFIC, n);
        if (plan->set_up.workload || !fl_sim_traffic_sends(plan->set_up.traffic, n) ||
            ss->birth_rate <= 0)
            continue;
        first_birth(ss, plan, n);
        if (s->born == 0)
            fl_sim_let_wait(ss, n);
        else
            fl_sim_wait_for_birth(ss, c, n);
    }
    return good;
}

void fl_sim_sources_destroy(sources *ss)
{
    free(ss->list);
    free(ss->left_ring);
    free(ss->waiting);
}
