/* Traffic patterns. */
#include "sim/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { UNIFORM, UNIFORM_SELF, HOT_SPOT, FIXED } kind;

struct fl_sim_traffic {
    kind kind;
    uint32_t nodes;
    uint32_t *target;   /* [nodes] of FIXED */
    uint32_t hot_nodes; /* HOT_SPOT: node i * nodes / hot_nodes for i below this */
    double hot_fraction;
    char spec[256];
    uint64_t content;
};

const fl_sim_traffic_help fl_sim_traffics[] = {
    {"uniform", "any other node, all equally likely; uniform:self: any node"},
    {"complement", "node i to node N - 1 - i"},
    {"bit-inversion", "every bit of the node number inverted: the same, where N is a power of two"},
    {"tornado",
     "every digit of the node number, base k, moves on by ceil(k/2) - 1; tornado:k=K gives the base"},
    {"hot-spot:nodes=x,fraction=y",
     "a fraction y of the packets goes to a fraction x of the nodes, the rest anywhere"},
    {"permutation:FILE", "one node number a line: where node 0, 1, ... sends; - for nowhere"},
    {NULL, NULL},
};

uint32_t fl_sim_traffic_next(const fl_sim_traffic *traffic, uint32_t source, fl_rng *rng)
{
    switch (traffic->kind) {
    case FIXED:
        return traffic->target[source];
    case UNIFORM_SELF:
        return fl_rng_below32(rng, traffic->nodes);
    case HOT_SPOT:
        if ((double)fl_rng_next32(rng) < traffic->hot_fraction * 4294967296.0) {
            uint32_t hot = (uint32_t)((uint64_t)fl_rng_below32(rng, traffic->hot_nodes) *
                                      traffic->nodes / traffic->hot_nodes);
            if (hot != source)
                return hot;
        }
        break;
    default:
        break;
    }
    uint32_t other = fl_rng_below32(rng, traffic->nodes - 1);
    return other + (other >= source);
}

uint32_t fl_sim_traffic_fanout(const fl_sim_traffic *traffic)
{
    switch (traffic->kind) {
    case FIXED:
        return 1;
    case UNIFORM:
        return traffic->nodes - 1;
    case UNIFORM_SELF:
        return traffic->nodes;
    default:
        return 0;
    }
}

uint32_t fl_sim_traffic_target(const fl_sim_traffic *traffic, uint32_t source, uint32_t i)
{
    if (traffic->kind == FIXED)
        return traffic->target[source];
    return traffic->kind == UNIFORM ? i + (i >= source) : i;
}

bool fl_sim_traffic_sends(const fl_sim_traffic *traffic, uint32_t source)
{
    return traffic->kind != FIXED || traffic->target[source] != FL_SIM_NOWHERE;
}

const char *fl_sim_traffic_spec(const fl_sim_traffic *traffic)
{
    return traffic->spec;
}

uint64_t fl_sim_traffic_content(const fl_sim_traffic *traffic)
{
    return traffic->content;
}

/* ---- making ---- */

static fl_status out_of_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for a traffic pattern");
}

static fl_status make_targets(fl_sim_traffic *traffic, fl_error *error)
{
    traffic->kind = FIXED;
    traffic->target = malloc(traffic->nodes * sizeof *traffic->target);
    return traffic->target ? FL_OK : out_of_memory(error);
}

static void silence_self(fl_sim_traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->nodes; i++)
        if (traffic->target[i] == i)
            traffic->target[i] = FL_SIM_NOWHERE;
}

static fl_status make_complement(fl_sim_traffic *traffic, bool bits, fl_error *error)
{
    if (bits && (traffic->nodes & (traffic->nodes - 1)) != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "bit-inversion needs a power of two of nodes, not %u; complement does not",
                       traffic->nodes);
    fl_status status = make_targets(traffic, error);
    for (uint32_t i = 0; !status && i < traffic->nodes; i++)
        traffic->target[i] = traffic->nodes - 1 - i;
    if (!status)
        silence_self(traffic);
    return status;
}

/* The k of the network's parameters, if the number of nodes is a power of it (twice a power, of
 * mirrored trees: the highest digit is then the group and stays). */
static uint64_t base_of(const fl_network *network)
{
    for (unsigned i = 0; i < FL_PARAMETERS_MAX && network->type->parameters[i].name; i++)
        if (strcmp(network->type->parameters[i].name, "k") == 0)
            return network->values[i];
    return network->nodes;
}

