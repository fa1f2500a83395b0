/* Private to sim: the queues at the inputs of switches. */
#ifndef FL_SIM_ENGINE_SWITCHES_QUEUES_H
#define FL_SIM_ENGINE_SWITCHES_QUEUES_H

#include "sim/engine/run/packets.h"

/* The FIFO of an input VC. What belongs together lies together: the state of a large network is not
 * in the nearest memory, and each place costs an access to it. */
typedef struct input_queue {
    uint32_t first, last; /* packets, or NONE */
    uint32_t at;          /* switch */
    uint16_t flits;       /* wormhole: that are here */
    bool moving;          /* a packet is on its way out, and no longer in the list */
} input_queue;

typedef struct queues {
    input_queue *inputs; /* [input VCs] port * virtual channels + virtual channel */
    uint32_t *busy;      /* [ports] until this cycle the crossbar serves a virtual channel of the
                            port; NULL if there is one virtual channel */
} queues;

/* False when memory ran out; destroy it all the same. */
bool fl_sim_queues_create(queues *q, const fl_sim_plan *plan);
void fl_sim_queues_destroy(queues *q);

/* Takes the packet in front out of its queue. */
FL_INLINE uint32_t fl_sim_pop(queues *q, packet_pool *packets, uint32_t input)
{
    uint32_t p = q->inputs[input].first;
    q->inputs[input].first = packets->list[p].next;
    if (q->inputs[input].first == NONE)
        q->inputs[input].last = NONE;
    packets->list[p].next = NONE;
    return p;
}

/* Puts a packet, whose `next` is NONE, behind the others. True: it is in front. */
FL_INLINE bool fl_sim_push(queues *q, packet_pool *packets, uint32_t input, uint32_t p)
{
    input_queue *in = &q->inputs[input];
    if (in->last == NONE) {
        in->first = in->last = p;
        return true;
    }
    packets->list[in->last].next = p;
    in->last = p;
    return false;
}

#endif
