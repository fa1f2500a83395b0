/* Private to sim: the state of one run, for the engine and its search for deadlocks. */
#ifndef FL_SIM_ENGINE_ENGINE_H
#define FL_SIM_ENGINE_ENGINE_H

#include "sim/private.h"

/* Names of things in here:
 *   port      an input port of a switch, or the output channel beside it (private.h)
 *   channel   a port, or ports + node
 *   input     a virtual channel of an input port: port * V + v. Holds a queue
 *   output    a virtual channel of a channel: channel * V + v. Holds credits: free places at its
 * other end */

#define NONE UINT32_C(0xffffffff)
enum {
    BLOCK_SIZES = 6,      /* 1 to FL_SIM_CANDIDATES_MAX ways */
    PLAIN_PORTS_MAX = 32, /* of a switch in a plain run: bits of a word */
    BIRTH_SLOTS = 1024
};

typedef struct packet {
    fl_packet header;
    uint32_t next; /* in its queue, or in the list of free packets; NONE outside */
    uint16_t hops;
    bool dead; /* was cut by a failing link: what is left of it goes to its end, and counts nowhere
                */
    bool counted;     /* its latency will be */
    uint32_t arrived; /* its head, at the switch where it is */
    uint32_t left;    /* cycle in which it left its source */
    uint64_t born;
    uint32_t source, destination; /* nodes */
    uint32_t serial;              /* tells packets apart that lie in the same place; 0: none */
    uint16_t missing;             /* flits of a worm that will not come: it was cut */
    uint8_t batch;
} packet;

/* A packet at the front of its queue that a router has answered, or a worm on its way. */
typedef struct head {
    uint32_t input, packet;
    uint32_t at;           /* switch */
    uint32_t place;        /* in `active` */
    uint32_t since;        /* when it last moved, or came here */
    uint32_t chosen;       /* way that it asks for in this cycle */
    uint32_t only;         /* output, if there is one way; else where the outputs are in the pool */
    uint32_t full;         /* where the ways are in their pool; NONE: they are plain ones */
    uint64_t header_state; /* of plain ways: the header word that the packet leaves with */
    uint16_t candidates;
    uint16_t sent;        /* flits of a worm that have gone on */
    uint16_t missing;     /* ... that will not come: it was cut */
    uint32_t output;      /* of a worm; NONE: it has none yet */
    uint32_t next;        /* asleep: the next in the same list */
    bool gone;            /* its packet has been granted an output in this cycle */
    bool worm, vanishing; /* vanishing: a worm that was blocked, and runs out into nothing */
} head;

/* What the request of a cycle reads of a head, side by side for all of them. */
typedef struct requester {
    uint32_t head;
    uint32_t at; /* switch */
    uint32_t
        ports; /* `plain`: its ways, as bits by their ports; 0: they are in the list of the head */
    uint32_t
        first; /* ... the port of the first: the ways are in rising order from there, and round */
} requester;

/* Heads that ask for a channel in this cycle. */
typedef struct request {
    uint32_t count;
    uint32_t winner; /* the one that is to have it */
} request;

/* `plain`: ports of a switch, as bits. */
typedef struct port_sets {
    uint32_t plugged; /* where there is a link, and up */
    uint32_t nodes;   /* where a node is */
    uint32_t open;    /* where the output has credits */
    uint32_t empty;   /* where it has as many as the deepest FIFO there is */
    uint32_t first;   /* port of the switch */
} port_sets;

/* What belongs together lies together: large networks are not in the nearest memory, and each place
 * costs a way there. */

typedef struct input_queue {
    uint32_t first, last; /* packets */
    uint32_t at;          /* switch */
    uint16_t flits;       /* wormhole: that are here */
    bool moving;          /* the packet in front is on its way out */
} input_queue;

