/* Router types, the names of routers, and making them. */
#include "routing/detours/detours.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern const fl_router_type fl_router_updown, fl_router_dimension_order, fl_router_tree_cube,
    fl_router_fat_tree, fl_router_hybrid_dor, fl_router_dragonfly, fl_router_table,
    fl_router_spiral, fl_router_spiral_bare, fl_router_limit, fl_router_minimal_limit,
    fl_router_minimal_adaptive, fl_router_d_mod_k;

/* Adding a routing algorithm is one file and one line here (docs/add-a-router.md); a detour
 * rule for trees one file and one line in rules.c. */
static const fl_router_type *table[FL_ROUTER_TYPES_MAX + 1] = {
    &fl_router_updown,        &fl_router_minimal_adaptive,
    &fl_router_d_mod_k,       &fl_router_spiral,
    &fl_router_spiral_bare,   &fl_router_tree_cube,
    &fl_router_fat_tree,      &fl_router_dimension_order,
    &fl_router_hybrid_dor,    &fl_router_dragonfly,
    &fl_router_table,         &fl_router_limit,
    &fl_router_minimal_limit, NULL,
};

const fl_router_type *const *const fl_router_types = table;

const char *const fl_reason_names[FL_REASONS] = {
    [FL_BLOCKED_SOURCE] = "blocked_source", [FL_BLOCKED_DESTINATION] = "blocked_destination",
    [FL_BLOCKED_UP] = "blocked_up",         [FL_BLOCKED_CROSS] = "blocked_cross",
    [FL_BLOCKED_DOWN] = "blocked_down",
};

/* ---- what plug-ins add ---- */

static const char *origins[FL_ROUTER_TYPES_MAX];

const char *fl_router_type_origin(const fl_router_type *type)
{
    for (size_t i = 0; table[i]; i++)
        if (table[i] == type)
            return origins[i];
    return NULL;
}

fl_status fl_router_types_check(const fl_router_type *const *types, fl_error *error)
{
    size_t count = 0, present = 0;
    for (; types[count]; count++) {
        const fl_router_type *type = types[count];
        if (!type->name || !fl_text_is_name(type->name))
            return fl_fail(
                error, FL_ERR_INVALID,
                "a router's name must be 1 to 41 small letters, digits, '-' and '_', not '%.60s'",
                type->name ? type->name : "(none)");
        if (!type->summary || !type->source)
            return fl_fail(error, FL_ERR_INVALID, "the router '%s' lacks a summary or a source",
                           type->name);
        if (!type->serves || !type->next || type->limit != FL_NO_LIMIT)
            return fl_fail(
                error, FL_ERR_INVALID,
                "the router '%s' must have the functions 'serves' and 'next', and be no limit",
                type->name);
    }
    while (table[present])
        present++;
    if (present + count > FL_ROUTER_TYPES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "there would be more than %d routers",
                       FL_ROUTER_TYPES_MAX);
    return FL_OK;
}

void fl_router_types_add(const fl_router_type *const *types, const char *origin)
{
    size_t count = 0;
    while (table[count])
        count++;
    for (; *types; types++) {
        assert(count < FL_ROUTER_TYPES_MAX);
        origins[count] = origin;
        table[count++] = *types;
    }
}

/* ---- names ---- */

static fl_status unknown_name(const char *name, fl_error *error)
{
    const char *names[FL_RULES_MAX + FL_ROUTER_TYPES_MAX + 1] = {0};
    size_t count = 0;
    fl_text all = {0};
    for (size_t i = 0; fl_router_types[i]; i++)
        names[count++] = fl_router_types[i]->name;
    for (size_t i = 0; fl_rules[i]; i++)
        names[count++] = fl_rules[i]->name;
    const char *nearest = fl_text_nearest(name, names);
    if (nearest)
        return fl_fail(error, FL_ERR_INVALID,
                       "unknown router or detour rule '%.60s'; did you mean '%s'?", name, nearest);
    for (size_t i = 0; i < count; i++)
        fl_text_append(&all, "%s%s", i ? ", " : "", names[i]);
    bool added = false; /* by a plug-in */
    for (size_t i = 0; fl_router_types[i]; i++)
        added |= fl_router_type_origin(fl_router_types[i]) != NULL;
    for (size_t i = 0; fl_rules[i]; i++)
        added |= fl_rule_origins[i] != NULL;
    fl_status status = fl_fail(
        error, FL_ERR_INVALID,
        "unknown router or detour rule '%.60s'; there are %s; rules are joined by '+'%s", name,
        all.data ? all.data : "?", added ? "" : "; one of your own? Load it with --plugin FILE.so");
    fl_text_clear(&all);
    return status;
}

