/* Properties that hold for every router, and what is refused. */
#include "tests/support.h"

#include <stdio.h>

/* ---- watching one packet ---- */

typedef struct hop {
    fl_address from, to;
    fl_port port;
    unsigned rule;
} hop;

enum { HOPS_MAX = 128 };

/* A packet's path and every link that was asked about on it. */
typedef struct watched {
    const fl_network *network;
    fl_walk_result result;
    hop hops[HOPS_MAX];
    unsigned count;
    bool *asked; /* [link index] */
    uint32_t holds_until;
    uint64_t rules_asked;
} watched;

static void watch_hop(void *user, const fl_walk_hop *taken)
{
    watched *w = user;
    cr_assert(w->count < HOPS_MAX, "a path of bounded length");
    w->hops[w->count++] = (hop){taken->from, taken->to, taken->port, taken->rule};
}

static void watch_question(void *user, fl_address from, fl_port port, fl_link link, bool up)
{
    watched *w = user;
    (void)from;
    (void)port;
    (void)up;
    w->asked[w->network->type->link_index(w->network, link)] = true;
}

static watched need_watched(const fl_network *network)
{
    return (watched){.network = network, .asked = need_memory(network->links, sizeof(bool))};
}

static void walk_at(watched *w, const fl_router *router, uint64_t enabled_rules, fl_order *order,
                    uint32_t level, fl_address source, fl_address destination)
{
    fl_view view = {.network = w->network,
                    .order = order,
                    .fault_point = level,
                    .enabled_rules = enabled_rules,
                    .scope = router->scope,
                    .holds_until = FL_NEVER_FAILS,
                    .listener = watch_question,
                    .listener_user = w};
    fl_error error = {.text = ""};
    w->count = 0;
    memset(w->asked, 0, w->network->links * sizeof *w->asked);
    cr_assert(fl_walk(router, &view, source, destination, watch_hop, w, &w->result, &error) ==
                  FL_OK,
              "%s", error.text);
    w->holds_until = view.holds_until;
    w->rules_asked = view.rules_asked;
}

static bool same_candidate(const watched *a, const watched *b)
{
    if (a->count != b->count || a->result.delivered != b->result.delivered ||
        a->result.length != b->result.length ||
        (!a->result.delivered && a->result.reason != b->result.reason))
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (a->hops[i].from != b->hops[i].from || a->hops[i].to != b->hops[i].to ||
            a->hops[i].port != b->hops[i].port || a->hops[i].rule != b->hops[i].rule)
            return false;
    return true;
}

/* ---- for every router, in both scopes, under random faults ---- */

typedef struct scene {
    twin *twin;
    fl_order *order;
    const fl_router *router;
    fl_address source, destination;
    fl_rng *rng;
} scene;

static void draw_pair(scene *s)
{
    uint64_t nodes = s->twin->network->nodes, a = fl_rng_below(s->rng, nodes),
             b = fl_rng_below(s->rng, nodes - 1);
    b += b >= a;
    s->source = s->twin->network->type->node_address(s->twin->network, a);
    s->destination = s->twin->network->type->node_address(s->twin->network, b);
}

static void for_routers(twin *t, unsigned rounds, void (*check)(scene *s))
{
    rule_sets sets;
    fl_rng rng;
    scene s = {.twin = t, .order = need_twin_order(t), .rng = &rng};
    fl_rng_seed_raw(&rng, rounds, t->k * 100 + t->n);
    list_rule_sets(t->mikant, t->n, &sets);
    for (unsigned i = 0; i < sets.count; i++)
        for (int scope = 0; scope < 2; scope++) {
            fl_router *router = need_router(t->network, sets.names[i], (fl_scope)scope);
            s.router = router;
            for (unsigned round = 0; round < rounds; round++) {
                fail_at_random(t, s.order, &rng, (double)fl_rng_below(&rng, 40) / 100);
                draw_pair(&s);
                check(&s);
            }
            fl_router_destroy(router);
        }
    fl_order_destroy(s.order);
}

