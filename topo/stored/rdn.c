/* Recursive dual-net RDN^k(B) with switches of radix r (Yasudo thesis, 3.5.1.2; Li, Peng, Chu
 * 2009). From a network of N switches one of 2 N^2 is made: two classes of N copies each, and
 * switch j of copy i of class 0 is linked to switch i of copy j of class 1. The base network is a
 * clique or a ring of B switches. All ports that are left hold nodes. */
#include "topo/stored/explicit.h"

#include <math.h>

enum { CLIQUE, RING };

static uint32_t nodes_of(void *user, uint32_t s)
{
    (void)s;
    return *(const uint32_t *)user;
}

static void link_base(fl_explicit_graph *graph, uint32_t base, bool ring)
{
    for (uint32_t a = 0; a < base; a++)
        for (uint32_t b = a + 1; b < base; b++)
            if (!ring || b == a + 1 || (a == 0 && b == base - 1))
                fl_explicit_link(graph, a, b);
}

/* Copies of what is there, but the first, and the links between the classes. */
static void dual(fl_explicit_graph *graph, uint32_t n)
{
    uint64_t links = graph->links;
    for (uint32_t copy = 1; copy < 2 * n; copy++)
        for (uint64_t l = 0; l < links; l++)
            fl_explicit_link(graph, graph->ends[2 * l] + copy * n,
                             graph->ends[2 * l + 1] + copy * n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            fl_explicit_link(graph, i * n + j, n * n + j * n + i);
}

static uint32_t base_degree(const uint64_t *values)
{
    uint32_t base = (uint32_t)values[1];
    return values[3] == RING && base > 3 ? 2 : base - 1;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    unsigned levels = (unsigned)values[0];
    uint32_t base = (uint32_t)values[1], r = (uint32_t)values[2],
             degree = base_degree(values) + levels;
    uint64_t switches = base;
    for (unsigned i = 0; i < levels && switches < 100000; i++)
        switches *= 2 * switches;
    if (switches > 50000000)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: too large to be stored: (2 B)^(2^k) / 2 switches", network->spec);
    if (r <= degree)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: switches have %u links: r must be %u at least to leave room for nodes",
                       network->spec, degree, degree + 1);
    uint32_t nodes = r - degree;
    fl_explicit_graph graph;
    fl_status status = fl_explicit_begin(&graph, network, switches * nodes, switches,
                                         switches * degree / 2, error);
    if (status)
        return status;
    fl_explicit_fill_homes(&graph, nodes_of, &nodes);
    link_base(&graph, base, values[3] == RING);
    uint32_t n = base;
    for (unsigned i = 0; i < levels; i++, n = 2 * n * n)
        dual(&graph, n);
    return fl_explicit_finish(network, &graph, r, error);
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double levels = (double)network->values[0], base = (double)network->values[1],
           r = (double)network->values[2];
    double degree = base_degree(network->values) + levels, m = pow(2 * base, pow(2, levels)) / 2;
    double diameter = network->values[3] == RING ? floor(base / 2) : 1;
    *out = (fl_closed_forms){.nodes = (r - degree) * m,
                             .switches = m,
                             .links = (r - degree) * m + m * degree / 2,
                             .radix = r,
                             .diameter = pow(2, levels) * diameter + pow(2, levels + 1),
                             .average_distance_with_self = NAN,
                             .bisection_width = NAN};
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    closed_forms(network, out);
    out->links = NAN;
}

static const char *const bases[] = {"clique", "ring", NULL};

const fl_network_type fl_network_rdn = {
    .name = "rdn",
    .summary =
        "recursive dual-net: a base network of B switches, doubled and squared k times, nodes on all other ports",
    .source = "Yasudo thesis, 3.5.1.2 (Li, Peng, Chu 2009)",
    .parameters =
        {{.name = "k", .summary = "levels of recursion", .least = 1, .most = 4},
         {.name = "B", .summary = "switches of the base network", .least = 2, .most = 4096},
         {.name = "r", .summary = "radix", .least = 3, .most = 32767},
         {.name = "base",
          .summary = "how the base network is linked",
          .choices = bases,
          .optional = true}},
    .create = create,
    .closed_forms = closed_forms,
    .published = published,
    FL_EXPLICIT_FUNCTIONS,
};
