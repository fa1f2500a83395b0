#include "tests/support.h"

#include "experiments/catalogue/formula.h"
#include "experiments/experiments.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* ---- formulas ---- */

static bool find_two(void *user, const char *of, const char *name, double *out)
{
    (void)user;
    if (of && strcmp(of, "a") == 0 && strcmp(name, "links") == 0)
        *out = 12;
    else if (!of && strcmp(name, "k") == 0)
        *out = 3;
    else
        return false;
    return true;
}

static const fl_formula_names two_names = {find_two, NULL};

static double value(const char *formula)
{
    double out;
    fl_error error;
    cr_assert(!fl_formula_value(&out, formula, &two_names, &error), "%s: %s", formula, error.text);
    return out;
}

Test(catalogue, formulas_have_the_values_of_school)
{
    const struct {
        const char *formula;
        double value;
    } known[] = {
        {"1 + 2*3 - 4/2", 5},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"(1+2)*3", 9},
        {"k^(k-1)", 9},
        {"a.links/k", 4},
        {"1.5e1", 15},
        {"log2(8)", 3},
        {"floor(7/2) + ceil(7/2)", 7},
        {"round(2.5)", 3},
        {"sqrt(49)", 7},
        {"abs(0-3)", 3},
        {"factorial(5)", 120},
        {"mod(17, 5)", 2},
        {"if(k == 3, 1, 2)", 1},
        {"if(k < 3, 1, 2)", 2},
        {"k >= 3", 1},
        {"k <= 2", 0},
        {"k > 3", 0},
        {"sum(i, 1, 4, i^2)", 30},
        {"sum(i, 1, 0, i)", 0},
        {"sum(i, 1, 3, sum(j, 1, i, j))", 10},
        {"max(i, 1, 9, i*(10-i))", 25},
        {"argmax(i, 1, 9, i*(10-i))", 5},
        {"min(i, 0, 9, (i-4)^2 + 1)", 1},
        {"argmin(i, 0, 9, (i-4)^2 + 1)", 4},
        {"sum(k, 1, 2, k)", 3},
        {"moore(10, 3)", 5. / 3}, /* the Petersen graph attains it */
        {"moore(7, 6)", 1},
        {"moore(1, 3)", 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect_float_eq(value(known[i].formula), known[i].value, 1e-12, "%s is %g",
                           known[i].formula, value(known[i].formula));
    cr_expect(isnan(value("0/0 > 1")), "a comparison with what is not known is not known");
    cr_expect(isinf(value("moore(9, 1)")), "pairs of vertices are not connected");
}

Test(catalogue, formulas_that_are_none_are_refused_with_their_place)
{
    const struct {
        const char *formula, *names;
    } wrong[] = {
        {"", "expected a number"},
        {"1 +", "character 4"},
        {"2 k", "expected an operator"},
        {"(1", "expected ')'"},
        {"b.links", "no such name"},
        {"a.lnks", "no such name"},
        {"n", "no such name"},
        {"sine(1)", "no such function"},
        {"sum(i, 1, 2)", "expected ','"},
        {"sum(i, 1, 20000000, i)", "too many terms"},
        {"mod(1)", "expected a second argument"},
        {"1 ** 2", "expected a number"},
    };
    double out;
    fl_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(fl_formula_value(&out, wrong[i].formula, &two_names, &error), FL_ERR_INVALID,
                     "%s", wrong[i].formula);
        cr_expect(strstr(error.text, wrong[i].names), "'%s': %s", wrong[i].formula, error.text);
    }
    char deep[400];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    cr_expect_eq(fl_formula_value(&out, deep, &two_names, &error), FL_ERR_INVALID);
    cr_expect(strstr(error.text, "nested too deeply"), "%s", error.text);
}

/* ---- verdicts ---- */

#define FILE_OF(rows)                                                                                                     \
    "{\"paper\":\"P\",\"source\":\"S\",\"constants\":{\"c\":2},\"tables\":[{\"id\":\"t\",\"title\":\"T\",\"rows\":[" rows \
    "]}]}"
#define TREE "\"network\":\"kary-ntree:k={k},n={n}\",\"instances\":{\"k\":[2,3],\"n\":2}"

