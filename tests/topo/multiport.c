/* topo, routing, experiments: networks whose nodes have several ports (la, nd, pla, pnd, pp),
 * against their definitions, breadth-first searches that pass through no node, and counting all
 * fault sets. */
#include "experiments/sweep/private.h"
#include "routing/registry.h"
#include "tests/support.h"
#include "topo/stored/design.h"
#include "topo/stored/plane.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const specs[] = {
    "la:p=2,net=torus:k=3,n=2,p=2",
    "la:p=3,net=star:r=4",
    "la:p=5,net=fattree3:K=4",
    "nd:p=2,net=mesh:k=3,n=2",
    "nd:p=4,net=dragonfly:a=2",
    "nd:p=3,net=mikant:k=2,n=2",
    "pla:p=2,net=torus:k=4,n=2,p=2",
    "pla:p=3,seed=5,steps=500,net=fattree3:K=4",
    "pla:p=2,seed=1,steps=0,net=dragonfly:a=2",
    "pnd:p=2,net=torus:k=4,n=2,p=2",
    "pnd:p=3,seed=5,steps=500,net=kary-ntree:k=2,n=3",
    "pp:p=2,net=clique:m=3,r=4",
    "pp:p=3,net=torus:k=3,n=1,p=3",
    "pp:p=4,net=dragonfly:a=2",
    "pp:p=3,seed=2,steps=3000,net=torus:k=4,n=2,p=3",
    "pp:p=5,net=clique:m=3,r=5",
    "pp:p=6,net=star:r=8",
    "ap:p=3,net=torus:k=3,n=1,p=3",
    "ap:p=4,net=dragonfly:a=2",
    "ap:p=5,seed=2,steps=500,net=torus:k=4,n=2",
    "od:p=2,net=clique:m=3,r=4",
    "od:p=3,seed=1,steps=300,net=torus:k=4,n=2",
    "od:p=7,net=star:r=3",
};
enum { SPECS = sizeof specs / sizeof *specs };

/* ---- projective planes ---- */

static bool is_on(const fl_plane *plane, uint32_t point, uint32_t line)
{
    for (uint32_t i = 0; i <= plane->order; i++)
        if (fl_plane_line(plane, line)[i] == point)
            return true;
    return false;
}

/* Points that are on both of two lines; lines that are on both of two points, if `dual`. */
static uint32_t in_common(const fl_plane *plane, uint32_t a, uint32_t b, bool dual)
{
    uint32_t count = 0;
    for (uint32_t x = 0; x < plane->size; x++)
        count += dual ? is_on(plane, a, x) && is_on(plane, b, x)
                      : is_on(plane, x, a) && is_on(plane, x, b);
    return count;
}

Test(multiport, planes_hold_the_axioms)
{
    static const uint32_t orders[] = {1, 2, 3, 4, 5, 7, 8, 9};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t q = orders[i], step = q > 5 ? FL_TEST_DIVISOR : 1;
        fl_plane plane;
        fl_error error = {.text = ""};
        cr_assert(fl_plane_create(&plane, q, &error) == FL_OK, "%s", error.text);
        cr_assert(plane.size == q * q + q + 1);
        for (uint32_t a = 0; a < plane.size; a += step) {
            uint32_t lines = 0;
            for (uint32_t line = 0; line < plane.size; line++)
                lines += is_on(&plane, a, line);
            cr_expect(lines == q + 1, "order %u: point %u is on %u lines", q, a, lines);
            for (uint32_t b = a + 1; b < plane.size; b++) {
                cr_assert(in_common(&plane, a, b, false) == 1, "order %u: lines %u and %u", q, a,
                          b);
                cr_assert(in_common(&plane, a, b, true) == 1, "order %u: points %u and %u", q, a,
                          b);
            }
        }
        fl_plane_destroy(&plane);
    }
}

Test(multiport, planes_of_other_orders_are_refused)
{
    static const uint32_t orders[] = {0, 6, 10, 12, 257};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        fl_plane plane;
        fl_error error = {.text = ""};
        expect_refused(fl_plane_create(&plane, orders[i], &error), &error, "a plane",
                       orders[i] == 6 ? "6" : "");
    }
}

/* ---- designs ---- */

typedef fl_status design_maker(fl_design *, uint32_t ports, fl_error *);

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_rising(const uint32_t *list, uint32_t count, uint32_t end)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] >= end || (i > 0 && list[i] <= list[i - 1]))
            return false;
    return true;
}

static unsigned copies_of_both(const fl_design *d, uint32_t a, uint32_t b)
{
    unsigned shared = 0;
    for (uint32_t i = 0; i < d->ports; i++)
        for (uint32_t j = 0; j < d->ports; j++)
            shared += d->copies_of[a * d->ports + i] == d->copies_of[b * d->ports + j];
    return shared;
}

static void check_design(design_maker *make, uint32_t p, uint32_t groups, uint32_t copies)
{
    fl_design d;
    fl_error error = {.text = ""};
    cr_assert(make(&d, p, &error) == FL_OK, "p = %u: %s", p, error.text);
    cr_expect(d.ports == p && d.groups == groups && d.copies == copies,
              "p = %u: %u groups, %u copies", p, d.groups, d.copies);
    cr_expect(d.groups * d.ports == d.copies * d.meeting, "(2.19) at p = %u", p);
    cr_expect(d.groups - 1 == d.ports * (d.meeting - 1), "(2.20) at p = %u", p);
    for (uint32_t a = 0; a < d.groups; a++) {
        cr_assert(is_rising(d.copies_of + a * p, p, d.copies), "p = %u: group %u", p, a);
        for (uint32_t b = 0; b < a; b++)
            cr_assert(copies_of_both(&d, a, b) == 1, "p = %u: groups %u and %u", p, a, b);
    }
    for (uint32_t copy = 0; copy < d.copies; copy++) {
        const uint32_t *at = d.groups_at + copy * d.meeting;
        cr_assert(is_rising(at, d.meeting, d.groups), "p = %u: copy %u", p, copy);
        for (uint32_t i = 0; i < d.meeting; i++)
            cr_assert(bsearch(&copy, d.copies_of + at[i] * p, p, sizeof copy, compare_numbers));
    }
    fl_design_destroy(&d);
}

