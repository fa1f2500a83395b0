/* CAT and MiCAT: trees whose leaf switches carry cubes. */
#include "topo/trees/cubes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Trees whose leaf switches are corner 0 of a k-cube each (a packet for another cube leaves by it:
 * D of a label does not change in the cube, nor C in the tree; Wang thesis, 2.1): the cube
 * coordinate stands above the digits of a switch at cubes.shift, a node's number at
 * cubes.node_shift. Ports: leaf switches 0..k-1 to the cube (dimension 0, 1, ...), k..2k-1 up; cube
 * switches 0..k-1 nodes, k..2k-1 the cube. Link codes: a slot and `width` low bits. slot G node
 * links of group G: number, C, D of the node slot groups + G              cube links: dimension j,
 * C (with bit j = 0), D slot 2 groups + s - groups   links of the tree of stage s >= groups, as
 * there */

typedef struct cube_tree {
    fl_tree tree;
    fl_cubes cubes;
} cube_tree;

typedef struct code_parts {
    unsigned slot;
    uint64_t low;
} code_parts;

static const cube_tree *shape_of(const fl_network *network)
{
    return network->shape;
}

static unsigned corner_of(const cube_tree *shape, fl_address a)
{
    return fl_cubes_corner(&shape->cubes, a);
}

static unsigned width_of(const cube_tree *shape)
{
    return shape->cubes.node_shift + shape->tree.bits;
}

static fl_link code_of(const cube_tree *shape, unsigned slot, uint64_t low)
{
    return (uint64_t)slot << width_of(shape) | low;
}

static code_parts parts_of(const cube_tree *shape, fl_link link)
{
    return (code_parts){(unsigned)(link >> width_of(shape)),
                        link & ((UINT64_C(1) << width_of(shape)) - 1)};
}

/* A link of the tree, from its own code there. */
static fl_link from_tree(const cube_tree *shape, fl_link link)
{
    unsigned stage = (unsigned)(link >> shape->tree.stage_shift);
    return code_of(shape, shape->tree.groups + stage,
                   link & ((UINT64_C(1) << shape->tree.stage_shift) - 1));
}

static fl_link to_tree(const cube_tree *shape, code_parts parts)
{
    return fl_tree_code_of(&shape->tree, parts.slot - shape->tree.groups, parts.low);
}

static uint64_t leaves(const fl_network *network) /* of a group */
{
    const cube_tree *shape = shape_of(network);
    return fl_tree_power(shape->tree.k, shape->tree.n - 1);
}

static uint64_t cube_links(const cube_tree *shape) /* of a cube */
{
    return (uint64_t)shape->tree.k << (shape->tree.k - 1);
}

fl_status fl_cubes_setup(fl_network *network, unsigned k, unsigned n, bool mirrored,
                         fl_error *error)
{
    fl_status status = fl_tree_like_setup(network, k, n, mirrored ? 2 : 1, mirrored, k, error);
    if (status)
        return status;
    cube_tree *shape = calloc(1, sizeof *shape);
    if (!shape)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a network");
    shape->tree = network->tree_storage;
    network->shape = shape;
    const fl_tree *tree = &shape->tree;
    unsigned shift = (n - 1) * tree->bits;
    shape->cubes =
        (fl_cubes){.dimensions = k,
                   .shift = shift,
                   .node_shift = shift + k,
                   .first = k, /* above the nodes; at the leaf switch below the links up */
                   .first_at_0 = 0,
                   .mask = (UINT64_C(1) << k) - 1,
                   .node_mask = tree->digit_mask,
                   .cube_mask = tree->switch_mask | UINT64_C(1) << FL_ADDRESS_GROUP_SHIFT};
    network->cubes = &shape->cubes;
    uint64_t per_level = leaves(network), levels = tree->top + 1, groups = tree->groups;
    uint64_t tree_stages = (levels - 1) * groups + mirrored;
    network->nodes = groups * per_level * shape->cubes.mask * k;
    network->switches = groups * per_level * (levels + shape->cubes.mask);
    network->links =
        network->nodes + groups * per_level * cube_links(shape) + tree_stages * per_level * k;
    network->link_codes = (2 * groups + tree_stages) << width_of(shape);
    network->radix = 2 * k;
    network->classes = (unsigned)(2 + levels - 1) + mirrored;
    return FL_OK;
}

void fl_cubes_destroy(fl_network *network)
{
    free(network->shape);
}

/* ---- steps ---- */

