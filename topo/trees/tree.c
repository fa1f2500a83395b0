/* Functions for k-ary n-trees, mirrored ones, and networks that contain such a tree. */
#include "topo/trees/tree.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

uint64_t fl_tree_power(uint64_t base, unsigned exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= base;
    return power;
}

unsigned fl_digit_bits(uint64_t k)
{
    unsigned bits = 1;
    while ((UINT64_C(1) << bits) < k)
        bits++;
    return bits;
}

void fl_tree_fill(fl_tree *tree, unsigned k, unsigned n, unsigned groups, bool mirrored)
{
    unsigned bits = fl_digit_bits(k);
    *tree = (fl_tree){
        .k = k,
        .up = k,
        .n = n,
        .bits = bits,
        .top = mirrored ? n - 2 : n - 1,
        .groups = groups,
        .node_shift = (n - 1) * bits,
        .stage_shift = n * bits,
        .mirrored = mirrored,
        .digit_mask = (UINT64_C(1) << bits) - 1,
        .switch_mask = (UINT64_C(1) << ((n - 1) * bits)) - 1,
    };
    tree->cross_stage = (tree->top + 1) * tree->groups;
}

fl_status fl_tree_setup(fl_network *network, unsigned k, unsigned n, bool mirrored, fl_error *error)
{
    unsigned bits = fl_digit_bits(k);
    if (n * bits > FL_ADDRESS_LEVEL_SHIFT - 8)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s: too large: %u digits of %u bits each do not fit an address (n * ceil(log2 k) may be %d at most)",
            network->spec, n, bits, FL_ADDRESS_LEVEL_SHIFT - 8);
    fl_tree *tree = &network->tree_storage;
    fl_tree_fill(tree, k, n, mirrored ? 2 : 1, mirrored);
    network->tree = network->levels = network->pair_tree = tree;
    uint64_t per_stage = fl_tree_power(k, n), levels = tree->top + 1;
    uint64_t stages = mirrored ? levels * 2 + 1 : levels;
    network->nodes = per_stage * tree->groups;
    network->switches = per_stage / k * levels * tree->groups;
    network->links = per_stage * stages;
    network->link_codes = stages << (n * bits);
    network->radix = 2 * k;
    network->classes = (unsigned)levels + mirrored;
    return FL_OK;
}

/* Networks that only contain trees have tree_storage, too, but no tree. */
static const fl_tree *tree_of(const fl_network *network)
{
    return &network->tree_storage;
}

bool fl_tree_step_of(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    return fl_tree_step(tree_of(network), from, port, out);
}

/* Packed digits <-> number base k. The same thing when k is a power of two. */
uint64_t fl_tree_pack(const fl_tree *tree, uint64_t number, unsigned count)
{
    if (tree->k == tree->digit_mask + 1)
        return number;
    uint64_t digits = 0;
    for (unsigned i = 0; i < count; i++, number /= tree->k)
        digits |= (number % tree->k) << (i * tree->bits);
    return digits;
}

uint64_t fl_tree_unpack(const fl_tree *tree, uint64_t digits, unsigned count)
{
    uint64_t number = 0;
    for (unsigned i = count; i-- > 0;)
        number = number * tree->k + fl_tree_digit(tree, digits, i);
    return number;
}

fl_address fl_tree_node_address(const fl_network *network, uint64_t index)
{
    const fl_tree *tree = tree_of(network);
    uint64_t per_group = network->nodes / tree->groups;
    return fl_tree_node_at((unsigned)(index / per_group),
                           fl_tree_pack(tree, index % per_group, tree->n));
}

uint64_t fl_tree_node_index(const fl_network *network, fl_address address)
{
    const fl_tree *tree = tree_of(network);
    return fl_tree_group(address) * (network->nodes / tree->groups) +
           fl_tree_unpack(tree, address, tree->n);
}

fl_address fl_tree_switch_address(const fl_network *network, uint64_t index)
{
    const fl_tree *tree = tree_of(network);
    uint64_t per_level = network->switches / tree->groups / (tree->top + 1);
    uint64_t row = index / per_level;
    return fl_tree_switch_at((unsigned)(row / (tree->top + 1)), (unsigned)(row % (tree->top + 1)),
                             fl_tree_pack(tree, index % per_level, tree->n - 1));
}

uint64_t fl_tree_switch_index(const fl_network *network, fl_address address)
{
    const fl_tree *tree = tree_of(network);
    uint64_t per_level = network->switches / tree->groups / (tree->top + 1);
    uint64_t row = (uint64_t)fl_tree_group(address) * (tree->top + 1) + fl_tree_level(address);
    return row * per_level + fl_tree_unpack(tree, address, tree->n - 1);
}

static uint64_t links_per_stage(const fl_network *network)
{
    return network->nodes / tree_of(network)->groups;
}

fl_link fl_tree_link_code(const fl_network *network, uint64_t index)
{
    const fl_tree *tree = tree_of(network);
    uint64_t per_stage = links_per_stage(network);
    return fl_tree_code_of(tree, (unsigned)(index / per_stage),
                           fl_tree_pack(tree, index % per_stage, tree->n));
}

