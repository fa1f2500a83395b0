/* topo: the two families against their definitions, their closed forms, the reference, and
 * published values. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>

/* Calls `check` for both families and many (k, n), n = 1 and 2 included, as long as the network
 * has at most `vertices_most` vertices. */
static void for_many_trees(uint64_t vertices_most,
                           void (*check)(bool mikant, unsigned k, unsigned n))
{
    for (int mikant = 0; mikant < 2; mikant++)
        for (unsigned k = 2; k <= 12; k++)
            for (unsigned n = 1; n <= 10; n++) {
                fl_network *network = need_tree(mikant, k, n);
                bool small = network->nodes + network->switches <= vertices_most;
                fl_network_destroy(network);
                if (!small)
                    break;
                check(mikant, k, n);
            }
}

/* ---- structure ---- */

static void check_consistency(bool mikant, unsigned k, unsigned n)
{
    fl_network *network = need_tree(mikant, k, n);
    fl_error error = {.text = ""};
    cr_expect(fl_network_check(network, &error) == FL_OK, "%s", error.text);
    fl_network_destroy(network);
}

Test(networks, many_of_both_families_pass_the_consistency_check)
{
    for_many_trees(20000, check_consistency);
}

/* A network that answers like MiKANT(2,3), with one error that the check must find. */
static fl_network *honest;

typedef enum fault {
    NONE,
    LOSES_A_LINK_AT_ONE_END,
    LEADS_ELSEWHERE,
    HAS_ANOTHER_LINK,
    LOSES_A_LINK,
    HAS_A_PORT_TOO_MANY,
    BREAKS_LABELS,
    BREAKS_NODE_INDICES,
    BREAKS_LINK_INDICES,
    BREAKS_LINK_ENDS,
    BREAKS_CLASSES,
    MIXES_UP_NODES,
    FAULTS
} fault;
static fault doing;

static bool lying_step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    (void)network;
    fl_address first = honest->type->switch_address(honest, 0),
               node = honest->type->node_address(honest, 0);
    if (doing == HAS_A_PORT_TOO_MANY && from == first && port == honest->radix)
        return fl_network_step(honest, from, 0, out);
    if (!fl_network_step(honest, from, port, out))
        return false;
    if (doing == LOSES_A_LINK_AT_ONE_END && from == first && port == honest->radix - 1)
        return false;
    if (doing == LOSES_A_LINK && (from == node || out->to == node))
        return false;
    if (doing == LEADS_ELSEWHERE && from == first && port == 0)
        out->to = honest->type->switch_address(honest, 1);
    if (doing == HAS_ANOTHER_LINK && from == first && port == 0)
        out->link = honest->type->link_code(honest, honest->links - 1);
    return true;
}

static fl_address lying_node_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return doing == MIXES_UP_NODES && index == 1 ? honest->type->switch_address(honest, 0)
                                                 : honest->type->node_address(honest, index);
}

static uint64_t lying_node_index(const fl_network *network, fl_address address)
{
    (void)network;
    uint64_t index = honest->type->node_index(honest, address);
    return doing == BREAKS_NODE_INDICES && index == 3 ? 4 : index;
}

static uint64_t lying_link_index(const fl_network *network, fl_link link)
{
    (void)network;
    uint64_t index = honest->type->link_index(honest, link);
    return doing == BREAKS_LINK_INDICES && index == 5 ? 6 : index;
}

static void lying_link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    (void)network;
    honest->type->link_ends(honest, link, out);
    if (doing == BREAKS_LINK_ENDS && honest->type->link_index(honest, link) == 7)
        out->port_a++;
}

static unsigned lying_class(const fl_network *network, fl_link link)
{
    (void)network;
    unsigned found = honest->type->link_class(honest, link);
    return doing == BREAKS_CLASSES && found == 0 ? 1 : found;
}

static bool lying_parse_label(const fl_network *network, const char *label, fl_address *out)
{
    (void)network;
    return honest->type->parse_label(honest, label, out) &&
           !(doing == BREAKS_LABELS && fl_address_is_node(*out));
}

/* The rest is the truth. */
static fl_address honest_switch_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return honest->type->switch_address(honest, index);
}

static uint64_t honest_switch_index(const fl_network *network, fl_address address)
{
    (void)network;
    return honest->type->switch_index(honest, address);
}

