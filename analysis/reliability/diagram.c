#include "analysis/reliability/private.h"

#include <stdlib.h>
#include <string.h>

/* The frontier method: links are decided one after the other; what is decided so far matters
 * only by how it joins the vertices that have links on both sides (the frontier), so that a
 * state is a partition of the frontier with the blocks of the two ends marked. Equal states of
 * a level are one. (Hardy, Lucet, Limnios, "K-terminal network reliability measures with binary
 * decision diagrams", 2007; Kuo, Yeh, Lin, "Efficient and exact reliability evaluation for
 * networks with imperfect vertices", 2007; the path version: Knuth's Simpath.) */

/* ---- memory with a limit ---- */

void *fl_budget_take(fl_budget *budget, size_t count, size_t size)
{
    size_t room = budget->limit - budget->used;
    if (count > room / size) {
        budget->refused =
            count > (SIZE_MAX - budget->used) / size ? SIZE_MAX : budget->used + count * size;
        return NULL;
    }
    void *memory = malloc(count > 0 ? count * size : 1);
    if (!memory)
        return NULL;
    budget->used += count * size;
    if (budget->used > budget->peak)
        budget->peak = budget->used;
    return memory;
}

void fl_budget_give_back(fl_budget *budget, void *memory, size_t count, size_t size)
{
    if (memory)
        budget->used -= count * size;
    free(memory);
}

/* ---- sets of states ---- */

/* The states of one level, in the order in which they were met. */
typedef struct state_set {
    fl_budget *budget;
    size_t stride; /* bytes of a state: a label for each position, then zeros */
    uint32_t count, capacity;
    uint8_t *labels; /* [capacity * stride] */
    uint32_t *slots; /* [2 * capacity]: state + 1, or 0 */
} state_set;

enum { STATES_FIRST = 64 };
#define STATES_MOST (UINT32_C(1) << 30)

static void set_destroy(state_set *set)
{
    fl_budget_give_back(set->budget, set->labels, set->capacity, set->stride);
    fl_budget_give_back(set->budget, set->slots, 2 * (size_t)set->capacity, sizeof *set->slots);
    *set = (state_set){.budget = set->budget};
}

static uint32_t hash_of(const uint8_t *labels, size_t stride)
{
    uint64_t hash = 0;
    for (size_t at = 0; at < stride; at += sizeof hash) {
        uint64_t word;
        memcpy(&word, labels + at, sizeof word);
        hash = fl_mix64(hash + word + UINT64_C(0x9e3779b97f4a7c15));
    }
    return (uint32_t)(hash >> 32);
}

/* The slot that holds the state or would. */
static uint32_t *slot_of(const state_set *set, const uint8_t *labels)
{
    uint32_t mask = 2 * set->capacity - 1;
    uint32_t at = hash_of(labels, set->stride) & mask;
    while (set->slots[at] != 0 &&
           memcmp(set->labels + (set->slots[at] - 1) * set->stride, labels, set->stride) != 0)
        at = (at + 1) & mask;
    return &set->slots[at];
}

static bool set_resize(state_set *set, uint32_t capacity)
{
    uint8_t *labels = fl_budget_take(set->budget, capacity, set->stride);
    uint32_t *slots = fl_budget_take(set->budget, 2 * (size_t)capacity, sizeof *slots);
    if (!labels || !slots) {
        fl_budget_give_back(set->budget, labels, capacity, set->stride);
        fl_budget_give_back(set->budget, slots, 2 * (size_t)capacity, sizeof *slots);
        return false;
    }
    state_set larger = {set->budget, set->stride, set->count, capacity, labels, slots};
    memset(slots, 0, 2 * (size_t)capacity * sizeof *slots);
    if (set->count > 0)
        memcpy(labels, set->labels, set->count * set->stride);
    for (uint32_t i = 0; i < set->count; i++)
        *slot_of(&larger, labels + i * set->stride) = i + 1;
    set_destroy(set);
    *set = larger;
    return true;
}

static bool set_create(state_set *set, fl_budget *budget, unsigned width)
{
    size_t word = sizeof(uint64_t);
    *set = (state_set){.budget = budget, .stride = (width / word + 1) * word};
    return set_resize(set, STATES_FIRST);
}

/* The number of the state, new or not; FL_DIAGRAM_LOST when there is no room. */
static uint32_t set_add(state_set *set, const uint8_t *labels)
{
    if (set->count == set->capacity &&
        (set->capacity >= STATES_MOST || !set_resize(set, 2 * set->capacity)))
        return FL_DIAGRAM_LOST;
    uint32_t *slot = slot_of(set, labels);
    if (*slot == 0) {
        memcpy(set->labels + set->count * set->stride, labels, set->stride);
        *slot = ++set->count;
    }
    return *slot - 1;
}

/* ---- one level ---- */

