/* Bisection width: the fewest links whose loss parts the nodes into halves. A partition of the
 * switches takes their nodes along; what is then still missing for equal halves is made up by
 * parting single nodes from their switches, which costs the node's link each (all its links, at
 * most, where nodes have several and are vertices of the partition themselves). So the width of a
 * partition is its cut plus the nodes to be moved, always for exactly equal halves (for an odd
 * number of nodes: but for one). Half of the nodes cut off one by one is a bisection, too.
 *
 * Partitions come from METIS (Karypis and Kumar 1998), from cutting the order of the switches into
 * stripes, and from growing a half around a random switch. Each is improved by
 * the method of Fiduccia and Mattheyses (1982). Simulated annealing from random partitions
 * (Kirkpatrick, Gelatt and Vecchi 1983; as Johnson et al. 1989 use it for this problem) finds cuts
 * that are not local: on tori with switches without nodes it beats the others. The best of all is
 * an upper bound. */
#include "topo/measure/metis_graph.h"
#include "topo/measure/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct partition {
    const fl_switch_graph *graph;
    uint8_t *side, *best; /* [switches] */
    int32_t *gain;        /* links less in the cut when the switch changes sides */
    bool *locked;
    uint32_t *moves;  /* [switches] of a pass, in order */
    int32_t *head[2]; /* [2 * degree + 1] buckets of equal gain, lists of switches; -1: empty */
    int32_t *next, *previous;
    int32_t top[2];    /* no bucket above has anything */
    int32_t degree;    /* largest */
    uint32_t heaviest; /* most nodes on a switch */
    int64_t cut, nodes[2];
    int64_t width; /* of `best` */
} partition;

static void partition_destroy(partition *p)
{
    free(p->side);
    free(p->best);
    free(p->gain);
    free(p->locked);
    free(p->moves);
    free(p->head[0]);
    free(p->head[1]);
    free(p->next);
    free(p->previous);
}

static bool partition_create(partition *p, const fl_switch_graph *graph)
{
    size_t n = graph->switches;
    *p = (partition){.graph = graph, .width = INT64_MAX};
    for (uint32_t s = 0; s < n; s++) {
        int32_t degree = (int32_t)(graph->offsets[s + 1] - graph->offsets[s]);
        p->degree = degree > p->degree ? degree : p->degree;
        p->heaviest = graph->hosts[s] > p->heaviest ? graph->hosts[s] : p->heaviest;
    }
    p->side = calloc(n, 1);
    p->best = calloc(n, 1);
    p->gain = malloc(n * sizeof *p->gain);
    p->locked = malloc(n * sizeof *p->locked);
    p->moves = malloc(n * sizeof *p->moves);
    p->next = malloc(n * sizeof *p->next);
    p->previous = malloc(n * sizeof *p->previous);
    for (int i = 0; i < 2; i++)
        p->head[i] = malloc((2 * (size_t)p->degree + 1) * sizeof *p->head[i]);
    return p->side && p->best && p->gain && p->locked && p->moves && p->next && p->previous &&
           p->head[0] && p->head[1];
}

static int64_t width_of(const partition *p)
{
    int64_t difference = p->nodes[0] - p->nodes[1];
    return p->cut + (difference < 0 ? -difference : difference) / 2 * p->graph->node_ports;
}

/* ---- buckets ---- */

static void insert(partition *p, uint32_t s)
{
    int side = p->side[s];
    int32_t bucket = p->gain[s] + p->degree, first = p->head[side][bucket];
    p->next[s] = first;
    p->previous[s] = -1;
    if (first >= 0)
        p->previous[first] = (int32_t)s;
    p->head[side][bucket] = (int32_t)s;
    p->top[side] = bucket > p->top[side] ? bucket : p->top[side];
}

static void take_out(partition *p, uint32_t s)
{
    int32_t bucket = p->gain[s] + p->degree;
    if (p->previous[s] >= 0)
        p->next[p->previous[s]] = p->next[s];
    else
        p->head[p->side[s]][bucket] = p->next[s];
    if (p->next[s] >= 0)
        p->previous[p->next[s]] = p->previous[s];
}

/* The switch of the largest gain on a side that may move; -1: none. */
static int32_t candidate(partition *p, int side, int64_t slack)
{
    while (p->top[side] >= 0 && p->head[side][p->top[side]] < 0)
        p->top[side]--;
    for (int32_t bucket = p->top[side], looked = 0; bucket >= 0 && looked < 64; bucket--)
        for (int32_t s = p->head[side][bucket]; s >= 0 && looked < 64; s = p->next[s], looked++) {
            int64_t hosts = p->graph->hosts[s],
                    after = p->nodes[side] - p->nodes[!side] - 2 * hosts;
            if (hosts == 0 || (after >= -slack && after <= slack) || (after > 0 && hosts > 0))
                return s;
        }
    return -1;
}

