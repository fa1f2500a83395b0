/* Reference routing; see reference.h.  Simple on purpose: to be read next to
 * docs/algorithms.md, whose section names the comments cite. */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>

/* A vertex and its label.  digit[i] is D_i of a switch, C_i of a node. */
struct vertex {
    bool is_node;
    int group; /* always 0 in a k-ary n-tree */
    int level; /* of a switch; 0 for a node */
    int digit[REF_MAX_N];
};

struct link {
    int u;
    int v;
};

struct ref_net {
    bool mikant;
    int k;
    int n;
    int groups;        /* of nodes: 2 in MiKANT, 1 in a k-ary n-tree */
    int switch_groups; /* the same, but 1 for the single switch of MiKANT(k,1) */
    int levels;        /* switch levels per group */
    int node_count;
    int switch_count;
    int link_count;
    struct vertex *vertex;
    struct link *link;
    int *port_link; /* [vertex * 2k + port]: link number or -1 */
};

/* Unlike assert() this stays when NDEBUG is set: a reference must not continue after misuse. */
static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "reference: required: %s\n", what);
        abort();
    }
}

/* ------------------------------------------------------------------------
 * The graph ("Notation and common rules").
 * ------------------------------------------------------------------------ */

static void *allocate(int count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    require(memory != NULL, "enough memory");
    return memory;
}

static int power(int k, int exponent)
{
    int result = 1;
    for (int i = 0; i < exponent; i++) {
        require(result <= 10000000 / k, "a network of moderate size");
        result *= k;
    }
    return result;
}

/* digit[0..count-1] := value written in base k, digit[0] least significant. */
static void write_digits(int value, int k, int count, int digit[])
{
    for (int i = 0; i < count; i++) {
        digit[i] = value % k;
        value /= k;
    }
}

static int read_digits(const int digit[], int k, int count)
{
    int value = 0;
    for (int i = count - 1; i >= 0; i--) {
        value = value * k + digit[i];
    }
    return value;
}

static bool is_single_mikant_switch(const ref_net *net)
{
    return net->mikant && net->n == 1;
}

/* The number of the switch <group, level, D>, D = digit[n-2..0]. */
static int switch_number(const ref_net *net, int group, int level, const int digit[])
{
    int per_level = power(net->k, net->n - 1);
    int row = group * net->levels + level;
    return net->node_count + row * per_level + read_digits(digit, net->k, net->n - 1);
}

static void label_nodes(ref_net *net)
{
    int per_group = power(net->k, net->n);
    int number = 0;
    for (int group = 0; group < net->groups; group++) {
        for (int value = 0; value < per_group; value++) {
            struct vertex *node = &net->vertex[number];
            node->is_node = true;
            node->group = group;
            write_digits(value, net->k, net->n, node->digit);
            number++;
        }
    }
}

static void label_switches(ref_net *net)
{
    int per_level = power(net->k, net->n - 1);
    int number = net->node_count;
    for (int group = 0; group < net->switch_groups; group++) {
        for (int level = 0; level < net->levels; level++) {
            for (int value = 0; value < per_level; value++) {
                struct vertex *sw = &net->vertex[number];
                sw->group = group;
                sw->level = level;
                write_digits(value, net->k, net->n - 1, sw->digit);
                number++;
            }
        }
    }
}

static void plug(ref_net *net, int vertex, int port, int link)
{
    int *place = &net->port_link[vertex * 2 * net->k + port];
    require(*place == -1, "one link per port");
    *place = link;
}

static void add_link(ref_net *net, int u, int u_port, int v, int v_port)
{
    int number = net->link_count;
    net->link[number].u = u;
    net->link[number].v = v;
    plug(net, u, u_port, number);
    plug(net, v, v_port, number);
    net->link_count++;
}

/* Node <G, C> sits on switch <G, 0, C_{n-2}..C_0>, port C_{n-1}.  MiKANT with
 * n = 1 has one switch for both groups, and port G*k + C_0. */
