#include "sim/engine/engine.h"

#include <stdlib.h>

/* Conservation: at the end of every run all packets are looked for, and all places for them; and
 * whether all who sleep have a reason to. */

typedef struct conservation {
    uint64_t alive, dead, waiting;
} conservation;

static void count_one(const engine *e, conservation *c, uint32_t p)
{
    if (e->packets[p].dead)
        c->dead++;
    else
        c->alive++;
}

/* Every packet is found in exactly one place: a queue, on a link, entering a node, or waiting to be
 * tried again. */
static conservation count_packets(const engine *e)
{
    conservation c = {0};
    uint64_t lanes = e->channels_per_link;
    for (uint64_t i = 0; i < e->plan->ports * lanes; i++)
        for (uint32_t p = e->inputs[i].first; p != NONE; p = e->packets[p].next)
            count_one(e, &c, p);
    for (uint64_t i = 0; e->output_fifos && i < e->plan->channels * lanes; i++)
        for (uint32_t p = e->outlets[i].queue_first; p != NONE; p = e->packets[p].next)
            count_one(e, &c, p);
    for (uint32_t slot = 0; slot <= e->wheel_mask; slot++)
        for (uint32_t i = 0; i < e->wheel[slot].count; i++) {
            const event *ev = &e->wheel[slot].events[i];
            if (ev->kind == ARRIVE || ev->kind == DELIVER)
                count_one(e, &c, ev->packet);
        }
    for (uint32_t i = 0; i < e->active_count; i++) {
        const head *hd = &e->heads[e->active[i].head];
        if (hd->worm && !hd->vanishing && e->plan->to[channel_of(e, hd->output)] & FL_SIM_NODE)
            count_one(e, &c, hd->packet);
    }
    for (uint32_t n = 0; n < e->plan->network->nodes; n++)
        for (uint32_t p = e->sources[n].retry_first; p != NONE; p = e->packets[p].next)
            c.waiting++;
    return c;
}

/* Places in the FIFO of every input: a sender knows of them, or they are taken, or word of them is
 * on its way. */
static void count_places(const engine *e, uint32_t *places)
{
    size_t inputs = (size_t)e->plan->ports * e->channels_per_link;
    for (size_t i = 0; i < inputs; i++) {
        places[i] = e->wormhole ? e->inputs[i].flits : e->inputs[i].moving;
        for (uint32_t p = e->inputs[i].first; p != NONE && !e->wormhole; p = e->packets[p].next)
            places[i]++;
    }
    for (size_t output = 0; output < (size_t)e->plan->channels * e->channels_per_link; output++) {
        uint32_t to = e->plan->to[channel_of(e, (uint32_t)output)];
        if (!(to & FL_SIM_NODE)) /* which an unplugged one has too */
            places[input_behind(e, (uint32_t)output)] += e->credits[output];
    }
    for (uint32_t slot = 0; slot <= e->wheel_mask; slot++)
        for (uint32_t i = 0; i < e->wheel[slot].count; i++) {
            const event *ev = &e->wheel[slot].events[i];
            if (ev->kind == ARRIVE || ev->kind == FLIT || ev->kind == LOST)
                places[ev->at]++;
            else if (ev->kind == CREDIT)
                places[input_behind(e, ev->at)]++;
        }
}

static void check_places(engine *e)
{
    uint32_t lanes = e->channels_per_link, inputs = e->plan->ports * lanes;
    uint32_t *places = malloc(inputs * sizeof *places);
    if (!places) {
        fl_sim_out_of_memory(e);
        return;
    }
    count_places(e, places);
    for (uint32_t i = 0; i < inputs && !e->status; i++) {
        uint32_t port = channel_of(e, i), depth = e->plan->depth[port],
                 s = e->plan->switch_of[port];
        if (e->plan->from[port] != FL_SIM_UNPLUGGED && places[i] != depth)
            e->status = fl_fail(
                e->error, FL_ERR_ROUTER,
                "places were not conserved (a mistake of the simulator): %u of %u at input %u of switch %u",
                places[i], depth, i - e->plan->switches[s].first_port * lanes, s);
    }
    free(places);
}

/* ---- nobody sleeps who could go ---- */

/* In the cycle that has ended: it may have let an output free that nobody has been told of yet. */
static bool was_space_at(const engine *e, uint32_t output)
{
    bool busy = e->busy[channel_of(e, output)] >= e->now;
    return !busy && (e->output_fifos ? e->outlets[output].queue_free > 0 : e->credits[output] > 0);
}

static bool could_go(const engine *e, const head *hd)
{
    if (e->input_busy && e->input_busy[channel_of(e, hd->input)] >= e->now)
        return false;
    for (unsigned i = 0; i < hd->candidates; i++)
        if (was_space_at(e, output_at(e, hd, i)))
            return true;
    return false;
}