static fl_link honest_link_code(const fl_network *network, uint64_t index)
{
    (void)network;
    return honest->type->link_code(honest, index);
}

static void honest_label(const fl_network *network, fl_address address, char *out, size_t size)
{
    (void)network;
    honest->type->label(honest, address, out, size);
}

static void honest_closed_forms(const fl_network *network, fl_closed_forms *out)
{
    (void)network;
    honest->type->closed_forms(honest, out);
}

Test(networks, the_consistency_check_finds_what_is_wrong)
{
    static const char *const expected[FAULTS] = {
        [LOSES_A_LINK_AT_ONE_END] = "is not the same seen from its other end",
        [LEADS_ELSEWHERE] = "is not the same seen from its other end",
        [HAS_ANOTHER_LINK] = "is not the same seen from its other end",
        [LOSES_A_LINK] = "a node without exactly one link",
        [HAS_A_PORT_TOO_MANY] = "a port beyond the radix",
        [BREAKS_LABELS] = "label does not lead back",
        [BREAKS_NODE_INDICES] = "index does not lead back",
        [BREAKS_LINK_INDICES] = "code and index do not agree",
        [BREAKS_LINK_ENDS] = "ends are not where its port leads",
        [BREAKS_CLASSES] = "wrong class",
        [MIXES_UP_NODES] = "mixed up"};
    honest = need_tree(true, 2, 3);
    const fl_network_type type = {.name = "liar",
                                  .step = lying_step,
                                  .node_address = lying_node_address,
                                  .node_index = lying_node_index,
                                  .switch_address = honest_switch_address,
                                  .switch_index = honest_switch_index,
                                  .link_code = honest_link_code,
                                  .link_index = lying_link_index,
                                  .link_ends = lying_link_ends,
                                  .link_class = lying_class,
                                  .label = honest_label,
                                  .parse_label = lying_parse_label,
                                  .closed_forms = honest_closed_forms};
    fl_network liar = *honest;
    liar.type = &type;
    liar.step = lying_step;
    liar.tree = NULL; /* or `step` would never be called */
    fl_error error = {.text = ""};
    for (doing = NONE; doing < FAULTS; doing++) {
        fl_status status = fl_network_check(&liar, &error);
        if (doing == NONE)
            cr_expect_eq(status, FL_OK, "%s", error.text);
        else
            expect_refused(status, &error, expected[doing], expected[doing]);
    }
    doing = NONE;
    for (int part = 0; part < 4; part++) {
        fl_network short_of_one = liar;
        uint64_t *counts[] = {&short_of_one.nodes, &short_of_one.switches, &short_of_one.links};
        if (part < 3)
            --*counts[part];
        else
            short_of_one.radix--;
        static const char *const counted[] = {"15 nodes", "15 switches", "39 links", "3 ports"};
        expect_refused(fl_network_check(&short_of_one, &error), &error, "counts", counted[part]);
    }
    fl_network_destroy(honest);
}

/* ---- what it offers to routing ---- */

static enum {
    TRUE_STAGES,
    NAMES_A_HIGH_LEVEL,
    TURNS_DOWN_TOO_EARLY,
    WANTS_A_HIGH_PORT,
    NAMES_ANOTHER_PORT,
    COUNTS_TOO_MANY_PORTS_UP,
    HAS_OTHER_DIGITS,
    STAGE_LIES
} stage_lie;

static bool lying_position(const fl_network *network, fl_address here, fl_address destination,
                           fl_stage_position *out)
{
    bool in_stages = honest->type->stages->position(network, here, destination, out);
    if (stage_lie == NAMES_A_HIGH_LEVEL)
        out->level += 7;
    if (stage_lie == TURNS_DOWN_TOO_EARLY && out->upward) {
        out->upward = false;
        out->ports.base = 0;
    }
    if (stage_lie == WANTS_A_HIGH_PORT)
        out->ports.base += 2 * network->radix;
    return in_stages;
}

static unsigned lying_port(const fl_network *network, fl_address here, fl_address destination)
{
    fl_stage_position at;
    lying_position(network, here, destination, &at);
    return at.ports.base + at.ports.target + (stage_lie == NAMES_ANOTHER_PORT);
}

