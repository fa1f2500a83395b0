/* Private to topo: networks whose switches are vectors of digits and whose neighbours differ in
 * one digit. See fl_grid (shapes.h). */
#ifndef FL_TOPO_DIRECT_GRID_H
#define FL_TOPO_DIRECT_GRID_H

#include "topo/topo.h"

/* Fills counts, shape and tree_storage (the digits' arithmetic). Of the k^n p nodes only the
 * first `nodes` are there (FL_NOT_GIVEN: all). FL_ERR_INVALID when an address would not fit. */
fl_status fl_grid_setup(fl_network *network, fl_line line, unsigned k, unsigned n, unsigned p,
                        uint64_t nodes, fl_error *error);
void fl_grid_destroy(fl_network *network);

bool fl_grid_step(const fl_network *, fl_address from, fl_port port, fl_hop *out);
fl_address fl_grid_node_address(const fl_network *, uint64_t index);
uint64_t fl_grid_node_index(const fl_network *, fl_address);
fl_address fl_grid_switch_address(const fl_network *, uint64_t index);
uint64_t fl_grid_switch_index(const fl_network *, fl_address);
fl_link fl_grid_link_code(const fl_network *, uint64_t index);
uint64_t fl_grid_link_index(const fl_network *, fl_link);
void fl_grid_link_ends(const fl_network *, fl_link, fl_link_ends *out);
unsigned fl_grid_link_class(const fl_network *, fl_link);
uint64_t fl_grid_class_size(const fl_network *, unsigned link_class);
void fl_grid_class_name(const fl_network *, unsigned link_class, char *out, size_t size);
void fl_grid_label(const fl_network *, fl_address, char *out, size_t size);
bool fl_grid_parse_label(const fl_network *, const char *label, fl_address *out);
void fl_grid_closed_forms(const fl_network *, fl_closed_forms *out);
uint64_t fl_grid_representative(const fl_network *, uint64_t switch_index);
void fl_grid_place(const fl_network *, fl_address, double *x, double *y);

unsigned fl_grid_rank(const fl_network *, fl_address from, fl_address to, fl_address destination);

/* The functions of a type that is a grid. */
#define FL_GRID_FUNCTIONS                                                                         \
    .destroy = fl_grid_destroy, .step = fl_grid_step, .node_address = fl_grid_node_address,       \
    .node_index = fl_grid_node_index, .switch_address = fl_grid_switch_address,                   \
    .switch_index = fl_grid_switch_index, .link_code = fl_grid_link_code,                         \
    .link_index = fl_grid_link_index, .link_ends = fl_grid_link_ends,                             \
    .link_class = fl_grid_link_class, .class_size = fl_grid_class_size,                           \
    .class_name = fl_grid_class_name, .label = fl_grid_label, .parse_label = fl_grid_parse_label, \
    .closed_forms = fl_grid_closed_forms, .representative = fl_grid_representative,               \
    .place = fl_grid_place, .rank = fl_grid_rank

#endif
