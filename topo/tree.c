#include "topo/tree.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* Link codes. A link belongs to the stage below or at its lower end; inside a stage it is
 * numbered by the lower end's digits and the value v that the upper end has instead:
 *   stage 0 (and 1)         node links of group 0 (and 1): the node's n digits
 *   stage (L+1)*groups + G  up links of level L, group G: (digits of the lower switch, v)
 *   last stage, mirrored    cross links: (digits of the group-0 end, v = D_{n-2} of the other) */

uint64_t fl_tree_power(uint64_t base, unsigned exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= base;
    return power;
}

static fl_address switch_at(unsigned group, unsigned level, uint64_t digits)
{
    return (uint64_t)group << FL_ADDRESS_GROUP_SHIFT | (uint64_t)level << FL_ADDRESS_LEVEL_SHIFT | digits;
}

static fl_address node_at(unsigned group, uint64_t digits)
{
    return UINT64_C(1) << FL_ADDRESS_NODE_SHIFT | (uint64_t)group << FL_ADDRESS_GROUP_SHIFT | digits;
}

static uint64_t with_digit(const fl_tree *tree, uint64_t digits, unsigned place, unsigned value)
{
    unsigned shift = place * tree->bits;
    return (digits & ~(tree->digit_mask << shift)) | (uint64_t)value << shift;
}

static fl_link code_of(const fl_tree *tree, unsigned stage, uint64_t low)
{
    return (uint64_t)stage << (tree->n * tree->bits) | low;
}

static unsigned cross_stage(const fl_tree *tree)
{
    return (tree->top + 1) * tree->groups;
}

fl_status fl_tree_setup(fl_network *network, unsigned k, unsigned n, bool mirrored, fl_error *error)
{
    unsigned bits = 1;
    while ((1u << bits) < k)
        bits++;
    if (n * bits > FL_ADDRESS_LEVEL_SHIFT - 8)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: too large: %u digits of %u bits each do not fit an address (n * ceil(log2 k) may be %d at most)",
                       network->spec, n, bits, FL_ADDRESS_LEVEL_SHIFT - 8);
    fl_tree *tree = &network->tree_storage;
    *tree = (fl_tree){
        .k = k,
        .n = n,
        .bits = bits,
        .top = mirrored ? n - 2 : n - 1,
        .groups = mirrored ? 2 : 1,
        .mirrored = mirrored,
        .digit_mask = (UINT64_C(1) << bits) - 1,
        .switch_mask = (UINT64_C(1) << ((n - 1) * bits)) - 1,
    };
    network->tree = tree;
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

bool fl_tree_step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    const fl_tree *tree = network->tree;
    unsigned group = fl_tree_group(from), level = fl_tree_level(from), k = tree->k;
    uint64_t digits = from & FL_ADDRESS_DIGITS;
    if (fl_address_is_node(from)) {
        if (port != 0)
            return false;
        out->to = switch_at(group, 0, digits & tree->switch_mask);
        out->link = code_of(tree, group, digits);
    } else if (port >= k) {
        unsigned value = port - k;
        if (value >= k || (level == tree->top && !tree->mirrored))
            return false;
        uint64_t beyond = with_digit(tree, digits, level, value);
        if (level < tree->top) {
            out->to = switch_at(group, level + 1, beyond);
            out->link = code_of(tree, (level + 1) * tree->groups + group, digits << tree->bits | value);
        } else {
            out->to = switch_at(group ^ 1, level, beyond);
            uint64_t lower = group == 0 ? digits : beyond;
            unsigned upper_value = group == 0 ? value : fl_tree_digit(tree, digits, level);
            out->link = code_of(tree, cross_stage(tree), lower << tree->bits | upper_value);
        }
    } else if (level > 0) {
        uint64_t lower = with_digit(tree, digits, level - 1, port);
        out->to = switch_at(group, level - 1, lower);
        out->link = code_of(tree, level * tree->groups + group,
                            lower << tree->bits | fl_tree_digit(tree, digits, level - 1));
    } else {
        uint64_t node = digits | (uint64_t)port << ((tree->n - 1) * tree->bits);
        out->to = node_at(group, node);
        out->link = code_of(tree, group, node);
    }
    return true;
}

/* Packed digits <-> number base k. */
static uint64_t pack(const fl_tree *tree, uint64_t number, unsigned count)
{
    uint64_t digits = 0;
    for (unsigned i = 0; i < count; i++, number /= tree->k)
        digits |= (number % tree->k) << (i * tree->bits);
    return digits;
}

static uint64_t unpack(const fl_tree *tree, uint64_t digits, unsigned count)
{
    uint64_t number = 0;
    for (unsigned i = count; i-- > 0;)
        number = number * tree->k + fl_tree_digit(tree, digits, i);
    return number;
}

fl_address fl_tree_node_address(const fl_network *network, uint64_t index)
{
    const fl_tree *tree = network->tree;
    uint64_t per_group = network->nodes / tree->groups;
    return node_at((unsigned)(index / per_group), pack(tree, index % per_group, tree->n));
}

uint64_t fl_tree_node_index(const fl_network *network, fl_address address)
{
    const fl_tree *tree = network->tree;
    return fl_tree_group(address) * (network->nodes / tree->groups) + unpack(tree, address, tree->n);
}

fl_address fl_tree_switch_address(const fl_network *network, uint64_t index)
{
    const fl_tree *tree = network->tree;
    uint64_t per_level = network->switches / tree->groups / (tree->top + 1);
    uint64_t row = index / per_level;
    return switch_at((unsigned)(row / (tree->top + 1)), (unsigned)(row % (tree->top + 1)),
                     pack(tree, index % per_level, tree->n - 1));
}

