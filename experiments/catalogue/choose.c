#include "core/array.h"
#include "experiments/experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fl_candidate_orders[FL_CANDIDATE_ORDERS + 1] = {
    "rcp", "cost", "distance", "faults", "radix", "nodes", NULL};

/* ---- candidates ---- */

/* A family by its two whole numbers; the number of nodes rises with the second. `width` makes a
 * third from the first, or says that there is no network: 0. */
typedef struct family {
    const char *name, *first, *second, *third, *rest; /* of the spec; NULL: there is none */
    unsigned first_least, first_most, second_least, second_most;
    unsigned (*width)(unsigned first);
} family;

static unsigned same(unsigned k)
{
    return k;
}
static unsigned half(unsigned k)
{
    return k % 2 ? 0 : k / 2;
}

static unsigned is_power(unsigned k, unsigned exponent)
{
    for (unsigned root = 2; root <= k; root++) {
        unsigned power = 1;
        for (unsigned i = 0; i < exponent && power <= k; i++)
            power *= root;
        if (power == k)
            return exponent;
    }
    return 0;
}
static unsigned two_if_square(unsigned k)
{
    return is_power(k, 2);
}
static unsigned three_if_cube(unsigned k)
{
    return is_power(k, 3);
}

enum { ARITY_MOST = 1024, DIGITS_MOST = 30 };

/* One switch is MiKANT's n = 1; meshes and tori of k = 2 are hypercubes. */
static const family families[] = {
    {"kary-ntree", "k", "n", NULL, NULL, 2, ARITY_MOST, 2, DIGITS_MOST, NULL},
    {"mikant", "k", "n", NULL, NULL, 2, ARITY_MOST, 1, DIGITS_MOST, NULL},
    {"clos", "k", "n", NULL, NULL, 2, ARITY_MOST, 2, DIGITS_MOST, NULL},
    {"cat", "k", "n", NULL, NULL, 2, 20, 2, DIGITS_MOST, NULL},
    {"micat", "k", "n", NULL, NULL, 2, 20, 2, DIGITS_MOST, NULL},
    {"thintree", "k", "n", "up", NULL, 2, ARITY_MOST, 2, DIGITS_MOST, half},
    {"mesh", "k", "n", NULL, NULL, 3, ARITY_MOST, 2, DIGITS_MOST, NULL},
    {"torus", "k", "n", NULL, NULL, 3, ARITY_MOST, 2, DIGITS_MOST, NULL},
    {"fbfly", "k", "n", "p", NULL, 2, ARITY_MOST, 1, DIGITS_MOST, same},
    {"kns", "k", "n", NULL, NULL, 2, ARITY_MOST, 2, DIGITS_MOST, NULL},
    {"kns", "k", "n", "s", "sub=fattree", 4, ARITY_MOST, 2, DIGITS_MOST, two_if_square},
    {"kns", "k", "n", "s", "sub=fattree", 8, ARITY_MOST, 2, DIGITS_MOST, three_if_cube},
    {"hypercube", NULL, "k", NULL, NULL, 0, 0, 1, DIGITS_MOST, NULL},
    {"dragonfly", NULL, "a", NULL, NULL, 0, 0, 2, 256, NULL},
    {"fattree3", NULL, "K", NULL, NULL, 0, 0, 2, 512, NULL},
};

static void write_spec(fl_text *out, const family *f, unsigned first, unsigned second,
                       unsigned width)
{
    out->length = 0;
    fl_text_append(out, "%s:", f->name);
    if (f->first)
        fl_text_append(out, "%s=%u,", f->first, first);
    fl_text_append(out, "%s=%u", f->second, second);
    if (f->third)
        fl_text_append(out, ",%s=%u", f->third, width);
    if (f->rest)
        fl_text_append(out, ",%s", f->rest);
}

typedef struct search {
    fl_candidates *choices;
    double least, most; /* nodes */
    size_t capacity;
    size_t place[DIGITS_MOST +
                 1]; /* of the family's candidate with this number of digits, plus 1; 0: none yet */
} search;

/* Ports of the switch of one node that lead to other switches. */
static unsigned degree_at(const fl_network *network, uint64_t node)
{
    fl_hop hop, far_end;
    unsigned degree = 0;
    if (!fl_network_step(network, network->type->node_address(network, node), 0, &hop))
        return 0;
    for (unsigned port = 0; port < network->radix; port++)
        degree += fl_network_step(network, hop.to, (fl_port)port, &far_end) &&
                  !fl_address_is_node(far_end.to);
    return degree;
}

