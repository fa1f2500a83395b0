/* The router spiral is its definition in docs/spiral.md, link for link and channel for channel,
 * whatever fails: the fast router against a slow reference written from that definition alone. */
#include "tests/reference/spiral.h"
#include "tests/support.h"

#include <stdio.h>

enum { CHANNELS = 4, TWO_SCOPES = 2, VARIANTS = CHANNELS * TWO_SCOPES * 2 };

typedef struct trail {
    fl_address at[REF_SPIRAL_PATH_MAX];
    unsigned channel[REF_SPIRAL_PATH_MAX];
    unsigned count;
} trail;

static void follow(void *user, const fl_walk_hop *hop)
{
    trail *t = user;
    if (t->count < REF_SPIRAL_PATH_MAX) {
        t->at[t->count] = hop->to;
        t->channel[t->count] = hop->channel;
    }
    t->count++;
}

typedef struct variant {
    fl_router *fast;
    ref_spiral *slow;
} variant;

typedef struct match {
    twin *twin;
    fl_order *order;
    variant variants[VARIANTS];
    unsigned count;
    bool wide; /* under scope local only */
    fl_rng rng;
    uint64_t walks, blocked_inside, channel_changes, marked_steps;
} match;

static void add_variant(match *m, fl_scope scope, int channels, bool marks)
{
    const twin *t = m->twin;
    char name[32];
    bool by_default = channels == 3; /* what the name alone means */
    snprintf(name, sizeof name, by_default ? "%s" : "%s@own:%d", marks ? "spiral" : "spiral-bare",
             channels);
    variant *v = &m->variants[m->count++];
    v->fast = need_router(t->network, name, scope);
    v->slow = ref_spiral_create(t->reference, t->mikant, (int)t->k, (int)t->n,
                                scope == FL_SCOPE_LOCAL ? REF_SCOPE_LOCAL : REF_SCOPE_DETOUR,
                                channels, marks);
}

static match *need_match(bool mikant, unsigned k, unsigned n, bool wide)
{
    match *m = need_memory(1, sizeof *m);
    m->twin = need_twin(mikant, k, n);
    m->order = need_twin_order(m->twin);
    m->wide = wide;
    for (int channels = 1; channels <= CHANNELS; channels++)
        for (int marks = 0; marks < 2; marks++) {
            add_variant(m, FL_SCOPE_LOCAL, channels, marks);
            if (!wide)
                add_variant(m, FL_SCOPE_DETOUR, channels, marks);
        }
    fl_rng_seed_raw(&m->rng, mikant, k * 100 + n);
    return m;
}

static void free_match(match *m)
{
    for (unsigned i = 0; i < m->count; i++) {
        fl_router_destroy(m->variants[i].fast);
        ref_spiral_destroy(m->variants[i].slow);
    }
    fl_order_destroy(m->order);
    free_twin(m->twin);
    free(m);
}

/* ---- sets of faults ---- */

static bool joins_switches(const twin *t, int link)
{
    int u, v;
    ref_link_ends(t->reference, link, &u, &v);
    return u >= ref_node_count(t->reference) && v >= ref_node_count(t->reference);
}

/* A number of failed links between switches, every set of that size equally likely. All sizes are
 * equally frequent, except in wide networks, where few faults have no effect: there, sizes from
 * three quarters upwards. */
static void fail_some_links(match *m)
{
    twin *t = m->twin;
    int links = ref_link_count(t->reference);
    uint64_t left = 0;
    for (int i = 0; i < links; i++)
        left += joins_switches(t, i);
    uint64_t least = m->wide ? left * 3 / 4 : 0,
             faults = least + fl_rng_below(&m->rng, left - least + 1);
    for (int i = 0; i < links; i++)
        if (joins_switches(t, i) && fl_rng_below(&m->rng, left--) < faults) {
            t->down[i] = true;
            faults--;
        }
}

static void fail_some_switches(match *m)
{
    twin *t = m->twin;
    int links = ref_link_count(t->reference), nodes = ref_node_count(t->reference);
    uint64_t switches = (uint64_t)ref_switch_count(t->reference);
    for (uint64_t faults = fl_rng_below(&m->rng, switches / 2 + 1); faults > 0; faults--) {
        int victim = nodes + (int)fl_rng_below(&m->rng, switches);
        for (int i = 0; i < links; i++) {
            int u, v;
            ref_link_ends(t->reference, i, &u, &v);
            if (u == victim || v == victim)
                t->down[i] = true;
        }
    }
}

static void fail_something(match *m, int round)
{
    twin *t = m->twin;
    memset(t->down, 0, (size_t)ref_link_count(t->reference) * sizeof *t->down);
    if (round % 4 == 3 && !m->wide)
        fail_at_random(t, m->order, &m->rng, .25); /* node links, too */
    if ((round % 4 == 2 || round % 16 == 3) && !m->wide)
        fail_some_switches(m);
    if (m->wide || (round % 4 < 2 && round > 0))
        fail_some_links(m);
    fl_order_forget(m->order);
}

static void describe_faults(const twin *t, char *out, size_t size)
{
    size_t at = 0;
    for (uint64_t i = 0; i < t->network->links && at < size; i++)
        if (t->down[t->link[i]])
            at += (size_t)snprintf(out + at, size - at, "%s%llu", at ? ";" : "",
                                   (unsigned long long)i);
}

/* ---- the comparison ---- */

