/* Plans: the switches, ports and channels of a network, numbered, and where processes run. */
#include "sim/workload/private.h"

#include <stdlib.h>

/* ---- checks ---- */

/* Codes are not dense: is this one of them? */
static bool is_link(const fl_network *network, fl_link link)
{
    if (link >= network->link_codes)
        return false;
    uint64_t index = network->type->link_index(network, link);
    return index < network->links && network->type->link_code(network, index) == link;
}

static fl_status check(const fl_sim_set_up *s, fl_error *error)
{
    const fl_router *router = s->router;
    const fl_network *network = router->network;
    fl_status status = fl_sim_check_model(s->model, error);
    if (status)
        return status;
    if ((s->traffic != NULL) == (s->workload != NULL))
        return fl_fail(error, FL_ERR_INVALID,
                       "a simulation needs traffic or a workload, and not both");
    if (s->workload && s->workload->processes > network->nodes)
        return fl_fail(error, FL_ERR_INVALID, "the workload %s has %u processes; %s has %llu nodes",
                       s->workload->name, s->workload->processes, network->spec,
                       (unsigned long long)network->nodes);
    if (!router->next)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is a limit, not a router: no packet can follow it", router->name);
    if (network->switches * network->radix + network->nodes >= FL_SIM_NODE)
        return fl_fail(error, FL_ERR_INVALID, "%s has more than 2^31 channels", network->spec);
    if (network->node_ports > 1)
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s cannot be simulated: its nodes have %u ports, and the simulator's nodes send and receive by one",
            network->spec, network->node_ports);
    if ((network->switches * network->radix + network->nodes) * router->channels >= FL_SIM_NODE)
        return fl_fail(error, FL_ERR_INVALID, "%s has more than 2^31 virtual channels",
                       network->spec);
    if (network->classes > FL_SIM_CLASSES_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s has %u link classes; the simulator distinguishes up to %d",
                       network->spec, network->classes, FL_SIM_CLASSES_MAX);
    for (size_t i = 0; i < s->failure_count; i++) {
        if (i > 0 && s->failures[i].cycle < s->failures[i - 1].cycle)
            return fl_fail(error, FL_ERR_INVALID, "failures must be in the order of their cycles");
        if (!is_link(network, s->failures[i].link))
            return fl_fail(error, FL_ERR_INVALID,
                           "the failure in cycle %llu is not of a link of %s",
                           (unsigned long long)s->failures[i].cycle, network->spec);
    }
    return FL_OK;
}

/* ---- ports and channels ---- */

static bool number_ports(fl_sim_plan *plan)
{
    const fl_network *network = plan->network;
    plan->switches = malloc(((size_t)network->switches + 1) * sizeof *plan->switches);
    if (!plan->switches)
        return false;
    for (uint32_t s = 0; s < network->switches; s++) {
        fl_address at = network->type->switch_address(network, s);
        unsigned ports = network->radix;
        fl_hop hop;
        while (ports > 0 && !fl_network_step(network, at, (fl_port)(ports - 1), &hop))
            ports--;
        plan->switches[s] = (fl_sim_switch){at, plan->ports};
        plan->ports += ports;
    }
    plan->switches[network->switches] = (fl_sim_switch){0, plan->ports};
    plan->channels = plan->ports + (uint32_t)network->nodes;
    return true;
}

static bool allocate(fl_sim_plan *plan)
{
    plan->to = malloc(plan->channels * sizeof *plan->to);
    plan->from = malloc(plan->ports * sizeof *plan->from);
    plan->link_class = calloc(plan->channels, sizeof *plan->link_class);
    plan->switch_of = malloc(plan->ports * sizeof *plan->switch_of);
    plan->node_address = malloc((size_t)plan->network->nodes * sizeof *plan->node_address);
    plan->depth = malloc(plan->ports * sizeof *plan->depth);
    return plan->to && plan->from && plan->link_class && plan->switch_of && plan->node_address &&
           plan->depth;
}

/* The port of a switch at which a link is plugged in. */
static uint32_t port_of(const fl_sim_plan *plan, fl_address at, fl_link link)
{
    const fl_network *network = plan->network;
    fl_link_ends ends;
    network->type->link_ends(network, link, &ends);
    fl_port port = ends.a == at ? ends.port_a : ends.port_b;
    return plan->switches[network->type->switch_index(network, at)].first_port + port;
}