/* (2.19) and (2.20) with points and blocks exchanged, which copies and groups are. The numbers of
 * groups and copies are those of the source's 4.4.2.1 and 4.4.2.2; of affine planes there are no
 * numbers there. */
Test(multiport, designs_hold_the_axioms_at_every_prime_power)
{
    static const uint32_t orders[] = {2, 3, 4, 5, 7, 8, 9, 11, 13, 16};
    check_design(fl_design_projective, 2, 3, 3);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t q = orders[i], p = q + 1;
        check_design(fl_design_projective, p, p * p - p + 1, p * p - p + 1);
        check_design(fl_design_affine, p, q * q, p * p - p);
    }
    for (uint32_t p = 2; p < 20; p++)
        check_design(fl_design_obvious, p, p + 1, p * (p + 1) / 2);
}

Test(multiport, designs_that_do_not_exist_are_refused)
{
    static const char *const specs_refused[] = {
        "ap:p=2,net=mesh:k=3,n=2", "ap:p=7,net=mesh:k=3,n=2", "pp:p=7,net=mesh:k=3,n=2",
        "od:p=65,net=mesh:k=3,n=2"};
    static const char *const why[] = {"must be a prime power", "must be a prime power",
                                      "must be 1 or a prime power", "2 to 64"};
    for (size_t i = 0; i < 4; i++) {
        fl_network *network;
        fl_error error = {.text = ""};
        expect_refused(fl_network_create(&network, specs_refused[i], &error), &error,
                       specs_refused[i], why[i]);
    }
}

/* Lemma 4.1. */
Test(multiport, designs_have_no_longer_paths_than_their_switch_networks)
{
    static const char *const designs[] = {"pp:p=3", "ap:p=3", "od:p=3",
                                          "pp:p=5", "ap:p=5", "od:p=5"};
    static const char *const nets[] = {"torus:k=4,n=2", "fattree3:K=4", "random:n=30,m=12,r=6"};
    const fl_metrics_options options = {.wanted = FL_METRICS_DISTANCES};
    for (size_t i = 0; i < 6 * 3; i++) {
        char spec[100];
        snprintf(spec, sizeof spec, "%s,net=%s", designs[i / 3], nets[i % 3]);
        fl_network *network = need_network(spec), *base = need_network(nets[i % 3]);
        fl_metrics m, b;
        cr_assert(fl_metrics_compute(&m, network, &options, NULL) == FL_OK);
        cr_assert(fl_metrics_compute(&b, base, &options, NULL) == FL_OK);
        cr_expect(m.diameter <= b.diameter, "%s: %u", spec, m.diameter);
        fl_network_destroy(network);
        fl_network_destroy(base);
    }
}

/* ---- structure ---- */

Test(multiport, all_pass_the_consistency_check)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]), *again;
        fl_error error = {.text = ""};
        cr_expect(fl_network_check(network, &error) == FL_OK, "%s", error.text);
        cr_expect(network->node_ports > 1);
        again = need_network(network->spec);
        cr_expect(strcmp(again->spec, network->spec) == 0, "%s becomes %s", network->spec,
                  again->spec);
        for (uint64_t link = 0; link < network->links; link++) {
            fl_link_ends a, b;
            network->type->link_ends(network, network->type->link_code(network, link), &a);
            again->type->link_ends(again, again->type->link_code(again, link), &b);
            cr_assert(a.a == b.a && a.b == b.b && a.port_a == b.port_a && a.port_b == b.port_b,
                      "%s: link %d differs", network->spec, (int)link);
        }
        fl_network_destroy(again);
        fl_network_destroy(network);
    }
}

/* nd:p=2 of two switches without the links between switches: valid, except that its two nodes
 * never meet. */
static fl_network *whole;

static bool step_to_nodes(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    (void)network;
    return fl_network_step(whole, from, port, out) &&
           (fl_address_is_node(from) || fl_address_is_node(out->to));
}

static void no_closed_forms(const fl_network *network, fl_closed_forms *out)
{
    (void)network;
    *out = (fl_closed_forms){.nodes = NAN, .switches = NAN, .links = NAN, .radix = NAN};
}

Test(multiport, nodes_that_never_meet_are_found)
{
    whole = need_network("nd:p=2,net=mesh:k=2,n=1");
    fl_network_type type = *whole->type;
    fl_network parted = *whole;
    fl_error error = {.text = ""};
    cr_expect(fl_network_check(whole, &error) == FL_OK, "%s", error.text);
    type.step = parted.step = step_to_nodes;
    type.closed_forms = no_closed_forms;
    parted.type = &type;
    parted.links = whole->nodes * 2;
    parted.classes = 1;
    expect_refused(fl_network_check(&parted, &error), &error, "two nodes apart", "not connected");
    fl_network_destroy(whole);
}

static uint64_t switch_behind(const fl_network *network, uint64_t node, unsigned port)
{
    fl_hop hop;
    cr_assert(
        fl_network_step(network, network->type->node_address(network, node), (fl_port)port, &hop));
    return network->type->switch_index(network, hop.to);
}