/* NULL, or what is different. */
static const char *compare(const twin *t, const fl_walk_result *fast, const trail *went,
                           const ref_spiral_route *slow)
{
    for (unsigned i = 0; i < went->count && i + 1 < (unsigned)slow->path_count; i++) {
        if (went->at[i] != t->address[slow->path[i + 1]])
            return "the path";
        if (slow->channel[i + 1] >= 0 && went->channel[i] != (unsigned)slow->channel[i + 1])
            return "a channel";
    }
    if (went->count != (unsigned)slow->path_count - 1 || went->count != fast->hops)
        return "the number of links travelled";
    if (fast->delivered != slow->delivered)
        return "the outcome";
    if (!fast->delivered &&
        (fast->reason == FL_BLOCKED_SOURCE) != (slow->reason == REF_BLOCKED_SOURCE))
        return "the reason (source)";
    if (!fast->delivered &&
        (fast->reason == FL_BLOCKED_DESTINATION) != (slow->reason == REF_BLOCKED_DESTINATION))
        return "the reason (destination)";
    return NULL;
}

static void note_events(match *m, const ref_spiral_route *slow)
{
    m->walks++;
    m->blocked_inside += slow->reason == REF_BLOCKED_UP;
    m->marked_steps += (uint64_t)slow->marked_steps;
    for (int i = 1; i < slow->path_count; i++)
        m->channel_changes += slow->channel[i] > 0 && slow->channel[i] != slow->channel[i - 1];
}

static void compare_routes(match *m, const variant *v, int source, int destination)
{
    const twin *t = m->twin;
    fl_view view = {.network = t->network,
                    .order = m->order,
                    .enabled_rules = v->fast->enabled_rules,
                    .scope = v->fast->scope,
                    .holds_until = FL_NEVER_FAILS};
    trail went = {.count = 0};
    fl_walk_result fast;
    ref_spiral_route slow;
    fl_error error = {.text = ""};
    fl_status status = fl_walk(v->fast, &view, t->address[source], t->address[destination], follow,
                               &went, &fast, &error);
    cr_assert(status == FL_OK, "%s, %s: %s", t->network->spec, v->fast->name, error.text);
    ref_spiral_route_packet(v->slow, t->down, source, destination, &slow);
    note_events(m, &slow);
    const char *different = compare(t, &fast, &went, &slow);
    if (different) {
        char faults[600] = "";
        describe_faults(t, faults, sizeof faults);
        cr_assert(false, "%s, %s, scope %s, node %d to %d: %s differs; faults list:%s",
                  t->network->spec, v->fast->name, fl_scope_names[v->fast->scope], source,
                  destination, different, faults);
    }
}

/* The given number of random pairs, or with `pairs` 0 every pair of nodes, under each of the sets.
 */
static void compare_under(match *m, int fault_sets, int pairs)
{
    int nodes = ref_node_count(m->twin->reference);
    for (int round = 0; round < fault_sets; round++) {
        fail_something(m, round);
        for (int pair = 0; pair < (pairs ? pairs : nodes * nodes); pair++) {
            int s = pairs ? (int)fl_rng_below(&m->rng, (uint64_t)nodes) : pair / nodes;
            int t = pairs ? (int)fl_rng_below(&m->rng, (uint64_t)nodes) : pair % nodes;
            for (unsigned i = 0; s != t && i < m->count; i++)
                compare_routes(m, &m->variants[i], s, t);
        }
    }
}

/* The comparison is useful only if the packets meet every case of the definition. */
static void expect_events(const match *m)
{
    cr_expect(m->blocked_inside > 0, "%s: no packet was blocked inside the network",
              m->twin->network->spec);
    cr_expect(m->channel_changes > 0, "%s: no packet changed the channel", m->twin->network->spec);
    cr_expect(m->marked_steps > 0, "%s: no packet went to a marked switch", m->twin->network->spec);
}

static void compare_network(bool mikant, unsigned k, unsigned n, int fault_sets, int pairs)
{
    match *m = need_match(mikant, k, n, false);
    compare_under(m, fault_sets, pairs);
    expect_events(m);
    free_match(m);
}

Test(spiral_reference, every_pair_of_the_smallest)
{
    compare_network(true, 2, 2, TEST_ROUNDS(120), 0);
    compare_network(false, 2, 2, TEST_ROUNDS(240), 0);
    compare_network(false, 3, 2, TEST_ROUNDS(80), 0);
}

/* Only node links: nothing to choose. */
Test(spiral_reference, networks_of_one_switch)
{
    for (unsigned k = 2; k <= 3; k++)
        for (int mikant = 0; mikant < 2; mikant++) {
            match *m = need_match(mikant, k, 1, false);
            compare_under(m, TEST_ROUNDS(100), 0);
            free_match(m);
        }
}

Test(spiral_reference, pairs_of_mikants)
{
    compare_network(true, 3, 2, TEST_ROUNDS(160), 4);
    compare_network(true, 2, 3, TEST_ROUNDS(320), 4);
    compare_network(true, 3, 3, TEST_ROUNDS(160), 2);
    compare_network(true, 2, 4, TEST_ROUNDS(160), 4);
}

Test(spiral_reference, pairs_of_kary_ntrees)
{
    compare_network(false, 3, 3, TEST_ROUNDS(160), 3);
    compare_network(false, 4, 2, TEST_ROUNDS(160), 2);
    compare_network(false, 2, 4, TEST_ROUNDS(240), 4);
}

/* More digits than the header has marks: two switches have the same mark. A view of five links
 * would make the reference too slow here. */
Test(spiral_reference, pairs_of_wide_networks_under_local)
{
    for (int mikant = 0; mikant < 2; mikant++) {
        match *m = need_match(mikant, 22, 2, true);
        compare_under(m, TEST_ROUNDS(120), 12);
        expect_events(m);
        free_match(m);
    }
}
