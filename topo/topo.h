/* topo: interconnection networks.
 *
 * A network is immutable, shared by threads and, wherever its addressing allows, never stored:
 * neighbours, links and labels are computed from addresses. Vertices are nodes (compute nodes,
 * hosts) and switches. Every path length of this project counts links, node links included.
 *
 * Names of things:
 *   index    0..count-1, dense: nodes, switches and links each have their own
 *   address  a vertex as routing sees it: its label packed into 64 bits
 *   code     a link as fault orders see it: cheap to compute from address and port; codes are
 *            unique and below link_codes, but not dense
 *   port     0..radix-1 at a switch; 0..node_ports-1 at a node, in most families 0 alone
 *
 * Nodes forward nothing: a path leads from one node through switches to another. */
#ifndef FL_TOPO_H
#define FL_TOPO_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t fl_address;
typedef uint64_t fl_link;
typedef uint16_t fl_port;

typedef struct fl_network fl_network;

/* ---- addresses of trees ---------------------------------------------------- */

/* Digits in the low 48 bits (`bits` each, least significant digit first), then the level, the
 * group and the mark of a node. Shifts and masks instead of divisions: routing reads digits
 * all the time. */
enum { FL_ADDRESS_LEVEL_SHIFT = 48, FL_ADDRESS_GROUP_SHIFT = 56, FL_ADDRESS_NODE_SHIFT = 63 };
#define FL_ADDRESS_DIGITS ((UINT64_C(1) << FL_ADDRESS_LEVEL_SHIFT) - 1)

/* The arithmetic of k-ary n-trees and mirrored ones, for the routers of trees.
 * Switch <G, L, D>: up from level L changes D_L, down from level L changes D_{L-1}; in a
 * mirrored tree the top level's up ports cross to the other group (MiKANT paper, section II). */
typedef struct fl_tree {
    unsigned k;           /* arity: ports down and ports up of a switch */
    unsigned n;           /* digits of a node; a switch has n - 1 */
    unsigned bits;        /* bits per digit */
    unsigned top;         /* highest level */
    unsigned groups;      /* 2 if mirrored, else 1 */
    unsigned node_shift;  /* of the highest digit of a node */
    unsigned stage_shift; /* of the stage in a link code */
    unsigned cross_stage; /* stage of the cross links, if mirrored */
    bool mirrored;
    uint64_t digit_mask;  /* one digit */
    uint64_t switch_mask; /* the n - 1 digits of a switch */
} fl_tree;

FL_INLINE bool fl_address_is_node(fl_address a)
{
    return a >> FL_ADDRESS_NODE_SHIFT;
}
FL_INLINE unsigned fl_tree_level(fl_address a)
{
    return (unsigned)(a >> FL_ADDRESS_LEVEL_SHIFT) & 0xff;
}
FL_INLINE unsigned fl_tree_group(fl_address a)
{
    return (unsigned)(a >> FL_ADDRESS_GROUP_SHIFT) & 1;
}
FL_INLINE unsigned fl_tree_digit(const fl_tree *tree, fl_address a, unsigned place)
{
    return (unsigned)((a >> (place * tree->bits)) & tree->digit_mask);
}

FL_INLINE fl_address fl_tree_switch_at(unsigned group, unsigned level, uint64_t digits)
{
    return (uint64_t)group << FL_ADDRESS_GROUP_SHIFT | (uint64_t)level << FL_ADDRESS_LEVEL_SHIFT |
           digits;
}

FL_INLINE fl_address fl_tree_node_at(unsigned group, uint64_t digits)
{
    return UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | (uint64_t)group << FL_ADDRESS_GROUP_SHIFT |
           digits;
}

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

/* Where a port leads. */
typedef struct fl_hop {
    fl_address to;
    fl_link link;
} fl_hop;

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

/* ---- networks --------------------------------------------------------------- */

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

/* A parameter is a whole number, or one of a few words. Required, unless it is optional: then it
 * has a fallback, or is FL_NOT_GIVEN until `create` fills it in. */
#define FL_NOT_GIVEN UINT64_MAX

typedef struct fl_parameter {
    const char *name, *summary;
    uint64_t least, most;
    const char *const *choices; /* NULL, or words (ended by NULL); the value is the word's number */
    bool optional;
    uint64_t fallback;
} fl_parameter;

