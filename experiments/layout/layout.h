/* The layout of a network in cabinets on a floor: cables, cost and power. */
#ifndef FL_EXPERIMENTS_LAYOUT_H
#define FL_EXPERIMENTS_LAYOUT_H

#include "core/text/text.h"
#include "experiments/layout/costs.h"
#include "topo/network.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FL_FLOORPLAN_UNITS_MAX = 1000000 };

typedef struct fl_cables {
    uint64_t count, length, longest; /* mm */
    double cost, power;              /* in the currency of the costs; W */
} fl_cables;

typedef struct fl_floorplan_totals {
    uint32_t cabinets, rows, columns;
    uint64_t inside;   /* cables inside of a cabinet */
    uint64_t identity; /* mm of all cables, cabinets placed in the order of clusters */
    fl_cables copper, fibre, all;
    double switch_cost, switch_power;
    double cost, power;
} fl_floorplan_totals;

typedef struct fl_floorplan fl_floorplan;

/* Lays a network out (Yasudo thesis, 3.5.4.2 and 4.5.1.3). Switches and nodes take a slot of a
 * cabinet each and are clustered into the fewest cabinets (fl_clusters_find). Cabinets stand on a
 * grid of about as many rows as columns, and are placed by simulated annealing on the total length
 * of cables. Every link is a cable; between
 * cabinets its length is the Manhattan distance and the overhead of the costs. Up to the limit of
 * the costs it is copper, beyond it fibre. Every switch is priced by the network's radix. The same
 * seed gives the same layout. `network` is borrowed and has to stay; the caller destroys *out.
 * FL_ERR_INVALID: the network is too large. FL_ERR_MEMORY. */
fl_status fl_floorplan_create(fl_floorplan **out, const fl_network *network, const fl_costs *costs,
                              uint64_t seed, fl_error *error);

/* Frees a layout; NULL is allowed. */
void fl_floorplan_destroy(fl_floorplan *layout);

/* Its figures, lent. */
const fl_floorplan_totals *fl_floorplan_totals_of(const fl_floorplan *layout);

/* The cabinet of a node or switch; 0..cabinets-1. */
uint32_t fl_floorplan_cabinet(const fl_floorplan *layout, fl_address vertex);

/* Where a cabinet stands: row and column, from 0. */
void fl_floorplan_place(const fl_floorplan *layout, uint32_t cabinet, uint32_t *row,
                        uint32_t *column);

/* Length of the cable of a link, by its index, in mm. */
uint64_t fl_floorplan_length(const fl_floorplan *layout, uint64_t link_index);

/* Is it copper? Else it is fibre. */
bool fl_floorplan_is_copper(const fl_floorplan *layout, uint64_t link_index);

/* Append the layout as tables for people, as JSON, as CSV of vertices (vertex, kind, cabinet, row,
 * column), and as CSV of cables (link, its ends, their cabinets, length, kind). */
void fl_floorplan_summary(const fl_floorplan *layout, fl_text *out);
void fl_floorplan_json(const fl_floorplan *layout, fl_text *out);
void fl_floorplan_vertices_csv(const fl_floorplan *layout, fl_text *out);
void fl_floorplan_cables_csv(const fl_floorplan *layout, fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