static fl_address node_at(const cube_tree *shape, fl_address cube_switch, unsigned number)
{
    return UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | (uint64_t)number << shape->cubes.node_shift |
           cube_switch;
}

static unsigned number_of(const cube_tree *shape, fl_address node)
{
    return fl_cubes_node_port(&shape->cubes, node);
}

static fl_address switch_of(const cube_tree *shape, fl_address node)
{
    return node & ~(UINT64_C(1) << FL_ADDRESS_NODE_SHIFT) &
           ~(shape->tree.digit_mask << shape->cubes.node_shift);
}

static fl_link node_code(const cube_tree *shape, fl_address node)
{
    return code_of(shape, fl_tree_group(node), node & FL_ADDRESS_DIGITS);
}

static void cube_step(const cube_tree *shape, fl_address from, unsigned dimension, fl_hop *out)
{
    uint64_t bit = UINT64_C(1) << (shape->cubes.shift + dimension),
             low = from & FL_ADDRESS_DIGITS & ~bit;
    out->to = from ^ bit;
    out->link = code_of(shape, shape->tree.groups + fl_tree_group(from),
                        (uint64_t)dimension << shape->cubes.node_shift | low);
}

bool fl_cubes_step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    const cube_tree *shape = shape_of(network);
    unsigned k = shape->tree.k;
    if (fl_address_is_node(from)) {
        *out = (fl_hop){.to = switch_of(shape, from), .link = node_code(shape, from)};
        return port == 0;
    }
    if (port >= 2 * k)
        return false;
    if (corner_of(shape, from) != 0) {
        if (port >= k) {
            cube_step(shape, from, port - k, out);
        } else {
            out->to = node_at(shape, from, port);
            out->link = node_code(shape, out->to);
        }
        return true;
    }
    if (fl_tree_level(from) == 0 && port < k) {
        cube_step(shape, from, port, out);
        return true;
    }
    if (!fl_tree_step(&shape->tree, from, port, out))
        return false;
    out->link = from_tree(shape, out->link);
    return true;
}

/* ---- what routing may know ---- */

/* Dimensions of a cube rise; those of the source's cube come before the tree, those of the
 * destination's after it. */
unsigned fl_cubes_rank(const fl_network *network, fl_address from, fl_address to,
                       fl_address destination)
{
    const cube_tree *shape = shape_of(network);
    unsigned changed = corner_of(shape, from) ^ corner_of(shape, to), dimension = 0;
    if (fl_address_is_node(to) || changed == 0)
        return shape->tree.k + fl_tree_rank(&shape->tree, from, to);
    while (!(changed >> dimension & 1))
        dimension++;
    return dimension + (fl_cubes_is_shared(&shape->cubes, from, destination)
                            ? shape->tree.k + 2 * shape->tree.top + 4
                            : 0);
}

/* ---- indices ---- */

/* Nodes by group, leaf, corner, number; corners from 1. */
fl_address fl_cubes_node_address(const fl_network *network, uint64_t index)
{
    const cube_tree *shape = shape_of(network);
    unsigned number = (unsigned)(index % shape->tree.k);
    uint64_t corner = index / shape->tree.k % shape->cubes.mask + 1,
             leaf = index / shape->tree.k / shape->cubes.mask;
    uint64_t digits = fl_tree_pack(&shape->tree, leaf % leaves(network), shape->tree.n - 1);
    return node_at(shape,
                   fl_tree_switch_at((unsigned)(leaf / leaves(network)), 0,
                                     corner << shape->cubes.shift | digits),
                   number);
}

uint64_t fl_cubes_node_index(const fl_network *network, fl_address address)
{
    const cube_tree *shape = shape_of(network);
    uint64_t leaf = fl_tree_group(address) * leaves(network) +
                    fl_tree_unpack(&shape->tree, address, shape->tree.n - 1);
    return (leaf * shape->cubes.mask + corner_of(shape, address) - 1) * shape->tree.k +
           number_of(shape, address);
}

/* The tree's switches by group and level, then the cubes by group, leaf, corner. */
fl_address fl_cubes_switch_address(const fl_network *network, uint64_t index)
{
    const cube_tree *shape = shape_of(network);
    uint64_t levels = shape->tree.top + 1, in_tree = shape->tree.groups * levels * leaves(network);
    bool cube = index >= in_tree;
    uint64_t corner = cube ? (index - in_tree) % shape->cubes.mask + 1 : 0;
    uint64_t row = cube ? (index - in_tree) / shape->cubes.mask : index,
             place = row % leaves(network);
    row /= leaves(network);
    unsigned group = (unsigned)(cube ? row : row / levels),
             level = (unsigned)(cube ? 0 : row % levels);
    return fl_tree_switch_at(group, level,
                             corner << shape->cubes.shift |
                                 fl_tree_pack(&shape->tree, place, shape->tree.n - 1));
}

