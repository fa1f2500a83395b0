/* One packet traced, sets of faults, and drawings of networks. */
#include "plots/drawings/layout.h"
#include "plots/drawings/page.h"
#include "tests/support.h"

#include <cairo/cairo.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern const fl_network_type
    fl_network_ring; /* docs/skeletons/network.c: a network that is not a tree */

/* ---- sets of faults ---- */

static fl_fault_set need_set(const fl_network *network, const char *spec, uint64_t count,
                             uint64_t seed, uint64_t trial)
{
    fl_axis axis = {.fault_points = 1, .counts = &count};
    fl_fault_model *model = need_model(network, spec, &axis);
    fl_fault_set set;
    fl_error error = {.text = ""};
    cr_assert(fl_fault_set_draw(&set, network, model, 0, seed, trial, &error) == FL_OK, "%s",
              error.text);
    fl_fault_model_destroy(model);
    return set;
}

Test(fault_set, it_holds_as_many_links_as_fail_and_they_rise)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    for (uint64_t count = 0; count <= network->links; count += 9) {
        fl_fault_set set = need_set(network, "links", count, 1, count);
        cr_expect(set.count == count, "%d of %d", (int)set.count, (int)count);
        for (uint64_t i = 0; i < set.count; i++)
            cr_expect((i == 0 || set.links[i - 1] < set.links[i]) &&
                          fl_fault_set_holds(&set, set.links[i]),
                      "link %d", (int)i);
        fl_fault_set_clear(&set);
    }
    fl_network_destroy(network);
}

Test(fault_set, a_switch_takes_its_links_along)
{
    fl_network *network = need_network("kary-ntree:k=4,n=3");
    fl_fault_set set = need_set(network, "switches", 1, 5, 0);
    cr_expect(set.count == 8 || set.count == 4, "8 links, or 4 at the top: %d", (int)set.count);
    fl_fault_set_clear(&set);
    fl_network_destroy(network);
}

/* False alarms: 1e-4 for a new seed. */
Test(fault_set, every_link_is_as_likely_as_every_other)
{
    fl_network *network = need_network("mikant:k=2,n=3");
    uint64_t failed[64] = {0};
    for (uint64_t trial = 0; trial < 20000; trial++) {
        fl_fault_set set = need_set(network, "links", 1, 3, trial);
        failed[network->type->link_index(network, set.links[0])]++;
        fl_fault_set_clear(&set);
    }
    cr_expect(uniform_p_value(failed, network->links) > 1e-4, "uniform");
    fl_network_destroy(network);
}

Test(fault_set, a_list_is_read_from_labels_and_numbers)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_fault_set set;
    fl_error error = {.text = ""};
    cr_assert(fl_fault_set_parse(&set, network, "112; <0,000>-<0,0,00>", &error) == FL_OK, "%s",
              error.text);
    cr_expect(set.count == 2, "two links");
    cr_expect(fl_fault_set_holds(&set, network->type->link_code(network, 112)) &&
                  fl_fault_set_holds(&set, network->type->link_code(network, 0)),
              "these");
    cr_expect(!fl_fault_set_holds(&set, network->type->link_code(network, 1)), "and no other");
    fl_fault_set_clear(&set);
    expect_refused(fl_fault_set_parse(&set, network, "112;112", &error), &error,
                   "a link that stands twice", "twice");
    expect_refused(fl_fault_set_parse(&set, network, "nonsense", &error), &error, "no link",
                   "<0,0,00>-<0,1,00>");
    expect_refused(fl_fault_set_parse(&set, network, "", &error), &error, "an empty list",
                   "no link");
    fl_network_destroy(network);
}

Test(nodes, a_node_is_found_by_label_and_number_and_nothing_else_is_one)
{
    fl_network *network = need_network("kary-ntree:k=4,n=3");
    for (uint64_t i = 0; i < network->nodes; i++) {
        char label[FL_LABEL_MAX], number[24];
        fl_address at = network->type->node_address(network, i), found = 0;
        network->type->label(network, at, label, sizeof label);
        snprintf(number, sizeof number, "%d", (int)i);
        cr_expect(fl_network_parse_node(network, label, &found, NULL) == FL_OK && found == at, "%s",
                  label);
        cr_expect(fl_network_parse_node(network, number, &found, NULL) == FL_OK && found == at,
                  "%s", number);
    }
    static const char *const wrong[] = {"<400>", "64", "", "<00>", "nonsense", "<000", "-1"};
    fl_address found;
    fl_error error = {.text = ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refused(fl_network_parse_node(network, wrong[i], &found, &error), &error, wrong[i],
                       "<000> to <333>");
    expect_refused(fl_network_parse_node(network, "<0,00>", &found, &error), &error, "a switch",
                   "a switch");
    fl_network_destroy(network);
}

/* ---- traces ---- */

/* Distances by relaxing every link until nothing changes: slow, and independent of the search. */
static uint32_t slow_distance(const fl_network *network, const fl_fault_set *faults,
                              fl_address from, fl_address to)
{
    uint64_t vertices = network->nodes + network->switches;
    uint32_t *distance = need_memory(vertices, sizeof *distance);
    for (uint64_t v = 0; v < vertices; v++)
        distance[v] = UINT32_MAX - 1;
    distance[network->type->node_index(network, from)] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t i = 0; i < network->links; i++) {
            fl_link link = network->type->link_code(network, i);
            fl_link_ends ends;
            if (fl_fault_set_holds(faults, link))
                continue;
            network->type->link_ends(network, link, &ends);
            uint64_t a = fl_address_is_node(ends.a)
                             ? network->type->node_index(network, ends.a)
                             : network->nodes + network->type->switch_index(network, ends.a);
            uint64_t b = network->nodes + network->type->switch_index(network, ends.b);
            if (distance[a] + 1 < distance[b])
                distance[b] = distance[a] + 1, changed = true;
            if (distance[b] + 1 < distance[a])
                distance[a] = distance[b] + 1, changed = true;
        }
    }
    uint32_t found = distance[network->type->node_index(network, to)];
    free(distance);
    return found == UINT32_MAX - 1 ? UINT32_MAX : found;
}

