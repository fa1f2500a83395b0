/* A network against itself: do the functions of its type, and what it offers to routing, agree? */
#include "topo/topo.h"

#include <math.h>
#include <stdlib.h>

static fl_status wrong(const fl_network *network, fl_address at, fl_error *error, const char *what)
{
    char label[FL_LABEL_MAX];
    network->type->label(network, at, label, sizeof label);
    return fl_fail(error, FL_ERR_INVALID, "%s: %s at %s", network->spec, what, label);
}

static fl_status check_vertex(const fl_network *network, fl_address address, bool node,
                              uint64_t index, fl_error *error)
{
    char label[FL_LABEL_MAX];
    fl_address back;
    network->type->label(network, address, label, sizeof label);
    if (fl_address_is_node(address) != node)
        return wrong(network, address, error, "node and switch are mixed up");
    if (!network->type->parse_label(network, label, &back) || back != address)
        return wrong(network, address, error, "the label does not lead back to its address");
    uint64_t again = node ? network->type->node_index(network, address)
                          : network->type->switch_index(network, address);
    return again == index
               ? FL_OK
               : wrong(network, address, error, "the index does not lead back to its address");
}

/* One port: the link's code, index, ends and class agree, and the other end leads back. */
static fl_status check_hop(const fl_network *network, fl_address from, fl_port port,
                           const fl_hop *hop, fl_error *error)
{
    const fl_network_type *type = network->type;
    fl_link_ends ends;
    type->link_ends(network, hop->link, &ends);
    if (network->one_way && ends.b != from && ends.a == hop->to)
        return FL_OK; /* a link whose way back starts elsewhere (kns.c); its other direction is
                         checked in full */
    bool forward = ends.a == from && ends.port_a == port && ends.b == hop->to;
    bool backward = ends.b == from && ends.port_b == port && ends.a == hop->to;
    if (!forward && !backward)
        return wrong(network, from, error, "a link's ends are not where its port leads");
    fl_hop back;
    if (network->one_way && forward && !fl_network_step(network, hop->to, ends.port_b, &back))
        back = (fl_hop){.to = from, .link = hop->link}; /* nothing comes back this way */
    else if (!fl_network_step(network, hop->to, forward ? ends.port_b : ends.port_a, &back) ||
             back.to != from || back.link != hop->link)
        return wrong(network, from, error, "a link is not the same seen from its other end");
    uint64_t index = type->link_index(network, hop->link);
    if (hop->link >= network->link_codes || index >= network->links ||
        type->link_code(network, index) != hop->link)
        return wrong(network, from, error, "a link's code and index do not agree");
    unsigned link_class = type->link_class(network, hop->link);
    bool node_link = fl_address_is_node(ends.a) || fl_address_is_node(ends.b);
    if (link_class >= network->classes || (link_class == 0) != node_link)
        return wrong(network, from, error, "a link has the wrong class");
    return FL_OK;
}

static fl_status check_all(const fl_network *network, unsigned char *seen, fl_error *error)
{
    for (uint64_t v = 0; v < network->nodes + network->switches; v++) {
        bool node = v < network->nodes;
        uint64_t index = node ? v : v - network->nodes;
        fl_address address = node ? network->type->node_address(network, index)
                                  : network->type->switch_address(network, index);
        fl_status status = check_vertex(network, address, node, index, error);
        unsigned degree = 0;
        fl_hop hop;
        for (unsigned port = 0; !status && port < (node ? network->node_ports : network->radix);
             port++) {
            if (!fl_network_step(network, address, (fl_port)port, &hop))
                continue;
            degree++;
            status = check_hop(network, address, (fl_port)port, &hop, error);
            if (!status)
                seen[network->type->link_index(network, hop.link)]++;
        }
        if (!status && node && (degree == 0 || (network->node_ports == 1 && degree != 1)))
            status = wrong(network, address, error,
                           network->node_ports == 1 ? "a node without exactly one link"
                                                    : "a node without a link");
        if (!status &&
            fl_network_step(network, address,
                            (fl_port)(node ? network->node_ports : network->radix), &hop))
            status = wrong(network, address, error, "a port beyond the radix");
        if (status)
            return status;
    }
    for (uint64_t link = 0; link < network->links; link++)
        if (seen[link] != 2 && !(network->one_way && seen[link] == 1))
            return fl_fail(error, FL_ERR_INVALID, "%s: link %llu has %d ends", network->spec,
                           (unsigned long long)link, seen[link]);
    return FL_OK;
}

