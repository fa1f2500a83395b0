#include "analysis/deadlock/dependencies.h"
#include "analysis/deadlock/growing.h"

#include <stdlib.h>
#include <string.h>

/* Fault sets one after the other, each a step from the one before it.
 *
 * What a packet does holds until a link goes down that some switch on its way saw up (the same
 * idea as in the sweep). So the sets are visited depth first, part by part, and with every part
 * only the flows are routed again that saw a link of it up. A flow is a source switch and a
 * destination for routers that know no more (fl_router_type.switch_to_switch), else a pair of
 * nodes. On MiKANT(3,3) that is about a tenth of the flows a set. */

enum {
    CANDIDATES_MAX = 512,
    STATES_MAX = FL_STEPS_MAX,
    WITNESSES_WEIGHED = 256,
    WORK_OF_SET = 64,
    WORK_BETWEEN_REPORTS = 4096
};
#define NO_COMPONENT UINT32_MAX
#define BYTES_MAX    16e9L /* for what is known of flows */

typedef struct flow {
    fl_address source, destination;
    uint32_t switch_from;
} flow;

/* What a flow does under the present faults. */
typedef struct record {
    uint32_t first, count; /* dependencies in the pool */
} record;

typedef struct dependency {
    uint32_t from, to;
} dependency;

typedef struct undo {
    uint32_t flow;
    record old;
} undo;

typedef struct checker {
    const fl_router *router;
    const fl_fault_model *model;
    const fl_deadlock_options *options;
    const fl_network *network;
    fl_channel_graph *graph;
    fl_order *order;

    uint64_t *component_name; /* [parts] numbers of the fault model, rising */
    uint32_t components, component_words;
    uint32_t *component_links_from;                   /* [parts + 1] into component_links */
    uint32_t *component_links;                        /* link indices */
    uint32_t *down_count;                             /* [links] parts of the link that are down */
    uint32_t *link_components_from, *link_components; /* the other way round: link index -> parts */
    uint64_t *code;                                   /* [links] */

    flow *flows;
    uint32_t flow_count;
    record *records;   /* [flow_count] */
    uint64_t *seen_up; /* [flow_count * component_words] parts of links seen up */
    FL_GROWING(dependency) store;
    FL_GROWING(undo) undos;
    FL_GROWING(uint64_t) undo_seen; /* component_words of every undo */

    fl_transit *states; /* of one flow: visited and to be visited */
    fl_candidate *candidates;
    uint64_t *seen; /* [component_words] by the flow that is being routed */

    uint32_t *chosen; /* parts of the present set */
    unsigned chosen_count;
    fl_deadlock_result *result;
    uint32_t *cycle; /* [channels] */
    uint64_t weighed, sets_to_try;
    uint32_t work; /* since the last report of progress, in flows */
    fl_status status;
    fl_error *error;
} checker;

/* ---- faults ---- */

static uint32_t link_index(const checker *c, fl_link link)
{
    return (uint32_t)c->network->type->link_index(c->network, link);
}

static uint32_t answer(fl_order *order, fl_link link)
{
    const checker *c = order->user;
    return c->down_count[link_index(c, link)] > 0 ? 0 : FL_NEVER_FAILS;
}

static void set_component(checker *c, uint32_t component, bool down)
{
    for (uint32_t i = c->component_links_from[component];
         i < c->component_links_from[component + 1]; i++) {
        uint32_t link = c->component_links[i];
        c->down_count[link] += down ? 1 : UINT32_MAX;
        if (c->order->direct_size && c->order->direct[c->code[link]] != FL_NOT_DRAWN)
            c->order->direct[c->code[link]] = c->down_count[link] > 0 ? 0 : FL_NEVER_FAILS;
    }
    if (!c->order->direct_size)
        fl_order_forget(c->order);
}

static void hear(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    checker *c = user;
    (void)from, (void)port;
    if (!up)
        return;
    uint32_t index = link_index(c, link);
    for (uint32_t i = c->link_components_from[index]; i < c->link_components_from[index + 1]; i++)
        c->seen[c->link_components[i] / 64] |= UINT64_C(1) << (c->link_components[i] % 64);
}

/* ---- routing one flow ---- */

static void add_dependency(checker *c, uint32_t from, uint32_t to)
{
    if (FL_EXTEND(c->store, 1))
        c->store.data[c->store.count - 1] = (dependency){from, to};
    else
        c->status = fl_fail(c->error, FL_ERR_MEMORY, "out of memory for dependencies");
}

