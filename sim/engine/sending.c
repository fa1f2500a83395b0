/* Packets and flits go on links. */
#include "sim/engine/steps.h"

/* Does a node get a packet that is for another? Then the run is over. */
static bool is_misdelivered(engine *e, uint32_t channel, uint32_t p)
{
    if (FL_LIKELY((e->plan->to[channel] & ~FL_SIM_NODE) == e->packets.list[p].destination))
        return false;
    fl_sim_misdelivered(&e->status, e->plan->switches[e->plan->switch_of[channel]].address);
    return true;
}

void fl_sim_send_packet(engine *e, uint32_t output, uint32_t p)
{
    uint32_t channel = fl_sim_channel_of(e->plan, output), to = e->plan->to[channel],
             link_class = e->plan->link_class[channel], latency = e->plan->latency[link_class];
    fl_sim_use_credit(&e->links, output);
    fl_sim_count_flits(&e->measure, link_class, e->mode.length);
    if (e->links.current)
        e->links.current[channel] = (sent){p, e->packets.list[p].serial};
    if (!(to & FL_SIM_NODE))
        fl_sim_schedule(&e->calendar, latency, ARRIVE, fl_sim_input_after(e->plan, output), p);
    else if (!is_misdelivered(e, channel, p))
        fl_sim_schedule(&e->calendar, latency + e->mode.length - 1, DELIVER, channel, p);
}

void fl_sim_send_flit(engine *e, uint32_t output, uint32_t p, bool first, bool last)
{
    uint32_t channel = fl_sim_channel_of(e->plan, output), to = e->plan->to[channel],
             link_class = e->plan->link_class[channel], latency = e->plan->latency[link_class];
    fl_sim_use_credit(&e->links, output);
    fl_sim_count_flits(&e->measure, link_class, 1);
    if (!(to & FL_SIM_NODE))
        fl_sim_schedule(&e->calendar, latency, first ? ARRIVE : FLIT,
                        fl_sim_input_after(e->plan, output), first ? p : NONE);
    else if (!is_misdelivered(e, channel, p) && last)
        fl_sim_schedule(&e->calendar, latency, DELIVER, channel, p);
}
