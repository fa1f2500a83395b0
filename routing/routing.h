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
typedef struct fl_candidate {
    fl_port ports[FL_DETOUR_MAX];
    uint8_t length;        /* ports used, >= 1 */
    uint8_t rule;          /* the detour rule that proposes it, or FL_NO_RULE */
    uint8_t turn;          /* which link of the rule's detour the first port is, 0 for its first */
    uint8_t channel;       /* virtual channel of the first link */
    uint64_t header_state; /* the header word that the packet leaves with */
    fl_address end;        /* where the way ends */
} fl_candidate;

/* Everything that a packet carries, and where it comes from. A router's `next` reads source,
 * destination, memory and channel; the rest is kept by fl_packet_take and read by channel rules. */
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
    unsigned wanted;          /* the asker has room for so many ways and wants no more */
    unsigned count;           /* 0: blocked */
    fl_candidate *candidates; /* [wanted], best first (fl_router_type.equivalent: in any order) */
    fl_reason reason;         /* if blocked */
} fl_decision;

/* ---- detour rules ----------------------------------------------------------------- */

enum { FL_RULES_MAX = 16 };

/* All rules, in the order in which they are tried, ended by NULL: those of the table in rules.c,
 * then those of plug-ins. Rule r is setting bit 1 << r. (routing/rule.h says what a rule is.) */
typedef struct fl_rule fl_rule;
extern const fl_rule *const *const fl_rules;
const char *fl_rule_name(unsigned rule);
const char *fl_rule_summary(unsigned rule);
const char *fl_rule_source(unsigned rule);
unsigned fl_rule_count(void);
unsigned fl_rule_extra_links(unsigned rule); /* links of a detour beyond the one that it replaces */

/* ---- routers ------------------------------------------------------------------------ */

typedef struct fl_router fl_router;

/* What no router can beat. It goes by a router's name wherever routers are compared, but makes
 * no decisions: whoever takes it works out by himself what is left of the network. */
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
     * a switch the destination is. Spares askers that go through all pairs most of them. */
    bool switch_to_switch; /* holds where nodes have one port; see fl_router_is_by_switch */
    /* It is asked at source nodes of several ports, too, and its ways then name the node's port.
     * Routers without it serve networks only whose nodes have one port. */
    bool leaves_nodes;
    /* With every link up and room for all, `next` offers every way that it would take under any
     * faults. Spares a proof the answers to all its questions. */
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

/* ---- virtual channels ---------------------------------------------------------------- */

enum { FL_CHANNELS_MAX = 32 };

/* Which virtual channel a packet takes on its next link. A router may choose by itself
 * (fl_candidate.channel); where a channel rule is bound to it, the rule chooses. Rules see what a
 * switch sees: the header, the input port and channel, and the way. What a rule asks for beyond the
 * channels there are becomes the highest of them. */
typedef struct fl_vc_assignment {
    const char *name, *summary, *source;
    bool (*serves)(const fl_network *network); /* NULL: any network */
    unsigned (*choose)(const fl_router *router, const fl_packet *packet, fl_address here,
                       const fl_candidate *candidate);
    /* With so many channels or more, packets of one switch for another take different ones, by
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
    char canonical[96]; /* the same for every way to write this router */
    char note[256];     /* something that the user should know, or empty */
    const char
        *origin; /* NULL, or the plug-in that it or one of its rules comes from, for messages */
};

/* `shortest`, or detour rules joined by '+' (`gns+x-turns+gdl`): the network's base routing
 * with these rules; or a limit (`limit`, `minimal-limit`). A channel rule and a number of channels
 * may follow (`gns+gdl@phase:3`); without them there is one channel. FL_ERR_INVALID for unknown
 * names (with the nearest), doubled names and combinations that have no meaning, with the reason.
 */
fl_status fl_router_create(fl_router **out, const fl_network *network, const char *name,
                           fl_scope scope, fl_error *error);
void fl_router_destroy(fl_router *router);

/* Can the rule be bound to the router? Routers that choose by themselves take `own` only, and
 * others any but that. */
bool fl_vc_assignment_suits(const fl_vc_assignment *rule, const fl_router *router);

/* Binds a channel rule and 1..FL_CHANNELS_MAX virtual channels, before the router is shared. */
fl_status fl_router_set_channels(fl_router *router, const char *rule, unsigned channels,
                                 fl_error *error);

/* One algorithm with two settings? What a packet does then depends on the settings alone. (Channels
 * make a difference only where the router itself chooses them.) */
bool fl_router_is_alike(const fl_router *a, const fl_router *b);

/* May all nodes of a switch be taken for one another (fl_router_type.switch_to_switch)? With
 * several ports a node has no switch of its own. */
