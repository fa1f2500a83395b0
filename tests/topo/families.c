/* topo and routing: every family of networks against its definition, its closed forms and
 * breadth-first search, and its base routing against both. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>

static const char *const specs[] = {
    "hypercube:k=1",
    "hypercube:k=2",
    "hypercube:k=5,p=3",
    "hypercube:k=10",
    "mesh:k=2,n=1",
    "mesh:k=2,n=3",
    "mesh:k=3,n=3,p=2",
    "mesh:k=5,n=2",
    "mesh:k=12,n=2,p=1",
    "mesh:k=4,n=2,nodes=9",
    "torus:k=3,n=1",
    "torus:k=3,n=2,p=2",
    "torus:k=4,n=3",
    "torus:k=5,n=2,p=3",
    "torus:k=11,n=2",
    "torus:k=4,n=2,p=3,nodes=20",
    "fbfly:k=2,n=3",
    "fbfly:k=3,n=2,p=2",
    "fbfly:k=4,n=3,p=4",
    "fbfly:k=11,n=1,p=2",
    "clique:m=2,r=2",
    "clique:m=5,r=8",
    "clique:m=11,r=15",
    "xyclique:m=4,r=4",
    "xyclique:m=9,r=7",
    "xyclique:m=121,r=22",
    "clos:k=2,n=1",
    "clos:k=2,n=2",
    "clos:k=3,n=3",
    "clos:k=2,n=5",
    "clos:k=4,n=3",
    "clos:k=11,n=2",
    "thintree:k=2,up=1,n=1",
    "thintree:k=2,up=1,n=4",
    "thintree:k=3,up=2,n=3",
    "thintree:k=4,up=2,n=3",
    "thintree:k=4,up=4,n=3",
    "thintree:k=5,up=3,n=3",
    "thintree:k=12,up=5,n=2",
    "cat:k=2,n=1",
    "cat:k=3,n=1",
    "cat:k=2,n=2",
    "cat:k=3,n=3",
    "cat:k=2,n=4",
    "cat:k=4,n=3",
    "cat:k=11,n=1",
    "cat:k=5,n=2",
    "micat:k=2,n=2",
    "micat:k=3,n=3",
    "micat:k=2,n=4",
    "micat:k=4,n=2",
    "micat:k=5,n=2",
    "fattree3:K=2",
    "fattree3:K=4",
    "fattree3:K=6",
    "fattree3:K=12",
    "dragonfly:a=1,h=1,p=1",
    "dragonfly:a=2",
    "dragonfly:a=4",
    "dragonfly:a=4,wiring=palmtree",
    "dragonfly:a=3,h=2,p=2",
    "dragonfly:a=3,h=2,p=1,wiring=palmtree",
    "dragonfly:a=6,h=1,p=2",
    "dragonfly:a=4,nodes=60",
    "dragonfly:a=5,h=3,p=2,wiring=consecutive",
    "kns:k=2,n=1",
    "kns:k=4,n=2",
    "kns:k=4,n=2,p=2",
    "kns:k=3,n=3",
    "kns:k=4,n=2,s=2,sub=fattree",
    "kns:k=8,n=2,s=3,sub=ruft,p=2",
    "kns:k=9,n=2,s=2,sub=fattree",
    "kns:k=27,n=1,s=3,sub=fattree",
    "kns:k=12,n=2,s=1,sub=fattree",
    "kns:k=4,n=2,s=2,sub=ruft",
    "kns:k=8,n=2,s=3,sub=fattree,p=2",
    "kns:k=27,n=1,s=3,sub=ruft",
    "kns:k=16,n=2,s=2,sub=ruft",
    "star:r=2",
    "star:r=5",
    "biclique:m1=3,m2=2,r=5",
    "biclique:m1=1,m2=1,r=3",
    "biclique:m1=6,m2=6,r=11",
    "polarity:q=2,r=3",
    "polarity:q=2,r=5",
    "polarity:q=3,r=6",
    "polarity:q=4,r=7",
    "polarity:q=5,r=9",
    "polarity:q=8,r=12",
    "polarity:q=9,r=14",
    "wk:K=2,L=1,r=3",
    "wk:K=2,L=4,r=2",
    "wk:K=3,L=3,r=5",
    "wk:K=4,L=2,r=7",
    "wk:K=5,L=1,r=9",
    "wk:K=4,L=3,r=4",
    "rdn:k=1,B=2,r=4",
    "rdn:k=1,B=4,r=7",
    "rdn:k=2,B=2,r=5",
    "rdn:k=2,B=3,r=5",
    "rdn:k=1,B=5,r=6,base=ring",
    "rdn:k=1,B=3,r=5,base=ring",
    "random:n=40,m=12,r=7",
    "random:n=10,m=2,r=6",
    "random:n=100,m=33,r=9,seed=7",
    "random:n=30,m=10,r=12",
    "random:n=12,m=20,r=3,seed=3",
    "erdos-renyi:m=30,probability=0.2",
    "erdos-renyi:m=9,probability=1,p=3",
    "configuration:m=25,p=2,degrees=3:50+4:30+8:20",
    "watts-strogatz:m=40,k=4,rewire=0.2",
    "watts-strogatz:m=21,k=6,rewire=0,p=2",
    "watts-strogatz:m=3,k=2,rewire=0",
    "scale-free:m=60,gamma=2.5,p=2",
    "barabasi-albert:m=50,k=2,p=3",
    "grid-graph:k=6,degree=4,length=3,p=2",
    "grid-graph:k=3,degree=3,length=2,steps=20",
    "barabasi-albert:m=2,k=1",
};
enum { SPECS = sizeof specs / sizeof specs[0] };

Test(families, all_pass_the_consistency_check)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        fl_error error = {.text = ""};
        cr_expect(fl_network_check(network, &error) == FL_OK, "%s", error.text);
        uint64_t links = 0;
        for (unsigned class = 0; class < network->classes; class ++)
            links += network->type->class_size(network, class);
        cr_expect(links == network->links, "%s: the classes have %d links, the network %d",
                  network->spec, (int)links, (int)network->links);
        fl_network_destroy(network);
    }
}

Test(families, link_classes_have_the_links_that_they_say)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        uint64_t *links = need_memory(network->classes, sizeof *links);
        for (uint64_t link = 0; link < network->links; link++)
            links[network->type->link_class(network, network->type->link_code(network, link))]++;
        for (unsigned class = 0; class < network->classes; class ++) {
            char name[64];
            unsigned again;
            network->type->class_name(network, class, name, sizeof name);
            cr_expect(links[class] == network->type->class_size(network, class), "%s: %s",
                      network->spec, name);
            cr_expect(fl_network_parse_class(network, name, &again, NULL) == FL_OK &&
                          again == class,
                      "%s: %s", network->spec, name);
        }
        free(links);
        fl_network_destroy(network);
    }
}

/* ---- distances and paths by breadth-first search ---- */

