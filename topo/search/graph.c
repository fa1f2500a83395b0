/* A host-switch graph that a search changes: slots, links, changes that can be taken back. */
#include "topo/search/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void clear_links(fl_search_graph *graph)
{
    memset(graph->degree, 0, graph->switches * sizeof *graph->degree);
    for (uint32_t v = 0; v < graph->switches; v++)
        for (uint32_t i = 0; i < graph->stride; i++)
            graph->neighbours[(size_t)v * graph->stride + i] = v;
}

fl_status fl_search_graph_create(fl_search_graph *graph, uint32_t nodes, uint32_t switches,
                                 uint32_t radix, uint32_t symmetry, fl_error *error)
{
    *graph = (fl_search_graph){.nodes = nodes,
                               .switches = switches,
                               .radix = radix,
                               .symmetry = symmetry,
                               .orbits = switches / symmetry,
                               .stride = (radix + FL_SEARCH_SLOTS - 1) / FL_SEARCH_SLOTS *
                                         FL_SEARCH_SLOTS};
    size_t slots = (size_t)switches * graph->stride;
    graph->hosts = calloc(switches, sizeof *graph->hosts);
    graph->degree = calloc(switches, sizeof *graph->degree);
    graph->neighbours = calloc(slots, sizeof *graph->neighbours);
    graph->mates = calloc((size_t)graph->orbits * graph->stride, sizeof *graph->mates);
    if (!graph->hosts || !graph->degree || !graph->neighbours || !graph->mates)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a graph of %u switches", switches);
    clear_links(graph);
    return FL_OK;
}

void fl_search_graph_clear(fl_search_graph *graph)
{
    free(graph->hosts);
    free(graph->degree);
    free(graph->neighbours);
    free(graph->mates);
    *graph = (fl_search_graph){0};
}

void fl_search_graph_copy(fl_search_graph *to, const fl_search_graph *from)
{
    size_t switches = from->switches, stride = from->stride;
    memcpy(to->hosts, from->hosts, switches * sizeof *to->hosts);
    memcpy(to->degree, from->degree, switches * sizeof *to->degree);
    memcpy(to->neighbours, from->neighbours, switches * stride * sizeof *to->neighbours);
    memcpy(to->mates, from->mates, from->orbits * stride * sizeof *to->mates);
    to->change_count = 0;
}

/* ---- changes ---- */

static void note(fl_search_graph *graph, fl_search_change change)
{
    assert(graph->change_count < FL_SEARCH_CHANGES_MAX);
    graph->changes[graph->change_count++] = change;
}

static void write_slot(fl_search_graph *graph, fl_slot slot, uint32_t neighbour, uint32_t mate)
{
    uint32_t orbits = graph->orbits, switches = graph->switches;
    for (uint32_t v = slot.orbit; v < switches; v += orbits) {
        graph->neighbours[(size_t)v * graph->stride + slot.index] = neighbour;
        neighbour += orbits;
        neighbour -= neighbour >= switches ? switches : 0;
    }
    graph->mates[(size_t)slot.orbit * graph->stride + slot.index] = mate;
}

static void set_slot(fl_search_graph *graph, fl_slot slot, uint32_t neighbour, uint32_t mate)
{
    size_t at = (size_t)slot.orbit * graph->stride + slot.index;
    note(graph, (fl_search_change){.what = FL_CHANGE_SLOT,
                                   .slot = slot,
                                   .before = graph->neighbours[at],
                                   .mate_before = graph->mates[at]});
    write_slot(graph, slot, neighbour, mate);
}

static void write_all(uint32_t *of, const fl_search_graph *graph, uint32_t orbit, uint32_t value)
{
    for (uint32_t v = orbit; v < graph->switches; v += graph->orbits)
        of[v] = value;
}

static void set_degree(fl_search_graph *graph, uint32_t orbit, uint32_t degree)
{
    note(graph, (fl_search_change){.what = FL_CHANGE_DEGREE,
                                   .slot = {.orbit = orbit},
                                   .before = graph->degree[orbit]});
    write_all(graph->degree, graph, orbit, degree);
}

void fl_search_graph_add_hosts(fl_search_graph *graph, uint32_t orbit, int by)
{
    note(graph, (fl_search_change){.what = FL_CHANGE_HOSTS,
                                   .slot = {.orbit = orbit},
                                   .before = graph->hosts[orbit]});
    write_all(graph->hosts, graph, orbit, graph->hosts[orbit] + (uint32_t)by);
}

void fl_search_graph_keep(fl_search_graph *graph)
{
    graph->change_count = 0;
}