static void add_node_links(ref_net *net)
{
    for (int node = 0; node < net->node_count; node++) {
        const struct vertex *c = &net->vertex[node];
        int sw = switch_number(net, c->group, 0, c->digit);
        int port = c->digit[net->n - 1];
        if (is_single_mikant_switch(net)) {
            sw = net->node_count;
            port = c->group * net->k + c->digit[0];
        }
        add_link(net, node, 0, sw, port);
    }
}

/* <G, L, D> to <G, L+1, D with D_L := v>: port k + v below.  Above, the port
 * is labelled with the value of D_L of the switch below. */
static void add_up_links(ref_net *net, int below)
{
    const struct vertex *b = &net->vertex[below];
    struct vertex a = *b;
    for (int v = 0; v < net->k; v++) {
        a.digit[b->level] = v;
        int above = switch_number(net, b->group, b->level + 1, a.digit);
        add_link(net, below, net->k + v, above, b->digit[b->level]);
    }
}

/* <G, n-2, D> to <1-G, n-2, D with D_{n-2} := v>: port k + v at this end and,
 * by the same sentence read from there, port k + D_{n-2} at the other end.
 * Called for group 0 only, so that each link is made once. */
static void add_cross_links(ref_net *net, int here)
{
    const struct vertex *h = &net->vertex[here];
    int top = net->n - 2;
    struct vertex t = *h;
    for (int v = 0; v < net->k; v++) {
        t.digit[top] = v;
        int there = switch_number(net, 1, top, t.digit);
        add_link(net, here, net->k + v, there, net->k + h->digit[top]);
    }
}

static void add_switch_links(ref_net *net)
{
    int first = net->node_count;
    for (int sw = first; sw < first + net->switch_count; sw++) {
        const struct vertex *s = &net->vertex[sw];
        if (s->level < net->levels - 1) {
            add_up_links(net, sw);
        } else if (net->mikant && net->n >= 2 && s->group == 0) {
            add_cross_links(net, sw);
        }
    }
}

static void set_sizes(ref_net *net)
{
    net->groups = net->mikant ? 2 : 1;
    net->switch_groups = is_single_mikant_switch(net) ? 1 : net->groups;
    net->levels = net->mikant && net->n >= 2 ? net->n - 1 : net->n;
    net->node_count = net->groups * power(net->k, net->n);
    net->switch_count = net->switch_groups * net->levels * power(net->k, net->n - 1);
}

ref_net *ref_net_create(bool mikant, int k, int n)
{
    require(k >= 1 && n >= 1 && n <= REF_MAX_N, "k >= 1, 1 <= n <= REF_MAX_N");
    ref_net *net = allocate(1, sizeof *net);
    net->mikant = mikant;
    net->k = k;
    net->n = n;
    set_sizes(net);

    int vertices = ref_vertex_count(net);
    require(vertices <= 500000000 / k, "a network of moderate size");
    int ports = vertices * 2 * k;
    net->vertex = allocate(vertices, sizeof *net->vertex);
    net->port_link = allocate(ports, sizeof *net->port_link);
    net->link = allocate(ports, sizeof *net->link); /* more than enough */
    for (int i = 0; i < ports; i++) {
        net->port_link[i] = -1;
    }
    label_nodes(net);
    label_switches(net);
    add_node_links(net);
    add_switch_links(net);
    return net;
}

void ref_net_destroy(ref_net *net)
{
    if (net != NULL) {
        free(net->vertex);
        free(net->link);
        free(net->port_link);
        free(net);
    }
}

int ref_node_count(const ref_net *net)
{
    return net->node_count;
}

int ref_switch_count(const ref_net *net)
{
    return net->switch_count;
}

int ref_link_count(const ref_net *net)
{
    return net->link_count;
}

int ref_vertex_count(const ref_net *net)
{
    return net->node_count + net->switch_count;
}

void ref_link_ends(const ref_net *net, int link, int *u, int *v)
{
    require(link >= 0 && link < net->link_count, "a link number");
    *u = net->link[link].u;
    *v = net->link[link].v;
}

