/* k-ary n-direct s-indirect networks (KNS paper, sections 3 and 4): a grid of k^n routers, whose
 * lines are joined by subnets instead of links.
 *   crossbar  one switch with k ports
 *   fattree   a k_i-ary s-tree, k_i^s = k: position x of the line hangs on stage 0, switch
 *             x div k_i, port x mod k_i; down from stage e >= 1 writes digit e - 1 of the
 *             switch's number, so that a packet for x takes port x_e in stage e (section 4.2)
 *   ruft      the same switches with links of one way: up port x_e in every stage; those of the
 *             last stage lead back to the routers. The source counts what leads from a router to
 *             the first stage and back from the last as one link, and so does this: they fail
 *             together. Ends of such a link are the router and its switch of the first stage.
 *
 * Addresses: routers those of a grid; a subnet's switch has its stage + 1 in the level field, its
 * dimension from FL_ADDRESS_GROUP_SHIFT, and in place of the dimension's digit its number in the
 * stage (digits o base k_i). Port p + d of a router leads to the subnet of its line in dimension d;
 * the ports of a subnet's switch are those of a tree. Link codes: a slot, then n digits.
 *   slot i < p                       node link of a router's i-th node
 *   slot p + d                       link of a router in dimension d
 *   slot p + n + d (s - 1) + e       subnets of dimension d, up from stage e: the digits of the
 *                                    line, and in place of digit d: switch * k_i + port */
#include "topo/digits.h"
#include "topo/family.h"
#include "topo/label.h"

#include <math.h>
#include <stdlib.h>

typedef struct kns_shape {
    unsigned k, n, stages, p;
    unsigned arity;     /* k_i; k when there is one stage */
    bool one_way;       /* RUFT */
    uint32_t power[32]; /* of the arity: 1, k_i, ..., up to k */
    fl_grid grid;       /* of the routers */
    fl_tree subnet;     /* levels and digits of a subnet's switches, whose numbers are not packed */
} kns_shape;

static const kns_shape *shape_of(const fl_network *network)
{
    return network->shape;
}

static unsigned digit(const fl_network *network, uint64_t digits, unsigned dimension)
{
    return fl_tree_digit(fl_digits_of(network), digits, dimension);
}

static uint64_t with(const fl_network *network, uint64_t digits, unsigned dimension, unsigned value)
{
    return fl_tree_with_digit(fl_digits_of(network), digits, dimension, value);
}

static fl_address switch_at(unsigned dimension, unsigned stage, uint64_t digits)
{
    return (uint64_t)dimension << FL_ADDRESS_GROUP_SHIFT |
           (uint64_t)(stage + 1) << FL_ADDRESS_LEVEL_SHIFT | digits;
}

static unsigned dimension_of(fl_address a)
{
    return (unsigned)(a >> FL_ADDRESS_GROUP_SHIFT) & 0x7f;
}

/* Digit e of a switch's number. */
static unsigned small_digit(const kns_shape *shape, unsigned number, unsigned e)
{
    return number / shape->power[e] % shape->arity;
}

static unsigned with_small_digit(const kns_shape *shape, unsigned number, unsigned e,
                                 unsigned value)
{
    return number + (value - small_digit(shape, number, e)) * shape->power[e];
}

/* ---- creation ---- */

enum { CROSSBAR, FATTREE, RUFT };