typedef struct searched {
    double sum, paths; /* over ordered pairs of nodes; of nodes' switches */
    uint32_t longest;
    uint64_t homes;
} searched;

static void count_paths(const fl_graph *graph, uint32_t start, const uint32_t *distance,
                        const uint32_t *queue, uint64_t reached, double *paths)
{
    for (uint64_t v = 0; v < graph->vertices; v++)
        paths[v] = 0;
    paths[start] = 1;
    for (uint64_t i = 0; i < reached; i++) {
        uint32_t v = queue[i];
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            if (distance[graph->targets[e]] == distance[v] + 1)
                paths[graph->targets[e]] += paths[v];
    }
}

static searched search(const fl_network *network)
{
    fl_graph *graph;
    cr_assert(fl_graph_create(&graph, network, NULL) == FL_OK, "a graph");
    uint32_t *distance = need_memory(graph->vertices, sizeof *distance),
             *queue = need_memory(graph->vertices, sizeof *queue);
    bool *home = need_memory(graph->vertices, sizeof *home);
    double *paths = need_memory(graph->vertices, sizeof *paths);
    searched found = {0};
    for (uint64_t node = 0; node < graph->nodes; node++)
        home[graph->targets[graph->offsets[node]]] = true;
    for (uint64_t start = 0; start < graph->vertices; start++) {
        if (start >= graph->nodes && !home[start])
            continue;
        uint64_t reached = fl_graph_distances(graph, start, distance, queue);
        cr_assert(reached == graph->vertices, "%s is connected", network->spec);
        for (uint64_t v = 0; start < graph->nodes && v < graph->nodes; v++) {
            found.sum += distance[v];
            found.longest = distance[v] > found.longest ? distance[v] : found.longest;
        }
        if (start < graph->nodes)
            continue;
        found.homes++;
        count_paths(graph, (uint32_t)start, distance, queue, reached, paths);
        for (uint64_t v = graph->nodes; v < graph->vertices; v++)
            found.paths += home[v] && v != start ? paths[v] : 0;
    }
    free(distance);
    free(queue);
    free(home);
    free(paths);
    fl_graph_destroy(graph);
    return found;
}