/* ---- stages ---- */

/* Where base routing goes at a switch of the stages: one level on, or to the destination. */
static fl_status check_base_port(const fl_network *network, fl_address at,
                                 const fl_stage_position *p, fl_address destination,
                                 fl_error *error)
{
    const fl_stage_ports *ports = &p->ports;
    fl_stage_position next;
    fl_hop hop;
    if (p->level > network->levels->top)
        return wrong(network, at, error, "a level above the highest");
    if (ports->target >= ports->values ||
        !fl_network_step(network, at, (fl_port)(ports->base + ports->target), &hop))
        return wrong(network, at, error, "base routing's port in the stages is not plugged in");
    if (fl_stages_port(network, at, destination) != ports->base + ports->target)
        return wrong(network, at, error, "the stages name two ports of base routing");
    if (!p->upward && p->level == 0)
        return network->grid || hop.to == destination
                   ? FL_OK
                   : wrong(network, at, error, "the stages do not lead to the destination");
    unsigned level = p->cross ? p->level : p->upward ? p->level + 1 : p->level - 1;
    return fl_stages_position(network, hop.to, destination, &next) && next.level == level
               ? FL_OK
               : wrong(network, at, error, "base routing's port leads to another level");
}

/* The blocks of links up from a switch: they write a digit, and the same digit leads back down. */
static fl_status check_block(const fl_network *network, fl_address at, const fl_stage_position *p,
                             fl_address destination, fl_error *error)
{
    const fl_tree *tree = network->levels;
    if (p->level >= tree->top)
        return FL_OK;
    uint64_t digits = fl_stages_digits(network, at);
    unsigned own = fl_tree_digit(tree, digits, p->level);
    fl_stage_ports up = fl_stages_ports(network, at, destination, p->level, true, p->side);
    for (unsigned value = 0; value < up.values; value++) {
        fl_hop hop, back;
        if (!fl_network_step(network, at, (fl_port)(up.base + value), &hop))
            return wrong(network, at, error, "a port up in the stages is not plugged in");
        uint64_t there = fl_stages_digits(network, hop.to),
                 written = fl_tree_with_digit(tree, digits, p->level, value);
        if ((there & tree->switch_mask) != (written & tree->switch_mask))
            return wrong(network, at, error, "a port up does not write its level's digit");
        fl_stage_ports down =
            fl_stages_ports(network, hop.to, destination, p->level + 1, false, p->side);
        if (own >= down.values ||
            !fl_network_step(network, hop.to, (fl_port)(down.base + own), &back) || back.to != at)
            return wrong(network, hop.to, error, "a digit does not lead back down");
    }
    return FL_OK;
}

static bool is_inside_cube(const fl_network *network, fl_address at, fl_address destination)
{
    unsigned differ;
    return network->cubes && fl_cubes_differ(network->cubes, at, destination, &differ);
}

/* What a network offers as its stages, on the way to its first node and to its last. Links of one
 * way have no blocks to turn in. */
static fl_status check_stages(const fl_network *network, fl_error *error)
{
    fl_status status = FL_OK;
    bool stages = network->levels && !network->one_way;
    for (uint64_t i = 0; !status && stages && i < 2 * network->switches; i++) {
        fl_address at = network->type->switch_address(network, i / 2),
                   destination =
                       network->type->node_address(network, i % 2 ? network->nodes - 1 : 0);
        fl_stage_position p;
        if (is_inside_cube(network, at, destination) ||
            !fl_stages_position(network, at, destination, &p))
            continue;
        status = check_base_port(network, at, &p, destination, error);
        if (!status)
            status = check_block(network, at, &p, destination, error);
    }
    return status;
}

/* ---- connectivity ---- */