/* ---- a pass ---- */

static void prepare_pass(partition *p)
{
    const fl_switch_graph *graph = p->graph;
    for (int side = 0; side < 2; side++) {
        p->top[side] = -1;
        p->nodes[side] = 0;
        for (int32_t i = 0; i <= 2 * p->degree; i++)
            p->head[side][i] = -1;
    }
    p->cut = 0;
    for (uint32_t s = graph->switches; s-- > 0;) {
        p->gain[s] = 0;
        for (uint64_t e = graph->offsets[s]; e < graph->offsets[s + 1]; e++) {
            bool cut = p->side[graph->targets[e]] != p->side[s];
            p->gain[s] += cut ? 1 : -1;
            p->cut += cut && graph->targets[e] > s;
        }
        p->nodes[p->side[s]] += graph->hosts[s];
        p->locked[s] = false;
        insert(p, s);
    }
}

static void move(partition *p, uint32_t s)
{
    const fl_switch_graph *graph = p->graph;
    int from = p->side[s];
    take_out(p, s);
    p->locked[s] = true;
    p->cut -= p->gain[s];
    p->nodes[from] -= graph->hosts[s];
    p->nodes[!from] += graph->hosts[s];
    p->side[s] = (uint8_t)!from;
    for (uint64_t e = graph->offsets[s]; e < graph->offsets[s + 1]; e++) {
        uint32_t u = graph->targets[e];
        if (p->locked[u])
            continue;
        take_out(p, u);
        p->gain[u] += p->side[u] == from ? 2 : -2;
        insert(p, u);
    }
}

/* Moves switch after switch, the best first, even at a loss, and goes back to where it was best.
 * True if that is better than before. */
static bool pass(partition *p)
{
    prepare_pass(p);
    int64_t before = width_of(p), best = before, slack = 2 * (int64_t)p->heaviest;
    uint32_t count = 0, kept = 0;
    while (count < p->graph->switches) {
        int32_t a = candidate(p, 0, slack), b = candidate(p, 1, slack);
        if (a < 0 && b < 0)
            break;
        bool first = b < 0 || (a >= 0 && (p->gain[a] > p->gain[b] || (p->gain[a] == p->gain[b] &&
                                                                      p->nodes[0] >= p->nodes[1])));
        uint32_t s = (uint32_t)(first ? a : b);
        move(p, s);
        p->moves[count++] = s;
        if (width_of(p) < best) {
            best = width_of(p);
            kept = count;
        } else if (count > kept + 2000 && count > kept + p->graph->switches / 4) {
            break;
        }
    }
    while (count > kept)
        p->side[p->moves[--count]] ^= 1;
    if (best < p->width) {
        p->width = best;
        memcpy(p->best, p->side, p->graph->switches);
    }
    return best < before;
}

static void improve(partition *p)
{
    for (int i = 0; i < 50 && pass(p); i++) {
    }
}

/* ---- partitions to begin with ---- */

enum { UNDECIDED = 2 };

/* Switches without nodes go where most of their neighbours are, layer after layer. */
static void follow_neighbours(partition *p)
{
    const fl_switch_graph *graph = p->graph;
    bool left = true;
    for (int round = 0; round < 64 && left; round++) {
        left = false;
        uint32_t count = 0;
        for (uint32_t s = 0; s < graph->switches; s++) {
            int64_t balance = 0;
            bool any = false;
            for (uint64_t e = graph->offsets[s];
                 p->side[s] == UNDECIDED && e < graph->offsets[s + 1]; e++) {
                uint8_t side = p->side[graph->targets[e]];
                any |= side != UNDECIDED;
                balance += side == 0 ? -1 : side == 1 ? 1 : 0;
            }
            left |= p->side[s] == UNDECIDED;
            if (any) { /* decided together, so that a layer does not follow itself */
                p->moves[count] = s;
                p->locked[count++] = balance > 0;
            }
        }
        for (uint32_t i = 0; i < count; i++)
            p->side[p->moves[i]] = p->locked[i];
    }
    for (uint32_t s = 0; s < graph->switches; s++)
        p->side[s] = p->side[s] == 1;
}

/* The nodes in the order of their switches, cut into `stripes` parts, which go to the two sides in
 * turn: labels are digits, and so the halves of a digit are stripes. */
