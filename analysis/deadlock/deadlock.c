/* Deadlock checks: fault sets one after the other, each a step from the one before it. */
#include "analysis/deadlock/checker.h"

#include <stdlib.h>
#include <string.h>

enum { WITNESSES_WEIGHED = 256, WORK_OF_SET = 64 };

/* ---- one set ---- */

void fl_deadlock_witness_destroy(fl_deadlock_witness *witness)
{
    if (!witness)
        return;
    free(witness->components);
    free(witness->links);
    free(witness->cycle);
    free(witness);
}

static void write_down(checker *c, uint32_t length)
{
    fl_deadlock_witness *w = calloc(1, sizeof *w);
    size_t links = 0;
    for (uint64_t link = 0; link < c->network->links; link++)
        links += c->down_count[link] > 0;
    if (w) {
        w->components = calloc(c->chosen_count + 1, sizeof *w->components);
        w->links = calloc(links + 1, sizeof *w->links);
        w->cycle = calloc(length, sizeof *w->cycle);
    }
    if (!w || !w->components || !w->links || !w->cycle) {
        fl_deadlock_witness_destroy(w);
        c->status = fl_fail(c->error, FL_ERR_MEMORY, "out of memory for a witness");
        return;
    }
    w->faults = c->chosen_count;
    for (unsigned i = 0; i < c->chosen_count; i++)
        w->components[i] = c->component_name[c->chosen[i]];
    for (uint64_t link = 0; link < c->network->links; link++)
        if (c->down_count[link] > 0)
            w->links[w->link_count++] = c->code[link];
    w->length = length;
    for (uint32_t i = 0; i < length; i++) {
        w->cycle[i].channel = fl_channel_of(c->graph, c->cycle[i]);
        fl_checker_find_holders(c, &w->cycle[i], c->cycle[i], c->cycle[(i + 1) % length]);
    }
    fl_deadlock_witness_destroy(c->result->witness);
    c->result->witness = w;
}

/* Shortest cycles cost more than cycles: of many cyclic sets only the first are weighed. */
static void keep_if_shortest(checker *c)
{
    const fl_deadlock_witness *best = c->result->witness;
    if (c->weighed++ >= WITNESSES_WEIGHED)
        return;
    uint32_t length =
        fl_channel_graph_shortest_cycle(c->graph, best ? best->length : UINT32_MAX, c->cycle);
    if (length > 0)
        write_down(c, length);
}

static void judge(checker *c)
{
    fl_deadlock_result *result = c->result;
    fl_checker_build_graph(c);
    result->fault_sets++;
    if (fl_channel_graph_has_cycle(c->graph)) {
        result->cyclic++;
        keep_if_shortest(c);
    }
    fl_checker_count_work(c, WORK_OF_SET);
}

/* ---- from set to set ---- */

/* Keeps what is known of a flow until the component is taken back. */
static bool remember(checker *c, uint32_t index)
{
    if (!FL_ARRAY_RESERVE(&c->undo_seen, c->component_words) ||
        !FL_ARRAY_PUSH(&c->undos, (checker_undo){index, c->records[index]})) {
        c->status = fl_fail(c->error, FL_ERR_MEMORY, "out of memory for dependencies");
        return false;
    }
    memcpy(c->undo_seen.data + c->undo_seen.count, c->seen_up + (size_t)index * c->component_words,
           c->component_words * sizeof *c->seen_up);
    c->undo_seen.count += c->component_words;
    return true;
}

static void add_component(checker *c, uint32_t component)
{
    uint64_t bit = UINT64_C(1) << (component % 64);
    fl_checker_set_component(c, component, true);
    c->chosen[c->chosen_count++] = component;
    for (uint32_t f = 0; f < c->flow_count && !c->status; f++)
        if (c->seen_up[(size_t)f * c->component_words + component / 64] & bit && remember(c, f))
            fl_checker_route_again(c, f);
}

/* Takes the last component back, with everything since `undos` and `store`. */
static void remove_component(checker *c, size_t undos, size_t store)
{
    while (c->undos.count > undos) {
        const checker_undo *u = &c->undos.data[--c->undos.count];
        c->undo_seen.count -= c->component_words;
        c->records[u->flow] = u->old;
        memcpy(c->seen_up + (size_t)u->flow * c->component_words,
               c->undo_seen.data + c->undo_seen.count, c->component_words * sizeof *c->seen_up);
    }
    c->store.count = store;
    fl_checker_set_component(c, c->chosen[--c->chosen_count], false);
}

static void try_every_set(checker *c, uint32_t first, unsigned left)
{
    if (left == 0) {
        judge(c);
        return;
    }
    for (uint32_t component = first; component + left <= c->components && !c->status; component++) {
        size_t undos = c->undos.count, store = c->store.count;
        add_component(c, component);
        if (!c->status)
            try_every_set(c, component + 1, left - 1);
        remove_component(c, undos, store);
    }
}

/* A random set of `faults` components, all sets equally likely, by Floyd's algorithm (Bentley and
 * Floyd, 1987). */
static void draw_set(checker *c, fl_rng *rng, unsigned faults, uint32_t *set)
{
    for (uint32_t j = c->components - faults, n = 0; j < c->components; j++, n++) {
        uint32_t t = fl_rng_below32(rng, j + 1);
        for (uint32_t i = 0; i < n; i++)
            if (set[i] == t)
                t = j;
        set[n] = t;
    }
}

