/* The link view: what a router may ask, and the record of what it asked. */
#ifndef FL_FAULTS_LINK_VIEW_H
#define FL_FAULTS_LINK_VIEW_H

#include "faults/fault_set.h"
#include "faults/violation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a switch may know. */
typedef enum fl_scope {
    FL_SCOPE_DETOUR, /* its own links, and those of the detours that it weighs up */
    FL_SCOPE_LOCAL   /* its own links only */
} fl_scope;

extern const char *const fl_scope_names[]; /* by scope, ended by NULL */
fl_status fl_scope_parse(fl_scope *out, const char *name, fl_error *error);

/* How a router sees the faults. The view answers at one fault point of a fault order, refuses what
 * the scope forbids, and records what was asked: the answers stay the same, and so does the
 * router's decision, until the first link that was seen up goes down, which is at the fault point
 * `holds_until`. The enabled rules of the router are read through the view for the same reason:
 * routers whose enabled rules differ only in rules that were not read decide alike, and need one
 * walk instead of several. */
typedef struct fl_view {
    const fl_network *network;
    fl_order *order;
    fl_address here; /* the switch (or source node) that asks */
    uint32_t fault_point;
    uint32_t holds_until;   /* smallest fails_at among the links seen up */
    uint64_t enabled_rules; /* of the router, a bit each */
    uint64_t rules_asked;   /* bits that were read */
    fl_scope scope;
    uint8_t violation;       /* fl_violation, the first one of the router; 0: none */
    fl_port unplugged_port;  /* of FL_ASKS_EMPTY_PORT: the port that was asked about, ... */
    fl_address unplugged_at; /* ... and of which switch */
    void (*listener)(void *user, fl_address from, fl_port port, fl_link link,
                     bool up); /* or NULL */
    void *listener_user;
    struct fl_searcher
        *searcher; /* NULL, or what answers whole searches in one question (routing/step.h) */
} fl_view;

/* A place reached from `here` through links that were seen up. */
typedef struct fl_probe {
    fl_address at;
    unsigned depth; /* links between here and there */
} fl_probe;

FL_INLINE fl_probe fl_view_here(const fl_view *view)
{
    return (fl_probe){view->here, 0};
}

void fl_view_report(const fl_view *view, fl_address from, fl_port port, fl_link link, bool up);

/* Records a violation of the contract. The first one stays. */
FL_INLINE void fl_view_violate(fl_view *view, fl_violation violation)
{
    if (!view->violation)
        view->violation = (uint8_t)violation;
}

/* Refuses a question about a port without a link: the router would otherwise take its own mistake
 * for a fault. */
void fl_view_refuse_unplugged(fl_view *view, fl_address from, fl_port port);

/* Is anything plugged in at this port of the place reached so far? Some families leave ports empty,
 * such as those at the edge of a mesh. It is no question about faults: it is not recorded, and both
 * scopes allow it everywhere. Ports that the switch does not have are empty. */
FL_INLINE bool fl_view_has_link(const fl_view *view, const fl_probe *from, fl_port port)
{
    fl_hop hop;
    return fl_network_step(view->network, from->at, port, &hop);
}

/* The answer to fl_view_up for a link that the caller has found: `hop` is what the network's step
 * function gave for this port of `from`, NULL where nothing is plugged in. */
FL_INLINE bool fl_view_answer(fl_view *view, const fl_probe *from, fl_port port, const fl_hop *hop,
                              fl_probe *far_end)
{
    if (FL_UNLIKELY(!hop)) {
        fl_view_refuse_unplugged(view, from->at, port);
        return false;
    }
    uint32_t fails_at = fl_order_fails_at(view->order, hop->link);
    bool up = fails_at > view->fault_point;
    if (FL_UNLIKELY(view->listener != NULL))
        fl_view_report(view, from->at, port, hop->link, up);
    if (!up)
        return false;
    if (fails_at < view->holds_until)
        view->holds_until = fails_at;
    far_end->at = hop->to;
    far_end->depth = from->depth + 1;
    return true;
}

/* Is the link at this port of the place reached so far up? If so, *far_end is where it leads.
 * (`from` and `far_end` may be the same.) A question beyond the scope, or about a port where
 * nothing is plugged in, violates the contract: the answer is false, and whatever runs the router
 * stops it. */
FL_INLINE bool fl_view_up(fl_view *view, const fl_probe *from, fl_port port, fl_probe *far_end)
{
    if (FL_UNLIKELY(from->depth > 0 && view->scope == FL_SCOPE_LOCAL)) {
        fl_view_violate(view, FL_ASKS_BEYOND_SCOPE);
        return false;
    }
    fl_hop hop;
    bool plugged = fl_network_step(view->network, from->at, port, &hop);
    return fl_view_answer(view, from, port, plugged ? &hop : NULL, far_end);
}

/* One of the router's settings. */
FL_INLINE bool fl_view_rule_enabled(fl_view *view, uint64_t bit)
{
    view->rules_asked |= bit;
    return (view->enabled_rules & bit) != 0;
}

#ifdef __cplusplus
}
#endif
#endif
