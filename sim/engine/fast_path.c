/* The fast path: runs with packets of one flit, one virtual channel, no output FIFOs, and switches
 * of at most 32 ports.
 *
 * Nothing is busy for longer than a cycle, and the candidates of a head are a set of ports. Which
 * ports of a switch have credits is another: a blocked head costs one look at two words. Heads
 * request in the order in which they came to the front, elsewhere in that in which they were woken:
 * results differ by lots only.
 *
 * Arrival and release are those of all runs (arrival.h). Requests and grants are written anew, for
 * their speed: with them a run of the 4-ary 3-tree of bench/sim.c executes 0.62 times the
 * instructions of one without (mode.fast false) at load 0.3, and 0.60 times at load 0.5. */
#include "sim/engine/arrival.h"

#include <stddef.h>
#include <string.h>

/* ---- routing ---- */

/* Length, rule, turn and channel of a candidate in one word. */
static inline uint32_t kind_of(const fl_candidate *candidate)
{
    uint32_t kind;
    _Static_assert(offsetof(fl_candidate, channel) == offsetof(fl_candidate, length) + 3,
                   "they lie side by side");
    memcpy(&kind, (const unsigned char *)candidate + offsetof(fl_candidate, length), sizeof kind);
    return kind;
}

/* Most answers name single links on channel 0, no rule and one header state, in rising order from
 * the first one, and round: that is a set. False, and nothing is kept, if this one is not so, or
 * cannot be: fl_sim_keep_candidates says what is wrong. */
static bool keep_ports(engine *e, uint32_t h, uint32_t s)
{
    const fl_candidate *candidates = e->routing.decision.candidates;
    unsigned first = candidates[0].ports[0], unusual = first / FAST_PORTS_MAX,
             count = e->routing.decision.count;
    uint64_t header_state = candidates[0].header_state, other = 0;
    const uint32_t usual = kind_of(&(fl_candidate){.length = 1, .rule = FL_NO_RULE});
    uint32_t turned = 0;
    for (unsigned i = 0; i < count; i++) {
        const fl_candidate *candidate = &candidates[i];
        uint32_t bit = 1u << ((candidate->ports[0] - first) & 31);
        unusual |=
            (candidate->ports[0] / FAST_PORTS_MAX) | (kind_of(candidate) ^ usual) | (bit <= turned);
        other |= candidate->header_state ^ header_state;
        turned |= bit;
    }
    uint32_t ports = fl_sim_turned(turned, -first & 31);
    if (FL_UNLIKELY(unusual || other || (ports & ~e->links.ports_of[s].plugged)))
        return false;
    head *hd = &e->heads.list[h];
    requester *a = &e->heads.active[hd->place];
    a->ports = ports;
    a->first = first;
    hd->header_state = header_state;
    hd->candidates = (uint16_t)count;
    return true;
}

static inline void route(engine *e, uint32_t input)
{
    uint32_t s = e->queues.inputs[input].at, h = fl_sim_ask_for(e, input, true);
    if (FL_LIKELY(h != NONE) && !keep_ports(e, h, s))
        fl_sim_keep_candidates(e, h, s);
}

void fl_sim_fast_route(engine *e, uint32_t input)
{
    route(e, input);
}

/* ---- what is due ---- */

static void come_to_front(engine *e, uint32_t input)
{
    if (fl_sim_is_routed_now(e, input, true))
        route(e, input);
}

void fl_sim_fast_events(engine *e, const event_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const event *ev = &list->data[i];
        uint32_t leaves = ev->leaves;
        if (ev->kind == ARRIVE) {
            if (fl_sim_arrive(e, ev->at, ev->packet, true))
                come_to_front(e, ev->at);
        } else if (ev->kind == DELIVER) {
            fl_sim_deliver(e, ev->packet);
        } else if (ev->kind == RELEASE) {
            leaves = ev->at;
        } else if (ev->kind == ROUTE) {
            route(e, ev->at);
        } else if (ev->kind == CREDIT) {
            fl_sim_gain_credit(e, ev->at, true);
        } else { /* LOST */
            fl_sim_return_credit(e, ev->at, e->plan->model.credit_delay, true);
        }
        if (leaves != NONE && fl_sim_release(e, leaves, NONE, true))
            come_to_front(e, leaves);
    }
}

/* ---- requests ---- */