static void try_samples(checker *c, unsigned faults, uint32_t *set)
{
    for (uint64_t trial = 0; trial < c->options->sample && !c->status; trial++) {
        fl_rng rng;
        size_t undos = c->undos.count, store = c->store.count;
        fl_rng_seed(&rng, c->options->seed, FL_PURPOSE_FAULTS, trial);
        draw_set(c, &rng, faults, set);
        for (unsigned i = 0; i < faults && !c->status; i++)
            add_component(c, set[i]);
        if (!c->status)
            judge(c);
        while (c->chosen_count > 1)
            fl_checker_set_component(c, c->chosen[--c->chosen_count], false);
        if (c->chosen_count > 0)
            remove_component(c, undos, store);
    }
}

/* ---- making ---- */

static bool make_room(checker *c)
{
    c->records = calloc((size_t)c->flow_count + 1, sizeof *c->records);
    c->seen_up = calloc(((size_t)c->flow_count + 1) * c->component_words, sizeof *c->seen_up);
    c->states = malloc(FL_CHECKER_STATES_MAX * sizeof *c->states);
    c->candidates = malloc(FL_CHECKER_CANDIDATES_MAX * sizeof *c->candidates);
    c->chosen = malloc(((size_t)c->components + 1) * sizeof *c->chosen);
    c->cycle = malloc(((size_t)c->graph->count + 1) * sizeof *c->cycle);
    return c->records && c->seen_up && c->states && c->candidates && c->chosen && c->cycle;
}

static void tear_down(checker *c)
{
    fl_channel_graph_destroy(c->graph);
    fl_order_destroy(c->order);
    free(c->component_name);
    free(c->component_links_from);
    free(c->component_links);
    free(c->link_components_from);
    free(c->link_components);
    free(c->down_count);
    free(c->code);
    free(c->flows);
    free(c->records);
    free(c->seen_up);
    FL_ARRAY_CLEAR(&c->store);
    FL_ARRAY_CLEAR(&c->undos);
    FL_ARRAY_CLEAR(&c->undo_seen);
    free(c->states);
    free(c->candidates);
    free(c->chosen);
    free(c->cycle);
}

static fl_status set_up(checker *c)
{
    fl_status status =
        fl_channel_graph_create(&c->graph, c->network, c->router->channels, c->error);
    if (!status)
        status = fl_order_create_custom(&c->order, c->network, fl_checker_answer, c, c->error);
    if (!status && (!fl_checker_number_components(c) || !fl_checker_list_flows(c) || !make_room(c)))
        status = c->status ? c->status
                           : fl_fail(c->error, FL_ERR_MEMORY, "out of memory for the flows of %s",
                                     c->network->spec);
    for (uint32_t f = 0; !status && f < c->flow_count; f++) {
        fl_checker_route_again(c, f);
        status = c->status;
    }
    return status;
}

static uint64_t sets_of(uint64_t components, unsigned faults)
{
    long double sets = 1;
    for (unsigned i = 0; i < faults; i++)
        sets = sets * (long double)(components - i) / (long double)(i + 1);
    return sets < 1e18L ? (uint64_t)(sets + 0.5L) : UINT64_MAX;
}

static fl_status try_one_set(checker *c, const uint64_t *components, unsigned faults)
{
    for (unsigned i = 0; i < faults && !c->status; i++) {
        uint32_t component = fl_checker_find_component(c, components[i]);
        if (component == NO_COMPONENT)
            return fl_fail(c->error, FL_ERR_INVALID, "component %llu of the fault set cannot fail",
                           (unsigned long long)components[i]);
        add_component(c, component);
    }
    if (!c->status)
        judge(c);
    return c->status;
}

static fl_status try_sets(checker *c, unsigned faults)
{
    if (faults > c->components)
        return fl_fail(c->error, FL_ERR_INVALID, "%u faults: only %u components can fail", faults,
                       c->components);
    c->result->sampled = c->options->sample > 0;
    if (!c->options->sample) {
        try_every_set(c, 0, faults);
        return c->status;
    }
    uint32_t *set = malloc(((size_t)faults + 1) * sizeof *set);
    if (!set)
        return fl_fail(c->error, FL_ERR_MEMORY, "out of memory for fault sets");
    try_samples(c, faults, set);
    free(set);
    return c->status;
}

static fl_status check(fl_deadlock_result *out, const fl_router *router,
                       const fl_fault_model *model, const uint64_t *components, unsigned faults,
                       const fl_deadlock_options *options, fl_error *error)
{
    static const fl_deadlock_options defaults = {0};
    checker c = {.router = router,
                 .model = model,
                 .options = options ? options : &defaults,
                 .network = router->network,
                 .result = out,
                 .error = error};
    *out = (fl_deadlock_result){.faults = faults};
    if (!router->next)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is a limit, not a router: its packets hold no channels", router->name);
    c.sets_to_try = components          ? 1
                    : c.options->sample ? c.options->sample
                                        : sets_of(fl_fault_model_components(model), faults);
    fl_status status = set_up(&c);
    if (!status)
        status = components ? try_one_set(&c, components, faults) : try_sets(&c, faults);
    tear_down(&c);
    if (status) {
        fl_deadlock_witness_destroy(out->witness);
        out->witness = NULL;
    }
    return status;
}

fl_status fl_deadlock_check(fl_deadlock_result *out, const fl_router *router,
                            const fl_fault_model *model, unsigned faults,
                            const fl_deadlock_options *options, fl_error *error)
{
    return check(out, router, model, NULL, faults, options, error);
}

fl_status fl_deadlock_check_set(fl_deadlock_result *out, const fl_router *router,
                                const fl_fault_model *model, const uint64_t *components,
                                unsigned faults, const fl_deadlock_options *options,
                                fl_error *error)
{
    return check(out, router, model, components, faults, options, error);
}
