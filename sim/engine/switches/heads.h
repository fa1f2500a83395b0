/* Private to sim: heads, which are packets at the front of their queues that a router has answered,
 * and worms on their way. */
#ifndef FL_SIM_ENGINE_SWITCHES_HEADS_H
#define FL_SIM_ENGINE_SWITCHES_HEADS_H

#include "sim/engine/run/mode.h"
#include "sim/engine/run/run_status.h"

typedef struct head {
    uint32_t input, packet;
    uint32_t at;     /* switch */
    uint32_t place;  /* in `active` */
    uint32_t since;  /* cycle in which it last moved, or came here */
    uint32_t chosen; /* candidate that it requests in this cycle */
    uint32_t only;   /* the output VC, if there is one candidate; else where those of the candidates
                        are in their pool (candidates.h) */
    uint32_t full;   /* where the candidates are in their pool, or NONE: they are simple */
    uint64_t header_state; /* that the packet leaves with by any simple candidate */
    uint16_t candidates;
    uint16_t sent;        /* flits of a worm that have gone on */
    uint16_t missing;     /* flits of a worm that will not come: it was cut */
    uint32_t output;      /* output VC of a worm; NONE: it has none yet */
    uint32_t next;        /* the next in its blocked list */
    bool gone;            /* its packet was granted an output VC in this cycle */
    bool worm, vanishing; /* vanishing: a worm that was given up, whose flits are dropped here */
} head;

/* What requests read of a head, side by side for all of them. The last two are of the fast path. */
typedef struct requester {
    uint32_t head;
    uint32_t at;    /* switch */
    uint32_t ports; /* its candidates, as bits by their ports; 0: they are in the head's lists */
    uint32_t first; /* the port of the first; the others follow in rising order, and round */
} requester;

typedef struct heads {
    head *list;
    uint32_t *free; /* places in `list` that were used before */
    requester *active;
    uint32_t *ready; /* heads that request in this cycle; with blocked lists only */
    uint32_t room;   /* of each of these lists */
    uint32_t used;   /* places in `list` that have been used */
    uint32_t free_count, active_count, ready_count;
    uint32_t *blocked_at_switch; /* [switches] first head that waits for any of several output VCs,
                                    or NONE; with blocked lists only */
    uint32_t *blocked_at_port;   /* [ports] first head that waits for the port's place at the
                                    crossbar,   or NONE; with several virtual channels too */
    run_status *status;
} heads;

/* False when memory ran out; destroy it all the same. */
bool fl_sim_heads_create(heads *hs, const fl_sim_plan *plan, const run_mode *mode,
                         run_status *status);
void fl_sim_heads_destroy(heads *hs);

/* Space for more heads, or false and status. */
bool fl_sim_grow_heads(heads *hs);

/* A head for packet p, without candidates; NONE and status: no memory. */
FL_INLINE uint32_t fl_sim_new_head(heads *hs, uint32_t input, uint32_t p, uint32_t s, uint32_t now)
{
    if (FL_UNLIKELY(hs->free_count == 0 && hs->used == hs->room) && !fl_sim_grow_heads(hs))
        return NONE;
    uint32_t h = hs->free_count > 0 ? hs->free[--hs->free_count] : hs->used++;
    hs->list[h] = (head){.input = input,
                         .packet = p,
                         .at = s,
                         .place = hs->active_count,
                         .since = now,
                         .only = NONE,
                         .output = NONE,
                         .full = NONE};
    hs->active[hs->active_count++] = (requester){.head = h, .at = s};
    return h;
}

/* The end of a head that has no lists of candidates. */
FL_INLINE void fl_sim_free_head(heads *hs, uint32_t h)
{
    uint32_t place = hs->list[h].place;
    requester moved = hs->active[--hs->active_count];
    hs->active[place] = moved;
    hs->list[moved.head].place = place;
    hs->free[hs->free_count++] = h;
}

/* Moves a head into a blocked list, and a blocked list to the heads that request. */
FL_INLINE void fl_sim_block_in(heads *hs, uint32_t *list, uint32_t h)
{
    hs->list[h].next = *list;
    *list = h;
}

FL_INLINE void fl_sim_wake_list(heads *hs, uint32_t *list)
{
    for (uint32_t h = *list; h != NONE; h = hs->list[h].next)
        hs->ready[hs->ready_count++] = h;
    *list = NONE;
}

/* Flits of a worm, from its first to its last. */
FL_INLINE uint32_t fl_sim_flits_of(const head *hd, const run_mode *mode)
{
    return mode->length - hd->missing;
}

#endif