static void require_vertex(const ref_net *net, int vertex)
{
    require(vertex >= 0 && vertex < ref_vertex_count(net), "a vertex number");
}

static int link_at_port(const ref_net *net, int vertex, int port)
{
    require_vertex(net, vertex);
    if (port < 0 || port >= 2 * net->k) {
        return -1;
    }
    return net->port_link[vertex * 2 * net->k + port];
}

int ref_neighbour(const ref_net *net, int vertex, int port)
{
    int link = link_at_port(net, vertex, port);
    if (link == -1) {
        return -1;
    }
    const struct link *l = &net->link[link];
    return l->u == vertex ? l->v : l->u;
}

int ref_link_between(const ref_net *net, int u, int v)
{
    require_vertex(net, v);
    for (int port = 0; port < 2 * net->k; port++) {
        if (ref_neighbour(net, u, port) == v) {
            return link_at_port(net, u, port);
        }
    }
    return -1;
}

/* ------------------------------------------------------------------------
 * Labels as text.
 * ------------------------------------------------------------------------ */

struct text {
    char *out;
    size_t size;
    size_t used;
};

static void put_char(struct text *text, char c)
{
    if (text->used + 1 < text->size) {
        text->out[text->used] = c;
        text->used++;
        text->out[text->used] = '\0';
    }
}

static void put_number(struct text *text, int number)
{
    char buffer[16];
    snprintf(buffer, sizeof buffer, "%d", number);
    for (int i = 0; buffer[i] != '\0'; i++) {
        put_char(text, buffer[i]);
    }
}

/* Most significant first; dots once a digit may need two characters. */
static void put_digits(struct text *text, const int digit[], int count, int k)
{
    for (int i = count - 1; i >= 0; i--) {
        put_number(text, digit[i]);
        if (k > 10 && i > 0) {
            put_char(text, '.');
        }
    }
}

void ref_vertex_label(const ref_net *net, int vertex, char *out, size_t size)
{
    require_vertex(net, vertex);
    require(size >= 1, "room for a label");
    const struct vertex *v = &net->vertex[vertex];
    struct text text = {out, size, 0};
    out[0] = '\0';
    put_char(&text, '<');
    if (net->mikant) {
        put_number(&text, v->group);
        put_char(&text, ',');
    }
    if (!v->is_node) {
        put_number(&text, v->level);
        put_char(&text, ',');
    }
    put_digits(&text, v->digit, v->is_node ? net->n : net->n - 1, net->k);
    put_char(&text, '>');
}

/* ------------------------------------------------------------------------
 * Base routing ("`shortest`: base routing").
 * ------------------------------------------------------------------------ */

enum kind { UP, CROSS, DOWN, DELIVER };

struct step {
    enum kind kind;
    int port;
};

/* The constants of one packet: what never changes while it travels. */
struct trip {
    const ref_net *net;
    const bool *down;
    unsigned rules;
    enum ref_scope scope;
    const struct vertex *t; /* label of the destination, T in the text */
};

/* Step 1's condition: G_W != G_T, or D_{n-2}..D_L != T_{n-2}..T_L.  In a k-ary
 * n-tree all groups are 0; in its top level L = n-1 no digit is compared.  The
 * single switch of MiKANT(k,1) has nothing above it, whatever the group. */
static bool must_go_up(const struct trip *trip, const struct vertex *w)
{
    if (is_single_mikant_switch(trip->net)) {
        return false;
    }
    if (w->group != trip->t->group) {
        return true;
    }
    for (int i = trip->net->n - 2; i >= w->level; i--) {
        if (w->digit[i] != trip->t->digit[i]) {
            return true;
        }
    }
    return false;
}

