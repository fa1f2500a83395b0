/* The packet simulator: against closed forms, against known results of queueing theory, and packet
 * by packet against a slow simulator that shares no code with it. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

typedef struct lab {
    fl_network *network;
    fl_router *router;
    fl_sim_traffic *traffic;
    fl_fault_set faults;
    fl_sim_model model;
    fl_sim_plan *plan;
} lab;

static fl_sim_model preset(const char *name)
{
    const fl_sim_preset *found = NULL;
    cr_assert_eq(fl_sim_preset_find(&found, name, NULL), FL_OK);
    return found->model;
}

/* Steady state, one-flit packets: the simplest configuration. */
static fl_sim_model simple(uint64_t warmup, uint64_t cycles)
{
    fl_sim_model model = preset("mikant2018");
    model.stop = FL_SIM_STOP_CYCLES;
    model.warmup = warmup;
    model.cycles = model.drain = cycles;
    return model;
}

static void need(fl_status status, const fl_error *error)
{
    cr_assert_eq(status, FL_OK, "%s", error->text);
}

static lab *need_lab(const char *topology, const char *router, const char *traffic,
                     const char *faults)
{
    fl_error error;
    lab *l = need_memory(1, sizeof *l);
    l->network = need_network(topology);
    l->router = need_router(l->network, router, FL_SCOPE_DETOUR);
    if (traffic)
        need(fl_sim_traffic_create(&l->traffic, l->network, traffic, &error), &error);
    if (faults)
        need(fl_fault_set_parse(&l->faults, l->network, faults, &error), &error);
    return l;
}

static void need_plan_with(lab *l, fl_sim_model model, const fl_sim_failure *failures,
                           size_t failure_count, uint64_t series)
{
    fl_error error;
    fl_sim_plan_destroy(l->plan);
    l->model = model;
    const fl_sim_set_up set_up = {.router = l->router,
                                  .model = &l->model,
                                  .traffic = l->traffic,
                                  .faults = &l->faults,
                                  .failures = failures,
                                  .failure_count = failure_count,
                                  .series = series};
    need(fl_sim_plan_create(&l->plan, &set_up, &error), &error);
}

static void need_plan(lab *l, fl_sim_model model)
{
    need_plan_with(l, model, NULL, 0, 0);
}

static fl_sim_result need_run(const lab *l, double load, uint64_t seed, const fl_sim_watch *watch)
{
    fl_sim_result result;
    fl_error error;
    need(fl_sim_run(&result, l->plan, load, seed, watch, &error), &error);
    return result;
}

static void free_lab(lab *l)
{
    fl_sim_plan_destroy(l->plan);
    fl_sim_traffic_destroy(l->traffic);
    fl_fault_set_clear(&l->faults);
    fl_router_destroy(l->router);
    fl_network_destroy(l->network);
    free(l);
}

static uint64_t lost_in(const fl_sim_result *r)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < FL_SIM_LOSSES; i++)
        sum += r->lost[i];
    return sum;
}

static double accepted(const lab *l, const fl_sim_result *r)
{
    return (double)r->received * l->model.packet_flits / (double)r->measured /
           (double)l->network->nodes;
}

/* ---- one packet's path ---- */

typedef struct path {
    unsigned links;
    fl_link link[64];
    fl_address from[64];
    fl_port port[64];
    bool delivered;
} path;

static void note_link(void *user, const fl_walk_hop *hop)
{
    path *p = user;
    cr_assert_lt(p->links, 64);
    p->link[p->links] = hop->link;
    p->from[p->links] = hop->from;
    p->port[p->links++] = hop->port;
}

static path walk(const lab *l, uint64_t source, uint64_t destination)
{
    path p = {0};
    fl_order *order;
    fl_error error;
    fl_walk_result result;
    const fl_network *network = l->network;
    need(fl_order_create_fixed(&order, network, &l->faults, &error), &error);
    fl_view view = {.network = network,
                    .order = order,
                    .enabled_rules = l->router->enabled_rules,
                    .scope = l->router->scope};
    need(fl_walk(l->router, &view, network->type->node_address(network, source),
                 network->type->node_address(network, destination), note_link, &p, &result, &error),
         &error);
    p.delivered = result.delivered;
    fl_order_destroy(order);
    return p;
}

/* ---- zero load ---- */

/* What the documentation states, computed from the options by hand. */
static uint64_t zero_load(const fl_sim_model *m, unsigned links)
{
    uint64_t tail = m->packet_flits - 1, latency = links * (uint64_t)m->link_latency +
                                                   (links - 1) * (uint64_t)m->routing_delay + tail;
    return m->switching == FL_SIM_STORE_AND_FORWARD ? latency + (links - 1) * tail : latency;
}

static void check_every_pair(const char *topology, const char *router, const char *faults,
                             fl_sim_model model)
{
    lab *l = need_lab(topology, router, NULL, faults);
    uint32_t nodes = (uint32_t)l->network->nodes, *targets = need_memory(nodes, sizeof *targets);
    model.stop = FL_SIM_STOP_EACH_SOURCE;
    model.packets = 1; /* the first: later ones may meet each other */
    model.cycles = 1000000;
    for (uint32_t source = 0; source < nodes; source++)
        for (uint32_t destination = 0; destination < nodes; destination++) {
            fl_error error;
            path p = walk(l, source, destination);
            if (source == destination)
                continue;
            memset(targets, 0xff, nodes * sizeof *targets);
            targets[source] = destination;
            need(fl_sim_traffic_create_fixed(&l->traffic, l->network, targets, &error), &error);
            need_plan(l, model);
            fl_sim_result r = need_run(l, .002, source * 1000 + destination, NULL);
            if (p.delivered) {
                uint64_t expected = zero_load(&model, p.links);
                cr_assert_eq(r.counted, 1);
                cr_assert_eq(r.hop_sum, p.links);
                cr_assert_eq(r.latency_sum, expected,
                             "%s: %u to %u over %u links took %g cycles, not %llu", topology,
                             source, destination, p.links, r.latency, (unsigned long long)expected);
                cr_assert_eq(fl_sim_zero_load_latency(l->plan, p.link, p.links), expected);
            } else {
                cr_assert_eq(r.counted, 0);
                cr_assert_eq(r.outstanding, 0);
                cr_assert_gt(lost_in(&r), 0);
            }
            fl_sim_result_clear(&r);
            fl_sim_traffic_destroy(l->traffic);
            l->traffic = NULL;
        }
    free(targets);
    free_lab(l);
}

Test(sim, without_load_every_pair_takes_the_closed_form_in_every_preset)
{
    for (const fl_sim_preset *p = fl_sim_presets; p->name; p++) {
        fl_sim_model model = p->model;
        if (model.packet_flits > 16)
            model.packet_flits = 16; /* so that packets at this load do not meet each other */
        check_every_pair("mikant:k=2,n=3", "shortest", NULL, model);
        check_every_pair("kary-ntree:k=3,n=2", "minimal-adaptive", NULL, model);
    }
}

/* Freed space is reported to the sender, which in RUFT is not at the other end of the port. */
Test(sim, space_is_given_back_where_the_candidate_back_is_another)
{
    fl_sim_model model = preset("kns2016");
    model.packet_flits = 4;
    check_every_pair("kns:k=4,n=2,s=2,sub=ruft", "hybrid-dor", NULL, model);
    model = simple(500, 3000);
    lab *l = need_lab("kns:k=4,n=2,s=2,sub=ruft", "hybrid-dor", "uniform", NULL);
    need_plan(l, model);
    fl_sim_result light = need_run(l, .2, 1, NULL), full = need_run(l, 1, 1, NULL);
    cr_assert(!light.saturated && !light.deadlocked && !full.deadlocked);
    cr_assert_gt(full.received, light.received);
    fl_sim_result_clear(&light);
    fl_sim_result_clear(&full);
    free_lab(l);
}

