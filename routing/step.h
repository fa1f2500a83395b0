/* Asking a router for the next step of a packet. */
#ifndef FL_ROUTING_STEP_H
#define FL_ROUTING_STEP_H

#include "routing/router.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One turn of a detour: the ports base + (first + i) mod k for i = 0..count-1, in this order. */
typedef struct fl_port_range {
    uint32_t first, count, base, k;
} fl_port_range;

FL_INLINE fl_port fl_port_range_at(const fl_port_range *port_range, unsigned i)
{
    unsigned value = port_range->first + i;
    return (fl_port)(port_range->base + (value >= port_range->k ? value - port_range->k : value));
}

/* "The first detour whose links are all up" as one question. An asker that explores answers
 * (fl_explorer) hangs this into the view: it then knows where the search stands, and can merge
 * searches that have come to the same place by different answers. Everybody else leaves it out,
 * and the router searches by itself. */
typedef struct fl_searcher {
    /* True when a detour was found: its ports and where it ends. */
    bool (*search)(struct fl_searcher *searcher, const fl_port_range *port_ranges, unsigned count,
                   fl_port *ports, fl_address *end);
} fl_searcher;

/* Asks for the next step of a packet at view->here: the only link of a source node, the rest of the
 * detour in the packet's header if it is on one, else the router; then the channel rule. */
void fl_router_ask_any(const fl_router *router, const fl_packet *packet, fl_view *view,
                       fl_decision *decision);
FL_INLINE void fl_router_ask(const fl_router *router, const fl_packet *packet, fl_view *view,
                             fl_decision *decision)
{
    /* Nearly always it is the router's turn, and no rule looks at its answer. */
    if (FL_LIKELY(!fl_address_is_node(view->here) && packet->detour_left == 0 &&
                  !router->vc_assignment)) {
        decision->count = 0;
        router->next(router, packet, view, decision);
    } else {
        fl_router_ask_any(router, packet, view, decision);
    }
}

/* FL_ERR_ROUTER, and "the router 'NAME' WHAT at PLACE", with the plug-in if it comes from one. */
fl_status fl_router_broken(const fl_router *router, fl_address here, const char *what,
                           fl_error *error);

/* The same of the offence that the view has noted (view->peeked), at view->here. */
fl_status fl_router_broken_view(const fl_router *router, const fl_view *view, fl_error *error);

/* The header after the first link of a way was taken, at `here`. */
FL_INLINE void fl_packet_take(fl_packet *packet, fl_address here, const fl_candidate *candidate)
{
    packet->previous = here;
    packet->channel = candidate->channel;
    packet->header_state = candidate->header_state;
    packet->rule = candidate->rule;
    packet->turn = (uint8_t)(candidate->turn + 1);
    if (packet->detour_left > 0) {
        packet->detour_left--;
        return;
    }
    for (unsigned i = 1; i < candidate->length; i++)
        packet->detour[candidate->length - 1 - i] = candidate->ports[i];
    packet->detour_left = (uint8_t)(candidate->length - 1);
}

#ifdef __cplusplus
}
#endif
#endif
