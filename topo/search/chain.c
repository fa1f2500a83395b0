/* One chain of simulated annealing: its steps. */
#include "topo/search/chain.h"

#include <string.h>

/* Room for a chain of this size, with an empty graph. */
static fl_status make_room(fl_chain *chain, const fl_search_size *size, fl_error *error)
{
    double weight = (double)size->nodes / size->switches;
    chain->size = *size;
    chain->unit = 2 * weight * weight * size->symmetry;
    fl_status status = fl_search_graph_create(&chain->graph, size->nodes, size->switches,
                                              size->radix, size->symmetry, error);
    if (!status)
        status = fl_search_graph_create(&chain->best, size->nodes, size->switches, size->radix,
                                        size->symmetry, error);
    if (!status)
        status = fl_distance_sum_create(&chain->distances, &chain->graph, false, error);
    return status;
}

/* The sums of both graphs; distances belong to the one of now. */
static void find_sums(fl_chain *chain)
{
    fl_search_graph now = chain->graph;
    chain->graph = chain->best;
    chain->best_sum = fl_distance_sum_all(chain->distances);
    chain->graph = now;
    chain->sum = fl_distance_sum_all(chain->distances);
    chain->free_ports = false;
    for (uint32_t o = 0; o < chain->graph.orbits; o++)
        chain->free_ports |= fl_search_graph_free_ports(&chain->graph, o) > 0;
}

/* Orbits that bear nodes at the beginning: all, or with symmetry, where good graphs often have
 * switches without nodes, a random number of them. */
static uint32_t draw_bearing(fl_chain *chain)
{
    const fl_search_size *size = &chain->size;
    uint32_t orbits = chain->graph.orbits, each = size->nodes / size->symmetry;
    uint32_t most = size->radix > 2 ? size->radix - 2 : 1, least = (each - 1) / most + 1;
    if (size->symmetry == 1 || least >= orbits)
        return orbits;
    return least + fl_rng_below32(&chain->rng, orbits - least + 1);
}

fl_status fl_chain_create(fl_chain *chain, const fl_search_size *size, const fl_network *start,
                          uint64_t seed, uint64_t number, fl_error *error)
{
    *chain = (fl_chain){0};
    fl_rng_seed(&chain->rng, seed, FL_PURPOSE_ROUTING, number);
    fl_status status = make_room(chain, size, error);
    if (!status && start)
        status = fl_search_graph_take(&chain->graph, start, &chain->rng, error);
    else if (!status)
        status = fl_search_graph_draw(&chain->graph, draw_bearing(chain), &chain->rng, error);
    if (status)
        return status;
    fl_search_graph_copy(&chain->best, &chain->graph);
    find_sums(chain);
    if (chain->sum == FL_DISTANCE_UNREACHABLE)
        return fl_fail(error, FL_ERR_INVALID, "the graph to begin with is not connected");
    return FL_OK;
}

void fl_chain_clear(fl_chain *chain)
{
    fl_search_graph_clear(&chain->graph);
    fl_search_graph_clear(&chain->best);
    fl_distance_sum_destroy(chain->distances);
    *chain = (fl_chain){0};
}

/* -ln(u) of a uniform u, from additions, multiplications and divisions alone: the same on every
 * machine. */
static double draw_exponential(fl_rng *rng)
{
    double u = (fl_rng_next32(rng) + 0.5) / 4294967296.0, twos = 0;
    while (u < 0.5) {
        u *= 2;
        twos++;
    }
    double x = (1 - u) / (1 + u), square = x * x, term = x, sum = 0;
    for (int i = 1; i < 24; i += 2) {
        sum += term / i;
        term *= square;
    }
    return 2 * sum + twos * 0.69314718055994531;
}

static fl_slot random_slot(fl_chain *chain)
{
    for (;;) {
        uint32_t orbit = fl_rng_below32(&chain->rng, chain->graph.orbits);
        uint32_t index = fl_rng_below32(&chain->rng, chain->graph.radix);
        if (index < chain->graph.degree[orbit])
            return (fl_slot){orbit, index};
    }
}