static fl_status set_arity(const fl_network *network, kns_shape *shape, fl_error *error)
{
    unsigned arity = 2;
    while (fl_tree_power(arity, shape->stages) < shape->k)
        arity++;
    if (fl_tree_power(arity, shape->stages) != shape->k)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: k must be the s-th power of the subnets' arity, such as %llu or %llu",
                       network->spec,
                       (unsigned long long)fl_tree_power(arity > 2 ? arity - 1 : 2, shape->stages),
                       (unsigned long long)fl_tree_power(arity, shape->stages));
    shape->arity = arity;
    shape->power[0] = 1;
    for (unsigned e = 1; e <= shape->stages; e++)
        shape->power[e] = shape->power[e - 1] * arity;
    return FL_OK;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    kns_shape kns = {.k = (unsigned)values[0],
                     .n = (unsigned)values[1],
                     .stages = (unsigned)values[2],
                     .p = (unsigned)values[4]};
    if (values[3] == CROSSBAR && kns.stages > 1)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: a crossbar has one stage; for s = %u write sub=fattree or sub=ruft",
                       network->spec, kns.stages);
    fl_status status = fl_digits_check(network, kns.k, kns.n, error);
    if (!status)
        status = set_arity(network, &kns, error);
    if (status)
        return status;
    kns.one_way = values[3] == RUFT && kns.stages > 1;
    kns.grid = (fl_grid){.line = FL_LINE_SUBNET,
                         .k = kns.k,
                         .n = kns.n,
                         .p = kns.p,
                         .bits = fl_digit_bits(kns.k),
                         .line_ports = 1,
                         .owned = 1};
    kns.grid.digit_mask = (UINT64_C(1) << kns.grid.bits) - 1;
    fl_tree_fill(&kns.subnet, kns.arity, kns.stages, 1, false);
    kns_shape *shape = malloc(sizeof *shape);
    if (!shape)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a network");
    *shape = kns;
    fl_tree_fill(&network->tree_storage, kns.k, kns.n, 1, false);
    uint64_t routers = fl_tree_power(kns.k, kns.n);
    unsigned ports = kns.stages == 1 ? kns.k : 2 * kns.arity;
    network->shape = shape;
    network->grid = &shape->grid;
    network->levels = kns.stages > 1 ? &shape->subnet : NULL;
    network->no_detours =
        kns.stages == 1
            ? "its subnets are single switches: there are no stages for a detour to turn between"
        : kns.one_way
            ? "the links of its subnets carry one way only, and there is one path between two nodes"
            : NULL;
    network->one_way = kns.one_way;
    network->nodes = routers * kns.p;
    network->switches = routers + routers / kns.arity * kns.stages * kns.n;
    network->links = network->nodes + routers * kns.n * kns.stages;
    network->link_codes = (kns.p + (uint64_t)kns.n * kns.stages)
                          << network->tree_storage.stage_shift;
    network->radix = ports > kns.n + kns.p ? ports : kns.n + kns.p;
    network->classes = 1 + kns.stages;
    return FL_OK;
}

static void destroy(fl_network *network)
{
    free(network->shape);
}

/* ---- steps ---- */

static bool router_step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    const kns_shape *shape = shape_of(network);
    if (port < shape->p) {
        *out =
            (fl_hop){.to = fl_digits_node(from, port), .link = fl_digits_code(network, port, from)};
        return true;
    }
    unsigned dimension = port - shape->p;
    if (dimension >= shape->n)
        return false;
    out->to =
        switch_at(dimension, 0,
                  with(network, from, dimension, digit(network, from, dimension) / shape->arity));
    out->link = fl_digits_code(network, port, from);
    return true;
}

static unsigned subnet_slot(const kns_shape *shape, unsigned dimension, unsigned stage)
{
    return shape->p + shape->n + dimension * (shape->stages - 1) + stage;
}

/* To the router at position x of the line. */
static bool leave(const fl_network *network, uint64_t digits, unsigned dimension, unsigned x,
                  fl_hop *out)
{
    out->to = with(network, digits, dimension, x);
    out->link = fl_digits_code(network, shape_of(network)->p + dimension, out->to);
    return true;
}

static bool subnet_step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    const kns_shape *shape = shape_of(network);
    unsigned dimension = dimension_of(from), stage = fl_tree_level(from) - 1, k_i = shape->arity;
    uint64_t digits = from & FL_ADDRESS_DIGITS;
    unsigned own = digit(network, digits, dimension), last = shape->stages - 1;
    if (port < k_i) {
        if (shape->one_way)
            return false;
        if (stage == 0)
            return leave(network, digits, dimension, own * k_i + port, out);
        unsigned lower = with_small_digit(shape, own, stage - 1, port),
                 value = small_digit(shape, own, stage - 1);
        out->to = switch_at(dimension, stage - 1, with(network, digits, dimension, lower));
        out->link = fl_digits_code(network, subnet_slot(shape, dimension, stage - 1),
                                   with(network, digits, dimension, lower * k_i + value));
        return true;
    }
    unsigned value = port - k_i;
    if (value >= k_i || shape->stages == 1)
        return false;
    if (stage == last)
        return shape->one_way &&
               leave(network, digits, dimension, value * shape->power[last] + own, out);
    out->to =
        switch_at(dimension, stage + 1,
                  with(network, digits, dimension, with_small_digit(shape, own, stage, value)));
    out->link = fl_digits_code(network, subnet_slot(shape, dimension, stage),
                               with(network, digits, dimension, own * k_i + value));
    return true;
}

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    if (fl_address_is_node(from)) {
        uint64_t digits = from & FL_ADDRESS_DIGITS;
        *out = (fl_hop){.to = digits,
                        .link = fl_digits_code(network, fl_grid_node_number(from), digits)};
        return port == 0;
    }
    return fl_tree_level(from) == 0 ? router_step(network, from, port, out)
                                    : subnet_step(network, from, port, out);
}

