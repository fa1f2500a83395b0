/* Ready-made VC assignments (virtual-channel assignments). Which of them keep which routers free of
 * deadlock is not claimed here: `faultline deadlock --prove` finds out (docs/deadlock.md has the
 * table). */
#include "routing/detours/detours.h"
#include "routing/rule.h"

#include <string.h>

/* ---- up*, across, down*; dimensions ---- */

/* Base routing takes links of rising rank; where the network has no order of its own, that of a
 * tree. */
static unsigned rank_of(const fl_network *network, fl_address from, fl_address to,
                        fl_address destination)
{
    return network->type->rank ? network->type->rank(network, from, to, destination)
                               : fl_tree_rank(network->levels, from, to);
}

/* Does the next link come after the one before it in the order of base routing? */
static bool goes_on(const fl_router *router, const fl_packet *packet, fl_address here,
                    const fl_candidate *candidate)
{
    const fl_network *network = router->network;
    fl_hop hop;
    if (fl_address_is_node(packet->previous) ||
        !fl_network_step(network, here, candidate->ports[0], &hop))
        return true;
    return rank_of(network, packet->previous, here, packet->destination) <
           rank_of(network, here, hop.to, packet->destination);
}

static bool has_stages(const fl_network *network)
{
    return network->levels != NULL;
}

static bool has_order(const fl_network *network)
{
    return has_stages(network) || network->cubes;
}

static bool on_detour(const fl_candidate *candidate)
{
    return candidate->rule < fl_rule_count() && fl_rule_extra_links(candidate->rule) > 0;
}

/* ---- the rules ---- */

static unsigned choose_one(const fl_router *router, const fl_packet *packet, fl_address here,
                           const fl_candidate *candidate)
{
    (void)router, (void)packet, (void)here, (void)candidate;
    return 0;
}

/* One of several channels for each packet, from its source to its destination. Flows (pairs of
 * nodes) are spread evenly whatever the traffic: by a hash, because regular patterns have regular
 * sums and differences of addresses. Behind its first link a packet is where it is by its channel
 * alone, so that nothing depends on the source any more. */
static unsigned spread_over(unsigned channels, const fl_packet *packet)
{
    uint64_t flow = fl_mix64(packet->source) + packet->destination;
    return (unsigned)(fl_mix64(flow) % channels);
}

static bool is_at_first_switch(const fl_packet *packet)
{
    return fl_address_is_node(packet->previous);
}

static unsigned choose_spread(const fl_router *router, const fl_packet *packet, fl_address here,
                              const fl_candidate *candidate)
{
    (void)here, (void)candidate;
    return is_at_first_switch(packet) ? spread_over(router->channels, packet) : packet->channel;
}

static unsigned choose_by_detours(const fl_router *router, const fl_packet *packet, fl_address here,
                                  const fl_candidate *candidate)
{
    (void)router, (void)here;
    return packet->channel + (on_detour(candidate) && candidate->turn == 0 ? 1u : 0u);
}

static unsigned choose_by_phase(const fl_router *router, const fl_packet *packet, fl_address here,
                                const fl_candidate *candidate)
{
    return packet->channel + (goes_on(router, packet, here, candidate) ? 0u : 1u);
}

static unsigned choose_escape(const fl_router *router, const fl_packet *packet, fl_address here,
                              const fl_candidate *candidate)
{
    if (!on_detour(candidate))
        return 0;
    return candidate->turn == 0
               ? 1
               : packet->channel + (goes_on(router, packet, here, candidate) ? 0u : 1u);
}

/* ---- turns: a channel for every turn of every rule ---- */

/* The fewest channels that any assignment of this kind needs, for any set of rules: found by trying
 * all assignments, proven for each network by `faultline deadlock --prove`, and the same for all k
 * and n that were tried (docs/deadlock.md). The groups of a MiKANT are not treated alike: what
 * crosses from group 0 and from group 1 takes turns in one rising order, which saves a channel. */

extern const fl_rule fl_rule_gns, fl_rule_three_turn, fl_rule_x_turns, fl_rule_gdl;

typedef struct turn_channels {
    const fl_rule *rule;
    uint8_t channel[5][2]; /* by turn and group of the switch */
} turn_channels;

