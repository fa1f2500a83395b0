/* Deadlock and livelock: the engine against a reference that walks every pair of nodes, fills a
 * matrix of dependencies, and searches for cycles with Floyd and Warshall's algorithm; proofs
 * against fault sets tried one by one. */
#include "analysis/deadlock/dependencies.h"
#include "tests/support.h"

#include <stdio.h>

/* ---- the reference ---- */

enum { NO_CANDIDATE = 1000000 };

/* Dependencies between channels (switch * radix + port) * V + vc, and how many pairs create each.
 */
typedef struct matrix {
    const fl_network *network;
    unsigned channels_a_link, count;
    unsigned *pairs;    /* [count * count] */
    unsigned *distance; /* [count * count] */
    int last;           /* channel of the current packet, -1: none */
    bool *seen;         /* [count * count] by the current packet */
} matrix;

static matrix *need_matrix(const fl_network *network, unsigned channels_a_link)
{
    matrix *m = need_memory(1, sizeof *m);
    *m = (matrix){.network = network,
                  .channels_a_link = channels_a_link,
                  .count = (unsigned)network->switches * network->radix * channels_a_link};
    m->pairs = need_memory((size_t)m->count * m->count, sizeof *m->pairs);
    m->distance = need_memory((size_t)m->count * m->count, sizeof *m->distance);
    m->seen = need_memory((size_t)m->count * m->count, sizeof *m->seen);
    return m;
}

static void free_matrix(matrix *m)
{
    free(m->pairs);
    free(m->distance);
    free(m->seen);
    free(m);
}

static unsigned channel_of(const matrix *m, fl_address from, fl_port port, unsigned vc)
{
    return ((unsigned)m->network->type->switch_index(m->network, from) * m->network->radix + port) *
               m->channels_a_link +
           vc;
}

static void begin_packet(matrix *m)
{
    m->last = -1;
    memset(m->seen, 0, (size_t)m->count * m->count * sizeof *m->seen);
}

static void travel(matrix *m, fl_address from, fl_address to, fl_port port, unsigned vc)
{
    if (fl_address_is_node(from) || fl_address_is_node(to))
        return;
    unsigned channel = channel_of(m, from, port, vc);
    if (m->last >= 0 && !m->seen[(unsigned)m->last * m->count + channel]) {
        m->seen[(unsigned)m->last * m->count + channel] = true;
        m->pairs[(unsigned)m->last * m->count + channel]++;
    }
    m->last = (int)channel;
}

static void hear_hop(void *user, const fl_walk_hop *hop)
{
    travel(user, hop->from, hop->to, hop->port, hop->channel);
}

static fl_port port_between(const fl_network *network, fl_address from, fl_address to)
{
    fl_hop hop;
    for (unsigned port = 0; port < network->radix; port++)
        if (fl_network_step(network, from, (fl_port)port, &hop) && hop.to == to)
            return (fl_port)port;
    cr_assert(false, "neighbours have a port to each other");
    return 0;
}

/* Every pair, by the reference router (one channel), or by the router walked hop by hop. */
static void fill_by_reference(matrix *m, const twin *t, unsigned rules, fl_scope scope)
{
    memset(m->pairs, 0, (size_t)m->count * m->count * sizeof *m->pairs);
    int nodes = ref_node_count(t->reference);
    for (int source = 0; source < nodes; source++)
        for (int destination = 0; destination < nodes; destination++) {
            ref_route route;
            if (source == destination)
                continue;
            ref_route_packet(t->reference, t->down, rules,
                             scope == FL_SCOPE_LOCAL ? REF_SCOPE_LOCAL : REF_SCOPE_DETOUR, source,
                             destination, &route);
            begin_packet(m);
            for (int i = 2; i < route.path_count; i++) {
                fl_address from = t->address[route.path[i - 1]], to = t->address[route.path[i]];
                travel(m, from, to, port_between(t->network, from, to), 0);
            }
        }
}

static void fill_by_walking(matrix *m, const twin *t, fl_order *order, const fl_router *router)
{
    memset(m->pairs, 0, (size_t)m->count * m->count * sizeof *m->pairs);
    for (uint64_t source = 0; source < t->network->nodes; source++)
        for (uint64_t destination = 0; destination < t->network->nodes; destination++) {
            fl_view view = {.network = t->network,
                            .order = order,
                            .enabled_rules = router->enabled_rules,
                            .scope = router->scope,
                            .holds_until = FL_NEVER_FAILS};
            fl_walk_result result;
            fl_error error = {.text = ""};
            if (source == destination)
                continue;
            begin_packet(m);
            fl_status status =
                fl_walk(router, &view, t->network->type->node_address(t->network, source),
                        t->network->type->node_address(t->network, destination), hear_hop, m,
                        &result, &error);
            cr_assert(status == FL_OK, "%s", error.text);
        }
}

/* Length of a shortest cycle, NO_CANDIDATE if there is none. */
static unsigned shortest_cycle(matrix *m)
{
    unsigned n = m->count, best = NO_CANDIDATE, *d = m->distance;
    for (size_t i = 0; i < (size_t)n * n; i++)
        d[i] = m->pairs[i] ? 1 : NO_CANDIDATE;
    for (unsigned via = 0; via < n; via++)
        for (unsigned from = 0; from < n; from++) {
            if (d[from * n + via] == NO_CANDIDATE)
                continue;
            for (unsigned to = 0; to < n; to++)
                if (d[from * n + via] + d[via * n + to] < d[from * n + to])
                    d[from * n + to] = d[from * n + via] + d[via * n + to];
        }
    for (unsigned i = 0; i < n; i++)
        best = d[i * n + i] < best ? d[i * n + i] : best;
    return best;
}

/* ---- one network, one router, all fault sets ---- */

typedef struct scene {
    twin *twin;
    fl_order *order;
    fl_fault_model *model;
    fl_router *router;
    unsigned rules;
    bool by_walking; /* else by the reference router */
    matrix *matrix;
    fl_link links[64]; /* those that can fail */
    unsigned link_count;
    unsigned chosen[4];
    uint64_t sets, cyclic;
    unsigned shortest;
    bool each;                    /* also run the engine on every single set */
    fl_channel_graph *all_faults; /* NULL, or every dependency must be in it */
} scene;

