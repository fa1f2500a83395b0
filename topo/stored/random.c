/* Random host-switch graph (Yasudo thesis, 3.4): n nodes, as evenly as possible on m switches of
 * radix r (switch 0 has most), and as many links between switches as ports are left, at random.
 * Free ports are paired at random; loops and double links are undone by exchanging ends with
 * links drawn at random. A graph that is not connected is thrown away. One port may stay empty. */
#include "topo/stored/explicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    uint32_t n, m, r;
    uint32_t *free_ports; /* a switch for every free port */
    uint64_t count;
    uint32_t *adjacent; /* [m][r] */
    uint32_t *degree;   /* [m] */
    uint32_t *queue;    /* [m] of a search */
    bool *seen;         /* [m] */
    fl_explicit_graph graph;
    fl_rng rng;
} builder;

static uint32_t nodes_of(void *user, uint32_t s)
{
    const builder *b = user;
    return b->n / b->m + (s < b->n % b->m);
}

static bool linked(const builder *b, uint32_t u, uint32_t v)
{
    for (uint32_t i = 0; i < b->degree[u]; i++)
        if (b->adjacent[(size_t)u * b->r + i] == v)
            return true;
    return false;
}

static void add_neighbour(builder *b, uint32_t u, uint32_t v)
{
    b->adjacent[(size_t)u * b->r + b->degree[u]++] = v;
}

static void drop_neighbour(builder *b, uint32_t u, uint32_t v)
{
    uint32_t *list = b->adjacent + (size_t)u * b->r, i = 0;
    while (list[i] != v)
        i++;
    list[i] = list[--b->degree[u]];
}

static void join(builder *b, uint32_t u, uint32_t v)
{
    fl_explicit_link(&b->graph, u, v);
    add_neighbour(b, u, v);
    add_neighbour(b, v, u);
}

/* (u, v) cannot be linked: takes a link (x, y), and links (u, x) and (v, y) instead. */
static bool exchange(builder *b, uint32_t u, uint32_t v)
{
    for (unsigned attempt = 0; attempt < 10000 && b->graph.links > 0; attempt++) {
        uint64_t l = fl_rng_below(&b->rng, b->graph.links), flip = fl_rng_below32(&b->rng, 2);
        uint32_t x = b->graph.ends[2 * l + flip], y = b->graph.ends[2 * l + (flip ^ 1)];
        if (u == x || v == y || linked(b, u, x) || linked(b, v, y) || (u == v && x == y) ||
            (u == y && v == x))
            continue;
        drop_neighbour(b, x, y);
        drop_neighbour(b, y, x);
        b->graph.ends[2 * l] = u;
        b->graph.ends[2 * l + 1] = x;
        add_neighbour(b, u, x);
        add_neighbour(b, x, u);
        join(b, v, y);
        return true;
    }
    return false;
}

static bool attempt(builder *b)
{
    b->graph.links = 0;
    for (uint32_t s = 0; s < b->m; s++)
        b->degree[s] = 0;
    for (uint64_t i = b->count; i > 1; i--) {
        uint64_t j = fl_rng_below(&b->rng, i);
        uint32_t kept = b->free_ports[i - 1];
        b->free_ports[i - 1] = b->free_ports[j];
        b->free_ports[j] = kept;
    }
    for (uint64_t i = 0; i + 1 < b->count; i += 2) {
        uint32_t u = b->free_ports[i], v = b->free_ports[i + 1];
        if (u != v && !linked(b, u, v))
            join(b, u, v);
        else if (!exchange(b, u, v))
            return false;
    }
    return true;
}

static bool connected(builder *b)
{
    uint32_t head = 0, tail = 0, *queue = b->queue;
    bool *seen = b->seen;
    memset(seen, 0, b->m * sizeof *seen);
    queue[tail++] = 0;
    seen[0] = true;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t i = 0; i < b->degree[v]; i++) {
            uint32_t u = b->adjacent[(size_t)v * b->r + i];
            if (!seen[u]) {
                seen[u] = true;
                queue[tail++] = u;
            }
        }
    }
    return tail == b->m;
}

static bool allocate(builder *b)
{
    b->free_ports = malloc(((size_t)b->m * b->r + 1) * sizeof *b->free_ports);
    b->adjacent = malloc(((size_t)b->m * b->r + 1) * sizeof *b->adjacent);
    b->degree = malloc(b->m * sizeof *b->degree);
    b->queue = malloc(b->m * sizeof *b->queue);
    b->seen = malloc(b->m * sizeof *b->seen);
    return b->free_ports && b->adjacent && b->degree && b->queue && b->seen;
}

/* More than m - 1 others a switch cannot be linked to: ports above stay empty. */
static void list_free_ports(builder *b)
{
    for (uint32_t s = 0; s < b->m; s++) {
        uint32_t left = b->r - nodes_of(b, s), others = b->m - 1;
        for (uint32_t i = 0; i < (left < others ? left : others); i++)
            b->free_ports[b->count++] = s;
    }
}

static fl_status build(fl_network *network, builder *b, fl_error *error)
{
    bool made = false;
    for (int i = 0; i < 200 && !made; i++)
        made = attempt(b) && connected(b);
    if (made) {
        fl_explicit_fill_homes(&b->graph, nodes_of, b);
        return fl_explicit_finish(network, &b->graph, b->r, error);
    }
    fl_explicit_abandon(&b->graph);
    return fl_fail(error, FL_ERR_INVALID,
                   "%s: none of 200 random graphs was connected and had no double links",
                   network->spec);
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
    fl_rng_seed(&b.rng, values[3], FL_PURPOSE_ROUTING, 0);
    fl_status status =
        fl_explicit_begin(&b.graph, network, b.n, b.m, (uint64_t)b.m * b.r / 2 + 1, error);
    if (!status && !allocate(&b)) {
        fl_explicit_abandon(&b.graph);
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for %s", network->spec);
    }
    if (!status) {
        list_free_ports(&b);
        status = build(network, &b, error);
    }
    free(b.free_ports);
    free(b.adjacent);
    free(b.degree);
    free(b.queue);
    free(b.seen);
    return status;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    fl_explicit_closed_forms(network, out);
    out->nodes = (double)network->values[0];
    out->switches = (double)network->values[1];
    out->radix = (double)network->values[2];
}

static void published(const fl_network *network, fl_closed_forms *out)
{
    fl_explicit_closed_forms(network, out);
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
    .published = published,
    FL_EXPLICIT_FUNCTIONS,
};
