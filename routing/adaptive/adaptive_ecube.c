/* Adaptive e-cube, for the cubes of CAT and MiCAT, which the Wang thesis routes by e-cube alone,
 * and for hypercubes.
 *
 * Let D be the dimensions in which corner and target still differ, and let the link of the lowest
 * of them be down. First the others of D, the lowest first: no extra link. If none is up, and for
 * every dimension s outside D, the lowest first, for every e in D: over s, over e, back over s; 3
 * links for 1. Every detour ends with one dimension less in D, so that no packet comes back.
 *
 * At distance k there is no dimension outside D. The other k - 1 links of a path can be replaced.
 */
#include "routing/detours/detours.h"

static bool applies(const fl_detour_context *context)
{
    return !context->upward && context->level == 0 && context->network->cubes;
}

/* The dimensions in which a corner and the one that the packet goes to differ. */
static unsigned difference(const fl_network *network, fl_address here, fl_address destination)
{
    unsigned differ = 0;
    fl_cubes_differ(network->cubes, here, destination, &differ);
    return differ;
}

/* One cube link after the other from `at`; false if one is down. */
static bool follow(fl_view *view, fl_probe *at, unsigned dimension, fl_port *port)
{
    *port = (fl_port)fl_cubes_port(view->network->cubes, at->at, dimension);
    return fl_view_up(view, at, *port, at);
}

static void offer_productive(unsigned dimensions, unsigned rule, unsigned turn,
                             uint64_t header_state, fl_view *view, fl_decision *decision)
{
    for (unsigned e = 0; dimensions >> e; e++) {
        fl_probe at = fl_view_here(view);
        fl_port port;
        if (!(dimensions >> e & 1) || !follow(view, &at, e, &port))
            continue;
        bool enough = fl_decision_offer(decision, &port, 1, at.at, rule, header_state);
        decision->candidates[decision->count - 1].turn = (uint8_t)turn;
        if (enough)
            return;
    }
}

/* Over s, over one of the productive dimensions, back over s. True: enough. */
static bool offer_around(unsigned s, unsigned dimensions, unsigned rule, fl_view *view,
                         fl_decision *decision)
{
    fl_probe beside = fl_view_here(view);
    fl_port ports[3];
    if (!follow(view, &beside, s, &ports[0]))
        return false;
    for (unsigned e = 0; dimensions >> e; e++) {
        fl_probe at = beside;
        if (dimensions >> e & 1 && follow(view, &at, e, &ports[1]) &&
            follow(view, &at, s, &ports[2]) &&
            fl_decision_offer(decision, ports, 3, at.at, rule, 0))
            return true;
    }
    return false;
}

static void begin(unsigned differ, unsigned rule, fl_view *view, fl_decision *decision)
{
    offer_productive(differ & (differ - 1), rule, 0, 0, view, decision);
    unsigned spare = ~differ & ((1U << view->network->cubes->dimensions) - 1);
    for (unsigned s = 0; decision->count == 0 && view->scope == FL_SCOPE_LOCAL && spare >> s; s++)
        if (spare >> s & 1)
            offer_productive(1U << s, rule, 0, fl_detours_header_state(rule, 1, s), view, decision);
    if (decision->count > 0 || view->scope == FL_SCOPE_LOCAL)
        return;
    for (unsigned s = 0; spare >> s; s++)
        if (spare >> s & 1 && offer_around(s, differ, rule, view, decision))
            return;
}

/* `kept`: the spare dimension of a packet that is on a detour around, in scope `local`. */
static void offer(const fl_detour_context *context, unsigned rule, unsigned turn, unsigned kept,
                  fl_view *view, fl_decision *decision)
{
    unsigned differ = difference(context->network, view->here, context->destination);
    decision->reason = FL_BLOCKED_CROSS;
    if (turn == 0)
        begin(differ, rule, view, decision);
    else if (turn == 1)
        offer_productive(differ & ~(1U << kept), rule, turn, fl_detours_header_state(rule, 2, kept),
                         view, decision);
    else
        offer_productive(1U << kept, rule, turn, 0, view, decision);
}

const fl_rule fl_rule_adaptive_ecube = {
    .name = "adaptive-ecube",
    .summary =
        "in cubes (also of CAT, MiCAT): another dimension that leads on; else around by one that does not: 3 for 1",
    .source = "this project",
    .applies = applies,
    .downward = true,
    .turn_count = 3,
    .offer = offer,
};
