/*
 * Checks the reference against published values and values computed by hand:
 * sizes, Table II, all-pairs distances, detours, and the "Exact values for
 * checking" of docs/algorithms.md.  Prints value, expected value and, for
 * sampled values, z.  Exit status 0 if everything agrees.
 */
#include "reference.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 200000, MAX_LINKS = 1024, MAX_SETS = 8 };

static const double Z_LIMIT = 4.0;

static int checks;
static int failures;

static void report(bool good)
{
    checks++;
    if (!good) {
        failures++;
        printf("  <== FAILED");
    }
    printf("\n");
}

static void check_int(const char *what, long value, long expected)
{
    printf("%-44s %8ld  expected %8ld", what, value, expected);
    report(value == expected);
}

/* ------------------------------------------------------------------------
 * Sizes and structure.
 * ------------------------------------------------------------------------ */

static int power(int k, int exponent)
{
    int result = 1;
    for (int i = 0; i < exponent; i++) {
        result *= k;
    }
    return result;
}

/* Every link is found from both ends; ports lead there and back. */
static bool links_agree(const ref_net *net)
{
    for (int link = 0; link < ref_link_count(net); link++) {
        int u;
        int v;
        ref_link_ends(net, link, &u, &v);
        if (ref_link_between(net, u, v) != link || ref_link_between(net, v, u) != link) {
            return false;
        }
    }
    return true;
}

static int ports_in_use(const ref_net *net, int k)
{
    int used = 0;
    for (int v = 0; v < ref_vertex_count(net); v++) {
        for (int port = 0; port < 2 * k; port++) {
            used += ref_neighbour(net, v, port) != -1;
        }
    }
    return used;
}

static void check_sizes(bool mikant, int k, int n)
{
    ref_net *net = ref_net_create(mikant, k, n);
    /* MiKANT's closed forms start at n = 2; n = 1 is one switch, 2k links. */
    int nodes = (mikant ? 2 : 1) * power(k, n);
    int switches = (mikant ? 2 * n - 2 : n) * power(k, n - 1);
    int links = (mikant ? 2 * n - 1 : n) * power(k, n);
    if (mikant && n == 1) {
        switches = 1;
        links = 2 * k;
    }
    printf("%-10s k=%d n=%d: nodes %d (%d) switches %d (%d) links %d (%d)",
           mikant ? "mikant" : "kary-ntree", k, n, ref_node_count(net), nodes,
           ref_switch_count(net), switches, ref_link_count(net), links);
    report(ref_node_count(net) == nodes && ref_switch_count(net) == switches &&
           ref_link_count(net) == links && links_agree(net) && ports_in_use(net, k) == 2 * links);
    ref_net_destroy(net);
}

static void check_all_sizes(void)
{
    printf("-- sizes, value (closed form)\n");
    for (int n = 1; n <= 4; n++) {
        for (int k = 1; k <= 4; k++) {
            check_sizes(true, k, n);
            check_sizes(false, k, n);
        }
    }
}

static void check_label(bool mikant, int k, int n, int vertex, const char *expected)
{
    ref_net *net = ref_net_create(mikant, k, n);
    char label[64];
    ref_vertex_label(net, vertex, label, sizeof label);
    printf("label of vertex %d: %s  expected %s", vertex, label, expected);
    report(strcmp(label, expected) == 0);
    ref_net_destroy(net);
}

static void check_labels(void)
{
    printf("-- labels\n");
    check_label(true, 3, 3, 18, "<0,200>");
    check_label(true, 3, 3, 54 + 9 + 2, "<0,1,02>");
    check_label(true, 3, 1, 6, "<0,0,>");
    check_label(true, 3, 1, 4, "<1,1>");
    check_label(false, 3, 3, 18, "<200>");
    check_label(false, 3, 3, 27 + 9 + 2, "<1,02>");
    check_label(false, 3, 1, 3, "<0,>");
    check_label(true, 12, 2, 12 * 12 + 12 + 11, "<1,1.11>");
    check_label(true, 10, 2, 199, "<1,99>");
}