/* gns without the others, gdl without the others, all together. */
static const turn_channels mikant_gns[] = {{&fl_rule_gns, {{1, 1}, {1, 1}, {1, 1}}}, {0}};
static const turn_channels mikant_gdl[] = {{&fl_rule_gdl, {{0, 0}, {1, 1}, {1, 1}}}, {0}};
static const turn_channels mikant_all[] = {
    {&fl_rule_gns, {{0, 1}, {1, 1}, {1, 1}}},
    {&fl_rule_three_turn, {{0, 1}, {2, 1}, {1, 2}}},
    {&fl_rule_x_turns, {{0, 1}, {1, 1}, {2, 1}, {2, 1}, {1, 2}}},
    {&fl_rule_gdl, {{0, 0}, {1, 2}, {2, 2}}},
    {0},
};

static bool only(const fl_router *router, const fl_rule *rule)
{
    for (unsigned r = 0; fl_rules[r]; r++)
        if (router->enabled_rules >> r & 1 && fl_rules[r] != rule && fl_rule_extra_links(r) > 0)
            return false;
    return true;
}

static unsigned mikant_detour_channel(const fl_router *router, fl_address here,
                                      const fl_candidate *candidate)
{
    const turn_channels *t = only(router, &fl_rule_gns)   ? mikant_gns
                             : only(router, &fl_rule_gdl) ? mikant_gdl
                                                          : mikant_all;
    for (; t->rule; t++)
        if (t->rule == fl_rules[candidate->rule] && candidate->turn < 5)
            return t->channel[candidate->turn][fl_tree_group(here)];
    return router->channels - 1; /* a rule that this one does not know */
}

/* In a plain tree every rule that can apply has one channel for its turns against the order, and no
 * other. */
static unsigned plain_detour_channel(const fl_router *router, const fl_candidate *candidate)
{
    const fl_rule *rule = fl_rules[candidate->rule];
    unsigned own = 1;
    for (unsigned r = 0; r < candidate->rule; r++)
        own += router->enabled_rules >> r & 1 && fl_rule_extra_links(r) > 0 &&
               !fl_detours_idle(router->network, r);
    bool in_order = rule == &fl_rule_gns ? candidate->turn == 2 : candidate->turn == 0;
    return in_order ? 0 : own;
}

/* Between nodes of group 0, the way back from group 1 (any switch may have been the root) is the
 * one step of base routing that another packet's takes in the other direction. */
static bool comes_back_to_group_0(const fl_router *router, const fl_packet *packet, fl_address here)
{
    return router->network->levels->mirrored && !fl_address_is_node(packet->previous) &&
           fl_tree_group(packet->destination) == 0 && fl_tree_group(packet->previous) == 0 &&
           fl_tree_group(here) == 1;
}

static unsigned choose_by_turns(const fl_router *router, const fl_packet *packet, fl_address here,
                                const fl_candidate *candidate)
{
    if (!on_detour(candidate))
        return comes_back_to_group_0(router, packet, here) ? 1 : 0;
    return router->network->levels->mirrored ? mikant_detour_channel(router, here, candidate)
                                             : plain_detour_channel(router, candidate);
}

static const fl_vc_assignment turns = {
    .name = "turns",
    .summary =
        "a fixed channel for every turn of every detour rule: no other rule here needs fewer (not for gns-any-level)",
    .source = "this project",
    .serves = has_stages,
    .choose = choose_by_turns,
};

/* Round a ring: channel 0 while the link between its highest and lowest switch is still ahead, then
 * channel 1. No packet waits for a ring as a whole then (Dally and Seitz 1987, section 3.1). Of
 * four channels or more packets are spread over the pairs, and keep theirs. */
static unsigned choose_by_dateline(const fl_router *router, const fl_packet *packet,
                                   fl_address here, const fl_candidate *candidate)
{
    const fl_grid *grid = router->network->grid;
    unsigned pairs = router->channels / 2;
    if (candidate->ports[0] < grid->p)
        return 0;
    unsigned pair = pairs < 2                    ? 0
                    : is_at_first_switch(packet) ? spread_over(pairs, packet)
                                                 : packet->channel / 2;
    unsigned line = candidate->ports[0] - grid->p, dimension = line / grid->line_ports;
    unsigned own = fl_grid_digit(grid, here, dimension),
             wanted = fl_grid_digit(grid, packet->destination, dimension);
    bool ahead = line % grid->line_ports ? wanted < own : wanted > own;
    return 2 * pair + (ahead ? 0 : 1);
}

static bool has_rings(const fl_network *network)
{
    return network->grid && network->grid->line == FL_LINE_RING;
}

static const fl_vc_assignment dateline = {
    .name = "dateline",
    .summary =
        "in rings: 0 while the link from the last switch to the first is ahead, then 1; of 4 and more in pairs",
    .source = "Dally and Seitz, 1987",
    .serves = has_rings,
    .choose = choose_by_dateline,
    .by_node_from = 4,
};

