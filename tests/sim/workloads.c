/* Workloads: causality against closed forms and a slow reference that uses only what was sent and
 * received, the eleven of the thin-tree paper against their definitions, traces, and messages
 * that wait for lost ones. */
#include "tests/support.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

typedef struct lab {
    fl_network *network;
    fl_router *router;
    fl_sim_workload *workload;
    fl_fault_set faults;
    fl_sim_model model;
    fl_sim_plan *plan;
} lab;

static void need(fl_status status, const fl_error *error)
{
    cr_assert_eq(status, FL_OK, "%s", error->text);
}

static fl_sim_model preset(const char *name)
{
    const fl_sim_preset *found = NULL;
    cr_assert_eq(fl_sim_preset_find(&found, name, NULL), FL_OK);
    fl_sim_model model = found->model;
    model.cycles = 10000000;
    return model;
}

/* Packets of 16 bytes. */
static fl_sim_model small_packets(void)
{
    fl_sim_model model = preset("thintree");
    model.packet_flits = 4;
    model.source_queue = 0;
    return model;
}

static fl_sim_workload *parsed(const char *text)
{
    fl_sim_workload *workload;
    fl_error error;
    need(fl_sim_workload_parse(&workload, text, strlen(text), "test", &error), &error);
    return workload;
}

static fl_sim_workload *built(const char *spec, uint64_t processes)
{
    fl_sim_workload *workload;
    fl_error error;
    need(fl_sim_workload_create(&workload, processes, spec, &error), &error);
    return workload;
}

/* Takes ownership of the workload. */
static lab *need_lab(const char *topology, const char *router, fl_sim_workload *workload,
                     fl_sim_model model, const char *faults, const fl_sim_failure *failures,
                     size_t failure_count)
{
    fl_error error;
    lab *l = need_memory(1, sizeof *l);
    l->network = need_network(topology);
    l->router = need_router(l->network, router, FL_SCOPE_DETOUR);
    l->workload = workload;
    l->model = model;
    if (faults)
        need(fl_fault_set_parse(&l->faults, l->network, faults, &error), &error);
    const fl_sim_set_up set_up = {.router = l->router,
                                  .model = &l->model,
                                  .workload = workload,
                                  .faults = &l->faults,
                                  .failures = failures,
                                  .failure_count = failure_count};
    need(fl_sim_plan_create(&l->plan, &set_up, &error), &error);
    return l;
}

static fl_sim_result need_run(const lab *l, uint64_t seed, const fl_sim_watch *watch)
{
    fl_sim_result result;
    fl_error error;
    need(fl_sim_run(&result, l->plan, 0, seed, watch, &error), &error);
    return result;
}

static void free_lab(lab *l)
{
    fl_sim_plan_destroy(l->plan);
    fl_sim_workload_destroy(l->workload);
    fl_fault_set_clear(&l->faults);
    fl_router_destroy(l->router);
    fl_network_destroy(l->network);
    free(l);
}

static fl_sim_completion outcome(lab *l)
{
    fl_sim_result r = need_run(l, 1, NULL);
    fl_sim_completion c = r.completion;
    fl_sim_result_clear(&r);
    free_lab(l);
    return c;
}

/* ---- closed forms ---- */

static void count_links(void *user, const fl_walk_hop *hop)
{
    (void)hop;
    ++*(unsigned *)user;
}

static unsigned links_between(const lab *l, uint32_t source, uint32_t destination)
{
    fl_order *order;
    fl_error error;
    fl_walk_result result;
    unsigned links = 0;
    need(fl_order_create_fixed(&order, l->network, &l->faults, &error), &error);
    fl_view view = {.network = l->network,
                    .order = order,
                    .enabled_rules = l->router->enabled_rules,
                    .scope = l->router->scope};
    need(fl_walk(
             l->router, &view,
             l->network->type->node_address(l->network, fl_sim_plan_node_of(l->plan, source)),
             l->network->type->node_address(l->network, fl_sim_plan_node_of(l->plan, destination)),
             count_links, &links, &result, &error),
         &error);
    cr_assert(result.delivered);
    fl_order_destroy(order);
    return links;
}

/* A message that meets no other: its packets follow each other without a gap, and the last takes
 * the closed form. */
static uint64_t message_time(const fl_sim_model *m, unsigned links, uint32_t bytes)
{
    uint64_t packets = (bytes + 4u * m->packet_flits - 1) / (4u * m->packet_flits),
             tail = m->packet_flits - 1;
    uint64_t header = links * (uint64_t)m->link_latency + (links - 1) * (uint64_t)m->routing_delay;
    return (packets - 1) * m->packet_flits + header + tail +
           (m->switching == FL_SIM_STORE_AND_FORWARD ? (links - 1) * tail : 0);
}

