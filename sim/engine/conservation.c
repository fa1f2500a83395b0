/* Conservation checks: at the end of every run all packets are looked for, and all places for them;
 * and what is blocked must have a reason to be. */
#include "sim/engine/steps.h"

#include <stdlib.h>

typedef struct conservation {
    uint64_t alive, dead, waiting;
} conservation;

static void count_one(const engine *e, conservation *c, uint32_t p)
{
    if (e->packets.list[p].dead)
        c->dead++;
    else
        c->alive++;
}

/* Every packet is found in exactly one place: a queue, on a link, entering a node, or waiting to be
 * tried again. */
static conservation count_packets(const engine *e)
{
    conservation c = {0};
    uint64_t vcs = e->plan->virtual_channels;
    for (uint64_t i = 0; i < e->plan->ports * vcs; i++)
        for (uint32_t p = e->queues.inputs[i].first; p != NONE; p = e->packets.list[p].next)
            count_one(e, &c, p);
    for (uint64_t i = 0; e->mode.output_fifos && i < e->plan->channels * vcs; i++)
        for (uint32_t p = e->links.outputs[i].fifo_first; p != NONE; p = e->packets.list[p].next)
            count_one(e, &c, p);
    for (uint32_t slot = 0; slot <= e->calendar.mask; slot++)
        for (size_t i = 0; i < e->calendar.wheel[slot].count; i++) {
            const event *ev = &e->calendar.wheel[slot].data[i];
            if (ev->kind == ARRIVE || ev->kind == DELIVER)
                count_one(e, &c, ev->packet);
        }
    for (uint32_t i = 0; i < e->heads.active_count; i++) {
        const head *hd = &e->heads.list[e->heads.active[i].head];
        if (hd->worm && !hd->vanishing &&
            e->plan->to[fl_sim_channel_of(e->plan, hd->output)] & FL_SIM_NODE)
            count_one(e, &c, hd->packet);
    }
    for (uint32_t n = 0; n < e->plan->network->nodes; n++)
        for (uint32_t p = e->sources.list[n].retry_first; p != NONE; p = e->packets.list[p].next)
            c.waiting++;
    return c;
}

/* Places in the FIFO of every input: a sender knows of them, or they are taken, or word of them is
 * on its way. */
static void count_places(const engine *e, uint32_t *places)
{
    size_t inputs = (size_t)e->plan->ports * e->plan->virtual_channels;
    for (size_t i = 0; i < inputs; i++) {
        places[i] = e->mode.wormhole ? e->queues.inputs[i].flits : e->queues.inputs[i].moving;
        for (uint32_t p = e->queues.inputs[i].first; p != NONE && !e->mode.wormhole;
             p = e->packets.list[p].next)
            places[i]++;
    }
    for (size_t output = 0; output < (size_t)e->plan->channels * e->plan->virtual_channels;
         output++) {
        uint32_t to = e->plan->to[fl_sim_channel_of(e->plan, (uint32_t)output)];
        if (!(to & FL_SIM_NODE)) /* which an unplugged one has too */
            places[fl_sim_input_after(e->plan, (uint32_t)output)] += e->links.credits[output];
    }
    for (uint32_t slot = 0; slot <= e->calendar.mask; slot++)
        for (size_t i = 0; i < e->calendar.wheel[slot].count; i++) {
            const event *ev = &e->calendar.wheel[slot].data[i];
            if (ev->kind == ARRIVE || ev->kind == FLIT || ev->kind == LOST)
                places[ev->at]++;
            else if (ev->kind == CREDIT)
                places[fl_sim_input_after(e->plan, ev->at)]++;
        }
}

static void check_places(engine *e)
{
    uint32_t vcs = e->plan->virtual_channels, inputs = e->plan->ports * vcs;
    uint32_t *places = malloc(inputs * sizeof *places);
    if (!places) {
        fl_sim_out_of_memory(&e->status);
        return;
    }
    count_places(e, places);
    for (uint32_t i = 0; i < inputs; i++) {
        uint32_t port = fl_sim_channel_of(e->plan, i), depth = e->plan->depth[port],
                 s = e->plan->switch_of[port];
        if (e->plan->from[port] != FL_SIM_UNPLUGGED && places[i] != depth)
            fl_sim_mistake(&e->status,
                           "places were not conserved: %u of %u at input %u of switch %u",
                           places[i], depth, i - e->plan->switches[s].first_port * vcs, s);
    }
    free(places);
}

/* ---- missed wake-ups ---- */

/* Was there space in the cycle that has ended? An output VC that it let free wakes heads in the
 * next one. */
static bool had_space(const engine *e, uint32_t output)
{
    bool busy = e->links.busy[fl_sim_channel_of(e->plan, output)] >= e->calendar.now;
    return !busy && (e->mode.output_fifos ? e->links.outputs[output].fifo_free > 0
                                          : e->links.credits[output] > 0);
}

static bool could_have_gone(const engine *e, const head *hd)
{
    if (e->queues.busy && e->queues.busy[fl_sim_channel_of(e->plan, hd->input)] >= e->calendar.now)
        return false;
    for (unsigned i = 0; i < hd->candidates; i++)
        if (had_space(e, fl_sim_output_at(&e->candidates, hd, i)))
            return true;
    return false;
}

