/* A host-switch graph that a search changes. */
#ifndef FL_TOPO_SEARCH_GRAPH_H
#define FL_TOPO_SEARCH_GRAPH_H

#include "topo/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a link of an orbit begins: a slot of every switch of the orbit. */
typedef struct fl_slot {
    uint32_t orbit, index;
} fl_slot;

/* One change of the graph, as it was before. */
typedef struct fl_search_change {
    enum { FL_CHANGE_SLOT, FL_CHANGE_DEGREE, FL_CHANGE_HOSTS } what;
    fl_slot slot;
    uint32_t before, mate_before;
} fl_search_change;

enum { FL_SEARCH_SLOTS = 4, FL_SEARCH_CHANGES_MAX = 64, FL_SEARCH_PORTS_MAX = 100000000 };

/* The switches form `orbits` orbits of `symmetry` switches: switch k * orbits + o is number k of
 * orbit o. Turning all numbers by one maps nodes on nodes and links on links. Without symmetry each
 * switch is an orbit. There are no loops and no double links. */
typedef struct fl_search_graph {
    uint32_t nodes, switches, radix, symmetry, orbits;
    uint32_t stride;      /* room for the slots of a switch: a multiple of FL_SEARCH_SLOTS */
    uint32_t *hosts;      /* [switches] nodes of a switch */
    uint32_t *degree;     /* [switches] its links to switches */
    uint32_t *neighbours; /* [switches][stride]; the switch itself where there is no link */
    uint32_t *mates;      /* [orbits][stride] slot of the same link at the other end */
    fl_search_change changes[FL_SEARCH_CHANGES_MAX]; /* since the last fl_search_graph_keep */
    unsigned change_count;
} fl_search_graph;

/* Room for a graph with no nodes and no links. The caller clears it, after a failure too.
 * FL_ERR_MEMORY. */
fl_status fl_search_graph_create(fl_search_graph *graph, uint32_t nodes, uint32_t switches,
                                 uint32_t radix, uint32_t symmetry, fl_error *error);

/* Frees what the graph holds. */
void fl_search_graph_clear(fl_search_graph *graph);

/* Fills an empty graph at random: nodes as evenly as possible on the first `bearing` orbits, which
 * need ports for them, then links between free ports. FL_ERR_INVALID: no connected graph was found
 * in many attempts; FL_ERR_MEMORY. */
fl_status fl_search_graph_draw(fl_search_graph *graph, uint32_t bearing, fl_rng *rng,
                               fl_error *error);

/* Fills an empty graph without symmetry from a network of as many switches: its links between
 * switches, and its nodes if it has as many; else nodes as evenly as free ports allow. Free ports
 * are linked at random. FL_ERR_INVALID: the network has one-way or double links, nodes of several
 * ports, or too few ports. */
fl_status fl_search_graph_take(fl_search_graph *graph, const fl_network *network, fl_rng *rng,
                               fl_error *error);

/* For a reader: nodes and links of the switches of an orbit. Neighbours and mates of number 0 are
 * written into the arrays, and then completed: false, if they are no graph as above. */
void fl_search_graph_set_orbit(fl_search_graph *graph, uint32_t orbit, uint32_t hosts,
                               uint32_t degree);
bool fl_search_graph_complete(fl_search_graph *graph);

/* Copies the nodes and links of a graph of the same numbers. */
void fl_search_graph_copy(fl_search_graph *to, const fl_search_graph *from);

/* Ports of a switch of this orbit that nothing is plugged into. */
FL_INLINE uint32_t fl_search_graph_free_ports(const fl_search_graph *graph, uint32_t orbit)
{
    return graph->radix - graph->hosts[orbit] - graph->degree[orbit];
}

/* The switch that number 0 of the slot's orbit is linked to there. */
FL_INLINE uint32_t fl_search_graph_neighbour(const fl_search_graph *graph, fl_slot slot)
{
    return graph->neighbours[(size_t)slot.orbit * graph->stride + slot.index];
}

/* The slot at the other end of the link. */
FL_INLINE fl_slot fl_search_graph_mate(const fl_search_graph *graph, fl_slot slot)
{
    return (fl_slot){fl_search_graph_neighbour(graph, slot) % graph->orbits,
                     graph->mates[(size_t)slot.orbit * graph->stride + slot.index]};
}

/* How far the link turns: number k of this orbit is linked to number k + turn of the other. */
FL_INLINE uint32_t fl_search_graph_turn(const fl_search_graph *graph, fl_slot slot)
{
    return fl_search_graph_neighbour(graph, slot) / graph->orbits;
}

/* May links of this turn be added between the two orbits? False: they would be loops, or double. */
bool fl_search_graph_may_join(const fl_search_graph *graph, uint32_t a, uint32_t b, uint32_t turn);

/* Plugs the ends of an orbit of links into two slots, or both into the same (half a turn). */
void fl_search_graph_plug(fl_search_graph *graph, fl_slot a, fl_slot b, uint32_t turn);

/* A new slot of the orbit, which needs a free port, for fl_search_graph_plug. */
fl_slot fl_search_graph_add_slot(fl_search_graph *graph, uint32_t orbit);

/* Removes a slot whose links have been plugged elsewhere. The last slot of the orbit takes its
 * index. */
void fl_search_graph_drop_slot(fl_search_graph *graph, fl_slot slot);

/* Gives each switch of the orbit `by` nodes more; negative: fewer. */
void fl_search_graph_add_hosts(fl_search_graph *graph, uint32_t orbit, int by);

/* Keeps all changes, or takes them back. */
void fl_search_graph_keep(fl_search_graph *graph);
void fl_search_graph_undo(fl_search_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
