#include "tests/support.h"

#include <math.h>
#include <stdio.h>

/* ---- making ---- */

fl_network *need_network(const char *spec)
{
    fl_network *network = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_network_create(&network, spec, &error) == FL_OK, "%s: %s", spec, error.text);
    return network;
}

fl_network *need_tree(bool mikant, unsigned k, unsigned n)
{
    char spec[64];
    snprintf(spec, sizeof spec, "%s:k=%u,n=%u", mikant ? "mikant" : "kary-ntree", k, n);
    return need_network(spec);
}

fl_router *need_router(const fl_network *network, const char *name, fl_scope scope)
{
    fl_router *router = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_router_create(&router, network, name, scope, &error) == FL_OK, "%s: %s", name,
              error.text);
    return router;
}

fl_fault_model *need_model(const fl_network *network, const char *spec, const fl_axis *axis)
{
    fl_fault_model *model = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_fault_model_create(&model, network, spec, axis, &error) == FL_OK, "%.200s: %s",
              spec, error.text);
    return model;
}

fl_order *need_order(const fl_fault_model *model)
{
    fl_order *order = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_order_create(&order, model, &error) == FL_OK, "%s", error.text);
    return order;
}

void *need_memory(size_t count, size_t size)
{
    void *header_state = calloc(count ? count : 1, size);
    cr_assert(header_state != NULL, "out of memory");
    return header_state;
}

fl_axis every_count(uint64_t most)
{
    uint64_t *counts = need_memory((size_t)most + 1, sizeof *counts);
    for (uint64_t i = 0; i <= most; i++)
        counts[i] = i;
    return (fl_axis){.fault_points = (uint32_t)most + 1, .counts = counts};
}

void free_axis(fl_axis *axis)
{
    free((void *)axis->counts);
    free((void *)axis->rate);
    *axis = (fl_axis){0};
}

void expect_refused(fl_status status, const fl_error *error, const char *what, const char *names)
{
    cr_expect(status == FL_ERR_INVALID, "'%.100s' is refused as invalid, not with status %d", what,
              (int)status);
    if (status == FL_ERR_INVALID)
        cr_expect(strstr(error->text, names) != NULL, "the message for '%.100s' names '%s': %s",
                  what, names, error->text);
}

/* ---- sets of rules ---- */

static const struct {
    const char *name;
    unsigned rules;
} evaluated[] = {
    {"shortest", 0},
    {"gns", REF_GNS},
    {"gdl", REF_GDL},
    {"three-turn", REF_THREE_TURN},
    {"gns+gdl", REF_GNS | REF_GDL},
    {"three-turn+gdl", REF_THREE_TURN | REF_GDL},
    {"gns+x-turns", REF_GNS | REF_X_TURNS},
    {"gns+x-turns+gdl", REF_GNS | REF_X_TURNS | REF_GDL},
    {"gns+three-turn", REF_GNS | REF_THREE_TURN},
    {"gns+three-turn+gdl", REF_GNS | REF_THREE_TURN | REF_GDL},
    {"gns+three-turn+x-turns+gdl", REF_GNS | REF_THREE_TURN | REF_X_TURNS | REF_GDL},
    {"gns-any-level+x-turns+gdl", REF_GNS_ANY_LEVEL | REF_X_TURNS | REF_GDL},
    {"gns+gns-any-level+three-turn", REF_GNS | REF_GNS_ANY_LEVEL | REF_THREE_TURN},
};

void list_rule_sets(bool mikant, unsigned n, rule_sets *out)
{
    out->count = 0;
    for (size_t i = 0; i < sizeof evaluated / sizeof evaluated[0]; i++) {
        unsigned rules = evaluated[i].rules;
        if ((mikant && n < 3 && (rules & (REF_GNS | REF_GNS_ANY_LEVEL | REF_X_TURNS))) ||
            (!mikant && (rules & REF_X_TURNS)))
            continue;
        snprintf(out->names[out->count], sizeof out->names[0], "%s", evaluated[i].name);
        out->rules[out->count++] = rules;
        snprintf(out->names[out->count], sizeof out->names[0], "%s%s",
                 rules ? evaluated[i].name : "adaptive-up", rules ? "+adaptive-up" : "");
        out->rules[out->count++] = rules | REF_ADAPTIVE_UP;
    }
}

/* ---- twins ---- */

static int reference_vertex(const twin *t, fl_address address)
{
    /* Both number nodes first and then switches in the order of their labels; need_twin has
     * checked that for every vertex. */
    const fl_network_type *type = t->network->type;
    return fl_address_is_node(address)
               ? (int)type->node_index(t->network, address)
               : ref_node_count(t->reference) + (int)type->switch_index(t->network, address);
}

