/* Private to routing: deterministic base routings decide on one port and have no second choice. */
#ifndef FL_ROUTING_BASE_H
#define FL_ROUTING_BASE_H

#include "routing/routing.h"

FL_INLINE void fl_base_offer(fl_view *view, fl_decision *decision, unsigned port, fl_reason reason)
{
    fl_port ports[1] = {(fl_port)port};
    fl_probe at = fl_view_here(view), beyond;
    if (FL_LIKELY(fl_view_up(view, &at, ports[0], &beyond)))
        fl_decision_offer(decision, ports, 1, beyond.at, FL_NO_RULE, 0);
    else
        decision->reason = reason;
}

#endif
