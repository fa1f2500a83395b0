#include "analysis/reliability/private.h"

#include "core/array.h"

#include <stdlib.h>
#include <string.h>

/* Automorphisms of the graph of the links still to come that keep the frontier in place, found
 * by colour refinement with individualisation in two copies at once (McKay, "Practical graph
 * isomorphism", 1981). There is no backtracking: a symmetry that is missed costs states, not
 * correctness, and every one that is used was checked link by link. */

struct fl_symmetry_finder {
    const fl_reduced *reduced;
    const uint32_t *order;
    uint32_t *place; /* [link]: its place in the order */
    uint32_t *alive; /* vertices that still have links */
    uint32_t alive_count, level;
    uint64_t *kind_colour;
    uint64_t *base; /* colours with the positions so far kept in place */
    uint64_t *from, *to, *best_from, *best_to, *scratch; /* colours of the two copies */
    uint64_t *sorted, *sorted_other;
    uint32_t *map, *by_from, *by_to;
    bool *in_frontier;
};

enum { COLOUR_SEED = 1, COLOUR_FRONTIER = 2, COLOUR_END = 3, COLOUR_PICKED = 1000 };

fl_symmetry_finder *fl_symmetry_finder_create(const fl_reduced *reduced, const uint32_t *order)
{
    fl_symmetry_finder *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    size_t vertices = reduced->vertices + 1;
    f->reduced = reduced;
    f->order = order;
    f->place = calloc(reduced->links + 1, sizeof *f->place);
    f->alive = calloc(vertices, sizeof *f->alive);
    f->kind_colour = calloc(reduced->kinds, sizeof *f->kind_colour);
    uint64_t **colours[] = {&f->base,    &f->from,    &f->to,     &f->best_from,
                            &f->best_to, &f->scratch, &f->sorted, &f->sorted_other};
    bool made = f->place && f->alive && f->kind_colour;
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        made = (*colours[i] = calloc(vertices, sizeof(uint64_t))) && made;
    uint32_t **lists[] = {&f->map, &f->by_from, &f->by_to};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        made = (*lists[i] = calloc(vertices, sizeof(uint32_t))) && made;
    f->in_frontier = calloc(vertices, sizeof *f->in_frontier);
    if (!made || !f->in_frontier) {
        fl_symmetry_finder_destroy(f);
        return NULL;
    }
    for (uint32_t i = 0; i < reduced->links; i++)
        f->place[order[i]] = i;
    for (uint32_t i = 0; i < reduced->kinds; i++)
        f->kind_colour[i] = fl_mix64(i + 1);
    return f;
}

void fl_symmetry_finder_destroy(fl_symmetry_finder *f)
{
    if (!f)
        return;
    void *all[] = {f->place,        f->alive,     f->kind_colour, f->base,    f->from,
                   f->to,           f->best_from, f->best_to,     f->scratch, f->sorted,
                   f->sorted_other, f->map,       f->by_from,     f->by_to,   f->in_frontier};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(f);
}

/* ---- colours ---- */

