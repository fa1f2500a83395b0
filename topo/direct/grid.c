/* Meshes, tori, flattened butterflies, hypercubes and cliques: functions for all grids of digits.
 */
#include "topo/direct/grid.h"
#include "topo/digits.h"

#include <math.h>
#include <stdlib.h>

/* Link codes: a slot, then the digits of the link's end with the smaller digit (of a ring: the
 * end from which it leads to the digit plus one, modulo k).
 *   slot i < p                 node link of the switch's i-th node
 *   slot p + d * owned + j     in dimension d: to the (j + 1)-th larger digit */

static const fl_grid *grid_of(const fl_network *network)
{
    return network->grid;
}

static uint64_t links_per_line(const fl_grid *grid)
{
    uint64_t k = grid->k;
    return grid->line == FL_LINE_ARRAY ? k - 1 : grid->line == FL_LINE_RING ? k : k * (k - 1) / 2;
}

static uint64_t links_per_dimension(const fl_network *network)
{
    const fl_grid *grid = grid_of(network);
    return network->switches / grid->k * links_per_line(grid);
}

typedef struct grid_shape {
    fl_grid grid;
    fl_cubes cubes;
} grid_shape;

static fl_status allocate(fl_network *network, const fl_grid *grid, fl_error *error)
{
    grid_shape *shape = malloc(sizeof *shape);
    if (!shape)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a network");
    *shape = (grid_shape){.grid = *grid,
                          .cubes = {.dimensions = grid->n,
                                    .node_shift = FL_ADDRESS_LEVEL_SHIFT,
                                    .first = grid->p,
                                    .first_at_0 = grid->p,
                                    .mask = (UINT64_C(1) << grid->n) - 1,
                                    .node_mask = 0x7fff}};
    network->shape = shape;
    network->grid = &shape->grid;
    bool is_cube = grid->line == FL_LINE_CLIQUE && grid->k == 2;
    network->cubes = is_cube && grid->n <= FL_CUBE_DIMENSIONS_MAX ? &shape->cubes : NULL;
    return FL_OK;
}

fl_status fl_grid_setup(fl_network *network, fl_line line, unsigned k, unsigned n, unsigned p,
                        uint64_t nodes, fl_error *error)
{
    fl_grid grid = {.line = line, .k = k, .n = n, .p = p, .bits = fl_digit_bits(k)};
    grid.digit_mask = (UINT64_C(1) << grid.bits) - 1;
    grid.line_ports = line == FL_LINE_CLIQUE ? k - 1 : 2;
    grid.owned = line == FL_LINE_CLIQUE ? k - 1 : 1;
    uint64_t ports = p + (uint64_t)n * grid.line_ports;
    fl_status status = fl_digits_check(network, k, n, error);
    if (status)
        return status;
    if (ports > UINT16_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: a switch would have %llu ports; 65535 is the most", network->spec,
                       (unsigned long long)ports);
    fl_tree_fill(&network->tree_storage, k, n, 1, false);
    network->switches = fl_tree_power(k, n);
    network->nodes = network->switches * p;
    if (nodes != FL_NOT_GIVEN && nodes > network->nodes)
        return fl_fail(error, FL_ERR_INVALID, "%s: there is room for %llu nodes only",
                       network->spec, (unsigned long long)network->nodes);
    status = allocate(network, &grid, error);
    if (status)
        return status;
    network->nodes = nodes == FL_NOT_GIVEN ? network->nodes : nodes;
    network->links = network->nodes + n * links_per_dimension(network);
    network->link_codes = (uint64_t)(p + n * grid.owned) << (n * grid.bits);
    network->radix = (unsigned)ports;
    network->classes = 1 + n;
    return FL_OK;
}

void fl_grid_destroy(fl_network *network)
{
    free(network->shape);
}

/* ---- steps ---- */

static bool has_node(const fl_network *network, uint64_t digits, unsigned number)
{
    const fl_grid *grid = grid_of(network);
    return network->nodes == network->switches * grid->p ||
           fl_tree_unpack(fl_digits_of(network), digits, grid->n) * grid->p + number <
               network->nodes;
}

/* The digit behind port r of a line, or k where nothing is plugged in. */
static unsigned digit_behind(const fl_grid *grid, unsigned digit, unsigned r)
{
    if (grid->line == FL_LINE_CLIQUE)
        return r < digit ? r : r + 1;
    if (r == 1)
        return digit + 1 < grid->k ? digit + 1 : grid->line == FL_LINE_RING ? 0 : grid->k;
    return digit > 0 ? digit - 1 : grid->line == FL_LINE_RING ? grid->k - 1 : grid->k;
}

