/* The fewest virtual channels possible, if the channel of every step is fixed by the kind of step:
 * a step of base routing, or turn t of detour rule r, taken by a switch of group g.
 *
 *   test_channel_assignments [--show] [NETWORK ROUTER...]
 *
 * Tries every assignment of channels to these kinds of steps, with one channel, with two, and so
 * on, until one is found under which all dependencies of all fault sets together are acyclic (the
 * graph of `faultline deadlock --prove`). Without arguments it checks the statement in
 * docs/deadlock.md that the VC assignment `turns` needs no more channels than the best of them.
 *
 * The search is cut short in two places: dependencies between steps with fixed channels are never
 * removed, so a cycle among them ends a branch; and steps over different links (up, across, down;
 * of either group) never share a channel, so the channels of each such class may be renamed. */
#include "analysis/deadlock/dependencies.h"
#include "routing/rule.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of steps of base routing; then one for every turn of every rule. */
enum { UP, ACROSS, ACROSS_AWAY, ACROSS_BACK, DOWN, FIRST_TURN };

enum {
    KINDS_MAX = FL_CHANNELS_MAX,
    KEYS_MAX = 2 * KINDS_MAX,
    CHANNELS_MOST = 6,
    NOT_ASSIGNED = -1
};

typedef struct edge {
    uint32_t from, to; /* channel numbers of a graph with a channel for every kind */
} edge;

typedef struct search {
    const fl_channel_graph *graph;
    edge *edges;
    size_t edge_count;
    unsigned keys[KEYS_MAX], key_count; /* kinds of steps that occur: kind * 2 + group */
    unsigned link_class[KEYS_MAX];      /* steps of one class can meet on a link */
    int channel[KEYS_MAX];
    unsigned channels;
    uint64_t tried;
    uint32_t *head, *next, *to, *waiting, *queue; /* of the check for cycles */
} search;

/* ---- kinds of steps ---- */

static unsigned first_kind(unsigned rule)
{
    unsigned kind = FIRST_TURN;
    for (unsigned r = 0; r < rule; r++)
        kind += fl_rule_extra_links(r) > 0 ? fl_rules[r]->turn_count : 0u;
    return kind;
}

static bool is_at_top(const fl_tree *tree, fl_address at)
{
    return !fl_address_is_node(at) && fl_tree_level(at) == tree->top;
}

/* Between nodes of one group, a MiKANT's packet crosses to the other group and back. */
static unsigned choose_kind(const fl_router *router, const fl_packet *packet, fl_address here,
                            const fl_candidate *candidate)
{
    const fl_tree *tree = router->network->tree;
    if (candidate->rule < fl_rule_count() && fl_rule_extra_links(candidate->rule) > 0)
        return first_kind(candidate->rule) + candidate->turn;
    if (candidate->ports[0] < tree->k)
        return DOWN;
    if (!tree->mirrored || fl_tree_level(here) < tree->top)
        return UP;
    if (fl_tree_group(here) == fl_tree_group(packet->destination))
        return ACROSS_AWAY;
    bool came_across = is_at_top(tree, packet->previous) &&
                       fl_tree_group(packet->previous) == fl_tree_group(packet->destination);
    return came_across ? ACROSS_BACK : ACROSS;
}

static const fl_vc_assignment by_kind = {.name = "kind", .choose = choose_kind};

static unsigned key_of(const search *s, uint32_t channel)
{
    unsigned kind = channel % s->graph->channels_a_link;
    return kind * 2 +
           fl_tree_group(s->graph->address[channel / s->graph->channels_a_link / s->graph->radix]);
}

static unsigned class_of(const search *s, uint32_t channel)
{
    fl_channel c = fl_channel_of(s->graph, channel);
    unsigned from = fl_tree_level(c.from), to = fl_tree_level(c.to);
    return (to > from ? 0u : to < from ? 2u : 4u) + fl_tree_group(c.from);
}

static void add_key(search *s, uint32_t channel)
{
    unsigned key = key_of(s, channel);
    for (unsigned i = 0; i < s->key_count; i++)
        if (s->keys[i] == key)
            return;
    s->link_class[key] = class_of(s, channel);
    s->keys[s->key_count++] = key;
}

/* ---- one assignment ---- */