static void check_hops(const fl_trace *t)
{
    const fl_network *network = t->router->network;
    fl_address at = t->source;
    uint32_t asked = 0;
    for (uint32_t i = 0; i < t->result.hops; i++) {
        const fl_traced_hop *hop = &t->hops[i];
        fl_hop step;
        bool seen_up = false;
        cr_assert(hop->from == at && fl_network_step(network, at, hop->port, &step) &&
                      step.to == hop->to && step.link == hop->link,
                  "hop %u", i);
        cr_assert(!fl_fault_set_holds(t->faults, hop->link), "hop %u goes over a link that is up",
                  i);
        cr_assert(hop->first_question == asked, "questions in order");
        for (uint32_t q = asked; q < asked + hop->questions; q++)
            seen_up |= t->questions[q].link == hop->link && t->questions[q].up;
        cr_assert(seen_up, "hop %u was asked about", i);
        cr_assert(!hop->avoids || fl_fault_set_holds(t->faults, hop->avoided),
                  "what is avoided is down");
        cr_assert((hop->rule != FL_NO_RULE && hop->turn == 0) == hop->avoids,
                  "every detour has a reason");
        asked += hop->questions;
        at = hop->to;
    }
    cr_assert(asked + (t->result.delivered ? 0 : t->blocked_questions) == t->question_count,
              "every question belongs to a hop or to the end");
    cr_assert(t->result.delivered ? at == t->destination : at == t->blocked_at, "the end");
}

static void check_answers(const fl_trace *t)
{
    fl_link_ends ends;
    for (uint32_t q = 0; q < t->question_count; q++)
        cr_assert(t->questions[q].up == !fl_fault_set_holds(t->faults, t->questions[q].link),
                  "answer %u", q);
    if (t->result.delivered)
        return;
    cr_assert(t->has_blocking && fl_fault_set_holds(t->faults, t->blocking),
              "the blocking link is down");
    t->router->network->type->link_ends(t->router->network, t->blocking, &ends);
    cr_assert(ends.a == t->blocked_at || ends.b == t->blocked_at, "and belongs to the place");
}

static void check_shortest(const fl_trace *t)
{
    const fl_network *network = t->router->network;
    fl_fault_set none = {0};
    cr_assert(t->searched && t->shortest_length ==
                                 slow_distance(network, t->faults, t->source, t->destination),
              "the shortest path");
    cr_assert(t->shortest_without_faults ==
                  slow_distance(network, &none, t->source, t->destination),
              "without faults");
    cr_assert(!t->result.delivered || t->result.length >= t->shortest_length,
              "no path is shorter than the shortest");
    for (uint32_t i = 0; t->shortest && i < t->shortest_length; i++) {
        fl_link_ends ends;
        network->type->link_ends(network, t->shortest_links[i], &ends);
        bool forth = ends.a == t->shortest[i] && ends.b == t->shortest[i + 1],
             back = ends.b == t->shortest[i] && ends.a == t->shortest[i + 1];
        cr_assert((forth || back) && !fl_fault_set_holds(t->faults, t->shortest_links[i]),
                  "link %u of it", i);
        cr_assert(t->result.length != t->shortest_length || !t->result.delivered ||
                      t->hops[i].to == t->shortest[i + 1],
                  "where the path taken is a shortest one, it is that one");
    }
}

static void trace_at_random(const char *spec, const char *name, fl_scope scope)
{
    fl_network *network = need_network(spec);
    fl_router *router = need_router(network, name, scope);
    fl_rng rng;
    fl_rng_seed_raw(&rng, 11, 0);
    for (uint64_t trial = 0; trial < TEST_ROUNDS(200); trial++) {
        fl_fault_set set =
            need_set(network, "links", fl_rng_below(&rng, network->links / 2), 9, trial);
        uint64_t s = fl_rng_below(&rng, network->nodes),
                 d = (s + 1 + fl_rng_below(&rng, network->nodes - 1)) % network->nodes;
        fl_trace *trace;
        fl_error error = {.text = ""};
        cr_assert(fl_trace_packet(&trace, router, &set, network->type->node_address(network, s),
                                  network->type->node_address(network, d), &error) == FL_OK,
                  "%s", error.text);
        check_hops(trace);
        check_answers(trace);
        check_shortest(trace);
        fl_trace_destroy(trace);
        fl_fault_set_clear(&set);
    }
    fl_router_destroy(router);
    fl_network_destroy(network);
}

