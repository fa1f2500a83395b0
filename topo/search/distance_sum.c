/* The sum of distances of a host-switch graph.
 *
 * Sources are the columns of bit rows (level.h); where the graph turns, those of number 0 stand for
 * all. With w the weights of switches (their nodes) and M(l) the sum of w(v) w(j) over pairs that
 * are more than l links apart, the sum is M(0) + M(1) + ...
 *
 * After a change of a few links, rows of level 2 differ at their ends and neighbours only, and
 * nearly everywhere beyond. So without symmetry levels 1 and 2 are kept, and only those rows are
 * done again. Most tries are refused by M(0) + M(1) + M(2), to which the rest only adds: on
 * (1024, 15) with 194 switches a step of annealing takes a fifth of the time. */
#include "topo/search/distance_sum.h"
#include "topo/search/level.h"

#include <stdlib.h>
#include <string.h>

/* A level that is kept, and what a try changed of it. */
typedef struct kept_level {
    uint64_t *rows;    /* [blocks][switches][words] */
    uint32_t *missing; /* [switches] weight of the columns that are not in the row */
    uint64_t beyond;   /* M */

    const uint32_t *changed; /* [count] switches whose rows were done again */
    uint32_t count;
    uint64_t *before;      /* [blocks][count][words] their rows as they were */
    uint32_t *now_missing; /* [count] */
    uint64_t now_beyond;
} kept_level;

typedef struct weight_change {
    uint32_t v;
    int64_t by;
} weight_change;

struct fl_distance_sum {
    const fl_search_graph *graph;
    fl_level_function *level;
    unsigned words, planes;
    uint32_t sources, blocks;
    size_t block;             /* words of all rows of a block */
    uint64_t *identity;       /* [blocks][switches][words] */
    uint64_t *column_planes;  /* [blocks][planes + 1][words] */
    uint32_t *column_weights; /* [sources] as the planes have them */
    uint64_t *work[2];        /* [switches][words] */

    /* Without symmetry. */
    uint32_t *weights; /* [switches] of the last sum that was accepted */
    kept_level kept[2];
    fl_touched touched;
    uint32_t *near; /* [near_count] touched switches and their neighbours */
    uint32_t near_count;
    bool *is_near; /* [switches] */
    weight_change heavier[8];
    unsigned heavier_count;
    bool tried;
};

/* ---- making one ---- */

static uint64_t *rows_create(size_t words)
{
    size_t bytes = (words * sizeof(uint64_t) + FL_LEVEL_ALIGNMENT - 1) / FL_LEVEL_ALIGNMENT *
                   FL_LEVEL_ALIGNMENT;
    uint64_t *rows = aligned_alloc(FL_LEVEL_ALIGNMENT, bytes);
    if (rows)
        memset(rows, 0, bytes);
    return rows;
}

static uint64_t *column_word(const fl_distance_sum *s, uint64_t *rows, uint32_t v, uint32_t column)
{
    uint32_t width = 64 * s->words, within = column % width;
    return rows + column / width * s->block + (size_t)v * s->words + within / 64;
}

static bool has_column(const fl_distance_sum *s, uint64_t *rows, uint32_t v, uint32_t column)
{
    return *column_word(s, rows, v, column) >> (column % 64) & 1;
}

static bool allocate_kept(fl_distance_sum *s, kept_level *level)
{
    uint32_t switches = s->graph->switches;
    level->rows = rows_create(s->blocks * s->block);
    level->before = rows_create(s->blocks * s->block);
    level->missing = calloc(switches, sizeof *level->missing);
    level->now_missing = calloc(switches, sizeof *level->now_missing);
    return level->rows && level->before && level->missing && level->now_missing;
}

static bool allocate(fl_distance_sum *s)
{
    uint32_t switches = s->graph->switches;
    s->identity = rows_create(s->blocks * s->block);
    s->column_planes = rows_create((size_t)s->blocks * (s->planes + 1) * s->words);
    s->work[0] = rows_create(s->block);
    s->work[1] = rows_create(s->block);
    s->column_weights = calloc(s->sources, sizeof *s->column_weights);
    if (!s->identity || !s->column_planes || !s->column_weights || !s->work[0] || !s->work[1])
        return false;
    if (s->graph->symmetry > 1)
        return true;
    s->weights = calloc(switches, sizeof *s->weights);
    s->near = calloc(switches, sizeof *s->near);
    s->is_near = calloc(switches, sizeof *s->is_near);
    return s->weights && s->near && s->is_near && allocate_kept(s, &s->kept[0]) &&
           allocate_kept(s, &s->kept[1]);
}