static void check_chain(const char *topology, const char *router, fl_sim_model model)
{
    static const char text[] =
        "faultline workload 1\nprocesses 8\n"
        "0 0 7 100\n1 7 3 64 after 0\n2 3 4 1 delay 33 after 1\n3 4 0 1000 after 2\n";
    lab *l = need_lab(topology, router, parsed(text), model, NULL, NULL, 0);
    uint64_t expected = 33;
    for (uint32_t m = 0; m < 4; m++) {
        fl_sim_message message = fl_sim_workload_message(l->workload, m);
        expected += message_time(&model, links_between(l, message.source, message.destination),
                                 message.bytes);
    }
    fl_sim_completion c = outcome(l);
    cr_assert(c.complete);
    cr_assert_eq(c.cycles, expected, "%s: %llu cycles, not %llu", topology,
                 (unsigned long long)c.cycles, (unsigned long long)expected);
    cr_assert_eq(c.latency_sum, expected - 33);
}

Test(workloads, a_chain_of_messages_takes_the_sum_of_the_closed_forms)
{
    for (unsigned s = FL_SIM_STORE_AND_FORWARD; s <= FL_SIM_WORMHOLE; s++) {
        fl_sim_model model = small_packets();
        model.switching = (fl_sim_switching)s;
        model.input_fifo = s == FL_SIM_WORMHOLE ? 64 : 4;
        check_chain("kary-ntree:k=2,n=3", "shortest", model);
        check_chain("mikant:k=2,n=3", "shortest", model);
        model.link_latency = 3;
        check_chain("torus:k=3,n=2", "dimension-order", model);
    }
    for (const fl_sim_preset *p = fl_sim_presets; p->name; p++)
        if (p->model.packet_flits <= 16) { /* with more, routing takes no longer than a packet: no
                                              gaps either, but a long test */
            fl_sim_model model = p->model;
            model.cycles = 1000000;
            model.input_fifo = model.input_fifo < 4 ? 4 : model.input_fifo;
            check_chain("kary-ntree:k=2,n=3", "minimal-adaptive", model);
        }
}

Test(workloads, without_meeting_a_binary_tree_takes_its_steps)
{
    lab *l = need_lab("thintree:k=4,up=2,n=3", "minimal-adaptive", built("BI:bytes=640", 64),
                      small_packets(), NULL, NULL, 0);
    uint64_t expected =
        0; /* each step waits for the one before; processes 0 and 2^i are the last to meet */
    for (uint32_t p = 1; p < 64; p *= 2)
        expected += message_time(&l->model, links_between(l, p, 0), 640);
    fl_sim_completion c = outcome(l);
    cr_assert_eq(c.cycles, expected);
    cr_assert_eq(c.messages, 63);
}

/* ---- a slow reference for causality ---- */

enum { EVENTS_MAX = 20000 };

typedef struct happening {
    uint64_t cycle, born;
    uint32_t source, destination;
    bool arrival;
} happening;

typedef struct diary {
    unsigned count;
    happening happening[EVENTS_MAX];
} diary;

static void note(diary *d, const fl_sim_packet *p, bool arrival)
{
    cr_assert_lt(d->count, EVENTS_MAX);
    d->happening[d->count++] =
        (happening){arrival ? p->arrived : p->left, p->born, p->source, p->destination, arrival};
}

static void note_left(void *user, const fl_sim_packet *p)
{
    note(user, p, false);
}

static void note_arrived(void *user, const fl_sim_packet *p)
{
    note(user, p, true);
}

typedef struct slow {
    const lab *lab;
    uint32_t count;
    fl_sim_message message[400];
    unsigned packets[400], left[400], arrived[400];
    uint64_t sent_at[400], arrived_at[400];
} slow;

#define NEVER UINT64_MAX

/* The earliest cycle in which a message may leave, as far as is known. */
static uint64_t ready_at(const slow *s, uint32_t m)
{
    uint64_t ready = 0;
    for (uint32_t i = 0; i < s->message[m].after_count; i++) {
        uint32_t d = s->message[m].after[i];
        uint64_t known =
            s->message[d].source == s->message[m].source ? s->sent_at[d] : s->arrived_at[d];
        if (known == NEVER)
            return NEVER;
        ready = known > ready ? known : ready;
    }
    return ready + s->message[m].delay;
}

/* The message of which a node sends a packet: one that it has begun, else the oldest of those that
 * are ready, else the first. */
static uint32_t leaving(const slow *s, uint32_t node, uint64_t now)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t m = 0; m < s->count; m++) {
        if (fl_sim_plan_node_of(s->lab->plan, s->message[m].source) != node ||
            s->left[m] == s->packets[m] || ready_at(s, m) > now)
            continue;
        if (s->left[m] > 0)
            return m;
        if (best == UINT32_MAX || ready_at(s, m) < ready_at(s, best))
            best = m;
    }
    return best;
}