Test(trace, what_it_reports_is_true_whatever_fails)
{
    trace_at_random("mikant:k=3,n=3", "shortest", FL_SCOPE_DETOUR);
    trace_at_random("mikant:k=3,n=3", "gns+three-turn+x-turns+gdl", FL_SCOPE_DETOUR);
    trace_at_random("mikant:k=3,n=3", "gns+x-turns+gdl", FL_SCOPE_LOCAL);
    trace_at_random("kary-ntree:k=3,n=3", "adaptive-up+gns+gdl", FL_SCOPE_DETOUR);
    trace_at_random("kary-ntree:k=3,n=3", "gns+gdl", FL_SCOPE_LOCAL);
    trace_at_random("mikant:k=3,n=1", "shortest", FL_SCOPE_DETOUR);
}

Test(trace, a_packet_to_its_own_node_is_refused)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_router *router = need_router(network, "shortest", FL_SCOPE_DETOUR);
    fl_fault_set none = {0};
    fl_trace *trace;
    fl_error error = {.text = ""};
    fl_address node = network->type->node_address(network, 0);
    expect_refused(fl_trace_packet(&trace, router, &none, node, node, &error), &error, "one node",
                   "same node");
    fl_router_destroy(router);
    fl_network_destroy(network);
}

/* ---- layouts ---- */

static fl_layout *need_layout(const fl_drawing *drawing)
{
    fl_layout *layout = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_layout_create(&layout, drawing, &error) == FL_OK, "%s: %s", drawing->network->spec,
              error.text);
    return layout;
}

static void check_places(const fl_layout *layout)
{
    for (uint32_t i = 0; i < layout->vertex_count; i++) {
        const fl_vertex *a = &layout->vertices[i];
        cr_assert(isfinite(a->middle.x) && isfinite(a->middle.y) && a->half_width > 0 &&
                      a->half_height > 0,
                  "%s is placed", a->label);
        cr_assert(a->middle.x - a->half_width >= layout->left - 1e-6 &&
                      a->middle.x + a->half_width <= layout->right + 1e-6 &&
                      a->middle.y - a->half_height >= layout->top - 1e-6 &&
                      a->middle.y + a->half_height <= layout->bottom + 1e-6,
                  "%s: %s is inside", layout->network->spec, a->label);
        for (uint32_t j = 0; j < i; j++) {
            const fl_vertex *b = &layout->vertices[j];
            bool apart = fabs(a->middle.x - b->middle.x) > a->half_width + b->half_width ||
                         fabs(a->middle.y - b->middle.y) > a->half_height + b->half_height;
            cr_assert(apart, "%s: %s lies on %s", layout->network->spec, a->label, b->label);
        }
    }
}

static void check_edges(const fl_layout *layout)
{
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        const fl_edge *edge = &layout->edges[i];
        const fl_point at[2] = {edge->from, edge->to};
        const fl_vertex *ends[2] = {&layout->vertices[edge->a], &layout->vertices[edge->b]};
        cr_assert(fl_layout_find_edge(layout, edge->link) == i, "edge %u is found", i);
        for (int end = 0; end < 2; end++)
            cr_assert(fabs(at[end].x - ends[end]->middle.x) <= ends[end]->half_width + 1e-6 &&
                          fabs(at[end].y - ends[end]->middle.y) <= ends[end]->half_height + 1e-6,
                      "a link meets %s", ends[end]->label);
    }
}

static void check_complete(const fl_network *network)
{
    fl_layout *layout = need_layout(&(fl_drawing){.network = network, .extent = FL_EXTENT_ALL});
    cr_expect(layout->vertex_count == network->nodes + network->switches &&
                  layout->edge_count == network->links && !layout->part,
              "%s: %u vertices, %u links", network->spec, layout->vertex_count, layout->edge_count);
    check_places(layout);
    check_edges(layout);
    fl_layout_destroy(layout);
}

Test(layout, every_vertex_of_a_tree_has_a_place_of_its_own)
{
    static const char *const specs[] = {
        "mikant:k=3,n=3",      "kary-ntree:k=4,n=3", "mikant:k=3,n=1",     "mikant:k=4,n=2",
        "kary-ntree:k=5,n=1",  "mikant:k=2,n=6",     "kary-ntree:k=2,n=6", "mikant:k=12,n=2",
        "kary-ntree:k=16,n=2", "mikant:k=3,n=4"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fl_network *network = need_network(specs[i]);
        check_complete(network);
        fl_network_destroy(network);
    }
}

static fl_network *need_ring(fl_network_type *type, uint64_t k)
{
    fl_network *ring = need_memory(1, sizeof *ring);
    *ring = (fl_network){.type = type, .step = type->step, .node_ports = 1, .values = {k}};
    snprintf(ring->spec, sizeof ring->spec, "ring:k=%d", (int)k);
    cr_assert(type->create(ring, ring->values, NULL) == FL_OK, "a ring");
    return ring;
}

static void on_a_line(const fl_network *network, fl_address at, double *x, double *y)
{
    (void)network;
    *x = (double)at;
    *y = 0;
}

Test(layout, every_vertex_of_another_network_has_a_place_of_its_own)
{
    fl_network_type type = fl_network_ring;
    for (int placed = 0; placed < 2; placed++) {
        type.place = placed ? on_a_line : NULL;
        for (uint64_t k = 3; k <= 40; k += 7) {
            fl_network *ring = need_ring(&type, k);
            check_complete(ring);
            free(ring);
        }
    }
}

/* Straight links that cross no vertex, and the switches of a cube the lower the farther they are
 * from the tree. */