/* Counts, and which switches nodes are on. */
Test(multiport, designs_are_as_defined)
{
    fl_network *base = need_network("torus:k=4,n=2,p=3"),
               *la = need_network("la:p=3,net=torus:k=4,n=2,p=3");
    fl_network *nd = need_network("nd:p=3,net=torus:k=4,n=2,p=3"),
               *pnd = need_network("pnd:p=3,net=torus:k=4,n=2,p=3");
    fl_network *pp = need_network("pp:p=3,net=torus:k=4,n=2,p=3");
    cr_expect(la->nodes == 48 && la->switches == 16 && la->links == 32 + 3 * 48 &&
              la->radix == 4 + 9);
    cr_expect(nd->nodes == 48 && nd->switches == 48 && nd->links == 3 * 32 + 3 * 48 &&
              nd->radix == 7);
    cr_expect(pp->nodes == 7 * 16 && pp->switches == 7 * 16 && pp->links == 7 * 32 + 3 * 112 &&
              pp->radix == 7);
    for (uint64_t node = 0; node < base->nodes; node++)
        for (unsigned q = 0; q < 3; q++) {
            cr_expect(switch_behind(la, node, q) == switch_behind(base, node, 0));
            cr_expect(switch_behind(nd, node, q) == 16 * q + switch_behind(base, node, 0));
            cr_expect(switch_behind(pnd, node, q) / 16 == q, "port q leads into copy q");
        }
    fl_network_destroy(base);
    fl_network_destroy(la);
    fl_network_destroy(nd);
    fl_network_destroy(pnd);
    fl_network_destroy(pp);
}

/* Copies that two nodes are both on. */
static unsigned copies_shared(const fl_network *network, uint64_t a, uint64_t b, uint64_t copy_size)
{
    unsigned shared = 0;
    for (unsigned q = 0; q < network->node_ports; q++)
        for (unsigned r = 0; r < network->node_ports; r++)
            shared += switch_behind(network, a, q) / copy_size ==
                      switch_behind(network, b, r) / copy_size;
    return shared;
}

Test(multiport, two_groups_of_a_design_meet_once)
{
    static const struct {
        const char *spec;
        uint64_t copy_size, group;
        uint64_t groups, copies;
    } planes[] = {{"pp:p=2,net=clique:m=3,r=4", 3, 3, 3, 3},
                  {"pp:p=3,seed=2,steps=3000,net=torus:k=4,n=2,p=3", 16, 16, 7, 7},
                  {"pp:p=5,net=clique:m=3,r=6", 3, 2, 21, 21},
                  {"pp:p=6,net=clique:m=2,r=8", 2, 2, 31, 31},
                  {"ap:p=3,net=clique:m=3,r=4", 3, 3, 4, 6},
                  {"ap:p=5,seed=2,steps=500,net=torus:k=4,n=2", 16, 4, 16, 20},
                  {"ap:p=6,net=clique:m=2,r=8", 2, 2, 25, 30},
                  {"od:p=2,net=clique:m=3,r=4", 3, 3, 3, 3},
                  {"od:p=3,seed=1,steps=300,net=torus:k=4,n=2", 16, 8, 4, 6},
                  {"od:p=6,net=clique:m=3,r=4", 3, 3, 7, 21}};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        fl_network *network = need_network(planes[i].spec);
        uint64_t p = network->node_ports;
        cr_expect(network->nodes == planes[i].groups * planes[i].group, "%s", network->spec);
        cr_expect(network->switches == planes[i].copies * planes[i].copy_size, "%s", network->spec);
        for (uint64_t a = 0; a < network->nodes; a++)
            for (uint64_t b = a + 1; b < network->nodes; b++) {
                unsigned shared = copies_shared(network, a, b, planes[i].copy_size);
                cr_assert(shared == (a / planes[i].group == b / planes[i].group ? p : 1),
                          "%s: %d and %d", network->spec, (int)a, (int)b);
            }
        fl_network_destroy(network);
    }
}

/* Permutations exchange ports: every switch keeps its number of nodes, and distances get shorter.
 */
Test(multiport, permutations_keep_the_places_and_shorten_the_paths)
{
    static const char *const nets[] = {"torus:k=4,n=2,p=2", "fattree3:K=4", "mesh:k=5,n=2"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (int copies = 0; copies < 2; copies++) {
            char spec[100], reference[100];
            snprintf(spec, sizeof spec, "%s:p=2,net=%s", copies ? "pnd" : "pla", nets[i]);
            snprintf(reference, sizeof reference, "%s:p=2,net=%s", copies ? "nd" : "la", nets[i]);
            fl_network *network = need_network(spec), *before = need_network(reference);
            fl_metrics m, b;
            const fl_metrics_options options = {.wanted = FL_METRICS_DISTANCES};
            cr_assert(fl_metrics_compute(&m, network, &options, NULL) == FL_OK);
            cr_assert(fl_metrics_compute(&b, before, &options, NULL) == FL_OK);
            cr_expect(m.average_distance < 0.95 * b.average_distance, "%s: %f after, %f before",
                      spec, m.average_distance, b.average_distance);
            for (uint64_t s = 0; s < network->switches; s++) {
                int nodes[2] = {0, 0};
                for (unsigned port = 0; port < network->radix; port++) {
                    fl_hop hop;
                    nodes[0] += fl_network_step(network, s, (fl_port)port, &hop) &&
                                fl_address_is_node(hop.to);
                    nodes[1] += fl_network_step(before, s, (fl_port)port, &hop) &&
                                fl_address_is_node(hop.to);
                }
                cr_expect(nodes[0] == nodes[1], "%s: switch %d", spec, (int)s);
            }
            fl_network_destroy(network);
            fl_network_destroy(before);
        }
}

/* ---- breadth-first searches ---- */

/* Links from a node to every vertex (nodes first), through switches only, without those that are
 * down; UINT32_MAX: no path. */
static void search(const fl_network *network, uint64_t source, const bool *down, uint32_t *distance,
                   uint64_t *queue)
{
    uint64_t head = 0, tail = 0;
    for (uint64_t v = 0; v < network->nodes + network->switches; v++)
        distance[v] = UINT32_MAX;
    distance[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        uint64_t v = queue[head++];
        bool node = v < network->nodes;
        fl_address at = node ? network->type->node_address(network, v)
                             : network->type->switch_address(network, v - network->nodes);
        for (unsigned port = 0;
             port < (node ? network->node_ports : network->radix) && (!node || v == source);
             port++) {
            fl_hop hop;
            if (!fl_network_step(network, at, (fl_port)port, &hop) ||
                (down && down[network->type->link_index(network, hop.link)]))
                continue;
            uint64_t u = fl_address_is_node(hop.to)
                             ? network->type->node_index(network, hop.to)
                             : network->nodes + network->type->switch_index(network, hop.to);
            if (distance[u] == UINT32_MAX) {
                distance[u] = distance[v] + 1;
                queue[tail++] = u;
            }
        }
    }
}

typedef struct searcher {
    uint32_t *distance;
    uint64_t *queue;
    bool *down;
} searcher;

static searcher need_searcher(const fl_network *network)
{
    size_t vertices = network->nodes + network->switches;
    return (searcher){need_memory(vertices, sizeof(uint32_t)),
                      need_memory(vertices, sizeof(uint64_t)),
                      need_memory(network->links, sizeof(bool))};
}

static void free_searcher(searcher *s)
{
    free(s->distance);
    free(s->queue);
    free(s->down);
}

Test(multiport, distances_are_those_of_a_plain_search)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        searcher s = need_searcher(network);
        fl_metrics m;
        fl_error error = {.text = ""};
        uint64_t sum = 0;
        uint32_t longest = 0;
        cr_assert(fl_metrics_compute(&m, network,
                                     &(fl_metrics_options){.wanted = FL_METRICS_DISTANCES},
                                     &error) == FL_OK,
                  "%s", error.text);
        for (uint64_t a = 0; a < network->nodes; a++) {
            search(network, a, NULL, s.distance, s.queue);
            for (uint64_t b = a + 1; b < network->nodes; b++) {
                cr_assert(s.distance[b] != UINT32_MAX, "%s: no path from %d to %d", network->spec,
                          (int)a, (int)b);
                sum += s.distance[b];
                longest = s.distance[b] > longest ? s.distance[b] : longest;
            }
        }
        cr_expect(m.distance_sum == sum && m.diameter == longest,
                  "%s: %llu and %u, not %llu and %u", network->spec,
                  (unsigned long long)m.distance_sum, m.diameter, (unsigned long long)sum, longest);
        cr_expect(m.pairs == network->nodes * (network->nodes - 1) / 2);
        free_searcher(&s);
        fl_network_destroy(network);
    }
}