static fl_stage_ports lying_ports(const fl_network *network, fl_address here,
                                  fl_address destination, unsigned level, bool up, unsigned side)
{
    fl_stage_ports ports = honest->type->stages->ports(network, here, destination, level, up, side);
    ports.values += stage_lie == COUNTS_TOO_MANY_PORTS_UP && up;
    return ports;
}

static uint64_t lying_digits(const fl_network *network, fl_address here)
{
    (void)network;
    return stage_lie == HAS_OTHER_DIGITS ? here ^ 1 << fl_tree_level(here) : here;
}

Test(networks, the_consistency_check_finds_what_is_wrong_with_stages)
{
    static const char *const expected[STAGE_LIES] = {
        [NAMES_A_HIGH_LEVEL] = "a level above the highest",
        [TURNS_DOWN_TOO_EARLY] = "the stages do not lead to the destination",
        [WANTS_A_HIGH_PORT] = "base routing's port in the stages is not plugged in",
        [NAMES_ANOTHER_PORT] = "the stages name two ports of base routing",
        [COUNTS_TOO_MANY_PORTS_UP] = "a port up in the stages is not plugged in",
        [HAS_OTHER_DIGITS] = "a port up does not write its level's digit"};
    honest = need_network("clos:k=3,n=3");
    static const fl_stages stages = {.position = lying_position,
                                     .port = lying_port,
                                     .ports = lying_ports,
                                     .digits = lying_digits};
    fl_network_type type = *honest->type;
    fl_network liar = *honest;
    type.stages = &stages;
    liar.type = &type;
    fl_error error = {.text = ""};
    for (stage_lie = TRUE_STAGES; stage_lie < STAGE_LIES; stage_lie++) {
        fl_status status = fl_network_check(&liar, &error);
        if (stage_lie == TRUE_STAGES)
            cr_expect_eq(status, FL_OK, "%s", error.text);
        else
            expect_refused(status, &error, expected[stage_lie], expected[stage_lie]);
    }
    fl_network_destroy(honest);
}

static uint64_t power(uint64_t base, unsigned exponent)
{
    return exponent ? base * power(base, exponent - 1) : 1;
}

/* MiKANT paper, Table I; MiKANT with n = 1 is one switch. */
static void check_counts(bool mikant, unsigned k, unsigned n)
{
    fl_network *network = need_tree(mikant, k, n);
    bool single = mikant && n == 1;
    uint64_t nodes = (mikant ? 2 : 1) * power(k, n);
    uint64_t switches = single ? 1 : (mikant ? 2 * n - 2 : n) * power(k, n - 1);
    uint64_t links = single ? 2 * k : (mikant ? 2 * n - 1 : n) * power(k, n);
    cr_expect(network->nodes == nodes && network->switches == switches && network->links == links &&
                  network->radix == 2 * k,
              "%s: %d nodes, %d switches, %d links, radix %d", network->spec, (int)network->nodes,
              (int)network->switches, (int)network->links, (int)network->radix);
    fl_network_destroy(network);
}

Test(networks, counts_are_those_of_table_1)
{
    for_many_trees(100000, check_counts);
}

/* Labels and, port by port, neighbours of every vertex. */
static void check_against_reference(bool mikant, unsigned k, unsigned n)
{
    twin *t = need_twin(mikant, k, n);
    for (int v = 0; v < ref_vertex_count(t->reference); v++) {
        char label[FL_LABEL_MAX], theirs[FL_LABEL_MAX];
        t->network->type->label(t->network, t->address[v], label, sizeof label);
        ref_vertex_label(t->reference, v, theirs, sizeof theirs);
        cr_assert(strcmp(label, theirs) == 0, "%s: %s, the reference has %s", t->network->spec,
                  label, theirs);
        for (unsigned port = 0; port < 2 * k; port++) {
            fl_hop hop;
            int neighbour = ref_neighbour(t->reference, v, (int)port);
            bool plugged = fl_network_step(t->network, t->address[v], (fl_port)port, &hop);
            cr_assert(plugged == (neighbour >= 0), "%s: port %u of %s", t->network->spec, port,
                      label);
            cr_assert(!plugged || hop.to == t->address[neighbour], "%s: behind port %u of %s",
                      t->network->spec, port, label);
        }
    }
    free_twin(t);
}

