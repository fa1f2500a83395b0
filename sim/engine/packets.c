#include "sim/engine/engine.h"

#include <stdlib.h>

uint32_t fl_sim_new_packet(engine *e)
{
    uint32_t p = e->free_packet;
    if (FL_UNLIKELY(p == NONE)) {
        uint32_t room = e->packet_room ? 2 * e->packet_room : 256;
        packet *packets = realloc(e->packets, room * sizeof *packets);
        if (!packets) {
            fl_sim_out_of_memory(e);
            return NONE;
        }
        for (uint32_t i = e->packet_room; i < room; i++)
            packets[i].next = i + 1 < room ? i + 1 : NONE;
        p = e->packet_room;
        e->packets = packets;
        e->packet_room = room;
    }
    e->free_packet = e->packets[p].next;
    e->packets[p].serial = ++e->serials;
    e->packet_count++;
    if (e->packet_count > e->out->largest_in_flight)
        e->out->largest_in_flight = e->packet_count;
    return p;
}

void fl_sim_free_packet(engine *e, uint32_t p)
{
    e->packets[p].next = e->free_packet;
    e->packets[p].serial = 0;
    e->free_packet = p;
    e->packet_count--;
}

fl_sim_sample *fl_sim_sample_at(engine *e, uint64_t cycle)
{
    uint64_t i = e->plan->set_up.series ? cycle / e->plan->set_up.series : e->out->series_length;
    return i < e->out->series_length ? &e->out->series[i] : NULL;
}

/* Counted packets that are gone, one way or the other. */
static void settle(engine *e, const packet *pk)
{
    e->done += pk->counted;
}

void fl_sim_count_lost(engine *e, const packet *pk, unsigned why)
{
    fl_sim_sample *sample = fl_sim_sample_at(e, e->now);
    e->out->lost[why]++;
    e->lost_total++;
    e->lost_measured += e->measuring;
    settle(e, pk);
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_part_lost(e, (uint32_t)(pk - e->packets), why);
    if (sample)
        sample->lost++;
}

static void count_latency(engine *e, const packet *pk)
{
    uint64_t latency = e->now - pk->born;
    fl_sim_result *out = e->out;
    uint8_t batch = pk->batch;
    if (e->plan->model.stop == FL_SIM_STOP_PER_DESTINATION) {
        uint64_t target = e->plan->model.packets * e->plan->network->nodes;
        batch = (uint8_t)(out->counted * FL_SIM_BATCHES / target);
        batch = batch < FL_SIM_BATCHES ? batch : FL_SIM_BATCHES - 1;
    }
    out->counted++;
    out->latency_sum += latency;
    out->network_latency_sum += e->now - pk->left;
    out->hop_sum += pk->hops;
    out->latency_max = latency > out->latency_max ? latency : out->latency_max;
    e->meter->bins[fl_sim_bin_of(latency)]++;
    e->meter->batch_sum[batch] += (double)latency;
    e->meter->batch_count[batch]++;
}

void fl_sim_deliver(engine *e, uint32_t p)
{
    packet *pk = &e->packets[p];
    if (FL_UNLIKELY(pk->dead)) {
        fl_sim_free_packet(e, p);
        return;
    }
    fl_sim_sample *sample = fl_sim_sample_at(e, e->now);
    e->out->total_delivered++;
    e->out->received += e->measuring;
    if (pk->counted)
        count_latency(e, pk);
    settle(e, pk);
    if (FL_UNLIKELY(e->watch && e->watch->arrived))
        e->watch->arrived(e->watch->user,
                          &(fl_sim_packet){pk->source, pk->destination, pk->born, pk->left, e->now,
                                           pk->hops, pk->counted});
    if (sample) {
        sample->delivered++;
        sample->latency_sum += e->now - pk->born;
    }
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_part_arrived(e, p);
    fl_sim_free_packet(e, p);
}
