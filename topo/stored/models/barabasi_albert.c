/* Barabasi-Albert graph (Barabasi and Albert, 1999): scale-free by growth. k + 1 switches are all
 * linked to each other; each one that follows is linked to k different ones of those before it,
 * drawn in proportion to their degrees. It is always connected. */
#include "topo/stored/models/model.h"

typedef struct builder {
    uint32_t switches, k, nodes_each;
} builder;

static uint32_t nodes_of(void *user, uint32_t s)
{
    (void)s;
    return ((const builder *)user)->nodes_each;
}

static uint64_t links_of(uint64_t m, uint64_t k)
{
    return k * (k + 1) / 2 + (m - k - 1) * k;
}

static bool is_new(const fl_explicit_graph *graph, uint64_t first, uint32_t target)
{
    for (uint64_t link = first; link < graph->links; link++)
        if (graph->ends[2 * link + 1] == target)
            return false;
    return true;
}

/* An end of a link drawn at random is a switch drawn in proportion to its degree. */
static bool draw(void *user, fl_explicit_graph *graph, fl_rng *rng)
{
    const builder *b = user;
    for (uint32_t u = 1; u <= b->k; u++)
        for (uint32_t v = 0; v < u; v++)
            fl_explicit_link(graph, u, v);
    for (uint32_t u = b->k + 1; u < b->switches; u++) {
        uint64_t before = graph->links;
        while (graph->links < before + b->k) {
            uint32_t target = graph->ends[fl_rng_below(rng, 2 * before)];
            if (is_new(graph, before, target))
                fl_explicit_link(graph, u, target);
        }
    }
    return true;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint64_t m = values[0], k = values[1], p = values[2];
    builder b = {.switches = (uint32_t)m, .k = (uint32_t)k, .nodes_each = (uint32_t)p};
    if (k >= m)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: a switch cannot have links to %u others: there are %u switches, and k "
                       "must be below that",
                       network->spec, b.k, b.switches);
    return fl_model_make(network,
                         &(fl_model){.nodes = m * p,
                                     .switches = m,
                                     .links_most = links_of(m, k),
                                     .nodes_of = nodes_of,
                                     .draw = draw,
                                     .user = &b,
                                     .seed = values[3]},
                         error);
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    uint64_t m = network->values[0], p = network->values[2];
    fl_model_counts(m, p, out);
    out->links = (double)(links_of(m, network->values[1]) + m * p);
}

const fl_network_type fl_network_barabasi_albert = {
    .name = "barabasi-albert",
    .summary =
        "Barabasi-Albert graph, scale-free by growth: each new switch linked to k others, the more "
        "links they have the more likely",
    .source = "Barabasi and Albert 1999; Yasudo thesis, 2.3.3",
    .parameters = {FL_MODEL_SWITCHES(2),
                   {.name = "k", .summary = "links of a new switch", .least = 1, .most = 1000},
                   FL_MODEL_NODES,
                   FL_MODEL_SEED},
    .create = create,
    .closed_forms = closed_forms,
    .published = fl_explicit_closed_forms,
    FL_EXPLICIT_FUNCTIONS,
};