static struct step base_step(const struct trip *trip, const struct vertex *w)
{
    const ref_net *net = trip->net;
    const struct vertex *t = trip->t;
    int level = w->level;
    struct step step;
    if (must_go_up(trip, w)) {
        bool cross = net->mikant && level == net->n - 2;
        step.kind = cross ? CROSS : UP;
        step.port = net->k + t->digit[level];
    } else if (level > 0) {
        step.kind = DOWN;
        step.port = t->digit[level - 1];
    } else {
        step.kind = DELIVER;
        step.port = t->digit[net->n - 1];
        if (is_single_mikant_switch(net)) {
            step.port = t->group * net->k + t->digit[0];
        }
    }
    return step;
}

/* ------------------------------------------------------------------------
 * Detour rules.  A rule is a short list of hops.  A hop goes up, across or
 * down, and has an ordered list of values for the digit that it sets.  The
 * loops of the definition are nested in the order of the hops: the first hop
 * is the outermost loop.
 * ------------------------------------------------------------------------ */

#define MAX_HOPS  5 /* x-turns */
#define MAX_RULES 5 /* adaptive-up, gns, gns-any-level, three-turn, x-turns */

/* The values (base + d) mod k for d = first_d..last_d, in that order. */
struct choice {
    int base;
    int first_d;
    int last_d;
};

struct hop {
    enum kind kind;
    struct choice choice;
};

struct rule {
    int hop_count;
    struct hop hop[MAX_HOPS];
};

/* "for j = 0..k-1" */
static struct choice any_value(const ref_net *net)
{
    return (struct choice){0, 0, net->k - 1};
}

/* "for d = 1..k-1, with ... = (value + d) mod k": every value but this one */
static struct choice other_than(const ref_net *net, int value)
{
    return (struct choice){value, 1, net->k - 1};
}

static struct choice exactly(int value)
{
    return (struct choice){value, 0, 0};
}

static void add_hop(struct rule *rule, enum kind kind, struct choice choice)
{
    require(rule->hop_count < MAX_HOPS, "room for the hop");
    rule->hop[rule->hop_count].kind = kind;
    rule->hop[rule->hop_count].choice = choice;
    rule->hop_count++;
}

/* "`adaptive-up`": the same step through another upward port. */
static struct rule adaptive_up(const struct trip *trip, const struct vertex *w, enum kind kind)
{
    struct rule rule = {0};
    add_hop(&rule, kind, other_than(trip->net, trip->t->digit[w->level]));
    return rule;
}

/* Go-Neighbor-Switch: down (j), up (i != W's digit), then the neighbour's link
 * towards T.  In MiKANT W is in level L = n-2, so that D_{L-1} is D_{n-3} and
 * the last link is a cross link; in a k-ary n-tree L is any level >= 1. */
static struct rule go_neighbour_switch(const struct trip *trip, const struct vertex *w,
                                       enum kind kind)
{
    const ref_net *net = trip->net;
    int level = w->level;
    struct rule rule = {0};
    add_hop(&rule, DOWN, any_value(net));
    add_hop(&rule, UP, other_than(net, w->digit[level - 1]));
    add_hop(&rule, kind, exactly(trip->t->digit[level]));
    return rule;
}

/* Algorithm 2 read literally: a neighbour of W in any level.  There is nothing below
 * level 0: up (j), down to another switch of level 0, up. */
static struct rule go_neighbour_switch_any_level(const struct trip *trip, const struct vertex *w,
                                                 enum kind kind)
{
    const ref_net *net = trip->net;
    struct rule rule = {0};
    if (w->level > 0) {
        return go_neighbour_switch(trip, w, kind);
    }
    add_hop(&rule, UP, any_value(net));
    add_hop(&rule, DOWN, other_than(net, w->digit[0]));
    add_hop(&rule, UP, exactly(trip->t->digit[0]));
    return rule;
}

/* Three-Turn in MiKANT: cross (x), cross back (y), cross. */
static struct rule three_turn_mikant(const struct trip *trip, const struct vertex *w)
{
    const ref_net *net = trip->net;
    int top = net->n - 2;
    struct rule rule = {0};
    add_hop(&rule, CROSS, other_than(net, trip->t->digit[top]));
    add_hop(&rule, CROSS, other_than(net, w->digit[top]));
    add_hop(&rule, CROSS, exactly(trip->t->digit[top]));
    return rule;
}

