#include "topo/exposure.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums over states ---- */

/* Polynomials by a distance between switches and by the number of links that were left in the state they
 * come from. */
typedef struct sums {
    uint32_t links, distances;
    long double **at; /* [distances * (links + 1)]: NULL, or [links - left + 1] */
} sums;

static bool sums_create(sums *s, uint32_t links, uint32_t distances)
{
    *s = (sums){links, distances, calloc((size_t)distances * (links + 1), sizeof *s->at)};
    return s->at != NULL;
}

static void sums_destroy(sums *s)
{
    for (size_t i = 0; s->at && i < (size_t)s->distances * (s->links + 1); i++)
        free(s->at[i]);
    free(s->at);
    *s = (sums){0};
}

static bool sums_add(sums *s, uint32_t distance, uint32_t left, const long double *numbers, long double weight)
{
    uint32_t size = s->links - left + 1;
    long double **row = &s->at[(size_t)distance * (s->links + 1) + left];
    if (!*row && !(*row = calloc(size, sizeof **row)))
        return false;
    for (uint32_t i = 0; i < size; i++)
        (*row)[i] += weight * numbers[i];
    return true;
}

/* All sums of a distance over the same links, with so many `more` that are free as well: links + more + 1
 * coefficients. By Horner's rule, as a link that was left is free: a factor of 1 + z. */
static void sums_read(const sums *s, uint32_t distance, uint32_t more, long double *out)
{
    uint32_t size = 0;
    memset(out, 0, ((size_t)s->links + more + 1) * sizeof *out);
    for (uint32_t left = s->links + more + 1; left-- > 0;) {
        for (uint32_t i = size; i > 0; i--)
            out[i] += out[i - 1];
        size++;
        const long double *row = left < more ? NULL : s->at[(size_t)distance * (s->links + 1) + left - more];
        for (uint32_t i = 0; row && i < s->links - (left - more) + 1; i++)
            out[i] += row[i];
    }
}

/* ---- states ---- */

typedef enum outcome { DONE, TOO_MANY, NO_MEMORY, STOPPED } outcome;

typedef struct run {
    const fl_network *network;
    const fl_path_lengths_options *options;
    fl_exposure all;          /* every switch, none reached */
    uint32_t links, switches; /* links between switches */
    size_t states_max;
    fl_exposure_table now, next, layer; /* of this step, of the next one, of the next distance */
    uint32_t distance;        /* the links asked about lead to it */
    sums arrived;             /* pairs of nodes whose switches are at this distance */
    long double *scratch;     /* [links + 2] */
    fl_path_lengths_report report;
    uint64_t additions;
} run;

FL_INLINE unsigned take_lowest(uint64_t *set)
{
    unsigned lowest = (unsigned)__builtin_ctzll(*set);
    *set &= *set - 1;
    return lowest;
}

static bool is_single(uint64_t set)
{
    return (set & (set - 1)) == 0;
}

/* Switches without nodes through which no path leads on. */
static uint64_t without_dead_ends(const fl_exposure *e, uint64_t set)
{
    for (uint64_t before = 0; before != set;) {
        before = set;
        for (uint64_t rest = set; rest;) {
            unsigned v = take_lowest(&rest);
            uint64_t beyond = e->neighbours[v] & set;
            if (!e->nodes[v] && (!beyond || (is_single(beyond) && !e->now[v] && !e->next[v])))
                set &= ~(UINT64_C(1) << v);
        }
    }
    return set;
}

static uint64_t component(const fl_exposure *e, uint64_t set)
{
    uint64_t found = set & -set;
    for (uint64_t front = found; front;) {
        uint64_t beyond = 0;
        while (front)
            beyond |= e->neighbours[take_lowest(&front)];
        front = beyond & set & ~found;
        found |= front;
    }
    return found;
}

/* numbers times (1 + z)^more, into scratch. */
static const long double *with_free_links(run *r, const long double *numbers, uint32_t size, uint32_t more)
{
    memcpy(r->scratch, numbers, size * sizeof *numbers);
    for (; more > 0; more--, size++) {
        r->scratch[size] = 0;
        for (uint32_t i = size; i > 0; i--)
            r->scratch[i] += r->scratch[i - 1];
    }
    return r->scratch;
}

