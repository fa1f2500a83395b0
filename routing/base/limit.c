/* Names for what no router can beat. They are worked out elsewhere (experiments/sweep/limit.c): a
 * limit is a property of the network and its faults, not a per-hop decision. */
#include "routing/routing.h"

static bool serves(const fl_network *network)
{
    return !network->one_way; /* its paths are those of undirected links */
}

const fl_router_type fl_router_limit = {
    .name = "limit",
    .summary =
        "not a router: delivered while any path of healthy links is left, over the shortest of them",
    .source = "this project",
    .serves = serves,
    .limit = FL_LIMIT_ANY_PATH,
};

const fl_router_type fl_router_minimal_limit = {
    .name = "minimal-limit",
    .summary =
        "not a router: delivered while any of the paths is left that are shortest without faults",
    .source = "this project",
    .serves = serves,
    .limit = FL_LIMIT_MINIMAL_PATHS,
};