uint64_t fl_tree_switch_index(const fl_network *network, fl_address address)
{
    const fl_tree *tree = network->tree;
    uint64_t per_level = network->switches / tree->groups / (tree->top + 1);
    uint64_t row = (uint64_t)fl_tree_group(address) * (tree->top + 1) + fl_tree_level(address);
    return row * per_level + unpack(tree, address, tree->n - 1);
}

static uint64_t links_per_stage(const fl_network *network)
{
    return network->nodes / network->tree->groups;
}

fl_link fl_tree_link_code(const fl_network *network, uint64_t index)
{
    const fl_tree *tree = network->tree;
    uint64_t per_stage = links_per_stage(network);
    return code_of(tree, (unsigned)(index / per_stage), pack(tree, index % per_stage, tree->n));
}

static unsigned stage_of(const fl_tree *tree, fl_link link)
{
    return (unsigned)(link >> (tree->n * tree->bits));
}

static uint64_t low_of(const fl_tree *tree, fl_link link)
{
    return link & ((UINT64_C(1) << (tree->n * tree->bits)) - 1);
}

uint64_t fl_tree_link_index(const fl_network *network, fl_link link)
{
    const fl_tree *tree = network->tree;
    return stage_of(tree, link) * links_per_stage(network) + unpack(tree, low_of(tree, link), tree->n);
}

void fl_tree_link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    const fl_tree *tree = network->tree;
    unsigned stage = stage_of(tree, link), group = stage % tree->groups;
    uint64_t low = low_of(tree, link), digits = low >> tree->bits;
    unsigned value = (unsigned)(low & tree->digit_mask);
    if (stage < tree->groups) {
        out->a = node_at(group, low);
        out->port_a = 0;
        out->port_b = (fl_port)fl_tree_digit(tree, low, tree->n - 1);
        out->b = switch_at(group, 0, low & tree->switch_mask);
    } else if (tree->mirrored && stage == cross_stage(tree)) {
        out->a = switch_at(0, tree->top, digits);
        out->port_a = (fl_port)(tree->k + value);
        out->b = switch_at(1, tree->top, with_digit(tree, digits, tree->top, value));
        out->port_b = (fl_port)(tree->k + fl_tree_digit(tree, digits, tree->top));
    } else {
        unsigned level = stage / tree->groups - 1;
        out->a = switch_at(group, level, digits);
        out->port_a = (fl_port)(tree->k + value);
        out->b = switch_at(group, level + 1, with_digit(tree, digits, level, value));
        out->port_b = (fl_port)fl_tree_digit(tree, digits, level);
    }
}

/* Classes: node links, then the up links of each level (both groups), then the cross links. */
unsigned fl_tree_link_class(const fl_network *network, fl_link link)
{
    return stage_of(network->tree, link) / network->tree->groups;
}

uint64_t fl_tree_class_size(const fl_network *network, unsigned link_class)
{
    bool cross = network->tree->mirrored && link_class == network->classes - 1;
    return links_per_stage(network) * (cross ? 1 : network->tree->groups);
}

void fl_tree_class_name(const fl_network *network, unsigned link_class, char *out, size_t size)
{
    if (link_class == 0)
        snprintf(out, size, "node-links");
    else if (network->tree->mirrored && link_class == network->classes - 1)
        snprintf(out, size, "cross-links");
    else
        snprintf(out, size, "level-%u-links", link_class - 1);
}

/* ---- labels ---- */

void fl_tree_print_label(const fl_tree *tree, const unsigned *fields, unsigned field_count, fl_address digits,
                         unsigned count, char *out, size_t size)
{
    size_t at = 0;
    at += (size_t)snprintf(out, size, "<");
    for (unsigned i = 0; i < field_count; i++)
        at += (size_t)snprintf(out + at, size - at, "%u,", fields[i]);
    for (unsigned i = count; i-- > 0;)
        at += (size_t)snprintf(out + at, size - at, "%u%s", fl_tree_digit(tree, digits, i), i > 0 && tree->k > 10 ? "." : "");
    snprintf(out + at, size - at, ">");
}

static bool scan_number(const char **text, unsigned *out)
{
    unsigned value = 0, length = 0;
    for (; isdigit((unsigned char)**text) && length < 6; length++)
        value = value * 10 + (unsigned)(*(*text)++ - '0');
    *out = value;
    return length > 0;
}

static bool scan_digits(const fl_tree *tree, const char **text, fl_address *digits, unsigned *digit_count)
{
    *digits = 0;
    *digit_count = 0;
    while (isdigit((unsigned char)**text)) {
        unsigned value;
        if (tree->k <= 10) {
            value = (unsigned)(*(*text)++ - '0');
        } else {
            scan_number(text, &value);
            if (**text == '.')
                (*text)++;
        }
        if (value >= tree->k || *digit_count == tree->n)
            return false;
        *digits = *digits << tree->bits | value;
        (*digit_count)++;
    }
    return true;
}

bool fl_tree_scan_label(const fl_tree *tree, const char *label, unsigned *fields, unsigned *field_count,
                        unsigned char field_max, fl_address *digits, unsigned *digit_count)
{
    if (*label++ != '<')
        return false;
    *field_count = 0;
    while (strchr(label, ',')) {
        if (*field_count == field_max || !scan_number(&label, &fields[(*field_count)++]) || *label++ != ',')
            return false;
    }
    return scan_digits(tree, &label, digits, digit_count) && strcmp(label, ">") == 0;
}
