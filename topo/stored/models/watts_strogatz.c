/* Watts-Strogatz graph (Yasudo thesis, 2.3.2; Watts and Strogatz, 1998): a ring whose switches are
 * linked to the k/2 next ones on either side; each link then keeps the end that comes first and,
 * with a given probability, moves the other one to a switch drawn at random, without loops and
 * double links. Drawn again until it is connected. */
#include "topo/stored/models/model.h"

#include <math.h>

enum { DECIMALS = 9 };
#define UNIT UINT64_C(1000000000) /* of a probability of 1 */

typedef struct builder {
    uint32_t switches, half, nodes_each; /* half: links that a switch is the first end of */
    uint32_t rewire;                     /* probability, in billionths */
} builder;

static uint32_t nodes_of(void *user, uint32_t s)
{
    (void)s;
    return ((const builder *)user)->nodes_each;
}

/* Link u * half + i is the i-th of which u is the first end. */
static bool leads_to(const builder *b, const fl_explicit_graph *graph, uint32_t u, uint32_t v)
{
    for (uint64_t link = (uint64_t)u * b->half; link < ((uint64_t)u + 1) * b->half; link++)
        if (graph->ends[2 * link + 1] == v)
            return true;
    return false;
}

static bool can_link(const builder *b, const fl_explicit_graph *graph, uint32_t u, uint32_t v)
{
    return u != v && !leads_to(b, graph, u, v) && !leads_to(b, graph, v, u);
}

/* A switch that is linked to all others keeps its links. */
static void move_end(const builder *b, fl_explicit_graph *graph, fl_rng *rng, uint32_t u,
                     uint64_t link)
{
    for (unsigned attempt = 0; attempt < 10000; attempt++) {
        uint32_t v = fl_rng_below32(rng, b->switches);
        if (can_link(b, graph, u, v)) {
            graph->ends[2 * link + 1] = v;
            return;
        }
    }
}

/* As in the source: the links to the next switches first, then those to the ones after them. */
static bool draw(void *user, fl_explicit_graph *graph, fl_rng *rng)
{
    const builder *b = user;
    for (uint32_t u = 0; u < b->switches; u++)
        for (uint32_t i = 1; i <= b->half; i++)
            fl_explicit_link(graph, u, (u + i) % b->switches);
    for (uint32_t i = 0; i < b->half; i++)
        for (uint32_t u = 0; u < b->switches; u++)
            if (fl_rng_below32(rng, UNIT) < b->rewire)
                move_end(b, graph, rng, u, (uint64_t)u * b->half + i);
    return true;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint64_t m = values[0], k = values[1], p = values[3];
    builder b = {(uint32_t)m, (uint32_t)k / 2, (uint32_t)p, (uint32_t)values[2]};
    if (k % 2 != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: k=%llu is odd; half of the links of a switch lead to either side, so "
                       "that k must be even",
                       network->spec, (unsigned long long)k);
    if (k >= m)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: a switch cannot have links to %llu others: there are %llu switches, "
                       "and k must be below that",
                       network->spec, (unsigned long long)k, (unsigned long long)m);
    return fl_model_make(network,
                         &(fl_model){.nodes = m * p,
                                     .switches = m,
                                     .links_most = m * b.half,
                                     .nodes_of = nodes_of,
                                     .draw = draw,
                                     .user = &b,
                                     .seed = values[4],
                                     .advice = "a larger k or another seed may help"},
                         error);
}

/* Without moved links, a switch d places away is ceil(d / (k/2)) links away. */
static void ring_distances(const fl_network *network, fl_closed_forms *out)
{
    uint64_t m = network->values[0], half = network->values[1] / 2;
    double nodes = out->nodes, sum = 0;
    for (uint64_t d = 1; d < m; d++) {
        uint64_t places = d < m - d ? d : m - d;
        sum += (double)((places + half - 1) / half);
    }
    out->diameter = (double)((m / 2 + half - 1) / half + 2);
    out->average_distance_with_self = sum / (double)m + 2 - 2 / nodes;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    uint64_t m = network->values[0], k = network->values[1], p = network->values[3];
    fl_model_counts(m, p, out);
    out->links = (double)(m * (k / 2) + m * p);
    if (network->values[2] == 0) {
        out->radix = (double)(k + p);
        ring_distances(network, out);
    }
}

const fl_network_type fl_network_watts_strogatz = {
    .name = "watts-strogatz",
    .summary = "Watts-Strogatz small world: a ring with links to the k nearest switches, some of "
               "them moved to a random end",
    .source = "Yasudo thesis, 2.3.2",
    .parameters = {FL_MODEL_SWITCHES(3),
                   {.name = "k",
                    .summary = "links of a switch between switches, even, on average",
                    .least = 2,
                    .most = 1000},
                   {.name = "rewire",
                    .summary = "probability that a link is moved",
                    .least = 0,
                    .most = UNIT,
                    .decimals = DECIMALS},
                   FL_MODEL_NODES,
                   FL_MODEL_SEED},
    .create = create,
    .closed_forms = closed_forms,
    .published = fl_explicit_closed_forms,
    FL_EXPLICIT_FUNCTIONS,
};
