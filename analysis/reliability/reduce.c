#include "analysis/reliability/private.h"

#include <stdlib.h>
#include <string.h>

/* ---- polynomials ---- */

bool fl_polynomial_create(fl_polynomial *out, uint32_t size)
{
    *out = (fl_polynomial){.size = size, .at = calloc(size, sizeof *out->at)};
    return out->at != NULL;
}

void fl_polynomial_destroy(fl_polynomial *polynomial)
{
    free(polynomial->at);
    *polynomial = (fl_polynomial){0};
}

/* A coefficient gains one rounding in each product and one in each addition. */
void fl_polynomial_add_product(fl_polynomial *sum, const fl_polynomial *a, const fl_polynomial *b)
{
    for (uint32_t i = 0; i < a->size; i++)
        for (uint32_t j = 0; a->at[i] != 0 && j < b->size; j++)
            if (b->at[j] != 0)
                sum->at[i + j] += a->at[i] * b->at[j];
    uint64_t terms = a->size < b->size ? a->size : b->size;
    uint64_t product = a->roundings + b->roundings + 1;
    sum->roundings = (sum->roundings > product ? sum->roundings : product) + terms;
}

bool fl_polynomial_create_free_links(fl_polynomial *out, uint32_t links)
{
    if (!fl_polynomial_create(out, links + 1))
        return false;
    out->at[0] = 1;
    for (uint32_t size = 1; size <= links; size++) /* Pascal's triangle, row by row */
        for (uint32_t i = size; i > 0; i--)
            out->at[i] += out->at[i - 1];
    out->roundings = links;
    return true;
}

/* ---- links at work ---- */

typedef struct work_link {
    uint32_t a, b;
    bool gone;
    fl_weight weight;
} work_link;

typedef struct work {
    uint32_t vertices, links, source, target;
    work_link *link;
    uint32_t *degree;
    uint32_t
        *mixed; /* [vertex]: exclusive or of its links, so that one of two leads to the other */
    fl_polynomial factor;
    uint32_t free_links;
    bool failed; /* out of memory */
} work;

static void weight_destroy(fl_weight *weight)
{
    fl_polynomial_destroy(&weight->up);
    fl_polynomial_destroy(&weight->down);
}

static bool weight_create(fl_weight *out, uint32_t links)
{
    *out = (fl_weight){.links = links};
    return fl_polynomial_create(&out->up, links + 1) && fl_polynomial_create(&out->down, links + 1);
}

static bool weight_create_single(fl_weight *out)
{
    if (!weight_create(out, 1))
        return false;
    out->up.at[0] = 1;
    out->down.at[1] = 1;
    return true;
}

/* In series both must be up, in parallel both must be down. */
static bool weight_create_joined(fl_weight *out, const fl_weight *a, const fl_weight *b,
                                 bool series)
{
    if (!weight_create(out, a->links + b->links))
        return false;
    fl_polynomial *mixed = series ? &out->down : &out->up;
    fl_polynomial_add_product(&out->up, &a->up, &b->up);
    fl_polynomial_add_product(&out->down, &a->down, &b->down);
    fl_polynomial_add_product(mixed, &a->up, &b->down);
    fl_polynomial_add_product(mixed, &a->down, &b->up);
    return true;
}

static void work_destroy(work *w)
{
    for (uint32_t e = 0; w->link && e < w->links; e++)
        weight_destroy(&w->link[e].weight);
    free(w->link);
    free(w->degree);
    free(w->mixed);
    fl_polynomial_destroy(&w->factor);
}

static void hook(work *w, uint32_t link, uint32_t vertex)
{
    w->degree[vertex]++;
    w->mixed[vertex] ^= link;
}

static void unhook(work *w, uint32_t link, uint32_t vertex)
{
    w->degree[vertex]--;
    w->mixed[vertex] ^= link;
}

static void remove_link(work *w, uint32_t link)
{
    unhook(w, link, w->link[link].a);
    unhook(w, link, w->link[link].b);
    w->link[link].gone = true;
    weight_destroy(&w->link[link].weight);
}

