/* What routers may know of families of networks: the numbers behind their addresses. */
#ifndef FL_TOPO_SHAPES_H
#define FL_TOPO_SHAPES_H

#include "topo/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What routers may know of a network beyond its functions: the numbers behind its addresses.
 * Trees have theirs in fl_tree; the others are described here, and read at network->shape. */
typedef enum fl_family {
    FL_FAMILY_OTHER,
    FL_FAMILY_GRID,      /* fl_grid */
    FL_FAMILY_TREE_LIKE, /* fl_tree_like */
    FL_FAMILY_KNS,       /* fl_kns */
    FL_FAMILY_DRAGONFLY, /* fl_dragonfly */
    FL_FAMILY_PODS,      /* fl_pods */
    FL_FAMILY_EXPLICIT   /* stored */
} fl_family;

/* Switches are vectors of n digits base k, and neighbours differ in one digit: mesh, torus,
 * flattened butterfly, hypercube. Address: digits from bit 0, the number of a node on its
 * switch from bit FL_ADDRESS_LEVEL_SHIFT. Ports: p nodes, then those of dimension 0, 1, ... */
typedef enum fl_line {
    FL_LINE_ARRAY, /* two ports: to x - 1, to x + 1 */
    FL_LINE_RING,  /* the same, modulo k */
    FL_LINE_CLIQUE /* k - 1 ports: to all others, in their order */
} fl_line;

typedef struct fl_grid {
    fl_line line;
    unsigned k, n, p;
    unsigned bits;       /* per digit */
    unsigned line_ports; /* per dimension */
    unsigned owned;      /* links per switch and dimension that lead to a larger digit (or round) */
    uint64_t digit_mask;
} fl_grid;

FL_INLINE unsigned fl_grid_digit(const fl_grid *grid, fl_address a, unsigned dimension)
{
    return (unsigned)((a >> (dimension * grid->bits)) & grid->digit_mask);
}
FL_INLINE unsigned fl_grid_node_number(fl_address a)
{
    return (unsigned)(a >> FL_ADDRESS_LEVEL_SHIFT) & 0x7fff;
}

/* Networks that are trees, in part or nearly; `tree` has their digits, levels and groups.
 *   Clos        two trees, whose highest level is one and the same (group 0): its ports
 *               0..k-1 lead down to group 0 and k..2k-1 down to group 1
 *   thin tree   `up` up ports a switch instead of k; digits below the level are base `up`
 *   CAT, MiCAT  every leaf switch is corner 0 of a k-cube; the cube coordinate stands above the
 *               digits of a switch at cube_shift, a node's number at number_shift. Ports: leaf
 *               switches 0..k-1 to the cube (dimension 0, 1, ...), k..2k-1 up; cube switches
 *               0..k-1 nodes, k..2k-1 the cube */
typedef enum fl_tree_kind { FL_TREE_CLOS, FL_TREE_THIN, FL_TREE_CUBES } fl_tree_kind;

typedef struct fl_tree_like {
    fl_tree_kind kind;
    fl_tree tree;
    unsigned up;
    unsigned cube_shift, number_shift; /* CAT, MiCAT */
    uint64_t cube_mask;                /* 2^k - 1 */
} fl_tree_like;

FL_INLINE unsigned fl_cube_of(const fl_tree_like *shape, fl_address a)
{
    return (unsigned)((a >> shape->cube_shift) & shape->cube_mask);
}

/* Routers <r_{n-1}..r_0> in a grid of k^n, p nodes each (ports 0..p-1), and port p + d to the
 * subnet of its line in dimension d: k_i-ary trees of `stages` stages. The address of a subnet's
 * switch has its stage + 1 in the level field, its dimension from FL_ADDRESS_GROUP_SHIFT, and in
 * place of the dimension's digit its number in the stage (digits o base k_i). */
typedef struct fl_kns {
    unsigned k, n, stages, p;
    unsigned arity; /* k_i; k when there is one stage */
    unsigned bits;
    uint64_t digit_mask;
    bool one_way;       /* RUFT */
    uint32_t power[32]; /* of the arity: 1, k_i, ..., up to k */
    fl_tree subnet; /* levels and digits of a subnet's switches, of which numbers are unpacked */
} fl_kns;

FL_INLINE unsigned fl_kns_dimension(fl_address a)
{
    return (unsigned)(a >> FL_ADDRESS_GROUP_SHIFT) & 0x7f;
}

/* Three layers of switches with K = 2 half ports: edge <0,pod,e> and aggregation <1,pod,j> in K
 * pods, core <2,j,c>. Address: the third field from bit 0, the second from bit 16, the layer in
 * the level field; nodes: number i on their edge switch from bit 32. Ports: 0..half-1 down,
 * half..K-1 up; of a core switch the pods. As in a tree, up from layer L writes a digit D_L, j or
 * c, and down to it writes e or the pod: network->tree_storage has such digits, base K. */
typedef struct fl_pods {
    unsigned half;
} fl_pods;

FL_INLINE unsigned fl_pods_second(fl_address a)
{
    return (unsigned)(a >> 16) & 0xffff;
}
FL_INLINE unsigned fl_pods_third(fl_address a)
{
    return (unsigned)a & 0xffff;
}
FL_INLINE unsigned fl_pods_number(fl_address a)
{
    return (unsigned)(a >> 32) & 0xffff;
}

/* g groups of a switches, p nodes each; ports: p nodes, a - 1 others of the group, h to other
 * groups. Switch number group * a + i, nodes number * p + i: these are the addresses. */
typedef struct fl_dragonfly {
    unsigned a, h, p, g;
    bool palmtree;
} fl_dragonfly;

/* The group that channel c = i h + j of a group leads to, and the channel at its other end. */
FL_INLINE unsigned fl_dragonfly_group_behind(const fl_dragonfly *d, unsigned group,
                                             unsigned channel, unsigned *back)
{
    if (d->palmtree) {
        *back = d->g - 2 - channel;
        return (group + d->g - 1 - channel) % d->g;
    }
    *back = channel < group ? group - 1 : group;
    return channel < group ? channel : channel + 1;
}

/* The channel of a group that leads to another. */
FL_INLINE unsigned fl_dragonfly_channel(const fl_dragonfly *d, unsigned group, unsigned other)
{
    if (d->palmtree)
        return (group + d->g - other - 1) % d->g;
    return other < group ? other : other - 1;
}

#ifdef __cplusplus
}
#endif
#endif
