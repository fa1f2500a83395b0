/* Switches that are vectors of digits: checks, and lines of a dimension by their numbers. */
#include "topo/digits.h"

fl_status fl_digits_check(const fl_network *network, unsigned k, unsigned n, fl_error *error)
{
    unsigned bits = fl_digit_bits(k), most = FL_ADDRESS_LEVEL_SHIFT - 8;
    if (n * bits <= most)
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID,
                   "%s: too large: %u digits of %u bits each do not fit an address (%u bits)",
                   network->spec, n, bits, most);
}

uint64_t fl_digits_line(const fl_network *network, uint64_t digits, unsigned dimension)
{
    const fl_tree *tree = fl_digits_of(network);
    unsigned shift = dimension * tree->bits;
    uint64_t low = digits & ((UINT64_C(1) << shift) - 1), high = digits >> shift >> tree->bits;
    return fl_tree_unpack(tree, high << shift | low, tree->n - 1);
}

uint64_t fl_digits_on_line(const fl_network *network, uint64_t line, unsigned dimension,
                           unsigned value)
{
    const fl_tree *tree = fl_digits_of(network);
    unsigned shift = dimension * tree->bits;
    uint64_t others = fl_tree_pack(tree, line, tree->n - 1),
             low = others & ((UINT64_C(1) << shift) - 1);
    return others >> shift << shift << tree->bits | (uint64_t)value << shift | low;
}