/* ---- what routing may know ---- */

/* In the subnet of a dimension with t the destination's position: a switch of a fat tree in stage e
 * takes port k_i + t_e on the way up and t_e on the way down; RUFT has only ways up; a crossbar
 * leads straight to port t. Position t in a line hangs on port t_0 of switch t_{s-1}..t_1 (KNS
 * paper, 4.2). */
static fl_stage_ports ports_to(const kns_shape *shape, unsigned t, unsigned level, bool up)
{
    return (fl_stage_ports){up ? shape->arity : 0, shape->arity, small_digit(shape, t, level)};
}

static fl_stage_ports ports(const fl_network *network, fl_address here, fl_address destination,
                            unsigned level, bool up, unsigned side)
{
    (void)side;
    return ports_to(shape_of(network), digit(network, destination, dimension_of(here)), level, up);
}

FL_INLINE fl_stage_position stand(const fl_network *network, fl_address here,
                                  fl_address destination)
{
    const kns_shape *shape = shape_of(network);
    unsigned stage = fl_tree_level(here) - 1, dimension = dimension_of(here),
             own = digit(network, here, dimension), t = digit(network, destination, dimension);
    bool upward = shape->one_way || own / shape->power[stage] != t / shape->power[stage + 1];
    return (fl_stage_position){.level = stage,
                               .upward = upward,
                               .same_group = true,
                               .ports = ports_to(shape, t, stage, upward)};
}

static bool position(const fl_network *network, fl_address here, fl_address destination,
                     fl_stage_position *out)
{
    if (fl_tree_level(here) == 0)
        return false;
    *out = stand(network, here, destination);
    return true;
}

static unsigned port(const fl_network *network, fl_address here, fl_address destination)
{
    fl_stage_position at = stand(network, here, destination);
    return at.ports.base + at.ports.target;
}

static uint64_t digits_of(const fl_network *network, fl_address here)
{
    const kns_shape *shape = shape_of(network);
    unsigned number = digit(network, here, dimension_of(here));
    uint64_t digits = 0;
    for (unsigned place = 0; place + 1 < shape->stages; place++, number /= shape->arity)
        digits |= (uint64_t)(number % shape->arity) << place * shape->subnet.bits;
    return digits;
}

static const fl_stages stages = {
    .position = position, .port = port, .ports = ports, .digits = digits_of};

/* Subnets of a lower dimension come first; in them up, then down to a router (level 0). */
static unsigned rank(const fl_network *network, fl_address from, fl_address to,
                     fl_address destination)
{
    (void)destination;
    const kns_shape *shape = shape_of(network);
    unsigned level = fl_tree_level(from), far_end = fl_tree_level(to),
             dimension = dimension_of(level > far_end ? from : to);
    return 2 * (shape->stages + 1) * dimension +
           (far_end > level ? level : 2 * shape->stages - level + 1);
}

/* ---- indices ---- */

static uint64_t routers_of(const fl_network *network)
{
    return network->nodes / shape_of(network)->p;
}

static fl_address node_address(const fl_network *network, uint64_t index)
{
    const kns_shape *shape = shape_of(network);
    return fl_digits_node(fl_tree_pack(fl_digits_of(network), index / shape->p, shape->n),
                          (unsigned)(index % shape->p));
}

static uint64_t node_index(const fl_network *network, fl_address address)
{
    const kns_shape *shape = shape_of(network);
    return fl_tree_unpack(fl_digits_of(network), address, shape->n) * shape->p +
           fl_grid_node_number(address);
}

/* Routers, then switches by dimension, stage, line, number. */
static fl_address switch_address(const fl_network *network, uint64_t index)
{
    const kns_shape *shape = shape_of(network);
    if (index < routers_of(network))
        return fl_tree_pack(fl_digits_of(network), index, shape->n);
    index -= routers_of(network);
    uint64_t per_stage = routers_of(network) / shape->arity, width = shape->k / shape->arity,
             place = index % per_stage;
    unsigned stage = (unsigned)(index / per_stage % shape->stages),
             dimension = (unsigned)(index / per_stage / shape->stages);
    return switch_at(
        dimension, stage,
        fl_digits_on_line(network, place / width, dimension, (unsigned)(place % width)));
}

static uint64_t switch_index(const fl_network *network, fl_address address)
{
    const kns_shape *shape = shape_of(network);
    if (fl_tree_level(address) == 0)
        return fl_tree_unpack(fl_digits_of(network), address, shape->n);
    unsigned dimension = dimension_of(address), stage = fl_tree_level(address) - 1;
    uint64_t digits = address & FL_ADDRESS_DIGITS, row = dimension * shape->stages + stage;
    uint64_t place = fl_digits_line(network, digits, dimension) * (shape->k / shape->arity) +
                     digit(network, digits, dimension);
    return routers_of(network) + row * (routers_of(network) / shape->arity) + place;
}

