/* Randomly optimised grid graph (Yasudo thesis, 2.1.3.2; Nakano et al., 2016): k x k switches at
 * the places (x, y), each with the same number of links, none of which is longer than a limit,
 * measured along the grid. A random graph of this kind is drawn; then ends of two links are
 * exchanged as long as that makes the diameter, or with the same diameter the mean distance, no
 * larger. */
#include "topo/stored/models/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MOST = 64, DEGREE_MOST = 64 };
/* Places of the parameters. */
enum { DEGREE_AT = 1, LENGTH_AT, NODES_AT, SEED_AT, STEPS_AT };

typedef struct builder {
    uint32_t side, switches, degree, length, nodes_each;
    uint64_t steps;
    uint32_t *adjacent;        /* [switches][degree] */
    uint32_t *count;           /* [switches] neighbours so far */
    uint32_t *near;            /* [switches][most_near] switches that a link may lead to */
    uint32_t *near_count;      /* [switches] */
    uint32_t most_near, words; /* words: of a set of switches */
    uint64_t *reached, *next;  /* [switches][words] of the search */
} builder;

typedef struct quality {
    uint32_t diameter;
    uint64_t sum; /* of the distances between all ordered pairs */
} quality;

static uint32_t nodes_of(void *user, uint32_t s)
{
    (void)s;
    return ((const builder *)user)->nodes_each;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static uint32_t length_of(const builder *b, uint32_t u, uint32_t v)
{
    return apart(u % b->side, v % b->side) + apart(u / b->side, v / b->side);
}

static bool linked(const builder *b, uint32_t u, uint32_t v)
{
    for (uint32_t i = 0; i < b->count[u]; i++)
        if (b->adjacent[u * b->degree + i] == v)
            return true;
    return false;
}

static void join(builder *b, uint32_t u, uint32_t v)
{
    b->adjacent[u * b->degree + b->count[u]++] = v;
    b->adjacent[v * b->degree + b->count[v]++] = u;
}

static void drop(builder *b, uint32_t u, uint32_t v)
{
    uint32_t *list = b->adjacent + u * b->degree, i = 0;
    while (list[i] != v)
        i++;
    list[i] = list[--b->count[u]];
}

static void part(builder *b, uint32_t u, uint32_t v)
{
    drop(b, u, v);
    drop(b, v, u);
}

/* ---- a random graph of the right degrees ---- */

/* Gives a switch another link; a neighbour that has none free gives up one of its own, at random,
 * whose other end then looks for a link in its place. */
static bool add_link(builder *b, fl_rng *rng, uint32_t u)
{
    for (uint32_t attempt = 0; attempt < 100 * b->switches + 1000; attempt++) {
        uint32_t v = b->near[u * b->most_near + fl_rng_below32(rng, b->near_count[u])];
        if (linked(b, u, v))
            continue;
        if (b->count[v] < b->degree) {
            join(b, u, v);
            return true;
        }
        uint32_t w = b->adjacent[v * b->degree + fl_rng_below32(rng, b->degree)];
        if (w == u)
            continue;
        part(b, v, w);
        join(b, u, v);
        u = w;
    }
    return false;
}

/* With an odd number of ports in all, one stays free at the last switch that has one. */
static bool draw_links(builder *b, fl_rng *rng)
{
    uint64_t missing = (uint64_t)b->switches * b->degree / 2;
    memset(b->count, 0, b->switches * sizeof *b->count);
    for (uint32_t u = 0; missing > 0; u = (u + 1) % b->switches)
        if (b->count[u] < b->degree) {
            if (!add_link(b, rng, u))
                return false;
            missing--;
        }
    return true;
}

/* ---- its diameter and mean distance ---- */

static bool is_better(quality a, quality b, bool or_equal)
{
    if (a.diameter != b.diameter)
        return a.diameter < b.diameter;
    return or_equal ? a.sum <= b.sum : a.sum < b.sum;
}

/* All searches at once, a bit each: in a step every switch learns what its neighbours reach. Ends
 * early, with a diameter above the limit, where one is not reached in that number of steps. */
static quality search(builder *b, uint32_t diameter_most)
{
    uint64_t pairs = (uint64_t)b->switches * b->switches, found = b->switches;
    size_t words = b->words;
    quality q = {0, 0};
    memset(b->reached, 0, b->switches * words * sizeof *b->reached);
    for (uint32_t s = 0; s < b->switches; s++)
        b->reached[s * words + s / 64] |= UINT64_C(1) << s % 64;
    while (found < pairs && q.diameter <= diameter_most) {
        uint64_t before = found;
        q.diameter++;
        q.sum += pairs - found;
        found = 0;
        for (uint32_t s = 0; s < b->switches; s++) {
            uint64_t *to = b->next + s * words;
            memcpy(to, b->reached + s * words, words * sizeof *to);
            for (uint32_t i = 0; i < b->count[s]; i++) {
                const uint64_t *from = b->reached + b->adjacent[s * b->degree + i] * words;
                for (size_t w = 0; w < words; w++)
                    to[w] |= from[w];
            }
            for (size_t w = 0; w < words; w++)
                found += fl_bit_count(to[w]);
        }
        uint64_t *kept = b->reached;
        b->reached = b->next;
        b->next = kept;
        if (found == before) /* not connected */
            return (quality){UINT32_MAX, pairs - found};
    }
    return q;
}

/* ---- optimising it ---- */

/* Exchanges (u, v), (x, y) for (u, x), (v, y), if these are short enough and new. */
static bool exchange(builder *b, const uint32_t ends[4])
{
    uint32_t u = ends[0], v = ends[1], x = ends[2], y = ends[3];
    if (u == x || u == y || v == x || v == y || length_of(b, u, x) > b->length ||
        length_of(b, v, y) > b->length || linked(b, u, x) || linked(b, v, y))
        return false;
    part(b, u, v);
    part(b, x, y);
    join(b, u, x);
    join(b, v, y);
    return true;
}

/* A link and a direction, drawn at random; x near u. */
static bool draw_ends(const builder *b, fl_rng *rng, uint32_t ends[4])
{
    uint32_t u = fl_rng_below32(rng, b->switches);
    uint32_t x = b->near[u * b->most_near + fl_rng_below32(rng, b->near_count[u])];
    if (b->count[u] == 0 || b->count[x] == 0)
        return false;
    ends[0] = u;
    ends[1] = b->adjacent[u * b->degree + fl_rng_below32(rng, b->count[u])];
    ends[2] = x;
    ends[3] = b->adjacent[x * b->degree + fl_rng_below32(rng, b->count[x])];
    return true;
}

static void optimise(builder *b, fl_rng *rng)
{
    quality best = search(b, UINT32_MAX - 1);
    for (uint64_t step = 0; step < b->steps; step++) {
        uint32_t ends[4];
        if (!draw_ends(b, rng, ends) || !exchange(b, ends))
            continue;
        quality now = search(b, best.diameter);
        if (is_better(now, best, true)) {
            best = now;
            continue;
        }
        part(b, ends[0], ends[2]);
        part(b, ends[1], ends[3]);
        join(b, ends[0], ends[1]);
        join(b, ends[2], ends[3]);
    }
}

static bool draw(void *user, fl_explicit_graph *graph, fl_rng *rng)
{
    builder *b = user;
    if (!draw_links(b, rng))
        return false;
    if (b->steps > 0)
        optimise(b, rng);
    for (uint32_t u = 0; u < b->switches; u++)
        for (uint32_t i = 0; i < b->count[u]; i++)
            if (b->adjacent[u * b->degree + i] > u)
                fl_explicit_link(graph, u, b->adjacent[u * b->degree + i]);
    return true;
}

/* ---- making ---- */

static void list_near(builder *b)
{
    for (uint32_t u = 0; u < b->switches; u++)
        for (uint32_t v = 0; v < b->switches; v++)
            if (u != v && length_of(b, u, v) <= b->length)
                b->near[u * b->most_near + b->near_count[u]++] = v;
}

static fl_status prepare(void *user, fl_error *error)
{
    builder *b = user;
    size_t m = b->switches;
    b->adjacent = malloc(m * b->degree * sizeof *b->adjacent);
    b->count = calloc(m, sizeof *b->count);
    b->near = malloc(m * b->most_near * sizeof *b->near);
    b->near_count = calloc(m, sizeof *b->near_count);
    b->reached = malloc(m * b->words * sizeof *b->reached);
    b->next = malloc(m * b->words * sizeof *b->next);
    if (!b->adjacent || !b->count || !b->near || !b->near_count || !b->reached || !b->next)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a grid graph");
    list_near(b);
    return FL_OK;
}

/* Switches within the limit of a corner, which has the fewest. */
static uint32_t near_a_corner(const builder *b)
{
    uint32_t count = 0;
    for (uint32_t v = 1; v < b->switches; v++)
        count += length_of(b, 0, v) <= b->length;
    return count;
}

/* A number that takes about a second: a step looks at some five levels of all links. */
static uint64_t usual_steps(const builder *b)
{
    uint64_t work = 5 * (uint64_t)b->switches * (b->degree + 2) * b->words;
    uint64_t thorough = 200 * (uint64_t)b->switches, quick = UINT64_C(2000000000) / work;
    return thorough < quick ? thorough : quick;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint32_t side = (uint32_t)values[0], m = side * side;
    builder b = {.side = side,
                 .switches = m,
                 .degree = (uint32_t)values[DEGREE_AT],
                 .length = (uint32_t)values[LENGTH_AT],
                 .nodes_each = (uint32_t)values[NODES_AT],
                 .words = (m + 63) / 64};
    uint32_t ball = 2 * b.length * (b.length + 1);
    b.most_near = ball < m ? ball : m;
    if (near_a_corner(&b) < b.degree)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: a switch in the corner has %u others within length=%u, and cannot have "
                       "links to %u",
                       network->spec, near_a_corner(&b), b.length, b.degree);
    if (values[STEPS_AT] == FL_NOT_GIVEN)
        network->values[STEPS_AT] = usual_steps(&b);
    b.steps = network->values[STEPS_AT];
    fl_status status =
        fl_model_make(network,
                      &(fl_model){.nodes = (uint64_t)m * b.nodes_each,
                                  .switches = m,
                                  .links_most = (uint64_t)m * b.degree / 2,
                                  .nodes_of = nodes_of,
                                  .prepare = prepare,
                                  .draw = draw,
                                  .user = &b,
                                  .seed = values[SEED_AT],
                                  .attempts = 20,
                                  .advice = "a larger degree or length, or another seed, may help"},
                      error);
    free(b.adjacent);
    free(b.count);
    free(b.near);
    free(b.near_count);
    free(b.reached);
    free(b.next);
    return status;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    uint64_t m = network->values[0] * network->values[0], p = network->values[NODES_AT];
    fl_model_counts(m, p, out);
    out->links = (double)(m * network->values[DEGREE_AT] / 2 + m * p);
    out->radix = (double)(network->values[DEGREE_AT] + p);
}

