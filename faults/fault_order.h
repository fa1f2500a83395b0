/* Fault orders: when each link fails, drawn when it is asked about. */
#ifndef FL_FAULTS_FAULT_ORDER_H
#define FL_FAULTS_FAULT_ORDER_H

#include "faults/fault_model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_NEVER_FAILS UINT32_C(0xfffffffe)
#define FL_NOT_DRAWN   UINT32_C(0xffffffff)

/* Which links are down at which fault point, as far as was asked. Answers stand in an array for
 * networks with few link codes and in a hash table for others; both forget in time proportional to
 * the number of links asked about. `draw` decides about a link at the first question: a fault
 * model's lazy draw, a fixed set, or the caller's own. */
typedef struct fl_order fl_order;
struct fl_order {
    uint32_t
        *direct; /* [direct_size] first fault point at which the link is down, or FL_NOT_DRAWN */
    uint64_t direct_size; /* 0: hashed */
    fl_link *asked;       /* direct only: what was asked about since it last forgot */
    uint32_t asked_count;
    uint32_t (*draw)(fl_order *order, fl_link link);
    const fl_network *network;
    const fl_fault_model *model; /* NULL for custom orders */
    fl_rng rng;
    struct fl_order_memory *memory;   /* hashed links, and what the model's draw must remember */
    const struct fl_fault_set *fixed; /* the set of fl_order_create_fixed, or NULL */
    void *user;
};

/* An order of its own for one thread. */
fl_status fl_order_create(fl_order **out, const fl_fault_model *model, fl_error *error);

/* An order whose draws are the caller's. */
fl_status fl_order_create_custom(fl_order **out, const fl_network *network,
                                 uint32_t (*draw)(fl_order *, fl_link), void *user,
                                 fl_error *error);
void fl_order_destroy(fl_order *order);

/* Forgets everything and starts the given trial. */
void fl_order_begin(fl_order *order, uint64_t seed, uint64_t trial);

/* Forgets every answer. */
void fl_order_forget(fl_order *order);

/* False when memory ran out during the trial, whose outcome is then worthless. */
bool fl_order_is_sound(const fl_order *order);

uint32_t fl_order_first_ask(fl_order *order, fl_link link);
uint32_t fl_order_find_hashed(fl_order *order, fl_link link);

/* The first fault point at which the link is down; FL_NEVER_FAILS if it never is. */
FL_INLINE uint32_t fl_order_fails_at(fl_order *order, fl_link link)
{
    if (FL_UNLIKELY(order->direct_size == 0))
        return fl_order_find_hashed(order, link);
    uint32_t fault_point = order->direct[link];
    return FL_LIKELY(fault_point != FL_NOT_DRAWN) ? fault_point : fl_order_first_ask(order, link);
}

/* Answers about many links in one go: fails_at[i] is the first fault point at which links[i] is
 * down, what was asked before included. The links are all different. These must be the last
 * questions of a trial: the answers are not kept. Single links that fail in exact numbers (`links`,
 * draw=exact) get theirs by a shuffle of the places still free, at the same small cost for the last
 * link as for the first; links of all other models are drawn one by one. */
void fl_order_complete(fl_order *order, const fl_link *links, size_t count, uint32_t *fails_at);

#ifdef __cplusplus
}
#endif
#endif