typedef struct output_vc {
    uint32_t queue_first, queue_last; /* output FIFO */
    uint32_t sending_until; /* `ranks_all`: cycle in which the last packet has gone through the
                               crossbar to it */
    uint32_t credit_from;   /* `ranks_all`: cycle in which the first flit of the packet that is
                               leaving the queue behind   it was known to leave, or NONE */
    uint32_t asleep; /* first head in the list of those that wait for this output alone, or NONE */
    uint16_t queue_free;
    bool wanted; /* a head in the list of its switch may wait for it */
} output_vc;

/* A link behind output FIFOs. */
typedef struct output_link {
    uint32_t busy;   /* until this cycle */
    uint16_t turn;   /* virtual channel that was last sent */
    bool is_sending; /* is in `sending` */
} output_link;

typedef struct event {
    uint32_t kind, at,
        packet; /* RELEASE: in place of the packet the output that it left by, or NONE */
    uint32_t
        leaves; /* ARRIVE, DELIVER: the input where its tail leaves in the same cycle, or NONE */
} event;

typedef struct event_list {
    event *events;
    uint32_t count, room;
} event_list;

typedef struct source {
    fl_rng rng;
    uint64_t born;        /* of its next packet */
    uint64_t number;      /* of it */
    uint32_t destination; /* of it */
    uint32_t retry_first, retry_last;
    uint32_t worm; /* packet whose flits are leaving */
    uint32_t wake; /* cycle in which it looks again */
    uint16_t worm_sent;
    bool waits;   /* is in `waiting` */
    bool starved; /* asleep until there is a credit */
} source;

typedef struct sent {
    uint32_t packet, serial;
} sent;

typedef struct engine {
    const fl_sim_plan *plan;
    fl_sim_result *out;
    fl_sim_meter *meter;
    const fl_sim_watch *watch; /* or NULL */
    fl_error *error;
    fl_status status;
    unsigned channels_per_link, radix, length;
    bool wormhole, output_fifos, store_and_forward, by_lot;
    bool most_free; /* of the candidates that can be had, those with most free space */
    bool ranks_all; /* not `plain`: of all candidates the one with the shortest queue, whether it
                       can be had or not */
    bool complete;  /* packets go as wholes (no worms), and it is not plain: heads that can have
                       nothing sleep (sleep.c) */
    bool fast; /* one-flit packets, one virtual channel, no output FIFOs, few ports: a shorter way
                  through a cycle */
    uint32_t now;
    double birth_rate, log_miss; /* packets a cycle and source; log(1 - rate) */
    uint64_t first_measured, beyond_measured;
    bool measuring;

    fl_order *order;
    fl_fault_set down_links;
    fl_view view;
    fl_decision decision;
    fl_rng rng;

    input_queue *inputs; /* [inputs] */
    uint16_t *credits;   /* [outputs] */
    port_sets *ports_of; /* [switches] if `plain` */
    uint32_t *owner;     /* [outputs] wormhole: input whose worm holds it, or NONE */
    uint32_t *busy;      /* [channels] until this cycle; with output FIFOs: the crossbar's output */
    uint32_t *input_busy; /* [ports] if there are several virtual channels */
    uint32_t *turn;       /* [channels] round-robin: port that was last served */
    sent *current;        /* [channels] packet that was last sent, if links fail in the run */
    uint64_t *usable;     /* [channels] as bits: there is a link, and it is up */

    output_vc *outlets; /* [outputs] `whole` */
    output_link *feeds; /* [channels] if there are output FIFOs */
    uint32_t *sending,
        sending_count; /* channels whose output FIFOs may have something to send in this cycle */

    request *requests;            /* [channels] */
    uint32_t *asked, asked_count; /* channels that were called in this cycle */
    uint32_t *port_asks, *port_winner, *port_asked, port_asked_count,
        *port_turn; /* the same for the virtual channels of an input */

    packet *packets;
    uint32_t packet_room, packet_count, free_packet;
    head *heads;
    /* Outputs and ways of heads, in blocks of 1, 2, 4, ... Most decisions are plain: one link a
     * way, no rule, one header word for all. Of those nothing is kept but the outputs. */
    uint32_t *outputs, outputs_used, outputs_room, free_outputs[BLOCK_SIZES];
    fl_candidate *candidates, *asked_candidates;
    uint32_t candidates_used, candidates_room, free_candidates[BLOCK_SIZES];
    uint32_t head_room, head_count, *free_heads, free_head_count;
    requester *active;
    uint32_t active_count;
    /* `whole`, see sleep.c */
    uint32_t *awake, awake_count; /* heads that ask in this cycle */
    uint32_t *asleep_at_port; /* [ports] first head of those that wait for its crossbar, or NONE; if
                                 there are several virtual channels */
    uint32_t *asleep_at_switch; /* [switches] first head of those that wait for any of several
                                   outputs, or NONE */

    event_list *wheel; /* by cycle, as far ahead as packets and credits go */
    uint32_t wheel_mask;
    event_list births[BIRTH_SLOTS]; /* the same for sources, which may wait long: the others' lists
                                       are many times longer */

    struct messages *messages; /* messages.c; NULL: open traffic */
    source *sources;
    uint32_t *left_ring;              /* [nodes][source_queue] when the last packets left */
    uint32_t *waiting, waiting_count; /* nodes with a packet that is due */

    size_t next_failure;
    uint64_t target; /* counted packets there are to be */
    uint64_t done;   /* ... that arrived or were lost */
    uint64_t lost_total, lost_measured, retry_waiting;
    uint32_t serials;
} engine;