static fl_verdict verdict_of(const char *text, uint64_t largest)
{
    fl_catalogue *catalogue;
    fl_error error;
    fl_catalogue_options options = {.largest = largest};
    cr_assert(!fl_catalogue_read(&catalogue, text, "test", &options, &error), "%s", error.text);
    fl_verdict verdict = catalogue->tables[0].entries[0].verdict;
    cr_expect_eq(catalogue->entries[verdict], 1);
    fl_catalogue_destroy(catalogue);
    return verdict;
}

Test(catalogue, every_verdict_is_given_where_it_is_due)
{
    const struct {
        const char *text;
        uint64_t largest;
        fl_verdict verdict;
    } cases[] = {
        {FILE_OF("{\"row\":\"r\",\"published\":\"1,234\"}"), 0, FL_VERDICT_GIVEN},
        {FILE_OF("{\"row\":\"r\",\"published\":\"n*k^n\",\"quantity\":\"a.links\"," TREE "}"), 0,
         FL_VERDICT_AGREES},
        {FILE_OF("{\"row\":\"r\",\"published\":\"c*k^n\",\"quantity\":\"a.links\"," TREE "}"), 0,
         FL_VERDICT_AGREES},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"n*k^n\",\"reading\":\"so\",\"quantity\":\"a.links\"," TREE
             "}"),
         0, FL_VERDICT_AS_READ},
        {FILE_OF("{\"row\":\"r\",\"published\":\"n*k^n\",\"quantity\":\"a.links\"," TREE "}"), 5,
         FL_VERDICT_UNMEASURED},
        {FILE_OF("{\"row\":\"r\",\"published\":\"n*k^n\",\"quantity\":\"a.links\"," TREE "}"), 8,
         FL_VERDICT_AGREES}, /* one of two measured */
        {FILE_OF("{\"row\":\"r\",\"published\":\"k^n\",\"quantity\":\"a.links\"," TREE "}"), 0,
         FL_VERDICT_DIFFERS},
        {FILE_OF("{\"row\":\"r\",\"published\":\"k^n\",\"quantity\":\"a.links\"," TREE "}"), 5,
         FL_VERDICT_DIFFERS},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"n*k^n\",\"form\":\"k^n\",\"quantity\":\"a.links\"," TREE
             "}"),
         0, FL_VERDICT_BROKEN},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"100\",\"at_most\":true,\"quantity\":\"a.links\"," TREE
             "}"),
         0, FL_VERDICT_BOUND},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"9\",\"at_most\":true,\"quantity\":\"a.links\"," TREE
             "}"),
         0, FL_VERDICT_DIFFERS},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"8\",\"at_least\":true,\"quantity\":\"a.links\"," TREE
             "}"),
         0, FL_VERDICT_BOUND},
        {FILE_OF("{\"row\":\"r\",\"form\":\"n*k^n\",\"quantity\":\"a.links\"," TREE "}"), 0,
         FL_VERDICT_DERIVED},
        /* Printed digits: 18/7 = 2.5714... */
        {FILE_OF("{\"row\":\"r\",\"published\":\"2.57\",\"form\":\"18/7\"}"), 0,
         FL_VERDICT_UNMEASURED},
        {FILE_OF("{\"row\":\"r\",\"published\":\"2.58\",\"form\":\"18/7\"}"), 0,
         FL_VERDICT_DIFFERS},
        {FILE_OF("{\"row\":\"r\",\"published\":\"3\",\"form\":\"18/7\"}"), 0, FL_VERDICT_DIFFERS},
        {FILE_OF("{\"row\":\"r\",\"published\":\"3\",\"rounded\":true,\"form\":\"18/7\"}"), 0,
         FL_VERDICT_UNMEASURED},
        /* Cuts found by search are upper bounds: MiKANT(3,2) has one of 5, and no closed form. */
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"4\",\"quantity\":\"a.bisection_width\",\"network\":\"mikant:k=3,n=2\"}"),
         0, FL_VERDICT_UNDECIDED},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"k^n/2\",\"quantity\":\"a.bisection_width\",\"network\":\"mikant:k={k},n={n}\","
             "\"instances\":{\"k\":3,\"n\":2}}"),
         0, FL_VERDICT_DIFFERS},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"6\",\"quantity\":\"a.bisection_width\",\"network\":\"mikant:k=3,n=2\"}"),
         0, FL_VERDICT_DIFFERS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(verdict_of(cases[i].text, cases[i].largest), cases[i].verdict, "case %zu: %s",
                     i, fl_verdict_names[verdict_of(cases[i].text, cases[i].largest)]);
}

