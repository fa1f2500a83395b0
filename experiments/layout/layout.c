/* The layout of a network: clusters in cabinets, cabinets on a floor, and what cables and switches
 * then cost. Lengths are whole millimetres, so that sums are exact. */
#include "experiments/layout/private.h"

#include <math.h>
#include <stdlib.h>

/* Rows and columns of almost the same number that have room for all cabinets. */
static void choose_floor(fl_floor *on, uint32_t cabinets, const fl_costs *costs)
{
    uint32_t rows = 1;
    while ((uint64_t)rows * rows < cabinets)
        rows++;
    on->columns = (cabinets + rows - 1) / rows;
    on->rows = (cabinets + on->columns - 1) / on->columns;
    on->width = (uint64_t)llround(1000 * costs->cabinet_width);
    on->depth = (uint64_t)llround(1000 * costs->cabinet_depth);
}

static uint64_t length_between(const fl_floorplan *l, uint32_t a, uint32_t b)
{
    return a == b ? l->inside : l->overhead + fl_floor_distance(&l->floor, l->slot[a], l->slot[b]);
}

uint64_t fl_floorplan_length(const fl_floorplan *layout, uint64_t link_index)
{
    fl_link_pair ends = layout->links.ends[link_index];
    return length_between(layout, layout->cluster[ends.a], layout->cluster[ends.b]);
}

bool fl_floorplan_is_copper(const fl_floorplan *layout, uint64_t link_index)
{
    return fl_floorplan_length(layout, link_index) <=
           (uint64_t)llround(1000 * layout->costs.copper_limit);
}

static void add_cable(fl_cables *cables, uint64_t length)
{
    cables->count++;
    cables->length += length;
    cables->longest = length > cables->longest ? length : cables->longest;
}

static double metres(uint64_t length)
{
    return (double)length / 1000;
}

static void price_cables(fl_cables *cables, const fl_costs *costs, double fixed, double per_m,
                         double power)
{
    cables->cost =
        costs->bandwidth * ((double)cables->count * fixed + metres(cables->length) * per_m);
    cables->power = (double)cables->count * power;
}

static void add_up_cables(fl_floorplan *l)
{
    fl_floorplan_totals *t = &l->totals;
    for (uint64_t i = 0; i < l->links.links; i++) {
        uint64_t length = fl_floorplan_length(l, i);
        fl_link_pair ends = l->links.ends[i];
        t->inside += l->cluster[ends.a] == l->cluster[ends.b];
        add_cable(fl_floorplan_is_copper(l, i) ? &t->copper : &t->fibre, length);
        add_cable(&t->all, length);
    }
    price_cables(&t->copper, &l->costs, l->costs.copper_fixed, l->costs.copper_per_m,
                 l->costs.copper_power);
    price_cables(&t->fibre, &l->costs, l->costs.fibre_fixed, l->costs.fibre_per_m,
                 l->costs.fibre_power);
    t->all.cost = t->copper.cost + t->fibre.cost;
    t->all.power = t->copper.power + t->fibre.power;
}

static void add_up(fl_floorplan *l)
{
    fl_floorplan_totals *t = &l->totals;
    const fl_costs *costs = &l->costs;
    double switches = (double)l->network->switches, ports = switches * l->network->radix;
    add_up_cables(l);
    t->rows = l->floor.rows;
    t->columns = l->floor.columns;
    t->switch_cost = switches * costs->switch_fixed + ports * costs->switch_per_port;
    t->switch_power = switches * costs->switch_power_fixed + ports * costs->switch_power_per_port;
    t->cost = t->switch_cost + t->all.cost;
    t->power = t->switch_power + t->all.power;
}

/* Places the cabinets; both lengths are known then. */
static fl_status place_cabinets(fl_floorplan *l, fl_error *error)
{
    fl_bundles bundles;
    uint32_t cabinets = l->totals.cabinets;
    fl_status status = fl_bundles_create(&bundles, &l->links, l->cluster, cabinets, error);
    if (status)
        return status;
    for (uint32_t c = 0; c < cabinets; c++)
        l->slot[c] = c;
    uint64_t before = fl_floor_length(&l->floor, &bundles, l->slot);
    status = fl_floor_place(l->slot, &l->floor, &bundles, l->seed, error);
    uint64_t after = status ? 0 : fl_floor_length(&l->floor, &bundles, l->slot);
    fl_bundles_destroy(&bundles);
    if (status)
        return status;
    add_up(l);
    l->totals.identity = l->totals.all.length - after + before;
    return FL_OK;
}

static fl_status lay_out(fl_floorplan *l, fl_error *error)
{
    uint32_t *count = &l->totals.cabinets;
    fl_status status = fl_link_list_create(&l->links, l->network, error);
    if (status)
        return status;
    l->cluster = malloc(l->links.vertices * sizeof *l->cluster);
    if (!l->cluster)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the layout");
    status = fl_clusters_find(l->cluster, count, &l->links, (uint32_t)l->costs.cabinet_units,
                              l->seed, error);
    if (status)
        return status;
    l->slot = malloc(*count * sizeof *l->slot);
    if (!l->slot)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the layout");
    choose_floor(&l->floor, *count, &l->costs);
    return place_cabinets(l, error);
}

fl_status fl_floorplan_create(fl_floorplan **out, const fl_network *network, const fl_costs *costs,
                              uint64_t seed, fl_error *error)
{
    fl_floorplan *l = calloc(1, sizeof *l);
    if (!l)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the layout");
    l->network = network;
    l->costs = *costs;
    l->seed = seed;
    l->inside = (uint64_t)llround(1000 * costs->inside_cabinet);
    l->overhead = (uint64_t)llround(1000 * costs->between_overhead);
    fl_status status = lay_out(l, error);
    if (status) {
        fl_floorplan_destroy(l);
        return status;
    }
    *out = l;
    return FL_OK;
}

void fl_floorplan_destroy(fl_floorplan *layout)
{
    if (!layout)
        return;
    fl_link_list_destroy(&layout->links);
    free(layout->cluster);
    free(layout->slot);
    free(layout);
}

const fl_floorplan_totals *fl_floorplan_totals_of(const fl_floorplan *layout)
{
    return &layout->totals;
}

uint32_t fl_floorplan_cabinet(const fl_floorplan *layout, fl_address vertex)
{
    const fl_network *network = layout->network;
    uint64_t index = fl_address_is_node(vertex)
                         ? network->type->node_index(network, vertex)
                         : network->nodes + network->type->switch_index(network, vertex);
    return layout->cluster[index];
}

void fl_floorplan_place(const fl_floorplan *layout, uint32_t cabinet, uint32_t *row,
                        uint32_t *column)
{
    *row = layout->slot[cabinet] / layout->floor.columns;
    *column = layout->slot[cabinet] % layout->floor.columns;
}
