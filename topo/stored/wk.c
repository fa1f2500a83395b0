/* WK-recursive network WK(K, L) with switches of radix r (Yasudo thesis, 3.5.1.1). Switch
 * d_{L-1}..d_0: linked to all that differ in d_0 only; and (prefix, a, b, ..., b) to
 * (prefix, b, a, ..., a), a != b, by which the K parts of every level form a clique. The K
 * switches with all digits equal have no such link. All other ports hold nodes.
 *
 * The source subtracts (L-1)(K-1) ports for the links beyond the cliques (3.8); there are
 * K^L - K of them, one for every switch but those of equal digits. */
#include "topo/stored/explicit.h"
#include "topo/trees/tree.h"

#include <math.h>

typedef struct layout {
    uint32_t k, r;
    uint64_t corner; /* 1...1: switches i * corner have all digits equal */
} layout;

static uint32_t nodes_of(void *user, uint32_t s)
{
    const layout *l = user;
    return l->r - (l->k - 1) - (s % l->corner != 0);
}

/* The switch at the other end of the link beyond the clique; s itself if there is none. */
static uint32_t far_end(uint32_t k, unsigned levels, uint32_t s)
{
    uint64_t place = 1, ones = 0;
    uint32_t b = s % k;
    for (unsigned level = 0; level < levels; level++, ones += place, place *= k) {
        uint32_t a = (uint32_t)(s / place % k);
        if (a != b)
            return (uint32_t)(s - (s % (place * k)) + b * place + a * ones);
    }
    return s;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint32_t k = (uint32_t)values[0], r = (uint32_t)values[2];
    unsigned levels = (unsigned)values[1];
    if (r < k)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: switches have up to K = %u links: r must be at least that",
                       network->spec, k);
    if (levels * log2(k) > 27)
        return fl_fail(error, FL_ERR_INVALID, "%s: too large to be stored: %u^%u switches",
                       network->spec, k, levels);
    uint32_t switches = (uint32_t)fl_tree_power(k, levels);
    layout l = {k, r, (switches - 1) / (k - 1)};
    fl_explicit_graph graph;
    uint64_t outer = (switches - k) / 2, nodes = (uint64_t)switches * (r - k + 1) - 2 * outer;
    fl_status status = fl_explicit_begin(&graph, network, nodes, switches,
                                         (uint64_t)switches * (k - 1) / 2 + outer, error);
    if (status)
        return status;
    fl_explicit_fill_homes(&graph, nodes_of, &l);
    for (uint32_t s = 0; s < switches; s++) {
        for (uint32_t i = s % k + 1; i < k; i++)
            fl_explicit_link(&graph, s, s - s % k + i);
        if (far_end(k, levels, s) > s)
            fl_explicit_link(&graph, s, far_end(k, levels, s));
    }
    return fl_explicit_finish(network, &graph, r, error);
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    double k = (double)network->values[0], levels = (double)network->values[1],
           r = (double)network->values[2], m = pow(k, levels);
    double nodes = m * (r - k + 1) - (m - k);
    *out = (fl_closed_forms){.nodes = nodes,
                             .switches = m,
                             .links = nodes + m * (k - 1) / 2 + (m - k) / 2,
                             .radix = r,
                             .diameter = r > k ? pow(2, levels) + 1 : NAN,
                             .average_distance_with_self = NAN,
                             .bisection_width = NAN};
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    double k = (double)network->values[0], levels = (double)network->values[1],
           r = (double)network->values[2];
    closed_forms(network, out);
    out->nodes = pow(k, levels) * (r - k + 1) - (levels - 1) * (k - 1);
    out->links = NAN;
    out->diameter = pow(2, levels) + 1;
}

/* Cliques on circles whose middles are on circles, and so on: every level as large as needed to
 * keep its parts apart. */
static void place(const fl_network *network, fl_address at, double *x, double *y)
{
    uint64_t k = network->values[0], number = fl_explicit_switch_index(network, at);
    const double turn = 6.283185307179586;
    double radius = 0.6 / sin(turn / 2 / (double)k), size = 0;
    *x = *y = 0;
    for (uint64_t level = 0; level < network->values[1]; level++, number /= k) {
        double around = turn * ((double)(number % k) + 0.5) / (double)k - turn / 2;
        *x += radius * cos(around);
        *y += radius * sin(around);
        size += radius;
        radius = (size + 0.7) / sin(turn / 2 / (double)k);
    }
}

const fl_network_type fl_network_wk = {
    .name = "wk",
    .summary = "WK-recursive network: K^L switches, cliques of cliques, nodes on all other ports",
    .source = "Yasudo thesis, 3.5.1.1",
    .parameters = {{.name = "K", .summary = "size of a clique", .least = 2, .most = 4096},
                   {.name = "L", .summary = "levels of recursion", .least = 1, .most = 27},
                   {.name = "r", .summary = "radix, K at least", .least = 2, .most = 32767}},
    .create = create,
    .closed_forms = closed_forms,
    .published = published,
    .place = place,
    FL_EXPLICIT_FUNCTIONS,
};
