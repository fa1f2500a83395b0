/* Nodes, links and classes of a network as texts name them. */
#include "topo/topo.h"

#include <ctype.h>
#include <string.h>

static unsigned ports_of(const fl_network *network, fl_address at)
{
    return fl_address_is_node(at) ? network->node_ports : network->radix;
}

/* How many links join the two, and the first of them. */
static unsigned links_between(const fl_network *network, fl_address a, fl_address b, fl_link *out)
{
    fl_hop hop;
    unsigned count = 0;
    for (unsigned port = 0; port < ports_of(network, a); port++)
        if (fl_network_step(network, a, (fl_port)port, &hop) && hop.to == b && count++ == 0)
            *out = hop.link;
    return count;
}

/* Parallel links are distinguished by their indices. */
static fl_status refuse_parallel(const fl_network *network, fl_address a, fl_address b,
                                 const char *first, const char *second, fl_error *error)
{
    enum { SHOWN_MAX = 12 };
    fl_text indices = {0};
    fl_hop hop;
    unsigned shown = 0;
    for (unsigned port = 0; port < ports_of(network, a) && shown <= SHOWN_MAX; port++)
        if (fl_network_step(network, a, (fl_port)port, &hop) && hop.to == b && shown++ < SHOWN_MAX)
            fl_text_append(&indices, "%s%llu", shown > 1 ? ", " : "",
                           (unsigned long long)network->type->link_index(network, hop.link));
    fl_status status = fl_fail(
        error, FL_ERR_INVALID,
        "%s and %s are joined by several links in %s: name one by its index, of %s%s", first,
        second, network->spec, indices.data ? indices.data : "?", shown > SHOWN_MAX ? ", ..." : "");
    fl_text_clear(&indices);
    return status;
}

/* A link of this network as one would write it, for messages; one between switches if there is one.
 */
static void example_link(const fl_network *network, char *out, size_t size)
{
    const fl_network_type *type = network->type;
    uint64_t index =
        type->class_size(network, 0) < network->links ? type->class_size(network, 0) : 0;
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX];
    fl_link_ends ends;
    type->link_ends(network, type->link_code(network, index), &ends);
    type->label(network, ends.a, a, sizeof a);
    type->label(network, ends.b, b, sizeof b);
    snprintf(out, size, "%s-%s", a, b);
}

/* The digits of a label without what stands around them would be taken for a number: 010 for
 * node 10. */
static fl_status refuse_leading_zeros(const fl_network *network, const char *text,
                                      const char *first, const char *last, fl_error *error)
{
    static const char *const beginnings[] = {"<", "<0,"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        char label[FL_LABEL_MAX + 100];
        fl_address address;
        snprintf(label, sizeof label, "%s%.100s>", beginnings[i], text);
        if (network->type->parse_label(network, label, &address) && fl_address_is_node(address))
            return fl_fail(
                error, FL_ERR_INVALID,
                "'%.100s' looks like the digits of a label: write '%s', or a node number without leading "
                "zeros",
                text, label);
    }
    return fl_fail(
        error, FL_ERR_INVALID,
        "'%.100s' is not a node of %s: its nodes are %s to %s, or 0 to %llu, without leading zeros",
        text, network->spec, first, last, (unsigned long long)network->nodes - 1);
}

fl_status fl_network_parse_node(const fl_network *network, const char *text, fl_address *out,
                                fl_error *error)
{
    const fl_network_type *type = network->type;
    char first[FL_LABEL_MAX], last[FL_LABEL_MAX];
    uint64_t index;
    if (type->parse_label(network, text, out) && fl_address_is_node(*out))
        return FL_OK;
    bool is_switch = type->parse_label(network, text, out);
    bool is_number = !is_switch && fl_text_to_u64(text, &index),
         zeros = is_number && text[0] == '0' && text[1];
    if (is_number && !zeros && index < network->nodes) {
        *out = type->node_address(network, index);
        return FL_OK;
    }
    type->label(network, type->node_address(network, 0), first, sizeof first);
    type->label(network, type->node_address(network, network->nodes - 1), last, sizeof last);
    if (zeros)
        return refuse_leading_zeros(network, text, first, last, error);
    return fl_fail(error, FL_ERR_INVALID,
                   "'%.100s' is %s of %s: its nodes are %s to %s, or 0 to %llu", text,
                   is_switch ? "a switch, not a node," : "not a node", network->spec, first, last,
                   (unsigned long long)network->nodes - 1);
}

/* The message names what the first is linked to, of many neighbours the first few. */
static fl_status refuse_unlinked(const fl_network *network, fl_address a, const char *first,
                                 const char *second, fl_error *error)
{
    enum { SHOWN_MAX = 12 };
    fl_text neighbours = {0};
    unsigned shown = 0, ports = ports_of(network, a);
    for (unsigned port = 0; port < ports && shown <= SHOWN_MAX; port++) {
        char label[FL_LABEL_MAX];
        fl_hop hop;
        if (!fl_network_step(network, a, (fl_port)port, &hop))
            continue;
        network->type->label(network, hop.to, label, sizeof label);
        fl_text_append(&neighbours, "%s%s", shown ? ", " : "", shown < SHOWN_MAX ? label : "...");
        shown++;
    }
    fl_status status =
        fl_fail(error, FL_ERR_INVALID, "%s and %s are not linked in %s: %s is linked to %s", first,
                second, network->spec, first, neighbours.data ? neighbours.data : "nothing");
    fl_text_clear(&neighbours);
    return status;
}