static const uint64_t no_faults;
static const fl_axis zero = {.fault_points = 1, .counts = &no_faults};

static scene *need_scene_with(twin *t, const char *name, unsigned rules, fl_scope scope,
                              const char *model)
{
    scene *s = need_memory(1, sizeof *s);
    *s = (scene){.twin = t,
                 .order = need_twin_order(t),
                 .model = need_model(t->network, model, &zero),
                 .router = need_router(t->network, name, scope),
                 .rules = rules,
                 .by_walking = strchr(name, '@') != NULL};
    s->matrix = need_matrix(t->network, s->router->channels);
    for (uint64_t i = 0; i < t->network->links; i++) {
        uint64_t components[FL_LINK_COMPONENTS_MAX];
        fl_link link = t->network->type->link_code(t->network, i);
        if (fl_fault_model_components_of(s->model, link, components) > 0 && s->link_count < 64)
            s->links[s->link_count++] = link;
    }
    return s;
}

static scene *need_scene(twin *t, const char *name, unsigned rules, fl_scope scope)
{
    return need_scene_with(t, name, rules, scope, "links:class=switch-links");
}

static void free_scene(scene *s)
{
    fl_channel_graph_destroy(s->all_faults);
    free_matrix(s->matrix);
    fl_router_destroy(s->router);
    fl_fault_model_destroy(s->model);
    fl_order_destroy(s->order);
    free(s);
}

static void take_down(scene *s, unsigned faults)
{
    twin *t = s->twin;
    memset(t->down, 0, (size_t)ref_link_count(t->reference) * sizeof *t->down);
    for (unsigned i = 0; i < faults; i++)
        t->down[t->link[t->network->type->link_index(t->network, s->links[s->chosen[i]])]] = true;
    fl_order_forget(s->order);
}

static void expect_in_proof(const scene *s)
{
    const matrix *m = s->matrix;
    for (unsigned from = 0; from < m->count; from++)
        for (unsigned to = 0; to < m->count; to++)
            if (m->pairs[from * m->count + to])
                cr_assert(fl_channel_graph_has(s->all_faults, from, to),
                          "%s: the proof knows of channel %u -> %u", s->router->name, from, to);
}

/* The engine on this one set: the same verdict, a cycle as short, and the same number of pairs. */
static void compare_set(scene *s, unsigned faults, unsigned length)
{
    fl_deadlock_result result;
    fl_error error = {.text = ""};
    uint64_t components[4];
    for (unsigned i = 0; i < faults; i++)
        components[i] = s->links[s->chosen[i]];
    cr_assert(fl_deadlock_check_set(&result, s->router, s->model, components, faults, NULL,
                                    &error) == FL_OK,
              "%s", error.text);
    cr_assert_eq(result.cyclic > 0, length != NO_CANDIDATE);
    if (length != NO_CANDIDATE) {
        const fl_deadlock_witness *w = result.witness;
        cr_assert_eq(w->length, length, "%s: a cycle of %u channels is found, the shortest has %u",
                     s->router->name, w->length, length);
        cr_assert_eq(w->link_count, faults);
        for (unsigned i = 0; i < length; i++) {
            const fl_channel *a = &w->cycle[i].channel, *b = &w->cycle[(i + 1) % length].channel;
            unsigned from = channel_of(s->matrix, a->from, a->port, a->number),
                     to = channel_of(s->matrix, b->from, b->port, b->number);
            cr_assert_eq(w->cycle[i].pairs, s->matrix->pairs[from * s->matrix->count + to]);
        }
    }
    fl_deadlock_witness_destroy(result.witness);
}

static void judge(scene *s, unsigned faults)
{
    take_down(s, faults);
    if (s->by_walking)
        fill_by_walking(s->matrix, s->twin, s->order, s->router);
    else
        fill_by_reference(s->matrix, s->twin, s->rules, s->router->scope);
    unsigned length = shortest_cycle(s->matrix);
    s->sets++;
    s->cyclic += length != NO_CANDIDATE;
    s->shortest = length < s->shortest ? length : s->shortest;
    if (s->all_faults)
        expect_in_proof(s);
    if (s->each)
        compare_set(s, faults, length);
}

static void go_through(scene *s, unsigned first, unsigned depth, unsigned faults)
{
    if (depth == faults) {
        judge(s, faults);
        return;
    }
    for (unsigned link = first; link < s->link_count; link++) {
        s->chosen[depth] = link;
        go_through(s, link + 1, depth + 1, faults);
    }
}

/* Counts of the reference against those of the engine. */
static void compare_counts(scene *s, unsigned faults)
{
    fl_deadlock_result result;
    fl_error error = {.text = ""};
    s->sets = s->cyclic = 0;
    s->shortest = NO_CANDIDATE;
    go_through(s, 0, 0, faults);
    cr_assert(fl_deadlock_check(&result, s->router, s->model, faults, NULL, &error) == FL_OK, "%s",
              error.text);
    const char *scope = fl_scope_names[s->router->scope];
    cr_expect_eq(result.fault_sets, s->sets);
    cr_expect_eq(result.cyclic, s->cyclic,
                 "%s, %s, scope %s, %u faults: %llu sets are cyclic, by the reference %llu",
                 s->twin->network->spec, s->router->name, scope, faults,
                 (unsigned long long)result.cyclic, (unsigned long long)s->cyclic);
    cr_expect_eq(result.witness != NULL, s->cyclic > 0);
    if (result.witness && s->cyclic <= 256)
        cr_expect_eq(result.witness->length, s->shortest, "%s: of all cycles the shortest",
                     s->router->name);
    fl_deadlock_witness_destroy(result.witness);
}

static const struct {
    bool mikant;
    unsigned k, n;
} trees[] = {{true, 2, 3}, {true, 3, 2}, {false, 2, 3}, {false, 3, 2}, {true, 2, 2}};
enum { TREES = sizeof trees / sizeof trees[0] };

