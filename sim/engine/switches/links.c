/* Channels, their virtual channels and the output FIFOs before them. */
#include "sim/engine/switches/links.h"

#include <stdlib.h>

static bool allocate(links *l, const fl_sim_plan *plan, const run_mode *mode)
{
    size_t outputs = (size_t)plan->channels * plan->virtual_channels;
    bool good = true;
    l->credits = fl_sim_list(outputs, sizeof *l->credits, 0, &good);
    l->busy = fl_sim_list(plan->channels, sizeof *l->busy, 0, &good);
    l->usable = fl_sim_list(plan->channels / 64 + 1, sizeof *l->usable, 0, &good);
    if (mode->fast)
        l->ports_of = fl_sim_list((size_t)plan->network->switches, sizeof *l->ports_of, 0, &good);
    if (mode->wormhole)
        l->owner = fl_sim_list(outputs, sizeof *l->owner, 0xff, &good);
    if (mode->blocked_lists)
        l->outputs = fl_sim_list(outputs, sizeof *l->outputs, 0, &good);
    if (plan->set_up.failure_count > 0)
        l->current = fl_sim_list(plan->channels, sizeof *l->current, 0xff, &good);
    if (mode->output_fifos) {
        l->out_links = fl_sim_list(plan->channels, sizeof *l->out_links, 0, &good);
        l->sending = fl_sim_list(plan->channels, sizeof *l->sending, 0, &good);
    }
    return good;
}

static void fill_credits(links *l, const fl_sim_plan *plan)
{
    for (uint32_t c = 0; c < plan->channels; c++)
        for (unsigned vc = 0; vc < plan->virtual_channels; vc++) {
            uint32_t output = c * plan->virtual_channels + vc, to = plan->to[c];
            l->credits[output] = to == FL_SIM_UNPLUGGED ? 0
                                 : to & FL_SIM_NODE     ? NO_CREDIT_NEEDED
                                                        : plan->depth[to];
        }
}

bool fl_sim_links_create(links *l, const fl_sim_plan *plan, const run_mode *mode)
{
    size_t outputs = (size_t)plan->channels * plan->virtual_channels;
    if (!allocate(l, plan, mode))
        return false;
    for (size_t i = 0; mode->blocked_lists && i < outputs; i++)
        l->outputs[i] = (output_vc){.fifo_first = NONE,
                                    .fifo_last = NONE,
                                    .credit_from = NONE,
                                    .blocked = NONE,
                                    .fifo_free = (uint16_t)plan->model.output_fifo};
    for (uint32_t c = 0; c < plan->channels; c++)
        l->usable[c / 64] |= (uint64_t)(plan->to[c] != FL_SIM_UNPLUGGED) << c % 64;
    fill_credits(l, plan);
    return true;
}

void fl_sim_links_destroy(links *l)
{
    void *const lists[] = {l->credits,  l->owner,   l->busy,      l->usable, l->current,
                           l->ports_of, l->outputs, l->out_links, l->sending};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
}

void fl_sim_fill_port_sets(links *l, const fl_sim_plan *plan)
{
    for (uint32_t port = 0; port < plan->ports; port++) {
        uint32_t to = plan->to[port], s = plan->switch_of[port],
                 bit = 1u << fl_sim_port_number(plan, port, s);
        port_sets *sets = &l->ports_of[s];
        sets->first = plan->switches[s].first_port;
        if (to == FL_SIM_UNPLUGGED)
            continue;
        sets->plugged |= fl_sim_is_usable(l, port) ? bit : 0;
        sets->open |= bit;
        if (to & FL_SIM_NODE)
            sets->nodes |= bit;
        else if (plan->depth[to] == plan->deepest)
            sets->empty |= bit;
    }
}

void fl_sim_enter_fifo(links *l, packet_pool *packets, uint32_t output, uint32_t p)
{
    output_vc *out = &l->outputs[output];
    out->fifo_free--;
    packets->list[p].next = NONE;
    if (out->fifo_last == NONE)
        out->fifo_first = p;
    else
        packets->list[out->fifo_last].next = p;
    out->fifo_last = p;
}

uint32_t fl_sim_leave_fifo(links *l, const packet_pool *packets, uint32_t output)
{
    output_vc *out = &l->outputs[output];
    uint32_t p = out->fifo_first;
    out->fifo_first = packets->list[p].next;
    if (out->fifo_first == NONE)
        out->fifo_last = NONE;
    return p;
}