/* Three-Turn in a k-ary n-tree: up (x), down (y), up. */
static struct rule three_turn_tree(const struct trip *trip, const struct vertex *w)
{
    const ref_net *net = trip->net;
    int level = w->level;
    struct rule rule = {0};
    add_hop(&rule, UP, other_than(net, trip->t->digit[level]));
    add_hop(&rule, DOWN, other_than(net, w->digit[level]));
    add_hop(&rule, UP, exactly(trip->t->digit[level]));
    return rule;
}

/* X-Turns: cross (x), down (j), up (i), cross back (y), cross. */
static struct rule x_turns(const struct trip *trip, const struct vertex *w)
{
    const ref_net *net = trip->net;
    int top = net->n - 2;
    struct rule rule = {0};
    add_hop(&rule, CROSS, other_than(net, trip->t->digit[top]));
    add_hop(&rule, DOWN, any_value(net));
    add_hop(&rule, UP, other_than(net, w->digit[top - 1]));
    add_hop(&rule, CROSS, other_than(net, w->digit[top]));
    add_hop(&rule, CROSS, exactly(trip->t->digit[top]));
    return rule;
}

/* Go-Down-Level: down (j), up (i), down. */
static struct rule go_down_level(const struct trip *trip, const struct vertex *w)
{
    const ref_net *net = trip->net;
    int below = w->level - 1;
    struct rule rule = {0};
    add_hop(&rule, DOWN, other_than(net, trip->t->digit[below]));
    add_hop(&rule, UP, other_than(net, w->digit[below]));
    add_hop(&rule, DOWN, exactly(trip->t->digit[below]));
    return rule;
}

static bool enabled(const struct trip *trip, unsigned rule)
{
    return (trip->rules & rule) != 0;
}

/* Which rules apply to the faulty step, in order.  MiKANT. */
static int rules_mikant(const struct trip *trip, const struct vertex *w, enum kind kind,
                        struct rule list[])
{
    int count = 0;
    bool other_group = w->group != trip->t->group;
    /* Any switch of the other group can be the root of a pair inside one
     * group; across groups the cross link has to set D_{n-2} = T_{n-2}. */
    bool free_choice = kind == UP || (kind == CROSS && !other_group);
    bool last_cross = kind == CROSS && other_group;

    if (free_choice && enabled(trip, REF_ADAPTIVE_UP)) {
        list[count++] = adaptive_up(trip, w, kind);
    }
    if (last_cross && enabled(trip, REF_GNS)) {
        list[count++] = go_neighbour_switch(trip, w, CROSS);
    }
    if (other_group && enabled(trip, REF_GNS_ANY_LEVEL)) {
        list[count++] = go_neighbour_switch_any_level(trip, w, kind);
    }
    if (last_cross && enabled(trip, REF_THREE_TURN)) {
        list[count++] = three_turn_mikant(trip, w);
    }
    if (last_cross && enabled(trip, REF_X_TURNS)) {
        list[count++] = x_turns(trip, w);
    }
    if (kind == DOWN && enabled(trip, REF_GDL)) {
        list[count++] = go_down_level(trip, w);
    }
    return count;
}

/* The same for the k-ary n-tree: the last paragraph of each rule's section. */
static int rules_tree(const struct trip *trip, const struct vertex *w, enum kind kind,
                      struct rule list[])
{
    int count = 0;
    if (kind == UP && enabled(trip, REF_ADAPTIVE_UP)) {
        list[count++] = adaptive_up(trip, w, UP);
    }
    if (kind == UP && w->level >= 1 && enabled(trip, REF_GNS)) {
        list[count++] = go_neighbour_switch(trip, w, UP);
    }
    if (kind == UP && enabled(trip, REF_GNS_ANY_LEVEL)) {
        list[count++] = go_neighbour_switch_any_level(trip, w, UP);
    }
    if (kind == UP && enabled(trip, REF_THREE_TURN)) {
        list[count++] = three_turn_tree(trip, w);
    }
    if (kind == DOWN && enabled(trip, REF_GDL)) {
        list[count++] = go_down_level(trip, w);
    }
    return count;
}