static int compare_colours(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void sort_colours(const fl_symmetry_finder *f, const uint64_t *colour, uint64_t *sorted)
{
    for (uint32_t i = 0; i < f->alive_count; i++)
        sorted[i] = colour[f->alive[i]];
    qsort(sorted, f->alive_count, sizeof *sorted, compare_colours);
}

static uint32_t count_colours(fl_symmetry_finder *f, const uint64_t *colour)
{
    sort_colours(f, colour, f->sorted);
    uint32_t count = f->alive_count > 0;
    for (uint32_t i = 1; i < f->alive_count; i++)
        count += f->sorted[i] != f->sorted[i - 1];
    return count;
}

static bool to_come(const fl_symmetry_finder *f, uint32_t link)
{
    return f->place[link] >= f->level;
}

static void refine_once(fl_symmetry_finder *f, uint64_t *colour)
{
    const fl_reduced *r = f->reduced;
    for (uint32_t i = 0; i < f->alive_count; i++) {
        uint32_t v = f->alive[i];
        uint64_t sum = 0;
        for (uint32_t at = r->offsets[v]; at < r->offsets[v + 1]; at++) {
            uint32_t link = r->incident[at];
            if (to_come(f, link))
                sum += fl_mix64(colour[fl_reduced_other_end(r, link, v)] ^
                                f->kind_colour[r->kind[link]]);
        }
        f->scratch[v] = fl_mix64(colour[v] + sum);
    }
    for (uint32_t i = 0; i < f->alive_count; i++)
        colour[f->alive[i]] = f->scratch[f->alive[i]];
}

/* Until no colour splits. Returns how many rounds it took. */
static uint32_t refine(fl_symmetry_finder *f, uint64_t *colour)
{
    uint32_t count = count_colours(f, colour), rounds = 0;
    for (uint32_t before = 0; count > before && count < f->alive_count; rounds++) {
        before = count;
        refine_once(f, colour);
        count = count_colours(f, colour);
    }
    return rounds;
}

/* Both copies the same number of rounds; false when they show themselves different. */
static bool refine_both(fl_symmetry_finder *f)
{
    for (uint32_t rounds = refine(f, f->from); rounds > 0; rounds--)
        refine_once(f, f->to);
    sort_colours(f, f->from, f->sorted);
    sort_colours(f, f->to, f->sorted_other);
    return memcmp(f->sorted, f->sorted_other, f->alive_count * sizeof *f->sorted) == 0;
}

static void pick(uint64_t *colour, uint32_t vertex, uint64_t number)
{
    colour[vertex] = fl_mix64(colour[vertex] ^ fl_mix64(COLOUR_PICKED + number));
}

/* ---- one automorphism ---- */

static uint32_t members(const fl_symmetry_finder *f, const uint64_t *colour, uint64_t which)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->alive_count; i++)
        count += colour[f->alive[i]] == which;
    return count;
}

/* A move should touch little, so that moves are close to independent: whatever may stay where
 * it is stays. Tried for all such vertices at once. */
static bool keep_the_rest(fl_symmetry_finder *f)
{
    size_t size = f->reduced->vertices * sizeof *f->from;
    memcpy(f->best_from, f->from, size);
    memcpy(f->best_to, f->to, size);
    for (uint32_t i = 0; i < f->alive_count; i++) {
        uint32_t v = f->alive[i];
        if (f->best_from[v] == f->best_to[v] && members(f, f->best_from, f->best_from[v]) > 1) {
            pick(f->from, v, v);
            pick(f->to, v, v);
        }
    }
    if (refine_both(f))
        return true;
    memcpy(f->from, f->best_from, size);
    memcpy(f->to, f->best_to, size);
    return false;
}

/* Vertices one by one until all have colours of their own. */
static bool distinguish(fl_symmetry_finder *f)
{
    for (uint32_t i = 0; i < f->alive_count; i++) {
        uint32_t v = f->alive[i], image = UINT32_MAX;
        if (members(f, f->from, f->from[v]) == 1)
            continue;
        for (uint32_t j = 0; j < f->alive_count && image != v; j++)
            if (f->to[f->alive[j]] == f->from[v] && (image == UINT32_MAX || f->alive[j] == v))
                image = f->alive[j];
        if (image == UINT32_MAX)
            return false;
        pick(f->from, v, v);
        pick(f->to, image, v);
        if (!refine_both(f))
            return false;
    }
    return true;
}

static bool read_map(fl_symmetry_finder *f)
{
    for (uint32_t i = 0; i < f->alive_count; i++) {
        uint32_t v = f->alive[i], image = UINT32_MAX;
        for (uint32_t j = 0; j < f->alive_count; j++)
            if (f->to[f->alive[j]] == f->from[v]) {
                if (image != UINT32_MAX)
                    return false;
                image = f->alive[j];
            }
        if (image == UINT32_MAX || f->in_frontier[v] != f->in_frontier[image])
            return false;
        f->map[v] = image;
    }
    return true;
}

static bool has_like(const fl_symmetry_finder *f, uint32_t a, uint32_t b, uint32_t kind)
{
    const fl_reduced *r = f->reduced;
    for (uint32_t at = r->offsets[a]; at < r->offsets[a + 1]; at++) {
        uint32_t link = r->incident[at];
        if (to_come(f, link) && r->kind[link] == kind && fl_reduced_other_end(r, link, a) == b)
            return true;
    }
    return false;
}

static bool is_end(const fl_symmetry_finder *f, uint32_t v)
{
    return !f->in_frontier[v] && (v == f->reduced->source || v == f->reduced->target);
}