static int find_rule(const char *name)
{
    for (int i = 0; fl_rules[i]; i++)
        if (strcmp(fl_rules[i]->name, name) == 0)
            return i;
    return -1;
}

static bool serves(const fl_router_type *type, const fl_network *network)
{
    return (network->node_ports == 1 || type->leaves_nodes || type->limit) && type->serves(network);
}

/* The first that serves; tables, which serve nearly all, only if no plug-in has one either. */
static const fl_router_type *base_of(const fl_network *network)
{
    for (size_t i = 0; fl_router_types[i]; i++)
        if (fl_router_types[i]->base && fl_router_types[i] != &fl_router_table &&
            serves(fl_router_types[i], network))
            return fl_router_types[i];
    return serves(&fl_router_table, network) ? &fl_router_table : NULL;
}

static fl_status set_rule(fl_router *router, int r, fl_error *error)
{
    const fl_rule *rule = fl_rules[r];
    if (router->enabled_rules & UINT64_C(1) << r)
        return fl_fail(error, FL_ERR_INVALID, "the router '%s' names %s twice", router->name,
                       rule->name);
    const char *reason = fl_detours_refuse(router->network, (unsigned)r);
    if (reason)
        return fl_fail(error, FL_ERR_INVALID, "%s cannot be used on %s: %s", rule->name,
                       router->network->spec, reason);
    router->enabled_rules |= UINT64_C(1) << r;
    if (!router->network->tree)
        router->type = base_of(router->network);
    if (!router->origin)
        router->origin = fl_rule_origins[r];
    return FL_OK;
}

/* `shortest` is the base routing of the network, whatever else its type is called. */
static const fl_router_type *find_type(const char *name, const fl_network *network)
{
    const fl_router_type *base = strcmp(name, fl_router_updown.name) == 0 ? base_of(network) : NULL;
    for (size_t i = 0; !base && fl_router_types[i]; i++)
        if (strcmp(fl_router_types[i]->name, name) == 0)
            return fl_router_types[i];
    return base;
}

static fl_status cannot_route(const fl_router_type *type, const fl_network *network,
                              fl_error *error)
{
    const fl_router_type *base = base_of(network);
    if (network->one_way && (type->limit || type->base))
        return fl_fail(
            error, FL_ERR_INVALID,
            "%s cannot be worked out on %s: some of its links carry packets in one direction only",
            type->name, network->spec);
    if (network->node_ports > 1 && !type->leaves_nodes && type->serves(network))
        return fl_fail(
            error, FL_ERR_INVALID,
            "the router %s cannot route on %s: it leaves a node by its only link, and nodes have %u ports there",
            type->name, network->spec, network->node_ports);
    return fl_fail(error, FL_ERR_INVALID, "the router %s cannot route on %s%s%s", type->name,
                   network->spec, base ? "; its base routing goes by the name " : "",
                   base ? fl_router_updown.name : "");
}

/* One name of `rule+rule`, or the only one. */
static fl_status parse_part(fl_router *router, const char *part, bool alone, fl_error *error)
{
    const fl_router_type *type = find_type(part, router->network);
    int rule = find_rule(part);
    if (!type && rule < 0)
        return unknown_name(part, error);
    if (!type)
        return set_rule(router, rule, error);
    if (!alone)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s': %s is a router by itself; detour rules are joined without it",
                       router->name, part);
    if (!serves(type, router->network))
        return cannot_route(type, router->network, error);
    router->type = type;
    return FL_OK;
}

/* `RULE` or `RULE:CHANNELS`, what follows the '@' of a router's name. */
static fl_status parse_channels(fl_router *router, char *text, fl_error *error)
{
    char *number = strchr(text, ':');
    uint64_t channels = FL_CHANNELS_MAX;
    if (number)
        *number++ = 0;
    if (number &&
        (!fl_text_to_u64(number, &channels) || channels < 1 || channels > FL_CHANNELS_MAX))
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s': the number of virtual channels must be 1 to %d, not '%.20s'",
                       router->name, FL_CHANNELS_MAX, number);
    return fl_router_set_channels(router, text, (unsigned)channels, error);
}

