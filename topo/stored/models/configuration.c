/* Configuration model (Yasudo thesis, 2.3.1; Newman, Strogatz and Watts, 2001): a random graph
 * whose degrees follow a given distribution. Scale-free graphs are those of a power law (2.3.3). */
#include "topo/stored/models/degrees.h"
#include "topo/stored/models/model.h"
#include "topo/stored/models/pairing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHTS_MAX = 64, GAMMA_UNIT = 100, SCALE_FREE_SWITCHES_MAX = 1000000 };

/* What the closed forms know: from the degrees, not from the graph. */
typedef struct expected {
    uint64_t links;
    uint32_t degree_most;
} expected;

typedef struct builder {
    const fl_network *network;
    uint32_t switches, nodes_each;
    const fl_degree_weight *weights;
    size_t count;
    uint32_t *degrees;
    uint64_t *prefix;
    expected *expected;
    fl_pairing pairing;
} builder;

static uint32_t nodes_of(void *user, uint32_t s)
{
    (void)s;
    return ((const builder *)user)->nodes_each;
}

static bool draw(void *user, fl_explicit_graph *graph, fl_rng *rng)
{
    return fl_pairing_draw(&((builder *)user)->pairing, graph, rng);
}

static fl_status check_degrees(const builder *b, uint64_t sum, fl_error *error)
{
    const char *why = NULL;
    if (b->degrees[b->switches - 1] == 0 && b->switches > 1)
        why = "a switch with no links is never connected";
    else if (b->degrees[0] >= b->switches)
        why = "a switch can have a link to each of the others only";
    else if (sum < 2 * ((uint64_t)b->switches - 1))
        why = "these links are too few to connect all switches";
    else if (!fl_degrees_possible(b->degrees, b->switches, b->prefix))
        why = "no graph without loops and double links has them";
    if (!why)
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID,
                   "%s: %u switches cannot have these degrees (%u to %u links, %llu in all): %s",
                   b->network->spec, b->switches, b->degrees[b->switches - 1], b->degrees[0],
                   (unsigned long long)sum / 2, why);
}

static fl_status prepare(void *user, fl_error *error)
{
    builder *b = user;
    b->degrees = malloc(b->switches * sizeof *b->degrees);
    b->prefix = malloc(((size_t)b->switches + 1) * sizeof *b->prefix);
    b->expected = malloc(sizeof *b->expected);
    if (!b->degrees || !b->prefix || !b->expected)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a random graph");
    uint64_t sum = fl_degrees_fill(b->degrees, b->switches, b->weights, b->count);
    *b->expected = (expected){sum / 2, b->degrees[0]};
    fl_status status = check_degrees(b, sum, error);
    return status ? status : fl_pairing_create(&b->pairing, b->degrees, b->switches, error);
}

static uint64_t most_links(const builder *b)
{
    double all = 0, mean = 0;
    for (size_t i = 0; i < b->count; i++) {
        all += b->weights[i].weight;
        mean += b->weights[i].weight * b->weights[i].degree;
    }
    uint32_t widest = b->weights[b->count - 1].degree; /* by rounding, one switch of each degree */
    return (uint64_t)(mean / all * b->switches / 2) + (uint64_t)widest * b->count / 2 + 1;
}

static fl_status make(fl_network *network, builder *b, uint64_t seed, fl_error *error)
{
    fl_status status =
        fl_model_make(network,
                      &(fl_model){.nodes = (uint64_t)b->switches * b->nodes_each,
                                  .switches = b->switches,
                                  .links_most = most_links(b),
                                  .nodes_of = nodes_of,
                                  .prepare = prepare,
                                  .draw = draw,
                                  .user = b,
                                  .seed = seed,
                                  .advice = "switches of three and more links make it likely"},
                      error);
    free(b->degrees);
    free(b->prefix);
    fl_pairing_destroy(&b->pairing);
    if (status)
        free(b->expected);
    else
        fl_explicit_keep(network, b->expected);
    return status;
}

/* ---- any distribution ---- */

static bool scan_number(const char **at, uint64_t most, uint64_t *out)
{
    const char *text = *at;
    for (*out = 0; **at >= '0' && **at <= '9' && *out <= most; ++*at)
        *out = *out * 10 + (uint64_t)(**at - '0');
    return *at > text && *out <= most;
}

/* Puts a degree in its place; false: it is there already. */
static bool insert_weight(fl_degree_weight *weights, size_t count, fl_degree_weight one)
{
    size_t at = count;
    for (; at > 0 && weights[at - 1].degree >= one.degree; at--) {
        if (weights[at - 1].degree == one.degree)
            return false;
        weights[at] = weights[at - 1];
    }
    weights[at] = one;
    return true;
}

static fl_status wrong_degrees(const char *text, const char *at, fl_error *error)
{
    return fl_fail(
        error, FL_ERR_INVALID,
        "degrees=%.60s is not possible for configuration, from '%.20s' on: write degrees "
        "(1 to 32767), each once, with their weights (1 to 1000000000, default 1), %d at "
        "most, as in 4 or 3:50+4:30+8:20",
        text, at, WEIGHTS_MAX);
}

