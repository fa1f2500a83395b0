/* Routers: their types, detour rules, VC assignments, and making one. */
#ifndef FL_ROUTING_ROUTER_H
#define FL_ROUTING_ROUTER_H

#include "routing/packet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FL_RULES_MAX = 16 };

/* All rules, in the order in which they are tried, ended by NULL: those of the table in rules.c,
 * then those of plug-ins. Rule r is bit 1 << r of enabled_rules. (routing/rule.h defines rules.) */
typedef struct fl_rule fl_rule;
extern const fl_rule *const *const fl_rules;

/* Number of rules. The functions below take one of 0..fl_rule_count()-1. */
unsigned fl_rule_count(void);

/* The rule's name, as in `gns+gdl`. */
const char *fl_rule_name(unsigned rule);

/* What the rule does, in one line. */
const char *fl_rule_summary(unsigned rule);

/* Paper and section that the rule is from. */
const char *fl_rule_source(unsigned rule);

/* Links of its detours less the one that they replace. */
unsigned fl_rule_extra_links(unsigned rule);

typedef struct fl_router fl_router;

/* What no router can beat. It has a router's name wherever routers are compared, but makes no
 * decisions: the analysis finds out itself what is left of the network. */
typedef enum fl_limit_kind {
    FL_NO_LIMIT,           /* a router */
    FL_LIMIT_ANY_PATH,     /* delivered while any path of healthy links is left */
    FL_LIMIT_MINIMAL_PATHS /* delivered while any of the paths is left that are shortest without
                              faults */
} fl_limit_kind;

/* One entry describes an algorithm. */
typedef struct fl_router_type {
    const char *name, *summary, *source;
    bool (*serves)(const fl_network *network); /* can it route on this network? */
    void (*next)(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision); /* NULL for a limit */
    fl_limit_kind limit;
    /* Decisions depend neither on the source nor, before its switch is reached, on which node of
     * a switch the destination is. Analyses of all pairs then skip most of them. */
    bool switch_to_switch; /* holds where nodes have one port; see fl_router_is_by_switch */
    /* It is asked at source nodes of several ports, too, and its candidates then name the node's
     * port.
     * Routers without it serve networks only whose nodes have one port. */
    bool leaves_nodes;
    /* With every link up and room for all, `next` offers every candidate that it would take under
     * any faults. A proof then need not follow all answers to its questions. */
    bool offers_all;
    uint64_t (*length_bound)(const fl_router *router); /* NULL, or for fl_router_length_bound */
    /* Every candidate that it offers is as good as the first: as short, and as right. The simulator
     * may then choose among them by free space. Without it they are ranked, each better than the
     * next, and the simulator takes the first. */
    bool equivalent;
    unsigned channels; /* virtual channels that it has when the user asks for none; 0: one */
    /* The base routing of the networks that it serves: it goes by the name `shortest` there, unless
     * another stands before it in the table. */
    bool base;
    /* NULL, or what makes and frees router->data when a router is created; after a failure release
     * is called, too. */
    fl_status (*prepare)(fl_router *router, fl_error *error);
    void (*release)(fl_router *router);
} fl_router_type;

/* All of them, ended by NULL: those of the table in router.c, then those of plug-ins. */
enum { FL_ROUTER_TYPES_MAX = 64 };
extern const fl_router_type *const *const fl_router_types;

enum { FL_CHANNELS_MAX = 32 };

/* Which virtual channel a packet takes on its next link. A router may choose by itself
 * (fl_candidate.channel); where a VC assignment is bound to it, the assignment chooses. It sees
 * what a switch sees: the header, the input port and channel, and the candidate. A number above
 * those of the router's channels becomes the highest of them. */
typedef struct fl_vc_assignment {
    const char *name, *summary, *source;
    bool (*serves)(const fl_network *network); /* NULL: any network */
    unsigned (*choose)(const fl_router *router, const fl_packet *packet, fl_address here,
                       const fl_candidate *candidate);
    /* From this number of channels on, packets of one switch for another take different ones, by
     * their nodes. 0: never. */
    unsigned by_node_from;
} fl_vc_assignment;