static fl_status make_tornado(fl_sim_traffic *traffic, const fl_network *network,
                              const char *parameter, fl_error *error)
{
    uint64_t k = base_of(network);
    if (parameter && (strncmp(parameter, "k=", 2) != 0 || !fl_text_to_u64(parameter + 2, &k)))
        return fl_fail(error, FL_ERR_INVALID,
                       "'tornado:%.40s': write tornado:k=K, K the base of the digits", parameter);
    if (k < 3 || k > traffic->nodes)
        return fl_fail(
            error, FL_ERR_INVALID,
            "tornado with digits of base %llu: the base must be 3 to the number of nodes, %u",
            (unsigned long long)k, traffic->nodes);
    fl_status status = make_targets(traffic, error);
    for (uint32_t i = 0; !status && i < traffic->nodes; i++) {
        uint64_t left = i, target = 0, place = 1, complete = traffic->nodes;
        for (; complete % k == 0; complete /= k, left /= k, place *= k)
            target += (left % k + (k + 1) / 2 - 1) % k * place;
        traffic->target[i] = (uint32_t)(target + left * place);
    }
    if (status)
        return status;
    if (traffic->nodes % k != 0)
        return fl_fail(
            error, FL_ERR_INVALID,
            "tornado: %u nodes have no digits of base %llu; give another with tornado:k=K",
            traffic->nodes, (unsigned long long)k);
    silence_self(traffic);
    return FL_OK;
}

static bool read_fraction(const char *text, const char *name, double *out, const char **end)
{
    char number[32];
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0)
        return false;
    size_t digits = strcspn(text + length, ",");
    if (digits >= sizeof number)
        return false;
    snprintf(number, sizeof number, "%.*s", (int)digits, text + length);
    *end = text + length + digits;
    return fl_text_to_double(number, out) && *out > 0 && *out <= 1;
}

static fl_status make_hot_spot(fl_sim_traffic *traffic, const char *parameters, fl_error *error)
{
    double nodes = .05;
    const char *at = parameters ? parameters : "";
    if (strstr(at, ",share="))
        return fl_fail(error, FL_ERR_INVALID, "'hot-spot:%.60s': 'share' is 'fraction' here", at);
    traffic->hot_fraction = .05;
    if (!read_fraction(at, "nodes=", &nodes, &at) || *at++ != ',' ||
        !read_fraction(at, "fraction=", &traffic->hot_fraction, &at) || *at)
        return fl_fail(
            error, FL_ERR_INVALID,
            "'hot-spot:%.60s': write hot-spot:nodes=x,fraction=y, both above 0 and at most 1",
            parameters ? parameters : "");
    traffic->kind = HOT_SPOT;
    traffic->hot_nodes = (uint32_t)llround(nodes * traffic->nodes);
    if (traffic->hot_nodes == 0)
        traffic->hot_nodes = 1;
    return FL_OK;
}

/* Every node receives from one node at most: `sender` is 0, or the line that named it. */
static fl_status check_target(uint64_t target, uint32_t line, uint32_t *sender, const char *path,
                              fl_error *error)
{
    if (target == FL_SIM_NOWHERE)
        return FL_OK;
    if (sender[target])
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s, line %u: node %llu stands in line %u already: in a permutation every node receives "
            "from one node at most",
            path, line, (unsigned long long)target, sender[target]);
    sender[target] = line;
    return FL_OK;
}

static fl_status read_targets(fl_sim_traffic *traffic, char *text, uint32_t *sender,
                              const char *path, fl_error *error)
{
    uint32_t i = 0;
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), i++) {
        uint64_t target = FL_SIM_NOWHERE;
        line[strcspn(line, "\r")] = 0;
        if (i >= traffic->nodes)
            return fl_fail(error, FL_ERR_INVALID,
                           "%s has more lines than the network has nodes (%u)", path,
                           traffic->nodes);
        if (strcmp(line, "-") != 0 && (!fl_text_to_u64(line, &target) || target >= traffic->nodes))
            return fl_fail(error, FL_ERR_INVALID,
                           "%s, line %u: '%.40s' is no node; nodes are 0 to %u, - means none", path,
                           i + 1, line, traffic->nodes - 1);
        fl_status status = check_target(target, i + 1, sender, path, error);
        if (status)
            return status;
        traffic->target[i] = (uint32_t)target;
    }
    if (i < traffic->nodes)
        return fl_fail(error, FL_ERR_INVALID, "%s has %u lines; the network has %u nodes", path, i,
                       traffic->nodes);
    silence_self(traffic);
    return FL_OK;
}

