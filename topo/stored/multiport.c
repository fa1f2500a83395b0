/* Networks whose nodes have p ports (Yasudo thesis, 4.3 and 4.4), made of any network G with one
 * port a node:
 *
 * la(G,p): link aggregation: p parallel links in place of each node link.
 *
 * nd(G,p): network duplication: p copies of the switches and their links, a node on all of them by
 * one port each.
 *
 * pla, pnd: the same with the switches behind the nodes' ports permuted (for pnd inside of each
 * copy).
 *
 * pp, ap, od: nodes are in groups, which share copies of the switches as a design says (design.h):
 * the projective plane, the affine plane, and the obvious design. A node has one port at each of
 * the p copies of its group. Two nodes of different groups meet in one copy, two of one group in p.
 *
 * Nodes are <h0>, <h1>, ...; switches <s0>, ... of la and pla, and <s0^2> for s_0 of copy 2 with
 * the others, which is how the source writes them. A node's ports are its switches in the source's
 * order: copies by rising number. */
#include "topo/label.h"
#include "topo/stored/design.h"
#include "topo/stored/explicit.h"
#include "topo/stored/mapping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const fl_network_type fl_network_pla, fl_network_pnd;

enum { PORTS_MOST = 64, LONGEST = 254 };
#define NEAR_BYTES_MAX (UINT64_C(1) << 30)

typedef enum structure { AGGREGATED, DUPLICATED, GROUPED } structure;

/* What is left of G. */
typedef struct origin {
    structure structure;
    uint32_t copies, switches; /* of each copy */
    uint32_t groups, meeting;  /* of a design: groups of nodes, and those at each copy */
    uint64_t nodes, links;     /* of G, node links included */
    unsigned radix;
    fl_closed_forms forms; /* of G */
} origin;

static const origin *origin_of(const fl_network *network)
{
    return fl_explicit_kept(network);
}

/* ---- the network that it is made of ---- */

static fl_status make_base(fl_network **out, fl_network *network, fl_error *error)
{
    fl_network *base;
    fl_status status = fl_network_create(&base, fl_network_text(network), error);
    if (status)
        return fl_fail_in(error, status, "net");
    if (base->one_way)
        status = fl_fail(error, FL_ERR_INVALID,
                         "%s: net=%s is not possible: some of its links carry one way only",
                         network->type->name, base->spec);
    else if (base->node_ports > 1)
        status = fl_fail(error, FL_ERR_INVALID,
                         "%s: net=%s is not possible: its nodes have several ports already",
                         network->type->name, base->spec);
    else if (base->switches >= UINT32_MAX || base->nodes >= UINT32_MAX)
        status = fl_fail(error, FL_ERR_INVALID, "%s: net=%s is too large to be stored",
                         network->type->name, base->spec);
    else if (!fl_network_set_text(network, base->spec))
        status = fl_fail(error, FL_ERR_INVALID, "%s: the name of %s is too long",
                         network->type->name, base->spec);
    if (status)
        fl_network_destroy(base);
    else
        *out = base;
    network->content = status ? 0 : base->content;
    return status;
}

static uint32_t home_of(const fl_network *base, uint64_t node)
{
    fl_hop hop;
    fl_network_step(base, base->type->node_address(base, node), 0, &hop);
    return (uint32_t)base->type->switch_index(base, hop.to);
}

/* The links between switches, once for every copy. */
static void copy_links(fl_explicit_graph *graph, const fl_network *base, uint32_t copies)
{
    for (uint32_t copy = 0; copy < copies; copy++)
        for (uint64_t i = 0; i < base->links; i++) {
            fl_link_ends ends;
            base->type->link_ends(base, base->type->link_code(base, i), &ends);
            if (fl_address_is_node(ends.a) || fl_address_is_node(ends.b))
                continue;
            uint32_t first = copy * (uint32_t)base->switches;
            fl_explicit_link(graph, first + (uint32_t)base->type->switch_index(base, ends.a),
                             first + (uint32_t)base->type->switch_index(base, ends.b));
        }
}

/* ---- which switches a node is on ---- */

static void map_to_one(fl_explicit_graph *graph, const fl_network *base)
{
    for (uint32_t node = 0; node < graph->nodes; node++)
        for (uint32_t q = 0; q < graph->node_ports; q++)
            graph->home[node * graph->node_ports + q] = home_of(base, node);
}