/* "The h-ASPL and the diameter of LA(G, p) are equal to those of G", and of ND(G, p) (4.3). */
Test(multiport, plain_designs_have_the_distances_of_their_network)
{
    static const char *const nets[] = {"torus:k=5,n=2,p=2", "dragonfly:a=4", "fattree3:K=6",
                                       "random:n=60,m=20,r=7,seed=3"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (int copies = 0; copies < 2; copies++) {
            char spec[100];
            snprintf(spec, sizeof spec, "%s:p=3,net=%s", copies ? "nd" : "la", nets[i]);
            fl_network *network = need_network(spec), *base = need_network(nets[i]);
            fl_metrics m, b;
            const fl_metrics_options options = {.wanted = FL_METRICS_DISTANCES};
            cr_assert(fl_metrics_compute(&m, network, &options, NULL) == FL_OK);
            cr_assert(fl_metrics_compute(&b, base, &options, NULL) == FL_OK);
            cr_expect(m.distance_sum == b.distance_sum && m.diameter == b.diameter, "%s", spec);
            fl_network_destroy(network);
            fl_network_destroy(base);
        }
}

/* ---- cuts, by trying all ---- */

/* The fewest links between two halves of all vertices with half of the nodes each. */
static uint32_t narrowest_bisection(const fl_network *network)
{
    uint64_t vertices = network->nodes + network->switches;
    uint32_t best = UINT32_MAX, *a = need_memory(network->links, sizeof *a),
             *b = need_memory(network->links, sizeof *b);
    for (uint64_t link = 0; link < network->links; link++) {
        fl_link_ends ends;
        network->type->link_ends(network, network->type->link_code(network, link), &ends);
        a[link] = (uint32_t)(fl_address_is_node(ends.a)
                                 ? network->type->node_index(network, ends.a)
                                 : network->nodes + network->type->switch_index(network, ends.a));
        b[link] = (uint32_t)(network->nodes + network->type->switch_index(network, ends.b));
    }
    for (uint64_t side = 0; side < UINT64_C(1) << (vertices - 1); side++) {
        unsigned nodes = 0;
        uint32_t cut = 0;
        for (uint64_t v = 0; v < network->nodes; v++)
            nodes += (unsigned)(side >> v & 1);
        if (nodes != network->nodes / 2 && nodes != (network->nodes + 1) / 2)
            continue;
        for (uint64_t link = 0; link < network->links; link++)
            cut += (uint32_t)((side >> a[link] ^ side >> b[link]) & 1);
        best = cut < best ? cut : best;
    }
    free(a);
    free(b);
    return best;
}

Test(multiport, cuts_are_the_narrowest)
{
    static const char *const small[] = {"la:p=2,net=mesh:k=2,n=2", "nd:p=2,net=clique:m=3,r=4",
                                        "pnd:p=2,net=mesh:k=4,n=1", "pp:p=2,net=clique:m=2,r=3",
                                        "pla:p=2,net=mesh:k=3,n=1,p=2"};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        fl_network *network = need_network(small[i]);
        fl_metrics m;
        cr_assert(fl_metrics_compute(&m, network,
                                     &(fl_metrics_options){.wanted = FL_METRICS_BISECTION},
                                     NULL) == FL_OK);
        uint32_t narrowest = narrowest_bisection(network);
        cr_expect(m.bisection_width == narrowest, "%s: %d, not %u", network->spec,
                  (int)m.bisection_width, narrowest);
        fl_network_destroy(network);
    }
}

