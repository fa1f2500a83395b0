#include "sim/engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* The memory of a run, and what is in it at the beginning. */

void *fl_sim_numbers(size_t count, size_t size, int value, bool *good)
{
    void *list = malloc((count ? count : 1) * size);
    if (list)
        memset(list, value, count * size);
    *good &= list != NULL;
    return list;
}

static bool allocate_queues(engine *e)
{
    const fl_sim_plan *plan = e->plan;
    size_t lanes = e->channels_per_link, inputs = plan->ports * lanes,
           outputs = plan->channels * lanes;
    bool good = true;
    e->inputs = fl_sim_numbers(inputs, sizeof *e->inputs, 0, &good);
    e->credits = fl_sim_numbers(outputs, sizeof *e->credits, 0, &good);
    e->busy = fl_sim_numbers(plan->channels, sizeof *e->busy, 0, &good);
    e->turn = fl_sim_numbers(plan->channels, sizeof *e->turn, 0, &good);
    e->requests = fl_sim_numbers(plan->channels, sizeof *e->requests, 0, &good);
    if (e->fast)
        e->ports_of =
            fl_sim_numbers((size_t)plan->network->switches, sizeof *e->ports_of, 0, &good);
    e->asked = fl_sim_numbers(plan->channels, sizeof *e->asked, 0, &good);
    e->usable = fl_sim_numbers(plan->channels / 64 + 1, sizeof *e->usable, 0, &good);
    if (e->wormhole)
        e->owner = fl_sim_numbers(outputs, sizeof *e->owner, 0xff, &good);
    if (lanes > 1) {
        e->input_busy = fl_sim_numbers(plan->ports, sizeof *e->input_busy, 0, &good);
        e->port_asks = fl_sim_numbers(plan->ports, sizeof *e->port_asks, 0, &good);
        e->port_winner = fl_sim_numbers(plan->ports, sizeof *e->port_winner, 0, &good);
        e->port_asked = fl_sim_numbers(plan->ports, sizeof *e->port_asked, 0, &good);
        e->port_turn = fl_sim_numbers(plan->ports, sizeof *e->port_turn, 0, &good);
    }
    if (e->complete) {
        e->outlets = fl_sim_numbers(outputs, sizeof *e->outlets, 0, &good);
        e->asleep_at_switch = fl_sim_numbers((size_t)plan->network->switches,
                                             sizeof *e->asleep_at_switch, 0xff, &good);
        if (lanes > 1)
            e->asleep_at_port = fl_sim_numbers(plan->ports, sizeof *e->asleep_at_port, 0xff, &good);
    }
    if (plan->set_up.failure_count > 0)
        e->current = fl_sim_numbers(plan->channels, sizeof *e->current, 0xff, &good);
    if (e->output_fifos) {
        e->feeds = fl_sim_numbers(plan->channels, sizeof *e->feeds, 0, &good);
        e->sending = fl_sim_numbers(plan->channels, sizeof *e->sending, 0, &good);
    }
    for (size_t i = 0; good && i < inputs; i++)
        e->inputs[i] = (input_queue){NONE, NONE, plan->switch_of[i / lanes], 0, false};
    for (size_t i = 0; good && e->complete && i < outputs; i++)
        e->outlets[i] = (output_vc){.queue_first = NONE,
                                    .queue_last = NONE,
                                    .credit_from = NONE,
                                    .asleep = NONE,
                                    .queue_free = (uint16_t)plan->model.output_fifo};
    return good;
}

static void fill_port_sets(engine *e)
{
    const fl_sim_plan *plan = e->plan;
    for (uint32_t port = 0; port < plan->ports; port++) {
        uint32_t to = plan->to[port], s = plan->switch_of[port],
                 bit = 1u << port_number(e, port, s);
        port_sets *sets = &e->ports_of[s];
        sets->first = plan->switches[s].first_port;
        if (to == FL_SIM_UNPLUGGED)
            continue;
        sets->plugged |= fl_sim_is_usable(e, port) ? bit : 0;
        sets->open |= bit;
        if (to & FL_SIM_NODE)
            sets->nodes |= bit;
        else if (plan->depth[to] == plan->deepest)
            sets->empty |= bit;
    }
}