/* Node 0 is in a corner wherever there are corners; elsewhere all switches with nodes have as many
 * links. */
static unsigned least_degree(const fl_network *network)
{
    enum { PROBES = 32 };
    unsigned least = degree_at(network, 0);
    for (unsigned i = 1; i < PROBES; i++) {
        unsigned degree = degree_at(network, network->nodes / PROBES * i);
        if (degree < least)
            least = degree;
    }
    return least;
}

static double diameter_of(const fl_network *network, const fl_closed_forms *forms)
{
    fl_closed_forms published;
    if (!isnan(forms->diameter) || !network->type->published)
        return forms->diameter;
    network->type->published(network, &published); /* the dragonfly's 5 */
    return published.diameter;
}

static double rcp_of(double radix, double diameter, double nodes)
{
    double dimensions = log2(nodes);
    return radix * diameter / ((dimensions + 1) * (dimensions + 2));
}

/* Where a closed form is missing (the dragonfly's), small networks are searched. */
static fl_status find_distance(double *out, const fl_network *network, const fl_closed_forms *forms,
                               fl_error *error)
{
    double nodes = (double)network->nodes;
    fl_metrics metrics;
    fl_metrics_options options = {.wanted = FL_METRICS_DISTANCES};
    *out = forms->average_distance_with_self * nodes / (nodes - 1);
    if (!isnan(forms->average_distance_with_self) || network->links > FL_CANDIDATE_SEARCHED)
        return FL_OK;
    fl_status status = fl_metrics_compute(&metrics, network, &options, error);
    if (!status)
        *out = metrics.average_distance;
    return status;
}

static fl_status describe(fl_proposal *out, const fl_network *network, fl_error *error)
{
    fl_closed_forms forms;
    network->type->closed_forms(network, &forms);
    double nodes = (double)network->nodes;
    unsigned degree = network->switches == 1 ? 0 : least_degree(network);
    *out = (fl_proposal){.nodes = network->nodes,
                         .switches = network->switches,
                         .links = network->links,
                         .radix = network->radix,
                         .diameter = diameter_of(network, &forms)};
    strcpy(out->spec, network->spec);
    out->rcp = rcp_of(network->radix, out->diameter, nodes);
    out->ports_per_node = (double)network->switches * network->radix / nodes;
    out->faults = degree > 1 ? degree - 1 : 0;
    return find_distance(&out->average_distance, network, &forms, error);
}

static fl_proposal *room_for_one(search *s)
{
    fl_candidates *choices = s->choices;
    return FL_GROW(choices->of, s->capacity, choices->count, 1) ? &choices->of[choices->count]
                                                                : NULL;
}

static double distance_from_wish(const search *s, uint64_t nodes)
{
    double wish = (double)s->choices->options.nodes, have = (double)nodes;
    return have >= wish ? have - wish : wish - have + .5; /* rather more than fewer */
}

/* Of those that differ in k alone, the one nearest to the number of nodes. */
static fl_status add(search *s, const fl_network *network, const family *f, unsigned second,
                     fl_error *error)
{
    size_t *place = f->first && second <= DIGITS_MOST ? &s->place[second] : NULL;
    if (place && *place > 0) {
        fl_proposal *other = &s->choices->of[*place - 1];
        if (distance_from_wish(s, network->nodes) < distance_from_wish(s, other->nodes))
            return describe(other, network, error);
        return FL_OK;
    }
    fl_proposal *fresh = room_for_one(s);
    if (!fresh)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a list of networks");
    fl_status status = describe(fresh, network, error);
    s->choices->count++;
    if (place)
        *place = s->choices->count;
    return status;
}

/* True while larger ones of the family may still be small enough. */
static bool try_one(search *s, const family *f, unsigned second, const char *spec,
                    fl_status *status, fl_error *error)
{
    fl_network *network;
    fl_status made = fl_network_create(&network, spec, error);
    if (made == FL_ERR_MEMORY)
        *status = made;
    if (made) /* beyond what its family can be; a dragonfly's `a`, for one, is even */
        return true;
    double nodes = (double)network->nodes;
    bool in_reach = nodes <= s->most;
    unsigned radix_max = s->choices->options.radix_max;
    if (in_reach && nodes >= s->least && nodes > 1 &&
        (radix_max == 0 || network->radix <= radix_max))
        *status = add(s, network, f, second, error);
    fl_network_destroy(network);
    return in_reach;
}