static bool near(double stated, double measured)
{
    return isnan(stated) || fabs(stated - measured) <= 1e-11 * fabs(measured) + 1e-300;
}

Test(families, closed_forms_are_what_breadth_first_search_finds)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        if (network->nodes + network->switches < 3000 / FL_TEST_DIVISOR + 400) {
            fl_closed_forms forms;
            network->type->closed_forms(network, &forms);
            searched found = search(network);
            double nodes = (double)network->nodes, homes = (double)found.homes;
            cr_expect(near(forms.average_distance_with_self, found.sum / nodes / nodes),
                      "%s: mean distance %.12f, stated %.12f", network->spec,
                      found.sum / nodes / nodes, forms.average_distance_with_self);
            cr_expect(network->nodes == 1 || near(forms.diameter, found.longest),
                      "%s: diameter %u, stated %g", network->spec, found.longest, forms.diameter);
            double diversity = found.paths / homes / homes / nodes;
            cr_expect(forms.path_diversity == 0 || near(forms.path_diversity, diversity),
                      "%s: path diversity %.12f, stated %.12f", network->spec, diversity,
                      forms.path_diversity);
        }
        fl_network_destroy(network);
    }
}

/* Switches declared equivalent see the same numbers of nodes at every distance. */
Test(families, switches_that_are_said_to_be_alike_see_the_same_distances)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        if (network->type->representative && network->switches < 1000 / FL_TEST_DIVISOR + 100) {
            fl_graph *graph;
            cr_assert(fl_graph_create(&graph, network, NULL) == FL_OK, "a graph");
            uint32_t *distance = need_memory(graph->vertices, sizeof *distance),
                     *queue = need_memory(graph->vertices, sizeof *queue);
            uint64_t *seen = need_memory(network->switches, sizeof *seen);
            for (uint64_t s = 0; s < network->switches; s++) {
                uint64_t same = network->type->representative(network, s);
                cr_assert(same < network->switches &&
                              network->type->representative(network, same) == same,
                          "%s: switch %d", network->spec, (int)s);
                fl_graph_distances(graph, graph->nodes + s, distance, queue);
                for (uint64_t v = 0; v < graph->vertices; v++)
                    seen[s] += fl_mix64(distance[v] + 1 + (v < graph->nodes ? 1000 : 0));
            }
            for (uint64_t s = 0; s < network->switches; s++)
                cr_assert(seen[s] == seen[network->type->representative(network, s)],
                          "%s: switch %d", network->spec, (int)s);
            free(seen);
            free(distance);
            free(queue);
            fl_graph_destroy(graph);
        }
        fl_network_destroy(network);
    }
}

/* ---- measured properties ---- */

static fl_metrics measure(const fl_network *network, bool every_source)
{
    fl_metrics metrics;
    fl_error error = {.text = ""};
    fl_metrics_options options = {.every_source = every_source, .seeds = 4};
    cr_assert(fl_metrics_compute(&metrics, network, &options, &error) == FL_OK, "%s: %s",
              network->spec, error.text);
    return metrics;
}