/* Connected parts of the network without its nodes, which forward nothing. */
static void number_components(const fl_graph *graph, uint32_t *component, uint32_t *queue)
{
    uint32_t count = 0;
    for (uint64_t v = graph->nodes; v < graph->vertices; v++)
        component[v] = UINT32_MAX;
    for (uint64_t start = graph->nodes; start < graph->vertices; start++) {
        uint64_t head = 0, tail = 0;
        if (component[start] != UINT32_MAX)
            continue;
        component[start] = count;
        queue[tail++] = (uint32_t)start;
        while (head < tail) {
            uint32_t v = queue[head++];
            for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
                uint32_t u = graph->targets[e];
                if (u >= graph->nodes && component[u] == UINT32_MAX) {
                    component[u] = count;
                    queue[tail++] = u;
                }
            }
        }
        count++;
    }
}

static bool meet(const fl_graph *graph, const uint32_t *component, uint64_t a, uint64_t b)
{
    for (uint64_t e = graph->offsets[a]; e < graph->offsets[a + 1]; e++)
        for (uint64_t f = graph->offsets[b]; f < graph->offsets[b + 1]; f++)
            if (component[graph->targets[e]] == component[graph->targets[f]])
                return true;
    return false;
}

static bool is_like(const fl_graph *graph, const uint32_t *component, uint64_t a, uint64_t b)
{
    uint64_t ports = graph->offsets[a + 1] - graph->offsets[a];
    bool same = ports == graph->offsets[b + 1] - graph->offsets[b];
    for (uint64_t i = 0; same && i < ports; i++)
        same = component[graph->targets[graph->offsets[a] + i]] ==
               component[graph->targets[graph->offsets[b] + i]];
    return same;
}

/* Every two nodes have a part in common. Nodes in the parts of the one before need not be looked at
 * again. */
static bool all_meet(const fl_graph *graph, const uint32_t *component)
{
    for (uint64_t a = 0; a < graph->nodes; a++)
        for (uint64_t b = a + 1;
             b < graph->nodes && !(a > 0 && is_like(graph, component, a, a - 1)); b++)
            if (!(b > a + 1 && is_like(graph, component, b, b - 1)) &&
                !meet(graph, component, a, b))
                return false;
    return true;
}

static fl_status check_connected(const fl_network *network, fl_error *error)
{
    fl_graph *graph;
    fl_status status = fl_graph_create(&graph, network, error);
    if (status)
        return status;
    uint32_t *distance = malloc(graph->vertices * sizeof *distance),
             *queue = malloc(graph->vertices * sizeof *queue);
    bool connected = false;
    if (distance && queue && network->node_ports == 1) {
        connected = fl_graph_distances(graph, 0, distance, queue) == graph->vertices;
    } else if (distance && queue) {
        number_components(graph, distance, queue);
        connected = all_meet(graph, distance);
    }
    if (!distance || !queue)
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory");
    else if (!connected)
        status = fl_fail(error, FL_ERR_INVALID, "%s is not connected", network->spec);
    free(distance);
    free(queue);
    fl_graph_destroy(graph);
    return status;
}

/* Closed forms that are not known are NAN. */
static fl_status check_counts(const fl_network *network, fl_error *error)
{
    fl_closed_forms forms;
    network->type->closed_forms(network, &forms);
    const struct {
        const char *name;
        double stated;
        uint64_t built;
    } counts[] = {{"nodes", forms.nodes, network->nodes},
                  {"switches", forms.switches, network->switches},
                  {"links", forms.links, network->links},
                  {"ports of a switch (radix)", forms.radix, network->radix}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!isnan(counts[i].stated) && counts[i].stated != (double)counts[i].built)
            return fl_fail(error, FL_ERR_INVALID,
                           "%s has %llu %s; by its closed forms there are %.17g", network->spec,
                           (unsigned long long)counts[i].built, counts[i].name, counts[i].stated);
    return FL_OK;
}

fl_status fl_network_check(const fl_network *network, fl_error *error)
{
    fl_status status = check_counts(network, error);
    if (status)
        return status;
    unsigned char *seen = calloc(network->links, 1);
    if (!seen)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    status = check_all(network, seen, error);
    free(seen);
    if (!status)
        status = check_stages(network, error);
    return status ? status : check_connected(network, error);
}