Test(deadlock, every_set_of_faults_is_judged_as_by_the_reference_router)
{
    for (unsigned i = 0; i < TREES; i++) {
        twin *t = need_twin(trees[i].mikant, trees[i].k, trees[i].n);
        rule_sets sets;
        list_rule_sets(trees[i].mikant, trees[i].n, &sets);
        for (unsigned set = 0; set < sets.count; set++)
            for (fl_scope scope = FL_SCOPE_DETOUR; scope <= FL_SCOPE_LOCAL; scope++) {
                scene *s = need_scene(t, sets.names[set], sets.rules[set], scope);
                for (unsigned faults = 0; faults <= (FL_TEST_DIVISOR > 1 ? 1 : 2); faults++)
                    compare_counts(s, faults);
                free_scene(s);
            }
        free_twin(t);
    }
}

Test(deadlock, sets_of_three_faults_are_judged_as_by_the_reference_router)
{
    static const struct {
        const char *name;
        unsigned rules;
    } routers[] = {{"gns", REF_GNS},
                   {"gdl", REF_GDL},
                   {"three-turn", REF_THREE_TURN},
                   {"gns+gdl", REF_GNS | REF_GDL}};
    twin *t = need_twin(true, 2, 3);
    for (unsigned i = 0; i < sizeof routers / sizeof routers[0] / (FL_TEST_DIVISOR > 1 ? 2 : 1);
         i++) {
        scene *s = need_scene(t, routers[i].name, routers[i].rules, FL_SCOPE_DETOUR);
        compare_counts(s, 3);
        free_scene(s);
    }
    free_twin(t);
}

Test(deadlock, each_set_has_the_shortest_cycle_and_the_pairs_of_the_reference)
{
    twin *t = need_twin(true, 2, 3);
    static const struct {
        const char *name;
        unsigned rules;
    } routers[] = {{"three-turn", REF_THREE_TURN},
                   {"gns+gdl+adaptive-up", REF_GNS | REF_GDL | REF_ADAPTIVE_UP}};
    for (unsigned i = 0; i < 2; i++) {
        scene *s = need_scene(t, routers[i].name, routers[i].rules, FL_SCOPE_DETOUR);
        s->each = true;
        for (unsigned faults = 0; faults <= 2; faults++)
            compare_counts(s, faults);
        free_scene(s);
    }
    free_twin(t);
}

Test(deadlock, links_of_nodes_that_fail_take_their_pairs_away)
{
    for (unsigned mikant = 0; mikant < 2; mikant++) {
        twin *t = need_twin(mikant, 2, mikant ? 2 : 3);
        scene *s = need_scene_with(t, "three-turn+gdl", REF_THREE_TURN | REF_GDL, FL_SCOPE_DETOUR,
                                   "links");
        s->each = true;
        for (unsigned faults = 0; faults <= 3; faults++)
            compare_counts(s, faults);
        cr_expect_gt(s->cyclic, 0, "there is something to compare");
        free_scene(s);
        free_twin(t);
    }
}

/* A router without declared properties is called for every pair of nodes. */
Test(deadlock, every_pair_of_nodes_by_itself_gives_the_same)
{
    twin *t = need_twin(true, 2, 3);
    scene *s = need_scene_with(t, "three-turn+adaptive-up", REF_THREE_TURN | REF_ADAPTIVE_UP,
                               FL_SCOPE_LOCAL, "links");
    fl_router_type type = *s->router->type;
    cr_assert(type.switch_to_switch);
    type.switch_to_switch = false;
    s->router->type = &type;
    s->each = true;
    for (unsigned faults = 0; faults <= (FL_TEST_DIVISOR > 1 ? 1 : 2); faults++)
        compare_counts(s, faults);
    cr_expect_gt(s->cyclic, 0, "there is something to compare");
    free_scene(s);
    free_twin(t);
}

static const char *const channelled[] = {"three-turn@one:2",   "gns@detours:2",
                                         "three-turn@phase:2", "three-turn@phase:4",
                                         "gns+gdl@escape:3",   "gns+three-turn+gdl@turns:2",
                                         "gns+gdl@turns:3",    "adaptive-up+three-turn@detours:3",
                                         "three-turn@spread:2"};
enum { CHANNELLED = sizeof channelled / sizeof channelled[0] };

Test(deadlock, vc_assignments_are_judged_as_by_walking_every_pair)
{
    for (unsigned i = 0; i < 3; i += 2) {
        twin *t = need_twin(trees[i].mikant, trees[i].k, trees[i].n);
        for (unsigned r = 0; r < CHANNELLED; r++) {
            scene *s = need_scene(t, channelled[r], 0, FL_SCOPE_DETOUR);
            for (unsigned faults = 0; faults <= 1; faults++)
                compare_counts(s, faults);
            free_scene(s);
        }
        free_twin(t);
    }
}

/* Packets of a flow and the channels that they use behind their first switch. */
typedef struct flow {
    uint32_t channels; /* as bits */
} flow;

static void note_channel(void *user, const fl_walk_hop *hop)
{
    flow *f = user;
    if (!fl_address_is_node(hop->from) && !fl_address_is_node(hop->to))
        f->channels |= UINT32_C(1) << hop->channel;
}

/* Flows by the set of channels that they use. */
static void count_flows(const char *topology, const char *router_name, unsigned by_set[static 256])
{
    fl_network *network = need_network(topology);
    fl_router *router = need_router(network, router_name, FL_SCOPE_DETOUR);
    fl_error error;
    fl_order *order;
    const fl_fault_set none = {0};
    cr_assert_eq(fl_order_create_fixed(&order, network, &none, &error), FL_OK);
    fl_view view = {.network = network,
                    .order = order,
                    .enabled_rules = router->enabled_rules,
                    .scope = router->scope};
    memset(by_set, 0, 256 * sizeof *by_set);
    for (uint64_t a = 0; a < network->nodes; a++)
        for (uint64_t b = 0; b < network->nodes; b++) {
            flow f = {0};
            fl_walk_result result;
            if (a == b)
                continue;
            cr_assert_eq(fl_walk(router, &view, network->type->node_address(network, a),
                                 network->type->node_address(network, b), note_channel, &f, &result,
                                 &error),
                         FL_OK);
            cr_assert_lt(f.channels, 256);
            by_set[f.channels]++;
        }
    fl_order_destroy(order);
    fl_router_destroy(router);
    fl_network_destroy(network);
}