extern const fl_vc_assignment *const fl_vc_assignments[]; /* ended by NULL */

/* A router bound to a network; immutable, shared by threads. */
struct fl_router {
    const fl_router_type *type;
    /* type->next; for types of plug-ins, a guard in front of it that checks every answer */
    void (*next)(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision);
    const fl_network *network;
    fl_scope scope;
    uint64_t enabled_rules;                /* enabled rules, a bit each */
    const fl_vc_assignment *vc_assignment; /* NULL: the router's own choice */
    unsigned channels;  /* virtual channels of every link between switches, at least 1 */
    void *data;         /* the type's own, read only once the router is made; or NULL */
    char name[96];      /* as given */
    char canonical[96]; /* the same for every spelling of this router */
    char note[256];     /* something that the user should know, or empty */
    const char
        *origin; /* NULL, or the plug-in that it or one of its rules comes from, for messages */
};

/* `shortest`, or detour rules joined by '+' (`gns+x-turns+gdl`): the network's base routing
 * with these rules; or a limit (`limit`, `minimal-limit`). A VC assignment and a number of channels
 * may follow (`gns+gdl@phase:3`); without them there is one channel. FL_ERR_INVALID for unknown
 * names (with the nearest), doubled names and combinations that have no meaning, with the reason;
 * FL_ERR_MEMORY. The network is borrowed; the caller destroys the router before it. */
fl_status fl_router_create(fl_router **out, const fl_network *network, const char *name,
                           fl_scope scope, fl_error *error);

/* Frees the router; NULL is allowed. */
void fl_router_destroy(fl_router *router);

/* Can the assignment be bound to the router? Routers that choose by themselves take `own` only, and
 * others any but that. */
bool fl_vc_assignment_suits(const fl_vc_assignment *rule, const fl_router *router);

/* Binds the named VC assignment and 1..FL_CHANNELS_MAX virtual channels, before the router is
 * shared. FL_ERR_INVALID for unknown names and those that do not suit the router. */
fl_status fl_router_set_channels(fl_router *router, const char *rule, unsigned channels,
                                 fl_error *error);

/* One algorithm with two sets of enabled rules? What a packet does then depends on the rules alone.
 * (Channels make a difference only where the router itself chooses them.) */
bool fl_router_is_alike(const fl_router *a, const fl_router *b);

/* May all nodes of a switch be taken for one another (fl_router_type.switch_to_switch)? With
 * several ports a node has no switch of its own. */
FL_INLINE bool fl_router_is_by_switch(const fl_router *router)
{
    unsigned by_node_from = router->vc_assignment ? router->vc_assignment->by_node_from : 0;
    bool by_node = by_node_from > 0 && router->channels >= by_node_from;
    return router->type->switch_to_switch && router->network->node_ports == 1 && !by_node;
}

/* Digits (bit i: digit i of a switch) whose values the router does not treat all alike, because
 * it runs through them in a fixed order. Adding a constant to any other digit of all addresses
 * (mod k) changes nothing but names. All bits for routers about which nothing is known. */
uint64_t fl_router_anchored_digits(const fl_router *router);

/* No delivered packet is longer than this, whatever fails. 0: no bound is known. */
uint64_t fl_router_length_bound(const fl_router *router);

/* For routers: adds the candidate of `length` ports that ends at `end` (every link of it was seen
 * up through the view). True when the requester wants no more; what is offered after that is
 * ignored. */
FL_INLINE bool fl_decision_offer(fl_decision *decision, const fl_port *ports, unsigned length,
                                 fl_address end, unsigned rule, uint64_t header_state)
{
    if (FL_UNLIKELY(decision->count >= decision->wanted))
        return true;
    fl_candidate *candidate = &decision->candidates[decision->count++];
    for (unsigned i = 0; i < length; i++)
        candidate->ports[i] = ports[i];
    candidate->length = (uint8_t)length;
    candidate->rule = (uint8_t)rule;
    candidate->turn = 0;
    candidate->channel = 0;
    candidate->header_state = header_state;
    candidate->end = end;
    return decision->count == decision->wanted;
}

#ifdef __cplusplus
}
#endif
#endif
