#include "faults/private.h"

#include <stdlib.h>

static int compare_links(const void *a, const void *b)
{
    fl_link x = *(const fl_link *)a, y = *(const fl_link *)b;
    return x < y ? -1 : x > y;
}

/* Keeps those of `links` that are down. */
static uint64_t keep_failed(fl_link *links, const uint32_t *fails_at, uint64_t count,
                            uint32_t fault_point)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (fails_at[i] <= fault_point)
            links[kept++] = links[i];
    return kept;
}

fl_status fl_fault_set_draw(fl_fault_set *out, const fl_network *network,
                            const fl_fault_model *model, uint32_t fault_point, uint64_t seed,
                            uint64_t trial, fl_error *error)
{
    *out = (fl_fault_set){0};
    if (network->links > FL_FAULT_SET_LINKS_MAX)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s has %llu links: a set of faults is drawn link by link, on networks of up to %llu links",
            network->spec, (unsigned long long)network->links,
            (unsigned long long)FL_FAULT_SET_LINKS_MAX);
    fl_order *order = NULL;
    fl_link *links = malloc(network->links * sizeof *links);
    uint32_t *fails_at = malloc(network->links * sizeof *fails_at);
    fl_status status = !links || !fails_at
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a set of faults")
                           : fl_order_create(&order, model, error);
    if (!status) {
        for (uint64_t i = 0; i < network->links; i++)
            links[i] = network->type->link_code(network, i);
        fl_order_begin(order, seed, trial);
        fl_order_complete(order, links, network->links, fails_at);
        if (!fl_order_is_sound(order))
            status = fl_fail(error, FL_ERR_MEMORY, "out of memory for a set of faults");
    }
    if (!status) {
        out->count = keep_failed(links, fails_at, network->links, fault_point);
        out->links = links;
        links = NULL;
        qsort(out->links, out->count, sizeof *out->links, compare_links);
    }
    fl_order_destroy(order);
    free(fails_at);
    free(links);
    return status;
}

fl_status fl_fault_set_parse(fl_fault_set *out, const fl_network *network, const char *text,
                             fl_error *error)
{
    fl_text spec = {0};
    fl_fault_model *model = NULL;
    uint64_t none = 0, all;
    fl_axis axis = {.fault_points = 1, .counts = &none};
    *out = (fl_fault_set){0};
    fl_text_append(&spec, "list:%s", text);
    fl_status status = spec.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a set of faults")
                           : fl_fault_model_create(&model, network, spec.data, &axis, error);
    fl_text_clear(&spec);
    if (status)
        return status;
    all = model->listed.count;
    out->links = malloc(all * sizeof *out->links);
    if (!out->links)
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for a set of faults");
    for (uint64_t i = 0; !status && i < all; i++)
        out->links[i] = model->listed.keys[model->listed.used[i]];
    fl_fault_model_destroy(model);
    if (status)
        return status;
    out->count = all;
    qsort(out->links, all, sizeof *out->links, compare_links);
    return FL_OK;
}

bool fl_fault_set_holds(const fl_fault_set *set, fl_link link)
{
    return set->count > 0 &&
           bsearch(&link, set->links, set->count, sizeof link, compare_links) != NULL;
}

void fl_fault_set_clear(fl_fault_set *set)
{
    free(set->links);
    *set = (fl_fault_set){0};
}

static uint32_t draw_from_set(fl_order *order, fl_link link)
{
    return fl_fault_set_holds(order->fixed, link) ? 0 : FL_NEVER_FAILS;
}

fl_status fl_order_create_fixed(fl_order **out, const fl_network *network, const fl_fault_set *set,
                                fl_error *error)
{
    fl_status status = fl_order_create_custom(out, network, draw_from_set, NULL, error);
    if (!status)
        (*out)->fixed = set;
    return status;
}
