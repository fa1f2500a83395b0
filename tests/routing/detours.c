/* Detour rules on networks other than k-ary n-trees and MiKANT: the program's routers against a
 * slow router that is written from docs/algorithms.md and knows places by their labels only.
 * Outcome, length, reason and every vertex on the path are compared, in both scopes. Then
 * properties of every rule: bounds, proofs, exact values. */
#include "experiments/exact/private.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>

/* ---- places: the fields of a label ---- */

enum { DIGITS = 6, VALUES = 8, HOPS = 6, ALL_RULES = 6, PATH = 256 };
typedef enum kind { CLOS, THIN, CUBES, PODS, KNS, HYPERCUBE } kind;
enum {
    ADAPTIVE_UP = 1,
    GNS = 2,
    THREE_TURN = 4,
    X_TURNS = 8,
    GDL = 16,
    ECUBE = 32,
    GNS_ANY_LEVEL = 64
};

typedef struct place {
    bool node;
    int group, level, corner, number; /* number: of a node on its switch */
    int d[DIGITS]; /* digits of a switch; pods: d[0] third, d[1] second field; KNS routers: the grid
                    */
    int line, dimension, within; /* KNS: in a subnet, the switch's number there */
} place;

/* A cache from labels to addresses, and from two labels to their link: parsing labels took nearly
 * all of the time. */
typedef struct known {
    uint64_t a, b;  /* packed places, which are never 0; b is 0 for an address */
    uint64_t found; /* the address, or the link's index */
} known;
enum { KNOWN_BITS = 14 };

typedef struct world {
    kind kind;
    int k, n, up, stages, top;
    bool mirrored;
    fl_network *network;
    bool *down;   /* [link index] */
    known *known; /* [2^KNOWN_BITS], by a hash of the places; a newer entry replaces an
                     older one */
} world;

static int power(int base, int exponent)
{
    return exponent ? base * power(base, exponent - 1) : 1;
}

static void write_digits(const world *w, const place *p, int count, char *out)
{
    (void)w;
    for (int i = count; i-- > 0;)
        out += sprintf(out, "%d", p->d[i]);
}

static void write_corner(const world *w, int corner, char *out)
{
    for (int bit = w->k; bit-- > 0;)
        out += sprintf(out, "%d", corner >> bit & 1);
}

static void write_label(const world *w, const place *p, char *out)
{
    char digits[32] = "", corner[16] = "", group[8] = "";
    write_digits(w, p, w->n - 1, digits);
    bool grouped = w->kind == CLOS || w->mirrored;
    bool middle = w->kind == CLOS && !p->node && p->level == w->top;
    if (grouped)
        sprintf(group, "%d,", middle ? 0 : p->group);
    write_corner(w, p->corner, corner);
    switch (w->kind) {
    case CLOS:
    case THIN:
        if (p->node)
            sprintf(out, "<%s%d%s>", group, p->number, digits);
        else
            sprintf(out, "<%s%d,%s>", group, p->level, digits);
        break;
    case CUBES:
        if (p->node)
            sprintf(out, "<%s%s,%s,%d>", group, digits, corner, p->number);
        else
            sprintf(out, "<%s%d,%s,%s>", group, p->level, digits, corner);
        break;
    case HYPERCUBE:
        if (p->node)
            sprintf(out, "<%d,%s>", p->number, corner);
        else
            sprintf(out, "<%s>", corner);
        break;
    case PODS:
        if (p->node)
            sprintf(out, "<%d,%d>", p->d[1], p->d[0] * (w->k / 2) + p->number);
        else
            sprintf(out, "<%d,%d,%d>", p->level, p->d[1], p->d[0]);
        break;
    case KNS:
        write_digits(w, p, w->n, digits);
        if (p->node)
            sprintf(out, "<%d,%s>", p->number, digits);
        else if (p->level < 0)
            sprintf(out, "<%s>", digits);
        else
            sprintf(out, "<%d,%d,%d,%d>", p->dimension, p->line, p->level, p->within);
    }
}

/* All fields of a place, in 57 bits; 0 is none. */
static uint64_t pack(const place *p)
{
    const int fields[] = {p->node,   p->group, p->level + 1, p->corner,
                          p->number, p->line,  p->dimension, p->within};
    static const int bits[] = {1, 1, 3, 6, 4, 8, 3, 6};
    uint64_t packed = 1;
    bool fits = true;
    for (int i = 0; i < 8; i++) {
        fits = fits && fields[i] >= 0 && fields[i] < 1 << bits[i];
        packed = packed << bits[i] | (uint64_t)fields[i];
    }
    for (int i = 0; i < DIGITS; i++) {
        fits = fits && p->d[i] >= 0 && p->d[i] < 16;
        packed = packed << 4 | (uint64_t)p->d[i];
    }
    if (!fits)
        cr_assert(false, "a place that does not fit");
    return packed;
}

static size_t slot_of(uint64_t a, uint64_t b)
{
    return (size_t)((a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu) >> (64 - KNOWN_BITS));
}

static fl_address read_address(const world *w, const place *p)
{
    char label[FL_LABEL_MAX];
    fl_address address = 0;
    write_label(w, p, label);
    cr_assert(w->network->type->parse_label(w->network, label, &address), "%s: no place %s",
              w->network->spec, label);
    return address;
}

static fl_address address_of(const world *w, const place *p)
{
    uint64_t packed = pack(p);
    known *k = &w->known[slot_of(packed, 0)];
    if (k->a != packed || k->b != 0)
        *k = (known){packed, 0, read_address(w, p)};
    return k->found;
}