FL_INLINE bool fl_router_is_by_switch(const fl_router *router)
{
    unsigned by_node_from = router->vc_assignment ? router->vc_assignment->by_node_from : 0;
    bool by_node = by_node_from > 0 && router->channels >= by_node_from;
    return router->type->switch_to_switch && router->network->node_ports == 1 && !by_node;
}

/* No delivered packet is longer than this, whatever fails. 0: no bound is known. */
uint64_t fl_router_length_bound(const fl_router *router);

/* For routers: adds the way of `length` ports that ends at `end` (every link of it was seen up
 * through the view). True when the asker wants no more; what is offered after that is ignored. */
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

/* ---- searches ---- */

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

/* ---- one packet from end to end --------------------------------------------------------- */

enum { FL_WALK_HOPS_MAX = 4096 };

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
    unsigned rule; /* whose detour it is on, or FL_NO_RULE */
    unsigned channel;
    const fl_candidate *candidate; /* the router's answer, this link its first; valid while the
                                      listener runs (NULL in a proof) */
} fl_walk_hop;

/* Told of every link travelled. */
typedef void fl_walk_listener(void *user, const fl_walk_hop *hop);

/* Walks hop by hop, as a packet would. `view` has network, order, level, scope and settings
 * set; its records are added to. FL_ERR_ROUTER if the router loops, peeks or makes an
 * impossible offer; FL_ERR_INVALID if it is a limit. */
fl_status fl_walk(const fl_router *router, fl_view *view, fl_address source, fl_address destination,
                  fl_walk_listener *listener, void *user, fl_walk_result *out, fl_error *error);

/* ---- all answers -------------------------------------------------------------------------- */

/* Digits (bit i: digit i of a switch) whose values the router does not treat all alike, because
 * it runs through them in a fixed order. Adding a constant to any other digit of all addresses
 * (mod k) changes nothing but names. All bits for routers about which nothing is known. */
uint64_t fl_router_anchored_digits(const fl_router *router);

/* Follows a router through both answers to every question about a part that can fail.
 *
 * Of a pair, what comes out is the number of ways in which b of the `asked` parts that matter
 * can be down and the packet still be delivered, for every b. With N parts in all, f of them
 * down, every set equally likely, the packet is delivered with probability
 *     sum over b of delivered[b] * C(N - asked, f - b) / C(N, f).
 * The numbers are whole, never subtracted, and held in long double: exact below 2^64 (x86-64);
 * above, every addition is rounded by at most one part in 2^64.
 *
 * What merges: a search stands at the same place with the same knowledge about every part that
 * it still asks about. Without merging, x-turns on MiKANT(3,3) would not end. */
typedef struct fl_explorer fl_explorer;

enum { FL_EXPLORED_COMPONENTS_MAX = 510 }; /* more that bear on one pair are refused */

typedef struct fl_exploration {
    unsigned asked;               /* <= FL_EXPLORED_COMPONENTS_MAX */
    const long double *delivered; /* [asked + 1] */
    const long double *lengths;   /* [asked + 1] sums of the path lengths of these deliveries */
    const long double *open;      /* [asked + 1] not followed up, or NULL: nothing was left out */
} fl_exploration;

typedef struct fl_explorer_limits {
    double
        prune; /* leave out what has less probability than this at every fault count; 0: nothing */
    uint64_t states_max;             /* FL_ERR_STOPPED above; 0: no limit */
    bool unmerged;                   /* no merging, no searcher: the slow reference */
    bool (*should_stop)(void *user); /* NULL, or asked now and then; true: FL_ERR_STOPPED */
    void *user;
} fl_explorer_limits;

fl_status fl_explorer_create(fl_explorer **out, const fl_router *router,
                             const fl_fault_model *model, const fl_explorer_limits *limits,
                             fl_error *error);
void fl_explorer_destroy(fl_explorer *explorer);

/* The result stays valid until the next call. Sources of one destination share work: ask for
 * them one after the other. FL_ERR_ROUTER with the looping place if the router never ends. */
fl_status fl_explorer_run(fl_explorer *explorer, fl_address source, fl_address destination,
                          fl_exploration *out, fl_error *error);

uint64_t fl_explorer_states(const fl_explorer *explorer);  /* branchings made so far */
bool fl_explorer_is_complete(const fl_explorer *explorer); /* no number was ever rounded */

/* ---- deadlock ------------------------------------------------------------------------------ */

/* Channel dependencies (Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor
 * Interconnection Networks", 1987): a packet that has come over one channel and wants another
 * makes the second one a successor of the first. Without a cycle there is no deadlock. Packets that
 * end blocked have held their channels until then, and count too. */

