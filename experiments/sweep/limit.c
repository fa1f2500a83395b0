#include "experiments/sweep/private.h"

#include <stdlib.h>
#include <string.h>

/* The limits: what is left of the network, for 64 trials at once.
 *
 * Only the fault point at which a link fails matters. A path holds until its first link fails,
 * and the best path of at most h links until
 *     best_h[v] = max(best_{h-1}[v], max over links (u, v) of min(best_{h-1}[u], fails_at(u, v))),
 * which is Bellman and Ford's algorithm with (max, min) in place of (min, +): the widest path of
 * at most h links. Read at the destination for h = 0, 1, 2, ... it gives for all fault points at
 * once whether a packet can get through and how long the shortest path is; its first value is that
 * of the fault-free shortest paths. Two buffers keep the link counts exact.
 *
 * There is no branch in it, and so it serves many trials abreast, each in a lane of its own.
 * Lanes hold fault point + 1, and 0 where no path of at most h links exists even without faults; a
 * link that never fails counts as failing after the last fault point. */

enum { LANES = FL_LIMIT_LANES, ALIGNMENT = 64 };
#define NOWHERE UINT32_MAX

typedef struct home {
    fl_link link; /* of the node ... */
    uint32_t at;  /* ... and the switch behind it; NOWHERE: the node has fewer ports than others */
} home;

/* An end of a pair: a node's ports, one in most networks. */
typedef struct end {
    uint32_t node, at; /* at: the switch behind the first port */
    uint32_t fails_at; /* the level at which all of its links are down */
} end;

typedef struct pair {
    end from, to;
} pair;

/* The switches and the links between them, in compressed sparse rows. */
typedef struct switch_graph {
    uint32_t switches, links;
    uint32_t *offsets; /* [switches + 1] */
    uint32_t *targets;
    uint32_t *numbers; /* link of each entry, 0..links-1 */
} switch_graph;

/* One more link: next from now. True if anything changed. Arrays of [switch or link][LANES]. */
typedef bool relax_function(const switch_graph *graph, const void *fails_at, const void *now,
                            void *next);

struct fl_limit {
    uint32_t fault_points;
    unsigned lane_bytes;
    relax_function *relax;
    switch_graph graph;
    uint32_t node_ports;
    home *homes;    /* [nodes][node_ports] */
    fl_link *codes; /* [links + 2 node_ports] codes of the links, then of the pair's node links */
    uint32_t *answers;    /* [links + 2 node_ports] */
    uint32_t *end_links;  /* [LANES][2][node_ports] level + 1 at which each node link of the pair
                             fails, 0 for none */
    void *fails_at;       /* [links][LANES] */
    void *now, *next;     /* [switches][LANES] */
    void *found;          /* [switches][LANES] best_h at the destinations, h = 0, 1, ... */
    uint32_t found_count; /* number of h, when solved */
    unsigned count;       /* lanes in use */
    pair pairs[LANES];
};

/* ---- the kernel ---- */

/* Loops over the lanes have a fixed length and no branch, so that compilers turn each into a few
 * vector instructions (checked on gcc 12 and clang 14: min and max of 64 bytes at a time). */
#define DEFINE_RELAX(lane)                                                                        \
    FL_INLINE bool relax_##lane(const switch_graph *graph, const lane *fails_at, const lane *now, \
                                lane *restrict next)                                              \
    {                                                                                             \
        lane changed[LANES] = {0}, any = 0;                                                       \
        for (uint32_t v = 0; v < graph->switches; v++) {                                          \
            const lane *before = now + (size_t)v * LANES;                                         \
            lane best[LANES], *after = next + (size_t)v * LANES;                                  \
            for (int i = 0; i < LANES; i++)                                                       \
                best[i] = before[i];                                                              \
            for (uint32_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {                \
                const lane *from = now + (size_t)graph->targets[e] * LANES;                       \
                const lane *link = fails_at + (size_t)graph->numbers[e] * LANES;                  \
                for (int i = 0; i < LANES; i++) {                                                 \
                    lane through = from[i] < link[i] ? from[i] : link[i];                         \
                    best[i] = best[i] > through ? best[i] : through;                              \
                }                                                                                 \
            }                                                                                     \
            for (int i = 0; i < LANES; i++) {                                                     \
                after[i] = best[i];                                                               \
                changed[i] |= best[i] ^ before[i];                                                \
            }                                                                                     \
        }                                                                                         \
        for (int i = 0; i < LANES; i++)                                                           \
            any |= changed[i];                                                                    \
        return any != 0;                                                                          \
    }

/* The same for one instruction set. Chosen by a pointer, and not by target_clones, which gcc 12
 * refuses for avx512bw and which does not go with the thread sanitizer or without glibc. */
#define DEFINE_VARIANT(lane, name, how)                                                    \
    how static bool relax_##lane##_##name(const switch_graph *graph, const void *fails_at, \
                                          const void *now, void *next)                     \
    {                                                                                      \
        return relax_##lane(graph, fails_at, now, next);                                   \
    }

