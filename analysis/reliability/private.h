/* Private to analysis: the parts of two-terminal reliability, in the order of their work.
 *
 *   reduce    the graph without what cannot matter, series and parallel links made one
 *   order     in which order the links are decided
 *   symmetry  states that the remaining links cannot distinguish get one name
 *   diagram   the decision diagram over the ordered links, level by level
 *   (reliability.c evaluates the diagram and picks the pairs) */
#ifndef FL_ANALYSIS_RELIABILITY_PRIVATE_H
#define FL_ANALYSIS_RELIABILITY_PRIVATE_H

#include "topo/topo.h"

/* ---- memory with a limit ---- */

typedef struct fl_budget {
    size_t limit, used, peak;
    size_t refused; /* what would have been in use, had the last request been granted; 0: none
                       refused */
} fl_budget;

/* NULL when the limit or the machine refuses. Sizes are handed back by the caller. */
void *fl_budget_take(fl_budget *budget, size_t count, size_t size);
void fl_budget_give_back(fl_budget *budget, void *memory, size_t count, size_t size);

/* ---- polynomials ---- */

/* at[i]: how many sets of i failed links there are. Never negative, so that sums and products
 * keep a small relative error: every coefficient carries at most `roundings` of them. */
typedef struct fl_polynomial {
    uint32_t size;
    uint64_t roundings;
    long double *at;
} fl_polynomial;

bool fl_polynomial_create(fl_polynomial *out, uint32_t size);
void fl_polynomial_destroy(fl_polynomial *polynomial);
/* sum += a * b; sum has room for it. */
void fl_polynomial_add_product(fl_polynomial *sum, const fl_polynomial *a, const fl_polynomial *b);
/* (1+z)^links, without multiplying. */
bool fl_polynomial_create_free_links(fl_polynomial *out, uint32_t links);

/* ---- reduce ---- */

/* A link of the reduced graph stands for `links` links of the network: `up` counts the sets of
 * failed ones that leave its ends connected, `down` the others. */
typedef struct fl_weight {
    uint32_t links;
    fl_polynomial up, down;
} fl_weight;

/* Connected sets = factor * (those of the reduced graph). */
typedef struct fl_reduced {
    bool connected;           /* false: no path even without faults, and nothing else is filled */
    uint32_t vertices, links; /* no links: the ends fell together */
    uint32_t source, target;
    uint32_t *ends;     /* [2 * links] */
    uint32_t *kind;     /* [links]: which weight */
    fl_weight *weights; /* all different; the first is that of a single link */
    uint32_t kinds;
    uint32_t *offsets; /* [vertices + 1]: links of a vertex stand at incident[offsets[v]].. */
    uint32_t *incident;
    fl_polynomial factor;
} fl_reduced;

fl_status fl_reduced_create(fl_reduced *out, const fl_graph *graph, uint32_t source,
                            uint32_t target, fl_error *error);
void fl_reduced_destroy(fl_reduced *reduced);

FL_INLINE uint32_t fl_reduced_other_end(const fl_reduced *reduced, uint32_t link, uint32_t vertex)
{
    return reduced->ends[2 * link] == vertex ? reduced->ends[2 * link + 1]
                                             : reduced->ends[2 * link];
}

/* ---- order ---- */

enum { FL_LINK_ORDERS = 4 };

/* Writes the candidate-th order of links, 0..FL_LINK_ORDERS-1; false when out of memory.
 * The earlier ones are expected to be better. */
bool fl_link_order(const fl_reduced *reduced, unsigned candidate, uint32_t *order);

/* ---- symmetry ---- */

enum { FL_FRONTIER_MAX = 192 };

/* What the links still to come see of a frontier: which permutations of its positions leave
 * them as they are. Given as a chain of stabilisers (Sims): the moves of position i keep the
 * positions before it and bring another one to i. */
typedef struct fl_symmetry {
    unsigned width;
    uint32_t moves, capacity;
    uint32_t first[FL_FRONTIER_MAX + 1]; /* moves of position i: first[i]..first[i+1]-1 */
    uint8_t *origin;                     /* [moves]: the position that is brought to i */
    uint8_t *image;                      /* [moves * width]: where each position goes */
    uint64_t *relation; /* [width * width]: a random number for each orbit of pairs */
} fl_symmetry;

typedef struct fl_symmetry_finder fl_symmetry_finder;
fl_symmetry_finder *fl_symmetry_finder_create(const fl_reduced *reduced, const uint32_t *order);
void fl_symmetry_finder_destroy(fl_symmetry_finder *finder);
/* The symmetry before the links order[level..] are decided; false when out of memory. */
bool fl_symmetry_find(fl_symmetry_finder *finder, uint32_t level, const uint32_t *frontier,
                      unsigned width, fl_symmetry *out);
void fl_symmetry_clear(fl_symmetry *symmetry);

/* Labels of blocks: 1 and 2 hold an end of the path each, higher ones neither. */
enum { FL_BLOCK_PLAIN = 3 };

/* Brings a state into its normal form: permutes it by a symmetry and numbers its blocks in
 * order of appearance. Equal results mean that the links still to come decide equally; the
 * converse is usual, not certain, and only costs size. */
void fl_symmetry_normalise(const fl_symmetry *symmetry, uint8_t *labels);

/* ---- diagram ---- */

#define FL_DIAGRAM_LOST      UINT32_MAX       /* the ends can no longer meet */
#define FL_DIAGRAM_CONNECTED (UINT32_MAX - 1) /* they have met */

typedef struct fl_diagram_level {
    uint32_t states;
    uint32_t
        *next; /* [2 * states]: where the link being up leads, then where its being down leads */
} fl_diagram_level;

typedef struct fl_diagram {
    uint32_t links;
    uint32_t level;  /* levels built */
    uint64_t states; /* of all levels */
    unsigned width;  /* widest frontier */
    uint32_t *order;
    fl_diagram_level *levels; /* [links] */
} fl_diagram;

/* Called at every level and every few thousand states; false stops. */
typedef bool fl_reliability_tick(void *user, uint32_t level, uint32_t levels);

/* Bytes of the polynomials of `states` states, when `links_to_come` links of the network are to
 * come. */
FL_INLINE uint64_t fl_diagram_value_bytes(uint32_t states, uint32_t links_to_come)
{
    return (uint64_t)states * (links_to_come + 1) * sizeof(long double);
}

typedef enum fl_diagram_end {
    FL_DIAGRAM_BUILT,
    FL_DIAGRAM_TOO_MANY,  /* more than states_max */
    FL_DIAGRAM_TOO_WIDE,  /* a frontier of more than FL_FRONTIER_MAX vertices */
    FL_DIAGRAM_NO_MEMORY, /* for the states, or later for their polynomials */
    FL_DIAGRAM_STOPPED
} fl_diagram_end;

/* On any other end than FL_DIAGRAM_BUILT nothing is left to destroy; `states` and `level` of
 * *out then say how far it got. */
fl_diagram_end fl_diagram_build(fl_diagram *out, const fl_reduced *reduced, const uint32_t *order,
                                uint64_t states_max, fl_budget *budget, fl_reliability_tick *tick,
                                void *user);
void fl_diagram_destroy(fl_diagram *diagram, fl_budget *budget);

#endif