static uint32_t random_turn(fl_chain *chain)
{
    return chain->graph.symmetry == 1 ? 0 : fl_rng_below32(&chain->rng, chain->graph.symmetry);
}

static bool same_slot(fl_slot a, fl_slot b)
{
    return a.orbit == b.orbit && a.index == b.index;
}

static void touch(fl_touched *touched, uint32_t orbit)
{
    for (unsigned i = 0; i < touched->count; i++)
        if (touched->orbits[i] == orbit)
            return;
    touched->orbits[touched->count++] = orbit;
}

/* Takes the links of slot `from` at their other end and plugs that end into a new slot of `to`:
 * which needs a free port. False, with the graph as it was: that cannot be. */
static bool swing(fl_chain *chain, fl_slot from, uint32_t to, fl_touched *touched)
{
    fl_search_graph *graph = &chain->graph;
    fl_slot end = fl_search_graph_mate(graph, from);
    uint32_t turn = random_turn(chain);
    if (same_slot(from, end) || end.orbit == to ||
        !fl_search_graph_may_join(graph, from.orbit, to, turn))
        return false;
    fl_search_graph_plug(graph, from, fl_search_graph_add_slot(graph, to), turn);
    fl_search_graph_drop_slot(graph, end);
    touch(touched, from.orbit);
    touch(touched, end.orbit);
    touch(touched, to);
    return true;
}

static bool is_accepted(fl_chain *chain, const fl_touched *touched, uint64_t bound)
{
    uint64_t sum = fl_distance_sum_try(chain->distances, touched, bound);
    if (sum > bound) {
        fl_distance_sum_reject(chain->distances);
        return false;
    }
    fl_distance_sum_accept(chain->distances);
    fl_search_graph_keep(&chain->graph);
    chain->sum = sum;
    chain->accepted++;
    if (sum < chain->best_sum) {
        chain->best_sum = sum;
        fl_search_graph_copy(&chain->best, &chain->graph);
    }
    return true;
}

static uint64_t draw_bound(fl_chain *chain, double temperature)
{
    return chain->sum + (uint64_t)(temperature * draw_exponential(&chain->rng));
}

/* Ends of two links change places: {a, b}, {c, d} become {a, c}, {b, d}. */
static void swap_step(fl_chain *chain, double temperature)
{
    fl_search_graph *graph = &chain->graph;
    fl_slot a = random_slot(chain), b = fl_search_graph_mate(graph, a);
    fl_slot c = random_slot(chain), d = fl_search_graph_mate(graph, c);
    fl_touched touched = {0};
    uint32_t turn = random_turn(chain), other = random_turn(chain);
    if (same_slot(a, c) || same_slot(a, d) || same_slot(a, b) || same_slot(c, d) ||
        !fl_search_graph_may_join(graph, a.orbit, c.orbit, turn))
        return;
    fl_search_graph_plug(graph, a, c, turn);
    /* Until they are plugged, b and d still show their old links. */
    if (!fl_search_graph_may_join(graph, b.orbit, d.orbit, other) ||
        (b.orbit == a.orbit && d.orbit == c.orbit && turn == other)) {
        fl_search_graph_undo(graph);
        return;
    }
    fl_search_graph_plug(graph, b, d, other);
    touch(&touched, a.orbit);
    touch(&touched, b.orbit);
    touch(&touched, c.orbit);
    touch(&touched, d.orbit);
    if (!is_accepted(chain, &touched, draw_bound(chain, temperature)))
        fl_search_graph_undo(graph);
}

/* A 2-neighbour swing: {a, b} becomes {a, c}, and a node of c goes to b; if that is refused, {c, d}
 * becomes {d, b} and the node goes back, which together swaps two links. */