/* ------------------------------------------------------------------------
 * Walking.
 * ------------------------------------------------------------------------ */

/* The switch that a link of this kind leads to, setting its digit to `value`:
 * up from L sets D_L, down from L sets D_{L-1}, across sets D_{n-2}. */
static int switch_behind(const ref_net *net, int at, enum kind kind, int value)
{
    struct vertex label = net->vertex[at];
    if (kind == UP) {
        label.digit[label.level] = value;
        label.level++;
    } else if (kind == DOWN) {
        label.digit[label.level - 1] = value;
        label.level--;
    } else {
        require(kind == CROSS && label.level == net->n - 2, "a cross link");
        label.digit[label.level] = value;
        label.group = 1 - label.group;
    }
    return switch_number(net, label.group, label.level, label.digit);
}

static bool healthy(const struct trip *trip, int u, int v)
{
    int link = ref_link_between(trip->net, u, v);
    require(link != -1, "a link between consecutive vertices");
    return !trip->down[link];
}

/* The d-th next switch of a hop. */
static int hop_target(const struct trip *trip, int at, const struct hop *hop, int d)
{
    int value = (hop->choice.base + d) % trip->net->k;
    return switch_behind(trip->net, at, hop->kind, value);
}

static void visit(ref_route *out, int vertex)
{
    require(out->path_count < REF_PATH_MAX, "a path of bounded length");
    out->path[out->path_count] = vertex;
    out->path_count++;
}

static int standing_at(const ref_route *out)
{
    return out->path[out->path_count - 1];
}

static enum ref_reason reason_of(enum kind kind)
{
    switch (kind) {
    case UP:
        return REF_BLOCKED_UP;
    case CROSS:
        return REF_BLOCKED_CROSS;
    case DOWN:
        return REF_BLOCKED_DOWN;
    case DELIVER:
        break;
    }
    return REF_BLOCKED_DESTINATION;
}

/* Scope detour: the first detour, in the rule's order, all of whose links are
 * healthy.  trail[h] becomes the switch after hop h. */
static bool find_detour(const struct trip *trip, const struct rule *rule, int at, int h,
                        int trail[])
{
    if (h == rule->hop_count) {
        return true;
    }
    const struct hop *hop = &rule->hop[h];
    for (int d = hop->choice.first_d; d <= hop->choice.last_d; d++) {
        trail[h] = hop_target(trip, at, hop, d);
        if (healthy(trip, at, trail[h]) && find_detour(trip, rule, trail[h], h + 1, trail)) {
            return true;
        }
    }
    return false;
}

/* Try the rules in turn.  If none has a detour the packet stays where it is,
 * blocked by the link that base routing needed. */
static enum ref_reason take_detour(const struct trip *trip, const struct rule list[], int count,
                                   enum kind wanted, ref_route *out)
{
    for (int r = 0; r < count; r++) {
        int trail[MAX_HOPS];
        if (find_detour(trip, &list[r], standing_at(out), 0, trail)) {
            for (int h = 0; h < list[r].hop_count; h++) {
                visit(out, trail[h]);
            }
            return REF_NOT_BLOCKED;
        }
    }
    return reason_of(wanted);
}

/* Scope local: the switch knows its own links, hence the first healthy one in
 * the rule's order.  -1 if there is none. */
static int first_healthy(const struct trip *trip, const struct hop *hop, int at)
{
    for (int d = hop->choice.first_d; d <= hop->choice.last_d; d++) {
        int next = hop_target(trip, at, hop, d);
        if (healthy(trip, at, next)) {
            return next;
        }
    }
    return -1;
}

