#include "analysis/reliability/reliability.h"
#include "analysis/reliability/private.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* One run: what its parts share. */
typedef struct run {
    fl_budget budget;
    const fl_reliability_options *options;
    fl_reliability_report report;
    uint64_t pair, pairs; /* which of how many, for the progress */
    bool evaluating, stopped;
    fl_polynomial result; /* connecting sets of the reduced graph */
} run;

/* Of a pair's progress one half is building the diagram, the other evaluating it. */
enum { PROGRESS_PER_PAIR = 1000 };

static bool tick(void *user, uint32_t level, uint32_t levels)
{
    run *r = user;
    if (!r->options->progress)
        return true;
    uint64_t half = PROGRESS_PER_PAIR / 2;
    uint64_t done = r->pair * PROGRESS_PER_PAIR + (r->evaluating ? half : 0) +
                    half * level / (levels ? levels : 1);
    r->stopped =
        r->stopped || !r->options->progress(r->options->user, done, r->pairs * PROGRESS_PER_PAIR);
    return !r->stopped;
}

/* ---- evaluation ---- */

/* The polynomials of a level's states: row `state` has links_to_come + 1 coefficients. Levels
 * are evaluated from the last to the first: a state's polynomial is up * (where up leads) +
 * down * (where down leads), so that a coefficient is touched by one rounding a link, however
 * many paths lead to its state. */
typedef struct values {
    uint32_t states, size; /* size: coefficients of a row */
    long double *at;
} values;

typedef struct evaluation {
    run *run;
    const fl_reduced *reduced;
    const fl_diagram *diagram;
    values behind; /* of the next level */
    long double
        *all; /* [behind.size]: every set of the links behind, for states that are connected */
    uint64_t roundings;
} evaluation;

static void values_destroy(values *v, fl_budget *budget)
{
    fl_budget_give_back(budget, v->at, (size_t)v->states * v->size, sizeof *v->at);
    *v = (values){0};
}

static bool values_create(values *v, uint32_t states, uint32_t size, fl_budget *budget)
{
    *v = (values){states, size, fl_budget_take(budget, (size_t)states * size, sizeof *v->at)};
    if (v->at)
        memset(v->at, 0, (size_t)states * size * sizeof *v->at);
    return v->at != NULL;
}

static const long double *row_behind(const evaluation *e, uint32_t state)
{
    return state == FL_DIAGRAM_CONNECTED ? e->all : e->behind.at + (size_t)state * e->behind.size;
}

static void add_product(long double *sum, const fl_polynomial *weight, const long double *row,
                        uint32_t size)
{
    for (uint32_t i = 0; i < weight->size; i++) {
        long double factor = weight->at[i];
        if (factor == 1)
            for (uint32_t j = 0; j < size; j++)
                sum[i + j] += row[j];
        else if (factor != 0)
            for (uint32_t j = 0; j < size; j++)
                sum[i + j] += factor * row[j];
    }
}

static void evaluate_states(const evaluation *e, const fl_diagram_level *level,
                            const fl_weight *weight, values *out)
{
    for (uint32_t state = 0; state < level->states; state++) {
        const uint32_t *next = &level->next[2 * (size_t)state];
        long double *row = out->at + (size_t)state * out->size;
        if (next[0] != FL_DIAGRAM_LOST)
            add_product(row, &weight->up, row_behind(e, next[0]), e->behind.size);
        if (next[1] != FL_DIAGRAM_LOST)
            add_product(row, &weight->down, row_behind(e, next[1]), e->behind.size);
    }
}

/* all *= (1+z)^links */
static void free_more_links(evaluation *e, uint32_t links)
{
    for (uint32_t size = e->behind.size; links > 0; links--, size++)
        for (uint32_t i = size; i > 0; i--)
            e->all[i] += e->all[i - 1];
}

/* Of one coefficient at one link: a product, unless by 1, and the sum of as many products as
 * the link's polynomials have terms. This is also more than free_more_links needs. */
static uint64_t roundings_of(const fl_weight *weight)
{
    uint64_t terms = 0, inexact = 0;
    for (uint32_t i = 0; i <= weight->links; i++) {
        terms += weight->up.at[i] != 0;
        terms += weight->down.at[i] != 0;
        inexact |= weight->up.at[i] > 1 || weight->down.at[i] > 1;
    }
    uint64_t own = weight->up.roundings > weight->down.roundings ? weight->up.roundings
                                                                 : weight->down.roundings;
    return own + inexact + terms - 1;
}