static void map_to_copies(fl_explicit_graph *graph, const fl_network *base)
{
    for (uint32_t node = 0; node < graph->nodes; node++)
        for (uint32_t q = 0; q < graph->node_ports; q++)
            graph->home[node * graph->node_ports + q] =
                q * (uint32_t)base->switches + home_of(base, node);
}

static uint32_t place_among(const uint32_t *list, uint32_t count, uint32_t wanted)
{
    uint32_t smaller = 0;
    for (uint32_t i = 0; i < count; i++)
        smaller += list[i] < wanted;
    return smaller;
}

/* The groups that meet in a copy take its places for nodes in turn: neighbours there are then of
 * different groups, which meet nowhere else, while those of one group have p copies to find a short
 * way in. */
static void map_to_groups(fl_explicit_graph *graph, const fl_network *base, const fl_design *design)
{
    uint32_t p = graph->node_ports, group_size = graph->nodes / design->groups;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        uint32_t group = node / group_size, number = node % group_size;
        for (uint32_t q = 0; q < p; q++) {
            uint32_t copy = design->copies_of[(size_t)group * p + q];
            uint32_t turn = place_among(design->groups_at + (size_t)copy * design->meeting,
                                        design->meeting, group);
            graph->home[node * p + q] = copy * (uint32_t)base->switches +
                                        home_of(base, (uint64_t)number * design->meeting + turn);
        }
    }
}

/* ---- permuting it ---- */

/* Breadth first from every switch of one copy; false: memory, or longer paths than a byte holds. */
static bool find_distances(const fl_explicit_graph *graph, uint32_t switches, uint64_t links,
                           uint8_t *distance)
{
    uint32_t *first = calloc((size_t)switches + 2, sizeof *first),
             *queue = malloc(switches * sizeof *queue);
    uint32_t *to = malloc((2 * links + 1) * sizeof *to);
    bool good = first && to && queue;
    for (uint64_t e = 0; good && e < 2 * links; e++)
        first[graph->ends[e] + 2]++;
    for (uint32_t s = 2; good && s <= switches + 1; s++)
        first[s] += first[s - 1];
    for (uint64_t e = 0; good && e < 2 * links; e++)
        to[first[graph->ends[e] + 1]++] = graph->ends[e ^ 1];
    for (uint32_t s = 0; good && s < switches; s++) {
        uint8_t *row = distance + (size_t)s * switches;
        uint32_t head = 0, tail = 0;
        memset(row, 0xff, switches);
        row[s] = 0;
        queue[tail++] = s;
        while (good && head < tail) {
            uint32_t v = queue[head++];
            for (uint32_t at = first[v]; at < first[v + 1]; at++)
                if (row[to[at]] == 0xff) {
                    good &= row[v] < LONGEST;
                    row[to[at]] = (uint8_t)(row[v] + 1);
                    queue[tail++] = to[at];
                }
        }
    }
    free(first);
    free(to);
    free(queue);
    return good;
}

static fl_status permute(const fl_network *network, fl_explicit_graph *graph, const origin *from,
                         uint64_t seed, uint64_t steps, fl_error *error)
{
    if (steps == 0)
        return FL_OK;
    uint64_t near = ((uint64_t)graph->nodes + 64) * from->copies * from->switches;
    uint64_t table = (uint64_t)from->switches * from->switches;
    if (near > NEAR_BYTES_MAX || table > NEAR_BYTES_MAX)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s is too large to be permuted: %u nodes and %u switches; steps=0 leaves the nodes where they are",
            network->spec, graph->nodes, from->copies * from->switches);
    uint8_t *distance = malloc(table);
    fl_status status = FL_OK;
    if (!distance || !find_distances(graph, from->switches, graph->links / from->copies, distance))
        status = fl_fail(error, distance ? FL_ERR_INVALID : FL_ERR_MEMORY,
                         "%s cannot be permuted: out of memory, or paths of more than %d links",
                         network->spec, LONGEST);
    fl_mapping mapping = {.nodes = graph->nodes,
                          .ports = graph->node_ports,
                          .copies = from->copies,
                          .switches = from->switches,
                          .distance = distance,
                          .home = graph->home};
    if (!status)
        status = fl_mapping_improve(&mapping, seed, steps, error);
    free(distance);
    return status;
}

/* A number that takes about a second at most: a step looks at 4 n p distances. */
static uint64_t usual_steps(uint64_t ports)
{
    uint64_t thorough = 200 * ports, quick = UINT64_C(1000000000) / ports;
    return thorough < quick ? thorough : quick;
}

/* ---- making ---- */

