/* Packets, and what a router decides about them. */
#ifndef FL_ROUTING_PACKET_H
#define FL_ROUTING_PACKET_H

#include "faults/faults.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FL_DETOUR_MAX = 7, FL_NO_RULE = 0xff };

/* A candidate for the next step: one port, or a detour of several, the rest of which travels in the
 * header. */
typedef struct fl_candidate {
    fl_port ports[FL_DETOUR_MAX];
    uint8_t length;        /* ports used, >= 1 */
    uint8_t rule;          /* the detour rule that proposes it, or FL_NO_RULE */
    uint8_t turn;          /* which link of the rule's detour the first port is, 0 for its first */
    uint8_t channel;       /* virtual channel of the first link */
    uint64_t header_state; /* the header word that the packet leaves with */
    fl_address end;        /* where its last port leads */
} fl_candidate;

/* Everything that a packet carries, and where it comes from. A router's `next` reads source,
 * destination, header_state and channel; the rest is kept by fl_packet_take and read by VC
 * assignments. */
typedef struct fl_packet {
    fl_address source, destination;
    uint64_t header_state; /* a word for the router; 0 at the source */
    fl_address
        previous; /* the vertex before this one: a switch knows its input port; 0 at the source */
    fl_port detour[FL_DETOUR_MAX]; /* what is left of the detour it is on, next port last */
    uint8_t detour_left;
    uint8_t rule, turn; /* of this detour: its rule, and which of its links is next */
    uint8_t channel;    /* virtual channel of the link by which it came */
} fl_packet;

/* Why a packet stopped. UP, CROSS and DOWN name the link that base routing wanted, however many
 * detours were tried; in the middle of a detour that is found hop by hop (FL_SCOPE_LOCAL), the
 * links that its next turn had to choose from. A limit, which has no place to stop at, counts as
 * UP whatever the node links do not explain. (docs/algorithms.md, "What blocked_* means") */
typedef enum fl_reason {
    FL_BLOCKED_SOURCE,      /* the source node's link is down */
    FL_BLOCKED_DESTINATION, /* the packet came to the destination's switch; the destination's link
                               is down */
    FL_BLOCKED_UP,          /* a link towards the top was needed, and no rule had a detour */
    FL_BLOCKED_CROSS,       /* the same, a link between the groups of a mirrored tree */
    FL_BLOCKED_DOWN, /* the same, a link between switches towards the nodes; also a link of a chosen
                      * detour that went down before the packet came to it (never while faults stand
                      * still) */
    FL_REASONS
} fl_reason;
extern const char *const fl_reason_names[FL_REASONS]; /* blocked_source, ... as in results */

typedef struct fl_decision {
    unsigned wanted;          /* number of candidates that the requester has room for */
    unsigned count;           /* 0: blocked */
    fl_candidate *candidates; /* [wanted], best first (fl_router_type.equivalent: in any order) */
    fl_reason reason;         /* if blocked */
} fl_decision;

#ifdef __cplusplus
}
#endif
#endif