static void split_order(partition *p, uint64_t stripes)
{
    uint64_t seen = 0;
    for (uint32_t s = 0; s < p->graph->switches; s++) {
        p->side[s] =
            p->graph->hosts[s] == 0 ? UNDECIDED : (uint8_t)(seen * stripes / p->graph->nodes % 2);
        seen += p->graph->hosts[s];
    }
    follow_neighbours(p);
}

static void grow(partition *p, fl_rng *rng, uint32_t *queue)
{
    const fl_switch_graph *graph = p->graph;
    uint32_t head = 0, tail = 0;
    uint64_t inside = 0;
    memset(p->side, 1, graph->switches);
    queue[tail++] = fl_rng_below32(rng, graph->switches);
    p->side[queue[0]] = 0;
    while (head < tail && 2 * inside < graph->nodes) {
        uint32_t v = queue[head++];
        inside += graph->hosts[v];
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            if (p->side[graph->targets[e]] == 1) {
                p->side[graph->targets[e]] = 0;
                queue[tail++] = graph->targets[e];
            }
    }
    while (head < tail)
        p->side[queue[head++]] = 1;
}

/* METIS counts in 32 bits or, if built so, 64. */
static bool metis_serves(const fl_switch_graph *graph)
{
    return graph->switches > 1 && graph->arcs <= INT32_MAX && graph->nodes <= INT32_MAX;
}

/* What METIS returns. */
static int split_by_metis(partition *p, fl_metis_graph *m, uint64_t seed)
{
    int end = fl_metis_split(m, 2, seed);
    for (uint32_t s = 0; s < p->graph->switches && end == METIS_OK; s++)
        p->side[s] = m->part[s] != 0;
    return end;
}

/* False: out of memory. */
static bool try_seeds(partition *p, unsigned seeds, uint32_t *queue,
                      const fl_metrics_options *options)
{
    fl_rng rng;
    fl_rng_seed(&rng, options->seed, FL_PURPOSE_ROUTING, 0);
    fl_metis_graph m;
    int end = METIS_OK;
    bool metis = metis_serves(p->graph);
    const fl_switch_graph *graph = p->graph;
    if (metis &&
        !fl_metis_graph_create(&m, graph->switches, graph->offsets, graph->targets, graph->hosts))
        return false;
    improve(p); /* all switches on one side */
    for (uint64_t stripes = 2; stripes <= 8 && !fl_metrics_stopped(options); stripes *= 2) {
        split_order(p, stripes);
        improve(p);
    }
    for (unsigned i = 0; i < seeds && !fl_metrics_stopped(options); i++) {
        if (metis && (end = split_by_metis(p, &m, options->seed * 64 + i)) == METIS_OK)
            improve(p);
        if (end == METIS_ERROR_MEMORY)
            break;
        grow(p, &rng, queue);
        improve(p);
    }
    if (metis)
        fl_metis_graph_destroy(&m);
    return end != METIS_ERROR_MEMORY;
}

/* ---- simulated annealing ---- */

/* A move changes the side of one switch. Temperatures are in units of the mean number of links of a
 * switch: the range in which cuts freeze, on tori, meshes, random graphs and trees alike. */
#define FIRST_TEMPERATURE 0.21
#define LAST_TEMPERATURE  0.10

enum {
    SWEEPS_MAX = 12000, /* of a run, as far as the work goes; */
    SWEEPS_A_SWITCH =
        50,           /* fewer on small networks, and none where there would be too few of them */
    SWEEPS_MIN = 200, /* to find what the refinement does not */
    RUNS_IN_VAIN_MAX = 16,
    LOSSES = 64 /* beyond, a loss is as good as never taken */
};

/* Moves tried, and links looked at for those made, since the last run that found a narrower cut: a
 * third of a second. */
#define WORK_IN_VAIN_MAX UINT64_C(60000000)

static void start_at_random(partition *p, fl_rng *rng)
{
    for (uint32_t s = 0; s < p->graph->switches; s++)
        p->side[s] = (uint8_t)(fl_rng_next32(rng) >> 31);
    prepare_pass(p);
}

/* Without buckets. */
static void flip(partition *p, uint32_t s)
{
    const fl_switch_graph *graph = p->graph;
    int from = p->side[s];
    p->cut -= p->gain[s];
    p->gain[s] = -p->gain[s];
    p->nodes[from] -= graph->hosts[s];
    p->nodes[!from] += graph->hosts[s];
    p->side[s] = (uint8_t)!from;
    for (uint64_t e = graph->offsets[s]; e < graph->offsets[s + 1]; e++)
        p->gain[graph->targets[e]] += p->side[graph->targets[e]] == from ? 2 : -2;
}

