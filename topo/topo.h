/* topo: interconnection networks.
 *
 * A network is immutable, shared by threads and, wherever its addressing allows, never stored:
 * neighbours, links and labels are computed from addresses. Vertices are nodes (compute nodes,
 * hosts) and switches. Every path length of this project counts links, node links included.
 *
 * Names of things:
 *   index    0..count-1, dense: nodes, switches and links each have their own
 *   address  a vertex as routing sees it: its label packed into 64 bits
 *   code     a link as fault orders see it: cheap to compute from address and port; codes are
 *            unique and below link_codes, but not dense
 *   port     0..radix-1 at a switch; 0..node_ports-1 at a node, in most families 0 alone
 *
 * Nodes forward nothing: a path leads from one node through switches to another. */
#ifndef FL_TOPO_TOPO_H
#define FL_TOPO_TOPO_H

#include "topo/address.h"
#include "topo/graph.h"
#include "topo/measure/clusters.h"
#include "topo/measure/metrics.h"
#include "topo/network.h"
#include "topo/search/bounds.h"
#include "topo/shapes.h"
#include "topo/stages.h"
#include "topo/tree.h"

#endif