/* 5% of about 1000 flows per channel: 1.7 standard deviations of a fair draw; the hash is fixed. */
Test(deadlock, spread_packets_keep_one_channel_and_use_all_evenly)
{
    unsigned by_set[256], flows;
    count_flows("mesh:k=8,n=2", "shortest@spread:4", by_set);
    for (unsigned set = 1; set < 256; set++) {
        bool single = set == 1 || set == 2 || set == 4 || set == 8;
        cr_expect(single ? by_set[set] > 950 && by_set[set] < 1060 : by_set[set] == 0,
                  "channels %x: %u flows", set, by_set[set]);
    }
    count_flows("torus:k=8,n=2", "shortest@dateline:4", by_set);
    unsigned low = by_set[1] + by_set[2] + by_set[3], high = by_set[4] + by_set[8] + by_set[12];
    flows = 64 * 63;
    cr_expect_eq(low + high, flows, "a packet leaves its pair of channels");
    cr_expect(low > flows * 45 / 100 && high > flows * 45 / 100, "%u and %u flows", low, high);
    cr_expect_gt(by_set[3] + by_set[12], 0, "some cross the dateline");
}

/* ---- proofs ---- */

/* Random fault sets of every size: the proof has all their dependencies, and where it proves that
 * there is no deadlock, there is none. */
static void hold_against_proof(twin *t, const char *name, fl_scope scope, fl_rng *rng)
{
    scene *s = need_scene(t, name, 0, scope);
    fl_error error = {.text = ""};
    fl_proof proof;
    s->by_walking = true;
    cr_assert(fl_channel_graph_of_all_faults(&s->all_faults, s->router, s->model, NULL, &error) ==
                  FL_OK,
              "%s", error.text);
    cr_assert(fl_router_prove(&proof, s->router, s->model, &(fl_proof_options){.seek = true},
                              &error) == FL_OK,
              "%s", error.text);
    s->sets = s->cyclic = 0;
    for (unsigned faults = 0; faults <= 1; faults++)
        go_through(s, 0, 0, faults);
    for (unsigned round = 0; round < TEST_ROUNDS(60); round++) {
        memset(t->down, 0, (size_t)ref_link_count(t->reference) * sizeof *t->down);
        for (unsigned i = 0; i < s->link_count; i++)
            t->down[t->link[t->network->type->link_index(t->network, s->links[i])]] =
                fl_rng_below(rng, 60) < round;
        fl_order_forget(s->order);
        fill_by_walking(s->matrix, t, s->order, s->router);
        s->cyclic += shortest_cycle(s->matrix) != NO_CANDIDATE;
        expect_in_proof(s);
    }
    if (proof.deadlock_free)
        cr_expect_eq(s->cyclic, 0, "%s, %s: proven deadlock-free", t->network->spec, name);
    cr_expect_eq(proof.deadlock_free, !fl_channel_graph_has_cycle(s->all_faults));
    if (proof.witness) {
        fl_deadlock_result again;
        cr_assert(fl_deadlock_check_set(&again, s->router, s->model, proof.witness->components,
                                        proof.witness->faults, NULL, &error) == FL_OK);
        cr_expect_eq(again.cyclic, 1, "%s, %s: a witness has a cycle", t->network->spec, name);
        fl_deadlock_witness_destroy(again.witness);
    }
    fl_proof_clear(&proof);
    free_scene(s);
}

Test(proof, knows_every_dependency_that_there_is_and_never_promises_too_much)
{
    fl_rng rng;
    fl_rng_seed_raw(&rng, 3, 1);
    for (unsigned i = 0; i < 4; i++) {
        twin *t = need_twin(trees[i].mikant, trees[i].k, trees[i].n);
        rule_sets sets;
        list_rule_sets(trees[i].mikant, trees[i].n, &sets);
        for (unsigned set = 0; set < sets.count; set++) {
            char name[80];
            snprintf(name, sizeof name, "%s@turns:%u", sets.names[set], 1 + set % 4);
            hold_against_proof(t, sets.names[set], FL_SCOPE_DETOUR, &rng);
            hold_against_proof(t, sets.names[set], FL_SCOPE_LOCAL, &rng);
            hold_against_proof(t, name, FL_SCOPE_DETOUR, &rng);
        }
        for (unsigned r = 0; r < CHANNELLED && trees[i].n > 2; r++)
            hold_against_proof(t, channelled[r], FL_SCOPE_DETOUR, &rng);
        free_twin(t);
    }
}

/* Longest delivered path over all pairs and all sets of up to two faults, and random larger ones.
 */
static uint32_t longest_walked(twin *t, const fl_router *router, fl_rng *rng)
{
    fl_order *order = need_twin_order(t);
    uint32_t longest = 0;
    for (unsigned round = 0; round < TEST_ROUNDS(400); round++) {
        fail_at_random(t, order, rng, (double)(round % 40) / 100);
        for (uint64_t source = 0; source < t->network->nodes; source++)
            for (uint64_t destination = 0; destination < t->network->nodes; destination++) {
                fl_view view = {.network = t->network,
                                .order = order,
                                .enabled_rules = router->enabled_rules,
                                .scope = router->scope,
                                .holds_until = FL_NEVER_FAILS};
                fl_walk_result result = {0};
                if (source != destination)
                    cr_assert(fl_walk(router, &view,
                                      t->network->type->node_address(t->network, source),
                                      t->network->type->node_address(t->network, destination), NULL,
                                      NULL, &result, NULL) == FL_OK);
                longest = result.delivered && result.length > longest ? result.length : longest;
            }
    }
    fl_order_destroy(order);
    return longest;
}