static fl_status try_family(search *s, const family *f, fl_error *error)
{
    fl_status status = FL_OK;
    fl_text spec = {0};
    memset(s->place, 0, sizeof s->place);
    for (unsigned first = f->first_least; first <= f->first_most && !status; first++) {
        unsigned width = f->width ? f->width(first) : 1;
        for (unsigned second = f->second_least; width > 0 && second <= f->second_most && !status;
             second++) {
            if (first > 0 && pow(first, second) > s->most * first)
                break; /* no family has fewer nodes */
            write_spec(&spec, f, first, second, width);
            if (spec.failed)
                status = fl_fail(error, FL_ERR_MEMORY, "out of memory for a list of networks");
            else if (!try_one(s, f, second, spec.data, &status, error))
                break;
        }
    }
    fl_text_clear(&spec);
    return status;
}

/* ---- comparing ---- */

static double or_last(double value)
{
    return isnan(value) ? INFINITY : value;
}

static double key_of(const fl_proposal *c, fl_candidate_order order, uint64_t nodes)
{
    switch (order) {
    case FL_CANDIDATE_COST:
        return c->ports_per_node;
    case FL_CANDIDATE_DISTANCE:
        return or_last(c->average_distance);
    case FL_CANDIDATE_FAULTS:
        return -(double)c->faults;
    case FL_CANDIDATE_RADIX:
        return c->radix;
    case FL_CANDIDATE_NODES:
        return fabs((double)c->nodes - (double)nodes);
    default:
        return or_last(c->rcp);
    }
}

static int compare(const fl_proposal *a, const fl_proposal *b, fl_candidate_order order,
                   uint64_t nodes)
{
    const fl_candidate_order next[] = {order, FL_CANDIDATE_RCP, FL_CANDIDATE_COST,
                                       FL_CANDIDATE_DISTANCE};
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        double x = key_of(a, next[i], nodes), y = key_of(b, next[i], nodes);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return strcmp(a->spec, b->spec);
}

/* A few dozen at most. */
static void sort(fl_candidates *choices)
{
    for (size_t i = 1; i < choices->count; i++) {
        fl_proposal moving = choices->of[i];
        size_t to = i;
        for (; to > 0 && compare(&moving, &choices->of[to - 1], choices->options.order,
                                 choices->options.nodes) < 0;
             to--)
            choices->of[to] = choices->of[to - 1];
        choices->of[to] = moving;
    }
}

static bool dominates(const fl_proposal *a, const fl_proposal *b)
{
    double da = or_last(a->average_distance), db = or_last(b->average_distance);
    bool no_worse = a->radix <= b->radix && a->ports_per_node <= b->ports_per_node && da <= db &&
                    a->faults >= b->faults;
    return no_worse && (a->radix < b->radix || a->ports_per_node < b->ports_per_node || da < db ||
                        a->faults > b->faults);
}

static size_t best_of(const fl_candidates *choices, fl_candidate_order order)
{
    size_t best = choices->count;
    for (size_t i = 0; i < choices->count; i++) {
        const fl_proposal *c = &choices->of[i];
        bool tolerant = c->faults > 0 || c->switches == 1; /* one switch has no links to lose */
        if (tolerant && (best == choices->count ||
                         compare(c, &choices->of[best], order, choices->options.nodes) < 0))
            best = i;
    }
    return best;
}

static void judge(fl_candidates *choices)
{
    sort(choices);
    for (size_t i = 0; i < choices->count; i++)
        for (size_t j = 0; j < choices->count; j++)
            choices->of[i].dominated |= dominates(&choices->of[j], &choices->of[i]);
    choices->recommended = best_of(choices, FL_CANDIDATE_RCP);
    choices->cheapest = best_of(choices, FL_CANDIDATE_COST);
    choices->shortest = best_of(choices, FL_CANDIDATE_DISTANCE);
    choices->safest = best_of(choices, FL_CANDIDATE_FAULTS);
}

static fl_status check_options(const fl_candidate_options *options, fl_error *error)
{
    if (options->nodes < 2 || options->nodes > FL_CANDIDATE_NODES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%llu nodes: expected a number from 2 to %llu",
                       (unsigned long long)options->nodes,
                       (unsigned long long)FL_CANDIDATE_NODES_MAX);
    if (!(options->within >= 0 && options->within <= 50))
        return fl_fail(error, FL_ERR_INVALID, "within %g percent: expected a number from 0 to 50",
                       options->within);
    return FL_OK;
}