typedef struct plan {
    structure structure;
    unsigned ports;
    uint64_t seed, steps;
    fl_status (*make_design)(fl_design *out, uint32_t ports, fl_error *error); /* if GROUPED */
    const char *possible; /* which numbers of ports have such a design */
} plan;

static void map_nodes(fl_explicit_graph *graph, const fl_network *base, const origin *from,
                      const fl_design *design)
{
    if (from->structure == AGGREGATED)
        map_to_one(graph, base);
    else if (from->structure == DUPLICATED)
        map_to_copies(graph, base);
    else
        map_to_groups(graph, base, design);
}

static unsigned most_nodes(const fl_explicit_graph *graph)
{
    uint32_t most = 0;
    uint32_t *count = calloc(graph->switches, sizeof *count);
    for (uint32_t i = 0; count && i < graph->nodes * graph->node_ports; i++) {
        uint32_t here = ++count[graph->home[i]];
        most = here > most ? here : most;
    }
    free(count);
    return most;
}

static fl_status build(fl_network *network, const fl_network *base, const plan *how,
                       const fl_design *design, fl_error *error)
{
    bool grouped = how->structure == GROUPED;
    uint64_t copies = how->structure == AGGREGATED   ? 1
                      : how->structure == DUPLICATED ? how->ports
                                                     : design->copies;
    uint64_t nodes = grouped ? base->nodes / design->meeting * design->groups : base->nodes;
    origin *from = malloc(sizeof *from);
    if (!from)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a network");
    *from = (origin){.structure = how->structure,
                     .groups = design->groups,
                     .meeting = design->meeting,
                     .copies = (uint32_t)copies,
                     .switches = (uint32_t)base->switches,
                     .nodes = base->nodes,
                     .links = base->links,
                     .radix = base->radix};
    base->type->closed_forms(base, &from->forms);
    fl_explicit_graph graph;
    fl_status status =
        fl_explicit_begin_ports(&graph, network, nodes, how->ports, copies * base->switches,
                                copies * (base->links - base->nodes), error);
    if (status) {
        free(from);
        return status;
    }
    copy_links(&graph, base, (uint32_t)copies);
    map_nodes(&graph, base, from, design);
    unsigned radix =
        base->radix +
        (how->structure == AGGREGATED ? most_nodes(&graph) / how->ports * (how->ports - 1) : 0);
    if (radix > UINT16_MAX)
        status = fl_fail(error, FL_ERR_INVALID, "%s: a switch would have %u ports; %d are the most",
                         network->spec, radix, UINT16_MAX);
    if (!status)
        status = permute(network, &graph, from, how->seed, how->steps, error);
    if (status)
        fl_explicit_abandon(&graph);
    else
        status = fl_explicit_finish(network, &graph, radix, error);
    if (status)
        free(from);
    else
        fl_explicit_keep(network, from);
    return status;
}

static fl_status make_design(fl_design *out, const fl_network *network, const plan *how,
                             fl_error *error)
{
    fl_status status = how->structure == GROUPED ? how->make_design(out, how->ports, error) : FL_OK;
    if (status != FL_ERR_INVALID)
        return status;
    return fl_fail(error, status, "p=%u is not possible for %s: %s", how->ports,
                   network->type->name, how->possible);
}

static fl_status make(fl_network *network, const plan *how, fl_error *error)
{
    fl_network *base;
    fl_design design = {0};
    fl_status status = make_design(&design, network, how, error);
    if (!status)
        status = make_base(&base, network, error);
    if (status) {
        fl_design_destroy(&design);
        return status;
    }
    if (base->nodes < design.meeting)
        status = fl_fail(
            error, FL_ERR_INVALID, "%s: %s has %llu nodes, and %u groups must find room in it",
            network->type->name, base->spec, (unsigned long long)base->nodes, design.meeting);
    if (!status)
        status = build(network, base, how, &design, error);
    fl_design_destroy(&design);
    fl_network_destroy(base);
    return status;
}

static fl_status create_la(fl_network *network, const uint64_t *values, fl_error *error)
{
    return make(network, &(plan){.structure = AGGREGATED, .ports = (unsigned)values[0]}, error);
}

static fl_status create_nd(fl_network *network, const uint64_t *values, fl_error *error)
{
    return make(network, &(plan){.structure = DUPLICATED, .ports = (unsigned)values[0]}, error);
}