static const struct {
    bool mikant;
    unsigned k, n;
} trees[] = {{true, 2, 2},  {true, 2, 3},  {true, 3, 3},  {true, 2, 5},  {true, 4, 3}, {true, 3, 1},
             {false, 2, 2}, {false, 3, 3}, {false, 2, 5}, {false, 4, 3}, {false, 3, 1}};

static void for_everything(unsigned rounds, void (*check)(scene *s))
{
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        twin *t = need_twin(trees[i].mikant, trees[i].k, trees[i].n);
        for_routers(t, rounds, check);
        free_twin(t);
    }
}

static void check_path(scene *s)
{
    watched w = need_watched(s->twin->network);
    walk_at(&w, s->router, s->router->enabled_rules, s->order, 0, s->source, s->destination);
    fl_address at = s->source;
    for (unsigned i = 0; i < w.count; i++) {
        fl_hop candidate;
        cr_assert(w.hops[i].from == at &&
                      fl_network_step(s->twin->network, at, w.hops[i].port, &candidate) &&
                      candidate.to == w.hops[i].to,
                  "%s: link %u of the path joins on", s->router->name, i);
        cr_assert(fl_order_fails_at(s->order, candidate.link) > 0,
                  "%s: link %u of the path is healthy", s->router->name, i);
        cr_assert(w.asked[s->twin->network->type->link_index(s->twin->network, candidate.link)],
                  "%s: link %u was asked about", s->router->name, i);
        at = w.hops[i].to;
    }
    cr_assert(w.result.hops == w.count, "every link is reported");
    cr_assert(w.result.delivered == (at == s->destination),
              "%s: delivered means at the destination", s->router->name);
    if (w.result.delivered)
        cr_assert(w.result.length == w.count &&
                      w.result.length <= fl_router_length_bound(s->router),
                  "%s, %s: length %u, bound %d", s->twin->network->spec, s->router->name,
                  w.result.length, (int)fl_router_length_bound(s->router));
    free(w.asked);
}

Test(properties, a_delivered_packet_took_healthy_links_from_source_to_destination_within_the_bound)
{
    for_everything(TEST_ROUNDS(2000), check_path);
}

/* Another fault set that agrees with the first wherever the router looked. */
static void disturb(scene *s, const watched *w, double rate)
{
    for (uint64_t i = 0; i < s->twin->network->links; i++)
        if (!w->asked[i])
            s->twin->down[s->twin->link[i]] = fl_rng_next32(s->rng) < rate * 4294967296.0;
    fl_order_forget(s->order);
}

static void check_unasked_faults(scene *s)
{
    static const double rates[] = {0, .05, .5, 1};
    watched before = need_watched(s->twin->network), after = need_watched(s->twin->network);
    walk_at(&before, s->router, s->router->enabled_rules, s->order, 0, s->source, s->destination);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        disturb(s, &before, rates[i]);
        walk_at(&after, s->router, s->router->enabled_rules, s->order, 0, s->source,
                s->destination);
        cr_assert(same_candidate(&before, &after), "%s, %s: same answers, same path",
                  s->twin->network->spec, s->router->name);
    }
    free(before.asked);
    free(after.asked);
}

Test(properties, a_fault_that_the_router_did_not_ask_about_changes_nothing)
{
    for_everything(TEST_ROUNDS(300), check_unasked_faults);
}

/* The same for rules: rules that were not asked for may be enabled or disabled. */
static void check_unasked_rules(scene *s)
{
    watched before = need_watched(s->twin->network), after = need_watched(s->twin->network);
    walk_at(&before, s->router, s->router->enabled_rules, s->order, 0, s->source, s->destination);
    for (int i = 0; i < 4; i++) {
        uint64_t enabled_rules =
            s->router->enabled_rules ^ (fl_rng_next64(s->rng) & ~before.rules_asked);
        walk_at(&after, s->router, enabled_rules, s->order, 0, s->source, s->destination);
        cr_assert(same_candidate(&before, &after) && after.rules_asked == before.rules_asked,
                  "%s, %s: rules that were not asked about", s->twin->network->spec,
                  s->router->name);
    }
    free(before.asked);
    free(after.asked);
}