/* In each copy of nd(G) the nodes' halves are those of G: p times the width. */
Test(multiport, duplication_multiplies_the_bisection)
{
    fl_network *network = need_network("nd:p=3,net=torus:k=4,n=2,p=2");
    fl_metrics m;
    fl_closed_forms forms;
    cr_assert(fl_metrics_compute(&m, network,
                                 &(fl_metrics_options){.wanted = FL_METRICS_BISECTION, .seeds = 8},
                                 NULL) == FL_OK);
    network->type->closed_forms(network, &forms);
    cr_expect(m.bisection_width == 24 && forms.bisection_width == 24);
    fl_network_destroy(network);
}

static bool parted_by(const fl_network *network, searcher *s)
{
    for (uint64_t a = 0; a < network->nodes; a++) {
        search(network, a, s->down, s->distance, s->queue);
        for (uint64_t b = 0; b < network->nodes; b++)
            if (s->distance[b] == UINT32_MAX)
                return true;
    }
    return false;
}

/* Can `left` more links, from `first` on, together with those that are down, separate two nodes? */
static bool can_part(const fl_network *network, searcher *s, uint64_t first, int64_t left)
{
    if (left == 0)
        return parted_by(network, s);
    bool parted = false;
    for (uint64_t link = first; link < network->links && !parted; link++) {
        s->down[link] = true;
        parted = can_part(network, s, link + 1, left - 1);
        s->down[link] = false;
    }
    return parted;
}

/* Not in the source: two nodes of different groups of a plane have one port each that
 * leads to the other. */
Test(multiport, connectivity_is_that_of_pairs_of_nodes)
{
    static const struct {
        const char *spec;
        int64_t links;
    } cases[] = {{"la:p=2,net=mesh:k=2,n=2", 2},      {"nd:p=2,net=mesh:k=2,n=2", 2},
                 {"pla:p=2,net=mesh:k=3,n=1", 2},     {"pp:p=2,net=clique:m=3,r=4", 1},
                 {"pp:p=3,net=torus:k=3,n=1,p=3", 1}, {"la:p=3,net=mesh:k=2,n=1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fl_network *network = need_network(cases[i].spec);
        searcher s = need_searcher(network);
        fl_metrics m;
        cr_assert(fl_metrics_compute(&m, network,
                                     &(fl_metrics_options){.wanted = FL_METRICS_CONNECTIVITY},
                                     NULL) == FL_OK);
        cr_expect(m.edge_connectivity == cases[i].links, "%s: %d", network->spec,
                  (int)m.edge_connectivity);
        cr_expect(can_part(network, &s, 0, cases[i].links) &&
                      !can_part(network, &s, 0, cases[i].links - 1),
                  "%s", network->spec);
        free_searcher(&s);
        fl_network_destroy(network);
    }
}

/* ---- the contract: the table router against a reference ---- */

typedef struct slow_walk {
    bool delivered;
    fl_reason reason;
    uint32_t length;
    fl_address at[32];
} slow_walk;

/* Links from a switch to the nearest switch of a node, faults ignored. */
static uint32_t switch_distance(const fl_network *network, searcher *s, uint64_t node,
                                fl_address at)
{
    search(network, node, NULL, s->distance, s->queue);
    return s->distance[network->nodes + network->type->switch_index(network, at)] - 1;
}

static bool is_down(const fl_network *network, const searcher *s, fl_link link)
{
    return s->down[network->type->link_index(network, link)];
}

/* From the nearest port that is up; by the lowest port that leads nearer; down by the first link
 * that is up. */
static void walk_slowly(const fl_network *network, searcher *s, uint64_t source,
                        uint64_t destination, slow_walk *out)
{
    fl_address target = network->type->node_address(network, destination),
               here = network->type->node_address(network, source);
    fl_hop hop, taken = {0};
    uint32_t nearest = UINT32_MAX - 1;
    *out = (slow_walk){.reason = FL_BLOCKED_SOURCE};
    for (unsigned port = 0; port < network->node_ports; port++)
        if (fl_network_step(network, here, (fl_port)port, &hop) && !is_down(network, s, hop.link) &&
            switch_distance(network, s, destination, hop.to) < nearest) {
            nearest = switch_distance(network, s, destination, hop.to);
            taken = hop;
        }
    if (nearest == UINT32_MAX - 1)
        return;
    for (;;) {
        here = taken.to;
        out->at[out->length++] = here;
        if (here == target) {
            out->delivered = true;
            return;
        }
        uint32_t left = switch_distance(network, s, destination, here);
        bool found = false, up = false;
        for (unsigned port = 0; port < network->radix && !up && (left == 0 || !found); port++) {
            bool leads = fl_network_step(network, here, (fl_port)port, &hop) &&
                         (left == 0 ? hop.to == target
                                    : !fl_address_is_node(hop.to) &&
                                          switch_distance(network, s, destination, hop.to) < left);
            found |= leads;
            up = leads && !is_down(network, s, hop.link);
            taken = leads ? hop : taken;
        }
        if (!up) {
            out->reason = left == 0 ? FL_BLOCKED_DESTINATION : FL_BLOCKED_CROSS;
            return;
        }
    }
}

typedef struct trail {
    fl_address at[32];
    unsigned count;
} trail;

static void follow(void *user, const fl_walk_hop *hop)
{
    trail *t = user;
    t->at[t->count++ % 32] = hop->to;
}

static uint32_t answer(fl_order *order, fl_link link)
{
    const searcher *s = order->user;
    return s->down[order->network->type->link_index(order->network, link)] ? 0 : FL_NEVER_FAILS;
}

static void compare_walk(const fl_router *router, fl_order *order, searcher *s, uint64_t source,
                         uint64_t destination)
{
    const fl_network *network = router->network;
    fl_view view = {
        .network = network, .order = order, .scope = router->scope, .holds_until = FL_NEVER_FAILS};
    trail went = {.count = 0};
    slow_walk slow;
    fl_walk_result fast;
    fl_error error = {.text = ""};
    fl_address ends[2] = {network->type->node_address(network, source),
                          network->type->node_address(network, destination)};
    cr_assert(fl_walk(router, &view, ends[0], ends[1], follow, &went, &fast, &error) == FL_OK,
              "%s: %s", network->spec, error.text);
    walk_slowly(network, s, source, destination, &slow);
    cr_assert(fast.delivered == slow.delivered && fast.hops == slow.length &&
                  (fast.delivered || fast.reason == slow.reason),
              "%s: %d to %d: delivered %d, %d hops, reason %d; not %d, %d, %d", network->spec,
              (int)source, (int)destination, fast.delivered, (int)fast.hops, (int)fast.reason,
              slow.delivered, (int)slow.length, (int)slow.reason);
    for (unsigned i = 0; i < went.count; i++)
        cr_assert(went.at[i] == slow.at[i], "%s: %d to %d: hop %u", network->spec, (int)source,
                  (int)destination, i);
}

Test(multiport, tables_route_as_the_plain_reference)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        searcher s = need_searcher(network);
        fl_order *order;
        fl_rng rng;
        fl_rng_seed_raw(&rng, i, 7);
        cr_assert(fl_order_create_custom(&order, network, answer, &s, NULL) == FL_OK);
        for (fl_scope scope = FL_SCOPE_DETOUR; scope <= FL_SCOPE_LOCAL; scope++) {
            fl_router *router = need_router(network, "table", scope);
            for (unsigned round = 0; round < 12; round++) {
                for (uint64_t link = 0; link < network->links; link++)
                    s.down[link] = fl_rng_below32(&rng, 100) < 5 * round;
                fl_order_forget(order);
                for (unsigned pair = 0; pair < TEST_ROUNDS(40); pair++) {
                    uint64_t a = fl_rng_below(&rng, network->nodes),
                             b = fl_rng_below(&rng, network->nodes - 1);
                    compare_walk(router, order, &s, a, b + (b >= a));
                }
            }
            fl_router_destroy(router);
        }
        fl_order_destroy(order);
        free_searcher(&s);
        fl_network_destroy(network);
    }
}