bool fl_grid_step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    const fl_grid *grid = grid_of(network);
    uint64_t digits = from & FL_ADDRESS_DIGITS;
    if (fl_address_is_node(from)) {
        *out = (fl_hop){.to = digits,
                        .link = fl_digits_code(network, fl_grid_node_number(from), digits)};
        return port == 0;
    }
    if (port < grid->p) {
        *out = (fl_hop){.to = fl_digits_node(digits, port),
                        .link = fl_digits_code(network, port, digits)};
        return has_node(network, digits, port);
    }
    unsigned dimension = (port - grid->p) / grid->line_ports,
             r = (port - grid->p) % grid->line_ports;
    if (dimension >= grid->n)
        return false;
    unsigned digit = fl_grid_digit(grid, digits, dimension), far_end = digit_behind(grid, digit, r);
    if (far_end == grid->k)
        return false;
    bool owner = grid->line == FL_LINE_CLIQUE ? digit < far_end : r == 1;
    unsigned j = grid->line != FL_LINE_CLIQUE ? 0
                 : owner                      ? far_end - digit - 1
                                              : digit - far_end - 1;
    uint64_t there = fl_tree_with_digit(fl_digits_of(network), digits, dimension, far_end);
    *out = (fl_hop){.to = there,
                    .link = fl_digits_code(network, grid->p + dimension * grid->owned + j,
                                           owner ? digits : there)};
    return true;
}

/* The dimension, which rises on the way. */
unsigned fl_grid_rank(const fl_network *network, fl_address from, fl_address to,
                      fl_address destination)
{
    (void)destination;
    unsigned dimension = 0, n = grid_of(network)->n;
    while (dimension < n && !((from ^ to) >> dimension & 1))
        dimension++;
    return fl_address_is_node(to) ? n : dimension;
}

/* ---- indices ---- */

fl_address fl_grid_switch_address(const fl_network *network, uint64_t index)
{
    return fl_tree_pack(fl_digits_of(network), index, grid_of(network)->n);
}

uint64_t fl_grid_switch_index(const fl_network *network, fl_address address)
{
    return fl_tree_unpack(fl_digits_of(network), address, grid_of(network)->n);
}

fl_address fl_grid_node_address(const fl_network *network, uint64_t index)
{
    unsigned p = grid_of(network)->p;
    return fl_digits_node(fl_grid_switch_address(network, index / p), (unsigned)(index % p));
}

uint64_t fl_grid_node_index(const fl_network *network, fl_address address)
{
    return fl_grid_switch_index(network, address) * grid_of(network)->p +
           fl_grid_node_number(address);
}

/* Inside a line: links of the array and the ring by their owner's digit, of the clique {x < y}
 * in the order y (y - 1) / 2 + x. */
fl_link fl_grid_link_code(const fl_network *network, uint64_t index)
{
    const fl_grid *grid = grid_of(network);
    if (index < network->nodes) {
        fl_address node = fl_grid_node_address(network, index);
        return fl_digits_code(network, fl_grid_node_number(node), node & FL_ADDRESS_DIGITS);
    }
    index -= network->nodes;
    uint64_t per_dimension = links_per_dimension(network), per_line = links_per_line(grid);
    unsigned dimension = (unsigned)(index / per_dimension);
    uint64_t line = index % per_dimension / per_line, place = index % per_line, x = place, j = 0;
    if (grid->line == FL_LINE_CLIQUE) {
        uint64_t y = (uint64_t)((1 + sqrt(1 + 8 * (double)place)) / 2);
        while (y * (y - 1) / 2 > place)
            y--;
        while (y * (y + 1) / 2 <= place)
            y++;
        x = place - y * (y - 1) / 2;
        j = y - x - 1;
    }
    return fl_digits_code(network, grid->p + dimension * grid->owned + (unsigned)j,
                          fl_digits_on_line(network, line, dimension, (unsigned)x));
}

uint64_t fl_grid_link_index(const fl_network *network, fl_link link)
{
    const fl_grid *grid = grid_of(network);
    unsigned slot = fl_digits_slot(network, link);
    uint64_t digits = fl_digits_low(network, link);
    if (slot < grid->p)
        return fl_grid_switch_index(network, digits) * grid->p + slot;
    unsigned dimension = (slot - grid->p) / grid->owned, j = (slot - grid->p) % grid->owned;
    uint64_t x = fl_grid_digit(grid, digits, dimension), y = x + j + 1,
             line = fl_digits_line(network, digits, dimension);
    uint64_t place = grid->line == FL_LINE_CLIQUE ? y * (y - 1) / 2 + x : x;
    return network->nodes + dimension * links_per_dimension(network) + line * links_per_line(grid) +
           place;
}