static uint64_t link_between(const world *w, const place *a, const place *b)
{
    char text[2 * FL_LABEL_MAX], other[FL_LABEL_MAX];
    fl_link link;
    fl_error error = {.text = ""};
    write_label(w, a, text);
    write_label(w, b, other);
    strcat(strcat(text, " "), other);
    cr_assert(fl_network_parse_link(w->network, text, &link, &error) == FL_OK, "%s: %s: %s",
              w->network->spec, text, error.text);
    return w->network->type->link_index(w->network, link);
}

/* Is the link between two neighbours up? They must be neighbours. */
static bool joined(const world *w, const place *a, const place *b)
{
    uint64_t from = pack(a), to = pack(b);
    known *k = &w->known[slot_of(from, to)];
    if (k->a != from || k->b != to)
        *k = (known){from, to, link_between(w, a, b)};
    return !w->down[k->found];
}

/* ---- moves: up (or across) and down, writing a digit; along a dimension of a cube ---- */

typedef enum heading { UP, DOWN, CUBE } heading;

static int small(const world *w, int number, int e)
{
    int arity = w->up;
    return number / power(arity, e) % arity;
}

/* `side`: the group below the middle of a Clos network that is meant. */
static place move(const world *w, const place *from, heading direction, int value, int side)
{
    place to = *from;
    int level = from->level;
    if (direction == CUBE) {
        to.corner ^= 1 << value;
    } else if (w->kind == PODS) {
        to.level += direction == UP ? 1 : -1;
        if ((direction == UP && level == 0) || (direction == DOWN && level == 1)) {
            to.d[0] = value; /* <1,pod,j>, <0,pod,e> */
        } else if (direction == UP) {
            to.d[1] = from->d[0]; /* <2,j,c> */
            to.d[0] = value;
        } else {
            to.d[0] = from->d[1]; /* <1,pod,j> */
            to.d[1] = value;
        }
    } else if (w->kind == KNS) {
        int digit = direction == UP ? level : level - 1;
        to.level += direction == UP ? 1 : -1;
        to.within += (value - small(w, from->within, digit)) * power(w->up, digit);
    } else if (direction == UP && w->mirrored && level == w->top) {
        to.group = 1 - from->group;
        to.d[level] = value;
    } else if (direction == UP) {
        to.level++;
        to.d[level] = value;
    } else {
        to.level--;
        to.d[level - 1] = value;
        to.group = w->kind == CLOS && level == w->top ? side : from->group;
    }
    return to;
}

/* The number of ports that a turn chooses from, the one that base routing takes towards t, and the
 * digit there now. */
static int port_ranges(const world *w, heading direction, int level)
{
    if (w->kind == PODS)
        return direction == DOWN && level == 2 ? w->k : w->k / 2;
    if (w->kind == KNS || (w->kind == THIN && direction == UP))
        return w->up;
    return w->k;
}

static int wanted(const world *w, heading direction, int level, const place *t, int dimension)
{
    if (w->kind == PODS) {
        if (direction == UP)
            return level == 0 ? t->number : t->d[0];
        return level == 1 ? t->d[0] : t->d[1];
    }
    if (w->kind == KNS)
        return small(w, t->d[dimension], level);
    if (direction == UP)
        return t->d[level] % (w->kind == THIN ? w->up : w->k);
    return t->d[level - 1];
}

/* The digit that a move down to this switch would have to write, and a move up to it. */
static int written_from_above(const world *w, const place *p)
{
    if (w->kind == PODS)
        return p->level == 0 ? p->d[0] : p->d[1];
    return w->kind == KNS ? small(w, p->within, p->level) : p->d[p->level];
}

static int written_from_below(const world *w, const place *p)
{
    if (w->kind == PODS)
        return p->d[0];
    return w->kind == KNS ? small(w, p->within, p->level - 1) : p->d[p->level - 1];
}

/* ---- rules: lists of turns, each with its values in order ---- */

typedef struct turn {
    heading direction;
    int count, values[VALUES];
} turn;

typedef struct rule {
    int count;
    turn turns[HOPS];
} rule;

static void add_turn(rule *r, heading direction, int first, int count, int ring)
{
    turn *t = &r->turns[r->count++];
    t->direction = direction;
    t->count = count;
    for (int i = 0; i < count; i++)
        t->values[i] = (first + i) % ring;
}

static void add_others(rule *r, heading direction, int without, int ring)
{
    add_turn(r, direction, without + 1, ring - 1, ring);
}

static int list_up_rules(const world *w, const place *at, const place *t, unsigned enabled,
                         rule *out)
{
    int count = 0, L = at->level, target = wanted(w, UP, L, t, at->dimension),
        ups = port_ranges(w, UP, L);
    bool cross = w->mirrored && L == w->top,
         forward = !w->mirrored || (cross && at->group != t->group);
    heading back = cross ? UP : DOWN;
    memset(out, 0, ALL_RULES * sizeof *out);
    if (enabled & ADAPTIVE_UP && (!cross || at->group == t->group))
        add_others(&out[count++], UP, target, ups);
    bool beside = enabled & GNS_ANY_LEVEL && (!w->mirrored || at->group != t->group);
    for (int twice = 0; twice < 2; twice++) {
        if (L == 0 || !(twice == 0 ? enabled & GNS && forward : beside))
            continue;
        rule *r = &out[count++];
        add_turn(r, DOWN, 0, port_ranges(w, DOWN, L), port_ranges(w, DOWN, L));
        add_others(r, UP, written_from_below(w, at), port_ranges(w, UP, L - 1));
        add_turn(r, UP, target, 1, ups);
    }
    if (beside && L == 0) {
        rule *r = &out[count++];
        add_turn(r, UP, 0, ups, ups);
        add_others(r, DOWN, written_from_above(w, at), port_ranges(w, DOWN, 1));
        add_turn(r, UP, target, 1, ups);
    }
    if (enabled & THREE_TURN && forward) {
        rule *r = &out[count++];
        add_others(r, UP, target, ups);
        add_others(r, back, written_from_above(w, at), cross ? ups : port_ranges(w, DOWN, L + 1));
        add_turn(r, UP, target, 1, ups);
    }
    if (enabled & X_TURNS && forward && L >= 1) {
        rule *r = &out[count++];
        add_others(r, UP, target, ups);
        add_turn(r, DOWN, 0, w->k, w->k);
        add_others(r, UP, at->d[L - 1], w->k);
        add_others(r, UP, at->d[L], w->k);
        add_turn(r, UP, target, 1, ups);
    }
    return count;
}

