/* The router spiral in its simplest form: to be read next to docs/spiral.md, section "The choice".
 */
#include "spiral.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES  20                 /* 7: a switch's number in its block is its digit mod 20 */
#define NOWHERE (INT64_C(1) << 32) /* 5 */

struct ref_spiral {
    const ref_net *net;
    bool mikant;
    int k;
    int n;
    int top; /* the highest level */
    enum ref_scope scope;
    int channels;
    bool marks;
};

/* The label of a switch: digit[i] is D_i. */
struct label {
    int group;
    int level;
    int digit[REF_MAX_N];
};

enum kind { DOWN, UP, ACROSS };

/* What the choice of a packet's next step depends on. */
struct packet {
    int at;
    int channel;
    int position; /* of the last link; 0 before the first step */
    int level;    /* of the last link's block; -1 before the first step */
    bool marked[2][PLACES];
};

struct trip {
    const ref_spiral *spiral;
    const bool *down;
    struct label t;
    int target;
    int *distance; /* [vertex] D */
};

struct step {
    int cost;
    bool to_marked;
    struct packet after;
};

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "reference of spiral: required: %s\n", what);
        abort();
    }
}

ref_spiral *ref_spiral_create(const ref_net *net, bool mikant, int k, int n, enum ref_scope scope,
                              int channels, bool marks)
{
    require(channels >= 1 && n >= 1 && n <= REF_MAX_N, "channels, 1 <= n");
    ref_spiral *spiral = calloc(1, sizeof *spiral);
    require(spiral != NULL, "enough memory");
    spiral->net = net;
    spiral->mikant = mikant;
    spiral->k = k;
    spiral->n = n;
    spiral->top = !mikant ? n - 1 : n >= 2 ? n - 2 : 0;
    spiral->scope = scope;
    spiral->channels = channels;
    spiral->marks = marks;
    return spiral;
}

void ref_spiral_destroy(ref_spiral *spiral)
{
    free(spiral);
}

/* ------------------------------------------------------------------------
 * Places.
 * ------------------------------------------------------------------------ */

/* Switches are numbered by group, level and D (reference.h). */
static struct label label_of(const ref_spiral *spiral, int vertex)
{
    struct label label = {0};
    int rest = vertex - ref_node_count(spiral->net);
    require(rest >= 0, "a switch");
    for (int i = 0; i < spiral->n - 1; i++) {
        label.digit[i] = rest % spiral->k;
        rest /= spiral->k;
    }
    label.level = rest % (spiral->top + 1);
    label.group = rest / (spiral->top + 1);
    return label;
}

/* D(w) of every switch w: links to t when nothing fails, found breadth first. */
static void measure_distances(struct trip *trip)
{
    const ref_net *net = trip->spiral->net;
    int vertices = ref_vertex_count(net);
    trip->distance = calloc((size_t)vertices, sizeof *trip->distance);
    int *queue = calloc((size_t)vertices, sizeof *queue);
    require(trip->distance != NULL && queue != NULL, "enough memory");
    for (int v = 0; v < vertices; v++) {
        trip->distance[v] = -1;
    }
    int head = 0;
    int tail = 0;
    trip->distance[trip->target] = 0;
    queue[tail++] = trip->target;
    while (head < tail) {
        int v = queue[head++];
        for (int port = 0; port < 2 * trip->spiral->k; port++) {
            int w = ref_neighbour(net, v, port);
            if (w >= ref_node_count(net) && trip->distance[w] == -1) {
                trip->distance[w] = trip->distance[v] + 1;
                queue[tail++] = w;
            }
        }
    }
    free(queue);
}

/* "Positions", under `detour`. */
static int position_detour(const ref_spiral *spiral, enum kind kind, const struct label *v)
{
    switch (kind) {
    case UP:
        return 1 + v->level;
    case ACROSS:
        return spiral->top + 2 + v->group;
    case DOWN:
        break;
    }
    return 2 * spiral->top + 4 - v->level;
}

