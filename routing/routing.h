/* routing: one per-hop function a router, whoever asks.
 *
 * packet header + switch + what the switch may know about links
 *     -> where to next (an ordered list), or blocked, with a reason
 *
 * A router is pure: it reads the header, the switch and the view, and writes a decision. It
 * can only offer ways whose links it asked about and saw up, because the offer is the
 * question; it can only ask what its scope allows, because questions start at its own switch. */
#ifndef FL_ROUTING_H
#define FL_ROUTING_H

#include "faults/faults.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- packets, decisions --------------------------------------------------------- */

enum { FL_DETOUR_MAX = 7, FL_NO_RULE = 0xff };

/* A way on: one port, or a detour of several, the rest of which travels in the header. */
typedef struct fl_way {
    fl_port ports[FL_DETOUR_MAX];
    uint8_t length;   /* ports used, >= 1 */
    uint8_t rule;     /* the detour rule that proposes it, or FL_NO_RULE */
    uint8_t channel;  /* virtual channel */
    uint64_t memory;  /* the header word that the packet leaves with */
    fl_address end;   /* where the way ends */
} fl_way;

/* Everything that a packet carries. */
typedef struct fl_packet {
    fl_address source, destination;
    uint64_t memory;                /* a word for the router; 0 at the source */
    fl_port detour[FL_DETOUR_MAX];  /* what is left of the detour it is on, next port last */
    uint8_t detour_left;
    uint8_t channel;
} fl_packet;

typedef enum fl_reason {
    FL_BLOCKED_SOURCE,      /* the source node's link is down */
    FL_BLOCKED_DESTINATION, /* the destination node's link is down */
    FL_BLOCKED_UP,          /* a link towards the top was needed, and no rule had a detour */
    FL_BLOCKED_CROSS,       /* the same, a link between the groups */
    FL_BLOCKED_DOWN,        /* the same, a link towards the nodes */
    FL_REASONS
} fl_reason;
extern const char *const fl_reason_names[FL_REASONS]; /* blocked_source, ... as in results */

typedef struct fl_decision {
    unsigned wanted;   /* the asker has room for so many ways and wants no more */
    unsigned count;    /* 0: blocked */
    fl_way *ways;      /* [wanted], best first */
    fl_reason reason;  /* if blocked */
} fl_decision;

/* ---- detour rules ----------------------------------------------------------------- */

enum { FL_RULES_MAX = 16 };

/* All rules, in the order in which they are tried, ended by NULL. Rule r is setting bit 1 << r. */
typedef struct fl_rule fl_rule;
extern const fl_rule *const fl_rules[];
const char *fl_rule_name(unsigned rule);
const char *fl_rule_summary(unsigned rule);
const char *fl_rule_source(unsigned rule);
unsigned fl_rule_count(void);
unsigned fl_rule_extra_links(unsigned rule); /* links of a detour beyond the one that it replaces */

/* ---- routers ------------------------------------------------------------------------ */

typedef struct fl_router fl_router;

/* One entry describes an algorithm. */
typedef struct fl_router_type {
    const char *name, *summary, *source;
    bool (*serves)(const fl_network *network); /* can it route on this network? */
    void (*next)(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision);
} fl_router_type;

extern const fl_router_type *const fl_router_types[]; /* ended by NULL */

/* A router bound to a network; immutable, shared by threads. */
struct fl_router {
    const fl_router_type *type;
    void (*next)(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision); /* = type->next */
    const fl_network *network;
    fl_scope scope;
    uint64_t settings;     /* enabled rules, a bit each */
    char name[96];         /* as given */
    char note[256];        /* something that the user should know, or empty */
};

/* `shortest`, or detour rules joined by '+' (`gns+x-turns+gdl`): the network's base routing
 * with these rules. FL_ERR_INVALID for unknown names (with the nearest), doubled names and
 * combinations that have no meaning, with the reason. */
fl_status fl_router_create(fl_router **out, const fl_network *network, const char *name, fl_scope scope, fl_error *error);
void fl_router_destroy(fl_router *router);

/* No delivered packet is longer than this, whatever fails. 0: no bound is known. */
uint64_t fl_router_length_bound(const fl_router *router);

/* For routers: adds the way of `length` ports that ends at `end` (every link of it was seen up
 * through the view). True when the asker wants no more. */
FL_INLINE bool fl_decision_offer(fl_decision *decision, const fl_port *ports, unsigned length, fl_address end,
                                 unsigned rule, uint64_t memory)
{
    fl_way *way = &decision->ways[decision->count++];
    for (unsigned i = 0; i < length; i++)
        way->ports[i] = ports[i];
    way->length = (uint8_t)length;
    way->rule = (uint8_t)rule;
    way->channel = 0;
    way->memory = memory;
    way->end = end;
    return decision->count == decision->wanted;
}

/* Asks for the next step of a packet at view->here: the rest of the detour in its header if it
 * is on one, else the router. */
void fl_router_ask(const fl_router *router, const fl_packet *packet, fl_view *view, fl_decision *decision);

/* The header after the first link of a way was taken. */
void fl_packet_take(fl_packet *packet, const fl_way *way);

/* ---- one packet from end to end --------------------------------------------------------- */

enum { FL_WALK_HOPS_MAX = 4096 };

typedef struct fl_walk_result {
    bool delivered;
    fl_reason reason;   /* if not delivered */
    uint32_t length;    /* links from node to node, if delivered */
    uint32_t hops;      /* links travelled, also when blocked */
} fl_walk_result;

/* Told of every link travelled: vertex, port, link, rule or FL_NO_RULE. */
typedef void fl_walk_listener(void *user, fl_address from, fl_port port, fl_address to, unsigned rule);

/* Walks hop by hop, as a packet would. `view` has network, order, level, scope and settings
 * set; its records are added to. FL_ERR_ROUTER if the router loops, peeks or makes an
 * impossible offer. */
fl_status fl_walk(const fl_router *router, fl_view *view, fl_address source, fl_address destination,
                  fl_walk_listener *listener, void *user, fl_walk_result *out, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