Test(sim, without_load_every_pair_takes_the_closed_form_with_every_switching)
{
    for (unsigned s = FL_SIM_STORE_AND_FORWARD; s <= FL_SIM_WORMHOLE; s++) {
        fl_sim_model model = preset("mikant2018");
        model.switching = (fl_sim_switching)s;
        model.packet_flits = 5;
        model.link_latency = 3;
        model.routing_delay = 2;
        model.input_fifo = s == FL_SIM_WORMHOLE ? 16 : 2;
        model.credit_delay = 2;
        check_every_pair("kary-ntree:k=2,n=3", "shortest", NULL, model);
        check_every_pair("mikant:k=2,n=3", "gns", "0;20;31", model);
        check_every_pair("mikant:k=2,n=3", "gns+gdl@phase:3", "9;14", model);
    }
}

Test(sim, without_load_every_pair_takes_the_closed_form_on_networks_that_are_no_trees)
{
    static const char *const cases[][2] = {{"torus:k=3,n=2", "dimension-order"},
                                           {"mesh:k=3,n=2,p=2", "dimension-order"},
                                           {"dragonfly:a=3", "dragonfly-minimal"},
                                           {"kns:k=3,n=2", "hybrid-dor"},
                                           {"cat:k=2,n=2", "tree-cube"},
                                           {"clique:m=4,r=6", "table"},
                                           {"kns:k=4,n=2,s=2,sub=ruft", "hybrid-dor"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_every_pair(cases[i][0], cases[i][1], NULL, preset("mikant2018"));
}

Test(sim, the_latency_of_a_link_class_is_added_for_its_links)
{
    lab *l = need_lab("kary-ntree:k=2,n=3", "shortest", NULL, NULL);
    uint32_t targets[8];
    fl_error error;
    fl_sim_model model = preset("mikant2018");
    model.class_latency[2] = 50;
    model.packets = 1;
    memset(targets, 0xff, sizeof targets);
    targets[0] = 7;
    need(fl_sim_traffic_create_fixed(&l->traffic, l->network, targets, &error), &error);
    need_plan(l, model);
    fl_sim_result r = need_run(l, .1, 1, NULL);
    cr_assert_eq(r.latency_sum, 4 * 1 + 2 * 50); /* node, level 0, level 1 twice, level 0, node */
    fl_sim_result_clear(&r);
    free_lab(l);
}

/* ---- a slow simulator ---- */

/* Every packet is a row of time stamps: when its head was sent over its first link, its second, ...
 * Nothing else is stored: whether a queue is full, or which packet is first, is computed again from
 * all rows in every cycle. Arbitration is oldest first and the path is fixed, so there is one right
 * answer. */
enum { ROWS_MAX = 1000 };
#define NOT_YET UINT64_MAX

typedef struct row {
    uint32_t source, destination;
    uint64_t born, arrived; /* as the library reports */
    path path;
    uint64_t sent[64];
} row;

typedef struct rows {
    row *row;
    unsigned count;
    uint64_t end;                       /* list_births: packets that are born earlier */
    uint64_t conflicts, conflict_ports; /* slow_cycle: requests at switches in excess of one per
                                           output; such outputs */
} rows;

static void note_left(void *user, const fl_sim_packet *p)
{
    rows *r = user;
    cr_assert_lt(r->count, ROWS_MAX);
    r->row[r->count++] = (row){
        .source = p->source, .destination = p->destination, .born = p->born, .arrived = NOT_YET};
}

static void note_arrival(void *user, const fl_sim_packet *p)
{
    rows *r = user;
    for (unsigned i = 0; i < r->count; i++)
        if (r->row[i].source == p->source && r->row[i].born == p->born)
            r->row[i].arrived = p->arrived;
}

static int by_birth(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->born != y->born)
        return x->born < y->born ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

static bool same_channel(const row *a, unsigned i, const row *b, unsigned j)
{
    return a->path.from[i] == b->path.from[j] && a->path.port[i] == b->path.port[j];
}

/* The next link of a row; its number of links if it has left them all. */
static unsigned next_of(const row *r)
{
    unsigned i = 0;
    while (i < r->path.links && r->sent[i] != NOT_YET)
        i++;
    return i;
}

static uint64_t front_since(const rows *all, const row *r, unsigned next, const fl_sim_model *m,
                            uint64_t now)
{
    uint64_t since = 0;
    for (unsigned i = 0; i < all->count; i++) {
        const row *o = &all->row[i];
        for (unsigned j = 0; o != r && j + 1 < o->path.links; j++) {
            if (o->sent[j] == NOT_YET || !same_channel(o, j, r, next - 1) ||
                o->sent[j] >= r->sent[next - 1])
                continue;
            /* It came before into the same queue: its tail must have left. */
            if (o->sent[j + 1] == NOT_YET || o->sent[j + 1] + m->packet_flits > now)
                return NOT_YET;
            since =
                o->sent[j + 1] + m->packet_flits > since ? o->sent[j + 1] + m->packet_flits : since;
        }
    }
    return since;
}

static bool is_ready(const rows *all, const row *r, unsigned next, const fl_sim_model *m,
                     uint64_t now)
{
    if (next == 0) { /* in its source: first come, first served */
        for (const row *o = all->row; o < r; o++)
            if (o->source == r->source && o->sent[0] == NOT_YET)
                return false;
        return r->born <= now;
    }
    uint64_t complete = r->sent[next - 1] + m->link_latency +
                        (m->switching == FL_SIM_STORE_AND_FORWARD ? m->packet_flits - 1 : 0);
    uint64_t front = front_since(all, r, next, m, now);
    if (front == NOT_YET)
        return false;
    return (complete > front ? complete : front) + m->routing_delay <= now;
}

static bool channel_is_free(const rows *all, const row *r, unsigned next, const fl_sim_model *m,
                            uint64_t now)
{
    unsigned places = 0;
    for (unsigned i = 0; i < all->count; i++) {
        const row *o = &all->row[i];
        for (unsigned j = 0; j < o->path.links; j++) {
            if (o->sent[j] == NOT_YET || !same_channel(o, j, r, next))
                continue;
            if (o->sent[j] + m->packet_flits > now)
                return false;
            bool left = j + 1 < o->path.links && o->sent[j + 1] != NOT_YET &&
                        o->sent[j + 1] + m->packet_flits + m->credit_delay - 1 <= now;
            places += j + 1 < o->path.links && !left;
        }
    }
    return next + 1 == r->path.links || places < m->input_fifo;
}

static void count_conflicts(rows *all, const bool *wants)
{
    for (unsigned i = 0; i < all->count; i++) {
        unsigned next = next_of(&all->row[i]), others = 0;
        for (unsigned j = 0; j < i && wants[i] && next > 0; j++)
            others += wants[j] && next_of(&all->row[j]) > 0 &&
                      same_channel(&all->row[j], next_of(&all->row[j]), &all->row[i], next);
        all->conflicts += others > 0;
        all->conflict_ports += others == 1;
    }
}

static void slow_cycle(rows *all, const fl_sim_model *m, uint64_t now)
{
    bool *wants = need_memory(all->count, sizeof *wants);
    for (unsigned i = 0; i < all->count; i++) {
        const row *r = &all->row[i];
        unsigned next = next_of(r);
        wants[i] = r->born <= now && next < r->path.links && is_ready(all, r, next, m, now) &&
                   channel_is_free(all, r, next, m, now);
    }
    count_conflicts(all, wants);
    for (unsigned i = 0; i < all->count; i++) { /* rows are in the order of age */
        row *r = &all->row[i];
        unsigned next = next_of(r);
        bool first = wants[i];
        for (unsigned j = 0; j < i && first; j++)
            first = !(wants[j] && all->row[j].sent[next_of(&all->row[j]) - 1] == now &&
                      same_channel(&all->row[j], next_of(&all->row[j]) - 1, r, next));
        wants[i] = first;
        if (first)
            r->sent[next] = now;
    }
    free(wants);
}

/* Packets that never left their source have met no other, and may be missing from the rows. */
static void compare_with_slow(const char *topology, const char *router, fl_sim_model model,
                              double load)
{
    lab *l = need_lab(topology, router, "uniform", NULL);
    rows all = {.row = need_memory(ROWS_MAX, sizeof(row))};
    model.arbitration = FL_SIM_OLDEST_FIRST;
    need_plan(l, model);
    fl_sim_result r = need_run(
        l, load, 7, &(fl_sim_watch){.left = note_left, .arrived = note_arrival, .user = &all});
    cr_assert_gt(all.count, 100);
    cr_assert_gt(r.conflicts, 10);
    qsort(all.row, all.count, sizeof *all.row, by_birth);
    for (unsigned i = 0; i < all.count; i++) {
        all.row[i].path = walk(l, all.row[i].source, all.row[i].destination);
        memset(all.row[i].sent, 0xff, sizeof all.row[i].sent);
    }
    for (uint64_t now = 0; now < r.cycles; now++)
        slow_cycle(&all, &model, now);
    for (unsigned i = 0; i < all.count; i++) {
        const row *x = &all.row[i];
        uint64_t last = x->sent[x->path.links - 1],
                 arrived =
                     last == NOT_YET ? NOT_YET : last + model.link_latency + model.packet_flits - 1;
        if (arrived >= r.cycles)
            arrived = NOT_YET;
        cr_assert_eq(arrived, x->arrived,
                     "packet %u (%u to %u, born %llu) arrives in cycle %llu, and slowly in %llu", i,
                     x->source, x->destination, (unsigned long long)x->born,
                     (unsigned long long)x->arrived, (unsigned long long)arrived);
    }
    cr_assert_eq(r.conflicts, all.conflicts);
    cr_assert_eq(r.conflict_ports, all.conflict_ports);
    cr_assert_leq(r.conflict_ports, r.conflicts);
    fl_sim_result_clear(&r);
    free(all.row);
    free_lab(l);
}

/* ---- queueing theory ---- */

/* ---- the slow simulator, with packets that choose the shortest queue ---- */

/* Flits in the queue at the other end of a channel, as far as its sender knows. */
static unsigned flits_behind(const rows *all, fl_address from, fl_port port, const fl_sim_model *m,
                             uint64_t now)
{
    uint64_t flits = 0, length = m->packet_flits, delay = m->credit_delay - 1;
    for (unsigned i = 0; i < all->count; i++) {
        const row *o = &all->row[i];
        for (unsigned j = 0; j < o->path.links && o->sent[j] != NOT_YET; j++) {
            if (o->path.from[j] != from || o->path.port[j] != port)
                continue;
            uint64_t in = now - o->sent[j], left = j + 1 < o->path.links ? o->sent[j + 1] : NOT_YET;
            uint64_t out = left == NOT_YET || now < left + delay ? 0 : now - left - delay;
            flits += (in < length ? in : length) - (out < length ? out : length);
        }
    }
    return (unsigned)flits;
}

/* The first packet of a queue requests the candidate with the shortest queue behind it; ties are
 * broken at random. */
static void turn_to_shortest(const lab *l, fl_view *view, const rows *all, row *r, unsigned next,
                             fl_rng *rng, uint64_t now)
{
    const fl_network *network = l->network;
    fl_candidate candidates[8];
    fl_decision decision = {.wanted = 8, .candidates = candidates};
    fl_hop hop;
    unsigned shortest = UINT32_MAX, equals = 0;
    cr_assert(fl_network_step(network, r->path.from[next - 1], r->path.port[next - 1], &hop));
    view->here = hop.to;
    const fl_packet header = {.source = network->type->node_address(network, r->source),
                              .rule = FL_NO_RULE,
                              .destination = network->type->node_address(network, r->destination),
                              .previous = r->path.from[next - 1]};
    fl_step_ask(l->router, &header, view, &decision);
    for (unsigned i = 0; i < decision.count; i++) {
        unsigned flits = flits_behind(all, hop.to, candidates[i].ports[0], &l->model, now);
        equals = flits < shortest ? 1 : equals + (flits == shortest);
        if (flits > shortest || (flits == shortest && fl_rng_below32(rng, equals) > 0))
            continue;
        shortest = flits;
        r->path.port[next] = candidates[i].ports[0];
    }
    r->path.from[next] = hop.to;
    cr_assert(fl_network_step(network, hop.to, r->path.port[next], &hop));
    r->path.links = next + (fl_address_is_node(hop.to) ? 1 : 2);
}

static void note_birth(void *user, const fl_sim_packet *p)
{
    rows *all = user;
    if (p->born >= all->end)
        return;
    cr_assert_lt(all->count, ROWS_MAX);
    all->row[all->count++] = (row){
        .source = p->source, .destination = p->destination, .born = p->born, .arrived = NOT_YET};
}

/* Births in the cycles of the model do not depend on what the network carries. */
static void list_births(lab *l, rows *all, fl_sim_model model, double load, uint64_t seed)
{
    fl_sim_model roomy = model;
    roomy.input_fifo = FL_SIM_FIFO_MAX;
    roomy.cycles = 4 * model.cycles;
    need_plan(l, roomy);
    fl_sim_result r = need_run(l, load, seed, &(fl_sim_watch){.left = note_birth, .user = all});
    qsort(all->row, all->count, sizeof *all->row, by_birth);
    fl_sim_result_clear(&r);
}

/* When the slow simulator sees a packet arrive. */
static uint64_t slow_arrival(const row *x, const fl_sim_model *m)
{
    return next_of(x) == x->path.links
               ? x->sent[x->path.links - 1] + m->link_latency + m->packet_flits - 1
               : NOT_YET;
}

static double mean_time(const rows *all, uint64_t end, bool slowly, const fl_sim_model *m)
{
    double sum = 0;
    for (unsigned i = 0; i < all->count; i++) {
        const row *x = &all->row[i];
        uint64_t arrived = slowly ? slow_arrival(x, m) : x->arrived;
        sum += (double)((arrived < end ? arrived : end) - x->born);
    }
    return sum / all->count;
}

/* Mean time in the network of the library minus that of the slow simulator: the same packets, other
 * random numbers for arbitration. */
static double ahead_of_slow(const char *topology, const char *traffic, fl_sim_model model,
                            double load, uint64_t seed)
{
    fl_error error;
    fl_order *order;
    fl_rng rng;
    lab *l = need_lab(topology, "minimal-adaptive", traffic, NULL);
    rows all = {.row = need_memory(ROWS_MAX, sizeof(row)), .end = model.cycles};
    list_births(l, &all, model, load, seed);
    need_plan(l, model);
    fl_sim_result r =
        need_run(l, load, seed, &(fl_sim_watch){.arrived = note_arrival, .user = &all});
    double product = mean_time(&all, model.cycles, false, &model);
    need(fl_order_create_fixed(&order, l->network, &l->faults, &error), &error);
    fl_view view = {.network = l->network,
                    .order = order,
                    .enabled_rules = l->router->enabled_rules,
                    .scope = l->router->scope};
    fl_rng_seed(&rng, seed, FL_PURPOSE_ROUTING, 99);
    for (unsigned i = 0; i < all.count; i++) {
        all.row[i].path.links = 2;
        all.row[i].path.from[0] = l->network->type->node_address(l->network, all.row[i].source);
        memset(all.row[i].sent, 0xff, sizeof all.row[i].sent);
    }
    for (uint64_t now = 0; now < model.cycles; now++) {
        for (unsigned i = 0; i < all.count && all.row[i].born <= now; i++) {
            row *x = &all.row[i];
            unsigned next = next_of(x);
            if (next > 0 && next < x->path.links && is_ready(&all, x, next, &model, now))
                turn_to_shortest(l, &view, &all, x, next, &rng, now);
        }
        slow_cycle(&all, &model, now);
    }
    double slow = mean_time(&all, model.cycles, true, &model);
    fl_order_destroy(order);
    fl_sim_result_clear(&r);
    free(all.row);
    free_lab(l);
    return product - slow;
}

typedef struct pairing {
    double mean, error; /* of it */
} pairing;

static pairing compare_many(const char *topology, const char *traffic, fl_sim_model model,
                            double load, unsigned seeds)
{
    double sum = 0, squares = 0;
    for (unsigned seed = 1; seed <= seeds; seed++) {
        double d = ahead_of_slow(topology, traffic, model, load, seed);
        sum += d;
        squares += d * d;
    }
    double mean = sum / seeds;
    return (pairing){mean, sqrt((squares / seeds - mean * mean) / (seeds - 1))};
}

Test(sim, a_switch_with_input_queues_saturates_where_theory_says)
{
    /* Karol, Hluchyj, Morgan 1987, Table I: k inputs that always have a packet, random service. The
     * bound of .004 is more than 6 standard deviations (seen over seeds: .0006). */
    static const struct {
        const char *topology;
        double throughput;
    } cases[] = {{"kary-ntree:k=2,n=1", .75},
                 {"kary-ntree:k=4,n=1", .6553},
                 {"kary-ntree:k=8,n=1", .6184},
                 {"kary-ntree:k=64,n=1", .5858 + .0035}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab *l = need_lab(cases[i].topology, "shortest", "uniform:self", NULL);
        need_plan(l, simple(1000, TEST_ROUNDS(100000)));
        fl_sim_result r = need_run(l, 1, 1, NULL);
        cr_assert_float_eq(accepted(l, &r), cases[i].throughput, FL_TEST_DIVISOR > 1 ? .01 : .004,
                           "%s: %g", cases[i].topology, accepted(l, &r));
        cr_assert(r.saturated);
        fl_sim_result_clear(&r);
        free_lab(l);
    }
}

Test(sim, many_sources_of_one_destination_wait_as_a_discrete_queue_does)
{
    /* n Bernoulli sources, one server that takes one packet per cycle: mean wait (n - 1)/n * load /
     * (2 (1 - load)) (Karol, Hluchyj, Morgan 1987, output queueing). */
    lab *l = need_lab("kary-ntree:k=8,n=1", "shortest", NULL, NULL);
    static const double loads[] = {.2, .5, .8, .9};
    uint32_t targets[8] = {FL_SIM_NOWHERE, 0, 0, 0, 0, 0, 0, 0};
    fl_error error;
    need(fl_sim_traffic_create_fixed(&l->traffic, l->network, targets, &error), &error);
    need_plan(l, simple(5000, TEST_ROUNDS(400000)));
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        fl_sim_result r = need_run(l, loads[i] / 7, 3, NULL);
        double expected = 2 + 6. / 7 * loads[i] / (2 * (1 - loads[i])),
               half = (r.latency_interval.high - r.latency_interval.low) / 2;
        cr_assert_lt(half, .15 * expected);
        cr_assert_float_eq(r.latency, expected, 2 * half, "load %g: %g instead of %g (+-%g)",
                           loads[i], r.latency, expected, half);
        cr_assert_not(r.saturated);
        fl_sim_result_clear(&r);
    }
    free_lab(l);
}

Test(sim, k_ary_n_trees_saturate_where_an_independent_simulator_does)
{
    /* common configuration: input FIFOs of 2, one-flit packets, random arbitration, no
     * self-traffic, adaptive up by free space */
    static const struct {
        const char *topology;
        double throughput;
        uint64_t cycles;
    } cases[] = {{"kary-ntree:k=4,n=3", .433, 20000}, {"kary-ntree:k=4,n=5", .381, 2000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab *l = need_lab(cases[i].topology, "minimal-adaptive", "uniform", NULL);
        need_plan(l, simple(1000, TEST_ROUNDS(cases[i].cycles)));
        fl_sim_result r = need_run(l, 1, 1, NULL);
        cr_assert_float_eq(accepted(l, &r), cases[i].throughput, .02, "%s: %g", cases[i].topology,
                           accepted(l, &r));
        fl_sim_result_clear(&r);
        free_lab(l);
    }
}

Test(sim, base_routing_reaches_its_bound_with_deep_fifos_and_never_passes_it)
{
    /* All traffic to the c nodes behind a leaf switch comes over one link (docs/simulate.md). */
    static const struct {
        const char *topology, *router;
        double behind, seen; /* c; the fraction of the bound that FIFOs of 2 reach */
    } cases[] = {{"kary-ntree:k=4,n=3", "shortest", 4, .88},
                 {"mikant:k=3,n=3", "shortest", 3, .85},
                 {"cat:k=2,n=3", "tree-cube", 6, .9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab *l = need_lab(cases[i].topology, cases[i].router, "uniform", NULL);
        double nodes = (double)l->network->nodes,
               bound = (nodes - 1) / (cases[i].behind * (nodes - cases[i].behind));
        fl_sim_model model = simple(5000, TEST_ROUNDS(10000));
        need_plan(l, model);
        fl_sim_result shallow = need_run(l, 1, 1, NULL);
        model.input_fifo = 64;
        need_plan(l, model);
        fl_sim_result deep = need_run(l, 1, 1, NULL);
        cr_assert_float_eq(accepted(l, &deep) / bound, .975, .035, "%s: %g of %g",
                           cases[i].topology, accepted(l, &deep), bound);
        cr_assert_float_eq(accepted(l, &shallow) / bound, cases[i].seen, .05, "%s: %g of %g",
                           cases[i].topology, accepted(l, &shallow), bound);
        fl_sim_result_clear(&shallow);
        fl_sim_result_clear(&deep);
        free_lab(l);
    }
}

Test(sim, the_interval_of_the_accepted_load_holds_the_true_value_as_often_as_it_says)
{
    /* Where theory gives the value (above), with slices of 20 and with those of a run that ends by
     * packets. */
    lab *l = need_lab("kary-ntree:k=4,n=1", "shortest", "uniform:self", NULL);
    for (unsigned stop = FL_SIM_STOP_CYCLES; stop <= FL_SIM_STOP_PER_DESTINATION; stop++) {
        enum { RUNS = 100 };
        unsigned held = 0;
        double widths = 0;
        fl_sim_model model = simple(500, 2000);
        model.stop = (fl_sim_stop)stop;
        model.packets = 1311; /* of each node, in as many cycles as above */
        model.cycles = stop == FL_SIM_STOP_CYCLES ? 2000 : 100000;
        model.drain = 0;
        need_plan(l, model);
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            fl_sim_result r = need_run(l, 1, seed, NULL);
            fl_interval got = {r.received_interval.low / 4, r.received_interval.high / 4};
            cr_assert(got.low < accepted(l, &r) && accepted(l, &r) < got.high);
            widths += (got.high - got.low) / RUNS;
            held += got.low <= .6553 && .6553 <= got.high;
            fl_sim_result_clear(&r);
        }
        cr_assert_geq(held, 86, "stop %u: %u of %d", stop, held,
                      RUNS); /* of 95; less than once in 2,000 times by chance */
        cr_assert(widths > .01 && widths < .04, "stop %u: %g", stop, widths);
    }
    free_lab(l);
}

/* ---- packet by packet ---- */

Test(sim, every_packet_arrives_in_the_cycle_in_which_a_slow_simulator_says)
{
    static const struct {
        const char *topology;
        unsigned flits, latency, routing, credit, fifo;
        fl_sim_switching switching;
        uint64_t cycles;
        double load;
    } cases[] = {
        {"kary-ntree:k=2,n=3", 1, 1, 0, 1, 2, FL_SIM_CUT_THROUGH, 60, .8},
        {"kary-ntree:k=2,n=3", 1, 1, 0, 1, 1, FL_SIM_CUT_THROUGH, 80, .5},
        {"kary-ntree:k=4,n=2", 1, 2, 1, 3, 3, FL_SIM_CUT_THROUGH, 50, .6},
        {"kary-ntree:k=4,n=2", 4, 1, 0, 1, 2, FL_SIM_CUT_THROUGH, 150, .7},
        {"kary-ntree:k=4,n=2", 4, 3, 2, 2, 2, FL_SIM_STORE_AND_FORWARD, 150, .7},
        {"mikant:k=2,n=3", 3, 1, 1, 1, 2, FL_SIM_CUT_THROUGH, 80, .5},
        {"mikant:k=2,n=3", 2, 5, 0, 4, 2, FL_SIM_STORE_AND_FORWARD, 80, .5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fl_sim_model model = simple(0, cases[i].cycles);
        model.switching = cases[i].switching;
        model.packet_flits = cases[i].flits;
        model.link_latency = cases[i].latency;
        model.routing_delay = cases[i].routing;
        model.credit_delay = cases[i].credit;
        model.input_fifo = cases[i].fifo;
        model.drain = 0;
        compare_with_slow(cases[i].topology, "shortest", model, cases[i].load);
    }
}

/* ---- conservation, order, equality ---- */

static void check_conserved(const char *topology, const char *router, const char *faults,
                            fl_sim_model model, const uint64_t *cycles, const uint64_t *indices,
                            size_t failure_count)
{
    lab *l = need_lab(topology, router, "uniform", faults);
    fl_sim_failure failures[8];
    for (size_t i = 0; i < failure_count; i++)
        failures[i] =
            (fl_sim_failure){cycles[i], l->network->type->link_code(l->network, indices[i])};
    need_plan_with(l, model, failures, failure_count, 100);
    for (int i = 1; i <= 4; i++) {
        fl_sim_result r = need_run(l, .25 * i, (uint64_t)i, NULL);
        uint64_t generated = 0, delivered = 0, lost = 0, retried = 0;
        for (size_t s = 0; s < r.series_length; s++) {
            generated += r.series[s].generated;
            delivered += r.series[s].delivered;
            lost += r.series[s].lost;
            retried += r.series[s].retried;
        }
        cr_assert_eq(r.total_injected, r.total_delivered + lost_in(&r) + r.in_flight);
        cr_assert_eq(delivered, r.total_delivered);
        cr_assert_eq(lost, lost_in(&r));
        cr_assert_eq(retried, r.retried);
        cr_assert_geq(generated, r.total_injected);
        cr_assert_gt(r.total_delivered, 100);
        if (!faults && failure_count == 0)
            cr_assert_eq(lost, 0, "%s loses packets of %s without faults", topology, router);
        fl_sim_result_clear(&r);
    }
    free_lab(l);
}

/* The two draw different random numbers, so means are compared: a false alarm at 4.5 standard
 * errors has a probability of 1e-5 per case. The other kinds of choice show that it can fail. */
Test(sim, packets_wait_for_the_shortest_queue_as_long_as_with_a_slow_simulator)
{
    static const struct {
        const char *topology, *traffic;
        unsigned flits, fifo, routing, latency, credit;
        double load;
    } cases[] = {
        {"kary-ntree:k=4,n=2", "complement", 8, 2, 0, 1, 1, .95},
        {"kary-ntree:k=3,n=2", "tornado:k=9", 8, 4, 0, 1, 1, .95},
        {"thintree:k=4,up=2,n=2", "complement", 6, 3, 0, 1, 1, .45},
        {"kary-ntree:k=4,n=2", "complement", 5, 2, 2, 3, 4, .9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fl_sim_model model = simple(0, 200);
        model.drain = 0;
        model.arbitration = FL_SIM_OLDEST_FIRST;
        model.packet_flits = cases[i].flits;
        model.input_fifo = cases[i].fifo;
        model.routing_delay = cases[i].routing;
        model.link_latency = cases[i].latency;
        model.credit_delay = cases[i].credit;
        model.choice = FL_SIM_SHORTEST_QUEUE;
        pairing same = compare_many(cases[i].topology, cases[i].traffic, model, cases[i].load, 10);
        model.choice = FL_SIM_MOST_FREE;
        pairing other = compare_many(cases[i].topology, cases[i].traffic, model, cases[i].load, 10);
        cr_assert_lt(fabs(same.mean), 4.5 * same.error,
                     "%s: %g cycles apart, with a standard error of %g", cases[i].topology,
                     same.mean, same.error);
        cr_assert_gt(fabs(other.mean), 4.5 * other.error,
                     "%s, most-free: %g cycles apart, with a standard error of %g",
                     cases[i].topology, other.mean, other.error);
    }
}

static void check_preset_conserved(fl_sim_model model, fl_sim_choice choice)
{
    model.choice = choice;
    model.stop = FL_SIM_STOP_CYCLES;
    model.warmup = model.drain = 500;
    model.cycles = 3000;
    model.packet_flits = model.packet_flits > 16 ? 16 : model.packet_flits;
    check_conserved("mikant:k=3,n=3", "gns+gdl@phase:3", NULL, model, NULL, NULL, 0);
    check_conserved("mikant:k=3,n=3", "gns+gdl@phase:3", "3;40;77;100", model, NULL, NULL, 0);
    check_conserved("kary-ntree:k=3,n=3", "minimal-adaptive", "3;40;77", model, NULL, NULL, 0);
    check_conserved("kary-ntree:k=3,n=3", "minimal-adaptive@spread:2", "3;40;77", model, NULL, NULL,
                    0);
    static const uint64_t cycles[4] = {600, 700, 700, 1000}, indices[4] = {60, 3, 80, 50};
    for (unsigned f = FL_SIM_LOSE; f <= FL_SIM_RETRY; f++) {
        model.on_failure = (fl_sim_on_failure)f;
        check_conserved("mikant:k=3,n=3", "gns+gdl@phase:3", "4", model, cycles, indices, 4);
        check_conserved("kary-ntree:k=3,n=3", "minimal-adaptive", NULL, model, cycles, indices, 4);
    }
    if (model.output_fifo > 0)
        return;
    model.on_failure = FL_SIM_LOSE;
    model.switching = FL_SIM_WORMHOLE;
    model.input_fifo = 3;
    model.packet_flits = 5;
    check_conserved("mikant:k=3,n=3", "gns+gdl@phase:3", "3;40;77;100", model, NULL, NULL, 0);
    check_conserved("kary-ntree:k=3,n=3", "minimal-adaptive", NULL, model, NULL, NULL, 0);
    for (unsigned f = FL_SIM_LOSE; f <= FL_SIM_RETRY; f++) {
        model.on_failure = (fl_sim_on_failure)f;
        model.link_latency = 1 + 3 * f;
        model.packet_flits = 5 + 20 * f;
        check_conserved("mikant:k=3,n=3", "gns+gdl@phase:3", "4", model, cycles, indices, 4);
        check_conserved("kary-ntree:k=3,n=3", "minimal-adaptive", NULL, model, cycles, indices, 4);
    }
}

Test(sim, every_packet_is_delivered_lost_or_in_the_network)
{
    for (const fl_sim_preset *p = fl_sim_presets; p->name; p++) {
        check_preset_conserved(p->model, FL_SIM_MOST_FREE);
        if (p->model.packet_flits > 1)
            check_preset_conserved(p->model, FL_SIM_SHORTEST_QUEUE);
    }
}

typedef struct order_check {
    uint64_t last[64][64];
    uint64_t overtaken, latency_sum, counted;
    uint64_t latencies[200000];
} order_check;

static void note_order(void *user, const fl_sim_packet *a)
{
    order_check *o = user;
    o->overtaken += a->born < o->last[a->source][a->destination];
    o->last[a->source][a->destination] = a->born;
    if (!a->counted)
        return;
    o->latency_sum += a->arrived - a->born;
    if (o->counted < 200000)
        o->latencies[o->counted] = a->arrived - a->born;
    o->counted++;
}

static uint64_t overtakings(const char *router, const fl_sim_model *model, order_check *o)
{
    lab *l = need_lab("kary-ntree:k=4,n=3", router, "uniform", NULL);
    memset(o, 0, sizeof *o);
    need_plan(l, *model);
    fl_sim_result r = need_run(l, .35, 1, &(fl_sim_watch){.arrived = note_order, .user = o});
    fl_sim_result_clear(&r);
    free_lab(l);
    return o->overtaken;
}

Test(sim, packets_of_one_pair_stay_in_order_on_one_candidate_and_not_on_many)
{
    order_check *o = need_memory(1, sizeof *o);
    fl_sim_model model = simple(100, 3000);
    cr_assert_eq(overtakings("shortest", &model, o), 0);
    cr_assert_gt(overtakings("minimal-adaptive", &model, o), 0);
    model.choice = FL_SIM_FIRST_CANDIDATE;
    cr_assert_eq(overtakings("minimal-adaptive", &model, o), 0);
    model.switching = FL_SIM_WORMHOLE;
    model.packet_flits = 4;
    cr_assert_eq(overtakings("shortest", &model, o), 0);
    free(o);
}

enum { LEFT_KEPT = 4, LEFT_SOURCES = 64 };
typedef struct queue_check {
    unsigned depth;
    uint64_t left[LEFT_SOURCES][LEFT_KEPT], numbers[LEFT_SOURCES],
        held_up; /* by source: its last packets, how many, ... */
} queue_check;

static void note_queue(void *user, const fl_sim_packet *packet)
{
    queue_check *q = user;
    uint64_t number = q->numbers[packet->source]++,
             *slot = &q->left[packet->source][number % q->depth];
    if (number >= q->depth) {
        cr_assert_geq(packet->born, *slot, "packet %llu of node %u", (unsigned long long)number,
                      packet->source);
        q->held_up += packet->born == *slot;
    }
    *slot = packet->left;
}

Test(sim, a_bounded_source_queue_bears_nothing_while_it_is_full)
{
    for (unsigned depth = 1; depth <= LEFT_KEPT; depth++) {
        lab *l = need_lab("kary-ntree:k=4,n=3", "shortest", "uniform", NULL);
        queue_check q = {.depth = depth};
        fl_sim_model model = simple(0, 300);
        model.source_queue = depth;
        need_plan(l, model);
        fl_sim_result r = need_run(l, .9, depth, &(fl_sim_watch){.left = note_queue, .user = &q});
        cr_assert_gt(q.held_up, 100);
        fl_sim_result_clear(&r);
        free_lab(l);
    }
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

Test(sim, mean_and_percentiles_are_those_of_the_packets)
{
    lab *l = need_lab("kary-ntree:k=4,n=3", "minimal-adaptive", "uniform", NULL);
    order_check *o = need_memory(1, sizeof *o);
    need_plan(l, simple(500, 5000));
    fl_sim_result r = need_run(l, .4, 1, &(fl_sim_watch){.arrived = note_order, .user = o});
    cr_assert_eq(r.counted, o->counted);
    cr_assert_eq(r.latency_sum, o->latency_sum);
    cr_assert_eq(r.outstanding, 0);
    cr_assert_eq(r.counted, r.generated);
    cr_assert_lt(o->counted, 200000);
    qsort(o->latencies, (size_t)o->counted, sizeof *o->latencies, by_size);
    for (unsigned i = 0; i < FL_SIM_PERCENTILES; i++) {
        uint64_t rank = (uint64_t)ceil(fl_sim_percentiles[i] / 100 * (double)o->counted);
        cr_assert_eq(r.percentile[i], (double)o->latencies[rank - 1]);
    }
    cr_assert_eq(r.latency_max, o->latencies[o->counted - 1]);
    cr_assert(r.latency_interval.low < r.latency && r.latency < r.latency_interval.high);
    free(o);
    fl_sim_result_clear(&r);
    free_lab(l);
}

static void check_worms_are_packets(const char *topology, const char *router, const char *faults,
                                    fl_sim_model model, double load)
{
    lab *l = need_lab(topology, router, "uniform", faults);
    need_plan(l, model);
    fl_sim_result a = need_run(l, load, 1, NULL);
    model.switching = FL_SIM_WORMHOLE;
    need_plan(l, model);
    fl_sim_result b = need_run(l, load, 1, NULL);
    cr_assert_gt(a.conflicts, 10, "%s on %s: %llu", router, topology,
                 (unsigned long long)a.conflicts);
    cr_assert_eq(a.latency_sum, b.latency_sum, "%s at load %g: %llu and %llu", router, load,
                 (unsigned long long)a.latency_sum, (unsigned long long)b.latency_sum);
    cr_assert_eq(a.conflicts, b.conflicts);
    cr_assert_eq(a.flit_hops, b.flit_hops);
    cr_assert_eq(a.total_delivered, b.total_delivered);
    cr_assert_eq(lost_in(&a), lost_in(&b));
    fl_sim_result_clear(&a);
    fl_sim_result_clear(&b);
    free_lab(l);
}

Test(sim, worms_of_one_flit_are_packets_of_one_flit)
{
    /* Two implementations of a cycle, one of them written for speed: the same numbers to the last
     * packet. The routers with detours offer candidates that the fast one does not store as a set
     * of ports; FIFOs of 3 have more than two amounts of free space. */
    static const char *const cases[][3] = {
        {"kary-ntree:k=4,n=3", "shortest", NULL},
        {"kary-ntree:k=4,n=3", "minimal-adaptive", NULL},
        {"mikant:k=3,n=3", "adaptive-up+gns+three-turn+gdl", "77;100"},
        {"kns:k=4,n=2", "hybrid-dor", NULL}};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned kind = FL_SIM_RANDOM; kind <= FL_SIM_OLDEST_FIRST; kind++) {
            fl_sim_model model = simple(200, 1000);
            model.deadlock_after = 100000; /* the detours may deadlock, and the time of detection
                                              does not matter here */
            model.arbitration = (fl_sim_arbitration)kind;
            check_worms_are_packets(cases[i][0], cases[i][1], cases[i][2], model, .2);
            model.input_fifo = 2 + kind;
            model.choice = kind == FL_SIM_ROUND_ROBIN ? FL_SIM_ANY_FREE : FL_SIM_MOST_FREE;
            model.link_latency = kind == FL_SIM_ROUND_ROBIN ? 3 : 1;
            model.credit_delay = 1 + kind;
            check_worms_are_packets(cases[i][0], cases[i][1], cases[i][2], model, .7);
        }
}

Test(sim, the_same_seed_gives_the_same_bytes_with_any_number_of_threads)
{
    lab *l = need_lab("mikant:k=3,n=3", "gns+gdl@phase:3", "uniform", "3;40;77;100");
    const double loads[] = {.1, .2, .3, .5};
    static const unsigned threads[] = {1, 2, 8};
    fl_text csv[4] = {{0}};
    fl_error error;
    need_plan(l, simple(200, 2000));
    for (unsigned i = 0; i < 4; i++) {
        fl_simulation *s;
        fl_simulation_spec spec = {.preset = "test",
                                   .loads = loads,
                                   .load_count = 4,
                                   .seed = i < 3 ? 5 : 6,
                                   .runs = 2,
                                   .threads = threads[i % 3]};
        need(fl_simulation_run(&s, l->plan, &spec, &error), &error);
        fl_simulation_csv(s, &csv[i]);
        fl_simulation_destroy(s);
    }
    cr_assert_str_eq(csv[0].data, csv[1].data);
    cr_assert_str_eq(csv[0].data, csv[2].data);
    cr_assert_str_neq(csv[0].data, csv[3].data);
    for (unsigned i = 0; i < 4; i++)
        fl_text_clear(&csv[i]);
    free_lab(l);
}

/* ---- faults ---- */

Test(sim, packets_are_blocked_as_often_as_pairs_are)
{
    lab *l = need_lab("mikant:k=3,n=3", "gns", "uniform", "2;9;60;90;91;120");
    uint64_t blocked = 0, pairs = 0;
    for (uint32_t s = 0; s < l->network->nodes; s++)
        for (uint32_t d = 0; d < l->network->nodes; d++)
            if (s != d) {
                pairs++;
                blocked += !walk(l, s, d).delivered;
            }
    cr_assert_gt(blocked, 10);
    need_plan(l, simple(0, TEST_ROUNDS(20000)));
    fl_sim_result r = need_run(l, .1, 1, NULL);
    uint64_t lost = lost_in(&r);
    cr_assert_gt(binomial_p_value(lost, lost + r.total_delivered, (double)blocked / (double)pairs),
                 1e-4);
    cr_assert_eq(r.lost[FL_SIM_LOST_ON_LINK], 0);
    cr_assert_not(r.saturated);
    fl_sim_result_clear(&r);
    free_lab(l);
}

Test(sim, a_link_that_fails_loses_what_is_on_it_and_nothing_when_packets_are_retried)
{
    lab *l = need_lab("kary-ntree:k=4,n=2", "minimal-adaptive", "uniform", NULL);
    fl_sim_failure failure[4];
    for (unsigned i = 0; i < 4; i++) /* not node links */
        failure[i] = (fl_sim_failure){
            1000, l->network->type->link_code(l->network, l->network->links - 1 - 5 * i)};
    fl_sim_model model = simple(0, 3000);
    model.packet_flits = 8;
    model.link_latency = 4;
    need_plan_with(l, model, failure, 4, 0);
    fl_sim_result lose = need_run(l, .4, 1, NULL);
    cr_assert_gt(lose.lost[FL_SIM_LOST_ON_LINK], 0);
    cr_assert_leq(lose.lost[FL_SIM_LOST_ON_LINK], 16); /* two on each direction of four links */
    model.on_failure = FL_SIM_RETRY;
    need_plan_with(l, model, failure, 4, 0);
    fl_sim_result retry = need_run(l, .4, 1, NULL);
    cr_assert_eq(retry.retried,
                 lose.lost[FL_SIM_LOST_ON_LINK]); /* everything is equal up to then */
    cr_assert_eq(retry.lost[FL_SIM_LOST_ON_LINK], 0);
    fl_sim_result_clear(&lose);
    fl_sim_result_clear(&retry);
    free_lab(l);
}

/* Packets of one source: each is taken alone from the list of those to be sent again. */
Test(sim, packets_that_were_cut_together_are_sent_again_one_by_one)
{
    lab *l = need_lab("kary-ntree:k=2,n=2", "minimal-adaptive", "uniform", NULL);
    fl_sim_failure failure = {200, l->network->type->link_code(l->network, 2)};
    fl_sim_model model = simple(0, 800);
    model.input_fifo = 8;
    model.link_latency = 20;
    model.on_failure = FL_SIM_RETRY;
    need_plan_with(l, model, &failure, 1, 0);
    fl_sim_result r = need_run(l, 1, 1, NULL);
    cr_assert_gt(r.retried, 10);
    cr_assert_eq(r.total_injected, r.total_delivered + lost_in(&r) + r.in_flight);
    fl_sim_result_clear(&r);
    free_lab(l);
}

static void note_departure(void *user, const fl_sim_packet *p)
{
    uint64_t *left = user;
    left[0] = p->left;
    left[1]++;
}

Test(sim, what_has_passed_of_a_packet_goes_on_to_the_end)
{
    lab *l = need_lab("kary-ntree:k=2,n=3", "shortest", NULL, NULL);
    uint32_t targets[8];
    uint64_t left[2] = {0};
    fl_error error;
    memset(targets, 0xff, sizeof targets);
    targets[0] = 7;
    need(fl_sim_traffic_create_fixed(&l->traffic, l->network, targets, &error), &error);
    fl_sim_model model = simple(0, 3000);
    model.drain = 0;
    model.packet_flits = 64;
    need_plan(l, model);
    uint64_t seed = 1;
    while (left[1] != 1 || left[0] > 2500) { /* one packet, and time for it */
        left[1] = 0;
        fl_sim_result r =
            need_run(l, .03, ++seed, &(fl_sim_watch){.left = note_departure, .user = left});
        fl_sim_result_clear(&r);
    }
    path p = walk(l, 0, 7);
    const fl_sim_failure failure[] = {
        {left[0] + 5, p.link[2]}}; /* its head is two links further on */
    for (unsigned kind = FL_SIM_CUT_THROUGH; kind <= FL_SIM_WORMHOLE; kind++) {
        model.switching = (fl_sim_switching)kind;
        model.input_fifo = kind == FL_SIM_WORMHOLE ? 8 : 2;
        need_plan_with(l, model, failure, 1, 0);
        fl_sim_result r = need_run(l, .03, seed, NULL);
        cr_assert_eq(r.lost[FL_SIM_LOST_ON_LINK], 1);
        cr_assert_eq(r.total_delivered, 0);
        /* As a packet it needs the space of a complete one. 5 - 2 flits of the worm have left for
         * the third link by then, and two of them have arrived; the flits behind reach the switch
         * before. */
        cr_assert_eq(r.flit_hops, kind == FL_SIM_WORMHOLE ? 2 * 64 + 3 + 3 * 2 : 6 * 64, "%llu",
                     (unsigned long long)r.flit_hops);
        fl_sim_result_clear(&r);
    }
    free_lab(l);
}

Test(sim, a_link_that_fails_in_the_first_cycle_is_a_fault)
{
    lab *a = need_lab("mikant:k=3,n=3", "gns+gdl@phase:3", "uniform", "100"),
        *b = need_lab("mikant:k=3,n=3", "gns+gdl@phase:3", "uniform", NULL);
    const fl_sim_failure failure[] = {{0, a->faults.links[0]}};
    need_plan(a, simple(100, 2000));
    need_plan_with(b, simple(100, 2000), failure, 1, 0);
    fl_sim_result x = need_run(a, .3, 1, NULL), y = need_run(b, .3, 1, NULL);
    cr_assert_eq(x.latency_sum, y.latency_sum);
    cr_assert_eq(lost_in(&x), lost_in(&y));
    cr_assert_gt(x.total_delivered, 1000);
    fl_sim_result_clear(&x);
    fl_sim_result_clear(&y);
    free_lab(a);
    free_lab(b);
}

/* ---- deadlock ---- */

static fl_sim_result run_three_turn(lab *l, double load)
{
    need_plan(l, simple(1000, 5000));
    return need_run(l, load, 1, NULL);
}

Test(sim, three_turn_deadlocks_on_one_virtual_channel_and_not_with_three)
{
    lab *l = need_lab("mikant:k=3,n=3", "three-turn", "uniform", "<0,1,00>-<1,1,00>");
    fl_sim_result r = run_three_turn(l, 1);
    cr_assert(r.deadlocked);
    cr_assert_gt(r.cycle_length, 1);
    cr_assert_geq(r.deadlock_packets, r.cycle_length);
    for (unsigned i = 0; i < r.cycle_length; i++) {
        const fl_channel *c = &r.cycle[i].channel,
                         *next = &r.cycle[(i + 1) % r.cycle_length].channel;
        fl_hop hop;
        cr_assert_eq(c->to, next->from);
        cr_assert(fl_network_step(l->network, c->from, c->port, &hop));
        cr_assert_eq(hop.to, c->to);
        cr_assert_eq(hop.link, c->link);
        cr_assert_not(fl_fault_set_holds(&l->faults, c->link));
        cr_assert(fl_address_is_node(r.cycle[i].source) &&
                  fl_address_is_node(r.cycle[i].destination));
        for (unsigned j = 0; j < i; j++)
            cr_assert(r.cycle[j].channel.from != c->from || r.cycle[j].channel.port != c->port,
                      "a channel is in the cycle twice");
    }
    fl_sim_result_clear(&r);
    free_lab(l);
    static const char *const free_of_it[] = {"three-turn@turns:3", "spiral"};
    for (unsigned i = 0; i < 2; i++) {
        l = need_lab("mikant:k=3,n=3", free_of_it[i], "uniform", "<0,1,00>-<1,1,00>");
        r = run_three_turn(l, 1);
        cr_assert_not(r.deadlocked);
        cr_assert_eq(lost_in(&r), 0);
        cr_assert_gt(accepted(l, &r), .2, "%s: %g", free_of_it[i], accepted(l, &r));
        fl_sim_result_clear(&r);
        free_lab(l);
    }
}

/* ---- traffic, limits ---- */

typedef struct targets_seen {
    uint64_t count[64];
    uint64_t map[64];
} targets_seen;

static void note_target(void *user, const fl_sim_packet *a)
{
    targets_seen *t = user;
    t->count[a->destination]++;
    t->map[a->source] = a->destination;
}

static targets_seen run_traffic(const char *traffic, uint64_t cycles)
{
    lab *l = need_lab("kary-ntree:k=4,n=3", "minimal-adaptive", traffic, NULL);
    targets_seen seen;
    memset(&seen, 0, sizeof seen);
    need_plan(l, simple(0, cycles));
    fl_sim_result r = need_run(l, .05, 1, &(fl_sim_watch){.arrived = note_target, .user = &seen});
    fl_sim_result_clear(&r);
    free_lab(l);
    return seen;
}

Test(sim, traffic_patterns_go_where_they_say)
{
    targets_seen seen = run_traffic("uniform", 20000);
    cr_assert_gt(uniform_p_value(seen.count, 64), 1e-4);
    seen = run_traffic("bit-inversion", 1000);
    for (uint64_t i = 0; i < 64; i++)
        cr_assert_eq(seen.map[i], ~i & 63);
    seen = run_traffic("tornado", 1000);
    for (uint64_t i = 0; i < 64; i++)
        cr_assert_eq(seen.map[i],
                     (i % 4 + 1) % 4 + (i / 4 % 4 + 1) % 4 * 4 + (i / 16 + 1) % 4 * 16);
    seen = run_traffic("hot-spot:nodes=0.0625,fraction=0.5", 20000); /* nodes 0, 16, 32, 48 */
    uint64_t hot = seen.count[0] + seen.count[16] + seen.count[32] + seen.count[48], all = 0;
    for (unsigned i = 0; i < 64; i++)
        all += seen.count[i];
    /* The hot fraction: 60/64 come from cold nodes and always go to a hot one; from a hot node 3 of
     * 4 do, and the others like the rest. */
    double cold = .5 + .5 * 4 / 63, warm = .5 * .75 + (.5 + .5 * .25) * 3 / 63;
    cr_assert_gt(binomial_p_value(hot, all, (60 * cold + 4 * warm) / 64), 1e-4);
}

Test(sim, what_cannot_be_simulated_is_refused_by_name)
{
    fl_error error;
    lab *l = need_lab("mikant:k=3,n=2", "shortest", "uniform", NULL);
    fl_sim_traffic *traffic;
    expect_refused(fl_sim_traffic_create(&traffic, l->network, "unifrom", &error), &error,
                   "a typing error", "uniform");
    expect_refused(fl_sim_traffic_create(&traffic, l->network, "bit-inversion", &error), &error,
                   "18 nodes", "18");
    expect_refused(
        fl_sim_traffic_create(&traffic, l->network, "hot-spot:nodes=2,fraction=0.5", &error),
        &error, "a fraction above 1", "nodes=2");
    expect_refused(
        fl_sim_traffic_create(&traffic, l->network, "hot-spot:nodes=0.05,share=0.5", &error),
        &error, "the old word", "'share' is 'fraction' here");
    expect_refused(fl_sim_traffic_create(&traffic, l->network, "tornado:k=5", &error), &error,
                   "no digits", "5");
    const fl_sim_preset *found;
    expect_refused(fl_sim_preset_find(&found, "kns2061", &error), &error, "a typing error",
                   "kns2016");
    fl_router *limit = need_router(l->network, "limit", FL_SCOPE_DETOUR);
    fl_sim_plan *plan;
    fl_sim_model model = simple(10, 10);
    fl_sim_set_up set_up = {.router = limit, .model = &model, .traffic = l->traffic};
    expect_refused(fl_sim_plan_create(&plan, &set_up, &error), &error, "a limit", "limit");
    set_up.router = l->router;
    model.input_fifo = 0;
    expect_refused(fl_sim_plan_create(&plan, &set_up, &error), &error, "a FIFO of nothing",
                   "input FIFO");
    model.input_fifo = 2;
    model.switching = FL_SIM_WORMHOLE;
    model.output_fifo = 2;
    expect_refused(fl_sim_plan_create(&plan, &set_up, &error), &error, "worms in output FIFOs",
                   "wormhole");
    fl_router_destroy(limit);
    need_plan(l, simple(10, 10));
    fl_sim_result r;
    expect_refused(fl_sim_run(&r, l->plan, 1.5, 1, NULL, &error), &error, "a load above 1", "1.5");
    free_lab(l);
}
