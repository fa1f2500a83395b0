/* Mapping of nodes to ports that shortens paths. */
#include "topo/stored/mapping.h"

#include <stdlib.h>
#include <string.h>

/* The source anneals; here a step is taken when it adds no more than a threshold that sinks to 0
 * (threshold accepting, Dueck and Scheuer 1990), which takes whole numbers only: every machine
 * finds the same mapping.
 *
 * A step changes the distances of two nodes. near[s][k] is the distance from switch s to the
 * nearest switch of node k, NO_WAY where there is none (the node is in other copies). The distances
 * of a node to all others are the least of its ports' rows, taken BLOCK nodes at a time in loops of
 * fixed length without a branch, which compilers turn into vector instructions. */

enum { BLOCK = 64, NO_WAY = 255, PORTS_MAX = 64, SAMPLES = 256 };

typedef struct improver {
    fl_mapping *m;
    size_t row;      /* nodes, up to a whole block */
    uint8_t *near;   /* [copies * switches][row] */
    uint32_t *local; /* [nodes * ports] the ports in the order of their copies ... */
    uint32_t *first; /* [copies + 1] ... and where those of a copy begin */
    fl_rng rng;
} improver;

typedef struct exchange {
    uint32_t a, b; /* ports: node * ports + port */
} exchange;

static uint8_t between(const fl_mapping *m, uint32_t s, uint32_t t)
{
    if (s / m->switches != t / m->switches)
        return NO_WAY;
    return m->distance[(size_t)(s % m->switches) * m->switches + t % m->switches];
}

/* near[..][node], after the node's switches have changed. */
static void fill_column(improver *im, uint32_t node)
{
    const fl_mapping *m = im->m;
    const uint32_t *homes = m->home + (size_t)node * m->ports;
    for (uint32_t s = 0; s < m->copies * m->switches; s++)
        im->near[s * im->row + node] = NO_WAY;
    for (uint32_t q = 0; q < m->ports; q++) {
        uint32_t first = homes[q] / m->switches * m->switches;
        const uint8_t *distance = m->distance + (size_t)(homes[q] - first) * m->switches;
        for (uint32_t s = 0; s < m->switches; s++) {
            uint8_t *near = &im->near[(first + s) * im->row + node];
            *near = distance[s] < *near ? distance[s] : *near;
        }
    }
}

/* Sum of the distances of a node with these switches to all nodes; those behind the last are at
 * distance 0. */
static uint64_t row_sum(const improver *im, const uint32_t *homes)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < im->row; at += BLOCK) {
        uint8_t best[BLOCK];
        memcpy(best, im->near + homes[0] * im->row + at, BLOCK);
        for (uint32_t q = 1; q < im->m->ports; q++) {
            const uint8_t *near = im->near + homes[q] * im->row + at;
            for (int i = 0; i < BLOCK; i++)
                best[i] = near[i] < best[i] ? near[i] : best[i];
        }
        uint32_t block = 0;
        for (int i = 0; i < BLOCK; i++)
            block += best[i];
        sum += block;
    }
    return sum;
}

static uint8_t nearest(const improver *im, const uint32_t *homes, uint32_t node)
{
    uint8_t best = NO_WAY;
    for (uint32_t q = 0; q < im->m->ports; q++) {
        uint8_t near = im->near[homes[q] * im->row + node];
        best = near < best ? near : best;
    }
    return best;
}

static uint8_t distance_of(const fl_mapping *m, const uint32_t *homes, const uint32_t *others)
{
    uint8_t best = NO_WAY;
    for (uint32_t q = 0; q < m->ports; q++)
        for (uint32_t r = 0; r < m->ports; r++) {
            uint8_t distance = between(m, homes[q], others[r]);
            best = distance < best ? distance : best;
        }
    return best;
}

/* Distances of the nodes i and j, with these switches, to all others and to each other. */
static int64_t cost_of(const improver *im, uint32_t i, const uint32_t *homes_i, uint32_t j,
                       const uint32_t *homes_j)
{
    int64_t to_others = (int64_t)row_sum(im, homes_i) + (int64_t)row_sum(im, homes_j);
    int64_t to_themselves = nearest(im, homes_i, i) + nearest(im, homes_i, j) +
                            nearest(im, homes_j, i) + nearest(im, homes_j, j);
    return to_others - to_themselves + distance_of(im->m, homes_i, homes_j);
}

