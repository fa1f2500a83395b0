/* One step of a packet: the router is asked, and a candidate of its answer is taken.
 *
 * Every analysis goes through these functions, so that all of them mean the same by a decision and
 * stop the same routers with the same texts (faults/violation.h). Packets travel link by link: a
 * detour stays in the header, and links may fail before the packet comes to them. Or they travel by
 * complete candidates, where faults stand still: the links of a candidate were seen up when it was
 * offered. */
#ifndef FL_ROUTING_STEP_H
#define FL_ROUTING_STEP_H

#include "routing/router.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Analyses stop packets after this number of steps (FL_NEVER_ENDS), and decisions after this number
 * of questions (FL_ASKS_TOO_MUCH). */
enum { FL_STEPS_MAX = 4096, FL_QUESTIONS_MAX = 4096 };

/* One turn of a detour: the ports base + (first + i) mod k for i = 0..count-1, in this order. */
typedef struct fl_port_range {
    uint32_t first, count, base, k;
} fl_port_range;

/* The i-th port of the range. */
FL_INLINE fl_port fl_port_range_at(const fl_port_range *port_range, unsigned i)
{
    unsigned value = port_range->first + i;
    return (fl_port)(port_range->base + (value >= port_range->k ? value - port_range->k : value));
}

/* "The first detour whose links are all up" as one question. An analysis that explores answers
 * (fl_explorer, fl_router_prove) puts this into the view: it then knows where the search stands,
 * and can merge searches that have come to the same place by different answers. Without it the
 * router searches by itself. */
typedef struct fl_searcher {
    /* True when a detour was found: its ports and where it ends. */
    bool (*search)(struct fl_searcher *searcher, const fl_port_range *port_ranges, unsigned count,
                   fl_port *ports, fl_address *end);
} fl_searcher;

/* ---- violations ---- */

/* Returns FL_ERR_ROUTER with "the router 'NAME' TEXT at PLACE" in *error, and with the plug-in if
 * the router comes from one. */
fl_status fl_step_fail(const fl_router *router, fl_address here, fl_violation violation,
                       fl_error *error);

/* The same for view->violation (not FL_NO_VIOLATION), at view->here. */
fl_status fl_step_fail_view(const fl_router *router, const fl_view *view, fl_error *error);

/* ---- asking ---- */

/* Is it a source node that packets leave without asking the router? Nodes of several ports are left
 * by the router's choice. */
FL_INLINE bool fl_step_leaves_node(const fl_network *network, fl_address here)
{
    return fl_address_is_node(here) && network->node_ports == 1;
}

/* The decision at a source node with one port: its link, if that is up. */
FL_INLINE void fl_step_leave_node(fl_view *view, fl_decision *decision)
{
    fl_probe at = fl_view_here(view), far_end;
    const fl_port port = 0;
    decision->reason = FL_BLOCKED_SOURCE;
    if (fl_view_up(view, &at, port, &far_end))
        fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
}

/* What fl_step_ask does where it is not the router's turn alone. */
void fl_step_ask_any(const fl_router *router, const fl_packet *packet, fl_view *view,
                     fl_decision *decision);

/* The next step of a packet at view->here, link by link: the only link of a source node, the next
 * link of the detour in the packet's header if it is on one, else the router's decision; then the
 * VC assignment. True: there are candidates; false: the packet is blocked (decision->reason), or
 * the router has violated the contract (view->violation). */
FL_INLINE bool fl_step_ask(const fl_router *router, const fl_packet *packet, fl_view *view,
                           fl_decision *decision)
{
    /* Nearly always it is the router's turn, and no VC assignment looks at its answer. */
    if (FL_LIKELY(!fl_address_is_node(view->here) && packet->detour_left == 0 &&
                  !router->vc_assignment)) {
        decision->count = 0;
        router->next(router, packet, view, decision);
    } else {
        fl_step_ask_any(router, packet, view, decision);
    }
    return decision->count > 0 && FL_LIKELY(!view->violation);
}

/* The same for packets that take whole candidates: no header holds a detour. VC assignments are
 * left out, since they change no path. */
FL_INLINE bool fl_step_ask_whole(const fl_router *router, const fl_packet *packet, fl_view *view,
                                 fl_decision *decision)
{
    decision->count = 0;
    if (FL_UNLIKELY(fl_step_leaves_node(router->network, view->here)))
        fl_step_leave_node(view, decision);
    else
        router->next(router, packet, view, decision);
    return decision->count > 0 && FL_LIKELY(!view->violation);
}

/* ---- taking ---- */

/* The header after the first link of a candidate was taken, at `here`. */
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

/* What is wrong with a candidate wherever it leads, or FL_NO_VIOLATION. */
FL_INLINE fl_violation fl_step_check(const fl_router *router, const fl_candidate *candidate)
{
    if (FL_UNLIKELY(candidate->length == 0 || candidate->length > FL_DETOUR_MAX))
        return FL_OFFERS_NO_PATH;
    return FL_LIKELY(candidate->channel < router->channels) ? FL_NO_VIOLATION
                                                            : FL_OFFERS_NO_CHANNEL;
}

/* Packets may end at their destination, and at no other node. */
FL_INLINE fl_violation fl_step_arrive(const fl_packet *packet, fl_address here)
{
    return FL_UNLIKELY(fl_address_is_node(here) && here != packet->destination) ? FL_DELIVERS_ASTRAY
                                                                                : FL_NO_VIOLATION;
}

/* Takes the first link of a candidate: writes the link and where it leads to *hop, and changes the
 * header. A violation other than FL_DELIVERS_ASTRAY leaves the header as it is. Whether the link is
 * up is not asked (fl_step_is_up): a proof has no faults to look it up in. */
FL_INLINE fl_violation fl_step_take(const fl_router *router, fl_packet *packet, fl_address here,
                                    const fl_candidate *candidate, fl_hop *hop)
{
    fl_violation violation = fl_step_check(router, candidate);
    if (violation)
        return violation;
    if (FL_UNLIKELY(!fl_network_step(router->network, here, candidate->ports[0], hop)))
        return FL_OFFERS_EMPTY_PORT;
    fl_packet_take(packet, here, candidate);
    return fl_step_arrive(packet, hop->to);
}

/* Is the link up at the fault point of the view? Nothing is recorded. */
FL_INLINE bool fl_step_is_up(const fl_view *view, fl_link link)
{
    return fl_order_fails_at(view->order, link) > view->fault_point;
}

/* Takes a whole candidate: moves *here to its end, and changes the header to that of a packet
 * there. Ports are not looked at: the router has seen their links up. */
FL_INLINE fl_violation fl_step_take_whole(fl_packet *packet, fl_address *here,
                                          const fl_candidate *candidate)
{
    *here = candidate->end;
    packet->header_state = candidate->header_state;
    packet->channel = candidate->channel;
    return fl_step_arrive(packet, *here);
}

#ifdef __cplusplus
}
#endif
#endif
