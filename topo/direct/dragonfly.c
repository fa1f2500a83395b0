/* Dragonfly (Yasudo thesis, 3.5.2.2): g = a h + 1 groups of a switches, all linked inside a
 * group; each pair of groups is joined by one link. Which switch holds which is the wiring:
 *   consecutive  channel c = i h + j of a group leads to the c-th of the other groups
 *   palmtree     to the group c + 1 before it, modulo g
 * Link codes are link indices: node links; links inside groups, {x < y} in the order
 * y (y - 1) / 2 + x; links between groups, in the same order. */
#include "topo/family.h"
#include "topo/label.h"

#include <math.h>
#include <stdlib.h>

typedef struct dragonfly {
    fl_groups groups;
    bool palmtree;
} dragonfly;

static const dragonfly *shape_of(const fl_network *network)
{
    return network->shape;
}

/* The group that channel c of a group leads to, and the channel at its other end. */
static unsigned group_behind(const dragonfly *shape, unsigned group, unsigned channel,
                             unsigned *back)
{
    unsigned g = shape->groups.g;
    if (shape->palmtree) {
        *back = g - 2 - channel;
        return (group + g - 1 - channel) % g;
    }
    *back = channel < group ? group - 1 : group;
    return channel < group ? channel : channel + 1;
}

static unsigned channel_consecutive(const fl_groups *groups, unsigned group, unsigned other)
{
    (void)groups;
    return other < group ? other : other - 1;
}

static unsigned channel_palmtree(const fl_groups *groups, unsigned group, unsigned other)
{
    return (group + groups->g - other - 1) % groups->g;
}

static fl_address node_at(uint64_t number)
{
    return UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | number;
}

static uint64_t number_of(fl_address a)
{
    return a & ~(UINT64_C(1) << FL_ADDRESS_NODE_SHIFT);
}

static uint64_t pair_number(uint64_t x, uint64_t y)
{
    return x < y ? y * (y - 1) / 2 + x : x * (x - 1) / 2 + y;
}

static void pair_of(uint64_t number, unsigned *x, unsigned *y)
{
    uint64_t high = (uint64_t)((1 + sqrt(1 + 8 * (double)number)) / 2);
    while (high * (high - 1) / 2 > number)
        high--;
    while (high * (high + 1) / 2 <= number)
        high++;
    *y = (unsigned)high;
    *x = (unsigned)(number - high * (high - 1) / 2);
}

static uint64_t links_inside(const fl_groups *d) /* all groups */
{
    return (uint64_t)d->g * d->a * (d->a - 1) / 2;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    uint64_t a = values[0], *given = network->values;
    for (int i = 1; i <= 2; i++)
        if (given[i] == FL_NOT_GIVEN)
            given[i] = a > 1 ? a / 2 : 1;
    uint64_t h = given[1], p = given[2], g = a * h + 1, radix = p + a - 1 + h;
    if (radix > UINT16_MAX || a * h > 1000000)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s: too large: %llu groups of switches with %llu ports (1000001 and 65535 are the most)",
            network->spec, (unsigned long long)g, (unsigned long long)radix);
    if (given[4] != FL_NOT_GIVEN && given[4] > a * g * p)
        return fl_fail(error, FL_ERR_INVALID, "%s: there is room for %llu nodes only",
                       network->spec, (unsigned long long)(a * g * p));
    dragonfly *shape = malloc(sizeof *shape);
    if (!shape)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a network");
    bool palmtree = given[3] == 1;
    *shape = (dragonfly){.groups = {.a = (unsigned)a,
                                    .h = (unsigned)h,
                                    .p = (unsigned)p,
                                    .g = (unsigned)g,
                                    .channel = palmtree ? channel_palmtree : channel_consecutive},
                         .palmtree = palmtree};
    network->groups = &shape->groups;
    network->shape = shape;
    network->nodes = given[4] == FL_NOT_GIVEN ? a * g * p : given[4];
    network->switches = a * g;
    network->links = network->link_codes =
        network->nodes + links_inside(&shape->groups) + g * (g - 1) / 2;
    network->radix = (unsigned)radix;
    network->classes = 3;
    return FL_OK;
}