static bool work_create(work *w, const fl_graph *graph, uint32_t source, uint32_t target)
{
    *w = (work){.vertices = (uint32_t)graph->vertices,
                .links = (uint32_t)(graph->offsets[graph->vertices] / 2),
                .source = source,
                .target = target};
    w->link = calloc(w->links + 1, sizeof *w->link);
    w->degree = calloc(w->vertices, sizeof *w->degree);
    w->mixed = calloc(w->vertices, sizeof *w->mixed);
    if (!w->link || !w->degree || !w->mixed || !fl_polynomial_create(&w->factor, 1))
        return false;
    w->factor.at[0] = 1;
    for (uint32_t v = 0; v < w->vertices; v++)
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            work_link *link = &w->link[graph->links[e]];
            *(link->weight.links == 0 ? &link->a : &link->b) = v;
            if (link->weight.links == 0 && !weight_create_single(&link->weight))
                return false;
            hook(w, graph->links[e], v);
        }
    return true;
}

/* ---- links that cannot matter ---- */

/* Marks what `from` reaches without passing `without`, nor ends other than these two. */
static void reach(const fl_graph *graph, const uint32_t ends[2], uint32_t from, uint32_t without,
                  bool *reached, uint32_t *stack)
{
    if (from == without || reached[from])
        return;
    uint32_t count = 0;
    stack[count++] = from;
    reached[from] = true;
    while (count > 0) {
        uint32_t v = stack[--count];
        if (v < graph->ends_only && v != ends[0] && v != ends[1])
            continue;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
            uint32_t u = graph->targets[e];
            if (u != without && !reached[u]) {
                reached[u] = true;
                stack[count++] = u;
            }
        }
    }
}

/* Links of nodes that forward nothing, but for the ends. */
static void free_other_ends(work *w, const fl_graph *graph)
{
    for (uint32_t e = 0; e < w->links; e++)
        for (unsigned side = 0; side < 2; side++) {
            uint32_t v = side ? w->link[e].b : w->link[e].a;
            if (v < graph->ends_only && v != w->source && v != w->target && !w->link[e].gone) {
                remove_link(w, e);
                w->free_links++;
            }
        }
}

static void free_unreached(work *w, const bool *reached, uint32_t except)
{
    for (uint32_t e = 0; e < w->links; e++) {
        uint32_t a = w->link[e].a, b = w->link[e].b;
        bool off = (a != except && !reached[a]) || (b != except && !reached[b]) || a == b;
        if (off && !w->link[e].gone) {
            remove_link(w, e);
            w->free_links++;
        }
    }
}

/* By Menger's theorem a link lies on no simple path between the ends exactly if one vertex
 * separates it from both. A vertex with one link separates nothing that is of interest but
 * itself, which its neighbour does too. */
static bool free_irrelevant(work *w, const fl_graph *graph)
{
    bool *reached = calloc(w->vertices, sizeof *reached);
    uint32_t *stack = calloc(w->vertices, sizeof *stack);
    const uint32_t ends[2] = {w->source, w->target};
    free_other_ends(w, graph);
    for (uint32_t v = 0; reached && stack && v <= w->vertices;
         v++) { /* the last stands for no vertex */
        if (v < w->vertices && graph->offsets[v + 1] - graph->offsets[v] < 2)
            continue;
        memset(reached, 0, w->vertices * sizeof *reached);
        reach(graph, ends, w->source, v, reached, stack);
        reach(graph, ends, w->target, v, reached, stack);
        free_unreached(w, reached, v);
    }
    bool done = reached && stack;
    free(reached);
    free(stack);
    return done;
}

static bool connects(const fl_graph *graph, uint32_t source, uint32_t target, bool *out)
{
    bool *reached = calloc(graph->vertices, sizeof *reached);
    uint32_t *stack = calloc(graph->vertices, sizeof *stack);
    bool done = reached && stack;
    if (done) {
        reach(graph, (uint32_t[]){source, target}, source, UINT32_MAX, reached, stack);
        *out = reached[target];
    }
    free(reached);
    free(stack);
    return done;
}

