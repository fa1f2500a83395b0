#include "faults/private.h"

#include <stdlib.h>
#include <string.h>

/* DIRECT_MAX: up to that number of link codes the answers stand in an array (64 KiB): measured on
 * MiKANT(3,3), a look-up in it is a third of the cost of a hashed one, and a larger one would no
 * longer stay in the first-level cache. */
enum { FEW = 16, DIRECT_MAX = 1 << 14, FIRST_TABLE_BITS = 8, TAKEN_BITS_MAX = 1 << 20 };

/* ---- places without replacement ---- */

/* Draws until the place is free. Since every free place is equally likely, so is every order
 * of the components asked about: the same as shuffling all components and reading off these. */
static uint32_t draw_place(fl_order *order)
{
    const fl_fault_model *model = order->model;
    struct fl_order_memory *memory = order->memory;
    if (FL_UNLIKELY(model->independent))
        return fl_fault_model_fault_point_of(model, fl_rng_next64(&order->rng) >> 1);
    if (FL_UNLIKELY(!memory->taken)) {
        uint64_t place;
        uint32_t ignored;
        do
            place = fl_rng_below(&order->rng, model->components);
        while (fl_hash_map_find(&memory->taken_far, place, &ignored));
        fl_hash_map_put(&memory->taken_far, place, 0);
        return fl_fault_model_fault_point_of(model, place);
    }
    for (;;) {
        uint32_t place = fl_rng_below32(&order->rng, (uint32_t)model->components);
        uint64_t *word = &memory->taken[place / 64], bit = UINT64_C(1) << (place % 64);
        if (*word & bit)
            continue;
        if (!*word)
            memory->taken_words[memory->taken_word_count++] = place / 64;
        *word |= bit;
        return fl_fault_model_fault_point_of(model, place);
    }
}

/* ---- first questions about a link ---- */

/* A link is down as soon as one of its parts is. */
static uint32_t draw_components(fl_order *order, fl_link link)
{
    uint64_t components[FL_LINK_COMPONENTS_MAX];
    unsigned count = fl_fault_model_components_of(order->model, link, components);
    uint32_t fault_point = FL_NEVER_FAILS;
    for (unsigned i = 0; i < count; i++) {
        uint32_t found;
        if (!fl_hash_map_find(&order->memory->components, components[i], &found)) {
            found = draw_place(order);
            fl_hash_map_put(&order->memory->components, components[i], found);
        }
        fault_point = found < fault_point ? found : fault_point;
    }
    return fault_point;
}

/* The usual case of one part a link needs no memory of parts. */
static uint32_t draw_link(fl_order *order, fl_link link)
{
    return FL_LIKELY(fl_fault_model_can_fail(order->model, link)) ? draw_place(order)
                                                                  : FL_NEVER_FAILS;
}

static uint32_t draw_listed(fl_order *order, fl_link link)
{
    uint32_t fault_point;
    return fl_hash_map_find(&order->model->listed, link, &fault_point) ? fault_point
                                                                       : FL_NEVER_FAILS;
}

static uint32_t (*draw_for(const fl_fault_model *model))(fl_order *, fl_link)
{
    switch (model->kind) {
    case FL_FAULT_LINKS:
        return draw_link;
    case FL_FAULT_LIST:
        return draw_listed;
    default:
        return draw_components;
    }
}

/* ---- asking ---- */

uint32_t fl_order_first_ask(fl_order *order, fl_link link)
{
    uint32_t fault_point = order->draw(order, link);
    order->direct[link] = fault_point;
    order->asked[order->asked_count++] = link;
    return fault_point;
}

uint32_t fl_order_find_hashed(fl_order *order, fl_link link)
{
    uint32_t fault_point;
    if (order->fixed &&
        order->fixed->count <=
            FEW) /* quicker than to remember: a simulation of 65536 nodes asked 15% of its time */
        return order->draw(order, link);
    if (!fl_hash_map_find(&order->memory->links, link, &fault_point)) {
        fault_point = order->draw(order, link);
        fl_hash_map_put(&order->memory->links, link, fault_point);
    }
    return fault_point;
}

/* ---- all answers in one go ---- */

/* The fault points of all places, without those in use. */
static bool fill_pool(fl_order *order)
{
    const fl_fault_model *model = order->model;
    struct fl_order_memory *memory = order->memory;
    if (!memory->free_numbers)
        memory->free_numbers = malloc(model->components * sizeof *memory->free_numbers);
    if (!memory->free_numbers) {
        memory->pool_failed = true;
        return false;
    }
    if (model->guide_shift == 0)
        memcpy(memory->free_numbers, model->guide,
               model->components * sizeof *memory->free_numbers);
    for (uint64_t place = 0; model->guide_shift > 0 && place < model->components; place++)
        memory->free_numbers[place] = fl_fault_model_fault_point_of(model, place);
    for (uint32_t i = 0; i < memory->taken_word_count; i++) {
        uint32_t word = memory->taken_words[i];
        for (uint64_t left = memory->taken[word]; left; left &= left - 1)
            memory->free_numbers[word * 64 + fl_lowest_bit(left)] = FL_NOT_DRAWN;
    }
    for (uint32_t i = 0; i < memory->taken_far.count; i++)
        memory->free_numbers[memory->taken_far.keys[memory->taken_far.used[i]]] = FL_NOT_DRAWN;
    return true;
}