/* A link between a switch and itself, or two ports of one switch pair, are distinguished by the
 * link. */
static void connect_port(fl_sim_plan *plan, uint32_t s, unsigned p, bool *has_node)
{
    const fl_network *network = plan->network;
    uint32_t port = plan->switches[s].first_port + p;
    fl_hop hop;
    plan->switch_of[port] = s;
    plan->to[port] = FL_SIM_UNPLUGGED;
    if (!fl_network_step(network, plan->switches[s].address, (fl_port)p, &hop))
        return;
    plan->link_class[port] = (uint8_t)network->type->link_class(network, hop.link);
    plan->class_channels[plan->link_class[port]]++;
    if (!fl_address_is_node(hop.to)) {
        plan->to[port] = port_of(plan, hop.to, hop.link);
        return;
    }
    uint32_t node = (uint32_t)network->type->node_index(network, hop.to);
    *has_node = true;
    plan->to[port] = FL_SIM_NODE | node;
    plan->to[plan->ports + node] = port;
    plan->link_class[plan->ports + node] = plan->link_class[port];
    plan->class_channels[plan->link_class[port]]++;
}

/* Switches with nodes; and, where switches have levels, all of level 0: the leaf switches of CAT
 * and MiCAT have none (Wang thesis, 2.1 labels them as it labels the cubes'). */
static bool is_of_level0(const fl_network *network, fl_address at, bool has_node)
{
    return has_node || (network->levels && fl_tree_level(at) == 0);
}

static void connect_ports(fl_sim_plan *plan)
{
    const fl_network *network = plan->network;
    const fl_sim_model *m = &plan->model;
    for (uint32_t n = 0; n < network->nodes; n++) {
        plan->node_address[n] = network->type->node_address(network, n);
        plan->to[plan->ports + n] = FL_SIM_UNPLUGGED;
    }
    for (uint32_t s = 0; s < network->switches; s++) {
        uint32_t first = plan->switches[s].first_port, far_end = plan->switches[s + 1].first_port;
        bool has_node = false;
        for (unsigned p = 0; p < far_end - first; p++)
            connect_port(plan, s, p, &has_node);
        bool level0 = is_of_level0(network, plan->switches[s].address, has_node);
        unsigned depth = level0 && m->input_fifo_level0 ? m->input_fifo_level0 : m->input_fifo;
        for (uint32_t port = first; port < far_end; port++)
            plan->depth[port] = (uint16_t)depth;
        plan->deepest = depth > plan->deepest ? depth : plan->deepest;
    }
    for (uint32_t port = 0; port < plan->ports; port++)
        plan->from[port] = FL_SIM_UNPLUGGED;
    for (uint32_t c = 0; c < plan->channels; c++)
        if (!(plan->to[c] & FL_SIM_NODE)) /* which an unplugged one has too */
            plan->from[plan->to[c]] = c;
}

void fl_sim_channels_of(const fl_sim_plan *plan, fl_link link, uint32_t out[2])
{
    const fl_network *network = plan->network;
    fl_link_ends ends;
    network->type->link_ends(network, link, &ends);
    const fl_address at[2] = {ends.a, ends.b};
    const fl_port ports[2] = {ends.port_a, ends.port_b};
    for (unsigned i = 0; i < 2; i++) {
        fl_hop hop;
        fl_port port = fl_address_is_node(at[i]) ? 0 : ports[i];
        out[i] = FL_SIM_UNPLUGGED;
        if (!fl_network_step(network, at[i], port, &hop) || hop.link != link)
            continue; /* a one-way link */
        out[i] =
            fl_address_is_node(at[i])
                ? plan->ports + (uint32_t)network->type->node_index(network, at[i])
                : plan->switches[network->type->switch_index(network, at[i])].first_port + port;
    }
}

/* ---- where processes run ---- */

typedef struct seat {
    uint32_t port, node; /* port of the node's switch */
} seat;

static int by_port(const void *a, const void *b)
{
    const seat *x = a, *y = b;
    return x->port < y->port ? -1 : x->port > y->port;
}