uint64_t fl_cubes_switch_index(const fl_network *network, fl_address address)
{
    const cube_tree *shape = shape_of(network);
    uint64_t levels = shape->tree.top + 1, corner = corner_of(shape, address),
             group = fl_tree_group(address);
    uint64_t place = fl_tree_unpack(&shape->tree, address, shape->tree.n - 1);
    if (corner == 0)
        return (group * levels + fl_tree_level(address)) * leaves(network) + place;
    return shape->tree.groups * levels * leaves(network) +
           (group * leaves(network) + place) * shape->cubes.mask + corner - 1;
}

/* The number without bit `bit`, and back. */
static uint64_t without_bit(uint64_t number, unsigned bit)
{
    return number >> bit >> 1 << bit | (number & ((UINT64_C(1) << bit) - 1));
}

static uint64_t with_zero_bit(uint64_t number, unsigned bit)
{
    return number >> bit << bit << 1 | (number & ((UINT64_C(1) << bit) - 1));
}

/* Node links as nodes, cube links by group, leaf, dimension, corner, then the tree's. */
fl_link fl_cubes_link_code(const fl_network *network, uint64_t index)
{
    const cube_tree *shape = shape_of(network);
    const fl_tree *tree = &shape->tree;
    if (index < network->nodes)
        return node_code(shape, fl_cubes_node_address(network, index));
    index -= network->nodes;
    uint64_t all_cubes = tree->groups * leaves(network) * cube_links(shape),
             half = UINT64_C(1) << (tree->k - 1);
    if (index < all_cubes) {
        uint64_t leaf = index / cube_links(shape);
        unsigned dimension = (unsigned)(index % cube_links(shape) / half);
        uint64_t corner = with_zero_bit(index % half, dimension),
                 digits = fl_tree_pack(tree, leaf % leaves(network), tree->n - 1);
        return code_of(shape, tree->groups + (unsigned)(leaf / leaves(network)),
                       (uint64_t)dimension << shape->cubes.node_shift |
                           corner << shape->cubes.shift | digits);
    }
    index -= all_cubes;
    uint64_t per_stage = leaves(network) * tree->k;
    return code_of(shape, 2 * tree->groups + (unsigned)(index / per_stage),
                   fl_tree_pack(tree, index % per_stage, tree->n));
}

uint64_t fl_cubes_link_index(const fl_network *network, fl_link link)
{
    const cube_tree *shape = shape_of(network);
    const fl_tree *tree = &shape->tree;
    code_parts parts = parts_of(shape, link);
    unsigned groups = tree->groups;
    if (parts.slot < groups)
        return fl_cubes_node_index(network, fl_tree_node_at(parts.slot, parts.low));
    uint64_t all_cubes = groups * leaves(network) * cube_links(shape);
    if (parts.slot < 2 * groups) {
        unsigned dimension = (unsigned)(parts.low >> shape->cubes.node_shift);
        uint64_t leaf =
            (parts.slot - groups) * leaves(network) + fl_tree_unpack(tree, parts.low, tree->n - 1);
        return network->nodes + leaf * cube_links(shape) + ((uint64_t)dimension << (tree->k - 1)) +
               without_bit(corner_of(shape, parts.low), dimension);
    }
    return network->nodes + all_cubes + (parts.slot - 2 * groups) * leaves(network) * tree->k +
           fl_tree_unpack(tree, parts.low, tree->n);
}

void fl_cubes_link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    const cube_tree *shape = shape_of(network);
    const fl_tree *tree = &shape->tree;
    code_parts parts = parts_of(shape, link);
    if (parts.slot < tree->groups) {
        fl_address node = fl_tree_node_at(parts.slot, parts.low);
        *out = (fl_link_ends){.a = node,
                              .b = switch_of(shape, node),
                              .port_a = 0,
                              .port_b = (fl_port)number_of(shape, node)};
    } else if (parts.slot < 2 * tree->groups) {
        unsigned dimension = (unsigned)(parts.low >> shape->cubes.node_shift);
        fl_address lower =
            fl_tree_switch_at(parts.slot - tree->groups, 0,
                              parts.low & ((UINT64_C(1) << shape->cubes.node_shift) - 1));
        bool transit = corner_of(shape, lower) == 0;
        out->a = lower ^ UINT64_C(1) << (shape->cubes.shift +
                                         dimension); /* the corner farther from the tree */
        out->port_a = (fl_port)(tree->k + dimension);
        out->b = lower;
        out->port_b = (fl_port)((transit ? 0 : tree->k) + dimension);
    } else {
        fl_tree_link_ends(network, to_tree(shape, parts), out);
    }
}