Test(networks, labels_and_neighbours_are_those_of_the_reference)
{
    for_many_trees(3000, check_against_reference);
}

/* ---- distances ---- */

static void check_distances(bool mikant, unsigned k, unsigned n)
{
    fl_network *network = need_tree(mikant, k, n);
    fl_closed_forms forms;
    fl_graph *graph;
    network->type->closed_forms(network, &forms);
    cr_assert(fl_graph_create(&graph, network, NULL) == FL_OK, "a graph");
    uint32_t *distance = need_memory(graph->vertices, sizeof *distance),
             *queue = need_memory(graph->vertices, sizeof *queue);
    double sum = 0, nodes = (double)graph->nodes;
    uint32_t longest = 0;
    for (uint64_t start = 0; start < graph->nodes; start++) {
        cr_assert(fl_graph_distances(graph, start, distance, queue) == graph->vertices,
                  "%s is connected", network->spec);
        for (uint64_t v = 0; v < graph->nodes; v++) {
            sum += distance[v];
            longest = distance[v] > longest ? distance[v] : longest;
        }
    }
    cr_expect(longest == 2 * n && forms.diameter == 2 * n, "%s: diameter %u, stated %g",
              network->spec, longest, forms.diameter);
    double mean = sum / nodes / nodes;
    cr_expect(fabs(mean - forms.average_distance_with_self) < 1e-12 * mean,
              "%s: mean distance %.12f, stated %.12f", network->spec, mean,
              forms.average_distance_with_self);
    free(distance);
    free(queue);
    fl_graph_destroy(graph);
    fl_network_destroy(network);
}

Test(networks, breadth_first_distances_have_the_stated_mean_and_diameter)
{
    for_many_trees(1500, check_distances);
}

/* ---- published values ---- */

Test(networks, mikant_3_3_is_the_published_one)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    fl_closed_forms forms;
    network->type->closed_forms(network, &forms);
    cr_expect(network->nodes == 54 && network->switches == 36 && network->links == 135,
              "54 nodes, 36 switches, 135 links");
    /* 5.018518... with the node itself; 271/53 without. */
    cr_expect(fabs(forms.average_distance_with_self * 54 / 53 - 271. / 53) < 1e-12,
              "mean distance 271/53");
    cr_expect(isnan(forms.bisection_width), "the bisection width is stated for even k only");
    fl_network_destroy(network);
}

Test(networks, other_published_sizes)
{
    static const struct {
        const char *spec;
        uint64_t nodes, switches, links;
    } published[] = {
        {"kary-ntree:k=3,n=3", 27, 27, 81},           /* Fig. 1 */
        {"mikant:k=3,n=4", 162, 162, 567},            /* Fig. 4 */
        {"mikant:k=4,n=5", 2048, 2048, 9216},         /* V.B */
        {"mikant:k=8,n=6", 524288, 327680, 2883584},  /* V.A */
        {"kary-ntree:k=16,n=4", 65536, 16384, 262144} /* KNS paper, Table 4, misprint corrected */
    };
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        fl_network *network = need_network(published[i].spec);
        cr_expect(network->nodes == published[i].nodes &&
                      network->switches == published[i].switches &&
                      network->links == published[i].links,
                  "%s", network->spec);
        fl_network_destroy(network);
    }
}

Test(networks, even_arities_have_a_bisection_width_of_half_a_stage)
{
    fl_network *network = need_network("mikant:k=4,n=3");
    fl_closed_forms forms;
    network->type->closed_forms(network, &forms);
    cr_expect(forms.bisection_width == 32, "%g", forms.bisection_width);
    fl_network_destroy(network);
}

/* MiKANT paper, Table II. Of the second example our copy shows only the ends; the text gives its
 * length, 8, and the rule. Ports are printed for the first example only. */
static const struct {
    const char *source, *destination;
    const char *path;
    int ports[8]; /* from the first switch on; ended by -1 */
} table_2[] = {
    {"<0,2000>",
     "<1,2222>",
     "<0,0,000> <0,1,002> <0,2,022> <1,2,222> <1,1,222> <1,0,222> <1,2222> ",
     {5, 5, 5, 2, 2, 2, -1}},
    {"<0,2000>",
     "<0,2222>",
     "<0,0,000> <0,1,002> <0,2,022> <1,2,222> <0,2,222> <0,1,222> <0,0,222> <0,2222> ",
     {-1}},
    {"<0,2000>", "<0,2022>", "<0,0,000> <0,1,002> <0,2,022> <0,1,022> <0,0,022> <0,2022> ", {-1}},
    {"<0,2000>", "<0,2002>", "<0,0,000> <0,1,002> <0,0,002> <0,2002> ", {-1}},
};

