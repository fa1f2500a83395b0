/* Plug-ins with one error each: BAD names the error (and IS_<that> is defined, for the
 * preprocessor). Otherwise they route like `shortest`. */
#include "routing/plugin.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum bad {
    NOTHING,
    /* routers that break the contract */
    PEEKS,
    LOOPS,
    NO_PORT,
    HIGH_PORT,
    ASKS_NO_PORT,
    ASKS_ABOVE,
    DOWN_LINK,
    UNASKED_LINK,
    WRONG_END,
    WRONG_NODE,
    TOO_MANY_CANDIDATES,
    GOES_ON_OFFERING,
    NO_LENGTH,
    LONG_CANDIDATE,
    CRASHES,
    DIVIDES,
    HANGS,
    RECURSES,
    EXITS,
    EXITS_QUICKLY,
    ABORTS,
    EXITS_EARLY,
    WRITES_DESTINATION,
    WRITES_HEADER,
    NO_REASON,
    NO_CHANNEL,
    NO_RULE,
    MOVES,
    BLIND_CANDIDATE,
    SILENT,
    SOURCE_REASON,
    COUNTS,
    COUNTS_IN_GLOBAL,
    /* routers that offer a detour of two extra links beside every link up, as a second candidate */
    RANKED_DETOURS,
    EQUIVALENT_DETOURS,
    /* tables that lack something */
    NO_NEXT,
    NO_SERVES,
    NO_SUMMARY,
    BAD_NAME,
    TAKEN_NAME,
    TWO_ALIKE,
    IS_A_LIMIT,
    EMPTY,
    NO_VERSION,
    RULE_TURNS,
    RULE_NEEDS,
    RULE_TAKEN,
    RULE_FIRST_BACK,
    NETWORK_HALF,
    NETWORK_TAKEN,
    /* valid tables with invalid contents */
    RULE_LEADS_OUT,
    NETWORK_ASYMMETRIC,
    /* another build */
    OLD_ABI,
    OTHER_SIZE,
    OTHER_COUNT,
    OTHER_MAGIC,
    NO_SYMBOL,
    UNRESOLVED
};

#ifdef IS_UNRESOLVED
bool fl_there_is_no_such_function(const fl_network *network);
#endif

static bool serves(const fl_network *network)
{
    if (BAD == EXITS_EARLY)
        exit(0);
#ifdef IS_UNRESOLVED
    if (fl_there_is_no_such_function(network))
        return false;
#endif
    return network->tree != NULL;
}

