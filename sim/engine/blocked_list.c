/* Blocked lists: heads, output FIFOs and sources that can do nothing are not looked at again before
 * something has changed.
 *
 * Long packets keep an output for as many cycles as they have flits, and nearly all heads wait for
 * one that is taken. Requesting again for all of them in every cycle was nine tenths of the time of
 * a full network of 65536 nodes. So a head that finds no space at any of its candidates goes into a
 * blocked list, and what makes space wakes it.
 *
 * A head is in one list at most: with one candidate in that of its output VC, with several in that
 * of its switch (switches have few ports where routers offer many candidates), and in that of its
 * port while another virtual channel has the crossbar. A list is woken completely. Waking a head in
 * vain costs a look at it; a missed wake-up would be a mistake, which conservation.c finds. */
#include "sim/engine/steps.h"

#include <string.h>

void fl_sim_block(engine *e, uint32_t h)
{
    const head *hd = &e->heads.list[h];
    if (hd->candidates == 1) {
        fl_sim_block_in(&e->heads, &e->links.outputs[hd->only].blocked, h);
        return;
    }
    for (unsigned i = 0; i < hd->candidates; i++)
        e->links.outputs[e->candidates.outputs[hd->only + i]].awaited = true;
    fl_sim_block_in(&e->heads, &e->heads.blocked_at_switch[hd->at], h);
}

void fl_sim_block_at_port(engine *e, uint32_t h)
{
    uint32_t port = fl_sim_channel_of(e->plan, e->heads.list[h].input);
    fl_sim_block_in(&e->heads, &e->heads.blocked_at_port[port], h);
}

void fl_sim_wake_at_output(engine *e, uint32_t output)
{
    output_vc *out = &e->links.outputs[output];
    fl_sim_wake_list(&e->heads, &out->blocked);
    if (!out->awaited)
        return;
    out->awaited = false;
    uint32_t s = e->plan->switch_of[fl_sim_channel_of(e->plan, output)];
    fl_sim_wake_list(&e->heads, &e->heads.blocked_at_switch[s]);
}

void fl_sim_wake_after(engine *e, uint32_t input, uint32_t output)
{
    uint32_t vcs = e->plan->virtual_channels;
    if (vcs == 1) {
        fl_sim_wake_at_output(e, output);
        return;
    }
    uint32_t first = output - output % vcs;
    for (uint32_t vc = 0; vc < vcs; vc++)
        fl_sim_wake_at_output(e, first + vc);
    fl_sim_wake_list(&e->heads, &e->heads.blocked_at_port[fl_sim_channel_of(e->plan, input)]);
}

void fl_sim_first_credit(engine *e, uint32_t output)
{
    uint32_t channel = fl_sim_channel_of(e->plan, output);
    if (channel >= e->plan->ports)
        fl_sim_unblock_source(&e->sources, channel - e->plan->ports);
    else if (!e->mode.output_fifos)
        fl_sim_wake_at_output(e, output);
    else if (e->links.outputs[output].fifo_first != NONE)
        fl_sim_may_send(&e->links, channel);
}

void fl_sim_forget_blocked(engine *e)
{
    for (uint32_t output = 0; output < e->plan->channels * e->plan->virtual_channels; output++) {
        e->links.outputs[output].blocked = NONE;
        e->links.outputs[output].awaited = false;
    }
    memset(e->heads.blocked_at_switch, 0xff,
           (size_t)e->plan->network->switches * sizeof *e->heads.blocked_at_switch);
    if (e->heads.blocked_at_port)
        memset(e->heads.blocked_at_port, 0xff, e->plan->ports * sizeof *e->heads.blocked_at_port);
    e->heads.ready_count = 0;
}
