/* The walk over both answers to every question about a component that can fail. */
#include "analysis/exact/exploration.h"

#include <string.h>

/* ---- what is known ---- */

static uint32_t local_component(fl_explorer *x, uint64_t component)
{
    uint32_t index;
    if (fl_hash_map_find(&x->component_of, component, &index))
        return index;
    index = (uint32_t)x->known.count;
    if (FL_ARRAY_PUSH(&x->known, UNKNOWN) && FL_ARRAY_PUSH(&x->stamps, 0) &&
        fl_hash_map_put(&x->component_of, component, index))
        return index;
    fl_explorer_out_of_memory(x);
    return 0;
}

static void note(fl_explorer *x, uint32_t component, uint8_t known)
{
    if (!FL_ARRAY_PUSH(&x->log, (explorer_log_entry){component, known}))
        fl_explorer_out_of_memory(x);
}

/* UP or DOWN as far as is known, else UNKNOWN and the component to be decided first. */
static uint8_t look_up(fl_explorer *x, fl_link link, uint32_t *undecided)
{
    uint64_t components[FL_LINK_COMPONENTS_MAX];
    unsigned count = fl_fault_model_components_of(x->model, link, components);
    for (unsigned i = 0; i < count && !x->status; i++) {
        uint32_t component = local_component(x, components[i]);
        uint8_t known = x->known.data[component];
        if (known == UNKNOWN) {
            *undecided = component;
            return UNKNOWN;
        }
        note(x, component, known);
        if (known == DOWN)
            return DOWN;
    }
    return UP;
}

/* ---- from place to place ---- */

explorer_result fl_explorer_explore(fl_explorer *x, explorer_place at);

/* Puts a search on its next port after a link was found up or down. Returns whether the search goes
 * on; if not, *found is how it ended. */
static bool advance_search(fl_explorer *x, explorer_place *at, bool up, fl_address far_end,
                           bool *found)
{
    const explorer_situation *s = &x->situations.data[at->situation];
    if (up) {
        at->probe[at->turn + 1] = far_end;
        if (at->turn + 1u == s->port_range_count) {
            *found = true;
            return false;
        }
        at->turn++;
        at->at[at->turn] = 0;
        return true;
    }
    for (;;) {
        if (++at->at[at->turn] < x->port_ranges.data[s->port_ranges + at->turn].count)
            return true;
        if (at->turn == 0) {
            *found = false;
            return false;
        }
        at->at[at->turn] = 0;
        at->turn--;
    }
}

/* The link that a place asks about, and where it leads. */
static bool link_at(fl_explorer *x, const explorer_place *at, fl_hop *hop)
{
    const explorer_situation *s = &x->situations.data[at->situation];
    if (s->action == ACTION_ASK) {
        hop->link = s->link;
        return true;
    }
    fl_port port =
        fl_port_range_at(&x->port_ranges.data[s->port_ranges + at->turn], at->at[at->turn]);
    return fl_network_step(x->router->network, at->probe[at->turn], port, hop);
}

explorer_place fl_explorer_place_of(const fl_explorer *x, uint32_t index)
{
    explorer_place at = {.situation = index};
    at.probe[0] = x->situations.data[index].here;
    return at;
}

/* Moves the packet on to the situation `next`, `length` links further. False when it is delivered.
 */
static bool go(fl_explorer *x, explorer_place *at, uint32_t next, uint32_t length,
               uint32_t *travelled)
{
    *travelled += length;
    if (next == DELIVERED)
        return false;
    if (++x->steps == FL_STEPS_MAX)
        fl_explorer_violated(x, x->situations.data[next].here, FL_NEVER_ENDS);
    *at = fl_explorer_place_of(x, next);
    return true;
}

/* The place after the answer to its question; *travelled grows when the packet moves on.
 * False when the packet is delivered. */
static bool step_on(fl_explorer *x, explorer_place *at, bool up, fl_address far_end,
                    uint32_t *travelled)
{
    uint32_t index = at->situation;
    bool found = false;
    if (x->situations.data[index].action == ACTION_SEARCH &&
        advance_search(x, at, up, far_end, &found))
        return true;
    if (found) {
        uint32_t length = 0, next = fl_explorer_after_found(x, at, &length);
        return go(x, at, next, length, travelled);
    }
    *at = fl_explorer_place_of(x, fl_explorer_situation_after(x, index, up ? UP : DOWN));
    return true;
}