Test(proof, bounds_the_length_of_every_path_and_no_higher_than_the_formula)
{
    fl_rng rng;
    fl_rng_seed_raw(&rng, 4, 1);
    for (unsigned i = 0; i < 3; i++) {
        twin *t = need_twin(trees[i].mikant, trees[i].k, trees[i].n);
        fl_fault_model *model = need_model(t->network, "links", &zero);
        rule_sets sets;
        list_rule_sets(trees[i].mikant, trees[i].n, &sets);
        for (unsigned set = 0; set < sets.count; set++) {
            fl_router *router = need_router(t->network, sets.names[set], FL_SCOPE_DETOUR);
            fl_proof proof;
            fl_error error = {.text = ""};
            cr_assert(fl_router_prove(&proof, router, model, NULL, &error) == FL_OK, "%s",
                      error.text);
            cr_expect(proof.livelock_free, "%s", router->name);
            cr_expect_leq(longest_walked(t, router, &rng), proof.length_bound, "%s, %s",
                          t->network->spec, router->name);
            cr_expect_leq(proof.length_bound, fl_router_length_bound(router), "%s, %s",
                          t->network->spec, router->name);
            fl_proof_clear(&proof);
            fl_router_destroy(router);
        }
        fl_fault_model_destroy(model);
        free_twin(t);
    }
}

/* ---- proofs of every candidate, against packets that take each of them ---- */

/* All dependencies of one network under one fault set, by recursion over candidates. */
typedef struct crawl {
    const fl_router *router;
    fl_order *order;
    matrix *m;
    unsigned longest; /* links of a delivered packet */
} crawl;

enum { CANDIDATES_MAX = 64 };

static void crawl_on(crawl *c, fl_address here, fl_packet packet, int last, unsigned links)
{
    fl_candidate candidates[CANDIDATES_MAX];
    fl_decision decision = {.wanted = CANDIDATES_MAX, .candidates = candidates};
    fl_view view = {.network = c->router->network,
                    .order = c->order,
                    .here = here,
                    .enabled_rules = c->router->enabled_rules,
                    .scope = c->router->scope,
                    .holds_until = FL_NEVER_FAILS};
    fl_step_ask(c->router, &packet, &view, &decision);
    cr_assert_lt(decision.count, CANDIDATES_MAX);
    cr_assert_lt(links, 64u, "%s runs in circles", c->router->name);
    for (unsigned i = 0; i < decision.count; i++) {
        fl_hop hop;
        cr_assert(fl_network_step(c->router->network, here, candidates[i].ports[0], &hop));
        if (fl_address_is_node(hop.to)) {
            c->longest = links + 1 > c->longest ? links + 1 : c->longest;
            continue;
        }
        int channel = fl_address_is_node(here) ? -1
                                               : (int)channel_of(c->m, here, candidates[i].ports[0],
                                                                 candidates[i].channel);
        if (last >= 0 && channel >= 0)
            c->m->pairs[(unsigned)last * c->m->count + (unsigned)channel] = 1;
        fl_packet behind = packet;
        fl_packet_take(&behind, here, &candidates[i]);
        crawl_on(c, hop.to, behind, channel, links + 1);
    }
}

/* Every pair of nodes under the faults of `c->order`. */
static void crawl_all(crawl *c)
{
    const fl_network *network = c->router->network;
    memset(c->m->pairs, 0, (size_t)c->m->count * c->m->count * sizeof *c->m->pairs);
    for (uint64_t s = 0; s < network->nodes; s++)
        for (uint64_t d = 0; d < network->nodes; d++) {
            fl_hop hop;
            fl_address source = network->type->node_address(network, s);
            fl_packet packet = {.source = source,
                                .destination = network->type->node_address(network, d),
                                .previous = source,
                                .rule = FL_NO_RULE};
            cr_assert(fl_network_step(network, source, 0, &hop));
            bool at_node = network->node_ports > 1;
            if (s != d)
                crawl_on(c, at_node ? source : hop.to, packet, -1, at_node ? 0 : 1);
        }
}

typedef struct candidates_case {
    const char *network, *router;
    bool free;          /* proven deadlock-free */
    bool free_by_first; /* if only first candidates are followed */
    bool real;          /* the proof finds a fault set with a cycle */
} candidates_case;

/* Under one fault set: a proof for exactly these faults has the dependencies of the recursion, no
 * more and no fewer. */
static bool judge_candidates(crawl *c, const fl_fault_set *down, fl_channel_graph *all_faults,
                             uint64_t bound)
{
    fl_channel_graph *exact;
    fl_error error = {.text = ""};
    const fl_proof_options options = {.all_candidates = true, .down = down};
    cr_assert(fl_order_create_fixed(&c->order, c->router->network, down, &error) == FL_OK);
    crawl_all(c);
    cr_expect_leq(c->longest, bound, "%s: %u links", c->router->name, c->longest);
    cr_assert(fl_channel_graph_of_all_faults(&exact, c->router, NULL, &options, &error) == FL_OK,
              "%s", error.text);
    for (unsigned from = 0; from < c->m->count; from++)
        for (unsigned to = 0; to < c->m->count; to++) {
            fl_channel_graph *g = exact;
            unsigned radix = c->m->network->radix * c->m->channels_a_link;
            bool follows = g->far_end[from / c->m->channels_a_link] != FL_NO_SWITCH &&
                           to / radix == g->far_end[from / c->m->channels_a_link];
            bool has = follows && fl_channel_graph_has(g, from, to),
                 real = c->m->pairs[from * c->m->count + to] > 0;
            cr_assert_eq(has, real, "%s on %s: dependency %u -> %u", c->router->name,
                         c->m->network->spec, from, to);
            cr_assert(!real || fl_channel_graph_has(all_faults, from, to),
                      "%s on %s: the proof knows of %u -> %u", c->router->name, c->m->network->spec,
                      from, to);
        }
    bool cyclic = shortest_cycle(c->m) != NO_CANDIDATE;
    cr_expect_eq(cyclic, fl_channel_graph_has_cycle(exact));
    fl_channel_graph_destroy(exact);
    fl_order_destroy(c->order);
    return cyclic;
}