/* ------------------------------------------------------------------------
 * No faults: the routes are shortest paths.
 * ------------------------------------------------------------------------ */

static void distances_from(const ref_net *net, int k, int start, int *distance)
{
    int vertices = ref_vertex_count(net);
    int *queue = malloc((size_t)vertices * sizeof *queue);
    int head = 0;
    int tail = 0;
    if (queue == NULL) {
        abort();
    }
    for (int v = 0; v < vertices; v++) {
        distance[v] = -1;
    }
    distance[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        int at = queue[head++];
        for (int port = 0; port < 2 * k; port++) {
            int next = ref_neighbour(net, at, port);
            if (next != -1 && distance[next] == -1) {
                distance[next] = distance[at] + 1;
                queue[tail++] = next;
            }
        }
    }
    free(queue);
}

static void check_distances(bool mikant, int k, int n)
{
    ref_net *net = ref_net_create(mikant, k, n);
    bool *down = calloc((size_t)ref_link_count(net), sizeof *down);
    int *distance = malloc((size_t)ref_vertex_count(net) * sizeof *distance);
    if (down == NULL || distance == NULL) {
        abort();
    }
    long total = 0;
    long wrong = 0;
    long pairs = 0;
    for (int s = 0; s < ref_node_count(net); s++) {
        distances_from(net, k, s, distance);
        for (int t = 0; t < ref_node_count(net); t++) {
            if (s != t) {
                ref_route route;
                ref_route_packet(net, down, 0, REF_SCOPE_DETOUR, s, t, &route);
                wrong += !route.delivered || route.length != distance[t];
                total += route.length;
                pairs++;
            }
        }
    }
    printf("%-10s k=%d n=%d: %ld pairs, %ld not shortest, mean %ld/%ld = %.6f",
           mikant ? "mikant" : "kary-ntree", k, n, pairs, wrong, total, pairs,
           (double)total / (double)pairs);
    report(wrong == 0);
    if (mikant && k == 3 && n == 3) {
        check_int("   mean is 271/53: 53 * total, 271 * pairs", 53 * total, 271 * pairs);
    }
    if (!mikant && k == 3 && n == 3) { /* 5.037037 = 136/27 with self */
        check_int("   mean with self is 136/27", 27 * total, 136 * (pairs + ref_node_count(net)));
    }
    free(down);
    free(distance);
    ref_net_destroy(net);
}

static void check_all_distances(void)
{
    printf("-- no faults, all pairs, against breadth-first search\n");
    for (int n = 1; n <= 4; n++) {
        for (int k = 2; k <= 3; k++) {
            check_distances(true, k, n);
            check_distances(false, k, n);
        }
    }
    check_distances(true, 5, 2);
    check_distances(false, 5, 2);
}

/* ------------------------------------------------------------------------
 * Paths written out as labels.
 * ------------------------------------------------------------------------ */

static int vertex_of(const ref_net *net, const char *label)
{
    for (int v = 0; v < ref_vertex_count(net); v++) {
        char text[64];
        ref_vertex_label(net, v, text, sizeof text);
        if (strcmp(text, label) == 0) {
            return v;
        }
    }
    fprintf(stderr, "selfcheck: no vertex %s\n", label);
    abort();
}

static void path_text(const ref_net *net, const ref_route *route, char *out, size_t size)
{
    static const char *const reason[] = {"delivered",  "blocked-source", "blocked-destination",
                                         "blocked-up", "blocked-cross",  "blocked-down"};
    size_t used = 0;
    for (int i = 0; i < route->path_count; i++) {
        char label[64];
        ref_vertex_label(net, route->path[i], label, sizeof label);
        used += (size_t)snprintf(out + used, size - used, "%s ", label);
    }
    snprintf(out + used, size - used, "%s", reason[route->reason]);
}

