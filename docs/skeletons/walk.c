/* A small program on top of the library, for trying a router or a network by hand:
 *
 *   walk NETWORK
 *       checks the network (fl_network_check) and prints its counts
 *   walk NETWORK ROUTER SCOPE SOURCE DESTINATION [LINKS]
 *       walks one packet with the given links down (LINK;LINK, as in the fault model `list`)
 *       and prints every switch, port and, on a detour, the rule
 *
 * Before the network, `--plugin FILE.so` loads a plug-in, as often as wanted. */
#include "routing/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(fl_status status, const fl_error *error)
{
    if (status) {
        fprintf(stderr, "walk: %s\n", error->text);
        exit(2);
    }
}

static void print_hop(void *user, const fl_walk_hop *hop)
{
    const fl_network *network = user;
    char a[FL_LABEL_MAX], b[FL_LABEL_MAX];
    network->type->label(network, hop->from, a, sizeof a);
    network->type->label(network, hop->to, b, sizeof b);
    printf("%-12s port %2u -> %-12s%s%s\n", a, hop->port, b, hop->rule == FL_NO_RULE ? "" : "  ",
           hop->rule == FL_NO_RULE ? "" : fl_rule_name(hop->rule));
}

static fl_address need_node(const fl_network *network, const char *label)
{
    fl_address address;
    if (!network->type->parse_label(network, label, &address) || !fl_address_is_node(address)) {
        fprintf(stderr, "walk: '%s' is not a node of %s\n", label, network->spec);
        exit(2);
    }
    return address;
}

static int check(const fl_network *network)
{
    fl_error error;
    need(fl_network_check(network, &error), &error);
    printf("%s is sound: %llu nodes, %llu switches, %llu links\n", network->spec,
           (unsigned long long)network->nodes, (unsigned long long)network->switches,
           (unsigned long long)network->links);
    return 0;
}

static int walk(const fl_network *network, char **arguments, const char *links)
{
    fl_error error;
    fl_scope scope;
    fl_router *router;
    fl_fault_model *model;
    fl_order *order;
    need(fl_scope_parse(&scope, arguments[1], &error), &error);
    need(fl_router_create(&router, network, arguments[0], scope, &error), &error);

    /* One fault level, at which all the listed links are down (or none, if none is given). */
    char list[8192];
    snprintf(list, sizeof list, links ? "list:%s" : "links", links);
    uint64_t faults = links != NULL;
    for (const char *c = links; c && *c; c++)
        faults += *c == ';';
    fl_axis axis = {.fault_points = 1, .counts = &faults};
    need(fl_fault_model_create(&model, network, list, &axis, &error), &error);
    need(fl_order_create(&order, model, &error), &error);
    fl_order_begin(order, 1, 0);

    fl_view view = {.network = network,
                    .order = order,
                    .holds_until = FL_NEVER_FAILS,
                    .enabled_rules = router->enabled_rules,
                    .scope = scope};
    fl_walk_result result;
    need(fl_walk(router, &view, need_node(network, arguments[2]), need_node(network, arguments[3]),
                 print_hop, (void *)network, &result, &error),
         &error);
    if (result.delivered)
        printf("delivered: %u links\n", result.length);
    else
        printf("%s after %u links\n", fl_reason_names[result.reason], result.hops);
    fl_order_destroy(order);
    fl_fault_model_destroy(model);
    fl_router_destroy(router);
    return result.delivered ? 0 : 1;
}

int main(int count, char **arguments)
{
    fl_network *network;
    fl_error error;
    for (; count > 3 && strcmp(arguments[1], "--plugin") == 0; count -= 2, arguments += 2)
        need(fl_plugin_load(arguments[2], &error), &error);
    if (count != 2 && count != 6 && count != 7) {
        fputs(
            "usage: walk [--plugin FILE.so]... NETWORK [ROUTER SCOPE SOURCE DESTINATION [LINK;LINK...]]\n",
            stderr);
        return 2;
    }
    need(fl_network_create(&network, arguments[1], &error), &error);
    int code = count == 2 ? check(network)
                          : walk(network, arguments + 2, count == 7 ? arguments[6] : NULL);
    fl_network_destroy(network);
    return code;
}
