#include "analysis/deadlock/growing.h"
#include "analysis/exact/explorer.h"
#include "routing/routing.h"

#include <stdlib.h>
#include <string.h>

/* Exploring is a walk over a decision diagram that is built on the way.
 *
 * A *situation* is all that the router's next question depends on: where the packet is, its
 * header, and the answers given so far in the decision under way. The router itself is run once
 * a situation; what it does there (ask about a link, start a search, send the packet on, give
 * up) is kept. A *place* is a situation and, inside a search, how far it has come.
 *
 * What can still happen at a place depends on what is already known about the parts that will
 * still be asked about, and on nothing else. So a place remembers its results in a trie: each
 * node tests what is known about one part (up, down, nothing), in the order in which the
 * exploration that first came by asked. Two histories that agree on these parts share the
 * result. This is a reduced decision diagram whose order of variables is the router's own. */

enum { UP = 0, DOWN = 1, UNKNOWN = 2, NONE = -1 };
#define DELIVERED UINT32_MAX /* in place of a situation */

typedef enum action { ACTION_NEW, ACTION_BLOCKED, ACTION_GO, ACTION_ASK, ACTION_SEARCH } action;

typedef struct situation {
    fl_address here;
    uint64_t header_state;
    uint32_t parent; /* situation before the last answer, or itself at a fresh vertex */
    uint8_t answer;  /* the last answer: UP, DOWN (for a search: not found) */
    uint8_t channel;
    uint16_t questions;        /* answers given so far in this decision */
    uint32_t next;             /* ACTION_GO: situation that follows, or DELIVERED */
    uint32_t candidate_length; /* ACTION_GO */
    fl_link link;              /* ACTION_ASK */
    uint32_t port_ranges;      /* ACTION_SEARCH: index into port_ranges */
    uint8_t port_range_count;
    uint8_t action;
} situation;

/* Where an exploration stands. Outside searches `turn` and `at` are 0. */
typedef struct place {
    uint32_t situation;
    uint8_t turn;
    uint16_t at[FL_DETOUR_MAX];
    fl_address probe[FL_DETOUR_MAX + 1];
} place;

typedef struct poly {
    uint32_t asked; /* parts that matter */
    size_t numbers; /* delivered[asked + 1], lengths[asked + 1], open[asked + 1] */
} poly;

typedef struct result {
    uint32_t poly;
    uint32_t added; /* links travelled before it */
} result;

typedef struct trie_node {
    int32_t component; /* NONE: leaf */
    int32_t child[3];  /* of a leaf: poly, added, whether nothing was left out */
    double weight;     /* of a leaf: of the path on which it was computed */
} trie_node;

typedef struct log_entry {
    uint32_t component;
    uint8_t known;
} log_entry;

/* Open-addressing map from 128-bit keys to 32-bit values. */
typedef struct map {
    uint64_t *keys; /* pairs */
    uint32_t *values;
    uint32_t count, bits;
} map;

struct fl_explorer {
    const fl_router *router;
    const fl_fault_model *model;
    fl_explorer_limits limits;
    fl_order *order;
    fl_searcher searcher;
    fl_address source, destination;

    FL_GROWING(situation) situations;
    FL_GROWING(fl_port_range) port_ranges;
    FL_GROWING(poly) polys;
    FL_GROWING(long double) numbers;
    FL_GROWING(trie_node) tries;
    FL_GROWING(log_entry) log;
    map situation_of;            /* (parent, answer) or vertex -> situation */
    map trie_of;                 /* place -> trie */
    map component_of;            /* part number of the fault model -> local part */
    FL_GROWING(uint8_t) known;   /* by local part */
    FL_GROWING(uint32_t) stamps; /* by local part: when it was last seen while a log was merged */
    uint32_t stamp;
    double *weights;     /* [ups * stride + downs] largest probability of such answers */
    uint32_t ups, downs; /* answers on the current path */
    uint32_t steps;      /* of the packet on the current path */

    /* of the run of the router that is under way */
    uint8_t script[FL_QUESTIONS_MAX];
    uint32_t script_length, asked;
    bool pending, found;
    fl_port found_ports[FL_DETOUR_MAX];
    fl_address found_end;
    situation *running;

    uint64_t branchings;
    bool rounded;
    fl_status status;
    fl_error error;
};