Test(properties, a_setting_that_the_router_did_not_ask_for_changes_nothing)
{
    for_everything(TEST_ROUNDS(300), check_unasked_rules);
}

/* ---- along the fault points of a fault order ---- */

Test(properties,
     a_candidate_holds_until_the_level_that_the_view_says_and_no_longer_uses_the_same_links)
{
    static const char *const names[] = {"shortest", "gns+gdl",
                                        "gns+three-turn+x-turns+gdl+adaptive-up"};
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_axis axis = every_count(network->links);
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    watched first = need_watched(network), later = need_watched(network);
    for (int scope = 0; scope < 2; scope++)
        for (size_t r = 0; r < 3; r++) {
            fl_router *router = need_router(network, names[r], (fl_scope)scope);
            for (uint64_t trial = 0; trial < TEST_ROUNDS(100); trial++) {
                fl_order_begin(order, 1, trial);
                fl_address s = network->type->node_address(network, trial % 54),
                           t = network->type->node_address(network, (trial * 7 + 5) % 53);
                t = s == t ? network->type->node_address(network, 53) : t;
                for (uint32_t level = 0; level < axis.fault_points; level = first.holds_until) {
                    walk_at(&first, router, router->enabled_rules, order, level, s, t);
                    for (uint32_t l = level + 1; l < axis.fault_points && l < first.holds_until;
                         l++) {
                        walk_at(&later, router, router->enabled_rules, order, l, s, t);
                        cr_assert(same_candidate(&first, &later), "%s: level %u is like level %u",
                                  router->name, l, level);
                    }
                    cr_assert(first.holds_until > level, "the levels rise");
                }
            }
            fl_router_destroy(router);
        }
    free(first.asked);
    free(later.asked);
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    free_axis(&axis);
    fl_network_destroy(network);
}

/* ---- without faults ---- */

static void check_shortest(bool mikant, unsigned k, unsigned n)
{
    twin *t = need_twin(mikant, k, n);
    fl_order *order = need_twin_order(t);
    fl_graph *graph;
    cr_assert(fl_graph_create(&graph, t->network, NULL) == FL_OK, "a graph");
    uint32_t *distance = need_memory(graph->vertices, sizeof *distance),
             *queue = need_memory(graph->vertices, sizeof *queue);
    watched candidate = need_watched(t->network);
    rule_sets sets;
    list_rule_sets(mikant, n, &sets);
    for (unsigned i = 0; i < 2 * sets.count; i++) {
        fl_router *router =
            need_router(t->network, sets.names[i / 2], i % 2 ? FL_SCOPE_LOCAL : FL_SCOPE_DETOUR);
        for (uint64_t s = 0; s < graph->nodes; s++) {
            fl_graph_distances(graph, s, distance, queue);
            for (uint64_t d = 0; d < graph->nodes; d++) {
                if (s == d)
                    continue;
                walk_at(&candidate, router, router->enabled_rules, order, 0, t->address[s],
                        t->address[d]);
                cr_assert(candidate.result.delivered && candidate.result.length == distance[d],
                          "%s, %s: shortest", t->network->spec, router->name);
                cr_assert(candidate.rules_asked == 0, "no rule is needed");
            }
        }
        fl_router_destroy(router);
    }
    free(candidate.asked);
    free(distance);
    free(queue);
    fl_graph_destroy(graph);
    fl_order_destroy(order);
    free_twin(t);
}

Test(properties, without_faults_every_router_takes_a_shortest_path)
{
    check_shortest(true, 3, 3);
    check_shortest(true, 2, 4);
    check_shortest(true, 4, 2);
    check_shortest(true, 3, 1);
    check_shortest(false, 3, 3);
    check_shortest(false, 2, 5);
    check_shortest(false, 5, 1);
}