static int list_down_rules(const world *w, const place *at, const place *t, unsigned enabled,
                           rule *out)
{
    int L = at->level;
    memset(out, 0, ALL_RULES * sizeof *out);
    if (!(enabled & GDL) || L < 1)
        return 0;
    int target = wanted(w, DOWN, L, t, at->dimension), downs = port_ranges(w, DOWN, L);
    add_others(&out[0], DOWN, target, downs);
    add_others(&out[0], UP, written_from_below(w, at), port_ranges(w, UP, L - 1));
    add_turn(&out[0], DOWN, target, 1, downs);
    return 1;
}

/* ---- one packet ---- */

typedef struct route {
    bool delivered;
    fl_reason reason;
    int count;
    place at[PATH];
} route;

static bool try_move(const world *w, const place *from, heading direction, int value, int side,
                     place *to)
{
    *to = move(w, from, direction, value, side);
    return joined(w, from, to);
}

static void go(route *r, const place *to)
{
    cr_assert(r->count < PATH);
    r->at[r->count++] = *to;
}

static bool find(const world *w, const rule *r, int at_turn, int side, route *candidate)
{
    if (at_turn == r->count)
        return true;
    const turn *t = &r->turns[at_turn];
    for (int i = 0; i < t->count; i++) {
        place from = candidate->at[candidate->count - 1], to;
        if (!try_move(w, &from, t->direction, t->values[i], side, &to))
            continue;
        go(candidate, &to);
        if (find(w, r, at_turn + 1, side, candidate))
            return true;
        candidate->count--;
    }
    return false;
}

static fl_reason reason_of(const world *w, heading direction, int level)
{
    bool cross = direction == CUBE || (direction == UP && w->mirrored && level == w->top);
    return cross ? FL_BLOCKED_CROSS : direction == UP ? FL_BLOCKED_UP : FL_BLOCKED_DOWN;
}

/* Hop by hop. True: the rule was entered (and perhaps reached a dead end; then the reason is set).
 */
static bool commit(const world *w, const rule *r, int side, route *candidate, bool *dead)
{
    *dead = false;
    for (int i = 0; i < r->count; i++) {
        const turn *t = &r->turns[i];
        place from = candidate->at[candidate->count - 1], to;
        bool found = false;
        for (int v = 0; v < t->count && !found; v++)
            found = try_move(w, &from, t->direction, t->values[v], side, &to);
        if (!found && i == 0)
            return false;
        if (!found) {
            candidate->reason = reason_of(w, t->direction, from.level);
            *dead = true;
            return true;
        }
        go(candidate, &to);
    }
    return true;
}

/* False: the packet is blocked. */
static bool detour(const world *w, const rule *rules, int count, bool local, int side,
                   route *candidate)
{
    for (int i = 0; i < count; i++) {
        bool dead;
        if (!local && find(w, &rules[i], 0, side, candidate))
            return true;
        if (local && commit(w, &rules[i], side, candidate, &dead))
            return !dead;
    }
    return false;
}

/* Base routing's move in the tree; if its link is down, the rules. */
static bool step(const world *w, heading direction, const place *t, unsigned enabled, bool local,
                 route *candidate)
{
    place at = candidate->at[candidate->count - 1], to;
    int value = wanted(w, direction, at.level, t, at.dimension),
        side = direction == UP ? at.group : t->group;
    if (try_move(w, &at, direction, value, side, &to)) {
        go(candidate, &to);
        return true;
    }
    rule rules[ALL_RULES];
    int count = direction == UP ? list_up_rules(w, &at, t, enabled, rules)
                                : list_down_rules(w, &at, t, enabled, rules);
    candidate->reason = reason_of(w, direction, at.level);
    return detour(w, rules, count, local, side, candidate);
}

/* One dimension of the cube less. */
static bool step_in_cube(const world *w, int target, unsigned enabled, bool local, route *candidate)
{
    place at = candidate->at[candidate->count - 1], to;
    int lowest = 0, differ = at.corner ^ target;
    while (!(differ >> lowest & 1))
        lowest++;
    if (try_move(w, &at, CUBE, lowest, 0, &to)) {
        go(candidate, &to);
        return true;
    }
    candidate->reason = FL_BLOCKED_CROSS;
    if (!(enabled & ECUBE))
        return false;
    rule rules[ALL_RULES * VALUES];
    int count = 1;
    memset(rules, 0, sizeof rules);
    rules[0].count = 1;
    rules[0].turns[0].direction = CUBE;
    for (int e = lowest + 1; e < w->k; e++)
        if (differ >> e & 1)
            rules[0].turns[0].values[rules[0].turns[0].count++] = e;
    for (int s = 0; s < w->k; s++) {
        if (differ >> s & 1)
            continue;
        rule *r = &rules[count++];
        add_turn(r, CUBE, s, 1, w->k);
        r->turns[r->count++].direction = CUBE;
        for (int e = 0; e < w->k; e++)
            if (differ >> e & 1)
                r->turns[1].values[r->turns[1].count++] = e;
        add_turn(r, CUBE, s, 1, w->k);
    }
    return detour(w, rules, count, local, 0, candidate);
}