DEFINE_RELAX(uint8_t)
DEFINE_RELAX(uint16_t)
DEFINE_RELAX(uint32_t)

DEFINE_VARIANT(uint8_t, portable, )
DEFINE_VARIANT(uint16_t, portable, )
DEFINE_VARIANT(uint32_t, portable, )

#if defined(__x86_64__) && defined(__GNUC__)
DEFINE_VARIANT(uint8_t, avx2, __attribute__((target("avx2"))))
DEFINE_VARIANT(uint16_t, avx2, __attribute__((target("avx2"))))
DEFINE_VARIANT(uint32_t, avx2, __attribute__((target("avx2"))))
DEFINE_VARIANT(uint8_t, avx512, __attribute__((target("avx512bw"))))
DEFINE_VARIANT(uint16_t, avx512, __attribute__((target("avx512bw"))))
DEFINE_VARIANT(uint32_t, avx512, __attribute__((target("avx512bw"))))
#endif

static relax_function *choose_relax(unsigned lane_bytes, bool portable)
{
    static relax_function *const portable_ones[] = {
        [1] = relax_uint8_t_portable, [2] = relax_uint16_t_portable, [4] = relax_uint32_t_portable};
#if defined(__x86_64__) && defined(__GNUC__)
    static relax_function *const avx2[] = {
        [1] = relax_uint8_t_avx2, [2] = relax_uint16_t_avx2, [4] = relax_uint32_t_avx2};
    static relax_function *const avx512[] = {
        [1] = relax_uint8_t_avx512, [2] = relax_uint16_t_avx512, [4] = relax_uint32_t_avx512};
    if (!portable && __builtin_cpu_supports("avx512bw"))
        return avx512[lane_bytes];
    if (!portable && __builtin_cpu_supports("avx2"))
        return avx2[lane_bytes];
#endif
    (void)portable;
    return portable_ones[lane_bytes];
}

/* ---- lanes of any width ---- */

FL_INLINE uint32_t get_lane(const fl_limit *limit, const void *lanes, size_t at)
{
    switch (limit->lane_bytes) {
    case 1:
        return ((const uint8_t *)lanes)[at];
    case 2:
        return ((const uint16_t *)lanes)[at];
    default:
        return ((const uint32_t *)lanes)[at];
    }
}

FL_INLINE void set_lane(const fl_limit *limit, void *lanes, size_t at, uint32_t value)
{
    switch (limit->lane_bytes) {
    case 1:
        ((uint8_t *)lanes)[at] = (uint8_t)value;
        break;
    case 2:
        ((uint16_t *)lanes)[at] = (uint16_t)value;
        break;
    default:
        ((uint32_t *)lanes)[at] = value;
    }
}

/* ---- a batch ---- */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The answers about the links into one lane. A loop for each width: with set_lane in a single
 * loop, adding a trial takes twice as long. */
#define FILL_LANE(lane_type)                                                            \
    do {                                                                                \
        lane_type *to = (lane_type *)limit->fails_at + lane;                            \
        for (uint32_t i = 0; i < links; i++)                                            \
            to[(size_t)i * LANES] = (lane_type)(smaller(answers[i], fault_points) + 1); \
    } while (0)

static void fill_lane(const fl_limit *limit, unsigned lane)
{
    uint32_t links = limit->graph.links, fault_points = limit->fault_points;
    const uint32_t *answers = limit->answers;
    switch (limit->lane_bytes) {
    case 1:
        FILL_LANE(uint8_t);
        break;
    case 2:
        FILL_LANE(uint16_t);
        break;
    default:
        FILL_LANE(uint32_t);
    }
}

