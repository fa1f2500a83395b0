#include "routing/rule.h"

#include <string.h>

/* Ready-made channel rules. Which of them keep which routers free of deadlock is not claimed here:
 * `faultline deadlock --prove` finds out (docs/deadlock.md has the table). */

/* ---- up*, across, down* ---- */

/* Base routing takes links of rising rank: up level by level, across, down level by level. Of the
 * links across, those that keep D_{n-2} come after those that change it: a packet between nodes of
 * one group crosses twice, first to the right digit, then keeping it. */
static unsigned rank_of(const fl_tree *tree, fl_address from, fl_address to)
{
    unsigned level = fl_tree_level(from), beyond = fl_tree_level(to), top = tree->top;
    if (beyond > level)
        return 1 + level;
    if (beyond < level || fl_address_is_node(to))
        return top + 3 + (top - level);
    return fl_tree_digit(tree, from, level) == fl_tree_digit(tree, to, level) ? top + 2 : top + 1;
}

/* Does the next link come after the one before it in the order of base routing? */
static bool goes_on(const fl_router *router, const fl_packet *packet, fl_address here, const fl_way *way)
{
    const fl_tree *tree = router->network->tree;
    fl_hop hop;
    if (fl_address_is_node(packet->previous) || !fl_tree_step(tree, here, way->ports[0], &hop))
        return true;
    return rank_of(tree, packet->previous, here) < rank_of(tree, here, hop.to);
}

static bool is_tree(const fl_network *network)
{
    return network->tree != NULL;
}

static bool on_detour(const fl_way *way)
{
    return way->rule < fl_rule_count() && fl_rule_extra_links(way->rule) > 0;
}

/* ---- the rules ---- */

static unsigned choose_one(const fl_router *router, const fl_packet *packet, fl_address here, const fl_way *way)
{
    (void)router, (void)packet, (void)here, (void)way;
    return 0;
}

static unsigned choose_by_detours(const fl_router *router, const fl_packet *packet, fl_address here, const fl_way *way)
{
    (void)router, (void)here;
    return packet->channel + (on_detour(way) && way->turn == 0 ? 1u : 0u);
}

static unsigned choose_by_phase(const fl_router *router, const fl_packet *packet, fl_address here, const fl_way *way)
{
    return packet->channel + (goes_on(router, packet, here, way) ? 0u : 1u);
}

static unsigned choose_escape(const fl_router *router, const fl_packet *packet, fl_address here, const fl_way *way)
{
    if (!on_detour(way))
        return 0;
    return way->turn == 0 ? 1 : packet->channel + (goes_on(router, packet, here, way) ? 0u : 1u);
}

static const fl_channel_rule one = {
    .name = "one",
    .summary = "all packets on channel 0",
    .source = "Dally and Seitz, 1987",
    .choose = choose_one,
};

static const fl_channel_rule detours = {
    .name = "detours",
    .summary = "the number of detours that the packet has begun",
    .source = "this project",
    .choose = choose_by_detours,
};

static const fl_channel_rule phase = {
    .name = "phase",
    .summary = "how often the packet has gone against the order up, across, down",
    .source = "this project, after hop classes (Merlin and Schweitzer, 1980)",
    .serves = is_tree,
    .choose = choose_by_phase,
};

static const fl_channel_rule escape = {
    .name = "escape",
    .summary = "base routing on channel 0, which is up*/down*; detours on channels of their own, by phase",
    .source = "this project, after Duato, 1993",
    .serves = is_tree,
    .choose = choose_escape,
};

const fl_channel_rule *const fl_channel_rules[] = {&one, &detours, &phase, &escape, NULL};

/* ---- binding ---- */

static fl_status unknown_rule(const char *name, fl_error *error)
{
    const char *names[FL_CHANNELS_MAX] = {0};
    fl_text all = {0};
    for (size_t i = 0; fl_channel_rules[i]; i++) {
        names[i] = fl_channel_rules[i]->name;
        fl_text_append(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = fl_text_nearest(name, names);
    fl_status status = fl_fail(error, FL_ERR_INVALID, "unknown channel rule '%.40s'; %s%s%sthere are %s", name,
                               nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "", all.data ? all.data : "?");
    fl_text_clear(&all);
    return status;
}

fl_status fl_router_set_channels(fl_router *router, const char *rule, unsigned channels, fl_error *error)
{
    size_t i = 0;
    while (fl_channel_rules[i] && strcmp(fl_channel_rules[i]->name, rule) != 0)
        i++;
    const fl_channel_rule *found = fl_channel_rules[i];
    if (!found)
        return unknown_rule(rule, error);
    if (channels < 1 || channels > FL_CHANNELS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%u virtual channels: there must be 1 to %d", channels, FL_CHANNELS_MAX);
    if (found->serves && !found->serves(router->network))
        return fl_fail(error, FL_ERR_INVALID, "the channel rule %s is not defined on %s", rule, router->network->spec);
    router->channel_rule = found;
    router->channels = channels;
    return FL_OK;
}
