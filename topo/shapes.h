/* What a family of networks offers to routing, beyond the functions of its type: grids of digits,
 * stages of switches, cubes, groups. Routers and detour rules ask for an offer, never for a family:
 * a network that has one is routed by what exists already. An offer is set by a type's `create`
 * (fl_network.tree, .levels, .grid, .cubes, .groups) and, where it takes functions, named in the
 * type's entry (fl_network_type.stages, .rank). */
#ifndef FL_TOPO_SHAPES_H
#define FL_TOPO_SHAPES_H

#include "topo/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- grids ---- */

/* Switches are vectors of n digits base k, and those of a line differ in one digit: mesh, torus,
 * flattened butterfly, hypercube, and the routers of k-ary n-direct s-indirect networks. Address:
 * digits from bit 0, the number of a node on its switch from bit FL_ADDRESS_LEVEL_SHIFT. Ports: p
 * nodes, then those of dimension 0, 1, ... */
typedef enum fl_line {
    FL_LINE_ARRAY,  /* two ports: to x - 1, to x + 1 */
    FL_LINE_RING,   /* the same, modulo k */
    FL_LINE_CLIQUE, /* k - 1 ports: to all others, in their order */
    FL_LINE_SUBNET  /* one port, to the switches that join the line: stages (fl_stages), whose level
                     * field is above 0, as that of the grid's switches is not */
} fl_line;

typedef struct fl_grid {
    fl_line line;
    unsigned k, n, p;
    unsigned bits;       /* per digit */
    unsigned line_ports; /* per dimension */
    unsigned owned;      /* links per switch and dimension that lead to a larger digit (or round) */
    uint64_t digit_mask;
} fl_grid;

/* The digit of an address in a dimension. */
FL_INLINE unsigned fl_grid_digit(const fl_grid *grid, fl_address a, unsigned dimension)
{
    return (unsigned)((a >> (dimension * grid->bits)) & grid->digit_mask);
}

/* The number of a node on its switch, which is its port there. */
FL_INLINE unsigned fl_grid_node_number(fl_address a)
{
    return (unsigned)(a >> FL_ADDRESS_LEVEL_SHIFT) & 0x7fff;
}

/* ---- stages ---- */

/* The ports base..base+values-1 of a switch, which lead over one block; base routing takes
 * base + target. */
typedef struct fl_stage_ports {
    unsigned base, values, target;
} fl_stage_ports;

/* Where a packet for some destination stands in the stages, and where base routing sends it. */
typedef struct fl_stage_position {
    unsigned level;
    bool upward;     /* towards the top, or across from there; else down, from level 0 to the
                      * node, or out of the subnet */
    bool cross;      /* ... across, to the other group of a mirrored tree */
    bool same_group; /* as the destination */
    unsigned side;   /* 0 or 1, kept while a packet is on a detour: for `ports`, where the ports
                      * down of a switch depend on the part of the network that it is in */
    fl_stage_ports ports; /* that lead there */
} fl_stage_position;

/* Switches in stages, neighbouring stages joined in complete bipartite blocks (rule.h): levels and
 * digits are those of fl_network.levels. Functions that are NULL are those of a k-ary n-tree with
 * `up` ports up (fl_tree): the level and the digits stand in the address as fl_tree_level and
 * fl_tree_digit read them, ports 0..k-1 lead down and k..k+up-1 up. */
typedef struct fl_stages {
    /* False where `here` is no switch of the stages. */
    bool (*position)(const fl_network *, fl_address here, fl_address destination,
                     fl_stage_position *out);
    /* The port that `position` gives base routing, by itself, at a switch of the stages: nearly all
     * hops need no more. NULL: it is taken from there. */
    unsigned (*port)(const fl_network *, fl_address here, fl_address destination);
    /* The ports up, or down, of a switch in `level` on a path to `destination`; `here` is a switch
     * of the same subnet. Down from level 0 lead the ports of nodes. Up from level L writes digit
     * L of the switch that is reached, down from it digit L - 1; the value is the number of the
     * port among these. */
    fl_stage_ports (*ports)(const fl_network *, fl_address here, fl_address destination,
                            unsigned level, bool up, unsigned side);
    /* The digits of a switch, packed as fl_tree_digit reads them; NULL: its address. */
    uint64_t (*digits)(const fl_network *, fl_address here);
    /* Which port base routing takes upwards depends on the destination itself, not only on its
     * switch. */
    bool by_node;
} fl_stages;

/* ---- cubes ---- */

/* Switches that are the corners of cubes, 2-ary in each dimension: the whole network, or parts of
 * it that hang from stages by their corner 0. Their level field is 0. */
enum { FL_CUBE_DIMENSIONS_MAX = 20 };

typedef struct fl_cubes {
    unsigned dimensions;        /* FL_CUBE_DIMENSIONS_MAX at most */
    unsigned shift;             /* in an address: of the corner, a bit for each dimension, ... */
    unsigned node_shift;        /* ... and of a node's number on its switch, its port there */
    unsigned first, first_at_0; /* port of dimension 0, the others follow; at corner 0 */
    uint64_t mask, node_mask;
    uint64_t cube_mask; /* the bits that name the cube; 0: there is one */
} fl_cubes;

/* The corner of a switch, or of a node's switch. */
FL_INLINE unsigned fl_cubes_corner(const fl_cubes *cubes, fl_address a)
{
    return (unsigned)(a >> cubes->shift & cubes->mask);
}

/* Are the two in one cube? */
FL_INLINE bool fl_cubes_is_shared(const fl_cubes *cubes, fl_address a, fl_address b)
{
    return ((a ^ b) & cubes->cube_mask) == 0;
}

/* The dimensions, as bits, that a packet at `here` has still to cross in its cube: none at the
 * destination's switch. To another cube it leaves by corner 0. False where it does not move inside
 * a cube. */
FL_INLINE bool fl_cubes_differ(const fl_cubes *cubes, fl_address here, fl_address destination,
                               unsigned *out)
{
    unsigned corner = fl_cubes_corner(cubes, here);
    bool shared = fl_cubes_is_shared(cubes, here, destination);
    *out = shared ? corner ^ fl_cubes_corner(cubes, destination) : corner;
    return fl_tree_level(here) == 0 && (corner != 0 || shared);
}

/* The port that leads over a dimension. */
FL_INLINE unsigned fl_cubes_port(const fl_cubes *cubes, fl_address here, unsigned dimension)
{
    return (fl_cubes_corner(cubes, here) ? cubes->first : cubes->first_at_0) + dimension;
}

/* The port of a node at its switch. */
FL_INLINE unsigned fl_cubes_node_port(const fl_cubes *cubes, fl_address node)
{
    return (unsigned)(node >> cubes->node_shift & cubes->node_mask);
}

/* ---- groups ---- */

/* g groups of a switches, p nodes each; ports: p nodes, a - 1 others of the group, h to other
 * groups, one link between any two of these. Switch number group * a + i, nodes number * p + i:
 * these are the addresses. Channel i h + j of a group is the j-th link of its switch i to other
 * groups. */
typedef struct fl_groups fl_groups;
struct fl_groups {
    unsigned a, h, p, g;
    unsigned (*channel)(const fl_groups *groups, unsigned group,
                        unsigned other); /* of a group: the one that leads to another */
};

#ifdef __cplusplus
}
#endif
#endif