fl_status fl_distance_sum_create(fl_distance_sum **out, const fl_search_graph *graph, bool portable,
                                 fl_error *error)
{
    fl_distance_sum *s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    s->graph = graph;
    s->sources = graph->orbits;
    s->level = fl_level_choose(s->sources, portable, &s->words);
    s->blocks = (s->sources - 1) / (64 * s->words) + 1;
    s->block = (size_t)graph->switches * s->words;
    while (graph->radix >> s->planes)
        s->planes++;
    if (!allocate(s)) {
        fl_distance_sum_destroy(s);
        *out = NULL;
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for distances of %u switches",
                       graph->switches);
    }
    for (uint32_t j = 0; j < s->sources; j++)
        *column_word(s, s->identity, j, j) |= UINT64_C(1) << j % 64;
    return FL_OK;
}

void fl_distance_sum_destroy(fl_distance_sum *s)
{
    if (!s)
        return;
    for (int i = 0; i < 2; i++) {
        free(s->work[i]);
        free(s->kept[i].rows);
        free(s->kept[i].before);
        free(s->kept[i].missing);
        free(s->kept[i].now_missing);
    }
    free(s->identity);
    free(s->column_planes);
    free(s->column_weights);
    free(s->weights);
    free(s->near);
    free(s->is_near);
    free(s);
}

/* ---- levels ---- */

static uint64_t *planes_of(const fl_distance_sum *s, uint32_t block)
{
    return s->column_planes + (size_t)block * (s->planes + 1) * s->words;
}

static void set_column(fl_distance_sum *s, uint32_t column, uint32_t weight)
{
    uint32_t width = 64 * s->words, within = column % width;
    uint64_t *words = planes_of(s, column / width) + within / 64, bit = UINT64_C(1) << within % 64;
    for (unsigned p = 0; p <= s->planes; p++, words += s->words) {
        bool set = p < s->planes ? weight >> p & 1 : weight > 0;
        *words = set ? *words | bit : *words & ~bit;
    }
}

/* Most columns weigh what they did. */
static void weigh_column(fl_distance_sum *s, uint32_t column, uint32_t weight)
{
    if (s->column_weights[column] != weight)
        set_column(s, column, weight);
    s->column_weights[column] = weight;
}

static fl_level level_of(const fl_distance_sum *s, uint32_t block)
{
    return (fl_level){.neighbours = s->graph->neighbours,
                      .stride = s->graph->stride,
                      .degree = s->graph->degree,
                      .count = s->graph->switches,
                      .weights = s->graph->hosts,
                      .planes = planes_of(s, block),
                      .plane_count = s->planes};
}

/* M(l + 1) + M(l + 2) + ... of a block from its rows of level l with M(l) = `beyond`, as far as
 * `bound` allows. */
static uint64_t levels_beyond(fl_distance_sum *s, uint32_t block, const uint64_t *rows,
                              uint64_t beyond, uint64_t bound)
{
    fl_level level = level_of(s, block);
    uint64_t sum = 0;
    for (unsigned i = 0; beyond > 0 && sum <= bound; i ^= 1) {
        level.now = rows;
        level.next = s->work[i];
        uint64_t left = s->level(&level);
        if (left == beyond && memcmp(rows, level.next, s->block * sizeof *rows) == 0)
            return FL_DISTANCE_UNREACHABLE;
        rows = level.next;
        beyond = left;
        sum += left;
    }
    return sum;
}

/* sum + more, which may be FL_DISTANCE_UNREACHABLE. */
static uint64_t add(uint64_t sum, uint64_t more)
{
    return more == FL_DISTANCE_UNREACHABLE || sum == FL_DISTANCE_UNREACHABLE
               ? FL_DISTANCE_UNREACHABLE
               : sum + more;
}

/* M(0) of the columns that are sources. */
static uint64_t beyond_zero(const fl_distance_sum *s)
{
    const uint32_t *hosts = s->graph->hosts;
    uint64_t sum = 0;
    for (uint32_t j = 0; j < s->sources; j++)
        sum += (uint64_t)hosts[j] * (s->graph->nodes - hosts[j]);
    return sum;
}