static bool add_component(run *r, const fl_exposure *e, uint64_t set, const long double *numbers, uint32_t left)
{
    fl_exposure part, normal;
    unsigned now = 0, next = 0, nodes = 0;
    fl_exposure_restrict(e, set, &part);
    uint32_t links = fl_exposure_links(e, set);
    for (unsigned i = 0; i < part.count; i++) {
        now |= part.now[i];
        next |= part.next[i];
        nodes |= part.nodes[i];
    }
    if (!nodes || (!now && !next))
        return true; /* nothing to be reached, or never */
    if (!now) {
        memcpy(part.now, part.next, part.count);
        memset(part.next, 0, part.count);
    }
    uint64_t hash = fl_exposure_normalise(&part, &normal);
    long double *sum = fl_exposure_table_find(now ? &r->next : &r->layer, &normal, hash, links);
    if (!sum)
        return false;
    uint32_t size = r->links - links + 1;
    const long double *own = with_free_links(r, numbers, r->links - left + 1, left - links);
    for (uint32_t i = 0; i < size; i++)
        sum[i] += own[i];
    r->additions++;
    return true;
}

/* Nodes in different components are reached by different links. As numbers of pairs are added up, each
 * component goes on by itself, the links of the others being free. */
static bool add_state(run *r, const fl_exposure *e, uint64_t set, const long double *numbers, uint32_t left)
{
    set = without_dead_ends(e, set);
    while (set) {
        uint64_t part = component(e, set);
        if (!add_component(r, e, part, numbers, left))
            return false;
        set &= ~part;
    }
    return true;
}

/* Leaf switches first, then those whose neighbours have been reached by others: of the orders tried
 * it leaves the fewest states on MiKANT(3,3). */
static unsigned choose(const fl_exposure *e)
{
    unsigned best = 0, most = 0;
    for (unsigned v = 0; v < e->count; v++) {
        if (!e->now[v])
            continue;
        unsigned score = 1 + e->now[v] + (e->nodes[v] ? 1u << 16 : 0);
        for (uint64_t rest = e->neighbours[v]; rest;)
            score += e->next[take_lowest(&rest)] ? 64 : 0;
        if (score > most) {
            most = score;
            best = v;
        }
    }
    return best;
}

static uint64_t all_of(const fl_exposure *e)
{
    return e->count == 64 ? UINT64_MAX : (UINT64_C(1) << e->count) - 1;
}

/* out = numbers * ((1 + z)^m - z^m): some of m links is up. out has room for m more. */
static void some_up(const long double *numbers, uint32_t size, unsigned m, long double *out)
{
    long double ways = 1;
    memset(out, 0, (size + m) * sizeof *out);
    for (unsigned down = 0; down < m; down++) {
        for (uint32_t i = 0; i < size; i++)
            out[i + down] += ways * numbers[i];
        ways = ways * (m - down) / (down + 1);
    }
}

static void all_down(const long double *numbers, uint32_t size, unsigned m, long double *out)
{
    memset(out, 0, m * sizeof *out);
    memcpy(out + m, numbers, size * sizeof *out);
}

/* Asks about all links of one switch that lead to the last distance. */
static bool expose(run *r, size_t number)
{
    fl_exposure e, up;
    long double out[FL_EXPOSED_SWITCHES_MAX * FL_EXPOSED_SWITCHES_MAX / 2 + 1];
    fl_exposure_table_read(&r->now, number, &e);
    const fl_exposure_entry *entry = &r->now.entries[number];
    const long double *numbers = r->now.numbers + entry->numbers;
    uint32_t size = r->links - entry->links + 1;
    unsigned v = choose(&e), m = e.now[v];
    uint32_t left = entry->links - m;
    e.now[v] = 0;
    up = e;
    for (uint64_t rest = e.neighbours[v]; rest;)
        up.next[take_lowest(&rest)]++;
    some_up(numbers, size, m, out);
    r->additions += e.nodes[v] > 0;
    if (e.nodes[v] && !sums_add(&r->arrived, r->distance, left, out, e.nodes[v]))
        return false;
    if (!add_state(r, &up, all_of(&e) & ~(UINT64_C(1) << v), out, left))
        return false;
    all_down(numbers, size, m, out);
    return add_state(r, &e, all_of(&e), out, left);
}