/* A MiKANT of 4 million nodes routes without being stored. */
Test(properties, a_network_of_millions_of_nodes_routes_in_little_memory)
{
    fl_network *network = need_network("mikant:k=128,n=3");
    fl_axis axis = {.fault_points = 2, .counts = (uint64_t[]){0, 1000000}};
    fl_fault_model *model = need_model(network, "links", &axis);
    fl_order *order = need_order(model);
    fl_router *router =
        need_router(network, "gns+three-turn+x-turns+gdl+adaptive-up", FL_SCOPE_DETOUR);
    fl_rng rng;
    fl_rng_seed_raw(&rng, 1, 2);
    cr_assert(network->nodes == 4194304, "4,194,304 nodes");
    for (uint64_t trial = 0; trial < 1000; trial++) {
        uint64_t s = fl_rng_below(&rng, network->nodes), d = fl_rng_below(&rng, network->nodes - 1);
        fl_order_begin(order, 0, trial);
        for (uint32_t level = 0; level < 2; level++) {
            fl_view view = {.network = network,
                            .order = order,
                            .fault_point = level,
                            .enabled_rules = router->enabled_rules,
                            .holds_until = FL_NEVER_FAILS};
            fl_walk_result result;
            fl_error error = {.text = ""};
            cr_assert(fl_walk(router, &view, network->type->node_address(network, s),
                              network->type->node_address(network, d + (d >= s)), NULL, NULL,
                              &result, &error) == FL_OK,
                      "%s", error.text);
            cr_assert(level > 0 || (result.delivered && result.length <= 6),
                      "no faults: delivered");
            cr_assert(!result.delivered || result.length <= fl_router_length_bound(router),
                      "within the bound");
        }
    }
    fl_router_destroy(router);
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
}

/* ---- decisions with several candidates ---- */

enum { CANDIDATES = 6 };

static fl_decision ask_at(scene *s, fl_address sw, unsigned wanted, fl_candidate *candidates,
                          bool *asked)
{
    watched w = {.network = s->twin->network, .asked = asked};
    fl_view view = {.network = s->twin->network,
                    .order = s->order,
                    .here = sw,
                    .enabled_rules = s->router->enabled_rules,
                    .scope = s->router->scope,
                    .holds_until = FL_NEVER_FAILS,
                    .listener = watch_question,
                    .listener_user = &w};
    fl_packet packet = {.source = s->source, .destination = s->destination};
    fl_decision decision = {.wanted = wanted, .candidates = candidates};
    fl_step_ask(s->router, &packet, &view, &decision);
    cr_assert(!view.violation, "%s violates the contract", s->router->name);
    return decision;
}

static bool same_ports(const fl_candidate *a, const fl_candidate *b)
{
    return a->length == b->length &&
           memcmp(a->ports, b->ports, a->length * sizeof a->ports[0]) == 0;
}

static void check_candidate(scene *s, fl_address at, const fl_candidate *candidate,
                            const bool *asked)
{
    for (unsigned i = 0; i < candidate->length; i++) {
        fl_hop step;
        cr_assert(fl_network_step(s->twin->network, at, candidate->ports[i], &step),
                  "%s: port %u is plugged", s->router->name, i);
        cr_assert(asked[s->twin->network->type->link_index(s->twin->network, step.link)] &&
                      fl_order_fails_at(s->order, step.link) > 0,
                  "%s: link %u was seen up", s->router->name, i);
        at = step.to;
    }
    cr_assert(at == candidate->end, "%s: the candidate ends where it says", s->router->name);
}

static void check_candidates(scene *s)
{
    fl_candidate one, many[CANDIDATES];
    bool *asked = need_memory(s->twin->network->links, sizeof *asked);
    fl_address sw = s->twin->network->type->switch_address(
        s->twin->network, fl_rng_below(s->rng, s->twin->network->switches));
    fl_decision best = ask_at(s, sw, 1, &one, asked), all = ask_at(s, sw, CANDIDATES, many, asked);
    cr_assert((best.count > 0) == (all.count > 0) && best.count <= 1 && all.count <= CANDIDATES,
              "%s: as many as wanted", s->router->name);
    cr_assert(best.count == 0 || same_ports(&one, &many[0]), "%s: the best comes first",
              s->router->name);
    cr_assert(best.count > 0 || best.reason == all.reason, "%s: one reason", s->router->name);
    for (unsigned i = 0; i < all.count; i++) {
        check_candidate(s, sw, &many[i], asked);
        for (unsigned j = 0; j < i; j++)
            cr_assert(!same_ports(&many[i], &many[j]), "%s: no candidate twice", s->router->name);
    }
    free(asked);
}

