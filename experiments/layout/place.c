/* Where cabinets stand: a quadratic assignment problem, by simulated annealing (Connolly 1990). Two
 * slots exchange what stands on them. The temperature falls from the mean of the worsening among
 * random exchanges by the same factor in each step; a descent through all pairs of slots ends the
 * run. */
#include "core/random.h"
#include "experiments/layout/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t fl_floor_distance(const fl_floor *on, uint32_t a, uint32_t b)
{
    uint32_t row = a / on->columns, other_row = b / on->columns;
    uint32_t column = a % on->columns, other_column = b % on->columns;
    return (row > other_row ? row - other_row : other_row - row) * on->depth +
           (column > other_column ? column - other_column : other_column - column) * on->width;
}

/* ---- bundles ---- */

void fl_bundles_destroy(fl_bundles *bundles)
{
    free(bundles->offsets);
    free(bundles->targets);
    free(bundles->cables);
    *bundles = (fl_bundles){0};
}

/* Rows with one entry a cable and direction. */
static void fill_bundles(fl_bundles *b, const fl_link_list *list, const uint32_t *cluster)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < list->links; i++) {
        uint32_t from = cluster[list->ends[i].a], to = cluster[list->ends[i].b];
        b->offsets[from] += from != to;
        b->offsets[to] += from != to;
    }
    for (uint32_t c = 0; c < b->cabinets; c++)
        b->offsets[c] = sum += b->offsets[c];
    b->offsets[b->cabinets] = sum;
    for (uint64_t i = list->links; i-- > 0;) {
        uint32_t from = cluster[list->ends[i].a], to = cluster[list->ends[i].b];
        if (from == to)
            continue;
        b->targets[--b->offsets[from]] = to;
        b->targets[--b->offsets[to]] = from;
    }
}

/* Joins parallel cables. seen: [cabinets], zeroed. */
static void merge_bundles(fl_bundles *b, uint64_t *seen)
{
    uint64_t count = 0, end = 0;
    for (uint32_t c = 0; c < b->cabinets; c++) {
        uint64_t first = count, begin = end;
        end = b->offsets[c + 1];
        for (uint64_t e = begin; e < end; e++) {
            uint32_t to = b->targets[e];
            if (seen[to] > first) {
                b->cables[seen[to] - 1]++;
                continue;
            }
            b->targets[count] = to;
            b->cables[count++] = 1;
            seen[to] = count;
        }
        b->offsets[c] = first;
    }
    b->offsets[b->cabinets] = count;
}

fl_status fl_bundles_create(fl_bundles *out, const fl_link_list *list, const uint32_t *cluster,
                            uint32_t cabinets, fl_error *error)
{
    uint64_t *seen = calloc(cabinets, sizeof *seen), between = 0;
    for (uint64_t i = 0; i < list->links; i++)
        between += cluster[list->ends[i].a] != cluster[list->ends[i].b];
    *out = (fl_bundles){.cabinets = cabinets};
    out->offsets = calloc((size_t)cabinets + 1, sizeof *out->offsets);
    out->targets = malloc((2 * between + 1) * sizeof *out->targets);
    out->cables = malloc((2 * between + 1) * sizeof *out->cables);
    bool room = seen && out->offsets && out->targets && out->cables;
    if (room) {
        fill_bundles(out, list, cluster);
        merge_bundles(out, seen);
    } else {
        fl_bundles_destroy(out);
    }
    free(seen);
    return room ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory for cables");
}

uint64_t fl_floor_length(const fl_floor *on, const fl_bundles *bundles, const uint32_t *slot)
{
    uint64_t length = 0;
    for (uint32_t c = 0; c < bundles->cabinets; c++)
        for (uint64_t e = bundles->offsets[c]; e < bundles->offsets[c + 1]; e++)
            if (c < bundles->targets[e])
                length +=
                    bundles->cables[e] * fl_floor_distance(on, slot[c], slot[bundles->targets[e]]);
    return length;
}

/* ---- annealing ---- */

#define EMPTY UINT32_MAX
enum { SAMPLES = 1000 };
#define STEPS_A_PAIR 1000               /* of slots, as far as the work goes */
#define WORK_MAX     UINT64_C(60000000) /* bundles that are looked at: a second or two */
#define COLDEST      1e-3               /* in units of the first temperature */

typedef struct placing {
    const fl_floor *on;
    const fl_bundles *bundles;
    uint32_t *slot; /* [cabinets] */
    uint32_t *at;   /* [slots] cabinet, or EMPTY */
    uint32_t *best; /* [cabinets] */
    uint32_t slots;
    uint64_t length, best_length;
} placing;

/* What the cables of a cabinet get longer by when it goes to another slot, those to `other`
 * excepted: they stay as long when the two exchange their slots. */
