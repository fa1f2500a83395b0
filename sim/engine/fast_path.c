#include "sim/engine/engine.h"

#include <stddef.h>
#include <string.h>

/* Plain runs: packets of one flit, one virtual channel, no output FIFOs, switches of at most 32
 * ports. Nothing is busy for longer than a cycle, and the ways of a head are a set of ports. Which
 * ports of a switch have credits is another: a blocked head costs one look at two words. Heads ask
 * in the order in which they came to the front, in crossbar.c in that in which they woke: results
 * differ by lots only. */

/* ---- routing ---- */

/* Length, rule, turn and channel of a way in one word. */
static inline uint32_t kind_of(const fl_candidate *candidate)
{
    uint32_t kind;
    _Static_assert(offsetof(fl_candidate, channel) == offsetof(fl_candidate, length) + 3,
                   "they lie side by side");
    memcpy(&kind, (const unsigned char *)candidate + offsetof(fl_candidate, length), sizeof kind);
    return kind;
}

/* Most answers name single links on channel 0, no rule and one header word, in rising order from
 * the first one, and round: that is a set. False, and nothing is kept, if this one is not so, or
 * cannot be: fl_sim_keep_candidates says what is wrong. */
static bool keep_ports(engine *e, uint32_t h, uint32_t s)
{
    const fl_candidate *candidates = e->decision.candidates;
    unsigned first = candidates[0].ports[0], unusual = first / PLAIN_PORTS_MAX,
             count = e->decision.count;
    uint64_t header_state = candidates[0].header_state, other = 0;
    const uint32_t usual = kind_of(&(fl_candidate){.length = 1, .rule = FL_NO_RULE});
    uint32_t turned = 0;
    for (unsigned i = 0; i < count; i++) {
        const fl_candidate *candidate = &candidates[i];
        uint32_t bit = 1u << ((candidate->ports[0] - first) & 31);
        unusual |= (candidate->ports[0] / PLAIN_PORTS_MAX) | (kind_of(candidate) ^ usual) |
                   (bit <= turned);
        other |= candidate->header_state ^ header_state;
        turned |= bit;
    }
    uint32_t ports = fl_sim_turned(turned, -first & 31);
    if (FL_UNLIKELY(unusual || other || (ports & ~e->ports_of[s].plugged)))
        return false;
    head *hd = &e->heads[h];
    requester *a = &e->active[hd->place];
    a->ports = ports;
    a->first = first;
    hd->header_state = header_state;
    hd->candidates = (uint16_t)count;
    return true;
}

static inline void route(engine *e, uint32_t input)
{
    uint32_t s = e->inputs[input].at, h = fl_sim_new_head(e, input, s);
    if (FL_UNLIKELY(h == NONE))
        return;
    e->decision.candidates = e->asked_candidates;
    if (FL_UNLIKELY(!fl_sim_add_request(e, &e->packets[e->inputs[input].first],
                                        e->plan->switches[s].address))) {
        if (!e->status)
            fl_sim_give_up(e, input, h);
    } else if (!keep_ports(e, h, s)) {
        fl_sim_keep_candidates(e, h, s);
    }
}

void fl_sim_fast_route(engine *e, uint32_t input)
{
    route(e, input);
}

static void activate(engine *e, uint32_t input)
{
    if (e->plan->model.routing_delay > 0)
        fl_sim_schedule(e, e->plan->model.routing_delay, ROUTE, input, NONE);
    else
        route(e, input);
}

/* ---- what is due ---- */

static void arrive(engine *e, uint32_t input, uint32_t p)
{
    if (e->inputs[input].last == NONE) {
        e->inputs[input].first = e->inputs[input].last = p;
        if (!e->inputs[input].moving)
            activate(e, input);
        return;
    }
    e->packets[e->inputs[input].last].next = p;
    e->inputs[input].last = p;
}

static void release(engine *e, uint32_t input)
{
    e->inputs[input].moving = false;
    if (e->plan->model.credit_delay == 1)
        fl_sim_gain_credit(e, output_before(e, input));
    else
        fl_sim_schedule(e, e->plan->model.credit_delay - 1, CREDIT, output_before(e, input), NONE);
    if (e->inputs[input].first != NONE)
        activate(e, input);
}

void fl_sim_fast_events(engine *e, const event_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const event *ev = &list->events[i];
        uint32_t leaves = ev->leaves;
        if (ev->kind == ARRIVE)
            arrive(e, ev->at, ev->packet);
        else if (ev->kind == DELIVER)
            fl_sim_deliver(e, ev->packet);
        else if (ev->kind == RELEASE)
            leaves = ev->at;
        else
            fl_sim_happen(e, ev);
        if (leaves != NONE)
            release(e, leaves);
    }
}

/* ---- requests ---- */

