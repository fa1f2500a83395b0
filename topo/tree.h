/* Addresses, neighbours and link codes of k-ary n-trees and mirrored ones. */
#ifndef FL_TOPO_TREE_H
#define FL_TOPO_TREE_H

#include "topo/address.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Digits in the low 48 bits (`bits` each, least significant digit first), then the level, the
 * group and the mark of a node. Shifts and masks instead of divisions: routing reads digits
 * all the time. */
enum { FL_ADDRESS_LEVEL_SHIFT = 48, FL_ADDRESS_GROUP_SHIFT = 56 };
#define FL_ADDRESS_DIGITS ((UINT64_C(1) << FL_ADDRESS_LEVEL_SHIFT) - 1)

/* The arithmetic of k-ary n-trees and mirrored ones, for the routers of trees.
 * Switch <G, L, D>: up from level L changes D_L, down from level L changes D_{L-1}; in a
 * mirrored tree the top level's up ports cross to the other group (MiKANT paper, section II). */
typedef struct fl_tree {
    unsigned k;           /* arity: ports down and ports up of a switch */
    unsigned up;          /* ports up: k, or fewer (thin trees; not for fl_tree_step) */
    unsigned n;           /* digits of a node; a switch has n - 1 */
    unsigned bits;        /* bits per digit */
    unsigned top;         /* highest level */
    unsigned groups;      /* 2 if mirrored or of two trees, else 1 */
    unsigned node_shift;  /* of the highest digit of a node */
    unsigned stage_shift; /* of the stage in a link code */
    unsigned cross_stage; /* stage of the cross links, if mirrored */
    bool mirrored;
    uint64_t digit_mask;  /* one digit */
    uint64_t switch_mask; /* the n - 1 digits of a switch */
} fl_tree;

/* The level of a switch. */
FL_INLINE unsigned fl_tree_level(fl_address a)
{
    return (unsigned)(a >> FL_ADDRESS_LEVEL_SHIFT) & 0xff;
}

/* The group of a switch or node: 0 or 1. */
FL_INLINE unsigned fl_tree_group(fl_address a)
{
    return (unsigned)(a >> FL_ADDRESS_GROUP_SHIFT) & 1;
}

/* Digit D_place of a switch or node. */
FL_INLINE unsigned fl_tree_digit(const fl_tree *tree, fl_address a, unsigned place)
{
    return (unsigned)((a >> (place * tree->bits)) & tree->digit_mask);
}

/* The address of switch <group, level, digits>. */
FL_INLINE fl_address fl_tree_switch_at(unsigned group, unsigned level, uint64_t digits)
{
    return (uint64_t)group << FL_ADDRESS_GROUP_SHIFT | (uint64_t)level << FL_ADDRESS_LEVEL_SHIFT |
           digits;
}

/* The address of node <group, digits>. */
FL_INLINE fl_address fl_tree_node_at(unsigned group, uint64_t digits)
{
    return UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | (uint64_t)group << FL_ADDRESS_GROUP_SHIFT |
           digits;
}

/* The digits with D_place := value. */
FL_INLINE uint64_t fl_tree_with_digit(const fl_tree *tree, uint64_t digits, unsigned place,
                                      unsigned value)
{
    unsigned shift = place * tree->bits;
    return (digits & ~(tree->digit_mask << shift)) | (uint64_t)value << shift;
}

/* Link codes. A link belongs to the stage of its lower end; inside a stage it is numbered by
 * the lower end's digits and the value v that the upper end has instead:
 *   stage 0 (and 1)         node links of group 0 (and 1): the node's n digits
 *   stage (L+1)*groups + G  up links of level L, group G: (digits of the lower switch, v)
 *   last stage, mirrored    cross links: (digits of the group-0 end, v = D_{n-2} of the other) */
FL_INLINE fl_link fl_tree_code_of(const fl_tree *tree, unsigned stage, uint64_t low)
{
    return (uint64_t)stage << tree->stage_shift | low;
}

/* The neighbour at a port; false where nothing is plugged in. */
FL_INLINE bool fl_tree_step(const fl_tree *tree, fl_address from, fl_port port, fl_hop *out)
{
    unsigned group = fl_tree_group(from), level = fl_tree_level(from), k = tree->k;
    uint64_t digits = from & FL_ADDRESS_DIGITS;
    if (FL_UNLIKELY(fl_address_is_node(from))) {
        out->to = fl_tree_switch_at(group, 0, digits & tree->switch_mask);
        out->link = fl_tree_code_of(tree, group, digits);
        return port == 0;
    }
    if (port >= k) {
        unsigned value = port - k;
        uint64_t far_end = fl_tree_with_digit(tree, digits, level, value);
        if (level < tree->top) {
            out->to = fl_tree_switch_at(group, level + 1, far_end);
            out->link = fl_tree_code_of(tree, (level + 1) * tree->groups + group,
                                        digits << tree->bits | value);
            return value < k;
        }
        out->to = fl_tree_switch_at(group ^ 1, level, far_end);
        uint64_t lower = group == 0 ? digits : far_end;
        unsigned upper_value = group == 0 ? value : fl_tree_digit(tree, digits, level);
        out->link = fl_tree_code_of(tree, tree->cross_stage, lower << tree->bits | upper_value);
        return tree->mirrored && value < k;
    }
    if (level > 0) {
        uint64_t lower = fl_tree_with_digit(tree, digits, level - 1, port);
        unsigned upper_value = fl_tree_digit(tree, digits, level - 1);
        out->to = fl_tree_switch_at(group, level - 1, lower);
        out->link =
            fl_tree_code_of(tree, level * tree->groups + group, lower << tree->bits | upper_value);
        return true;
    }
    uint64_t node = digits | (uint64_t)port << tree->node_shift;
    out->to = fl_tree_node_at(group, node);
    out->link = fl_tree_code_of(tree, group, node);
    return true;
}

/* base to the power of exponent; the caller has checked that it fits. */
uint64_t fl_tree_power(uint64_t base, unsigned exponent);

/* The bits of a digit 0..k-1. */
unsigned fl_digit_bits(uint64_t k);

/* Fills in the arithmetic of a tree of arity k with n digits, k ports up, and one group or two.
 * The caller has checked that n digits fit an address (n * fl_digit_bits(k) <= 40). */
void fl_tree_fill(fl_tree *tree, unsigned k, unsigned n, unsigned groups, bool mirrored);

#ifdef __cplusplus
}
#endif
#endif