/* "3:50+4:30+8:20": of 100 switches 50 have 3 links. */
static fl_status read_weights(const char *text, fl_degree_weight *weights, size_t *count,
                              fl_error *error)
{
    const char *at = text;
    for (*count = 0;; at++) {
        const char *start = at;
        uint64_t degree, weight = 1;
        bool good = *count < WEIGHTS_MAX && scan_number(&at, 32767, &degree) && degree > 0;
        if (good && *at == ':') {
            at++;
            good = scan_number(&at, 1000000000, &weight) && weight > 0;
        }
        if (!good || (*at && *at != '+') ||
            !insert_weight(weights, *count, (fl_degree_weight){(uint32_t)degree, (double)weight}))
            return wrong_degrees(text, start, error);
        ++*count;
        if (!*at)
            return FL_OK;
    }
}

static fl_status create_configuration(fl_network *network, const uint64_t *values, fl_error *error)
{
    fl_degree_weight weights[WEIGHTS_MAX];
    builder b = {.network = network,
                 .switches = (uint32_t)values[0],
                 .nodes_each = (uint32_t)values[1],
                 .weights = weights};
    fl_status status = read_weights(fl_network_text(network), weights, &b.count, error);
    return status ? status : make(network, &b, values[2], error);
}

/* ---- power laws ---- */

/* The degree that fewer than one of m switches would exceed: least m^(1 / (gamma - 1)). */
static uint64_t natural_cutoff(uint64_t m, double gamma, uint64_t least)
{
    double cutoff = floor((double)least * pow((double)m, 1 / (gamma - 1)));
    uint64_t most = m - 1 < 32767 ? m - 1 : 32767;
    return cutoff < (double)most ? (uint64_t)cutoff : most;
}

static fl_status create_scale_free(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint64_t m = values[0], least = values[2];
    double gamma = (double)values[1] / GAMMA_UNIT;
    if (values[3] == FL_NOT_GIVEN)
        network->values[3] = natural_cutoff(m, gamma, least);
    uint64_t most = values[3];
    if (most < least || most >= m)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s: degrees from least=%llu to most=%llu are not possible with m=%llu; most "
            "must be %llu to %llu",
            network->spec, (unsigned long long)least, (unsigned long long)most,
            (unsigned long long)m, (unsigned long long)least, (unsigned long long)(m - 1));
    builder b = {.network = network,
                 .switches = (uint32_t)m,
                 .nodes_each = (uint32_t)values[4],
                 .count = most - least + 1};
    fl_degree_weight *weights = malloc(b.count * sizeof *weights);
    if (!weights)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a random graph");
    for (uint64_t k = least; k <= most; k++)
        weights[k - least] =
            (fl_degree_weight){(uint32_t)k, pow((double)k / (double)least, -gamma)};
    b.weights = weights;
    fl_status status = make(network, &b, values[5], error);
    free(weights);
    return status;
}

/* ---- entries ---- */

static void closed_forms_of(const fl_network *network, uint64_t p, fl_closed_forms *out)
{
    const expected *stated = fl_explicit_kept(network);
    fl_model_counts(network->values[0], p, out);
    out->links = (double)(stated->links + network->values[0] * p);
    out->radix = (double)(stated->degree_most + p);
}

static void configuration_closed_forms(const fl_network *network, fl_closed_forms *out)
{
    closed_forms_of(network, network->values[1], out);
}

static void scale_free_closed_forms(const fl_network *network, fl_closed_forms *out)
{
    closed_forms_of(network, network->values[4], out);
}

const fl_network_type fl_network_configuration = {
    .name = "configuration",
    .summary =
        "configuration model: a random graph with given degrees, as DEGREE or DEGREE:WEIGHT+...",
    .source = "Yasudo thesis, 2.3.1",
    .parameters = {FL_MODEL_SWITCHES(1), FL_MODEL_NODES, FL_MODEL_SEED},
    .text = "degrees=DEGREES",
    .create = create_configuration,
    .closed_forms = configuration_closed_forms,
    .published = fl_explicit_closed_forms,
    FL_EXPLICIT_FUNCTIONS,
};

const fl_network_type fl_network_scale_free = {
    .name = "scale-free",
    .summary = "scale-free graph: a configuration model whose degrees k have frequencies k^-gamma",
    .source = "Yasudo thesis, 2.3.3",
    .parameters =
        {{.name = "m", .summary = "switches", .least = 2, .most = SCALE_FREE_SWITCHES_MAX},
         {.name = "gamma",
          .summary = "exponent of the power law",
          .least = GAMMA_UNIT + 1,
          .most = 10 * GAMMA_UNIT,
          .decimals = 2},
         {.name = "least",
          .summary = "smallest degree",
          .least = 1,
          .most = 1000,
          .optional = true,
          .fallback = 2},
         {.name = "most",
          .summary = "largest degree (default: what one of m switches reaches)",
          .least = 1,
          .most = 32767,
          .optional = true,
          .fallback = FL_NOT_GIVEN},
         FL_MODEL_NODES,
         FL_MODEL_SEED},
    .create = create_scale_free,
    .closed_forms = scale_free_closed_forms,
    .published = fl_explicit_closed_forms,
    FL_EXPLICIT_FUNCTIONS,
};