/* ---- the run ---- */

enum { STATES_A_LOOK = 1024 };

static bool go_on(const run *r)
{
    return !r->options->progress || r->options->progress(r->options->user, r->distance, r->switches);
}

/* One switch of each state. */
static outcome step(run *r)
{
    for (size_t i = 0; i < r->now.count; i++) {
        if (i % STATES_A_LOOK == 0 && !go_on(r))
            return STOPPED;
        if (!expose(r, i))
            return NO_MEMORY;
        size_t states = r->now.count + r->next.count + r->layer.count;
        r->report.most_states = states > r->report.most_states ? states : r->report.most_states;
        if (states > r->states_max)
            return TOO_MANY;
    }
    r->report.states += r->now.count;
    size_t bytes = fl_exposure_table_bytes(&r->now) + fl_exposure_table_bytes(&r->next) + fl_exposure_table_bytes(&r->layer);
    r->report.memory = bytes > r->report.memory ? bytes : r->report.memory;
    fl_exposure_table_destroy(&r->now);
    r->now = r->next;
    r->next = (fl_exposure_table){.links = r->links};
    return DONE;
}

static bool add_source(run *r, unsigned source, long double pairs_of)
{
    fl_exposure e = r->all;
    long double one = pairs_of, same = pairs_of * (e.nodes[source] - 1);
    for (uint64_t rest = e.neighbours[source]; rest;)
        e.next[take_lowest(&rest)] = 1;
    return sums_add(&r->arrived, 0, r->links, &same, 1) && add_state(r, &e, all_of(&e) & ~(UINT64_C(1) << source), &one, r->links);
}

/* One source of each class of switches that are alike, for all of its nodes. */
static bool add_sources(run *r)
{
    const fl_network_type *type = r->network->type;
    uint64_t nodes[FL_EXPOSED_SWITCHES_MAX] = {0};
    for (unsigned v = 0; v < r->switches; v++)
        nodes[type->representative ? type->representative(r->network, v) : v] += r->all.nodes[v];
    for (unsigned v = 0; v < r->switches; v++)
        if (nodes[v] && !add_source(r, v, nodes[v]))
            return false;
    return true;
}

static outcome run_all(run *r)
{
    if (!add_sources(r))
        return NO_MEMORY;
    while (r->layer.count > 0) {
        r->distance++;
        r->now = r->layer;
        r->layer = (fl_exposure_table){.links = r->links};
        while (r->now.count > 0) {
            outcome end = step(r);
            if (end != DONE)
                return end;
        }
    }
    return DONE;
}

/* ---- the network ---- */

static fl_status refuse(const fl_network *network, const char *why, fl_error *error)
{
    return fl_fail(error, FL_ERR_INVALID, "path lengths without sampling: %s %s", network->spec, why);
}

static fl_status read_network(run *r, const fl_graph *graph, fl_error *error)
{
    if (r->network->nodes < 2)
        return refuse(r->network, "has no pair of nodes", error);
    if (r->network->switches > FL_EXPOSED_SWITCHES_MAX)
        return refuse(r->network, "has more than 64 switches", error);
    if (r->network->one_way)
        return refuse(r->network, "has links that carry one way only", error);
    r->switches = r->all.count = (unsigned)r->network->switches;
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t entry = graph->offsets[v]; entry < graph->offsets[v + 1]; entry++) {
            uint64_t to = graph->targets[entry];
            if (v < graph->nodes) {
                if (graph->offsets[v + 1] - graph->offsets[v] != 1 || to < graph->nodes || r->all.nodes[to - graph->nodes] == UINT16_MAX)
                    return refuse(r->network, "has nodes that are not on a switch each", error);
                r->all.nodes[to - graph->nodes]++;
            } else if (to >= graph->nodes) {
                uint64_t bit = UINT64_C(1) << (to - graph->nodes), *neighbours = &r->all.neighbours[v - graph->nodes];
                if (to == v || *neighbours & bit)
                    return refuse(r->network, "has several links between two switches", error);
                *neighbours |= bit;
            }
        }
    r->links = fl_exposure_links(&r->all, all_of(&r->all));
    if (r->network->links > LDBL_MAX_EXP - 2)
        return refuse(r->network, "has more sets of links than a long double can count", error);
    return FL_OK;
}

