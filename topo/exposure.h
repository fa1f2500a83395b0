/* Private to topo: lengths of the shortest paths that survive, by exposing the network breadth first
 * from its source.
 *
 *   exposure_form    states, their normal form, and tables in which equal ones meet
 *   path_lengths     the exposure itself
 *
 * The switches at distance d are known; the links between them and switches not yet reached are asked
 * about, one switch at a time, and decide what is at distance d + 1. No link is asked about twice, and
 * links between reached switches never. So all that matters of the past is, for every switch v not
 * reached, how many links it has to the switches at distance d (asked about next), and to those
 * already found to be at distance d + 1. Each state carries a polynomial: at[i] is the number of ways in which i
 * of the links that are no longer in the state can be down and lead to it. */
#ifndef FL_TOPO_EXPOSURE_H
#define FL_TOPO_EXPOSURE_H

#include "topo/topo.h"

enum { FL_EXPOSED_SWITCHES_MAX = 64 };

/* The switches not yet reached and the links among them. */
typedef struct fl_exposure {
    unsigned count;
    uint64_t neighbours[FL_EXPOSED_SWITCHES_MAX]; /* bits: which others it is linked to */
    uint8_t now[FL_EXPOSED_SWITCHES_MAX];         /* links to switches at distance d, not yet asked about */
    uint8_t next[FL_EXPOSED_SWITCHES_MAX];        /* links to switches at distance d + 1 */
    uint16_t nodes[FL_EXPOSED_SWITCHES_MAX];
} fl_exposure;

/* Links within a set of switches and from it to those reached. */
unsigned fl_exposure_links(const fl_exposure *e, uint64_t set);
void fl_exposure_restrict(const fl_exposure *e, uint64_t set, fl_exposure *out);

/* Renumbers the switches: exposures that are alike but for the numbers come out the same. (Refined
 * colours settle the order, a first one of a colour is singled out where they do not. Should that single out
 * unlike ones, two states stay apart that could have met; nothing else.) */
uint64_t fl_exposure_normalise(const fl_exposure *e, fl_exposure *out);

typedef struct fl_exposure_table {
    uint32_t links;      /* of all switches: a state of l links has a polynomial of links - l + 1 coefficients */
    size_t count, capacity;
    struct fl_exposure_entry *entries;
    uint64_t *codes;     /* the exposures, packed */
    size_t codes_used, codes_capacity;
    long double *numbers;
    size_t numbers_used, numbers_capacity;
    uint32_t *index;     /* [index_size] 1 + number of the entry, or 0 */
    size_t index_size;
} fl_exposure_table;

typedef struct fl_exposure_entry {
    uint64_t hash;
    size_t code, numbers; /* where they begin */
    uint32_t links;
    uint32_t count;       /* switches */
} fl_exposure_entry;

void fl_exposure_table_destroy(fl_exposure_table *table);
size_t fl_exposure_table_bytes(const fl_exposure_table *table);
/* The polynomial of a state in normal form, 0 at first; NULL when out of memory. Valid until the next call. */
long double *fl_exposure_table_find(fl_exposure_table *table, const fl_exposure *normal, uint64_t hash, uint32_t links);
void fl_exposure_table_read(const fl_exposure_table *table, size_t number, fl_exposure *out);

#endif