/* Of the ports those with most credits. */
static uint32_t most_free(const engine *e, const requester *a, uint32_t ports)
{
    const port_sets *sets = &e->links.ports_of[a->at];
    if (FL_LIKELY(!(ports & sets->nodes) && (ports & sets->empty)))
        return ports & sets->empty;
    const uint16_t *credits = &e->links.credits[sets->first];
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
    if (e->mode.most_free)
        ports = most_free(e, a, ports);
    uint32_t count = 0;
    for (uint32_t left = ports; left; left &= left - 1)
        count++;
    return fl_sim_turned_back(fl_sim_any_of(&e->routing, fl_sim_turned(ports, a->first), count),
                              a->first);
}

void fl_sim_fast_requests(engine *e)
{
    const requester *active = e->heads.active;
    for (uint32_t i = 0, count = e->heads.active_count; i < count; i++) {
        const requester *a = &active[i];
        const port_sets *sets = &e->links.ports_of[a->at];
        uint32_t ports = a->ports & sets->open;
        if (ports != 0) {
            unsigned port = (ports & (ports - 1)) == 0 ? fl_lowest_bit(ports) : choose(e, a, ports);
            fl_sim_request(e, a->head, sets->first + port);
        } else if (FL_UNLIKELY(a->ports == 0) && fl_sim_choose(e, a->head) == FL_SIM_REQUESTS) {
            fl_sim_request(e, a->head, fl_sim_chosen_output(e, &e->heads.list[a->head]));
        }
    }
}

/* ---- grants ---- */

static void use_credit(links *l, uint32_t s, uint32_t output)
{
    port_sets *sets = &l->ports_of[s];
    uint32_t bit = 1u << (output - sets->first);
    if (sets->nodes & bit)
        return;
    sets->empty &= ~bit;
    if (--l->credits[output] == 0)
        sets->open &= ~bit;
}

/* The packet goes on its link. Its tail leaves in the next cycle, and where that is the one in
 * which it arrives both are one event. */
static void send(engine *e, uint32_t output, uint32_t p, uint32_t input)
{
    uint32_t to = e->plan->to[output], link_class = e->plan->link_class[output],
             latency = e->plan->latency[link_class];
    event ev = {ARRIVE, to, p, latency == 1 ? input : NONE};
    fl_sim_count_flits(&e->measure, link_class, 1);
    if (FL_UNLIKELY(e->links.current != NULL))
        e->links.current[output] = (sent){p, e->packets.list[p].serial};
    if (to & FL_SIM_NODE) {
        ev.kind = DELIVER;
        ev.at = output;
        if (FL_UNLIKELY((to & ~FL_SIM_NODE) != e->packets.list[p].destination)) {
            fl_sim_misdelivered(&e->status, e->plan->switches[e->plan->switch_of[output]].address);
            return;
        }
    }
    fl_sim_note(&e->calendar, fl_sim_events_in(&e->calendar, latency), ev);
    if (FL_UNLIKELY(latency > 1))
        fl_sim_schedule(&e->calendar, 1, RELEASE, input, NONE);
}

/* The router's answer was a list. */
static bool take_listed_candidate(engine *e, const head *hd, packet *pk)
{
    fl_candidate candidate = fl_sim_chosen_candidate(e, hd);
    fl_sim_forget_candidates(&e->candidates, hd);
    return fl_sim_take_candidate(&e->routing, pk, e->plan->switches[hd->at].address, &candidate);
}

/* The router's answer was a set of ports; the port is not read any more. */
static bool take_port(engine *e, const head *hd, packet *pk)
{
    const fl_candidate candidate = {
        .length = 1, .rule = FL_NO_RULE, .header_state = hd->header_state};
    return fl_sim_take_candidate(&e->routing, pk, e->plan->switches[hd->at].address, &candidate);
}

static void grant(engine *e, uint32_t h, uint32_t output)
{
    const head *hd = &e->heads.list[h];
    uint32_t input = hd->input, p = hd->packet, s = hd->at;
    packet *pk = &e->packets.list[p];
    if (FL_LIKELY(e->heads.active[hd->place].ports != 0) ? !take_port(e, hd, pk)
                                                         : !take_listed_candidate(e, hd, pk))
        return;
    fl_sim_pop(&e->queues, &e->packets, input);
    e->queues.inputs[input].moving = true;
    fl_sim_free_head(&e->heads, h);
    use_credit(&e->links, s, output);
    send(e, output, p, input);
}

void fl_sim_fast_grants(engine *e)
{
    requests *r = &e->requests;
    for (uint32_t i = 0; i < r->channel_count; i++) {
        uint32_t channel = r->channels[i], h = r->of_channel[channel].winner;
        const head *hd = &e->heads.list[h];
        r->of_channel[channel].count = 0;
        if (FL_UNLIKELY(!e->mode.by_lot))
            r->turn[channel] = fl_sim_port_number(e->plan, hd->input, hd->at);
        grant(e, h, channel);
    }
    r->channel_count = 0;
}
