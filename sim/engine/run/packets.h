/* Private to sim: the packets of a run. */
#ifndef FL_SIM_ENGINE_RUN_PACKETS_H
#define FL_SIM_ENGINE_RUN_PACKETS_H

#include "sim/engine/run/run_status.h"

typedef struct packet {
    fl_packet header;
    uint32_t next; /* in its queue, or in the list of free packets; NONE outside */
    uint16_t hops;
    bool dead;    /* it was cut by a failing link: what is left of it goes on, and counts nowhere */
    bool counted; /* its latency will be */
    uint32_t arrived; /* cycle in which its head came to the switch where it is */
    uint32_t left;    /* cycle in which it left its source */
    uint64_t born;
    uint32_t source, destination; /* nodes */
    uint32_t serial;              /* differs between packets that use one place in turn; 0: none */
    uint16_t missing;             /* flits of a worm that will not come: it was cut */
    uint8_t batch;
} packet;

/* What is put into links, by which it can be found out later whether it is still there. */
typedef struct sent {
    uint32_t packet, serial;
} sent;

/* All packets between birth and end, by number. */
typedef struct packet_pool {
    packet *list;
    uint32_t room, count; /* places in all; packets in them */
    uint32_t free;        /* first of the free places, or NONE */
    uint32_t serials;
    uint64_t largest_count;
    run_status *status;
} packet_pool;

void fl_sim_packets_create(packet_pool *pool, run_status *status);
void fl_sim_packets_destroy(packet_pool *pool);

/* A packet with nothing but its serial number, or NONE and status: no memory. */
uint32_t fl_sim_new_packet(packet_pool *pool);
void fl_sim_free_packet(packet_pool *pool, uint32_t p);

/* Is it still under way? */
FL_INLINE bool fl_sim_is_there(const packet_pool *pool, sent s)
{
    return pool->list[s.packet].serial == s.serial;
}

#endif