Test(layout, cubes_hang_from_their_trees)
{
    static const char *const specs[] = {"cat:k=2,n=2",  "cat:k=3,n=2",   "cat:k=4,n=1",
                                        "cat:k=3,n=3",  "micat:k=2,n=2", "micat:k=3,n=2",
                                        "micat:k=2,n=3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fl_network *network = need_network(specs[i]);
        check_complete(network);
        fl_layout *layout = need_layout(&(fl_drawing){.network = network, .extent = FL_EXTENT_ALL});
        for (uint32_t w = 0; w < layout->edge_count; w++) {
            const fl_edge *edge = &layout->edges[w];
            const fl_vertex *far = &layout->vertices[edge->a], *near = &layout->vertices[edge->b];
            double down = fl_tree_group(far->at) ? near->middle.y - far->middle.y
                                                 : far->middle.y - near->middle.y;
            bool in_cube = network->type->link_class(network, edge->link) == 1;
            cr_expect(edge->bend == 0, "%s: %s to %s is bent", specs[i], far->label, near->label);
            if (in_cube) /* one bit of the corner differs, and no other of the address */
                cr_expect((down > 0) == (far->at > near->at), "%s: %s to %s", specs[i], far->label,
                          near->label);
        }
        fl_layout_destroy(layout);
        fl_network_destroy(network);
    }
}

Test(layout, a_link_that_would_run_over_switches_goes_round)
{
    fl_network_type type = fl_network_ring;
    type.place = on_a_line;
    fl_network *ring = need_ring(&type, 6);
    fl_layout *layout = need_layout(&(fl_drawing){.network = ring, .extent = FL_EXTENT_ALL});
    for (uint32_t i = 0; i < layout->edge_count; i++)
        cr_expect((fabs(layout->edges[i].bend) > 1) == (layout->edges[i].link == 11),
                  "only the link from the last to the first is bent");
    fl_layout_destroy(layout);
    free(ring);
}

Test(layout, grids_and_other_networks_of_the_sources_keep_their_vertices_apart)
{
    static const char *const specs[] = {"mesh:k=5,n=1",
                                        "mesh:k=7,n=2,p=3",
                                        "mesh:k=4,n=3",
                                        "mesh:k=2,n=7",
                                        "torus:k=5,n=1",
                                        "torus:k=8,n=2",
                                        "torus:k=3,n=4",
                                        "torus:k=3,n=5",
                                        "fbfly:k=5,n=2,p=2",
                                        "fbfly:k=3,n=3,p=1",
                                        "hypercube:k=1",
                                        "hypercube:k=6",
                                        "hypercube:k=8",
                                        "clique:m=5,r=6",
                                        "xyclique:m=9,r=6",
                                        "kns:k=6,n=1",
                                        "kns:k=5,n=2,p=4",
                                        "kns:k=4,n=3",
                                        "kns:k=4,n=2,s=2,sub=fattree",
                                        "dragonfly:a=1,h=4,p=1",
                                        "dragonfly:a=4",
                                        "dragonfly:a=6,h=1,p=2",
                                        "wk:K=2,L=4,r=3",
                                        "wk:K=5,L=3,r=6",
                                        "biclique:m1=9,m2=2,r=11",
                                        "biclique:m1=1,m2=1,r=3",
                                        "star:r=5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fl_network *network = need_network(specs[i]);
        check_complete(network);
        fl_network_destroy(network);
    }
}

static unsigned count_bent(const char *spec)
{
    fl_network *network = need_network(spec);
    fl_layout *layout = need_layout(&(fl_drawing){.network = network, .extent = FL_EXTENT_ALL});
    unsigned bent = 0;
    for (uint32_t i = 0; i < layout->edge_count; i++)
        bent += fabs(layout->edges[i].bend) > 1;
    fl_layout_destroy(layout);
    fl_network_destroy(network);
    return bent;
}

Test(layout, a_grid_has_straight_lines_and_bows_round_its_rings)
{
    cr_expect(count_bent("mesh:k=5,n=2") == 0 && count_bent("mesh:k=3,n=3") == 0 &&
                  count_bent("hypercube:k=3") == 0,
              "meshes");
    cr_expect(count_bent("torus:k=4,n=2") == 8, "a bow for every row and column: %u",
              count_bent("torus:k=4,n=2"));
    cr_expect(count_bent("torus:k=6,n=1") == 0 && count_bent("clique:m=5,r=6") == 0,
              "a ring and a clique are on a circle");
    cr_expect(count_bent("kns:k=3,n=2") == 0, "crossbars stand beside their lines");
}

Test(layout, of_a_part_of_a_grid_the_empty_columns_are_closed)
{
    fl_network_type type = fl_network_ring;
    type.place = on_a_line;
    fl_network *ring = need_ring(&type, 1000);
    fl_link named[] = {1000 + 10, 1000 + 500}; /* switches 10, 11, 500 and 501 */
    fl_layout *layout = need_layout(&(fl_drawing){
        .network = ring, .nearby = named, .nearby_count = 2, .extent = FL_EXTENT_PART});
    check_places(layout);
    const fl_vertex *vertices = layout->vertices;
    double step = vertices[1].middle.x - vertices[0].middle.x;
    cr_expect(layout->vertex_count == 4 &&
                  fabs(vertices[2].middle.x - vertices[1].middle.x - 1.5 * step) < 1e-6 &&
                  fabs(vertices[3].middle.x - vertices[2].middle.x - step) < 1e-6,
              "a gap of half a column instead of 488 columns");
    fl_layout_destroy(layout);
    free(ring);
}