void fl_grid_link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    const fl_grid *grid = grid_of(network);
    unsigned slot = fl_digits_slot(network, link);
    uint64_t digits = fl_digits_low(network, link);
    if (slot < grid->p) {
        *out = (fl_link_ends){
            .a = fl_digits_node(digits, slot), .b = digits, .port_a = 0, .port_b = (fl_port)slot};
        return;
    }
    unsigned dimension = (slot - grid->p) / grid->owned, j = (slot - grid->p) % grid->owned;
    unsigned x = fl_grid_digit(grid, digits, dimension), y = x + j + 1;
    y = y == grid->k ? 0 : y; /* round a ring */
    unsigned first = grid->p + dimension * grid->line_ports;
    bool clique = grid->line == FL_LINE_CLIQUE;
    out->a = digits;
    out->port_a = (fl_port)(first + (clique ? y - 1 : 1));
    out->b = fl_tree_with_digit(fl_digits_of(network), digits, dimension, y);
    out->port_b = (fl_port)(first + (clique ? x : 0));
}

unsigned fl_grid_link_class(const fl_network *network, fl_link link)
{
    const fl_grid *grid = grid_of(network);
    unsigned slot = fl_digits_slot(network, link);
    return slot < grid->p ? 0 : 1 + (slot - grid->p) / grid->owned;
}

uint64_t fl_grid_class_size(const fl_network *network, unsigned link_class)
{
    return link_class == 0 ? network->nodes : links_per_dimension(network);
}

void fl_grid_class_name(const fl_network *network, unsigned link_class, char *out, size_t size)
{
    (void)network;
    if (link_class == 0)
        snprintf(out, size, "node-links");
    else
        snprintf(out, size, "dimension-%u-links", link_class - 1);
}

/* ---- labels: <digits> of a switch, <i,digits> of its i-th node ---- */

void fl_grid_label(const fl_network *network, fl_address address, char *out, size_t size)
{
    unsigned number = fl_grid_node_number(address);
    fl_tree_print_label(fl_digits_of(network), &number, fl_address_is_node(address), address,
                        grid_of(network)->n, out, size);
}

bool fl_grid_parse_label(const fl_network *network, const char *label, fl_address *out)
{
    unsigned number = 0, fields, count;
    if (!fl_tree_scan_label(fl_digits_of(network), label, &number, &fields, 1, out, &count) ||
        count != grid_of(network)->n)
        return false;
    if (fields == 0)
        return true;
    if (number >= grid_of(network)->p || !has_node(network, *out, number))
        return false;
    *out = fl_digits_node(*out, number);
    return true;
}

/* ---- closed forms ---- */

/* Mean distance of two digits, drawn independently. */
static double mean_line_distance(const fl_grid *grid)
{
    double k = grid->k;
    if (grid->line == FL_LINE_ARRAY)
        return (k * k - 1) / (3 * k);
    if (grid->line == FL_LINE_RING)
        return grid->k % 2 ? (k * k - 1) / (4 * k) : k / 4;
    return (k - 1) / k;
}

static unsigned longest_line_distance(const fl_grid *grid)
{
    return grid->line == FL_LINE_ARRAY ? grid->k - 1 : grid->line == FL_LINE_RING ? grid->k / 2 : 1;
}

/* Links cut when the highest digit is halved (even k only), or the links of half of the nodes. */
static double cut(const fl_grid *grid)
{
    double k = grid->k, lines = pow(k, grid->n - 1),
           line = grid->line == FL_LINE_ARRAY  ? 1
                  : grid->line == FL_LINE_RING ? 2
                                               : k * k / 4;
    return grid->k % 2 ? NAN : fmin(lines * line, lines * k * grid->p / 2);
}

/* The fraction of pairs of digits at distance d, times 2 for those with two paths round a ring. */
static double paths_over(const fl_grid *grid, unsigned d)
{
    double k = grid->k;
    if (d == 0)
        return 1 / k;
    return grid->line == FL_LINE_ARRAY  ? 2 * (k - d) / (k * k)
           : grid->line == FL_LINE_RING ? 2 / k
                                        : (k - 1) / k;
}

/* The mean number of shortest paths over ordered pairs of switches, self pairs counting 0. If the
 * distances in the dimensions are d_0, d_1, ... there are (sum d)! / product d! orders of the hops,
 * and twice as many for every dimension in which both paths round a ring are equally long. Taking
 * one dimension after the other: d hops of a new one among s in all can stand in C(s, d) places. */