/* ---- results that are kept ---- */

static double path_weight(const fl_explorer *x)
{
    return x->weights ? x->weights[(size_t)x->ups * WEIGHT_STRIDE + x->downs] : 1;
}

/* The point reached in the search of a situation, mixed radix. */
static uint64_t search_point(const fl_explorer *x, const explorer_place *at)
{
    const explorer_situation *s = &x->situations.data[at->situation];
    uint64_t point = at->turn;
    for (unsigned turn = 0; s->action == ACTION_SEARCH && turn <= at->turn; turn++)
        point = point * (x->port_ranges.data[s->port_ranges + turn].count + 1) + at->at[turn] + 1;
    return point << 4 | at->turn;
}

static int32_t new_trie_node(fl_explorer *x)
{
    if (!FL_ARRAY_PUSH(&x->tries, (explorer_trie_node){NONE, {NONE, NONE, NONE}, 0})) {
        fl_explorer_out_of_memory(x);
        return 0;
    }
    return (int32_t)x->tries.count - 1;
}

static bool is_same_root(const void *roots, uint32_t entry, const void *wanted)
{
    const explorer_root *a = (const explorer_root *)roots + entry, *b = wanted;
    return a->situation == b->situation && a->component == b->component && a->point == b->point;
}

/* The root of the trie of a place that asks about a component; *is_new: nothing is in it.
 */
static int32_t root_of(fl_explorer *x, const explorer_place *at, uint32_t component, bool *is_new)
{
    explorer_root wanted = {at->situation, component, search_point(x, at), NONE};
    uint64_t hash = fl_mix64(wanted.point ^ fl_mix64((uint64_t)at->situation << 32 | component));
    uint32_t index = fl_hash_index_find(&x->root_of, hash, is_same_root, x->roots.data, &wanted);
    *is_new = index == FL_HASH_INDEX_NONE;
    if (!*is_new)
        return x->roots.data[index].node;
    wanted.node = new_trie_node(x);
    index = (uint32_t)x->roots.count;
    if (!FL_ARRAY_PUSH(&x->roots, wanted) || !fl_hash_index_add(&x->root_of, hash, index))
        fl_explorer_out_of_memory(x);
    return wanted.node;
}

/* Follows what is known from a trie's root. True: a leaf with a result that serves. What
 * was tested goes into the log. */
static bool recall(fl_explorer *x, int32_t node, explorer_result *out)
{
    size_t start = x->log.count;
    while (node != NONE && !x->status) {
        const explorer_trie_node *n = &x->tries.data[node];
        if (n->component == NONE) {
            if (!n->child[2] && path_weight(x) > n->weight)
                break;
            *out = (explorer_result){(uint32_t)n->child[0], (uint32_t)n->child[1]};
            return true;
        }
        uint8_t known = x->known.data[n->component];
        node = n->child[known];
        note(x, (uint32_t)n->component, known);
    }
    x->log.count = start;
    return false;
}

static bool left_something_out(fl_explorer *x, uint32_t p)
{
    const long double *open = fl_explorer_open(x, p);
    for (uint32_t i = 0; i <= x->polys.data[p].asked; i++)
        if (open[i] > 0)
            return true;
    return false;
}

/* Keeps a result under the log entries start.. of the exploration that made it. */
static void remember(fl_explorer *x, int32_t node, size_t start, explorer_result r)
{
    for (size_t i = start; i < x->log.count && !x->status; i++) {
        explorer_log_entry entry = x->log.data[i];
        explorer_trie_node *n = &x->tries.data[node];
        if (n->component == NONE)
            *n = (explorer_trie_node){(int32_t)entry.component, {NONE, NONE, NONE}, 0};
        else if (n->component != (int32_t)entry.component)
            return; /* with pruning the order of questions can differ: not worth keeping */
        int32_t child = n->child[entry.known];
        if (child == NONE) {
            child = new_trie_node(x);
            x->tries.data[node].child[entry.known] = child;
        }
        node = child;
    }
    explorer_trie_node *leaf = &x->tries.data[node];
    if (leaf->component != NONE)
        return; /* a pruned exploration that asked less than one before it */
    leaf->child[0] = (int32_t)r.poly;
    leaf->child[1] = (int32_t)r.added;
    leaf->child[2] = x->limits.prune <= 0 || !left_something_out(x, r.poly);
    leaf->weight = path_weight(x);
}