/* Adds the node's links to the questions; returns how many node links there are so far. */
static uint32_t list_end_links(fl_limit *limit, uint64_t node, uint32_t count)
{
    const home *homes = limit->homes + node * limit->node_ports;
    for (uint32_t port = 0; port < limit->node_ports; port++)
        if (homes[port].at != NOWHERE)
            limit->codes[limit->graph.links + count++] = homes[port].link;
    return count;
}

/* Takes the answers about the node's links. */
static end read_end(const fl_limit *limit, uint64_t node, uint32_t *links, const uint32_t **answers)
{
    const home *homes = limit->homes + node * limit->node_ports;
    end out = {.node = (uint32_t)node, .at = homes->at};
    for (uint32_t port = 0; port < limit->node_ports; port++) {
        links[port] =
            homes[port].at != NOWHERE ? smaller(*(*answers)++, limit->fault_points) + 1 : 0;
        out.fails_at = links[port] > out.fails_at + 1 ? links[port] - 1 : out.fails_at;
    }
    return out;
}

/* One port a node, which is the rule, without loops: they make a batch 4% slower. */
static void add_single(fl_limit *limit, fl_order *order, uint64_t source, uint64_t destination,
                       unsigned lane)
{
    uint32_t links = limit->graph.links, fault_points = limit->fault_points;
    const home *from = &limit->homes[source], *to = &limit->homes[destination];
    limit->codes[links] = from->link;
    limit->codes[links + 1] = to->link;
    fl_order_complete(order, limit->codes, (size_t)links + 2, limit->answers);
    fill_lane(limit, lane);
    limit->pairs[lane].from =
        (end){(uint32_t)source, from->at, smaller(limit->answers[links], fault_points)};
    limit->pairs[lane].to =
        (end){(uint32_t)destination, to->at, smaller(limit->answers[links + 1], fault_points)};
}

void fl_limit_add(fl_limit *limit, fl_order *order, uint64_t source, uint64_t destination)
{
    uint32_t links = limit->graph.links;
    unsigned lane = limit->count++;
    if (limit->node_ports == 1) {
        add_single(limit, order, source, destination, lane);
        return;
    }
    uint32_t ends = list_end_links(limit, destination, list_end_links(limit, source, 0));
    fl_order_complete(order, limit->codes, (size_t)links + ends, limit->answers);
    fill_lane(limit, lane);
    const uint32_t *answers = limit->answers + links;
    limit->pairs[lane].from =
        read_end(limit, source, limit->end_links + (size_t)lane * 2 * limit->node_ports, &answers);
    limit->pairs[lane].to =
        read_end(limit, destination, limit->end_links + ((size_t)lane * 2 + 1) * limit->node_ports,
                 &answers);
}

unsigned fl_limit_count(const fl_limit *limit)
{
    return limit->count;
}

/* How long a path holds that comes to any of the destination's switches, its node links included.
 */
static uint32_t best_at_end(const fl_limit *limit, unsigned lane)
{
    const home *homes = limit->homes + (size_t)limit->pairs[lane].to.node * limit->node_ports;
    const uint32_t *links = limit->end_links + ((size_t)lane * 2 + 1) * limit->node_ports;
    uint32_t best = 0;
    for (uint32_t port = 0; port < limit->node_ports; port++) {
        if (links[port] == 0)
            continue;
        uint32_t there = smaller(get_lane(limit, limit->now, (size_t)homes[port].at * LANES + lane),
                                 links[port]);
        best = there > best ? there : best;
    }
    return best;
}

static void note_destinations(fl_limit *limit)
{
    size_t row = (size_t)limit->found_count++ * LANES;
    unsigned count = limit->count;
    if (limit->node_ports > 1)
        for (unsigned lane = 0; lane < count; lane++)
            set_lane(limit, limit->found, row + lane, best_at_end(limit, lane));
    else
        for (unsigned lane = 0; lane < count; lane++)
            set_lane(limit, limit->found, row + lane,
                     get_lane(limit, limit->now, (size_t)limit->pairs[lane].to.at * LANES + lane));
}