Test(metrics, are_those_of_plain_searches_with_and_without_symmetry)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        if (network->nodes + network->switches < 2000 / FL_TEST_DIVISOR + 100) {
            searched found = search(network);
            for (int every = 0; every < 2; every++) {
                fl_metrics m = measure(network, every);
                double nodes = (double)network->nodes, homes = (double)found.homes;
                cr_expect(m.homes == found.homes && (!every || m.searches == m.homes) &&
                              m.searches <= m.homes,
                          "%s: searches", network->spec);
                cr_expect(2 * (double)m.distance_sum == found.sum &&
                              m.pairs == network->nodes * (network->nodes - 1) / 2,
                          "%s: distances add up to %g, not %g", network->spec,
                          2 * (double)m.distance_sum, found.sum);
                cr_expect(m.diameter == found.longest, "%s: diameter %u, not %u", network->spec,
                          m.diameter, found.longest);
                cr_expect(near(m.average_distance_with_self, found.sum / nodes / nodes),
                          "%s: mean distance", network->spec);
                cr_expect(fabs(m.path_diversity - found.paths / homes / homes / nodes) <=
                              1e-12 * m.path_diversity,
                          "%s: path diversity %.12g", network->spec, m.path_diversity);
            }
        }
        fl_network_destroy(network);
    }
}

Test(metrics, of_the_sources_examples_are_the_published_ones)
{
    static const struct {
        const char *spec;
        uint64_t sum, pairs;
        int64_t bisection; /* 0: not compared */
    } known[] = {
        {"mikant:k=3,n=3", 7317, 1431, 0},       /* 271/53 */
        {"fattree3:K=16", 3070976, 523776, 512}, /* Yasudo thesis, Table 3.2 */
        {"dragonfly:a=8,nodes=1024", 2453584, 523776, 272},
        {"mikant:k=4,n=3", 0, 0, 32}, /* Theorem 7 */
        {"kary-ntree:k=4,n=3", 0, 0, 32},
        {"clos:k=4,n=2", 0, 0, 16}, /* Table I has half of it */
        {"clos:k=2,n=4", 0, 0, 16},
        {"torus:k=8,n=2", 0, 0, 16},
        {"hypercube:k=6", 0, 0, 32},
        {"mesh:k=10,n=2", 0, 0, 10},
        {"fbfly:k=4,n=2,p=4", 0, 0, 16},
        {"fbfly:k=4,n=2", 0, 0, 8}, /* half of the nodes by themselves */
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        fl_network *network = need_network(known[i].spec);
        fl_metrics metrics;
        cr_assert(fl_metrics_compute(&metrics, network, NULL, NULL) == FL_OK, "%s", network->spec);
        cr_expect(known[i].sum == 0 ||
                      (metrics.distance_sum == known[i].sum && metrics.pairs == known[i].pairs),
                  "%s: %llu/%llu", network->spec, (unsigned long long)metrics.distance_sum,
                  (unsigned long long)metrics.pairs);
        cr_expect(known[i].bisection == 0 || metrics.bisection_width == known[i].bisection,
                  "%s: bisection width %d", network->spec, (int)metrics.bisection_width);
        fl_network_destroy(network);
    }
}

/* The minimum over all halves, tried one after the other: halves of the switches, then single
 * nodes for the rest. */
static int64_t reference_bisection(const fl_network *network)
{
    int64_t best = INT64_MAX;
    for (uint64_t set = 0; set < UINT64_C(1) << network->switches; set++) {
        int64_t cut = 0, inside = 0;
        for (uint64_t link = 0; link < network->links; link++) {
            fl_link_ends ends;
            network->type->link_ends(network, network->type->link_code(network, link), &ends);
            uint64_t b = network->type->switch_index(network, ends.b);
            if (fl_address_is_node(ends.a))
                inside += (set >> b & 1) ? 1 : -1;
            else
                cut += (set >> b & 1) != (set >> network->type->switch_index(network, ends.a) & 1);
        }
        int64_t width = cut + (inside < 0 ? -inside : inside) / 2;
        best = width < best ? width : best;
    }
    return best;
}