/* An index, with nothing but spaces behind it? */
static bool is_index(const char *text, uint64_t *index)
{
    char number[24];
    size_t digits = strspn(text, "0123456789");
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    return digits < sizeof number && !text[digits + strspn(text + digits, " \t\r")] &&
           fl_text_to_u64(number, index);
}

/* Does a comma follow the first link? Labels, in < and >, have commas of their own. */
static bool is_more_than_one_link(const char *text)
{
    const char *end = strchr(text, '>'), *end_of_second = end ? strchr(end + 1, '>') : NULL;
    const char *far_end = end_of_second ? end_of_second + 1 : text + strspn(text, "0123456789");
    return far_end > text && far_end[strspn(far_end, " \t")] == ',';
}

/* The two labels of `A B` or `A-B`. */
static fl_status split_labels(const fl_network *network, const char *text, const char *example,
                              char first[FL_LABEL_MAX], char second[FL_LABEL_MAX], fl_error *error)
{
    const char *end = strchr(text, '>');
    if (!end || (size_t)(end + 1 - text) >= FL_LABEL_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%.100s' is not a link: write an index or two labels, as %s", text,
                       example);
    memcpy(first, text, (size_t)(end + 1 - text));
    first[end + 1 - text] = 0;
    const char *rest = end + 1 + strspn(end + 1, " \t-");
    snprintf(second, FL_LABEL_MAX, "%s", rest);
    for (size_t length = strlen(second); length > 0 && isspace((unsigned char)second[length - 1]);)
        second[--length] = 0;
    if (!second[0])
        return fl_fail(error, FL_ERR_INVALID,
                       "'%.100s' is one end only: a link of %s is written as %s", text,
                       network->spec, example);
    return FL_OK;
}

fl_status fl_network_parse_link(const fl_network *network, const char *text, fl_link *out,
                                fl_error *error)
{
    char first[FL_LABEL_MAX], second[FL_LABEL_MAX], example[2 * FL_LABEL_MAX];
    uint64_t index;
    fl_address a, b;
    if (is_index(text, &index)) {
        if (index >= network->links)
            return fl_fail(
                error, FL_ERR_INVALID, "there is no link %llu in %s: links are numbered 0 to %llu",
                (unsigned long long)index, network->spec, (unsigned long long)network->links - 1);
        *out = network->type->link_code(network, index);
        return FL_OK;
    }
    if (is_more_than_one_link(text))
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%.100s' is more than one link: separate links by ';' (labels have commas of their own)",
            text);
    example_link(network, example, sizeof example);
    fl_status status = split_labels(network, text, example, first, second, error);
    if (status)
        return status;
    bool is_first = network->type->parse_label(network, first, &a);
    if (!is_first || !network->type->parse_label(network, second, &b))
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%.100s' does not name two vertices of %s: there is no '%s'; a link is written as %s",
            text, network->spec, is_first ? second : first, example);
    unsigned links = links_between(network, a, b, out);
    if (links > 1)
        return refuse_parallel(network, a, b, first, second, error);
    return links == 1 ? FL_OK : refuse_unlinked(network, a, first, second, error);
}

void fl_network_append_link(const fl_network *network, fl_link link, fl_text *out)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX];
    fl_link_ends ends;
    fl_link any;
    network->type->link_ends(network, link, &ends);
    network->type->label(network, ends.a, a, sizeof a);
    network->type->label(network, ends.b, b, sizeof b);
    if (network->node_ports > 1 && fl_address_is_node(ends.a) &&
        links_between(network, ends.a, ends.b, &any) > 1)
        fl_text_append(out, "%llu", (unsigned long long)network->type->link_index(network, link));
    else
        fl_text_append(out, "%s-%s", a, b);
}

void fl_network_json_link(const fl_network *network, const char *key, fl_link link,
                          fl_json_writer *out)
{
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX];
    fl_link_ends ends;
    network->type->link_ends(network, link, &ends);
    network->type->label(network, ends.a, a, sizeof a);
    network->type->label(network, ends.b, b, sizeof b);
    fl_json_open_object(out, key);
    fl_json_number(out, "link", network->type->link_index(network, link));
    fl_json_text(out, "a", a);
    fl_json_text(out, "b", b);
    fl_json_close(out);
}

fl_status fl_network_parse_class(const fl_network *network, const char *name, unsigned *out,
                                 fl_error *error)
{
    fl_text all = {0};
    enum { SUGGESTED_MAX = 64 }; /* no network has as many */
    const char *names[SUGGESTED_MAX + 1] = {0};
    char suggested[SUGGESTED_MAX][64];
    for (unsigned i = 0; i < network->classes; i++) {
        char known[64];
        network->type->class_name(network, i, known, sizeof known);
        if (i < SUGGESTED_MAX)
            names[i] = strcpy(suggested[i], known);
        if (strcmp(known, name) == 0) {
            *out = i;
            fl_text_clear(&all);
            return FL_OK;
        }
        fl_text_append(&all, "%s%s", i ? ", " : "", known);
    }
    const char *nearest = fl_text_nearest(name, names);
    fl_status status = fl_fail(error, FL_ERR_INVALID, "unknown link class '%.60s'; %s%s%s%s has %s",
                               name, nearest ? "did you mean '" : "", nearest ? nearest : "",
                               nearest ? "'? " : "", network->spec, all.data ? all.data : "none");
    fl_text_clear(&all);
    return status;
}
