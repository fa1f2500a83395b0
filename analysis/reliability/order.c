#include "analysis/reliability/private.h"

#include <stdlib.h>
#include <string.h>

/* The order of links decides how wide the frontier gets, and with it everything. Vertices are
 * finished one after the other, all links of one together, and the sequence of vertices is
 * found by a beam search for the least sum over links of GROWTH^width * END^(ends entered).
 *
 * An end that has entered multiplies the states by the number of ways to mark a block, so that ends
 * should come late. In a symmetric graph most of the best plans are images of each other; no
 * more than `alike` of those that look the same are kept, so that the beam holds different ones.
 *
 * Breadth-first orders need 10 to 150 times as many states on trees, and the same sequences
 * reversed 5 to 100 times. */

static const double GROWTH = 2.5, END = 1.5;

static const struct setting {
    uint32_t beam, alike;
} settings[] = {{64, 1}, {64, 2}, {64, 8}, {16, 1}};

enum { LARGE_GRAPH = 256 }; /* larger ones are planned greedily */

typedef struct plan {
    double cost;
    uint64_t key; /* of the set of finished vertices */
    uint32_t width, ends, parent, vertex;
} plan;

typedef struct planner {
    const fl_reduced *reduced;
    uint32_t beam, alike, vertices;
    double *growth;           /* [width] */
    plan *plans, *candidates; /* [beam], [beam * vertices] */
    uint32_t plan_count, candidate_count;
    uint32_t *left,
        *next_left; /* [beam * vertices]: links to decide; DONE once a vertex was picked */
    uint32_t *parents, *picked; /* [vertices * beam]: how the plans came about */
} planner;

#define DONE UINT32_MAX

static uint32_t degree(const fl_reduced *r, uint32_t v)
{
    return r->offsets[v + 1] - r->offsets[v];
}

static bool has_entered(const fl_reduced *r, const uint32_t *left, uint32_t v)
{
    return left[v] != degree(r, v);
}

static bool is_end(const fl_reduced *r, uint32_t v)
{
    return v == r->source || v == r->target;
}

static bool is_open(const uint32_t *left, uint32_t v)
{
    return left[v] != DONE && left[v] > 0;
}

static void enter(const planner *p, uint32_t v, plan *to)
{
    to->width++;
    to->ends += is_end(p->reduced, v);
}

/* Decides the links of `vertex` to vertices of the frontier (or, second, to new ones). */
static uint32_t decide(const planner *p, const uint32_t *left, uint32_t vertex, bool to_new,
                       uint32_t links_left, plan *to)
{
    const fl_reduced *r = p->reduced;
    for (uint32_t at = r->offsets[vertex]; at < r->offsets[vertex + 1]; at++) {
        uint32_t u = fl_reduced_other_end(r, r->incident[at], vertex);
        if (!is_open(left, u) || has_entered(r, left, u) == to_new)
            continue;
        if (links_left == degree(r, vertex))
            enter(p, vertex, to);
        if (to_new)
            enter(p, u, to);
        to->width -= left[u] == 1;
        to->width -= --links_left == 0;
        to->cost += p->growth[to->width] * (to->ends == 2 ? END * END : to->ends == 1 ? END : 1);
    }
    return links_left;
}

static plan extend(const planner *p, uint32_t parent, uint32_t vertex)
{
    const uint32_t *left = p->left + (size_t)parent * p->vertices;
    plan to = p->plans[parent];
    to.parent = parent;
    to.vertex = vertex;
    to.key ^= fl_mix64(vertex + 1);
    if (left[vertex] > 0)
        decide(p, left, vertex, true, decide(p, left, vertex, false, left[vertex], &to), &to);
    return to;
}

/* A vertex whose links were all decided from their other ends comes next without a choice. */
static void extend_all(planner *p, uint32_t parent)
{
    const uint32_t *left = p->left + (size_t)parent * p->vertices;
    for (uint32_t v = 0; v < p->vertices; v++)
        if (left[v] == 0) {
            p->candidates[p->candidate_count++] = extend(p, parent, v);
            return;
        }
    for (uint32_t v = 0; v < p->vertices; v++)
        if (left[v] != DONE)
            p->candidates[p->candidate_count++] = extend(p, parent, v);
}

static int compare_plans(const void *left, const void *right)
{
    const plan *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    if (a->width != b->width)
        return a->width < b->width ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->parent < b->parent ? -1 : a->parent > b->parent;
}

/* Sums of the same terms in another order differ in the last digits. */
static bool look_alike(const plan *a, const plan *b)
{
    double difference = a->cost - b->cost;
    return a->width == b->width && difference < 1e-9 * a->cost && -difference < 1e-9 * a->cost;
}

static bool is_wanted(const planner *p, const plan *candidate, uint32_t kept)
{
    uint32_t alike = 0;
    for (uint32_t i = 0; i < kept; i++) {
        if (p->plans[i].key == candidate->key)
            return false;
        alike += look_alike(&p->plans[i], candidate);
    }
    return alike < p->alike;
}

static void take_links(const planner *p, uint32_t *left, uint32_t vertex)
{
    const fl_reduced *r = p->reduced;
    for (uint32_t at = r->offsets[vertex]; at < r->offsets[vertex + 1]; at++) {
        uint32_t u = fl_reduced_other_end(r, r->incident[at], vertex);
        if (is_open(left, u))
            left[u]--;
    }
    left[vertex] = DONE;
}

