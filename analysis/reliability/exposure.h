/* Private to analysis: lengths of the shortest paths that survive, by exposing the network breadth
 * first from both ends.
 *
 *   exposure_form    states, their normal form, and tables in which equal ones meet
 *   exposure_bounds  which states matter most, and how far apart the ends of the others can be
 *   exposure_sums    results: polynomials of many states added up
 *   path_lengths     the exposure itself
 *
 * The switches at distance up to i of the source, and up to j of the target, are known, and none
 * belongs to both. Either side is extended by the links that lead from its outermost switches, its
 * front, to switches of neither side: they are asked about, one switch at a time, and decide what
 * is at distance i + 1. Where such a switch has a link to the other side's front, the ends are i +
 * j + 2 apart; no shorter path is left. No link is asked about twice, and links within a side
 * never. So all that matters of the past is i + j and, for every switch v of neither side, how many
 * links it has to either front. Each state carries a polynomial: at[i] is the number of ways in
 * which i of the links that are no longer in the state can be down and lead to it. */
#ifndef FL_ANALYSIS_RELIABILITY_EXPOSURE_H
#define FL_ANALYSIS_RELIABILITY_EXPOSURE_H

#include "topo/topo.h"

enum { FL_EXPOSED_SWITCHES_MAX = 64 };

/* The switches of neither side and the links among them. The side being extended is the first. */
typedef struct fl_exposure {
    unsigned count;
    uint64_t neighbours[FL_EXPOSED_SWITCHES_MAX]; /* bits: which others it is linked to */
    uint8_t now[FL_EXPOSED_SWITCHES_MAX]; /* links to the first side's front, not yet asked about */
    uint8_t next[FL_EXPOSED_SWITCHES_MAX];  /* links to its next front, as far as that is known */
    uint8_t other[FL_EXPOSED_SWITCHES_MAX]; /* links to the other side's front */
} fl_exposure;

/* Links within a set of switches and from it to the fronts. */
unsigned fl_exposure_links(const fl_exposure *e, uint64_t set);
void fl_exposure_restrict(const fl_exposure *e, uint64_t set, fl_exposure *out);
/* When nothing is in `next`. */
void fl_exposure_swap_sides(fl_exposure *e);

/* Renumbers the switches: exposures that are alike but for the numbers come out the same. (Refined
 * colours settle the order, a first one of a colour is singled out where they do not. Should that
 * single out unlike ones, two states stay apart that could have met; nothing else.) */
uint64_t fl_exposure_normalise(const fl_exposure *e, fl_exposure *out);

typedef struct fl_exposure_table {
    uint32_t links; /* of all switches: a state of l links has a polynomial of links - l + 1
                       coefficients */
    size_t count, capacity;
    struct fl_exposure_entry *entries;
    uint64_t *codes; /* the exposures, packed */
    size_t codes_used, codes_capacity;
    long double *numbers;
    size_t numbers_used, numbers_capacity;
    uint32_t *index; /* [index_size] 1 + number of the entry, or 0 */
    size_t index_size;
} fl_exposure_table;

typedef struct fl_exposure_entry {
    uint64_t hash;
    size_t code, numbers; /* where they begin */
    uint32_t links;
    uint32_t count; /* switches */
} fl_exposure_entry;

void fl_exposure_table_destroy(fl_exposure_table *table);
size_t fl_exposure_table_bytes(const fl_exposure_table *table);
/* The polynomial of a state in normal form, 0 at first; NULL when out of memory. Valid until the
 * next call. */
long double *fl_exposure_table_find(fl_exposure_table *table, const fl_exposure *normal,
                                    uint64_t hash, uint32_t links);
void fl_exposure_table_read(const fl_exposure_table *table, size_t number, fl_exposure *out);

/* Polynomials by a distance between switches and by the number of links that were left in the state
 * they come from. */
typedef struct fl_exposure_sums {
    uint32_t links, distances;
    long double **at; /* [distances * (links + 1)]: NULL, or [links - left + 1] */
} fl_exposure_sums;

bool fl_exposure_sums_create(fl_exposure_sums *sums, uint32_t links, uint32_t distances);
void fl_exposure_sums_clear(fl_exposure_sums *sums);
void fl_exposure_sums_destroy(fl_exposure_sums *sums);
bool fl_exposure_sums_add(fl_exposure_sums *sums, uint32_t distance, uint32_t left,
                          const long double *numbers, long double weight);
/* All sums of a distance over the same links, with so many `more` that are free as well: links +
 * more + 1 coefficients. */
void fl_exposure_sums_read(const fl_exposure_sums *sums, uint32_t distance, uint32_t more,
                           long double *out);

/* Bounds of how much further apart than i + j the ends can be, if they are connected at all. */
void fl_exposure_distances(const fl_exposure *e, uint32_t *least, uint32_t *most);

/* Drops the links that are on no path of at most so many switches from front to front; false when
 * there are none. */
bool fl_exposure_drop_long_paths(fl_exposure *e, uint32_t most);

enum { FL_EXPOSURE_WORTH_LEVELS = 8 };

/* How much a state matters: its probability beside that of a connected pair, at that of some
 * numbers of faults where it is highest. Only chooses what is left out; no result is made of it. */
typedef struct fl_exposure_worth {
    uint64_t all_links, faults[FL_EXPOSURE_WORTH_LEVELS];
    uint32_t links; /* between switches */
    double log_connected[FL_EXPOSURE_WORTH_LEVELS];
    double **weights; /* [levels * (links + 1)]: rows by level and links asked about, filled when
                         needed */
} fl_exposure_worth;

bool fl_exposure_worth_create(fl_exposure_worth *worth, uint64_t all_links, uint32_t links,
                              const long double *connected);
void fl_exposure_worth_destroy(fl_exposure_worth *worth);
/* keep[i], false at first, becomes true for the `most` states that matter most. */
bool fl_exposure_worth_choose(fl_exposure_worth *worth, const fl_exposure_table *table, size_t most,
                              bool *keep);

#endif
