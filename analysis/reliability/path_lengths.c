#include "analysis/reliability/exposure.h"
#include "analysis/reliability/reliability.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- states ---- */

typedef enum outcome { DONE, TOO_MANY, NO_MEMORY, STOPPED } outcome;

/* [distances * (links + 1)], at one number of faults in one column: shares of all pairs. */
typedef struct fractions {
    long double *found, *at_least, *at_most;
    long double *all;   /* [links + 1]: C(links, f) */
    long double *curve; /* [links + 1]: scratch */
} fractions;

enum { INCOMPLETE_PASSES = 4 };

typedef struct run {
    const fl_network *network;
    const fl_path_lengths_options *options;
    const long double *connected; /* of all pairs, or NULL: nothing may be left out */
    fl_exposure all;              /* every switch, none reached */
    unsigned nodes[FL_EXPOSED_SWITCHES_MAX];
    uint32_t links, switches; /* links between switches */
    size_t states_max;
    fl_exposure_table now, next, layer; /* of this step, of the next one, of the next extension */
    uint32_t distance_max;              /* of this pass: longer paths do not matter */
    uint32_t radii; /* of the two sides, added up, when this extension is done: those of `layer` */
    bool left_out, stopped; /* states, in this pass; no time is left */
    bool exact;
    uint32_t complete; /* all paths of at most so many links were found */
    fractions found;
    fl_exposure_sums arrived; /* pairs of nodes whose switches are at this distance */
    fl_exposure_sums at_least,
        at_most; /* what was left out of the pass without a limit, by the bounds of its distance */
    fl_exposure_worth worth;
    long double *scratch, *some, *met, *rows; /* [row_size] each, and [(switches + 1) * row_size] */
    size_t row_size;                          /* links + 2 */
    fl_path_lengths_report report;
    uint64_t additions;
} run;

static uint64_t all_of(const fl_exposure *e)
{
    return e->count == 64 ? UINT64_MAX : (UINT64_C(1) << e->count) - 1;
}

static uint64_t neighbours_of(const fl_exposure *e, uint64_t set)
{
    uint64_t far_end = 0;
    while (set)
        far_end |= e->neighbours[fl_take_lowest_bit(&set)];
    return far_end;
}

/* What can be reached from `from` within the set. */
static uint64_t reach(const fl_exposure *e, uint64_t set, uint64_t from)
{
    uint64_t found = from & set;
    for (uint64_t front = found; front; found |= front)
        front = neighbours_of(e, front) & set & ~found;
    return found;
}

/* Switches on paths from the one side to the other that visit none twice: neither side reaches the
 * others but by way of a single switch. */
static uint64_t between_sides(const fl_exposure *e, uint64_t set)
{
    uint64_t source = 0, target = 0, before = 0;
    for (uint64_t rest = set; rest;) {
        unsigned v = fl_take_lowest_bit(&rest);
        source |= (uint64_t)(e->now[v] || e->next[v]) << v;
        target |= (uint64_t)(e->other[v] > 0) << v;
    }
    while (before != set) {
        before = set;
        set = reach(e, set, source) & reach(e, set, target);
        for (uint64_t rest = set; rest; rest &= set) {
            unsigned v = fl_take_lowest_bit(&rest);
            uint64_t self = UINT64_C(1) << v, far_end = e->neighbours[v] & set;
            if (far_end & (far_end - 1))
                set &= reach(e, set & ~self, source | target) | self;
        }
    }
    return set;
}

/* numbers times (1 + z)^more, into scratch. */
static const long double *with_free_links(run *r, const long double *numbers, uint32_t size,
                                          uint32_t more)
{
    memcpy(r->scratch, numbers, size * sizeof *numbers);
    for (; more > 0; more--, size++) {
        r->scratch[size] = 0;
        for (uint32_t i = size; i > 0; i--)
            r->scratch[i] += r->scratch[i - 1];
    }
    return r->scratch;
}

/* ---- what is left out ---- */

/* The distances that a state can still lead to. */
static bool leave_out(run *r, const fl_exposure *e, const long double *numbers, uint32_t left,
                      uint32_t radii)
{
    uint32_t least, most;
    r->left_out = true;
    if (r->distance_max < r->switches)
        return true;
    fl_exposure_distances(e, &least, &most);
    most = radii + most < r->switches ? radii + most : r->switches - 1;
    r->additions++;
    return fl_exposure_sums_add(&r->at_least, radii + least, left, numbers, 1) &&
           fl_exposure_sums_add(&r->at_most, most, left, numbers, 1);
}