FL_INLINE uint32_t channel_of(const engine *e, uint32_t output)
{
    return e->channels_per_link == 1 ? output : output / e->channels_per_link;
}

FL_INLINE uint32_t output_at(const engine *e, const head *hd, unsigned candidate)
{
    return hd->candidates == 1 ? hd->only : e->outputs[hd->only + candidate];
}

/* What its switch calls it. */
FL_INLINE uint32_t port_number(const engine *e, uint32_t port, uint32_t s)
{
    return port - e->plan->switches[s].first_port;
}

/* The output whose packets come to this input. */
FL_INLINE uint32_t output_before(const engine *e, uint32_t input)
{
    uint32_t port = channel_of(e, input), lane = input - port * e->channels_per_link;
    return e->plan->from[port] * e->channels_per_link + lane;
}

FL_INLINE bool fl_sim_is_usable(const engine *e, uint32_t channel)
{
    return e->usable[channel / 64] >> channel % 64 & 1;
}

FL_INLINE void fl_sim_take_down(engine *e, uint32_t channel)
{
    e->usable[channel / 64] &= ~(UINT64_C(1) << channel % 64);
}

/* The input at the other end; NONE where a node is. */
FL_INLINE uint32_t input_behind(const engine *e, uint32_t output)
{
    uint32_t channel = channel_of(e, output), to = e->plan->to[channel];
    return to & FL_SIM_NODE ? NONE
                            : to * e->channels_per_link + (output - channel * e->channels_per_link);
}

enum event_kind {
    ARRIVE,
    FLIT,
    DELIVER,
    RELEASE,
    CREDIT,
    ROUTE,
    SOURCE,
    QUEUE_RELEASE,
    LOST,
    CREDIT_BEGINS
};

/* What an output to a node has for credits: nodes take everything. */
enum { NO_CREDIT_NEEDED = 0xffff };

/* setup.c: the lists of a run (but for its sources), empty; false when memory ran out. */
bool fl_sim_allocate(engine *e);
void *fl_sim_numbers(size_t count, size_t size, int value,
                     bool *good); /* bytes of that value; *good becomes false without memory */
void fl_sim_clear(engine *e);

/* Thousands of events are due in a cycle of a large network, each at a place that is in none of the
 * near memories: without fetching ahead the simulator waits for memory most of its time. */
enum { FETCH_AHEAD = 16 };

FL_INLINE void fl_sim_fetch_packet(const engine *e, uint32_t p)
{
    if (p != NONE)
        FL_PREFETCH(&e->packets[p]);
}

