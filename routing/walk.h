/* One packet from end to end. */
#ifndef FL_ROUTING_WALK_H
#define FL_ROUTING_WALK_H

#include "routing/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fl_walk_result {
    bool delivered;
    fl_reason reason; /* if not delivered */
    uint32_t length;  /* links from node to node, if delivered */
    uint32_t hops;    /* links travelled, also when blocked */
} fl_walk_result;

typedef struct fl_walk_hop {
    fl_address from, to;
    fl_port port;
    fl_link link;
    unsigned rule; /* the rule whose detour it is on, or FL_NO_RULE */
    unsigned channel;
    const fl_candidate *candidate; /* the router's answer, of which this link is the first; valid
                                      while the listener runs (NULL in a proof) */
} fl_walk_hop;

/* Called for every link travelled, in order. */
typedef void fl_walk_listener(void *user, const fl_walk_hop *hop);

/* Walks link by link, as a packet would, and always takes the first candidate. `view` has network,
 * order, fault_point, scope and enabled_rules set; its records are added to, and view->here is
 * where the walk has ended. `listener` (may be NULL) is called with `user`. FL_ERR_ROUTER if the
 * router violates the contract, also if the packet is still under way after FL_STEPS_MAX links;
 * FL_ERR_INVALID if it is a limit. */
fl_status fl_walk(const fl_router *router, fl_view *view, fl_address source, fl_address destination,
                  fl_walk_listener *listener, void *user, fl_walk_result *out, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