static bool evaluate_level(evaluation *e, uint32_t number)
{
    const fl_diagram_level *level = &e->diagram->levels[number];
    const fl_weight *weight = &e->reduced->weights[e->reduced->kind[e->diagram->order[number]]];
    values out;
    if (!values_create(&out, level->states, e->behind.size + weight->links, &e->run->budget))
        return false;
    evaluate_states(e, level, weight, &out);
    free_more_links(e, weight->links);
    values_destroy(&e->behind, &e->run->budget);
    e->behind = out;
    e->roundings += roundings_of(weight);
    return true;
}

static uint32_t links_of(const fl_reduced *reduced)
{
    uint32_t links = 0;
    for (uint32_t i = 0; i < reduced->links; i++)
        links += reduced->weights[reduced->kind[i]].links;
    return links;
}

static fl_diagram_end evaluate(run *r, const fl_reduced *reduced, const fl_diagram *diagram)
{
    evaluation e = {.run = r, .reduced = reduced, .diagram = diagram, .behind.size = 1};
    e.all = calloc((size_t)links_of(reduced) + 1, sizeof *e.all);
    fl_diagram_end end = e.all && fl_polynomial_create(&r->result, links_of(reduced) + 1)
                             ? FL_DIAGRAM_BUILT
                             : FL_DIAGRAM_NO_MEMORY;
    if (e.all)
        e.all[0] = 1;
    r->evaluating = true;
    for (uint32_t i = diagram->links; i-- > 0 && end == FL_DIAGRAM_BUILT;) {
        end = evaluate_level(&e, i) ? FL_DIAGRAM_BUILT : FL_DIAGRAM_NO_MEMORY;
        if (!tick(r, diagram->links - i, diagram->links))
            end = FL_DIAGRAM_STOPPED;
    }
    if (end == FL_DIAGRAM_BUILT) {
        memcpy(r->result.at, e.behind.at, r->result.size * sizeof *r->result.at);
        r->result.roundings = e.roundings;
    }
    values_destroy(&e.behind, &r->budget);
    free(e.all);
    r->evaluating = false;
    return end;
}

/* ---- the race between orders of links ---- */

enum { RACE_FIRST = 1 << 17, RACE_FACTOR = 8 };

static fl_diagram_end build(run *r, const fl_reduced *reduced, unsigned candidate,
                            uint64_t states_max, fl_diagram *out)
{
    *out = (fl_diagram){0};
    uint32_t *order = calloc(reduced->links + 1, sizeof *order);
    fl_diagram_end end = FL_DIAGRAM_NO_MEMORY;
    if (order && fl_link_order(reduced, candidate, order))
        end = fl_diagram_build(out, reduced, order, states_max, &r->budget, tick, r);
    free(order);
    return end;
}

/* The number of states of an order is known only after its diagram is built. Each order in turn may
 * have RACE_FIRST states, then each RACE_FACTOR times as many, until one is complete. */
static fl_diagram_end race(run *r, const fl_reduced *reduced, fl_diagram *out)
{
    for (uint64_t most = RACE_FIRST;; most *= RACE_FACTOR) {
        fl_diagram_end worst = FL_DIAGRAM_TOO_WIDE;
        bool go_on = false;
        for (unsigned candidate = 0; candidate < FL_LINK_ORDERS; candidate++) {
            fl_diagram_end end = build(r, reduced, candidate, most, out);
            if (end == FL_DIAGRAM_BUILT || end == FL_DIAGRAM_STOPPED)
                return end;
            go_on = go_on || end == FL_DIAGRAM_TOO_MANY;
            if (end == FL_DIAGRAM_NO_MEMORY)
                worst = end;
        }
        if (!go_on)
            return worst;
    }
}

/* ---- one pair ---- */

