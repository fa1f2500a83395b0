/* Minimal routing of the dragonfly: inside the group to the switch that holds the link to the
 * destination's group, over it, and inside that group to the destination's switch. (A path over
 * two links between groups can be shorter; minimal routing is defined without it: Kim, Dally,
 * Scott, Abts 2008.) */
#include "routing/base/base.h"

extern const fl_router_type fl_router_dragonfly;

static unsigned local_port(const fl_groups *d, unsigned from, unsigned to)
{
    return d->p + (to < from ? to : to - 1);
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_groups *d = router->network->groups;
    uint64_t node = packet->destination & ~(UINT64_C(1) << FL_ADDRESS_NODE_SHIFT),
             there = node / d->p;
    unsigned group = (unsigned)(view->here / d->a), i = (unsigned)(view->here % d->a);
    unsigned other = (unsigned)(there / d->a), target = (unsigned)(there % d->a);
    if (view->here == there) {
        fl_base_offer(view, decision, (unsigned)(node % d->p), FL_BLOCKED_DESTINATION);
    } else if (group == other) {
        fl_base_offer(view, decision, local_port(d, i, target), FL_BLOCKED_DOWN);
    } else {
        unsigned channel = d->channel(d, group, other), holder = channel / d->h;
        if (holder == i)
            fl_base_offer(view, decision, d->p + d->a - 1 + channel % d->h, FL_BLOCKED_CROSS);
        else
            fl_base_offer(view, decision, local_port(d, i, holder), FL_BLOCKED_UP);
    }
}

static bool serves(const fl_network *network)
{
    return network->groups != NULL;
}

const fl_router_type fl_router_dragonfly = {
    .name = "dragonfly-minimal",
    .summary =
        "base routing of dragonflies: to the one link between the two groups, over it, to the destination",
    .source = "Yasudo thesis, 3.5.2.2 (Kim, Dally, Scott, Abts 2008)",
    .serves = serves,
    .next = next,
    .switch_to_switch = true,
    .base = true,
};