/* `faults`: pairs of labels, ended by NULL.  The path ends with its outcome. */
static void check_path(const ref_net *net, const char *what, unsigned rules, enum ref_scope scope,
                       const char *source, const char *destination, const char *const faults[],
                       const char *expected)
{
    bool down[MAX_LINKS] = {false};
    for (int i = 0; faults[i] != NULL; i += 2) {
        int link = ref_link_between(net, vertex_of(net, faults[i]), vertex_of(net, faults[i + 1]));
        if (link == -1) {
            fprintf(stderr, "selfcheck: no link %s %s\n", faults[i], faults[i + 1]);
            abort();
        }
        down[link] = true;
    }
    ref_route route;
    char text[2048];
    ref_route_packet(net, down, rules, scope, vertex_of(net, source), vertex_of(net, destination),
                     &route);
    path_text(net, &route, text, sizeof text);
    printf("%-28s %s", what, text);
    bool good = strcmp(text, expected) == 0;
    if (!good) {
        printf("\n%-28s %s", "   expected", expected);
    }
    report(good);
}

#define NO_FAULTS   ((const char *const[]){NULL})
#define FAULTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* For the second example our copy of the paper shows only the ends and the
 * last switch; the text gives its length, the diameter 8, and the rule.  The
 * switches in between are filled in here.  The ports of the first
 * example (5 5 5 2 2 2) are implied by its switches. */
static void check_table_2(void)
{
    printf("-- MiKANT paper, Table II, MiKANT(3,4)\n");
    ref_net *net = ref_net_create(true, 3, 4);
    const enum ref_scope scope = REF_SCOPE_DETOUR;
    check_path(net, "1: other group", 0, scope, "<0,2000>", "<1,2222>", NO_FAULTS,
               "<0,2000> <0,0,000> <0,1,002> <0,2,022> <1,2,222> <1,1,222> "
               "<1,0,222> <1,2222> delivered");
    check_path(net, "2: same group, diameter", 0, scope, "<0,2000>", "<0,2222>", NO_FAULTS,
               "<0,2000> <0,0,000> <0,1,002> <0,2,022> <1,2,222> <0,2,222> "
               "<0,1,222> <0,0,222> <0,2222> delivered");
    check_path(net, "3: same group, root level 2", 0, scope, "<0,2000>", "<0,2022>", NO_FAULTS,
               "<0,2000> <0,0,000> <0,1,002> <0,2,022> <0,1,022> <0,0,022> "
               "<0,2022> delivered");
    check_path(net, "4: same group, root level 1", 0, scope, "<0,2000>", "<0,2002>", NO_FAULTS,
               "<0,2000> <0,0,000> <0,1,002> <0,0,002> <0,2002> delivered");
    int u = vertex_of(net, "<0,0,000>");
    check_int("port 5 of <0,0,000> is <0,1,002>", ref_neighbour(net, u, 5),
              vertex_of(net, "<0,1,002>"));
    u = vertex_of(net, "<1,2,222>");
    check_int("port 2 of <1,2,222> is <1,1,222>", ref_neighbour(net, u, 2),
              vertex_of(net, "<1,1,222>"));
    ref_net_destroy(net);
}