/* With the usual number of steps unless one was given, which needs the number of nodes first. */
static fl_status create_permuted(fl_network *network, structure which, fl_error *error)
{
    if (network->values[2] == FL_NOT_GIVEN) {
        fl_network *base;
        fl_status status = make_base(&base, network, error);
        if (status)
            return status;
        network->values[2] = usual_steps(base->nodes * network->values[0]);
        fl_network_destroy(base);
    }
    return make(network,
                &(plan){.structure = which,
                        .ports = (unsigned)network->values[0],
                        .seed = network->values[1],
                        .steps = network->values[2]},
                error);
}

static fl_status create_pla(fl_network *network, const uint64_t *values, fl_error *error)
{
    (void)values;
    return create_permuted(network, AGGREGATED, error);
}

static fl_status create_pnd(fl_network *network, const uint64_t *values, fl_error *error)
{
    (void)values;
    return create_permuted(network, DUPLICATED, error);
}

static fl_status create_pp(fl_network *network, const uint64_t *values, fl_error *error)
{
    return make(network,
                &(plan){GROUPED, (unsigned)values[0], values[1], values[2], fl_design_projective,
                        "p - 1, the order of the projective plane, must be 1 or a prime power "
                        "(p = 2, 3, 4, 5, 6, 8, 9, 10, 12, 14, 17, ...)"},
                error);
}

static fl_status create_ap(fl_network *network, const uint64_t *values, fl_error *error)
{
    return make(network,
                &(plan){GROUPED, (unsigned)values[0], values[1], values[2], fl_design_affine,
                        "p - 1, the order of the affine plane, must be a prime power "
                        "(p = 3, 4, 5, 6, 8, 9, 10, 12, 14, 17, ...)"},
                error);
}

static fl_status create_od(fl_network *network, const uint64_t *values, fl_error *error)
{
    return make(network,
                &(plan){GROUPED, (unsigned)values[0], values[1], values[2], fl_design_obvious, ""},
                error);
}

/* ---- labels ---- */

static bool has_copies(const origin *from)
{
    return from->structure != AGGREGATED;
}

static void label(const fl_network *network, fl_address address, char *out, size_t size)
{
    const origin *from = origin_of(network);
    uint64_t number = fl_explicit_switch_index(network, address);
    if (fl_address_is_node(address))
        snprintf(out, size, "<h%llu>",
                 (unsigned long long)fl_explicit_node_index(network, address));
    else if (has_copies(from))
        snprintf(out, size, "<s%llu^%llu>", (unsigned long long)(number % from->switches),
                 (unsigned long long)(number / from->switches));
    else
        snprintf(out, size, "<s%llu>", (unsigned long long)number);
}

/* A whole number without leading zeros; NULL: there is none. */
static const char *scan_number(const char *text, uint64_t *out)
{
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 18 || (length > 1 && text[0] == '0'))
        return NULL;
    *out = 0;
    for (size_t i = 0; i < length; i++)
        *out = *out * 10 + (uint64_t)(text[i] - '0');
    return text + length;
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    const origin *from = origin_of(network);
    uint64_t number, copy = 0;
    bool node = strncmp(text, "<h", 2) == 0;
    if (!node && strncmp(text, "<s", 2) != 0)
        return false;
    const char *rest = scan_number(text + 2, &number);
    if (rest && !node && has_copies(from))
        rest = *rest == '^' ? scan_number(rest + 1, &copy) : NULL;
    if (!rest || strcmp(rest, ">") != 0 || number >= (node ? network->nodes : from->switches) ||
        copy >= from->copies)
        return false;
    *out = node ? fl_explicit_node_address(network, number) : copy * from->switches + number;
    return true;
}

/* ---- closed forms ---- */

/* The counts follow from those of G. Of la and nd so do the distances, which are G's. A bisection
 * of nd(G) is one of G in each copy, by the same halves of the nodes: p times as wide. */
static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    const origin *from = origin_of(network);
    double p = network->node_ports, copies = from->copies, nodes = (double)from->nodes;
    fl_explicit_closed_forms(network, out);
    bool grouped = from->structure == GROUPED;
    double group_size = grouped ? floor(nodes / from->meeting) : 0;
    out->nodes = grouped ? group_size * from->groups : nodes;
    out->switches = copies * from->switches;
    out->links = copies * (double)(from->links - from->nodes) + p * out->nodes;
    if (network->type == &fl_network_pla || network->type == &fl_network_pnd)
        out->node_table_entries = out->nodes * (out->nodes - 1);
    else if (grouped) /* a port for each node of its own group, and one for each other group */
        out->node_table_entries = out->nodes * (group_size - 1 + from->groups - 1);
    out->radix = from->structure == AGGREGATED ? (double)NAN : (double)from->radix;
}

