/* Helpers of all test files: building things or failing the test, the sets of detour rules, and
 * the statistics of the statistical tests. Seeds are fixed, so a test that passes keeps
 * passing; the false-alarm probabilities in comments are those of drawing a new seed. */
#ifndef FL_TESTS_SUPPORT_H
#define FL_TESTS_SUPPORT_H

#include "experiments/experiments.h"
#include "reference/reference.h"

#include <criterion/criterion.h>

/* Rounds of a test that is too slow for a sanitizer at full size. */
#define TEST_ROUNDS(n) ((n) / FL_TEST_DIVISOR > 0 ? (n) / FL_TEST_DIVISOR : 1)

/* ---- making ---- */

fl_network *need_network(const char *spec);
fl_network *need_tree(bool mikant, unsigned k, unsigned n);
fl_router *need_router(const fl_network *network, const char *name, fl_scope scope);
fl_fault_model *need_model(const fl_network *network, const char *spec, const fl_axis *axis);
fl_order *need_order(const fl_fault_model *model);
void *need_memory(size_t count, size_t size); /* zeroed */

/* The axis 0, 1, ..., most; free axis.counts with free_axis. */
fl_axis every_count(uint64_t most);
void free_axis(fl_axis *axis);

/* The status is FL_ERR_INVALID and the text names what was wrong. */
void expect_refused(fl_status status, const fl_error *error, const char *what, const char *names);

/* ---- the sets of detour rules, each of them also with adaptive-up ---- */

enum { SETS_MAX = 26 };

typedef struct rule_sets {
    unsigned count;
    char names[SETS_MAX][64];
    unsigned rules[SETS_MAX]; /* as the reference numbers them */
} rule_sets;

/* Those that the network does not refuse. */
void list_rule_sets(bool mikant, unsigned n, rule_sets *out);

/* ---- a network in the product and in the reference ---- */

typedef struct twin {
    bool mikant;
    unsigned k, n;
    fl_network *network;
    ref_net *reference;
    fl_address *address; /* [reference vertex]: found by its label */
    int *link;           /* [link index of the product]: reference link */
    bool *down;          /* [reference link], for orders of custom faults */
} twin;

twin *need_twin(bool mikant, unsigned k, unsigned n);
void free_twin(twin *t);

/* One fault point: a link is down for good or never fails, as in t->down. */
fl_order *need_twin_order(twin *t);
/* Every link with probability rate; forgets what `order` answered before. */
void fail_at_random(twin *t, fl_order *order, fl_rng *rng, double rate);

/* ---- statistics ---- */

/* Upper tail of the chi-square distribution: P(X >= x) with `freedom` degrees of freedom. */
double chi_square_tail(double x, double freedom);

/* P(chi-square as large as that of the counts), expecting `total` in cells of the given weights
 * (NULL: equal). */
double uniform_p_value(const uint64_t *counts, size_t cells);
double weighted_p_value(const uint64_t *counts, const double *weights, size_t cells);

/* Exact two-sided p-value of `successes` in `trials` at probability p: twice the smaller tail. */
double binomial_p_value(uint64_t successes, uint64_t trials, double p);

/* C(links - h, f) / C(links, f): the probability that h given links are all up. */
double all_up(uint64_t links, uint64_t h, uint64_t f);

#endif