static void check_detours_mikant(void)
{
    printf("-- detours worked by hand, MiKANT(3,3)\n");
    ref_net *net = ref_net_create(true, 3, 3);
    const enum ref_scope all = REF_SCOPE_DETOUR;
    const enum ref_scope local = REF_SCOPE_LOCAL;
    const char *s = "<0,000>";
    const char *t = "<1,000>";

    check_path(net, "source", 0, all, s, t, FAULTS("<0,000>", "<0,0,00>"),
               "<0,000> blocked-source");
    check_path(net, "destination", REF_GDL, all, s, t, FAULTS("<1,000>", "<1,0,00>"),
               "<0,000> <0,0,00> <0,1,00> <1,1,00> <1,0,00> "
               "blocked-destination");
    check_path(net, "up, no rule", REF_GNS | REF_GDL | REF_THREE_TURN, all, s, t,
               FAULTS("<0,0,00>", "<0,1,00>"), "<0,000> <0,0,00> blocked-up");
    check_path(net, "adaptive-up", REF_ADAPTIVE_UP, all, s, t, FAULTS("<0,0,00>", "<0,1,00>"),
               "<0,000> <0,0,00> <0,1,01> <1,1,01> <1,0,00> <1,000> delivered");
    check_path(net, "cross, no rule", REF_ADAPTIVE_UP | REF_GDL, all, s, t,
               FAULTS("<0,1,00>", "<1,1,00>"), "<0,000> <0,0,00> <0,1,00> blocked-cross");
    check_path(net, "gns", REF_GNS, all, s, t, FAULTS("<0,1,00>", "<1,1,00>"),
               "<0,000> <0,0,00> <0,1,00> <0,0,00> <0,1,01> <1,1,01> <1,0,00> "
               "<1,000> delivered");
    check_path(net, "gns-any-level, level 0", REF_GNS_ANY_LEVEL, all, s, t,
               FAULTS("<0,0,00>", "<0,1,00>"),
               "<0,000> <0,0,00> <0,1,01> <0,0,01> <0,1,00> <1,1,00> <1,0,00> "
               "<1,000> delivered");
    check_path(net, "gns-any-level, across", REF_GNS_ANY_LEVEL, all, s, t,
               FAULTS("<0,1,00>", "<1,1,00>"),
               "<0,000> <0,0,00> <0,1,00> <0,0,00> <0,1,01> <1,1,01> <1,0,00> "
               "<1,000> delivered");
    check_path(net, "gns-any-level, own group", REF_GNS_ANY_LEVEL, all, s, "<0,010>",
               FAULTS("<0,0,00>", "<0,1,00>"), "<0,000> <0,0,00> blocked-up");
    check_path(net, "three-turn", REF_THREE_TURN, all, s, t, FAULTS("<0,1,00>", "<1,1,00>"),
               "<0,000> <0,0,00> <0,1,00> <1,1,10> <0,1,10> <1,1,00> <1,0,00> "
               "<1,000> delivered");
    check_path(net, "three-turn, 2nd y", REF_THREE_TURN, all, s, t,
               FAULTS("<0,1,00>", "<1,1,00>", "<0,1,10>", "<1,1,00>"),
               "<0,000> <0,0,00> <0,1,00> <1,1,10> <0,1,20> <1,1,00> <1,0,00> "
               "<1,000> delivered");
    check_path(net, "three-turn, dead end", REF_THREE_TURN, local, s, t,
               FAULTS("<0,1,00>", "<1,1,00>", "<0,1,10>", "<1,1,00>"),
               "<0,000> <0,0,00> <0,1,00> <1,1,10> <0,1,10> blocked-cross");
    check_path(net, "gns before three-turn", REF_GNS | REF_THREE_TURN, all, s, t,
               FAULTS("<0,1,00>", "<1,1,00>"),
               "<0,000> <0,0,00> <0,1,00> <0,0,00> <0,1,01> <1,1,01> <1,0,00> "
               "<1,000> delivered");
    const char *const block[] = {"<0,1,00>", "<1,1,00>", "<0,1,01>", "<1,1,01>",
                                 "<0,1,02>", "<1,1,02>", NULL};
    check_path(net, "x-turns", REF_GNS | REF_X_TURNS, all, s, t, block,
               "<0,000> <0,0,00> <0,1,00> <1,1,10> <1,0,10> <1,1,11> <0,1,11> "
               "<1,1,01> <1,0,00> <1,000> delivered");
    check_path(net, "x-turns, local: gns first", REF_GNS | REF_X_TURNS, local, s, t, block,
               "<0,000> <0,0,00> <0,1,00> <0,0,00> <0,1,01> blocked-cross");
    check_path(net, "gdl", REF_GDL, all, s, t, FAULTS("<1,1,00>", "<1,0,00>"),
               "<0,000> <0,0,00> <0,1,00> <1,1,00> <1,0,01> <1,1,01> <1,0,00> "
               "<1,000> delivered");
    const char *const foot[] = {"<1,1,00>", "<1,0,00>", "<1,1,01>", "<1,0,01>",
                                "<1,1,02>", "<1,0,01>", NULL};
    check_path(net, "gdl, 2nd j", REF_GDL, all, s, t, foot,
               "<0,000> <0,0,00> <0,1,00> <1,1,00> <1,0,02> <1,1,01> <1,0,00> "
               "<1,000> delivered");
    check_path(net, "gdl, dead end", REF_GDL, local, s, t, foot,
               "<0,000> <0,0,00> <0,1,00> <1,1,00> <1,0,01> blocked-up");
    check_path(net, "gdl, none to enter", REF_GDL, local, s, t,
               FAULTS("<1,1,00>", "<1,0,00>", "<1,1,00>", "<1,0,01>", "<1,1,00>", "<1,0,02>"),
               "<0,000> <0,0,00> <0,1,00> <1,1,00> blocked-down");
    check_path(net, "gns at a root", REF_GNS | REF_ADAPTIVE_UP, all, s, "<0,010>",
               FAULTS("<1,1,10>", "<0,1,10>"),
               "<0,000> <0,0,00> <0,1,00> <1,1,10> <1,0,10> <1,1,11> <0,1,11> "
               "<0,0,10> <0,010> delivered");
    check_path(net, "adaptive-up, other root", REF_GNS | REF_ADAPTIVE_UP, all, s, "<0,010>",
               FAULTS("<0,1,00>", "<1,1,10>"),
               "<0,000> <0,0,00> <0,1,00> <1,1,20> <0,1,10> <0,0,10> <0,010> "
               "delivered");
    check_path(net, "no gns before the root", REF_GNS, all, s, "<0,010>",
               FAULTS("<0,1,00>", "<1,1,10>"), "<0,000> <0,0,00> <0,1,00> blocked-cross");
    ref_net_destroy(net);
}

