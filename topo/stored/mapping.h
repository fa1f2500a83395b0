/* Private to topo: which switches the ports of nodes are plugged into, improved by exchanges
 * (Yasudo thesis, 4.4.1). */
#ifndef FL_TOPO_STORED_MAPPING_H
#define FL_TOPO_STORED_MAPPING_H

#include "core/core.h"

/* Switch networks that are copies of one: switch s of copy c is number c * switches + s. */
typedef struct fl_mapping {
    uint32_t nodes, ports;     /* ports of each node */
    uint32_t copies, switches; /* of each copy */
    const uint8_t *distance;   /* [switches][switches] links between the switches of a copy */
    uint32_t *home;            /* [nodes][ports] the switch behind each port */
} fl_mapping;

/* Exchanges the switches of two ports, at random and as long as it helps, for a number of rounds;
 * only within a copy, so that every node stays in the copies that it was in. What comes out depends
 * on the mapping, the seed and the steps alone. FL_ERR_MEMORY. */
fl_status fl_mapping_improve(fl_mapping *mapping, uint64_t seed, uint64_t steps, fl_error *error);

#endif
