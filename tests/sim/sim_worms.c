/* Worms, and links that fail under them, against a slow simulator that shares no code with the
 * library: every flit has the cycle in which it left each place, and everything else is computed
 * again from these in every cycle. Paths are fixed and arbitration is oldest first, so there is one
 * right answer. */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

enum { WORMS_MAX = 600, LINKS_MAX = 16, FLITS_MAX = 9, FAILURES_MAX = 4 };
#define NOT_YET UINT64_MAX

typedef struct worm {
    uint32_t source, destination;
    uint64_t born, arrived; /* as the library reports */
    unsigned links;
    fl_link link[LINKS_MAX];
    fl_address from[LINKS_MAX];
    uint64_t left[LINKS_MAX]
                 [FLITS_MAX];  /* when a flit left for this link, or was dropped before it */
    unsigned flits[LINKS_MAX]; /* that will come as far as this link */
    bool drops[LINKS_MAX];     /* flits that have not left for this link are dropped */
    uint64_t front[LINKS_MAX]; /* the cycle from which the header is first in the queue before this
                                  link */
    bool lost, over;
} worm;

typedef struct world {
    const fl_network *network;
    const fl_sim_model *model;
    worm *worms;
    unsigned count;
    fl_sim_failure failures[FAILURES_MAX];
    unsigned failure_count;
    uint64_t cut, blocked; /* worms */
} world;

static void note_left(void *user, const fl_sim_packet *p)
{
    world *w = user;
    cr_assert_lt(w->count, WORMS_MAX);
    w->worms[w->count++] = (worm){
        .source = p->source, .destination = p->destination, .born = p->born, .arrived = NOT_YET};
}

static void note_arrival(void *user, const fl_sim_packet *p)
{
    world *w = user;
    for (unsigned i = 0; i < w->count; i++)
        if (w->worms[i].source == p->source && w->worms[i].born == p->born)
            w->worms[i].arrived = p->arrived;
}