/* M(0) of one block: what is above 0 is searched. */
static uint64_t sum_from_identity(fl_distance_sum *s, uint64_t bound)
{
    uint64_t sum = beyond_zero(s);
    for (uint32_t block = 0; block < s->blocks && sum <= bound; block++)
        sum = add(sum, levels_beyond(s, block, s->identity + block * s->block, UINT64_MAX - 1,
                                     bound - sum));
    return sum;
}

/* ---- the kept levels ---- */

static void fill_level(fl_distance_sum *s, kept_level *level, const uint64_t *from)
{
    level->beyond = 0;
    memset(level->missing, 0, s->graph->switches * sizeof *level->missing);
    for (uint32_t block = 0; block < s->blocks; block++) {
        fl_level l = level_of(s, block);
        l.now = from + block * s->block;
        l.next = level->rows + block * s->block;
        l.missing = level->missing;
        level->beyond += s->level(&l);
    }
}

/* What weights alone change: M with them, of the rows as they are. */
static uint64_t reweighed(const fl_distance_sum *s, const kept_level *level)
{
    int64_t by = 0;
    for (unsigned i = 0; i < s->heavier_count; i++) {
        weight_change a = s->heavier[i];
        by += 2 * a.by * level->missing[a.v];
        for (unsigned j = 0; j < s->heavier_count; j++)
            if (!has_column(s, level->rows, a.v, s->heavier[j].v))
                by += a.by * s->heavier[j].by;
    }
    return level->beyond + (uint64_t)by;
}

static int64_t missing_reweighed(const fl_distance_sum *s, const kept_level *level, uint32_t v)
{
    int64_t missing = level->missing[v];
    for (unsigned i = 0; i < s->heavier_count; i++)
        if (!has_column(s, level->rows, v, s->heavier[i].v))
            missing += s->heavier[i].by;
    return missing;
}

static void exchange_rows(const fl_distance_sum *s, kept_level *level)
{
    for (uint32_t block = 0; block < s->blocks; block++)
        for (uint32_t i = 0; i < level->count; i++) {
            uint64_t *a = level->rows + block * s->block + (size_t)level->changed[i] * s->words;
            uint64_t *b = level->before + ((size_t)block * level->count + i) * s->words;
            for (unsigned w = 0; w < s->words; w++) {
                uint64_t word = a[w];
                a[w] = b[w];
                b[w] = word;
            }
        }
}

/* Does rows of these switches again, from the level below. */
static void redo_level(fl_distance_sum *s, kept_level *level, const uint64_t *from,
                       const uint32_t *changed, uint32_t count)
{
    level->changed = changed;
    level->count = count;
    level->now_beyond = reweighed(s, level);
    memset(level->now_missing, 0, count * sizeof *level->now_missing);
    for (uint32_t block = 0; block < s->blocks; block++) {
        fl_level l = level_of(s, block);
        l.rows = changed;
        l.count = count;
        l.now = from + block * s->block;
        l.next = level->before + (size_t)block * count * s->words;
        l.missing = level->now_missing;
        level->now_beyond += s->level(&l);
    }
    for (uint32_t i = 0; i < count; i++)
        level->now_beyond -=
            (uint64_t)(missing_reweighed(s, level, changed[i]) * s->graph->hosts[changed[i]]);
    exchange_rows(s, level);
}

static void find_weight_changes(fl_distance_sum *s)
{
    s->heavier_count = 0;
    for (unsigned i = 0; i < s->touched.count; i++) {
        uint32_t v = s->touched.orbits[i];
        int64_t by = (int64_t)s->graph->hosts[v] - s->weights[v];
        if (by)
            s->heavier[s->heavier_count++] = (weight_change){v, by};
    }
}

static void list_near(fl_distance_sum *s)
{
    const fl_search_graph *graph = s->graph;
    s->near_count = 0;
    for (unsigned i = 0; i < s->touched.count; i++) {
        uint32_t v = s->touched.orbits[i];
        const uint32_t *neighbours = graph->neighbours + (size_t)v * graph->stride;
        for (uint32_t e = 0; e <= graph->degree[v]; e++) {
            uint32_t u = e < graph->degree[v] ? neighbours[e] : v;
            if (!s->is_near[u])
                s->near[s->near_count++] = u;
            s->is_near[u] = true;
        }
    }
    for (uint32_t i = 0; i < s->near_count; i++)
        s->is_near[s->near[i]] = false;
}