/* ---- series and parallel ---- */

/* An end with a single link needs it: the end moves to the link's other side. */
static bool contract_end(work *w, uint32_t *end)
{
    if (w->source == w->target || w->degree[*end] != 1)
        return false;
    uint32_t link = w->mixed[*end];
    fl_polynomial factor;
    const fl_polynomial *up = &w->link[link].weight.up;
    if (!fl_polynomial_create(&factor, w->factor.size + up->size - 1)) {
        w->failed = true;
        return false;
    }
    fl_polynomial_add_product(&factor, &w->factor, up);
    fl_polynomial_destroy(&w->factor);
    w->factor = factor;
    *end = w->link[link].a == *end ? w->link[link].b : w->link[link].a;
    remove_link(w, link);
    return true;
}

/* Joins `other` into `link`. */
static bool join(work *w, uint32_t link, uint32_t other, bool series)
{
    fl_weight joined;
    if (!weight_create_joined(&joined, &w->link[link].weight, &w->link[other].weight, series)) {
        weight_destroy(&joined);
        w->failed = true;
        return false;
    }
    weight_destroy(&w->link[link].weight);
    w->link[link].weight = joined;
    return true;
}

static bool join_series(work *w, uint32_t link, uint32_t middle)
{
    work_link *l = &w->link[link];
    if (w->degree[middle] != 2 || middle == w->source || middle == w->target)
        return false;
    uint32_t other = w->mixed[middle] ^ link;
    work_link *o = &w->link[other];
    uint32_t far = o->a == middle ? o->b : o->a;
    if (!join(w, link, other, true))
        return false;
    remove_link(w, other);
    unhook(w, link, middle);
    hook(w, link, far);
    *(l->a == middle ? &l->a : &l->b) = far;
    return true;
}

typedef struct place {
    uint32_t low, high, link;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

static bool join_parallel(work *w)
{
    place *places = calloc(w->links + 1, sizeof *places);
    uint32_t count = 0;
    bool joined = false;
    w->failed |= !places;
    for (uint32_t e = 0; places && e < w->links; e++)
        if (!w->link[e].gone) {
            uint32_t a = w->link[e].a, b = w->link[e].b;
            places[count++] = (place){a < b ? a : b, a < b ? b : a, e};
        }
    if (places)
        qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 1, first = 0; i < count; i++)
        if (places[i].low != places[first].low || places[i].high != places[first].high)
            first = i;
        else if (join(w, places[first].link, places[i].link, false)) {
            remove_link(w, places[i].link);
            joined = true;
        }
    free(places);
    return joined;
}

static bool shorten(work *w)
{
    bool changed = false;
    while (contract_end(w, &w->source) || contract_end(w, &w->target))
        changed = true;
    for (uint32_t e = 0; e < w->links && !w->failed; e++)
        while (!w->link[e].gone &&
               (join_series(w, e, w->link[e].a) || join_series(w, e, w->link[e].b)))
            changed = true;
    return changed;
}

/* Once the ends have fallen together nothing else matters. */
static void free_all(work *w)
{
    for (uint32_t e = 0; e < w->links; e++)
        if (!w->link[e].gone) {
            w->free_links += w->link[e].weight.links;
            remove_link(w, e);
        }
}

static bool reduce(work *w, const fl_graph *graph)
{
    if (!free_irrelevant(w, graph))
        return false;
    while (!w->failed && (shorten(w) || join_parallel(w)))
        continue;
    if (w->source == w->target)
        free_all(w);
    fl_polynomial free_part, factor;
    if (w->failed || !fl_polynomial_create_free_links(&free_part, w->free_links))
        return false;
    bool made = fl_polynomial_create(&factor, w->factor.size + w->free_links);
    if (made) {
        fl_polynomial_add_product(&factor, &free_part, &w->factor);
        fl_polynomial_destroy(&w->factor);
        w->factor = factor;
    }
    fl_polynomial_destroy(&free_part);
    return made;
}

/* ---- the result ---- */