typedef struct route_text {
    const fl_network *network;
    char text[512];
    int ports[32];
    unsigned hops;
} route_text;

static void write_hop(void *user, const fl_walk_hop *hop)
{
    route_text *route = user;
    char label[FL_LABEL_MAX];
    cr_expect(hop->rule == FL_NO_RULE, "base routing takes no detour");
    route->network->type->label(route->network, hop->to, label, sizeof label);
    snprintf(route->text + strlen(route->text), sizeof route->text - strlen(route->text), "%.40s ",
             label);
    route->ports[route->hops++] = hop->port;
}

static uint32_t never(fl_order *order, fl_link link)
{
    (void)order;
    (void)link;
    return FL_NEVER_FAILS;
}

static fl_walk_result walk_without_faults(const fl_network *network, const char *source,
                                          const char *destination, route_text *route)
{
    fl_order *order;
    fl_router *router = need_router(network, "shortest", FL_SCOPE_DETOUR);
    fl_walk_result result = {0};
    fl_error error = {.text = ""};
    fl_address from, to;
    cr_assert(network->type->parse_label(network, source, &from) &&
                  network->type->parse_label(network, destination, &to),
              "labels");
    cr_assert(fl_order_create_custom(&order, network, never, NULL, &error) == FL_OK, "%s",
              error.text);
    fl_view view = {.network = network, .order = order, .holds_until = FL_NEVER_FAILS};
    *route = (route_text){.network = network};
    cr_assert(fl_walk(router, &view, from, to, write_hop, route, &result, &error) == FL_OK, "%s",
              error.text);
    fl_order_destroy(order);
    fl_router_destroy(router);
    return result;
}

Test(networks, packets_take_the_four_paths_of_table_2)
{
    fl_network *network = need_network("mikant:k=3,n=4");
    for (size_t i = 0; i < 4; i++) {
        route_text route;
        fl_walk_result result =
            walk_without_faults(network, table_2[i].source, table_2[i].destination, &route);
        cr_expect(result.delivered && result.length == route.hops, "example %zu is delivered",
                  i + 1);
        cr_expect(strcmp(route.text, table_2[i].path) == 0, "example %zu: %s", i + 1, route.text);
        for (size_t hop = 0; table_2[i].ports[hop] >= 0; hop++)
            cr_expect(route.ports[hop + 1] == table_2[i].ports[hop],
                      "example %zu: port %d at switch %zu", i + 1, route.ports[hop + 1], hop);
    }
    fl_network_destroy(network);
}

/* ---- networks that are too large to be stored ---- */

static void check_random_links(const fl_network *network, fl_rng *rng)
{
    const fl_network_type *type = network->type;
    for (int i = 0; i < 2000; i++) {
        uint64_t index = fl_rng_below(rng, network->links);
        fl_link link = type->link_code(network, index), again;
        cr_assert(link < network->link_codes && type->link_index(network, link) == index,
                  "%s: link %llu", network->spec, (unsigned long long)index);
        fl_link_ends ends;
        fl_hop forth, back;
        type->link_ends(network, link, &ends);
        cr_assert(fl_network_step(network, ends.a, ends.port_a, &forth) && forth.to == ends.b &&
                      forth.link == link,
                  "forth");
        cr_assert(fl_network_step(network, ends.b, ends.port_b, &back) && back.to == ends.a &&
                      back.link == link,
                  "back");
        char a[FL_LABEL_MAX], b[FL_LABEL_MAX], both[2 * FL_LABEL_MAX];
        type->label(network, ends.a, a, sizeof a);
        type->label(network, ends.b, b, sizeof b);
        snprintf(both, sizeof both, "%s-%s", a, b);
        if (network->radix < 100) /* the search for the link looks at every port */
            cr_assert(fl_network_parse_link(network, both, &again, NULL) == FL_OK && again == link,
                      "%s: %s", network->spec, both);
    }
}

