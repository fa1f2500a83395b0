/* Plug-ins from inside the library: the guard in every analysis, and deadlock checks and proofs of
 * their routers. What the program does with bad ones is tested in tests/cli/plugins.py.
 *
 * Criterion runs every test in a process of its own, so that each begins without plug-ins. */
#include "routing/plugin.h"
#include "tests/support.h"

#include <string.h>

static void need_plugin(const char *folder, const char *name)
{
    char path[1024];
    fl_error error;
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    cr_assert_eq(fl_plugin_load(path, &error), FL_OK, "%s", error.text);
}

static uint32_t all_links_are_up(fl_order *order, fl_link link)
{
    (void)order, (void)link;
    return FL_NEVER_FAILS;
}

static fl_order *need_healthy_order(const fl_network *network)
{
    fl_order *order;
    fl_error error;
    cr_assert_eq(fl_order_create_custom(&order, network, all_links_are_up, NULL, &error), FL_OK,
                 "%s", error.text);
    return order;
}

Test(plugins, a_router_walks_every_pair_as_far_as_shortest_does)
{
    need_plugin(FL_SKELETONS, "source-digit");
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_order *order = need_healthy_order(network);
    fl_router *routers[] = {need_router(network, "shortest", FL_SCOPE_LOCAL),
                            need_router(network, "source-digit", FL_SCOPE_LOCAL)};
    for (uint64_t pair = 0; pair < network->nodes * network->nodes; pair++) {
        fl_address ends[] = {network->type->node_address(network, pair / network->nodes),
                             network->type->node_address(network, pair % network->nodes)};
        fl_walk_result results[2];
        fl_error error;
        for (int i = 0; i < 2 && ends[0] != ends[1]; i++) {
            fl_view view = {.network = network,
                            .order = order,
                            .holds_until = FL_NEVER_FAILS,
                            .scope = FL_SCOPE_LOCAL};
            cr_assert_eq(
                fl_walk(routers[i], &view, ends[0], ends[1], NULL, NULL, &results[i], &error),
                FL_OK, "%s", error.text);
            cr_assert(results[i].delivered && results[i].length == results[0].length);
        }
    }
    cr_expect(routers[0]->origin == NULL && routers[0]->next == routers[0]->type->next,
              "routers of the tree have no guard");
    cr_expect(strstr(routers[1]->origin, "'source-digit'") &&
              routers[1]->next != routers[1]->type->next);
    cr_expect_eq(fl_router_length_bound(routers[1]), 0, "of a plug-in's router no bound is known");
    fl_router_destroy(routers[0]);
    fl_router_destroy(routers[1]);
    fl_order_destroy(order);
    fl_network_destroy(network);
}

Test(plugins, no_length_bound_is_known_with_a_rule_of_a_plugin)
{
    need_plugin(FL_SKELETONS, "gdl-twice");
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_router *own = need_router(network, "gdl", FL_SCOPE_DETOUR),
              *other = need_router(network, "gdl+gdl-twice", FL_SCOPE_DETOUR);
    cr_expect_eq(fl_router_length_bound(own), 8);
    cr_expect_eq(fl_router_length_bound(other), 0);
    fl_router_destroy(own);
    fl_router_destroy(other);
    fl_network_destroy(network);
}

/* ---- a network of stages (docs/skeletons/tree_network.c) ---- */

/* A link is up or down by its index and the trial, so that networks of the same links have the same
 * faults. */
typedef struct trial {
    const fl_network *network;
    uint64_t number;
} trial;
static trial now;

static uint32_t one_in_eight_is_down(fl_order *order, fl_link link)
{
    (void)order;
    uint64_t index = now.network->type->link_index(now.network, link);
    return fl_mix64(now.number << 32 | index) % 8 ? FL_NEVER_FAILS : 1;
}

static fl_walk_result walk(const fl_router *router, fl_order *order, uint64_t number,
                           uint64_t source, uint64_t destination)
{
    const fl_network *network = router->network;
    fl_view view = {.network = network,
                    .order = order,
                    .fault_point = 1,
                    .holds_until = FL_NEVER_FAILS,
                    .scope = router->scope,
                    .enabled_rules = router->enabled_rules};
    fl_walk_result result;
    fl_error error;
    now = (trial){network, number};
    fl_order_forget(order);
    cr_assert_eq(fl_walk(router, &view, network->type->node_address(network, source),
                         network->type->node_address(network, destination), NULL, NULL, &result,
                         &error),
                 FL_OK, "%s", error.text);
    return result;
}

static fl_order *need_trial_order(const fl_network *network)
{
    fl_order *order;
    fl_error error;
    cr_assert_eq(fl_order_create_custom(&order, network, one_in_eight_is_down, NULL, &error), FL_OK,
                 "%s", error.text);
    return order;
}

enum { TREE_TRIALS = 40 };

