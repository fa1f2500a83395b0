/* What becomes of packets: they are delivered, lost, or cut by a failing link. */
#include "sim/engine/steps.h"

void fl_sim_lose(engine *e, uint32_t p, unsigned why)
{
    fl_sim_count_loss(&e->measure, &e->packets.list[p], why, e->calendar.now);
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_message_lost(e->messages, p, why);
}

void fl_sim_deliver(engine *e, uint32_t p)
{
    packet *pk = &e->packets.list[p];
    if (FL_UNLIKELY(pk->dead)) {
        fl_sim_free_packet(&e->packets, p);
        return;
    }
    fl_sim_count_arrival(&e->measure, pk, e->calendar.now);
    if (FL_UNLIKELY(e->watch && e->watch->arrived))
        e->watch->arrived(e->watch->user,
                          &(fl_sim_packet){pk->source, pk->destination, pk->born, pk->left,
                                           e->calendar.now, pk->hops, pk->counted});
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_message_arrived(e->messages, p);
    fl_sim_free_packet(&e->packets, p);
}

/* A copy goes back to the source. */
static void put_back_copy(engine *e, uint32_t p)
{
    uint32_t again = fl_sim_new_packet(&e->packets);
    if (again == NONE)
        return;
    packet *pk = &e->packets.list[again];
    uint32_t serial = pk->serial;
    *pk = e->packets.list[p];
    pk->serial = serial;
    pk->header = (fl_packet){.source = pk->header.source, .destination = pk->header.destination};
    pk->hops = 0;
    pk->dead = false;
    pk->missing = 0;
    pk->next = NONE;
    if (FL_UNLIKELY(e->messages != NULL))
        fl_sim_note_message(e->messages, again, fl_sim_message_of(e->messages, p), e->packets.room);
    fl_sim_put_back(&e->sources, &e->packets, again);
    fl_sim_count_retry(&e->measure, e->calendar.now);
}

void fl_sim_cut(engine *e, uint32_t p)
{
    if (e->packets.list[p].dead)
        return;
    e->packets.list[p].dead = true;
    if (e->plan->model.on_failure == FL_SIM_LOSE)
        fl_sim_lose(e, p, FL_SIM_LOST_ON_LINK);
    else
        put_back_copy(e, p);
}
