/* Clusters of at most `size` vertices with few links between them. METIS splits into parts of
 * almost equal size; here those that are too large give vertices away, and moves of single vertices
 * and exchanges of two save further links. */
#include "topo/measure/clusters.h"
#include "core/memory.h"
#include "topo/measure/metis_graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- links ---- */

void fl_link_list_destroy(fl_link_list *list)
{
    free(list->ends);
    *list = (fl_link_list){0};
}

static uint32_t vertex_of(const fl_network *network, fl_address address)
{
    const fl_network_type *type = network->type;
    return (uint32_t)(fl_address_is_node(address)
                          ? type->node_index(network, address)
                          : network->nodes + type->switch_index(network, address));
}

fl_status fl_link_list_create(fl_link_list *out, const fl_network *network, fl_error *error)
{
    const fl_network_type *type = network->type;
    if (network->nodes + network->switches > INT32_MAX || network->links > INT32_MAX / 2)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s is too large to be clustered: %llu nodes, %llu switches, %llu links; "
                       "2^31 - 1 vertices and 2^30 - 1 links are possible",
                       network->spec, (unsigned long long)network->nodes,
                       (unsigned long long)network->switches, (unsigned long long)network->links);
    /* The pairs; rows of neighbours, here and in METIS; its coarser graphs. */
    double bytes = 72.0 * (double)network->links + 80.0 * (double)network->nodes;
    fl_status status = fl_memory_check(bytes, network->spec, error);
    if (status)
        return status;
    *out = (fl_link_list){.vertices = (uint32_t)(network->nodes + network->switches),
                          .nodes = (uint32_t)network->nodes,
                          .links = network->links};
    out->ends = malloc((network->links + 1) * sizeof *out->ends);
    if (!out->ends)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the links");
    for (uint64_t i = 0; i < network->links; i++) {
        fl_link_ends ends;
        type->link_ends(network, type->link_code(network, i), &ends);
        out->ends[i] = (fl_link_pair){vertex_of(network, ends.a), vertex_of(network, ends.b)};
    }
    return FL_OK;
}

/* ---- the state ---- */

#define NOWHERE UINT32_MAX

/* Looking at a neighbour is a unit of work. */
#define REFINEMENT_WORK_MAX UINT64_C(300000000)

typedef struct clustering {
    uint32_t vertices, parts, size;
    uint64_t *offsets;
    uint32_t *targets;
    uint32_t *part, *place; /* [vertices] part of each, and its place in the list of members */
    uint32_t *count, *ends; /* [parts] */
    uint32_t *members;      /* [parts * size] once no part is too large */
    uint32_t *links_to;     /* [parts] links of the vertex at hand, 0 for others */
    uint32_t *touched;      /* [parts] parts that it has links to */
    uint32_t touched_count;
    uint32_t *best;
    uint64_t best_cut, work;
} clustering;

static void clustering_destroy(clustering *c)
{
    free(c->offsets);
    free(c->targets);
    free(c->part);
    free(c->place);
    free(c->count);
    free(c->ends);
    free(c->members);
    free(c->links_to);
    free(c->touched);
}

static void fill_rows(clustering *c, const fl_link_list *list)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < list->links; i++) {
        c->offsets[list->ends[i].a]++;
        c->offsets[list->ends[i].b]++;
    }
    for (uint32_t v = 0; v <= c->vertices; v++) { /* the end of each row */
        sum += v < c->vertices ? c->offsets[v] : 0;
        c->offsets[v] = sum;
    }
    for (uint64_t i = list->links; i-- > 0;) { /* which moves back to its beginning */
        fl_link_pair ends = list->ends[i];
        c->targets[--c->offsets[ends.a]] = ends.b;
        c->targets[--c->offsets[ends.b]] = ends.a;
    }
}

/* False: out of memory. */
static bool clustering_create(clustering *c, const fl_link_list *list, uint32_t size,
                              uint32_t *best)
{
    size_t n = list->vertices, parts = (n + size - 1) / size;
    *c = (clustering){.vertices = list->vertices,
                      .parts = (uint32_t)parts,
                      .size = size,
                      .best = best,
                      .best_cut = UINT64_MAX};
    c->offsets = calloc(n + 1, sizeof *c->offsets);
    c->targets = malloc((2 * list->links + 1) * sizeof *c->targets);
    c->part = malloc(n * sizeof *c->part);
    c->place = malloc(n * sizeof *c->place);
    c->count = malloc(parts * sizeof *c->count);
    c->ends = malloc(parts * sizeof *c->ends);
    c->members = malloc(parts * (size < n ? size : n) * sizeof *c->members);
    c->links_to = calloc(parts, sizeof *c->links_to);
    c->touched = malloc(parts * sizeof *c->touched);
    if (!c->offsets || !c->targets || !c->part || !c->place || !c->count || !c->ends ||
        !c->members || !c->links_to || !c->touched) {
        clustering_destroy(c);
        return false;
    }
    fill_rows(c, list);
    return true;
}

