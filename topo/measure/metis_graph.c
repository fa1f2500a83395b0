/* A graph as METIS reads it, and its partitions. */
#include "topo/measure/metis_graph.h"
#include "core/random.h"

#include <stdlib.h>

void fl_metis_graph_destroy(fl_metis_graph *graph)
{
    free(graph->offsets);
    free(graph->targets);
    free(graph->parallel);
    free(graph->weights);
    free(graph->part);
}

/* METIS wants parallel links as one with a weight. False: out of memory. */
static bool list_arcs(fl_metis_graph *m, const uint64_t *offsets, const uint32_t *targets)
{
    size_t vertices = (size_t)m->vertices;
    uint64_t count = 0;
    uint64_t *seen = calloc(vertices, sizeof *seen); /* where the neighbour is listed, plus 1 */
    for (size_t v = 0; seen && v < vertices; v++) {
        uint64_t first = count;
        m->offsets[v] = (idx_t)first;
        for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++) {
            uint32_t to = targets[e];
            if (seen[to] > first) {
                m->parallel[seen[to] - 1]++;
                continue;
            }
            m->targets[count] = (idx_t)to;
            m->parallel[count++] = 1;
            seen[to] = count;
        }
    }
    m->offsets[vertices] = (idx_t)count;
    bool room = seen != NULL;
    free(seen);
    return room;
}

bool fl_metis_graph_create(fl_metis_graph *out, uint32_t vertices, const uint64_t *offsets,
                           const uint32_t *targets, const uint32_t *weights)
{
    size_t arcs = (size_t)offsets[vertices], count = vertices;
    *out = (fl_metis_graph){.vertices = (idx_t)vertices};
    out->offsets = malloc((count + 1) * sizeof *out->offsets);
    out->targets = malloc((arcs + 1) * sizeof *out->targets);
    out->parallel = malloc((arcs + 1) * sizeof *out->parallel);
    out->weights = malloc(count * sizeof *out->weights);
    out->part = malloc(count * sizeof *out->part);
    if (!out->offsets || !out->targets || !out->parallel || !out->weights || !out->part ||
        !list_arcs(out, offsets, targets)) {
        fl_metis_graph_destroy(out);
        return false;
    }
    for (size_t v = 0; v < count; v++)
        out->weights[v] = weights ? (idx_t)weights[v] : 1;
    return true;
}

int fl_metis_split(fl_metis_graph *graph, uint32_t parts, uint64_t seed)
{
    idx_t options[METIS_NOPTIONS], constraints = 1, wanted = (idx_t)parts, cut;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(fl_mix64(seed + 1) & 0x7fffffff);
    options[METIS_OPTION_UFACTOR] = 1;
    return METIS_PartGraphRecursive(&graph->vertices, &constraints, graph->offsets, graph->targets,
                                    graph->weights, NULL, graph->parallel, &wanted, NULL, NULL,
                                    options, &cut, graph->part);
}