/* In the order of slots, and in a slot by the number that the digits are. */
static fl_link link_code(const fl_network *network, uint64_t index)
{
    const kns_shape *shape = shape_of(network);
    if (index < network->nodes) {
        fl_address node = node_address(network, index);
        return fl_digits_code(network, fl_grid_node_number(node), node & FL_ADDRESS_DIGITS);
    }
    index -= network->nodes;
    return fl_digits_code(
        network, shape->p + (unsigned)(index / routers_of(network)),
        fl_tree_pack(fl_digits_of(network), index % routers_of(network), shape->n));
}

static uint64_t link_index(const fl_network *network, fl_link link)
{
    const kns_shape *shape = shape_of(network);
    unsigned slot = fl_digits_slot(network, link);
    uint64_t place = fl_tree_unpack(fl_digits_of(network), fl_digits_low(network, link), shape->n);
    return slot < shape->p ? place * shape->p + slot
                           : network->nodes + (slot - shape->p) * routers_of(network) + place;
}

static void link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    const kns_shape *shape = shape_of(network);
    unsigned slot = fl_digits_slot(network, link), k_i = shape->arity;
    uint64_t digits = fl_digits_low(network, link);
    if (slot < shape->p) {
        *out = (fl_link_ends){fl_digits_node(digits, slot), digits, 0, (fl_port)slot};
        return;
    }
    if (slot < shape->p + shape->n) {
        unsigned dimension = slot - shape->p, x = digit(network, digits, dimension);
        out->a = digits;
        out->port_a = (fl_port)slot;
        out->b = switch_at(dimension, 0, with(network, digits, dimension, x / k_i));
        out->port_b = (fl_port)(x % k_i);
        return;
    }
    slot -= shape->p + shape->n;
    unsigned dimension = slot / (shape->stages - 1), stage = slot % (shape->stages - 1),
             number = digit(network, digits, dimension);
    unsigned lower = number / k_i, value = number % k_i;
    out->a = switch_at(dimension, stage, with(network, digits, dimension, lower));
    out->port_a = (fl_port)(k_i + value);
    out->b =
        switch_at(dimension, stage + 1,
                  with(network, digits, dimension, with_small_digit(shape, lower, stage, value)));
    out->port_b = (fl_port)small_digit(shape, lower, stage);
}

/* Node links, links of routers, then those up from each stage. */
static unsigned link_class(const fl_network *network, fl_link link)
{
    const kns_shape *shape = shape_of(network);
    unsigned slot = fl_digits_slot(network, link);
    if (slot < shape->p + shape->n)
        return slot >= shape->p;
    return 2 + (slot - shape->p - shape->n) % (shape->stages - 1);
}

static uint64_t class_size(const fl_network *network, unsigned class)
{
    return class == 0 ? network->nodes : routers_of(network) * shape_of(network)->n;
}

static void class_name(const fl_network *network, unsigned class, char *out, size_t size)
{
    (void)network;
    if (class < 2)
        snprintf(out, size, "%s", class ? "router-links" : "node-links");
    else
        snprintf(out, size, "stage-%u-links", class - 2);
}

/* ---- labels: routers <r_{n-1}..r_0>, nodes <i,r_{n-1}..r_0>, switches <d,p,e,o> ---- */

static void label(const fl_network *network, fl_address address, char *out, size_t size)
{
    uint64_t digits = address & FL_ADDRESS_DIGITS;
    unsigned number = fl_grid_node_number(address), dimension = dimension_of(address);
    if (fl_address_is_node(address) || fl_tree_level(address) == 0)
        fl_tree_print_label(fl_digits_of(network), &number, fl_address_is_node(address), digits,
                            shape_of(network)->n, out, size);
    else
        fl_label_print((uint64_t[]){dimension, fl_digits_line(network, digits, dimension),
                                    fl_tree_level(address) - 1, digit(network, digits, dimension)},
                       4, out, size);
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    const kns_shape *shape = shape_of(network);
    uint64_t v[4];
    if (fl_label_scan(text, v, 4) == 4) {
        if (v[0] >= shape->n || v[1] >= routers_of(network) / shape->k || v[2] >= shape->stages ||
            v[3] >= shape->k / shape->arity)
            return false;
        *out = switch_at((unsigned)v[0], (unsigned)v[2],
                         fl_digits_on_line(network, v[1], (unsigned)v[0], (unsigned)v[3]));
        return true;
    }
    unsigned number = 0, fields, count;
    if (!fl_tree_scan_label(fl_digits_of(network), text, &number, &fields, 1, out, &count) ||
        count != shape->n || number >= shape->p)
        return false;
    *out = fields ? fl_digits_node(*out, number) : *out;
    return true;
}

