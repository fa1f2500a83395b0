/* Private to topo: what k-ary n-trees and mirrored k-ary n-trees share. */
#ifndef FL_TOPO_TREES_TREE_H
#define FL_TOPO_TREES_TREE_H

#include "topo/family.h"

/* Fills counts, codes and functions' data for a tree of arity k with n node digits.
 * FL_ERR_INVALID when an address would not fit. */
fl_status fl_tree_setup(fl_network *network, unsigned k, unsigned n, bool mirrored,
                        fl_error *error);

/* The digits of a number base k, packed: `count` digits, the least significant in the lowest bits.
 * Where k is a power of two they are the number itself. */
uint64_t fl_tree_pack(const fl_tree *tree, uint64_t number, unsigned count);
/* The inverse: the number from its packed digits. */
uint64_t fl_tree_unpack(const fl_tree *tree, uint64_t digits, unsigned count);

/* The hop through a port of a node or switch. False, with nothing set, if nothing is plugged in. */
bool fl_tree_step_of(const fl_network *, fl_address from, fl_port port, fl_hop *out);
FL_FAMILY_DECLARE(fl_tree_);

/* All of these, in an entry of the table of networks. */
#define FL_TREE_FUNCTIONS FL_FAMILY_FUNCTIONS(fl_tree_), .step = fl_tree_step_of

/* `<field,...,digits>`: `fields` small numbers, then `count` digits base k, most significant
 * first, side by side up to k = 10 and joined by dots above. */
void fl_tree_print_label(const fl_tree *, const unsigned *fields, unsigned field_count,
                         fl_address digits, unsigned count, char *out, size_t size);
/* Reads the fields and digits back; false unless the whole text has that form. */
bool fl_tree_scan_label(const fl_tree *, const char *label, unsigned *fields, unsigned *field_count,
                        unsigned char field_max, fl_address *digits, unsigned *digit_count);

#endif
