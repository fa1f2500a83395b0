/*
 * Reference routing: slow, obvious, and independent of the product's code.
 *
 * It exists to be compared, path for path, with the fast router.  The network
 * is an explicit graph, the faults are one bool per link, and the router
 * follows docs/algorithms.md sentence by sentence.  Section names in the
 * comments are those of that page.
 */
#ifndef FL_TESTS_REFERENCE_REFERENCE_H
#define FL_TESTS_REFERENCE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* Largest n.  Far more than a graph that fits in memory can have. */
#define REF_MAX_N 24

/* Space for any path: base routing makes at most 2n steps between switches, a
 * detour replaces one step by at most 5 links, and there are three vertices at
 * the ends: 5 * 2 * 24 + 3 = 243. */
#define REF_PATH_MAX 256

typedef struct ref_net ref_net;

/* MiKANT(k, n) or the k-ary n-tree; k >= 1 and 1 <= n <= REF_MAX_N.
 * MiKANT with n = 1 is one switch <0,0,> with 2k nodes, <G,C> on port G*k + C_0.
 * Never returns NULL: every misuse, and running out of memory, aborts. */
ref_net *ref_net_create(bool mikant, int k, int n);
void ref_net_destroy(ref_net *net);

/* Vertices are numbered nodes first, then switches.  Nodes count up by group
 * and then by C read as a number in base k; switches by group, level and D. */
int ref_node_count(const ref_net *net);
int ref_switch_count(const ref_net *net);
int ref_link_count(const ref_net *net);
int ref_vertex_count(const ref_net *net);

/* MiKANT: switch <G,L,D>, node <G,C>.  k-ary n-tree: switch <L,D>, node <C>.
 * Digits most significant first, side by side; joined by dots when k > 10.
 * Cut off to fit `size`, always ended by a NUL (size >= 1). */
void ref_vertex_label(const ref_net *net, int vertex, char *out, size_t size);

/* Ports of a switch are 0..2k-1 as in "Notation"; a node has port 0 only.
 * -1 where nothing is plugged in, or where no such port exists. */
int ref_neighbour(const ref_net *net, int vertex, int port);

/* The link that joins two vertices (there is never more than one), or -1. */
int ref_link_between(const ref_net *net, int u, int v);

/* u is the end nearer to the nodes; of a cross link, the one in group 0. */
void ref_link_ends(const ref_net *net, int link, int *u, int *v);

/* Detour rules, to be or-ed.  Not accepted (abort): gns, of either kind, on
 * MiKANT with n < 3; x-turns on MiKANT with n < 3 or without gns of either
 * kind; x-turns on a k-ary n-tree. */
enum {
    REF_GNS = 1,
    REF_GDL = 2,
    REF_THREE_TURN = 4,
    REF_X_TURNS = 8,
    REF_ADAPTIVE_UP = 16,
    REF_GNS_ANY_LEVEL = 32
};

/* How much a switch knows: all links of its detours, or its own links. */
enum ref_scope { REF_SCOPE_DETOUR, REF_SCOPE_LOCAL };

/* Why a packet stopped.  UP, CROSS and DOWN name the kind of the link that
 * base routing needed or, at a dead end inside a detour (scope local), the
 * kind of the links that the next hop of the detour had to choose from. */
enum ref_reason {
    REF_NOT_BLOCKED,
    REF_BLOCKED_SOURCE,
    REF_BLOCKED_DESTINATION,
    REF_BLOCKED_UP,
    REF_BLOCKED_CROSS,
    REF_BLOCKED_DOWN
};

typedef struct {
    bool delivered;
    int length;             /* links, both node links included; 0 if blocked */
    enum ref_reason reason; /* REF_NOT_BLOCKED if delivered */
    int path_count;         /* vertices in path */
    int path[REF_PATH_MAX]; /* source node first; also when blocked: up to
                             * the vertex where the packet stopped */
} ref_route;

/* `down` has one entry per link.  source and destination are node numbers and
 * must differ (the definitions do not cover a packet to its own source). */
void ref_route_packet(const ref_net *net, const bool *down, unsigned rules, enum ref_scope scope,
                      int source, int destination, ref_route *out);

#endif