static uint64_t cut_of(const clustering *c)
{
    uint64_t cut = 0;
    for (uint32_t v = 0; v < c->vertices; v++)
        for (uint64_t e = c->offsets[v]; e < c->offsets[v + 1]; e++)
            cut += c->part[v] != c->part[c->targets[e]];
    return cut / 2;
}

/* Counts the links of vertex v to each part; undone by forget_links. */
static void count_links(clustering *c, uint32_t v)
{
    for (uint64_t e = c->offsets[v]; e < c->offsets[v + 1]; e++) {
        uint32_t part = c->part[c->targets[e]];
        if (c->links_to[part]++ == 0)
            c->touched[c->touched_count++] = part;
    }
    c->work += c->offsets[v + 1] - c->offsets[v] + 1;
}

static void forget_links(clustering *c)
{
    while (c->touched_count > 0)
        c->links_to[c->touched[--c->touched_count]] = 0;
}

/* ---- parts that are too large ---- */

static uint32_t part_with_most_room(const clustering *c)
{
    uint32_t best = 0;
    for (uint32_t p = 1; p < c->parts; p++)
        if (c->count[p] < c->count[best])
            best = p;
    return best;
}

/* Where vertex v loses the fewest links, of the parts with room; *gain: links saved. */
static uint32_t best_part_with_room(clustering *c, uint32_t v, int64_t *gain)
{
    uint32_t best = NOWHERE;
    count_links(c, v);
    int64_t here = c->links_to[c->part[v]];
    for (uint32_t i = 0; i < c->touched_count; i++) {
        uint32_t p = c->touched[i];
        if (p == c->part[v] || c->count[p] >= c->size)
            continue;
        if (best == NOWHERE || c->links_to[p] > c->links_to[best])
            best = p;
    }
    *gain = (best == NOWHERE ? 0 : (int64_t)c->links_to[best]) - here;
    forget_links(c);
    return best;
}

/* Takes from a part the vertex that costs the fewest links, until no more than `size` are left.
 * `all`: the vertices that it had. */
static void shrink(clustering *c, uint32_t part, const uint32_t *all, uint32_t count)
{
    while (c->count[part] > c->size) {
        uint32_t vertex = NOWHERE, to = NOWHERE;
        int64_t most = INT64_MIN;
        for (uint32_t i = 0; i < count; i++) {
            int64_t gain;
            if (c->part[all[i]] != part)
                continue;
            uint32_t p = best_part_with_room(c, all[i], &gain);
            if (gain > most) {
                most = gain;
                vertex = all[i];
                to = p;
            }
        }
        if (to == NOWHERE)
            to = part_with_most_room(c);
        c->part[vertex] = to;
        c->count[part]--;
        c->count[to]++;
    }
}

static void list_members(clustering *c)
{
    memset(c->count, 0, c->parts * sizeof *c->count);
    for (uint32_t v = 0; v < c->vertices; v++) {
        uint32_t p = c->part[v];
        c->place[v] = c->count[p];
        c->members[(size_t)p * c->size + c->count[p]++] = v;
    }
}

static void repair(clustering *c)
{
    uint32_t sum = 0;
    memset(c->count, 0, c->parts * sizeof *c->count);
    for (uint32_t v = 0; v < c->vertices; v++)
        c->count[c->part[v]]++;
    for (uint32_t p = 0; p < c->parts; p++) {
        c->ends[p] = sum;
        sum += c->count[p];
    }
    for (uint32_t v = 0; v < c->vertices;
         v++) /* `place` holds the vertices by part until the end */
        c->place[c->ends[c->part[v]]++] = v;
    for (uint32_t p = 0, first = 0; p < c->parts; p++) {
        uint32_t all = c->ends[p] - first;
        shrink(c, p, &c->place[first], all);
        first += all;
    }
    list_members(c);
}

/* ---- moves and exchanges ---- */

static void move(clustering *c, uint32_t v, uint32_t to)
{
    uint32_t from = c->part[v], *row = &c->members[(size_t)from * c->size];
    uint32_t last = row[--c->count[from]];
    row[c->place[v]] = last;
    c->place[last] = c->place[v];
    c->part[v] = to;
    c->place[v] = c->count[to];
    c->members[(size_t)to * c->size + c->count[to]++] = v;
}

static void exchange(clustering *c, uint32_t v, uint32_t u)
{
    uint32_t part = c->part[v], place = c->place[v];
    c->members[(size_t)part * c->size + place] = u;
    c->members[(size_t)c->part[u] * c->size + c->place[u]] = v;
    c->part[v] = c->part[u];
    c->place[v] = c->place[u];
    c->part[u] = part;
    c->place[u] = place;
}