/* "Positions", under `local`; a step up goes to digit x. */
static int position_local(const ref_spiral *spiral, enum kind kind, const struct label *v, int x)
{
    int top = spiral->top;
    int k = spiral->k;
    int b = 1 + top + v->group * (2 * k + 1);
    switch (kind) {
    case UP:
        return v->level + 1 < top ? 1 + v->level : b + 2 * x;
    case ACROSS:
        return b + 2 * k;
    case DOWN:
        break;
    }
    if (v->level == top) {
        return b + 2 * v->digit[top - 1] + 1;
    }
    return 1 + top + 2 * (2 * k + 1) + top - v->level;
}

/* ------------------------------------------------------------------------
 * Steps.
 * ------------------------------------------------------------------------ */

/* 7: the mark of a switch in the block of links of this level. */
static bool *mark_of(struct packet *packet, enum kind kind, int level, const struct label *sw)
{
    int side = kind == ACROSS ? sw->group : sw->level == level ? 0 : 1;
    return &packet->marked[side][sw->digit[level] % PLACES];
}

/* "v is in t's group and agrees with t in all digits from L upwards" */
static bool is_above_target(const struct trip *trip, const struct label *v)
{
    if (v->group != trip->t.group) {
        return false;
    }
    for (int i = v->level; i <= trip->spiral->n - 2; i++) {
        if (v->digit[i] != trip->t.digit[i]) {
            return false;
        }
    }
    return true;
}

/* 4, but for the marks. */
static int cost_of(const struct trip *trip, enum kind kind, const struct label *v, int digit,
                   bool next_channel)
{
    int cost = 4;
    if (next_channel) {
        cost += 6;
    }
    if (kind == ACROSS && digit != trip->t.digit[trip->spiral->n - 2]) {
        cost += 2;
    }
    if (kind != DOWN && is_above_target(trip, v)) {
        cost += 24;
    }
    return cost;
}

/* The step of this kind to this digit; false where the order does not allow it or the link is
 * down. */
static bool take(const struct trip *trip, const struct packet *packet, enum kind kind, int digit,
                 struct step *out)
{
    const ref_spiral *spiral = trip->spiral;
    struct label v = label_of(spiral, packet->at);
    int port = kind == DOWN ? digit : spiral->k + digit;
    int w = ref_neighbour(spiral->net, packet->at, port);
    int link = ref_link_between(spiral->net, packet->at, w);
    if (trip->down[link]) {
        return false;
    }

    int position = spiral->scope == REF_SCOPE_LOCAL ? position_local(spiral, kind, &v, digit)
                                                    : position_detour(spiral, kind, &v);
    bool next_channel = position <= packet->position;
    int channel = packet->channel + (next_channel ? 1 : 0);
    if (channel >= spiral->channels) {
        return false; /* 3 */
    }

    struct packet *after = &out->after;
    struct label far_end = label_of(spiral, w);
    int level = kind == DOWN ? v.level - 1 : v.level;
    *after = *packet;
    if (level != packet->level) {
        memset(after->marked, 0, sizeof after->marked);
    }
    out->to_marked = spiral->marks && *mark_of(after, kind, level, &far_end);
    out->cost = cost_of(trip, kind, &v, digit, next_channel);
    if (out->to_marked) {
        out->cost += 12;
    }
    *mark_of(after, kind, level, &v) = true;
    after->at = w;
    after->channel = channel;
    after->position = position;
    after->level = level;
    return true;
}

/* 2: all steps from where the packet is, in order; returns how many. out has room for 2k. */
static int list_steps(const struct trip *trip, const struct packet *packet, struct step out[])
{
    const ref_spiral *spiral = trip->spiral;
    struct label v = label_of(spiral, packet->at);
    int count = 0;
    for (int i = 0; i < spiral->k; i++) {
        if (v.level >= 1) {
            int digit = (trip->t.digit[v.level - 1] + i) % spiral->k;
            count += take(trip, packet, DOWN, digit, &out[count]);
        }
        if (v.level < spiral->top || (spiral->mikant && spiral->n >= 2)) {
            int digit = (trip->t.digit[v.level] + i) % spiral->k;
            enum kind kind = v.level < spiral->top ? UP : ACROSS;
            count += take(trip, packet, kind, digit, &out[count]);
        }
    }
    return count;
}