/* Every analysis walks the same path: sampling, exploring, proving. */
Test(multiport, no_fault_lengthens_or_blocks_nothing)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        searcher s = need_searcher(network);
        fl_order *order;
        cr_assert(fl_order_create_custom(&order, network, answer, &s, NULL) == FL_OK);
        fl_router *router = need_router(network, "shortest", FL_SCOPE_LOCAL);
        uint64_t step = network->nodes > 30 ? 5 : 1;
        for (uint64_t a = 0; a < network->nodes; a += step)
            for (uint64_t b = 0; b < network->nodes; b += step) {
                fl_view view = {.network = network,
                                .order = order,
                                .scope = router->scope,
                                .holds_until = FL_NEVER_FAILS};
                fl_walk_result result;
                if (a == b)
                    continue;
                search(network, a, NULL, s.distance, s.queue);
                fl_address from = network->type->node_address(network, a),
                           to = network->type->node_address(network, b);
                cr_assert(fl_walk(router, &view, from, to, NULL, NULL, &result, NULL) == FL_OK &&
                              result.delivered,
                          "%s", network->spec);
                cr_assert(result.length == s.distance[b], "%s: %d to %d takes %u, not %u",
                          network->spec, (int)a, (int)b, result.length, s.distance[b]);
            }
        fl_router_destroy(router);
        fl_order_destroy(order);
        free_searcher(&s);
        fl_network_destroy(network);
    }
}

/* ---- success ratios, by counting every fault set ---- */

typedef struct set_counts {
    uint64_t delivered[3]; /* table, limit, minimal-limit */
    uint64_t lengths[3];
    uint64_t trials;
} set_counts;

static void count_set(set_counts *c, const fl_router *router, fl_order *order, searcher *s,
                      uint32_t *fault_free)
{
    const fl_network *network = router->network;
    fl_order_forget(order);
    for (uint64_t a = 0; a < network->nodes; a++) {
        search(network, a, NULL, fault_free, s->queue);
        for (uint64_t b = 0; b < network->nodes; b++) {
            fl_view view = {.network = network,
                            .order = order,
                            .scope = router->scope,
                            .holds_until = FL_NEVER_FAILS};
            fl_walk_result result;
            if (a == b)
                continue;
            fl_address ends[2] = {network->type->node_address(network, a),
                                  network->type->node_address(network, b)};
            cr_assert(fl_walk(router, &view, ends[0], ends[1], NULL, NULL, &result, NULL) == FL_OK);
            search(network, a, s->down, s->distance, s->queue);
            uint32_t lengths[3] = {result.delivered ? result.length : UINT32_MAX, s->distance[b],
                                   s->distance[b] == fault_free[b] ? s->distance[b] : UINT32_MAX};
            for (int i = 0; i < 3; i++) {
                c->delivered[i] += lengths[i] != UINT32_MAX;
                c->lengths[i] += lengths[i] != UINT32_MAX ? lengths[i] : 0;
            }
            c->trials++;
        }
    }
}

static void count_sets(set_counts *c, const fl_router *router, fl_order *order, searcher *s,
                       uint32_t *fault_free, uint64_t first, unsigned left)
{
    if (left == 0) {
        count_set(c, router, order, s, fault_free);
        return;
    }
    for (uint64_t link = first; link < router->network->links; link++) {
        s->down[link] = true;
        count_sets(c, router, order, s, fault_free, link + 1, left - 1);
        s->down[link] = false;
    }
}

static const char *const small_specs[] = {"la:p=2,net=mesh:k=2,n=1,p=2", "nd:p=2,net=mesh:k=3,n=1",
                                          "pnd:p=2,net=torus:k=3,n=1", "pp:p=2,net=clique:m=2,r=2",
                                          "pla:p=2,net=mesh:k=3,n=1"};
enum { SMALL = sizeof small_specs / sizeof *small_specs, FAULTS = 2 };