static bool leave_out_entry(run *r, const fl_exposure_table *table, size_t number, uint32_t radii)
{
    fl_exposure e;
    fl_exposure_table_read(table, number, &e);
    return leave_out(r, &e, table->numbers + table->entries[number].numbers,
                     table->entries[number].links, radii);
}

static bool leave_out_table(run *r, fl_exposure_table *table, size_t from, uint32_t radii)
{
    for (size_t i = from; i < table->count; i++)
        if (!leave_out_entry(r, table, i, radii))
            return false;
    fl_exposure_table_destroy(table);
    return true;
}

static bool keep_entry(fl_exposure_table *to, const fl_exposure_table *from, size_t number)
{
    const fl_exposure_entry *entry = &from->entries[number];
    fl_exposure e;
    fl_exposure_table_read(from, number, &e);
    long double *numbers = fl_exposure_table_find(to, &e, entry->hash, entry->links);
    if (numbers)
        memcpy(numbers, from->numbers + entry->numbers,
               (from->links - entry->links + 1) * sizeof *numbers);
    return numbers != NULL;
}

/* Keeps the `most` states that matter most. */
static bool thin_out(run *r, fl_exposure_table *table, size_t most, uint32_t radii)
{
    fl_exposure_table kept = {.links = table->links};
    bool *keep = calloc(table->count, sizeof *keep);
    bool good = keep && fl_exposure_worth_choose(&r->worth, table, most, keep);
    for (size_t i = 0; good && i < table->count; i++)
        good = keep[i] ? keep_entry(&kept, table, i) : leave_out_entry(r, table, i, radii);
    free(keep);
    if (good) {
        fl_exposure_table_destroy(table);
        *table = kept;
    } else {
        fl_exposure_table_destroy(&kept);
    }
    return good;
}

static size_t states_at_a_time(const run *r)
{
    return r->now.count + r->next.count + r->layer.count;
}

static outcome make_room(run *r)
{
    size_t states = states_at_a_time(r);
    r->report.most_states = states > r->report.most_states ? states : r->report.most_states;
    if (states <= r->states_max)
        return DONE;
    if (!r->connected)
        return TOO_MANY;
    bool next = r->next.count > r->layer.count;
    fl_exposure_table *larger = next ? &r->next : &r->layer;
    return thin_out(r, larger, larger->count / 2, r->radii - next) ? DONE : NO_MEMORY;
}

/* ---- exposure ---- */

/* The side with the narrower front is extended next: it is the first. */
static uint64_t normalise_layer(fl_exposure *e, fl_exposure *normal)
{
    unsigned front[2] = {0}, far_end[2] = {0};
    for (unsigned i = 0; i < e->count; i++) {
        unsigned degree = fl_bit_count(e->neighbours[i]);
        front[0] += e->now[i] > 0;
        front[1] += e->other[i] > 0;
        far_end[0] += e->now[i] ? degree : 0;
        far_end[1] += e->other[i] ? degree : 0;
    }
    bool alike = front[0] == front[1] && far_end[0] == far_end[1];
    if (!alike && (front[0] != front[1] ? front[0] > front[1] : far_end[0] > far_end[1]))
        fl_exposure_swap_sides(e);
    uint64_t hash = fl_exposure_normalise(e, normal);
    if (!alike)
        return hash;
    fl_exposure swapped;
    fl_exposure_swap_sides(e);
    uint64_t other_hash = fl_exposure_normalise(e, &swapped);
    if (other_hash >= hash)
        return hash;
    *normal = swapped;
    return other_hash;
}

/* What can still matter; false when the sides can no longer meet. */
static bool cut_down(const run *r, const fl_exposure *e, uint64_t set, fl_exposure *part)
{
    set = between_sides(e, set);
    if (!set)
        return false;
    fl_exposure_restrict(e, set, part);
    if (r->distance_max >= r->switches)
        return true;
    if (r->radii + 1 > r->distance_max)
        return false;
    while (fl_exposure_drop_long_paths(part, r->distance_max - r->radii)) {
        fl_exposure all = *part;
        set = between_sides(&all, all_of(&all));
        if (!set)
            return false;
        fl_exposure_restrict(&all, set, part);
    }
    return true;
}