FL_INLINE void fl_sim_fetch_head(const engine *e, uint32_t h)
{
    if (h != NONE)
        FL_PREFETCH(&e->heads[h]);
}

/* events.c. The first failure of a run stays in e->status. */
void fl_sim_broken(engine *e, fl_address here,
                   const char *what); /* the router broke the contract */
void fl_sim_out_of_memory(engine *e);
bool fl_sim_grow_events(engine *e, event_list *list);

FL_INLINE void fl_sim_note(engine *e, event_list *list, event ev)
{
    if (FL_UNLIKELY(list->count == list->room) && !fl_sim_grow_events(e, list))
        return;
    list->events[list->count++] = ev;
}

FL_INLINE void fl_sim_note_event(engine *e, event_list *list, enum event_kind kind, uint32_t at,
                                 uint32_t p)
{
    fl_sim_note(e, list, (event){kind, at, p, NONE});
}

FL_INLINE void fl_sim_schedule(engine *e, uint32_t delay, enum event_kind kind, uint32_t at,
                               uint32_t p)
{
    fl_sim_note_event(e, &e->wheel[(e->now + delay) & e->wheel_mask], kind, at, p);
}

/* sleep.c: heads, output FIFOs and sources that can do nothing are not looked at again before
 * something has changed. */
void fl_sim_block(engine *e, uint32_t h); /* there is no space at any of its ways */
void fl_sim_block_at_port(engine *e,
                          uint32_t h); /* another virtual channel of its port has the crossbar */
void fl_sim_wake_at_output(engine *e, uint32_t output); /* there may be space at it now */
void fl_sim_wake_after(
    engine *e, uint32_t input,
    uint32_t output); /* a packet has gone through the crossbar from one to the other */
void fl_sim_forget_sleepers(engine *e);               /* all heads are made anew */
void fl_sim_first_credit(engine *e, uint32_t output); /* it had none */
void fl_sim_may_send(engine *e, uint32_t channel); /* what is in its output FIFOs, if anything is */

/* One more free place behind an output. */
FL_INLINE void fl_sim_gain_credit(engine *e, uint32_t output)
{
    uint32_t credits = ++e->credits[output];
    if (e->ranks_all && e->complete)
        e->outlets[output].credit_from = NONE;
    if (e->complete && credits == 1)
        fl_sim_first_credit(e, output);
    if (!e->fast || output >= e->plan->ports)
        return;
    uint32_t s = e->plan->switch_of[output], bit = 1u << (output - e->ports_of[s].first);
    e->ports_of[s].open |= bit;
    e->ports_of[s].empty |= credits == e->plan->deepest ? bit : 0;
}

/* ---- queues at inputs ---- */

FL_INLINE uint32_t fl_sim_pop(engine *e, uint32_t input)
{
    uint32_t p = e->inputs[input].first;
    e->inputs[input].first = e->packets[p].next;
    if (e->inputs[input].first == NONE)
        e->inputs[input].last = NONE;
    e->packets[p].next = NONE;
    return p;
}

FL_INLINE bool fl_sim_is_measured(const engine *e, uint64_t cycle)
{
    return cycle >= e->first_measured && cycle < e->beyond_measured;
}

/* packets.c: from birth to arrival or loss. */
uint32_t fl_sim_new_packet(engine *e); /* NONE without memory */
void fl_sim_free_packet(engine *e, uint32_t p);
void fl_sim_count_lost(engine *e, const packet *pk, unsigned why);
void fl_sim_deliver(engine *e, uint32_t p);
fl_sim_sample *fl_sim_sample_at(engine *e, uint64_t cycle); /* NULL: not recorded */

/* sources.c: births, and what leaves the nodes. */
bool fl_sim_make_sources(engine *e, uint64_t seed); /* false when memory ran out */
void fl_sim_wake_source(engine *e, uint32_t n);
void fl_sim_send_from_sources(engine *e);
void fl_sim_feed_source(engine *e,
                        uint32_t n);           /* `whole`: there is a place for its packets again */
