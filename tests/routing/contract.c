/* The contract: the fast router equals the slow reference router, path for path, whatever fails.
 *
 * Compared are outcome, length, reason and every vertex passed, also of packets that are
 * blocked, for every set of detour rules that the network does not refuse, with and without
 * adaptive-up, in both scopes. */
#include "analysis/deadlock/deadlock.h"
#include "analysis/exact/explorer.h"
#include "sim/sim.h"
#include "tests/support.h"

#include <stdio.h>

typedef struct trail {
    fl_address at[REF_PATH_MAX];
    unsigned count;
} trail;

static void follow(void *user, const fl_walk_hop *hop)
{
    trail *t = user;
    if (t->count < REF_PATH_MAX)
        t->at[t->count] = hop->to;
    t->count++;
}

static const enum ref_reason reference_reason[FL_REASONS] = {
    [FL_BLOCKED_SOURCE] = REF_BLOCKED_SOURCE, [FL_BLOCKED_DESTINATION] = REF_BLOCKED_DESTINATION,
    [FL_BLOCKED_UP] = REF_BLOCKED_UP,         [FL_BLOCKED_CROSS] = REF_BLOCKED_CROSS,
    [FL_BLOCKED_DOWN] = REF_BLOCKED_DOWN,
};

/* NULL, or what is different. */
static const char *compare(const twin *t, const fl_walk_result *fast, const trail *went,
                           const ref_route *slow)
{
    if (fast->delivered != slow->delivered)
        return "the outcome";
    if (fast->delivered && fast->length != (uint32_t)slow->length)
        return "the length";
    if (!fast->delivered && reference_reason[fast->reason] != slow->reason)
        return "the reason";
    if (went->count != (unsigned)slow->path_count - 1 || went->count != fast->hops)
        return "the number of links travelled";
    for (unsigned i = 0; i < went->count; i++)
        if (went->at[i] != t->address[slow->path[i + 1]])
            return "the path";
    return NULL;
}

/* Everything for one network: its routers in both scopes. */
typedef struct match {
    twin *twin;
    fl_order *order;
    rule_sets sets;
    fl_router *routers[2][SETS_MAX]; /* [scope] */
    fl_rng rng;
} match;

static match *need_match(bool mikant, unsigned k, unsigned n)
{
    match *m = need_memory(1, sizeof *m);
    m->twin = need_twin(mikant, k, n);
    m->order = need_twin_order(m->twin);
    list_rule_sets(mikant, n, &m->sets);
    for (unsigned i = 0; i < m->sets.count; i++) {
        m->routers[FL_SCOPE_DETOUR][i] =
            need_router(m->twin->network, m->sets.names[i], FL_SCOPE_DETOUR);
        m->routers[FL_SCOPE_LOCAL][i] =
            need_router(m->twin->network, m->sets.names[i], FL_SCOPE_LOCAL);
    }
    fl_rng_seed_raw(&m->rng, mikant, k * 100 + n);
    return m;
}

static void free_match(match *m)
{
    for (unsigned i = 0; i < m->sets.count; i++) {
        fl_router_destroy(m->routers[FL_SCOPE_DETOUR][i]);
        fl_router_destroy(m->routers[FL_SCOPE_LOCAL][i]);
    }
    fl_order_destroy(m->order);
    free_twin(m->twin);
    free(m);
}

static void describe_faults(const twin *t, char *out, size_t size)
{
    size_t at = 0;
    for (uint64_t i = 0; i < t->network->links && at < size; i++)
        if (t->down[t->link[i]])
            at += (size_t)snprintf(out + at, size - at, "%s%llu", at ? ";" : "",
                                   (unsigned long long)i);
}