static void destroy(fl_network *network)
{
    free(network->shape);
}

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    const fl_groups *d = network->groups;
    uint64_t number = number_of(from);
    if (fl_address_is_node(from)) {
        *out = (fl_hop){.to = number / d->p, .link = number};
        return port == 0;
    }
    unsigned group = (unsigned)(number / d->a), i = (unsigned)(number % d->a);
    if (port < d->p) {
        uint64_t node = number * d->p + port;
        *out = (fl_hop){.to = node_at(node), .link = node};
        return node < network->nodes;
    }
    if (port < d->p + d->a - 1) {
        unsigned r = port - d->p, other = r < i ? r : r + 1;
        out->to = (uint64_t)group * d->a + other;
        out->link =
            network->nodes + (uint64_t)group * d->a * (d->a - 1) / 2 + pair_number(i, other);
        return true;
    }
    unsigned j = port - d->p - (d->a - 1), back;
    if (j >= d->h)
        return false;
    unsigned other = group_behind(shape_of(network), group, i * d->h + j, &back);
    out->to = (uint64_t)other * d->a + back / d->h;
    out->link = network->nodes + links_inside(d) + pair_number(group, other);
    return true;
}

static fl_address node_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return node_at(index);
}

static uint64_t node_index(const fl_network *network, fl_address a)
{
    (void)network;
    return number_of(a);
}

static fl_address switch_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return index;
}

static uint64_t switch_index(const fl_network *network, fl_address a)
{
    (void)network;
    return a;
}

static fl_link link_code(const fl_network *network, uint64_t index)
{
    (void)network;
    return index;
}

static uint64_t link_index(const fl_network *network, fl_link link)
{
    (void)network;
    return link;
}

static void link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    const fl_groups *d = network->groups;
    unsigned x, y;
    if (link < network->nodes) {
        *out = (fl_link_ends){node_at(link), link / d->p, 0, (fl_port)(link % d->p)};
        return;
    }
    link -= network->nodes;
    if (link < links_inside(d)) {
        uint64_t per_group = (uint64_t)d->a * (d->a - 1) / 2, first = link / per_group * d->a;
        pair_of(link % per_group, &x, &y);
        *out = (fl_link_ends){first + x, first + y, (fl_port)(d->p + y - 1), (fl_port)(d->p + x)};
        return;
    }
    pair_of(link - links_inside(d), &x, &y);
    unsigned there = d->channel(d, x, y), back = d->channel(d, y, x), first = d->p + d->a - 1;
    *out = (fl_link_ends){(uint64_t)x * d->a + there / d->h, (uint64_t)y * d->a + back / d->h,
                          (fl_port)(first + there % d->h), (fl_port)(first + back % d->h)};
}

static unsigned link_class(const fl_network *network, fl_link link)
{
    return link < network->nodes                                   ? 0
           : link < network->nodes + links_inside(network->groups) ? 1
                                                                   : 2;
}

static uint64_t class_size(const fl_network *network, unsigned class)
{
    const fl_groups *d = network->groups;
    return class == 0   ? network->nodes
           : class == 1 ? links_inside(d)
                        : (uint64_t)d->g * (d->g - 1) / 2;
}

static void class_name(const fl_network *network, unsigned class, char *out, size_t size)
{
    static const char *const names[] = {"node-links", "local-links", "global-links"};
    (void)network;
    snprintf(out, size, "%s", names[class]);
}

static void label(const fl_network *network, fl_address a, char *out, size_t size)
{
    const fl_groups *d = network->groups;
    uint64_t number = number_of(a), sw = fl_address_is_node(a) ? number / d->p : number;
    fl_label_print((uint64_t[]){sw / d->a, sw % d->a, number % d->p}, fl_address_is_node(a) ? 3 : 2,
                   out, size);
}