static void set_out(fl_limit *limit, unsigned lane)
{
    const home *homes = limit->homes + (size_t)limit->pairs[lane].from.node * limit->node_ports;
    const uint32_t *links = limit->end_links + (size_t)lane * 2 * limit->node_ports;
    for (uint32_t port = 0; port < limit->node_ports; port++) {
        if (links[port] == 0)
            continue;
        size_t at = (size_t)homes[port].at * LANES + lane;
        uint32_t there =
            get_lane(limit, limit->now, at); /* another of its links may lead to the same switch */
        set_lane(limit, limit->now, at, links[port] > there ? links[port] : there);
    }
}

void fl_limit_solve(fl_limit *limit)
{
    memset(limit->now, 0, (size_t)limit->graph.switches * LANES * limit->lane_bytes);
    for (unsigned lane = 0; lane < limit->count; lane++)
        if (limit->node_ports > 1)
            set_out(limit, lane);
        else
            set_lane(limit, limit->now, (size_t)limit->pairs[lane].from.at * LANES + lane,
                     limit->fault_points + 1);
    limit->found_count = 0;
    note_destinations(limit);
    /* No path without loops has more links than there are switches, less one: `found` has room. */
    while (limit->relax(&limit->graph, limit->fails_at, limit->now, limit->next)) {
        void *relaxed = limit->next;
        limit->next = limit->now;
        limit->now = relaxed;
        note_destinations(limit);
    }
}

void fl_limit_clear(fl_limit *limit)
{
    limit->count = 0;
}

/* ---- booking ---- */

/* Levels first.. at which nothing gets through. */
static void book_blocked(const fl_limit *limit, const pair *ends, uint64_t group, uint32_t first,
                         fl_tally *tally)
{
    uint32_t source = ends->from.fails_at, both_up = smaller(source, ends->to.fails_at);
    if (first < both_up)
        fl_tally_blocked(tally, group, first, both_up, FL_BLOCKED_UP);
    if (both_up < source)
        fl_tally_blocked(tally, group, both_up, source, FL_BLOCKED_DESTINATION);
    if (source < limit->fault_points)
        fl_tally_blocked(tally, group, source, limit->fault_points, FL_BLOCKED_SOURCE);
}

void fl_limit_book(const fl_limit *limit, unsigned lane, uint64_t any, uint64_t minimal,
                   fl_tally *tally)
{
    const pair *ends = &limit->pairs[lane];
    uint32_t both_up = smaller(ends->from.fails_at, ends->to.fails_at);
    uint32_t delivered = 0, minimal_delivered = 0; /* below these levels */
    bool met = false;
    for (uint32_t h = 0; h < limit->found_count && delivered < both_up; h++) {
        uint32_t best = get_lane(limit, limit->found, (size_t)h * LANES + lane);
        uint32_t far_end = best > 0 ? smaller(best - 1, both_up) : 0;
        if (minimal && !met && far_end > 0)
            fl_tally_delivered(tally, minimal, 0, far_end, h + 2);
        if (!met)
            minimal_delivered = far_end;
        met |= best > 0;
        if (any && far_end > delivered)
            fl_tally_delivered(tally, any, delivered, far_end, h + 2);
        delivered = far_end > delivered ? far_end : delivered;
    }
    if (any)
        book_blocked(limit, ends, any, delivered, tally);
    if (minimal)
        book_blocked(limit, ends, minimal, minimal_delivered, tally);
}

/* ---- making ---- */

fl_status fl_limit_check(const fl_network *network, fl_error *error)
{
    /* One thread needs 64 bytes a link and 192 a switch, twice that from 255 fault levels on. */
    if (network->links <= FL_LIMIT_LINKS_MAX)
        return FL_OK;
    return fl_fail(
        error, FL_ERR_INVALID,
        "%s is too large for limit and minimal-limit: it has %llu links, and they take at most %d",
        network->spec, (unsigned long long)network->links, FL_LIMIT_LINKS_MAX);
}