/* ---- closed forms ---- */

/* Dimensions are crossed in any order, and within one there are k_i^e paths over stage e. */
static double mean_paths(const kns_shape *shape)
{
    double line = 0, arity = shape->arity, k = shape->k, sum = 0, paths = 1;
    for (unsigned e = 0; e < shape->stages; e++)
        line += shape->one_way ? (e == 0 ? (k - 1) / k : 0)
                               : pow(arity, e) * (pow(arity, e + 1) - pow(arity, e)) / k;
    for (unsigned j = 1; j <= shape->n; j++) {
        paths *= (shape->n - j + 1) * line; /* C(n, j) j! line^j */
        sum += paths / pow(k, shape->n - j);
    }
    return sum;
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    const kns_shape *shape = shape_of(network);
    double k = shape->k, n = shape->n, s = shape->stages, p = shape->p, arity = shape->arity,
           routers = pow(k, n), nodes = p * routers;
    double line =
        shape->one_way ? (s + 1) * (k - 1) / k : 2 * s - 2 / (arity - 1) + 2 / ((arity - 1) * k);
    *out = (fl_closed_forms){
        .nodes = nodes,
        .switches = routers + routers * s * n / arity,
        .links = routers * n + (s - 1) * routers * n + nodes,
        .radix = network->radix,
        .diameter = (shape->one_way ? s + 1 : 2 * s) * n + 2,
        .average_distance_with_self = n * line + 2 - 2 / nodes,
        .bisection_width = NAN,
        .path_diversity = mean_paths(shape) / nodes,
    };
}

/* KNS paper, section 3.1 and Table 3: distances between routers; 2 s n is said of fat trees. */
static void published(const fl_network *network, fl_closed_forms *out)
{
    const kns_shape *shape = shape_of(network);
    closed_forms(network, out);
    out->radix = NAN;
    out->diameter = shape->one_way ? NAN : 2.0 * shape->stages * shape->n;
    out->average_distance_with_self = out->path_diversity = NAN;
}

static uint64_t representative(const fl_network *network, uint64_t index)
{
    return index < routers_of(network) ? 0 : index;
}

/* Crossbars in one or two dimensions: the routers in their grid, the crossbar of a row above its
 * middle, that of a column on the left of a router in its middle. Others: by distance from the
 * nodes. */
static void place(const fl_network *network, fl_address at, double *x, double *y)
{
    const kns_shape *shape = shape_of(network);
    const double pitch_x = 1.5, pitch_y = 1.2, aside = 0.55;
    double middle = (shape->k - 1) / 2.0, right = digit(network, at, 0),
           down = shape->n > 1 ? digit(network, at, 1) : 0;
    bool crossbar = fl_tree_level(at) > 0, of_column = crossbar && dimension_of(at) == 1;
    *x = pitch_x * (of_column ? right - 0.5 : crossbar ? middle : right);
    *y = pitch_y * (of_column ? floor(middle) : down) - (crossbar && !of_column ? aside : 0);
    if (shape->n > 2 || shape->stages > 1)
        *x = NAN;
}

static const char *const subnets[] = {"crossbar", "fattree", "ruft", NULL};

const fl_network_type fl_network_kns = {
    .name = "kns",
    .summary =
        "k-ary n-direct s-indirect network: a grid of k^n routers, every line joined by a subnet of s stages",
    .source = "KNS paper, sections 3 and 4",
    .parameters = {{.name = "k", .summary = "routers along a dimension", .least = 2, .most = 32767},
                   {.name = "n", .summary = "dimensions", .least = 1, .most = 40},
                   {.name = "s",
                    .summary = "stages of a subnet; k is an s-th power",
                    .least = 1,
                    .most = 15,
                    .optional = true,
                    .fallback = 1},
                   {.name = "sub",
                    .summary = "what joins a line",
                    .choices = subnets,
                    .optional = true,
                    .fallback = CROSSBAR},
                   {.name = "p",
                    .summary = "nodes per router",
                    .least = 1,
                    .most = 32767,
                    .optional = true,
                    .fallback = 1}},
    .create = create,
    .destroy = destroy,
    FL_FAMILY_LABELS(),
    FL_FAMILY_FUNCTIONS(),
    .place = place,
    .closed_forms = closed_forms,
    .stages = &stages,
    .rank = rank,
    .published = published,
    .representative = representative,
};