static void fill_credits(engine *e)
{
    const fl_sim_plan *plan = e->plan;
    for (uint32_t c = 0; c < plan->channels; c++)
        for (unsigned lane = 0; lane < e->channels_per_link; lane++) {
            uint32_t output = c * e->channels_per_link + lane, to = plan->to[c];
            e->credits[output] = to == FL_SIM_UNPLUGGED ? 0
                                 : to & FL_SIM_NODE     ? NO_CREDIT_NEEDED
                                                        : plan->depth[to];
        }
}

static bool make_faults(engine *e)
{
    const fl_sim_set_up *s = &e->plan->set_up;
    uint64_t count = s->faults ? s->faults->count : 0;
    for (uint32_t c = 0; c < e->plan->channels; c++)
        e->usable[c / 64] |= (uint64_t)(e->plan->to[c] != FL_SIM_UNPLUGGED) << c % 64;
    e->down_links.links =
        malloc((size_t)(count + s->failure_count + 1) * sizeof *e->down_links.links);
    if (!e->down_links.links)
        return false;
    if (count > 0)
        memcpy(e->down_links.links, s->faults->links, (size_t)count * sizeof *e->down_links.links);
    e->down_links.count = count;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t channels[2];
        fl_sim_channels_of(e->plan, s->faults->links[i], channels);
        for (unsigned d = 0; d < 2; d++)
            if (channels[d] != FL_SIM_UNPLUGGED)
                fl_sim_take_down(e, channels[d]);
    }
    fl_status status = fl_order_create_fixed(&e->order, e->plan->network, &e->down_links, e->error);
    if (status)
        return false;
    e->view = (fl_view){.network = e->plan->network,
                        .order = e->order,
                        .enabled_rules = s->router->enabled_rules,
                        .scope = s->router->scope};
    return true;
}

static bool make_wheel(engine *e)
{
    const fl_sim_plan *plan = e->plan;
    uint32_t longest = 0, size = 8;
    for (unsigned i = 0; i < FL_SIM_CLASSES_MAX; i++)
        longest = plan->latency[i] > longest ? plan->latency[i] : longest;
    longest += 2 * e->length + plan->model.routing_delay + plan->model.credit_delay + 2;
    while (size <= longest)
        size *= 2;
    e->wheel = calloc(size, sizeof *e->wheel);
    e->wheel_mask = size - 1;
    return e->wheel != NULL;
}

static bool make_series(engine *e)
{
    const fl_sim_model *m = &e->plan->model;
    uint64_t interval = e->plan->set_up.series;
    if (interval == 0)
        return true;
    uint64_t cycles = m->stop == FL_SIM_STOP_CYCLES ? m->warmup + m->cycles + m->drain : m->cycles;
    e->out->series_length = (size_t)(cycles / interval + 1);
    e->out->series = calloc(e->out->series_length, sizeof *e->out->series);
    return e->out->series != NULL;
}

bool fl_sim_allocate(engine *e)
{
    if (!allocate_queues(e) || !make_wheel(e) || !make_series(e) || !make_faults(e))
        return false;
    fill_credits(e);
    if (e->fast)
        fill_port_sets(e);
    return true;
}

void fl_sim_clear(engine *e)
{
    void *const lists[] = {e->inputs,          e->outlets,
                           e->feeds,           e->credits,
                           e->owner,           e->busy,
                           e->input_busy,      e->turn,
                           e->current,         e->usable,
                           e->sending,         e->requests,
                           e->ports_of,        e->awake,
                           e->asleep_at_port,  e->asleep_at_switch,
                           e->asked,           e->port_asks,
                           e->port_winner,     e->port_asked,
                           e->port_turn,       e->packets,
                           e->heads,           e->outputs,
                           e->candidates,      e->asked_candidates,
                           e->free_heads,      e->active,
                           e->sources,         e->left_ring,
                           e->waiting,         e->meter,
                           e->down_links.links};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    for (uint32_t slot = 0; e->wheel && slot <= e->wheel_mask; slot++)
        free(e->wheel[slot].events);
    for (uint32_t slot = 0; slot < BIRTH_SLOTS; slot++)
        free(e->births[slot].events);
    free(e->wheel);
    fl_sim_clear_messages(e);
    fl_order_destroy(e->order);
}