fl_status fl_candidates_create(fl_candidates **out, const fl_candidate_options *options,
                               fl_error *error)
{
    fl_status status = check_options(options, error);
    if (status)
        return status;
    search s = {.choices = calloc(1, sizeof *s.choices),
                .least = (double)options->nodes * (1 - options->within / 100),
                .most = (double)options->nodes * (1 + options->within / 100)};
    if (!s.choices)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a list of networks");
    s.choices->options = *options;
    for (size_t i = 0; !status && i < sizeof families / sizeof *families; i++)
        status = try_family(&s, &families[i], error);
    if (status) {
        fl_candidates_destroy(s.choices);
        return status;
    }
    judge(s.choices);
    *out = s.choices;
    return FL_OK;
}

void fl_candidates_destroy(fl_candidates *choices)
{
    if (!choices)
        return;
    free(choices->of);
    free(choices);
}

/* ---- telling ---- */

static void append_reason(const fl_candidates *choices, fl_text *out)
{
    const fl_proposal *best = &choices->of[choices->recommended];
    fl_text_append(out, "lowest RCP (%.4g) of those that any single link fault leaves connected",
                   best->rcp);
    const struct {
        size_t which;
        const char *what;
    } others[] = {{choices->cheapest, "fewest ports a node"},
                  {choices->shortest, "shortest average distance"},
                  {choices->safest, "most link faults tolerated"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const fl_proposal *c = &choices->of[others[i].which];
        if (others[i].which == choices->recommended) {
            fl_text_append(out, "; also the one with the %s", others[i].what);
            continue;
        }
        fl_text_append(out, "; %s: %s, ", others[i].what, c->spec);
        if (i == 0)
            fl_text_append(out, "%.4g for %.4g", c->ports_per_node, best->ports_per_node);
        else if (i == 1)
            fl_text_append(out, "%.4g for %.4g", c->average_distance, best->average_distance);
        else
            fl_text_append(out, "%u for %u", c->faults, best->faults);
        fl_text_append(out, ", at RCP %.4g", c->rcp);
    }
}

/* What the table shows, and how important it is in a narrow terminal; the order of the table is
 * shown in any case. */
static void add_columns(const fl_candidates *choices, fl_table *table)
{
    static const struct {
        const char *title;
        fl_column column;
        int order; /* the table is sorted by it; -1: by nothing shown here */
    } columns[] = {{"nodes", {.least = 11, .gap = 1, .rank = 5}, FL_CANDIDATE_NODES},
                   {"switches", {.least = 9, .gap = 1, .rank = 7}, -1},
                   {"radix", {.least = 6, .gap = 1, .rank = 1}, FL_CANDIDATE_RADIX},
                   {"diameter", {.least = 9, .gap = 1, .rank = 6}, -1},
                   {"distance", {.least = 9, .gap = 1, .rank = 3}, FL_CANDIDATE_DISTANCE},
                   {"RCP", {.least = 8, .gap = 1}, FL_CANDIDATE_RCP},
                   {"ports", {.least = 8, .gap = 1, .rank = 4}, FL_CANDIDATE_COST},
                   {"faults", {.least = 7, .gap = 1, .rank = 2}, FL_CANDIDATE_FAULTS}};
    fl_table_column(table, (fl_column){.least = 10, .gap = 2, .left = true}, "  network");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        fl_column column = columns[i].column;
        if (columns[i].order == (int)choices->options.order)
            column.rank = 0;
        fl_table_column(table, column, "%s", columns[i].title);
    }
}

static void add_real(fl_table *table, double value, int places)
{
    if (isnan(value))
        fl_table_cell(table, "-");
    else
        fl_table_cell(table, "%.*f", places, value);
}

static void append_table(const fl_candidates *choices, fl_text *out)
{
    fl_table table = {0};
    add_columns(choices, &table);
    for (size_t i = 0; i < choices->count; i++) {
        const fl_proposal *c = &choices->of[i];
        fl_table_cell(&table, "%s %s", c->dominated ? " " : "*", c->spec);
        fl_table_cell(&table, "%llu", (unsigned long long)c->nodes);
        fl_table_cell(&table, "%llu", (unsigned long long)c->switches);
        fl_table_cell(&table, "%u", c->radix);
        add_real(&table, c->diameter, 0);
        add_real(&table, c->average_distance, 3);
        add_real(&table, c->rcp, 4);
        fl_table_cell(&table, "%.3f", c->ports_per_node);
        fl_table_cell(&table, "%u", c->faults);
        fl_table_row(&table);
    }
    fl_table_end(&table, out);
}

