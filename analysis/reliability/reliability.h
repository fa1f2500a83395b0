/* What no router can beat: two-terminal reliability. */
#ifndef FL_ANALYSIS_RELIABILITY_RELIABILITY_H
#define FL_ANALYSIS_RELIABILITY_RELIABILITY_H

#include "topo/topo.h"

#ifdef __cplusplus
extern "C" {
#endif

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