static bool make_switch_graph(fl_limit *limit, const fl_network *network, const fl_graph *complete)
{
    switch_graph *graph = &limit->graph;
    graph->switches = (uint32_t)network->switches;
    graph->offsets = malloc((network->switches + 1) * sizeof *graph->offsets);
    graph->targets = malloc((2 * network->links + 1) * sizeof *graph->targets);
    graph->numbers = malloc((2 * network->links + 1) * sizeof *graph->numbers);
    limit->codes =
        malloc((network->links + 2) * sizeof *limit->codes); /* node links are among them */
    uint32_t *number_of = malloc((network->links + 1) * sizeof *number_of);
    bool good = graph->offsets && graph->targets && graph->numbers && limit->codes && number_of;
    if (good)
        memset(number_of, 0xff, network->links * sizeof *number_of);
    uint32_t entries = 0;
    for (uint64_t v = complete->nodes; v < complete->vertices && good; v++) {
        graph->offsets[v - complete->nodes] = entries;
        for (uint64_t e = complete->offsets[v]; e < complete->offsets[v + 1]; e++) {
            if (complete->targets[e] < complete->nodes)
                continue;
            uint32_t *number = &number_of[complete->links[e]];
            if (*number == UINT32_MAX) {
                *number = graph->links;
                limit->codes[graph->links++] =
                    network->type->link_code(network, complete->links[e]);
            }
            graph->targets[entries] = complete->targets[e] - (uint32_t)complete->nodes;
            graph->numbers[entries++] = *number;
        }
    }
    if (good)
        graph->offsets[network->switches] = entries;
    free(number_of);
    return good;
}

static bool make_homes(fl_limit *limit, const fl_network *network, const fl_graph *complete)
{
    uint32_t ports = limit->node_ports = network->node_ports;
    limit->homes = malloc(network->nodes * ports * sizeof *limit->homes);
    for (uint64_t node = 0; node < network->nodes && limit->homes; node++)
        for (uint64_t port = 0; port < ports; port++) {
            uint64_t e = complete->offsets[node] + port;
            limit->homes[node * ports + port] = (home){0, NOWHERE};
            if (e < complete->offsets[node + 1])
                limit->homes[node * ports + port] =
                    (home){network->type->link_code(network, complete->links[e]),
                           complete->targets[e] - (uint32_t)complete->nodes};
        }
    return limit->homes != NULL;
}

static void *make_lanes(const fl_limit *limit, uint32_t rows)
{
    size_t bytes = ((size_t)rows + 1) * LANES * limit->lane_bytes;
    void *lanes = aligned_alloc(ALIGNMENT, bytes);
    if (lanes)
        memset(lanes, 0, bytes);
    return lanes;
}

static bool make_batch(fl_limit *limit)
{
    const switch_graph *graph = &limit->graph;
    size_t ends = 2 * (size_t)limit->node_ports;
    limit->answers = malloc(((size_t)graph->links + ends) * sizeof *limit->answers);
    limit->end_links = malloc(LANES * ends * sizeof *limit->end_links);
    limit->fails_at = make_lanes(limit, graph->links);
    limit->now = make_lanes(limit, graph->switches);
    limit->next = make_lanes(limit, graph->switches);
    limit->found = make_lanes(limit, graph->switches);
    return limit->answers && limit->end_links && limit->fails_at && limit->now && limit->next &&
           limit->found;
}

fl_limit *fl_limit_create(const fl_network *network, uint32_t fault_points, bool portable,
                          fl_error *error)
{
    fl_graph *complete = NULL;
    if (fl_limit_check(network, error) || fl_graph_create(&complete, network, error))
        return NULL;
    fl_limit *limit = calloc(1, sizeof *limit);
    bool good = limit != NULL;
    if (good) {
        limit->fault_points = fault_points;
        limit->lane_bytes = fault_points < UINT8_MAX ? 1 : fault_points < UINT16_MAX ? 2 : 4;
        limit->relax = choose_relax(limit->lane_bytes, portable);
        good = make_switch_graph(limit, network, complete) &&
               make_homes(limit, network, complete) && make_batch(limit);
    }
    fl_graph_destroy(complete);
    if (good)
        return limit;
    fl_limit_destroy(limit);
    fl_fail(error, FL_ERR_MEMORY, "out of memory for the limits of %s", network->spec);
    return NULL;
}

void fl_limit_destroy(fl_limit *limit)
{
    if (!limit)
        return;
    free(limit->graph.offsets);
    free(limit->graph.targets);
    free(limit->graph.numbers);
    free(limit->homes);
    free(limit->codes);
    free(limit->answers);
    free(limit->end_links);
    free(limit->fails_at);
    free(limit->now);
    free(limit->next);
    free(limit->found);
    free(limit);
}