static void swing_step(fl_chain *chain, double temperature)
{
    fl_search_graph *graph = &chain->graph;
    fl_slot a = random_slot(chain), b = fl_search_graph_mate(graph, a);
    uint32_t c = fl_rng_below32(&chain->rng, graph->orbits);
    fl_touched touched = {0};
    if (graph->hosts[c] == 0)
        return;
    fl_search_graph_add_hosts(graph, c, -1);
    if (!swing(chain, a, c, &touched)) {
        fl_search_graph_undo(graph);
        return;
    }
    fl_search_graph_add_hosts(graph, b.orbit, 1);
    uint64_t bound = draw_bound(chain, temperature);
    if (is_accepted(chain, &touched, bound))
        return;
    fl_slot link = {c, fl_rng_below32(&chain->rng, graph->degree[c])};
    fl_search_graph_add_hosts(graph, b.orbit, -1);
    /* Not the link that has just come: that would be the graph of before. */
    if (link.index + 1 == graph->degree[c] ||
        !swing(chain, fl_search_graph_mate(graph, link), b.orbit, &touched)) {
        fl_search_graph_undo(graph);
        return;
    }
    fl_search_graph_add_hosts(graph, c, 1);
    if (!is_accepted(chain, &touched, bound))
        fl_search_graph_undo(graph);
}

/* An orbit with a free port, if a few attempts find one. */
static bool find_free_port(fl_chain *chain, uint32_t *orbit)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        *orbit = fl_rng_below32(&chain->rng, chain->graph.orbits);
        if (fl_search_graph_free_ports(&chain->graph, *orbit) > 0)
            return true;
    }
    return false;
}

/* A node, or an end of a link, goes to a free port, or a link joins two of them. */
static void free_port_step(fl_chain *chain, double temperature)
{
    fl_search_graph *graph = &chain->graph;
    fl_touched touched = {0};
    uint32_t to, other;
    if (!find_free_port(chain, &to))
        return;
    bool changed = false;
    uint32_t what = fl_rng_below32(&chain->rng, 3);
    other = fl_rng_below32(&chain->rng, graph->orbits);
    if (what == 0 && other != to && graph->hosts[other] > 0) {
        fl_search_graph_add_hosts(graph, other, -1);
        fl_search_graph_add_hosts(graph, to, 1);
        touch(&touched, other);
        touch(&touched, to);
        changed = true;
    } else if (what == 1) {
        changed = swing(chain, random_slot(chain), to, &touched);
    } else if (what == 2) {
        uint32_t turn = random_turn(chain), needed = other == to ? 2 : 1;
        changed = fl_search_graph_free_ports(graph, other) >= needed &&
                  fl_search_graph_may_join(graph, to, other, turn);
        if (changed) {
            fl_slot a = fl_search_graph_add_slot(graph, to);
            fl_search_graph_plug(graph, a, fl_search_graph_add_slot(graph, other), turn);
            touch(&touched, to);
            touch(&touched, other);
        }
    }
    if (!changed || !is_accepted(chain, &touched, draw_bound(chain, temperature)))
        fl_search_graph_undo(graph);
}

void fl_chain_step(fl_chain *chain, double temperature)
{
    uint32_t what = fl_rng_below32(&chain->rng, chain->free_ports ? 3 : 2);
    chain->steps++;
    if (chain->size.switches == 1)
        return; /* nothing can be changed */
    temperature *= chain->unit;
    if (what == 0)
        swap_step(chain, temperature);
    else if (what == 1)
        swing_step(chain, temperature);
    else
        free_port_step(chain, temperature);
}

/* ---- a chain as bytes ---- */

/* Numbers of 32 bits: the size; the generator, sums and counts in halves; then the best graph and
 * that of now, of number 0 of each orbit: nodes, neighbours, and their slots there. */

static void append_number(fl_text *out, uint64_t number)
{
    uint32_t halves[2] = {(uint32_t)number, (uint32_t)(number >> 32)};
    fl_text_append_bytes(out, (const char *)halves, sizeof halves);
}