Test(catalogue, files_that_say_nothing_that_can_be_judged_are_refused)
{
    const struct {
        const char *text, *names;
    } wrong[] = {
        {"{", "test: line 1"},
        {"{\"paper\":\"P\"}", "needs 'paper', 'source'"},
        {"{\"papr\":\"P\"}", "papr"},
        {FILE_OF("{\"row\":\"r\"}"), "needs 'row'"},
        {FILE_OF("{\"row\":\"r\",\"published\":\"k+\"}"), "P: t, 'r', '': formula 'k+'"},
        {FILE_OF("{\"row\":\"r\",\"published\":\"1\",\"quanity\":\"a.links\"}"), "quanity"},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"1\",\"quantity\":\"a.lnks\",\"network\":\"mikant:k=2,n=2\"}"),
         "did you mean 'links'"},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"1\",\"quantity\":\"a.links\",\"network\":\"mikan:k=2,n=2\"}"),
         "did you mean 'mikant'"},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"1\",\"quantity\":\"b.links\",\"network\":\"mikant:k=2,n=2\"}"),
         "no such name"},
        {FILE_OF(
             "{\"row\":\"r\",\"published\":\"1\",\"quantity\":\"a.links\",\"network\":\"mikant:k={5/2},n=2\"}"),
         "not a whole number"},
        {FILE_OF("{\"row\":\"r\",\"published\":\"1\",\"instances\":{\"k\":\"3\"}}"),
         "expected a number"},
        {FILE_OF("{\"row\":\"r\",\"published\":\"1\",\"instances\":[3]}"), "expected objects"},
    };
    fl_catalogue *catalogue;
    fl_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(fl_catalogue_read(&catalogue, wrong[i].text, "test", NULL, &error),
                     FL_ERR_INVALID, "case %zu", i);
        cr_expect(strstr(error.text, wrong[i].names), "case %zu: %s", i, error.text);
    }
}

/* ---- the catalogue itself ---- */

static fl_catalogue *the_catalogue(void)
{
    fl_catalogue *catalogue;
    fl_error error;
    fl_catalogue_options options = {.largest = 20000};
    cr_assert(!fl_catalogue_create(&catalogue, &options, &error), "%s", error.text);
    return catalogue;
}

Test(catalogue, no_closed_form_contradicts_what_was_measured)
{
    fl_catalogue *catalogue = the_catalogue();
    cr_expect_eq(catalogue->instances[FL_VERDICT_BROKEN], 0);
    cr_expect_eq(catalogue->instances[FL_VERDICT_UNDECIDED], 0);
    cr_expect_geq(catalogue->networks, 250);
    fl_catalogue_destroy(catalogue);
}

Test(catalogue, a_source_is_wrong_exactly_where_a_derivation_says_so)
{
    fl_catalogue *catalogue = the_catalogue();
    for (size_t t = 0; t < catalogue->table_count; t++)
        for (size_t e = 0; e < catalogue->tables[t].entry_count; e++) {
            const fl_catalogue_entry *entry = &catalogue->tables[t].entries[e];
            cr_expect_eq(entry->why != NULL, entry->verdict == FL_VERDICT_DIFFERS, "%s, %s, %s: %s",
                         catalogue->tables[t].id, entry->row, entry->column ? entry->column : "",
                         fl_verdict_names[entry->verdict]);
            for (size_t i = 0; i < entry->instance_count; i++)
                cr_expect(entry->instances[i].verdict != FL_VERDICT_UNMEASURED ||
                              entry->instances[i].why_not || !entry->quantity,
                          "%s, %s: not measured, and no reason", catalogue->tables[t].id,
                          entry->row);
        }
    fl_catalogue_destroy(catalogue);
}