/* Links saved when u goes to `to`, where v has just left; a link between the two stays cut. */
static int64_t gain_of_return(clustering *c, uint32_t u, uint32_t v, uint32_t to)
{
    int64_t gain = 0;
    for (uint64_t e = c->offsets[u]; e < c->offsets[u + 1]; e++) {
        uint32_t target = c->targets[e];
        if (target == v)
            gain -= 2;
        gain += c->part[target] == to;
        gain -= c->part[target] == c->part[u];
    }
    c->work += c->offsets[u + 1] - c->offsets[u] + 1;
    return gain;
}

/* The vertex of a part that is best to take the place of v; *gain: links it saves. */
static uint32_t best_return(clustering *c, uint32_t v, uint32_t part, int64_t *gain)
{
    uint32_t best = NOWHERE;
    *gain = INT64_MIN;
    for (uint32_t i = 0; i < c->count[part]; i++) {
        uint32_t u = c->members[(size_t)part * c->size + i];
        int64_t back = gain_of_return(c, u, v, c->part[v]);
        if (back > *gain) {
            *gain = back;
            best = u;
        }
    }
    return best;
}

/* Moves v, or exchanges it, where that saves most links. True: some were saved. */
static bool improve_vertex(clustering *c, uint32_t v)
{
    uint32_t to = NOWHERE, partner = NOWHERE;
    int64_t most = 0;
    count_links(c, v);
    int64_t here = c->links_to[c->part[v]];
    for (uint32_t i = 0; i < c->touched_count; i++) {
        uint32_t p = c->touched[i], u = NOWHERE;
        int64_t gain = (int64_t)c->links_to[p] - here, back = 0;
        if (p == c->part[v] || gain < 0)
            continue;
        if (c->count[p] >= c->size) {
            u = best_return(c, v, p, &back);
            gain += back;
        }
        if (gain > most) {
            most = gain;
            to = p;
            partner = u;
        }
    }
    forget_links(c);
    if (to == NOWHERE)
        return false;
    if (partner == NOWHERE)
        move(c, v, to);
    else
        exchange(c, v, partner);
    return true;
}

/* Takes the partition in c->part. */
static void finish(clustering *c)
{
    bool better = true;
    repair(c);
    c->work = 0;
    while (better && c->work < REFINEMENT_WORK_MAX) {
        better = false;
        for (uint32_t v = 0; v < c->vertices && c->work < REFINEMENT_WORK_MAX; v++)
            better |= improve_vertex(c, v);
    }
    uint64_t cut = cut_of(c);
    if (cut < c->best_cut) {
        c->best_cut = cut;
        memcpy(c->best, c->part, c->vertices * sizeof *c->best);
    }
}

/* ---- partitions to begin with ---- */

typedef struct stretches {
    uint64_t seen;
    bool equal;
} stretches;

static void append(clustering *c, stretches *s, uint32_t v)
{
    if (c->part[v] != NOWHERE)
        return;
    c->part[v] = (uint32_t)(s->equal ? s->seen * c->parts / c->vertices : s->seen / c->size);
    s->seen++;
}

/* Vertices in the order of the switches, each after the nodes that have no place yet, cut into
 * stretches: of `size` vertices, or of almost equal ones. */
static void cut_order(clustering *c, uint32_t nodes, bool equal)
{
    stretches s = {.equal = equal};
    for (uint32_t v = 0; v < c->vertices; v++)
        c->part[v] = NOWHERE;
    for (uint32_t v = nodes; v < c->vertices; v++) {
        for (uint64_t e = c->offsets[v]; e < c->offsets[v + 1]; e++)
            if (c->targets[e] < nodes)
                append(c, &s, c->targets[e]);
        append(c, &s, v);
    }
    for (uint32_t v = 0; v < nodes; v++) /* without a switch */
        append(c, &s, v);
}

enum { METIS_SEEDS = 8 };

/* False: out of memory. */
static bool try_metis(clustering *c, uint64_t seed)
{
    fl_metis_graph m;
    int end = METIS_OK;
    if (!fl_metis_graph_create(&m, c->vertices, c->offsets, c->targets, NULL))
        return false;
    for (unsigned i = 0; i < METIS_SEEDS && end != METIS_ERROR_MEMORY; i++) {
        end = fl_metis_split(&m, c->parts, seed * METIS_SEEDS + i);
        for (uint32_t v = 0; v < c->vertices && end == METIS_OK; v++)
            c->part[v] = (uint32_t)m.part[v];
        if (end == METIS_OK)
            finish(c);
    }
    fl_metis_graph_destroy(&m);
    return end != METIS_ERROR_MEMORY;
}

fl_status fl_clusters_find(uint32_t *cluster, uint32_t *count, const fl_link_list *list,
                           uint32_t size, uint64_t seed, fl_error *error)
{
    clustering c;
    bool room = clustering_create(&c, list, size, cluster);
    if (room) {
        *count = c.parts;
        for (int equal = 0; equal < 2; equal++) {
            cut_order(&c, list->nodes, equal);
            finish(&c);
        }
        room = c.parts == 1 || try_metis(&c, seed);
        clustering_destroy(&c);
    }
    return room ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory for clusters");
}