static int64_t loss_of(const placing *p, uint32_t cabinet, uint32_t to, uint32_t other)
{
    const fl_bundles *b = p->bundles;
    int64_t loss = 0;
    if (cabinet == EMPTY)
        return 0;
    for (uint64_t e = b->offsets[cabinet]; e < b->offsets[cabinet + 1]; e++) {
        uint32_t target = b->targets[e];
        if (target == other)
            continue;
        int64_t after = (int64_t)fl_floor_distance(p->on, to, p->slot[target]);
        int64_t before = (int64_t)fl_floor_distance(p->on, p->slot[cabinet], p->slot[target]);
        loss += (after - before) * (int64_t)b->cables[e];
    }
    return loss;
}

static int64_t loss_of_exchange(const placing *p, uint32_t a, uint32_t b)
{
    return loss_of(p, p->at[a], b, p->at[b]) + loss_of(p, p->at[b], a, p->at[a]);
}

static void exchange(placing *p, uint32_t a, uint32_t b, int64_t loss)
{
    uint32_t cabinet = p->at[a];
    p->at[a] = p->at[b];
    p->at[b] = cabinet;
    if (p->at[a] != EMPTY)
        p->slot[p->at[a]] = a;
    if (cabinet != EMPTY)
        p->slot[cabinet] = b;
    p->length = (uint64_t)((int64_t)p->length + loss);
    if (p->length < p->best_length) {
        p->best_length = p->length;
        memcpy(p->best, p->slot, p->bundles->cabinets * sizeof *p->best);
    }
}

static void draw_pair(const placing *p, fl_rng *rng, uint32_t *a, uint32_t *b)
{
    *a = fl_rng_below32(rng, p->slots);
    *b = fl_rng_below32(rng, p->slots - 1);
    *b += *b >= *a;
}

/* The mean loss of exchanges that lose, in mm. */
static double mean_loss(const placing *p, fl_rng *rng)
{
    double sum = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint32_t a, b;
        draw_pair(p, rng, &a, &b);
        int64_t loss = loss_of_exchange(p, a, b);
        sum += loss > 0 ? (double)loss : 0;
        count += loss > 0;
    }
    return count ? sum / count : 0;
}

static uint64_t steps_of(const placing *p)
{
    const fl_bundles *b = p->bundles;
    uint64_t pairs = (uint64_t)p->slots * (p->slots - 1) / 2, steps = STEPS_A_PAIR * pairs,
             most = WORK_MAX / (1 + 2 * b->offsets[b->cabinets] / b->cabinets);
    return steps < most ? steps : most;
}

static void anneal(placing *p, fl_rng *rng)
{
    double temperature = mean_loss(p, rng);
    uint64_t steps = steps_of(p);
    double factor = pow(COLDEST, 1 / (double)steps);
    for (uint64_t i = 0; i < steps && temperature > 0; i++, temperature *= factor) {
        uint32_t a, b;
        draw_pair(p, rng, &a, &b);
        int64_t loss = loss_of_exchange(p, a, b);
        double draw = (double)fl_rng_next32(rng) / 4294967296.0;
        if (loss <= 0 || draw < exp(-(double)loss / temperature))
            exchange(p, a, b, loss);
    }
}

static void stand(placing *p, const uint32_t *slot)
{
    for (uint32_t s = 0; s < p->slots; s++)
        p->at[s] = EMPTY;
    for (uint32_t c = 0; c < p->bundles->cabinets; c++) {
        p->slot[c] = slot[c];
        p->at[slot[c]] = c;
    }
    p->length = fl_floor_length(p->on, p->bundles, p->slot);
}

/* From the best placing down to one that no exchange makes shorter, as far as the work goes. */
static void descend(placing *p)
{
    uint64_t left = steps_of(p) + 1;
    bool better = true;
    stand(p, p->best);
    while (better && left > 0) {
        better = false;
        for (uint32_t x = 0; x < p->slots && left > 0; x++)
            for (uint32_t y = x + 1; y < p->slots && left > 0; y++, left--) {
                int64_t loss = loss_of_exchange(p, x, y);
                if (loss >= 0)
                    continue;
                exchange(p, x, y, loss);
                better = true;
            }
    }
}

fl_status fl_floor_place(uint32_t *slot, const fl_floor *on, const fl_bundles *bundles,
                         uint64_t seed, fl_error *error)
{
    fl_rng rng;
    placing p = {.on = on, .bundles = bundles, .best = slot, .slots = on->rows * on->columns};
    p.at = malloc(p.slots * sizeof *p.at);
    p.slot = malloc(bundles->cabinets * sizeof *p.slot);
    bool room = p.at && p.slot;
    for (uint32_t c = 0; room && c < bundles->cabinets; c++)
        slot[c] = c;
    if (room && p.slots > 1) {
        fl_rng_seed(&rng, seed, FL_PURPOSE_ROUTING, 0);
        stand(&p, slot);
        p.best_length = p.length;
        anneal(&p, &rng);
        descend(&p);
    }
    free(p.at);
    free(p.slot);
    return room ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory for places of cabinets");
}
