#include "experiments/exact/private.h"

#include <stdlib.h>

/* In a tree three things only rename: adding a constant to a digit of every address (where the
 * router does not count from 0: fl_router_anchored_digits), swapping the groups of a mirrored
 * tree, and permuting the nodes of one leaf switch. So the destination may be taken in group 0,
 * with digits 0 but for the anchored ones, as the first node of its switch, and the source as
 * the first (or, on the same switch, the second) node of its own. */

static fl_status no_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the pairs of nodes");
}

static fl_status all_pairs(fl_router_pair_class **out, uint64_t *count, const fl_network *network,
                           fl_error *error)
{
    uint64_t nodes = network->nodes;
    fl_status status =
        fl_memory_check((double)nodes * (double)nodes * sizeof **out, network->spec, error);
    if (status)
        return status;
    if (nodes > UINT64_C(1) << 31 || !(*out = malloc(nodes * (nodes - 1) * sizeof **out)))
        return no_memory(error);
    *count = 0;
    for (uint64_t d = 0; d < nodes; d++)
        for (uint64_t s = 0; s < nodes; s++)
            if (s != d)
                (*out)[(*count)++] =
                    (fl_router_pair_class){network->type->node_address(network, s),
                                           network->type->node_address(network, d), 1};
    return FL_OK;
}

/* The number's digits base k at the places in `places`, 0 elsewhere. */
static uint64_t spread_digits(const fl_tree *tree, uint64_t number, uint64_t places)
{
    uint64_t digits = 0;
    for (unsigned place = 0; place + 1 < tree->n; place++)
        if (places >> place & 1) {
            digits |= number % tree->k << (place * tree->bits);
            number /= tree->k;
        }
    return digits;
}

static uint64_t power(uint64_t base, uint64_t places)
{
    uint64_t value = 1;
    for (; places; places &= places - 1)
        value *= base;
    return value;
}

static fl_status tree_pairs(fl_router_pair_class **out, uint64_t *count, const fl_router *router,
                            fl_error *error)
{
    const fl_tree *tree = router->network->tree;
    uint64_t every = (UINT64_C(1) << (tree->n - 1)) - 1,
             anchored = fl_router_anchored_digits(router) & every;
    uint64_t destinations = power(tree->k, anchored), leaves = power(tree->k, every), k = tree->k;
    double alike = (double)(tree->groups * power(k, every & ~anchored) * k);
    fl_status status =
        fl_memory_check((double)destinations * (double)leaves * tree->groups * sizeof **out,
                        router->network->spec, error);
    if (status)
        return status;
    if (leaves > UINT64_C(1) << 28 || destinations > (UINT64_C(1) << 30) / leaves ||
        !(*out = malloc(destinations * leaves * tree->groups * sizeof **out)))
        return no_memory(error);
    *count = 0;
    for (uint64_t d = 0; d < destinations; d++) {
        uint64_t there = spread_digits(tree, d, anchored);
        for (uint64_t s = 0; s < leaves * tree->groups; s++) {
            unsigned group = (unsigned)(s / leaves);
            uint64_t here = spread_digits(tree, s % leaves, every);
            bool same = group == 0 && here == there;
            uint64_t second = UINT64_C(1) << tree->node_shift;
            (*out)[(*count)++] = (fl_router_pair_class){
                fl_tree_node_at(group, same ? here | second : here), fl_tree_node_at(0, there),
                alike * (double)(same ? k - 1 : k)};
        }
    }
    return FL_OK;
}

fl_status fl_router_pair_classes(fl_router_pair_class **out, uint64_t *count,
                                 const fl_router *router, const fl_fault_model *model,
                                 bool complete, fl_error *error)
{
    bool symmetric = router->network->tree && fl_router_anchored_digits(router) != ~UINT64_C(0) &&
                     fl_fault_model_is_symmetric(model);
    return symmetric && !complete ? tree_pairs(out, count, router, error)
                                  : all_pairs(out, count, router->network, error);
}