static fl_status explain(const run *r, fl_diagram_end end, const fl_diagram *reached,
                         fl_error *error)
{
    if (end == FL_DIAGRAM_STOPPED)
        return fl_fail(error, FL_ERR_STOPPED, "two-terminal reliability: stopped on request");
    if (end == FL_DIAGRAM_TOO_WIDE)
        return fl_fail(
            error, FL_ERR_STOPPED,
            "two-terminal reliability: the frontier exceeds %d vertices; no memory would do",
            FL_FRONTIER_MAX);
    if (r->budget.refused == 0)
        return fl_fail(error, FL_ERR_MEMORY,
                       "two-terminal reliability: out of memory with %zu bytes in use",
                       r->budget.used);
    return fl_fail(
        error, FL_ERR_STOPPED,
        "two-terminal reliability: the memory limit of %zu bytes was reached: %zu would be in use, with %llu states "
        "up to link %u of %u; raise the limit or take a smaller network",
        r->budget.limit, r->budget.refused, (unsigned long long)reached->states, reached->level,
        reached->links);
}

static fl_status count_connected(run *r, const fl_reduced *reduced, fl_error *error)
{
    fl_diagram diagram;
    r->budget.refused = 0;
    fl_diagram_end end = race(r, reduced, &diagram);
    if (end != FL_DIAGRAM_BUILT)
        return explain(r, end, &diagram, error);
    end = evaluate(r, reduced, &diagram);
    r->report.states += diagram.states;
    if (r->report.width < diagram.width)
        r->report.width = diagram.width;
    fl_status status = end == FL_DIAGRAM_BUILT ? FL_OK : explain(r, end, &diagram, error);
    fl_diagram_destroy(&diagram, &r->budget);
    return status;
}

/* All links again, and from numbers of sets to probabilities. */
static bool divide(run *r, const fl_reduced *reduced, uint32_t links, long double *connected)
{
    fl_polynomial sets = {0}, all = {0};
    bool made =
        fl_polynomial_create(&sets, links + 1) && fl_polynomial_create_free_links(&all, links);
    if (made) {
        fl_polynomial_add_product(&sets, &r->result, &reduced->factor);
        for (uint32_t f = 0; f <= links; f++)
            connected[f] = sets.at[f] / all.at[f];
        uint64_t roundings = sets.roundings + all.roundings + 1;
        if (r->report.roundings < roundings)
            r->report.roundings = roundings;
    }
    fl_polynomial_destroy(&sets);
    fl_polynomial_destroy(&all);
    return made;
}

/* The reduced graph vanished: the links that are left decide alone. */
static bool result_without_links(run *r)
{
    bool made = fl_polynomial_create(&r->result, 1);
    if (made)
        r->result.at[0] = 1;
    return made;
}

static fl_status run_reduced(run *r, const fl_reduced *reduced, uint32_t links,
                             long double *connected, fl_error *error)
{
    if (r->report.links < reduced->links)
        r->report.links = reduced->links;
    fl_status status = FL_OK;
    if (reduced->links > 0)
        status = count_connected(r, reduced, error);
    else if (!result_without_links(r))
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory");
    if (!status && !divide(r, reduced, links, connected))
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for polynomials of %u links", links);
    fl_polynomial_destroy(&r->result);
    return status;
}

static fl_status run_pair(run *r, const fl_graph *graph, uint64_t source, uint64_t target,
                          long double *connected, fl_error *error)
{
    uint32_t links = (uint32_t)(graph->offsets[graph->vertices] / 2);
    fl_reduced reduced;
    fl_status status =
        fl_reduced_create(&reduced, graph, (uint32_t)source, (uint32_t)target, error);
    if (status)
        return status;
    if (reduced.connected)
        status = run_reduced(r, &reduced, links, connected, error);
    else
        memset(connected, 0, (links + 1) * sizeof *connected);
    fl_reduced_destroy(&reduced);
    r->report.pairs++;
    r->pair++;
    return status;
}

static void start(run *r, const fl_reliability_options *options, uint64_t pairs)
{
    static const fl_reliability_options none = {0};
    *r = (run){.options = options ? options : &none, .pairs = pairs};
    uint64_t limit = r->options->memory_limit ? r->options->memory_limit : FL_RELIABILITY_MEMORY;
    r->budget.limit = limit > SIZE_MAX ? SIZE_MAX : (size_t)limit;
}

static void write_report(const run *r, fl_reliability_report *out)
{
    if (!out)
        return;
    *out = r->report;
    out->memory = r->budget.peak;
    double error = (double)r->report.roundings * (double)(LDBL_EPSILON / 2);
    out->relative_error =
        error / (1 - error) * (1 + 8 * DBL_EPSILON); /* the bound is rounded itself */
}