enum { POLY_ZERO, POLY_ONE, POLY_OPEN, WEIGHT_STRIDE = 512 };

static void fail(fl_explorer *x, fl_status status, const char *text)
{
    if (!x->status)
        x->status = fl_fail(&x->error, status, "%s", text);
}

/* The router has violated the contract at `here`. */
static void fail_router(fl_explorer *x, fl_address here, fl_violation violation)
{
    if (!x->status)
        x->status = fl_step_fail(x->router, here, violation, &x->error);
}

static bool out_of_memory(fl_explorer *x)
{
    fail(x, FL_ERR_MEMORY, "out of memory while exploring");
    return false;
}

#define EXTEND(x, list, more) (FL_EXTEND(list, more) || out_of_memory(x))

/* ---- maps ---- */

static uint32_t map_slot(const map *m, uint64_t a, uint64_t b)
{
    uint32_t mask = (UINT32_C(1) << m->bits) - 1;
    uint32_t slot =
        (uint32_t)(fl_mix64(a * UINT64_C(0x9e3779b97f4a7c15) ^ fl_mix64(b)) >> 20) & mask;
    while (m->values[slot] != UINT32_MAX &&
           (m->keys[2 * (size_t)slot] != a || m->keys[2 * (size_t)slot + 1] != b))
        slot = (slot + 1) & mask;
    return slot;
}

static bool map_create(map *m, unsigned bits)
{
    size_t slots = (size_t)1 << bits;
    *m = (map){.bits = bits,
               .keys = malloc(2 * slots * sizeof *m->keys),
               .values = malloc(slots * sizeof *m->values)};
    if (m->values)
        memset(m->values, 0xff, slots * sizeof *m->values);
    return m->keys && m->values;
}

static void map_destroy(map *m)
{
    free(m->keys);
    free(m->values);
    *m = (map){0};
}

static void map_clear(map *m)
{
    memset(m->values, 0xff, ((size_t)1 << m->bits) * sizeof *m->values);
    m->count = 0;
}

static bool map_grow(map *m)
{
    map larger;
    if (m->bits >= 30 || !map_create(&larger, m->bits + 2))
        return false;
    for (size_t slot = 0; slot < (size_t)1 << m->bits; slot++)
        if (m->values[slot] != UINT32_MAX) {
            uint32_t to = map_slot(&larger, m->keys[2 * slot], m->keys[2 * slot + 1]);
            larger.keys[2 * (size_t)to] = m->keys[2 * slot];
            larger.keys[2 * (size_t)to + 1] = m->keys[2 * slot + 1];
            larger.values[to] = m->values[slot];
        }
    larger.count = m->count;
    map_destroy(m);
    *m = larger;
    return true;
}

/* The value of the key; a new key gets `fresh`. */
static uint32_t map_intern(fl_explorer *x, map *m, uint64_t a, uint64_t b, uint32_t fresh,
                           bool *is_new)
{
    *is_new = false;
    if (2 * (m->count + 1) > UINT32_C(1) << m->bits && !map_grow(m)) {
        fail(x, FL_ERR_MEMORY, "out of memory while exploring");
        return 0;
    }
    uint32_t slot = map_slot(m, a, b);
    if (m->values[slot] == UINT32_MAX) {
        m->keys[2 * (size_t)slot] = a;
        m->keys[2 * (size_t)slot + 1] = b;
        m->values[slot] = fresh;
        m->count++;
        *is_new = true;
    }
    return m->values[slot];
}

/* ---- polynomials ---- */

static long double *delivered_of(fl_explorer *x, uint32_t p)
{
    return x->numbers.data + x->polys.data[p].numbers;
}
static long double *lengths_of(fl_explorer *x, uint32_t p)
{
    return delivered_of(x, p) + x->polys.data[p].asked + 1;
}
static long double *open_of(fl_explorer *x, uint32_t p)
{
    return lengths_of(x, p) + x->polys.data[p].asked + 1;
}

static uint32_t new_poly(fl_explorer *x, uint32_t asked)
{
    size_t numbers = x->numbers.count, poly_index = x->polys.count;
    if (!EXTEND(x, x->numbers, 3 * ((size_t)asked + 1)) || !EXTEND(x, x->polys, 1))
        return POLY_ZERO;
    memset(x->numbers.data + numbers, 0, 3 * ((size_t)asked + 1) * sizeof(long double));
    x->polys.data[poly_index] = (poly){asked, numbers};
    return (uint32_t)poly_index;
}