Test(properties, several_candidates_begin_with_the_same_best_one_and_others_that_are_up)
{
    for_everything(TEST_ROUNDS(500), check_candidates);
}

/* ---- routers that break the contract ---- */

static fl_status walk_with(void (*next)(const fl_router *, const fl_packet *, fl_view *,
                                        fl_decision *),
                           fl_error *error)
{
    fl_router_type type = {.name = "broken", .next = next};
    twin *t = need_twin(true, 3, 3);
    fl_order *order = need_twin_order(t);
    fl_router router = {.type = &type,
                        .next = next,
                        .network = t->network,
                        .scope = FL_SCOPE_LOCAL,
                        .channels = 1,
                        .name = "broken"};
    fl_view view = {.network = t->network,
                    .order = order,
                    .scope = FL_SCOPE_LOCAL,
                    .holds_until = FL_NEVER_FAILS};
    fl_walk_result result;
    fl_status status =
        fl_walk(&router, &view, t->address[0], t->address[53], NULL, NULL, &result, error);
    fl_order_destroy(order);
    free_twin(t);
    return status;
}

static void next_peeks(const fl_router *router, const fl_packet *packet, fl_view *view,
                       fl_decision *decision)
{
    (void)router;
    (void)packet;
    fl_probe at = fl_view_here(view), far_end;
    fl_port ports[2] = {3, 3};
    if (fl_view_up(view, &at, 3, &far_end) && fl_view_up(view, &far_end, 3, &far_end))
        fl_decision_offer(decision, ports, 2, far_end.at, FL_NO_RULE, 0);
}

static void offer_port(fl_view *view, fl_decision *decision, fl_port port)
{
    fl_probe at = fl_view_here(view), far_end = at;
    fl_view_up(view, &at, port, &far_end);
    fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
}

static void next_loops(const fl_router *router, const fl_packet *packet, fl_view *view,
                       fl_decision *decision)
{
    (void)router;
    (void)packet;
    offer_port(view, decision, 3); /* up, across, across, ... */
}

static void next_goes_astray(const fl_router *router, const fl_packet *packet, fl_view *view,
                             fl_decision *decision)
{
    (void)router;
    (void)packet;
    offer_port(view, decision, 0); /* to a node of the source's switch */
}

static void next_leaves_the_switch(const fl_router *router, const fl_packet *packet, fl_view *view,
                                   fl_decision *decision)
{
    (void)router;
    (void)packet;
    offer_port(view, decision, 6);
}

static void expect_broken(void (*next)(const fl_router *, const fl_packet *, fl_view *,
                                       fl_decision *),
                          const char *says)
{
    fl_error error = {.text = ""};
    cr_expect(walk_with(next, &error) == FL_ERR_ROUTER, "the walk ends with an error");
    cr_expect(strstr(error.text, "'broken'") && strstr(error.text, says),
              "the message names the router and '%s': %s", says, error.text);
}

Test(walk, a_router_that_peeks_loops_errs_or_invents_ports_is_an_error)
{
    expect_broken(next_peeks, "scope");
    expect_broken(next_loops, "never ends");
    expect_broken(next_goes_astray, "wrong node");
    expect_broken(next_leaves_the_switch, "nothing is plugged in");
}

/* routing/router.h: a router can only offer candidates whose links it asked about and saw up. */
static void next_never_asks(const fl_router *router, const fl_packet *packet, fl_view *view,
                            fl_decision *decision)
{
    fl_hop step;
    fl_port port = fl_tree_group(view->here) == fl_tree_group(packet->destination) ? 0 : 3;
    if (fl_network_step(router->network, view->here, port, &step))
        fl_decision_offer(decision, &port, 1, step.to, FL_NO_RULE, 0);
}