/* What deciding a link does to every state of its level. Positions: those of the frontier
 * before, then those of the vertices that enter. */
typedef struct step {
    unsigned before, during, after;
    unsigned a, b;                     /* positions of the link's ends */
    uint8_t entering[2];               /* labels of the entering vertices */
    uint8_t kept[FL_FRONTIER_MAX + 2]; /* positions that stay, in their new order */
    unsigned ends;                     /* how many of the path's ends have entered by now */
    fl_symmetry symmetry;              /* of the frontier after */
} step;

typedef struct builder {
    fl_diagram *out;
    const fl_reduced *reduced;
    fl_budget *budget;
    fl_reliability_tick *tick;
    void *user;
    uint64_t states_max;
    uint32_t to_come;     /* links of the network behind the level's link */
    uint32_t *links_left; /* [vertex] */
    uint32_t frontier[FL_FRONTIER_MAX + 2];
    unsigned width, ends;
    fl_symmetry_finder *finder;
    state_set now, next;
    step step;
} builder;

static unsigned enter(builder *b, uint32_t vertex)
{
    for (unsigned p = 0; p < b->step.during; p++)
        if (b->frontier[p] == vertex)
            return p;
    step *s = &b->step;
    bool end = vertex == b->reduced->source || vertex == b->reduced->target;
    uint8_t label = (uint8_t)(end ? ++s->ends : FL_BLOCK_PLAIN + s->during);
    s->entering[s->during - s->before] = label;
    b->frontier[s->during] = vertex;
    return s->during++;
}

static fl_diagram_end prepare_step(builder *b, uint32_t level)
{
    step *s = &b->step;
    uint32_t link = b->out->order[level];
    const uint32_t *ends = &b->reduced->ends[2 * link];
    *s = (step){.before = b->width, .during = b->width, .ends = b->ends};
    s->a = enter(b, ends[0]);
    s->b = enter(b, ends[1]);
    b->links_left[ends[0]]--;
    b->links_left[ends[1]]--;
    for (unsigned p = 0; p < s->during; p++)
        if (b->links_left[b->frontier[p]] > 0) {
            b->frontier[s->after] = b->frontier[p];
            s->kept[s->after++] = (uint8_t)p;
        }
    b->width = s->after;
    b->ends = s->ends;
    if (s->after > FL_FRONTIER_MAX)
        return FL_DIAGRAM_TOO_WIDE;
    if (b->out->width < s->after)
        b->out->width = s->after;
    return fl_symmetry_find(b->finder, level + 1, b->frontier, b->width, &s->symmetry)
               ? FL_DIAGRAM_BUILT
               : FL_DIAGRAM_NO_MEMORY;
}

/* The blocks of the path's ends must all live on. */
static bool ends_live(const step *s, const uint8_t *labels)
{
    unsigned seen = 0;
    for (unsigned p = 0; p < s->after; p++)
        if (labels[p] < FL_BLOCK_PLAIN)
            seen |= 1u << labels[p];
    return seen == (s->ends == 2 ? 6u : s->ends == 1 ? 2u : 0u);
}

static void merge(uint8_t *labels, unsigned count, uint8_t x, uint8_t y)
{
    uint8_t low = x < y ? x : y, high = x < y ? y : x;
    for (unsigned p = 0; p < count; p++)
        if (labels[p] == high)
            labels[p] = low;
}

/* Where a state goes; `labels` are those of all positions during the step and are spoilt. */
static uint32_t follow(builder *b, uint8_t *labels, bool up, bool *full)
{
    const step *s = &b->step;
    uint8_t kept[FL_FRONTIER_MAX + 8] = {0};
    uint8_t x = labels[s->a], y = labels[s->b];
    if (up && x != y) {
        if (x < FL_BLOCK_PLAIN && y < FL_BLOCK_PLAIN)
            return FL_DIAGRAM_CONNECTED;
        merge(labels, s->during, x, y);
    }
    for (unsigned p = 0; p < s->after; p++)
        kept[p] = labels[s->kept[p]];
    if (!ends_live(s, kept))
        return FL_DIAGRAM_LOST;
    fl_symmetry_normalise(&s->symmetry, kept);
    uint32_t state = set_add(&b->next, kept);
    *full = state == FL_DIAGRAM_LOST;
    return state;
}

static fl_diagram_end follow_both(builder *b, uint32_t state, fl_diagram_level *level)
{
    const step *s = &b->step;
    bool full = false;
    for (unsigned down = 0; down < 2 && !full; down++) {
        uint8_t labels[FL_FRONTIER_MAX + 2];
        memcpy(labels, b->now.labels + state * b->now.stride, s->before);
        memcpy(labels + s->before, s->entering, s->during - s->before);
        level->next[2 * (size_t)state + down] = follow(b, labels, !down, &full);
    }
    if (full)
        return FL_DIAGRAM_NO_MEMORY;
    return b->out->states + b->next.count > b->states_max ? FL_DIAGRAM_TOO_MANY : FL_DIAGRAM_BUILT;
}