static void follow_departure(slow *s, const happening *h)
{
    uint32_t m = leaving(s, h->source, h->cycle);
    cr_assert_neq(m, UINT32_MAX,
                  "a packet left node %u in cycle %llu, and no message of it was ready", h->source,
                  (unsigned long long)h->cycle);
    cr_assert_eq(h->destination, fl_sim_plan_node_of(s->lab->plan, s->message[m].destination));
    cr_assert_eq(h->born, ready_at(s, m),
                 "a packet of message %u was born in cycle %llu, and it was ready in %llu", m,
                 (unsigned long long)h->born, (unsigned long long)ready_at(s, m));
    if (++s->left[m] == s->packets[m])
        s->sent_at[m] = h->cycle;
}

/* Packets of messages with the same ends may overtake each other; their births distinguish them. */
static void follow_arrival(slow *s, const happening *h)
{
    for (uint32_t m = 0; m < s->count; m++)
        if (fl_sim_plan_node_of(s->lab->plan, s->message[m].source) == h->source &&
            fl_sim_plan_node_of(s->lab->plan, s->message[m].destination) == h->destination &&
            s->left[m] > s->arrived[m] && ready_at(s, m) == h->born) {
            if (++s->arrived[m] == s->packets[m])
                s->arrived_at[m] = h->cycle;
            return;
        }
    cr_assert(false, "a packet arrived in cycle %llu that never left",
              (unsigned long long)h->cycle);
}

static int by_cycle(const void *a, const void *b)
{
    const happening *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return y->arrival - x->arrival; /* what arrives in a cycle may release what leaves in it */
}

/* Random messages that come after up to three random earlier ones that their source knows of. Of
 * two with the same ends the later comes after the earlier, with a delay, so that the births of
 * their packets distinguish them. */
static void write_random_trace(fl_text *out, uint64_t seed, uint32_t processes, uint32_t count)
{
    uint32_t source[400], destination[400];
    fl_rng rng;
    fl_rng_seed(&rng, seed, FL_PURPOSE_TRAFFIC, 0);
    fl_text_append(out, "faultline workload 1\nprocesses %u\n", processes);
    for (uint32_t m = 0; m < count; m++) {
        source[m] = fl_rng_below32(&rng, processes);
        destination[m] = (source[m] + 1 + fl_rng_below32(&rng, processes - 1)) % processes;
        fl_text_append(out, "%u %u %u %u", m, source[m], destination[m],
                       1 + fl_rng_below32(&rng, 120));
        bool repeated = false;
        for (uint32_t d = 0; d < m; d++)
            repeated |= source[d] == source[m] && destination[d] == destination[m];
        if (repeated || fl_rng_below32(&rng, 3) == 0)
            fl_text_append(out, " delay %u", 1 + fl_rng_below32(&rng, 60));
        unsigned named = 0;
        for (uint32_t d = m; d-- > 0;) {
            bool known = source[d] == source[m] || destination[d] == source[m],
                 same = source[d] == source[m] && destination[d] == destination[m];
            if (same || (known && named < 3 && fl_rng_below32(&rng, 4) == 0))
                fl_text_append(out, "%s %u", named++ ? "" : " after", d);
        }
        fl_text_append(out, "\n");
    }
}

static void check_causality(const char *topology, const char *router, fl_sim_model model,
                            uint64_t seed)
{
    fl_text text = {0};
    slow *s = need_memory(1, sizeof *s);
    diary *d = need_memory(1, sizeof *d);
    write_random_trace(&text, seed, 8, 300);
    lab *l = need_lab(topology, router, parsed(text.data), model, NULL, NULL, 0);
    fl_sim_result r =
        need_run(l, seed, &(fl_sim_watch){.left = note_left, .arrived = note_arrived, .user = d});
    qsort(d->happening, d->count, sizeof *d->happening, by_cycle);
    s->lab = l;
    s->count = fl_sim_workload_messages(l->workload);
    for (uint32_t m = 0; m < s->count; m++) {
        s->message[m] = fl_sim_workload_message(l->workload, m);
        s->packets[m] =
            (s->message[m].bytes + 4 * model.packet_flits - 1) / (4 * model.packet_flits);
        s->sent_at[m] = s->arrived_at[m] = NEVER;
    }
    uint64_t latency = 0;
    for (unsigned i = 0; i < d->count; i++) {
        if (d->happening[i].arrival)
            follow_arrival(s, &d->happening[i]);
        else
            follow_departure(s, &d->happening[i]);
    }
    for (uint32_t m = 0; m < s->count; m++) {
        cr_assert_neq(s->arrived_at[m], NEVER, "message %u did not arrive", m);
        latency += s->arrived_at[m] - ready_at(s, m);
    }
    cr_assert(r.completion.complete);
    cr_assert_eq(r.completion.latency_sum, latency);
    cr_assert_eq(r.completion.cycles, d->happening[d->count - 1].cycle);
    cr_assert_eq(r.total_injected, r.total_delivered);
    fl_sim_result_clear(&r);
    fl_text_clear(&text);
    free(s);
    free(d);
    free_lab(l);
}