static void report_missed(engine *e, const char *what)
{
    fl_sim_mistake(&e->status, "a missed wake-up: %s was blocked while it could have gone on",
                   what);
}

static void check_output_fifos(engine *e)
{
    for (uint32_t output = 0; output < e->plan->ports * e->plan->virtual_channels; output++)
        if (e->links.outputs[output].fifo_first != NONE && e->links.credits[output] > 0 &&
            e->links.out_links[fl_sim_channel_of(e->plan, output)].busy < e->calendar.now)
            report_missed(e, "an output FIFO");
}

/* How often each head is found in a list. */
static void count_list(const engine *e, uint8_t *found, uint32_t h)
{
    for (; h != NONE && found[h] < 2; h = e->heads.list[h].next)
        found[h]++;
}

static void count_lists(const engine *e, uint8_t *found)
{
    for (uint32_t output = 0; output < e->plan->ports * e->plan->virtual_channels; output++)
        count_list(e, found, e->links.outputs[output].blocked);
    for (uint32_t s = 0; s < e->plan->network->switches; s++)
        count_list(e, found, e->heads.blocked_at_switch[s]);
    for (uint32_t port = 0; e->heads.blocked_at_port && port < e->plan->ports; port++)
        count_list(e, found, e->heads.blocked_at_port[port]);
}

/* Heads in the blocked list of their switch are woken by output VCs that know it. */
static bool is_awaited_everywhere(const engine *e, const head *hd)
{
    for (unsigned i = 0; i < hd->candidates; i++)
        if (!e->links.outputs[fl_sim_output_at(&e->candidates, hd, i)].awaited)
            return false;
    return true;
}

static void check_heads(engine *e, uint8_t *found)
{
    count_lists(e, found);
    for (uint32_t i = 0; i < e->heads.active_count; i++)
        if (found[e->heads.active[i].head] &&
            could_have_gone(e, &e->heads.list[e->heads.active[i].head]))
            report_missed(e, "a packet");
    for (uint32_t i = 0; i < e->heads.ready_count; i++)
        found[e->heads.ready[i]]++;
    for (uint32_t i = 0; i < e->heads.active_count; i++)
        if (found[e->heads.active[i].head] != 1)
            report_missed(e, "a packet in no list, or in two,");
    for (uint32_t s = 0; s < e->plan->network->switches && !e->status.code; s++)
        for (uint32_t h = e->heads.blocked_at_switch[s]; h != NONE; h = e->heads.list[h].next)
            if (!is_awaited_everywhere(e, &e->heads.list[h]))
                report_missed(e, "a packet that nothing would wake");
}

static void check_blocked(engine *e)
{
    uint8_t *found = calloc(e->heads.used + 1, sizeof *found);
    if (!found) {
        fl_sim_out_of_memory(&e->status);
        return;
    }
    check_heads(e, found);
    free(found);
    for (uint32_t n = 0; n < e->plan->network->nodes; n++)
        if (e->sources.list[n].blocked &&
            e->links.credits[(e->plan->ports + n) * e->plan->virtual_channels] > 0)
            report_missed(e, "a source");
    if (e->mode.output_fifos)
        check_output_fifos(e);
}

/* The fast path has no blocked lists: what it reads of output VCs is in sets of ports. */
static void check_port_sets(engine *e)
{
    for (uint32_t port = 0; port < e->plan->ports; port++) {
        const port_sets *sets = &e->links.ports_of[e->plan->switch_of[port]];
        uint32_t to = e->plan->to[port], bit = 1u << (port - sets->first);
        bool to_switch = !(to & FL_SIM_NODE);
        if (to_switch && (!(sets->open & bit) != (e->links.credits[port] == 0) ||
                          !(sets->empty & bit) != (e->links.credits[port] != e->plan->deepest)))
            report_missed(e, "a port");
        if (!(sets->plugged & bit) == fl_sim_is_usable(&e->links, port))
            report_missed(e, "a port");
    }
}

void fl_sim_check_conservation(engine *e)
{
    fl_sim_result *out = e->measure.out;
    conservation c = count_packets(e);
    out->in_flight = c.alive + c.waiting;
    bool good =
        out->total_injected == out->total_delivered + e->measure.lost_total + c.alive + c.waiting &&
        e->packets.count == c.alive + c.dead + c.waiting && c.waiting == e->sources.retrying;
    if (!good)
        fl_sim_mistake(
            &e->status,
            "packets were not conserved: %llu injected, %llu delivered, %llu lost, %llu in the "
            "network, %llu to be tried again, %u in memory",
            (unsigned long long)out->total_injected, (unsigned long long)out->total_delivered,
            (unsigned long long)e->measure.lost_total, (unsigned long long)c.alive,
            (unsigned long long)c.waiting, e->packets.count);
    if (!e->status.code)
        check_places(e);
    if (!e->status.code && e->mode.blocked_lists)
        check_blocked(e);
    if (!e->status.code && e->mode.fast)
        check_port_sets(e);
}