Test(layout, other_networks_are_in_columns_by_distance_from_the_nodes_if_that_differs)
{
    /* Nodes 0 and 4 of a ring of 9: the switches in between are farther away. */
    fl_network_type type = fl_network_ring;
    fl_network *ring = need_ring(&type, 9);
    fl_link named[] = {0, 4, 9 + 0, 9 + 1, 9 + 2, 9 + 3};
    fl_layout *layout = need_layout(&(fl_drawing){
        .network = ring, .nearby = named, .nearby_count = 6, .extent = FL_EXTENT_PART});
    check_places(layout);
    check_edges(layout);
    static const double columns[] = {1, 2, 3, 2, 1};
    const fl_vertex *vertices = layout->vertices; /* switches 0 to 4, then the two nodes */
    double step = vertices[1].middle.x - vertices[0].middle.x;
    cr_assert(layout->vertex_count == 7 && step > 0, "seven vertices");
    for (int i = 0; i < 5; i++)
        cr_expect(fabs(vertices[i].middle.x - vertices[0].middle.x - (columns[i] - 1) * step) <
                      1e-6,
                  "switch %d", i);
    cr_expect(vertices[5].node && vertices[5].middle.x < vertices[0].middle.x,
              "nodes are left of all");
    fl_layout_destroy(layout);
    free(ring);
}

Test(layout, faulty_links_are_marked_and_no_others)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_fault_set set = need_set(network, "links", 40, 1, 1);
    fl_layout *layout = need_layout(
        &(fl_drawing){.network = network, .faulty = set.links, .faulty_count = set.count});
    uint32_t faulty = 0;
    for (uint32_t i = 0; i < layout->edge_count; i++) {
        cr_expect(layout->edges[i].faulty == fl_fault_set_holds(&set, layout->edges[i].link),
                  "link %u", i);
        faulty += layout->edges[i].faulty;
    }
    cr_expect(faulty == 40 && layout->faulty_shown == 40, "all 40");
    fl_layout_destroy(layout);
    fl_fault_set_clear(&set);
    fl_network_destroy(network);
}

Test(layout, of_a_large_network_what_is_named_is_shown)
{
    fl_network *network = need_network("mikant:k=4,n=4");
    fl_link named[] = {network->type->link_code(network, 3),
                       network->type->link_code(network, 1600)};
    fl_drawing drawing = {.network = network, .nearby = named, .nearby_count = 2};
    fl_layout *layout = need_layout(&drawing);
    cr_expect(layout->part && layout->vertex_count == 4 && layout->edge_count >= 2 &&
                  layout->dot_count > 0,
              "%u vertices", layout->vertex_count);
    check_places(layout);
    check_edges(layout);
    for (size_t i = 0; i < 2; i++)
        cr_expect(fl_layout_find_edge(layout, named[i]) != UINT32_MAX, "link %zu", i);
    fl_layout_destroy(layout);
    fl_error error = {.text = ""};
    drawing.nearby_count = 0;
    expect_refused(fl_layout_create(&layout, &drawing, &error), &error, "nothing named",
                   "name links");
    fl_network_destroy(network);
    network = need_network("mikant:k=8,n=5");
    drawing = (fl_drawing){.network = network, .extent = FL_EXTENT_ALL};
    expect_refused(fl_layout_create(&layout, &drawing, &error), &error, "a huge network", "room");
    fl_network_destroy(network);
}

Test(layout, a_course_there_is_the_course_back_turned_round)
{
    for (double bend = 0; bend < 60; bend += 25) {
        fl_edge edge = {.from = {1, 2}, .to = {101, 52}, .bend = bend};
        fl_point forth[FL_COURSE_POINTS], back[FL_COURSE_POINTS];
        unsigned count = fl_layout_course(&edge, false, forth);
        cr_expect(fl_layout_course(&edge, true, back) == count, "as many points");
        for (unsigned i = 0; i < count; i++)
            cr_expect(hypot(forth[i].x - back[count - 1 - i].x,
                            forth[i].y - back[count - 1 - i].y) < 1e-9,
                      "point %u", i);
    }
}

/* ---- drawings: the elements of the canvas ---- */

/* The caller clears it. */
static fl_canvas need_canvas(const fl_drawing *drawing)
{
    fl_canvas canvas = {0};
    fl_error error = {.text = ""};
    cr_assert(fl_page_compose(&canvas, drawing, &error) == FL_OK, "%s", error.text);
    cr_assert(canvas.elements.count > 0 && canvas.width > 0 && canvas.height > 0, "a picture");
    return canvas;
}

static const char *text_of(const fl_canvas *canvas, size_t element)
{
    return canvas->elements.data[element].kind == FL_ELEMENT_TEXT
               ? canvas->texts.data + canvas->elements.data[element].text
               : NULL;
}

static size_t count_texts(const fl_canvas *canvas, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < canvas->elements.count; i++)
        count += text_of(canvas, i) && strcmp(text_of(canvas, i), text) == 0;
    return count;
}

static size_t count_dashed(const fl_canvas *canvas)
{
    size_t count = 0;
    for (size_t i = 0; i < canvas->elements.count; i++)
        count += canvas->elements.data[i].pen.dashed;
    return count;
}

static size_t count_filled(const fl_canvas *canvas, fl_element_kind kind, const char *fill)
{
    size_t count = 0;
    for (size_t i = 0; i < canvas->elements.count; i++)
        count += canvas->elements.data[i].kind == kind && canvas->elements.data[i].fill &&
                 strcmp(canvas->elements.data[i].fill, fill) == 0;
    return count;
}