static unsigned choose_own(const fl_router *router, const fl_packet *packet, fl_address here,
                           const fl_candidate *candidate)
{
    (void)router, (void)packet, (void)here;
    return candidate->channel;
}

static const fl_vc_assignment own = {
    .name = "own",
    .summary = "what the router chooses by itself",
    .source = "this project",
    .choose = choose_own,
};

static const fl_vc_assignment one = {
    .name = "one",
    .summary = "all packets on channel 0",
    .source = "Dally and Seitz, 1987",
    .choose = choose_one,
};

static bool has_single_port_nodes(const fl_network *network)
{
    return network->node_ports == 1;
}

static const fl_vc_assignment spread = {
    .name = "spread",
    .summary = "one for each packet from end to end, by a hash of source and destination",
    .source = "this project",
    .serves = has_single_port_nodes,
    .choose = choose_spread,
    .by_node_from = 2,
};

static const fl_vc_assignment detours = {
    .name = "detours",
    .summary = "the number of detours that the packet has begun",
    .source = "this project",
    .choose = choose_by_detours,
};

static const fl_vc_assignment phase = {
    .name = "phase",
    .summary = "how often the packet has gone against the order up, across, down",
    .source = "this project, after hop classes (Merlin and Schweitzer, 1980)",
    .serves = has_order,
    .choose = choose_by_phase,
};

static const fl_vc_assignment escape = {
    .name = "escape",
    .summary =
        "base routing on channel 0, which is up*/down*; detours on channels of their own, by phase",
    .source = "this project, after Duato, 1993",
    .serves = has_order,
    .choose = choose_escape,
};

const fl_vc_assignment *const fl_vc_assignments[] = {&one,   &spread,   &detours, &phase, &escape,
                                                     &turns, &dateline, &own,     NULL};

/* ---- binding ---- */

static fl_status unknown_rule(const char *name, fl_error *error)
{
    const char *names[16] = {0};
    fl_text all = {0};
    for (size_t i = 0; fl_vc_assignments[i]; i++) {
        names[i] = fl_vc_assignments[i]->name;
        fl_text_append(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = fl_text_nearest(name, names);
    fl_status status =
        fl_fail(error, FL_ERR_INVALID, "unknown VC assignment '%.40s'; %s%s%sthere are %s", name,
                nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "",
                all.data ? all.data : "?");
    fl_text_clear(&all);
    return status;
}

/* NULL, or why not. */
static const char *why_not(const fl_vc_assignment *rule, const fl_router *router)
{
    if (rule->serves && !rule->serves(router->network))
        return rule == &spread ? "its nodes have several ports, and a packet may pass through nodes"
               : rule == &turns
                   ? "it is for detours in the blocks of trees and of fat-tree subnets"
                   : "it needs an order of levels, or of the dimensions of a hypercube";
    for (unsigned r = 0; rule == &turns && fl_rules[r]; r++)
        if (router->enabled_rules >> r & 1 && fl_rules[r]->offer)
            return "adaptive-ecube takes the dimensions of a cube in any order, and a fixed channel for a turn cannot keep that acyclic; "
                   "phase can";
    return NULL;
}

bool fl_vc_assignment_suits(const fl_vc_assignment *rule, const fl_router *router)
{
    return (rule == &own) == (router->type->channels > 0) && !why_not(rule, router);
}

fl_status fl_router_set_channels(fl_router *router, const char *rule, unsigned channels,
                                 fl_error *error)
{
    size_t i = 0;
    while (fl_vc_assignments[i] && strcmp(fl_vc_assignments[i]->name, rule) != 0)
        i++;
    const fl_vc_assignment *found = fl_vc_assignments[i];
    if (!found)
        return unknown_rule(rule, error);
    if (channels < 1 || channels > FL_CHANNELS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%u virtual channels: there must be 1 to %d",
                       channels, FL_CHANNELS_MAX);
    if (router->type->limit)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s': %s sends no packets, and so has no virtual channels; write %s",
                       router->name, router->type->name, router->type->name);
    if (router->type->channels && found != &own)
        return fl_fail(
            error, FL_ERR_INVALID,
            "the router %s chooses its channels by itself: the rule can only be 'own', as in %s@own:%u",
            router->type->name, router->type->name, router->type->channels);
    const char *reason = why_not(found, router);
    if (reason)
        return fl_fail(error, FL_ERR_INVALID,
                       "the VC assignment %s cannot be used with %s on %s: %s", rule, router->name,
                       router->network->spec, reason);
    router->vc_assignment = found;
    router->channels = channels;
    return FL_OK;
}
