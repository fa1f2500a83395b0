/* Private to sim: channels, their virtual channels and the output FIFOs before them.
 *
 *   port     an input port of a switch, or the output channel beside it (sim/private.h)
 *   channel  a port, or ports + node
 *   output   an output VC: channel * virtual channels + virtual channel
 *   input    an input VC, likewise of a port */
#ifndef FL_SIM_ENGINE_SWITCHES_LINKS_H
#define FL_SIM_ENGINE_SWITCHES_LINKS_H

#include "sim/engine/run/mode.h"
#include "sim/engine/run/packets.h"

/* The credits of an output VC to a node: nodes take everything. */
enum { NO_CREDIT_NEEDED = 0xffff };

/* What blocked lists and output FIFOs keep of an output VC. */
typedef struct output_vc {
    uint32_t fifo_first, fifo_last; /* packets in its output FIFO, or NONE */
    uint32_t sending_until; /* `shortest_queue`: cycle in which the last packet has gone through the
                               crossbar to it */
    uint32_t credit_from;   /* `shortest_queue`: cycle in which the first flit of the packet that is
                               leaving the queue behind it was known to leave, or NONE */
    uint32_t blocked;       /* first head in the list of those that only this output VC can take, or
                               NONE */
    uint16_t fifo_free;
    bool awaited; /* a head in the blocked list of its switch may wait for it */
} output_vc;

/* A link behind output FIFOs. */
typedef struct output_link {
    uint32_t busy;   /* until this cycle */
    uint16_t turn;   /* virtual channel that was served last */
    bool is_sending; /* is in `sending` */
} output_link;

/* Fast path: ports of a switch, as bits. */
typedef struct port_sets {
    uint32_t plugged; /* with a link that is up */
    uint32_t nodes;   /* with a node */
    uint32_t open;    /* whose output VC has credits */
    uint32_t empty;   /* whose output VC has as many credits as the deepest FIFO has places */
    uint32_t first;   /* port of the switch */
} port_sets;

typedef struct links {
    uint16_t *credits; /* [outputs] free places at the other end, as far as the sender knows */
    uint32_t *owner;   /* [outputs] wormhole: input whose worm holds it, or NONE */
    uint32_t *busy;    /* [channels] until this cycle; with output FIFOs: the crossbar's output */
    uint64_t *usable;  /* [channels] as bits: there is a link, and it is up */
    sent *current;     /* [channels] packet that was sent last; NULL if no link fails in the run */
    port_sets *ports_of;              /* [switches]; fast path only */
    output_vc *outputs;               /* [outputs]; with blocked lists only */
    output_link *out_links;           /* [channels]; with output FIFOs only */
    uint32_t *sending, sending_count; /* channels whose output FIFOs may have something to send */
} links;

/* The lists that the mode needs, all links of the plan up. False when memory ran out; destroy it
 * all the same. */
bool fl_sim_links_create(links *l, const fl_sim_plan *plan, const run_mode *mode);
void fl_sim_links_destroy(links *l);

/* Makes port_sets of what is usable. */
void fl_sim_fill_port_sets(links *l, const fl_sim_plan *plan);

/* Ports as bits, so that the one at `first` comes first; and a bit of them as a port again. */
FL_INLINE uint32_t fl_sim_turned(uint32_t ports, unsigned first)
{
    return ports >> first | ports << (-first & 31);
}

FL_INLINE unsigned fl_sim_turned_back(unsigned bit, unsigned first)
{
    return (bit + first) & 31;
}

FL_INLINE bool fl_sim_is_usable(const links *l, uint32_t channel)
{
    return l->usable[channel / 64] >> channel % 64 & 1;
}

FL_INLINE void fl_sim_take_down(links *l, uint32_t channel)
{
    l->usable[channel / 64] &= ~(UINT64_C(1) << channel % 64);
}

/* One place less behind an output VC. */
FL_INLINE void fl_sim_use_credit(links *l, uint32_t output)
{
    if (l->credits[output] != NO_CREDIT_NEEDED)
        l->credits[output]--;
}

/* The output FIFOs of the channel may have something to send in this cycle. */
FL_INLINE void fl_sim_may_send(links *l, uint32_t channel)
{
    if (l->out_links[channel].is_sending)
        return;
    l->out_links[channel].is_sending = true;
    l->sending[l->sending_count++] = channel;
}

/* Puts a packet into an output FIFO, and takes the first one out. */
void fl_sim_enter_fifo(links *l, packet_pool *packets, uint32_t output, uint32_t p);
uint32_t fl_sim_leave_fifo(links *l, const packet_pool *packets, uint32_t output);

#endif