/* Takes one candidate from a state; the state behind it is new unless the flow has been there. */
static void take(checker *c, const fl_transit *at, const fl_candidate *candidate, unsigned *states)
{
    fl_transit behind;
    fl_violation violation = fl_transit_take(c->graph, c->router, at, candidate, &behind);
    if (violation) {
        c->status = fl_step_fail(c->router, at->here, violation, c->error);
        return;
    }
    if (fl_address_is_node(behind.here))
        return;
    if (at->channel != UINT32_MAX)
        add_dependency(c, at->channel, behind.channel);
    for (unsigned i = 0; i < *states; i++)
        if (fl_transit_same(&c->states[i], &behind))
            return;
    if (*states < STATES_MAX)
        c->states[(*states)++] = behind;
    else if (c->options->all_candidates)
        c->status = fl_fail(c->error, FL_ERR_STOPPED,
                            "more than %d states of one packet of '%s': too many to follow",
                            STATES_MAX, c->router->name);
    else
        c->status = fl_step_fail(c->router, at->here, FL_NEVER_ENDS, c->error);
}

static void route(checker *c, const flow *f)
{
    unsigned states = 1;
    c->states[0] = fl_transit_start(c->graph, &(fl_end){f->source, f->switch_from}, f->destination);
    for (unsigned i = 0; i < states && !c->status; i++) {
        fl_transit at = c->states[i];
        fl_decision decision = {.wanted = c->options->all_candidates ? CANDIDATES_MAX : 1,
                                .candidates = c->candidates};
        fl_view view = {.network = c->network,
                        .order = c->order,
                        .here = at.here,
                        .holds_until = FL_NEVER_FAILS,
                        .enabled_rules = c->router->enabled_rules,
                        .scope = c->router->scope,
                        .listener = hear,
                        .listener_user = c};
        if (!fl_step_ask(c->router, &at.packet, &view, &decision) && view.violation)
            c->status = fl_step_fail_view(c->router, &view, c->error);
        for (unsigned w = 0; w < decision.count && !c->status; w++)
            take(c, &at, &c->candidates[w], &states);
    }
}

/* The link by which a flow enters: some node of its switch must have a healthy one. */
static bool can_start(checker *c, const flow *f)
{
    bool any = false;
    fl_address here = c->graph->address[f->switch_from];
    fl_hop hop;
    if (c->network->node_ports > 1)
        return true; /* the router is asked there */
    if (!fl_router_is_by_switch(c->router)) {
        fl_network_step(c->network, f->source, 0, &hop);
        bool up = fl_order_fails_at(c->order, hop.link) > 0;
        hear(c, f->source, 0, hop.link, up);
        return up;
    }
    for (uint32_t port = 0; port < c->graph->radix; port++)
        if (fl_network_step(c->network, here, (fl_port)port, &hop) && fl_address_is_node(hop.to)) {
            bool up = fl_order_fails_at(c->order, hop.link) > 0;
            hear(c, here, (fl_port)port, hop.link, up);
            any |= up;
        }
    return any;
}

/* Reports progress, and stops when asked to. */
static void count_work(checker *c, uint32_t flows)
{
    c->work += flows;
    if (c->work < WORK_BETWEEN_REPORTS || !c->options->progress)
        return;
    c->work = 0;
    if (!c->options->progress(c->options->user, c->result->fault_sets, c->sets_to_try) &&
        !c->status)
        c->status = fl_fail(c->error, FL_ERR_STOPPED, "stopped");
}

static void route_again(checker *c, uint32_t index)
{
    record *r = &c->records[index];
    c->seen = c->seen_up + (size_t)index * c->component_words;
    memset(c->seen, 0, c->component_words * sizeof *c->seen);
    r->first = (uint32_t)c->store.count;
    if (can_start(c, &c->flows[index]))
        route(c, &c->flows[index]);
    r->count = (uint32_t)c->store.count - r->first;
    count_work(c, 1);
}

/* ---- one set ---- */

static void build_graph(checker *c)
{
    fl_channel_graph_clear(c->graph);
    for (uint32_t f = 0; f < c->flow_count; f++) {
        const dependency *d = c->store.data + c->records[f].first;
        for (uint32_t i = 0; i < c->records[f].count; i++)
            fl_channel_graph_add(c->graph, d[i].from, d[i].to);
    }
}