Test(workloads, messages_leave_when_a_slow_reading_says_so)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        fl_sim_model model = small_packets();
        check_causality("kary-ntree:k=2,n=3", "minimal-adaptive", model, seed);
        model.packet_flits = 1;
        check_causality("mikant:k=2,n=3", "shortest", model, seed);
        model.packet_flits = 3;
        model.switching = FL_SIM_WORMHOLE;
        check_causality("mesh:k=3,n=2", "dimension-order", model, seed);
    }
}

/* ---- the eleven ---- */

static bool comes_after(const fl_sim_message *m, uint32_t earlier)
{
    for (uint32_t i = 0; i < m->after_count; i++)
        if (m->after[i] == earlier)
            return true;
    return false;
}

/* Exactly after what its source receives; `order` of the process that may have sent it is below
 * that of the source's own. */
static void check_waits_for_all_received(const char *spec, uint32_t processes, uint32_t messages)
{
    fl_sim_workload *w = built(spec, processes);
    cr_assert_eq(fl_sim_workload_messages(w), messages, "%s", spec);
    for (uint32_t m = 0; m < messages; m++) {
        fl_sim_message message = fl_sim_workload_message(w, m);
        cr_assert_eq(message.bytes, 10240);
        for (uint32_t other = 0; other < messages; other++)
            cr_assert_eq(comes_after(&message, other),
                         fl_sim_workload_message(w, other).destination == message.source);
    }
    fl_sim_workload_destroy(w);
}

static void check_waits_for_nothing(const char *spec, uint32_t processes, uint32_t messages,
                                    uint32_t bytes)
{
    fl_sim_workload *w = built(spec, processes);
    cr_assert_eq(fl_sim_workload_messages(w), messages, "%s", spec);
    for (uint32_t m = 0; m < messages; m++) {
        fl_sim_message message = fl_sim_workload_message(w, m);
        cr_assert_eq(message.after_count, 0);
        cr_assert_eq(message.bytes, bytes);
        cr_assert_neq(message.source, message.destination);
    }
    fl_sim_workload_destroy(w);
}

Test(workloads, the_eleven_are_what_is_published)
{
    check_waits_for_nothing("AA", 16, 16 * 15, 512);
    check_waits_for_nothing("M2", 16, 2 * 2 * 4 * 3, 10240);
    check_waits_for_nothing("M3", 27, 2 * 3 * 9 * 2, 10240);
    check_waits_for_nothing("M2:sides=2x8", 16, 2 * (8 + 2 * 7), 10240);
    check_waits_for_all_received("W2", 16, 2 * 4 * 3);
    check_waits_for_all_received("W3", 27, 3 * 9 * 2);
    check_waits_for_all_received("BI", 16, 15);
    fl_sim_workload *w = built("BU", 16);
    cr_assert_eq(fl_sim_workload_messages(w), 4 * 16);
    for (uint32_t m = 0; m < 64; m++) {
        fl_sim_message message = fl_sim_workload_message(w, m);
        cr_assert_eq(message.destination, message.source ^ (1u << m / 16));
        for (uint32_t other = 0; other < 64; other++) {
            fl_sim_message o = fl_sim_workload_message(w, other);
            bool before = other / 16 + 1 == m / 16 &&
                          (o.source == message.source || o.destination == message.source);
            cr_assert_eq(comes_after(&message, other), before);
        }
    }
    fl_sim_workload_destroy(w);
}

/* Everything that a message comes after, directly or indirectly. */
static void close_over(const fl_sim_workload *w, uint32_t m, bool *closed)
{
    fl_sim_message message = fl_sim_workload_message(w, m);
    for (uint32_t i = 0; i < message.after_count; i++)
        if (!closed[message.after[i]]) {
            closed[message.after[i]] = true;
            close_over(w, message.after[i], closed);
        }
}