static void expect_candidates(const candidates_case *t, fl_rng *rng)
{
    fl_network *network = need_network(t->network);
    fl_router *router = need_router(network, t->router, FL_SCOPE_DETOUR);
    fl_fault_model *model = need_model(network, "links:class=switch-links", &zero);
    fl_proof_options options = {.all_candidates = true, .seek = true};
    fl_proof proof, first;
    fl_channel_graph *all_faults;
    fl_error error = {.text = ""};
    cr_assert(fl_router_prove(&proof, router, model, &options, &error) == FL_OK, "%s", error.text);
    cr_assert(fl_router_prove(&first, router, model, NULL, &error) == FL_OK, "%s", error.text);
    cr_assert(fl_channel_graph_of_all_faults(&all_faults, router, model, &options, &error) == FL_OK,
              "%s", error.text);
    cr_expect_eq(proof.deadlock_free, t->free, "%s on %s, every candidate", t->router, t->network);
    cr_expect_eq(first.deadlock_free, t->free_by_first, "%s on %s, first candidates", t->router,
                 t->network);
    cr_expect(proof.livelock_free);
    cr_expect_geq(proof.dependencies, first.dependencies);
    cr_expect_geq(proof.length_bound, first.length_bound);
    crawl c = {.router = router, .m = need_matrix(network, router->channels)};
    fl_link links[3];
    uint64_t cyclic = 0;
    for (unsigned round = 0; round < TEST_ROUNDS(40); round++) {
        fl_fault_set down = {.links = links};
        for (unsigned i = 0; i < round % 4; i++) {
            uint64_t components[FL_LINK_COMPONENTS_MAX];
            fl_link link = network->type->link_code(network, fl_rng_below(rng, network->links));
            if (fl_fault_model_components_of(model, link, components) > 0 &&
                (down.count == 0 || links[down.count - 1] < link))
                links[down.count++] = link;
        }
        cyclic += judge_candidates(&c, &down, all_faults, proof.length_bound);
    }
    cr_expect(!proof.deadlock_free || cyclic == 0, "%s on %s: proven, and %llu sets are cyclic",
              t->router, t->network, (unsigned long long)cyclic);
    if (proof.witness) {
        fl_deadlock_result again;
        const fl_deadlock_options all = {.all_candidates = true};
        cr_assert(fl_deadlock_check_set(&again, router, model, proof.witness->components,
                                        proof.witness->faults, &all, &error) == FL_OK);
        cr_expect_eq(again.cyclic, 1, "%s on %s: a witness has a cycle", t->router, t->network);
        fl_deadlock_witness_destroy(again.witness);
    }
    cr_expect_eq(proof.witness != NULL, t->real, "%s on %s: is the cycle real?", t->router,
                 t->network);
    fl_proof_clear(&first);
    fl_proof_clear(&proof);
    fl_channel_graph_destroy(all_faults);
    free_matrix(c.m);
    fl_fault_model_destroy(model);
    fl_router_destroy(router);
    fl_network_destroy(network);
}

Test(proof, of_every_candidate_knows_what_packets_do_that_take_each)
{
    static const candidates_case cases[] = {
        {"kary-ntree:k=2,n=2", "minimal-adaptive", true, true, false},
        {"kary-ntree:k=2,n=3", "minimal-adaptive", true, true, false},
        {"kary-ntree:k=2,n=3", "gns+gdl@turns:3", true, true, false},
        {"kary-ntree:k=3,n=2", "three-turn+gdl", false, false, true},
        {"mikant:k=2,n=2", "minimal-adaptive", false, false, true},
        {"mikant:k=2,n=2", "minimal-adaptive@phase:2", true, true, false},
        {"mikant:k=2,n=3", "adaptive-up", false, false, false},
        {"mikant:k=2,n=3", "gns+x-turns+gdl@turns:3", true, true, false},
        {"mesh:k=3,n=2", "shortest", true, true, false},
        {"mesh:k=3,n=2", "shortest@spread:3", true, true, false},
        {"torus:k=4,n=2", "shortest@dateline:4", true, true, false},
        {"torus:k=4,n=2", "shortest@spread:2", false, false, true},
        {"torus:k=4,n=2", "shortest", false, false, true},
        {"hypercube:k=2", "adaptive-ecube@phase:3", true, true, false},
        {"hypercube:k=3", "adaptive-ecube@phase:5", true, true, false},
        {"hypercube:k=3", "adaptive-ecube", false, false, true},
    };
    fl_rng rng;
    fl_rng_seed_raw(&rng, 6, 1);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_candidates(&cases[i], &rng);
}

/* Minimal adaptive routing of a mirrored tree without faults: base routing by its first candidates,
 * and a cycle by all. */
Test(proof, of_first_candidates_holds_for_them_only)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_router *router = need_router(network, "minimal-adaptive", FL_SCOPE_DETOUR);
    fl_fault_model *model = need_model(network, "list:<0,0,00>-<0,1,00>", &zero);
    for (unsigned all = 0; all < 2; all++) {
        fl_proof proof;
        fl_error error = {.text = ""};
        const fl_proof_options options = {.all_candidates = all, .seek = true};
        cr_assert(fl_router_prove(&proof, router, NULL, &options, &error) == FL_OK, "%s",
                  error.text);
        cr_expect_eq(proof.deadlock_free, !all);
        fl_proof_clear(&proof);
        cr_assert(fl_router_prove(&proof, router, model, &options, &error) == FL_OK, "%s",
                  error.text);
        cr_expect_eq(proof.deadlock_free, !all);
        cr_expect(!all ||
                      (proof.witness && proof.witness->faults == 0 && proof.witness->length == 4),
                  "without any fault");
        fl_proof_clear(&proof);
    }
    fl_fault_model_destroy(model);
    fl_router_destroy(router);
    fl_network_destroy(network);
}

/* ---- livelock: routers that loop, or seem to ---- */

