/* Stages of switches, as base routing and detour rules see them (fl_stages). */
#ifndef FL_TOPO_STAGES_H
#define FL_TOPO_STAGES_H

#include "topo/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ports of a tree whose addresses hold level, group and digits: up from level L base routing
 * takes the one of the destination's digit L (of a thin tree, modulo its ports up), down that of
 * digit L - 1, at level 0 that of the highest. */
FL_INLINE fl_stage_ports fl_tree_ports(const fl_tree *tree, fl_address destination, unsigned level,
                                       bool up)
{
    if (up) {
        unsigned digit = fl_tree_digit(tree, destination, level);
        return (fl_stage_ports){tree->k, tree->up, digit < tree->up ? digit : digit % tree->up};
    }
    return (fl_stage_ports){0, tree->k,
                            fl_tree_digit(tree, destination, level > 0 ? level - 1 : tree->n - 1)};
}

/* The position there: Algorithm 1 of the MiKANT paper leads up while the groups differ, or the
 * digits W_{n-2}..W_L and T_{n-2}..T_L do. */
FL_INLINE fl_stage_position fl_tree_position(const fl_tree *tree, fl_address here,
                                             fl_address destination)
{
    unsigned level = fl_tree_level(here);
    bool same_group = fl_tree_group(here) == fl_tree_group(destination),
         upward =
             !same_group || ((here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0;
    fl_stage_position at;
    at.level = level;
    at.upward = upward;
    at.cross = upward && tree->mirrored && level == tree->top;
    at.same_group = same_group;
    at.side = 0;
    at.ports = fl_tree_ports(tree, destination, level, upward);
    return at;
}

/* The rank of a link in such a tree (fl_network_type.rank): up level by level, across, down level
 * by level. Of the links across, those that keep D_{n-2} come after those that change it: a packet
 * between nodes of one group crosses twice, first to the right digit, then keeping it. */
FL_INLINE unsigned fl_tree_rank(const fl_tree *tree, fl_address from, fl_address to)
{
    unsigned level = fl_tree_level(from), far_end = fl_tree_level(to), top = tree->top;
    if (far_end > level)
        return 1 + level;
    if (far_end < level || fl_address_is_node(to))
        return top + 3 + (top - level);
    return fl_tree_digit(tree, from, level) == fl_tree_digit(tree, to, level) ? top + 2 : top + 1;
}

/* Where a packet stands in the stages of a network; false where `here` is no switch of them. */
FL_INLINE bool fl_stages_position(const fl_network *network, fl_address here,
                                  fl_address destination, fl_stage_position *out)
{
    const fl_stages *stages = network->type->stages;
    if (stages && stages->position)
        return stages->position(network, here, destination, out);
    if (!network->levels)
        return false;
    *out = fl_tree_position(network->levels, here, destination);
    if (stages && stages->ports)
        out->ports = stages->ports(network, here, destination, out->level, out->upward, out->side);
    return true;
}

/* The port that base routing takes at a switch of the stages; 0 where `here` is none. */
FL_INLINE unsigned fl_stages_port(const fl_network *network, fl_address here,
                                  fl_address destination)
{
    const fl_stages *stages = network->type->stages;
    if (stages && FL_LIKELY(stages->port != NULL))
        return stages->port(network, here, destination);
    fl_stage_position at;
    bool in_stages = fl_stages_position(network, here, destination, &at);
    return in_stages ? at.ports.base + at.ports.target : 0;
}

/* The ports of a switch in `level`, see fl_stages. */
FL_INLINE fl_stage_ports fl_stages_ports(const fl_network *network, fl_address here,
                                         fl_address destination, unsigned level, bool up,
                                         unsigned side)
{
    const fl_stages *stages = network->type->stages;
    return stages && stages->ports ? stages->ports(network, here, destination, level, up, side)
                                   : fl_tree_ports(network->levels, destination, level, up);
}

/* The digits of a switch of the stages, as fl_tree_digit reads them. */
FL_INLINE uint64_t fl_stages_digits(const fl_network *network, fl_address here)
{
    const fl_stages *stages = network->type->stages;
    return stages && stages->digits ? stages->digits(network, here) : here;
}

/* Do all addresses, those of nodes too, hold the digits and levels as in a tree? */
FL_INLINE bool fl_stages_in_addresses(const fl_network *network)
{
    const fl_stages *stages = network->type->stages;
    return network->levels && !(stages && stages->digits);
}

#ifdef __cplusplus
}
#endif
#endif