/* ------------------------------------------------------------------------
 * The choice.
 * ------------------------------------------------------------------------ */

static int64_t without_faults(const struct trip *trip, int w)
{
    return 4 * (int64_t)trip->distance[w];
}

/* 5: A(w, m), with w where the packet is. */
static int64_t ahead(const struct trip *trip, const struct packet *packet, int m)
{
    if (m == 0 || packet->at == trip->target) {
        return without_faults(trip, packet->at);
    }
    struct step steps[2 * trip->spiral->k];
    int count = list_steps(trip, packet, steps);
    int64_t least = NOWHERE;
    for (int i = 0; i < count; i++) {
        int64_t total = steps[i].cost + ahead(trip, &steps[i].after, m - 1);
        if (total < least) { /* never more than NOWHERE */
            least = total;
        }
    }
    return least;
}

/* 6. False: blocked. */
static bool choose(const struct trip *trip, const struct packet *packet, struct step *out)
{
    struct step steps[2 * trip->spiral->k];
    int count = list_steps(trip, packet, steps);
    int m = trip->spiral->scope == REF_SCOPE_LOCAL ? 0 : 4;
    int64_t best_total = 0;
    int64_t best_near = 0;
    for (int i = 0; i < count; i++) {
        const struct step *step = &steps[i];
        int64_t total = step->cost + ahead(trip, &step->after, m);
        int64_t near = step->cost + without_faults(trip, step->after.at);
        if (i == 0 || total < best_total || (total == best_total && near < best_near)) {
            *out = *step;
            best_total = total;
            best_near = near;
        }
    }
    return count > 0;
}

/* ------------------------------------------------------------------------
 * Walking.
 * ------------------------------------------------------------------------ */

static void visit(ref_spiral_route *out, int vertex, int channel)
{
    require(out->path_count < REF_SPIRAL_PATH_MAX, "a path of bounded length");
    out->path[out->path_count] = vertex;
    out->channel[out->path_count] = channel;
    out->path_count++;
}

static enum ref_reason walk(const struct trip *trip, int source, int destination,
                            ref_spiral_route *out)
{
    const ref_net *net = trip->spiral->net;
    struct packet packet = {0};
    packet.level = -1;
    packet.at = ref_neighbour(net, source, 0);
    visit(out, source, -1);
    if (trip->down[ref_link_between(net, source, packet.at)]) {
        return REF_BLOCKED_SOURCE;
    }
    visit(out, packet.at, -1);
    while (packet.at != trip->target) {
        struct step step = {0};
        if (!choose(trip, &packet, &step)) {
            return REF_BLOCKED_UP;
        }
        packet = step.after;
        visit(out, packet.at, packet.channel);
        out->marked_steps += step.to_marked;
    }
    if (trip->down[ref_link_between(net, destination, trip->target)]) {
        return REF_BLOCKED_DESTINATION; /* 1 */
    }
    visit(out, destination, -1);
    return REF_NOT_BLOCKED;
}

void ref_spiral_route_packet(const ref_spiral *spiral, const bool *down, int source,
                             int destination, ref_spiral_route *out)
{
    require(source != destination, "two different nodes");
    struct trip trip = {.spiral = spiral, .down = down};
    trip.target = ref_neighbour(spiral->net, destination, 0);
    trip.t = label_of(spiral, trip.target);
    measure_distances(&trip);
    out->path_count = 0;
    out->marked_steps = 0;
    out->reason = walk(&trip, source, destination, out);
    out->delivered = out->reason == REF_NOT_BLOCKED;
    free(trip.distance);
}
