/* Private to topo: networks whose switches, or routers, are the vectors of digits of
 * network->tree_storage, n digits from 0 to k - 1, in lines of k that differ in one digit. Nodes
 * are numbered at their switch (fl_grid_node_number). A link code is a slot, then n digits; what
 * they stand for is described with each network. */
#ifndef FL_TOPO_DIGITS_H
#define FL_TOPO_DIGITS_H

#include "topo/trees/tree.h"

/* FL_ERR_INVALID when n digits base k do not fit an address. */
fl_status fl_digits_check(const fl_network *network, unsigned k, unsigned n, fl_error *error);

FL_INLINE const fl_tree *fl_digits_of(const fl_network *network)
{
    return &network->tree_storage;
}

FL_INLINE fl_address fl_digits_node(uint64_t digits, unsigned number)
{
    return UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | (uint64_t)number << FL_ADDRESS_LEVEL_SHIFT |
           digits;
}

FL_INLINE fl_link fl_digits_code(const fl_network *network, unsigned slot, uint64_t digits)
{
    return (uint64_t)slot << fl_digits_of(network)->stage_shift | digits;
}

FL_INLINE unsigned fl_digits_slot(const fl_network *network, fl_link link)
{
    return (unsigned)(link >> fl_digits_of(network)->stage_shift);
}

FL_INLINE uint64_t fl_digits_low(const fl_network *network, fl_link link)
{
    return link & ((UINT64_C(1) << fl_digits_of(network)->stage_shift) - 1);
}

/* The lines of a dimension are numbered by the other digits: the number of the one that `digits`
 * are on, and the digits of its switch with `value` in that dimension. */
uint64_t fl_digits_line(const fl_network *network, uint64_t digits, unsigned dimension);
uint64_t fl_digits_on_line(const fl_network *network, uint64_t line, unsigned dimension,
                           unsigned value);

#endif