static void expect_exact(const fl_bound_sweep *bound, unsigned router, const set_counts *truth)
{
    fl_exact_point point = {0};
    fl_exact_curve curve = {.points = &point};
    fl_error error = {.text = ""};
    cr_assert(fl_exact_run(bound, router, &(fl_exact_options){.states_max = 1000000, .threads = 1},
                           &curve, &error) == FL_OK,
              "%s", error.text);
    double ratio = (double)truth->delivered[router] / (double)truth->trials;
    cr_expect(
        fabs(point.success_low - ratio) < 1e-12 && point.success_high - point.success_low < 1e-12,
        "%s, router %u: %.15g, not %.15g", bound->network->spec, router, point.success_low, ratio);
    double length = (double)truth->lengths[router] / (double)truth->delivered[router];
    if (point.has_length)
        cr_expect(point.length_low < length + 1e-9 && point.length_high > length - 1e-9,
                  "%s, router %u: %.15g, not in %.15g to %.15g", bound->network->spec, router,
                  length, point.length_low, point.length_high);
    if (bound->routers[router]->type->limit == FL_NO_LIMIT)
        cr_expect(point.has_length && point.length_high - point.length_low < 1e-9,
                  "%s, router %u: %.15g to %.15g", bound->network->spec, router, point.length_low,
                  point.length_high);
}

/* False alarms: about one in 10^6 for each of the numbers. */
static void expect_sampled(const fl_experiment *experiment, const set_counts *truth)
{
    const fl_bound_sweep *bound = &experiment->bound[0];
    enum { TRIALS = 20000 };
    fl_sweep sweep = {.network = bound->network,
                      .model = bound->model,
                      .routers = bound->routers,
                      .router_count = 3,
                      .seed = 3,
                      .trials = TRIALS,
                      .threads = 1};
    fl_counts *counts = fl_counts_create(3, 1);
    cr_assert(counts && fl_sweep_run(&sweep, counts, NULL) == FL_OK);
    for (unsigned r = 0; r < 3; r++) {
        double ratio = (double)truth->delivered[r] / (double)truth->trials;
        cr_expect(binomial_p_value(counts->of[r].delivered, TRIALS, ratio) > 1e-6,
                  "%s, router %u: %llu of %d, expected %f", bound->network->spec, r,
                  (unsigned long long)counts->of[r].delivered, TRIALS, ratio);
    }
    fl_counts_destroy(counts);
}

static void count_network(const char *spec, unsigned faults)
{
    char text[600];
    fl_experiment *experiment;
    fl_error error = {.text = ""};
    snprintf(
        text, sizeof text,
        "{\"topology\": \"%s\", \"routers\": [\"table\", \"limit\", \"minimal-limit\"], \"faults\": %u}",
        spec, faults);
    cr_assert(fl_experiment_parse(&experiment, text, strlen(text), "test", &error) == FL_OK, "%s",
              error.text);
    const fl_bound_sweep *bound = &experiment->bound[0];
    searcher s = need_searcher(bound->network);
    uint32_t *fault_free =
        need_memory(bound->network->nodes + bound->network->switches, sizeof *fault_free);
    set_counts truth = {{0}, {0}, 0};
    fl_order *order;
    cr_assert(fl_order_create_custom(&order, bound->network, answer, &s, NULL) == FL_OK);
    count_sets(&truth, bound->routers[0], order, &s, fault_free, 0, faults);
    for (unsigned r = 0; r < 3; r++)
        expect_exact(bound, r, &truth);
    expect_sampled(experiment, &truth);
    fl_order_destroy(order);
    free(fault_free);
    free_searcher(&s);
    fl_experiment_destroy(experiment);
}

Test(multiport, success_ratios_are_those_of_all_fault_sets)
{
    for (size_t i = 0; i < SMALL; i++)
        for (unsigned faults = 1; faults <= FAULTS; faults++)
            count_network(small_specs[i], faults);
}

/* ---- deadlock ---- */