static void append_graph(const fl_search_graph *graph, fl_text *out)
{
    for (uint32_t o = 0; o < graph->orbits; o++) {
        size_t row = (size_t)o * graph->stride, bytes = graph->degree[o] * sizeof(uint32_t);
        append_number(out, graph->hosts[o] | (uint64_t)graph->degree[o] << 32);
        fl_text_append_bytes(out, (const char *)(graph->neighbours + row), bytes);
        fl_text_append_bytes(out, (const char *)(graph->mates + row), bytes);
    }
}

void fl_chain_append(const fl_chain *chain, fl_text *out)
{
    fl_text_append_bytes(out, (const char *)&chain->size, sizeof chain->size);
    append_number(out, chain->rng.state);
    append_number(out, chain->rng.increment);
    append_number(out, chain->steps);
    append_number(out, chain->accepted);
    append_graph(&chain->best, out);
    append_graph(&chain->graph, out);
}

typedef struct reader {
    const char *at, *end;
} reader;

static bool take(reader *r, void *out, size_t bytes)
{
    if ((size_t)(r->end - r->at) < bytes)
        return false;
    memcpy(out, r->at, bytes);
    r->at += bytes;
    return true;
}

static bool take_number(reader *r, uint64_t *out)
{
    uint32_t halves[2];
    if (!take(r, halves, sizeof halves))
        return false;
    *out = halves[0] | (uint64_t)halves[1] << 32;
    return true;
}

static bool take_graph(reader *r, fl_search_graph *graph)
{
    uint64_t hosts = 0;
    for (uint32_t o = 0; o < graph->orbits; o++) {
        uint64_t counts;
        if (!take_number(r, &counts))
            return false;
        uint32_t here = (uint32_t)counts, degree = (uint32_t)(counts >> 32);
        if (here > graph->radix || degree > graph->radix - here)
            return false;
        hosts += (uint64_t)here * graph->symmetry;
        fl_search_graph_set_orbit(graph, o, here, degree);
        size_t row = (size_t)o * graph->stride;
        if (!take(r, graph->neighbours + row, degree * sizeof(uint32_t)) ||
            !take(r, graph->mates + row, degree * sizeof(uint32_t)))
            return false;
    }
    return hosts == graph->nodes && fl_search_graph_complete(graph);
}

static bool is_size(const fl_search_size *size)
{
    return size->nodes > 0 && size->switches > 0 && size->radix > 0 && size->symmetry > 0 &&
           size->switches % size->symmetry == 0 && size->nodes % size->symmetry == 0 &&
           (uint64_t)size->switches * size->radix <= FL_SEARCH_PORTS_MAX;
}

fl_status fl_chain_read(fl_chain *chain, const char *bytes, size_t length, size_t *used,
                        fl_error *error)
{
    reader r = {bytes, bytes + length};
    fl_search_size size;
    *chain = (fl_chain){0};
    bool good = take(&r, &size, sizeof size) && is_size(&size) &&
                (size_t)(r.end - r.at) / sizeof(uint64_t) >= size.switches / size.symmetry;
    if (good) {
        fl_status status = make_room(chain, &size, error);
        if (status)
            return status;
        good = take_number(&r, &chain->rng.state) && take_number(&r, &chain->rng.increment) &&
               chain->rng.increment % 2 == 1 && take_number(&r, &chain->steps) &&
               take_number(&r, &chain->accepted) && take_graph(&r, &chain->best) &&
               take_graph(&r, &chain->graph);
    }
    if (!good)
        return fl_fail(error, FL_ERR_INVALID, "these bytes are no state of a search");
    *used = (size_t)(r.at - bytes);
    find_sums(chain);
    if (chain->sum == FL_DISTANCE_UNREACHABLE || chain->best_sum == FL_DISTANCE_UNREACHABLE)
        return fl_fail(error, FL_ERR_INVALID, "these bytes are a graph that is not connected");
    return FL_OK;
}

fl_status fl_chain_follow(fl_chain *chain, const char *bytes, size_t length, fl_error *error)
{
    fl_rng own = chain->rng;
    size_t used;
    fl_chain_clear(chain);
    fl_status status = fl_chain_read(chain, bytes, length, &used, error);
    chain->rng = own;
    return status;
}