static double mean_paths(const fl_grid *grid)
{
    unsigned far = longest_line_distance(grid), most = far * grid->n;
    double *power = most > 1024 ? NULL : calloc(most + 1, sizeof *power),
           total = 0; /* binomials of more leave the range of a double */
    if (!power)
        return NAN;
    power[0] = 1;
    for (unsigned i = 0; i < grid->n; i++)
        for (unsigned s = most + 1; s-- > 0;) {
            double sum = 0, places = 1;
            for (unsigned d = 0; d <= far && d <= s; d++) {
                if (power[s - d] > 0)
                    sum += paths_over(grid, d) * places * power[s - d];
                places *= (double)(s - d) / (d + 1);
            }
            power[s] = sum;
        }
    for (unsigned s = 1; s <= most; s++)
        total += power[s];
    free(power);
    return isfinite(total) ? total : NAN;
}

void fl_grid_closed_forms(const fl_network *network, fl_closed_forms *out)
{
    const fl_grid *grid = grid_of(network);
    double k = grid->k, n = grid->n, p = grid->p, switches = pow(k, n),
           nodes = (double)network->nodes;
    bool full = network->nodes == network->switches * grid->p;
    *out = (fl_closed_forms){
        .nodes = nodes,
        .switches = switches,
        .links = nodes + n * switches / k * (double)links_per_line(grid),
        .radix = p + n * grid->line_ports,
        .diameter = full ? n * longest_line_distance(grid) + 2 : NAN,
        .average_distance_with_self = full ? n * mean_line_distance(grid) + 2 - 2 / nodes : NAN,
        .bisection_width = full ? cut(grid) : NAN,
        .path_diversity = full ? mean_paths(grid) / nodes : NAN,
    };
}

/* ---- symmetry ---- */

static int by_size(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* Rings and cliques look the same from everywhere. An array can be mirrored, and the dimensions
 * of a grid exchanged. */
uint64_t fl_grid_representative(const fl_network *network, uint64_t switch_index)
{
    const fl_grid *grid = grid_of(network);
    if (network->nodes != network->switches * grid->p)
        return switch_index;
    if (grid->line != FL_LINE_ARRAY)
        return 0;
    unsigned digits[FL_ADDRESS_LEVEL_SHIFT];
    fl_address address = fl_grid_switch_address(network, switch_index);
    for (unsigned d = 0; d < grid->n; d++) {
        unsigned x = fl_grid_digit(grid, address, d);
        digits[d] = x < grid->k - 1 - x ? x : grid->k - 1 - x;
    }
    qsort(digits, grid->n, sizeof *digits, by_size);
    uint64_t index = 0;
    for (unsigned d = grid->n; d-- > 0;)
        index = index * grid->k + digits[d];
    return index;
}

/* ---- drawings ---- */

/* A parallel projection: every dimension has a direction. The first goes right, the second down,
 * the third slants to the back, so that no row or column of one layer covers one of another;
 * further ones set copies of all this side by side and one below the other, a little askew for the
 * same reason. */
static void direction_of(const fl_grid *grid, unsigned dimension, double *x, double *y)
{
    static const double slant_x = 0.85, slant_y = 0.42, apart = 0.8, askew = 0.5;
    double far = grid->k - 1, width = 0, height = 0;
    for (unsigned d = 0; d <= dimension; d++) {
        *x = d == 0   ? (grid->n > 2 ? fmax(1, slant_x * far + 0.9) : 1)
             : d == 1 ? 0
             : d == 2 ? slant_x
             : d % 2  ? width + apart
                      : askew;
        *y = d == 0   ? 0
             : d == 1 ? (grid->n > 2 ? fmax(1, slant_y * far + 0.8) : 1)
             : d == 2 ? -slant_y
             : d % 2  ? askew
                      : height + apart;
        width += far * *x;
        height += far * fabs(*y);
    }
}

/* One ring, one clique: on a circle. */
void fl_grid_place(const fl_network *network, fl_address at, double *x, double *y)
{
    const fl_grid *grid = grid_of(network);
    *x = *y = grid->n == 1 && grid->line != FL_LINE_ARRAY && grid->k > 2 ? NAN : 0;
    for (unsigned d = 0; d < grid->n; d++) {
        double right, down;
        direction_of(grid, d, &right, &down);
        *x += right * fl_grid_digit(grid, at, d);
        *y += down * fl_grid_digit(grid, at, d);
    }
}