static bool place_processes(fl_sim_plan *plan)
{
    uint32_t nodes = (uint32_t)plan->network->nodes;
    seat *seats = malloc(nodes * sizeof *seats);
    plan->node_of = malloc(nodes * sizeof *plan->node_of);
    bool good = seats && plan->node_of;
    for (uint32_t n = 0; good && n < nodes; n++)
        seats[n] = (seat){plan->to[plan->ports + n], n};
    if (good && plan->model.placement == FL_SIM_PLACE_BY_SWITCH)
        qsort(seats, nodes, sizeof *seats, by_port);
    for (uint32_t n = 0; good && n < nodes; n++)
        plan->node_of[n] = seats[n].node;
    for (uint32_t m = 0; m < plan->set_up.workload->count; m++)
        plan->packets += fl_sim_packets_of(&plan->model, plan->set_up.workload->bytes[m]);
    free(seats);
    return good;
}

uint64_t fl_sim_plan_packets(const fl_sim_plan *plan)
{
    return plan->packets;
}

uint32_t fl_sim_plan_node_of(const fl_sim_plan *plan, uint32_t process)
{
    return plan->node_of ? plan->node_of[process] : process;
}

/* ---- making ---- */

fl_status fl_sim_plan_create(fl_sim_plan **out, const fl_sim_set_up *set_up, fl_error *error)
{
    fl_sim_model model = *set_up->model;
    fl_sim_set_up checked = *set_up;
    if (set_up->workload) {
        model.stop = FL_SIM_STOP_MESSAGES;
        model.warmup = model.drain = model.packets = 0;
        checked.model = &model;
    }
    fl_status status = check(&checked, error);
    if (status)
        return status;
    fl_sim_plan *plan = calloc(1, sizeof *plan);
    if (plan) {
        plan->set_up = *set_up;
        plan->model = model;
        plan->set_up.model = &plan->model;
        plan->network = set_up->router->network;
        plan->virtual_channels = set_up->router->channels;
        plan->candidates = plan->network->radix < FL_SIM_CANDIDATES_MAX ? plan->network->radix
                                                                        : FL_SIM_CANDIDATES_MAX;
    }
    if (!plan || !number_ports(plan) || !allocate(plan)) {
        fl_sim_plan_destroy(plan);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the ports of %s",
                       set_up->router->network->spec);
    }
    for (unsigned i = 0; i < FL_SIM_CLASSES_MAX; i++)
        plan->latency[i] =
            plan->model.class_latency[i] ? plan->model.class_latency[i] : plan->model.link_latency;
    if (!fl_sim_takes_any(plan->model.choice, set_up->router))
        plan->candidates = 1;
    connect_ports(plan);
    if (set_up->workload && !place_processes(plan)) {
        fl_sim_plan_destroy(plan);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the processes of a workload");
    }
    for (uint32_t n = 0; set_up->traffic && n < plan->network->nodes; n++)
        plan->senders += fl_sim_traffic_sends(set_up->traffic, n);
    *out = plan;
    return FL_OK;
}

void fl_sim_plan_destroy(fl_sim_plan *plan)
{
    if (!plan)
        return;
    free(plan->to);
    free(plan->from);
    free(plan->link_class);
    free(plan->switches);
    free(plan->switch_of);
    free(plan->node_address);
    free(plan->depth);
    free(plan->node_of);
    free(plan);
}

const fl_sim_set_up *fl_sim_plan_set_up(const fl_sim_plan *plan)
{
    return &plan->set_up;
}

uint64_t fl_sim_zero_load_latency(const fl_sim_plan *plan, const fl_link *links, size_t count)
{
    /* The header takes every link and is routed by every switch; the rest of the packet arrives
     * behind it, once, or with store-and-forward at every switch again. */
    const fl_sim_model *m = &plan->model;
    uint64_t tail = m->packet_flits - 1, latency = tail, switches = count - 1;
    for (size_t i = 0; i < count; i++)
        latency += plan->latency[plan->network->type->link_class(plan->network, links[i])];
    return latency +
           switches * (m->routing_delay + (m->switching == FL_SIM_STORE_AND_FORWARD ? tail : 0));
}
