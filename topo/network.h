/* Networks: their types, making one, walking it, and names in texts. */
#ifndef FL_TOPO_NETWORK_H
#define FL_TOPO_NETWORK_H

#include "topo/shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fl_link_ends {
    fl_address a, b; /* a is the end nearer to the nodes, or that of group 0 for a cross link */
    fl_port port_a, port_b;
} fl_link_ends;

/* What the source states about a network as a formula of its parameters. NAN: not stated. */
typedef struct fl_closed_forms {
    double nodes, switches, links, radix, diameter;
    double average_distance_with_self; /* the node itself counts, at distance 0 */
    double bisection_width;            /* even k only */
    double path_diversity;             /* 0, too: not stated */
    double node_table_entries; /* of routing tables in nodes, which must choose a port; 0, too: none
                                  are needed */
} fl_closed_forms;

/* A parameter is a whole number, a decimal number, or one of a few words. Required, unless it is
 * optional: then it has a fallback, or is FL_NOT_GIVEN until `create` fills it in. */
#define FL_NOT_GIVEN UINT64_MAX

typedef struct fl_parameter {
    const char *name, *summary;
    uint64_t least, most;
    const char *const *choices; /* NULL, or words (ended by NULL); the value is the word's number */
    bool optional;
    uint64_t fallback;
    unsigned decimals; /* 0: a whole number. Else a decimal number with at most this number of
                          places; value, least, most and fallback are in units of the last place */
} fl_parameter;

enum { FL_PARAMETERS_MAX = 8, FL_PARAMETER_DECIMALS_MAX = 9, FL_LABEL_MAX = 256 };

/* Writes the value of a parameter as it stands in a spec: a number or a word. Returns the length,
 * as snprintf does. */
int fl_parameter_print(const fl_parameter *parameter, uint64_t value, char *out, size_t size);

/* One entry describes a family of networks: parsing, help and tests are driven by it. */
typedef struct fl_network_type {
    const char *name;    /* as in a spec string: `mikant` of `mikant:k=3,n=3` */
    const char *summary; /* one line */
    const char *source;
    fl_parameter parameters[FL_PARAMETERS_MAX]; /* ended by a NULL name */
    /* NULL, or what stands after the colon instead of parameters (`PATH`), or behind them: then
     * `name=` and what is meant, and it takes all the rest. create finds it with fl_network_text.
     */
    const char *text;
    /* `values` are those of network->values, which it may still change. */
    fl_status (*create)(fl_network *network, const uint64_t *values, fl_error *error);
    void (*destroy)(fl_network *network); /* NULL if nothing is owned */

    /* The hop through a port of a node or switch. False, with nothing set, if nothing is plugged
     * in.
     */
    bool (*step)(const fl_network *, fl_address from, fl_port port, fl_hop *out);
    /* Addresses of nodes and switches from indices below network->nodes and network->switches, and
     * codes of links from indices below network->links; each with its inverse. */
    fl_address (*node_address)(const fl_network *, uint64_t index);
    uint64_t (*node_index)(const fl_network *, fl_address);
    fl_address (*switch_address)(const fl_network *, uint64_t index);
    uint64_t (*switch_index)(const fl_network *, fl_address);
    fl_link (*link_code)(const fl_network *, uint64_t index);
    uint64_t (*link_index)(const fl_network *, fl_link);
    /* The two ends of a link, with their ports. */
    void (*link_ends)(const fl_network *, fl_link, fl_link_ends *out);
    unsigned (*link_class)(const fl_network *, fl_link); /* 0..classes-1; 0 = node links */
    uint64_t (*class_size)(const fl_network *, unsigned link_class); /* links of it */
    /* Writes the name of a class, cut to `size` bytes. */
    void (*class_name)(const fl_network *, unsigned link_class, char *out, size_t size);
    /* Where a switch stands in a drawing, in units of the distance between neighbours, y growing
     * downwards. NULL, or x = NAN for every switch of a network: by its distance from the nodes, or
     * on a circle. */
    void (*place)(const fl_network *, fl_address, double *x, double *y);
    /* Writes the label of a node or switch as the source does, cut to `size` bytes; and reads it
     * back: false if it is none of this network. */
    void (*label)(const fl_network *, fl_address, char *out, size_t size);
    bool (*parse_label)(const fl_network *, const char *label, fl_address *out);
    /* Fills in what formulas give; NAN for the rest. */
    void (*closed_forms)(const fl_network *, fl_closed_forms *out);

    /* What the family offers to routing (shapes.h), each NULL where there is nothing to offer.
     * `rank`: a link's place in an order in which links of base routing only rise, on a path to
     * `destination`; NULL: up level by level, across, down level by level. */
    const fl_stages *stages;
    unsigned (*rank)(const fl_network *, fl_address from, fl_address to, fl_address destination);

    /* What the source prints, where that is not the closed form; NULL if it is. */
    void (*published)(const fl_network *, fl_closed_forms *out);
    /* Of switches that an automorphism maps on each other (nodes on nodes), always the same one;
     * switch indices. It saves searches (fl_metrics, fl_reliability_all_pairs). NULL: nothing is
     * known. */
    uint64_t (*representative)(const fl_network *, uint64_t switch_index);
} fl_network_type;