static void check_waves(const char *spec, uint32_t messages, uint32_t wave)
{
    fl_sim_workload *w = built(spec, 12);
    cr_assert_eq(fl_sim_workload_messages(w), messages);
    for (uint32_t m = 0; m < messages; m++) {
        bool *closed = need_memory(messages, sizeof *closed);
        fl_sim_message message = fl_sim_workload_message(w, m);
        close_over(w, m, closed);
        for (uint32_t i = 0; i < message.after_count;
             i++) /* its own list; `closed` has the rest too */
            cr_assert_lt(message.after[i], m);
        for (uint32_t other = 0; other < messages; other++) {
            fl_sim_message o = fl_sim_workload_message(w, other);
            if (o.source == message.source)
                cr_assert_eq(closed[other], other < m, "sent");
            else if (o.destination == message.source)
                cr_assert_eq(closed[other], other / wave < m / wave, "received");
        }
        free(closed);
    }
    fl_sim_workload_destroy(w);
}

Test(workloads, random_messages_wait_for_the_waves_before)
{
    check_waves("R1:messages=200", 200, 1);
    check_waves("R2:messages=300,wave=40", 300, 40);
    check_waves("R4:messages=250", 250, 16386);
    fl_sim_workload *a = built("R3", 64);
    cr_assert_eq(fl_sim_workload_messages(a), 65536);
    cr_assert_eq(fl_sim_workload_message(a, 5).bytes, 1024);
    uint64_t to[64] = {0};
    for (uint32_t m = 0; m < 65536; m++)
        to[fl_sim_workload_message(a, m).destination]++;
    cr_assert_gt(uniform_p_value(to, 64), 1e-4);
    fl_sim_workload_destroy(a);
}

typedef struct pairs {
    unsigned packets[64][64];
} pairs;

static void note_pair(void *user, const fl_sim_packet *p)
{
    ((pairs *)user)->packets[p->source][p->destination]++;
}

Test(workloads, an_all_to_all_brings_every_message_once)
{
    pairs *seen = need_memory(1, sizeof *seen);
    lab *l = need_lab("thintree:k=4,up=2,n=3", "minimal-adaptive", built("AA:bytes=40", 64),
                      small_packets(), NULL, NULL, 0);
    fl_sim_result r = need_run(l, 1, &(fl_sim_watch){.arrived = note_pair, .user = seen});
    cr_assert(r.completion.complete);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++)
            cr_assert_eq(seen->packets[i][j], i == j ? 0 : 3);
    fl_sim_result_clear(&r);
    free(seen);
    free_lab(l);
}

Test(workloads, processes_stand_switch_after_switch)
{
    lab *l = need_lab("thintree:k=4,up=2,n=3", "minimal-adaptive", built("BI", 64), small_packets(),
                      NULL, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t j = 0; j < 64; j++)
            if (i != j)
                cr_assert_eq(links_between(l, i, j), i / 4 == j / 4 ? 2 : i / 16 == j / 16 ? 4 : 6);
    l->model.placement = FL_SIM_PLACE_BY_NUMBER;
    fl_sim_plan *plan;
    fl_sim_set_up set_up = *fl_sim_plan_set_up(l->plan);
    set_up.model = &l->model;
    cr_assert_eq(fl_sim_plan_create(&plan, &set_up, NULL), FL_OK);
    for (uint32_t i = 0; i < 64; i++)
        cr_assert_eq(fl_sim_plan_node_of(plan, i), i);
    fl_sim_plan_destroy(plan);
    free_lab(l);
}

/* ---- losses ---- */

Test(workloads, a_lost_message_stalls_those_that_wait_for_it_and_no_others)
{
    /* 0 -> 1 is cut off at once; 2 and 3 wait for it, 4 does not. */
    static const char text[] =
        "faultline workload 1\nprocesses 8\n10 0 1 50\n11 1 2 50 after 10\n12 2 3 50 after 11\n13 4 5 50\n14 5 4 9 after 13\n";
    lab *l =
        need_lab("kary-ntree:k=2,n=3", "shortest", parsed(text), small_packets(), "0", NULL, 0);
    cr_assert_eq(fl_sim_plan_node_of(l->plan, 0), 0);
    fl_sim_completion c = outcome(l);
    cr_assert_not(c.complete);
    cr_assert(c.stalled);
    cr_assert_eq(c.lost, 1);
    cr_assert_eq(c.first_lost[0].place, 0);
    cr_assert_eq(c.first_lost[0].why, FL_BLOCKED_SOURCE);
    cr_assert_eq(c.arrived, 2);
    cr_assert_eq(c.never_ready, 2);
    cr_assert_eq(c.waiting_for_first, 2);
    cr_assert_eq(c.under_way, 0);
}

static fl_sim_completion fail_during(fl_sim_on_failure on_failure, fl_sim_result *complete)
{
    fl_sim_model model = small_packets();
    fl_sim_failure failure = {300, 0};
    fl_error error;
    fl_network *network = need_network("mikant:k=3,n=3");
    need(fl_network_parse_link(network, "<0,1,00>-<1,1,00>", &failure.link, &error), &error);
    fl_network_destroy(network);
    model.on_failure = on_failure;
    lab *l = need_lab("mikant:k=3,n=3", "gns+gdl@phase:3",
                      built("R2:messages=2000,wave=200,bytes=200", 54), model, NULL, &failure, 1);
    *complete = need_run(l, 1, NULL);
    fl_sim_completion c = complete->completion;
    fl_sim_result_clear(complete);
    free_lab(l);
    return c;
}