/* ---- results ---- */

/* Pairs of nodes on different switches need both of their links, too; the other nodes' links are free. */
static bool read_off(run *r, long double *connected, long double *lengths)
{
    uint64_t links = r->network->links, free_links = r->network->nodes - 2;
    long double *all = calloc(2 * (links + 1), sizeof *all), *curve = all + links + 1;
    if (!all)
        return false;
    all[0] = 1;
    for (uint64_t size = 1; size <= links; size++) /* C(size, f) from C(size - 1, f) */
        for (uint64_t i = size; i > 0; i--)
            all[i] += all[i - 1];
    memset(connected, 0, (links + 1) * sizeof *connected);
    memset(lengths, 0, (links + 1) * sizeof *lengths);
    for (uint32_t distance = 0; distance < r->switches; distance++) {
        sums_read(&r->arrived, distance, (uint32_t)free_links, curve);
        for (uint64_t f = 0; f + 2 <= links; f++) {
            connected[f] += curve[f];
            lengths[f] += (distance + 2) * curve[f];
        }
    }
    long double pairs = (long double)r->network->nodes * (long double)(r->network->nodes - 1);
    for (uint64_t f = 0; f <= links; f++) {
        lengths[f] = connected[f] > 0 ? lengths[f] / connected[f] : 0;
        connected[f] /= pairs * all[f];
    }
    free(all);
    return true;
}

/* A term is rounded at most once for each time that states met or a sum was added to, and a few times for each link. */
static double relative_error(const run *r)
{
    double error = ((double)r->additions + 16.0 * (double)r->network->links) * (double)(LDBL_EPSILON / 2);
    return 2 * error / (1 - 2 * error) * (1 + 8 * DBL_EPSILON); /* of a quotient of two */
}

static void forget(run *r)
{
    fl_exposure_table_destroy(&r->now);
    fl_exposure_table_destroy(&r->next);
    fl_exposure_table_destroy(&r->layer);
    sums_destroy(&r->arrived);
    free(r->scratch);
}

static fl_status explain(const run *r, outcome end, fl_error *error)
{
    if (end == STOPPED)
        return fl_fail(error, FL_ERR_STOPPED, "path lengths without sampling: stopped on request");
    if (end == NO_MEMORY)
        return fl_fail(error, FL_ERR_MEMORY, "path lengths without sampling: out of memory with %zu states", r->report.most_states);
    return fl_fail(error, FL_ERR_MEMORY,
                   "path lengths without sampling: more than %zu states at a time, at distance %u; raise the limit or take a "
                   "smaller network",
                   r->states_max, r->distance);
}

fl_status fl_path_lengths_all_pairs(long double *connected, long double *lengths, fl_path_lengths_report *report,
                                    const fl_network *network, const fl_path_lengths_options *options, fl_error *error)
{
    static const fl_path_lengths_options none = {0};
    run r = {.network = network, .options = options ? options : &none};
    r.states_max = r.options->states_max && r.options->states_max < UINT32_MAX ? r.options->states_max : FL_PATH_LENGTHS_STATES;
    fl_graph *graph;
    fl_status status = fl_graph_create(&graph, network, error);
    if (status)
        return status;
    status = read_network(&r, graph, error);
    fl_graph_destroy(graph);
    if (status)
        return status;
    r.now.links = r.next.links = r.layer.links = r.links;
    r.scratch = calloc((size_t)r.links + 2, sizeof *r.scratch);
    outcome end = r.scratch && sums_create(&r.arrived, r.links, r.switches + 1) ? run_all(&r) : NO_MEMORY;
    if (end == DONE && !read_off(&r, connected, lengths))
        end = NO_MEMORY;
    r.report.relative_error = relative_error(&r);
    if (report)
        *report = r.report;
    forget(&r);
    return end == DONE ? FL_OK : explain(&r, end, error);
}