static bool same_switch_digits(const world *w, const place *a, const place *t, int from)
{
    for (int i = from; i < w->n - 1; i++)
        if (a->d[i] != t->d[i])
            return false;
    return true;
}

static bool goes_up(const world *w, const place *at, const place *t)
{
    if (w->kind == PODS)
        return at->level < 2 && (at->d[1] != t->d[1] || (at->level == 0 && at->d[0] != t->d[0]));
    bool middle = w->kind == CLOS && at->level == w->top;
    return (!middle && at->group != t->group) || !same_switch_digits(w, at, t, at->level);
}

static bool deliver(const world *w, const place *t, route *candidate)
{
    place at = candidate->at[candidate->count - 1];
    candidate->reason = FL_BLOCKED_DESTINATION;
    candidate->delivered = joined(w, &at, t);
    if (candidate->delivered)
        go(candidate, t);
    return false;
}

/* Into the subnet of the lowest dimension that differs, through it, and out of it. */
static bool step_of_kns(const world *w, const place *t, unsigned enabled, bool local,
                        route *candidate)
{
    place at = candidate->at[candidate->count - 1], to = at;
    if (at.level < 0) {
        int dimension = 0, line = 0;
        while (dimension < w->n && at.d[dimension] == t->d[dimension])
            dimension++;
        if (dimension == w->n)
            return deliver(w, t, candidate);
        for (int i = w->n; i-- > 0;)
            line = i == dimension ? line : line * w->k + at.d[i];
        to.dimension = dimension;
        to.line = line;
        to.level = 0;
        to.within = at.d[dimension] / w->up;
        candidate->reason = FL_BLOCKED_UP;
        if (joined(w, &at, &to))
            go(candidate, &to);
        return candidate->at[candidate->count - 1].level == 0;
    }
    int x = t->d[at.dimension];
    bool above = true; /* is the position x below this switch? */
    for (int e = at.level; e < w->stages - 1; e++)
        above = above && small(w, at.within, e) == small(w, x, e + 1);
    if (!above)
        return step(w, UP, t, enabled, local, candidate);
    if (at.level > 0)
        return step(w, DOWN, t, enabled, local, candidate);
    to.level = -1;
    to.d[at.dimension] = at.within * w->up + x % w->up;
    candidate->reason = FL_BLOCKED_DOWN;
    if (!joined(w, &at, &to))
        return false;
    go(candidate, &to);
    return true;
}

/* False: the end. */
static bool advance(const world *w, const place *t, unsigned enabled, bool local, route *candidate)
{
    place at = candidate->at[candidate->count - 1];
    if (w->kind == KNS)
        return step_of_kns(w, t, enabled, local, candidate);
    if (w->kind == HYPERCUBE)
        return at.corner == t->corner ? deliver(w, t, candidate)
                                      : step_in_cube(w, t->corner, enabled, local, candidate);
    if (w->kind == CUBES && at.level == 0) {
        bool same = at.group == t->group && same_switch_digits(w, &at, t, 0);
        int target = same ? t->corner : 0;
        if (same && at.corner == target)
            return deliver(w, t, candidate);
        if (same || at.corner != 0)
            return step_in_cube(w, target, enabled, local, candidate);
    }
    if (goes_up(w, &at, t))
        return step(w, UP, t, enabled, local, candidate);
    return at.level > 0 ? step(w, DOWN, t, enabled, local, candidate) : deliver(w, t, candidate);
}

static void send(const world *w, const place *s, const place *t, unsigned enabled, bool local,
                 route *candidate)
{
    place home = *s;
    *candidate = (route){.reason = FL_BLOCKED_SOURCE};
    home.node = false;
    home.level = w->kind == KNS ? -1 : 0;
    go(candidate, s);
    if (!joined(w, s, &home))
        return;
    go(candidate, &home);
    while (advance(w, t, enabled, local, candidate))
        ;
}

/* ---- worlds ---- */

static place node_of(const world *w, int index)
{
    place p = {.node = true};
    int per_group = (int)w->network->nodes / (w->kind == CLOS || w->mirrored ? 2 : 1);
    p.group = index / per_group;
    index %= per_group;
    int half = w->k / 2;
    switch (w->kind) {
    case PODS:
        p.number = index % half;
        p.d[0] = index / half % half;
        p.d[1] = index / half / half;
        return p;
    case KNS:
        for (int i = 0; i < w->n; i++, index /= w->k)
            p.d[i] = index % w->k;
        return p;
    case HYPERCUBE:
        p.number = index % w->up;
        p.corner = index / w->up;
        return p;
    case CUBES:
        p.number = index % w->k;
        index /= w->k;
        p.corner = index % (power(2, w->k) - 1) + 1;
        index /= power(2, w->k) - 1;
        break;
    default:
        p.number = index / power(w->k, w->n - 1);
    }
    for (int i = 0; i < w->n - 1; i++, index /= w->k)
        p.d[i] = index % w->k;
    return p;
}

static world need_world(const char *spec)
{
    world w = {.network = need_network(spec)};
    const uint64_t *v = w.network->values;
    const char *name = w.network->type->name;
    w.k = (int)v[0];
    w.n = (int)v[1];
    if (strcmp(name, "clos") == 0) {
        w.kind = CLOS;
    } else if (strcmp(name, "thintree") == 0) {
        w.kind = THIN;
        w.up = (int)v[1];
        w.n = (int)v[2];
    } else if (strcmp(name, "fattree3") == 0) {
        w.kind = PODS;
        w.n = 3;
    } else if (strcmp(name, "hypercube") == 0) {
        w.kind = HYPERCUBE;
        w.n = 1;
        w.up = (int)v[1]; /* nodes of a corner */
    } else if (strcmp(name, "kns") == 0) {
        w.kind = KNS;
        w.stages = (int)v[2];
        w.up = 2;
        while (power(w.up, w.stages) < w.k)
            w.up++;
    } else {
        w.kind = CUBES;
        w.mirrored = strcmp(name, "micat") == 0;
    }
    w.top = w.kind == KNS ? w.stages - 1 : w.mirrored ? w.n - 2 : w.n - 1;
    w.down = need_memory(w.network->links, sizeof *w.down);
    w.known = need_memory((size_t)1 << KNOWN_BITS, sizeof *w.known);
    return w;
}