static void compare_routes(match *m, unsigned set, fl_scope scope, int source, int destination)
{
    twin *t = m->twin;
    const fl_router *router = m->routers[scope][set];
    fl_view view = {.network = t->network,
                    .order = m->order,
                    .enabled_rules = router->enabled_rules,
                    .scope = scope,
                    .holds_until = FL_NEVER_FAILS};
    trail went = {.count = 0};
    fl_walk_result fast;
    ref_route slow;
    fl_error error = {.text = ""};
    fl_status status = fl_walk(router, &view, t->address[source], t->address[destination], follow,
                               &went, &fast, &error);
    cr_assert(status == FL_OK, "%s, %s: %s", t->network->spec, router->name, error.text);
    ref_route_packet(t->reference, t->down, m->sets.rules[set],
                     scope == FL_SCOPE_LOCAL ? REF_SCOPE_LOCAL : REF_SCOPE_DETOUR, source,
                     destination, &slow);
    const char *different = compare(t, &fast, &went, &slow);
    if (different) {
        char faults[600] = "";
        describe_faults(t, faults, sizeof faults);
        cr_assert(false, "%s, %s, scope %s, node %d to %d: %s differs; faults list:%s",
                  t->network->spec, router->name, fl_scope_names[scope], source, destination,
                  different, faults);
    }
}

static void compare_pair(match *m, int source, int destination)
{
    for (unsigned set = 0; set < m->sets.count; set++) {
        compare_routes(m, set, FL_SCOPE_DETOUR, source, destination);
        compare_routes(m, set, FL_SCOPE_LOCAL, source, destination);
    }
}

/* Few faults as often as many: detours need a fault and healthy links around it. */
static double some_rate(match *m)
{
    static const double rates[] = {.01, .03, .05, .1, .15, .2, .3, .5};
    return rates[fl_rng_below(&m->rng, sizeof rates / sizeof rates[0])];
}

static void all_pairs(bool mikant, unsigned k, unsigned n, int fault_sets)
{
    match *m = need_match(mikant, k, n);
    int nodes = ref_node_count(m->twin->reference);
    for (int i = 0; i < fault_sets; i++) {
        fail_at_random(m->twin, m->order, &m->rng, i == 0 ? 0 : some_rate(m));
        for (int s = 0; s < nodes; s++)
            for (int t = 0; t < nodes; t++)
                if (s != t)
                    compare_pair(m, s, t);
    }
    free_match(m);
}

static void random_pairs(bool mikant, unsigned k, unsigned n, int fault_sets, int pairs)
{
    match *m = need_match(mikant, k, n);
    uint64_t nodes = (uint64_t)ref_node_count(m->twin->reference);
    for (int i = 0; i < fault_sets; i++) {
        fail_at_random(m->twin, m->order, &m->rng, i == 0 ? 0 : some_rate(m));
        for (int pair = 0; pair < pairs; pair++) {
            uint64_t s = fl_rng_below(&m->rng, nodes), t = fl_rng_below(&m->rng, nodes - 1);
            compare_pair(m, (int)s, (int)(t + (t >= s)));
        }
    }
    free_match(m);
}

/* All pairs of the small networks under hundreds of fault sets each. */

Test(contract, all_pairs_of_small_mikants)
{
    all_pairs(true, 2, 2, TEST_ROUNDS(1200));
    all_pairs(true, 3, 2, TEST_ROUNDS(900));
    all_pairs(true, 4, 2, TEST_ROUNDS(300));
    all_pairs(true, 2, 3, TEST_ROUNDS(600));
}

Test(contract, all_pairs_of_small_kary_ntrees)
{
    all_pairs(false, 2, 2, TEST_ROUNDS(1200));
    all_pairs(false, 3, 2, TEST_ROUNDS(1200));
    all_pairs(false, 4, 2, TEST_ROUNDS(600));
    all_pairs(false, 2, 3, TEST_ROUNDS(1200));
    all_pairs(false, 2, 4, TEST_ROUNDS(600));
}

/* The single switch, and trees of one level: only node links. */
Test(contract, all_pairs_of_networks_with_one_fault_point)
{
    all_pairs(true, 2, 1, TEST_ROUNDS(300));
    all_pairs(true, 3, 1, TEST_ROUNDS(300));
    all_pairs(true, 11, 1, TEST_ROUNDS(60));
    all_pairs(false, 2, 1, TEST_ROUNDS(300));
    all_pairs(false, 4, 1, TEST_ROUNDS(300));
}