static void make_constants(fl_explorer *x)
{
    x->polys.count = 0;
    x->numbers.count = 0;
    for (int i = 0; i < 3; i++)
        new_poly(x, 0);
    if (x->status)
        return;
    delivered_of(x, POLY_ONE)[0] = 1;
    open_of(x, POLY_OPEN)[0] = 1;
}

/* Adds (1 + z)^spread z^shift times the `count` numbers of `from`. */
static void add_spread(fl_explorer *x, long double *to, const long double *from, uint32_t count,
                       uint32_t spread, uint32_t shift)
{
    long double row[WEIGHT_STRIDE];
    memcpy(row, from, count * sizeof *row);
    for (uint32_t s = 0; s < spread; s++, count++) {
        row[count] = 0;
        for (uint32_t i = count; i > 0; i--)
            row[i] += row[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        to[i + shift] += row[i];
        x->rounded |= to[i + shift] >= 0x1p64L;
    }
}

static void add_branch(fl_explorer *x, uint32_t to, result from, uint32_t shift)
{
    uint32_t asked = x->polys.data[from.poly].asked, count = asked + 1;
    uint32_t spread = x->polys.data[to].asked - 1 - asked;
    long double lengths[WEIGHT_STRIDE];
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = lengths_of(x, from.poly)[i] + from.added * delivered_of(x, from.poly)[i];
    add_spread(x, delivered_of(x, to), delivered_of(x, from.poly), count, spread, shift);
    add_spread(x, lengths_of(x, to), lengths, count, spread, shift);
    add_spread(x, open_of(x, to), open_of(x, from.poly), count, spread, shift);
}

/* What comes of asking one more part: `up` if it is up, else `down`. */
static result join(fl_explorer *x, result up, result down)
{
    if (up.poly == down.poly &&
        (up.added == down.added || up.poly == POLY_ZERO || up.poly == POLY_OPEN))
        return up;
    uint32_t asked = x->polys.data[up.poly].asked, other = x->polys.data[down.poly].asked;
    asked = 1 + (asked > other ? asked : other);
    if (asked + 1 >= WEIGHT_STRIDE) {
        fail(x, FL_ERR_STOPPED,
             "more than 500 parts of the network bear on one pair: too many to explore");
        return (result){POLY_OPEN, 0};
    }
    uint32_t joined = new_poly(x, asked);
    if (!x->status) {
        add_branch(x, joined, up, 0);
        add_branch(x, joined, down, 1);
    }
    return (result){joined, 0};
}

/* ---- situations ---- */

static uint32_t intern_situation(fl_explorer *x, uint64_t a, uint64_t b, const situation *fresh)
{
    bool is_new;
    uint32_t index = map_intern(x, &x->situation_of, a, b, (uint32_t)x->situations.count, &is_new);
    if (is_new && EXTEND(x, x->situations, 1))
        x->situations.data[index] = *fresh;
    return x->status ? 0 : index;
}

/* A packet at a vertex, before any question. Headers are words of the router's own making, so
 * that vertex, header word and channel make the key. */
static uint32_t situation_at(fl_explorer *x, fl_address here, uint64_t header_state,
                             uint8_t channel)
{
    situation fresh = {
        .here = here, .header_state = header_state, .channel = channel, .parent = UINT32_MAX};
    return intern_situation(x, here, fl_mix64(header_state + 1) ^ (uint64_t)channel << 56 ^ 1,
                            &fresh);
}

static uint32_t situation_after(fl_explorer *x, uint32_t index, uint8_t answer)
{
    situation fresh = x->situations.data[index];
    if (fresh.questions == FL_QUESTIONS_MAX) {
        fail_router(x, fresh.here, FL_ASKS_TOO_MUCH);
        return 0;
    }
    fresh.parent = index;
    fresh.answer = answer;
    fresh.questions++;
    fresh.action = ACTION_NEW;
    return intern_situation(x, (uint64_t)index << 2 | answer, 0, &fresh);
}

/* ---- running the router ---- */

/* The i-th question of the decision under way: answered from the script; the first question
 * beyond it is what we came for, and everything after it gets any answer at all. */
static bool scripted(fl_explorer *x, bool *answer)
{
    if (x->pending)
        return false;
    if (x->asked == x->script_length)
        return false;
    *answer = x->script[x->asked++] == UP;
    return true;
}

static uint32_t answer_link(fl_order *order, fl_link link)
{
    fl_explorer *x = order->user;
    bool up;
    if (scripted(x, &up))
        return up ? FL_NEVER_FAILS : 0;
    if (!x->pending) {
        x->pending = true;
        x->running->action = ACTION_ASK;
        x->running->link = link;
    }
    return 0;
}

static bool answer_search(fl_searcher *searcher, const fl_port_range *port_ranges, unsigned count,
                          fl_port *ports, fl_address *end)
{
    fl_explorer *x = (fl_explorer *)((char *)searcher - offsetof(fl_explorer, searcher));
    bool ignored;
    if (scripted(x, &ignored) || x->pending)
        return false; /* a search in the script found nothing: one that finds something ends the
                         decision */
    if (x->found) {
        memcpy(ports, x->found_ports, count * sizeof *ports);
        *end = x->found_end;
        x->found = false;
        return true;
    }
    x->pending = true;
    x->running->action = ACTION_SEARCH;
    x->running->port_ranges = (uint32_t)x->port_ranges.count;
    x->running->port_range_count = (uint8_t)count;
    if (EXTEND(x, x->port_ranges, count))
        memcpy(x->port_ranges.data + x->running->port_ranges, port_ranges,
               count * sizeof *port_ranges);
    return false;
}

static void load_script(fl_explorer *x, uint32_t index)
{
    x->script_length = x->situations.data[index].questions;
    for (uint32_t i = x->script_length; i-- > 0; index = x->situations.data[index].parent)
        x->script[i] = x->situations.data[index].answer;
    x->asked = 0;
    x->pending = false;
}

/* Where a packet is after a decision of the router. */
typedef struct move {
    fl_packet packet;
    fl_address here;
    uint32_t length; /* links travelled */
} move;

/* Runs the router at a situation; false if it offers nothing. */
static bool run_router(fl_explorer *x, situation *at, move *out)
{
    fl_candidate candidate;
    fl_decision decision = {.wanted = 1, .candidates = &candidate};
    fl_view view = {
        .network = x->router->network,
        .order = x->order,
        .here = at->here,
        .holds_until = FL_NEVER_FAILS,
        .enabled_rules = x->router->enabled_rules,
        .scope = x->router->scope,
        .searcher = x->limits.unmerged ? NULL : &x->searcher,
    };
    out->packet = (fl_packet){.source = x->source,
                              .destination = x->destination,
                              .header_state = at->header_state,
                              .channel = at->channel};
    fl_order_forget(x->order);
    x->running = at;
    if (!fl_step_ask_whole(x->router, &out->packet, &view, &decision)) {
        if (view.violation && !x->status)
            x->status = fl_step_fail_view(x->router, &view, &x->error);
        return false;
    }
    fl_violation violation = fl_step_take_whole(&out->packet, &view.here, &candidate);
    if (violation && !x->pending)
        fail_router(x, at->here, violation);
    out->here = view.here;
    out->length = candidate.length;
    return true;
}

/* The situation of a packet after a decision, DELIVERED at its destination. */
static uint32_t situation_of(fl_explorer *x, const move *after)
{
    return after->here == x->destination
               ? DELIVERED
               : situation_at(x, after->here, after->packet.header_state, after->packet.channel);
}

/* Finds out what the router does at a situation, unless that is known. */
static void learn(fl_explorer *x, uint32_t index)
{
    if (x->situations.data[index].action != ACTION_NEW)
        return;
    move after;
    load_script(x, index);
    x->found = false;
    situation copy = x->situations.data[index];
    bool offers = run_router(x, &copy, &after);
    if (!x->pending && !x->status) {
        copy.action = offers ? ACTION_GO : ACTION_BLOCKED;
        copy.next = offers ? situation_of(x, &after) : 0;
        copy.candidate_length = offers ? after.length : 0;
    }
    x->situations.data[index] = copy;
}

/* The situation after a search has found a detour, and the links travelled. */
static uint32_t after_found(fl_explorer *x, const place *at, uint32_t *travelled)
{
    situation copy = x->situations.data[at->situation];
    move after;
    load_script(x, at->situation);
    x->found = true;
    x->found_end = at->probe[copy.port_range_count];
    for (unsigned turn = 0; turn < copy.port_range_count; turn++)
        x->found_ports[turn] =
            fl_port_range_at(&x->port_ranges.data[copy.port_ranges + turn], at->at[turn]);
    if (!run_router(x, &copy, &after))
        fail_router(x, copy.here, FL_OFFERS_OTHER_DETOUR);
    if (x->status)
        return 0;
    *travelled = after.length;
    return situation_of(x, &after);
}

/* ---- what is known ---- */

static uint32_t local_component(fl_explorer *x, uint64_t component)
{
    bool is_new;
    uint32_t index =
        map_intern(x, &x->component_of, component, 0, (uint32_t)x->known.count, &is_new);
    if (is_new && EXTEND(x, x->known, 1) && EXTEND(x, x->stamps, 1)) {
        x->known.data[index] = UNKNOWN;
        x->stamps.data[index] = 0;
    }
    return x->status ? 0 : index;
}

static void note(fl_explorer *x, uint32_t component, uint8_t known)
{
    if (EXTEND(x, x->log, 1))
        x->log.data[x->log.count - 1] = (log_entry){component, known};
}

/* UP or DOWN as far as is known, else UNKNOWN and the part to be decided first. */
static uint8_t look_up(fl_explorer *x, fl_link link, uint32_t *undecided)
{
    uint64_t components[FL_LINK_COMPONENTS_MAX];
    unsigned count = fl_fault_model_components_of(x->model, link, components);
    for (unsigned i = 0; i < count && !x->status; i++) {
        uint32_t component = local_component(x, components[i]);
        uint8_t known = x->known.data[component];
        if (known == UNKNOWN) {
            *undecided = component;
            return UNKNOWN;
        }
        note(x, component, known);
        if (known == DOWN)
            return DOWN;
    }
    return UP;
}

/* ---- exploring ---- */

static result explore(fl_explorer *x, place at);

/* Puts a search on its next choice after a link was found up or down. Returns whether the
 * search goes on; if not, *found says how it ended. */
static bool advance_search(fl_explorer *x, place *at, bool up, fl_address far_end, bool *found)
{
    const situation *s = &x->situations.data[at->situation];
    if (up) {
        at->probe[at->turn + 1] = far_end;
        if (at->turn + 1u == s->port_range_count) {
            *found = true;
            return false;
        }
        at->turn++;
        at->at[at->turn] = 0;
        return true;
    }
    for (;;) {
        if (++at->at[at->turn] < x->port_ranges.data[s->port_ranges + at->turn].count)
            return true;
        if (at->turn == 0) {
            *found = false;
            return false;
        }
        at->at[at->turn] = 0;
        at->turn--;
    }
}

/* The link that a place asks about, and what lies beyond it. */
static bool link_at(fl_explorer *x, const place *at, fl_hop *hop)
{
    const situation *s = &x->situations.data[at->situation];
    if (s->action == ACTION_ASK) {
        hop->link = s->link;
        return true;
    }
    fl_port port =
        fl_port_range_at(&x->port_ranges.data[s->port_ranges + at->turn], at->at[at->turn]);
    return fl_network_step(x->router->network, at->probe[at->turn], port, hop);
}

static place place_of(const fl_explorer *x, uint32_t index)
{
    place at = {.situation = index};
    at.probe[0] = x->situations.data[index].here;
    return at;
}

/* Moves the packet on to the situation `next`, `length` links further. False when it is delivered.
 */
static bool go(fl_explorer *x, place *at, uint32_t next, uint32_t length, uint32_t *travelled)
{
    *travelled += length;
    if (next == DELIVERED)
        return false;
    if (++x->steps == FL_STEPS_MAX)
        fail_router(x, x->situations.data[next].here, FL_NEVER_ENDS);
    *at = place_of(x, next);
    return true;
}

/* The place after the answer to its question; *travelled grows when the packet moves on. False
 * when the packet is delivered. */
static bool step_on(fl_explorer *x, place *at, bool up, fl_address far_end, uint32_t *travelled)
{
    uint32_t index = at->situation;
    bool found = false;
    if (x->situations.data[index].action == ACTION_SEARCH &&
        advance_search(x, at, up, far_end, &found))
        return true;
    if (found) {
        uint32_t length = 0, next = after_found(x, at, &length);
        return go(x, at, next, length, travelled);
    }
    *at = place_of(x, situation_after(x, index, up ? UP : DOWN));
    return true;
}

static double path_weight(const fl_explorer *x)
{
    return x->weights ? x->weights[(size_t)x->ups * WEIGHT_STRIDE + x->downs] : 1;
}

/* A trie key is the situation and the point reached in its search, mixed radix. */
static uint64_t search_point(const fl_explorer *x, const place *at)
{
    const situation *s = &x->situations.data[at->situation];
    uint64_t point = at->turn;
    for (unsigned turn = 0; s->action == ACTION_SEARCH && turn <= at->turn; turn++)
        point = point * (x->port_ranges.data[s->port_ranges + turn].count + 1) + at->at[turn] + 1;
    return point << 4 | at->turn;
}

static int32_t new_trie_node(fl_explorer *x, int32_t component)
{
    if (!EXTEND(x, x->tries, 1))
        return 0;
    x->tries.data[x->tries.count - 1] = (trie_node){component, {NONE, NONE, NONE}, 0};
    return (int32_t)x->tries.count - 1;
}

/* Follows what is known from a trie's root. True: a leaf with a result that serves. What was
 * tested goes into the log. */
static bool recall(fl_explorer *x, int32_t node, result *out)
{
    size_t start = x->log.count;
    while (node != NONE && !x->status) {
        const trie_node *n = &x->tries.data[node];
        if (n->component == NONE) {
            if (!n->child[2] && path_weight(x) > n->weight)
                break;
            *out = (result){(uint32_t)n->child[0], (uint32_t)n->child[1]};
            return true;
        }
        uint8_t known = x->known.data[n->component];
        node = n->child[known];
        note(x, (uint32_t)n->component, known);
    }
    x->log.count = start;
    return false;
}

static bool left_something_out(fl_explorer *x, uint32_t p)
{
    const long double *open = open_of(x, p);
    for (uint32_t i = 0; i <= x->polys.data[p].asked; i++)
        if (open[i] > 0)
            return true;
    return false;
}

/* Keeps a result under the log entries start.. of the exploration that made it. */
static void remember(fl_explorer *x, int32_t node, size_t start, result r)
{
    for (size_t i = start; i < x->log.count && !x->status; i++) {
        log_entry entry = x->log.data[i];
        trie_node *n = &x->tries.data[node];
        if (n->component == NONE)
            *n = (trie_node){(int32_t)entry.component, {NONE, NONE, NONE}, 0};
        else if (n->component != (int32_t)entry.component)
            return; /* with pruning the order of questions can differ: not worth keeping */
        int32_t child = n->child[entry.known];
        if (child == NONE) {
            child = new_trie_node(x, NONE);
            x->tries.data[node].child[entry.known] = child;
        }
        node = child;
    }
    trie_node *leaf = &x->tries.data[node];
    if (leaf->component != NONE)
        return; /* a pruned exploration that asked less than one before it */
    leaf->child[0] = (int32_t)r.poly;
    leaf->child[1] = (int32_t)r.added;
    leaf->child[2] = x->limits.prune <= 0 || !left_something_out(x, r.poly);
    leaf->weight = path_weight(x);
}

/* Merges the logs of both answers: each part once, and not the one that was branched on. */
static void merge_log(fl_explorer *x, size_t start, uint32_t branched)
{
    size_t kept = start;
    x->stamp++;
    x->stamps.data[branched] = x->stamp;
    for (size_t i = start; i < x->log.count; i++) {
        log_entry entry = x->log.data[i];
        if (x->stamps.data[entry.component] == x->stamp)
            continue;
        x->stamps.data[entry.component] = x->stamp;
        x->log.data[kept++] = entry;
    }
    x->log.count = kept;
}

/* Both answers about a part of which nothing is known. */
static result branch(fl_explorer *x, const place *at, uint32_t component)
{
    if (x->limits.prune > 0 && path_weight(x) < x->limits.prune) {
        note(x, component, UNKNOWN);
        return (result){POLY_OPEN, 0};
    }
    bool is_new = false;
    int32_t trie = NONE;
    size_t start = x->log.count;
    if (!x->limits.unmerged) {
        uint32_t fresh = (uint32_t)x->tries.count;
        trie = (int32_t)map_intern(x, &x->trie_of, at->situation,
                                   search_point(x, at) << 20 ^ component, fresh, &is_new);
        if (is_new)
            new_trie_node(x, NONE);
        result known;
        if (!is_new && recall(x, trie, &known))
            return known;
    }
    x->branchings++;
    if (x->ups + x->downs + 2 >= WEIGHT_STRIDE)
        fail(x, FL_ERR_STOPPED,
             "more than 500 parts of the network bear on one pair: too many to explore");
    if (x->limits.states_max && x->branchings > x->limits.states_max)
        fail(x, FL_ERR_STOPPED, "the limit on states is reached");
    if (x->branchings % 1024 == 0 && x->limits.should_stop && x->limits.should_stop(x->limits.user))
        fail(x, FL_ERR_STOPPED, "stopped");
    note(x, component, UNKNOWN);
    x->known.data[component] = UP;
    x->ups++;
    result up = explore(x, *at);
    x->ups--;
    x->known.data[component] = DOWN;
    x->downs++;
    result down = explore(x, *at);
    x->downs--;
    x->known.data[component] = UNKNOWN;
    if (x->status)
        return (result){POLY_OPEN, 0};
    result joined = join(x, up, down);
    if (x->limits.unmerged) {
        x->log.count = start;
    } else {
        merge_log(x, start + 1, component);
        remember(x, trie, start, joined);
    }
    return joined;
}

/* Goes on from a place as far as nothing new has to be decided, and branches there. */
static result explore(fl_explorer *x, place at)
{
    uint32_t travelled = 0, steps = x->steps;
    result out = {POLY_ZERO, 0};
    while (!x->status) {
        learn(x, at.situation);
        const situation *s = &x->situations.data[at.situation];
        if (s->action == ACTION_BLOCKED || x->status)
            break;
        bool under_way;
        if (s->action == ACTION_GO) {
            under_way = go(x, &at, s->next, s->candidate_length, &travelled);
        } else {
            fl_hop hop = {0};
            uint32_t component = 0;
            uint8_t known = link_at(x, &at, &hop) ? look_up(x, hop.link, &component) : DOWN;
            if (known == UNKNOWN) {
                out = branch(x, &at, component);
                break;
            }
            under_way = step_on(x, &at, known == UP, hop.to, &travelled);
        }
        if (!under_way) {
            out.poly = POLY_ONE;
            break;
        }
    }
    x->steps = steps;
    out.added += travelled;
    return out;
}

/* ---- making ---- */

/* For every number of answers up and down the largest probability of just these answers. */
static bool make_weights(fl_explorer *x)
{
    if (x->limits.prune <= 0)
        return true;
    uint64_t components = fl_fault_model_components(x->model);
    uint32_t fault_points = fl_fault_model_fault_points(x->model);
    x->weights = calloc((size_t)WEIGHT_STRIDE * WEIGHT_STRIDE, sizeof *x->weights);
    for (uint32_t fault_point = 0; x->weights && fault_point < fault_points; fault_point++) {
        uint64_t count = 0;
        bool exact = fl_fault_model_count_at(x->model, fault_point, &count);
        double rate = fl_fault_model_rate_at(x->model, fault_point), column = 1;
        for (uint32_t downs = 0; downs < WEIGHT_STRIDE && column > 0; downs++) {
            double cell = column;
            for (uint32_t ups = 0; ups < WEIGHT_STRIDE && cell > 0; ups++) {
                double *weight = &x->weights[(size_t)ups * WEIGHT_STRIDE + downs];
                if (cell > *weight)
                    *weight = cell;
                double left = (double)components - ups - downs;
                cell *=
                    exact ? (left > 0 ? ((double)(components - count) - ups) / left : 0) : 1 - rate;
            }
            double left = (double)components - downs;
            column *= exact ? (left > 0 ? ((double)count - downs) / left : 0) : rate;
        }
    }
    return x->weights != NULL;
}

/* After a failure everything goes by index 0 until the run ends: no list is without an element. */
static bool make_lists(fl_explorer *x)
{
    bool good = EXTEND(x, x->situations, 1) && EXTEND(x, x->port_ranges, 1) &&
                EXTEND(x, x->polys, 1) && EXTEND(x, x->numbers, 3) && EXTEND(x, x->tries, 1) &&
                EXTEND(x, x->known, 1) && EXTEND(x, x->stamps, 1);
    if (good)
        x->situations.data[0] = (situation){0};
    x->situations.count = x->port_ranges.count = x->polys.count = x->numbers.count =
        x->tries.count = x->known.count = x->stamps.count = 0;
    return good;
}

fl_status fl_explorer_create(fl_explorer **out, const fl_router *router,
                             const fl_fault_model *model, const fl_explorer_limits *limits,
                             fl_error *error)
{
    fl_explorer *x = calloc(1, sizeof *x);
    if (!x)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for an explorer");
    x->router = router;
    x->model = model;
    x->limits = *limits;
    x->searcher.search = answer_search;
    fl_status status = fl_order_create_custom(&x->order, router->network, answer_link, x, error);
    if (!status && !(map_create(&x->situation_of, 8) && map_create(&x->trie_of, 8) &&
                     map_create(&x->component_of, 8) && make_weights(x) && make_lists(x)))
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for an explorer");
    if (status) {
        fl_explorer_destroy(x);
        return status;
    }
    *out = x;
    return FL_OK;
}

void fl_explorer_destroy(fl_explorer *x)
{
    if (!x)
        return;
    fl_order_destroy(x->order);
    free(x->situations.data);
    free(x->port_ranges.data);
    free(x->polys.data);
    free(x->numbers.data);
    free(x->tries.data);
    free(x->log.data);
    free(x->known.data);
    free(x->stamps.data);
    free(x->weights);
    map_destroy(&x->situation_of);
    map_destroy(&x->trie_of);
    map_destroy(&x->component_of);
    free(x);
}

/* Everything that was found out belongs to one destination. */
static void forget(fl_explorer *x, fl_address destination)
{
    x->destination = destination;
    x->situations.count = x->port_ranges.count = x->tries.count = x->known.count = x->stamps.count =
        0;
    map_clear(&x->situation_of);
    map_clear(&x->trie_of);
    map_clear(&x->component_of);
    make_constants(x);
}

fl_status fl_explorer_run(fl_explorer *x, fl_address source, fl_address destination,
                          fl_exploration *out, fl_error *error)
{
    x->status = FL_OK;
    if (destination != x->destination || x->polys.count == 0)
        forget(x, destination);
    x->source = source;
    x->log.count = 0;
    x->ups = x->downs = x->steps = 0;
    result r = explore(x, place_of(x, situation_at(x, source, 0, 0)));
    /* The result may share its numbers with others: give it some of its own, with all links added.
     */
    uint32_t own = x->status ? 0 : new_poly(x, x->polys.data[r.poly].asked);
    for (uint32_t i = 0; !x->status && i <= x->polys.data[own].asked; i++) {
        delivered_of(x, own)[i] = delivered_of(x, r.poly)[i];
        lengths_of(x, own)[i] = lengths_of(x, r.poly)[i] + r.added * delivered_of(x, r.poly)[i];
        open_of(x, own)[i] = open_of(x, r.poly)[i];
    }
    if (x->status) {
        forget(x, UINT64_MAX); /* a broken exploration leaves half-known parts behind */
        bool named = x->status == FL_ERR_ROUTER; /* by fl_router_broken */
        return fl_fail(error, x->status, "%s%s%s%s", named ? "" : "router '",
                       named ? "" : x->router->name, named ? "" : "': ", x->error.text);
    }
    *out = (fl_exploration){
        .asked = x->polys.data[own].asked,
        .delivered = delivered_of(x, own),
        .lengths = lengths_of(x, own),
        .open = x->limits.prune > 0 ? open_of(x, own) : NULL,
    };
    return FL_OK;
}

uint64_t fl_explorer_states(const fl_explorer *x)
{
    return x->branchings;
}

bool fl_explorer_is_complete(const fl_explorer *x)
{
    return !x->rounded;
}