enum { FL_PARAMETERS_MAX = 6, FL_LABEL_MAX = 256 };

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

    bool (*step)(const fl_network *, fl_address from, fl_port port,
                 fl_hop *out); /* false: nothing plugged in */
    fl_address (*node_address)(const fl_network *, uint64_t index);
    uint64_t (*node_index)(const fl_network *, fl_address);
    fl_address (*switch_address)(const fl_network *, uint64_t index);
    uint64_t (*switch_index)(const fl_network *, fl_address);
    fl_link (*link_code)(const fl_network *, uint64_t index);
    uint64_t (*link_index)(const fl_network *, fl_link);
    void (*link_ends)(const fl_network *, fl_link, fl_link_ends *out);
    unsigned (*link_class)(const fl_network *, fl_link); /* 0..classes-1; 0 = node links */
    uint64_t (*class_size)(const fl_network *, unsigned link_class); /* links of it */
    void (*class_name)(const fl_network *, unsigned link_class, char *out, size_t size);
    /* Where a switch stands in a drawing, in units of the distance between neighbours, y growing
     * downwards. NULL, or x = NAN for every switch of a network: by its distance from the nodes, or
     * on a circle. */
    void (*place)(const fl_network *, fl_address, double *x, double *y);
    void (*label)(const fl_network *, fl_address, char *out,
                  size_t size); /* as the source writes it */
    bool (*parse_label)(const fl_network *, const char *label, fl_address *out);
    void (*closed_forms)(const fl_network *, fl_closed_forms *out);

    /* What the source prints, where that is not the closed form; NULL if it is. */
    void (*published)(const fl_network *, fl_closed_forms *out);
    /* Of switches that an automorphism maps on each other (nodes on nodes), always the same one;
     * switch indices. It saves searches (fl_metrics, fl_reliability_all_pairs). NULL: nothing is
     * known. */
    uint64_t (*representative)(const fl_network *, uint64_t switch_index);
} fl_network_type;

/* ---- shapes -------------------------------------------------------------------- */

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

struct fl_network {
    const fl_network_type *type;
    bool (*step)(const fl_network *, fl_address from, fl_port port, fl_hop *out); /* = type->step */
    char spec[192];                     /* canonical spec string */
    uint64_t values[FL_PARAMETERS_MAX]; /* in the order of type->parameters */
    uint64_t nodes, switches, links;
    uint64_t link_codes; /* every link code is below this */
    unsigned radix;      /* ports of a switch; of the one with the most, where they differ */
    unsigned node_ports; /* ports of a node; of the one with the most, where they differ; 1 unless
                            create says more */
    unsigned classes;    /* link classes */
    uint64_t content;    /* hash (fl_text_hash) of the file that create read it from; 0: of none */
    double bytes_a_switch; /* what fl_network_create_for was given */
    bool one_way;          /* some links carry one way only: no step back over them */
    const fl_tree *tree;   /* NULL when it is not one of the trees above */
    fl_tree tree_storage;
    fl_family family;
    void *shape; /* of this family, or NULL; the type's destroy frees it */
};

/* All families, ended by NULL: those of the table in network.c, then those of plug-ins. */
enum { FL_NETWORK_TYPES_MAX = 64 };
extern const fl_network_type *const *const fl_network_types;

/* For the loader of plug-ins (routing/plugin.h), before any network is made: may these entries
 * (ended by NULL) be added, and adding them. `origin` names in messages where they come from, and
 * stays. Networks of added families are checked when they are made (fl_network_check), up to
 * FL_NETWORK_CHECKED_MAX links. FL_ERR_INVALID names the entry and what is wrong with it. */
enum { FL_NETWORK_CHECKED_MAX = 200000 };
fl_status fl_network_types_check(const fl_network_type *const *types, fl_error *error);
void fl_network_types_add(const fl_network_type *const *types, const char *origin);
const char *fl_network_type_origin(const fl_network_type *type); /* NULL: of the table */

/* Makes a network from `name:parameter=value,...`. FL_ERR_INVALID names the offending part. */
fl_status fl_network_create(fl_network **out, const char *spec, fl_error *error);
/* The same for a caller that will take bytes_a_switch bytes of memory for each switch: a network
 * that has to be stored is refused at once (FL_ERR_INVALID) where the two together cannot fit. */
fl_status fl_network_create_for(fl_network **out, const char *spec, double bytes_a_switch,
                                fl_error *error);
void fl_network_destroy(fl_network *network);

/* For create: the text behind the parameters, as it was given, and putting another in its place,
 * after which the spec string is written anew. False: there is no room for it. */
const char *fl_network_text(const fl_network *network);
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

/* Class number of a class name; the error lists the names. */
fl_status fl_network_parse_class(const fl_network *network, const char *name, unsigned *out,
                                 fl_error *error);

/* ---- explicit graphs ----------------------------------------------------------- */

/* Compressed sparse rows. Vertices: nodes first, then switches. Neighbours of v stand at
 * offsets[v]..offsets[v+1]-1, in the order of ports. */