static int by_birth(const void *a, const void *b)
{
    const worm *x = a, *y = b;
    if (x->born != y->born)
        return x->born < y->born ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

static void note_link(void *user, const fl_walk_hop *hop)
{
    worm *x = user;
    cr_assert_lt(x->links, LINKS_MAX);
    x->link[x->links] = hop->link;
    x->from[x->links++] = hop->from;
}

static bool same_channel(const worm *a, unsigned i, const worm *b, unsigned j)
{
    return a->link[i] == b->link[j] && a->from[i] == b->from[j];
}

static bool is_down(const world *w, fl_link link, uint64_t now)
{
    bool down = false;
    for (unsigned i = 0; i < w->failure_count; i++)
        down |= w->failures[i].link == link && w->failures[i].cycle <= now;
    return down;
}

/* Flits that have left for a link, or were dropped before it. */
static unsigned gone(const worm *x, unsigned link)
{
    unsigned n = 0;
    while (n < x->flits[link] && x->left[link][n] != NOT_YET)
        n++;
    return n;
}

/* ---- a link fails ---- */

/* Only this many flits pass the link. */
static void drop(worm *x, unsigned link, unsigned past)
{
    x->drops[link] = true;
    for (unsigned i = link + 1; i < x->links; i++)
        x->flits[i] = past < x->flits[i] ? past : x->flits[i];
}

static void cut(world *w, worm *x, unsigned link, uint64_t now)
{
    unsigned past = 0;
    if (x->left[link][0] == NOT_YET || x->drops[link])
        return;
    while (past < x->flits[link] && x->left[link][past] != NOT_YET &&
           x->left[link][past] + w->model->link_latency < now)
        past++;
    if (past == x->flits[link])
        return;
    drop(x, link, past);
    w->cut += !x->lost;
    x->lost = true;
}

static void fail_links(world *w, uint64_t now)
{
    for (unsigned f = 0; f < w->failure_count; f++)
        for (unsigned i = 0; i < w->count && w->failures[f].cycle == now; i++)
            for (unsigned j = 0; j < w->worms[i].links; j++)
                if (w->worms[i].link[j] == w->failures[f].link)
                    cut(w, &w->worms[i], j, now);
}

/* ---- one cycle ---- */

static bool is_in_front(const world *w, const worm *x, unsigned link, uint64_t now)
{
    for (unsigned i = 0; i < w->count; i++) {
        const worm *o = &w->worms[i];
        if (o == x || o->over)
            continue;
        if (link == 0) {
            bool before = o->source == x->source && o < x;
            if (before && (gone(o, 0) < o->flits[0] || o->left[0][o->flits[0] - 1] >= now))
                return false;
            continue;
        }
        for (unsigned j = 0; j + 1 < o->links; j++) {
            if (!same_channel(o, j, x, link - 1) || o->left[j][0] == NOT_YET ||
                o->left[j][0] >= x->left[link - 1][0])
                continue;
            unsigned all = o->flits[j + 1];
            if (all > 0 && (gone(o, j + 1) < all || o->left[j + 1][all - 1] >= now))
                return false;
        }
    }
    return true;
}

/* Is the channel held by another worm, or the FIFO at its other end full? */
static bool is_taken(const world *w, const worm *x, unsigned link, uint64_t now)
{
    unsigned places = 0;
    for (unsigned i = 0; i < w->count; i++) {
        const worm *o = &w->worms[i];
        for (unsigned j = 0; !o->over && j < o->links; j++) {
            if (!same_channel(o, j, x, link) || o->left[j][0] == NOT_YET)
                continue;
            if (o != x && !o->drops[j] && gone(o, j) < o->flits[j])
                return true;
            for (unsigned f = 0;
                 j + 1 < o->links && f < o->flits[j + 1] && o->left[j][f] != NOT_YET; f++)
                places += o->left[j + 1][f] == NOT_YET ||
                          o->left[j + 1][f] + w->model->credit_delay > now;
        }
    }
    return link + 1 < x->links && places >= w->model->input_fifo;
}

/* Does a flit request a link in this cycle, and can it leave? */
static bool can_leave(world *w, worm *x, unsigned link, uint64_t now)
{
    unsigned f = gone(x, link);
    if (f == x->flits[link] || (link == 0 && x->born > now))
        return false;
    if (link > 0 &&
        (x->left[link - 1][f] == NOT_YET || x->left[link - 1][f] + w->model->link_latency > now))
        return false;
    if (f == 0 && x->front[link] == NOT_YET && is_in_front(w, x, link, now))
        x->front[link] = now;
    if (f == 0 && (x->front[link] == NOT_YET ||
                   x->front[link] + (link > 0 ? w->model->routing_delay : 0) > now))
        return false;
    if (f == 0 && is_down(w, x->link[link], now)) {
        drop(x, link, 0);
        w->blocked += !x->lost;
        x->lost = true;
    }
    return x->drops[link] || !is_taken(w, x, link, now);
}

typedef struct move {
    worm *worm;
    unsigned link, flit;
} move;

static void slow_cycle(world *w, uint64_t now)
{
    static move moves[WORMS_MAX * LINKS_MAX];
    unsigned count = 0;
    fail_links(w, now);
    for (unsigned i = 0; i < w->count && w->worms[i].born <= now;
         i++) { /* worms are in the order of age */
        worm *x = &w->worms[i];
        for (unsigned j = 0; !x->over && j < x->links; j++) {
            bool can = can_leave(w, x, j, now);
            for (unsigned m = 0; m < count && can && !x->drops[j]; m++)
                can = moves[m].worm->drops[moves[m].link] ||
                      !same_channel(moves[m].worm, moves[m].link, x, j);
            if (can)
                moves[count++] = (move){x, j, gone(x, j)};
        }
    }
    for (unsigned m = 0; m < count; m++)
        moves[m].worm->left[moves[m].link][moves[m].flit] = now;
    for (unsigned i = 0; i < w->count;
         i++) { /* none of its flits is left anywhere, and no credit of its places is on its way */
        worm *x = &w->worms[i];
        bool over = true;
        for (unsigned j = 0; j < x->links && over; j++)
            over = gone(x, j) == x->flits[j] &&
                   (x->flits[j] == 0 || x->left[j][x->flits[j] - 1] + 100 < now);
        x->over = over;
    }
}

/* ---- comparison ---- */

typedef struct setting {
    const char *topology;
    unsigned flits, latency, routing, credit, fifo;
    uint64_t cycles;
    double load;
    uint64_t failures[FAILURES_MAX][2]; /* cycle, number of the link; not links of nodes */
} setting;

static void prepare(world *w, const fl_router *router)
{
    fl_order *order;
    fl_error error;
    const fl_fault_set none = {0};
    cr_assert_eq(fl_order_create_fixed(&order, w->network, &none, &error), FL_OK);
    qsort(w->worms, w->count, sizeof *w->worms, by_birth);
    for (unsigned i = 0; i < w->count; i++) {
        worm *x = &w->worms[i];
        fl_walk_result result;
        fl_view view = {.network = w->network,
                        .order = order,
                        .enabled_rules = router->enabled_rules,
                        .scope = router->scope};
        cr_assert_eq(fl_walk(router, &view, w->network->type->node_address(w->network, x->source),
                             w->network->type->node_address(w->network, x->destination), note_link,
                             x, &result, &error),
                     FL_OK);
        memset(x->left, 0xff, sizeof x->left);
        memset(x->front, 0xff, sizeof x->front);
        for (unsigned j = 0; j < x->links; j++)
            x->flits[j] = w->model->packet_flits;
    }
    fl_order_destroy(order);
}

static void compare(const setting *s, uint64_t seed, uint64_t *cut_worms)
{
    fl_error error;
    fl_network *network = need_network(s->topology);
    fl_router *router = need_router(network, "shortest", FL_SCOPE_DETOUR);
    fl_sim_traffic *traffic;
    fl_sim_plan *plan;
    fl_sim_result r;
    const fl_sim_preset *preset;
    cr_assert_eq(fl_sim_preset_find(&preset, "mikant2018", &error), FL_OK);
    fl_sim_model model = preset->model;
    model.stop = FL_SIM_STOP_CYCLES;
    model.switching = FL_SIM_WORMHOLE;
    model.arbitration = FL_SIM_OLDEST_FIRST;
    model.cycles = s->cycles;
    model.warmup = model.drain = 0;
    model.packet_flits = s->flits;
    model.link_latency = s->latency;
    model.routing_delay = s->routing;
    model.credit_delay = s->credit;
    model.input_fifo = s->fifo;
    world w = {
        .network = network, .model = &model, .worms = need_memory(WORMS_MAX, sizeof *w.worms)};
    for (; w.failure_count < FAILURES_MAX && s->failures[w.failure_count][0] > 0; w.failure_count++)
        w.failures[w.failure_count] =
            (fl_sim_failure){s->failures[w.failure_count][0],
                             network->type->link_code(network, s->failures[w.failure_count][1])};
    cr_assert_eq(fl_sim_traffic_create(&traffic, network, "uniform", &error), FL_OK);
    const fl_sim_set_up set_up = {.router = router,
                                  .model = &model,
                                  .traffic = traffic,
                                  .failures = w.failures,
                                  .failure_count = w.failure_count};
    cr_assert_eq(fl_sim_plan_create(&plan, &set_up, &error), FL_OK, "%s", error.text);
    cr_assert_eq(fl_sim_run(&r, plan, s->load, seed,
                            &(fl_sim_watch){.left = note_left, .arrived = note_arrival, .user = &w},
                            &error),
                 FL_OK, "%s", error.text);
    prepare(&w, router);
    cr_assert_gt(w.count, 50);
    cr_assert_gt(r.conflicts, 0);
    for (uint64_t now = 0; now < r.cycles; now++)
        slow_cycle(&w, now);
    for (unsigned i = 0; i < w.count; i++) {
        const worm *x = &w.worms[i];
        uint64_t last = x->lost ? NOT_YET : x->left[x->links - 1][s->flits - 1],
                 arrived = last == NOT_YET ? NOT_YET : last + s->latency;
        arrived = arrived >= r.cycles ? NOT_YET : arrived;
        cr_assert_eq(
            arrived, x->arrived,
            "%s, seed %llu: worm %u (%u to %u, born %llu) arrives in cycle %llu, and slowly in %llu",
            s->topology, (unsigned long long)seed, i, x->source, x->destination,
            (unsigned long long)x->born, (unsigned long long)x->arrived,
            (unsigned long long)arrived);
    }
    cr_assert_eq(r.lost[FL_SIM_LOST_ON_LINK], w.cut);
    cr_assert_eq(r.lost[FL_BLOCKED_UP] + r.lost[FL_BLOCKED_DOWN] + r.lost[FL_BLOCKED_CROSS],
                 w.blocked);
    *cut_worms += w.cut;
    fl_sim_result_clear(&r);
    fl_sim_plan_destroy(plan);
    fl_sim_traffic_destroy(traffic);
    fl_router_destroy(router);
    fl_network_destroy(network);
    free(w.worms);
}

Test(sim_worms, every_worm_arrives_in_the_cycle_in_which_a_slow_simulator_says)
{
    static const setting settings[] = {
        {"kary-ntree:k=2,n=3", 4, 1, 0, 1, 2, 250, .4, {{0}}},
        {"kary-ntree:k=2,n=3", 7, 3, 2, 2, 3, 400, .4, {{0}}},
        {"mikant:k=2,n=3", 3, 2, 1, 1, 4, 150, .3, {{0}}},
    };
    uint64_t cuts = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        compare(&settings[i], 7, &cuts);
    cr_assert_eq(cuts, 0);
}

Test(sim_worms, worms_that_are_cut_in_two_go_and_vanish_as_a_slow_simulator_says)
{
    /* Links of kary-ntree:k=2,n=3: 0 to 7 of nodes, 8 to 15 and 16 to 23 between switches. */
    static const setting settings[] = {
        {"kary-ntree:k=2,n=3", 4, 1, 0, 1, 2, 200, .5, {{60, 9}, {60, 17}, {90, 12}}},
        {"kary-ntree:k=2,n=3", 9, 1, 0, 1, 1, 300, .5, {{60, 8}, {61, 16}, {100, 13}, {101, 19}}},
        {"kary-ntree:k=2,n=3", 7, 3, 2, 2, 3, 300, .4, {{80, 10}, {81, 18}, {120, 15}}},
        {"kary-ntree:k=2,n=3", 2, 5, 0, 3, 12, 200, .6, {{50, 11}, {51, 20}, {90, 21}}},
        {"mikant:k=2,n=3", 8, 2, 1, 1, 2, 200, .4, {{60, 18}, {62, 24}, {90, 30}, {95, 35}}},
    };
    uint64_t cuts = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (uint64_t seed = 1; seed <= 6; seed++)
            compare(&settings[i], seed, &cuts);
    cr_assert_gt(cuts, 60);
}