struct fl_network {
    const fl_network_type *type;
    bool (*step)(const fl_network *, fl_address from, fl_port port, fl_hop *out); /* = type->step */
    char spec[192];                     /* canonical spec string */
    uint64_t values[FL_PARAMETERS_MAX]; /* in the order of type->parameters */
    uint64_t nodes, switches, links;
    uint64_t link_codes; /* every link code is below this */
    unsigned radix;      /* ports of a switch; of the one with the most, where they differ */
    unsigned node_ports; /* ports of a node; of the one with the most, where they differ; 1 unless
                            create sets more */
    unsigned classes;    /* link classes */
    uint64_t content;    /* hash (fl_text_hash) of the file that create read it from; 0: of none */
    double bytes_a_switch; /* what fl_network_create_for was given */
    bool one_way;          /* some links carry one way only: no step back over them */
    /* What routing may know of it (shapes.h); NULL or 0: it offers no such thing. What is pointed
     * to may be part of `shape`, or tree_storage. */
    const fl_tree *tree;      /* it is a k-ary n-tree or a mirrored one (fl_tree_step) */
    const fl_tree *levels;    /* levels and digits of its stages; those of `tree` */
    const fl_tree *pair_tree; /* any two pairs of nodes are alike whose switches differ in the same
                                 highest digit of this tree (analysis/reliability) */
    const fl_grid *grid;
    const fl_cubes *cubes;
    const fl_groups *groups;
    const char *no_detours; /* why no detour can be taken, where `levels` is not the reason */
    fl_tree tree_storage;
    void *shape; /* the type's own, or NULL; its `destroy` frees it */
};

/* All families, ended by NULL: those of the table in network.c, then those of plug-ins. */
enum { FL_NETWORK_TYPES_MAX = 64 };
extern const fl_network_type *const *const fl_network_types;

/* For the loader of plug-ins (routing/plugin.h), before any network is made: may these entries
 * (ended by NULL) be added? `origin` names in messages where they come from, and stays. Networks of
 * added families are checked when they are made (fl_network_check), up to FL_NETWORK_CHECKED_MAX
 * links. FL_ERR_INVALID names the entry and what is wrong with it. */
enum { FL_NETWORK_CHECKED_MAX = 200000 };
fl_status fl_network_types_check(const fl_network_type *const *types, fl_error *error);

/* Adds entries that have passed the check. */
void fl_network_types_add(const fl_network_type *const *types, const char *origin);

/* The origin of an entry that was added; NULL: it is in the table. */
const char *fl_network_type_origin(const fl_network_type *type);

/* Makes a network from `name:parameter=value,...`. FL_ERR_INVALID names the offending part. */
fl_status fl_network_create(fl_network **out, const char *spec, fl_error *error);

/* The same for a caller that will take bytes_a_switch bytes of memory for each switch: a network
 * that has to be stored is refused at once (FL_ERR_INVALID) where the two together cannot fit. */
fl_status fl_network_create_for(fl_network **out, const char *spec, double bytes_a_switch,
                                fl_error *error);

/* Frees a network; NULL is allowed. */
void fl_network_destroy(fl_network *network);

/* For create: the text behind the parameters, as it was given. */
const char *fl_network_text(const fl_network *network);

/* For create: puts another text in its place and writes the spec string anew. False: there is no
 * room for it. */
bool fl_network_set_text(fl_network *network, const char *text);

/* Trees are stepped in line: on MiKANT(3,3) a sweep through the pointer alone takes 3 to 8%
 * longer. */
FL_INLINE bool fl_network_step(const fl_network *network, fl_address from, fl_port port,
                               fl_hop *out)
{
    if (FL_LIKELY(network->tree != NULL))
        return fl_tree_step(network->tree, from, port, out);
    return network->step(network, from, port, out);
}

/* Walks every vertex and link and checks degrees, link count, symmetry of adjacency, that
 * labels, indices and codes round-trip, connectivity, and the closed forms of the counts.
 * Time and memory proportional to the size. FL_ERR_INVALID with what is wrong. */
fl_status fl_network_check(const fl_network *network, fl_error *error);

/* A node from its label, or from its index. */
fl_status fl_network_parse_node(const fl_network *network, const char *text, fl_address *out,
                                fl_error *error);

/* A link from two labels `A B` or `A-B`, or from an index; where several join the two, from an
 * index only. */
fl_status fl_network_parse_link(const fl_network *network, const char *text, fl_link *out,
                                fl_error *error);

/* A link so that fl_network_parse_link reads it: `A-B`, or its index where several join the two. */
void fl_network_append_link(const fl_network *network, fl_link link, fl_text *out);

/* A link as a member of JSON: {"link": its index, "a": a label, "b": a label}. */
void fl_network_json_link(const fl_network *network, const char *key, fl_link link,
                          fl_json_writer *out);

/* Class number of a class name; the error lists the names. */
fl_status fl_network_parse_class(const fl_network *network, const char *name, unsigned *out,
                                 fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