static uint64_t pairs_of(const checker *c, const flow *f)
{
    if (!fl_router_is_by_switch(c->router))
        return 1;
    uint64_t nodes[2] = {0, 0};
    fl_hop last;
    fl_network_step(c->network, f->destination, 0, &last);
    fl_address ends[2] = {c->graph->address[f->switch_from], last.to};
    for (int end = 0; end < 2; end++)
        for (uint32_t port = 0; port < c->graph->radix; port++) {
            fl_hop hop;
            bool node = fl_network_step(c->network, ends[end], (fl_port)port, &hop) &&
                        fl_address_is_node(hop.to);
            nodes[end] += node && (end == 1 || fl_order_fails_at(c->order, hop.link) > 0);
        }
    return nodes[0] * nodes[1];
}

static void find_holders(const checker *c, fl_cycle_step *step, uint32_t from, uint32_t to)
{
    for (uint32_t f = 0; f < c->flow_count; f++) {
        const dependency *d = c->store.data + c->records[f].first;
        uint32_t i = 0;
        while (i < c->records[f].count && (d[i].from != from || d[i].to != to))
            i++;
        if (i == c->records[f].count)
            continue;
        if (step->pairs == 0) {
            step->source = c->flows[f].source;
            step->destination = c->flows[f].destination;
        }
        step->pairs += pairs_of(c, &c->flows[f]);
    }
}

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
        find_holders(c, &w->cycle[i], c->cycle[i], c->cycle[(i + 1) % length]);
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
    build_graph(c);
    result->fault_sets++;
    if (fl_channel_graph_has_cycle(c->graph)) {
        result->cyclic++;
        keep_if_shortest(c);
    }
    count_work(c, WORK_OF_SET);
}

/* ---- from set to set ---- */

static bool remember(checker *c, uint32_t index)
{
    size_t seen = c->undo_seen.count;
    if (!FL_EXTEND(c->undo_seen, c->component_words) || !FL_EXTEND(c->undos, 1)) {
        c->undo_seen.count = seen;
        c->status = fl_fail(c->error, FL_ERR_MEMORY, "out of memory for dependencies");
        return false;
    }
    c->undos.data[c->undos.count - 1] = (undo){index, c->records[index]};
    memcpy(c->undo_seen.data + seen, c->seen_up + (size_t)index * c->component_words,
           c->component_words * sizeof *c->seen_up);
    return true;
}

static void add_component(checker *c, uint32_t component)
{
    uint64_t bit = UINT64_C(1) << (component % 64);
    set_component(c, component, true);
    c->chosen[c->chosen_count++] = component;
    for (uint32_t f = 0; f < c->flow_count && !c->status; f++)
        if (c->seen_up[(size_t)f * c->component_words + component / 64] & bit && remember(c, f))
            route_again(c, f);
}