void fl_search_graph_undo(fl_search_graph *graph)
{
    while (graph->change_count > 0) {
        const fl_search_change *c = &graph->changes[--graph->change_count];
        if (c->what == FL_CHANGE_SLOT)
            write_slot(graph, c->slot, c->before, c->mate_before);
        else
            write_all(c->what == FL_CHANGE_DEGREE ? graph->degree : graph->hosts, graph,
                      c->slot.orbit, c->before);
    }
}

/* ---- links ---- */

bool fl_search_graph_may_join(const fl_search_graph *graph, uint32_t a, uint32_t b, uint32_t turn)
{
    uint32_t target = turn * graph->orbits + b;
    /* Half a turn within an orbit, from two slots, would give each of its links twice. */
    if (a == b && (turn == 0 || 2 * turn == graph->symmetry))
        return false;
    const uint32_t *neighbours = graph->neighbours + (size_t)a * graph->stride;
    for (uint32_t i = 0; i < graph->degree[a]; i++)
        if (neighbours[i] == target)
            return false;
    return true;
}

void fl_search_graph_plug(fl_search_graph *graph, fl_slot a, fl_slot b, uint32_t turn)
{
    uint32_t back = turn ? graph->symmetry - turn : 0;
    set_slot(graph, a, turn * graph->orbits + b.orbit, b.index);
    if (a.orbit != b.orbit || a.index != b.index)
        set_slot(graph, b, back * graph->orbits + a.orbit, a.index);
}

fl_slot fl_search_graph_add_slot(fl_search_graph *graph, uint32_t orbit)
{
    fl_slot slot = {orbit, graph->degree[orbit]};
    set_degree(graph, orbit, slot.index + 1);
    return slot;
}

void fl_search_graph_drop_slot(fl_search_graph *graph, fl_slot slot)
{
    fl_slot last = {slot.orbit, graph->degree[slot.orbit] - 1};
    if (last.index != slot.index) {
        fl_slot mate = fl_search_graph_mate(graph, last);
        bool own = mate.orbit == last.orbit && mate.index == last.index;
        fl_search_graph_plug(graph, slot, own ? slot : mate, fl_search_graph_turn(graph, last));
    }
    set_slot(graph, last, slot.orbit, 0);
    set_degree(graph, slot.orbit, last.index);
}

/* ---- a graph that is read ---- */

void fl_search_graph_set_orbit(fl_search_graph *graph, uint32_t orbit, uint32_t hosts,
                               uint32_t degree)
{
    write_all(graph->hosts, graph, orbit, hosts);
    write_all(graph->degree, graph, orbit, degree);
}

/* Does the link of this slot lead to a slot that leads back, and is it no loop and not double? */
static bool is_link(const fl_search_graph *graph, fl_slot slot)
{
    uint32_t target = fl_search_graph_neighbour(graph, slot);
    if (target >= graph->switches || target == slot.orbit)
        return false;
    fl_slot mate = fl_search_graph_mate(graph, slot);
    uint32_t turn = fl_search_graph_turn(graph, slot);
    if (mate.index >= graph->degree[mate.orbit])
        return false;
    uint32_t back = (turn ? graph->symmetry - turn : 0) * graph->orbits + slot.orbit;
    fl_slot home = fl_search_graph_mate(graph, mate);
    bool own = mate.orbit == slot.orbit && mate.index == slot.index;
    if (fl_search_graph_neighbour(graph, mate) != back || home.orbit != slot.orbit ||
        home.index != slot.index ||
        (slot.orbit == mate.orbit && 2 * turn == graph->symmetry && !own))
        return false;
    for (uint32_t i = 0; i < slot.index; i++)
        if (fl_search_graph_neighbour(graph, (fl_slot){slot.orbit, i}) == target)
            return false;
    return true;
}

bool fl_search_graph_complete(fl_search_graph *graph)
{
    for (uint32_t o = 0; o < graph->orbits; o++)
        for (uint32_t i = 0; i < graph->degree[o]; i++) {
            fl_slot slot = {o, i};
            if (!is_link(graph, slot))
                return false;
            write_slot(graph, slot, fl_search_graph_neighbour(graph, slot),
                       graph->mates[(size_t)o * graph->stride + i]);
        }
    return true;
}

/* ---- a graph at random ---- */

/* As evenly as possible on the first `bearing` orbits. */
static void spread_hosts(fl_search_graph *graph, uint32_t bearing)
{
    uint32_t each = graph->nodes / graph->symmetry;
    for (uint32_t o = 0; o < graph->orbits; o++)
        write_all(graph->hosts, graph, o, o < bearing ? each / bearing + (o < each % bearing) : 0);
}