Test(workloads, packets_on_a_failing_link_stall_a_workload_and_retried_they_do_not)
{
    fl_sim_result complete;
    fl_sim_completion lose = fail_during(FL_SIM_LOSE, &complete);
    cr_assert(lose.stalled);
    cr_assert_not(complete.deadlocked);
    cr_assert_gt(lose.lost, 0);
    cr_assert_gt(lose.never_ready, 0);
    cr_assert_gt(lose.waiting_for_first, 0);
    cr_assert_eq(lose.arrived + lose.lost + lose.never_ready, 2000);
    cr_assert_eq(lose.first_lost[0].cycle, 300);
    cr_assert_eq(lose.first_lost[0].why, FL_SIM_LOST_ON_LINK);
    fl_sim_completion retry = fail_during(FL_SIM_RETRY, &complete);
    cr_assert(retry.complete);
    cr_assert_eq(retry.lost, 0);
    cr_assert_gt(complete.retried, 0);
}

Test(workloads, a_deadlock_of_the_network_is_no_stall_of_messages)
{
    static const char *const routers[] = {"three-turn", "three-turn@turns:3"};
    for (unsigned i = 0; i < 2; i++) {
        fl_sim_model model = preset("mikant2018");
        lab *l = need_lab("mikant:k=3,n=3", routers[i], built("R4:messages=20000,bytes=40", 54),
                          model, "<0,1,00>-<1,1,00>", NULL, 0);
        fl_sim_result r = need_run(l, 1, NULL);
        cr_assert_eq(r.deadlocked, i == 0);
        cr_assert_not(r.completion.stalled);
        cr_assert_eq(r.completion.complete, i == 1);
        if (i == 0)
            cr_assert_gt(r.completion.under_way, 0);
        fl_sim_result_clear(&r);
        free_lab(l);
    }
}

Test(workloads, a_run_that_is_cut_off_counts_what_is_under_candidate)
{
    fl_sim_model model = small_packets();
    model.cycles = 100;
    lab *l = need_lab("kary-ntree:k=4,n=2", "minimal-adaptive", built("BU:bytes=200", 16), model,
                      NULL, NULL, 0);
    fl_sim_completion c = outcome(l);
    cr_assert(!c.complete && !c.stalled);
    cr_assert_gt(c.under_way, 0);
    cr_assert_eq(c.arrived + c.under_way + c.never_ready, 64);
}

/* ---- traces ---- */

static void check_round_trip(fl_sim_workload *w, const char *topology)
{
    fl_text first = {0}, second = {0};
    fl_error error;
    fl_sim_workload *again;
    fl_sim_workload_write(w, &first);
    need(fl_sim_workload_parse(&again, first.data, first.length, "trace", &error), &error);
    fl_sim_workload_write(again, &second);
    cr_assert_str_eq(first.data, second.data);
    lab *a = need_lab(topology, "minimal-adaptive", w, small_packets(), NULL, NULL, 0);
    lab *b = need_lab(topology, "minimal-adaptive", again, small_packets(), NULL, NULL, 0);
    fl_sim_result x = need_run(a, 3, NULL), y = need_run(b, 3, NULL);
    cr_assert_eq(x.completion.cycles, y.completion.cycles);
    cr_assert_eq(x.latency_sum, y.latency_sum);
    cr_assert_eq(x.conflicts, y.conflicts);
    cr_assert_eq(x.flit_hops, y.flit_hops);
    fl_sim_result_clear(&x);
    fl_sim_result_clear(&y);
    free_lab(a);
    free_lab(b);
    fl_text_clear(&first);
    fl_text_clear(&second);
}