/* There are no parallel links any more, so that links to links is onto. */
static bool check_map(const fl_symmetry_finder *f)
{
    const fl_reduced *r = f->reduced;
    for (uint32_t i = f->level; i < r->links; i++) {
        uint32_t link = f->order[i];
        if (!has_like(f, f->map[r->ends[2 * link]], f->map[r->ends[2 * link + 1]], r->kind[link]))
            return false;
    }
    for (uint32_t i = 0; i < f->alive_count; i++)
        if (is_end(f, f->alive[i]) != is_end(f, f->map[f->alive[i]]))
            return false;
    return true;
}

/* Keeps what the base colours single out, and brings `origin` to `goal`. */
static bool find_map(fl_symmetry_finder *f, uint32_t origin, uint32_t goal)
{
    size_t size = f->reduced->vertices * sizeof *f->from;
    memcpy(f->from, f->base, size);
    memcpy(f->to, f->base, size);
    pick(f->from, origin, 0);
    pick(f->to, goal, 0);
    if (!refine_both(f))
        return false;
    keep_the_rest(f);
    return distinguish(f) && read_map(f) && check_map(f);
}

/* ---- the group ---- */

static bool reserve_move(fl_symmetry *s)
{
    if (s->moves < s->capacity)
        return true;
    uint32_t capacity = s->capacity ? 2 * s->capacity : 16;
    if (!FL_RESIZE(&s->origin, capacity) || !FL_RESIZE(&s->image, (size_t)capacity * s->width))
        return false;
    s->capacity = capacity;
    return true;
}

static bool add_move(fl_symmetry_finder *f, const uint32_t *frontier, unsigned origin,
                     fl_symmetry *s)
{
    if (!reserve_move(s))
        return false;
    s->origin[s->moves] = (uint8_t)origin;
    uint8_t *image = s->image + (size_t)s->moves++ * s->width;
    for (unsigned p = 0; p < s->width; p++)
        for (unsigned q = 0; q < s->width; q++)
            if (frontier[q] == f->map[frontier[p]])
                image[p] = (uint8_t)q;
    return true;
}

static void start(fl_symmetry_finder *f, uint32_t level, const uint32_t *frontier, unsigned width)
{
    const fl_reduced *r = f->reduced;
    f->level = level;
    f->alive_count = 0;
    memset(f->in_frontier, 0, r->vertices);
    for (unsigned p = 0; p < width; p++)
        f->in_frontier[frontier[p]] = true;
    for (uint32_t v = 0; v < r->vertices; v++) {
        bool alive = false;
        for (uint32_t at = r->offsets[v]; at < r->offsets[v + 1]; at++)
            alive |= to_come(f, r->incident[at]);
        if (alive)
            f->alive[f->alive_count++] = v;
        /* An end that has come already shows in the state, so that its vertex is like any other. */
        f->base[v] = fl_mix64(f->in_frontier[v] ? COLOUR_FRONTIER
                              : is_end(f, v)    ? COLOUR_END
                                                : COLOUR_SEED);
    }
    refine(f, f->base);
}

static uint32_t root_of(uint32_t *parent, uint32_t x)
{
    while (parent[x] != x)
        x = parent[x] = parent[parent[x]];
    return x;
}