static void free_world(world *w)
{
    fl_network_destroy(w->network);
    free(w->down);
    free(w->known);
}

static uint32_t draw(fl_order *order, fl_link link)
{
    const world *w = order->user;
    return w->down[w->network->type->link_index(w->network, link)] ? 0 : FL_NEVER_FAILS;
}

/* ---- which rules ---- */

static const struct {
    const char *name;
    unsigned rules;
} sets[] = {
    {"shortest", 0},
    {"adaptive-up", ADAPTIVE_UP},
    {"gns", GNS},
    {"three-turn", THREE_TURN},
    {"gdl", GDL},
    {"gns+gdl", GNS | GDL},
    {"gns+three-turn+gdl", GNS | THREE_TURN | GDL},
    {"three-turn+gdl+adaptive-up", THREE_TURN | GDL | ADAPTIVE_UP},
    {"gns+three-turn+gdl+adaptive-up", GNS | THREE_TURN | GDL | ADAPTIVE_UP},
    {"gns+x-turns", GNS | X_TURNS},
    {"gns-any-level", GNS_ANY_LEVEL},
    {"gns-any-level+gdl", GNS_ANY_LEVEL | GDL},
    {"gns-any-level+x-turns", GNS_ANY_LEVEL | X_TURNS},
    {"gns+three-turn+x-turns+gdl+adaptive-up", GNS | THREE_TURN | X_TURNS | GDL | ADAPTIVE_UP},
    {"adaptive-ecube", ECUBE},
    {"three-turn+gdl+adaptive-up+adaptive-ecube", THREE_TURN | GDL | ADAPTIVE_UP | ECUBE},
    {"gns+three-turn+gdl+adaptive-up+adaptive-ecube", GNS | THREE_TURN | GDL | ADAPTIVE_UP | ECUBE},
};
enum { SETS = sizeof sets / sizeof sets[0] };

static bool has(const world *w, unsigned rules)
{
    if (w->kind == HYPERCUBE)
        return (rules & ~(unsigned)ECUBE) == 0;
    if (rules & ECUBE && w->kind != CUBES)
        return false;
    if (rules & X_TURNS && !w->mirrored)
        return false;
    return !(rules & (GNS | GNS_ANY_LEVEL | X_TURNS) && w->mirrored && w->n < 3);
}

/* ---- the contract ---- */

typedef struct trail {
    fl_address at[PATH];
    unsigned count;
} trail;

static void follow(void *user, const fl_walk_hop *hop)
{
    trail *t = user;
    if (t->count < PATH)
        t->at[t->count++] = hop->to;
}

static bool same(const world *w, const fl_walk_result *fast, const trail *went, const route *slow)
{
    if (fast->delivered != slow->delivered || (!fast->delivered && fast->reason != slow->reason) ||
        went->count + 1 != (unsigned)slow->count)
        return false;
    if (fast->delivered && fast->length != (unsigned)slow->count - 1)
        return false;
    for (unsigned i = 0; i < went->count; i++)
        if (went->at[i] != address_of(w, &slow->at[i + 1]))
            return false;
    return true;
}

static void compare(const world *w, fl_order *order, const fl_router *router, unsigned rules,
                    int source, int destination)
{
    place s = node_of(w, source), t = node_of(w, destination);
    fl_view view = {.network = w->network,
                    .order = order,
                    .enabled_rules = router->enabled_rules,
                    .scope = router->scope,
                    .holds_until = FL_NEVER_FAILS};
    trail went = {.count = 0};
    fl_walk_result fast;
    fl_error error = {.text = ""};
    route slow;
    fl_status status =
        fl_walk(router, &view, address_of(w, &s), address_of(w, &t), follow, &went, &fast, &error);
    cr_assert(status == FL_OK, "%s, %s: %s", w->network->spec, router->name, error.text);
    send(w, &s, &t, rules, router->scope == FL_SCOPE_LOCAL, &slow);
    if (!same(w, &fast, &went, &slow)) {
        char from[FL_LABEL_MAX], to[FL_LABEL_MAX];
        write_label(w, &s, from);
        write_label(w, &t, to);
        cr_assert(false, "%s, %s, scope %s, %s to %s: %d (%s) after %u links, not %d (%s) after %d",
                  w->network->spec, router->name, fl_scope_names[router->scope], from, to,
                  fast.delivered, fl_reason_names[fast.reason], went.count, slow.delivered,
                  fl_reason_names[slow.reason], slow.count - 1);
    }
    uint64_t bound = fl_router_length_bound(router);
    cr_assert(bound > 0 && (!fast.delivered || fast.length <= bound),
              "%s, %s: %u links, bound %llu", w->network->spec, router->name, fast.length,
              (unsigned long long)bound);
}

