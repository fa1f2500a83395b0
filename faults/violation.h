/* How a router can violate its contract: every violation with its text. */
#ifndef FL_FAULTS_VIOLATION_H
#define FL_FAULTS_VIOLATION_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One table: the texts follow "the router 'NAME' " and are followed by " at PLACE". The view finds
 * the first two itself (faults/link_view.h), the guard in front of plug-ins' routers most of the
 * others (routing/plugin/guard.c), and whatever moves packets the rest (routing/step.h). */
/* clang-format off */
#define FL_VIOLATIONS(X) \
    X(FL_ASKS_BEYOND_SCOPE, "asks about a link beyond its scope") \
    X(FL_ASKS_EMPTY_PORT, "asks about a port where nothing is plugged in") \
    X(FL_ASKS_TOO_MUCH, "asks more than 4096 questions in one decision") \
    X(FL_OFFERS_NO_PATH, "offers a candidate of no ports, or of more than 7") \
    X(FL_OFFERS_EMPTY_PORT, "offers a port where nothing is plugged in") \
    X(FL_OFFERS_DOWN_LINK, "offers a link that is down") \
    X(FL_OFFERS_UNASKED_LINK, "offers a link that it has not asked about") \
    X(FL_OFFERS_BEYOND_SCOPE, "offers a link beyond its scope") \
    X(FL_OFFERS_LINK_OF_NODE, "offers a candidate that leads on from a node") \
    X(FL_OFFERS_WRONG_END, "offers a candidate that does not end where the router says") \
    X(FL_OFFERS_NO_CHANNEL, "offers a virtual channel that does not exist") \
    X(FL_OFFERS_NO_RULE, "names a detour rule that does not exist") \
    X(FL_OFFERS_TOO_MANY, "offers more candidates than were wanted") \
    X(FL_OFFERS_OTHER_DETOUR, "found a detour and did not offer it") \
    X(FL_GIVES_NO_REASON, "offers nothing and gives no reason (set decision->reason)") \
    X(FL_GIVES_SOURCE_REASON, "gives FL_BLOCKED_SOURCE as its reason, which is never a router's,") \
    X(FL_GIVES_UNKNOWN_REASON, "is blocked for a reason that does not exist") \
    X(FL_CHANGES_VIEW, "changes the view") \
    X(FL_CHANGES_HEADER, "writes to the packet's header, which it may only read") \
    X(FL_CHANGES_ITS_ANSWER, "gives two answers to the same question (it must be pure)") \
    X(FL_LEADS_OUT, "has a detour rule that leads down from the lowest level") \
    X(FL_DELIVERS_ASTRAY, "delivered a packet to the wrong node") \
    X(FL_NEVER_ENDS, "never ends: a packet was still under way after 4096 links")
/* clang-format on */

#define FL_VIOLATION_NAME(name, text) name,
typedef enum fl_violation {
    FL_NO_VIOLATION,
    FL_VIOLATIONS(FL_VIOLATION_NAME) FL_VIOLATION_KINDS
} fl_violation;
#undef FL_VIOLATION_NAME

/* The violation's text from the table above; NULL for FL_NO_VIOLATION. */
const char *fl_violation_text(fl_violation violation);

#ifdef __cplusplus
}
#endif
#endif