/* Orbits of ordered pairs of positions. */
static bool find_relations(fl_symmetry *s)
{
    uint32_t w = s->width;
    uint32_t *parent = calloc((size_t)w * w + 1, sizeof *parent);
    s->relation = calloc((size_t)w * w + 1, sizeof *s->relation);
    for (uint32_t i = 0; parent && i < w * w; i++)
        parent[i] = i;
    for (uint32_t m = 0; parent && m < s->moves; m++)
        for (uint32_t i = 0; i < w * w; i++) {
            const uint8_t *image = s->image + (size_t)m * w;
            uint32_t a = root_of(parent, i), b = root_of(parent, image[i / w] * w + image[i % w]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    bool made = parent && s->relation;
    for (uint32_t i = 0; made && i < w * w; i++)
        s->relation[i] = fl_mix64(root_of(parent, i) + 1) | 1;
    free(parent);
    return made;
}

bool fl_symmetry_find(fl_symmetry_finder *f, uint32_t level, const uint32_t *frontier,
                      unsigned width, fl_symmetry *out)
{
    memset(out, 0, sizeof *out);
    out->width = width;
    start(f, level, frontier, width);
    for (unsigned i = 0; i < width; i++) {
        out->first[i] = out->moves;
        for (unsigned x = i + 1; x < width; x++)
            if (f->base[frontier[x]] == f->base[frontier[i]] &&
                find_map(f, frontier[x], frontier[i]) && !add_move(f, frontier, x, out)) {
                fl_symmetry_clear(out);
                return false;
            }
        pick(f->base, frontier[i], 0);
        refine(f, f->base);
    }
    out->first[width] = out->moves;
    if (out->moves > 0 && !find_relations(out)) {
        fl_symmetry_clear(out);
        return false;
    }
    return true;
}

void fl_symmetry_clear(fl_symmetry *symmetry)
{
    free(symmetry->origin);
    free(symmetry->image);
    free(symmetry->relation);
    symmetry->origin = symmetry->image = NULL;
    symmetry->relation = NULL;
    symmetry->moves = symmetry->capacity = 0;
}

/* ---- normal form ---- */

/* Numbers that equal positions of equal states share: how a position's block lies in the
 * frontier, then how all blocks lie around the position. */
static void describe(const fl_symmetry *s, const uint8_t *labels, uint64_t *description)
{
    unsigned w = s->width;
    uint64_t block[FL_FRONTIER_MAX];
    for (unsigned x = 0; x < w; x++) {
        uint64_t sum = labels[x] < FL_BLOCK_PLAIN ? UINT64_C(0x9e3779b97f4a7c15) : 0;
        for (unsigned y = 0; y < w; y++)
            sum += labels[y] == labels[x] ? s->relation[x * w + y] : 0;
        block[x] = fl_mix64(sum);
    }
    for (unsigned x = 0; x < w; x++) {
        uint64_t sum = 0;
        for (unsigned y = 0; y < w; y++)
            sum += s->relation[x * w + y] * block[y];
        description[x] = block[x] + fl_mix64(sum);
    }
}

static void apply(const fl_symmetry *s, uint32_t move, uint8_t *labels, uint64_t *description)
{
    const uint8_t *image = s->image + (size_t)move * s->width;
    uint8_t moved[FL_FRONTIER_MAX];
    uint64_t moved_description[FL_FRONTIER_MAX];
    for (unsigned p = 0; p < s->width; p++) {
        moved[image[p]] = labels[p];
        moved_description[image[p]] = description[p];
    }
    memcpy(labels, moved, s->width);
    memcpy(description, moved_description, s->width * sizeof *description);
}

/* The block that is to come first has the smallest key: one met already, else by description. */
FL_INLINE bool comes_before(const uint8_t *number, const uint8_t *labels,
                            const uint64_t *description, unsigned x, unsigned y)
{
    uint8_t a = number[labels[x]], b = number[labels[y]];
    if (a != b)
        return (uint8_t)(a - 1) < (uint8_t)(b - 1); /* 0, not met yet, comes last */
    return description[x] < description[y];
}

static void give_number(uint8_t *number, uint8_t label, uint8_t *ends, uint8_t *plain)
{
    if (number[label] == 0)
        number[label] = label < FL_BLOCK_PLAIN ? ++*ends : (*plain)++;
}

/* The two ends are alike: a path has no direction here. */
void fl_symmetry_normalise(const fl_symmetry *s, uint8_t *labels)
{
    uint8_t number[UINT8_MAX + 1] = {0}, ends = 0, plain = FL_BLOCK_PLAIN;
    uint64_t description[FL_FRONTIER_MAX];
    if (s->moves > 0)
        describe(s, labels, description);
    for (unsigned i = 0; i < s->width; i++) {
        unsigned best = i;
        uint32_t best_move = UINT32_MAX;
        for (uint32_t m = s->first[i]; m < s->first[i + 1]; m++)
            if (comes_before(number, labels, description, s->origin[m], best)) {
                best = s->origin[m];
                best_move = m;
            }
        if (best_move != UINT32_MAX)
            apply(s, best_move, labels, description);
        give_number(number, labels[i], &ends, &plain);
    }
    for (unsigned i = 0; i < s->width; i++)
        labels[i] = number[labels[i]];
}
