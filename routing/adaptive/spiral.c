/* Spiral: every packet takes channels of rising order, and looks for its path among them.
 *
 * The order. The links of one virtual channel have positions. Under scope `local` these are: up to
 * the blocks at the top, then the block between the two highest levels of group 0, the links across
 * to group 1, the same block of group 1, the links back, down. Inside such a block, up to the
 * switch with digit x comes before down from it, and both before those of higher digits, so that a
 * packet can try one switch after the other in rising order. Under scope `detour`, where fewer
 * tries are needed: up, across to group 1, across to group 0, down. A packet that needs a link that
 * does not come later than the last one changes to the next virtual channel, and when there is none
 * does not go. Channels rise along every path: no cycle of dependencies, no endless walk, whatever
 * fails.
 *
 * The choice. Of the links that the order allows and that are up, the one with the cheapest path
 * beyond it, as far as the switch can see: under scope `local` its own links, under scope `detour`
 * AHEAD links far, which is what x-turns looks at. From there on it counts on the distance if
 * nothing else fails. Surcharges (in quarters of a link) are for what tends to end badly. They were
 * found by trying: these deliver every pair that is connected under any k - 1 faults between
 * switches of MiKANT(3,3) and the k-ary trees (3,3) and (4,2), and of the values tried the most
 * packets under 40 faults (docs/spiral.md). A packet decides anew at every switch.
 *
 * The header: which switches of the last link's block the packet has met (20 bits a side, by the
 * digit in which they differ mod 20; two switches on one bit cost a surcharge, no more). For k <=
 * 20 that is 2 k bits. The position of the last link (16 bits) and its block (8) stand beside them
 * for speed: a switch knows both from its input port. `spiral-bare` does without the marks: its
 * header carries nothing at all. */
#include "routing/routing.h"

extern const fl_router_type fl_router_spiral, fl_router_spiral_bare;

enum {
    CHANNELS = 3,
    AHEAD = 5,
    POSITION_BITS = 16,
    SIDE_BITS = 20,
    VISITED_SHIFT = 24,
    RADIX_MAX = 256
};

/* Costs more than every path. */
#define DEAD_END (UINT64_C(1) << 32)

enum surcharge {
    PER_LINK = 4,
    MET_BEFORE = 12,
    NEXT_CHANNEL = 6,
    ACROSS_TO_WRONG_DIGIT = 2,
    UP_ABOVE_DESTINATION = 24
};

/* A packet with a view of many links needs no second try, but two links across in one channel: up,
 * across from group 0, across from group 1, down. */
static unsigned position_when_seeing_far(const fl_tree *tree, fl_address here, fl_port port)
{
    unsigned level = fl_tree_level(here), top = tree->top;
    if (port >= tree->k)
        return level == top ? 2 + top + fl_tree_group(here) : 1 + level;
    return 4 + top + (top - level);
}

static unsigned position_when_trying(const fl_tree *tree, fl_address here, fl_port port)
{
    unsigned level = fl_tree_level(here), top = tree->top, block = 2 * tree->k;
    unsigned first = 1 + top + fl_tree_group(here) * (block + 1);
    if (port >= tree->k) {
        if (level == top)
            return first + block;
        return level + 1 < top ? 1 + level : first + 2 * (port - tree->k);
    }
    return level == top ? first + 2 * fl_tree_digit(tree, here, level - 1) + 1
                        : 1 + top + 2 * (block + 1) + (top - level);
}

/* Links from a switch to the destination's switch when nothing fails. */
static unsigned distance_from(const fl_tree *tree, fl_address here, fl_address destination)
{
    unsigned level = fl_tree_level(here);
    if (fl_tree_group(here) != fl_tree_group(destination))
        return tree->top - level + 1 + tree->top;
    uint64_t difference = ((here ^ destination) & tree->switch_mask) >> (level * tree->bits);
    if (difference == 0)
        return level;
    unsigned highest = fl_highest_bit(difference) / tree->bits + level;
    if (tree->mirrored && highest == tree->top)
        return tree->top - level + 2 + tree->top;
    return 2 * (highest + 1) - level;
}

/* Links between level L and L + 1, and those across, lie in blocks K_{k,k} whose switches differ in
 * one digit. Which level: L + 1, or top + 1 across. */
static unsigned stage_of(const fl_tree *tree, fl_address here, fl_port port)
{
    return fl_tree_level(here) + (port >= tree->k ? 1u : 0u);
}

/* The mark of a switch at one end of a link of this stage: one side of a block are the lower
 * switches, or those of group 0. */
static uint64_t mark_of(const fl_tree *tree, fl_address at, unsigned stage)
{
    unsigned digit = fl_tree_digit(tree, at, stage - 1);
    unsigned side = stage == tree->top + 1 ? fl_tree_group(at) : fl_tree_level(at) == stage;
    return UINT64_C(1) << (VISITED_SHIFT + side * SIDE_BITS + digit % SIDE_BITS);
}

