/* Private to topo: what CAT and MiCAT share: a tree whose leaf switches are corners of cubes. */
#ifndef FL_TOPO_TREES_CUBES_H
#define FL_TOPO_TREES_CUBES_H

#include "topo/trees/tree_like.h"

fl_status fl_cubes_setup(fl_network *network, unsigned k, unsigned n, bool mirrored,
                         fl_error *error);
void fl_cubes_destroy(fl_network *network);
bool fl_cubes_step(const fl_network *, fl_address from, fl_port port, fl_hop *out);
fl_address fl_cubes_node_address(const fl_network *, uint64_t index);
uint64_t fl_cubes_node_index(const fl_network *, fl_address);
fl_address fl_cubes_switch_address(const fl_network *, uint64_t index);
uint64_t fl_cubes_switch_index(const fl_network *, fl_address);
fl_link fl_cubes_link_code(const fl_network *, uint64_t index);
uint64_t fl_cubes_link_index(const fl_network *, fl_link);
void fl_cubes_link_ends(const fl_network *, fl_link, fl_link_ends *out);
unsigned fl_cubes_link_class(const fl_network *, fl_link);
uint64_t fl_cubes_class_size(const fl_network *, unsigned link_class);
void fl_cubes_class_name(const fl_network *, unsigned link_class, char *out, size_t size);
void fl_cubes_label(const fl_network *, fl_address, char *out, size_t size);
bool fl_cubes_parse_label(const fl_network *, const char *label, fl_address *out);
uint64_t fl_cubes_representative(const fl_network *, uint64_t switch_index);
void fl_cubes_place(const fl_network *, fl_address, double *x, double *y);

unsigned fl_cubes_rank(const fl_network *, fl_address from, fl_address to, fl_address destination);

/* Mean distance of two corners other than 0...0, drawn independently, and of one to 0...0. */
double fl_cubes_mean_distance(double k);
double fl_cubes_mean_weight(double k);
/* The same for numbers of shortest paths, self pairs counting 0. */
double fl_cubes_mean_paths(unsigned k);
double fl_cubes_mean_paths_to_tree(unsigned k);

#define FL_CUBES_FUNCTIONS                                                                     \
    .destroy = fl_cubes_destroy, .step = fl_cubes_step, .node_address = fl_cubes_node_address, \
    .node_index = fl_cubes_node_index, .switch_address = fl_cubes_switch_address,              \
    .switch_index = fl_cubes_switch_index, .link_code = fl_cubes_link_code,                    \
    .link_index = fl_cubes_link_index, .link_ends = fl_cubes_link_ends,                        \
    .link_class = fl_cubes_link_class, .class_size = fl_cubes_class_size,                      \
    .class_name = fl_cubes_class_name, .label = fl_cubes_label,                                \
    .parse_label = fl_cubes_parse_label, .representative = fl_cubes_representative,            \
    .place = fl_cubes_place, .rank = fl_cubes_rank

#endif