static fl_slot random_slot(const fl_search_graph *graph, fl_rng *rng)
{
    for (;;) {
        uint32_t orbit = fl_rng_below32(rng, graph->orbits);
        uint32_t index = fl_rng_below32(rng, graph->radix);
        if (index < graph->degree[orbit])
            return (fl_slot){orbit, index};
    }
}

static bool join(fl_search_graph *graph, uint32_t a, uint32_t b, uint32_t turn)
{
    if (!fl_search_graph_may_join(graph, a, b, turn))
        return false;
    fl_slot from = fl_search_graph_add_slot(graph, a), to = fl_search_graph_add_slot(graph, b);
    fl_search_graph_plug(graph, from, to, turn);
    return true;
}

/* Gives a link to two free ports of orbits a and b, which cannot be joined: another link is cut,
 * and its ends are joined with them. */
static bool join_across(fl_search_graph *graph, uint32_t a, uint32_t b, fl_rng *rng)
{
    bool any = false;
    for (uint32_t o = 0; o < graph->orbits && !any; o++)
        any = graph->degree[o] > 0;
    for (unsigned attempt = 0; any && attempt < 200; attempt++) {
        fl_slot x = random_slot(graph, rng), y = fl_search_graph_mate(graph, x);
        uint32_t turn = fl_rng_below32(rng, graph->symmetry);
        uint32_t other = fl_rng_below32(rng, graph->symmetry);
        if ((x.orbit == y.orbit && x.index == y.index) ||
            !fl_search_graph_may_join(graph, a, x.orbit, turn))
            continue;
        fl_search_graph_keep(graph);
        fl_search_graph_plug(graph, fl_search_graph_add_slot(graph, a), x, turn);
        if (fl_search_graph_may_join(graph, b, y.orbit, other)) {
            fl_search_graph_plug(graph, fl_search_graph_add_slot(graph, b), y, other);
            return true;
        }
        fl_search_graph_undo(graph);
    }
    return false;
}

static bool pair_ports(fl_search_graph *graph, uint32_t a, uint32_t b, fl_rng *rng)
{
    for (unsigned attempt = 0; attempt < 8; attempt++)
        if (join(graph, a, b, fl_rng_below32(rng, graph->symmetry)))
            return true;
    return join_across(graph, a, b, rng);
}

/* Half a turn needs one port only: it takes the port that is left over in an orbit. */
static void join_halfway(fl_search_graph *graph, uint32_t orbit)
{
    if (graph->symmetry % 2 != 0)
        return;
    uint32_t half = graph->symmetry / 2, target = half * graph->orbits + orbit;
    const uint32_t *neighbours = graph->neighbours + (size_t)orbit * graph->stride;
    for (uint32_t i = 0; i < graph->degree[orbit]; i++)
        if (neighbours[i] == target)
            return;
    fl_slot slot = fl_search_graph_add_slot(graph, orbit);
    fl_search_graph_plug(graph, slot, slot, half);
}

static uint32_t orbit_with_free_port(const fl_search_graph *graph, fl_rng *rng)
{
    uint32_t first = fl_rng_below32(rng, graph->orbits);
    for (uint32_t i = 0; i < graph->orbits; i++) {
        uint32_t o = first + i < graph->orbits ? first + i : first + i - graph->orbits;
        if (fl_search_graph_free_ports(graph, o) > 0)
            return o;
    }
    return UINT32_MAX;
}

/* Orbits are joined to a tree first, as far as ports allow. */
static void join_to_tree(fl_search_graph *graph, uint32_t *order, fl_rng *rng)
{
    for (uint32_t i = 0; i < graph->orbits; i++)
        order[i] = i;
    for (uint32_t i = 1; i < graph->orbits; i++) {
        uint32_t j = i + fl_rng_below32(rng, graph->orbits - i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
        for (unsigned attempt = 0; attempt < 64; attempt++) {
            uint32_t to = order[fl_rng_below32(rng, i)];
            if (fl_search_graph_free_ports(graph, to) > (i + 1 < graph->orbits) &&
                join(graph, order[i], to, fl_rng_below32(rng, graph->symmetry)))
                break;
        }
        fl_search_graph_keep(graph);
    }
}

static void join_free_ports(fl_search_graph *graph, fl_rng *rng)
{
    for (unsigned failures = 0; failures < 64;) {
        uint32_t a = orbit_with_free_port(graph, rng);
        if (a == UINT32_MAX)
            return;
        /* Two ports of one orbit, or one of two. */
        uint32_t b = UINT32_MAX;
        for (unsigned i = 0; i < 8 && (b == UINT32_MAX || b == a); i++)
            b = orbit_with_free_port(graph, rng);
        if (b == a && fl_search_graph_free_ports(graph, a) < 2) {
            join_halfway(graph, a);
            fl_search_graph_keep(graph);
            if (fl_search_graph_free_ports(graph, a) > 0)
                failures++;
            continue;
        }
        failures += !pair_ports(graph, a, b, rng);
        fl_search_graph_keep(graph);
    }
}

static bool is_connected(const fl_search_graph *graph, uint32_t *queue, bool *seen)
{
    uint32_t head = 0, tail = 0;
    memset(seen, 0, graph->switches * sizeof *seen);
    queue[tail++] = 0;
    seen[0] = true;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t i = 0; i < graph->degree[v]; i++) {
            uint32_t u = graph->neighbours[(size_t)v * graph->stride + i];
            if (!seen[u]) {
                seen[u] = true;
                queue[tail++] = u;
            }
        }
    }
    return tail == graph->switches;
}