static void match_vertices(twin *t)
{
    int vertices = ref_vertex_count(t->reference);
    cr_assert((uint64_t)vertices == t->network->nodes + t->network->switches, "%s: %d vertices",
              t->network->spec, vertices);
    t->address = need_memory((size_t)vertices, sizeof *t->address);
    for (int v = 0; v < vertices; v++) {
        char label[FL_LABEL_MAX];
        ref_vertex_label(t->reference, v, label, sizeof label);
        cr_assert(t->network->type->parse_label(t->network, label, &t->address[v]),
                  "%s: no vertex %s", t->network->spec, label);
        cr_assert(reference_vertex(t, t->address[v]) == v, "%s: the number of %s", t->network->spec,
                  label);
    }
}

static void match_links(twin *t)
{
    const fl_network *network = t->network;
    cr_assert((uint64_t)ref_link_count(t->reference) == network->links, "%s: links", network->spec);
    t->link = need_memory(network->links, sizeof *t->link);
    t->down = need_memory(network->links, sizeof *t->down);
    for (uint64_t i = 0; i < network->links; i++) {
        fl_link_ends ends;
        network->type->link_ends(network, network->type->link_code(network, i), &ends);
        t->link[i] = ref_link_between(t->reference, reference_vertex(t, ends.a),
                                      reference_vertex(t, ends.b));
        cr_assert(t->link[i] >= 0, "%s: link %llu is none of the reference's", network->spec,
                  (unsigned long long)i);
    }
}

twin *need_twin(bool mikant, unsigned k, unsigned n)
{
    twin *t = need_memory(1, sizeof *t);
    *t = (twin){.mikant = mikant, .k = k, .n = n};
    t->network = need_tree(mikant, k, n);
    t->reference = ref_net_create(mikant, (int)k, (int)n);
    match_vertices(t);
    match_links(t);
    return t;
}

void free_twin(twin *t)
{
    fl_network_destroy(t->network);
    ref_net_destroy(t->reference);
    free(t->address);
    free(t->link);
    free(t->down);
    free(t);
}

static uint32_t draw_from_twin(fl_order *order, fl_link link)
{
    const twin *t = order->user;
    return t->down[t->link[t->network->type->link_index(t->network, link)]] ? 0 : FL_NEVER_FAILS;
}

fl_order *need_twin_order(twin *t)
{
    fl_order *order = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_order_create_custom(&order, t->network, draw_from_twin, t, &error) == FL_OK, "%s",
              error.text);
    return order;
}

void fail_at_random(twin *t, fl_order *order, fl_rng *rng, double rate)
{
    for (uint64_t i = 0; i < t->network->links; i++)
        t->down[i] = fl_rng_next32(rng) < rate * 4294967296.0;
    fl_order_forget(order);
}

/* ---- statistics ---- */

/* Regularised upper incomplete gamma function Q(a, x): series below a + 1, continued
 * fraction (Lentz) above, where each converges fast. */
static double gamma_upper(double a, double x)
{
    double scale = exp(-x + a * log(x) - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int i = 1; i < 10000 && fabs(term) > fabs(sum) * 1e-16; i++)
            sum += term *= x / (a + i);
        return 1 - sum * scale;
    }
    double b = x + 1 - a, c = 1 / 1e-300, d = 1 / b, h = d;
    for (int i = 1; i < 10000; i++) {
        double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= c * d;
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return scale * h;
}

double chi_square_tail(double x, double freedom)
{
    return x <= 0 ? 1 : gamma_upper(freedom / 2, x / 2);
}

double weighted_p_value(const uint64_t *counts, const double *weights, size_t cells)
{
    double total = 0, weight = 0, sum = 0;
    for (size_t i = 0; i < cells; i++) {
        total += (double)counts[i];
        weight += weights ? weights[i] : 1;
    }
    for (size_t i = 0; i < cells; i++) {
        double expected = total * (weights ? weights[i] : 1) / weight,
               difference = (double)counts[i] - expected;
        sum += difference * difference / expected;
    }
    return chi_square_tail(sum, (double)cells - 1);
}

double uniform_p_value(const uint64_t *counts, size_t cells)
{
    return weighted_p_value(counts, NULL, cells);
}

static double binomial_log_probability(double x, double n, double p)
{
    return lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) + x * log(p) + (n - x) * log1p(-p);
}

double binomial_p_value(uint64_t successes, uint64_t trials, double p)
{
    double n = (double)trials, x = (double)successes;
    if (p <= 0 || p >= 1)
        return x == (p <= 0 ? 0 : n) ? 1 : 0;
    /* Summed outwards from the observed value, away from the mean, until nothing is added. */
    double step = x < n * p ? -1 : 1, term = exp(binomial_log_probability(x, n, p)), sum = 0;
    while (x >= 0 && x <= n && term > sum * 1e-12) {
        sum += term;
        term *= step > 0 ? (n - x) / (x + 1) * p / (1 - p) : x / (n - x + 1) * (1 - p) / p;
        x += step;
    }
    return fmin(1, 2 * sum);
}

double all_up(uint64_t links, uint64_t h, uint64_t f)
{
    double p = 1;
    for (uint64_t i = 0; i < h; i++)
        p *= f + i < links ? (double)(links - f - i) / (double)(links - i) : 0;
    return p;
}