Test(walk, a_router_that_offers_a_link_that_is_down_is_an_error)
{
    fl_router_type type = {.name = "broken", .next = next_never_asks};
    twin *t = need_twin(true, 3, 3);
    fl_order *order = need_twin_order(t);
    fl_router router = {.type = &type,
                        .next = next_never_asks,
                        .network = t->network,
                        .channels = 1,
                        .name = "broken"};
    fl_view view = {.network = t->network, .order = order, .holds_until = FL_NEVER_FAILS};
    fl_walk_result result;
    fl_error error = {.text = ""};
    fl_link cross;
    cr_assert(fl_network_parse_link(t->network, "<0,1,00> <1,1,00>", &cross, NULL) == FL_OK,
              "the cross link");
    t->down[t->link[t->network->type->link_index(t->network, cross)]] = true;
    fl_status status =
        fl_walk(&router, &view, t->address[0], t->address[27], NULL, NULL, &result, &error);
    cr_expect(status == FL_ERR_ROUTER, "status %d, %s over a link that is down", (int)status,
              result.delivered ? "delivered" : "blocked");
    fl_order_destroy(order);
    free_twin(t);
}

/* ---- detours in headers ---- */

Test(walk, the_rest_of_a_detour_travels_in_the_header_in_order)
{
    fl_packet packet = {.header_state = 0};
    fl_candidate candidate = {.ports = {7, 8, 9}, .length = 3, .header_state = 5};
    fl_packet_take(&packet, 1, &candidate);
    cr_assert(packet.detour_left == 2 && packet.header_state == 5, "two ports are left");
    cr_expect(packet.detour[1] == 8 && packet.detour[0] == 9, "the next one last");
    fl_packet_take(&packet, 1, &candidate);
    fl_packet_take(&packet, 1, &candidate);
    cr_expect(packet.detour_left == 0, "none is left");
}

Test(walk, reports_which_rule_a_hop_belongs_to)
{
    twin *t = need_twin(true, 3, 3);
    fl_order *order = need_twin_order(t);
    fl_router *router = need_router(t->network, "gns", FL_SCOPE_DETOUR);
    watched w = need_watched(t->network);
    fl_link cross;
    fl_address from, to;
    t->network->type->parse_label(t->network, "<0,000>", &from);
    t->network->type->parse_label(t->network, "<1,000>", &to);
    cr_assert(fl_network_parse_link(t->network, "<0,1,00> <1,1,00>", &cross, NULL) == FL_OK,
              "the cross link");
    t->down[t->link[t->network->type->link_index(t->network, cross)]] = true;
    walk_at(&w, router, router->enabled_rules, order, 0, from, to);
    cr_assert(w.result.delivered && w.count == 7, "delivered, two links longer");
    for (unsigned i = 0; i < w.count; i++) {
        bool detour = i >= 2 && i <= 4;
        cr_expect(detour ? w.hops[i].rule != FL_NO_RULE &&
                               strcmp(fl_rule_name(w.hops[i].rule), "gns") == 0
                         : w.hops[i].rule == FL_NO_RULE,
                  "link %u", i);
    }
    free(w.asked);
    fl_router_destroy(router);
    fl_order_destroy(order);
    free_twin(t);
}

/* ---- names ---- */

