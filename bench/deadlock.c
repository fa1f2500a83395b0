/* Channel dependency graphs of all triples of faulty links between switches on MiKANT(3,3):
 * processor time of the engine, compared in the same run with a reference that walks every pair of
 * nodes again under every fault set (a sample of them), fills a matrix, and searches for a cycle
 * depth first.
 *
 *   bench/deadlock [ROUTER...]    default: gns gdl three-turn gns+gdl */
#include "faultline.h"
#include "routing/routing.h"
#include "tests/reference/reference.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { K = 3, N = 3, FAULTS = 3, REFERENCE_SETS = 300 };

/* Processor time: there is one thread, and others may share the machine. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int fail(const char *text)
{
    fprintf(stderr, "bench: %s\n", text);
    return 1;
}

/* ---- the reference ---- */

typedef struct reference {
    ref_net *net;
    bool *down;
    unsigned rules;
    int channels; /* switch * 2k + port */
    bool *wants;  /* [channels * channels] */
    char *colour; /* [channels] */
    int *between; /* [links]: those between switches */
    int between_count;
} reference;

static int channel_of(const reference *p, int from, int to)
{
    int port = 0;
    while (ref_neighbour(p->net, from, port) != to)
        port++;
    return (from - ref_node_count(p->net)) * 2 * K + port;
}

static void walk_all_pairs(reference *p)
{
    int nodes = ref_node_count(p->net);
    memset(p->wants, 0, (size_t)p->channels * (size_t)p->channels);
    for (int source = 0; source < nodes; source++)
        for (int destination = 0; destination < nodes; destination++) {
            ref_route route;
            int last = -1;
            if (source == destination)
                continue;
            ref_route_packet(p->net, p->down, p->rules, REF_SCOPE_DETOUR, source, destination,
                             &route);
            for (int i = 2; i < route.path_count; i++) {
                if (route.path[i] < nodes)
                    continue;
                int channel = channel_of(p, route.path[i - 1], route.path[i]);
                if (last >= 0)
                    p->wants[last * p->channels + channel] = true;
                last = channel;
            }
        }
}

static bool cycle_from(reference *p, int channel)
{
    p->colour[channel] = 1;
    for (int to = 0; to < p->channels; to++)
        if (p->wants[channel * p->channels + to] &&
            (p->colour[to] == 1 || (p->colour[to] == 0 && cycle_from(p, to))))
            return true;
    p->colour[channel] = 2;
    return false;
}

static bool has_cycle(reference *p)
{
    memset(p->colour, 0, (size_t)p->channels);
    for (int channel = 0; channel < p->channels; channel++)
        if (p->colour[channel] == 0 && cycle_from(p, channel))
            return true;
    return false;
}

static bool make_reference(reference *p)
{
    p->net = ref_net_create(true, K, N);
    p->channels = ref_switch_count(p->net) * 2 * K;
    p->down = calloc((size_t)ref_link_count(p->net), sizeof *p->down);
    p->wants = malloc((size_t)p->channels * (size_t)p->channels * sizeof *p->wants);
    p->colour = malloc((size_t)p->channels);
    p->between = malloc((size_t)ref_link_count(p->net) * sizeof *p->between);
    if (!p->down || !p->wants || !p->colour || !p->between)
        return false;
    for (int link = 0; link < ref_link_count(p->net); link++) {
        int u, v;
        ref_link_ends(p->net, link, &u, &v);
        if (u >= ref_node_count(p->net))
            p->between[p->between_count++] = link;
    }
    return true;
}

/* Seconds per set, over random sets. */
static double time_reference(reference *p, unsigned rules, unsigned *cyclic)
{
    fl_rng rng;
    fl_rng_seed(&rng, 1, FL_PURPOSE_FAULTS, 0);
    p->rules = rules;
    *cyclic = 0;
    double start = now();
    for (int set = 0; set < REFERENCE_SETS; set++) {
        memset(p->down, 0, (size_t)ref_link_count(p->net) * sizeof *p->down);
        for (int chosen = 0; chosen < FAULTS;) {
            int link = p->between[fl_rng_below32(&rng, (uint32_t)p->between_count)];
            chosen += !p->down[link];
            p->down[link] = true;
        }
        walk_all_pairs(p);
        *cyclic += has_cycle(p);
    }
    return (now() - start) / REFERENCE_SETS;
}

static unsigned rules_of(const char *name)
{
    static const struct {
        const char *name;
        unsigned rule;
    } rules[] = {{"gns", REF_GNS},
                 {"gdl", REF_GDL},
                 {"three-turn", REF_THREE_TURN},
                 {"x-turns", REF_X_TURNS},
                 {"adaptive-up", REF_ADAPTIVE_UP}};
    unsigned found = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strstr(name, rules[i].name))
            found |= rules[i].rule;
    return found;
}

/* ---- the engine ---- */

static int measure(const fl_network *network, const fl_fault_model *model, reference *p,
                   const char *name)
{
    fl_router *router;
    fl_deadlock_result result;
    fl_error error;
    unsigned cyclic;
    if (fl_router_create(&router, network, name, FL_SCOPE_DETOUR, &error))
        return fail(error.text);
    double start = now();
    fl_status status = fl_deadlock_check(&result, router, model, FAULTS, NULL, &error);
    double took = now() - start;
    fl_router_destroy(router);
    if (status)
        return fail(error.text);
    fl_deadlock_witness_destroy(result.witness);
    double reference_took = time_reference(p, rules_of(name), &cyclic);
    printf(
        "%-28s %6llu sets, %5llu cyclic (%.2f%%): %6.3f s; reference %7.3f ms a set (%u of %d cyclic, %.1f%%), all sets %.0f s: %.0f times\n",
        name, (unsigned long long)result.fault_sets, (unsigned long long)result.cyclic,
        100. * (double)result.cyclic / (double)result.fault_sets, took, 1e3 * reference_took,
        cyclic, REFERENCE_SETS, 100. * cyclic / REFERENCE_SETS,
        reference_took * (double)result.fault_sets,
        reference_took * (double)result.fault_sets / took);
    return 0;
}

int main(int count, char **arguments)
{
    static const char *const usual[] = {"gns", "gdl", "three-turn", "gns+gdl"};
    static const uint64_t none;
    const fl_axis axis = {.fault_points = 1, .counts = &none};
    fl_network *network;
    fl_fault_model *model;
    fl_error error;
    reference p = {0};
    int failed = 0;
    if (fl_network_create(&network, "mikant:k=3,n=3", &error) ||
        fl_fault_model_create(&model, network, "links:class=switch-links", &axis, &error))
        return fail(error.text);
    if (!make_reference(&p))
        return fail("out of memory");
    for (int i = 0; i < (count > 1 ? count - 1 : (int)(sizeof usual / sizeof *usual)); i++)
        failed |= measure(network, model, &p, count > 1 ? arguments[i + 1] : usual[i]);
    free(p.down);
    free(p.wants);
    free(p.colour);
    free(p.between);
    ref_net_destroy(p.net);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
    return failed;
}