static void append_recommendation(const fl_candidates *choices, fl_text *out)
{
    fl_text reason = {0};
    fl_text_append(out, "recommended: %s\n  ", choices->of[choices->recommended].spec);
    append_reason(choices, &reason);
    for (const char *c = reason.data; c && *c; c++) {
        bool next = c[0] == ';' && c[1] == ' ';
        fl_text_append(out, "%s", next ? "\n  " : (const char[]){*c, 0});
        c += next;
    }
    fl_text_append(out, "\n");
    out->failed |= reason.failed;
    fl_text_clear(&reason);
}

void fl_candidates_text(const fl_candidates *choices, fl_text *out)
{
    const fl_candidate_options *o = &choices->options;
    fl_text_append(out, "networks of %llu nodes, within %g%%", (unsigned long long)o->nodes,
                   o->within);
    if (o->radix_max)
        fl_text_append(out, ", radix up to %u", o->radix_max);
    fl_text_append(out, ", by %s\n", fl_candidate_orders[o->order]);
    if (choices->count == 0) {
        fl_text_append(out, "there is none: allow a larger --radix-max, or more than --within %g\n",
                       o->within);
        return;
    }
    append_table(choices, out);
    fl_text_append(
        out,
        "*: no other is as good in radix, ports, distance and faults, and better in one\n"
        "diameter, distance (mean over pairs of different nodes): links, node links included\n"
        "RCP: radix x diameter, over (m + 1)(m + 2) of a hypercube of m = log2(nodes) dimensions; below 1 is better\n"
        "ports: switch ports a node; faults: any this number of link faults between switches leaves all nodes connected\n");
    if (choices->recommended == choices->count)
        fl_text_append(out,
                       "recommended: none, because a single link fault disconnects each of them\n");
    else
        append_recommendation(choices, out);
}

static void json_proposal(const fl_proposal *c, fl_json_writer *out)
{
    fl_json_open_object(out, NULL);
    fl_json_text(out, "network", c->spec);
    fl_json_number(out, "nodes", c->nodes);
    fl_json_number(out, "switches", c->switches);
    fl_json_number(out, "links", c->links);
    fl_json_number(out, "radix", c->radix);
    fl_json_real(out, "diameter", c->diameter, 0);
    fl_json_real(out, "average_distance", c->average_distance, 0);
    fl_json_real(out, "rcp", c->rcp, 0);
    fl_json_real(out, "ports_per_node", c->ports_per_node, 0);
    fl_json_real(out, "switches_per_node", (double)c->switches / (double)c->nodes, 0);
    fl_json_real(out, "links_per_node", (double)c->links / (double)c->nodes, 0);
    fl_json_number(out, "link_faults_tolerated", c->faults);
    fl_json_bool(out, "dominated", c->dominated);
    fl_json_close(out);
}

static void json_recommendation(const fl_candidates *choices, fl_json_writer *out)
{
    fl_text reason = {0};
    fl_json_line(out);
    if (choices->recommended == choices->count) {
        fl_json_null(out, "recommended");
        return;
    }
    append_reason(choices, &reason);
    fl_json_open_object(out, "recommended");
    fl_json_text(out, "network", choices->of[choices->recommended].spec);
    fl_json_text(out, "because", reason.data ? reason.data : "");
    fl_json_close(out);
    out->out->failed |= reason.failed;
    fl_text_clear(&reason);
}

void fl_candidates_json(const fl_candidates *choices, fl_text *text)
{
    const fl_candidate_options *o = &choices->options;
    fl_json_writer out = fl_json_writer_begin(text, 2);
    fl_json_open_object(&out, NULL);
    fl_json_number(fl_json_line(&out), "nodes", o->nodes);
    fl_json_real(fl_json_line(&out), "within_percent", o->within, 0);
    fl_json_number_or_null(fl_json_line(&out), "radix_max", o->radix_max > 0, o->radix_max);
    fl_json_text(fl_json_line(&out), "order", fl_candidate_orders[o->order]);
    fl_json_open_array(fl_json_line(&out), "networks");
    for (size_t i = 0; i < choices->count; i++) {
        fl_json_line(&out);
        json_proposal(&choices->of[i], &out);
    }
    if (choices->count > 0)
        fl_json_line(&out);
    fl_json_close(&out);
    json_recommendation(choices, &out);
    fl_json_line(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}
