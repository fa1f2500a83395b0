/* Private to topo: the functions about indices and links that every family has, in one list. */
#ifndef FL_TOPO_FAMILY_H
#define FL_TOPO_FAMILY_H

#include "topo/topo.h"

/* Declares those of several families, fl_tree_node_address and so on for
 * FL_FAMILY_DECLARE(fl_tree_); what each of them does is with fl_network_type. */
#define FL_FAMILY_DECLARE(prefix)                                           \
    fl_address prefix##node_address(const fl_network *, uint64_t index);    \
    uint64_t prefix##node_index(const fl_network *, fl_address);            \
    fl_address prefix##switch_address(const fl_network *, uint64_t index);  \
    uint64_t prefix##switch_index(const fl_network *, fl_address);          \
    fl_link prefix##link_code(const fl_network *, uint64_t index);          \
    uint64_t prefix##link_index(const fl_network *, fl_link);               \
    void prefix##link_ends(const fl_network *, fl_link, fl_link_ends *out); \
    unsigned prefix##link_class(const fl_network *, fl_link);               \
    uint64_t prefix##class_size(const fl_network *, unsigned link_class);   \
    void prefix##class_name(const fl_network *, unsigned link_class, char *out, size_t size)

/* The step and the labels of one. */
#define FL_FAMILY_DECLARE_LABELS(prefix)                                               \
    bool prefix##step(const fl_network *, fl_address from, fl_port port, fl_hop *out); \
    void prefix##label(const fl_network *, fl_address, char *out, size_t size);        \
    bool prefix##parse_label(const fl_network *, const char *label, fl_address *out)

/* Enters them in a type; without a prefix, those of one file: node_address and so on. */
#define FL_FAMILY_FUNCTIONS(prefix)                                                 \
    .node_address = prefix##node_address, .node_index = prefix##node_index,         \
    .switch_address = prefix##switch_address, .switch_index = prefix##switch_index, \
    .link_code = prefix##link_code, .link_index = prefix##link_index,               \
    .link_ends = prefix##link_ends, .link_class = prefix##link_class,               \
    .class_size = prefix##class_size, .class_name = prefix##class_name

#define FL_FAMILY_LABELS(prefix) \
    .step = prefix##step, .label = prefix##label, .parse_label = prefix##parse_label

#endif