/* Removes channels that no packet waits for until none is left, or only cycles. */
static bool is_acyclic(search *s)
{
    uint32_t hops = s->graph->switches * s->graph->radix, count = hops * s->channels, taken = 0,
             found = 0;
    memset(s->head, 0xff, count * sizeof *s->head);
    memset(s->waiting, 0, count * sizeof *s->waiting);
    for (size_t e = 0; e < s->edge_count; e++) {
        int a = s->channel[key_of(s, s->edges[e].from)], b = s->channel[key_of(s, s->edges[e].to)];
        if (a == NOT_ASSIGNED || b == NOT_ASSIGNED)
            continue;
        uint32_t from = s->edges[e].from / s->graph->channels_a_link * s->channels + (uint32_t)a;
        s->to[e] = s->edges[e].to / s->graph->channels_a_link * s->channels + (uint32_t)b;
        s->next[e] = s->head[from];
        s->head[from] = (uint32_t)e;
        s->waiting[s->to[e]]++;
    }
    for (uint32_t i = 0; i < count; i++)
        if (s->waiting[i] == 0)
            s->queue[found++] = i;
    for (; taken < found; taken++)
        for (uint32_t e = s->head[s->queue[taken]]; e != UINT32_MAX; e = s->next[e])
            if (--s->waiting[s->to[e]] == 0)
                s->queue[found++] = s->to[e];
    return found == count;
}

/* Assigns the keys from number i on; the first of a class that takes a new channel takes the
 * lowest. */
static bool assign(search *s, unsigned i)
{
    int used = 0;
    if (i == s->key_count)
        return true;
    unsigned key = s->keys[i];
    for (unsigned j = 0; j < i; j++)
        if (s->link_class[s->keys[j]] == s->link_class[key] && s->channel[s->keys[j]] >= used)
            used = s->channel[s->keys[j]] + 1;
    for (int channel = 0; channel <= used && channel < (int)s->channels; channel++) {
        s->channel[key] = channel;
        s->tried++;
        if (is_acyclic(s) && assign(s, i + 1))
            return true;
    }
    s->channel[key] = NOT_ASSIGNED;
    return false;
}

/* ---- one router ---- */

static bool list_edges(search *s)
{
    const fl_channel_graph *graph = s->graph;
    size_t room = 0;
    for (uint32_t from = 0; from < graph->count; from++) {
        uint32_t far_end = fl_channel_end(graph, from),
                 first = far_end * graph->radix * graph->channels_a_link;
        for (uint32_t i = 0; far_end != FL_NO_SWITCH && i < graph->radix * graph->channels_a_link;
             i++) {
            if (!fl_channel_graph_has(graph, from, first + i))
                continue;
            if (s->edge_count == room) {
                room = room * 2 + 4096;
                edge *moved = realloc(s->edges, room * sizeof *moved);
                if (!moved)
                    return false;
                s->edges = moved;
            }
            s->edges[s->edge_count++] = (edge){from, first + i};
            add_key(s, from);
            add_key(s, first + i);
        }
    }
    size_t most = (size_t)graph->switches * graph->radix * CHANNELS_MOST;
    s->head = malloc(most * sizeof *s->head);
    s->waiting = malloc(most * sizeof *s->waiting);
    s->queue = malloc(most * sizeof *s->queue);
    s->next = malloc((s->edge_count + 1) * sizeof *s->next);
    s->to = malloc((s->edge_count + 1) * sizeof *s->to);
    return s->head && s->waiting && s->queue && s->next && s->to;
}

static void show(const search *s)
{
    static const char *const base[] = {"up", "across", "across-away", "across-back", "down"};
    for (unsigned i = 0; i < s->key_count; i++) {
        unsigned kind = s->keys[i] / 2, rule = 0;
        printf("    group %u ", s->keys[i] % 2);
        while (kind >= FIRST_TURN &&
               (fl_rule_extra_links(rule) == 0 || kind >= first_kind(rule + 1)))
            rule++;
        if (kind < FIRST_TURN)
            printf("%s", base[kind]);
        else
            printf("%s turn %u", fl_rule_name(rule), kind - first_kind(rule));
        printf(": vc%d\n", s->channel[s->keys[i]]);
    }
}

/* 0 if something failed (after a message) or more than CHANNELS_MOST are needed. */
static unsigned fewest_channels(const char *spec, const char *name, bool shown)
{
    static const uint64_t none;
    const fl_axis axis = {.fault_points = 1, .counts = &none};
    fl_network *network = NULL;
    fl_fault_model *model = NULL;
    fl_router *router = NULL;
    fl_channel_graph *graph = NULL;
    fl_error error;
    search s = {0};
    unsigned fewest = 0;
    fl_status status = fl_network_create(&network, spec, &error);
    if (!status)
        status = fl_fault_model_create(&model, network, "links:class=switch-links", &axis, &error);
    if (!status)
        status = fl_router_create(&router, network, name, FL_SCOPE_DETOUR, &error);
    if (!status) {
        router->vc_assignment = &by_kind;
        router->channels = first_kind(fl_rule_count());
        status = router->channels > KINDS_MAX
                     ? fl_fail(&error, FL_ERR_INVALID,
                               "there are more kinds of steps than virtual channels")
                     : fl_channel_graph_of_all_faults(&graph, router, model, NULL, &error);
    }
    s.graph = graph;
    if (!status && !list_edges(&s))
        status = fl_fail(&error, FL_ERR_MEMORY, "out of memory");
    for (s.channels = 1; !status && !fewest && s.channels <= CHANNELS_MOST; s.channels++) {
        memset(s.channel, 0xff, sizeof s.channel);
        if (assign(&s, 0))
            fewest = s.channels;
    }
    if (status)
        fprintf(stderr, "%s %s: %s\n", spec, name, error.text);
    else
        printf("%-20s %-42s %u channels (%llu assignments tried)\n", spec, name, fewest,
               (unsigned long long)s.tried);
    if (shown && fewest)
        show(&s);
    free(s.edges);
    free(s.head);
    free(s.waiting);
    free(s.queue);
    free(s.next);
    free(s.to);
    fl_channel_graph_destroy(graph);
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
    return fewest;
}