static bool serves_all(const fl_network *network)
{
    (void)network;
    return true;
}

/* On a k-ary 2-tree: up by the port of the destination's digit; down to its switch, and where
 * that link is down to the next switch, which sends the packet up again. `cautious` looks first
 * whether the link is still down. */
static void wander(const fl_router *router, const fl_packet *packet, fl_view *view,
                   fl_decision *decision, bool cautious)
{
    const fl_tree *tree = router->network->tree;
    fl_probe at = fl_view_here(view), far_end, last;
    unsigned k = tree->k, target = fl_tree_digit(tree, packet->destination, 0);
    unsigned wanted = fl_tree_level(view->here) == 1 ? target
                      : fl_tree_digit(tree, view->here, 0) == target
                          ? fl_tree_digit(tree, packet->destination, 1)
                          : k + target;
    decision->reason = FL_BLOCKED_DOWN;
    if (fl_tree_level(view->here) == 1) {
        for (unsigned i = 0; i < k; i++) {
            fl_port port = (fl_port)((target + i) % k);
            if (fl_view_up(view, &at, port, &far_end)) {
                fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
                return;
            }
        }
        return;
    }
    fl_port port = (fl_port)wanted;
    if (!fl_view_up(view, &at, port, &far_end))
        return;
    if (cautious && wanted >= k && !fl_view_up(view, &far_end, (fl_port)target, &last))
        return;
    fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
}

static void wander_on(const fl_router *router, const fl_packet *packet, fl_view *view,
                      fl_decision *decision)
{
    wander(router, packet, view, decision, false);
}

static void wander_cautiously(const fl_router *router, const fl_packet *packet, fl_view *view,
                              fl_decision *decision)
{
    wander(router, packet, view, decision, true);
}

static const fl_router_type wanderer = {
    .name = "wanderer", .serves = serves_all, .next = wander_on};
static const fl_router_type cautious = {
    .name = "cautious", .serves = serves_all, .next = wander_cautiously};

static fl_proof prove_type(const fl_network *network, const fl_router_type *type)
{
    fl_router router = {.type = type, .next = type->next, .network = network, .channels = 1};
    fl_fault_model *model = need_model(network, "links:class=switch-links", &zero);
    fl_proof proof;
    fl_error error = {.text = ""};
    snprintf(router.name, sizeof router.name, "%s", type->name);
    cr_assert(fl_router_prove(&proof, &router, model, &(fl_proof_options){.seek = true}, &error) ==
                  FL_OK,
              "%s", error.text);
    fl_fault_model_destroy(model);
    return proof;
}

Test(livelock, a_router_that_loops_is_reported_with_its_trace)
{
    fl_network *network = need_network("kary-ntree:k=3,n=2");
    fl_proof proof = prove_type(network, &wanderer);
    cr_expect(!proof.livelock_free);
    cr_expect(proof.loop_is_real);
    cr_assert_gt(proof.loop_length, proof.loop_start);
    cr_expect_eq(proof.loop[proof.loop_length - 1].to, proof.loop[proof.loop_start].from,
                 "the walk comes back");
    for (unsigned i = 0; i < proof.loop_length; i++) {
        fl_hop hop;
        cr_assert(fl_network_step(network, proof.loop[i].from, proof.loop[i].port, &hop));
        cr_expect_eq(hop.to, proof.loop[i].to);
        cr_expect(i == 0 || proof.loop[i].from == proof.loop[i - 1].to);
    }
    cr_expect_eq(proof.loop_down_count, 1, "one link down is enough");
    fl_link_ends ends;
    network->type->link_ends(network, proof.loop_down[0], &ends);
    cr_expect_eq(fl_tree_digit(network->tree, ends.a, 0),
                 fl_tree_digit(network->tree, proof.loop_destination, 0),
                 "towards the destination's switch");
    fl_proof_clear(&proof);
    fl_network_destroy(network);
}

Test(livelock, a_loop_that_no_faults_create_is_not_called_real)
{
    fl_network *network = need_network("kary-ntree:k=3,n=2");
    fl_proof proof = prove_type(network, &cautious);
    cr_expect(!proof.livelock_free, "answers are forgotten between decisions");
    cr_expect(!proof.loop_is_real,
              "the link that is down when the packet comes down would be up when it goes up again");
    fl_proof_clear(&proof);
    fl_network_destroy(network);
}

/* Seems to loop on the path to the first switch, loops on the paths to the others, and sends
 * nothing from the first one, whose state is the first of theirs. */
static void wander_elsewhere(const fl_router *router, const fl_packet *packet, fl_view *view,
                             fl_decision *decision)
{
    const fl_tree *tree = router->network->tree;
    bool to_first = fl_tree_digit(tree, packet->destination, 0) == 0;
    decision->reason = FL_BLOCKED_UP;
    if (to_first || fl_tree_level(view->here) == 1 || fl_tree_digit(tree, view->here, 0) > 0)
        wander(router, packet, view, decision, to_first);
}

Test(livelock, a_real_loop_is_found_after_one_that_is_not)
{
    static const fl_router_type type = {.name = "elsewhere",
                                        .serves = serves_all,
                                        .next = wander_elsewhere,
                                        .switch_to_switch = true};
    fl_network *network = need_network("kary-ntree:k=3,n=2");
    fl_proof proof = prove_type(network, &type);
    cr_expect(!proof.livelock_free);
    cr_expect(proof.loop_is_real);
    cr_expect_neq(fl_tree_digit(network->tree, proof.loop_destination, 0), 0);
    fl_proof_clear(&proof);
    fl_network_destroy(network);
}

/* ---- what can fail ---- */

Test(deadlock, a_list_of_links_has_no_other_components)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_fault_model *model = need_model(network, "list:<0,1,00>-<1,1,00>;<0,1,01>-<1,1,01>", &zero);
    fl_router *router = need_router(network, "three-turn", FL_SCOPE_DETOUR);
    static const uint64_t sets[] = {1, 2, 1};
    for (unsigned faults = 0; faults <= 2; faults++) {
        fl_deadlock_result result;
        cr_assert(fl_deadlock_check(&result, router, model, faults, NULL, NULL) == FL_OK);
        cr_expect_eq(result.fault_sets, sets[faults]);
        cr_expect_eq(result.cyclic, faults == 0 ? 0 : sets[faults]);
        fl_deadlock_witness_destroy(result.witness);
    }
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