static void check_random_vertices(const fl_network *network, fl_rng *rng)
{
    const fl_network_type *type = network->type;
    for (int i = 0; i < 2000; i++) {
        uint64_t node = fl_rng_below(rng, network->nodes),
                 sw = fl_rng_below(rng, network->switches);
        fl_address n = type->node_address(network, node), s = type->switch_address(network, sw),
                   again;
        char label[FL_LABEL_MAX];
        cr_assert(type->node_index(network, n) == node && type->switch_index(network, s) == sw,
                  "%s: indices", network->spec);
        type->label(network, n, label, sizeof label);
        cr_assert(type->parse_label(network, label, &again) && again == n, "%s: %s", network->spec,
                  label);
        type->label(network, s, label, sizeof label);
        cr_assert(type->parse_label(network, label, &again) && again == s, "%s: %s", network->spec,
                  label);
    }
}

Test(networks, the_largest_networks_have_links_and_labels_that_lead_back)
{
    static const char *const specs[] = {
        "kary-ntree:k=2,n=40", "mikant:k=2,n=40",    "kary-ntree:k=32767,n=2",
        "mikant:k=16383,n=2",  "mikant:k=16383,n=1", "kary-ntree:k=16,n=10",
        "mikant:k=11,n=10",    "mikant:k=10,n=10",   "kary-ntree:k=32767,n=1"};
    fl_rng rng;
    fl_rng_seed_raw(&rng, 3, 0);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        fl_network *network = need_network(specs[i]);
        check_random_links(network, &rng);
        check_random_vertices(network, &rng);
        fl_network_destroy(network);
    }
}

/* ---- links as texts ---- */

static void expect_link(const fl_network *network, const char *a, const char *between,
                        const char *b, fl_link expected)
{
    char text[2 * FL_LABEL_MAX + 8];
    fl_link link = UINT64_MAX;
    fl_error error = {.text = ""};
    snprintf(text, sizeof text, "%s%s%s", a, between, b);
    cr_expect(fl_network_parse_link(network, text, &link, &error) == FL_OK && link == expected,
              "%s: %s", text, error.text);
}

static void check_link_texts(bool mikant, unsigned k, unsigned n)
{
    fl_network *network = need_tree(mikant, k, n);
    for (uint64_t i = 0; i < network->links; i++) {
        fl_link code = network->type->link_code(network, i);
        fl_link_ends ends;
        char a[FL_LABEL_MAX], b[FL_LABEL_MAX], index[32];
        network->type->link_ends(network, code, &ends);
        network->type->label(network, ends.a, a, sizeof a);
        network->type->label(network, ends.b, b, sizeof b);
        expect_link(network, a, " ", b, code);
        expect_link(network, b, "-", a, code);
        expect_link(network, a, " - ", b, code);
        snprintf(index, sizeof index, "%llu", (unsigned long long)i);
        expect_link(network, index, "", "", code);
    }
    fl_network_destroy(network);
}

Test(links, every_link_is_found_by_its_labels_from_both_ends_and_by_its_index)
{
    for_many_trees(400, check_link_texts);
}

Test(links, the_first_end_is_nearer_to_the_nodes_or_in_group_0)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    for (uint64_t i = 0; i < network->links; i++) {
        fl_link_ends ends;
        network->type->link_ends(network, network->type->link_code(network, i), &ends);
        bool node = fl_address_is_node(ends.a) && !fl_address_is_node(ends.b);
        bool lower =
            !fl_address_is_node(ends.a) && fl_tree_level(ends.a) + 1 == fl_tree_level(ends.b);
        bool cross = fl_tree_level(ends.a) == 1 && fl_tree_level(ends.b) == 1 &&
                     fl_tree_group(ends.a) == 0 && fl_tree_group(ends.b) == 1;
        cr_expect(node || lower || cross, "link %d", (int)i);
    }
    fl_network_destroy(network);
}