static fl_status make_permutation(fl_sim_traffic *traffic, const char *path, fl_error *error)
{
    char *text;
    size_t length;
    if (!path || !*path)
        return fl_fail(error, FL_ERR_INVALID,
                       "permutation needs a file: permutation:FILE, one node number a line");
    fl_error reason;
    fl_status status = fl_file_read(&text, &length, path, (size_t)1 << 30, &reason);
    if (status)
        return fl_fail(error, status, "permutation file: %.900s", reason.text);
    traffic->content = fl_text_hash(text, length);
    status = make_targets(traffic, error);
    uint32_t *sender = calloc(traffic->nodes, sizeof *sender);
    if (!status)
        status = sender ? read_targets(traffic, text, sender, path, error)
                        : fl_fail(error, FL_ERR_MEMORY,
                                  "out of memory for a permutation of %u nodes", traffic->nodes);
    free(sender);
    free(text);
    return status;
}

static fl_status make(fl_sim_traffic *traffic, const fl_network *network, const char *spec,
                      fl_error *error)
{
    static const char *const names[] = {
        "uniform", "complement", "bit-inversion", "tornado", "hot-spot", "permutation", NULL};
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
    const char *parameters = strchr(spec, ':') ? strchr(spec, ':') + 1 : NULL;
    bool bits = strcmp(name, "bit-inversion") == 0;
    if (strcmp(name, "uniform") == 0 && (!parameters || strcmp(parameters, "self") == 0)) {
        traffic->kind = parameters ? UNIFORM_SELF : UNIFORM;
        return FL_OK;
    }
    if ((bits || strcmp(name, "complement") == 0) && !parameters)
        return make_complement(traffic, bits, error);
    if (strcmp(name, "tornado") == 0)
        return make_tornado(traffic, network, parameters, error);
    if (strcmp(name, "hot-spot") == 0)
        return make_hot_spot(traffic, parameters, error);
    if (strcmp(name, "permutation") == 0)
        return make_permutation(traffic, parameters, error);
    const char *nearest = fl_text_nearest(name, names);
    if (nearest && strcmp(nearest, name) == 0)
        return fl_fail(error, FL_ERR_INVALID, "traffic '%.60s': %s takes no such parameter", spec,
                       name);
    if (nearest)
        return fl_fail(error, FL_ERR_INVALID, "unknown traffic '%.60s'; did you mean '%s'?", spec,
                       nearest);
    return fl_fail(
        error, FL_ERR_INVALID,
        "unknown traffic '%.60s'; there are uniform, complement, bit-inversion, tornado, hot-spot and permutation",
        spec);
}

static fl_status copy_targets(fl_sim_traffic *traffic, const uint32_t *targets, fl_error *error)
{
    fl_status status = make_targets(traffic, error);
    for (uint32_t i = 0; !status && i < traffic->nodes; i++) {
        if (targets[i] >= traffic->nodes && targets[i] != FL_SIM_NOWHERE)
            return fl_fail(error, FL_ERR_INVALID, "node %u is to send to %u; nodes are 0 to %u", i,
                           targets[i], traffic->nodes - 1);
        traffic->target[i] = targets[i];
    }
    if (!status)
        silence_self(traffic);
    return status;
}

static fl_status create(fl_sim_traffic **out, const fl_network *network, const char *spec,
                        const uint32_t *targets, fl_error *error)
{
    if (network->nodes < 2 || network->nodes >= FL_SIM_NODE)
        return fl_fail(error, FL_ERR_INVALID, "%s has %llu nodes; traffic needs 2 to 2^31 - 1",
                       network->spec, (unsigned long long)network->nodes);
    if (strlen(spec) >= sizeof((fl_sim_traffic *)0)->spec)
        return fl_fail(error, FL_ERR_INVALID, "the traffic '%.60s...' is too long", spec);
    if (fl_text_check_name(spec, "the traffic", error))
        return FL_ERR_INVALID;
    fl_sim_traffic *traffic = calloc(1, sizeof *traffic);
    if (!traffic)
        return out_of_memory(error);
    traffic->nodes = (uint32_t)network->nodes;
    strcpy(traffic->spec, spec);
    fl_status status =
        targets ? copy_targets(traffic, targets, error) : make(traffic, network, spec, error);
    if (status) {
        fl_sim_traffic_destroy(traffic);
        return status;
    }
    *out = traffic;
    return FL_OK;
}

fl_status fl_sim_traffic_create(fl_sim_traffic **out, const fl_network *network, const char *spec,
                                fl_error *error)
{
    return create(out, network, spec, NULL, error);
}

fl_status fl_sim_traffic_create_fixed(fl_sim_traffic **out, const fl_network *network,
                                      const uint32_t *targets, fl_error *error)
{
    return create(out, network, "fixed", targets, error);
}

void fl_sim_traffic_destroy(fl_sim_traffic *traffic)
{
    if (!traffic)
        return;
    free(traffic->target);
    free(traffic);
}