unsigned fl_cubes_link_class(const fl_network *network, fl_link link)
{
    unsigned slot = parts_of(shape_of(network), link).slot, groups = shape_of(network)->tree.groups;
    return slot / groups;
}

uint64_t fl_cubes_class_size(const fl_network *network, unsigned link_class)
{
    const cube_tree *shape = shape_of(network);
    uint64_t groups = shape->tree.groups, per_stage = leaves(network) * shape->tree.k;
    if (link_class == 0)
        return network->nodes;
    if (link_class == 1)
        return groups * leaves(network) * cube_links(shape);
    return per_stage * (shape->tree.mirrored && link_class == network->classes - 1 ? 1 : groups);
}

void fl_cubes_class_name(const fl_network *network, unsigned link_class, char *out, size_t size)
{
    if (link_class < 2)
        snprintf(out, size, "%s", link_class ? "cube-links" : "node-links");
    else if (shape_of(network)->tree.mirrored && link_class == network->classes - 1)
        snprintf(out, size, "cross-links");
    else
        snprintf(out, size, "level-%u-links", link_class - 2);
}

/* ---- labels: <L,D,C> of a switch (MiCAT: <G,L,D,C>), C in binary; <D,C,i> or <G,D,C,i> of node i
 * ---- */

void fl_cubes_label(const fl_network *network, fl_address address, char *out, size_t size)
{
    const cube_tree *shape = shape_of(network);
    const fl_tree *tree = &shape->tree;
    bool node = fl_address_is_node(address);
    unsigned fields[2], count = 0, corner = corner_of(shape, address);
    if (tree->groups == 2)
        fields[count++] = fl_tree_group(address);
    if (!node)
        fields[count++] = fl_tree_level(address);
    fl_tree_print_label(tree, fields, count, address & tree->switch_mask, tree->n - 1, out, size);
    size_t at = strlen(out) - 1; /* over the '>' */
    at += (size_t)snprintf(out + at, size - at, ",");
    for (unsigned bit = tree->k; bit-- > 0;)
        at += (size_t)snprintf(out + at, size - at, "%u", corner >> bit & 1);
    if (node)
        snprintf(out + at, size - at, ",%u>", number_of(shape, address));
    else
        snprintf(out + at, size - at, ">");
}

static bool scan_corner(const cube_tree *shape, const char **text, uint64_t *corner)
{
    unsigned count = 0;
    for (*corner = 0; (**text == '0' || **text == '1') && count < shape->tree.k; count++)
        *corner = *corner << 1 | (uint64_t)(*(*text)++ - '0');
    return count == shape->tree.k;
}

/* The corner is cut out, and the rest is a label of the tree with one field more for a node. */
bool fl_cubes_parse_label(const fl_network *network, const char *label, fl_address *out)
{
    const cube_tree *shape = shape_of(network);
    const fl_tree *tree = &shape->tree;
    unsigned commas = 0, groups = tree->groups, fields[2] = {0, 0}, field_count, count;
    const char *at[4] = {0};
    for (const char *c = label; *c && commas < 4; c++)
        if (*c == ',')
            at[commas++] = c;
    if (commas != groups + 1)
        return false;
    /* A switch has its corner last; a node its number. Only a node's number stands behind a corner
     * that has digits on both sides: the part with k binary digits at the end shows the two apart.
     */
    for (int node = 0; node < 2; node++) {
        char front[FL_LABEL_MAX];
        const char *corner_text = at[commas - 1 - (unsigned)node] + 1;
        size_t length = (size_t)(corner_text - 1 - label);
        uint64_t corner, number = 0;
        if (length + 2 > sizeof front)
            return false;
        memcpy(front, label, length);
        strcpy(front + length, ">");
        if (!scan_corner(shape, &corner_text, &corner))
            continue;
        if (node) {
            char digits[16];
            if (*corner_text++ != ',')
                continue;
            size_t wide = strspn(corner_text, "0123456789");
            snprintf(digits, sizeof digits, "%.*s", (int)wide, corner_text);
            if (wide == 0 || wide >= 6 || !fl_text_to_u64(digits, &number) || number >= tree->k ||
                corner == 0)
                continue;
            corner_text += wide;
        }
        if (strcmp(corner_text, ">") != 0 ||
            !fl_tree_scan_label(tree, front, fields, &field_count, 2, out, &count) ||
            count != tree->n - 1 || field_count != groups - 1 + !node)
            continue;
        unsigned group = groups == 2 ? fields[0] : 0, level = node ? 0 : fields[field_count - 1];
        if (group >= groups || level > tree->top || (corner != 0 && level != 0))
            continue;
        *out = fl_tree_switch_at(group, level, corner << shape->cubes.shift | *out);
        *out = node ? node_at(shape, *out, (unsigned)number) : *out;
        return true;
    }
    return false;
}