/* Merges the logs of both answers: each component once, and not the one that was branched on. */
static void merge_log(fl_explorer *x, size_t start, uint32_t branched)
{
    size_t kept = start;
    x->stamp++;
    x->stamps.data[branched] = x->stamp;
    for (size_t i = start; i < x->log.count; i++) {
        explorer_log_entry entry = x->log.data[i];
        if (x->stamps.data[entry.component] == x->stamp)
            continue;
        x->stamps.data[entry.component] = x->stamp;
        x->log.data[kept++] = entry;
    }
    x->log.count = kept;
}

/* ---- exploring ---- */

/* Both answers about a component of which nothing is known. */
static explorer_result branch(fl_explorer *x, const explorer_place *at, uint32_t component)
{
    if (x->limits.prune > 0 && path_weight(x) < x->limits.prune) {
        note(x, component, UNKNOWN);
        return (explorer_result){POLY_OPEN, 0};
    }
    bool is_new = false;
    int32_t trie = NONE;
    size_t start = x->log.count;
    if (!x->limits.unmerged) {
        trie = root_of(x, at, component, &is_new);
        explorer_result known;
        if (!is_new && recall(x, trie, &known))
            return known;
    }
    x->branchings++;
    if (x->ups + x->downs + 2 >= WEIGHT_STRIDE)
        fl_explorer_fail(
            x, FL_ERR_STOPPED,
            "more than 500 components of the network bear on one pair: too many to explore");
    if (x->limits.states_max && x->branchings > x->limits.states_max)
        fl_explorer_fail(x, FL_ERR_STOPPED, "the limit on states is reached");
    if (x->branchings % 1024 == 0 && x->limits.should_stop && x->limits.should_stop(x->limits.user))
        fl_explorer_fail(x, FL_ERR_STOPPED, "stopped");
    note(x, component, UNKNOWN);
    x->known.data[component] = UP;
    x->ups++;
    explorer_result up = fl_explorer_explore(x, *at);
    x->ups--;
    x->known.data[component] = DOWN;
    x->downs++;
    explorer_result down = fl_explorer_explore(x, *at);
    x->downs--;
    x->known.data[component] = UNKNOWN;
    if (x->status)
        return (explorer_result){POLY_OPEN, 0};
    explorer_result joined = fl_explorer_join(x, up, down);
    if (x->limits.unmerged) {
        x->log.count = start;
    } else {
        merge_log(x, start + 1, component);
        remember(x, trie, start, joined);
    }
    return joined;
}

/* Goes on from a place as far as nothing new has to be decided, and branches there. */
explorer_result fl_explorer_explore(fl_explorer *x, explorer_place at)
{
    uint32_t travelled = 0, steps = x->steps;
    explorer_result out = {POLY_ZERO, 0};
    while (!x->status) {
        fl_explorer_learn(x, at.situation);
        const explorer_situation *s = &x->situations.data[at.situation];
        if (s->action == ACTION_BLOCKED || x->status)
            break;
        bool under_way;
        if (s->action == ACTION_GO) {
            under_way = go(x, &at, s->next, s->candidate_length, &travelled);
        } else {
            fl_hop hop = {0};
            uint32_t component = 0;
            uint8_t known = link_at(x, &at, &hop) ? look_up(x, hop.link, &component) : DOWN;
            if (known == UNKNOWN) {
                out = branch(x, &at, component);
                break;
            }
            under_way = step_on(x, &at, known == UP, hop.to, &travelled);
        }
        if (!under_way) {
            out.poly = POLY_ONE;
            break;
        }
    }
    x->steps = steps;
    out.added += travelled;
    return out;
}