/* Several thousand random pairs of each of the larger ones. */

Test(contract, random_pairs_of_mikant_3_3)
{
    random_pairs(true, 3, 3, TEST_ROUNDS(1200), 100);
}

Test(contract, random_pairs_of_mikant_4_3)
{
    random_pairs(true, 4, 3, TEST_ROUNDS(750), 60);
}

Test(contract, random_pairs_of_mikant_2_4)
{
    random_pairs(true, 2, 4, TEST_ROUNDS(1200), 80);
}

Test(contract, random_pairs_of_mikant_3_4)
{
    random_pairs(true, 3, 4, TEST_ROUNDS(600), 60);
}

Test(contract, random_pairs_of_mikant_4_4)
{
    random_pairs(true, 4, 4, TEST_ROUNDS(450), 60);
}

Test(contract, random_pairs_of_kary_3_trees)
{
    random_pairs(false, 3, 3, TEST_ROUNDS(1200), 100);
    random_pairs(false, 4, 3, TEST_ROUNDS(750), 60);
}

Test(contract, random_pairs_of_kary_4_trees)
{
    random_pairs(false, 3, 4, TEST_ROUNDS(600), 60);
    random_pairs(false, 4, 4, TEST_ROUNDS(450), 60);
}

/* Labels with dots, and taller trees than the published ones. */
Test(contract, random_pairs_of_wide_and_tall_networks)
{
    random_pairs(true, 12, 2, TEST_ROUNDS(180), 60);
    random_pairs(true, 5, 3, TEST_ROUNDS(180), 60);
    random_pairs(true, 2, 6, TEST_ROUNDS(300), 60);
    random_pairs(false, 12, 2, TEST_ROUNDS(180), 60);
    random_pairs(false, 2, 7, TEST_ROUNDS(300), 60);
}

/* Every fault set of up to two links, which random sets visit only now and then. */
Test(contract, every_pair_of_faults_of_mikant_2_3)
{
    match *m = need_match(true, 2, 3);
    int links = ref_link_count(m->twin->reference), nodes = ref_node_count(m->twin->reference);
    for (int a = 0; a < links; a++)
        for (int b = a; b < links; b += FL_TEST_DIVISOR) {
            memset(m->twin->down, 0, (size_t)links * sizeof *m->twin->down);
            m->twin->down[a] = m->twin->down[b] = true;
            fl_order_forget(m->order);
            for (int t = 1; t < nodes; t++)
                compare_pair(m, 0, t);
        }
    free_match(m);
}

/* A caller that wants all candidates makes the router ask about more ports: none may be empty. */
static void check_questions(const fl_router *router, const fl_packet *packet, const fl_view *view)
{
    fl_candidate candidates[32];
    fl_decision all = {.wanted = 32, .candidates = candidates};
    fl_view window = *view;
    router->next(router, packet, &window, &all);
    cr_assert(!window.violation, "%s on %s %s (port %u)", router->name, router->network->spec,
              fl_violation_text((fl_violation)window.violation), window.unplugged_port);
}

/* If a router offers nothing, every analysis counts the reason that it gives, and at a switch the
 * source node's link is never one. (For plug-ins' routers the guard checks it.) At a node of
 * several ports it is the only one. */
static void check_reasons(const fl_router *router, fl_order *order, uint64_t trial,
                          unsigned *blocked)
{
    const fl_network *network = router->network;
    fl_order_begin(order, 5, trial);
    fl_packet packet = {
        .source = network->type->node_address(network, trial * 7 % network->nodes),
        .destination = network->type->node_address(network, (trial * 13 + 1) % network->nodes)};
    fl_view view = {.network = network,
                    .order = order,
                    .here = packet.source,
                    .fault_point = 0,
                    .holds_until = FL_NEVER_FAILS,
                    .scope = router->scope,
                    .enabled_rules = router->enabled_rules};
    fl_probe node = fl_view_here(&view), at = node;
    if (packet.source == packet.destination ||
        (network->node_ports == 1 && !fl_view_up(&view, &node, 0, &at)))
        return;
    for (unsigned hops = 0; hops < 100 && at.at != packet.destination; hops++) {
        bool at_node = fl_address_is_node(at.at);
        fl_candidate candidate;
        fl_decision decision = {.wanted = 1, .candidates = &candidate, .reason = FL_REASONS};
        view.here = at.at;
        check_questions(router, &packet, &view);
        router->next(router, &packet, &view, &decision);
        cr_assert(!view.violation, "%s on %s", router->name, network->spec);
        if (decision.count == 0) {
            cr_assert(at_node == (decision.reason == FL_BLOCKED_SOURCE) &&
                          decision.reason < FL_REASONS,
                      "%s on %s: %d", router->name, network->spec, (int)decision.reason);
            ++*blocked;
            return;
        }
        packet.header_state = candidate.header_state;
        packet.channel = candidate.channel;
        at.at = candidate.end;
    }
}