static outcome add_state(run *r, const fl_exposure *e, uint64_t set, const long double *numbers,
                         uint32_t left)
{
    fl_exposure part, normal;
    if (!cut_down(r, e, set, &part))
        return DONE;
    uint32_t links = fl_exposure_links(&part, all_of(&part));
    unsigned now = 0;
    for (unsigned i = 0; i < part.count; i++)
        now |= part.now[i];
    if (!now) {
        memcpy(part.now, part.next, part.count);
        memset(part.next, 0, part.count);
    }
    uint64_t hash = now ? fl_exposure_normalise(&part, &normal) : normalise_layer(&part, &normal);
    long double *sum = fl_exposure_table_find(now ? &r->next : &r->layer, &normal, hash, links);
    if (!sum)
        return NO_MEMORY;
    uint32_t size = r->links - links + 1;
    const long double *own = with_free_links(r, numbers, r->links - left + 1, left - links);
    for (uint32_t i = 0; i < size; i++)
        sum[i] += own[i];
    r->additions++;
    return make_room(r);
}

/* Those next to the other side first, then those that share neighbours with the fewest others still
 * to be asked about: of the orders tried it leaves the fewest states on MiKANT(3,3). */
static unsigned choose(const fl_exposure *e)
{
    unsigned best = 0, most = 0;
    for (unsigned v = 0; v < e->count; v++) {
        if (!e->now[v])
            continue;
        unsigned others = 0;
        for (uint64_t rest = e->neighbours[v]; rest;)
            for (uint64_t far_end = e->neighbours[fl_take_lowest_bit(&rest)]; far_end;)
                others += e->now[fl_take_lowest_bit(&far_end)] > 0;
        unsigned score = (e->other[v] ? 1u << 16 : 0) + (1u << 15) - others;
        if (score > most) {
            most = score;
            best = v;
        }
    }
    return best;
}