/* What an exchange adds to the sum of all distances. */
static int64_t added_by(const improver *im, exchange x)
{
    const fl_mapping *m = im->m;
    uint32_t i = x.a / m->ports, j = x.b / m->ports, after_i[PORTS_MAX], after_j[PORTS_MAX];
    const uint32_t *before_i = m->home + (size_t)i * m->ports,
                   *before_j = m->home + (size_t)j * m->ports;
    memcpy(after_i, before_i, m->ports * sizeof *after_i);
    memcpy(after_j, before_j, m->ports * sizeof *after_j);
    after_i[x.a % m->ports] = m->home[x.b];
    after_j[x.b % m->ports] = m->home[x.a];
    return cost_of(im, i, after_i, j, after_j) - cost_of(im, i, before_i, j, before_j);
}

/* Two ports of different nodes on different switches of one copy; false: none was found. */
static bool draw(improver *im, exchange *out)
{
    const fl_mapping *m = im->m;
    for (int attempt = 0; attempt < 64; attempt++) {
        uint32_t a = fl_rng_below32(&im->rng, m->nodes * m->ports), copy = m->home[a] / m->switches;
        uint32_t b = im->local[im->first[copy] +
                               fl_rng_below32(&im->rng, im->first[copy + 1] - im->first[copy])];
        *out = (exchange){a, b};
        if (a / m->ports != b / m->ports && m->home[a] != m->home[b])
            return true;
    }
    return false;
}

static void carry_out(improver *im, exchange x)
{
    fl_mapping *m = im->m;
    uint32_t kept = m->home[x.a];
    m->home[x.a] = m->home[x.b];
    m->home[x.b] = kept;
    fill_column(im, x.a / m->ports);
    fill_column(im, x.b / m->ports);
}

/* A small part of what an exchange changes on the average: with all of it, as with none, the
 * mappings found in the same number of steps are worse, or hardly better. */
static uint64_t first_threshold(improver *im)
{
    uint64_t sum = 0, count = 0;
    exchange x;
    for (int i = 0; i < SAMPLES && draw(im, &x); i++, count++) {
        int64_t added = added_by(im, x);
        sum += (uint64_t)(added < 0 ? -added : added);
    }
    return count ? sum / count / 32 : 0;
}

static void improve(improver *im, uint64_t steps)
{
    uint64_t threshold = first_threshold(im);
    exchange x;
    for (uint64_t step = 0; step < steps && draw(im, &x); step++) {
        uint64_t left = steps - step, allowed = threshold * left / steps;
        if (added_by(im, x) <= (int64_t)allowed)
            carry_out(im, x);
    }
}

static bool sort_by_copy(improver *im)
{
    const fl_mapping *m = im->m;
    uint32_t ports = m->nodes * m->ports;
    im->local = malloc(ports * sizeof *im->local);
    im->first = calloc((size_t)m->copies + 2, sizeof *im->first);
    if (!im->local || !im->first)
        return false;
    for (uint32_t a = 0; a < ports; a++)
        im->first[m->home[a] / m->switches + 2]++;
    for (uint32_t copy = 2; copy <= m->copies + 1; copy++)
        im->first[copy] += im->first[copy - 1];
    for (uint32_t a = 0; a < ports; a++)
        im->local[im->first[m->home[a] / m->switches + 1]++] = a;
    return true;
}

fl_status fl_mapping_improve(fl_mapping *mapping, uint64_t seed, uint64_t steps, fl_error *error)
{
    improver im = {.m = mapping, .row = ((size_t)mapping->nodes + BLOCK - 1) / BLOCK * BLOCK};
    im.near = calloc((size_t)mapping->copies * mapping->switches, im.row);
    bool room = im.near && sort_by_copy(&im);
    if (room) {
        fl_rng_seed(&im.rng, seed, FL_PURPOSE_ROUTING, 0);
        for (uint32_t node = 0; node < mapping->nodes; node++)
            fill_column(&im, node);
        improve(&im, steps);
    }
    free(im.near);
    free(im.local);
    free(im.first);
    return room ? FL_OK
                : fl_fail(error, FL_ERR_MEMORY,
                          "out of memory for the mapping of nodes to switches");
}