static void contract(const char *spec, int fault_sets, int pairs)
{
    static const double rates[] = {0, .02, .05, .1, .15, .2, .3, .5};
    world w = need_world(spec);
    fl_router *routers[2][SETS] = {{0}};
    fl_order *order = NULL;
    fl_error error = {.text = ""};
    fl_rng rng;
    fl_rng_seed_raw(&rng, 7, w.network->links);
    cr_assert(fl_order_create_custom(&order, w.network, draw, &w, &error) == FL_OK, "%s",
              error.text);
    for (int scope = 0; scope < 2; scope++)
        for (int i = 0; i < SETS; i++)
            routers[scope][i] = has(&w, sets[i].rules)
                                    ? need_router(w.network, sets[i].name, (fl_scope)scope)
                                    : NULL;
    for (int round = 0; round < fault_sets; round++) {
        double rate = rates[round % 8];
        for (uint64_t i = 0; i < w.network->links; i++)
            w.down[i] = fl_rng_next32(&rng) < rate * 4294967296.0;
        fl_order_forget(order);
        for (int pair = 0; pair < pairs; pair++) {
            uint64_t s = fl_rng_below(&rng, w.network->nodes),
                     t = fl_rng_below(&rng, w.network->nodes - 1);
            for (int i = 0; i < 2 * SETS; i++)
                if (routers[i / SETS][i % SETS])
                    compare(&w, order, routers[i / SETS][i % SETS], sets[i % SETS].rules, (int)s,
                            (int)(t + (t >= s)));
        }
    }
    for (int i = 0; i < 2 * SETS; i++)
        fl_router_destroy(routers[i / SETS][i % SETS]);
    fl_order_destroy(order);
    free_world(&w);
}

Test(detours, clos_networks)
{
    contract("clos:k=2,n=1", TEST_ROUNDS(40), 6);
    contract("clos:k=2,n=2", TEST_ROUNDS(400), 20);
    contract("clos:k=3,n=2", TEST_ROUNDS(300), 20);
    contract("clos:k=2,n=3", TEST_ROUNDS(400), 20);
    contract("clos:k=3,n=3", TEST_ROUNDS(300), 20);
    contract("clos:k=2,n=4", TEST_ROUNDS(200), 20);
}

Test(detours, thin_trees)
{
    contract("thintree:k=3,up=1,n=3", TEST_ROUNDS(100), 20);
    contract("thintree:k=3,up=2,n=2", TEST_ROUNDS(300), 20);
    contract("thintree:k=4,up=2,n=3", TEST_ROUNDS(400), 20);
    contract("thintree:k=4,up=3,n=3", TEST_ROUNDS(400), 20);
    contract("thintree:k=3,up=2,n=4", TEST_ROUNDS(300), 20);
    contract("thintree:k=3,up=3,n=3", TEST_ROUNDS(200), 20);
}

Test(detours, cats_and_micats)
{
    contract("cat:k=3,n=1", TEST_ROUNDS(300), 20);
    contract("cat:k=2,n=2", TEST_ROUNDS(300), 20);
    contract("cat:k=3,n=2", TEST_ROUNDS(300), 20);
    contract("cat:k=2,n=3", TEST_ROUNDS(300), 20);
    contract("cat:k=3,n=3", TEST_ROUNDS(200), 20);
    contract("cat:k=4,n=2", TEST_ROUNDS(100), 20);
    contract("micat:k=2,n=2", TEST_ROUNDS(300), 20);
    contract("micat:k=3,n=2", TEST_ROUNDS(200), 20);
    contract("micat:k=2,n=3", TEST_ROUNDS(300), 20);
    contract("micat:k=3,n=3", TEST_ROUNDS(200), 20);
}

Test(detours, hypercubes)
{
    contract("hypercube:k=1", TEST_ROUNDS(40), 4);
    contract("hypercube:k=2,p=2", TEST_ROUNDS(200), 20);
    contract("hypercube:k=3", TEST_ROUNDS(400), 20);
    contract("hypercube:k=4,p=3", TEST_ROUNDS(400), 20);
    contract("hypercube:k=6", TEST_ROUNDS(200), 20);
}

Test(detours, fat_trees_and_subnets)
{
    contract("fattree3:K=2", TEST_ROUNDS(40), 2);
    contract("fattree3:K=4", TEST_ROUNDS(400), 20);
    contract("fattree3:K=6", TEST_ROUNDS(400), 20);
    contract("fattree3:K=8", TEST_ROUNDS(200), 20);
    contract("kns:k=4,n=1,s=2,sub=fattree", TEST_ROUNDS(300), 20);
    contract("kns:k=4,n=2,s=2,sub=fattree", TEST_ROUNDS(300), 20);
    contract("kns:k=8,n=2,s=3,sub=fattree", TEST_ROUNDS(300), 20);
    contract("kns:k=9,n=2,s=2,sub=fattree", TEST_ROUNDS(200), 20);
}

/* A thin tree with as many links up as down is the k-ary n-tree: the same curves, count for count.
 */
Test(detours, a_thin_tree_that_is_not_thin_is_the_kary_ntree)
{
    static const char *const names[] = {"shortest",
                                        "adaptive-up",
                                        "gns",
                                        "gns-any-level",
                                        "gdl",
                                        "three-turn",
                                        "gns+three-turn+gdl+adaptive-up"};
    fl_axis axis = every_count(81);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        fl_counts *counts[2];
        for (int thin = 0; thin < 2; thin++) {
            fl_network *network =
                need_network(thin ? "thintree:k=3,up=3,n=3" : "kary-ntree:k=3,n=3");
            fl_fault_model *model = need_model(network, "links", &axis);
            fl_router *router = need_router(network, names[i], FL_SCOPE_DETOUR);
            fl_error error = {.text = ""};
            counts[thin] = fl_counts_create(1, (uint32_t)axis.fault_points);
            fl_sweep sweep = {.network = network,
                              .model = model,
                              .routers = &router,
                              .router_count = 1,
                              .seed = 5,
                              .trials = 20000,
                              .threads = 1};
            cr_assert_eq(fl_sweep_run(&sweep, counts[thin], &error), FL_OK, "%s", error.text);
            fl_router_destroy(router);
            fl_fault_model_destroy(model);
            fl_network_destroy(network);
        }
        for (uint32_t level = 0; level < axis.fault_points; level++)
            cr_assert_eq(counts[0]->of[level].delivered, counts[1]->of[level].delivered,
                         "%s, f = %u", names[i], level);
        fl_counts_destroy(counts[0]);
        fl_counts_destroy(counts[1]);
    }
    free_axis(&axis);
}