/* ---- what is claimed ---- */

static const char *const sets[] = {"shortest",
                                   "gns",
                                   "gdl",
                                   "three-turn",
                                   "gns+gdl",
                                   "three-turn+gdl",
                                   "gns+x-turns",
                                   "gns+x-turns+gdl",
                                   "gns+three-turn",
                                   "gns+three-turn+gdl",
                                   "gns+three-turn+x-turns+gdl"};

static bool has(const char *name, const char *rule)
{
    const char *found = strstr(name, rule);
    size_t length = strlen(rule);
    return found && (found == name || found[-1] == '+') &&
           (found[length] == 0 || found[length] == '+');
}

/* MiKANT: 1 for shortest; 2 with gns alone, gdl alone, or none; else 3. k-ary n-trees: one for base
 * routing and one for every detour rule. (In a MiKANT with n = 2, gdl never applies.) */
static unsigned claimed(bool mikant, bool two_fault_points, const char *name)
{
    static const char *const rules[] = {"gns", "gdl", "three-turn", "x-turns"};
    unsigned detours = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        detours += has(name, rules[i]) && !(two_fault_points && strcmp(rules[i], "gdl") == 0);
    if (!mikant)
        return detours + 1;
    if (detours == 0)
        return has(name, "adaptive-up") ? 2 : 1;
    return detours == 1 && !has(name, "three-turn") ? 2 : 3;
}

/* The VC assignment `turns` with this number of channels is proven, too. */
static bool turns_suffices(const char *spec, const char *name, unsigned channels)
{
    static const uint64_t none;
    const fl_axis axis = {.fault_points = 1, .counts = &none};
    fl_network *network = NULL;
    fl_fault_model *model = NULL;
    fl_router *router = NULL;
    fl_proof proof;
    bool free = !fl_network_create(&network, spec, NULL) &&
                !fl_fault_model_create(&model, network, "links:class=switch-links", &axis, NULL) &&
                !fl_router_create(&router, network, name, FL_SCOPE_DETOUR, NULL) &&
                !fl_router_set_channels(router, "turns", channels, NULL) &&
                !fl_router_prove(&proof, router, model, NULL, NULL);
    if (free) {
        free = proof.deadlock_free;
        fl_proof_clear(&proof);
    }
    fl_router_destroy(router);
    fl_fault_model_destroy(model);
    fl_network_destroy(network);
    return free;
}

static int check_network(const char *spec)
{
    int failed = 0;
    bool mikant = strncmp(spec, "mikant", 6) == 0, two_fault_points = mikant && strstr(spec, "n=2");
    for (size_t i = 0; i < 2 * sizeof sets / sizeof *sets; i++) {
        char name[96];
        const char *set = sets[i / 2];
        if ((!mikant && has(set, "x-turns")) || (two_fault_points && has(set, "gns")))
            continue;
        snprintf(name, sizeof name, "%s%s", i % 2 ? "adaptive-up+" : "", set);
        if (i == 1)
            snprintf(name, sizeof name, "adaptive-up");
        unsigned fewest = fewest_channels(spec, name, false);
        bool suffices = fewest > 0 && turns_suffices(spec, name, fewest);
        if (fewest == claimed(mikant, two_fault_points, name) && suffices)
            continue;
        fprintf(stderr, "%s %s: %u channels expected%s\n", spec, name,
                claimed(mikant, two_fault_points, name),
                suffices ? "" : "; the VC assignment turns needs more");
        failed = 1;
    }
    return failed;
}

int main(int count, char **arguments)
{
    bool shown = count > 1 && strcmp(arguments[1], "--show") == 0;
    int first = shown ? 2 : 1, failed = 0;
    if (count <= first)
        return check_network("mikant:k=3,n=3") | check_network("kary-ntree:k=3,n=3");
    for (int i = first + 1; i < count; i++)
        failed |= fewest_channels(arguments[first], arguments[i], shown) == 0;
    return count > first + 1 ? failed : check_network(arguments[first]);
}