/* A packet at a switch. */
typedef struct standing {
    const fl_tree *tree;
    fl_address here, destination;
    unsigned level, channel, channels, position;
    bool upward, sees_far, marks;
    unsigned stage;   /* of the last link; 0: none */
    uint64_t visited; /* marks in its block */
} standing;

typedef struct step {
    fl_port port;
    uint8_t channel;
    fl_address to;
    uint64_t header_state; /* the header behind it */
    uint64_t cost;         /* its own link and surcharges */
    uint64_t hope;         /* ... and the distance from there */
    uint64_t total;        /* ... or what was seen beyond */
} step;

static standing stand(const fl_tree *tree, fl_address here, fl_address destination,
                      uint64_t header_state, unsigned channel, unsigned channels, bool sees_far,
                      bool marks)
{
    unsigned level = fl_tree_level(here);
    return (standing){
        .tree = tree,
        .here = here,
        .destination = destination,
        .level = level,
        .channel = channel,
        .channels = channels,
        .position = header_state & ((1u << POSITION_BITS) - 1),
        .upward = fl_tree_group(here) != fl_tree_group(destination) ||
                  ((here ^ destination) & tree->switch_mask) >> (level * tree->bits) != 0,
        .sees_far = sees_far,
        .marks = marks,
        .stage = header_state >> POSITION_BITS & 0xff,
        .visited = header_state >> VISITED_SHIFT << VISITED_SHIFT,
    };
}

static unsigned surcharges(const standing *s, fl_port port, fl_address to, bool next_channel,
                           uint64_t visited)
{
    const fl_tree *tree = s->tree;
    bool up = port >= tree->k, across = up && tree->mirrored && s->level == tree->top;
    unsigned value = up ? port - tree->k : port, sum = 0;
    sum += visited & mark_of(tree, to, stage_of(tree, s->here, port)) ? MET_BEFORE : 0;
    sum += next_channel ? NEXT_CHANNEL : 0;
    sum += across && value != fl_tree_digit(tree, s->destination, s->level) ? ACROSS_TO_WRONG_DIGIT
                                                                            : 0;
    sum += up && !s->upward ? UP_ABOVE_DESTINATION : 0;
    return sum;
}

/* What it costs to leave through this port; false if the order forbids it. */
static bool weigh(const standing *s, fl_port port, step *out)
{
    const fl_tree *tree = s->tree;
    fl_hop hop;
    if (!fl_tree_step(tree, s->here, port, &hop) || fl_address_is_node(hop.to))
        return false;
    unsigned position =
        (s->sees_far ? position_when_seeing_far : position_when_trying)(tree, s->here, port);
    unsigned stage = stage_of(tree, s->here, port);
    bool next_channel = position <= s->position;
    if (s->channel + next_channel >= s->channels)
        return false;
    uint64_t visited = stage == s->stage ? s->visited : 0;
    *out = (step){
        .port = port,
        .channel = (uint8_t)(s->channel + next_channel),
        .to = hop.to,
        .header_state = (s->marks ? visited | mark_of(tree, s->here, stage) : 0) |
                        (uint64_t)stage << POSITION_BITS | position,
        .cost = PER_LINK + surcharges(s, port, hop.to, next_channel, visited),
    };
    out->hope = out->cost + (uint64_t)PER_LINK * distance_from(tree, hop.to, s->destination);
    return true;
}

/* The ports in which base routing would look: the destination's digit first, then the ones after
 * it, ports down before ports up. */
static fl_port nth_port(const standing *s, unsigned n)
{
    unsigned k = s->tree->k;
    bool up = n % 2;
    if (!up && s->level == 0)
        return (fl_port)(n / 2);
    unsigned value = fl_tree_digit(s->tree, s->destination, up ? s->level : s->level - 1) + n / 2;
    return (fl_port)((up ? k : 0) + (value >= k ? value - k : value));
}

/* All steps that the order allows, those with the best hope first. */
static unsigned list_steps(const standing *s, step *steps)
{
    unsigned count = 0;
    for (unsigned n = 0; n < 2 * s->tree->k; n++) {
        step fresh;
        if (!weigh(s, nth_port(s, n), &fresh))
            continue;
        unsigned at = count++;
        for (; at > 0 && steps[at - 1].hope > fresh.hope; at--)
            steps[at] = steps[at - 1];
        steps[at] = fresh;
    }
    return count;
}

/* The least cost of the path on through at most `links` links and the distance from there, if it is
 * below `best`; else `best`. */
