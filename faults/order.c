#include "faults/model.h"

#include <stdlib.h>
#include <string.h>

/* Up to so many link codes the answers stand in a plain table (64 KiB): measured on
 * MiKANT(3,3) a table look-up is a third of the cost of a hashed one, and beyond this size it
 * would no longer stay in the first-level cache. */
enum { DIRECT_MAX = 1 << 14, FIRST_TABLE_BITS = 8, TAKEN_BITS_MAX = 1 << 20 };

/* ---- places without replacement ---- */

/* Draws until the place is free. Since every free place is equally likely, so is every order
 * of the parts asked about: the same as shuffling all parts and reading off these. */
static uint32_t draw_place(fl_order *order)
{
    const fl_fault_model *model = order->model;
    struct fl_order_memory *memory = order->memory;
    if (FL_UNLIKELY(model->independent))
        return fl_fault_model_level_of(model, fl_rng_next64(&order->rng) >> 1);
    if (FL_UNLIKELY(!memory->taken)) {
        uint64_t place;
        uint32_t ignored;
        do
            place = fl_rng_below(&order->rng, model->parts);
        while (fl_table_find(&memory->taken_far, place, &ignored));
        fl_table_put(&memory->taken_far, place, 0);
        return fl_fault_model_level_of(model, place);
    }
    for (;;) {
        uint32_t place = fl_rng_below32(&order->rng, (uint32_t)model->parts);
        uint64_t *word = &memory->taken[place / 64], bit = UINT64_C(1) << (place % 64);
        if (*word & bit)
            continue;
        if (!*word)
            memory->taken_words[memory->taken_word_count++] = place / 64;
        *word |= bit;
        return fl_fault_model_level_of(model, place);
    }
}

static uint32_t level_of_part(fl_order *order, uint64_t part)
{
    uint32_t level;
    if (!fl_table_find(&order->memory->parts, part, &level)) {
        level = draw_place(order);
        fl_table_put(&order->memory->parts, part, level);
    }
    return level;
}

/* ---- one draw function a kind of model ---- */

static bool can_fail(const fl_order *order, fl_link link)
{
    const fl_fault_model *model = order->model;
    return !model->restricted || model->may_fail[order->network->type->link_class(order->network, link)];
}