/* ---- what holds of every rule ---- */

static const char *const small_networks[] = {"clos:k=2,n=2",          "clos:k=2,n=3",
                                             "thintree:k=3,up=2,n=2", "thintree:k=3,up=2,n=3",
                                             "cat:k=2,n=2",           "cat:k=3,n=2",
                                             "micat:k=2,n=2",         "micat:k=2,n=3",
                                             "fattree3:K=4",          "kns:k=4,n=2,s=2,sub=fattree",
                                             "hypercube:k=3"};
enum { SMALL = sizeof small_networks / sizeof small_networks[0] };

/* Whatever fails: no packet meets a switch twice in the same state, and none travels further than
 * fl_router_length_bound. The proof follows every answer to every question. Deadlock: base routing
 * is deadlock-free on every network, and routers that go up again after they went down are not. */
Test(detours, no_router_loops_whatever_fails)
{
    for (int n = 0; n < SMALL; n++) {
        world w = need_world(small_networks[n]);
        fl_axis axis = every_count(1);
        fl_fault_model *model = need_model(w.network, "links", &axis);
        for (int i = 0; i < SETS; i++) {
            for (int scope = 0; has(&w, sets[i].rules) && scope < 2; scope++) {
                fl_router *router = need_router(w.network, sets[i].name, (fl_scope)scope);
                fl_proof proof;
                fl_error error = {.text = ""};
                cr_assert_eq(fl_router_prove(&proof, router, model, NULL, &error), FL_OK, "%s",
                             error.text);
                cr_expect(proof.livelock_free &&
                              proof.length_bound <= fl_router_length_bound(router),
                          "%s, %s, %s: %d, %llu of %llu links", w.network->spec, router->name,
                          fl_scope_names[scope], proof.livelock_free,
                          (unsigned long long)proof.length_bound,
                          (unsigned long long)fl_router_length_bound(router));
                /* Up, then down, and dimensions in order, whichever port up is taken; but not
                 * across and back. */
                bool ordered = sets[i].rules == 0 || (sets[i].rules == ADAPTIVE_UP && !w.mirrored);
                bool turns_round = sets[i].rules & ECUBE || (sets[i].rules & GDL && w.top > 0);
                cr_expect(!ordered || proof.deadlock_free, "%s, %s: one order of all channels",
                          w.network->spec, router->name);
                cr_expect(!turns_round || !proof.deadlock_free, "%s, %s: with one virtual channel",
                          w.network->spec, router->name);
                fl_proof_clear(&proof);
                fl_router_destroy(router);
            }
        }
        fl_fault_model_destroy(model);
        free_axis(&axis);
        free_world(&w);
    }
}

/* One sweep of all rules: without faults all equal base routing, packet for packet; a rule delivers
 * at least what base routing delivers, and at most what has a path. */
Test(detours, success_lies_between_base_routing_and_the_limit)
{
    for (int n = 0; n < SMALL; n++) {
        world w = need_world(small_networks[n]);
        fl_axis axis = every_count(w.network->links);
        fl_fault_model *model = need_model(w.network, "links", &axis);
        fl_router *routers[SETS + 1];
        unsigned count = 0;
        fl_error error = {.text = ""};
        for (int i = 0; i < SETS; i++)
            if (has(&w, sets[i].rules))
                routers[count++] = need_router(w.network, sets[i].name, FL_SCOPE_DETOUR);
        routers[count++] = need_router(w.network, "limit", FL_SCOPE_DETOUR);
        fl_counts *counts = fl_counts_create(count, (uint32_t)axis.fault_points);
        fl_sweep sweep = {.network = w.network,
                          .model = model,
                          .routers = routers,
                          .router_count = count,
                          .seed = 3,
                          .trials = TEST_ROUNDS(4000),
                          .threads = 1};
        cr_assert_eq(fl_sweep_run(&sweep, counts, &error), FL_OK, "%s", error.text);
        for (unsigned r = 1; r < count; r++) {
            const fl_count *of = &counts->of[r * counts->fault_points], *base = counts->of,
                           *limit = &counts->of[(count - 1) * counts->fault_points];
            for (uint32_t level = 0; level < counts->fault_points; level++) {
                cr_assert(of[level].delivered >= base[level].delivered &&
                              of[level].delivered <= limit[level].delivered,
                          "%s, %s, f = %u", w.network->spec, routers[r]->name, level);
                /* nothing that base routing delivers is lost */
                cr_assert_eq(counts->both[fl_counts_pair(0, r) * counts->fault_points + level],
                             base[level].delivered, "%s, %s, f = %u", w.network->spec,
                             routers[r]->name, level);
            }
            cr_expect(r + 1 == count || of[0].length_sum == base[0].length_sum,
                      "%s, %s: without faults", w.network->spec, routers[r]->name);
        }
        fl_counts_destroy(counts);
        for (unsigned r = 0; r < count; r++)
            fl_router_destroy(routers[r]);
        fl_fault_model_destroy(model);
        free_axis(&axis);
        free_world(&w);
    }
}

/* Every curve without sampling error, with and without merging, and sampled: false alarm of all
 * comparisons together below 1e-4 (some 500 of them at 1e-7 each). */