uint64_t fl_sim_backlog(engine *e, bool note); /* packets born in measured cycles that have not
                                                  left. `note`: they count as generated */

/* messages.c: those of a workload. None of these is called without one. */
bool fl_sim_make_messages(engine *e); /* false without memory */
void fl_sim_clear_messages(engine *e);
void fl_sim_end_delays(engine *e); /* messages that may leave from this cycle on */
void fl_sim_next_part(
    engine *e,
    uint32_t n); /* a packet of the message that leaves node n was taken: what is its next? */
uint32_t fl_sim_leaving_message(const engine *e, uint32_t n);
void fl_sim_note_message(engine *e, uint32_t p, uint32_t message);
uint32_t fl_sim_message_of(const engine *e, uint32_t p);
void fl_sim_part_arrived(engine *e, uint32_t p);
void fl_sim_part_lost(engine *e, uint32_t p, unsigned why);
bool fl_sim_messages_are_over(const engine *e);
void fl_sim_conclude_messages(engine *e);

/* ways.c: what routers answered, of every head. */
void fl_sim_keep_candidates(engine *e, uint32_t h, uint32_t s); /* e->decision, at switch s */
uint32_t fl_sim_output_of_candidate(const engine *e, const head *hd, unsigned candidate);
void fl_sim_forget_candidates(engine *e, const head *hd);
fl_candidate fl_sim_chosen_candidate(const engine *e, const head *hd);

/* plain.c: the same as in events.c and crossbar.c, of plain runs. */
void fl_sim_fast_events(engine *e, const event_list *list);
void fl_sim_fast_route(engine *e, uint32_t input);
void fl_sim_fast_requests(engine *e);
void fl_sim_fast_grants(engine *e);

/* events.c: what is due in a cycle. */
void fl_sim_happen(engine *e, const event *ev);
void fl_sim_happen_all(engine *e, const event_list *list);
bool fl_sim_grow_heads(engine *e);
void fl_sim_drop_head(engine *e, uint32_t h);
void fl_sim_give_up(engine *e, uint32_t input,
                    uint32_t h);              /* its router does, e->decision says why */
void fl_sim_route(engine *e, uint32_t input); /* the packet in front of it */

/* crossbar.c: who goes. */
void fl_sim_requests(engine *e);
void fl_sim_grants(engine *e);
void fl_sim_let_vanish(engine *e);       /* flits of worms that were given up */
void fl_sim_send_from_queues(engine *e); /* output FIFOs */

/* What becomes of a head in a cycle: it requests an output, or waits for another look in the next
 * cycle, or can have no output before something changes. */
typedef enum fl_sim_wish { FL_SIM_REQUESTS, FL_SIM_LOOKS_AGAIN, FL_SIM_BLOCKED } fl_sim_wish;
fl_sim_wish fl_sim_choose(engine *e, uint32_t h); /* among its listed candidates */
bool fl_sim_wins(engine *e, uint32_t h,
                 uint32_t channel); /* not by lot: h against the winner so far */
void fl_sim_misdelivered(engine *e, uint32_t channel);
void fl_sim_send_packet(engine *e, uint32_t output, uint32_t p);
void fl_sim_send_flit(engine *e, uint32_t output, uint32_t p, bool first, bool last);
uint32_t fl_sim_leave_queue(engine *e, uint32_t output); /* the first packet of an output FIFO */

/* engine.c: one cycle after the other; and what is wrong with a router. */
void fl_sim_lost_its_way(engine *e, fl_address here);
void fl_sim_peeked(engine *e);

/* failures.c: those that are due. */
void fl_sim_fail_links(engine *e);
void fl_sim_cut(engine *e, uint32_t p);

/* worms.c: those on a channel that fails. */
void fl_sim_cut_worms(engine *e, uint32_t channel);