Test(metrics, bisections_of_small_networks_are_the_least_of_all)
{
    static const char *const small[] = {
        "mikant:k=2,n=3", "clos:k=2,n=2", "mesh:k=3,n=2",         "torus:k=3,n=2,p=2",
        "clique:m=5,r=8", "cat:k=3,n=1",  "hypercube:k=4",        "thintree:k=3,up=2,n=2",
        "mesh:k=5,n=1",   "kns:k=3,n=2",  "torus:k=4,n=2,nodes=9"};
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        fl_network *network = need_network(small[i]);
        fl_metrics metrics;
        if (network->switches > 16 || FL_TEST_DIVISOR > 1 + (network->switches < 12) * 100) {
            fl_network_destroy(network);
            continue;
        }
        cr_assert(fl_metrics_compute(&metrics, network, NULL, NULL) == FL_OK, "%s", network->spec);
        int64_t least = reference_bisection(network);
        cr_expect(metrics.bisection_width == least, "%s: %d, not %d", network->spec,
                  (int)metrics.bisection_width, (int)least);
        fl_network_destroy(network);
    }
}

/* Refined partitions of METIS stop at 224; which nodes are on which side is not local. */
Test(metrics, annealing_finds_narrow_cuts_of_a_torus_with_empty_switches)
{
    fl_network *network = need_network("torus:k=3,n=5,p=5,nodes=1024");
    fl_metrics first, again;
    fl_metrics_options options = {.wanted = FL_METRICS_BISECTION, .seeds = 15, .seed = 3};
    cr_assert(fl_metrics_compute(&first, network, &options, NULL) == FL_OK);
    cr_expect(first.bisection_width <= 218, "%d", (int)first.bisection_width);
    cr_expect(strstr(first.bisection_method, "annealings") != NULL, "%s", first.bisection_method);
    if (FL_TEST_DIVISOR == 1) {
        cr_assert(fl_metrics_compute(&again, network, &options, NULL) == FL_OK);
        cr_expect(again.bisection_width == first.bisection_width &&
                      strcmp(again.bisection_method, first.bisection_method) == 0,
                  "the same seed finds the same");
    }
    fl_network_destroy(network);
}

Test(metrics, edge_connectivities_are_those_that_the_structure_gives)
{
    static const struct {
        const char *spec;
        int64_t cut;
    } known[] = {{"mikant:k=3,n=3", 3}, {"mesh:k=4,n=2", 2},          {"mesh:k=3,n=3", 3},
                 {"torus:k=4,n=2", 4},  {"hypercube:k=5", 5},         {"fbfly:k=3,n=2,p=2", 4},
                 {"cat:k=3,n=2", 3},    {"thintree:k=4,up=2,n=3", 2}, {"clos:k=4,n=2", 4},
                 {"kns:k=4,n=3", 3},    {"fattree3:K=4", 2},          {"dragonfly:a=4", 5},
                 {"mesh:k=5,n=1", 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        fl_network *network = need_network(known[i].spec);
        cr_expect(measure(network, false).edge_connectivity == known[i].cut, "%s: %d",
                  network->spec, (int)measure(network, false).edge_connectivity);
        fl_network_destroy(network);
    }
}

/* ---- published values ---- */

Test(families, counts_are_those_of_the_sources)
{
    static const struct {
        const char *spec;
        uint64_t nodes, switches, links;
    } published[] = {
        {"clos:k=3,n=3", 54, 45, 162},       /* MiKANT paper, Fig. 2 */
        {"clos:k=4,n=5", 2048, 2304, 10240}, /* V.B */
        {"cat:k=3,n=3", 189, 90, 351},       /* Wang thesis, Fig. 1 */
        {"cat:k=3,n=4", 567, 297, 1134},     /* 3.4 */
        {"micat:k=3,n=4", 1134, 540, 2187},
        {"micat:k=4,n=7", 491520, 172032, 933888},    /* 3.2 */
        {"thintree:k=8,up=8,n=4", 4096, 2048, 16384}, /* thin-tree paper, Table II */
        {"thintree:k=8,up=4,n=4", 4096, 960, 7680},
        {"thintree:k=8,up=2,n=4", 4096, 680, 5440},
        {"kns:k=256,n=2", 65536, 65536 + 512, 196608}, /* KNS paper, Table 4; routers + switches */
        {"kns:k=256,n=2,s=2,sub=fattree", 65536, 65536 + 16384, 327680},
        {"kns:k=256,n=2,s=2,sub=ruft", 65536, 65536 + 16384, 327680},
        {"kns:k=256,n=2,s=4,sub=fattree", 65536, 65536 + 131072, 589824},
        {"kns:k=256,n=2,s=8,sub=fattree", 65536, 65536 + 524288, 1114112},
        {"kns:k=256,n=2,s=8,sub=ruft", 65536, 65536 + 524288, 1114112},
        {"fbfly:k=16,n=3,p=16", 65536, 4096, 157696},
        {"fbfly:k=4,n=7,p=4", 65536, 16384, 237568},
        {"fbfly:k=2,n=15,p=2", 65536, 32768, 311296},
        {"torus:k=256,n=2", 65536, 65536, 196608},
        {"mesh:k=256,n=2", 65536, 65536, 196096},
        {"biclique:m1=3,m2=2,r=5", 13, 5, 19}, /* Yasudo thesis, Fig. 3.2 */
        {"star:r=5", 20, 6, 25},
        {"polarity:q=7,r=12", 12 * 57 - 448, 57, 12 * 57 - 224}, /* Lemma 3.5 */
        {"polarity:q=16,r=24", 24 * 273 - 4624, 273, 24 * 273 - 2312},
        {"fattree3:K=16", 1024, 320, 3072}, /* Yasudo thesis, 3.5.2 */
        {"dragonfly:a=8", 1056, 264, 1056 + 924 + 528},
    };
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        fl_network *network = need_network(published[i].spec);
        cr_expect(network->nodes == published[i].nodes &&
                      network->switches == published[i].switches &&
                      network->links == published[i].links,
                  "%s: %d nodes, %d switches, %d links", network->spec, (int)network->nodes,
                  (int)network->switches, (int)network->links);
        fl_network_destroy(network);
    }
}