/* Takes the last part back, with everything since `undos` and `pool`. */
static void remove_component(checker *c, size_t undos, size_t store)
{
    while (c->undos.count > undos) {
        const undo *u = &c->undos.data[--c->undos.count];
        c->undo_seen.count -= c->component_words;
        c->records[u->flow] = u->old;
        memcpy(c->seen_up + (size_t)u->flow * c->component_words,
               c->undo_seen.data + c->undo_seen.count, c->component_words * sizeof *c->seen_up);
    }
    c->store.count = store;
    set_component(c, c->chosen[--c->chosen_count], false);
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

/* A random set of exactly so many parts, all equally likely, by Floyd's algorithm (Bentley and
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
            set_component(c, c->chosen[--c->chosen_count], false);
        if (c->chosen_count > 0)
            remove_component(c, undos, store);
    }
}

/* ---- setting up ---- */

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t find_component(const checker *c, uint64_t name)
{
    const uint64_t *found =
        bsearch(&name, c->component_name, c->components, sizeof name, compare_numbers);
    return found ? (uint32_t)(found - c->component_name) : NO_COMPONENT;
}

/* Numbers the parts densely and lists links by part and parts by link. */
static bool number_components(checker *c)
{
    uint64_t names[FL_LINK_COMPONENTS_MAX], links = c->network->links;
    size_t total = 0, at = 0;
    c->code = malloc(links * sizeof *c->code);
    c->down_count = calloc(links, sizeof *c->down_count);
    c->link_components_from = malloc((links + 1) * sizeof *c->link_components_from);
    if (!c->code || !c->down_count || !c->link_components_from)
        return false;
    for (uint64_t link = 0; link < links; link++) {
        c->code[link] = c->network->type->link_code(c->network, link);
        c->link_components_from[link] = (uint32_t)total;
        total += fl_fault_model_components_of(c->model, c->code[link], names);
    }
    c->link_components_from[links] = (uint32_t)total;
    c->component_name = malloc((total + 1) * sizeof *c->component_name);
    c->link_components = malloc((total + 1) * sizeof *c->link_components);
    c->component_links = malloc((total + 1) * sizeof *c->component_links);
    if (!c->component_name || !c->link_components || !c->component_links)
        return false;
    for (uint64_t link = 0; link < links; link++)
        at += fl_fault_model_components_of(c->model, c->code[link], c->component_name + at);
    qsort(c->component_name, total, sizeof *c->component_name, compare_numbers);
    for (size_t i = 0; i < total; i++)
        if (c->components == 0 || c->component_name[i] != c->component_name[c->components - 1])
            c->component_name[c->components++] = c->component_name[i];
    c->component_words = c->components / 64 + 1;
    c->component_links_from = calloc((size_t)c->components + 2, sizeof *c->component_links_from);
    uint32_t *fill = calloc((size_t)c->components + 1, sizeof *fill);
    if (!c->component_links_from || !fill) {
        free(fill);
        return false;
    }
    for (uint64_t link = 0; link < links; link++) {
        unsigned count = fl_fault_model_components_of(c->model, c->code[link], names);
        for (unsigned i = 0; i < count; i++) {
            uint32_t component = find_component(c, names[i]);
            c->link_components[c->link_components_from[link] + i] = component;
            c->component_links_from[component + 1]++;
        }
    }
    for (uint32_t component = 0; component < c->components; component++)
        c->component_links_from[component + 1] += c->component_links_from[component];
    for (uint64_t link = 0; link < links; link++)
        for (uint32_t i = c->link_components_from[link]; i < c->link_components_from[link + 1];
             i++) {
            uint32_t component = c->link_components[i];
            c->component_links[c->component_links_from[component] + fill[component]++] =
                (uint32_t)link;
        }
    free(fill);
    return true;
}

/* All pairs of nodes of different switches, or one of each pair of switches. (Packets that stay at
 * their switch hold no channel between switches. With several ports a node has no switch: all
 * pairs.) */
static bool list_flows(checker *c)
{
    uint64_t listed;
    fl_end *ends = fl_channel_graph_ends(c->graph, fl_router_is_by_switch(c->router), &listed);
    long double bytes_a_flow =
        sizeof(flow) + sizeof(record) + c->component_words * (long double)sizeof *c->seen_up;
    long double bytes = (long double)listed * (long double)listed * bytes_a_flow;
    if (bytes > BYTES_MAX) {
        c->status = fl_fail(
            c->error, FL_ERR_INVALID,
            "%s is too large for fault sets one by one: %llu x %llu flows would take %.0Lf GB",
            c->network->spec, (unsigned long long)listed, (unsigned long long)listed, bytes / 1e9L);
        free(ends);
        return false;
    }
    c->flows = ends ? malloc((listed * listed + 1) * sizeof *c->flows) : NULL;
    for (uint64_t a = 0; c->flows && a < listed; a++)
        for (uint64_t b = 0; b < listed; b++)
            if (c->network->node_ports > 1 ? a != b : ends[a].at != ends[b].at)
                c->flows[c->flow_count++] = (flow){ends[a].node, ends[b].node, ends[a].at};
    free(ends);
    return c->flows != NULL;
}

static bool make_room(checker *c)
{
    c->records = calloc((size_t)c->flow_count + 1, sizeof *c->records);
    c->seen_up = calloc(((size_t)c->flow_count + 1) * c->component_words, sizeof *c->seen_up);
    c->states = malloc(STATES_MAX * sizeof *c->states);
    c->candidates = malloc(CANDIDATES_MAX * sizeof *c->candidates);
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
    free(c->store.data);
    free(c->undos.data);
    free(c->undo_seen.data);
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
        status = fl_order_create_custom(&c->order, c->network, answer, c, c->error);
    if (!status && (!number_components(c) || !list_flows(c) || !make_room(c)))
        status = c->status ? c->status
                           : fl_fail(c->error, FL_ERR_MEMORY, "out of memory for the flows of %s",
                                     c->network->spec);
    for (uint32_t f = 0; !status && f < c->flow_count; f++) {
        route_again(c, f);
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
        uint32_t component = find_component(c, components[i]);
        if (component == NO_COMPONENT)
            return fl_fail(c->error, FL_ERR_INVALID, "part %llu of the fault set cannot fail",
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
        return fl_fail(c->error, FL_ERR_INVALID, "%u faults: only %u parts can fail", faults,
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