fl_status fl_search_graph_draw(fl_search_graph *graph, uint32_t bearing, fl_rng *rng,
                               fl_error *error)
{
    enum { ATTEMPTS = 100 };
    uint32_t *queue = malloc(graph->switches * sizeof *queue);
    bool *seen = malloc(graph->switches * sizeof *seen), connected = false, room = queue && seen;
    for (int i = 0; room && !connected && i < ATTEMPTS; i++) {
        clear_links(graph);
        spread_hosts(graph, bearing);
        join_to_tree(graph, queue, rng);
        join_free_ports(graph, rng);
        connected = is_connected(graph, queue, seen);
    }
    free(queue);
    free(seen);
    if (!room)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a graph of %u switches",
                       graph->switches);
    if (!connected)
        return fl_fail(error, FL_ERR_INVALID,
                       "found no connected graph of %u hosts on %u switches of radix %u%s",
                       graph->nodes, graph->switches, graph->radix,
                       graph->symmetry > 1 ? " with this symmetry" : "");
    return FL_OK;
}

/* ---- a graph from a network ---- */

static fl_status take_links(fl_search_graph *graph, const fl_network *network, bool hosts,
                            fl_error *error)
{
    for (uint64_t i = 0; i < network->links; i++) {
        fl_link_ends ends;
        network->type->link_ends(network, network->type->link_code(network, i), &ends);
        if (fl_address_is_node(ends.a) || fl_address_is_node(ends.b)) {
            fl_address at = fl_address_is_node(ends.a) ? ends.b : ends.a;
            if (hosts)
                graph->hosts[network->type->switch_index(network, at)]++;
            continue;
        }
        uint32_t a = (uint32_t)network->type->switch_index(network, ends.a);
        uint32_t b = (uint32_t)network->type->switch_index(network, ends.b);
        if (graph->degree[a] == graph->radix || graph->degree[b] == graph->radix ||
            !join(graph, a, b, 0))
            return fl_fail(error, FL_ERR_INVALID,
                           "%s: a switch has double links, or more than %u of them", network->spec,
                           graph->radix);
        fl_search_graph_keep(graph);
    }
    return FL_OK;
}

/* A host at a time goes to the switch that has fewest of those with a free port. */
static bool spread_over_free_ports(fl_search_graph *graph)
{
    for (uint32_t host = 0; host < graph->nodes; host++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t v = 0; v < graph->switches; v++)
            if (fl_search_graph_free_ports(graph, v) > 0 &&
                (best == UINT32_MAX || graph->hosts[v] < graph->hosts[best]))
                best = v;
        if (best == UINT32_MAX)
            return false;
        graph->hosts[best]++;
    }
    return true;
}

fl_status fl_search_graph_take(fl_search_graph *graph, const fl_network *network, fl_rng *rng,
                               fl_error *error)
{
    bool hosts = network->nodes == graph->nodes;
    if (network->one_way || network->node_ports > 1 || network->switches != graph->switches)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s: a search begins with a network without one-way links, of nodes with one "
            "port, and of %u switches",
            network->spec, graph->switches);
    fl_status status = take_links(graph, network, hosts, error);
    if (status)
        return status;
    bool room = hosts || spread_over_free_ports(graph);
    for (uint32_t v = 0; v < graph->switches; v++)
        room &= graph->hosts[v] + graph->degree[v] <= graph->radix;
    if (!room)
        return fl_fail(error, FL_ERR_INVALID, "%s: switches of radix %u have no ports for %u hosts",
                       network->spec, graph->radix, graph->nodes);
    join_free_ports(graph, rng);
    return FL_OK;
}