Test(catalogue, verdicts_are_those_on_record)
{
    const struct {
        const char *table;
        size_t entries, differing;
    } known[] = {
        {"mikant-table-1", 24, 4},   {"mikant-fig-5", 7, 0},      {"mikant-fig-6", 3, 0},
        {"mikant-fig-7", 4, 0},      {"mikant-text", 12, 1},      {"wang-table-1", 32, 2},
        {"wang-fig-2", 10, 0},       {"wang-fig-3", 1, 0},        {"wang-fig-4", 4, 1},
        {"wang-fig-5", 10, 6},       {"wang-text", 4, 0},         {"kns-table-1", 9, 1},
        {"kns-table-2", 5, 0},       {"kns-table-3", 15, 0},      {"kns-table-4", 37, 1},
        {"kns-table-5", 21, 0},      {"kns-table-8", 26, 2},      {"kns-5-4", 12, 1},
        {"thin-table-1", 8, 0},      {"thin-table-2", 12, 0},     {"thin-table-3", 21, 0},
        {"yasudo-table-3-1", 33, 1}, {"yasudo-theorems", 8, 1},   {"yasudo-fig-3-2", 4, 0},
        {"yasudo-fig-3-9", 2, 0},    {"yasudo-table-3-2", 30, 4}, {"yasudo-wk-dragonfly", 2, 1},
        {"yasudo-4", 60, 5},         {"yasudo-2", 4, 1},
    };
    fl_catalogue *catalogue = the_catalogue();
    cr_expect_eq(catalogue->table_count, sizeof known / sizeof *known);
    for (size_t t = 0; t < catalogue->table_count; t++) {
        size_t differing = 0, k = 0;
        const fl_catalogue_table *table = &catalogue->tables[t];
        for (size_t e = 0; e < table->entry_count; e++)
            differing += table->entries[e].verdict == FL_VERDICT_DIFFERS;
        while (k < sizeof known / sizeof *known && strcmp(known[k].table, table->id) != 0)
            k++;
        cr_assert(k < sizeof known / sizeof *known, "table '%s' is not on record", table->id);
        cr_expect(table->entry_count == known[k].entries && differing == known[k].differing,
                  "%s has %zu entries, %zu differing", table->id, table->entry_count, differing);
    }
    fl_catalogue_destroy(catalogue);
}

/* The catalogue's derivations, in C, against searches: CAT and MiCAT, Wang thesis, Table 1. */
static double cat_distance(double k, double n, bool mirrored)
{
    double corners = pow(2, k) - 1, leaves = pow(k, n - 1), weight = k * pow(2, k - 1) / corners,
           nodes = corners * k * leaves * (1 + mirrored);
    double same = weight * (pow(2, k) - 2) / corners, climb = 0;
    for (int level = 1; level < n; level++)
        climb += 2 * level * (pow(k, level) - pow(k, level - 1)) / leaves;
    double own = same / leaves + 2 * weight * (1 - 1 / leaves) + climb,
           other = 2 * weight + 2 * n - 3;
    return (mirrored ? (own + other) / 2 : own) + 2 - 2 / nodes;
}

Test(catalogue, average_distances_of_cat_and_micat_are_those_of_the_derivation)
{
    for (unsigned k = 2; k <= 4; k++)
        for (unsigned n = 2; n <= 5; n++)
            for (int mirrored = 0; mirrored < 2; mirrored++) {
                char spec[64];
                fl_network *network;
                fl_metrics metrics;
                fl_metrics_options options = {.wanted = FL_METRICS_DISTANCES};
                snprintf(spec, sizeof spec, "%s:k=%u,n=%u", mirrored ? "micat" : "cat", k, n);
                cr_assert(!fl_network_create(&network, spec, NULL));
                cr_assert(!fl_metrics_compute(&metrics, network, &options, NULL));
                cr_expect_float_eq(metrics.average_distance_with_self, cat_distance(k, n, mirrored),
                                   1e-9, "%s", spec);
                cr_expect_eq(metrics.diameter, 2 * n + 2 * k, "%s", spec);
                fl_network_destroy(network);
            }
}

Test(catalogue, the_connectivity_of_links_of_one_candidate_is_that_of_the_worse_direction)
{
    const struct {
        const char *spec;
        int64_t connectivity;
    } known[] = {{"kns:k=4,n=1,s=2,sub=ruft", 1},
                 {"kns:k=8,n=1,s=3,sub=ruft", 1},
                 {"kns:k=4,n=2,s=2,sub=ruft", 2},
                 {"kns:k=4,n=3,s=2,sub=ruft", 3},
                 {"kns:k=4,n=2,s=2,sub=fattree", 2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        fl_network *network;
        fl_metrics metrics;
        fl_metrics_options options = {.wanted = FL_METRICS_CONNECTIVITY};
        cr_assert(!fl_network_create(&network, known[i].spec, NULL));
        cr_assert(!fl_metrics_compute(&metrics, network, &options, NULL));
        cr_expect_eq(metrics.edge_connectivity, known[i].connectivity, "%s: %lld", known[i].spec,
                     (long long)metrics.edge_connectivity);
        cr_expect_eq(metrics.searches, 0);
        fl_network_destroy(network);
    }
}
