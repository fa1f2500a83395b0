/* How routing sees vertices, links and ports. */
#ifndef FL_TOPO_ADDRESS_H
#define FL_TOPO_ADDRESS_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t fl_address;
typedef uint64_t fl_link;
typedef uint16_t fl_port;

typedef struct fl_network fl_network;

enum { FL_ADDRESS_NODE_SHIFT = 63 };

/* Is it a node's address? The highest bit is the mark, in every network. */
FL_INLINE bool fl_address_is_node(fl_address a)
{
    return a >> FL_ADDRESS_NODE_SHIFT;
}

/* Where a port leads. */
typedef struct fl_hop {
    fl_address to;
    fl_link link;
} fl_hop;

#ifdef __cplusplus
}
#endif
#endif