static uint64_t look_ahead(const standing *s, fl_view *view, fl_probe at, unsigned links,
                           uint64_t best)
{
    unsigned distance = distance_from(s->tree, s->here, s->destination);
    if (distance == 0 || links == 0)
        return (uint64_t)PER_LINK * distance < best ? (uint64_t)PER_LINK * distance : best;
    for (unsigned n = 0; n < 2 * s->tree->k; n++) {
        step next;
        fl_probe far_end;
        if (!weigh(s, nth_port(s, n), &next) || next.hope >= best ||
            !fl_view_up(view, &at, next.port, &far_end))
            continue;
        standing behind = stand(s->tree, next.to, s->destination, next.header_state, next.channel,
                                s->channels, s->sees_far, s->marks);
        best = next.cost + look_ahead(&behind, view, far_end, links - 1, best - next.cost);
    }
    return best;
}

/* Finds out which steps can be taken and what they cost; the others go. Those that cannot be the
 * best are left out unless all are wanted. */
static unsigned look(const standing *s, fl_view *view, step *steps, unsigned count, bool all)
{
    unsigned ahead = s->sees_far ? AHEAD - 1 : 0, kept = 0;
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < count; i++) {
        fl_probe here = fl_view_here(view), far_end;
        step next = steps[i];
        if ((!all && next.hope >= best) || !fl_view_up(view, &here, next.port, &far_end))
            continue;
        standing behind = stand(s->tree, next.to, s->destination, next.header_state, next.channel,
                                s->channels, s->sees_far, s->marks);
        uint64_t limit = all || best > next.cost + DEAD_END ? DEAD_END : best - next.cost;
        next.total = next.cost + look_ahead(&behind, view, far_end, ahead, limit);
        if (!all && next.total >= best)
            continue;
        best = next.total < best ? next.total : best;
        unsigned at = all ? kept++ : 0;
        for (; at > 0 && steps[at - 1].total > next.total; at--)
            steps[at] = steps[at - 1];
        steps[at] = next;
        kept = all ? kept : 1;
    }
    return kept;
}

static void search(const standing *s, fl_view *view, fl_decision *decision)
{
    step steps[RADIX_MAX];
    unsigned count = list_steps(s, steps);
    count = look(s, view, steps, count, decision->wanted > 1);
    for (unsigned i = 0; i < count; i++) {
        bool enough = fl_decision_offer(decision, &steps[i].port, 1, steps[i].to, FL_NO_RULE,
                                        steps[i].header_state);
        decision->candidates[i].channel = steps[i].channel;
        if (enough)
            return;
    }
}

static void deliver(const fl_tree *tree, const fl_packet *packet, fl_view *view,
                    fl_decision *decision)
{
    fl_port port = (fl_port)fl_tree_digit(tree, packet->destination, tree->n - 1);
    fl_probe here = fl_view_here(view), far_end;
    decision->reason = FL_BLOCKED_DESTINATION;
    if (fl_view_up(view, &here, port, &far_end)) {
        fl_decision_offer(decision, &port, 1, far_end.at, FL_NO_RULE, packet->header_state);
        decision->candidates[0].channel = packet->channel;
    }
}

static void next(const fl_router *router, const fl_packet *packet, fl_view *view,
                 fl_decision *decision)
{
    const fl_tree *tree = router->network->tree;
    standing s =
        stand(tree, view->here, packet->destination, packet->header_state, packet->channel,
              router->channels, view->scope != FL_SCOPE_LOCAL, router->type == &fl_router_spiral);
    if (s.level == 0 && !s.upward) {
        deliver(tree, packet, view, decision);
        return;
    }
    decision->reason = !s.upward                                ? FL_BLOCKED_DOWN
                       : tree->mirrored && s.level == tree->top ? FL_BLOCKED_CROSS
                                                                : FL_BLOCKED_UP;
    search(&s, view, decision);
}

static bool serves(const fl_network *network)
{
    const fl_tree *tree = network->tree;
    return tree && 2 * (uint64_t)tree->k <= RADIX_MAX &&
           4 * (uint64_t)tree->k + 3 * tree->n < UINT64_C(1) << POSITION_BITS;
}

/* Channels rise along every path. */
static uint64_t length_bound(const fl_router *router)
{
    const fl_tree *tree = router->network->tree;
    uint64_t at_the_top = router->scope == FL_SCOPE_LOCAL ? 2 * (uint64_t)tree->k + 1 : 1;
    uint64_t positions = 2 * tree->top + tree->groups * at_the_top;
    return 2 + router->channels * positions;
}

const fl_router_type fl_router_spiral = {
    .name = "spiral",
    .summary =
        "looks for a way along channels of rising order: no deadlock with 3 virtual channels (spiral@own:N: with N)",
    .source = "this project, docs/spiral.md",
    .serves = serves,
    .next = next,
    .length_bound = length_bound,
    .switch_to_switch = true,
    .offers_all = true,
    .channels = CHANNELS,
};

const fl_router_type fl_router_spiral_bare = {
    .name = "spiral-bare",
    .summary = "spiral without marks in the header",
    .source = "this project, docs/spiral.md",
    .serves = serves,
    .next = next,
    .length_bound = length_bound,
    .switch_to_switch = true,
    .offers_all = true,
    .channels = CHANNELS,
};