static void place(const fl_network *network, fl_address address, double *x, double *y)
{
    *x = (double)(address % network->values[0]);
    *y = (double)(address / network->values[0]);
}

const fl_network_type fl_network_grid_graph = {
    .name = "grid-graph",
    .summary = "randomly optimised grid graph: k x k switches of equal degree, links of limited "
               "length, short paths",
    .source = "Yasudo thesis, 2.1.3.2",
    .parameters = {{.name = "k",
                    .summary = "switches of a row and of a column",
                    .least = 2,
                    .most = SIDE_MOST},
                   {.name = "degree",
                    .summary = "links of a switch between switches",
                    .least = 2,
                    .most = DEGREE_MOST},
                   {.name = "length",
                    .summary = "the longest link, along the grid",
                    .least = 1,
                    .most = 2 * SIDE_MOST - 2},
                   FL_MODEL_NODES,
                   FL_MODEL_SEED,
                   {.name = "steps",
                    .summary = "exchanges to try (default: as many as are quick)",
                    .least = 0,
                    .most = 1000000000,
                    .optional = true,
                    .fallback = FL_NOT_GIVEN}},
    .create = create,
    .place = place,
    .closed_forms = closed_forms,
    .published = fl_explicit_closed_forms,
    FL_EXPLICIT_FUNCTIONS,
};