Test(families, average_distances_are_those_of_a_search_of_the_sources_examples)
{
    static const struct {
        const char *spec;
        double mean;
    } known[] = {{"clos:k=3,n=3", 5.518518},
                 {"cat:k=3,n=3", 8.311413},
                 {"micat:k=3,n=3", 8.369992},
                 {"kary-ntree:k=3,n=3", 5.037037}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        fl_network *network = need_network(known[i].spec);
        fl_closed_forms forms;
        network->type->closed_forms(network, &forms);
        cr_expect(fabs(forms.average_distance_with_self - known[i].mean) < 1e-6, "%s: %.9f",
                  network->spec, forms.average_distance_with_self);
        fl_network_destroy(network);
    }
}

/* ---- base routing ---- */

static uint32_t never(fl_order *order, fl_link link)
{
    (void)order;
    (void)link;
    return FL_NEVER_FAILS;
}

/* Minimal routing on a dragonfly takes l-g-l even where g-g is shorter. */
static uint32_t dragonfly_length(const fl_network *network, uint64_t from, uint64_t to)
{
    const fl_groups *d = network->groups;
    uint64_t s = from / d->p, t = to / d->p;
    if (s == t)
        return 2;
    if (s / d->a == t / d->a)
        return 3;
    unsigned there = d->channel(d, (unsigned)(s / d->a), (unsigned)(t / d->a)) / d->h;
    unsigned back = d->channel(d, (unsigned)(t / d->a), (unsigned)(s / d->a)) / d->h;
    return 3u + (s % d->a != there ? 1u : 0u) + (t % d->a != back ? 1u : 0u);
}

/* Every pair, or those of some sources on larger networks. */
static void check_router(const fl_network *network, const char *name, bool dragonfly)
{
    fl_router *router = need_router(network, name, FL_SCOPE_LOCAL);
    fl_order *order;
    fl_graph *graph;
    fl_error error = {.text = ""};
    cr_assert(fl_order_create_custom(&order, network, never, NULL, &error) == FL_OK &&
                  fl_graph_create(&graph, network, &error) == FL_OK,
              "%s", error.text);
    uint32_t *distance = need_memory(graph->vertices, sizeof *distance),
             *queue = need_memory(graph->vertices, sizeof *queue);
    uint64_t stride = network->nodes / (150 / FL_TEST_DIVISOR) + 1;
    for (uint64_t from = 0; from < network->nodes; from += stride) {
        fl_graph_distances(graph, from, distance, queue);
        for (uint64_t to = 0; to < network->nodes; to++) {
            fl_view view = {.network = network,
                            .order = order,
                            .holds_until = FL_NEVER_FAILS,
                            .scope = FL_SCOPE_LOCAL};
            fl_walk_result result;
            if (from == to)
                continue;
            cr_assert(fl_walk(router, &view, network->type->node_address(network, from),
                              network->type->node_address(network, to), NULL, NULL, &result,
                              &error) == FL_OK,
                      "%s: %s", network->spec, error.text);
            uint32_t expected = dragonfly ? dragonfly_length(network, from, to) : distance[to];
            cr_assert(result.delivered && result.length == expected,
                      "%s, %s: %d to %d takes %u links, not %u", network->spec, name, (int)from,
                      (int)to, result.length, expected);
        }
    }
    free(distance);
    free(queue);
    fl_graph_destroy(graph);
    fl_order_destroy(order);
    fl_router_destroy(router);
}

