/* Private to experiments/layout: a layout, and where its cabinets stand. */
#ifndef FL_EXPERIMENTS_LAYOUT_PRIVATE_H
#define FL_EXPERIMENTS_LAYOUT_PRIVATE_H

#include "experiments/layout/layout.h"
#include "topo/measure/clusters.h"

/* A file of the tree as a text in the program. */
typedef struct fl_costs_text {
    const char *name, *text;
} fl_costs_text;
extern const fl_costs_text fl_costs_file[]; /* one, then NULL */

/* Slots on a grid, row after row; lengths in mm. */
typedef struct fl_floor {
    uint32_t rows, columns;
    uint64_t width, depth; /* of a slot: from column to column, from row to row */
} fl_floor;

/* The way from one slot to another along rows and columns. */
uint64_t fl_floor_distance(const fl_floor *on, uint32_t a, uint32_t b);

/* The cables between cabinets in compressed sparse rows, each in both rows, parallel ones as one
 * bundle. */
typedef struct fl_bundles {
    uint32_t cabinets;
    uint64_t *offsets;          /* [cabinets + 1] */
    uint32_t *targets, *cables; /* [offsets[cabinets]] */
} fl_bundles;

/* The bundles between the clusters of a network's vertices. The caller destroys *out. Returns FL_OK
 * or FL_ERR_MEMORY. */
fl_status fl_bundles_create(fl_bundles *out, const fl_link_list *list, const uint32_t *cluster,
                            uint32_t cabinets, fl_error *error);
void fl_bundles_destroy(fl_bundles *bundles);

/* The way of all cables between cabinets, mm. */
uint64_t fl_floor_length(const fl_floor *on, const fl_bundles *bundles, const uint32_t *slot);

/* Sets slot[c] of every cabinet c so that the way of all cables is short: simulated annealing from
 * slot[c] = c, than which the result is never longer. The same seed gives the same slots. Returns
 * FL_OK or FL_ERR_MEMORY. */
fl_status fl_floor_place(uint32_t *slot, const fl_floor *on, const fl_bundles *bundles,
                         uint64_t seed, fl_error *error);

struct fl_floorplan {
    const fl_network *network; /* borrowed */
    fl_costs costs;
    uint64_t seed;
    fl_link_list links;
    uint32_t *cluster; /* [links.vertices] cabinet of each */
    uint32_t *slot;    /* [cabinets] */
    fl_floor floor;
    uint64_t inside,
        overhead; /* mm, of a cable in a cabinet; of one between two, without its way */
    fl_floorplan_totals totals;
};

#endif
