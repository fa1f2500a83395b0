/* Erdos-Renyi graph G(m, probability) (Yasudo thesis, 2.3.1): every two switches are linked with
 * the same probability, independently of all others; drawn again until it is connected. */
#include "topo/stored/models/model.h"

#include <math.h>

enum { SKIP_BITS = 36, DECIMALS = 9 };
#define UNIT UINT64_C(1000000000) /* of a probability of 1 */

typedef struct builder {
    uint32_t switches, nodes_each;
    uint64_t links_most;
    /* The probability that 2^i pairs in a row are not linked, in units of 2^-64. From 2^36 pairs
     * on it is 0 even for the smallest probability, 10^-9. */
    uint64_t none_linked[SKIP_BITS];
} builder;

static uint32_t nodes_of(void *user, uint32_t s)
{
    (void)s;
    return ((const builder *)user)->nodes_each;
}

/* The upper half of the product: fractions of 2^64 multiplied, in whole numbers so that every
 * machine draws the same graph. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static void fill_table(builder *b, uint64_t probability)
{
    /* none / 10^9 by long division */
    uint64_t none = UNIT - probability, high = none * (UINT64_C(1) << 32) / UNIT;
    uint64_t low = none * (UINT64_C(1) << 32) % UNIT * (UINT64_C(1) << 32) / UNIT;
    b->none_linked[0] = high << 32 | low;
    for (int i = 1; i < SKIP_BITS; i++)
        b->none_linked[i] = times(b->none_linked[i - 1], b->none_linked[i - 1]);
}

/* Pairs until the next that is linked: at least k with probability (1 - p)^k, by inversion. */
static uint64_t draw_skip(const builder *b, fl_rng *rng)
{
    uint64_t chance = fl_rng_next64(rng), left = UINT64_MAX, skip = 0;
    for (int i = SKIP_BITS - 1; i >= 0; i--) {
        uint64_t next = times(left, b->none_linked[i]);
        if (next > chance) {
            left = next;
            skip |= UINT64_C(1) << i;
        }
    }
    return skip;
}

/* Pairs (u, v), u < v, in order of u, then v. */
static bool draw(void *user, fl_explicit_graph *graph, fl_rng *rng)
{
    const builder *b = user;
    uint64_t m = b->switches, u = 0, v = 0;
    for (;;) {
        v += 1 + draw_skip(b, rng);
        for (; v >= m && u + 1 < m; v = v - m + u + 1)
            u++;
        if (u + 1 >= m)
            return true;
        if (graph->links == b->links_most)
            return false;
        fl_explicit_link(graph, (uint32_t)u, (uint32_t)v);
    }
}

/* Ten standard deviations above the mean: no seed needs more. */
static uint64_t most_links(uint64_t pairs, double probability)
{
    double mean = (double)pairs * probability, most = mean + 10 * sqrt(mean) + 100;
    return most < (double)pairs ? (uint64_t)most : pairs;
}

/* A switch alone is what keeps graphs from being connected: with e of them on average, a fraction
 * of about exp(-e) of all graphs is. */
static fl_status check_connected(const fl_network *network, double m, double probability,
                                 fl_error *error)
{
    double alone = m * pow(1 - probability, m - 1);
    if (m < 2 || alone < 4)
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID,
                   "%s would not be connected: %.3g of its switches would have no link on average; "
                   "the probability should be above log(m) / m = %.3g",
                   network->spec, alone, log(m) / m);
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint64_t m = values[0], pairs = m * (m - 1) / 2;
    double probability = (double)values[1] / (double)UNIT;
    builder b = {.switches = (uint32_t)m, .nodes_each = (uint32_t)values[2]};
    fl_status status = check_connected(network, (double)m, probability, error);
    if (status)
        return status;
    fill_table(&b, values[1]);
    b.links_most = most_links(pairs, probability);
    return fl_model_make(network,
                         &(fl_model){.nodes = m * values[2],
                                     .switches = m,
                                     .links_most = b.links_most,
                                     .nodes_of = nodes_of,
                                     .draw = draw,
                                     .user = &b,
                                     .seed = values[3],
                                     .advice = "a larger probability or another seed may help"},
                         error);
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    uint64_t m = network->values[0], p = network->values[2];
    fl_model_counts(m, p, out);
    if (network->values[1] == UNIT)
        out->links = (double)(m * (m - 1) / 2 + m * p);
}

const fl_network_type fl_network_erdos_renyi = {
    .name = "erdos-renyi",
    .summary = "Erdos-Renyi graph: every two of m switches linked with the same probability",
    .source = "Yasudo thesis, 2.3.1",
    .parameters = {FL_MODEL_SWITCHES(1),
                   {.name = "probability",
                    .summary = "of a link between two switches",
                    .least = 1,
                    .most = UNIT,
                    .decimals = DECIMALS},
                   FL_MODEL_NODES,
                   FL_MODEL_SEED},
    .create = create,
    .closed_forms = closed_forms,
    .published = fl_explicit_closed_forms,
    FL_EXPLICIT_FUNCTIONS,
};
