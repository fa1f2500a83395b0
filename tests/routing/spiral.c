/* The router spiral: what its documentation promises (docs/spiral.md). */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *network;
    unsigned faults; /* k - 1 faults cannot separate two nodes whose own links are up */
} promised[] = {{"mikant:k=3,n=3", 2}, {"kary-ntree:k=3,n=3", 2}, {"kary-ntree:k=4,n=2", 3}};
enum { PROMISED = sizeof promised / sizeof *promised };

static const fl_scope scopes[] = {FL_SCOPE_DETOUR, FL_SCOPE_LOCAL};

/* ---- sets of faults ---- */

typedef struct faults {
    const fl_network *network;
    fl_order *order;
    fl_link down[8];
    unsigned count;
} faults;

static uint32_t answer(fl_order *order, fl_link link)
{
    const faults *f = order->user;
    for (unsigned i = 0; i < f->count; i++)
        if (f->down[i] == link)
            return 0;
    return FL_NEVER_FAILS;
}

static void need_faults(faults *f, const fl_network *network)
{
    *f = (faults){.network = network};
    cr_assert_eq(fl_order_create_custom(&f->order, network, answer, f, NULL), FL_OK);
}

/* Between any two of the nodes. */
static void expect_all_delivered(const fl_router *router, faults *f, const fl_address *nodes,
                                 unsigned count)
{
    for (unsigned s = 0; s < count; s++)
        for (unsigned d = 0; d < count; d++) {
            fl_view view = {.network = f->network,
                            .order = f->order,
                            .holds_until = FL_NEVER_FAILS,
                            .scope = router->scope};
            fl_walk_result result = {.delivered = true};
            fl_error error = {.text = ""};
            if (s == d)
                continue;
            cr_assert_eq(fl_walk(router, &view, nodes[s], nodes[d], NULL, NULL, &result, &error),
                         FL_OK, "%s", error.text);
            cr_assert(result.delivered, "%s: leaf %u to leaf %u with %u faults", f->network->spec,
                      s, d, f->count);
        }
}

static void try_sets(const fl_router *router, faults *f, uint64_t first, unsigned left,
                     const fl_address *nodes, unsigned count)
{
    fl_order_forget(f->order);
    if (f->count > 0)
        expect_all_delivered(router, f, nodes, count);
    for (uint64_t link = first; left > 0 && link < f->network->links; link++) {
        fl_link code = f->network->type->link_code(f->network, link);
        if (f->network->type->link_class(f->network, code) == 0)
            continue;
        f->down[f->count++] = code;
        try_sets(router, f, link + 1, left - 1, nodes, count);
        f->count--;
    }
}

/* One node of each leaf. */
static fl_address *need_leaves(const fl_network *network, unsigned *count)
{
    fl_address *nodes = need_memory(network->nodes, sizeof *nodes);
    bool *met = need_memory(network->switches, sizeof *met);
    *count = 0;
    for (uint64_t node = 0; node < network->nodes; node++) {
        fl_hop hop;
        fl_address address = network->type->node_address(network, node);
        cr_assert(fl_network_step(network, address, 0, &hop));
        uint64_t leaf = network->type->switch_index(network, hop.to);
        if (!met[leaf])
            nodes[(*count)++] = address;
        met[leaf] = true;
    }
    free(met);
    cr_assert_eq(*count, network->nodes / network->tree->k);
    return nodes;
}

/* Under every set of up to k - 1 faults between switches, from every leaf to every other. */
Test(spiral, delivers_every_pair_under_any_few_faults_between_switches)
{
    for (unsigned p = 0; p < PROMISED; p++)
        for (unsigned i = 0; i < 2; i++) {
            fl_network *network = need_network(promised[p].network);
            fl_router *router = need_router(network, "spiral", scopes[i]);
            unsigned count;
            fl_address *nodes = need_leaves(network, &count);
            faults f;
            need_faults(&f, network);
            unsigned most = FL_TEST_DIVISOR > 1 ? 1 : promised[p].faults;
            try_sets(router, &f, 0, most, nodes, count);
            free(nodes);
            fl_order_destroy(f.order);
            fl_router_destroy(router);
            fl_network_destroy(network);
        }
}

/* ---- what a proof may rely on ---- */

static bool on_menu(const fl_router *router, fl_order *healthy, const fl_packet *packet,
                    fl_address here, const fl_candidate *taken)
{
    fl_candidate candidates[64];
    fl_decision menu = {.wanted = 64, .candidates = candidates};
    fl_view view = {.network = router->network,
                    .order = healthy,
                    .here = here,
                    .holds_until = FL_NEVER_FAILS,
                    .scope = router->scope};
    fl_step_ask(router, packet, &view, &menu);
    for (unsigned i = 0; i < menu.count; i++)
        if (candidates[i].ports[0] == taken->ports[0] && candidates[i].channel == taken->channel &&
            candidates[i].header_state == taken->header_state)
            return true;
    return false;
}

static void walk_and_compare(const fl_router *router, fl_order *order, fl_order *healthy,
                             fl_address source, fl_address destination, uint32_t level)
{
    fl_packet packet = {.source = source, .destination = destination};
    fl_address here = source;
    for (uint64_t links = 0; here != destination; links++) {
        fl_candidate candidate;
        fl_decision decision = {.wanted = 1, .candidates = &candidate};
        fl_view view = {.network = router->network,
                        .order = order,
                        .here = here,
                        .fault_point = level,
                        .holds_until = FL_NEVER_FAILS,
                        .scope = router->scope};
        fl_step_ask(router, &packet, &view, &decision);
        if (decision.count == 0)
            return;
        cr_assert(on_menu(router, healthy, &packet, here, &candidate),
                  "a candidate that is not offered when everything is up");
        cr_assert_lt(links, fl_router_length_bound(router));
        fl_packet_take(&packet, here, &candidate);
        here = candidate.end;
    }
}