static fl_port base_port(const fl_tree *tree, fl_address here, fl_address destination)
{
    unsigned level = fl_tree_level(here);
    bool upward = fl_tree_group(here) != fl_tree_group(destination) ||
                  ((here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0;
    unsigned place = upward ? level : level > 0 ? level - 1 : tree->n - 1;
    return (fl_port)((upward ? tree->k : 0) + fl_tree_digit(tree, destination, place));
}

/* Up, down to a sibling, and up again. */
static void offer_detour(fl_view *view, const fl_tree *tree, fl_port up, fl_decision *decision)
{
    fl_probe at = fl_view_here(view);
    fl_port ports[3] = {up, 0, up};
    ports[1] = fl_tree_digit(tree, view->here, fl_tree_level(view->here)) == 0;
    for (unsigned i = 0; i < 3; i++)
        if (!fl_view_up(view, &at, ports[i], &at))
            return;
    fl_decision_offer(decision, ports, 3, at.at, FL_NO_RULE, 0);
}

/* Recursion without end; the frames only fill the stack. */
static unsigned recurse(volatile fl_port *port, unsigned depth)
{
    volatile char frame[256];
    frame[depth % 256] = (char)*port;
    return depth == 0 ? 0 : recurse(port, depth + 1) + (unsigned char)frame[depth % 256];
}

static void divide_by(volatile int zero)
{
    volatile int result = 100 / zero;
    (void)result;
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_network *network = router->network;
    fl_probe at = fl_view_here(view), far_end;
    fl_port port = base_port(network->tree, view->here, packet->destination), any = 0;
    fl_hop hop;
    static _Atomic unsigned calls;
    if (BAD != SILENT)
        decision->reason = BAD == SOURCE_REASON ? FL_BLOCKED_SOURCE : FL_BLOCKED_UP;
    switch ((enum bad)BAD) {
    case PEEKS:
        if (fl_view_up(view, &at, port, &far_end) && fl_view_has_link(view, &far_end, port))
            fl_view_up(view, &far_end, port, &far_end);
        break;
    case LOOPS: /* between the switch and one above */
        port = fl_tree_level(view->here) % 2 ? 0 : (fl_port)network->tree->k;
        break;
    case NO_PORT:
        if (fl_tree_level(view->here) == network->tree->top) {
            fl_decision_offer(decision, &(fl_port){(fl_port)(2 * network->tree->k)}, 1, view->here,
                              FL_NO_RULE, 0);
            return;
        }
        break;
    case HIGH_PORT:
        fl_decision_offer(decision, &(fl_port){UINT16_MAX}, 1, packet->destination, FL_NO_RULE, 0);
        return;
    case ASKS_NO_PORT: /* and takes the answer for a fault */
        port = (fl_port)(port + 100);
        break;
    case ASKS_ABOVE: /* the switch above what is above it */
        for (unsigned i = 0; i < 9 && fl_view_up(view, &at, (fl_port)network->tree->k, &at); i++)
            ;
        at = fl_view_here(view);
        break;
    case DOWN_LINK: /* asks, and ignores the answer */
        if (!fl_view_up(view, &at, port, &far_end) &&
            fl_network_step(network, view->here, port, &hop)) {
            fl_decision_offer(decision, &port, 1, hop.to, FL_NO_RULE, 0);
            return;
        }
        break;
    case UNASKED_LINK:
        if (fl_network_step(network, view->here, port, &hop))
            fl_decision_offer(decision, &port, 1, hop.to, FL_NO_RULE, 0);
        return;
    case WRONG_END:
        if (fl_view_up(view, &at, port, &far_end)) /* "and there we are" */
            fl_decision_offer(decision, &port, 1, packet->destination, FL_NO_RULE, 0);
        return;
    case WRONG_NODE:
        if (fl_tree_level(view->here) == 0)
            port =
                (fl_port)((fl_tree_digit(network->tree, packet->destination, network->tree->n - 1) +
                           1) %
                          network->tree->k);
        break;
    case TOO_MANY_CANDIDATES:
        if (fl_view_up(view, &at, port, &far_end))
            for (int i = 0; i < 3; i++)
                decision->candidates[decision->count++] = (fl_candidate){
                    .ports = {port}, .length = 1, .rule = FL_NO_RULE, .end = far_end.at};
        return;
    case GOES_ON_OFFERING: /* which is not a violation: further offers are ignored */
        if (fl_view_up(view, &at, port, &far_end))
            for (int i = 0; i < 1000; i++)
                fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
        return;
    case NO_LENGTH:
        fl_decision_offer(decision, &any, 0, view->here, FL_NO_RULE, 0);
        return;
    case LONG_CANDIDATE:
        if (fl_view_up(view, &at, port, &far_end))
            fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
        if (decision->count)
            decision->candidates[0].length = 200;
        return;
    case CRASHES:
        *(volatile int *)(uintptr_t)view->fault_point = 1; /* no pointer at all */
        return;
    case DIVIDES:
        divide_by(0);
        return;
    case RECURSES:
        calls += recurse(&any, 1);
        break;
    case EXITS:
        exit(0);
    case EXITS_QUICKLY:
        quick_exit(0);
    case ABORTS:
        abort();
    case WRITES_DESTINATION: /* to the last node of its switch, where it then goes: the sweep would
                                count deliveries */
        ((fl_packet *)packet)->destination |= network->tree->digit_mask
                                              << network->tree->node_shift;
        port = base_port(network->tree, view->here, packet->destination);
        break;
    case WRITES_HEADER:
        ((fl_packet *)packet)->header_state++;
        break;
    case HANGS:
        for (volatile int forever = 1; forever;)
            ;
        return;
    case NO_REASON:
        decision->reason = (fl_reason)99;
        return;
    case NO_CHANNEL:
        if (fl_view_up(view, &at, port, &far_end))
            fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
        if (decision->count)
            decision->candidates[0].channel = 7;
        return;
    case NO_RULE:
        if (fl_view_up(view, &at, port, &far_end))
            fl_decision_offer(decision, &port, 1, far_end.at, 200, 0);
        return;
    case MOVES:
        view->here = packet->destination;
        break;
    case BLIND_CANDIDATE: /* two links, of which it has seen one */
        if (fl_view_up(view, &at, port, &far_end) && !fl_address_is_node(far_end.at)) {
            fl_port ports[] = {port, base_port(network->tree, far_end.at, packet->destination)};
            if (fl_network_step(network, far_end.at, ports[1], &hop))
                fl_decision_offer(decision, ports, 2, hop.to, FL_NO_RULE, 0);
            return;
        }
        break;
    case COUNTS: /* its calls, and gives up at every third */
        if (++calls % 3 == 0)
            return;
        break;
    case COUNTS_IN_GLOBAL: /* the same candidates every time, with another header state */
        if (fl_view_up(view, &at, port, &far_end))
            fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, ++calls);
        return;
    default:
        break;
    }
    if (fl_view_up(view, &at, port, &far_end))
        fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, 0);
    if ((BAD == RANKED_DETOURS || BAD == EQUIVALENT_DETOURS) && decision->count > 0 &&
        port >= network->tree->k)
        offer_detour(view, network->tree, port, decision);
}

#ifdef IS_BAD_NAME
#define NAME "Bad+Router"
#elif defined IS_TAKEN_NAME
#define NAME "gns"
#else
#define NAME "bad-router"
#endif

static const fl_router_type router = {
    .name = NAME,
    .summary = BAD == NO_SUMMARY ? NULL : "wrong in one way",
    .source = "tests/plugins/bad.c",
    .serves = BAD == NO_SERVES ? NULL : serves,
    .next = BAD == NO_NEXT ? NULL : next,
    .equivalent = BAD == EQUIVALENT_DETOURS,
    .limit = BAD == IS_A_LIMIT ? FL_LIMIT_ANY_PATH : FL_NO_LIMIT,
};

