/* Random host-switch graph (Yasudo thesis, 3.4): n nodes, as evenly as possible on m switches of
 * radix r (switch 0 has most), and as many links between switches as ports are left, at random.
 * One port may stay empty. */
#include "topo/stored/models/model.h"
#include "topo/stored/models/pairing.h"

#include <stdlib.h>

typedef struct builder {
    uint32_t n, m, r;
    fl_pairing pairing;
} builder;

static uint32_t nodes_of(void *user, uint32_t s)
{
    const builder *b = user;
    return b->n / b->m + (s < b->n % b->m);
}

static bool draw(void *user, fl_explicit_graph *graph, fl_rng *rng)
{
    builder *b = user;
    return fl_pairing_draw(&b->pairing, graph, rng);
}

/* More than m - 1 others a switch cannot be linked to: ports above stay empty. */
static fl_status list_free_ports(void *user, fl_error *error)
{
    builder *b = user;
    uint32_t *degrees = malloc(b->m * sizeof *degrees);
    if (!degrees)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a random graph");
    for (uint32_t s = 0; s < b->m; s++) {
        uint32_t left = b->r - nodes_of(b, s), others = b->m - 1;
        degrees[s] = left < others ? left : others;
    }
    fl_status status = fl_pairing_create(&b->pairing, degrees, b->m, error);
    free(degrees);
    return status;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    builder b = {.n = (uint32_t)values[0], .m = (uint32_t)values[1], .r = (uint32_t)values[2]};
    uint32_t most = b.n / b.m + (b.n % b.m > 0);
    if (most > b.r || (b.m > 1 && (uint64_t)b.m * b.r < (uint64_t)b.n + 2 * ((uint64_t)b.m - 1)))
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: %u switches with %u ports cannot hold %u nodes and be connected",
                       network->spec, b.m, b.r, b.n);
    if ((uint64_t)b.m * b.r > 100000000)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: too large to be stored: m * r may be 100000000 at most", network->spec);
    fl_status status = fl_model_make(network,
                                     &(fl_model){.nodes = b.n,
                                                 .switches = b.m,
                                                 .links_most = (uint64_t)b.m * b.r / 2 + 1,
                                                 .nodes_of = nodes_of,
                                                 .prepare = list_free_ports,
                                                 .draw = draw,
                                                 .user = &b,
                                                 .seed = values[3],
                                                 .radix = b.r,
                                                 .attempts = 200},
                                     error);
    fl_pairing_destroy(&b.pairing);
    return status;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    fl_explicit_closed_forms(network, out);
    out->nodes = (double)network->values[0];
    out->switches = (double)network->values[1];
    out->radix = (double)network->values[2];
}

const fl_network_type fl_network_random = {
    .name = "random",
    .summary =
        "random host-switch graph: n nodes on m switches of radix r, all other ports linked at random",
    .source = "Yasudo thesis, 3.4",
    .parameters = {{.name = "n", .summary = "nodes", .least = 1, .most = 100000000},
                   {.name = "m", .summary = "switches", .least = 1, .most = 50000000},
                   {.name = "r", .summary = "radix", .least = 1, .most = 32767},
                   {.name = "seed",
                    .summary = "which of the random graphs",
                    .least = 0,
                    .most = UINT64_MAX - 1,
                    .optional = true}},
    .create = create,
    .closed_forms = closed_forms,
    .published = fl_explicit_closed_forms,
    FL_EXPLICIT_FUNCTIONS,
};