typedef struct rectangle {
    double left, top, right, bottom;
} rectangle;

/* Where a text is seen. */
static rectangle rectangle_of(const fl_canvas *canvas, size_t element)
{
    const fl_element *text = &canvas->elements.data[element];
    fl_point at = canvas->points.data[text->first];
    double width = fl_canvas_text_width(text_of(canvas, element), text->size, text->bold);
    double left = text->anchor == FL_ANCHOR_LEFT     ? at.x
                  : text->anchor == FL_ANCHOR_MIDDLE ? at.x - width / 2
                                                     : at.x - width;
    return (rectangle){left, at.y - 0.42 * text->size, left + width, at.y + 0.42 * text->size};
}

static bool overlap(rectangle a, rectangle b)
{
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

static void check_texts(const fl_canvas *canvas, const char *what)
{
    for (size_t i = 0; i < canvas->elements.count; i++) {
        if (!text_of(canvas, i))
            continue;
        rectangle own = rectangle_of(canvas, i);
        cr_expect(own.left >= 0 && own.top >= 0 && own.right <= canvas->width &&
                      own.bottom <= canvas->height,
                  "%s: '%s' leaves the page", what, text_of(canvas, i));
        for (size_t j = 0; j < i; j++)
            if (text_of(canvas, j))
                cr_expect(!overlap(own, rectangle_of(canvas, j)), "%s: '%s' lies on '%s'", what,
                          text_of(canvas, i), text_of(canvas, j));
    }
}

Test(drawing, every_label_and_every_faulty_link_is_in_the_picture)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_fault_set set = need_set(network, "links", 17, 1, 4);
    fl_drawing drawing = {.network = network,
                          .title = "a < b & \"c\" \xff\x1b",
                          .faulty = set.links,
                          .faulty_count = set.count};
    fl_canvas canvas = need_canvas(&drawing);
    cr_expect(count_dashed(&canvas) == 17 + 1, "17 faulty links and one in the legend: %zu",
              count_dashed(&canvas));
    cr_expect(count_texts(&canvas, "a < b & \"c\" ??") == 1, "the title");
    for (uint64_t i = 0; i < network->nodes + network->switches; i++) {
        char label[FL_LABEL_MAX];
        fl_address at = i < network->nodes
                            ? network->type->node_address(network, i)
                            : network->type->switch_address(network, i - network->nodes);
        network->type->label(network, at, label, sizeof label);
        cr_expect(count_texts(&canvas, label) == 1, "%s", label);
    }
    fl_canvas_clear(&canvas);
    fl_fault_set_clear(&set);
    fl_network_destroy(network);
}

Test(drawing, no_text_lies_on_another_or_leaves_the_page)
{
    static const char *const specs[] = {
        "mikant:k=3,n=3", "kary-ntree:k=4,n=3", "kary-ntree:k=2,n=5", "torus:k=4,n=2",
        "torus:k=4,n=3",  "dragonfly:a=4",      "clos:k=2,n=3",       "cat:k=3,n=2",
        "micat:k=2,n=2",  "hypercube:k=5",      "fbfly:k=4,n=2,p=2",  "kns:k=4,n=2",
        "wk:K=4,L=2,r=5", "star:r=5",           "random:n=12,m=6,r=6"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fl_network *network = need_network(specs[i]);
        fl_drawn_mark marks[] = {{.at = network->type->node_address(network, 0), .word = "source"},
                                 {.at = network->type->node_address(network, network->nodes - 1),
                                  .word = "destination"}};
        fl_canvas canvas = need_canvas(&(fl_drawing){
            .network = network,
            .title = "A title that is so long that it has to be broken into more lines than one, "
                     "WITH CAPITALS, WHICH ARE WIDER THAN MOST LETTERS ARE, AND MMMMMMMMMMMMMM",
            .subtitle = network->spec,
            .caption = "A caption.",
            .marks = marks,
            .mark_count = 2,
            .extent = FL_EXTENT_ALL});
        check_texts(&canvas, specs[i]);
        fl_canvas_clear(&canvas);
        fl_network_destroy(network);
    }
}

Test(drawing, a_cycle_of_channels_is_drawn_with_arrows_and_labels)
{
    fl_network *network = need_network("mikant:k=2,n=3");
    fl_link links[4];
    static const char *const texts[] = {"<0,0,00>-<0,1,00>", "<0,0,01>-<0,1,00>",
                                        "<0,0,01>-<0,1,01>", "<0,0,00>-<0,1,01>"};
    static const char *const from[] = {"<0,0,00>", "<0,1,00>", "<0,0,01>", "<0,1,01>"};
    fl_drawn_step steps[4];
    for (int i = 0; i < 4; i++) {
        cr_assert(fl_network_parse_link(network, texts[i], &links[i], NULL) == FL_OK, "%s",
                  texts[i]);
        steps[i] = (fl_drawn_step){.link = links[i], .label = "vc0"};
        cr_assert(network->type->parse_label(network, from[i], &steps[i].from), "%s", from[i]);
    }
    fl_trail cycle = {
        .name = "cycle", .look = FL_TRAIL_ARROWS, .colour = "#cc79a7", .count = 4, .steps = steps};
    fl_drawing drawing = {.network = network, .trails = &cycle, .trail_count = 1};
    fl_canvas canvas = need_canvas(&drawing);
    cr_expect(count_texts(&canvas, "vc0") == 4, "four channels");
    cr_expect(count_texts(&canvas, "cycle") == 1, "in the legend");
    cr_expect(count_filled(&canvas, FL_ELEMENT_SHAPE, "#cc79a7") == 5,
              "four arrow heads and that of the legend");
    fl_canvas_clear(&canvas);
    fl_error error = {.text = ""};
    steps[2].from = steps[0].from;
    expect_refused(fl_drawing_write(&drawing, "cycle.svg", &error), &error,
                   "a step beside its link", "step 3");
    fl_network_destroy(network);
}