typedef struct fl_graph {
    uint64_t vertices, nodes;
    uint64_t ends_only; /* vertices below forward nothing: paths begin and end there; of a network's
                           graph its nodes */
    uint64_t *offsets;  /* vertices + 1 */
    uint32_t *targets;
    uint32_t *links; /* link index of each entry */
} fl_graph;
fl_status fl_graph_create(fl_graph **out, const fl_network *network, fl_error *error);
void fl_graph_destroy(fl_graph *graph);

/* Breadth-first distances in links from `start`; UINT32_MAX where unreachable. `queue` has
 * room for all vertices. Returns how many vertices were reached, start included. */
uint64_t fl_graph_distances(const fl_graph *graph, uint64_t start, uint32_t *distance,
                            uint32_t *queue);

/* ---- measured properties ---------------------------------------------------------- */

enum {
    FL_METRICS_DISTANCES = 1,
    FL_METRICS_PATHS = 2,
    FL_METRICS_CONNECTIVITY = 4,
    FL_METRICS_BISECTION = 8
};

typedef struct fl_metrics_options {
    unsigned wanted;   /* FL_METRICS_...; 0: all of them */
    bool every_source; /* search from every switch with nodes, not only from one of those that are
                          alike */
    unsigned seeds; /* of the bisection: starts of each kind, and at most so many annealings; 0: as
                     * many as are quick, 64 at most */
    uint64_t seed;
    bool (*should_stop)(void *user); /* NULL, or asked now and then; true: FL_ERR_STOPPED */
    void *user;
} fl_metrics_options;

/* Distances count links from node to node. What was not worked out is 0 searches, a NAN or -1. With
 * nodes of several ports a search starts at a node, not at a switch, and of what follows two things
 * mean something else or nothing. */
typedef struct fl_metrics {
    uint64_t homes;    /* switches with nodes */
    uint64_t searches; /* of which so many were searched from; the others are alike
                          (fl_network_type.representative) */
    uint32_t diameter;
    uint64_t distance_sum;   /* over unordered pairs of different nodes */
    uint64_t pairs;          /* such pairs */
    uint64_t table_entries;  /* of routing tables in switches: for each of them, the nodes that it
                                can send to */
    double average_distance; /* over these pairs: h-ASPL */
    double average_distance_with_self; /* over ordered pairs, those of a node with itself (at
                                          distance 0) included */
    double path_diversity;   /* mean number of shortest paths over ordered pairs of switches with
                              * nodes, self pairs   counting 0, divided by the number of nodes (Wang
                              * thesis, 3.3); NAN with nodes of several ports */
    int64_t bisection_width; /* of the best partition found: an upper bound */
    char bisection_method[128];
    int64_t edge_connectivity; /* least number of links whose loss parts two switches with nodes, in
                                * one direction or both; with nodes of several ports, two nodes */
} fl_metrics;

/* What fl_metrics_compute takes for each switch, at least: for fl_network_create_for. */
extern const double fl_metrics_bytes_a_switch;

/* FL_ERR_INVALID when the network is too large to be stored as a graph, or not connected. */
fl_status fl_metrics_compute(fl_metrics *out, const fl_network *network,
                             const fl_metrics_options *options, fl_error *error);

/* ---- two-terminal reliability ----------------------------------------------------- */

/* What no router can beat: the probability that some path between two vertices survives when
 * exactly f of the L links are down, every set of f links being equally likely. Exact: no
 * sampling, by the frontier method (Hardy, Lucet, Limnios, "K-terminal network reliability
 * measures with binary decision diagrams", 2007), with states merged that a symmetry of the
 * remaining network maps to each other.
 *
 * Arithmetic: connecting sets of links are counted in long double, by additions and
 * multiplications of non-negative numbers only, and divided by C(L, f) at the end. Let
 * e = LDBL_EPSILON / 2 (2^-64 where a long double has 64 bits of mantissa). Counts up to 1/e are
 * exact. Every probability is the true one times at most r factors between 1 - e and 1 + e,
 * r being the longest chain of roundings, which is counted along. Hence 0 is a true 0, a
 * connected pair has exactly 1 at f = 0, and the relative error is at most r e / (1 - r e), which
 * the report gives. r is at most 6 L + 8 where no links are in series or parallel, else at most L
 * (16 + 2 log2 L); an average adds 3 and the number of its terms. MiKANT(3,3): 1.8e-17.
 *
 * Time and memory follow the number of states, which grows exponentially with the width of
 * the network: a second and some MB for all pairs of MiKANT(3,3), MiKANT(2,4) and the k-ary
 * trees (4,3) and (2,5). MiKANT(4,3), (3,4) and (2,5) and the k-ary trees (5,3), (3,4) and (2,6)
 * exceed the default memory limit. */

