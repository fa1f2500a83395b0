/* What routers answer: checked, and kept for the head that it is about. */
#include "sim/engine/steps.h"

/* The n-th of a set of ports, counted from `first` upwards and round. */
static unsigned port_from(uint32_t ports, unsigned first, unsigned n)
{
    uint32_t turned = fl_sim_turned(ports, first);
    while (n-- > 0)
        turned &= turned - 1;
    return fl_sim_turned_back(fl_lowest_bit(turned), first);
}

uint32_t fl_sim_output_of_candidate(const engine *e, const head *hd, unsigned candidate)
{
    const requester *a = &e->heads.active[hd->place];
    return a->ports ? e->links.ports_of[hd->at].first + port_from(a->ports, a->first, candidate)
                    : fl_sim_output_at(&e->candidates, hd, candidate);
}

fl_candidate fl_sim_chosen_candidate(const engine *e, const head *hd)
{
    if (hd->full != NONE)
        return e->candidates.candidates[hd->full + hd->chosen];
    uint32_t output = fl_sim_output_at(&e->candidates, hd, hd->chosen),
             channel = fl_sim_channel_of(e->plan, output);
    return (fl_candidate){.ports = {(fl_port)fl_sim_port_number(e->plan, channel, hd->at)},
                          .length = 1,
                          .rule = FL_NO_RULE,
                          .header_state = hd->header_state,
                          .channel = (uint8_t)(output - channel * e->plan->virtual_channels)};
}

/* The output VC of a candidate; NONE and status: the router must not offer it. */
static uint32_t output_for(engine *e, const fl_candidate *candidate, uint32_t s)
{
    const fl_sim_switch *at = &e->plan->switches[s];
    uint32_t channel = at->first_port + candidate->ports[0];
    fl_violation violation = FL_NO_VIOLATION;
    if (FL_UNLIKELY(candidate->length == 0 || candidate->length > FL_DETOUR_MAX))
        violation = FL_OFFERS_NO_PATH;
    else if (FL_UNLIKELY(channel >= at[1].first_port))
        violation = FL_OFFERS_EMPTY_PORT;
    else if (FL_UNLIKELY(!fl_sim_is_usable(&e->links, channel)))
        violation =
            e->plan->to[channel] == FL_SIM_UNPLUGGED ? FL_OFFERS_EMPTY_PORT : FL_OFFERS_DOWN_LINK;
    else if (FL_UNLIKELY(candidate->channel >= e->plan->virtual_channels))
        violation = FL_OFFERS_NO_CHANNEL;
    if (FL_LIKELY(!violation))
        return channel * e->plan->virtual_channels + candidate->channel;
    fl_sim_broken(&e->status, e->routing.view.here, violation);
    return NONE;
}

void fl_sim_keep_candidates(engine *e, uint32_t h, uint32_t s)
{
    const fl_decision *decision = &e->routing.decision;
    uint32_t outputs[FL_SIM_CANDIDATES_MAX];
    for (unsigned i = 0; i < decision->count; i++)
        if ((outputs[i] = output_for(e, &decision->candidates[i], s)) == NONE)
            return;
    fl_sim_store_candidates(&e->candidates, &e->heads.list[h], decision->candidates, outputs,
                            decision->count);
}

/* The packet leaves its place when its last flit is there. */
void fl_sim_give_up(engine *e, uint32_t input, uint32_t h)
{
    uint32_t p = e->queues.inputs[input].first, now = e->calendar.now;
    const packet *pk = &e->packets.list[p];
    if (!pk->dead)
        fl_sim_lose(e, p, e->routing.decision.reason);
    uint32_t all_here = pk->arrived + e->mode.length, delay = all_here > now ? all_here - now : 1;
    fl_sim_pop(&e->queues, &e->packets, input);
    fl_sim_free_packet(&e->packets, p);
    e->queues.inputs[input].moving = true;
    if (e->mode.wormhole) {
        e->heads.list[h].worm = e->heads.list[h].vanishing = true;
        e->heads.list[h].packet = NONE;
        return;
    }
    fl_sim_drop_head(&e->heads, &e->candidates, h);
    fl_sim_schedule(&e->calendar, delay, RELEASE, input, NONE);
}