Test(multiport, proofs_agree_with_following_all_pairs)
{
    static const struct {
        const char *spec;
        bool free;
    } cases[] = {{"la:p=2,net=star:r=4", true},
                 {"nd:p=2,net=torus:k=5,n=1", false},
                 {"pp:p=3,net=clique:m=3,r=5", true},
                 {"la:p=2,net=torus:k=6,n=1,p=2", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fl_network *network = need_network(cases[i].spec);
        fl_router *router = need_router(network, "table", FL_SCOPE_LOCAL);
        fl_fault_model *model =
            need_model(network, "links", &(fl_axis){.fault_points = 1, .counts = &(uint64_t){0}});
        fl_deadlock_result result;
        fl_proof proof;
        fl_error error = {.text = ""};
        cr_assert(fl_deadlock_check(&result, router, model, 0, NULL, &error) == FL_OK, "%s",
                  error.text);
        cr_assert(fl_router_prove(&proof, router, model, &(fl_proof_options){.seek = true},
                                  &error) == FL_OK,
                  "%s", error.text);
        cr_expect((result.cyclic == 0) == cases[i].free && proof.deadlock_free == cases[i].free,
                  "%s", network->spec);
        cr_expect(proof.livelock_free && proof.length_bound >= 3, "%s: %d", network->spec,
                  (int)proof.length_bound);
        fl_deadlock_witness_destroy(result.witness);
        fl_proof_clear(&proof);
        fl_fault_model_destroy(model);
        fl_router_destroy(router);
        fl_network_destroy(network);
    }
}

/* ---- names, and what is refused ---- */

Test(multiport, bad_specs_are_refused_with_the_reason)
{
    static const struct {
        const char *spec, *names;
    } bad[] = {{"pp:p=7,net=torus:k=4,n=2,p=7", "prime power"},
               {"pp:p=11,net=torus:k=4,n=2,p=7", "p=11"},
               {"pp:p=5,net=mesh:k=2,n=2", "5 groups"},
               {"la:p=1,net=star:r=3", "p=1"},
               {"la:net=star:r=3", "needs p"},
               {"la:p=2", "net="},
               {"la:p=2,net=", "net="},
               {"la", "net="},
               {"nd:p=2,net=stra:r=3", "'star'"},
               {"nd:p=2,net=star:r=0", "r=0"},
               {"nd:p=2,q=3,net=star:r=3", "'q'"},
               {"nd:net=mesh:k=2,n=2,p=2", "needs p"},
               {"nd:p=2,net=nd:p=2,net=star:r=3", "several ports already"},
               {"la:p=2,net=kns:k=4,n=2,s=2,sub=ruft", "one way"},
               {"pla:p=2,steps=x,net=star:r=3", "steps=x"},
               {"pnd:p=65,net=star:r=3", "p=65"},
               {"la:p=40,net=clique:m=2,r=4000", "159961 ports"},
               {"pnd:p=2,net=random:n=100000,m=20000,r=10", "steps=0"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fl_network *network = NULL;
        fl_error error = {.text = ""};
        expect_refused(fl_network_create(&network, bad[i].spec, &error), &error, bad[i].spec,
                       bad[i].names);
    }
}

Test(multiport, labels_and_links_are_read_as_they_are_written)
{
    fl_network *la = need_network("la:p=3,net=mesh:k=3,n=1"),
               *nd = need_network("nd:p=3,net=mesh:k=3,n=1");
    fl_address address;
    fl_link link;
    fl_error error = {.text = ""};
    cr_expect(nd->type->parse_label(nd, "<s2^1>", &address) &&
              nd->type->switch_index(nd, address) == 5);
    static const char *const wrong[] = {"<s2>",  "<s3^1>",  "<s2^3>", "<h3>", "<h>", "<h01>",
                                        "<s2^1", "<s2^1>x", "<2>",    "h1",   ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect(!nd->type->parse_label(nd, wrong[i], &address), "%s", wrong[i]);
    cr_expect(la->type->parse_label(la, "<s2>", &address) &&
              !la->type->parse_label(la, "<s2^0>", &address));
    cr_expect(fl_network_parse_link(nd, "<h1>-<s1^2>", &link, &error) == FL_OK &&
              nd->type->link_index(nd, link) == 5);
    cr_expect(fl_network_parse_link(nd, "<s0^1> <s1^1>", &link, &error) == FL_OK);
    expect_refused(fl_network_parse_link(nd, "<h1>-<s0^2>", &link, &error), &error, "not linked",
                   "<s1^0>, <s1^1>, <s1^2>");
    expect_refused(fl_network_parse_link(la, "<h1>-<s1>", &link, &error), &error, "parallel links",
                   "3, 4, 5");
    expect_refused(fl_network_parse_link(la, "<s1>-<h1>", &link, &error), &error, "parallel links",
                   "3, 4, 5");
    cr_expect(fl_network_parse_link(la, "4", &link, &error) == FL_OK && link == 4);
    for (int parallel = 0; parallel < 2; parallel++)
        for (uint64_t i = 0; i < (parallel ? la : nd)->links; i++) {
            const fl_network *network = parallel ? la : nd;
            fl_text text = {0};
            fl_network_append_link(network, network->type->link_code(network, i), &text);
            cr_assert(fl_network_parse_link(network, text.data, &link, &error) == FL_OK, "%s",
                      text.data);
            cr_expect(network->type->link_index(network, link) == i, "%s", text.data);
            fl_text_clear(&text);
        }
    fl_network_destroy(la);
    fl_network_destroy(nd);
}

/* As plug-ins' routers, behind the guard that checks every answer: one that leaves nodes, and one
 * that does not declare it. */
Test(multiport, routers_of_plug_ins_are_asked_at_nodes_if_they_say_so)
{
    extern const fl_router_type fl_router_table;
    static fl_router_type leaving, staying;
    leaving = staying = fl_router_table;
    leaving.name = "leaving";
    staying.name = "staying";
    leaving.base = staying.base = staying.leaves_nodes = false;
    fl_router_types_add((const fl_router_type *[]){&leaving, &staying, NULL}, "a test");
    fl_network *network = need_network("pnd:p=2,net=torus:k=3,n=2"),
               *single = need_network("torus:k=3,n=2");
    fl_router *router = NULL;
    fl_error error = {.text = ""};
    expect_refused(fl_router_create(&router, network, "staying", FL_SCOPE_LOCAL, &error), &error,
                   "staying", "only link");
    fl_router_destroy(need_router(single, "staying", FL_SCOPE_LOCAL));
    router = need_router(network, "leaving", FL_SCOPE_LOCAL);
    searcher s = need_searcher(network);
    fl_order *order;
    fl_rng rng;
    fl_rng_seed_raw(&rng, 1, 8);
    cr_assert(fl_order_create_custom(&order, network, answer, &s, NULL) == FL_OK);
    for (unsigned round = 0; round < 20; round++) {
        for (uint64_t link = 0; link < network->links; link++)
            s.down[link] = fl_rng_below32(&rng, 100) < 4 * round;
        fl_order_forget(order);
        for (uint64_t node = 1; node < network->nodes; node++)
            compare_walk(router, order, &s, 0, node);
    }
    fl_order_destroy(order);
    free_searcher(&s);
    fl_router_destroy(router);
    fl_network_destroy(single);
    fl_network_destroy(network);
}

Test(multiport, routers_that_leave_by_the_only_link_are_refused)
{
    fl_network *network = need_network("nd:p=2,net=mikant:k=2,n=2");
    for (size_t i = 0; fl_router_types[i]; i++) {
        fl_router *router = NULL;
        fl_error error = {.text = ""};
        bool good = fl_router_types[i]->leaves_nodes || fl_router_types[i]->limit;
        good |= strcmp(fl_router_types[i]->name, "shortest") == 0;
        fl_status status =
            fl_router_create(&router, network, fl_router_types[i]->name, FL_SCOPE_LOCAL, &error);
        cr_expect((status == FL_OK) == good, "%s: %s", fl_router_types[i]->name, error.text);
        fl_router_destroy(router);
    }
    fl_network_destroy(network);
}