/* Once inside a detour the packet is committed to it: no second try, and no
 * other rule, at a dead end. */
static enum ref_reason walk_rule(const struct trip *trip, const struct rule *rule, ref_route *out)
{
    for (int h = 0; h < rule->hop_count; h++) {
        int next = first_healthy(trip, &rule->hop[h], standing_at(out));
        if (next == -1) {
            return reason_of(rule->hop[h].kind);
        }
        visit(out, next);
    }
    return REF_NOT_BLOCKED;
}

/* The first rule that can be entered, that is, whose first hop has a healthy
 * link, decides ("Scope `local`"). */
static enum ref_reason walk_detour(const struct trip *trip, const struct rule list[], int count,
                                   enum kind wanted, ref_route *out)
{
    for (int r = 0; r < count; r++) {
        if (first_healthy(trip, &list[r].hop[0], standing_at(out)) != -1) {
            return walk_rule(trip, &list[r], out);
        }
    }
    return reason_of(wanted);
}

static enum ref_reason detour(const struct trip *trip, enum kind wanted, ref_route *out)
{
    const struct vertex *w = &trip->net->vertex[standing_at(out)];
    struct rule list[MAX_RULES];
    int count =
        trip->net->mikant ? rules_mikant(trip, w, wanted, list) : rules_tree(trip, w, wanted, list);
    if (trip->scope == REF_SCOPE_DETOUR) {
        return take_detour(trip, list, count, wanted, out);
    }
    return walk_detour(trip, list, count, wanted, out);
}

/* One step of base routing, or a detour in its place.  No rule applies to the
 * step that delivers: a faulty node link always means failure. */
static enum ref_reason advance(const struct trip *trip, ref_route *out)
{
    int at = standing_at(out);
    struct step step = base_step(trip, &trip->net->vertex[at]);
    int next = ref_neighbour(trip->net, at, step.port);
    if (healthy(trip, at, next)) {
        visit(out, next);
        return REF_NOT_BLOCKED;
    }
    if (step.kind == DELIVER) {
        return REF_BLOCKED_DESTINATION;
    }
    return detour(trip, step.kind, out);
}

static enum ref_reason leave_source(const struct trip *trip, int source, ref_route *out)
{
    int sw = ref_neighbour(trip->net, source, 0);
    visit(out, source);
    if (!healthy(trip, source, sw)) {
        return REF_BLOCKED_SOURCE;
    }
    visit(out, sw);
    return REF_NOT_BLOCKED;
}

static void check_rules(const ref_net *net, unsigned rules)
{
    bool gns = (rules & (REF_GNS | REF_GNS_ANY_LEVEL)) != 0;
    bool turns = (rules & REF_X_TURNS) != 0;
    require(rules < 2 * REF_GNS_ANY_LEVEL, "known rules only");
    require(!turns || net->mikant, "x-turns on MiKANT only");
    require(!turns || gns, "x-turns together with gns");
    require(!(gns && net->mikant) || net->n >= 3, "n >= 3 for gns, x-turns");
}

static bool is_node(const ref_net *net, int vertex)
{
    return vertex >= 0 && vertex < net->node_count;
}

void ref_route_packet(const ref_net *net, const bool *down, unsigned rules, enum ref_scope scope,
                      int source, int destination, ref_route *out)
{
    check_rules(net, rules);
    require(is_node(net, source) && is_node(net, destination), "two nodes");
    require(source != destination, "two different nodes");

    struct trip trip = {net, down, rules, scope, &net->vertex[destination]};
    out->path_count = 0;
    out->reason = leave_source(&trip, source, out);
    while (out->reason == REF_NOT_BLOCKED && standing_at(out) != destination) {
        /* Past the source, the only node that a packet can meet is T. */
        require(!is_node(net, standing_at(out)), "no stray delivery");
        out->reason = advance(&trip, out);
    }
    out->delivered = out->reason == REF_NOT_BLOCKED;
    out->length = out->delivered ? out->path_count - 1 : 0;
}
