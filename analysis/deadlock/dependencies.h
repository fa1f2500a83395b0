/* Private to analysis: channel dependency graphs (Dally and Seitz, 1987).
 *
 * A channel is a virtual channel of one direction of a link between two switches. (Channels from
 * and to nodes can be on no cycle: no packet waits for the one, and the other waits for none.) A
 * channel's successors all start at the switch where it ends, so that a few bits a channel hold
 * the graph: bit port * V + vc of channel c says that some packet holds c and wants that one. */
#ifndef FL_ANALYSIS_DEADLOCK_DEPENDENCIES_H
#define FL_ANALYSIS_DEADLOCK_DEPENDENCIES_H

#include "analysis/deadlock/deadlock.h"
#include "routing/routing.h"

#define FL_NO_SWITCH UINT32_MAX

/* The network as dense numbers: hop = switch * radix + port, channel = hop * V + vc. */
typedef struct fl_channel_graph {
    const fl_network *network;
    uint32_t switches, radix, channels_a_link, count; /* count: of channels */
    uint32_t *far_end;   /* [switches * radix] the switch at the other end, or FL_NO_SWITCH */
    fl_address *address; /* [switches] */
    unsigned words;      /* a channel's successors */
    uint64_t *next;      /* [count * words] */
    uint8_t *colour;     /* [count] of the search for cycles ... */
    uint32_t *stack;     /* [2 * count] ... and its path */
} fl_channel_graph;

/* A graph without dependencies. FL_ERR_INVALID if there are too many channels, FL_ERR_MEMORY. */
fl_status fl_channel_graph_create(fl_channel_graph **out, const fl_network *network,
                                  unsigned channels_a_link, fl_error *error);

/* Frees the graph; NULL is allowed. */
void fl_channel_graph_destroy(fl_channel_graph *graph);

/* Removes all dependencies. */
void fl_channel_graph_clear(fl_channel_graph *graph);

/* The number of a channel: the virtual channel `vc` of the link at this port of switch `from`. */
FL_INLINE uint32_t fl_channel_number(const fl_channel_graph *graph, uint32_t from, fl_port port,
                                     unsigned vc)
{
    return (from * graph->radix + port) * graph->channels_a_link + vc;
}

/* The channel that a candidate takes first at a switch; UINT32_MAX at a node. */
FL_INLINE uint32_t fl_channel_taken(const fl_channel_graph *graph, fl_address here,
                                    const fl_candidate *candidate)
{
    if (fl_address_is_node(here))
        return UINT32_MAX;
    return fl_channel_number(graph,
                             (uint32_t)graph->network->type->switch_index(graph->network, here),
                             candidate->ports[0], candidate->channel);
}

/* The switch where a channel ends. */
FL_INLINE uint32_t fl_channel_end(const fl_channel_graph *graph, uint32_t channel)
{
    return graph->far_end[channel / graph->channels_a_link];
}

/* Adds a dependency: a packet that holds `from` wants `to`. */
FL_INLINE void fl_channel_graph_add(fl_channel_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t bit = to - fl_channel_end(graph, from) * graph->radix * graph->channels_a_link;
    graph->next[(size_t)from * graph->words + bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* Is the dependency there? */
FL_INLINE bool fl_channel_graph_has(const fl_channel_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t bit = to - fl_channel_end(graph, from) * graph->radix * graph->channels_a_link;
    return graph->next[(size_t)from * graph->words + bit / 64] >> (bit % 64) & 1;
}

/* All dependencies that any faults can create, and maybe more: what fl_router_prove looks at with
 * these options. */
fl_status fl_channel_graph_of_all_faults(fl_channel_graph **out, const fl_router *router,
                                         const fl_fault_model *model,
                                         const fl_proof_options *options, fl_error *error);

/* Is there a cycle of dependencies? Takes time proportional to their number. */
bool fl_channel_graph_has_cycle(fl_channel_graph *graph);

/* Writes a shortest cycle's channels (room for `count`) and returns how many; 0 if there is none
 * shorter than `below`. */
uint32_t fl_channel_graph_shortest_cycle(fl_channel_graph *graph, uint32_t below, uint32_t *cycle);

/* The same for cycles through one channel, of any length. */
uint32_t fl_channel_graph_cycle_through(fl_channel_graph *graph, uint32_t channel, uint32_t *cycle);

/* A node where packets begin and end. */
typedef struct fl_end {
    fl_address node;
    uint32_t at; /* its switch; of several the one behind its port 0 */
} fl_end;

/* Every node, or the first one of every switch, in the order of nodes; the caller frees them. NULL:
 * out of memory. */
fl_end *fl_channel_graph_ends(const fl_channel_graph *graph, bool one_a_switch, uint64_t *count);

/* A packet at a switch, or at a node. */
typedef struct fl_transit {
    fl_address here;
    fl_packet packet;
    uint32_t channel; /* by which it came, UINT32_MAX: from a node */
} fl_transit;

/* A packet at the beginning: at the node if that has several ports, else behind its link, which is
 * not looked at. */
fl_transit fl_transit_start(const fl_channel_graph *graph, const fl_end *from,
                            fl_address destination);

/* Takes the first link of a candidate. At a node, *out holds no channel. */
FL_INLINE fl_violation fl_transit_take(const fl_channel_graph *graph, const fl_router *router,
                                       const fl_transit *at, const fl_candidate *candidate,
                                       fl_transit *out)
{
    fl_hop hop;
    out->packet = at->packet;
    fl_violation violation = fl_step_take(router, &out->packet, at->here, candidate, &hop);
    if (violation)
        return violation;
    out->here = hop.to;
    out->channel =
        fl_address_is_node(hop.to) ? UINT32_MAX : fl_channel_taken(graph, at->here, candidate);
    return FL_NO_VIOLATION;
}

/* The same switch, header, input port and channel; source and destination are not compared. */
bool fl_transit_same(const fl_transit *a, const fl_transit *b);

/* A hash of what fl_transit_same compares. */
uint64_t fl_transit_hash(const fl_transit *at);

/* The channel of a number. */
fl_channel fl_channel_of(const fl_channel_graph *graph, uint32_t channel);

#endif