FL_INLINE uint32_t deal(fl_rng *rng, uint32_t *free_numbers, uint32_t *left)
{
    uint32_t *dealt = &free_numbers[fl_rng_below32(rng, *left)], fault_point = *dealt;
    *dealt = free_numbers[--*left];
    return fault_point;
}

/* Every link gets one of the places left: the same as shuffling all of them and reading off. */
static void deal_to_all(fl_order *order, size_t count, uint32_t *fails_at)
{
    fl_rng rng = order->rng; /* a copy, so that it stays in registers */
    uint32_t *free_numbers = order->memory->free_numbers, left = (uint32_t)order->model->components;
    for (size_t i = 0; i < count; i++)
        fails_at[i] = deal(&rng, free_numbers, &left);
    order->rng = rng;
}

static uint32_t answer_so_far(const fl_order *order, fl_link link)
{
    uint32_t fault_point;
    if (order->direct_size > 0)
        return order->direct[link];
    return fl_hash_map_find(&order->memory->links, link, &fault_point) ? fault_point : FL_NOT_DRAWN;
}

/* The same where some links have their places already, or never fail. A place struck out is
 * thrown away when it comes up, which costs one more draw in the whole trial. */
static void deal_to_others(fl_order *order, const fl_link *links, size_t count, uint32_t *fails_at)
{
    const fl_fault_model *model = order->model;
    fl_rng rng = order->rng;
    uint32_t *free_numbers = order->memory->free_numbers, left = (uint32_t)model->components;
    for (size_t i = 0; i < count; i++) {
        fails_at[i] = answer_so_far(order, links[i]);
        if (fails_at[i] == FL_NOT_DRAWN && !fl_fault_model_can_fail(model, links[i]))
            fails_at[i] = FL_NEVER_FAILS;
        while (fails_at[i] == FL_NOT_DRAWN)
            fails_at[i] = deal(&rng, free_numbers, &left);
    }
    order->rng = rng;
}

void fl_order_complete(fl_order *order, const fl_link *links, size_t count, uint32_t *fails_at)
{
    const fl_fault_model *model = order->model;
    bool dealt = model && model->kind == FL_FAULT_LINKS && !model->independent &&
                 model->components <= UINT32_MAX && fill_pool(order);
    bool nothing_asked = order->asked_count == 0 && order->memory->links.count == 0;
    /* A case of its own because a sweep of limits alone is a fifth faster with the shorter loop. */
    if (dealt && nothing_asked && !model->restricted) {
        deal_to_all(order, count, fails_at);
        return;
    }
    if (dealt) {
        deal_to_others(order, links, count, fails_at);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t fault_point = answer_so_far(order, links[i]);
        fails_at[i] = fault_point != FL_NOT_DRAWN ? fault_point : order->draw(order, links[i]);
    }
}

bool fl_order_is_sound(const fl_order *order)
{
    const struct fl_order_memory *memory = order->memory;
    return !memory->links.failed && !memory->components.failed && !memory->taken_far.failed &&
           !memory->pool_failed;
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
    fl_hash_map_forget(&memory->links);
    fl_hash_map_forget(&memory->taken_far);
    fl_hash_map_forget(&memory->components);
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
        return fl_hash_map_create(&order->memory->links, FIRST_TABLE_BITS);
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
    if (model->independent || model->components > TAKEN_BITS_MAX)
        return fl_hash_map_create(&memory->taken_far, FIRST_TABLE_BITS) &&
               fl_hash_map_create(&memory->components, FIRST_TABLE_BITS);
    size_t words = (size_t)(model->components + 63) / 64 + 1;
    memory->taken = calloc(words, sizeof *memory->taken);
    memory->taken_words = malloc(words * sizeof *memory->taken_words);
    return memory->taken && memory->taken_words &&
           fl_hash_map_create(&memory->components, FIRST_TABLE_BITS);
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
    return make(out, model->network, model, draw_for(model), NULL, error);
}

fl_status fl_order_create_custom(fl_order **out, const fl_network *network,
                                 uint32_t (*draw)(fl_order *, fl_link), void *user, fl_error *error)
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
        free(order->memory->free_numbers);
        fl_hash_map_destroy(&order->memory->links);
        fl_hash_map_destroy(&order->memory->taken_far);
        fl_hash_map_destroy(&order->memory->components);
    }
    free(order->memory);
    free(order);
}