static unsigned stage_of(const fl_tree *tree, fl_link link)
{
    return (unsigned)(link >> tree->stage_shift);
}

static uint64_t low_of(const fl_tree *tree, fl_link link)
{
    return link & ((UINT64_C(1) << tree->stage_shift) - 1);
}

uint64_t fl_tree_link_index(const fl_network *network, fl_link link)
{
    const fl_tree *tree = tree_of(network);
    return stage_of(tree, link) * links_per_stage(network) +
           fl_tree_unpack(tree, low_of(tree, link), tree->n);
}

void fl_tree_link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    const fl_tree *tree = tree_of(network);
    unsigned stage = stage_of(tree, link), group = stage % tree->groups;
    uint64_t low = low_of(tree, link), digits = low >> tree->bits;
    unsigned value = (unsigned)(low & tree->digit_mask);
    if (stage < tree->groups) {
        out->a = fl_tree_node_at(group, low);
        out->port_a = 0;
        out->port_b = (fl_port)fl_tree_digit(tree, low, tree->n - 1);
        out->b = fl_tree_switch_at(group, 0, low & tree->switch_mask);
    } else if (tree->mirrored && stage == tree->cross_stage) {
        out->a = fl_tree_switch_at(0, tree->top, digits);
        out->port_a = (fl_port)(tree->k + value);
        out->b =
            fl_tree_switch_at(1, tree->top, fl_tree_with_digit(tree, digits, tree->top, value));
        out->port_b = (fl_port)(tree->k + fl_tree_digit(tree, digits, tree->top));
    } else {
        unsigned level = stage / tree->groups - 1;
        out->a = fl_tree_switch_at(group, level, digits);
        out->port_a = (fl_port)(tree->k + value);
        out->b =
            fl_tree_switch_at(group, level + 1, fl_tree_with_digit(tree, digits, level, value));
        out->port_b = (fl_port)fl_tree_digit(tree, digits, level);
    }
}

/* Classes: node links, then the up links of each level (both groups), then the cross links. */
unsigned fl_tree_link_class(const fl_network *network, fl_link link)
{
    return stage_of(tree_of(network), link) / tree_of(network)->groups;
}

uint64_t fl_tree_class_size(const fl_network *network, unsigned link_class)
{
    bool cross = tree_of(network)->mirrored && link_class == network->classes - 1;
    return links_per_stage(network) * (cross ? 1 : tree_of(network)->groups);
}

void fl_tree_class_name(const fl_network *network, unsigned link_class, char *out, size_t size)
{
    if (link_class == 0)
        snprintf(out, size, "node-links");
    else if (tree_of(network)->mirrored && link_class == network->classes - 1)
        snprintf(out, size, "cross-links");
    else
        snprintf(out, size, "level-%u-links", link_class - 1);
}

/* ---- labels ---- */

void fl_tree_print_label(const fl_tree *tree, const unsigned *fields, unsigned field_count,
                         fl_address digits, unsigned count, char *out, size_t size)
{
    size_t at = 0;
    at += (size_t)snprintf(out, size, "<");
    for (unsigned i = 0; i < field_count; i++)
        at += (size_t)snprintf(out + at, size - at, "%u,", fields[i]);
    for (unsigned i = count; i-- > 0;)
        at += (size_t)snprintf(out + at, size - at, "%u%s", fl_tree_digit(tree, digits, i),
                               i > 0 && tree->k > 10 ? "." : "");
    snprintf(out + at, size - at, ">");
}

static bool scan_number(const char **text, unsigned *out)
{
    unsigned value = 0, length = 0;
    for (; isdigit((unsigned char)**text) && length < 6; length++)
        value = value * 10 + (unsigned)(*(*text)++ - '0');
    *out = value;
    return length > 0 && !isdigit((unsigned char)**text);
}

static bool scan_digits(const fl_tree *tree, const char **text, fl_address *digits,
                        unsigned *digit_count)
{
    bool dotted = tree->k > 10;
    *digits = 0;
    *digit_count = 0;
    while (isdigit((unsigned char)**text)) {
        unsigned value = (unsigned)(**text - '0');
        if (!dotted)
            (*text)++;
        else if (!scan_number(text, &value))
            return false;
        if (value >= tree->k || *digit_count == tree->n)
            return false;
        *digits = *digits << tree->bits | value;
        (*digit_count)++;
        if (dotted && **text == '.' && !isdigit((unsigned char)*++*text))
            return false;
    }
    return true;
}

bool fl_tree_scan_label(const fl_tree *tree, const char *label, unsigned *fields,
                        unsigned *field_count, unsigned char field_max, fl_address *digits,
                        unsigned *digit_count)
{
    if (*label++ != '<')
        return false;
    *field_count = 0;
    while (strchr(label, ',')) {
        if (*field_count == field_max || !scan_number(&label, &fields[(*field_count)++]) ||
            *label++ != ',')
            return false;
    }
    return scan_digits(tree, &label, digits, digit_count) && strcmp(label, ">") == 0;
}