Test(contract, every_router_gives_a_reason_and_never_the_source)
{
    static const char *const specs[] = {"mikant:k=3,n=3",
                                        "kary-ntree:k=3,n=3",
                                        "clos:k=3,n=2",
                                        "cat:k=3,n=2",
                                        "micat:k=3,n=3",
                                        "mesh:k=4,n=2",
                                        "torus:k=4,n=2",
                                        "hypercube:k=4",
                                        "dragonfly:p=2,a=4,h=2",
                                        "fattree3:K=4",
                                        "fbfly:k=3,n=3",
                                        "thintree:k=4,up=2,n=3",
                                        "thintree:k=4,up=1,n=3",
                                        "kns:k=4,n=2",
                                        "kns:k=4,n=2,s=2,sub=fattree",
                                        "kns:k=4,n=2,s=2,sub=ruft",
                                        "wk:K=4,L=2,r=4",
                                        "mesh:k=4,n=2,p=2,nodes=27",
                                        "la:p=2,net=torus:k=3,n=2",
                                        "nd:p=2,net=mesh:k=3,n=2",
                                        "pla:p=2,net=dragonfly:a=2",
                                        "pnd:p=2,net=torus:k=4,n=2",
                                        "pp:p=3,net=clique:m=3,r=5",
                                        NULL};
    static const char *const rules[] = {
        "gns", "gdl", "gns+x-turns+gdl", "three-turn", "adaptive-up", "adaptive-ecube", NULL};
    for (unsigned s = 0; specs[s]; s++) {
        fl_error error;
        fl_network *network = need_network(specs[s]);
        uint64_t count = network->links / 3;
        fl_fault_model *model =
            need_model(network, "links", &(fl_axis){.fault_points = 1, .counts = &count});
        fl_order *order = need_order(model);
        const char *names[FL_ROUTER_TYPES_MAX + 8];
        unsigned name_count = 0;
        for (unsigned i = 0; fl_router_types[i]; i++)
            names[name_count++] = fl_router_types[i]->name;
        for (unsigned i = 0; rules[i]; i++)
            names[name_count++] = rules[i];
        for (unsigned i = 0; i < name_count; i++)
            for (fl_scope scope = FL_SCOPE_DETOUR; scope <= FL_SCOPE_LOCAL; scope++) {
                fl_router *router;
                if (fl_router_create(&router, network, names[i], scope, &error))
                    continue;
                unsigned blocked = 0;
                for (uint64_t trial = 0; router->next && trial < TEST_ROUNDS(400); trial++)
                    check_reasons(router, order, trial, &blocked);
                cr_expect(!router->next || blocked > 0, "%s on %s", names[i], specs[s]);
                fl_router_destroy(router);
            }
        fl_order_destroy(order);
        fl_fault_model_destroy(model);
        fl_network_destroy(network);
    }
}

/* ---- one driver: every analysis stops the same routers with the same texts ---- */

/* On kary-ntree:k=2,n=3: ports 0 and 1 lead down, 2 and 3 up, and above the top there is nothing.
 * (Routers of plug-ins have a guard, which checks more: tests/cli/plugins.py.) */