static void exact_agrees(const char *spec, const char *routers)
{
    char json[600];
    fl_experiment *experiment = NULL;
    fl_exact_results *merged = NULL, *unmerged = NULL;
    fl_error error = {.text = ""};
    snprintf(json, sizeof json,
             "{\"name\":\"x\",\"trials\":20000,\"seed\":9,\"faults\":\"0:6:1\",\"routers\":%s,"
             "\"sweeps\":[{\"topology\":\"%s\"}]}",
             routers, spec);
    cr_assert_eq(fl_experiment_parse(&experiment, json, strlen(json), "x", &error), FL_OK, "%s",
                 error.text);
    cr_assert_eq(
        fl_exact_experiment(&merged, experiment, &(fl_exact_options){.threads = 1}, &error), FL_OK,
        "%s", error.text);
    cr_assert_eq(fl_exact_experiment(&unmerged, experiment,
                                     &(fl_exact_options){.threads = 1, .unmerged = true}, &error),
                 FL_OK, "%s", error.text);
    const fl_bound_sweep *bound = &experiment->bound[0];
    fl_counts *counts = fl_counts_create(bound->router_count, 7);
    fl_sweep sweep = {.network = bound->network,
                      .model = bound->model,
                      .routers = bound->routers,
                      .router_count = bound->router_count,
                      .seed = 9,
                      .trials = 20000,
                      .threads = 1};
    cr_assert_eq(fl_sweep_run(&sweep, counts, &error), FL_OK, "%s", error.text);
    for (unsigned r = 0; r < bound->router_count; r++)
        for (uint32_t level = 0; level < 7; level++) {
            const fl_exact_point *a = &merged->curves[r].points[level],
                                 *b = &unmerged->curves[r].points[level];
            cr_expect(merged->curves[r].exact && unmerged->curves[r].exact);
            cr_expect(fabs(a->success_low - b->success_low) < 1e-12 &&
                          fabs(a->length_low - b->length_low) < 1e-9,
                      "%s, %s, f = %u", spec, bound->routers[r]->name, level);
            cr_expect(binomial_p_value(counts->of[r * 7 + level].delivered, 20000,
                                       fmin(1, a->success_low)) > 1e-7,
                      "%s, %s, f = %u: %llu, exactly %f", spec, bound->routers[r]->name, level,
                      (unsigned long long)counts->of[r * 7 + level].delivered, a->success_low);
        }
    fl_counts_destroy(counts);
    fl_exact_results_destroy(merged);
    fl_exact_results_destroy(unmerged);
    fl_experiment_destroy(experiment);
}

Test(detours, exact_agrees_with_the_sweep)
{
    exact_agrees(
        "clos:k=2,n=2",
        "[\"shortest\",\"three-turn+gdl\",\"adaptive-up\",\"three-turn+gdl+adaptive-up\"]");
    exact_agrees("clos:k=2,n=3", "[\"gns\",\"gns-any-level\",\"adaptive-up\",\"gdl\"]");
    exact_agrees("thintree:k=3,up=2,n=2", "[\"shortest\",\"three-turn+gdl\",\"adaptive-up+gdl\"]");
    exact_agrees("cat:k=2,n=2",
                 "[\"adaptive-ecube\",\"three-turn+gdl\",\"adaptive-up+adaptive-ecube\"]");
    exact_agrees("hypercube:k=3", "[\"shortest\",\"adaptive-ecube\"]");
    exact_agrees("cat:k=3,n=1", "[\"shortest\",\"adaptive-ecube\"]");
    exact_agrees("micat:k=2,n=2", "[\"adaptive-ecube\",\"three-turn\",\"adaptive-up\"]");
    exact_agrees("fattree3:K=4", "[\"adaptive-up\",\"gns\",\"gdl\",\"three-turn\"]");
    exact_agrees("kns:k=4,n=1,s=2,sub=fattree", "[\"adaptive-up\",\"gdl\",\"three-turn\"]");
}

/* A cube has k - 1 detours of two more links around any one link, and a packet of distance one
 * can use them all. */
Test(detours, adaptive_ecube_goes_round_all_but_the_last_link_of_a_corner)
{
    world w = need_world("cat:k=4,n=1");
    fl_order *order = NULL;
    fl_error error = {.text = ""};
    fl_router *router = need_router(w.network, "adaptive-ecube", FL_SCOPE_DETOUR);
    cr_assert(fl_order_create_custom(&order, w.network, draw, &w, &error) == FL_OK, "%s",
              error.text);
    place s = {.node = true, .corner = 8}, t = {.node = true, .corner = 12}, a = {.corner = 8};
    for (int left = 4; left >= 0; left--) {
        fl_view view = {.network = w.network,
                        .order = order,
                        .enabled_rules = router->enabled_rules,
                        .scope = FL_SCOPE_DETOUR,
                        .holds_until = FL_NEVER_FAILS};
        fl_walk_result walk;
        cr_assert_eq(fl_walk(router, &view, address_of(&w, &s), address_of(&w, &t), NULL, NULL,
                             &walk, &error),
                     FL_OK, "%s", error.text);
        cr_expect_eq(walk.delivered, left > 0, "%d links of the corner are up", left);
        cr_expect(!walk.delivered || walk.length == (left == 4 ? 3 : 5),
                  "%d links of the corner are up: %u links", left, walk.length);
        int next = left == 4 ? 2 : left == 3 ? 0 : left == 2 ? 1 : 3; /* the direct one first */
        place b = move(&w, &a, CUBE, next, 0);
        char text[64], other[32];
        fl_link link;
        write_label(&w, &a, text);
        write_label(&w, &b, other);
        strcat(strcat(text, " "), other);
        cr_assert_eq(fl_network_parse_link(w.network, text, &link, &error), FL_OK, "%s",
                     error.text);
        w.down[w.network->type->link_index(w.network, link)] = true;
        fl_order_forget(order);
    }
    fl_router_destroy(router);
    fl_order_destroy(order);
    free_world(&w);
}