Test(links, what_is_no_link_is_refused_and_named)
{
    static const struct {
        const char *text, *names;
    } cases[] = {
        {"135", "135"},
        {"18446744073709551616", "18446744073709551616"},
        {"", "index"},
        {"-1", "-1"},
        {"<0,0,00>", "<0,0,00>"},
        {"<0,0,00> <0,0,00>", "not linked"},
        {"<0,0,00>-<0,1,11>", "<0,1,11>"},
        {"<0,0,00>-<0,2,00>", "<0,2,00>"},
        {"<0,0,00>-<0,1,00>x", "x"},
        {"<0,0,00>-<0,1,03>", "<0,1,03>"},
        {"0,0,00-0,1,00", "0,0,00-0,1,00"},
    };
    fl_network *network = need_network("mikant:k=3,n=3");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fl_link link;
        fl_error error = {.text = ""};
        expect_refused(fl_network_parse_link(network, cases[i].text, &link, &error), &error,
                       cases[i].text, cases[i].names);
    }
    fl_network_destroy(network);
}

/* ---- labels ---- */

static void expect_no_label(const char *spec, const char *label)
{
    fl_network *network = need_network(spec);
    fl_address address;
    cr_expect(!network->type->parse_label(network, label, &address), "%s: '%s' is no label", spec,
              label);
    fl_network_destroy(network);
}

Test(labels, what_is_no_label_is_refused)
{
    static const char *const mikant[] = {
        "",          "<>",        "<",         "<0,0,00",           "0,0,00>",
        "<0,0,00>>", "<0,0,00> ", " <0,0,00>", "<2,0,00>",          "<0,2,00>",
        "<0,0,0>",   "<0,0,000>", "<0,00>",    "<0,0000>",          "<0,0,03>",
        "<0,0,0a>",  "<,0,00>",   "<0,,00>",   "<-1,0,00>",         "<0,0,0,0>",
        "<0,0,0.0>", "<00>",      "<0,0,>",    "<9999999999,0,00>", "<0,999999,00>",
        "<0, 0,00>"};
    for (size_t i = 0; i < sizeof mikant / sizeof mikant[0]; i++)
        expect_no_label("mikant:k=3,n=3", mikant[i]);
    expect_no_label("kary-ntree:k=3,n=3", "<0,0,00>");
    expect_no_label("kary-ntree:k=3,n=3", "<3,00>");
    expect_no_label("kary-ntree:k=3,n=3", "<00>");
    expect_no_label("mikant:k=3,n=1", "<1,0,>");
    expect_no_label("mikant:k=3,n=1", "<0,3>");
    expect_no_label("mikant:k=3,n=1", "<6>");
}

Test(labels, digits_of_large_arities_are_joined_by_dots_and_nothing_else)
{
    fl_network *network = need_network("mikant:k=12,n=3");
    fl_address address;
    cr_expect(network->type->parse_label(network, "<1,0,11.10>", &address), "two digits");
    cr_expect(network->type->parse_label(network, "<1,11.0.10>", &address), "a node");
    fl_network_destroy(network);
    expect_no_label("mikant:k=12,n=3", "<1,0,12.0>");
    expect_no_label("mikant:k=12,n=3", "<1,0,1110>");
    expect_no_label("mikant:k=12,n=3", "<1,0,.1.1>");
    expect_no_label("mikant:k=12,n=3", "<1,0,1..1>");
}

Test(labels, a_dot_at_the_end_is_refused)
{
    expect_no_label("mikant:k=12,n=3", "<1,0,1.1.>");
}

/* A digit has a fixed length: it must not be split into two silently. */
Test(labels, a_digit_with_too_many_figures_is_refused)
{
    expect_no_label("mikant:k=12,n=3", "<1,0,0000001>");
}

/* ---- link classes ---- */

static void check_classes(bool mikant, unsigned k, unsigned n)
{
    fl_network *network = need_tree(mikant, k, n);
    uint64_t counted[64] = {0}, total = 0;
    for (uint64_t i = 0; i < network->links; i++)
        counted[network->type->link_class(network, network->type->link_code(network, i))]++;
    for (unsigned c = 0; c < network->classes; c++) {
        char name[64];
        unsigned again = 99;
        network->type->class_name(network, c, name, sizeof name);
        cr_expect(network->type->class_size(network, c) == counted[c], "%s: %d links are %s",
                  network->spec, (int)counted[c], name);
        cr_expect(fl_network_parse_class(network, name, &again, NULL) == FL_OK && again == c,
                  "%s: %s", network->spec, name);
        total += counted[c];
    }
    cr_expect(total == network->links, "%s: every link has a class", network->spec);
    fl_network_destroy(network);
}