static fl_status check_size(const fl_graph *graph, fl_error *error)
{
    uint64_t links = graph->offsets[graph->vertices] / 2;
    if (links > LDBL_MAX_EXP - 2)
        return fl_fail(
            error, FL_ERR_INVALID,
            "two-terminal reliability counts sets of links, up to 2^links of them: %llu links are "
            "too many, %d are the most",
            (unsigned long long)links, LDBL_MAX_EXP - 2);
    return FL_OK;
}

fl_status fl_reliability(long double *connected, fl_reliability_report *report,
                         const fl_graph *graph, uint64_t source, uint64_t target,
                         const fl_reliability_options *options, fl_error *error)
{
    if (source >= graph->vertices || target >= graph->vertices || source == target)
        return fl_fail(
            error, FL_ERR_INVALID,
            "two-terminal reliability needs two different vertices below %llu, not %llu and %llu",
            (unsigned long long)graph->vertices, (unsigned long long)source,
            (unsigned long long)target);
    fl_status status = check_size(graph, error);
    if (status)
        return status;
    run r;
    start(&r, options, 1);
    status = run_pair(&r, graph, source, target, connected, error);
    write_report(&r, report);
    return status;
}

/* ---- classes of pairs ---- */

/* In all networks that have a pair_tree the leaf switches of a group are the leaves of a k-ary tree
 * of n - 1 levels: those that share the digits from place p up are what the switches of level p
 * with these digits reach downwards. At each branching the k children can be permuted at will: take
 * a permutation of digit p that depends on the digits above p, and apply it wherever digit p says
 * where a switch is, that is at the levels up to p. Links from level p to level p + 1 join all
 * values of digit p, so that they are kept; in a mirrored tree the highest digit is permuted in one
 * group alone, since the cross links join all its values with all of the other group's. Nodes
 * on a switch can be permuted, and so can groups. Hence a pair's class is the highest
 * place in which its switches differ (none: same switch), or that it lies in both groups. Below the
 * shared level of a Clos network hang 2k trees alike, of k in each group: there pairs in both
 * groups are as those whose switches differ in the highest place.
 *
 * The node after a given one in the same switch stands k^(n-1) indices on, in the class of
 * place p k^p, in the other group half of all nodes. */
unsigned fl_pair_classes(const fl_network *network, fl_pair_class *out)
{
    const fl_tree *tree = network->pair_tree;
    if (!tree)
        return 0;
    uint64_t k = tree->k, on_switches = fl_tree_power(k, tree->n - 1);
    unsigned count = 0;
    out[count++] = (fl_pair_class){0, on_switches, network->nodes * (k - 1)};
    for (unsigned place = 0; place + 1 < tree->n; place++) {
        uint64_t step = fl_tree_power(k, place);
        out[count++] = (fl_pair_class){0, step, network->nodes * (k - 1) * step * k};
    }
    if (tree->groups == 2 && !tree->mirrored)
        out[count - 1].pairs += network->nodes * (network->nodes / 2);
    else if (tree->groups == 2)
        out[count++] =
            (fl_pair_class){0, network->nodes / 2, network->nodes * (network->nodes / 2)};
    return count;
}

typedef struct pair_list {
    uint64_t count;
    fl_pair_class *at;
    uint64_t *first, *nodes_at; /* [vertices]: a node on each vertex that has some, and how many */
    uint64_t *alike_at; /* [vertices]: of switches that are alike the nodes of all, at the one that
                           stands for them; else 0 */
} pair_list;

static void pairs_destroy(pair_list *list)
{
    free(list->at);
    free(list->first);
    free(list->nodes_at);
    free(list->alike_at);
}

/* The switch of a node with a single link, else the node itself: nodes of one host can be permuted.
 */
static uint64_t host_of(const fl_graph *graph, uint64_t node)
{
    bool leaf = graph->offsets[node + 1] - graph->offsets[node] == 1;
    uint64_t neighbour = leaf ? graph->targets[graph->offsets[node]] : node;
    return neighbour >= graph->nodes ? neighbour : node;
}

/* From a, which stands for all that are alike, to all others; to another that stands for some, in
 * both directions at once. */