/* The width after switch s has changed sides. */
static int64_t width_with(const partition *p, uint32_t s)
{
    int64_t hosts = p->graph->hosts[s],
            difference = p->nodes[p->side[s]] - p->nodes[!p->side[s]] - 2 * hosts;
    return p->cut - p->gain[s] +
           (difference < 0 ? -difference : difference) / 2 * p->graph->node_ports;
}

/* As many moves as there are switches, at one temperature; returns the work done. */
static uint64_t sweep_at(partition *p, double temperature, fl_rng *rng)
{
    const fl_switch_graph *graph = p->graph;
    uint32_t taken[LOSSES]; /* by loss: in how many of 2^32 cases */
    for (int loss = 0; loss < LOSSES; loss++)
        taken[loss] = (uint32_t)(UINT32_MAX * exp(-loss / temperature));
    uint64_t work = graph->switches;
    for (uint32_t i = 0; i < graph->switches; i++) {
        uint32_t s = fl_rng_below32(rng, graph->switches);
        int64_t after = width_with(p, s), loss = after - width_of(p);
        if (loss > 0 && (loss >= LOSSES || fl_rng_next32(rng) >= taken[loss]))
            continue;
        flip(p, s);
        work += graph->offsets[s + 1] - graph->offsets[s];
        if (after < p->width) {
            p->width = after;
            memcpy(p->best, p->side, graph->switches);
        }
    }
    return work;
}

/* One run, from a random partition, with a limit on its sweeps. Returns the work done. */
static uint64_t anneal(partition *p, uint64_t sweeps, fl_rng *rng,
                       const fl_metrics_options *options)
{
    double mean = (double)p->graph->arcs / p->graph->switches,
           cooling = log(LAST_TEMPERATURE / FIRST_TEMPERATURE);
    uint64_t work = 0;
    start_at_random(p, rng);
    for (uint64_t i = 0; i < sweeps && !(i % 64 == 0 && fl_metrics_stopped(options)); i++)
        work +=
            sweep_at(p, mean * FIRST_TEMPERATURE * exp(cooling * (double)i / (double)sweeps), rng);
    improve(p);
    return work;
}

static uint64_t sweeps_of(const fl_switch_graph *graph)
{
    uint64_t sweeps = SWEEPS_A_SWITCH * (uint64_t)graph->switches,
             most = WORK_IN_VAIN_MAX / (graph->arcs + graph->switches);
    sweeps = sweeps < most ? sweeps : most;
    return sweeps < SWEEPS_MAX ? sweeps : SWEEPS_MAX;
}

/* Run after run while they find narrower cuts now and then, up to a limit; returns their number. */
static unsigned anneal_often(partition *p, unsigned most, const fl_metrics_options *options)
{
    uint64_t sweeps = sweeps_of(p->graph), work = 0;
    unsigned runs = 0, in_vain = 0;
    fl_rng rng;
    fl_rng_seed(&rng, options->seed, FL_PURPOSE_ROUTING, 1);
    if (sweeps < SWEEPS_MIN)
        return 0;
    while (work < WORK_IN_VAIN_MAX && in_vain < RUNS_IN_VAIN_MAX && runs < most &&
           !fl_metrics_stopped(options)) {
        int64_t before = p->width;
        work += anneal(p, sweeps, &rng, options);
        runs++;
        in_vain++;
        if (p->width < before)
            work = in_vain = 0;
    }
    return runs;
}

static void describe(fl_metrics *out, unsigned seeds, unsigned annealings)
{
    const unsigned each = 2, more = 4; /* METIS and growing; all on one side, and stripes */
    snprintf(
        out->bisection_method, sizeof out->bisection_method,
        "at most %lld: best of %u refined partitions (METIS, stripes, growth) and %u annealings",
        (long long)out->bisection_width, each * seeds + more, annealings);
}

fl_status fl_measure_bisection(fl_metrics *out, const fl_switch_graph *graph,
                               const fl_metrics_options *options, fl_error *error)
{
    partition p;
    unsigned quick = (unsigned)(2e7 / (double)(graph->arcs + graph->switches)),
             seeds = options->seeds;
    if (seeds == 0)
        seeds = quick < 1 ? 1 : quick > 64 ? 64 : quick;
    uint32_t *queue = malloc(graph->switches * sizeof *queue);
    bool room = partition_create(&p, graph) && queue;
    if (room && graph->nodes > 1 && (room = try_seeds(&p, seeds, queue, options))) {
        unsigned annealings = anneal_often(&p, seeds, options);
        out->bisection_width = p.width;
        describe(out, seeds, annealings);
    }
    partition_destroy(&p);
    free(queue);
    return room ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory for partitions");
}