Test(drawing, a_text_is_as_wide_as_its_letters)
{
    static const char *const text = "<0,1,00> W\xc3\xa4i";
    double width = fl_canvas_text_width(text, 12, false);
    cr_expect(fabs(fl_canvas_text_width(text, 24, false) - 2 * width) < 1e-6,
              "it grows with the size");
    cr_expect(fl_canvas_text_width(text, 12, true) > width, "bold is wider");
    cr_expect(fl_canvas_text_width("W", 12, false) > 2 * fl_canvas_text_width("i", 12, false),
              "W and i");
    cr_expect(fabs(fl_canvas_text_width("ab", 12, false) - fl_canvas_text_width("a", 12, false) -
                   fl_canvas_text_width("b", 12, false)) < 1e-6,
              "the sum of its letters");
    cr_expect(fabs(fl_canvas_text_width("\xff\x01", 12, false) -
                   fl_canvas_text_width("??", 12, false)) < 1e-9,
              "what cannot be shown is '?'");
}

/* ---- drawings: files ---- */

static const fl_canvas_format formats[] = {FL_CANVAS_SVG, FL_CANVAS_PDF, FL_CANVAS_PNG};

static fl_text need_file(const fl_canvas *canvas, fl_canvas_format format)
{
    fl_text file = {0};
    fl_error error = {.text = ""};
    cr_assert(fl_canvas_render(canvas, format, "a title \xff", &file, &error) == FL_OK, "%s",
              error.text);
    return file;
}

static bool has_bytes(const fl_text *file, const char *bytes)
{
    size_t length = strlen(bytes);
    for (size_t at = 0; at + length <= file->length; at++)
        if (memcmp(file->data + at, bytes, length) == 0)
            return true;
    return false;
}

static bool has_ends(const fl_text *file, const char *first, const char *last)
{
    size_t head = strlen(first), tail = strlen(last);
    return file->length > head + tail && memcmp(file->data, first, head) == 0 &&
           memcmp(file->data + file->length - tail, last, tail) == 0;
}

static uint32_t big_endian(const fl_text *file, size_t at)
{
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++)
        value = value << 8 | (unsigned char)file->data[at + i];
    return value;
}

/* A dark box left, nothing right, and a text. */
static fl_canvas box_canvas(double width, double height)
{
    fl_canvas canvas = {.width = width, .height = height};
    fl_canvas_box(&canvas, (fl_point){20, 20}, 10, 10, 2, "#102030", (fl_pen){0});
    fl_canvas_text(&canvas, (fl_point){50, 20}, FL_ANCHOR_LEFT, 12, false, "#222222", "text");
    return canvas;
}

Test(drawing, every_format_has_its_head_its_end_and_its_size)
{
    fl_canvas canvas = box_canvas(100, 60);
    fl_text file = need_file(&canvas, FL_CANVAS_SVG);
    cr_expect(has_ends(&file, "<?xml", "</svg>\n") &&
                  has_bytes(&file, "width=\"100px\" height=\"60px\""),
              "SVG: %.300s", file.data);
    fl_text_clear(&file);
    file = need_file(&canvas, FL_CANVAS_PDF);
    cr_expect(has_ends(&file, "%PDF-", "%%EOF\n") && has_bytes(&file, "/MediaBox [ 0 0 75 45 ]") &&
                  has_bytes(&file, "/Title (a title ?)"),
              "PDF");
    cr_expect(!has_bytes(&file, "/CreationDate"), "no date");
    fl_text_clear(&file);
    file = need_file(&canvas, FL_CANVAS_PNG);
    cr_expect(has_ends(&file, "\x89PNG\r\n", "IEND\xAE\x42\x60\x82") &&
                  big_endian(&file, 16) == 200 && big_endian(&file, 20) == 120,
              "PNG: %u x %u", big_endian(&file, 16), big_endian(&file, 20));
    fl_text_clear(&file);
    fl_canvas_clear(&canvas);
    canvas = box_canvas(20000, 5000);
    file = need_file(&canvas, FL_CANVAS_PNG);
    cr_expect(big_endian(&file, 16) == 8000 && big_endian(&file, 20) == 2000, "no more than 8000");
    fl_text_clear(&file);
    file = need_file(&canvas, FL_CANVAS_PDF);
    cr_expect(has_bytes(&file, "/MediaBox [ 0 0 14400 3600 ]"), "no more than a page can have");
    fl_text_clear(&file);
    fl_canvas_clear(&canvas);
}

typedef struct reading {
    const fl_text *file;
    size_t at;
} reading;

static cairo_status_t read_some(void *user, unsigned char *bytes, unsigned length)
{
    reading *r = user;
    if (r->at + length > r->file->length)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(bytes, r->file->data + r->at, length);
    r->at += length;
    return CAIRO_STATUS_SUCCESS;
}