static void add_pairs_of(pair_list *list, const fl_graph *graph, uint64_t a)
{
    const uint64_t *nodes = list->nodes_at, *alike = list->alike_at;
    if (nodes[a] > 1) {
        uint64_t second = list->first[a] + 1;
        while (host_of(graph, second) != a)
            second++;
        list->at[list->count++] =
            (fl_pair_class){list->first[a], second, alike[a] * (nodes[a] - 1)};
    }
    for (uint64_t b = 0; b < graph->vertices; b++)
        if (b != a && nodes[b] > 0 && (alike[b] == 0 || b > a))
            list->at[list->count++] = (fl_pair_class){list->first[a], list->first[b],
                                                      alike[a] * nodes[b] + alike[b] * nodes[a]};
}

/* Pairs of switches that have nodes, for networks whose classes of pairs are not known. */
static bool pairs_of_hosts(pair_list *list, const fl_network *network, const fl_graph *graph)
{
    uint64_t hosts = 0,
             (*representative)(const fl_network *, uint64_t) = network->type->representative;
    list->first = calloc(graph->vertices, sizeof *list->first);
    list->nodes_at = calloc(graph->vertices, sizeof *list->nodes_at);
    list->alike_at = calloc(graph->vertices, sizeof *list->alike_at);
    if (!list->first || !list->nodes_at || !list->alike_at)
        return false;
    for (uint64_t node = graph->nodes; node-- > 0;) {
        uint64_t host = host_of(graph, node);
        bool on_switch = host >= graph->nodes;
        hosts += list->nodes_at[host]++ == 0;
        list->first[host] = node;
        list->alike_at[representative && on_switch
                           ? graph->nodes + representative(network, host - graph->nodes)
                           : host]++;
    }
    list->at = calloc(hosts * (hosts + 1) / 2 + 1, sizeof *list->at);
    for (uint64_t a = 0; a < graph->vertices && list->at; a++)
        if (list->alike_at[a] > 0)
            add_pairs_of(list, graph, a);
    return list->at != NULL;
}

static bool pairs_create(pair_list *list, const fl_network *network, const fl_graph *graph)
{
    *list = (pair_list){0};
    if (!network->pair_tree)
        return pairs_of_hosts(list, network, graph);
    list->at = calloc(FL_PAIR_CLASSES_MAX, sizeof *list->at);
    if (list->at)
        list->count = fl_pair_classes(network, list->at);
    return list->at != NULL;
}

static fl_status average(run *r, const fl_graph *graph, const pair_list *list,
                         long double *connected, fl_error *error)
{
    size_t levels = (size_t)(graph->offsets[graph->vertices] / 2) + 1;
    long double pairs = (long double)graph->nodes * (long double)(graph->nodes - 1);
    long double *one = calloc(levels, sizeof *one);
    if (!one)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu fault levels", levels);
    memset(connected, 0, levels * sizeof *connected);
    fl_status status = FL_OK;
    for (uint64_t i = 0; i < list->count && !status; i++) {
        status = run_pair(r, graph, list->at[i].source, list->at[i].target, one, error);
        for (size_t f = 0; f < levels && !status; f++)
            connected[f] += (long double)list->at[i].pairs * one[f];
    }
    for (size_t f = 0; f < levels; f++)
        connected[f] /= pairs;
    r->report.roundings +=
        list->count + 3; /* a product, the sum, the number of pairs, the quotient */
    free(one);
    return status;
}

fl_status fl_reliability_all_pairs(long double *connected, fl_reliability_report *report,
                                   const fl_network *network, const fl_reliability_options *options,
                                   fl_error *error)
{
    if (network->nodes < 2)
        return fl_fail(error, FL_ERR_INVALID, "%s has no pair of nodes", network->spec);
    fl_graph *graph;
    fl_status status = fl_graph_create(&graph, network, error);
    if (status)
        return status;
    pair_list list = {0};
    status = check_size(graph, error);
    if (!status && !pairs_create(&list, network, graph))
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for the pairs of nodes of %s",
                         network->spec);
    run r;
    start(&r, options, list.count);
    if (!status) {
        status = average(&r, graph, &list, connected, error);
        write_report(&r, report);
    }
    pairs_destroy(&list);
    fl_graph_destroy(graph);
    return status;
}