/* ---- closed forms ---- */

double fl_cubes_mean_weight(double k)
{
    return k * pow(2, k - 1) / (pow(2, k) - 1);
}

/* All pairs of corners, less those with 0...0: k 2^(k-1) (2^k - 2) in all. */
double fl_cubes_mean_distance(double k)
{
    double corners = pow(2, k) - 1;
    return k * pow(2, k - 1) * (pow(2, k) - 2) / (corners * corners);
}

/* Paths of one corner to all others: sum over d >= 1 of C(k, d) d!. */
static double paths_from_a_corner(unsigned k)
{
    double sum = 0, term = 1;
    for (unsigned d = 1; d <= k; d++) {
        term *= k - d + 1;
        sum += term;
    }
    return sum;
}

double fl_cubes_mean_paths_to_tree(unsigned k)
{
    return paths_from_a_corner(k) / (pow(2, k) - 1);
}

double fl_cubes_mean_paths(unsigned k)
{
    double corners = pow(2, k) - 1;
    return paths_from_a_corner(k) * (corners + 1 - 2) / (corners * corners);
}

/* ---- symmetry: leaves are alike, groups too; the cube's dimensions can be exchanged ---- */

uint64_t fl_cubes_representative(const fl_network *network, uint64_t index)
{
    const cube_tree *shape = shape_of(network);
    fl_address address = fl_cubes_switch_address(network, index);
    unsigned corner = corner_of(shape, address), ones = fl_bit_count(corner);
    if (corner == 0)
        return index;
    return fl_cubes_switch_index(
        network, fl_tree_switch_at(0, 0, ((UINT64_C(1) << ones) - 1) << shape->cubes.shift));
}

/* ---- drawings: the tree on top, and every cube hangs from its leaf switch, corners by their
 * distance from it ---- */

static double choose(unsigned n, unsigned k)
{
    double combinations = 1;
    for (unsigned i = 0; i < k; i++)
        combinations = combinations * (n - i) / (i + 1);
    return k <= n ? combinations : 0;
}

/* Among the corners of as many ones: how many are smaller, and how many there are. */
static double corner_rank(unsigned corner, unsigned ones)
{
    double rank = 0;
    for (unsigned bit = 32; bit-- > 0;)
        if (corner >> bit & 1)
            rank += choose(bit, ones--);
    return rank;
}

/* Between a level of the tree and the next, or the other tree: longer links get more room. */
static double gap_above(const fl_tree *tree, unsigned level, double pitch)
{
    return fmin(fmax(0.2 * pitch * (tree->k - 1) * pow(tree->k, level), 1.4), 4);
}

void fl_cubes_place(const fl_network *network, fl_address at, double *x, double *y)
{
    const double corner_pitch = 1.45, apart = 0.3, slope = 0.27;
    const cube_tree *shape = shape_of(network);
    const fl_tree *tree = &shape->tree;
    unsigned corner = corner_of(shape, at), ones = fl_bit_count(corner);
    double widest = choose(tree->k, tree->k / 2), cube_pitch = corner_pitch * widest + apart;
    double row_pitch = fmax(1, slope * corner_pitch * widest);
    *x = cube_pitch * (double)fl_tree_unpack(tree, at, tree->n - 1) +
         corner_pitch * (corner_rank(corner, ones) - (choose(tree->k, ones) - 1) / 2);
    *y = ones * row_pitch + (tree->mirrored ? gap_above(tree, tree->top, cube_pitch) / 2 : 0);
    for (unsigned level = fl_tree_level(at); level < tree->top; level++)
        *y += gap_above(tree, level, cube_pitch);
    *y = fl_tree_group(at) ? -*y : *y; /* the other tree stands on its head */
}