static bool same_weight(const fl_weight *a, const fl_weight *b)
{
    for (uint32_t i = 0; a->links == b->links && i <= a->links; i++)
        if (a->up.at[i] != b->up.at[i] || a->down.at[i] != b->down.at[i])
            return false;
    return a->links == b->links;
}

/* Moves the weight to the list, unless its like is there. */
static uint32_t kind_of(fl_reduced *out, fl_weight *weight)
{
    uint32_t kind = 0;
    while (kind < out->kinds && !same_weight(weight, &out->weights[kind]))
        kind++;
    if (kind == out->kinds) {
        out->weights[out->kinds++] = *weight;
        *weight = (fl_weight){0};
    }
    return kind;
}

static uint32_t number_of(uint32_t *numbers, uint32_t *count, uint32_t vertex)
{
    if (numbers[vertex] == UINT32_MAX)
        numbers[vertex] = (*count)++;
    return numbers[vertex];
}

static void take_links(fl_reduced *out, work *w, uint32_t *numbers)
{
    memset(numbers, 0xff, w->vertices * sizeof *numbers);
    for (uint32_t e = 0, at = 0; e < w->links; e++)
        if (!w->link[e].gone) {
            out->ends[2 * at] = number_of(numbers, &out->vertices, w->link[e].a);
            out->ends[2 * at + 1] = number_of(numbers, &out->vertices, w->link[e].b);
            out->kind[at++] = kind_of(out, &w->link[e].weight);
        }
    out->source = number_of(numbers, &out->vertices, w->source);
    out->target = number_of(numbers, &out->vertices, w->target);
}

static bool list_incident(fl_reduced *out)
{
    out->offsets = calloc(out->vertices + 2, sizeof *out->offsets);
    out->incident = calloc(2 * out->links + 1, sizeof *out->incident);
    if (!out->offsets || !out->incident)
        return false;
    for (uint32_t i = 0; i < 2 * out->links; i++)
        out->offsets[out->ends[i] + 2]++;
    for (uint32_t v = 2; v <= out->vertices; v++)
        out->offsets[v] += out->offsets[v - 1];
    for (uint32_t i = 0; i < 2 * out->links; i++)
        out->incident[out->offsets[out->ends[i] + 1]++] = i / 2;
    return true;
}

static bool take(fl_reduced *out, work *w)
{
    for (uint32_t e = 0; e < w->links; e++)
        out->links += !w->link[e].gone;
    out->ends = calloc(2 * out->links + 1, sizeof *out->ends);
    out->kind = calloc(out->links + 1, sizeof *out->kind);
    out->weights = calloc(out->links + 1, sizeof *out->weights);
    uint32_t *numbers = calloc(w->vertices, sizeof *numbers);
    out->kinds = out->weights ? 1 : 0;
    bool made =
        out->ends && out->kind && numbers && out->kinds && weight_create_single(&out->weights[0]);
    if (made) {
        take_links(out, w, numbers);
        out->factor = w->factor;
        w->factor = (fl_polynomial){0};
        made = list_incident(out);
    }
    free(numbers);
    return made;
}

void fl_reduced_destroy(fl_reduced *reduced)
{
    for (uint32_t i = 0; i < reduced->kinds; i++)
        weight_destroy(&reduced->weights[i]);
    free(reduced->ends);
    free(reduced->kind);
    free(reduced->weights);
    free(reduced->offsets);
    free(reduced->incident);
    fl_polynomial_destroy(&reduced->factor);
    *reduced = (fl_reduced){0};
}

fl_status fl_reduced_create(fl_reduced *out, const fl_graph *graph, uint32_t source,
                            uint32_t target, fl_error *error)
{
    work w = {0};
    *out = (fl_reduced){0};
    bool made = connects(graph, source, target, &out->connected);
    if (made && out->connected)
        made = work_create(&w, graph, source, target) && reduce(&w, graph) && take(out, &w);
    work_destroy(&w);
    if (!made) {
        fl_reduced_destroy(out);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for reducing a graph of %llu vertices",
                       (unsigned long long)graph->vertices);
    }
    return FL_OK;
}