static bool applies(const fl_detour_context *context)
{
    return BAD != RULE_LEADS_OUT || context->upward;
}

static const fl_rule rule = {
    .name = BAD == RULE_TAKEN ? "shortest" : "bad-rule",
    .summary = "wrong in one way",
    .source = "tests/plugins/bad.c",
    .applies = applies,
    .needs = BAD == RULE_NEEDS ? "no-such-rule" : NULL,
    .turns = {{BAD == RULE_FIRST_BACK  ? FL_TURN_BACK
               : BAD == RULE_LEADS_OUT ? FL_TURN_DOWN
                                       : FL_TURN_UP,
               FL_TURN_ANY}},
    .turn_count = BAD == RULE_TURNS ? FL_DETOUR_MAX + 1 : 1,
};

/* Two nodes at two switches, and the link between them. */
#define MARK (UINT64_C(1) << FL_ADDRESS_NODE_SHIFT)

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    (void)values, (void)error;
    network->nodes = network->switches = 2;
    network->links = network->link_codes = 3;
    network->radix = 2;
    network->classes = 2;
    return FL_OK;
}

static bool step(const fl_network *network, fl_address from, fl_port port, fl_hop *out)
{
    (void)network;
    uint64_t i = from & ~MARK;
    if (fl_address_is_node(from))
        *out = (fl_hop){i, i};
    else if (port == 0)
        *out = (fl_hop){MARK | i, i};
    else
        *out = (fl_hop){1 - i, i == 1 && BAD == NETWORK_ASYMMETRIC ? 0 : 2};
    return port < (fl_address_is_node(from) ? 1 : 2);
}

static fl_address node_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return MARK | index;
}
static fl_address switch_address(const fl_network *network, uint64_t index)
{
    (void)network;
    return index;
}
static uint64_t vertex_index(const fl_network *network, fl_address address)
{
    (void)network;
    return address & ~MARK;
}
static uint64_t same_link(const fl_network *network, uint64_t link)
{
    (void)network;
    return link;
}
static unsigned link_class(const fl_network *network, fl_link link)
{
    (void)network;
    return link == 2;
}
static uint64_t class_size(const fl_network *network, unsigned c)
{
    (void)network;
    return c == 0 ? 2 : 1;
}
static void class_name(const fl_network *network, unsigned c, char *out, size_t size)
{
    (void)network;
    snprintf(out, size, "%s", c == 0 ? "node-links" : "the-link");
}
static void link_ends(const fl_network *network, fl_link link, fl_link_ends *out)
{
    (void)network;
    *out = link == 2 ? (fl_link_ends){0, 1, 1, 1} : (fl_link_ends){MARK | link, link, 0, 0};
}
static void label(const fl_network *network, fl_address address, char *out, size_t size)
{
    (void)network;
    snprintf(out, size, "<%c%u>", fl_address_is_node(address) ? 'n' : 's', (unsigned)(address & 1));
}
static bool parse_label(const fl_network *network, const char *text, fl_address *out)
{
    (void)network;
    *out = (text[1] == 'n' ? MARK : 0) | (text[2] == '1');
    return text[0] == '<' && text[3] == '>';
}
static void closed_forms(const fl_network *network, fl_closed_forms *out)
{
    (void)network;
    *out = (fl_closed_forms){2, 2, 3, NAN, NAN, NAN, NAN};
}

static const fl_network_type network = {
    .name = BAD == NETWORK_TAKEN ? "mikant" : "bad-network",
    .summary = "wrong in one way",
    .source = "tests/plugins/bad.c",
    .parameters = {{"k", "of no use", 1, 9}},
    .create = create,
    .step = step,
    .node_address = node_address,
    .node_index = vertex_index,
    .switch_address = switch_address,
    .switch_index = vertex_index,
    .link_code = same_link,
    .link_index = same_link,
    .link_ends = link_ends,
    .link_class = link_class,
    .class_size = class_size,
    .class_name = class_name,
    .label = label,
    .parse_label = BAD == NETWORK_HALF ? NULL : parse_label,
    .closed_forms = closed_forms,
};

#ifdef IS_NO_SYMBOL
extern const void *const not_a_plugin[];
const void *const not_a_plugin[] = {&router, &rule, &network};
#else
FL_PLUGIN(.name = "bad", .version = BAD == NO_VERSION ? "" : "1",
#ifndef IS_EMPTY
          FL_PLUGIN_ROUTERS(&router, BAD == TWO_ALIKE ? &router : NULL), FL_PLUGIN_RULES(&rule),
          FL_PLUGIN_NETWORKS(&network),
#endif
#ifdef IS_OLD_ABI
          .abi = 0, .built_for = "0.0.9",
#elif defined IS_OTHER_SIZE
          .struct_sizes[6] = 1,
#elif defined IS_OTHER_COUNT
          .struct_count = 3,
#elif defined IS_OTHER_MAGIC
          .magic = 12345,
#endif
);
#endif
