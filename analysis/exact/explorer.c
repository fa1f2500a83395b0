/* Explorers: making them, and exploring pair after pair. */
#include "analysis/exact/exploration.h"

#include <stdlib.h>
#include <string.h>

enum { COMPONENT_BITS_FIRST = 8 };

/* For every number of answers up and down the largest probability of just these answers. */
static bool make_weights(fl_explorer *x)
{
    if (x->limits.prune <= 0)
        return true;
    uint64_t components = fl_fault_model_components(x->model);
    uint32_t fault_points = fl_fault_model_fault_points(x->model);
    x->weights = calloc((size_t)WEIGHT_STRIDE * WEIGHT_STRIDE, sizeof *x->weights);
    for (uint32_t fault_point = 0; x->weights && fault_point < fault_points; fault_point++) {
        uint64_t count = 0;
        bool exact = fl_fault_model_count_at(x->model, fault_point, &count);
        double rate = fl_fault_model_rate_at(x->model, fault_point), column = 1;
        for (uint32_t downs = 0; downs < WEIGHT_STRIDE && column > 0; downs++) {
            double cell = column;
            for (uint32_t ups = 0; ups < WEIGHT_STRIDE && cell > 0; ups++) {
                double *weight = &x->weights[(size_t)ups * WEIGHT_STRIDE + downs];
                if (cell > *weight)
                    *weight = cell;
                double left = (double)components - ups - downs;
                cell *=
                    exact ? (left > 0 ? ((double)(components - count) - ups) / left : 0) : 1 - rate;
            }
            double left = (double)components - downs;
            column *= exact ? (left > 0 ? ((double)count - downs) / left : 0) : rate;
        }
    }
    return x->weights != NULL;
}

/* After a failure everything goes by index 0 until the run ends: no list is without an entry. */
static bool make_lists(fl_explorer *x)
{
    bool good = FL_ARRAY_PUSH(&x->situations, (explorer_situation){0}) &&
                FL_ARRAY_RESERVE(&x->port_ranges, 1) && FL_ARRAY_RESERVE(&x->polys, 1) &&
                FL_ARRAY_RESERVE(&x->numbers, 3) && FL_ARRAY_RESERVE(&x->tries, 1) &&
                FL_ARRAY_RESERVE(&x->known, 1) && FL_ARRAY_RESERVE(&x->stamps, 1);
    x->situations.count = 0;
    return good;
}

fl_status fl_explorer_create(fl_explorer **out, const fl_router *router,
                             const fl_fault_model *model, const fl_explorer_limits *limits,
                             fl_error *error)
{
    fl_explorer *x = calloc(1, sizeof *x);
    if (!x)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for an explorer");
    x->router = router;
    x->model = model;
    x->limits = *limits;
    x->searcher.search = fl_explorer_answer_search;
    fl_status status =
        fl_order_create_custom(&x->order, router->network, fl_explorer_answer_link, x, error);
    if (!status && !(fl_hash_map_create(&x->component_of, COMPONENT_BITS_FIRST) &&
                     make_weights(x) && make_lists(x)))
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for an explorer");
    if (status) {
        fl_explorer_destroy(x);
        return status;
    }
    *out = x;
    return FL_OK;
}

void fl_explorer_destroy(fl_explorer *x)
{
    if (!x)
        return;
    fl_order_destroy(x->order);
    FL_ARRAY_CLEAR(&x->situations);
    FL_ARRAY_CLEAR(&x->port_ranges);
    FL_ARRAY_CLEAR(&x->polys);
    FL_ARRAY_CLEAR(&x->numbers);
    FL_ARRAY_CLEAR(&x->tries);
    FL_ARRAY_CLEAR(&x->roots);
    FL_ARRAY_CLEAR(&x->log);
    FL_ARRAY_CLEAR(&x->known);
    FL_ARRAY_CLEAR(&x->stamps);
    fl_hash_index_destroy(&x->situation_of);
    fl_hash_index_destroy(&x->root_of);
    fl_hash_map_destroy(&x->component_of);
    free(x->weights);
    free(x);
}

/* Everything that was found out belongs to one destination. */
static void forget(fl_explorer *x, fl_address destination)
{
    x->destination = destination;
    x->situations.count = x->port_ranges.count = x->tries.count = x->roots.count = x->known.count =
        x->stamps.count = 0;
    fl_hash_index_clear(&x->situation_of);
    fl_hash_index_clear(&x->root_of);
    fl_hash_map_forget(&x->component_of);
    fl_explorer_make_constants(x);
}

fl_status fl_explorer_run(fl_explorer *x, fl_address source, fl_address destination,
                          fl_exploration *out, fl_error *error)
{
    x->status = FL_OK;
    if (destination != x->destination || x->polys.count == 0)
        forget(x, destination);
    x->source = source;
    x->log.count = 0;
    x->ups = x->downs = x->steps = 0;
    explorer_result r =
        fl_explorer_explore(x, fl_explorer_place_of(x, fl_explorer_situation_at(x, source, 0, 0)));
    /* The result may share its numbers with others: give it some of its own, with all
     * links added.
     */
    uint32_t own = x->status ? 0 : fl_explorer_new_poly(x, x->polys.data[r.poly].asked);
    for (uint32_t i = 0; !x->status && i <= x->polys.data[own].asked; i++) {
        fl_explorer_delivered(x, own)[i] = fl_explorer_delivered(x, r.poly)[i];
        fl_explorer_lengths(x, own)[i] =
            fl_explorer_lengths(x, r.poly)[i] + r.added * fl_explorer_delivered(x, r.poly)[i];
        fl_explorer_open(x, own)[i] = fl_explorer_open(x, r.poly)[i];
    }
    if (x->status) {
        forget(x, UINT64_MAX); /* a broken exploration leaves half-known components behind */
        bool named = x->status == FL_ERR_ROUTER; /* by fl_router_broken */
        return fl_fail(error, x->status, "%s%s%s%s", named ? "" : "router '",
                       named ? "" : x->router->name, named ? "" : "': ", x->error.text);
    }
    *out = (fl_exploration){
        .asked = x->polys.data[own].asked,
        .delivered = fl_explorer_delivered(x, own),
        .lengths = fl_explorer_lengths(x, own),
        .open = x->limits.prune > 0 ? fl_explorer_open(x, own) : NULL,
    };
    return FL_OK;
}

uint64_t fl_explorer_states(const fl_explorer *x)
{
    return x->branchings;
}

bool fl_explorer_is_complete(const fl_explorer *x)
{
    return !x->rounded;
}