static void select_plans(planner *p, uint32_t step)
{
    uint32_t kept = 0;
    qsort(p->candidates, p->candidate_count, sizeof *p->candidates, compare_plans);
    for (uint32_t i = 0; i < p->candidate_count && kept < p->beam; i++) {
        const plan *chosen = &p->candidates[i];
        if (!is_wanted(p, chosen, kept))
            continue;
        uint32_t *left = p->next_left + (size_t)kept * p->vertices;
        memcpy(left, p->left + (size_t)chosen->parent * p->vertices, p->vertices * sizeof *left);
        take_links(p, left, chosen->vertex);
        p->parents[(size_t)step * p->beam + kept] = chosen->parent;
        p->picked[(size_t)step * p->beam + kept] = chosen->vertex;
        p->plans[kept++] = *chosen;
    }
    p->plan_count = kept;
    uint32_t *swap = p->left;
    p->left = p->next_left;
    p->next_left = swap;
}

static void search(planner *p, uint32_t *sequence)
{
    p->plan_count = 1;
    for (uint32_t v = 0; v < p->vertices; v++)
        p->left[v] = degree(p->reduced, v);
    for (uint32_t step = 0; step < p->vertices; step++) {
        p->candidate_count = 0;
        for (uint32_t i = 0; i < p->plan_count; i++)
            extend_all(p, i);
        select_plans(p, step);
    }
    for (uint32_t step = p->vertices, at = 0; step-- > 0;) {
        sequence[step] = p->picked[(size_t)step * p->beam + at];
        at = p->parents[(size_t)step * p->beam + at];
    }
}

static void planner_destroy(planner *p)
{
    free(p->growth);
    free(p->plans);
    free(p->candidates);
    free(p->left);
    free(p->next_left);
    free(p->parents);
    free(p->picked);
}

static bool planner_create(planner *p, const fl_reduced *reduced, const struct setting *setting)
{
    uint32_t beam = reduced->vertices > LARGE_GRAPH ? 1 : setting->beam;
    size_t room = (size_t)beam * reduced->vertices;
    *p = (planner){
        .reduced = reduced, .beam = beam, .alike = setting->alike, .vertices = reduced->vertices};
    p->growth = calloc(reduced->vertices + 3, sizeof *p->growth);
    p->plans = calloc(beam, sizeof *p->plans);
    p->candidates = calloc(room, sizeof *p->candidates);
    p->left = calloc(room, sizeof *p->left);
    p->next_left = calloc(room, sizeof *p->next_left);
    p->parents = calloc(room, sizeof *p->parents);
    p->picked = calloc(room, sizeof *p->picked);
    if (!p->growth || !p->plans || !p->candidates || !p->left || !p->next_left || !p->parents ||
        !p->picked)
        return false;
    p->growth[0] = 1;
    for (uint32_t i = 1; i < reduced->vertices + 3; i++)
        p->growth[i] = i < 700 ? p->growth[i - 1] * GROWTH : p->growth[i - 1];
    return true;
}

/* ---- from vertices to links ---- */

/* Appends the vertex's links to the frontier (or, second, to new vertices), those to vertices
 * that are finished sooner first. */
static void list_links(const fl_reduced *r, const uint32_t *place, uint32_t vertex, bool to_new,
                       const bool *entered, uint32_t *order, uint32_t *count)
{
    uint32_t first = *count;
    for (uint32_t at = r->offsets[vertex]; at < r->offsets[vertex + 1]; at++) {
        uint32_t link = r->incident[at], u = fl_reduced_other_end(r, link, vertex);
        if (place[u] < place[vertex] || entered[u] == to_new)
            continue;
        uint32_t i = (*count)++;
        for (; i > first && place[fl_reduced_other_end(r, order[i - 1], vertex)] > place[u]; i--)
            order[i] = order[i - 1];
        order[i] = link;
    }
}

static bool list_all_links(const fl_reduced *r, const uint32_t *sequence, uint32_t *order)
{
    uint32_t *place = calloc(r->vertices, sizeof *place);
    bool *entered = calloc(r->vertices, sizeof *entered);
    bool made = place && entered;
    for (uint32_t i = 0; made && i < r->vertices; i++)
        place[sequence[i]] = i;
    for (uint32_t i = 0, count = 0; made && i < r->vertices; i++) {
        uint32_t first = count;
        list_links(r, place, sequence[i], false, entered, order, &count);
        list_links(r, place, sequence[i], true, entered, order, &count);
        for (; first < count; first++)
            entered[r->ends[2 * order[first]]] = entered[r->ends[2 * order[first] + 1]] = true;
    }
    free(place);
    free(entered);
    return made;
}

bool fl_link_order(const fl_reduced *reduced, unsigned candidate, uint32_t *order)
{
    planner p;
    uint32_t *sequence = calloc(reduced->vertices + 1, sizeof *sequence);
    bool made = planner_create(&p, reduced, &settings[candidate]) && sequence;
    if (made) {
        search(&p, sequence);
        made = list_all_links(reduced, sequence, order);
    }
    planner_destroy(&p);
    free(sequence);
    return made;
}
