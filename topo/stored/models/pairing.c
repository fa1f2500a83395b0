/* Random graphs of given degrees, by pairing free ports at random. */
#include "topo/stored/models/pairing.h"

#include <stdlib.h>
#include <string.h>

fl_status fl_pairing_create(fl_pairing *out, const uint32_t *degrees, uint32_t switches,
                            fl_error *error)
{
    *out = (fl_pairing){.switches = switches};
    out->offsets = malloc(((size_t)switches + 1) * sizeof *out->offsets);
    out->degree = malloc(((size_t)switches + 1) * sizeof *out->degree);
    if (!out->offsets || !out->degree)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a random graph");
    for (uint32_t s = 0; s < switches; s++) {
        out->offsets[s] = out->count;
        out->count += degrees[s];
    }
    out->offsets[switches] = out->count;
    out->free_ports = malloc((out->count + 1) * sizeof *out->free_ports);
    out->adjacent = malloc((out->count + 1) * sizeof *out->adjacent);
    if (!out->free_ports || !out->adjacent)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a random graph");
    for (uint32_t s = 0; s < switches; s++)
        for (uint64_t at = out->offsets[s]; at < out->offsets[s + 1]; at++)
            out->free_ports[at] = s;
    return FL_OK;
}

void fl_pairing_destroy(fl_pairing *pairing)
{
    free(pairing->free_ports);
    free(pairing->offsets);
    free(pairing->adjacent);
    free(pairing->degree);
}

static bool linked(const fl_pairing *p, uint32_t u, uint32_t v)
{
    uint32_t fewer = p->degree[u] <= p->degree[v] ? u : v, other = fewer == u ? v : u;
    const uint32_t *list = p->adjacent + p->offsets[fewer];
    for (uint32_t i = 0; i < p->degree[fewer]; i++)
        if (list[i] == other)
            return true;
    return false;
}

static void add_neighbour(fl_pairing *p, uint32_t u, uint32_t v)
{
    p->adjacent[p->offsets[u] + p->degree[u]++] = v;
}

static void drop_neighbour(fl_pairing *p, uint32_t u, uint32_t v)
{
    uint32_t *list = p->adjacent + p->offsets[u], i = 0;
    while (list[i] != v)
        i++;
    list[i] = list[--p->degree[u]];
}

static void join(fl_pairing *p, fl_explicit_graph *graph, uint32_t u, uint32_t v)
{
    fl_explicit_link(graph, u, v);
    add_neighbour(p, u, v);
    add_neighbour(p, v, u);
}

/* (u, v) cannot be linked: takes a link (x, y), and links (u, x) and (v, y) instead. */
static bool exchange(fl_pairing *p, fl_explicit_graph *graph, fl_rng *rng, uint32_t u, uint32_t v)
{
    for (unsigned attempt = 0; attempt < 10000 && graph->links > 0; attempt++) {
        uint64_t l = fl_rng_below(rng, graph->links), flip = fl_rng_below32(rng, 2);
        uint32_t x = graph->ends[2 * l + flip], y = graph->ends[2 * l + (flip ^ 1)];
        if (u == x || v == y || linked(p, u, x) || linked(p, v, y) || (u == v && x == y) ||
            (u == y && v == x))
            continue;
        drop_neighbour(p, x, y);
        drop_neighbour(p, y, x);
        graph->ends[2 * l] = u;
        graph->ends[2 * l + 1] = x;
        add_neighbour(p, u, x);
        add_neighbour(p, x, u);
        join(p, graph, v, y);
        return true;
    }
    return false;
}

bool fl_pairing_draw(fl_pairing *p, fl_explicit_graph *graph, fl_rng *rng)
{
    memset(p->degree, 0, p->switches * sizeof *p->degree);
    for (uint64_t i = p->count; i > 1; i--) {
        uint64_t j = fl_rng_below(rng, i);
        uint32_t kept = p->free_ports[i - 1];
        p->free_ports[i - 1] = p->free_ports[j];
        p->free_ports[j] = kept;
    }
    for (uint64_t i = 0; i + 1 < p->count; i += 2) {
        uint32_t u = p->free_ports[i], v = p->free_ports[i + 1];
        if (u != v && !linked(p, u, v))
            join(p, graph, u, v);
        else if (!exchange(p, graph, rng, u, v))
            return false;
    }
    return true;
}