static void check_detours_tree(void)
{
    printf("-- detours worked by hand, 3-ary 3-tree\n");
    ref_net *net = ref_net_create(false, 3, 3);
    const enum ref_scope all = REF_SCOPE_DETOUR;
    const enum ref_scope local = REF_SCOPE_LOCAL;
    const char *s = "<000>";
    const char *t = "<010>";
    check_path(net, "base", 0, all, s, t, NO_FAULTS,
               "<000> <0,00> <1,00> <2,10> <1,10> <0,10> <010> delivered");
    check_path(net, "gns", REF_GNS, all, s, t, FAULTS("<1,00>", "<2,10>"),
               "<000> <0,00> <1,00> <0,00> <1,01> <2,11> <1,11> <0,10> <010> "
               "delivered");
    check_path(net, "three-turn", REF_THREE_TURN, all, s, t, FAULTS("<1,00>", "<2,10>"),
               "<000> <0,00> <1,00> <2,20> <1,10> <2,10> <1,10> <0,10> <010> "
               "delivered");
    check_path(net, "three-turn, level 0", REF_GNS | REF_THREE_TURN, all, s, t,
               FAULTS("<0,00>", "<1,00>"),
               "<000> <0,00> <1,01> <0,01> <1,00> <2,10> <1,10> <0,10> <010> "
               "delivered");
    check_path(net, "gns: none on level 0", REF_GNS, all, s, t, FAULTS("<0,00>", "<1,00>"),
               "<000> <0,00> blocked-up");
    check_path(net, "adaptive-up", REF_ADAPTIVE_UP | REF_GNS, all, s, t, FAULTS("<1,00>", "<2,10>"),
               "<000> <0,00> <1,00> <2,20> <1,10> <0,10> <010> delivered");
    check_path(net, "gdl", REF_GDL, all, s, t, FAULTS("<2,10>", "<1,10>"),
               "<000> <0,00> <1,00> <2,10> <1,20> <2,20> <1,10> <0,10> <010> "
               "delivered");
    check_path(net, "gdl, dead end", REF_GDL, local, s, t,
               FAULTS("<2,10>", "<1,10>", "<2,20>", "<1,10>"),
               "<000> <0,00> <1,00> <2,10> <1,20> <2,20> blocked-down");
    ref_net_destroy(net);
}

/* ------------------------------------------------------------------------
 * Random faults.
 * ------------------------------------------------------------------------ */

static uint64_t random_state = 20240607;