static uint64_t finish_from_level2(fl_distance_sum *s, uint64_t sum, uint64_t beyond,
                                   uint64_t bound)
{
    for (uint32_t block = 0; beyond > 0 && block < s->blocks && sum <= bound; block++)
        sum = add(sum, levels_beyond(s, block, s->kept[1].rows + block * s->block, UINT64_MAX - 1,
                                     bound - sum));
    return sum;
}

uint64_t fl_distance_sum_all(fl_distance_sum *s)
{
    const fl_search_graph *graph = s->graph;
    for (uint32_t j = 0; j < s->sources; j++)
        weigh_column(s, j, graph->hosts[j]);
    if (graph->symmetry > 1) {
        uint64_t sum = sum_from_identity(s, UINT64_MAX - 1);
        return sum == FL_DISTANCE_UNREACHABLE ? sum : sum * graph->symmetry;
    }
    memcpy(s->weights, graph->hosts, graph->switches * sizeof *s->weights);
    fill_level(s, &s->kept[0], s->identity);
    fill_level(s, &s->kept[1], s->kept[0].rows);
    s->tried = false;
    return finish_from_level2(s, beyond_zero(s) + s->kept[0].beyond + s->kept[1].beyond,
                              s->kept[1].beyond, UINT64_MAX - 1);
}

/* ---- tries ---- */

static uint64_t try_with_symmetry(fl_distance_sum *s, uint64_t bound)
{
    for (uint32_t j = 0; j < s->sources; j++)
        weigh_column(s, j, s->graph->hosts[j]);
    uint64_t sum = sum_from_identity(s, bound / s->graph->symmetry);
    return sum == FL_DISTANCE_UNREACHABLE ? sum : sum * s->graph->symmetry;
}

uint64_t fl_distance_sum_try(fl_distance_sum *s, const fl_touched *touched, uint64_t bound)
{
    s->touched = *touched;
    s->tried = true;
    if (s->graph->symmetry > 1)
        return try_with_symmetry(s, bound);
    find_weight_changes(s);
    for (unsigned i = 0; i < s->heavier_count; i++)
        weigh_column(s, s->heavier[i].v, s->graph->hosts[s->heavier[i].v]);
    list_near(s);
    redo_level(s, &s->kept[0], s->identity, s->touched.orbits, s->touched.count);
    redo_level(s, &s->kept[1], s->kept[0].rows, s->near, s->near_count);
    uint64_t sum = beyond_zero(s) + s->kept[0].now_beyond + s->kept[1].now_beyond;
    return finish_from_level2(s, sum, s->kept[1].now_beyond, bound);
}

static void accept_level(const fl_distance_sum *s, kept_level *level)
{
    for (unsigned i = 0; i < s->heavier_count; i++)
        for (uint32_t v = 0; v < s->graph->switches; v++)
            if (!has_column(s, level->rows, v, s->heavier[i].v))
                level->missing[v] += (uint32_t)s->heavier[i].by;
    for (uint32_t i = 0; i < level->count; i++)
        level->missing[level->changed[i]] = level->now_missing[i];
    level->beyond = level->now_beyond;
}

void fl_distance_sum_accept(fl_distance_sum *s)
{
    s->tried = false;
    if (s->graph->symmetry > 1)
        return;
    accept_level(s, &s->kept[0]);
    accept_level(s, &s->kept[1]);
    for (unsigned i = 0; i < s->heavier_count; i++)
        s->weights[s->heavier[i].v] = s->graph->hosts[s->heavier[i].v];
}

void fl_distance_sum_reject(fl_distance_sum *s)
{
    if (!s->tried)
        return;
    s->tried = false;
    if (s->graph->symmetry > 1)
        return;
    exchange_rows(s, &s->kept[1]);
    exchange_rows(s, &s->kept[0]);
    for (unsigned i = 0; i < s->heavier_count; i++)
        weigh_column(s, s->heavier[i].v, s->weights[s->heavier[i].v]);
}

_Static_assert(FL_SEARCH_SLOTS % FL_LEVEL_STEP == 0, "slots are taken FL_LEVEL_STEP at a time");