static uint32_t pixel(cairo_surface_t *image, int x, int y)
{
    uint32_t value;
    const unsigned char *row =
        cairo_image_surface_get_data(image) + (ptrdiff_t)y * cairo_image_surface_get_stride(image);
    memcpy(&value, row + 4 * (ptrdiff_t)x, sizeof value);
    return value & 0xffffff;
}

Test(drawing, pixels_have_the_colour_of_what_lies_there)
{
    fl_canvas canvas = box_canvas(100, 60);
    fl_text file = need_file(&canvas, FL_CANVAS_PNG);
    cairo_surface_t *image =
        cairo_image_surface_create_from_png_stream(read_some, &(reading){&file, 0});
    cr_assert(cairo_surface_status(image) == CAIRO_STATUS_SUCCESS, "a PNG");
    cr_expect(pixel(image, 40, 40) == 0x102030 && pixel(image, 24, 40) == 0x102030, "in the box");
    cr_expect(pixel(image, 20, 20) == 0xffffff, "its corner is round");
    cr_expect(pixel(image, 16, 40) == 0xffffff && pixel(image, 190, 110) == 0xffffff, "beside it");
    int dark = 0;
    double width = fl_canvas_text_width("text", 12, false);
    for (int x = 100; x < 200; x++)
        for (int y = 20; y < 60; y++) {
            bool ink = pixel(image, x, y) != 0xffffff;
            dark += ink;
            cr_expect(!ink || x <= 102 + (int)(2 * width), "a letter at %d,%d outside of the text",
                      x, y);
        }
    cr_expect(dark > 100, "letters: %d pixels", dark);
    cairo_surface_destroy(image);
    fl_text_clear(&file);
    fl_canvas_clear(&canvas);
}

Test(drawing, the_same_drawing_gives_the_same_bytes)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_fault_set set = need_set(network, "links", 17, 1, 4);
    fl_drawing drawing = {.network = network, .faulty = set.links, .faulty_count = set.count};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        fl_text files[2];
        for (int again = 0; again < 2; again++) {
            fl_canvas canvas = need_canvas(&drawing);
            files[again] = need_file(&canvas, formats[i]);
            fl_canvas_clear(&canvas);
        }
        cr_expect(files[0].length == files[1].length &&
                      memcmp(files[0].data, files[1].data, files[0].length) == 0,
                  "%s", fl_canvas_suffixes[formats[i]]);
        fl_text_clear(&files[0]);
        fl_text_clear(&files[1]);
    }
    fl_fault_set_clear(&set);
    fl_network_destroy(network);
}

Test(drawing, the_ending_of_the_path_names_the_format)
{
    static const char *const heads[] = {"<?xml", "%PDF-", "\x89PNG"};
    static const char *const good[] = {"net.svg", "net.PDF", "a.b/net.Png"};
    static const char *const wrong[] = {"net", "net.gif",  ".svg", "a.svg/net",
                                        "svg", "net.svg.", ""};
    fl_network *network = need_network("mikant:k=2,n=2");
    fl_drawing drawing = {.network = network};
    char folder[] = "/tmp/faultline-drawing-XXXXXX", path[64];
    fl_error error = {.text = ""};
    cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkdir("a.b", 0777) == 0, "a folder");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char *file;
        size_t length;
        cr_expect(fl_drawing_check_path(good[i], NULL) == FL_OK, "%s", good[i]);
        cr_assert(fl_drawing_write(&drawing, good[i], &error) == FL_OK, "%s", error.text);
        cr_assert(fl_file_read(&file, &length, good[i], 1 << 24, &error) == FL_OK, "%s",
                  error.text);
        cr_expect(memcmp(file, heads[i], strlen(heads[i])) == 0, "%s", good[i]);
        free(file);
        unlink(good[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect_refused(fl_drawing_check_path(wrong[i], &error), &error, wrong[i], wrong[i]);
        expect_refused(fl_drawing_write(&drawing, wrong[i], &error), &error, wrong[i], "ending");
    }
    snprintf(path, sizeof path, "%s/none/net.svg", folder);
    cr_expect(fl_drawing_write(&drawing, path, &error) == FL_ERR_IO && strstr(error.text, path),
              "%s", error.text);
    cr_expect(rmdir("a.b") == 0 && chdir("/") == 0 && rmdir(folder) == 0,
              "nothing but the pictures was written");
    fl_network_destroy(network);
}

/* A limit on the size of files stands for a full disk. */
Test(drawing, where_there_is_no_room_the_old_picture_stays)
{
    fl_network *network = need_network("mikant:k=2,n=2");
    char folder[] = "/tmp/faultline-drawing-XXXXXX", *file;
    size_t length;
    fl_error error = {.text = ""};
    cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0, "a folder");
    cr_assert(fl_file_write("net.pdf", "old", 3, &error) == FL_OK, "%s", error.text);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, RLIM_INFINITY}) == 0, "a limit");
    fl_status status = fl_drawing_write(&(fl_drawing){.network = network}, "net.pdf", &error);
    cr_expect(status == FL_ERR_IO && strstr(error.text, "'net.pdf'"), "%s", error.text);
    cr_assert(fl_file_read(&file, &length, "net.pdf", 100, &error) == FL_OK, "%s", error.text);
    cr_expect(length == 3 && memcmp(file, "old", 3) == 0, "the old file");
    free(file);
    cr_expect(unlink("net.pdf") == 0 && chdir("/") == 0 && rmdir(folder) == 0, "no other file");
    fl_network_destroy(network);
}