static const struct {
    const char *network, *name, *says;
} refused[] = {
    {"mikant:k=3,n=3", "", "''"},
    {"mikant:k=3,n=3", "gsn", "did you mean 'gns'"},
    {"mikant:k=3,n=3", "gns+gdll", "did you mean 'gdl'"},
    {"mikant:k=3,n=3", "three_turn", "did you mean 'three-turn'"},
    {"mikant:k=3,n=3", "valiant-dragonfly", "'valiant-dragonfly'"},
    {"mikant:k=3,n=3", "valiant-dragonfly",
     "adaptive-up, gns, gns-any-level, three-turn, x-turns, gdl"},
    {"mikant:k=3,n=3", "gns+", "''"},
    {"mikant:k=3,n=3", "+gns", "''"},
    {"mikant:k=3,n=3", "gns++gdl", "''"},
    {"mikant:k=3,n=3", "gns, gdl", "'gns, gdl'"},
    {"mikant:k=3,n=3", "gns+gns", "gns twice"},
    {"mikant:k=3,n=3", "gdl+gns+gdl", "gdl twice"},
    {"mikant:k=3,n=3", "shortest+gns", "shortest"},
    {"mikant:k=3,n=3", "gns+shortest", "shortest"},
    {"mikant:k=3,n=3", "x-turns", "together with gns"},
    {"mikant:k=3,n=3", "x-turns", "gns+x-turns"},
    {"mikant:k=3,n=3", "three-turn+x-turns+gdl", "together with gns"},
    {"mikant:k=3,n=2", "gns", "n must be at least 3"},
    {"mikant:k=3,n=2", "gns-any-level", "n must be at least 3"},
    {"mikant:k=3,n=3", "three-turn+x-turns", "together with gns"},
    {"mikant:k=3,n=2", "gns+gdl", "mikant:k=3,n=2"},
    {"mikant:k=3,n=2", "gns+x-turns", "n must be at least 3"},
    {"mikant:k=3,n=2", "x-turns", "n must be at least 3"},
    {"kary-ntree:k=3,n=3", "x-turns", "two groups"},
    {"kary-ntree:k=3,n=3", "gns+x-turns", "x-turns cannot be used on kary-ntree:k=3,n=3"},
};

Test(names, combinations_without_meaning_are_refused_with_the_reason)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        fl_network *network = need_network(refused[i].network);
        fl_router *router = NULL;
        fl_error error = {.text = ""};
        expect_refused(fl_router_create(&router, network, refused[i].name, FL_SCOPE_DETOUR, &error),
                       &error, refused[i].name, refused[i].says);
        fl_network_destroy(network);
    }
}

Test(names, of_any_length_are_refused_without_harm)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    char name[3000];
    for (size_t length = 60; length < sizeof name;
         length = length < 110 ? length + 1 : length * 2) {
        memset(name, 'g', length);
        name[length] = 0;
        fl_router *router = NULL;
        fl_error error = {.text = ""};
        expect_refused(fl_router_create(&router, network, name, FL_SCOPE_DETOUR, &error), &error,
                       name, "gggg");
    }
    fl_network_destroy(network);
}

Test(names, the_order_of_rules_does_not_matter)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_router *a = need_router(network, "gdl+x-turns+gns", FL_SCOPE_DETOUR),
              *b = need_router(network, "gns+gdl+x-turns", FL_SCOPE_DETOUR);
    cr_expect(a->enabled_rules == b->enabled_rules && a->enabled_rules != 0, "the same rules");
    cr_expect(strcmp(a->name, "gdl+x-turns+gns") == 0, "the name is as given");
    fl_router_destroy(a);
    fl_router_destroy(b);
    fl_network_destroy(network);
}

Test(names, rules_that_never_apply_are_allowed_with_a_note)
{
    static const struct {
        const char *network, *name, *says;
    } cases[] = {{"kary-ntree:k=3,n=2", "gns", "gns never applies"},
                 {"kary-ntree:k=3,n=1", "adaptive-up+gdl", "gdl never applies"},
                 {"mikant:k=3,n=2", "gdl", "gdl never applies"},
                 {"mikant:k=3,n=3", "gns+gdl", ""}};
    for (size_t i = 0; i < 4; i++) {
        fl_network *network = need_network(cases[i].network);
        fl_router *router = need_router(network, cases[i].name, FL_SCOPE_DETOUR);
        cr_expect(cases[i].says[0] ? strstr(router->note, cases[i].says) != NULL
                                   : router->note[0] == 0,
                  "%s on %s: '%s'", cases[i].name, cases[i].network, router->note);
        fl_router_destroy(router);
        fl_network_destroy(network);
    }
}

Test(names, every_rule_describes_itself)
{
    cr_expect(fl_rule_count() >= 5, "the five rules of the definitions at least");
    for (unsigned r = 0; r < fl_rule_count(); r++)
        cr_expect(fl_rule_name(r)[0] && fl_rule_summary(r)[0] && fl_rule_source(r)[0] &&
                      fl_rule_extra_links(r) <= 4,
                  "rule %u", r);
}