enum { STATES_BETWEEN_TICKS = 1 << 13 };

static fl_diagram_end follow_all(builder *b, fl_diagram_level *level)
{
    for (uint32_t i = 0; i < b->now.count; i++) {
        fl_diagram_end end = follow_both(b, i, level);
        if (end != FL_DIAGRAM_BUILT)
            return end;
        if (i % STATES_BETWEEN_TICKS == 0 && !b->tick(b->user, b->out->level, b->out->links))
            return FL_DIAGRAM_STOPPED;
    }
    return FL_DIAGRAM_BUILT;
}

/* The polynomials of this level and the next will be in memory together, beside the diagram. */
static bool leaves_room(builder *b, uint32_t link)
{
    uint64_t needed = fl_diagram_value_bytes(b->next.count, b->to_come);
    needed += fl_diagram_value_bytes(
        b->now.count, b->to_come + b->reduced->weights[b->reduced->kind[link]].links);
    if (needed <= b->budget->limit - b->budget->used)
        return true;
    b->budget->refused = b->budget->used + (size_t)needed;
    return false;
}

static fl_diagram_end build_level(builder *b)
{
    uint32_t number = b->out->level, link = b->out->order[number];
    fl_diagram_level *level = &b->out->levels[number];
    fl_diagram_end end = prepare_step(b, number);
    if (end != FL_DIAGRAM_BUILT)
        return end;
    b->to_come -= b->reduced->weights[b->reduced->kind[link]].links;
    level->next = fl_budget_take(b->budget, 2 * (size_t)b->now.count, sizeof *level->next);
    level->states = level->next ? b->now.count : 0;
    b->out->states += level->states;
    if (!level->next || !set_create(&b->next, b->budget, b->width))
        return FL_DIAGRAM_NO_MEMORY;
    end = follow_all(b, level);
    if (end == FL_DIAGRAM_BUILT && !leaves_room(b, link))
        end = FL_DIAGRAM_NO_MEMORY;
    set_destroy(&b->now);
    b->now = b->next;
    b->next = (state_set){.budget = b->budget};
    b->out->level++;
    return end;
}

static bool start(builder *b, const uint32_t *order)
{
    const fl_reduced *r = b->reduced;
    b->out->order = calloc(r->links + 1, sizeof *b->out->order);
    b->out->levels = calloc(r->links + 1, sizeof *b->out->levels);
    b->links_left = calloc(r->vertices + 1, sizeof *b->links_left);
    if (!b->out->order || !b->out->levels || !b->links_left)
        return false;
    b->out->links = r->links;
    for (uint32_t i = 0; i < r->links; i++)
        b->to_come += r->weights[r->kind[i]].links;
    memcpy(b->out->order, order, r->links * sizeof *order);
    for (uint32_t v = 0; v < r->vertices; v++)
        b->links_left[v] = r->offsets[v + 1] - r->offsets[v];
    b->finder = fl_symmetry_finder_create(r, b->out->order);
    uint8_t empty[8] = {0};
    return b->finder && set_create(&b->now, b->budget, 0) && set_add(&b->now, empty) == 0;
}

fl_diagram_end fl_diagram_build(fl_diagram *out, const fl_reduced *reduced, const uint32_t *order,
                                uint64_t states_max, fl_budget *budget, fl_reliability_tick *tick,
                                void *user)
{
    builder b = {.out = out,
                 .reduced = reduced,
                 .budget = budget,
                 .tick = tick,
                 .user = user,
                 .states_max = states_max,
                 .now.budget = budget,
                 .next.budget = budget};
    *out = (fl_diagram){0};
    fl_diagram_end end = start(&b, order) ? FL_DIAGRAM_BUILT : FL_DIAGRAM_NO_MEMORY;
    while (out->level < reduced->links && end == FL_DIAGRAM_BUILT) {
        end = build_level(&b);
        fl_symmetry_clear(&b.step.symmetry);
    }
    set_destroy(&b.now);
    set_destroy(&b.next);
    free(b.links_left);
    fl_symmetry_finder_destroy(b.finder);
    if (end != FL_DIAGRAM_BUILT) {
        fl_diagram reached = {
            .links = out->links, .level = out->level, .states = out->states, .width = out->width};
        fl_diagram_destroy(out, budget);
        *out = reached;
    }
    return end;
}

void fl_diagram_destroy(fl_diagram *diagram, fl_budget *budget)
{
    for (uint32_t i = 0; diagram->levels && i < diagram->links; i++)
        fl_budget_give_back(budget, diagram->levels[i].next, 2 * (size_t)diagram->levels[i].states,
                            sizeof(uint32_t));
    free(diagram->levels);
    free(diagram->order);
    *diagram = (fl_diagram){0};
}