/* Bytes in use at a time for states and polynomials, unless asked otherwise. */
#define FL_RELIABILITY_MEMORY (UINT64_C(4) << 30)

typedef struct fl_reliability_options {
    uint64_t memory_limit; /* bytes; 0: FL_RELIABILITY_MEMORY */
    /* NULL, or called now and then; false stops. `done` goes back when an order of links turned
     * out bad and another is tried. */
    bool (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
} fl_reliability_options;

typedef struct fl_reliability_report {
    uint64_t pairs;        /* of vertices, computed */
    uint64_t links;        /* left after reductions, of the largest pair */
    uint64_t states;       /* of all diagrams together */
    unsigned width;        /* widest frontier */
    uint64_t memory;       /* bytes in use at a time at most, for states and polynomials */
    uint64_t roundings;    /* r above, the largest */
    double relative_error; /* bound of every probability's relative error */
} fl_reliability_report;

/* connected[f], f = 0..L: the probability that `source` and `target` are connected when f links
 * are down. Vertices as the graph counts them: nodes first. `options` and `report` may be NULL.
 * FL_ERR_STOPPED when progress said so, or when memory_limit was reached: the text names it and
 * what would have been needed; FL_ERR_INVALID for equal or unknown vertices and for graphs of so
 * many links that their counts exceed a long double (LDBL_MAX_EXP - 2, 16382 as a rule). */
fl_status fl_reliability(long double *connected, fl_reliability_report *report,
                         const fl_graph *graph, uint64_t source, uint64_t target,
                         const fl_reliability_options *options, fl_error *error);

/* The same averaged over all ordered pairs of different nodes. Visits one pair of each class
 * (fl_pair_classes), or of each pair of switches when there are none, from one source of those that
 * are alike. */
fl_status fl_reliability_all_pairs(long double *connected, fl_reliability_report *report,
                                   const fl_network *network, const fl_reliability_options *options,
                                   fl_error *error);

/* Mean length of the shortest path that survives, in links, over the ordered pairs of different
 * nodes and the sets of exactly f links down that leave them connected.
 *
 * The network is exposed breadth first from both ends of each pair, and equal states meet
 * (analysis/reliability/exposure.h). Sums and products of non-negative numbers in long double, as
 * above; one quotient at the end. While all states fit, the lengths are exact. Beyond, the states
 * that matter least are left out. How many of their pairs are connected is known all the same,
 * namely those that the reliability counts and that were not found; how long their paths can be is
 * bounded state by state. */
#define FL_PATH_LENGTHS_STATES (UINT64_C(1) << 18)

typedef struct fl_path_lengths {
    long double *connected;  /* [L + 1] found connected: the reliability by other means when nothing
                                was left out */
    long double *low, *high; /* [L + 1] the mean length lies between; equal when nothing was left
                                out; 0: none is connected */
} fl_path_lengths;

typedef struct fl_path_lengths_options {
    uint64_t
        states_max; /* at a time, of at most 16 (L + 1) + 1 KB each; 0: FL_PATH_LENGTHS_STATES */
    const long double *connected; /* fl_reliability_all_pairs; NULL: nothing may be left out */
    /* NULL, or called now and then; false stops: the rest is left out. */
    bool (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
} fl_path_lengths_options;

typedef struct fl_path_lengths_report {
    uint64_t pairs;  /* of switches, started from in each pass; and of switches with themselves */
    uint64_t states; /* in all */
    size_t most_states;    /* at a time */
    uint64_t memory;       /* bytes in use at a time at most, for states */
    bool exact;            /* nothing was left out */
    double relative_error; /* bound of every result's */
} fl_path_lengths_report;

/* `options` and `report` may be NULL. FL_ERR_STOPPED when progress said so, and without
 * options->connected when there are more states than options->states_max. FL_ERR_INVALID for more
 * than 64 switches, nodes with other than one link to a switch, links that carry one way only, and
 * several links between two switches. */
fl_status fl_path_lengths_all_pairs(fl_path_lengths *out, fl_path_lengths_report *report,
                                    const fl_network *network,
                                    const fl_path_lengths_options *options, fl_error *error);

/* Ordered pairs of nodes that automorphisms of the network map to each other. */
typedef struct fl_pair_class {
    uint64_t source, target; /* node indices of one of them */
    uint64_t pairs;          /* how many there are */
} fl_pair_class;
enum { FL_PAIR_CLASSES_MAX = 64 };

/* k-ary n-trees, mirrored ones and Clos networks: writes the classes and returns how many; 0 for
 * others. The first is the pairs on one switch. */
unsigned fl_pair_classes(const fl_network *network, fl_pair_class *out);

#ifdef __cplusplus
}
#endif
#endif
