/* routing: one per-hop function a router, the same for every analysis.
 *
 * packet header + switch + what the switch may know about links
 *     -> where to next (an ordered list), or blocked, with a reason
 *
 * A router is pure: it reads the header, the switch and the view, and writes a decision. It
 * can only offer candidates whose links it asked about and saw up, because the offer is the
 * question; it can only ask what its scope allows, because questions start at its own switch. */
#ifndef FL_ROUTING_ROUTING_H
#define FL_ROUTING_ROUTING_H

#include "routing/packet.h"
#include "routing/router.h"
#include "routing/step.h"
#include "routing/walk.h"

#endif