static void closed_forms_as_base(const fl_network *network, fl_closed_forms *out)
{
    const origin *from = origin_of(network);
    closed_forms(network, out);
    out->diameter = from->forms.diameter;
    out->average_distance_with_self = from->forms.average_distance_with_self;
    if (from->structure == DUPLICATED)
        out->bisection_width = (double)network->node_ports * from->forms.bisection_width;
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    fl_explicit_closed_forms(network, out);
}

/* "Equal to those of G" are h-ASPL and diameter of la and nd. */
static void published_as_base(const fl_network *network, fl_closed_forms *out)
{
    fl_explicit_closed_forms(network, out);
    out->diameter = origin_of(network)->forms.diameter;
    out->average_distance_with_self = origin_of(network)->forms.average_distance_with_self;
}

/* ---- entries ---- */

/* A row of the table of networks; behind `forms` its parameters. */
#define MULTIPORT(word, words, section, maker, forms, ...)                                   \
    {                                                                                        \
        .name = word, .summary = words, .source = "Yasudo thesis, " section,                 \
        .parameters = {__VA_ARGS__}, forms, .create = maker, .destroy = fl_explicit_destroy, \
        .step = fl_explicit_step, .node_address = fl_explicit_node_address,                  \
        .node_index = fl_explicit_node_index, .switch_address = fl_explicit_switch_address,  \
        .switch_index = fl_explicit_switch_index, .link_code = fl_explicit_link_code,        \
        .link_index = fl_explicit_link_index, .link_ends = fl_explicit_link_ends,            \
        .link_class = fl_explicit_link_class, .class_size = fl_explicit_class_size,          \
        .class_name = fl_explicit_class_name, .label = label, .parse_label = parse_label,    \
        .text = "net=NETWORK"                                                                \
    }

#define FORMS_OF_BASE .closed_forms = closed_forms_as_base, .published = published_as_base
#define FORMS_OF_OWN  .closed_forms = closed_forms, .published = published
#define PORTS                                                                     \
    {                                                                             \
        .name = "p", .summary = "ports of a node", .least = 2, .most = PORTS_MOST \
    }
#define SEED                                                                \
    {                                                                       \
        .name = "seed", .summary = "which of the permutations", .least = 0, \
        .most = UINT64_MAX - 1, .optional = true                            \
    }
#define STEPS(what, otherwise)                                                              \
    {                                                                                       \
        .name = "steps", .summary = what, .least = 0, .most = 1000000000, .optional = true, \
        .fallback = otherwise                                                               \
    }
#define QUICK_STEPS STEPS("exchanges to try (default: as many as are quick)", FL_NOT_GIVEN)

const fl_network_type fl_network_la = MULTIPORT(
    "la", "link aggregation: p parallel links in place of each node link of another network",
    "4.3.1", create_la, FORMS_OF_BASE, PORTS);

const fl_network_type fl_network_nd = MULTIPORT(
    "nd", "network duplication: p copies of another network's switches, every node on all of them",
    "4.3.2", create_nd, FORMS_OF_BASE, PORTS);

const fl_network_type fl_network_pla = MULTIPORT(
    "pla",
    "permuted link aggregation (p-LA): the switches behind the nodes' ports exchanged for short paths",
    "4.4.1", create_pla, FORMS_OF_OWN, PORTS, SEED, QUICK_STEPS);

const fl_network_type fl_network_pnd = MULTIPORT(
    "pnd", "permuted network duplication (p-ND): exchanges for short paths inside of each copy",
    "4.4.1", create_pnd, FORMS_OF_OWN, PORTS, SEED, QUICK_STEPS);

const fl_network_type fl_network_pp = MULTIPORT(
    "pp",
    "projective plane of order p - 1: its points are small switch networks, its lines groups of nodes",
    "4.4.2", create_pp, FORMS_OF_OWN, PORTS, SEED,
    STEPS("exchanges to try, inside of each small network", 0));

const fl_network_type fl_network_ap = MULTIPORT(
    "ap",
    "affine plane of order p - 1: its lines are small switch networks, its points groups of nodes",
    "4.4.2", create_ap, FORMS_OF_OWN, PORTS, SEED,
    STEPS("exchanges to try, inside of each small network", 0));

const fl_network_type fl_network_od = MULTIPORT(
    "od",
    "obvious design: p + 1 groups of nodes, every two of them on a small switch network of their own",
    "4.4.2.1", create_od, FORMS_OF_OWN, PORTS, SEED,
    STEPS("exchanges to try, inside of each small network", 0));