/* splitmix64 */
static uint64_t random_word(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int random_below(int bound) /* the bias is below 2^-50 */
{
    return (int)(random_word() % (uint64_t)bound);
}

/* Exactly f of the links, every choice equally likely. */
static void draw_faults(int links, int f, bool *down)
{
    int order[MAX_LINKS];
    for (int i = 0; i < links; i++) {
        order[i] = i;
        down[i] = false;
    }
    for (int i = 0; i < f; i++) {
        int j = i + random_below(links - i);
        int chosen = order[j];
        order[j] = order[i];
        order[i] = chosen;
        down[chosen] = true;
    }
}

static void draw_pair(int nodes, int *source, int *destination)
{
    *source = random_below(nodes);
    do {
        *destination = random_below(nodes);
    } while (*destination == *source);
}

/* A route is what it claims to be: linked vertices, healthy links, ends where
 * it should, length = links of the path. */
static bool sound(const ref_net *net, const bool *down, int source, int destination,
                  const ref_route *r)
{
    int last = r->path[r->path_count - 1];
    bool good = r->path[0] == source;
    for (int i = 1; i < r->path_count; i++) {
        int link = ref_link_between(net, r->path[i - 1], r->path[i]);
        good = good && link != -1 && !down[link];
    }
    good = good && r->delivered == (last == destination);
    good = good && r->delivered == (r->reason == REF_NOT_BLOCKED);
    return good && (!r->delivered || r->length == r->path_count - 1);
}

/* The sets of Figs. 8 and 9, and the other reading of gns. */
static const unsigned evaluated[] = {
    0,
    REF_GNS,
    REF_GDL,
    REF_THREE_TURN,
    REF_GNS | REF_GDL,
    REF_THREE_TURN | REF_GDL,
    REF_GNS | REF_X_TURNS,
    REF_GNS | REF_X_TURNS | REF_GDL,
    REF_GNS | REF_THREE_TURN,
    REF_GNS | REF_THREE_TURN | REF_GDL,
    REF_GNS | REF_THREE_TURN | REF_X_TURNS | REF_GDL,
    REF_GNS_ANY_LEVEL | REF_X_TURNS | REF_GDL,
};
enum { EVALUATED = sizeof evaluated / sizeof evaluated[0] };

/* Every set, with and without adaptive-up, in both scopes.  A packet that base
 * routing delivers, every set delivers along the same path. */
static void check_soundness(bool mikant, int k, int n)
{
    ref_net *net = ref_net_create(mikant, k, n);
    int links = ref_link_count(net);
    long wrong = 0;
    long routes = 0;
    for (int trial = 0; trial < 2000; trial++) {
        bool down[MAX_LINKS];
        int s;
        int t;
        ref_route base;
        draw_faults(links, random_below(links / 2), down);
        draw_pair(ref_node_count(net), &s, &t);
        ref_route_packet(net, down, 0, REF_SCOPE_DETOUR, s, t, &base);
        for (int i = 0; i < 4 * EVALUATED; i++) {
            unsigned rules = evaluated[i / 4];
            rules |= i % 2 == 1 ? REF_ADAPTIVE_UP : 0u;
            enum ref_scope scope = i % 4 >= 2 ? REF_SCOPE_LOCAL : REF_SCOPE_DETOUR;
            if (!mikant && (rules & REF_X_TURNS) != 0) {
                continue;
            }
            ref_route r;
            ref_route_packet(net, down, rules, scope, s, t, &r);
            bool same = r.path_count == base.path_count &&
                        memcmp(r.path, base.path, (size_t)r.path_count * sizeof r.path[0]) == 0;
            wrong += !sound(net, down, s, t, &r);
            wrong += base.delivered && !same;
            routes++;
        }
    }
    printf("%-10s k=%d n=%d: %ld routes, %ld unsound", mikant ? "mikant" : "kary-ntree", k, n,
           routes, wrong);
    report(wrong == 0);
    ref_net_destroy(net);
}

static void check_all_soundness(void)
{
    printf("-- every set, both scopes, random faults: paths are sound\n");
    check_soundness(true, 2, 3);
    check_soundness(true, 3, 3);
    check_soundness(true, 2, 4);
    check_soundness(true, 2, 5);
    check_soundness(false, 3, 3);
    check_soundness(false, 2, 4);
    check_soundness(false, 3, 4);
}

/* ------------------------------------------------------------------------
 * "Exact values for checking".
 * ------------------------------------------------------------------------ */

struct expected {
    const char *set;
    unsigned rules;
    double success[4];
    double length[4];
};

static const int fault_counts[4] = {1, 10, 40, 80};

static const struct expected mikant_table[] = {
    {"shortest", 0, {.962124, .671929, .170294, .015535}, {5.1072, 5.0479, 4.7426, 3.7002}},
    {"gns", REF_GNS, {.968414, .717873, .217585, .019216}, {5.1221, 5.1973, 5.3001, 4.3610}},
    {"gdl", REF_GDL, {.969252, .724366, .220685, .019089}, {5.1229, 5.2040, 5.2714, 4.2535}},
    {"three-turn",
     REF_THREE_TURN,
     {.968414, .717694, .212449, .017822},
     {5.1221, 5.1968, 5.2588, 4.1627}},
    {"gns+gdl",
     REF_GNS | REF_GDL,
     {.975542, .773687, .283163, .023906},
     {5.1375, 5.3516, 5.8280, 4.9323}},
    {"adaptive-up",
     REF_ADAPTIVE_UP,
     {.971768, .743552, .253273, .027407},
     {5.1105, 5.0832, 4.9345, 4.3023}},
};
enum { MIKANT_SETS = sizeof mikant_table / sizeof mikant_table[0] };

/* Only f = 10 is given: column 1. */
static const struct expected tree_table[] = {
    {"shortest", 0, {0, .499283, 0, 0}, {0, 4.9875, 0, 0}},
    {"gns", REF_GNS, {0, .544935, 0, 0}, {0, 5.2399, 0, 0}},
    {"gdl", REF_GDL, {0, .614886, 0, 0}, {0, 5.5099, 0, 0}},
    {"three-turn", REF_THREE_TURN, {0, .614886, 0, 0}, {0, 5.5099, 0, 0}},
    {"adaptive-up", REF_ADAPTIVE_UP, {0, .616330, 0, 0}, {0, 5.1162, 0, 0}},
    {"gns+gdl", REF_GNS | REF_GDL, {0, .673303, 0, 0}, {0, 5.7660, 0, 0}},
};
enum { TREE_SETS = sizeof tree_table / sizeof tree_table[0] };

struct tally {
    double tried;
    double delivered;
    double length;
    double length_squared;
};

static void count_route(struct tally *tally, const ref_route *route)
{
    tally->tried += 1;
    if (route->delivered) {
        double length = route->length;
        tally->delivered += 1;
        tally->length += length;
        tally->length_squared += length * length;
    }
}

/* Equal to the last digit printed. */
static void check_exact(const char *set, int f, double success, double expected_success,
                        double length, double expected_length)
{
    printf("%-12s f=%-3d success %.6f expected %.6f   length %.4f expected %.4f", set, f, success,
           expected_success, length, expected_length);
    report(fabs(success - expected_success) <= 0.5000001e-6 &&
           fabs(length - expected_length) <= 0.5000001e-4);
}

/* f = 1 by enumeration: every fault, every pair. */
static void check_one_fault(const ref_net *net, const struct expected *e)
{
    struct tally tally = {0};
    bool down[MAX_LINKS] = {false};
    for (int fault = 0; fault < ref_link_count(net); fault++) {
        down[fault] = true;
        for (int s = 0; s < ref_node_count(net); s++) {
            for (int t = 0; t < ref_node_count(net); t++) {
                if (s != t) {
                    ref_route r;
                    ref_route_packet(net, down, e->rules, REF_SCOPE_DETOUR, s, t, &r);
                    count_route(&tally, &r);
                }
            }
        }
        down[fault] = false;
    }
    check_exact(e->set, 1, tally.delivered / tally.tried, e->success[0],
                tally.length / tally.delivered, e->length[0]);
}

/* C(links - h, f) / C(links, f) */
static double all_healthy(int links, int h, int f)
{
    double p = 1;
    for (int i = 0; i < h; i++) {
        p *= (double)(links - f - i) / (double)(links - i);
    }
    return p;
}

/* The closed form of `shortest`, over the lengths of the fault-free paths. */
static void check_closed_form(const ref_net *net, const struct expected *e, int column)
{
    bool down[MAX_LINKS] = {false};
    double pairs = 0;
    double success = 0;
    double length = 0;
    for (int s = 0; s < ref_node_count(net); s++) {
        for (int t = 0; t < ref_node_count(net); t++) {
            if (s != t) {
                ref_route r;
                ref_route_packet(net, down, 0, REF_SCOPE_DETOUR, s, t, &r);
                double p = all_healthy(ref_link_count(net), r.length, fault_counts[column]);
                pairs += 1;
                success += p;
                length += p * r.length;
            }
        }
    }
    check_exact(e->set, fault_counts[column], success / pairs, e->success[column], length / success,
                e->length[column]);
}

static void check_sampled(const struct expected *e, int column, const struct tally *tally)
{
    double p = e->success[column];
    double ratio = tally->delivered / tally->tried;
    double z_ratio = (ratio - p) / sqrt(p * (1 - p) / tally->tried);
    double mean = tally->length / tally->delivered;
    double variance = tally->length_squared / tally->delivered - mean * mean;
    double z_mean = (mean - e->length[column]) / sqrt(variance / tally->delivered);
    printf("%-12s f=%-3d success %.6f expected %.6f z %+5.2f   "
           "length %.4f expected %.4f z %+5.2f",
           e->set, fault_counts[column], ratio, p, z_ratio, mean, e->length[column], z_mean);
    report(fabs(z_ratio) <= Z_LIMIT && fabs(z_mean) <= Z_LIMIT);
}

/* One configuration serves all the sets, as in the thesis. */
static void sample(const ref_net *net, const struct expected table[], int sets, int column)
{
    struct tally tally[MAX_SETS] = {{0}};
    for (int trial = 0; trial < TRIALS; trial++) {
        bool down[MAX_LINKS];
        int s;
        int t;
        draw_faults(ref_link_count(net), fault_counts[column], down);
        draw_pair(ref_node_count(net), &s, &t);
        for (int i = 0; i < sets; i++) {
            ref_route r;
            ref_route_packet(net, down, table[i].rules, REF_SCOPE_DETOUR, s, t, &r);
            count_route(&tally[i], &r);
        }
    }
    for (int i = 0; i < sets; i++) {
        check_sampled(&table[i], column, &tally[i]);
    }
}

static void check_published(void)
{
    ref_net *mikant = ref_net_create(true, 3, 3);
    ref_net *tree = ref_net_create(false, 3, 3);
    printf("-- exact: MiKANT(3,3), f=1 by enumeration\n");
    for (int i = 0; i < MIKANT_SETS; i++) {
        check_one_fault(mikant, &mikant_table[i]);
    }
    printf("-- exact: closed form of shortest, MiKANT(3,3), 3-ary 3-tree\n");
    for (int column = 0; column < 4; column++) {
        check_closed_form(mikant, &mikant_table[0], column);
    }
    check_closed_form(tree, &tree_table[0], 1);
    printf("-- sampled: MiKANT(3,3), %d trials\n", TRIALS);
    for (int column = 0; column < 4; column++) {
        sample(mikant, mikant_table, MIKANT_SETS, column);
    }
    printf("-- sampled: 3-ary 3-tree, %d trials\n", TRIALS);
    sample(tree, tree_table, TREE_SETS, 1);
    ref_net_destroy(mikant);
    ref_net_destroy(tree);
}

int main(void)
{
    check_all_sizes();
    check_labels();
    check_all_distances();
    check_table_2();
    check_detours_mikant();
    check_detours_tree();
    check_all_soundness();
    check_published();
    printf("%d checks, %d failed\n", checks, failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