static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    const fl_groups *d = network->groups;
    uint64_t v[3];
    unsigned count = fl_label_scan(text, v, 3);
    if (count < 2 || v[0] >= d->g || v[1] >= d->a)
        return false;
    uint64_t sw = v[0] * d->a + v[1];
    *out = count == 2 ? sw : node_at(sw * d->p + v[2]);
    return count == 2 || (v[2] < d->p && sw * d->p + v[2] < network->nodes);
}

static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    const fl_groups *d = network->groups;
    double a = d->a, h = d->h, p = d->p, g = a * h + 1;
    *out = (fl_closed_forms){
        .nodes = (double)network->nodes,
        .switches = a * g,
        .links = (double)network->nodes + g * a * (a - 1) / 2 + g * (g - 1) / 2,
        .radix = p + a - 1 + h,
        .diameter = NAN,
        .average_distance_with_self = NAN,
        .bisection_width = NAN,
    };
}

/* Yasudo thesis, (3.15) to (3.17) and Table 3.1, which assume a = 2h = 2p. */
static void published(const fl_network *network, fl_closed_forms *out)
{
    const fl_groups *d = network->groups;
    double a = d->a;
    bool balanced = d->a == 2 * d->h && d->a == 2 * d->p;
    bool full = balanced && network->values[4] == FL_NOT_GIVEN;
    *out = (fl_closed_forms){.nodes = full ? pow(a, 4) / 4 + a * a / 2 : NAN,
                             .switches = balanced ? a * a * a / 2 + a : NAN,
                             .links = NAN,
                             .radix = balanced ? 2 * a - 1 : NAN,
                             .diameter = 5,
                             .average_distance_with_self = NAN,
                             .bisection_width = NAN};
}

/* The palm tree looks the same from every group. */
static uint64_t representative(const fl_network *network, uint64_t index)
{
    const fl_groups *d = network->groups;
    bool full = network->nodes == network->switches * d->p;
    return shape_of(network)->palmtree && full ? index % d->a : index;
}

/* Groups on a circle, and the switches of a group on a small one, the first outermost. */
static void place(const fl_network *network, fl_address at, double *x, double *y)
{
    const fl_groups *d = network->groups;
    const double turn = 6.283185307179586;
    double groups = (double)d->a * d->h + 1,
           around = turn * (double)(at / d->a) / groups - turn / 4;
    double inner = d->a > 1 ? 0.55 / sin(turn / 2 / d->a) : 0,
           outer = (inner + 0.8) / sin(turn / 2 / groups);
    double own = around + turn * (double)(at % d->a) / d->a;
    *x = outer * cos(around) + inner * cos(own);
    *y = outer * sin(around) + inner * sin(own);
}

static const char *const wirings[] = {"consecutive", "palmtree", NULL};

const fl_network_type fl_network_dragonfly = {
    .name = "dragonfly",
    .summary =
        "dragonfly: a h + 1 groups of a switches with p nodes and h links to other groups each",
    .source = "Yasudo thesis, 3.5.2.2",
    .parameters = {{.name = "a", .summary = "switches of a group", .least = 1, .most = 32767},
                   {.name = "h",
                    .summary = "links of a switch to other groups; a/2 if not given",
                    .least = 1,
                    .most = 32767,
                    .optional = true,
                    .fallback = FL_NOT_GIVEN},
                   {.name = "p",
                    .summary = "nodes per switch; a/2 if not given",
                    .least = 1,
                    .most = 32767,
                    .optional = true,
                    .fallback = FL_NOT_GIVEN},
                   {.name = "wiring",
                    .summary = "which switch holds which link to other groups",
                    .choices = wirings,
                    .optional = true},
                   {.name = "nodes",
                    .summary = "number of nodes, on the first switches; all if not given",
                    .least = 1,
                    .most = UINT32_MAX,
                    .optional = true,
                    .fallback = FL_NOT_GIVEN}},
    .create = create,
    .destroy = destroy,
    FL_FAMILY_LABELS(),
    FL_FAMILY_FUNCTIONS(),
    .place = place,
    .closed_forms = closed_forms,
    .published = published,
    .representative = representative,
};