static fl_status parse_name(fl_router *router, fl_error *error)
{
    char copy[sizeof router->name];
    strcpy(copy, router->name);
    char *channels = strchr(copy, '@');
    if (channels)
        *channels++ = 0;
    bool alone = strchr(copy, '+') == NULL;
    for (char *part = copy, *next; part; part = next) {
        next = strchr(part, '+');
        if (next)
            *next++ = 0;
        fl_status status = parse_part(router, part, alone, error);
        if (status)
            return status;
    }
    return channels ? parse_channels(router, channels, error) : FL_OK;
}

/* By itself, or by a rule that includes it. */
static bool is_enabled(const fl_router *router, const char *name)
{
    for (unsigned r = 0; fl_rules[r]; r++) {
        const fl_rule *rule = fl_rules[r];
        if (router->enabled_rules >> r & 1 &&
            (strcmp(rule->name, name) == 0 || (rule->covers && strcmp(rule->covers, name) == 0)))
            return true;
    }
    return false;
}

static fl_status check_rules(fl_router *router, fl_error *error)
{
    size_t at = 0;
    for (int r = 0; fl_rules[r]; r++) {
        const fl_rule *rule = fl_rules[r];
        if (!(router->enabled_rules & UINT64_C(1) << r))
            continue;
        if (rule->needs && !is_enabled(router, rule->needs))
            return fl_fail(error, FL_ERR_INVALID,
                           "%s can only be used together with %s%s%s%s: write %s+%s", rule->name,
                           rule->needs, fl_rule_origins[r] ? "" : " (",
                           fl_rule_origins[r] ? "" : rule->source, fl_rule_origins[r] ? "" : ")",
                           rule->needs, rule->name);
        const char *idle = fl_detours_idle(router->network, (unsigned)r);
        if (idle && at < sizeof router->note)
            at += (size_t)snprintf(router->note + at, sizeof router->note - at,
                                   "%s%s never applies on %s: %s", at ? "; " : "", rule->name,
                                   router->network->spec, idle);
    }
    return FL_OK;
}

/* Rules in their own order, whatever the order in which they were given. */
static void write_canonical(fl_router *router)
{
    size_t at = 0, size = sizeof router->canonical;
    for (unsigned r = 0; fl_rules[r] && at < size; r++)
        if (router->enabled_rules >> r & 1)
            at += (size_t)snprintf(router->canonical + at, size - at, "%s%s", at ? "+" : "",
                                   fl_rules[r]->name);
    if (at == 0)
        at = (size_t)snprintf(router->canonical, size, "%s",
                              router->type == base_of(router->network) ? fl_router_updown.name
                                                                       : router->type->name);
    if (router->vc_assignment && at < size)
        snprintf(router->canonical + at, size - at, "@%s:%u", router->vc_assignment->name,
                 router->channels);
}

fl_status fl_router_create(fl_router **out, const fl_network *network, const char *name,
                           fl_scope scope, fl_error *error)
{
    if (strlen(name) >= sizeof((fl_router *)0)->name)
        return fl_fail(error, FL_ERR_INVALID, "the router name '%.60s...' is too long", name);
    fl_router *router = calloc(1, sizeof *router);
    if (!router)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a router");
    *router =
        (fl_router){.type = &fl_router_updown, .network = network, .scope = scope, .channels = 1};
    strcpy(router->name, name);
    fl_status status = parse_name(router, error);
    if (!status && !router->vc_assignment && router->type->channels)
        router->channels = router->type->channels;
    if (!status)
        status = check_rules(router, error);
    if (!status && router->type->prepare)
        status = router->type->prepare(router, error);
    if (status) {
        fl_router_destroy(router);
        return status;
    }
    router->next = router->type->next;
    if (fl_router_type_origin(router->type)) {
        router->origin = fl_router_type_origin(router->type);
        router->next = fl_router_guard;
    }
    write_canonical(router);
    *out = router;
    return FL_OK;
}

void fl_router_destroy(fl_router *router)
{
    if (router && router->type->release)
        router->type->release(router);
    free(router);
}

bool fl_router_is_alike(const fl_router *a, const fl_router *b)
{
    return a->type == b->type && (!a->type->channels || a->channels == b->channels);
}

uint64_t fl_router_length_bound(const fl_router *router)
{
    return router->type->length_bound ? router->type->length_bound(router) : 0;
}