static void expect_same_walks(const char *spec, const char *other, const char *name, fl_scope scope)
{
    fl_network *networks[] = {need_network(spec), need_network(other)};
    fl_router *routers[2];
    fl_order *orders[2];
    for (int i = 0; i < 2; i++) {
        routers[i] = need_router(networks[i], name, scope);
        orders[i] = need_trial_order(networks[i]);
    }
    uint64_t nodes = networks[0]->nodes;
    cr_assert(networks[1]->nodes == nodes && networks[1]->links == networks[0]->links);
    cr_expect_eq(fl_router_length_bound(routers[0]), fl_router_length_bound(routers[1]));
    for (uint64_t number = 0; number < TREE_TRIALS; number++)
        for (uint64_t pair = 0; pair < nodes * nodes; pair++) {
            if (pair / nodes == pair % nodes)
                continue;
            fl_walk_result a = walk(routers[0], orders[0], number, pair / nodes, pair % nodes),
                           b = walk(routers[1], orders[1], number, pair / nodes, pair % nodes);
            cr_assert(a.delivered == b.delivered && a.hops == b.hops &&
                          (a.delivered || a.reason == b.reason),
                      "%s and %s, %s, trial %llu, pair %llu", spec, other, name,
                      (unsigned long long)number, (unsigned long long)pair);
        }
    for (int i = 0; i < 2; i++) {
        fl_order_destroy(orders[i]);
        fl_router_destroy(routers[i]);
        fl_network_destroy(networks[i]);
    }
}

Test(plugins, a_network_of_stages_is_routed_as_its_twin_in_the_tree)
{
    static const char *const routers[] = {"shortest",    "gns",
                                          "gdl",         "gns+gdl",
                                          "three-turn",  "gns-any-level",
                                          "d-mod-k",     "three-turn+gdl",
                                          "adaptive-up", "minimal-adaptive"};
    need_plugin(FL_SKELETONS, "xgft3");
    for (size_t i = 0; i < sizeof routers / sizeof *routers; i++)
        for (int scope = 0; scope < 2; scope++) {
            fl_scope known = scope ? FL_SCOPE_LOCAL : FL_SCOPE_DETOUR;
            expect_same_walks("xgft3:m1=3,m2=3,m3=3,w2=2,w3=2", "thintree:k=3,up=2,n=3", routers[i],
                              known);
            expect_same_walks("xgft3:m1=2,m2=2,m3=2,w2=2,w3=2", "thintree:k=2,up=2,n=3", routers[i],
                              known);
        }
}

/* Detours begin where base routing is stuck: they deliver what it delivers, over the same links,
 * and more. */
static void expect_gain(const char *spec, const char *name, fl_scope scope)
{
    fl_network *network = need_network(spec);
    fl_router *base = need_router(network, "shortest", scope),
              *router = need_router(network, name, scope);
    fl_order *order = need_trial_order(network);
    unsigned more = 0;
    for (uint64_t number = 0; number < TREE_TRIALS; number++)
        for (uint64_t pair = 0; pair < network->nodes * network->nodes; pair++) {
            uint64_t source = pair / network->nodes, destination = pair % network->nodes;
            if (source == destination)
                continue;
            fl_walk_result without = walk(base, order, number, source, destination),
                           with = walk(router, order, number, source, destination);
            cr_assert(!without.delivered || (with.delivered && with.length == without.length));
            more += with.delivered && !without.delivered;
        }
    cr_expect(more > 0, "%s on %s delivers nothing more", name, spec);
    fl_order_destroy(order);
    fl_router_destroy(base);
    fl_router_destroy(router);
    fl_network_destroy(network);
}

Test(plugins, detour_rules_work_on_a_network_of_stages_of_uneven_numbers)
{
    static const char *const names[] = {"gns", "gdl", "gns+gdl", "three-turn+gdl", "adaptive-up"};
    need_plugin(FL_SKELETONS, "xgft3");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect_gain("xgft3:m1=2,m2=3,m3=4,w2=2,w3=3", names[i], FL_SCOPE_DETOUR);
        expect_gain("xgft3:m1=2,m2=3,m3=4,w2=2,w3=3", names[i], FL_SCOPE_LOCAL);
        expect_gain("xgft3:m1=1,m2=4,m3=2,w2=3,w3=2", names[i], FL_SCOPE_DETOUR);
    }
}

/* GOES_ON_OFFERING offers one candidate a thousand times, whatever was wanted. */
Test(plugins, a_requester_gets_as_many_candidates_as_it_wants_and_no_more)
{
    static const unsigned wanted[] = {1, 2, 63, 64, 65, 500};
    need_plugin(FL_BAD_PLUGINS, "GOES_ON_OFFERING");
    fl_network *network = need_network("kary-ntree:k=3,n=3");
    fl_order *order = need_healthy_order(network);
    fl_router *router = need_router(network, "bad-router", FL_SCOPE_LOCAL);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        fl_candidate *candidates = need_memory(wanted[i] + 1, sizeof *candidates);
        candidates[wanted[i]].header_state = 12345;
        fl_packet packet = {.source = network->type->node_address(network, 0),
                            .destination = network->type->node_address(network, 20)};
        fl_view view = {.network = network,
                        .order = order,
                        .here = network->type->switch_address(network, 0),
                        .holds_until = FL_NEVER_FAILS,
                        .scope = FL_SCOPE_LOCAL};
        fl_decision decision = {.wanted = wanted[i], .candidates = candidates};
        fl_step_ask(router, &packet, &view, &decision);
        cr_expect(decision.count == wanted[i] && !view.violation, "%u of %u", decision.count,
                  wanted[i]);
        cr_expect(candidates[wanted[i] - 1].length == 1 &&
                  candidates[wanted[i]].header_state == 12345);
        free(candidates);
    }
    fl_router_destroy(router);
    fl_order_destroy(order);
    fl_network_destroy(network);
}