/* census.c: every packet is in one place, and nobody sleeps who could go, or e->status says that it
 * is not so. Counts those in the network. */
void fl_sim_check_conservation(engine *e);

/* deadlock.c: looks for packets that can never move again; true when there are some, described in
 * e->out. */
bool fl_sim_find_deadlock(engine *e, uint32_t time_limit);

/* One of the `count` in a set, all equally likely. */
FL_INLINE uint32_t fl_sim_any_of(engine *e, uint32_t set, uint32_t count)
{
    uint32_t skip = count > 1 ? fl_rng_below32(&e->rng, count) : 0;
    while (skip-- > 0)
        set &= set - 1;
    return fl_lowest_bit(set);
}

/* Ports as bits, so that the one at `first` comes first; and a bit of them as a port again. */
FL_INLINE uint32_t fl_sim_turned(uint32_t ports, unsigned first)
{
    return ports >> first | ports << (-first & 31);
}

FL_INLINE unsigned fl_sim_turned_back(unsigned bit, unsigned first)
{
    return (bit + first) & 31;
}

/* Asks the router: the answer is in e->decision. False: blocked, or the router is broken. */
FL_INLINE bool fl_sim_add_request(engine *e, const packet *pk, fl_address here)
{
    e->view.here = here;
    e->view.holds_until = FL_NEVER_FAILS;
    fl_router_ask(e->plan->set_up.router, &pk->header, &e->view, &e->decision);
    if (FL_UNLIKELY(e->view.peeked)) {
        fl_sim_peeked(e);
        return false;
    }
    return e->decision.count > 0;
}

/* A packet leaves `here` by a way; false if it has done so too often. */
FL_INLINE bool fl_sim_take_candidate(engine *e, packet *pk, fl_address here,
                                     const fl_candidate *candidate)
{
    fl_packet_take(&pk->header, here, candidate);
    if (FL_LIKELY(++pk->hops < FL_WALK_HOPS_MAX))
        return true;
    fl_sim_lost_its_way(e, here);
    return false;
}

/* A head for the packet in front; NONE without memory. */
FL_INLINE uint32_t fl_sim_new_head(engine *e, uint32_t input, uint32_t s)
{
    if (FL_UNLIKELY(e->free_head_count == 0 && e->head_count == e->head_room) &&
        !fl_sim_grow_heads(e))
        return NONE;
    uint32_t h = e->free_head_count > 0 ? e->free_heads[--e->free_head_count] : e->head_count++;
    e->heads[h] = (head){.input = input,
                         .packet = e->inputs[input].first,
                         .at = s,
                         .place = e->active_count,
                         .since = e->now,
                         .only = NONE,
                         .output = NONE,
                         .full = NONE};
    e->active[e->active_count++] = (requester){.head = h, .at = s};
    return h;
}

/* The end of a head that has no list of ways. */
FL_INLINE void fl_sim_drop_fast_head(engine *e, uint32_t h)
{
    uint32_t place = e->heads[h].place;
    requester moved = e->active[--e->active_count];
    e->active[place] = moved;
    e->heads[moved.head].place = place;
    e->free_heads[e->free_head_count++] = h;
}

/* Flits of a worm, from its first to its last. */
FL_INLINE uint32_t fl_sim_flits_of(const engine *e, const head *hd)
{
    return e->length - hd->missing;
}

/* A head asks for a channel. */
FL_INLINE void fl_sim_request(engine *e, uint32_t h, uint32_t channel)
{
    request *c = &e->requests[channel];
    if (++c->count == 1) {
        e->asked[e->asked_count++] = channel;
        c->winner = h;
        return;
    }
    e->out->conflicts += e->measuring;
    e->out->conflict_ports += e->measuring && c->count == 2;
    /* By lot each of all that ask is equally likely in the end. */
    if (FL_LIKELY(e->by_lot) ? fl_rng_below32(&e->rng, c->count) == 0 : fl_sim_wins(e, h, channel))
        c->winner = h;
}

#endif