/* fl_router_type.offers_all, and the bound of the path length. */
Test(spiral, offers_everything_that_it_ever_takes)
{
    static const char *const networks[] = {"mikant:k=3,n=3", "mikant:k=2,n=4", "kary-ntree:k=3,n=3",
                                           "kary-ntree:k=2,n=5", "mikant:k=4,n=2"};
    static const char *const names[] = {"spiral", "spiral-bare", "spiral@own:5"};
    for (unsigned n = 0; n < 5; n++)
        for (unsigned r = 0; r < 3; r++)
            for (unsigned i = 0; i < 2; i++) {
                fl_network *network = need_network(networks[n]);
                fl_router *router = need_router(network, names[r], scopes[i]);
                fl_axis axis = every_count(network->links);
                fl_fault_model *model = need_model(network, "links", &axis);
                fl_order *order = need_order(model);
                faults none;
                need_faults(&none, network);
                for (uint64_t trial = 0; trial < TEST_ROUNDS(3000); trial++) {
                    fl_rng rng;
                    fl_rng_seed(&rng, 7, FL_PURPOSE_PAIRS, trial);
                    uint64_t source = fl_rng_below(&rng, network->nodes),
                             destination = fl_rng_below(&rng, network->nodes - 1);
                    fl_order_begin(order, 7, trial);
                    walk_and_compare(
                        router, order, none.order, network->type->node_address(network, source),
                        network->type->node_address(network, destination + (destination >= source)),
                        fl_rng_below32(&rng, (uint32_t)(network->links / 2)));
                }
                fl_order_destroy(none.order);
                fl_order_destroy(order);
                fl_fault_model_destroy(model);
                free_axis(&axis);
                fl_router_destroy(router);
                fl_network_destroy(network);
            }
}

/* No deadlock, no livelock, whatever fails; with fewer channels too. */
Test(spiral, is_proven_free_of_deadlock_and_livelock)
{
    static const char *const networks[] = {"mikant:k=3,n=3", "mikant:k=2,n=4", "kary-ntree:k=3,n=3",
                                           "kary-ntree:k=4,n=2", "kary-ntree:k=2,n=4"};
    static const char *const names[] = {"spiral", "spiral-bare", "spiral@own:1", "spiral@own:4"};
    const uint64_t none[] = {0};
    const fl_axis axis = {.fault_points = 1, .counts = none};
    for (unsigned n = 0; n < (FL_TEST_DIVISOR > 1 ? 1u : 5u); n++)
        for (unsigned r = 0; r < 4; r++)
            for (unsigned i = 0; i < 2; i++) {
                fl_network *network = need_network(networks[n]);
                fl_router *router = need_router(network, names[r], scopes[i]);
                fl_fault_model *model = need_model(network, "links", &axis);
                fl_proof proof;
                fl_error error = {.text = ""};
                cr_assert_eq(fl_router_prove(&proof, router, model, NULL, &error), FL_OK, "%s",
                             error.text);
                cr_expect(proof.deadlock_free && proof.livelock_free, "%s on %s", names[r],
                          networks[n]);
                cr_expect_leq(proof.channels_used, router->channels);
                cr_expect_leq(proof.length_bound, fl_router_length_bound(router));
                fl_proof_clear(&proof);
                fl_fault_model_destroy(model);
                fl_router_destroy(router);
                fl_network_destroy(network);
            }
}

/* ---- channels ---- */

/* Routers that differ in their channels only are different routers: swept together, each has what
 * it has alone. */
Test(spiral, numbers_of_channels_are_kept_apart_in_a_sweep)
{
    static const char *const texts[] = {"\"spiral@own:1\",\"spiral@own:4\"", "\"spiral@own:1\"",
                                        "\"spiral@own:4\""};
    fl_results *results[3];
    fl_experiment *experiments[3];
    fl_error error = {.text = ""};
    for (unsigned i = 0; i < 3; i++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "{\"topology\":\"mikant:k=3,n=3\",\"scope\":\"local\",\"faults\":40,\"trials\":%u,\"routers\":[%s]}",
            100000u, texts[i]);
        cr_assert_eq(fl_experiment_parse(&experiments[i], text, strlen(text), "test", &error),
                     FL_OK, "%s", error.text);
        cr_assert_eq(
            fl_experiment_run(&results[i], experiments[i], &(fl_run_options){.threads = 1}, &error),
            FL_OK, "%s", error.text);
    }
    uint64_t one = results[0]->counts[0]->of[0].delivered,
             four = results[0]->counts[0]->of[1].delivered;
    cr_expect_eq(one, results[1]->counts[0]->of[0].delivered,
                 "the first router's numbers are those that it has alone");
    cr_expect_lt(one + 10000, four, "more channels deliver more");
    /* Links are asked about in another order: the two differ by 1000, which is 4.5 standard
     * errors, for one seed in 100,000. */
    double alone = (double)results[2]->counts[0]->of[0].delivered;
    cr_expect_lt((double)four, alone + 1000);
    cr_expect_gt((double)four, alone - 1000);
    for (unsigned i = 0; i < 3; i++) {
        fl_results_destroy(results[i]);
        fl_experiment_destroy(experiments[i]);
    }
}

Test(spiral, takes_no_rule_for_its_channels_but_its_own)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_router *router;
    fl_error error;
    expect_refused(fl_router_create(&router, network, "spiral@phase:3", FL_SCOPE_LOCAL, &error),
                   &error, "a rule for a router that chooses", "own");
    expect_refused(fl_router_create(&router, network, "spiral@own:0", FL_SCOPE_LOCAL, &error),
                   &error, "no channel", "0");
    fl_network_destroy(network);
}