/* Switches that are like v in all. */
static uint64_t twins_of(const fl_exposure *e, unsigned v)
{
    uint64_t twins = 0;
    for (unsigned w = 0; w < e->count; w++)
        twins |= (uint64_t)(e->neighbours[w] == e->neighbours[v] && e->now[w] == e->now[v] &&
                            e->next[w] == e->next[v] && e->other[w] == e->other[v])
                 << w;
    return twins;
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

/* numbers *= z^m */
static void all_down(long double *numbers, uint32_t size, unsigned m)
{
    memmove(numbers + m, numbers, size * sizeof *numbers);
    memset(numbers, 0, m * sizeof *numbers);
}

/* Asks about all links of one twin that lead to the front and, if it is reached, about those to the
 * other side's. rows[j]: j of the `asked` twins before were reached, and then none of their links
 * to the other side was up. */
static bool expose_one(run *r, unsigned m, unsigned k, unsigned asked, uint32_t left)
{
    for (unsigned j = asked + 1; j-- > 0;) {
        long double *row = r->rows + j * r->row_size, *further = row + r->row_size;
        uint32_t left_here = left - asked * m - j * k, size = r->links - left_here + 1;
        some_up(row, size, m, r->some);
        some_up(r->some, size + m, k, r->met);
        r->additions += 2;
        if (k > 0 && !fl_exposure_sums_add(&r->arrived, r->radii + 1, left_here - m - k, r->met, 1))
            return false;
        for (uint32_t i = 0; i < size + m; i++)
            further[i + k] += r->some[i];
        all_down(row, size, m);
    }
    return true;
}

/* Of some switches that are alike it only matters how many are reached. */
static outcome expose(run *r, size_t number)
{
    fl_exposure e;
    fl_exposure_table_read(&r->now, number, &e);
    const fl_exposure_entry *entry = &r->now.entries[number];
    unsigned v = choose(&e), m = e.now[v], k = e.other[v], asked = 0;
    uint64_t twins = twins_of(&e, v), set = all_of(&e);
    uint32_t left = entry->links;
    memset(r->rows, 0, (size_t)(fl_bit_count(twins) + 1) * r->row_size * sizeof *r->rows);
    memcpy(r->rows, r->now.numbers + entry->numbers, (r->links - left + 1) * sizeof *r->rows);
    for (uint64_t rest = twins; rest; e.now[fl_take_lowest_bit(&rest)] = 0)
        if (!expose_one(r, m, k, asked++, left))
            return NO_MEMORY;
    outcome end = add_state(r, &e, set, r->rows, left - asked * m);
    for (unsigned j = 1; j <= asked && end == DONE; j++) {
        for (uint64_t rest = e.neighbours[v]; rest;)
            e.next[fl_take_lowest_bit(&rest)]++;
        set &= ~(UINT64_C(1) << fl_take_lowest_bit(&twins));
        end = add_state(r, &e, set, r->rows + j * r->row_size, left - asked * m - j * k);
    }
    return end;
}

/* ---- the run ---- */

enum { STATES_A_LOOK = 1024 };

static bool go_on(const run *r)
{
    uint32_t shown = r->radii < r->switches ? r->radii : r->switches;
    return !r->options->progress || r->options->progress(r->options->user, shown, r->switches);
}

/* What there was no time for. */
static outcome stop(run *r, size_t done)
{
    r->stopped = true;
    if (!r->connected)
        return STOPPED;
    return leave_out_table(r, &r->now, done, r->radii - 1) &&
                   leave_out_table(r, &r->next, 0, r->radii - 1) &&
                   leave_out_table(r, &r->layer, 0, r->radii)
               ? DONE
               : NO_MEMORY;
}

/* One switch of each state. */
static outcome step(run *r)
{
    if (r->connected && r->now.count > r->states_max / 3 &&
        !thin_out(r, &r->now, r->states_max / 3, r->radii - 1))
        return NO_MEMORY;
    for (size_t i = 0; i < r->now.count; i++) {
        if (i % STATES_A_LOOK == 0 && !go_on(r))
            return stop(r, i);
        outcome end = expose(r, i);
        if (end != DONE)
            return end;
    }
    r->report.states += r->now.count;
    size_t bytes = fl_exposure_table_bytes(&r->now) + fl_exposure_table_bytes(&r->next) +
                   fl_exposure_table_bytes(&r->layer);
    r->report.memory = bytes > r->report.memory ? bytes : r->report.memory;
    fl_exposure_table_destroy(&r->now);
    r->now = r->next;
    r->next = (fl_exposure_table){.links = r->links};
    return DONE;
}

/* The link between the two switches, where there is one, is asked about at once. */
static outcome add_pair(run *r, unsigned source, unsigned target, long double pairs)
{
    fl_exposure e = r->all;
    uint64_t ends = UINT64_C(1) << source | UINT64_C(1) << target;
    bool linked = e.neighbours[source] & UINT64_C(1) << target;
    long double numbers[2] = {linked ? 0 : pairs, pairs}, met[2] = {pairs, 0};
    for (uint64_t rest = e.neighbours[source] & ~ends; rest;)
        e.next[fl_take_lowest_bit(&rest)] = 1;
    for (uint64_t rest = e.neighbours[target] & ~ends; rest;)
        e.other[fl_take_lowest_bit(&rest)] = 1;
    if (linked && !fl_exposure_sums_add(&r->arrived, 1, r->links - 1, met, 1))
        return NO_MEMORY;
    return add_state(r, &e, all_of(&e) & ~ends, numbers, r->links - linked);
}

/* One source of each class of switches that are alike, for all of its nodes. */
static outcome add_pairs(run *r)
{
    const fl_network_type *type = r->network->type;
    uint64_t sources[FL_EXPOSED_SWITCHES_MAX] = {0};
    for (unsigned v = 0; v < r->switches; v++)
        sources[type->representative ? type->representative(r->network, v) : v] += r->nodes[v];
    r->report.pairs = 0;
    for (unsigned v = 0; v < r->switches; v++) {
        long double same = (long double)sources[v] * ((long double)r->nodes[v] - 1);
        if (sources[v] && !fl_exposure_sums_add(&r->arrived, 0, r->links, &same, 1))
            return NO_MEMORY;
        r->report.pairs += sources[v] > 0;
        for (unsigned target = 0; target < r->switches && sources[v]; target++) {
            if (target == v || !r->nodes[target])
                continue;
            r->report.pairs++;
            outcome end = add_pair(r, v, target, (long double)sources[v] * r->nodes[target]);
            if (end != DONE)
                return end;
        }
    }
    return DONE;
}

/* The paths of at most so many links between switches. */
static outcome run_pass(run *r, uint32_t distance_max)
{
    r->distance_max = distance_max;
    r->left_out = false;
    r->radii = 0;
    outcome end = add_pairs(r);
    while (end == DONE && r->layer.count > 0) {
        r->radii++;
        r->now = r->layer;
        r->layer = (fl_exposure_table){.links = r->links};
        while (end == DONE && r->now.count > 0)
            end = step(r);
    }
    return end;
}

/* ---- the network ---- */

static fl_status refuse(const fl_network *network, const char *why, fl_error *error)
{
    return fl_fail(error, FL_ERR_INVALID, "path lengths without sampling: %s %s", network->spec,
                   why);
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
                if (graph->offsets[v + 1] - graph->offsets[v] != 1 || to < graph->nodes ||
                    r->nodes[to - graph->nodes] == UINT16_MAX)
                    return refuse(r->network, "has nodes that are not on a switch each", error);
                r->nodes[to - graph->nodes]++;
            } else if (to >= graph->nodes) {
                uint64_t bit = UINT64_C(1) << (to - graph->nodes),
                         *neighbours = &r->all.neighbours[v - graph->nodes];
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

/* Pairs of nodes on different switches need both of their links, too; the other nodes' links are
 * free. */
static void read_shares(const run *r, const fl_exposure_sums *from, long double *out)
{
    uint64_t links = r->network->links;
    long double pairs = (long double)r->network->nodes * (long double)(r->network->nodes - 1),
                *curve = r->found.curve;
    for (uint32_t distance = 0; distance < from->distances; distance++) {
        fl_exposure_sums_read(from, distance, (uint32_t)r->network->nodes - 2, curve);
        for (uint64_t f = 0; f <= links; f++) {
            long double fraction = f + 2 <= links ? curve[f] / (pairs * r->found.all[f]) : 0;
            long double *known = &out[distance * (links + 1) + f];
            *known = fraction > *known ? fraction : *known;
        }
    }
}

/* Lengths, node links included, of `rest` of the pairs that were left out: those of the shortest or
 * of the longest paths first. */
static long double lengths_of_rest(const run *r, const long double *left_out, uint64_t f,
                                   long double rest, bool longest)
{
    long double lengths = 0;
    uint32_t distances = r->arrived.distances;
    for (uint32_t i = 0; i < distances && rest > 0; i++) {
        uint32_t distance = longest ? distances - 1 - i : i;
        long double fraction = left_out[distance * (r->network->links + 1) + f];
        fraction = fraction < rest ? fraction : rest;
        lengths += ((distance > r->complete ? distance : r->complete + 1) + 2) * fraction;
        rest -= fraction;
    }
    return lengths;
}

static void read_point(const run *r, uint64_t f, fl_path_lengths *out)
{
    const fractions *s = &r->found;
    long double found = 0, lengths = 0, open = 0;
    for (uint32_t distance = 0; distance < r->arrived.distances; distance++) {
        size_t at = distance * (r->network->links + 1) + f;
        found += s->found[at];
        lengths += (distance + 2) * s->found[at];
        open += s->at_least[at];
    }
    long double rest = open > 0 ? r->connected[f] - found : 0;
    rest = rest < 0 ? 0 : rest < open ? rest : open;
    long double low = lengths + lengths_of_rest(r, s->at_least, f, rest, false);
    long double high = lengths + lengths_of_rest(r, s->at_most, f, rest, true);
    out->connected[f] = found;
    out->low[f] = found + rest > 0 ? low / (found + rest) : 0;
    out->high[f] = found + rest > 0 ? high / (found + rest) : 0;
}

static bool shares_create(run *r)
{
    size_t row = r->network->links + 1, table = r->arrived.distances * row;
    long double *memory = calloc(3 * table + 2 * row, sizeof *memory);
    r->found = (fractions){memory, memory + table, memory + 2 * table, memory + 3 * table,
                           memory + 3 * table + row};
    if (!memory)
        return false;
    r->found.all[0] = 1;
    for (size_t size = 1; size < row; size++) /* C(size, f) from C(size - 1, f) */
        for (size_t i = size; i > 0; i--)
            r->found.all[i] += r->found.all[i - 1];
    return true;
}

/* First without a limit. If states were left out then, passes with a limit follow, in which there
 * are fewer, as long as there is time and none is left out of them; and some more, which find at
 * least some of what the others left out. */
static outcome run_passes(run *r)
{
    outcome end = run_pass(r, r->switches);
    if (end != DONE)
        return end;
    r->exact = !r->left_out;
    read_shares(r, &r->arrived, r->found.found);
    read_shares(r, &r->at_least, r->found.at_least);
    read_shares(r, &r->at_most, r->found.at_most);
    unsigned incomplete = r->exact ? INCOMPLETE_PASSES : 0;
    for (uint32_t distance = 1;
         incomplete < INCOMPLETE_PASSES && !r->stopped && distance < r->switches; distance++) {
        fl_exposure_sums_clear(&r->arrived);
        end = run_pass(r, distance);
        if (end != DONE)
            return end;
        read_shares(r, &r->arrived, r->found.found);
        if (!r->left_out)
            r->complete = distance;
        incomplete += r->left_out;
    }
    return DONE;
}

/* A term is rounded at most once for each time that states met or a sum was added to, and a few
 * times for each link. */
static double relative_error(const run *r)
{
    double error =
        ((double)r->additions + 16.0 * (double)r->network->links) * (double)(LDBL_EPSILON / 2);
    return 2 * error / (1 - 2 * error) * (1 + 8 * DBL_EPSILON); /* of a quotient of two */
}

static bool prepare(run *r)
{
    r->now.links = r->next.links = r->layer.links = r->links;
    r->row_size = (size_t)r->links + 2;
    r->scratch = calloc((r->switches + 5) * r->row_size, sizeof *r->scratch);
    r->some = r->scratch + r->row_size;
    r->met = r->some + r->row_size;
    r->rows = r->met + r->row_size;
    return r->scratch && fl_exposure_sums_create(&r->arrived, r->links, r->switches) &&
           fl_exposure_sums_create(&r->at_least, r->links, r->switches) &&
           fl_exposure_sums_create(&r->at_most, r->links, r->switches) && shares_create(r) &&
           (!r->connected ||
            fl_exposure_worth_create(&r->worth, r->network->links, r->links, r->connected));
}

static void forget(run *r)
{
    fl_exposure_table_destroy(&r->now);
    fl_exposure_table_destroy(&r->next);
    fl_exposure_table_destroy(&r->layer);
    fl_exposure_sums_destroy(&r->arrived);
    fl_exposure_sums_destroy(&r->at_least);
    fl_exposure_sums_destroy(&r->at_most);
    free(r->found.found);
    fl_exposure_worth_destroy(&r->worth);
    free(r->scratch);
}

static fl_status explain(const run *r, outcome end, fl_error *error)
{
    if (end == STOPPED)
        return fl_fail(error, FL_ERR_STOPPED, "path lengths without sampling: stopped on request");
    if (end == NO_MEMORY)
        return fl_fail(error, FL_ERR_MEMORY,
                       "path lengths without sampling: out of memory with %zu states",
                       r->report.most_states);
    return fl_fail(
        error, FL_ERR_STOPPED,
        "path lengths without sampling: more than %zu states at a time, with %u links on the way; raise the limit or take a "
        "smaller network",
        r->states_max, r->radii);
}

fl_status fl_path_lengths_all_pairs(fl_path_lengths *out, fl_path_lengths_report *report,
                                    const fl_network *network,
                                    const fl_path_lengths_options *options, fl_error *error)
{
    static const fl_path_lengths_options none = {0};
    run r = {.network = network, .options = options ? options : &none};
    r.connected = r.options->connected;
    r.states_max = r.options->states_max && r.options->states_max < UINT32_MAX
                       ? r.options->states_max
                       : FL_PATH_LENGTHS_STATES;
    fl_graph *graph;
    fl_status status = fl_graph_create(&graph, network, error);
    if (status)
        return status;
    status = read_network(&r, graph, error);
    fl_graph_destroy(graph);
    if (status)
        return status;
    outcome end = prepare(&r) ? run_passes(&r) : NO_MEMORY;
    for (uint64_t f = 0; end == DONE && f <= network->links; f++)
        read_point(&r, f, out);
    r.report.relative_error = relative_error(&r);
    r.report.exact = r.exact;
    if (report)
        *report = r.report;
    forget(&r);
    return end == DONE ? FL_OK : explain(&r, end, error);
}
