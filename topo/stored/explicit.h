/* Private to topo: networks that are stored: small or irregular host-switch graphs. */
#ifndef FL_TOPO_STORED_EXPLICIT_H
#define FL_TOPO_STORED_EXPLICIT_H

#include "topo/family.h"

/* A host-switch graph in the making. Nodes of a switch stand before its links, in their order. */
typedef struct fl_explicit_graph {
    uint32_t nodes, switches, node_ports;
    uint64_t links; /* between switches */
    uint32_t *home; /* [nodes * node_ports] the switch of each node, port after port */
    uint32_t *ends; /* [2 * links] */
} fl_explicit_graph;

/* Room for a graph of at most links_most links, whose nodes have one port. FL_ERR_INVALID, before
 * anything is allocated, when it and what the caller of fl_network_create_for wants beside it
 * cannot fit. */
fl_status fl_explicit_begin(fl_explicit_graph *graph, const fl_network *network, uint64_t nodes,
                            uint64_t switches, uint64_t links_most, fl_error *error);
/* The same with node_ports ports a node, all of which are plugged in. */
fl_status fl_explicit_begin_ports(fl_explicit_graph *graph, const fl_network *network,
                                  uint64_t nodes, unsigned node_ports, uint64_t switches,
                                  uint64_t links_most, fl_error *error);
/* Frees a graph that no network is made of. */
void fl_explicit_abandon(fl_explicit_graph *graph);
/* Adds a link between two switches; there must be room. */
FL_INLINE void fl_explicit_link(fl_explicit_graph *graph, uint32_t a, uint32_t b)
{
    graph->ends[2 * graph->links] = a;
    graph->ends[2 * graph->links++ + 1] = b;
}

/* The number of nodes, of one port each, on every switch, in order. They must add up to
 * graph->nodes. */
void fl_explicit_fill_homes(fl_explicit_graph *graph, uint32_t (*nodes_of)(void *user, uint32_t),
                            void *user);

/* Makes the network of it, and takes the graph's memory, also when it fails. FL_ERR_INVALID for
 * loops, double links, more than `radix` ports on a switch (0: as many as it takes), and graphs
 * that are not connected. (With several ports a node the caller sees to that: the switches alone
 * need not be.) */
fl_status fl_explicit_finish(fl_network *network, fl_explicit_graph *graph, unsigned radix,
                             fl_error *error);
/* Frees the network's graph, and what fl_explicit_keep has kept. */
void fl_explicit_destroy(fl_network *network);

/* Something of the family's own, freed with the network. */
void fl_explicit_keep(fl_network *network, void *kept);
/* What fl_explicit_keep has kept, lent; NULL if nothing. */
const void *fl_explicit_kept(const fl_network *network);

FL_FAMILY_DECLARE(fl_explicit_);
FL_FAMILY_DECLARE_LABELS(fl_explicit_);
/* All NAN: a stored graph has no formulas. */
void fl_explicit_closed_forms(const fl_network *, fl_closed_forms *out);

#define FL_EXPLICIT_FUNCTIONS                                          \
    FL_FAMILY_FUNCTIONS(fl_explicit_), FL_FAMILY_LABELS(fl_explicit_), \
        .destroy = fl_explicit_destroy

#endif