/* A virtual channel of one direction of a link between two switches. */
typedef struct fl_channel {
    fl_address from, to;
    fl_port port;
    fl_link link;
    unsigned number; /* of the virtual channel */
} fl_channel;

/* A channel of a cycle, and who holds it and wants the next one. */
typedef struct fl_cycle_step {
    fl_channel channel;
    fl_address source, destination; /* one pair of nodes that does */
    uint64_t pairs;                 /* how many do */
} fl_cycle_step;

typedef struct fl_deadlock_witness {
    uint64_t *components; /* [faults] of the fault model */
    unsigned faults;
    fl_link *links; /* [link_count] that are down */
    size_t link_count;
    fl_cycle_step
        *cycle; /* [length] a shortest cycle under these faults; the last wants the first */
    unsigned length;
} fl_deadlock_witness;
void fl_deadlock_witness_destroy(fl_deadlock_witness *witness);

typedef struct fl_deadlock_options {
    uint64_t sample; /* so many random fault sets instead of every one; 0: every one */
    uint64_t seed;
    bool all_candidates; /* every candidate that the router offers, not only the first, which the
                            sweep takes */
    bool (*progress)(void *user, uint64_t done,
                     uint64_t all); /* NULL, or called now and then; false: stop */
    void *user;
} fl_deadlock_options;

typedef struct fl_deadlock_result {
    uint64_t faults, fault_sets, cyclic;
    bool sampled;
    fl_deadlock_witness *witness; /* NULL if no set was cyclic; else of those looked at the one with
                                     the shortest cycle */
} fl_deadlock_result;

/* Tries fault sets of exactly so many parts of the model: builds the dependency graph over all
 * pairs of nodes and looks for cycles. FL_ERR_INVALID for limits, networks and counts that are too
 * large, FL_ERR_ROUTER if the router breaks the contract, FL_ERR_STOPPED. */
fl_status fl_deadlock_check(fl_deadlock_result *out, const fl_router *router,
                            const fl_fault_model *model, unsigned faults,
                            const fl_deadlock_options *options, fl_error *error);

/* The same of one set: these parts of the model. */
fl_status fl_deadlock_check_set(fl_deadlock_result *out, const fl_router *router,
                                const fl_fault_model *model, const uint64_t *components,
                                unsigned faults, const fl_deadlock_options *options,
                                fl_error *error);

/* What a router does under any faults at all: every answer to every question is followed from
 * every state that a packet can be in (vertex, header, channel). Answers are kept consistent within
 * a decision and forgotten between decisions, so that there may be states and dependencies that
 * no fault set creates: what is proven to be absent is absent, what is present need not be real. */
typedef struct fl_proof {
    uint64_t states, dependencies;
    unsigned channels_used; /* virtual channels that some packet takes */
    bool deadlock_free;     /* all dependencies together are acyclic */
    fl_cycle_step
        *cycle; /* [cycle_length] else a shortest cycle of theirs; `pairs` is 1: one example each */
    unsigned cycle_length;
    fl_deadlock_witness
        *witness;       /* and a fault set under which there is a cycle, or NULL: none was found */
    bool livelock_free; /* no packet meets a vertex twice in the same state */
    uint64_t length_bound; /* then: no delivered packet travels more links, node links included */
    fl_address longest_source, longest_destination; /* of a packet that travels so many ... */
    fl_link *longest_down; /* [longest_down_count] ... and finds these links down */
    size_t longest_down_count;
    bool longest_is_real; /* these faults alone make the packet travel so far */
    fl_walk_hop *loop;    /* [loop_length] else a walk: to the state first, then round it */
    unsigned loop_length, loop_start; /* hop loop_start is where the walk comes back to */
    fl_address loop_source, loop_destination;
    fl_link *loop_down; /* [loop_down_count] links that the walk found down */
    size_t loop_down_count;
    bool loop_is_real; /* these faults alone make the packet loop */
} fl_proof;
void fl_proof_clear(fl_proof *proof);

typedef struct fl_proof_options {
    uint64_t states_max; /* of packets to one destination; 0: ten million. More than that:
                            FL_ERR_STOPPED */
    bool all_candidates; /* follow every candidate that the router offers, not only the first */
    const fl_fault_set *down; /* NULL, or links that are always down */
    bool seek;                /* look for a real fault set when there is a cycle; not with `down` */
    bool (*should_stop)(void *user); /* NULL, or asked now and then; true: FL_ERR_STOPPED */
    void *user;
} fl_proof_options;

/* `model` says which links can fail, NULL: none; `options` may be NULL: as if all zero. */
fl_status fl_router_prove(fl_proof *out, const fl_router *router, const fl_fault_model *model,
                          const fl_proof_options *options, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