Test(routing, base_routing_delivers_every_packet_over_as_many_links_as_it_should)
{
    for (size_t i = 0; i < SPECS; i++) {
        fl_network *network = need_network(specs[i]);
        check_router(network, "shortest", network->groups != NULL);
        fl_network_destroy(network);
    }
}

Test(routing, tables_deliver_every_packet_over_a_shortest_path)
{
    for (size_t i = 0; i < SPECS; i += 3) {
        fl_network *network = need_network(specs[i]);
        if (!network->one_way)
            check_router(network, "table", false);
        fl_network_destroy(network);
    }
    fl_network *network = need_network("mikant:k=3,n=3");
    check_router(network, "table", false);
    fl_network_destroy(network);
}

Test(routing, base_routing_goes_by_the_name_shortest_and_by_its_own)
{
    static const char *const names[][2] = {{"torus:k=4,n=2", "dimension-order"},
                                           {"clos:k=2,n=3", "tree-cube"},
                                           {"fattree3:K=4", "fat-tree"},
                                           {"kns:k=4,n=2", "hybrid-dor"},
                                           {"dragonfly:a=4", "dragonfly-minimal"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fl_network *network = need_network(names[i][0]);
        fl_router *a = need_router(network, "shortest", FL_SCOPE_DETOUR),
                  *b = need_router(network, names[i][1], FL_SCOPE_DETOUR);
        cr_expect(a->type == b->type && strcmp(a->canonical, "shortest") == 0 &&
                      strcmp(b->canonical, "shortest") == 0,
                  "%s: %s", network->spec, a->type->name);
        fl_router_destroy(a);
        fl_router_destroy(b);
        fl_network_destroy(network);
    }
}

Test(routing, what_cannot_route_on_a_network_is_refused_with_a_reason)
{
    static const struct {
        const char *spec, *router, *names;
    } cases[] = {
        {"torus:k=4,n=2", "gns", "blocks between stages"},
        {"dragonfly:a=4", "gdl", "blocks between stages"},
        {"kns:k=9,n=2", "gdl", "single switches"},
        {"kns:k=9,n=2,s=2,sub=ruft", "adaptive-up", "one way only"},
        {"clos:k=3,n=3", "gns+x-turns", "it crosses between the two groups of a MiKANT"},
        {"micat:k=3,n=2", "gns", "n must be at least 3"},
        {"mikant:k=3,n=3", "adaptive-ecube", "cubes of CAT and MiCAT"},
        {"clos:k=3,n=3", "adaptive-ecube", "cubes of CAT and MiCAT"},
        {"clos:k=3,n=3", "shortest+gdl", "a router by itself"},
        {"torus:k=4,n=2", "hybrid-dor", "goes by the name shortest"},
        {"mikant:k=3,n=3", "dimension-order", "cannot route on mikant:k=3,n=3"},
        {"kns:k=4,n=2,s=2,sub=ruft", "limit", "one direction only"},
        {"kns:k=4,n=2,s=2,sub=ruft", "table", "one direction only"},
        {"hypercube:k=20", "table", "too large for shortest-path tables"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fl_network *network = need_network(cases[i].spec);
        fl_router *router;
        fl_error error = {.text = ""};
        expect_refused(fl_router_create(&router, network, cases[i].router, FL_SCOPE_DETOUR, &error),
                       &error, cases[i].spec, cases[i].names);
        fl_network_destroy(network);
    }
}