static void offer(fl_view *view, fl_decision *decision, fl_port port, unsigned length,
                  unsigned channel)
{
    const fl_port ports[FL_DETOUR_MAX] = {port};
    fl_hop hop = {.to = view->here};
    fl_network_step(view->network, view->here, port, &hop);
    fl_decision_offer(decision, ports, 1, hop.to, FL_NO_RULE, 0);
    decision->candidates[0].length = (uint8_t)length;
    decision->candidates[0].channel = (uint8_t)channel;
}

#define NEXT(name)                                                                    \
    static void name(const fl_router *router, const fl_packet *packet, fl_view *view, \
                     fl_decision *decision)

NEXT(next_peeks)
{
    (void)router, (void)packet, (void)decision;
    fl_probe at = fl_view_here(view), far_end;
    if (fl_view_up(view, &at, 2, &far_end))
        fl_view_up(view, &far_end, 2, &far_end);
}

NEXT(next_asks_about_an_empty_port)
{
    (void)router, (void)packet, (void)decision;
    fl_probe at = fl_view_here(view), far_end;
    fl_view_up(view, &at, 77, &far_end);
}

NEXT(next_goes_astray)
{
    (void)router;
    const fl_network *network = view->network;
    fl_hop hop;
    fl_port port =
        (fl_port)(fl_network_step(network, view->here, 0, &hop) && hop.to == packet->destination);
    offer(view, decision, port, 1, 0);
}

/* Up, down, up, ..., each time with another header. */
NEXT(next_never_ends)
{
    (void)router;
    offer(view, decision, fl_tree_level(view->here) == 0 ? 2 : 0, 1, 0);
    decision->candidates[0].header_state = packet->header_state + 1;
}

NEXT(next_offers_nothing_to_take)
{
    (void)router, (void)packet;
    offer(view, decision, 2, 0, 0);
}

NEXT(next_offers_too_long_a_path)
{
    (void)router, (void)packet;
    offer(view, decision, 2, FL_DETOUR_MAX + 1, 0);
}

NEXT(next_offers_an_empty_port)
{
    (void)router, (void)packet;
    offer(view, decision, 77, 1, 0);
}

NEXT(next_offers_an_unknown_channel)
{
    (void)router, (void)packet;
    offer(view, decision, 2, 1, 1);
}

enum { WALK = 1, SWEEP = 2, EXACT = 4, DEADLOCK = 8, PROOF = 16, SIMULATION = 32, ALL = 63 };

/* `analyses`: those that must report the violation. Analyses that take complete candidates do not
 * check single ports; a proof reports loops that return to a state, and runs out of states in
 * others. */
static const struct {
    void (*next)(const fl_router *, const fl_packet *, fl_view *, fl_decision *);
    fl_violation violation;
    unsigned analyses;
} bad_routers[] = {
    {next_peeks, FL_ASKS_BEYOND_SCOPE, ALL},
    {next_asks_about_an_empty_port, FL_ASKS_EMPTY_PORT, ALL},
    {next_goes_astray, FL_DELIVERS_ASTRAY, ALL},
    {next_never_ends, FL_NEVER_ENDS, ALL & ~(unsigned)PROOF},
    {next_offers_nothing_to_take, FL_OFFERS_NO_PATH, WALK | DEADLOCK | PROOF | SIMULATION},
    {next_offers_too_long_a_path, FL_OFFERS_NO_PATH, WALK | DEADLOCK | PROOF | SIMULATION},
    {next_offers_an_empty_port, FL_OFFERS_EMPTY_PORT, WALK | DEADLOCK | PROOF | SIMULATION},
    {next_offers_an_unknown_channel, FL_OFFERS_NO_CHANNEL, WALK | DEADLOCK | PROOF | SIMULATION},
};

typedef struct court {
    fl_router router;
    fl_fault_model *model;
    fl_address source, destination;
} court;

static fl_status walk_one(court *c, fl_error *error)
{
    fl_order *order = need_order(c->model);
    fl_walk_result result;
    fl_view view = {.network = c->router.network,
                    .order = order,
                    .holds_until = FL_NEVER_FAILS,
                    .scope = FL_SCOPE_LOCAL};
    fl_order_begin(order, 1, 0);
    fl_status status =
        fl_walk(&c->router, &view, c->source, c->destination, NULL, NULL, &result, error);
    fl_order_destroy(order);
    return status;
}

