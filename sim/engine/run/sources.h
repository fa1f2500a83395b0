/* Private to sim: the sources, one a node, and the births of their packets. */
#ifndef FL_SIM_ENGINE_RUN_SOURCES_H
#define FL_SIM_ENGINE_RUN_SOURCES_H

#include "sim/engine/run/calendar.h"
#include "sim/engine/run/packets.h"

typedef struct source {
    fl_rng rng;
    /* Of its next packet: cycle (UINT64_MAX: none is known of), number and node. */
    uint64_t born, number;
    uint32_t destination;
    uint32_t retry_first, retry_last; /* packets that came back, which go first */
    uint32_t worm;                    /* packet whose flits are leaving, or NONE */
    uint32_t wake;                    /* cycle in which it looks again */
    uint16_t worm_sent;               /* flits of it that have left */
    bool waits;                       /* is in `waiting`, or blocked */
    bool blocked;                     /* until there is a credit; with blocked lists only */
} source;

typedef struct sources {
    source *list;        /* [nodes] */
    uint32_t *left_ring; /* [nodes][source_queue] cycles in which the last packets left */
    uint32_t *waiting, waiting_count; /* nodes with a packet that is due */
    uint64_t retrying;                /* packets in all lists of those that came back */
    double birth_rate;                /* packets a cycle and source */
    double log_miss;                  /* log(1 - birth_rate) */
} sources;

/* Sources that begin with the births of open traffic of a load, in flits per node and cycle; of a
 * workload: without a packet. False when memory ran out; destroy it all the same. */
bool fl_sim_sources_create(sources *ss, const fl_sim_plan *plan, double load, uint64_t seed,
                           calendar *c);
void fl_sim_sources_destroy(sources *ss);

/* Fixes the next packet of a source of open traffic: when it is born, and where it goes. A bounded
 * queue that is full holds up the births: the packet is born when its predecessor by the queue's
 * depth leaves, if not later. */
void fl_sim_next_birth(sources *ss, const fl_sim_plan *plan, uint32_t n);

/* The cycle in which packet number `number` of a source may be born at the earliest: in which its
 * predecessor by the queue's depth left. 0: the queue has no bound. */
uint64_t fl_sim_queue_opens(const sources *ss, const fl_sim_plan *plan, uint32_t n,
                            uint64_t number);

/* The next packet of a source leaves. */
void fl_sim_note_leaving(sources *ss, const fl_sim_plan *plan, uint32_t n, uint32_t now);

/* The source looks again in `delay` cycles, or when its next packet is born; of several looks the
 * last counts. */
void fl_sim_look_again(sources *ss, calendar *c, uint32_t n, uint32_t delay);
void fl_sim_wait_for_birth(sources *ss, calendar *c, uint32_t n);

/* A SOURCE event: a source that looks now waits if it has a packet. Its channel is busy until cycle
 * `busy`. */
void fl_sim_look(sources *ss, calendar *c, uint32_t n, uint32_t busy);

/* A blocked source waits again: it has a credit. */
void fl_sim_unblock_source(sources *ss, uint32_t n);

/* Puts a packet that came back behind the others of its source, and takes the first of them (NONE:
 * there is none). */
void fl_sim_put_back(sources *ss, packet_pool *packets, uint32_t p);
uint32_t fl_sim_take_retry(sources *ss, packet_pool *packets, uint32_t n);

/* A source that has a packet now, or one that came back, waits. */
FL_INLINE void fl_sim_let_wait(sources *ss, uint32_t n)
{
    if (ss->list[n].waits)
        return;
    ss->list[n].waits = true;
    ss->waiting[ss->waiting_count++] = n;
}

#endif