Test(workloads, what_is_read_from_a_written_trace_is_the_same_workload)
{
    static const char *const specs[] = {"AA:bytes=30",
                                        "BI:bytes=99",
                                        "BU:bytes=50",
                                        "M2:bytes=70",
                                        "M3:sides=2x2x4,bytes=70",
                                        "W2:bytes=33",
                                        "W3:sides=4x2x2,bytes=1",
                                        "R1:messages=90",
                                        "R2:messages=99,wave=9"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_round_trip(built(specs[i], 16), "kary-ntree:k=4,n=2");
    fl_text text = {0};
    write_random_trace(&text, 9, 16, 120);
    check_round_trip(parsed(text.data), "kary-ntree:k=4,n=2");
    fl_text_clear(&text);
    check_round_trip(
        parsed(
            "faultline workload 1\r\n\r\n# a comment\nname  my trace \nprocesses 3 # of 3\n18446744073709551615 0 1 4294967295\n"
            "7 1 2 1 after 18446744073709551615 # behind it\n9\t2 0 8 delay 2000000000 after 7"),
        "kary-ntree:k=2,n=2");
}

typedef struct mistake {
    const char *lines, *names;
} mistake;

Test(workloads, every_mistake_in_a_trace_is_named_with_its_line)
{
    static const mistake mistakes[] = {
        {"0 0 9 5", "line 3: the destination must be a whole number from 0 to 3, not '9'"},
        {"0 -1 2 5", "line 3: the source must be a whole number from 0 to 3, not '-1'"},
        {"0 0 1 0",
         "line 3: the number of bytes must be a whole number from 1 to 4294967295, not '0'"},
        {"0 0 1 4294967296", "not '4294967296'"},
        {"18446744073709551616 0 1 5", "the id must be"},
        {"0 0 1", "line 3: the number of bytes is missing"},
        {"0 2 2 5", "line 3: message 0 goes from process 2 to itself"},
        {"3 0 1 5\n3 1 2 5", "line 4: message 3 is there already, in line 3"},
        {"0 0 1 5 after 8", "line 3: message 0 comes after message 8, which there is not"},
        {"0 0 1 5 after", "line 3: 'after' names no message"},
        {"0 0 1 5 after x", "'x' is none"},
        {"0 0 1 5 after 0", "line 3: message 0 comes after itself"},
        {"0 0 1 5\n1 1 2 5 after 0 0", "line 4: message 1 comes after message 0 twice"},
        {"0 0 1 5\n1 2 3 5 after 0",
         "line 4: message 1 leaves process 2, which neither sends nor receives message 0 (from 0 to 1)"},
        {"4 0 1 5 after 6\n5 1 2 5 after 4\n6 2 0 5 after 5\n7 0 3 5 after 4",
         "3 messages come after each other in a circle: "},
        {"0 0 1 5 delay", "line 3: the delay is missing"},
        {"0 0 1 5 delay 2000000001", "the delay must be"},
        {"0 0 1 5 dealy 3", "line 3: 'dealy' after the bytes"},
        {"0 0 1 5 6", "'6' after the bytes"},
        {"after 0", "line 3: a line begins with"},
        {"processes 9", "line 3: 'processes' stands here for the second time"},
        {"name", "line 3: the name has 0 bytes"},
        {"", "it has no messages"},
    };
    fl_sim_workload *w;
    fl_error error;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        fl_text text = {0};
        fl_text_append(&text, "faultline workload 1\nprocesses 4\n%s\n", mistakes[i].lines);
        expect_refused(fl_sim_workload_parse(&w, text.data, text.length, "trace", &error), &error,
                       mistakes[i].lines, mistakes[i].names);
        fl_text_clear(&text);
    }
    static const mistake heads[] = {
        {"", "it is empty"},
        {"faultline workload", "the first line must be"},
        {"faultline workload 2\n", "line 1: this is version '2' of the format"},
        {"\n# x\nprocesses 4\n", "line 3: the first line must be"},
        {"faultline workload 1\n0 0 1 5\n", "line 2: the line 'processes N' must come before"},
        {"faultline workload 1\nprocesses 1\n", "line 2: the number of processes must be"},
        {"faultline workload 1\nprocesses 4 5\n", "line 2: '5' after the number of processes"},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        expect_refused(
            fl_sim_workload_parse(&w, heads[i].lines, strlen(heads[i].lines), "trace", &error),
            &error, heads[i].lines, heads[i].names);
}

Test(workloads, what_makes_no_workload_is_refused_by_name)
{
    static const struct {
        const char *spec;
        uint64_t processes;
        const char *names;
    } cases[] = {
        {"XX", 16, "there are AA, BI"},
        {"BI", 54, "2, 4, 8"},
        {"BU:processes=12", 54, "not 12"},
        {"M2", 54, "no square"},
        {"W3", 64 * 2, "no cube"},
        {"M2:sides=4x4", 54, "54"},
        {"M2:sides=4x4x4", 64, "sides=AxB"},
        {"M3:sides=4x4", 16, "AxBxC"},
        {"AA:wave=3", 16, "wave"},
        {"R1:wave=0", 16, "wave"},
        {"R1:messages=x", 16, "'x'"},
        {"AA:bytes=0", 16, "bytes"},
        {"AA:processes=17", 16, "17"},
        {"AA:bytes", 16, "key=value"},
        {"AA", 70000, "4899930000"},
        {"trace:", 16, "file"},
        {"trace:/nowhere/at/all", 16, "/nowhere/at/all"},
        {"BI", 1, "2 to"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fl_sim_workload *w;
        fl_error error = {.text = ""};
        fl_status status = fl_sim_workload_create(&w, cases[i].processes, cases[i].spec, &error);
        cr_assert_neq(status, FL_OK, "%s", cases[i].spec);
        cr_assert(strstr(error.text, cases[i].names), "%s: %s", cases[i].spec, error.text);
    }
    lab *l =
        need_lab("kary-ntree:k=2,n=2", "shortest", built("BI", 4), small_packets(), NULL, NULL, 0);
    fl_sim_workload *large = built("BI", 8);
    fl_sim_plan *plan;
    fl_error error;
    fl_sim_set_up set_up = *fl_sim_plan_set_up(l->plan);
    set_up.workload = large;
    expect_refused(fl_sim_plan_create(&plan, &set_up, &error), &error, "too many processes",
                   "8 processes");
    set_up.workload = NULL;
    expect_refused(fl_sim_plan_create(&plan, &set_up, &error), &error, "nothing to do", "workload");
    fl_sim_workload_destroy(large);
    free_lab(l);
}

/* ---- threads ---- */

Test(workloads, times_on_several_networks_do_not_depend_on_threads)
{
    static const char spec[] =
        "{\"name\": \"t\", \"preset\": \"thintree\", \"router\": \"minimal-adaptive\", \"runs\": 2, \"seed\": 4, \"networks\": "
        "[\"kary-ntree:k=4,n=2\", {\"topology\": \"thintree:k=4,up=1,n=2\", \"label\": \"thin\"}], \"workloads\": "
        "[\"BU:bytes=300\", \"BI\", "
        "\"R1:messages=100\"], \"published\": {\"cost_constant\": [1, 0.625]}}";
    fl_text csv[3] = {{0}};
    fl_error error;
    for (unsigned i = 0; i < 3; i++) {
        cJSON *json;
        fl_load_spec *s;
        fl_load_study *study;
        fl_load_results *m;
        need(fl_json_parse(&json, spec, strlen(spec), "spec", &error), &error);
        need(fl_makespan_spec_read(&s, json, "spec", NULL, &error), &error);
        cJSON_Delete(json);
        need(fl_load_bind(&study, s, &error), &error);
        need(fl_load_run(&m, s, study->curves, &(fl_load_options){.threads = 1 + 3 * i}, &error),
             &error);
        fl_makespan_csv(m, &csv[i]);
        cr_assert(fl_makespan_is_complete(m));
        cr_assert_eq(fl_makespan_time(m, 0, 0), 1);
        cr_assert_eq(fl_makespan_time(m, 1, 1), 1); /* messages of a binary tree never meet */
        cr_assert_gt(fl_makespan_time(m, 1, 0), 1.5);
        double times = 1 + fl_makespan_time(m, 1, 0) + fl_makespan_time(m, 1, 2);
        cr_assert_float_eq(fl_makespan_quantity_of(m, 1, FL_MAKESPAN_PERFORMANCE), 3 / times,
                           1e-12);
        cr_assert_float_eq(fl_makespan_quantity_of(m, 1, FL_MAKESPAN_COST_CONSTANT), 5. / 8, 1e-12);
        cr_assert_float_eq(fl_makespan_quantity_of(m, 1, FL_MAKESPAN_COST_QUADRATIC),
                           5. * 25 / (8 * 64), 1e-12);
        cr_assert_float_eq(fl_makespan_quantity_of(m, 1, FL_MAKESPAN_EFFICIENCY_LINEAR),
                           3 / times / (5. * 5 / (8 * 8)), 1e-12);
        fl_load_results_destroy(m);
        fl_load_study_destroy(study);
        fl_load_spec_destroy(s);
    }
    cr_assert_str_eq(csv[0].data, csv[1].data);
    cr_assert_str_eq(csv[0].data, csv[2].data);
    for (unsigned i = 0; i < 3; i++)
        fl_text_clear(&csv[i]);
}

Test(workloads, the_costs_of_the_thin_trees_are_those_published)
{
    static const char *const networks[] = {"kary-ntree:k=8,n=4", "thintree:k=8,up=4,n=4",
                                           "thintree:k=8,up=2,n=4"};
    static const double published[3][3] = {
        {1, 1, 1}, {.47, .35, .26}, {.33, .21, .13}}; /* thin-tree paper, Table III */
    double first[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        fl_network *n = need_network(networks[i]);
        for (unsigned power = 0; power < 3; power++) {
            double cost = (double)n->switches * pow(n->radix, power);
            first[power] = i == 0 ? cost : first[power];
            cr_assert_float_eq(cost / first[power], published[i][power], .005);
        }
        fl_network_destroy(n);
    }
}
