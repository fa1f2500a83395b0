#include "sim/engine/engine.h"

#include <string.h>

/* Long packets keep an output for as many cycles as they have flits, and nearly all heads wait for
 * one that is taken. To ask again for all of them in every cycle was nine tenths of the time of a
 * full network of 65536 nodes. So a head that finds no space at any of its ways goes to sleep, and
 * what makes space wakes it.
 *
 * A head is in one list at most: with one way in that of its output, with several in that of its
 * switch (switches have few ports where routers offer many ways), and in that of its port while
 * another virtual channel has the crossbar. A list is woken as a whole. To wake a head in vain
 * costs a look at it; not to wake it would be a mistake. */

static void fall_asleep(engine *e, uint32_t *list, uint32_t h)
{
    e->heads[h].next = *list;
    *list = h;
}

static void wake(engine *e, uint32_t *list)
{
    for (uint32_t h = *list; h != NONE; h = e->heads[h].next)
        e->awake[e->awake_count++] = h;
    *list = NONE;
}

void fl_sim_block(engine *e, uint32_t h)
{
    const head *hd = &e->heads[h];
    if (hd->candidates == 1) {
        fall_asleep(e, &e->outlets[hd->only].asleep, h);
        return;
    }
    for (unsigned i = 0; i < hd->candidates; i++)
        e->outlets[e->outputs[hd->only + i]].wanted = true;
    fall_asleep(e, &e->asleep_at_switch[hd->at], h);
}

void fl_sim_block_at_port(engine *e, uint32_t h)
{
    fall_asleep(e, &e->asleep_at_port[channel_of(e, e->heads[h].input)], h);
}

void fl_sim_wake_at_output(engine *e, uint32_t output)
{
    wake(e, &e->outlets[output].asleep);
    if (!e->outlets[output].wanted)
        return;
    e->outlets[output].wanted = false;
    wake(e, &e->asleep_at_switch[e->plan->switch_of[channel_of(e, output)]]);
}

void fl_sim_wake_after(engine *e, uint32_t input, uint32_t output)
{
    uint32_t lanes = e->channels_per_link;
    if (lanes == 1) {
        fl_sim_wake_at_output(e, output);
        return;
    }
    uint32_t first = output - output % lanes;
    for (uint32_t lane = 0; lane < lanes; lane++)
        fl_sim_wake_at_output(e, first + lane);
    wake(e, &e->asleep_at_port[channel_of(e, input)]);
}

void fl_sim_may_send(engine *e, uint32_t channel)
{
    if (e->feeds[channel].is_sending)
        return;
    e->feeds[channel].is_sending = true;
    e->sending[e->sending_count++] = channel;
}

void fl_sim_first_credit(engine *e, uint32_t output)
{
    uint32_t channel = channel_of(e, output);
    if (channel >= e->plan->ports)
        fl_sim_feed_source(e, channel - e->plan->ports);
    else if (!e->output_fifos)
        fl_sim_wake_at_output(e, output);
    else if (e->outlets[output].queue_first != NONE)
        fl_sim_may_send(e, channel);
}

void fl_sim_forget_sleepers(engine *e)
{
    for (uint32_t output = 0; output < e->plan->channels * e->channels_per_link; output++) {
        e->outlets[output].asleep = NONE;
        e->outlets[output].wanted = false;
    }
    memset(e->asleep_at_switch, 0xff,
           (size_t)e->plan->network->switches * sizeof *e->asleep_at_switch);
    if (e->asleep_at_port)
        memset(e->asleep_at_port, 0xff, e->plan->ports * sizeof *e->asleep_at_port);
    e->awake_count = 0;
}