static void missed_wake_ups(engine *e, const char *who)
{
    if (!e->status)
        e->status =
            fl_fail(e->error, FL_ERR_ROUTER,
                    "%s slept while it could have gone on (a mistake of the simulator)", who);
}

static void check_output_fifos(engine *e)
{
    for (uint32_t output = 0; output < e->plan->ports * e->channels_per_link; output++)
        if (e->outlets[output].queue_first != NONE && e->credits[output] > 0 &&
            e->feeds[channel_of(e, output)].busy < e->now)
            missed_wake_ups(e, "an output FIFO");
}

/* How often each head is found in a list. */
static void count_list(const engine *e, uint8_t *found, uint32_t h)
{
    for (; h != NONE && found[h] < 2; h = e->heads[h].next)
        found[h]++;
}

static void count_lists(const engine *e, uint8_t *found)
{
    for (uint32_t output = 0; output < e->plan->ports * e->channels_per_link; output++)
        count_list(e, found, e->outlets[output].asleep);
    for (uint32_t s = 0; s < e->plan->network->switches; s++)
        count_list(e, found, e->asleep_at_switch[s]);
    for (uint32_t port = 0; e->asleep_at_port && port < e->plan->ports; port++)
        count_list(e, found, e->asleep_at_port[port]);
}

/* Heads that sleep at their switch are woken by outputs that know it. */
static bool is_wanted_everywhere(const engine *e, const head *hd)
{
    for (unsigned i = 0; i < hd->candidates; i++)
        if (!e->outlets[output_at(e, hd, i)].wanted)
            return false;
    return true;
}

static void check_heads(engine *e, uint8_t *found)
{
    count_lists(e, found);
    for (uint32_t i = 0; i < e->active_count; i++)
        if (found[e->active[i].head] && could_go(e, &e->heads[e->active[i].head]))
            missed_wake_ups(e, "a packet");
    for (uint32_t i = 0; i < e->awake_count; i++)
        found[e->awake[i]]++;
    for (uint32_t i = 0; i < e->active_count; i++)
        if (found[e->active[i].head] != 1)
            missed_wake_ups(e, "a packet in no list, or in two,");
    for (uint32_t s = 0; s < e->plan->network->switches && !e->status; s++)
        for (uint32_t h = e->asleep_at_switch[s]; h != NONE; h = e->heads[h].next)
            if (!is_wanted_everywhere(e, &e->heads[h]))
                missed_wake_ups(e, "a packet that nobody would wake");
}

static void check_sleepers(engine *e)
{
    uint8_t *found = calloc(e->head_count + 1, sizeof *found);
    if (!found) {
        fl_sim_out_of_memory(e);
        return;
    }
    check_heads(e, found);
    free(found);
    for (uint32_t n = 0; n < e->plan->network->nodes; n++)
        if (e->sources[n].starved && e->credits[(e->plan->ports + n) * e->channels_per_link] > 0)
            missed_wake_ups(e, "a source");
    if (e->output_fifos)
        check_output_fifos(e);
}

/* Plain runs do not sleep: what they read of outputs is in sets of ports. */
static void check_port_sets(engine *e)
{
    for (uint32_t port = 0; port < e->plan->ports; port++) {
        const port_sets *sets = &e->ports_of[e->plan->switch_of[port]];
        uint32_t to = e->plan->to[port], bit = 1u << (port - sets->first);
        bool to_switch = !(to & FL_SIM_NODE);
        if (to_switch && (!(sets->open & bit) != (e->credits[port] == 0) ||
                          !(sets->empty & bit) != (e->credits[port] != e->plan->deepest)))
            missed_wake_ups(e, "a port");
        if (!(sets->plugged & bit) == fl_sim_is_usable(e, port))
            missed_wake_ups(e, "a port");
    }
}

void fl_sim_check_conservation(engine *e)
{
    fl_sim_result *out = e->out;
    conservation c = count_packets(e);
    out->in_flight = c.alive + c.waiting;
    bool good = out->total_injected == out->total_delivered + e->lost_total + c.alive + c.waiting &&
                e->packet_count == c.alive + c.dead + c.waiting && c.waiting == e->retry_waiting;
    if (!good && !e->status)
        e->status = fl_fail(
            e->error, FL_ERR_ROUTER,
            "packets were not conserved (a mistake of the simulator): %llu injected, %llu delivered, %llu lost, %llu in the "
            "network, %llu to be tried again, %u in memory",
            (unsigned long long)out->total_injected, (unsigned long long)out->total_delivered,
            (unsigned long long)e->lost_total, (unsigned long long)c.alive,
            (unsigned long long)c.waiting, e->packet_count);
    if (!e->status)
        check_places(e);
    if (!e->status && e->complete)
        check_sleepers(e);
    if (!e->status && e->fast)
        check_port_sets(e);
}
