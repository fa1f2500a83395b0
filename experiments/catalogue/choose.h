/* Choosing a network for a number of nodes. */
#ifndef FL_EXPERIMENTS_CATALOGUE_CHOOSE_H
#define FL_EXPERIMENTS_CATALOGUE_CHOOSE_H

#include "topo/topo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Networks of about a given number of nodes, from their closed forms; nothing is stored, so that a
 * million nodes cost nothing. (Small dragonflies, which have no closed form of the average
 * distance, are searched.) Of those of a family that differ in k alone, the one nearest to the
 * number of nodes. Families: k-ary n-trees, bidirectional Clos, MiKANT, CAT, MiCAT, thin trees with
 * up = k/2, three-layer fat trees, mesh, torus, hypercube, flattened butterfly (p = k), KNS with
 * crossbars and with fat trees of 2 or 3 stages, balanced dragonflies. */
typedef enum fl_candidate_order {
    FL_CANDIDATE_RCP,
    FL_CANDIDATE_COST,
    FL_CANDIDATE_DISTANCE,
    FL_CANDIDATE_FAULTS,
    FL_CANDIDATE_RADIX,
    FL_CANDIDATE_NODES, /* nearest to the number asked for */
    FL_CANDIDATE_ORDERS
} fl_candidate_order;
extern const char *const fl_candidate_orders[FL_CANDIDATE_ORDERS + 1]; /* rcp, ...; ended by NULL */

typedef struct fl_candidate_options {
    uint64_t nodes;     /* 2 .. FL_CANDIDATE_NODES_MAX */
    double within;      /* percent by which the number of nodes may differ; 0..50 */
    unsigned radix_max; /* 0: any */
    fl_candidate_order order;
} fl_candidate_options;
#define FL_CANDIDATE_NODES_MAX UINT64_C(100000000)
#define FL_CANDIDATE_SEARCHED  50000

typedef struct fl_proposal {
    char spec[192];
    uint64_t nodes, switches, links;
    unsigned radix;
    double diameter; /* in links, node links included */
    /* Radix times diameter over (m + 1)(m + 2) of a hypercube of m = log2(nodes) dimensions (MiKANT
     * paper, (7), and Wang thesis, 3.2, with p = 1 node at a switch of the hypercube). Below 1 is
     * better than the hypercube. */
    double rcp;
    double ports_per_node;   /* the cost: ports of all switches, used or not */
    double average_distance; /* over pairs of different nodes; NAN: there is no closed form, and
                                FL_CANDIDATE_SEARCHED links are exceeded */
    unsigned faults;         /* any faults of this number of links between switches leave all nodes
                                connected: the least degree of a switch with nodes, less 1 (what
                                maximum flow gives on all instances of the tests) */
    bool dominated; /* another has no more radix, ports a node and distance, no fewer faults, and
                       one of them better */
} fl_proposal;

typedef struct fl_candidates {
    fl_candidate_options options;
    fl_proposal *of; /* in the order asked for */
    size_t count;
    size_t
        recommended; /* the lowest RCP of those that tolerate a fault; count when there is none */
    size_t cheapest, shortest, safest; /* of the same */
} fl_candidates;

/* FL_ERR_INVALID: a bad option. No network at all is no error: count is 0. */
fl_status fl_candidates_create(fl_candidates **out, const fl_candidate_options *options,
                               fl_error *error);
void fl_candidates_destroy(fl_candidates *choices);
void fl_candidates_text(const fl_candidates *choices, fl_text *out);
void fl_candidates_json(const fl_candidates *choices, fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