static fl_status sweep_all(court *c, fl_error *error)
{
    fl_router *routers[] = {&c->router};
    fl_sweep sweep = {.network = c->router.network,
                      .model = c->model,
                      .routers = routers,
                      .router_count = 1,
                      .trials = 100,
                      .threads = 1};
    fl_counts *counts = fl_counts_create(1, fl_fault_model_fault_points(c->model));
    fl_status status = fl_sweep_run(&sweep, counts, error);
    fl_counts_destroy(counts);
    return status;
}

static fl_status explore_one(court *c, fl_error *error)
{
    fl_explorer *explorer;
    fl_exploration pair;
    const fl_explorer_limits limits = {0};
    cr_assert_eq(fl_explorer_create(&explorer, &c->router, c->model, &limits, error), FL_OK);
    fl_status status = fl_explorer_run(explorer, c->source, c->destination, &pair, error);
    fl_explorer_destroy(explorer);
    return status;
}

static fl_status check_deadlock(court *c, fl_error *error)
{
    fl_deadlock_result result;
    return fl_deadlock_check(&result, &c->router, c->model, 1, &(fl_deadlock_options){0}, error);
}

static fl_status prove(court *c, fl_error *error)
{
    fl_proof proof;
    return fl_router_prove(&proof, &c->router, c->model, NULL, error);
}

static fl_status simulate(court *c, fl_error *error)
{
    fl_sim_traffic *traffic;
    fl_sim_plan *plan;
    fl_sim_result result;
    fl_sim_model model = fl_sim_presets[0].model;
    model.stop = FL_SIM_STOP_CYCLES;
    model.cycles = 200000;
    cr_assert_eq(fl_sim_traffic_create(&traffic, c->router.network, "uniform", error), FL_OK);
    cr_assert_eq(fl_sim_plan_create(
                     &plan,
                     &(fl_sim_set_up){.router = &c->router, .model = &model, .traffic = traffic},
                     error),
                 FL_OK, "%s", error->text);
    fl_status status = fl_sim_run(&result, plan, .00005, 1, NULL, error);
    fl_sim_plan_destroy(plan);
    fl_sim_traffic_destroy(traffic);
    return status;
}

static fl_status (*const analyses[])(court *, fl_error *) = {walk_one,       sweep_all, explore_one,
                                                             check_deadlock, prove,     simulate};

Test(contract, every_analysis_stops_routers_that_violate_it_with_one_text)
{
    fl_network *network = need_network("kary-ntree:k=2,n=3");
    fl_axis axis = every_count(2);
    fl_fault_model *model = need_model(network, "links", &axis);
    for (size_t r = 0; r < sizeof bad_routers / sizeof *bad_routers; r++)
        for (unsigned a = 0; a < sizeof analyses / sizeof *analyses; a++) {
            fl_router_type type = {.name = "broken", .next = bad_routers[r].next};
            court c = {.router = {.type = &type,
                                  .next = type.next,
                                  .network = network,
                                  .scope = FL_SCOPE_LOCAL,
                                  .channels = 1,
                                  .name = "broken"},
                       .model = model,
                       .source = network->type->node_address(network, 0),
                       .destination = network->type->node_address(network, 7)};
            char text[200];
            const char *words = bad_routers[r].violation == FL_ASKS_EMPTY_PORT
                                    ? "asks about port 77, where nothing is plugged in,"
                                    : fl_violation_text(bad_routers[r].violation);
            fl_error error = {.text = ""};
            if (!(bad_routers[r].analyses >> a & 1))
                continue;
            snprintf(text, sizeof text, "the router 'broken' %s at <", words);
            cr_expect_eq(analyses[a](&c, &error), FL_ERR_ROUTER, "router %zu, analysis %u", r, a);
            cr_expect(strncmp(error.text, text, strlen(text)) == 0,
                      "router %zu, analysis %u: '%s' instead of '%s'", r, a, error.text, text);
        }
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}