/* Of the ports those with most credits. */
static uint32_t most_free(const engine *e, const requester *a, uint32_t ports)
{
    const port_sets *sets = &e->ports_of[a->at];
    if (FL_LIKELY(!(ports & sets->nodes) && (ports & sets->empty)))
        return ports & sets->empty;
    const uint16_t *credits = &e->credits[sets->first];
    uint32_t best = 1, equals = 0;
    for (uint32_t left = ports; left; left &= left - 1) {
        uint32_t space = credits[fl_lowest_bit(left)];
        equals = space > best ? 0 : equals;
        best = space > best ? space : best;
        equals |= space == best ? left & -left : 0;
    }
    return equals;
}

/* One of the ports that have credits. */
static unsigned choose(engine *e, const requester *a, uint32_t ports)
{
    if (e->most_free)
        ports = most_free(e, a, ports);
    uint32_t count = 0;
    for (uint32_t left = ports; left; left &= left - 1)
        count++;
    return fl_sim_turned_back(fl_sim_any_of(e, fl_sim_turned(ports, a->first), count), a->first);
}

void fl_sim_fast_requests(engine *e)
{
    const requester *active = e->active;
    for (uint32_t i = 0, count = e->active_count; i < count; i++) {
        const requester *a = &active[i];
        uint32_t ports = a->ports & e->ports_of[a->at].open;
        if (ports != 0) {
            unsigned port = (ports & (ports - 1)) == 0 ? fl_lowest_bit(ports) : choose(e, a, ports);
            fl_sim_request(e, a->head, e->ports_of[a->at].first + port);
        } else if (FL_UNLIKELY(a->ports == 0) && fl_sim_choose(e, a->head) == FL_SIM_REQUESTS) {
            fl_sim_request(e, a->head, output_at(e, &e->heads[a->head], e->heads[a->head].chosen));
        }
    }
}

/* ---- grants ---- */

static void use_credit(engine *e, uint32_t s, uint32_t output)
{
    port_sets *sets = &e->ports_of[s];
    uint32_t bit = 1u << (output - sets->first);
    if (sets->nodes & bit)
        return;
    sets->empty &= ~bit;
    if (--e->credits[output] == 0)
        sets->open &= ~bit;
}

/* Off it goes; its tail leaves in the next cycle, and where that is the one in which it arrives it
 * is one event. */
static void send(engine *e, uint32_t output, uint32_t p, uint32_t input)
{
    uint32_t to = e->plan->to[output], link_class = e->plan->link_class[output],
             latency = e->plan->latency[link_class];
    event_list *list = &e->wheel[(e->now + latency) & e->wheel_mask];
    event ev = {ARRIVE, to, p, latency == 1 ? input : NONE};
    e->out->flit_hops++;
    if (e->measuring)
        e->out->class_flits[link_class]++;
    if (FL_UNLIKELY(e->current != NULL))
        e->current[output] = (sent){p, e->packets[p].serial};
    if (to & FL_SIM_NODE) {
        ev.kind = DELIVER;
        ev.at = output;
        if (FL_UNLIKELY((to & ~FL_SIM_NODE) != e->packets[p].destination)) {
            fl_sim_misdelivered(e, output);
            return;
        }
    }
    fl_sim_note(e, list, ev);
    if (FL_UNLIKELY(latency > 1))
        fl_sim_schedule(e, 1, RELEASE, input, NONE);
}

/* The router's answer was a list. */
static bool take_listed_candidate(engine *e, const head *hd, packet *pk)
{
    fl_candidate candidate = fl_sim_chosen_candidate(e, hd);
    fl_sim_forget_candidates(e, hd);
    return fl_sim_take_candidate(e, pk, e->plan->switches[hd->at].address, &candidate);
}

static void grant(engine *e, uint32_t h, uint32_t output)
{
    const head *hd = &e->heads[h];
    uint32_t input = hd->input, p = hd->packet, s = hd->at, place = hd->place;
    packet *pk = &e->packets[p];
    if (FL_LIKELY(e->active[place].ports != 0)) {
        const fl_candidate candidate = {.length = 1,
                                        .rule = FL_NO_RULE,
                                        .header_state =
                                            hd->header_state}; /* nobody reads the port */
        if (!fl_sim_take_candidate(e, pk, e->plan->switches[s].address, &candidate))
            return;
    } else if (!take_listed_candidate(e, hd, pk)) {
        return;
    }
    e->inputs[input].first = pk->next;
    if (pk->next == NONE)
        e->inputs[input].last = NONE;
    pk->next = NONE;
    e->inputs[input].moving = true;
    fl_sim_drop_fast_head(e, h);
    use_credit(e, s, output);
    send(e, output, p, input);
}

void fl_sim_fast_grants(engine *e)
{
    for (uint32_t i = 0; i < e->asked_count; i++) {
        uint32_t channel = e->asked[i], h = e->requests[channel].winner;
        e->requests[channel].count = 0;
        if (FL_UNLIKELY(!e->by_lot))
            e->turn[channel] = port_number(e, e->heads[h].input, e->heads[h].at);
        grant(e, h, channel);
    }
    e->asked_count = 0;
}
