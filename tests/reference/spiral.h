/*
 * Reference of the router spiral: slow, obvious, and independent of the product's code.
 *
 * It follows docs/spiral.md, section "The choice", sentence by sentence; the numbers in the
 * comments of spiral.c are those of its list. It walks on the explicit graph of reference.h.
 */
#ifndef FL_TESTS_REFERENCE_SPIRAL_H
#define FL_TESTS_REFERENCE_SPIRAL_H

#include "reference.h"

/* Room for any path: (channel, position) rises with every link between switches, and there are
 * fewer than 100 positions for k <= 22, n <= 4 and at most 4 channels in the tests. */
#define REF_SPIRAL_PATH_MAX 512

typedef struct ref_spiral ref_spiral;

/* `net` is MiKANT(k, n) or the k-ary n-tree, as ref_net_create made it, and is borrowed. Without
 * marks it is spiral-bare. channels >= 1. Never returns NULL: misuse aborts. */
ref_spiral *ref_spiral_create(const ref_net *net, bool mikant, int k, int n, enum ref_scope scope,
                              int channels, bool marks);
void ref_spiral_destroy(ref_spiral *spiral);

typedef struct {
    bool delivered;
    enum ref_reason reason;           /* if blocked: the source's link, the destination's link, or
                                       * REF_BLOCKED_UP for everything else */
    int path_count;                   /* vertices in path */
    int path[REF_SPIRAL_PATH_MAX];    /* source node first, also when blocked */
    int channel[REF_SPIRAL_PATH_MAX]; /* of the link to path[i], between two switches; else -1 */
    int marked_steps;                 /* steps to a marked switch among those taken */
} ref_spiral_route;

/* `down` has one entry per link of the net; two different nodes. */
void ref_spiral_route_packet(const ref_spiral *spiral, const bool *down, int source,
                             int destination, ref_spiral_route *out);

#endif