Test(deadlock, other_components_than_links_fail_too)
{
    twin *t = need_twin(true, 2, 3);
    fl_fault_model *model = need_model(t->network, "switches", &zero);
    fl_router *router = need_router(t->network, "three-turn", FL_SCOPE_DETOUR);
    fl_order *order = need_twin_order(t);
    matrix *m = need_matrix(t->network, 1);
    uint64_t cyclic = 0;
    for (uint64_t down = 0; down < t->network->switches; down++) {
        fl_address failed = t->network->type->switch_address(t->network, down);
        memset(t->down, 0, (size_t)ref_link_count(t->reference) * sizeof *t->down);
        for (unsigned port = 0; port < t->network->radix; port++) {
            fl_hop hop;
            if (fl_network_step(t->network, failed, (fl_port)port, &hop))
                t->down[t->link[t->network->type->link_index(t->network, hop.link)]] = true;
        }
        fl_order_forget(order);
        fill_by_walking(m, t, order, router);
        cyclic += shortest_cycle(m) != NO_CANDIDATE;
    }
    fl_deadlock_result result;
    cr_assert(fl_deadlock_check(&result, router, model, 1, NULL, NULL) == FL_OK);
    cr_expect_eq(result.fault_sets, t->network->switches);
    cr_expect_eq(result.cyclic, cyclic);
    fl_deadlock_witness_destroy(result.witness);
    free_matrix(m);
    fl_order_destroy(order);
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    free_twin(t);
}

/* Drawn sets: of 300 drawn from 276 pairs the fraction is near the true one. False alarm below
 * 1e-6.
 */
Test(deadlock, drawn_sets_have_the_share_of_all_of_them)
{
    fl_network *network = need_network("mikant:k=2,n=3");
    fl_fault_model *model = need_model(network, "links:class=switch-links", &zero);
    fl_router *router = need_router(network, "three-turn", FL_SCOPE_DETOUR);
    fl_deadlock_result all, drawn, again;
    fl_deadlock_options options = {.sample = 5000, .seed = 7};
    cr_assert(fl_deadlock_check(&all, router, model, 2, NULL, NULL) == FL_OK);
    cr_assert(fl_deadlock_check(&drawn, router, model, 2, &options, NULL) == FL_OK);
    cr_assert(fl_deadlock_check(&again, router, model, 2, &options, NULL) == FL_OK);
    cr_expect(drawn.sampled && !all.sampled);
    cr_expect_eq(drawn.fault_sets, 5000);
    cr_expect_eq(drawn.cyclic, again.cyclic, "the same seed draws the same sets");
    double p = (double)all.cyclic / (double)all.fault_sets;
    cr_assert(p > 0 && p < 1);
    cr_expect_gt(binomial_p_value(drawn.cyclic, 5000, p), 1e-6,
                 "%llu of 5000, expected fraction %g", (unsigned long long)drawn.cyclic, p);
    fl_deadlock_witness_destroy(all.witness);
    fl_deadlock_witness_destroy(drawn.witness);
    fl_deadlock_witness_destroy(again.witness);
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

static bool stop_at_once(void *user, uint64_t done, uint64_t all)
{
    (void)done, (void)all;
    ++*(unsigned *)user;
    return false;
}

static bool stop_after(void *calls_left)
{
    return (*(unsigned *)calls_left)-- == 0;
}

Test(proof, stops_wherever_it_is_when_it_is_asked_to)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_fault_model *model = need_model(network, "links:class=switch-links", &zero);
    fl_router *router = need_router(network, "gns+gdl", FL_SCOPE_DETOUR);
    fl_proof proof;
    fl_error error;
    unsigned left = UINT32_MAX;
    fl_proof_options options = {.seek = true, .should_stop = stop_after, .user = &left};
    cr_assert_eq(fl_router_prove(&proof, router, model, &options, &error), FL_OK);
    cr_assert(proof.witness, "the stop is asked for while a real set is sought, too");
    fl_proof_clear(&proof);
    unsigned asked = UINT32_MAX - left;
    cr_assert_gt(asked, 10);
    for (unsigned calls = 0; calls < asked; calls += 1 + asked / 10) {
        left = calls;
        cr_expect_eq(fl_router_prove(&proof, router, model, &options, &error), FL_ERR_STOPPED,
                     "after %u of %u", calls, asked);
        cr_expect_eq(left, UINT32_MAX, "and is not asked again");
    }
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

Test(deadlock, limits_too_many_faults_and_a_stop_are_refused)
{
    fl_network *network = need_network("mikant:k=2,n=3");
    fl_fault_model *model = need_model(network, "links:class=switch-links", &zero);
    fl_router *limit = need_router(network, "limit", FL_SCOPE_DETOUR),
              *router = need_router(network, "gns", FL_SCOPE_DETOUR);
    fl_deadlock_result result;
    fl_proof proof;
    fl_error error = {.text = ""};
    unsigned calls = 0;
    fl_deadlock_options options = {.progress = stop_at_once, .user = &calls};
    expect_refused(fl_deadlock_check(&result, limit, model, 1, NULL, &error), &error, "limit",
                   "limit");
    expect_refused(fl_router_prove(&proof, limit, model, NULL, &error), &error, "limit", "limit");
    expect_refused(fl_deadlock_check(&result, router, model, 25, NULL, &error), &error,
                   "25 faults of 24", "24");
    cr_expect_eq(fl_deadlock_check(&result, router, model, 3, &options, &error), FL_ERR_STOPPED);
    cr_expect_eq(calls, 1);
    cr_expect_eq(
        fl_router_prove(&proof, router, model, &(fl_proof_options){.states_max = 5}, &error),
        FL_ERR_STOPPED, "more than five states");
    fl_router_destroy(limit);
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}