Test(classes, every_link_is_in_one_and_sizes_are_right)
{
    for_many_trees(2000, check_classes);
}

Test(classes, an_unknown_class_is_refused_with_the_names_that_there_are)
{
    fl_network *network = need_network("mikant:k=3,n=3");
    unsigned found;
    fl_error error = {.text = ""};
    fl_status status = fl_network_parse_class(network, "cross-link", &found, &error);
    expect_refused(status, &error, "cross-link", "'cross-link'");
    expect_refused(status, &error, "cross-link", "node-links, level-0-links, cross-links");
    fl_network_destroy(network);
}

/* ---- spec strings ---- */

Test(specs, a_spec_has_one_canonical_form)
{
    fl_network *network = need_network("mikant:n=4,k=03");
    cr_expect(strcmp(network->spec, "mikant:k=3,n=4") == 0, "%s", network->spec);
    fl_network_destroy(network);
}

static const struct {
    const char *spec, *names;
} bad_specs[] = {
    {"", "kary-ntree, mikant"},
    {"mikan:k=3,n=3", "'mikan'"},
    {"mikan:k=3,n=3", "'mikant'"},
    {"mikant2:k=3,n=3", "'mikant2'"},
    {"Mikant:k=3,n=3", "did you mean 'mikant'"},
    {"butter:k=3,n=3", "kary-ntree, mikant"},
    {"mikant", "k"},
    {"mikant:", "needs k"},
    {"mikant:k=3", "needs n"},
    {"mikant:n=3", "needs k"},
    {"mikant:k=3,n=3,k=4", "k is given twice"},
    {"mikant:k=1,n=3", "k=1"},
    {"mikant:k=0,n=3", "k=0"},
    {"mikant:k=-3,n=3", "k=-3"},
    {"mikant:k=3.5,n=3", "k=3.5"},
    {"mikant:k= 3,n=3", "k= 3"},
    {"mikant:k=,n=3", "k="},
    {"mikant:k=three,n=3", "k=three"},
    {"mikant:k=99999,n=2", "k=99999"},
    {"mikant:k=18446744073709551619,n=2", "k=18446744073709551619"},
    {"mikant:k=3,n=0", "n=0"},
    {"mikant:k=3,n=41", "n=41"},
    {"mikant:k=3,n=40", "n=40"}, /* 2 bits a digit do not fit */
    {"mikant:k=16383,n=3", "too large"},
    {"mikant:k=3,n=3,m=1", "'m'"},
    {"mikant:arity=3,n=3", "'arity'"},
    {"mikant:k3,n=3", "'k3'"},
    {"mikant:3,3", "'3'"},
    {"mikant:k=3;n=3", "k=3;n=3"},
    {"mikant:k=3,,n=3", "n"},
    {"mikant k=3,n=3", "mikant k=3,n=3"},
    {"kary-ntree:k=1,n=1", "k=1"},
    {"kary-ntree:k=3,n=41", "n=41"},
};

Test(specs, bad_specs_are_refused_and_the_message_names_what_is_wrong)
{
    for (size_t i = 0; i < sizeof bad_specs / sizeof bad_specs[0]; i++) {
        fl_network *network = NULL;
        fl_error error = {.text = ""};
        expect_refused(fl_network_create(&network, bad_specs[i].spec, &error), &error,
                       bad_specs[i].spec, bad_specs[i].names);
    }
}

Test(specs, a_spec_of_any_length_is_refused_without_harm)
{
    char spec[4000];
    for (size_t length = 100; length < sizeof spec;
         length = length < 140 ? length + 1 : length * 2) {
        memset(spec, '3', length);
        memcpy(spec, "mikant:k=", 9);
        spec[length] = 0;
        fl_network *network = NULL;
        fl_error error = {.text = ""};
        expect_refused(fl_network_create(&network, spec, &error), &error, spec, "mikant");
    }
}

/* Text after an empty item must not be lost silently. */
Test(specs, an_empty_parameter_is_refused)
{
    fl_network *network = NULL;
    fl_error error = {.text = ""};
    expect_refused(fl_network_create(&network, "mikant:k=3,n=3,,m=9", &error), &error,
                   "mikant:k=3,n=3,,m=9", "m");
}