static uint32_t draw_link(fl_order *order, fl_link link)
{
    return FL_LIKELY(can_fail(order, link)) ? draw_place(order) : FL_NEVER_FAILS;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t draw_switches(fl_order *order, fl_link link)
{
    const fl_network *network = order->network;
    fl_link_ends ends;
    network->type->link_ends(network, link, &ends);
    uint32_t level = FL_NEVER_FAILS;
    if (!fl_address_is_node(ends.a))
        level = level_of_part(order, network->type->switch_index(network, ends.a));
    if (!fl_address_is_node(ends.b))
        level = smaller(level, level_of_part(order, network->type->switch_index(network, ends.b)));
    return level;
}

/* The bundle of a link lies at its lower switch (of a node link: at its switch). */
static uint32_t draw_bundle(fl_order *order, fl_link link)
{
    if (!can_fail(order, link))
        return FL_NEVER_FAILS;
    const fl_network *network = order->network;
    unsigned size = order->model->size, k = network->tree->k;
    fl_link_ends ends;
    network->type->link_ends(network, link, &ends);
    bool node_link = fl_address_is_node(ends.a);
    unsigned port = node_link ? ends.port_b : ends.port_a, side = port / k * k;
    uint64_t owner = network->type->switch_index(network, node_link ? ends.b : ends.a);
    return level_of_part(order, owner * network->radix + side + (port - side) / size * size);
}

/* All neighbourhoods of one switch that contain the port. */
static uint32_t draw_neighbours_at(fl_order *order, fl_address at, unsigned port)
{
    const fl_network *network = order->network;
    const fl_tree *tree = network->tree;
    unsigned ports = fl_tree_level(at) == tree->top && !tree->mirrored ? tree->k : 2 * tree->k;
    unsigned size = smaller(order->model->size, ports);
    uint64_t first = network->type->switch_index(network, at) * 2 * tree->k;
    uint32_t level = FL_NEVER_FAILS;
    for (unsigned back = 0; back < size; back++)
        level = smaller(level, level_of_part(order, first + (port + ports - back) % ports));
    return level;
}

static uint32_t draw_neighbours(fl_order *order, fl_link link)
{
    if (!can_fail(order, link))
        return FL_NEVER_FAILS;
    fl_link_ends ends;
    order->network->type->link_ends(order->network, link, &ends);
    uint32_t level = FL_NEVER_FAILS;
    if (!fl_address_is_node(ends.a))
        level = draw_neighbours_at(order, ends.a, ends.port_a);
    if (!fl_address_is_node(ends.b))
        level = smaller(level, draw_neighbours_at(order, ends.b, ends.port_b));
    return level;
}

static uint32_t draw_listed(fl_order *order, fl_link link)
{
    uint32_t level;
    return fl_table_find(&order->model->listed, link, &level) ? level : FL_NEVER_FAILS;
}

uint32_t (*fl_order_draw_for(const fl_fault_model *model))(fl_order *, fl_link)
{
    static uint32_t (*const draws[])(fl_order *, fl_link) = {
        [FL_FAULT_LINKS] = draw_link,
        [FL_FAULT_SWITCHES] = draw_switches,
        [FL_FAULT_BUNDLES] = draw_bundle,
        [FL_FAULT_NEIGHBOURS] = draw_neighbours,
        [FL_FAULT_LIST] = draw_listed,
    };
    return draws[model->kind];
}

/* ---- asking ---- */

uint32_t fl_order_first_ask(fl_order *order, fl_link link)
{
    uint32_t level = order->draw(order, link);
    order->direct[link] = level;
    order->asked[order->asked_count++] = link;
    return level;
}

uint32_t fl_order_find_hashed(fl_order *order, fl_link link)
{
    uint32_t level;
    if (!fl_table_find(&order->memory->links, link, &level)) {
        level = order->draw(order, link);
        fl_table_put(&order->memory->links, link, level);
    }
    return level;
}

bool fl_order_is_sound(const fl_order *order)
{
    const struct fl_order_memory *memory = order->memory;
    return !memory->links.failed && !memory->parts.failed && !memory->taken_far.failed;
}

void fl_order_forget(fl_order *order)
{
    for (uint32_t i = 0; i < order->asked_count; i++)
        order->direct[order->asked[i]] = FL_NOT_DRAWN;
    order->asked_count = 0;
    struct fl_order_memory *memory = order->memory;
    for (uint32_t i = 0; i < memory->taken_word_count; i++)
        memory->taken[memory->taken_words[i]] = 0;
    memory->taken_word_count = 0;
    fl_table_forget(&memory->links);
    fl_table_forget(&memory->taken_far);
    fl_table_forget(&memory->parts);
}

void fl_order_begin(fl_order *order, uint64_t seed, uint64_t trial)
{
    fl_order_forget(order);
    fl_rng_seed(&order->rng, seed, FL_PURPOSE_FAULTS, trial);
}

/* ---- making ---- */

static bool make_link_memory(fl_order *order)
{
    uint64_t codes = order->network->link_codes;
    if (codes > DIRECT_MAX)
        return fl_table_create(&order->memory->links, FIRST_TABLE_BITS);
    order->direct_size = codes;
    order->direct = malloc(codes * sizeof *order->direct);
    order->asked = malloc(codes * sizeof *order->asked);
    if (!order->direct || !order->asked)
        return false;
    memset(order->direct, 0xff, codes * sizeof *order->direct);
    return true;
}

static bool make_model_memory(fl_order *order)
{
    struct fl_order_memory *memory = order->memory;
    const fl_fault_model *model = order->model;
    if (model->independent || model->parts > TAKEN_BITS_MAX)
        return fl_table_create(&memory->taken_far, FIRST_TABLE_BITS) && fl_table_create(&memory->parts, FIRST_TABLE_BITS);
    size_t words = (size_t)(model->parts + 63) / 64 + 1;
    memory->taken = calloc(words, sizeof *memory->taken);
    memory->taken_words = malloc(words * sizeof *memory->taken_words);
    return memory->taken && memory->taken_words && fl_table_create(&memory->parts, FIRST_TABLE_BITS);
}

static fl_status make(fl_order **out, const fl_network *network, const fl_fault_model *model,
                      uint32_t (*draw)(fl_order *, fl_link), void *user, fl_error *error)
{
    fl_order *order = calloc(1, sizeof *order);
    bool good = order && (order->memory = calloc(1, sizeof *order->memory));
    if (good) {
        order->network = network;
        order->model = model;
        order->draw = draw;
        order->user = user;
        good = make_link_memory(order) && (!model || make_model_memory(order));
    }
    if (!good) {
        fl_order_destroy(order);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a fault order");
    }
    *out = order;
    return FL_OK;
}

fl_status fl_order_create(fl_order **out, const fl_fault_model *model, fl_error *error)
{
    return make(out, model->network, model, fl_order_draw_for(model), NULL, error);
}

fl_status fl_order_create_custom(fl_order **out, const fl_network *network, uint32_t (*draw)(fl_order *, fl_link),
                                 void *user, fl_error *error)
{
    return make(out, network, NULL, draw, user, error);
}

void fl_order_destroy(fl_order *order)
{
    if (!order)
        return;
    free(order->direct);
    free(order->asked);
    if (order->memory) {
        free(order->memory->taken);
        free(order->memory->taken_words);
        fl_table_destroy(&order->memory->links);
        fl_table_destroy(&order->memory->taken_far);
        fl_table_destroy(&order->memory->parts);
    }
    free(order->memory);
    free(order);
}