typedef struct heard {
    unsigned questions;
} heard;

static void count_questions(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    (void)from, (void)port, (void)link, (void)up;
    ((heard *)user)->questions++;
}

Test(plugins, a_listener_hears_what_the_router_asks_and_not_what_the_guard_looks_up)
{
    need_plugin(FL_SKELETONS, "source-digit");
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_order *order = need_healthy_order(network);
    fl_router *router = need_router(network, "source-digit", FL_SCOPE_LOCAL);
    heard h = {0};
    fl_view view = {.network = network,
                    .order = order,
                    .holds_until = FL_NEVER_FAILS,
                    .scope = FL_SCOPE_LOCAL,
                    .listener = count_questions,
                    .listener_user = &h};
    fl_walk_result result;
    fl_error error;
    cr_assert_eq(fl_walk(router, &view, network->type->node_address(network, 0),
                         network->type->node_address(network, network->nodes - 1), NULL, NULL,
                         &result, &error),
                 FL_OK);
    cr_expect_eq(h.questions, result.length, "one question a link");
    fl_router_destroy(router);
    fl_order_destroy(order);
    fl_network_destroy(network);
}

static fl_fault_model *need_links(const fl_network *network)
{
    fl_axis axis = every_count(2);
    fl_fault_model *model = need_model(network, "links:class=switch-links", &axis);
    free_axis(&axis);
    return model;
}

Test(plugins, a_router_is_checked_for_deadlock_and_proven_free_of_it)
{
    need_plugin(FL_SKELETONS, "source-digit");
    fl_network *network = need_network("kary-ntree:k=2,n=3");
    fl_fault_model *model = need_links(network);
    fl_router *router = need_router(network, "source-digit", FL_SCOPE_LOCAL);
    fl_deadlock_result result;
    fl_proof proof;
    fl_error error;
    cr_assert_eq(fl_deadlock_check(&result, router, model, 1, &(fl_deadlock_options){0}, &error),
                 FL_OK, "%s", error.text);
    cr_expect(result.fault_sets == 16 && result.cyclic == 0, "up, then down: %u of %u",
              (unsigned)result.cyclic, (unsigned)result.fault_sets);
    cr_assert_eq(fl_router_prove(&proof, router, model, NULL, &error), FL_OK, "%s", error.text);
    cr_expect(proof.deadlock_free && proof.livelock_free && proof.length_bound == 6);
    fl_proof_clear(&proof);
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

static void expect_named(fl_status status, const fl_error *error, const char *kind)
{
    cr_expect_eq(status, FL_ERR_ROUTER, "%s", kind);
    cr_expect(strstr(error->text, "'bad-router' of plug-in 'bad'") && strstr(error->text, kind),
              "%s: %s", kind, error->text);
}

static void expect_every_analysis_stops(const char *kind)
{
    fl_error error = {.text = ""};
    need_plugin(FL_BAD_PLUGINS, kind);
    fl_network *network = need_network("kary-ntree:k=2,n=3");
    fl_fault_model *model = need_links(network);
    fl_router *router = need_router(network, "bad-router", FL_SCOPE_LOCAL);
    fl_order *order = need_healthy_order(network);
    fl_deadlock_result result;
    fl_proof proof;
    fl_walk_result walked;
    fl_view view = {
        .network = network, .order = order, .holds_until = FL_NEVER_FAILS, .scope = FL_SCOPE_LOCAL};
    expect_named(fl_deadlock_check(&result, router, model, 1, &(fl_deadlock_options){0}, &error),
                 &error, kind);
    expect_named(fl_router_prove(&proof, router, model, NULL, &error), &error, kind);
    expect_named(fl_walk(router, &view, network->type->node_address(network, 0),
                         network->type->node_address(network, 7), NULL, NULL, &walked, &error),
                 &error, kind);
    fl_router_destroy(router);
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

Test(plugins, every_requester_stops_a_router_that_peeks)
{
    expect_every_analysis_stops("PEEKS");
}
Test(plugins, every_requester_stops_a_router_that_offers_what_it_has_not_asked_about)
{
    expect_every_analysis_stops("UNASKED_LINK");
}
Test(plugins, every_requester_stops_a_router_that_says_where_it_is_not)
{
    expect_every_analysis_stops("WRONG_END");
}
Test(plugins, every_requester_stops_a_router_that_offers_too_much)
{
    expect_every_analysis_stops("HIGH_PORT");
}
Test(plugins, every_requester_stops_a_router_that_asks_about_an_empty_port)
{
    expect_every_analysis_stops("ASKS_NO_PORT");
}
